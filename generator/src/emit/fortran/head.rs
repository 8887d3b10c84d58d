//! What the user calls: the adjoint and the tangent of a head, with the dummies of the head and the derivatives behind
//! them.

use super::lines::Lines;
use super::names::Taken;
use super::sweep::extent_text;
use super::unit::Unit;
use super::words::type_text;
use crate::ir::*;
use crate::sweeps::{Adjoint, Sweeps};
use std::collections::BTreeSet;

/// The derivative behind a dummy.
pub struct Behind {
    /// What becomes of it.
    pub how: &'static str,
    /// Its INTENT.
    pub intent: &'static str,
}

/// The dummies of a head, and the derivatives behind them.
pub struct Dummies {
    /// Names in order.
    pub list: Vec<String>,
    /// Declarations of those that bounds may name.
    pub scalars: Vec<String>,
    /// Declarations of the others.
    pub others: Vec<String>,
    /// What becomes of the derivatives, a line each.
    pub meaning: Vec<String>,
    /// By parameter: the name of its derivative; empty without.
    pub derivatives: Vec<String>,
    /// The derivative of the result; empty without.
    pub seed: String,
    /// Names that are taken.
    pub taken: Taken,
}

/// A procedure for the user.
pub struct Written<'a> {
    pub comment: Vec<String>,
    /// `subroutine` or `function`.
    pub word: &'static str,
    pub name: &'a str,
    /// The result of a function: its name and type.
    pub result: Option<(String, String)>,
    /// Procedures of the module of sweeps that it calls.
    pub uses: Vec<String>,
    /// Procedures of other modules.
    pub others: Vec<(String, String)>,
    /// Declarations of variables.
    pub declared: Vec<String>,
    pub statements: Vec<String>,
}

