//! Call-frame information, so that debuggers and profilers can unwind through a generated function.

use crate::emit::EmitError;
use crate::emit::assembly::placed;
use crate::function::{Function, Line};
use crate::target::Isa;
use gimli::write::{
    Address, CallFrameInstruction, CommonInformationEntry, DebugFrame, EndianVec, FrameDescriptionEntry, FrameTable,
    RelocateWriter, Relocation,
};
use gimli::{Encoding, Format, LittleEndian, Register};

/// Bytes per unit of a saved register's offset: the stack grows down in words.
const DATA_UNIT: i8 = -4;

/// The contents of `.debug_frame`, with the places in it that the linker fills.
pub struct Frame {
    /// Bytes of the section.
    pub bytes: Vec<u8>,
    /// References to the code and to the section itself.
    pub relocations: Vec<Relocation>,
}

/// The DWARF number of Xtensa's special register 0, as GCC and GDB have it.
const SPECIAL: u16 = 0x200;

/// What an instruction set's call-frame information is written in.
struct Units {
    /// Bytes per unit of code advance.
    code: u8,
    /// The stack pointer.
    sp: Register,
    /// The register that holds the return address.
    returned: Register,
}

/// Thumb instructions are halfwords; Xtensa's have two or three bytes.
fn units(isa: Isa) -> Units {
    match isa {
        Isa::Thumb => Units { code: 2, sp: Register(13), returned: Register(14) },
        Isa::Xtensa => Units { code: 1, sp: Register(1), returned: Register(0) },
    }
}

/// The DWARF number of a single-precision register: Arm, *DWARF for the Arm Architecture* (AADWARF32), 4.1; for Xtensa what
/// GCC and GDB use.
pub fn floating(isa: Isa, number: u8) -> u8 {
    match isa {
        Isa::Thumb => 64 + number,
        Isa::Xtensa => 48 + number,
    }
}

/// One CIE and the function's FDE. The code's address refers to gimli symbol 0, the beginning of
/// the section.
pub fn frame(function: &Function) -> Result<Frame, EmitError> {
    // CIE version 1 is what GNU as writes into .debug_frame; every debugger reads it.
    let encoding = Encoding { format: Format::Dwarf32, version: 1, address_size: 4 };
    let isa = function.target.isa();
    let units = units(isa);
    let mut cie = CommonInformationEntry::new(encoding, units.code, DATA_UNIT, units.returned);
    cie.add_instruction(CallFrameInstruction::Cfa(units.sp, 0));
    let entry = Address::Symbol { symbol: 0, addend: 4 * function.literals.len() as i64 };
    let mut fde = FrameDescriptionEntry::new(entry, function.code.len() as u32);
    for (offset, line) in placed(function)? {
        let instruction = match *line {
            Line::CfaOffset(bytes) => CallFrameInstruction::CfaOffset(bytes as i32),
            Line::SavedAt { reg, below_cfa } => CallFrameInstruction::Offset(Register(reg.into()), -(below_cfa as i32)),
            Line::SavedInFp { reg, s } => {
                CallFrameInstruction::Register(Register(reg.into()), Register(floating(isa, s).into()))
            }
            Line::SavedInSpecial { reg, number } => {
                CallFrameInstruction::Register(Register(reg.into()), Register(SPECIAL + u16::from(number)))
            }
            Line::Restored(reg) => CallFrameInstruction::Restore(Register(reg.into())),
            Line::Label(_) | Line::Comment(_) | Line::Inst { .. } => continue,
        };
        fde.add_instruction(offset, instruction);
    }
    let mut table = FrameTable::default();
    let cie = table.add_cie(cie);
    table.add_fde(cie, fde);
    let mut section = DebugFrame(Section { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() });
    table.write_debug_frame(&mut section).map_err(|error| EmitError::object(&function.symbol, error))?;
    Ok(Frame { bytes: section.0.bytes.into_vec(), relocations: section.0.relocations })
}

struct Section {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Section {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}
