//! Sweeps and the procedures that run both, as Fortran.

use super::lines::Lines;
use super::names::Taken;
use super::state::{Body, Form, bounds};
use super::unit::Unit;
use super::words::type_text;
use crate::ir::*;
use crate::sweeps::{Adjoint, Sweeps};
use std::collections::BTreeSet;

impl Unit<'_> {
    /// How a parameter of a sweep is declared.
    pub fn form_of(&self, id: ProcId, roles: Option<&[ReverseParam]>, position: usize) -> Form {
        let facts = self.facts(id);
        let of = dummy_of(role_of(roles, position));
        let Some(of) = of.filter(|of| facts.dummies.get(*of).is_some_and(|dummy| dummy.kind == DummyKind::Array))
        else {
            return Form::Scalar;
        };
        let primal = &self.program.procs[id];
        let param = &primal.params[of];
        let has = |wanted: usize| {
            let wanted = ReverseParam::Primal(wanted as u32);
            roles.is_none_or(|roles| roles.contains(&wanted))
        };
        // The last dimension of Fortran needs no extent.
        let known = param.shape.iter().skip(1).all(|dim| {
            dim.extent
                .as_ref()
                .is_some_and(|extent| extent_text(primal, extent, &|k| has(k).then(String::new)).is_some())
        });
        if known {
            let lowers = facts.lowers.get(&param.name).cloned().unwrap_or_default();
            Form::Bounds(bounds(&lowers, param.shape.len()))
        } else {
            Form::Flat
        }
    }

    /// The bounds of a parameter, as they are declared in a sweep.
    fn bounds_text(&self, id: ProcId, of: usize, form: &Form, name: &dyn Fn(usize) -> Option<String>) -> String {
        let primal = &self.program.procs[id];
        let lowers = match form {
            Form::Scalar | Form::Allocated => return String::new(),
            Form::Flat => return "(0:*)".into(),
            Form::Bounds(lowers) => lowers,
        };
        let shape = &primal.params[of].shape;
        let last = shape.len() - 1;
        let dims = shape.iter().rev().zip(lowers).enumerate().map(|(k, (dim, lower))| {
            let extent = dim.extent.as_ref().and_then(|extent| extent_text(primal, &extent.offset(lower - 1), name));
            let start = if *lower == 1 { String::new() } else { format!("{lower}:") };
            match extent {
                Some(upper) => format!("{start}{upper}"),
                None if k == last => format!("{start}*"),
                None => "?".into(),
            }
        });
        format!("({})", dims.collect::<Vec<_>>().join(", "))
    }

    /// A sweep.
    pub fn sweep(&self, id: ProcId, role: Role) -> String {
        let sweep = &self.sweeps[&(id, role)];
        let (proc, roles) = (sweep.proc, sweep.roles);
        let facts = self.facts(id);
        let mut taken = Taken::usual();
        self.memory_names().for_each(|name| taken.take(name));
        let mut params = Vec::new();
        for (position, param) in proc.params.iter().enumerate() {
            params.push((taken.fresh(&param.name), self.form_of(id, roles, position)));
        }
        let names: Vec<String> = params.iter().map(|(name, _)| name.clone()).collect();
        let mut body = Body::new(self, id, proc, params.clone());
        body.region(RegionId::BODY);
        let is_function = proc.result_type != Type::Void;
        let result = body.taken.fresh(&format!("{}_result", facts.name));
        if let (true, Some(value)) = (is_function, &proc.result) {
            let text = body.assigned(value, &proc.result_type);
            body.statement(&format!("{result} = {text}"));
        }
        let primal_name = |wanted: usize| {
            let at = match roles {
                Some(roles) => roles.iter().position(|role| *role == ReverseParam::Primal(wanted as u32)),
                None => Some(wanted),
            };
            at.and_then(|at| names.get(at)).cloned()
        };
        proc.params.iter().for_each(|param| drop(body.declared_type(&param.ty)));
        let mut out = Lines { indent: 1, ..Lines::default() };
        let word = if is_function { "function" } else { "subroutine" };
        let tail = if is_function { format!(" result({result})") } else { String::new() };
        out.blank();
        let prefix = if self.is_recursive((id, role)) { "recursive " } else { "" };
        out.line(&format!("{prefix}{word} {}({}){tail}", sweep.name, names.join(", ")));
        out.indent = 2;
        self.uses(&body, &mut out);
        // Values first: bounds name them.
        let mut arrays = Vec::new();
        for (position, ((name, form), param)) in params.iter().zip(&proc.params).enumerate() {
            let role = role_of(roles, position);
            let (of, is_adjoint) = (dummy_of(role), matches!(role, ReverseParam::Adjoint(_)));
            let by_value = param.ty.target().is_none();
            let dummy = of.and_then(|of| facts.dummies.get(of));
            let reads = by_value || !is_adjoint && dummy.is_some_and(|dummy| dummy.intent == Some("in"));
            let intent = if reads { "in" } else { "inout" };
            let dims = of.map(|of| self.bounds_text(id, of, form, &primal_name)).unwrap_or_default();
            let line = format!("{}, intent({intent}) :: {name}{dims}", self.type_text(&param.ty));
            if by_value { out.line(&line) } else { arrays.push(line) }
        }
        arrays.iter().for_each(|line| out.line(line));
        if is_function {
            out.line(&format!("{} :: {result}", type_text(&proc.result_type)));
        }
        self.declared(&body, &mut out);
        out.blank();
        out.text += &body.out.text;
        out.indent = 1;
        out.line(&format!("end {word}"));
        out.text
    }

    fn uses(&self, body: &Body, out: &mut Lines) {
        let of_tape = body.of_tape.borrow();
        if !of_tape.is_empty() {
            let names: Vec<&str> = of_tape.iter().copied().collect();
            out.line(&format!("use adtape, only: {}", names.join(", ")));
        }
        let helpers: Vec<&str> = self.helpers_in(&body.out.text);
        if !helpers.is_empty() {
            out.line(&format!("use {}, only: {}", self.helper_module, helpers.join(", ")));
        }
        let uses = body.uses.borrow();
        let mut modules: Vec<&String> = uses.iter().map(|(module, _)| module).collect();
        modules.dedup();
        for module in modules {
            let names: Vec<&str> =
                uses.iter().filter(|(own, _)| own == module).map(|(_, name)| name.as_str()).collect();
            out.line(&format!("use {module}, only: {}", names.join(", ")));
        }
        if body.module.is_none() {
            out.line("implicit none");
        }
    }

    fn helpers_in(&self, text: &str) -> Vec<&'static str> {
        let helpers = self.helpers.borrow();
        helpers.iter().copied().filter(|name| text.contains(&format!("{name}("))).collect()
    }

    fn declared(&self, body: &Body, out: &mut Lines) {
        body.constants.borrow().iter().for_each(|constant| out.line(constant));
        let all = body.declarations();
        let mut types: Vec<&String> = all.iter().map(|(ty, _)| ty).collect();
        types.dedup();
        for ty in types {
            let names: Vec<&str> = all.iter().filter(|(own, _)| own == ty).map(|(_, name)| name.as_str()).collect();
            out.line(&format!("{ty} :: {}", names.join(", ")));
        }
    }

    /// The procedure that runs both sweeps of a head.
    pub fn head(&self, adjoint: &Adjoint, head: ProcId) -> String {
        let primal = &self.program.procs[head];
        let facts = self.facts(head);
        let sweeps = adjoint.sweeps.iter().find(|sweeps| sweeps.proc == head);
        let roles = sweeps.map_or(&[][..], |sweeps| &sweeps.interface.params);
        let asked = adjoint.asked.iter().find(|asked| asked.proc == primal.name).expect("a head was asked for");
        let name = adjoint.name(head);
        let mut taken = self.taken.clone();
        primal.params.iter().for_each(|param| taken.take(&param.name));
        let mut list = Vec::new();
        let mut declared = Vec::new();
        let mut arrays = Vec::new();
        let mut meaning = Vec::new();
        let mut bars = vec![String::new(); primal.params.len()];
        let own = |k: usize| match facts.dummies[k].kind {
            DummyKind::Extent { .. } => None,
            _ => Some(primal.params[k].name.clone()),
        };
        for (k, (param, dummy)) in primal.params.iter().zip(&facts.dummies).enumerate() {
            if matches!(dummy.kind, DummyKind::Extent { .. }) {
                continue;
            }
            let dims = self.user_bounds(head, k, &own);
            let ty = self.type_text(&param.ty);
            let intent = match (dummy.kind, dummy.intent) {
                (DummyKind::Value, _) | (_, Some("in")) => "in",
                _ => "inout",
            };
            list.push(param.name.clone());
            let line = format!("{ty}, intent({intent}) :: {}{dims}", param.name);
            if dims.is_empty() && dummy.kind == DummyKind::Value {
                declared.push(line)
            } else {
                arrays.push(line)
            }
            let used = roles.contains(&ReverseParam::Adjoint(k as u32));
            if !used && !asked.names(&param.name) {
                continue;
            }
            let bar = taken.fresh(&format!("{}_b", param.name));
            list.push(bar.clone());
            arrays.push(format!("{ty}, intent(inout) :: {bar}{dims}"));
            let how = match (used, dummy.kind, dummy.intent) {
                (false, ..) => "left alone, because no derivative flows there",
                (true, DummyKind::Value, _) | (true, _, Some("in")) => "added to",
                _ => "read where the procedure writes, then cleared or added to",
            };
            meaning.push(format!("!>   {bar}: the adjoint of {}: {how}", param.name));
            bars[k] = bar;
        }
        let mut seed = String::new();
        let used = roles.contains(&ReverseParam::Seed);
        if used || asked.names(&primal.name) && matches!(primal.result_type, Type::Float { .. }) {
            seed = taken.fresh("result_b");
            list.push(seed.clone());
            declared.push(format!("{}, intent(in) :: {seed}", type_text(&primal.result_type)));
            meaning.push(format!("!>   {seed}: the adjoint of the result: read"));
        }
        let mut out = Lines { indent: 1, ..Lines::default() };
        out.blank();
        out.line(&format!(
            "!> The adjoint of {}. Runs it, and computes the adjoints of what it reads from those of",
            facts.name
        ));
        out.line("!> what it writes. Memory that it writes holds old, new or intermediate contents afterwards.");
        meaning.iter().for_each(|line| out.line(line));
        out.line(&format!("subroutine {name}({})", list.join(", ")));
        out.indent = 2;
        let (calls, ignored) = self.both(head, sweeps, &bars, &seed, &mut taken);
        if facts.module.is_none() {
            let names: Vec<String> = match sweeps {
                Some(_) => [Role::Forward, Role::Reverse].map(|role| self.sweeps[&(head, role)].name.clone()).to_vec(),
                None => Vec::new(),
            };
            if !names.is_empty() {
                out.line(&format!("use {}, only: {}", self.sweep_module(), names.join(", ")));
            }
        }
        for (module, name) in self.types_from_elsewhere(primal, facts.module) {
            out.line(&format!("use {module}, only: {name}"));
        }
        if facts.module.is_none() {
            out.line("implicit none");
        }
        declared.iter().chain(&arrays).for_each(|line| out.line(line));
        ignored.iter().for_each(|line| out.line(line));
        out.blank();
        calls.iter().for_each(|line| out.line(line));
        out.indent = 1;
        out.line("end subroutine");
        out.text
    }

    /// The derived types of arguments that come from other modules, with these.
    fn types_from_elsewhere(&self, proc: &Proc, own: Option<usize>) -> BTreeSet<(&str, &str)> {
        let types = proc.params.iter().filter_map(|param| self.derived(&param.ty));
        let others = types.filter(|of| own != Some(of.module));
        others.map(|of| (self.fortran.modules[of.module].name.as_str(), of.name.as_str())).collect()
    }

    /// The module of the sweeps of procedures that no module contains.
    pub fn sweep_module(&self) -> String {
        self.helper_module.replace("_functions", "_sweeps")
    }

    /// The module of memory that procedures share or keep.
    pub fn memory_module(&self) -> String {
        self.helper_module.replace("_functions", "_memory")
    }

    /// Names of that module.
    fn memory_names(&self) -> impl Iterator<Item = &str> {
        let is_there = |global: &GlobalId| match self.stored(*global).home {
            Home::Block | Home::Saved(_) => true,
            Home::Module(_) | Home::Constant(_) => false,
        };
        let globals = self.program.globals.ids().filter(is_there);
        globals.map(|global| self.program.globals[global].name.as_str())
    }

    /// Bounds as the user's procedure has them.
    fn user_bounds(&self, head: ProcId, k: usize, own: &dyn Fn(usize) -> Option<String>) -> String {
        let (primal, facts) = (&self.program.procs[head], self.facts(head));
        let dummy = &facts.dummies[k];
        if dummy.bounds.is_empty() {
            return String::new();
        }
        let lowers = facts.lowers.get(&primal.params[k].name).cloned().unwrap_or_default();
        let shape = primal.params[k].shape.iter().rev();
        let dims = dummy.bounds.iter().zip(shape).enumerate().map(|(at, (text, dim))| {
            let lower = lowers.get(at).copied().flatten();
            let is_assumed = text.ends_with(':') || text.ends_with('*');
            match (lower, &dim.extent) {
                (Some(lower), Some(extent)) if !is_assumed => {
                    match extent_text(primal, &extent.offset(lower - 1), own) {
                        Some(upper) if lower == 1 => upper,
                        Some(upper) => format!("{lower}:{upper}"),
                        None => text.clone(),
                    }
                }
                _ => text.clone(),
            }
        });
        format!("({})", dims.collect::<Vec<_>>().join(", "))
    }

    /// The calls of both sweeps, and what their declarations need.
    fn both(
        &self,
        head: ProcId,
        sweeps: Option<&Sweeps>,
        bars: &[String],
        seed: &str,
        taken: &mut Taken,
    ) -> (Vec<String>, Vec<String>) {
        let (primal, facts) = (&self.program.procs[head], self.facts(head));
        let actual = |k: usize| match facts.dummies[k].kind {
            DummyKind::Extent { of, dim } => format!("size({}, {dim})", primal.params[of as usize].name),
            _ => primal.params[k].name.clone(),
        };
        let Some(sweeps) = sweeps else {
            let list: Vec<String> = (0..primal.params.len())
                .filter(|k| !matches!(facts.dummies[*k].kind, DummyKind::Extent { .. }))
                .map(actual)
                .collect();
            return self.run(&facts.name, &primal.result_type, &list, taken);
        };
        let forward = &self.sweeps[&(head, Role::Forward)];
        let list: Vec<String> = (0..primal.params.len()).map(actual).collect();
        let (mut calls, declared) = self.run(&forward.name, &forward.proc.result_type, &list, taken);
        let list = sweeps.interface.params.iter().map(|role| match role {
            ReverseParam::Primal(k) => actual(*k as usize),
            ReverseParam::Adjoint(k) => bars[*k as usize].clone(),
            ReverseParam::Seed => seed.to_string(),
        });
        let list: Vec<String> = list.collect();
        calls.push(format!("call {}({})", self.sweeps[&(head, Role::Reverse)].name, list.join(", ")));
        (calls, declared)
    }

    fn run(&self, name: &str, ty: &Type, list: &[String], taken: &mut Taken) -> (Vec<String>, Vec<String>) {
        let list = list.join(", ");
        if *ty == Type::Void {
            return (vec![format!("call {name}({list})")], Vec::new());
        }
        let ignored = taken.fresh("result_of_it");
        (vec![format!("{ignored} = {name}({list})")], vec![format!("{} :: {ignored}", type_text(ty))])
    }
}

