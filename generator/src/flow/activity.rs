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

use super::locs::{Loc, Root, Set};
use super::{Effects, Head, Points, effects, walk};
use crate::ir::{
    Callee, Def, Expr, ExprKind, Item, ItemId, ItemKind, Place, Proc, ProcId, Program, RegionId, Span, Type, ValueId,
};
use crate::refuse::{Class, Refusal};

/// An operand in a differentiable position.
pub enum Leaf<'e> {
    /// A value.
    Value(ValueId),
    /// Contents of memory.
    Place(&'e Place),
}

/// Functions of real arguments whose derivative is zero wherever it exists.
const FLAT: &[&str] = &["floor", "ceil", "trunc", "round", "rint", "nearbyint", "logb"];

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
        ExprKind::Function(f, args) if !FLAT.contains(&f.name) => args.iter().for_each(|a| leaves(a, out)),
        _ => {}
    }
}

/// A bit for each node: values of all procedures, locations, results.
#[derive(Clone)]
struct Nodes {
    first_value: Vec<usize>,
    first_loc: usize,
    first_result: usize,
    count: usize,
}

impl Nodes {
    fn new(program: &Program, locs: usize) -> Self {
        let mut count = 0;
        let mut first_value = Vec::new();
        for p in &program.procs {
            first_value.push(count);
            count += p.values.len();
        }
        Nodes { first_value, first_loc: count, first_result: count + locs, count: count + locs + program.procs.len() }
    }
    fn value(&self, p: ProcId, v: ValueId) -> usize {
        self.first_value[p.index()] + v.index()
    }
    fn loc(&self, l: Loc) -> usize {
        self.first_loc + l.0 as usize
    }
    fn result(&self, p: ProcId) -> usize {
        self.first_result + p.index()
    }
}

/// The result of the analysis.
pub struct Activity {
    nodes: Nodes,
    active: Vec<bool>,
    shadow: Vec<bool>,
    /// Conversions of active values to integers.
    pub rounded: Vec<(ProcId, Span)>,
}

