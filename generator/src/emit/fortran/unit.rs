//! What the procedures of one output share.

use super::names::Taken;
use super::words::{bounds, is_logical, type_text};
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// One output.
pub struct Unit<'a> {
    pub program: &'a Program,
    pub fortran: &'a Fortran,
    /// By procedure: what the sources say of it.
    facts: Vec<&'a FortranProc>,
    /// By procedure and role: the name of a sweep or tangent, and its parameters.
    pub sweeps: FxHashMap<(ProcId, Role), Sweep<'a>>,
    /// Names that mean something outside of procedures.
    pub taken: Taken,
    /// The primal of each shadow at file scope.
    pub shadows: BTreeMap<GlobalId, GlobalId>,
    /// Variables with static storage that sweeps name.
    pub named: RefCell<BTreeSet<GlobalId>>,
    /// Functions that sweeps call and Fortran lacks.
    pub helpers: RefCell<BTreeSet<&'static str>>,
    /// How names of the check begin.
    pub witness: String,
    /// How many adjoints there are of each real, if there are several.
    pub directions: Option<u32>,
    /// What names of derivatives end with.
    pub suffix: &'static str,
    /// Whether the sweeps check themselves.
    pub checks: bool,
    /// What the names of modules begin with.
    stem: String,
    problems: RefCell<Vec<Refusal>>,
    /// Names that modules hide and sweeps of other modules need.
    pub opened: RefCell<BTreeSet<(usize, String)>>,
    /// Parameters of reverse sweeps whose memory may have a second name.
    pub shared: BTreeSet<(ProcId, usize)>,
    /// Procedures with loops that run again.
    pub stepwise: BTreeSet<ProcId>,
}

/// A sweep, or a tangent.
pub struct Sweep<'a> {
    pub name: String,
    pub proc: &'a Proc,
    /// What each parameter is; of a tangent, what is the adjoint elsewhere is the tangent.
    pub roles: Vec<ReverseParam>,
}

