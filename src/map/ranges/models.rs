//! Loom's models of shared ranges: the shipped code, with nodes of six entries.
//!
//! Loom remembers one last access of an atomic only: a thread that reads a word before it writes it hides from loom
//! that another had read it. The count of changes is therefore never read by a writer, which has a copy of its own.

use super::{Range, SharedRanges};
use loom::sync::Arc;
use loom::thread;

/// Ranges 10 bytes long at each hundred, enough for `count` of them.
fn ranges(count: u64) -> Arc<SharedRanges> {
    let ranges = SharedRanges::new();
    for i in 1..=count {
        ranges.insert(range(i)).unwrap();
    }
    Arc::new(ranges)
}

fn range(i: u64) -> Range {
    Range { base: 100 * i, bytes: 10, value: i }
}

/// Every interleaving with two changes of thread that no thread asked for, or so many of them.
fn model(most: Option<usize>, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 100_000;
    (builder.max_permutations, builder.checkpoint_interval) = (most, 250);
    builder.check(body);
}

#[test]
fn a_find_sees_a_leaf_before_or_after_it_is_split() {
    model(Some(10_000), || {
        // The nodes for the split exist: loom does not see how new ones are published.
        let ranges = ranges(7);
        ranges.remove(700).unwrap();
        let writer = {
            let ranges = ranges.clone();
            thread::spawn(move || ranges.insert(Range { base: 250, bytes: 10, value: 9 }).unwrap())
        };
        assert_eq!(ranges.find(405), Some(range(4)), "there throughout");
        let new = ranges.find(255);
        assert!(new.is_none_or(|new| new == Range { base: 250, bytes: 10, value: 9 }), "{new:?}");
        writer.join().unwrap();
        assert_eq!(ranges.find(255).map(|range| range.value), Some(9));
        ranges.check();
    });
}

#[test]
fn a_find_sees_a_full_leaf_before_or_after_it_gives_ranges_to_its_neighbour() {
    // So many words change that all would not end within hours.
    model(Some(3000), || {
        let ranges = ranges(7);
        let writer = {
            let ranges = ranges.clone();
            thread::spawn(move || ranges.insert(Range { base: 250, bytes: 10, value: 9 }).unwrap())
        };
        assert_eq!(ranges.find(405), Some(range(4)), "there throughout");
        writer.join().unwrap();
        assert_eq!(ranges.find(255).map(|range| range.value), Some(9));
        ranges.check();
    });
}

#[test]
fn a_find_sees_leaves_before_or_after_they_are_joined() {
    model(None, || {
        let ranges = ranges(7);
        // The right one of two leaves goes with its last range.
        let writer = {
            let ranges = ranges.clone();
            thread::spawn(move || ranges.remove(700).unwrap())
        };
        assert_eq!(ranges.find(500), Some(range(5)), "there throughout");
        let last = ranges.find(705);
        assert!(last.is_none_or(|last| last == range(7)), "{last:?}");
        assert_eq!(writer.join().unwrap(), range(7));
        assert_eq!((ranges.find(705), ranges.len()), (None, 6));
        ranges.check();
    });
}

#[test]
fn of_two_overlapping_ranges_one_is_refused_with_the_other() {
    model(None, || {
        let ranges = ranges(1);
        let insert = |base| Range { base, bytes: 20, value: base };
        let writer = {
            let ranges = ranges.clone();
            thread::spawn(move || ranges.insert(insert(200)))
        };
        let (here, there) = (ranges.insert(insert(210)), writer.join().unwrap());
        match (here, there) {
            (Ok(_), Err(other)) => assert_eq!(other, insert(210)),
            (Err(other), Ok(_)) => assert_eq!(other, insert(200)),
            both => panic!("{both:?}"),
        }
        assert_eq!(ranges.len(), 2);
        ranges.check();
    });
}
