//! The share of a cipher's cycles that its kernels take.
#![cfg_attr(target_os = "none", no_std, no_main)]

runtime_m4::program!("hashing", HASHING);