impl<'a> Unit<'a> {
    pub fn new(program: &'a Program, fortran: &'a Fortran, stem: String) -> Unit<'a> {
        let mut taken = Taken::usual();
        fortran.taken.iter().for_each(|name| taken.take(name));
        fortran.modules.iter().for_each(|module| taken.take(&module.name));
        fortran.procs.iter().for_each(|proc| taken.take(&proc.name));
        program.globals.iter().for_each(|global| taken.take(&global.name));
        let witness = taken.fresh("check_operands");
        Unit {
            witness,
            directions: None,
            suffix: "b",
            checks: false,
            program,
            fortran,
            facts: program.procs.iter().map(|proc| fortran.of(&proc.name)).collect(),
            sweeps: FxHashMap::default(),
            taken,
            shadows: BTreeMap::new(),
            named: RefCell::default(),
            helpers: RefCell::default(),
            stem,
            problems: RefCell::default(),
            opened: RefCell::default(),
            shared: BTreeSet::new(),
            stepwise: BTreeSet::new(),
        }
    }

    /// What the sources say of a procedure.
    pub fn facts(&self, id: ProcId) -> &'a FortranProc {
        self.facts[id.index()]
    }

    /// The module of functions that sweeps call.
    pub fn helper_module(&self) -> String {
        format!("{}_functions", self.stem)
    }

    /// The module of the sweeps of procedures that no module contains.
    pub fn sweep_module(&self) -> String {
        format!("{}_sweeps", self.stem)
    }

    /// The bounds of a variable with static storage, the first dimension first.
    pub fn bounds_of(&self, global: GlobalId) -> Vec<(i128, i128)> {
        let shape = &self.program.globals[global].shape;
        let lowers = bounds(&self.stored(global).lowers, shape.len());
        let last = |(dim, lower): (&Dim, i128)| match dim.extent.as_deref().map(|extent| &extent.kind) {
            Some(ExprKind::Int(extent)) => (lower, lower + extent - 1),
            _ => (lower, lower),
        };
        shape.iter().rev().zip(lowers).map(last).collect()
    }

    /// The module of memory that procedures share or keep.
    pub fn memory_module(&self) -> String {
        format!("{}_memory", self.stem)
    }

    /// The shadow of a variable with static storage.
    pub fn shadow_of(&self, primal: GlobalId) -> Option<GlobalId> {
        self.shadows.iter().find(|(_, of)| **of == primal).map(|(shadow, _)| *shadow)
    }

    /// The derived types of a procedure's arguments that come from other modules than its own, with these.
    pub fn types_from_elsewhere(&self, id: ProcId) -> BTreeSet<(&str, &str)> {
        let own = self.facts(id).module;
        let types = self.program.procs[id].params.iter().filter_map(|param| self.derived(&param.ty));
        let others = types.filter(|of| own != Some(of.module));
        others.map(|of| (self.fortran.modules[of.module].name.as_str(), of.name.as_str())).collect()
    }

    /// The module of the check.
    pub fn check_module(&self) -> String {
        format!("{}_check", self.stem)
    }

    /// Takes the names of what the user calls, which nothing else may have; `what` is the word for it.
    pub fn head_names(&mut self, what: &str, heads: &[(ProcId, String)]) -> Result<(), Vec<Refusal>> {
        for (head, name) in heads {
            self.is_free(what, *head, name)?;
            self.taken.take(name);
        }
        Ok(())
    }

    /// Refuses a name of what the user calls that something else has; `what` is the word for it.
    pub fn is_free(&self, what: &str, head: ProcId, name: &str) -> Result<(), Vec<Refusal>> {
        if !self.fortran.taken.iter().any(|taken| taken == name) {
            return Ok(());
        }
        let proc = &self.program.procs[head];
        let what = format!("'{name}', the name of the {what} of '{}', is taken", proc.name);
        let help = "give the procedure that has it another name".to_string();
        Err(vec![Refusal { class: Class::Language, span: proc.span, what, help }])
    }

    /// Whether a sweep calls itself, or what calls it.
    pub fn is_recursive(&self, sweep: (ProcId, Role)) -> bool {
        let (mut open, mut seen) = (vec![sweep], BTreeSet::new());
        while let Some(at) = open.pop() {
            let Some(known) = self.sweeps.get(&at) else { continue };
            for item in &known.proc.items {
                let ItemKind::Call { callee, .. } = &item.kind else { continue };
                let called = match callee {
                    Callee::Sweep(id, role) => (*id, *role),
                    Callee::Proc(id) => (*id, Role::Primal),
                    Callee::External { .. } => continue,
                };
                if called == sweep {
                    return true;
                }
                if seen.insert((called.0, format!("{:?}", called.1))) {
                    open.push(called);
                }
            }
        }
        false
    }

    /// The name of a function that Fortran lacks, which is written from now on.
    pub fn helper(&self, name: &str) -> Option<&'static str> {
        let known = super::helpers::known(name)?;
        self.helpers.borrow_mut().insert(known);
        Some(known)
    }

    /// Lets sweeps of other modules see a name of a module.
    pub fn open(&self, module: usize, name: &str, proc: &Proc) {
        let known = &self.fortran.modules[module];
        match known.hidden.get(name) {
            None => {}
            Some(false) => drop(self.opened.borrow_mut().insert((module, name.to_string()))),
            Some(true) => {
                let what = format!("the sweeps of '{}' need '{name}', which is private in '{}'", proc.name, known.name);
                let help = "make it public".to_string();
                let refusal = Refusal { class: Class::Language, span: proc.span, what, help };
                let mut problems = self.problems.borrow_mut();
                if !problems.contains(&refusal) {
                    problems.push(refusal);
                }
            }
        }
    }

    /// Notes what cannot be written.
    pub fn problem(&self, proc: &Proc, what: &str) -> String {
        self.note(proc.span, format!("the sweeps of '{}' have {what}, which", proc.name));
        "0".to_string()
    }

    fn note(&self, span: Span, what: String) {
        let what = format!("{what} is not written in Fortran yet");
        let refusal = Refusal { class: Class::Language, span, what, help: String::new() };
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&refusal) {
            problems.push(refusal);
        }
    }

    /// The derived type that a type is, or leads to.
    pub fn derived(&self, ty: &Type) -> Option<&'a FortranType> {
        let id = ty.target().unwrap_or(ty).innermost().as_struct()?;
        self.fortran.types.get(&self.program.types.structs[id].name)
    }

    /// A type as it is declared.
    pub fn type_text(&self, ty: &Type) -> String {
        match self.derived(ty) {
            Some(of) => format!("type({})", of.name),
            None => type_text(ty),
        }
    }

    /// The type of a dummy as it is declared: a text has the length that the source gives it.
    pub fn dummy_type(&self, ty: &Type, dummy: Option<&FortranDummy>) -> String {
        match dummy.and_then(|dummy| dummy.length) {
            Some(length) => format!("character({length})"),
            None => self.type_text(ty),
        }
    }

    /// Lets sweeps have copies of the procedures inside of others that they call: nothing else can call those.
    pub fn copy_callees(&mut self) {
        let mut open: Vec<&'a Proc> = self.sweeps.values().map(|sweep| sweep.proc).collect();
        while let Some(proc) = open.pop() {
            let called = proc.items.iter().filter_map(|item| {
                let ItemKind::Call { callee: Callee::Proc(id), .. } = item.kind else { return None };
                self.facts(id).is_copied.then_some(id)
            });
            let called: BTreeSet<ProcId> = called.collect();
            for id in
                called.into_iter().filter(|id| !self.sweeps.contains_key(&(*id, Role::Primal))).collect::<Vec<_>>()
            {
                let proc = &self.program.procs[id];
                let name = self.taken.fresh(&format!("{}_alone", self.facts(id).name));
                let roles = (0..proc.params.len()).map(|k| ReverseParam::Primal(k as u32)).collect();
                self.sweeps.insert((id, Role::Primal), Sweep { name, proc, roles });
                open.push(proc);
            }
        }
    }

    /// The procedures inside of others of which there are copies.
    pub fn copies(&self) -> BTreeSet<ProcId> {
        self.sweeps.keys().filter(|(_, role)| *role == Role::Primal).map(|(id, _)| *id).collect()
    }

    /// The members of a struct that lie in it: no bounds, and nothing allocatable.
    pub fn components<'s>(&self, known: &'s Struct) -> impl Iterator<Item = &'s Field> + use<'s, 'a> {
        let inquiries = self.fortran.types.get(&known.name).map(|of| &of.inquiries);
        let is_inquiry = move |field: &Field| inquiries.is_some_and(|all| all.contains_key(&field.name));
        known.fields.iter().filter(move |field| field.ty.target().is_none() && !is_inquiry(field))
    }

    /// The type and the rank of an allocatable variable; none of others.
    pub fn allocatable(&self, ty: &Type) -> Option<(String, usize)> {
        let of = self.derived(ty).filter(|of| of.is_bare)?;
        let known = &self.program.types.structs[ty.as_struct()?];
        let elem = known.fields.iter().find_map(|field| field.ty.target())?.innermost();
        let dims = of.inquiries.values().map(|inquiry| inquiry.dim).max();
        Some((self.type_text(elem), dims.unwrap_or(0)))
    }

    /// The value of a type of which all numbers are 0.
    pub fn zero(&self, ty: &Type) -> String {
        let Some(of) = self.derived(ty) else {
            return if is_logical(ty) { ".false.".to_string() } else { "0".to_string() };
        };
        if !of.whole {
            self.note(Span::default(), format!("a variable of a module, of type '{}',", of.name));
        }
        let known = ty.as_struct().map(|id| &self.program.types.structs[id]);
        let values = known.into_iter().flat_map(|known| self.components(known));
        let values = values.map(|field| format!("{} = {}", field.name, self.zero(field.ty.innermost())));
        format!("{}({})", of.name, values.collect::<Vec<_>>().join(", "))
    }

    /// Whether calls leave an allocatable variable of a module allocated.
    pub fn is_left_allocated(&self, global: GlobalId) -> bool {
        self.fortran.allocations.values().any(|made| made.global == global && !made.asks)
    }

    /// What could not be written.
    pub fn problems(&self) -> Vec<Refusal> {
        self.problems.borrow().clone()
    }

    /// What the sources say of a variable with static storage; of an adjoint, what they say of its variable.
    pub fn stored(&self, global: GlobalId) -> &'a FortranGlobal {
        let primal = self.shadows.get(&global).copied().unwrap_or(global);
        &self.fortran.globals[primal.index()]
    }
}
