//! Bytes as a program of the safe Rust API, run on a tape and on a naive model of one.
//!
//! The tape grows in steps of one page, moves at every doubling, and has little memory: half of the programs have a
//! store to spill to, which may fail; in the others a push that finds no memory is refused and changes nothing.
//! `ADTAPE_CHECK=1` checks mirrored pops, which are those of the last push; otherwise bytes are popped as whatever
//! the program says.

#![no_main]

mod model;

use adtape::{Error, Operation, Scalar, Spill, Status, Tape, Trim, Type};
use libfuzzer_sys::fuzz_target;
use model::{Model, Pushed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fuzz_target!(
    init: {
        for (name, value) in [("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096"), ("ADTAPE_MEMORY_LIMIT", "192K")] {
            if std::env::var_os(name).is_none() {
                // SAFETY: libFuzzer has started no thread yet.
                unsafe { std::env::set_var(name, value) };
            }
        }
    },
    |program: &[u8]| Run::new(program).to_the_end()
);

/// Bytes by offset. Fails when told to.
struct Store {
    bytes: Vec<u8>,
    fails: Arc<AtomicBool>,
}

impl Store {
    fn check(&self) -> Result<(), Error> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(Error::new(Status::Io, "the store fails, as the program wants"));
        }
        Ok(())
    }
}

impl Spill for Store {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.check()?;
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        self.bytes.resize(end.max(self.bytes.len()), 0);
        self.bytes[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        bytes.copy_from_slice(&self.bytes[offset as usize..offset as usize + bytes.len()]);
        Ok(())
    }
}

/// Bytes of the program that are not read yet; zeros behind its end.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    /// Mostly short, up to 28 Ki.
    fn length(&mut self) -> usize {
        match self.byte() {
            n @ 0..200 => usize::from(n),
            n => usize::from(n - 200) << 9 | usize::from(self.byte()),
        }
    }
}

/// A program on a tape and on a model of it.
struct Run<'a> {
    program: Reader<'a>,
    tape: Tape,
    fails: Arc<AtomicBool>,
    model: Model,
    mirrored: bool,
}

/// What is done with each scalar type; `$do` is a method that is generic over it.
macro_rules! for_type {
    ($which:expr, $run:ident . $do:ident ($($argument:expr),*)) => {
        match $which {
            Type::I8 => $run.$do::<i8>($($argument),*),
            Type::I16 => $run.$do::<i16>($($argument),*),
            Type::I32 => $run.$do::<i32>($($argument),*),
            Type::I64 => $run.$do::<i64>($($argument),*),
            Type::F32 => $run.$do::<f32>($($argument),*),
            Type::F64 => $run.$do::<f64>($($argument),*),
            Type::ComplexF32 => $run.$do::<[f32; 2]>($($argument),*),
            Type::ComplexF64 => $run.$do::<[f64; 2]>($($argument),*),
            Type::Bytes => $run.$do::<u8>($($argument),*),
            _ => $run.$do::<*const std::ffi::c_void>($($argument),*),
        }
    };
}

const TYPES: [Type; 10] = [
    Type::I8,
    Type::I16,
    Type::I32,
    Type::I64,
    Type::F32,
    Type::F64,
    Type::ComplexF32,
    Type::ComplexF64,
    Type::Bytes,
    Type::Opaque,
];

