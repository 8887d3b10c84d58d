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
mod source;
mod uses;
mod writes;

use super::failure::{internal, not_understood};
use super::run;
use super::sources::Sources;
use super::tree::{self, Tree};
use crate::directives::without_comments;
use crate::front::Input;
use crate::ir::{Dropped, Proc, Program, Source, Span};
use crate::refuse::{Class, Refusal};
use source::{Found, Function, Unit, definition, directives_of, lines};

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
            Err(why) => found.refusals.push(not_understood(&why)),
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
        function.functions_named(&mut |name| open.push((home, name.to_string())));
        // A table at file scope may name functions.
        for variable in units[home].root.inner.iter().filter(|node| node.kind == "VarDecl") {
            if uses::names(function, variable.id) {
                variable.functions_named(&mut |name| open.push((home, name.to_string())));
            }
        }
    }
    all
}
