//! The watch of objects: whether each address that a head reaches is in one of the objects that the analysis tells
//! apart.
//!
//! A copy of the program runs in a child of the process. It says of each access (a *site*) to memory that may be the
//! caller's, or at file scope, where it is and which *roots* of its procedure it may be in: what a pointer argument leads
//! to, what a pointer in memory leads to. Each call says what it makes of its callee's roots, so that a root stands for
//! the *objects* of the head that it is in this time. Two accesses to one address, one of them a write, have an object in
//! common, or objects that may be one; else the head was called with memory that its adjoint takes for different.
//!
//! A function that has no copy, and that reaches such memory, is *unseen*: the check says that it was called.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{Loc, Options, Points, Root, Set, walk};
use crate::ir::*;
use crate::sweeps::Adjoint;

const TABLES: &str = include_str!("watch.c");

/// What may be anywhere.
const ANYWHERE: i64 = i32::MAX as i64;

/// The watch at run time where nothing is watched.
pub(super) fn nothing() -> String {
    TABLES.replace("static int can_watch(void) {\n", "static int can_watch(void) {\n    return 0;\n")
}

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
    /// Procedures without a copy that reach memory of the heads, and why they have none.
    unseen: BTreeMap<ProcId, String>,
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
        let mut without = BTreeMap::new();
        while let Some(proc) = open.pop() {
            // Its rule says what it touches.
            if program.procs[proc].rule.is_some() {
                continue;
            }
            let why = if live(&proc) { None } else { without_copy(program, proc, printable) };
            match why {
                Some(why) => drop(without.insert(proc, why)),
                None if copied.insert(proc) => {
                    open.extend(walk::calls(&program.procs[proc]).into_iter().map(|(_, callee)| callee));
                }
                None => {}
            }
        }
        let tops: Vec<Loc> = points.locs.all().filter(|loc| points.locs.root_top(*loc) == *loc).collect();
        let is_object = |loc: &Loc| match points.locs.root(*loc) {
            Root::Formal(..) | Root::Cell(_) => points.locs.native(*loc).is_none_or(|p| adjoint.heads.contains(&p)),
            Root::Global(global) => !program.globals[global].constant && program.wire != Some(global),
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
            unseen: BTreeMap::new(),
            rows_of_sites: Vec::new(),
            rows_of_calls: Vec::new(),
            rows_of_roots: Vec::new(),
            lists: Vec::new(),
            points,
        };
        for proc in watch.copied.clone() {
            watch.procedure(program, proc);
        }
        without.retain(|proc, _| watch.reaches(program, *proc));
        watch.unseen = without;
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
            if let ItemKind::Store { to, .. } = &item.kind {
                self.site(program, p, to, item.span, true);
            } else if let ItemKind::Call { callee, into, .. } = &item.kind {
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
        }
        for place in proc.result.iter().flat_map(walk::loads) {
            let span = if proc.result_span.line > 0 { proc.result_span } else { proc.span };
            self.site(program, p, place, span, false);
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

    /// The number of a procedure that has no copy, and that reaches memory of the heads.
    pub fn unseen(&self, callee: ProcId) -> Option<usize> {
        self.unseen.keys().position(|proc| *proc == callee)
    }

    /// Whether a procedure, or one that it calls, accesses memory of the heads. What it declares inside is its own.
    fn reaches(&self, program: &Program, proc: ProcId) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([proc]), vec![proc]);
        while let Some(p) = open.pop() {
            let proc = &program.procs[p];
            let read = walk::exprs(proc).into_iter().flat_map(walk::loads).filter(|place| !is_opaque(&place.ty));
            if read.chain(walk::stores(proc)).any(|place| self.is_outside(program, p, place)) {
                return true;
            }
            let callees = walk::calls(proc).into_iter().map(|(_, callee)| callee);
            open.extend(callees.filter(|callee| seen.insert(*callee)));
        }
        false
    }

    fn is_outside(&self, program: &Program, p: ProcId, place: &Place) -> bool {
        let is_own = |loc: Loc| match self.points.locs.root(loc) {
            Root::Global(global) => program.statics.iter().any(|declared| declared.globals.contains(&global)),
            _ => false,
        };
        self.points.cells(p, place).into_iter().flat_map(|cell| self.points.grounds_of(cell)).any(|ground| {
            let is_object = self.objects.contains_key(&self.points.locs.root_top(ground));
            is_object && !is_own(ground) || self.points.locs.root(ground) == Root::Unknown
        })
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
        let unseen = self.unseen.iter().map(|(proc, why)| format!("{{{:?}, {why:?}, 0}}", program.procs[*proc].name));
        TABLES
            .replace("/* unseen */\n", &lines(&unseen.collect::<Vec<_>>()))
            .replace("/* accesses */\n", &lines(&self.rows_of_sites))
            .replace("/* calls */\n", &lines(&self.rows_of_calls))
            .replace("/* roots */\n", &lines(&self.rows_of_roots))
            .replace("/* lists */\n", &numbers.concat())
            .replace("/* objects */\n", &lines(&names.collect::<Vec<_>>()))
            .replace("/* shared */\n", &lines(&shared.collect::<Vec<_>>()))
    }
}

/// Why C has no second copy of a procedure, if it has none.
fn without_copy(program: &Program, p: ProcId, printable: &dyn Fn(ProcId) -> bool) -> Option<String> {
    let lasting = program.statics.iter().filter(|declared| declared.lasting.is_some());
    let lasting: BTreeSet<GlobalId> = lasting.flat_map(|declared| declared.globals.iter().copied()).collect();
    let proc = &program.procs[p];
    let mut keeps = false;
    let mut see = |place: &Place| keeps |= matches!(&place.base, Base::Global(global) if lasting.contains(global));
    walk::stores(proc).into_iter().for_each(&mut see);
    for e in walk::exprs(proc) {
        walk::expr(e, &mut |x| match &x.kind {
            ExprKind::Load(place) | ExprKind::Address(place) => see(place),
            _ => {}
        });
    }
    if keeps {
        return Some("keeps a static variable from call to call".into());
    }
    if proc.has_list {
        return Some("has a variable number of arguments".into());
    }
    (!printable(p)).then(|| "has a pointer to rows of variable extent".into())
}

/// Whether a type leads to what only the source can name.
fn is_opaque(ty: &Type) -> bool {
    match ty {
        Type::Pointer(inner) => is_opaque(inner),
        Type::Array(row) => is_opaque(&row.elem),
        Type::Opaque(_) => true,
        Type::Void | Type::Int { .. } | Type::Float { .. } | Type::Struct(_) => false,
    }
}
