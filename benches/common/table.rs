//! The table at the end: each figure beside its reference and its bound. `make bench` makes one of those of all benches.

use std::fs::OpenOptions;
use std::io::Write;

/// Medians of repeated runs agree to this much on a quiet machine; a ratio is compared with its bound no closer.
const RESOLUTION: f64 = 0.02;

/// What a ratio must be.
#[derive(Clone, Copy)]
pub enum Bound {
    /// Of times.
    AtMost(f64),
    /// Of rates.
    AtLeast(f64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds,
    GigabytesPerSecond,
    Kibibytes,
    /// In the table of maps.
    #[allow(dead_code)]
    Bytes,
}

pub struct Row {
    pub title: String,
    pub ours: f64,
    pub reference: f64,
    pub unit: Unit,
    pub ratio: f64,
    pub bound: Option<Bound>,
}

impl Row {
    pub fn is_ok(&self) -> bool {
        match self.bound {
            None => true,
            Some(Bound::AtMost(bound)) => self.ratio <= bound * (1.0 + RESOLUTION),
            Some(Bound::AtLeast(bound)) => self.ratio >= bound * (1.0 - RESOLUTION),
        }
    }

    fn line(&self) -> String {
        let value = |x: f64| match self.unit {
            Unit::Nanoseconds => format!("{x:.2} ns"),
            Unit::GigabytesPerSecond => format!("{x:.1} GB/s"),
            Unit::Kibibytes => format!("{x:.0} KiB"),
            Unit::Bytes => format!("{x:.1} B"),
        };
        let bound = match self.bound {
            None => String::new(),
            Some(Bound::AtMost(bound)) => format!("<= {bound}"),
            Some(Bound::AtLeast(bound)) => format!(">= {bound}"),
        };
        let verdict = match (self.bound, self.is_ok()) {
            (None, _) => "",
            (_, true) => "ok",
            (_, false) => "short",
        };
        format!(
            "{:<51} {:>11} {:>11} {:>6.2}  {:<8} {verdict}",
            self.title,
            value(self.ours),
            value(self.reference),
            self.ratio,
            bound
        )
    }
}

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    incomplete: bool,
}

impl Table {
    /// Adds the rows of a figure; of one that the command line leaves out there are none.
    pub fn extend(&mut self, rows: Vec<Row>) {
        self.incomplete |= rows.is_empty();
        self.rows.extend(rows);
    }

    /// Whether all figures were measured.
    pub fn is_complete(&self) -> bool {
        !self.incomplete
    }

    pub fn print(&self) {
        if self.rows.is_empty() {
            return;
        }
        println!("\n{:<51} {:>11} {:>11} {:>6}  bound", "figure", "adtape", "reference", "ratio");
        for row in &self.rows {
            println!("{}", row.line().trim_end());
        }
        let short = self.rows.iter().filter(|row| !row.is_ok()).count();
        let bounded = self.rows.iter().filter(|row| row.bound.is_some()).count();
        println!(
            "\n{} of {bounded} bounds held, {short} short (resolution {:.0} %)",
            bounded - short,
            100.0 * RESOLUTION
        );
        self.record();
    }

    /// Adds the rows to the file that scripts/bench.sh reads.
    fn record(&self) {
        let Some(path) = std::env::var_os("BENCH_ROWS") else { return };
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("the file that BENCH_ROWS names");
        for row in &self.rows {
            writeln!(file, "{}", row.line().trim_end()).expect("room on the disk");
        }
    }
}

/// The median; of nothing, NaN.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}
