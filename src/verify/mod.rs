//! Derivative tests: whether a gradient is that of its function, and where it is not.
//!
//! *Direction*: d, a change of all components of x. *Slope*: gradient · d. *Step*: h, how far x goes along d.
//! *Remainder*: R(h) = f(x + h d) − f(x) − h slope; it falls with h² if the gradient is right, with h¹ if it is wrong.
//! *Noise*: how much f changes between points so close that it should not. *Floor*: remainders below it are noise.
//! *Clear*: a remainder above the floor.
//!
//! ```text
//!   log R |  *                      h² : right          *  branch between two steps
//!         |     *                                        \
//!         |        *   . . . . . .  h¹ : wrong            *
//!   floor |-----------*--*---*----                           *
//!         +-------------------------- log 1/h
//! ```
//!
//! | file | what |
//! |---|---|
//! | `taylor.rs` | remainders over a series of steps, the order they fall with, the slope's error extrapolated |
//! | `verdict.rs` | the test as programs call it |
//! | `gradient.rs` | the test itself: verdict from both sides of x, branches, components |
//! | `noise.rs` | the noise of f from a table of differences |
//! | `components.rs` | which components of a wrong gradient disagree |
//! | `waypoints.rs` | places that both sweeps pass; what a run passed there |
//! | `bracket.rs` | between which waypoints an adjoint becomes wrong |
//! | `dot.rs` | tangent and adjoint against each other |
//! | `complex.rs` | the slope by a complex step |
//! | `probe.rs` | evaluates f: counts runs, leaves the tape as it was, listens to branches |
//! | `report.rs`, `plot.rs` | what is said: a structure, a text, a picture |
//!
//! ```
//! use adtape::verify::{Gradient, TestOptions, test_gradient};
//!
//! # fn main() -> Result<(), adtape::Error> {
//! let mut f = |x: &[f64]| x[0] * x[0].sin() + x[1] * x[1];
//! let x = [0.7_f64, 1.5];
//! let right = [x[0].sin() + x[0] * x[0].cos(), 2.0 * x[1]];
//! let report = test_gradient(&mut f, Gradient::Array(&right), &x, &mut TestOptions::default())?;
//! assert!(report.summary.passed && (report.summary.order - 2.0).abs() < 0.1, "{report}");
//!
//! let wrong = [right[0], x[1]]; // the factor 2 is forgotten
//! let report = test_gradient(&mut f, Gradient::Array(&wrong), &x, &mut TestOptions::default())?;
//! assert!(!report.summary.passed && (report.summary.order - 1.0).abs() < 0.1, "{report}");
//! assert_eq!(report.components(), [1]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod bracket;
#[cfg(all(test, not(loom)))]
mod bracket_tests;
mod complex;
mod components;
mod dot;
mod explain;
#[cfg(all(test, not(loom)))]
mod extreme_tests;
mod gradient;
mod noise;
mod options;
mod plot;
mod probe;
mod real;
mod report;
mod taylor;
#[cfg(all(test, not(loom)))]
mod tests;
mod vector;
mod verdict;
mod waypoints;

pub use complex::test_complex;
pub use dot::test_dot;
pub use gradient::Gradient;
pub use options::TestOptions;
pub use real::Real;
pub use report::{Reason, Report, Summary};
pub use verdict::test_gradient;
pub(crate) use waypoints::{forward_at, reverse_at};
pub use waypoints::{waypoint_forward, waypoint_reverse};
