//! The files of a bundle, read by programs that we did not write.

#[path = "common/reader.rs"]
mod reader;
#[path = "common/sample.rs"]
mod sample;

use generator::emit::{File, Placement, archive, bundle};
use generator::function::{Function, Line};
use generator::target::{Abi, Target};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use reader::{check_directory, compile};
use sample::sample;

fn samples() -> Vec<Function> {
    vec![
        sample("alpha", Target::M4f, Abi::Aapcs),
        sample("beta", Target::M4f, Abi::Aapcs),
        sample("gamma", Target::Esp32, Abi::Windowed),
        sample("gamma", Target::Esp32s3, Abi::Call0),
    ]
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
    assert_eq!(check_directory(written(&samples()).path()), 4);
}

#[test]
fn a_fault_in_the_listing_or_in_the_code_is_seen() {
    type Fault = (Target, Abi, fn(&mut Function));
    let faults: [Fault; 6] = [
        (Target::M4f, Abi::Aapcs, |function| function.lines.swap(0, 4)),
        (Target::M4f, Abi::Aapcs, |function| function.lines[7] = Line::Label("elsewhere".into())),
        (Target::M4f, Abi::Aapcs, |function| function.code[17] ^= 8), // str becomes ldr
        (Target::M4f, Abi::Aapcs, |function| function.code[12..14].copy_from_slice(&[0x80, 0xba])), // not allocated
        (Target::Esp32, Abi::Windowed, |function| function.lines.swap(8, 9)),
        (Target::Esp32, Abi::Windowed, |function| function.code[24] = 0x80), // src becomes add
    ];
    for (target, abi, fault) in faults {
        let mut function = sample("alpha", target, abi);
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
        let mut function = sample("alpha", Target::M4f, Abi::Aapcs);
        fault(&mut function);
        let error = bundle(&[function]).expect_err("refused").to_string();
        assert!(error.contains("qr_alpha_looped_m4f") && error.contains("does not fit"), "{error}");
    }
    let mut function = sample("alpha", Target::Esp32, Abi::Windowed);
    function.code.truncate(41);
    let error = bundle(&[function]).expect_err("refused").to_string();
    assert!(error.contains("qr_alpha_looped_esp32") && error.contains("does not fit"), "{error}");
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
    listed.extend(["quadround.h", "quadround.rs", "libquadround.a", "quadround.json"]);
    let made: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(listed, made);
}

/// Members with their date, owner and bytes, and the symbols of the index with their member.
type Contents = (Vec<(String, [u64; 3], Vec<u8>)>, Vec<(String, String)>);

fn contents(library: &[u8]) -> Contents {
    let file = ArchiveFile::parse(library).expect("an archive");
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).expect("UTF-8");
    let members = file.members().map(|member| member.expect("a member"));
    let members = members.map(|member| {
        let owner = [member.date(), member.uid(), member.gid()].map(|field| field.expect("GNU archives have it"));
        (text(member.name()), owner, member.data(library).expect("bytes").to_vec())
    });
    let symbols = file.symbols().expect("an index").expect("an index").map(|symbol| {
        let symbol = symbol.expect("a symbol");
        let member = file.member(symbol.offset()).expect("a member");
        (text(symbol.name()), text(member.name()))
    });
    (members.collect(), symbols.collect())
}

#[test]
fn the_library_holds_the_objects_and_an_index() {
    let files = bundle(&samples()).expect("a bundle");
    let symbols = samples().into_iter().map(|function| function.symbol);
    let index: Vec<_> = symbols.map(|symbol| (symbol.clone(), format!("{symbol}.o"))).collect();
    let members = index.iter().map(|(_, name)| (name.clone(), [0; 3], bytes(&files, name).to_vec()));
    assert_eq!(contents(bytes(&files, "libquadround.a")), (members.collect(), index));
}

#[test]
fn a_function_for_ram_is_copied_there_with_the_variables() {
    let placement = |f: &Function| if f.kernel == "alpha" { Placement::Flash } else { Placement::Ram };
    let library = archive(&samples(), placement).expect("an archive");
    let sections = contents(&library).0.into_iter().map(|(_, _, bytes)| {
        let file = object::File::parse(bytes.as_slice()).expect("an object file");
        let code = file.sections().find(|section| section.size() > 0).expect("code");
        let object::SectionFlags::Elf { sh_flags, .. } = code.flags() else { panic!("no ELF") };
        (code.name().expect("a name").to_string(), sh_flags.0)
    });
    // SHF_WRITE is 1, SHF_ALLOC 2, SHF_EXECINSTR 4.
    let expected = [
        (".text.qr_alpha_looped_m4f", 6),
        (".data.qr_beta_looped_m4f", 7),
        (".iram1.qr_gamma_looped_esp32", 6),
        (".iram1.qr_gamma_looped_esp32s3_call0", 6),
    ];
    assert_eq!(sections.collect::<Vec<_>>(), expected.map(|(name, flags)| (name.to_string(), flags)));
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
    // There is no compiler for Xtensa here; what is said to be for it is the same language.
    let condition = "#[cfg(target_arch = \"xtensa\")]\n";
    let module = "qr_gamma_looped_esp32s3_call0";
    let code = text(&files, &format!("{module}.rs"));
    let call = format!(
        "/// User.\npub fn user(out: &mut [u32; 16], text: &[u8]) -> bool {{\n    \
         // SAFETY: it is for a compiler that calls like this.\n    \
         unsafe {{ {module}::gamma_looped_esp32s3_call0(out, text, text).is_ok() }}\n}}"
    );
    assert_eq!(code.matches(condition).count(), 2);
    compile(module, &code.replace(condition, ""), &call).unwrap_or_else(|said| panic!("{said}"));
    compile(module, code, &call).expect_err("nothing is declared for other cores");
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
