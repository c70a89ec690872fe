//! Reading ELF: which kind of file it is, executables, firmware images.

use super::link::Linker;
use super::{Family, LoadError, Program, Segment, nearest};
use crate::memory::Permissions;
use crate::thumb::board::{Board, BoardMemory, MemoryKind};
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{
    Architecture, LittleEndian, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind, elf,
};

/// A 32-bit little-endian ELF file.
pub(super) type Elf<'data> = ElfFile32<'data, LittleEndian>;

pub(super) fn damaged(error: object::Error) -> LoadError {
    LoadError::Damaged(error.to_string())
}

/// Parses one ELF file and refuses machines that there is no simulator of.
pub(super) fn parse(data: &[u8]) -> Result<(Family, Elf<'_>), LoadError> {
    if data.get(..4) != Some(b"\x7fELF") {
        return Err(LoadError::Damaged("it does not begin like one".into()));
    }
    match (data.get(4), data.get(5)) {
        (Some(1), Some(1)) => {}
        (Some(2), _) => return Err(LoadError::WrongMachine("a 64-bit ELF file".into())),
        (Some(_), Some(2)) => return Err(LoadError::WrongMachine("a big-endian ELF file".into())),
        _ => return Err(LoadError::Damaged("its header is cut off".into())),
    }
    let file = Elf::parse(data).map_err(damaged)?;
    match file.architecture() {
        Architecture::Arm => Ok((Family::Thumb, file)),
        Architecture::Xtensa => Ok((Family::Xtensa, file)),
        other => Err(LoadError::WrongMachine(format!("an ELF file for {other:?}"))),
    }
}

/// The family of a file, of an archive that of its first object.
pub(super) fn family(data: &[u8]) -> Result<Family, LoadError> {
    let objects = objects(data)?;
    objects.first().map(|(family, _)| *family).ok_or_else(|| LoadError::Damaged("an archive without objects".into()))
}

/// The object, executable, or the objects of an archive.
fn objects(data: &[u8]) -> Result<Vec<(Family, Elf<'_>)>, LoadError> {
    if !data.starts_with(b"!<arch>\n") {
        return Ok(vec![parse(data)?]);
    }
    let archive = ArchiveFile::parse(data).map_err(damaged)?;
    let mut files = Vec::new();
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let bytes = member.data(data).map_err(damaged)?;
        // Archives also hold what is no object: `lib.rmeta` in an rlib.
        if bytes.starts_with(b"\x7fELF") {
            files.push(parse(bytes)?);
        }
    }
    Ok(files)
}

pub(super) fn function(data: &[u8], symbol: &str) -> Result<Program, LoadError> {
    let objects = objects(data)?;
    if let [(family, file)] = &objects[..]
        && file.kind() != ObjectKind::Relocatable
    {
        return executable(*family, file, symbol);
    }
    let family = objects.first().map_or(Family::Thumb, |(family, _)| *family);
    if objects.iter().any(|(other, _)| *other != family) {
        return Err(LoadError::WrongMachine("an archive for two machines".into()));
    }
    Linker::new(family, objects.into_iter().map(|(_, file)| file).collect()).link(symbol)
}

/// Functions by address; of Thumb code with bit 0 cleared.
pub(super) fn functions(family: Family, file: &Elf) -> Vec<(u32, String)> {
    let mut symbols: Vec<(u32, String)> = file
        .symbols()
        .filter(|s| s.kind() == SymbolKind::Text && s.is_definition())
        .filter_map(|s| Some((s.address() as u32 & family.code_mask(), s.name().ok()?.to_string())))
        .filter(|(_, name)| !name.starts_with('$'))
        .collect();
    symbols.sort();
    symbols
}

/// What section flags permit.
pub(super) fn permissions(flags: SectionFlags) -> Option<Permissions> {
    let SectionFlags::Elf { sh_flags, .. } = flags else { return None };
    let flag = |bit: elf::SectionFlags| sh_flags.0 & bit.0 != 0;
    flag(elf::SHF_ALLOC).then(|| Permissions {
        read: true,
        write: flag(elf::SHF_WRITE),
        execute: flag(elf::SHF_EXECINSTR),
    })
}

