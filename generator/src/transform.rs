//! From a program to its sweeps: analyses, plans, forward and reverse sweep of every procedure that has a derivative.

mod build;
mod costless;
mod deferred;
mod inlined;
mod left_out;
mod proved;
mod tangents;
mod wide;

use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::normal::specialise::specialised;
use crate::normal::{frees, inline, stable};
use crate::refuse::Refusal;
use crate::statics;
pub use crate::sweeps::{Adjoint, Choices, Deferred, Sweeps, Tangents};
use inlined::or_inlined;
pub use tangents::tangent;

/// Writes the sweeps of all procedures that the heads reach and that have something to reverse.
pub fn adjoint(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let program = &*flow::order::settled(program, heads, &|program| statics::filled(program, heads))?;
    with_blocks(program, heads, choices).or_else(|refusals| {
        let copied = inline::copied(program, heads);
        let found = inline::by_index(copied.as_ref().unwrap_or(program), heads);
        let untyped = inline::untyped(program, heads);
        let others = copied.iter().chain(&found).chain(&untyped);
        others.filter_map(|other| with_blocks(other, heads, choices).ok()).next().ok_or(refusals)
    })
}

/// The adjoint of a program with its blocks where they are; else without functions that make them for others; else with
/// blocks on the stable heap.
fn with_blocks(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let as_it_is = match stable::moves(program) {
        Some(refusal) => Err(vec![refusal]),
        None => or_inlined(program, heads, &|program| with_members(program, heads, choices)),
    };
    as_it_is.or_else(|refusals| on_heap(program, heads, choices, refusals)).or_else(|refusals| {
        let inlined = inline::constructors(program, heads);
        inlined.and_then(|inlined| on_heap(&inlined, heads, choices, Vec::new()).ok()).ok_or(refusals)
    })
}

/// The adjoint of a program with its blocks on the stable heap; if that is refused, without what the program does where
/// it gets no memory, because the stable heap ends it there. `refusals`: of the program as it is.
fn on_heap(
    program: &Program,
    heads: &[Head],
    choices: &Choices,
    refusals: Vec<Refusal>,
) -> Result<Adjoint, Vec<Refusal>> {
    let (made, mut on_heap) = (stable::makes_blocks(program), stable::blocks(program, heads));
    let mut moved = made;
    while let Ok(flow) = Flow::analyse(&on_heap, heads)
        && let Some(more) = stable::variables(&on_heap, &flow)
    {
        (on_heap, moved) = (more, true);
    }
    if !moved || choices.vector.is_some() {
        return Err(refusals);
    }
    let found = with_members(&on_heap, heads, choices).or_else(|others| {
        let decided = inline::without_tests(&on_heap);
        decided.and_then(|decided| with_members(&decided, heads, choices).ok()).ok_or(others)
    });
    // A program without blocks is refused for what its variables do.
    found.map_err(|others| if made { others } else { refusals })
}

/// With calls of small functions with structs written out, if that is accepted.
fn with_members(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let written = inline::by_value(program, heads).map(|written| adjoint_of(&written, heads, choices));
    written.and_then(Result::ok).map_or_else(|| adjoint_of(program, heads, choices), Ok)
}

fn adjoint_of(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    specialised(program, heads, |flow| {
        let later = frees::worth_a_look(flow.program).then(|| frees::later(flow.program, flow)).flatten();
        match later {
            Some(later) => costless::planned(&Flow::analyse(&later, heads)?, heads, choices),
            None => costless::planned(flow, heads, choices),
        }
    })
}
