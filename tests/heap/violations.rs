//! One program for each condition of the heap, which violates it: `docs/heap.md` has the table.

use adtape::{Error, Heap, Status, Tape};

fn pair() -> (Tape, Heap) {
    (Tape::new().unwrap(), Heap::new().unwrap())
}

fn says<T>(result: Result<T, Error>, status: Status, parts: &[&str]) {
    let error = result.err().expect("an error");
    assert_eq!(error.status(), status, "{error}");
    for part in parts {
        assert!(error.message().contains(part), "{part:?} is missing in: {error}");
    }
}

#[test]
fn allocation_in_the_reverse_sweep_that_is_not_undone_is_noticed_by_the_next_undo() {
    let (tape, mut heap) = pair();
    let p = heap.alloc(&tape, 100).unwrap();
    heap.free(&tape, p).unwrap();
    heap.begin_reverse().unwrap();
    let other = Tape::new().unwrap();
    let q = heap.alloc(&other, 100).unwrap();
    says(heap.undo_free(&tape), Status::HeapState, &["not in the state", "at operation 3", "1 block are alive"]);
    heap.undo_alloc(&other).unwrap_err(); // not before the next reversal point
    heap.begin_reverse().unwrap();
    heap.undo_alloc(&other).unwrap();
    assert_eq!(heap.undo_free(&tape).unwrap(), q);
}

#[test]
fn double_free_is_refused() {
    let (tape, mut heap) = pair();
    for bytes in [10, 10_000, 100_000] {
        let p = heap.alloc(&tape, bytes).unwrap();
        heap.free(&tape, p).unwrap();
        says(heap.free(&tape, p), Status::BadBlock, &["in no block that is alive", "freed already"]);
        says(heap.realloc(&tape, p, 5), Status::BadBlock, &["freed already"]);
    }
}

#[test]
fn free_of_a_foreign_pointer_is_refused() {
    let (tape, mut heap) = pair();
    let mut local = 0_u8;
    says(heap.free(&tape, &raw mut local), Status::BadBlock, &["no address of this heap", "malloc"]);
    let adjoint = heap.alloc_adjoint(8).unwrap();
    // It lies in an arena of its own, which is a heap for who asks.
    heap.free_adjoint(adjoint).unwrap();
    says(heap.free(&tape, adjoint), Status::BadBlock, &["no address of this heap"]);
    says(heap.free_adjoint(&raw mut local), Status::BadBlock, &["adtape_heap_alloc_adjoint"]);
    let p = heap.alloc(&tape, 8).unwrap();
    says(heap.free_adjoint(p), Status::BadBlock, &["adtape_heap_alloc_adjoint"]);
    assert_eq!(heap.stats().operations, 1);
}

#[test]
fn free_of_an_interior_pointer_is_refused() {
    let (tape, mut heap) = pair();
    for (bytes, inner) in [(100, 16), (100, 1), (20_000, 64), (20_000, 19_999)] {
        let p = heap.alloc(&tape, bytes).unwrap().wrapping_add(inner);
        says(heap.free(&tape, p), Status::BadBlock, &[&format!("{inner} byte"), "past the beginning of the block"]);
    }
}

#[test]
fn operations_undone_out_of_order_are_noticed() {
    let (tape, mut heap) = pair();
    let p = heap.alloc(&tape, 100).unwrap();
    heap.free(&tape, p).unwrap();
    heap.realloc(&tape, std::ptr::null_mut(), 10).unwrap();
    heap.begin_reverse().unwrap();
    says(heap.undo_alloc(&tape), Status::HeapState, &["an allocation is undone where a realloc was"]);
    says(heap.undo_free(&tape), Status::HeapState, &["a free is undone where a realloc was"]);
    says(heap.pop_mark(&tape), Status::HeapState, &["a mark is undone where a realloc was"]);
    assert!(heap.undo_realloc(&tape).unwrap().is_null());
    says(heap.undo_realloc(&tape), Status::HeapState, &["a realloc is undone where a free was"]);
    heap.undo_free(&tape).unwrap();
    heap.undo_alloc(&tape).unwrap();
    says(heap.undo_alloc(&tape), Status::Underflow, &[]);
}

#[test]
fn record_on_another_tape_is_noticed() {
    let ((tape, mut heap), other) = (pair(), Tape::new().unwrap());
    heap.alloc(&tape, 100).unwrap();
    heap.alloc(&other, 100).unwrap();
    heap.begin_reverse().unwrap();
    says(heap.undo_alloc(&tape), Status::HeapState, &["recorded on another tape"]);
    heap.undo_alloc(&other).unwrap();
    heap.undo_alloc(&tape).unwrap();
}

