//! Size classes: multiples of 16 bytes up to 128, then four for each doubling up to 8 KiB.

#![forbid(unsafe_code)]

/// Blocks are placed at multiples of this.
pub(super) const GRANULE: usize = 16;
/// Slots of one class fill a chunk of this size: a slab.
pub(super) const CHUNK: usize = 64 << 10;
/// The largest block that lies in a slab.
pub(super) const SMALL: usize = 8 << 10;
/// The number of classes.
pub(super) const CLASSES: usize = 32;

/// A size class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

/// What a slot of each class takes.
const SLOT_BYTES: [u32; CLASSES] = {
    let mut table = [0; CLASSES];
    let mut i = 0;
    while i < CLASSES {
        table[i] = match i {
            0..8 => 16 * (i as u32 + 1),
            _ => (4 + (i as u32 - 8) % 4 + 1) << (5 + (i as u32 - 8) / 4),
        };
        i += 1;
    }
    table
};

/// Slots in a chunk.
const SLOTS: [u16; CLASSES] = {
    let mut table = [0; CLASSES];
    let mut i = 0;
    while i < CLASSES {
        table[i] = (CHUNK as u32 / SLOT_BYTES[i]) as u16;
        i += 1;
    }
    table
};

/// The least class for each number of granules.
const LEAST: [u8; SMALL / GRANULE + 1] = {
    let mut table = [0; SMALL / GRANULE + 1];
    let (mut granules, mut class) = (0, 0);
    while granules < table.len() {
        if granules * GRANULE > SLOT_BYTES[class as usize] as usize {
            class += 1;
        }
        table[granules] = class;
        granules += 1;
    }
    table
};

/// The number of the slot that begins at `offset` in its chunk; `None` for an offset within a slot or behind the last.
/// `reciprocal` and `exact` are those of the class; where `exact` is 0 there is no slot.
///
/// `reciprocal` is `ceil(2^32 / slot bytes)`. With offset = q * slot + r and slot * reciprocal = 2^32 + e, e < slot: the
/// product is q * 2^32 + q * e + r * reciprocal, and q * e < 2^16 < 2^19 <= reciprocal. So its upper half is q. Its lower
/// half is q * e where r = 0, else at least the reciprocal. A chunk has a rest behind its last slot only where e > 0:
/// there the lower half of the rest is slots * e, which is `exact`, and those of slots are below.
#[inline(always)]
pub(super) fn slot_at(offset: usize, reciprocal: u32, exact: u32) -> Option<u32> {
    let product = (offset % CHUNK) as u64 * u64::from(reciprocal);
    ((product as u32) < exact).then_some((product >> 32) as u32)
}

impl Class {
    /// The class of blocks of `bytes`; `None` where they are not small.
    #[inline(always)]
    pub fn of(bytes: usize) -> Option<Class> {
        (bytes <= SMALL).then(|| Class(LEAST[bytes.div_ceil(GRANULE)]))
    }

    /// The class of blocks of `bytes` at multiples of `alignment`, a power of two; `None` where they are not small.
    pub fn of_aligned(bytes: usize, alignment: usize) -> Option<Class> {
        let class = Class::of(bytes)?;
        if alignment <= GRANULE { Some(class) } else { class.aligned(alignment) }
    }

    #[cold]
    fn aligned(self, alignment: usize) -> Option<Class> {
        (self.0..CLASSES as u8).map(Class).find(|class| class.slot_bytes().is_multiple_of(alignment))
    }

    /// The class of the smallest slots.
    pub const LEAST: Class = Class(0);

    pub fn from_index(index: usize) -> Option<Class> {
        (index < CLASSES).then_some(Class(index as u8))
    }

    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// What a block of this class takes.
    #[inline(always)]
    pub fn slot_bytes(self) -> usize {
        SLOT_BYTES[self.0 as usize & (CLASSES - 1)] as usize
    }

    /// Slots in a chunk.
    #[inline(always)]
    pub fn slots(self) -> usize {
        SLOTS[self.0 as usize & (CLASSES - 1)] as usize
    }

    /// What [`slot_at`] divides by.
    pub fn reciprocal(self) -> u32 {
        (1_u64 << 32).div_ceil(self.slot_bytes() as u64) as u32
    }

    /// What [`slot_at`] compares with.
    pub fn exact(self) -> u32 {
        let excess = u64::from(self.reciprocal()) * self.slot_bytes() as u64 - (1 << 32);
        (excess as u32 * self.slots() as u32).max(1)
    }

    /// The slot of this class that begins at `offset` in its chunk; `None` for an offset within one or behind the last.
    pub fn slot_at(self, offset: usize) -> Option<u32> {
        slot_at(offset, self.reciprocal(), self.exact())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_size_has_the_least_class_that_holds_it() {
        for bytes in 0..=SMALL {
            let class = Class::of(bytes).unwrap();
            assert!(class.slot_bytes() >= bytes.max(1));
            assert!(class.index() == 0 || SLOT_BYTES[class.index() - 1] < bytes as u32, "{bytes}");
            assert!(
                bytes < 64 || class.slot_bytes() * 4 <= (bytes + GRANULE) * 5,
                "at most a quarter is lost: {bytes}"
            );
        }
        assert_eq!(Class::of(SMALL).unwrap().slot_bytes(), SMALL);
        assert!(Class::of(SMALL + 1).is_none());
    }

    #[test]
    fn slots_are_aligned_as_asked() {
        for shift in 0..=13 {
            for bytes in [1, 16, 17, 100, 600, 5000] {
                let class = Class::of_aligned(bytes, 1 << shift).unwrap();
                assert!(class.slot_bytes() >= bytes && class.slot_bytes().is_multiple_of(1 << shift));
            }
        }
        assert!(Class::of_aligned(10, 1 << 14).is_none());
    }

    #[test]
    fn slot_at_divides_exactly() {
        for class in (0..CLASSES).filter_map(Class::from_index) {
            for offset in 0..CHUNK {
                let slot = offset / class.slot_bytes();
                let exact = offset.is_multiple_of(class.slot_bytes()) && slot < class.slots();
                assert_eq!(class.slot_at(offset), exact.then_some(slot as u32), "{class:?} {offset}");
            }
        }
        assert!((0..CHUNK).all(|offset| slot_at(offset, Class(0).reciprocal(), 0).is_none()));
    }
}
