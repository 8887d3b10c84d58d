use super::count::{beta, extra_steps};
use super::executor::{Executor, Limits};
use super::*;
use crate::part::part;
use fastrand::Rng;

/// Limits that a schedule in memory keeps.
fn memory(snapshots: u64) -> Limits {
    Limits { memory: snapshots, disk: 0 }
}

/// t(n, s) by its definition: the best cut of all.
fn least_extra_steps(longest: usize, most: usize) -> Vec<Vec<u64>> {
    let mut t = vec![vec![0; longest + 1]; most + 1];
    t[0].iter_mut().skip(2).for_each(|extra| *extra = u64::MAX / 4);
    for s in 1..=most {
        for n in 2..=longest {
            t[s][n] = (1..n).map(|m| m as u64 + t[s][m] + t[s - 1][n - m]).min().unwrap();
        }
    }
    t
}

#[test]
fn formula_is_the_least_number_of_extra_steps() {
    let table = least_extra_steps(part(2000) as usize, 20);
    for (s, row) in table.iter().enumerate().skip(1) {
        for (n, extra) in row.iter().enumerate() {
            assert_eq!(extra_steps(n as u64, s as u64), *extra, "t({n}, {s})");
        }
    }
    assert_eq!([(10, 3), (1000, 10), (200_000, 10)].map(|(n, s)| extra_steps(n, s)), [15, 3636, 1_847_284]);
}

#[test]
fn binomial_numbers_saturate() {
    assert_eq!([beta(3, 2), beta(2, 3), beta(0, 9), beta(9, 0)], [10, 10, 1, 1]);
    assert_eq!(beta(33, 33), 7_219_428_434_016_265_740);
    assert_eq!(beta(34, 34), u64::MAX);
    assert_eq!(beta(u64::MAX, 1), u64::MAX);
    assert_eq!(beta(u64::MAX / 2, u64::MAX / 2), u64::MAX);
    // s (s + 1) / 2 of s = 2^32: the products on the way do not fit into 64 bits.
    assert_eq!(beta(2, (1 << 32) - 1), (1 << 31) * ((1 << 32) + 1));
}

/// Every length up to 300, and then every seventh up to 2000 (640 in a part), with up to 20 snapshots: the formula at
/// every action.
#[test]
fn binomial_takes_the_least_number_of_extra_steps() {
    for s in 1..=20 {
        for n in (0..300).chain((300..=300 + part(1700)).step_by(7)) {
            let mut schedule = Schedule::binomial(n, s).unwrap();
            let predicted = schedule.predict().unwrap();
            let done = Executor::new(n, memory(s)).run(&mut schedule).done;
            assert_eq!(done.extra_steps, extra_steps(n, s), "t({n}, {s})");
            assert_eq!(done, predicted, "n = {n}, s = {s}");
        }
    }
}

#[test]
fn binomial_takes_the_least_number_of_extra_steps_in_longer_loops() {
    let mut random = Rng::with_seed(1);
    for n in [5000, 40_000, 200_000] {
        for s in [2, 5, 30, 99, 300, 1999] {
            let n = n + random.u64(..1000);
            let mut schedule = Schedule::binomial(n, s).unwrap();
            let predicted = schedule.predict().unwrap();
            assert_eq!(Executor::new(n, memory(s)).run(&mut schedule).done, predicted, "n = {n}, s = {s}");
            assert_eq!(predicted.extra_steps, extra_steps(n, s));
        }
    }
}

/// Of all optimal cuts, those with the fewest saves.
#[test]
fn binomial_saves_as_little_as_possible() {
    let (longest, most) = (120, 8);
    let t = least_extra_steps(longest, most);
    // saves[s][n] counts the first state, if n > 1.
    let mut saves = vec![vec![0_u64; longest + 1]; most + 1];
    for s in 1..=most {
        for n in 2..=longest {
            let optimal = (1..n).filter(|m| *m as u64 + t[s][*m] + t[s - 1][n - m] == t[s][n]);
            let with = |m: usize| 1 + saves[s - 1][n - m] + saves[s][m].saturating_sub(1);
            saves[s][n] = optimal.map(with).min().unwrap();
            let schedule = Schedule::binomial(n as u64, s as u64).unwrap();
            assert_eq!(schedule.predict().unwrap().memory_saves, saves[s][n], "n = {n}, s = {s}");
        }
    }
}

