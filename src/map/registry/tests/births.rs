//! Rules by example: births and deaths, and their reversal.

#![forbid(unsafe_code)]

use super::super::*;
use super::{at, registry, status};
use crate::error::Status;

#[test]
fn overlap_names_both_ranges_and_changes_nothing() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    registry.add(lane, 1000, 100, RangeKind::Heap, c"x double[1000]").unwrap();
    registry.add(lane, 2000, 100, RangeKind::Stack, c"y").unwrap();
    for (from, base, bytes, kind, there) in [
        (lane, 950, 51, RangeKind::Heap, "`x` double[1000]"),
        (lane, 1099, 1, RangeKind::Stack, "`x` double[1000]"),
        (other, 1950, 200, RangeKind::Heap, "`y`"),
        (lane, 2000, 100, RangeKind::Stack, "`y`"),
    ] {
        let error = registry.add(from, base, bytes, kind, c"z").unwrap_err();
        assert_eq!(error.status(), Status::Overlap);
        for part in [there, "`z`", &format!("{base:#x}")] {
            assert!(error.message().contains(part), "{part} is not in {error}");
        }
    }
    assert_eq!(registry.list().len(), 2);
    let serial = registry.add(lane, 3000, 1, RangeKind::Heap, c"").unwrap();
    assert_eq!(serial.birth(), 3, "what failed was no birth");
}

#[test]
fn ranges_without_bytes_share_a_base_and_are_told_apart_by_serial() {
    let (registry, lane) = registry();
    let empty = registry.add(lane, 100, 0, RangeKind::Heap, c"none").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap(), Some(ObjectOffset { serial: empty, offset: 0 }));
    let full = registry.add(lane, 100, 8, RangeKind::Heap, c"some").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap().unwrap().serial, full);
    let error = registry.remove(lane, 100).unwrap_err();
    assert_eq!(error.status(), Status::Ambiguous);
    assert!(error.message().contains("`none`") && error.message().contains("`some`"), "{error}");
    assert_eq!(registry.locate_both(ObjectOffset { serial: empty, offset: 0 }).unwrap(), Some((100, 0)));
    let other = registry.add(lane, 200, 0, RangeKind::Stack, c"").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 200).unwrap());
    assert_eq!(registry.locate_both(ObjectOffset { serial: other, offset: 0 }).unwrap(), None);
    registry.restore_and_list(lane, &record, at(100)).unwrap();
    assert_eq!(registry.locate_both(ObjectOffset { serial: other, offset: 0 }).unwrap(), Some((100, 0)));
}

#[test]
fn object_comes_back_once() {
    let (registry, lane) = registry();
    registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    registry.restore_and_list(lane, &record, at(2000)).unwrap();
    let error = registry.restore_and_list(lane, &record, at(3000)).unwrap_err();
    assert_eq!(error.status(), Status::Overlap);
    assert!(error.message().contains("comes back while it is alive"), "{error}");
    let stranger = RangeRecord { serial: Serial::new(7, 1), ..record };
    assert_eq!(status(registry.restore_and_list(lane, &stranger, at(3000))), Status::BadArgument);
}

#[test]
fn stack_ranges_of_another_thread_are_found_and_end_with_it() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    let serial = registry.add(other, 5000, 80, RangeKind::Stack, c"shared").unwrap();
    let heap = registry.add(other, 9000, 80, RangeKind::Heap, c"").unwrap();
    assert_eq!(registry.find(lane, 5008).unwrap(), Some(ObjectOffset { serial, offset: 8 }));
    assert_eq!(registry.begins_at(lane, 5000).unwrap().serial, serial);
    registry.give_back(other);
    assert_eq!(status(registry.find(lane, 5008)), Status::NoRange);
    assert_eq!(registry.find(lane, 9000).unwrap().unwrap().serial, heap);
    assert_eq!(registry.claim().unwrap(), other, "the lane is used again");
    assert_eq!(registry.add(other, 5000, 8, RangeKind::Stack, c"").unwrap().birth(), 3);
}

/// It was left behind, in the way of the next thread: its base was ambiguous.
#[test]
fn stack_range_ends_with_its_thread_though_an_empty_one_shares_its_base() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    registry.add(other, 5000, 80, RangeKind::Stack, c"").unwrap();
    registry.add(other, 5000, 0, RangeKind::Stack, c"").unwrap();
    let heap = registry.add(other, 5000, 0, RangeKind::Heap, c"").unwrap();
    registry.give_back(other);
    assert_eq!(registry.list().iter().map(|object| object.serial).collect::<Vec<_>>(), [heap]);
    registry.add(lane, 5040, 8, RangeKind::Stack, c"").unwrap();
}

