//! Whether sources in one file mean what they mean alone.
//!
//! The generated file holds all sources. A macro of the first one that changes a function of the second one would
//! compile and compute something else, so the functions of both readings are compared, part by part. A static variable
//! that two sources have through one header would be one variable there.

use super::joint::{self, Joint};
use super::run;
use super::tree::{self, Node, Tree};
use crate::directives::{names_other, rename};
use crate::front::Input;
use crate::ir::Span;
use crate::refuse::{Class, Refusal};
use rustc_hash::{FxHashMap, FxHashSet};

/// How several sources can stand in one file: as a text, unless they can be included; and the syntax tree of that file.
pub fn together(clang: &str, input: &Input, trees: &[Tree]) -> Result<(Option<Joint>, String), Refusal> {
    let none: Vec<FxHashMap<String, String>> = vec![FxHashMap::default(); trees.len()];
    let included = || match variable_of_two(trees) {
        _ if input.without_source => Err(String::new()),
        Some(name) => Err(format!("two sources have a static variable '{name}'")),
        None => compared(clang, input, trees, &run::includes(&input.files), &none),
    };
    let why = match included() {
        Ok(tree) => return Ok((None, run::as_given(tree, &input.files))),
        Err(why) => why,
    };
    let preprocessed = input.files.iter().map(|file| run::preprocessed(clang, &input.arguments, file));
    let tried = preprocessed.collect::<Result<Vec<_>, _>>().and_then(|texts| {
        let attempt = |agree: bool| {
            let joint = joint::join(&texts, agree);
            let tree = compared(clang, input, trees, &joint.text, &joint.renamed)?;
            Ok((Some(joint), tree))
        };
        attempt(false).or_else(|why: String| attempt(true).map_err(|_| why))
    });
    tried.map_err(|also| {
        let whys = if also == why || why.is_empty() { also } else { format!("{why}; {also}") };
        let what = format!("the sources cannot stand in one file, as the generated file needs them: {whys}");
        let help = "give what several sources declare one place, and different things different names";
        Refusal { class: Class::Language, span: Span::default(), what, help: help.into() }
    })
}

/// A static variable at file scope, which may change, that functions of two sources use.
fn variable_of_two<'t>(trees: &'t [Tree]) -> Option<&'t str> {
    let mut used: FxHashSet<&str> = FxHashSet::default();
    trees.iter().find_map(|tree| {
        let own = |node: &&Node| node.kind == "VarDecl" && node.storage == "static" && !is_constant(&node.written_type);
        let of: FxHashMap<u64, &str> = tree.root.inner.iter().filter(own).map(|node| (node.id, &*node.name)).collect();
        let mut here = FxHashSet::default();
        tree.root.inner.iter().filter(|node| node.has_body()).for_each(|node| names(node, &of, &mut here));
        let twice = here.iter().find(|name| used.contains(*name)).copied();
        used.extend(here);
        twice
    })
}

/// Whether a variable of this type stays what it is. A pointer to what is constant may change.
fn is_constant(ty: &str) -> bool {
    let element = ty.split('[').next().unwrap_or(ty);
    element[element.rfind('*').unwrap_or_default()..].contains("const")
}

/// The variables of a list that a node names.
fn names<'t>(node: &Node, of: &FxHashMap<u64, &'t str>, found: &mut FxHashSet<&'t str>) {
    found.extend(of.get(&node.refers));
    node.inner.iter().for_each(|part| names(part, of, found));
}

/// The syntax tree of a text, if every function of the sources is the same there.
fn compared(
    clang: &str,
    input: &Input,
    trees: &[Tree],
    text: &str,
    renamed: &[FxHashMap<String, String>],
) -> Result<String, String> {
    let json = run::tree_of_text(clang, &input.arguments, text)?;
    let joint = tree::parse(&json)?;
    let joint_types = typedefs(&joint);
    let mut functions: FxHashMap<&str, &Node> = FxHashMap::default();
    for node in joint.root.inner.iter().filter(|node| node.has_body()) {
        functions.insert(&node.name, node);
    }
    for ((tree, new), file) in trees.iter().zip(renamed).zip(&input.files) {
        let own = |node: &&Node| !tree.files.get(node.location.at.file as usize).is_some_and(|path| is_system(path));
        let types = typedefs(tree);
        let names = Names { new, types: &types, joint_types: &joint_types };
        for node in tree.root.inner.iter().filter(|node| node.has_body()).filter(own) {
            let name = new.get(node.name.as_ref()).map_or(node.name.as_ref(), String::as_str);
            if !functions.get(name).is_some_and(|other| same(node, other, &names)) {
                return Err(format!("'{}' of {file} means something else behind the other sources", node.name));
            }
        }
    }
    drop(functions);
    drop(joint_types);
    drop(joint);
    Ok(json)
}

