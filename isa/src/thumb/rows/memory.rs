//! Loads, stores, preloads, exclusives, and register lists (A5.2.4, A5.2.5, A5.3.5 to A5.3.10).

macro_rules! memory_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    LdrImm "ldr" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 4 {
        "T1" "01101 iiiii nnn ddd" [Scale(2)]
        "T2" "10011 ddd iiiiiiii" [Is(N, 13), Scale(2)]
        "T3" "11111000 1101 nnnn dddd iiiiiiiiiiii" [NoPc("n")]
        "T4" "11111000 0101 nnnn dddd 1100 iiiiiiii" [Negative, NoPc("n")]
        "T4" "11111000 0101 nnnn dddd 1PU1 iiiiiiii" [NoPc("n"), WriteBackNot("d"), SeeStack]
    }
    LdrLit "ldr" "=Rt, literal" V7M LoadLiteral KEEP Loads 4 {
        "T1" "01001 ddd iiiiiiii" [Scale(2)]
        "T2" "11111000 U 1011111 dddd iiiiiiiiiiii" [PcFromAligned]
    }
    LdrReg "ldr" "=Rt, [Rn, Rm{, shift}]" V7M Load KEEP Loads 4 {
        "T1" "0101100 mmm nnn ddd" []
        "T2" "11111000 0101 nnnn dddd 000000 hh mmmm" [Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    LdrbImm "ldrb" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 1 {
        "T1" "01111 iiiii nnn ddd" []
        "T2" "11111000 1001 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T3" "11111000 0001 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T3" "11111000 0001 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    LdrbLit "ldrb" "=Rt, literal" V7M LoadLiteral KEEP Loads 1 {
        "T1" "11111000 U 0011111 dddd iiiiiiiiiiii" [NoSpPc("d")]
    }
    LdrbReg "ldrb" "=Rt, [Rn, Rm{, shift}]" V7M Load KEEP Loads 1 {
        "T1" "0101110 mmm nnn ddd" []
        "T2" "11111000 0001 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    LdrhImm "ldrh" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 2 {
        "T1" "10001 iiiii nnn ddd" [Scale(1)]
        "T2" "11111000 1011 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T3" "11111000 0011 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T3" "11111000 0011 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    LdrhLit "ldrh" "=Rt, literal" V7M LoadLiteral KEEP Loads 2 {
        "T1" "11111000 U 0111111 dddd iiiiiiiiiiii" [NoSpPc("d")]
    }
    LdrhReg "ldrh" "=Rt, [Rn, Rm{, shift}]" V7M Load KEEP Loads 2 {
        "T1" "0101101 mmm nnn ddd" []
        "T2" "11111000 0011 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    LdrsbImm "ldrsb" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 1 {
        "T1" "11111001 1001 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T2" "11111001 0001 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T2" "11111001 0001 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    LdrsbLit "ldrsb" "=Rt, literal" V7M LoadLiteral KEEP Loads 1 {
        "T1" "11111001 U 0011111 dddd iiiiiiiiiiii" [NoSpPc("d")]
    }
    LdrsbReg "ldrsb" "=Rt, [Rn, Rm{, shift}]" V7M Load KEEP Loads 1 {
        "T1" "0101011 mmm nnn ddd" []
        "T2" "11111001 0001 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    LdrshImm "ldrsh" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 2 {
        "T1" "11111001 1011 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T2" "11111001 0011 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T2" "11111001 0011 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    LdrshLit "ldrsh" "=Rt, literal" V7M LoadLiteral KEEP Loads 2 {
        "T1" "11111001 U 0111111 dddd iiiiiiiiiiii" [NoSpPc("d")]
    }
    LdrshReg "ldrsh" "=Rt, [Rn, Rm{, shift}]" V7M Load KEEP Loads 2 {
        "T1" "0101111 mmm nnn ddd" []
        "T2" "11111001 0011 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    StrImm "str" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 4 {
        "T1" "01100 iiiii nnn ddd" [Scale(2)]
        "T2" "10010 ddd iiiiiiii" [Is(N, 13), Scale(2)]
        "T3" "11111000 1100 nnnn dddd iiiiiiiiiiii" [NoPc("d"), NoPc("n")]
        "T4" "11111000 0100 nnnn dddd 1100 iiiiiiii" [NoPc("d"), Negative, NoPc("n")]
        "T4" "11111000 0100 nnnn dddd 1PU1 iiiiiiii" [NoPc("d"), NoPc("n"), WriteBackNot("d"), SeeStack]
    }
    StrReg "str" "Rt, [Rn, Rm{, shift}]" V7M StoreIndexed KEEP Stores 4 {
        "T1" "0101000 mmm nnn ddd" []
        "T2" "11111000 0100 nnnn dddd 000000 hh mmmm" [NoPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    StrbImm "strb" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 1 {
        "T1" "01110 iiiii nnn ddd" []
        "T2" "11111000 1000 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T3" "11111000 0000 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T3" "11111000 0000 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    StrbReg "strb" "Rt, [Rn, Rm{, shift}]" V7M StoreIndexed KEEP Stores 1 {
        "T1" "0101010 mmm nnn ddd" []
        "T2" "11111000 0000 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    StrhImm "strh" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 2 {
        "T1" "10000 iiiii nnn ddd" [Scale(1)]
        "T2" "11111000 1010 nnnn dddd iiiiiiiiiiii" [NoSpPc("d"), NoPc("n")]
        "T3" "11111000 0010 nnnn dddd 1100 iiiiiiii" [NoSpPc("d"), Negative, NoPc("n")]
        "T3" "11111000 0010 nnnn dddd 1PU1 iiiiiiii" [NoSpPc("d"), NoPc("n"), WriteBackNot("d")]
    }
    StrhReg "strh" "Rt, [Rn, Rm{, shift}]" V7M StoreIndexed KEEP Stores 2 {
        "T1" "0101001 mmm nnn ddd" []
        "T2" "11111000 0010 nnnn dddd 000000 hh mmmm" [NoSpPc("d"), Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    LdrdImm "ldrd" "=Rt, =Rt2, [Rn{, #imm}]" V7M LoadDouble KEEP Loads 8 {
        "T1" "1110100 1U1W1 nnnn dddd aaaa iiiiiiii" [Scale(2), NoSpPc("da"), NoPc("n"), Differ("da"), WriteBackNot("da")]
        "T1" "1110100 0U111 nnnn dddd aaaa iiiiiiii" [Scale(2), Always(Mode::PostIndex), NoSpPc("da"), NoPc("n"), Differ("da"), WriteBackNot("da")]
    }
    LdrdLit "ldrd" "=Rt, =Rt2, literal" V7M LoadDouble KEEP Loads 8 {
        "T1" "1110100 1U101 1111 dddd aaaa iiiiiiii" [Scale(2), NoSpPc("da"), Differ("da")]
    }
    StrdImm "strd" "Rt, Rt2, [Rn{, #imm}]" V7M StoreDouble KEEP Stores 8 {
        "T1" "1110100 1U1W0 nnnn dddd aaaa iiiiiiii" [Scale(2), NoSpPc("da"), NoPc("n"), WriteBackNot("da")]
        "T1" "1110100 0U110 nnnn dddd aaaa iiiiiiii" [Scale(2), Always(Mode::PostIndex), NoSpPc("da"), NoPc("n"), WriteBackNot("da")]
    }
    Ldrt "ldrt" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 4 {
        "T1" "11111000 0101 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Ldrbt "ldrbt" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 1 {
        "T1" "11111000 0001 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Ldrht "ldrht" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 2 {
        "T1" "11111000 0011 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Ldrsbt "ldrsbt" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 1 {
        "T1" "11111001 0001 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Ldrsht "ldrsht" "=Rt, [Rn{, #imm}]" V7M Load KEEP Loads 2 {
        "T1" "11111001 0011 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Strt "strt" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 4 {
        "T1" "11111000 0100 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Strbt "strbt" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 1 {
        "T1" "11111000 0000 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Strht "strht" "Rt, [Rn{, #imm}]" V7M Store KEEP Stores 2 {
        "T1" "11111000 0010 nnnn dddd 1110 iiiiiiii" [NoSpPc("d"), NoPc("n")]
    }
    Ldrex "ldrex" "=Rt, [Rn{, #imm}]" V7M LoadExclusive KEEP Loads 4 {
        "T1" "111010000101 nnnn dddd 1111 iiiiiiii" [Scale(2), NoSpPc("d"), NoPc("n")]
    }
    Ldrexb "ldrexb" "=Rt, [Rn]" V7M LoadExclusive KEEP Loads 1 {
        "T1" "111010001101 nnnn dddd 1111 0100 1111" [NoSpPc("d"), NoPc("n")]
    }
    Ldrexh "ldrexh" "=Rt, [Rn]" V7M LoadExclusive KEEP Loads 2 {
        "T1" "111010001101 nnnn dddd 1111 0101 1111" [NoSpPc("d"), NoPc("n")]
    }
    Strex "strex" "=Rd, Rm, [Rn{, #imm}]" V7M StoreExclusive KEEP Stores 4 {
        "T1" "111010000100 nnnn mmmm dddd iiiiiiii" [Scale(2), NoSpPc("dm"), NoPc("n"), Differ("dn"), Differ("dm")]
    }
    Strexb "strexb" "=Rd, Rm, [Rn]" V7M StoreExclusive KEEP Stores 1 {
        "T1" "111010001100 nnnn mmmm 1111 0100 dddd" [NoSpPc("dm"), NoPc("n"), Differ("dn"), Differ("dm")]
    }
    Strexh "strexh" "=Rd, Rm, [Rn]" V7M StoreExclusive KEEP Stores 2 {
        "T1" "111010001100 nnnn mmmm 1111 0101 dddd" [NoSpPc("dm"), NoPc("n"), Differ("dn"), Differ("dm")]
    }
    Clrex "clrex" "" V7M System KEEP {
        "T1" "1111001110111111 1000111100101111" []
    }
    PldImm "pld" "[Rn{, #imm}]" V7M Preload KEEP {
        "T1" "11111000 1001 nnnn 1111 iiiiiiiiiiii" [NoPc("n")]
        "T2" "11111000 0001 nnnn 1111 1100 iiiiiiii" [Negative, NoPc("n")]
    }
    PldLit "pld" "literal" V7M Preload KEEP {
        "T1" "11111000 U 0011111 1111 iiiiiiiiiiii" []
    }
    PldReg "pld" "[Rn, Rm{, shift}]" V7M Preload KEEP {
        "T1" "11111000 0001 nnnn 1111 000000 hh mmmm" [Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }
    PliImm "pli" "[Rn{, #imm}]" V7M Preload KEEP {
        "T1" "11111001 1001 nnnn 1111 iiiiiiiiiiii" [NoPc("n")]
        "T2" "11111001 0001 nnnn 1111 1100 iiiiiiii" [Negative, NoPc("n")]
    }
    PliLit "pli" "literal" V7M Preload KEEP {
        "T3" "11111001 U 0011111 1111 iiiiiiiiiiii" []
    }
    PliReg "pli" "[Rn, Rm{, shift}]" V7M Preload KEEP {
        "T1" "11111001 0001 nnnn 1111 000000 hh mmmm" [Kind(ShiftKind::Lsl), NoPc("n"), NoSpPc("m")]
    }

    Ldm "ldm" "Rn{!}, list" V7M LoadMultiple KEEP Loads 4 {
        "T1" "11001 nnn llllllll" [WritesBackUnlessLoaded, AtLeast(1)]
        "T2" "1110100010 W 1 nnnn C L 0 lllllllllllll" [NoPc("n"), AtLeast(2), NotLrAndPc, BaseNotInList, SeeStack]
    }
    Ldmdb "ldmdb" "Rn{!}, list" V7M LoadMultiple KEEP Loads 4 {
        "T1" "1110100100 W 1 nnnn C L 0 lllllllllllll" [NoPc("n"), AtLeast(2), NotLrAndPc, BaseNotInList]
    }
    Stm "stm" "Rn{!}, list" V7M StoreMultiple KEEP Stores 4 {
        "T1" "11000 nnn llllllll" [Always(Mode::PreIndex), AtLeast(1), BaseLowest]
        "T2" "1110100010 W 0 nnnn 0 L 0 lllllllllllll" [NoPc("n"), AtLeast(2), BaseNotInList]
    }
    Stmdb "stmdb" "Rn{!}, list" V7M StoreMultiple KEEP Stores 4 {
        "T1" "1110100100 W 0 nnnn 0 L 0 lllllllllllll" [NoPc("n"), AtLeast(2), BaseNotInList, SeeStack]
    }
    Push "push" "list" V7M StoreMultiple KEEP Stores 4 {
        "T1" "1011010 L llllllll" [AtLeast(1)]
        "T2" "1110100100101101 0 L 0 lllllllllllll" [AtLeast(2)]
        "T3" "1111100001001101 gggg 110100000100" [NotListed(13), NotListed(15)]
    }
    Pop "pop" "list" V7M LoadMultiple KEEP Loads 4 {
        "T1" "1011110 C llllllll" [AtLeast(1)]
        "T2" "1110100010111101 C L 0 lllllllllllll" [AtLeast(2), NotLrAndPc]
        "T3" "1111100001011101 gggg 101100000100" [NotListed(13)]
    }
    }};
}
