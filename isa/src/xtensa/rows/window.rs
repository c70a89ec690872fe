//! Windowed registers: calls, entry, return, and what their exception handlers need.

macro_rules! window_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Call4 "call4" "function" Windowed Call CALL_WINDOW "iiiiiiiiiiiiiiiiii 01 0101" [Signed, Scale(2)]
    Call8 "call8" "function" Windowed Call CALL_WINDOW "iiiiiiiiiiiiiiiiii 10 0101" [Signed, Scale(2)]
    Call12 "call12" "function" Windowed Call CALL_WINDOW "iiiiiiiiiiiiiiiiii 11 0101" [Signed, Scale(2)]
    Callx4 "callx4" "as" Windowed CallRegister CALL_WINDOW "0000 0000 0000 ssss 11 01 0000" []
    Callx8 "callx8" "as" Windowed CallRegister CALL_WINDOW "0000 0000 0000 ssss 11 10 0000" []
    Callx12 "callx12" "as" Windowed CallRegister CALL_WINDOW "0000 0000 0000 ssss 11 11 0000" []
    Entry "entry" "+as, imm" Windowed Window WINDOW "iiiiiiiiiiii ssss 0011 0110" [Scale(3), Under(S, 4)]
    Retw "retw" "" Windowed Return WINDOW "0000 0000 0000 0000 1001 0000" []
    RetwN "retw.n" "" Windowed Return WINDOW "1111 0000 0001 1101" []
    Movsp "movsp" "=at, as" Windowed Window WINDOW "0000 0000 0001 ssss tttt 0000" []
    Rotw "rotw" "imm" Windowed Window WINDOW "0100 0000 1000 0000 iiii 0000" [Signed]
    Rfwo "rfwo" "" Windowed ExceptionReturn SYSTEM_WINDOW "0000 0000 0011 0100 0000 0000" []
    Rfwu "rfwu" "" Windowed ExceptionReturn SYSTEM_WINDOW "0000 0000 0011 0101 0000 0000" []
    }};
}
