//! Which lanes there are, whose each is, and which have a stack near an address.

#![forbid(unsafe_code)]

use super::lane::{GROUP, Lane, Stack};
use super::object::{LANES, RangeKind};
use super::{Registry, describe};
use crate::error::Error;
use crate::sync::OnceLock;

impl Registry {
    /// A lane for a thread.
    pub fn claim(&self) -> Result<u16, Error> {
        let mut idle = self.idle.lock();
        if let Some(lane) = idle.returned.pop() {
            return Ok(lane);
        }
        let lane = idle.fresh;
        if usize::from(lane) == LANES {
            return Err(describe::too_many_threads(LANES));
        }
        idle.fresh += 1;
        self.make_lane(lane);
        Ok(lane)
    }

    /// Takes a lane back from a thread that ends. What is left of its stack's ranges ends with it.
    pub fn give_back(&self, lane: u16) {
        let own = self.lane(lane);
        let mut left: Vec<u64> = self.stack(own).ranges.iter().map(|range| range.value).collect();
        left.extend(self.empties.values());
        for value in left {
            let object = self.object(value).filter(|object| object.kind == RangeKind::Stack && object.home == lane);
            if let Some(object) = object.filter(|object| self.leave(value, object)) {
                self.side_tables.ended(&object);
                self.erase(value, |_| true);
                self.waiting.released(object.serial, None);
            }
        }
        let mut stack = self.stack(own);
        let Stack { ranges, dead, .. } = &mut *stack;
        dead.clear(ranges, |value| _ = self.forget(value));
        self.spans.clear(&own.span, lane);
        drop(stack);
        self.idle.lock().returned.push(lane);
    }

    pub(super) fn make_lane(&self, lane: u16) {
        if lane > 0 {
            let (group, place) = (usize::from(lane) / GROUP, usize::from(lane) % GROUP);
            let group = self.other_lanes[group].get_or_init(|| (0..GROUP).map(|_| OnceLock::new()).collect());
            group[place].get_or_init(|| Box::new(Lane::new(lane)));
        }
    }

    #[inline(always)]
    pub(super) fn lane_if_claimed(&self, lane: u16) -> Option<&Lane> {
        if lane == 0 { Some(&self.first_lane) } else { self.other_lane(lane) }
    }

    fn other_lane(&self, lane: u16) -> Option<&Lane> {
        let (group, place) = (usize::from(lane) / GROUP, usize::from(lane) % GROUP);
        self.other_lanes.get(group)?.get()?.get(place)?.get().map(|lane| &**lane)
    }

    #[inline(always)]
    pub(super) fn lane(&self, lane: u16) -> &Lane {
        self.lane_if_claimed(lane).expect("a lane that was claimed")
    }

    /// Those that were claimed, and the first.
    pub(super) fn claimed(&self) -> impl Iterator<Item = &Lane> {
        (0..LANES as u16).map_while(|lane| self.lane_if_claimed(lane))
    }

    /// The lanes but `but` whose stack may have something between two addresses, both included; some more than once.
    pub(super) fn other_stacks<'a>(
        &'a self,
        but: Option<&'a Lane>,
        low: u64,
        high: u64,
    ) -> impl Iterator<Item = &'a Lane> {
        let crossed = self.spans.crossed();
        let all = crossed.then(|| self.claimed()).into_iter().flatten();
        // Spans that do not cross leave nobody else what is in this one.
        let elsewhere = !crossed && !but.is_some_and(|but| but.span.holds(low, high));
        let near = elsewhere.then(|| self.spans.between(low, high)).into_iter().flatten();
        let lanes = all.chain(near.map(|lane| self.lane(lane)));
        lanes.filter(move |lane| lane.span.meets(low, high) && !but.is_some_and(|but| std::ptr::eq(*lane, but)))
    }
}
