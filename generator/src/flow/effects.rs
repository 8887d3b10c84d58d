//! What may be read and written: by each item, region and procedure.
//!
//! - **Lattice**: pairs of sets of scalar locations, ordered by inclusion. Both are may-sets.
//! - **Transfer**: an item reads what its expressions load and writes what it stores; a declaration, an allocation and
//!   a `free` write all of their object, because its contents are gone. A call has its callee's effects, bound to the
//!   caller's locations, without those on objects that only the callee can see.
//! - **Closure**: callees first; recursion by rounds until nothing grows.
//!
//! The sets name the locations that the text names: who asks whether two of them meet asks
//! [`super::Points::may_alias`] as well.

use super::locs::{Loc, Root, Set};
use super::{Points, scratch, walk};
use crate::ir::{Callee, ExprKind, External, GlobalId, ItemId, ItemKind, Life, Place, ProcId, Program, RegionId, Type};

/// What something may read and write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// May be read.
    pub reads: Set,
    /// May be written.
    pub writes: Set,
}

impl Effect {
    fn add(&mut self, other: &Effect) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }
}

/// The effects of a program.
pub struct Effects {
    /// What functions without source may write.
    state: Set,
    items: Vec<Vec<Effect>>,
    regions: Vec<Vec<Effect>>,
}

impl Effects {
    /// Computes the effects of every item.
    pub fn analyse(program: &Program, points: &Points) -> Self {
        let mut effects = Effects {
            state: state(program, points),
            items: program.procs.iter().map(|p| vec![Effect::default(); p.items.len()]).collect(),
            regions: program.procs.iter().map(|p| vec![Effect::default(); p.regions.len()]).collect(),
        };
        let order = walk::callees_first(program);
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for &p in &order {
                grown |= effects.region(program, points, p, RegionId(0));
            }
        }
        effects
    }

    /// The effect of an item and of the regions in it.
    pub fn item(&self, proc: ProcId, item: ItemId) -> &Effect {
        &self.items[proc.index()][item.index()]
    }

    /// The locations that an item's own expressions load: not those that its regions or its callee read.
    pub fn loads(program: &Program, points: &Points, p: ProcId, id: ItemId) -> Set {
        let proc = &program.procs[p];
        let mut effect = Effect::default();
        for e in walk::of_item(proc, &proc.items[id]) {
            read(points, p, e, &mut effect);
        }
        effect.reads
    }

    /// The effect of one pass of a region.
    pub fn region(&mut self, program: &Program, points: &Points, p: ProcId, region: RegionId) -> bool {
        let proc = &program.procs[p];
        let mut all = Effect::default();
        let mut grown = false;
        for &id in &proc.regions[region].items {
            for inner in proc.items[id].kind.regions() {
                grown |= self.region(program, points, p, inner);
            }
            let effect = self.compute(program, points, p, id);
            grown |= self.items[p.index()][id.index()] != effect;
            all.add(&effect);
            self.items[p.index()][id.index()] = effect;
        }
        if region == RegionId(0)
            && let Some(e) = &proc.result
        {
            read(points, p, e, &mut all);
        }
        self.regions[p.index()][region.index()] = all;
        grown
    }

    /// The effect of one pass of a region; region 0 is the whole procedure.
    pub fn of_region(&self, proc: ProcId, region: RegionId) -> &Effect {
        &self.regions[proc.index()][region.index()]
    }

    fn compute(&self, program: &Program, points: &Points, p: ProcId, id: ItemId) -> Effect {
        let proc = &program.procs[p];
        let item = &proc.items[id];
        let mut effect = Effect::default();
        for e in walk::of_item(proc, item) {
            read(points, p, e, &mut effect);
        }
        for inner in item.kind.regions() {
            effect.add(&self.regions[p.index()][inner.index()]);
        }
        for to in item.kind.written() {
            write(points, p, to, &mut effect);
        }
        if let Some(object) = item.kind.begun() {
            let top = points.locs.find(Root::Object(p, object)).expect("every object has one");
            effect.writes.extend(points.locs.leaves(top));
        }
        if let ItemKind::Call { callee, args, .. } = &item.kind {
            match callee {
                Callee::Proc(g) => self.call(points, program, p, id, *g, &mut effect),
                Callee::External { function, unknown, .. } => {
                    if *unknown {
                        effect.writes.extend(&self.state);
                    }
                    for arg in args.iter().filter(|a| matches!(a.ty, Type::Pointer(_))) {
                        for t in points.targets(p, arg) {
                            effect.reads.extend(points.locs.leaves(t));
                            // What lay at the old address of a block is not there any more.
                            let moves = *function == External::Resize;
                            if moves || function.writes() && !passed_on(points, t) {
                                effect.writes.extend(points.locs.leaves(t));
                            }
                        }
                    }
                }
                Callee::Sweep(..) => {}
            }
        }
        if let ItemKind::Free { pointer } = &item.kind {
            for t in points.targets(p, pointer) {
                effect.writes.extend(points.locs.leaves(t));
            }
        }
        effect
    }

    /// A callee's effects in terms of the caller.
    fn call(&self, points: &Points, program: &Program, p: ProcId, id: ItemId, g: ProcId, effect: &mut Effect) {
        let callee = &self.regions[g.index()][0];
        let up = |set: &Set, out: &mut Set| {
            for &l in set.iter().filter(|&&l| !own(program, points, g, l)) {
                out.extend(points.up(p, id, g, l));
            }
        };
        up(&callee.reads, &mut effect.reads);
        up(&callee.writes, &mut effect.writes);
    }
}

