//! The text form of a program. [`super::parse`] reads it back.
//!
//! ```text
//! struct point { double x; double[3] w; struct point* next }
//! global const double table[10]
//! proc f(double* x, int n) -> double {
//!   var double s
//!   var int i
//!   let s.0 = 0.0
//!   let i.0 = 0
//!   loop before i.1 < n.0              // `after`: do ... while
//!     carry s.1 = s.0 | s.4 -> s.5     // head = init | end -> out
//!     carry i.1 = i.0 | i.2 -> i.3
//!   {
//!     if x.0[i.1] > 0.0 {
//!       let s.2 = s.1 + sin(x.0[i.1])
//!     } else {
//!       let s.3 = s.1 * 2.0
//!     }
//!     join s.4 = s.2 | s.3             // out = then | otherwise
//!     let i.2 = i.1 + 1
//!   }
//!   return s.5
//! }
//! ```
//!
//! | text | meaning |
//! |---|---|
//! | `i.2` | a value of the variable `i`; `.0` of a parameter is its value at entry |
//! | `i'1.2` | the second variable of this name |
//! | `w[i.1, 2]` | one step with two subscripts of the object `w`; `a.0[i.1, j.1 of m.0]` gives an extent that the type lacks |
//! | `::w` | the global `w` where the procedure has an object of this name |
//! | `double[3][4]*` | types read from the left, pointers last: a pointer to arrays of 3 x 4 |
//! | `i32"enum side"`, `opaque"FILE"` | types by other names |
//! | `(e : T)` | the expression has not the type that C gives it by its operands, but `T` |
//! | `float"..."`, `verbatim"..."` | constants that are not plain literals |
//! | `undefined i.0` | a variable that has no value yet |
//! | `@14:3` | line and column, behind an item; only [`program_with_spans`] writes them |
//!
//! Vocabulary of items: `let`, `store`, `call`, `if`, `loop`, `declare`, `clear`, `alloc`, `free`, `accumulate`, `push`, `pop`,
//! `witness`, `shadowed`, `comment`. Line ends mean nothing; `//` begins a comment.

mod expr;
mod item;

use rustc_hash::FxHashMap;
use std::fmt::Write;

use super::natural::Scope;
use super::*;

/// The program as text, without positions in sources.
pub fn program(program: &Program) -> String {
    whole(program, false)
}

/// The program as text with positions and statements; texts of sources are left out.
pub fn program_with_spans(program: &Program) -> String {
    whole(program, true)
}

/// One procedure as text.
pub fn proc(program: &Program, proc: &Proc) -> String {
    let mut printer = Printer::new(program, proc, false);
    printer.proc();
    printer.out
}

/// A type as text.
pub fn ty(program: &Program, ty: &Type) -> String {
    Printer::new(program, &Proc::default(), false).ty(ty)
}

/// An expression as text, for messages and tests.
pub fn expr(program: &Program, proc: &Proc, expr: &Expr) -> String {
    Printer::new(program, proc, false).expr(expr, 0)
}

/// Prints many expressions of one procedure, as [`expr()`] does.
pub struct Expressions<'a>(Printer<'a>);

impl<'a> Expressions<'a> {
    /// A printer for a procedure.
    pub fn new(program: &'a Program, proc: &'a Proc) -> Self {
        Expressions(Printer::new(program, proc, false))
    }

    /// An expression as text.
    pub fn expr(&self, expr: &Expr) -> String {
        self.0.expr(expr, 0)
    }
}

/// A place as text.
pub fn place(program: &Program, proc: &Proc, place: &Place) -> String {
    Printer::new(program, proc, false).place(place)
}

/// An item as text, with all that is inside it.
pub fn item(program: &Program, proc: &Proc, item: ItemId) -> String {
    let mut printer = Printer::new(program, proc, false);
    printer.item(item);
    printer.out
}

/// A value by its name in the text form.
pub fn value(proc: &Proc, value: ValueId) -> String {
    Names::new(proc).value(proc, value)
}

fn whole(program: &Program, spans: bool) -> String {
    let nothing = Proc::default();
    let mut top = Printer::new(program, &nothing, spans);
    if spans {
        for source in &program.sources {
            let main = if source.main { "main " } else { "" };
            let _ = writeln!(top.out, "source {main}{:?}", source.path);
        }
    }
    for id in 0..program.types.structs.len() {
        top.structure(StructId::new(id));
    }
    for global in &program.globals {
        let text = top.object(global);
        let span = top.span(global.span);
        let _ = writeln!(top.out, "global {text}{span}");
    }
    let mut out = top.out;
    for proc in &program.procs {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut printer = Printer::new(program, proc, spans);
        printer.proc();
        out.push_str(&printer.out);
    }
    out
}

/// Names of variables and values, unique in a procedure.
struct Names {
    vars: Vec<String>,
    labels: Vec<u32>,
}

