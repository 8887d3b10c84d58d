//! Random programs against a naive model.

use super::super::bits;
use super::*;

#[derive(Clone)]
enum Item {
    Bytes(Vec<u8>),
    Bits(u64, u32),
}

/// What is on a tape, item by item.
#[derive(Clone, Default)]
struct Model {
    items: Vec<Item>,
    /// Bits in the accumulator, and full words on the tape.
    bits: u32,
    words: usize,
}

impl Model {
    fn bytes(&self) -> usize {
        let bytes = self.items.iter().map(|item| if let Item::Bytes(bytes) = item { bytes.len() } else { 0 });
        bytes.sum::<usize>() + 8 * self.words
    }

    fn push_bits(&mut self, value: u64, count: u32) {
        self.items.push(Item::Bits(value & (u64::MAX >> (64 - count)), count));
        self.words += ((self.bits + count) / 62) as usize;
        self.bits = (self.bits + count) % 62;
    }

    fn pop_bits(&mut self, mut count: u32) {
        while count > self.bits {
            count -= self.bits;
            (self.bits, self.words) = (62, self.words - 1);
        }
        self.bits -= count;
    }
}

struct Program {
    machine: Machine,
    model: Model,
    starts: Vec<Model>,
    random: fastrand::Rng,
    /// The largest items are smaller than this.
    most: usize,
}

impl Program {
    fn new(machine: Machine, seed: u64, most: usize) -> Program {
        let random = fastrand::Rng::with_seed(seed);
        Program { machine, model: Model::default(), starts: Vec::new(), random, most }
    }

    fn push(&mut self) {
        if self.random.u8(..4) == 0 {
            let (value, count) = (self.random.u64(..), self.random.u32(1..=64));
            self.machine.push_bits(value, count).unwrap();
            return self.model.push_bits(value, count);
        }
        let most = if self.random.u8(..8) == 0 { self.most } else { 100 };
        let size = self.random.usize(..most);
        let bytes: Vec<u8> = (0..size).map(|_| self.random.u8(..)).collect();
        self.machine.push(&bytes).unwrap();
        self.model.items.push(Item::Bytes(bytes));
    }

    fn pop(&mut self) {
        match self.model.items.pop() {
            None => {
                let error = self.machine.pop(&mut [0]).unwrap_err();
                assert_eq!(error.status(), Status::Underflow);
                assert!(error.message().contains("pop of 1 bytes from a tape that holds 0"), "{error}");
            }
            Some(Item::Bits(value, count)) => {
                assert_eq!(self.machine.pop_bits(count).unwrap(), value);
                self.model.pop_bits(count);
            }
            Some(Item::Bytes(mut bytes)) => {
                let keep = if self.random.bool() { 0 } else { self.random.usize(..=bytes.len()) };
                let mut found = vec![0; bytes.len() - keep];
                self.machine.pop(&mut found).unwrap();
                assert!(found == bytes[keep..]);
                bytes.truncate(keep);
                self.model.items.push(Item::Bytes(bytes));
            }
        }
    }

    fn step(&mut self, pushes: u8) {
        match self.random.u8(..100) {
            0..85 if self.random.u8(..100) < pushes => self.push(),
            0..85 => self.pop(),
            85..88 if self.starts.len() < 4 => {
                self.machine.start();
                self.starts.push(self.model.clone());
            }
            88..91 if !self.starts.is_empty() => {
                self.machine.reset().unwrap();
                self.model = self.starts.last().unwrap().clone();
            }
            91..93 => match self.starts.pop() {
                Some(_) => self.machine.end().unwrap(),
                None => {
                    assert_eq!(self.machine.end().unwrap_err().status(), Status::RepeatUnbalanced);
                    assert_eq!(self.machine.reset().unwrap_err().status(), Status::RepeatUnbalanced);
                }
            },
            93..95 => self.machine.trim(if self.random.bool() { Trim::Hard } else { Trim::Soft }),
            95..97 => self.machine.lend_idle(self.random.usize(..PAGE)),
            97..99 => drop(self.machine.relieve(self.random.usize(..16 * PAGE)).unwrap()),
            _ => self.machine.forget_peak(),
        }
        self.check();
    }

    fn check(&mut self) {
        let machine = &mut self.machine;
        assert_eq!(machine.len(), self.model.bytes());
        assert_eq!(bits::len(machine.bits()), self.model.bits);
        assert_eq!(machine.depth(), self.starts.len());
        assert!(machine.contiguous() <= machine.len());
        assert!(machine.peak() >= machine.top());
        assert!(machine.segments.iter().all(|segment| segment.len() > 0));
        let (floor, cur, limit) = cursor(machine);
        assert_eq!(cur - floor, machine.contiguous());
        // Whatever the fast path may write holds nothing that is needed, not even after a reset.
        if let Some(limit) = limit.filter(|limit| *limit > cur) {
            assert!(limit <= machine.peak());
            machine.span.slice_mut(cur, limit - cur).fill(0xEE);
        }
    }
}

#[test]
fn programs_agree_with_a_naive_model() {
    let _alone = idle::alone();
    for seed in 1..=60 {
        let mut machine = machine_in_steps(if seed % 3 == 0 { 0 } else { PAGE });
        if seed % 2 == 0 {
            machine.set_store(Box::new(Shelf::default())).unwrap();
        }
        machine.set_exact(seed % 5 == 0);
        let mut program = Program::new(machine, seed, 3 * PAGE);
        for i in 0..600 {
            program.step(if i % 200 < 120 { 75 } else { 25 });
        }
        while !program.starts.is_empty() {
            program.starts.pop();
            program.machine.end().unwrap();
        }
        while !program.model.items.is_empty() {
            program.pop();
            program.check();
            let empty = |item: &mut Item| matches!(item, Item::Bytes(bytes) if bytes.is_empty());
            program.model.items.pop_if(empty);
        }
        assert_eq!((program.machine.len(), program.machine.cur()), (0, 0), "seed {seed}");
    }
}

/// Two tapes that take memory from each other, and have much less than they hold.
#[test]
fn programs_agree_with_the_model_within_a_few_pages() {
    let _alone = idle::alone();
    for (seed, budget) in [(1, budget!(90 * PAGE)), (2, budget!(110 * PAGE)), (3, budget!(150 * PAGE))] {
        let mut programs = [0, 1].map(|i| Program::new(short_of_memory(budget).0, 100 * seed + i, 12 * PAGE));
        let mut spilled = false;
        for i in 0..1500 {
            let program = &mut programs[(i / 100) % 2];
            if program.random.u8(..100) < if i % 500 < 300 { 75 } else { 25 } {
                program.push();
            } else {
                program.pop();
            }
            program.check();
            program.machine.lend_idle(0);
            spilled |= program.machine.span().discarded() > 0;
            program.machine.lend_idle(0);
            program.machine.rest();
        }
        assert!(spilled);
    }
}
