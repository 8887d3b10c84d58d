//! Where the forward sweep knew objects that lie elsewhere now.
//!
//! Many come back and few are asked for by an address of the forward sweep. So they are listed as they come, and entered
//! into a map when somebody asks. Of what has ended since, the list is cleared when that is half of it.
//!
//! An object is *hidden* as long as another one that came after it lies elsewhere as well and had some of its addresses
//! in the forward sweep. The births of hidden ones should have been reversed; addresses in them lead nowhere.

#![forbid(unsafe_code)]

use super::object::{LifeState, Whereabouts};
use crate::map::ranges::{Range, SharedRanges};
use crate::sync::{Arc, AtomicU32, Ordering};
use std::cmp::Reverse;

/// A list that is not longer is not worth clearing.
const SHORT: usize = if cfg!(loom) { 2 } else { 1024 };

/// See the module. A value is that of the live map.
#[derive(Default)]
pub(super) struct Moved {
    /// Those that were entered.
    entered: Arc<Entered>,
    /// Values of those that came since somebody asked, some of which ended.
    came: Vec<u64>,
    /// How many of those may have ended.
    ended: usize,
    /// The hidden ones. Of two that overlap, the one that came first is before the other.
    hidden: Vec<Range>,
}

/// The map, which is read without the lock that all changes are made under.
pub(super) struct Entered {
    ranges: SharedRanges,
    /// 1 while some that came are only listed.
    lacks: AtomicU32,
}

impl Default for Entered {
    fn default() -> Entered {
        Entered { ranges: SharedRanges::new(), lacks: AtomicU32::new(0) }
    }
}

impl Entered {
    /// Whether some that came are not there.
    #[inline(always)]
    pub fn lacks_some(&self) -> bool {
        self.lacks.load(Ordering::Acquire) != 0
    }

    #[inline(always)]
    pub fn find(&self, address: u64) -> Option<Range> {
        if self.ranges.len() == 0 { None } else { self.ranges.find(address) }
    }
}

/// An object that came back elsewhere, where the forward sweep knew it.
struct Came {
    range: Range,
    /// How many came before it.
    turn: usize,
}

/// Bases in ascending order, each with its turn, as one number: those are sorted in a third of the time that pairs take,
/// and in a quarter of the memory of all that is known of a range.
struct InOrder {
    keys: Vec<u64>,
    low: u64,
    turn_bits: u32,
}

impl InOrder {
    /// The bases by turn; these again if they do not fit.
    fn of(mut bases: Vec<u64>) -> Result<InOrder, Vec<u64>> {
        let (low, high) = bases.iter().fold((u64::MAX, 0), |(low, high), base| (low.min(*base), high.max(*base)));
        let turn_bits = usize::BITS - bases.len().leading_zeros();
        if high.saturating_sub(low).leading_zeros() < turn_bits {
            return Err(bases);
        }
        bases.iter_mut().zip(0..).for_each(|(base, turn)| *base = (*base - low) << turn_bits | turn);
        bases.sort_unstable();
        Ok(InOrder { keys: bases, low, turn_bits })
    }

    fn base(&self, key: u64) -> u64 {
        self.low + (key >> self.turn_bits)
    }

    fn turn(&self, key: u64) -> usize {
        (key & ((1 << self.turn_bits) - 1)) as usize
    }
}

impl Moved {
    /// What threads read without a lock.
    pub fn entered(&self) -> Arc<Entered> {
        Arc::clone(&self.entered)
    }

    /// Notes an object, in place of all that had its addresses. `now` says what has a value now.
    pub fn insert(&mut self, value: u64, now: impl Fn(u64) -> Option<Whereabouts>) {
        if self.ended > SHORT + self.came.len() / 2 {
            self.came.retain(|value| now(*value).is_some_and(|now| now.state != LifeState::Dead));
            self.came.shrink_to_fit();
            self.ended = 0;
        }
        self.came.push(value);
        self.entered.lacks.store(1, Ordering::Relaxed);
    }