#[test]
fn what_is_no_record_is_noticed_and_left_on_the_tape() {
    let (tape, mut heap) = pair();
    heap.alloc(&tape, 100).unwrap();
    tape.push(0.0_f64).unwrap();
    heap.begin_reverse().unwrap();
    says(heap.undo_alloc(&tape), Status::HeapState, &["no record of the heap", "ADTAPE_CHECK=1"]);
    assert_eq!(tape.pop::<f64>().unwrap(), 0.0);
    heap.undo_alloc(&tape).unwrap();
}

#[test]
fn section_that_is_run_again_with_another_size_is_noticed() {
    let (tape, mut heap) = pair();
    let p = heap.alloc(&tape, 100).unwrap();
    let start = heap.snapshot();
    heap.free(&tape, p).unwrap();
    heap.alloc(&tape, 1000).unwrap();
    let end = heap.mark();
    heap.begin_reverse().unwrap();
    heap.restore(&start).unwrap();
    assert_eq!(heap.stats().operations, 1);
    heap.free(&tape, p).unwrap();
    heap.alloc(&tape, 1100).unwrap();
    says(heap.check_mark(&end), Status::HeapState, &["then 1.00 KiB (1024 bytes)", "now 1.25 KiB (1280 bytes)"]);
    says(
        heap.begin_reverse(),
        Status::HeapState,
        &["the block of 1024 bytes", "has an adjoint in use and is not alive"],
    );
}

#[test]
fn adjoint_before_the_reversal_point_is_refused() {
    let (tape, mut heap) = pair();
    let p = heap.alloc(&tape, 100).unwrap();
    says(heap.adjoint(p), Status::NoAdjoint, &["has no adjoint yet", "adtape_heap_begin_reverse"]);
    says(heap.undo_alloc(&tape), Status::NoAdjoint, &["before the reversal point", "adtape_heap_begin_reverse"]);
    heap.begin_reverse().unwrap();
    heap.adjoint(p).unwrap();
    let q = heap.alloc(&tape, 100).unwrap(); // a section that is run again
    heap.adjoint(p).unwrap();
    says(heap.adjoint(q), Status::NoAdjoint, &["has no adjoint yet"]);
    says(heap.undo_alloc(&tape), Status::NoAdjoint, &["before the reversal point"]);
    heap.begin_reverse().unwrap();
    heap.adjoint(q).unwrap();
    heap.end_reverse().unwrap();
    says(heap.adjoint(p), Status::NoAdjoint, &["has no adjoint yet"]);
}

/// Without the checked call, it is a segmentation fault rather than a wrong value.
#[test]
fn memory_of_adjoints_is_inaccessible_before_the_reversal_point_and_after_the_end() {
    let (tape, mut heap) = pair();
    let p = heap.alloc(&tape, 100).unwrap();
    let adjoint = p.wrapping_offset(heap.delta());
    assert!(!accessible(adjoint));
    heap.begin_reverse().unwrap();
    assert!(accessible(adjoint));
    // SAFETY: alive, and accessible.
    unsafe { *adjoint = 7 };
    heap.end_reverse().unwrap();
    assert!(!accessible(adjoint));
    heap.begin_reverse().unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { *adjoint }, 0, "a new reversal begins with zero");
}

fn accessible(p: *const u8) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().any(|line| {
        let (range, rest) = line.split_once(' ').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let number = |hex| usize::from_str_radix(hex, 16).unwrap();
        (number(from)..number(to)).contains(&(p as usize)) && rest.starts_with("rw")
    })
}

#[test]
fn distance_of_a_heap_with_other_sizes_of_adjoints_leads_nowhere() {
    let heap = Heap::with_factor(2, 1 << 30).unwrap();
    assert!(heap.delta() > 1 << 50, "beyond the address space");
    says(Heap::with_factor(2000, 0), Status::BadArgument, &["2000 adjoint bytes", "at most 1024"]);
}

#[test]
fn snapshot_of_another_heap_or_a_damaged_one_is_refused_and_nothing_changes() {
    let ((tape, mut heap), (_, mut other)) = (pair(), pair());
    let p = heap.alloc(&tape, 100).unwrap();
    let q = heap.alloc(&tape, 10_000).unwrap();
    let snapshot = heap.snapshot();
    says(other.restore(&snapshot), Status::HeapState, &["of another heap"]);
    for i in (0..8 * 9).filter(|i| !(16..24).contains(i)) {
        let mut damaged = snapshot.clone();
        damaged[i] ^= 0x10;
        assert!(heap.restore(&damaged).is_err(), "byte {i}");
    }
    for length in [0, 8, 39, 40, 70, snapshot.len() - 1] {
        says(heap.restore(&snapshot[..length]), Status::Damaged, &["no snapshot"]);
    }
    assert_eq!(heap.snapshot(), snapshot);
    heap.free(&tape, q).unwrap();
    heap.free(&tape, p).unwrap();
}

