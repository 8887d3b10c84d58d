//! Numbers for the places that operations come from: a call site, and what it pushes or pops there.

#![forbid(unsafe_code)]

use super::Site;

/// A call site with what its operations have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub site: Site,
    /// Whatever the user of the table tells operations apart by.
    pub what: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    address: usize,
    what: u32,
    /// In `all`; [`EMPTY`] in a slot that is free.
    number: u32,
}

const EMPTY: u32 = u32::MAX;
const FREE: Slot = Slot { address: 0, what: 0, number: EMPTY };

/// Places in the order of their first use. Each operation of a watched tape asks for its number.
pub(crate) struct Places {
    /// A power of two of them, at most a quarter of them taken.
    slots: Vec<Slot>,
    all: Vec<Place>,
}

impl Places {
    pub fn new() -> Places {
        Places { slots: vec![FREE; 1024], all: Vec::new() }
    }

    /// The number of a place: one more than the last new one had, if it is new.
    #[inline(always)]
    pub fn number(&mut self, site: Site, what: u32) -> u32 {
        let address = site.address();
        let slot = self.slots[self.start(address, what)];
        if slot.address == address && slot.what == what && slot.number != EMPTY {
            return slot.number;
        }
        self.search(address, what, site)
    }

    pub fn get(&self, number: u32) -> Place {
        self.all.get(number as usize).copied().unwrap_or(Place { site: Site::UNKNOWN, what: 0 })
    }

    #[inline]
    fn start(&self, address: usize, what: u32) -> usize {
        let hash = (address as u64 ^ u64::from(what) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline(never)]
    fn search(&mut self, address: usize, what: u32, site: Site) -> u32 {
        let mut at = self.start(address, what);
        loop {
            let slot = self.slots[at];
            if slot.number == EMPTY {
                break;
            }
            if slot.address == address && slot.what == what {
                return slot.number;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let number = self.all.len() as u32;
        self.all.push(Place { site, what });
        self.slots[at] = Slot { address, what, number };
        if 4 * self.all.len() > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let more = vec![FREE; 4 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, more).into_iter().filter(|slot| slot.number != EMPTY) {
            let mut at = self.start(slot.address, slot.what);
            while self.slots[at].number != EMPTY {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_keeps_its_number_while_the_table_grows() {
        let mut places = Places::new();
        let place = |i: u32| (Site::Code(0x40_0000 + 5 * (i / 3) as usize), i % 3);
        for i in 0..10_000 {
            let (site, what) = place(i);
            assert_eq!(places.number(site, what), i);
        }
        for i in (0..10_000).rev() {
            let (site, what) = place(i);
            assert_eq!(places.number(site, what), i);
            assert_eq!((places.get(i).site, places.get(i).what), (site, what));
        }
        assert_eq!(places.get(20_000).site, Site::UNKNOWN);
    }
}
