//! What the declarations of headers name that other files declare.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::sources::{Files, Sources};
use super::tree::{Node, Tree};
use crate::ir::Use;
use crate::names::words;

/// Of all headers, but for the system's; `main` is the source.
pub fn of_headers(tree: &Tree, main: &str, sources: &mut Sources) -> Vec<Use> {
    let is_header = |path: &str| path != main && !path.starts_with("/usr/");
    if !tree.files.iter().any(|path| is_header(path)) && main != super::run::TEXT {
        return Vec::new();
    }
    let files = Files::new(&tree.files, sources, main);
    let mut declared = Declared::default();
    let mut found = BTreeSet::new();
    for node in tree.root.inner.iter().filter(|node| !node.implicit) {
        let place = files.point(node.location, sources);
        let Some(home) = sources.list.get(place.source as usize).map(|source| source.path_at(place.start)) else {
            continue;
        };
        if is_header(home) {
            declared.named_by(node, &mut |name, of| {
                if of != home {
                    found.insert(Use { by: home.to_string(), name: name.to_string(), of: of.to_string() });
                }
            });
        }
        declared.add(node, home);
    }
    // What a header declares itself, too, it has.
    found.retain(|used| !declared.again.contains(&(used.name.clone(), used.by.clone())));
    found.into_iter().collect()
}

/// What is declared so far, and where.
#[derive(Default)]
struct Declared<'a> {
    /// Functions, variables and enumerators by their identity.
    values: FxHashMap<u64, (&'a str, String)>,
    /// Typedefs and tags.
    types: FxHashMap<&'a str, String>,
    /// Names that a file declares which another one has declared before.
    again: FxHashSet<(String, String)>,
}

impl<'a> Declared<'a> {
    fn add(&mut self, node: &'a Node<'a>, home: &str) {
        match node.kind {
            "TypedefDecl" | "RecordDecl" | "EnumDecl" if !node.name.is_empty() => {
                let known = self.types.entry(&node.name).or_insert_with(|| home.to_string());
                if known != home {
                    self.again.insert((node.name.to_string(), home.to_string()));
                }
            }
            _ => {}
        }
        for node in std::iter::once(node).chain(&node.inner) {
            if matches!(node.kind, "FunctionDecl" | "VarDecl" | "EnumConstantDecl") {
                self.values.insert(node.id, (&node.name, home.to_string()));
            }
        }
    }

    /// Calls `see` with each name that a declaration uses, and its file.
    fn named_by(&self, node: &Node, see: &mut dyn FnMut(&str, &str)) {
        if let Some((name, home)) = self.values.get(&node.refers) {
            see(name, home);
        }
        for word in words(&node.written_type).chain(words(&node.argument_type)) {
            if let Some(home) = self.types.get(word) {
                see(word, home);
            }
        }
        node.inner.iter().for_each(|part| self.named_by(part, see));
    }
}
