//! Encoder and decoder against each other: every halfword, many words, and random operands of every row.

use isa::thumb::random::{self, Rng};
use isa::thumb::{Op, decode, encode, length};

/// Outside a block, the last of one instruction, and the first of several with condition NE.
const IT_STATES: [u8; 3] = [0, 0x08, 0x1c];

/// If the halfwords decode, the instruction encodes to the same bits.
fn check_bits(first: u16, second: u16, it: u8) -> Result<bool, String> {
    let Ok((inst, len)) = decode(first, second, it) else { return Ok(false) };
    let again =
        encode(&inst, it & 15 != 0).map_err(|e| format!("{first:04x} {second:04x} it {it:#x}: {inst:?}: {e}"))?;
    let wanted = if len == 4 { (first, second) } else { (first, 0) };
    if again.len == len && again.halfwords() == wanted {
        return Ok(true);
    }
    Err(format!("{first:04x} {second:04x} it {it:#x}: {inst:?} ({inst}) encodes to {:08x}", again.bits))
}

fn collect(results: impl Iterator<Item = Result<bool, String>>) -> usize {
    let (mut good, mut bad) = (0, Vec::new());
    for result in results {
        match result {
            Ok(decoded) => good += usize::from(decoded),
            Err(text) => bad.push(text),
        }
    }
    assert!(bad.is_empty(), "{} failures, for example:\n{}", bad.len(), bad[..bad.len().min(20)].join("\n"));
    good
}

#[test]
fn every_halfword() {
    for it in IT_STATES {
        let good = collect((0..=u16::MAX).filter(|&h| length(h) == 2).map(|h| check_bits(h, 0, it)));
        assert!(good > 50_000, "only {good} halfwords decode");
    }
}

#[test]
fn random_words() {
    let mut rng = Rng::new(1);
    let words = (0..1_000_000).map(|_| (0xe800 | rng.below(0x1800) as u16, rng.bits() as u16));
    let good = collect(words.map(|(first, second)| check_bits(first, second, IT_STATES[(first % 3) as usize])));
    assert!(good > 100_000, "only {good} words decode");
}

#[test]
fn every_row_round_trips() {
    let mut rng = Rng::new(2);
    let mut bad = Vec::new();
    for &op in Op::ALL {
        let mut seen = 0;
        for it in IT_STATES {
            for inst in (0..200).map_while(|_| random::inst(op, &mut rng, it)) {
                seen += 1;
                let back = encode(&inst, it != 0).map(|e| {
                    let (first, second) = e.halfwords();
                    decode(first, second, it)
                });
                if !matches!(back, Ok(Ok((again, _))) if again == inst) {
                    bad.push(format!("{inst:?} ({inst}): {back:?}"));
                }
            }
        }
        assert!(seen >= 200, "{op:?}: only {seen} legal instructions found");
    }
    assert!(bad.is_empty(), "{} failures, for example:\n{}", bad.len(), bad[..bad.len().min(20)].join("\n"));
}
