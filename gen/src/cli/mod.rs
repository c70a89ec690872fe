//! The command line: what is asked for, generated on two threads, proven, written, reported.

mod args;
mod generate;
pub(crate) mod generator;
mod report;
mod select;

use crate::emit::{self, publish};
use crate::function::Function;
use crate::target::{Abi, Shape, Target};
pub use generate::all as generate;
pub use generator::Generator;
pub use select::{Job, suggestion};

use args::{Cli, Command, Emit, Format, ShapeArgs};
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroU32;

/// Where kernels come from: the generator, or a stand-in in tests.
pub trait Source: Sync {
    /// The catalogue, in the order in which it is generated.
    fn kernels(&self) -> Vec<KernelInfo>;

    /// The kernel of exactly this name: in the catalogue, or a member of one of its families that is made on request. `None`
    /// if no family has such a name; an error that says what is wrong if only its parameter is bad.
    fn named(&self, name: &str) -> Option<Result<KernelInfo, String>>;

    /// One sentence on what can be had beside the catalogue.
    fn on_request(&self) -> String;

    /// Generates a function and verifies it.
    ///
    /// # Errors
    /// [`Failure::Check`] if it does not compute what it should, [`Failure::Usage`] if the target cannot run the kernel.
    fn generate(&self, job: &Job) -> Result<Function, Failure>;

    /// Appends the kernel after every pass to `text`, in whole lines.
    ///
    /// # Errors
    /// As for [`Source::generate`]; the passes up to the failure are in `text`.
    fn explain(&self, job: &Job, text: &mut String) -> Result<(), Failure>;
}

/// What the command line has to know about a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    /// What it computes.
    pub summary: String,
    /// Repetitions that can be unrolled: an unroll factor divides this number.
    pub repeats: u32,
    /// The shape for speed; the one for size is looped.
    pub fast: Shape,
    /// That of them by which a scheme with this kernel is best served: the small one where the fast one saves little.
    pub balanced: Shape,
    /// The cores it can be generated for.
    pub targets: &'static [Target],
}

impl KernelInfo {
    /// The shape whose loop holds `factor` repetitions.
    ///
    /// # Errors
    /// What is wrong with the factor, as the rest of a sentence that begins with it.
    pub fn unrolled_by(&self, factor: u32) -> Result<Shape, String> {
        match NonZeroU32::new(factor).filter(|factor| self.repeats.is_multiple_of(factor.get())) {
            Some(factor) if factor.get() == self.repeats => Ok(Shape::Unrolled),
            Some(NonZeroU32::MIN) => Ok(Shape::Looped),
            Some(factor) => Ok(Shape::By(factor)),
            None => {
                let factors: Vec<String> = self.factors().map(|factor| factor.to_string()).collect();
                Err(format!(
                    "does not divide the {} repetitions of {}; use one of {}",
                    self.repeats,
                    self.name,
                    factors.join(", ")
                ))
            }
        }
    }

    /// Both ends of the choice between speed and size.
    pub fn both_ends(&self) -> [Shape; 2] {
        [self.fast, Shape::Looped]
    }

    /// Every shape, from the smallest to fully unrolled.
    pub fn shapes(&self) -> Vec<Shape> {
        self.factors().filter_map(|factor| self.unrolled_by(factor).ok()).collect()
    }

    /// The unroll factors there are.
    fn factors(&self) -> impl Iterator<Item = u32> {
        (1..=self.repeats).filter(|factor| self.repeats.is_multiple_of(*factor))
    }
}

/// Why a command failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The request cannot be met as it stands. The message says what is wrong, where, and what to do.
    #[error("{0}")]
    Usage(String),
    /// A generated function is not right; nothing was written.
    #[error("{0}; nothing was written")]
    Check(String),
}

impl Failure {
    /// The exit code: 1 for a failed check, 2 for everything else.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Check(_) => 1,
            Failure::Usage(_) => 2,
        }
    }
}

