//! A procedure while it is printed: names, places, arrays.

use super::lines::Lines;
use super::names::{self, Taken};
use super::unit::Unit;
use super::words::{bind, bounds, is_text, suffix};
use crate::emit::body::Records;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// How something in memory is declared.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// As a scalar.
    Scalar,
    /// As an array with these lower bounds, the first dimension first.
    Bounds(Vec<i128>),
    /// As an allocatable component: its bounds are its own.
    Allocated,
    /// As one row of elements from 0: its extents are not known where it is declared.
    Flat,
}

/// A loop as DO counts it.
pub struct Counted {
    /// The counter's position among what the loop carries.
    pub position: usize,
    pub var: String,
    pub first: String,
    pub last: String,
    pub step: i128,
}

/// Prints one procedure.
pub struct Body<'a> {
    pub unit: &'a Unit<'a>,
    pub proc: &'a Proc,
    /// The procedure that it belongs to.
    pub id: ProcId,
    /// The module that it stands in.
    pub module: Option<usize>,
    pub values: Vec<String>,
    pub objects: Vec<String>,
    pub forms: Vec<Form>,
    /// By value of a pointer at entry: its name and how it is declared.
    pub pointers: FxHashMap<ValueId, (String, Form)>,
    pub reads: FxHashMap<ValueId, usize>,
    /// Loops that DO counts.
    pub counted: FxHashMap<ItemId, Counted>,
    /// Lets that a DO has taken into its head.
    pub skipped: FxHashSet<ItemId>,
    /// Arrays that the declarations make.
    pub automatic: FxHashSet<ObjectId>,
    pub out: Lines,
    pub line: (u32, u32),
    pub taken: Taken,
    /// Variables that printing needs: name and type.
    pub extra: BTreeSet<(String, String)>,
    /// Names of other modules.
    pub uses: RefCell<BTreeSet<(String, String)>>,
    /// Declarations of constants of the procedure.
    pub constants: RefCell<BTreeSet<String>>,
    /// Passes that are compared with their first run: variables with the notes before them, and with marks.
    pub rehearsals: Vec<(String, String)>,
    /// Handles of the loops that run again from snapshots, the innermost last.
    pub handles: Vec<String>,
    /// Names of the tape's module.
    pub of_tape: RefCell<BTreeSet<&'static str>>,
    /// Lines of the sources whose comments are written.
    pub commented: BTreeSet<(u32, u32)>,
    /// Numbers that go on the tape together.
    pub records: Records,
}

