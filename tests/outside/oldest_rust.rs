//! Cargo.toml's rust-version is the oldest Rust that the library itself and the dependencies allow. That the library
//! compiles with it, `make oldest-rust` checks.

use crate::common::{root, stdout};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

/// The first Rust with edition 2024.
const EDITION: Version = (1, 85);
/// The first Rust with the functions that copy arrays by vectors of AVX-512.
const VECTORS: Version = (1, 89);

type Version = (u32, u32);

fn version(text: &str) -> Version {
    let mut numbers = text.split('.').map(|part| part.parse().expect("a version number"));
    (numbers.next().expect("a major version"), numbers.next().unwrap_or(0))
}

fn cargo(arguments: &[&str]) -> String {
    stdout(Command::new(env!("CARGO")).current_dir(root()).args(arguments).args(["--locked", "--offline"]))
}

/// The value of a key in a manifest's `[package]`.
fn package_key(manifest: &str, key: &str) -> Option<String> {
    let package = manifest.lines().skip_while(|line| *line != "[package]").skip(1);
    package.take_while(|line| !line.starts_with('[')).find_map(|line| {
        let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
        Some(value.trim_matches('"').to_owned())
    })
}

/// The crates that the library is compiled with, as ("libc", "0.2.191"); those of tests and benches do not count.
fn dependencies() -> BTreeSet<(String, String)> {
    let tree = cargo(&["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    let crates = tree.lines().filter_map(|line| line.split_once(" v"));
    let named = crates.map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap_or(rest).to_owned()));
    named.filter(|(name, _)| name != "adtape").collect()
}

/// The rust-version of every crate of Cargo.lock that states one.
fn stated() -> BTreeMap<(String, String), Version> {
    // Crates of other platforms are not downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", &platform]);
    let paths = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let manifests = paths.filter_map(|path| fs::read_to_string(path).ok());
    let entry = |manifest: String| {
        let key = |key| package_key(&manifest, key);
        Some(((key("name")?, key("version")?), version(&key("rust-version")?)))
    };
    manifests.filter_map(entry).collect()
}

#[test]
fn rust_version_is_the_oldest_that_dependencies_allow() {
    let (stated, dependencies) = (stated(), dependencies());
    assert!(dependencies.iter().any(|(name, _)| name == "libc"), "{dependencies:?}");
    let newest = dependencies.iter().filter_map(|dependency| Some((*stated.get(dependency)?, &dependency.0))).max();
    let own = [(EDITION, &"edition 2024".to_owned()), (VECTORS, &"AVX-512".to_owned())];
    let needed = newest.into_iter().chain(own).max().expect("the edition at least");
    assert_eq!(version(env!("CARGO_PKG_RUST_VERSION")), needed.0, "needed by {}", needed.1);
}
