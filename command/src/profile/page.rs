//! `adtape report --html`: one page that needs nothing beside it.

use super::read::{Action, Profile, Sample};
use super::sites::{Names, Routine, Row, routines, rows, to_win};
use super::tables::{ESTIMATED, NOT_NEEDED, steps_forward};
use crate::page;
use crate::pictures::{flame, memory, steps};
use crate::say::{bytes, grouped, plural, seconds, share};
use minijinja::{Value, context};
use std::collections::{BTreeMap, BTreeSet};

/// Sites in the table.
const SITES: usize = 40;
/// Runs of drivers that get a picture of their own.
const RUNS: usize = 4;

/// The page.
pub fn html(profile: &Profile, file: &str) -> String {
    let process = &profile.process;
    let rows = rows(profile);
    let tiles = [
        ("tape at its peak", bytes(process.tape_peak)),
        ("pushed in all", bytes(process.tape_bytes)),
        ("operations", grouped(process.operations)),
        ("time", seconds(process.seconds)),
    ];
    let (to_win, wins) = to_win(&rows);
    page::render(
        "report.html",
        context! {
            title => format!("Tape of {}", process.program.rsplit('/').next().unwrap_or_default()),
            program => process.program,
            pid => process.pid,
            version => process.adtape,
            file,
            tiles => tiles.iter().map(|(name, value)| context! { name, value }).collect::<Vec<_>>(),
            sites => rows.iter().take(SITES).map(|row| site(row, process.tape_peak)).collect::<Vec<_>>(),
            routines => several(routines(profile), process.tape_peak),
            sites_left => plural(rows.len().saturating_sub(SITES) as u64, "more site"),
            estimated => process.estimated.then_some(ESTIMATED),
            has_more => rows.len() > SITES,
            to_win => to_win.iter().take(SITES / 2).map(|row| site(row, process.tape_peak)).collect::<Vec<_>>(),
            wins => (wins > 0).then(|| format!("{} of {} ({})", bytes(wins), bytes(process.tape_bytes), share(wins, process.tape_bytes))),
            meaning => NOT_NEEDED.lines().map(str::trim).collect::<Vec<_>>(),
            flame => flames(profile, &rows).map(Value::from_safe_string),
            sampled => !profile.paths.is_empty(),
            memory => timeline(&profile.samples).map(Value::from_safe_string),
            threads => (profile.threads.len() > 1).then(|| threads(profile)),
            runs => runs(profile),
        },
    )
}

/// Sums by routine, where one has several sites.
fn several(routines: Vec<Routine>, peak: u64) -> Vec<Value> {
    if routines.iter().all(|routine| routine.sites < 2) {
        return Vec::new();
    }
    let row = |routine: &Routine| {
        context! {
            name => routine.name,
            sites => routine.sites,
            operations => grouped(routine.amount.operations),
            bytes => bytes(routine.amount.bytes),
            at_peak => bytes(routine.at_peak),
            of_peak => share(routine.at_peak, peak),
            win => bytes(routine.to_win),
        }
    };
    routines.iter().take(SITES).map(row).collect()
}

fn site(row: &Row, peak: u64) -> Value {
    let percent = |part: u64, whole: u64| if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    context! {
        name => row.name,
        kinds => row.kinds,
        operations => grouped(row.amount.operations),
        bytes => bytes(row.amount.bytes),
        at_peak => bytes(row.at_peak),
        of_peak => share(row.at_peak, peak),
        bar => format!("{:.1}", percent(row.at_peak, peak)),
        win => (row.bytes_to_win() > 0).then(|| bytes(row.bytes_to_win())),
        win_share => share(row.bytes_to_win(), row.amount.bytes),
        never => share(row.never_changed, row.amount.bytes),
    }
}

