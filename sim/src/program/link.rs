//! Links objects as far as one function needs: the sections that it reaches through relocations.

use super::elf::{Elf, content, damaged, permissions};
use super::relocate::{self, Inputs, Refusal};
use super::{Family, LoadError, Program, Segment, nearest};
use crate::memory::Permissions;
use object::elf::RelocationType;
use object::read::elf::ElfSection32;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex, SymbolIndex,
    SymbolKind, SymbolSection,
};
use std::collections::BTreeMap;

/// A section of one of the objects.
type Place = (usize, usize);

/// Where a kind of section goes.
#[derive(Clone, Copy)]
struct Area {
    name: &'static str,
    base: u32,
    /// What does not fit before the next area.
    bytes: usize,
    permissions: Permissions,
}

/// Areas of code, constants, data and common symbols, and literals of code in a section of their own, which L32R reaches only
/// backwards and not from far.
const CODE: usize = 0;
const CONSTANTS: usize = 1;
const DATA: usize = 2;
const LITERALS: usize = 3;

const fn area(name: &'static str, base: u32, bytes: usize, permissions: Permissions) -> Area {
    Area { name, base, bytes, permissions }
}

const THUMB: [Area; 4] = [
    area(".text", 0x0800_0000, 0x0400_0000, Permissions::READ_EXECUTE),
    area(".rodata", 0x0c00_0000, 0x0400_0000, Permissions::READ),
    area(".data", 0x2000_0000, 0x0400_0000, Permissions::READ_WRITE),
    area(".literal", 0x2400_0000, 0, Permissions::READ),
];
const XTENSA: [Area; 4] = [
    area(".text", 0x4009_0000, 0x0100_0000, Permissions::READ_EXECUTE),
    area(".rodata", 0x3e00_0000, 0x0100_0000, Permissions::READ),
    area(".data", 0x3f00_0000, 0x0100_0000, Permissions::READ_WRITE),
    area(".literal", 0x4008_0000, 0x0001_0000, Permissions::READ_EXECUTE),
];

/// A symbol's definition.
#[derive(Clone, Copy)]
enum Value {
    Section { place: Place, offset: u32, function: bool },
    Absolute(u32),
    Common { size: u32, align: u32 },
}

/// A relocation of a placed section.
struct Reference {
    section: String,
    place: Place,
    offset: u64,
    kind: RelocationType,
    addend: Option<i32>,
}

/// Where a symbol ended up. Bit 0 of the address is clear for a function.
#[derive(Clone, Copy)]
struct Target {
    address: u32,
    function: bool,
}

fn value_of<'data>(family: Family, file: usize, symbol: &impl ObjectSymbol<'data>) -> Option<Value> {
    let address = symbol.address() as u32;
    let function = family == Family::Thumb && symbol.kind() == SymbolKind::Text;
    match symbol.section() {
        SymbolSection::Section(section) => {
            let offset = if function { address & !1 } else { address };
            Some(Value::Section { place: (file, section.0), offset, function })
        }
        SymbolSection::Absolute => Some(Value::Absolute(address)),
        // The address of a common symbol is its alignment.
        SymbolSection::Common => Some(Value::Common { size: symbol.size() as u32, align: address.max(4) }),
        _ => None,
    }
}

pub(super) struct Linker<'data> {
    family: Family,
    files: Vec<Elf<'data>>,
    globals: BTreeMap<String, Value>,
    /// Base address of each section that is needed.
    placed: BTreeMap<Place, u32>,
    commons: BTreeMap<String, u32>,
    queue: Vec<Place>,
    areas: [Vec<u8>; 4],
}

