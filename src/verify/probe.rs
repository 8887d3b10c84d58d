//! Evaluates the function: at points along a direction, with the tape left as it was, and listening to its branches.

#![forbid(unsafe_code)]

use super::noise::{self, Table};
use super::real::{Real, power_of_2};
use super::vector::sum;
use crate::error::Error;
use crate::tape::branches::Branches;
use crate::tape::with_thread_tape;

/// A function of n values.
pub(super) type Function<'a, T> = &'a mut dyn FnMut(&[T]) -> f64;

/// Values with a binary exponent that is further from 0 are scaled: those of 1e90 and more, or of 1e-90 and less.
const FAR_EXPONENT: i64 = 300;

/// A function and the point where it is tested.
pub(super) struct Probe<'a, T: Real> {
    function: Function<'a, T>,
    pub x: &'a [T],
    /// The point of the last evaluation.
    point: Vec<T>,
    /// f(x), once it is known, times the scale.
    pub value: f64,
    /// Its noise, once it is known, times the scale.
    pub noise: f64,
    /// What values of f are multiplied with, a power of 2: 1 unless squares of them would be no numbers.
    scale: f64,
    pub evaluations: u64,
}

impl<'a, T: Real> Probe<'a, T> {
    pub fn new(function: Function<'a, T>, x: &'a [T]) -> Result<Probe<'a, T>, Error> {
        let mut probe = Probe { function, x, point: x.to_vec(), value: 0.0, noise: 0.0, scale: 1.0, evaluations: 0 };
        probe.value = probe.here()?;
        Ok(probe)
    }

    /// The value at the present point. What the function leaves on the thread's tape is taken off: it may be a forward
    /// sweep.
    fn here(&mut self) -> Result<f64, Error> {
        self.evaluations += 1;
        let mark = with_thread_tape(|tape| tape.mark())?;
        let value = (self.function)(&self.point);
        with_thread_tape(|tape| tape.reset_to(&mark))?;
        Ok(value * self.scale)
    }

    /// What values of f are multiplied with.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Multiplies f with a scale that makes this change of it, or f(x), about 1, if either is far from that.
    pub fn rescale(&mut self, change: f64) {
        let size = self.value.abs().max(change);
        let exponent = (size.max(f64::MIN_POSITIVE).to_bits() >> 52) as i64 - 1023;
        if size > 0.0 && exponent.abs() > FAR_EXPONENT {
            self.scale = power_of_2(-exponent.clamp(-1000, 1000));
            self.value *= self.scale;
        }
    }

    /// As before [`rescale`](Probe::rescale).
    pub fn unscale(&mut self) {
        self.value /= self.scale;
        self.noise /= self.scale;
        self.scale = 1.0;
    }

    /// The value at x once more.
    pub fn again(&mut self) -> Result<f64, Error> {
        self.point.copy_from_slice(self.x);
        self.here()
    }

    /// Goes to x + h d.
    pub fn go(&mut self, d: &[T], h: f64) -> &[T] {
        for ((to, x), d) in self.point.iter_mut().zip(self.x).zip(d) {
            *to = T::nearest(x.widened() + h * d.widened());
        }
        &self.point
    }

    /// The value at x + h d.
    pub fn at(&mut self, d: &[T], h: f64) -> Result<f64, Error> {
        self.go(d, h);
        self.here()
    }

    /// How far the last evaluation was from x: not h d, which is rounded.
    pub fn moved(&self) -> impl Iterator<Item = f64> {
        self.point.iter().zip(self.x).map(|(to, x)| to.widened() - x.widened())
    }

    /// How far the last evaluation was from x along a gradient, times the scale.
    pub fn moved_along(&self, gradient: &[T]) -> f64 {
        sum(self.moved().zip(gradient).map(|(moved, g)| moved * (g.widened() * self.scale)))
    }

    /// The branches of an evaluation at x + h d.
    pub fn branches(&mut self, d: &[T], h: f64) -> Result<Branches, Error> {
        self.go(d, h);
        listened(|| self.here()).map(|(branches, _)| branches)
    }

    /// Finds the noise along a direction; `unit` is the step that changes x by itself.
    pub fn measure_noise(&mut self, d: &[T], unit: f64) -> Result<(), Error> {
        let least = T::EPSILON * self.value.abs().max(f64::MIN_POSITIVE * self.scale) / 4.0;
        let mut step = unit * (8.0 * T::EPSILON).max(T::EPSILON.sqrt() / 64.0);
        self.noise = least;
        for round in 0..3 {
            // All values of a table are from calls one behind the other: a drift is no noise then.
            let points = (0..noise::POINTS).map(|i| match (round, i) {
                (0, 0) => Ok(self.value),
                _ => self.at(d, step * i as f64),
            });
            match noise::table(points.collect::<Result<Vec<f64>, Error>>()?) {
                Table::Noise(noise) => {
                    self.noise = noise.max(least);
                    break;
                }
                Table::TooClose => step *= 64.0,
                Table::TooFar => step /= 64.0,
            }
        }
        Ok(())
    }
}

/// Runs `run` while the thread's tape listens to its branches.
pub(super) fn listened<R>(run: impl FnOnce() -> Result<R, Error>) -> Result<(Branches, R), Error> {
    with_thread_tape(|tape| tape.listen(true))?;
    let result = run();
    let branches = with_thread_tape(|tape| tape.listen(false))?;
    Ok((branches, result?))
}
