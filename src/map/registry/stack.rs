//! The stack of a thread: what is asked has all frames in the maps, what need not be asked has not.

#![forbid(unsafe_code)]

use super::frames::Frame;
use super::lane::{Lane, Stack};
use super::object::{Extents, Object, RangeKind, Serial, lane_of};
use super::range::RangeRecord;
use super::{Registry, value};
use crate::map::ranges::Range;
use crate::sync::{LockGuard, Ordering};

/// The room reaches over at most so many hollow ranges to each side.
const STEPS: usize = 64;
/// So many ranges go into the maps at once after somebody asked for a frame that was alive.
const ASKED: u32 = 8;

impl Registry {
    /// The stack of a lane with all its ranges in the maps.
    #[inline]
    pub(super) fn stack<'a>(&self, lane: &'a Lane) -> LockGuard<'a, Stack> {
        let mut stack = lane.stack();
        stack.frames.room = (0, 0);
        if lane.has_frames.load(Ordering::Relaxed) != 0 {
            self.make_ranges(lane, &mut stack);
        }
        stack
    }

    /// All objects of a lane are in its table.
    #[inline]
    pub(super) fn settle_lane(&self, lane: &Lane) {
        if lane.has_frames.load(Ordering::Relaxed) != 0 {
            drop(self.stack(lane));
        }
    }

    #[cold]
    fn make_ranges(&self, lane: &Lane, stack: &mut Stack) {
        self.make_ended(lane, stack);
        let alive = std::mem::take(&mut stack.frames.alive);
        stack.frames.asked = if alive.is_empty() { 0 } else { ASKED };
        for frame in alive {
            self.make_range(lane, stack, frame);
        }
        lane.has_frames.store(0, Ordering::Relaxed);
    }

    /// Those that ended are remembered as the dead are. No other one has died where they lay since, so the order of
    /// their births does not matter.
    fn make_ended(&self, lane: &Lane, stack: &mut Stack) {
        for frame in stack.frames.take_ended().into_iter().filter(|frame| frame.bytes > 0) {
            let (range, object) = self.make_range(lane, stack, frame);
            let Stack { ranges, dead, moved, .. } = stack;
            let died = self.die(range, &object, ranges, dead, moved);
            debug_assert!(died, "it was there");
        }
    }

    /// Puts a frame into the maps.
    fn make_range(&self, lane: &Lane, stack: &mut Stack, frame: Frame) -> (Range, Object) {
        let Frame { base, bytes, birth, label, reused } = frame;
        let serial = Serial::new(lane.number, birth);
        let object = Object { serial, home: lane.number, reused, ..Object::new(base, bytes, RangeKind::Stack, label) };
        let (slot, _) = lane.objects.claim(object).expect("a birth that nobody else had");
        let range = Range { base, bytes, value: value(serial, slot) };
        let Stack { ranges, dead, .. } = stack;
        let touching = ranges.insert_over(range, |there, wholly| dead.give_way(there, wholly, range.value));
        let touching = self.touch(range, touching.expect("there was room"), dead);
        if touching.below || touching.hollow {
            lane.objects.update(slot, |there| {
                there.touched |= touching.below;
                there.reused |= touching.hollow;
            });
        }
        (range, object)
    }

    /// A stack range comes, as a frame; None if it has to go into the maps at once. It has not been checked whether
    /// another one is in its way.
    pub(super) fn add_frame(&self, lane: &Lane, base: u64, bytes: u64, label: u32) -> Option<Serial> {
        if !self.side_tables.is_empty() {
            return None;
        }
        let stack = &mut *lane.stack();
        let end = base + bytes;
        let place = match stack.frames.place(base, end) {
            Some(place) => place,
            None => self.make_room(lane, stack, base, end)?,
        };
        let birth = lane.births.load(Ordering::Relaxed) + 1;
        stack.frames.alive.insert(place, Frame { base, bytes, birth, label, reused: false });
        lane.has_frames.store(1, Ordering::Relaxed);
        lane.births.store(birth, Ordering::Relaxed);
        Some(Serial::new(lane.number, birth))
    }

    /// Room for a frame, where it is the first; and its place.
    #[cold]
    fn make_room(&self, lane: &Lane, stack: &mut Stack, base: u64, end: u64) -> Option<usize> {
        if !stack.frames.alive.is_empty() || self.spans.crossed() {
            return None;
        }
        if stack.frames.asked > 0 {
            stack.frames.asked -= 1;
            return None;
        }
        // Outside of the span nobody who adds a range would ask this lane.
        let (own, others) = (stack.ranges.gap(base, STEPS), self.heap.gap(base, 0));
        let span = lane.span.get();
        stack.frames.room = (own.0.max(others.0).max(span.0), own.1.min(others.1).min(span.1));
        stack.frames.place(base, end)
    }

    /// The object of this stack that an address is inside of. A frame stays one: its serial, which is all that is kept of
    /// it, means the same object when it is in the table.
    pub(super) fn extents_in_stack(&self, lane: u16, address: u64) -> Option<Extents> {
        let lane = self.lane(lane);
        let stack = lane.stack();
        if let Some(frame) = stack.frames.holding(address) {
            let (serial, base, bytes) = (Serial::new(lane.number, frame.birth).0, frame.base, frame.bytes);
            return Some(Extents { serial, base, bytes, adjoint_base: 0, adjoint_bytes: 0, changes: Extents::PASSING });
        }
        let range = stack.ranges.find(address).filter(|range| lane_of(range.value) == lane.number)?;
        let extents = lane.objects.extents_in(range.value as u32)?;
        (extents.base == range.base && address - extents.base < extents.bytes).then_some(extents)
    }

    /// The frame that begins at `base`, if that can end at once.
    #[inline]
    pub fn frame(&self, lane: u16, base: u64) -> Option<RangeRecord> {
        let lane = self.lane(lane);
        if lane.has_frames.load(Ordering::Relaxed) == 0 { None } else { self.frame_of(lane, base) }
    }

    fn frame_of(&self, lane: &Lane, base: u64) -> Option<RangeRecord> {
        if !self.waiting.is_empty() || !self.side_tables.is_empty() || self.empties.len() > 0 {
            return None;
        }
        let stack = lane.stack();
        let frame = stack.frames.alive[stack.frames.find(base)?];
        let serial = Serial::new(lane.number, frame.birth);
        Some(RangeRecord { serial, base, bytes: frame.bytes, kind: RangeKind::Stack, label: frame.label })
    }

    /// The end of what [`frame`](Registry::frame) returned. Whether it was a frame still.
    pub fn end_frame(&self, lane: u16, record: &RangeRecord) -> bool {
        let lane = self.lane(lane);
        let stack = &mut *lane.stack();
        let there = stack.frames.find(record.base);
        let Some(i) = there.filter(|i| stack.frames.alive[*i].birth == record.serial.birth()) else { return false };
        if stack.frames.end(i) {
            self.make_ended(lane, stack);
        }
        true
    }
}
