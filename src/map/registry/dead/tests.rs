//! The dead of a map, beside lists of them.

#![forbid(unsafe_code)]

use super::*;
use crate::part::part;
use fastrand::Rng;

fn range(base: u64, value: u64) -> Range {
    Range { base, bytes: 8, value }
}

/// A map with its dead.
#[derive(Default)]
struct Both {
    map: Ranges,
    dead: Dead,
}

impl Both {
    /// Whether it comes where others are dead.
    fn birth(&mut self, range: Range) -> bool {
        let Both { map, dead } = self;
        let touching = map.insert_over(range, |there, wholly| dead.give_way(there, wholly, range.value));
        touching.expect("free").hollow || dead.meets(range)
    }

    /// Values that are forgotten when the range dies.
    fn death(&mut self, range: Range) -> Vec<u64> {
        let mut gone = Vec::new();
        self.dead
            .insert(
                &mut self.map,
                range.base,
                |there| there == range,
                |value| {
                    gone.push(value);
                    Some(Serial::new(0, 1 + value))
                },
            )
            .expect("alive");
        gone
    }

    fn find(&self, address: u64) -> Option<u64> {
        self.dead.find(&self.map, address).map(|range| range.value)
    }

    fn len(&self) -> usize {
        self.map.hollow() + self.dead.outside()
    }
}

#[test]
fn dead_ranges_are_remembered_for_as_many_deaths_as_were_alive_at_once() {
    for alive in [0, 3 * REMEMBERED as u64] {
        let (mut both, most) = (Both::default(), REMEMBERED.max(alive as usize) as u64);
        (0..alive).for_each(|i| _ = both.birth(range((1 << 40) + 8 * i, 1 << 20)));
        let (mut forgotten, mut gone) = (0, std::collections::HashSet::new());
        for i in 0..5 * most {
            both.birth(range(16 * i, i));
            for value in both.death(range(16 * i, i)) {
                assert!(gone.insert(value) && value + most <= i, "{value} is forgotten when {i} dies");
                forgotten += 1;
            }
            assert_eq!(both.find(16 * i + 4), Some(i));
            assert_eq!(both.find((16 * i).saturating_sub(16 * (most - 1)) + 4), Some((i + 1).saturating_sub(most)));
            assert_eq!(both.len() as u64, i + 1 - forgotten);
            assert!(both.len() as u64 <= 3 * (most + 2));
        }
        assert!(forgotten > 2 * most && both.birth(range(4, 1)), "what is forgotten may have been there");
    }
}

#[test]
fn dead_ranges_are_forgotten_where_another_one_died_since() {
    let mut both = Both::default();
    for i in 0..4 {
        both.birth(range(100 + 8 * i, i));
    }
    for i in 0..4 {
        assert_eq!(both.death(range(100 + 8 * i, i)), []);
    }
    both.birth(range(92, 7));
    assert_eq!(both.death(range(92, 7)), []);
    let wide = Range { base: 107, bytes: 10, value: 9 };
    assert!(both.birth(wide));
    assert_eq!((both.find(103), both.find(120), both.len()), (Some(0), Some(2), 5), "until it dies");
    let mut gone = both.death(wide);
    gone.sort_unstable();
    assert_eq!((gone, both.len(), both.find(103)), (vec![0, 1, 2], 3, None));
    let Both { map, dead } = &mut both;
    dead.remove(map, 107, 8);
    assert!(dead.holds(map, 107, 9));
    dead.remove(map, 107, 9);
    assert_eq!(both.len(), 2);
}

#[test]
fn range_meets_the_dead_that_it_overlaps_or_that_begin_at_its_end() {
    for (base, bytes, meets) in [(92, 8, true), (92, 7, false), (107, 1, true), (108, 8, false), (1, 500, true)] {
        let mut both = Both::default();
        both.birth(range(100, 1));
        both.death(range(100, 1));
        assert_eq!(both.birth(Range { base, bytes, value: 2 }), meets, "{base}, {bytes}");
    }
}

#[test]
fn nested_ranges_that_come_and_go_leave_no_more_behind_than_there_are_places() {
    let mut both = Both::default();
    for i in 0..10_000 {
        for depth in 0..16 {
            assert_eq!(both.birth(range(1000 - 8 * depth, 100 * i + depth)), i > 0);
        }
        let gone: Vec<u64> = (0..16).rev().flat_map(|d| both.death(range(1000 - 8 * d, 100 * i + d))).collect();
        assert_eq!((gone.len(), both.len()), (if i > 0 { 16 } else { 0 }, 16));
    }
    assert_eq!(both.dead.lost, None);
}

