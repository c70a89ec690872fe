//! Every linked kernel against published vectors and portable code.
#![cfg_attr(target_os = "none", no_std, no_main)]

runtime_m4::program!("selftest", SELFTEST);
