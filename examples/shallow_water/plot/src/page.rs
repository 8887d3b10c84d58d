//! The page of a run: what was won, where the cost depends on what, what the optimiser found, whether the gradient is
//! right, and the memory over time. It needs nothing beside it.

use crate::chart::{Chart, Drawn, axes, curve, legend};
use crate::map::{self, DEPTH, Field, SIGNED, Scale};
use plotters::coord::ranged1d::AsRangedCoord;
use plotters::prelude::*;
use std::error::Error;
use std::fs::read_to_string;

const LETTERS: u32 = 15;
const SIZE: (u32, u32) = (960, 380);
const COLOURS: [RGBColor; 2] = [RGBColor(0, 98, 155), RGBColor(204, 85, 0)];
/// The run with so many snapshots is drawn beside that with all tapes.
const SNAPSHOTS: f64 = 10.0;

/// What the program wrote.
struct Data(Vec<(String, Vec<f64>)>);

impl Data {
    fn read(path: &str) -> Result<Data, Box<dyn Error>> {
        let text = read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut lines = Vec::new();
        for line in text.lines() {
            let (name, numbers) = line.split_once(',').ok_or_else(|| format!("{path}: a line without numbers"))?;
            let numbers: Result<Vec<f64>, _> = numbers.split(',').map(str::parse).collect();
            lines.push((name.to_owned(), numbers.map_err(|error| format!("{path}: {name}: {error}"))?));
        }
        Ok(Data(lines))
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [f64]> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, numbers)| &numbers[..])
    }

    fn field(&self, name: &str) -> Result<Field, Box<dyn Error>> {
        let numbers = self.all(name).next().ok_or_else(|| format!("there is no field {name}"))?;
        let [across, up, values @ ..] = numbers else { return Err(format!("{name} is empty").into()) };
        let (across, up) = (*across as usize, *up as usize);
        if values.len() != across * up || values.is_empty() {
            return Err(format!("{name} has {} values for {across} x {up} cells", values.len()).into());
        }
        Ok(Field { across, up, values: values.to_vec() })
    }
}

/// Writes the page.
pub fn write(page: &str, beginning: &str, svg: &str) -> Drawn {
    let data = Data::read(&format!("{beginning}.data"))?;
    let Some([controls, runs]) = data.all("won").next() else { return Err("the run came to no end".into()) };
    let taylor = format!("{beginning}.taylor");
    let checkpoints = read_to_string(svg).map_err(|error| format!("{svg}: {error}"))?;
    let parts = [
        ("controls", grouped(*controls)),
        ("differences", grouped(*controls + 1.0)),
        ("runs", format!("{runs:.1}")),
        ("sensitivity", sensitivity(&data)?),
        ("depths", depths(&data)?),
        ("taylor", taylor_plot(&read_to_string(&taylor).map_err(|error| format!("{taylor}: {error}"))?)?),
        ("memory", memory(&data)?),
        ("checkpoints", as_wide_as_the_page(&checkpoints)),
    ];
    let mut text = include_str!("page.html").to_owned();
    for (name, part) in parts {
        text = text.replace(&format!("{{{{ {name} }}}}"), &part);
    }
    std::fs::write(page, text).map_err(|error| format!("{page}: {error}"))?;
    Ok(())
}

/// `110,592`
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let parts: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|part| str::from_utf8(part).ok()).collect();
    parts.join(",")
}

fn extent<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(*value), most.max(*value)))
}

fn image(name: &str, field: &Field, least: f64, most: f64, scale: &Scale) -> Result<String, Box<dyn Error>> {
    let source = map::picture(field, least, most, scale)?;
    Ok(format!("<figure><img alt=\"{name}\" src=\"{source}\"><figcaption>{name}</figcaption></figure>"))
}

fn bar(least: &str, most: &str, scale: &Scale) -> Result<String, Box<dyn Error>> {
    let source = map::bar(scale)?;
    Ok(format!("<p class=\"bar\"><span>{least}</span><img alt=\"colours\" src=\"{source}\"><span>{most}</span></p>"))
}

fn sensitivity(data: &Data) -> Result<String, Box<dyn Error>> {
    let field = data.field("sensitivity")?;
    let (least, most) = extent(field.values.iter());
    let most = most.max(-least);
    let name = "change of the cost for a metre of depth more in one cell at the beginning";
    let bar = bar(&format!("{:.2e}", -most), &format!("{most:.2e}"), &SIGNED)?;
    Ok(image(name, &field, -most, most, &SIGNED)? + &bar)
}

