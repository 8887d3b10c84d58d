//! Static variables that keep what was computed of the last arguments.
//!
//! ```c
//! static double last = -1, c;
//! if (t != last) {
//!     c = cos(t);
//!     last = t;
//! }
//! ```
//!
//! What such a branch leaves depends on the arguments that its condition compares, and on nothing else: a call that skips
//! it finds what it would compute. The same holds where the other arm returns what is kept. So a program that always
//! computes it has the same results, and keeps nothing from one call to the next. What the variables begin with is no such
//! thing: unless a flag has the arm taken first, the generated file says that it is taken for computed
//! ([`Remembered`]), and `--check` compares with the source.
//!
//! - **Keys**: variables that the condition compares with values; the arm gives each that value, and no other.
//! - **Flags**: integers that the condition tests, and that the arm gives a constant with which the test takes the arm no
//!   more.
//! - **Kept**: whatever else the arm writes. Nothing outside of the arm writes any of these, and whatever reads them stands
//!   behind the branch. Whether the arm gives them all that is read there, [`super::mark`] finds: else a call reads what
//!   the call before left.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::once::Once;
use crate::flow::{Flow, Head, Root, walk};
use crate::ir::*;
use crate::normal::inline::decide;

/// A branch that computes what static variables keep.
pub struct Memo {
    p: ProcId,
    branch: ItemId,
    /// Whether the arm is that of a condition that holds.
    on: bool,
    /// The variables.
    pub kept: BTreeSet<GlobalId>,
    /// The keys with their first values, unless a flag has the arm taken first.
    begins: Option<Remembered>,
}

/// The program with such branches always taken.
pub fn computed<'p>(program: Cow<'p, Program>, heads: &[Head]) -> Cow<'p, Program> {
    let found = if may_have(&program) {
        Flow::analyse(&program, heads).map_or_else(|_| Vec::new(), |flow| memos(&flow))
    } else {
        Vec::new()
    };
    if found.is_empty() {
        return program;
    }
    let mut program = program.into_owned();
    program.remembered.extend(found.iter().filter_map(|memo| memo.begins.clone()));
    for p in found.iter().map(|memo| memo.p).collect::<BTreeSet<_>>() {
        let of_proc = found.iter().filter(|memo| memo.p == p);
        decide(&mut program.procs[p], &of_proc.map(|memo| (memo.branch, memo.on)).collect::<Vec<_>>());
    }
    Cow::Owned(program)
}

/// Whether a program compares variables as such branches do: no other one is worth an analysis.
fn may_have(program: &Program) -> bool {
    let compares = |item: &Item| if let ItemKind::Branch { on, .. } = &item.kind { keys(on).is_some() } else { false };
    !program.statics.is_empty() && program.procs.iter().any(|proc| proc.items.iter().any(compares))
}

/// All such branches.
pub fn memos(flow: &Flow) -> Vec<Memo> {
    let program = flow.program;
    if !may_have(program) {
        return Vec::new();
    }
    let recursive = walk::recursive(program);
    let mut found = Vec::new();
    for p in program.procs.ids().filter(|p| !recursive[p.index()]) {
        let own = program.statics.iter().filter(|declared| declared.function == program.procs[p].name);
        let own: BTreeSet<GlobalId> = own.flat_map(|declared| &declared.globals).copied().collect();
        for branch in walk::items(&program.procs[p], RegionId(0)) {
            found.extend(memo(flow, p, branch).filter(|memo| memo.kept.is_subset(&own)));
        }
    }
    found
}

/// A comparison of a condition: a variable, and the value that it is compared with.
type Key = (GlobalId, ValueId);

/// What a condition is made of.
#[derive(Default)]
struct Condition<'e> {
    /// Whether the arm is taken if it holds.
    on: bool,
    keys: Vec<Key>,
    tests: Vec<&'e Expr>,
}

