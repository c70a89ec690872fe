//! JSON: the reports as they are.

use super::select::{By, View};
use crate::report::{FileReport, Row};
use clap::ValueEnum;
use serde_json::{Value, json};

/// `{"files": [...]}`; with `--by` other than `function` also `"by"` and `"groups"`. Of each file, and of the groups, the
/// lines that the view selects.
pub fn json(files: &[FileReport], view: &View) -> serde_json::Result<String> {
    let symbols = View { by: By::Function, ..view.clone() };
    let shown = files.iter().map(|file| {
        let selection = symbols.select(std::slice::from_ref(file));
        let symbols = selection.shown.into_iter().map(|entry| entry.row.into_owned()).collect();
        // Cheap parts are copied, so that no report is copied with symbols that are not shown.
        FileReport {
            file: file.file.clone(),
            symbols,
            sections: file.sections.clone(),
            regions: file.regions.clone(),
            notes: file.notes.clone(),
            warnings: file.warnings.clone(),
            ..*file
        }
    });
    let mut report = json!({ "files": shown.collect::<Vec<_>>() });
    if view.by != By::Function {
        report["by"] = json!(view.by.to_possible_value().map(|value| value.get_name().to_owned()));
        report["groups"] = view.select(files).shown.iter().map(|entry| group(&entry.row)).collect();
    }
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn group(row: &Row) -> Value {
    json!({
        "name": row.name,
        "code_bytes": row.code_bytes,
        "literal_bytes": row.literal_bytes,
        "data_bytes": row.data_bytes,
        "padding_bytes": row.padding_bytes,
        "total_bytes": row.total_bytes,
        "ram_bytes": row.ram_bytes,
    })
}
