//! What flows where: an edge for each operand in a differentiable position.

use super::nodes::Nodes;
use crate::flow::locs::{Loc, Root, Set};
use crate::flow::{Effects, Points, walk};
use crate::ir::{Callee, Def, Expr, ExprKind, ItemId, ItemKind, Place, ProcId, Program, RegionId, Type, ValueId};

/// An operand in a differentiable position.
pub enum Leaf<'e> {
    /// A value.
    Value(ValueId),
    /// Contents of memory.
    Place(&'e Place),
}

/// The operands of `e` in differentiable positions: the paper's DP.
pub fn leaves<'e>(e: &'e Expr, out: &mut Vec<Leaf<'e>>) {
    if !matches!(e.ty, Type::Float { .. }) {
        return;
    }
    match &e.kind {
        ExprKind::Value(v) => out.push(Leaf::Value(*v)),
        ExprKind::Load(place) => out.push(Leaf::Place(place)),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => leaves(a, out),
        ExprKind::Binary(_, a, b) | ExprKind::Select(_, a, b) => {
            leaves(a, out);
            leaves(b, out);
        }
        ExprKind::Function(f, args) => {
            let moves = |(position, _): &(usize, &'e Expr)| !f.partial_is_zero(*position);
            args.iter().enumerate().filter(moves).for_each(|(_, arg)| leaves(arg, out));
        }
        _ => {}
    }
}

pub(super) struct Graph<'a> {
    pub(super) program: &'a Program,
    pub(super) points: &'a Points<'a>,
    pub(super) effects: &'a Effects,
    pub(super) nodes: Nodes,
    pub(super) edges: Vec<(usize, usize)>,
}

impl<'a> Graph<'a> {
    pub(super) fn writes(&self, p: ProcId) -> &Set {
        &self.effects.of_region(p, RegionId(0)).writes
    }

    fn reads(&self, p: ProcId) -> &Set {
        &self.effects.of_region(p, RegionId(0)).reads
    }

    /// Real scalar locations of a callee whose contents come from its caller or go there.
    pub(super) fn visible(&self, g: ProcId) -> Vec<Loc> {
        let locs = &self.points.locs;
        let param = |l| matches!(locs.root(l), Root::Object(p, _) if p == g) && locs.from_outside(self.program, l);
        let used: Set = self.reads(g) | self.writes(g);
        used.into_iter().filter(|&l| locs.is_real(l) && (locs.native(l) == Some(g) || param(l))).collect()
    }

    /// Pairs of a scalar in the callee's struct result and where it goes.
    pub(super) fn returned(&self, p: ProcId, g: ProcId, into: &Place) -> Vec<(Loc, Loc)> {
        let Some(o) = self.program.procs[g].result_object else { return Vec::new() };
        let locs = &self.points.locs;
        let Some(from) = locs.find(Root::Object(g, o)) else { return Vec::new() };
        let mut out = Vec::new();
        for leaf in locs.leaves(from).into_iter().filter(|&l| locs.is_real(l)) {
            let path = locs.path(leaf);
            for to in self.points.cells(p, into) {
                out.extend(locs.follow(to, &path).map(|to| (leaf, to)));
            }
        }
        out
    }

    /// Ordered pairs of different real locations that a procedure uses and that may be the same memory.
    pub(super) fn alias_pairs(&self, p: ProcId) -> Vec<(Loc, Loc)> {
        let used: Vec<Loc> =
            (self.reads(p) | self.writes(p)).into_iter().filter(|&l| self.points.locs.is_real(l)).collect();
        let is_memory = |l: Loc| self.points.locs.root(l).is_memory();
        let mut out = Vec::new();
        for &a in used.iter().filter(|&&l| !is_memory(l)) {
            for &b in used.iter().filter(|&&b| a != b && self.points.may_alias(p, a, b)) {
                out.push((a, b));
                out.extend(is_memory(b).then_some((b, a)));
            }
        }
        out
    }

    /// An edge from each operand of `e` to each of `to`.
    fn flow(&mut self, p: ProcId, e: &Expr, to: &[usize]) {
        let mut from = Vec::new();
        leaves(e, &mut from);
        for leaf in from {
            let sources: Vec<usize> = match leaf {
                Leaf::Value(v) => vec![self.nodes.value(p, v)],
                Leaf::Place(place) => self.points.cells(p, place).into_iter().map(|l| self.nodes.loc(l)).collect(),
            };
            for s in sources {
                self.edges.extend(to.iter().map(|&t| (s, t)));
            }
        }
    }

    pub(super) fn procedure(&mut self, p: ProcId) {
        let proc = &self.program.procs[p];
        for (v, value) in proc.values.iter().enumerate() {
            let to = self.nodes.value(p, ValueId::new(v));
            if !matches!(proc.vars[value.var].ty, Type::Float { .. }) {
                continue;
            }
            if let Def::Is(e) = &value.def {
                self.flow(p, e, &[to]);
            }
            let from = proc.merged(&value.def).into_iter().flatten();
            self.edges.extend(from.map(|w| (self.nodes.value(p, w), to)));
        }
        if let Some(e) = &proc.result {
            let to = self.nodes.result(p);
            self.flow(p, e, &[to]);
        }
        for id in walk::items(proc, RegionId(0)) {
            let kind = &proc.items[id].kind;
            if let ItemKind::Store { to, from } = kind {
                let to: Vec<usize> = self.points.cells(p, to).into_iter().map(|l| self.nodes.loc(l)).collect();
                self.flow(p, from, &to);
            } else if let ItemKind::Call { callee: Callee::Proc(g), args, result, into } = kind {
                self.call(p, id, *g, args);
                if let Some(v) = result {
                    self.edges.push((self.nodes.result(*g), self.nodes.value(p, *v)));
                }
                if let Some(into) = into {
                    for (from, to) in self.returned(p, *g, into) {
                        self.edges.push((self.nodes.loc(from), self.nodes.loc(to)));
                    }
                }
            }
        }
        for (a, b) in self.alias_pairs(p) {
            self.edges.push((self.nodes.loc(a), self.nodes.loc(b)));
        }
    }

    fn call(&mut self, p: ProcId, id: ItemId, g: ProcId, args: &[Expr]) {
        let callee = &self.program.procs[g];
        for (param, arg) in callee.params.iter().zip(args) {
            if let (Some(entry), Type::Float { .. }) = (param.entry, &param.ty) {
                self.flow(p, arg, &[self.nodes.value(g, entry)]);
            }
        }
        for q in self.visible(g) {
            if self.reads(g).contains(&q) {
                for l in self.points.source(p, id, g, q) {
                    self.edges.push((self.nodes.loc(l), self.nodes.loc(q)));
                }
            }
            if self.writes(g).contains(&q) && self.points.locs.native(q) == Some(g) {
                for l in self.points.up(p, id, g, q) {
                    self.edges.push((self.nodes.loc(q), self.nodes.loc(l)));
                }
            }
        }
    }
}

pub(super) fn reach(count: usize, edges: &[(usize, usize)], from: &[usize], forward: bool) -> Vec<bool> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(a, b) in edges {
        if forward { next[a].push(b) } else { next[b].push(a) }
    }
    let mut seen = vec![false; count];
    let mut stack = from.to_vec();
    while let Some(k) = stack.pop() {
        if !std::mem::replace(&mut seen[k], true) {
            stack.extend(&next[k]);
        }
    }
    seen
}