/// Whether a header is the system's, which every source finds as it is.
fn is_system(path: &str) -> bool {
    path.starts_with("/usr/")
}

/// What names of one source are in the text of all, and what typedefs stand for.
struct Names<'n> {
    new: &'n FxHashMap<String, String>,
    types: &'n Typedefs<'n>,
    joint_types: &'n Typedefs<'n>,
}

/// Typedefs by name; `None` for a name that has several meanings.
type Typedefs<'t> = FxHashMap<&'t str, Option<&'t str>>;

/// The typedefs of a tree that name a type of words alone: `double`, `unsigned long`, `struct point`.
fn typedefs<'t>(tree: &'t Tree<'t>) -> Typedefs<'t> {
    fn find<'t>(node: &'t Node<'t>, found: &mut Typedefs<'t>) {
        if node.kind == "TypedefDecl" {
            let (name, ty) = (node.name.as_ref(), node.ty());
            let meant = Some(ty).filter(|ty| ty.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b' ')));
            let known = found.entry(name).or_insert(meant);
            *known = known.filter(|known| meant == Some(known));
        }
        node.inner.iter().for_each(|part| find(part, found));
    }
    let mut found = Typedefs::default();
    find(&tree.root, &mut found);
    found
}

/// Whether two trees are the same but for identities, places, new names, typedefs of one type and what a prototype does
/// to pointers.
fn same(one: &Node, other: &Node, names: &Names) -> bool {
    let (one, other) = (without_casts(one), without_casts(other));
    let name = |a: &str, b: &str| a == b || names.new.get(a).is_some_and(|new| new == b);
    let function = |ty: &str| ty.contains('(');
    let none = FxHashMap::default();
    let agree = |one: String, other: String| {
        // `extern double x[];` behind the definition has its extent.
        let open = |ty: &str| ty.split_once("[]").map(|(before, behind)| (before.to_string(), behind.to_string()));
        let extent = |ty: &str| {
            let (before, behind) = ty.split_once('[')?;
            Some((before.to_string(), behind.split_once(']')?.1.to_string()))
        };
        one == other
            || (open(&one).is_some() && open(&one) == extent(&other))
            || (open(&other).is_some() && open(&other) == extent(&one))
    };
    let ty = |a: &str, b: &str| {
        a == b
            || function(a) && function(b)
            || agree(with_names(a, names.new), with_names(b, &none))
            || agree(with_names(&meant(a, names.types), names.new), with_names(&meant(b, names.joint_types), &none))
    };
    // A text may hold the name of its file.
    let text = one.kind == "StringLiteral";
    one.kind == other.kind
        && name(&one.name, &other.name)
        && name(&one.refers_name, &other.refers_name)
        && one.operator == other.operator
        && one.flag == other.flag
        && one.storage == other.storage
        && (text || one.value == other.value && ty(&one.written_type, &other.written_type))
        && ty(&one.compute_type, &other.compute_type)
        && ty(&one.argument_type, &other.argument_type)
        && parts(one).count() == parts(other).count()
        && parts(one).zip(parts(other)).all(|(one, other)| same(one, other, names))
}

/// What a pointer is before the compiler takes it for another one.
fn without_casts<'n>(mut node: &'n Node<'n>) -> &'n Node<'n> {
    while node.kind == "ImplicitCastExpr" && matches!(node.operator.as_ref(), "BitCast" | "NoOp") {
        let Some(inner) = node.inner.first() else { break };
        node = inner;
    }
    node
}

/// The parts without comments, which another file may have attached elsewhere.
fn parts<'n>(node: &'n Node<'n>) -> impl Iterator<Item = &'n Node<'n>> {
    node.inner.iter().filter(|part| part.kind != "FullComment")
}

/// A type with what its typedefs stand for.
fn meant(text: &str, types: &Typedefs) -> String {
    let known = |word: &str| types.get(word).copied().flatten().map(str::to_string);
    rename(text, &|word, front| if names_other(front) { None } else { known(word) })
}

/// A type with new names, and without the place of what has no name.
fn with_names(text: &str, new: &FxHashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(" at ") {
        out += &rest[..place];
        let behind = &rest[place + " at ".len()..];
        rest = &behind[behind.find([')', '>']).unwrap_or(behind.len())..];
    }
    out += rest;
    rename(&out, &|word, _| new.get(word).cloned())
}
