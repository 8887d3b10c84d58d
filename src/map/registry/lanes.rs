//! Which lanes there are, whose each is, and which have a stack near an address.

#![forbid(unsafe_code)]

use super::lane::{Lane, Stack};
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
        self.lanes[usize::from(lane)].get_or_init(|| Box::new(Lane::new(lane)));
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
        dead.clear(ranges, |value| self.forget(value));
        self.spans.clear(&own.span, lane);
        drop(stack);
        self.idle.lock().returned.push(lane);
    }

    pub(super) fn lane(&self, lane: u16) -> &Lane {
        self.lanes[usize::from(lane)].get().expect("a lane that was claimed")
    }

    pub(super) fn claimed(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().map_while(OnceLock::get).map(|lane| &**lane)
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
