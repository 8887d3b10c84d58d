//! The stable heap against a naive model, in random programs that run forward, backward, and sections of them again;
//! and programs that violate its conditions, each of which it must notice.

mod common;
#[path = "heap/model.rs"]
mod model;
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

/// One class with eight slots to a chunk: chunks fill, have room again, are empty and open anew all the time.
#[test]
fn block_goes_to_the_lowest_free_slot_of_the_lowest_open_chunk_with_room_or_to_the_lowest_chunk_without_a_block() {
    const BYTES: usize = 8 << 10;
    for seed in 1..20 {
        let (tape, mut heap, mut rng) =
            (Tape::new().unwrap(), Heap::with_factor(0, 1 << 30).unwrap(), Rng::with_seed(seed));
        let base = heap.ranges()[0].0;
        let mut chunks = [0_u8; 100];
        for step in 0..1000 {
            let taken = chunks.iter().map(|chunk| chunk.count_ones() as usize).sum::<usize>();
            // More and less by turns.
            if taken == 0 || taken < 100 && rng.usize(..10) < [3, 7][step / 100 % 2] {
                let open = chunks.iter().position(|chunk| ![0, u8::MAX].contains(chunk));
                let i = open.or_else(|| chunks.iter().position(|chunk| *chunk == 0)).unwrap();
                let slot = chunks[i].trailing_ones() as usize;
                let p = heap.alloc(&tape, BYTES).unwrap();
                assert_eq!(p.addr() - base, (8 * i + slot) * BYTES, "seed {seed}, step {step}");
                chunks[i] |= 1 << slot;
            } else {
                let mut slots = (0..800).filter(|slot| chunks[slot / 8] >> (slot % 8) & 1 != 0);
                let slot = slots.nth(rng.usize(..taken)).unwrap();
                heap.free(&tape, (base + slot * BYTES) as *mut u8).unwrap();
                chunks[slot / 8] &= !(1 << (slot % 8));
            }
        }
    }
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
