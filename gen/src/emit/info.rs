//! The note `.xtensa.info`: what GNU ld compares before it joins objects for Xtensa. It warns of another calling convention.

use crate::target::Abi;

/// Who defines what the note says, with the zero at its end.
const NAME: &[u8; 12] = b"Xtensa_Info\0";

/// The type of the note.
const TYPE: u32 = 1;

/// The whole section.
pub fn section(abi: Abi) -> Vec<u8> {
    let number = if abi == Abi::Call0 { 1 } else { 0 };
    let mut text = format!("USE_ABSOLUTE_LITERALS=0\nABI={number}\n").into_bytes();
    // At least one zero, up to a whole number of words.
    text.resize((text.len() + 1).next_multiple_of(4), 0);
    let words = [NAME.len() as u32, text.len() as u32, TYPE];
    let head: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    [&head, NAME.as_slice(), &text].concat()
}
