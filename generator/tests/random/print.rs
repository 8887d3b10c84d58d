//! A program as C text.

use std::fmt::Write;

use crate::ast::*;

/// The source file of a program.
pub fn program(program: &Program) -> String {
    let mut out = String::from("#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for of in &program.structs {
        let _ = writeln!(out, "struct {} {{", of.name);
        for (name, ty) in &of.fields {
            let _ = writeln!(out, "    {};", declarator(program, ty, name));
        }
        out += "};\n";
    }
    for global in &program.globals {
        let var = &global.var;
        let text = declarator(program, &var.ty, &var.name);
        let values: Vec<String> = global.init.iter().map(|v| format!("{v:?}")).collect();
        let values = match var.ty {
            Ty::Array(..) => format!("{{{}}}", values.join(", ")),
            _ => values.join(""),
        };
        let (storage, constant) =
            (if var.is_static { "static " } else { "" }, if var.constant { "const " } else { "" });
        let _ = writeln!(out, "{storage}{constant}{text} = {values};");
    }
    for proc in &program.procs {
        let _ = writeln!(out, "{};", signature(program, proc));
    }
    program.procs.iter().filter(|proc| !proc.is_outside).for_each(|proc| define(program, proc, &mut out));
    out
}

/// What other files define.
pub fn outside(program: &Program) -> String {
    let mut out = String::new();
    program.procs.iter().filter(|proc| proc.is_outside).for_each(|proc| define(program, proc, &mut out));
    out
}

fn define(program: &Program, proc: &Proc, out: &mut String) {
    let printer = Printer { program, proc };
    let _ = writeln!(out, "\n{}\n{{", signature(program, proc));
    printer.list(&proc.body, 1, out);
    *out += "}\n";
}

/// `f(f x)/(x)`
pub fn head(program: &Program) -> String {
    let names = |which: &dyn Fn(&Role) -> bool| {
        let all = program.roles.iter().zip(&program.head().vars);
        all.filter(|(role, _)| which(role)).map(|(_, var)| var.name.clone()).collect::<Vec<_>>()
    };
    let mut dependents = names(&|role| role.dependent);
    if program.result {
        dependents.insert(0, program.head().name.clone());
    }
    format!("{}({})/({})", program.head().name, dependents.join(" "), names(&|role| role.independent).join(" "))
}

/// A function beside the head that has a derivative, as a head of its own.
pub fn second_head(program: &Program) -> Option<String> {
    let is_real = |ty: &Ty| ty.real() || matches!(ty, Ty::Ptr(of) if of.real());
    let reals = |proc: &Proc| -> Vec<String> {
        proc.vars[..proc.params].iter().filter(|var| is_real(&var.ty)).map(|var| var.name.clone()).collect()
    };
    let others = &program.procs[..program.procs.len() - 1];
    let can_be = |proc: &&Proc| !proc.is_static && !proc.is_outside && proc.ret.real() && !reals(proc).is_empty();
    let proc = others.iter().find(can_be)?;
    Some(format!("{0}({0})/({1})", proc.name, reals(proc).join(" ")))
}

fn signature(program: &Program, proc: &Proc) -> String {
    let params: Vec<String> = proc.vars[..proc.params]
        .iter()
        .map(|var| {
            let constant = if var.constant { "const " } else { "" };
            match &var.ty {
                Ty::Ptr(of) if matches!(**of, Ty::Array(..)) => {
                    format!("{constant}{}", declarator(program, of, &format!("(*{})", var.name)))
                }
                ty => format!("{constant}{}", declarator(program, ty, &var.name)),
            }
        })
        .collect();
    let storage = if proc.is_static { "static " } else { "" };
    if proc.is_outside {
        return format!("void {}(const char *text)", proc.name);
    }
    let params = if params.is_empty() { "void".into() } else { params.join(", ") };
    format!("{storage}{}", declarator(program, &proc.ret, &format!("{}({params})", proc.name)))
}

pub fn int(ty: Int) -> &'static str {
    match ty {
        Int::I8 => "signed char",
        Int::U8 => "unsigned char",
        Int::I16 => "short",
        Int::U16 => "unsigned short",
        Int::I32 => "int",
        Int::U32 => "unsigned",
        Int::I64 => "long",
        Int::U64 => "size_t",
    }
}

/// A type without a name.
pub fn ty(program: &Program, of: &Ty) -> String {
    declarator(program, of, "").trim_end().to_string()
}

