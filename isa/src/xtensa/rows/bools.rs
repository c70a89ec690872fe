//! Boolean registers.

macro_rules! bools_rows {
    ([$next:ident $($rest:ident)*] $($done:tt)*) => { $next! { [$($rest)*] $($done)*

    Andb "andb" "=br, bs, bt" Bool Alu KEEP "0000 0010 rrrr ssss tttt 0000" []
    Andbc "andbc" "=br, bs, bt" Bool Alu KEEP "0001 0010 rrrr ssss tttt 0000" []
    Orb "orb" "=br, bs, bt" Bool Alu KEEP "0010 0010 rrrr ssss tttt 0000" []
    Orbc "orbc" "=br, bs, bt" Bool Alu KEEP "0011 0010 rrrr ssss tttt 0000" []
    Xorb "xorb" "=br, bs, bt" Bool Alu KEEP "0100 0010 rrrr ssss tttt 0000" []
    Any4 "any4" "=bt, bs" Bool Alu KEEP "0000 0000 1000 ssss tttt 0000" [Group(S, 4)]
    All4 "all4" "=bt, bs" Bool Alu KEEP "0000 0000 1001 ssss tttt 0000" [Group(S, 4)]
    Any8 "any8" "=bt, bs" Bool Alu KEEP "0000 0000 1010 ssss tttt 0000" [Group(S, 8)]
    All8 "all8" "=bt, bs" Bool Alu KEEP "0000 0000 1011 ssss tttt 0000" [Group(S, 8)]
    Bf "bf" "bs, label" Bool Branch KEEP "iiiiiiii 0000 ssss 0111 0110" [Signed]
    Bt "bt" "bs, label" Bool Branch KEEP "iiiiiiii 0001 ssss 0111 0110" [Signed]
    Movf "movf" "+ar, as, bt" Bool Alu KEEP "1100 0011 rrrr ssss tttt 0000" []
    Movt "movt" "+ar, as, bt" Bool Alu KEEP "1101 0011 rrrr ssss tttt 0000" []
    }};
}
