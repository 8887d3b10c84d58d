//! Whose stack an address may be on, found without asking every thread.
//!
//! The *span* of a lane is the addresses between the lowest and the highest of its stack ranges, those that ended
//! included, in whole [`GRANULE`]s. It only grows, until the lane changes hands.
//!
//! Stacks lie apart, so spans do, and one map finds the span that an address is in. A span that grows adds a piece to
//! the map and takes none out, so that a reader never misses what was there before. Once two spans cross, which takes
//! ranges of kind stack that are on no stack, every lane is asked instead.

#![forbid(unsafe_code)]

use crate::map::ranges::{Range, SharedRanges};
use crate::sync::{AtomicU32, AtomicU64, Holdable, Ordering};

/// Spans begin and end at multiples of this, so that they grow rarely.
const GRANULE: u64 = 1 << 16;

/// The span of a lane, both addresses included. In a line of the cache of its own: all threads read it, and what is
/// beside it changes all the time.
#[repr(align(128))]
pub(super) struct Span {
    low: AtomicU64,
    high: AtomicU64,
}

impl Span {
    pub fn new() -> Span {
        Span { low: AtomicU64::new(u64::MAX), high: AtomicU64::new(0) }
    }

    pub fn get(&self) -> (u64, u64) {
        (self.low.load(Ordering::Relaxed), self.high.load(Ordering::Relaxed))
    }

    fn set(&self, low: u64, high: u64) {
        self.low.store(low, Ordering::Relaxed);
        self.high.store(high, Ordering::Relaxed);
    }

    /// Whether it has an address between two, both included.
    pub fn meets(&self, low: u64, high: u64) -> bool {
        let span = self.get();
        span.0 <= high && low <= span.1
    }

    /// Whether it has all addresses between two, both included.
    pub fn holds(&self, low: u64, high: u64) -> bool {
        let span = self.get();
        span.0 <= low && high <= span.1
    }
}

/// See the module.
pub(super) struct Spans {
    /// The pieces of all spans, each with its lane. The end of a piece is its last address.
    pieces: SharedRanges,
    /// Reaches over all pieces that ever were there.
    all: Span,
    /// 1 once two spans crossed.
    crossed: AtomicU32,
}

