//! Step over time, of a loop and its reversal: on the left with the tape of every step, on the right with snapshots.
//!
//! Time is counted in steps: one for a forward step, with recording or without, and one for an adjoint step.

use super::theme::{Area, Chart, Drawn, INK, KEPT, SERIES, draw_axes, legend, svg, text};
use crate::say::grouped;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::collections::BTreeMap;

const SIZE: (u32, u32) = (960, 360);
/// More lines than this are drawn as what they look like from afar.
const LINES: usize = 4000;
/// Columns of pixels, about.
const COLUMNS: u64 = 900;

#[derive(Clone, Copy)]
struct Line {
    from: (u64, u64),
    to: (u64, u64),
}

/// What a run does.
#[derive(Default)]
pub struct Course {
    time: u64,
    forward: Vec<Line>,
    reverse: Vec<Line>,
    /// Snapshots that are stored: step, since when.
    held: BTreeMap<u64, u64>,
    /// Step, from when to when.
    kept: Vec<(u64, u64, u64)>,
    /// Stored at once.
    most: usize,
}

impl Course {
    /// Runs steps, recording nothing.
    pub fn advance(&mut self, from: u64, to: u64) {
        let before = self.time;
        self.time += to.saturating_sub(from);
        self.forward.push(Line { from: (before, from), to: (self.time, to) });
    }

    /// Runs a step with recording, and its adjoint.
    pub fn turn(&mut self, step: u64) {
        self.advance(step, step + 1);
        self.reverse(step);
    }

    /// Runs the adjoint of a step that was recorded before.
    pub fn reverse(&mut self, step: u64) {
        let before = self.time;
        self.time += 1;
        self.reverse.push(Line { from: (before, step + 1), to: (self.time, step) });
    }

    /// Stores what belongs to a step.
    pub fn store(&mut self, step: u64) {
        self.held.entry(step).or_insert(self.time);
        self.most = self.most.max(self.held.len());
    }

    /// Forgets it.
    pub fn discard(&mut self, step: u64) {
        if let Some(since) = self.held.remove(&step) {
            self.kept.push((step, since, self.time));
        }
    }

    fn kept(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let left = self.held.iter().map(|(step, since)| (*step, *since, self.time));
        self.kept.iter().copied().chain(left)
    }
}

/// Both sides.
pub fn draw(steps: u64, course: &Course) -> String {
    svg(SIZE, |area| draw_on(area, steps, course))
}

fn draw_on(area: &Area, steps: u64, course: &Course) -> Drawn {
    let (head, body) = area.split_vertically(30);
    let entries = [(SERIES[0], "forward"), (SERIES[1], "reverse"), (KEPT, "kept: tapes of steps, or a snapshot")];
    legend(&head, &entries, (78, 16))?;
    let all = 2.0 * steps as f64;
    // Both have one scale, unless the left one would be too narrow for its labels.
    let share = (all / (all + course.time as f64)).clamp(0.29, 0.5);
    let (left, right) = body.split_horizontally((f64::from(SIZE.0) * share) as i32);
    store_all(&left, steps)?;
    snapshots(&right, steps, course)
}

fn panel<'a>(area: &Area<'a>, title: &str, steps: u64, time: u64) -> Result<Chart<'a>, Box<dyn std::error::Error>> {
    text(area, title, (78, 12), INK, 16, HPos::Left)?;
    let mut chart = ChartBuilder::on(area)
        .margin_right(16)
        .margin_top(26)
        .x_label_area_size(46)
        .y_label_area_size(78)
        .build_cartesian_2d(0.0..time.max(1) as f64, 0.0..steps.max(1) as f64)?;
    let wide = area.dim_in_pixel().0 > 420;
    let labels = if wide { 7 } else { 3 };
    draw_axes(&mut chart, ("time, in steps run", "step of the loop"), labels, |value| grouped(value.round() as u64))?;
    Ok(chart)
}

fn store_all(area: &Area, steps: u64) -> Drawn {
    let mut chart = panel(area, &format!("all kept: tapes of {} steps", grouped(steps)), steps, 2 * steps)?;
    let n = steps as f64;
    chart.draw_series([Polygon::new(vec![(0.0, 0.0), (n, n), (2.0 * n, 0.0)], KEPT.filled())])?;
    chart.draw_series([
        PathElement::new(vec![(0.0, 0.0), (n, n)], SERIES[0].stroke_width(2)),
        PathElement::new(vec![(n, n), (2.0 * n, 0.0)], SERIES[1].stroke_width(2)),
    ])?;
    Ok(())
}

fn snapshots(area: &Area, steps: u64, course: &Course) -> Drawn {
    let forward = course.time.saturating_sub(steps) as f64 / steps.max(1) as f64;
    let title = format!("at most {} kept: {forward:.2} forward runs in all", grouped(course.most as u64));
    let mut chart = panel(area, &title, steps, course.time)?;
    let pixel = course.time.div_ceil(COLUMNS);
    let point = |(x, y): (u64, u64)| (x as f64, y as f64);
    let kept: Vec<_> = course.kept().filter(|(_, from, to)| to - from >= pixel / 2).collect();
    let lines = kept.iter().map(|(step, from, to)| vec![point((*from, *step)), point((*to, *step))]);
    chart.draw_series(lines.map(|line| PathElement::new(line, KEPT.stroke_width(3))))?;
    for (lines, colour, width) in [(&course.forward, SERIES[0], 1), (&course.reverse, SERIES[1], 2)] {
        let lines = from_afar(lines, pixel);
        let style = colour.stroke_width(width);
        chart.draw_series(lines.iter().map(|line| PathElement::new(vec![point(line.from), point(line.to)], style)))?;
    }
    Ok(())
}

/// Of too many lines, for each column of pixels the range that they cover.
fn from_afar(lines: &[Line], pixel: u64) -> Vec<Line> {
    if lines.len() <= LINES || pixel == 0 {
        return lines.to_vec();
    }
    let mut columns: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for line in lines {
        // Where it enters and leaves each column; lines are straight.
        for column in line.from.0 / pixel..=line.to.0 / pixel {
            let at = |time: u64| {
                let time = time.clamp(line.from.0, line.to.0);
                let part = (time - line.from.0) as f64 / (line.to.0 - line.from.0).max(1) as f64;
                (line.from.1 as f64 + part * (line.to.1 as f64 - line.from.1 as f64)) as u64
            };
            let (a, b) = (at(column * pixel), at((column + 1) * pixel));
            let range = columns.entry(column).or_insert((a.min(b), a.max(b)));
            *range = (range.0.min(a).min(b), range.1.max(a).max(b));
        }
    }
    let middle = |column: u64| column * pixel + pixel / 2;
    columns.iter().map(|(c, (low, high))| Line { from: (middle(*c), *low), to: (middle(*c), *high) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn course_counts_time_and_what_is_kept() {
        let mut course = Course::default();
        course.store(0);
        course.advance(0, 2);
        course.store(2);
        course.turn(2);
        course.discard(2);
        course.turn(1);
        assert_eq!((course.time, course.most), (6, 2));
        assert_eq!(course.kept().collect::<Vec<_>>(), [(2, 2, 4), (0, 0, 6)]);
    }

    #[test]
    fn lines_from_afar_cover_the_same_range() {
        let lines: Vec<Line> = (0..100_000).map(|i| Line { from: (i, i % 50), to: (i + 1, i % 50 + 1) }).collect();
        let seen = from_afar(&lines, 1000);
        assert_eq!(seen.len(), 101);
        assert!(seen[..100].iter().all(|line| (line.from.1, line.to.1) == (0, 50)));
    }
}
