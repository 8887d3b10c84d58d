//! The adjoint that checks itself: the check is in C, so each head has a function there that tries its call, and
//! procedures for it that run sweeps, tangent and primal. `f_b` calls that function.
//!
//! ```text
//!   driver ──► f_b ──► head (C) ──► procedures of f_b's module ──► sweeps, tangent, f
//!                        │                                           │
//!                        └───────────► the check (C) ◄───────────────┘ operands, places with an adjoint
//! ```

use super::allocated::Kept;
use super::head::Dummies;
use super::lines::broken;
use super::parts::Parts;
use super::sweep::dummy_of;
use super::unit::Unit;
use super::words::{is_logical, type_text};
use crate::check::{self, Arguments, Names};
use crate::emit::body::tangents::{head_of, taken};
use crate::ir::*;
use crate::sweeps::{Adjoint, Tangents};

/// What the C file of the check has beside the check itself.
pub struct Check<'a> {
    pub unit: &'a Unit<'a>,
    /// The unit of the tangents.
    pub other: &'a Unit<'a>,
    pub adjoint: &'a Adjoint,
    pub tangents: &'a Tangents,
    /// Functions of heads in C.
    functions: String,
    /// Their interfaces in Fortran.
    interfaces: String,
}

/// What C calls of a head: both sweeps, the tangent, the head itself.
#[derive(Clone, Copy, PartialEq)]
enum Called {
    Sweeps,
    Tangent,
    Primal,
}

impl Called {
    fn word(self) -> &'static str {
        match self {
            Called::Sweeps => "sweeps",
            Called::Tangent => "tangent",
            Called::Primal => "primal",
        }
    }
}

/// A parameter of a procedure that C calls.
struct Passed {
    name: String,
    role: ReverseParam,
    /// Whether C passes the value.
    by_value: bool,
}

