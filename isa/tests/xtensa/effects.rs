//! What instructions read, write and where they go, against cases worked out from the manual's description of each.

use isa::xtensa::{Class, Control, Direction, Inst, Op, Reg, Registers, States, decode, register_name};

const STATES: [(States, &str); 16] = [
    (States::SAR, "sar"),
    (States::LOOP, "loop"),
    (States::ACC, "acc"),
    (States::SCOMPARE, "scompare"),
    (States::WINDOW, "window"),
    (States::FLOAT_MODE, "mode"),
    (States::FLOAT_FLAGS, "flags"),
    (States::USER, "user"),
    (States::SYSTEM, "system"),
    (States::ACCX, "accx"),
    (States::QACC_L, "qacc_l"),
    (States::QACC_H, "qacc_h"),
    (States::SAR_BYTE, "sar_byte"),
    (States::UA_STATE, "ua"),
    (States::FFT_BIT_WIDTH, "width"),
    (States::GPIO, "gpio"),
];

/// A set as text: its registers by file and number, then its state.
fn names(set: &Registers) -> String {
    let files = [
        (Class::Core, u32::from(set.core)),
        (Class::Float, set.float.into()),
        (Class::Bool, set.bools.into()),
        (Class::Mac, set.mac.into()),
        (Class::Vector, set.vector.into()),
    ];
    let registers = files.into_iter().flat_map(|(class, mask)| {
        (0..16).filter(move |i| mask >> i & 1 == 1).map(move |i| register_name(class, Reg(i)))
    });
    let states = STATES.into_iter().filter(|(state, _)| set.states.meets(*state)).map(|(_, name)| name.to_owned());
    registers.chain(states).collect::<Vec<_>>().join(" ")
}

/// `reads -> writes`, then `pinned` and the control flow unless it is `Next`, then the memory access.
fn summary(inst: &Inst) -> String {
    let effects = inst.effects();
    let mut text = format!("{} -> {}", names(&effects.reads), names(&effects.writes));
    if effects.pinned {
        text.push_str("; pinned");
    }
    if effects.control != Control::Next {
        text.push_str(&format!("; {:?}", effects.control));
    }
    if let Some(memory) = effects.memory {
        let direction = if memory.direction == Direction::Loads { "loads" } else { "stores" };
        let base = memory.base.map_or_else(|| "pc".to_owned(), |base| register_name(Class::Core, base));
        text.push_str(&format!("; {direction} {} at {base}", memory.bytes));
        if memory.writes_back {
            text.push_str(", moved");
        }
    }
    text
}

/// An instruction from its registers r, s, t, w and its first immediate.
fn inst(op: Op, [r, s, t, w]: [u8; 4], imm: i64) -> Inst {
    Inst { r: Reg(r), s: Reg(s), t: Reg(t), w: Reg(w), imm, ..Inst::new(op) }
}

