//! The stable heap against a naive model, in random programs that run forward, backward, and sections of them again;
//! and programs that violate its conditions, each of which it must notice.

mod common;
#[path = "heap/model.rs"]
mod model;
#[path = "../src/part.rs"]
mod part;
#[path = "heap/violations.rs"]
mod violations;

use adtape::{Heap, HeapMark, Tape};
use fastrand::Rng;
use model::{Adjoints, Program, Step};

/// Runs `steps` operations forward; what was alive before each is kept.
fn forward(heap: &mut Heap, tape: &Tape, program: &mut Program, steps: usize) -> Vec<(Step, Program, HeapMark)> {
    let mut done = Vec::new();
    for _ in 0..steps {
        let (before, mark) = (program.clone(), heap.mark());
        let step = program.step(heap, tape);
        program.check(heap);
        done.push((step, before, mark));
    }
    done
}

/// Undoes them; after each, everything that was alive before it is there again, where it was, with its contents.
fn backward(
    heap: &mut Heap,
    tape: &Tape,
    program: &mut Program,
    adjoints: &mut Adjoints,
    done: Vec<(Step, Program, HeapMark)>,
) {
    for (step, before, mark) in done.into_iter().rev() {
        program.undo(heap, tape, step, &before, adjoints);
        heap.check_mark(&mark).unwrap();
        assert_eq!(*program, before, "seed {}", program.seed);
        program.check(heap);
    }
}

#[test]
fn reverse_sweep_of_random_programs_gives_every_block_its_address_contents_and_adjoint() {
    let (first, count) = model::seeds(400);
    for seed in first..first + count {
        let (tape, mut heap) = (Tape::new().unwrap(), Heap::with_factor(seed as usize % 3, 1 << 30).unwrap());
        let mut program = Program::new(seed, heap.ranges()[0].0);
        let done = forward(&mut heap, &tape, &mut program, 150);
        heap.begin_reverse().unwrap();
        let mut adjoints = Adjoints::default();
        adjoints.begin_reverse(&program, &heap);
        backward(&mut heap, &tape, &mut program, &mut adjoints, done);
        assert_eq!((heap.stats().blocks, tape.stats().unwrap().bytes), (0, 0), "seed {seed}");
        assert_eq!(heap.mark().operations, 0, "seed {seed}");
        heap.end_reverse().unwrap();
    }
}

/// The forward sweep runs once without records; then each section is run again from its snapshot, the second half of it
/// recorded and reversed first, then the first half, as a schedule of checkpoints would.
#[test]
fn sections_that_are_run_again_from_snapshots_are_reversed_to_the_beginning() {
    let (first, count) = model::seeds(150);
    for seed in first..first + count {
        let (tape, mut heap) = (Tape::new().unwrap(), Heap::with_factor(1, 1 << 30).unwrap());
        let mut program = Program::new(seed, heap.ranges()[0].0);
        heap.set_recording(false);
        let mut checkpoints = Vec::new();
        for _ in 0..8 {
            checkpoints.push((heap.snapshot(), program.clone(), heap.mark()));
            forward(&mut heap, &tape, &mut program, 20);
        }
        heap.begin_reverse().unwrap();
        let mut adjoints = Adjoints::default();
        adjoints.begin_reverse(&program, &heap);
        let mut end = heap.mark();
        while let Some((snapshot, then, mark)) = checkpoints.pop() {
            // To the middle, and from there recorded.
            heap.restore(&snapshot).unwrap();
            heap.check_mark(&mark).unwrap();
            program = then.clone();
            heap.set_recording(false);
            forward(&mut heap, &tape, &mut program, 10);
            let (middle, at_middle, middle_mark) = (heap.snapshot(), program.clone(), heap.mark());
            heap.restore(&middle).unwrap();
            program.check(&heap);
            heap.set_recording(true);
            let done = forward(&mut heap, &tape, &mut program, 10);
            heap.check_mark(&end).unwrap();
            heap.begin_reverse().unwrap();
            adjoints.begin_reverse(&program, &heap);
            backward(&mut heap, &tape, &mut program, &mut adjoints, done);
            assert_eq!(program.blocks(), at_middle.blocks());
            // The first half, from the snapshot again.
            heap.restore(&snapshot).unwrap();
            program = then;
            let done = forward(&mut heap, &tape, &mut program, 10);
            heap.check_mark(&middle_mark).unwrap();
            heap.begin_reverse().unwrap();
            adjoints.begin_reverse(&program, &heap);
            backward(&mut heap, &tape, &mut program, &mut adjoints, done);
            heap.set_recording(false);
            end = mark;
        }
        assert_eq!(heap.stats().blocks, 0, "seed {seed}");
    }
}

