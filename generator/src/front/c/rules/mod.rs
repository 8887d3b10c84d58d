//! Functions whose derivative is given, or that have none: directives in front of their declarations, `--passive`.
//!
//! ```text
//!   catalogue  rules that need no word of the user; gsl: those of special functions
//!   lines      where directives are
//!   pragma     words and clauses of a directive
//!   implicit   solvers, whose derivative follows from a residual
//!   stub       the body that a function with a rule has for the analyses
//! ```
//!
//! A function with a rule is lowered from a body that stands for it, so each analysis and the proof take it for any other
//! function. What the sweeps call in the end is the function itself, and its derivative.

mod catalogue;
mod gsl;
mod implicit;
mod lines;
mod pragma;
mod stub;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::failure::internal;
use super::mpi;
use super::run;
use super::sources::{Files, Sources};
use super::tree::{Node, Tree};
use crate::front::Input;
use crate::front::input::matches;
use crate::ir::{Derivative, Rule, Span};
use crate::names::words;
use crate::refuse::{Class, Refusal};
use lines::{Line, has_directives, lines};
use pragma::{Directive, Kind};
use stub::{Function, Param, What};

pub use stub::{GIVEN, NEED, PREFIX, UNKNOWN};

/// What is known of functions by directives.
#[derive(Default)]
pub struct Rules {
    /// Names of functions without a derivative, maybe with `*` for any letters.
    passive: Vec<String>,
    functions: FxHashMap<String, Known>,
    /// By source, which includes what they name, the texts of bodies.
    texts: Vec<(String, String)>,
}

struct Known {
    /// The function, as the program calls it.
    name: String,
    rule: Arc<Rule>,
    /// Parameters that are strides: with 1 for all of them the function has another body.
    strides: Vec<usize>,
    span: Span,
}

impl Rules {
    /// Whether no derivative passes through a function, which leaves memory alone.
    pub fn is_passive(&self, name: &str) -> bool {
        !self.functions.contains_key(name) && self.passive.iter().any(|pattern| matches(pattern, name))
    }

    /// The function whose body stands for another one, by which of its arguments are 1.
    pub fn stands_for(&self, name: &str, is_one: &dyn Fn(usize) -> bool) -> Option<String> {
        let known = self.functions.get(name)?;
        let by_ones = !known.strides.is_empty() && known.strides.iter().all(|stride| is_one(*stride));
        Some(format!("{}{name}{}", stub::PREFIX, if by_ones { "_by_ones" } else { "" }))
    }

    /// The function that a body stands for, its rule, and the directive.
    pub fn of_body(&self, body: &str) -> Option<(&str, &Arc<Rule>, Span)> {
        let name = body.strip_prefix(stub::PREFIX)?;
        let known = |name: &str| self.functions.get(name);
        let known = known(name).or_else(|| known(name.strip_suffix("_by_ones")?))?;
        Some((&known.name, &known.rule, known.span))
    }

    /// Whether a call of MPI has bodies: the program has its declarations from the header of MPI.
    pub fn has_bodies(&self, call: &mpi::catalogue::Call) -> bool {
        let mut variants = mpi::body::Variant::all(call);
        variants.any(|variant| self.functions.contains_key(variant.body(call).trim_start_matches(PREFIX)))
    }

    /// The bodies as the compiler reads them.
    pub fn trees(&self, clang: &str, input: &Input, sources: &mut Sources) -> Result<Vec<String>, Refusal> {
        let read = |(number, (source, text)): (usize, &(String, String))| {
            let includes = run::includes(std::slice::from_ref(source));
            let name = format!("<rules {}>", number + 1);
            sources.given(&name, text);
            let whole = format!("{includes}# 1 \"{name}\"\n{text}");
            run::tree_of_text(clang, &input.arguments, &whole).map_err(|why| {
                let (function, span) = self.met(&why, &name, text).unwrap_or_default();
                let why = why.trim_end();
                let why = why.split_once("error: ").map_or(why, |(_, why)| why);
                let what = format!("the clauses of the rule of '{function}' are no C: {why}");
                Refusal { class: Class::NoSource, span, what, help: "mend the directive: docs/rules.md".into() }
            })
        };
        self.texts.iter().enumerate().map(read).collect()
    }

