//! A naive program on a heap: a list of blocks with contents and adjoints, changed by random operations that depend
//! on the program's state only, so that a section can be run again.

use crate::part::part;
use adtape::{Heap, Tape};
use fastrand::Rng;
use std::collections::BTreeMap;

/// The first seed and how many: `SEED` and `COUNT`, or 1 and a part of `count`.
pub fn seeds(count: u64) -> (u64, u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(part(count)))
}

#[derive(Clone, Debug, PartialEq)]
struct Block {
    at: usize,
    bytes: usize,
    /// Every byte of it.
    value: u8,
}

/// Every byte of each block's adjoint, by address: what the reverse sweep has written.
#[derive(Default)]
pub struct Adjoints(Option<BTreeMap<usize, u8>>);

/// An operation that was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Alloc,
    /// Frees the block at this place in the list, with its contents saved or not.
    Free(usize, bool),
    /// Resizes the block at this place in the list; what is cut off is saved.
    Realloc(usize),
    ReallocNull,
    FreeNull,
    Mark,
}

/// The state of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub seed: u64,
    rng: Rng,
    base: usize,
    blocks: Vec<Block>,
    /// Nothing is aligned but as usual.
    plain: bool,
}

impl Program {
    pub fn new(seed: u64, base: usize) -> Program {
        Program { seed, rng: Rng::with_seed(seed), base, blocks: Vec::new(), plain: false }
    }

    pub fn plain(seed: u64, base: usize) -> Program {
        Program { plain: true, ..Program::new(seed, base) }
    }

    /// Goes on otherwise than before.
    pub fn turn(&mut self, by: u64) {
        self.rng = Rng::with_seed(self.rng.get_seed() ^ by);
    }

    fn size(&mut self) -> usize {
        match self.rng.usize(..20) {
            0 => self.rng.usize(..1 << 20),
            1..=3 => self.rng.usize(..64 << 10),
            4..=6 => self.rng.usize(..9000),
            7 => 0,
            _ => self.rng.usize(..700),
        }
    }

    /// One operation forward.
    pub fn step(&mut self, heap: &mut Heap, tape: &Tape) -> Step {
        let grow = self.blocks.len() < 20 || self.blocks.len() < 120 && self.rng.bool();
        let step = match (self.rng.usize(..20), grow) {
            (0, _) => Step::FreeNull,
            (1, _) => Step::Mark,
            (2, _) => Step::ReallocNull,
            (3..=5, _) if !self.blocks.is_empty() => Step::Realloc(self.rng.usize(..self.blocks.len())),
            (_, true) => Step::Alloc,
            _ => Step::Free(self.rng.usize(..self.blocks.len()), self.rng.bool()),
        };
        let value = self.rng.u8(..);
        match step {
            Step::FreeNull => heap.free(tape, std::ptr::null_mut()).unwrap(),
            Step::Mark => heap.push_mark(tape).unwrap(),
            Step::Alloc | Step::ReallocNull => {
                let bytes = self.size();
                let p = match (step == Step::ReallocNull, self.rng.usize(..3)) {
                    (true, _) => heap.realloc(tape, std::ptr::null_mut(), bytes).unwrap(),
                    (_, 0) if !self.plain => {
                        let alignment = 1 << self.rng.usize(..17);
                        let p = heap.alloc_aligned(tape, bytes, alignment).unwrap();
                        assert_eq!(p as usize % alignment, 0);
                        p
                    }
                    (_, 1) => {
                        let p = heap.alloc_zeroed(tape, bytes).unwrap();
                        assert!(all(p, bytes, 0));
                        p
                    }
                    _ => heap.alloc(tape, bytes).unwrap(),
                };
                fill(p, bytes, value);
                self.blocks.push(Block { at: p as usize, bytes, value });
            }
            Step::Free(i, save) => {
                let block = self.blocks.swap_remove(i);
                let freed =
                    if save { heap.free_saving(tape, block.pointer()) } else { heap.free(tape, block.pointer()) };
                freed.unwrap();
            }
            Step::Realloc(i) => {
                let bytes = if self.rng.usize(..3) == 0 { self.blocks[i].bytes * 3 / 2 } else { self.size() };
                let block = &mut self.blocks[i];
                let p = heap.realloc_saving(tape, block.pointer(), bytes).unwrap();
                assert!(all(p, bytes.min(block.bytes), block.value), "contents move along");
                fill(p, bytes, block.value);
                (block.at, block.bytes) = (p as usize, bytes);
            }
        }
        step
    }

