//! What a head does in a check: it registers its arguments, tries the call, makes it, and says how it ended.

use crate::flow::{Head, walk};
use crate::ir::*;

/// Names that the text may use.
pub struct Names<'a> {
    /// With which the names of the run-time begin.
    pub prefix: &'a str,
    /// The function that runs both sweeps, with the parameters of the adjoint.
    pub sweeps: &'a str,
    /// The tangent.
    pub tangent: &'a str,
    /// The function itself.
    pub primal: &'a str,
    /// The copy that is watched, and the number of its call.
    pub watched: Option<(String, usize)>,
    /// The tape.
    pub tape: &'a str,
    /// Whether the head's function and that of both sweeps return the result.
    pub gives: bool,
}

/// A variable with static storage.
pub struct Lasting {
    /// Its name.
    pub name: String,
    /// Its address, those of its adjoint and of its tangent, its size, and whether it counts as an argument, as C text.
    pub fields: String,
}

/// The arguments of a head.
pub struct Arguments<'a> {
    /// Names of the adjoints; empty for what has none.
    pub adjoints: &'a [String],
    /// Which parameters the tangent takes a tangent of. Others than have an adjoint, where calls of small functions are
    /// written out in only one of the two programs.
    pub tangents: Vec<bool>,
    /// Name of the adjoint of the result; empty without.
    pub seed: &'a str,
    /// Which pointers the procedure writes through.
    pub written: &'a [bool],
    /// Variables with static storage that have an adjoint.
    pub globals: Vec<Lasting>,
    /// Adjoints of constants, whose contents nobody changes.
    pub constants: Vec<String>,
    /// How the head was asked for.
    pub asked: &'a Head,
}

