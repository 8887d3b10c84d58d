//! A set of small numbers of which the lowest is found in a few steps.
//!
//! ```text
//!  level 2   .......1                                 bit i: word i of the level below may not be zero
//!  level 1   .....111 | 00000000 | ...
//!  level 0   00010100 | 01000000 | 00000000 | ...     bit i: i is in the set
//! ```
//!
//! Removal clears the bit of level 0 alone. What stays too much in the levels above is cleared by the next search that
//! comes upon it, so that a number that comes and goes costs two steps.

#![forbid(unsafe_code)]

const LEVELS: usize = 3;

#[derive(Default)]
pub(super) struct Bitset {
    levels: [Vec<u64>; LEVELS],
}

impl Bitset {
    #[inline(always)]
    pub fn insert(&mut self, number: usize) {
        if number / 64 >= self.levels[0].len() {
            self.grow(number);
        }
        let word = &mut self.levels[0][number / 64];
        let before = *word;
        *word = before | 1 << (number % 64);
        if before == 0 {
            self.show(number / 64);
        }
    }

    /// Tells the levels above that word `i` of level 0 is not zero.
    fn show(&mut self, mut i: usize) {
        for level in &mut self.levels[1..] {
            level[i / 64] |= 1 << (i % 64);
            i /= 64;
        }
    }

    #[cold]
    fn grow(&mut self, number: usize) {
        let mut words = number / 64 + 1;
        for level in &mut self.levels {
            level.resize(words, 0);
            words = words.div_ceil(64);
        }
    }

    #[inline(always)]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.levels[0].get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// The lowest number in the set, of which none is below `least`.
    #[inline(always)]
    pub fn first_from(&mut self, least: usize) -> Option<usize> {
        match self.levels[0].get(least / 64) {
            Some(&word) if word != 0 => Some(least / 64 * 64 + word.trailing_zeros() as usize),
            _ => self.first(),
        }
    }

    /// The lowest number in the set.
    pub fn first(&mut self) -> Option<usize> {
        let [low, middle, high] = &mut self.levels;
        loop {
            let top = high.iter().position(|word| *word != 0)?;
            let i = top * 64 + high[top].trailing_zeros() as usize;
            if middle[i] == 0 {
                high[top] &= high[top] - 1;
                continue;
            }
            let j = i * 64 + middle[i].trailing_zeros() as usize;
            if low[j] == 0 {
                middle[i] &= middle[i] - 1;
                continue;
            }
            return Some(j * 64 + low[j].trailing_zeros() as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lowest_number_is_that_of_an_ordered_set() {
        let (mut set, mut model, mut random) = (Bitset::default(), BTreeSet::new(), fastrand::Rng::with_seed(1));
        for round in 0..20_000 {
            let number = random.usize(..if round % 2 == 0 { 100 } else { 300_000 });
            if random.bool() {
                set.insert(number);
                model.insert(number);
            } else {
                let number = model.first().copied().unwrap_or(number);
                set.remove(number);
                model.remove(&number);
            }
            let first = model.first().copied();
            assert_eq!(set.first(), first);
            assert_eq!(set.first_from(first.unwrap_or(number)), first);
            assert_eq!(set.first_from(first.unwrap_or(number) * 2 / 3), first);
        }
    }
}
