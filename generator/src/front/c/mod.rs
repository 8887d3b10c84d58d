//! C, read through clang's syntax tree.

mod conditions;
mod control;
mod failure;
mod fits;
mod functions;
mod headers;
mod inclusions;
mod joint;
mod lower;
mod meant;
mod mpi;
mod openmp;
mod rules;
mod run;
mod same;
mod sources;
mod stream;
mod tree;
mod types;
mod unit;
mod uses;
mod views;

use super::{Input, Unread};
use crate::ir::{Outside, Preprocessed, Program};
use crate::parallel;
use crate::refuse::Refusal;
use crate::stack;
use failure::not_understood;
use sources::Sources;
use std::sync::Arc;
use stream::Parts;
use tree::Tree;
use unit::Unit;

/// Deep nesting of expressions and statements recurses, so reading gets a stack of its own: this, but no more than such a
/// part of what the process may have.
const STACK_BYTES: usize = 1 << 30;
const PARTS: usize = 16;

/// Reads the sources.
pub fn read(input: &Input) -> Result<Program, Unread> {
    if !input.trees.is_empty() {
        return read_all(input);
    }
    // Without a folder for temporary files the header of an MPI is read, if there is one.
    let reading = mpi::Reading::new().ok();
    match reading {
        Some(reading) => read_all(&reading.input(input)),
        None => read_all(input),
    }
}

fn read_all(input: &Input) -> Result<Program, Unread> {
    std::thread::scope(|scope| {
        // A stored tree may come from another machine: its source stays unread.
        let files = if input.trees.is_empty() { &input.files[..] } else { &[] };
        let macros = || headers::macros(compiler(input), &input.arguments, files);
        let beside = std::thread::Builder::new().spawn_scoped(scope, macros);
        let reader = std::thread::Builder::new().stack_size(stack::bytes(STACK_BYTES, PARTS));
        // This thread reads where no other can be had.
        let read = match reader.spawn_scoped(scope, || read_here(input)) {
            Ok(reader) => reader.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault)),
            Err(_) => read_here(input),
        };
        let preprocessed = match beside {
            Ok(beside) => beside.join().unwrap_or_default(),
            Err(_) => macros(),
        };
        with_directives(input, read, preprocessed)
    })
}

/// The program with what its directives of OpenMP are to the sweeps.
fn with_directives(
    input: &Input,
    read: Result<Program, Unread>,
    preprocessed: Preprocessed,
) -> Result<Program, Unread> {
    if !input.trees.is_empty() {
        let program = read?;
        let refusals = openmp::beside_a_tree(&program);
        return if refusals.is_empty() {
            Ok(program)
        } else {
            Err(Unread { refusals, sources: program.sources.into_iter().collect() })
        };
    }
    // What the compiler does not read has no directives to look for.
    let is_unread = read.as_ref().is_err_and(|unread| unread.sources.is_empty());
    if !preprocessed.has_directives || is_unread {
        return read.map(|mut program| {
            program.c.preprocessed = preprocessed;
            program
        });
    }
    let sources = match &read {
        Ok(program) => program.sources.to_vec(),
        Err(unread) => unread.sources.clone(),
    };
    let found = openmp::find(compiler(input), input, sources);
    match read {
        Ok(mut program) if found.refusals.is_empty() => {
            program.c.preprocessed = Preprocessed { dropped: found.dropped, ..preprocessed };
            program.sources = found.sources.into();
            Ok(program)
        }
        read => {
            let mut refusals = read.err().map_or_else(Vec::new, |unread| unread.refusals);
            refusals.extend(found.refusals);
            refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
            Err(Unread { refusals, sources: found.sources })
        }
    }
}

fn compiler(input: &Input) -> &str {
    if input.clang.is_empty() { "clang" } else { &input.clang }
}

fn without_sources(refusals: Vec<Refusal>) -> Unread {
    Unread { refusals, sources: Vec::new() }
}

fn read_here(input: &Input) -> Result<Program, Unread> {
    let clang = compiler(input);
    let asked = input.trees.is_empty().then(|| run::ask(clang));
    let parts: Vec<Parts> = input.files.iter().map(|_| Parts::default()).collect();
    let texts: Vec<_> = input.trees.iter().map(|tree| run::stored(tree)).collect();
    let positions: Vec<usize> = (0..input.files.len()).collect();
    let trees = parallel::map(&positions, parallel::threads(), |position| match texts.get(*position) {
        Some(Ok(text)) => {
            let tree = tree::parse(text).map_err(|error| not_understood(&error))?;
            fits::check(&tree, &input.trees[*position], &input.files[*position]).map(|()| tree)
        }
        Some(Err(refusal)) => Err(refusal.clone()),
        None => run::tree(clang, &input.arguments, &input.files[*position], &parts[*position]),
    });
    asked.map_or(Ok(()), run::Asked::check).map_err(|refusal| without_sources(vec![refusal]))?;
    let refusals: Vec<Refusal> = trees.iter().filter_map(|tree| tree.as_ref().err().cloned()).collect();
    if !refusals.is_empty() {
        return Err(without_sources(refusals));
    }
    let trees: Vec<Tree> = trees.into_iter().flatten().collect();
    let unordered = trees.iter().flat_map(|tree| tree.unordered.iter().cloned()).collect();
    let mut sources = Sources::default();
    for file in &input.files {
        sources.number(file, true);
    }
    let found = rules::find(clang, input, &trees, &mut sources);
    let rules = found.map_err(|refusals| Unread { refusals, sources: sources.list.clone() })?;
    let texts = rules.trees(clang, input, &mut sources);
    let texts = texts.map_err(|refusal| Unread { refusals: vec![refusal], sources: sources.list.clone() })?;
    let bodies: Result<Vec<Tree>, _> = texts.iter().map(|text| tree::parse(text)).collect();
    let mut bodies = bodies.map_err(|error| without_sources(vec![not_understood(&error)]))?;
    bodies.iter_mut().for_each(rules::only_bodies);
    if input.trees.is_empty() && (input.files.len() > 1 || input.without_source) {
        let (joint, text) = same::together(clang, input, &trees).map_err(|refusal| without_sources(vec![refusal]))?;
        let tree = tree::parse(&text).map_err(|error| without_sources(vec![not_understood(&error)]))?;
        if let Some(joint) = &joint {
            sources.joint(run::TEXT, joint);
        }
        let mut units = vec![Unit::new(&tree, if joint.is_some() { run::TEXT } else { "" }, &mut sources)];
        units.extend(bodies.iter().map(|bodies| Unit::new(bodies, "", &mut sources).of_bodies()));
        let outside =
            joint.filter(|_| input.without_source).map(|joint| Outside { head: joint.head, parts: joint.parts });
        let mut program = lower::program(units, sources, unordered, &input.heads, rules)?;
        program.c.outside = Arc::new(outside.unwrap_or_default());
        return Ok(program);
    }
    let of = |(tree, path): (_, &String)| Unit::new(tree, path, &mut sources);
    let mut units: Vec<Unit> = trees.iter().zip(&input.files).map(of).collect();
    units.extend(bodies.iter().map(|bodies| Unit::new(bodies, "", &mut sources).of_bodies()));
    lower::program(units, sources, unordered, &input.heads, rules)
}
