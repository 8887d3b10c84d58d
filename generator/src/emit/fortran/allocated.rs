//! Tests in front of an adjoint: what is allocatable and has an adjoint needs an allocated one. Procedures that allocate a
//! variable of a module and its derivatives where the program allocates the variable.
//!
//! ```text
//!   if (allocated(v) .and. .not. allocated(v_b)) error stop '…'     v: of a module, or a component of an argument
//!   if (allocated(w) .and. .not. allocated(w_b)) allocate (w_b, mold=w)      where the program itself allocates w
//! ```

use super::head::Dummies;
use super::lines::Lines;
use super::names::Taken;
use super::parts::Parts;
use super::shared;
use super::unit::Unit;
use crate::ir::*;

/// Lines of statements, and what they name of other modules.
#[derive(Default)]
pub struct Tests {
    /// The statements.
    pub statements: Vec<String>,
    /// Modules and names.
    pub uses: Vec<(String, String)>,
}

/// Statements that keep what a call allocates, around the calls of both sweeps.
#[derive(Default)]
pub struct Kept {
    /// Declarations.
    pub declared: Vec<String>,
    /// In front of the forward sweep.
    pub before: Vec<String>,
    /// Behind it.
    pub between: Vec<String>,
    /// Behind the reverse sweep.
    pub behind: Vec<String>,
    /// Modules and names.
    pub uses: Vec<(String, String)>,
}

impl Unit<'_> {
    /// The tests of a head that has sweeps.
    pub fn allocated(&self, head: ProcId, role: Role, dummies: &Dummies) -> Tests {
        let mut tests = Tests::default();
        let primal = &self.program.procs[head];
        for (param, derivative) in primal.params.iter().zip(&dummies.derivatives) {
            if let Some(Type::Struct(of)) = param.ty.target()
                && !derivative.is_empty()
            {
                self.reals(*of, &param.name, derivative, &mut tests);
            }
        }
        let named = shared::named(self, role).remove(&head).unwrap_or_default();
        for shadow in named.into_iter().filter(|global| self.shadows.contains_key(global)) {
            self.variable(head, shadow, &mut tests);
        }
        tests
    }

    /// Lets variables hold afterwards what the program leaves there, where a call allocates some that stay allocated: later
    /// calls find these made, and the reverse sweep brings contents back that they had before.
    pub fn kept(&self, head: ProcId, taken: &mut Taken) -> Kept {
        let mut kept = Kept::default();
        let back = shared::brought_back(self);
        let named = shared::named(self, Role::Reverse).remove(&head).unwrap_or_default();
        let is_there = |global: &GlobalId| back.contains(global) && !self.shadows.contains_key(global);
        let there: Vec<GlobalId> = named.into_iter().filter(is_there).collect();
        if there.is_empty() {
            return kept;
        }
        let asked = shared::allocated_by(self, head);
        let mut news = Vec::new();
        for global in asked {
            let name = &self.program.globals[global].name;
            let was = taken.fresh(&format!("was_{name}"));
            kept.declared.push(format!("logical :: {was}"));
            kept.before.push(format!("{was} = allocated({name})"));
            news.push(format!(".not. {was} .and. allocated({name})"));
            self.kept_from(head, global, &mut kept);
        }
        if news.is_empty() {
            return Kept::default();
        }
        let allocates = taken.fresh("allocates");
        kept.declared.push(format!("logical :: {allocates}"));
        kept.between.push(format!("{allocates} = {}", news.join(" .or. ")));
        for global in there {
            self.keep(head, global, &allocates, taken, &mut kept);
        }
        kept
    }

    /// Keeps a variable, if it is one that stands in one piece.
    fn keep(&self, head: ProcId, global: GlobalId, allocates: &str, taken: &mut Taken, kept: &mut Kept) {
        let object = &self.program.globals[global];
        let name = &object.name;
        let copy = taken.fresh(&format!("new_{name}"));
        if let Some((ty, rank)) = self.allocatable(&object.elem) {
            let all = if rank == 0 { String::new() } else { format!("({})", vec![":"; rank].join(", ")) };
            kept.declared.push(format!("{ty}, allocatable :: {copy}{all}"));
            kept.between.push(format!("if ({allocates} .and. allocated({name})) allocate ({copy}, source={name})"));
            // A whole array on the left would be allocated anew where shapes differ.
            kept.behind.push(format!("if (allocated({copy})) {name}{all} = {copy}"));
        } else if self.derived(&object.elem).is_none() && !object.constant {
            let bounds = self.bounds_of(global).into_iter().map(|(first, last)| format!("{first}:{last}"));
            let bounds: Vec<String> = bounds.collect();
            let dims = if bounds.is_empty() { String::new() } else { format!("({})", bounds.join(", ")) };
            kept.declared.push(format!("{} :: {copy}{dims}", self.type_text(&object.elem)));
            kept.between.push(format!("{copy} = {name}"));
            kept.behind.push(format!("if ({allocates}) {name} = {copy}"));
        } else {
            return;
        }
        self.kept_from(head, global, kept);
    }

    /// Notes where a variable comes from.
    fn kept_from(&self, head: ProcId, global: GlobalId, kept: &mut Kept) {
        let name = &self.program.globals[global].name;
        match self.stored(global).home {
            Home::Module(module) if self.facts(head).module != Some(module) => {
                self.open(module, name, &self.program.procs[head]);
                kept.uses.push((self.fortran.modules[module].name.clone(), name.clone()));
            }
            Home::Module(_) | Home::Constant(_) => {}
            Home::Block | Home::Saved(_) => kept.uses.push((self.memory_module(), name.clone())),
        }
    }

    /// Tests a variable of a module.
    fn variable(&self, head: ProcId, shadow: GlobalId, tests: &mut Tests) {
        let (object, of) = (&self.program.globals[self.shadows[&shadow]], &self.program.globals[shadow]);
        let (Some(module), Type::Struct(id)) = (self.stored(shadow).module(), &object.elem) else { return };
        let known = &self.fortran.modules[module];
        let is_elsewhere = self.facts(head).module != Some(module);
        let is_left = self.is_left_allocated(self.shadows[&shadow]);
        if !object.shape.is_empty() || is_elsewhere && known.hidden.contains_key(&object.name) && !is_left {
            return;
        }
        let before = tests.statements.len();
        match self.derived(&object.elem) {
            Some(derived) if derived.is_bare && is_left => {
                if is_elsewhere {
                    self.open(module, &object.name, &self.program.procs[head]);
                }
                tests.statements.extend(made_alike(&object.name, &of.name));
            }
            Some(derived) if derived.is_bare => test(&object.name, &of.name, tests),
            _ => self.reals(*id, &object.name, &of.name, tests),
        }
        if is_elsewhere && tests.statements.len() > before {
            tests.uses.extend([&object.name, &of.name].map(|name| (known.name.clone(), name.clone())));
        }
    }

    /// Tests the allocatable reals in a variable of a derived type.
    fn reals(&self, id: StructId, primal: &str, adjoint: &str, tests: &mut Tests) {
        for field in self.program.types.structs[id].fields.iter() {
            let [inner, of] = [primal, adjoint].map(|name| format!("{name}%{}", field.name));
            match &field.ty {
                Type::Struct(id) => self.reals(*id, &inner, &of, tests),
                Type::Pointer(row) if matches!(row.innermost(), Type::Float { .. }) => test(&inner, &of, tests),
                _ => {}
            }
        }
    }
}

