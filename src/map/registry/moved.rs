//! Where the forward sweep knew objects that lie elsewhere now.
//!
//! Many come back and few are asked for by an address of the forward sweep. So they are listed as they come, and entered
//! into a map when somebody asks. Of what has ended since, the list is cleared when that is half of it.
//!
//! An object is *hidden* as long as another one that came after it lies elsewhere as well and had some of its addresses
//! in the forward sweep. The births of hidden ones should have been reversed; addresses in them lead nowhere.

#![forbid(unsafe_code)]

use super::object::{LifeState, Object};
use crate::map::ranges::{Range, Ranges};
use std::cmp::Reverse;

/// A list that is not longer is not worth clearing.
const SHORT: usize = if cfg!(loom) { 2 } else { 1024 };

/// See the module. A value is that of the live map.
#[derive(Default)]
pub(super) struct Moved {
    ranges: Ranges,
    /// Values of those that came since somebody asked, some of which ended.
    came: Vec<u64>,
    /// How many of those may have ended.
    ended: usize,
    /// The hidden ones. Of two that overlap, the one that came first is before the other.
    hidden: Vec<Range>,
}

/// An object that came back elsewhere, where the forward sweep knew it.
#[derive(Clone, Copy)]
struct Came {
    range: Range,
    /// How many came before it.
    turn: u32,
}

impl Moved {
    /// Notes an object, in place of all that had its addresses. `object` says what has a value now.
    pub fn insert(&mut self, value: u64, object: impl Fn(u64) -> Option<Object>) {
        if self.ended > SHORT + self.came.len() / 2 {
            self.came.retain(|value| object(*value).is_some_and(|object| object.state != LifeState::Dead));
            self.came.shrink_to_fit();
            self.ended = 0;
        }
        self.came.push(value);
    }

    /// Forgets an object that ends.
    pub fn remove(&mut self, forward_base: u64, value: u64) {
        let was_in_map =
            self.ranges.len() > 0 && self.ranges.remove_if(forward_base, |range| range.value == value).is_some();
        self.ended += usize::from(!was_in_map);
        if !self.hidden.is_empty() {
            self.hidden.retain(|range| range.value != value);
            self.show();
        }
    }

    /// Those that nothing hides any more are entered again.
    #[cold]
    fn show(&mut self) {
        let mut still: Vec<Range> = Vec::new();
        for range in std::mem::take(&mut self.hidden).into_iter().rev() {
            let is_hidden = still.iter().any(|later| later.base < range.end() && range.base < later.end());
            if is_hidden || self.ranges.insert(range).is_err() {
                still.push(range);
            }
        }
        still.reverse();
        self.hidden = still;
    }

    #[inline(always)]
    pub fn find(&mut self, address: u64, object: impl Fn(u64) -> Option<Object>) -> Option<Range> {
        if !self.came.is_empty() {
            self.enter(object);
        }
        if self.ranges.len() == 0 { None } else { self.ranges.find(address) }
    }

    #[cold]
    #[inline(never)]
    fn enter(&mut self, object: impl Fn(u64) -> Option<Object>) {
        let mut came: Vec<Came> = Vec::with_capacity(self.came.len());
        self.came.retain(|value| {
            let there = object(*value);
            if let Some(Object { state: LifeState::Alive, base, forward_base, bytes: bytes @ 1.., .. }) = there
                && base != forward_base
            {
                came.push(Came { range: Range { base: forward_base, bytes, value: *value }, turn: came.len() as u32 });
            }
            // Where the forward sweep knew it is not known for certain before it is there.
            there.is_some_and(|there| there.state == LifeState::Coming)
        });
        self.came.shrink_to_fit();
        self.ended = 0;
        // In order of address, which is quick, unless some lay at one place: of those the last one counts.
        came.sort_unstable_by_key(|came| came.range.base);
        if came.is_sorted_by(|one, next| one.range.end() <= next.range.base) {
            self.place_ascending(&came);
        } else {
            // A value that is listed twice is that of an object that has the place of one that ended.
            came.sort_unstable_by_key(|came| (came.range.value, Reverse(came.turn)));
            came.dedup_by_key(|came| came.range.value);
            came.sort_unstable_by_key(|came| came.turn);
            came.into_iter().for_each(|came| self.place(came.range));
        }
    }

