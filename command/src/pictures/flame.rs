//! A flame graph, as a document of its own: its style and its script are not those of the page around it.

use inferno::flamegraph::{self, Options};
use std::collections::BTreeMap;

const WIDTH: usize = 1040;

/// In the dark the frames keep their colours and what is around them does not.
const STYLE: &str = "<style>
:root { color-scheme: light dark }
body { margin: 0 }
body > svg { display: block; width: 100%; height: auto }
svg > rect { fill: transparent }
#title { display: none }
text { fill: #20262E }
#search { opacity: 0.7 }
#subtitle, #details, #unzoom, #search, #matched { fill: #5B6673 }
@media (prefers-color-scheme: dark) {
#subtitle, #details, #unzoom, #search, #matched { fill: #A6B0BB }
}
</style>";

/// The graph of call paths, the outermost frame first, and their bytes; None if there is none.
pub fn draw(folded: &BTreeMap<Vec<String>, u64>) -> Option<String> {
    let clean = |frame: &String| frame.replace([';', '\n', '\r'], ",");
    let line = |(frames, bytes): (&Vec<String>, &u64)| {
        format!("{} {bytes}", frames.iter().map(clean).collect::<Vec<_>>().join(";"))
    };
    let lines: Vec<String> =
        folded.iter().filter(|(frames, bytes)| !frames.is_empty() && **bytes > 0).map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let mut options = Options::default();
    options.count_name = "bytes".to_owned();
    options.name_type = "Frame:".to_owned();
    options.title = String::new();
    // One that follows its window measures it before there is one.
    options.image_width = Some(WIDTH);
    options.deterministic = true;
    options.font_type = "sans-serif".to_owned();
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg).ok()?;
    let svg = String::from_utf8(svg).ok()?;
    let height: u32 = svg.split_once(" height=\"")?.1.split_once('"')?.0.parse().ok()?;
    let at = svg.find("<svg")?;
    let document = format!("<!doctype html><meta charset=utf-8>{}{STYLE}", &svg[at..]);
    let escaped = document.replace('&', "&amp;").replace('"', "&quot;");
    Some(format!(
        "<iframe title=\"flame graph\" sandbox=\"allow-scripts\" style=\"height: {height}px\" srcdoc=\"{escaped}\"></iframe>"
    ))
}