struct Graph<'a> {
    program: &'a Program,
    points: &'a Points<'a>,
    effects: &'a Effects,
    nodes: Nodes,
    edges: Vec<(usize, usize)>,
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
            let Some(p) = program.procs.iter().position(|p| p.name == head.proc) else {
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
                graph.named(ProcId::new(p), name, dependent, out, refusals);
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
                let item = &proc.items[id.index()];
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
                let item = &proc.items[id.index()];
                for e in walk::of_item(proc, item) {
                    walk::expr(e, &mut |x| self.rounds(points, p, x, item.span));
                }
                if let ItemKind::Call { callee: Callee::External { name, unknown, .. }, .. } = &item.kind
                    && (*unknown || effects::external_writes(name))
                    && graph.effects.item(p, id).writes.iter().any(|&l| self.shadow(l))
                {
                    refusals.push(refusal(
                        Class::NoSource,
                        item.span,
                        format!("'{name}' may write an active variable and its source is not among the inputs"),
                        "add the file that defines it",
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

impl<'a> Graph<'a> {
    fn writes(&self, p: ProcId) -> &Set {
        &self.effects.of_region(p, RegionId(0)).writes
    }

    fn reads(&self, p: ProcId) -> &Set {
        &self.effects.of_region(p, RegionId(0)).reads
    }

    /// Real scalar locations of a callee whose contents come from its caller or go there.
    fn visible(&self, g: ProcId) -> Vec<Loc> {
        let locs = &self.points.locs;
        let param = |l| matches!(locs.root(l), Root::Object(p, _) if p == g) && locs.from_outside(self.program, l);
        let used: Set = self.reads(g) | self.writes(g);
        used.into_iter().filter(|&l| locs.is_real(l) && (locs.native(l) == Some(g) || param(l))).collect()
    }

    /// Pairs of a scalar in the callee's struct result and where it goes.
    fn returned(&self, p: ProcId, g: ProcId, into: &Place) -> Vec<(Loc, Loc)> {
        let Some(o) = self.program.procs[g.index()].result_object else { return Vec::new() };
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
    fn alias_pairs(&self, p: ProcId) -> Vec<(Loc, Loc)> {
        let used: Vec<Loc> =
            (self.reads(p) | self.writes(p)).into_iter().filter(|&l| self.points.locs.is_real(l)).collect();
        let mut out = Vec::new();
        for &a in &used {
            out.extend(used.iter().filter(|&&b| a != b && self.points.may_alias(p, a, b)).map(|&b| (a, b)));
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

    fn procedure(&mut self, p: ProcId) {
        let proc = &self.program.procs[p.index()];
        for (v, value) in proc.values.iter().enumerate() {
            let to = self.nodes.value(p, ValueId::new(v));
            let from: Vec<ValueId> = match &value.def {
                Def::Is(e) => {
                    if matches!(proc.vars[value.var.index()].ty, Type::Float { .. }) {
                        self.flow(p, e, &[to]);
                    }
                    continue;
                }
                Def::Join(item, k) => match &proc.items[item.index()].kind {
                    ItemKind::Branch { joins, .. } => vec![joins[*k as usize].then, joins[*k as usize].otherwise],
                    _ => continue,
                },
                Def::Head(item, k) | Def::Out(item, k) => match &proc.items[item.index()].kind {
                    ItemKind::Loop { carried, .. } => vec![carried[*k as usize].init, carried[*k as usize].end],
                    _ => continue,
                },
                _ => continue,
            };
            if matches!(proc.vars[value.var.index()].ty, Type::Float { .. }) {
                self.edges.extend(from.into_iter().map(|w| (self.nodes.value(p, w), to)));
            }
        }
        if let Some(e) = &proc.result {
            let to = self.nodes.result(p);
            self.flow(p, e, &[to]);
        }
        for id in walk::items(proc, RegionId(0)) {
            match &proc.items[id.index()].kind {
                ItemKind::Store { to, from } => {
                    let to: Vec<usize> = self.points.cells(p, to).into_iter().map(|l| self.nodes.loc(l)).collect();
                    self.flow(p, from, &to);
                }
                ItemKind::Call { callee: Callee::Proc(g), args, result, into } => {
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
                _ => {}
            }
        }
        for (a, b) in self.alias_pairs(p) {
            self.edges.push((self.nodes.loc(a), self.nodes.loc(b)));
        }
    }

    fn call(&mut self, p: ProcId, id: ItemId, g: ProcId, args: &[Expr]) {
        let callee = &self.program.procs[g.index()];
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

    /// The nodes of a dependent or independent of a head: a parameter, a global, the result, or a member of these
    /// (`net.w`, `net->w`).
    fn named(&self, h: ProcId, name: &str, dependent: bool, out: &mut Vec<usize>, refusals: &mut Vec<Refusal>) {
        let proc = &self.program.procs[h.index()];
        let text = name.replace("->", ".");
        let mut parts = text.split('.');
        let first = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        let before = out.len();
        let head = |what: String, help: &str| refusal(Class::Head, proc.span, what, help);
        let mut tops: Vec<Loc> = Vec::new();
        let locs = &self.points.locs;
        if let Some(k) = proc.params.iter().position(|q| q.name == first) {
            let param = &proc.params[k];
            if let Some(o) = param.object.filter(|_| matches!(param.ty, Type::Struct(_))) {
                tops.extend(locs.find(Root::Object(h, o)));
            } else if let Type::Pointer(_) = param.ty {
                tops.extend(locs.find(Root::Formal(h, k as u32)));
            } else if let (Type::Float { .. }, Some(entry)) = (&param.ty, param.entry) {
                out.push(self.nodes.value(h, entry));
            }
            if dependent && !matches!(param.ty, Type::Pointer(_)) {
                let what = format!("'{name}' is passed to '{}' by value, so it cannot be a result", proc.name);
                refusals.push(head(what, "name the result by the procedure's name, or an argument that is a pointer"));
                return;
            }
        } else if first == proc.name && dependent {
            match proc.result_object {
                Some(o) => tops.extend(locs.find(Root::Object(h, o))),
                None if matches!(proc.result_type, Type::Float { .. }) => out.push(self.nodes.result(h)),
                None => {}
            }
        } else if let Some(g) = self.program.globals.iter().position(|g| g.name == first) {
            tops.extend(locs.find(Root::Global(crate::ir::GlobalId::new(g))));
        } else {
            refusals.push(head(
                format!("'{}' has no parameter '{first}', and there is no global of that name", proc.name),
                "name a parameter",
            ));
            return;
        }
        let mut members = tops;
        for field in rest {
            members = members.into_iter().filter_map(|l| self.member(h, l, field)).flatten().collect();
        }
        for l in self.reachable(h, members) {
            out.push(self.nodes.loc(l));
        }
        if out.len() == before {
            refusals.push(head(
                format!("'{name}' holds no real number"),
                "name a real variable, or a pointer to real numbers",
            ));
        }
    }

    /// A member of a struct, pointers in between followed.
    fn member(&self, h: ProcId, l: Loc, field: &str) -> Option<Vec<Loc>> {
        let locs = &self.points.locs;
        match locs.ty(l) {
            Type::Struct(s) => {
                let k = self.program.types.structs[s.index()].fields.iter().position(|f| f.name == field)?;
                Some(vec![locs.child(l, crate::ir::FieldId::new(k))?])
            }
            Type::Pointer(_) => Some(
                self.points.contents(h, l).into_iter().filter_map(|t| self.member(h, t, field)).flatten().collect(),
            ),
            _ => None,
        }
    }

    /// The real scalars in locations and behind the pointers in them.
    fn reachable(&self, h: ProcId, from: Vec<Loc>) -> Set {
        let locs = &self.points.locs;
        let (mut seen, mut out, mut stack) = (Set::new(), Set::new(), from);
        while let Some(l) = stack.pop() {
            for leaf in locs.leaves(l) {
                if !seen.insert(leaf) {
                    continue;
                }
                if locs.is_real(leaf) {
                    out.insert(leaf);
                } else if let Type::Pointer(_) = locs.ty(leaf) {
                    stack.extend(self.points.contents(h, leaf));
                }
            }
        }
        out
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

fn reach(count: usize, edges: &[(usize, usize)], from: &[usize], forward: bool) -> Vec<bool> {
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

fn refusal(class: Class, span: Span, what: String, help: &str) -> Refusal {
    Refusal { class, span, what, help: help.into() }
}
