//! What an action of a schedule costs at 10^9 steps, beside the same schedule of 10^4 steps and beside a loop that reads
//! the same actions from a list: `cargo bench --bench schedules`. See `benches/README.md`.

#[allow(dead_code, reason = "some of it is for the other benches")]
#[path = "common/table.rs"]
mod table;

use adtape::{Action, Schedule};
use std::hint::black_box;
use std::time::Instant;
use table::{Bound, Row, Table, Unit, median};

/// What an action at 10^9 steps may take, in ns.
const MOST: f64 = 100.0;

const ACTIONS: usize = 200_000;
const ROUNDS: usize = 15;

/// Steps of a loop whose length is not known, from its beginning.
const ONLINE: usize = 5_000_000;

/// A number made of an action, so that it is not optimised away.
fn digest(action: Action) -> u64 {
    match action {
        Action::Advance { from, to } => from ^ to,
        Action::Save { step, place } | Action::Load { step, place } | Action::Drop { step, place } => step ^ place.slot,
        Action::Turn { step, .. } | Action::Record { step, .. } | Action::Reverse { step, .. } => step,
    }
}

/// Nanoseconds an action of a list or of a schedule, which begins anew when it ends.
fn time(mut next: impl FnMut() -> Action) -> f64 {
    let start = Instant::now();
    let sum = (0..ACTIONS).fold(0, |sum, _| sum ^ digest(next()));
    black_box(sum);
    start.elapsed().as_nanos() as f64 / ACTIONS as f64
}

/// The actions of a schedule, over and over.
fn endless(fresh: &Schedule) -> impl FnMut() -> Action {
    let (fresh, mut schedule) = (fresh.clone(), fresh.clone());
    move || loop {
        if let Some(action) = schedule.next() {
            return action;
        }
        schedule = fresh.clone();
    }
}

/// A figure beside another one.
fn row(title: String, ours: f64, reference: f64, bound: Option<Bound>) -> Row {
    Row { title, ours, reference, unit: Unit::Nanoseconds, ratio: ours / reference, bound }
}

fn main() {
    let mut table = Table::default();
    for snapshots in [1, 2, 3, 10, 50, 1000] {
        let schedules = [1_000_000_000, 10_000].map(|steps| Schedule::binomial(steps, snapshots).expect("a schedule"));
        let list: Vec<Action> = schedules[0].clone().take(ACTIONS).collect();
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].push(time(endless(&schedules[0])));
            times[1].push(time(endless(&schedules[1])));
            let mut listed = list.iter().copied().cycle();
            times[2].push(time(|| listed.next().expect("a cycle")));
        }
        let [billion, thousands, plain] = times.map(|times| median(times.into_iter()));
        let title = |beside: &str| format!("action, binomial, {snapshots} snapshots / {beside}");
        table.extend(vec![
            row(title("100 ns"), billion, MOST, Some(Bound::AtMost(1.0))),
            row(title("at 10^4 steps"), billion, thousands, None),
            row(title("from a list"), billion, plain, None),
        ]);
    }
    for snapshots in [2, 10, 50, 1000] {
        let mut schedule = Schedule::online(snapshots).expect("a schedule");
        let start = Instant::now();
        let sum = (0..ONLINE).fold(0, |sum, _| sum ^ schedule.next().map_or(0, digest));
        black_box(sum);
        let each = start.elapsed().as_nanos() as f64 / ONLINE as f64;
        table.extend(vec![row(format!("action, online, {snapshots} snapshots / 100 ns"), each, MOST, None)]);
    }
    table.print();
}
