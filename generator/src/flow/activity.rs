//! Activity: what has a derivative that matters (TBR paper, section 4).
//!
//! A value or location is **varied** if it depends on an independent in a differentiable way, **useful** if a dependent
//! depends on it, **active** if both. Only real numbers are.
//!
//! - **Lattice**: sets of nodes, ordered by inclusion. A node is an SSA value (so scalars are flow-sensitive), a scalar
//!   location (flow-insensitive, per procedure: formals have pointees of their own), or the result of a procedure.
//! - **Transfer**: the paper's DP(expr), the operands in differentiable positions: an edge from each of them to what is
//!   assigned. Integers are in none. A call has an edge down to what the callee reads of its caller's memory and an
//!   edge up from what it writes: this is Dep(S) without its pairs, so that an argument which is only read never
//!   makes another caller's argument active.
//! - **Closure**: varied is what the edges reach from the independents, useful is what reaches a dependent: InVary and
//!   OutUseful over all contexts at once, recursion included.
//!
//! **Real to integer.** `(int)x`, `lround(x)` and the like are piecewise constant, as `floor(x)` is: the derivative is
//! zero wherever there is one. So `x - (int)x` has derivative 1, and a table looked up at `(int)x` differentiates its
//! entries. These conversions of active values are listed in [`Activity::rounded`], so that the user sees them.
//!
//! **Shadows.** A location has a *shadow* (memory for its adjoint) if it is active, or if some pointer that may point
//! to it needs a shadow pointer because another target is active. What is in the shadow of a passive location is never
//! used. A callee that writes memory whose caller has a shadow gets it too: it has to clear it.

mod graph;
mod heads;
mod nodes;

use nodes::{Nodes, refusal};

use graph::{Graph, Leaf, leaves, reach};

use super::locs::Loc;
use super::{Effects, Head, Points, walk};
use crate::ir::library;
use crate::ir::{Callee, Expr, ExprKind, Item, ItemKind, Place, Proc, ProcId, Program, RegionId, Span, Type, ValueId};
use crate::refuse::{Class, Refusal};

/// The result of the analysis.
pub struct Activity {
    nodes: Nodes,
    active: Vec<bool>,
    shadow: Vec<bool>,
    /// Conversions of active values to integers.
    pub rounded: Vec<(ProcId, Span)>,
}

impl Activity {
    /// Analyses the whole program for all heads at once.
    pub fn analyse(
        program: &Program,
        points: &Points,
        effects: &Effects,
        heads: &[Head],
        refusals: &mut Vec<Refusal>,
    ) -> Self {
        let nodes = Nodes::new(program, points.locs.len());
        let mut graph = Graph { program, points, effects, nodes: nodes.clone(), edges: Vec::new() };
        for p in 0..program.procs.len() {
            graph.procedure(ProcId::new(p));
        }
        let (mut from, mut to, mut named) = (Vec::new(), Vec::new(), Vec::new());
        for head in heads {
            let Some(p) = head.find(program) else {
                refusals.push(refusal(
                    Class::Head,
                    Span::default(),
                    format!("there is no procedure '{}'", head.proc),
                    "name a procedure of the sources",
                ));
                continue;
            };
            let names = head.independents.iter().map(|name| (name, false));
            for (name, dependent) in names.chain(head.dependents.iter().map(|name| (name, true))) {
                let out = if dependent { &mut to } else { &mut from };
                let before = out.len();
                graph.named(p, name, dependent, out, refusals);
                named.push(out[before..].to_vec());
            }
        }
        let varied = reach(nodes.count, &graph.edges, &from, true);
        let useful = reach(nodes.count, &graph.edges, &to, false);
        let active: Vec<bool> = (0..nodes.count).map(|k| varied[k] && useful[k]).collect();
        let mut activity = Activity {
            nodes: nodes.clone(),
            shadow: active[nodes.first_loc..nodes.first_result].to_vec(),
            active,
            rounded: Vec::new(),
        };
        activity.keep_named(&named);
        while activity.spread(&graph) {}
        activity.check(&graph, refusals);
        activity
    }

    /// What a head names has an adjoint even where no derivative flows, so that the head alone decides which arguments
    /// the generated functions take.
    fn keep_named(&mut self, named: &[Vec<usize>]) {
        for nodes in named {
            if nodes.iter().any(|&node| self.active[node]) {
                continue;
            }
            for &node in nodes {
                if (self.nodes.first_loc..self.nodes.first_result).contains(&node) {
                    self.shadow[node - self.nodes.first_loc] = true;
                } else {
                    self.active[node] = true;
                }
            }
        }
    }

    /// Whether a derivative flows through a value.
    pub fn value(&self, p: ProcId, v: ValueId) -> bool {
        self.active[self.nodes.value(p, v)]
    }

    /// Whether a derivative flows through a scalar location.
    pub fn loc(&self, l: Loc) -> bool {
        self.active[self.nodes.loc(l)]
    }

    /// Whether a scalar location has memory for its adjoint.
    pub fn shadow(&self, l: Loc) -> bool {
        self.shadow[l.0 as usize]
    }

    /// Whether a procedure's result is active.
    pub fn result(&self, p: ProcId) -> bool {
        self.active[self.nodes.result(p)]
    }

