//! `adtape report --html`: one page that needs nothing beside it.

use super::read::{Action, Profile, Sample};
use super::sites::{Names, Row, rows};
use super::tables::{NOT_NEEDED, steps_forward};
use crate::page;
use crate::pictures::{flame, memory, steps};
use crate::say::{bytes, grouped, plural, seconds, share};
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// Sites in the table.
const SITES: usize = 100;
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
    let mut by_win: Vec<&Row> = rows.iter().filter(|row| row.bytes_to_win() > 0).collect();
    by_win.sort_by_key(|row| std::cmp::Reverse(row.bytes_to_win()));
    let wins: u64 = rows.iter().map(Row::bytes_to_win).sum();
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
            sites_left => plural(rows.len().saturating_sub(SITES) as u64, "more site"),
            has_more => rows.len() > SITES,
            to_win => by_win.iter().take(SITES).map(|row| site(row, process.tape_peak)).collect::<Vec<_>>(),
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
    }
}

/// Call paths as they were sampled, or, if there are none, function and line of each site.
fn flames(profile: &Profile, rows: &[Row]) -> Option<String> {
    let names = Names::of(profile);
    let mut folded: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for path in &profile.paths {
        let mut frames: Vec<String> = path.sites.iter().map(|site| names.function(*site)).collect();
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

fn timeline(samples: &[Sample]) -> Option<String> {
    type Bytes = fn(&Sample) -> u64;
    let kinds: [(&str, Bytes); 4] = [
        ("tape in memory", |sample| sample.resident),
        ("tape on disk", |sample| sample.spilled),
        ("checkpoints", |sample| sample.checkpoints),
        ("heap", |sample| sample.heap),
    ];
    let mut layers: Vec<memory::Layer> = Vec::new();
    for (name, value) in kinds {
        if samples.iter().any(|sample| value(sample) > 0) {
            layers.push(memory::Layer { name, values: samples.iter().map(value).collect() });
        }
    }
    if samples.iter().all(|sample| sample.resident == 0 && sample.spilled == 0) {
        layers.insert(0, memory::Layer { name: "tape", values: samples.iter().map(|sample| sample.tape).collect() });
    }
    let times: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    memory::draw(&times, &layers)
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
        let forward = steps_forward(profile, driver.run);
        if found.len() == RUNS || driver.steps == 0 || forward == 0 {
            continue;
        }
        found.push(context! {
            number => driver.run,
            schedule => driver.schedule,
            steps => grouped(driver.steps),
            snapshots => grouped(driver.snapshots),
            forward => grouped(forward),
            times => format!("{:.2}", forward as f64 / driver.steps as f64),
            picture => Value::from_safe_string(steps::draw(driver.steps, &course(&actions))),
        });
    }
    found
}

/// What a driver did, in steps.
fn course(actions: &[&Action]) -> steps::Course {
    let mut course = steps::Course::default();
    for action in actions {
        match action.action.as_str() {
            "advance" => course.advance(action.step, action.to.unwrap_or(action.step + 1)),
            "reverse" => course.turn(action.step),
            "store" => course.store(action.step),
            "discard" => course.discard(action.step),
            _ => {}
        }
    }
    course
}
