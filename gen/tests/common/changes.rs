//! Generated functions with a change that the verifier has to notice.

use generator::function::Function;
use generator::verify::verify;

/// Changed functions that are tried for each function.
const TRIED: usize = 16;

/// A change in words, and the function that has it.
pub type Change = (String, Function);

/// The functions are right, and there is something to change in each; of many changes some are tried, and refused.
pub fn check_refused(functions: impl Iterator<Item = Function>, changes: impl Fn(&Function) -> Vec<Change>) {
    for function in functions {
        verify(&function).unwrap_or_else(|error| panic!("{error}"));
        let changed = changes(&function);
        assert!(!changed.is_empty(), "{}: nothing to change", function.symbol);
        for (what, wrong) in changed.iter().step_by(changed.len().div_ceil(TRIED)) {
            assert!(verify(wrong).is_err(), "{}: {what} was changed, and passed", function.symbol);
        }
    }
}
