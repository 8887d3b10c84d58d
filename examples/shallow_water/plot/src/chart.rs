//! What the charts have in common: axes, curves, legends.

use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;

pub type Drawn = Result<(), Box<dyn Error>>;
/// A chart on a picture.
pub type Chart<'a, X, Y> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>;
/// An axis of numbers.
pub trait Axis: Ranged<ValueType = f64> + ValueFormatter<f64> {}
impl<A: Ranged<ValueType = f64> + ValueFormatter<f64>> Axis for A {}

/// Axes with their names, about so many labels on each, and letters so high; a grid.
pub fn axes<X: Axis, Y: Axis>(
    chart: &mut Chart<X, Y>,
    names: (&str, &str),
    labels: (usize, usize),
    letters: u32,
    show: Option<fn(&f64) -> String>,
) -> Drawn {
    let font = ("sans-serif", letters);
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(names.0).y_desc(names.1).x_labels(labels.0).y_labels(labels.1).label_style(font).axis_desc_style(font);
    if let Some(show) = &show {
        mesh.x_label_formatter(show).y_label_formatter(show);
    }
    mesh.bold_line_style(BLACK.mix(0.1)).light_line_style(TRANSPARENT).draw()?;
    Ok(())
}

/// A curve with its entry in the legend.
pub fn curve<X: Axis, Y: Axis>(
    chart: &mut Chart<X, Y>,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    label: &str,
) -> Drawn {
    chart
        .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
        .label(label)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
    Ok(())
}

/// The legend, in a corner.
pub fn legend<X: Axis, Y: Axis>(chart: &mut Chart<X, Y>, at: SeriesLabelPosition, letters: u32) -> Drawn {
    chart
        .configure_series_labels()
        .position(at)
        .label_font(("sans-serif", letters))
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
