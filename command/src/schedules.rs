//! `adtape schedule`: what the reversal of a loop costs by every schedule, beside each other.

use crate::page;
use crate::pictures::{steps, theme};
use crate::say::{self, bytes, columns, grouped};
use adtape::{Action, Error, Level, Prediction, Schedule};
use clap::Args;
use minijinja::{Value, context};

/// Actions that are performed at most, for what no formula says, and for pictures.
const ACTIONS: u64 = 20_000_000;

#[derive(Args, Clone)]
pub struct Loop {
    /// Steps of the loop
    #[arg(long, value_name = "N")]
    steps: u64,
    /// States that fit into memory at once, the first one among them
    #[arg(long, value_name = "S")]
    snapshots: u64,
    /// States that fit on the disk at once, of multistage
    #[arg(long, value_name = "D", default_value_t = 10)]
    disk: u64,
    /// Steps from one state on disk to the next, of two_level; by default as many as S states in memory reverse well
    #[arg(long, value_name = "P")]
    period: Option<u64>,
    /// What it costs to write a state to disk, of disk_revolve, in forward steps
    #[arg(long, value_name = "COST", default_value_t = 1.0)]
    save_cost: f64,
    /// What it costs to read one
    #[arg(long, value_name = "COST", default_value_t = 1.0)]
    load_cost: f64,
    /// Bytes of a state, to say what memory and disk are needed: 900000, 15.6M, 2G
    #[arg(long, value_name = "BYTES", value_parser = size)]
    state: Option<u64>,
    /// Write a page with a picture of each schedule
    #[arg(long, value_name = "PAGE")]
    html: Option<String>,
    /// Write the picture of one schedule, that of --of
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
    /// Which schedule the picture of --svg shows
    #[arg(long, value_name = "SCHEDULE", default_value = "binomial", requires = "svg")]
    of: String,
}

