//! Encoder and decoder against each other: every 16-bit word, many longer ones, and random operands of every row.

use super::{bytes, expect_none};
use isa::xtensa::random::{self, Rng};
use isa::xtensa::{DecodeError, Field, Inst, Op, Reg, decode, encode, length};

/// If the word decodes, the instruction encodes to the same bytes.
fn check_word(word: u32) -> Result<bool, String> {
    let memory = word.to_le_bytes();
    let Ok((inst, len)) = decode(&memory) else { return Ok(false) };
    let again = encode(&inst).map_err(|e| format!("{word:06x}: {inst:?}: {e}"))?;
    if again.len == len && len == length(memory[0]) && again.bytes().eq(memory[..len as usize].iter().copied()) {
        return Ok(true);
    }
    Err(format!("{word:06x}: {inst:?} ({inst}) encodes to {:06x}", again.bits))
}

/// Checks all words; how many decode.
fn check_words(words: impl Iterator<Item = u32>) -> usize {
    let (good, bad): (Vec<_>, Vec<_>) = words.map(check_word).partition(Result::is_ok);
    expect_none(&bad.into_iter().filter_map(Result::err).collect::<Vec<_>>());
    good.into_iter().filter(|result| matches!(result, Ok(true))).count()
}

#[test]
fn every_narrow_word() {
    let good = check_words((0..=0xffff).filter(|&word| length(word as u8) == 2));
    // Six of the sixteen lowest nibbles; of 13 only `mov.n` and six instructions without a destination.
    assert_eq!(good, 5 * 4096 + 256 + 4 + 16);
}

#[test]
fn random_words() {
    let mut rng = Rng::new(1);
    let good = check_words((0..1_000_000).map(|_| rng.bits()));
    assert!(good > 200_000, "only {good} words decode");
}

#[test]
fn every_row_round_trips() {
    let mut rng = Rng::new(2);
    let mut bad = Vec::new();
    for &op in Op::ALL {
        for _ in 0..300 {
            let inst = random::inst(op, &mut rng).unwrap();
            let back = encode(&inst).map(|encoding| decode(&encoding.array()));
            if !matches!(back, Ok(Ok((again, _))) if again == inst) {
                bad.push(format!("{inst:?} ({inst}): {back:?}"));
            }
        }
    }
    expect_none(&bad);
}

/// What is no instruction is refused and can still be printed and asked; what is accepted decodes to itself.
#[test]
fn any_operands_at_all() {
    let mut rng = Rng::new(13);
    let (mut accepted, mut refused) = (0, 0);
    for &op in Op::ALL {
        for _ in 0..300 {
            let small = rng.below(2) == 0;
            let mut number = || match small {
                true => i64::from(rng.below(16)),
                false => i64::from(rng.bits()) << 32 | i64::from(rng.bits()),
            };
            let [r, s, t, w, x, y, z] = [0; Field::COUNT].map(|_: i32| Reg(number() as u8));
            let (imm, imm2, imm3) = (number(), number(), number() as u8);
            let garbage = Inst { op, r, s, t, w, x, y, z, imm, imm2, imm3 };
            // Unused register fields at their default.
            let garbage = if small { garbage.map(|_, _, _, register| register) } else { garbage };
            let imm2 = if op.row().pattern.contains('k') { garbage.imm2 } else { 0 };
            let imm = if op.row().pattern.contains('i') { garbage.imm } else { 0 };
            let imm3 = if op.row().pattern.contains('c') { garbage.imm3 } else { 0 };
            let garbage = if small { Inst { imm, imm2, imm3, ..garbage } } else { garbage };
            let (text, effects) = (garbage.to_string(), garbage.effects());
            assert!(!text.is_empty() && effects == garbage.effects());
            let _ = (garbage.target(0x4000_0001), garbage.literal(u32::MAX), garbage.origin(0));
            let Ok(encoding) = encode(&garbage) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            assert_eq!(decode(&encoding.array()), Ok((garbage, encoding.len)));
        }
    }
    assert!(accepted > 10_000 && refused > 10_000, "{accepted} accepted, {refused} refused");
}

/// An instruction from registers r, s, t and the immediates.
fn inst(op: Op, [r, s, t]: [u8; 3], imm: i64, imm2: i64) -> Inst {
    Inst { r: Reg(r), s: Reg(s), t: Reg(t), imm, imm2, ..Inst::new(op) }
}

