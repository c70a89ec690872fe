//! Which shape and which memory each kernel gets: from features, and from `quadround.toml`.
//!
//! ```toml
//! shape = "speed"             # or "balanced" or "size"; of every kernel that nothing else is said about
//! placement = "flash"         # or "ram"
//!
//! [kernel."chacha20_xor"]
//! shape = "looped"            # or "speed", "unrolled", "balanced", "size", or an unroll factor such as 2
//! placement = "ram"
//!
//! [kernel."chacha20_block"]
//! rom_bytes_max = 1000        # the fastest shape with no more bytes of code and constants than this
//! ```

use generator::cli::{KernelInfo, suggestion};
use generator::emit::Placement;
use generator::target::Shape;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How the shape of a kernel is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// It is this one.
    Shape(Shape),
    /// The fastest one with no more bytes of code and constants.
    RomBytesMax(u64),
}

/// A kernel that is to be linked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// The kernel.
    pub kernel: KernelInfo,
    /// Its shape.
    pub choice: Choice,
    /// The memory it is executed from.
    pub placement: Placement,
    /// Where it can be wished for, for messages: the file and its table.
    pub place: String,
}

/// What features say about shapes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// `speed` is enabled.
    pub speed: bool,
    /// `size` is enabled.
    pub size: bool,
}

/// The text of a `quadround.toml` and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path, for messages.
    pub path: &'a str,
    /// Its contents.
    pub text: &'a str,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    shape: Option<End>,
    placement: Option<Memory>,
    #[serde(default)]
    kernel: BTreeMap<String, Keys>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    shape: Option<ShapeKey>,
    rom_bytes_max: Option<u64>,
    placement: Option<Memory>,
}

/// Both ends of the choice between speed and size, and what is between them.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum End {
    #[serde(alias = "unrolled")]
    Speed,
    Balanced,
    #[serde(alias = "looped")]
    Size,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"speed\", \"unrolled\", \"balanced\", \"size\", \"looped\" or an unroll factor"
)]
enum ShapeKey {
    End(End),
    By(u32),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Memory {
    Flash,
    Ram,
}

/// A wish for each of these kernels.
///
/// `enabled` are the kernels that features ask for, and `catalogue` all there are.
///
/// # Errors
/// What is wrong, where, and what to do.
pub fn wishes(
    source: Option<Source<'_>>,
    features: Features,
    enabled: &[KernelInfo],
    catalogue: &[KernelInfo],
) -> Result<Vec<Wish>, String> {
    let file = source.map_or(Ok(File::default()), read)?;
    let path = source.map_or("quadround.toml", |source| source.path);
    if let Some(name) = file.kernel.keys().find(|name| enabled.iter().all(|kernel| kernel.name != **name)) {
        return Err(format!("{path}: [kernel.\"{name}\"]: {}", unknown(name, enabled, catalogue)));
    }
    let end = match file.shape {
        Some(end) => end,
        None => by_feature(features)?,
    };
    let wish = |kernel: &KernelInfo| {
        let none = Keys::default();
        let keys = file.kernel.get(&kernel.name).unwrap_or(&none);
        let place = format!("{path}: [kernel.\"{}\"]", kernel.name);
        let refuse = |why: String| format!("{place}: {why}");
        let choice = match (keys.shape, keys.rom_bytes_max) {
            (Some(_), Some(_)) => {
                return Err(refuse("`shape` and `rom_bytes_max` exclude each other; remove one of them".into()));
            }
            (None, Some(most)) => Choice::RomBytesMax(most),
            (None, None) => Choice::Shape(at_end(end, kernel)),
            (Some(ShapeKey::End(end)), None) => Choice::Shape(at_end(end, kernel)),
            (Some(ShapeKey::By(factor)), None) => {
                let shape = kernel.unrolled_by(factor);
                Choice::Shape(shape.map_err(|why| refuse(format!("shape: {factor} {why}")))?)
            }
        };
        let placement = match keys.placement.or(file.placement) {
            None | Some(Memory::Flash) => Placement::Flash,
            Some(Memory::Ram) => Placement::Ram,
        };
        Ok(Wish { kernel: kernel.clone(), choice, placement, place })
    };
    enabled.iter().map(wish).collect()
}

fn read(source: Source<'_>) -> Result<File, String> {
    toml::from_str(source.text).map_err(|error| format!("{}: {error}", source.path))
}

fn at_end(end: End, kernel: &KernelInfo) -> Shape {
    match end {
        End::Speed => kernel.fast,
        End::Balanced => kernel.balanced,
        End::Size => Shape::Looped,
    }
}

fn by_feature(features: Features) -> Result<End, String> {
    match features {
        Features { speed: true, size: true } => Err("the features `speed` and `size` of runtime-m4 exclude each other; \
            enable only one of them, or write `shape = \"speed\"` or `shape = \"size\"` into a quadround.toml beside your \
            Cargo.toml, which then decides"
            .into()),
        Features { size: true, .. } => Ok(End::Size),
        Features { speed: true, .. } => Ok(End::Speed),
        Features { .. } => Ok(End::Balanced),
    }
}

/// Why there is no kernel of this name.
fn unknown(name: &str, enabled: &[KernelInfo], catalogue: &[KernelInfo]) -> String {
    if let Some(kernel) = catalogue.iter().find(|kernel| kernel.name == name) {
        let feature = kernel.name.split('_').next().unwrap_or_default();
        return format!(
            "this kernel is not linked; enable the feature `{feature}` of runtime-m4, or remove this table"
        );
    }
    let names = || enabled.iter().map(|kernel| kernel.name.as_str());
    let all: Vec<&str> = names().collect();
    format!("there is no such kernel; {}there are {}", suggestion(name, names()), all.join(", "))
}
