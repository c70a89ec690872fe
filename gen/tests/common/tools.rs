//! Programs that users have, run on the files of a bundle.

use generator::emit::{File, bundle};
use generator::function::Function;
use object::{Object, ObjectSection};
use std::path::Path;
use std::process::Command;

/// Runs a tool in `dir`; fails with its output if it fails, and with its name if it is missing.
pub fn run(dir: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(dir).output();
    let output =
        output.unwrap_or_else(|error| panic!("{program} cannot be run ({error}); `cargo xtask setup` installs it"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {}:\n{text}", args.join(" "));
    text
}

/// A bundle in a directory.
pub fn written(functions: &[Function]) -> (tempfile::TempDir, Vec<File>) {
    let dir = tempfile::tempdir().expect("a directory");
    let files = bundle(functions).expect("a bundle");
    for file in &files {
        std::fs::write(dir.path().join(&file.name), &file.bytes).expect("written");
    }
    (dir, files)
}

/// A directory with the files of `encoded` and, as `theirs.o`, what a program makes of the `.s` of `listed`, which has the same symbol.
pub fn assembled(listed: &Function, encoded: &Function, program: &str, args: &[&str]) -> tempfile::TempDir {
    let (dir, _) = written(std::slice::from_ref(encoded));
    let (sources, _) = written(std::slice::from_ref(listed));
    let source = sources.path().join(format!("{}.s", listed.symbol)).display().to_string();
    run(dir.path(), program, &[args, &[source.as_str(), "-o", "theirs.o"]].concat());
    dir
}

/// The bytes of a section of an object file; none if it is not there.
pub fn section(dir: &Path, file: &str, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(dir.join(file)).expect("an object");
    let object = object::File::parse(&*bytes).expect("an object");
    object.section_by_name(name).map_or(Vec::new(), |section| section.data().expect("data").to_vec())
}
