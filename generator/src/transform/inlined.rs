//! Programs with calls written out.

use crate::flow::Head;
use crate::ir::Program;
use crate::normal::inline;
use crate::refuse::Refusal;

/// What a program gives; if it is refused, what it gives without functions that make or free memory for others.
pub(super) fn or_inlined<T>(
    program: &Program,
    heads: &[Head],
    give: &dyn Fn(&Program) -> Result<T, Vec<Refusal>>,
) -> Result<T, Vec<Refusal>> {
    give(program).or_else(|refusals| {
        let inlined = inline::constructors(program, heads);
        inlined.and_then(|inlined| give(&inlined).ok()).ok_or(refusals)
    })
}
