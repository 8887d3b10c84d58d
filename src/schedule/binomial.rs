//! The binomial schedule (revolve), and the reversal of any stack of snapshots.
//!
//! ```text
//!    first          p0            p1        p2   present        end
//!      | ............S.............S.........S......x.............|  reversed from here on
//!                    |<-- front -->|<-front->|<------ n --------->|
//! ```
//!
//! Snapshots form a stack p0 < p1 < …: the last one is worked off first. The snapshot at depth d of the stack has the
//! places from d on, s − d of them, for the steps from itself to the next one; after those above are worked off, for
//! what is left in front of them. Only the stack is kept, so the memory is O(s), and each cut comes from the previous
//! one by a few multiplications.

#![forbid(unsafe_code)]

use super::action::{Action, Place, Prediction};
use super::count::{Cut, cut, extra_steps, rank};
use super::multistage::{Places, tally};

/// A stored state and, once they are known, the repetitions of the steps from there to the next one.
#[derive(Clone, Copy)]
struct Frame {
    step: u64,
    place: Place,
    /// r, or 0 before it is known.
    repetitions: u64,
    /// β(s, r − 1) for the s of this depth.
    reach: u64,
}

#[derive(Clone)]
pub(super) struct Binomial {
    snapshots: u64,
    places: Places,
    stack: Vec<Frame>,
    /// None after a turn, and after a loop has left early.
    present: Option<u64>,
    /// Steps `first..end` are still to be reversed.
    first: u64,
    end: u64,
    /// r and β(s, r − 1) for the next snapshot; r is 0 if they are not known.
    next: (u64, u64),
    /// The uppermost snapshot has been loaded for the last time.
    used_up: bool,
    turned: bool,
}

impl Binomial {
    /// Steps `first..end`, of which state `first` is present and not stored.
    pub(super) fn new(first: u64, end: u64, snapshots: u64, places: Places) -> Binomial {
        let snapshots = snapshots.min(end - first);
        let stack = Vec::new();
        let present = Some(first);
        Binomial { snapshots, places, stack, present, first, end, next: (0, 0), used_up: false, turned: false }
    }

    /// Steps from the first of `stored` to `end`, none of which is present. `places` has the places of `stored` first.
    pub(super) fn resumed(stored: &[(u64, Place)], end: u64, snapshots: u64, places: Places) -> Binomial {
        let first = stored.first().map_or(end, |(step, _)| *step);
        let stack = stored.iter().map(|&(step, place)| Frame { step, place, repetitions: 0, reach: 0 }).collect();
        let most = stored.len() as u64 + (end - first);
        Binomial {
            snapshots: snapshots.min(most),
            places,
            stack,
            present: None,
            ..Self::new(first, end, 0, Places::memory())
        }
    }

    /// What it turns next is not the first turn of all.
    pub(super) fn continued(mut self) -> Binomial {
        self.turned = true;
        self
    }

    pub(super) fn end_at(&mut self, step: u64) {
        self.end = step;
        self.present = None;
        // The last part has another length; a part in front of it may be of any.
        for frame in &mut self.stack {
            frame.repetitions = 0;
        }
    }

    pub(super) fn predict(&self) -> Prediction {
        let steps = self.end - self.first;
        let mut prediction = Prediction { extra_steps: extra_steps(steps, self.snapshots), ..Prediction::default() };
        match tally(steps, self.snapshots) {
            Some(uses) => uses.add_to(&mut prediction, &self.places),
            None => {
                prediction.memory_saves = u64::MAX;
                prediction.memory_loads = u64::MAX;
            }
        }
        prediction
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Action> {
        let above = self.stack.last().is_some_and(|top| top.step >= self.end);
        if self.used_up || above {
            self.used_up = false;
            let top = self.stack.pop()?;
            return Some(Action::Drop { step: top.step, place: top.place });
        }
        if self.end <= self.first {
            return None;
        }
        let Some(present) = self.present else { return self.load() };
        if present + 1 == self.end {
            self.end = present;
            self.present = None;
            let first = !self.turned;
            self.turned = true;
            return Some(Action::Turn { step: present, first });
        }
        if self.stack.last().is_some_and(|top| top.step == present) {
            return Some(self.advance(present));
        }
        let place = self.places.at(self.stack.len() as u64);
        let (repetitions, reach) = self.next;
        self.stack.push(Frame { step: present, place, repetitions, reach });
        Some(Action::Save { step: present, place })
    }

    fn load(&mut self) -> Option<Action> {
        let top = self.stack.last()?;
        self.present = Some(top.step);
        self.used_up = top.step + 1 == self.end;
        Some(Action::Load { step: top.step, place: top.place })
    }

    /// From the uppermost snapshot, which is present, to where the next one belongs or the turn is.
    #[inline]
    fn advance(&mut self, from: u64) -> Action {
        let depth = self.stack.len() - 1;
        let n = self.end - from;
        let s = self.snapshots - depth as u64;
        let top = &mut self.stack[depth];
        if top.repetitions == 0 {
            (top.repetitions, top.reach) = rank(n, s);
        }
        let r = top.repetitions;
        let Cut { front, front_reach, back_reach } = cut(n, s, r, top.reach);
        self.next = (r, back_reach);
        (top.repetitions, top.reach) = (r - 1, front_reach);
        self.present = Some(from + front);
        Action::Advance { from, to: from + front }
    }

    /// By the formula: the parts between the snapshots, and the one with the present state.
    #[cfg(test)]
    pub(super) fn extra_steps_left(&self) -> u128 {
        let (mut end, mut sum) = (self.end, 0);
        let mut part = |step: u64, snapshots: u64| {
            if step < end {
                sum += u128::from(extra_steps(end - step, snapshots));
                end = step;
            }
        };
        let stored = self.stack.len() as u64;
        if let Some(step) = self.present.filter(|step| self.stack.last().is_none_or(|top| top.step < *step)) {
            part(step, self.snapshots - stored);
        }
        for (depth, frame) in self.stack.iter().enumerate().rev() {
            part(frame.step, self.snapshots - depth as u64);
        }
        sum
    }
}
