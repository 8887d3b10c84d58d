//! The profile as a file of JSON, a record a line: docs/profile-format.md.

#![forbid(unsafe_code)]

use super::collect::{Report, Row};
use super::timeline::Sample;
use crate::site::Named;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes `adtape-profile-PID.jsonl`; returns its path. A file that is there stays: processes of several machines may share
/// a directory.
pub(super) fn write(report: &Report, directory: &Path) -> io::Result<PathBuf> {
    let (path, file) = create(directory, report.pid)?;
    let mut out = io::BufWriter::new(file);
    out.write_all(text(report).as_bytes())?;
    out.flush()?;
    Ok(path)
}

fn create(directory: &Path, pid: u32) -> io::Result<(PathBuf, File)> {
    let mut number = 1;
    loop {
        let more = if number > 1 { format!("-{number}") } else { String::new() };
        let path = directory.join(format!("adtape-profile-{pid}{more}.jsonl"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            opened => return opened.map(|file| (path, file)),
        }
    }
}

/// A record that is being written.
struct Record(String);

impl Record {
    fn new(name: &str) -> Record {
        Record(format!("{{\"record\":\"{name}\""))
    }

    fn number(mut self, key: &str, value: u64) -> Record {
        let _ = write!(self.0, ",\"{key}\":{value}");
        self
    }

    fn flag(mut self, key: &str, value: bool) -> Record {
        let _ = write!(self.0, ",\"{key}\":{value}");
        self
    }

    fn seconds(mut self, seconds: f64) -> Record {
        let _ = write!(self.0, ",\"seconds\":{seconds:.6}");
        self
    }

    fn text(mut self, key: &str, value: &str) -> Record {
        let _ = write!(self.0, ",\"{key}\":\"");
        for letter in value.chars() {
            match letter {
                '"' | '\\' => self.0.extend(['\\', letter]),
                _ if u32::from(letter) < 0x20 => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                _ => self.0.push(letter),
            }
        }
        self.0.push('"');
        self
    }

    fn optional(self, key: &str, value: Option<&str>) -> Record {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Operations and bytes of what need not have been stored.
    fn tally(mut self, key: &str, (operations, bits): (u64, u64)) -> Record {
        let _ = write!(self.0, ",\"{key}\":{{\"operations\":{operations},\"bytes\":{}}}", bits.div_ceil(8));
        self
    }

    fn numbers(mut self, key: &str, values: &[usize]) -> Record {
        let list: Vec<String> = values.iter().map(|value| (value + 1).to_string()).collect();
        let _ = write!(self.0, ",\"{key}\":[{}]", list.join(","));
        self
    }

    fn end(mut self, to: &mut String) {
        self.0 += "}\n";
        *to += &self.0;
    }
}

pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    Record::new("process")
        .number("format", 1)
        .text("adtape", env!("CARGO_PKG_VERSION"))
        .text("program", &report.program)
        .number("pid", u64::from(report.pid))
        .seconds(report.seconds)
        .number("tape_peak", report.peak)
        .number("tape_bytes", report.bytes)
        .number("operations", report.operations)
        .number("actions_left_out", report.actions_left_out)
        .flag("estimated", report.estimated)
        .end(&mut out);
    for (number, named) in report.sites.iter().enumerate() {
        site(number, named).end(&mut out);
    }
    report.rows.iter().for_each(|row| moved(row, &mut out));
    for (path, bytes) in &report.paths {
        Record::new("path").numbers("sites", path).number("bytes", *bytes).end(&mut out);
    }
    report.samples.iter().for_each(|at| sample(at, &mut out));
    for (thread, done) in &report.threads {
        Record::new("thread")
            .number("number", thread.number)
            .optional("name", thread.name.as_deref())
            .number("operations", done.operations)
            .number("bytes", done.bits.div_ceil(8))
            .number("peak", done.peak.div_ceil(8))
            .end(&mut out);
    }
    for (number, run) in report.runs.iter().enumerate() {
        let mut record = Record::new("driver").number("run", number as u64 + 1);
        if let Some(steps) = run.steps {
            record = record.number("steps", steps);
        }
        if let Some(snapshots) = snapshots(&run.schedule) {
            record = record.number("snapshots", snapshots);
        }
        let kind = run.schedule.split(',').next().unwrap_or_default();
        record.text("schedule", kind).end(&mut out);
    }
    for at in &report.actions {
        let record = Record::new("action").number("run", u64::from(at.run) + 1);
        let record = record.seconds(at.nanoseconds as f64 * 1e-9).text("action", at.done.action);
        let record = record.number("step", at.done.step);
        match at.done.to {
            Some(to) => record.number("to", to),
            None => record,
        }
        .end(&mut out);
    }
    out
}

/// How many snapshots there are at once: `10 snapshots`, `2 + 8 snapshots` in the name of a schedule.
fn snapshots(schedule: &str) -> Option<u64> {
    let (numbers, _) = schedule.split(", ").find_map(|part| part.split_once(" snapshots"))?;
    numbers.split(" + ").map(|number| number.parse::<u64>().ok()).sum()
}

fn site(number: usize, named: &Named) -> Record {
    let mut record = Record::new("site").number("id", number as u64 + 1).optional("file", named.file.as_deref());
    if let Some(line) = named.line {
        record = record.number("line", u64::from(line));
    }
    record = record.optional("function", named.function.as_deref());
    if let Some((module, offset)) = &named.module {
        record = record.text("module", module).number("offset", *offset as u64);
    }
    record
}

fn moved(row: &Row, out: &mut String) {
    let counts = &row.counts;
    let of = |name: &str, operations: u64, bits: u64| {
        let record = Record::new(name).number("site", row.site as u64 + 1).text("kind", &row.kind);
        record.number("operations", operations).number("bytes", bits.div_ceil(8))
    };
    if counts.operations > 0 {
        let mut record = of("push", counts.operations, counts.bits).number("at_peak", counts.at_peak.div_ceil(8));
        for (key, tally) in
            [("still_held", counts.held), ("repeated", counts.repeated), ("unchanged", counts.unchanged)]
        {
            if tally.0 > 0 {
                record = record.tally(key, tally);
            }
        }
        if counts.never_changed > 0 {
            record = record.number("never_changed", counts.never_changed.div_ceil(8));
        }
        record.end(out);
    }
    if counts.pops.0 > 0 {
        of("pop", counts.pops.0, counts.pops.1).end(out);
    }
}

fn sample(at: &Sample, out: &mut String) {
    Record::new("time")
        .seconds(at.nanoseconds as f64 * 1e-9)
        .number("tape", at.tape)
        .number("resident", at.resident)
        .number("spilled", at.spilled)
        .number("checkpoints", at.checkpoints)
        .number("heap", at.heap)
        .end(out);
}