/// Runs a command line, whose first word is the program's name, and returns its exit code.
pub fn run<S>(words: impl IntoIterator<Item = S>, source: &dyn Source, out: &mut dyn Write, err: &mut dyn Write) -> u8
where
    S: Into<OsString> + Clone,
{
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(message) => {
            // A reader that has gone away is no reason to fail.
            let _ = if message.use_stderr() { write!(err, "{message}") } else { write!(out, "{message}") };
            return message.exit_code() as u8;
        }
    };
    let mut text = String::new();
    let result = dispatch(&cli, source, &mut text);
    let printed = match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Usage(format!("cannot print the report: {error}")))
        }
        _ => Ok(()),
    };
    match result.and(printed) {
        Ok(()) => 0,
        Err(failure) => {
            let _ = writeln!(err, "error: {failure}");
            failure.code()
        }
    }
}

/// What is to be printed is in `text`, also on a failure.
fn dispatch(cli: &Cli, source: &dyn Source, text: &mut String) -> Result<(), Failure> {
    match &cli.command {
        None => *text = emit(&cli.emit, source)?,
        Some(Command::List) => *text = report::catalogue(&source.kernels(), source.on_request())?,
        Some(Command::Explain { kernel, target, abi, shape }) => {
            let jobs = explained(source, kernel, target, abi.map(Abi::from), shape)?;
            jobs.iter().try_for_each(|job| source.explain(job, text))?;
        }
    }
    Ok(())
}

/// Generates everything, then writes everything, then reports.
fn emit(args: &Emit, source: &dyn Source) -> Result<String, Failure> {
    let jobs = jobs(args, source)?;
    let disk = publish::Real::default();
    let usage = |error: publish::PublishError| Failure::Usage(error.to_string());
    // Before the work, so that nobody waits for an answer that is known already.
    publish::check(&disk, &args.out).map_err(usage)?;
    let functions = generate::all(source, &jobs)?;
    let files = emit::bundle(&functions).map_err(|error| Failure::Check(error.to_string()))?;
    publish::publish(&disk, &args.out, &files).map_err(usage)?;
    match args.format {
        Format::Table => report::table(&functions, &args.out, files.len()),
        Format::Json => report::json(&functions),
    }
}

/// Kernels in catalogue order, for each its targets, for each its shapes.
fn jobs(args: &Emit, source: &dyn Source) -> Result<Vec<select::Job>, Failure> {
    let targets = select::called(select::targets(&args.target)?, args.abi.map(Abi::from))?;
    let mut jobs = Vec::new();
    for kernel in select::kernels(source, &args.kernel)? {
        let shapes = select::shapes(&args.shape, &kernel, &kernel.both_ends())?;
        // Whoever names both is told why they do not fit; a pattern means what there is.
        let named = !args.target.is_empty() && args.kernel.contains(&kernel.name);
        let can = |target: &Target| named || kernel.targets.contains(target);
        for &(target, abi) in targets.iter().filter(|(target, _)| can(target)) {
            for &shape in &shapes {
                jobs.push(Job { kernel: kernel.name.clone(), target, abi, shape });
            }
        }
    }
    if jobs.is_empty() {
        return Err(Failure::Usage("none of these kernels is made for these targets; `gen list` shows all".to_owned()));
    }
    Ok(jobs)
}

fn explained(
    source: &dyn Source,
    kernel: &str,
    target: &str,
    abi: Option<Abi>,
    shape: &ShapeArgs,
) -> Result<Vec<Job>, Failure> {
    let kernel = select::kernel(source, kernel)?;
    let targets = select::called(vec![select::target(target)?], abi)?;
    let shapes = select::shapes(shape, &kernel, &[kernel.fast])?;
    let jobs = shapes.into_iter().flat_map(|shape| targets.iter().map(move |&(target, abi)| (target, abi, shape)));
    Ok(jobs.map(|(target, abi, shape)| Job { kernel: kernel.name.clone(), target, abi, shape }).collect())
}
