//! Arithmetic, shifts and rearrangement.

use super::{check_all, inst, wrong};
use isa::xtensa::{Inst, Op, Reg};

fn plain(op: Op) -> Inst {
    inst(op, 0, 0)
}

#[test]
fn sums_saturate() {
    check_all(&[
        (plain(Op::EeVaddsS8), "q5.b=127,-128,100,-100,-128,1 q6.b=1,-1,28,-28,127,-1", "q1.b=127,-128,127,-128,-1,0"),
        (plain(Op::EeVaddsS16), "q5.h=32767,-32768,-32768,5 q6.h=1,-1,-32768,-7", "q1.h=32767,-32768,-32768,-2"),
        (
            plain(Op::EeVaddsS32),
            "q5.w=0x7fffffff,0x80000000,0x80000000,5 q6.w=1,-1,0x80000000,-7",
            "q1.w=0x7fffffff,0x80000000,0x80000000,-2",
        ),
        (plain(Op::EeVsubsS8), "q5.b=-128,127,0,-128,5 q6.b=1,-1,-128,-128,7", "q1.b=-128,127,127,0,-2"),
        (plain(Op::EeVsubsS16), "q5.h=-32768,32767,0,5 q6.h=1,-1,-32768,7", "q1.h=-32768,32767,32767,-2"),
        (
            plain(Op::EeVsubsS32),
            "q5.w=0x80000000,0x7fffffff,0,5 q6.w=1,-1,0x80000000,7",
            "q1.w=0x80000000,0x7fffffff,0x7fffffff,-2",
        ),
    ]);
}

#[test]
fn extremes_and_comparisons_are_signed() {
    check_all(&[
        (plain(Op::EeVmaxS8), "q5.b=-128,127,-1,3 q6.b=127,-128,1,3", "q1.b=127,127,1,3"),
        (plain(Op::EeVmaxS16), "q5.h=-32768,32767,-1 q6.h=32767,-32768,1", "q1.h=32767,32767,1"),
        (plain(Op::EeVmaxS32), "q5.w=0x80000000,-1 q6.w=0x7fffffff,1", "q1.w=0x7fffffff,1"),
        (plain(Op::EeVminS8), "q5.b=-128,127,-1,3 q6.b=127,-128,1,3", "q1.b=-128,-128,-1,3"),
        (plain(Op::EeVminS16), "q5.h=-32768,32767,-1 q6.h=32767,-32768,1", "q1.h=-32768,-32768,-1"),
        (plain(Op::EeVminS32), "q5.w=0x80000000,-1 q6.w=0x7fffffff,1", "q1.w=0x80000000,-1"),
        (plain(Op::EeVcmpEqS8), "q5.b=-128,1,2 q6.b=127,1,3", "q1.b=0,-1,0"),
        (plain(Op::EeVcmpGtS8), "q5.b=-128,127,2 q6.b=127,-128,2", "q1.b=0,-1,0"),
        (plain(Op::EeVcmpLtS8), "q5.b=-128,127,2 q6.b=127,-128,2", "q1.b=-1,0,0"),
        (plain(Op::EeVcmpEqS16), "q5.h=-32768,1,2 q6.h=32767,1,3", "q1.h=0,-1,0"),
        (plain(Op::EeVcmpGtS16), "q5.h=-32768,32767,2 q6.h=32767,-32768,2", "q1.h=0,-1,0"),
        (plain(Op::EeVcmpLtS16), "q5.h=-32768,32767,2 q6.h=32767,-32768,2", "q1.h=-1,0,0"),
        (plain(Op::EeVcmpEqS32), "q5.w=0x80000000,1,2 q6.w=0x7fffffff,1,3", "q1.w=0,-1,0"),
        (plain(Op::EeVcmpGtS32), "q5.w=0x80000000,0x7fffffff,2 q6.w=0x7fffffff,0x80000000,2", "q1.w=0,-1,0"),
        (plain(Op::EeVcmpLtS32), "q5.w=0x80000000,0x7fffffff,2 q6.w=0x7fffffff,0x80000000,2", "q1.w=-1,0,0"),
    ]);
}