#[test]
fn mark_on_the_tape_is_compared_in_full() {
    let ((tape, mut heap), (_, mut other)) = (pair(), pair());
    heap.alloc(&tape, 100).unwrap();
    heap.push_mark(&tape).unwrap();
    says(other.pop_mark(&tape), Status::HeapState, &["a mark is undone and the heap is not in the state"]);
    heap.pop_mark(&tape).unwrap();
}

/// Each operation by itself, as the first of a section: what it changed had no adjoint, or had that of another block.
#[test]
fn every_operation_after_the_reversal_point_asks_for_another_one_before_it_is_undone() {
    type Operation = fn(&mut Heap, &Tape, [*mut u8; 2]) -> Result<*mut u8, Error>;
    let operations: [(&str, Operation); 11] = [
        ("alloc", |heap, tape, _| heap.alloc(tape, 100)),
        ("alloc that opens a chunk", |heap, tape, _| heap.alloc(tape, 3000)),
        ("alloc of a large block", |heap, tape, _| heap.alloc(tape, 50_000)),
        ("free", |heap, tape, [small, _]| heap.free(tape, small).map(|()| small)),
        ("free of a large block", |heap, tape, [_, large]| heap.free(tape, large).map(|()| large)),
        ("free that saves", |heap, tape, [small, _]| heap.free_saving(tape, small).map(|()| small)),
        ("realloc that stays", |heap, tape, [_, large]| heap.realloc(tape, large, 20_000)),
        ("realloc that grows", |heap, tape, [_, large]| heap.realloc(tape, large, 90_000)),
        ("realloc that moves", |heap, tape, [small, _]| heap.realloc(tape, small, 500)),
        ("realloc to a large block", |heap, tape, [small, _]| heap.realloc(tape, small, 50_000)),
        ("realloc of NULL", |heap, tape, _| heap.realloc(tape, std::ptr::null_mut(), 10)),
    ];
    for (name, operation) in operations {
        let (tape, mut heap) = pair();
        let blocks = [100, 40_000].map(|bytes| heap.alloc(&tape, bytes).unwrap());
        heap.begin_reverse().unwrap();
        operation(&mut heap, &tape, blocks).unwrap();
        let undo = |heap: &mut Heap| match name.split(' ').next() {
            Some("alloc") => heap.undo_alloc(&tape),
            Some("free") => heap.undo_free(&tape).map(drop),
            _ => heap.undo_realloc(&tape).map(drop),
        };
        says(undo(&mut heap), Status::NoAdjoint, &["before the reversal point"]);
        // Blocks that had an adjoint and are gone are not there at the reversal point.
        match heap.begin_reverse() {
            Ok(()) => undo(&mut heap).unwrap(),
            error => says(error, Status::HeapState, &["has an adjoint in use and is not alive"]),
        }
    }
}

#[test]
fn block_that_comes_at_an_address_whose_adjoint_held_values_begins_with_zero() {
    for bytes in [100, 50_000] {
        let (tape, mut heap) = pair();
        let _below = heap.alloc(&tape, bytes).unwrap();
        let start = heap.snapshot();
        let p = heap.alloc(&tape, bytes).unwrap();
        heap.begin_reverse().unwrap();
        // SAFETY: the adjoint of a block that is alive.
        unsafe { heap.adjoint(p).unwrap().write_bytes(7, bytes) };
        heap.undo_alloc(&tape).unwrap();
        heap.restore(&start).unwrap();
        assert_eq!(heap.alloc(&tape, bytes).unwrap(), p);
        heap.begin_reverse().unwrap();
        let adjoint = heap.adjoint(p).unwrap();
        // SAFETY: as above.
        assert!((0..bytes).all(|i| unsafe { *adjoint.add(i) } == 0), "{bytes} bytes");
    }
}

#[test]
fn block_with_an_adjoint_that_is_missing_is_named_wherever_it_lies() {
    for missing in 0..4 {
        let (tape, mut heap) = pair();
        let blocks = [100, 100, 20_000, 20_000].map(|bytes| heap.alloc(&tape, bytes).unwrap());
        heap.begin_reverse().unwrap();
        heap.free(&tape, blocks[missing]).unwrap();
        let named = format!("at {:p} has an adjoint in use", blocks[missing]);
        says(heap.begin_reverse(), Status::HeapState, &[&named]);
    }
}

