//! The files of a bundle, read by programs that we did not write.

#[path = "common/reader.rs"]
mod reader;
#[path = "common/sample.rs"]
mod sample;

use generator::emit::{File, bundle};
use generator::function::{Function, Line};
use generator::target::Target;
use reader::{check_directory, compile};
use sample::sample;

fn samples() -> Vec<Function> {
    vec![sample("alpha", Target::M4f), sample("beta", Target::M4f)]
}

fn bytes<'a>(files: &'a [File], name: &str) -> &'a [u8] {
    &files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no {name}")).bytes
}

fn text<'a>(files: &'a [File], name: &str) -> &'a str {
    std::str::from_utf8(bytes(files, name)).expect("UTF-8")
}

fn written(functions: &[Function]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for file in bundle(functions).expect("a bundle") {
        std::fs::write(dir.path().join(file.name), file.bytes).expect("written");
    }
    dir
}

#[test]
fn other_readers_find_what_the_manifest_says() {
    assert_eq!(check_directory(written(&samples()).path()), 2);
}

#[test]
fn a_fault_in_the_listing_or_in_the_code_is_seen() {
    let faults: [fn(&mut Function); 3] = [
        |function| function.lines.swap(0, 4),
        |function| function.code[17] ^= 8, // str becomes ldr
        |function| function.code[12..14].copy_from_slice(&[0x80, 0xba]), // not allocated
    ];
    for fault in faults {
        let mut function = sample("alpha", Target::M4f);
        fault(&mut function);
        let dir = written(&[function]);
        assert!(std::panic::catch_unwind(|| check_directory(dir.path())).is_err());
    }
}

#[test]
fn a_listing_that_does_not_fit_its_code_is_refused() {
    let faults: [fn(&mut Function); 3] = [
        |function| function.code.truncate(22),
        |function| function.code.extend([0x00, 0xbf]),
        |function| function.lines.retain(|line| !matches!(line, Line::Inst { target: Some(_), .. })),
    ];
    for fault in faults {
        let mut function = sample("alpha", Target::M4f);
        fault(&mut function);
        let error = bundle(&[function]).expect_err("refused").to_string();
        assert!(error.contains("qr_alpha_looped_m4f") && error.contains("does not fit"), "{error}");
    }
}

#[test]
fn the_manifest_lists_every_file_in_the_agreed_order_of_fields() {
    let files = bundle(&samples()).expect("a bundle");
    assert_eq!(files.last().expect("files").name, "quadround.json");
    let manifest = text(&files, "quadround.json");
    let mut position = 0;
    for field in
        "symbol kernel target shape instructions code_bytes rodata_bytes stack_bytes cycles verified_cases files"
            .split(' ')
    {
        let found = manifest.find(&format!("\"{field}\":")).unwrap_or_else(|| panic!("no field {field}"));
        assert!(found > position, "{field} is out of order");
        position = found;
    }
    let entries: serde_json::Value = serde_json::from_str(manifest).expect("JSON");
    let mut listed: Vec<&str> = entries
        .as_array()
        .expect("an array")
        .iter()
        .flat_map(|entry| entry["files"].as_array().expect("files"))
        .map(|name| name.as_str().expect("a name"))
        .collect();
    listed.extend(["quadround.h", "quadround.rs", "quadround.json"]);
    let made: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(listed, made);
}

#[test]
fn bindings_compile_and_their_wrappers_are_safe() {
    let files = bundle(&samples()).expect("a bundle");
    for module in ["quadround", "qr_alpha_looped_m4f"] {
        let code = text(&files, &format!("{module}.rs"));
        let call = |out: &str| {
            format!(
                "/// User.\npub fn user(out: &mut [u32; {out}], text: &[u8]) -> u32 {{\n    \
                 let result: Result<(), {module}::CallError> = {module}::alpha_looped_m4f(out, text, text);\n    \
                 result.map_or({module}::QR_ALPHA_LOOPED_M4F_STACK_BYTES, |()| 0)\n}}"
            )
        };
        compile(module, code, &call("16")).unwrap_or_else(|said| panic!("{said}"));
        let said = compile(module, code, &call("15")).expect_err("an array that is too short");
        assert!(said.contains("expected an array with a size of 16"), "{said}");
    }
}

#[test]
fn a_bundle_depends_on_nothing_but_its_functions() {
    let files = bundle(&samples()).expect("a bundle");
    assert_eq!(files, bundle(&samples()).expect("a bundle"));
    for file in &files {
        let text = String::from_utf8_lossy(&file.bytes);
        for word in [env!("CARGO_MANIFEST_DIR"), "target/", "/home", "/tmp"] {
            assert!(!text.contains(word), "{} contains {word:?}", file.name);
        }
    }
}
