//! What a test is given beside function, gradient and point.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use std::path::Path;

/// A dot product of vectors that lie on several processes.
pub type Product<'a, T> = &'a mut dyn FnMut(&[T], &[T]) -> f64;

/// Options of the tests; [`Default`] is right for most.
#[derive(Default)]
pub struct TestOptions<'a, T> {
    /// The direction, as many values as x; without it every component changes by about its own size, at random.
    pub direction: Option<&'a [T]>,
    /// Of [`test_dot`](super::test_dot): what the adjoint starts from; without it random numbers.
    pub weights: Option<&'a [T]>,
    /// The dot product, where each process has a part of the vectors. All processes call the test.
    pub product: Option<Product<'a, T>>,
    /// The largest step, in units of the direction; 0 for 1/16 of the ratio of the norms of x and direction.
    pub first_step: f64,
    /// The relative error that is accepted; 0 for 1e-7 (f32: 1e-3), for products and complex steps 1e-10 (1e-4).
    pub tolerance: f64,
    /// Steps at most; 0 for 16.
    pub steps: i32,
    /// Evaluations for the search of components that disagree; 0 for 400, negative for no search.
    pub search_runs: i64,
    /// What the first component is called: 0, or 1.
    pub first_index: i64,
    /// A file for the picture of the remainders (`.svg`), or for their table (other names).
    pub plot: Option<&'a Path>,
}

impl<T> TestOptions<'_, T> {
    pub(super) fn check(&self, n: usize, m: usize) -> Result<(), Error> {
        let bad = |text: String| Err(Error::new(Status::BadArgument, text));
        if self.direction.is_some_and(|d| d.len() != n) || self.weights.is_some_and(|w| w.len() != m) {
            return bad(format!("the direction of a derivative test has not as many values as its vector, {n} or {m}"));
        }
        for (what, value) in [("first step", self.first_step), ("tolerance", self.tolerance)] {
            if !(value.is_finite() && value >= 0.0) {
                return bad(format!("the {what} of a derivative test is {value:e}\n  give a positive number, or 0"));
            }
        }
        if n == 0 && self.product.is_none() {
            return bad("a derivative test of no values\n  give at least one component of x".to_owned());
        }
        Ok(())
    }

    pub(super) fn most_steps(&self) -> usize {
        if self.steps > 0 { self.steps.max(3) as usize } else { 16 }
    }

    pub(super) fn accepted(&self, otherwise: f64) -> f64 {
        if self.tolerance > 0.0 { self.tolerance } else { otherwise }
    }

    pub(super) fn search(&self) -> i64 {
        match self.search_runs {
            0 => 400,
            runs => runs.max(0),
        }
    }
}
