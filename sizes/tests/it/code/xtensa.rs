//! Xtensa code assembled by hand, with answers computed by hand.

use super::listing::{check_references, check_stacks};
use object::Architecture;

#[test]
fn frames_of_xtensa_code() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "
            f:
                36 61 00 | entry a1, 48
                e5 ff ff | call8 g
                -> 20 g
                90 00 00 | retw
            g:
                36 41 00 | entry a1, 32
                82 a3 e8 | movi a8, 1000
                80 81 c0 | sub a8, a1, a8
                10 18 00 | movsp a1, a8
                1d f0 | retw.n
            h:
                12 c1 f0 | addi a1, a1, -16
                02 61 03 | s32i a0, a1, 12
                c5 ff ff | call0 ext
                -> 20 ext
                02 21 03 | l32i a0, a1, 12
                12 c1 10 | addi a1, a1, 16
                80 00 00 | ret
            ",
            &["f 48 1080", "g 1032 1032", "h 16 16 external ext"],
        ),
        (
            "
            i:
                36 41 00 | entry a1, 32
                81 00 00 | l32r a8, far
                -> 20 i 14
                e0 08 00 | callx8 a8
                e0 0a 00 | callx8 a10
                1d f0 | retw.n
                00 00 00 00
                -> 1 far
            k:
                91 ff ff | l32r a9, 5000
                -> 20 k 16
                90 11 c0 | sub a1, a1, a9
                12 d1 fe | addmi a1, a1, -512
                12 d1 02 | addmi a1, a1, 512
                9a 11 | add.n a1, a1, a9
                0d f0 | ret.n
                88 13 00 00 | 5000
            p:
                06 ff ff | j k
                -> 20 k
            ",
            &["i 32 32 indirect i, external far", "k 5512 5512", "p 0 5512"],
        ),
        (
            "
            m:
                36 41 00 | entry a1, 32
                10 12 00 | movsp a1, a2
                1d f0 | retw.n
            o:
                16 22 00 | beqz a2, .+6
                12 c1 f0 | addi a1, a1, -16
                0d f0 | ret.n
            ",
            &["m ? 32 frame m", "o ? 16 frame o"],
        ),
        (
            "
            n:
                36 81 00 | entry a1, 64
                a0 08 00 | jx a8
                e5 ff ff | call8 g
                -> 20 ext
                1d f0 | retw.n
            q:
                36 81 00 | entry a1, 64
                a0 08 00 | jx a8
            v:
                36 81 00 | entry a1, 64
                2e 00 00 00 | of the vector extension
                1d f0 | retw.n
            ",
            &["n 64 64 external ext", "q 64 64 indirect q", "v 64 64"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Xtensa, text, expected);
    }
}

#[test]
fn references_of_xtensa_code() {
    let cases: [(&str, &[&str]); 1] = [(
        "
            f:
                36 41 00 | entry a1, 32
                81 00 00 | l32r a8, g
                -> 20 f 16
                e0 08 00 | callx8 a8
                91 00 00 | l32r a9, table
                -> 20 f 20
                1d f0 | retw.n
                00 00
                00 00 00 00
                -> 1 g
                00 00 00 00
                -> 1 table 4
            g:
                36 41 00 | entry a1, 32
                e5 ff ff | call8 f
                -> 20 f
                90 00 00 | retw
            ",
        &[
            "f loads 4 at .text+0x10",
            "f loads 4 at .text+0x14",
            "f knows .text+0x18",
            "f calls .text+0x18",
            "f knows .rodata+0x4",
            "g calls .text+0x0",
        ],
    )];
    for (text, expected) in cases {
        check_references(Architecture::Xtensa, text, expected);
    }
}
