//! Encoder and decoder against each other: every halfword, many words, and random operands of every row.

#![allow(clippy::unwrap_used)]

use isa::thumb::random::{self, Rng};
use isa::thumb::{Cond, Inst, Mode, Op, Reg, Shift, ShiftKind, Width, decode, encode, length};

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

/// What is no instruction is refused and can still be printed and asked; what is accepted decodes to itself.
#[test]
fn any_operands_at_all() {
    let mut rng = Rng::new(13);
    let (mut accepted, mut refused) = (0, 0);
    for &op in Op::ALL {
        for _ in 0..300 {
            let small = rng.below(2) == 0;
            let mut number = || if small { rng.below(16) } else { rng.bits() };
            let garbage = inst(op, [0; 4].map(|_| number() as u8), number() as i32, |i| {
                (i.imm2, i.list) = (number(), number());
                i.set_flags = number() & 1 == 1;
                i.cond = Cond::ALL[number() as usize % 15];
                i.width = [Width::Any, Width::Narrow, Width::Wide][number() as usize % 3];
                i.mode = [Mode::Offset, Mode::PreIndex, Mode::PostIndex][number() as usize % 3];
                i.shift = Shift { kind: ShiftKind::Lsr, amount: number() as u8 };
                if small {
                    *i = Inst { shift: Shift::NONE, mode: Mode::Offset, cond: Cond::Al, imm2: 0, list: 0, ..*i };
                }
            });
            // Unused register fields at their default.
            let garbage = if small { garbage.map(|_, _, _, register| register) } else { garbage };
            let (text, effects) = (garbage.to_string(), garbage.effects());
            assert!(!text.is_empty() && effects == garbage.effects());
            let Ok(encoding) = encode(&garbage, false) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let (first, second) = encoding.halfwords();
            let back = decode(first, second, 0).unwrap().0;
            assert_eq!(Inst { width: Width::Any, ..back }, Inst { width: Width::Any, ..garbage });
        }
    }
    assert!(accepted > 1000 && refused > 2000, "{accepted} accepted, {refused} refused");
}

/// An instruction from registers d, n, m, a and an immediate; the rest by `change`.
fn inst(op: Op, registers: [u8; 4], imm: i32, change: impl FnOnce(&mut Inst)) -> Inst {
    let [d, n, m, a] = registers.map(Reg);
    let mut inst = Inst { d, n, m, a, imm, ..Inst::new(op) };
    change(&mut inst);
    inst
}

#[test]
fn errors_name_the_operand() {
    let same = |_: &mut Inst| {};
    let pre = |i: &mut Inst| i.mode = Mode::PreIndex;
    let cases: [(Inst, &str); 19] = [
        (inst(Op::AddwImm, [0, 1, 0, 0], 5000, same), "AddwImm: imm 5000 (0x1388) cannot be encoded"),
        (inst(Op::MovImm, [0, 0, 0, 0], 0x1_2345, same), "MovImm: imm 74565"),
        (inst(Op::LdrImm, [0, 1, 0, 0], 4096, same), "LdrImm: imm 4096"),
        (inst(Op::LdrImm, [1, 1, 0, 0], 4, pre), "LdrImm: with write-back the base must not be transferred"),
        (inst(Op::LdrImm, [0, 13, 0, 0], 4, |i| i.mode = Mode::PostIndex), "LdrImm: this is a push or pop"),
        (inst(Op::LdrdImm, [2, 1, 0, 2], 8, same), "LdrdImm: registers that must differ are the same"),
        (inst(Op::LdrdImm, [2, 1, 0, 3], 6, same), "LdrdImm: imm 6"),
        (inst(Op::Push, [0; 4], 0, |i| i.list = 1 << 13 | 1), "Push: register list 8193"),
        (
            inst(Op::Ldm, [0, 8, 0, 0], 0, |i| (i.list, i.mode) = (0x101, Mode::PreIndex)),
            "Ldm: with write-back the base",
        ),
        (inst(Op::Umull, [3, 0, 1, 3], 0, same), "Umull: registers that must differ"),
        (inst(Op::AndReg, [0, 1, 2, 0], 0, |i| i.cond = Cond::Eq), "AndReg: cond (only in an IT block"),
        (inst(Op::AddReg, [13, 1, 2, 0], 0, same), "AddReg: sp can only be computed from sp"),
        (inst(Op::AddReg, [8, 9, 10, 0], 0, |i| i.width = Width::Narrow), "AddReg: register n 9"),
        (inst(Op::Umaal, [0, 1, 2, 3], 0, |i| i.width = Width::Narrow), "Umaal: there is no Narrow encoding"),
        (inst(Op::VldmS, [0, 1, 0, 0], 0, |i| i.list = 0b101), "VldmS: register list 5"),
        (inst(Op::B, [0; 4], 3, same), "B: imm 3"),
        (inst(Op::Bl, [0; 4], 1 << 24, same), "Bl: imm 16777216"),
        (inst(Op::Bfi, [0, 1, 0, 0], 20, |i| i.imm2 = 13), "Bfi: imm2 13"),
        (
            inst(Op::LslImm, [0, 0, 1, 0], 0, |i| i.shift = Shift { kind: ShiftKind::Lsr, amount: 3 }),
            "LslImm: shift kind 1",
        ),
    ];
    for (inst, expected) in cases {
        let error = encode(&inst, false).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}, expected {expected}");
    }
    let cbz = encode(&inst(Op::Cbz, [0; 4], 4, same), true).unwrap_err().to_string();
    assert_eq!(cbz, "Cbz: not allowed inside an IT block");
}

#[test]
fn undecodable_bits_say_why() {
    let cases = [
        ((0xffff, 0xffff), 0, "0xffffffff is no instruction"),
        ((0xe8bd, 0x8000), 0, "0xe8bd8000 is an unpredictable Pop: too few registers in the list"),
        ((0xfb83, 0x0001), 0, "0xfb830001 is an unpredictable Smull: registers that must differ are the same"),
        ((0x4770, 0), 0x04, "0x4770 is an unpredictable Bx: a jump inside an IT block must be its last instruction"),
    ];
    for ((first, second), it, expected) in cases {
        assert_eq!(decode(first, second, it).unwrap_err().to_string(), expected);
    }
}

#[test]
fn text_with_labels_and_virtual_registers() {
    let branch = inst(Op::B, [0; 4], 8, |i| i.cond = Cond::Ne);
    assert_eq!((branch.to_string(), branch.text(Some(".Lloop"))), ("bne . + 12".to_owned(), "bne .Lloop".to_owned()));
    let literal = inst(Op::LdrLit, [3, 0, 0, 0], 16, |i| i.width = Width::Wide);
    assert_eq!(literal.text(Some("table")), "ldr.w r3, table");
    assert_eq!(literal.text(None), "ldr.w r3, [pc, #16]");
    let shifted = inst(Op::EorReg, [1, 2, 3, 9], 0, |i| i.shift = Shift::ror(7));
    let virtuals = shifted.map(|_, _, _, register| u32::from(register.0) + 100);
    assert_eq!(virtuals.print("", None, |_, v| format!("v{v}")), "eor v101, v102, v103, ror #7");
    assert_eq!(virtuals.a, 0, "a field that the row does not use is not visited");
}