/// Trial steps that are rejected: undone and run again, with another outcome.
#[test]
fn partial_reversals_and_new_forward_runs_alternate() {
    let (first, count) = model::seeds(200);
    for seed in first..first + count {
        let (tape, mut heap) = (Tape::new().unwrap(), Heap::with_factor(0, 1 << 30).unwrap());
        let mut program = Program::new(seed, heap.ranges()[0].0);
        let (mut rng, mut done) = (Rng::with_seed(seed), Vec::new());
        for _ in 0..12 {
            done.extend(forward(&mut heap, &tape, &mut program, rng.usize(..30)));
            let keep = rng.usize(..done.len() + 1);
            let undone = done.split_off(keep);
            backward(&mut heap, &tape, &mut program, &mut Adjoints::default(), undone);
            program.turn(rng.u64(..));
        }
        backward(&mut heap, &tape, &mut program, &mut Adjoints::default(), done);
        assert_eq!((heap.stats().blocks, tape.stats().unwrap().bytes), (0, 0), "seed {seed}");
    }
}

/// What the naive model knows is which blocks are alive, and nothing of how they came to be.
#[test]
fn place_of_a_block_depends_on_the_blocks_alive_only() {
    let (first, count) = model::seeds(60);
    for seed in first..first + count {
        let (tape, mut heap) = (Tape::new().unwrap(), Heap::with_factor(0, 1 << 30).unwrap());
        let mut program = Program::plain(seed, heap.ranges()[0].0);
        heap.set_recording(false);
        for _ in 0..300 {
            let predicted = program.predict(&heap);
            let step = program.step(&mut heap, &tape);
            if let Some((bytes, at)) = predicted.filter(|_| matches!(step, Step::Alloc)) {
                assert_eq!(program.last(), at, "seed {seed}: {bytes} bytes");
            }
        }
    }
}

#[test]
fn pages_of_free_intervals_go_back_when_asked_and_read_as_zero_when_used_again() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let p = heap.alloc(&tape, 64 << 20).unwrap();
    let small: Vec<_> = (0..10_000).map(|_| heap.alloc(&tape, 1000).unwrap()).collect();
    // SAFETY: the block is alive.
    unsafe { p.write_bytes(1, 64 << 20) };
    heap.free(&tape, p).unwrap();
    small.into_iter().for_each(|p| heap.free(&tape, p).unwrap());
    let before = heap.stats();
    assert!(before.committed_bytes >= 73 << 20, "kept warm: {before:?}");
    assert!(heap.trim() >= 64 << 20);
    assert_eq!(heap.stats().committed_bytes, 0);
    heap.begin_reverse().unwrap();
    for _ in 0..10_000 {
        heap.undo_free(&tape).unwrap();
    }
    assert_eq!(heap.undo_free(&tape).unwrap(), p);
    // SAFETY: the block is alive again.
    assert_eq!(unsafe { *p.add(1 << 20) }, 0);
    assert!(heap.stats().committed_bytes >= 73 << 20);
}

/// A mesh that changes all the time, and never has more than so many cells.
#[test]
fn memory_stays_in_proportion_to_what_is_alive() {
    let (tape, mut heap, mut rng) = (Tape::new().unwrap(), Heap::new().unwrap(), Rng::with_seed(1));
    let mark = tape.mark().unwrap();
    let mut alive: Vec<*mut u8> = Vec::new();
    for round in 0..300_000 {
        if round % 1000 == 0 {
            tape.reset_to(&mark).unwrap(); // the heap's memory is meant, not the tape's
        }
        if alive.len() == 2000 {
            let i = rng.usize(..alive.len());
            heap.free(&tape, alive.swap_remove(i)).unwrap();
        }
        let bytes = match rng.usize(..100) {
            0 => 8 << 10 << rng.usize(..4),
            _ => 16 + rng.usize(..2000),
        };
        alive.push(heap.alloc(&tape, bytes).unwrap());
    }
    let stats = heap.stats();
    assert!(stats.committed_bytes < 4 * stats.peak_bytes + (8 << 20), "{stats:?}");
    assert!(stats.overhead_bytes < stats.committed_bytes / 4 + (1 << 20), "{stats:?}");
}