/// The condition `a != last_a || b != last_b || first`, or its opposite with `==` and `&&`.
fn keys(on: &Expr) -> Option<Condition<'_>> {
    let mut holds = true;
    let mut on = on;
    while let ExprKind::Unary(Unary::Not, inner) = &on.kind {
        (on, holds) = (inner, !holds);
    }
    [true, false].into_iter().find_map(|differs| {
        let mut condition = Condition { on: holds == differs, ..Condition::default() };
        terms(on, differs, &mut condition);
        (!condition.keys.is_empty()).then_some(condition)
    })
}

/// Takes a condition apart. `differs`: it holds if one of its terms does.
fn terms<'e>(e: &'e Expr, differs: bool, condition: &mut Condition<'e>) {
    let (joins, compares) = if differs { (Binary::Or, Binary::NotEqual) } else { (Binary::And, Binary::Equal) };
    match &e.kind {
        ExprKind::Binary(op, x, y) if *op == joins => {
            terms(x, differs, condition);
            terms(y, differs, condition);
        }
        ExprKind::Binary(op, x, y) if *op == compares && (key(x, y).is_some() || key(y, x).is_some()) => {
            condition.keys.extend(key(x, y).or_else(|| key(y, x)));
        }
        _ => condition.tests.push(e),
    }
}

fn key(variable: &Expr, value: &Expr) -> Option<Key> {
    match (&variable.kind, &value.kind) {
        (ExprKind::Load(place), ExprKind::Value(value)) if place.path.is_empty() => {
            Some((place.base.global()?, *value))
        }
        _ => None,
    }
}

fn memo(flow: &Flow, p: ProcId, branch: ItemId) -> Option<Memo> {
    let proc = &flow.program.procs[p];
    let ItemKind::Branch { on, then, otherwise, .. } = &proc.items[branch].kind else { return None };
    let condition = keys(on)?;
    let (arm, other) = if condition.on { (*then, *otherwise) } else { (*otherwise, *then) };
    let reads = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Let { .. });
    let of_same_type = |(global, value): &Key| {
        flow.program.globals[*global].elem == *proc.type_of(*value) && flow.program.globals[*global].shape.is_empty()
    };
    if !proc.regions[other].items.iter().all(reads) || !condition.keys.iter().all(of_same_type) {
        return None;
    }
    let locs = &flow.points.locs;
    let global = |loc: &crate::flow::Loc| if let Root::Global(global) = locs.root(*loc) { Some(global) } else { None };
    let written = flow.writes(p, arm).iter().filter_map(global);
    let kept: BTreeSet<GlobalId> = written.chain(condition.keys.iter().map(|(global, _)| *global)).collect();
    let values = condition.keys.iter().map(|(_, value)| *value).collect();
    let once = Once { flow, p, proc, group: &kept, initial: &|_| None, free: &|_| false, given: values };
    let is_number = |global: &GlobalId| {
        matches!(flow.program.globals[*global].elem, Type::Int { .. } | Type::Float { .. })
            && locs.find(Root::Global(*global)).is_some_and(|top| !flow.points.is_handed_out(top))
    };
    let sets =
        |(global, value): &Key| once.only_store(arm, *global).is_some_and(|from| from.kind == ExprKind::Value(*value));
    let fits = kept.iter().all(is_number)
        && condition.keys.iter().all(sets)
        && condition.tests.iter().all(|test| once.ends_test(test, condition.on, arm))
        && once.is_kept_behind(branch, arm);
    let first = |global: GlobalId| {
        let all = flow.program.statics.iter().filter(|declared| declared.globals.contains(&global));
        let known = all.flat_map(|declared| &declared.initial).find(|(of, _)| *of == global);
        known.map(|(_, value)| *value)
    };
    let taken_first = |test: &&Expr| once.number(test, &first).is_some_and(|value| (value != 0.0) == condition.on);
    let keys = || condition.keys.iter().map(|(global, _)| (*global, first(*global))).collect();
    let begins =
        (!condition.tests.iter().any(taken_first)).then(|| Remembered { function: proc.name.clone(), keys: keys() });
    fits.then_some(Memo { p, branch, on: condition.on, kept, begins })
}
