//! Cycles of every linked kernel and of the ciphers.
#![cfg_attr(target_os = "none", no_std, no_main)]

runtime_m4::program!("speed", SPEED);
