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
//! All positions are offsets from the span's base, so that the span may move. The oldest `spilled` bytes may be
//! in a store instead of in memory; the part below `spilled` is addressable but holds nothing.

#![forbid(unsafe_code)]

use super::bits;
use super::cursor::{CLOSED_BITS, Cursor, NO_BITS};
use crate::error::{Error, Status};
use crate::store::{Spill, spill};
use crate::vm::{PAGE, Span, Trim};

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

/// Read back from a store at once: large enough to be quick, small beside what is resident.
const UNSPILL_BYTES: usize = 4 << 20;

/// What a tape keeps in memory that gives up some of its own.
const KEPT: usize = 1 << 20;

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
    /// Pushes below this offset never need the slow path: the peak, rounded up by the room.
    granted: usize,
    /// No room beyond what is asked for: whoever uses the tape sees every push anyway, and the peak is exact.
    exact: bool,
    /// The peak that a trim has taken out of `granted`.
    past_peak: usize,
    /// `[0, spilled)` is in the store; a multiple of the page size, and 0 without a store.
    spilled: usize,
    spill: Option<Box<dyn Spill>>,
}

impl Machine {
    pub fn new(span: Span) -> Machine {
        Machine {
            span,
            cur: 0,
            floor: 0,
            bits: NO_BITS,
            segments: Vec::new(),
            segment_bytes: 0,
            levels: Vec::new(),
            granted: 0,
            exact: false,
            past_peak: 0,
            spilled: 0,
            spill: None,
        }
    }

    // ---- the cursor ------------------------------------------------------------------------------

    /// Takes the state over from an open cursor.
    pub fn load(&mut self, cursor: &Cursor) {
        self.cur = cursor.cur.get() - self.span.base();
        self.bits = cursor.bits.get();
        debug_assert!(self.bits != CLOSED_BITS && self.cur >= self.floor);
    }

    /// Opens a cursor on the state.
    pub fn store(&self, cursor: &Cursor) {
        let base = self.span.base();
        cursor.cur.set(base + self.cur);
        cursor.floor.set(base + self.bottom());
        cursor.limit.set(if self.writing() { base + self.granted.max(self.cur) } else { 0 });
        cursor.bits.set(self.bits);
    }

