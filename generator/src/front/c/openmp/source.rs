//! The directives of a source and the functions that its syntax tree has.

use super::directive::{Clause, Directive, is_directive, parts};
use crate::front::c::sources::{Files, Sources};
use crate::front::c::tree::{Node, Tree};
use crate::ir::{Dropped, Source};
use crate::refuse::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the directives of a program are to its sweeps.
pub struct Found {
    /// Why the result may depend on the team.
    pub refusals: Vec<Refusal>,
    /// Directives that the sweeps do not have.
    pub dropped: Vec<Dropped>,
    /// The sources, with headers that only directives name.
    pub sources: Vec<Source>,
}

/// Directives by the identity of their node.
#[derive(Default)]
pub struct Directives(FxHashMap<u64, Directive>);

impl Directives {
    pub(super) fn get(&self, node: &u64) -> Option<&Directive> {
        self.0.get(node)
    }

    /// The variable that a clause of a directive lists under a name.
    pub(super) fn variable(&self, node: &Node, name: &str) -> Option<u64> {
        reference(node, name).map(|found| found.refers)
    }

    /// Whether a clause lists a variable.
    pub(super) fn lists(&self, node: &Node, clause: &Clause, variable: u64) -> bool {
        clause.items.iter().any(|name| self.variable(node, name) == Some(variable))
    }
}

/// The place where the clauses of a directive name something.
pub(super) fn reference<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    fn find<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
        let found = node.kind == "DeclRefExpr" && node.refers_name == name;
        if found { Some(node) } else { node.inner.iter().find_map(|part| find(part, name)) }
    }
    let is_clause = |part: &&Node| part.kind.is_empty() || part.kind.ends_with("Clause");
    node.inner.iter().filter(is_clause).find_map(|clause| find(clause, name))
}

/// One source as clang reads it with OpenMP.
pub(super) struct Unit<'t> {
    pub(super) files: Files,
    pub(super) functions: FxHashMap<&'t str, &'t Node<'t>>,
    /// Variables at file scope.
    pub(super) globals: FxHashSet<u64>,
    /// Those of which each thread has its own.
    pub(super) threadprivate: FxHashSet<u64>,
    pub(super) directives: Directives,
    pub(super) root: &'t Node<'t>,
}

/// The directives in a preprocessed text.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("#pragma ")).filter(|line| line.starts_with("omp ")).collect()
}

impl<'t> Unit<'t> {
    pub(super) fn new(tree: &'t Tree<'t>, lines: &[&str], main: &str, sources: &mut Sources) -> Option<Unit<'t>> {
        let mut nodes = Vec::new();
        directives_of(&tree.root, &mut nodes);
        let lines: Vec<&str> = lines.iter().copied().filter(|line| Directive::is_statement(line)).collect();
        if nodes.len() != lines.len() {
            return None;
        }
        let pairs = nodes.into_iter().zip(lines);
        let directives: Option<FxHashMap<u64, Directive>> =
            pairs.map(|(node, line)| Some((node.id, Directive::parse(line, node.kind)?))).collect();
        let top = || tree.root.inner.iter();
        Some(Unit {
            files: Files::new(&tree.files, sources, main),
            functions: top().filter(|node| node.has_body()).map(|node| (&*node.name, node)).collect(),
            globals: top().filter(|node| node.kind == "VarDecl").map(|node| node.id).collect(),
            threadprivate: top()
                .filter(|node| node.kind == "OMPThreadPrivateDecl")
                .flat_map(|node| node.inner.iter().map(|named| named.refers))
                .collect(),
            directives: Directives(directives?),
            root: &tree.root,
        })
    }
}

/// The directives below a node, in the order of the text.
pub(super) fn directives_of<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<&'n Node<'a>>) {
    if is_directive(node) {
        found.push(node);
    }
    parts(node).iter().for_each(|part| directives_of(part, found));
}

/// A function, and the unit that it is of.
pub(super) type Function<'u, 't> = (usize, &'u Node<'t>);

pub(super) fn definition<'u, 't>(units: &'u [Unit<'t>], unit: usize, name: &str) -> Option<Function<'u, 't>> {
    let own = units.get(unit).and_then(|unit| unit.functions.get(name)).map(|node| (unit, *node));
    let others = units.iter().enumerate().filter_map(|(at, unit)| Some((at, *unit.functions.get(name)?)));
    own.or_else(|| others.into_iter().next())
}
