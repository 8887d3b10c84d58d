//! Rules on trial: a function with a rule makes way for one that tries the call in a child first (`rules.c`,
//! `derivatives.c`), and then calls it.
//!
//! ```text
//!   sections1     says which elements the clauses name
//!   primal1       calls the function with the arguments that are kept
//!   reverse1      calls its derivative, tangent1 its tangent
//!   try1          keeps the arguments, has the call tried, makes it
//! ```

use std::collections::BTreeSet;

use crate::ir::*;
use crate::sweeps::Adjoint;

/// The most parameters that a trial has room for.
const MOST: usize = 48;

/// The functions that try rules, behind the declarations of the check.
pub fn trials(adjoint: &Adjoint, prefix: &str) -> String {
    let program = &adjoint.program;
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for sweeps in &adjoint.sweeps {
        let proc = &program.procs[sweeps.proc];
        let Some(rule) = proc.rule.as_deref() else { continue };
        let Some(trial) = rule.trial.as_ref().filter(|trial| !trial.sections.is_empty()) else { continue };
        if trial.params.len() <= MOST && seen.insert(rule.function.clone()) {
            let source = program.sources.get(proc.span.source as usize);
            let place = format!("{}:{}", source.map_or("", |source| source.path_at(proc.span.start)), proc.span.line);
            text += &One { rule, trial, place, number: seen.len() }.text();
        }
    }
    if program.procs.iter().any(|proc| proc.rule.is_some()) {
        text.insert_str(0, &format!("#define {NO_TANGENT}() @_no_tangent()\n"));
    }
    text.replace('@', prefix)
}

struct One<'a> {
    rule: &'a Rule,
    trial: &'a Trial,
    place: String,
    number: usize,
}

