//! Trees of any size, in any order of what comes and goes; maps that threads share.

use super::*;

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
    let orders = [Order::Random, Order::Inwards, Order::Up, Order::Down];
    for order in orders.into_iter().take(part(4) as usize) {
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
