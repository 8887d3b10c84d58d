//! One thread.

use crate::program::Program;
use crate::ranges::{Range, Ranges};
use crate::table::{Bound, Row, Unit, median};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

pub type Reference = BTreeMap<u64, (u64, u64)>;

/// What both can do. Values are summed, so that each find is finished.
pub trait Map {
    fn insert(&mut self, range: &Range);
    fn remove(&mut self, base: u64);
    fn value(&self, address: u64) -> u64;
}

impl Map for Ranges {
    #[inline]
    fn insert(&mut self, range: &Range) {
        Ranges::insert(self, *range).expect("disjoint");
    }
    #[inline]
    fn remove(&mut self, base: u64) {
        Ranges::remove(self, base).expect("there");
    }
    #[inline]
    fn value(&self, address: u64) -> u64 {
        self.find(address).expect("there").value
    }
}

/// As a user of the standard library would write it, overlaps checked as well.
impl Map for Reference {
    #[inline]
    fn insert(&mut self, range: &Range) {
        let below = self.range(..=range.base).next_back();
        assert!(below.is_none_or(|(base, (bytes, _))| base + bytes <= range.base));
        let above = self.range(range.base..).next();
        assert!(above.is_none_or(|(base, _)| range.base + range.bytes <= *base));
        BTreeMap::insert(self, range.base, (range.bytes, range.value));
    }
    #[inline]
    fn remove(&mut self, base: u64) {
        BTreeMap::remove(self, &base).expect("there");
    }
    #[inline]
    fn value(&self, address: u64) -> u64 {
        let (base, (bytes, value)) = self.range(..=address).next_back().expect("there");
        assert!(address <= base + bytes);
        *value
    }
}

/// Nanoseconds of each of `count` operations.
pub fn time(count: usize, run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_nanos() as f64 / count as f64
}

/// `count` rounds of both, each in turn the first.
pub fn rounds(count: usize, mut ours: impl FnMut() -> f64, mut reference: impl FnMut() -> f64) -> Vec<(f64, f64)> {
    let round = |i: usize| match i % 2 {
        0 => (ours(), reference()),
        _ => {
            let second = reference();
            (ours(), second)
        }
    };
    (0..count).map(round).collect()
}

pub fn row(title: String, rounds: &[(f64, f64)], bound: Option<f64>) -> Row {
    Row {
        title,
        ours: median(rounds.iter().map(|round| round.0)),
        reference: median(rounds.iter().map(|round| round.1)),
        unit: Unit::Nanoseconds,
        ratio: median(rounds.iter().map(|round| round.0 / round.1)),
        bound: bound.map(Bound::AtMost),
    }
}

pub fn size(count: usize) -> String {
    format!("10^{}", count.ilog10())
}

// ---- finds -------------------------------------------------------------------------------------------------

fn independent<M: Map>(map: &M, addresses: &[u64]) -> f64 {
    time(addresses.len(), || {
        black_box(addresses.iter().fold(0_u64, |sum, address| sum.wrapping_add(map.value(*address))));
    })
}

/// Each find needs the result of the last.
fn dependent<M: Map>(map: &M, addresses: &[u64]) -> f64 {
    let nothing = black_box(0);
    time(addresses.len(), || {
        black_box(addresses.iter().fold(0, |last, address| map.value(address + (last & nothing))));
    })
}

/// The same address many times, then the next.
fn repeated<M: Map>(map: &M, addresses: &[u64]) -> f64 {
    const TIMES: usize = 100;
    let addresses = &addresses[..addresses.len() / TIMES];
    time(addresses.len() * TIMES, || {
        black_box(addresses.iter().fold(0_u64, |sum, address| {
            (0..TIMES).fold(sum, |sum, _| sum.wrapping_add(map.value(black_box(*address))))
        }));
    })
}

const ROUNDS: usize = 7;