#[test]
fn places_are_lost_until_the_oldest_birth_is_undone_of_those_that_are_forgotten() {
    let mut dead = Dead::default();
    let [one, other] = [0, 1].map(|lane| move |birth| Serial::new(lane, birth));
    dead.lose(range(8, 0));
    assert_eq!(dead.lost, None, "nobody is forgotten");
    dead.is_forgotten(Some(one(7)));
    dead.is_forgotten(None);
    dead.is_forgotten(Some(one(5)));
    dead.lose(range(8, 0));
    dead.lose(range(800, 0));
    for (undone, lost) in [(one(6), Some((8, 808))), (other(1), Some((8, 808))), (one(4), None)] {
        dead.birth_is_undone(undone);
        assert_eq!(dead.lost, lost, "{undone:?}");
    }
    dead.is_forgotten(Some(one(9)));
    dead.is_forgotten(Some(other(9)));
    dead.lose(range(8, 0));
    dead.birth_is_undone(one(1));
    assert_eq!(dead.lost, Some((8, 16)), "that of the other lane may come back");
}

/// Lists of what is alive and of what is dead, searched from the front.
#[derive(Default)]
struct Model {
    alive: Vec<Range>,
    dead: Vec<Range>,
}

#[test]
fn random_programs_remember_the_dead_as_the_model_does() {
    for seed in 1..=part(300) {
        let mut random = Rng::with_seed(seed);
        let (mut both, mut model) = (Both::default(), Model::default());
        let size = if seed % 2 == 0 { 1 } else { 1 + random.u64(..20) };
        for value in 1..400 {
            let base = 100 + size * random.u64(..30);
            let new = Range { base, bytes: if size == 1 { 1 + random.u64(..6) } else { size }, value };
            let overlap = |there: &Range| there.base < new.end() && base < there.end();
            let one = (!model.alive.is_empty()).then(|| random.usize(..model.alive.len()));
            match (random.u64(..8), one) {
                (0..=3, _) if !model.alive.iter().any(overlap) => {
                    let reused = model.dead.iter().any(|there| overlap(there) || there.base == new.end());
                    assert_eq!(both.birth(new), reused, "seed {seed}: {new:?}");
                    model.alive.push(new);
                }
                (4 | 5, Some(i)) => {
                    let died = model.alive.swap_remove(i);
                    let is_gone = |there: &Range| there.base < died.end() && died.base < there.end();
                    let (mut gone, mut expected) = (both.death(died), Vec::new());
                    model.dead.retain(|there| {
                        expected.extend(is_gone(there).then_some(there.value));
                        !is_gone(there)
                    });
                    gone.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(gone, expected, "seed {seed}: {died:?}");
                    // What stood out beyond the range that died counts as dead for ever.
                    both.dead.lost = None;
                    model.dead.push(died);
                }
                (6, Some(i)) => {
                    let gone = model.alive.swap_remove(i);
                    let Both { map, dead } = &mut both;
                    assert!(dead.leave(map, gone.base, gone.value) && !dead.leave(map, gone.base, gone.value));
                }
                (7, _) if !model.dead.is_empty() => {
                    let back = model.dead.swap_remove(random.usize(..model.dead.len()));
                    let Both { map, dead } = &mut both;
                    assert!(dead.holds(map, back.base, back.value), "seed {seed}: {back:?}");
                    dead.remove(map, back.base, back.value);
                    assert!(!dead.holds(map, back.base, back.value));
                }
                _ => {}
            }
            for address in 98..100 + 31 * size {
                let within = |there: &&Range| there.base <= address && address <= there.end();
                if model.alive.iter().any(|there| within(&there)) {
                    continue;
                }
                let found = model.dead.iter().filter(within).max_by_key(|there| there.base);
                assert_eq!(both.find(address), found.map(|there| there.value), "seed {seed}: {address}");
            }
            assert_eq!(both.len(), model.dead.len(), "seed {seed}");
        }
        let (mut gone, Both { map, dead }) = (0, &mut both);
        dead.clear(map, |_| gone += 1);
        assert_eq!((gone, both.len(), both.map.len()), (model.dead.len(), 0, model.alive.len()));
    }
}
