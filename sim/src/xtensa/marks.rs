//! Which registers have a property, such as that of being secret.

use super::set::{self, Set};
use isa::xtensa::Class;

/// The registers that have a property: those that can be named now, and those of a0..a63 beyond the window.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Marks {
    /// Those that instructions can name.
    pub seen: Set,
    /// Those behind the window: bit i is the register i behind a0, for i from 16 on.
    beyond: u64,
}

const WINDOW: u64 = 0xffff;

impl Marks {
    /// All of the file, as seen from a0 on, and these.
    pub(crate) const fn all_and(seen: Set) -> Marks {
        Marks { seen: seen | WINDOW as Set, beyond: !WINDOW }
    }

    /// The file as seen from a0 on.
    const fn file(&self) -> u64 {
        self.beyond | self.seen as u64 & WINDOW
    }

    fn set_file(&mut self, file: u64) {
        self.beyond = file & !WINDOW;
        self.seen = self.seen & !set::file(Class::Core) | Set::from(file & WINDOW);
    }

    /// The window has moved up by so many fours of registers.
    pub(crate) fn rotate(&mut self, fours: u32) {
        let file = self.file().rotate_right(4 * (fours & 15));
        self.set_file(file);
    }

    /// Whether the register `index` behind a0 (modulo 64) is marked.
    pub(crate) const fn has(&self, index: u32) -> bool {
        self.file() >> (index & 63) & 1 != 0
    }

    /// Marks the register `index` behind a0 (modulo 64), or not.
    pub(crate) fn put(&mut self, index: u32, marked: bool) {
        let bit = 1 << (index & 63);
        let file = self.file() & !bit | if marked { bit } else { 0 };
        self.set_file(file);
    }

    /// The registers beyond the window, by their distance from a0.
    pub(crate) fn beyond(&self) -> impl Iterator<Item = u32> + use<> {
        let beyond = self.beyond;
        (16..64).filter(move |index| beyond >> index & 1 != 0)
    }

    /// Exchanges the marks of two sets, each of which is marked as a whole or not.
    pub(crate) const fn exchange(&mut self, one: Set, other: Set) {
        let (first, second) = (self.seen & one != 0, self.seen & other != 0);
        self.seen = self.seen & !(one | other) | if first { other } else { 0 } | if second { one } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_rotate() {
        let mut marks = Marks { seen: 1 << 9 | 1 << 20, beyond: 1 << 63 };
        marks.rotate(2);
        assert_eq!((marks.seen, marks.beyond), (1 << 1 | 1 << 20, 1 << 55));
        marks.rotate(14);
        assert_eq!((marks.seen, marks.beyond), (1 << 9 | 1 << 20, 1 << 63));
        marks.rotate(15);
        assert_eq!((marks.seen, marks.beyond), (1 << 13 | 1 << 3 | 1 << 20, 0));
        marks.put(40, true);
        assert!(marks.has(40) && marks.has(104) && !marks.has(41));
        marks.exchange(1 << 3, 1 << 50);
        assert_eq!(marks.seen, 1 << 13 | 1 << 20 | 1 << 50);
    }
}
