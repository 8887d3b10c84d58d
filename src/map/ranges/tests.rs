//! What holds for both kinds of ranges: rules by example, random programs against a naive model.

mod trees;

use super::*;
use crate::part::part;
use fastrand::Rng;

/// Both kinds behind one face.
trait Subject {
    const NAME: &'static str;
    fn new() -> Self;
    fn insert(&mut self, range: Range) -> Result<Touching, Range>;
    /// With what was displaced.
    fn insert_over(&mut self, range: Range) -> Result<(Touching, Vec<Range>), Range>;
    fn remove(&mut self, base: u64) -> Option<Range>;
    fn hollow_out(&mut self, base: u64, value: u64, hollow: u64) -> bool;
    fn remove_hollow(&mut self, base: u64) -> Option<Range>;
    fn find_hollow(&self, address: u64) -> Option<Range>;
    fn overlapping(&self, range: Range) -> Option<Range>;
    fn ends_at(&self, address: u64) -> bool;
    fn gap(&self, address: u64, steps: usize) -> (u64, u64);
    fn all_hollow(&self) -> Vec<Range>;
    fn at(&self, base: u64) -> Option<Range>;
    fn find(&self, address: u64) -> Option<Range>;
    fn below(&self, address: u64) -> Option<Range>;
    fn above(&self, address: u64) -> Option<Range>;
    fn len(&self) -> usize;
    fn all(&self) -> Vec<Range>;
    fn check(&self);
}

macro_rules! subject {
    (@hollow Ranges, $ranges:ident) => {
        $ranges.iter_hollow().collect()
    };
    (@hollow SharedRanges, $ranges:ident) => {
        $ranges.list_hollow()
    };
    ($kind:ident) => {
        impl Subject for $kind {
            const NAME: &'static str = stringify!($kind);
            fn new() -> Self {
                $kind::new()
            }
            fn insert(&mut self, range: Range) -> Result<Touching, Range> {
                $kind::insert(self, range)
            }
            fn insert_over(&mut self, range: Range) -> Result<(Touching, Vec<Range>), Range> {
                let mut gone = Vec::new();
                let touching = $kind::insert_over(self, range, |there, wholly| {
                    assert!(!wholly || (there.base, there.bytes) == (range.base, range.bytes));
                    gone.push(there);
                });
                touching.map(|touching| (touching, gone))
            }
            fn remove(&mut self, base: u64) -> Option<Range> {
                $kind::remove(self, base)
            }
            fn hollow_out(&mut self, base: u64, value: u64, hollow: u64) -> bool {
                $kind::hollow_out(self, base, |there| (there.value == value).then_some(hollow)).is_some()
            }
            fn remove_hollow(&mut self, base: u64) -> Option<Range> {
                $kind::remove_hollow(self, base, |_| true)
            }
            fn find_hollow(&self, address: u64) -> Option<Range> {
                $kind::find_hollow(self, address)
            }
            fn overlapping(&self, range: Range) -> Option<Range> {
                $kind::overlapping(self, range)
            }
            fn ends_at(&self, address: u64) -> bool {
                $kind::ends_at(self, address)
            }
            fn gap(&self, address: u64, steps: usize) -> (u64, u64) {
                $kind::gap(self, address, steps)
            }
            fn all_hollow(&self) -> Vec<Range> {
                let all: Vec<Range> = subject!(@hollow $kind, self);
                assert_eq!(all.len(), self.hollow());
                all
            }
            fn at(&self, base: u64) -> Option<Range> {
                $kind::at(self, base)
            }
            fn find(&self, address: u64) -> Option<Range> {
                $kind::find(self, address)
            }
            fn below(&self, address: u64) -> Option<Range> {
                $kind::below(self, address)
            }
            fn above(&self, address: u64) -> Option<Range> {
                $kind::above(self, address)
            }
            fn len(&self) -> usize {
                $kind::len(self)
            }
            fn all(&self) -> Vec<Range> {
                self.iter().collect()
            }
            fn check(&self) {
                $kind::check(self)
            }
        }
    };
}
subject!(Ranges);
subject!(SharedRanges);

/// The naive model: a list in order of address, searched from the front. Hollow ranges are in another one.
#[derive(Default)]
struct Model(Vec<Range>, Vec<Range>);

impl Model {
    fn insert(&mut self, range: Range) -> Result<Touching, Range> {
        let overlapping = self.0.iter().find(|there| overlap(there, &range));
        if let Some(there) = overlapping {
            return Err(*there);
        }
        let touching = Touching {
            below: self.0.iter().any(|there| there.end() == range.base),
            above: self.0.iter().find(|there| there.base == range.end()).map(|there| there.value),
            hollow: self.1.iter().any(|there| overlap(there, &range) || there.base == range.end()),
        };
        self.1.retain(|there| !overlap(there, &range));
        self.0.push(range);
        self.0.sort_by_key(|range| range.base);
        Ok(touching)
    }

