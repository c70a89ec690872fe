//! `sizes FILE...`: prints which function takes which bytes.

use clap::{Parser, ValueEnum};
use sizes::view::{View, json, table};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints which function takes which bytes of ROM, for any ELF file, object or archive.
///
/// Rows add up to the sections. Bytes that no symbol claims are shown as [padding] and [unattributed].
/// Exit code 2 if a file cannot be measured; the others are still reported.
#[derive(Parser)]
#[command(name = "sizes", version)]
struct Args {
    /// ELF files, objects, archives
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Show at most this many rows (in JSON: of each file); 0 shows all
    #[arg(short = 'n', value_name = "ROWS", default_value_t = 0)]
    rows_max: usize,
    /// Show only symbols that match this regular expression
    #[arg(long, value_name = "REGEX")]
    filter: Option<regex_lite::Regex>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Aligned columns, largest row first
    Table,
    /// {"files": [{"file", "symbols", "sections", "total_bytes"}]}
    Json,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("sizes: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut reports = Vec::new();
    let mut code = ExitCode::SUCCESS;
    for (name, result) in args.files.iter().flat_map(|path| sizes::measure(path)) {
        match result {
            Ok(report) => reports.push(report),
            Err(error) => {
                eprintln!("sizes: {name} {error}");
                code = ExitCode::from(2);
            }
        }
    }
    let view = View { rows_max: Some(args.rows_max).filter(|rows| *rows > 0), filter: args.filter };
    let text = match args.format {
        Format::Json => json(reports, &view)?,
        Format::Table if reports.is_empty() => return Ok(code),
        Format::Table => table(&reports, &view),
    };
    // A reader that stops early, as `head` does, is no error.
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    }
}
