//! No circle of imports: the files of a crate can be read in an order in which each builds on those before it. The
//! generator and the command still have some; their number only falls.

use super::imports::Crate;
use super::source::{Source, read_sources, source};

/// The folder of each crate, and how many circles it has left.
const LEFT: [(&str, usize); 4] = [("", 0), ("generator", 0), ("generator/fortran", 0), ("command", 3)];

#[test]
fn no_files_import_each_other_in_a_circle() {
    for (folder, left) in LEFT {
        let circles = Crate::of(&read_sources(folder)).circles();
        let found = circles.len();
        assert!(
            found <= left,
            "\nthe crate in {folder:?} has {found} circles, {left} at most:\n{}",
            circles.join("\n")
        );
        assert!(found == left, "the crate in {folder:?} has {found} circles only: write that instead of {left}");
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
