//! Every scheme with its secrets declared to the simulator, which ends the run if one decides a branch, an address or time.
#![cfg_attr(target_os = "none", no_std, no_main)]

runtime_m4::program!("secrets", SECRETS);