#[test]
fn effects_are_those_of_the_manual() {
    let cases = [
        (inst(Op::Add, [1, 2, 3, 0], 0), "a2 a3 -> a1"),
        (inst(Op::MovN, [0, 2, 3, 0], 0), "a2 -> a3"),
        (inst(Op::MoviN, [0, 2, 0, 0], 7), " -> a2"),
        (inst(Op::Moveqz, [1, 2, 3, 0], 0), "a1 a2 a3 -> a1"),
        (inst(Op::Movf, [1, 2, 3, 0], 0), "a1 a2 b3 -> a1"),
        (inst(Op::Src, [1, 2, 3, 0], 0), "a2 a3 sar -> a1"),
        (inst(Op::Sll, [1, 2, 0, 0], 0), "a2 sar -> a1"),
        (inst(Op::Ssai, [0; 4], 7), " -> sar"),
        (inst(Op::Ssl, [0, 5, 0, 0], 0), "a5 -> sar"),
        (inst(Op::Nsau, [0, 5, 6, 0], 0), "a5 -> a6"),
        (inst(Op::MulAaLl, [0, 2, 3, 0], 0), "a2 a3 -> acc"),
        (inst(Op::MulsDdHh, [1, 0, 2, 0], 0), "m1 m2 acc -> acc"),
        (inst(Op::MulaDaHlLdinc, [1, 2, 3, 0], 0), "a2 a3 m1 acc -> a2 m0 acc; loads 4 at a2, moved"),
        (inst(Op::Lddec, [0, 2, 0, 3], 0), "a2 -> a2 m3; loads 4 at a2, moved"),
        (inst(Op::L8ui, [0, 2, 3, 0], 0), "a2 -> a3; loads 1 at a2"),
        (inst(Op::S16i, [0, 2, 3, 0], 0), "a2 a3 -> ; stores 2 at a2"),
        (inst(Op::L32r, [0, 0, 3, 0], -4), " -> a3; loads 4 at pc"),
        (inst(Op::S32c1i, [0, 2, 3, 0], 0), "a2 a3 scompare -> a3; pinned; stores 4 at a2"),
        (inst(Op::L32ai, [0, 2, 3, 0], 0), "a2 -> a3; pinned; loads 4 at a2"),
        (inst(Op::S32e, [0, 2, 3, 0], -4), "a2 a3 -> ; pinned; stores 4 at a2"),
        (inst(Op::Beq, [0, 2, 3, 0], 0), "a2 a3 -> ; Branch"),
        (inst(Op::Bt, [0, 2, 0, 0], 0), "b2 -> ; Branch"),
        (inst(Op::Loopnez, [0, 2, 0, 0], 0), "a2 -> loop; Loop"),
        (inst(Op::J, [0; 4], 0), " -> ; Jump"),
        (inst(Op::Jx, [0, 9, 0, 0], 0), "a9 -> ; Indirect"),
        (inst(Op::Call0, [0; 4], 0), " -> a0; Call"),
        (inst(Op::Call8, [0; 4], 0), " -> a8 window; pinned; Call"),
        (inst(Op::Callx12, [0, 3, 0, 0], 0), "a3 -> a12 window; pinned; IndirectCall"),
        (inst(Op::Callx0, [0, 3, 0, 0], 0), "a3 -> a0; IndirectCall"),
        (inst(Op::RetN, [0; 4], 0), "a0 -> ; Return"),
        (inst(Op::Retw, [0; 4], 0), "a0 window -> window; pinned; Return"),
        (inst(Op::Entry, [0, 1, 0, 0], 32), "a1 window -> a1 window; pinned"),
        (inst(Op::Rfwu, [0; 4], 0), "window system -> window system; pinned; ExceptionReturn"),
        (inst(Op::Ill, [0; 4], 0), "system -> system; pinned; Exception"),
        (inst(Op::Nop, [0; 4], 0), " -> "),
        (inst(Op::Memw, [0; 4], 0), " -> ; pinned"),
        (inst(Op::Rsil, [0, 0, 2, 0], 3), "system -> a2 system; pinned"),
        (inst(Op::Rsr, [0, 0, 2, 0], 3), "sar -> a2"),
        (inst(Op::Wsr, [0, 0, 2, 0], 3), "a2 -> sar"),
        (inst(Op::Xsr, [0, 0, 2, 0], 17), "a2 acc -> a2 acc"),
        (inst(Op::Rsr, [0, 0, 2, 0], 33), "m1 -> a2"),
        (inst(Op::Wsr, [0, 0, 2, 0], 2), "a2 loop -> loop"),
        (inst(Op::Rsr, [0, 0, 2, 0], 234), "system -> a2; pinned"),
        (inst(Op::Wsr, [0, 0, 2, 0], 72), "a2 window -> window; pinned"),
        (inst(Op::Wsr, [0, 0, 2, 0], 230), "a2 window system -> window system; pinned"),
        (inst(Op::Rur, [2, 0, 0, 0], 231), "user -> a2"),
        (inst(Op::Wur, [0, 0, 2, 0], 232), "a2 -> mode"),
        (inst(Op::Xorb, [1, 2, 3, 0], 0), "b2 b3 -> b1"),
        (inst(Op::All4, [0, 4, 1, 0], 0), "b4 b5 b6 b7 -> b1"),
        (inst(Op::Any8, [0, 8, 1, 0], 0), "b8 b9 b10 b11 b12 b13 b14 b15 -> b1"),
        (inst(Op::Wfr, [1, 2, 0, 0], 0), "a2 -> f1"),
        (inst(Op::Rfr, [1, 2, 0, 0], 0), "f2 -> a1"),
        (inst(Op::Lsip, [0, 2, 3, 0], 4), "a2 -> a2 f3; loads 4 at a2, moved"),
        (inst(Op::Ssx, [1, 2, 3, 0], 0), "a2 a3 f1 -> ; stores 4 at a2"),
        (inst(Op::MaddS, [1, 2, 3, 0], 0), "f1 f2 f3 mode flags -> f1 flags"),
        (inst(Op::OltS, [1, 2, 3, 0], 0), "f2 f3 flags -> b1 flags"),
        (inst(Op::MovltzS, [1, 2, 3, 0], 0), "a3 f1 f2 -> f1"),
        (inst(Op::NegS, [1, 2, 0, 0], 0), "f2 -> f1"),
    ];
    for (inst, expected) in cases {
        assert_eq!(summary(&inst), expected, "{inst}");
    }
}

