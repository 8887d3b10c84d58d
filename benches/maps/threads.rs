//! Two threads on one map, beside one.

use crate::program::Program;
use crate::ranges::{Range, SharedRanges};
use crate::single::{Map, Reference, rounds, row, size, time};
use crate::table::Row;
use fastrand::Rng;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

const FINDS: usize = 500_000;
const ROUNDS: usize = 7;

/// Nanoseconds of one operation in each of `threads` threads, the slowest counts; every `every`th operation removes a
/// range or puts it back. Each thread has ranges of its own that come and go.
fn run(map: &SharedRanges, program: &Program, threads: usize, every: Option<usize>) -> f64 {
    let start = Barrier::new(threads);
    let thread = &|i: usize| {
        let mut random = Rng::with_seed(77 + i as u64);
        let own: Vec<Range> = program.shuffled.iter().skip(i).step_by(threads).take(1000).copied().collect();
        let (mut changes, mut sum) = (0, 0_u64);
        start.wait();
        let begin = Instant::now();
        for j in 0..FINDS {
            if every.is_some_and(|every| j % every == 0) {
                let range = own[changes / 2 % own.len()];
                match changes % 2 {
                    0 => _ = map.remove(range.base),
                    _ => _ = map.insert(range).expect("removed before"),
                }
                changes += 1;
            } else {
                let address = program.random[random.usize(..program.random.len())];
                sum = sum.wrapping_add(map.find(address).map_or(0, |range| range.value));
            }
        }
        black_box(sum);
        let nanoseconds = begin.elapsed().as_nanos() as f64 / FINDS as f64;
        if changes % 2 == 1 {
            map.insert(own[changes / 2 % own.len()]).expect("removed before");
        }
        nanoseconds
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|i| scope.spawn(move || thread(i))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).fold(0.0, f64::max)
    })
}

/// The same finds in a `BTreeMap` that nobody changes: what two threads cost each other on this machine.
fn run_reference(map: &Reference, program: &Program, threads: usize) -> f64 {
    let start = Barrier::new(threads);
    let thread = &|i: usize| {
        let mut random = Rng::with_seed(77 + i as u64);
        start.wait();
        time(FINDS, || {
            let address = |_| program.random[random.usize(..program.random.len())];
            black_box((0..FINDS).map(address).fold(0_u64, |sum, address| sum.wrapping_add(map.value(address))));
        })
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|i| scope.spawn(move || thread(i))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).fold(0.0, f64::max)
    })
}

pub fn finds(program: &Program) -> Vec<Row> {
    let size = size(program.ranges.len());
    let map = SharedRanges::new();
    for range in &program.shuffled {
        map.insert(*range).expect("disjoint");
    }
    let figure = |every: Option<usize>, what: &str, bound: f64| {
        let rounds = rounds(ROUNDS, || run(&map, program, 2, every), || run(&map, program, 1, every));
        row(format!("find, two threads beside one, {what}{size}"), &rounds, Some(bound))
    };
    let mut reference = Reference::new();
    for range in &program.shuffled {
        Map::insert(&mut reference, range);
    }
    let alone = rounds(ROUNDS, || run_reference(&reference, program, 2), || run_reference(&reference, program, 1));
    let title = format!("find, two threads beside one, BTreeMap unlocked, {size}");
    let mut rows = vec![row(title, &alone, None)];
    rows.extend([
        figure(None, "", 1.1),
        figure(Some(100), "1 % changes, ", 2.0),
        figure(Some(10), "10 % changes, ", 2.0),
    ]);
    rows
}
