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
        check_listing(entry, &code, &text(&format!("{symbol}.s")));
        assert_eq!(&serde_json::from_slice::<Value>(&read(&format!("{symbol}.json"))).expect("JSON"), entry);
    }
    compile("quadround", &text("quadround.rs"), "").unwrap_or_else(|said| panic!("{said}"));
    entries.len()
}

/// True if an entry of the manifest is for Xtensa.
fn is_xtensa(entry: &Value) -> bool {
    entry["target"].as_str().is_some_and(|target| target.starts_with("esp"))
}

/// Section, symbol, type, size and alignment, as the `object` crate reads them; returns the code from the entry on.
fn check_object(entry: &Value, file: &[u8]) -> Vec<u8> {
    let name = entry["symbol"].as_str().expect("a symbol");
    let object = object::File::parse(file).expect("an object file");
    let symbol = object.symbol_by_name(name).expect("symbol");
    assert!(symbol.is_global() && symbol.is_definition());
    assert_eq!(symbol.kind(), object::SymbolKind::Text);
    let section = object.section_by_name(&format!(".text.{name}")).expect("section");
    assert_eq!((symbol.section_index(), section.align()), (Some(section.index()), 4));
    assert_eq!(section.relocations().count(), 0);
    let data = section.data().expect("data");
    let (code, fill) = if is_xtensa(entry) {
        assert_eq!(object.architecture(), object::Architecture::Xtensa);
        assert_eq!((symbol.address() % 4, symbol.address() + symbol.size()), (0, data.len() as u64));
        (data, [].as_slice())
    } else {
        assert_eq!(object.architecture(), object::Architecture::Arm);
        // Constants may stand before the function; behind it there is at most what fills a word.
        let end = (symbol.address() & !1) + symbol.size();
        assert_eq!((symbol.address() & 3, section.size()), (1, end.next_multiple_of(4)));
        data.split_at(end as usize)
    };
    assert!(fill.is_empty() || fill == [0x00, 0xbf], "{name}: {fill:?} behind its end");
    let constants = object.section_by_name(&format!(".rodata.{name}"));
    let constants = constants.map_or(Vec::new(), |section| section.data().expect("data").to_vec());
    let lengths = [&entry["code_bytes"], &entry["rodata_bytes"]].map(|length| length.as_u64());
    assert_eq!(lengths, [code, &constants].map(|bytes| Some(bytes.len() as u64)));
    let digest = Sha256::new().chain_update(code).chain_update(&constants).finalize();
    assert_eq!(entry["sha256"], digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    check_notes(entry, &object);
    code[(symbol.address() & !1) as usize..].to_vec()
}

/// The sections that are for linkers and debuggers.
fn check_notes(entry: &Value, object: &object::File<'_>) {
    // Nothing of arm-none-eabi-gcc has one, so that GNU ld would warn of all that is linked with ours.
    let stack = object.section_by_name(".note.GNU-stack").map(|section| section.size());
    assert_eq!(stack, is_xtensa(entry).then_some(0), "{}", entry["symbol"]);
    let relocations = object.section_by_name(".debug_frame").map(|section| section.relocations().count());
    assert_eq!(relocations, (entry["abi"] != "windowed").then_some(2), "{}", entry["symbol"]);
    if is_xtensa(entry) {
        let note = object.section_by_name(".xtensa.info").expect("a note").data().expect("data");
        let abi = if entry["abi"] == "call0" { "ABI=1\n" } else { "ABI=0\n" };
        assert!(String::from_utf8_lossy(note).contains(abi), "{}", entry["symbol"]);
    }
}

/// The mnemonics that the assembly file has are those of the code, in order.
pub fn check_listing(entry: &Value, code: &[u8], assembly: &str) {
    let symbol = entry["symbol"].as_str().expect("a symbol");
    assert_eq!(undefined(assembly), Vec::<&str>::new(), "{symbol}: labels that are nowhere");
    // Two conditions have two names each.
    let stem = |mnemonic: &str| {
        let stem = mnemonic.trim_end_matches(".n").trim_end_matches(".w");
        let other = |suffix, name: &str| stem.strip_suffix(suffix).map(|rest| format!("{rest}{name}"));
        other("hs", "cs").or(other("lo", "cc")).unwrap_or(stem.to_string())
    };
    let printed = assembly
        .lines()
        .skip_while(|line| *line != format!("{symbol}:"))
        .take_while(|line| !line.trim_start().starts_with(".size"))
        .filter_map(|line| line.strip_prefix("        "))
        .filter(|line| !line.starts_with(['@', '#', '.']))
        .map(|line| line.split_whitespace().next().expect("a mnemonic"));
    if is_xtensa(entry) {
        assert_eq!(printed.collect::<Vec<_>>(), xtensa_mnemonics(code), "{symbol}");
    } else {
        let expected: Vec<String> = thumb_mnemonics(symbol, code).iter().map(|mnemonic| stem(mnemonic)).collect();
        assert_eq!(printed.map(stem).collect::<Vec<_>>(), expected, "{symbol}");
    }
}

/// Local labels that are named in an assembly file but not defined there.
pub fn undefined(assembly: &str) -> Vec<&str> {
    let defined = |label: &str| assembly.lines().any(|line| line.strip_suffix(':') == Some(label));
    let named = assembly.split_whitespace().map(|word| word.trim_end_matches([':', ',']));
    named.filter(|word| word.starts_with(".L") && !defined(word)).collect()
}

/// Capstone decodes all of the code.
fn thumb_mnemonics(symbol: &str, code: &[u8]) -> Vec<String> {
    let thumb = Capstone::new().arm().mode(arch::arm::ArchMode::Thumb);
    let capstone = thumb.extra_mode([arch::arm::ArchExtraMode::MClass].into_iter()).build().expect("capstone");
    let decoded = capstone.disasm_all(code, 0).expect("disassembly");
    let total: usize = decoded.iter().map(|inst| inst.bytes().len()).sum();
    assert_eq!(total, code.len(), "{symbol}: capstone stops at {total:#x}");
    let name = |inst: &capstone::Insn<'_>| match inst.mnemonic().expect("mnemonic") {
        // ADR of something before it.
        "subw" if inst.op_str().is_some_and(|operands| operands.contains(", pc,")) => "adr".to_string(),
        mnemonic => mnemonic.to_string(),
    };
    decoded.iter().map(name).collect()
}

/// Capstone does not know Xtensa, so this is the table's word; what assemblers say is in the tests that need them.
fn xtensa_mnemonics(mut code: &[u8]) -> Vec<&'static str> {
    let mut all = Vec::new();
    while !code.is_empty() {
        let (inst, length) = isa::xtensa::decode(code).expect("an instruction");
        all.push(inst.op.row().mnemonic);
        code = &code[length as usize..];
    }
    all
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