/// The body of `f_b`. `ty` spells types.
pub fn body(
    program: &Program,
    proc: &Proc,
    names: &Names,
    args: &Arguments,
    ty: &dyn Fn(&Type, &str) -> String,
) -> String {
    let Names { prefix, sweeps, tangent, primal, watched, tape, gives } = names;
    let head = format!("{prefix}_this");
    let mut text = format!("    static {prefix}_head {head};\n    {head}.head = \"{}\";\n", proc.name);
    if has_single(program) {
        text += &format!("    {head}.has_single = 1;\n");
    }
    let (known, behind) = registration(program, proc, prefix, &head, args);
    text += &known;
    text += &format!("    int {prefix}_run = {prefix}_learn(&{head}, __builtin_frame_address(0));\n");
    text +=
        &format!("    if ({prefix}_run == 0) {{\n{behind}        {prefix}_run = {prefix}_trial(&{head});\n    }}\n");
    text += &format!("    if ({prefix}_run != 0) {{\n");
    let (mut own, mut reverse, mut forward, mut moved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut terms = String::new();
    for (k, param) in proc.params.iter().enumerate() {
        let (name, bar) = (&param.name, &args.adjoints[k]);
        own.push(name.clone());
        reverse.push(name.clone());
        forward.push(name.clone());
        moved.push(name.clone());
        let trial = format!("{prefix}_{name}_b");
        if bar.is_empty() {
            if args.tangents[k] {
                text += &format!("        {};\n        memset(&{trial}, 0, sizeof {trial});\n", ty(&param.ty, &trial));
                forward.push(trial);
            }
            continue;
        }
        own.push(bar.clone());
        let along = match &param.ty {
            Type::Pointer(_) => {
                reverse.push(bar.clone());
                format!("{prefix}_along(&{head}, {bar})")
            }
            Type::Float { .. } => {
                text += &format!("        {} = 0;\n", ty(&param.ty, &trial));
                reverse.push(format!("&{trial}"));
                if args.asked.independents.contains(name) {
                    let direction = format!("{prefix}_direction({k}, {name})");
                    terms += &format!("            {prefix}_adjoint({k}, {name}, {trial});\n");
                    let at = moved.len() - 1;
                    moved[at] = format!("({})({name} + {prefix}_shift({k}, {name}))", ty(&param.ty, ""));
                    format!("({}){direction}", ty(&param.ty, ""))
                } else {
                    "0".into()
                }
            }
            _ => {
                text += &format!("        {};\n        memset(&{trial}, 0, sizeof {trial});\n", ty(&param.ty, &trial));
                if let Type::Struct(id) = param.ty {
                    text += &pointers(program, id, &format!("{trial}."), &format!("{bar}->"));
                }
                reverse.push(format!("&{trial}"));
                trial
            }
        };
        if args.tangents[k] {
            forward.push(along);
        }
    }
    let mut primal = format!("{primal}({});", moved.join(", "));
    let mut result = String::new();
    if !args.seed.is_empty() {
        own.push(args.seed.into());
        let trial = format!("{prefix}_{}_d", proc.name);
        if let Type::Float { .. } = proc.result_type {
            text += &format!("        {} = 0;\n", ty(&proc.result_type, &trial));
            let real = ty(&proc.result_type, "");
            reverse.push(format!("{prefix}_run == 2 ? ({real}){prefix}_weight() : {}", args.seed));
            result = format!("            {prefix}_tangent({trial});\n");
            primal = format!("{prefix}_result({}", primal.replace(");", "));"));
        } else {
            text += &format!("        {};\n", ty(&proc.result_type, &trial));
            text += &format!("        memset(&{trial}, 0, sizeof {trial});\n");
            reverse.push(trial.clone());
        }
        forward.push(format!("&{trial}"));
    }
    if result.is_empty() && proc.result_type != Type::Void {
        primal = format!("(void){primal}");
    }
    text += &format!("        if ({prefix}_run <= 2) {{\n            {sweeps}({});\n{terms}", reverse.join(", "));
    let ignore = if proc.result_type == Type::Void { "" } else { "(void)" };
    text +=
        &format!("        }} else if ({prefix}_run == 3) {{\n            {ignore}{tangent}({});\n", forward.join(", "));
    text += &result;
    if let Some((copy, call)) = watched {
        let own = proc.params.iter().map(|param| param.name.as_str()).collect::<Vec<_>>().join(", ");
        let run = format!("            {prefix}_calls({call});\n            {ignore}{copy}({own});\n");
        text += &format!("        }} else if ({prefix}_run == 16) {{\n{run}");
    }
    text += &format!("        }} else {{\n            {primal}\n        }}\n");
    let value = format!("{prefix}_value");
    let kept = if *gives { format!("{} = ", ty(&proc.result_type, &value)) } else { String::new() };
    text += &format!("        {prefix}_answer();\n    }}\n    {kept}{sweeps}({});\n", own.join(", "));
    text += &format!("    {prefix}_end(&{head}, {tape});\n");
    if *gives { text + &format!("    return {value};\n") } else { text }
}

/// Whether some value of the program is a float: adjoint and tangent round it otherwise.
fn has_single(program: &Program) -> bool {
    let is_single = |ty: &Type| matches!(ty, Type::Float { bits: 32, .. });
    let in_expression = |proc: &Proc, item: &Item| {
        let mut found = false;
        let of_item = walk::of_item(proc, item);
        of_item.into_iter().for_each(|e| walk::expr(e, &mut |part| found |= is_single(&part.ty)));
        found
    };
    program.procs.iter().any(|proc| {
        proc.vars.iter().any(|var| is_single(&var.ty)) || proc.items.iter().any(|item| in_expression(proc, item))
    })
}

/// The memory that belongs to each argument: what its own value tells, and what lies behind pointers in memory, of
/// which only those are read that the sweeps have read.
fn registration(program: &Program, proc: &Proc, prefix: &str, head: &str, args: &Arguments) -> (String, String) {
    let (mut text, mut behind) = (String::new(), String::new());
    let flags = |name: &String| {
        let has = |list: &[String]| i32::from(list.contains(name));
        format!("{}, {}", has(&args.asked.independents), has(&args.asked.dependents))
    };
    let add = |name: &str, block: &str| format!("{prefix}_add(&{head}, ({prefix}_block){{\"{name}\", {block}}});");
    // What lies behind pointers to pointers and in memory of no type has no block of its own, and may be taken for
    // another's.
    let is_vague = |ty: &Type| matches!(ty, Type::Pointer(to) if matches!(**to, Type::Void | Type::Pointer(_)));
    let vague = proc.params.iter().any(|param| is_vague(&param.ty));
    for (k, param) in proc.params.iter().enumerate() {
        let (name, bar) = (&param.name, &args.adjoints[k]);
        if let (Type::Struct(id), false) = (&param.ty, bar.is_empty()) {
            let at = (format!("{name}."), format!("{bar}->"));
            let behind_pointers = Behind { program, prefix, flags: &|_| flags(name), add: &add };
            let inside = behind_pointers.members(*id, at, 2, true);
            behind += &if inside.is_empty() {
                inside
            } else {
                format!("        if ({bar} != NULL) {{\n{inside}        }}\n")
            };
        }
        let Type::Pointer(target) = &param.ty else { continue };
        let bars = if bar.is_empty() { "NULL, NULL".into() } else { format!("{bar}, {bar}") };
        let written = i32::from(vague || args.written.get(k).copied().unwrap_or(true));
        if !matches!(**target, Type::Opaque(_) | Type::Pointer(_)) {
            let block = format!("{name}, {bars}, 0, 1, {written}, {}", flags(name));
            text += &format!("    {}\n", add(name, &block));
        }
        if let (Type::Struct(id), false) = (&**target, bar.is_empty()) {
            let guard = format!("        if ({name} != NULL && {bar} != NULL) {{\n");
            let flags = |member: &String| {
                if args.asked.independents.iter().chain(&args.asked.dependents).any(|a| a == name) {
                    flags(name)
                } else {
                    flags(member)
                }
            };
            let at = (format!("{name}->"), format!("{bar}->"));
            let inside = Behind { program, prefix, flags: &flags, add: &add }.members(*id, at, 2, false);
            behind += &if inside.is_empty() { inside } else { format!("{guard}{inside}        }}\n") };
        }
    }
    for Lasting { name, fields } in &args.globals {
        text += &format!("    {}\n", add(name, &format!("{fields}, 1, {}", flags(name))));
    }
    for adjoint in &args.constants {
        let block = format!("NULL, &{adjoint}, NULL, sizeof {adjoint}, 0, 0, 0, 0");
        text += &format!("    {}\n", add(adjoint, &block));
    }
    (text, behind)
}

/// Statements that set the pointers in a struct to those in another one.
fn pointers(program: &Program, id: StructId, to: &str, from: &str) -> String {
    let mut text = String::new();
    for Field { name, ty, .. } in &program.types.structs[id].fields {
        match ty {
            Type::Struct(inner) => {
                text += &pointers(program, *inner, &format!("{to}{name}."), &format!("{from}{name}."))
            }
            Type::Pointer(_) => {
                text += &format!("        memcpy((void *)&{to}{name}, &{from}{name}, sizeof {to}{name});\n");
            }
            _ => {}
        }
    }
    text
}

/// Writes what registers memory behind the pointers in structs.
struct Behind<'a> {
    program: &'a Program,
    prefix: &'a str,
    flags: &'a dyn Fn(&String) -> String,
    add: &'a dyn Fn(&str, &str) -> String,
}

