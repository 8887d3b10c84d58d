//! The front end reads every version of clang alike: the programs of the other tests have one intermediate form.

use adtape_generate::front::{Input, read};
use adtape_generate::ir::print;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Versions whose syntax trees are read.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=19;

fn runs(clang: &str) -> bool {
    Command::new(clang).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The compilers that this machine has. `ADTAPE_CLANGS` names versions that must be among them.
fn compilers() -> Vec<String> {
    let found: Vec<String> = VERSIONS.map(|version| format!("clang-{version}")).filter(|clang| runs(clang)).collect();
    for version in std::env::var("ADTAPE_CLANGS").unwrap_or_default().split_whitespace() {
        assert!(found.contains(&format!("clang-{version}")), "clang-{version} does not run");
    }
    found
}

/// A program and the functions of it that are read.
fn sources() -> Vec<(PathBuf, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the programs") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let head =
            |line: &str| line.strip_prefix("double f_").and_then(|rest| rest.split('(').next()).map(String::from);
        let mut heads: Vec<String> = text.lines().filter_map(head).map(|name| format!("f_{name}")).collect();
        heads.sort();
        heads.dedup();
        if !heads.is_empty() {
            found.push((path, heads));
        }
    }
    found.sort();
    found
}

#[test]
fn syntax_trees_of_all_versions_are_read_alike() {
    let compilers = compilers();
    let sources = sources();
    assert!(!compilers.is_empty() && sources.len() >= 20, "{compilers:?}, {} programs", sources.len());
    println!("{}", compilers.join(" "));
    // All programs where somebody asks for all versions.
    let step = if std::env::var_os("ADTAPE_CLANGS").is_some() { 1 } else { 4 };
    let sources: Vec<_> = sources.into_iter().step_by(step).collect();
    crate::common::each(&sources, |(path, heads)| {
        let file = path.to_string_lossy().into_owned();
        let text = |clang: &String| {
            let input =
                Input { files: vec![file.clone()], heads: heads.clone(), clang: clang.clone(), ..Input::default() };
            read(&input).map(|program| print::program(&program)).map_err(|refusals| format!("{refusals:#?}"))
        };
        let first = text(&compilers[0]);
        assert!(first.is_ok(), "{file}: {first:?}");
        for clang in &compilers[1..] {
            assert_eq!(first, text(clang), "{file}: {clang}");
        }
    });
}
