//! The function that runs both sweeps of a head, and what the header says about it.

use super::calls;
use super::unit::Unit;
use crate::check::Watch;
use crate::emit::body::tangents::{taken, tangents_of};
use crate::emit::c::expr::Exprs;
use crate::ir::*;
use crate::names::Names;
use crate::sweep::reverse::written;
use crate::sweeps::{Adjoint, Tangents};

/// A function for the user.
pub(super) struct Wrapper {
    /// Its definition.
    pub(super) text: String,
    /// How it is declared.
    pub(super) signature: String,
    /// Comment and prototype.
    pub(super) document: String,
}

/// `f_b`.
pub(super) fn adjoint(
    unit: &Unit,
    adjoint: &Adjoint,
    head: ProcId,
    checked: Option<(String, &Tangents)>,
    watch: Option<&Watch>,
) -> Wrapper {
    let proc = &unit.program.procs[head];
    let exprs = Exprs { program: unit.program, proc, flat: false };
    let flat = Exprs { flat: true, ..exprs };
    let address = |ty: &Type| match ty {
        Type::Pointer(_) => ty.clone(),
        ty => Type::pointer(ty.clone()),
    };
    let name = adjoint.name(head);
    let sweeps = adjoint.sweeps.iter().find(|sweeps| sweeps.proc == head);
    let roles = sweeps.map_or(&[][..], |sweeps| &sweeps.interface.params);
    let mut locals = Names::of_c();
    let mut params = Vec::new();
    let mut meaning = String::new();
    let primals: Vec<String> = proc.params.iter().map(|param| param.name.clone()).collect();
    primals.iter().for_each(|name| locals.take(name));
    unit.program.c.preprocessed.macros.iter().for_each(|(name, _)| locals.take(name));
    let (mut bars, mut unused) = (Vec::new(), String::new());
    let asked = adjoint.asked.iter().find(|asked| asked.proc == proc.name).expect("a head was asked for");
    for (position, param) in proc.params.iter().enumerate() {
        params.push(param.declaration.replacen('@', &param.name, 1));
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        let used = roles.contains(&ReverseParam::Adjoint(position));
        if !used && !asked.names(&param.name) {
            bars.push(String::new());
            continue;
        }
        let bar = locals.fresh(&format!("{}_b", param.name));
        params.push(match (&param.ty, &adjoint.wide) {
            (ty, Some(wide)) => flat.declare(&wide.ty(&address(ty)), &bar),
            (Type::Pointer(_), None) => written(&param.declaration).replacen('@', &bar, 1),
            (ty, None) => exprs.declare(&address(ty), &bar),
        });
        let how = match &param.ty {
            _ if !used => "left alone, because no derivative flows there",
            Type::Pointer(_) if param.read_only => "added to",
            Type::Pointer(_) => "read where the function writes, then cleared or added to",
            _ => "added to",
        };
        meaning += &format!(" *   {bar}: the adjoint of {}: {how}\n", param.name);
        if !used {
            unused += &format!("    (void){bar};\n");
        }
        bars.push(bar);
    }
    if let Some(wide) = &adjoint.wide {
        let n = wide.directions;
        meaning = format!(" * Each real has {n} adjoints, for {n} directions, one behind the other.\n{meaning}");
    }
    let mut seed = String::new();
    let used = roles.contains(&ReverseParam::Seed);
    if used || (asked.names(&proc.name) && matches!(proc.result_type, Type::Float { .. })) {
        seed = locals.fresh(&name);
        params.push(match (&adjoint.wide, &proc.result_type) {
            (Some(wide), ty @ Type::Float { .. }) => exprs.declare(ty, &format!("{seed}[{}]", wide.directions)),
            (Some(wide), ty) => exprs.declare(&wide.ty(ty), &seed),
            (None, ty) => exprs.declare(ty, &seed),
        });
        if used {
            meaning += &format!(" *   {seed}: the adjoint of the result: read\n");
        } else {
            meaning +=
                &format!(" *   {seed}: the adjoint of the result: left alone, because no derivative flows there\n");
            unused += &format!("    (void){seed};\n");
        }
    }
    if params.is_empty() {
        params.push("void".into());
    }
    let params = params.join(", ");
    let given = adjoint.result_type(head);
    let gives = *given != Type::Void;
    let value = if gives { locals.fresh("value") } else { String::new() };
    // What takes a result, or says that nobody does.
    let takes = |ty: &Type| match ty {
        _ if gives => format!("{} = ", exprs.declare(given, &value)),
        Type::Void => String::new(),
        _ => "(void)".to_owned(),
    };
    let signature = exprs.declare(given, &format!("{name}({params})"));
    let tape = locals.fresh("tape");
    let mut body = unused;
    if let Some(sweeps) = sweeps {
        let reverse = Exprs { program: unit.program, proc: &sweeps.reverse, flat: true };
        let is_struct = matches!(proc.result_type, Type::Struct(_));
        let mut forward_args = vec![tape.clone()];
        forward_args.extend(primals.iter().cloned());
        let mut reverse_args = vec![tape.clone()];
        for (role, param) in sweeps.interface.params.iter().zip(&sweeps.reverse.params) {
            let name = match role {
                ReverseParam::Primal(position) => &primals[*position as usize],
                ReverseParam::Adjoint(position) => &bars[*position as usize],
                ReverseParam::Seed => &seed,
            };
            let converted = match (&param.ty, role) {
                (Type::Pointer(_), ReverseParam::Primal(_) | ReverseParam::Adjoint(_)) => {
                    format!("({}){name}", reverse.ty(&param.ty))
                }
                (Type::Pointer(_), ReverseParam::Seed) if is_struct => format!("&{name}"),
                _ => name.clone(),
            };
            reverse_args.push(converted);
        }
        let ignore = takes(&sweeps.runs_forward().result_type);
        body += &format!("    {} *const {tape} = {};\n", calls::TAPE, calls::SELF);
        if unit.left_out.contains(&head) {
            let is_read = |at: usize| sweeps.interface.params.contains(&ReverseParam::Primal(at as u32));
            let unread = primals.iter().enumerate().filter(|(at, _)| !is_read(*at));
            body.insert_str(0, &unread.map(|(_, name)| format!("    (void){name};\n")).collect::<String>());
        } else {
            body += &format!("    {ignore}{}({});\n", unit.sweep_name(head, Role::Forward), forward_args.join(", "));
        }
        if adjoint.program.procs.iter().flat_map(|proc| &proc.objects).any(|object| object.life == Life::Stable) {
            let begin = calls::heap_begin_reverse(calls::OWN_HEAP);
            body += &format!("    if ({begin} != {}) {{\n", calls::OK);
            body += &format!("        fprintf(stderr, \"%s\\n\", {});\n        abort();\n    }}\n", calls::MESSAGE);
        }
        body += &format!("    {}({});\n", unit.sweep_name(head, Role::Reverse), reverse_args.join(", "));
    } else {
        if checked.is_some() {
            body += &format!("    {}_nothing(\"{}\");\n", unit.witness, proc.name);
        }
        let ignore = takes(&proc.result_type);
        body += &format!("    {ignore}{}({});\n", proc.name, primals.join(", "));
    }
    if gives {
        body += &format!("    return {value};\n");
    }
    let mut text = String::new();
    if let (Some((tangent, tangents)), Some(_)) = (checked, sweeps) {
        let sweeps = format!("{}_sweeps_{}", unit.witness, proc.name);
        let copy = watch.and_then(|watch| Some((unit.sweep_name(head, Role::Primal), watch.head(head)?)));
        let names = crate::check::Names {
            prefix: &unit.witness,
            sweeps: &sweeps,
            tangent: &tangent,
            primal: &proc.name,
            watched: copy,
            tape: &tape,
            gives,
        };
        let global = |program: &Program, id: &GlobalId| program.globals[*id].name.clone();
        let still = |id: &GlobalId| {
            let mut statics = unit.program.statics.iter();
            let inside = statics.any(|declared| !declared.scratch && declared.globals.contains(id));
            inside || unit.program.globals[*id].constant
        };
        let (constants, others): (Vec<_>, Vec<_>) = adjoint
            .global_shadows
            .iter()
            .filter(|(primal, _)| unit.program.wire != Some(**primal))
            .partition(|(primal, _)| still(primal));
        let globals = others.into_iter().filter_map(|(primal, shadow)| {
            let tangent = global(&tangents.program, tangents.global_tangents.get(primal)?);
            let (name, adjoint) = (global(unit.program, primal), global(unit.program, shadow));
            let fields = format!("&{name}, &{adjoint}, &{tangent}, sizeof {name}, 0");
            Some(crate::check::Lasting { name, fields })
        });
        let constants = constants.into_iter().map(|(_, shadow)| global(unit.program, shadow));
        let arguments = crate::check::Arguments {
            adjoints: &bars,
            tangents: taken(unit.program, head, tangents),
            seed: &seed,
            written: adjoint.written.get(&head).map_or(&[], |written| written),
            globals: globals.collect(),
            constants: constants.collect(),
            asked,
        };
        let ty = |ty: &Type, name: &str| exprs.declare(ty, name);
        let checks = crate::check::body(unit.program, proc, &names, &arguments, &ty);
        let declared = exprs.declare(given, &format!("{sweeps}({params})"));
        text = format!("\nstatic {declared} {{\n{body}}}\n");
        body = format!("    {} *const {tape} = {};\n{checks}", calls::TAPE, calls::SELF);
    }
    text += &format!("\n{signature} {{\n{body}}}\n");
    let title =
        format!("The adjoint of {}. Runs it, and computes the adjoints of what it reads from those of\n", proc.name);
    let memory = "Memory that it writes holds old, new or intermediate contents afterwards";
    let memory =
        if adjoint.value { format!("{memory},\n * but for results that the head names") } else { memory.into() };
    let gives = if gives { " * Returns the result.\n" } else { "" };
    let document = format!("\n/* {title} * what it writes. {memory}.\n{gives}{meaning} */\n{signature};\n");
    Wrapper { text, signature, document }
}

/// What the header says about `f_d`.
pub(super) fn tangent(primal: &Proc, tangent: &Proc) -> String {
    let mut meaning = String::new();
    let taken = tangents_of(primal, tangent);
    for (param, with) in primal.params.iter().zip(&taken) {
        if let Some(with) = with {
            let how =
                if param.read_only || !matches!(param.ty, Type::Pointer(_)) { "read" } else { "read and written" };
            meaning += &format!(" *   {}: the tangent of {}: {how}\n", with.name, param.name);
        }
    }
    if let Some(with) = tangent.params.get(taken.len() + taken.iter().flatten().count()) {
        meaning += &format!(" *   {}: the tangent of the result: written\n", with.name);
    }
    let title = format!("The tangent of {}. Runs it, and computes the derivatives of what it writes\n", primal.name);
    format!("\n/* {title} * in the direction of the tangents of what it reads.\n{meaning} */\n")
}
