//! The speed of tapes that are eight times as large as the memory they may have: beside plain writes and reads of a file
//! without computation, and of an adjoint beside the same one in memory. Runs turn and turn about in one process. See
//! `benches/README.md`.

mod adjoint;
mod demo;
#[allow(dead_code, reason = "some of it is for the other benches")]
#[path = "../common/table.rs"]
mod table;

use adjoint::Model;
use adtape::{Tape, process};
use demo::Demo;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;
use table::{Bound, Row, Table, Unit, median};

/// Bytes of the tape and of the file beside it.
const BYTES: usize = 2 << 30;
/// How many times its memory a tape is.
const TIMES: u64 = 8;
/// Bytes of a plain write or read.
const BLOCK: usize = 1 << 20;
/// Doubles of an array on the tape.
const ARRAY: usize = 8 << 10;
const ROUNDS: usize = 5;
/// A figure that is short of its bound is measured this many times more before that is believed.
const AGAIN: usize = 1;

/// Seconds of the two halves of a run.
type Times = [f64; 2];

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Writes a new file upward, reads it downward, and closes it.
fn plain(directory: &Path) -> Times {
    let path = directory.join("plain");
    let mut block = vec![1_u8; BLOCK];
    let mut file = None;
    let up = time(|| {
        let new: File =
            OpenOptions::new().read(true).write(true).create_new(true).open(&path).expect("a file of our own");
        std::fs::remove_file(&path).expect("our file");
        for i in 0..BYTES / BLOCK {
            block[0] = i as u8;
            new.write_all_at(&block, (i * BLOCK) as u64).expect("room on the disk");
        }
        file = Some(new);
    });
    let down = time(|| {
        let file = file.take().expect("the file");
        for i in (0..BYTES / BLOCK).rev() {
            file.read_exact_at(&mut block, (i * BLOCK) as u64).expect("what was written");
            assert!(block[0] == i as u8);
        }
    });
    [up, down]
}

/// Pushes as many bytes to a tape, pops them, and drops it.
fn spilled() -> Times {
    let count = BYTES / 8 / ARRAY;
    let mut array = vec![1.0_f64; ARRAY];
    let tape = Tape::new().expect("a tape");
    let up = time(|| {
        for i in 0..count {
            array[0] = i as f64;
            tape.push_slice(&array).expect("room on the disk");
        }
    });
    let least = BYTES as u64 - BYTES as u64 / TIMES;
    assert!(tape.stats().expect("statistics").spilled_bytes >= least);
    let down = time(|| {
        for i in (0..count).rev() {
            tape.pop_slice(&mut array).expect("what was pushed");
            assert!(array[0] == i as f64);
        }
        drop(tape);
    });
    [up, down]
}

/// Rounds of ours and the reference, each in turn the first; one before them is left out.
fn rounds(mut ours: impl FnMut() -> Times, mut reference: impl FnMut() -> Times) -> Vec<[Times; 2]> {
    let mut round = |ours_first: bool| {
        if ours_first {
            let first = ours();
            [first, reference()]
        } else {
            let first = reference();
            [ours(), first]
        }
    };
    round(true);
    (0..ROUNDS).map(|i| round(i % 2 == 0)).collect()
}

/// A row of the times of both, of as much as one unit in a run.
fn row(
    title: &str,
    bound: Option<Bound>,
    rounds: &[[Times; 2]],
    pick: fn(&Times) -> f64,
    scale: f64,
    unit: Unit,
) -> Row {
    let of = |which: usize| median(rounds.iter().map(|round| pick(&round[which])));
    let ratio = median(rounds.iter().map(|[ours, reference]| pick(ours) / pick(reference)));
    let value = |seconds: f64| match unit {
        Unit::GigabytesPerSecond => scale / seconds / 1e9,
        _ => seconds * 1e9 / scale,
    };
    Row { title: title.to_owned(), ours: value(of(0)), reference: value(of(1)), unit, ratio, bound }
}

/// Measures rows, the first of which has a bound, again if it is short of that.
fn measure(mut more: impl FnMut() -> Vec<[Times; 2]>, rows: impl Fn(&[[Times; 2]]) -> Vec<Row>) -> Vec<Row> {
    let mut all = more();
    for _ in 0..AGAIN {
        if rows(&all)[0].is_ok() {
            break;
        }
        all.extend(more());
    }
    rows(&all)
}

fn both(times: &Times) -> f64 {
    times[0] + times[1]
}

fn files(directory: &Path) -> Vec<Row> {
    process::set_memory_limit(Some(BYTES as u64 / TIMES));
    let unit = Unit::GigabytesPerSecond;
    measure(
        || rounds(spilled, || plain(directory)),
        |rounds| {
            let bound = Some(Bound::AtMost(1.25));
            let bytes = BYTES as f64;
            vec![
                row("spilled tape, 2 GiB / plain write and read", bound, rounds, both, 2.0 * bytes, unit),
                row("push a spilled tape / plain write", None, rounds, |times| times[0], bytes, unit),
                row("pop a spilled tape / plain read", None, rounds, |times| times[1], bytes, unit),
            ]
        },
    )
}

fn adjoints() -> Vec<Row> {
    let model = Model::new();
    let (bytes, elements) = (model.tape_bytes(), model.elements());
    let run = |limit: Option<u64>| {
        process::set_memory_limit(limit);
        let (mut sum, mut gradient, tape) = (0.0, Vec::new(), Tape::new().expect("a tape"));
        let up = time(|| sum = model.forward(&tape));
        let down = time(|| {
            gradient = model.reverse(&tape);
            drop(tape);
        });
        model.check(sum, &gradient);
        [up, down]
    };
    measure(
        || rounds(|| run(Some(bytes / TIMES)), || run(None)),
        |rounds| {
            let bound = Some(Bound::AtMost(1.3));
            vec![row("stencil adjoint, tape of 1 GiB / in memory", bound, rounds, both, elements, Unit::Nanoseconds)]
        },
    )
}

fn demos(directory: &Path) -> Vec<Row> {
    let [mut spilling, mut in_memory] = Demo::both(directory);
    let (mut first, mut second) = (None, None);
    let rows = measure(
        || rounds(|| spilling.gradient(&mut first), || in_memory.gradient(&mut second)),
        |rounds| {
            let bound = Some(Bound::AtMost(1.3));
            let values = demo::BYTES as f64 / 8.0;
            let title = "demo's gradient, tape of 2.25 GB / in memory";
            vec![
                row(title, bound, rounds, both, values, Unit::Nanoseconds),
                row("its forward sweep", None, rounds, |times| times[0], values, Unit::Nanoseconds),
                row("its reverse sweep", None, rounds, |times| times[1], values, Unit::Nanoseconds),
            ]
        },
    );
    assert_eq!(first, second, "the gradient does not depend on where the tape is");
    spilling.end();
    in_memory.end();
    rows
}

fn main() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    process::set_spill_directory(Some(directory)).expect("a directory on the disk");
    let mut table = Table::default();
    table.extend(files(directory));
    table.extend(adjoints());
    table.extend(demos(directory));
    table.print();
}
