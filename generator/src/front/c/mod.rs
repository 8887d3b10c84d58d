//! C, read through clang's syntax tree.

mod joint;
mod lower;
mod run;
mod same;
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

fn parsed(text: &str) -> Result<tree::Tree<'_>, Unread> {
    let unread = |error| without_sources(vec![internal(&format!("clang's syntax tree is not understood: {error}"))]);
    tree::parse(text).map_err(unread)
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
    let trees: Vec<_> = texts.iter().map(|text| parsed(text)).collect::<Result<_, _>>()?;
    let mut sources = Sources::default();
    for file in &input.files {
        sources.number(file, true);
    }
    if input.trees.is_empty() && input.files.len() > 1 {
        let together = same::together(clang, input, &trees).map_err(|refusal| without_sources(vec![refusal]))?;
        if let Some((joint, text)) = &together {
            let tree = parsed(text)?;
            sources.joint(run::TEXT, joint);
            let unit = Unit::new(&tree, run::TEXT, &mut sources);
            return lower::program(vec![unit], sources, &input.heads);
        }
    }
    let units = trees.iter().zip(&input.files).map(|(tree, path)| Unit::new(tree, path, &mut sources)).collect();
    lower::program(units, sources, &input.heads)
}
