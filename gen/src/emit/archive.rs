//! The static library of a set: every object in one `ar` file with a symbol index, so that linkers take what is called.
//!
//! No time, no owner and no folder gets into it.

use crate::emit::{EmitError, Placement, SET, elf};
use crate::function::Function;
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use std::io::Cursor;

/// The archive of these functions' objects, in the GNU format, which every linker for Arm reads.
///
/// # Errors
/// If a function contradicts itself.
pub fn archive(functions: &[Function], placement: impl Fn(&Function) -> Placement) -> Result<Vec<u8>, EmitError> {
    let mut members = Vec::with_capacity(functions.len());
    for function in functions {
        let object = elf::object(function, placement(function))?;
        members.push(NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, format!("{}.o", function.symbol)));
    }
    let mut file = Cursor::new(Vec::new());
    write_archive_to_stream(&mut file, &members, ArchiveKind::Gnu, false, None)
        .map_err(|error| EmitError::object(SET, error))?;
    Ok(file.into_inner())
}
