//! A set of small numbers of which the lowest is found in a few steps.
//!
//! ```text
//!  high   .....1.1 | ...                         bit i: word i below is not zero
//!  low    00010100 | 00000000 | 01000000 | ...   bit i: i is in the set
//! ```
//!
//! Both words are written at each change, whether they change or not: what no processor guesses costs more than a
//! store.

#![forbid(unsafe_code)]

#[derive(Default)]
pub(super) struct Bitset {
    low: Vec<u64>,
    high: Vec<u64>,
}

impl Bitset {
    pub fn insert(&mut self, number: usize) {
        if number / 64 >= self.low.len() {
            self.low.resize(number / 64 + 1, 0);
            self.high.resize(number / 64 / 64 + 1, 0);
        }
        self.put_back(number);
    }

    /// Inserts a number that was in it before.
    #[inline(always)]
    pub fn put_back(&mut self, number: usize) {
        let (i, j) = (number / 64, number / 64 / 64);
        self.low[i] |= 1 << (number % 64);
        self.high[j] |= 1 << (i % 64);
    }

    /// Removes a number, if it is in the set.
    #[inline(always)]
    pub fn remove(&mut self, number: usize) {
        let (i, j) = (number / 64, number / 64 / 64);
        if let (Some(low), Some(high)) = (self.low.get_mut(i), self.high.get_mut(j)) {
            *low &= !(1 << (number % 64));
            *high &= !(u64::from(*low == 0) << (i % 64));
        }
    }

    /// Whether it has this number and no other.
    pub fn is_only(&self, number: usize) -> bool {
        let i = number / 64;
        self.low.get(i) == Some(&(1 << (number % 64)))
            && self.high.iter().enumerate().all(|(j, word)| *word == if j == i / 64 { 1 << (i % 64) } else { 0 })
    }

    /// The lowest number in the set, of which none is below `least`.
    #[inline(always)]
    pub fn first_from(&self, least: usize) -> Option<usize> {
        let start = least / 64 / 64;
        let j = start + self.high.get(start..)?.iter().position(|word| *word != 0)?;
        let i = j * 64 + self.high[j].trailing_zeros() as usize;
        Some(i * 64 + self.low[i].trailing_zeros() as usize)
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
            assert_eq!(set.first_from(0), first);
            assert_eq!(set.first_from(first.unwrap_or(number)), first);
            assert_eq!(set.first_from(first.unwrap_or(number) * 2 / 3), first);
        }
    }
}
