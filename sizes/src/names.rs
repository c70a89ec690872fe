//! Names as people write them: C++ (Itanium ABI) and both of Rust's schemes, demangled; and the crate of a Rust name.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use std::fmt::{self, Write};

/// Longer symbols stay as they are: nobody reads them, and nothing grows with what a damaged file claims.
pub const MANGLED_BYTES_MAX: usize = 8192;
/// A symbol whose demangled name would be longer stays as it is: back references can make it exponentially long.
pub const DEMANGLED_BYTES_MAX: usize = 32_768;

/// Crates that no other crate's types or traits can be implemented in, since they are at the bottom.
const STANDARD: [&str; 3] = ["core", "alloc", "std"];

/// A symbol's name, demangled if it is mangled; without the hash that Rust appends to it.
pub fn demangled(symbol: &str) -> String {
    if !symbol.starts_with("_Z") && !symbol.starts_with("_R") || symbol.len() > MANGLED_BYTES_MAX {
        return symbol.to_owned();
    }
    rust(symbol).or_else(|| cpp(symbol)).unwrap_or_else(|| symbol.to_owned())
}

/// The symbol without the hash that the legacy scheme of Rust appends to it: what is equal in two builds.
pub fn without_hash(symbol: &str) -> String {
    match legacy_hash(symbol) {
        Some(at) => format!("{}{}", &symbol[..at], &symbol[at + HASH_BYTES..]),
        None => symbol.to_owned(),
    }
}

/// The crate of a Rust symbol: where its path begins. For `<T as Trait>::f` that is the crate with the implementation,
/// if the symbol tells (v0 does); else that of the type, or that of the trait if the type is a primitive or of the
/// standard library. `None` for all other symbols.
pub fn crate_of(symbol: &str) -> Option<String> {
    if symbol.len() > MANGLED_BYTES_MAX {
        return None;
    }
    let name = rust(symbol)?;
    symbol.strip_prefix("_R").and_then(v0_root).or_else(|| root(&name)).map(str::to_owned)
}

/// A Rust symbol demangled without its hash; `None` for symbols of other languages.
fn rust(symbol: &str) -> Option<String> {
    // Without a hash a legacy name is also one of C++.
    if !symbol.starts_with("_R") && legacy_hash(symbol).is_none() {
        return None;
    }
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut limited = Limited::default();
    write!(limited, "{name:#}").ok()?;
    Some(limited.text)
}

/// Bytes of `17h` and 16 hexadecimal digits.
const HASH_BYTES: usize = 19;

/// Where the hash of a legacy Rust symbol is: before the `E` that ends the path, which only suffixes follow.
fn legacy_hash(symbol: &str) -> Option<usize> {
    let path = symbol.strip_prefix("_ZN")?;
    let end = path
        .match_indices('E')
        .map(|(at, _)| at)
        .find(|at| matches!(path.as_bytes().get(at + 1), None | Some(b'.')))?;
    let start = end.checked_sub(HASH_BYTES)?;
    let digits = path.get(start..end)?.strip_prefix("17h")?;
    digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).then_some("_ZN".len() + start)
}

fn cpp(symbol: &str) -> Option<String> {
    let parsed = BorrowedSymbol::new(symbol.as_bytes()).ok()?;
    let mut limited = Limited::default();
    parsed.structured_demangle(&mut limited, &DemangleOptions::new()).ok()?;
    Some(in_usual_words(&limited.text).unwrap_or(limited.text))
}

/// Tables and thunks of a class, as other demanglers write them: `vtable for X` instead of `{vtable(X)}`.
fn in_usual_words(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 4] = [
        ("{vtable(", "vtable for "),
        ("{vtt(", "VTT for "),
        ("{virtual override thunk({offset(", "non-virtual thunk to "),
        ("{virtual override thunk({virtual offset(", "virtual thunk to "),
    ];
    WORDS.iter().find_map(|(before, words)| {
        let of = name.strip_prefix(before)?.strip_suffix(")}")?;
        // What a thunk adds to the pointer is left out.
        let of = if before.ends_with("offset(") { of.split_once(")}, ")?.1 } else { of };
        Some(format!("{words}{of}"))
    })
}

/// Text that refuses to grow beyond [`DEMANGLED_BYTES_MAX`].
#[derive(Default)]
struct Limited {
    text: String,
}

