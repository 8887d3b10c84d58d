//! A snapshot on disk every so many steps, and the binomial schedule between two of them (Pringle et al. 2016).
//!
//! ```text
//!   disk    D-------D-------D-------D----|       period 8, one sweep
//!   memory                          S--S-|       then, block by block from the last, the binomial schedule, where the
//!                                                snapshot on disk is the first of the stack
//! ```

#![forbid(unsafe_code)]

use super::action::{Action, Place, Prediction};
use super::binomial::Binomial;
use super::multistage::Places;

#[derive(Clone)]
pub(super) struct TwoLevel {
    steps: Option<u64>,
    period: u64,
    /// For a block: those in memory and the one on disk.
    snapshots: u64,
    /// The step of the first sweep; None once the blocks are reversed.
    present: Option<u64>,
    saved: bool,
    /// The block that is being reversed, and its first step.
    block: Option<(u64, Binomial)>,
}

impl TwoLevel {
    pub(super) fn new(steps: Option<u64>, period: u64, memory_snapshots: u64) -> TwoLevel {
        let snapshots = memory_snapshots.saturating_add(1);
        let present = (steps != Some(0)).then_some(0);
        TwoLevel { steps, period, snapshots, present, saved: false, block: None }
    }

    fn place(&self, first: u64) -> Place {
        Place::disk(first / self.period)
    }

    pub(super) fn end_at(&mut self, step: u64) {
        self.steps = Some(step);
        if let Some((_, block)) = &mut self.block {
            return block.end_at(step);
        }
        let Some(present) = self.present.take() else { return };
        // The snapshot of the block that was running, even if no step of it is left.
        if self.saved || present > 0 {
            let first = if self.saved { present } else { present - self.period };
            self.block = Some((first, self.stored(first, step)));
        }
    }

    /// The steps from the snapshot at `first` to `end`.
    fn stored(&self, first: u64, end: u64) -> Binomial {
        let place = self.place(first);
        Binomial::resumed(&[(first, place)], end, self.snapshots, Places::above_disk(place.slot))
    }

    pub(super) fn next(&mut self) -> Option<Action> {
        loop {
            if let Some((first, block)) = &mut self.block {
                if let Some(action) = block.next() {
                    return Some(action);
                }
                let end = *first;
                if end == 0 {
                    self.block = None;
                    return None;
                }
                let turned = self.steps != Some(end);
                let before = end - self.period;
                let block = self.stored(before, end);
                self.block = Some((before, if turned { block.continued() } else { block }));
                continue;
            }
            let from = self.present?;
            if let Some(steps) = self.steps.filter(|steps| steps - from <= self.period) {
                let places = Places::above_disk(from / self.period);
                self.block = Some((from, Binomial::new(from, steps, self.snapshots, places)));
                self.present = None;
            } else if !self.saved {
                self.saved = true;
                return Some(Action::Save { step: from, place: self.place(from) });
            } else {
                self.saved = false;
                self.present = Some(from + self.period);
                return Some(Action::Advance { from, to: from + self.period });
            }
        }
    }

    pub(super) fn predict(&self) -> Prediction {
        let mut sum = Prediction::default();
        let Some(steps) = self.steps.filter(|steps| *steps > 0) else { return sum };
        let whole = (steps - 1) / self.period;
        let block = |steps: u64| Binomial::new(0, steps, self.snapshots, Places::above_disk(0)).predict();
        sum.add(1, &block(steps - whole * self.period));
        // A block of the first sweep is saved and run once, and then loaded once more than one that goes on at once.
        let mut earlier = block(self.period);
        earlier.extra_steps = earlier.extra_steps.saturating_add(self.period);
        earlier.disk_loads = earlier.disk_loads.saturating_add(1);
        earlier.disk_saves = 1;
        sum.add(whole, &earlier);
        sum
    }
}