impl Names {
    fn new(proc: &Proc) -> Names {
        let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
        let mut vars = Vec::new();
        for var in &proc.vars {
            let count = seen.entry(&var.name).or_default();
            vars.push(if *count == 0 { var.name.clone() } else { format!("{}'{count}", var.name) });
            *count += 1;
        }
        let mut next = vec![0; proc.vars.len()];
        let mut labels = vec![0; proc.values.len()];
        // The entry comes first whatever its position: a parameter's value is always `.0`.
        for entry in [true, false] {
            for (value, label) in proc.values.iter().zip(&mut labels) {
                let is_entry = matches!(value.def, Def::Entry(_));
                if let (true, Some(next)) = (is_entry == entry, next.get_mut(value.var.index())) {
                    *label = *next;
                    *next += 1;
                }
            }
        }
        Names { vars, labels }
    }

    fn var(&self, var: VarId) -> &str {
        self.vars.get(var.index()).map_or("?", String::as_str)
    }

    fn value(&self, proc: &Proc, value: ValueId) -> String {
        match proc.values.get(value.index()) {
            Some(known) => format!("{}.{}", self.var(known.var), self.labels[value.index()]),
            None => format!("?.{}", value.0),
        }
    }
}

/// Prints one procedure, or the top of a program.
struct Printer<'a> {
    program: &'a Program,
    proc: &'a Proc,
    scope: Scope<'a>,
    names: Names,
    spans: bool,
    indent: usize,
    /// Objects whose declaration is printed already.
    declared: Vec<bool>,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, proc: &'a Proc, spans: bool) -> Self {
        let scope = Scope::new(program, proc);
        let declared = vec![false; proc.objects.len()];
        Printer { program, proc, scope, names: Names::new(proc), spans, indent: 0, declared, out: String::new() }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn span(&self, span: Span) -> String {
        if !self.spans || span.line == 0 {
            return String::new();
        }
        let source = if span.source == 0 { String::new() } else { format!("{}/", span.source) };
        format!(" @{source}{}:{}:{}-{}", span.line, span.column, span.start, span.end)
    }

    fn structure(&mut self, id: StructId) {
        let members = |printer: &Self, fields: &[Field]| {
            let constant = |field: &Field| if field.read_only { "const " } else { "" };
            let member = |field: &Field| format!("{}{} {}", constant(field), printer.ty(&field.ty), field.name);
            fields.iter().map(member).collect::<Vec<_>>().join("; ")
        };
        let Struct { fields, parts, .. } = &self.program.types.structs[id];
        let text = members(self, fields);
        let parts = if parts.is_empty() { String::new() } else { format!(" as {{ {} }}", members(self, parts)) };
        let name = self.ty(&Type::Struct(id));
        let typedef = if name.starts_with("struct") { "" } else { "typedef " };
        self.line(&format!("{typedef}{name} {{ {text} }}{parts}"));
    }

    /// `const double w[10, n.0]`.
    fn object(&self, object: &Object) -> String {
        let constant = if object.constant { "const " } else { "" };
        format!("{constant}{} {}{}", self.ty(&object.elem), object.name, self.shape(&object.shape))
    }

    fn shape(&self, shape: &[Dim]) -> String {
        if shape.is_empty() {
            return String::new();
        }
        let dim = |dim: &Dim| dim.extent.as_deref().map_or_else(|| "?".into(), |extent| self.expr(extent, 0));
        format!("[{}]", shape.iter().map(dim).collect::<Vec<_>>().join(", "))
    }

    fn proc(&mut self) {
        let proc = self.proc;
        let params: Vec<_> = proc.params.iter().map(|param| self.param(param)).collect();
        let is_static = if proc.is_static { "static " } else { "" };
        let has_list = if proc.has_list { "variadic " } else { "" };
        let language = if proc.language == Language::Fortran { "fortran " } else { "" };
        let role = match proc.role {
            Role::Primal => "",
            Role::Forward => "forward ",
            Role::Reverse => "reverse ",
            Role::Tangent => "tangent ",
        };
        let result = match &proc.result_type {
            Type::Void => String::new(),
            ty => format!(" -> {}", self.ty(ty)),
        };
        let span = self.span(proc.span);
        self.line(&format!(
            "{is_static}{has_list}{language}{role}proc {}({}){result}{span} {{",
            proc.name,
            params.join(", ")
        ));
        self.indent += 1;
        self.variables();
        self.orphans();
        if self.spans {
            self.statements();
        }
        if !proc.regions.is_empty() {
            self.region(RegionId(0));
        }
        match (&proc.result, proc.result_object) {
            (Some(result), _) => {
                let text = format!("return {}", self.expr(result, 0));
                self.line(&text);
            }
            (None, Some(object)) => {
                let text = format!("return object {}", self.object_name(object));
                self.line(&text);
            }
            (None, None) => {}
        }
        self.indent -= 1;
        self.line("}");
    }

    fn param(&self, param: &Param) -> String {
        let mut text = format!("{} {}", self.ty(&param.ty), param.name);
        if param.read_only {
            text.insert_str(0, "const ");
        }
        for (word, is_so) in
            [("apart ", param.apart), ("noalias ", param.no_alias), ("undefined ", param.undefined_at_entry)]
        {
            if is_so {
                text.insert_str(0, word);
            }
        }
        text += &self.shape(&param.shape);
        if param.declaration != default_declaration(self.program, &param.ty) {
            let _ = write!(text, " as {:?}", param.declaration);
        }
        text
    }

    /// Variables that are no parameters, consecutive ones of one type on one line.
    fn variables(&mut self) {
        let is_param = |var: VarId| self.proc.params.iter().any(|param| param.var == Some(var));
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for (index, var) in self.proc.vars.iter().enumerate() {
            if is_param(VarId::new(index)) {
                continue;
            }
            let kind = match var.kind {
                VarKind::User => "var",
                VarKind::Renamed => "renamed",
                VarKind::Temporary => "temporary",
                VarKind::Flag => "flag",
            };
            let head = format!("{kind} {}", self.ty(&var.ty));
            let name = self.names.vars[index].clone() + &self.span(var.span);
            match lines.last_mut() {
                Some((last, names)) if *last == head => names.push(name),
                _ => lines.push((head, vec![name])),
            }
        }
        for (head, names) in lines {
            self.line(&format!("{head} {}", names.join(", ")));
        }
    }

    /// Objects that no item declares.
    fn orphans(&mut self) {
        let mut has_item = vec![false; self.proc.objects.len()];
        for item in &self.proc.items {
            if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = item.kind
                && let Some(flag) = has_item.get_mut(object.index())
            {
                *flag = true;
            }
        }
        for (index, object) in self.proc.objects.iter().enumerate() {
            if matches!(object.life, Life::Param(_)) {
                self.declared[index] = true;
            } else if !has_item[index] {
                self.declared[index] = true;
                let life = match object.life {
                    Life::Heap => "heap ",
                    Life::Stable => "stable ",
                    _ => "",
                };
                let text = format!("object {life}{}", self.object(object));
                self.line(&text);
            }
        }
    }

    fn statements(&mut self) {
        for (index, statement) in self.proc.statements.iter().enumerate() {
            let parent = statement.parent.map_or_else(String::new, |parent| format!(" in {}", parent.0));
            let copyable = if statement.copyable { " copyable" } else { "" };
            let text = format!("statement {index}{parent}{copyable}{}", self.span(statement.span));
            self.line(&text);
        }
    }
}