    pub fn span(&self) -> &Span {
        &self.span
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

    /// Counts `n` bytes below `cur`, which are contiguous, as popped.
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

    /// The lowest offset of the top segment that is in memory.
    fn bottom(&self) -> usize {
        self.floor.max(self.spilled.min(self.cur))
    }

    // ---- what there is ---------------------------------------------------------------------------

    /// Bytes on the tape, control bits in the accumulator not included.
    pub fn len(&self) -> usize {
        self.segment_bytes + (self.cur - self.floor)
    }

    /// Bytes of the top segment that are in memory, contiguous below `cur`.
    pub fn contiguous(&self) -> usize {
        self.cur - self.bottom()
    }

    /// The highest offset that was ever usable by pushes.
    pub fn peak(&self) -> usize {
        self.granted.max(self.past_peak)
    }

    /// Forgets the peak; what is above the present position meets the slow path again.
    pub fn forget_peak(&mut self) {
        self.granted = self.top();
        self.past_peak = 0;
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    pub fn spilled(&self) -> usize {
        self.spilled
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
        if !self.writing() {
            let segment = Segment { lo: self.floor, hi: self.cur };
            if segment.len() > 0 {
                self.segments.push(segment);
                self.segment_bytes += segment.len();
            }
            self.floor = self.protect();
            self.cur = self.floor;
        }
        let need = self.cur + n;
        if need > self.span.committed() {
            self.commit(need)?;
        }
        if need > self.granted {
            self.granted = need.saturating_add(self.room_above(need)).min(self.span.committed());
        }
        Ok(())
    }

    /// The last `n` bytes, which are contiguous.
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
        self.drop_empty_segments();
        if n > self.contiguous() && self.spilled > self.floor {
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
    pub fn discard_to(&mut self, len: usize) -> Result<(), Error> {
        debug_assert!(len <= self.len());
        let mut rest = self.len() - len;
        while rest > 0 {
            self.drop_empty_segments();
            let piece = rest.min(self.cur - self.floor);
            self.cur -= piece;
            rest -= piece;
        }
        self.keep_top_resident()
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
        let before = self.position();
        let (mut value, mut got) = (0, 0);
        loop {
            got += bits::drain(&mut self.bits, count - got, got, &mut value);
            if got == count {
                return Ok(value);
            }
            let mut word = [0; 8];
            match self.pop(&mut word).and_then(|()| bits::refill(u64::from_ne_bytes(word))) {
                Ok(bits) => self.bits = bits,
                Err(error) => {
                    self.restore(before);
                    return Err(error);
                }
            }
        }
    }

    // ---- repeat regions --------------------------------------------------------------------------

    pub fn start(&mut self) {
        let protect = self.protect().max(self.cur);
        let start = self.position();
        self.levels.push(Level { start, protect });
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        let start = self.levels.last().ok_or_else(|| unbalanced("reset"))?.start.clone();
        self.restore(start);
        self.keep_top_resident()
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

    pub fn position(&self) -> Position {
        Position { cur: self.cur, floor: self.floor, bits: self.bits, segments: self.segments.clone() }
    }

    pub fn restore(&mut self, position: Position) {
        (self.cur, self.floor, self.bits) = (position.cur, position.floor, position.bits);
        self.segments = position.segments;
        self.segment_bytes = self.segments.iter().map(|segment| segment.len()).sum();
    }

    /// Without a region nothing needs what lies between the segments: makes the tape contiguous again.
    fn close_gaps(&mut self) {
        if self.segments.is_empty() && self.floor == 0 || self.spilled > 0 {
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

    // ---- memory ----------------------------------------------------------------------------------

    /// Attaches a store for the oldest part of the tape.
    pub fn set_spill(&mut self, spill: Box<dyn Spill>) {
        debug_assert!(self.spilled == 0);
        self.spill = Some(spill);
    }

    /// Commits memory up to `need`; when there is none left but a store, spills the oldest part and tries again.
    fn commit(&mut self, need: usize) -> Result<(), Error> {
        match self.span.commit(need) {
            Err(error) if is_shortage(&error) => {
                let has_store = self.find_store().map_err(|e| error_with(&error, &e))?;
                if !has_store || !self.spill_oldest(need - self.span.committed(), self.cur)? {
                    return Err(error);
                }
                self.span.commit(need)
            }
            done => done,
        }
    }

    /// Whether there is a store, or is one now.
    fn find_store(&mut self) -> Result<bool, Error> {
        if self.spill.is_none() {
            self.spill = spill::in_directory()?;
        }
        Ok(self.spill.is_some())
    }

    /// Writes the oldest resident bytes below `end` to the store and gives back their memory: twice what is short, or
    /// half of what is resident, whichever is more. Does nothing, and says so, where less than what is short is
    /// resident.
    fn spill_oldest(&mut self, short: usize, end: usize) -> Result<bool, Error> {
        let from = self.spilled;
        let end = end / PAGE * PAGE;
        let resident = end.saturating_sub(from);
        let to = end.min((from + (2 * short).max(resident / 2)).next_multiple_of(PAGE));
        if to < from + short {
            return Ok(false);
        }
        let spill = self.spill.as_deref_mut().expect("only called with a store");
        spill.write(from as u64, self.span.slice(from, to - from))?;
        self.span.discard(from, to);
        self.spilled = to;
        Ok(true)
    }

    /// Gives memory back that others are short of, `wanted` bytes if there are as many: what is kept warm above the
    /// top, then the oldest part, if there is a store for it. Whether there was any. [`KEPT`] stays: what was popped
    /// last can be pushed again without more memory, and pops free enough to read on from the store.
    pub fn relieve(&mut self, wanted: usize) -> Result<bool, Error> {
        let before = self.span.committed();
        self.trim_above(self.top().max(self.spilled) + PAGE, Trim::Hard);
        let trimmed = before - self.span.committed();
        let end = self.cur.saturating_sub(KEPT) / PAGE * PAGE;
        let resident = end.saturating_sub(self.spilled);
        if trimmed >= wanted || resident == 0 || !self.writing() || !self.find_store()? {
            return Ok(trimmed > 0);
        }
        self.spill_oldest((wanted - trimmed).min(resident), end)
    }

    /// Reads back `n` bytes below `cur`, and more where memory allows; less, but some, where it does not.
    fn unspill(&mut self, n: usize) -> Result<(), Error> {
        let to = self.spilled.min(self.cur);
        let mut wish = n.max(UNSPILL_BYTES);
        loop {
            let lowest = self.cur.saturating_sub(wish).max(self.floor).min(to - 1);
            match self.read_back(lowest / PAGE * PAGE) {
                Err(error) if is_shortage(&error) && wish > PAGE => wish /= 2,
                done => return done,
            }
        }
    }

    /// After `cur` has moved below what is in the store: reads back the page that the next push writes into.
    fn keep_top_resident(&mut self) -> Result<(), Error> {
        if self.cur >= self.spilled {
            return Ok(());
        }
        self.read_back(self.cur / PAGE * PAGE)
    }

    /// Makes `[from, spilled)` resident again, and fills from the store what of it is on the tape, or will be again
    /// after a reset; `from` begins a page.
    fn read_back(&mut self, from: usize) -> Result<(), Error> {
        if self.span.undiscard(from, self.spilled).is_err() {
            // What is kept warm above the top is needed below it now.
            self.trim(Trim::Hard);
            self.span.undiscard(from, self.spilled)?;
        }
        let to = self.spilled.min(self.top());
        let spill = self.spill.as_deref_mut().expect("spilled only with a store");
        spill.read(from as u64, self.span.slice_mut(from, to - from))?;
        self.spilled = from;
        Ok(())
    }

    /// Gives back memory above what is needed.
    pub fn trim(&mut self, how: Trim) {
        self.trim_above(self.top().max(self.spilled), how);
    }

    fn trim_above(&mut self, keep: usize, how: Trim) {
        self.span.trim(keep, how);
        self.past_peak = self.peak();
        self.granted = self.granted.min(self.span.committed()).max(self.top());
    }
}

fn is_shortage(error: &Error) -> bool {
    matches!(error.status(), Status::MemoryLimit | Status::OutOfMemory)
}

/// Memory is short, and so is what should have helped.
#[cold]
fn error_with(shortage: &Error, cause: &Error) -> Error {
    Error::new(shortage.status(), format!("{}\n  {}", shortage.message(), cause.message()))
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
