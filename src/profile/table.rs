//! The profile for people: a table by call site.

#![forbid(unsafe_code)]

use super::collect::{Report, Row};
use crate::error;
use std::fmt::Write as _;

/// Lines of sites, and letters a line.
const LINES: usize = 20;
const WIDTH: usize = 118;

pub(super) fn say(report: &Report) {
    error::say(text(report).trim_end());
}

/// `123 B`, `45.6 MiB`.
fn short(bytes: u64) -> String {
    error::in_units(bytes, 1).unwrap_or_else(|| format!("{bytes} B"))
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
        "  {:>9} {:>6} {:>12} {:>10} {:>9}  {:<15} pushed at",
        "bytes", "peak", "pushes", "to win", "", "type"
    );
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.counts.operations > 0).collect();
    for row in rows.iter().take(LINES) {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let won = to_be_won(row);
        let peak = share(row.counts.at_peak.div_ceil(8), report.peak);
        let begin = format!(
            "  {:>9} {peak:>5.1}% {:>12} {:>10} {:>8.1}%  {:<15} ",
            short(row.counts.bits.div_ceil(8)),
            row.counts.operations,
            short(won.div_ceil(8)),
            share(won, row.counts.bits),
            fitted(&row.kind, 15)
        );
        let site = fitted(&report.sites[row.site].said(), WIDTH - begin.chars().count());
        let _ = writeln!(text, "{begin}{site}");
    }
    if rows.len() > LINES {
        let rest: u64 = rows[LINES..].iter().map(|row| row.counts.bits).sum();
        let _ = writeln!(text, "  and {} from {} further places", short(rest.div_ceil(8)), rows.len() - LINES);
    }
    text += "  to win: the value was the one that the place, or the address there, had pushed the time before, or the\n  \
             variable still held it at the pop; a hint where to look, no proof that it need not be stored\n";
    text
}
