//! The speed of the tape beside the hardware's: every figure against a reference loop that runs in the same process, turn
//! and turn about. See `benches/README.md`.
//!
//! The loops are C, as users compile it; criterion asks the programs for rounds, keeps their times and compares them with
//! those of the last run. The table at the end has the ratios.

mod driver;
mod figures;
mod programs;
mod rust_tape;
mod single;
#[path = "../common/table.rs"]
mod table;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use driver::{Round, Source, Sweep};
use figures::{Figure, figures};
use programs::Programs;
use std::time::Duration;
use table::{Row, Table};

/// A figure that is short of its bound is measured this many times more before that is believed; a long one once.
const AGAIN: usize = 2;

fn main() {
    let programs = Programs::build();
    let mut criterion = Criterion::default().without_plots().nresamples(1001).configure_from_args();
    let mut table = Table::default();
    for figure in figures() {
        table.extend(measure(&mut criterion, &programs, &figure));
    }
    criterion.final_summary();
    if table.is_complete() {
        table.extend(single::micro_adjoints(&programs));
        table.extend(single::generated(&programs));
        table.extend(single::examples(&programs));
        table.extend(single::resident(&programs));
        table.extend(single::heap_memory(&programs));
    }
    table.print();
    if table.is_complete() {
        single::cheaper_adjoints(&programs);
    }
}

/// The rows of one figure; none if the command line leaves it out.
fn measure(criterion: &mut Criterion, programs: &Programs, figure: &Figure) -> Vec<Row> {
    let mut source = Source::start(programs, figure);
    let mut rounds = Vec::new();
    for (operation, sweeps) in figure.benchmarks() {
        let mut group = criterion.benchmark_group(operation);
        if figure.is_long() {
            group.sampling_mode(SamplingMode::Flat).sample_size(10);
            group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_millis(2500));
        } else {
            group.sample_size(20);
            group.warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(300));
        }
        group.throughput(if figure.in_bytes() {
            Throughput::Bytes(figure.count * figure.bytes)
        } else {
            Throughput::Elements(figure.count)
        });
        group.bench_function(BenchmarkId::new(figure.name, figure.size()), |bencher| {
            bencher.iter_custom(|iterations| {
                let asked = source.rounds(iterations);
                let time = |round: &Round| -> f64 { sweeps.iter().map(|sweep| round.ours(*sweep)).sum() };
                let nanoseconds: f64 = asked.iter().map(time).sum();
                rounds.extend(asked);
                Duration::from_nanos(nanoseconds as u64)
            });
        });
        group.finish();
    }
    if rounds.is_empty() {
        return Vec::new();
    }
    for _ in 0..if figure.is_long() { 1 } else { AGAIN } {
        if rows(figure, &rounds).iter().all(Row::is_ok) {
            break;
        }
        drop(source);
        source = Source::start(programs, figure);
        rounds.extend(source.rounds(if figure.is_long() { 7 } else { 2000 }));
    }
    rows(figure, &rounds)
}

fn rows(figure: &Figure, rounds: &[Round]) -> Vec<Row> {
    figure.sweeps().into_iter().map(|sweep| row(figure, sweep, rounds)).collect()
}

fn row(figure: &Figure, sweep: Sweep, rounds: &[Round]) -> Row {
    let ours = table::median(rounds.iter().map(|round| round.ours(sweep)));
    let reference = table::median(rounds.iter().map(|round| round.reference(sweep)));
    // Of pairs that were measured one right after the other.
    let ratio = table::median(rounds.iter().map(|round| round.ours(sweep) / round.reference(sweep)));
    figure.row(sweep, ours, reference, ratio)
}
