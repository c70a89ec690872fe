//! Branches, loops, jumps, calls without windows.

macro_rules! branch_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Beqz "beqz" "as, label" Core Branch KEEP "iiiiiiiiiiii ssss 00 01 0110" [Signed]
    Bnez "bnez" "as, label" Core Branch KEEP "iiiiiiiiiiii ssss 01 01 0110" [Signed]
    Bltz "bltz" "as, label" Core Branch KEEP "iiiiiiiiiiii ssss 10 01 0110" [Signed]
    Bgez "bgez" "as, label" Core Branch KEEP "iiiiiiiiiiii ssss 11 01 0110" [Signed]
    BeqzN "beqz.n" "as, label" Density Branch KEEP "iiii ssss 10 jj 1100" []
    BnezN "bnez.n" "as, label" Density Branch KEEP "iiii ssss 11 jj 1100" []
    Beqi "beqi" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 00 10 0110" [Signed, Constant]
    Bnei "bnei" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 01 10 0110" [Signed, Constant]
    Blti "blti" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 10 10 0110" [Signed, Constant]
    Bgei "bgei" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 11 10 0110" [Signed, Constant]
    Bltui "bltui" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 10 11 0110" [Signed, ConstantUnsigned]
    Bgeui "bgeui" "as, imm2, label" Core Branch KEEP "iiiiiiii kkkk ssss 11 11 0110" [Signed, ConstantUnsigned]
    Beq "beq" "as, at, label" Core Branch KEEP "iiiiiiii 0001 ssss tttt 0111" [Signed]
    Bne "bne" "as, at, label" Core Branch KEEP "iiiiiiii 1001 ssss tttt 0111" [Signed]
    Blt "blt" "as, at, label" Core Branch KEEP "iiiiiiii 0010 ssss tttt 0111" [Signed]
    Bge "bge" "as, at, label" Core Branch KEEP "iiiiiiii 1010 ssss tttt 0111" [Signed]
    Bltu "bltu" "as, at, label" Core Branch KEEP "iiiiiiii 0011 ssss tttt 0111" [Signed]
    Bgeu "bgeu" "as, at, label" Core Branch KEEP "iiiiiiii 1011 ssss tttt 0111" [Signed]
    Bany "bany" "as, at, label" Core Branch KEEP "iiiiiiii 1000 ssss tttt 0111" [Signed]
    Bnone "bnone" "as, at, label" Core Branch KEEP "iiiiiiii 0000 ssss tttt 0111" [Signed]
    Ball "ball" "as, at, label" Core Branch KEEP "iiiiiiii 0100 ssss tttt 0111" [Signed]
    Bnall "bnall" "as, at, label" Core Branch KEEP "iiiiiiii 1100 ssss tttt 0111" [Signed]
    Bbc "bbc" "as, at, label" Core Branch KEEP "iiiiiiii 0101 ssss tttt 0111" [Signed]
    Bbs "bbs" "as, at, label" Core Branch KEEP "iiiiiiii 1101 ssss tttt 0111" [Signed]
    Bbci "bbci" "as, imm2, label" Core Branch KEEP "iiiiiiii 011 l ssss kkkk 0111" [Signed]
    Bbsi "bbsi" "as, imm2, label" Core Branch KEEP "iiiiiiii 111 l ssss kkkk 0111" [Signed]

    Loop "loop" "as, label" Loop Loop SET_LOOP "iiiiiiii 1000 ssss 0111 0110" []
    Loopnez "loopnez" "as, label" Loop Loop SET_LOOP "iiiiiiii 1001 ssss 0111 0110" []
    Loopgtz "loopgtz" "as, label" Loop Loop SET_LOOP "iiiiiiii 1010 ssss 0111 0110" []

    J "j" "label" Core Jump KEEP "iiiiiiiiiiiiiiiiii 00 0110" [Signed]
    Jx "jx" "as" Core JumpRegister KEEP "0000 0000 0000 ssss 1010 0000" []
    Call0 "call0" "function" Core Call KEEP "iiiiiiiiiiiiiiiiii 00 0101" [Signed, Scale(2)]
    Callx0 "callx0" "as" Core CallRegister KEEP "0000 0000 0000 ssss 1100 0000" []
    Ret "ret" "" Core Return KEEP "0000 0000 0000 0000 1000 0000" []
    RetN "ret.n" "" Density Return KEEP "1111 0000 0000 1101" []
    }};
}
