//! The published vectors, and all other checks of a backend, on the simulated cores.

use generator::simulated::SimulatedBackend;
use generator::target::{Abi, Shape, Target};
use kernels::mlkem::{LowStack, ParameterSet, Visitor, each_set};
use kernels::testing::chacha::all;
use kernels::testing::{keccak, mlkem};

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

/// The first known answer, and as many as there is time for.
struct KnownAnswers(SimulatedBackend);

impl Visitor for KnownAnswers {
    fn visit<P: ParameterSet>(&mut self) {
        mlkem::known_answers::first::<P, _>(&self.0);
        mlkem::known_answers::first::<P, _>(&LowStack(self.0.clone()));
        if std::env::var_os("QUADROUND_FULL").is_some() {
            mlkem::known_answers::every::<P, _>(&self.0);
        } else {
            mlkem::known_answers::some::<P, _>(&self.0, 10);
        }
    }
}

fn mechanisms(target: Target, shape: Shape) {
    let backend = SimulatedBackend::new(target, Abi::Aapcs, shape);
    keccak::published(&backend);
    keccak::bytes_in_and_out(&backend);
    mlkem::transforms::all(&backend);
    mlkem::operations::all(&backend);
    mlkem::transforms::all(&LowStack(backend.clone()));
    mlkem::compact::all(&backend);
    each_set(&mut KnownAnswers(backend));
}

#[test]
fn mechanisms_on_a_simulated_m3_give_the_published_answers() {
    mechanisms(Target::M3, Shape::Unrolled);
}

#[test]
fn mechanisms_on_a_simulated_m4f_give_the_published_answers() {
    mechanisms(Target::M4f, Shape::Unrolled);
}