impl<'data> Linker<'data> {
    pub(super) fn new(family: Family, files: Vec<Elf<'data>>) -> Self {
        let mut globals = BTreeMap::new();
        let mut weak = BTreeMap::new();
        for (index, file) in files.iter().enumerate() {
            for symbol in file.symbols() {
                let Ok(name) = symbol.name() else { continue };
                if symbol.is_global() && !symbol.is_undefined() {
                    let table = if symbol.is_weak() { &mut weak } else { &mut globals };
                    if let Some(value) = value_of(family, index, &symbol) {
                        table.entry(name.to_string()).or_insert(value);
                    }
                }
            }
        }
        for (name, value) in weak {
            globals.entry(name).or_insert(value);
        }
        let placed = BTreeMap::new();
        Linker {
            family,
            files,
            globals,
            placed,
            commons: BTreeMap::new(),
            queue: Vec::new(),
            areas: Default::default(),
        }
    }

    pub(super) fn link(mut self, symbol: &str) -> Result<Program, LoadError> {
        let Some(value) = self.find(symbol) else {
            let names: Vec<String> = self.function_names();
            let nearest = nearest(symbol, names.iter().map(String::as_str));
            return Err(LoadError::MissingSymbol { symbol: symbol.into(), nearest });
        };
        let entry = self.address(symbol, value)?.address;
        while let Some(place) = self.queue.pop() {
            self.relocations(place, |_, _, _| Ok(()))?;
        }
        for place in self.placed.keys().copied().collect::<Vec<_>>() {
            self.relocations(place, Self::patch)?;
        }
        let symbols = self.symbols();
        let segments = self.layout().iter().zip(self.areas).filter(|(_, bytes)| !bytes.is_empty());
        let segments = segments.map(|(area, bytes)| {
            let Area { name, base, permissions, .. } = *area;
            Segment { name: name.into(), base, bytes, permissions }
        });
        Ok(Program { segments: segments.collect(), entry: entry & self.family.code_mask(), symbols })
    }

