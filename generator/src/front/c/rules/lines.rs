//! Where directives are in a preprocessed text.

use crate::front::c::inclusions::marker;

/// Whether files, but for the system's, may have directives.
pub fn has_directives(files: &[String]) -> bool {
    let is_of_system = |path: &String| {
        (path.starts_with("/usr/include/") || path.starts_with("/usr/lib/")) && !path.contains("/adtape/")
    };
    let own = files.iter().filter(|path| !is_of_system(path));
    let mut texts = own.filter_map(|path| std::fs::read(path).ok());
    texts.any(|text| {
        let text = String::from_utf8_lossy(&text);
        let mut pragmas = text.lines().filter(|line| line.contains("pragma") && line.contains("adjoint"));
        pragmas.any(|line| ["passive", "rule", "implicit"].iter().any(|word| line.contains(word)))
    })
}

/// A directive in a preprocessed text: file, line, and what stands behind `#pragma adjoint`.
pub struct Line<'t> {
    pub path: &'t str,
    pub line: u32,
    pub text: &'t str,
}

/// The directives of a text.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut path, mut number, mut all) = ("", 0, Vec::new());
    for line in text.lines() {
        if let Some((next, file, _)) = marker(line) {
            (path, number) = (file, next);
            continue;
        }
        if let Some(text) = line.trim_start().strip_prefix("#pragma adjoint ") {
            all.push(Line { path, line: number, text });
        }
        number += 1;
    }
    all
}
