//! The Rust API against the plain loop in Rust.

use crate::driver::Round;
use adtape::Tape;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of pushing and popping `values` doubles; the first, which meets fresh memory, is not reported.
pub fn rounds(values: u64, count: u64) -> Vec<Round> {
    let n = values as usize;
    let tape = Tape::new().expect("a tape");
    let mut memory = vec![0.0; n];
    let mut out = vec![0.0; n];
    let mut round = || Round {
        ours: [time(|| push(&tape, black_box(1.5), n)), time(|| pop(&tape, &mut out))],
        reference: [time(|| plain_push(&mut memory, black_box(1.5))), time(|| plain_pop(&memory, &mut out))],
    };
    round();
    (0..count).map(|_| round()).collect()
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

#[inline(never)]
fn push(tape: &Tape, x: f64, n: usize) {
    for _ in 0..n {
        tape.push(x).expect("memory");
    }
}

#[inline(never)]
fn pop(tape: &Tape, out: &mut [f64]) {
    for value in out {
        *value = tape.pop().expect("as many as were pushed");
    }
}

/// `black_box` keeps the loops from becoming calls of memset and memcpy.
#[inline(never)]
fn plain_push(memory: &mut [f64], x: f64) {
    for value in memory {
        *value = x;
        black_box(());
    }
}

#[inline(never)]
fn plain_pop(memory: &[f64], out: &mut [f64]) {
    for (value, out) in memory.iter().rev().zip(out) {
        *out = *value;
        black_box(());
    }
}
