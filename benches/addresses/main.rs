//! The calls on addresses beside the same bookkeeping with std's `BTreeMap` and a `Vec` for a tape, in one process, turn and
//! turn about: through the Rust API and through the C ABI. And the memory of a live range. See `benches/README.md`.

#[path = "../common/table.rs"]
#[allow(unused)]
mod table;

mod calls;
mod memory;
mod plain;

use calls::{CApi, Calls, Record, RustApi};
use fastrand::Rng;
use plain::Plain;
use std::hint::black_box;
use std::rc::Rc;
use table::{Bound, Row, Table, Unit, median};

/// Objects that stay alive.
const ALIVE: [usize; 2] = [10_000, 1_000_000];
/// At most so many others come and go between them, and so many pointers lead into those that stay.
const OTHERS: usize = 50_000;
const POINTERS: usize = 100_000;
const ROUNDS: usize = 7;
/// What is read before the first pops, so that neither side has its objects in the cache.
const READ_BETWEEN: usize = 32 << 20;
/// The most that a call may take, of the reference's time.
const BOUND: f64 = 1.5;

/// Blocks as an allocator lays them out, 16 bytes to 8 KiB, 16 bytes apart, from `base` on.
fn blocks(random: &mut Rng, base: usize, count: usize) -> Vec<(usize, usize)> {
    let mut next = base;
    let mut block = || {
        let least = 16 << random.usize(..9);
        let (base, bytes) = (next, (least + random.usize(..least)).next_multiple_of(16));
        next += bytes + 16;
        (base, bytes)
    };
    (0..count).map(|_| block()).collect()
}

/// What all sides do, in this order.
struct Work {
    others: Vec<(usize, usize)>,
    /// Bases and offsets.
    pointers: Vec<(usize, usize)>,
    /// [`READ_BETWEEN`] bytes.
    between: Rc<Vec<u8>>,
}

/// How far away things lie in the reverse sweep.
const AWAY: usize = 1 << 36;
const ADJOINT: usize = 1 << 37;

