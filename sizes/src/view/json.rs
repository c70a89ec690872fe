//! JSON: the reports as they are.

use super::select::{By, View};
use crate::report::{FileReport, Row};
use clap::ValueEnum;
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    files: Vec<FileReport>,
    #[serde(flatten)]
    groups: Option<Groups>,
}

#[derive(Serialize)]
struct Groups {
    by: String,
    groups: Vec<Group>,
}

/// Rows added up, with the names of their sums in [`Row`].
#[derive(Serialize)]
struct Group {
    name: String,
    code_bytes: u64,
    literal_bytes: u64,
    data_bytes: u64,
    padding_bytes: u64,
    total_bytes: u64,
    ram_bytes: u64,
}

/// `{"files": [...]}`; with `--by` other than `function` also `"by"` and `"groups"`. Of each file, and of the groups, the
/// lines that the view selects.
pub fn json(files: &[FileReport], view: &View) -> serde_json::Result<String> {
    let groups = |by: By| Groups {
        by: by.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned()),
        groups: view.select(files).shown.iter().map(|entry| group(&entry.row)).collect(),
    };
    let report = Report {
        files: files.iter().map(|file| selected(file, view)).collect(),
        groups: (view.by != By::Function).then(|| groups(view.by)),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// The report with only the symbols that the view shows.
fn selected(file: &FileReport, view: &View) -> FileReport {
    let view = View { by: By::Function, ..view.clone() };
    let shown = view.select(std::slice::from_ref(file)).shown;
    FileReport { symbols: shown.into_iter().map(|entry| entry.row.into_owned()).collect(), ..file.clone() }
}

fn group(row: &Row) -> Group {
    Group {
        name: row.name.clone(),
        code_bytes: row.code_bytes,
        literal_bytes: row.literal_bytes,
        data_bytes: row.data_bytes,
        padding_bytes: row.padding_bytes,
        total_bytes: row.total_bytes,
        ram_bytes: row.ram_bytes,
    }
}