    /// Undoes a step; `before` is what the program was before it.
    pub fn undo(&mut self, heap: &mut Heap, tape: &Tape, step: Step, before: &Program, adjoints: &mut Adjoints) {
        match step {
            Step::FreeNull => assert!(heap.undo_free(tape).unwrap().is_null()),
            Step::Mark => heap.pop_mark(tape).unwrap(),
            Step::ReallocNull => {
                assert!(heap.undo_realloc(tape).unwrap().is_null());
                adjoints.remove(self.blocks.pop());
            }
            Step::Alloc => {
                heap.undo_alloc(tape).unwrap();
                adjoints.remove(self.blocks.pop());
            }
            Step::Free(i, saved) => {
                let block = before.blocks[i].clone();
                assert_eq!(heap.undo_free(tape).unwrap(), block.pointer(), "seed {}: the same address", self.seed);
                if !saved {
                    fill(block.pointer(), block.bytes, block.value); // what generated code pushes and pops
                }
                adjoints.insert(&block, 0);
                // swap_remove, backward.
                self.blocks.push(block);
                let last = self.blocks.len() - 1;
                self.blocks.swap(i, last);
            }
            Step::Realloc(i) => {
                let block = &before.blocks[i];
                assert_eq!(heap.undo_realloc(tape).unwrap(), block.pointer(), "seed {}: the same address", self.seed);
                let new = std::mem::replace(&mut self.blocks[i], block.clone());
                adjoints.realloc_undone(heap, block, new);
            }
        }
        self.rng = before.rng.clone();
        adjoints.use_some(self, heap);
    }

    /// Blocks by address and size, in the program's order.
    pub fn blocks(&self) -> Vec<(usize, usize)> {
        self.blocks.iter().map(|block| (block.at, block.bytes)).collect()
    }

    /// Where the last new block lies.
    pub fn last(&self) -> usize {
        self.blocks.last().expect("a block").at - self.base
    }

    /// Blocks do not overlap, and have the contents that were written.
    pub fn check(&self, heap: &Heap) {
        let mut sorted: Vec<_> = self.blocks.iter().collect();
        sorted.sort_by_key(|block| block.at);
        for pair in sorted.windows(2) {
            assert!(pair[0].at + pair[0].bytes.max(1) <= pair[1].at, "seed {}: {pair:?} overlap", self.seed);
        }
        for block in &self.blocks {
            assert!(all(block.pointer(), block.bytes, block.value), "seed {}: {block:?}", self.seed);
        }
        assert_eq!(heap.stats().blocks as usize, self.blocks.len());
    }

    // ---- where a block goes, from the list of blocks alone ---------------------------------------------

    /// Bytes and offset of the next block, if the next step is an allocation.
    pub fn predict(&self, heap: &Heap) -> Option<(usize, usize)> {
        let mut next = self.clone();
        let grow = next.blocks.len() < 20 || next.blocks.len() < 120 && next.rng.bool();
        if next.rng.usize(..20) < 6 || !grow {
            return None;
        }
        next.rng.u8(..);
        let bytes = next.size();
        let half = (heap.ranges()[0].1 - self.base) / 2;
        let alive: Vec<_> = self.blocks.iter().map(|block| (block.at - self.base, block.bytes)).collect();
        Some((bytes, if bytes <= 8192 { place_small(&alive, half, bytes) } else { place_large(&alive, half, bytes) }))
    }
}

impl Adjoints {
    pub fn begin_reverse(&mut self, program: &Program, heap: &Heap) {
        if factor(heap) > 0 {
            let known = self.0.take().unwrap_or_default();
            let of = |block: &Block| (block.at, known.get(&block.at).copied().unwrap_or(0));
            self.0 = Some(program.blocks.iter().map(of).collect());
            self.use_some(program, heap);
        }
    }

    fn insert(&mut self, block: &Block, value: u8) {
        if let Some(values) = &mut self.0 {
            assert_eq!(values.insert(block.at, value), None);
        }
    }

    fn remove(&mut self, block: Option<Block>) {
        if let Some(values) = &mut self.0 {
            assert!(values.remove(&block.expect("a block").at).is_some());
        }
    }

