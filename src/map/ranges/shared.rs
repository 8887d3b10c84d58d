//! Ranges that several threads share.
//!
//! A tree under a [`Seqlock`], which asks for what the tree has: every word is atomic.

use super::change::LeafPlace;
use super::hint::{Hint, Spot};
use super::hollow::Way;
use super::nodes::Account;
use super::range::{Meant, Range, There, Touching};
use super::tree::Tree;
use crate::sync::{Holdable, LockGuard, Seqlock, StaticCounter, UNORDERED, Writing};
use std::cell::Cell;

/// [`super::Ranges`] for any number of threads. Readers do not block each other: they repeat what a change
/// overlapped.
pub(crate) struct SharedRanges {
    tree: Tree,
    lock: Seqlock<Writer>,
    /// Of all in the process: the hints of a thread name it.
    number: u32,
}

/// What only the writer needs.
struct Writer {
    account: Account,
    /// The leaf where something was inserted last, and the place where something was removed or made hollow.
    inserted: Hint,
    removed: Spot,
}

/// Numbers given to maps.
static NUMBERS: StaticCounter = StaticCounter::new(1);

/// How many maps a thread keeps a hint for.
const HINTS: usize = 4;

thread_local! {
    /// Where this thread found something last, and in which map.
    static HINT: [Cell<(u32, Hint)>; HINTS] = const { [const { Cell::new((0, Hint::UNKNOWN)) }; HINTS] };
}

