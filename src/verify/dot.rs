//! The dot-product test: tangent and adjoint of one program are transposed, so ⟨tangent(d), w⟩ = ⟨d, adjoint(w)⟩ to
//! rounding. It compares every line of one with its counterpart in the other, and no differences are taken.

#![forbid(unsafe_code)]

use super::components::{Measure, bisect};
use super::explain;
use super::gradient::HIDDEN;
use super::options::{Product, TestOptions};
use super::real::Real;
use super::report::{NAMED, Reason, Report, Seen};
use super::vector::{dot, norm, random, scale, sum};
use crate::error::Error;
use crate::tape::with_thread_tape;
use std::ops::Range;

/// Computes a linear map: what goes in, what comes out, which is zero before.
pub(super) type Linear<'a, T> = &'a mut dyn FnMut(&[T], &mut [T]);

/// What a sum of many terms may lose where they are near the smallest number, in those.
const LOST: f64 = 1024.0;

/// A linear map that is counted.
struct Map<'a, T> {
    call: Linear<'a, T>,
    outputs: usize,
    runs: i64,
    /// What the calls left on the thread's tape, in bytes and control bits.
    left: (i64, i64),
}

impl<T: Real> Map<'_, T> {
    fn of(&mut self, input: &[T]) -> Result<Vec<T>, Error> {
        let size =
            || with_thread_tape(|tape| tape.stats()).map(|stats| (stats.bytes as i64, stats.pending_bits as i64));
        let mut output = vec![T::ZERO; self.outputs];
        let before = size()?;
        (self.call)(input, &mut output);
        let after = size()?;
        self.left = (self.left.0 + after.0 - before.0, self.left.1 + after.1 - before.1);
        self.runs += 1;
        Ok(output)
    }

    /// Whether twice the input gives twice the output, which in binary numbers is exact but for sums in another order.
    fn doubles(&mut self, input: &[T], output: &[T]) -> Result<bool, Error> {
        let twice: Vec<T> = input.iter().map(|x| T::nearest(2.0 * x.widened())).collect();
        let outputs = self.of(&twice)?;
        let largest = output.iter().fold(0.0_f64, |most, y| most.max(y.widened().abs()));
        let off = |(twice, once): (&T, &T)| (twice.widened() - 2.0 * once.widened()).abs();
        Ok(outputs.iter().zip(output).map(off).all(|off| off <= 1e4 * T::EPSILON * largest + LOST * T::LEAST))
    }
}

/// Errors of the products with only a part of the one map's input.
struct Parts<'p, 'm, 'c, T> {
    map: &'m mut Map<'c, T>,
    input: &'p [T],
    /// What its output is multiplied with.
    against: &'p [T],
    /// What the input is multiplied with on the other side.
    other: &'p [T],
    end: i64,
}

impl<T: Real> Measure for Parts<'_, '_, '_, T> {
    fn error(&mut self, part: Range<usize>) -> Result<Option<(f64, f64)>, Error> {
        let mut input = vec![T::ZERO; self.input.len()];
        input[part.clone()].copy_from_slice(&self.input[part]);
        let output = self.map.of(&input)?;
        let (here, there) = (dot(&mut None, &output, self.against), dot(&mut None, &input, self.other));
        let terms = output.iter().zip(self.against).chain(input.iter().zip(self.other));
        let size = sum(terms.map(|(a, b)| (a.widened() * b.widened()).abs()));
        let error = here - there;
        Ok(error.is_finite().then_some((error, 64.0 * T::EPSILON * size)))
    }

    fn left(&self) -> bool {
        self.map.runs < self.end
    }
}

/// Tests a tangent, of n directions to m results, and an adjoint, of m weights to n adjoints, against each other. Both get
/// results that are zero. Each is called twice, the second time with twice the input, which gives twice the result:
/// what is left of the first call is found so.
///
/// ```
/// use adtape::verify::{TestOptions, test_dot};
///
/// # fn main() -> Result<(), adtape::Error> {
/// // y = (x0 x1, x0) at x = (2, 3)
/// let mut tangent = |xd: &[f64], yd: &mut [f64]| yd.copy_from_slice(&[3.0 * xd[0] + 2.0 * xd[1], xd[0]]);
/// let mut adjoint = |yb: &[f64], xb: &mut [f64]| xb.copy_from_slice(&[3.0 * yb[0] + yb[1], 2.0 * yb[0]]);
/// let report = test_dot(&mut tangent, &mut adjoint, 2, 2, &mut TestOptions::default())?;
/// assert!(report.summary.passed && report.summary.error < 1e-15, "{report}");
/// # Ok(())
/// # }
/// ```
pub fn test_dot<T: Real>(
    tangent: Linear<'_, T>,
    adjoint: Linear<'_, T>,
    n: usize,
    m: usize,
    options: &mut TestOptions<'_, T>,
) -> Result<Report, Error> {
    options.check(n, m)?;
    let (mut report, mut seen) = (Report::default(), Seen::default());
    let values = |given: Option<&[T]>, count: usize, from: u64| match given {
        Some(given) => given.to_vec(),
        None => (0..count as u64).map(|i| T::nearest(random(from + i))).collect::<Vec<T>>(),
    };
    let (xd, yb) = (values(options.direction, n, 0), values(options.weights, m, 1 << 32));
    let mut tangent = Map { call: tangent, outputs: m, runs: 0, left: (0, 0) };
    let mut adjoint = Map { call: adjoint, outputs: n, runs: 0, left: (0, 0) };
    let reason = judge(&mut tangent, &mut adjoint, &xd, &yb, options, &mut report, &mut seen)?;
    report.decide(reason);
    if reason == Reason::Wrong && options.product.is_none() {
        search(&mut tangent, &mut adjoint, &xd, &yb, options, &mut report, &mut seen)?;
    }
    report.summary.evaluations = tangent.runs + adjoint.runs;
    explain::dot(&mut report, &seen, options.first_index);
    Ok(report)
}