/// Whether only `g` itself can see the object: its callers need not know.
pub fn own(program: &Program, points: &Points, g: ProcId, loc: Loc) -> bool {
    let Root::Object(p, o) = points.locs.root(loc) else { return false };
    let object = &program.procs[p].objects[o];
    p == g && (matches!(object.life, Life::Param(_)) || !points.escapes(loc))
}

/// What a function without source may write, by name, by an address that it has, or by calling the program back:
/// variables that other files can name, those that other functions of their file write, those whose address the program
/// gives away, those that a pointer at file scope leads to from the start, and those that the program itself writes.
fn state(program: &Program, points: &Points) -> Set {
    let scratch = scratch::find(program);
    let all = program.globals.ids();
    let variables: Vec<GlobalId> =
        all.filter(|global| !program.globals[*global].constant && !scratch.contains(global)).collect();
    let given = given_away(program, points);
    let inside = |global: &GlobalId| program.statics.iter().any(|declared| declared.globals.contains(global));
    let top = |global: &GlobalId| points.locs.find(Root::Global(*global)).expect("every variable has one");
    let is_open =
        |global: &GlobalId| given.contains(&top(global)) || !program.closed.contains(global) && !inside(global);
    let mut state: Set =
        variables.iter().filter(|global| is_open(global)).flat_map(|global| points.locs.leaves(top(global))).collect();
    for (p, proc) in program.procs.iter().enumerate() {
        for item in &proc.items {
            if let ItemKind::Store { to, .. } = &item.kind {
                let cells = points.cells(ProcId::new(p), to);
                let may = |cell: &Loc| match points.locs.root(*cell) {
                    Root::Global(global) => variables.contains(&global),
                    _ => false,
                };
                state.extend(cells.into_iter().filter(may));
            }
        }
    }
    // A pointer whose initialiser names a variable leads there, also where the program has no other name for it.
    let led = program.led.iter().flat_map(|global| points.locs.leaves(top(global)));
    let behind = led.filter_map(|cell| points.locs.find(Root::Cell(cell)));
    state.extend(behind.flat_map(|loc| points.locs.leaves(loc)));
    state
}

/// Objects whose address lies in memory, is returned, or goes to a function without source.
fn given_away(program: &Program, points: &Points) -> Set {
    let mut given = points.stored();
    for (p, proc) in program.procs.iter().enumerate() {
        let passed = proc.items.iter().filter_map(|item| {
            let ItemKind::Call { callee: Callee::External { .. }, args, .. } = &item.kind else { return None };
            Some(args)
        });
        let pointers = passed.flatten().chain(&proc.result).filter(|e| matches!(e.ty, Type::Pointer(_)));
        let targets = pointers.flat_map(|pointer| points.targets(ProcId::new(p), pointer));
        let grounds = targets.flat_map(|target| points.grounds_of(target));
        given.extend(grounds.map(|ground| points.locs.root_top(ground)));
    }
    given
}

/// `FILE *` and constants of the text: what a function without source does there is its own business.
fn passed_on(points: &Points, loc: Loc) -> bool {
    matches!(points.locs.root(loc), Root::Literal | Root::Unknown) || matches!(points.locs.ty(loc), Type::Opaque(_))
}

fn read(points: &Points, p: ProcId, e: &crate::ir::Expr, effect: &mut Effect) {
    walk::expr(e, &mut |x| {
        if let ExprKind::Load(place) = &x.kind {
            for cell in points.cells(p, place) {
                effect.reads.extend(points.locs.leaves(cell));
            }
        }
    });
}

fn write(points: &Points, p: ProcId, place: &Place, effect: &mut Effect) {
    for cell in points.cells(p, place) {
        effect.writes.extend(points.locs.leaves(cell));
    }
}
