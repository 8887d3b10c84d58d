//! The online schedule, for loops whose length is not known.
//!
//! Stumm & Walther (2010) place snapshots so that, had the length been known, no other choice would have cost less up
//! to β(s, 2) steps, and hardly any up to β(s, 3). So does this schedule, in its own way.
//!
//! Up to β(s, 2) steps it goes by rank (Wang, Moin & Iaccarino 2009). Every snapshot has one. While there is room, each
//! state is stored, with rank 0. Without room, a snapshot is spare if a later one has a higher rank; a spare one gives
//! its place away. If none is spare, the present state is passed by: the next state takes its place and a rank higher
//! by one, which makes those before it of lower rank spare.
//!
//! ```text
//!   s = 3    S0 S1 S2 x3         ranks ∞ 0 0 | 0: no room, none spare, so 3 is passed by
//!            S0 S1 S2 .. x4            ∞ 0 0 | 1: snapshots 1 and 2 are spare
//!            S0 S1 .. .. S4 x5         ∞ 0 1 | 0
//! ```
//!
//! Beyond, the present state takes the place of the snapshot without which the reversal of all steps so far costs
//! least, or is passed by if that costs less still. With intervals ℓ0, ℓ1, … between the snapshots and to the end, the
//! reversal costs t(ℓ0, s) + t(ℓ1, s − 1) + …. Which snapshot within is the best to do without changes only behind the
//! one that is given away, mostly one of the newest, so that little is to be found anew; a state that is passed by is
//! counted on. The present state is kept in the program's variables and
//! stored only when the loop goes on and it is not passed by.

#![forbid(unsafe_code)]

use super::action::{Action, Place};
use super::binomial::Binomial;
use super::count::{beta, extra_steps, rank};
use super::multistage::Places;

const FIRST_RANK: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct Snapshot {
    step: u64,
    rank: u64,
    slot: u64,
}

/// t(n, 2), as n grows.
#[derive(Clone)]
struct Growing {
    n: u64,
    repetitions: u64,
    cost: i128,
}

impl Growing {
    fn new(n: u64) -> Growing {
        let (r, reach) = if n <= 1 { (0, 0) } else { rank(n, 2) };
        // β(3, r − 1) = β(2, r − 1) (r + 2) / 3
        let saved = i128::from(reach) * (i128::from(r) + 2) / 3;
        Growing { n, repetitions: r, cost: i128::from(r) * i128::from(n) - saved }
    }

    fn grown(mut self) -> Growing {
        self.n += 1;
        let r = u128::from(self.repetitions);
        // β(2, r)
        if u128::from(self.n) > (r + 1) * (r + 2) / 2 {
            self.repetitions += 1;
        }
        self.cost += i128::from(self.repetitions);
        self
    }
}

/// The loss of a snapshot: the intervals before and after it become one, and those behind have a snapshot more. What
/// the latter saves is a sum over all that is behind, so it is kept as a sum from the front, to be added when the end
/// is known.
#[derive(Clone)]
struct Within {
    /// What another snapshot changes in the intervals up to this one.
    moved_up: i128,
    /// The first snapshot up to here whose loss costs least, and that cost less its `moved_up`.
    least: (usize, i128),
}

/// What it costs to do without a snapshot.
#[derive(Clone)]
struct Losses {
    /// Of those between the first and the last, the one that is missed least, and how much more the steps up to the
    /// last cost without it.
    within: Option<(usize, i128)>,
    /// t(n, 2) of the steps up to the last.
    last: i128,
    /// From the last snapshot to the present state.
    length: Growing,
    /// From the one before it.
    reaching: Growing,
}

impl Losses {
    /// After one more step.
    fn grown(self) -> Losses {
        Losses { length: self.length.grown(), reaching: self.reaching.grown(), ..self }
    }
}