#[test]
fn logic_and_moves() {
    check_all(&[
        (plain(Op::EeAndq), "q5.w=0xff00ff00,0x0f0f0f0f q6.w=0x0ff00ff0,-1", "q1.w=0x0f000f00,0x0f0f0f0f"),
        (plain(Op::EeOrq), "q5.w=0xff00ff00,0 q6.w=0x0ff00ff0,1", "q1.w=0xfff0fff0,1"),
        (plain(Op::EeXorq), "q5.w=0xff00ff00,-1 q6.w=0x0ff00ff0,1", "q1.w=0xf0f0f0f0,-2"),
        (plain(Op::EeNotq), "q5.w=0xff00ff00,0", "q1.w=0x00ff00ff,-1"),
        (plain(Op::MvQr), "q5.w=1,2,3,4", "q1.w=1,2,3,4"),
        (plain(Op::EeZeroQ), "q1.b=-1", "q1=0"),
        (inst(Op::EeMovi32A, 2, 0), "q5.w=1,2,3,4", "a3=3"),
        (inst(Op::EeMovi32Q, 3, 0), "q1.w=1,2,3,4 a2=-1", "q1.w=1,2,3,-1"),
    ]);
}

/// What the chip gives for 32 is known; amounts above are taken as 32.
#[test]
fn shifts_of_words_by_any_amount() {
    let right = |amount: u32| match amount {
        0 => "q1.w=0x80000000,0x7fffffff,-1,8",
        1 => "q1.w=0xc0000000,0x3fffffff,-1,4",
        31 => "q1.w=-1,0,-1,0",
        _ => "q1.w=0",
    };
    let left = |amount: u32| match amount {
        0 => "q1.w=0x80000000,0x7fffffff,-1,8",
        1 => "q1.w=0,-2,-2,16",
        31 => "q1.w=0,0x80000000,0x80000000,0",
        _ => "q1.w=0x80000000,0x7fffffff,0x80000000,0x7fffffff",
    };
    for amount in [0, 1, 31, 32, 33, 48, 63] {
        let before = format!("q5.w=0x80000000,0x7fffffff,-1,8 sar={amount}");
        check_all(&[(plain(Op::EeVsr32), &before, right(amount)), (plain(Op::EeVsl32), &before, left(amount))]);
    }
}

/// SAR = 0 keeps the low half, SAR = width the high half; nothing is rounded or saturated.
#[test]
fn products_keep_the_low_bits_of_what_is_shifted() {
    let (s8, s16) = ("q5.b=-128,-128,127,-1 q6.b=-128,127,127,1", "q5.h=32767,-32768,-32768,-1 q6.h=3,-32768,32767,1");
    let (u8, u16) = ("q5.b=-1,-128 q6.b=-1,2", "q5.h=-1,-32768 q6.h=-1,2");
    // Products of s8: 16384, -16256, 16129, -1; of s16: 98301, 2^30, -2^30 + 32768, -1; of u8: 65025, 256; of u16: 0xfffe0001,
    // 0x10000.
    let cases = [
        (Op::EeVmulS8, s8, 0, "q1.b=0,-128,1,-1"),
        (Op::EeVmulS8, s8, 7, "q1.b=-128,-127,126,-1"),
        (Op::EeVmulS8, s8, 8, "q1.b=64,-64,63,-1"),
        (Op::EeVmulS8, s8, 15, "q1.b=0,-1,0,-1"),
        (Op::EeVmulS8, s8, 31, "q1.b=0,-1,0,-1"),
        (Op::EeVmulS8, s8, 32, "q1.b=0"),
        (Op::EeVmulS8, s8, 63, "q1.b=0"),
        (Op::EeVmulS16, s16, 0, "q1.h=32765,0,-32768,-1"),
        (Op::EeVmulS16, s16, 15, "q1.h=2,-32768,-32767,-1"),
        (Op::EeVmulS16, s16, 16, "q1.h=1,16384,-16384,-1"),
        (Op::EeVmulS16, s16, 31, "q1.h=0,0,-1,-1"),
        (Op::EeVmulS16, s16, 32, "q1.h=0"),
        (Op::EeVmulS16, s16, 63, "q1.h=0"),
        (Op::EeVmulU8, u8, 0, "q1.b=1,0"),
        (Op::EeVmulU8, u8, 8, "q1.b=254,1"),
        (Op::EeVmulU8, u8, 15, "q1.b=1,0"),
        (Op::EeVmulU8, u8, 16, "q1.b=0"),
        (Op::EeVmulU8, u8, 63, "q1.b=0"),
        (Op::EeVmulU16, u16, 0, "q1.h=1,0"),
        (Op::EeVmulU16, u16, 16, "q1.h=0xfffe,1"),
        (Op::EeVmulU16, u16, 31, "q1.h=1,0"),
        (Op::EeVmulU16, u16, 32, "q1.h=0"),
        (Op::EeVmulU16, u16, 63, "q1.h=0"),
    ];
    for (op, before, amount, changes) in cases {
        check_all(&[(plain(op), &format!("{before} sar={amount}"), changes)]);
    }
}

