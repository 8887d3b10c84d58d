//! Which snapshot of the binomial schedule lies in memory and which on disk (Stumm & Walther 2009).
//!
//! A snapshot at depth d of the stack is used by all steps above it, so how often a depth is saved and loaded follows
//! from n and s alone. The depths that are used least go to disk.

#![forbid(unsafe_code)]

use super::action::{Level, Place, Prediction};
use super::count::{Cut, cut, rank};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most different parts that are counted one by one. With 2 snapshots, 10^12 steps have fewer; with 3 and more, 10^15.
const MOST_PARTS: usize = 1 << 21;

/// The place of the snapshot at each depth of the stack.
#[derive(Clone)]
pub(super) enum Places {
    /// The first so many on disk, the others in memory; slots follow depth.
    Split { disk: u64 },
    /// Those listed, then memory. The second number is how many of the list are in memory.
    Listed(Vec<Place>, u64),
}

impl Places {
    pub(super) fn memory() -> Places {
        Places::Split { disk: 0 }
    }

    /// The first on disk, in `slot`, the others in memory.
    pub(super) fn above_disk(slot: u64) -> Places {
        Places::listed(vec![Place::disk(slot)])
    }

    pub(super) fn listed(places: Vec<Place>) -> Places {
        let memory = places.iter().filter(|place| place.level == Level::Memory).count();
        Places::Listed(places, memory as u64)
    }

    /// The `memory` depths that are used most in memory, the others of `snapshots` on disk.
    pub(super) fn multistage(steps: u64, memory: u64, snapshots: u64) -> Places {
        let snapshots = snapshots.min(steps);
        if memory >= snapshots {
            return Places::memory();
        }
        let Some(uses) = tally(steps, snapshots) else {
            // So few snapshots for so many steps that each depth is used more than the one below.
            return Places::Split { disk: snapshots - memory };
        };
        let mut depths: Vec<usize> = (0..uses.saves.len()).collect();
        depths.sort_by_key(|d| Reverse((uses.saves[*d] + uses.loads[*d], *d)));
        let mut in_memory = vec![false; depths.len()];
        depths.iter().take(usize::try_from(memory).unwrap_or(usize::MAX)).for_each(|d| in_memory[*d] = true);
        let (mut memory_slots, mut disk_slots) = (0, 0);
        let places = in_memory.iter().map(|memory| {
            let slots = if *memory { &mut memory_slots } else { &mut disk_slots };
            *slots += 1;
            if *memory { Place::memory(*slots - 1) } else { Place::disk(*slots - 1) }
        });
        Places::listed(places.collect())
    }

    #[inline]
    pub(super) fn at(&self, depth: u64) -> Place {
        match self {
            Places::Split { disk } if depth < *disk => Place::disk(depth),
            Places::Split { disk } => Place::memory(depth - disk),
            Places::Listed(places, memory) => {
                let count = places.len() as u64;
                places
                    .get(depth as usize)
                    .copied()
                    .unwrap_or_else(|| Place::memory(memory + depth.saturating_sub(count)))
            }
        }
    }
}

/// How often the snapshot at each depth is saved and loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    pub saves: Vec<u64>,
    pub loads: Vec<u64>,
}

impl Uses {
    fn reach(&mut self, depth: usize) {
        let len = self.saves.len().max(depth + 1);
        self.saves.resize(len, 0);
        self.loads.resize(len, 0);
    }

    pub(super) fn add_to(&self, prediction: &mut Prediction, places: &Places) {
        for (depth, (saves, loads)) in self.saves.iter().zip(&self.loads).enumerate() {
            let (saved, loaded) = match places.at(depth as u64).level {
                Level::Memory => (&mut prediction.memory_saves, &mut prediction.memory_loads),
                Level::Disk => (&mut prediction.disk_saves, &mut prediction.disk_loads),
            };
            *saved = saved.saturating_add(*saves);
            *loaded = loaded.saturating_add(*loads);
        }
    }
}

/// A part of the loop, in the order in which parts are counted: depth, then length from the greatest down, so that a part
/// only leads to later ones. The repetitions go with it because at some lengths two numbers are right.
type Part = (usize, Reverse<u64>, u64);

/// The parts that are not counted yet, each with how often it occurs and the reach of one repetition less.
struct Parts {
    snapshots: u64,
    uses: Uses,
    left: BTreeMap<Part, (u64, u64)>,
}

impl Parts {
    fn add(&mut self, part: Part, times: u64, reach: u64) {
        let (depth, Reverse(length), _) = part;
        if length <= 1 {
            return;
        }
        self.uses.reach(depth);
        if depth as u64 + 1 == self.snapshots {
            // Loaded for each step but the last, which is turned first.
            let loads = &mut self.uses.loads[depth];
            *loads = loads.saturating_add(times.saturating_mul(length - 1));
            return;
        }
        self.left.entry(part).or_insert((0, reach)).0 += times;
    }
}

/// Counts the binomial schedule of n steps and s snapshots part by part: equal parts at the same depth are counted
/// together, and there are few different ones. None if there are more than [`MOST_PARTS`].
pub(super) fn tally(n: u64, s: u64) -> Option<Uses> {
    let mut parts = Parts { snapshots: s, uses: Uses::default(), left: BTreeMap::new() };
    if n <= 1 {
        return Some(parts.uses);
    }
    let (r, reach) = rank(n, s);
    parts.add((0, Reverse(n), r), 1, reach);
    parts.uses.saves[0] = 1;
    for _ in 0..MOST_PARTS {
        let Some(((depth, Reverse(length), r), (times, reach))) = parts.left.pop_first() else {
            return Some(parts.uses);
        };
        let Cut { front, front_reach, back_reach } = cut(length, s - depth as u64, r, reach);
        parts.uses.loads[depth] += times;
        parts.add((depth, Reverse(front), r - 1), times, front_reach);
        parts.add((depth + 1, Reverse(length - front), r), times, back_reach);
        if length - front > 1 {
            parts.uses.saves[depth + 1] += times;
        }
    }
    None
}
