//! Directives of OpenMP. Both sweeps run on one thread, so a program is read as it runs without them: that is right if
//! the program's result does not depend on the team. What shows that it may depend on it is refused; each other
//! directive that the sweeps lack is noted.
//!
//! ```text
//!   region    what each thread of a team does: declares, divides loops, adds its part
//!     passes  a loop whose passes the team divides: private copies, reductions, what passes share
//!   share     a thread's part of a sum
//!   uses      what a statement does to one variable
//!   writes    lvalues, and what leads to them
//!   directive words and clauses of one line
//! ```
//!
//! clang reads the sources once more, with `-fopenmp`. Its tree has a node for each directive and no names of clauses,
//! so these come from the preprocessor, whose lines have the order of the nodes.

mod directive;
mod passes;
mod region;
mod share;
mod uses;
mod writes;

use super::sources::{Files, Sources};
use super::tree::{self, Node, Tree};
use super::{internal, run};
use crate::directives::without_comments;
use crate::front::Input;
use crate::ir::{Dropped, Proc, Program, Source, Span};
use crate::refuse::{Class, Refusal};
use directive::{Clause, Directive, is_directive, parts};
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
    fn get(&self, node: &u64) -> Option<&Directive> {
        self.0.get(node)
    }

    /// The variable that a clause of a directive lists under a name.
    fn variable(&self, node: &Node, name: &str) -> Option<u64> {
        reference(node, name).map(|found| found.refers)
    }

    /// Whether a clause lists a variable.
    fn lists(&self, node: &Node, clause: &Clause, variable: u64) -> bool {
        clause.items.iter().any(|name| self.variable(node, name) == Some(variable))
    }
}

/// The place where the clauses of a directive name something.
fn reference<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    fn find<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
        let found = node.kind == "DeclRefExpr" && node.refers_name == name;
        if found { Some(node) } else { node.inner.iter().find_map(|part| find(part, name)) }
    }
    let is_clause = |part: &&Node| part.kind.is_empty() || part.kind.ends_with("Clause");
    node.inner.iter().filter(is_clause).find_map(|clause| find(clause, name))
}

/// One source as clang reads it with OpenMP.
struct Unit<'t> {
    files: Files,
    functions: FxHashMap<&'t str, &'t Node<'t>>,
    /// Variables at file scope.
    globals: FxHashSet<u64>,
    /// Those of which each thread has its own.
    threadprivate: FxHashSet<u64>,
    directives: Directives,
    root: &'t Node<'t>,
}

/// Reads the directives of the sources, and judges those of functions that the heads reach. `sources`: of the program.
pub fn find(clang: &str, input: &Input, sources: Vec<Source>) -> Found {
    let mut sources = Sources::of(sources);
    let mut found = Found { refusals: Vec::new(), dropped: Vec::new(), sources: Vec::new() };
    let arguments: Vec<String> =
        ["-fopenmp", "-U_OPENMP"].map(String::from).into_iter().chain(input.arguments.iter().cloned()).collect();
    let read = |file: &String| -> Result<(String, String), String> {
        let tree = run::tree_of_file(clang, &arguments, file)?;
        let text = run::expanded(clang, &arguments, file)?;
        Ok((tree, text))
    };
    let mut texts: Vec<(String, String)> = Vec::new();
    for file in &input.files {
        match read(file) {
            Ok(read) => texts.push(read),
            Err(why) => found.refusals.push(Refusal {
                class: Class::Threads,
                span: Span::default(),
                what: format!("{clang} does not accept the directives of OpenMP in {file}: {}", why.trim_end()),
                help: "mend the directives".to_string(),
            }),
        }
    }
    let mut trees: Vec<(Tree, Vec<&str>)> = Vec::new();
    for (tree, text) in &texts {
        match tree::parse(tree) {
            Ok(tree) => trees.push((tree, lines(text))),
            Err(why) => found.refusals.push(super::not_understood(&why)),
        }
    }
    if found.refusals.is_empty() {
        let mut units = Vec::new();
        for ((tree, lines), file) in trees.iter().zip(&input.files) {
            match Unit::new(tree, lines, file, &mut sources) {
                Some(unit) => units.push(unit),
                None => {
                    found.refusals.push(internal(&format!("the directives of OpenMP in {file} are not understood")))
                }
            }
        }
        judge(&units, &input.heads, &sources, &mut found);
    }
    found.sources = sources.list;
    found
}

/// The directives in the text of procedures that were read from a stored tree, which has none of them.
pub fn beside_a_tree(program: &Program) -> Vec<Refusal> {
    let of = |proc: &Proc| {
        let source = program.sources.get(proc.span.source as usize)?;
        let text = source.text.get(proc.span.start as usize..proc.span.end as usize)?;
        let code = without_comments(text);
        let is_directive = |line: &&str| {
            let words: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            words.starts_with("#pragmaomp") || words.contains("_Pragma(\"omp")
        };
        code.lines().find(is_directive)?;
        let at = text.find("pragma").or_else(|| text.find("_Pragma"))?;
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let start = proc.span.start + line_start as u32;
        let line = proc.span.line + text[..at].matches('\n').count() as u32;
        let span = Span { source: proc.span.source, start, end: start, line, column: 1 };
        let what = "a syntax tree has no directives of OpenMP, and they may change what the function means".to_string();
        Some(Refusal { class: Class::Threads, span, what, help: "let clang read the source: leave out --ast".into() })
    };
    program.procs.iter().filter_map(of).collect()
}