impl Behind<'_> {
    /// The members of a struct; `at` is how they are named, in the primal and in the adjoint. A pointer is read where
    /// the sweeps have read it at this place, or where the struct is passed by value: trials then work on copies.
    fn members(&self, id: StructId, at: (String, String), depth: u32, is_copy: bool) -> String {
        let mut text = String::new();
        for field in &self.program.types.structs[id].fields {
            let (primal, adjoint) = (format!("{}{}", at.0, field.name), format!("{}{}", at.1, field.name));
            match &field.ty {
                Type::Struct(inner) => {
                    let at = (format!("{primal}."), format!("{adjoint}."));
                    text += &self.members(*inner, at, depth, is_copy);
                }
                Type::Pointer(target) if matches!(**target, Type::Float { .. } | Type::Struct(_) | Type::Array(_)) => {
                    let flags = (self.flags)(&primal);
                    let block = format!("{primal}, (void *){adjoint}, (void *){adjoint}, 0, 0, 1, {flags}");
                    let is_there = |place: &str| {
                        if is_copy {
                            format!("{place} != NULL")
                        } else {
                            format!("{}_follows(&{place}) && {place} != NULL", self.prefix)
                        }
                    };
                    let both = format!("{} && {}", is_there(&primal), is_there(&adjoint));
                    text += &format!("            if ({both}) {{\n");
                    text += &format!("                {}\n", (self.add)(&primal, &block));
                    if let (Type::Struct(inner), true) = (&**target, depth > 0) {
                        let at = (format!("{primal}->"), format!("{adjoint}->"));
                        text += &self.members(*inner, at, depth - 1, false);
                    }
                    text += "            }\n";
                }
                _ => {}
            }
        }
        text
    }
}