#[test]
fn complex_products() {
    let numbers = "q1.h=-9 q5.h=1,2,3,4,5,6,7,8 q6.h=10,20,30,40,50,60,70,80";
    let cases = [
        (0, 0, numbers, "q1.h=-30,40,-70,240,-9"),
        (0, 1, numbers, "q1.h=-15,20,-35,120,-9"),
        (1, 0, numbers, "q1.h=-9,-9,-9,-9,-110,600,-150,1120"),
        (2, 0, numbers, "q1.h=50,0,250,0,-9"),
        (3, 0, numbers, "q1.h=-9,-9,-9,-9,610,0,1130,0"),
        (0, 32, numbers, "q1.h=0,0,0,0,-9"),
        // Twice 2^30, as real and as imaginary part.
        (2, 16, "q5.h=-32768 q6.h=-32768", "q1.h=-32768,0,-32768,0,0"),
        (0, 16, "q5.h=-32768 q6.h=-32768", "q1.h=0,-32768,0,-32768,0"),
        (0, 31, "q5.h=-32768 q6.h=-32768", "q1.h=0,1,0,1,0"),
    ];
    for (select, amount, before, changes) in cases {
        check_all(&[(inst(Op::EeCmulS16, select, 0), &format!("{before} sar={amount}"), changes)]);
    }
    // The result may replace a factor.
    let same = Inst { r: Reg(5), ..inst(Op::EeCmulS16, 0, 0) };
    check_all(&[(same, numbers, "q5.h=-30,40,-70,240,5,6,7,8")]);
}

#[test]
fn relu() {
    check_all(&[
        (plain(Op::EeVreluS8), "q1.b=5,0,-1,-128 a2=0x103 a3=0x21", "q1.b=5,0,-2,64"),
        (plain(Op::EeVreluS16), "q1.h=5,0,-3,-32768 a2=0x1ffff a3=0x40", "q1.h=5,0,3,-32768"),
        (plain(Op::EeVpreluS8), "q5.b=5,0,-1,-128 q6.b=7,7,-128,2 a3=1", "q1.b=5,0,64,-128"),
        (plain(Op::EeVpreluS16), "q5.h=5,0,-1,-32768 q6.h=7,7,-3,2 a3=0x4f", "q1.h=5,0,0,-2"),
    ]);
}

const ACCX_MAX: &str = "accx=549755813887";

#[test]
fn accx_saturates_once_at_40_bits() {
    check_all(&[
        (plain(Op::EeVmulasS8Accx), "q5.b=-128 q6.b=-128 accx=-1", "accx=262143"),
        (plain(Op::EeVmulasS16Accx), "q5.h=-32768 q6.h=-32768", "accx=8589934592"),
        (plain(Op::EeVmulasU8Accx), "q5.b=-1 q6.b=-1 accx=1", "accx=1040401"),
        (plain(Op::EeVmulasU16Accx), "q5.h=-1 q6.h=-1", "accx=34358689800"),
        (plain(Op::EeVmulasS8Accx), "accx=549755813886 q5.b=1,0 q6.b=2", ACCX_MAX),
        (plain(Op::EeVmulasS16Accx), "accx=549755813886 q5.h=1,0 q6.h=2", ACCX_MAX),
        (plain(Op::EeVmulasS8Accx), "accx=-549755813887 q5.b=1,0 q6.b=-2", "accx=-549755813888"),
        (plain(Op::EeVmulasS16Accx), "accx=-549755813887 q5.h=1,0 q6.h=-2", "accx=-549755813888"),
        (plain(Op::EeVmulasU8Accx), "accx=1099511627774 q5.b=1,0 q6.b=2", "accx=1099511627775"),
        (plain(Op::EeVmulasU16Accx), "accx=1099511627774 q5.h=1,0 q6.h=2", "accx=1099511627775"),
        // The limits themselves are reached, and a sum that is beyond them on the way only is right.
        (plain(Op::EeVmulasS16Accx), "accx=549755813886 q5.h=1,0 q6.h=1", ACCX_MAX),
        (plain(Op::EeVmulasS16Accx), "accx=549755813887 q5.h=1,1,0 q6.h=5,-5", ""),
        (plain(Op::EeVmulasU16Accx), "accx=549755813888 q5.h=1,0 q6.h=1", "accx=549755813889"),
        (plain(Op::EeZeroAccx), "accx=-1", "accx=0"),
    ]);
}

