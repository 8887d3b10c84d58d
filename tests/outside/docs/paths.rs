//! What the pages point at is there: links with their headings, and the paths that they name in `quotes`.

use crate::common::{files_below, root};
use std::fs;
use std::path::{Path, PathBuf};

/// What a path in quotes may be relative to, besides its page.
const BASES: [&str; 3] = ["", "src", "include"];

/// Beginnings of paths that a build or an installation makes.
const MADE: [&str; 2] = ["target/", "PREFIX/"];

/// All pages of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = files_below(root(), |name| name != "target" && !name.starts_with('.'));
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

/// A page without its blocks of code.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).expect("a page");
    text.split("```").step_by(2).collect()
}

/// As a heading is called in a link: `## A first adjoint` is `a-first-adjoint`.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_heading(page: &Path, wanted: &str) -> bool {
    prose(page).lines().any(|line| line.starts_with('#') && anchor(line) == wanted)
}

#[test]
fn every_link_of_a_page_leads_to_a_file_and_a_heading_that_are_there() {
    let (mut seen, mut broken) = (0, Vec::new());
    for page in pages() {
        let text = prose(&page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://")) {
            seen += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a directory").join(file) };
            if !target.exists() || !heading.is_empty() && !has_heading(&target, heading) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(seen > 50, "{seen} links");
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_path_that_a_page_names_exists() {
    let (mut seen, mut missing) = (0, Vec::new());
    for page in pages() {
        let text = prose(&page);
        let quoted = text.split('`').skip(1).step_by(2);
        let is_path = |text: &&str| {
            let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
            plain && text.contains('/') && !text.starts_with('/') && !MADE.iter().any(|made| text.starts_with(made))
        };
        for path in quoted.filter(is_path) {
            seen += 1;
            let beside = page.parent().expect("a directory").join(path);
            if !beside.exists() && !BASES.iter().any(|base| root().join(base).join(path).exists()) {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(seen > 50, "{seen} paths");
    assert_eq!(missing, Vec::<String>::new());
}
