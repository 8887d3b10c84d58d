//! Sweeps and tangents as Fortran.

use super::lines::Lines;
use super::names::Taken;
use super::state::{Body, Form};
use super::unit::Unit;
use super::words::{bounds, type_text};
use crate::ir::*;

impl Unit<'_> {
    /// How a parameter of a sweep is declared.
    pub fn form_of(&self, id: ProcId, roles: &[ReverseParam], position: usize) -> Form {
        let own = self.form_of_one(id, roles, position);
        match own {
            _ if !self.is_wide(roles[position]) => own,
            Form::Scalar => Form::Bounds(vec![1]),
            Form::Bounds(lowers) => Form::Bounds(std::iter::once(1).chain(lowers).collect()),
            Form::Flat | Form::Allocated => own,
        }
    }

    /// Whether a parameter of a sweep has a value for each of several directions.
    fn is_wide(&self, role: ReverseParam) -> bool {
        self.directions.is_some() && !matches!(role, ReverseParam::Primal(_))
    }

    /// How it is declared where it has one direction.
    fn form_of_one(&self, id: ProcId, roles: &[ReverseParam], position: usize) -> Form {
        let facts = self.facts(id);
        let of = dummy_of(roles[position]);
        let Some(of) = of.filter(|of| facts.dummies.get(*of).is_some_and(|dummy| dummy.kind == DummyKind::Array))
        else {
            return Form::Scalar;
        };
        let primal = &self.program.procs[id];
        let param = &primal.params[of];
        let has = |wanted: usize| roles.contains(&ReverseParam::Primal(wanted as u32));
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

    /// The bounds of a parameter, as they are declared in a sweep; directions come first.
    pub fn bounds_text(
        &self,
        id: ProcId,
        role: ReverseParam,
        form: &Form,
        name: &dyn Fn(usize) -> Option<String>,
    ) -> String {
        let own = |form: &Form| dummy_of(role).map(|of| self.bounds_of_one(id, of, form, name)).unwrap_or_default();
        match (self.directions.filter(|_| self.is_wide(role)), form) {
            (Some(directions), Form::Bounds(lowers)) if lowers.len() > 1 => {
                let inner = own(&Form::Bounds(lowers[1..].to_vec()));
                format!("({directions}, {}", inner.trim_start_matches('('))
            }
            (Some(directions), Form::Bounds(_)) => format!("({directions})"),
            _ => own(form),
        }
    }

    fn bounds_of_one(&self, id: ProcId, of: usize, form: &Form, name: &dyn Fn(usize) -> Option<String>) -> String {
        let primal = &self.program.procs[id];
        let lowers = match form {
            Form::Scalar | Form::Allocated => return String::new(),
            Form::Flat => return "(0:*)".into(),
            Form::Bounds(lowers) => lowers,
        };
        let shape = &primal.params[of].shape;
        let last = shape.len() - 1;
        let dims = shape.iter().rev().zip(lowers).enumerate().map(|(k, (dim, lower))| {
            let extent = dim.extent.as_deref().and_then(|extent| extent_text(primal, &extent.offset(lower - 1), name));
            let start = if *lower == 1 { String::new() } else { format!("{lower}:") };
            match extent {
                Some(upper) => format!("{start}{upper}"),
                None if k == last => format!("{start}*"),
                None => "?".into(),
            }
        });
        format!("({})", dims.collect::<Vec<_>>().join(", "))
    }

    /// A sweep, or a tangent.
    pub fn sweep(&self, id: ProcId, role: Role) -> String {
        let sweep = &self.sweeps[&(id, role)];
        let (proc, roles) = (sweep.proc, &sweep.roles[..]);
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
            let at = roles.iter().position(|role| *role == ReverseParam::Primal(wanted as u32))?;
            names.get(at).cloned()
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
            let role = roles[position];
            let of = dummy_of(role);
            let is_adjoint = proc.role == Role::Reverse && matches!(role, ReverseParam::Adjoint(_));
            let by_value = param.ty.target().is_none();
            let dummy = of.and_then(|of| facts.dummies.get(of));
            let is_seed = proc.role == Role::Reverse && role == ReverseParam::Seed;
            let reads = by_value || is_seed || !is_adjoint && dummy.is_some_and(|dummy| dummy.intent == Some("in"));
            let intent = if reads { "in" } else { "inout" };
            let dims = self.bounds_text(id, role, form, &primal_name);
            let ty = self.dummy_type(&param.ty, dummy);
            let target = if is_adjoint && self.shared.contains(&(id, position)) { ", target" } else { "" };
            let line = format!("{ty}, intent({intent}){target} :: {name}{dims}");
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
            out.line(&format!("use {}, only: {}", self.helper_module(), helpers.join(", ")));
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

    /// Names of the module of memory that procedures keep or share.
    fn memory_names(&self) -> impl Iterator<Item = &str> {
        let is_there = |global: &GlobalId| match self.stored(*global).home {
            Home::Block | Home::Saved(_) => true,
            Home::Module(_) | Home::Constant(_) => false,
        };
        let globals = self.program.globals.ids().filter(is_there);
        globals.map(|global| self.program.globals[global].name.as_str())
    }
}

/// The position of the dummy that a parameter is, or is the adjoint of.
pub fn dummy_of(role: ReverseParam) -> Option<usize> {
    match role {
        ReverseParam::Primal(of) | ReverseParam::Adjoint(of) => Some(of as usize),
        ReverseParam::Seed => None,
    }
}

/// An extent in terms of parameters; none if it needs something else.
pub fn extent_text(primal: &Proc, e: &Expr, name: &dyn Fn(usize) -> Option<String>) -> Option<String> {
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
