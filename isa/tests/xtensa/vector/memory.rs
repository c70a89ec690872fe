//! Loads and stores, alone and together with arithmetic.

use super::{check_all, inst, wrong};
use isa::xtensa::{Inst, Op, Reg};

fn plain(op: Op) -> Inst {
    inst(op, 0, 0)
}

/// The 16 bytes from 0x110 on.
const AT_110: &str = "0x1f1e1d1c1b1a19181716151413121110";

#[test]
fn loads_align_addresses_and_move_bases() {
    let loaded = |rest: &str| format!("q4={AT_110} {rest}");
    check_all(&[
        (inst(Op::EeVld128Ip, -16, 0), "a2=0x11d", &loaded("a2=0x10d")),
        (plain(Op::EeVld128Xp), "a2=0x110 a3=-5", &loaded("a2=0x10b")),
        (Inst { t: Reg(2), ..plain(Op::EeVld128Xp) }, "a2=0x110", &loaded("a2=0x220")),
        (inst(Op::LdQr, -16, 0), "a2=0x121", &loaded("")),
        (inst(Op::EeVldL64Ip, 8, 0), "a2=0x10d q4.w=1,2,3,4", "q4.w=0x0b0a0908,0x0f0e0d0c,3,4 a2=0x115"),
        (plain(Op::EeVldL64Xp), "a2=0x108 a3=1 q4.w=1,2,3,4", "q4.w=0x0b0a0908,0x0f0e0d0c,3,4 a2=0x109"),
        (inst(Op::EeVldH64Ip, 8, 0), "a2=0x10d q4.w=1,2,3,4", "q4.w=1,2,0x0b0a0908,0x0f0e0d0c a2=0x115"),
        (plain(Op::EeVldH64Xp), "a2=0x108 a3=1 q4.w=1,2,3,4", "q4.w=1,2,0x0b0a0908,0x0f0e0d0c a2=0x109"),
        (plain(Op::EeVldbc8), "a2=0x105", "q4.b=5"),
        (inst(Op::EeVldbc8Ip, 3, 0), "a2=0x105", "q4.b=5 a2=0x108"),
        (plain(Op::EeVldbc8Xp), "a2=0x105 a3=1", "q4.b=5 a2=0x106"),
        (plain(Op::EeVldbc16), "a2=0x105", "q4.h=0x0504"),
        (inst(Op::EeVldbc16Ip, 2, 0), "a2=0x105", "q4.h=0x0504 a2=0x107"),
        (plain(Op::EeVldbc16Xp), "a2=0x105 a3=1", "q4.h=0x0504 a2=0x106"),
        (plain(Op::EeVldbc32), "a2=0x107", "q4.w=0x07060504"),
        (inst(Op::EeVldbc32Ip, -4, 0), "a2=0x107", "q4.w=0x07060504 a2=0x103"),
        (plain(Op::EeVldbc32Xp), "a2=0x107 a3=1", "q4.w=0x07060504 a2=0x108"),
        (
            plain(Op::EeVldhbc16Incp),
            "a2=0x10f",
            "q4.h=0x0100,0x0100,0x0302,0x0302,0x0504,0x0504,0x0706,0x0706 \
             q1.h=0x0908,0x0908,0x0b0a,0x0b0a,0x0d0c,0x0d0c,0x0f0e,0x0f0e a2=0x11f",
        ),
        (inst(Op::EeLd128UsarIp, 16, 0), "a2=0x11d", &loaded("a2=0x12d sar_byte=13")),
        (plain(Op::EeLd128UsarXp), "a2=0x110 a3=3 sar_byte=7", &loaded("a2=0x113 sar_byte=0")),
    ]);
}

/// The index is a halfword without sign; the first immediate selects the word, the second the index.
#[test]
fn indexed_words() {
    check_all(&[
        (inst(Op::EeLdxq32, 2, 3), "a2=0x101 q5.h=0,0,0,5,0 q4.w=1,2,3,4", "q4.w=1,2,0x17161514,4"),
        (inst(Op::EeLdxq32, 0, 7), "a2=0xfffc0104 q5.h=0,0,0,0,0,0,0,-1 q4.w=1,2,3,4", "q4.w=0x03020100,2,3,4"),
        (inst(Op::EeStxq32, 2, 3), "a2=0x101 q5.h=0,0,0,5,0 q4.w=1,2,0x12345678,4", "m0x114=78,56,34,12"),
    ]);
}

