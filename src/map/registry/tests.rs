//! The registry against a naive model: random programs run forward and backward, with allocators that reuse addresses or
//! never do; rules by example.

#![forbid(unsafe_code)]

use super::*;
use crate::error::Status;
use fastrand::Rng;

fn registry() -> (Registry, u16) {
    let registry = Registry::new();
    let lane = registry.claim().unwrap();
    (registry, lane)
}

fn at(base: u64) -> Present {
    Present { base, adjoint_base: 0, adjoint_bytes: 0 }
}

fn status<T>(result: Result<T, Error>) -> Status {
    result.err().map_or(Status::Ok, |error| error.status())
}

// ---- rules by example ----------------------------------------------------------------------------------

#[test]
fn base_wins_where_two_ranges_touch_and_the_choice_is_counted() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        for order in [[100, 108], [108, 100]] {
            let (registry, lane) = registry();
            let serials = order.map(|base| registry.add(lane, base, 8, kind, c"").unwrap());
            let find = |address| registry.find(lane, address).unwrap().unwrap();
            let upper = serials[order.iter().position(|base| *base == 108).unwrap()];
            assert_eq!(find(108), Place { serial: upper, offset: 0 });
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

/// An address that is the base of an object which stayed and the end of one that moved is the former's, as it was in the
/// forward sweep.
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
                assert_eq!(registry.rebase(lane, address).unwrap(), expected, "{address} while {moves} moves");
            }
        }
    }
}

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
fn ranges_without_bytes_share_a_base_and_are_told_apart_by_serial() {
    let (registry, lane) = registry();
    let empty = registry.add(lane, 100, 0, RangeKind::Heap, c"none").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap(), Some(Place { serial: empty, offset: 0 }));
    let full = registry.add(lane, 100, 8, RangeKind::Heap, c"some").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap().unwrap().serial, full);
    let error = registry.remove(lane, 100).unwrap_err();
    assert_eq!(error.status(), Status::Ambiguous);
    assert!(error.message().contains("`none`") && error.message().contains("`some`"), "{error}");
    assert_eq!(registry.locate(Place { serial: empty, offset: 0 }).unwrap(), Some((100, 0)));
    let other = registry.add(lane, 200, 0, RangeKind::Stack, c"").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 200).unwrap());
    assert_eq!(registry.locate(Place { serial: other, offset: 0 }).unwrap(), None);
    registry.restore_and_list(lane, &record, at(100)).unwrap();
    assert_eq!(registry.locate(Place { serial: other, offset: 0 }).unwrap(), Some((100, 0)));
}

#[test]
fn offset_is_scaled_to_an_adjoint_of_another_size_and_must_come_out_whole() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 24, RangeKind::Heap, c"x").unwrap(); // six floats
    let locate = |offset| registry.locate(Place { serial, offset });
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
    assert_eq!(arrivals, [Arrival { variable: 70, value: 10, offset: 1 }]);
    assert_eq!(registry.waiting(), []);
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
fn forward_addresses_are_translated_for_what_moved_and_for_what_stayed() {
    let (registry, lane) = registry();
    for (base, kind) in [(1000, RangeKind::Heap), (2000, RangeKind::Stack), (3000, RangeKind::Heap)] {
        registry.add(lane, base, 8, kind, c"").unwrap();
    }
    let heap = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    let stack = RangeRecord::of(&registry.remove(lane, 2000).unwrap());
    registry.turn().unwrap();
    assert_eq!(registry.rebase(lane, 1004).unwrap(), None, "it is not back");
    registry.restore_and_list(lane, &stack, at(2004)).unwrap();
    registry.restore_and_list(lane, &heap, Present { base: 3500, adjoint_base: 80, adjoint_bytes: 8 }).unwrap();
    assert_eq!(registry.rebase(lane, 1004).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase(lane, 2007).unwrap(), Some((2011, 0)));
    assert_eq!(registry.rebase(lane, 3008).unwrap(), Some((3008, 0)));
    assert_eq!(registry.rebase(lane, 3504).unwrap(), None, "nothing lay there in the forward sweep");
    registry.turn().unwrap();
    assert_eq!(registry.rebase(lane, 3504).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase(lane, 1004).unwrap(), None);
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
        assert_eq!(registry.rebase(lane, 1004).unwrap(), Some((3004, 0)), "the last to come back was there first");
        registry.turn().unwrap();
        assert_eq!(registry.rebase(lane, 2004).unwrap(), Some((2004, 0)));
        assert_eq!(registry.rebase(lane, 3004).unwrap(), Some((3004, 0)));
    }
}

