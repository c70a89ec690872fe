//! The files of a bundle, read by programs that we did not write.

mod common;

use capstone::prelude::*;
use common::sample;
use generator::emit::{File, bundle};
use generator::function::{Function, Line};
use generator::target::Target;
use object::{Object, ObjectSection, ObjectSymbol};

fn samples() -> Vec<Function> {
    vec![sample("alpha", Target::M4f), sample("beta", Target::M4f)]
}

fn bytes<'a>(files: &'a [File], name: &str) -> &'a [u8] {
    &files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no {name}")).bytes
}

fn text<'a>(files: &'a [File], name: &str) -> &'a str {
    std::str::from_utf8(bytes(files, name)).expect("UTF-8")
}

/// Section, symbol, type, size, alignment of one object, as the `object` crate reads them.
fn check_object(function: &Function, file: &[u8]) {
    let object = object::File::parse(file).expect("an object file");
    assert_eq!(object.architecture(), object::Architecture::Arm);
    let symbol = object.symbol_by_name(&function.symbol).expect("symbol");
    assert!(symbol.is_global() && symbol.is_definition());
    assert_eq!(symbol.kind(), object::SymbolKind::Text);
    assert_eq!((symbol.address() & 1, symbol.size()), (1, function.code.len() as u64));
    let section = object.section_by_name(&format!(".text.{}", function.symbol)).expect("section");
    assert_eq!(symbol.section_index(), Some(section.index()));
    assert_eq!((section.data().expect("data"), section.align()), (function.code.as_slice(), 4));
    assert_eq!(section.relocations().count(), 0);
    let constants = object.section_by_name(&format!(".rodata.{}", function.symbol));
    assert_eq!(constants.map_or(Vec::new(), |s| s.data().expect("data").to_vec()), function.rodata);
    assert!(object.section_by_name(".note.GNU-stack").is_some_and(|section| section.size() == 0));
}

/// Capstone finds as many instructions as the listing has, with the same mnemonics in the assembly file.
fn check_listing(function: &Function, assembly: &str) {
    let thumb = Capstone::new().arm().mode(arch::arm::ArchMode::Thumb);
    let capstone = thumb.extra_mode([arch::arm::ArchExtraMode::MClass].into_iter()).build().expect("capstone");
    let decoded = capstone.disasm_all(&function.code, 0).expect("disassembly");
    let total: usize = decoded.iter().map(|inst| inst.bytes().len()).sum();
    assert_eq!(total, function.code.len(), "{}: capstone stops at {total:#x}", function.symbol);
    let stem = |mnemonic: &str| mnemonic.trim_end_matches(".n").trim_end_matches(".w").to_string();
    let expected: Vec<String> = decoded.iter().map(|inst| stem(inst.mnemonic().expect("mnemonic"))).collect();
    let printed: Vec<String> = assembly
        .lines()
        .skip_while(|line| !line.contains(".cfi_startproc"))
        .take_while(|line| !line.contains(".cfi_endproc"))
        .filter_map(|line| line.strip_prefix("        "))
        .filter(|line| !line.starts_with(['@', '.']))
        .map(|line| stem(line.split_whitespace().next().expect("a mnemonic")))
        .collect();
    assert_eq!(printed, expected, "{}", function.symbol);
}

#[test]
fn objects_and_listings_agree_with_other_readers() {
    let functions = samples();
    let files = bundle(&functions).expect("a bundle");
    for function in &functions {
        check_object(function, bytes(&files, &format!("{}.o", function.symbol)));
        check_listing(function, text(&files, &format!("{}.s", function.symbol)));
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

/// The bindings as modules of a `no_std` library, every warning an error, and calls that must or must not compile.
fn check_bindings(module: &str, code: &str, user: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join(format!("{module}.rs")), code).expect("written");
    let root = format!(
        "//! Root.\n#![no_std]\n#![deny(warnings, missing_docs)]\n#[allow(missing_docs)]\npub mod {module};\n{user}\n"
    );
    std::fs::write(dir.path().join("root.rs"), root).expect("written");
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".to_string());
    let args = ["--edition=2024", "--crate-type=lib", "--emit=metadata", "root.rs"];
    let output = std::process::Command::new(rustc).args(args).current_dir(dir.path()).output().expect("rustc");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[test]
fn bindings_compile_and_their_wrappers_are_safe() {
    let files = bundle(&samples()).expect("a bundle");
    for module in ["quadround", "qr_alpha_looped_m4f"] {
        let code = text(&files, &format!("{module}.rs"));
        let call = |out: &str| {
            format!(
                "/// User.\npub fn user(out: &mut [u32; {out}], text: &[u8]) -> u32 {{\n    \
                 let result: Result<u32, {module}::LengthError> = {module}::alpha_looped_m4f(out, text, text);\n    \
                 result.unwrap_or({module}::QR_ALPHA_LOOPED_M4F_STACK_BYTES)\n}}"
            )
        };
        check_bindings(module, code, &call("16")).unwrap_or_else(|said| panic!("{said}"));
        let said = check_bindings(module, code, &call("15")).expect_err("an array that is too short");
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
