//! Memory that is free and a disk that costs (Aupy, Herrmann, Hovland & Robert 2016).
//!
//! ```text
//!   disk     D--------------D--------------D------|     the first sweep leaves snapshots on disk, one for each group;
//!   memory                                 S--S--S|     the last steps are reversed from memory at once
//!            D              L---->S--S--S|              each group from its last piece: load, advance, reverse the
//!                           L->S--S-|                   piece from memory; the first piece right after the last load
//! ```
//!
//! With memory reversal t(n), save cost w and load cost r in forward steps:
//!
//! * a group of j steps costs R(j) = r + min(t(j), min over k of k + t(j − k) + R(k)) to reverse,
//! * n steps cost D(n) = min(t(n), min over j of w + j + R(j) + D(n − j)).
//!
//! R is found exactly up to [`LONGEST_GROUP`]: t is convex, so once a cut is better than an earlier one it remains so,
//! and a queue of candidates needs O(log) comparisons a length. D is a knapsack, found exactly up to [`EXACT`]. The
//! order of groups does not matter, and in a long loop nearly all are of the length where (w + j + R(j)) / j is
//! least (Aupy & Herrmann 2017): such groups come first, and the exact part last.

#![forbid(unsafe_code)]

use super::action::{Action, Place, Prediction};
use super::binomial::Binomial;
use super::count::{beta, extra_steps};
use super::multistage::Places;
use std::collections::VecDeque;

/// Steps up to which the groups are optimal.
const EXACT: usize = 4096;

/// Most steps of a group.
const LONGEST_GROUP: usize = 1 << 17;

#[derive(Clone)]
pub(super) struct DiskRevolve {
    memory_snapshots: u64,
    /// w + j + R(j), and the cut k of R(j) or 0, for each length j from 0.
    group_cost: Vec<f64>,
    cuts: Vec<u32>,
    /// D(n) and its first group j, or 0 for memory alone, for each n from 0.
    cost: Vec<f64>,
    groups: Vec<u32>,
    /// The length of a group in a long loop.
    period: u64,
    /// The step of the first sweep; None after it.
    present: Option<u64>,
    /// The present state is stored.
    saved: bool,
    /// First steps of the groups whose snapshots are on disk.
    stored: Vec<u64>,
    /// What is to be reversed after the piece at work ends here.
    end: u64,
    piece: Option<Binomial>,
    /// The uppermost snapshot on disk has just been loaded.
    loaded: bool,
    turned: bool,
}

impl DiskRevolve {
    pub(super) fn new(steps: u64, memory_snapshots: u64, save_cost: f64, load_cost: f64) -> DiskRevolve {
        let longest = usize::try_from(steps).map_or(LONGEST_GROUP, |steps| steps.min(LONGEST_GROUP));
        let memory_cost = memory_costs(longest, memory_snapshots);
        let (mut group_cost, cuts) = reversals(&memory_cost, load_cost);
        group_cost.iter_mut().enumerate().for_each(|(j, cost)| *cost += save_cost + j as f64);
        let (cost, groups) = divisions(&memory_cost[..=longest.min(EXACT)], &group_cost);
        let rate = |j: &usize| group_cost[*j] / *j as f64;
        let period = (1..=longest).min_by(|a, b| rate(a).total_cmp(&rate(b))).unwrap_or(1) as u64;
        DiskRevolve {
            memory_snapshots,
            group_cost,
            cuts,
            cost,
            groups,
            period,
            present: Some(0),
            saved: false,
            stored: Vec::new(),
            end: steps,
            piece: None,
            loaded: false,
            turned: false,
        }
    }