#[test]
fn each_lane_of_qacc_saturates() {
    check_all(&[
        (
            plain(Op::EeVmulasS8Qacc),
            "qacc.b=524287,-524288,524286,-524287,0,7 q5.b=1,1,1,1,-128,3 q6.b=1,-1,1,-1,-128,-2",
            "qacc.b=524287,-524288,524287,-524288,16384,1",
        ),
        (
            plain(Op::EeVmulasS16Qacc),
            "qacc.h=549755813887,-549755813888,549755813886,-549755813887,0,7 q5.h=1,1,1,1,-32768,3 q6.h=1,-1,1,-1,-32768,-2",
            "qacc.h=549755813887,-549755813888,549755813887,-549755813888,1073741824,1",
        ),
        // Seventeen products of 255 and 255 are too many; sixteen are not.
        (
            plain(Op::EeVmulasU8Qacc),
            "qacc.b=1040400,975375,1048575,524288 q5.b=-1,-1,1,1 q6.b=-1,-1,1,0",
            "qacc.b=1048575,1040400,1048575,524288",
        ),
        (
            plain(Op::EeVmulasU16Qacc),
            "qacc.h=1099511627774,1099511627775,549755813888,0 q5.h=1,1,1,-1 q6.h=2,1,0,-1",
            "qacc.h=1099511627775,1099511627775,549755813888,4294836225",
        ),
        (
            inst(Op::EeVsmulasS8Qacc, 15, 0),
            "q5.b=1,2,-128 q6.b=7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,-128",
            "qacc.b=-128,-256,16384",
        ),
        (
            inst(Op::EeVsmulasS16Qacc, 2, 0),
            "qacc.h=5 q5.h=1,2,-32768 q6.h=7,7,-32768,7",
            "qacc.h=-32763,-65531,1073741829",
        ),
        (inst(Op::EeVsmulasS8Qacc, 0, 0), "qacc.b=524287,-524288,0 q5.b=1,-1,1 q6.b=1", "qacc.b=524287,-524288,1"),
        (plain(Op::EeZeroQacc), "qacc.b=-1", "qacc.b=0"),
        (plain(Op::EeMovS8Qacc), "q5.b=-128,127,-1", "qacc.b=-128,127,-1"),
        (plain(Op::EeMovU8Qacc), "q5.b=-128,127,-1", "qacc.b=128,127,255"),
        (plain(Op::EeMovS16Qacc), "q5.h=-32768,32767,-1", "qacc.h=-32768,32767,-1"),
        (plain(Op::EeMovU16Qacc), "q5.h=-32768,32767,-1", "qacc.h=32768,32767,65535"),
    ]);
}

/// The accumulators keep what was shifted and is not saturated.
#[test]
fn accumulators_are_read_out() {
    check_all(&[
        (
            plain(Op::EeSrcmbS16Qacc),
            "qacc.h=549755813887,-549755813888,-1,98304 a2=23",
            "qacc.h=65535,-65536,-1,0 q1.h=32767,-32768,-1,0",
        ),
        (plain(Op::EeSrcmbS16Qacc), "qacc.h=549755813887,-549755813888 a2=24", "qacc.h=32767,-32768 q1.h=32767,-32768"),
        (plain(Op::EeSrcmbS16Qacc), "qacc.h=549755813887,-549755813888 a2=127", "qacc.h=0,-1 q1.h=0,-1"),
        (plain(Op::EeSrcmbS16Qacc), "qacc.h=32768,-32769,32767 a2=64", "q1.h=32767,-32768,32767"),
        (plain(Op::EeSrcmbS8Qacc), "qacc.b=524287,-524288,-1,3 a2=11", "qacc.b=255,-256,-1,0 q1.b=127,-128,-1,0"),
        (plain(Op::EeSrcmbS8Qacc), "qacc.b=524287,-524288 a2=44", "qacc.b=127,-128 q1.b=127,-128"),
        (plain(Op::EeSrcmbS8Qacc), "qacc.b=524287,-524288 a2=31", "qacc.b=0,-1 q1.b=0,-1"),
        (plain(Op::EeSrsAccx), "accx=549755813887 a2=0", "a3=0x7fffffff"),
        (plain(Op::EeSrsAccx), "accx=-549755813888 a2=7", "a3=0x80000000 accx=-4294967296"),
        (plain(Op::EeSrsAccx), "accx=-549755813888 a2=72", "a3=0x80000000 accx=-2147483648"),
        (plain(Op::EeSrsAccx), "accx=549755813887 a2=8", "a3=0x7fffffff accx=0x7fffffff"),
        (plain(Op::EeSrsAccx), "accx=-3 a2=1", "a3=-2 accx=-2"),
        (plain(Op::EeSrsAccx), "accx=-3 a2=63", "a3=-1 accx=-1"),
    ]);
}

