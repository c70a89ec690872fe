//! Arguments as they are written on the command line.

use sim::{Arg, Buffer};
use std::str::FromStr;

/// The forms of an argument.
pub const HELP: &str = "\
An argument, in the order of the C declaration. May be given several times:

  42, 0x2a         a 32-bit value
  buf:00ff10       the address of a buffer with these bytes, in hex
  buf:@FILE        the address of a buffer with the content of a file
  zero:LEN         the address of a buffer of LEN zero bytes
  random:LEN:SEED  the address of a buffer of LEN bytes that depend only on SEED
  same:K           the address of the same buffer as argument K, counted from 0

A buffer's address is a multiple of 16, or what a suffix says: `@8` a multiple of 8, `@4+1` a multiple of 4 plus 1.
Nothing is mapped right before and behind it, so that an access beyond it is a fault.";

/// An argument of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec(Arg);

/// The largest buffer: more than any microcontroller's RAM.
const MAX_BYTES: usize = 16 << 20;

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Spec, String> {
        let Some((kind, rest)) = text.split_once(':') else { return Ok(Spec(Arg::U32(number(text)?))) };
        if kind == "same" {
            return Ok(Spec(Arg::Same(number(rest)? as usize)));
        }
        let (value, align, offset) = place(rest)?;
        let bytes = match kind {
            "buf" => match value.strip_prefix('@') {
                Some(path) => std::fs::read(path).map_err(|error| format!("{path}: {error}"))?,
                None => unhex(value)?,
            },
            "zero" => vec![0; length(value)?],
            "random" => {
                let (count, seed) =
                    value.split_once(':').ok_or_else(|| format!("`{value}`: expected random:LEN:SEED"))?;
                random(length(count)?, number(seed)?.into())
            }
            other => return Err(format!("`{other}:` is unknown; there are buf:, zero:, random: and same:")),
        };
        Ok(Spec(Arg::Buffer(Buffer::new(bytes).at(align, offset))))
    }
}

/// The arguments, with the contents of some of them secret.
///
/// # Errors
///
/// A message if one of those is no buffer.
pub fn resolve(specs: &[Spec], secrets: &[usize]) -> Result<Vec<Arg>, String> {
    let mut args: Vec<Arg> = specs.iter().map(|Spec(arg)| arg.clone()).collect();
    for &index in secrets {
        match args.get_mut(index) {
            Some(Arg::Buffer(buffer)) => buffer.secret = true,
            _ => return Err(format!("--secret {index}: argument {index} is no buffer")),
        }
    }
    Ok(args)
}

fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| format!("`{text}` is no 32-bit number, decimal or 0x and hex: {error}"))
}

fn length(text: &str) -> Result<usize, String> {
    let bytes = number(text)? as usize;
    if bytes > MAX_BYTES { Err(format!("{bytes} bytes are more than the limit, {MAX_BYTES}")) } else { Ok(bytes) }
}

/// Splits `VALUE@ALIGN+OFFSET`. A file name's own `@` is none of it unless such numbers follow.
fn place(text: &str) -> Result<(&str, u32, u32), String> {
    let (align, offset) = (Buffer::new([]).align, 0);
    let Some((value, suffix)) = text.rsplit_once('@') else { return Ok((text, align, offset)) };
    let (first, second) = suffix.split_once('+').unwrap_or((suffix, "0"));
    match (first.parse::<u32>(), second.parse::<u32>()) {
        (Ok(align), Ok(offset)) if !value.is_empty() => {
            if !align.is_power_of_two() {
                return Err(format!("`@{suffix}`: the alignment {align} is no power of two"));
            }
            Ok((value, align, offset))
        }
        _ if text.starts_with('@') => Ok((text, align, offset)),
        _ => Err(format!("`@{suffix}`: expected @ALIGN or @ALIGN+OFFSET")),
    }
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    if let Some(wrong) = text.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{wrong}` is no hex digit"));
    }
    if !text.len().is_multiple_of(2) {
        return Err(format!("{} hex digits are no whole bytes", text.len()));
    }
    let byte =
        |pair: &[u8]| pair.iter().fold(0, |all, digit| all << 4 | (*digit as char).to_digit(16).unwrap_or(0) as u8);
    Ok(text.as_bytes().chunks(2).map(byte).collect())
}

/// Bytes that depend only on the seed (splitmix64).
fn random(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).to_le_bytes()
    });
    words.flatten().take(length).collect()
}
