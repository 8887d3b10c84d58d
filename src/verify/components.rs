//! Which components of a wrong gradient disagree: each of a few; of many, halves of the direction, from the one that
//! disagrees most. The errors of two halves add up to that of the whole, so one of them is measured.

#![forbid(unsafe_code)]

use super::options::TestOptions;
use super::probe::Probe;
use super::real::Real;
use super::report::{NAMED, Summary};
use super::taylor::{Line, Series};
use crate::error::Error;
use std::ops::Range;

/// Steps of a component's series.
const STEPS: usize = 6;

/// A component that disagrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    pub index: i64,
    pub gradient: f64,
    pub reference: f64,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub components: Vec<Component>,
    /// There may be more.
    pub more: bool,
    /// All that were tried disagree.
    pub all: bool,
}

impl Found {
    /// The components as a summary has them, the worst first.
    pub fn write(&self, summary: &mut Summary, first_index: i64) {
        let mut worst = self.components.clone();
        worst.sort_by(|a, b| (b.gradient - b.reference).abs().total_cmp(&(a.gradient - a.reference).abs()));
        summary.component_count = worst.len().min(NAMED) as i64;
        for (i, component) in worst.iter().take(NAMED).enumerate() {
            summary.component[i] = component.index + first_index;
            summary.component_gradient[i] = component.gradient;
            summary.component_reference[i] = component.reference;
        }
    }
}

/// Measures errors of the slope along parts of a direction.
pub(super) trait Measure {
    /// The error along the components of a range, and how far it may be off; None where nothing can be said.
    fn error(&mut self, part: Range<usize>) -> Result<Option<(f64, f64)>, Error>;
    /// Runs that are left.
    fn left(&self) -> bool;
}

/// Components with their errors; whether there may be more; whether all disagree.
type Bisected = (Vec<(usize, f64)>, bool, bool);

/// Components with an error above `accepted` of the largest that is known: all of a few, the worst ones of many.
pub(super) fn bisect(
    measure: &mut dyn Measure,
    n: usize,
    whole: (f64, f64),
    few: usize,
    accepted: f64,
) -> Result<Bisected, Error> {
    let (mut found, mut largest) = (Vec::new(), 0.0_f64);
    if n <= few {
        let mut errors = Vec::new();
        for i in 0..n {
            if let Some((error, off)) = measure.error(i..i + 1)? {
                largest = largest.max(error.abs());
                errors.push((i, error, off));
            }
        }
        let bad = errors.iter().filter(|(_, error, off)| error.abs() > 3.0 * off && error.abs() > accepted * largest);
        found.extend(bad.map(|(i, error, _)| (*i, *error)));
        let all = found.len() == n && n > 1;
        let more = found.len() > NAMED;
        return Ok((found, more, all));
    }
    let mut parts = vec![(0..n, whole)];
    while found.len() < NAMED && measure.left() {
        let worst = (0..parts.len()).max_by(|a, b| parts[*a].1.0.abs().total_cmp(&parts[*b].1.0.abs()));
        let Some((part, (error, off))) = worst.map(|i| parts.swap_remove(i)) else { break };
        largest = largest.max(error.abs());
        if error.abs() <= 3.0 * off || error.abs() <= accepted * largest {
            return Ok((found, false, false));
        }
        if part.len() == 1 {
            found.push((part.start, error));
            continue;
        }
        let middle = part.start + part.len() / 2;
        let (lower, upper) = (part.start..middle, middle..part.end);
        if let Some((half, half_off)) = measure.error(lower.clone())? {
            parts.push((lower, (half, half_off)));
            parts.push((upper, (error - half, off + half_off)));
        }
    }
    let more = !parts.is_empty();
    Ok((found, more, false))
}

struct Slopes<'s, 'a, 'l, T: Real> {
    probe: &'s mut Probe<'a, T>,
    line: &'s Line<'l, T>,
    first: f64,
    end: u64,
}

impl<T: Real> Measure for Slopes<'_, '_, '_, T> {
    fn error(&mut self, part: Range<usize>) -> Result<Option<(f64, f64)>, Error> {
        let mut direction = vec![T::ZERO; self.probe.x.len()];
        direction[part.clone()].copy_from_slice(&self.line.direction[part]);
        let line = Line { gradient: self.line.gradient, direction: &direction, magnitude: self.line.magnitude };
        let series = Series::run(self.probe, &line, &mut None, self.first, STEPS)?;
        Ok((!series.steps.is_empty()).then_some((series.error, series.uncertainty)))
    }

    fn left(&self) -> bool {
        self.probe.evaluations + STEPS as u64 <= self.end
    }
}

/// Searches along the test's direction.
pub(super) fn search<T: Real>(
    probe: &mut Probe<'_, T>,
    line: &Line<'_, T>,
    options: &TestOptions<'_, T>,
    first: f64,
) -> Result<Found, Error> {
    let (Some(gradient), runs) = (line.gradient, options.search() as u64) else { return Ok(Found::default()) };
    if runs == 0 {
        return Ok(Found { more: true, ..Found::default() });
    }
    let (n, end) = (probe.x.len(), probe.evaluations + runs);
    let mut slopes = Slopes { probe, line, first: first / 4.0, end };
    let Some(whole) = slopes.error(0..n)? else { return Ok(Found { more: true, ..Found::default() }) };
    let accepted = options.accepted(T::GRADIENT_TOLERANCE).max(1e-6);
    let (bad, more, all) = bisect(&mut slopes, n, whole, (runs as usize / STEPS).min(64), accepted)?;
    let scale = slopes.probe.scale();
    let component = |(i, error): (usize, f64)| {
        let (g, d) = (gradient[i].widened(), line.direction[i].widened());
        Component { index: i as i64, gradient: g, reference: g + error / scale / d }
    };
    Ok(Found { components: bad.into_iter().map(component).collect(), more, all })
}
