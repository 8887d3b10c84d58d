//! What the demo measured of its checkpoints, memory against recomputation, beside theory.
//!
//! A line of the data is a gradient: language, steps, snapshots (0 for store-all), bytes of a state, of all snapshots, most
//! bytes on the tape, extra steps, seconds, seconds of the primal.

use crate::chart::{Chart, Drawn, axes, curve, legend};
use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;

const SIZE: (u32, u32) = (860, 820);
const LETTERS: u32 = 13;
const THEORY: RGBColor = RGBColor(90, 90, 90);
const SHORT: RGBColor = RGBColor(180, 180, 180);
const LANGUAGES: [(&str, RGBColor); 2] = [("C", RGBColor(0, 98, 155)), ("Fortran", RGBColor(204, 85, 0))];

/// A gradient that was computed.
struct Run {
    language: String,
    steps: u64,
    snapshots: u64,
    state_bytes: f64,
    /// Kept from step to step: snapshots, or with store-all the tape.
    kept_bytes: f64,
    extra_steps: f64,
    seconds: f64,
    primal_seconds: f64,
}

impl Run {
    fn parse(line: &str) -> Option<Run> {
        let columns: Vec<&str> = line.split(',').collect();
        let [language, steps, snapshots, state, stored, tape, extra, seconds, primal] = columns[..] else {
            return None;
        };
        let snapshots: u64 = snapshots.parse().ok()?;
        Some(Run {
            language: language.to_owned(),
            steps: steps.parse().ok()?,
            snapshots,
            state_bytes: state.parse().ok()?,
            kept_bytes: if snapshots == 0 { tape.parse().ok()? } else { stored.parse().ok()? },
            extra_steps: extra.parse().ok()?,
            seconds: seconds.parse().ok()?,
            primal_seconds: primal.parse().ok()?,
        })
    }

    fn megabytes(&self) -> f64 {
        1e-6 * self.kept_bytes
    }

    /// Forward steps for each step of the loop.
    fn forward_runs(&self) -> f64 {
        1.0 + self.extra_steps / self.steps as f64
    }

    fn name(&self) -> String {
        match self.snapshots {
            0 => "store-all".to_owned(),
            1 => "1 snapshot".to_owned(),
            2 => "2 snapshots".to_owned(),
            snapshots => snapshots.to_string(),
        }
    }
}

/// r n - beta(s + 1, r - 1), the least number of extra steps (Griewank and Walther 2000).
fn least_extra_steps(n: u64, s: u64) -> f64 {
    let beta = |s: u64, r: u64| (1..=r).fold(1.0, |value, i| value * (s + i) as f64 / i as f64);
    let r = (1..).find(|r| beta(s, *r) >= n as f64).expect("beta grows without bound");
    r as f64 * n as f64 - beta(s + 1, r - 1)
}

/// Megabytes and extra steps by theory, with every number of snapshots that is of use.
fn theory(run: &Run) -> impl Iterator<Item = (f64, f64)> {
    let (steps, state_bytes) = (run.steps, run.state_bytes);
    (1..steps).map(move |s| (1e-6 * s as f64 * state_bytes, least_extra_steps(steps, s)))
}

/// A logarithmic axis with the marks 1, 2 and 5 of each power of ten.
pub struct Logarithmic(pub Range<f64>);

impl Logarithmic {
    fn inner(&self) -> RangedCoordf64 {
        (self.0.start.ln()..self.0.end.ln()).into()
    }
}

impl Ranged for Logarithmic {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.inner().map(&value.ln(), limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let powers = self.0.start.log10().floor() as i32..=self.0.end.log10().ceil() as i32;
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|mark| mark * 10_f64.powi(power)));
        let marks: Vec<f64> = all.filter(|mark| self.range().contains(mark)).collect();
        if marks.len() <= hint.max_num_points() { marks } else { Vec::new() }
    }

    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Logarithmic {
    fn format(value: &f64) -> String {
        format!("{value}")
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Panel<'a> = Chart<'a, Logarithmic, Logarithmic>;

/// A panel with its axes and grid.
fn panel<'a>(
    area: &Area<'a>,
    title: &str,
    y_label: &str,
    x: Range<f64>,
    y: Range<f64>,
) -> Result<Panel<'a>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 17))
        .margin(10)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(Logarithmic(x), Logarithmic(y))?;
    let memory = "memory kept from step to step: snapshots, or the tape of all steps (MB, logarithmic)";
    axes(&mut chart, (memory, y_label), (20, 20), LETTERS, None)?;
    Ok(chart)
}