    /// The function whose body the compiler complains about.
    fn met(&self, why: &str, name: &str, text: &str) -> Option<(String, Span)> {
        let line = why.split_once(name)?.1.trim_start_matches(':').split(':').next()?.parse().ok()?;
        let before: Vec<&str> = text.lines().take(line).collect();
        let begins = before.iter().rev().find_map(|line| line.split_once(stub::PREFIX))?;
        let body = begins.1.split('(').next()?;
        let (function, _, span) = self.of_body(&format!("{}{body}", stub::PREFIX))?;
        Some((function.to_owned(), span))
    }
}

/// The nodes of a tree that declare types and define the bodies.
pub fn only_bodies(tree: &mut Tree) {
    let is_other =
        |node: &Node| matches!(node.kind, "FunctionDecl" | "VarDecl") && !node.name.starts_with(stub::PREFIX);
    tree.root.inner.retain(|node| !is_other(node));
}

/// Reads the directives of the sources and of their headers.
pub fn find(clang: &str, input: &Input, trees: &[Tree], sources: &mut Sources) -> Result<Rules, Vec<Refusal>> {
    let mut found = Rules { passive: input.passive.clone(), ..Rules::default() };
    let mut refusals = Vec::new();
    if !input.trees.is_empty() {
        // No compiler runs, and a tree has no directives.
        return Ok(found);
    }
    for (tree, file) in trees.iter().zip(&input.files) {
        if !has_directives(&tree.files) {
            continue;
        }
        let text = run::expanded(clang, &input.arguments, file).map_err(|why| vec![internal(&why)])?;
        let mut reader = Reader { tree, files: Files::new(&tree.files, sources, file), sources, found: &mut found };
        for line in lines(&text) {
            refusals.extend(reader.directive(&line, file).err());
        }
    }
    for (tree, file) in trees.iter().zip(&input.files) {
        let passive = called(trees, tree, &found, &gsl::is_passive);
        found.passive.extend(passive.into_iter().map(|node| node.name.to_string()));
        let wanted = called(trees, tree, &found, &|name| catalogue::find(name).is_some());
        if !wanted.is_empty() {
            let mut reader = Reader { tree, files: Files::new(&tree.files, sources, file), sources, found: &mut found };
            wanted.into_iter().for_each(|node| reader.of_library(node, file));
        }
    }
    for (tree, file) in trees.iter().zip(&input.files) {
        let wanted = called(trees, tree, &found, &|name| mpi::catalogue::find(name).is_some());
        let has_header =
            || tree.root.inner.iter().any(|node| node.kind == "TypedefDecl" && node.name == "MPI_Datatype");
        if !wanted.is_empty() && has_header() {
            let mut reader = Reader { tree, files: Files::new(&tree.files, sources, file), sources, found: &mut found };
            wanted.into_iter().for_each(|node| reader.of_mpi(node, file));
        }
    }
    if refusals.is_empty() { Ok(found) } else { Err(refusals) }
}

/// The declarations in a tree of functions that it calls, that no source defines, and that a catalogue knows.
fn called<'t, 'a>(
    trees: &[Tree],
    tree: &'t Tree<'a>,
    found: &Rules,
    is_in_catalogue: &dyn Fn(&str) -> bool,
) -> Vec<&'t Node<'a>> {
    let declared = tree.root.inner.iter().filter(|node| node.kind == "FunctionDecl" && !node.has_body());
    let known = declared.filter(|node| !found.functions.contains_key(node.name.as_ref()));
    let mut known: Vec<&Node> = known.filter(|node| is_in_catalogue(&node.name)).collect();
    if known.is_empty() {
        return known;
    }
    let defined =
        |name: &str| trees.iter().flat_map(|tree| &tree.root.inner).any(|node| node.has_body() && node.name == name);
    let mut called = FxHashSet::default();
    for function in tree.root.inner.iter().filter(|node| node.has_body()) {
        function.functions_named(&mut |name| _ = called.insert(name.to_string()));
    }
    known.retain(|node| called.contains(node.name.as_ref()) && !defined(&node.name));
    let mut seen = FxHashSet::default();
    known.retain(|node| seen.insert(node.name.to_string()));
    known
}

struct Reader<'r, 't, 'a> {
    tree: &'t Tree<'a>,
    files: Files,
    sources: &'r mut Sources,
    found: &'r mut Rules,
}

