//! Secrets, as the simulator is told of them (docs/simulator.md), and a backend that does so.

use super::semihosting;
use core::marker::PhantomData;
use kernels::keccak::KeccakBackend;
use kernels::mlkem::MlKemBackend;

/// Operations of the simulator.
const PUBLIC: u32 = 0x150;
const SECRET: u32 = 0x151;
const ASK: u32 = 0x152;

/// Which bytes, and what they are called.
fn call(operation: u32, name: &'static str, bytes: &[u8]) -> u32 {
    let words = [bytes.as_ptr(), core::ptr::without_provenance(bytes.len()), name.as_ptr()];
    let [address, length, name_address] = words.map(|word| word.expose_provenance() as u32);
    let block = [address, length, name_address, name.len() as u32];
    semihosting::call(operation, block.as_ptr().expose_provenance() as u32)
}

/// True if this is the simulator. Where nobody answers at all it must not be called.
pub fn is_there() -> bool {
    call(ASK, "", &[]) == 0
}

/// From here on the bytes are secret. Whoever gives them away for writing expects that they change.
pub fn secret(name: &'static str, bytes: &mut [u8]) {
    call(SECRET, name, bytes);
}

/// From here on they are public.
pub fn public(name: &'static str, bytes: &mut [u8]) {
    call(PUBLIC, name, bytes);
}

/// How many of the bytes are secret.
pub fn secret_bytes(bytes: &[u8]) -> u32 {
    call(ASK, "", bytes)
}

/// A backend that tells the simulator what becomes public, and does everything else as `B` does.
#[derive(Clone, Copy, Default)]
pub struct Watched<B>(PhantomData<B>);

impl<B: KeccakBackend + Default> KeccakBackend for Watched<B> {
    type State = B::State;

    fn permute(&self, state: &mut Self::State) {
        B::default().permute(state);
    }

    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        B::default().xor_bytes(state, offset, bytes);
    }

    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        B::default().copy_bytes(state, offset, bytes);
    }

    fn declassify(&self, name: &'static str, bytes: &[u8]) {
        call(PUBLIC, name, bytes);
    }
}

impl<B: MlKemBackend + Default> MlKemBackend for Watched<B> {
    type Operand = B::Operand;
    type Sum = B::Sum;
    type Bytes = B::Bytes;

    mlkem_from! { self => B::default(); encodings }
    mlkem_from! { self => B::default(); packing }
    mlkem_from! { self => B::default(); sampling }
    mlkem_from! { self => B::default(); products }
    mlkem_from! { self => B::default(); transforms }
}
