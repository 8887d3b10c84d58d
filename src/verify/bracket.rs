//! Where a gradient goes wrong: the two waypoints of the reverse sweep between which the adjoint of a variable becomes
//! wrong.
//!
//! The adjoint at a waypoint is a gradient: that of the function behind this waypoint, with respect to the variable
//! there. So it is tested as one, by runs of the function that put other values into the variable. A search by halves
//! finds the first that is wrong.
//!
//! ```text
//!   forward   x ── w0 ── w1 ── w2 ── w3 ── f      the function runs from the start; values change at one waypoint
//!   reverse   g ── w0 ── w1 ── w2 ── w3 ── 1
//!                wrong  wrong  right  right
//!                         └── here ──┘
//! ```

#![forbid(unsafe_code)]

use super::gradient::{Gradient, GradientCall, examine};
use super::options::TestOptions;
use super::probe::Probe;
use super::real::Real;
use super::report::{Reason, Report};
use super::waypoints::{Ask, Passage, Passages, Values, noted};
use crate::error::Error;
use std::collections::BTreeMap;

/// Evaluations of one test, at the least.
const A_TEST: u64 = 24;
/// Evaluations for the components at the waypoint that is wrong.
const FOR_COMPONENTS: i64 = 200;

/// The waypoint of the same variable before the first that is wrong.
#[derive(Clone, Copy)]
enum Before {
    /// There is none.
    Nothing,
    Right(usize),
    /// No runs are left, or noise and kinks hide it.
    Unknown(usize),
}

struct Search<'s, 'p, 'c, T: Real> {
    probe: &'s mut Probe<'p, T>,
    call: GradientCall<'c, T>,
    tolerance: f64,
    steps: i32,
    first_index: i64,
    /// Waypoints of the function.
    function: Passages,
    /// Waypoints of the gradient.
    gradient: Passages,
    /// Whether the adjoint at a waypoint of the reverse sweep is wrong, for those that were tested.
    known: BTreeMap<usize, bool>,
    /// A waypoint of the function whose variable is of no consequence there.
    without_effect: Option<usize>,
    end: u64,
}

/// What a search says, line by line.
pub(super) fn search<T: Real>(
    probe: &mut Probe<'_, T>,
    call: GradientCall<'_, T>,
    gradient: Passages,
    options: &TestOptions<'_, T>,
) -> Result<Vec<String>, Error> {
    if gradient.reverse.is_empty() {
        let hint = "waypoints in both sweeps would say between which lines it goes wrong (docs/derivative-tests.md)";
        return Ok(vec![hint.to_owned()]);
    }
    let (function, value) = noted(Ask::Nothing, || probe.again());
    value?;
    if function.forward.is_empty() {
        let said = format!(
            "the gradient's reverse sweep passes {} waypoints, the function passes none: they do not help so",
            gradient.reverse.len()
        );
        return Ok(vec![said]);
    }
    let end = probe.evaluations + options.search() as u64;
    let (tolerance, steps, first_index) = (options.tolerance, options.steps, options.first_index);
    let (known, without_effect) = (BTreeMap::new(), None);
    Search { probe, call, tolerance, steps, first_index, function, gradient, known, without_effect, end }.run()
}

