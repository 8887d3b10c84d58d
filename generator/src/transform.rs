//! From a program to its sweeps: analyses, plans, forward and reverse sweep of every procedure that has a derivative.

mod build;
mod commute;
mod costless;
mod deferred;
mod given;
mod implicit;
mod left_out;
mod proved;
mod tangents;
mod unread;
mod value;
mod wide;

use crate::flow::{self, Flow, Head};
use crate::ir::*;
use crate::normal::decisions::decisions;
use crate::normal::forms::{Form, Forms, Obstacles};
use crate::normal::frees;
use crate::normal::specialise::specialised;
use crate::refuse::Refusal;
use crate::statics;
pub use crate::sweeps::{Adjoint, Choices, Deferred, Sweeps, Tangents};
pub use tangents::tangent;

/// Writes the sweeps of all procedures that the heads reach and that have something to reverse.
pub fn adjoint(program: &Program, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let heads = &*implicit::heads(program, heads)?;
    let program = flow::order::settled(program, heads, &|program| statics::filled(program, heads))?;
    let program = &*statics::computed(program, heads);
    let program = &*unread::dropped(program);
    let look = |form: &Form| {
        let found = adjoint_of(form, heads, choices)?;
        Ok(found.map(|mut found| {
            found.decisions.splice(0..0, decisions(program, &form.steps, &found.program));
            found
        }))
    };
    Forms { heads, several: choices.vector.is_some(), look: &look }.adjoint(program)?
}

/// The adjoint of a form: what is in its way, else whether it is proved.
fn adjoint_of(form: &Form, heads: &[Head], choices: &Choices) -> Result<Result<Adjoint, Vec<Refusal>>, Obstacles> {
    let found = specialised(&form.program, heads, |flow| {
        let later = frees::worth_a_look(flow.program).then(|| frees::later(flow.program, flow)).flatten();
        match later {
            Some(later) => costless::planned(&Flow::analyse(&later, heads)?, heads, choices),
            None => costless::planned(flow, heads, choices),
        }
    });
    let understood = found.is_ok();
    found.and_then(|found| found).map_err(|refusals| Obstacles { refusals, understood })
}
