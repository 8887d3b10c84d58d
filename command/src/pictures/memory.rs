//! Memory over time: layers on top of each other.

use super::theme::{Area, Drawn, INK, SERIES, draw_axes, legend, number, svg};
use plotters::prelude::*;

const SIZE: (u32, u32) = (960, 330);

/// One kind of memory, a value for each time.
pub struct Layer {
    pub name: &'static str,
    /// Bytes.
    pub values: Vec<u64>,
}

/// The picture, with a line above the layers; None if there is nothing to draw.
pub fn draw(seconds: &[f64], layers: &[Layer], line: &Layer) -> Option<String> {
    let sum = |i: usize| layers.iter().map(|layer| layer.values[i]).sum::<u64>();
    let sums = (0..seconds.len()).map(sum);
    let most = sums.chain(line.values.iter().copied()).max().filter(|most| *most > 0)?;
    if seconds.len() < 2 || layers.len() > SERIES.len() {
        return None;
    }
    Some(svg(SIZE, |area| draw_on(area, seconds, layers, line, most)))
}

/// The largest unit that is not more than the largest value.
fn unit(most: u64) -> (f64, &'static str) {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (most.max(1).ilog2() / 10).min(4);
    ((1_u64 << (10 * power)) as f64, UNITS[power as usize])
}

fn draw_on(area: &Area, seconds: &[f64], layers: &[Layer], line: &Layer, most: u64) -> Drawn {
    let (scale, unit) = unit(most);
    let end = seconds.last().copied().unwrap_or(1.0);
    let begin = seconds[0].min(0.0);
    let (head, body) = area.split_vertically(30);
    let mut chart = ChartBuilder::on(&body)
        .margin_right(18)
        .margin_top(8)
        .x_label_area_size(46)
        .y_label_area_size(62)
        .build_cartesian_2d(begin..end.max(begin + 1e-9), 0.0..1.06 * most as f64 / scale)?;
    draw_axes(&mut chart, ("seconds", unit), 10, number)?;
    let mut below = vec![0.0; seconds.len()];
    for (layer, colour) in layers.iter().zip(SERIES) {
        let above: Vec<f64> = below.iter().zip(&layer.values).map(|(b, value)| b + *value as f64 / scale).collect();
        let there = seconds.iter().copied().zip(above.iter().copied());
        let back = seconds.iter().copied().zip(below.iter().copied()).rev();
        chart.draw_series([Polygon::new(there.chain(back).collect::<Vec<_>>(), colour.filled())])?;
        below = above;
    }
    let mut entries: Vec<(RGBColor, &str)> =
        SERIES.iter().copied().zip(layers.iter().map(|layer| layer.name)).collect();
    if line.values.iter().any(|value| *value > 0) {
        let points = seconds.iter().copied().zip(line.values.iter().map(|value| *value as f64 / scale));
        chart.draw_series([PathElement::new(points.collect::<Vec<_>>(), INK)])?;
        entries.push((INK, line.name));
    }
    legend(&head, &entries, (62, 16))
}
