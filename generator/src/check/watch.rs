//! The watch of objects: whether each address that a head reaches is in one of the objects that the analysis tells
//! apart.
//!
//! A copy of the program runs in a child of the process. It says of each access (a *site*) to memory that may be the
//! caller's, or at file scope, where it is and which *roots* of its procedure it may be in: what a pointer argument leads
//! to, what a pointer in memory leads to. Each call says what it makes of its callee's roots, so that a root stands for
//! the *objects* of the head that it is in this time. Two accesses to one address, one of them a write, have an object in
//! common, or objects that may be one; else the head was called with memory that its adjoint takes for different.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{Loc, Options, Points, Root, Set, walk};
use crate::ir::*;
use crate::transform::Adjoint;

const TABLES: &str = include_str!("watch.c");

/// What may be anywhere.
const ANYWHERE: i64 = i32::MAX as i64;

/// What the copy says, and the tables for it.
pub struct Watch<'a> {
    points: Points<'a>,
    /// Procedures that have a copy.
    pub copied: BTreeSet<ProcId>,
    /// The heads' objects.
    objects: BTreeMap<Loc, i64>,
    /// By procedure: its roots, in order.
    roots: Vec<BTreeMap<Loc, i64>>,
    sites: FxHashMap<(ProcId, Place, bool), usize>,
    calls: BTreeMap<(ProcId, Option<ItemId>), usize>,
    rows_of_sites: Vec<String>,
    rows_of_calls: Vec<String>,
    rows_of_roots: Vec<String>,
    /// Where roots and objects are listed: roots from 0 up, objects from -1 down.
    lists: Vec<i64>,
}

