//! On a host every type computes with portable code, so that an application's own tests work there.

use kernels::mlkem::MlKem768;
use kernels::testing::{chacha, keccak, mlkem};
use runtime_m4::{CortexM3, CortexM4, CortexM4F, Native};

#[test]
fn every_type_gives_the_published_answers() {
    chacha::all(&CortexM3);
    chacha::all(&CortexM4);
    chacha::all(&CortexM4F);
    chacha::published(&Native::default());
    keccak::published(&CortexM3);
    mlkem::operations::noise(&CortexM4);
    mlkem::rejection::<MlKem768, CortexM4F>(&CortexM4F, 199);
}
