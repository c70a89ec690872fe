//! From the words of the command line to the functions that are asked for.

use crate::cli::args::ShapeArgs;
use crate::cli::{Failure, KernelInfo, Source};
use crate::target::{Abi, Shape, Target};

/// One function to generate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Name of the kernel.
    pub kernel: String,
    /// The core.
    pub target: Target,
    /// How it is called.
    pub abi: Abi,
    /// How far to unroll.
    pub shape: Shape,
}

/// The kernels that any of the patterns names, in catalogue order, then those that only an exact name reaches.
pub fn kernels(source: &dyn Source, patterns: &[String]) -> Result<Vec<KernelInfo>, Failure> {
    let catalogue = source.kernels();
    if patterns.is_empty() {
        return Ok(catalogue);
    }
    let mut wanted = vec![false; catalogue.len()];
    let mut extra: Vec<KernelInfo> = Vec::new();
    for pattern in patterns {
        let glob = glob::Pattern::new(pattern)
            .map_err(|error| Failure::Usage(format!("--kernel {pattern}: not a pattern: {error}")))?;
        let hits: Vec<usize> = (0..catalogue.len()).filter(|&i| glob.matches(&catalogue[i].name)).collect();
        for &hit in &hits {
            wanted[hit] = true;
        }
        if hits.is_empty() {
            let kernel = kernel(source, pattern)?;
            if !extra.contains(&kernel) {
                extra.push(kernel);
            }
        }
    }
    let listed = catalogue.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(kernel, _)| kernel);
    Ok(listed.chain(extra).collect())
}

/// The kernel of exactly this name, in the catalogue or not.
pub fn kernel(source: &dyn Source, name: &str) -> Result<KernelInfo, Failure> {
    if let Some(found) = source.named(name) {
        return found.map_err(Failure::Usage);
    }
    let catalogue = source.kernels();
    if name.contains(['*', '?', '[']) {
        return Err(Failure::Usage(format!("no kernel matches {name:?}: `gen list` shows them all")));
    }
    let names = catalogue.iter().map(|kernel| kernel.name.as_str());
    Err(Failure::Usage(format!("unknown kernel {name:?}: {}`gen list` shows them all", suggestion(name, names))))
}

/// The targets of these names, in their usual order; all for none.
pub fn targets(names: &[String]) -> Result<Vec<Target>, Failure> {
    let chosen = names.iter().map(|name| target(name)).collect::<Result<Vec<Target>, Failure>>()?;
    Ok(Target::ALL.into_iter().filter(|target| chosen.is_empty() || chosen.contains(target)).collect())
}

/// The target of this name.
pub fn target(name: &str) -> Result<Target, Failure> {
    Target::ALL.into_iter().find(|target| target.name() == name).ok_or_else(|| {
        let names = Target::ALL.map(Target::name);
        let suggestion = suggestion(name, names.into_iter());
        Failure::Usage(format!("unknown target {name:?}: {suggestion}there are {}", names.join(", ")))
    })
}

/// How functions are called on each of these targets: as is wanted where that is possible, else in the usual way.
///
/// # Errors
/// If it is possible on none of them.
pub fn called(targets: Vec<Target>, wanted: Option<Abi>) -> Result<Vec<(Target, Abi)>, Failure> {
    let can = |target: &Target| wanted.is_none_or(|wanted| target.abis().contains(&wanted));
    if let Some(wanted) = wanted.filter(|_| !targets.iter().any(can)) {
        let names = |targets: &[Target]| targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ");
        let others: Vec<Target> = Target::ALL.into_iter().filter(can).collect();
        return Err(Failure::Usage(format!(
            "--abi {wanted}: functions are not called so on {}; leave it out, or choose among {} with --target",
            names(&targets),
            names(&others)
        )));
    }
    let usual = |target: Target| target.abis().first().copied().unwrap_or(Abi::Aapcs);
    let abi = |target: Target| wanted.filter(|_| can(&target)).unwrap_or(usual(target));
    Ok(targets.into_iter().map(|target| (target, abi(target))).collect())
}

/// The shapes asked for; `default` if none is.
pub fn shapes(args: &ShapeArgs, kernel: &KernelInfo, default: &[Shape]) -> Result<Vec<Shape>, Failure> {
    let mut shapes = Vec::new();
    match args.unroll {
        None => {}
        Some(None) => shapes.push(kernel.fast),
        Some(Some(factor)) => {
            let refuse = |why| Failure::Usage(format!("--unroll={factor} {why}, or choose kernels with --kernel"));
            shapes.push(kernel.unrolled_by(factor).map_err(refuse)?);
        }
    }
    if args.looped && !shapes.contains(&Shape::Looped) {
        shapes.push(Shape::Looped);
    }
    Ok(if shapes.is_empty() { default.to_vec() } else { shapes })
}

/// `did you mean "x"? ` with the nearest name, or nothing if more than a third of the word would have to change.
pub fn suggestion<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let limit = word.chars().count().div_ceil(3);
    let distances = names.map(|name| (strsim::damerau_levenshtein(word, name), name));
    // The first of equals, so that the answer depends on nothing but the catalogue.
    let nearest = distances.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, name)| format!("did you mean {name:?}? ")).unwrap_or_default()
}