/// Nanoseconds of one operation, by figure.
type Times = Vec<(&'static str, f64)>;

/// Nanoseconds that this thread has had a processor.
fn processor_time() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the time.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    assert_eq!(status, 0, "a clock for the thread");
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn time(times: &mut Times, figure: &'static str, count: usize, run: impl FnOnce()) {
    let start = processor_time();
    run();
    times.push((figure, (processor_time() - start) / count as f64));
}

/// One round: everything that happens leaves the maps as they were.
fn round(calls: &mut impl Calls, Work { others, pointers, between }: &Work) -> Times {
    let mut times = Times::new();
    time(&mut times, "live_add + live_remove", others.len(), || {
        others.iter().for_each(|(base, bytes)| calls.live_add(*base, *bytes, false));
        others.iter().rev().for_each(|(base, _)| calls.live_remove(*base));
    });
    const DEPTH: usize = 16;
    time(&mut times, "live_add + live_remove, stack, nested", others.len(), || {
        for _ in 0..others.len() / DEPTH {
            (0..DEPTH).for_each(|i| calls.live_add((1 << 46) - 128 * i, 64, true));
            (0..DEPTH).rev().for_each(|i| calls.live_remove((1 << 46) - 128 * i));
        }
    });
    time(&mut times, "push_pointer", pointers.len(), || {
        pointers.iter().for_each(|(base, offset)| calls.push_pointer(base + offset));
    });
    time(&mut times, "push_pair", pointers.len(), || {
        pointers.iter().for_each(|(base, offset)| calls.push_pair(*base, 10 * offset));
    });
    others.iter().for_each(|(base, bytes)| calls.live_add(*base, *bytes, false));
    time(&mut times, "live_end", others.len(), || others.iter().for_each(|(base, _)| calls.live_end(*base)));
    calls.begin_reverse();
    time(&mut times, "pop_range + rebase_add, elsewhere", others.len(), || {
        for (base, bytes) in others.iter().rev() {
            let record: Record = calls.pop_range();
            assert_eq!((record.base, record.bytes), (*base, *bytes));
            calls.rebase_add(&record, base + AWAY, base + ADJOINT);
        }
    });
    time(&mut times, "rebase_pointer", others.len(), || {
        for (base, bytes) in others {
            assert_eq!(calls.rebase_pointer(base + bytes / 2), base + bytes / 2 + AWAY);
        }
    });
    time(&mut times, "rebase_remove", others.len(), || {
        others.iter().for_each(|(base, _)| calls.rebase_remove(*base + AWAY, *base));
    });
    black_box(between.iter().step_by(64).fold(0, |all, byte| all ^ byte));
    time(&mut times, "pop_pair", pointers.len(), || {
        pointers.iter().rev().for_each(|(base, offset)| assert_eq!(calls.pop_pair(), base + 10 * offset));
    });
    time(&mut times, "pop_pointer", pointers.len(), || {
        pointers.iter().rev().for_each(|(base, offset)| assert_eq!(calls.pop_pointer(), base + offset));
    });
    calls.end_reverse();
    times
}

fn rows(how: &str, ours: &mut impl Calls, reference: &mut Plain, work: &Work) -> Vec<Row> {
    let mut rounds = Vec::new();
    for i in 0..=ROUNDS {
        let (a, b) = match i % 2 {
            0 => (round(ours, work), round(reference, work)),
            _ => {
                let second = round(reference, work);
                (round(ours, work), second)
            }
        };
        rounds.push(a.into_iter().zip(b).map(|((figure, a), (_, b))| (figure, a, b)).collect::<Vec<_>>());
    }
    // The first meets cold caches and fresh pages.
    let rounds = &rounds[1..];
    let row = |i: usize| Row {
        title: format!("{}{how}", rounds[0][i].0),
        ours: median(rounds.iter().map(|round| round[i].1)),
        reference: median(rounds.iter().map(|round| round[i].2)),
        unit: Unit::Nanoseconds,
        ratio: median(rounds.iter().map(|round| round[i].1 / round[i].2)),
        bound: Some(Bound::AtMost(BOUND)),
    };
    (0..rounds[0].len()).map(row).collect()
}

fn main() {
    // cargo bench adds --bench; a name of a figure is for another benchmark.
    if std::env::args().skip(1).any(|argument| !argument.starts_with("--") && argument != "addresses") {
        return;
    }
    let mut table = Table::default();
    for alive in ALIVE {
        table.extend(calls_among(alive));
    }
    table.extend(memory::rows());
    table.print();
}

/// The calls while so many objects are alive, in random order and in order of address.
fn calls_among(count: usize) -> Vec<Row> {
    let mut random = Rng::with_seed(1);
    let every = count / OTHERS.min(count / 2) + 1;
    let (mut alive, mut others) = (Vec::new(), Vec::new());
    for (i, block) in blocks(&mut random, 1 << 32, count + count / (every - 1)).into_iter().enumerate() {
        if i % every == 1 { others.push(block) } else { alive.push(block) }
    }
    random.shuffle(&mut alive);
    let mut reference = Plain::default();
    let (mut by_rust, mut by_c) = (RustApi::new(), CApi::new());
    for (base, bytes) in &alive {
        by_rust.live_add(*base, *bytes, false);
        by_c.live_add(*base, *bytes, false);
        reference.live_add(*base, *bytes, false);
    }
    let mut pointers: Vec<_> =
        alive.iter().take(POINTERS).map(|(base, bytes)| (*base, random.usize(..*bytes))).collect();
    random.shuffle(&mut pointers);
    random.shuffle(&mut others);
    let mut rows_of = Vec::new();
    let between = Rc::new(vec![1; READ_BETWEEN]);
    for order in ["random", "in order"] {
        let work = Work { others: others.clone(), pointers: pointers.clone(), between: between.clone() };
        let how = |api: &str| format!(", {order}, 10^{}, {api}", count.ilog10());
        rows_of.extend(rows(&how("C"), &mut by_c, &mut reference, &work));
        rows_of.extend(rows(&how("Rust"), &mut by_rust, &mut reference, &work));
        others.sort_unstable();
        pointers.sort_unstable();
    }
    rows_of
}
