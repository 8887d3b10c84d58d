//! Which snapshot of the binomial schedule lies in memory and which on disk (Stumm & Walther 2009).
//!
//! A snapshot at depth d of the stack is used by all steps above it, so how often a depth is saved and loaded follows
//! from n and s alone. The depths that are used least go to disk.

#![forbid(unsafe_code)]

use super::count::{cut, rank};
use super::{Level, Place, Prediction};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most different parts that are counted one by one. With 3 snapshots and more, 10^15 steps have fewer.
const MOST_PARTS: usize = 1 << 20;

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
            *saved += saves;
            *loaded += loads;
        }
    }
}

/// Counts the binomial schedule of n steps and s snapshots part by part: equal parts at the same depth are counted
/// together, and there are few different ones. None if there are more than [`MOST_PARTS`].
pub(super) fn tally(n: u64, s: u64) -> Option<Uses> {
    let mut uses = Uses::default();
    if n <= 1 {
        return Some(uses);
    }
    uses.reach(0);
    uses.saves[0] = 1;
    // Depth, then length from the greatest down: a part only leads to smaller or deeper ones.
    let mut parts = BTreeMap::from([((0, Reverse(n)), 1)]);
    for _ in 0..MOST_PARTS {
        let Some(((depth, Reverse(length)), times)) = parts.pop_first() else { return Some(uses) };
        let snapshots = s - depth as u64;
        let (r, reach) = rank(length, snapshots);
        let front = cut(length, snapshots, r, reach).front;
        uses.loads[depth] += times;
        if front > 1 {
            *parts.entry((depth, Reverse(front))).or_default() += times;
        }
        if length - front > 1 {
            uses.reach(depth + 1);
            uses.saves[depth + 1] += times;
            *parts.entry((depth + 1, Reverse(length - front))).or_default() += times;
        }
    }
    None
}
