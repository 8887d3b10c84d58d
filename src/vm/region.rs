//! Reserved address space that never moves, divided into zones that are committed from the bottom up.
//!
//! ```text
//!   base                                                          base + size
//!    |--- zone ------------------|--- zone --------|--- zone ----------|
//!    |== committed ==|..........|
//!       |~ discarded ~|
//! ```
//!
//! What is *discarded* stays addressable, has no memory and is not charged to the budget; it must be
//! [touched](Zone::touch) before it is used again.

use super::budget::{Budget, process};
use super::{HUGE_PAGE, PAGE, os, round_up};
use crate::error::{Error, Status, bytes};
use crate::settings::settings;
use std::collections::BTreeMap;

/// All regions and spans of a process together reserve at most this much (a quarter of 2^47); a region takes at most
/// an eighth of what is left of it.
const RESERVE_CAP: usize = 1 << 45;
const FIRST_STEP: usize = 64 << 10;
const LARGEST_STEP: usize = 64 << 20;
/// What lies unused below a place that is touched gets no memory from this size on.
const LEAST_HOLE: usize = 1 << 20;

/// A reservation, given back when dropped.
pub(crate) struct Region {
    /// A multiple of [`HUGE_PAGE`].
    base: usize,
    size: usize,
    budget: &'static Budget,
}

impl Region {
    /// The address space that one region can have now.
    pub fn most() -> usize {
        let reserved = process().reserved() as usize;
        match os::address_space_left() {
            Some(left) => left / 8,
            None => RESERVE_CAP.saturating_sub(reserved) / 8,
        }
    }

    /// Reserves `size` bytes, a multiple of [`HUGE_PAGE`].
    pub fn reserve(size: usize) -> Result<Region, Error> {
        debug_assert!(size.is_multiple_of(HUGE_PAGE));
        let base = os::reserve(size).ok_or_else(|| {
            let cause = std::io::Error::last_os_error();
            Error::new(
                Status::OutOfMemory,
                format!("the system refuses {} of address space: {cause}\n  ask for less", bytes(size as u64)),
            )
        })?;
        let budget = process();
        budget.add_reserved(size as u64);
        Ok(Region { base, size, budget })
    }

    pub fn base(&self) -> usize {
        self.base
    }

    /// The zone of `size` bytes at `offset`, both multiples of [`HUGE_PAGE`]. Zones of a region do not overlap and are
    /// not used after it.
    pub fn zone(&self, offset: usize, size: usize) -> Result<Zone, Error> {
        let settings = settings()?;
        debug_assert!(offset.is_multiple_of(HUGE_PAGE) && offset + size <= self.size);
        Ok(Zone {
            base: self.base + offset,
            size,
            committed: 0,
            closed: false,
            discarded: BTreeMap::new(),
            discarded_bytes: 0,
            discarded_span: (0, 0),
            budget: self.budget,
            step: settings.step.map_or(0, |n| (n as usize).next_multiple_of(PAGE)),
            huge_pages: settings.huge_pages,
        })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        os::release(self.base, self.size);
        self.budget.remove_reserved(self.size as u64);
    }
}

/// A part of a region that is committed from its bottom up.
pub(crate) struct Zone {
    base: usize,
    size: usize,
    /// A multiple of [`PAGE`], at most `size`.
    committed: usize,
    /// What is committed is inaccessible for the time being.
    closed: bool,
    /// Start to end of each discarded range, whole pages below `committed`; disjoint, not touching.
    discarded: BTreeMap<usize, usize>,
    discarded_bytes: usize,
    /// From the first of them to the end of the last, or empty.
    discarded_span: (usize, usize),
    budget: &'static Budget,
    /// Size that memory is committed in, for tests; 0: doubling.
    step: usize,
    huge_pages: bool,
}

impl Zone {
    pub fn base(&self) -> usize {
        self.base
    }

    /// Bytes from the base that are charged to the budget, discarded ones apart.
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// Committed and not discarded.
    pub fn resident_bytes(&self) -> usize {
        self.committed - self.discarded_bytes
    }

    /// Makes `[from, to)` usable: committed, charged and accessible. On error nothing has changed.
    #[inline]
    pub fn touch(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let (start, end) = self.discarded_span;
        if to <= self.committed && (to <= start || from >= end) {
            return Ok(());
        }
        self.touch_slowly(from, to)
    }

