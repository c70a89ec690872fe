//! Speed of the portable Keccak beside RustCrypto's: `cargo run --release -p kernels --example kem_speed`.

use kernels::Soft;
use kernels::keccak::{Shake128, digest};
use shake::digest::{ExtendableOutput, Update, XofReader};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The best of several rounds, in microseconds per call.
fn measure(name: &str, mut call: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..10 {
        let (mut calls, start) = (0, Instant::now());
        while start.elapsed() < Duration::from_millis(50) {
            call();
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
    }
    println!("{name:<40} {best:>8.2} us");
}

fn main() {
    let mut out = [0; 168 * 40];
    measure("SHAKE128, 40 blocks, kernels", || digest::<Shake128, Soft>(Soft, &[black_box(b"x")], black_box(&mut out)));
    measure("SHAKE128, 40 blocks, shake", || {
        let mut hasher = shake::Shake128::default();
        hasher.update(black_box(b"x"));
        hasher.finalize_xof().read(black_box(&mut out));
    });
}
