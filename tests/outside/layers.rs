//! The layers of the library: imports point down only, and `unsafe` stays where it belongs. Within a layer no files import
//! each other in a circle ([`circles`]), and no file is long without a reason ([`lengths`]). Matches over items of the
//! generator name all kinds ([`items`]).
//!
//! A path that starts with `crate::`, or that `super::` leads up to the crate root, names a module of another
//! layer. It must lie strictly below: modules of one layer never import each other. Paths are read from the
//! source as the compiler would split it into tokens, in `use` lines and in expressions alike.

mod circles;
mod imports;
mod items;
mod lengths;
mod source;
mod tokens;

use source::{Source, read_sources, source};
use tokens::{Token, tokens};

/// Layers by name, each with its modules.
type Layers = [(&'static str, &'static [&'static str])];

/// The layers from the top down (ARCHITECTURE.md, "The picture"). The crate root stands above all.
const LAYERS: &[(&str, &[&str])] = &[
    ("interfaces", &["ffi", "load"]),
    ("policy", &["process", "objects", "driver", "verify"]),
    ("checkpoints", &["checkpoint", "heap"]),
    ("tape", &["tape"]),
    ("profile", &["profile"]),
    ("foundation", &["vm", "store", "map", "schedule"]),
    ("settings", &["settings", "site"]),
    ("errors", &["error"]),
    ("base", &["codes", "hash", "part", "sync", "varint"]),
];

/// The layers of the generator, likewise: what is printed and what is decided do not know each other.
const GENERATOR_LAYERS: &[(&str, &[&str])] = &[
    ("results", &["emit", "transform"]),
    ("proofs", &["check", "known", "proofs"]),
    ("sweeps as a whole", &["sweeps"]),
    ("sweeps", &["sweep", "statics"]),
    ("forms of programs", &["normal"]),
    ("plans", &["plan", "replay"]),
    ("analyses", &["flow", "front"]),
    ("names", &["refuse", "names"]),
    ("program", &["ir", "parallel"]),
    ("base", &["stack", "directives"]),
];

/// The layers of the command, likewise.
const COMMAND_LAYERS: &[(&str, &[&str])] = &[
    ("verification", &["verify"]),
    ("commands", &["generate"]),
    ("drivers", &["check"]),
    ("run", &["job"]),
    ("heads of files", &["depfile", "origin", "manual"]),
    ("flags", &["flags"]),
    ("command line", &["options"]),
    ("reports", &["schedules", "profile"]),
    ("pages", &["page", "explain"]),
    ("files", &["codes", "outputs", "pictures", "report", "inspect", "mpi"]),
    ("base", &["say", "heads", "memory"]),
    ("messages", &["messages", "words"]),
];

/// The layers of `generator/fortran`, likewise.
const FORTRAN_LAYERS: &[(&str, &[&str])] = &[
    ("meaning", &["scope"]),
    ("syntax", &["parse", "print"]),
    ("tree", &["tree"]),
    ("tokens", &["lex"]),
    ("statements", &["form"]),
    ("messages", &["message"]),
    ("text", &["source", "stack"]),
];

/// The modules that may contain `unsafe`; a name without `::` stands for all below it too.
const UNSAFE: &[&str] = &[
    "load",
    "sync::first",
    "sync::fork",
    "sync::lock",
    "site::module",
    "objects::armed",
    "objects::owned_heap",
    "objects::variables",
    "vm",
    "store::os",
    "tape::hot",
    "tape::life",
    "tape::ending",
    "tape::cursor",
    "heap",
    "ffi",
];

/// What a file names directly under the crate root: (name, whether it is a macro call, line).
fn root_names(source: &Source) -> Vec<(String, bool, usize)> {
    let tokens = tokens(&source.text);
    let is = |i: usize, what: &str| tokens.get(i).is_some_and(|token| token.text == what);
    let mut module = source.module();
    // The open braces: of an inline module, or of anything else.
    let mut braces = Vec::new();
    let mut names = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let depth = match tokens[i].text.as_str() {
            "mod" if is(i + 2, "{") => {
                module.push(tokens[i + 1].text.clone());
                braces.push(true);
                i += 3;
                continue;
            }
            "{" => {
                braces.push(false);
                i += 1;
                continue;
            }
            "}" => {
                if braces.pop() == Some(true) {
                    module.pop();
                }
                i += 1;
                continue;
            }
            "crate" if is(i + 1, "::") => 0,
            "super" if is(i + 1, "::") => module.len().saturating_sub(1),
            _ => {
                i += 1;
                continue;
            }
        };
        let (mut depth, mut next) = (depth, i + 2);
        while is(next, "super") && is(next + 1, "::") {
            (depth, next) = (depth.saturating_sub(1), next + 2);
        }
        if depth == 0 {
            names.extend(first_segments(&tokens, next));
        }
        // A group's braces are walked over like any others: they may hold further paths.
        i = next;
    }
    names
}

/// The names that a path goes on with at `start`: one, or those of a `{ }` group.
fn first_segments(tokens: &[Token], start: usize) -> Vec<(String, bool, usize)> {
    let segment = |i: usize| {
        let is_macro = tokens.get(i + 1).is_some_and(|token| token.text == "!");
        (tokens[i].text.clone(), is_macro, tokens[i].line)
    };
    match tokens.get(start) {
        Some(token) if token.text == "{" => {
            let (mut depth, mut fresh, mut found) = (0, false, Vec::new());
            for (i, token) in tokens.iter().enumerate().skip(start) {
                match token.text.as_str() {
                    "{" => (depth, fresh) = (depth + 1, depth == 0),
                    "}" => depth -= 1,
                    "," => fresh = depth == 1,
                    _ if fresh => {
                        found.push(segment(i));
                        fresh = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            found
        }
        Some(_) => vec![segment(start)],
        None => Vec::new(),
    }
}

fn layer(layers: &Layers, module: &str) -> Option<usize> {
    layers.iter().position(|(_, modules)| modules.contains(&module))
}

/// Each import that does not point down, as a line for people.
fn upward_imports(layers: &Layers, sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources {
        let module = source.module();
        let Some(own) = module.first() else { continue };
        let Some(own_layer) = layer(layers, own) else {
            faults.push(format!("{}: module {own} is in no layer: add it to its crate's layers", source.path));
            continue;
        };
        for (name, is_macro, line) in root_names(source) {
            let place = format!("{}:{line}: {own} ({})", source.path, layers[own_layer].0);
            match layer(layers, &name) {
                Some(_) if name == *own => {}
                Some(other) if other > own_layer => {}
                Some(other) => {
                    faults.push(format!("{place} imports {name} ({}), which is not below it", layers[other].0))
                }
                None if is_macro => {}
                None => faults.push(format!("{place} takes {name} from the crate root: import it from its module")),
            }
        }
    }
    faults
}

/// Each file with `unsafe` in it that must not have any, or that does not forbid it.
fn unsafe_faults(sources: &[Source]) -> Vec<String> {
    const FORBIDS: &str = "#![forbid(unsafe_code)]";
    let mut faults = Vec::new();
    for source in sources {
        let module = source.module().join("::");
        let within = |inner: &str, outer: &str| inner == outer || inner.starts_with(&format!("{outer}::"));
        if UNSAFE.iter().any(|allowed| within(&module, allowed)) {
            continue;
        }
        for token in tokens(&source.text).iter().filter(|token| token.text == "unsafe") {
            faults.push(format!("{}:{}: unsafe outside {}", source.path, token.line, UNSAFE.join(", ")));
        }
        // A module above one that may cannot forbid it: the attribute holds for all below.
        let above_allowed = module.is_empty() || UNSAFE.iter().any(|allowed| within(allowed, &module));
        let forbidden = sources.iter().any(|s| within(&module, &s.module().join("::")) && s.text.contains(FORBIDS));
        if !above_allowed && !forbidden {
            faults.push(format!("{}: lacks {FORBIDS}", source.path));
        }
    }
    faults
}

#[test]
fn imports_point_down() {
    let crates = [
        (LAYERS, ""),
        (GENERATOR_LAYERS, "generator"),
        (FORTRAN_LAYERS, "generator/fortran"),
        (COMMAND_LAYERS, "command"),
    ];
    let faults: Vec<String> =
        crates.iter().flat_map(|(layers, folder)| upward_imports(layers, &read_sources(folder))).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn unsafe_stays_where_it_belongs() {
    let faults = unsafe_faults(&read_sources(""));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn an_upward_import_is_seen_in_every_spelling() {
    let seen = [
        ("src/vm/span.rs", "use crate::tape::Tape;"),
        ("src/vm/span.rs", "pub(crate) use crate::{error::Error, tape};"),
        ("src/vm/span.rs", "fn f() { let x = crate :: tape::mark(); }"),
        ("src/vm/mod.rs", "use super::tape::Tape;"),
        ("src/vm/span.rs", "use super::super::tape;"),
        ("src/vm/span.rs", "mod tests { use super::super::super::objects::Objects; }"),
        ("src/vm/span.rs", "macro_rules! m { () => { $crate::tape::f() } }"),
        ("src/vm/span.rs", "const S: &str = r#\"\"#; const C: char = '\"'; use crate::ffi;"),
        ("src/vm/span.rs", "use crate::{error::{Error, Status}, objects};"),
        ("src/vm/span.rs", "use crate::store::Store;"),
        ("src/vm/span.rs", "use crate::Tape;"),
        ("src/novel.rs", ""),
    ];
    for (path, text) in seen {
        assert_eq!(upward_imports(LAYERS, &[source(path, text)]).len(), 1, "{path}: {text}");
    }
}

#[test]
fn a_downward_import_is_no_fault() {
    let text = "
        // use crate::ffi;
        /* crate::ffi /* crate::kit */ */
        use super::cursor::{Cursor, tests};
        use crate::{error::{Error, objects}, vm::Span};
        fn f<'a>(x: &'a str) -> char { crate::log!(\"crate::ffi\"); crate::tape::g(b\"\\\"crate::ffi\"); '\\'' }
        mod tests { use super::*; mod deep { use super::super::copy; } }
        pub(in crate::tape) struct S;";
    assert_eq!(upward_imports(LAYERS, &[source("src/tape/mark.rs", text)]), Vec::<String>::new());
    assert_eq!(upward_imports(LAYERS, &[source("src/lib.rs", "pub use crate::tape::Tape;")]), Vec::<String>::new());
}

#[test]
fn stray_unsafe_and_a_missing_forbid_are_seen() {
    let clean = "#![forbid(unsafe_code)]\n// unsafe\nconst S: &str = \"unsafe\";";
    let text = "fn f() { unsafe {} }";
    assert_eq!(unsafe_faults(&[source("src/error.rs", clean), source("src/vm/os.rs", text)]), Vec::<String>::new());
    assert_eq!(unsafe_faults(&[source("src/error.rs", text)]).len(), 2, "the word and the missing attribute");
    assert_eq!(unsafe_faults(&[source("src/tape/mod.rs", text)]).len(), 1, "the word; cursor lies below");
    assert_eq!(unsafe_faults(&[source("src/tape/mark.rs", "")]).len(), 1, "the missing attribute");
    assert_eq!(unsafe_faults(&[source("src/map/mod.rs", clean), source("src/map/tree.rs", "")]), Vec::<String>::new());
}
