//! Which loops are to be run again from snapshots, and how many: by directives and by names.

use std::collections::BTreeMap;

use super::again::{Named, directives, loops};
use crate::ir::{ItemId, ItemKind, ProcId, Program};
use crate::refuse::{Class, Refusal};

/// Loops by a name of the user, with the number of snapshots: `f:i=20`.
pub fn parse(text: &str) -> Result<(Named, u32), String> {
    let (name, number) = text.split_once('=').ok_or_else(|| format!("'{text}' says no number of snapshots: f:i=20"))?;
    Ok((Named::parse(name), snapshots(number).ok_or_else(|| format!("'{number}' is no number of snapshots"))?))
}

/// At least one, and few enough that the run-time library can count them.
fn snapshots(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| (1..=1_000_000).contains(number))
}

/// The loops that are named, and those that a directive stands in front of, each with its number of snapshots.
pub fn checkpoints(program: &Program, named: &[(Named, u32)]) -> Result<BTreeMap<(ProcId, ItemId), u32>, Vec<Refusal>> {
    let (mut found, mut refusals) = (BTreeMap::new(), Vec::new());
    for (at, proc) in program.procs.iter().enumerate().filter(|(_, proc)| proc.rule.is_none()) {
        for (item, this) in proc.items.iter().enumerate() {
            if !matches!(this.kind, ItemKind::Loop { .. }) {
                continue;
            }
            for words in directives(program, this.span) {
                let all: Vec<&str> = words.iter().map(String::as_str).collect();
                let number = match all[..] {
                    ["again"] => continue,
                    ["checkpoint", number] => number.strip_prefix("snapshots=").and_then(snapshots),
                    _ => None,
                };
                let Some(number) = number else {
                    let (class, sign) =
                        (Class::Language, if program.fortran.is_some() { "!$ad" } else { "#pragma adjoint" });
                    let what = format!("in front of this loop stands '{sign} {}'", words.join(" "));
                    let help = format!("directives are '{sign} again' and '{sign} checkpoint snapshots=20'");
                    refusals.push(Refusal { class, span: this.span, what, help });
                    continue;
                };
                found.insert((ProcId::new(at), ItemId::new(item)), number);
            }
        }
    }
    for (name, number) in named {
        found.extend(loops(program, std::slice::from_ref(name), false).into_iter().map(|at| (at, *number)));
    }
    if refusals.is_empty() { Ok(found) } else { Err(refusals) }
}

/// Loops that were to be run again from snapshots and are not, with the reason.
pub fn refused(
    program: &Program,
    asked: &BTreeMap<(ProcId, ItemId), u32>,
    why: &dyn Fn(ProcId, ItemId) -> Option<String>,
) -> Vec<Refusal> {
    let refusal = |(p, item): &(ProcId, ItemId)| {
        let proc = &program.procs[*p];
        why(*p, *item).map(|why| Refusal {
            class: Class::NotProved,
            span: proc.items[*item].span,
            what: format!("this loop of '{}' cannot run again from snapshots: {why}", proc.name),
            help: HELP.into(),
        })
    };
    asked.keys().filter_map(refusal).collect()
}

const HELP: &str = "what passes change is kept as arrays with extents, numbers, or blocks of known size; or leave the \
                    directive out";
