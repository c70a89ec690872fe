//! From the bytes of a file to an image: header, segments, sections.

use super::{Image, Section, Segment, machine, property, symbols};
use crate::Error;
use object::elf::{PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_WRITE, SHT_NOBITS};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::read::{File, Object, ObjectSection, SectionIndex};
use object::{FileFlags, ObjectKind, SectionFlags};
use std::collections::HashMap;
use std::ops::Range;

impl<'data> Image<'data> {
    /// Parses an ELF file of any machine, class and byte order.
    pub fn parse(data: &'data [u8]) -> Result<Self, Error> {
        let file = File::parse(data).map_err(|why| Error::corrupt("ELF header", why))?;
        let (e_machine, segments) = match &file {
            File::Elf32(elf) => header(elf, data)?,
            File::Elf64(elf) => header(elf, data)?,
            _ => return Err(Error::corrupt("ELF header", "its class is neither 32 nor 64 bits")),
        };
        let FileFlags::Elf { e_flags, .. } = file.flags() else {
            return Err(Error::corrupt("ELF header", "it has no flags"));
        };
        let mut image = Image {
            machine: machine::of(&file, e_machine, e_flags.0, data),
            little_endian: file.is_little_endian(),
            relocatable: file.kind() == ObjectKind::Relocatable,
            stripped: file.symbols().next().is_none(),
            sections: Vec::new(),
            segments,
            source_files: Vec::new(),
        };
        let position = read_sections(&file, &mut image)?;
        no_overlap(&image)?;
        symbols::read(&file, &mut image, &position)?;
        property::read(&file, &mut image, &position);
        for section in &mut image.sections {
            section.mapping.sort_by_key(|(offset, _)| *offset);
            section.symbols.sort_by_key(|symbol| symbol.offset);
        }
        Ok(image)
    }
}

/// Index in [`Image::sections`] of each section that has one.
pub(super) type Position = HashMap<SectionIndex, usize>;

/// The machine's number, and the loaded segments.
fn header<'data, E: FileHeader>(
    elf: &ElfFile<'data, E>,
    data: &'data [u8],
) -> Result<(u16, Vec<Segment<'data>>), Error> {
    let endian = elf.endian();
    let mut segments = Vec::new();
    for (number, segment) in elf.elf_program_headers().iter().enumerate() {
        if segment.p_type(endian) != PT_LOAD || segment.p_filesz(endian).into() == 0 {
            continue;
        }
        let bytes = segment.data(endian, data).map_err(|()| {
            let (offset, size): (u64, u64) = (segment.p_offset(endian).into(), segment.p_filesz(endian).into());
            let what = format!("segment {number} ({size} bytes at file offset {offset})");
            Error::corrupt(what, format!("the file has {} bytes", data.len()))
        })?;
        segments.push(Segment {
            file_offset: segment.p_offset(endian).into(),
            bytes,
            address: segment.p_vaddr(endian).into(),
            load_address: segment.p_paddr(endian).into(),
        });
    }
    Ok((elf.elf_header().e_machine(endian).0, segments))
}

fn read_sections<'data>(file: &File<'data>, image: &mut Image<'data>) -> Result<Position, Error> {
    let mut position = HashMap::new();
    for section in file.sections() {
        if let Some(mut parsed) = parse_section(&section)? {
            place(&mut parsed, image);
            position.insert(section.index(), image.sections.len());
            image.sections.push(parsed);
        }
    }
    Ok(position)
}

/// `None` if it takes no space: not allocated, or empty.
fn parse_section<'data>(section: &object::Section<'data, '_>) -> Result<Option<Section<'data>>, Error> {
    let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else { return Ok(None) };
    if !sh_flags.contains(SHF_ALLOC) || section.size() == 0 {
        return Ok(None);
    }
    let name = section.name_bytes().map_err(|why| Error::corrupt("a section's name", why))?;
    let name = super::text(name);
    let (file_offset, _) = section.file_range().unwrap_or_default();
    let bytes = match sh_type == SHT_NOBITS {
        true => &[],
        false => section.data().map_err(|why| {
            let what = format!("section {name} ({} bytes at file offset {file_offset})", section.size());
            Error::corrupt(what, why)
        })?,
    };
    if section.address().checked_add(section.size()).is_none() {
        return Err(Error::corrupt(format!("section {name}"), "it reaches beyond the last address"));
    }
    Ok(Some(Section {
        address: section.address(),
        size: section.size(),
        align: section.align().max(1),
        executable: sh_flags.contains(SHF_EXECINSTR),
        writable: sh_flags.contains(SHF_WRITE),
        thread_local: sh_flags.contains(SHF_TLS),
        loaded: false,
        in_ram: false,
        file_offset,
        bytes,
        symbols: Vec::new(),
        mapping: Vec::new(),
        relocations: Vec::new(),
        name,
    }))
}

/// Decides whether a section takes ROM and RAM. In a linked file it takes ROM if a loaded segment holds its bytes, and
/// RAM if it can be written or is stored at another address than it runs at.
fn place(section: &mut Section<'_>, image: &Image<'_>) {
    let range = file_range(section);
    let holds = |segment: &&Segment<'_>| {
        let start = segment.file_offset;
        start <= range.start && range.end <= start.saturating_add(segment.bytes.len() as u64)
    };
    let segment = image.segments.iter().find(holds).filter(|_| !section.bytes.is_empty());
    let moved = segment.is_some_and(|segment| segment.address != segment.load_address);
    section.loaded = !section.bytes.is_empty() && (segment.is_some() || image.segments.is_empty());
    section.in_ram = section.writable || moved || section.bytes.is_empty();
}

fn file_range(section: &Section<'_>) -> Range<u64> {
    section.file_offset..section.file_offset.saturating_add(section.bytes.len() as u64)
}

/// Each byte of the file can be counted once only if sections, and segments, are disjoint.
fn no_overlap(image: &Image<'_>) -> Result<(), Error> {
    let sections = image.sections.iter().map(|section| (file_range(section), format!("section {}", section.name)));
    let segments = image.segments.iter().map(|segment| {
        let range = segment.file_offset..segment.file_offset.saturating_add(segment.bytes.len() as u64);
        (range, format!("the segment at {:#x}", segment.address))
    });
    for mut ranges in [sections.collect::<Vec<_>>(), segments.collect()] {
        ranges.retain(|(range, _)| !range.is_empty());
        ranges.sort_by_key(|(range, _)| range.start);
        for pair in ranges.windows(2) {
            if pair[1].0.start < pair[0].0.end {
                return Err(Error::corrupt(
                    pair[1].1.clone(),
                    format!("it shares bytes of the file with {}", pair[0].1),
                ));
            }
        }
    }
    Ok(())
}