impl One<'_> {
    fn text(&self) -> String {
        let parts = [self.kept(), self.sections(), self.primal(), self.reverse(), self.tangent(), self.table()];
        parts.concat() + &self.function()
    }

    fn has_result(&self) -> bool {
        self.trial.result != "void"
    }

    /// Whether the derivative is called with the adjoint of a parameter.
    fn has_adjoint(&self, k: usize) -> bool {
        self.trial.params[k].is_real && self.rule.reverse.as_ref().is_some_and(|derivative| derivative.behind[k])
    }

    /// What an argument is to the trial, and the number of bytes of an element.
    fn kind(&self, k: usize) -> (u8, String) {
        let param = &self.trial.params[k];
        let kept = self.of(k);
        match (param.is_pointer, param.is_real) {
            (false, false) => (0, if param.is_number { format!("sizeof {kept}") } else { "0".into() }),
            (false, true) => (1, format!("sizeof {kept}")),
            (true, true) => (2, format!("sizeof *{kept}")),
            (true, false) => (3, format!("sizeof *{kept}")),
        }
    }

    /// The argument that is kept.
    fn of(&self, k: usize) -> String {
        format!("@_kept{}.{}", self.number, self.trial.params[k].name)
    }

    fn kept(&self) -> String {
        let number = self.number;
        let mut text = "\nstatic struct {\n".to_string();
        for Tried { ty, name, .. } in &self.trial.params {
            let ty = ty.replace("restrict", "");
            let ty = if ty.trim_end().ends_with('*') { ty.as_str() } else { ty.trim_start_matches("const ") };
            text += &format!("    {} {name};\n", ty.trim_end().trim_end_matches("const"));
        }
        if self.has_result() {
            text += &format!("    {} result_of_call;\n", self.trial.result.trim_start_matches("const "));
        }
        text + &format!("}} @_kept{number};\n")
    }

    fn sections(&self) -> String {
        let Trial { params, bounds, sections, .. } = self.trial;
        let mut text = format!("static void @_sections{}(void) {{\n", self.number);
        for (k, Tried { ty, name, .. }) in params.iter().enumerate() {
            let space = if ty.trim_end().ends_with('*') { "" } else { " " };
            text += &format!("    {}{space}{name} = {};\n    (void){name};\n", ty.replace("restrict", ""), self.of(k));
        }
        bounds.lines().for_each(|line| text += &format!("    {line}\n"));
        for Elements { param, does, when, loops, element } in sections {
            let lost = if params[*param].is_lost { 32 } else { 0 };
            let does = match does {
                Does::Reads => 1,
                Does::Writes => 2 | lost,
                Does::Updates => 1 | 4 | lost,
                Does::Needs { before: true } => 8,
                Does::Needs { before: false } => 16,
            };
            let always = 1_u64 << 63;
            let when = if when.is_empty() { always } else { when.iter().map(|k| 1_u64 << k).sum() };
            text += &format!("    {loops}@_section({param}, {does}, {when}u, &({element}));\n");
        }
        text + "}\n"
    }

    fn primal(&self) -> String {
        let args: Vec<String> = (0..self.trial.params.len()).map(|k| self.of(k)).collect();
        let call = format!("{}({})", self.rule.function, args.join(", "));
        let number = self.number;
        let result = if self.has_result() { format!("@_kept{number}.result_of_call = ") } else { String::new() };
        format!("static void @_primal{number}(void) {{ {result}{call}; }}\n")
    }

    fn reverse(&self) -> String {
        let Some(derivative) = &self.rule.reverse else { return String::new() };
        let mut args = Vec::new();
        for k in 0..self.trial.params.len() {
            args.push(self.of(k));
            args.extend(derivative.behind[k].then(|| format!("b[{k}]")));
        }
        if derivative.result {
            args.push(format!("*({} *)b[{}]", self.trial.result, self.trial.params.len()));
        }
        let call = format!("{}({})", derivative.name, args.join(", "));
        format!("static void @_reverse{}(void *const *b) {{ (void)b, {call}; }}\n", self.number)
    }

    fn tangent(&self) -> String {
        let Some(derivative) = &self.rule.tangent else { return String::new() };
        let number = self.number;
        let mut args = Vec::new();
        for (k, param) in self.trial.params.iter().enumerate() {
            args.push(self.of(k));
            let by_value = || format!("*({} *)d[{k}]", param.ty.trim_start_matches("const "));
            let own = || if param.is_pointer { format!("d[{k}]") } else { by_value() };
            args.extend(derivative.behind[k].then(own));
        }
        args.extend(derivative.result.then(|| format!("d[{}]", self.trial.params.len())));
        let call = format!("{}({})", derivative.name, args.join(", "));
        let result = if self.has_result() { format!("@_kept{number}.result_of_call = ") } else { String::new() };
        format!("static void @_tangent{number}(void *const *d) {{ (void)d, {result}{call}; }}\n")
    }

    fn table(&self) -> String {
        let number = self.number;
        let mut text = format!("static @_param @_params{number}[] = {{\n");
        for (k, param) in self.trial.params.iter().enumerate() {
            let (kind, bytes) = self.kind(k);
            let (constant, adjoint) = (u8::from(param.is_number), u8::from(self.has_adjoint(k)));
            let name = &param.name;
            text += &format!("    {{\"{name}\", {kind}, (int)({bytes}), {constant}, {adjoint}, &{}}},\n", self.of(k));
        }
        let (name, place, count) = (&self.rule.function, &self.place, self.trial.params.len());
        let status = self.trial.status.map_or(-1, |k| k as i64);
        // Functions without a derivative may draw numbers.
        let has_state = u8::from(self.trial.has_state || self.rule.reverse.is_none());
        let is_real = u8::from(matches!(self.trial.result.as_str(), "double" | "float"));
        let of = |there: bool, what: &str| if there { format!("@_{what}{number}") } else { "NULL".into() };
        let (reverse, tangent) =
            (of(self.rule.reverse.is_some(), "reverse"), of(self.rule.tangent.is_some(), "tangent"));
        let (size, result) = if self.has_result() {
            let kept = format!("@_kept{number}.result_of_call");
            (format!("(int)sizeof {kept}"), format!("&{kept}"))
        } else {
            ("0".into(), format!("&@_kept{number}"))
        };
        text += &format!(
            "}};\nstatic @_rule @_rule{number} = {{\"{name}\", {place:?}, {count}, {status}, {has_state}, {is_real}, \
             {size}, @_params{number},\n    @_sections{number}, @_primal{number}, {reverse}, {tangent}, {result}, 0, \
             {{0}}}};\n"
        );
        text
    }

    fn function(&self) -> String {
        let (number, name) = (self.number, &self.rule.function);
        let params: Vec<String> =
            self.trial.params.iter().map(|param| format!("{} {}", param.ty, param.name)).collect();
        let args: Vec<&str> = self.trial.params.iter().map(|param| param.name.as_str()).collect();
        let keep: String = args.iter().enumerate().map(|(k, arg)| format!("    {} = {arg};\n", self.of(k))).collect();
        let call = format!("{name}({});\n", args.join(", "));
        let back = if self.has_result() { "return " } else { "" };
        format!(
            "static {} @_try{number}({}) {{\n{keep}    @_try(&@_rule{number});\n    {back}{call}}}\n\
             #undef {name}\n#define {name}(...) @_try{number}(__VA_ARGS__)\n",
            self.trial.result,
            params.join(", ")
        )
    }
}
