//! Sizes over time: a bounded number of samples, half as many a second whenever there are too many.

#![forbid(unsafe_code)]

/// Sizes at a time, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    pub nanoseconds: u64,
    pub tape: u64,
    pub resident: u64,
    pub spilled: u64,
    pub checkpoints: u64,
    pub heap: u64,
}

/// Even.
const MOST: usize = 2048;
const FIRST_INTERVAL: u64 = 1_000_000;

pub(super) struct Timeline {
    pub samples: Vec<Sample>,
    interval: u64,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline { samples: Vec::new(), interval: FIRST_INTERVAL }
    }
}

impl Timeline {
    /// Adds a sample; returns when the next is due.
    pub fn add(&mut self, sample: Sample) -> u64 {
        if self.samples.len() == MOST {
            let mut odd = false;
            self.samples.retain(|_| {
                odd = !odd;
                odd
            });
            self.interval *= 2;
        }
        self.samples.push(sample);
        sample.nanoseconds + self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_thinned_out_where_there_are_too_many() {
        let mut timeline = Timeline::default();
        let mut next = 0;
        for nanoseconds in (0..).step_by(250_000).take(100_000) {
            if nanoseconds >= next {
                next = timeline.add(Sample { nanoseconds, ..Sample::default() });
            }
        }
        let times: Vec<u64> = timeline.samples.iter().map(|sample| sample.nanoseconds).collect();
        assert!((MOST / 2..=MOST).contains(&times.len()), "{}", times.len());
        let steps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| (timeline.interval / 2..=timeline.interval).contains(step)), "{steps:?}");
        assert!(times[times.len() - 1] > 24_900_000_000);
    }
}