#[test]
fn rearrangement() {
    let both = "q1.b=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 q7.b=16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31";
    let zip = inst(Op::EeVzip8, 0, 0);
    check_all(&[
        (zip, both, "q1.b=0,16,1,17,2,18,3,19,4,20,5,21,6,22,7,23 q7.b=8,24,9,25,10,26,11,27,12,28,13,29,14,30,15,31"),
        (
            plain(Op::EeVzip16),
            "q1.h=0,1,2,3,4,5,6,7 q7.h=8,9,10,11,12,13,14,15",
            "q1.h=0,8,1,9,2,10,3,11 q7.h=4,12,5,13,6,14,7,15",
        ),
        (plain(Op::EeVzip32), "q1.w=0,1,2,3 q7.w=4,5,6,7", "q1.w=0,4,1,5 q7.w=2,6,3,7"),
        (
            plain(Op::EeVunzip8),
            both,
            "q1.b=0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 q7.b=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31",
        ),
        (
            plain(Op::EeVunzip16),
            "q1.h=0,1,2,3,4,5,6,7 q7.h=8,9,10,11,12,13,14,15",
            "q1.h=0,2,4,6,8,10,12,14 q7.h=1,3,5,7,9,11,13,15",
        ),
        (plain(Op::EeVunzip32), "q1.w=0,1,2,3 q7.w=4,5,6,7", "q1.w=0,2,4,6 q7.w=1,3,5,7"),
    ]);
}

const PAIR: &str = "q1=0x0f0e0d0c0b0a09080706050403020100 q7=0x1f1e1d1c1b1a19181716151413121110";

#[test]
fn shifts_by_bytes() {
    let cases = [
        (inst(Op::EeSlci2q, 0, 0), "", "q1=0x0e0d0c0b0a0908070605040302010000 q7=0x1e1d1c1b1a191817161514131211100f"),
        (inst(Op::EeSlci2q, 14, 0), "", "q1=0x00000000000000000000000000000000 q7=0x100f0e0d0c0b0a090807060504030201"),
        (inst(Op::EeSlci2q, 15, 0), "", "q1=0 q7=0x0f0e0d0c0b0a09080706050403020100"),
        (inst(Op::EeSrci2q, 0, 0), "", "q1=0x100f0e0d0c0b0a090807060504030201 q7=0x001f1e1d1c1b1a191817161514131211"),
        (inst(Op::EeSrci2q, 15, 0), "", "q1=0x1f1e1d1c1b1a19181716151413121110 q7=0"),
        (plain(Op::EeSlcxxp2q), "a2=0x1f a3=-1", "a2=0x1e q1=0 q7=0x0f0e0d0c0b0a09080706050403020100"),
        (
            plain(Op::EeSrcxxp2q),
            "a2=0x100 a3=8",
            "a2=0x108 q1=0x100f0e0d0c0b0a090807060504030201 q7=0x001f1e1d1c1b1a191817161514131211",
        ),
        (plain(Op::EeSrcQ), "sar_byte=0", "q4=0x0f0e0d0c0b0a09080706050403020100"),
        (plain(Op::EeSrcQ), "sar_byte=5", "q4=0x14131211100f0e0d0c0b0a0908070605"),
        (plain(Op::EeSrcQ), "sar_byte=15", "q4=0x1e1d1c1b1a191817161514131211100f"),
        (
            plain(Op::EeSrcQQup),
            "sar_byte=5",
            "q4=0x14131211100f0e0d0c0b0a0908070605 q1=0x1f1e1d1c1b1a19181716151413121110",
        ),
        // The result may replace the upper part, which the lower one takes as it was.
        (
            Inst { w: Reg(7), ..plain(Op::EeSrcQQup) },
            "sar_byte=5",
            "q7=0x14131211100f0e0d0c0b0a0908070605 q1=0x1f1e1d1c1b1a19181716151413121110",
        ),
    ];
    for (inst, before, changes) in cases {
        check_all(&[(inst, &format!("{PAIR} {before}"), changes)]);
    }
    let moved = Inst { t: Reg(2), ..plain(Op::EeSrcxxp2q) };
    check_all(&[(moved, "a2=0x10 q7=0x0100", "a2=0x20 q7=1")]);
}

