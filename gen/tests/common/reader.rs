//! What a reader who knows only the manifest finds in the other files.

use capstone::prelude::*;
use object::{Object, ObjectSection, ObjectSymbol};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Reads every function of the manifest of this directory and compares its object, its assembly file and the manifest; compiles
/// the bindings. Returns how many functions there are.
pub fn check_directory(dir: &Path) -> usize {
    let read = |name: &str| std::fs::read(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = |name: &str| String::from_utf8(read(name)).expect("UTF-8");
    let entries: Vec<Value> = serde_json::from_slice(&read("quadround.json")).expect("JSON");
    for entry in &entries {
        let symbol = entry["symbol"].as_str().expect("a symbol");
        let code = check_object(entry, &read(&format!("{symbol}.o")));
        check_listing(symbol, &code, &text(&format!("{symbol}.s")));
        assert_eq!(&serde_json::from_slice::<Value>(&read(&format!("{symbol}.json"))).expect("JSON"), entry);
    }
    compile("quadround", &text("quadround.rs"), "").unwrap_or_else(|said| panic!("{said}"));
    entries.len()
}

/// Section, symbol, type, size and alignment, as the `object` crate reads them; returns the code.
fn check_object(entry: &Value, file: &[u8]) -> Vec<u8> {
    let name = entry["symbol"].as_str().expect("a symbol");
    let object = object::File::parse(file).expect("an object file");
    assert_eq!(object.architecture(), object::Architecture::Arm);
    let symbol = object.symbol_by_name(name).expect("symbol");
    assert!(symbol.is_global() && symbol.is_definition());
    assert_eq!(symbol.kind(), object::SymbolKind::Text);
    assert_eq!((symbol.address() & 1, Some(symbol.size())), (1, entry["code_bytes"].as_u64()));
    let section = object.section_by_name(&format!(".text.{name}")).expect("section");
    assert_eq!((symbol.section_index(), section.align()), (Some(section.index()), 4));
    assert_eq!((section.size(), section.relocations().count()), (symbol.size().next_multiple_of(4), 0));
    let (code, fill) = section.data().expect("data").split_at(symbol.size() as usize);
    assert!(fill.is_empty() || fill == [0x00, 0xbf], "{name}: {fill:?} behind its end");
    let constants = object.section_by_name(&format!(".rodata.{name}"));
    let constants = constants.map_or(Vec::new(), |section| section.data().expect("data").to_vec());
    assert_eq!(entry["rodata_bytes"].as_u64(), Some(constants.len() as u64));
    let digest = Sha256::new().chain_update(code).chain_update(&constants).finalize();
    assert_eq!(entry["sha256"], digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    assert!(object.section_by_name(".note.GNU-stack").is_some_and(|section| section.size() == 0));
    assert!(object.section_by_name(".debug_frame").is_some_and(|section| section.relocations().count() == 2));
    code.to_vec()
}

/// Capstone decodes all of the code, and finds the mnemonics that the assembly file has, in order.
pub fn check_listing(symbol: &str, code: &[u8], assembly: &str) {
    let thumb = Capstone::new().arm().mode(arch::arm::ArchMode::Thumb);
    let capstone = thumb.extra_mode([arch::arm::ArchExtraMode::MClass].into_iter()).build().expect("capstone");
    let decoded = capstone.disasm_all(code, 0).expect("disassembly");
    let total: usize = decoded.iter().map(|inst| inst.bytes().len()).sum();
    assert_eq!(total, code.len(), "{symbol}: capstone stops at {total:#x}");
    let stem = |mnemonic: &str| match mnemonic.trim_end_matches(".n").trim_end_matches(".w") {
        // Two names of the same condition.
        "bhs" => "bcs".to_string(),
        "blo" => "bcc".to_string(),
        other => other.to_string(),
    };
    let expected: Vec<String> = decoded.iter().map(|inst| stem(inst.mnemonic().expect("mnemonic"))).collect();
    let printed: Vec<String> = assembly
        .lines()
        .skip_while(|line| !line.contains(".cfi_startproc"))
        .take_while(|line| !line.contains(".cfi_endproc"))
        .filter_map(|line| line.strip_prefix("        "))
        .filter(|line| !line.starts_with(['@', '.']))
        .map(|line| stem(line.split_whitespace().next().expect("a mnemonic")))
        .collect();
    assert_eq!(printed, expected, "{symbol}");
}

/// Compiles bindings as a module of a `no_std` library, every warning an error, together with code that uses them. An error
/// is what the compiler said.
pub fn compile(module: &str, code: &str, user: &str) -> Result<(), String> {
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
