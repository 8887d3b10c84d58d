//! The schedules beside those of the Python package `checkpoint_schedules`: the same actions where the rule is the same,
//! the same cost where ties may be broken otherwise. Not part of `cargo test`, because it needs the package: `make
//! reference` installs it below target/ and runs this.

#[path = "../common/mod.rs"]
mod common;

use adtape::{Action, Level, Place, Schedule};
use common::{root, skip};
use std::io::Write;
use std::process::{Command, Stdio};

/// What the package does in each case, or None where Python or the package is missing.
fn streams(test: &str, cases: &[String]) -> Option<Vec<Vec<String>>> {
    let python = root().join("target/reference/bin/python");
    let mut command = Command::new(&python);
    command.args(["-W", "ignore"]).arg(root().join("tests/reference/streams.py"));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        skip(test, &format!("there is no {}; `make reference` makes it", python.display()));
        return None;
    };
    let text = cases.join("\n") + "\n";
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("No module named 'checkpoint_schedules'") {
        skip(test, "the package checkpoint_schedules is missing; `make reference` installs it");
        return None;
    }
    assert!(output.status.success(), "{said}");
    writer.join().expect("the thread ends").expect("the cases are read");
    let text = String::from_utf8(output.stdout).expect("text");
    let blocks = text.split("case ").skip(1).map(|block| block.lines().skip(1).map(str::to_owned).collect());
    Some(blocks.collect())
}

/// What a schedule of ours does, in the same words; a loop of unknown length ends after `steps`.
fn ours(mut schedule: Schedule, steps: u64) -> Vec<String> {
    let level = |place: Place| if place.level == Level::Memory { "memory" } else { "disk" };
    let mut lines = Vec::new();
    while let Some(action) = schedule.next() {
        lines.push(match action {
            Action::Advance { from, to } => {
                if to >= steps && schedule.steps().is_none() {
                    schedule.end_at(steps).unwrap();
                }
                format!("advance {from} {}", to.min(steps))
            }
            Action::Save { step, place } => format!("save {step} {}", level(place)),
            Action::Load { step, place } => format!("load {step} {}", level(place)),
            Action::Drop { step, .. } => format!("drop {step}"),
            Action::Turn { step, .. } => format!("turn {step}"),
            Action::Record { step, .. } => format!("record {step}"),
            Action::Reverse { step, .. } => format!("reverse {step}"),
        });
    }
    lines
}

fn count(stream: &[String], start: &str, end: &str) -> u64 {
    stream.iter().filter(|line| line.starts_with(start) && line.ends_with(end)).count() as u64
}

fn extra_steps(stream: &[String]) -> u64 {
    let advances = stream.iter().filter_map(|line| line.strip_prefix("advance ")?.split_once(' '));
    advances.map(|(from, to)| to.parse::<u64>().unwrap() - from.parse::<u64>().unwrap()).sum()
}

fn without_levels(stream: &[String]) -> Vec<&str> {
    stream.iter().map(|line| line.trim_end_matches(" memory").trim_end_matches(" disk")).collect()
}

#[test]
fn multistage_does_the_same_and_uses_the_disk_as_often() {
    let lengths = (1_u64..40).chain([64, 100, 333, 1000]);
    let splits = [(1, 0), (2, 0), (3, 0), (5, 0), (10, 0), (20, 0), (1, 1), (2, 3), (4, 1), (3, 9)];
    let cases: Vec<_> = lengths.flat_map(|n| splits.map(|(memory, disk)| (n, memory, disk))).collect();
    let asked: Vec<_> = cases.iter().map(|(n, memory, disk)| format!("multistage {n} {memory} {disk}")).collect();
    let Some(theirs) = streams("multistage_does_the_same_and_uses_the_disk_as_often", &asked) else { return };
    for ((n, memory, disk), theirs) in cases.into_iter().zip(theirs) {
        let ours = ours(Schedule::multistage(n, memory, disk).unwrap(), n);
        assert_eq!(without_levels(&ours), without_levels(&theirs), "n = {n}, {memory} + {disk}");
        // Where two depths are used as often, either may lie on disk.
        let uses = |stream: &[String]| count(stream, "save", "disk") + count(stream, "load", "disk");
        assert_eq!(uses(&ours), uses(&theirs), "n = {n}, {memory} + {disk}");
    }
}

#[test]
fn two_level_does_the_same() {
    let lengths = (1_u64..30).chain([100, 257]);
    let kinds = [(1, 1), (4, 2), (10, 1), (10, 3), (50, 4)];
    let cases: Vec<_> = lengths.flat_map(|n| kinds.map(|(period, memory)| (n, period, memory))).collect();
    let asked: Vec<_> = cases.iter().map(|(n, period, memory)| format!("two_level {n} {period} {memory}")).collect();
    let Some(theirs) = streams("two_level_does_the_same", &asked) else { return };
    // The package keeps its snapshots on disk for another reversal.
    let kept = |stream: Vec<String>| stream.into_iter().filter(|line| !line.starts_with("drop")).collect::<Vec<_>>();
    for ((n, period, memory), theirs) in cases.into_iter().zip(theirs) {
        let ours = ours(Schedule::two_level(None, period, memory).unwrap(), n);
        assert_eq!(kept(ours), kept(theirs), "n = {n}, period {period}, {memory} in memory");
    }
}

#[test]
fn mixed_costs_the_same() {
    let cases: Vec<_> = (1_u64..60).chain([100, 150]).flat_map(|n| [1, 2, 3, 5, 10].map(|units| (n, units))).collect();
    let cases: Vec<_> = cases.into_iter().filter(|(n, units)| *units < *n).collect();
    let asked: Vec<_> = cases.iter().map(|(n, units)| format!("mixed {n} {units}")).collect();
    let Some(theirs) = streams("mixed_costs_the_same", &asked) else { return };
    for ((n, units), theirs) in cases.into_iter().zip(theirs) {
        let ours = ours(Schedule::mixed(n, units).unwrap(), n);
        assert_eq!(extra_steps(&ours), extra_steps(&theirs), "n = {n}, {units} units");
    }
}

#[test]
fn disk_revolve_costs_no_more() {
    let kinds = [(1, 2, 2), (2, 3, 2), (3, 1, 4), (5, 10, 5)];
    let cases: Vec<_> = (2_u64..50).chain([80]).flat_map(|n| kinds.map(|kind| (n, kind))).collect();
    let asked: Vec<_> =
        cases.iter().map(|(n, (m, save, load))| format!("disk_revolve {n} {m} {save} {load}")).collect();
    let Some(theirs) = streams("disk_revolve_costs_no_more", &asked) else { return };
    let mut equal = 0;
    for ((n, (memory, save, load)), theirs) in cases.iter().zip(theirs) {
        let ours = ours(Schedule::disk_revolve(*n, *memory, *save as f64, *load as f64).unwrap(), *n);
        let cost = |stream: &[String]| {
            extra_steps(stream) + save * count(stream, "save", "disk") + load * count(stream, "load", "disk")
        };
        assert!(cost(&ours) <= cost(&theirs), "n = {n}, {memory}, {save}, {load}: {}, {}", cost(&ours), cost(&theirs));
        equal += u32::from(cost(&ours) == cost(&theirs));
    }
    println!("the same cost in {equal} of {} cases", cases.len());
}