    /// The adjoint moves along, and is zero beyond.
    fn realloc_undone(&mut self, heap: &Heap, block: &Block, new: Block) {
        let Some(values) = &mut self.0 else { return };
        let value = values.remove(&new.at).expect("an adjoint");
        let (factor, at) = (factor(heap), heap.adjoint(block.pointer()).unwrap());
        let kept = block.bytes.min(new.bytes);
        assert!(all(at, factor * kept, value));
        assert!(all(at.wrapping_add(factor * kept), factor * (block.bytes - kept), 0));
        fill(at, factor * block.bytes, value);
        values.insert(block.at, value);
    }

    /// Each adjoint is what was written to it; some are written.
    fn use_some(&mut self, program: &Program, heap: &Heap) {
        let Some(values) = &mut self.0 else { return };
        let (factor, mut rng) = (factor(heap), Rng::with_seed(program.blocks.len() as u64));
        assert_eq!(values.len(), program.blocks.len());
        for block in &program.blocks {
            let at = heap.adjoint(block.pointer()).unwrap();
            if factor == 1 {
                assert_eq!(at, block.pointer().wrapping_offset(heap.delta()));
            }
            let value = values.get_mut(&block.at).expect("an adjoint");
            assert!(all(at, factor * block.bytes, *value), "seed {}: the adjoint is left alone", program.seed);
            if rng.usize(..3) == 0 {
                *value = value.wrapping_add(1 + block.value % 7);
                fill(at, factor * block.bytes, *value);
            }
        }
    }
}

const CHUNK: usize = 64 << 10;

/// What a small block takes.
fn slot(bytes: usize) -> usize {
    let mut size = 16;
    while size < bytes {
        size += if size < 128 { 16 } else { 1 << (size.ilog2() - 2) };
    }
    size
}

/// The lowest free slot of the lowest chunk that has slots of this size, else the lowest chunk that has none at all.
fn place_small(alive: &[(usize, usize)], half: usize, bytes: usize) -> usize {
    let size = slot(bytes);
    let mut chunks: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, bytes) in alive.iter().filter(|(at, _)| *at < half) {
        chunks.entry(at / CHUNK).or_default().push((at % CHUNK, slot(*bytes)));
    }
    for (chunk, slots) in &chunks {
        let free = |at: &usize| !slots.iter().any(|(taken, _)| taken == at);
        let lowest = (0..CHUNK / size).map(|i| i * size).find(free).filter(|_| slots[0].1 == size);
        if let Some(at) = lowest {
            return chunk * CHUNK + at;
        }
    }
    (0..).find(|chunk| !chunks.contains_key(chunk)).unwrap_or(0) * CHUNK
}

/// The lowest of the smallest free intervals that hold it.
fn place_large(alive: &[(usize, usize)], half: usize, bytes: usize) -> usize {
    let mut taken: Vec<_> =
        alive.iter().filter(|(at, _)| *at >= half).map(|(at, n)| (*at, at + n.next_multiple_of(64).max(64))).collect();
    taken.push((2 * half, 2 * half));
    taken.sort_unstable();
    let (mut best, mut end) = ((usize::MAX, 0), half);
    for (from, to) in taken {
        if from - end >= bytes.next_multiple_of(64) {
            best = best.min((from - end, end));
        }
        end = to;
    }
    best.1
}

fn factor(heap: &Heap) -> usize {
    let [(from, to), (adjoint_from, adjoint_to)] = heap.ranges();
    (adjoint_to - adjoint_from) / (to - from)
}

impl Block {
    fn pointer(&self) -> *mut u8 {
        self.at as *mut u8
    }
}

fn fill(at: *mut u8, bytes: usize, value: u8) {
    // SAFETY: callers pass blocks that are alive, or their adjoints.
    unsafe { at.write_bytes(value, bytes) }
}

/// Whether every byte is `value`; of a large block, the bytes at its ends and in the middle.
fn all(at: *const u8, bytes: usize, value: u8) -> bool {
    let parts = match bytes {
        0..=2048 => vec![(0, bytes)],
        _ => vec![(0, 300), (bytes / 2, 300), (bytes - 300, 300)],
    };
    // SAFETY: as above.
    let slice = |(from, count): (usize, usize)| unsafe { std::slice::from_raw_parts(at.add(from), count) };
    parts.into_iter().all(|part| slice(part).iter().all(|byte| *byte == value))
}
