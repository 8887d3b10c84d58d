//! One round over a procedure: its constraints, what its calls bind, which pairs of arguments may be the same memory.

use std::collections::BTreeSet;

use super::Points;
use crate::flow::locs::{self, Loc, Root, Set};
use crate::flow::walk;
use crate::ir::{Callee, Def, Expr, ExprKind, ItemId, ItemKind, Place, ProcId, RegionId, Type, ValueId};

impl Points<'_> {
    pub(super) fn procedure(&mut self, p: ProcId) {
        let program = self.program;
        let proc = &program.procs[p];
        let order = walk::items(proc, RegionId(0));
        for &id in &order {
            for e in walk::of_item(proc, &proc.items[id]) {
                walk::expr(e, &mut |x| self.prepare(p, x));
            }
        }
        if let Some(e) = &proc.result {
            walk::expr(e, &mut |x| self.prepare(p, x));
        }
        for v in 0..proc.values.len() {
            self.value(p, ValueId::new(v));
        }
        for &id in &order {
            let kind = &proc.items[id].kind;
            if let ItemKind::Store { to, from } = kind
                && matches!(to.ty, Type::Pointer(_))
            {
                let targets = self.targets(p, from);
                for cell in self.cells(p, to) {
                    self.store(cell, &targets);
                }
            } else if let ItemKind::Call { callee: Callee::Proc(g), args, into, .. } = kind {
                self.call(p, id, *g, args, into.as_ref());
            }
        }
    }

    /// Makes the roots that an expression reaches, and gives `void` pointees the type they are read as.
    fn prepare(&mut self, p: ProcId, e: &Expr) {
        match &e.kind {
            ExprKind::Load(place) => {
                for cell in self.cells(p, place) {
                    for leaf in self.locs.leaves(cell) {
                        self.outside(leaf);
                    }
                }
            }
            ExprKind::Cast(inner) if matches!(e.ty, Type::Pointer(_)) => {
                let ty = locs::pointee(&e.ty);
                for t in self.targets(p, inner) {
                    self.retype(t, ty);
                }
            }
            _ => {}
        }
    }

    /// Makes the root of what a cell points to at entry.
    fn outside(&mut self, cell: Loc) {
        if matches!(self.locs.ty(cell), Type::Pointer(_))
            && self.locs.from_outside(self.program, cell)
            && !self.is_set_first(cell)
            && self.locs.find(Root::Cell(cell)).is_none()
        {
            let ty = locs::pointee(self.locs.ty(cell)).clone();
            self.locs.top(&self.program.types, Root::Cell(cell), &ty, true);
            self.grown = true;
        }
    }

    fn value(&mut self, p: ProcId, v: ValueId) {
        let program = self.program;
        let proc = &program.procs[p];
        let value = &proc.values[v];
        if !matches!(proc.vars[value.var].ty, Type::Pointer(_)) {
            return;
        }
        let of = |v: ValueId| self.values[p.index()][v.index()].clone();
        let new = match &value.def {
            Def::Entry(k) => self.locs.find(Root::Formal(p, *k)).into_iter().collect(),
            Def::Is(e) => self.targets(p, e),
            def @ (Def::Join(..) | Def::Head(..) | Def::Out(..)) => {
                proc.merged(def).into_iter().flatten().flat_map(of).collect()
            }
            Def::Result(item) => {
                let kind = &proc.items[*item].kind;
                let ItemKind::Call { callee, args, .. } = kind else { return };
                match callee {
                    Callee::Proc(g) => match &program.procs[*g].result {
                        Some(e) => self.up_all(p, *item, *g, &self.targets(*g, e)),
                        None => Set::new(),
                    },
                    _ if kind.resizes() => self.targets(p, &args[0]),
                    _ => self.locs.find(Root::Unknown).into_iter().collect(),
                }
            }
            Def::Undefined | Def::Popped(_) => Set::new(),
        };
        let set = &mut self.values[p.index()][v.index()];
        let before = set.len();
        set.extend(new);
        self.grown |= set.len() > before;
    }

    fn up_all(&self, p: ProcId, call: ItemId, callee: ProcId, set: &Set) -> Set {
        set.iter().flat_map(|&t| self.up(p, call, callee, t)).collect()
    }

    fn store(&mut self, cell: Loc, targets: &Set) {
        if targets.is_empty() {
            return;
        }
        let set = self.cells.entry(cell).or_default();
        let before = set.len();
        set.extend(targets);
        if set.len() > before {
            self.grown = true;
            for native in targets.iter().chain([&cell]).filter_map(|&loc| self.locs.native(loc)) {
                self.cells_of.entry(native).or_default().insert(cell);
            }
        }
    }

    fn call(&mut self, p: ProcId, id: ItemId, g: ProcId, args: &[Expr], into: Option<&Place>) {
        self.bind(p, id, g, args);
        let stored = self.cells_of.get(&g).into_iter().flatten();
        let stored: Vec<(Loc, Set)> = stored.map(|cell| (*cell, self.cells[cell].clone())).collect();
        for (cell, set) in stored {
            let up = self.up_all(p, id, g, &set);
            for to in self.up(p, id, g, cell) {
                self.store(to, &up);
            }
        }
        if let (Some(into), Some(o)) = (into, self.program.procs[g].result_object) {
            let from = self.locs.find(Root::Object(g, o)).expect("made first");
            for leaf in self.locs.leaves(from) {
                if matches!(self.locs.ty(leaf), Type::Pointer(_)) {
                    self.outside(leaf);
                    let up = self.up_all(p, id, g, &self.contents(g, leaf));
                    let path = self.locs.path(leaf);
                    for to in self.cells(p, into) {
                        self.store(self.part(to, &path), &up);
                    }
                }
            }
        }
    }

    fn bind(&mut self, p: ProcId, id: ItemId, g: ProcId, args: &[Expr]) {
        let tops: Vec<Loc> =
            self.locs.all().filter(|&l| self.locs.native(l) == Some(g) && self.locs.root_top(l) == l).collect();
        for top in tops {
            let mut bound = match self.locs.root(top) {
                Root::Formal(_, k) => match args.get(k as usize) {
                    Some(arg) => self.targets(p, arg),
                    None => Set::new(),
                },
                Root::Cell(cell) => self.behind(p, id, g, cell),
                _ => Set::new(),
            };
            for cell in self.locs.folded(top).collect::<Vec<_>>() {
                bound.extend(self.behind(p, id, g, cell));
            }
            let ty = self.locs.ty(top).clone();
            for &l in &bound {
                self.retype(l, &ty);
            }
            let set = self.bindings.entry((p, id)).or_default().entry(top).or_default();
            let before = set.len();
            set.extend(bound);
            self.grown |= set.len() > before;
        }
    }

    /// What the caller's counterparts of a cell of the callee contain.
    fn behind(&mut self, p: ProcId, id: ItemId, g: ProcId, cell: Loc) -> Set {
        let mut out = Set::new();
        for source in self.source(p, id, g, cell) {
            self.outside(source);
            out.extend(self.contents(p, source));
        }
        out
    }

    /// Two roots of a callee are a pair where some call binds them to overlapping locations.
    pub(super) fn pair_arguments(&mut self) {
        let mut new = Vec::new();
        for (&(p, id), binding) in &self.bindings {
            let ItemKind::Call { callee: Callee::Proc(g), .. } = self.program.procs[p].items[id].kind else {
                continue;
            };
            for (&a, to_a) in binding {
                let others = to_a.iter().filter(|&&x| self.locs.native(x) != Some(g) && !self.is_kept_apart(g, a, x));
                new.extend(others.map(|&x| (g, (a, x))));
                for (&b, to_b) in binding {
                    if a != b && !self.is_kept_apart(g, a, b) {
                        new.extend(self.overlaid(p, a, to_a, b, to_b).into_iter().map(|pair| (g, pair)));
                    }
                }
            }
        }
        if self.options.may_alias {
            for &h in &self.heads {
                new.extend(self.same_types(h).into_iter().map(|pair| (h, pair)));
            }
        }
        for (g, pair) in new {
            self.grown |= self.pairs[g.index()].insert(pair);
        }
    }

    /// Whether the language forbids that two roots are the same memory in a procedure. Where neither is written they may
    /// be, and then their adjoints are, which are written.
    fn is_kept_apart(&self, g: ProcId, a: Loc, b: Loc) -> bool {
        let is_alone = |top: Loc| match self.locs.root(top) {
            Root::Formal(q, k) => self.program.procs[q].params[k as usize].no_alias,
            _ => false,
        };
        (is_alone(a) || is_alone(b)) && self.may_write(g, &Set::from([a, b]), &mut BTreeSet::new())
    }

    /// Whether a procedure writes to one of these roots, as far as is known.
    fn may_write(&self, g: ProcId, tops: &Set, seen: &mut BTreeSet<(ProcId, Loc)>) -> bool {
        let proc = &self.program.procs[g];
        let hits = |cells: Set| cells.into_iter().any(|cell| tops.contains(&self.locs.root_top(cell)));
        walk::items(proc, RegionId(0)).into_iter().any(|id| {
            let kind = &proc.items[id].kind;
            if kind.written().into_iter().any(|to| hits(self.cells(g, to))) {
                return true;
            }
            let ItemKind::Call { callee, args, .. } = kind else { return false };
            match callee {
                Callee::Proc(h) => self.bindings.get(&(g, id)).into_iter().flatten().any(|(&top, bound)| {
                    let is_bound = bound.iter().any(|&l| tops.contains(&self.locs.root_top(l)));
                    is_bound && seen.insert((*h, top)) && self.may_write(*h, &Set::from([top]), seen)
                }),
                Callee::External { function, .. } => {
                    let mut pointers = args.iter().filter(|arg| matches!(arg.ty, Type::Pointer(_)));
                    function.writes() && pointers.any(|arg| hits(self.targets(g, arg)))
                }
                Callee::Sweep(..) => false,
            }
        })
    }

    /// Where root `a` begins inside of root `b`, when the caller gives `to_a` for one and `to_b` for the other.
    fn overlaid(&self, p: ProcId, a: Loc, to_a: &Set, b: Loc, to_b: &Set) -> Vec<(Loc, Loc)> {
        let mut out = Vec::new();
        for &y in to_b {
            for x in to_a.iter().flat_map(|&x| self.same_memory(p, x, y)) {
                if self.locs.root(x) == Root::Unknown {
                    out.push((a, b));
                } else if self.locs.within(x, y) {
                    let rest = self.locs.path(x).split_off(self.locs.path(y).len());
                    out.extend(self.locs.follow(b, &rest).map(|at| (a, at)));
                }
            }
        }
        out
    }

    /// The names of `x` that lie in the root of `y`, if the two may be the same memory.
    fn same_memory(&self, p: ProcId, x: Loc, y: Loc) -> Vec<Loc> {
        let root = self.locs.root_top(y);
        let mut out: Vec<Loc> = self.aliases(p, x).into_iter().filter(|&l| self.locs.root_top(l) == root).collect();
        if out.is_empty() && self.may_alias(p, x, y) {
            for (gx, gy) in
                self.grounds_of(x).into_iter().flat_map(|gx| self.grounds_of(y).into_iter().map(move |gy| (gx, gy)))
            {
                if self.locs.within(gx, gy) {
                    let rest = self.locs.path(gx).split_off(self.locs.path(gy).len());
                    out.extend(self.locs.follow(y, &rest));
                } else if self.ground_overlap(gx, gy) && !self.locs.overlap(gx, gy) {
                    out.push(y);
                }
            }
        }
        out
    }

    /// `may_alias` for a head: every two pointees of one type.
    fn same_types(&self, h: ProcId) -> Vec<(Loc, Loc)> {
        let native: Vec<Loc> = self.locs.all().filter(|&l| self.locs.native(l) == Some(h)).collect();
        let mut out = Vec::new();
        for &a in native.iter().filter(|&&l| self.locs.root_top(l) == l) {
            for &b in &native {
                let may_be = locs::compatible(self.locs.ty(a), self.locs.ty(b));
                if self.locs.root_top(b) != a && may_be && !self.is_kept_apart(h, a, self.locs.root_top(b)) {
                    out.push((a, b));
                }
            }
        }
        out
    }

    pub(super) fn ground(&mut self) {
        let tops: Vec<Loc> =
            self.locs.all().filter(|&l| self.locs.root_top(l) == l && self.locs.native(l).is_some()).collect();
        // What a procedure hands to itself adds nothing: it is not taken for an object of its own.
        for &top in &tops {
            self.grounds.entry(top).or_default();
        }
        for &top in &tops {
            let g = self.locs.native(top).expect("filtered");
            let mut new = Set::new();
            if self.heads.contains(&g) {
                new.insert(top);
            }
            for binding in self.bindings.values() {
                for &l in binding.get(&top).into_iter().flatten() {
                    new.extend(self.grounds_of(l));
                }
            }
            let set = self.grounds.entry(top).or_default();
            let before = set.len();
            set.extend(new);
            self.grown |= set.len() > before;
        }
    }
}
