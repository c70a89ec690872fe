//! Functions out of objects, archives and executables.

use super::assemble::assemble;
use object::elf::{self, RelocationType};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};
use sim::xtensa::{Abi, Core, Machine};
use sim::{Arg, Family, LoadError, Program, Report};
use std::process::Command;

/// An object file under construction.
struct File(Object<'static>);

impl File {
    fn new() -> File {
        File(Object::new(BinaryFormat::Elf, Architecture::Xtensa, Endianness::Little))
    }

    fn symbol(&mut self, name: &str, kind: SymbolKind, section: SymbolSection) -> SymbolId {
        let (scope, flags) = (SymbolScope::Linkage, SymbolFlags::None);
        self.0.add_symbol(Symbol { name: name.into(), value: 0, size: 0, kind, scope, weak: false, section, flags })
    }

    fn section(&mut self, name: &str, kind: SectionKind, bytes: &[u8]) -> SectionId {
        let section = self.0.add_section(vec![], name.into(), kind);
        self.0.append_section_data(section, bytes, 4);
        section
    }

    fn function(&mut self, name: &str, source: &str) -> SectionId {
        let section = self.section(&format!(".text.{name}"), SectionKind::Text, &assemble(source, 0).bytes);
        self.symbol(name, SymbolKind::Text, SymbolSection::Section(section));
        section
    }

    fn relocate(&mut self, section: SectionId, offset: u64, r_type: RelocationType, symbol: SymbolId, addend: i64) {
        let relocation = Relocation { offset, symbol, addend, flags: RelocationFlags::Elf { r_type } };
        self.0.add_relocation(section, relocation).unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.write().unwrap()
    }
}

/// `outer(x)` = `double(x) + offset`, where `double` is called and the address of `offset` is a literal.
fn caller() -> File {
    let mut file = File::new();
    let source = "entry a1, 32; l32r a3, -4; l32i a3, a3, 4; mov.n a10, a2; call8 0; add.n a2, a10, a3; retw.n";
    let text = file.function("outer", source);
    let literals = file.section(".literal.outer", SectionKind::Text, &[0; 8]);
    let literal = file.symbol("literals", SymbolKind::Data, SymbolSection::Section(literals));
    let constants = file.section(".rodata.offset", SectionKind::ReadOnlyData, &[9, 0, 0, 0, 100, 0, 0, 0]);
    let offset = file.symbol("offset", SymbolKind::Data, SymbolSection::Section(constants));
    let double = file.symbol("double", SymbolKind::Unknown, SymbolSection::Undefined);
    file.relocate(text, 3, elf::R_XTENSA_SLOT0_OP, literal, 4);
    file.relocate(text, 11, elf::R_XTENSA_ASM_EXPAND, double, 0);
    file.relocate(text, 11, elf::R_XTENSA_SLOT0_OP, double, 0);
    file.relocate(literals, 4, elf::R_XTENSA_32, offset, 0);
    file
}

fn double() -> File {
    let mut file = File::new();
    file.function("double", "entry a1, 32; add.n a2, a2, a2; retw.n");
    file
}

/// An object with one function.
pub fn object(name: &str, source: &str) -> Vec<u8> {
    let mut file = File::new();
    file.function(name, source);
    file.bytes()
}

fn call(data: &[u8], symbol: &str, args: &[Arg]) -> Report {
    let program = Program::from_elf(data, symbol).unwrap();
    let report = Machine::new(program, Core::Lx7, Abi::Windowed).unwrap().call(args).unwrap();
    assert_eq!(report.violations, []);
    report
}

/// An archive of these members.
fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (index, member) in members.iter().enumerate() {
        bytes.extend(
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("m{index}.o/"), 0, 0, 0, 644, member.len()).bytes(),
        );
        bytes.extend(member);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

#[test]
fn objects_and_archives() {
    let double = double().bytes();
    assert_eq!(Program::family(&double), Ok(Family::Xtensa));
    assert_eq!(call(&double, "double", &[21.into()]).returns, 42);
    let both = archive(&[caller().bytes(), double.clone()]);
    assert_eq!(Program::family(&both), Ok(Family::Xtensa));
    assert_eq!(call(&both, "outer", &[21.into()]).returns, 142);
    let program = Program::from_elf(&both, "outer").unwrap();
    let text = program.segments.iter().find(|segment| segment.name == ".text").unwrap();
    assert_eq!(program.locate(text.base + 3), Some(("outer", 3)));
}

#[test]
fn what_is_refused() {
    let missing = Program::from_elf(&caller().bytes(), "outer").unwrap_err();
    assert!(matches!(&missing, LoadError::Undefined { symbol, .. } if symbol == "double"), "{missing}");
    let mut unknown = double();
    let text = unknown.0.section_id(object::write::StandardSection::Text);
    let symbol = unknown.symbol("f", SymbolKind::Text, SymbolSection::Section(text));
    unknown.0.append_section_data(text, &[0; 8], 4);
    unknown.relocate(text, 0, elf::R_XTENSA_TLS_CALL, symbol, 0);
    let error = Program::from_elf(&unknown.bytes(), "f").unwrap_err().to_string();
    assert!(error.contains("relocation type 56 at .text+0x0 is not supported"), "{error}");
    // A literal behind the code, where L32R does not reach.
    let mut far = File::new();
    let text = far.function("f", "entry a1, 32; l32r a2, -4; retw.n");
    let itself = far.symbol("end", SymbolKind::Data, SymbolSection::Section(text));
    far.relocate(text, 3, elf::R_XTENSA_SLOT0_OP, itself, 8);
    let error = Program::from_elf(&far.bytes(), "f").unwrap_err().to_string();
    assert!(error.contains("relocation R_XTENSA_SLOT0_OP at .text.f+0x3 is out of range"), "{error}");
    let thumb = Object::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little).write().unwrap();
    let error = Program::from_elf(&archive(&[double().bytes(), thumb]), "double").unwrap_err().to_string();
    assert!(error.contains("an archive for two machines"), "{error}");
    let error = Program::from_firmware(&double().bytes()).unwrap_err().to_string();
    assert!(error.contains("not an executable"), "{error}");
}

/// What LLVM's assembler makes of literals, calls, branches and data.
#[test]
#[ignore = "needs llvm-mc-22"]
fn files_of_an_assembler() {
    let source = "
        .section .rodata.offset, \"a\", @progbits
        .long 9
        offset: .long 100
        .section .text.double, \"ax\", @progbits
        .align 4
        .type double, @function
        double: entry a1, 32
        beqz a2, end
        add.n a2, a2, a2
        end: retw.n
        .section .text.outer, \"ax\", @progbits
        .align 4
        .literal_position
        .literal place, offset
        .globl outer
        .type outer, @function
        .align 4
        outer: entry a1, 32
        l32r a3, place
        l32i a3, a3, 0
        mov.n a10, a2
        call8 double
        add.n a2, a10, a3
        retw.n";
    let folder = tempfile::tempdir().unwrap();
    let (text, object) = (folder.path().join("f.s"), folder.path().join("f.o"));
    std::fs::write(&text, source).unwrap();
    let mut assembler = Command::new("llvm-mc-22");
    assembler.args(["--triple=xtensa", "--mcpu=esp32", "--filetype=obj", "-o"]).arg(&object).arg(&text);
    assert!(assembler.status().expect("llvm-mc-22 is needed").success());
    assert_eq!(call(&std::fs::read(object).unwrap(), "outer", &[21.into()]).returns, 142);
}
