//! `--check`: what the generated file needs to compare, at run time, every operand that an adjoint reads with what the
//! forward sweep had, bit for bit, and the adjoint with the tangent and with differences.
//!
//! The forward sweep notes each operand, with the number of its site, on a stack of its own; the reverse sweep takes
//! it off and compares. A difference names the line and the expression. [`head`] writes what a head does besides: it
//! tries its call in children of the process first (`trials.c`).

mod head;

use crate::ir::print;
use crate::sweep::items::site;
use crate::transform::Adjoint;

pub use head::{Arguments, Names, body};

const DECLARATIONS: &str = include_str!("runtime.h");
const OPERANDS: &str = include_str!("operands.c");
const WORDS: &str = include_str!("words.c");
const TRIALS: &str = include_str!("trials.c");

/// Blocks that the sweeps allocate are known to the check.
const ALLOCATED: &str = "\
#undef malloc
#undef calloc
#define malloc(bytes) @_allocated((malloc)(bytes), bytes)
#define calloc(count, bytes) @_allocated((calloc)(count, bytes), (count) * (bytes))

";

/// C text behind the includes of the generated file.
pub fn declarations(prefix: &str) -> String {
    format!("{DECLARATIONS}{ALLOCATED}").replace('@', prefix)
}

/// The check's own C file: the stack, the table of sites, the trials.
pub fn runtime(adjoint: &Adjoint, prefix: &str) -> String {
    let text = format!("{OPERANDS}\n{WORDS}\n{TRIALS}").replace("/* declarations */\n", DECLARATIONS);
    text.replace('@', prefix).replace("/* sites */", &sites(adjoint))
}

/// One row for each operand: number, line, text.
fn sites(adjoint: &Adjoint) -> String {
    let mut rows = String::new();
    for sweeps in &adjoint.sweeps {
        let proc = &adjoint.program.procs[sweeps.proc.index()];
        for (item, operands) in &sweeps.plan.witnesses {
            let span = proc.items[item.index()].span;
            let path = adjoint.program.sources.get(span.source as usize).map_or("", |source| source.path.as_str());
            for (k, operand) in operands.iter().enumerate() {
                let text = without_labels(&print::expr(&adjoint.program, proc, operand));
                let number = site(sweeps.proc, *item, k);
                rows += &format!("    {{{number}u, {:?}, {text:?}, 0}},\n", format!("{path}:{}", span.line));
            }
        }
    }
    rows
}

/// `x.2[i'1.1 - 1]` as the user knows it: `x[i - 1]`.
fn without_labels(text: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['.', '\'']) {
        let (before, behind) = rest.split_at(at);
        out += before;
        let word = out.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let digits = behind[1..].chars().take_while(char::is_ascii_digit).count();
        let is_label = digits > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !is_label {
            out.push_str(&behind[..1]);
        }
        rest = &behind[1 + if is_label { digits } else { 0 }..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::without_labels;

    #[test]
    fn labels_of_values_go_and_constants_stay() {
        assert_eq!(without_labels("x.2[i.1 - 1] * 2.5 + p.0[0].w + t'1.3"), "x[i - 1] * 2.5 + p[0].w + t");
    }
}