#[test]
fn binomial_of_a_billion_steps_is_optimal_and_begins_well() {
    for s in [1, 2, 3, 10, 50, 1000] {
        let n = 1_000_000_000;
        let mut schedule = Schedule::binomial(n, s).unwrap();
        assert_eq!(schedule.predict().unwrap().extra_steps, extra_steps(n, s));
        let mut executor = Executor::new(n, memory(s));
        for _ in 0..100_000 {
            executor.perform(schedule.next().unwrap());
        }
        // The extra steps until now and those that the formula leaves for the state reached are those of the formula.
        let left = schedule.extra_steps_left();
        assert_eq!(u128::from(executor.done.extra_steps) + left, u128::from(extra_steps(n, s)), "s = {s}");
    }
}

#[test]
fn lengths_and_snapshots_of_64_bits_work() {
    for (n, s) in [(u64::MAX, 60), (u64::MAX, u64::MAX), (u64::MAX / 2, 3), (1 << 40, 1 << 39)] {
        let mut schedule = Schedule::binomial(n, s).unwrap();
        let mut executor = Executor::new(n, memory(s));
        for _ in 0..1000 {
            executor.perform(schedule.next().unwrap());
        }
    }
}

/// What the two levels are used for, against a schedule that is performed.
#[test]
fn multistage_is_binomial_with_the_least_used_snapshots_on_disk() {
    for n in (0..60).chain([100, 333, 1000, 3003]) {
        for in_memory in 0..7 {
            for on_disk in 0..7 {
                let s = in_memory + on_disk;
                if n > 1 && s == 0 {
                    continue;
                }
                let mut schedule = Schedule::multistage(n, in_memory, on_disk).unwrap();
                let predicted = schedule.predict().unwrap();
                let done = Executor::new(n, Limits { memory: in_memory, disk: on_disk }).run(&mut schedule).done;
                assert_eq!(done, predicted, "n = {n}, {in_memory} + {on_disk}");
                assert_eq!(done.extra_steps, extra_steps(n, s));
                // The fewest accesses to disk that any choice of depths has.
                let Some(uses) = multistage::tally(n, s.min(n)) else { panic!("n = {n}, s = {s}") };
                let mut accesses: Vec<u64> = uses.saves.iter().zip(&uses.loads).map(|(s, l)| s + l).collect();
                accesses.sort_by_key(|accesses| std::cmp::Reverse(*accesses));
                let least: u64 = accesses.iter().skip(in_memory as usize).sum();
                assert_eq!(done.disk_saves + done.disk_loads, least, "n = {n}, {in_memory} + {on_disk}");
            }
        }
    }
}

/// The parts of a loop with one snapshot were counted one by one, 2^20 of them in 8 seconds, and then given up: the
/// prediction had no number of loads.
#[test]
fn loads_of_a_long_loop_with_few_snapshots_are_predicted() {
    for n in [1 << 40, u64::MAX] {
        let costs = Schedule::binomial(n, 1).unwrap().predict().unwrap();
        assert_eq!((costs.memory_saves, costs.memory_loads), (1, n - 1));
    }
    let costs = Schedule::binomial(1 << 40, 2).unwrap().predict().unwrap();
    assert!(costs.memory_saves < costs.memory_loads && costs.memory_loads < 1 << 41, "{costs:?}");
    // On disk lies the one that is used least.
    let costs = Schedule::multistage(1 << 40, 1, 1).unwrap().predict().unwrap();
    assert!(costs.disk_saves == 1 && costs.disk_loads < 1 << 22 && costs.memory_loads > 1 << 39, "{costs:?}");
    // The sums of what is too large stay too large.
    let costs = Schedule::two_level(Some(1 << 40), 1 << 39, 0).unwrap().predict().unwrap();
    assert_eq!((costs.extra_steps, costs.disk_loads), (u64::MAX, (1 << 40) - 1));
}

