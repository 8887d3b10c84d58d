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
        call_function(forward, &rule);
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

/// The function itself, behind what its forward sweep pushes; nothing, where nobody wants what it does, and it has no
/// state.
fn call_function(forward: &mut Proc, rule: &Rule) {
    let stores = |item: &ItemId| matches!(forward.items[*item].kind, ItemKind::Store { .. });
    // What the call overwrites. The body's own numbers may be on the tape, too.
    let pushes = |item: &ItemId| {
        let ItemKind::Sweep(SweepItem::Push { what }) = &forward.items[*item].kind else { return false };
        matches!(what, Pushed::Elements { .. }) || matches!(what, Pushed::Value(value) if walk::loads(value))
    };
    let is_kept = forward.regions.iter().flat_map(|region| &region.items).any(pushes);
    let function = match &rule.keeps {
        Some((keeping, ..)) if is_kept => keeping,
        _ => &rule.function,
    };
    let is_wanted = !rule.repeats
        || forward.result.is_some()
        || forward.regions.iter().flat_map(|region| &region.items).any(stores);
    if rule.opaque {
        forward.regions.iter_mut().for_each(|region| region.items.clear());
    }
    retain(forward, &stays);
    if is_wanted {
        let own = forward.params.len() - rule.extra;
        let entries = forward.params[..own].iter().filter_map(|param| param.entry);
        let args = entries.map(|entry| forward.value_expr(entry)).collect();
        call_last(forward, function, args);
    }
    dead::remove(forward, dead::Extent::All);
}

/// The adjoint of a pointer into a block of the stable heap, if the reverse sweep asks for it.
fn in_block(reverse: &Proc, pointer: &Expr) -> Option<Expr> {
    let mut found = None;
    adjoints_in_blocks(reverse, &mut |adjoint, of| {
        if of == pointer {
            found = Some(adjoint.clone());
        }
    });
    found
}

/// Whether all adjoints behind pointers that a reverse sweep adds to are those of parameters, or behind these.
fn adds_to_known(reverse: &Proc, adjoints: &[Option<Expr>]) -> bool {
    let is_known = |pointer: &Expr| adjoints.iter().flatten().any(|adjoint| adjoint == pointer);
    let leads = |to: &Place| match &to.base {
        Base::Object(_) | Base::Global(_) => true,
        Base::At(pointer) => match &pointer.kind {
            // In a block, the pointer of a parameter or one behind it.
            ExprKind::Unary(Unary::Adjoint, _) => true,
            ExprKind::Load(place) => is_known(place.base.pointer().unwrap_or(pointer)),
            _ => is_known(pointer),
        },
    };
    let mut items = reverse.regions.iter().flat_map(|region| &region.items);
    items.all(|item| {
        let ItemKind::Sweep(SweepItem::Accumulate { to, .. }) = &reverse.items[*item].kind else { return true };
        leads(to)
    })
}

/// Whether the reverse sweep asks for adjoints of pointers in an array that lead to blocks of the stable heap.
fn leads_to_blocks(reverse: &Proc, array: &Expr) -> bool {
    let mut found = false;
    adjoints_in_blocks(reverse, &mut |_, of| {
        found |= matches!(&of.kind, ExprKind::Load(place) if place.base.pointer() == Some(array));
    });
    found
}

/// The adjoints in blocks of the stable heap that a reverse sweep asks for, and the pointers that these are of.
fn adjoints_in_blocks(reverse: &Proc, see: &mut dyn FnMut(&Expr, &Expr)) {
    for item in reverse.regions.iter().flat_map(|region| &region.items) {
        walk::expressions_of_item(reverse, *item, &mut |part| {
            if let ExprKind::Unary(Unary::Adjoint, of) = &part.kind {
                see(part, of);
            }
        });
    }
}

/// What a reverse sweep has for the derivative that it calls.
struct Known {
    /// By parameter of the procedure, its adjoint.
    adjoints: Vec<Option<Expr>>,
    /// The adjoint of the result.
    seed: Option<Expr>,
    /// The number of pointers and these, if they lead to blocks of the stable heap.
    in_blocks: Option<Vec<Expr>>,
    /// What the derivative brings back.
    kept: Option<Expr>,
}

