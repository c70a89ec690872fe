//! Writing a bundle so that the directory holds either what was there before or all of the new files, never half of one.
//!
//! The directory belongs to the generator: every file in it is listed in its manifest. Anything else is somebody's, and a
//! directory with such files is refused. The order of a run:
//!
//! 1. a journal names every file that is or will be ours, so that a run that is killed leaves nothing unaccounted for;
//! 2. every file is written under a temporary name and synced: a full disk shows here, before anything has changed;
//! 3. the files are renamed, files of an earlier run that are no longer made are removed, the manifest is renamed last;
//! 4. the journal is removed.

use crate::emit::{File, MANIFEST, SET};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Lists the files of a run that has not finished.
const JOURNAL: &str = ".quadround.journal";

/// Threads that write.
const WRITERS: usize = 4;

/// How many foreign files an error names.
const NAMED: usize = 3;

/// Why the files are not there. In every case no final name holds a half-written file.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The path is a file, or something on it is.
    #[error("output directory {}: it exists and is not a directory; choose another with --out DIR", .0.display())]
    NotADirectory(PathBuf),
    /// There are files that no earlier run made.
    #[error(
        "output directory {}: it contains files that are not ours ({names}) and is left alone; choose an empty or new one with --out DIR",
        dir.display()
    )]
    Foreign {
        /// The directory.
        dir: PathBuf,
        /// Some of the files.
        names: String,
    },
    /// The system refused.
    #[error("output directory {}: cannot {what}: {source}; no half-written file was left; make room or choose another place with --out DIR", dir.display())]
    Io {
        /// The directory.
        dir: PathBuf,
        /// What was tried, with the file's name.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

/// What is asked of a file system. Tests put one that fails in its place.
pub trait Disk: Sync {
    /// Makes a directory and its parents, and keeps other runs out of it until this value is dropped.
    fn open(&self, dir: &Path) -> io::Result<()>;
    /// Name of every entry of a directory, and whether it is a plain file.
    fn list(&self, dir: &Path) -> io::Result<Vec<(String, bool)>>;
    /// A whole file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Makes a file that is not there yet, with all of its bytes on the medium.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Moves a file over another.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The real file system.
#[derive(Default)]
pub struct Real {
    lock: OnceLock<std::fs::File>,
}

impl Disk for Real {
    fn open(&self, dir: &Path) -> io::Result<()> {
        std::fs::create_dir_all(dir)?;
        // Where a directory cannot be opened or locked, two runs at once are the user's to avoid.
        if let Some(handle) = std::fs::File::open(dir).ok().filter(|handle| handle.lock().is_ok()) {
            self.lock.get_or_init(|| handle);
        }
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<(String, bool)>> {
        let entries = std::fs::read_dir(dir)?.map(|entry| {
            let entry = entry?;
            Ok((entry.file_name().to_string_lossy().into_owned(), entry.file_type()?.is_file()))
        });
        entries.collect()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = std::fs::File::create_new(path)?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

/// What is in an output directory.
struct Contents {
    /// Files of an earlier run.
    own: BTreeSet<String>,
    /// Temporary files of a run that was killed.
    leftover: BTreeSet<String>,
    /// True if such a run left its journal.
    journal: bool,
}

/// Checks that `dir` may be written to, as far as that can be told without writing: it is not there, or all in it is ours.
///
/// # Errors
/// If it is a file, cannot be read, or holds foreign files.
pub fn check(disk: &impl Disk, dir: &Path) -> Result<(), PublishError> {
    contents(disk, dir).map(|_| ())
}

/// Writes all files into `dir`, making it if need be. The last file is the manifest.
///
/// # Errors
/// If `dir` is a file, holds foreign files, or the system refuses; then the directory holds what it held before, unless the
/// system failed in the middle of renaming, in which case every file is still a whole one, old or new.
pub fn publish(disk: &impl Disk, dir: &Path, files: &[File]) -> Result<(), PublishError> {
    contents(disk, dir)?;
    disk.open(dir).map_err(|source| failed(dir, "create it", source))?;
    let before = contents(disk, dir)?;
    let written = write_temporaries(disk, dir, files, &before);
    let result = match &written {
        Ok(()) => rename_all(disk, dir, files, &before),
        Err(_) => written,
    };
    if result.is_err() {
        let names = files.iter().map(|file| file.name.as_str()).chain([JOURNAL]);
        for name in names {
            // The first error is the one to tell; what cannot be removed now is removed by the next run.
            let _ = disk.remove(&dir.join(temporary(name)));
        }
    }
    result
}

/// Journal and temporary files. On an error nothing has changed yet, and a journal that was not there before is removed.
fn write_temporaries(disk: &impl Disk, dir: &Path, files: &[File], before: &Contents) -> Result<(), PublishError> {
    for name in &before.leftover {
        disk.remove(&dir.join(name)).map_err(|source| failed(dir, format!("remove {name}"), source))?;
    }
    let ours: BTreeSet<&str> =
        files.iter().map(|file| file.name.as_str()).chain(before.own.iter().map(String::as_str)).collect();
    let journal: String = ours.iter().map(|name| format!("{name}\n")).collect();
    write_temporary(disk, dir, JOURNAL, journal.as_bytes())?;
    rename(disk, dir, JOURNAL)?;
    let written = write_side_by_side(disk, dir, files);
    if written.is_err() && !before.journal {
        let _ = disk.remove(&dir.join(JOURNAL));
    }
    written
}

/// Writes the temporary files on some threads, since each waits for the medium. The error is that of the first file, in their
/// order, among those that failed.
fn write_side_by_side(disk: &impl Disk, dir: &Path, files: &[File]) -> Result<(), PublishError> {
    let write = |file: &File| write_temporary(disk, dir, &file.name, &file.bytes);
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(WRITERS).max(1));
        let workers: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().try_for_each(write))).collect();
        let results = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Everything to its final name, the manifest last; then the journal has done its duty.
fn rename_all(disk: &impl Disk, dir: &Path, files: &[File], before: &Contents) -> Result<(), PublishError> {
    let (manifest, others) = match files.split_last() {
        Some(parts) => parts,
        None => return Ok(()),
    };
    for file in others {
        rename(disk, dir, &file.name)?;
    }
    for name in before.own.iter().filter(|name| files.iter().all(|file| file.name != **name)) {
        disk.remove(&dir.join(name)).map_err(|source| failed(dir, format!("remove {name}"), source))?;
    }
    rename(disk, dir, &manifest.name)?;
    disk.remove(&dir.join(JOURNAL)).map_err(|source| failed(dir, format!("remove {JOURNAL}"), source))
}

fn write_temporary(disk: &impl Disk, dir: &Path, name: &str, bytes: &[u8]) -> Result<(), PublishError> {
    disk.write(&dir.join(temporary(name)), bytes).map_err(|source| failed(dir, format!("write {name}"), source))
}

fn rename(disk: &impl Disk, dir: &Path, name: &str) -> Result<(), PublishError> {
    disk.rename(&dir.join(temporary(name)), &dir.join(name))
        .map_err(|source| failed(dir, format!("put {name} in place"), source))
}

/// The name under which a file is written before it is renamed: hidden, so that no build picks it up.
fn temporary(name: &str) -> String {
    format!(".{name}.tmp")
}

/// Sorts the entries of `dir` into ours and leftovers.
fn contents(disk: &impl Disk, dir: &Path) -> Result<Contents, PublishError> {
    let entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(PublishError::NotADirectory(dir.to_path_buf()));
        }
        Err(source) => return Err(failed(dir, "read it", source)),
    };
    let is_there = |name: &str| entries.iter().any(|(entry, is_file)| entry == name && *is_file);
    let mut listed = BTreeSet::new();
    for (name, parse) in [(MANIFEST, listed_in_manifest as fn(&[u8]) -> Vec<String>), (JOURNAL, listed_in_journal)] {
        if is_there(name) {
            let bytes = disk.read(&dir.join(name)).map_err(|source| failed(dir, format!("read {name}"), source))?;
            listed.extend(parse(&bytes));
        }
    }
    let journal = is_there(JOURNAL);
    let mut sorted = Contents { own: BTreeSet::new(), leftover: BTreeSet::new(), journal };
    let mut foreign = Vec::new();
    for (name, is_file) in entries {
        let is_leftover = |name: &str| name == temporary(JOURNAL) || listed.iter().any(|own| name == temporary(own));
        if is_file && listed.contains(&name) {
            sorted.own.insert(name);
        } else if is_file && is_leftover(&name) {
            sorted.leftover.insert(name);
        } else if !(is_file && name == JOURNAL) {
            foreign.push(name);
        }
    }
    if foreign.is_empty() { Ok(sorted) } else { Err(foreign_error(dir, foreign)) }
}

fn foreign_error(dir: &Path, mut names: Vec<String>) -> PublishError {
    names.sort();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut names = names.join(", ");
    if more > 0 {
        names += &format!(" and {more} more");
    }
    PublishError::Foreign { dir: dir.to_path_buf(), names }
}

/// The files a manifest lists, with those of the whole set. A file of that name that is no manifest of ours lists nothing,
/// not even itself, so that it is foreign.
fn listed_in_manifest(bytes: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Listed {
        files: Vec<String>,
    }
    let Ok(entries) = serde_json::from_slice::<Vec<Listed>>(bytes) else { return Vec::new() };
    let set = ["h", "rs", "json"].map(|extension| format!("{SET}.{extension}"));
    entries
        .into_iter()
        .flat_map(|entry| entry.files)
        .filter(|name| can_be_ours(name))
        .chain(set)
        .chain([super::library()])
        .collect()
}

fn listed_in_journal(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().filter(|name| can_be_ours(name)).map(str::to_string).collect()
}

/// True if the generator could have written a file of this name, whatever a list says.
fn can_be_ours(name: &str) -> bool {
    let one_of_several = |(stem, extension): (&str, &str)| {
        (stem == SET || stem.starts_with(super::PREFIX)) && ["s", "o", "h", "rs", "json"].contains(&extension)
    };
    name == super::library() || name.rsplit_once('.').is_some_and(one_of_several)
}

fn failed(dir: &Path, what: impl Into<String>, source: io::Error) -> PublishError {
    PublishError::Io { dir: dir.to_path_buf(), what: what.into(), source }
}
