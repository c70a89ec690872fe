//! On a host every type computes with portable code, so that an application's own tests work there.

use kernels::testing::chacha;
use runtime_m4::{CortexM3, CortexM4, CortexM4F, Native};

#[test]
fn every_type_gives_the_published_answers() {
    chacha::all(&CortexM3);
    chacha::all(&CortexM4);
    chacha::all(&CortexM4F);
    chacha::published(&Native::default());
}
