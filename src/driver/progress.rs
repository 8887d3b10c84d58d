//! How far a run has come, and a line that says so on a terminal.

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

/// A line on standard error that is written over as the run goes on; none where that is no terminal.
#[derive(Debug)]
pub struct ProgressLine {
    begun: Instant,
    said: Option<Instant>,
    is_terminal: bool,
}

impl Default for ProgressLine {
    fn default() -> ProgressLine {
        ProgressLine { begun: Instant::now(), said: None, is_terminal: std::io::stderr().is_terminal() }
    }
}

impl ProgressLine {
    const BETWEEN: Duration = Duration::from_millis(200);

    /// Shows how far the run is, not more often than is of use.
    pub fn show(&mut self, progress: &Progress) {
        if self.is_terminal && self.said.is_none_or(|said| said.elapsed() >= Self::BETWEEN) {
            self.said = Some(Instant::now());
            let line = line(progress, self.begun.elapsed());
            // Standard error may be closed; there is nobody left to tell.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.said.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// `adtape: 41 %, 370 of 1000 steps reversed, 1800 run forward of 4636, 12 s left`
fn line(progress: &Progress, elapsed: Duration) -> String {
    let Progress { steps, forward_steps, forward_steps_total, reversed_steps } = progress;
    let fraction = progress.fraction();
    let mut line = format!("adtape: {:.0} %, ", 100.0 * fraction);
    match steps {
        0 => line += &format!("{forward_steps} steps run forward"),
        _ => line += &format!("{reversed_steps} of {steps} steps reversed, {forward_steps} run forward"),
    }
    if *forward_steps_total > 0 {
        line += &format!(" of {forward_steps_total}");
    }
    if fraction > 0.0 {
        line += &format!(", {:.0} s left", elapsed.as_secs_f64() * (1.0 / fraction - 1.0));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_says_what_is_known() {
        let all = Progress { steps: 1000, forward_steps: 1159, forward_steps_total: 4636, reversed_steps: 70 };
        let ten = Duration::from_secs(10);
        assert_eq!(line(&all, ten), "adtape: 25 %, 70 of 1000 steps reversed, 1159 run forward of 4636, 30 s left");
        let unknown = Progress { forward_steps: 7, ..Progress::default() };
        assert_eq!(line(&unknown, ten), "adtape: 0 %, 7 steps run forward");
        let ended = Progress { steps: 10, forward_steps: 20, reversed_steps: 5, ..Progress::default() };
        assert_eq!(line(&ended, ten), "adtape: 50 %, 5 of 10 steps reversed, 20 run forward, 10 s left");
    }
}
