//! From a path to the ELF images in it.

use crate::{Error, image};
use object::read::archive::ArchiveFile;
use object::{archive, elf};
use std::path::Path;

/// Reads a whole file. Folders and empty files are errors, and so is what may never end or never begin, as a pipe.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(Error::Folder);
    }
    if !kind.is_file() {
        return Err(Error::NotRegular);
    }
    let bytes = std::fs::read(path)?;
    if bytes.is_empty() { Err(Error::Empty) } else { Ok(bytes) }
}

/// One image of an input: its display name, and its bytes or why they cannot be had.
pub type Named<'a> = (String, Result<&'a [u8], Error>);

/// The images in a file: itself, or each member of an archive as `archive(member)`.
pub fn split<'a>(name: &str, bytes: &'a [u8]) -> Vec<Named<'a>> {
    match elf_or_archive(bytes) {
        Ok(Content::Elf) => vec![(name.to_owned(), Ok(bytes))],
        Ok(Content::Archive) => members(name, bytes).unwrap_or_else(|error| vec![(name.to_owned(), Err(error))]),
        Err(error) => vec![(name.to_owned(), Err(error))],
    }
}

enum Content {
    Elf,
    Archive,
}

fn elf_or_archive(bytes: &[u8]) -> Result<Content, Error> {
    if bytes.starts_with(&elf::ELFMAG) {
        Ok(Content::Elf)
    } else if bytes.starts_with(&archive::MAGIC) || bytes.starts_with(&archive::THIN_MAGIC) {
        Ok(Content::Archive)
    } else {
        Err(Error::UnknownFormat(first_bytes(bytes)))
    }
}

fn first_bytes(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ")
}

fn members<'a>(name: &str, bytes: &'a [u8]) -> Result<Vec<Named<'a>>, Error> {
    let archive = ArchiveFile::parse(bytes).map_err(|why| Error::corrupt("archive header", why))?;
    if archive.is_thin() {
        return Err(Error::ThinArchive);
    }
    let mut found = Vec::new();
    for member in archive.members() {
        // After a bad member header the next one cannot be found: the rest of the archive is lost.
        let member = match member {
            Ok(member) => member,
            Err(why) => {
                found.push((name.to_owned(), Err(Error::corrupt("archive member header", why))));
                break;
            }
        };
        let shown = format!("{name}({})", image::text(member.name()));
        let data = member.data(bytes).map_err(|why| Error::corrupt("archive member", why));
        found.push((shown, data.and_then(expect_elf)));
    }
    if found.is_empty() { Err(Error::NoMembers) } else { Ok(found) }
}

fn expect_elf(data: &[u8]) -> Result<&[u8], Error> {
    if data.is_empty() {
        return Err(Error::Empty);
    }
    match elf_or_archive(data)? {
        Content::Elf => Ok(data),
        Content::Archive => Err(Error::UnknownFormat(first_bytes(data))),
    }
}
