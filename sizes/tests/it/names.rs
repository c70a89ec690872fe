//! Names: whatever stands in a symbol table, and what other demanglers say.

use crate::mutated::next;
use sizes::names::{DEMANGLED_BYTES_MAX, crate_of, demangled, without_hash};
use std::process::Command;

/// Symbols of both of Rust's schemes and of C++, as compilers write them.
const SYMBOLS: &[&str] = &[
    "_ZN4core5slice89_$LT$impl$u20$core..iter..traits..IntoIterator$u20$for$u20$$RF$$u27$a$u20$$u5b$T$u5d$$GT$9into_iter17h450e234d27262170E",
    "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
    "_ZN9backtrace3foo17hbb467fcdaea5d79bE.llvm.A5310EB9",
    "_RNvXs5_NtCsd4VYFwevHkG_7mycrate3foojNtNtCs9ltgdHTiPiY_4core3fmt5Debug3fmt",
    "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_",
    "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
    "_RMC0INtC8arrayvec8ArrayVechNtC1a1BE",
    "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
    "_ZNK3FooclEv",
    "_ZN3FooC1Ev",
    "_ZThn8_N1A1fEv",
    "_ZZ4mainENKUlvE_clEv",
    "_ZN12_GLOBAL__N_11fEv",
    "_ZN1AIiE1gIcEEvT_",
    "_ZTV3Foo",
];

#[test]
fn damaged_names_never_panic_nor_grow() {
    let mut random = 7;
    for _ in 0..20_000 {
        let mut symbol = SYMBOLS[next(&mut random) as usize % SYMBOLS.len()].as_bytes().to_vec();
        for _ in 0..1 + next(&mut random) % 4 {
            let at = next(&mut random) as usize % symbol.len();
            let other = SYMBOLS[next(&mut random) as usize % SYMBOLS.len()].as_bytes();
            match next(&mut random) % 4 {
                0 => symbol[at] = next(&mut random) as u8,
                1 => drop(symbol.remove(at)),
                // Letters that mean something, at a wrong place.
                2 => symbol.insert(at, other[next(&mut random) as usize % other.len()]),
                _ => drop(symbol.splice(at.., other[at.min(other.len())..].iter().copied())),
            }
            if symbol.is_empty() {
                break;
            }
        }
        let symbol = String::from_utf8_lossy(&symbol);
        assert!(demangled(&symbol).len() <= DEMANGLED_BYTES_MAX.max(symbol.len()), "{symbol}");
        assert!(without_hash(&symbol).len() <= symbol.len());
        crate_of(&symbol);
    }
}

#[test]
#[ignore = "needs arm-none-eabi-c++filt"]
fn gnu_demangles_alike() {
    for symbol in SYMBOLS {
        let output = Command::new("arm-none-eabi-c++filt").arg(symbol).output();
        let output =
            output.unwrap_or_else(|why| panic!("arm-none-eabi-c++filt: {why}; `cargo xtask setup` installs it"));
        let gnu = String::from_utf8(output.stdout).unwrap();
        assert_eq!(demangled(symbol), without_disambiguators(gnu.trim()), "{symbol}");
    }
}

/// GNU shows the hashes of both schemes: `::h…` at the end, and `[…]` after each crate.
fn without_disambiguators(name: &str) -> String {
    let hash = name.rfind("::h").filter(|at| name[at + 3..].len() == 16);
    let mut rest = &name[..hash.unwrap_or(name.len())];
    let mut out = String::new();
    while let Some(at) = rest.find('[') {
        let end = rest[at..].find(']').map_or(rest.len(), |end| at + end + 1);
        let is_hash = rest[at + 1..end - 1].chars().all(|c| c.is_ascii_hexdigit()) && out.len() + at > 0;
        out.push_str(if is_hash { &rest[..at] } else { &rest[..end] });
        rest = &rest[end..];
    }
    out + rest
}
