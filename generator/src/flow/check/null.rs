//! Pointers that are NULL whenever the program runs: what they would lead to is never accessed.
//!
//! Points-to gives them no target, as it does for a pointer that it lost sight of. Here each source of such a pointer is
//! followed to constants: definitions, arguments of all calls, results, stores into the memory it is read from.

use std::collections::BTreeSet;

use super::super::{Points, Set, walk};
use crate::ir::{Base, Callee, Def, Expr, ExprKind, ItemKind, Place, ProcId, Program, Type, ValueId};

/// Where pointers in memory come from, in the whole program.
pub struct Sources<'a> {
    /// The memory that each assignment of a pointer reaches, and the pointer.
    stored: Vec<(ProcId, Set, &'a Expr)>,
    /// The memory that functions without source may write.
    written: Vec<(ProcId, Set)>,
    /// Whether a call leaves its result in memory.
    results: bool,
}

impl<'a> Sources<'a> {
    pub fn of(program: &'a Program, points: &Points) -> Sources<'a> {
        let mut sources = Sources { stored: Vec::new(), written: Vec::new(), results: false };
        for (q, proc) in program.procs.iter().enumerate() {
            let q = ProcId::new(q);
            for item in walk::items(proc, crate::ir::RegionId(0)) {
                let kind = &proc.items[item].kind;
                if let ItemKind::Store { to, from } = kind
                    && matches!(to.ty, Type::Pointer(_))
                {
                    sources.stored.push((q, points.cells(q, to), from));
                } else if let ItemKind::Call { callee: Callee::External { function, .. }, args, .. } = kind
                    && function.writes()
                {
                    let pointers = args.iter().filter(|arg| matches!(arg.ty, Type::Pointer(_)));
                    let reached = pointers.flat_map(|arg| points.targets(q, arg));
                    sources.written.push((q, reached.flat_map(|target| points.locs.leaves(target)).collect()));
                } else if let ItemKind::Call { into: Some(_), .. } = kind {
                    sources.results = true;
                }
            }
        }
        sources
    }
}

/// Whether a pointer without target is NULL, or has no value at all.
pub fn is_null(program: &Program, points: &Points, sources: &Sources, p: ProcId, pointer: &Expr) -> bool {
    let (seen, cells) = (BTreeSet::new(), BTreeSet::new());
    Search { program, points, sources, seen, cells, calls: Vec::new() }.expr(p, pointer)
}

struct Search<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    sources: &'a Sources<'a>,
    /// What was visited, with the number of calls around it.
    seen: BTreeSet<(usize, ProcId, ValueId)>,
    cells: Set,
    /// Calls whose results are being followed: callee, caller, arguments.
    calls: Vec<(ProcId, ProcId, &'a [Expr])>,
}

/// Calls inside each other that are followed.
const DEPTH: usize = 8;

impl Search<'_> {
    fn expr(&mut self, p: ProcId, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Null | ExprKind::Int(0) => true,
            ExprKind::Cast(inner) => self.expr(p, inner),
            ExprKind::Select(_, a, b) => self.expr(p, a) && self.expr(p, b),
            ExprKind::Value(value) => self.value(p, *value),
            ExprKind::Load(place) => self.load(p, place),
            ExprKind::Address(place) => place.base.pointer().is_some_and(|pointer| self.expr(p, pointer)),
            _ => false,
        }
    }

    fn value(&mut self, p: ProcId, value: ValueId) -> bool {
        if !self.seen.insert((self.calls.len(), p, value)) {
            return true;
        }
        let proc = &self.program.procs[p];
        match &proc.values[value].def {
            Def::Undefined => true,
            Def::Is(e) => self.expr(p, e),
            def @ (Def::Join(..) | Def::Head(..) | Def::Out(..)) => {
                proc.merged(def).is_some_and(|both| both.into_iter().all(|value| self.value(p, value)))
            }
            Def::Result(item) => {
                if let ItemKind::Call { callee: Callee::Proc(g), args, .. } = &proc.items[*item].kind
                    && self.calls.len() < DEPTH
                {
                    let result = self.program.procs[*g].result.as_ref();
                    self.calls.push((*g, p, args));
                    let null = result.is_some_and(|result| self.expr(*g, result));
                    self.calls.pop();
                    null
                } else {
                    false
                }
            }
            Def::Entry(k) => match self.calls.pop() {
                Some((callee, caller, args)) => {
                    let null = callee == p && args.get(*k as usize).is_some_and(|arg| self.expr(caller, arg));
                    self.calls.push((callee, caller, args));
                    null
                }
                None => false,
            },
            Def::Popped(_) => false,
        }
    }

    fn load(&mut self, p: ProcId, place: &Place) -> bool {
        let cells = self.points.cells(p, place);
        if let Base::At(pointer) = &place.base
            && (cells.is_empty() || !self.calls.is_empty())
            && self.expr(p, pointer)
        {
            return true;
        }
        if cells.is_empty() {
            return false;
        }
        let new: Set = cells.into_iter().filter(|cell| self.cells.insert(*cell)).collect();
        let meets = |q: ProcId, others: &Set| {
            others.iter().any(|other| new.iter().any(|cell| self.points.may_alias(q, *cell, *other)))
        };
        let sources = self.sources;
        if sources.results || sources.written.iter().any(|(q, cells)| meets(*q, cells)) {
            return false;
        }
        let stored: Vec<_> = sources.stored.iter().filter(|(q, cells, _)| meets(*q, cells)).collect();
        stored.into_iter().all(|(q, _, from)| self.expr(*q, from))
    }
}
