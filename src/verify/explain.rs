//! What is said of a test: the verdict in a line, how it came about, where to look.

#![forbid(unsafe_code)]

use super::report::{Reason, Report, Seen, Step, Summary};
use std::fmt::Write;

/// Writing to a String cannot fail.
macro_rules! line {
    ($text:expr, $($what:tt)*) => {{ let _ = writeln!($text, $($what)*); }};
}

fn verdict(reason: Reason) -> &'static str {
    match reason {
        Reason::Agrees => "passed",
        Reason::Linear => {
            "passed: the remainder is rounding from the first step on; along the direction the function is linear"
        }
        Reason::Constant => "passed: neither the function nor the gradient has a part in the direction",
        Reason::NoGradient => "no gradient was given; this is the slope",
        Reason::Wrong => "FAILED: the gradient is wrong",
        Reason::Kink => "FAILED: the function has a kink at x",
        Reason::Branch => "FAILED: branches change down to steps where all is rounding",
        Reason::Noise => "FAILED: rounding hides what should be seen",
        Reason::NotFinite => "FAILED: not a number",
        Reason::NotRepeatable => "FAILED: a second call gave another result",
        Reason::TapeLeft => "FAILED: the tape is not as before",
        Reason::ZeroDirection => "FAILED: the direction is zero",
        Reason::NotLinear => "FAILED: not linear",
    }
}

fn begin(report: &mut Report, test: &str, seen: &Seen) -> String {
    let reason = report.reason();
    let mut text = format!("adtape: {test}: {}\n", verdict(reason));
    if let Some(said) = &seen.said {
        line!(text, "  {said}");
        waypoints(&mut text, seen);
    }
    text
}

fn waypoints(text: &mut String, seen: &Seen) {
    seen.waypoints.iter().for_each(|said| line!(text, "  {said}"));
}

/// The text of a gradient's test.
pub(super) fn gradient(report: &mut Report, seen: &Seen, first_index: i64) {
    let mut text = begin(report, "derivative test", seen);
    let (summary, reason) = (report.summary, report.reason());
    if seen.said.is_none() {
        orders(&mut text, report, reason);
        match reason {
            Reason::NoGradient => {
                line!(text, "  slope {:.12e} by differences, +- {:.1e}", summary.reference, summary.uncertainty)
            }
            Reason::Constant => {}
            _ => slopes(&mut text, &summary, "differences"),
        }
        if let Some((left, right)) = seen.sides {
            line!(
                text,
                "  the function's slope is {left:.6e} on one side of x, {right:.6e} on the other, in the direction"
            );
            line!(text, "  a branch (abs, max, min, if) decides at x itself: test at another x, or choose a side");
        }
        if let Some(changed) = &seen.changed {
            let near = if changed.between.1 == 0.0 { "x".to_owned() } else { format!("h = {:.1e}", changed.between.1) };
            let what = &changed.what;
            line!(
                text,
                "  a branch changes between h = {:.1e} and {near}: {} ({}; {} branches before it are equal)",
                changed.between.0,
                what.site,
                what.said,
                what.position
            );
        } else if reason.passed() && report.steps.iter().any(Step::is_uneven) {
            line!(
                text,
                "  above h = {:.1e} the remainder does not fall evenly: a branch changes there",
                regular(report)
            );
        }
        if matches!(reason, Reason::Noise) {
            line!(
                text,
                "  take a larger first step, another direction, or a smaller tolerance in the function's solvers"
            );
        }
        components(&mut text, &summary, seen, first_index, "the function has");
        waypoints(&mut text, seen);
        table(&mut text, report);
    }
    report.text = text;
}

/// The largest step below which the remainder falls as it should.
fn regular(report: &Report) -> f64 {
    let uneven = report.steps.iter().rev().find(|step| step.is_uneven());
    uneven.map_or(0.0, |step| step.h)
}

fn orders(text: &mut String, report: &Report, reason: Reason) {
    let summary = &report.summary;
    let clear: Vec<_> = report.steps.iter().filter(|step| step.clear).collect();
    if let ([first, .., last], true) = (&clear[..], summary.order != 0.0) {
        let (from, to) = if reason == Reason::Wrong { (clear[clear.len() - 2].h, last.h) } else { (first.h, last.h) };
        let expected = match reason {
            Reason::Wrong if (summary.order - 1.0).abs() < 0.5 => "; that of a right gradient with h^2",
            _ => "",
        };
        line!(text, "  the remainder falls with h^{:.2} between h = {from:.1e} and {to:.1e}{expected}", summary.order);
    }
    if let Some(rounding) = report.steps.iter().find(|step| !step.clear).filter(|_| !clear.is_empty()) {
        line!(text, "  from h = {:.1e} down it is rounding: the function's noise is {:.1e}", rounding.h, summary.noise);
    }
}

