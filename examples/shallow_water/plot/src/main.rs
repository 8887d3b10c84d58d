//! Draws what the demo measured.
//!
//!     shallow-water-plot SVG DATA ...                  checkpoints: memory against recomputation, beside theory
//!     shallow-water-plot --page PAGE BEGINNING SVG     a page of the run: BEGINNING.data, BEGINNING.taylor, that picture

mod chart;
mod checkpoints;
mod map;
mod page;

fn main() -> chart::Drawn {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [option, page, beginning, svg] if option == "--page" => page::write(page, beginning, svg),
        [svg, files @ ..] if !svg.starts_with("--") => checkpoints::draw_files(svg, files),
        _ => Err("usage: shallow-water-plot SVG DATA ..., or shallow-water-plot --page PAGE BEGINNING SVG".into()),
    }
}
