//! What each push left behind, on a second tape: which place it came from, how many values, a number for what they were.
//!
//! A record is a word: the number of the place above, the number of the values below. One of more values than a place says
//! has the top bit set, and their count in the word beneath. The records follow every move of the tape, repeat regions and
//! marks included, because they are on the same machine.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::sync::{StaticCounter, UNORDERED};
use crate::tape::hot::Hot;
use crate::tape::machine::Machine;
use crate::vm::{Span, Trim};

/// What one push left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// As the table of places numbers it.
    pub place: u32,
    /// A number of the values; 0 until the next operation, which finds them on the tape.
    pub hash: u32,
    /// Values, where the place does not say how many.
    pub count: u64,
}

/// The count is in the word beneath.
const COUNTED: u64 = 1 << 63;
const WORD: usize = size_of::<u64>();

impl Record {
    fn word(self) -> u64 {
        u64::from(self.place) << 32 | u64::from(self.hash)
    }

    fn words(self) -> usize {
        if self.count == 1 { 1 } else { 2 }
    }
}

/// Where marks were taken that are still valid, and how deep the tape was.
#[derive(Clone, Copy)]
struct Noted {
    depth: u64,
    mark: u64,
}

/// The records of a tape.
pub(super) struct Records {
    machine: Machine,
    /// The cursor on `machine`; closed while that has the state.
    hot: Hot,
    /// Words on the tape.
    depth: u64,
    /// Marks above the bottom, ascending: the tape was never less deep since.
    marks: Vec<Noted>,
    /// What the depth must not fall below unnoticed: the last mark, and in a region the least depth so far.
    threshold: u64,
    levels: Vec<Level>,
    /// Marks that the last pop has made invalid, until somebody takes them.
    lost: Vec<u64>,
}

/// A repeat region: what a reset brings back.
struct Level {
    depth: u64,
    marks: Vec<Noted>,
    /// The least depth since its start or the last reset. Below it lies what was there before.
    low: u64,
}

impl Records {
    pub fn new(span: Span) -> Records {
        Records {
            machine: Machine::new(span),
            hot: Hot::closed(),
            depth: 0,
            marks: Vec::new(),
            threshold: 0,
            levels: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: Record) -> Result<(), Error> {
        if record.count == 1 {
            if !self.hot.put_words([record.word()]) {
                self.make_room(WORD)?;
                self.hot.put_words([record.word()]);
            }
            self.depth += 1;
            return Ok(());
        }
        self.push_counted(record)
    }

    /// Adds a record that needs one word, if there is room; whether there was.
    #[inline(always)]
    pub fn quick_push(&mut self, place: u32, hash: u32) -> bool {
        let there = self.hot.put_words([u64::from(place) << 32 | u64::from(hash)]);
        self.depth += u64::from(there);
        there
    }

    /// The last record, if it has one word and lies at hand.
    #[inline(always)]
    pub fn quick_last(&self) -> Option<Record> {
        let [word] = self.hot.top_words()?;
        (word & COUNTED == 0).then_some(Record { place: (word >> 32) as u32, hash: word as u32, count: 1 })
    }

    #[inline(never)]
    fn push_counted(&mut self, record: Record) -> Result<(), Error> {
        let words = [record.count, COUNTED | record.word()];
        if !self.hot.put_words(words) {
            self.make_room(2 * WORD)?;
            self.hot.put_words(words);
        }
        self.depth += 2;
        Ok(())
    }

    /// Adds the number of the values to the record that was pushed last, which has none.
    #[inline(always)]
    pub fn complete(&mut self, hash: u32) {
        self.hot.change_top_word(|word| word | u64::from(hash));
    }

    /// The last record.
    #[inline]
    pub fn last(&mut self) -> Result<Option<Record>, Error> {
        if self.depth == 0 {
            return Ok(None);
        }
        let word = match self.hot.top_words() {
            Some([word]) => word,
            None => return self.last_elsewhere(),
        };
        if word & COUNTED != 0 {
            return self.last_elsewhere();
        }
        Ok(Some(Record { place: (word >> 32) as u32, hash: word as u32, count: 1 }))
    }

    #[inline(never)]
    fn last_elsewhere(&mut self) -> Result<Option<Record>, Error> {
        self.reach(WORD)?;
        let Some([word]) = self.hot.top_words() else { return Ok(None) };
        let place = ((word & !COUNTED) >> 32) as u32;
        if word & COUNTED == 0 {
            return Ok(Some(Record { place, hash: word as u32, count: 1 }));
        }
        // Records never straddle: every piece of the machine holds whole ones.
        self.reach(2 * WORD)?;
        Ok(self.hot.top_words().map(|[count, word]| Record { place, hash: word as u32, count }))
    }

    /// Takes the last record off; it is this one. Whether marks may have become invalid:
    /// [`take_lost`](Records::take_lost) has them.
    #[inline(always)]
    pub fn drop_last(&mut self, record: Record) -> bool {
        let words = record.words();
        self.hot.drop_words(words);
        self.depth -= words as u64;
        let fell = self.depth < self.threshold;
        if fell {
            self.lost = self.fell();
        }
        fell
    }

    /// Forgets the marks that lie above what is left, and says which.
    #[inline(never)]
    fn fell(&mut self) -> Vec<u64> {
        let left = self.marks.partition_point(|noted| noted.depth <= self.depth);
        let lost = self.marks.drain(left..).map(|noted| noted.mark).collect();
        self.threshold = self.marks.last().map_or(0, |last| last.depth);
        if let Some(level) = self.levels.last_mut() {
            level.low = level.low.min(self.depth);
            self.threshold = self.threshold.max(level.low);
        }
        lost
    }

    /// The marks that the last pop has made invalid.
    pub fn take_lost(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.lost)
    }

