//! What `--explain` says of the form that a program was brought into: read off the program as it was and as it is.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::forms::Step;
use crate::flow::walk;
use crate::ir::*;
use crate::plan::Explanation;

/// One decision: in which function, and what.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The function.
    pub proc: String,
    /// What was decided, and why.
    pub line: Explanation,
}

/// What was done to a program on its way to another one.
pub fn decisions(before: &Program, steps: &[Step], after: &Program) -> Vec<Decision> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for proc in &after.procs {
        let Some(id) = before.procs.ids().find(|id| before.procs[*id].name == proc.name) else { continue };
        if !seen.insert(&proc.name) {
            continue;
        }
        let mut say = |span: Span, what: &str, how: String| {
            let line = Explanation::new(span, what, how, 0.0);
            let decision = Decision { proc: proc.name.clone(), line };
            if !found.contains(&decision) {
                found.push(decision);
            }
        };
        let copies = after.procs.iter().filter(|other| other.name == proc.name).count();
        if copies > 1 {
            let how = format!("{copies} copies: calls differ in which arguments have derivatives");
            say(proc.span, &proc.name, how);
        }
        let original = &before.procs[id];
        let now = calls(after, proc);
        for (item, callee) in walk::calls(original) {
            let (span, name) = (original.items[item].span, before.procs[callee].name.as_str());
            if !now.contains(&(span, name)) {
                say(span, name, format!("written where it is called: {}", why(before, callee, steps)));
            }
        }
        let was = |object: &Object| before.procs.iter().flat_map(|proc| &proc.objects).find(|o| o.span == object.span);
        let made = walk::items(proc, RegionId(0)).into_iter().map(|item| &proc.items[item].kind);
        for kind in made {
            if let ItemKind::Alloc { object, .. } = kind
                && let object = &proc.objects[*object]
                && object.life == Life::Stable
            {
                let variable = was(object).is_some_and(|object| matches!(object.life, Life::Region(_)));
                let what = if variable { "variable" } else { "block" };
                let why =
                    if variable { "pointers in memory lead to it" } else { "it may outlive the code that makes it" };
                let tests = steps.contains(&Step::WithoutTests);
                let tests = if tests { "; tests whether there was memory are left out" } else { "" };
                say(object.span, &object.name, format!("{what} on the stable heap: {why}{tests}"));
            }
        }
        if steps.contains(&Step::Copied) {
            for (item, callee) in walk::calls(proc) {
                let span = proc.items[item].span;
                for object in proc.objects.iter().filter(|object| object.span == span) {
                    let callee = &after.procs[callee].name;
                    say(span, &object.name, format!("argument copied in front of '{callee}', which overwrites it"));
                }
            }
        }
        if steps.contains(&Step::Indexed) {
            let loops = proc.items.iter().filter(|item| matches!(item.kind, ItemKind::Loop { .. }));
            let loops: FxHashSet<Span> = loops.map(|item| item.span).collect();
            for value in proc.values.iter().filter(|value| loops.contains(&value.span)) {
                if let Def::Is(Expr { kind: ExprKind::Select(..), ty: Type::Pointer(_) }) = &value.def {
                    let how = "pointer that the loop hands on: found by the index of the loop".to_owned();
                    say(value.span, &proc.vars[value.var].name, how);
                }
            }
        }
        let frees = original.items.iter().filter(|item| matches!(item.kind, ItemKind::Free { .. }));
        let frees: FxHashSet<Span> = frees.map(|item| item.span).collect();
        let gone = |item: &&Item| matches!(item.kind, ItemKind::Sweep(SweepItem::Nothing));
        for item in proc.items.iter().filter(gone).filter(|item| frees.contains(&item.span)) {
            say(item.span, "free", "block freed where the code ends that makes it".into());
        }
    }
    found
}

/// Where a procedure calls which others.
fn calls<'p>(program: &'p Program, proc: &Proc) -> FxHashSet<(Span, &'p str)> {
    let calls = walk::calls(proc).into_iter();
    calls.map(|(item, callee)| (proc.items[item].span, program.procs[callee].name.as_str())).collect()
}

/// Why calls of a procedure are written out.
fn why(program: &Program, callee: ProcId, steps: &[Step]) -> &'static str {
    let proc = &program.procs[callee];
    let by_value = proc.result_object.is_some() || proc.params.iter().any(|param| param.object.is_some());
    let is_untyped = |param: &Param| matches!(&param.ty, Type::Pointer(to) if **to == Type::Void);
    if steps.contains(&Step::Untyped) && proc.params.iter().any(is_untyped) {
        "it takes a pointer of no type"
    } else if steps.contains(&Step::Held) {
        "it moves a pointer that lies in memory, or reads one"
    } else if steps.contains(&Step::Constructors) && has_blocks(program, callee) {
        "it makes or frees memory for its caller"
    } else if steps.contains(&Step::Small) && by_value {
        "it is small, and takes or returns structs by value"
    } else {
        "a struct is taken apart that it takes"
    }
}

/// Whether a procedure, or one that it calls, makes or frees blocks.
fn has_blocks(program: &Program, callee: ProcId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([callee]), vec![callee]);
    while let Some(id) = open.pop() {
        let is = |item: &Item| matches!(item.kind, ItemKind::Alloc { .. } | ItemKind::Free { .. });
        if program.procs[id].items.iter().any(is) {
            return true;
        }
        let more = walk::calls(&program.procs[id]).into_iter().map(|(_, callee)| callee);
        open.extend(more.filter(|callee| seen.insert(*callee)));
    }
    false
}
