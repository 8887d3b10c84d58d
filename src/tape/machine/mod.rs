//! The tape as a machine: a span with a stack of bytes and bits in it, repeat regions included.
//!
//! *Segment*: a piece `[lo, hi)` of the span that belongs to the tape but not to its top. *Level*: an active
//! repeat region. *Protect mark* P: below it, the innermost region's values must stay; the base if there is no
//! region. *Writing*: the top may grow in place (`floor >= P`); otherwise the tape is being *read* in a region,
//! and a push first jumps to free space at P.
//!
//! ```text
//!   logical tape = S[0] ++ S[1] ++ … ++ [floor, cur)          physically ascending
//!
//!   |== S[0] ==|  popped in the region  |P|== [floor, cur) ==|    granted    committed
//! ```
//!
//! | event | action |
//! |---|---|
//! | push while reading | S.push([floor, cur)); floor = cur = P |
//! | pop, top segment empty | S empty: underflow; else [floor, cur) = S.pop() |
//! | start | push level {cur, floor, bits, copy of S, P' = max(P, cur)} |
//! | reset | restore cur, floor, bits and S of the level |
//! | end | pop the level; while S.top.hi == floor and S.top.lo >= P: merge |
//!
//! All positions are offsets from the span's base, so that the span may move. The oldest bytes may be in a store instead
//! of in memory: what the span has discarded. What lies above them may be lent (`tape::idle`). While the tape is written
//! at its top, the top is at hand; after a reset it may not be, and the next push or pop brings it back.

#![forbid(unsafe_code)]

mod lending;
mod memory;

use super::aside::Aside;
use super::bits;
use super::hot::{CLOSED_BITS, Hot, NO_BITS};
use super::idle::{Part, Slot};
use crate::error::{Error, Status};
use crate::sync::Arc;
use crate::vm::Span;
use lending::{Lending, is_shortage};

#[derive(Clone, Copy, Debug)]
struct Segment {
    lo: usize,
    hi: usize,
}

impl Segment {
    fn len(self) -> usize {
        self.hi - self.lo
    }
}

/// Where the tape stands: all that a push or pop changes.
#[derive(Clone)]
pub(super) struct Position {
    cur: usize,
    floor: usize,
    bits: u64,
    segments: Vec<Segment>,
}

struct Level {
    start: Position,
    protect: usize,
}

/// Least and, as a part of the position, usual distance between `cur` and `limit`: with it only new territory
/// meets the slow path, and the peak is known to 1/64.
const ROOM: usize = 4096;
const ROOM_SHARE: usize = 64;

pub(super) struct Machine {
    span: Span,
    cur: usize,
    floor: usize,
    /// Control bits that are not yet on the tape, below a marker; never [`CLOSED_BITS`].
    bits: u64,
    segments: Vec<Segment>,
    /// Sum of the segments' lengths.
    segment_bytes: usize,
    levels: Vec<Level>,
    /// Pushes below this offset need no slow path where memory is at hand: the peak, rounded up by the room.
    granted: usize,
    /// No room beyond what is asked for: whoever uses the tape sees every push anyway, and the peak is exact.
    exact: bool,
    /// Has what the span has discarded. With the idle part, while that is lent.
    store: Option<Aside>,
    /// Where the idle part is lent; None before the first time.
    slot: Option<Arc<Slot<Part>>>,
    /// It was taken back, and others may count on its being lent again.
    awaited: bool,
    lending: Lending,
}

impl Machine {
    pub fn new(span: Span) -> Machine {
        Machine {
            lending: Lending::of(&span),
            span,
            cur: 0,
            floor: 0,
            bits: NO_BITS,
            segments: Vec::new(),
            segment_bytes: 0,
            levels: Vec::new(),
            granted: 0,
            exact: false,
            store: None,
            slot: None,
            awaited: false,
        }
    }

    // ---- the cursor ------------------------------------------------------------------------------

