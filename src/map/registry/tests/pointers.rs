//! Rules by example: which object a pointer is in, where that lies now, and pointers that wait.

#![forbid(unsafe_code)]

use super::super::*;
use super::{at, registry, status};
use crate::error::Status;

#[test]
fn base_wins_where_two_ranges_touch_and_the_choice_is_counted() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        for order in [[100, 108], [108, 100]] {
            let (registry, lane) = registry();
            let serials = order.map(|base| registry.add(lane, base, 8, kind, c"").unwrap());
            let find = |address| registry.find(lane, address).unwrap().unwrap();
            let upper = serials[order.iter().position(|base| *base == 108).unwrap()];
            assert_eq!(find(108), ObjectOffset { serial: upper, offset: 0 });
            assert_eq!(registry.ambiguous(), 1);
            assert_eq!((find(116).serial, find(116).offset), (upper, 8));
            assert_eq!(find(107).offset, 7);
            assert_eq!(registry.ambiguous(), 1);
            registry.remove(lane, 100).unwrap();
            find(108);
            assert_eq!(registry.ambiguous(), 1, "nothing ends there any more");
        }
    }
}

#[test]
fn null_is_in_no_range_and_always_null() {
    let (registry, lane) = registry();
    assert_eq!(registry.find(lane, 0).unwrap(), None);
    assert_eq!(registry.find_pair(lane, 0, 0).unwrap(), None);
    assert_eq!(status(registry.find_pair(lane, 0, 8)), Status::NullPointer);
    assert_eq!(status(registry.add(lane, 0, 8, RangeKind::Heap, c"")), Status::NullPointer);
    registry.add(lane, 0, 0, RangeKind::Heap, c"").unwrap();
    assert_eq!(registry.find(lane, 0).unwrap(), None);
    registry.remove(lane, 0).unwrap();
}

/// An address that is the base of an object which stayed and the end of one that moved is the former's, as it was in
/// the forward sweep.
#[test]
fn base_wins_over_the_end_of_an_object_that_lies_elsewhere_now() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        for moves in [100, 108] {
            let (registry, lane) = registry();
            for base in [100, 108] {
                registry.add(lane, base, 8, kind, c"").unwrap();
            }
            let record = RangeRecord::of(&registry.begins_at(lane, moves).unwrap());
            registry.remove(lane, moves).unwrap();
            registry.restore_and_list(lane, &record, at(1000)).unwrap();
            let now = |base, by| Some((if base == moves { 1000 + by } else { base + by }, 0));
            for (address, expected) in [(100, now(100, 0)), (107, now(100, 7)), (108, now(108, 0)), (116, now(108, 8))]
            {
                assert_eq!(registry.rebase_both(lane, address).unwrap(), expected, "{address} while {moves} moves");
            }
        }
    }
}

#[test]
fn pointer_outside_every_range_is_told_with_its_neighbours() {
    let (registry, lane) = registry();
    let say = |address| registry.find(lane, address).unwrap_err().message().to_owned();
    assert!(say(5).contains("no range is alive"));
    registry.add(lane, 0x1000, 8000, RangeKind::Heap, c"x (double[1000])").unwrap();
    registry.add(lane, 0x9000, 16, RangeKind::Stack, c"").unwrap();
    let said = say(0x1000 + 8128);
    for part in [
        "the pointer 0x2fc0 is in no range",
        "\n  128 bytes past the end of `x` (double[1000]), a heap range of 7.81 KiB (8000 bytes) at 0x1000 (object 1)",
        "\n  24.06 KiB (24640 bytes) before a stack range of 16 bytes at 0x9000 (object 2)",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(status(registry.remove(lane, 0x1008)), Status::NoRange);
    assert!(registry.remove(lane, 0x1008).unwrap_err().message().contains("8 bytes past the base of `x`"));
}

#[test]
fn offset_is_scaled_to_an_adjoint_of_another_size_and_must_come_out_whole() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 24, RangeKind::Heap, c"x").unwrap(); // six floats
    let locate = |offset| registry.locate_both(ObjectOffset { serial, offset });
    assert_eq!(locate(4).unwrap(), Some((1004, 0)), "without an adjoint it is NULL");
    registry.set_adjoint(lane, 1000, 5000, 48).unwrap(); // six doubles
    for (offset, primal, adjoint) in [(0, 1000, 5000), (4, 1004, 5008), (24, 1024, 5048), (-4, 996, 4992)] {
        assert_eq!(locate(offset).unwrap(), Some((primal, adjoint)));
    }
    registry.set_adjoint(lane, 1000, 5000, 12).unwrap(); // halves
    assert_eq!(locate(6).unwrap(), Some((1006, 5003)));
    assert_eq!(status(locate(5)), Status::Uneven);
    assert_eq!(status(registry.set_adjoint(lane, 1001, 5000, 8)), Status::NoRange);
    assert_eq!(status(registry.set_adjoint(lane, 1000, u64::MAX, 8)), Status::CountRange);
}