    /// Whether an operand of `e` in a differentiable position has an adjoint.
    pub fn expr(&self, points: &Points, p: ProcId, e: &Expr) -> bool {
        let mut out = Vec::new();
        leaves(e, &mut out);
        out.iter().any(|leaf| match leaf {
            Leaf::Value(v) => self.value(p, *v),
            Leaf::Place(place) => self.place(points, p, place),
        })
    }

    /// Whether what lies at a place has an adjoint: a store takes and clears it, a load adds to it.
    pub fn place(&self, points: &Points, p: ProcId, place: &Place) -> bool {
        points.cells(p, place).into_iter().flat_map(|c| points.locs.leaves(c)).any(|l| self.shadow(l))
    }

    fn cast(&mut self, l: Loc) -> bool {
        !std::mem::replace(&mut self.shadow[l.0 as usize], true)
    }

    /// Gives all locations that a place may be a shadow if one of them has one.
    fn together(&mut self, points: &Points, p: ProcId, place: &Place) -> bool {
        let deep: Vec<Vec<Loc>> = points.cells(p, place).into_iter().map(|c| points.locs.leaves(c)).collect();
        let mut grown = false;
        for k in 0..deep.iter().map(Vec::len).max().unwrap_or(0) {
            let group: Vec<Loc> = deep.iter().filter_map(|d| d.get(k).copied()).collect();
            if group.iter().any(|&l| self.shadow(l)) {
                group.iter().for_each(|&l| grown |= points.locs.is_real(l) && self.cast(l));
            }
        }
        grown
    }

    /// One round of the rules for shadows. Returns whether there are new ones.
    fn spread(&mut self, graph: &Graph) -> bool {
        let (points, program) = (graph.points, graph.program);
        let mut grown = false;
        for (p, proc) in program.procs.iter().enumerate() {
            let p = ProcId::new(p);
            for id in walk::items(proc, RegionId(0)) {
                let item = &proc.items[id];
                for place in places(proc, item) {
                    grown |= self.together(points, p, place);
                }
                let ItemKind::Call { callee: Callee::Proc(g), into, .. } = &item.kind else { continue };
                for q in graph.visible(*g) {
                    let up = points.source(p, id, *g, q);
                    if self.shadow(q) {
                        up.iter().for_each(|&l| grown |= points.locs.is_real(l) && self.cast(l));
                    } else if graph.writes(*g).contains(&q) && up.iter().any(|&l| self.shadow(l)) {
                        grown |= self.cast(q);
                    }
                }
                if let Some(into) = into {
                    for (from, to) in graph.returned(p, *g, into) {
                        if self.shadow(from) || self.shadow(to) {
                            grown |= self.cast(from) | self.cast(to);
                        }
                    }
                }
            }
            if let Some(e) = &proc.result {
                let mut out = Vec::new();
                places_in(e, &mut out);
                out.into_iter().for_each(|place| grown |= self.together(points, p, place));
            }
            for (a, b) in graph.alias_pairs(p) {
                if self.shadow(a) && graph.writes(p).contains(&b) {
                    grown |= self.cast(b);
                }
            }
        }
        grown
    }

    fn check(&mut self, graph: &Graph, refusals: &mut Vec<Refusal>) {
        let (points, program) = (graph.points, graph.program);
        for (p, proc) in program.procs.iter().enumerate() {
            let p = ProcId::new(p);
            if let Some(e) = &proc.result {
                walk::expr(e, &mut |x| self.rounds(points, p, x, proc.span));
            }
            for id in walk::items(proc, RegionId(0)) {
                let item = &proc.items[id];
                for e in walk::of_item(proc, item) {
                    walk::expr(e, &mut |x| self.rounds(points, p, x, item.span));
                }
                if let ItemKind::Call { callee: Callee::External { function, unknown, .. }, .. } = &item.kind
                    && (*unknown || function.writes())
                    && graph.effects.item(p, id).writes.iter().any(|&l| self.shadow(l))
                {
                    refusals.push(refusal(
                        Class::NoSource,
                        item.span,
                        format!(
                            "'{}' may write an active variable and its source is not among the inputs",
                            function.name()
                        ),
                        library::instead(function.name()),
                    ));
                }
            }
        }
    }

    /// Notes `e` if it turns an active real number into an integer.
    fn rounds(&mut self, points: &Points, p: ProcId, e: &Expr, span: Span) {
        let real = |x: &Expr| matches!(x.ty, Type::Float { .. });
        let from: &[Expr] = match &e.kind {
            ExprKind::Cast(a) => std::slice::from_ref(a),
            ExprKind::Function(_, args) => args,
            _ => return,
        };
        if matches!(e.ty, Type::Int { bits: 2.., .. }) && from.iter().any(|a| real(a) && self.expr(points, p, a)) {
            self.rounded.push((p, span));
        }
    }
}

/// The places that an item loads from, stores to or takes the address of.
fn places<'a>(proc: &'a Proc, item: &'a Item) -> Vec<&'a Place> {
    let mut out = Vec::new();
    walk::of_item(proc, item).into_iter().for_each(|e| places_in(e, &mut out));
    if let ItemKind::Store { to, .. } = &item.kind {
        out.push(to);
    }
    out
}

fn places_in<'a>(e: &'a Expr, out: &mut Vec<&'a Place>) {
    walk::expr(e, &mut |x| {
        if let ExprKind::Load(p) | ExprKind::Address(p) = &x.kind {
            out.push(p);
        }
    });
}
