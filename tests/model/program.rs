//! Random programs on a tape, beside the model: a list of items, a copy of it for each repeat region and mark.

use crate::items::{Item, pop, push};
use adtape::{Cursor, Error, Mark, Status};
use fastrand::Rng;

/// How a program is drawn.
#[derive(Clone, Copy)]
pub struct Plan {
    pub operations: usize,
    /// Pops take what one push pushed, as check mode demands; otherwise any number of bytes or bits.
    pub mirror: bool,
    /// Longest array, in bytes.
    pub longest: u64,
    pub deepest: usize,
}

struct Run<'a> {
    tape: &'a Cursor,
    random: Rng,
    plan: Plan,
    items: Vec<Item>,
    levels: Vec<Vec<Item>>,
    marks: Vec<(Mark, Vec<Item>)>,
    program: Vec<String>,
}

impl<'a> Run<'a> {
    fn new(tape: &'a Cursor, seed: u64, plan: Plan) -> Run<'a> {
        let random = Rng::with_seed(seed);
        Run { tape, random, plan, items: Vec::new(), levels: Vec::new(), marks: Vec::new(), program: Vec::new() }
    }

    fn note(&mut self, what: String) {
        self.program.push(what);
    }

    fn step(&mut self, pushing: u64) -> Result<(), Error> {
        match self.random.u64(..1000) {
            0..12 if self.levels.len() < self.plan.deepest => {
                self.note("start".into());
                self.levels.push(self.items.clone());
                self.tape.repeat_start()
            }
            12..30 => match self.levels.last() {
                Some(start) => {
                    self.items = start.clone();
                    self.marks.clear();
                    self.note("reset".into());
                    self.tape.repeat_reset()
                }
                None => expect(Status::RepeatUnbalanced, self.tape.repeat_reset()),
            },
            30..40 => match self.levels.pop() {
                Some(_) => {
                    self.note("end".into());
                    self.tape.repeat_end()
                }
                None => expect(Status::RepeatUnbalanced, self.tape.repeat_end()),
            },
            40..50 => {
                self.note("mark".into());
                self.marks.push((self.tape.mark()?, self.items.clone()));
                Ok(())
            }
            50..55 => self.back_to_mark(),
            55..58 => {
                self.note("trim".into());
                self.tape.trim(if self.random.bool() { adtape::Trim::Soft } else { adtape::Trim::Hard })
            }
            _ if self.random.u64(..100) < pushing => self.push(),
            _ => self.pop(),
        }
    }

    fn push(&mut self) -> Result<(), Error> {
        let item = match self.random.u64(..8) {
            0 | 1 => {
                let width = 1 + self.random.u64(..64) as u32;
                Item::Bits(width, self.random.u64(..) & (u64::MAX >> (64 - width)))
            }
            2 => {
                let shift = self.random.u64(..64);
                Item::Count((self.random.u64(..) >> shift) as i64)
            }
            3 | 4 => Item::Words(self.data(8)),
            5 => {
                let n = self.random.u64(..1 + self.plan.longest / 8) * 8;
                Item::Words(self.data(n))
            }
            _ => {
                let n = self.random.u64(..41);
                Item::Bytes(self.data(n))
            }
        };
        self.note(match &item {
            Item::Bytes(bytes) => format!("push {} bytes", bytes.len()),
            Item::Words(bytes) => format!("push {} words", bytes.len() / 8),
            item => format!("push {item:?}"),
        });
        push(self.tape, &item, &mut self.random)?;
        self.items.push(item);
        Ok(())
    }

    fn data(&mut self, n: u64) -> Vec<u8> {
        let (mut seed, step) = (self.random.u64(..), self.random.u64(..) | 1);
        (0..n)
            .map(|_| {
                seed = seed.wrapping_add(step);
                (seed >> 56) as u8
            })
            .collect()
    }

    fn pop(&mut self) -> Result<(), Error> {
        let Some(top) = self.items.last().cloned() else {
            return expect(Status::Underflow, self.tape.pop::<u8>()).or_else(|_| expect_mismatch(self.tape));
        };
        match top {
            Item::Bits(..) if !self.plan.mirror => self.pop_some_bits(),
            Item::Bytes(_) | Item::Words(_) if !self.plan.mirror => self.pop_some_bytes(),
            item => {
                self.note(format!("pop {}", self.items.len()));
                self.items.pop();
                pop(self.tape, &item, &mut self.random)
            }
        }
    }

    /// Pops any number of the bytes on top, whatever they were pushed as.
    fn pop_some_bytes(&mut self) -> Result<(), Error> {
        let most = if self.random.u64(..10) == 0 { 1 + self.plan.longest } else { 60 };
        let wish = self.random.u64(..most) as usize;
        let mut wanted = Vec::new();
        while let Some(bytes) = self.items.last_mut().and_then(|item| match item {
            Item::Bytes(bytes) | Item::Words(bytes) => Some(bytes),
            _ => None,
        }) {
            let keep = bytes.len().saturating_sub(wish - wanted.len());
            wanted.splice(0..0, bytes.drain(keep..));
            if keep > 0 {
                break;
            }
            self.items.pop();
        }
        self.note(format!("pop {} bytes of any", wanted.len()));
        let mut found = vec![0; wanted.len()];
        self.tape.pop_slice::<u8>(&mut found)?;
        assert!(found == wanted, "popped other bytes than were pushed");
        Ok(())
    }

    /// Pops any number, up to 64, of the bits on top.
    fn pop_some_bits(&mut self) -> Result<(), Error> {
        let wish = 1 + self.random.u64(..64) as u32;
        let (mut wanted, mut got) = (0u64, 0);
        while let Some(Item::Bits(width, value)) = self.items.last_mut() {
            let count = (*width).min(wish - got);
            let part = if count == 64 { *value } else { *value & ((1 << count) - 1) };
            wanted |= part << got;
            got += count;
            *width -= count;
            *value = value.checked_shr(count).unwrap_or(0);
            if *width == 0 {
                self.items.pop();
            }
            if got == wish {
                break;
            }
        }
        self.note(format!("pop {got} bits of any"));
        assert_eq!(self.tape.pop_control(got)?, wanted, "popped other bits than were pushed");
        Ok(())
    }

    fn back_to_mark(&mut self) -> Result<(), Error> {
        // A mark is valid while what lies below it is untouched.
        let valid = |items: &[Item], below: &[Item]| items.len() >= below.len() && items[..below.len()] == *below;
        self.marks.retain(|(_, below)| valid(&self.items, below));
        if self.marks.is_empty() {
            return Ok(());
        }
        let (mark, below) = self.marks.swap_remove(self.random.usize(..self.marks.len()));
        self.note(format!("back to mark at {} items", below.len()));
        self.items = below;
        self.tape.reset_to(&mark)
    }
}

fn expect<T>(status: Status, result: Result<T, Error>) -> Result<(), Error> {
    match result {
        Err(error) if error.status() == status => Ok(()),
        Err(error) => Err(error),
        Ok(_) => panic!("succeeded instead of {status:?}"),
    }
}

/// In check mode an empty tape is a mismatch.
fn expect_mismatch(tape: &Cursor) -> Result<(), Error> {
    match expect(Status::Mismatch, tape.pop::<u8>()) {
        Err(error) if error.status() == Status::Underflow => Ok(()),
        other => other,
    }
}

/// Runs a program on an empty tape, and pops what it leaves.
pub fn run_program(tape: &Cursor, seed: u64, plan: Plan) {
    let mut run = Run::new(tape, seed, plan);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut pushing = 50;
        for i in 0..plan.operations {
            if i % 64 == 0 {
                pushing = 20 + run.random.u64(..60);
            }
            run.step(pushing).unwrap();
        }
        while run.levels.pop().is_some() {
            tape.repeat_end().unwrap();
        }
        while !run.items.is_empty() {
            run.pop().unwrap();
        }
        let stats = tape.stats().unwrap();
        assert_eq!((stats.bytes, stats.pending_bits, stats.repeat_depth), (0, 0, 0));
    }));
    if outcome.is_err() {
        let tail = run.program.len().saturating_sub(40);
        panic!("seed {seed}; the last operations were\n{}", run.program[tail..].join("\n"));
    }
}

/// A program on a tape that is not empty, and leaves what is there.
pub fn run_program_above(tape: &Cursor, seed: u64, plan: Plan) {
    let below = tape.stats().unwrap().bytes;
    let mut run = Run::new(tape, seed, plan);
    for i in 0..plan.operations {
        if run.items.is_empty() || i % 3 == 0 {
            run.push().unwrap();
        } else if run.levels.len() < 3 || run.random.bool() {
            run.step(if i % 500 < 250 { 80 } else { 20 }).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
        if run.items.is_empty() {
            run.push().unwrap();
        }
    }
    while run.levels.pop().is_some() {
        tape.repeat_end().unwrap();
    }
    while !run.items.is_empty() {
        run.pop().unwrap();
    }
    assert_eq!(tape.stats().unwrap().bytes, below);
}
