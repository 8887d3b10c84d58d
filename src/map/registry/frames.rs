//! Stack ranges that nobody has asked for: variables of procedures, most of which end before anybody does.
//!
//! A *frame* is a stack range that is in no map and no table yet, where nothing else is. The *room* is the addresses
//! around the first one in which no other range is alive. A range that comes in the room is appended here, and one that
//! ends is taken off the end. Whoever asks for anything of the stack has all frames put into the maps first
//! ([`stack`](super::stack)). Of those that ended at one place only the last one counts.
//!
//! ```text
//!   room:   low |                     |= c =|  |= b =|   |==== a ====| high         alive: [a, b, c]
//!                                  ended here since: [d, e], in the order of their deaths
//! ```

#![forbid(unsafe_code)]

use crate::hash::mix;

/// So many frames are kept that ended, unless they ended where others do.
const ENDED: usize = if cfg!(loom) { 2 } else { 1024 };
/// A frame lies among the last so many, by address: stacks grow, but for the order within a procedure.
const NEAR: usize = 8;
/// Sets of places where frames ended last, by hash of the base; and places of a set.
const SETS: usize = if cfg!(loom) { 2 } else { 256 };
const OF_SET: usize = 4;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub base: u64,
    /// 0 if another one ended at the same place since.
    pub bytes: u64,
    pub birth: u64,
    pub label: u32,
    /// Another frame ended at the same place.
    pub reused: bool,
}

impl Frame {
    fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// See the module.
pub(super) struct Frames {
    /// By descending address.
    pub alive: Vec<Frame>,
    ended: Vec<Frame>,
    /// Which ended last at some places, counted from 1.
    last: [[u16; OF_SET]; SETS],
    /// Addresses from the first on and below the second.
    pub room: (u64, u64),
    /// So many ranges go into the maps at once before the next becomes a frame.
    pub asked: u32,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { alive: Vec::new(), ended: Vec::new(), last: [[0; OF_SET]; SETS], room: (0, 0), asked: 0 }
    }
}

impl Frames {
    /// Where a range goes among those that are alive, if there is room for it.
    pub fn place(&self, base: u64, end: u64) -> Option<usize> {
        if base < self.room.0 || end > self.room.1 {
            return None;
        }
        let len = self.alive.len();
        let near = self.alive[len.saturating_sub(NEAR)..].iter().rev().take_while(|there| there.base < base).count();
        if near == NEAR && len > NEAR {
            return None;
        }
        let i = len - near;
        let below = self.alive.get(i).is_none_or(|below| below.end() <= base);
        let above = i == 0 || end <= self.alive[i - 1].base;
        (below && above).then_some(i)
    }

    /// Which of those that are alive begins at `base`, if it is one of the last.
    pub fn find(&self, base: u64) -> Option<usize> {
        let near = self.alive.iter().rev().take(NEAR).position(|frame| frame.base == base)?;
        Some(self.alive.len() - 1 - near)
    }

    /// The frame that an address is inside of.
    pub fn holding(&self, address: u64) -> Option<&Frame> {
        let i = self.alive.partition_point(|frame| frame.base > address);
        self.alive.get(i).filter(|frame| address < frame.end())
    }

    /// The frame with this index ends. Whether too many ended.
    pub fn end(&mut self, i: usize) -> bool {
        let mut frame = self.alive.remove(i);
        frame.reused = self.note_ended(frame, self.ended.len());
        self.ended.push(frame);
        if self.ended.len() < ENDED {
            return false;
        }
        self.ended.retain(|frame| frame.bytes > 0);
        self.last = [[0; OF_SET]; SETS];
        for i in 0..self.ended.len() {
            self.ended[i].reused |= self.note_ended(self.ended[i], i);
        }
        self.ended.len() > ENDED / 2
    }

    /// A frame is about to be the `i`th of those that ended. Whether another one ended at its place, which counts no
    /// more.
    fn note_ended(&mut self, frame: Frame, i: usize) -> bool {
        let set = &mut self.last[(mix(frame.base) >> 32) as usize % SETS];
        let ended = &mut self.ended;
        let same = |last: &u16| usize::from(*last).checked_sub(1).is_some_and(|i| ended[i].base == frame.base);
        let place = set.iter().position(same);
        let (place, older) = match place {
            Some(place) => (place, Some(usize::from(set[place]) - 1)),
            None => (set.iter().enumerate().min_by_key(|(_, last)| **last).map_or(0, |(place, _)| place), None),
        };
        set[place] = i as u16 + 1;
        let older = older.filter(|older| ended[*older].bytes == frame.bytes);
        older.inspect(|older| ended[*older].bytes = 0).is_some()
    }

    /// How many there are, for tests.
    #[cfg(all(test, not(loom)))]
    pub fn len(&self) -> usize {
        self.alive.len() + self.ended.len()
    }

    pub fn take_ended(&mut self) -> Vec<Frame> {
        self.last = [[0; OF_SET]; SETS];
        std::mem::take(&mut self.ended)
    }
}