/// The same with registers x, y, z.
fn vector(op: Op, [r, s, t, w]: [u8; 4], [x, y, z]: [u8; 3], imm: i64) -> Inst {
    Inst { x: Reg(x), y: Reg(y), z: Reg(z), ..inst(op, [r, s, t, w], imm) }
}

#[test]
fn effects_of_vectors() {
    let plain = |op, imm| vector(op, [1, 2, 3, 4], [5, 6, 7], imm);
    let cases = [
        (plain(Op::EeVld128Ip, 16), "a2 -> a2 q4; loads 16 at a2, moved"),
        (plain(Op::EeVldH64Xp, 0), "a2 a3 q4 -> a2 q4; loads 8 at a2, moved"),
        (plain(Op::LdQr, 16), "a2 -> q4; loads 16 at a2"),
        (plain(Op::EeVldbc16, 0), "a2 -> q4; loads 2 at a2"),
        (plain(Op::EeVldhbc16Incp, 0), "a2 -> a2 q1 q4; loads 16 at a2, moved"),
        (plain(Op::EeLd128UsarXp, 0), "a2 a3 -> a2 q4 sar_byte; loads 16 at a2, moved"),
        (plain(Op::EeLdxq32, 0), "a2 q4 q5 -> q4; loads 4 at a2"),
        (plain(Op::EeStxq32, 0), "a2 q4 q5 -> ; stores 4 at a2"),
        (plain(Op::EeVstL64Ip, 8), "a2 q4 -> a2; stores 8 at a2, moved"),
        (plain(Op::EeLdf64Xp, 0), "a2 a3 -> a2 f4 f5; loads 8 at a2, moved"),
        (plain(Op::EeStf128Ip, 0), "a2 f4 f5 f6 f7 -> a2; stores 16 at a2, moved"),
        (plain(Op::EeLdqaU8128Ip, 0), "a2 -> a2 qacc_l qacc_h; loads 16 at a2, moved"),
        (plain(Op::EeLdQaccHH32Ip, 0), "a2 qacc_h -> a2 qacc_h; loads 4 at a2, moved"),
        (plain(Op::EeStQaccLL128Ip, 0), "a2 qacc_l -> a2; stores 16 at a2, moved"),
        (plain(Op::EeStAccxIp, 0), "a2 accx -> a2; stores 8 at a2, moved"),
        (plain(Op::EeLdUaStateIp, 0), "a2 -> a2 ua; loads 16 at a2, moved"),
        (plain(Op::MvQr, 0), "q5 -> q1"),
        (plain(Op::EeMovi32A, 2), "q5 -> a3"),
        (plain(Op::EeMovi32Q, 2), "a2 q1 -> q1"),
        (plain(Op::EeXorq, 0), "q5 q6 -> q1"),
        (plain(Op::EeVaddsS16LdIncp, 0), "a2 q5 q6 -> a2 q1 q4; loads 16 at a2, moved"),
        (plain(Op::EeVmulU8StIncp, 0), "a2 q4 q5 q6 sar -> a2 q1; stores 16 at a2, moved"),
        (plain(Op::EeCmulS16, 0), "q1 q5 q6 sar -> q1"),
        (plain(Op::EeVmulasS8Accx, 0), "q5 q6 accx -> accx"),
        (
            plain(Op::EeVmulasU16QaccLdXpQup, 0),
            "a2 a3 q1 q5 q6 q7 qacc_l qacc_h sar_byte -> a2 q1 q4 qacc_l qacc_h; loads 16 at a2, moved",
        ),
        (plain(Op::EeVmulasS16QaccLdbcIncp, 0), "a2 q5 q6 qacc_l qacc_h -> a2 q4 qacc_l qacc_h; loads 2 at a2, moved"),
        (plain(Op::EeSrcmbS8Qacc, 0), "a2 qacc_l qacc_h -> q1 qacc_l qacc_h"),
        (plain(Op::EeSrsAccx, 0), "a2 accx -> a3 accx"),
        (plain(Op::EeZeroQacc, 0), " -> qacc_l qacc_h"),
        (plain(Op::EeVzip8, 0), "q1 q7 -> q1 q7"),
        (plain(Op::EeSlcxxp2q, 0), "a2 a3 q1 q7 -> a2 q1 q7"),
        (plain(Op::EeSrcQ, 0), "q1 q7 sar_byte -> q4"),
        (plain(Op::EeSrcQQup, 0), "q1 q7 sar_byte -> q1 q4"),
        (plain(Op::EeSrcQLdIp, 0), "a2 q1 q7 sar_byte -> a2 q1 q4; loads 16 at a2, moved"),
        (plain(Op::EeVreluS8, 0), "a2 a3 q1 -> q1"),
        (plain(Op::EeBitrev, 0), "a2 width -> a2 q1"),
        (
            plain(Op::EeFftAmsS16LdIncpUaup, 0),
            "a2 q1 q3 q5 q6 q7 sar sar_byte ua -> a2 q1 q4 q7 ua; loads 16 at a2, moved",
        ),
        (plain(Op::EeFftAmsS16StIncp, 0), "a2 a3 q1 q4 q5 q6 q7 sar -> a2 a3 q7; stores 16 at a2, moved"),
        (plain(Op::EeSetBitGpioOut, 1), "gpio -> gpio; pinned"),
        (plain(Op::EeGetGpioIn, 0), "gpio -> a3; pinned"),
        (inst(Op::Rur, [2, 0, 0, 0], 1), "accx -> a2"),
        (inst(Op::Wur, [0, 0, 2, 0], 1), "a2 accx -> accx"),
        (inst(Op::Wur, [0, 0, 2, 0], 18), "a2 ua -> ua"),
        (inst(Op::Wur, [0, 0, 2, 0], 13), "a2 -> sar_byte"),
    ];
    for (inst, expected) in cases {
        assert_eq!(summary(&inst), expected, "{inst}");
    }
}

