//! Fingerprints: a number for a set of blocks, kept up to date at each change.

#![forbid(unsafe_code)]

/// Exclusive or of a hash of each block. Equal for equal sets; for two that differ, equal once in 2^64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fingerprint(pub u64);

impl Fingerprint {
    /// Adds the block with this key, or takes it away.
    #[inline(always)]
    pub fn toggle(&mut self, key: u64, factors: &Factors) {
        let product = u128::from(key) * u128::from(factors.0);
        self.0 ^= (product as u64 ^ (product >> 64) as u64).wrapping_mul(factors.1);
    }

    /// The part that each record on the tape carries.
    #[inline(always)]
    pub fn tag(self) -> u64 {
        self.0 >> (64 - TAG_BITS)
    }
}

/// The hash has two rounds of multiply, both halves of the first product folded together: so each bit of the key reaches
/// the top bits, where the tag is. Marks that programs keep are made of it, so it never changes.
///
/// A heap has a copy of its own: what the compiler does not know it multiplies with where it lies, and saves an
/// instruction that loads it.
pub(super) struct Factors(u64, u64);

pub(super) const FACTORS: Factors = Factors(0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb);

/// Bits of a tag.
pub(super) const TAG_BITS: u32 = 18;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::class::Class;
    use crate::heap::record::{MAX_OFFSET, key};
    use std::collections::HashSet;

    /// The key of a small block.
    fn small(offset: usize, bytes: usize) -> u64 {
        key(offset % MAX_OFFSET, Class::of(bytes).expect("small"))
    }

    #[test]
    fn fingerprints_of_different_blocks_differ_in_their_tags_as_chance_has_it() {
        let (mut all, mut tags) = (HashSet::new(), HashSet::new());
        for offset in (0..1 << 20).step_by(256) {
            for bytes in [16, 32, 48, 4096] {
                let mut print = Fingerprint::default();
                print.toggle(small(offset, bytes), &FACTORS);
                assert!(all.insert(print.0));
                tags.insert(print.tag());
            }
        }
        // 2^14 draws of 2^18: 2^14 - 2^9 different ones are expected.
        assert!(tags.len() > (1 << 14) - 700, "{}", tags.len());
    }

    /// Of so many places of these blocks, how often they cancel in the tag: the one or the other half of them is alive.
    fn misses(places: u64, blocks: &[(u64, usize)]) -> u64 {
        let cancel = |place: &u64| {
            let (mut print, place) = (Fingerprint::default(), place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 28 << 4);
            blocks.iter().for_each(|(offset, bytes)| print.toggle(small((place + offset) as usize, *bytes), &FACTORS));
            print.tag() == 0
        };
        (0..places).filter(cancel).count() as u64
    }

    /// Blocks a and d for b and c where a + d = b + c; two that have changed their places; one block for another.
    #[test]
    fn blocks_at_regular_distances_cancel_in_the_tag_as_chance_has_it() {
        const PLACES: u64 = 1 << 14;
        let mut total = [0; 3];
        for i in 4..36 {
            for j in (4..36).filter(|j| *j != i) {
                let (near, far, other) = (1 << i, 3 << j, 80 + 16 * j);
                let found = [
                    misses(PLACES, &[(0, 64), (near, 64), (far, 64), (near + far, 64)]),
                    misses(PLACES, &[(0, 64), (0, other), (near, 64), (near, other)]),
                    misses(PLACES, &[(near, 48), (far, 16 + 16 * i)]),
                ];
                total.iter_mut().zip(found).for_each(|(total, found)| *total += found);
            }
        }
        // Of 32 * 31 * 2^14 each, one in 2^18: 62.
        assert!(total.iter().all(|found| (31..=93).contains(found)), "{total:?}");
    }

    /// What lies this far apart differs in few bits only.
    #[test]
    fn blocks_far_apart_cancel_in_the_tag_as_chance_has_it() {
        const PLACES: u64 = 1 << 18;
        for i in 28..36 {
            for j in i + 1..36 {
                let found = misses(PLACES, &[(0, 64), (1 << i, 64), (1 << j, 64), ((1 << i) + (1 << j), 64)]);
                assert!(found <= 8, "{found} at {i}, {j}, where 1 is expected");
            }
        }
    }

    #[test]
    fn adding_and_taking_away_in_any_order_gives_the_empty_fingerprint() {
        let mut print = Fingerprint::default();
        for (offset, bytes) in [(0, 16), (64, 32), (0, 16), (64, 32)] {
            print.toggle(small(offset, bytes), &FACTORS);
        }
        assert_eq!(print, Fingerprint::default());
    }
}