/// Statements that allocate the derivative of what an earlier call has left allocated.
fn made_alike(primal: &str, adjoint: &str) -> [String; 4] {
    [
        format!("if (allocated({primal}) .and. .not. allocated({adjoint})) then"),
        format!("  allocate ({adjoint}, mold={primal})"),
        format!("  {adjoint} = 0"),
        "end if".to_string(),
    ]
}

fn test(primal: &str, adjoint: &str, tests: &mut Tests) {
    let says = format!("'{adjoint} is not allocated: allocate it with the extents of {primal}'");
    tests.statements.push(format!("if (allocated({primal}) .and. .not. allocated({adjoint})) error stop {says}"));
}

/// Adds the procedures that allocate variables of modules, with the derivatives that these units know.
pub fn add_allocations(parts: &mut Parts, units: &[&Unit]) {
    for (name, made) in &units[0].fortran.allocations {
        let Some(module) = units[0].fortran.globals[made.global.index()].module() else { continue };
        let variable = &units[0].program.globals[made.global];
        let derivatives = units.iter().filter_map(|unit| {
            let derivative = unit.shadow_of(made.global)?;
            Some(unit.program.globals[derivative].name.as_str())
        });
        let text = if made.asks {
            asking(name, &variable.name)
        } else {
            let rank = units[0].allocatable(&variable.elem).map_or(0, |(_, rank)| rank);
            allocating(name, &variable.name, rank, &derivatives.collect::<Vec<_>>())
        };
        *parts.bodies.entry(Some(module)).or_default() += &text;
        parts.name(Some(module), name);
    }
}

fn asking(name: &str, variable: &str) -> String {
    let mut out = Lines { indent: 1, ..Lines::default() };
    out.blank();
    out.line(&format!("logical function {name}()"));
    out.line(&format!("  {name} = allocated({variable})"));
    out.line("end function");
    out.text
}

fn allocating(name: &str, variable: &str, rank: usize, derivatives: &[&str]) -> String {
    let mut out = Lines { indent: 1, ..Lines::default() };
    let bounds = |k: &usize| [format!("lower{k}"), format!("extent{k}")];
    let dims: Vec<usize> = (1..=rank).collect();
    let list = dims.iter().flat_map(bounds).collect::<Vec<_>>().join(", ");
    let shape: Vec<String> = dims.iter().map(|k| format!("lower{k}:lower{k} + extent{k} - 1")).collect();
    let shape = shape.join(", ");
    out.blank();
    out.line(&format!("!> Allocates {variable}, which stays allocated, and what holds its derivatives."));
    out.line(&format!("subroutine {name}({list})"));
    out.indent = 2;
    out.line(&format!("integer(8), intent(in) :: {list}"));
    out.line(&format!("allocate ({variable}({shape}))"));
    for derivative in derivatives {
        out.line(&format!("if (.not. allocated({derivative})) then"));
        out.line(&format!("  allocate ({derivative}({shape}))"));
        out.line(&format!("  {derivative} = 0"));
        out.line(&format!("else if (any(shape({derivative}) /= shape({variable}))) then"));
        out.line(&format!("  error stop '{derivative} has other extents than {variable}'"));
        out.line("end if");
    }
    out.indent = 1;
    out.line("end subroutine");
    out.text
}