impl<'a> Watch<'a> {
    /// What to watch in the program of an adjoint. `printable`: whether C can say what a procedure does outside of the
    /// source.
    pub fn new(adjoint: &'a Adjoint, printable: &dyn Fn(ProcId) -> bool) -> Watch<'a> {
        let program = &adjoint.program;
        let points = Points::analyse(program, &adjoint.heads, &Options::default());
        let live = |proc: &ProcId| adjoint.sweeps.iter().any(|sweeps| sweeps.proc == *proc);
        let heads: Vec<ProcId> = adjoint.heads.iter().copied().filter(live).collect();
        let (mut copied, mut open) = (BTreeSet::new(), heads.clone());
        while let Some(proc) = open.pop() {
            // A function that keeps something has no second copy of it.
            let may = live(&proc) || printable(proc) && !names_statics(program, proc);
            let may = may && !program.procs[proc].has_list;
            if may && copied.insert(proc) {
                open.extend(walk::calls(&program.procs[proc]).into_iter().map(|(_, callee)| callee));
            }
        }
        let tops: Vec<Loc> = points.locs.all().filter(|loc| points.locs.root_top(*loc) == *loc).collect();
        let is_object = |loc: &Loc| match points.locs.root(*loc) {
            Root::Formal(..) | Root::Cell(_) => points.locs.native(*loc).is_none_or(|p| adjoint.heads.contains(&p)),
            Root::Global(global) => !program.globals[global].constant,
            Root::Object(..) | Root::Literal | Root::Unknown => false,
        };
        let number = |locs: Vec<Loc>| locs.into_iter().zip(0..).collect::<BTreeMap<Loc, i64>>();
        let objects = number(tops.iter().copied().filter(is_object).collect());
        let of = |p| tops.iter().copied().filter(|loc| points.locs.native(*loc) == Some(p)).collect();
        let roots = (0..program.procs.len()).map(|p| number(of(ProcId::new(p)))).collect();
        let mut watch = Watch {
            copied,
            objects,
            roots,
            sites: FxHashMap::default(),
            calls: BTreeMap::new(),
            rows_of_sites: Vec::new(),
            rows_of_calls: Vec::new(),
            rows_of_roots: Vec::new(),
            lists: Vec::new(),
            points,
        };
        for proc in watch.copied.clone() {
            watch.procedure(program, proc);
        }
        for head in &heads {
            let roots = watch.roots[head.index()].clone();
            let bound = roots.keys().map(|root| watch.objects.get(root).map(|object| -1 - object));
            let bound = bound.map(|object| object.into_iter().collect()).collect();
            watch.call((*head, None), bound);
        }
        watch
    }

    fn procedure(&mut self, program: &Program, p: ProcId) {
        let proc = &program.procs[p];
        for id in walk::items(proc, RegionId(0)) {
            let item = &proc.items[id];
            for place in walk::of_item(proc, item).into_iter().flat_map(walk::loads) {
                self.site(program, p, place, item.span, false);
            }
            match &item.kind {
                ItemKind::Store { to, .. } => self.site(program, p, to, item.span, true),
                ItemKind::Call { callee, into, .. } => {
                    into.iter().for_each(|into| self.site(program, p, into, item.span, true));
                    if let Callee::Proc(g) = callee
                        && self.copied.contains(g)
                    {
                        let roots: Vec<Loc> = self.roots[g.index()].keys().copied().collect();
                        let bound = roots.into_iter().map(|root| self.list(p, &self.points.up(p, id, *g, root)));
                        let bound = bound.collect();
                        self.call((p, Some(id)), bound);
                    }
                }
                _ => {}
            }
        }
        for place in proc.result.iter().flat_map(walk::loads) {
            self.site(program, p, place, proc.span, false);
        }
    }

    /// Roots of a procedure and objects of the heads that these locations are in; variables of procedures are neither.
    fn list(&self, p: ProcId, locs: &Set) -> Vec<i64> {
        let mut list = BTreeSet::new();
        for &loc in locs {
            let top = self.points.locs.root_top(loc);
            if let Some(root) = self.roots[p.index()].get(&top) {
                list.insert(*root);
            } else if self.points.locs.root(loc) == Root::Unknown {
                list.insert(ANYWHERE);
            } else {
                let grounds = self.points.grounds_of(top).into_iter().map(|ground| self.points.locs.root_top(ground));
                list.extend(grounds.filter_map(|ground| Some(-1 - self.objects.get(&ground)?)));
            }
        }
        list.into_iter().collect()
    }

    fn site(&mut self, program: &Program, p: ProcId, place: &Place, span: Span, writes: bool) {
        if !writes && is_opaque(&place.ty) {
            return;
        }
        let key = (p, place.clone(), writes);
        let list = self.list(p, &self.points.cells(p, place));
        if list.is_empty() || self.sites.contains_key(&key) {
            return;
        }
        let (first, count) = self.listed(list);
        let source = program.sources.get(span.source as usize);
        let path = source.map_or("", |source| source.path_at(span.start));
        let place = format!("{path}:{}", span.line);
        self.sites.insert(key, self.rows_of_sites.len());
        self.rows_of_sites.push(format!("{{{place:?}, {first}, {count}, {}}}", i32::from(writes)));
    }

    fn listed(&mut self, list: Vec<i64>) -> (usize, usize) {
        let first = self.lists.len();
        self.lists.extend(&list);
        (first, list.len())
    }

    fn call(&mut self, key: (ProcId, Option<ItemId>), bound: Vec<Vec<i64>>) {
        let (first, count) = (self.rows_of_roots.len(), bound.len());
        for list in bound {
            let (first, count) = self.listed(list);
            self.rows_of_roots.push(format!("{{{first}, {count}}}"));
        }
        self.calls.insert(key, self.rows_of_calls.len());
        self.rows_of_calls.push(format!("{{{first}, {count}}}"));
    }

    /// The number of an access; `None` if it is of variables of procedures only.
    pub fn access(&self, proc: ProcId, place: &Place, writes: bool) -> Option<usize> {
        self.sites.get(&(proc, place.clone(), writes)).copied()
    }

    /// The number of a call of a procedure that has a copy.
    pub fn entered(&self, proc: ProcId, call: ItemId) -> Option<usize> {
        self.calls.get(&(proc, Some(call))).copied()
    }

    /// The number of the call of a head.
    pub fn head(&self, head: ProcId) -> Option<usize> {
        self.calls.get(&(head, None)).copied()
    }

    /// The watch at run time, with its tables.
    pub(super) fn runtime(&self, program: &Program) -> String {
        let lines = |rows: &[String]| rows.iter().map(|row| format!("    {row},\n")).collect::<String>();
        let numbers: Vec<String> = self.lists.iter().map(|n| format!("    {n},\n")).collect();
        let names = self.objects.keys().map(|loc| format!("{:?}", self.points.locs.c_name(program, *loc)));
        let shared = self
            .points
            .shared()
            .into_iter()
            .filter_map(|(a, b)| Some(format!("{{{}, {}}}", self.objects.get(&a)?, self.objects.get(&b)?)));
        TABLES
            .replace("/* accesses */\n", &lines(&self.rows_of_sites))
            .replace("/* calls */\n", &lines(&self.rows_of_calls))
            .replace("/* roots */\n", &lines(&self.rows_of_roots))
            .replace("/* lists */\n", &numbers.concat())
            .replace("/* objects */\n", &lines(&names.collect::<Vec<_>>()))
            .replace("/* shared */\n", &lines(&shared.collect::<Vec<_>>()))
    }
}

/// Whether a procedure names a variable that a function declares inside.
fn names_statics(program: &Program, p: ProcId) -> bool {
    let proc = &program.procs[p];
    let is_inside = |global: &GlobalId| program.statics.iter().any(|declared| declared.globals.contains(global));
    let mut found = false;
    let mut see = |place: &Place| found |= matches!(&place.base, Base::Global(global) if is_inside(global));
    for id in walk::items(proc, RegionId(0)) {
        let item = &proc.items[id];
        for e in walk::of_item(proc, item) {
            walk::expr(e, &mut |x| {
                if let ExprKind::Load(place) | ExprKind::Address(place) = &x.kind {
                    see(place);
                }
            });
        }
        if let ItemKind::Store { to, .. } = &item.kind {
            see(to);
        }
    }
    found
}

/// Whether a type leads to what only the source can name.
fn is_opaque(ty: &Type) -> bool {
    match ty {
        Type::Pointer(inner) | Type::Array { elem: inner, .. } => is_opaque(inner),
        Type::Opaque(_) => true,
        Type::Void | Type::Int { .. } | Type::Float { .. } | Type::Struct(_) => false,
    }
}