impl<'a> Run<'a> {
    fn new(program: &'a [u8]) -> Run<'a> {
        let mut program = Reader(program);
        let fails = Arc::new(AtomicBool::new(false));
        let mut tape = Tape::new().expect("a tape");
        if program.byte() & 1 == 1 {
            let store = Store { bytes: Vec::new(), fails: fails.clone() };
            tape = tape.with_spill(Box::new(store)).expect("a new tape");
        }
        let mirrored = std::env::var("ADTAPE_CHECK").is_ok_and(|value| value == "1");
        Run { program, tape, fails, model: Model::default(), mirrored }
    }

    /// Until the program ends or a failing store has made the tape unusable.
    fn to_the_end(mut self) {
        while !self.program.0.is_empty() {
            if !self.step() {
                assert_eq!(self.tape.push(1_i8).unwrap_err().status(), Status::Poisoned);
                assert_eq!(self.tape.mark().unwrap_err().status(), Status::Poisoned);
                assert_eq!(self.tape.repeat_start().unwrap_err().status(), Status::Poisoned);
                return;
            }
        }
        self.fails.store(false, Ordering::Relaxed);
        while self.model.depth() > 0 {
            self.tape.repeat_end().expect("a region is active");
            self.model.end();
        }
        while let Some(pushed) = self.next(TYPES[3], 1000, false) {
            if !self.pop(pushed) {
                return;
            }
        }
        let stats = self.tape.stats().expect("the tape is usable");
        assert_eq!((stats.bytes, stats.pending_bits), (0, 0));
    }

    /// One operation; whether the tape can still be used.
    fn step(&mut self) -> bool {
        let operation = self.program.byte();
        match operation % 32 {
            0..=5 => self.push_scalar(),
            6..=8 => self.push_array(),
            9..=11 => self.push_control(),
            12 => self.push_count(),
            13..=20 => return self.pop_something(),
            21 => self.underflow(),
            22 | 23 => return self.region(),
            24 => return self.go_back_to_mark(),
            25 => self.take_mark(),
            26 => self.tape.trim(if operation & 128 == 0 { Trim::Soft } else { Trim::Hard }).expect("usable"),
            27 => self.fails.store(operation & 128 != 0, Ordering::Relaxed),
            28 => self.tape.set_profile(operation & 128 != 0).expect("usable"),
            _ => self.look(),
        }
        true
    }

    // ---- pushes ------------------------------------------------------------------------------------

    /// Whether a push succeeded. One that finds no memory, or a store that fails, must change nothing.
    fn pushed(&mut self, result: Result<(), Error>) -> bool {
        match result {
            Ok(()) => true,
            Err(error) => {
                assert!(matches!(error.status(), Status::MemoryLimit | Status::Io), "{error}");
                false
            }
        }
    }

    fn values<T: Scalar>(&mut self, count: usize) -> (Vec<T>, Vec<u8>) {
        let (mut seed, size) = (self.program.word(), size_of::<T>());
        let bytes: Vec<u8> = (0..count * size)
            .map(|_| {
                seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                (seed >> 56) as u8
            })
            .collect();
        // SAFETY: any bytes are a value of a Scalar.
        let value = |chunk: &[u8]| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() };
        (bytes.chunks_exact(size).map(value).collect(), bytes)
    }

    fn push_scalar(&mut self) {
        let ty = TYPES[usize::from(self.program.byte()) % TYPES.len()];
        for_type!(ty, self.push_one())
    }

    fn push_one<T: Scalar>(&mut self) {
        let (values, bytes) = self.values::<T>(1);
        let result = self.tape.push(values[0]);
        if self.pushed(result) {
            self.model.push_values(T::TYPE, 1, &bytes);
        }
    }

    fn push_array(&mut self) {
        let ty = TYPES[usize::from(self.program.byte()) % TYPES.len()];
        for_type!(ty, self.push_many())
    }

    fn push_many<T: Scalar>(&mut self) {
        let count = self.program.length();
        let (values, bytes) = self.values::<T>(count);
        let result = self.tape.push_slice(&values);
        if self.pushed(result) {
            self.model.push_values(T::TYPE, count, &bytes);
        }
    }

    fn push_control(&mut self) {
        let (width, value) = (u32::from(self.program.byte() % 66), self.program.word());
        let result = self.tape.push_control(value, width);
        if !(1..=64).contains(&width) {
            assert_eq!(result.unwrap_err().status(), Status::BadArgument);
        } else if self.pushed(result) {
            self.model.push_control(value, width);
        }
    }

    fn push_count(&mut self) {
        let shift = self.program.byte() % 64;
        let count = (self.program.word() >> shift) as i64;
        let result = self.tape.push_count(count);
        if self.pushed(result) {
            self.model.push_count(count);
        }
    }

    // ---- pops --------------------------------------------------------------------------------------

