//! Which owner has which bytes of a section: disjoint half-open ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// A map from the bytes `0..len` to owners. Earlier claims win: nobody takes a byte that has an owner.
#[derive(Debug)]
pub struct RangeMap<Owner> {
    len: u64,
    claims: BTreeMap<u64, (u64, Owner)>,
}

impl<Owner: Copy> RangeMap<Owner> {
    /// A map of `len` bytes that nobody owns.
    pub fn new(len: u64) -> Self {
        RangeMap { len, claims: BTreeMap::new() }
    }

    /// Gives those bytes of `range` that lie inside the map and have no owner to `owner`.
    pub fn claim(&mut self, range: Range<u64>, owner: Owner) {
        for free in self.free_in(range) {
            self.claims.insert(free.start, (free.end, owner));
        }
    }

    /// True if the byte at `offset` has an owner.
    pub fn is_claimed(&self, offset: u64) -> bool {
        self.owner_of(offset).is_some()
    }

    /// The owner of the byte at `offset`.
    pub fn owner_of(&self, offset: u64) -> Option<Owner> {
        let (_, (end, owner)) = self.claims.range(..=offset).next_back()?;
        (offset < *end).then_some(*owner)
    }

    /// Where the first claim at or after `offset` begins; the length of the map if there is none.
    pub fn next_claim(&self, offset: u64) -> u64 {
        self.claims.range(offset..).next().map_or(self.len, |(start, _)| *start)
    }

    /// The owned ranges in ascending order.
    pub fn claims(&self) -> impl Iterator<Item = (Range<u64>, Owner)> + '_ {
        self.claims.iter().map(|(start, (end, owner))| (*start..*end, *owner))
    }

    /// The ranges that nobody owns, in ascending order.
    pub fn gaps(&self) -> Vec<Range<u64>> {
        self.free_in(0..self.len)
    }

    fn free_in(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let end = range.end.min(self.len);
        let mut at = range.start;
        if let Some((_, (claimed_end, _))) = self.claims.range(..=at).next_back() {
            at = at.max(*claimed_end);
        }
        let mut free = Vec::new();
        while at < end {
            let stop = self.next_claim(at).min(end);
            if at < stop {
                free.push(at..stop);
            }
            at = self.claims.get(&stop).map_or(end, |(claimed_end, _)| *claimed_end);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Claim = (Range<u64>, char);

    /// A map drawn as text, one letter a byte, `.` for no owner.
    fn draw(len: u64, claims: &[Claim]) -> String {
        let mut map = RangeMap::new(len);
        for (range, owner) in claims {
            map.claim(range.clone(), *owner);
        }
        let mut drawn = vec!['?'; len as usize];
        for (range, owner) in map.claims() {
            drawn[range.start as usize..range.end as usize].fill(owner);
        }
        for gap in map.gaps() {
            drawn[gap.start as usize..gap.end as usize].fill('.');
        }
        for (offset, owner) in drawn.iter().enumerate() {
            assert_eq!(map.is_claimed(offset as u64), *owner != '.', "{offset}");
        }
        drawn.into_iter().collect()
    }

    #[test]
    fn earlier_claims_win_and_bytes_are_counted_once() {
        let cases: &[(&[Claim], &str)] = &[
            (&[], "........"),
            (&[(0..8, 'a')], "aaaaaaaa"),
            (&[(2..4, 'a'), (0..8, 'b')], "bbaabbbb"),
            (&[(2..4, 'a'), (3..6, 'b')], "..aabb.."),
            (&[(2..4, 'a'), (2..4, 'b')], "..aa...."),
            (&[(1..2, 'a'), (3..4, 'b'), (0..6, 'c')], "cacbcc.."),
            (&[(6..u64::MAX, 'a')], "......aa"),
            (&[(9..12, 'a'), (5..5, 'b')], "........"),
            (&[(2..4, 'a'), (4..6, 'b'), (1..7, 'c')], ".caabbc."),
        ];
        for (claims, expected) in cases {
            assert_eq!(draw(8, claims), *expected, "{claims:?}");
        }
    }
}