fn executable(family: Family, file: &Elf, symbol: &str) -> Result<Program, LoadError> {
    let symbols = functions(family, file);
    let Some((entry, _)) = symbols.iter().find(|(_, name)| name == symbol) else {
        let nearest = nearest(symbol, symbols.iter().map(|(_, name)| name.as_str()));
        return Err(LoadError::MissingSymbol { symbol: symbol.into(), nearest });
    };
    let mut segments = Vec::new();
    for section in file.sections() {
        let Some(permissions) = permissions(section.flags()) else { continue };
        if section.size() > 0 {
            let name = section.name().map_err(damaged)?.to_string();
            segments.push(Segment { name, base: section.address() as u32, bytes: content(&section)?, permissions });
        }
    }
    Ok(Program { segments, entry: *entry, symbols })
}

/// A section's bytes; zeros if the file holds none.
pub(super) fn content<'data>(section: &impl ObjectSection<'data>) -> Result<Vec<u8>, LoadError> {
    let bytes = section.data().map_err(damaged)?;
    if !bytes.is_empty() {
        return Ok(bytes.to_vec());
    }
    let size = section.size();
    if size > MAX_ZEROED {
        return Err(LoadError::Damaged(format!("a section of {size} zeroed bytes")));
    }
    Ok(vec![0; size as usize])
}

/// More zeroed memory than a microcontroller has.
const MAX_ZEROED: u64 = 64 << 20;

/// RAM that a firmware image finds, at least: 1 MiB from the usual address.
const RAM: (u32, usize) = (0x2000_0000, 1 << 20);

/// What an executable for Arm loads, by address.
fn loaded(data: &[u8]) -> Result<(Elf<'_>, Vec<Segment>), LoadError> {
    match parse(data)? {
        (Family::Thumb, file) => {
            let segments = segments(&file, data)?;
            Ok((file, segments))
        }
        (family, _) => Err(LoadError::WrongMachine(format!("an ELF file for {family}"))),
    }
}

/// What an executable loads, by address.
pub(super) fn segments(file: &Elf<'_>, data: &[u8]) -> Result<Vec<Segment>, LoadError> {
    if file.kind() != ObjectKind::Executable {
        return Err(LoadError::NoVectors("this is not an executable".into()));
    }
    let mut segments = Vec::new();
    for header in file.elf_program_headers() {
        let endian = LittleEndian;
        let size = header.p_filesz(endian);
        if header.p_type(endian) == elf::PT_LOAD && size > 0 {
            let bytes = header.data(endian, data).map_err(|()| LoadError::Damaged("a segment is cut off".into()))?;
            let base = header.p_paddr(endian);
            let permissions = if base < RAM.0 { Permissions::READ_EXECUTE } else { Permissions::ALL };
            segments.push(Segment { name: format!("segment {base:#010x}"), base, bytes: bytes.to_vec(), permissions });
        }
    }
    segments.sort_by_key(|segment| segment.base);
    Ok(segments)
}

/// Flash that was erased, and RAM after power-on, which may hold anything.
const ERASED: u8 = 0xff;
const JUNK: u8 = 0xa5;

pub(super) fn on_board(data: &[u8], board: &Board) -> Result<Program, LoadError> {
    let (file, loaded) = loaded(data)?;
    let mut segments: Vec<Segment> = board.memory.iter().map(memory).collect();
    for segment in loaded {
        let offset = |memory: &Segment| segment.base.checked_sub(memory.base).map(|offset| offset as usize);
        let holds = |memory: &&mut Segment| {
            offset(memory).is_some_and(|offset| offset + segment.bytes.len() <= memory.bytes.len())
        };
        match segments.iter_mut().find(holds) {
            Some(memory) => {
                let offset = (segment.base - memory.base) as usize;
                memory.bytes[offset..offset + segment.bytes.len()].copy_from_slice(&segment.bytes);
            }
            None => return Err(no_memory(&segment, board)),
        }
    }
    let copies = board.memory.iter().zip(&segments).flat_map(|(memory, segment)| {
        let alias = |base: &u32| Segment { base: *base, name: format!("alias of {}", memory.name), ..segment.clone() };
        memory.aliases.iter().map(alias).collect::<Vec<Segment>>()
    });
    let copies: Vec<Segment> = copies.collect();
    join(&mut segments);
    segments.extend(copies);
    Ok(Program { segments, entry: 0, symbols: functions(Family::Thumb, &file) })
}

