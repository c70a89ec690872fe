//! The command line: what is measured, how it is printed and where to.

use anyhow::{Context, bail};
use clap::{Parser, ValueEnum};
use regex_lite::Regex;
use sizes::budget::{Budget, Measured, Outcome};
use sizes::diff::{self, FileDiff};
use sizes::disasm::{self, Lister};
use sizes::image::Image;
use sizes::input;
use sizes::manifest::Manifest;
use sizes::report::FileReport;
use sizes::view::select::{By, Sort, View};
use sizes::view::{self, Extras, Format, Listing};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints which function takes which bytes of ROM, for any ELF file, object or archive.
///
/// Rows add up to the sections. Bytes that no symbol claims are in rows with names in brackets.
///
/// Exit code 1 if something is over its budget; 2 if a file cannot be measured or not fully (the others are still
/// reported), or if a limit cannot be checked.
#[derive(Parser)]
#[command(name = "sizes", version)]
struct Args {
    /// ELF files, objects, archives
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// What makes a line
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// What lines are ordered by
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,
    /// Show only symbols of which a name (demangled, mangled, or an alias) matches
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// Show at most this many lines (in JSON: of each file); 0 shows all
    #[arg(short = 'n', value_name = "ROWS")]
    rows_max: Option<usize>,
    /// Print what changed since this older file: sections and rows, the largest change first (--sort changes nothing).
    /// For several FILEs give it for each, or their folder; files are matched by name
    #[arg(long, value_name = "BASE")]
    diff: Vec<PathBuf>,
    /// Print the annotated listing of this function: its name, demangled or not, or another name of it. With
    /// --format html it becomes part of the page, which else has those of all generated functions
    #[arg(long, value_name = "SYMBOL")]
    disasm: Option<String>,
    /// Core whose cycles listings show, if it is another than the file's build attributes say
    #[arg(long, value_enum)]
    core: Option<Core>,
    /// Limits in TOML, such as [region.ROM] bytes_max = 65536; tables are region, section, family, function (also with
    /// stack_bytes_max and cycles_max) and, with --diff, growth. Names may have * and ?
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// Manifest of the generated kernels, if it is not beside the file as quadround.json or NAME.json
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Write to this file, whole or not at all, instead of the terminal
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A core with a cycle model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Core {
    /// Cortex-M3
    M3,
    /// Cortex-M4 without floating point
    M4,
    /// Cortex-M4 with floating point
    M4f,
}

impl From<Core> for disasm::Core {
    fn from(core: Core) -> disasm::Core {
        match core {
            Core::M3 => disasm::Core::M3,
            Core::M4 => disasm::Core::M4,
            Core::M4f => disasm::Core::M4f,
        }
    }
}

impl Args {
    fn rows_max(&self) -> Option<usize> {
        self.rows_max.map(|rows| if rows == 0 { usize::MAX } else { rows })
    }

