//! What an action of a schedule costs at 10^9 steps, beside the same schedule of 10^4 steps and beside a loop that reads
//! the same actions from a list: `cargo bench --bench schedules`. See `benches/README.md`.

use adtape::{Action, Schedule};
use std::hint::black_box;
use std::time::Instant;

/// The time of an action at 10^9 steps, in ns.
const BOUND: f64 = 100.0;

const ACTIONS: usize = 200_000;
const ROUNDS: usize = 15;

/// Steps of a loop whose length is not known, from its beginning.
const ONLINE: usize = 5_000_000;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

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

fn main() {
    println!("{:<42} {:>9} {:>11} {:>9}  bound", "ns an action", "10^9 steps", "10^4 steps", "a list");
    let mut short = 0;
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
        let [billion, thousands, plain] = times.map(median);
        let verdict = if billion <= BOUND { "ok" } else { "short" };
        short += u32::from(billion > BOUND);
        let title = format!("binomial, {snapshots} snapshots");
        println!("{title:<42} {billion:>10.1} {thousands:>11.1} {plain:>9.1}  <= {BOUND} {verdict}");
    }
    for snapshots in [2, 10, 50, 1000] {
        let mut schedule = Schedule::online(snapshots).expect("a schedule");
        let start = Instant::now();
        let sum = (0..ONLINE).fold(0, |sum, _| sum ^ schedule.next().map_or(0, digest));
        black_box(sum);
        let each = start.elapsed().as_nanos() as f64 / ONLINE as f64;
        let title = format!("online, {snapshots} snapshots, first {ONLINE} actions");
        println!("{title:<42} {each:>10.1}");
    }
    println!("{} of 6 bounds held", 6 - short);
}