/// Makes one of memories that follow each other: they are found faster.
fn join(segments: &mut Vec<Segment>) {
    segments.dedup_by(|second, first| {
        let joined = first.permissions == second.permissions && gap(first, second) == Some(0);
        if joined {
            first.bytes.append(&mut second.bytes);
            first.name = format!("{} and {}", first.name, second.name);
        }
        joined
    });
}

/// A memory of a board before anything is loaded.
fn memory(memory: &BoardMemory) -> Segment {
    let (fill, permissions) = match memory.kind {
        MemoryKind::Flash => (ERASED, Permissions::READ_EXECUTE),
        MemoryKind::Ram => (JUNK, Permissions::ALL),
    };
    Segment { name: memory.name.clone(), base: memory.start, bytes: vec![fill; memory.length as usize], permissions }
}

fn no_memory(segment: &Segment, board: &Board) -> LoadError {
    let end = u64::from(segment.base) + segment.bytes.len() as u64;
    let begins = board.memory.iter().find(|memory| segment.base.wrapping_sub(memory.start) < memory.length);
    let why = match begins {
        Some(memory) => {
            let excess = end - (u64::from(memory.start) + u64::from(memory.length));
            format!("that is {excess} bytes more than {} holds", memory.name)
        }
        None => {
            let each = |memory: &BoardMemory| {
                format!("{} {:#010x}..{:#010x}", memory.name, memory.start, memory.start.wrapping_add(memory.length))
            };
            format!("it has {}", board.memory.iter().map(each).collect::<Vec<String>>().join(", "))
        }
    };
    LoadError::NoMemory { address: segment.base, length: segment.bytes.len(), board: board.name.clone(), why }
}

pub(super) fn firmware(data: &[u8]) -> Result<Program, LoadError> {
    if let (Family::Xtensa, file) = parse(data)? {
        return super::xtensa::firmware(&file, data);
    }
    let (file, mut segments) = loaded(data)?;
    merge(&mut segments);
    let symbols = functions(Family::Thumb, &file);
    let vectors = segments.first().filter(|s| s.base < RAM.0 && s.bytes.len() >= 8);
    let vectors = vectors.ok_or_else(|| LoadError::NoVectors("nothing is loaded below 0x20000000".into()))?;
    if vectors.base != 0 {
        // Flash is visible at address 0 too, which is where the core looks for its vectors.
        let alias = Segment { name: "boot alias".into(), base: 0, ..vectors.clone() };
        segments.insert(0, alias);
    }
    add_ram(&mut segments);
    Ok(Program { segments, entry: 0, symbols })
}

/// Joins segments that follow each other with small gaps.
pub(super) fn merge(segments: &mut Vec<Segment>) {
    let mut merged: Vec<Segment> = Vec::new();
    for segment in segments.drain(..) {
        match merged.last_mut() {
            Some(last)
                if last.permissions == segment.permissions && gap(last, &segment).is_some_and(|gap| gap < 4096) =>
            {
                let length = (segment.base - last.base) as usize;
                last.bytes.resize(length, 0);
                last.bytes.extend(segment.bytes);
            }
            _ => merged.push(segment),
        }
    }
    *segments = merged;
}

fn gap(before: &Segment, after: &Segment) -> Option<u32> {
    after.base.checked_sub(before.base)?.checked_sub(before.bytes.len() as u32)
}

/// RAM around what is loaded into it.
fn add_ram(segments: &mut Vec<Segment>) {
    let (base, length) = RAM;
    let mut ram = Segment { name: "RAM".into(), base, bytes: vec![0; length], permissions: Permissions::ALL };
    segments.retain(|segment| {
        let Some(offset) = segment.base.checked_sub(base).map(|o| o as usize) else { return true };
        let end = offset + segment.bytes.len();
        if end <= length {
            ram.bytes[offset..end].copy_from_slice(&segment.bytes);
        }
        end > length
    });
    segments.push(ram);
}
