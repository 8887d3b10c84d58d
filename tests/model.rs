//! Random programs over the Rust API against a naive model, in every mode: with room, with steps of one page and
//! moves, in check and profile mode, and with a store to spill to under a memory limit that is far too small.
//!
//! The modes are the process's, so each runs in a child: this same test program with another environment.

use adtape::{Cursor, Error, Mark, Spill, SpillFile, Status, Tape, Type};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// What lies on the tape, as pushed.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Bytes(Vec<u8>),
    /// Pushed as values of 8 bytes each.
    Words(Vec<u8>),
    Bits(u32, u64),
    Count(i64),
}

impl Item {
    fn bytes(&self) -> Option<&Vec<u8>> {
        match self {
            Item::Bytes(bytes) | Item::Words(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// How a program is drawn.
#[derive(Clone, Copy)]
struct Plan {
    operations: usize,
    /// Pops take what one push pushed, as check mode demands; otherwise any number of bytes or bits.
    mirror: bool,
    /// Longest array, in bytes.
    longest: u64,
    deepest: usize,
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

fn push(tape: &Cursor, item: &Item, random: &mut Rng) -> Result<(), Error> {
    match item {
        Item::Bits(width, value) => tape.push_control(*value, *width),
        Item::Count(count) => tape.push_count(*count),
        Item::Bytes(bytes) => tape.push_slice(bytes),
        Item::Words(bytes) if bytes.len() == 8 => {
            tape.push(f64::from_bits(u64::from_ne_bytes(bytes[..].try_into().unwrap())))
        }
        // As a contiguous array or as a section of every second word, backwards.
        Item::Words(bytes) if random.bool() => {
            let words: Vec<f64> =
                bytes.chunks_exact(8).map(|word| f64::from_ne_bytes(word.try_into().unwrap())).collect();
            tape.push_slice(&words)
        }
        Item::Words(bytes) => {
            let mut spread = vec![0u8; 2 * bytes.len() + 8];
            let words = bytes.len() / 8;
            for (i, word) in bytes.chunks_exact(8).enumerate() {
                spread[16 * (words - i)..][..8].copy_from_slice(word);
            }
            // SAFETY: `words` elements from the last one down, 16 bytes apart.
            unsafe { tape.push_section(Type::F64, spread.as_ptr().add(16 * words), &[words as i64], &[-16]) }
        }
    }
}

fn pop(tape: &Cursor, item: &Item, random: &mut Rng) -> Result<(), Error> {
    let bytes = match item {
        Item::Bits(width, value) => {
            assert_eq!(tape.pop_control(*width)?, *value);
            return Ok(());
        }
        Item::Count(count) => {
            assert_eq!(tape.pop_count()?, *count);
            return Ok(());
        }
        item => item.bytes().unwrap(),
    };
    let mut found = vec![0u8; bytes.len()];
    match item {
        Item::Words(_) if bytes.len() == 8 => found.copy_from_slice(&tape.pop::<f64>()?.to_ne_bytes()),
        Item::Words(_) if random.bool() => {
            let mut words = vec![0f64; bytes.len() / 8];
            tape.pop_slice(&mut words)?;
            found = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        }
        Item::Words(_) => {
            // As two dimensions, rows 24 bytes apart.
            let words = bytes.len() / 8;
            let (rows, columns) = if words % 2 == 0 { (words / 2, 2) } else { (words, 1) };
            let mut spread = vec![0u8; 24 * rows + 8];
            // SAFETY: rows of up to two words each, 24 bytes apart.
            unsafe { tape.pop_section(Type::F64, spread.as_mut_ptr(), &[columns, rows as i64], &[8, 24])? };
            for (row, chunk) in found.chunks_exact_mut(8 * columns as usize).enumerate() {
                chunk.copy_from_slice(&spread[24 * row..][..8 * columns as usize]);
            }
        }
        _ => tape.pop_slice(&mut found)?,
    }
    assert!(found == *bytes, "popped other bytes than were pushed");
    Ok(())
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

fn run_program(tape: &Cursor, seed: u64, plan: Plan) {
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

/// A store in memory.
#[derive(Clone, Default)]
struct Shelf {
    pages: Arc<Mutex<BTreeMap<u64, Vec<u8>>>>,
    /// Fails every so many calls; 0: never.
    fail_every: u64,
    calls: u64,
}

const SHELF_PAGE: usize = 4096;

impl Shelf {
    fn fails(&mut self) -> Result<(), Error> {
        self.calls += 1;
        if self.fail_every > 0 && self.calls.is_multiple_of(self.fail_every) {
            return Err(Error::new(Status::Io, "the shelf broke"));
        }
        Ok(())
    }
}

impl Spill for Shelf {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.fails()?;
        let mut pages = self.pages.lock().unwrap();
        for (i, page) in bytes.chunks(SHELF_PAGE).enumerate() {
            pages.insert(offset + (i * SHELF_PAGE) as u64, page.to_vec());
        }
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.fails()?;
        let pages = self.pages.lock().unwrap();
        for (i, page) in bytes.chunks_mut(SHELF_PAGE).enumerate() {
            page.copy_from_slice(&pages[&(offset + (i * SHELF_PAGE) as u64)][..page.len()]);
        }
        Ok(())
    }
}

const MODE: &str = "ADTAPE_TEST_MODE";

/// Runs in a child: what the parent's mode says.
#[test]
fn child() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let plan = Plan { operations: 3000, mirror: mode.contains("mirror"), longest: 6000, deepest: 12 };
    match mode.as_str() {
        "spill" => spill_programs(|| Some(Box::new(Shelf::default()))),
        "spill-file" => spill_programs(|| Some(Box::new(SpillFile::new(std::env::temp_dir()).unwrap()))),
        "spill-directory" => spill_programs(|| None),
        "spill-fault" => spill_faults(),
        _ => {
            for seed in 1..=40 {
                run_program(&Tape::new().unwrap(), seed, plan);
            }
        }
    }
    println!("child of mode {mode} did its work");
}

/// With a store for each tape, or what the environment says.
fn spill_programs(store: impl Fn() -> Option<Box<dyn Spill>>) {
    let mut spilled = 0;
    for seed in 1..=30 {
        let tape = Tape::new().unwrap();
        let tape = match store() {
            Some(store) => tape.with_spill(store).unwrap(),
            None => tape,
        };
        // Grow far beyond the limit first, so that programs run at the border of memory and store.
        let items: Vec<Vec<f64>> = (0..40).map(|i| vec![f64::from(i) + seed as f64; 10_000]).collect();
        for item in &items {
            tape.push_slice(item).unwrap();
        }
        spilled += tape.stats().unwrap().spilled_bytes;
        run_program_above(&tape, seed, Plan { operations: 2000, mirror: false, longest: 60_000, deepest: 3 });
        for item in items.iter().rev() {
            let mut found = vec![0.0; item.len()];
            tape.pop_slice(&mut found).unwrap();
            assert!(found == *item);
        }
        assert_eq!(tape.stats().unwrap().bytes, 0);
    }
    assert!(spilled > 30 << 20, "only {spilled} bytes were spilled in all");
}

/// A program on a tape that is not empty, and leaves what is there.
fn run_program_above(tape: &Cursor, seed: u64, plan: Plan) {
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

/// A push that the store fails changes nothing; a pop that it fails poisons the tape.
fn spill_faults() {
    for fail_every in 1..12 {
        let shelf = Shelf { fail_every, ..Shelf::default() };
        let tape = Tape::new().unwrap().with_spill(Box::new(shelf)).unwrap();
        let mut pushed = 0u32;
        for i in 0..200u32 {
            match tape.push_slice(&vec![f64::from(i); 10_000]) {
                Ok(()) if pushed == i => pushed += 1,
                Ok(()) => break,
                Err(error) => {
                    assert_eq!(error.status(), Status::Io);
                    assert_eq!(
                        tape.stats().unwrap().bytes,
                        u64::from(pushed) * 80_000,
                        "a failed push changed the tape"
                    );
                    break;
                }
            }
        }
        while pushed > 0 {
            let mut found = vec![0.0; 10_000];
            if let Err(error) = tape.pop_slice(&mut found) {
                assert_eq!(error.status(), Status::Io, "{error}");
                assert_eq!(tape.pop::<f64>().unwrap_err().status(), Status::Poisoned);
                break;
            }
            pushed -= 1;
            assert!(found.iter().all(|x| *x == f64::from(pushed)), "wrong values after faults");
        }
    }
}

fn run_child(mode: &str, environment: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(MODE, mode)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("did its work"), "{text}");
}

#[test]
fn programs_agree_with_the_model() {
    run_child("plain", &[]);
}

#[test]
fn programs_agree_with_the_model_in_steps_of_one_page() {
    run_child("plain", &[("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_the_tape_moves() {
    run_child("plain", &[("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096")]);
}

#[test]
fn programs_agree_with_the_model_in_check_mode() {
    run_child("mirror", &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_in_profile_mode() {
    run_child("plain", &[("ADTAPE_PROFILE", "1"), ("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_most_of_the_tape_is_spilled() {
    run_child("spill", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
    run_child("spill", &[("ADTAPE_MEMORY_LIMIT", "1M"), ("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_most_of_the_tape_is_in_a_file() {
    run_child("spill-file", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
    let directory = std::env::temp_dir();
    let directory = directory.to_str().unwrap();
    run_child("spill-directory", &[("ADTAPE_MEMORY_LIMIT", "1M"), ("ADTAPE_SPILL_DIRECTORY", directory)]);
}

#[test]
fn faults_of_the_store_lose_nothing_silently() {
    run_child("spill-fault", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
}

#[test]
fn peak_is_exact_in_profile_mode_and_close_without() {
    let tape = Tape::new().unwrap();
    for profile in [true, false] {
        tape.set_profile(profile).unwrap();
        tape.reset_stats().unwrap();
        let most = 100_003;
        tape.push_slice(&vec![1u8; most - 9]).unwrap();
        tape.push(1.0f64).unwrap();
        tape.push(1u8).unwrap();
        for _ in 0..1000 {
            tape.pop::<u8>().unwrap();
        }
        let peak = tape.stats().unwrap().peak_bytes as usize;
        if profile {
            assert_eq!(peak, most);
        } else {
            assert!((most..=most + 4096).contains(&peak), "{peak}");
        }
        tape.pop_slice(&mut vec![0u8; most - 1000]).unwrap();
    }
}
