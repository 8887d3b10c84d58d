//! A field as a picture, a pixel a cell, to be part of a page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::error::Error;

/// Colours from the least to the largest value, evenly spaced.
pub type Scale = [[u8; 3]; 7];

/// For depths, dark to light; people who do not see red and green apart see it as well.
pub const DEPTH: Scale =
    [[68, 1, 84], [70, 50, 127], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 194, 109], [253, 231, 37]];
/// For numbers of both signs: 0 is in the middle.
pub const SIGNED: Scale =
    [[33, 60, 130], [67, 120, 190], [160, 200, 226], [242, 242, 242], [246, 190, 160], [214, 96, 77], [140, 15, 38]];

/// Cells across, from west to east, and up, from south to north.
pub struct Field {
    pub across: usize,
    pub up: usize,
    pub values: Vec<f64>,
}

/// An address that is the picture itself, with north at its top.
pub fn picture(field: &Field, least: f64, largest: f64, scale: &Scale) -> Result<String, Box<dyn Error>> {
    let rows = field.values.chunks(field.across).rev();
    let pixels: Vec<u8> = rows.flatten().flat_map(|value| colour((value - least) / (largest - least), scale)).collect();
    png(field.across, field.up, &pixels)
}

/// The colours of a scale beside each other.
pub fn bar(scale: &Scale) -> Result<String, Box<dyn Error>> {
    let pixels: Vec<u8> = (0..256).flat_map(|i| colour(f64::from(i) / 255.0, scale)).collect();
    png(256, 1, &pixels)
}

fn colour(at: f64, scale: &Scale) -> [u8; 3] {
    let place = at.clamp(0.0, 1.0) * (scale.len() - 1) as f64;
    let i = (place as usize).min(scale.len() - 2);
    let part = place - i as f64;
    std::array::from_fn(|c| ((1.0 - part) * f64::from(scale[i][c]) + part * f64::from(scale[i + 1][c])).round() as u8)
}

fn png(width: usize, height: usize, pixels: &[u8]) -> Result<String, Box<dyn Error>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, u32::try_from(width)?, u32::try_from(height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes)))
}
