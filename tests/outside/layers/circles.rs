//! No circle of imports: the files of a crate can be read in an order in which each builds on those before it.

use super::imports::Crate;
use super::source::{Source, read_sources, source};

#[test]
fn no_files_import_each_other_in_a_circle() {
    for folder in ["", "generator", "generator/fortran", "command"] {
        let circles = Crate::of(&read_sources(folder)).circles();
        assert!(circles.is_empty(), "\nthe crate in {folder:?} has circles:\n{}", circles.join("\n"));
    }
}

#[test]
fn circle_is_seen_through_re_exports_and_modules() {
    let circles = |files: &[(&str, &str)]| {
        let sources: Vec<Source> = files.iter().map(|(path, text)| source(path, text)).collect();
        Crate::of(&sources).circles()
    };
    let root = ("src/lib.rs", "mod a; mod b; pub use a::A;");
    let there = ("src/b.rs", "use crate::a::A; pub struct B;");
    for back in
        ["use crate::b::B;", "use super::b; fn f() -> b::B {}", "fn f() { crate::b::B }", "use crate::{b::B as C};"]
    {
        let found = circles(&[root, ("src/a.rs", &format!("pub struct A; {back}")), there]);
        assert_eq!(found, ["src/a.rs -> src/b.rs -> src/a.rs"], "{back}");
    }
    for no_way_back in ["", "#[cfg(test)] mod tests { use crate::b::B; }", "use std::b::B;", "// use crate::b::B;"] {
        let found = circles(&[root, ("src/a.rs", &format!("pub struct A; {no_way_back}")), there]);
        assert_eq!(found, [""; 0], "{no_way_back}");
    }
    // The module re-exports what it does not use; its child uses what the module defines.
    let child = ("src/a/inner.rs", "use super::A; pub struct Inner;");
    let root = ("src/lib.rs", "mod a;");
    assert_eq!(circles(&[root, ("src/a/mod.rs", "mod inner; pub use inner::Inner; pub struct A;"), child]), [""; 0]);
    let found = circles(&[root, ("src/a/mod.rs", "mod inner; pub use inner::Inner; pub struct A(Inner);"), child]);
    assert_eq!(found, ["src/a/inner.rs -> src/a/mod.rs -> src/a/inner.rs"].map(|_| found[0].as_str()));
    assert_eq!(found.len(), 1);
}
