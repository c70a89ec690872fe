//! The table of `size` in its Berkeley format.

use crate::report::{FileReport, SectionTotal};

/// A line for each file, in its order. Bytes that are in no section are not counted, as `size` does not.
pub fn berkeley(files: &[FileReport]) -> String {
    let mut text = "   text\t   data\t    bss\t    dec\t    hex\tfilename\n".to_owned();
    for file in files {
        let sections: Vec<&SectionTotal> =
            file.sections.iter().filter(|section| !section.name.starts_with('[')).collect();
        // Initial values are in both.
        let data: u64 = sections.iter().map(|section| section.bytes.min(section.ram_bytes)).sum();
        let code = sections.iter().map(|section| section.bytes).sum::<u64>() - data;
        let bss = sections.iter().map(|section| section.ram_bytes).sum::<u64>() - data;
        let all = code + data + bss;
        text.push_str(&format!("{code:>7}\t{data:>7}\t{bss:>7}\t{all:>7}\t{all:>7x}\t{}\n", file.file));
    }
    text
}