/// Call paths as they were sampled, or, if there are none, function and line of each site.
fn flames(profile: &Profile, rows: &[Row]) -> Option<String> {
    let names = Names::of(profile);
    let mut folded: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for path in &profile.paths {
        let mut frames: Vec<String> = path.sites.iter().map(|site| names.function(*site)).collect();
        // What comes before the program is the system's.
        let main = ["MAIN__", "main"].iter().find_map(|main| frames.iter().position(|frame| frame == main));
        let systems = |frame: &String| frame.starts_with("_start") || frame.starts_with("__libc_start");
        let start = frames.iter().rposition(systems).map(|last| last + 1);
        frames.drain(..main.or(start).unwrap_or(0));
        if let Some(last) = path.sites.last() {
            frames.push(names.place(*last));
        }
        *folded.entry(frames).or_default() += path.bytes;
    }
    if profile.paths.is_empty() {
        for push in &profile.pushes {
            let frames = vec![names.function(push.site), names.place(push.site)];
            *folded.entry(frames).or_default() += push.amount.bytes;
        }
    }
    if rows.is_empty() { None } else { flame::draw(&folded) }
}

/// What is on the tapes, in memory and on disk, and the rest; and the memory that the tapes hold for it.
fn timeline(samples: &[Sample]) -> Option<String> {
    type Bytes = fn(&Sample) -> u64;
    let kinds: [(&str, Bytes); 4] = [
        ("on the tape, in memory", |sample| sample.tape.saturating_sub(sample.spilled)),
        ("on the tape, on disk", |sample| sample.spilled),
        ("checkpoints", |sample| sample.checkpoints),
        ("heap", |sample| sample.heap),
    ];
    let there = kinds.iter().filter(|(_, value)| samples.iter().any(|sample| value(sample) > 0));
    let values = |value: Bytes| samples.iter().map(value).collect();
    let layers: Vec<memory::Layer> =
        there.map(|(name, value)| memory::Layer { name, values: values(*value) }).collect();
    let line = memory::Layer { name: "memory of the tapes", values: values(|sample| sample.resident) };
    let times: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    memory::draw(&times, &layers, &line)
}

fn threads(profile: &Profile) -> Vec<Value> {
    let row = |thread: &super::read::Thread| {
        context! {
            number => thread.number,
            name => thread.name,
            operations => grouped(thread.amount.operations),
            bytes => bytes(thread.amount.bytes),
            peak => bytes(thread.peak),
        }
    };
    profile.threads.iter().map(row).collect()
}

fn runs(profile: &Profile) -> Vec<Value> {
    let mut found = Vec::new();
    for driver in &profile.drivers {
        let actions: Vec<&Action> = profile.actions.iter().filter(|action| action.run == driver.run).collect();
        let Some((forward, steps)) = steps_forward(profile, driver) else { continue };
        // All kept is what every picture shows on its left.
        if found.len() == RUNS || driver.schedule == "store_all" {
            continue;
        }
        found.push(context! {
            number => driver.run,
            schedule => driver.schedule,
            steps => grouped(steps),
            snapshots => grouped(driver.snapshots),
            forward => grouped(forward),
            times => format!("{:.2}", forward as f64 / steps as f64),
            picture => Value::from_safe_string(steps::draw(steps, &course(&actions))),
        });
    }
    found
}

/// What a driver did, in steps.
fn course(actions: &[&Action]) -> steps::Course {
    let mut course = steps::Course::default();
    let mut recorded = BTreeSet::new();
    for action in actions {
        match action.action.as_str() {
            "advance" => course.advance(action.step, action.to.unwrap_or(action.step + 1)),
            "record" => {
                recorded.insert(action.step);
                course.advance(action.step, action.step + 1);
                course.store(action.step);
            }
            "reverse" if recorded.remove(&action.step) => {
                course.reverse(action.step);
                course.discard(action.step);
            }
            "reverse" => course.turn(action.step),
            "store" => course.store(action.step),
            "discard" => course.discard(action.step),
            _ => {}
        }
    }
    course
}