#[test]
fn stack_ranges_of_another_thread_are_found_and_end_with_it() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    let serial = registry.add(other, 5000, 80, RangeKind::Stack, c"shared").unwrap();
    let heap = registry.add(other, 9000, 80, RangeKind::Heap, c"").unwrap();
    assert_eq!(registry.find(lane, 5008).unwrap(), Some(Place { serial, offset: 8 }));
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
    assert_eq!(registry.find(lane, 7008).unwrap(), Some(Place { serial, offset: 8 }));
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
    assert_eq!(registry.find(lane, 5008).unwrap(), Some(Place { serial, offset: 8 }), "while it runs");
    registry.give_back(other);
    assert_eq!(registry.dead(), 0);
    let next = registry.claim().unwrap();
    assert_eq!(next, other);
    registry.add(next, 6000, 8, RangeKind::Stack, c"y").unwrap();
    registry.add(next, 4000, 8, RangeKind::Stack, c"z").unwrap();
    for lane in [lane, next] {
        assert_eq!(status(registry.find(lane, 5008)), Status::NoRange);
    }
    assert_eq!(registry.find(lane, 9000).unwrap(), Some(Place { serial: kept, offset: 0 }));
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
        assert_eq!(registry.find(lane, 1004).unwrap(), Some(Place { serial, offset: 4 }));
        assert_eq!((registry.locate(Place { serial, offset: 4 }).unwrap(), registry.dead()), (None, 1));
        registry.restore_and_list(lane, &record, at(3000)).unwrap();
        assert_eq!((registry.find(lane, 3004).unwrap(), registry.dead()), (Some(Place { serial, offset: 4 }), 0));
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
    registry.unbear(lane, 5000 + 800).unwrap();
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

// ---- random programs -----------------------------------------------------------------------------------

/// How the allocator of a sweep chooses addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// The lowest that is free: freed addresses come back at once, ranges touch.
    Lowest,
    /// One that never was used.
    Fresh,
}

struct Allocator {
    choice: Choice,
    next: u64,
    /// Base and bytes of what is allocated, by base.
    blocks: std::collections::BTreeMap<u64, u64>,
}

impl Allocator {
    fn allocate(&mut self, bytes: u64) -> u64 {
        let mut base = self.next;
        match self.choice {
            Choice::Fresh => self.next += bytes + 64,
            Choice::Lowest => {
                for (start, length) in &self.blocks {
                    if base + bytes <= *start {
                        break;
                    }
                    base = start + length;
                }
            }
        }
        self.blocks.insert(base, bytes);
        base
    }
}

/// What the model knows of an object. Its place in the list is who it is.
#[derive(Clone, Copy, Debug)]
struct Truth {
    serial: Serial,
    base: u64,
    bytes: u64,
    kind: RangeKind,
    adjoint: u64,
    alive: bool,
}

enum Step {
    Birth(usize),
    Death(usize, RangeRecord),
    Pointer(Record, Option<(usize, u64)>),
}

struct Program {
    registry: Registry,
    lane: u16,
    random: Rng,
    objects: Vec<Truth>,
    /// Deaths whose addresses no later death has taken, as (object, base, bytes).
    past: Vec<(usize, u64, u64)>,
    allocator: Allocator,
    tape: Vec<Step>,
}

