//! The real source of kernels: the catalogue, the passes and the verification.

use crate::cli::{Failure, Job, KernelInfo, Source};
use crate::compile::{CompileError, compile};
use crate::function::Function;
use crate::ir::{Kernel, Node};
use crate::kernels::{
    chacha, keccak, kyber, kyber_decodings, kyber_encodings, kyber_noise, kyber_products, kyber_sampling, kyber_sums,
};
use crate::map;
use crate::target::{Shape, Target};
use crate::transform;
use crate::verify::verify;
use kernels::params::chacha::{Counter, Rounds};
use std::num::NonZeroU32;

/// The generator.
pub struct Generator;

/// The most rounds that can be asked for: more than anybody has used, and the machine code stays below 20 KiB.
pub const ROUNDS_MAX: u32 = 100;

/// How far kernels are unrolled that work on an array in memory: after four repetitions of Keccak every word is where it was, and more
/// would be larger but no faster.
const IN_PLACE: Shape = Shape::By(NonZeroU32::new(4).expect("not zero"));

/// Groups of candidates that a loop's body takes at most.
const REJECTED_TOGETHER: u32 = 2;

/// Round numbers of the catalogue.
const ROUNDS: [Rounds; 3] = [Rounds::R8, Rounds::R12, Rounds::R20];

/// Describes a kernel for a number of rounds.
type Describe = fn(Rounds) -> Kernel;

/// What can follow `chacha{R}` in a name, in catalogue order.
const PARTS: [(&str, Describe); 4] = [
    ("_permute", chacha::permute),
    ("_block", chacha::block),
    ("_xor", |rounds| chacha::xor(rounds, Counter::Ietf)),
    ("_xor_djb", |rounds| chacha::xor(rounds, Counter::Djb)),
];

/// The kernels without a parameter, in catalogue order.
const FIXED: [fn() -> Kernel; 31] = [
    keccak::f1600,
    keccak::xor_lanes,
    keccak::copy_lanes,
    kyber::ntt,
    kyber::invntt,
    kyber::invntt_sum,
    kyber_products::mulcache,
    kyber_products::basemul,
    kyber_products::basemul_acc,
    kyber_products::basemul_end,
    kyber_products::basemul_end_plain,
    kyber_products::reduce,
    kyber_products::reduce_plain,
    kyber_products::basemul_piece,
    kyber_products::restore,
    kyber_sampling::sample,
    kyber_encodings::compress4,
    kyber_encodings::compress5,
    kyber_encodings::compress10,
    kyber_encodings::compress11,
    kyber_encodings::encode,
    kyber_decodings::decode,
    kyber_noise::add_noise2,
    kyber_noise::add_noise3,
    kyber_decodings::decompress4,
    kyber_decodings::decompress5,
    kyber_decodings::decompress10,
    kyber_decodings::decompress11,
    kyber_encodings::message,
    kyber_sums::add_message,
    kyber_sums::subtract,
];

impl Source for Generator {
    fn kernels(&self) -> Vec<KernelInfo> {
        let kernels = PARTS.iter().flat_map(|(_, kernel)| ROUNDS.map(kernel));
        kernels.chain(FIXED.map(|kernel| kernel())).map(|kernel| info(&kernel)).collect()
    }

    fn named(&self, name: &str) -> Option<Result<KernelInfo, String>> {
        Some(parse(name)?.map(|kernel| info(&kernel)))
    }

    fn on_request(&self) -> String {
        format!(
            "Any other even number of rounds from 2 to {ROUNDS_MAX} can be asked for by name, such as chacha6_permute."
        )
    }

    fn generate(&self, job: &Job) -> Result<Function, Failure> {
        proven(job, &mut |_, _| {})
    }