#[test]
fn pins() {
    check_all(&[
        (plain(Op::EeWrMaskGpioOut), "out=0x0f a2=0x1aa a3=0x13c", "out=0x2b"),
        (inst(Op::EeSetBitGpioOut, 0xa0, 0), "out=0x0f", "out=0xaf"),
        (inst(Op::EeClrBitGpioOut, 0x05, 0), "out=0x0f", "out=0x0a"),
        (plain(Op::EeGetGpioIn), "in=0x5a", "a3=0x5a"),
    ]);
}

/// Registers of the extension as RUR and WUR see them.
#[test]
fn user_registers() {
    let rur = |number| Inst { r: Reg(3), ..inst(Op::Rur, number, 0) };
    let wur = |number| Inst { t: Reg(2), ..inst(Op::Wur, number, 0) };
    check_all(&[
        (rur(0), "accx=-2", "a3=-2"),
        (rur(1), "accx=-2", "a3=0xff"),
        (wur(0), "accx=-1 a2=5", "accx=0xff00000005"),
        (wur(1), "accx=-1 a2=0x105", "accx=0x05ffffffff"),
        (rur(6), "qacc.h=0,0,0,0,0,0,0,0x1234567890", "a3=0x12345678"),
        (rur(7), "qacc.h=0x1234567890,0", "a3=0x34567890"),
        (wur(11), "a2=-1", "qacc.h=0,0,0,0xffffffff00,0"),
        (wur(2), "a2=-1", "qacc.h=0,0,0,0,0xffffffff,0"),
        (wur(12), "a2=0x123", "out=0x23"),
        (wur(13), "a2=0x123", "sar_byte=3"),
        (rur(13), "sar_byte=9", "a3=9"),
        (rur(16), "ua=0x00112233445566778899aabbccddeeff", "a3=0x8899aabb"),
        (wur(18), "ua=0x00112233445566778899aabbccddeeff a2=-1", "ua=0xffffffff445566778899aabbccddeeff"),
    ]);
}

/// Wrong saturation, a wrong lane, a wrong amount, a change that is missing, and one that is too much.
#[test]
fn planted_faults_are_found() {
    let right = "qacc.b=524287,-524288,0";
    let cases = [
        (plain(Op::EeVaddsS8), "q5.b=127,-128 q6.b=1,-1", "q1.b=127,-127"),
        (plain(Op::EeVsubsS8), "q5.b=-128,0 q6.b=1,0", "q1.b=127,0"),
        (plain(Op::EeVsr32), "q5.w=-1 sar=32", "q1.w=-1"),
        (plain(Op::EeVmulasU8Accx), "accx=1099511627775 q5.b=1 q6.b=1", "accx=15"),
        (plain(Op::EeVmulasS8Qacc), "qacc.b=524287,-524288,0 q5.b=1,-1,0 q6.b=1", "qacc.b=-524288,524287,0"),
        (plain(Op::EeVmulasS8Qacc), "q5.b=1 q6.b=1", right),
        (plain(Op::EeVzip8), "q1.b=1 q7.b=2", "q1.b=2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1 q7.b=1"),
        (plain(Op::EeSrsAccx), "accx=-3 a2=1", "a3=-2"),
        (plain(Op::EeAndq), "", "q1.b=1"),
    ];
    let found = cases.iter().filter(|(inst, before, changes)| wrong(inst, before, changes).is_some());
    assert_eq!(found.count(), cases.len());
}