/// The rows, and nanoseconds of our independent random finds, to be given as `at_1000` to those of more ranges.
pub fn finds(program: &Program, ours: &Ranges, reference: &Reference, at_1000: Option<f64>) -> (Vec<Row>, f64) {
    let size = size(program.ranges.len());
    let million = program.ranges.len() == 1_000_000;
    let random = rounds(ROUNDS, || independent(ours, &program.random), || independent(reference, &program.random));
    let chained = rounds(ROUNDS, || dependent(ours, &program.random), || dependent(reference, &program.random));
    let ordered =
        rounds(ROUNDS, || independent(ours, &program.ascending), || independent(reference, &program.ascending));
    let again = rounds(ROUNDS, || repeated(ours, &program.random), || repeated(reference, &program.random));
    let sequential = rounds(ROUNDS, || independent(ours, &program.ascending), || independent(ours, &program.random));
    let mut rows = vec![
        row(format!("find, random, {size}"), &random, million.then_some(0.5)),
        row(format!("find, random, each after the last, {size}"), &chained, million.then_some(0.77)),
        row(format!("find, address order, {size}"), &ordered, None),
        row(format!("find, repeated, {size}"), &again, None),
    ];
    let bound = (program.ranges.len() >= 100_000).then_some(0.5);
    rows.push(row(format!("find, address order beside random, {size}"), &sequential, bound));
    let random = rows[0].ours;
    if let Some(small) = at_1000 {
        let title = format!("find, random, {size} beside 10^3");
        rows.push(row(title, &[(random, small)], million.then_some(10.0)));
    }
    (rows, random)
}

// ---- changes -----------------------------------------------------------------------------------------------

fn fill<M: Map>(map: &mut M, ranges: &[Range]) -> f64 {
    time(ranges.len(), || ranges.iter().for_each(|range| map.insert(range)))
}

fn empty<M: Map>(map: &mut M, ranges: &[Range]) -> f64 {
    time(ranges.len(), || ranges.iter().for_each(|range| map.remove(range.base)))
}

/// Ranges that come and go above all others, as those of variables of nested calls do.
fn nest<M: Map>(map: &mut M, program: &Program) -> f64 {
    const DEPTH: u64 = 16;
    const TIMES: u64 = 10_000;
    let top = program.ranges.last().expect("some").end() + (1 << 30);
    time((DEPTH * TIMES) as usize, || {
        for _ in 0..TIMES {
            (0..DEPTH).for_each(|i| map.insert(&Range { base: top - 128 * i, bytes: 64, value: i }));
            (0..DEPTH).rev().for_each(|i| map.remove(top - 128 * i));
        }
    })
}

/// Fills and empties both, in both orders; leaves them filled in random order.
pub fn changes(program: &Program, ours: &mut Ranges, reference: &mut Reference) -> Vec<Row> {
    let count = program.ranges.len();
    // Enough operations that the clock does not matter.
    let rounds = if count > 1_000_000 { 1 } else { (200_000 / count).clamp(3, 51) };
    let (mut times, mut bytes) = (vec![Vec::new(); 4], Vec::new());
    for _ in 0..rounds {
        for (order, ranges) in [&program.ranges, &program.shuffled].into_iter().enumerate() {
            (*ours, *reference) = (Ranges::new(), Reference::new());
            times[2 * order].push((fill(ours, ranges), fill(reference, ranges)));
            bytes.push(ours.bytes() as f64 / count as f64);
            times[2 * order + 1].push((empty(ours, ranges), empty(reference, ranges)));
        }
    }
    fill(ours, &program.shuffled);
    fill(reference, &program.shuffled);
    let nested: Vec<_> = (0..7).map(|_| (nest(ours, program), nest(reference, program))).collect();
    let size = size(count);
    let names = ["insert, address order", "remove, address order", "insert, random", "remove, random"];
    let mut rows: Vec<Row> =
        names.iter().zip(&times).map(|(name, times)| row(format!("{name}, {size}"), times, None)).collect();
    rows.push(row(format!("insert and remove, nested, {size}"), &nested, None));
    for (order, bytes) in ["address order", "random"].into_iter().zip(bytes) {
        rows.push(Row {
            title: format!("memory, inserted in {order}, {size}"),
            ours: bytes,
            reference: 24.0,
            unit: Unit::Bytes,
            ratio: bytes / 24.0,
            bound: (count >= 100_000).then_some(Bound::AtMost(1.0)),
        });
    }
    rows
}
