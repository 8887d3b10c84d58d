//! What a profile says, put together at the end.

#![forbid(unsafe_code)]

use super::process::Process;
use super::runs::{At, Begun};
use super::timeline::Sample;
use super::uses::{Counts, OfThread, Thread};
use crate::site::{Named, Site};
use crate::sync::UNORDERED;
use std::collections::HashMap;

/// A place of the program with what it moved.
pub(super) struct Row {
    /// In [`Report::sites`].
    pub site: usize,
    pub kind: String,
    pub counts: Counts,
}

/// All that is known.
pub(super) struct Report {
    pub pid: u32,
    pub program: String,
    pub seconds: f64,
    /// Pushes and their bytes.
    pub operations: u64,
    pub bytes: u64,
    /// The most that the tapes held together.
    pub peak: u64,
    pub sites: Vec<Named>,
    /// Most bytes first.
    pub rows: Vec<Row>,
    /// The outermost call first.
    pub paths: Vec<(Vec<usize>, u64)>,
    pub samples: Vec<Sample>,
    pub threads: Vec<(Thread, OfThread)>,
    pub runs: Vec<Begun>,
    pub actions: Vec<At>,
    pub actions_left_out: u64,
    /// Some operations stand for others.
    pub estimated: bool,
}

/// Sites by what a person reads of them, each once.
#[derive(Default)]
struct Sites {
    all: Vec<Named>,
    by_name: HashMap<Named, usize>,
    /// Numbers by the address of a site.
    by_site: HashMap<usize, usize>,
}

impl Sites {
    fn number(&mut self, site: Site) -> usize {
        if let Some(number) = self.by_site.get(&site.address()) {
            return *number;
        }
        let named = site.named();
        let number = *self.by_name.entry(named.clone()).or_insert_with(|| {
            self.all.push(named);
            self.all.len() - 1
        });
        self.by_site.insert(site.address(), number);
        number
    }

    fn function(&self, number: usize) -> &str {
        self.all[number].function.as_deref().unwrap_or_default()
    }

    /// The calls that led to a site, the outermost first: from the main program on, and in Rust only up to this library.
    fn path(&mut self, site: Site, callers: &[usize]) -> Vec<usize> {
        let mut path = vec![self.number(site)];
        let mut inside = matches!(site, Site::Rust(_));
        for caller in callers {
            let number = self.number(Site::Code(*caller));
            let function = self.function(number);
            inside &= ["adtape::", "<adtape::", "backtrace::", "<backtrace::", "core::ops::"]
                .iter()
                .any(|ours| function.starts_with(ours));
            let first = path.len() == 1 && matches!(site, Site::Rust(_));
            if ["__libc_start", "_start", "start_thread", "clone"].iter().any(|outer| function.starts_with(outer)) {
                break;
            }
            if inside || first && self.all[number].is_line_of(&self.all[path[0]]) {
                continue;
            }
            path.push(number);
            if self.function(number) == "main" {
                break;
            }
        }
        path.reverse();
        path
    }
}

impl Process {
    pub(super) fn collect(&self) -> Report {
        let nanoseconds = self.nanoseconds();
        let last = self.sample(nanoseconds);
        let (counts, threads) = {
            let mut tapes = self.tapes.lock();
            self.settle_peak(&mut tapes);
            (tapes.counts(), tapes.threads())
        };
        let mut sites = Sites::default();
        let mut sums: HashMap<(usize, &'static str), Counts> = HashMap::new();
        for ((_, kind), (site, counts)) in counts {
            sums.entry((sites.number(site), kind)).or_default().add(&counts);
        }
        let rows = sums.into_iter().map(|((site, kind), counts)| {
            let kind = if counts.values > counts.operations { format!("{kind} array") } else { kind.to_owned() };
            Row { site, kind, counts }
        });
        let mut rows: Vec<Row> = rows.collect();
        let name = |row: &Row| (sites.all[row.site].said(), row.kind.clone());
        rows.sort_by_cached_key(|row| (u64::MAX - row.counts.bits, u64::MAX - row.counts.pops.1, name(row)));
        let mut paths: HashMap<Vec<usize>, u64> = HashMap::new();
        for (site, callers, bytes) in self.paths.lock().all() {
            *paths.entry(sites.path(site, callers)).or_default() += bytes;
        }
        let mut paths: Vec<_> = paths.into_iter().collect();
        paths.sort_by_key(|(path, bytes)| (u64::MAX - bytes, path.clone()));
        let mut samples = self.timeline.lock().samples.clone();
        samples.push(last);
        let runs = self.runs.lock().clone();
        let sum = |count: fn(&Counts) -> u64| rows.iter().map(|row| count(&row.counts)).sum::<u64>();
        Report {
            pid: std::process::id(),
            program: std::env::current_exe().map_or_else(|_| "?".to_owned(), |path| path.display().to_string()),
            seconds: nanoseconds as f64 * 1e-9,
            operations: sum(|counts| counts.operations),
            bytes: sum(|counts| counts.bits).div_ceil(8),
            peak: sum(|counts| counts.at_peak).div_ceil(8),
            sites: sites.all,
            rows,
            paths,
            samples,
            threads,
            runs: runs.begun,
            actions: runs.actions,
            actions_left_out: runs.left_out,
            estimated: self.estimated.load(UNORDERED),
        }
    }
}
