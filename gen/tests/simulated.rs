//! The published vectors, and all other checks of a backend, on the simulated cores.

use generator::simulated::SimulatedBackend;
use generator::target::{Shape, Target};
use kernels::testing::chacha::all;

#[test]
fn ciphers_on_simulated_cores_pass_the_published_vectors() {
    for target in Target::ALL {
        for &abi in target.abis() {
            for shape in [Shape::Unrolled, Shape::Looped] {
                all(&SimulatedBackend::new(target, abi, shape));
            }
        }
    }
}