#[derive(Clone)]
pub(super) struct Online {
    snapshots: u64,
    kept: Vec<Snapshot>,
    /// A slot that is free below `kept.len()`.
    free: Option<u64>,
    /// Those spare are `kept[spare.0..spare.1]`: the newest of them goes first.
    spare: (usize, usize),
    /// β(s, 2): up to this state by rank.
    ranked: u64,
    /// Of `kept[1]`, `kept[2]`, … up to where it is known, but not of the last.
    within: Vec<Within>,
    /// What it costs to do without a snapshot; None where that is not known.
    losses: Option<Losses>,
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
            ranked: beta(snapshots, 2),
            within: Vec::new(),
            losses: None,
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
        if !self.saved {
            if (self.kept.len() as u64) < self.snapshots {
                return Some(self.save());
            }
            let given_away = if self.present < self.ranked { self.spare() } else { self.least_missed() };
            if let Some(index) = given_away {
                return Some(self.give_away(index));
            }
        } else {
            (self.saved, self.rank) = (false, 0);
        }
        self.present += 1;
        Some(Action::Advance { from: self.present - 1, to: self.present })
    }

    /// The newest snapshot that is spare by its rank. None if the present state is passed by.
    fn spare(&mut self) -> Option<usize> {
        let (begin, end) = self.spare;
        if begin < end {
            self.spare.1 -= 1;
            return Some(end - 1);
        }
        self.rank += 1;
        let higher = self.kept.iter().rposition(|kept| kept.rank >= self.rank);
        self.spare = (higher.map_or(0, |last| last + 1), self.kept.len());
        None
    }

    fn give_away(&mut self, index: usize) -> Action {
        let dropped = self.kept.remove(index);
        self.free = Some(dropped.slot);
        self.losses = None;
        // What is known of the snapshot before the one in front depends on neither.
        self.within.truncate(index.saturating_sub(2));
        Action::Drop { step: dropped.step, place: Place::memory(dropped.slot) }
    }

    /// The snapshot without which, if the present state takes its place, the reversal of the steps up to the next state
    /// costs least; the first of several. None if to pass the present state by costs less.
    fn least_missed(&mut self) -> Option<usize> {
        let (last, before) = (self.kept.len() - 1, self.kept.len().checked_sub(2)?);
        let (reached, from) = (self.kept[last].step, self.kept[before].step);
        let length = self.present - reached;
        let losses = match self.losses.take() {
            Some(losses) => losses,
            None => Losses {
                within: self.cheapest_within(),
                last: cost(reached - from, 2),
                length: Growing::new(length),
                reaching: Growing::new(self.present - from),
            },
        };
        let without_last = losses.reaching.cost - losses.last;
        let within = losses.within.map(|(index, price)| (index, price + losses.length.cost));
        let (index, price) = within.filter(|(_, price)| *price <= without_last).unwrap_or((last, without_last));
        // t(length + 1, 1)
        let passed = i128::from(length) * (i128::from(length) + 1) / 2;
        if price <= passed {
            return Some(index);
        }
        self.losses = Some(losses.grown());
        None
    }

    /// The first of those between the first snapshot and the last whose loss costs least.
    fn cheapest_within(&mut self) -> Option<(usize, i128)> {
        for i in self.within.len() + 1..self.kept.len() - 1 {
            let length = |i: usize| self.kept[i + 1].step - self.kept[i].step;
            let (before, after, free) = (length(i - 1), length(i), self.snapshots - i as u64);
            let alone = cost(after, free);
            let joined = cost(before + after, free + 1) - cost(before, free + 1) - alone;
            let moved_up = cost(after, free + 1) - alone;
            let last = self.within.last();
            let moved_up = last.map_or(0, |last| last.moved_up) + moved_up;
            let here = (i, joined - moved_up);
            let least = last.map_or(here, |last| if here.1 < last.least.1 { here } else { last.least });
            self.within.push(Within { moved_up, least });
        }
        self.within.last().map(|last| (last.least.0, last.least.1 + last.moved_up))
    }

    fn save(&mut self) -> Action {
        let slot = self.free.take().unwrap_or(self.kept.len() as u64);
        self.kept.push(Snapshot { step: self.present, rank: self.rank, slot });
        self.losses = None;
        self.saved = true;
        Action::Save { step: self.present, place: Place::memory(slot) }
    }
}

/// t(n, s), for differences.
fn cost(steps: u64, snapshots: u64) -> i128 {
    i128::from(extra_steps(steps, snapshots))
}
