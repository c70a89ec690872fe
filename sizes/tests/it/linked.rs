//! Objects turned into what a linker would make of them: addresses, segments, absolute symbol values.

use object::elf::{FileHeader32, ProgramHeader32, SectionHeader32, Sym32};
use object::pod::{bytes_of, from_bytes};
use object::{LittleEndian as LE, U16, U32};

/// A loaded segment: its sections, which follow each other in the file, with their addresses.
pub struct Load<'a> {
    /// Name and address at run time.
    pub sections: &'a [(&'a str, u32)],
    /// Address where it is stored, if not where it runs.
    pub stored_at: Option<u32>,
    /// True if it begins with the file's own headers.
    pub with_headers: bool,
}

impl<'a> Load<'a> {
    /// A segment that runs where it is stored.
    pub fn new(sections: &'a [(&'a str, u32)]) -> Load<'a> {
        Load { sections, stored_at: None, with_headers: false }
    }
}

/// Structures at their places in the bytes of a file.
fn read<T: object::Pod + Copy>(bytes: &[u8], at: usize) -> T {
    *from_bytes::<T>(&bytes[at..]).unwrap().0
}

fn write<T: object::Pod>(bytes: &mut [u8], at: usize, value: &T) {
    let raw = bytes_of(value);
    bytes[at..at + raw.len()].copy_from_slice(raw);
}

fn name_of(bytes: &[u8], at: usize) -> String {
    bytes[at..].iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect()
}

/// The 32-bit little-endian object in `bytes` as an executable with these segments.
pub fn link(mut bytes: Vec<u8>, loads: &[Load<'_>]) -> Vec<u8> {
    let mut header: FileHeader32<LE> = read(&bytes, 0);
    let (table, count) = (header.e_shoff.get(LE) as usize, usize::from(header.e_shnum.get(LE)));
    let place = |index: usize| table + index * size_of::<SectionHeader32<LE>>();
    let names: SectionHeader32<LE> = read(&bytes, place(usize::from(header.e_shstrndx.get(LE).0)));
    let mut sections: Vec<SectionHeader32<LE>> = (0..count).map(|index| read(&bytes, place(index))).collect();
    let name =
        |section: &SectionHeader32<LE>| name_of(&bytes, (names.sh_offset.get(LE) + section.sh_name.get(LE)) as usize);
    let named: Vec<String> = sections.iter().map(name).collect();
    let mut segments = Vec::new();
    for load in loads {
        let indices: Vec<usize> =
            load.sections.iter().map(|(name, _)| named.iter().position(|other| other == name).unwrap()).collect();
        for (index, (_, address)) in indices.iter().zip(load.sections) {
            sections[*index].sh_addr = U32::new(LE, *address);
        }
        segments.push(segment(load, &indices.iter().map(|index| sections[*index]).collect::<Vec<_>>()));
    }
    for (index, section) in sections.iter().enumerate() {
        write(&mut bytes, place(index), section);
        if section.sh_type.get(LE) == object::elf::SHT_SYMTAB {
            add_addresses(&mut bytes, section, &sections);
        }
    }
    header.e_type = U16::new(LE, object::elf::ET_EXEC);
    header.e_phoff = U32::new(LE, bytes.len() as u32);
    header.e_phnum = U16::new(LE, segments.len() as u16);
    header.e_phentsize = U16::new(LE, size_of::<ProgramHeader32<LE>>() as u16);
    write(&mut bytes, 0, &header);
    segments.iter().for_each(|segment| bytes.extend(bytes_of(segment)));
    bytes
}

fn segment(load: &Load<'_>, sections: &[SectionHeader32<LE>]) -> ProgramHeader32<LE> {
    let first = sections[0];
    let with_bytes = |section: &&SectionHeader32<LE>| section.sh_type.get(LE) != object::elf::SHT_NOBITS;
    let end = |section: &SectionHeader32<LE>| section.sh_offset.get(LE) + section.sh_size.get(LE);
    let file_end = sections.iter().filter(with_bytes).map(end).max().unwrap_or(first.sh_offset.get(LE));
    let last = sections[sections.len() - 1];
    let skipped = if load.with_headers { first.sh_offset.get(LE) } else { 0 };
    let address = first.sh_addr.get(LE) - skipped;
    let offset = first.sh_offset.get(LE) - skipped;
    ProgramHeader32 {
        p_type: U32::new(LE, object::elf::PT_LOAD),
        p_offset: U32::new(LE, offset),
        p_vaddr: U32::new(LE, address),
        p_paddr: U32::new(LE, load.stored_at.unwrap_or(address)),
        p_filesz: U32::new(LE, file_end - offset),
        p_memsz: U32::new(LE, last.sh_addr.get(LE) + last.sh_size.get(LE) - address),
        p_flags: U32::new(LE, object::elf::ProgramFlags(7)),
        p_align: U32::new(LE, 1),
    }
}

fn add_addresses(bytes: &mut [u8], table: &SectionHeader32<LE>, sections: &[SectionHeader32<LE>]) {
    let size = size_of::<Sym32<LE>>();
    for number in 0..table.sh_size.get(LE) as usize / size {
        let at = table.sh_offset.get(LE) as usize + number * size;
        let mut symbol: Sym32<LE> = read(bytes, at);
        if let Some(section) = sections.get(usize::from(symbol.st_shndx.get(LE).0)) {
            symbol.st_value = U32::new(LE, symbol.st_value.get(LE) + section.sh_addr.get(LE));
            write(bytes, at, &symbol);
        }
    }
}