    fn view(&self) -> View {
        View { by: self.by, sort: self.sort, filter: self.filter.clone(), rows_max: self.rows_max() }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            complain("error", &format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    keep_inputs(args)?;
    let manifest = args.manifest.as_deref().map(read_manifest).transpose()?;
    let budget = args.budget.as_deref().map(Budget::read).transpose()?;
    let (reports, diffs, complete) = match &*args.diff {
        [] => {
            let (reports, complete) = measure(&args.files, manifest.as_ref());
            (reports, Vec::new(), complete)
        }
        _ => compare(args, manifest.as_ref())?,
    };
    if !diffs.is_empty() {
        deliver(args.out.as_deref(), &diff::print(&diffs, args.rows_max(), args.format)?)?;
    } else if !reports.is_empty() && args.diff.is_empty() {
        let limits = budget.as_ref().map(Budget::regions).unwrap_or_default();
        let listings = listings(args)?;
        let text = match (&args.disasm, args.format) {
            (Some(_), Format::Table) => joined(&listings),
            (Some(_), format) if format != Format::Html => bail!("--disasm needs --format table or html"),
            _ => view::print(&reports, &args.view(), args.format, &Extras { limits, listings })?,
        };
        deliver(args.out.as_deref(), &text)?;
    }
    let outcome = budget.map(|budget| check(&budget, args, &reports, &diffs)).unwrap_or_default();
    outcome.over.iter().for_each(|over| complain("over budget", over));
    outcome.unmeasured.iter().for_each(|why| complain("error", why));
    Ok(match (complete && outcome.unmeasured.is_empty(), outcome.over.is_empty()) {
        (false, _) => ExitCode::from(2),
        (true, false) => ExitCode::FAILURE,
        (true, true) => ExitCode::SUCCESS,
    })
}

/// What is read must not be overwritten.
fn keep_inputs(args: &Args) -> anyhow::Result<()> {
    let Some(out) = args.out.as_deref().and_then(|out| out.canonicalize().ok()) else { return Ok(()) };
    let inputs = args.files.iter().chain(&args.diff).chain(&args.manifest).chain(&args.budget);
    for input in inputs {
        if input.canonicalize().is_ok_and(|input| input == out) {
            bail!("--out {}: is read as well; give another name", input.display());
        }
    }
    Ok(())
}

/// The listings that are asked for: of a function, or in HTML of all generated ones.
fn listings(args: &Args) -> anyhow::Result<Vec<Listing>> {
    let (mut found, mut unknown) = (Vec::new(), None);
    if args.disasm.is_none() && args.format != Format::Html {
        return Ok(found);
    }
    for path in &args.files {
        // Whatever is wrong with a file was said when it was measured.
        let Ok(bytes) = input::read(path) else { continue };
        for (name, data) in input::split(&path.display().to_string(), &bytes) {
            let Ok(image) = data.and_then(Image::parse) else { continue };
            let lister = Lister::new(&image, args.core.map(disasm::Core::from));
            let listings = match args.disasm.as_deref().map(|symbol| lister.find(symbol)) {
                Some(Err(why)) => {
                    unknown.get_or_insert(why);
                    continue;
                }
                Some(Ok(listings)) => listings,
                None => lister.generated(),
            };
            found.extend(
                listings.into_iter().map(|listing| Listing { name: format!("{} in {name}", listing.name), ..listing }),
            );
        }
    }
    match unknown {
        Some(why) if found.is_empty() => Err(why.into()),
        _ => Ok(found),
    }
}

/// Listings one after the other, each under its name.
fn joined(listings: &[Listing]) -> String {
    let text = listings.iter().map(|listing| format!("{}\n{}\n", listing.name, listing.lines.join("\n")));
    text.collect::<Vec<_>>().join("\n")
}

/// Compares the reports of each file, or archive, and how much all of them grew, with the limits.
fn check(budget: &Budget, args: &Args, reports: &[FileReport], diffs: &[FileDiff]) -> Outcome {
    let measured = args.files.iter().map(|path| {
        let name = path.display().to_string();
        let member = format!("{name}(");
        let is_of = |report: &&FileReport| report.file == name || report.file.starts_with(&member);
        Measured { reports: reports.iter().filter(is_of).collect(), name: (args.files.len() > 1).then_some(name) }
    });
    let growth = diffs.iter().map(|diff| i128::from(diff.total_bytes.delta)).sum();
    budget.check(&measured.collect::<Vec<_>>(), (!args.diff.is_empty()).then_some(growth))
}

/// Measures the files and the older ones, and compares them; false if something is wrong with any.
fn compare(args: &Args, manifest: Option<&Manifest>) -> anyhow::Result<(Vec<FileReport>, Vec<FileDiff>, bool)> {
    let (mut reports, mut diffs, mut complete) = (Vec::new(), Vec::new(), true);
    for (base, file) in diff::pair_paths(&args.diff, &args.files)? {
        let (old, old_complete) = measure(std::slice::from_ref(&base), None);
        let (new, new_complete) = measure(std::slice::from_ref(&file), manifest);
        complete &= old_complete && new_complete;
        reports.extend(new.iter().cloned());
        // Of what cannot be measured it is not known what changed.
        if !old.is_empty() && !new.is_empty() {
            let shown = [base.display().to_string(), file.display().to_string()];
            let pairs = diff::pair_reports([&shown[0], &shown[1]], old, new);
            diffs.extend(pairs.iter().map(|(old, new)| diff::compare(old, new, &args.view())));
        }
    }
    Ok((reports, diffs, complete))
}

fn read_manifest(path: &Path) -> anyhow::Result<Manifest> {
    Manifest::read(path).with_context(|| path.display().to_string())
}

/// Measures the files and says what is wrong with them; false if there was anything.
fn measure(paths: &[PathBuf], manifest: Option<&Manifest>) -> (Vec<FileReport>, bool) {
    let mut reports = Vec::new();
    let mut complete = true;
    for (name, result) in paths.iter().flat_map(|path| sizes::measure(path, manifest)) {
        match result {
            Ok(report) => {
                for note in &report.notes {
                    complain("error", &format!("{name}: {note}"));
                }
                for warning in &report.warnings {
                    complain("warning", warning);
                }
                complete &= report.notes.is_empty();
                reports.push(report);
            }
            Err(error) => {
                complain("error", &format!("{name}: {error}"));
                complete = false;
            }
        }
    }
    (reports, complete)
}

/// Errors that cannot be printed must not end the program.
fn complain(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}

/// Prints a text, or writes it to a file.
fn deliver(out: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match out {
        Some(path) => write_whole(path, text).with_context(|| format!("{}: cannot be written", path.display())),
        // A reader that stops early, as `head` does, is no error.
        None => match io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("standard output"),
            _ => Ok(()),
        },
    }
}

/// Writes a file beside `path` and renames it, so that what was there stays until the new text is complete.
fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    // Of a link, what it points to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        bail!("is not a regular file; give another name");
    }
    let name = path.file_name().context("has no file name; give one")?.to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        // It need not be there, and the first error says more.
        let _ = std::fs::remove_file(&beside);
    }
    Ok(written?)
}