impl Program {
    fn pick(&mut self, alive: bool) -> Option<usize> {
        let which: Vec<usize> = (0..self.objects.len()).filter(|i| self.objects[*i].alive == alive).collect();
        (!which.is_empty()).then(|| which[self.random.usize(..which.len())])
    }

    fn birth(&mut self) {
        let bytes = 8 * (1 + self.random.u64(..6));
        let kind = RangeKind::ALL[self.random.usize(..5)];
        let base = self.allocator.allocate(bytes);
        let serial = self.registry.add(self.lane, base, bytes, kind, c"").unwrap();
        self.tape.push(Step::Birth(self.objects.len()));
        self.objects.push(Truth { serial, base, bytes, kind, adjoint: 0, alive: true });
    }

    fn death(&mut self) {
        let Some(i) = self.pick(true) else { return };
        let object = self.objects[i];
        let record = RangeRecord::of(&self.registry.remove(self.lane, object.base).unwrap());
        self.tape.push(Step::Death(i, record));
        self.objects[i].alive = false;
        self.allocator.blocks.remove(&object.base);
        let stack = object.kind == RangeKind::Stack;
        self.past.retain(|(j, base, bytes)| {
            let other_map = (self.objects[*j].kind == RangeKind::Stack) != stack;
            other_map || base + bytes <= object.base || object.base + object.bytes <= *base
        });
        self.past.push((i, object.base, object.bytes));
    }

    /// The object that an address belongs to, by looking at all of them.
    fn owner(&self, address: u64) -> Option<(usize, u64)> {
        let all = self.objects.iter().enumerate().filter(|(_, object)| object.alive);
        let within = all.filter(|(_, object)| object.base <= address && address <= object.base + object.bytes);
        if let Some((i, object)) = within.max_by_key(|(_, object)| object.base) {
            return Some((i, address - object.base));
        }
        // Of the dead, those of the stack are looked at first.
        for stack in [true, false] {
            let past = self.past.iter().filter(|(i, ..)| (self.objects[*i].kind == RangeKind::Stack) == stack);
            let within = past.filter(|(_, base, bytes)| *base <= address && address <= base + bytes);
            if let Some((i, base, _)) = within.max_by_key(|(_, base, _)| *base) {
                return Some((*i, address - base));
            }
        }
        None
    }

    fn pointer(&mut self) {
        let alive = self.random.u64(..4) > 0;
        let Some(i) = self.pick(alive) else { return };
        let address = self.objects[i].base + self.random.u64(..self.objects[i].bytes / 4 + 1) * 4;
        let owner = self.owner(address);
        let found = self.registry.find(self.lane, address);
        match owner {
            None => assert_eq!(status(found), Status::NoRange),
            Some((i, offset)) => {
                let place = found.unwrap().unwrap();
                assert_eq!((place.serial, place.offset), (self.objects[i].serial, offset as i64));
                self.tape.push(Step::Pointer(pack(Some(place)), owner));
            }
        }
    }

