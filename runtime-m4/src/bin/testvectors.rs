//! Inputs and outputs of the kernels, the same on every machine; without a board, as portable code computes them.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
runtime_m4::program!("testvectors", TESTVECTORS);

#[cfg(not(target_os = "none"))]
fn main() {
    runtime_m4::vectors::each(&kernels::Soft, &mut |line| println!("{line}"));
}