/// How C declares a parameter of a type, with `@` for its name, unless the source says otherwise.
pub fn default_declaration(program: &Program, ty: &Type) -> String {
    fn declare(program: &Program, ty: &Type, inner: String) -> String {
        match ty {
            Type::Void => format!("void {inner}"),
            Type::Opaque(name) => format!("{name} {inner}"),
            Type::Int { .. } => format!("{} {inner}", ty.integer_name().unwrap_or_default()),
            Type::Float { bits: 32 } => format!("float {inner}"),
            Type::Float { bits: 64 } => format!("double {inner}"),
            Type::Float { .. } => format!("long double {inner}"),
            Type::Struct(id) => match program.types.structs.get(id.index()) {
                Some(known) if known.is_unnamed() => {
                    let member = |field: &Field| declare(program, &field.ty, field.name.clone()) + "; ";
                    format!("struct {{ {}}} {inner}", known.fields.iter().map(member).collect::<String>())
                }
                known => format!("{} {inner}", known.map_or("struct ?", |known| known.name.as_str())),
            },
            Type::Pointer(target) if matches!(**target, Type::Array(_)) => {
                declare(program, target, format!("(*{inner})"))
            }
            Type::Pointer(target) => match &**target {
                Type::Struct(id) if program.types.pointers.contains_key(id) => {
                    format!("{} {inner}", program.types.pointers[id])
                }
                _ => declare(program, target, format!("*{inner}")),
            },
            Type::Array(row) => {
                let extent = row.extent.map_or_else(String::new, |n| n.to_string());
                declare(program, &row.elem, format!("{inner}[{extent}]"))
            }
        }
    }
    declare(program, ty, "@".into())
}

/// `x.2[i'1.1 - 1]` as the user knows it: `x[i - 1]`.
pub fn without_labels(text: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['.', '\'']) {
        let (before, behind) = rest.split_at(at);
        out += before;
        let word = out.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let digits = behind[1..].chars().take_while(char::is_ascii_digit).count();
        let is_label = digits > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !is_label {
            out.push_str(&behind[..1]);
        }
        rest = &behind[1 + if is_label { digits } else { 0 }..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::without_labels;

    #[test]
    fn labels_of_values_go_and_constants_stay() {
        assert_eq!(without_labels("x.2[i.1 - 1] * 2.5 + p.0[0].w + t'1.3"), "x[i - 1] * 2.5 + p[0].w + t");
    }
}