    /// Plays the tape back. Each pointer goes to a variable of its own, far from all objects.
    fn reverse(&mut self, choice: Choice, spread: u64) {
        const VARIABLES: u64 = 1 << 46;
        self.registry.turn().unwrap();
        self.allocator.choice = choice;
        if choice == Choice::Fresh {
            self.allocator.next = 1 << 40;
        }
        let mut waiting = std::collections::BTreeMap::new();
        for (k, step) in std::mem::take(&mut self.tape).into_iter().enumerate().rev() {
            match step {
                Step::Pointer(record, owner) => {
                    let place = unpack(record).unwrap().unwrap();
                    let (i, offset) = owner.unwrap();
                    let found = self.registry.locate(place).unwrap();
                    assert_eq!(found, self.truth(i, offset, spread), "pointer {k} to object {i}");
                    if found.is_none() {
                        let variable = VARIABLES + 16 * k as u64;
                        let target = Target::Object(place.serial, place.offset);
                        self.registry.wait(variable, Wait::new(target, false), || ());
                        self.registry.wait(variable + 8, Wait::new(target, true), || ());
                        waiting.insert(variable, (i, offset));
                    }
                }
                Step::Birth(i) => {
                    self.registry.unbear(self.lane, self.objects[i].base).unwrap();
                    self.objects[i].alive = false;
                    self.allocator.blocks.remove(&self.objects[i].base);
                }
                Step::Death(i, record) => {
                    let bytes = self.objects[i].bytes;
                    let base = self.allocator.allocate(bytes);
                    let adjoint = (1 << 44) + 1000 * i as u64;
                    let present = Present { base, adjoint_base: adjoint, adjoint_bytes: bytes * spread };
                    let arrivals = self.registry.restore_and_list(self.lane, &record, present).unwrap();
                    self.objects[i] = Truth { base, adjoint, alive: true, ..self.objects[i] };
                    let mut arrived: Vec<_> = arrivals.iter().map(|a| (a.variable, a.value)).collect();
                    arrived.sort_unstable();
                    let expected: Vec<(u64, u64)> = waiting
                        .iter()
                        .filter(|(_, (j, _))| *j == i)
                        .flat_map(|(v, (_, o))| [(*v, base + o), (*v + 8, adjoint + o * spread)])
                        .collect();
                    assert_eq!(arrived, expected);
                    waiting.retain(|_, (j, _)| *j != i);
                }
            }
        }
        assert_eq!(self.registry.list(), []);
        assert!(waiting.is_empty() && self.registry.waiting().is_empty());
    }

    fn truth(&self, i: usize, offset: u64, spread: u64) -> Option<(u64, u64)> {
        let object = self.objects[i];
        let adjoint = if object.adjoint == 0 { 0 } else { object.adjoint + offset * spread };
        object.alive.then_some((object.base + offset, adjoint))
    }
}

/// Every pointer of a forward sweep comes back to the same place of the same object, whatever the addresses do.
#[test]
fn random_programs_find_every_object_again_in_the_reverse_sweep() {
    for seed in 1..=400_u64 {
        for (forward, backward) in
            [(Choice::Lowest, Choice::Lowest), (Choice::Lowest, Choice::Fresh), (Choice::Fresh, Choice::Lowest)]
        {
            let (registry, lane) = registry();
            let allocator = Allocator { choice: forward, next: 4096, blocks: Default::default() };
            let random = Rng::with_seed(seed);
            let mut program =
                Program { registry, lane, random, objects: vec![], past: vec![], allocator, tape: vec![] };
            for _ in 0..120 {
                match program.random.u64(..8) {
                    0..=2 => program.birth(),
                    3 | 4 => program.death(),
                    _ => program.pointer(),
                }
            }
            let alive = program.objects.iter().filter(|object| object.alive).count();
            assert_eq!(program.registry.list().len(), alive, "seed {seed}, {forward:?}, {backward:?}");
            println!("seed {seed}, {forward:?}, {backward:?}: {} objects", program.objects.len());
            program.reverse(backward, 1 + seed % 3);
        }
    }
}

