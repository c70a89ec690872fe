//! ARM and Thumb code assembled by hand, with answers computed by hand.

use super::listing::{check_references, check_stacks};
use object::Architecture;

#[test]
fn frames_of_thumb_code() {
    let cases: [(&str, &[&str]); 9] = [
        (
            // A frame that is overwritten while it is given up.
            "
            f:
                e92d 4ff0 | push.w {r4-r11, lr}
                b08c | sub sp, #48
                e8ad 0ff0 | stm sp!, {r4-r11}
                ecad 0a04 | vstmia sp!, {s0-s3}
                e8bd 8ff0 | pop.w {r4-r11, pc}
            ",
            &["f 84 84"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                b084 | sub sp, #16
                f7ff fffe | bl ext
                -> 10 ext
                b004 | add sp, #16
                bd10 | pop {r4, pc}
            ",
            &["f 24 24 external ext"],
        ),
        (
            "
            f:
                e92d 43f0 | push.w {r4-r9, lr}
                ed2d 8b04 | vpush {d8-d9}
                f5ad 5d80 | sub.w sp, sp, #4096
                f7ff fffe | bl ext
                -> 10 ext
                f50d 5d80 | add.w sp, sp, #4096
                ecbd 8b04 | vpop {d8-d9}
                e8bd 83f0 | pop.w {r4-r9, pc}
            ",
            &["f 4140 4140 external ext"],
        ),
        (
            "
            f:
                f84d ed08 | str lr, [sp, #-8]!
                f85d fb08 | ldr pc, [sp], #8
            ",
            &["f 8 8"],
        ),
        (
            "
            f:
                b580 | push {r7, lr}
                af00 | add r7, sp, #0
                b088 | sub sp, #32
                1f3c | subs r4, r7, #4
                46bd | mov sp, r7
                bd80 | pop {r7, pc}
            ",
            &["f 40 40"],
        ),
        (
            "
            f:
                f241 3488 | movw r4, #5000
                ebad 0d04 | sub.w sp, sp, r4
                44a5 | add sp, r4
                4770 | bx lr
            g:
                4c02 | ldr r4, [pc, #8]
                44a5 | add sp, r4
                ebad 0d04 | sub.w sp, sp, r4
                4770 | bx lr
                bf00 | nop
                .d
                ffffec78 | -5000
                .t
            h:
                2405 | movs r4, #5
                0224 | lsls r4, r4, #8
                ebad 0d04 | sub.w sp, sp, r4
                44a5 | add sp, r4
                4770 | bx lr
            ",
            &["f 5000 5000", "g 5000 5000", "h 1280 1280"],
        ),
        (
            "
            f:
                b580 | push {r7, lr}
                af00 | add r7, sp, #0
                b085 | sub sp, #20
                466c | mov r4, sp
                f024 040f | bic r4, r4, #15
                46a5 | mov sp, r4
                46bd | mov sp, r7
                bd80 | pop {r7, pc}
            ",
            &["f 40 40"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                bc10 | pop {r4}
                bc08 | pop {r3}
                4718 | bx r3
            ",
            &["f 8 8"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                2800 | cmp r0, #0
                bf04 | itt eq
                b002 | addeq sp, #8
                4770 | bxeq lr
                2801 | cmp r0, #1
                bf18 | it ne
                bd10 | popne {r4, pc}
                bd10 | pop {r4, pc}
            ",
            &["f 8 8"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn frames_that_are_not_known() {
    let cases: [(&str, &[&str]); 6] = [
        (
            "
            f:
                b580 | push {r7, lr}
                af00 | add r7, sp, #0
                ebad 0000 | sub.w r0, sp, r0
                4685 | mov sp, r0
                46bd | mov sp, r7
                bd80 | pop {r7, pc}
            ",
            &["f ? 8 frame f"],
        ),
        (
            "
            f:
                b100 | cbz r0, .+4
                b410 | push {r4}
                4770 | bx lr
            ",
            &["f ? 4 frame f"],
        ),
        (
            "
            f:
                b410 | push {r4}
                4770 | bx lr
            ",
            &["f ? 4 frame f"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                ffff ffff | undefined
                bd10 | pop {r4, pc}
            g:
                b510 | push {r4, lr}
                e001 | b .+6
                ffff ffff | undefined
                bd10 | pop {r4, pc}
            h:
                b510 | push {r4, lr}
                f7ff fff8 | bl g
                bd10 | pop {r4, pc}
            ",
            &["f ? 8 frame f", "g 8 8", "h 8 16"],
        ),
        (
            "
            f:
                f380 8808 | msr msp, r0
                4770 | bx lr
            ",
            &["f ? 0 frame f"],
        ),
        (
            "
            f:
                b500 | push {lr}
                f7ff fffd | bl f
                bd00 | pop {pc}
            g:
                b510 | push {r4, lr}
                .d
                0000 | not code
                .t
                bd10 | pop {r4, pc}
            ",
            &["f 4 4 recursion f", "g ? 8 frame g"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn jumps_within_thumb_code() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "
            f:
                .t
                b510 | push {r4, lr}
                e8df f000 | tbb [pc, r0]
                .d
                0302 0005
                .t
                4801 | ldr r0, [pc, #4]
                b082 | sub sp, #8
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 16 16"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                e8df f000 | tbb [pc, r0]
                0302 0005
                4801 | ldr r0, [pc, #4]
                b082 | sub sp, #8
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 16 16"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                e8df f010 | tbh [pc, r0, lsl #1]
                0002 0004
                b002 | add sp, #8
                4770 | bx lr
                b082 | sub sp, #8
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 16 16"],
        ),
        (
            "
            f:
                .t
                b510 | push {r4, lr}
                0080 | lsls r0, r0, #2
                4903 | ldr r1, [pc, #12]
                5808 | ldr r0, [r1, r0]
                4687 | mov pc, r0
                bf00 | nop
                b082 | sub sp, #8
                b002 | add sp, #8
                bd10 | pop {r4, pc}
                bf00 | nop
                .d
                00000000
                -> 2 table
            ",
            &["f 16 16"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                a101 | adr r1, table
                f851 f020 | ldr.w pc, [r1, r0, lsl #2]
                00000010
                -> 2 f
                00000014
                -> 2 f
                b082 | sub sp, #8
                e001 | b .+6
                b086 | sub sp, #24
                b004 | add sp, #16
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 32 32"],
        ),
        (
            "
            f:
                .t
                b510 | push {r4, lr}
                a101 | adr r1, table
                f851 f020 | ldr.w pc, [r1, r0, lsl #2]
                .d
                00000010
                00000014
                .t
                b082 | sub sp, #8
                e001 | b .+6
                b086 | sub sp, #24
                b004 | add sp, #16
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 32 32"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                f000 f801 | bl inner
                bd10 | pop {r4, pc}
                b520 | push {r5, lr}
                bd20 | pop {r5, pc}
            ",
            &["f 16 16"],
        ),
        (
            "
            f:
                .t
                b510 | push {r4, lr}
                f7ff fffe | bl __gnu_thumb1_case_uqi
                -> 10 __gnu_thumb1_case_uqi
                .d
                0102
                .t
                b082 | sub sp, #8
                b002 | add sp, #8
                bd10 | pop {r4, pc}
            ",
            &["f 16 16 external __gnu_thumb1_case_uqi"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn calls_that_do_not_return() {
    let cases: [(&str, &[&str]); 2] = [
        (
            "
            f:
                b110 | cbz r0, .+8
                b510 | push {r4, lr}
                f7ff fffe | bl die
                -> 10 die
                4770 | bx lr
            g:
                .t
                b510 | push {r4, lr}
                f7ff fffe | bl die
                -> 10 die
                .d
                ffff ffff
                .t
            h:
                b510 | push {r4, lr}
                f7ff fffe | bl die
                -> 10 die
            ",
            &["f 8 8 external die", "g 8 8 external die", "h 8 8 external die"],
        ),
        (
            "
            g:
                b510 | push {r4, lr}
                4801 | ldr r0, [pc, #4]
                f7ff fffe | bl die
                -> 10 die
                ffffffff | literal
            ",
            &["g 8 8 external die"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn the_worst_case_over_calls() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "
            f:
                b510 | push {r4, lr}
                f000 f804 | bl g
                e8bd 4010 | pop.w {r4, lr}
                f000 b800 | b.w g
            g:
                b082 | sub sp, #8
                b002 | add sp, #8
                4770 | bx lr
            ",
            &["f 8 16", "g 8 8"],
        ),
        (
            "
            f:
                4718 | bx r3
            g:
                b510 | push {r4, lr}
                4798 | blx r3
                f7ff fffb | bl f
                bd10 | pop {r4, pc}
            ",
            &["f 0 0 indirect f", "g 8 8 indirect f, indirect g"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                f000 f803 | bl g+2
                bc10 | pop {r4}
                b001 | add sp, #4
            g:
                bf00 | nop
                b082 | sub sp, #8
                b002 | add sp, #8
                4770 | bx lr
            ",
            &["f 8 16", "g 8 8"],
        ),
        (
            "
            f:
                b510 | push {r4, lr}
                f7ff fffd | bl f
                f000 f801 | bl g
                bd10 | pop {r4, pc}
            g:
                b084 | sub sp, #16
                b004 | add sp, #16
                4770 | bx lr
            ",
            &["f 8 24 recursion f", "g 16 16"],
        ),
        (
            "
            a:
                b510 | push {r4, lr}
                f7ff fffe | bl b
                -> 10 b
                bd10 | pop {r4, pc}
            b:
                b570 | push {r4-r6, lr}
                f7ff fffe | bl a
                -> 10 a
                bd70 | pop {r4-r6, pc}
            c:
                b510 | push {r4, lr}
                f7ff fffe | bl a
                -> 10 a
                bd10 | pop {r4, pc}
            ",
            &["a 8 24 recursion a, recursion b", "b 16 24 recursion a, recursion b", "c 8 32 recursion a, recursion b"],
        ),
    ];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn veneers() {
    let cases: [(&str, &[&str]); 1] = [(
        "
            f:
                .t
                f8df f000 | ldr.w pc, [pc]
                .d
                00000000
                -> 2 i
                .t
            g:
                f240 0c00 | movw ip, #:lower16:far
                -> 47 far
                f2c0 0c00 | movt ip, #:upper16:far
                -> 48 far
                4760 | bx ip
                bf00 | nop
            h:
                4778 | bx pc
                bf00 | nop
            i:
                4b01 | ldr r3, [pc, #4]
                4798 | blx r3
                4770 | bx lr
                bf00 | nop
                .d
                00000000
                -> 2 g
            ",
        &["f 0 0 external far", "g 0 0 external far", "h 0 0 external far", "i 0 0 external far"],
    )];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn frames_of_arm_code() {
    let cases: [(&str, &[&str]); 1] = [(
        "
            f:
                .a
                e92d4010 | push {r4, lr}
                e24dd901 | sub sp, sp, #16384
                ebfffffe | bl ext
                -> 28 ext
                e28dd901 | add sp, sp, #16384
                e8bd8010 | pop {r4, pc}
            g:
                e3500000 | cmp r0, #0
                192d4010 | pushne {r4, lr}
                124dd008 | subne sp, sp, #8
                128dd008 | addne sp, sp, #8
                18bd8010 | popne {r4, pc}
                e12fff1e | bx lr
            h:
                e1a0c00d | mov ip, sp
                e92dd800 | push {fp, ip, lr, pc}
                e24cb004 | sub fp, ip, #4
                e24dd008 | sub sp, sp, #8
                e91ba800 | ldmdb fp, {fp, sp, pc}
            i:
                e3500001 | cmp r0, #1
                979ff100 | ldrls pc, [pc, r0, lsl #2]
                e12fff1e | bx lr
                .d
                00000010
                -> 2 i
                .a
                e92d4010 | push {r4, lr}
                e8bd8010 | pop {r4, pc}
            j:
                e92d4010 | push {r4, lr}
                e1a0e00f | mov lr, pc
                e12fff13 | bx r3
                e8bd8010 | pop {r4, pc}
            k:
                179ff100 | ldrne pc, [pc, r0, lsl #2]
                eafffffe | b far
                -> 29 far
            ",
        &[
            "f 16392 16392 external ext",
            "g 16 16",
            "h 24 24",
            "i 8 8",
            "j 8 8 indirect j",
            "k 0 0 indirect k, external far",
        ],
    )];
    for (text, expected) in cases {
        check_stacks(Architecture::Arm, text, expected);
    }
}

#[test]
fn references_of_arm_code() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "
            f:
                .t
                4805 | ldr r0, [pc, #20]
                e9df 2305 | ldrd r2, r3, [pc, #20]
                ed9f 0b04 | vldr d0, [pc, #16]
                f20f 0110 | adr.w r1, .+16
                f240 0000 | movw r0, #:lower16:table
                -> 47 table
                f2c0 0000 | movt r0, #:upper16:table
                -> 48 table
                4770 | bx lr
                .d
                00000004
                -> 2 table
                00000000
            ",
            &[
                "f loads 4 at .text+0x18",
                "f loads 8 at .text+0x18",
                "f knows .text+0x1c",
                "f knows .rodata+0x0",
                "f knows .rodata+0x4",
            ],
        ),
        (
            "
            f:
                .t
                e8df f000 | tbb [pc, r0]
                .d
                0201
                .t
                4770 | bx lr
                4770 | bx lr
            g:
                f7ff fffc | bl f+4
            ",
            &["f loads 2 at .text+0x4", "g calls .text+0x6"],
        ),
        (
            "
            f:
                .t
                f8df f000 | ldr.w pc, [pc]
                .d
                00000000
                -> 2 i
                .t
            i:
                4770 | bx lr
                4801 | ldr r0, [pc, #4]
                4770 | bx lr
                bf00 | nop
                .d
                00000001
                -> 2 f
            ",
            &[
                "f loads 4 at .text+0x4",
                "f knows .text+0x8",
                "f calls .text+0x8",
                "i knows .text+0x0",
                "i loads 4 at .text+0x10",
            ],
        ),
        (
            "
            f:
                .t
                4770 | bx lr
                bf00 | nop
                4800 | ldr r0, [pc, #0]
                4770 | bx lr
                .d
                00000000
                -> 2 table
            ",
            &["f loads 4 at .text+0x8", "f knows .rodata+0x0"],
        ),
    ];
    for (text, expected) in cases {
        check_references(Architecture::Arm, text, expected);
    }
}