/// One class with eight slots to a chunk: chunks fill, have room again, are empty and open anew all the time, and by what
/// is undone too.
#[test]
fn block_goes_to_the_lowest_free_slot_of_the_lowest_open_chunk_with_room_or_to_the_lowest_chunk_without_a_block() {
    const BYTES: usize = 8 << 10;
    for seed in 1..20 {
        let (tape, mut heap, mut rng) =
            (Tape::new().unwrap(), Heap::with_factor(0, 1 << 30).unwrap(), Rng::with_seed(seed));
        let base = heap.ranges()[0].0;
        let mut chunks = [0_u8; 100];
        // The slots of the operations that are not undone.
        let mut done: Vec<usize> = Vec::new();
        for step in 0..1000 {
            let taken = chunks.iter().map(|chunk| chunk.count_ones() as usize).sum::<usize>();
            let slot = if let Some(slot) = done.pop_if(|_| rng.usize(..4) == 0) {
                match chunks[slot / 8] >> (slot % 8) & 1 {
                    0 => assert_eq!(heap.undo_free(&tape).unwrap().addr() - base, slot * BYTES),
                    _ => heap.undo_alloc(&tape).unwrap(),
                }
                slot
            // More and less by turns.
            } else if taken == 0 || taken < 100 && rng.usize(..10) < [3, 7][step / 100 % 2] {
                let open = chunks.iter().position(|chunk| ![0, u8::MAX].contains(chunk));
                let i = open.or_else(|| chunks.iter().position(|chunk| *chunk == 0)).unwrap();
                let slot = 8 * i + chunks[i].trailing_ones() as usize;
                let p = heap.alloc(&tape, BYTES).unwrap();
                assert_eq!(p.addr() - base, slot * BYTES, "seed {seed}, step {step}");
                done.push(slot);
                slot
            } else {
                let mut slots = (0..800).filter(|slot| chunks[slot / 8] >> (slot % 8) & 1 != 0);
                let slot = slots.nth(rng.usize(..taken)).unwrap();
                heap.free(&tape, (base + slot * BYTES) as *mut u8).unwrap();
                done.push(slot);
                slot
            };
            chunks[slot / 8] ^= 1 << (slot % 8);
        }
    }
}

/// In chunks that are open and in new ones, of small and of large blocks.
#[test]
fn operations_that_are_not_recorded_leave_the_tape_alone_and_count() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let kept = heap.alloc(&tape, 100).unwrap();
    let (bytes, mark) = (tape.stats().unwrap().bytes, heap.mark());
    heap.set_recording(false);
    for size in [100, 5000, 50_000] {
        let p = heap.alloc(&tape, size).unwrap();
        let q = heap.realloc(&tape, p, size + 1000).unwrap();
        heap.free(&tape, q).unwrap();
    }
    heap.free(&tape, std::ptr::null_mut()).unwrap();
    assert_eq!(tape.stats().unwrap().bytes, bytes);
    assert_eq!(heap.mark(), HeapMark { operations: mark.operations + 10, ..mark });
    heap.set_recording(true);
    heap.free(&tape, kept).unwrap();
    heap.begin_reverse().unwrap();
    assert_eq!(heap.undo_free(&tape).unwrap(), kept);
}