/// The directives in a preprocessed text.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("#pragma ")).filter(|line| line.starts_with("omp ")).collect()
}

impl<'t> Unit<'t> {
    fn new(tree: &'t Tree<'t>, lines: &[&str], main: &str, sources: &mut Sources) -> Option<Unit<'t>> {
        let mut nodes = Vec::new();
        directives_of(&tree.root, &mut nodes);
        let lines: Vec<&str> = lines.iter().copied().filter(|line| Directive::is_statement(line)).collect();
        if nodes.len() != lines.len() {
            return None;
        }
        let pairs = nodes.into_iter().zip(lines);
        let directives: Option<FxHashMap<u64, Directive>> =
            pairs.map(|(node, line)| Some((node.id, Directive::parse(line, node.kind)?))).collect();
        let has_body =
            |node: &&&Node| node.kind == "FunctionDecl" && node.inner.iter().any(|p| p.kind == "CompoundStmt");
        let top = || tree.root.inner.iter();
        Some(Unit {
            files: Files::new(&tree.files, sources, main),
            functions: top().filter(|node| has_body(&node)).map(|node| (&*node.name, node)).collect(),
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
fn directives_of<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<&'n Node<'a>>) {
    if is_directive(node) {
        found.push(node);
    }
    parts(node).iter().for_each(|part| directives_of(part, found));
}

/// A function, and the unit that it is of.
type Function<'u, 't> = (usize, &'u Node<'t>);

fn judge<'t>(units: &[Unit<'t>], heads: &[String], sources: &Sources, found: &mut Found) {
    let reached = reached(units, heads);
    for &(number, function) in &reached {
        let unit = &units[number];
        let mut judge = region::Judge { units, unit: number, sources, found, replicated: Vec::new() };
        judge.function(function);
        let mut nodes = Vec::new();
        directives_of(function, &mut nodes);
        for node in nodes {
            let span = unit.files.point(node.begin, sources);
            let text = unit.directives.get(&node.id).map_or("", |directive| &directive.text);
            found.dropped.push(Dropped { span, text: text.to_string() });
        }
    }
    for unit in units {
        for declared in unit.root.inner.iter().filter(|node| node.kind == "OMPThreadPrivateDecl") {
            for variable in &declared.inner {
                let user = |(number, function): &&Function| {
                    std::ptr::eq(&units[*number], unit) && uses::names(function, variable.refers)
                };
                if reached.iter().any(|function| user(&function)) {
                    found.refusals.push(Refusal {
                        class: Class::Threads,
                        span: unit.files.point(declared.begin, sources),
                        what: format!("each thread has its own '{}' (threadprivate)", variable.refers_name),
                        help: "declare it in the function, or in the body of the loop".to_string(),
                    });
                }
            }
        }
    }
    found.refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
    found.refusals.dedup();
    found.dropped.sort_by_key(|dropped| (dropped.span.source, dropped.span.start));
    found.dropped.dedup();
}

/// The functions that the heads reach, through calls and pointers.
fn reached<'u, 't>(units: &'u [Unit<'t>], heads: &[String]) -> Vec<Function<'u, 't>> {
    let mut all: Vec<Function> = Vec::new();
    let mut open: Vec<(usize, String)> = heads.iter().map(|head| (0, head.clone())).collect();
    while let Some((unit, name)) = open.pop() {
        let Some((home, function)) = definition(units, unit, &name) else { continue };
        if all.iter().any(|(_, known)| std::ptr::eq(*known, function)) {
            continue;
        }
        all.push((home, function));
        functions_of(function, &mut |name| open.push((home, name.to_string())));
        // A table at file scope may name functions.
        for variable in units[home].root.inner.iter().filter(|node| node.kind == "VarDecl") {
            if uses::names(function, variable.id) {
                functions_of(variable, &mut |name| open.push((home, name.to_string())));
            }
        }
    }
    all
}

fn functions_of(node: &Node, see: &mut dyn FnMut(&str)) {
    if node.kind == "DeclRefExpr" && node.refers_kind == "FunctionDecl" {
        see(&node.refers_name);
    }
    node.inner.iter().for_each(|part| functions_of(part, see));
}

fn definition<'u, 't>(units: &'u [Unit<'t>], unit: usize, name: &str) -> Option<Function<'u, 't>> {
    let own = units.get(unit).and_then(|unit| unit.functions.get(name)).map(|node| (unit, *node));
    let others = units.iter().enumerate().filter_map(|(at, unit)| Some((at, *unit.functions.get(name)?)));
    own.or_else(|| others.into_iter().next())
}