impl Known {
    fn new(primal: &Proc, reverse: &Proc, params: &[ReverseParam], rule: &Rule) -> Known {
        let of = |role: ReverseParam| {
            let entry = params.iter().position(|param| *param == role).and_then(|at| reverse.params[at].entry);
            entry.map(|entry| reverse.value_expr(entry))
        };
        let found = |k: u32| {
            let in_block = || in_block(reverse, &of(ReverseParam::Primal(k))?);
            of(ReverseParam::Adjoint(k)).or_else(in_block)
        };
        let in_blocks = rule.reverse.as_ref().and_then(|derivative| {
            let (_, positions) = derivative.in_blocks.as_ref()?;
            let args = positions.map(|k| of(ReverseParam::Primal(k as u32)));
            let [Some(count), Some(at)] = args else { return None };
            leads_to_blocks(reverse, &at).then_some(vec![count, at])
        });
        let is_pop = |item: &ItemId| {
            let kind = &reverse.items[*item].kind;
            matches!(kind, ItemKind::Sweep(SweepItem::Pop { what: Popped::Memory(_) | Popped::Elements { .. } }))
        };
        let pops = reverse.regions.iter().flat_map(|region| &region.items).any(is_pop);
        let kept = rule.keeps.as_ref().filter(|_| pops);
        Known {
            adjoints: (0..primal.params.len() as u32).map(found).collect(),
            seed: of(ReverseParam::Seed),
            in_blocks,
            kept: kept.and_then(|(_, _, position)| of(ReverseParam::Primal(*position as u32))),
        }
    }

    /// Refuses adjoints that the derivative does not take, and those that it cannot get.
    fn check(&self, primal: &Proc, reverse: &Proc, rule: &Rule) -> Result<(), Refusal> {
        let refuse = |what, help| Err(Refusal { class: Class::NoSource, span: primal.span, what, help });
        let Some(derivative) = &rule.reverse else { return Ok(()) };
        let is_left_out =
            |(k, adjoint): (usize, &Option<Expr>)| adjoint.is_some() && !derivative.behind[k] && rule.reads[k];
        if let Some(k) = self.adjoints.iter().enumerate().position(is_left_out) {
            let (name, derivative) = (&primal.params[k].name, &derivative.name);
            return refuse(
                format!(
                    "'{name}' of '{}' depends on the inputs here, and '{derivative}' has no adjoint for it",
                    primal.name
                ),
                format!("give '{derivative}' a parameter '{name}_b' behind '{name}'"),
            );
        }
        if !adds_to_known(reverse, &self.adjoints) {
            return refuse(
                format!("'{}' cannot be told where the adjoints are that its reverse sweep has", derivative.name),
                "keep what the function gets in arrays and variables, without pointers in memory that lead to it"
                    .into(),
            );
        }
        Ok(())
    }

    /// The call of the derivative, for a call of the procedure with these arguments.
    fn call(&self, primal: &Proc, rule: &Rule, derivative: &Derivative, args: &[Expr]) -> ItemKind {
        if let (Some(args), Some((name, _))) = (&self.in_blocks, &derivative.in_blocks) {
            return call(name, args.clone(), None);
        }
        let unwanted = Expr { kind: ExprKind::Null, ty: Type::pointer(Type::double()) };
        let adjoint = |k: usize| self.adjoints[k].clone().unwrap_or_else(|| unwanted.clone());
        let mut all = Vec::new();
        all.extend(self.kept.clone());
        match &derivative.alone {
            Some(positions) => all.extend(positions.iter().map(|k| adjoint(*k))),
            None => {
                for (k, arg) in args.iter().enumerate() {
                    all.push(arg.clone());
                    all.extend(derivative.behind[k].then(|| adjoint(k)));
                }
            }
        }
        if derivative.result {
            all.push(self.seed.clone().unwrap_or_else(|| zero(&primal.result_type)));
        }
        match (&rule.keeps, &self.kept) {
            (Some((_, bringing_back, _)), Some(_)) => call(bringing_back, all, None),
            _ => call(&derivative.name, all, None),
        }
    }
}