#[test]
fn two_level_costs_what_it_predicts() {
    for n in (0..70).chain([100, 1000, 2222]) {
        for period in [1, 2, 3, 7, 50, 5000] {
            for snapshots in [0, 1, 2, 5, 60] {
                let limits = Limits { memory: snapshots, disk: n / period + 1 };
                let mut schedule = Schedule::two_level(Some(n), period, snapshots).unwrap();
                let predicted = schedule.predict().unwrap();
                let done = Executor::new(n, limits).run(&mut schedule).done;
                assert_eq!(done, predicted, "n = {n}, period {period}, {snapshots} in memory");
                let blocks = n.saturating_sub(1) / period;
                let last = n - blocks * period;
                let formula = blocks * (period + extra_steps(period, snapshots + 1)) + extra_steps(last, snapshots + 1);
                assert_eq!(done.extra_steps, formula);
                let mut unknown = Schedule::two_level(None, period, snapshots).unwrap();
                Executor::new(n, limits).run(&mut unknown);
            }
        }
    }
}

/// The recurrences of the paper, evaluated as they stand.
fn disk_costs(longest: usize, memory: u64, save: f64, load: f64) -> Vec<f64> {
    let t = |n: usize| extra_steps(n as u64, memory) as f64;
    let (mut reversal, mut cost) = (vec![0.0; longest + 1], vec![0.0; longest + 1]);
    for j in 1..=longest {
        let cuts = (1..j).map(|k| k as f64 + t(j - k) + reversal[k]);
        reversal[j] = load + cuts.fold(t(j), f64::min);
    }
    for n in 1..=longest {
        cost[n] = (1..n).map(|j| save + j as f64 + reversal[j] + cost[n - j]).fold(t(n), f64::min);
    }
    cost
}

fn price(done: &Prediction, save: f64, load: f64) -> f64 {
    done.extra_steps as f64 + done.disk_saves as f64 * save + done.disk_loads as f64 * load
}

#[test]
fn disk_revolve_costs_as_little_as_the_recurrences_allow() {
    for memory in [1, 2, 3, 8] {
        for (save, load) in [(0.0, 0.0), (2.0, 2.0), (0.5, 3.0), (5.0, 0.25), (40.0, 15.0), (1e6, 1.0)] {
            let least = disk_costs(220, memory, save, load);
            for n in 0..=220 {
                let mut schedule = Schedule::disk_revolve(n, memory, save, load).unwrap();
                let predicted = schedule.predict().unwrap();
                let done = Executor::new(n, Limits { memory, disk: n }).run(&mut schedule).done;
                assert_eq!(done, predicted, "n = {n}, {memory} in memory, costs {save}, {load}");
                let cost = price(&done, save, load);
                assert!((cost - least[n as usize]).abs() < 1e-6, "n = {n}, {memory}, {save}, {load}: {cost}");
            }
        }
    }
}

#[test]
fn disk_revolve_of_a_long_loop_costs_hardly_more_a_step_than_the_best_group() {
    for (memory, save, load) in [(3, 5.0, 2.0), (10, 50.0, 50.0), (4, 3000.0, 1000.0)] {
        let n = 300_000;
        let mut schedule = Schedule::disk_revolve(n, memory, save, load).unwrap();
        let predicted = schedule.predict().unwrap();
        let done = Executor::new(n, Limits { memory, disk: n }).run(&mut schedule).done;
        assert_eq!(done, predicted, "{memory}, {save}, {load}");
        let Kind::DiskRevolve(kind) = &Schedule::disk_revolve(n, memory, save, load).unwrap().kind else { panic!() };
        // No schedule of groups costs less than the best rate for all but its last piece, which is not longer than
        // the exact part here.
        let bound = kind.best_rate() * (n as f64 - 4096.0);
        let cost = price(&done, save, load);
        assert!(cost < 1.02 * bound.max(1.0) + 1e5 * f64::from(u8::from(save > 1000.0)), "{cost} beside {bound}");
    }
}