#[test]
fn stores() {
    let words = "q4.w=0x03020100,0x07060504,0x0b0a0908,0x0f0e0d0c";
    let cases = [
        (inst(Op::EeVst128Ip, 16, 0), "a2=0x21f", "a2=0x22f m0x210=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
        (plain(Op::EeVst128Xp), "a2=0x210 a3=2", "a2=0x212 m0x210=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
        (inst(Op::StQr, 16, 0), "a2=0x20f", "m0x210=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
        (inst(Op::EeVstL64Ip, 8, 0), "a2=0x21f", "a2=0x227 m0x218=0,1,2,3,4,5,6,7"),
        (plain(Op::EeVstL64Xp), "a2=0x21f a3=1", "a2=0x220 m0x218=0,1,2,3,4,5,6,7"),
        (inst(Op::EeVstH64Ip, 8, 0), "a2=0x21f", "a2=0x227 m0x218=8,9,a,b,c,d,e,f"),
        (plain(Op::EeVstH64Xp), "a2=0x21f a3=1", "a2=0x220 m0x218=8,9,a,b,c,d,e,f"),
    ];
    for (inst, before, changes) in cases {
        check_all(&[(inst, &format!("{words} {before}"), changes)]);
    }
}

#[test]
fn floating_point_registers() {
    let four = "f7=0x0f0e0d0c f6=0x0b0a0908 f5=0x07060504 f4=0x03020100";
    check_all(&[
        (inst(Op::EeLdf128Ip, 16, 0), "a2=0x10f", &format!("{four} a2=0x11f")),
        (plain(Op::EeLdf128Xp), "a2=0x10f a3=1", &format!("{four} a2=0x110")),
        (inst(Op::EeLdf64Ip, -8, 0), "a2=0x107", "f5=0x07060504 f4=0x03020100 a2=0xff"),
        (plain(Op::EeLdf64Xp), "a2=0x107 a3=1", "f5=0x07060504 f4=0x03020100 a2=0x108"),
        (inst(Op::EeStf128Ip, 16, 0), &format!("{four} a2=0x210"), "a2=0x220 m0x210=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
        (plain(Op::EeStf128Xp), &format!("{four} a2=0x210 a3=1"), "a2=0x211 m0x210=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
        (inst(Op::EeStf64Ip, 8, 0), &format!("{four} a2=0x21f"), "a2=0x227 m0x218=0,1,2,3,4,5,6,7"),
        (plain(Op::EeStf64Xp), &format!("{four} a2=0x21f a3=1"), "a2=0x220 m0x218=0,1,2,3,4,5,6,7"),
    ]);
}

#[test]
fn accumulators_and_state() {
    let memory = "m0x100=80,7f,ff,80,0,0,0,0,0,0,0,0,0,0,0,0 a2=0x10f a3=1";
    let cases = [
        (inst(Op::EeLdqaS8128Ip, 16, 0), "qacc.b=-128,127,-1,-128,0 a2=0x11f"),
        (plain(Op::EeLdqaS8128Xp), "qacc.b=-128,127,-1,-128,0 a2=0x110"),
        (inst(Op::EeLdqaU8128Ip, 16, 0), "qacc.b=128,127,255,128,0 a2=0x11f"),
        (plain(Op::EeLdqaU8128Xp), "qacc.b=128,127,255,128,0 a2=0x110"),
        (inst(Op::EeLdqaS16128Ip, 16, 0), "qacc.h=0x7f80,-32513,0 a2=0x11f"),
        (plain(Op::EeLdqaS16128Xp), "qacc.h=0x7f80,-32513,0 a2=0x110"),
        (inst(Op::EeLdqaU16128Ip, 16, 0), "qacc.h=0x7f80,0x80ff,0 a2=0x11f"),
        (plain(Op::EeLdqaU16128Xp), "qacc.h=0x7f80,0x80ff,0 a2=0x110"),
    ];
    for (inst, changes) in cases {
        check_all(&[(inst, memory, changes)]);
    }
    // The four accumulators of 40 bits in a half are five words: what is not loaded stays.
    check_all(&[
        (
            inst(Op::EeLdQaccLL128Ip, 16, 0),
            "qacc.h=-1 a2=0x100",
            "qacc.h=0x0403020100,0x0908070605,0x0e0d0c0b0a,0xffffffff0f,-1 a2=0x110",
        ),
        (inst(Op::EeLdQaccLH32Ip, 4, 0), "qacc.h=-1 a2=0x103", "qacc.h=-1,-1,-1,0x03020100ff,-1 a2=0x107"),
        (
            inst(Op::EeLdQaccHL128Ip, 16, 0),
            "qacc.h=-1 a2=0x100",
            "qacc.h=-1,-1,-1,-1,0x0403020100,0x0908070605,0x0e0d0c0b0a,0xffffffff0f a2=0x110",
        ),
        (inst(Op::EeLdQaccHH32Ip, 4, 0), "qacc.h=-1 a2=0x103", "qacc.h=-1,-1,-1,-1,-1,-1,-1,0x03020100ff a2=0x107"),
        (
            inst(Op::EeStQaccLL128Ip, 16, 0),
            "qacc.h=0x0403020100,0x0908070605,0x0e0d0c0b0a,0x131211100f,-1 a2=0x200",
            "a2=0x210 m0x200=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f",
        ),
        (inst(Op::EeStQaccLH32Ip, 4, 0), "qacc.h=0,0,0,0x131211100f,-1 a2=0x203", "a2=0x207 m0x200=10,11,12,13"),
        (
            inst(Op::EeStQaccHL128Ip, 16, 0),
            "qacc.h=-1,-1,-1,-1,0x0403020100,0x0908070605,0x0e0d0c0b0a,0x131211100f a2=0x200",
            "a2=0x210 m0x200=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f",
        ),
        (inst(Op::EeStQaccHH32Ip, 4, 0), "qacc.h=0,0,0,0,0,0,0,0x131211100f a2=0x203", "a2=0x207 m0x200=10,11,12,13"),
        (inst(Op::EeLdAccxIp, 8, 0), "a2=0x107", "accx=0x0403020100 a2=0x10f"),
        (inst(Op::EeStAccxIp, 8, 0), "accx=-2 a2=0x207", "a2=0x20f m0x200=fe,ff,ff,ff,ff,0,0,0"),
        (inst(Op::EeLdUaStateIp, 16, 0), "a2=0x110", &format!("ua={AT_110} a2=0x120")),
        (inst(Op::EeStUaStateIp, 16, 0), "ua=0x0100 a2=0x200", "a2=0x210 m0x200=0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0"),
    ]);
}

/// Everything is read before anything is written.
#[test]
fn old_values_are_read() {
    let stored = "m0x200=0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f";
    let bytes = "q4=0x0f0e0d0c0b0a09080706050403020100";
    check_all(&[
        (plain(Op::EeVaddsS8StIncp), &format!("{bytes} a2=0x200 q5.b=1 q6.b=2"), &format!("{stored} a2=0x210 q1.b=3")),
        // The stored register is the result.
        (
            Inst { w: Reg(1), ..plain(Op::EeVaddsS8StIncp) },
            "q1=0x0f0e0d0c0b0a09080706050403020100 a2=0x200 q5.b=1 q6.b=2",
            &format!("{stored} a2=0x210 q1.b=3"),
        ),
        (
            Inst { w: Reg(1), ..plain(Op::EeVmulS16StIncp) },
            "q1=0x0f0e0d0c0b0a09080706050403020100 a2=0x200 q5.h=3 q6.h=5",
            &format!("{stored} a2=0x210 q1.h=15"),
        ),
        (
            Inst { w: Reg(1), ..plain(Op::EeCmulS16StIncp) },
            "q1=0x0f0e0d0c0b0a09080706050403020100 a2=0x200 q5.h=1,0 q6.h=5",
            &format!("{stored} a2=0x210 q1=0x0f0e0d0c0b0a09080000000000050005"),
        ),
        // The loaded register is a source.
        (
            Inst { w: Reg(5), ..plain(Op::EeVminS16LdIncp) },
            "a2=0x110 q5.h=3 q6.h=5",
            &format!("q5={AT_110} a2=0x120 q1.h=3"),
        ),
        (
            Inst { w: Reg(6), ..inst(Op::EeVmulasS16AccxLdIp, 32, 0) },
            "a2=0x110 q5.h=3 q6.h=5",
            &format!("q6={AT_110} a2=0x130 accx=120"),
        ),
        (
            Inst { r: Reg(5), ..plain(Op::EeVmulasU8QaccLdXpQup) },
            "a2=0x110 a3=1 q5.b=3 q6.b=5 q7=0 sar_byte=15",
            &format!("q4={AT_110} a2=0x111 qacc.b=15 q5.b=3,0"),
        ),
        (
            Inst { w: Reg(7), ..inst(Op::EeSrcQLdIp, -16, 0) },
            "a2=0x110 q1.b=0 q7.b=1 sar_byte=1",
            &format!("q7={AT_110} a2=0x100 q1.b=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1"),
        ),
    ]);
}

#[test]
fn sums_of_products_with_loads() {
    let before = "a2=0x105 a3=2 q1.b=1 q7.b=2 q5.b=1 q6.b=1 sar_byte=8 accx=0";
    let funnel = "q1.b=1,1,1,1,1,1,1,1,2";
    let sum = |lane: &str| match lane {
        "accx8" => "accx=16",
        "accx16" => "accx=528392",
        "qacc8" => "qacc.b=1",
        _ => "qacc.h=66049",
    };
    let rows = [
        (
            "accx8",
            [Op::EeVmulasS8AccxLdIp, Op::EeVmulasS8AccxLdXp, Op::EeVmulasS8AccxLdIpQup, Op::EeVmulasS8AccxLdXpQup],
        ),
        (
            "accx8",
            [Op::EeVmulasU8AccxLdIp, Op::EeVmulasU8AccxLdXp, Op::EeVmulasU8AccxLdIpQup, Op::EeVmulasU8AccxLdXpQup],
        ),
        (
            "accx16",
            [Op::EeVmulasS16AccxLdIp, Op::EeVmulasS16AccxLdXp, Op::EeVmulasS16AccxLdIpQup, Op::EeVmulasS16AccxLdXpQup],
        ),
        (
            "accx16",
            [Op::EeVmulasU16AccxLdIp, Op::EeVmulasU16AccxLdXp, Op::EeVmulasU16AccxLdIpQup, Op::EeVmulasU16AccxLdXpQup],
        ),
        (
            "qacc8",
            [Op::EeVmulasS8QaccLdIp, Op::EeVmulasS8QaccLdXp, Op::EeVmulasS8QaccLdIpQup, Op::EeVmulasS8QaccLdXpQup],
        ),
        (
            "qacc8",
            [Op::EeVmulasU8QaccLdIp, Op::EeVmulasU8QaccLdXp, Op::EeVmulasU8QaccLdIpQup, Op::EeVmulasU8QaccLdXpQup],
        ),
        (
            "qacc16",
            [Op::EeVmulasS16QaccLdIp, Op::EeVmulasS16QaccLdXp, Op::EeVmulasS16QaccLdIpQup, Op::EeVmulasS16QaccLdXpQup],
        ),
        (
            "qacc16",
            [Op::EeVmulasU16QaccLdIp, Op::EeVmulasU16QaccLdXp, Op::EeVmulasU16QaccLdIpQup, Op::EeVmulasU16QaccLdXpQup],
        ),
    ];
    let loaded = "q4=0x0f0e0d0c0b0a09080706050403020100";
    for (lane, [ip, xp, ip_up, xp_up]) in rows {
        check_all(&[
            (inst(ip, 16, 0), before, &format!("{loaded} a2=0x115 {}", sum(lane))),
            (plain(xp), before, &format!("{loaded} a2=0x107 {}", sum(lane))),
            (inst(ip_up, -16, 0), before, &format!("{loaded} a2=0xf5 {funnel} {}", sum(lane))),
            (plain(xp_up), before, &format!("{loaded} a2=0x107 {funnel} {}", sum(lane))),
        ]);
    }
    check_all(&[
        (plain(Op::EeVmulasS8QaccLdbcIncp), before, "q4.b=5 a2=0x106 qacc.b=1"),
        (plain(Op::EeVmulasU8QaccLdbcIncpQup), before, &format!("q4.b=5 a2=0x106 qacc.b=1 {funnel}")),
        (plain(Op::EeVmulasU16QaccLdbcIncp), before, "q4.h=0x0504 a2=0x107 qacc.h=66049"),
        (plain(Op::EeVmulasS16QaccLdbcIncpQup), before, &format!("q4.h=0x0504 a2=0x107 qacc.h=66049 {funnel}")),
        (inst(Op::EeVsmulasS16QaccLdIncp, 3, 0), before, &format!("{loaded} a2=0x115 qacc.h=66049")),
        (inst(Op::EeVsmulasS8QaccLdIncp, 9, 0), before, &format!("{loaded} a2=0x115 qacc.b=1")),
        (plain(Op::EeSrcQLdXp), before, &format!("{loaded} a2=0x107 {funnel}")),
        (plain(Op::EeSrcq128StIncp), before, "a2=0x115 m0x100=1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2"),
    ]);
}

/// A wrong address, step, lane, half, and a store that is not expected.
#[test]
fn planted_faults_are_found() {
    let cases = [
        (inst(Op::EeVld128Ip, 16, 0), "a2=0x11d", "q4=0x1f1e1d1c1b1a19181716151413121110 a2=0x120"),
        (inst(Op::EeVldL64Ip, 8, 0), "a2=0x10d", "q4.w=0x100f0e0d,0x14131211,0,0 a2=0x115"),
        (inst(Op::EeVldH64Ip, 8, 0), "a2=0x108", "q4.w=0x0b0a0908,0x0f0e0d0c,0,0 a2=0x110"),
        (inst(Op::EeLdxq32, 2, 3), "a2=0x100", "q4.w=0,0x03020100,0,0"),
        (inst(Op::EeVst128Ip, 16, 0), "a2=0x210", "a2=0x220"),
        (inst(Op::EeLd128UsarIp, 16, 0), "a2=0x11d", "q4=0x1f1e1d1c1b1a19181716151413121110 a2=0x12d"),
    ];
    let found = cases.iter().filter(|(inst, before, changes)| wrong(inst, before, changes).is_some());
    assert_eq!(found.count(), cases.len());
}