/// What a parameter of a sweep is; a forward sweep has those of the procedure.
fn role_of(roles: Option<&[ReverseParam]>, position: usize) -> ReverseParam {
    roles.map_or(ReverseParam::Primal(position as u32), |roles| roles[position])
}

/// The position of the dummy that a parameter is, or is the adjoint of.
fn dummy_of(role: ReverseParam) -> Option<usize> {
    match role {
        ReverseParam::Primal(of) | ReverseParam::Adjoint(of) => Some(of as usize),
        ReverseParam::Seed => None,
    }
}

/// An extent in terms of parameters; none if it needs something else.
fn extent_text(primal: &Proc, e: &Expr, name: &dyn Fn(usize) -> Option<String>) -> Option<String> {
    Some(match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Value(value) => {
            let position = primal.params.iter().position(|param| param.entry == Some(*value))?;
            name(position)?
        }
        ExprKind::Cast(inner) => extent_text(primal, inner, name)?,
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (extent_text(primal, a, name)?, extent_text(primal, b, name)?);
            let wrapped = |e: &Expr, text: String| match e.kind {
                ExprKind::Binary(Binary::Add | Binary::Subtract, ..) => format!("({text})"),
                _ => text,
            };
            match op {
                Binary::Add => format!("{left} + {right}"),
                Binary::Subtract => format!("{left} - {}", wrapped(b, right)),
                Binary::Multiply => format!("{}*{}", wrapped(a, left), wrapped(b, right)),
                Binary::Divide => format!("({})/({})", left, right),
                _ => return None,
            }
        }
        _ => return None,
    })
}
