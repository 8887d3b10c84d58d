//! A program's bytes, as the choices and numbers that it draws.

use adtape::RangeKind;

/// What is left of the input: zeros, once it ends.
pub struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    pub fn byte(&mut self) -> u64 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u64::from(*first)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.byte() as usize % n
    }

    /// In 2 KiB at the bottom of the address space or, now and then, at its top.
    pub fn address(&mut self) -> u64 {
        match (self.byte(), self.byte()) {
            (units, 0..200) => 8 * units,
            (units, more @ 200..250) => 8 * units + more % 8,
            (units, _) => u64::MAX - 4 * units,
        }
    }

    pub fn bytes(&mut self) -> u64 {
        8 * (self.byte() % 12)
    }

    pub fn kind(&mut self) -> RangeKind {
        RangeKind::ALL[self.below(5)]
    }
}