    /// Calls `see` for each record from the last one on, as long as it returns true. All stay.
    pub fn walk(&mut self, mut see: impl FnMut(Record) -> bool) {
        let (depth, marks, threshold) = (self.depth, self.marks.clone(), self.threshold);
        let low = self.levels.last().map(|level| level.low);
        self.close();
        self.machine.hold();
        while let Ok(Some(record)) = self.last() {
            if !see(record) {
                break;
            }
            self.drop_last(record);
        }
        self.close();
        self.machine.let_go(false);
        (self.depth, self.marks, self.threshold) = (depth, marks, threshold);
        self.lost.clear();
        if let (Some(level), Some(low)) = (self.levels.last_mut(), low) {
            level.low = low;
        }
    }

    // ---- marks -----------------------------------------------------------------------------------

    /// Stands for where the tape is now, until it was less deep.
    pub fn mark(&mut self) -> u64 {
        static NEXT: StaticCounter = StaticCounter::new(1);
        match self.marks.last() {
            _ if self.depth == 0 => 0,
            Some(last) if last.depth == self.depth => last.mark,
            _ => {
                let mark = NEXT.fetch_add(1, UNORDERED);
                let noted = Noted { depth: self.depth, mark };
                self.marks.push(noted);
                self.threshold = self.threshold.max(self.depth);
                // What lies below it was there before the region, and is again after a reset.
                for level in self.levels.iter_mut().rev().take_while(|level| noted.depth <= level.low) {
                    let at = level.marks.partition_point(|other| other.depth < noted.depth);
                    level.marks.insert(at, noted);
                }
                mark
            }
        }
    }

    /// How deep the tape is, in words.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// How deep it was at the mark, which is valid.
    pub fn depth_at(&self, mark: u64) -> Option<u64> {
        match mark {
            0 => Some(0),
            _ => self.marks.iter().rev().find(|noted| noted.mark == mark).map(|noted| noted.depth),
        }
    }

    /// Takes off all records since the mark. If the tape was less deep since, this is an error that keeps all of them.
    pub fn forget_after(&mut self, mark: u64) -> Result<(), Error> {
        let Some(depth) = self.depth_at(mark) else {
            return Err(Error::new(
                Status::MarkAboveTop,
                "what the mark points to was popped and other values were pushed in its place since\n  \
                 take the mark again after popping below it",
            ));
        };
        self.close();
        self.machine.discard_to(depth as usize * WORD);
        self.depth = depth;
        self.fell();
        Ok(())
    }

    // ---- repeat regions --------------------------------------------------------------------------

    pub fn start(&mut self) {
        self.close();
        self.machine.start();
        self.levels.push(Level { depth: self.depth, marks: self.marks.clone(), low: self.depth });
        self.fell();
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        self.close();
        self.machine.reset()?;
        if let Some(level) = self.levels.last_mut() {
            (self.depth, self.marks, level.low) = (level.depth, level.marks.clone(), level.depth);
            self.fell();
        }
        Ok(())
    }

    pub fn end(&mut self) -> Result<(), Error> {
        self.close();
        self.machine.end()?;
        if let Some(Level { low, .. }) = self.levels.pop() {
            if let Some(outer) = self.levels.last_mut() {
                outer.low = outer.low.min(low);
            }
            self.fell();
        }
        Ok(())
    }

    // ---- memory ----------------------------------------------------------------------------------

    /// Takes the state over from the cursor.
    fn close(&mut self) {
        if self.hot.bits.get() != crate::tape::hot::CLOSED_BITS {
            self.machine.load(&self.hot);
            self.hot.close();
        }
    }

    #[inline(never)]
    fn make_room(&mut self, bytes: usize) -> Result<(), Error> {
        self.close();
        self.machine.make_room(bytes)?;
        self.open(bytes);
        Ok(())
    }

