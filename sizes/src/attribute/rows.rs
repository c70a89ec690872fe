//! From claims to rows.

use super::claims::{Claims, Owner};
use super::fill::{fill_at_start_of_data, fill_before_data, trailing_fill};
use super::references::{Usage, is_data};
use crate::image::{Content, Image, Kind, Section};
use crate::names;
use crate::report::{LITERAL_POOL, PADDING, Row, RowKind, SectionTotal, Stack, UNATTRIBUTED};
use std::collections::BTreeMap;
use std::ops::Range;

/// A row and its owner, if it has one.
pub type OwnedRow = (Option<Owner>, Row);

/// The rows of all sections.
pub fn rows(image: &Image<'_>, claims: &Claims, usage: &Usage) -> Vec<OwnedRow> {
    let mut rows = Vec::new();
    for (index, section) in image.sections.iter().enumerate().filter(|(_, section)| section.loaded || section.in_ram) {
        let mut owned: BTreeMap<Owner, Row> = BTreeMap::new();
        for (range, owner) in claims.map(index).claims() {
            let row = owned.entry(owner).or_insert_with(|| named(image, section, owner, range.start));
            // Literals may lie before the function that they were given to.
            let start =
                section.symbols.get(owner.symbol).filter(|_| owner.section == index).map(|symbol| symbol.offset);
            if let Some(start) = start.map(|offset| section.address.wrapping_add(offset))
                && row.address < start
            {
                row.address = section.address.wrapping_add(range.start);
            }
            add_claimed(row, image, index, owner, range, usage);
        }
        add_aliases(&mut owned, index, section, claims);
        rows.extend(owned.into_iter().map(|(owner, row)| (Some(owner), row)));
        let gaps = gap_rows(image, index, &claims.map(index).gaps(), usage);
        rows.extend(gaps.into_iter().map(|row| (None, row)));
    }
    add_users(&mut rows, image, claims, usage);
    rows
}

/// Sections that take space, in the file's order.
pub fn section_totals(image: &Image<'_>) -> Vec<SectionTotal> {
    let taking = image.sections.iter().filter(|section| section.loaded || section.in_ram);
    let total = |section: &Section<'_>| SectionTotal {
        name: section.name.clone(),
        address: section.address,
        bytes: section.rom_bytes(),
        ram_bytes: section.ram_bytes(),
    };
    taking.map(total).collect()
}

/// A row without bytes for a symbol, in `section`, which need not be the symbol's own.
fn named(image: &Image<'_>, section: &Section<'_>, owner: Owner, offset: u64) -> Row {
    let home = &image.sections[owner.section];
    let symbol = &home.symbols[owner.symbol];
    let name = names::demangled(&symbol.name);
    let own = std::ptr::eq(home, section);
    Row {
        section: section.name.clone(),
        address: section.address.wrapping_add(offset),
        symbol: (name != symbol.name).then(|| symbol.name.clone()),
        kind: if is_data(home, symbol.kind) || !own { RowKind::Data } else { RowKind::Function },
        crate_name: names::crate_of(&symbol.name),
        source: symbol.source.map(|index| image.source_files[index].clone()),
        name,
        ..Row::default()
    }
}

/// Symbols that own nothing are other names of the rows that own their places.
fn add_aliases(owned: &mut BTreeMap<Owner, Row>, index: usize, section: &Section<'_>, claims: &Claims) {
    let named = section.symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind != Kind::LocalLabel);
    for (number, symbol) in named {
        if owned.contains_key(&Owner { section: index, symbol: number }) {
            continue;
        }
        let owner = claims.map(index).owner_of(symbol.offset).filter(|owner| owner.section == index);
        let Some(row) = owner.and_then(|owner| owned.get_mut(&owner)) else { continue };
        let name = names::demangled(&symbol.name);
        if name != row.name {
            row.aliases.push(name);
        }
    }
    for row in owned.values_mut() {
        row.aliases.sort();
        row.aliases.dedup();
    }
}

fn bracketed(section: &Section<'_>, name: &str, offset: u64) -> Row {
    let address = section.address.wrapping_add(offset);
    Row { name: name.to_owned(), section: section.name.clone(), address, ..Row::default() }
}

fn add_claimed(row: &mut Row, image: &Image<'_>, index: usize, owner: Owner, range: Range<u64>, usage: &Usage) {
    let section = &image.sections[index];
    let kind = image.sections[owner.section].symbols[owner.symbol].kind;
    let data = is_data(section, kind);
    let parts = section.contents(range);
    for (n, (part, content)) in parts.iter().enumerate() {
        let bytes = part.end - part.start;
        add_ram(row, section, bytes);
        if !section.loaded {
            continue;
        }
        row.total_bytes += bytes;
        match (data, content) {
            // Literals that lie in a section of their own (Xtensa's `.literal`) are data of a function.
            (true, _) if kind != Kind::Data && is_literal_section(section) => row.literal_bytes += bytes,
            (true, _) => row.data_bytes += bytes,
            (false, Some(Content::Data)) => {
                let fill = fill_at_start_of_data(section, part.clone());
                row.padding_bytes += fill;
                row.literal_bytes += bytes - fill;
            }
            (false, _) => {
                let before_data = parts.get(n + 1).is_some_and(|(_, next)| *next == Some(Content::Data));
                let patterns = image.machine.fill();
                // Where nothing tells instructions from data, what is loaded from there does.
                let (fill, loaded) = match content {
                    None => (0, usage.loaded_in(index, part.clone())),
                    Some(_) if before_data => (fill_before_data(section, patterns, part.clone()), 0),
                    Some(_) => (0, 0),
                };
                row.padding_bytes += fill;
                row.literal_bytes += loaded;
                row.code_bytes += bytes - fill - loaded;
            }
        }
    }
}