/// `15.6M`.
fn size(text: &str) -> Result<u64, String> {
    let text = text.trim_end_matches("iB").trim_end_matches('B');
    let units = [('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12)];
    let unit = units.iter().find(|(letter, _)| text.ends_with(*letter));
    let number = unit.map_or(text, |(letter, _)| text.trim_end_matches(*letter));
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1e18 => Ok((value * unit.map_or(1.0, |(_, factor)| *factor)) as u64),
        _ => Err("give bytes, as in 900000, 15.6M or 2G".to_owned()),
    }
}

/// What a schedule turned out to do.
struct Cost {
    name: &'static str,
    what: String,
    /// Or why there is none.
    found: Result<Found, Error>,
}

struct Found {
    cost: Prediction,
    /// At once, in memory and on disk; None if that takes too long to find.
    peaks: Option<[u64; 2]>,
    /// Tapes of steps are stored, too.
    tapes: bool,
    course: steps::Course,
}

/// Prints the table and writes the pictures.
pub fn compare(wanted: &Loop) -> Result<(), u8> {
    wanted.html.as_ref().map_or(Ok(()), |page| say::must_end(page, "page", ".html"))?;
    wanted.svg.as_ref().map_or(Ok(()), |file| say::must_end(file, "picture", ".svg"))?;
    let costs = costs(wanted);
    say::print(&format!("{} steps, {} snapshots in memory\n", grouped(wanted.steps), grouped(wanted.snapshots)));
    say::print(&columns(&table(wanted, &costs), 1));
    for (cost, error) in costs.iter().filter_map(|cost| Some((cost, cost.found.as_ref().err()?))) {
        say::print(&format!("  {}: {}\n", cost.name, error.message().replace("\n ", ";")));
    }
    if costs.iter().all(|cost| cost.found.is_err()) {
        return Err(2);
    }
    say::print(&format!("\n{NOTES}\n"));
    if let Some(page) = &wanted.html {
        say::write(page, &html(wanted, &costs))?;
        say::print(&format!("\npage: {page}\n"));
    }
    if let Some(file) = &wanted.svg {
        say::write(file, &theme::standalone(&picture_of(wanted, &costs)?))?;
        say::print(&format!("\npicture: {file}\n"));
    }
    Ok(())
}

const NOTES: &str = "\
runs: forward steps for each step of the loop; one of them records, and its adjoint follows
kept: states at most at once; with store_all and mixed tapes of a step, too
written, read: states";

fn costs(wanted: &Loop) -> Vec<Cost> {
    let (n, s, d) = (wanted.steps, wanted.snapshots, wanted.disk);
    let period = wanted.period.unwrap_or_else(|| period(n, s));
    let of = |name, what: &str, schedule: Result<Schedule, Error>| Cost {
        name,
        what: what.to_owned(),
        found: schedule.map(|schedule| perform(schedule, n)),
    };
    vec![
        of("store_all", "the tape of every step", Ok(Schedule::store_all(n))),
        of("binomial", "the fewest steps with so many states", Schedule::binomial(n, s)),
        of("multistage", &format!("binomial with {} states more on disk", grouped(d)), Schedule::multistage(n, s, d)),
        of(
            "disk_revolve",
            &format!("as many on disk as pay at costs of {} and {}", wanted.save_cost, wanted.load_cost),
            Schedule::disk_revolve(n, s, wanted.save_cost, wanted.load_cost),
        ),
        of("two_level", &format!("on disk every {} steps", grouped(period)), Schedule::two_level(Some(n), period, s)),
        of("online", "the length is not known before", Schedule::online(s)),
        of("mixed", "states or tapes of a step, whichever saves more", Schedule::mixed(n, s)),
    ]
}

/// Steps that s states in memory besides the first reverse with two forward runs, if that is of any use.
fn period(steps: u64, snapshots: u64) -> u64 {
    (snapshots.saturating_add(1).saturating_mul(snapshots.saturating_add(2)) / 2).clamp(1, steps.max(1))
}

/// Performs a schedule on a pretended loop.
fn perform(mut schedule: Schedule, steps: u64) -> Found {
    let predicted = schedule.predict().ok();
    let mut done = Prediction { steps, ..Prediction::default() };
    let (mut course, mut held, mut peaks, mut tapes) = (steps::Course::default(), [0_u64; 2], [0_u64; 2], false);
    let (mut actions, mut whole) = (0, true);
    while let Some(action) = schedule.next() {
        actions += 1;
        if actions > ACTIONS {
            whole = false;
            break;
        }
        match action {
            Action::Advance { from, to } => {
                let to = to.min(steps);
                done.extra_steps = done.extra_steps.saturating_add(to - from);
                course.advance(from, to);
                if to == steps && schedule.steps().is_none() {
                    // The loop is known to end here.
                    let _ = schedule.end_at(steps);
                }
            }
            Action::Save { step, place } => {
                course.store(step);
                match place.level {
                    Level::Memory => done.memory_saves += 1,
                    Level::Disk => done.disk_saves += 1,
                }
                hold(&mut held, &mut peaks, place.level);
            }
            Action::Load { place, .. } => match place.level {
                Level::Memory => done.memory_loads += 1,
                Level::Disk => done.disk_loads += 1,
            },
            Action::Drop { step, place } => {
                course.discard(step);
                held[place.level as usize] -= 1;
            }
            Action::Turn { step, .. } => course.turn(step),
            Action::Record { step, place } => {
                tapes = true;
                course.advance(step, step + 1);
                course.store(step);
                hold(&mut held, &mut peaks, place.level);
            }
            Action::Reverse { step, place, .. } => {
                course.reverse(step);
                course.discard(step);
                held[place.level as usize] -= 1;
            }
        }
    }
    let cost = if whole { done } else { predicted.unwrap_or(done) };
    Found { cost, peaks: whole.then_some(peaks), tapes, course }
}

fn hold(held: &mut [u64; 2], peaks: &mut [u64; 2], level: Level) {
    held[level as usize] += 1;
    peaks[level as usize] = peaks[level as usize].max(held[level as usize]);
}

fn counted(number: u64) -> String {
    if number == u64::MAX { "too many".to_owned() } else { grouped(number) }
}

/// `10` or, with the size of a state, `10 (8.79 MiB)`.
fn kept(found: &Found, level: Level, state: Option<u64>) -> String {
    let Some(peaks) = found.peaks else { return "-".to_owned() };
    let count = peaks[level as usize];
    if count == 0 {
        return "-".to_owned();
    }
    match state.filter(|_| !found.tapes) {
        Some(state) => format!("{} ({})", grouped(count), bytes(count.saturating_mul(state))),
        None => grouped(count),
    }
}

fn pair(written: u64, read: u64) -> String {
    if (written, read) == (0, 0) { "-".to_owned() } else { format!("{} / {}", counted(written), counted(read)) }
}

const HEADS: [&str; 7] =
    ["schedule", "forward steps", "runs", "kept in memory", "written / read", "kept on disk", "written / read"];

fn cells(wanted: &Loop, cost: &Cost) -> Vec<String> {
    let Ok(found) = &cost.found else { return [vec![cost.name.to_owned()], vec!["refused".to_owned()]].concat() };
    let all = found.cost.extra_steps.saturating_add(wanted.steps);
    vec![
        cost.name.to_owned(),
        counted(all),
        format!("{:.2}", all as f64 / wanted.steps.max(1) as f64),
        kept(found, Level::Memory, wanted.state),
        pair(found.cost.memory_saves, found.cost.memory_loads),
        kept(found, Level::Disk, wanted.state),
        pair(found.cost.disk_saves, found.cost.disk_loads),
    ]
}

fn table(wanted: &Loop, costs: &[Cost]) -> Vec<Vec<String>> {
    let mut rows = vec![HEADS.map(str::to_owned).to_vec()];
    rows.extend(costs.iter().map(|cost| cells(wanted, cost)));
    rows
}

fn html(wanted: &Loop, costs: &[Cost]) -> String {
    let schedule = |cost: &Cost| {
        let drawn = cost.found.as_ref().ok().filter(|found| found.peaks.is_some() && cost.name != "store_all");
        context! {
            name => cost.name,
            what => cost.what,
            cells => cells(wanted, cost),
            refused => cost.found.as_ref().err().map(|error| error.message().to_owned()),
            picture => drawn.map(|found| Value::from_safe_string(steps::draw(wanted.steps, &found.course))),
        }
    };
    page::render(
        "schedule.html",
        context! {
            title => format!("{} steps in reverse", grouped(wanted.steps)),
            steps => grouped(wanted.steps),
            snapshots => grouped(wanted.snapshots),
            heads => HEADS,
            notes => NOTES.lines().collect::<Vec<_>>(),
            schedules => costs.iter().map(schedule).collect::<Vec<_>>(),
        },
    )
}

fn picture_of(wanted: &Loop, costs: &[Cost]) -> Result<String, u8> {
    let Some(cost) = costs.iter().find(|cost| cost.name == wanted.of) else {
        let names = costs.iter().map(|cost| cost.name).collect::<Vec<_>>().join(", ");
        return Err(say::error(&format!("there is no schedule {}", wanted.of), &format!("one of {names}"), 2));
    };
    match &cost.found {
        Ok(found) if found.peaks.is_some() => Ok(steps::draw(wanted.steps, &found.course)),
        Ok(_) => {
            let what = format!("{} has more than {} actions: too many to draw", cost.name, grouped(ACTIONS));
            Err(say::error(&what, "draw a shorter loop", 2))
        }
        Err(error) => Err(say::failed(error, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_performed_costs_what_was_predicted() {
        for (n, s) in [(1, 1), (2, 1), (10, 3), (100, 4), (1000, 10)] {
            let schedules = [
                Schedule::store_all(n),
                Schedule::binomial(n, s).unwrap(),
                Schedule::multistage(n, s, 5).unwrap(),
                Schedule::disk_revolve(n, s, 2.0, 1.0).unwrap(),
                Schedule::two_level(Some(n), period(n, s), s).unwrap(),
                Schedule::mixed(n, s).unwrap(),
            ];
            for schedule in schedules {
                let (name, predicted) = (schedule.name().to_owned(), schedule.predict().unwrap());
                assert_eq!(perform(schedule, n).cost, predicted, "{name}");
            }
        }
    }

    #[test]
    fn schedule_of_unknown_length_ends_with_the_loop() {
        let found = perform(Schedule::online(3).unwrap(), 10);
        // Three more than binomial's 15: the first sweep runs the last step, too, and cannot turn there.
        assert_eq!((found.cost.extra_steps, found.peaks), (18, Some([3, 0])));
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(["900000", "15.6M", "2GB"].map(size), [Ok(900_000), Ok(15_600_000), Ok(2_000_000_000)]);
        assert!(size("many").is_err() && size("-1").is_err());
    }
}
