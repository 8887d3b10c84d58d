//! Fingerprints: a number for a set of blocks, kept up to date at each change.

#![forbid(unsafe_code)]

/// Exclusive or of a hash of each block. Equal for equal sets; for two that differ, equal once in 2^64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fingerprint(pub u64);

impl Fingerprint {
    /// Adds the block, or takes it away.
    #[inline(always)]
    pub fn toggle(&mut self, offset: usize, bytes: usize) {
        // Two rounds of multiply, a fold between them: each bit of either number reaches the tag, which lies at the top.
        let mixed = (offset as u64).wrapping_add((bytes as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.0 ^= (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
    }

    /// The part that each record on the tape carries.
    #[inline(always)]
    pub fn tag(self) -> u64 {
        self.0 >> (64 - TAG_BITS)
    }
}

/// Bits of a tag.
pub(super) const TAG_BITS: u32 = 18;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn fingerprints_of_different_blocks_differ_in_their_tags_as_chance_has_it() {
        let (mut all, mut tags) = (HashSet::new(), HashSet::new());
        for offset in (0..1 << 20).step_by(256) {
            for bytes in [16, 32, 48, 4096] {
                let mut print = Fingerprint::default();
                print.toggle(offset, bytes);
                assert!(all.insert(print.0));
                tags.insert(print.tag());
            }
        }
        // 2^14 draws of 2^18: 2^14 - 2^9 different ones are expected.
        assert!(tags.len() > (1 << 14) - 700, "{}", tags.len());
    }

    #[test]
    fn adding_and_taking_away_in_any_order_gives_the_empty_fingerprint() {
        let mut print = Fingerprint::default();
        for (offset, bytes) in [(0, 16), (64, 32), (0, 16), (64, 32)] {
            print.toggle(offset, bytes);
        }
        assert_eq!(print, Fingerprint::default());
    }
}
