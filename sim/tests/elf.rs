//! Functions out of objects, archives and executables, and what is refused.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst};
use object::elf::{self, RelocationType};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};
use sim::cycles::{Core, Profile};
use sim::{Arg, LoadError, Machine, Program, Report};

/// An object file under construction.
struct File(Object<'static>);

impl File {
    fn new() -> File {
        File(Object::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little))
    }

    fn symbol(&mut self, name: &str, kind: SymbolKind, section: SymbolSection, value: u64, size: u64) -> SymbolId {
        let (scope, flags) = (SymbolScope::Linkage, SymbolFlags::None);
        self.0.add_symbol(Symbol { name: name.into(), value, size, kind, scope, weak: false, section, flags })
    }

    /// A function in a section of its own. Like a compiler's, its symbol has bit 0 set.
    fn function(&mut self, name: &str, code: &[Inst]) -> SectionId {
        let section = self.0.add_section(vec![], format!(".text.{name}").into(), SectionKind::Text);
        let bytes = assemble(code);
        self.0.append_section_data(section, &bytes, 4);
        self.symbol(name, SymbolKind::Text, SymbolSection::Section(section), 1, bytes.len() as u64);
        section
    }

    fn data(&mut self, name: &str, kind: SectionKind, bytes: &[u8]) -> SymbolId {
        let section = self.0.add_section(vec![], format!(".{kind:?}.{name}").to_lowercase().into(), kind);
        self.0.append_section_data(section, bytes, 4);
        self.symbol(name, SymbolKind::Data, SymbolSection::Section(section), 0, bytes.len() as u64)
    }

    fn undefined(&mut self, name: &str) -> SymbolId {
        self.symbol(name, SymbolKind::Unknown, SymbolSection::Undefined, 0, 0)
    }

    fn relocate(&mut self, section: SectionId, offset: u64, r_type: RelocationType, symbol: SymbolId) {
        // The addend stands in the field: a branch to itself counts its offset from 4 bytes behind it.
        let relocation = Relocation { offset, symbol, addend: 0, flags: RelocationFlags::Elf { r_type } };
        self.0.add_relocation(section, relocation).unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.write().unwrap()
    }
}

fn call(data: &[u8], symbol: &str, args: &[Arg]) -> Report {
    let program = Program::from_elf(data, symbol).unwrap();
    let report = Machine::new(program, Core::M4, Profile::Ideal).unwrap().call(args).unwrap();
    assert_eq!(report.violations, []);
    report
}

/// `outer(x)` = `double(x) + offset`, where `double` is called and `offset` lies in .rodata, by MOVW and MOVT.
fn caller() -> File {
    let mut file = File::new();
    let code = [
        push(1 << 4 | 1 << 14),
        wide(Inst { imm: -4, ..Inst::new(Bl) }),
        imm(Movw, 1, 0, 0),
        imm(Movt, 1, 0, 0),
        wide(imm(LdrImm, 1, 1, 0)),
        wide(reg(AddReg, 0, 0, 1)),
        pop(1 << 4 | 1 << 15),
    ];
    let text = file.function("outer", &code);
    let double = file.undefined("double");
    let offset = file.data("offset", SectionKind::ReadOnlyData, &1000u32.to_le_bytes());
    file.relocate(text, 2, elf::R_ARM_THM_PC22, double);
    file.relocate(text, 6, elf::R_ARM_THM_MOVW_ABS_NC, offset);
    file.relocate(text, 10, elf::R_ARM_THM_MOVT_ABS, offset);
    file
}

fn callee() -> File {
    let mut file = File::new();
    file.function("double", &[wide(reg(AddReg, 0, 0, 0)), bx_lr()]);
    file.function("unused", &[wide(branch(Cond::Al, -4))]);
    file
}

/// An archive as `ar` makes one, of members with short names.
fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (index, member) in members.iter().enumerate() {
        let header =
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("m{index}.o/"), 0, 0, 0, 644, member.len());
        bytes.extend(header.as_bytes());
        bytes.extend(member);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

#[test]
fn calls_across_members() {
    let both = archive(&[caller().bytes(), callee().bytes()]);
    assert_eq!(call(&both, "outer", &[7.into()]).returns, 1014);
    assert_eq!(call(&both, "double", &[7.into()]).returns, 14);
}

#[test]
fn missing_member() {
    let error = Program::from_elf(&caller().bytes(), "outer").unwrap_err();
    assert_eq!(error, LoadError::Undefined { symbol: "double".into(), section: ".text.outer".into(), offset: 2 });
}

/// Every branch relocation, from a function whose only work is that branch.
#[test]
fn branches() {
    let rows: [(RelocationType, Inst); 3] = [
        (elf::R_ARM_THM_JUMP24, wide(branch(Cond::Al, -4))),
        (elf::R_ARM_THM_JUMP19, wide(branch(Cond::Eq, -4))),
        (elf::R_ARM_THM_PC11, branch(Cond::Al, -4)),
    ];
    for (kind, jump) in rows {
        let mut file = File::new();
        let set = imm(CmpImm, 0, 0, 7);
        let text = file.function("start", &[wide(set), jump]);
        file.function("double", &[wide(reg(AddReg, 0, 0, 0)), bx_lr()]);
        let double = file.0.symbol_id(b"double").unwrap();
        file.relocate(text, 4, kind, double);
        assert_eq!(call(&file.bytes(), "start", &[7.into()]).returns, 14, "type {}", kind.0);
    }
}