impl<'a> Body<'a> {
    pub fn new(unit: &'a Unit<'a>, id: ProcId, proc: &'a Proc, params: Vec<(String, Form)>) -> Body<'a> {
        let facts = unit.facts(id);
        let mut taken = unit.taken.clone();
        params.iter().for_each(|(name, _)| taken.take(name));
        let mut values = vec![String::new(); proc.values.len()];
        let mut pointers = FxHashMap::default();
        for (param, (name, form)) in proc.params.iter().zip(params) {
            let Some(entry) = param.entry else { continue };
            values[entry.index()].clone_from(&name);
            if param.ty.target().is_some() {
                pointers.insert(entry, (name, form));
            }
        }
        let mut body = Body {
            unit,
            proc,
            id,
            module: facts.module,
            values,
            objects: Vec::new(),
            forms: Vec::new(),
            pointers,
            reads: FxHashMap::default(),
            counted: FxHashMap::default(),
            skipped: FxHashSet::default(),
            automatic: FxHashSet::default(),
            out: Lines { indent: 2, ..Lines::default() },
            line: (0, 0),
            taken,
            extra: BTreeSet::new(),
            uses: RefCell::default(),
            constants: RefCell::default(),
            rehearsals: Vec::new(),
            handles: Vec::new(),
            of_tape: RefCell::default(),
            commented: BTreeSet::new(),
            records: Records::new(proc, !unit.stepwise.contains(&id), suffix),
        };
        body.name_values();
        body.name_objects();
        body.count_reads();
        body.find_counted();
        body
    }

    /// Finds the loops that DO counts. What steps the counter is left out, and what gives it its first value where nothing
    /// else reads that.
    fn find_counted(&mut self) {
        let proc = self.proc;
        let items = proc.regions.iter().flat_map(|region| &region.items);
        let lets: FxHashMap<ValueId, ItemId> = items
            .filter(|item| matches!(proc.items[**item].kind, ItemKind::Let { .. }))
            .flat_map(|item| proc.items[*item].kind.assigned().map(|value| (value, *item)))
            .collect();
        for item in proc.regions.iter().flat_map(|region| &region.items) {
            let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[*item].kind else { continue };
            let Some((counted, steps)) = self.counted_as(test, *body, carried) else { continue };
            let init = carried[counted.position].init;
            let is_number = matches!(&proc.values[init].def, Def::Is(Expr { kind: ExprKind::Int(_), .. }));
            if is_number && self.reads(init) == 1 {
                self.skipped.extend(lets.get(&init));
            }
            self.skipped.insert(steps);
            self.counted.insert(*item, counted);
        }
    }

    /// A loop that DO counts, and the item that steps: its test compares what one step changes with what stays.
    fn counted_as(&self, test: &Expr, body: RegionId, carried: &[Carried]) -> Option<(Counted, ItemId)> {
        let ExprKind::Binary(op, left, bound) = &test.kind else { return None };
        let ExprKind::Value(head) = left.kind else { return None };
        let position = carried.iter().position(|c| c.head == head)?;
        let c = &carried[position];
        let inside = |value: ValueId| self.proc.is_within(self.proc.values[value].region, body);
        let mut fixed = !walk::loads(bound);
        walk::values(bound, &mut |value| fixed &= !inside(value));
        let Def::Is(next) = &self.proc.values[c.end].def else { return None };
        let step = match &next.kind {
            ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), a, b) if a.kind == ExprKind::Value(head) => {
                match b.kind {
                    ExprKind::Int(by) => {
                        if *op == Binary::Add {
                            by
                        } else {
                            -by
                        }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let up = step > 0 && matches!(op, Binary::Less | Binary::LessEqual);
        let down = step < 0 && matches!(op, Binary::Greater | Binary::GreaterEqual);
        if !fixed || !up && !down {
            return None;
        }
        let strict = matches!(op, Binary::Less | Binary::Greater);
        let sign = if up { 1 } else { -1 };
        let item = self.proc.regions[body].items.iter().copied();
        let mut item =
            item.filter(|item| matches!(self.proc.items[*item].kind, ItemKind::Let { value } if value == c.end));
        let skipped = item.next()?;
        let init = self.proc.value_expr(c.init);
        let init = match &self.proc.values[c.init].def {
            Def::Is(e @ Expr { kind: ExprKind::Int(_), .. }) => e.clone(),
            _ => init,
        };
        if self.reads(c.end) == 1 {
            let last = if strict { bound.offset(-sign) } else { (**bound).clone() };
            let (first, last) = (self.number(&init, bind::ANY), self.number(&last, bind::ANY));
            return Some((Counted { position, var: self.value(head), first, last, step }, skipped));
        }
        // What the body reads is one step further than what is tested.
        let is_private = self.reads(head) == 2 && self.reads(c.out) == 0 && self.value(c.end) != self.value(head);
        if is_private {
            let last = bound.offset(if strict { step - sign } else { step });
            let (first, last) = (self.number(&init.offset(step), bind::ANY), self.number(&last, bind::ANY));
            return Some((Counted { position, var: self.value(c.end), first, last, step }, skipped));
        }
        None
    }

    /// What cannot be written.
    pub fn problem(&self, what: &str) -> String {
        self.unit.problem(self.proc, what)
    }

    fn name_values(&mut self) {
        let proc = self.proc;
        let apart = names::kept_apart(proc);
        let mut shared: FxHashMap<VarId, String> = FxHashMap::default();
        for (index, value) in proc.values.iter().enumerate() {
            if matches!(value.def, Def::Entry(_)) && !apart.contains(&value.var) {
                shared.insert(value.var, self.values[index].clone());
            }
        }
        for (index, value) in proc.values.iter().enumerate() {
            let is_pointer = proc.vars[value.var].ty.target().is_some();
            if !self.values[index].is_empty() || matches!(value.def, Def::Out(..)) || is_pointer {
                continue;
            }
            let base = &proc.vars[value.var].name;
            self.values[index] = if apart.contains(&value.var) {
                self.taken.fresh(base)
            } else {
                let taken = &mut self.taken;
                shared.entry(value.var).or_insert_with(|| taken.fresh(base)).clone()
            };
        }
        for (index, value) in proc.values.iter().enumerate() {
            if let Def::Out(item, k) = value.def
                && let ItemKind::Loop { carried, .. } = &proc.items[item].kind
            {
                self.values[index] = self.values[carried[k as usize].head.index()].clone();
            }
        }
    }

    fn name_objects(&mut self) {
        let facts = self.unit.facts(self.id);
        for object in self.proc.objects.iter() {
            let name = self.taken.fresh(&object.name);
            let form = if object.shape.is_empty() {
                Form::Scalar
            } else {
                let own = facts.lowers.get(&object.name);
                // The derivative of an array has the bounds of the array.
                let suffix = if self.proc.role == Role::Tangent { "_d" } else { "_b" };
                let of_derivative = || {
                    let stem = object.name.rsplit_once(suffix).map_or(&*object.name, |(stem, _)| stem);
                    facts.lowers.get(stem)
                };
                let lowers = own.or_else(of_derivative).cloned().unwrap_or_default();
                Form::Bounds(bounds(&lowers, object.shape.len()))
            };
            self.objects.push(name);
            self.forms.push(form);
        }
    }

    fn count_reads(&mut self) {
        let proc = self.proc;
        let mut reads: FxHashMap<ValueId, usize> = FxHashMap::default();
        for item in proc.regions.iter().flat_map(|region| &region.items) {
            let mut see = |value| *reads.entry(value).or_default() += 1;
            walk::values_of_item(proc, *item, &mut see);
            walk::values_of_extents(proc, *item, &mut see);
        }
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| *reads.entry(value).or_default() += 1);
        }
        self.reads = reads;
    }

    pub fn reads(&self, value: ValueId) -> usize {
        self.reads.get(&value).copied().unwrap_or(0)
    }

    pub fn ty(&self, value: ValueId) -> &Type {
        self.proc.type_of(value)
    }

    /// The name of a value.
    pub fn value(&self, value: ValueId) -> String {
        if self.ty(value).target().is_some() {
            return match self.pointers.get(&value) {
                Some((name, _)) => name.clone(),
                None => match &self.proc.values[value].def {
                    Def::Is(Expr { kind: ExprKind::Address(place), .. }) => self.place(place),
                    _ => self.problem("a pointer that moves"),
                },
            };
        }
        // No variable holds a text: it is a constant or an argument.
        if let Def::Is(text) = &self.proc.values[value].def
            && is_text(&text.ty)
        {
            return self.number(text, bind::ANY);
        }
        self.values[value.index()].clone()
    }
}
