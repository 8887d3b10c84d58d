//! The online schedule, for loops whose length is not known (Wang, Moin & Iaccarino 2009).
//!
//! Every snapshot has a rank. While there is room, each state is stored, with rank 0. Without room, a snapshot is
//! spare if a later one has a higher rank; a spare one gives its place away. If none is spare, the present state is
//! passed by: the next state takes its place and a rank higher by one, which makes those before it of lower rank spare.
//! So the distances grow as the binomial numbers do. The present state is kept in the program's variables and stored
//! only when the loop goes on and it is not passed by.
//!
//! ```text
//!   s = 3    S0 S1 S2 x3         ranks ∞ 0 0 | 0: no room, none spare, so 3 is passed by
//!            S0 S1 S2 .. x4            ∞ 0 0 | 1: snapshots 1 and 2 are spare
//!            S0 S1 .. .. S4 x5         ∞ 0 1 | 0
//! ```

#![forbid(unsafe_code)]

use super::binomial::Binomial;
use super::multistage::Places;
use super::{Action, Place};

const FIRST_RANK: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct Snapshot {
    step: u64,
    rank: u64,
    slot: u64,
}

#[derive(Clone)]
pub(super) struct Online {
    snapshots: u64,
    kept: Vec<Snapshot>,
    /// A slot that is free below `kept.len()`.
    free: Option<u64>,
    /// Those spare are `kept[spare.0..spare.1]`: the newest of them goes first.
    spare: (usize, usize),
    present: u64,
    rank: u64,
    /// The present state is the last of `kept`.
    saved: bool,
    reversal: Option<Binomial>,
}

impl Online {
    pub(super) fn new(snapshots: u64) -> Online {
        let kept = Vec::new();
        Online {
            snapshots,
            kept,
            free: None,
            spare: (0, 0),
            present: 0,
            rank: FIRST_RANK,
            saved: false,
            reversal: None,
        }
    }

    pub(super) fn end_at(&mut self, step: u64) {
        let stored: Vec<(u64, Place)> = self.kept.iter().map(|kept| (kept.step, Place::memory(kept.slot))).collect();
        let mut places: Vec<Place> = stored.iter().map(|(_, place)| *place).collect();
        places.extend(self.free.map(Place::memory));
        self.reversal = Some(Binomial::resumed(&stored, step, self.snapshots, Places::listed(places)));
    }

    pub(super) fn next(&mut self) -> Option<Action> {
        if let Some(reversal) = &mut self.reversal {
            return reversal.next();
        }
        let has_room = (self.kept.len() as u64) < self.snapshots;
        let (begin, end) = self.spare;
        if !self.saved && has_room {
            return Some(self.save());
        }
        if !self.saved && begin < end {
            self.spare.1 -= 1;
            let dropped = self.kept.remove(end - 1);
            self.free = Some(dropped.slot);
            return Some(Action::Drop { step: dropped.step, place: Place::memory(dropped.slot) });
        }
        if self.saved {
            (self.saved, self.rank) = (false, 0);
        } else {
            self.rank += 1;
            let higher = self.kept.iter().rposition(|kept| kept.rank >= self.rank);
            self.spare = (higher.map_or(0, |last| last + 1), self.kept.len());
        }
        self.present += 1;
        Some(Action::Advance { from: self.present - 1, to: self.present })
    }

    fn save(&mut self) -> Action {
        let slot = self.free.take().unwrap_or(self.kept.len() as u64);
        self.kept.push(Snapshot { step: self.present, rank: self.rank, slot });
        self.saved = true;
        Action::Save { step: self.present, place: Place::memory(slot) }
    }
}
