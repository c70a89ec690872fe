//! Build attributes (`.ARM.attributes`): what a linker compares before it joins objects.
//!
//! Source: Arm, *Addenda to, and Errata in, the ABI for the Arm Architecture* (ADDENDA32), section 3.

use crate::function::Function;
use crate::target::Target;

/// One attribute.
pub struct Attribute {
    /// As assemblers know it.
    pub name: &'static str,
    tag: u8,
    /// What is claimed.
    pub value: u8,
}

/// Introduces attributes of the whole file.
const TAG_FILE: u8 = 1;

const fn attribute(name: &'static str, tag: u8, value: u8) -> Attribute {
    Attribute { name, tag, value }
}

/// The attributes that no assembler option implies, for the object and for the assembly file alike.
pub fn explicit(function: &Function) -> Vec<Attribute> {
    // No function is called from here, so every one keeps the stack as aligned as it finds it.
    let mut attributes = vec![attribute("Tag_ABI_align_preserved", 25, 1)];
    if function.target.has_fpu() {
        // 3: no argument is passed in FP registers, hence compatible with soft-float and with hard-float callers.
        attributes.push(attribute("Tag_ABI_VFP_args", 28, 3));
    }
    attributes
}

/// The whole section.
pub fn section(function: &Function) -> Vec<u8> {
    // 10: ARM v7, 13: ARM v7E-M.
    let arch = if function.target == Target::M3 { 10 } else { 13 };
    let mut attributes = vec![
        attribute("Tag_CPU_arch", 6, arch),
        attribute("Tag_CPU_arch_profile", 7, b'M'),
        attribute("Tag_THUMB_ISA_use", 9, 2), // Thumb-2
    ];
    if function.target.has_fpu() {
        attributes.push(attribute("Tag_FP_arch", 10, 6)); // FPv4-D16
    }
    attributes.extend(explicit(function));
    if function.interface.params.iter().any(|param| param.ty.counted_by().is_some()) {
        attributes.push(attribute("Tag_CPU_unaligned_access", 34, 1)); // word accesses at any address
    }
    // Numbers below 128 are their own ULEB128; tags and values all are.
    let pairs: Vec<u8> = attributes.iter().flat_map(|attribute| [attribute.tag, attribute.value]).collect();
    let file = sized(&[TAG_FILE], &pairs);
    let mut section = b"A".to_vec();
    section.extend(sized(&[], &[b"aeabi\0".as_slice(), &file].concat()));
    section
}

/// `prefix`, a length that counts prefix, itself and contents, then the contents.
fn sized(prefix: &[u8], contents: &[u8]) -> Vec<u8> {
    let length = (prefix.len() + 4 + contents.len()) as u32;
    [prefix, &length.to_le_bytes(), contents].concat()
}
