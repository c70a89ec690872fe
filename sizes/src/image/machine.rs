//! Whose instructions a file holds.

use object::Architecture;
use object::elf::SHT_ARM_ATTRIBUTES;
use object::read::elf::{AttributeReader, SectionHeader};

/// The machine of an ELF file, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// 32-bit ARM.
    Arm {
        /// `Tag_CPU_arch` of the build attributes (10 v7, 13 v7E-M, …), where there are any.
        architecture: Option<u64>,
        /// True for the profile without ARM instructions (`Tag_CPU_arch_profile` M).
        m_profile: bool,
        /// True if instructions are stored with the low byte first.
        little_endian_code: bool,
    },
    /// Xtensa, low byte first.
    Xtensa,
    /// A machine with a name, whose instructions are not read here.
    Other(Architecture),
    /// No machine that is known by name: its number (`e_machine`).
    Unknown(u16),
}

/// Longest first, since the shorter ones end the longer ones. Assemblers put prefixes (66, cs) before the longest.
const X86_FILL: &[&[u8]] = &[
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x00],
    &[0x66, 0x90],
    &[0x90],
    &[0xcc],
    &[0x66],
    &[0x2e],
    &[0x00],
];

/// `EF_ARM_BE8` (AAELF32, 5.2): data with the high byte first, code with the low byte first.
const EF_ARM_BE8: u32 = 0x0080_0000;
/// Tags of the ARM build attributes (ABI addenda, 3.3.5).
const TAG_CPU_ARCH: u64 = 6;
const TAG_CPU_ARCH_PROFILE: u64 = 7;

impl Machine {
    /// Byte patterns that assemblers and linkers put between functions to align them, longest first. A single zero byte
    /// may be half an ARM instruction.
    pub fn fill(self) -> &'static [&'static [u8]] {
        match self {
            // `nop.w`, ARM `nop`, ARM `mov r0, r0`, Thumb `nop`, Thumb `mov r8, r8`.
            Machine::Arm { .. } => &[
                &[0xaf, 0xf3, 0x00, 0x80],
                &[0x00, 0xf0, 0x20, 0xe3],
                &[0x00, 0x00, 0xa0, 0xe1],
                &[0x00, 0xbf],
                &[0xc0, 0x46],
                &[0x00, 0x00],
            ],
            // `nop`, `nop.n`.
            Machine::Xtensa => &[&[0xf0, 0x20, 0x00], &[0x3d, 0xf0], &[0x00]],
            // `int3`, and the no-operations of one to nine bytes (Intel SDM, NOP).
            Machine::Other(Architecture::I386 | Architecture::X86_64 | Architecture::X86_64_X32) => X86_FILL,
            Machine::Other(Architecture::Aarch64) => &[&[0x1f, 0x20, 0x03, 0xd5], &[0x00, 0x00, 0x00, 0x00]],
            // `nop`, `c.nop`.
            Machine::Other(Architecture::Riscv32 | Architecture::Riscv64) => {
                &[&[0x13, 0x00, 0x00, 0x00], &[0x01, 0x00], &[0x00, 0x00]]
            }
            _ => &[&[0x00]],
        }
    }

    /// True for machines whose files have mapping symbols.
    pub fn has_mapping_symbols(self) -> bool {
        matches!(
            self,
            Machine::Arm { .. } | Machine::Other(Architecture::Aarch64 | Architecture::Riscv32 | Architecture::Riscv64)
        )
    }
}

/// Reads the machine from a file's header and, on ARM, from its build attributes.
pub(super) fn of(file: &object::File<'_>, e_machine: u16, e_flags: u32, data: &[u8]) -> Machine {
    use object::read::Object;
    match file.architecture() {
        Architecture::Arm => {
            let (architecture, profile) = attributes(file, data);
            Machine::Arm {
                architecture,
                m_profile: profile == Some(u64::from(b'M')),
                little_endian_code: file.is_little_endian() || e_flags & EF_ARM_BE8 != 0,
            }
        }
        Architecture::Xtensa if file.is_little_endian() => Machine::Xtensa,
        Architecture::Unknown => Machine::Unknown(e_machine),
        other => Machine::Other(other),
    }
}

/// `Tag_CPU_arch` and `Tag_CPU_arch_profile` of the file. What is damaged counts as not there: no byte depends on it.
fn attributes(file: &object::File<'_>, data: &[u8]) -> (Option<u64>, Option<u64>) {
    let mut found = (None, None);
    let object::File::Elf32(file) = file else { return found };
    for section in file.elf_section_table().iter() {
        if section.sh_type(file.endian()) != SHT_ARM_ATTRIBUTES {
            continue;
        }
        let Ok(attributes) = section.attributes(file.endian(), data) else { continue };
        let Ok(mut subsections) = attributes.subsections() else { continue };
        while let Ok(Some(subsection)) = subsections.next() {
            if subsection.vendor() != b"aeabi" {
                continue;
            }
            let mut parts = subsection.subsubsections();
            while let Ok(Some(part)) = parts.next() {
                read_tags(part.attributes(), &mut found);
            }
        }
    }
    found
}

fn read_tags(mut attributes: AttributeReader<'_>, found: &mut (Option<u64>, Option<u64>)) {
    while let Ok(Some(tag)) = attributes.read_tag() {
        // Names and compatibility notes are strings (4, 5, and odd tags above 32; 32 is a number and a string).
        let text = matches!(tag, 4 | 5 | 67) || (tag > 32 && tag % 2 == 1);
        if tag == 32 && attributes.read_integer().is_err() {
            return;
        }
        if text || tag == 32 {
            if attributes.read_string().is_err() {
                return;
            }
            continue;
        }
        let Ok(value) = attributes.read_integer() else { return };
        match tag {
            TAG_CPU_ARCH => found.0 = Some(value),
            TAG_CPU_ARCH_PROFILE => found.1 = Some(value),
            _ => {}
        }
    }
}