    fn reach(&mut self, bytes: usize) -> Result<(), Error> {
        self.close();
        self.machine.make_contiguous(bytes)?;
        self.open(bytes);
        Ok(())
    }

    fn open(&mut self, reach: usize) {
        self.machine.lend_idle(reach);
        self.machine.store(&self.hot);
    }

    pub fn trim(&mut self, how: Trim) {
        self.close();
        self.machine.trim(how);
    }

    /// Memory that the records take, as far as is known while some is lent.
    pub fn resident_bytes(&self) -> u64 {
        self.machine.sizes().0
    }

    /// Leaves to others what is not needed soon.
    pub fn lend_idle(&mut self) {
        self.close();
        self.machine.lend_idle(0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn records() -> Records {
        Records::new(Span::new().unwrap())
    }

    fn record(place: u32) -> Record {
        Record {
            place,
            hash: place.wrapping_mul(77),
            count: if place.is_multiple_of(3) { u64::from(place) + 2 } else { 1 },
        }
    }

    #[test]
    fn records_come_back_in_the_opposite_order() {
        let mut records = records();
        for place in 0..100_000 {
            records.push(record(place)).unwrap();
        }
        for place in (0..100_000).rev() {
            let last = records.last().unwrap().unwrap();
            assert_eq!(last, record(place));
            records.drop_last(last);
        }
        assert_eq!(records.last().unwrap(), None);
    }

    #[test]
    fn mark_is_lost_to_the_pop_that_went_below_it_and_not_to_a_reset() {
        let mut records = records();
        records.push(record(1)).unwrap();
        let low = records.mark();
        for by_reset in [true, false] {
            records.push(record(2)).unwrap();
            let high = records.mark();
            if by_reset {
                records.forget_after(low).unwrap();
            } else {
                records.drop_last(record(2));
            }
            assert_eq!(records.take_lost(), if by_reset { vec![] } else { vec![high] });
        }
        assert_eq!(records.take_lost(), []);
    }

    #[test]
    fn hash_is_added_later() {
        let mut records = records();
        for count in [1, 5] {
            records.push(Record { place: 3, hash: 0, count }).unwrap();
            records.complete(0x8000_0001);
            assert_eq!(records.last().unwrap(), Some(Record { place: 3, hash: 0x8000_0001, count }));
        }
    }

    #[test]
    fn mark_holds_until_the_tape_was_less_deep() {
        let mut records = records();
        let bottom = records.mark();
        records.push(record(1)).unwrap();
        let low = records.mark();
        assert_eq!(records.mark(), low, "the same place has the same mark");
        records.push(record(3)).unwrap();
        let high = records.mark();
        records.push(record(4)).unwrap();
        records.forget_after(high).unwrap();
        assert_eq!(records.last().unwrap(), Some(record(3)));
        records.drop_last(record(3));
        records.push(record(3)).unwrap();
        assert_eq!(records.forget_after(high).unwrap_err().status(), Status::MarkAboveTop);
        assert_eq!(records.last().unwrap(), Some(record(3)), "an error keeps all");
        assert_ne!(records.mark(), high);
        records.forget_after(low).unwrap();
        assert_eq!(records.last().unwrap(), Some(record(1)));
        records.forget_after(bottom).unwrap();
        assert_eq!(records.last().unwrap(), None);
    }

    #[test]
    fn region_brings_records_and_marks_back() {
        let mut records = records();
        records.push(record(1)).unwrap();
        records.push(record(3)).unwrap();
        let mark = records.mark();
        records.start();
        for _ in 0..3 {
            for place in [3, 1] {
                assert_eq!(records.last().unwrap(), Some(record(place)));
                records.drop_last(record(place));
            }
            records.push(record(8)).unwrap();
            records.reset().unwrap();
        }
        let drop_last = |records: &mut Records| {
            let last = records.last().unwrap().unwrap();
            records.drop_last(last);
        };
        drop_last(&mut records);
        let within = records.mark();
        drop_last(&mut records);
        assert!(records.forget_after(within).is_err());
        records.reset().unwrap();
        records.forget_after(within).unwrap();
        assert_eq!(records.last().unwrap(), Some(record(1)), "what lay there before the region is there again");
        records.reset().unwrap();
        records.end().unwrap();
        records.push(record(9)).unwrap();
        records.forget_after(mark).unwrap();
        assert_eq!(records.last().unwrap(), Some(record(3)));
        let mut seen = Vec::new();
        records.walk(|record| {
            seen.push(record.place);
            true
        });
        assert_eq!(seen, [3, 1]);
        assert_eq!(records.last().unwrap(), Some(record(3)), "a walk keeps all");
    }
}
