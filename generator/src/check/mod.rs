//! `--check`: what the generated file needs to compare, at run time, every operand that an adjoint reads with what the
//! forward sweep had, bit for bit, and the adjoint with the tangent and with differences.
//!
//! The forward sweep notes each operand, with the number of its site, on a stack of its own; the reverse sweep takes
//! it off and compares. A difference names the line and the expression. `head` writes what a head does besides: it
//! tries its call in children of the process first (`trials.c`, `runs.c`), and what they
//! find is compared (`verdicts.c`). `rules` has calls of functions with a rule tried. What cannot be compared is said, and ends with another status than a full check.

mod head;
mod rules;
mod watch;

use crate::ir::{Base, ItemId, Place, Type, print};
use crate::sweep::items::{site, site_of_loop};
use crate::sweeps::Adjoint;

pub use head::{Arguments, Lasting, Names, body};
pub use rules::trials;
pub use watch::Watch;

const DECLARATIONS: &str = include_str!("runtime.h");
const OPERANDS: &str = include_str!("operands.c");
const WORDS: &str = include_str!("words.c");
const TRIALS: &str = include_str!("trials.c");
const VERDICTS: &str = include_str!("verdicts.c");
const RUNS: &str = include_str!("runs.c");
const RULES: &str = include_str!("rules.c");
const DERIVATIVES: &str = include_str!("derivatives.c");

/// Blocks that the sweeps allocate are known to the check.
const ALLOCATED: &str = "\
#undef malloc
#undef calloc
#undef realloc
#define malloc(bytes) @_allocated((malloc)(bytes), bytes)
#define calloc(count, bytes) @_allocated((calloc)(count, bytes), (count) * (bytes))
#define realloc(block, bytes) @_allocated((realloc)(block, bytes), bytes)

";

/// C text behind the includes of the generated file.
pub fn declarations(prefix: &str) -> String {
    format!("{DECLARATIONS}{ALLOCATED}").replace('@', prefix)
}

/// The check's own C file: the stack, the table of sites, the trials. `watch`: none where no objects are watched.
pub fn runtime(adjoint: &Adjoint, watch: Option<&Watch>, prefix: &str) -> String {
    let objects = watch.map_or_else(watch::nothing, |watch| watch.runtime(&adjoint.program));
    let trials = adjoint.sweeps.iter().any(|each| adjoint.program.procs[each.proc].rule.is_some());
    let rules = if trials { format!("\n{RULES}\n{DERIVATIVES}") } else { String::new() };
    let text = format!("{OPERANDS}\n{WORDS}\n{objects}\n{TRIALS}\n{VERDICTS}\n{RUNS}{rules}")
        .replace("/* declarations */\n", DECLARATIONS);
    text.replace('@', prefix).replace("/* sites */", &sites(adjoint))
}

/// Whether a place behind a pointer holds a pointer to reals, structs or pointers: the sweeps note that they read it.
/// Where C has no type for what it leads to, they do not.
pub fn is_followed(place: &Place) -> bool {
    let Some(target) = place.ty.target() else { return false };
    let mut elem = target;
    while let Type::Array(row) = elem
        && row.extent.is_some()
    {
        elem = &row.elem;
    }
    matches!(place.base, Base::At(_)) && matches!(elem, Type::Float { .. } | Type::Struct(_) | Type::Pointer(_))
}

/// One row for each operand, and for each loop that is run again: number, line, text.
fn sites(adjoint: &Adjoint) -> String {
    let mut rows = String::new();
    for sweeps in &adjoint.sweeps {
        let proc = &adjoint.program.procs[sweeps.proc];
        let mut row = |number: u32, item: ItemId, text: &str| {
            let span = proc.items[item].span;
            let source = adjoint.program.sources.get(span.source as usize);
            let path = source.map_or("", |source| source.path_at(span.start));
            rows += &format!("    {{{number}u, {:?}, {text:?}, 0}},\n", format!("{path}:{}", span.line));
        };
        for item in sweeps.plan.again.keys() {
            row(site_of_loop(sweeps.proc, *item), *item, "a pass of the loop");
        }
        for (item, operands) in &sweeps.plan.witnesses {
            for (k, operand) in operands.iter().enumerate() {
                let text = print::without_labels(&print::expr(&adjoint.program, proc, operand));
                row(site(sweeps.proc, *item, k), *item, &text);
            }
        }
    }
    rows
}
