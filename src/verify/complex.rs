//! The slope by a complex step: the imaginary part of f(x + i h d), divided by h. Nothing is subtracted, so h can be so
//! small that only the rounding of f is left. The function has to be analytic: abs, max, conjg and comparisons of
//! complex numbers break it. Source: W. Squire, G. Trapp, Using complex variables to estimate derivatives of real
//! functions, SIAM Rev. 40 (1998); J. R. R. A. Martins, P. Sturdza, J. J. Alonso, The complex-step derivative
//! approximation, ACM TOMS 29 (2003).

#![forbid(unsafe_code)]

use super::components::{self, Component, Found, Measure};
use super::explain;
use super::gradient::{Gradient, computed};
use super::options::TestOptions;
use super::plot;
use super::real::Real;
use super::report::{Reason, Report, Seen};
use super::vector::{direction, dot, norm, scale, sum};
use crate::error::{Error, Status};
use crate::tape::with_thread_tape;
use std::ops::Range;

/// A function of n complex numbers, pairs of real and imaginary part.
pub(super) type ComplexFunction<'a, T> = &'a mut dyn FnMut(&[[T; 2]]) -> [f64; 2];

struct Stepped<'f, 'd, T: Real> {
    function: ComplexFunction<'f, T>,
    x: &'d [T],
    d: &'d [T],
    gradient: Option<&'d [T]>,
    h: f64,
    evaluations: u64,
    end: u64,
}

impl<T: Real> Stepped<'_, '_, T> {
    /// The slope along the components of a range.
    fn slope(&mut self, part: Range<usize>) -> Result<f64, Error> {
        let imaginary = |i: usize| if part.contains(&i) { T::nearest(self.h * self.d[i].widened()) } else { T::ZERO };
        let point: Vec<[T; 2]> = self.x.iter().enumerate().map(|(i, x)| [*x, imaginary(i)]).collect();
        self.evaluations += 1;
        let mark = with_thread_tape(|tape| tape.mark())?;
        let [_, y] = (self.function)(&point);
        with_thread_tape(|tape| tape.reset_to(&mark))?;
        Ok(y / self.h)
    }
}

impl<T: Real> Measure for Stepped<'_, '_, T> {
    fn error(&mut self, part: Range<usize>) -> Result<Option<(f64, f64)>, Error> {
        let slope = self.slope(part.clone())?;
        let terms = |i: usize| self.gradient.map_or(0.0, |g| g[i].widened() * self.d[i].widened());
        let along = sum(part.clone().map(terms));
        let off = 64.0 * T::EPSILON * (slope.abs() + part.map(|i| terms(i).abs()).fold(0.0, f64::max));
        Ok(slope.is_finite().then_some((slope - along, off)))
    }

    fn left(&self) -> bool {
        self.evaluations < self.end
    }
}

/// Tests a gradient against the complex step of `f`, which is the function in complex arithmetic; without a gradient it
/// computes the slope. The step is far below rounding, so there is neither noise nor a kink, and the error is that of
/// the slope itself.
///
/// ```
/// use adtape::verify::{Gradient, TestOptions, test_complex};
///
/// # fn main() -> Result<(), adtape::Error> {
/// let mut square = |z: &[[f64; 2]]| [z[0][0] * z[0][0] - z[0][1] * z[0][1], 2.0 * z[0][0] * z[0][1]];
/// let report = test_complex(&mut square, Gradient::Array(&[6.0]), &[3.0], &mut TestOptions::default())?;
/// assert!(report.summary.passed && report.summary.error < 1e-15, "{report}");
/// # Ok(())
/// # }
/// ```
pub fn test_complex<T: Real>(
    f: ComplexFunction<'_, T>,
    gradient: Gradient<'_, T>,
    x: &[T],
    options: &mut TestOptions<'_, T>,
) -> Result<Report, Error> {
    options.check(x.len(), 0)?;
    let (mut report, mut seen) = (Report::default(), Seen::default());
    let array = match gradient {
        Gradient::None => None,
        Gradient::Array(given) if given.len() != x.len() => {
            let said = format!("a gradient of {} values for {} values of x", given.len(), x.len());
            return Err(Error::new(Status::BadArgument, said));
        }
        Gradient::Array(given) => Some(given.to_vec()),
        Gradient::Call(call) => match computed(call, x, options.first_index)? {
            Ok((values, _)) => Some(values),
            Err(wrong) => {
                report.decide(wrong.reason);
                (seen.said, seen.waypoints) = (Some(wrong.said), wrong.waypoints);
                None
            }
        },
    };
    if seen.said.is_none() {
        judge(f, array.as_deref(), x, options, &mut report, &mut seen)?;
    }
    explain::complex(&mut report, &seen, options.first_index);
    plot::write(&report, options.plot)?;
    Ok(report)
}

