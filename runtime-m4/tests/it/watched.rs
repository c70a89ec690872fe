//! What stands before a backend, to count cycles or to tell the simulator of secrets, passes every method on.

use std::collections::BTreeSet;

const PASSED_ON: &str = include_str!("../../../kernels/src/mlkem/from.rs");
const TRAIT: &str = include_str!("../../../kernels/src/mlkem/backend.rs");

/// The names of the functions in the block that begins with `head`.
fn functions<'a>(text: &'a str, head: &str) -> BTreeSet<&'a str> {
    let (_, block) = text.split_once(head).expect(head);
    let (block, _) = block.split_once("\n}\n").expect("its end");
    let names = block.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
    names.map(|name| name.split(['(', '<']).next().unwrap_or(name)).filter(|name| !name.starts_with('$')).collect()
}

/// A method that was not passed on would run as the trait provides it, and not as the backend has it.
#[test]
fn every_method_is_passed_on() {
    let provided = functions(TRAIT, "pub trait MlKemBackend");
    assert!(provided.len() > 15, "{provided:?}");
    assert_eq!(functions(PASSED_ON, "macro_rules! mlkem_from"), provided);
}