impl<'t, 'a> Reader<'_, 't, 'a> {
    fn directive(&mut self, line: &Line, file: &str) -> Result<(), Refusal> {
        let directive = match pragma::parse(line.text) {
            Ok(Some(directive)) => directive,
            Ok(None) => return Ok(()),
            Err((at, what)) => return Err(self.refusal(line, at, what)),
        };
        if !directive.names.is_empty() {
            if directive.clauses != pragma::Clauses::default() {
                let what = "clauses are about the declaration behind them: leave out the names".into();
                return Err(self.refusal(line, 0, what));
            }
            self.found.passive.extend(directive.names);
            return Ok(());
        }
        let Some(node) = self.behind(line) else {
            return Err(self.refusal(line, 0, "no declaration of a function stands behind the directive".into()));
        };
        if directive.kind == Kind::Passive && directive.clauses == pragma::Clauses::default() {
            self.found.passive.push(node.name.to_string());
            return Ok(());
        }
        self.function(line, directive, node, file)
    }

    fn refusal(&mut self, line: &Line, at: usize, what: String) -> Refusal {
        let source = self.sources.number(line.path, false);
        let start = self.sources.line_start(source, 0, line.line.saturating_sub(1));
        let text = self.sources.all(source).get(start as usize..).unwrap_or_default();
        let first = text.find("adjoint").map_or(0, |at| at + "adjoint ".len()) as u32;
        let span = self.sources.span(source, start + first + at as u32, start + first + at as u32 + 1);
        Refusal { class: Class::NoSource, span, what, help: "mend the directive: docs/rules.md".into() }
    }

    /// The declaration behind a directive.
    fn behind(&self, line: &Line) -> Option<&'t Node<'a>> {
        let declared = self.tree.root.inner.iter().filter(|node| node.kind == "FunctionDecl");
        let placed = declared.filter_map(|node| {
            let span = self.files.point(node.location, self.sources);
            let (path, number) = self.sources.place(span.source as usize, span.start);
            (path == line.path && number > line.line).then_some((number, node))
        });
        placed.min_by_key(|(number, _)| *number).map(|(_, node)| node)
    }

    fn declared(&self, name: &str) -> Option<&'t Node<'a>> {
        self.tree.root.inner.iter().find(|node| node.kind == "FunctionDecl" && node.name == name)
    }

    fn function(&mut self, line: &Line, directive: Directive, node: &'t Node<'a>, file: &str) -> Result<(), Refusal> {
        let Directive { kind, clauses, residual, .. } = directive;
        let name = node.name.to_string();
        let mut function = Function {
            result: self.meant(&result(node)),
            params: self.params(node),
            name: name.clone(),
            kind,
            clauses,
        };
        function.check().map_err(|what| self.refusal(line, 0, what))?;
        let implicit = residual.map(|residual| implicit::of(&function, &residual)).transpose();
        let mut implicit = implicit.map_err(|what| self.refusal(line, 0, what))?;
        let (reverse, tangent) = match kind {
            Kind::Passive => (None, None),
            Kind::Implicit => {
                let behind: Vec<bool> = function.params.iter().map(|param| param.what.is_real()).collect();
                let of = |suffix| Derivative {
                    name: format!("{name}{suffix}"),
                    behind: behind.clone(),
                    ..Derivative::default()
                };
                let given = self.derivative(&function, "_d", "_d");
                if let Some(implicit) = &mut implicit {
                    implicit.has_tangent = given.is_none();
                }
                (Some(of("_rev")), Some(given.unwrap_or_else(|| of("_d"))))
            }
            Kind::Rule => {
                let Some(reverse) = self.derivative(&function, "_rev", "_b") else {
                    let mut missing =
                        self.refusal(line, 0, format!("'{name}' has a rule and no '{name}_rev' is declared"));
                    missing.help = format!("declare {}", stub::reverse(&function));
                    return Err(missing);
                };
                (Some(reverse), self.derivative(&function, "_d", "_d"))
            }
        };
        for (param, behind) in function.params.iter_mut().zip(reverse.iter().flat_map(|reverse| &reverse.behind)) {
            param.has_adjoint = *behind;
        }
        let repeats = kind != Kind::Passive && !function.clauses.has_state;
        let (reads, trial) = (function.reads(), Some(function.trial()));
        let header = implicit.as_ref().map(|_| "adtape/rules_implicit.h");
        let rule =
            Rule { function: name, reverse, tangent, reads, repeats, trial, implicit, header, ..Rule::default() };
        self.add(&function, rule, node, file);
        Ok(())
    }

    /// A function of a library that the program has no source of.
    fn of_library(&mut self, node: &'t Node<'a>, file: &str) {
        let name = node.name.to_string();
        let Some(known) = catalogue::find(&name) else { return };
        let mut params = self.params(node);
        if params.len() != known.params.len() || !params.iter().all(|param| param.what.is_of_library(&param.ty)) {
            return;
        }
        for (param, name) in params.iter_mut().zip(&known.params) {
            param.name = (*name).to_string();
            param.has_adjoint = param.what.is_real() && !known.lacks.contains(name);
        }
        let clauses = known.clauses;
        let function =
            Function { name: name.clone(), result: self.meant(&result(node)), params, kind: Kind::Rule, clauses };
        let behind: Vec<bool> = function.params.iter().map(|param| param.has_adjoint).collect();
        let result = stub::is_real(&function.result);
        let of = |suffix: &str| Derivative {
            name: format!("{name}{suffix}"),
            behind: behind.clone(),
            result,
            ..Derivative::default()
        };
        let (reverse, tangent) = (Some(of("_rev")), known.has_tangent.then(|| of("_d")));
        let (reads, header) = (function.reads(), Some(known.header));
        let trial = Some(function.trial());
        let rule = Rule { function: name, reverse, tangent, reads, header, repeats: true, trial, ..Rule::default() };
        self.add(&function, rule, node, file);
    }

    fn add(&mut self, function: &Function, rule: Rule, node: &Node, file: &str) {
        // Two sources may include one header.
        if self.found.functions.contains_key(&function.name) {
            return;
        }
        let strides = function.strides();
        let text = self.bodies(file);
        *text += &function.body(false);
        if !strides.is_empty() {
            *text += &function.body(true);
        }
        let span = self.files.point(node.location, self.sources);
        let known = Known { name: function.name.clone(), rule: Arc::new(rule), strides, span };
        self.found.functions.insert(function.name.clone(), known);
    }

    /// The text with the bodies of a source.
    fn bodies(&mut self, file: &str) -> &mut String {
        let known = self.found.texts.iter().position(|(source, _)| source == file);
        let at = known.unwrap_or_else(|| {
            self.found.texts.push((file.to_string(), stub::beginning()));
            self.found.texts.len() - 1
        });
        &mut self.found.texts[at].1
    }

    /// A call of MPI: a body for each way to make it.
    fn of_mpi(&mut self, node: &'t Node<'a>, file: &str) {
        let Some(call) = mpi::catalogue::find(&node.name) else { return };
        let span = self.of_header(self.files.point(node.location, self.sources));
        for (body, rule, text) in mpi::bodies(call) {
            let key = body.trim_start_matches(PREFIX).to_string();
            if self.found.functions.contains_key(&key) {
                continue;
            }
            *self.bodies(file) += &format!("{}{text}", mpi::body::beginning());
            let name = node.name.to_string();
            self.found.functions.insert(key, Known { name, rule, strides: Vec::new(), span });
        }
    }

    /// A place of the header of MPI under its own name: the compiler reads it in a folder for temporary files.
    fn of_header(&mut self, at: Span) -> Span {
        self.sources.given("mpi.h", mpi::TEXT);
        Span { source: self.sources.number("mpi.h", false) as u32, ..at }
    }

    fn params(&self, node: &Node) -> Vec<Param> {
        let all = node.inner.iter().filter(|part| part.kind == "ParmVarDecl").enumerate();
        let of = |(k, param): (usize, &Node)| {
            let name = if param.name.is_empty() { format!("argument_{}", k + 1) } else { param.name.to_string() };
            let what = what(&self.meant(&param.written_type));
            let members = match what {
                What::Other | What::Value => self.reals(&param.written_type, &name, 4),
                What::Real | What::Reals { .. } | What::Integers { .. } => Vec::new(),
            };
            Param { name, ty: param.written_type.to_string(), what, members, has_adjoint: false }
        };
        all.map(of).collect()
    }

    /// The reals in a value of a struct, or behind a pointer, as C text.
    fn reals(&self, ty: &str, at: &str, depth: u32) -> Vec<String> {
        let ty = self.meant(ty);
        let ty = ty.trim().trim_end_matches("const").trim().trim_start_matches("const ");
        if stub::is_real(ty) {
            return vec![at.to_string()];
        }
        if let Some(to) = ty.strip_suffix('*') {
            return self.reals(to, &format!("{at}[0]"), depth);
        }
        if let Some((elem, extents)) = ty.split_once('[') {
            return self.reals(elem, &format!("{at}{}", "[0]".repeat(1 + extents.matches('[').count())), depth);
        }
        let Some(tag) = ty.strip_prefix("struct ").filter(|_| depth > 0) else { return Vec::new() };
        let is_it = |node: &&Node| node.kind == "RecordDecl" && node.name == tag && node.complete;
        let fields = self.tree.root.inner.iter().find(is_it).into_iter().flat_map(|node| &node.inner);
        let fields = fields.filter(|node| node.kind == "FieldDecl" && !node.name.is_empty());
        fields.flat_map(|field| self.reals(&field.written_type, &format!("{at}.{}", field.name), depth - 1)).collect()
    }

    /// A type without the names that sources give to others.
    fn meant(&self, ty: &str) -> String {
        let mut ty = ty.replace("restrict", "");
        let named = |ty: &str| {
            let word = words(ty).last()?;
            let is_tag = ["struct ", "enum ", "union "].iter().any(|tag| ty.contains(tag));
            let node = self.tree.root.inner.iter().find(|node| node.kind == "TypedefDecl" && node.name == word)?;
            (!is_tag).then(|| ty.replacen(word, &node.written_type, 1))
        };
        // A name that means itself ends this, too.
        for _ in 0..16 {
            let Some(next) = named(&ty) else { break };
            ty = next;
        }
        ty
    }

    /// How a derivative of a function is called; `None`: it is not declared, or takes other arguments.
    fn derivative(&self, function: &Function, suffix: &str, behind: &str) -> Option<Derivative> {
        let name = format!("{}{suffix}", function.name);
        let declared = self.params(self.declared(&name)?);
        let mut declared = declared.iter().peekable();
        let mut follows = Vec::new();
        for param in &function.params {
            declared.next().filter(|own| own.what.is_like(param.what))?;
            let wanted = format!("{}{behind}", param.name);
            follows.push(declared.next_if(|own| own.name == wanted).is_some());
        }
        let result = declared.next().is_some();
        declared.next().is_none().then_some(Derivative { name, behind: follows, result, ..Derivative::default() })
    }
}

