//! `cargo xtask bench`: every kernel measured on the simulator, beside the best figures that others have published.

mod compare;
mod row;
pub mod scheme;

use crate::bundle::schemes;
use crate::{CheckFailed, bundle, root};
use anyhow::Context;
use clap::ValueEnum;
use row::{Row, page, published, table};

/// Where the committed table is, from the top of the repository.
const PAGE: &str = "docs/benchmarks.md";
/// What writes it.
const REFRESH: &str = "cargo xtask bench";

/// Options of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Only what matches this pattern, in which * stands for any text and ? for one character; writes no file
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,
    /// How to print the rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Write nothing; fail if a number is worse than the committed one, or the committed page is not what would be written
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Aligned columns
    Table,
    /// An array of rows
    Json,
}

/// Measures, prints, and writes or checks the committed page.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let rows = measure(args.filter.as_deref())?;
    let wanted = |row: &Row| args.filter.as_ref().is_none_or(|glob| matches(glob, &row.what));
    match args.format {
        Format::Table => print!("{}", table(&rows).plain()),
        Format::Json => println!("{}", serde_json::to_string_pretty(&rows)?),
    }
    let path = root().join(PAGE);
    if args.check {
        let committed = std::fs::read_to_string(&path).with_context(|| format!("{PAGE}; `{REFRESH}` writes it"))?;
        return check(&committed, &rows, wanted, args.filter.is_none());
    }
    if args.filter.is_none() {
        std::fs::write(&path, page(&rows)).with_context(|| format!("cannot write {PAGE}"))?;
    }
    Ok(())
}

fn measure(filter: Option<&str>) -> anyhow::Result<Vec<Row>> {
    let published = published()?;
    let wanted = |what: &str| filter.is_none_or(|glob| matches(glob, what));
    let mut rows = Vec::new();
    let schemes: Vec<String> = schemes::SETS.iter().map(|row| schemes::short_name(row.name)).collect();
    let is_scheme = |glob: &str| schemes.iter().any(|name| name == glob);
    // Of a pattern for schemes alone the generator would say that there is no such kernel.
    if filter.is_none_or(|glob| !glob.starts_with("mlkem") && !glob.ends_with("_90s") && !is_scheme(glob)) {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let json = bundle::generate(&folder.path().join("bundle"), filter, None)?;
        rows = Row::from_gen(&json, &published)?;
    }
    if schemes.iter().any(|name| wanted(name)) {
        rows.extend(scheme::measure(&published, wanted)?);
    }
    Ok(rows)
}

fn check(committed: &str, now: &[Row], wanted: impl Fn(&Row) -> bool, whole: bool) -> anyhow::Result<()> {
    let before: Vec<Row> = Row::from_page(committed)?.into_iter().filter(&wanted).collect();
    let worse = compare::worse(&before, now);
    if !worse.is_empty() {
        let message = format!("{} of the committed numbers got worse:\n  {}", worse.len(), worse.join("\n  "));
        return Err(CheckFailed(message).into());
    }
    if whole && committed != page(now) {
        return Err(CheckFailed(format!("{PAGE} is out of date, though no number got worse; run `{REFRESH}`")).into());
    }
    Ok(())
}

/// True if `text` as a whole fits `glob`.
fn matches(glob: &str, text: &str) -> bool {
    match (glob.chars().next(), text.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            let rest = &glob[1..];
            matches(rest, text) || text.chars().next().is_some_and(|c| matches(glob, &text[c.len_utf8()..]))
        }
        (Some(g), Some(t)) => (g == '?' || g == t) && matches(&glob[g.len_utf8()..], &text[t.len_utf8()..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (glob, text, expected) in [
            ("chacha20_*", "chacha20_permute", true),
            ("*_permute", "chacha20_permute", true),
            ("*20*", "chacha20_permute", true),
            ("chacha?_xor", "chacha8_xor", true),
            ("chacha?_xor", "chacha20_xor", false),
            ("chacha20", "chacha20_xor", false),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(glob, text), expected, "{glob} {text}");
        }
    }

    const JSON: &str = r#"[
        {"symbol":"qr_k_looped_m3","kernel":"k","target":"m3","shape":"looped","instructions":90,"code_bytes":300,
         "rodata_bytes":0,"stack_bytes":44,"cycles":910,"verified_cases":1000,"files":[],"cycles_of":"one call"},
        {"symbol":"qr_k_looped_m4","kernel":"k","target":"m4","shape":"looped","instructions":90,"code_bytes":300,
         "rodata_bytes":4,"stack_bytes":44,"cycles":900,"verified_cases":1000,"files":[],"cycles_of":"one call"}
    ]"#;
    const PUBLISHED: &str = r#"
        [[figure]]
        what = "k"
        op = "one call"
        targets = ["m3"]
        cycles = 990
        source = "a paper | table 3"
    "#;

    fn rows() -> Vec<Row> {
        Row::from_gen(JSON, &toml::from_str(PUBLISHED).unwrap()).unwrap()
    }

    #[test]
    fn published_figures_are_joined_and_the_page_is_read_back() {
        let rows = rows();
        assert_eq!((rows[0].published, rows[0].published_source.as_deref()), (Some(990), Some("a paper | table 3")));
        assert_eq!((rows[1].published, &rows[1].published_source), (None, &None));
        let back = Row::from_page(&page(&rows)).unwrap();
        assert_eq!(back.len(), 2);
        for (row, back) in rows.iter().zip(&back) {
            assert_eq!((row.key(), row.numbers()), (back.key(), back.numbers()));
        }
    }

    /// Each planted change must be found, and named.
    #[test]
    fn the_check_finds_what_got_worse() {
        let all = rows();
        let committed = page(&all);
        let failure = |committed: &str, rows: &[Row]| {
            let result = check(committed, rows, |_| true, true);
            result.map_err(|error| (error.is::<CheckFailed>(), error.to_string()))
        };
        assert_eq!(failure(&committed, &all), Ok(()));
        type Plant = fn(&mut Vec<Row>);
        let cases: [(Plant, &str); 8] = [
            (|rows| rows[0].cycles += 1, "k (one call), m3, looped, ideal: cycles 911, committed 910"),
            (|rows| rows[1].code_bytes += 2, "k (one call), m4, looped, ideal: code_bytes 302, committed 300"),
            (|rows| rows[1].rodata_bytes += 4, "rodata_bytes 8, committed 4"),
            (|rows| rows[1].hashing_bytes += 2, "hashing_bytes 2, committed 0"),
            (|rows| rows[0].stack_bytes = 48, "stack_bytes 48, committed 44"),
            (|rows| drop(rows.remove(0)), "k (one call), m3, looped, ideal: not measured any more"),
            (|rows| rows[0].cycles -= 1, "out of date, though no number got worse"),
            (|rows| rows[0].published = Some(1), "out of date, though no number got worse"),
        ];
        for (plant, message) in cases {
            let mut changed = all.clone();
            plant(&mut changed);
            let (failed, text) = failure(&committed, &changed).unwrap_err();
            assert!(failed && text.contains(message), "{message}: {text}");
        }
        let damaged = committed.replace("910", "fast");
        let (failed, text) = failure(&damaged, &all).unwrap_err();
        assert!(!failed && text.contains("\"fast\" is not a number"), "{text}");
    }

    #[test]
    fn the_published_figures_are_well_formed() {
        for figure in &published().unwrap().figure {
            assert!(figure.cycles > 0 && !figure.targets.is_empty() && figure.source.len() > 20, "{figure:?}");
        }
    }
}
