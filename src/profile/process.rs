//! The profile of this process, as long as it is made: what all lanes share.

#![forbid(unsafe_code)]

use super::paths::{self, Paths, callers};
use super::runs::{self, At, Done, Runs};
use super::timeline::{Sample, Timeline};
use super::uses::Tapes;
use crate::error;
use crate::settings::{Profile, mpi_rank, settings};
use crate::site::Site;
use crate::sync::{First, Holdable, StaticCounter, StaticFlag, StaticLock, UNORDERED};
use crate::vm;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The profile of this process.
pub(super) struct Process {
    pub begun: Instant,
    /// Where the file goes.
    pub directory: PathBuf,
    /// There is a table on standard error.
    pub says: bool,
    /// The directory took no file at the start, and that was said.
    pub refused: bool,
    pub tapes: StaticLock<Tapes>,
    /// Bits on all tapes, as their lanes published them.
    pub live: StaticCounter,
    /// The most that was noted.
    pub noted: StaticCounter,
    pub timeline: StaticLock<Timeline>,
    /// Nanoseconds since `begun` at which the next sample is due.
    pub next_sample: StaticCounter,
    pub paths: StaticLock<Paths>,
    /// Nanoseconds that call paths took.
    pub path_time: StaticCounter,
    pub runs: StaticLock<Runs>,
    /// Bytes of snapshots in memory.
    pub checkpoints: StaticCounter,
    /// What the parent had pushed when this process was forked.
    pub inherited: StaticCounter,
    /// Some operations stand for others.
    pub estimated: StaticFlag,
    pub written: StaticFlag,
}

static PROCESS: First<Option<Process>> = First::new();

/// If there is one so far.
pub(super) fn process_so_far() -> Option<&'static Process> {
    PROCESS.get()?.as_ref()
}

/// None outside profile mode.
pub(super) fn process() -> Option<&'static Process> {
    PROCESS.get_or_make(|| Process::new(&settings().ok()?.profile)).as_ref()
}

/// Whether the directory takes files: makes one and removes it.
fn probe(directory: &Path) -> io::Result<()> {
    let path = directory.join(format!("adtape-profile-{}.probe", std::process::id()));
    OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
    match std::fs::remove_file(path) {
        // Another thread has asked at the same moment.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Says that a directory takes no file.
pub(super) fn say_refused(directory: &Path, cause: &io::Error) {
    error::say(&format!(
        "adtape: warning: the profile cannot be written to {}: {cause}\n  \
         ADTAPE_PROFILE takes the path of a directory that can be written to",
        directory.display()
    ));
}

impl Process {
    fn new(profile: &Profile) -> Option<Process> {
        let (directory, says) = match profile {
            Profile::Off => return None,
            // One table is enough for a program of many processes.
            Profile::Said => (std::env::current_dir().unwrap_or_default(), mpi_rank() == 0),
            Profile::In(directory) => (directory.clone(), false),
        };
        // A long run is not to end without the profile that it was made for.
        let refused = probe(&directory).inspect_err(|cause| say_refused(&directory, cause)).is_err();
        Some(Process {
            begun: Instant::now(),
            directory,
            says,
            refused,
            tapes: StaticLock::default(),
            live: StaticCounter::new(0),
            noted: StaticCounter::new(0),
            timeline: StaticLock::default(),
            next_sample: StaticCounter::new(0),
            paths: StaticLock::default(),
            path_time: StaticCounter::new(0),
            runs: StaticLock::default(),
            checkpoints: StaticCounter::new(0),
            inherited: StaticCounter::new(0),
            estimated: StaticFlag::new(false),
            written: StaticFlag::new(false),
        })
    }

    /// What a fork holds.
    pub fn holdables(&self) -> [&dyn Holdable; 4] {
        [&self.tapes, &self.timeline, &self.paths, &self.runs]
    }

    pub fn nanoseconds(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Takes a sample if one is due.
    pub fn look_at_the_time(&self) {
        let now = self.nanoseconds();
        if now >= self.next_sample.load(UNORDERED)
            && let Some(mut timeline) = self.timeline.try_lock()
        {
            let next = timeline.add(self.sample(now));
            self.next_sample.store(next, UNORDERED);
        }
    }

    pub fn sample(&self, nanoseconds: u64) -> Sample {
        let [tape, spilled, resident, overhead] = self.tapes.lock().sizes();
        Sample {
            nanoseconds,
            tape,
            resident,
            spilled,
            checkpoints: self.checkpoints.load(UNORDERED),
            // What else the memory limit is about.
            heap: vm::process().committed().saturating_sub(resident + overhead),
        }
    }

    /// Keeps the path that led to `site`, for `weight` bytes, unless that took too much time lately; whether it did.
    pub fn take_path(&self, site: Site, weight: u64, step: &mut u64) -> bool {
        let spent = self.path_time.load(UNORDERED);
        if spent > paths::FREE + self.nanoseconds() / 100 {
            return false;
        }
        let begun = Instant::now();
        let callers = callers(site);
        let mut kept = self.paths.lock();
        kept.add(site, callers, weight);
        if kept.taken.is_multiple_of(paths::AT_A_STEP) {
            *step *= 2;
        }
        drop(kept);
        self.path_time.fetch_add(begun.elapsed().as_nanos() as u64, UNORDERED);
        true
    }

    pub fn act(&self, run: u32, done: Done) {
        let nanoseconds = self.nanoseconds();
        let mut all = self.runs.lock();
        if all.actions.len() < runs::MOST {
            all.actions.push(At { run, nanoseconds, done });
        } else {
            all.left_out += 1;
        }
        drop(all);
        self.look_at_the_time();
    }

    /// The tapes may hold more than ever.
    pub fn note_peak(&self) {
        let mut tapes = self.tapes.lock();
        let live = tapes.live();
        let noted = self.noted.load(UNORDERED);
        if live > noted + noted / 64 {
            tapes.note_peak();
            self.noted.store(live, UNORDERED);
        }
    }

    /// What was noted of the peak, or what is there if that is more.
    pub fn settle_peak(&self, tapes: &mut Tapes) {
        if tapes.live() > tapes.at_peak() {
            tapes.note_peak();
        }
    }
}