    #[cold]
    fn touch_slowly(&mut self, from: usize, to: usize) -> Result<(), Error> {
        if to > self.size {
            return Err(Error::new(
                Status::OutOfMemory,
                format!("the reserved address space of {} is full", bytes(self.size as u64)),
            ));
        }
        self.commit(from, to)?;
        self.undiscard(from, to)
    }

    fn commit(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let need = round_up(to, PAGE).unwrap_or(self.size);
        if need <= self.committed {
            return Ok(());
        }
        if from / PAGE * PAGE >= self.committed + LEAST_HOLE {
            self.skip(from / PAGE * PAGE)?;
        }
        let mut target = self.step_target(need).clamp(need, self.size);
        loop {
            match self.commit_exactly(target) {
                Ok(()) => return Ok(()),
                Err(error) if target == need => return Err(error),
                Err(_) => target = (need + (target - need) / 2) / PAGE * PAGE,
            }
        }
    }

    /// Makes what lies below `to` accessible, without memory or charge.
    fn skip(&mut self, to: usize) -> Result<(), Error> {
        let (from, hole) = (self.committed, to - self.committed);
        os::commit(self.base + from, hole).map_err(|cause| {
            Error::new(
                Status::OutOfMemory,
                format!("the system refuses access to {} of memory: {cause}", bytes(hole as u64)),
            )
        })?;
        self.committed = to;
        self.insert_discarded(from, to);
        self.discarded_bytes += hole;
        Ok(())
    }

    /// Adds a range that meets no other, merged with its neighbours.
    fn insert_discarded(&mut self, mut start: usize, mut end: usize) {
        let below = self.discarded.range(..start).next_back().map(|(start, end)| (*start, *end));
        if let Some((below, _)) = below.filter(|(_, end)| *end == start) {
            self.discarded.remove(&below);
            start = below;
        }
        if let Some(above) = self.discarded.remove(&end) {
            end = above;
        }
        self.discarded.insert(start, end);
        self.note_discarded();
    }

    fn note_discarded(&mut self) {
        let first = self.discarded.first_key_value().map(|(start, _)| *start);
        let last = self.discarded.last_key_value().map(|(_, end)| *end);
        self.discarded_span = first.zip(last).unwrap_or((0, 0));
    }

    /// Where the committed part should end when `need` bytes are wanted.
    fn step_target(&self, need: usize) -> usize {
        if self.step != 0 {
            return need.next_multiple_of(self.step);
        }
        if need <= HUGE_PAGE {
            return need.next_power_of_two().max(FIRST_STEP);
        }
        let step = (self.committed / 4).clamp(HUGE_PAGE, LARGEST_STEP);
        need.max(self.committed + step).next_multiple_of(HUGE_PAGE)
    }

    fn commit_exactly(&mut self, target: usize) -> Result<(), Error> {
        let (start, more) = (self.base + self.committed, target - self.committed);
        self.budget.charge(more as u64)?;
        if let Err(cause) = os::commit(start, more).and_then(|()| os::leave_headroom()) {
            os::decommit(start, more);
            self.budget.refund(more as u64);
            return Err(Error::new(
                Status::OutOfMemory,
                format!("the system refuses {} more memory: {cause}", bytes(more as u64)),
            ));
        }
        if self.huge_pages && target > HUGE_PAGE {
            let from = self.committed.max(HUGE_PAGE);
            os::advise_huge(self.base + from, target - from);
        }
        self.committed = target;
        Ok(())
    }

    /// The discarded ranges that meet `[from, to)`.
    fn discarded_within(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let below = self.discarded.range(..to).rev();
        below.map(|(start, end)| (*start, *end)).take_while(|(_, end)| *end > from).collect()
    }

    fn undiscard(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let (from, to) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
        let ranges = self.discarded_within(from, to);
        let overlap: usize = ranges.iter().map(|(start, end)| (*end).min(to) - (*start).max(from)).sum();
        if overlap == 0 {
            return Ok(());
        }
        self.budget.charge(overlap as u64)?;
        self.discarded_bytes -= overlap;
        for (start, end) in ranges {
            self.discarded.remove(&start);
            if start < from {
                self.discarded.insert(start, from);
            }
            if end > to {
                self.discarded.insert(to, end);
            }
        }
        self.note_discarded();
        Ok(())
    }