    /// Takes the state over from an open cursor.
    pub fn load(&mut self, cursor: &Hot) {
        self.cur = cursor.cur.get() - self.span.base();
        self.bits = cursor.bits.get();
        debug_assert!(self.bits != CLOSED_BITS && self.cur >= self.floor);
    }

    /// Opens a cursor on the state.
    pub fn store(&self, cursor: &Hot) {
        let base = self.span.base();
        cursor.cur.set(base + self.cur);
        cursor.floor.set(base + self.bottom());
        let at_hand = self.span.at_hand();
        let open = self.writing() && self.cur >= at_hand.start;
        cursor.limit.set(if open { base + self.granted.max(self.cur).min(at_hand.end) } else { 0 });
        cursor.bits.set(self.bits);
    }

    /// The span, with all that is known about it.
    pub fn span(&mut self) -> &Span {
        self.take_back();
        &self.span
    }

    /// Bytes in memory and in the store, as far as is known while some are lent.
    pub fn sizes(&self) -> (u64, u64) {
        (self.span.resident_bytes() as u64, self.span.discarded() as u64)
    }

    /// Address of an offset.
    pub fn address(&self, offset: usize) -> usize {
        self.span.base() + offset
    }

    /// Offset behind the last value of the top segment.
    pub fn cur(&self) -> usize {
        self.cur
    }

    /// Counts `n` bytes behind `cur`, for which there is room, as pushed.
    pub fn advance(&mut self, n: usize) {
        self.cur += n;
        debug_assert!(self.cur <= self.span.committed());
    }

    /// The lowest and the highest offset that pops and pushes may move `cur` to with nothing else to be done; the highest
    /// is 0 where there must be no push.
    pub fn reach_at_hand(&self) -> (usize, usize) {
        let at_hand = self.span.at_hand();
        let open = self.writing() && self.cur >= at_hand.start && !self.awaited;
        (self.bottom(), if open { at_hand.end } else { 0 })
    }

    /// Counts `n` bytes behind `cur` as pushed, which [`reach_at_hand`](Machine::reach_at_hand) allows.
    #[inline(always)]
    pub fn advance_in_room(&mut self, n: usize) {
        self.cur += n;
        self.granted = self.granted.max(self.cur);
    }

    /// Counts `n` bytes below `cur`, which are contiguous, as popped.
    #[inline]
    pub fn retreat(&mut self, n: usize) {
        debug_assert!(n <= self.contiguous());
        self.cur -= n;
    }

    pub fn bits(&self) -> u64 {
        self.bits
    }

    pub fn set_bits(&mut self, bits: u64) {
        self.bits = bits;
    }

    /// The lowest offset of the top segment that is at hand.
    #[inline]
    fn bottom(&self) -> usize {
        self.floor.max(self.span.at_hand().start.min(self.cur))
    }

    // ---- what there is ---------------------------------------------------------------------------

    /// Bytes on the tape, control bits in the accumulator not included.
    pub fn len(&self) -> usize {
        self.segment_bytes + (self.cur - self.floor)
    }

    /// Bytes of the top segment that are at hand, contiguous below `cur`.
    #[inline]
    pub fn contiguous(&self) -> usize {
        self.cur - self.bottom()
    }

    /// The highest offset that was ever usable by pushes.
    pub fn peak(&self) -> usize {
        self.granted
    }