// ---- threads ---------------------------------------------------------------------------------------------

struct Address(*mut u8);
// SAFETY: tests hand blocks over by joining threads.
unsafe impl Send for Address {}

/// Heaps move between threads as tapes do; a block of another one is kept until its free is undone.
#[test]
fn block_freed_by_another_thread_keeps_its_address_until_that_is_undone() {
    let ((tape, mut heap), (other_tape, mut other)) = (pair(), pair());
    let p = heap.alloc(&tape, 100).unwrap();
    // SAFETY: alive.
    unsafe { *p = 42 };
    let address = Address(p);
    let (other_tape, mut other) = std::thread::spawn(move || {
        let address = address;
        other.free_saving(&other_tape, address.0).unwrap();
        says(other.free(&other_tape, address.0), Status::BadBlock, &["another thread's heap, was freed already"]);
        (other_tape, other)
    })
    .join()
    .unwrap();
    assert_eq!(heap.stats().quarantined_blocks, 1);
    assert_ne!(heap.alloc(&tape, 100).unwrap(), p, "its address is not used again");
    says(heap.free(&tape, p), Status::BadBlock, &["which another thread freed"]);
    // SAFETY: kept aside, so still there.
    unsafe { *p = 0 };
    heap.begin_reverse().unwrap();
    heap.undo_alloc(&tape).unwrap();
    says(heap.undo_alloc(&tape), Status::BadBlock, &["another thread freed", "that thread undoes its free first"]);
    other.begin_reverse().unwrap();
    assert_eq!(other.undo_free(&other_tape).unwrap(), p);
    // SAFETY: alive again.
    assert_eq!(unsafe { *p }, 42);
    heap.undo_alloc(&tape).unwrap();
    assert_eq!(heap.stats().blocks, 0);
}

#[test]
fn block_of_another_heap_comes_back_after_that_heaps_reversal_point_only() {
    let ((tape, mut heap), (other_tape, mut other)) = (pair(), pair());
    let p = heap.alloc(&tape, 20_000).unwrap();
    other.free(&other_tape, p).unwrap();
    other.begin_reverse().unwrap();
    says(other.undo_free(&other_tape), Status::NoAdjoint, &["before that heap's reversal point"]);
    heap.begin_reverse().unwrap();
    heap.end_reverse().unwrap();
    says(other.undo_free(&other_tape), Status::NoAdjoint, &["before that heap's reversal point"]);
    heap.begin_reverse().unwrap();
    assert_eq!(other.undo_free(&other_tape).unwrap(), p);
    heap.undo_alloc(&tape).unwrap();
}

#[test]
fn free_of_another_heap_that_is_gone_is_noticed() {
    let ((tape, mut heap), (other_tape, mut other)) = (pair(), pair());
    let p = heap.alloc(&tape, 100).unwrap();
    other.free(&other_tape, p).unwrap();
    drop(heap);
    other.begin_reverse().unwrap();
    says(other.undo_free(&other_tape), Status::HeapState, &["does not exist any more"]);
    says(other.free(&other_tape, p), Status::BadBlock, &["no address of this heap"]);
}

/// It was taken for a block of another thread's heap, and went into quarantine.
#[test]
fn free_of_a_block_for_adjoints_only_is_refused() {
    let (tape, mut heap) = pair();
    let mut other = Heap::new().unwrap();
    let adjoint = other.alloc_adjoint(8).unwrap();
    for heap in [&mut heap, &mut other] {
        says(heap.free(&tape, adjoint), Status::BadBlock, &["no address of this heap"]);
        says(heap.realloc(&tape, adjoint, 80), Status::BadBlock, &["no address of this heap"]);
    }
    other.free_adjoint(adjoint).unwrap();
}

#[test]
fn realloc_of_a_block_of_another_threads_heap_is_refused_with_what_to_do() {
    let (tape, mut heap) = pair();
    let mut other = Heap::new().unwrap();
    for bytes in [100, 100_000] {
        let p = other.alloc(&tape, bytes).unwrap();
        says(heap.realloc(&tape, p, 5), Status::BadBlock, &["another thread's heap", "allocate here, copy, and free"]);
        // What it says can be done, and undone.
        let q = heap.alloc(&tape, bytes).unwrap();
        heap.free(&tape, p).unwrap();
        says(other.realloc(&tape, p, 5), Status::BadBlock, &["another thread freed"]);
        heap.begin_reverse().unwrap();
        other.begin_reverse().unwrap();
        assert_eq!(heap.undo_free(&tape).unwrap(), p);
        heap.undo_alloc(&tape).unwrap();
        other.undo_alloc(&tape).unwrap();
        assert_ne!(q, p);
    }
}