fn judge<T: Real>(
    tangent: &mut Map<'_, T>,
    adjoint: &mut Map<'_, T>,
    xd: &[T],
    yb: &[T],
    options: &mut TestOptions<'_, T>,
    report: &mut Report,
    seen: &mut Seen,
) -> Result<Reason, Error> {
    let accepted = options.accepted(T::PRODUCT_TOLERANCE);
    let product: &mut Option<Product<'_, T>> = &mut options.product;
    if norm(product, xd) == 0.0 || norm(product, yb) == 0.0 {
        seen.said = Some("the direction or the weights are zero: all their components are".to_owned());
        return Ok(Reason::ZeroDirection);
    }
    let (yd, xb) = (tangent.of(xd)?, adjoint.of(yb)?);
    let (here, there) = (dot(product, &yd, yb), dot(product, xd, &xb));
    let size = here.abs().max(there.abs()).max(scale(product, &yd, yb)).max(scale(product, xd, &xb));
    let summary = &mut report.summary;
    (summary.reference, summary.slope) = (here, there);
    summary.error = if size > 0.0 { (here - there).abs() / size } else { 0.0 };
    if !(here.is_finite() && there.is_finite()) {
        seen.said = Some(format!("the products are not finite: tangent {here}, adjoint {there}"));
        return Ok(Reason::NotFinite);
    }
    for (what, (bytes, bits)) in [("tangent", tangent.left), ("adjoint", adjoint.left)] {
        if (bytes, bits) != (0, 0) {
            seen.said = Some(format!(
                "the {what} does not take off what it pushed: {bytes:+} bytes, {bits:+} control bits on the thread's \
                 tape after it"
            ));
            return Ok(Reason::TapeLeft);
        }
    }
    for (what, doubles) in [("tangent", tangent.doubles(xd, &yd)?), ("adjoint", adjoint.doubles(yb, &xb)?)] {
        if !doubles {
            seen.said = Some(format!(
                "the {what} is not linear: called again with twice its input it does not give twice its result; an \
                 adjoint that keeps its value from one call to the next is not set to zero, or it reads what it \
                 should not"
            ));
            return Ok(Reason::NotLinear);
        }
    }
    let least = LOST * T::LEAST;
    Ok(match () {
        () if size == 0.0 => Reason::Constant,
        () if least > HIDDEN * size => Reason::Noise,
        () if summary.error > accepted && (here - there).abs() > least => Reason::Wrong,
        () => Reason::Agrees,
    })
}

/// Which inputs, then which outputs, disagree.
fn search<T: Real>(
    tangent: &mut Map<'_, T>,
    adjoint: &mut Map<'_, T>,
    xd: &[T],
    yb: &[T],
    options: &TestOptions<'_, T>,
    report: &mut Report,
    seen: &mut Seen,
) -> Result<(), Error> {
    let runs = options.search() / 2;
    if runs == 0 {
        seen.more_components = true;
        return Ok(());
    }
    let accepted = options.accepted(T::PRODUCT_TOLERANCE).max(1e-6);
    let (yd, xb) = (tangent.of(xd)?, adjoint.of(yb)?);
    let error = report.summary.reference - report.summary.slope;
    let off = 64.0 * T::EPSILON * (error.abs() / report.summary.error.max(f64::MIN_POSITIVE));
    let end = tangent.runs + runs;
    let mut inputs = Parts { map: tangent, input: xd, against: yb, other: &xb, end };
    let (of_inputs, more_inputs, all) = bisect(&mut inputs, xd.len(), (error, off), runs as usize, accepted)?;
    let end = adjoint.runs + runs;
    let mut outputs = Parts { map: adjoint, input: yb, against: xd, other: &yd, end };
    let (of_outputs, more_outputs, _) = bisect(&mut outputs, yb.len(), (-error, off), runs as usize, accepted)?;
    let first = options.first_index;
    let half = |list: &[(usize, f64)], other: usize| list.len().min(NAMED - other.min(NAMED / 2));
    let kept = half(&of_inputs, of_outputs.len());
    let named = of_inputs.iter().take(kept).map(|(i, e)| (*i as i64 + first, xb[*i].widened(), e / xd[*i].widened()));
    let results = of_outputs.iter().map(|(i, e)| (-(*i as i64) - 1, yd[*i].widened(), e / yb[*i].widened()));
    let summary = &mut report.summary;
    for (i, (name, value, off)) in named.chain(results).take(NAMED).enumerate() {
        summary.component[i] = name;
        summary.component_gradient[i] = value;
        summary.component_reference[i] = value + off;
        summary.component_count = i as i64 + 1;
    }
    (seen.more_components, seen.all_components) = (more_inputs || more_outputs, all);
    Ok(())
}