/// What the loop of n steps costs at least if its length is known only at its end: all n steps, and then the reversal
/// from the best snapshots there could be, for each n.
fn least_after_a_sweep(longest: usize, s: u64) -> Vec<u64> {
    // The costs of what is behind i snapshots, from the last.
    let mut behind: Vec<u64> = (0..=longest as u64).map(|n| extra_steps(n, 1)).collect();
    for free in 2..=s {
        let t: Vec<u64> = (0..=longest as u64).map(|n| extra_steps(n, free)).collect();
        let best = |n: usize| (1..n).map(|m| t[m] + behind[n - m]).fold(t[n], u64::min);
        behind = (0..=longest).map(best).collect();
    }
    behind.iter().zip(0..).map(|(cost, n)| cost + n).collect()
}

/// Extra steps of the online schedule, performed.
fn online_extra_steps(n: u64, s: u64) -> u64 {
    let mut schedule = Schedule::online(s).unwrap();
    assert!(schedule.predict().is_err());
    if n == 0 {
        schedule.end_at(0).unwrap();
    }
    Executor::new(n, memory(s)).run(&mut schedule).done.extra_steps
}

#[test]
fn online_is_optimal_up_to_two_repetitions() {
    for s in 1..=12 {
        let reach = if s == 1 { 50 } else { beta(s, 2) };
        let least = least_after_a_sweep(reach as usize, s);
        for n in 0..=reach {
            assert_eq!(online_extra_steps(n, s), least[n as usize], "n = {n}, s = {s}");
        }
    }
}

#[test]
fn online_costs_hardly_more_than_the_best_choice_beyond() {
    for s in [2, 3, 4, 5, 8, 10, 20] {
        let longest = beta(s, 5).min(500);
        let least = least_after_a_sweep(longest as usize, s);
        let (mut sum, mut least_sum) = (0, 0);
        for n in 1..=longest {
            // With the steps that the turns run.
            let (total, least) = (online_extra_steps(n, s) + n, least[n as usize] + n);
            assert!(total >= least && 100 * total <= 115 * least, "n = {n}, s = {s}: {total}, at least {least}");
            (sum, least_sum) = (sum + total, least_sum + least);
        }
        assert!(100 * sum <= 105 * least_sum, "s = {s}: {sum}, at least {least_sum}");
    }
}

#[test]
fn online_repeats_no_step_more_often_than_binomial() {
    for s in 1..=12 {
        for n in 1..=beta(s, 2) {
            let executor = Executor::new(n, memory(s)).counting_runs().run(&mut Schedule::online(s).unwrap());
            let most = executor.runs.unwrap().into_iter().max().unwrap_or(0);
            // The first sweep runs the last step too, as it does not know that it is.
            assert!(most <= count::rank(n + 1, s).0, "n = {n}, s = {s}: {most}");
        }
    }
}

#[test]
fn online_with_many_snapshots_or_steps_stays_near_the_binomial_schedule() {
    let mut random = Rng::with_seed(2);
    for (s, longest) in [(1, 1000), (3, 4000), (10, 20_000), (50, 20_000), (300, 100_000)] {
        for _ in 0..4 {
            let n = random.u64(..longest);
            let (extra, least) = (online_extra_steps(n, s), extra_steps(n, s));
            assert!(extra >= least && 10 * (extra + n) <= 14 * (least + n), "n = {n}, s = {s}: {extra}, {least}");
        }
    }
}

#[test]
fn loops_that_leave_early_are_reversed_by_every_schedule() {
    let mut random = Rng::with_seed(3);
    for round in 0..part(3000) {
        let n = 1 + random.u64(..if round % 10 == 0 { 700 } else { 60 });
        let (ends, s) = (random.u64(..n + 1), 1 + random.u64(..8));
        let schedules = [
            Schedule::binomial(n, s),
            Schedule::multistage(n, s, 2),
            Schedule::disk_revolve(n, s, 1.5, 1.0),
            Schedule::two_level(Some(n), 1 + n / 7, s),
            Schedule::two_level(None, 1 + n / 7, s),
            Schedule::online(s),
            Schedule::mixed(n, s),
            Ok(Schedule::store_all(n)),
        ];
        for (kind, schedule) in schedules.into_iter().enumerate() {
            let mut schedule = schedule.unwrap();
            // A loop of known length whose last step is its last cannot leave within it: that step is turned.
            if schedule.steps() == Some(n) && ends == n {
                continue;
            }
            let limits = Limits { memory: if kind == 7 { n } else { s }, disk: n };
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                if ends == 0 {
                    schedule.end_at(0).unwrap();
                }
                Executor::new(ends, limits).run(&mut schedule);
            }));
            assert!(caught.is_ok(), "round {round}: kind {kind}, {n} steps, ends at {ends}, s = {s}");
        }
    }
}