    fn hollow_out(&mut self, base: u64, value: u64, hollow: u64) -> bool {
        let Some(i) = self.0.iter().position(|range| (range.base, range.value) == (base, value)) else { return false };
        self.1.push(Range { value: hollow, ..self.0.remove(i) });
        self.1.sort_by_key(|range| range.base);
        true
    }

    fn remove_hollow(&mut self, base: u64) -> Option<Range> {
        let i = self.1.iter().position(|range| range.base == base)?;
        Some(self.1.remove(i))
    }

    /// None where a range begins or goes on.
    fn find_hollow(&self, address: u64) -> Option<Range> {
        let hollow = self.1.iter().rfind(|range| range.base <= address && address <= range.end())?;
        self.below(address).is_none_or(|below| below.base < hollow.base).then_some(*hollow)
    }

    fn remove(&mut self, base: u64) -> Option<Range> {
        let i = self.0.iter().position(|range| range.base == base)?;
        Some(self.0.remove(i))
    }

    fn find(&self, address: u64) -> Option<Range> {
        let inside = |range: &&Range| range.base <= address && address <= range.end();
        self.0.iter().rfind(inside).copied()
    }

    fn below(&self, address: u64) -> Option<Range> {
        self.0.iter().rfind(|range| range.base <= address).copied()
    }

    fn above(&self, address: u64) -> Option<Range> {
        self.0.iter().find(|range| range.base > address).copied()
    }
}

fn overlap(a: &Range, b: &Range) -> bool {
    a.base < b.end() && b.base < a.end()
}

fn range(base: u64, bytes: u64) -> Range {
    Range { base, bytes, value: base ^ 7 }
}

// ---- rules by example ------------------------------------------------------------------------------------

fn address_is_in_a_range_from_base_to_end_and_a_base_wins_over_an_end<S: Subject>() {
    let mut ranges = S::new();
    let [a, b, c] = [range(100, 50), range(150, 8), range(160, 1)];
    for range in [b, c, a] {
        ranges.insert(range).unwrap();
    }
    let found = [99, 100, 149, 150, 151, 158, 159, 160, 161, 162].map(|address| ranges.find(address));
    assert_eq!(found, [None, Some(a), Some(a), Some(b), Some(b), Some(b), None, Some(c), Some(c), None], "{}", S::NAME);
    assert_eq!([ranges.at(100), ranges.at(101)], [Some(a), None]);
    assert_eq!([ranges.below(99), ranges.below(159), ranges.below(u64::MAX)], [None, Some(b), Some(c)]);
    assert_eq!([ranges.above(0), ranges.above(100), ranges.above(160)], [Some(a), Some(b), None]);
    assert_eq!(ranges.all(), [a, b, c]);
    assert_eq!(ranges.remove(150), Some(b));
    assert_eq!(ranges.find(150), Some(a), "the end of a, now that b is gone");
    assert_eq!((ranges.remove(150), ranges.len()), (None, 2));
}

fn overlap_is_refused_with_the_lowest_range_that_is_there<S: Subject>() {
    let mut ranges = S::new();
    let [a, b] = [range(100, 50), range(160, 40)];
    ranges.insert(a).unwrap();
    ranges.insert(b).unwrap();
    for (base, bytes, there) in
        [(100, 50, a), (99, 2, a), (149, 1, a), (0, u64::MAX, a), (120, 60, a), (150, 11, b), (199, 1, b)]
    {
        assert_eq!(ranges.insert(range(base, bytes)), Err(there), "{}: {base}, {bytes}", S::NAME);
    }
    assert_eq!(ranges.all(), [a, b]);
    for (base, bytes) in [(150, 10), (99, 1), (200, 1), (0, 99), (201, u64::MAX - 201)] {
        ranges.insert(range(base, bytes)).unwrap_or_else(|there| panic!("{}: {there:?}", S::NAME));
    }
}