/// The derivative in place of what the reverse sweep computes.
fn call_derivative(primal: &Proc, reverse: &mut Proc, params: &[ReverseParam], rule: &Rule) -> Result<(), Refusal> {
    let known = Known::new(primal, reverse, params, rule);
    known.check(primal, reverse, rule)?;
    let is_call =
        |item: &ItemId| matches!(&reverse.items[*item].kind, ItemKind::Given { needs, .. } if needs.is_empty());
    let place = reverse.regions[RegionId::BODY].items.iter().copied().find(is_call);
    if let (Some(item), Some(derivative)) = (place, &rule.reverse) {
        let ItemKind::Given { args, .. } = &reverse.items[item].kind else { return Ok(()) };
        reverse.items[item].kind = known.call(primal, rule, derivative, args);
        if rule.opaque {
            reverse.regions.iter_mut().for_each(|region| region.items.clear());
            reverse.regions[RegionId::BODY].items.push(item);
            return Ok(());
        }
    }
    // What is overwritten has an adjoint of 0 in front of the call, whoever knows of it.
    let follows = |k: usize| rule.reverse.as_ref().is_some_and(|derivative| derivative.behind[k]);
    let unknown = known.adjoints.iter().enumerate().filter(|(k, _)| !follows(*k));
    let unknown: Vec<&Expr> = unknown.filter_map(|(_, adjoint)| adjoint.as_ref()).collect();
    let clears = |kind: &ItemKind| stored_behind(kind).is_some_and(|pointer| unknown.contains(&pointer));
    let is_derivative = |kind: &ItemKind| matches!(kind, ItemKind::Call { .. });
    retain(reverse, &|kind| stays(kind) || clears(kind) || is_derivative(kind));
    if dead::remove(reverse, dead::Extent::All).is_empty() {
        return Ok(());
    }
    Err(Refusal {
        class: Class::NoSource,
        span: primal.span,
        what: format!("internal: the sweeps of '{}' store what only its body computes", primal.name),
        help: "please report this program".into(),
    })
}

/// The tangent of a procedure with a rule: a call of the one that is given. A check does without one.
pub(super) fn tangent(primal: &Proc, tangent: &mut Proc, rule: &Rule, checks: bool) -> Result<(), Refusal> {
    if rule.reverse.is_none() {
        without_tangent(primal, tangent, &rule.function);
        return Ok(());
    }
    let Some(derivative) = &rule.tangent else {
        if checks {
            let ends = push_item(tangent, call(NO_TANGENT, Vec::new(), None));
            let own = primal.params.iter().take(primal.params.len() - rule.extra);
            let own = own.filter_map(|param| param.entry).map(|entry| tangent.value_expr(entry)).collect();
            tangent.regions[RegionId::BODY].items = vec![ends];
            call_last(tangent, &rule.function, own);
            return Ok(());
        }
        return Err(Refusal {
            class: Class::NoSource,
            span: primal.span,
            what: format!("'{}' has a rule and no tangent", primal.name),
            help: match rule.header {
                Some(_) => "use other calls, and datatypes of MPI's own, or the adjoint alone".into(),
                None => format!("declare '{}_d' beside its rule", primal.name),
            },
        });
    };
    let mut params = tangent.params.iter().peekable();
    let mut args = Vec::new();
    let own = primal.params.len() - rule.extra;
    for (k, param) in primal.params.iter().take(own).enumerate() {
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
        let nothing = Expr { kind: ExprKind::Null, ty: Type::pointer(primal.result_type.clone()) };
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

/// Whether the tangents of a program would find other sizes of messages than the program does: a message brings each value
/// with its tangent.
pub(super) fn counts_messages(program: &Program) -> Option<Refusal> {
    let has_messages = program.wire.is_some();
    let counts = |item: &&Item| {
        let ItemKind::Call { callee: Callee::External { function, .. }, .. } = &item.kind else { return false };
        matches!(function.name(), "MPI_Get_count" | "MPI_Get_elements" | "MPI_Probe" | "MPI_Iprobe")
    };
    let found = program.procs.iter().flat_map(|proc| proc.items.iter()).find(counts).filter(|_| has_messages)?;
    Some(Refusal {
        class: Class::NoSource,
        span: found.span,
        what: "the size of a message is asked for here, and in the tangent it brings tangents, too".into(),
        help: "send the number of elements in a message of its own".into(),
    })
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
