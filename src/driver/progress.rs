//! How far a run has come, and a line that says so on a terminal, or lines in a log.

#![forbid(unsafe_code)]

use crate::schedule::Schedule;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How much of a run is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Progress {
    /// Steps of the loop; 0 while that is not known.
    pub steps: u64,
    /// Steps that were run forward, again and again.
    pub forward_steps: u64,
    /// Steps that will be run forward in all; 0 if that is not known.
    pub forward_steps_total: u64,
    /// Steps whose adjoint is done.
    pub reversed_steps: u64,
    /// Forward steps that were done before the process was killed that left the run; 0 of a run that was not resumed.
    pub resumed_steps: u64,
    /// Steps that check mode ran once more in this process, to compare the states; not among the forward steps.
    pub compared_steps: u64,
    /// Memory that the snapshots of registered state take, in bytes: the most of the driver's runs so far, as buffers are
    /// kept for the next one. Said when a run has ended; 0 before. What lies in a store does not count.
    pub snapshot_bytes: u64,
}

impl Progress {
    pub(super) fn new(schedule: &Schedule) -> Progress {
        let total = schedule.predict().map_or(0, |costs| costs.steps.saturating_add(costs.extra_steps));
        Progress { steps: schedule.steps().unwrap_or(0), forward_steps_total: total, ..Progress::default() }
    }

    /// The loop's length is known from here on; where it was not, or was wrong, the prediction is not.
    pub(super) fn begin_reverse(&mut self, schedule: &Schedule) {
        let steps = schedule.steps().unwrap_or(0);
        if self.reversed_steps == 0 && steps != self.steps {
            (self.steps, self.forward_steps_total) = (steps, 0);
        }
    }

    /// Between 0 and 1: of the forward steps, or of the reversed ones where only those are known.
    pub fn fraction(&self) -> f64 {
        match (self.forward_steps_total, self.steps) {
            (0, 0) => 0.0,
            (0, steps) => self.reversed_steps as f64 / steps as f64,
            (total, _) => self.forward_steps as f64 / total as f64,
        }
    }
}

/// A bar on standard error that grows as the run goes on: one line of 79 columns at most, which is cleared at the end.
/// Where that is no terminal but a log, a line a minute, and one that says where a run goes on that was killed.
#[derive(Debug)]
pub struct ProgressLine {
    begun: Instant,
    /// What was done before this process began.
    before: Option<f64>,
    said: Option<Instant>,
    is_terminal: bool,
    said_resumed: bool,
}

impl Default for ProgressLine {
    fn default() -> ProgressLine {
        let is_terminal = std::io::stderr().is_terminal();
        ProgressLine { begun: Instant::now(), before: None, said: None, is_terminal, said_resumed: false }
    }
}

impl ProgressLine {
    const BETWEEN: Duration = Duration::from_millis(200);
    const BETWEEN_IN_LOG: Duration = Duration::from_secs(60);

    /// Shows how far the run is, not more often than is of use.
    pub fn show(&mut self, progress: &Progress) {
        // Standard error may be closed; there is nobody left to tell.
        if let Some(text) = self.text(progress, Instant::now()) {
            let _ = write!(std::io::stderr(), "{text}");
        }
    }

