//! Tests of the repository as a whole: licences, links, tidiness.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod firmware;
mod licences;
mod links;
mod samples;
mod setup;
mod tidy;

use std::path::{Path, PathBuf};

/// The top folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Every file below `folder`, without what git and cargo keep there; sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            match path.is_dir() {
                true if name == ".git" || name == "target" => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}