fn depths(data: &Data) -> Result<String, Box<dyn Error>> {
    let names = ["truth", "background", "analysis"];
    let captions = ["the truth", "the background, from which the optimiser starts", "the analysis, which it found"];
    let fields = names.map(|name| data.field(name));
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for field in fields.iter().flatten() {
        let (low, high) = extent(field.values.iter());
        (least, most) = (least.min(low), most.max(high));
    }
    let mut text = "<div class=\"row\">".to_owned();
    for (field, caption) in fields.into_iter().zip(captions) {
        text += &image(caption, &field?, least, most, &DEPTH)?;
    }
    Ok(text + "</div>" + &bar(&format!("{least:.2} m"), &format!("{most:.2} m"), &DEPTH)?)
}

fn as_wide_as_the_page(svg: &str) -> String {
    let Some(at) = svg.find("<svg") else { return String::new() };
    let (before, behind) = svg[at..].split_once("viewBox").unwrap_or(("", &svg[at..]));
    if before.is_empty() { behind.to_owned() } else { format!("<svg viewBox{behind}") }
}

fn svg(draw: impl FnOnce(&DrawingArea<SVGBackend, plotters::coord::Shift>) -> Drawn) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    draw(&area)?;
    area.present()?;
    drop(area);
    Ok(as_wide_as_the_page(&text))
}

/// What the library's test wrote: step, remainder, order, and whether the remainder stands clear of rounding.
fn taylor_plot(table: &str) -> Result<String, Box<dyn Error>> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let numbers = rows.map(|row| row.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>());
    let rows: Vec<Vec<f64>> = numbers.collect::<Result<_, _>>()?;
    let points: Vec<(f64, f64)> = rows.iter().filter(|row| row[1] > 0.0).map(|row| (row[0], row[1])).collect();
    let first = *points.first().ok_or("the Taylor test has no steps")?;
    let ((h_least, h_most), (r_least, r_most)) =
        (extent(points.iter().map(|(h, _)| h)), extent(points.iter().map(|(_, r)| r)));
    svg(|area| {
        let log = |least: f64, most: f64| (least..most).log_scale();
        let mut chart = chart(area, log(h_least / 3.0, h_most * 2.0), log(r_least / 5.0, r_most * 5.0))?;
        let names = ("step h, in units of the direction (logarithmic)", "remainder");
        axes(&mut chart, names, (9, 8), LETTERS, Some(|value| format!("{value:.0e}")))?;
        let slope =
            points.iter().map(|(h, _)| (*h, first.1 * (h / first.0).powi(2))).filter(|(_, r)| *r > r_least / 5.0);
        curve(&mut chart, slope.collect(), COLOURS[1], "falls with h², as of a right gradient")?;
        chart
            .draw_series(points.iter().map(|point| Circle::new(*point, 5, COLOURS[0].filled())))?
            .label("|J(w + h d) - J(w) - h (grad J, d)|, measured")
            .legend(|(x, y)| Circle::new((x + 11, y), 5, COLOURS[0].filled()));
        legend(&mut chart, SeriesLabelPosition::UpperLeft, LETTERS)
    })
}

/// An empty chart.
fn chart<'a, X: AsRangedCoord<Value = f64>, Y: AsRangedCoord<Value = f64>>(
    area: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    x: X,
    y: Y,
) -> Result<Chart<'a, X::CoordDescType, Y::CoordDescType>, Box<dyn Error>> {
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).margin_right(24).x_label_area_size(46).y_label_area_size(84);
    Ok(builder.build_cartesian_2d(x, y)?)
}

/// Tape and snapshots after each step of two gradients, each from its own beginning.
fn memory(data: &Data) -> Result<String, Box<dyn Error>> {
    let longest = data.all("memory").map(|run| run[1]).fold(0.0, f64::max);
    let run = |snapshots: f64| data.all("memory").find(|run| run[0] == snapshots && run[1] == longest);
    let (Some(all), Some(few)) = (run(0.0), run(SNAPSHOTS)) else { return Err("the memory was not noted".into()) };
    let points =
        |run: &[f64]| -> Vec<(f64, f64)> { run[2..].chunks_exact(2).map(|pair| (pair[0], 1e-6 * pair[1])).collect() };
    let series = [("the tape of every step", points(all)), ("10 snapshots and the tape of one step", points(few))];
    let every = || series.iter().flat_map(|(_, points)| points);
    let (last, most) = (extent(every().map(|(t, _)| t)).1, extent(every().map(|(_, bytes)| bytes)).1);
    svg(|area| {
        let mut chart = chart(area, 0.0..1.02 * last, 0.0..1.25 * most)?;
        axes(&mut chart, ("seconds since the gradient began", "MB"), (8, 6), LETTERS, None)?;
        for ((name, points), colour) in series.into_iter().zip(COLOURS) {
            curve(&mut chart, points, colour, name)?;
        }
        legend(&mut chart, SeriesLabelPosition::UpperLeft, LETTERS)
    })
}
