//! Encrypts the example of RFC 8439, section 2.4.2, and prints the ciphertext by semihosting.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use kernels::chacha::ChaCha;
use kernels::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use runtime_m4::CortexM4F;
use semihosting::{print, println, process};

#[entry]
fn main() -> ! {
    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let mut message = *b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                         sunscreen would be it.";
    let mut cipher = ChaCha::<20, CortexM4F>::new(&key.into(), &nonce.into());
    // The RFC begins with block 1.
    cipher.seek(64u32);
    cipher.apply_keystream(&mut message);
    for byte in message {
        print!("{byte:02x}");
    }
    println!();
    process::exit(0)
}