fn judge<T: Real>(
    f: ComplexFunction<'_, T>,
    gradient: Option<&[T]>,
    x: &[T],
    options: &mut TestOptions<'_, T>,
    report: &mut Report,
    seen: &mut Seen,
) -> Result<(), Error> {
    let d = direction(x, options);
    if norm(&mut options.product, &d) == 0.0 {
        report.decide(Reason::ZeroDirection);
        seen.said = Some("the direction is zero: all its components are".to_owned());
        return Ok(());
    }
    let (slope, typical) = match gradient {
        Some(g) => (dot(&mut options.product, g, &d), scale(&mut options.product, g, &d)),
        None => (0.0, 0.0),
    };
    // Its square is far below rounding, and far above the smallest number.
    let h = T::EPSILON * T::EPSILON;
    let mut stepped = Stepped { function: f, x, d: &d, gradient, h, evaluations: 0, end: 0 };
    let mut reference = stepped.slope(0..x.len())?;
    if (reference * h).abs() < T::LEAST / (T::EPSILON * T::EPSILON) {
        // So small a number has few digits. The square of this step is still below rounding.
        stepped.h = T::EPSILON.sqrt() / 16.0;
        reference = stepped.slope(0..x.len())?;
    }
    let size = slope.abs().max(reference.abs()).max(typical);
    let least = T::LEAST / stepped.h;
    let summary = &mut report.summary;
    (summary.slope, summary.reference, summary.step) = (slope, reference, stepped.h);
    summary.uncertainty = 64.0 * T::EPSILON * size + least;
    summary.error = if size > 0.0 { (slope - reference).abs() / size } else { 0.0 };
    summary.evaluations = stepped.evaluations as i64;
    let accepted = options.accepted(T::PRODUCT_TOLERANCE);
    let reason = match () {
        () if !(reference.is_finite() && slope.is_finite()) => Reason::NotFinite,
        () if gradient.is_none() => Reason::NoGradient,
        () if size == 0.0 => Reason::Constant,
        () if least > accepted * size => Reason::Noise,
        () if summary.error > accepted => Reason::Wrong,
        () => Reason::Agrees,
    };
    if reason == Reason::NoGradient {
        summary.slope = reference;
    }
    report.decide(reason);
    if reason == Reason::NotFinite {
        seen.said = Some(format!("the slope is {reference} by the complex step, {slope} by the gradient"));
    }
    let runs = options.search();
    if let (Reason::Wrong, Some(g), true, true) = (reason, gradient, options.product.is_none(), runs > 0) {
        stepped.end = runs as u64;
        let whole = (reference - slope, report.summary.uncertainty);
        let few = runs as usize;
        let (bad, more, all) = components::bisect(&mut stepped, x.len(), whole, few, accepted)?;
        let component = |(i, error): (usize, f64)| {
            let (g, d) = (g[i].widened(), d[i].widened());
            Component { index: i as i64, gradient: g, reference: g + error / d }
        };
        let found = Found { components: bad.into_iter().map(component).collect(), more, all };
        found.write(&mut report.summary, options.first_index);
        (seen.more_components, seen.all_components) = (more, all);
        report.summary.evaluations = stepped.evaluations as i64;
    }
    Ok(())
}