impl SharedRanges {
    pub fn new() -> SharedRanges {
        let (tree, account) = Tree::first();
        let number = NUMBERS.fetch_add(1, UNORDERED) as u32;
        SharedRanges {
            tree,
            lock: Seqlock::new(Writer { account, inserted: Hint::UNKNOWN, removed: Spot::UNKNOWN }),
            number,
        }
    }

    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        self.lock.holdable()
    }

    /// As [`super::Ranges::insert`].
    pub fn insert(&self, range: Range) -> Result<Touching, Range> {
        self.insert_over(range, |_, _| ())
    }

    /// As [`super::Ranges::insert_over`]. `displaced` does not call this map.
    pub fn insert_over(&self, range: Range, mut displaced: impl FnMut(Range, bool)) -> Result<Touching, Range> {
        let mut writer = self.lock();
        let place = self.tree.place(range.base, &mut writer.inserted);
        match self.tree.way(place, range)? {
            Way::Free(touching) => {
                self.add(&mut writer, place, range);
                Ok(touching)
            }
            Way::Same(there, touching) => {
                displaced(there, true);
                let there = There { range: there, hollow: true };
                self.change(&mut writer, |tree, _| _ = tree.set(place, there, range.value, false));
                Ok(touching)
            }
            Way::Hollow(others) => {
                for there in others {
                    displaced(there, false);
                    let place = self.tree.place_at(there.base, &mut writer.removed);
                    self.change(&mut writer, |tree, account| tree.remove(place, there, account));
                }
                let place = self.tree.place(range.base, &mut writer.inserted);
                let touching = self.tree.room(place, range).map_err(|there| there.range)?;
                self.add(&mut writer, place, range);
                Ok(Touching { hollow: true, ..touching })
            }
        }
    }

    /// Inserts the ranges of `those`, in ascending order, none of which overlaps the next, as far as they lie above all
    /// others and find room in the leaf of the last insertion. How many.
    pub fn append<T>(&self, those: &[T], range: impl Fn(&T) -> Range) -> usize {
        let mut writer = self.lock();
        let leaf = writer.inserted.leaf();
        leaf.map_or(0, |leaf| self.change(&mut writer, |tree, _| tree.append(leaf, those, range)))
    }

    /// Lets a hollow range be one again, as `range`: where it is, or where nothing is, hollow or not. It is the one that
    /// begins at `base`, if `is_meant` says so of its value. What it touches; None, and nothing changes, if there is more to
    /// it.
    pub fn revive(&self, base: u64, is_meant: impl Fn(u64) -> bool, range: Range) -> Option<Touching> {
        let mut writer = self.lock();
        let place = self.tree.place(range.base, &mut writer.inserted);
        match self.tree.way(place, range).ok()? {
            Way::Free(touching) => {
                self.add(&mut writer, place, range);
                let place = self.tree.place_at(base, &mut writer.removed);
                let there = self.tree.range_at(place, base).filter(|there| there.hollow && is_meant(there.range.value));
                if let Some(there) = there {
                    self.change(&mut writer, |tree, account| tree.remove(place, there.range, account));
                }
                Some(touching)
            }
            Way::Same(there, touching) if is_meant(there.value) => {
                let there = There { range: there, hollow: true };
                self.change(&mut writer, |tree, _| _ = tree.set(place, there, range.value, false));
                Some(touching)
            }
            _ => None,
        }
    }

    /// Inserts a range that overlaps none.
    fn add(&self, writer: &mut Writing<Writer>, place: LeafPlace, range: Range) {
        self.tree.reserve(place, range, &mut writer.account);
        self.change(writer, |tree, account| tree.insert(place, range, account));
    }

    /// As [`super::Ranges::remove`].
    #[allow(dead_code, reason = "for tests and the bench")]
    pub fn remove(&self, base: u64) -> Option<Range> {
        self.remove_if(base, |_| true)
    }

    /// As [`super::Ranges::remove_if`].
    pub fn remove_if(&self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
        self.take(base, |there| there.solid().is_some_and(|range| wanted(&range)))
    }

    /// As [`super::Ranges::remove_hollow`].
    pub fn remove_hollow(&self, base: u64, wanted: impl FnOnce(&Range) -> bool) -> Option<Range> {
        self.take(base, |there| there.hollow && wanted(&there.range))
    }

    fn take(&self, base: u64, wanted: impl FnOnce(&There) -> bool) -> Option<Range> {
        let mut writer = self.lock();
        let place = self.tree.place_at(base, &mut writer.removed);
        let range = self.tree.range_at(place, base).filter(wanted)?.range;
        self.change(&mut writer, |tree, account| tree.remove(place, range, account));
        Some(range)
    }

    /// As [`super::Ranges::make_hollow`].
    #[inline(always)]
    pub fn make_hollow(&self, base: u64, which: impl Meant, mark: u64) -> Option<Range> {
        let mut writer = self.lock();
        let place = self.tree.place_at(base, &mut writer.removed);
        let range = self.tree.range_at(place, base)?.solid()?;
        if !which.means(range) {
            return None;
        }
        let _change = self.lock.begin_change(&mut writer);
        self.tree.make_hollow(place, range, mark);
        Some(range)
    }

    /// As [`super::Ranges::hollow_out`].
    #[inline]
    pub fn hollow_out(&self, base: u64, hollow: impl FnOnce(Range) -> Option<u64>) -> Option<Range> {
        let mut writer = self.lock();
        let place = self.tree.place_at(base, &mut writer.removed);
        let there = self.tree.range_at(place, base)?;
        let value = hollow(there.solid()?)?;
        self.change(&mut writer, |tree, _| tree.set(place, there, value, true)).then_some(there.range)
    }

    /// As [`super::Ranges::at`].
    pub fn at(&self, base: u64) -> Option<Range> {
        self.read(|tree| tree.at(base))
    }

    /// As [`super::Ranges::find`].
    #[inline]
    pub fn find(&self, address: u64) -> Option<Range> {
        self.find_with(address, |_| ()).map(|(range, ())| range)
    }

    /// As [`find`](SharedRanges::find), with what `also` returned while the range was there. It may get a range that never
    /// was, whose result nobody gets.
    #[inline(always)]
    pub fn find_with<T>(&self, address: u64, also: impl Fn(Range) -> T) -> Option<(Range, T)> {
        let hint = self.hint();
        if let Some(leaf) = hint.leaf()
            && let Some(before) = self.lock.begin()
            && let Some(range) = self.tree.find_in(leaf, address)
        {
            let with = also(range);
            if self.lock.is_unchanged(before) {
                return Some((range, with));
            }
        }
        let (range, with, leaf) = self.read(|tree| {
            let (range, leaf) = tree.find(address)?;
            Some((range, also(range), leaf))
        })?;
        HINT.with(|hints| hints[self.number as usize % HINTS].set((self.number, hint.next(leaf))));
        Some((range, with))
    }

    /// The thread's hint for this map.
    #[inline(always)]
    fn hint(&self) -> Hint {
        let (number, hint) = HINT.with(|hints| hints[self.number as usize % HINTS].get());
        if number == self.number { hint } else { Hint::UNKNOWN }
    }

    /// As [`super::Ranges::find_hollow`].
    pub fn find_hollow(&self, address: u64) -> Option<Range> {
        self.read(|tree| tree.find_hollow(address))
    }

    /// As [`super::Ranges::below`].
    pub fn below(&self, address: u64) -> Option<Range> {
        self.read(|tree| tree.below(address))
    }

    /// As [`super::Ranges::above`].
    pub fn above(&self, address: u64) -> Option<Range> {
        self.read(|tree| tree.above(address))
    }

    /// As [`super::Ranges::overlapping`].
    pub fn overlapping(&self, range: Range) -> Option<Range> {
        self.read(|tree| tree.overlapping(range))
    }

    /// As [`super::Ranges::gap`].
    pub fn gap(&self, address: u64, steps: usize) -> (u64, u64) {
        self.read(|tree| tree.gap(address, steps))
    }

    /// As [`super::Ranges::ends_at`].
    pub fn ends_at(&self, address: u64) -> bool {
        self.read(|tree| tree.ends_at(address))
    }

    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Bytes in all ranges.
    pub fn covered(&self) -> u64 {
        self.tree.covered()
    }

    /// How many more are hollow.
    pub fn hollow(&self) -> usize {
        self.tree.hollow()
    }

    /// The hollow ones there are now, by ascending address.
    pub fn list_hollow(&self) -> Vec<Range> {
        let _writer = self.lock();
        self.tree.iter_hollow().collect()
    }

    /// By ascending address: the ranges there are now, of which later changes show nothing.
    pub fn iter(&self) -> impl Iterator<Item = Range> {
        let _writer = self.lock();
        self.tree.iter().collect::<Vec<_>>().into_iter()
    }

    #[cfg(test)]
    pub fn check(&self) {
        super::check::check(&self.tree, &self.lock().account);
    }

    fn lock(&self) -> LockGuard<'_, Writing<Writer>> {
        self.lock.lock()
    }

    /// What `read` returned of a tree that nobody changed meanwhile.
    #[inline]
    fn read<T>(&self, read: impl Fn(&Tree) -> T) -> T {
        self.lock.read(|| read(&self.tree))
    }

    /// Makes a change.
    fn change<R>(&self, writer: &mut Writing<Writer>, change: impl FnOnce(&Tree, &mut Account) -> R) -> R {
        self.lock.change(writer, |writer| change(&self.tree, &mut writer.account))
    }
}