pub fn declarator(program: &Program, of: &Ty, name: &str) -> String {
    match of {
        Ty::Void => format!("void {name}"),
        Ty::Int(of) => format!("{} {name}", int(*of)),
        Ty::F32 => format!("float {name}"),
        Ty::F64 => format!("double {name}"),
        Ty::Struct(of) => format!("struct {} {name}", program.structs[*of].name),
        Ty::Ptr(of) if matches!(**of, Ty::Array(..)) => declarator(program, of, &format!("(*{name})")),
        Ty::Ptr(of) => declarator(program, of, &format!("*{name}")),
        Ty::Array(of, extent) => declarator(program, of, &format!("{name}[{extent}]")),
    }
}

struct Printer<'a> {
    program: &'a Program,
    proc: &'a Proc,
}

impl Printer<'_> {
    fn list(&self, list: &[Stmt], depth: usize, out: &mut String) {
        for stmt in list {
            self.stmt(stmt, depth, out);
        }
    }

    fn body(&self, list: &[Stmt], depth: usize, out: &mut String) {
        *out += "{\n";
        self.list(list, depth + 1, out);
        *out += &"    ".repeat(depth);
        *out += "}";
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        if *stmt == Stmt::Label {
            *out += "done:;\n";
            return;
        }
        *out += &pad;
        match stmt {
            Stmt::If(on, then, other) => {
                let _ = write!(out, "if ({}) ", self.bare(on));
                self.body(then, depth, out);
                if !other.is_empty() {
                    *out += " else ";
                    self.body(other, depth, out);
                }
            }
            Stmt::For(init, cond, step, body) => {
                let list = |of: &[Stmt]| of.iter().map(|stmt| self.simple(stmt)).collect::<Vec<_>>().join(", ");
                let _ = write!(out, "for ({}; {}; {}) ", list(init), self.bare(cond), list(step));
                self.body(body, depth, out);
            }
            Stmt::While(cond, body) => {
                let _ = write!(out, "while ({}) ", self.bare(cond));
                self.body(body, depth, out);
            }
            Stmt::DoWhile(body, cond) => {
                *out += "do ";
                self.body(body, depth, out);
                let _ = write!(out, " while ({});", self.bare(cond));
            }
            Stmt::Switch(on, cases, default) => {
                let _ = writeln!(out, "switch ({}) {{", self.bare(on));
                for (labels, body, falls) in cases {
                    for label in labels {
                        let _ = writeln!(out, "{pad}case {label}:");
                    }
                    self.list(body, depth + 1, out);
                    if !falls {
                        let _ = writeln!(out, "{pad}    break;");
                    }
                }
                let _ = writeln!(out, "{pad}default:");
                self.list(default, depth + 1, out);
                let _ = writeln!(out, "{pad}    break;");
                let _ = write!(out, "{pad}}}");
            }
            Stmt::Heap(var, count, zeroed, body) => {
                let var = &self.proc.vars[*var];
                let Ty::Ptr(of) = &var.ty else { panic!("a block for no pointer") };
                let size = format!("sizeof({})", ty(self.program, of));
                let count = self.expr(count);
                let call = if *zeroed {
                    format!("calloc((size_t){count}, {size})")
                } else {
                    format!("malloc((size_t){count} * {size})")
                };
                let _ = writeln!(out, "{{\n{pad}    {} = {call};", declarator(self.program, &var.ty, &var.name));
                self.list(body, depth + 1, out);
                let _ = write!(out, "{pad}    free({});\n{pad}}}", var.name);
            }
            Stmt::Block(body) => self.body(body, depth, out),
            _ => {
                *out += &self.simple(stmt);
                *out += ";";
            }
        }
        *out += "\n";
    }

    /// A statement without its semicolon.
    fn simple(&self, stmt: &Stmt) -> String {
        let assign = |op: &Option<Bin>| op.map_or("=".to_string(), |op| format!("{}=", op.text()));
        match stmt {
            Stmt::Decl(var, init, extent) => {
                let var = &self.proc.vars[*var];
                let mut text = declarator(self.program, &var.ty, &var.name);
                if let Some(extent) = extent {
                    text = text.replace(&format!("[{VARIABLE}]"), &format!("[{}]", self.bare(extent)));
                }
                let storage = if var.is_static { "static " } else { "" };
                let constant = if var.constant { "const " } else { "" };
                match init {
                    Init::None => format!("{storage}{constant}{text}"),
                    Init::One(expr) => format!("{storage}{constant}{text} = {}", self.bare(expr)),
                    Init::List(list) => {
                        let list: Vec<String> = list.iter().map(|expr| self.bare(expr)).collect();
                        format!("{storage}{constant}{text} = {{{}}}", list.join(", "))
                    }
                }
            }
            Stmt::Assign(to, op, from) => format!("{} {} {}", self.lv(to), assign(op), self.bare(from)),
            Stmt::Chain(a, b, from) => format!("{} = {} = {}", self.lv(a), self.lv(b), self.bare(from)),
            Stmt::March(p, delta, op, from) => {
                format!("*{} {} {}", self.bump(p, *delta), assign(op), self.bare(from))
            }
            Stmt::Take(to, op, p, delta) => format!("{} {} *{}", self.lv(to), assign(op), self.bump(p, *delta)),
            Stmt::Eval(expr) => self.bare(expr),
            Stmt::Tell(proc) => format!("{}(\"told\")", self.program.procs[*proc].name),
            Stmt::Break => "break".into(),
            Stmt::Continue => "continue".into(),
            Stmt::Goto => "goto done".into(),
            Stmt::Return(None) => "return".into(),
            Stmt::Return(Some(expr)) => format!("return {}", self.bare(expr)),
            Stmt::Copy(to, from, count, of, moving) => {
                let name = if *moving { "memmove" } else { "memcpy" };
                let size = ty(self.program, of);
                format!("{name}({}, {}, {count} * sizeof({size}))", self.bare(to), self.bare(from))
            }
            Stmt::Zero(to, count, of) => {
                format!("memset({}, 0, {count} * sizeof({}))", self.bare(to), ty(self.program, of))
            }
            _ => panic!("{stmt:?} is not simple"),
        }
    }

    /// `p++`, and `--p` for a pointer that goes down.
    fn bump(&self, p: &Lv, delta: i64) -> String {
        if delta > 0 { format!("{}++", self.lv(p)) } else { format!("--{}", self.lv(p)) }
    }

    fn lv(&self, lv: &Lv) -> String {
        let mut text = self.program.var(self.proc, lv.base).name.clone();
        let mut at = 0;
        while at < lv.steps.len() {
            text = match (&lv.steps[at], lv.steps.get(at + 1)) {
                (Step::At(Expr::Int(0, _), true), Some(Step::Field(k))) => {
                    let before = Lv { base: lv.base, steps: lv.steps[..=at].to_vec() };
                    at += 1;
                    format!("{text}->{}", self.field(&before, *k))
                }
                (Step::At(Expr::Int(0, _), true), _) => format!("(*{text})"),
                (Step::At(index, true), _) => format!("(*({text} + {}))", self.expr(index)),
                (Step::At(index, false), _) => format!("{text}[{}]", self.bare(index)),
                (Step::Field(k), _) => {
                    let before = Lv { base: lv.base, steps: lv.steps[..at].to_vec() };
                    format!("{text}.{}", self.field(&before, *k))
                }
            };
            at += 1;
        }
        text
    }

    fn field(&self, of: &Lv, k: usize) -> String {
        match self.program.ty_of(self.proc, of) {
            Ty::Struct(of) => self.program.structs[of].fields[k].0.clone(),
            ty => panic!("a member of {ty:?}"),
        }
    }

    /// An expression that needs no parentheres.
    fn bare(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr {
            Expr::Bin(..) | Expr::Cond(..) | Expr::Move(..) => text[1..text.len() - 1].to_string(),
            _ => text,
        }
    }

    fn args(&self, args: &[Expr]) -> String {
        args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value, of) => {
                let suffix = match of {
                    Int::U32 => "u",
                    Int::I64 => "L",
                    Int::U64 => "UL",
                    _ => "",
                };
                if *value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
            }
            Expr::Real(value, float) => {
                let suffix = if *float { "f" } else { "" };
                if *value < 0.0 { format!("({value:?}{suffix})") } else { format!("{value:?}{suffix}") }
            }
            Expr::Load(lv) | Expr::Decay(lv) => self.lv(lv),
            Expr::Addr(lv) => format!("&{}", self.lv(lv)),
            Expr::Move(base, by) => format!("({} + {})", self.expr(base), self.expr(by)),
            Expr::Un(Un::Minus, of) => format!("(-{})", self.expr(of)),
            Expr::Un(Un::Not, of) => format!("!{}", self.expr(of)),
            Expr::Un(Un::Invert, of) => format!("~{}", self.expr(of)),
            Expr::Bin(op, a, b) => format!("({} {} {})", self.expr(a), op.text(), self.expr(b)),
            Expr::Cast(to, of) => format!("({}){}", ty(self.program, to), self.expr(of)),
            Expr::Cond(of) => format!("({} ? {} : {})", self.expr(&of[0]), self.expr(&of[1]), self.expr(&of[2])),
            Expr::Math(name, args, float) => format!("{name}{}({})", if *float { "f" } else { "" }, self.args(args)),
            Expr::Call(callee, args) => format!("{}({})", self.program.procs[*callee].name, self.args(args)),
            Expr::Bump(lv, delta, after) => {
                let sign = if *delta > 0 { "++" } else { "--" };
                if *after { format!("{}{sign}", self.lv(lv)) } else { format!("{sign}{}", self.lv(lv)) }
            }
        }
    }
}