impl<'a> Check<'a> {
    pub fn new(unit: &'a Unit<'a>, other: &'a Unit<'a>, adjoint: &'a Adjoint, tangents: &'a Tangents) -> Check<'a> {
        Check { unit, other, adjoint, tangents, functions: String::new(), interfaces: String::new() }
    }

    /// Adds the procedures of a head to the parts: those that C calls, and the one for the user.
    pub fn head(&mut self, parts: &mut Parts, number: usize, head: ProcId) {
        let (unit, name) = (self.unit, self.adjoint.name(head));
        let (mut dummies, mut written) = unit.parts_of_adjoint(self.adjoint, head, &name);
        let has_sweeps = unit.sweeps.contains_key(&(head, Role::Reverse));
        let tangent = head_of(self.tangents, unit.program, head)
            .filter(|other| self.other.sweeps.contains_key(&(*other, Role::Tangent)));
        if let (true, Some(tangent)) = (has_sweeps, tangent) {
            let function = format!("{}_head_{number}", unit.witness);
            let own = self.passed(head, &dummies, Called::Sweeps, &[]);
            let tellers: Vec<(usize, String)> =
                self.modules().into_iter().map(|module| (module, self.teller(module))).collect();
            written.statements = tellers.iter().map(|(_, teller)| format!("call {teller}()")).collect();
            let actuals: Vec<ReverseParam> = own.iter().map(|passed| passed.role).collect();
            let actuals = unit.actuals(head, &actuals, &dummies);
            written.statements.push(match &written.result {
                Some((result, _)) => format!("{result} = {function}({})", actuals.join(", ")),
                None => format!("call {function}({})", actuals.join(", ")),
            });
            written.declared.clear();
            written.uses = Vec::new();
            written.others = vec![(unit.check_module(), function.clone())];
            self.shared_variables(&mut dummies, &mut written);
            let elsewhere = tellers.into_iter().filter(|(module, _)| unit.facts(head).module != Some(*module));
            let module = |module: usize| unit.fortran.modules[module].name.clone();
            written.others.extend(elsewhere.map(|(at, teller)| (module(at), teller)));
            let roles = &self.other.sweeps[&(tangent, Role::Tangent)].roles;
            for called in [Called::Sweeps, Called::Tangent, Called::Primal] {
                let passed = self.passed(head, &dummies, called, roles);
                let text = self.procedure(head, (number, called), &passed, tangent);
                *parts.bodies.entry(unit.facts(head).module).or_default() += &broken(&text);
            }
            self.function(head, number, &dummies, roles);
            self.interfaces += &broken(&self.interface(head, &function, &own));
        } else {
            let function = format!("{}_nothing_{number}", unit.witness);
            self.functions += &format!("void {function}(void) {{ @_nothing({:?}); }}\n", unit.program.procs[head].name);
            self.interfaces += &format!("    subroutine {function}() bind(C)\n    end subroutine\n");
            written.statements.insert(0, format!("call {function}()"));
            written.others = vec![(unit.check_module(), function)];
        }
        parts.head(unit, head, &name, &unit.written(head, dummies, written));
    }

    /// The parameters of the head's function in C, or of a procedure that it calls. `roles`: those of the tangent.
    fn passed(&self, head: ProcId, dummies: &Dummies, called: Called, roles: &[ReverseParam]) -> Vec<Passed> {
        let params = &self.unit.program.procs[head].params;
        let is_value = |k: usize| params[k].ty.target().is_none();
        let has = |k: usize| match called {
            Called::Sweeps => !dummies.derivatives[k].is_empty(),
            Called::Tangent => roles.contains(&ReverseParam::Adjoint(k as u32)),
            Called::Primal => false,
        };
        let mut all = Vec::new();
        for (k, param) in params.iter().enumerate() {
            let role = ReverseParam::Primal(k as u32);
            all.push(Passed { name: param.name.clone(), role, by_value: is_value(k) });
            if has(k) {
                let own = &dummies.derivatives[k];
                let name = if own.is_empty() { format!("{}_trial", param.name) } else { own.clone() };
                let by_value = is_value(k) && called == Called::Tangent;
                all.push(Passed { name, role: ReverseParam::Adjoint(k as u32), by_value });
            }
        }
        if called != Called::Primal && !dummies.seed.is_empty() {
            let by_value = called == Called::Sweeps;
            all.push(Passed { name: dummies.seed.clone(), role: ReverseParam::Seed, by_value });
        }
        all
    }

    /// The type of what a procedure that C calls returns.
    fn result_type(&self, head: ProcId, called: Called) -> &'a Type {
        match called {
            Called::Sweeps => self.adjoint.result_type(head),
            Called::Tangent | Called::Primal => &self.unit.program.procs[head].result_type,
        }
    }

    fn type_of(&self, head: ProcId, role: ReverseParam) -> &'a Type {
        let proc = &self.unit.program.procs[head];
        match role {
            ReverseParam::Primal(k) | ReverseParam::Adjoint(k) => &proc.params[k as usize].ty,
            ReverseParam::Seed => &proc.result_type,
        }
    }

    /// A procedure that C calls.
    fn procedure(&self, head: ProcId, (number, called): (usize, Called), passed: &[Passed], tangent: ProcId) -> String {
        let unit = self.unit;
        let (proc, facts) = (&unit.program.procs[head], unit.facts(head));
        let name = format!("{}_{}_{number}", unit.witness, called.word());
        let names: Vec<&str> = passed.iter().map(|passed| passed.name.as_str()).collect();
        let find = |role: ReverseParam| {
            passed.iter().find(|passed| passed.role == role).map_or_else(String::new, |passed| passed.name.clone())
        };
        let list = |roles: &[ReverseParam]| roles.iter().map(|role| find(*role)).collect::<Vec<_>>().join(", ");
        let is_function = *self.result_type(head, called) != Type::Void;
        let result = format!("{}_result", unit.witness);
        let mut text = String::from("\n");
        let word = if is_function { "function" } else { "subroutine" };
        let tail = if is_function { format!(" result({result})") } else { String::new() };
        text += &format!("  {word} {name}({}) bind(C){tail}\n", names.join(", "));
        let lines = |all: &[String]| all.iter().map(|line| format!("    {line}\n")).collect::<String>();
        let kept = if called == Called::Sweeps { self.kept(head, &names) } else { Kept::default() };
        kept.uses.iter().for_each(|(module, name)| text += &format!("    use {module}, only: {name}\n"));
        text += &self.declared(head, passed, false);
        text += &lines(&kept.declared);
        for role in unit.own_roles(head).into_iter().filter(|_| called == Called::Primal) {
            if let Some(dummy) = dummy_of(role).map(|of| &facts.dummies[of]).filter(|dummy| dummy.is_allocatable) {
                let shape = vec![":"; dummy.bounds.len()].join(", ");
                let (ty, copy) = (type_text(self.type_of(head, role)), self.copy_of(&find(role)));
                text += &format!("    {ty}, allocatable :: {copy}({shape})\n");
            }
        }
        if proc.result_type != Type::Void {
            text += &format!("    {} :: {result}\n", type_text(&proc.result_type));
            if facts.module.is_none() && called == Called::Primal {
                text += &format!("    {}, external :: {}\n", type_text(&proc.result_type), facts.name);
            }
        }
        let run = |name: &str, list: String, ty: &Type| match ty {
            Type::Void => format!("    call {name}({list})\n"),
            _ => format!("    {result} = {name}({list})\n"),
        };
        match called {
            Called::Sweeps => {
                let [forward, reverse] = [Role::Forward, Role::Reverse].map(|role| &unit.sweeps[&(head, role)]);
                text += &lines(&kept.before);
                text += &run(&forward.name, list(&forward.roles), &forward.proc.result_type);
                text += &lines(&kept.between);
                text += &format!("    call {}({})\n", reverse.name, list(&reverse.roles));
                text += &lines(&kept.behind);
            }
            Called::Tangent => {
                let sweep = &self.other.sweeps[&(tangent, Role::Tangent)];
                text += &run(&sweep.name, list(&sweep.roles), &proc.result_type);
            }
            Called::Primal => {
                let (before, actuals, after) = self.copies(head, &list);
                text += &before;
                text += &run(&facts.name, actuals, &proc.result_type);
                text += &after;
            }
        }
        text + &format!("  end {word}\n")
    }

    /// What keeps the contents of what the call allocates.
    fn kept(&self, head: ProcId, names: &[&str]) -> Kept {
        let mut taken = self.unit.taken.clone();
        names.iter().for_each(|name| taken.take(name));
        self.unit.kept(head, &mut taken)
    }

    /// The actual arguments of the head, and what stands around its call: an allocatable dummy gets an allocated copy.
    fn copies(&self, head: ProcId, list: &dyn Fn(&[ReverseParam]) -> String) -> (String, String, String) {
        let (unit, facts) = (self.unit, self.unit.facts(head));
        let (mut before, mut after, mut actuals) = (String::new(), String::new(), Vec::new());
        for role in unit.own_roles(head) {
            let name = list(&[role]);
            let Some(of) = dummy_of(role).filter(|of| facts.dummies[*of].is_allocatable) else {
                actuals.push(name);
                continue;
            };
            let copy = self.copy_of(&name);
            let bound = |wanted: DummyKind| {
                let position = facts.dummies.iter().position(|dummy| dummy.kind == wanted)?;
                Some(list(&[ReverseParam::Primal(position as u32)]))
            };
            let (of, rank) = (of as u32, facts.dummies[of].bounds.len() as u32);
            let dims = (1..=rank).map(|dim| {
                let extent = bound(DummyKind::Extent { of, dim }).unwrap_or_default();
                match bound(DummyKind::Lower { of, dim }) {
                    Some(lower) => format!("{lower}:{lower} + {extent} - 1"),
                    None => extent,
                }
            });
            let dims: Vec<String> = dims.collect();
            before += &format!("    allocate ({copy}({}))\n    {copy} = {name}\n", dims.join(", "));
            after += &format!("    {name} = {copy}\n");
            actuals.push(copy);
        }
        (before, actuals.join(", "), after)
    }

    fn copy_of(&self, name: &str) -> String {
        format!("{}_{name}", self.unit.witness)
    }

    /// The declarations of parameters; `is_flat`: of arrays as rows of elements of any number, as a caller sees them.
    fn declared(&self, head: ProcId, passed: &[Passed], is_flat: bool) -> String {
        let roles: Vec<ReverseParam> = passed.iter().map(|passed| passed.role).collect();
        let primal_name = |wanted: usize| {
            let of = passed.iter().find(|passed| passed.role == ReverseParam::Primal(wanted as u32));
            of.map(|passed| passed.name.clone())
        };
        let (mut scalars, mut arrays) = (String::new(), String::new());
        for (position, Passed { name, role, by_value }) in passed.iter().enumerate() {
            let ty = type_text(self.type_of(head, *role));
            if *by_value {
                scalars += &format!("    {ty}, value :: {name}\n");
                continue;
            }
            let form = self.unit.form_of(head, &roles, position);
            let dims = self.unit.bounds_text(head, *role, &form, &primal_name);
            let dims = if is_flat && !dims.is_empty() { "(*)".to_string() } else { dims };
            let intent = if is_flat { self.intent(head, *role) } else { "inout" };
            arrays += &format!("    {ty}, intent({intent}) :: {name}{dims}\n");
        }
        scalars + &arrays
    }

    /// The INTENT of an argument of the head.
    fn intent(&self, head: ProcId, role: ReverseParam) -> &'static str {
        match role {
            ReverseParam::Primal(k) => match self.unit.facts(head).dummies[k as usize].intent {
                Some("in") => "in",
                _ => "inout",
            },
            ReverseParam::Adjoint(_) | ReverseParam::Seed => "inout",
        }
    }

    /// The interface of the head's function in C.
    fn interface(&self, head: ProcId, function: &str, passed: &[Passed]) -> String {
        let names: Vec<&str> = passed.iter().map(|passed| passed.name.as_str()).collect();
        let result = self.result_type(head, Called::Sweeps);
        let word = if *result == Type::Void { "subroutine" } else { "function" };
        let mut text = format!("    {word} {function}({}) bind(C)\n", names.join(", "));
        text += &self.declared(head, passed, true);
        if *result != Type::Void {
            text += &format!("    {} :: {function}\n", type_text(result));
        }
        text + &format!("    end {word}\n")
    }

    /// The head's function in C, and the prototypes of what it calls.
    fn function(&mut self, head: ProcId, number: usize, dummies: &Dummies, roles: &[ReverseParam]) {
        let proc = &self.unit.program.procs[head];
        let name = |called: Called| format!("@_{}_{number}", called.word());
        for called in [Called::Sweeps, Called::Tangent, Called::Primal] {
            let result = self.result_type(head, called);
            let list = self.list(head, &self.passed(head, dummies, called, roles));
            self.functions += &format!("{};\n", c_type(result, &format!("{}({list})", name(called))));
        }
        let asked = self.adjoint.asked.iter().find(|asked| asked.proc == proc.name).expect("a head was asked for");
        let [sweeps, tangent, primal] = [Called::Sweeps, Called::Tangent, Called::Primal].map(name);
        let names = Names {
            prefix: "@",
            sweeps: &sweeps,
            tangent: &tangent,
            primal: &primal,
            watched: None,
            tape: "adtape_self()",
            gives: *self.adjoint.result_type(head) != Type::Void,
        };
        let arguments = Arguments {
            adjoints: &dummies.derivatives,
            tangents: taken(self.unit.program, head, self.tangents),
            seed: &dummies.seed,
            written: self.adjoint.written.get(&head).map_or(&[], |written| written),
            globals: self.lasting(),
            constants: Vec::new(),
            asked,
        };
        let list = self.list(head, &self.passed(head, dummies, Called::Sweeps, &[]));
        let body = check::body(self.unit.program, proc, &names, &arguments, &c_type);
        let declared = c_type(self.result_type(head, Called::Sweeps), &format!("@_head_{number}({list})"));
        self.functions += &format!("{declared} {{\n{body}}}\n");
    }

    /// Parameters in C.
    fn list(&self, head: ProcId, passed: &[Passed]) -> String {
        let declare = |passed: &Passed| {
            let ty = self.type_of(head, passed.role);
            let star = if passed.by_value || ty.target().is_some() { "" } else { "*" };
            c_type(ty, &format!("{star}{}", passed.name))
        };
        let all: Vec<String> = passed.iter().map(declare).collect();
        if all.is_empty() { "void".into() } else { all.join(", ") }
    }

    // ---- the files -------------------------------------------------------------------------------------------------

    /// The module with the interfaces of what is in C.
    pub fn module(&self) -> String {
        let name = self.unit.check_module();
        let text = format!(
            "!> The check, in C.\nmodule {name}\n  implicit none\n\n  interface\n{INTERFACES}{}  end interface\n\n\
             end module {name}\n\n",
            self.interfaces
        );
        text.replace('@', &self.unit.witness)
    }

    /// The file in C.
    pub fn text(&self) -> String {
        let count = self.triples().len().max(1);
        let variables = format!(
            "\n/* ---- heads */\n\nstatic struct {{\n    const void *primal;\n    void *adjoint, *tangent;\n    size_t \
             bytes;\n}} @_variables[{count}];\n{VARIABLE}"
        );
        let own = format!("{variables}{}", self.functions).replace('@', &self.unit.witness);
        check::runtime(self.adjoint, None, &self.unit.witness) + &own
    }
}