/// A record that another thread pops than the one that it was born on.
#[test]
fn stack_range_is_that_of_the_thread_that_brought_it_back() {
    let (registry, lane) = registry();
    let (birth, other) = (registry.claim().unwrap(), registry.claim().unwrap());
    let serial = registry.add(birth, 5000, 80, RangeKind::Stack, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(birth, 5000).unwrap());
    registry.restore_and_list(other, &record, at(7000)).unwrap();
    registry.give_back(birth);
    assert_eq!(registry.find(lane, 7008).unwrap(), Some(ObjectOffset { serial, offset: 8 }));
    registry.give_back(other);
    assert_eq!(status(registry.find(lane, 7008)), Status::NoRange);
    registry.add(lane, 7000, 80, RangeKind::Stack, c"in its place").unwrap();
}

/// Else a wild pointer into the next thread's stack would be one to it.
#[test]
fn dead_stack_ranges_are_forgotten_when_their_thread_ends_and_empty_ones_of_others_stay() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    let kept = registry.add(lane, 9000, 0, RangeKind::Stack, c"of none").unwrap();
    let serial = registry.add(other, 5000, 80, RangeKind::Stack, c"x").unwrap();
    registry.remove(other, 5000).unwrap();
    assert_eq!(registry.find(lane, 5008).unwrap(), Some(ObjectOffset { serial, offset: 8 }), "while it runs");
    registry.give_back(other);
    assert_eq!(registry.dead(), 0);
    let next = registry.claim().unwrap();
    assert_eq!(next, other);
    registry.add(next, 6000, 8, RangeKind::Stack, c"y").unwrap();
    registry.add(next, 4000, 8, RangeKind::Stack, c"z").unwrap();
    for lane in [lane, next] {
        assert_eq!(status(registry.find(lane, 5008)), Status::NoRange);
    }
    assert_eq!(registry.find(lane, 9000).unwrap(), Some(ObjectOffset { serial: kept, offset: 0 }));
}

#[test]
fn stack_ranges_of_two_threads_that_overlap_are_refused() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    registry.add(lane, 5000, 80, RangeKind::Stack, c"x").unwrap();
    let error = registry.add(other, 5072, 80, RangeKind::Stack, c"y").unwrap_err();
    assert_eq!(error.status(), Status::Overlap);
    assert!(error.message().contains("`x`") && error.message().contains("`y`"), "{error}");
    registry.add(other, 5080, 80, RangeKind::Stack, c"y").unwrap();
}

/// Records come from the program, which may have changed them.
#[test]
fn record_that_nothing_was_born_with_is_refused() {
    let (registry, lane) = registry();
    registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    for (wrong, expected) in [
        (RangeRecord { serial: Serial(2), ..record }, Status::BadArgument),
        (RangeRecord { serial: Serial(0), ..record }, Status::BadArgument),
        (RangeRecord { serial: Serial(u64::MAX), ..record }, Status::BadArgument),
        (RangeRecord { base: u64::MAX - 3, ..record }, Status::CountRange),
        (RangeRecord { bytes: u64::MAX, ..record }, Status::CountRange),
        (RangeRecord { base: 0, ..record }, Status::NullPointer),
    ] {
        assert_eq!(status(registry.restore_and_list(lane, &wrong, at(2000))), expected, "{wrong:?}");
    }
    registry.restore_and_list(lane, &record, at(2000)).unwrap();
}

#[test]
fn dead_object_that_cannot_come_back_is_as_dead_as_before() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        let (registry, lane) = registry();
        let serial = registry.add(lane, 1000, 8, kind, c"x").unwrap();
        let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
        registry.add(lane, 2000, 8, RangeKind::Heap, c"y").unwrap();
        assert_eq!(status(registry.restore_and_list(lane, &record, at(2004))), Status::Overlap);
        assert_eq!(registry.find(lane, 1004).unwrap(), Some(ObjectOffset { serial, offset: 4 }));
        assert_eq!((registry.locate_both(ObjectOffset { serial, offset: 4 }).unwrap(), registry.dead()), (None, 1));
        registry.restore_and_list(lane, &record, at(3000)).unwrap();
        assert_eq!(
            (registry.find(lane, 3004).unwrap(), registry.dead()),
            (Some(ObjectOffset { serial, offset: 4 }), 0)
        );
    }
}

#[test]
fn ranges_at_the_ends_of_the_address_space_are_as_others() {
    let (registry, lane) = registry();
    let low = registry.add(lane, 1, 7, RangeKind::Heap, c"low").unwrap();
    let high = registry.add(lane, u64::MAX - 8, 8, RangeKind::Heap, c"high").unwrap();
    let empty = registry.add(lane, u64::MAX, 0, RangeKind::Heap, c"empty").unwrap();
    let find = |address| registry.find(lane, address).unwrap().map(|place| (place.serial, place.offset));
    assert_eq!((find(1), find(8)), (Some((low, 0)), Some((low, 7))));
    assert_eq!((find(u64::MAX - 8), find(u64::MAX)), (Some((high, 0)), Some((high, 8))));
    assert_eq!(registry.ambiguous(), 0);
    for (base, bytes) in [(u64::MAX, 1), (u64::MAX - 7, 8), (2, u64::MAX), (1 << 40, (1 << 47) + 1)] {
        let status = status(registry.add(lane, base, bytes, RangeKind::Stack, c""));
        assert_eq!(status, Status::CountRange, "{base:#x}, {bytes}");
    }
    let error = registry.add(lane, 1 << 40, -8_i64 as u64, RangeKind::Heap, c"").unwrap_err();
    assert!(error.message().starts_with("a range of -8 bytes at 0x10000000000: the size is negative"), "{error}");
    assert_eq!(status(registry.add(lane, u64::MAX - 8, 7, RangeKind::Stack, c"")), Status::Overlap);
    registry.remove(lane, u64::MAX - 8).unwrap();
    assert_eq!(find(u64::MAX), Some((empty, 0)));
    assert_eq!(find(u64::MAX - 1), Some((high, 7)), "dead");
}