/// The recurrence of the paper, evaluated as it stands.
#[test]
fn mixed_takes_the_least_number_of_extra_steps() {
    let (longest, most) = (90, 9);
    let mut least = vec![vec![u64::MAX / 4; longest + 1]; most + 1];
    least[0][0] = 0;
    least[0][1] = 0;
    for s in 1..=most {
        least[s][0] = 0;
        least[s][1] = 0;
        for n in 2..=longest {
            let states = (2..n).map(|m| m as u64 + least[s][m] + least[s - 1][n - m]);
            least[s][n] = states.chain([least[s - 1][n - 1]]).min().unwrap();
        }
    }
    for (s, row) in least.iter().enumerate().skip(1) {
        for (n, least) in row.iter().enumerate() {
            let mut schedule = Schedule::mixed(n as u64, s as u64).unwrap();
            let predicted = schedule.predict().unwrap();
            let done = Executor::new(n as u64, memory(s as u64)).run(&mut schedule).done;
            assert_eq!(done, predicted, "n = {n}, s = {s}");
            assert_eq!(done.extra_steps, *least, "n = {n}, s = {s}");
            assert!(done.extra_steps <= extra_steps(n as u64, s as u64), "never worse than binomial");
        }
    }
}

#[test]
fn store_all_runs_nothing_twice() {
    for n in 0..50 {
        let done = Executor::new(n, memory(n)).run(&mut Schedule::store_all(n)).done;
        assert_eq!((done.extra_steps, done.memory_saves), (0, 0));
    }
}

#[test]
fn arguments_without_a_schedule_are_refused() {
    let message = |schedule: Result<Schedule, Error>| match schedule {
        Ok(_) => panic!("a schedule was made"),
        Err(error) => (error.status(), error.message().to_owned()),
    };
    for schedule in [
        Schedule::binomial(2, 0),
        Schedule::multistage(2, 0, 0),
        Schedule::disk_revolve(2, 0, 1.0, 1.0),
        Schedule::disk_revolve(2, 1, -1.0, 1.0),
        Schedule::disk_revolve(2, 1, 1.0, f64::NAN),
        Schedule::two_level(Some(2), 0, 1),
        Schedule::online(0),
        Schedule::mixed(2, 0),
        Schedule::mixed(1 << 20, 20),
    ] {
        assert_eq!(message(schedule).0, Status::BadArgument);
    }
    assert!(message(Schedule::binomial(2, 0)).1.contains("without a snapshot"));
    assert!(Schedule::binomial(1, 0).is_ok());
}

#[test]
fn a_loop_can_end_only_where_it_runs_and_before_the_first_turn() {
    let mut schedule = Schedule::binomial(10, 2).unwrap();
    assert!(schedule.end_at(1).is_err(), "nothing has run yet");
    let running = schedule.find(|action| matches!(action, Action::Advance { .. })).unwrap();
    let Action::Advance { from, to } = running else { panic!() };
    assert_eq!(schedule.end_at(to + 1).unwrap_err().status(), Status::BadArgument);
    assert!(from == 0 && schedule.predict().is_err());
    schedule.end_at(to).unwrap();
    assert!(schedule.end_at(to).is_err(), "it has ended");
    let mut schedule = Schedule::binomial(10, 2).unwrap();
    schedule.find(|action| matches!(action, Action::Turn { .. }));
    assert!(schedule.end_at(9).is_err());
}