    /// The result of an operation that may have to read from the store; `None` if that failed, which poisons.
    fn read<T>(&self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let lack = matches!(error.status(), Status::Io | Status::MemoryLimit);
                assert!(lack && self.tape.stats().is_err(), "{error}");
                None
            }
        }
    }

    fn pop_something(&mut self) -> bool {
        let (choice, wish) = (self.program.byte(), self.program.length());
        let pushed = self.next(TYPES[usize::from(choice) % TYPES.len()], wish, choice & 128 != 0);
        pushed.is_none_or(|pushed| self.pop(pushed))
    }

    /// What can be popped next.
    fn next(&self, ty: Type, wish: usize, bits_first: bool) -> Option<Pushed> {
        if self.mirrored { self.model.last() } else { self.model.poppable(ty, wish, bits_first) }
    }

    fn pop(&mut self, pushed: Pushed) -> bool {
        match pushed {
            Pushed::Control(width) => match self.read(self.tape.pop_control(width)) {
                Some(value) => self.model.pop_control(value, width),
                None => return false,
            },
            Pushed::Count => match self.read(self.tape.pop_count()) {
                Some(count) => self.model.pop_count(count),
                None => return false,
            },
            Pushed::Values(ty, count) => return for_type!(ty, self.pop_values(count)),
        }
        true
    }

    fn pop_values<T: Scalar>(&mut self, count: usize) -> bool {
        let zero = self.values::<T>(0).0;
        let popped = if count == 1 {
            self.read(self.tape.pop::<T>()).map(|value| vec![value])
        } else {
            // SAFETY: zero bytes are a value of every Scalar.
            let mut values = [zero, vec![unsafe { std::mem::zeroed() }; count]].concat();
            let result = self.tape.pop_slice(&mut values);
            self.read(result).map(|()| values)
        };
        let Some(values) = popped else { return false };
        // SAFETY: a Scalar has no padding.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(&values[..])) };
        self.model.pop_values(T::TYPE, count, bytes);
        true
    }

    /// More than there is: refused, nothing changed.
    fn underflow(&mut self) {
        let mut bytes = vec![0; self.model.len() + 1 + self.program.length()];
        let status = self.tape.pop_slice::<u8>(&mut bytes).unwrap_err().status();
        assert!(status == Status::Underflow || self.mirrored && status == Status::Mismatch);
        if self.model.bits() == 0 && self.model.len() == 0 {
            let status = self.tape.pop_control(1).unwrap_err().status();
            assert!(status == Status::Underflow || self.mirrored && status == Status::Mismatch);
            assert!(self.tape.pop_count().is_err());
        }
    }

    // ---- regions, marks, figures -------------------------------------------------------------------

    fn region(&mut self) -> bool {
        match self.program.byte() % 4 {
            0 | 1 if self.model.depth() < 12 => {
                self.tape.repeat_start().expect("usable");
                self.model.start();
            }
            2 if self.model.depth() > 0 => {
                if self.read(self.tape.repeat_reset()).is_none() {
                    return false;
                }
                self.model.reset();
            }
            3 if self.model.depth() > 0 => {
                self.tape.repeat_end().expect("a region is active");
                self.model.end();
            }
            _ if self.model.depth() == 0 => {
                assert_eq!(self.tape.repeat_reset().unwrap_err().status(), Status::RepeatUnbalanced);
                assert_eq!(self.tape.repeat_end().unwrap_err().status(), Status::RepeatUnbalanced);
            }
            _ => {}
        }
        true
    }

    fn take_mark(&mut self) {
        let slot = self.program.byte();
        let mark = self.tape.mark().expect("usable");
        self.model.take_mark(slot, mark);
    }

    fn go_back_to_mark(&mut self) -> bool {
        let slot = self.program.byte();
        let Some((mark, valid)) = self.model.mark(slot) else { return true };
        if valid {
            if self.read(self.tape.reset_to(&mark)).is_none() {
                return false;
            }
            self.model.reset_to(slot);
        } else if self.model.is_above(slot) {
            assert_eq!(self.tape.reset_to(&mark).unwrap_err().status(), Status::MarkAboveTop);
        }
        true
    }

    fn look(&mut self) {
        let stats = self.tape.stats().expect("usable");
        assert_eq!(stats.bytes, self.model.len() as u64);
        assert_eq!(stats.pending_bits, self.model.pending() as u64);
        assert_eq!(stats.repeat_depth, self.model.depth() as u64);
        assert!(stats.committed_bytes <= stats.reserved_bytes && stats.peak_bytes >= stats.bytes);
        assert!(self.tape.traffic(None, Operation::Push).is_ok() && !self.tape.report().expect("usable").is_empty());
    }
}