#[test]
fn errors_name_the_operand() {
    let cases = [
        (inst(Op::Add, [16, 0, 0], 0, 0), "Add: register r 16 (0x10) cannot be encoded"),
        (inst(Op::Add, [0, 0, 0], 1, 0), "Add: imm 1 (0x1) cannot be encoded"),
        (inst(Op::Addi, [0, 0, 0], 128, 0), "Addi: imm 128"),
        (inst(Op::Addi, [0, 0, 0], -129, 0), "Addi: imm -129"),
        (inst(Op::AddiN, [0, 0, 0], 0, 0), "AddiN: imm 0"),
        (inst(Op::Addmi, [0, 0, 0], 255, 0), "Addmi: imm 255"),
        (inst(Op::MoviN, [0, 0, 0], 96, 0), "MoviN: imm 96"),
        (inst(Op::Slli, [0, 0, 0], 0, 0), "Slli: imm 0"),
        (inst(Op::Slli, [0, 0, 0], 32, 0), "Slli: imm 32"),
        (inst(Op::Srli, [0, 0, 0], 16, 0), "Srli: imm 16"),
        (inst(Op::Extui, [0, 0, 0], 0, 17), "Extui: imm2 17"),
        (inst(Op::Extui, [0, 0, 0], 20, 13), "Extui: the bit field is not within the word"),
        (inst(Op::L32i, [0, 0, 0], 1024, 0), "L32i: imm 1024"),
        (inst(Op::L32i, [0, 0, 0], 6, 0), "L32i: imm 6"),
        (inst(Op::L32r, [0, 0, 0], 0, 0), "L32r: imm 0"),
        (inst(Op::L32r, [0, 0, 0], -262_148, 0), "L32r: imm -262148"),
        (inst(Op::Beqz, [0, 0, 0], 2048, 0), "Beqz: imm 2048"),
        (inst(Op::Beqi, [0, 0, 0], 0, 9), "Beqi: imm2 9"),
        (inst(Op::Bltui, [0, 0, 0], 0, 1), "Bltui: imm2 1"),
        (inst(Op::Call8, [0, 0, 0], 524_288, 0), "Call8: imm 524288"),
        (inst(Op::Loop, [0, 0, 0], 256, 0), "Loop: imm 256"),
        (inst(Op::MulAdLl, [0, 0, 1], 0, 0), "MulAdLl: register t 1"),
        (inst(Op::Entry, [0, 4, 0], 32, 0), "Entry: only a0..a3 are allowed here"),
        (inst(Op::All4, [0, 6, 0], 0, 0), "All4: a group of booleans begins at a multiple of its size"),
        (inst(Op::Rsr, [0, 0, 0], 227, 0), "Rsr: no special register that can be accessed like this"),
        (inst(Op::Wur, [0, 0, 0], 19, 0), "Wur: no such user register"),
        (inst(Op::MvQr, [8, 0, 0], 0, 0), "MvQr: register r 8"),
        (inst(Op::EeVld128Ip, [0, 0, 0], 2048, 0), "EeVld128Ip: imm 2048"),
        (inst(Op::EeVld128Ip, [0, 0, 0], 8, 0), "EeVld128Ip: imm 8"),
        (inst(Op::EeVldbc16Ip, [0, 0, 0], -2, 0), "EeVldbc16Ip: imm -2"),
        (inst(Op::EeVmulasS8AccxLdIp, [0, 0, 0], 512, 0), "EeVmulasS8AccxLdIp: imm 512"),
        (inst(Op::EeLdxq32, [0, 0, 0], 0, 8), "EeLdxq32: imm2 8"),
        (inst(Op::EeVzip8, [0, 0, 0], 0, 0), "EeVzip8: two results in one register"),
        (Inst { z: Reg(9), ..inst(Op::EeSrcQ, [0, 0, 0], 0, 0) }, "EeSrcQ: register z 9"),
        (Inst { imm3: 4, ..inst(Op::EeFftCmulS16StXp, [0, 0, 0], 0, 0) }, "EeFftCmulS16StXp: imm3 4"),
    ];
    for (inst, expected) in cases {
        let error = encode(&inst).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}, expected {expected}");
    }
}

#[test]
fn undecodable_bytes_say_why() {
    let cases: [(&[u8], &str); 8] = [
        (&[0x1f, 0, 0, 0], "0x00001f is a EeVmulasS16AccxLdIpQup that is not defined: two results in one register"),
        (&[], "an instruction of 1 bytes is cut off after 0"),
        (&[0x3d], "an instruction of 2 bytes is cut off after 1"),
        (&[0x36, 0x41], "an instruction of 3 bytes is cut off after 2"),
        (&[0x0e, 0, 0], "an instruction of 4 bytes is cut off after 3"),
        (&[0xf0, 0xff, 0xff], "0xfffff0 is no instruction"),
        (&[0x36, 0x44, 0x00], "0x004436 is a Entry that is not defined: only a0..a3 are allowed here"),
        (&[0x00, 0x00, 0x01], "0x010000 is a Slli that is not defined: reserved bits"),
    ];
    for (memory, expected) in cases {
        assert_eq!(decode(memory).unwrap_err().to_string(), expected);
    }
    assert_eq!(decode(&[0x3d, 0xf0]).unwrap().0, Inst::new(Op::NopN));
    assert!(matches!(decode(&[0xff; 4]), Err(DecodeError::Undefined { bits: u32::MAX })));
}

#[test]
fn text_with_labels_and_virtual_registers() {
    let branch = inst(Op::Bbci, [0, 3, 0], 8, 31);
    assert_eq!(branch.to_string(), "bbci a3, 31, . + 12");
    assert_eq!(branch.text(Some(".Lloop")), "bbci a3, 31, .Lloop");
    assert_eq!(inst(Op::L32r, [0, 0, 2], -8, 0).to_string(), "l32r a2, . - 8");
    let virtuals = inst(Op::Add, [1, 2, 3], 0, 0).map(|_, _, _, register| u32::from(register.0) + 100);
    assert_eq!(virtuals.print(None, |_, v| format!("v{v}")), "add v101, v102, v103");
    let unused = inst(Op::Slli, [1, 2, 3], 4, 0).map(|_, _, _, register| u32::from(register.0) + 100);
    assert_eq!(unused.t, 0, "a field that the row does not use is not visited");
    assert_eq!(bytes(&Inst::new(Op::RetwN)), [0x1d, 0xf0]);
}
