//! Sweeps of procedures whose derivative is given. They are planned and proved as those of any procedure; then what they
//! compute makes way for calls: of the function in the forward sweep, behind the pushes, and of its derivative in the
//! reverse sweep, where the proof has it.
//!
//! ```text
//!   body                     forward sweep                reverse sweep
//!   for k: y[k] = unknown    for k: push y[k]             f_rev(n, x, x_b, y, y_b)
//!   given                    f(n, x, y)                   for k: pop y[k]
//! ```

use super::Sweeps;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use crate::sweep::dead;

/// Puts the calls into the sweeps of all procedures with a rule.
pub(super) fn perform(program: &Program, sweeps: &mut [Sweeps], wide: bool) -> Result<(), Vec<Refusal>> {
    let mut refusals = Vec::new();
    for each in sweeps {
        let primal = &program.procs[each.proc];
        let Some(rule) = primal.rule.clone() else { continue };
        if let (true, Some(derivative)) = (wide, &rule.reverse) {
            refusals.push(one_at_a_time(primal, derivative));
            continue;
        }
        let params = each.interface.params.clone();
        let forward = each.deferred.forward.as_mut().unwrap_or(&mut each.forward);
        call_function(forward, &rule.function);
        refusals.extend(call_derivative(primal, &mut each.reverse, &params, &rule).err());
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

fn one_at_a_time(primal: &Proc, derivative: &Derivative) -> Refusal {
    Refusal {
        class: Class::NoSource,
        span: primal.span,
        what: format!("'{}' computes one adjoint at a time", derivative.name),
        help: "leave out --vector, or add the source of the function".into(),
    }
}

/// What stays of a sweep besides the calls. What the body computes in place of the function is no operand to compare.
fn stays(kind: &ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Let { .. }
            | ItemKind::Branch { .. }
            | ItemKind::Loop { .. }
            | ItemKind::DeclareVar { .. }
            | ItemKind::Sweep(SweepItem::Push { .. } | SweepItem::Pop { .. } | SweepItem::Rehearsal { .. })
    )
}

fn retain(proc: &mut Proc, keep: &dyn Fn(&ItemKind) -> bool) {
    let items = &proc.items;
    for region in proc.regions.iter_mut() {
        region.items.retain(|item| keep(&items[*item].kind));
    }
}

/// The pointer behind which an item stores.
fn stored_behind(kind: &ItemKind) -> Option<&Expr> {
    let ItemKind::Store { to: Place { base: Base::At(pointer), .. }, .. } = kind else { return None };
    Some(pointer)
}

fn push_item(proc: &mut Proc, kind: ItemKind) -> ItemId {
    proc.items.push(Item { kind, span: proc.span, statement: None });
    ItemId::new(proc.items.len() - 1)
}

fn call(name: &str, args: Vec<Expr>, result: Option<ValueId>) -> ItemKind {
    let callee = Callee::External { function: External::Named(name.into()), returns: true, unknown: false };
    ItemKind::Call { callee, args, result, into: None }
}

/// The function itself, behind what its forward sweep pushes; nothing, where nobody wants what it does.
fn call_function(forward: &mut Proc, function: &str) {
    let stores = |item: &ItemId| matches!(forward.items[*item].kind, ItemKind::Store { .. });
    let is_wanted = forward.result.is_some() || forward.regions.iter().flat_map(|region| &region.items).any(stores);
    retain(forward, &stays);
    if is_wanted {
        let entries = forward.params.iter().filter_map(|param| param.entry);
        let args = entries.map(|entry| forward.value_expr(entry)).collect();
        call_last(forward, function, args);
    }
    dead::remove(forward, dead::Extent::All);
}

/// The derivative in place of what the reverse sweep computes.
fn call_derivative(primal: &Proc, reverse: &mut Proc, params: &[ReverseParam], rule: &Rule) -> Result<(), Refusal> {
    let refuse = |what: String, help: String| Err(Refusal { class: Class::NoSource, span: primal.span, what, help });
    let is_call =
        |item: &ItemId| matches!(&reverse.items[*item].kind, ItemKind::Given { needs, .. } if needs.is_empty());
    let of = |role: ReverseParam| {
        let entry = params.iter().position(|param| *param == role).and_then(|at| reverse.params[at].entry);
        entry.map(|entry| reverse.value_expr(entry))
    };
    let positions = 0..primal.params.len();
    let adjoints: Vec<Option<Expr>> = positions.map(|k| of(ReverseParam::Adjoint(k as u32))).collect();
    let seed = of(ReverseParam::Seed);
    let follows = |k: usize| rule.reverse.as_ref().is_some_and(|derivative| derivative.behind[k]);
    let is_left_out = |(k, adjoint): (usize, &Option<Expr>)| adjoint.is_some() && !follows(k) && rule.reads[k];
    let left_out = adjoints.iter().enumerate().position(is_left_out);
    if let (Some(k), Some(derivative)) = (left_out, &rule.reverse) {
        let (name, derivative) = (&primal.params[k].name, &derivative.name);
        return refuse(
            format!(
                "'{name}' of '{}' depends on the inputs here, and '{derivative}' has no adjoint for it",
                primal.name
            ),
            format!("give '{derivative}' a parameter '{name}_b' behind '{name}'"),
        );
    }
    let place = reverse.regions[RegionId::BODY].items.iter().copied().find(is_call);
    if let (Some(item), Some(derivative)) = (place, &rule.reverse) {
        let ItemKind::Given { args, .. } = &reverse.items[item].kind else { return Ok(()) };
        let mut all = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            all.push(arg.clone());
            if follows(k) {
                let unwanted = Expr { kind: ExprKind::Null, ty: Type::Pointer(Box::new(Type::double())) };
                all.push(adjoints[k].clone().unwrap_or(unwanted));
            }
        }
        if derivative.result {
            all.push(seed.unwrap_or_else(|| zero(&primal.result_type)));
        }
        reverse.items[item].kind = call(&derivative.name, all, None);
    }
    // What is overwritten has an adjoint of 0 in front of the call, whoever knows of it.
    let unknown = adjoints.iter().enumerate().filter(|(k, _)| !follows(*k));
    let unknown: Vec<&Expr> = unknown.filter_map(|(_, adjoint)| adjoint.as_ref()).collect();
    let clears = |kind: &ItemKind| stored_behind(kind).is_some_and(|pointer| unknown.contains(&pointer));
    let is_derivative = |kind: &ItemKind| matches!(kind, ItemKind::Call { .. });
    retain(reverse, &|kind| stays(kind) || clears(kind) || is_derivative(kind));
    if dead::remove(reverse, dead::Extent::All).is_empty() {
        Ok(())
    } else {
        refuse(
            format!("internal: the sweeps of '{}' store what only its body computes", primal.name),
            "please report this program".into(),
        )
    }
}

