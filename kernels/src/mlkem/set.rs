//! The parameter sets as types.

use super::backend::{MlKemBackend, Room};
use super::symmetric::{Keccak, Symmetric};
use crate::params::mlkem::{self, Primitives, Row};
use hybrid_array::typenum::Unsigned;
use hybrid_array::{Array, ArraySize, sizes};

/// A parameter set: its row, and its sizes as types.
pub trait ParameterSet: Copy + Default + Ord + core::fmt::Debug + Send + Sync + 'static {
    /// The numbers.
    const ROW: Row;
    /// The hash functions and what expands seeds.
    type Symmetric: Symmetric;
    /// A vector.
    type Vector<T: Default>: Default + AsRef<[T]> + AsMut<[T]>;
    /// Bytes of the secret part of a decapsulation key.
    type SecretSize: ArraySize;
    /// Bytes of an encapsulation key.
    type EkSize: ArraySize;
    /// Bytes of an expanded decapsulation key.
    type DkSize: ArraySize;
    /// Bytes of a ciphertext.
    type CtSize: ArraySize;
    /// Room for expanded bytes on a backend: its own, or 192 bytes if the noise of eta = 3 is wanted.
    type Bytes<B: MlKemBackend>: Room;
}

/// True if the types say what the row says.
const fn consistent<P: ParameterSet>(primitives: Primitives) -> bool {
    let row = P::ROW;
    size_of::<P::Vector<u8>>() == row.k
        && P::SecretSize::USIZE == row.vector_bytes()
        && P::EkSize::USIZE == row.ek_bytes()
        && P::DkSize::USIZE == row.dk_bytes()
        && P::CtSize::USIZE == row.ct_bytes()
        && matches!(
            (primitives, row.primitives),
            (Primitives::Keccak, Primitives::Keccak) | (Primitives::Nineties, Primitives::Nineties)
        )
}

/// What is done with every parameter set.
pub trait Visitor {
    /// Does it with one.
    fn visit<P: ParameterSet>(&mut self);
}

/// Unit structs for rows, and a function that shows them all to a visitor. The sizes are those of the row, as a check at
/// compile time sees to.
macro_rules! parameter_sets {
    ($each:ident: $($name:ident, $row:ident, $symmetric:ident, $k:literal, $secret:ident, $ek:ident, $dk:ident, $ct:ident, $bytes:ty;)*) => {
        $(
            #[doc = concat!("The parameters [`", stringify!($row), "`](mlkem::", stringify!($row), ").")]
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
            pub struct $name;

            impl ParameterSet for $name {
                const ROW: Row = mlkem::$row;
                type Symmetric = $symmetric;
                type Vector<T: Default> = [T; $k];
                type SecretSize = sizes::$secret;
                type EkSize = sizes::$ek;
                type DkSize = sizes::$dk;
                type CtSize = sizes::$ct;
                type Bytes<B: MlKemBackend> = $bytes;
            }

            const _: () = assert!(consistent::<$name>(Primitives::$symmetric));
        )*

        /// Shows each of the parameter sets above to a visitor.
        pub fn $each(visitor: &mut impl Visitor) {
            $(visitor.visit::<$name>();)*
        }
    };
}

parameter_sets! { each_with_keccak:
    MlKem512, ML_KEM_512, Keccak, 2, U768, U800, U1632, U768, Array<u8, sizes::U192>;
    MlKem768, ML_KEM_768, Keccak, 3, U1152, U1184, U2400, U1088, B::Bytes;
    MlKem1024, ML_KEM_1024, Keccak, 4, U1536, U1568, U3168, U1568, B::Bytes;
    Kyber512, KYBER_512, Keccak, 2, U768, U800, U1632, U768, Array<u8, sizes::U192>;
    Kyber768, KYBER_768, Keccak, 3, U1152, U1184, U2400, U1088, B::Bytes;
    Kyber1024, KYBER_1024, Keccak, 4, U1536, U1568, U3168, U1568, B::Bytes;
}

#[cfg(feature = "kyber-90s")]
mod nineties {
    use super::*;
    use crate::mlkem::nineties::Nineties;

    parameter_sets! { each_of_the_nineties:
        Kyber512_90s, KYBER_512_90S, Nineties, 2, U768, U800, U1632, U768, Array<u8, sizes::U192>;
        Kyber768_90s, KYBER_768_90S, Nineties, 3, U1152, U1184, U2400, U1088, B::Bytes;
        Kyber1024_90s, KYBER_1024_90S, Nineties, 4, U1536, U1568, U3168, U1568, B::Bytes;
    }
}

#[cfg(feature = "kyber-90s")]
pub use nineties::*;

/// Shows every parameter set to a visitor; those of the 90s, if the feature `kyber-90s` is on.
pub fn each_set(visitor: &mut impl Visitor) {
    each_with_keccak(visitor);
    #[cfg(feature = "kyber-90s")]
    each_of_the_nineties(visitor);
}