    /// Forgets the peak; what is above the present position meets the slow path again.
    pub fn forget_peak(&mut self) {
        self.granted = self.top();
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The highest offset that holds anything, live levels included.
    fn top(&self) -> usize {
        self.cur.max(self.protect())
    }

    fn protect(&self) -> usize {
        self.levels.last().map_or(0, |level| level.protect)
    }

    fn writing(&self) -> bool {
        self.floor >= self.protect()
    }

    // ---- push and pop ----------------------------------------------------------------------------

    /// Makes `[cur, cur + n)` writable: jumps to free space if the tape is being read, commits memory.
    pub fn make_room(&mut self, n: usize) -> Result<(), Error> {
        let writing = self.writing();
        let at = if writing { self.cur } else { self.protect() };
        if at < self.span.at_hand().start {
            self.bring_top_back(at)?;
        }
        if !writing {
            let segment = Segment { lo: self.floor, hi: self.cur };
            if segment.len() > 0 {
                self.segments.push(segment);
                self.segment_bytes += segment.len();
            }
            (self.floor, self.cur) = (at, at);
        }
        let need = self.cur + n;
        if need > self.span.at_hand().end {
            self.take_back();
        }
        if need > self.span.committed() {
            self.commit(need)?;
        }
        if need > self.granted {
            self.granted = need.saturating_add(self.room_above(need)).min(self.span.committed());
        }
        Ok(())
    }

    /// The last `n` bytes, which are contiguous.
    #[inline]
    pub fn last(&self, n: usize) -> &[u8] {
        debug_assert!(n <= self.contiguous());
        self.span.slice(self.cur - n, n)
    }

    /// How far above `need` pushes may go before they meet the slow path again.
    fn room_above(&self, need: usize) -> usize {
        match self.span.fixed_step() {
            _ if self.exact => 0,
            Some(step) => step,
            None => ROOM.max(need / ROOM_SHARE),
        }
    }

    /// Says whether every push is seen.
    pub fn set_exact(&mut self, exact: bool) {
        self.exact = exact;
    }

    /// Makes as many as possible of `n` bytes contiguous below `cur`; the caller has compared `n` with
    /// [`len`](Machine::len).
    pub fn make_contiguous(&mut self, n: usize) -> Result<(), Error> {
        if n <= self.contiguous() {
            return Ok(());
        }
        self.drop_empty_segments();
        if n > self.contiguous() {
            self.take_back();
        }
        if n > self.contiguous() && self.span.discarded() > self.floor {
            return match self.unspill(n) {
                // What is in memory is popped first, and leaves room for the rest.
                Err(error) if is_shortage(&error) && self.contiguous() > 0 => Ok(()),
                done => done,
            };
        }
        Ok(())
    }

    fn drop_empty_segments(&mut self) {
        while self.cur == self.floor {
            let Some(segment) = self.segments.pop() else { return };
            self.segment_bytes -= segment.len();
            (self.floor, self.cur) = (segment.lo, segment.hi);
        }
    }

    /// Pushes bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.make_room(bytes.len())?;
        if !bytes.is_empty() {
            self.span.write(self.cur, bytes);
        }
        self.cur += bytes.len();
        Ok(())
    }

    /// Pops bytes; an error, and nothing popped, if there are not that many.
    pub fn pop(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        if bytes.len() > self.len() {
            return Err(underflow(bytes.len(), self.len()));
        }
        let mut rest = bytes.len();
        while rest > 0 {
            self.make_contiguous(rest)?;
            let piece = rest.min(self.contiguous());
            rest -= piece;
            self.cur -= piece;
            bytes[rest..rest + piece].copy_from_slice(self.span.slice(self.cur, piece));
        }
        Ok(())
    }

    /// Discards everything above the first `len` bytes.
    pub fn discard_to(&mut self, len: usize) {
        debug_assert!(len <= self.len());
        let mut rest = self.len() - len;
        while rest > 0 {
            self.drop_empty_segments();
            let piece = rest.min(self.cur - self.floor);
            self.cur -= piece;
            rest -= piece;
        }
        self.drop_above_top();
    }

    // ---- control bits ----------------------------------------------------------------------------

    /// Makes room for the words that fill up when `count` bits are pushed.
    pub fn make_room_for_bits(&mut self, count: u32) -> Result<(), Error> {
        self.make_room(bits::words_filled(self.bits, count) * size_of::<u64>())
    }

    /// Pushes the `count` (1 to 64) low bits of `value`; unchanged on error.
    pub fn push_bits(&mut self, value: u64, count: u32) -> Result<(), Error> {
        self.make_room_for_bits(count)?;
        let mut left = count;
        while let Some(full) = bits::fill(&mut self.bits, value, &mut left) {
            self.push(&full.to_ne_bytes())?;
        }
        Ok(())
    }

