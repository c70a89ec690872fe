//! A Keccak backend that is wrong in one way.

use kernels::Soft;
use kernels::keccak::KeccakBackend;
use kernels::testing::keccak::all;
use std::panic::catch_unwind;

type State = <Soft as KeccakBackend>::State;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// One bit of the last lane of the permutation.
    Permutation,
    /// The last bit of the state is lost before the permutation.
    LosesABit,
    /// Bytes replace what is there instead of being added.
    Replaces,
    /// Bytes that begin inside a lane go to its beginning.
    Aligns,
    /// The last byte does not go in.
    LastByteIn,
    /// The last byte does not come out.
    LastByteOut,
    /// One byte too many goes in.
    OneMoreIn,
}

#[derive(Clone)]
struct Faulty(Fault);

impl KeccakBackend for Faulty {
    type State = State;

    fn permute(&self, state: &mut State) {
        state[24] &= if self.0 == Fault::LosesABit { !(1 << 63) } else { !0 };
        Soft.permute(state);
        state[24] ^= u64::from(self.0 == Fault::Permutation) << 40;
    }

    fn xor_bytes(&self, state: &mut State, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        match self.0 {
            Fault::Replaces => {
                let mut old = vec![0; bytes.len()];
                Soft.copy_bytes(state, offset, &mut old);
                Soft.xor_bytes(state, offset, &old);
                Soft.xor_bytes(state, offset, bytes);
            }
            Fault::Aligns if end < 200 => Soft.xor_bytes(state, offset / 8 * 8, bytes),
            Fault::LastByteIn if bytes.len() > 3 => Soft.xor_bytes(state, offset, &bytes[..bytes.len() - 1]),
            _ => Soft.xor_bytes(state, offset, bytes),
        }
        if self.0 == Fault::OneMoreIn && bytes.len() > 8 && end < 200 {
            Soft.xor_bytes(state, end, &[1]);
        }
    }

    fn copy_bytes(&self, state: &State, offset: usize, bytes: &mut [u8]) {
        let length = bytes.len() - usize::from(self.0 == Fault::LastByteOut && bytes.len() % 8 == 3);
        Soft.copy_bytes(state, offset, &mut bytes[..length]);
    }
}

#[test]
fn every_fault_is_caught() {
    all(&Faulty(Fault::None));
    for fault in [
        Fault::Permutation,
        Fault::LosesABit,
        Fault::Replaces,
        Fault::Aligns,
        Fault::LastByteIn,
        Fault::LastByteOut,
        Fault::OneMoreIn,
    ] {
        assert!(catch_unwind(|| all(&Faulty(fault))).is_err(), "{fault:?} was not caught");
    }
}
