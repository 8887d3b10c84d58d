//! Profile mode: what a process had on its tapes, by call site, over time and by thread, and what of it need not have been
//! stored.
//!
//! | word | meaning |
//! |---|---|
//! | use | what one place did on one tape, in counts that any thread may read while the tape's own adds to them: [`uses`] |
//! | lane | a tape's side: its uses, and what it compares with: [`lane`] |
//! | watched, resting | a part of a tape whose operations are all counted, or none of them: [`stretches`] |
//! | repeated | a value that is what its place had pushed the time before |
//! | unchanged | an array or variable that is what its place had pushed from this address the time before: [`seen`] |
//! | block | a part of a long array, which is unchanged or not by itself: [`blocks`] |
//! | never changed | unchanged at each push but the first |
//! | still held | a value that the variable had when the pop was about to restore it |
//!
//! Threads may still be at work when the process ends, so what is counted is where the last thread finds it. All is said
//! once: at the end of the process, or when an error ends it.

#![forbid(unsafe_code)]

mod blocks;
mod collect;
mod file;
mod lane;
mod paths;
mod process;
mod runs;
mod seen;
mod stretches;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;
mod timeline;
mod uses;

use crate::error;
use crate::sync::{Holdable, UNORDERED, hold_all};
pub(crate) use blocks::BLOCK;
pub(crate) use lane::{Lane, Pushed};
use process::{process, process_so_far, say_refused};
pub(crate) use runs::Done;
use runs::{Begun, MOST_RUNS};
use std::time::Duration;
pub(crate) use stretches::Height;

/// Snapshots in memory took more bytes, or fewer.
pub(crate) fn checkpoints_changed(before: u64, now: u64) {
    if let Some(process) = process() {
        process.checkpoints.fetch_add(now.wrapping_sub(before), UNORDERED);
        process.look_at_the_time();
    }
}

/// Takes all locks of the profile, until [`let_go`]: around a fork.
pub(crate) fn hold(longest: Duration) {
    if let Some(process) = process_so_far() {
        hold_all(|each| process.holdables().into_iter().for_each(each), longest);
    }
}

/// Undoes [`hold`]. In a child, what the parent did is the parent's.
pub(crate) fn let_go(is_child: bool) {
    let Some(process) = process_so_far() else { return };
    let were_held = process.holdables().into_iter().all(Holdable::let_go);
    if is_child {
        // Where somebody had the locks all the time there is nothing to be said.
        let before = if were_held { process.tapes.lock().inherited() } else { u64::MAX };
        process.inherited.store(before, UNORDERED);
    }
}

/// Says the profile of the process, once: a table on standard error and a file, as settings have it.
pub(crate) fn say() {
    let Some(process) = process() else { return };
    if process.written.swap(true, UNORDERED) {
        return;
    }
    let inherited = process.inherited.load(UNORDERED);
    if inherited == u64::MAX || inherited > 0 && process.tapes.lock().operations() <= inherited {
        return;
    }
    let report = process.collect();
    if report.operations == 0 && report.actions.is_empty() {
        return;
    }
    let written = file::write(&report, &process.directory);
    if process.says {
        table::say(&report);
    }
    match written {
        Ok(path) if process.says => {
            error::say(&format!("adtape: profile: all of it is in {}: adtape report draws it", path.display()));
        }
        Ok(_) => {}
        Err(_) if process.refused => {}
        Err(cause) => say_refused(&process.directory, &cause),
    }
}

/// The number of a run of a driver; none outside profile mode.
#[derive(Clone, Copy, Default)]
pub(crate) struct Run(Option<u32>);

impl Run {
    pub fn begin(steps: Option<u64>, schedule: &str) -> Run {
        Run(process().and_then(|process| {
            let mut runs = process.runs.lock();
            let number = runs.begun.len();
            (number < MOST_RUNS).then(|| {
                runs.begun.push(Begun { steps, schedule: schedule.to_owned() });
                number as u32
            })
        }))
    }

    /// An action begins.
    pub fn act(self, done: impl FnOnce() -> Done) {
        if let (Some(run), Some(process)) = (self.0, process()) {
            process.act(run, done());
        }
    }
}
