//! Tests of the Xtensa machine.
#![allow(clippy::unwrap_used)]

mod assemble;
mod timing;
