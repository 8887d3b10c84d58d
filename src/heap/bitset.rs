//! A set of small numbers of which the lowest is found in a few steps.
//!
//! ```text
//!  level 2   .......1                                 bit i: word i of the level below is not zero
//!  level 1   ......11 | 00000000 | ...
//!  level 0   00010100 | 01000000 | 00000000 | ...     bit i: i is in the set
//! ```

#![forbid(unsafe_code)]

/// Numbers below 64^[`LEVELS`].
const LEVELS: usize = 4;

#[derive(Default)]
pub(super) struct Bitset {
    levels: [Vec<u64>; LEVELS],
}

impl Bitset {
    pub fn insert(&mut self, number: usize) {
        let mut i = number;
        for level in &mut self.levels {
            if level.len() <= i / 64 {
                level.resize(i / 64 + 1, 0);
            }
            let before = level[i / 64];
            level[i / 64] = before | 1 << (i % 64);
            if before != 0 {
                return;
            }
            i /= 64;
        }
    }

    pub fn remove(&mut self, number: usize) {
        let mut i = number;
        for level in &mut self.levels {
            let Some(word) = level.get_mut(i / 64) else { return };
            *word &= !(1 << (i % 64));
            if *word != 0 {
                return;
            }
            i /= 64;
        }
    }

    /// The lowest number in the set.
    pub fn first(&self) -> Option<usize> {
        let mut i = 0;
        for level in self.levels.iter().rev() {
            let word = *level.get(i)?;
            if word == 0 {
                return None;
            }
            i = i * 64 + word.trailing_zeros() as usize;
        }
        Some(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lowest_number_is_that_of_an_ordered_set() {
        let (mut set, mut model, mut state) = (Bitset::default(), BTreeSet::new(), 1_u64);
        for round in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = (state >> 40) as usize % if round % 2 == 0 { 100 } else { 300_000 };
            if state >> 63 == 0 {
                set.insert(number);
                model.insert(number);
            } else {
                let number = model.first().copied().unwrap_or(number);
                set.remove(number);
                model.remove(&number);
            }
            assert_eq!(set.first(), model.first().copied());
        }
    }
}