#[test]
fn adjoint_that_does_not_fit_a_waiting_pointer_is_refused_and_changes_nothing() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    registry.wait(70, Wait::new(Target::Object(serial, 1), true), || ());
    assert_eq!(
        status(registry.restore_and_list(lane, &record, Present { base: 1, adjoint_base: 9, adjoint_bytes: 4 })),
        Status::Uneven
    );
    assert_eq!((registry.list(), registry.waiting().len()), (vec![], 1));
    let arrivals =
        registry.restore_and_list(lane, &record, Present { base: 1, adjoint_base: 9, adjoint_bytes: 8 }).unwrap();
    assert_eq!(arrivals, [Arrival { variable: 70, value: 10, offset: 1, held: None }]);
    assert_eq!(registry.waiting(), []);
}

#[test]
fn forward_addresses_are_translated_for_what_moved_and_for_what_stayed() {
    let (registry, lane) = registry();
    for (base, kind) in [(1000, RangeKind::Heap), (2000, RangeKind::Stack), (3000, RangeKind::Heap)] {
        registry.add(lane, base, 8, kind, c"").unwrap();
    }
    let heap = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    let stack = RangeRecord::of(&registry.remove(lane, 2000).unwrap());
    registry.turn().unwrap();
    assert_eq!(registry.rebase_both(lane, 1004).unwrap(), None, "it is not back");
    registry.restore_and_list(lane, &stack, at(2004)).unwrap();
    registry.restore_and_list(lane, &heap, Present { base: 3500, adjoint_base: 80, adjoint_bytes: 8 }).unwrap();
    assert_eq!(registry.rebase_both(lane, 1004).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase_both(lane, 2007).unwrap(), Some((2011, 0)));
    assert_eq!(registry.rebase_both(lane, 3008).unwrap(), Some((3008, 0)));
    assert_eq!(registry.rebase_both(lane, 3504).unwrap(), None, "nothing lay there in the forward sweep");
    registry.turn().unwrap();
    assert_eq!(registry.rebase_both(lane, 3504).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase_both(lane, 1004).unwrap(), None);
}

/// What came back first was never at home again: its address waited for ever.
#[test]
fn objects_that_had_the_same_address_one_after_the_other_are_both_at_home_after_the_turn() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        let (registry, lane) = registry();
        let record = || {
            registry.add(lane, 1000, 8, kind, c"").unwrap();
            RangeRecord::of(&registry.remove(lane, 1000).unwrap())
        };
        let records = [record(), record()];
        registry.turn().unwrap();
        registry.restore_and_list(lane, &records[1], at(2000)).unwrap();
        registry.restore_and_list(lane, &records[0], at(3000)).unwrap();
        assert_eq!(registry.rebase_both(lane, 1004).unwrap(), Some((3004, 0)), "the last to come back was there first");
        registry.turn().unwrap();
        assert_eq!(registry.rebase_both(lane, 2004).unwrap(), Some((2004, 0)));
        assert_eq!(registry.rebase_both(lane, 3004).unwrap(), Some((3004, 0)));
    }
}