    const fn layout(&self) -> &'static [Area; 4] {
        match self.family {
            Family::Thumb => &THUMB,
            Family::Xtensa => &XTENSA,
        }
    }

    /// A global symbol, or a local function that only one object has.
    fn find(&self, symbol: &str) -> Option<Value> {
        self.globals.get(symbol).copied().or_else(|| {
            self.files.iter().enumerate().find_map(|(index, file)| {
                let mut found = file.symbols().filter(|s| s.name() == Ok(symbol) && s.kind() == SymbolKind::Text);
                found.find_map(|s| value_of(self.family, index, &s))
            })
        })
    }

    fn function_names(&self) -> Vec<String> {
        let symbols = self.files.iter().flat_map(|file| file.symbols());
        let functions = symbols.filter(|s| s.kind() == SymbolKind::Text && s.is_definition());
        functions.filter_map(|s| s.name().ok().map(str::to_string)).filter(|name| !name.starts_with('$')).collect()
    }

    /// The address that a symbol gets, placing what defines it.
    fn address(&mut self, name: &str, value: Value) -> Result<Target, LoadError> {
        let data = |address| Target { address, function: false };
        Ok(match value {
            Value::Absolute(address) => data(address),
            Value::Section { place, offset, function } => {
                Target { address: self.place(place)?.wrapping_add(offset), function }
            }
            Value::Common { size, align } => match self.commons.get(name) {
                Some(address) => data(*address),
                None => {
                    let address = self.reserve(DATA, &vec![0; size as usize], align, name)?;
                    self.commons.insert(name.to_string(), address);
                    data(address)
                }
            },
        })
    }

    /// Gives a section its address and queues it for a look at its relocations.
    fn place(&mut self, place: Place) -> Result<u32, LoadError> {
        if let Some(base) = self.placed.get(&place) {
            return Ok(*base);
        }
        let section = self.section(place)?;
        let name = section.name().map_err(damaged)?.to_string();
        let allowed = permissions(section.flags())
            .ok_or_else(|| LoadError::Damaged(format!("section {name} is referred to but not loaded")))?;
        let area = match allowed {
            _ if self.family == Family::Xtensa && name.starts_with(".literal") => LITERALS,
            Permissions { execute: true, .. } => CODE,
            Permissions { write: true, .. } => DATA,
            _ => CONSTANTS,
        };
        let (bytes, align) = (content(&section)?, section.align() as u32);
        let base = self.reserve(area, &bytes, align, &name)?;
        self.placed.insert(place, base);
        self.queue.push(place);
        Ok(base)
    }

    fn reserve(&mut self, area: usize, bytes: &[u8], align: u32, name: &str) -> Result<u32, LoadError> {
        let Area { base, bytes: available, .. } = self.layout()[area];
        let space = &mut self.areas[area];
        let start = space.len().next_multiple_of(align.max(4) as usize);
        if start.saturating_add(bytes.len()) > available {
            return Err(LoadError::Damaged(format!("{name} does not fit into memory")));
        }
        space.resize(start, 0);
        space.extend_from_slice(bytes);
        Ok(base + start as u32)
    }

    fn section<'a>(&'a self, (file, index): Place) -> Result<ElfSection32<'data, 'a, LittleEndian>, LoadError> {
        self.files[file].section_by_index(SectionIndex(index)).map_err(damaged)
    }

    /// Places what a section refers to, and does something with each of its relocations: type, offset and address.
    fn relocations(
        &mut self,
        place: Place,
        mut each: impl FnMut(&mut Self, &Reference, Target) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let section = self.section(place)?;
        let name = section.name().map_err(damaged)?.to_string();
        let list: Vec<_> = section.relocations().collect();
        for (offset, relocation) in list {
            let RelocationFlags::Elf { r_type, .. } = relocation.flags() else { continue };
            let addend = (!relocation.has_implicit_addend()).then(|| relocation.addend() as i32);
            let reference = Reference { section: name.clone(), place, offset, kind: r_type, addend };
            let target = match relocation.target() {
                RelocationTarget::Symbol(index) => self.target(&reference, index)?,
                _ => Target { address: 0, function: false },
            };
            each(self, &reference, target)?;
        }
        Ok(())
    }

    /// The symbol that a relocation names.
    fn target(&mut self, from: &Reference, index: SymbolIndex) -> Result<Target, LoadError> {
        let file = from.place.0;
        let symbol = self.files[file].symbol_by_index(index).map_err(damaged)?;
        let name = symbol.name().unwrap_or_default().to_string();
        let local = if symbol.is_undefined() { None } else { value_of(self.family, file, &symbol) };
        let (weak, missing) = (symbol.is_weak(), name.clone());
        let value = match local {
            Some(Value::Common { .. }) | None => self.globals.get(&name).copied().or(local),
            found => found,
        };
        match value {
            Some(value) => self.address(&name, value),
            None if weak || index.0 == 0 => Ok(Target { address: 0, function: false }),
            None => Err(LoadError::Undefined { symbol: missing, section: from.section.clone(), offset: from.offset }),
        }
    }

    fn patch(&mut self, from: &Reference, target: Target) -> Result<(), LoadError> {
        let place = self.placed[&from.place].wrapping_add(from.offset as u32);
        let offset = |area: &Area| place.wrapping_sub(area.base) as usize;
        let areas = self.layout().iter().zip(&mut self.areas);
        let field = areas.filter_map(|(area, bytes)| bytes.get_mut(offset(area)..)).find(|field| !field.is_empty());
        let inputs = Inputs { symbol: target.address, thumb: u32::from(target.function), place, addend: from.addend };
        relocate::apply(self.family, from.kind, field.unwrap_or_default(), &inputs).map_err(|refusal| {
            let (kind, section, offset) = (relocate::name(self.family, from.kind), from.section.clone(), from.offset);
            match refusal {
                Refusal::Unsupported => LoadError::Relocation { kind, section, offset },
                Refusal::Range => LoadError::Range { kind, section, offset },
            }
        })
    }

    /// Functions of the placed sections by address.
    fn symbols(&self) -> Vec<(u32, String)> {
        let mut symbols = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Text) {
                let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) else { continue };
                if let Some(base) = self.placed.get(&(index, section.0))
                    && !name.starts_with('$')
                {
                    let address = symbol.address() as u32 & self.family.code_mask();
                    symbols.push((base.wrapping_add(address), name.to_string()));
                }
            }
        }
        symbols.sort();
        symbols
    }
}
