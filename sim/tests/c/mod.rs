//! C functions that compilers make code of, what they compute, and the programs that do it.

use sim::{Arg, Buffer, Report};
use std::path::Path;
use std::process::Command;

/// Tables, static data, a switch, calls, 64-bit arithmetic, a division, and a call into another member.
pub const SOURCE: &str = "
typedef unsigned char u8; typedef unsigned int u32; typedef unsigned long long u64;
void copy(u8 *to, const u8 *from, u32 n);
static const u32 table[16] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597};
static u32 state = 7;
static u8 sums[40];
u32 counter(void) { return state += 3; }
__attribute__((noinline)) static u32 pick(u32 i) {
    switch (i & 7) {
    case 0: return 11; case 1: return 22; case 2: return counter(); case 3: return 44;
    case 4: return 9 * i; case 5: return i / 3; default: return i % 7;
    }
}
u32 work(u8 *out, const u8 *in, u32 n) {
    u64 a = 1;
    for (u32 i = 0; i < n; i++) {
        a = a * 6364136223846793005ULL + in[i];
        out[i] = (u8)(a >> 32) ^ table[in[i] & 15];
        sums[i % 40] += out[i];
        a += pick(in[i]);
    }
    copy(out, sums, n < 40 ? n : 40);
    return (u32)(a >> 32);
}";

/// What it calls.
pub const MEMBER: &str =
    "void copy(unsigned char *to, const unsigned char *from, unsigned n) { while (n--) *to++ = *from++; }";

/// The same in Rust.
pub fn expected(input: &[u8]) -> (u32, Vec<u8>) {
    const TABLE: [u32; 16] = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597];
    let (mut a, mut state, mut sums, mut out) = (1u64, 7u32, [0u8; 40], vec![]);
    for (i, &byte) in input.iter().enumerate() {
        a = a.wrapping_mul(6364136223846793005).wrapping_add(byte.into());
        out.push((a >> 32) as u8 ^ TABLE[usize::from(byte & 15)] as u8);
        sums[i % 40] = sums[i % 40].wrapping_add(out[i]);
        let x = u32::from(byte);
        let picked = match byte & 7 {
            0 => 11,
            1 => 22,
            2 => {
                state += 3;
                state
            }
            3 => 44,
            4 => 9 * x,
            5 => x / 3,
            _ => x % 7,
        };
        a = a.wrapping_add(picked.into());
    }
    let copied = input.len().min(40);
    out[..copied].copy_from_slice(&sums[..copied]);
    ((a >> 32) as u32, out)
}

/// Runs a program in a folder.
pub fn tool(dir: &Path, name: &str, args: &[&str]) {
    let status = Command::new(name).args(args).current_dir(dir).status();
    assert!(status.is_ok_and(|status| status.success()), "{name} {args:?} failed; `cargo xtask setup` installs it");
}

/// The input, and the arguments of `work` with it.
pub fn input() -> (Vec<u8>, [Arg; 3]) {
    let input: Vec<u8> = (0..100u32).map(|i| (i * 37) as u8).collect();
    let args = [Buffer::new(vec![0; 100]).into(), Buffer::new(input.clone()).read_only().into(), 100.into()];
    (input, args)
}

/// A call of `work` did what the source says, and broke no rule.
pub fn check(report: &Report, input: &[u8], what: &str) {
    assert_eq!(report.violations, [], "{what}");
    assert_eq!((report.returns, report.buffers[0].clone()), expected(input), "{what}");
}
