//! Walks over expressions and items, and the order of the call graph.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::Head;
use crate::ir::parts::parts;
use crate::ir::walk::operands_of;
use crate::ir::{Base, Callee, Expr, ExprKind, Item, ItemId, ItemKind, Place, Proc, ProcId, Program, RegionId, Step};

/// Calls `visit` for `e` and everything in it, the subscripts and pointers of places among it.
pub fn expr<'a>(e: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(e);
    if let ExprKind::Load(p) | ExprKind::Address(p) = &e.kind {
        inside(p, visit);
    } else {
        parts(e, &mut |part| expr(part, visit));
    }
}

/// Calls `visit` for all expressions inside a place: pointer, subscripts, extents that take part in flattening.
pub fn inside<'a>(p: &'a Place, visit: &mut dyn FnMut(&'a Expr)) {
    address(p, &mut |e| expr(e, visit));
}

/// Calls `visit` for the outermost expressions inside a place.
pub fn address<'a>(p: &'a Place, visit: &mut dyn FnMut(&'a Expr)) {
    if let Base::At(pointer) = &p.base {
        visit(pointer);
    }
    for step in &p.path {
        let Step::Index(subscripts) = step else { continue };
        for (k, s) in subscripts.iter().enumerate() {
            visit(&s.at);
            if let Some(extent) = &s.dim.extent
                && k > 0
            {
                visit(extent);
            }
        }
    }
}

/// The places that an expression loads from.
pub fn loads(e: &Expr) -> Vec<&Place> {
    let mut out = Vec::new();
    expr(e, &mut |x| {
        if let ExprKind::Load(p) = &x.kind {
            out.push(&**p);
        }
    });
    out
}

/// The expressions that an item itself evaluates, without those of the regions in it; with the insides of the place
/// that it writes.
pub fn of_item<'a>(proc: &'a Proc, item: &'a Item) -> Vec<&'a Expr> {
    let mut out = Vec::new();
    operands_of(proc, &item.kind, &mut |operand| match operand {
        Ok(expr) => out.push(expr),
        Err(place) => address(place, &mut |e| out.push(e)),
    });
    out
}

/// The items of a region, with those of the regions in it, in order of the text.
pub fn items(proc: &Proc, region: RegionId) -> Vec<ItemId> {
    let mut out = Vec::new();
    let mut open: Vec<_> = vec![proc.regions[region].items.iter()];
    while let Some(items) = open.last_mut() {
        let Some(&id) = items.next() else {
            open.pop();
            continue;
        };
        out.push(id);
        let inner = proc.items[id].kind.regions().into_iter().rev();
        open.extend(inner.map(|inner| proc.regions[inner].items.iter()));
    }
    out
}

/// Whether `inner` is `outer` or inside of it.
pub fn contains(proc: &Proc, outer: RegionId, inner: RegionId) -> bool {
    let mut at = Some(inner);
    while let Some(r) = at {
        if r == outer {
            return true;
        }
        at = proc.regions[r].parent.map(|(parent, _)| parent);
    }
    false
}

/// The calls of procedures in a procedure.
pub fn calls(proc: &Proc) -> Vec<(ItemId, ProcId)> {
    let mut out = Vec::new();
    for id in items(proc, RegionId(0)) {
        if let ItemKind::Call { callee: Callee::Proc(g), .. } = proc.items[id].kind {
            out.push((id, g));
        }
    }
    out
}

/// Every expression of a procedure.
pub fn exprs(proc: &Proc) -> Vec<&Expr> {
    let in_items = items(proc, RegionId(0)).into_iter().flat_map(|id| of_item(proc, &proc.items[id]));
    in_items.chain(&proc.result).collect()
}

/// Every place that a procedure writes.
pub fn stores(proc: &Proc) -> Vec<&Place> {
    items(proc, RegionId(0)).into_iter().flat_map(|id| proc.items[id].kind.written()).collect()
}

/// By procedure: whether a head is it, or calls it, itself or by others.
pub fn reached(program: &Program, heads: &[Head]) -> Vec<bool> {
    let mut reached = vec![false; program.procs.len()];
    let is_head = |proc: &Proc| heads.iter().any(|head| head.proc == proc.name);
    let mut stack: Vec<ProcId> = program.procs.ids().filter(|p| is_head(&program.procs[*p])).collect();
    while let Some(p) = stack.pop() {
        if !std::mem::replace(&mut reached[p.index()], true) {
            stack.extend(calls(&program.procs[p]).into_iter().map(|(_, callee)| callee));
        }
    }
    reached
}

/// The procedures, callees before their callers where there is no recursion.
pub fn callees_first(program: &Program) -> Vec<ProcId> {
    fn visit(program: &Program, p: ProcId, seen: &mut [bool], out: &mut Vec<ProcId>) {
        if std::mem::replace(&mut seen[p.index()], true) {
            return;
        }
        for (_, g) in calls(&program.procs[p]) {
            visit(program, g, seen, out);
        }
        out.push(p);
    }
    let mut seen = vec![false; program.procs.len()];
    let mut out = Vec::new();
    for p in 0..program.procs.len() {
        visit(program, ProcId::new(p), &mut seen, &mut out);
    }
    out
}

/// The procedures in groups: those of a group call procedures of groups before only. Procedures that can call themselves
/// stand in groups of their own, in the order of [`callees_first`].
pub fn waves(program: &Program) -> Vec<Vec<ProcId>> {
    let recursive = recursive(program);
    let mut wave: Vec<Option<usize>> = vec![None; program.procs.len()];
    let (mut waves, mut alone): (Vec<Vec<ProcId>>, usize) = (Vec::new(), 0);
    for p in callees_first(program) {
        let behind = |(_, g): (ItemId, ProcId)| wave[g.index()].map_or(0, |at| at + 1);
        let mut at = calls(&program.procs[p]).into_iter().map(behind).max().unwrap_or(0);
        if recursive[p.index()] {
            at = at.max(alone);
            alone = at + 1;
        }
        wave[p.index()] = Some(at);
        waves.resize_with(waves.len().max(at + 1), Vec::new);
        waves[at].push(p);
    }
    waves
}

/// For each procedure, whether it can call itself, directly or through others.
pub fn recursive(program: &Program) -> Vec<bool> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<_> = program.procs.iter().map(|_| graph.add_node(())).collect();
    for (p, proc) in program.procs.iter().enumerate() {
        for (_, g) in calls(proc) {
            graph.add_edge(nodes[p], nodes[g.index()], ());
        }
    }
    let mut recursive: Vec<bool> = nodes.iter().map(|node| graph.contains_edge(*node, *node)).collect();
    for circle in kosaraju_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
        circle.into_iter().for_each(|node| recursive[node.index()] = true);
    }
    recursive
}