fn ranges_at_both_ends_of_the_address_space_are_found<S: Subject>() {
    let mut ranges = S::new();
    let [low, high] = [range(0, 1), range(u64::MAX - 8, 8)];
    ranges.insert(low).unwrap();
    ranges.insert(high).unwrap();
    assert_eq!([ranges.find(0), ranges.find(1), ranges.find(2)], [Some(low), Some(low), None]);
    assert_eq!([ranges.find(u64::MAX), ranges.find(u64::MAX - 9)], [Some(high), None]);
    assert_eq!([ranges.above(u64::MAX), ranges.above(1), ranges.below(0)], [None, Some(high), Some(low)]);
    assert_eq!([ranges.remove(u64::MAX - 8), ranges.find(u64::MAX)], [Some(high), None]);
    let last = range(u64::MAX - 1, 1);
    ranges.insert(last).unwrap();
    assert_eq!(ranges.all(), [low, last]);
    let mut whole = S::new();
    whole.insert(range(0, u64::MAX)).unwrap();
    assert_eq!(whole.find(u64::MAX), whole.find(0));
    assert!(whole.insert(range(u64::MAX - 1, 1)).is_err());
}

#[test]
fn rules_hold_for_both_kinds() {
    address_is_in_a_range_from_base_to_end_and_a_base_wins_over_an_end::<Ranges>();
    address_is_in_a_range_from_base_to_end_and_a_base_wins_over_an_end::<SharedRanges>();
    overlap_is_refused_with_the_lowest_range_that_is_there::<Ranges>();
    overlap_is_refused_with_the_lowest_range_that_is_there::<SharedRanges>();
    ranges_at_both_ends_of_the_address_space_are_found::<Ranges>();
    ranges_at_both_ends_of_the_address_space_are_found::<SharedRanges>();
}

// ---- random programs ---------------------------------------------------------------------------------------

/// Where the ranges of a program lie and how many there are at most.
#[derive(Clone, Copy, Debug)]
struct Plan {
    operations: usize,
    most: usize,
    low: u64,
    high: u64,
    /// Ranges have up to this many bits of size.
    size_bits: u64,
}

const PLANS: [Plan; 5] = [
    Plan { operations: 3000, most: 12, low: 0, high: 200, size_bits: 6 },
    Plan { operations: 3000, most: 12, low: u64::MAX - 200, high: u64::MAX, size_bits: 6 },
    Plan { operations: 4000, most: 600, low: 0x7f00_0000_0000, high: 0x7f00_0001_0000, size_bits: 9 },
    Plan { operations: 4000, most: 600, low: 0, high: u64::MAX, size_bits: 64 },
    Plan { operations: 4000, most: 1000, low: u64::MAX - (1 << 34), high: u64::MAX, size_bits: 34 },
];

/// An address that a program takes notice of: anywhere, or at, just below or just above an edge.
fn address(random: &mut Rng, model: &Model, plan: Plan) -> u64 {
    let anywhere = plan.low + random.u64(..plan.high - plan.low + u64::from(plan.high != u64::MAX));
    if model.0.is_empty() || random.u64(..3) == 0 {
        return anywhere;
    }
    let near = model.0[random.usize(..model.0.len())];
    let edge = if random.bool() { near.base } else { near.end() };
    match random.u64(..3) {
        0 => edge,
        1 => edge.saturating_sub(1),
        _ => edge.saturating_add(1),
    }
}

/// A number of any magnitude up to `bits` bits.
fn of_any_size(random: &mut Rng, bits: u64) -> u64 {
    let shift = 64 - 1 - random.u64(..bits);
    random.u64(..) >> shift
}

