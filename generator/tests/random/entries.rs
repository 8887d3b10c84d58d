//! What the driver knows of each program: how its functions and the generated ones are called.

use std::fmt::Write;

use crate::ast::*;
use crate::print;
use crate::world::{Object, offsets};

/// The parameters of a function by their names, from its prototype in a header.
pub fn params(header: &str, function: &str) -> Option<Vec<String>> {
    let start = header.lines().find(|line| {
        !line.starts_with([' ', '/'])
            && (line.contains(&format!(" {function}(")) || line.contains(&format!("*{function}(")))
    })?;
    let inside = start.split_once(&format!("{function}("))?.1.strip_suffix(");")?;
    Some(inside.split(", ").map(last_name).collect())
}

/// `y` of `double (*y)[4]`.
fn last_name(declaration: &str) -> String {
    let (mut name, mut word, mut depth) = (String::new(), String::new(), 0);
    for c in declaration.chars().chain([' ']) {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if depth == 0 && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
        } else if !word.is_empty() {
            name = std::mem::take(&mut word);
        }
    }
    name
}

/// The functions that call those of one program; an error names what has no place.
pub fn text(program: &Program, objects: &[Object], seed: u64, headers: (&str, &str)) -> Result<String, String> {
    let (adjoint, tangent) = headers;
    let (name, head) = (&program.head().name, program.head());
    let ret = print::ty(program, &head.ret);
    let keep = if head.ret == Ty::Void { String::new() } else { "r[0] = (double)".into() };
    let mut out = print::outside(program);
    let bytes: Vec<String> = objects.iter().map(|object| offsets(program, object).1.to_string()).collect();
    let _ = writeln!(out, "static const unsigned bytes_{seed}[] = {{{}}};", bytes.join(", "));
    let primals: Vec<String> = head.vars[..head.params].iter().map(|var| var.name.clone()).collect();
    let args = |names: &[String], suffix: &str, last: &str| -> Result<String, String> {
        let mut all = Vec::new();
        for of in names {
            let primal = primals.iter().position(|name| name == of);
            let shadow = primals.iter().position(|name| of.starts_with(&format!("{name}{suffix}")));
            let whole = |k: usize, from: &str| match &head.vars[k].ty {
                Ty::Ptr(of) => match program.roles[k].into {
                    Some((object, at)) => {
                        format!("(void *)({from}[{object}] + {at} * sizeof({}))", print::ty(program, of))
                    }
                    None => format!("(void *){from}[{k}]"),
                },
                ty => format!("*({}){from}[{k}]", print::ty(program, &Ty::ptr(ty.clone()))),
            };
            all.push(match (primal, shadow) {
                _ if of.starts_with("tape") && primal.is_none() => "tape".into(),
                (Some(k), _) => whole(k, "o"),
                (_, Some(k)) if suffix == "_d" => whole(k, "s"),
                (_, Some(k)) if matches!(head.vars[k].ty, Ty::Ptr(_)) => whole(k, "s"),
                (_, Some(k)) => format!("(void *)s[{k}]"),
                _ if of.starts_with(name.as_str()) => last.to_string(),
                _ => return Err(format!("the parameter {of} has no place")),
            });
        }
        Ok(all.join(", "))
    };
    let primal = args(&primals, "_b", "")?;
    let _ = writeln!(out, "static void primal_{seed}(char **o, double *r) {{ (void)r; {keep}{name}({primal}); }}");
    let names = params(tangent, &format!("{name}_d")).ok_or("no prototype of the tangent")?;
    let call = args(&names, "_d", "&rd")?;
    let rd = if program.result { format!("{ret} rd = 0; ") } else { String::new() };
    let end = if program.result { " r[1] = (double)rd;" } else { "" };
    let _ = writeln!(
        out,
        "static void tangent_{seed}(char **o, char **s, double *r) {{ (void)r; (void)s; {rd}{keep}{name}_d({call});{end} }}"
    );
    let names = params(adjoint, &format!("{name}_b")).ok_or("no prototype of the adjoint")?;
    let seed_of = if program.result { format!("({ret})seed") } else { String::new() };
    let call = args(&names, "_b", &seed_of)?;
    let opening = "(char **o, char **s, double seed, double *r) { (void)r; (void)s; (void)seed;";
    let _ = writeln!(out, "static void adjoint_{seed}{opening} {name}_b({call}); }}");
    let sweeps = (params(adjoint, &format!("{name}_fwd")), params(adjoint, &format!("{name}_rev")));
    let split = match sweeps {
        (Some(forward), Some(reverse)) => {
            let (forward, reverse) = (args(&forward, "_b", "")?, args(&reverse, "_b", &seed_of)?);
            let _ = writeln!(
                out,
                "static void split_{seed}{opening} adtape_t *tape = adtape_self(); {keep}{name}_fwd({forward}); \
                 between(); {name}_rev({reverse}); }}"
            );
            format!("split_{seed}")
        }
        _ => "NULL".into(),
    };
    let _ = writeln!(
        out,
        "#define ENTRY_{seed} {{{}, bytes_{seed}, primal_{seed}, tangent_{seed}, adjoint_{seed}, {split}}},",
        objects.len()
    );
    Ok(out)
}
