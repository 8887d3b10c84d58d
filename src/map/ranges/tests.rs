//! What holds for both kinds of ranges: rules by example, random programs against a naive model.

use super::*;
use fastrand::Rng;

/// Both kinds behind one face.
trait Subject {
    const NAME: &'static str;
    fn new() -> Self;
    fn insert(&mut self, range: Range) -> Result<Touching, Range>;
    fn remove(&mut self, base: u64) -> Option<Range>;
    fn at(&self, base: u64) -> Option<Range>;
    fn find(&self, address: u64) -> Option<Range>;
    fn below(&self, address: u64) -> Option<Range>;
    fn above(&self, address: u64) -> Option<Range>;
    fn len(&self) -> usize;
    fn all(&self) -> Vec<Range>;
    fn check(&self);
}

macro_rules! subject {
    ($kind:ident) => {
        impl Subject for $kind {
            const NAME: &'static str = stringify!($kind);
            fn new() -> Self {
                $kind::new()
            }
            fn insert(&mut self, range: Range) -> Result<Touching, Range> {
                $kind::insert(self, range)
            }
            fn remove(&mut self, base: u64) -> Option<Range> {
                $kind::remove(self, base)
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

/// The naive model: a list in order of address, searched from the front.
#[derive(Default)]
struct Model(Vec<Range>);

impl Model {
    fn insert(&mut self, range: Range) -> Result<Touching, Range> {
        let overlapping = self.0.iter().find(|there| there.base < range.end() && range.base < there.end());
        if let Some(there) = overlapping {
            return Err(*there);
        }
        let touching = Touching {
            below: self.0.iter().any(|there| there.end() == range.base),
            above: self.0.iter().find(|there| there.base == range.end()).map(|there| there.value),
        };
        self.0.push(range);
        self.0.sort_by_key(|range| range.base);
        Ok(touching)
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
                assert_eq!(ranges.insert(range), model.insert(range), "{}: insert {range:?}", what(i));
            }
        } else {
            let base = model.below(here).filter(|_| random.u64(..8) > 0).map_or(here, |range| range.base);
            assert_eq!(ranges.remove(base), model.remove(base), "{}: remove {base}", what(i));
        }
        for _ in 0..3 {
            let p = address(&mut random, &model, plan);
            assert_eq!(ranges.find(p), model.find(p), "{}: find {p}", what(i));
            assert_eq!(ranges.below(p), model.below(p), "{}: below {p}", what(i));
            assert_eq!(ranges.above(p), model.above(p), "{}: above {p}", what(i));
            assert_eq!(ranges.at(p), model.below(p).filter(|r| r.base == p), "{}: at {p}", what(i));
        }
        assert_eq!(ranges.len(), model.0.len(), "{}", what(i));
        if i % 100 == 0 {
            ranges.check();
            assert_eq!(ranges.all(), model.0, "{}", what(i));
        }
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
        for seed in 1..=4 {
            run_program::<Ranges>(seed, plan);
            run_program::<SharedRanges>(seed, plan);
        }
    }
}

#[test]
fn a_range_gets_another_value_where_one_of_its_size_is() {
    let mut ranges = Ranges::new();
    let large = Range { base: 200, bytes: 1 << 20, value: u64::MAX };
    for there in [range(100, 50), large] {
        ranges.insert(there).unwrap();
    }
    let new = Range { value: 99, ..range(100, 50) };
    assert_eq!(ranges.replace(Range { bytes: 49, ..new }), None);
    assert_eq!(ranges.replace(new), Some(range(100, 50).value));
    assert_eq!(ranges.at(100), Some(new));
    for refused in [Range { value: 5, ..large }, Range { base: 101, ..new }, Range { value: u64::MAX, ..new }] {
        assert_eq!(ranges.replace(refused), None, "one that has or needs a node of its own, or is not there");
    }
    assert_eq!(ranges.iter().collect::<Vec<_>>(), [new, large]);
    assert_eq!(ranges.remove_if(100, |range| range.value == 5), None);
    assert_eq!(ranges.remove_if(100, |range| range.value == 99), Some(new));
    ranges.check();
}

// ---- large trees -------------------------------------------------------------------------------------------

/// In which order ranges come or go.
#[derive(Clone, Copy, Debug)]
enum Order {
    Up,
    Down,
    Random,
    /// From both ends inwards.
    Inwards,
}

fn in_order(order: Order, ranges: &[Range]) -> Vec<Range> {
    let mut ordered = ranges.to_vec();
    match order {
        Order::Up => {}
        Order::Down => ordered.reverse(),
        Order::Random => Rng::with_seed(3).shuffle(&mut ordered),
        Order::Inwards => {
            let count = ranges.len();
            ordered = (0..count).map(|i| ranges[if i % 2 == 0 { i / 2 } else { count - 1 - i / 2 }]).collect();
        }
    }
    ordered
}

/// Enough for inner nodes of three levels.
const MANY: u64 = 70_000;

fn fills_and_empties<S: Subject>(filling: Order, emptying: Order) {
    let touching: Vec<Range> = (0..MANY).map(|i| Range { base: 1000 + 64 * i, bytes: 64, value: i }).collect();
    let mut ranges = S::new();
    for range in in_order(filling, &touching) {
        ranges.insert(range).unwrap();
    }
    ranges.check();
    assert_eq!(ranges.all(), touching, "{} {filling:?}", S::NAME);
    for range in &touching {
        let inside = [range.base, range.base + 1, range.end() - 1].map(|address| ranges.find(address));
        assert_eq!(inside, [Some(*range); 3]);
        assert_eq!(ranges.above(range.base), ranges.at(range.end()));
    }
    for (i, range) in in_order(emptying, &touching).into_iter().enumerate() {
        assert_eq!(ranges.remove(range.base), Some(range), "{} {filling:?} {emptying:?}", S::NAME);
        assert_eq!(ranges.find(range.base + 1), None);
        if i % 9973 == 0 {
            ranges.check();
        }
    }
    ranges.check();
    assert_eq!(ranges.len(), 0);
}

#[test]
fn large_trees_fill_and_empty_in_any_order() {
    for order in [Order::Up, Order::Down, Order::Random, Order::Inwards] {
        fills_and_empties::<Ranges>(order, order);
        fills_and_empties::<SharedRanges>(order, Order::Random);
        fills_and_empties::<Ranges>(Order::Random, order);
    }
}

/// Ranges of nested calls lie below each other: inserted in descending order, they once took a node each. In random
/// order leaves would be filled to two thirds, and take 20 bytes a range, if none gave ranges to a neighbour.
#[test]
fn memory_is_bounded_in_every_order_of_insertion() {
    for (order, most) in [(Order::Up, 15.5), (Order::Down, 15.5), (Order::Random, 18.5), (Order::Inwards, 17.5)] {
        for base in [0, 0x7fff_0000_0000, u64::MAX - 64 * MANY] {
            let all: Vec<Range> = (0..MANY).map(|i| Range { base: base + 64 * i, bytes: 32, value: i }).collect();
            let mut ranges = Ranges::new();
            for range in in_order(order, &all) {
                ranges.insert(range).unwrap();
            }
            let each = ranges.bytes() as f64 / MANY as f64;
            assert!(each <= most, "{order:?} from {base:#x}: {each} bytes each");
        }
    }
}

/// A leaf spans at most the deltas below padding: a base right behind them, or two leaves that would span them, are
/// apart.
#[test]
fn ranges_at_the_edge_of_what_a_leaf_spans_are_found() {
    const EDGE: u64 = node::MAX_DELTA;
    for (first, by) in (0..3).flat_map(|first| (0..4).map(move |by| (first << 40, by))) {
        let mut ranges = Ranges::new();
        let all = [0, 100, EDGE - 1 + by, EDGE + 3].map(|delta| range(first + delta, 1));
        all.iter().for_each(|range| _ = ranges.insert(*range).unwrap());
        ranges.check();
        // What is left is few enough for one leaf.
        ranges.remove(first + 100).unwrap();
        ranges.remove(first + EDGE + 3).unwrap();
        ranges.check();
        for range in [all[0], all[2]] {
            assert_eq!([ranges.find(range.base), ranges.at(range.base)], [Some(range); 2], "{first:#x} {by}");
        }
    }
}

#[test]
fn leaves_with_few_ranges_left_are_joined() {
    let all: Vec<Range> = (0..MANY).map(|i| range(64 * i, 32)).collect();
    let mut ranges = Ranges::new();
    in_order(Order::Random, &all).into_iter().for_each(|range| _ = ranges.insert(range).unwrap());
    for range in in_order(Order::Random, &all).iter().filter(|range| range.base % 1024 != 0) {
        ranges.remove(range.base).unwrap();
    }
    ranges.check();
    let [leaves, ..] = ranges.account.in_use();
    assert!(4 * leaves <= ranges.len(), "{leaves} leaves for {} ranges", ranges.len());
}

/// Ranges further apart than a leaf can span, each longer than an entry can say.
#[test]
fn huge_ranges_and_huge_gaps_are_found() {
    let mut ranges = Ranges::new();
    let all: Vec<Range> =
        (0..3000).map(|i| Range { base: i << 40, bytes: (1 << 39) + (i % 3) * 5, value: u64::MAX - i }).collect();
    for range in in_order(Order::Random, &all) {
        ranges.insert(range).unwrap();
    }
    ranges.check();
    for range in &all {
        let places = [range.base, range.base + (1 << 38), range.end(), range.end() + 1].map(|p| ranges.find(p));
        assert_eq!(places, [Some(*range), Some(*range), Some(*range), None]);
    }
    for range in in_order(Order::Inwards, &all) {
        assert_eq!(ranges.remove(range.base), Some(range));
    }
    ranges.check();
}

/// Around what fits an entry in either form.
#[test]
fn sizes_and_values_of_any_length_come_back() {
    let around = |bits: u32| (-1..=1).map(move |by| (1_u64 << bits).wrapping_add_signed(by));
    let edges: Vec<u64> = [2, 17, 18, 30, 32, 33, 43, 44, 45, 50].into_iter().flat_map(around).collect();
    let mut ranges = Ranges::new();
    let mut base = 0;
    let mut all = Vec::new();
    for bytes in &edges {
        for value in edges.iter().chain(&[0, u64::MAX]) {
            all.push(Range { base, bytes: *bytes, value: *value });
            ranges.insert(all[all.len() - 1]).unwrap();
            base += bytes;
        }
    }
    ranges.check();
    assert_eq!(ranges.iter().collect::<Vec<_>>(), all);
    for range in &all {
        assert_eq!([ranges.find(range.base), ranges.find(range.end() - 1)], [Some(*range); 2]);
    }
    for range in in_order(Order::Random, &all) {
        assert_eq!(ranges.remove(range.base), Some(range));
    }
    ranges.check();
}

/// The registry's values hold the number of a thread above 32 bits: each such range once had a node of its own.
#[test]
fn small_ranges_of_any_thread_take_no_memory_of_their_own() {
    let mut ranges = Ranges::new();
    for i in 0..MANY {
        ranges.insert(Range { base: 64 * i, bytes: 64, value: (i % 4096) << 32 | i }).unwrap();
    }
    let each = ranges.bytes() as f64 / MANY as f64;
    assert!(each <= 17.0, "{each} bytes each");
}

/// The hint of the last find may name a leaf that was split, joined or taken away since.
#[test]
fn a_find_after_each_change_sees_it() {
    let mut ranges = Ranges::new();
    let shared = SharedRanges::new();
    let all: Vec<Range> = (0..500).map(|i| Range { base: 100 * i, bytes: 50, value: i }).collect();
    for range in in_order(Order::Random, &all) {
        ranges.insert(range).unwrap();
        shared.insert(range).unwrap();
        assert_eq!([ranges.find(range.end()), shared.find(range.end())], [Some(range); 2]);
    }
    for range in in_order(Order::Inwards, &all) {
        assert_eq!([ranges.find(range.end()), shared.find(range.end())], [Some(range); 2]);
        ranges.remove(range.base);
        shared.remove(range.base);
        assert_eq!([ranges.find(range.end()), shared.find(range.end())], [None; 2]);
    }
}

// ---- threads -----------------------------------------------------------------------------------------------

/// Writers move ranges about; a reader must find each of those that stay, and of the others one whole state or the
/// other.
#[test]
fn readers_see_whole_changes_while_writers_split_and_join_leaves() {
    const STAYING: u64 = 2000;
    let ranges = SharedRanges::new();
    for i in 0..STAYING {
        ranges.insert(Range { base: 1000 * i, bytes: 100, value: i }).unwrap();
    }
    let writers_left = std::sync::atomic::AtomicUsize::new(2);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let (ranges, writers_left) = (&ranges, &writers_left);
            scope.spawn(move || {
                for round in 0..12 {
                    // Nine between every two that stay, then none again.
                    for i in (writer..STAYING).step_by(2) {
                        for k in 1..10 {
                            let base = 1000 * i + 100 * k;
                            ranges.insert(Range { base, bytes: 90, value: base + round % 2 }).unwrap();
                        }
                    }
                    for i in (writer..STAYING).step_by(2) {
                        for k in 1..10 {
                            assert!(ranges.remove(1000 * i + 100 * k).is_some());
                        }
                    }
                }
                writers_left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            });
        }
        for reader in 0..2 {
            let (ranges, writers_left) = (&ranges, &writers_left);
            scope.spawn(move || {
                let mut random = Rng::with_seed(5 + reader);
                while writers_left.load(std::sync::atomic::Ordering::Relaxed) > 0 {
                    let (i, k) = (random.u64(..STAYING), 1 + random.u64(..9));
                    let stays = Range { base: 1000 * i, bytes: 100, value: i };
                    assert_eq!(ranges.find(1000 * i + random.u64(..100)), Some(stays));
                    assert_eq!(ranges.at(1000 * i), Some(stays));
                    let base = 1000 * i + 100 * k;
                    if let Some(found) = ranges.find(base + 50) {
                        assert!((found.base, found.bytes) == (base, 90) && found.value - base < 2, "{found:?}");
                    }
                    if i + 1 < STAYING {
                        let above = ranges.above(base).expect("at least the next that stays");
                        assert!(above.base > base && above.base <= 1000 * (i + 1), "{above:?} above {base}");
                    }
                }
            });
        }
    });
    ranges.check();
    assert_eq!(ranges.len() as u64, STAYING);
}