    /// The length of the first group of n steps; 0: reverse them from memory alone.
    fn first_group(&self, n: u64) -> u64 {
        let exact = self.cost.len() as u64 - 1;
        if n <= exact {
            return u64::from(self.groups[n as usize]);
        }
        if n > exact + self.period {
            return self.period;
        }
        // What is left after this group is found exactly.
        let with = |rest: u64| Some(self.group_cost.get((n - rest) as usize)? + self.cost[rest as usize]);
        let best = (1..=exact).filter_map(|rest| Some((with(rest)?, n - rest))).min_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((cost, group)) if cost < extra_steps(n, self.memory_snapshots) as f64 => group,
            Some(_) => 0,
            None => self.period,
        }
    }

    /// The least cost of a step in a long loop.
    #[cfg(test)]
    pub(super) fn best_rate(&self) -> f64 {
        self.group_cost[self.period as usize] / self.period as f64
    }

    fn cut(&self, length: u64) -> u64 {
        self.cuts.get(length as usize).copied().map_or(0, u64::from)
    }

    pub(super) fn end_at(&mut self, step: u64) {
        match &mut self.piece {
            Some(piece) => piece.end_at(step),
            None => (self.end, self.present) = (step, None),
        }
    }

    pub(super) fn next(&mut self) -> Option<Action> {
        loop {
            if let Some(action) = self.piece.as_mut().and_then(Binomial::next) {
                self.turned |= matches!(action, Action::Turn { .. });
                return Some(action);
            }
            self.piece = None;
            let Some(from) = self.present else { return self.reverse_sweep() };
            let length = self.first_group(self.end - from);
            if length == 0 {
                self.present = None;
                self.work_off(from);
                continue;
            }
            self.saved = !self.saved;
            if self.saved {
                self.stored.push(from);
                return Some(Action::Save { step: from, place: Place::disk(self.stored.len() as u64 - 1) });
            }
            self.present = Some(from + length);
            return Some(Action::Advance { from, to: from + length });
        }
    }

    /// The steps from `from`, which is present, are next, from memory.
    fn work_off(&mut self, from: u64) {
        let piece = Binomial::new(from, self.end, self.memory_snapshots, Places::memory());
        self.piece = Some(if self.turned { piece.continued() } else { piece });
        self.end = from;
    }

    fn reverse_sweep(&mut self) -> Option<Action> {
        let step = *self.stored.last()?;
        let place = Place::disk(self.stored.len() as u64 - 1);
        if step < self.end && !self.loaded {
            self.loaded = true;
            return Some(Action::Load { step, place });
        }
        self.loaded = false;
        let cut = if step < self.end { self.cut(self.end - step) } else { 0 };
        if cut > 0 {
            self.work_off(step + cut);
            return Some(Action::Advance { from: step, to: step + cut });
        }
        if step < self.end {
            self.work_off(step);
        }
        self.stored.pop();
        Some(Action::Drop { step, place })
    }

    pub(super) fn predict(&self) -> Prediction {
        let mut sum = Prediction::default();
        let mut left = self.end;
        let long = (self.cost.len() as u64 - 1) + self.period;
        if left > long {
            let times = (left - long).div_ceil(self.period);
            sum.add(times, &self.predict_group(self.period));
            left -= times * self.period;
        }
        loop {
            let length = self.first_group(left);
            if length == 0 {
                sum.add(1, &self.predict_piece(left));
                return sum;
            }
            sum.add(1, &self.predict_group(length));
            left -= length;
        }
    }

    fn predict_piece(&self, length: u64) -> Prediction {
        Binomial::new(0, length, self.memory_snapshots, Places::memory()).predict()
    }

    fn predict_group(&self, length: u64) -> Prediction {
        let mut sum = Prediction { extra_steps: length, disk_saves: 1, ..Prediction::default() };
        let mut left = length;
        while left > 0 {
            let cut = self.cut(left);
            sum.add(1, &self.predict_piece(left - cut));
            sum.add(1, &Prediction { extra_steps: cut, disk_loads: 1, ..Prediction::default() });
            left = cut;
        }
        sum
    }
}

/// t(n) for each n up to `longest`: its slope is the number of repetitions.
fn memory_costs(longest: usize, snapshots: u64) -> Vec<f64> {
    let mut costs = vec![0.0; longest + 1];
    let (mut repetitions, mut reach) = (0, 1);
    for n in 2..=longest {
        if n as u64 > reach {
            repetitions += 1;
            reach = beta(snapshots, repetitions);
        }
        costs[n] = costs[n - 1] + repetitions as f64;
    }
    costs
}

/// R(j) and its cut, or 0, for each j.
fn reversals(memory_cost: &[f64], load_cost: f64) -> (Vec<f64>, Vec<u32>) {
    let longest = memory_cost.len() - 1;
    let (mut cost, mut cuts) = (vec![0.0; longest + 1], vec![0_u32; longest + 1]);
    // The candidates for cuts with the lengths from which they are best, both ascending.
    let mut candidates = VecDeque::from([(0_usize, 1_usize)]);
    for j in 1..=longest {
        while candidates.get(1).is_some_and(|next| next.1 <= j) {
            candidates.pop_front();
        }
        let cut = candidates[0].0;
        let with = |cost: &[f64], cut: usize, j: usize| memory_cost[j - cut] + cost[cut] + cut as f64;
        (cost[j], cuts[j]) = (load_cost + with(&cost, cut, j), cut as u32);
        // The cut at j as a candidate for all that is longer.
        let better = |cut: usize, length: usize| with(&cost, j, length) < with(&cost, cut, length);
        while candidates.len() > 1 && candidates.back().is_some_and(|last| last.1 > j && better(last.0, last.1)) {
            candidates.pop_back();
        }
        let last = candidates[candidates.len() - 1];
        let (mut low, mut high) = (last.1.max(j), longest + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if better(last.0, middle) { high = middle } else { low = middle }
        }
        if high <= longest {
            candidates.push_back((j, high));
        }
    }
    (cost, cuts)
}

/// D(n) and its first group, or 0, for each n.
fn divisions(memory_cost: &[f64], group_cost: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let (mut cost, mut groups) = (memory_cost.to_vec(), vec![0_u32; memory_cost.len()]);
    for n in 2..cost.len() {
        for j in 1..n {
            let with = group_cost[j] + cost[n - j];
            if with < cost[n] {
                (cost[n], groups[n]) = (with, j as u32);
            }
        }
    }
    (cost, groups)
}
