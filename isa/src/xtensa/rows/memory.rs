//! Loads and stores of a0..a15.

macro_rules! memory_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    L8ui "l8ui" "=at, as, imm" Core Load KEEP Loads 1 "iiiiiiii 0000 ssss tttt 0010" []
    L16ui "l16ui" "=at, as, imm" Core Load KEEP Loads 2 "iiiiiiii 0001 ssss tttt 0010" [Scale(1)]
    L16si "l16si" "=at, as, imm" Core Load KEEP Loads 2 "iiiiiiii 1001 ssss tttt 0010" [Scale(1)]
    L32i "l32i" "=at, as, imm" Core Load KEEP Loads 4 "iiiiiiii 0010 ssss tttt 0010" [Scale(2)]
    S8i "s8i" "at, as, imm" Core Store KEEP Stores 1 "iiiiiiii 0100 ssss tttt 0010" []
    S16i "s16i" "at, as, imm" Core Store KEEP Stores 2 "iiiiiiii 0101 ssss tttt 0010" [Scale(1)]
    S32i "s32i" "at, as, imm" Core Store KEEP Stores 4 "iiiiiiii 0110 ssss tttt 0010" [Scale(2)]
    L32iN "l32i.n" "=at, as, imm" Density Load KEEP Loads 4 "iiii ssss tttt 1000" [Scale(2)]
    S32iN "s32i.n" "at, as, imm" Density Store KEEP Stores 4 "iiii ssss tttt 1001" [Scale(2)]
    L32r "l32r" "=at, literal" Core LoadLiteral KEEP Loads 4 "iiiiiiii iiiiiiii tttt 0001" [Below, Scale(2)]
    L32ai "l32ai" "=at, as, imm" Synchronization Synchronized KEEP Loads 4 "iiiiiiii 1011 ssss tttt 0010" [Scale(2)]
    S32ri "s32ri" "at, as, imm" Synchronization Synchronized KEEP Stores 4 "iiiiiiii 1111 ssss tttt 0010" [Scale(2)]
    S32c1i "s32c1i" "+at, as, imm" S32c1i Synchronized COMPARE Stores 4 "iiiiiiii 1110 ssss tttt 0010" [Scale(2)]
    L32e "l32e" "=at, as, imm" Windowed Load KEEP Loads 4 "0000 1001 iiii ssss tttt 0000" [Below, Scale(2)]
    S32e "s32e" "at, as, imm" Windowed Store KEEP Stores 4 "0100 1001 iiii ssss tttt 0000" [Below, Scale(2)]
    }};
}
