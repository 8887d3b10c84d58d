//! The outcome of a test: a structure, steps, and a text for people.

#![forbid(unsafe_code)]

use crate::codes::codes;
use crate::tape::branches::Difference;
use std::fmt;

/// Why a test passed or failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Reason {
    /// Passed: the remainder falls with h², or the two numbers agree.
    #[default]
    Agrees = 0,
    /// Passed: the function is linear in the direction, so the remainder is rounding from the first step on.
    Linear = 1,
    /// Passed: neither does the function change in the direction, nor has the gradient a part in it.
    Constant = 2,
    /// Passed: there was no gradient to test, only the slope was asked for.
    NoGradient = 3,
    /// Failed: the gradient is wrong, or tangent and adjoint disagree.
    Wrong = 4,
    /// Failed: the function has a kink at x; the slopes of both sides are different.
    Kink = 5,
    /// Failed: branches change down to steps where all is rounding.
    Branch = 6,
    /// Failed: rounding hides what should be seen.
    Noise = 7,
    /// Failed: the function or the gradient is not finite.
    NotFinite = 8,
    /// Failed: a second call at the same x gave another result.
    NotRepeatable = 9,
    /// Failed: the gradient left something on the thread's tape, or took something off.
    TapeLeft = 10,
    /// Failed: the direction is zero.
    ZeroDirection = 11,
    /// Failed: tangent or adjoint is not linear.
    NotLinear = 12,
}

codes! { pub Reason: i32 from 0 {
    Agrees "ADTAPE_TEST_AGREES", Linear "ADTAPE_TEST_LINEAR", Constant "ADTAPE_TEST_CONSTANT",
    NoGradient "ADTAPE_TEST_NO_GRADIENT", Wrong "ADTAPE_TEST_WRONG", Kink "ADTAPE_TEST_KINK",
    Branch "ADTAPE_TEST_BRANCH", Noise "ADTAPE_TEST_NOISE", NotFinite "ADTAPE_TEST_NOT_FINITE",
    NotRepeatable "ADTAPE_TEST_NOT_REPEATABLE", TapeLeft "ADTAPE_TEST_TAPE_LEFT",
    ZeroDirection "ADTAPE_TEST_ZERO_DIRECTION", NotLinear "ADTAPE_TEST_NOT_LINEAR",
} }

impl Reason {
    /// Whether a test with this outcome passed.
    pub fn passed(self) -> bool {
        (self as i32) < Reason::Wrong as i32
    }
}

/// Components that a report names at most.
pub(super) const NAMED: usize = 8;

/// The outcome of a test. Steps are in units of the direction. Numbers that a test does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Summary {
    /// Whether the derivative is right, as far as the test can see.
    pub passed: bool,
    /// Why: one of ADTAPE_TEST_….
    pub reason: i32,
    /// The power of h that the remainder falls with: 2 if the gradient is right, 1 if it is wrong; 0 where the remainder
    /// is rounding from the first step on.
    pub order: f64,
    /// The relative error: of the slope, or of the two products.
    pub error: f64,
    /// The smallest step whose remainder stands clear of rounding.
    pub step: f64,
    /// How much the function changes between points so close that it should not.
    pub noise: f64,
    /// Gradient · direction; of a dot-product test, adjoint · direction.
    pub slope: f64,
    /// The slope by finite differences, extrapolated, or by the complex step; of a dot-product test, tangent · weights.
    pub reference: f64,
    /// How far that may be off.
    pub uncertainty: f64,
    /// How often the function, or tangent and adjoint together, were called.
    pub evaluations: i64,
    /// The smaller of two steps between which a branch changes.
    pub branch_step: f64,
    /// How many values of control and counters that were pushed before that branch are equal.
    pub branch_position: i64,
    /// How many components that disagree are in the list that follows.
    pub component_count: i64,
    /// Components of the gradient that disagree, the worst first; negative ones, of a dot-product test, are outputs: -1 is
    /// the first.
    pub component: [i64; 8],
    /// Their values in the gradient.
    pub component_gradient: [f64; 8],
    /// What they should be.
    pub component_reference: [f64; 8],
}

/// A step of a series.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How far along the direction.
    pub h: f64,
    /// The remainder there.
    pub remainder: f64,
    /// The power of h that it falls with since the step before, where both are clear of rounding.
    pub order: Option<f64>,
    /// Whether it is clear of rounding.
    pub clear: bool,
}

impl Step {
    /// Whether the remainder fell since the step before as it does where a branch changes: not at all, or at once.
    pub(super) fn is_uneven(&self) -> bool {
        self.order.is_some_and(|order| !(0.75..=3.5).contains(&order))
    }
}

/// The outcome of a test with all that is said of it. It displays as a text of several lines.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The outcome in numbers.
    pub summary: Summary,
    /// The steps, the largest first.
    pub steps: Vec<Step>,
    pub(super) text: String,
}

/// A branch that changes between two steps.
pub(super) struct Changed {
    /// The larger step and the smaller; 0 for x itself.
    pub between: (f64, f64),
    pub what: Difference,
}

/// What was seen besides the numbers of a summary.
#[derive(Default)]
pub(super) struct Seen {
    /// A first line of explanation that stands for itself.
    pub said: Option<String>,
    /// The slopes to both sides of x.
    pub sides: Option<(f64, f64)>,
    pub changed: Option<Changed>,
    /// The search for components ended before it had found all.
    pub more_components: bool,
    /// Every component that was tried disagrees.
    pub all_components: bool,
    /// What waypoints say, line by line.
    pub waypoints: Vec<String>,
}

impl Report {
    /// Why the test passed or failed.
    pub fn reason(&self) -> Reason {
        Reason::from_code(self.summary.reason).unwrap_or_default()
    }

    /// The components that disagree, the worst first.
    pub fn components(&self) -> &[i64] {
        &self.summary.component[..self.summary.component_count as usize]
    }

    /// Takes off what values of the function were multiplied with.
    pub(super) fn unscale(&mut self, scale: f64) {
        let summary = &mut self.summary;
        for value in [&mut summary.noise, &mut summary.slope, &mut summary.reference, &mut summary.uncertainty] {
            *value /= scale;
        }
        self.steps.iter_mut().for_each(|step| step.remainder /= scale);
    }

    pub(super) fn decide(&mut self, reason: Reason) {
        self.summary.reason = reason as i32;
        self.summary.passed = reason.passed();
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
