//! Speed of the portable ML-KEM beside RustCrypto's: `cargo run --release -p kernels --example kem_speed`.

use kernels::Soft;
use kernels::keccak::{Shake128, digest};
use kernels::mlkem::{DecapsulationKey, ParameterSet};
use ml_kem::Decapsulate;
use shake::digest::{ExtendableOutput, Update, XofReader};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Microseconds per call: the best of several rounds, in which both take turns, so that what else the machine does meets
/// both.
fn compare(name: &str, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    let mut best = [f64::MAX; 2];
    for _ in 0..20 {
        for (best, call) in best.iter_mut().zip([&mut ours as &mut dyn FnMut(), &mut theirs]) {
            let (mut calls, start) = (0, Instant::now());
            while start.elapsed() < Duration::from_millis(20) {
                call();
                calls += 1;
            }
            *best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
        }
    }
    println!("{name:<28} {:>9.2} {:>11.2}", best[0], best[1]);
}

/// The three operations of a parameter set, which has the same name in both crates. Both keep the hash of an encapsulation
/// key with it.
macro_rules! mechanism {
    ($set:ident) => {
        let (name, seed) = (kernels::mlkem::$set::ROW.name, [7; 64]);
        let dk = DecapsulationKey::<kernels::mlkem::$set>::from_seed(&seed);
        let (ciphertext, _) = dk.encapsulation_key().encapsulate_with_message(&[9; 32]);
        let their_dk = ml_kem::DecapsulationKey::<ml_kem::$set>::from_seed(seed.into());
        let their_ek = their_dk.encapsulation_key();
        compare(
            &format!("{name} keygen"),
            || _ = black_box(DecapsulationKey::<kernels::mlkem::$set>::from_seed(black_box(&seed))),
            || _ = black_box(ml_kem::DecapsulationKey::<ml_kem::$set>::from_seed(black_box(seed.into()))),
        );
        compare(
            &format!("{name} encaps"),
            || _ = black_box(dk.encapsulation_key().encapsulate_with_message(black_box(&[9; 32]))),
            || _ = black_box(their_ek.encapsulate_deterministic(black_box(&[9; 32].into()))),
        );
        compare(
            &format!("{name} decaps"),
            || _ = black_box(dk.decapsulate(black_box(&ciphertext))),
            || _ = black_box(their_dk.decapsulate(black_box(&ciphertext))),
        );
    };
}

fn main() {
    println!("{:<28} {:>9} {:>11}", "microseconds per call", "kernels", "RustCrypto");
    let mut out = [[0; 168 * 40]; 2];
    let [ours, theirs] = &mut out;
    compare(
        "SHAKE128, 40 blocks",
        || digest::<Shake128, Soft>(Soft, &[black_box(b"x")], black_box(ours)),
        || {
            let mut hasher = shake::Shake128::default();
            hasher.update(black_box(b"x"));
            hasher.finalize_xof().read(black_box(theirs));
        },
    );
    mechanism!(MlKem512);
    mechanism!(MlKem768);
    mechanism!(MlKem1024);
}
