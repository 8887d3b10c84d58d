//! The test of a gradient: remainders to one side of x, and where they speak against it, what else there is to see.

#![forbid(unsafe_code)]

use super::components;
use super::options::TestOptions;
use super::probe::{Function, Probe, listened};
use super::real::Real;
use super::report::{Changed, Reason, Report, Seen};
use super::taylor::{Line, Series};
use super::vector::{direction, dot, norm, own_size, scale, sum};
use super::waypoints::{self, Ask, Passages, noted};
use crate::error::Error;
use crate::tape::branches::Branches;
use crate::tape::with_thread_tape;

/// Computes a gradient: the point, where the gradient goes.
pub type GradientCall<'a, T> = &'a mut dyn FnMut(&[T], &mut [T]);

/// The gradient that is tested.
#[derive(Default)]
pub enum Gradient<'a, T> {
    /// None: the test finds the slope by finite differences.
    #[default]
    None,
    /// At x.
    Array(&'a [T]),
    /// What computes it, both sweeps. The test calls it twice at x, and compares its branches where that helps.
    Call(GradientCall<'a, T>),
}

/// Noise must not hide an error of the slope of this size, relative, unless the program accepts a larger one.
pub(super) const HIDDEN: f64 = 5e-3;

/// What a test found.
pub(super) struct Examined<'t, 'a, T: Real> {
    pub report: Report,
    pub seen: Seen,
    /// The function, and the gradient with its waypoints; none where the test ended before it.
    pub tried: Option<(Probe<'t, T>, Option<GradientCall<'a, T>>, Passages)>,
}

/// The test itself, before anything is said or searched by waypoints.
pub(super) fn examine<'t, 'a, T: Real>(
    f: Function<'t, T>,
    gradient: Gradient<'a, T>,
    x: &'t [T],
    options: &mut TestOptions<'_, T>,
) -> Result<Examined<'t, 'a, T>, Error> {
    options.check(x.len(), 0)?;
    let (mut report, mut seen) = (Report::default(), Seen::default());
    let (mut call, mut array, mut passages) = (None, None, Passages::default());
    match gradient {
        Gradient::None => {}
        Gradient::Array(given) => array = Some(given.to_vec()),
        Gradient::Call(given) => call = Some(given),
    }
    if array.as_ref().is_some_and(|given| given.len() != x.len()) {
        return Err(Error::new(
            crate::error::Status::BadArgument,
            format!("a gradient of {} values for {} values of x", array.map_or(0, |given| given.len()), x.len()),
        ));
    }
    if let Some(call) = &mut call {
        match computed(*call, x, options.first_index)? {
            Ok((values, passed)) => (array, passages) = (Some(values), passed),
            Err(wrong) => {
                report.decide(wrong.reason);
                (seen.said, seen.waypoints) = (Some(wrong.said), wrong.waypoints);
                return Ok(Examined { report, seen, tried: None });
            }
        }
    }
    let probe = Probe::new(f, x)?;
    let mut test = Test { probe, options, call, report: &mut report, seen: &mut seen };
    test.run(array.as_deref())?;
    let scale = test.probe.scale();
    if scale != 1.0 {
        test.report.unscale(scale);
        test.seen.sides = test.seen.sides.map(|(left, right)| (left / scale, right / scale));
        test.probe.unscale();
    }
    let tried = Some((test.probe, test.call, passages));
    Ok(Examined { report, seen, tried })
}

/// What is wrong with two calls of a gradient.
pub(super) struct Unusable {
    pub reason: Reason,
    pub said: String,
    /// What waypoints say of it.
    pub waypoints: Vec<String>,
}

/// The gradient from two calls with the waypoints of the first, or what is wrong with them.
pub(super) type Computed<T> = Result<(Vec<T>, Passages), Unusable>;

pub(super) fn computed<T: Real>(
    call: &mut dyn FnMut(&[T], &mut [T]),
    x: &[T],
    first_index: i64,
) -> Result<Computed<T>, Error> {
    let size = || with_thread_tape(|tape| tape.stats()).map(|stats| (stats.bytes as i64, stats.pending_bits as i64));
    let before = size()?;
    let mut twice = [vec![T::ZERO; x.len()], vec![T::ZERO; x.len()]];
    let mut passed = Vec::new();
    for values in &mut twice {
        passed.push(noted(Ask::Nothing, || call(x, values)).0);
        let after = size()?;
        if after != before {
            let (bytes, bits) = (after.0 - before.0, after.1 - before.1);
            let more = bytes > 0 || bits > 0;
            let left = if more { with_thread_tape(|tape| tape.left())? } else { None };
            let find = match left {
                Some(left) => left,
                None => "run with ADTAPE_CHECK=1 to see which push and which pop do not match".to_owned(),
            };
            let said = format!(
                "the gradient's reverse sweep does not take off what its forward sweep pushed: {bytes:+} bytes, {bits:+} \
                 control bits on the thread's tape after it\n  {find}"
            );
            return Ok(Err(Unusable { reason: Reason::TapeLeft, said, waypoints: Vec::new() }));
        }
    }
    let [first, second] = twice;
    if let Some(i) = first.iter().zip(&second).position(|(a, b)| a.pattern() != b.pattern()) {
        let (a, b) = (first[i].widened(), second[i].widened());
        // Sums in another order, of threads, differ by rounding.
        let largest = first.iter().fold(0.0_f64, |most, g| most.max(g.widened().abs()));
        let worst = first.iter().zip(&second).map(|(a, b)| (a.widened() - b.widened()).abs()).fold(0.0, f64::max);
        if worst.is_nan() || worst > 1e4 * T::EPSILON * largest {
            let said = format!(
                "a second call of the gradient at the same x gave another result: component {} is {a:e}, then {b:e}; \
                 an adjoint that keeps its value from one call to the next is not set to zero, or x is changed",
                i as i64 + first_index
            );
            let waypoints = waypoints::first_difference(&passed[0], &passed[1]).into_iter().collect();
            return Ok(Err(Unusable { reason: Reason::NotRepeatable, said, waypoints }));
        }
    }
    Ok(Ok((first, passed.swap_remove(0))))
}

struct Test<'t, 'a, 'r, 'o, T: Real> {
    probe: Probe<'t, T>,
    options: &'r mut TestOptions<'o, T>,
    call: Option<GradientCall<'a, T>>,
    report: &'r mut Report,
    seen: &'r mut Seen,
}

impl<T: Real> Test<'_, '_, '_, '_, T> {
    fn fail(&mut self, reason: Reason, said: String) -> Result<(), Error> {
        self.report.decide(reason);
        self.seen.said = Some(said);
        Ok(())
    }

    fn run(&mut self, gradient: Option<&[T]>) -> Result<(), Error> {
        if !self.probe.value.is_finite() {
            let said = format!("the function is {} at x", self.probe.value);
            return self.fail(Reason::NotFinite, said);
        }
        let d = direction(self.probe.x, self.options);
        let length = norm(&mut self.options.product, &d);
        if length == 0.0 {
            return self.fail(Reason::ZeroDirection, "the direction is zero: all its components are".to_owned());
        }
        let (mut slope, mut typical, mut magnitude) = (0.0, 0.0, 0.0);
        if let Some(gradient) = gradient {
            slope = dot(&mut self.options.product, gradient, &d);
            typical = scale(&mut self.options.product, gradient, &d);
            let term = |(g, d): (&T, &T)| g.widened().abs().max(f64::MIN_POSITIVE) * d.widened().abs();
            magnitude = sum(gradient.iter().zip(&d).map(term)).max(typical);
        }
        if ![slope, typical, length].iter().all(|x| x.is_finite()) {
            let bad = gradient.and_then(|g| g.iter().position(|g| !g.widened().is_finite()));
            let said = match bad {
                Some(i) => format!("component {} of the gradient is not finite", i as i64 + self.options.first_index),
                None => "the direction, or the gradient along it, is not finite".to_owned(),
            };
            return self.fail(Reason::NotFinite, said);
        }
        let unit = own_size(self.probe.x, &d, self.options);
        let first = if self.options.first_step > 0.0 { self.options.first_step } else { unit / 16.0 };
        self.probe.rescale(slope.abs().max(typical) * first);
        let (slope, typical, magnitude) = [slope, typical, magnitude].map(|x| x * self.probe.scale()).into();
        self.probe.measure_noise(&d, unit)?;
        let line = Line { gradient, direction: &d, magnitude };
        let most = self.options.most_steps();
        let right = Series::run(&mut self.probe, &line, &mut self.options.product, first, most)?;
        if right.steps.is_empty() {
            let said = format!("the function is not finite at any step of the direction, from {first:.1e} down");
            return self.fail(Reason::NotFinite, said);
        }
        // All that follows takes f for a function: a value that drifts from call to call is none.
        let (before, again) = (self.probe.value, self.probe.again()?);
        let off = (again - before).abs();
        if off.is_nan() || off > 1e3 * T::EPSILON * before.abs() && off > 64.0 * self.probe.noise {
            let [before, again] = [before, again].map(|value| value / self.probe.scale());
            let said =
                format!("a second call of the function at the same x gave another result: {before:e}, then {again:e}");
            return self.fail(Reason::NotRepeatable, said);
        }
        let summary = &mut self.report.summary;
        (summary.noise, summary.slope) = (self.probe.noise, slope);
        summary.step = right.clear().last().map_or(0.0, |step| step.h);
        (summary.reference, summary.uncertainty) = (slope + right.error, right.uncertainty);
        self.report.steps = right.steps.clone();
        if gradient.is_none() {
            summary.slope = summary.reference;
            self.report.decide(Reason::NoGradient);
            return Ok(());
        }
        self.judge(&line, &right, typical)
    }

    /// The verdict.
    fn judge(&mut self, line: &Line<'_, T>, right: &Series, typical: f64) -> Result<(), Error> {
        let (slope, first) = (self.report.summary.slope, right.steps[0].h);
        let bend = right.steps[0].remainder.abs() / first;
        let size = slope.abs().max((slope + right.error).abs()).max(typical);
        let nothing = size * first <= 1e-3 * right.floor || size == 0.0;
        let any_clear = right.clear().next().is_some();
        if !any_clear && nothing && typical == 0.0 {
            self.report.decide(Reason::Constant);
            return Ok(());
        }
        let accepted = self.options.accepted(T::GRADIENT_TOLERANCE);
        let against = size.max(bend);
        let wrong =
            |series: &Series| series.error.abs() > 3.0 * series.uncertainty && series.error.abs() > accepted * against;
        self.report.summary.error = if against > 0.0 { right.error.abs() / against } else { 0.0 };
        self.report.summary.order = right.middle_order();
        let hidden = 3.0 * right.uncertainty > accepted.max(HIDDEN) * against;
        let mut reason = match (wrong(right), hidden) {
            (true, _) => Reason::Wrong,
            (_, true) => Reason::Noise,
            _ if any_clear => Reason::Agrees,
            _ => Reason::Linear,
        };
        if reason == Reason::Wrong {
            self.report.summary.order = right.orders().next_back().unwrap_or(1.0);
        }
        let suspect = !reason.passed() || self.other_side_differs(line, right)?;
        if suspect {
            let most = self.options.most_steps();
            let left = Series::run(&mut self.probe, line, &mut self.options.product, -first, most)?;
            let apart = (right.error - left.error).abs();
            let sure = 3.0 * (right.uncertainty + left.uncertainty);
            if !left.steps.is_empty() && apart > sure && apart > accepted * against {
                self.seen.sides = Some((slope + left.error, slope + right.error));
                let within = left.error.min(right.error) - sure <= 0.0 && left.error.max(right.error) + sure >= 0.0;
                reason = if within { Reason::Kink } else { reason };
            }
        }
        self.look_for_branches(line.direction, right, reason)?;
        if reason == Reason::Noise && self.seen.changed.is_some() {
            reason = Reason::Branch;
        }
        self.report.decide(reason);
        if reason == Reason::Wrong && self.options.product.is_none() {
            let found = components::search(&mut self.probe, line, self.options, first)?;
            found.write(&mut self.report.summary, self.options.first_index);
            (self.seen.more_components, self.seen.all_components) = (found.more, found.all);
        }
        Ok(())
    }

    /// Whether the remainder on the other side of x, at a step in the middle, is of another size.
    fn other_side_differs(&mut self, line: &Line<'_, T>, right: &Series) -> Result<bool, Error> {
        let clear: Vec<_> = right.clear().collect();
        let Some(step) = clear.get(clear.len() / 2).copied().or(right.steps.first()) else { return Ok(false) };
        let one = Series::run(&mut self.probe, line, &mut self.options.product, -step.h, 1)?;
        let Some(other) = one.steps.first() else { return Ok(false) };
        Ok(other.clear && other.remainder.abs() > 8.0 * step.remainder.abs().max(one.floor / 8.0))
    }

    /// Compares the branches of neighbours between which the remainder does not fall as it should, and of x and the
    /// smallest step that is clear.
    fn look_for_branches(&mut self, d: &[T], right: &Series, reason: Reason) -> Result<(), Error> {
        let pairs = right.steps.windows(2).rev();
        let mut wanted: Vec<(f64, f64)> =
            pairs.filter(|pair| pair[1].is_uneven()).map(|pair| (pair[0].h, pair[1].h)).collect();
        wanted.truncate(3);
        if !reason.passed() {
            wanted.insert(0, (self.report.summary.step.max(right.steps[right.steps.len() - 1].h), 0.0));
        }
        for between in wanted {
            let far = self.branches(d, between.0)?;
            let near = self.branches(d, between.1)?;
            if let Some(what) = near.first_difference(&far) {
                self.report.summary.branch_step = between.1;
                self.report.summary.branch_position = what.position as i64;
                self.seen.changed = Some(Changed { between, what });
                return Ok(());
            }
        }
        Ok(())
    }

    /// The branches of the function, or, if it pushes none, of the gradient's forward sweep.
    fn branches(&mut self, d: &[T], h: f64) -> Result<Branches, Error> {
        let heard = self.probe.branches(d, h)?;
        let Some(call) = self.call.as_mut().filter(|_| heard.count() == 0) else { return Ok(heard) };
        let point = self.probe.go(d, h);
        let mut unused = vec![T::ZERO; point.len()];
        listened(|| {
            call(point, &mut unused);
            Ok(())
        })
        .map(|(heard, ())| heard)
    }
}