impl Write for Limited {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > DEMANGLED_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

/// The crate at the root of a v0 path (RFC 2603), if it begins with one: what encloses it is a nested path `N`, generic
/// arguments `I`, or an implementation `M` or `X`, which begins with the path of the module that it is in.
fn v0_root(mut path: &str) -> Option<&str> {
    loop {
        let (tag, rest) = (path.bytes().next()?, path.get(1..)?);
        path = match tag {
            b'N' => rest.get(1..)?,
            b'I' => rest,
            b'M' | b'X' => without_disambiguator(rest)?,
            b'C' => return v0_identifier(without_disambiguator(rest)?),
            _ => return None,
        };
    }
}

/// Skips `s`, digits of base 62, and `_`.
fn without_disambiguator(path: &str) -> Option<&str> {
    match path.strip_prefix('s') {
        Some(rest) => rest.split_once('_').map(|(_, rest)| rest),
        None => Some(path),
    }
}

/// A length, an underscore if the name begins with a digit or an underscore, the name.
fn v0_identifier(path: &str) -> Option<&str> {
    let digits = path.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = path.get(..digits)?.parse().ok()?;
    let name = path.get(digits..)?;
    name.strip_prefix('_').unwrap_or(name).get(..length)
}

/// The crate that a demangled path begins with.
fn root(name: &str) -> Option<&str> {
    // Old compilers put an underscore before a segment that begins with a bracket.
    let name = name.strip_prefix('_').filter(|rest| rest.starts_with('<')).unwrap_or(name);
    let Some(inside) = name.strip_prefix('<') else { return first_segment(name) };
    let (of_type, of_trait) = match split_implementation(inside)? {
        (of_type, Some(of_trait)) => (root_of_type(of_type), first_segment(of_trait)),
        (of_type, None) => (root_of_type(of_type), None),
    };
    of_type.filter(|name| !STANDARD.contains(name)).or(of_trait).or(of_type)
}

/// `T as Trait>…` or `T>…` in two, at the level of the first bracket.
fn split_implementation(inside: &str) -> Option<(&str, Option<&str>)> {
    let mut depth = 0_u32;
    let mut at_as = None;
    let mut previous = 0;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if previous == b'-' => {}
            b'>' if depth == 0 => {
                return Some(match at_as {
                    Some(at_as) => (&inside[..at_as], Some(&inside[at_as + " as ".len()..at])),
                    None => (&inside[..at], None),
                });
            }
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && at_as.is_none() && inside[at..].starts_with(" as ") => at_as = Some(at),
            _ => {}
        }
        previous = byte;
    }
    None
}

/// The crate of a type: of what it points to, or holds, if it is no path.
fn root_of_type(mut name: &str) -> Option<&str> {
    const BEFORE: [&str; 9] = ["&", "*const ", "*mut ", "mut ", "dyn ", "[", "(", "<", "impl "];
    loop {
        let rest = BEFORE.iter().find_map(|before| name.strip_prefix(before));
        name = match rest
            .or_else(|| name.strip_prefix('\'').and_then(|rest| rest.split_once(' ')).map(|(_, rest)| rest))
        {
            Some(rest) => rest,
            None => break,
        };
    }
    // A name alone is a primitive type or a parameter.
    first_segment(name).filter(|first| name[first.len()..].starts_with("::"))
}