impl Spans {
    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        self.pieces.holdable()
    }

    pub fn new() -> Spans {
        Spans { pieces: SharedRanges::new(), all: Span::new(), crossed: AtomicU32::new(0) }
    }

    /// Makes room in a lane's span for a range. Nobody else changes this span meanwhile.
    pub fn widen(&self, span: &Span, lane: u16, base: u64, bytes: u64) {
        if span.holds(base, base + bytes) {
            return;
        }
        let (low, high) = span.get();
        let (new_low, new_high) = (low.min(base & !(GRANULE - 1)), high.max((base + bytes) | (GRANULE - 1)));
        if low > high {
            self.add(lane, new_low, new_high)
        } else {
            if new_low < low {
                self.add(lane, new_low, low - 1);
            }
            if new_high > high {
                self.add(lane, high + 1, new_high);
            }
        }
        span.set(new_low, new_high);
    }

    fn add(&self, lane: u16, low: u64, high: u64) {
        let piece = Range { base: low, bytes: high - low, value: lane.into() };
        self.all.low.fetch_min(low, Ordering::Relaxed);
        self.all.high.fetch_max(high, Ordering::Relaxed);
        if self.pieces.insert(piece).is_err() {
            self.crossed.store(1, Ordering::Release);
        }
    }

    /// The lane has no stack range any more, dead or alive.
    pub fn clear(&self, span: &Span, lane: u16) {
        let (mut low, high) = span.get();
        span.set(u64::MAX, 0);
        while low <= high
            && let Some(piece) = self.pieces.remove_if(low, |piece| piece.value == lane.into())
            && let Some(next) = piece.end().checked_add(1)
        {
            low = next;
        }
    }

    /// Whether every lane has to be asked.
    pub fn crossed(&self) -> bool {
        self.crossed.load(Ordering::Acquire) != 0
    }

    /// Whether no span has an address between two, both included, for certain.
    pub fn are_apart(&self, low: u64, high: u64) -> bool {
        !self.crossed() && (!self.all.meets(low, high) || self.pieces.below(high).is_none_or(|piece| piece.end() < low))
    }

    /// The lanes whose spans have an address between two, both included, while no two spans cross; some more than once.
    pub fn between(&self, low: u64, high: u64) -> impl Iterator<Item = u16> {
        let mut next = Some(high);
        std::iter::from_fn(move || {
            let piece = self.pieces.below(next?).filter(|piece| piece.end() >= low)?;
            next = piece.base.checked_sub(1);
            Some(piece.value as u16)
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn between(spans: &Spans, low: u64, high: u64) -> Vec<u16> {
        let mut lanes: Vec<u16> = spans.between(low, high).collect();
        lanes.dedup();
        lanes
    }

    #[test]
    fn span_has_its_ranges_and_what_lies_between_them_until_it_is_cleared() {
        let (spans, [one, other]) = (Spans::new(), [Span::new(), Span::new()]);
        spans.widen(&one, 1, 16 * GRANULE + 8, 8);
        spans.widen(&other, 2, 32 * GRANULE, GRANULE);
        assert_eq!(between(&spans, 0, u64::MAX), [2, 1]);
        assert_eq!(between(&spans, 16 * GRANULE, 16 * GRANULE), [1]);
        assert_eq!(between(&spans, 17 * GRANULE - 1, 32 * GRANULE - 1), [1]);
        assert!(spans.are_apart(17 * GRANULE, 32 * GRANULE - 1) && !spans.are_apart(17 * GRANULE - 1, 20 * GRANULE));
        assert_eq!(between(&spans, 33 * GRANULE, 33 * GRANULE), [2], "the end of a range belongs to it");
        for (low, high) in [(0, 16 * GRANULE - 1), (17 * GRANULE, 32 * GRANULE - 1), (34 * GRANULE, u64::MAX)] {
            assert_eq!(between(&spans, low, high), [], "{low}");
        }
        // A stack that grows, downwards and back.
        spans.widen(&one, 1, 10 * GRANULE, 8);
        spans.widen(&one, 1, 20 * GRANULE, 8);
        spans.widen(&one, 1, 12 * GRANULE, 8);
        for granule in 10..=20 {
            let low = granule * GRANULE;
            assert_eq!(between(&spans, low, low + GRANULE - 1), [1], "{granule}");
            assert!(one.meets(low, low));
        }
        assert!(!one.meets(0, 10 * GRANULE - 1) && !one.meets(21 * GRANULE, 32 * GRANULE));
        spans.clear(&one, 1);
        assert_eq!(between(&spans, 0, u64::MAX), [2]);
        assert!(!one.meets(1, u64::MAX - 1) && !spans.crossed());
    }

    #[test]
    fn spans_that_cross_are_known() {
        for (base, crossed) in [(15 * GRANULE, false), (16 * GRANULE, true), (5 * GRANULE, true)] {
            let (spans, [one, other]) = (Spans::new(), [Span::new(), Span::new()]);
            spans.widen(&one, 1, 16 * GRANULE, 8);
            spans.widen(&other, 2, base, 8);
            spans.widen(&other, 2, 15 * GRANULE, 8);
            spans.widen(&other, 2, if base < 10 * GRANULE { 17 * GRANULE } else { base }, 8);
            assert_eq!(spans.crossed(), crossed, "{base}");
        }
    }

    #[test]
    fn span_at_the_top_of_the_address_space_is_found() {
        let (spans, span) = (Spans::new(), Span::new());
        spans.widen(&span, 3, u64::MAX - 8, 8);
        assert_eq!(between(&spans, u64::MAX, u64::MAX), [3]);
        spans.clear(&span, 3);
        assert_eq!(between(&spans, 0, u64::MAX), []);
    }
}
