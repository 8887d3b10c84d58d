//! Names of values: one for all values of a variable where no old value is read beside a new one, else one for each.

use crate::ir::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Names that are taken. Fortran knows no case.
#[derive(Clone, Default)]
pub struct Taken(BTreeSet<String>);

/// Names that generated text uses for other things.
const USED: &str = "abs acos acosh aint allocate allocated anint asin asinh atan atan2 atanh bessel_j0 bessel_j1 bessel_jn \
    bessel_y0 bessel_y1 bessel_yn call ceiling cos cosh dim do else end erf erfc error exp floor gamma hypot huge iand ieor \
    if int ior log log10 log_gamma mark_reset mark_take max merge min mod nint not only passes_create passes_destroy \
    passes_enter passes_leave passes_move passes_run passes_state pop pop_bool pop_control pop_count push push_bool \
    push_control push_count real sign sin sinh size sqrt stop tan tanh use";

impl Taken {
    /// Those that generated text uses.
    pub fn usual() -> Taken {
        Taken(USED.split_whitespace().map(str::to_string).collect())
    }

    /// Takes a name.
    pub fn take(&mut self, name: &str) {
        self.0.insert(name.to_ascii_lowercase());
    }

    /// Takes the names that are taken elsewhere.
    pub fn join(&mut self, other: &Taken) {
        self.0.extend(other.0.iter().cloned());
    }

    /// A name that nobody has, taken from now on: this one, or with a number behind it.
    pub fn fresh(&mut self, name: &str) -> String {
        let name =
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_string() } else { format!("v{name}") };
        let mut found = name.clone();
        for number in 1.. {
            if self.0.insert(found.to_ascii_lowercase()) {
                break;
            }
            found = format!("{name}_{number}");
        }
        found
    }
}

/// Variables of which an old value is read after a new one was assigned.
pub fn kept_apart(proc: &Proc) -> FxHashSet<VarId> {
    let mut walk = Walk { proc, current: vec![None; proc.vars.len()], apart: FxHashSet::default() };
    for (index, value) in proc.values.iter().enumerate() {
        if matches!(value.def, Def::Entry(_)) {
            walk.current[value.var.index()] = Some(ValueId::new(index));
        }
    }
    walk.region(RegionId::BODY);
    if let Some(result) = &proc.result {
        walk.reads(result);
    }
    walk.apart
}

struct Walk<'a> {
    proc: &'a Proc,
    /// By variable: the value that its name holds.
    current: Vec<Option<ValueId>>,
    apart: FxHashSet<VarId>,
}

impl Walk<'_> {
    fn read(&mut self, value: ValueId) {
        let Value { var, def, .. } = &self.proc.values[value];
        if *def != Def::Undefined && self.current[var.index()] != Some(value) {
            self.apart.insert(*var);
        }
    }

    fn reads(&mut self, expr: &Expr) {
        let mut found = Vec::new();
        walk::values(expr, &mut |value| found.push(value));
        found.into_iter().for_each(|value| self.read(value));
    }

    fn define(&mut self, value: ValueId) {
        self.current[self.proc.values[value].var.index()] = Some(value);
    }

    fn region(&mut self, region: RegionId) {
        for item in &self.proc.regions[region].items {
            crate::stack::deep(|| self.item(*item));
        }
    }

    fn item(&mut self, item: ItemId) {
        let proc = self.proc;
        let kind = &proc.items[item].kind;
        if let ItemKind::Branch { on, then, otherwise, joins } = kind {
            self.reads(on);
            let before = self.current.clone();
            self.region(*then);
            joins.iter().for_each(|join| self.read(join.then));
            self.current.clone_from(&before);
            self.region(*otherwise);
            joins.iter().for_each(|join| self.read(join.otherwise));
            self.current = before;
            self.forget(*then);
            self.forget(*otherwise);
            joins.iter().for_each(|join| self.define(join.out));
        } else if let ItemKind::Loop { test, at, body, carried } = kind {
            carried.iter().for_each(|c| self.read(c.init));
            let before = self.current.clone();
            self.forget(*body);
            carried.iter().for_each(|c| self.define(c.head));
            if *at == TestAt::Before {
                self.reads(test);
            }
            self.region(*body);
            if *at == TestAt::After {
                self.reads(test);
            }
            carried.iter().for_each(|c| self.read(c.end));
            self.current = before;
            self.forget(*body);
            carried.iter().for_each(|c| self.define(c.out));
        } else {
            let mut read = Vec::new();
            walk::values_of_item(proc, item, &mut |value| read.push(value));
            walk::values_of_extents(proc, item, &mut |value| read.push(value));
            read.into_iter().for_each(|value| self.read(value));
            kind.defined().into_iter().for_each(|value| self.define(value));
        }
    }

    /// Variables that a region assigns hold nothing that is known.
    fn forget(&mut self, region: RegionId) {
        let proc = self.proc;
        for item in &proc.regions[region].items {
            let kind = &proc.items[*item].kind;
            kind.defined().into_iter().for_each(|value| self.current[proc.values[value].var.index()] = None);
            kind.regions().into_iter().for_each(|inner| self.forget(inner));
        }
    }
}