/// Pointers in data: absolute, relative to their place, and to a function.
#[test]
fn pointers_in_data() {
    let kinds = [elf::R_ARM_ABS32, elf::R_ARM_TARGET1, elf::R_ARM_REL32, elf::R_ARM_PREL31];
    for kind in kinds {
        let mut file = File::new();
        let value = file.data("value", SectionKind::Data, &77u32.to_le_bytes());
        let relative = kind == elf::R_ARM_REL32 || kind == elf::R_ARM_PREL31;
        // r1 = address of the word behind the code, which holds the pointer; r0 = what it points to.
        let code = [
            wide(imm(Adr, 1, 0, 12)),
            wide(imm(LdrImm, 0, 1, 0)),
            wide(if relative { reg(AddReg, 0, 0, 1) } else { Inst::new(Nop) }),
            imm(LdrImm, 0, 0, 0),
            bx_lr(),
        ];
        let text = file.function("get", &code);
        file.0.append_section_data(text, &[0; 4], 4);
        file.relocate(text, 16, kind, value);
        assert_eq!(call(&file.bytes(), "get", &[]).returns, 77, "type {}", kind.0);
    }
}

/// Data is as loaded at each call, and zeroed data is zero.
#[test]
fn data_and_bss() {
    let mut file = File::new();
    let count = file.data("count", SectionKind::Data, &[5, 0, 0, 0]);
    let bss = file.0.add_section(vec![], b".bss".to_vec(), SectionKind::UninitializedData);
    file.0.append_section_bss(bss, 64, 4);
    let zeroed = file.symbol("zeroed", SymbolKind::Data, SymbolSection::Section(bss), 0, 64);
    let code = [
        imm(Movw, 1, 0, 0),
        imm(Movt, 1, 0, 0),
        imm(Movw, 2, 0, 0),
        imm(Movt, 2, 0, 0),
        wide(imm(LdrImm, 0, 1, 0)),
        wide(imm(LdrImm, 3, 2, 60)),
        wide(reg(AddReg, 0, 0, 3)),
        wide(imm(AddImm, 0, 0, 1)),
        wide(imm(StrImm, 0, 1, 0)),
        wide(imm(StrImm, 0, 2, 60)),
        bx_lr(),
    ];
    let text = file.function("count_up", &code);
    for (offset, symbol) in [(0, count), (8, zeroed)] {
        file.relocate(text, offset, elf::R_ARM_THM_MOVW_ABS_NC, symbol);
        file.relocate(text, offset + 4, elf::R_ARM_THM_MOVT_ABS, symbol);
    }
    let program = Program::from_elf(&file.bytes(), "count_up").unwrap();
    let mut machine = Machine::new(program, Core::M3, Profile::Ideal).unwrap();
    for _ in 0..3 {
        assert_eq!(machine.call(&[]).unwrap().returns, 6);
    }
}

/// The error's text has all of these words.
fn refuses(data: &[u8], symbol: &str, words: &[&str]) {
    let error = Program::from_elf(data, symbol).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn bad_files() {
    let good = callee().bytes();
    refuses(b"", "double", &["does not begin like"]);
    refuses(&good[..5], "double", &["cut off"]);
    // Wherever it is cut, it is refused or what is asked for is still whole; it never panics.
    let mut refused = 0;
    for length in (0..good.len()).step_by(7) {
        refused += usize::from(Program::from_elf(&good[..length], "double").is_err());
    }
    assert!(refused > good.len() / 7 / 2);
    refuses(&good, "duoble", &["no function named `duoble`", "did you mean `double`"]);
    refuses(&good, "something_else", &["no function named `something_else`"]);
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    refuses(&with(4, 2), "double", &["64-bit", "expected 32-bit little-endian Arm"]);
    refuses(&with(5, 2), "double", &["big-endian"]);
    refuses(&with(18, 0xf3), "double", &["Riscv32", "expected 32-bit little-endian Arm"]);
    let mut archived = archive(std::slice::from_ref(&good));
    archived.truncate(archived.len() - 40);
    refuses(&archived, "double", &["not a readable"]);
}

#[test]
fn bad_relocations() {
    let with = |kind: RelocationType, code: &[Inst]| {
        let mut file = File::new();
        let text = file.function("start", code);
        let far = file.data("far", SectionKind::Data, &[0; 4]);
        file.relocate(text, 0, kind, far);
        file.bytes()
    };
    let nops = [wide(Inst::new(Nop)), bx_lr()];
    refuses(&with(elf::R_ARM_GOT_PREL, &nops), "start", &["R_ARM_GOT_PREL", ".text.start+0x0", "not supported"]);
    let jump = [wide(branch(Cond::Al, -4))];
    refuses(&with(elf::R_ARM_THM_JUMP24, &jump), "start", &["R_ARM_THM_JUMP24", ".text.start+0x0", "out of range"]);
}