fn is_literal_section(section: &Section<'_>) -> bool {
    section.name.contains(".literal")
}

fn add_ram(row: &mut Row, section: &Section<'_>, bytes: u64) {
    if section.in_ram {
        row.ram_bytes += bytes;
    }
}

/// At most three rows: all padding of the section, literals that several functions share, everything else without an
/// owner.
fn gap_rows(image: &Image<'_>, index: usize, gaps: &[Range<u64>], usage: &Usage) -> Vec<Row> {
    let section = &image.sections[index];
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for gap in gaps {
        let fill = gap_fill(image, section, gap);
        let owned_by_nobody = gap.start..gap.end - fill;
        if fill > 0 {
            let row = rows.entry(PADDING).or_insert_with(|| bracketed(section, PADDING, owned_by_nobody.end));
            add_ram(row, section, fill);
            let rom = if section.loaded { fill } else { 0 };
            row.padding_bytes += rom;
            row.total_bytes += rom;
        }
        for (part, content) in section.contents(owned_by_nobody) {
            add_unowned(&mut rows, section, part.clone(), content, usage.is_loaded(index, part.start));
        }
    }
    rows.into_values().collect()
}

/// How much of a gap is fill. A gap in a section without contents is fill if alignment explains it.
fn gap_fill(image: &Image<'_>, section: &Section<'_>, gap: &Range<u64>) -> u64 {
    let bytes = gap.end - gap.start;
    if section.bytes.is_empty() {
        let at_end = gap.end == section.size;
        return if bytes < section.align && (gap.start > 0 || !at_end) { bytes } else { 0 };
    }
    let fill = trailing_fill(section, image.machine.fill(), gap.clone());
    if fill == bytes { fill } else { 0 }
}

fn add_unowned(
    rows: &mut BTreeMap<&str, Row>,
    section: &Section<'_>,
    part: Range<u64>,
    content: Option<Content>,
    loaded_by_code: bool,
) {
    let bytes = part.end - part.start;
    let pool = loaded_by_code || is_literal_section(section) || (section.executable && content == Some(Content::Data));
    let name = if pool { LITERAL_POOL } else { UNATTRIBUTED };
    let row = rows.entry(name).or_insert_with(|| bracketed(section, name, part.start));
    add_ram(row, section, bytes);
    if !section.loaded {
        return;
    }
    row.total_bytes += bytes;
    match pool {
        true => row.literal_bytes += bytes,
        false if section.executable => row.code_bytes += bytes,
        false => row.data_bytes += bytes,
    }
}

/// Names the only user of each constant, and adds up for each function what it alone uses.
fn add_users(rows: &mut [OwnedRow], image: &Image<'_>, claims: &Claims, usage: &Usage) {
    let mut own_bytes: BTreeMap<Owner, u64> = BTreeMap::new();
    let mut only: BTreeMap<Owner, Option<Owner>> = BTreeMap::new();
    for (index, section) in image.sections.iter().enumerate() {
        for (range, owner) in claims.map(index).claims() {
            if owner.section == index && is_data(section, section.symbols[owner.symbol].kind) {
                let user = usage.only_user(index, range);
                only.entry(owner).and_modify(|known| *known = known.filter(|_| *known == user)).or_insert(user);
            }
        }
    }
    for (owner, row) in rows.iter_mut() {
        let Some(owner) = owner else { continue };
        let user = match only.get(owner) {
            Some(Some(user)) => *user,
            None if row.kind == RowKind::Data => *owner,
            _ => continue,
        };
        if user != *owner {
            row.used_by = Some(names::demangled(&image.sections[user.section].symbols[user.symbol].name));
        }
        *own_bytes.entry(user).or_default() += row.total_bytes;
    }
    for (owner, row) in rows.iter_mut().filter(|(_, row)| row.kind == RowKind::Function) {
        row.constant_bytes = owner.and_then(|owner| own_bytes.get(&owner).copied()).unwrap_or(0);
    }
}

/// Adds the stack of each function to its row. `stacks[n]` is that of `owners[n]`.
pub fn add_stacks(rows: &mut [OwnedRow], image: &Image<'_>, owners: &[Owner], stacks: Vec<Option<Stack>>) {
    let by_owner: BTreeMap<Owner, Stack> =
        owners.iter().zip(stacks).filter_map(|(owner, stack)| Some((*owner, stack?))).collect();
    for (owner, row) in rows {
        let Some(owner) = owner else { continue };
        if row.kind == RowKind::Function && row.section == image.sections[owner.section].name {
            row.stack = by_owner.get(owner).cloned();
        }
    }
}
