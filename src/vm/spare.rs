//! Huge pages between two uses: whoever gives one back leaves it here, and whoever needs one takes it from here, without
//! the system's clearing, which takes as long as a tape takes to fill it.
//!
//! Pages are moved, not copied. What is here is not charged to any budget, and little: [`SLOTS`] huge pages, which go back
//! to the system with the last span that had some of them.

use super::{HUGE_PAGE, os};
use crate::sync::StaticLock;
use std::collections::BTreeSet;
use std::time::Duration;

/// Huge pages that may be here.
const SLOTS: usize = 16;
/// A page that was taken from here is a mapping of its own, and so are what lies below and above it. The system has room for
/// 65530 mappings in a process, which are the program's, too.
const MOST_PLACES: usize = 8192;

struct Spare {
    /// Address of the first slot; 0 before the first use, and where the system does not move pages.
    base: usize,
    refused: bool,
    /// Slots with a page, and without.
    full: Vec<usize>,
    empty: Vec<usize>,
    /// Where pages went from here, in all spans.
    places: BTreeSet<usize>,
}

static SPARE: StaticLock<Spare> =
    StaticLock::new(Spare { base: 0, refused: false, full: Vec::new(), empty: Vec::new(), places: BTreeSet::new() });

impl Spare {
    /// Makes the slots, the first time.
    fn is_ready(&mut self) -> bool {
        if self.base == 0 && !self.refused {
            match os::reserve(SLOTS * HUGE_PAGE) {
                Some(base) if os::commit(base, SLOTS * HUGE_PAGE).is_ok() => {
                    self.base = base;
                    self.empty = (0..SLOTS).rev().map(|slot| base + slot * HUGE_PAGE).collect();
                }
                Some(base) => {
                    os::release(base, SLOTS * HUGE_PAGE);
                    self.refused = true;
                }
                None => self.refused = true,
            }
        }
        !self.refused
    }

    /// Gives all pages that are here back to the system.
    fn drain(&mut self) {
        for slot in self.full.drain(..) {
            os::discard(slot, HUGE_PAGE);
            self.empty.push(slot);
        }
    }
}

/// Takes the memory of `size` bytes, as far as they are whole huge pages for which there is a slot; the system has the
/// rest. They stay accessible, with any contents.
pub(super) fn discard(start: usize, size: usize) {
    let first = start.next_multiple_of(HUGE_PAGE);
    let mut done = start;
    if first + HUGE_PAGE <= start + size {
        let mut spare = SPARE.lock();
        while done.max(first) + HUGE_PAGE <= start + size && spare.is_ready() {
            let at = done.max(first);
            let Some(slot) = spare.empty.pop() else { break };
            if !os::move_memory(at, HUGE_PAGE, slot) {
                // It is more than one mapping, say.
                spare.empty.push(slot);
                break;
            }
            spare.full.push(slot);
            if at > done {
                os::discard(done, at - done);
            }
            done = at + HUGE_PAGE;
        }
    }
    if done < start + size {
        os::discard(done, start + size - done);
    }
}

/// Gives memory to the huge pages of `size` bytes that have none yet, as far as there is some here.
pub(super) fn fill(start: usize, size: usize) {
    let mut at = start.next_multiple_of(HUGE_PAGE);
    if at + HUGE_PAGE > start + size {
        return;
    }
    let mut spare = SPARE.lock();
    while at + HUGE_PAGE <= start + size {
        let is_known = spare.places.contains(&at);
        if !is_known && spare.places.len() >= MOST_PLACES {
            return;
        }
        let Some(slot) = spare.full.pop() else { return };
        if !os::move_memory(slot, HUGE_PAGE, at) {
            os::discard(slot, HUGE_PAGE);
            spare.empty.push(slot);
            return;
        }
        spare.empty.push(slot);
        spare.places.insert(at);
        at += HUGE_PAGE;
    }
}

/// Gives what is here back to the system, which is short of memory.
pub(super) fn drain() {
    SPARE.lock().drain();
}

/// Keeps other threads off the spare pages until [`let_go`]: around a fork.
pub(super) fn hold(longest: Duration) {
    SPARE.hold(longest);
}

pub(super) fn let_go() {
    SPARE.let_go();
}

/// Forgets a span; the offsets at which it has mappings of their own.
pub(super) fn forget(base: usize, size: usize) -> Vec<usize> {
    let mut spare = SPARE.lock();
    let places: Vec<usize> = spare.places.range(base..base + size).copied().collect();
    places.iter().for_each(|place| _ = spare.places.remove(place));
    if spare.places.is_empty() {
        spare.drain();
    }
    places.into_iter().flat_map(|place| [place - base, place - base + HUGE_PAGE]).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::vm::Span;

    fn fill(span: &mut Span, from: usize, to: usize) {
        for (i, byte) in span.slice_mut(from, to - from).iter_mut().enumerate() {
            *byte = pattern(from + i);
        }
    }

    fn pattern(offset: usize) -> u8 {
        ((offset / 7) ^ (offset >> 13)) as u8
    }

    /// Pages go from the bottom of a span to its top, others come to the bottom, and the span moves with all of them.
    #[test]
    fn memory_that_changes_its_place_leaves_all_other_contents_as_they_are() {
        const PAGES: [usize; 5] = [0, 2 * HUGE_PAGE, 4 * HUGE_PAGE, 6 * HUGE_PAGE, 20 * HUGE_PAGE];
        let [bottom, kept, old_top, top, outgrown] = PAGES;
        let mut span = Span::with_steps(0, 8 * HUGE_PAGE);
        span.commit(old_top).unwrap();
        let end = span.committed().min(top - HUGE_PAGE);
        fill(&mut span, bottom, end);
        let mut lent = span.lend(kept + HUGE_PAGE..end);
        let mut pages = lent.take_first(kept);
        pages.empty();
        span.take_back(lent);
        assert_eq!((span.discarded(), span.at_hand().start), (kept, kept));
        span.commit(top).unwrap();
        fill(&mut span, end, top);
        assert!(pages.fill());
        pages.bytes_mut().iter_mut().enumerate().for_each(|(i, byte)| *byte = pattern(i));
        pages.leave();
        span.regain(kept);
        let base = span.base();
        span.commit(outgrown).unwrap();
        assert_ne!(span.base(), base);
        let all = span.slice(bottom, top);
        assert!(all.iter().enumerate().all(|(offset, byte)| *byte == pattern(offset)));
    }
}