/// What is known of an object beside the maps ends with it, however it ends.
#[test]
fn bounds_of_an_object_end_with_it_whatever_its_kind() {
    type End = fn(&Registry, u16);
    let ends: [(&str, End); 3] = [
        ("death", |registry, lane| _ = registry.remove(lane, 1000).unwrap()),
        ("birth reversed", |registry, lane| _ = registry.undo_birth(lane, 1000).unwrap()),
        ("end of its thread", |registry, lane| registry.give_back(lane)),
    ];
    for kind in RangeKind::ALL {
        for (name, end) in ends.into_iter().take(if kind == RangeKind::Stack { 3 } else { 2 }) {
            for bytes in [0, 48] {
                let (registry, lane) = registry();
                let other = registry.add(lane, 2000, 8, RangeKind::Allocatable, c"").unwrap();
                let serial = registry.add(lane, 1000, bytes, kind, c"").unwrap();
                registry.set_bounds(lane, 2000, &[(0, 1)]).unwrap();
                registry.set_bounds(lane, 1000, &[(-1, 3), (1, 2)]).unwrap();
                assert_eq!(registry.bounds(serial), [(-1, 3), (1, 2)]);
                end(&registry, lane);
                assert_eq!(registry.bounds(serial), [], "{kind:?} of {bytes} bytes, {name}");
                assert_eq!(registry.bounds(other), [(0, 1)]);
            }
        }
    }
}

/// Adding a range asks only the threads on whose stacks it may lie, or all of them once two stacks cross.
#[test]
fn stack_ranges_of_other_threads_are_in_the_way_and_found_wherever_stacks_lie() {
    for (apart, crossed) in [(1 << 20, false), (16, true)] {
        let registry = Registry::new();
        let lanes: Vec<u16> = (0..20).map(|_| registry.claim().unwrap()).collect();
        let base = |lane: u16| (1 << 30) + u64::from(lane) * apart;
        let serials: Vec<Serial> =
            lanes.iter().map(|lane| registry.add(*lane, base(*lane), 8, RangeKind::Stack, c"").unwrap()).collect();
        assert_eq!(registry.spans.crossed(), crossed);
        for lane in 1..20 {
            for kind in [RangeKind::Heap, RangeKind::Stack] {
                let below = registry.add(0, base(lane) - 8, 9, kind, c"");
                assert_eq!(status(below), Status::Overlap, "{kind:?}, {lane}, {apart} apart");
                assert_eq!(status(registry.add(0, base(lane) + 7, 1, kind, c"")), Status::Overlap);
            }
            for by in [0, 7, 8] {
                let place = ObjectOffset { serial: serials[usize::from(lane)], offset: by as i64 };
                assert_eq!(registry.find(0, base(lane) + by).unwrap(), Some(place));
            }
            assert_eq!(registry.begins_at(0, base(lane)).unwrap().serial, serials[usize::from(lane)]);
        }
        let across = registry.add(0, base(3) + 8, base(5) - base(3), RangeKind::Heap, c"").unwrap_err();
        assert!(across.message().contains("(object 1 of thread"), "{across}");
        registry.remove(5, base(5)).unwrap();
        assert_eq!(registry.find(0, base(5) + 4).unwrap().map(|place| place.serial), Some(serials[5]));
        assert_eq!(registry.alive_count(), (19, 8 * 19));
        registry.give_back(6);
        assert_eq!(status(registry.find(0, base(6) + 4)), Status::NoRange);
        registry.add(0, base(6), 8, RangeKind::Heap, c"").unwrap();
    }
}

/// Only about as many dead objects were remembered as were alive when their table first overflowed.
#[test]
fn as_many_dead_are_remembered_as_were_alive_at_once() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        const MANY: u64 = 10_000;
        let (registry, lane) = registry();
        let serials: Vec<_> = (1..=MANY).map(|i| registry.add(lane, 16 * i, 8, kind, c"").unwrap()).collect();
        for i in 1..=MANY {
            registry.remove(lane, 16 * i).unwrap();
        }
        assert_eq!(registry.dead(), MANY as usize);
        assert_eq!(registry.find(lane, 16 + 4).unwrap(), Some(ObjectOffset { serial: serials[0], offset: 4 }));
    }
}