    /// Gives back the memory behind the whole pages of `[from, to)`, which read as zero when they are touched again.
    /// Returns how many bytes that were.
    pub fn discard(&mut self, from: usize, to: usize) -> usize {
        let (from, to) = (from.next_multiple_of(PAGE), to.min(self.committed) / PAGE * PAGE);
        if from >= to {
            return 0;
        }
        // What is discarded already is taken out and goes back in as part of the whole.
        let ranges = self.discarded_within(from, to);
        let overlap: usize = ranges.iter().map(|(start, end)| (*end).min(to) - (*start).max(from)).sum();
        let (mut start, mut end) = (from, to);
        for (s, e) in ranges {
            self.discarded.remove(&s);
            (start, end) = (start.min(s), end.max(e));
        }
        self.insert_discarded(start, end);
        let gained = to - from - overlap;
        os::discard(self.base + from, to - from);
        self.budget.refund(gained as u64);
        self.discarded_bytes += gained;
        gained
    }

    /// Gives back everything above `keep`; what lies there must be touched before it is used again. Returns how many
    /// bytes that were.
    pub fn cut(&mut self, keep: usize) -> usize {
        let keep = keep.next_multiple_of(PAGE);
        if keep >= self.committed {
            return 0;
        }
        let gone: Vec<_> = self.discarded_within(keep, self.committed);
        let mut gained = self.committed - keep;
        for (start, end) in gone {
            self.discarded.remove(&start);
            gained -= end - start.max(keep);
            self.discarded_bytes -= end - start.max(keep);
            if start < keep {
                self.discarded.insert(start, keep);
            }
        }
        self.note_discarded();
        os::decommit(self.base + keep, self.committed - keep);
        self.budget.refund(gained as u64);
        self.committed = keep;
        gained
    }

    /// Makes what is committed inaccessible; it keeps its memory.
    pub fn close(&mut self) {
        if !self.closed && self.committed > 0 {
            os::close(self.base, self.committed);
        }
        self.closed = true;
    }

    /// Makes what is committed accessible again.
    pub fn open(&mut self) -> Result<(), Error> {
        if self.closed && self.committed > 0 {
            os::commit(self.base, self.committed).map_err(|cause| {
                Error::new(Status::OutOfMemory, format!("the system refuses to make memory accessible: {cause}"))
            })?;
        }
        self.closed = false;
        Ok(())
    }
}

impl Drop for Zone {
    fn drop(&mut self) {
        self.budget.refund(self.resident_bytes() as u64);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The account of a zone against a bit for each page, in random programs.
    #[test]
    fn zone_accounts_for_every_page_that_has_memory() {
        const PAGES: usize = 200;
        let mut random = fastrand::Rng::with_seed(7);
        let region = Region::reserve(HUGE_PAGE).unwrap();
        let mut zone = region.zone(0, HUGE_PAGE).unwrap();
        zone.step = PAGE;
        let mut model = [false; PAGES];
        for _ in 0..3000 {
            let a = random.usize(..PAGES);
            let b = a + 1 + random.usize(..PAGES - a);
            match random.u32(..5) {
                0..=2 => {
                    zone.touch(a * PAGE + 5, b * PAGE - 5).unwrap();
                    // Steps commit what lies between, too.
                    for (page, charged) in model[..zone.committed() / PAGE].iter_mut().enumerate() {
                        *charged = zone.discarded_within(page * PAGE, page * PAGE + 1).is_empty();
                    }
                    assert!(model[a..b].iter().all(|charged| *charged));
                    // SAFETY: just touched.
                    unsafe { *((zone.base() + a * PAGE + 5) as *mut u8) = 1 };
                }
                3 => {
                    zone.discard(a * PAGE, b * PAGE);
                    let end = b.min(zone.committed() / PAGE);
                    model[a.min(end)..end].fill(false);
                }
                _ => {
                    zone.cut(a * PAGE);
                    model[a..].fill(false);
                }
            }
            let charged = model.iter().filter(|page| **page).count();
            assert_eq!(zone.resident_bytes(), charged * PAGE);
        }
    }

    #[test]
    fn closed_zone_keeps_its_contents() {
        let region = Region::reserve(HUGE_PAGE).unwrap();
        let mut zone = region.zone(0, HUGE_PAGE).unwrap();
        zone.touch(0, 100).unwrap();
        let at = zone.base() as *mut u8;
        // SAFETY: touched.
        unsafe { *at = 42 };
        zone.close();
        zone.open().unwrap();
        // SAFETY: open again.
        assert_eq!(unsafe { *at }, 42);
        assert_eq!(zone.touch(0, HUGE_PAGE + 1).unwrap_err().status(), Status::OutOfMemory);
    }
}
