//! What a run decides: the control values and loop counters that it pushes, for a comparison of two runs.
//!
//! A tape that listens is watched, as in check mode: every push takes the slow path, which notes control values and
//! counters in order, each with its call site. The fast path knows nothing of it.

#![forbid(unsafe_code)]

use crate::site::Site;

/// One value of control, or one counter.
#[derive(Clone, Copy, Debug)]
struct Branch {
    value: u64,
    /// Bits of a control value; 0 for a counter.
    bits: u32,
    site: Site,
}

impl Branch {
    fn said(self) -> String {
        match self.bits {
            0 => format!("{} passes of a loop", self.value as i64),
            _ => format!("branch {}", self.value),
        }
    }
}

/// What a run decided, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    first: Vec<Branch>,
    /// Of all, also those that are not kept.
    count: u64,
}

/// How many are kept, 40 bytes each.
const KEPT: usize = 1 << 20;

/// The first decision in which two runs differ.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// How many decisions before it are equal.
    pub position: u64,
    /// Where the first run takes it, or the second where the first has none.
    pub site: Site,
    /// What both runs decide there.
    pub said: String,
}

impl Branches {
    pub(super) fn add(&mut self, value: u64, bits: u32, site: Site) {
        self.count += 1;
        if self.first.len() < KEPT {
            let mask = if bits == 0 || bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            self.first.push(Branch { value: value & mask, bits, site });
        }
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The first that differs; None if all that are kept are equal and the others as many.
    pub(crate) fn first_difference(&self, other: &Branches) -> Option<Difference> {
        let same = |a: &Branch, b: &Branch| (a.value, a.bits, a.site) == (b.value, b.bits, b.site);
        let equal = self.first.iter().zip(&other.first).take_while(|(a, b)| same(a, b)).count();
        let position = equal as u64;
        let said = |site, said| Some(Difference { position, site, said });
        match (self.first.get(equal), other.first.get(equal)) {
            (Some(a), Some(b)) if a.site == b.site => said(a.site, format!("{}, then {}", a.said(), b.said())),
            (Some(a), Some(b)) => said(a.site, format!("{}, then another place, {}", a.said(), b.site)),
            (Some(a), None) => said(a.site, format!("{}, then nothing", a.said())),
            (None, Some(b)) => said(b.site, format!("nothing, then {}", b.said())),
            (None, None) if self.count != other.count => {
                said(Site::UNKNOWN, format!("{} decisions, then {}", self.count, other.count))
            }
            (None, None) => None,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::tape::Tape;

    #[test]
    fn first_branch_that_two_runs_take_differently_is_found_with_its_line() {
        let tape = Tape::new().unwrap();
        let run = |x: f64| {
            tape.listen(true).unwrap();
            for k in 0..100 {
                tape.push(x).unwrap();
                tape.push_control(u64::from(x * f64::from(k) > 60.0), 1).unwrap();
            }
            tape.push_count(3).unwrap();
            let heard = tape.listen(false).unwrap();
            assert_eq!(tape.pop_count().unwrap(), 3);
            for k in (0..100).rev() {
                assert_eq!(tape.pop_control(1).unwrap(), u64::from(x * f64::from(k) > 60.0));
                assert_eq!(tape.pop::<f64>().unwrap(), x);
            }
            heard
        };
        let (a, b, c) = (run(1.0), run(1.0), run(0.9));
        assert_eq!((a.count(), c.count()), (101, 101));
        assert!(a.first_difference(&b).is_none());
        let found = a.first_difference(&c).expect("a difference");
        assert_eq!((found.position, found.said.as_str()), (61, "branch 1, then branch 0"));
        assert!(found.site.to_string().contains("branches.rs:"), "{}", found.site);
        assert_eq!(tape.stats().unwrap().bytes, 0);
        // Whoever listens no longer hears nothing.
        tape.push_control(1, 1).unwrap();
        assert_eq!(tape.listen(false).unwrap().count(), 0);
    }
}
