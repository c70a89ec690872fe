//! What got worse.

use crate::bench::row::Row;

/// One line for each committed number that is larger now, and for each committed row that is gone.
pub fn worse(committed: &[Row], now: &[Row]) -> Vec<String> {
    committed.iter().flat_map(|before| worse_in_row(before, now)).collect()
}

fn worse_in_row(before: &Row, now: &[Row]) -> Vec<String> {
    let key = before.key();
    let Some(after) = now.iter().find(|row| row.key() == key) else {
        return vec![format!("{key}: not measured any more")];
    };
    let pairs = before.numbers().into_iter().zip(after.numbers());
    let grown = pairs.filter(|((_, before), (_, after))| after > before);
    grown.map(|((name, before), (_, after))| format!("{key}: {name} {after}, committed {before}")).collect()
}