fn run_program<S: Subject>(seed: u64, plan: Plan) {
    let mut random = Rng::with_seed(seed);
    let (mut ranges, mut model) = (S::new(), Model::default());
    let what = |i: usize| format!("{} seed {seed} {plan:?} operation {i}", S::NAME);
    for i in 0..plan.operations {
        // Swells and shrinks, so that nodes split and join.
        let growing = (i / 500) % 2 == 0 && model.0.len() < plan.most;
        let here = address(&mut random, &model, plan);
        if random.u64(..3) < if growing { 2 } else { 1 } {
            let room = (u64::MAX - here).min(plan.high.saturating_sub(here)).max(1);
            let to_next = model.above(here).map_or(room, |next| next.base - here);
            let bytes = match random.u64(..3) {
                0 => to_next.min(room),
                _ => of_any_size(&mut random, plan.size_bits).clamp(1, room),
            };
            if here.checked_add(bytes).is_some() {
                let range = Range { base: here, bytes, value: random.u64(..) };
                let there: Vec<Range> = model.1.iter().filter(|there| overlap(there, &range)).copied().collect();
                let inserted = ranges.insert_over(range);
                assert_eq!(inserted, model.insert(range).map(|new| (new, there)), "{}: insert {range:?}", what(i));
            }
        } else if random.u64(..3) == 0 {
            // What the owner gives a hollow range is of the same magnitude.
            if let Some(there) = model.below(here) {
                let hollow = there.value ^ (there.value != 0) as u64;
                assert!(!ranges.hollow_out(there.base, !there.value, hollow));
                assert!(ranges.hollow_out(there.base, there.value, hollow), "{}: hollow {there:?}", what(i));
                assert!(model.hollow_out(there.base, there.value, hollow));
            }
        } else if random.u64(..3) == 0 {
            let base = model.1.get(random.usize(..model.1.len() + 1)).map_or(here, |range| range.base);
            assert_eq!(ranges.remove_hollow(base), model.remove_hollow(base), "{}: remove hollow {base}", what(i));
        } else {
            let base = model.below(here).filter(|_| random.u64(..8) > 0).map_or(here, |range| range.base);
            assert_eq!(ranges.remove(base), model.remove(base), "{}: remove {base}", what(i));
        }
        for _ in 0..3 {
            let p = address(&mut random, &model, plan);
            assert_eq!(ranges.find(p), model.find(p), "{}: find {p}", what(i));
            assert_eq!(ranges.below(p), model.below(p), "{}: below {p}", what(i));
            assert_eq!(ranges.above(p), model.above(p), "{}: above {p}", what(i));
            assert_eq!(ranges.find_hollow(p), model.find_hollow(p), "{}: find hollow {p}", what(i));
            assert_eq!(ranges.ends_at(p), model.0.iter().any(|range| range.end() == p), "{}: ends at {p}", what(i));
            let (low, high) = ranges.gap(p, plan.most);
            let (below, above) = (model.below(p).map_or(0, |range| range.end()), model.above(p));
            assert_eq!((low, high), (below, above.map_or(u64::MAX, |range| range.base)), "{}: gap at {p}", what(i));
            let (nearer, lower) = ranges.gap(p, 1);
            assert!(low <= nearer && lower <= high, "{}: gap at {p}", what(i));
            if let bytes @ 1.. = of_any_size(&mut random, plan.size_bits).min(u64::MAX - p) {
                let there = Range { base: p, bytes, value: 0 };
                let last = model.0.iter().rfind(|range| overlap(range, &there)).copied();
                assert_eq!(ranges.overlapping(there), last, "{}: overlapping {there:?}", what(i));
            }
            assert_eq!(ranges.at(p), model.below(p).filter(|r| r.base == p), "{}: at {p}", what(i));
        }
        assert_eq!(ranges.len(), model.0.len(), "{}", what(i));
        if i % 100 == 0 {
            ranges.check();
            assert_eq!((ranges.all(), ranges.all_hollow()), (model.0.clone(), model.1.clone()), "{}", what(i));
        }
    }
    while let Some(range) = model.1.pop() {
        assert_eq!(ranges.remove_hollow(range.base), Some(range), "{}", what(plan.operations));
    }
    while let Some(range) = model.0.pop() {
        assert_eq!(ranges.remove(range.base), Some(range), "{}", what(plan.operations));
    }
    ranges.check();
    assert_eq!((ranges.len(), ranges.all()), (0, Vec::new()));
}

#[test]
fn random_programs_do_as_the_model_does() {
    for plan in PLANS {
        for seed in 1..=part(4) {
            run_program::<Ranges>(seed, plan);
            run_program::<SharedRanges>(seed, plan);
        }
    }
}

#[test]
fn a_range_that_comes_where_a_hollow_one_of_its_size_is_can_give_the_place_back() {
    let mut ranges = Ranges::new();
    let (there, new) = (range(100, 50), Range { value: 99, ..range(100, 50) });
    ranges.insert(there).unwrap();
    assert!(Subject::hollow_out(&mut ranges, 100, there.value, 7));
    let mut wholly = Vec::new();
    ranges.insert_over(new, |hollow, is| wholly.push((hollow.value, is))).unwrap();
    assert_eq!((wholly, ranges.hollow(), ranges.at(100)), (vec![(7, true)], 0, Some(new)));
    assert!(Subject::hollow_out(&mut ranges, 100, 99, 7));
    assert_eq!((ranges.find(120), ranges.find_hollow(120)), (None, Some(Range { value: 7, ..there })));
    for (new, gone) in [(range(100, 49), 1), (range(99, 53), 1)] {
        let mut wholly = Vec::new();
        ranges.insert_over(new, |_, is| wholly.push(is)).unwrap();
        assert_eq!(wholly, vec![false; gone], "{new:?}");
        assert!(Subject::hollow_out(&mut ranges, new.base, new.value, 7));
    }
    assert_eq!(ranges.remove_if(99, |_| true), None, "it is hollow");
    assert_eq!(ranges.remove_hollow(99, |range| range.value == 5), None);
    assert!(ranges.remove_hollow(99, |range| range.value == 7).is_some());
    ranges.check();
}

// ---- large trees -------------------------------------------------------------------------------------------