/// What was measured: circles in C, crosses in Fortran, so that both are seen where they coincide.
fn measured(chart: &mut Panel, runs: &[&Run], y: impl Fn(&Run) -> f64) -> Drawn {
    for (language, colour) in LANGUAGES {
        let style = colour.stroke_width(2);
        let points: Vec<_> =
            runs.iter().filter(|run| run.language == language).map(|run| (run.megabytes(), y(run))).collect();
        if points.is_empty() {
            continue;
        }
        let label = format!("measured, {language}");
        if language == "C" {
            let series = points.iter().map(|point| Circle::new(*point, 6, style));
            chart.draw_series(series)?.label(label).legend(move |(x, y)| Circle::new((x + 11, y), 6, style));
        } else {
            let series = points.iter().map(|point| Cross::new(*point, 5, style));
            chart.draw_series(series)?.label(label).legend(move |(x, y)| Cross::new((x + 11, y), 5, style));
        }
    }
    Ok(())
}

/// The number of snapshots at each point, or at the higher one of the two languages.
fn names(chart: &mut Panel, runs: &[&Run], y: impl Fn(&Run) -> f64) -> Drawn {
    for run in runs.iter().filter(|run| run.language == runs[0].language) {
        let same = runs.iter().filter(|other| (other.steps, other.snapshots) == (run.steps, run.snapshots));
        let highest = same.map(|run| y(run)).fold(0.0, f64::max);
        // Above the curve, which falls to the right.
        let (anchor, offset) = if run.snapshots < 2 { (HPos::Center, (0, -10)) } else { (HPos::Left, (8, -5)) };
        let style = ("sans-serif", LETTERS).into_text_style(&SIZE).pos(Pos::new(anchor, VPos::Bottom));
        let text = EmptyElement::at((run.megabytes(), highest)) + Text::new(run.name(), offset, style);
        chart.draw_series([text])?;
    }
    Ok(())
}

/// Forward steps, counted.
fn draw_steps(area: &Area, runs: &[&Run], x: Range<f64>) -> Drawn {
    let longest = runs.iter().map(|run| run.steps).max().unwrap_or(1);
    let most = 1.0 + least_extra_steps(longest, 1) / longest as f64;
    let title = "Recomputation: forward steps run for each step of the loop";
    let mut chart = panel(area, title, "forward steps / steps (logarithmic)", x, 0.8..1.6 * most)?;
    for (is_whole, colour) in [(true, THEORY), (false, SHORT)] {
        let Some(run) = runs.iter().find(|run| (run.steps == longest) == is_whole) else { continue };
        let points = theory(run).map(|(megabytes, extra)| (megabytes, 1.0 + extra / run.steps as f64));
        curve(&mut chart, points.collect(), colour, &format!("theory (the least possible), {} steps", run.steps))?;
    }
    measured(&mut chart, runs, Run::forward_runs)?;
    names(&mut chart, runs, Run::forward_runs)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight, LETTERS)
}

/// Time, beside that of store-all with the extra steps at the speed of the primal.
fn draw_time(area: &Area, runs: &[&Run], x: Range<f64>) -> Drawn {
    let reference = |run: &Run| {
        let store_all = runs.iter().find(|other| other.snapshots == 0 && other.language == run.language);
        store_all.map_or(f64::NAN, |store_all| store_all.seconds)
    };
    let time = |run: &Run| run.seconds / reference(run);
    let most = 3.0 * runs.iter().map(|run| time(run)).fold(1.0, f64::max);
    let title = "Time: relative to the gradient that keeps the tape of every step";
    let mut chart = panel(area, title, "time / time of store-all (logarithmic)", x, 0.4..most)?;
    for (language, colour) in LANGUAGES {
        let Some(run) = runs.iter().find(|run| run.language == language) else { continue };
        let step = run.primal_seconds / run.steps as f64 / reference(run);
        let points = theory(run).map(|(megabytes, extra)| (megabytes, 1.0 + extra * step));
        let points = points.filter(|(_, time)| *time <= most).collect();
        curve(&mut chart, points, colour, &format!("{language}: store-all + theory's extra steps"))?;
    }
    measured(&mut chart, runs, time)?;
    names(&mut chart, runs, time)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight, LETTERS)
}

fn draw(runs: &[Run], path: &str) -> Drawn {
    let longest = runs.iter().map(|run| run.steps).max().ok_or("there is no run to draw")?;
    let all: Vec<&Run> = runs.iter().collect();
    let whole: Vec<&Run> = runs.iter().filter(|run| run.steps == longest).collect();
    let largest = runs.iter().map(Run::megabytes).fold(0.0, f64::max);
    let x = 0.7e-6 * whole[0].state_bytes..2.5 * largest;
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(SIZE.1 / 2);
    draw_steps(&upper, &all, x.clone())?;
    draw_time(&lower, &whole, x)?;
    root.present()?;
    Ok(())
}

/// Draws what is in the files.
pub fn draw_files(svg: &str, files: &[String]) -> Drawn {
    let mut runs = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let found: Option<Vec<Run>> = text.lines().map(Run::parse).collect();
        runs.extend(found.ok_or_else(|| format!("{file}: a line has not the nine columns of a run"))?);
    }
    draw(&runs, svg)
}