    /// Forgets an object that ends.
    pub fn remove(&mut self, forward_base: u64, value: u64) {
        let ranges = &self.entered.ranges;
        let was_in_map = ranges.len() > 0 && ranges.remove_if(forward_base, |range| range.value == value).is_some();
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
            if is_hidden || self.entered.ranges.insert(range).is_err() {
                still.push(range);
            }
        }
        still.reverse();
        self.hidden = still;
    }

    pub fn find(&mut self, address: u64, now: impl Fn(u64) -> Option<Whereabouts>) -> Option<Range> {
        self.enter(now);
        self.entered.find(address)
    }

    /// Enters those that came.
    pub fn enter(&mut self, now: impl Fn(u64) -> Option<Whereabouts>) {
        if !self.came.is_empty() {
            self.enter_listed(now);
            self.entered.lacks.store((!self.came.is_empty()).into(), Ordering::Release);
        }
    }

    fn enter_listed(&mut self, now: impl Fn(u64) -> Option<Whereabouts>) {
        let mut values = std::mem::take(&mut self.came);
        let [mut bases, mut bytes] = [(); 2].map(|()| Vec::with_capacity(values.len()));
        self.ended = 0;
        values.retain(|value| match now(*value) {
            Some(there) if there.state == LifeState::Alive && there.bytes > 0 && there.base != there.forward_base => {
                bases.push(there.forward_base);
                bytes.push(there.bytes);
                true
            }
            there => {
                // Where the forward sweep knew it is not known for certain before it is there.
                self.came.extend(there.filter(|there| there.state == LifeState::Coming).map(|_| *value));
                false
            }
        });
        let range = |base: u64, turn: usize| Range { base, bytes: bytes[turn], value: values[turn] };
        let mut came: Vec<Came> = match InOrder::of(bases) {
            // In order of address, which is quick, unless some lay at one place: of those the last one counts.
            Ok(those) => {
                let range_of = |key: &u64| range(those.base(*key), those.turn(*key));
                if those.keys.iter().map(range_of).is_sorted_by(|one, next| one.end() <= next.base) {
                    return self.place_ascending(&those.keys, range_of);
                }
                those.keys.iter().map(|key| Came { range: range_of(key), turn: those.turn(*key) }).collect()
            }
            Err(bases) => {
                bases.into_iter().zip(0..).map(|(base, turn)| Came { range: range(base, turn), turn }).collect()
            }
        };
        // A value that is listed twice is that of an object that has the place of one that ended.
        came.sort_unstable_by_key(|came| (came.range.value, Reverse(came.turn)));
        came.dedup_by_key(|came| came.range.value);
        came.sort_unstable_by_key(|came| came.turn);
        came.into_iter().for_each(|came| self.place(came.range));
    }

    fn place_ascending(&mut self, mut those: &[u64], range: impl Fn(&u64) -> Range) {
        while let [first, ..] = those {
            let placed = match self.entered.ranges.append(those, &range) {
                0 => {
                    self.place(range(first));
                    1
                }
                placed => placed,
            };
            those = &those[placed..];
        }
    }

    fn place(&mut self, range: Range) {
        while let Err(there) = self.entered.ranges.insert(range) {
            self.entered.ranges.remove(there.base);
            if there.value != range.value {
                self.hidden.push(there);
            }
        }
    }

    /// Forgets all, and returns their values; among them may be some of objects that ended since.
    pub fn take(&mut self) -> Vec<u64> {
        let mut values = std::mem::take(&mut self.came);
        values.extend(std::mem::take(&mut self.hidden).into_iter().map(|range| range.value));
        for range in self.entered.ranges.iter() {
            values.push(range.value);
            self.entered.ranges.remove(range.base);
        }
        self.ended = 0;
        self.entered.lacks.store(0, Ordering::Release);
        values
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::object::{Object, RangeKind};
    use super::*;
    use crate::part::part;
    use fastrand::Rng;

    /// Objects that lie elsewhere, by value; those in the state Dead ended.
    fn object(forward_base: u64, bytes: u64) -> Object {
        Object { forward_base, ..Object::new((1 << 40) + forward_base, bytes, RangeKind::Heap, 0) }
    }

    fn whereabouts(object: &Object) -> Whereabouts {
        let Object { state, base, forward_base, bytes, .. } = *object;
        Whereabouts { state, base, forward_base, bytes, stack: None }
    }

    #[test]
    fn random_programs_find_what_came_last_where_the_forward_sweep_knew_it() {
        for seed in 1..=part(100) {
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
                    moved.insert(value, |value| objects.get(value as usize).map(whereabouts));
                    model.push(value);
                } else if !model.is_empty() {
                    let value = model.remove(random.usize(..model.len()));
                    objects[value as usize].state = LifeState::Dead;
                    moved.remove(at(&objects, value).forward_base, value);
                }
                if random.u64(..asked) == 0 {
                    let address = 90 + random.u64(..230);
                    let found = moved.find(address, |value| objects.get(value as usize).map(whereabouts));
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
        assert_eq!(moved.find(100, |_| Some(whereabouts(&coming))), None);
        let there = Object { state: LifeState::Alive, ..object(200, 8) };
        assert_eq!(moved.find(203, |_| Some(whereabouts(&there))), Some(Range { base: 200, bytes: 8, value: 7 }));
        assert_eq!(moved.find(100, |_| Some(whereabouts(&there))), None);
    }
}