/// Threads that add, find and remove ranges of their own and look at those of all.
#[test]
fn threads_find_what_is_alive_while_others_add_and_remove() {
    let registry = Registry::new();
    let first = registry.claim().unwrap();
    let fixed: Vec<Serial> =
        (0..100).map(|i| registry.add(first, (1 << 40) + 100 * i, 64, RangeKind::Heap, c"fixed").unwrap()).collect();
    std::thread::scope(|scope| {
        for t in 0..4_u64 {
            let (registry, fixed) = (&registry, &fixed);
            scope.spawn(move || {
                let lane = registry.claim().unwrap();
                let mut random = Rng::with_seed(77 + t);
                for round in 0..3000 {
                    let (heap, stack) = ((t + 1) << 32, (t + 11) << 32);
                    let own = registry.add(lane, heap + round % 7 * 64, 64, RangeKind::Heap, c"own").unwrap();
                    registry.add(lane, stack, 16, RangeKind::Stack, c"local").unwrap();
                    let i = random.u64(..100);
                    let place = registry.find(lane, (1 << 40) + 100 * i + 5).unwrap().unwrap();
                    assert_eq!(place, Place { serial: fixed[i as usize], offset: 5 });
                    assert_eq!(registry.locate(place).unwrap(), Some(((1 << 40) + 100 * i + 5, 0)));
                    let place = registry.find(lane, heap + round % 7 * 64 + 64).unwrap().unwrap();
                    assert_eq!(place, Place { serial: own, offset: 64 });
                    let record = RangeRecord::of(&registry.remove(lane, heap + round % 7 * 64).unwrap());
                    registry.restore_and_list(lane, &record, at(heap + 4096)).unwrap();
                    assert_eq!(registry.locate(place).unwrap(), Some((heap + 4096 + 64, 0)));
                    registry.unbear(lane, heap + 4096).unwrap();
                    registry.remove(lane, stack).unwrap();
                }
                registry.give_back(lane);
            });
        }
    });
    assert_eq!(registry.list().len(), 100);
    assert_eq!(registry.births(), 100 + 4 * 3000 * 2);
}

/// Free addresses, given out at random: what one thread gives back another one gets.
struct Pool(std::sync::Mutex<(Rng, Vec<u64>)>);

impl Pool {
    fn take(&self) -> u64 {
        let (random, free) = &mut *self.0.lock().unwrap();
        let i = random.usize(..free.len());
        free.swap_remove(i)
    }

    fn give(&self, base: u64) {
        self.0.lock().unwrap().1.push(base);
    }
}

/// Sweeps forward and backward in several threads at once, over the same few addresses, which touch: dead objects are
/// forgotten while others come back, neighbours end while they are told that they are touched.
#[test]
fn threads_in_both_sweeps_reuse_each_others_addresses() {
    const BYTES: u64 = 64;
    let registry = Registry::new();
    let addresses = (0..60).map(|i| (1 << 32) + BYTES * i).collect();
    let pool = Pool(std::sync::Mutex::new((Rng::with_seed(99), addresses)));
    std::thread::scope(|scope| {
        for t in 0..4_u64 {
            let (registry, pool) = (&registry, &pool);
            scope.spawn(move || {
                let lane = registry.claim().unwrap();
                let mut random = Rng::with_seed(1234 + t);
                for _ in 0..400 {
                    let kind = RangeKind::ALL[random.usize(..5)];
                    let (mut tape, mut alive) = (Vec::new(), Vec::new());
                    for _ in 0..8 {
                        let base = pool.take();
                        let serial = registry.add(lane, base, BYTES, kind, c"x").unwrap();
                        let place = registry.find(lane, base + 8).unwrap().unwrap();
                        assert_eq!(place, Place { serial, offset: 8 });
                        alive.push((base, place));
                        if random.bool() {
                            let (base, place) = alive.swap_remove(random.usize(..alive.len()));
                            tape.push((RangeRecord::of(&registry.remove(lane, base).unwrap()), place));
                            pool.give(base);
                        }
                    }
                    for (record, place) in tape.into_iter().rev() {
                        let base = pool.take();
                        assert_eq!(registry.locate(place).unwrap(), None);
                        assert_eq!(registry.restore_and_list(lane, &record, at(base)).unwrap(), []);
                        assert_eq!(registry.locate(place).unwrap(), Some((base + 8, 0)));
                        alive.push((base, place));
                    }
                    for (base, place) in alive {
                        assert_eq!(registry.find(lane, base + 8).unwrap(), Some(place));
                        assert_eq!(registry.unbear(lane, base).unwrap().serial, place.serial);
                        pool.give(base);
                    }
                }
                registry.give_back(lane);
            });
        }
    });
    assert_eq!(registry.list(), []);
    let mut slots = 0;
    registry.claimed().for_each(|lane| lane.objects.for_each(|_, _| slots += 1));
    assert_eq!(slots, registry.dead(), "an object for each that is remembered");
}
