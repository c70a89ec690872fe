//! Throughput of the portable stream cipher beside the `chacha20` crate's: `cargo run --release -p kernels --example throughput`.

use kernels::cipher::{KeyIvInit, StreamCipher};
use std::time::{Duration, Instant};

/// Bytes encrypted per call.
const MESSAGE_BYTES: usize = 1 << 16;

fn measure(name: &str, mut cipher: impl StreamCipher) {
    let mut data = vec![0; MESSAGE_BYTES];
    let start = Instant::now();
    let mut bytes = 0;
    while start.elapsed() < Duration::from_millis(500) {
        cipher.apply_keystream(std::hint::black_box(&mut data));
        bytes += data.len();
    }
    println!("{name:<24} {:8.1} MB/s", bytes as f64 / start.elapsed().as_secs_f64() / 1e6);
}

fn main() {
    let (key, nonce) = ([1; 32].into(), [2; 12].into());
    measure("kernels ChaCha8", kernels::chacha::ChaCha8::new(&key, &nonce));
    measure("chacha20 crate ChaCha8", chacha20::ChaCha8::new(&key, &nonce));
    measure("kernels ChaCha20", kernels::chacha::ChaCha20::new(&key, &nonce));
    measure("chacha20 crate ChaCha20", chacha20::ChaCha20::new(&key, &nonce));
}