    fn place_ascending(&mut self, mut came: &[Came]) {
        while let [first, ..] = came {
            let placed = match self.ranges.append(came, |came| came.range) {
                0 => {
                    self.place(first.range);
                    1
                }
                placed => placed,
            };
            came = &came[placed..];
        }
    }

    fn place(&mut self, range: Range) {
        while let Err(there) = self.ranges.insert(range) {
            self.ranges.remove(there.base);
            if there.value != range.value {
                self.hidden.push(there);
            }
        }
    }

    /// Forgets all, and returns their values; among them may be some of objects that ended since.
    pub fn take(&mut self) -> Vec<u64> {
        let Moved { ranges, came: mut values, hidden, .. } = std::mem::take(self);
        values.extend(ranges.iter().chain(hidden).map(|range| range.value));
        values
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::object::RangeKind;
    use super::*;
    use fastrand::Rng;

    /// Objects that lie elsewhere, by value; those in the state Dead ended.
    fn object(forward_base: u64, bytes: u64) -> Object {
        Object { forward_base, ..Object::new((1 << 40) + forward_base, bytes, RangeKind::Heap, 0) }
    }

    #[test]
    fn random_programs_find_what_came_last_where_the_forward_sweep_knew_it() {
        for seed in 1..=100 {
            let mut random = Rng::with_seed(seed);
            let (mut moved, mut objects) = (Moved::default(), Vec::new());
            // Those that are there, in the order in which they came.
            let mut model: Vec<u64> = Vec::new();
            let asked = 1 + random.u64(..50);
            for _ in 0..2000 {
                let at = |objects: &[Object], value: u64| objects[value as usize];
                if random.u64(..3) > 0 {
                    let new = object(100 + random.u64(..200), 1 + random.u64(..9));
                    let value = objects.len() as u64;
                    objects.push(new);
                    moved.insert(value, |value| objects.get(value as usize).copied());
                    model.push(value);
                } else if !model.is_empty() {
                    let value = model.remove(random.usize(..model.len()));
                    objects[value as usize].state = LifeState::Dead;
                    moved.remove(at(&objects, value).forward_base, value);
                }
                if random.u64(..asked) == 0 {
                    let address = 90 + random.u64(..230);
                    let found = moved.find(address, |value| objects.get(value as usize).copied());
                    let place = |value: &u64| {
                        let there = at(&objects, *value);
                        (there.forward_base, there.forward_base + there.bytes)
                    };
                    let is_hidden = |i: usize| {
                        let (base, end) = place(&model[i]);
                        model[i + 1..].iter().map(place).any(|later| later.0 < end && base < later.1)
                    };
                    let shown = (0..model.len()).filter(|i| !is_hidden(*i)).map(|i| (place(&model[i]), model[i]));
                    let within = shown.filter(|((base, end), _)| (*base..=*end).contains(&address));
                    let expected = within.max_by_key(|((base, _), _)| *base);
                    assert_eq!(
                        found.map(|range| range.value),
                        expected.map(|(_, value)| value),
                        "seed {seed}: {address}"
                    );
                }
            }
            assert!(moved.came.len() <= 2 * (SHORT + 1 + model.len()), "{} listed", moved.came.len());
            let mut all = moved.take();
            all.sort_unstable();
            assert!(model.iter().all(|value| all.binary_search(value).is_ok()), "seed {seed}");
        }
    }

    #[test]
    fn object_that_comes_while_others_are_asked_for_is_found_when_it_is_there() {
        let mut moved = Moved::default();
        let coming = Object { state: LifeState::Coming, ..object(100, 8) };
        moved.insert(7, |_| None);
        assert_eq!(moved.find(100, |_| Some(coming)), None);
        let there = Object { state: LifeState::Alive, ..object(200, 8) };
        assert_eq!(moved.find(203, |_| Some(there)), Some(Range { base: 200, bytes: 8, value: 7 }));
        assert_eq!(moved.find(100, |_| Some(there)), None);
    }
}