    fn explain(&self, job: &Job, text: &mut String) -> Result<(), Failure> {
        let mut trace = |pass: &str, output: String| *text += &format!("== {pass}\n\n{}\n\n", output.trim_end());
        let function = proven(job, &mut trace)?;
        *text += &format!(
            "== result\n\n{}: {} bytes, {} cycles for {}, {} cases verified\n",
            function.symbol,
            function.code_bytes(),
            function.cycles,
            function.cycles_of,
            function.verified_cases
        );
        Ok(())
    }
}

/// The kernel of this name: `None` if there is none and it is not of the form `chacha{R}_...`, an error if only R is bad.
pub(crate) fn parse(name: &str) -> Option<Result<Kernel, String>> {
    if let Some(kernel) = FIXED.iter().map(|kernel| kernel()).find(|kernel| kernel.name == name) {
        return Some(Ok(kernel));
    }
    let rest = name.strip_prefix("chacha")?;
    let (digits, part) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
    let (_, kernel) = PARTS.iter().find(|(suffix, _)| *suffix == part)?;
    let canonical = digits == "0" || !digits.is_empty() && !digits.starts_with('0');
    if !canonical {
        return None;
    }
    let rounds = digits.parse().ok().filter(|&rounds| rounds <= ROUNDS_MAX).and_then(|rounds| Rounds::new(rounds).ok());
    let bad = || format!("{name}: the number of rounds must be even and from 2 to {ROUNDS_MAX}, not {digits}");
    Some(rounds.map(kernel).ok_or_else(bad))
}

pub(crate) fn info(kernel: &Kernel) -> KernelInfo {
    let repeats = kernel.body.iter().find_map(|node| match node {
        Node::Repeat { count, .. } => Some(*count),
        Node::Inputs(_) | Node::Step { .. } => None,
    });
    let together = match kernel {
        Kernel { transform: Some(_), .. } => transform::COLUMNS,
        Kernel { map: Some(_), .. } => map::GROUPS,
        Kernel { rejection: Some(_), .. } => REJECTED_TOGETHER,
        _ => 1,
    };
    let fast = if kernel.in_place.is_some() { IN_PLACE } else { Shape::Unrolled };
    KernelInfo {
        name: kernel.name.clone(),
        family: kernel.family.to_string(),
        summary: kernel.interface.summary.to_string(),
        repeats: repeats.unwrap_or(together),
        fast,
        // A loop over groups of elements is nearly as quick, and a scheme spends its time elsewhere.
        balanced: if kernel.map.is_some() || kernel.rejection.is_some() { Shape::Looped } else { fast },
        targets: match &kernel.map {
            Some(map) if map.wants_dsp() => &Target::DSP,
            _ if !kernel.is_of_words() => &Target::THUMB,
            _ => &Target::ALL,
        },
    }
}

/// Compiles a kernel, and fills in what its verification finds out.
fn proven(job: &Job, trace: &mut dyn FnMut(&str, String)) -> Result<Function, Failure> {
    let Job { kernel: name, target, abi, shape } = job;
    let kernel = parse(name).unwrap_or_else(|| Err(format!("unknown kernel {name:?}"))).map_err(Failure::Usage)?;
    let function = compile(&kernel, *target, *abi, *shape, trace).map_err(|error| match error {
        CompileError::Unroll(error) => Failure::Usage(format!("{name}: {error}")),
        error @ (CompileError::InPlace { .. } | CompileError::Extension { .. }) => Failure::Usage(error.to_string()),
        error @ CompileError::Target { .. } => Failure::Usage(format!("{name}: {error}")),
        error => Failure::Check(format!("{name} for {target}, {shape}: {error}")),
    })?;
    let verified = verify(&function).map_err(|error| Failure::Check(error.to_string()))?;
    if verified.stack_bytes > function.stack_bytes {
        return Err(Failure::Check(format!(
            "{}: it uses {} bytes of stack, its frame has {}",
            function.symbol, verified.stack_bytes, function.stack_bytes
        )));
    }
    Ok(Function {
        clobbers: verified.clobbers,
        cycles: verified.cycles,
        instructions: verified.instructions,
        verified_cases: verified.cases,
        ..function
    })
}
