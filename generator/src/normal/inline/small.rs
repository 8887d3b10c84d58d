//! Small functions that take or return structs by value, written where they are called: vectors, complex numbers.
//!
//! ```text
//!   w = mul(w, step);        ──►    w_re = re * step_re - im * step_im;  …
//! ```
//!
//! A sweep that calls such a function keeps the structs that it passes, as wholes. Where its statements stand in the
//! caller, members are scalars like any others: most need no place on the tape.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::{members, splice};
use crate::flow::{Head, walk};
use crate::ir::*;

/// Items of a function that is small.
const SMALL: usize = 60;
/// Items of a procedure beyond which nothing more is written into it.
const LARGE: usize = 3000;

/// The program without calls of such functions; `None` if there is none.
pub fn by_value(program: &Program, heads: &[Head]) -> Option<Program> {
    // Any other becomes small only by calls of one that is.
    if !program.procs.iter().any(|proc| is_small(program, proc)) {
        return None;
    }
    let recursive = walk::recursive(program);
    let mut program = program.clone();
    let mut small = vec![false; program.procs.len()];
    let mut touched = false;
    for p in walk::callees_first(&program) {
        let mut proc = program.procs[p].clone();
        if write_in(&program, &mut proc, &small) {
            splice::renumber(&mut proc);
            program.procs[p] = proc;
            touched = true;
        }
        small[p.index()] = !recursive[p.index()] && is_small(&program, &program.procs[p]);
    }
    if !touched {
        return None;
    }
    splice::hollow_unreached(&mut program, heads);
    validate::program(&program).is_ok().then_some(program)
}

/// Whether a procedure passes structs of scalars by value, and does nothing but compute. (An array in a struct would have
/// two copies, each of which may have to be stored.)
fn is_small(program: &Program, proc: &Proc) -> bool {
    let computes = |item: &Item| {
        matches!(
            item.kind,
            ItemKind::Let { .. } | ItemKind::Store { .. } | ItemKind::Branch { .. } | ItemKind::DeclareVar { .. }
        ) || matches!(item.kind, ItemKind::Declare { object } if proc.objects[object].shape.is_empty())
    };
    let passed = proc.params.iter().filter_map(|param| param.object).chain(proc.result_object);
    let passed: Vec<&Type> = passed.map(|object| &proc.objects[object].elem).collect();
    let is_flat = passed.iter().all(|ty| has_no_array(program, ty));
    !passed.is_empty() && is_flat && proc.items.len() <= SMALL && proc.items.iter().all(computes)
}

fn has_no_array(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Struct(id) => program.types.structs[*id].fields.iter().all(|field| has_no_array(program, &field.ty)),
        Type::Array(_) => false,
        _ => true,
    }
}

/// Writes calls of small functions into a procedure, and takes the structs apart that they were passed.
fn write_in(program: &Program, proc: &mut Proc, small: &[bool]) -> bool {
    let mut calls = walk::calls(proc);
    calls.retain(|(_, callee)| small[callee.index()]);
    if calls.is_empty() {
        return false;
    }
    let before = proc.clone();
    for (item, callee) in calls {
        if proc.items.len() > LARGE {
            break;
        }
        let (statement, new) = (proc.items[item].statement, proc.items.len());
        if splice::call(program, proc, item, callee, false) {
            proc.items.iter_mut().skip(new).for_each(|item| item.statement = statement);
        }
    }
    if proc.items.len() == before.items.len() {
        return false;
    }
    members::take_all_apart(program, proc);
    splice::replace(proc, &copies(&before, proc));
    let there: BTreeSet<ItemId> = walk::items(proc, RegionId(0)).into_iter().collect();
    for item in walk::items(&before, RegionId(0)) {
        if !there.contains(&item) || !is_as_before(&before, proc, item) {
            forbid_copies(proc, before.items[item].statement);
        }
    }
    true
}

/// New variables that only ever hold what another one does.
fn copies(before: &Proc, proc: &Proc) -> FxHashMap<ValueId, Expr> {
    let mut values = vec![0; proc.vars.len()];
    proc.values.iter().for_each(|value| values[value.var.index()] += 1);
    let constant = |at: ValueId| values[proc.values[at].var.index()] == 1;
    let merged: FxHashSet<ValueId> = proc.values.iter().flat_map(|value| proc.merged(&value.def)).flatten().collect();
    let is_new = |var: VarId| var.index() >= before.vars.len();
    let copied = |at: ValueId| {
        let Value { var, def, .. } = &proc.values[at];
        let Def::Is(e) = def else { return None };
        let copies = matches!(e.kind, ExprKind::Value(from) if constant(from)) && e.ty == proc.vars[*var].ty;
        (copies && is_new(*var) && constant(at) && !merged.contains(&at)).then(|| (at, e.clone()))
    };
    proc.values.ids().filter_map(copied).collect()
}

fn is_as_before(before: &Proc, proc: &Proc, item: ItemId) -> bool {
    let kind = &proc.items[item].kind;
    let is_new = |value: ValueId| before.values[value].def != proc.values[value].def;
    before.items[item].kind == *kind && !matches!(kind, ItemKind::Let { value } if is_new(*value))
}

/// A statement that has other items than its text cannot be copied, nor can those around it.
fn forbid_copies(proc: &mut Proc, mut statement: Option<StatementId>) {
    while let Some(this) = statement {
        let this = &mut proc.statements[this];
        this.copyable = false;
        statement = this.parent;
    }
}