/// The adjoint of a fixed point: the last turn's records are read again and again. What it allocates it frees, so that
/// the heap is at the end of the turn again when its operations are undone.
#[test]
fn operations_in_a_repeat_region_are_undone_in_every_pass() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let before = [8, 100].map(|bytes| heap.alloc(&tape, bytes).unwrap());
    let start = tape.stats().unwrap().bytes;
    let sizes = [16, 100, 100, 8192, 3000, 50_000, 100];
    let blocks = sizes.map(|bytes| heap.alloc(&tape, bytes).unwrap());
    for i in [3, 0, 6, 5, 1, 2, 4] {
        heap.free(&tape, blocks[i]).unwrap();
    }
    heap.begin_reverse().unwrap();
    let mark = heap.mark();
    tape.repeat_start().unwrap();
    for pass in 0..4 {
        for i in [4, 2, 1, 5, 6, 0, 3] {
            assert_eq!(heap.undo_free(&tape).unwrap(), blocks[i], "pass {pass}");
            // What the adjoint of one pass held is gone in the next.
            let adjoint = heap.adjoint(blocks[i]).unwrap();
            // SAFETY: the block is alive, and at the reversal point its adjoint is too.
            unsafe {
                assert_eq!(*adjoint, 0, "pass {pass}");
                *adjoint = 7;
            }
            // In between, values go over the records that are to be read again.
            tape.push(i as i64).unwrap();
            assert_eq!(tape.pop::<i64>().unwrap(), i as i64);
        }
        for _ in sizes {
            heap.undo_alloc(&tape).unwrap();
        }
        assert_eq!(heap.mark().fingerprint, mark.fingerprint, "pass {pass}");
        if pass < 3 {
            tape.repeat_reset().unwrap();
        }
    }
    tape.repeat_end().unwrap();
    assert_eq!(tape.stats().unwrap().bytes, start);
    for _ in before {
        heap.undo_alloc(&tape).unwrap();
    }
    assert_eq!((heap.stats().blocks, tape.stats().unwrap().bytes), (0, 0));
}

#[test]
fn large_block_goes_where_it_fits_exactly() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let [_, large, _, exact, _] = [20, 50, 20, 30, 20].map(|kib| heap.alloc(&tape, kib << 10).unwrap());
    heap.free(&tape, large).unwrap();
    heap.free(&tape, exact).unwrap();
    assert_eq!(heap.alloc(&tape, 30 << 10).unwrap(), exact);
    assert_eq!(heap.alloc(&tape, 30 << 10).unwrap(), large);
}

#[test]
fn realloc_leaves_a_block_where_it_is_while_its_size_class_is_the_same_and_where_there_is_room_behind_it() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let p = heap.alloc(&tape, 1000).unwrap();
    assert_eq!(heap.realloc(&tape, p, 900).unwrap(), p);
    assert_eq!(heap.realloc(&tape, p, 1024).unwrap(), p);
    assert_ne!(heap.realloc(&tape, p, 1025).unwrap(), p);
    let large = heap.alloc(&tape, 20_000).unwrap();
    assert_eq!(heap.realloc(&tape, large, 200_000).unwrap(), large);
    assert_eq!(heap.realloc(&tape, large, 30_000).unwrap(), large);
    heap.alloc(&tape, 20_000).unwrap();
    assert_eq!(heap.realloc(&tape, large, 30_016).unwrap(), large, "up to a multiple of 64");
    assert_ne!(heap.realloc(&tape, large, 30_017).unwrap(), large);
    heap.begin_reverse().unwrap();
    heap.undo_realloc(&tape).unwrap();
    assert_eq!(heap.undo_realloc(&tape).unwrap(), large);
}

/// A chunk that lost its only block before the reversal point had no adjoints then.
#[test]
fn block_that_comes_back_into_an_empty_chunk_has_an_adjoint_of_zero() {
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    for bytes in [16, 300, 8192] {
        let before = heap.mark();
        let p = heap.alloc(&tape, bytes).unwrap();
        heap.free(&tape, p).unwrap();
        heap.begin_reverse().unwrap();
        for value in [1, 2] {
            assert_eq!(heap.undo_free(&tape).unwrap(), p);
            let adjoint = heap.adjoint(p).unwrap();
            // SAFETY: the adjoint of a block that is alive.
            unsafe {
                assert!((0..bytes).all(|i| adjoint.add(i).read() == 0), "{bytes}");
                adjoint.write_bytes(value, bytes);
            }
            heap.free(&tape, p).unwrap();
            heap.end_reverse().unwrap();
            heap.begin_reverse().unwrap();
        }
        heap.undo_free(&tape).unwrap();
        heap.undo_alloc(&tape).unwrap();
        heap.end_reverse().unwrap();
        heap.check_mark(&before).unwrap();
    }
}