    /// Pops `count` (1 to 64) bits; unchanged on error.
    pub fn pop_bits(&mut self, count: u32) -> Result<u64, Error> {
        if count <= 61 && self.bits as i64 >= 1 << count {
            let value = self.bits & ((1 << count) - 1);
            self.bits >>= count;
            return Ok(value);
        }
        self.hold();
        let (mut value, mut got) = (0, 0);
        let popped = loop {
            got += bits::drain(&mut self.bits, count - got, got, &mut value);
            if got == count {
                break Ok(value);
            }
            let mut word = [0; 8];
            match self.pop(&mut word).and_then(|()| bits::refill(u64::from_ne_bytes(word))) {
                Ok(bits) => self.bits = bits,
                Err(error) => break Err(error),
            }
        };
        self.let_go(popped.is_ok());
        popped
    }

    // ---- repeat regions --------------------------------------------------------------------------

    /// Nobody else gets a part of the tape in a region: what is popped there has to stay in memory.
    pub fn start(&mut self) {
        self.take_back();
        self.hold();
    }

    /// Keeps what is popped from here on, until [`let_go`](Machine::let_go). Nothing is pushed meanwhile.
    pub fn hold(&mut self) {
        let protect = self.protect().max(self.cur);
        let start = self.position();
        self.levels.push(Level { start, protect });
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        let start = self.levels.last().ok_or_else(|| unbalanced("reset"))?.start.clone();
        self.restore(start);
        Ok(())
    }

    pub fn end(&mut self) -> Result<(), Error> {
        self.levels.pop().ok_or_else(|| unbalanced("end"))?;
        let protect = self.protect();
        while let Some(&Segment { lo, hi }) = self.segments.last() {
            if hi != self.floor || lo < protect {
                break;
            }
            self.segments.pop();
            self.segment_bytes -= hi - lo;
            self.floor = lo;
        }
        if self.levels.is_empty() {
            self.close_gaps();
        }
        Ok(())
    }

    /// Ends what [`hold`](Machine::hold) began: what was popped since is gone, or is on the tape again.
    pub fn let_go(&mut self, popped: bool) {
        let level = self.levels.pop().expect("held");
        if !popped {
            self.restore(level.start);
        }
    }

    fn position(&self) -> Position {
        Position { cur: self.cur, floor: self.floor, bits: self.bits, segments: self.segments.clone() }
    }

    fn restore(&mut self, position: Position) {
        (self.cur, self.floor, self.bits) = (position.cur, position.floor, position.bits);
        self.segments = position.segments;
        self.segment_bytes = self.segments.iter().map(|segment| segment.len()).sum();
    }

    /// Without a region nothing needs what lies between the segments: makes the tape contiguous again.
    fn close_gaps(&mut self) {
        if self.segments.is_empty() && self.floor == 0 {
            return;
        }
        self.take_back();
        if self.span.discarded() > 0 {
            return;
        }
        let top = Segment { lo: self.floor, hi: self.cur };
        let mut end = 0;
        for segment in self.segments.drain(..).chain([top]) {
            if segment.len() > 0 {
                self.span.move_down(segment.lo, end, segment.len());
            }
            end += segment.len();
        }
        (self.floor, self.cur, self.segment_bytes) = (0, end, 0);
    }
}

#[cold]
fn underflow(asked: usize, have: usize) -> Error {
    Error::new(
        Status::Underflow,
        format!(
            "pop of {asked} bytes from a tape that holds {have}\n  \
             the reverse sweep pops more than the forward sweep pushed; \
             run with ADTAPE_CHECK=1 to see the first push and pop that do not match"
        ),
    )
}

#[cold]
fn unbalanced(what: &str) -> Error {
    Error::new(
        Status::RepeatUnbalanced,
        format!(
            "{what} of a repeat region, but none is active\n  \
             every reset and end needs a start before it on the same tape"
        ),
    )
}

#[cfg(all(test, not(loom)))]
mod tests;
