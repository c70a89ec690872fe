//! Build attributes (`.ARM.attributes`): what a linker compares before it joins objects.
//!
//! Source: Arm, *Addenda to, and Errata in, the ABI for the Arm Architecture* (ADDENDA32), section 3.

use crate::function::{Function, ParamType};
use crate::target::Target;

/// Tag numbers.
mod tag {
    pub const FILE: u8 = 1;
    pub const CPU_ARCH: u8 = 6;
    pub const CPU_ARCH_PROFILE: u8 = 7;
    pub const THUMB_ISA_USE: u8 = 9;
    pub const FP_ARCH: u8 = 10;
    pub const ABI_ALIGN_PRESERVED: u8 = 25;
    pub const ABI_VFP_ARGS: u8 = 28;
    pub const CPU_UNALIGNED_ACCESS: u8 = 34;
}

/// The attributes that no assembler option implies, for the object and for the assembly file alike.
pub fn explicit(function: &Function) -> Vec<(u8, u8)> {
    // No function is called from here, so every one keeps the stack as aligned as it finds it.
    let mut attributes = vec![(tag::ABI_ALIGN_PRESERVED, 1)];
    if function.target.has_fpu() {
        // 3: no argument is passed in FP registers, hence compatible with soft-float and with hard-float callers.
        attributes.push((tag::ABI_VFP_ARGS, 3));
    }
    attributes
}

/// The whole section.
pub fn section(function: &Function) -> Vec<u8> {
    let arch = match function.target {
        Target::M3 => 10,               // ARM v7
        Target::M4 | Target::M4f => 13, // ARM v7E-M
    };
    let mut attributes = vec![(tag::CPU_ARCH, arch), (tag::CPU_ARCH_PROFILE, b'M'), (tag::THUMB_ISA_USE, 2)];
    if function.target.has_fpu() {
        attributes.push((tag::FP_ARCH, 6)); // FPv4-D16
    }
    attributes.extend(explicit(function));
    if function.interface.params.iter().any(|param| matches!(param.ty, ParamType::Bytes { .. })) {
        attributes.push((tag::CPU_UNALIGNED_ACCESS, 1)); // word accesses at any address
    }
    // Numbers below 128 are their own ULEB128; tags and values all are.
    let pairs: Vec<u8> = attributes.iter().flat_map(|&(tag, value)| [tag, value]).collect();
    let file = sized(&[tag::FILE], &pairs);
    let mut section = b"A".to_vec();
    section.extend(sized(&[], &[b"aeabi\0".as_slice(), &file].concat()));
    section
}

/// `prefix`, a length that counts prefix, itself and contents, then the contents.
fn sized(prefix: &[u8], contents: &[u8]) -> Vec<u8> {
    let length = (prefix.len() + 4 + contents.len()) as u32;
    [prefix, &length.to_le_bytes(), contents].concat()
}
