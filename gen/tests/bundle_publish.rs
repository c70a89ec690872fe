//! Writing a bundle: what is there afterwards, whatever was there before and whatever goes wrong.

use generator::emit::File;
use generator::emit::publish::{Disk, Real, check, publish};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Names and contents of a directory.
type Tree = BTreeMap<String, Vec<u8>>;

fn tree(dir: &Path) -> Tree {
    let entries = std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let bytes = if entry.path().is_dir() { Vec::new() } else { std::fs::read(entry.path()).expect("a file") };
            (entry.file_name().into_string().expect("UTF-8"), bytes)
        })
        .collect()
}

/// A bundle of these functions whose contents tell which run made them.
fn files(functions: &[&str], run: &str) -> Vec<File> {
    let file = |name: String| File { bytes: format!("{name} of {run}").into_bytes(), name };
    let mut files: Vec<File> =
        functions.iter().flat_map(|f| ["s", "o"].map(|extension| file(format!("{f}.{extension}")))).collect();
    let listed: Vec<_> = functions
        .iter()
        .map(|f| serde_json::json!({ "run": run, "files": [format!("{f}.s"), format!("{f}.o")] }))
        .collect();
    files.push(file("quadround.h".into()));
    let manifest = serde_json::to_vec(&listed).expect("JSON");
    files.push(File { name: "quadround.json".into(), bytes: manifest });
    files
}

fn as_tree(files: &[File]) -> Tree {
    files.iter().map(|file| (file.name.clone(), file.bytes.clone())).collect()
}

fn first() -> Vec<File> {
    files(&["qr_a", "qr_b"], "first")
}

fn second() -> Vec<File> {
    files(&["qr_b", "qr_c"], "second")
}

#[test]
fn a_directory_is_made_filled_and_brought_up_to_date() {
    let parent = tempfile::tempdir().expect("a directory");
    let dir = parent.path().join("new/deep");
    for set in [first(), first(), second()] {
        check(&Real::default(), &dir).expect("nothing against it");
        publish(&Real::default(), &dir, &set).expect("written");
        assert_eq!(tree(&dir), as_tree(&set));
    }
}

/// `change` is made to a directory that holds the first set; then the second is refused, and all is as it was.
fn check_refused(change: impl Fn(&Path), named: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    publish(&Real::default(), dir.path(), &first()).expect("written");
    change(dir.path());
    let before = tree(dir.path());
    for error in [
        check(&Real::default(), dir.path()).expect_err("refused"),
        publish(&Real::default(), dir.path(), &second()).expect_err("refused"),
    ] {
        let message = error.to_string();
        assert!(message.contains(named) && message.contains("--out"), "{message}");
    }
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let write = |dir: &Path, name: &str| std::fs::write(dir.join(name), "mine").expect("written");
    check_refused(|dir| write(dir, "notes.txt"), "notes.txt");
    check_refused(|dir| write(dir, "qr_c.s"), "qr_c.s");
    check_refused(|dir| write(dir, ".hidden"), ".hidden");
    check_refused(|dir| write(dir, ".notes.txt.tmp"), ".notes.txt.tmp");
    check_refused(|dir| std::fs::create_dir(dir.join("sub")).expect("made"), "sub");
    check_refused(
        |dir| std::fs::remove_file(dir.join("quadround.json")).expect("removed"),
        "qr_a.o, qr_a.s, qr_b.o and 2 more",
    );
    check_refused(|dir| write(dir, "quadround.json"), "qr_a.o, qr_a.s, qr_b.o and 3 more");
    check_refused(
        |dir| std::fs::write(dir.join("quadround.json"), "[]").expect("written"),
        "qr_a.o, qr_a.s, qr_b.o and 1 more",
    );
    check_refused(
        |dir| {
            std::fs::remove_file(dir.join("qr_a.s")).expect("removed");
            std::fs::create_dir(dir.join("qr_a.s")).expect("made");
        },
        "qr_a.s",
    );
}

#[test]
fn a_list_makes_nothing_ours_that_cannot_be() {
    let manifest = r#"[{"files": ["notes.txt"]}]"#;
    for (list, content) in [("quadround.json", manifest), (".quadround.journal", "notes.txt\n")] {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join(list), content).expect("written");
        std::fs::write(dir.path().join("notes.txt"), "mine").expect("written");
        let error = publish(&Real::default(), dir.path(), &first()).expect_err("refused");
        assert!(error.to_string().contains("notes.txt"), "{list}: {error}");
        assert_eq!(std::fs::read(dir.path().join("notes.txt")).expect("still there"), b"mine");
    }
}