/// Whether addresses lead to it depended on whether anybody had asked for one before.
#[test]
fn object_whose_birth_was_not_reversed_is_hidden_while_an_older_one_with_its_addresses_is_back() {
    for asks in [false, true] {
        let (registry, lane) = registry();
        let record = |base, bytes| {
            registry.add(lane, base, bytes, RangeKind::Heap, c"").unwrap();
            RangeRecord::of(&registry.remove(lane, base).unwrap())
        };
        let (old, wide, young) = (record(1000, 8), record(996, 30), record(1004, 16));
        registry.turn().unwrap();
        let at_1010 = || registry.rebase_both(lane, 1010).unwrap();
        let ask = |expected| assert!(!asks || at_1010() == expected, "{expected:?}");
        registry.restore_and_list(lane, &young, at(2000)).unwrap();
        ask(Some((2006, 0)));
        registry.restore_and_list(lane, &wide, at(3000)).unwrap();
        ask(Some((3014, 0)));
        registry.restore_and_list(lane, &old, at(4000)).unwrap();
        assert_eq!(at_1010(), None, "it would be in an object that is hidden");
        registry.undo_birth(lane, 4000).unwrap();
        assert_eq!(at_1010(), Some((3014, 0)));
        registry.undo_birth(lane, 3000).unwrap();
        assert_eq!(at_1010(), Some((2006, 0)));
    }
}

/// Each arrival searched the list of all that waited for the same object.
#[test]
fn many_pointers_that_wait_for_one_object_are_set_at_once() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    const COUNT: u64 = 100_000;
    for i in 0..COUNT {
        registry.wait((1 << 40) + 8 * i, Wait::new(Target::Object(serial, 4), false), || ());
    }
    (0..COUNT).step_by(2).for_each(|i| registry.settle((1 << 40) + 8 * i));
    let arrivals = registry.restore_and_list(lane, &record, at(2000)).unwrap();
    assert_eq!(arrivals.len() as u64, COUNT / 2);
    assert!(arrivals.iter().all(|arrival| (arrival.value, arrival.offset) == (2004, 4)));
    assert_eq!(registry.waiting(), []);
}

/// Pointers in blocks that are themselves pointed to: each waits for the next, and goes with its own block.
#[test]
fn pointers_that_wait_in_ranges_that_end_are_dropped_and_set_nobody() {
    let (registry, lane) = registry();
    let births = (0..10).map(|i| registry.add(lane, 1000 + 100 * i, 16, RangeKind::Heap, c"node").unwrap());
    let serials: Vec<Serial> = births.collect();
    let die = |i: u64| RangeRecord::of(&registry.remove(lane, 1000 + 100 * i).unwrap());
    let records: Vec<RangeRecord> = (0..10).map(die).collect();
    // Node i comes back, its pointer and that of its adjoint wait for node i + 1.
    for i in 0..9 {
        let base = 5000 + 100 * i as u64;
        let present = Present { base, adjoint_base: base + 50, adjoint_bytes: 16 };
        let arrivals = registry.restore_and_list(lane, &records[i], present).unwrap();
        assert_eq!(arrivals.len(), 2 * (i > 0) as usize, "{i}");
        let next = Target::Object(serials[i + 1], 0);
        registry.wait(base + 8, Wait::new(next, false), || ());
        registry.wait(base + 58, Wait::new(next, true), || ());
        assert_eq!(registry.waiting().len(), 2, "only of the last");
    }
    registry.undo_birth(lane, 5000 + 800).unwrap();
    assert_eq!(registry.waiting(), []);
    assert_eq!(registry.restore_and_list(lane, &records[9], at(9000)).unwrap(), []);
}