#[test]
fn special_registers_that_are_files() {
    let all: Vec<String> = (0..16).map(|i| format!("b{i}")).collect();
    assert_eq!(summary(&inst(Op::Rsr, [0, 0, 2, 0], 4)), format!("{} -> a2", all.join(" ")));
    assert_eq!(summary(&inst(Op::Wsr, [0, 0, 2, 0], 35)), "a2 -> m3");
}

/// Targets and literals by the manual's formulas, at an address that is not a multiple of 4.
#[test]
fn places_relative_to_pc() {
    let pc = 0x4008_0402;
    let (target, literal) = (|place| (Some(place), None), |place| (None, Some(place)));
    let cases = [
        (inst(Op::Beqz, [0, 2, 0, 0], -6), target(0x4008_0400)),
        (inst(Op::BnezN, [0, 2, 0, 0], 63), target(0x4008_0445)),
        (inst(Op::Bbsi, [0, 2, 0, 0], 127), target(0x4008_0485)),
        (inst(Op::Loop, [0, 2, 0, 0], 10), target(0x4008_0410)),
        (inst(Op::J, [0; 4], -131_072), target(0x4006_0406)),
        (inst(Op::Call8, [0; 4], 8), target(0x4008_040c)),
        (inst(Op::Call0, [0; 4], -524_288), target(0x4000_0404)),
        (inst(Op::L32r, [0, 0, 2, 0], -4), literal(0x4008_0400)),
        (inst(Op::L32r, [0, 0, 2, 0], -262_144), literal(0x4004_0404)),
        (inst(Op::Add, [1, 2, 3, 0], 0), (None, None)),
        (inst(Op::Callx8, [0, 2, 0, 0], 0), (None, None)),
    ];
    for (inst, expected) in cases {
        assert_eq!((inst.target(pc), inst.literal(pc)), expected, "{inst}");
        let place = inst.target(pc).or(inst.literal(pc));
        let distance = place.zip(inst.origin(pc)).map(|(place, origin)| i64::from(place) - i64::from(origin));
        assert_eq!(distance.unwrap_or(0), inst.imm, "{inst}: origin");
    }
}

/// What follows a function's last instruction is not reached from it.
#[test]
fn what_may_go_on() {
    let ends = [[0x1d, 0xf0, 0], [0x0d, 0xf0, 0], [0x06, 0, 0], [0xa0, 0x02, 0], [0x00, 0x30, 0], [0x10, 0x32, 0]];
    let goes_on =
        [[0x3d, 0xf0, 0], [0x16, 0x42, 0], [0x76, 0x82, 0x06], [0xe5, 0x03, 0], [0xe0, 0x03, 0], [0, 0x50, 0]];
    let may = |memory: &[u8; 3]| decode(memory).unwrap().0.control().may_go_on();
    assert!(!ends.iter().any(may) && goes_on.iter().all(may));
}
