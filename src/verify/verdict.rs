//! The test of a gradient as programs call it: the verdict, the line where waypoints lead to one, the text, the picture.

#![forbid(unsafe_code)]

use super::bracket;
use super::explain;
use super::gradient::{Examined, Gradient, examine};
use super::options::TestOptions;
use super::plot;
use super::probe::Function;
use super::real::Real;
use super::report::{Reason, Report};
use crate::error::Error;

/// Tests a gradient. The report says the verdict; an error says that no test was possible.
///
/// `f` may be the function itself, or a forward sweep on the thread's tape, which is left as it was. The remainders of
/// steps h along a direction fall with h² if the gradient is right. Rounding is no part of the verdict: the noise of f is
/// measured first. A gradient that fails is compared component by component; a large one by halves, from the half that
/// disagrees most. Where both sweeps pass waypoints ([`waypoint_forward`](super::waypoint_forward)), the text names the
/// two between which the adjoint becomes wrong.
///
/// Cost: about 20 evaluations of f; of a gradient that fails up to [`TestOptions::search_runs`] more, and as many once
/// more with waypoints.
pub fn test_gradient<T: Real>(
    f: Function<'_, T>,
    gradient: Gradient<'_, T>,
    x: &[T],
    options: &mut TestOptions<'_, T>,
) -> Result<Report, Error> {
    let Examined { mut report, mut seen, tried } = examine(f, gradient, x, options)?;
    if let Some((mut probe, call, passages)) = tried {
        let searched = report.reason() == Reason::Wrong && options.product.is_none() && options.search() > 0;
        if let Some(call) = call.filter(|_| searched) {
            seen.waypoints = bracket::search(&mut probe, call, passages, options)?;
        }
        report.summary.evaluations = probe.evaluations as i64;
    }
    explain::gradient(&mut report, &seen, options.first_index);
    plot::write(&report, options.plot)?;
    Ok(report)
}