#[test]
fn pointers_that_wait_in_memory_that_moves_go_along_as_far_as_it_is_kept() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    let wait = |variable| registry.wait(variable, Wait::new(Target::Object(serial, 0), false), || ());
    let waiting = || registry.waiting().into_iter().map(|(variable, _)| variable).collect::<Vec<u64>>();
    [4992, 5000, 5008, 5016, 5024].into_iter().for_each(wait);
    registry.memory_moved((5000, 24), Some((7000, 16)));
    assert_eq!(waiting(), [4992, 5024, 7000, 7008]);
    registry.memory_moved((7000, 16), Some((7000, 8)));
    assert_eq!(waiting(), [4992, 5024, 7000]);
    registry.memory_moved((7000, 8), Some((7000, 800)));
    registry.memory_moved((5024, 8), None);
    assert_eq!(waiting(), [4992, 7000]);
    // To where one waited that is overwritten, partly into where it was.
    [5000, 5008].into_iter().for_each(wait);
    registry.memory_moved((5000, 16), Some((4992, 16)));
    assert_eq!(waiting(), [4992, 5000, 7000]);
    let mut arrived: Vec<u64> =
        registry.restore_and_list(lane, &record, at(2000)).unwrap().iter().map(|arrival| arrival.variable).collect();
    arrived.sort_unstable();
    assert_eq!((arrived, waiting()), (vec![4992, 5000, 7000], vec![]));
}

/// The slot of an object whose birth is reversed goes to another one. If nobody had asked for an address meanwhile, the
/// latter was entered among those of the former's map, where it stayed when it ended and hid who came after it.
#[test]
fn object_in_the_slot_of_one_of_another_map_is_forgotten_when_it_ends() {
    use RangeKind::{Heap, Stack};
    for (kind_before, of_others, home_before, home) in
        [(Stack, Heap, 0, 0), (Heap, Stack, 0, 0), (Stack, Stack, 0, 1), (Stack, Stack, 1, 0), (Stack, Heap, 1, 0)]
    {
        let (registry, lane) = registry();
        let homes = [lane, registry.claim().unwrap()];
        let (home_before, home) = (homes[home_before], homes[home]);
        let dies = |base, bytes, kind| {
            registry.add(lane, base, bytes, kind, c"").unwrap();
            RangeRecord::of(&registry.remove(lane, base).unwrap())
        };
        // The places of the first two are taken by later deaths, so they have no slots when they come back.
        let long = dies(1008, 120, of_others);
        let short = dies(1000, 24, of_others);
        registry.add(lane, 5000, 48, kind_before, c"").unwrap();
        let last = dies(1000, 24, of_others);
        let before = RangeRecord::of(&registry.remove(lane, 5000).unwrap());
        registry.turn().unwrap();
        registry.restore_and_list(home_before, &before, at(6000)).unwrap();
        registry.restore_and_list(home, &last, at(7000)).unwrap();
        registry.undo_birth(home, 7000).unwrap();
        registry.undo_birth(home_before, 6000).unwrap();
        registry.restore_and_list(home, &short, at(7000)).unwrap();
        assert_eq!(registry.rebase_both(lane, 1016).unwrap(), Some((7016, 0)));
        registry.undo_birth(home, 7000).unwrap();
        registry.restore_and_list(home, &long, at(7000)).unwrap();
        for by in [0, 8, 119] {
            let said = format!("{kind_before:?} on {home_before}, {of_others:?} on {home}: {by}");
            assert_eq!(registry.rebase_both(lane, 1008 + by).unwrap(), Some((7000 + by, 0)), "{said}");
        }
    }
}

#[test]
fn variable_that_is_null_by_itself_follows_nothing() {
    let (registry, lane) = registry();
    let dies = |base, bytes| {
        registry.add(lane, base, bytes, RangeKind::Heap, c"").unwrap();
        RangeRecord::of(&registry.remove(lane, base).unwrap())
    };
    let (first, second, third) = (dies(1000, 32), dies(1000, 24), dies(1000, 16));
    registry.turn().unwrap();
    registry.restore_and_list(lane, &third, at(1000)).unwrap();
    // A variable of an adjoint, popped by itself, that follows the address.
    let wait = Wait { held: Some(900), ..Wait::new(Target::Object(third.serial, 8), true) };
    registry.waiting.follow([(40, wait)]);
    registry.undo_birth(lane, 1000).unwrap();
    // The object that comes has no adjoint: the variable is NULL, as much memory is.
    let set = registry.restore_and_list(lane, &second, at(1000)).unwrap();
    assert_eq!(set, [Arrival { variable: 40, value: 0, offset: 8, held: Some(900) }]);
    registry.undo_birth(lane, 1000).unwrap();
    assert_eq!(registry.restore_and_list(lane, &first, at(1000)).unwrap(), []);
}
