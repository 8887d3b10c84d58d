//! Colours of all pictures, and the canvas that they are drawn on.
//!
//! A picture has the light colours. Its style sheet names each of them with the one that takes its place in the dark, so
//! colours of the table are used and no others, and each of them once.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A chart on it, both axes linear.
pub type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// What drawing may fail with; in memory it does not.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Text, axes.
pub const INK: RGBColor = RGBColor(0x20, 0x26, 0x2e);
/// Labels.
pub const FAINT: RGBColor = RGBColor(0x5b, 0x66, 0x73);
/// The grid.
pub const GRID: RGBColor = RGBColor(0xe1, 0xe5, 0xea);
/// Series, in this order; they differ for people who do not see red and green apart, too.
pub const SERIES: [RGBColor; 4] =
    [RGBColor(0x1f, 0x77, 0xb4), RGBColor(0xe0, 0x8a, 0x1e), RGBColor(0x2b, 0x9c, 0x8f), RGBColor(0xa3, 0x5b, 0xb5)];
/// Areas of what is kept.
pub const KEPT: RGBColor = RGBColor(0xc9, 0xdd, 0xee);

/// The dark partner of each colour.
const DARK: [(RGBColor, RGBColor); 8] = [
    (INK, RGBColor(0xe6, 0xe9, 0xed)),
    (FAINT, RGBColor(0xa6, 0xb0, 0xbb)),
    (GRID, RGBColor(0x36, 0x3c, 0x45)),
    (SERIES[0], RGBColor(0x5a, 0xa9, 0xe6)),
    (SERIES[1], RGBColor(0xf2, 0xae, 0x55)),
    (SERIES[2], RGBColor(0x4f, 0xc4, 0xb5)),
    (SERIES[3], RGBColor(0xc9, 0x8a, 0xd8)),
    (KEPT, RGBColor(0x3b, 0x61, 0x86)),
];

/// Labels of axes and legends.
pub const FONT: (&str, u32) = ("sans-serif", 15);

fn hexadecimal(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// Rules that exchange the colours of pictures.
pub fn dark_rules() -> String {
    let mut rules = String::new();
    for (light, dark) in DARK {
        let (light, dark) = (hexadecimal(light), hexadecimal(dark));
        for property in ["fill", "stroke"] {
            rules += &format!("svg [{property}=\"{light}\"] {{ {property}: {dark} }}\n");
        }
    }
    rules
}

/// Draws an SVG of this size, to be part of a page.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> String {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    let drawn = draw(&area).and_then(|()| area.present().map_err(Into::into));
    drop(area);
    drawn.unwrap_or_else(|error| unreachable!("a picture that cannot be drawn: {error}"));
    // As wide as the page allows.
    let size = format!("width=\"{}\" height=\"{}\" viewBox", size.0, size.1);
    text.replacen(&size, "role=\"img\" viewBox", 1)
}

/// The same as a file of its own, light or dark as the reader's system.
pub fn standalone(picture: &str) -> String {
    let style = format!(
        "<style>\nsvg {{ background: #FFFFFF }}\n@media (prefers-color-scheme: dark) {{\nsvg {{ background: #16191D }}\n{}}}\n</style>\n",
        dark_rules()
    );
    let at = picture.find('>').map_or(0, |at| at + 1);
    format!("{}\n{style}{}", &picture[..at], &picture[at..])
}

/// A text at a place of an area.
pub fn text(area: &Area, text: &str, at: (i32, i32), colour: RGBColor, size: u32, to: HPos) -> Drawn {
    let style = ("sans-serif", size).into_font().color(&colour).pos(Pos::new(to, VPos::Center));
    area.draw_text(text, &style, at)?;
    Ok(())
}

/// Grid and axes of a chart, with the names of both axes and about so many labels on the horizontal one.
pub fn draw_axes(chart: &mut Chart, names: (&str, &str), labels: usize, show: impl Fn(f64) -> String) -> Drawn {
    let show = |value: &f64| show(*value);
    chart
        .configure_mesh()
        .x_desc(names.0)
        .y_desc(names.1)
        .x_labels(labels)
        .y_labels(6)
        .x_label_formatter(&show)
        .y_label_formatter(&show)
        .label_style(FONT.into_font().color(&FAINT))
        .axis_desc_style(FONT.into_font().color(&INK))
        .axis_style(FAINT)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

/// A legend in one line, from the left: a square of each colour and what it stands for.
pub fn legend(area: &Area, entries: &[(RGBColor, &str)], at: (i32, i32)) -> Drawn {
    let (mut x, y) = at;
    for (colour, name) in entries {
        area.draw(&Rectangle::new([(x, y - 5), (x + 11, y + 6)], colour.filled()))?;
        text(area, name, (x + 17, y), INK, FONT.1, HPos::Left)?;
        x += 17 + 22 + 8 * i32::try_from(name.chars().count()).unwrap_or(0);
    }
    Ok(())
}

/// A number of an axis: `12`, `0.25`, `1500`.
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_partners_and_are_distinct() {
        let light: std::collections::BTreeSet<String> = DARK.iter().map(|(light, _)| hexadecimal(*light)).collect();
        assert_eq!(light.len(), DARK.len());
        assert!(SERIES.iter().chain([&INK, &FAINT, &GRID, &KEPT]).all(|colour| light.contains(&hexadecimal(*colour))));
    }

    #[test]
    fn pictures_have_no_other_colours() {
        let layers = [("tape", vec![1, 5_000_000, 3]), ("heap", vec![2, 2, 2])];
        let layer = |(name, values)| crate::pictures::memory::Layer { name, values };
        let line = layer(("held", vec![7, 7, 7]));
        let memory = crate::pictures::memory::draw(&[0.0, 0.5, 1.0], &layers.map(layer), &line).unwrap_or_default();
        let mut course = crate::pictures::steps::Course::default();
        course.store(0);
        course.advance(0, 3);
        (0..4).rev().for_each(|step| course.turn(step));
        for picture in [memory, crate::pictures::steps::draw(4, &course)] {
            for part in picture.split('"').filter(|part| part.starts_with('#')) {
                assert!(DARK.iter().any(|(light, _)| hexadecimal(*light) == part), "{part} in {picture}");
            }
        }
    }
}
