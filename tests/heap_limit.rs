//! The stable heap at the memory limit, which is the process's: where it makes room by giving free memory back, nothing
//! that is alive loses its own, and what fails has changed nothing.

#[path = "../src/part.rs"]
mod part;

use adtape::{Error, Heap, Spill, Status, Tape, process};
use fastrand::Rng;
use part::part;
use std::sync::{Mutex, MutexGuard};

const MIB: usize = 1 << 20;

/// One test at a time has the limit.
struct Limit(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Limit {
    fn begin() -> Limit {
        static TURN: Mutex<()> = Mutex::new(());
        Limit(TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Leaves so many bytes until the limit.
    fn leave(&self, bytes: usize) {
        process::set_memory_limit(Some(process::memory().committed_bytes + bytes as u64));
    }

    fn lift(&self) {
        process::set_memory_limit(None);
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        self.lift();
    }
}

/// A store for spilled tape, in memory that is on nobody's account.
#[derive(Default)]
struct Aside(Vec<u8>);

impl Spill for Aside {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let (from, to) = (offset as usize, offset as usize + bytes.len());
        self.0.resize(self.0.len().max(to), 0);
        self.0[from..to].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
        Ok(())
    }
}

fn tape_that_spills() -> Tape {
    Tape::new().unwrap().with_spill(Box::<Aside>::default()).unwrap()
}

fn fill(p: *mut u8, bytes: usize, value: u8) {
    // SAFETY: the tests pass blocks that are alive, or their adjoints.
    unsafe { p.write_bytes(value, bytes) };
}

fn all(p: *const u8, bytes: usize, value: u8) -> bool {
    // SAFETY: as for `fill`.
    unsafe { std::slice::from_raw_parts(p, bytes) }.iter().all(|byte| *byte == value)
}

/// What made room for the second adjoint took the first, which nobody seemed to have before the reversal point was over.
#[test]
fn reversal_point_at_the_limit_keeps_the_adjoints_that_it_has_given() {
    let limit = Limit::begin();
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let [a, gap, c] = [0; 3].map(|_| heap.alloc(&tape, 8 * MIB).unwrap());
    heap.free(&tape, gap).unwrap();
    limit.leave(9 * MIB);
    heap.begin_reverse().unwrap();
    for (p, value) in [(a, 1), (c, 2)] {
        fill(heap.adjoint(p).unwrap(), 8 * MIB, value);
    }
    assert!(all(heap.adjoint(a).unwrap(), 8 * MIB, 1));
    assert!(heap.stats().adjoint_committed_bytes >= 16 << 20, "both are on account");
}

/// What made room for its adjoint took the memory of the block that was about to come back.
#[test]
fn block_that_comes_back_at_the_limit_keeps_its_memory() {
    let limit = Limit::begin();
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let [b, above] = [0; 2].map(|_| heap.alloc(&tape, 8 * MIB).unwrap());
    heap.free(&tape, above).unwrap();
    heap.free(&tape, b).unwrap();
    heap.begin_reverse().unwrap();
    limit.leave(4 * MIB);
    assert_eq!(heap.undo_free(&tape).unwrap(), b);
    fill(b, 8 * MIB, 3);
    assert!(all(heap.adjoint(b).unwrap(), 8 * MIB, 0));
    limit.leave(0);
    let mark = heap.mark();
    assert_eq!(heap.undo_free(&tape).unwrap_err().status(), Status::MemoryLimit);
    heap.check_mark(&mark).unwrap();
    limit.lift();
    assert_eq!(heap.undo_free(&tape).unwrap(), above);
    fill(above, 8 * MIB, 4);
    assert!(all(b, 8 * MIB, 3));
}

/// A block that grows back in place.
#[test]
fn block_that_grows_back_at_the_limit_keeps_its_memory() {
    let limit = Limit::begin();
    let (tape, mut heap) = (Tape::new().unwrap(), Heap::new().unwrap());
    let p = heap.alloc(&tape, 16 * MIB).unwrap();
    assert_eq!(heap.realloc(&tape, p, 8 * MIB).unwrap(), p);
    heap.begin_reverse().unwrap();
    fill(p, 8 * MIB, 5);
    limit.leave(0);
    let mark = heap.mark();
    assert_eq!(heap.undo_realloc(&tape).unwrap_err().status(), Status::MemoryLimit);
    heap.check_mark(&mark).unwrap();
    limit.lift();
    assert_eq!(heap.undo_realloc(&tape).unwrap(), p);
    assert!(all(p, 8 * MIB, 5));
    fill(p, 16 * MIB, 6);
    assert!(all(heap.adjoint(p).unwrap(), 16 * MIB, 0));
}

/// Each word less than it takes: what was pushed of the record comes off again, and a block of another heap is not kept aside.
#[test]
fn operation_whose_record_has_no_room_on_the_tape_changes_nothing() {
    type Operation = fn(&mut Heap, &Tape, [*mut u8; 3]) -> Result<(), Error>;
    let operations: [Operation; 8] = [
        |heap, tape, _| heap.alloc(tape, 48).map(drop),
        |heap, tape, [small, ..]| heap.free(tape, small),
        |heap, tape, [small, ..]| heap.free_saving(tape, small),
        |heap, tape, [_, large, _]| heap.free(tape, large),
        |heap, tape, [small, ..]| heap.realloc(tape, small, 8).map(drop),
        |heap, tape, [small, ..]| heap.realloc_saving(tape, small, 8).map(drop),
        |heap, tape, [.., other]| heap.free(tape, other),
        |heap, tape, [.., other]| heap.free_saving(tape, other),
    ];
    for (i, operation) in operations.into_iter().enumerate() {
        let limit = Limit::begin();
        let (tape, mut heap, mut owner) = (Tape::new().unwrap(), Heap::new().unwrap(), Heap::new().unwrap());
        let aside = Tape::new().unwrap();
        let blocks = [48, 9_000].map(|bytes| heap.alloc(&aside, bytes).unwrap());
        let blocks = [blocks[0], blocks[1], owner.alloc(&aside, 48).unwrap()];
        heap.alloc(&aside, 16).unwrap(); // the chunk that a realloc needs
        let mut words = 1_i64;
        tape.push(0_i64).unwrap();
        limit.leave(0);
        while tape.push(words).is_ok() {
            words += 1;
        }
        let mut refused = 0;
        loop {
            let (bytes, mark) = (tape.stats().unwrap().bytes, heap.mark());
            match operation(&mut heap, &tape, blocks) {
                Ok(()) => break,
                Err(error) => assert_eq!(error.status(), Status::MemoryLimit, "operation {i}: {error}"),
            }
            assert_eq!(tape.stats().unwrap().bytes, bytes, "operation {i}, {refused} words short");
            heap.check_mark(&mark).unwrap();
            assert_eq!((heap.stats().operations, owner.stats().quarantined_blocks), (3, 0));
            words -= 1;
            assert_eq!(tape.pop::<i64>().unwrap(), words, "operation {i}");
            refused += 1;
            assert!(refused < 40, "operation {i}");
        }
        assert!(refused > 0, "operation {i}");
    }
}

#[test]
fn of_free_intervals_the_one_that_has_been_free_for_longest_gives_its_memory_first() {
    for oldest in 0..2 {
        let limit = Limit::begin();
        let (tape, mut heap) = (Tape::new().unwrap(), Heap::with_factor(0, 1 << 30).unwrap());
        let [first, _, second, _] = [8 * MIB, MIB, 9 * MIB, MIB].map(|bytes| heap.alloc(&tape, bytes).unwrap());
        let gaps = [(first, 8 * MIB), (second, 9 * MIB)];
        limit.leave(0);
        while heap.alloc(&tape, MIB).is_ok() {} // into what is kept above them
        [oldest, 1 - oldest].into_iter().for_each(|i| heap.free(&tape, gaps[i].0).unwrap());
        limit.leave(0);
        heap.alloc(&tape, 100).unwrap(); // the first chunk, whose memory one of them gives
        limit.leave(0);
        let (p, bytes) = gaps[1 - oldest];
        assert_eq!(heap.alloc(&tape, bytes).unwrap(), p, "it kept its memory");
        assert_eq!(heap.alloc(&tape, gaps[oldest].1).unwrap_err().status(), Status::MemoryLimit, "it gave its own");
    }
}

/// A heap failed while the tape, which had taken the rest of the limit, could have spilled it.
#[test]
fn heap_at_the_limit_gets_what_its_tape_keeps_warm_and_what_it_can_spill() {
    let values: Vec<i64> = (0..2 * MIB as i64).collect();
    let mut found = vec![0; values.len()];
    for spills in [false, true] {
        let limit = Limit::begin();
        let (tape, mut heap) = (if spills { tape_that_spills() } else { Tape::new().unwrap() }, Heap::new().unwrap());
        let begins = heap.alloc(&tape, 100).unwrap();
        tape.push_slice(&values).unwrap();
        if !spills {
            tape.pop_slice(&mut found).unwrap();
        }
        limit.leave(0);
        let p = heap.alloc(&tape, 8 * MIB).unwrap();
        fill(p, 8 * MIB, 3);
        assert_eq!(tape.stats().unwrap().spilled_bytes > 0, spills);
        limit.lift();
        heap.begin_reverse().unwrap();
        limit.leave(0);
        heap.undo_alloc(&tape).unwrap();
        if spills {
            tape.pop_slice(&mut found).unwrap();
            assert_eq!(found, values);
        }
        heap.undo_alloc(&tape).unwrap();
        assert_eq!((tape.stats().unwrap().bytes, heap.stats().blocks), (0, 0), "{begins:p}");
    }
}

/// The size of a block: nothing, small ones, large ones, and those whose memory goes back.
fn block_bytes(rng: &mut Rng) -> usize {
    match rng.u32(..8) {
        0 => 0,
        1..=3 => rng.usize(..9000),
        4 => rng.usize(..100_000),
        _ => rng.usize(..3 * MIB),
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Block {
    at: *mut u8,
    bytes: usize,
    value: u8,
    /// Of every byte of its adjoint.
    adjoint: u8,
}

enum Step {
    Alloc,
    Free(usize),
    Realloc(usize),
}

/// Does something at a limit that leaves it little or nothing. If that is refused, nothing has changed, and without a
/// limit it is done.
fn at_the_limit<T>(
    limit: &Limit,
    rng: &mut Rng,
    (heap, tape): (&mut Heap, &Tape),
    mut act: impl FnMut(&mut Heap) -> Result<T, Error>,
) -> T {
    limit.leave([0, 4096, MIB, 4 * MIB][rng.usize(..4)]);
    let (mark, on_tape) = (heap.mark(), tape.stats().unwrap().bytes);
    let result = act(heap).or_else(|error| {
        assert_eq!(error.status(), Status::MemoryLimit, "{error}");
        assert_eq!((heap.mark(), tape.stats().unwrap().bytes), (mark, on_tape));
        limit.lift();
        act(heap)
    });
    limit.lift();
    result.unwrap()
}

#[test]
fn random_programs_at_the_limit_find_every_block_and_adjoint_as_they_left_it() {
    let limit = Limit::begin();
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let (first, count): (u64, u64) = (number("SEED", 1), number("COUNT", part(9)));
    for seed in first..first + count {
        let factor = seed as usize % 3;
        let tape = if seed % 2 == 0 { tape_that_spills() } else { Tape::new().unwrap() };
        let (mut rng, mut heap) = (Rng::with_seed(seed), Heap::with_factor(factor, 1 << 30).unwrap());
        let (mut blocks, mut done) = (Vec::<Block>::new(), Vec::new());
        for _ in 0..60 {
            let before = blocks.clone();
            let bytes = block_bytes(&mut rng);
            let step = match (rng.usize(..5), blocks.len()) {
                (0..=1, 1..) => Step::Free(rng.usize(..blocks.len())),
                (2, 1..) => Step::Realloc(rng.usize(..blocks.len())),
                _ => Step::Alloc,
            };
            match step {
                Step::Alloc => {
                    let at = at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.alloc(&tape, bytes));
                    blocks.push(Block { at, bytes, value: rng.u8(..), adjoint: 0 });
                }
                Step::Free(i) => {
                    let block = blocks.remove(i);
                    at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.free_saving(&tape, block.at));
                }
                Step::Realloc(i) => {
                    let block = &mut blocks[i];
                    let p = block.at;
                    let act = |heap: &mut Heap| heap.realloc_saving(&tape, p, bytes);
                    block.at = at_the_limit(&limit, &mut rng, (&mut heap, &tape), act);
                    assert!(all(block.at, bytes.min(block.bytes), block.value), "seed {seed}: contents move along");
                    block.bytes = bytes;
                }
            }
            if let Step::Alloc | Step::Realloc(_) = step {
                let block = if let Step::Realloc(i) = step { &blocks[i] } else { &blocks[blocks.len() - 1] };
                fill(block.at, block.bytes, block.value);
            }
            done.push((step, before));
            assert!(blocks.iter().all(|b| all(b.at, b.bytes, b.value)), "seed {seed}: contents");
        }
        at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.begin_reverse());
        for (step, before) in done.into_iter().rev() {
            let came_back = match step {
                Step::Alloc => {
                    at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.undo_alloc(&tape));
                    None
                }
                Step::Free(i) => {
                    let p = at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.undo_free(&tape));
                    assert_eq!(p, before[i].at, "seed {seed}: the same address");
                    Some((i, 0, 0))
                }
                Step::Realloc(i) => {
                    let p = at_the_limit(&limit, &mut rng, (&mut heap, &tape), |heap| heap.undo_realloc(&tape));
                    assert_eq!(p, before[i].at, "seed {seed}: the same address");
                    Some((i, blocks[i].bytes.min(before[i].bytes), blocks[i].adjoint))
                }
            };
            // Adjoints: of the rest as they were, of this one what went back with it, and zero.
            let of = |p: *mut u8| blocks.iter().find(|b| b.at == p).map_or(0, |b| b.adjoint);
            let mut then: Vec<Block> = before.into_iter().map(|b| Block { adjoint: of(b.at), ..b }).collect();
            if let Some((i, kept, value)) = came_back {
                let block = &then[i];
                if factor > 0 {
                    let adjoint = heap.adjoint(block.at).unwrap();
                    assert!(all(adjoint, factor * kept, value), "seed {seed}: the adjoint goes back along");
                    let rest = factor * (block.bytes - kept);
                    assert!(all(adjoint.wrapping_add(factor * kept), rest, 0), "seed {seed}: an adjoint of zero");
                }
                let value = rng.u8(..);
                then[i].adjoint = value;
                if factor > 0 {
                    fill(heap.adjoint(then[i].at).unwrap(), factor * then[i].bytes, value);
                }
            }
            blocks = then;
            for block in &blocks {
                assert!(all(block.at, block.bytes, block.value), "seed {seed}: contents");
                if factor > 0 {
                    let adjoint = heap.adjoint(block.at).unwrap();
                    assert!(all(adjoint, factor * block.bytes, block.adjoint), "seed {seed}: adjoints");
                }
            }
        }
        assert_eq!((heap.stats().blocks, tape.stats().unwrap().bytes), (0, 0), "seed {seed}");
    }
}
