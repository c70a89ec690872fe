//! Bytes of every linked kernel.
#![cfg_attr(target_os = "none", no_std, no_main)]

runtime_m4::program!("size", SIZE);
