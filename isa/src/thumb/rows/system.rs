//! Hints, barriers, special registers, coprocessors (A5.2.5, A5.3.4, A5.3.18).

macro_rules! system_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Nop "nop" "" V7M Nop KEEP {
        "T1" "10111111 0000 0000" []
        "T2" "1111001110101111 10000000 00000000" []
    }
    Yield "yield" "" V7M Nop KEEP {
        "T1" "10111111 0001 0000" []
        "T2" "1111001110101111 10000000 00000001" []
    }
    Wfe "wfe" "" V7M Wait KEEP {
        "T1" "10111111 0010 0000" []
        "T2" "1111001110101111 10000000 00000010" []
    }
    Wfi "wfi" "" V7M Wait KEEP {
        "T1" "10111111 0011 0000" []
        "T2" "1111001110101111 10000000 00000011" []
    }
    Sev "sev" "" V7M Nop KEEP {
        "T1" "10111111 0100 0000" []
        "T2" "1111001110101111 10000000 00000100" []
    }
    Dbg "dbg" "#imm" V7M Nop KEEP {
        "T1" "1111001110101111 10000000 1111 iiii" []
    }
    Dmb "dmb" "option" V7M Barrier KEEP {
        "T1" "1111001110111111 10001111 0101 iiii" []
    }
    Dsb "dsb" "option" V7M Barrier KEEP {
        "T1" "1111001110111111 10001111 0100 iiii" []
    }
    Isb "isb" "option" V7M InstructionBarrier KEEP {
        "T1" "1111001110111111 10001111 0110 iiii" []
    }
    Cps "cps" "interrupts" V7M System KEEP {
        "T1" "10110110011 i 00 kk" [NonZero, NotInIt]
    }
    Mrs "mrs" "=Rd, special" V7M System READS_APSR {
        "T1" "1111001111101111 1000 dddd kkkkkkkk" [NoSpPc("d"), SpecialRegister]
    }
    Msr "msr" "special, Rn" V7M System WRITES_APSR {
        "T1" "111100111000 nnnn 1000 ii 00 kkkkkkkk" [NoSpPc("n"), SpecialRegister]
    }
    Cdp "cdp" "coprocessor, #opc1, CRd, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11101110 oooo yyyy xxxx pppp qqq 0 zzzz" [NotFpu]
    }
    Mcr "mcr" "coprocessor, #opc1, Rt, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11101110 ooo 0 yyyy dddd pppp qqq 1 zzzz" [NotFpu, NoSpPc("d")]
    }
    Mrc "mrc" "coprocessor, #opc1, =Rt, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11101110 ooo 1 yyyy dddd pppp qqq 1 zzzz" [NotFpu, NoSp("d")]
    }
    Mcrr "mcrr" "coprocessor, #opc1, Rt, Rt2, CRm" V7M Coprocessor KEEP {
        "T1" "111011000100 aaaa dddd pppp oooo zzzz" [NotFpu, NoSpPc("da")]
    }
    Mrrc "mrrc" "coprocessor, #opc1, =Rt, =Rt2, CRm" V7M Coprocessor KEEP {
        "T1" "111011000101 aaaa dddd pppp oooo zzzz" [NotFpu, NoSpPc("da"), Differ("da")]
    }
    Ldc "ldc" "coprocessor, CRd, [Rn{, #imm}]" V7M Coprocessor KEEP Loads 4 {
        "T1" "1110110 1UXW1 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, BaseNotPcIfWritten]
        "T1" "1110110 0UX11 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, Always(Mode::PostIndex), NoPc("n")]
        "T1" "1110110 01X01 nnnn xxxx pppp iiiiiiii" [Unindexed, NotFpu, NoPc("n")]
    }
    Stc "stc" "coprocessor, CRd, [Rn{, #imm}]" V7M Coprocessor KEEP Stores 4 {
        "T1" "1110110 1UXW0 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, NoPc("n")]
        "T1" "1110110 0UX10 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, Always(Mode::PostIndex), NoPc("n")]
        "T1" "1110110 01X00 nnnn xxxx pppp iiiiiiii" [Unindexed, NotFpu, NoPc("n")]
    }
    Cdp2 "cdp2" "coprocessor, #opc1, CRd, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11111110 oooo yyyy xxxx pppp qqq 0 zzzz" [NotFpu]
    }
    Mcr2 "mcr2" "coprocessor, #opc1, Rt, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11111110 ooo 0 yyyy dddd pppp qqq 1 zzzz" [NotFpu, NoSpPc("d")]
    }
    Mrc2 "mrc2" "coprocessor, #opc1, =Rt, CRn, CRm, #opc2" V7M Coprocessor KEEP {
        "T1" "11111110 ooo 1 yyyy dddd pppp qqq 1 zzzz" [NotFpu, NoSp("d")]
    }
    Mcrr2 "mcrr2" "coprocessor, #opc1, Rt, Rt2, CRm" V7M Coprocessor KEEP {
        "T1" "111111000100 aaaa dddd pppp oooo zzzz" [NotFpu, NoSpPc("da")]
    }
    Mrrc2 "mrrc2" "coprocessor, #opc1, =Rt, =Rt2, CRm" V7M Coprocessor KEEP {
        "T1" "111111000101 aaaa dddd pppp oooo zzzz" [NotFpu, NoSpPc("da"), Differ("da")]
    }
    Ldc2 "ldc2" "coprocessor, CRd, [Rn{, #imm}]" V7M Coprocessor KEEP Loads 4 {
        "T1" "1111110 1UXW1 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, BaseNotPcIfWritten]
        "T1" "1111110 0UX11 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, Always(Mode::PostIndex), NoPc("n")]
        "T1" "1111110 01X01 nnnn xxxx pppp iiiiiiii" [Unindexed, NotFpu, NoPc("n")]
    }
    Stc2 "stc2" "coprocessor, CRd, [Rn{, #imm}]" V7M Coprocessor KEEP Stores 4 {
        "T1" "1111110 1UXW0 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, NoPc("n")]
        "T1" "1111110 0UX10 nnnn xxxx pppp iiiiiiii" [Scale(2), NotFpu, Always(Mode::PostIndex), NoPc("n")]
        "T1" "1111110 01X00 nnnn xxxx pppp iiiiiiii" [Unindexed, NotFpu, NoPc("n")]
    }
    }};
}