fn first_segment(name: &str) -> Option<&str> {
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symbol, name, crate. Names are those that the documentation and the tests of rustc-demangle, RFC 2603 and
    /// c++filt give; crates by reading.
    const CASES: &[(&str, &str, Option<&str>)] = &[
        // No mangling.
        ("main", "main", None),
        ("qr_chacha20_block_unrolled_m4", "qr_chacha20_block_unrolled_m4", None),
        ("RCC_Init", "RCC_Init", None),
        ("ZN4testE", "ZN4testE", None),
        ("", "", None),
        // Rust, legacy.
        ("_ZN3foo17h05af221e174051e9E", "foo", Some("foo")),
        ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad", Some("core")),
        ("_ZN9backtrace3foo17hbb467fcdaea5d79bE.llvm.A5310EB9", "backtrace::foo", Some("backtrace")),
        (
            "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
            "<Test + 'static as foo::Bar<Test>>::bar",
            Some("foo"),
        ),
        (
            "_ZN38_$LT$core..option..Option$LT$T$GT$$GT$6unwrap17haf7cb8d5824ee659E",
            "<core::option::Option<T>>::unwrap",
            Some("core"),
        ),
        (
            "_ZN4core5slice89_$LT$impl$u20$core..iter..traits..IntoIterator$u20$for$u20$$RF$$u27$a$u20$$u5b$T$u5d$$GT$9into_iter17h450e234d27262170E",
            "core::slice::<impl core::iter::traits::IntoIterator for &'a [T]>::into_iter",
            Some("core"),
        ),
        (
            "_ZN88_$LT$core..result..Result$LT$$u21$$C$$u20$E$GT$$u20$as$u20$std..process..Termination$GT$6report17hfc41d0da4a40b3e8E",
            "<core::result::Result<!, E> as std::process::Termination>::report",
            Some("std"),
        ),
        (
            "_ZN59_$LT$alloc..string..String$u20$as$u20$mine..text..Shout$GT$5shout17h0123456789abcdefE",
            "<alloc::string::String as mine::text::Shout>::shout",
            Some("mine"),
        ),
        (
            "_ZN53_$LT$$RF$mut$u20$a..B$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
            "<&mut a::B as core::fmt::Debug>::fmt",
            Some("a"),
        ),
        // C++ that looks like it: no hash, or not at the end.
        ("_ZN3foo3barE", "foo::bar", None),
        ("_ZN3foo5h05afE", "foo::h05af", None),
        ("_ZN17h05af221e174051e93fooE", "h05af221e174051e9::foo", None),
        // Rust, v0.
        ("_RNvC6_123foo3bar", "123foo::bar", Some("123foo")),
        ("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", Some("mycrate")),
        ("_RC3foo.llvm.9D1C9369", "foo", Some("foo")),
        ("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}", Some("cc")),
        (
            "_RNvXs5_NtCsd4VYFwevHkG_7mycrate3foojNtNtCs9ltgdHTiPiY_4core3fmt5Debug3fmt",
            "<usize as core::fmt::Debug>::fmt",
            Some("mycrate"),
        ),
        ("_RNvMs_NtCs1_7mycrate3fooNtB4_3Bar3new", "<mycrate::foo::Bar>::new", Some("mycrate")),
        ("_RNvYNtCs1_1a1BNtCs2_1c5Trait1f", "<a::B as c::Trait>::f", Some("a")),
        // C++.
        ("_ZN5space3fooEibc", "space::foo(int, bool, char)", None),
        ("_ZTV3Foo", "vtable for Foo", None),
        ("_ZTTN1a1bE", "VTT for a::b", None),
        ("_ZThn8_N1A1fEv", "non-virtual thunk to A::f()", None),
        ("_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()", None),
        ("_ZTS3Foo", "typeinfo name for Foo", None),
        ("_ZGVZ1fvE1x", "guard variable for f()::x", None),
        ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)", None),
        // Damaged.
        ("_Z", "_Z", None),
        ("_R", "_R", None),
        ("_ZN4test", "_ZN4test", None),
        ("_ZN99h0123456789abcdefE", "_ZN99h0123456789abcdefE", None),
        ("_ZN2é17h0123456789abcdefE", "_ZN2é17h0123456789abcdefE", None),
    ];

    #[test]
    fn names_are_those_that_other_demanglers_give() {
        for (symbol, name, crate_name) in CASES {
            assert_eq!(demangled(symbol), *name, "{symbol}");
            assert_eq!(crate_of(symbol).as_deref(), *crate_name, "{symbol}");
        }
    }

    #[test]
    fn only_a_hash_at_the_end_is_left_out() {
        for (symbol, expected) in [
            ("_ZN3foo3bar17h05af221e174051e9E", "_ZN3foo3barE"),
            ("_ZN3foo17h05af221e174051e9E.llvm.12", "_ZN3fooE.llvm.12"),
            ("_ZN3foo3barE", "_ZN3foo3barE"),
            ("_ZN3foo17h05af221e174051e93barE", "_ZN3foo17h05af221e174051e93barE"),
            ("_RNvC3foo3bar", "_RNvC3foo3bar"),
            ("main", "main"),
        ] {
            assert_eq!(without_hash(symbol), expected);
        }
    }

    /// Back references that double the length each time, very long and deeply nested names.
    #[test]
    fn names_cannot_blow_up() {
        // A template whose arguments are both the type before it; S_ is its name, S0_ its first use.
        let numbers = ('0'..='9').chain('A'..='Z');
        let doubling: String = numbers.map(|number| format!("S_IS{number}_S{number}_E")).collect();
        let bombs = [
            format!("_RMC0{}p{}", "T".repeat(60), (0..60).map(|n| format!("B{n}_E")).collect::<String>()),
            "_RMC0FGZZZ_Eu".to_owned(),
            "_RNvB_1a".to_owned(),
            format!("_Z1f{}", "P".repeat(MANGLED_BYTES_MAX - 10)),
            format!("_Z1f1aIiiE{doubling}"),
            format!("_ZN{}17h0123456789abcdefE", "1a".repeat(MANGLED_BYTES_MAX / 2)),
            format!("_Z{}", "9".repeat(4000)),
            format!("_RN{}", "v".repeat(8000)),
            format!("_RNvC{}", "9".repeat(8000)),
        ];
        for bomb in bombs {
            assert!(demangled(&bomb).len() <= DEMANGLED_BYTES_MAX.max(bomb.len()), "{bomb}");
            crate_of(&bomb);
        }
    }
}
