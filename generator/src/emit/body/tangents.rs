//! Which parameters of a tangent are tangents.

use crate::ir::*;
use crate::sweeps::Tangents;

/// Which parameters of a head its tangent takes a tangent of.
pub fn taken(program: &Program, head: ProcId, tangents: &Tangents) -> Vec<bool> {
    let of = head_of(tangents, program, head);
    let tangent = tangents.tangents.iter().find(|(id, ..)| Some(*id) == of);
    let primal = &program.procs[head];
    let all = tangent.map(|(.., tangent)| tangents_of(primal, tangent));
    all.map_or(vec![false; primal.params.len()], |all| all.iter().map(Option::is_some).collect())
}

/// By parameter of a procedure, the one of its tangent that is the parameter's tangent and stands behind it.
pub fn tangents_of<'a>(primal: &Proc, tangent: &'a Proc) -> Vec<Option<&'a Param>> {
    let mut params = tangent.params.iter().peekable();
    // No tangent has the name of a parameter: behind `x` may stand the user's own `x_d`.
    let is_own = |name: &str| primal.params.iter().any(|param| param.name == name);
    let of = |param: &Param| {
        params.next();
        params.next_if(|with| is_tangent_of(&with.name, &param.name) && !is_own(&with.name))
    };
    primal.params.iter().map(of).collect()
}

/// `x_d` of `x`, or `x_d_1` where the user has an `x_d`.
fn is_tangent_of(name: &str, primal: &str) -> bool {
    let rest = name.strip_prefix(primal).and_then(|rest| rest.strip_prefix("_d"));
    let numbered = |rest: &str| rest.strip_prefix('_').is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_digit()));
    rest.is_some_and(|rest| rest.is_empty() || numbered(rest))
}

/// The head of this name among the tangents. Calls may have been written into their callers for one of the two only, so
/// procedures have other numbers there.
pub fn head_of(tangents: &Tangents, program: &Program, head: ProcId) -> Option<ProcId> {
    let name = &program.procs[head].name;
    tangents.heads.iter().copied().find(|other| tangents.program.procs[*other].name == *name)
}