#[test]
fn a_manifest_reaches_no_other_directory() {
    let parent = tempfile::tempdir().expect("a directory");
    let (dir, outside) = (parent.path().join("out"), parent.path().join("outside"));
    std::fs::write(&outside, "mine").expect("written");
    std::fs::create_dir(&dir).expect("made");
    let manifest = serde_json::json!([{ "files": ["../outside", outside, "..", "."] }]).to_string();
    std::fs::write(dir.join("quadround.json"), manifest).expect("written");
    publish(&Real::default(), &dir, &second()).expect("written");
    assert_eq!(std::fs::read(&outside).expect("still there"), b"mine");
    assert_eq!(tree(&dir), as_tree(&second()));
}

#[test]
fn a_file_is_no_directory() {
    let parent = tempfile::tempdir().expect("a directory");
    let file = parent.path().join("file");
    std::fs::write(&file, "mine").expect("written");
    for dir in [file.clone(), file.join("below")] {
        let message = publish(&Real::default(), &dir, &first()).expect_err("refused").to_string();
        assert!(message.contains("not a directory"), "{message}");
    }
    assert_eq!(std::fs::read(&file).expect("still there"), b"mine");
}

/// A disk on which one change fails, or that one and all after it. A write that fails leaves half of its bytes.
struct Failing {
    real: Real,
    /// Changes until the failure.
    left: AtomicU32,
    forever: bool,
}

impl Failing {
    fn step(&self) -> io::Result<()> {
        // One failure: below zero it wraps, and is out of reach. Failures for ever: it stays at zero.
        let next = |left: u32| Some(if self.forever { left.saturating_sub(1) } else { left.wrapping_sub(1) });
        match self.left.fetch_update(SeqCst, SeqCst, next) {
            Ok(0) => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

impl Disk for Failing {
    fn open(&self, dir: &Path) -> io::Result<()> {
        self.step()?;
        self.real.open(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<(String, bool)>> {
        self.real.list(dir)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.real.read(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.step() {
            self.real.write(path, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.real.write(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        self.real.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.real.remove(path)
    }
}

/// Names in `now` that hold neither what either set has there, nor are the generator's own hidden files.
fn half_written(now: &Tree) -> Vec<&str> {
    let (old, new) = (as_tree(&first()), as_tree(&second()));
    let whole = |name: &String, bytes: &Vec<u8>| old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
    now.iter()
        .filter(|(name, bytes)| !name.starts_with('.') && !whole(name, bytes))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// Writes the second set over the first with a failure after `left` changes; false if there were not so many.
fn check_failure(left: u32, forever: bool) -> bool {
    let dir = tempfile::tempdir().expect("a directory");
    publish(&Real::default(), dir.path(), &first()).expect("written");
    let result = publish(&Failing { real: Real::default(), left: left.into(), forever }, dir.path(), &second());
    let now = tree(dir.path());
    if let Err(error) = &result {
        let message = error.to_string();
        assert!(
            message.contains(&dir.path().display().to_string()) && message.contains("no storage space"),
            "{message}"
        );
        assert_eq!(half_written(&now), Vec::<&str>::new(), "{left} {forever}");
        if !forever {
            assert!(now.keys().all(|name| !name.ends_with(".tmp")), "{left}: {:?}", now.keys());
            let changed = now.iter().any(|(name, bytes)| as_tree(&first()).get(name) != Some(bytes));
            let refused_early = message.contains("cannot write");
            assert!(!(changed && refused_early), "{left}: a full disk changed {:?}", now.keys());
        }
    }
    // Whatever happened, the next run finds only files of ours and finishes the work.
    publish(&Real::default(), dir.path(), &second()).unwrap_or_else(|error| panic!("after {left} {forever}: {error}"));
    assert_eq!(tree(dir.path()), as_tree(&second()));
    result.is_err()
}

#[test]
fn no_failure_leaves_half_a_file() {
    for forever in [false, true] {
        let failures = (0..).take_while(|&left| check_failure(left, forever)).count();
        // Directory, journal (2), six files (12), two stale ones, journal again.
        assert_eq!(failures, 1 + 2 + 12 + 2 + 1);
    }
}

#[test]
fn half_a_file_would_be_seen() {
    let mut now = as_tree(&second());
    now.insert("qr_c.s".into(), b"qr_c.s of".to_vec());
    assert_eq!(half_written(&now), ["qr_c.s"]);
}
