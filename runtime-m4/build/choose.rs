//! From wishes to functions: everything that may be taken is generated, and of each kernel one shape is.

use crate::config::{Choice, Wish};
use generator::cli::Job;
use generator::emit::Placement;
use generator::function::Function;
use generator::target::{Abi, Shape, Target};

/// The chosen function of a kernel for a core.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The function.
    pub function: Function,
    /// The memory it is executed from.
    pub placement: Placement,
}

/// Generates what is wished for these cores. `generate` is the generator.
///
/// # Errors
/// What the generator says, or that no shape is small enough.
pub fn choose(
    wishes: &[Wish],
    cores: &[Target],
    generate: impl FnOnce(&[Job]) -> Result<Vec<Function>, String>,
) -> Result<Vec<Chosen>, String> {
    let all = || cores.iter().flat_map(|core| wishes.iter().map(move |wish| (*core, wish)));
    let wished = || all().filter(|(core, wish)| wish.kernel.targets.contains(core));
    let jobs: Vec<Job> = wished()
        .flat_map(|(target, wish)| {
            let job = move |shape| Job { kernel: wish.kernel.name.clone(), target, abi: Abi::Aapcs, shape };
            shapes(wish).into_iter().map(job)
        })
        .collect();
    let mut functions = generate(&jobs)?.into_iter();
    wished()
        .map(|(_, wish)| {
            let candidates = functions.by_ref().take(shapes(wish).len()).collect();
            Ok(Chosen { function: pick(wish, candidates)?, placement: wish.placement })
        })
        .collect()
}

/// The shapes that may be taken.
fn shapes(wish: &Wish) -> Vec<Shape> {
    match wish.choice {
        Choice::Shape(shape) => vec![shape],
        Choice::RomBytesMax(_) => wish.kernel.shapes(),
    }
}

/// Bytes that a function takes in flash.
pub fn rom_bytes(function: &Function) -> u64 {
    (function.code.len() + function.rodata.len()) as u64
}

/// The fastest of the functions that fit; the smaller of two that are equally fast.
fn pick(wish: &Wish, candidates: Vec<Function>) -> Result<Function, String> {
    let most = match wish.choice {
        Choice::Shape(_) => u64::MAX,
        Choice::RomBytesMax(most) => most,
    };
    let smallest = candidates.iter().map(rom_bytes).min().unwrap_or(0);
    let core = candidates.first().map(|function| function.target.to_string()).unwrap_or_default();
    let fit = candidates.into_iter().filter(|function| rom_bytes(function) <= most);
    fit.min_by_key(|function| (function.cycles, rom_bytes(function))).ok_or_else(|| {
        format!(
            "{}: rom_bytes_max = {most} is too little: the smallest shape for {core} has {smallest} bytes",
            wish.place
        )
    })
}
