//! C, read through clang's syntax tree.

mod lower;
mod run;
mod sources;
mod tree;
mod types;
mod unit;

use super::{Input, Unread};
use crate::ir::{Program, Span};
use crate::refuse::{Class, Refusal};
use sources::Sources;
use unit::Unit;

/// Deep nesting of expressions and statements recurses, so reading gets a stack of its own.
const STACK_BYTES: usize = 1 << 30;

/// Reads the sources.
pub fn read(input: &Input) -> Result<Program, Unread> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || read_here(input));
        match reader.map(|reader| reader.join()) {
            Ok(Ok(result)) => result,
            _ => Err(without_sources(vec![internal("the front end stopped")])),
        }
    })
}

fn internal(what: &str) -> Refusal {
    Refusal { class: Class::Language, span: Span::default(), what: what.to_string(), help: String::new() }
}

fn without_sources(refusals: Vec<Refusal>) -> Unread {
    Unread { refusals, sources: Vec::new() }
}

fn read_here(input: &Input) -> Result<Program, Unread> {
    let clang = if input.clang.is_empty() { "clang" } else { &input.clang };
    if input.trees.is_empty() {
        run::check(clang).map_err(|refusal| without_sources(vec![refusal]))?;
    }
    let (mut texts, mut refusals) = (Vec::new(), Vec::new());
    for (position, file) in input.files.iter().enumerate() {
        let tree = match input.trees.get(position) {
            Some(tree) => run::stored(tree),
            None => run::tree(clang, &input.arguments, file),
        };
        match tree {
            Ok(text) => texts.push(text),
            Err(refusal) => refusals.push(refusal),
        }
    }
    if !refusals.is_empty() {
        return Err(without_sources(refusals));
    }
    if input.trees.is_empty() && input.files.len() > 1 {
        run::together(clang, &input.arguments, &input.files).map_err(|refusal| without_sources(vec![refusal]))?;
    }
    let trees: Vec<_> =
        texts.iter().map(|text| tree::parse(text)).collect::<Result<_, _>>().map_err(|error| {
            without_sources(vec![internal(&format!("clang's syntax tree is not understood: {error}"))])
        })?;
    let mut sources = Sources::default();
    for file in &input.files {
        sources.number(file, true);
    }
    let units = trees.iter().zip(&input.files).map(|(tree, path)| Unit::new(tree, path, &mut sources)).collect();
    lower::program(units, sources, &input.heads)
}