/// What the sweeps call, in Fortran.
const INTERFACES: &str = "    subroutine @_note(site, value, bytes) bind(C)
      integer(4), value :: site
      type(*), intent(in) :: value
      integer(8), value :: bytes
    end subroutine
    subroutine @_compare(site, value, bytes) bind(C)
      integer(4), value :: site
      type(*), intent(in) :: value
      integer(8), value :: bytes
    end subroutine
    subroutine @_shadowed(place, shadow, bits) bind(C)
      type(*), intent(in) :: place
      type(*), intent(inout) :: shadow
      integer(4), value :: bits
    end subroutine
    integer(8) function @_noted() bind(C)
    end function
    subroutine @_rehearsed(since) bind(C)
      integer(8), value :: since
    end subroutine
    subroutine @_repeated(site, since) bind(C)
      integer(4), value :: site
      integer(8), value :: since
    end subroutine
    subroutine @_made(block, bytes) bind(C)
      integer(8), value :: block, bytes
    end subroutine
    subroutine @_variable(number, primal, adjoint, tangent, bytes) bind(C)
      integer(4), value :: number, bytes
      integer(8), value :: primal, adjoint, tangent
    end subroutine
";

/// What C has for them beside the check, and the end of a program that leaves an array.
const VARIABLE: &str = "
void @_variable(int number, const void *primal, void *adjoint, void *tangent, int bytes) {
    @_variables[number].primal = primal;
    @_variables[number].adjoint = adjoint;
    @_variables[number].tangent = tangent;
    @_variables[number].bytes = (size_t)bytes;
}

void @_made(void *block, int64_t bytes) { @_allocated(block, bytes > 0 ? (size_t)bytes : 0); }

void __wrap__gfortran_runtime_error_at(const char *where, const char *message, ...) {
    va_list arguments;
    va_start(arguments, message);
    fprintf(stderr, \"%s\\nFortran runtime error: \", where);
    vfprintf(stderr, message, arguments);
    fputc('\\n', stderr);
    va_end(arguments);
    _Exit(4);
}

";

/// A declaration in C.
fn c_type(ty: &Type, name: &str) -> String {
    let base = |text: &str| if name.is_empty() { text.to_string() } else { format!("{text} {name}") };
    match ty {
        Type::Void | Type::Struct(_) | Type::Opaque(_) => base("void"),
        _ if is_logical(ty) => base("int32_t"),
        Type::Int { bits, .. } => base(&format!("int{bits}_t")),
        Type::Float { bits: 32 } => base("float"),
        Type::Float { .. } => base("double"),
        Type::Pointer(to) => c_type(to, &format!("*{name}")),
        Type::Array(row) => c_type(&row.elem, &format!("*{name}")),
    }
}