impl<T: Real> Search<'_, '_, '_, T> {
    fn run(mut self) -> Result<Vec<String>, Error> {
        let mut said = Vec::new();
        let mirrored = self.mirrored();
        if mirrored < self.gradient.reverse.len() || mirrored < self.function.forward.len() {
            said.push(self.not_mirrored(mirrored));
        }
        let Some(mut wrong) = self.first_wrong(mirrored)? else {
            if mirrored > 0 && self.known.get(&(mirrored - 1)) == Some(&false) {
                let last = self.named(mirrored - 1);
                said.push(format!("the adjoint is right up to the waypoint at {last}: it goes wrong behind it"));
            }
            return Ok(said);
        };
        let mut before = Before::Nothing;
        while let Some(at) = self.same_variable_before(wrong) {
            match self.is_wrong(at)? {
                Some(true) => wrong = at,
                Some(false) => {
                    before = Before::Right(at);
                    break;
                }
                None => {
                    before = Before::Unknown(at);
                    break;
                }
            }
        }
        self.say(wrong, before, &mut said)?;
        Ok(said)
    }

    /// Number of the function's waypoint that a waypoint of the reverse sweep belongs to.
    fn forward_of(&self, reverse: usize) -> Option<usize> {
        self.function.forward.len().checked_sub(reverse + 1)
    }

    /// How many waypoints of the reverse sweep, from its first on, mirror those of the function.
    fn mirrored(&self) -> usize {
        let mirrors = |reverse: &usize| {
            self.forward_of(*reverse).is_some_and(|at| self.function.mirrors(at, &self.gradient, *reverse))
        };
        (0..self.gradient.reverse.len()).take_while(mirrors).count()
    }

    fn not_mirrored(&self, at: usize) -> String {
        let forward = self.forward_of(at).map(|at| (self.function.forward[at], &self.function));
        let reverse = self.gradient.reverse.get(at).map(|passage| (*passage, &self.gradient));
        let said = |of: Option<(Passage, &Passages)>| match of {
            Some((passage, run)) => {
                format!("'{}' of {} values at {}", run.names[passage.name], passage.count, passage.site)
            }
            None => "none".to_owned(),
        };
        format!(
            "waypoints do not mirror each other: behind {at} that do, the reverse sweep comes to {}; the forward sweep has \
             {} there",
            said(reverse),
            said(forward)
        )
    }

    fn named(&self, reverse: usize) -> String {
        let passage = self.gradient.reverse[reverse];
        let (name, of) = (&self.gradient.names[passage.name], self.gradient.reverse.len());
        format!("{}, '{name}', number {} of {of}", passage.site, reverse + 1)
    }

    fn same_variable_before(&self, reverse: usize) -> Option<usize> {
        let (all, this) = (&self.gradient.reverse, self.gradient.reverse[reverse]);
        (0..reverse).rev().find(|at| (all[*at].name, all[*at].count) == (this.name, this.count))
    }

    /// The first waypoint of the reverse sweep whose adjoint is wrong. Once wrong, an adjoint is taken to stay wrong:
    /// those of one line are searched by halves.
    fn first_wrong(&mut self, mirrored: usize) -> Result<Option<usize>, Error> {
        let mut lines = BTreeMap::<(usize, usize), Vec<usize>>::new();
        for (at, passage) in self.gradient.reverse[..mirrored].iter().enumerate() {
            lines.entry((passage.site.address(), passage.name)).or_default().push(at);
        }
        let mut lines: Vec<Vec<usize>> = lines.into_values().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.last().copied()));
        let mut first = None;
        for mut line in lines {
            line.retain(|at| first.is_none_or(|first| *at < first));
            let Some(last) = line.last().copied() else { continue };
            if self.is_wrong(last)? != Some(true) {
                continue;
            }
            // line[high] is wrong; whatever is below low is not.
            let (mut low, mut high) = (0, line.len() - 1);
            while low < high {
                let middle = low + (high - low) / 2;
                match self.is_wrong(line[middle])? {
                    Some(true) => high = middle,
                    _ => low = middle + 1,
                }
            }
            first = Some(line[high]);
        }
        Ok(first)
    }

    /// Whether the adjoint at a waypoint is wrong; None where nothing can be said.
    fn is_wrong(&mut self, reverse: usize) -> Result<Option<bool>, Error> {
        if let Some(known) = self.known.get(&reverse) {
            return Ok(Some(*known));
        }
        if self.probe.evaluations + A_TEST > self.end {
            return Ok(None);
        }
        let (report, _) = self.tested(reverse, -1)?;
        let wrong = match report.reason() {
            Reason::Wrong => true,
            reason if reason.passed() => false,
            _ => return Ok(None),
        };
        self.known.insert(reverse, wrong);
        Ok(Some(wrong))
    }

    /// The test of the adjoint at a waypoint, and the values there.
    fn tested(&mut self, reverse: usize, runs: i64) -> Result<(Report, Values), Error> {
        let mut unused = vec![T::ZERO; self.probe.x.len()];
        let (run, ()) = noted(Ask::KeepReverse(reverse), || (self.call)(self.probe.x, &mut unused));
        let values = run.kept.unwrap_or_default();
        let report = if self.gradient.reverse[reverse].single {
            self.tested_as::<f32>(reverse, &values, runs)?
        } else {
            self.tested_as::<f64>(reverse, &values, runs)?
        };
        Ok((report, values))
    }

    fn tested_as<U: Real>(&mut self, reverse: usize, values: &Values, runs: i64) -> Result<Report, Error> {
        let given = |values: &[f64]| values.iter().map(|value| U::nearest(*value)).collect::<Vec<U>>();
        let forward = self.forward_of(reverse).unwrap_or(0);
        let kept = self.kept_forward(forward)?;
        let (x, adjoint) = (given(&kept.x), given(&values.adjoint));
        let mut options = TestOptions {
            direction: None,
            weights: None,
            product: None,
            first_step: 0.0,
            tolerance: self.tolerance,
            steps: self.steps,
            search_runs: runs,
            first_index: self.first_index,
            plot: None,
        };
        let probe = &mut *self.probe;
        let (at_x, mut has_effect) = (probe.value, false);
        let mut function = |point: &[U]| {
            let put = point.iter().map(|value| value.widened()).collect();
            let (_, value) = noted(Ask::Put(forward, put), || probe.again());
            let value = value.unwrap_or(f64::NAN);
            has_effect |= value != at_x;
            value
        };
        let report = examine(&mut function, Gradient::Array(&adjoint), &x, &mut options)?.report;
        if !has_effect && adjoint.iter().any(|adjoint| *adjoint != U::ZERO) {
            self.without_effect = Some(forward);
        }
        Ok(report)
    }

    /// The variable at a waypoint of the function.
    fn kept_forward(&mut self, forward: usize) -> Result<Values, Error> {
        let (run, value) = noted(Ask::KeepForward(forward), || self.probe.again());
        value?;
        Ok(run.kept.unwrap_or_default())
    }

    fn say(&mut self, wrong: usize, before: Before, said: &mut Vec<String>) -> Result<(), Error> {
        let (report, values) = self.tested(wrong, FOR_COMPONENTS)?;
        let summary = &report.summary;
        match before {
            Before::Right(right) => {
                said.push("the adjoint goes wrong between two waypoints of the reverse sweep:".to_owned());
                said.push(format!("  right at {}", self.named(right)));
            }
            Before::Unknown(at) => {
                said.push("the adjoint is wrong at a waypoint; where it becomes so is not known:".to_owned());
                said.push(format!(
                    "  nothing can be said at {}: larger search_runs may help, or a function with less noise and fewer kinks",
                    self.named(at)
                ));
            }
            Before::Nothing => {
                let name = &self.gradient.names[self.gradient.reverse[wrong].name];
                said.push(format!(
                    "the adjoint is wrong at the first waypoint of '{name}' in the reverse sweep already: see the seed, and \
                     what stands before"
                ));
            }
        }
        said.push(format!("  wrong at {}", self.named(wrong)));
        if summary.component_count > 0 {
            said.push(format!(
                "    component {} of its adjoint is {:.6e}, the function has {:.6e}",
                summary.component[0], summary.component_gradient[0], summary.component_reference[0]
            ));
        }
        let forward = |at: usize| self.forward_of(at).map(|at| self.function.forward[at].site.to_string());
        let right = if let Before::Right(right) = before { Some(right) } else { None };
        match (forward(wrong), right.and_then(forward)) {
            (Some(from), Some(to)) => said.push(format!("  the forward sweep passed them at {from} and then {to}")),
            (Some(from), None) => said.push(format!("  the forward sweep passed it at {from}")),
            _ => {}
        }
        if let Some(line) = self.not_restored(wrong, &values)? {
            said.push(line);
        }
        if let Some(passed) = self.without_effect.map(|at| self.function.forward[at]) {
            said.push(format!(
                "  but the function stays the same whatever '{}' is at {}: pass the variable itself, not a copy; or its \
                 adjoint there is zero",
                self.function.names[passed.name], passed.site
            ));
        } else if right.is_some() {
            said.push(
                "  the mistake is between these lines, or in the adjoint of a variable that no waypoint passes"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Whether the variable itself is another one than in the forward sweep. Rounding is none: the function may be
    /// another program than the forward sweep.
    fn not_restored(&mut self, reverse: usize, values: &Values) -> Result<Option<String>, Error> {
        let Some(forward) = self.forward_of(reverse) else { return Ok(None) };
        let passed = self.gradient.reverse[reverse];
        if self.function.forward[forward].of_x == passed.of_x {
            return Ok(None);
        }
        let before = self.kept_forward(forward)?.x;
        let largest = before.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let rounding = 1e4 * if passed.single { f32::EPSILON.into() } else { f64::EPSILON } * largest;
        let apart = |(a, b): (&f64, &f64)| (a - b).abs();
        let worst = (0..before.len())
            .max_by(|a, b| apart((&before[*a], &values.x[*a])).total_cmp(&apart((&before[*b], &values.x[*b]))));
        let within = |at: usize| apart((&before[at], &values.x[at])) <= rounding;
        let found = worst.filter(|at| !within(*at));
        Ok(found.map(|at| {
            format!(
                "  '{}' itself is not what it was there in the forward sweep: component {} was {:e}, and is {:e}",
                self.gradient.names[passed.name],
                at as i64 + self.first_index,
                before[at],
                values.x[at]
            )
        }))
    }
}