/// The tangent of a procedure with a rule: a call of the one that is given.
pub(super) fn tangent(primal: &Proc, tangent: &mut Proc, rule: &Rule) -> Result<(), Refusal> {
    if rule.reverse.is_none() {
        without_tangent(primal, tangent, &rule.function);
        return Ok(());
    }
    let Some(derivative) = &rule.tangent else {
        return Err(Refusal {
            class: Class::NoSource,
            span: primal.span,
            what: format!("'{}' has a rule and no tangent", primal.name),
            help: format!("declare '{}_d' beside its rule", primal.name),
        });
    };
    let mut params = tangent.params.iter().peekable();
    let mut args = Vec::new();
    for (k, param) in primal.params.iter().enumerate() {
        args.extend(params.next().and_then(|own| own.entry).map(|entry| tangent.value_expr(entry)));
        let next = primal.params.get(k + 1).and_then(|next| next.entry);
        // The last parameter may be the one for the tangent of the result.
        let is_own = |own: &&Param| own.entry != next && own.name != format!("{}_d", primal.name);
        let own = params.next_if(|own| is_own(own)).and_then(|own| own.entry);
        if derivative.behind[k] {
            let nothing = match &param.ty {
                Type::Float { .. } => zero(&param.ty),
                ty => Expr { kind: ExprKind::Null, ty: ty.clone() },
            };
            args.push(own.map_or(nothing, |own| tangent.value_expr(own)));
        }
    }
    if derivative.result {
        let nothing = Expr { kind: ExprKind::Null, ty: Type::Pointer(Box::new(primal.result_type.clone())) };
        let own = params.next().and_then(|own| own.entry);
        args.push(own.map_or(nothing, |own| tangent.value_expr(own)));
    }
    // A parameter may not hide the function that is called.
    for param in tangent.params.iter_mut().filter(|param| param.name == derivative.name) {
        param.name = "result_d".into();
        param.var.iter().for_each(|var| tangent.vars[*var].name.clone_from(&param.name));
    }
    tangent.regions[RegionId::BODY].items.clear();
    call_last(tangent, &derivative.name, args);
    Ok(())
}

/// The tangent of a function that no derivative passes through: that of what it overwrites is 0.
fn without_tangent(primal: &Proc, tangent: &mut Proc, function: &str) {
    let own: Vec<Expr> =
        primal.params.iter().filter_map(|param| param.entry).map(|entry| tangent.value_expr(entry)).collect();
    let clears = |kind: &ItemKind| stored_behind(kind).is_some_and(|pointer| !own.contains(pointer));
    retain(tangent, &|kind| stays(kind) || clears(kind));
    call_last(tangent, function, own);
    dead::remove(tangent, dead::Extent::All);
}

/// A call behind everything else, whose result is that of the sweep, if it has one.
fn call_last(proc: &mut Proc, name: &str, args: Vec<Expr>) {
    let value = proc.result.take().map(|_| {
        proc.vars.push(Var::new("result", proc.result_type.clone(), VarKind::Temporary, proc.span));
        let var = VarId::new(proc.vars.len() - 1);
        let def = Def::Result(ItemId::new(proc.items.len()));
        proc.values.push(Value { var, def, region: RegionId::BODY, span: proc.span });
        ValueId::new(proc.values.len() - 1)
    });
    let item = push_item(proc, call(name, args, value));
    proc.regions[RegionId::BODY].items.push(item);
    proc.result = value.map(|value| proc.value_expr(value));
}