fn slopes(text: &mut String, summary: &Summary, by: &str) {
    line!(
        text,
        "  gradient times direction {:.12e}, by {by} {:.12e} +- {:.1e}: relative error {:.1e}",
        summary.slope,
        summary.reference,
        summary.uncertainty,
        summary.error
    );
}

/// Reference over gradient, if it is the same for all components.
fn common_factor(summary: &Summary) -> Option<f64> {
    let count = summary.component_count as usize;
    let (gradient, reference) = (&summary.component_gradient[..count], &summary.component_reference[..count]);
    // A component of zero has no factor; with floating-point traps on, to divide by it ends the program.
    if gradient.contains(&0.0) {
        return None;
    }
    let ratios: Vec<f64> = reference.iter().zip(gradient).map(|(reference, gradient)| reference / gradient).collect();
    let first = *ratios.first()?;
    ratios.iter().all(|r| r.is_finite() && (r - first).abs() <= 1e-3 * first.abs()).then_some(first)
}

fn components(text: &mut String, summary: &Summary, seen: &Seen, first_index: i64, what: &str) {
    let count = summary.component_count as usize;
    if count > 0 {
        line!(text, "  components that disagree (the first is {first_index}):");
        line!(text, "    component                gradient     {what:>20}");
    }
    for i in 0..count {
        let name = match summary.component[i] {
            output if output < 0 => format!("output {}", -output - 1 + first_index),
            input => input.to_string(),
        };
        let (of_gradient, of_function) = (summary.component_gradient[i], summary.component_reference[i]);
        line!(text, "    {name:<12} {of_gradient:>20.9e}     {of_function:>20.9e}");
    }
    if seen.all_components {
        line!(text, "    all components disagree");
    } else if seen.more_components {
        line!(text, "    there may be more");
    }
    match common_factor(summary).filter(|_| count > 1 || seen.all_components) {
        Some(factor) if (factor + 1.0).abs() < 1e-3 => line!(text, "    the sign of each of them is wrong"),
        Some(factor) if factor.abs() > 1e-12 => line!(text, "    each of them times {factor:.6} would be right"),
        _ => {}
    }
    if count > 0 && (0..count).all(|i| summary.component_gradient[i] == 0.0) {
        line!(text, "    the gradient has nothing there: a term is forgotten, or an adjoint was set to zero too early");
    }
}

fn table(text: &mut String, report: &Report) {
    if report.steps.is_empty() || report.reason() == Reason::NoGradient {
        return;
    }
    line!(text, "    step        remainder  order");
    for step in &report.steps {
        let order = step.order.map_or(String::new(), |order| format!("  {order:.3}"));
        let order = if step.clear { order } else { "  rounding".to_owned() };
        line!(text, "    {:<10.3e}  {:>9.2e}{order}", step.h, step.remainder.abs());
    }
}

/// The text of a complex step's test.
pub(super) fn complex(report: &mut Report, seen: &Seen, first_index: i64) {
    let mut text = begin(report, "derivative test by complex step", seen);
    let (summary, reason) = (report.summary, report.reason());
    if seen.said.is_none() {
        match reason {
            Reason::NoGradient => line!(text, "  slope {:.15e}", summary.reference),
            _ => slopes(&mut text, &summary, "complex step"),
        }
        components(&mut text, &summary, seen, first_index, "the complex step has");
    }
    report.text = text;
}

/// The text of a dot-product test.
pub(super) fn dot(report: &mut Report, seen: &Seen, first_index: i64) {
    let mut text =
        begin(report, "dot-product test", seen).replace("the gradient is wrong", "tangent and adjoint disagree");
    let summary = report.summary;
    if seen.said.is_none() {
        line!(
            text,
            "  tangent times weights {:.15e}, adjoint times direction {:.15e}: relative error {:.1e}",
            summary.reference,
            summary.slope,
            summary.error
        );
        components(&mut text, &summary, seen, first_index, "the other has");
    }
    report.text = text;
}
