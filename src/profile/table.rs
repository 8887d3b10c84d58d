//! The profile for people: a table by call site.

#![forbid(unsafe_code)]

use super::collect::{Report, Row};
use crate::error::{self, counted};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lines of sites, lines of routines, and letters a line.
const LINES: usize = 20;
const ROUTINES: usize = 8;
const WIDTH: usize = 118;

pub(super) fn say(report: &Report) {
    error::say(text(report).trim_end());
}

/// `123 B`, `45.6 MiB`.
fn short(bytes: u64) -> String {
    error::in_units(bytes, 1).unwrap_or_else(|| format!("{bytes} B"))
}

/// Numbers of a line: those of a place, or of all places of a routine.
#[derive(Clone, Copy, Default)]
struct Sum {
    bits: u64,
    at_peak: u64,
    operations: u64,
    won: u64,
    fixed: u64,
    places: u64,
}

impl Sum {
    fn of(row: &Row) -> Sum {
        let counts = &row.counts;
        Sum {
            bits: counts.bits,
            at_peak: counts.at_peak,
            operations: counts.operations,
            won: to_be_won(row),
            fixed: counts.never_changed.min(counts.bits),
            places: 1,
        }
    }

    fn add(&mut self, other: Sum) {
        self.bits += other.bits;
        self.at_peak += other.at_peak;
        self.operations += other.operations;
        self.won += other.won;
        self.fixed += other.fixed;
        self.places += other.places;
    }
}

fn line(sum: &Sum, peak: u64, kind: &str, name: &str) -> String {
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let begin = format!(
        "  {:>9} {:>5.1}% {:>12} {:>10} {:>8.1}% {:>5.1}%  {:<15} ",
        short(sum.bits.div_ceil(8)),
        share(sum.at_peak.div_ceil(8), peak),
        sum.operations,
        short(sum.won.div_ceil(8)),
        share(sum.won, sum.bits),
        share(sum.fixed, sum.bits),
        fitted(kind, 15)
    );
    let name = fitted(name, WIDTH - begin.chars().count());
    format!("{begin}{name}\n")
}

/// Sums by routine, where a routine has several places; else the lines above say it.
fn by_routine(report: &Report, rows: &[&Row]) -> String {
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for row in rows {
        let site = &report.sites[row.site];
        if let (Some(function), Some(file)) = (&site.function, &site.file) {
            sums.entry((function, file)).or_default().add(Sum::of(row));
        }
    }
    if sums.values().all(|sum| sum.places < 2) {
        return String::new();
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(name, sum)| (u64::MAX - sum.bits, *name));
    let mut text = "  by routine\n".to_owned();
    for ((function, file), sum) in sums.iter().take(ROUTINES) {
        let file = file.rsplit('/').next().unwrap_or_default();
        text += &line(sum, report.peak, &counted(sum.places, "place"), &format!("{function} ({file})"));
    }
    if sums.len() > ROUTINES {
        let rest: u64 = sums[ROUTINES..].iter().map(|(_, sum)| sum.bits).sum();
        let _ = writeln!(text, "  and {} in {} further routines", short(rest.div_ceil(8)), sums.len() - ROUTINES);
    }
    text
}

/// Bits that a site need not have pushed, as far as anybody saw: the reasons overlap.
fn to_be_won(row: &Row) -> u64 {
    let counts = &row.counts;
    counts.repeated.1.max(counts.unchanged.1).max(counts.held.1).min(counts.bits)
}

/// The end of a text, if it is longer than there is room for.
fn fitted(text: &str, room: usize) -> String {
    let letters = text.chars().count();
    if letters <= room {
        return text.to_owned();
    }
    let end: String = text.chars().skip(letters - room + 3).collect();
    format!("...{end}")
}

pub(super) fn text(report: &Report) -> String {
    let program = report.program.rsplit('/').next().unwrap_or_default();
    let mut text = format!(
        "adtape: profile of {}: {} on the tapes at most, {} in {}{} pushes, {:.3} s since the first tape\n",
        fitted(program, 40),
        short(report.peak),
        short(report.bytes),
        if report.estimated { "about " } else { "" },
        report.operations,
        report.seconds
    );
    let _ = writeln!(
        text,
        "  {:>9} {:>6} {:>12} {:>10} {:>9} {:>6}  {:<15} pushed at",
        "bytes", "peak", "pushes", "to win", "", "fixed", "type"
    );
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.counts.operations > 0).collect();
    for row in rows.iter().take(LINES) {
        text += &line(&Sum::of(row), report.peak, &row.kind, &report.sites[row.site].said());
    }
    if rows.len() > LINES {
        let rest: u64 = rows[LINES..].iter().map(|row| row.counts.bits).sum();
        let _ = writeln!(text, "  and {} from {} further places", short(rest.div_ceil(8)), rows.len() - LINES);
    }
    text += &by_routine(report, &rows);
    text += "  to win: the value was the one that the place, or the address there, had pushed the time before, or the\n  \
             variable still held it at the pop; a hint where to look, no proof that it need not be stored\n  \
             fixed: of the bytes, those that no push from their address ever changed; long arrays go by blocks\n";
    text
}