    /// What is to be written now.
    fn text(&mut self, progress: &Progress, now: Instant) -> Option<String> {
        let before = *self.before.get_or_insert_with(|| progress.fraction());
        let elapsed = now.duration_since(self.begun);
        if self.is_terminal {
            let due = self.said.is_none_or(|said| now.duration_since(said) >= Self::BETWEEN);
            return due.then(|| {
                self.said = Some(now);
                format!("\r\x1b[K{}", line(progress, before, elapsed))
            });
        }
        if progress.resumed_steps > 0 && !std::mem::replace(&mut self.said_resumed, true) {
            self.said = Some(now);
            return Some(resumed(progress));
        }
        let due = now.duration_since(self.said.unwrap_or(self.begun)) >= Self::BETWEEN_IN_LOG;
        due.then(|| {
            self.said = Some(now);
            format!("{}\n", line(progress, before, elapsed))
        })
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_terminal && self.said.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// A line for a run that goes on where a killed one left it.
fn resumed(progress: &Progress) -> String {
    let Progress { steps, resumed_steps, reversed_steps, .. } = progress;
    match steps {
        0 => format!("adtape: resumed at step {resumed_steps}\n"),
        _ => format!("adtape: resumed at step {resumed_steps} forward, {reversed_steps} of {steps} steps reversed\n"),
    }
}

/// Columns of the bar.
const BAR: usize = 20;
/// So many columns fit everywhere: a longer line would wrap, and could not be written over.
const COLUMNS: usize = 79;

/// `adtape [########............]  41 %  370 of 1000 steps reversed, 12 s left`
fn line(progress: &Progress, before: f64, elapsed: Duration) -> String {
    let Progress { steps, forward_steps, reversed_steps, .. } = progress;
    let fraction = progress.fraction();
    let done = ((fraction * BAR as f64) as usize).min(BAR);
    let mut line = format!("adtape [{}{}] {:3.0} %  ", "#".repeat(done), ".".repeat(BAR - done), 100.0 * fraction);
    match steps {
        0 => line += &format!("{forward_steps} steps run forward"),
        _ => line += &format!("{reversed_steps} of {steps} steps reversed"),
    }
    if fraction > before {
        line += &format!(", {} left", time(elapsed.as_secs_f64() * (1.0 - fraction) / (fraction - before)));
    }
    line.truncate(COLUMNS);
    line
}

fn time(seconds: f64) -> String {
    match seconds {
        0.0..120.0 => format!("{seconds:.0} s"),
        120.0..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_has_a_line_a_minute_and_one_where_a_run_goes_on() {
        let mut log = ProgressLine { is_terminal: false, ..ProgressLine::default() };
        let after = |seconds| log.begun + Duration::from_secs(seconds);
        let moments = [0, 59, 60, 61, 119, 121].map(after);
        let progress = Progress { steps: 10, forward_steps: 5, forward_steps_total: 20, ..Progress::default() };
        let said = moments.map(|now| log.text(&progress, now).is_some());
        assert_eq!(said, [false, false, true, false, false, true]);
        let mut log = ProgressLine { is_terminal: false, ..ProgressLine::default() };
        let progress = Progress { resumed_steps: 12, reversed_steps: 3, ..progress };
        let begun = log.begun;
        let texts = [0, 1, 60].map(|seconds| log.text(&progress, begun + Duration::from_secs(seconds)));
        let first = Some("adtape: resumed at step 12 forward, 3 of 10 steps reversed\n".to_owned());
        assert_eq!((&texts[0], &texts[1]), (&first, &None));
        assert!(texts[2].as_ref().is_some_and(|line| line.starts_with("adtape [") && line.ends_with("reversed\n")));
        let mut terminal = ProgressLine { is_terminal: true, ..ProgressLine::default() };
        let begun = terminal.begun;
        let said = [0, 100, 200].map(|ms| terminal.text(&progress, begun + Duration::from_millis(ms)).is_some());
        assert_eq!(said, [true, false, true]);
    }

    #[test]
    fn line_says_what_is_known() {
        let all = Progress {
            steps: 1000,
            forward_steps: 1159,
            forward_steps_total: 4636,
            reversed_steps: 70,
            ..Progress::default()
        };
        let ten = Duration::from_secs(10);
        assert_eq!(line(&all, 0.0, ten), "adtape [#####...............]  25 %  70 of 1000 steps reversed, 30 s left");
        assert!(line(&all, 0.15, ten).ends_with("75 s left"), "a tenth in ten seconds");
        let unknown = Progress { forward_steps: 7, ..Progress::default() };
        assert_eq!(line(&unknown, 0.0, ten), "adtape [....................]   0 %  7 steps run forward");
        let ended = Progress { steps: 10, forward_steps: 20, reversed_steps: 5, ..Progress::default() };
        assert_eq!(line(&ended, 0.0, ten), "adtape [##########..........]  50 %  5 of 10 steps reversed, 10 s left");
        let long = Progress { steps: u64::MAX, reversed_steps: u64::MAX / 2, ..Progress::default() };
        assert_eq!(line(&long, 0.0, ten).len(), COLUMNS);
    }

    #[test]
    fn time_has_a_unit_that_fits() {
        assert_eq!([0.4, 119.0, 120.0, 7199.0, 72_000.0].map(time), ["0 s", "119 s", "2 min", "120 min", "20 h"]);
    }
}
