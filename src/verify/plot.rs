//! The remainders as a picture (SVG, both axes logarithmic) or as a table of numbers.

#![forbid(unsafe_code)]

use super::report::{Report, Step};
use crate::error::{Error, Status};
use std::fmt::Write;
use std::path::Path;

/// Writes the file that the program asked for: a picture if its name ends in `.svg`, else a table.
pub(super) fn write(report: &Report, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    let text = if path.extension().is_some_and(|end| end == "svg") { picture(report) } else { table(report) };
    std::fs::write(path, text).map_err(|error| {
        Error::new(
            Status::Io,
            format!(
                "the plot of a derivative test cannot be written to {}: {error}\n  give the name of a file in a folder \
                 that exists",
                path.display()
            ),
        )
    })
}

fn table(report: &Report) -> String {
    let mut text = "# step remainder order clear\n".to_owned();
    for step in &report.steps {
        let order = step.order.map_or("nan".to_owned(), |order| format!("{order:.4}"));
        let _ = writeln!(text, "{:e} {:e} {order} {}", step.h, step.remainder.abs(), u8::from(step.clear));
    }
    text
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Decades along an axis, and where on the paper a number stands.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let logs: Vec<f64> = values.filter(|x| *x > 0.0 && x.is_finite()).map(libm::log10).collect();
        let least = libm::floor(logs.iter().copied().fold(f64::INFINITY, f64::min));
        let most = libm::ceil(logs.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let known = least.is_finite() && most.is_finite();
        let (least, most) = if known { (least, most.max(least + 1.0)) } else { (-1.0, 0.0) };
        Axis { least, most, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (libm::log10(value) - self.least) / (self.most - self.least);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Powers of ten, eight at most.
    fn decades(&self) -> impl Iterator<Item = i32> + use<> {
        let stride = (libm::ceil((self.most - self.least) / 8.0) as usize).max(1);
        (self.least as i32..=self.most as i32).step_by(stride)
    }
}

fn picture(report: &Report) -> String {
    let steps: Vec<&Step> = report.steps.iter().filter(|step| step.remainder != 0.0).collect();
    let x = Axis::new(steps.iter().map(|step| step.h.abs()), LEFT, WIDTH - RIGHT);
    let y = Axis::new(steps.iter().map(|step| step.remainder.abs()), HEIGHT - BOTTOM, TOP);
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    // Colours follow the reader's theme.
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<style>svg{{--ink:#222;--paper:#fff;--grid:#ddd;--mark:#1668b0;--pale:#9a9a9a}}\
         @media(prefers-color-scheme:dark){{svg{{--ink:#eee;--paper:#1c1c1c;--grid:#444;--mark:#6cb6ff;--pale:#8a8a8a}}}}\
         text{{fill:var(--ink)}}.g{{stroke:var(--grid)}}.p{{stroke:var(--mark);fill:var(--mark)}}\
         .r{{stroke:var(--pale);fill:none}}</style>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         fill=\"var(--paper)\"/>\n"
    );
    for decade in x.decades() {
        let at = x.at(10_f64.powi(decade));
        let _ = writeln!(
            text,
            "<line class=\"g\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\"/><text x=\"{at:.1}\" \
             y=\"{:.1}\" text-anchor=\"middle\">1e{decade}</text>",
            bottom + 16.0
        );
    }
    for decade in y.decades() {
        let at = y.at(10_f64.powi(decade));
        let _ = writeln!(
            text,
            "<line class=\"g\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/><text x=\"{:.1}\" \
             y=\"{:.1}\" text-anchor=\"end\">1e{decade}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    if let [first, ..] = steps[..] {
        for power in [1, 2] {
            slope(&mut text, &x, &y, first, power);
        }
    }
    let line: String =
        steps.iter().map(|s| format!("{:.1},{:.1} ", x.at(s.h.abs()), y.at(s.remainder.abs()))).collect();
    let _ =
        writeln!(text, "<polyline points=\"{}\" class=\"p\" style=\"fill:none\" stroke-width=\"1.5\"/>", line.trim());
    for step in &steps {
        let hollow = if step.clear { "" } else { " style=\"fill:var(--paper)\"" };
        let (cx, cy) = (x.at(step.h.abs()), y.at(step.remainder.abs()));
        let _ = writeln!(text, "<circle class=\"p\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\"{hollow}/>");
    }
    let verdict = if report.summary.passed { "passed" } else { "FAILED" };
    let _ = writeln!(
        text,
        "<text x=\"{LEFT}\" y=\"22\" font-size=\"14\">derivative test: {verdict}, order {:.2} (hollow: rounding)</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">step h</text>\n\
         <text transform=\"translate(18,{:.1}) rotate(-90)\" text-anchor=\"middle\">remainder</text>\n</svg>",
        report.summary.order,
        (LEFT + right) / 2.0,
        HEIGHT - 12.0,
        (TOP + bottom) / 2.0
    );
    text
}

/// A line that falls with a power of h, from the first step to an edge of the paper.
fn slope(text: &mut String, x: &Axis, y: &Axis, first: &Step, power: i32) {
    let (h, r) = (libm::log10(first.h.abs()), libm::log10(first.remainder.abs()));
    let decades = (h - x.least).min((r - y.least) / f64::from(power));
    let (end, low) = (libm::exp10(h - decades), libm::exp10(r - f64::from(power) * decades));
    let _ = writeln!(
        text,
        "<line class=\"r\" stroke-dasharray=\"4 4\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">h^{power}</text>",
        x.at(first.h.abs()),
        y.at(first.remainder.abs()),
        x.at(end),
        y.at(low),
        x.at(end) + 4.0,
        y.at(low) - 4.0
    );
}