impl What {
    /// Whether a parameter is of a type that BLAS has.
    fn is_of_library(self, ty: &str) -> bool {
        match self {
            What::Integers { .. } => {
                let to = ty.trim_end().trim_end_matches("restrict").trim_end().trim_end_matches('*').trim();
                matches!(to.trim_start_matches("const "), "int" | "char")
            }
            What::Real | What::Reals { .. } | What::Value => true,
            What::Other => false,
        }
    }

    /// Whether an argument for one parameter fits the other.
    fn is_like(self, other: What) -> bool {
        match (self, other) {
            (What::Reals { .. }, What::Reals { .. }) | (What::Integers { .. }, What::Integers { .. }) => true,
            (one, other) => one == other,
        }
    }
}

/// The result of a function, as it is written.
fn result(node: &Node) -> String {
    node.written_type.split('(').next().unwrap_or_default().trim().to_string()
}

fn what(ty: &str) -> What {
    let ty = ty.replace("restrict", "");
    let ty = ty.trim();
    let Some(to) = ty.strip_suffix('*').map(str::trim) else {
        return if stub::is_real(ty.trim_start_matches("const ")) { What::Real } else { What::Value };
    };
    let constant = to.starts_with("const ");
    let to = to.trim_start_matches("const ");
    let is_integer =
        to.split(' ').all(|word| matches!(word, "int" | "long" | "short" | "char" | "unsigned" | "signed"));
    match to {
        to if stub::is_real(to) => What::Reals { constant },
        _ if is_integer => What::Integers { constant },
        _ => What::Other,
    }
}
