//! What values have on levels that are entered and left, innermost last: tokens of the game, names in a sweep. A value
//! is found in one step, however deep the levels are.

use crate::ir::ValueId;
use rustc_hash::FxHashMap;

/// Levels, each with what some values have there; what an inner level says of a value hides what an outer one says.
pub struct Levels<V> {
    /// What a value has, with the level; innermost last.
    by_value: FxHashMap<ValueId, Vec<(usize, V)>>,
    /// The values of each level.
    values: Vec<Vec<ValueId>>,
}

impl<V> Default for Levels<V> {
    fn default() -> Self {
        Levels { by_value: FxHashMap::default(), values: Vec::new() }
    }
}

impl<V> Levels<V> {
    /// Enters a level on which no value has anything.
    pub fn enter(&mut self) {
        self.values.push(Vec::new());
    }

    /// Leaves the innermost level: what values have there is gone.
    pub fn leave(&mut self) {
        self.take();
    }

    /// The number of the innermost level; 0 is the outermost.
    pub fn top(&self) -> usize {
        self.values.len() - 1
    }

    /// How many levels there are.
    pub fn depth(&self) -> usize {
        self.values.len()
    }

    /// What a value has on the innermost level that has something for it.
    pub fn get(&self, value: ValueId) -> Option<&V> {
        self.by_value.get(&value)?.last().map(|(_, it)| it)
    }

    /// The values that have something on the innermost level.
    pub fn on_top(&self) -> &[ValueId] {
        self.values.last().map_or(&[], Vec::as_slice)
    }

    /// Gives a value something on a level, in place of what it has there.
    pub fn insert(&mut self, level: usize, value: ValueId, it: V) {
        let known = self.by_value.entry(value).or_default();
        let at = known.partition_point(|(other, _)| *other < level);
        match known.get_mut(at) {
            Some((other, before)) if *other == level => *before = it,
            _ => {
                known.insert(at, (level, it));
                self.values[level].push(value);
            }
        }
    }

    /// Takes away what a value has on a level.
    pub fn remove(&mut self, level: usize, value: ValueId) {
        let Some(known) = self.by_value.get_mut(&value) else { return };
        known.retain(|(other, _)| *other != level);
        if let Some(at) = self.values[level].iter().rposition(|other| *other == value) {
            self.values[level].swap_remove(at);
        }
    }

    /// Takes away all levels inside of one.
    pub fn take_inside(&mut self, level: usize) -> Vec<Vec<(ValueId, V)>> {
        let mut taken: Vec<_> = (level + 1..self.values.len()).map(|_| self.take()).collect();
        taken.reverse();
        taken
    }

    /// Puts back levels that were taken away.
    pub fn put_back(&mut self, levels: Vec<Vec<(ValueId, V)>>) {
        for level in levels {
            self.enter();
            level.into_iter().for_each(|(value, it)| self.insert(self.top(), value, it));
        }
    }

    fn take(&mut self) -> Vec<(ValueId, V)> {
        let values = self.values.pop().unwrap_or_default();
        let last = |value: ValueId| {
            let known = self.by_value.get_mut(&value)?;
            let (_, it) = known.pop()?;
            // A value that has nothing takes no room.
            if known.is_empty() {
                self.by_value.remove(&value);
            }
            Some((value, it))
        };
        values.into_iter().filter_map(last).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The same by a map for each level, over which one looks from the innermost outwards.
    #[derive(Default)]
    struct Model(Vec<BTreeMap<ValueId, u32>>);

    impl Model {
        fn get(&self, value: ValueId) -> Option<&u32> {
            self.0.iter().rev().find_map(|level| level.get(&value))
        }
    }

    #[test]
    fn random_moves_leave_what_a_map_for_each_level_has() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let (mut levels, mut model) = (Levels::default(), Model::default());
        for step in 0..20_000_u32 {
            let depth = model.0.len() as u64;
            let value = ValueId(random(12) as u32);
            match random(10) {
                0 | 1 if depth < 9 => {
                    levels.enter();
                    model.0.push(BTreeMap::new());
                }
                2 if depth > 0 => {
                    levels.leave();
                    model.0.pop();
                }
                3 if depth > 0 => {
                    let level = random(depth) as usize;
                    levels.remove(level, value);
                    model.0[level].remove(&value);
                }
                4 if depth > 0 => {
                    let level = random(depth) as usize;
                    let (taken, inside) = (levels.take_inside(level), model.0.split_off(level + 1));
                    levels.insert(level, value, step);
                    model.0[level].insert(value, step);
                    assert_eq!(levels.get(value), model.get(value));
                    levels.put_back(taken);
                    model.0.extend(inside);
                }
                _ if depth > 0 => {
                    let level = random(depth) as usize;
                    levels.insert(level, value, step);
                    model.0[level].insert(value, step);
                }
                _ => {}
            }
            for value in (0..12).map(ValueId) {
                assert_eq!(levels.get(value), model.get(value), "step {step}, {value:?}");
            }
            let mut top = levels.on_top().to_vec();
            top.sort();
            assert_eq!(top, model.0.last().map_or(Vec::new(), |level| level.keys().copied().collect()), "step {step}");
        }
    }
}
