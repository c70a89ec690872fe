//! How Xtensa cores run.

pub(crate) mod set;