impl Unit<'_> {
    /// The adjoint of a head: the procedure that runs both sweeps.
    pub fn adjoint(&self, adjoint: &Adjoint, head: ProcId) -> String {
        let name = adjoint.name(head);
        let (dummies, written) = self.parts_of_adjoint(adjoint, head, &name);
        self.written(head, dummies, written)
    }

    /// The parts of the adjoint of a head.
    pub fn parts_of_adjoint<'n>(&self, adjoint: &Adjoint, head: ProcId, name: &'n str) -> (Dummies, Written<'n>) {
        let primal = &self.program.procs[head];
        let facts = self.facts(head);
        let sweeps = adjoint.sweeps.iter().find(|sweeps| sweeps.proc == head);
        let roles = sweeps.map_or(&[][..], |sweeps| &sweeps.interface.params);
        let asked = adjoint.asked.iter().find(|asked| asked.proc == primal.name).expect("a head was asked for");
        let behind = |k: usize| {
            let used = roles.contains(&ReverseParam::Adjoint(k as u32));
            let dummy = &facts.dummies[k];
            let how = match (used, dummy.kind, dummy.intent) {
                (false, ..) => "left alone, because no derivative flows there",
                (true, DummyKind::Value, _) | (true, _, Some("in")) => "added to",
                _ => "read where the procedure writes, then cleared or added to",
            };
            (used || asked.names(&primal.params[k].name)).then_some(Behind { how, intent: "inout" })
        };
        let mut dummies = self.dummies(head, "adjoint", "_b", &behind);
        let used = roles.contains(&ReverseParam::Seed);
        if used || asked.names(&primal.name) && matches!(primal.result_type, Type::Float { .. }) {
            let how = Behind { how: "read", intent: "in" };
            self.seed(&mut dummies, &primal.result_type, ("result_b", "adjoint"), how);
        }
        let tests = sweeps.map(|_| self.allocated(head, Role::Reverse, &dummies)).unwrap_or_default();
        let kept = sweeps.map(|_| self.kept(head, &mut dummies.taken)).unwrap_or_default();
        let given = adjoint.result_type(head);
        let result = (*given != Type::Void).then(|| (dummies.taken.fresh("value"), type_text(given)));
        let value = result.as_ref().map(|(name, _)| name.as_str());
        let (mut calls, mut declared) = self.both(head, sweeps, &mut dummies, value);
        declared.extend(kept.declared);
        if let Some(reverse) = calls.pop() {
            calls = [kept.before, calls, kept.between, vec![reverse], kept.behind].concat();
        }
        let statements = tests.statements.into_iter().chain(calls).collect();
        let comment = [
            format!(
                "!> The adjoint of {}. Runs it, and computes the adjoints of what it reads from those of",
                facts.name
            ),
            "!> what it writes. Memory that it writes holds old, new or intermediate contents afterwards.".into(),
        ];
        let mut comment = comment.to_vec();
        if adjoint.value {
            let kept = "Results that the head names hold their values.";
            comment.push(if result.is_some() {
                format!("!> Returns the result. {kept}")
            } else {
                format!("!> {kept}")
            });
        }
        if let Some(directions) = self.directions {
            comment.push(format!(
                "!> Each real has {directions} adjoints, for {directions} directions, which come first."
            ));
        }
        let called = sweeps.map_or(&[][..], |_| &[Role::Forward, Role::Reverse]);
        let uses = called.iter().map(|role| self.sweeps[&(head, *role)].name.clone()).collect();
        let word = if result.is_some() { "function" } else { "subroutine" };
        let mut others = tests.uses;
        others.extend(kept.uses);
        (dummies, Written { comment, word, name, result, uses, others, declared, statements })
    }

    /// The tangent of a head, with the dummies of the head.
    pub fn tangent(&self, head: ProcId, name: &str) -> String {
        let facts = self.facts(head);
        let tangent = &self.sweeps[&(head, Role::Tangent)];
        let behind = |k: usize| {
            let is_read = facts.dummies[k].kind == DummyKind::Value || facts.dummies[k].intent == Some("in");
            let (how, intent) = if is_read { ("read", "in") } else { ("read and written", "inout") };
            tangent.roles.contains(&ReverseParam::Adjoint(k as u32)).then_some(Behind { how, intent })
        };
        let mut dummies = self.dummies(head, "tangent", "_d", &behind);
        let ty = &tangent.proc.result_type;
        if tangent.roles.contains(&ReverseParam::Seed) {
            let how = Behind { how: "written", intent: "inout" };
            self.seed(&mut dummies, ty, ("result_d", "tangent"), how);
        }
        let list = self.actuals(head, &tangent.roles, &dummies);
        let call = format!("{}({})", tangent.name, list.join(", "));
        let result = (*ty != Type::Void).then(|| (dummies.taken.fresh("result_of_it"), type_text(ty)));
        let statement = match &result {
            Some((result, _)) => format!("{result} = {call}"),
            None => format!("call {call}"),
        };
        let comment = vec![
            format!("!> The tangent of {}. Runs it, and computes the derivatives of what it writes in the", facts.name),
            "!> direction of the tangents of what it reads.".into(),
        ];
        let word = if result.is_some() { "function" } else { "subroutine" };
        let tests = self.allocated(head, Role::Tangent, &dummies);
        let (uses, others, declared) = (vec![tangent.name.clone()], tests.uses, Vec::new());
        let statements = tests.statements.into_iter().chain([statement]).collect();
        self.written(head, dummies, Written { comment, word, name, result, uses, others, declared, statements })
    }

    /// The text of a procedure for the user.
    pub fn written(&self, head: ProcId, dummies: Dummies, written: Written) -> String {
        let Written { comment, word, name, result, uses, others, declared, statements } = written;
        let mut out = Lines { indent: 1, ..Lines::default() };
        out.blank();
        comment.iter().chain(&dummies.meaning).for_each(|line| out.line(line));
        let tail = result.as_ref().map(|(result, _)| format!(" result({result})")).unwrap_or_default();
        out.line(&format!("{word} {name}({}){tail}", dummies.list.join(", ")));
        out.indent = 2;
        let others: BTreeSet<_> = others.into_iter().collect();
        others.iter().for_each(|(module, name)| out.line(&format!("use {module}, only: {name}")));
        for (module, name) in self.types_from_elsewhere(head) {
            out.line(&format!("use {module}, only: {name}"));
        }
        if self.facts(head).module.is_none() {
            if !uses.is_empty() {
                out.line(&format!("use {}, only: {}", self.sweep_module(), uses.join(", ")));
            }
            out.line("implicit none");
        }
        dummies.scalars.iter().chain(&dummies.others).for_each(|line| out.line(line));
        result.iter().for_each(|(result, ty)| out.line(&format!("{ty} :: {result}")));
        declared.iter().for_each(|line| out.line(line));
        out.blank();
        statements.iter().for_each(|line| out.line(line));
        out.indent = 1;
        out.line(&format!("end {word}"));
        out.text
    }

    /// The dummies of a head with derivatives behind them. `what` is the word for these, `suffix` the end of their names.
    pub fn dummies(&self, head: ProcId, what: &str, suffix: &str, behind: &dyn Fn(usize) -> Option<Behind>) -> Dummies {
        let (primal, facts) = (&self.program.procs[head], self.facts(head));
        let mut taken = self.taken.clone();
        primal.params.iter().for_each(|param| taken.take(&param.name));
        let (list, scalars, others, meaning) = Default::default();
        let derivatives = vec![String::new(); primal.params.len()];
        let mut all = Dummies { list, scalars, others, meaning, derivatives, seed: String::new(), taken };
        let own = |k: usize| (!self.is_extent(head, k)).then(|| primal.params[k].name.clone());
        for (k, (param, dummy)) in primal.params.iter().zip(&facts.dummies).enumerate() {
            if self.is_extent(head, k) {
                continue;
            }
            let dims = self.user_bounds(head, k, &own);
            let ty = self.dummy_type(&param.ty, Some(dummy));
            let intent = match (dummy.kind, dummy.intent) {
                (DummyKind::Value, _) | (_, Some("in")) => "in",
                _ => "inout",
            };
            all.list.push(param.name.clone());
            let allocatable = if dummy.is_allocatable { ", allocatable" } else { "" };
            let line = format!("{ty}{allocatable}, intent({intent}) :: {}{dims}", param.name);
            let is_scalar = dims.is_empty() && dummy.kind == DummyKind::Value;
            if is_scalar {
                all.scalars.push(line)
            } else {
                all.others.push(line)
            }
            let Some(Behind { how, intent }) = behind(k) else { continue };
            let name = all.taken.fresh(&format!("{}{suffix}", param.name));
            all.list.push(name.clone());
            all.others.push(format!("{ty}, intent({intent}) :: {name}{}", self.with_directions(&dims, dummy)));
            all.meaning.push(format!("!>   {name}: the {what} of {}: {how}", param.name));
            all.derivatives[k] = name;
        }
        all
    }

    /// The bounds of a derivative: directions come first. Where one shape is assumed, all are.
    fn with_directions(&self, dims: &str, dummy: &FortranDummy) -> String {
        let is_assumed = dummy.bounds.iter().any(|bound| bound.ends_with(':'));
        match (self.directions, dims.strip_prefix('(')) {
            (None, _) => dims.to_string(),
            (Some(_), Some(dims)) if is_assumed => format!("(:, {dims}"),
            (Some(directions), Some(dims)) => format!("({directions}, {dims}"),
            (Some(directions), None) => format!("({directions})"),
        }
    }

    /// Whether a parameter is an extent that the call brings along.
    pub fn is_extent(&self, head: ProcId, k: usize) -> bool {
        self.facts(head).dummies[k].kind.bound_of().is_some()
    }

    /// The parameters that the user's procedure has.
    pub fn own_roles(&self, head: ProcId) -> Vec<ReverseParam> {
        let own = (0..self.program.procs[head].params.len()).filter(|k| !self.is_extent(head, *k));
        own.map(|k| ReverseParam::Primal(k as u32)).collect()
    }

    /// Adds the derivative of the result: its name, and the word for it.
    fn seed(&self, dummies: &mut Dummies, ty: &Type, (name, what): (&str, &str), how: Behind) {
        let Behind { how, intent } = how;
        let seed = dummies.taken.fresh(name);
        dummies.list.push(seed.clone());
        let dims = self.directions.map(|directions| format!("({directions})")).unwrap_or_default();
        dummies.others.push(format!("{}, intent({intent}) :: {seed}{dims}", type_text(ty)));
        dummies.meaning.push(format!("!>   {seed}: the {what} of the result: {how}"));
        dummies.seed = seed;
    }

    /// What a sweep or a tangent of a head is called with.
    pub fn actuals(&self, head: ProcId, roles: &[ReverseParam], dummies: &Dummies) -> Vec<String> {
        let (primal, facts) = (&self.program.procs[head], self.facts(head));
        let actual = |role: &ReverseParam| match role {
            ReverseParam::Primal(k) => match facts.dummies[*k as usize].kind {
                DummyKind::Extent { of, dim } => format!("size({}, {dim})", primal.params[of as usize].name),
                DummyKind::Lower { of, dim } => format!("lbound({}, {dim})", primal.params[of as usize].name),
                DummyKind::Value | DummyKind::Scalar | DummyKind::Array => primal.params[*k as usize].name.clone(),
            },
            ReverseParam::Adjoint(k) => dummies.derivatives[*k as usize].clone(),
            ReverseParam::Seed => dummies.seed.clone(),
        };
        roles.iter().map(actual).collect()
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

    /// The calls of both sweeps, and what their declarations need. `value`: what gets the result.
    fn both(
        &self,
        head: ProcId,
        sweeps: Option<&Sweeps>,
        dummies: &mut Dummies,
        value: Option<&str>,
    ) -> (Vec<String>, Vec<String>) {
        let (primal, facts) = (&self.program.procs[head], self.facts(head));
        let Some(sweeps) = sweeps else {
            let list = self.actuals(head, &self.own_roles(head), dummies);
            return self.run(&facts.name, &primal.result_type, &list, (value, &mut dummies.taken));
        };
        let forward = &self.sweeps[&(head, Role::Forward)];
        let list = self.actuals(head, &forward.roles, dummies);
        let into = (value, &mut dummies.taken);
        let (mut calls, declared) = self.run(&forward.name, &forward.proc.result_type, &list, into);
        let list = self.actuals(head, &sweeps.interface.params, dummies);
        calls.push(format!("call {}({})", self.sweeps[&(head, Role::Reverse)].name, list.join(", ")));
        (calls, declared)
    }

    /// The call of a procedure, and what its declarations need; what gets its result, else a name is found.
    fn run(
        &self,
        name: &str,
        ty: &Type,
        list: &[String],
        (into, taken): (Option<&str>, &mut Taken),
    ) -> (Vec<String>, Vec<String>) {
        let list = list.join(", ");
        if *ty == Type::Void {
            return (vec![format!("call {name}({list})")], Vec::new());
        }
        if let Some(into) = into {
            return (vec![format!("{into} = {name}({list})")], Vec::new());
        }
        let ignored = taken.fresh("result_of_it");
        (vec![format!("{ignored} = {name}({list})")], vec![format!("{} :: {ignored}", type_text(ty))])
    }
}
