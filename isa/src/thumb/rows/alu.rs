//! Data processing: arithmetic, logic, moves, shifts, bit fields, extension, saturation (A5.2.1 to A5.3.12).

macro_rules! alu_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    AdcImm "adc" "=Rd, Rn, #imm" V7M Alu ARITH_CARRY {
        "T1" "11110 i 01010 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    AdcReg "adc" "=Rd, Rn, Rm{, shift}" V7M Alu ARITH_CARRY {
        "T1" "010000 0101 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101011010 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    AddImm "add" "=Rd, Rn, #imm" V7M Alu ARITH {
        "T1" "0001110 iii nnn ddd" [SetsFlagsOutsideIt, SpareIfSame]
        "T2" "00110 ddd iiiiiiii" [Same(N, D), SetsFlagsOutsideIt]
        "SP T1" "10101 ddd iiiiiiii" [Is(N, 13), Scale(2)]
        "SP T2" "101100000 iiiiiii" [Is(D, 13), Is(N, 13), Scale(2)]
        "T3" "11110 i 01000 S nnnn 0 iii dddd iiiiiiii" [Modified, NoPc("dn"), SpFromSp]
    }
    AddReg "add" "=Rd, Rn, Rm{, shift}" V7M Alu ARITH {
        "T1" "0001100 mmm nnn ddd" [SetsFlagsOutsideIt]
        "T2" "01000100 d mmmm ddd" [Same(N, D), NoSp("m"), NotBoth(D, M, 15), SpareIfLowInIt]
        "SP T1" "01000100 d 1101 ddd" [Is(N, 13), Same(M, D), NoPc("d")]
        "T3" "11101011000 S nnnn 0 hhh dddd hh tt mmmm" [NoPc("dn"), NoSpPc("m"), SpFromSpShift]
    }
    AddwImm "addw" "=Rd, Rn, #imm" V7M Alu KEEP {
        "T4" "11110 i 100000 nnnn 0 iii dddd iiiiiiii" [NoPc("dn"), SpFromSp]
    }
    Adr "adr" "=Rd, adr" V7M Alu KEEP {
        "T1" "10100 ddd iiiiiiii" [Scale(2)]
        "T3" "11110 i 100000 1111 0 iii dddd iiiiiiii" [NoSpPc("d")]
        "T2" "11110 i 101010 1111 0 iii dddd iiiiiiii" [Negative, NoSpPc("d")]
    }
    AndImm "and" "=Rd, Rn, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00000 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    AndReg "and" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
        "T1" "010000 0000 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101010000 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    BicImm "bic" "=Rd, Rn, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00001 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    BicReg "bic" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
        "T1" "010000 1110 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101010001 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    CmnImm "cmn" "Rn, #imm" V7M Alu COMPARE {
        "T1" "11110 i 010001 nnnn 0 iii 1111 iiiiiiii" [Modified, NoPc("n")]
    }
    CmnReg "cmn" "Rn, Rm{, shift}" V7M Alu COMPARE {
        "T1" "010000 1011 mmm nnn" []
        "T2" "111010110001 nnnn 0 hhh 1111 hh tt mmmm" [NoPc("n"), NoSpPc("m")]
    }
    CmpImm "cmp" "Rn, #imm" V7M Alu COMPARE {
        "T1" "00101 nnn iiiiiiii" []
        "T2" "11110 i 011011 nnnn 0 iii 1111 iiiiiiii" [Modified, NoPc("n")]
    }
    CmpReg "cmp" "Rn, Rm{, shift}" V7M Alu COMPARE {
        "T1" "010000 1010 mmm nnn" []
        "T2" "01000101 n mmmm nnn" [NotBothLow(N, M), NoPc("nm")]
        "T3" "111010111011 nnnn 0 hhh 1111 hh tt mmmm" [NoPc("n"), NoSpPc("m")]
    }
    EorImm "eor" "=Rd, Rn, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00100 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    EorReg "eor" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
        "T1" "010000 0001 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101010100 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    MovImm "mov" "=Rd, #imm" V7M Alu LOGIC {
        "T1" "00100 ddd iiiiiiii" [SetsFlagsOutsideIt]
        "T2" "11110 i 00010 S 1111 0 iii dddd iiiiiiii" [Modified, NoSpPc("d")]
    }
    MovReg "mov" "=Rd, Rm" V7M Alu RESULT {
        "T1" "01000110 d mmmm ddd" []
        "T2" "0000000000 mmm ddd" [SetsFlags, NotInIt]
        "T3" "11101010010 S 1111 0000 dddd 0000 mmmm" [WideMove]
    }
    Movw "movw" "=Rd, #imm" V7M Alu KEEP {
        "T3" "11110 i 100100 jjjj 0 iii dddd iiiiiiii" [NoSpPc("d")]
    }
    Movt "movt" "+Rd, #imm" V7M Alu KEEP {
        "T1" "11110 i 101100 jjjj 0 iii dddd iiiiiiii" [NoSpPc("d")]
    }
    MvnImm "mvn" "=Rd, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00011 S 1111 0 iii dddd iiiiiiii" [Modified, NoSpPc("d")]
    }
    MvnReg "mvn" "=Rd, Rm{, shift}" V7M Alu LOGIC {
        "T1" "010000 1111 mmm ddd" [SetsFlagsOutsideIt]
        "T2" "11101010011 S 1111 0 hhh dddd hh tt mmmm" [NoSpPc("dm")]
    }
    OrnImm "orn" "=Rd, Rn, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00011 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    OrnReg "orn" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
        "T1" "11101010011 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    OrrImm "orr" "=Rd, Rn, #imm" V7M Alu LOGIC {
        "T1" "11110 i 00010 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    OrrReg "orr" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
        "T1" "010000 1100 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101010010 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    RsbImm "rsb" "=Rd, Rn, #imm" V7M Alu ARITH {
        "T1" "010000 1001 nnn ddd" [SetsFlagsOutsideIt]
        "T2" "11110 i 01110 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    RsbReg "rsb" "=Rd, Rn, Rm{, shift}" V7M Alu ARITH {
        "T1" "11101011110 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    SbcImm "sbc" "=Rd, Rn, #imm" V7M Alu ARITH_CARRY {
        "T1" "11110 i 01011 S nnnn 0 iii dddd iiiiiiii" [Modified, NoSpPc("dn")]
    }
    SbcReg "sbc" "=Rd, Rn, Rm{, shift}" V7M Alu ARITH_CARRY {
        "T1" "010000 0110 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11101011011 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
    }
    SubImm "sub" "=Rd, Rn, #imm" V7M Alu ARITH {
        "T1" "0001111 iii nnn ddd" [SetsFlagsOutsideIt, SpareIfSame]
        "T2" "00111 ddd iiiiiiii" [Same(N, D), SetsFlagsOutsideIt]
        "SP T1" "101100001 iiiiiii" [Is(D, 13), Is(N, 13), Scale(2)]
        "T3" "11110 i 01101 S nnnn 0 iii dddd iiiiiiii" [Modified, NoPc("dn"), SpFromSp]
    }
    SubReg "sub" "=Rd, Rn, Rm{, shift}" V7M Alu ARITH {
        "T1" "0001101 mmm nnn ddd" [SetsFlagsOutsideIt]
        "T2" "11101011101 S nnnn 0 hhh dddd hh tt mmmm" [NoPc("dn"), NoSpPc("m"), SpFromSpShift]
    }
    SubwImm "subw" "=Rd, Rn, #imm" V7M Alu KEEP {
        "T4" "11110 i 101010 nnnn 0 iii dddd iiiiiiii" [NoPc("dn"), SpFromSp]
    }
    TeqImm "teq" "Rn, #imm" V7M Alu TEST {
        "T1" "11110 i 001001 nnnn 0 iii 1111 iiiiiiii" [Modified, NoSpPc("n")]
    }
    TeqReg "teq" "Rn, Rm{, shift}" V7M Alu TEST {
        "T1" "111010101001 nnnn 0 hhh 1111 hh tt mmmm" [NoSpPc("nm")]
    }
    TstImm "tst" "Rn, #imm" V7M Alu TEST {
        "T1" "11110 i 000001 nnnn 0 iii 1111 iiiiiiii" [Modified, NoSpPc("n")]
    }
    TstReg "tst" "Rn, Rm{, shift}" V7M Alu TEST {
        "T1" "010000 1000 mmm nnn" []
        "T2" "111010100001 nnnn 0 hhh 1111 hh tt mmmm" [NoSpPc("nm")]
    }

    AsrImm "asr" "=Rd, Rm, #shift" V7M Alu SHIFT {
        "T1" "00010 hhhhh mmm ddd" [Kind(ShiftKind::Asr), SetsFlagsOutsideIt]
        "T2" "11101010010 S 1111 0 hhh dddd hh 10 mmmm" [Kind(ShiftKind::Asr), NoSpPc("dm")]
    }
    AsrReg "asr" "=Rd, Rn, Rm" V7M Alu SHIFT_REG {
        "T1" "010000 0100 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11111010010 S nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    LslImm "lsl" "=Rd, Rm, #shift" V7M Alu SHIFT {
        "T1" "00000 hhhhh mmm ddd" [Kind(ShiftKind::Lsl), Shifted, SetsFlagsOutsideIt]
        "T2" "11101010010 S 1111 0 hhh dddd hh 00 mmmm" [Kind(ShiftKind::Lsl), Shifted, NoSpPc("dm")]
    }
    LslReg "lsl" "=Rd, Rn, Rm" V7M Alu SHIFT_REG {
        "T1" "010000 0010 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11111010000 S nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    LsrImm "lsr" "=Rd, Rm, #shift" V7M Alu SHIFT {
        "T1" "00001 hhhhh mmm ddd" [Kind(ShiftKind::Lsr), SetsFlagsOutsideIt]
        "T2" "11101010010 S 1111 0 hhh dddd hh 01 mmmm" [Kind(ShiftKind::Lsr), NoSpPc("dm")]
    }
    LsrReg "lsr" "=Rd, Rn, Rm" V7M Alu SHIFT_REG {
        "T1" "010000 0011 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11111010001 S nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    RorImm "ror" "=Rd, Rm, #shift" V7M Alu SHIFT {
        "T1" "11101010010 S 1111 0 hhh dddd hh 11 mmmm" [Kind(ShiftKind::Ror), Shifted, NoSpPc("dm")]
    }
    RorReg "ror" "=Rd, Rn, Rm" V7M Alu SHIFT_REG {
        "T1" "010000 0111 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
        "T2" "11111010011 S nnnn 1111 dddd 0000 mmmm" [NoSpPc("dnm")]
    }
    Rrx "rrx" "=Rd, Rm" V7M Alu ROTATE_CARRY {
        "T1" "11101010010 S 1111 0000 dddd 0011 mmmm" [NoSpPc("dm")]
    }

    Bfc "bfc" "+Rd, #imm, #imm2" V7M Alu KEEP {
        "T1" "11110 0 110110 1111 0 iii dddd ii 0 wwwww" [TopBit, NoSpPc("d"), FieldInWord]
    }
    Bfi "bfi" "+Rd, Rn, #imm, #imm2" V7M Alu KEEP {
        "T1" "11110 0 110110 nnnn 0 iii dddd ii 0 wwwww" [TopBit, NoSpPc("dn"), FieldInWord]
    }
    Sbfx "sbfx" "=Rd, Rn, #imm, #imm2" V7M Alu KEEP {
        "T1" "11110 0 110100 nnnn 0 iii dddd ii 0 wwwww" [Width, NoSpPc("dn"), FieldInWord]
    }
    Ubfx "ubfx" "=Rd, Rn, #imm, #imm2" V7M Alu KEEP {
        "T1" "11110 0 111100 nnnn 0 iii dddd ii 0 wwwww" [Width, NoSpPc("dn"), FieldInWord]
    }
    Ssat "ssat" "=Rd, #imm2, Rn{, shift}" V7M Alu SATURATE {
        "T1" "11110 0 1100 t 0 nnnn 0 hhh dddd hh 0 kkkkk" [PlusOne, NoSpPc("dn")]
    }
    Usat "usat" "=Rd, #imm2, Rn{, shift}" V7M Alu SATURATE {
        "T1" "11110 0 1110 t 0 nnnn 0 hhh dddd hh 0 kkkkk" [NoSpPc("dn")]
    }
    Clz "clz" "=Rd, Rm" V7M Alu KEEP {
        "T1" "111110101011 eeee 1111 dddd 1000 mmmm" [NoSpPc("dm")]
    }
    Rbit "rbit" "=Rd, Rm" V7M Alu KEEP {
        "T1" "111110101001 eeee 1111 dddd 1010 mmmm" [NoSpPc("dm")]
    }
    Rev "rev" "=Rd, Rm" V7M Alu KEEP {
        "T1" "1011101000 mmm ddd" []
        "T2" "111110101001 eeee 1111 dddd 1000 mmmm" [NoSpPc("dm")]
    }
    Rev16 "rev16" "=Rd, Rm" V7M Alu KEEP {
        "T1" "1011101001 mmm ddd" []
        "T2" "111110101001 eeee 1111 dddd 1001 mmmm" [NoSpPc("dm")]
    }
    Revsh "revsh" "=Rd, Rm" V7M Alu KEEP {
        "T1" "1011101011 mmm ddd" []
        "T2" "111110101001 eeee 1111 dddd 1011 mmmm" [NoSpPc("dm")]
    }
    Sxtb "sxtb" "=Rd, Rm{, shift}" V7M Alu KEEP {
        "T1" "1011001001 mmm ddd" []
        "T2" "111110100100 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    Sxth "sxth" "=Rd, Rm{, shift}" V7M Alu KEEP {
        "T1" "1011001000 mmm ddd" []
        "T2" "111110100000 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    Uxtb "uxtb" "=Rd, Rm{, shift}" V7M Alu KEEP {
        "T1" "1011001011 mmm ddd" []
        "T2" "111110100101 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    Uxth "uxth" "=Rd, Rm{, shift}" V7M Alu KEEP {
        "T1" "1011001010 mmm ddd" []
        "T2" "111110100001 1111 1111 dddd 10 rr mmmm" [NoSpPc("dm")]
    }
    }};
}
