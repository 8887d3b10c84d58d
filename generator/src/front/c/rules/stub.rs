//! The body that a function with a rule has for the analyses: C that reads, and writes, what the rule says.
//!
//! ```text
//!   rule reads(x[0:n]) writes(y[0:n])       double t = 0, u = adtape_unknown();
//!   void smooth(int n, …)                   for (k = 0; k < n; k++) t += x[k];
//!                                           for (k = 0; k < n; k++) y[k] = t + u;
//!                                           for (k = 0; k < n; k++) adtape_need(x[k]);
//!                                           adtape_given(n, x, y);
//! ```
//!
//! The derivative is called where `adtape_given` stands: what it needs as the call found it is overwritten behind that.

use super::pragma::{Clauses, Kind, Need, Section, Shape};
use crate::ir::{Does, Elements, Trial, Tried};
use crate::names::words;
use std::fmt::Write;

/// A number that only the program knows when it runs.
pub const UNKNOWN: &str = "adtape_unknown";
/// What the derivative reads, then what has an adjoint where it does.
pub const NEED: &str = "adtape_need";
/// Where the derivative is called.
pub const GIVEN: &str = "adtape_given";

/// What names of a body begin with.
pub const PREFIX: &str = "adtape_rule_";

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A real.
    Real,
    /// A pointer to reals; whether they are constant.
    Reals { constant: bool },
    /// A pointer to integers or characters; whether they are constant.
    Integers { constant: bool },
    /// A pointer to something else.
    Other,
    /// An integer, and whatever else is passed by value.
    Value,
}

impl What {
    /// Whether it has, or leads to, what may have a derivative.
    pub fn is_real(self) -> bool {
        matches!(self, What::Real | What::Reals { .. })
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    pub ty: String,
    pub what: What,
    /// Reals in a struct that it is or leads to, as C text.
    pub members: Vec<String>,
    /// Whether the derivative takes its adjoint.
    pub has_adjoint: bool,
}

/// A function with a rule.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub result: String,
    pub params: Vec<Param>,
    pub kind: Kind,
    pub clauses: Clauses,
}

/// What all bodies begin with.
pub fn beginning() -> String {
    format!("double {UNKNOWN}(void);\nvoid {NEED}();\nvoid {GIVEN}();\n")
}

/// The declaration of the derivative that has to be there.
pub fn reverse(function: &Function) -> String {
    let mut params = Vec::new();
    for param in &function.params {
        params.push(declared(&param.ty, &param.name));
        if param.what.is_real() {
            let real = if param.ty.contains("float") { "float" } else { "double" };
            params.push(format!("{real} *{}_b", param.name));
        }
    }
    if is_real(&function.result) {
        params.push(format!("{} {}_b", function.result, function.name));
    }
    format!("void {}_rev({});", function.name, params.join(", "))
}

pub fn is_real(ty: &str) -> bool {
    matches!(ty.trim(), "double" | "float")
}

fn declared(ty: &str, name: &str) -> String {
    let space = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{space}{name}")
}

impl Function {
    /// The strides of sections that are parameters.
    pub fn strides(&self) -> Vec<usize> {
        let names = self.sections().filter_map(|section| match &section.shape {
            Shape::Run { stride: Some(stride), .. } => self.params.iter().position(|param| param.name == *stride),
            _ => None,
        });
        names.collect()
    }

    /// By parameter, whether the function reads reals there.
    pub fn reads(&self) -> Vec<bool> {
        let is_read = |param: &Param| {
            let is_named = self.clauses.read().any(|section| section.name == param.name);
            param.what == What::Real || is_named && param.what.is_real() || !param.members.is_empty()
        };
        self.params.iter().map(|param| self.kind != Kind::Passive && is_read(param)).collect()
    }

    /// What is wrong with the clauses: a name that is no parameter, memory that no clause names.
    pub fn check(&self) -> Result<(), String> {
        let needs = self.clauses.needs.iter().flatten();
        let named = self.sections().chain(needs.clone().map(|need| &need.section));
        for section in named.clone() {
            match self.param(&section.name).map(|param| param.what) {
                None => return Err(format!("'{}' has no parameter '{}'", self.name, section.name)),
                Some(What::Real | What::Value) if needs.clone().any(|need| need.section == *section) => {}
                Some(What::Reals { .. } | What::Integers { .. }) => {}
                Some(_) => return Err(format!("'{}' of '{}' is no array of numbers", section.name, self.name)),
            }
        }
        if let Some(name) = needs.flat_map(|need| &need.when).find(|name| self.param(name).is_none()) {
            return Err(format!("'{}' has no parameter '{name}'", self.name));
        }
        let is_written = |name: &String| self.clauses.written().any(|section| section.name == *name);
        if let Some(name) = self.clauses.lost.iter().find(|name| !is_written(name)) {
            return Err(format!("'{name}' of '{}' is not written, by its other clauses", self.name));
        }
        if let Some(name) = &self.clauses.status {
            let what = self.param(name).map(|param| param.what);
            if what != Some(What::Integers { constant: false }) {
                return Err(format!("'status' of '{}' names a pointer to an integer that it writes", self.name));
            }
        }
        let constant = |section: &&Section| {
            let what = self.param(&section.name).map(|param| param.what);
            matches!(what, Some(What::Reals { constant: true } | What::Integers { constant: true }))
        };
        if let Some(section) = self.clauses.written().find(constant) {
            return Err(format!("'{}' of '{}' is constant and cannot be written", section.name, self.name));
        }
        if self.kind == Kind::Passive {
            return Ok(());
        }
        let is_open = |param: &&Param| {
            let ty = param.ty.trim_start();
            !param.members.is_empty() && ty.ends_with('*') && !ty.starts_with("const ")
        };
        if let Some(Param { name, .. }) = self.params.iter().find(is_open) {
            return Err(format!(
                "'{name}' of '{}' leads to a struct with reals that it may write: make it const",
                self.name
            ));
        }
        let unknown = self.params.iter().find(|param| match param.what {
            What::Reals { .. } | What::Integers { constant: false } => !self.is_named(param),
            What::Integers { constant: true } | What::Other | What::Real | What::Value => false,
        });
        match unknown {
            Some(param) => {
                let clause = if matches!(param.what, What::Reals { constant: true }) { "reads" } else { "writes" };
                let name = &param.name;
                Err(format!(
                    "the rule of '{}' does not say how much of '{name}' it {clause}: {clause}({name}[0:n])",
                    self.name
                ))
            }
            None => Ok(()),
        }
    }

    /// Whether a clause names elements of a parameter.
    fn is_named(&self, param: &Param) -> bool {
        self.sections().any(|section| section.name == param.name)
    }

    fn sections(&self) -> impl Iterator<Item = &Section> + Clone {
        self.clauses.reads.iter().chain(&self.clauses.writes).chain(&self.clauses.updates)
    }

    fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether what a pointer leads to is the bound of a section.
    fn bounds(&self, name: &str) -> bool {
        let is_pointer = self.param(name).is_some_and(|param| matches!(param.what, What::Integers { .. }));
        let named = |section: &Section| section.shape.bounds().iter().any(|text| words(text).any(|word| word == name));
        is_pointer && self.sections().any(named)
    }

    /// The declarations of what pointers lead to that bounds name.
    fn bound_values(&self) -> String {
        let named = self.params.iter().filter(|param| self.bounds(&param.name));
        let declared = named.map(|param| {
            let value = param.ty.trim_end_matches('*').trim_start_matches("const ").trim();
            format!("{value} {}_v = *{};\n", param.name, param.name)
        });
        declared.collect()
    }

    /// A bound as the body has it.
    pub fn bound(&self, text: &str) -> String {
        Body { function: self, by_ones: false }.bound(text)
    }

    /// The body; `by_ones`: where all strides are 1.
    pub fn body(&self, by_ones: bool) -> String {
        let params: Vec<String> = self.params.iter().map(|param| declared(&param.ty, &param.name)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        let variant = if by_ones { "_by_ones" } else { "" };
        let mut out = format!("{} {PREFIX}{}{variant}({params}) {{\n", self.result, self.name);
        let _ = writeln!(out, "double t_ = 0, p_ = 0, u_ = {UNKNOWN}();");
        let body = Body { function: self, by_ones };
        out += &self.bound_values();
        // A real that the derivative does not know counts, too: one that depends on the inputs is refused later.
        let sum = |name: &str| {
            if self.kind != Kind::Passive && self.param(name).is_some_and(|param| param.what.is_real()) {
                "t_"
            } else {
                "p_"
            }
        };
        for param in self.params.iter().filter(|param| param.what == What::Real) {
            let _ = writeln!(out, "{} += {};", sum(&param.name), param.name);
        }
        // The derivative by members of a struct is refused where they depend on the inputs, too.
        let members = self.params.iter().filter(|_| self.kind != Kind::Passive).flat_map(|param| &param.members);
        members.for_each(|member| out += &format!("t_ += {member};\n"));
        for section in self.clauses.read() {
            body.each(section, &mut out, &|element| format!("{} += {element};", sum(&section.name)));
        }
        let needs = self.needs();
        let is_before = |section: &&Section| needs.iter().any(|need| need.before && need.section.name == section.name);
        for section in self.clauses.written().filter(|section| !is_before(section)) {
            body.overwrite(section, &mut out);
        }
        if self.kind != Kind::Passive {
            for need in &needs {
                body.need(need, &mut out);
            }
            let names: Vec<&str> = self.params.iter().map(|param| param.name.as_str()).collect();
            let _ = writeln!(out, "{GIVEN}({});", names.join(", "));
        }
        for section in self.clauses.written().filter(is_before) {
            body.overwrite(section, &mut out);
        }
        match self.result.trim() {
            "void" => {}
            ty if is_real(ty) && self.kind != Kind::Passive => {
                let _ = writeln!(out, "return t_ + u_;");
            }
            ty => {
                let _ = writeln!(out, "return ({ty})u_;");
            }
        }
        out.push_str("}\n");
        out
    }

    /// What a check tries the rule by.
    pub fn trial(&self) -> Trial {
        let body = Body { function: self, by_ones: false };
        let mut sections = Vec::new();
        let position = |name: &str| self.params.iter().position(|param| param.name == name);
        let mut add = |section: &Section, does: Does, when: &[String]| {
            let Some(param) = position(&section.name) else { return };
            let (loops, element) = body.elements(section);
            let when = when.iter().filter_map(|name| position(name)).collect();
            sections.push(Elements { param, does, when, loops, element });
        };
        let clauses = &self.clauses;
        clauses.reads.iter().for_each(|section| add(section, Does::Reads, &[]));
        clauses.writes.iter().for_each(|section| add(section, Does::Writes, &[]));
        clauses.updates.iter().for_each(|section| add(section, Does::Updates, &[]));
        let needs = self.needs();
        // Numbers that bounds name are passed as they are.
        let named = |name: &str| self.sections().any(|section| section.name == name);
        for need in needs.iter().filter(|need| named(&need.section.name)) {
            add(&need.section, Does::Needs { before: need.before }, &need.when);
        }
        let params = self.params.iter().map(|param| Tried {
            ty: param.ty.clone(),
            name: param.name.clone(),
            is_real: param.what.is_real(),
            is_pointer: matches!(param.what, What::Reals { .. } | What::Integers { .. }),
            is_lost: clauses.lost.contains(&param.name),
            is_number: matches!(param.what, What::Value | What::Integers { constant: true }),
        });
        Trial {
            params: params.collect(),
            result: self.result.trim().to_string(),
            bounds: self.bound_values(),
            sections,
            has_state: clauses.has_state,
            status: clauses.status.as_deref().and_then(position),
        }
    }

    /// The needs of the clause, or all that the other clauses name; and numbers behind pointers that no clause names.
    fn needs(&self) -> Vec<Need> {
        let is_array =
            |name: &str| !matches!(self.param(name).map(|param| param.what), None | Some(What::Real | What::Value));
        let whole = |section: Section| Need { section, before: false, when: Vec::new() };
        let mut needs: Vec<Need> = match &self.clauses.needs {
            Some(needs) => needs.iter().filter(|need| is_array(&need.section.name)).cloned().collect(),
            None => self.sections().cloned().map(whole).collect(),
        };
        let is_number = |param: &&Param| matches!(param.what, What::Integers { .. }) && !self.is_named(param);
        let numbers = self.params.iter().filter(is_number);
        needs.extend(numbers.map(|param| whole(Section { name: param.name.clone(), shape: Shape::Named })));
        needs
    }
}

/// Behind these `*` is no product.
const OPERATORS: [char; 15] = ['(', '[', ',', '?', ':', '+', '-', '*', '/', '%', '<', '>', '=', '&', '|'];

struct Body<'f> {
    function: &'f Function,
    by_ones: bool,
}

impl Body<'_> {
    /// A bound, in which names of pointers to integers stand for what these point to.
    fn bound(&self, text: &str) -> String {
        let is_pointer = |word: &str| self.function.bounds(word);
        let mut out = String::new();
        let mut rest = text;
        for word in words(text) {
            let at = rest.find(word).unwrap_or(0);
            out.push_str(&rest[..at]);
            // 'n' is a letter.
            if is_pointer(word) && !out.ends_with('\'') {
                // `*n` means the same as `n`.
                let before = out.trim_end().strip_suffix('*').map(str::trim_end);
                if let Some(before) = before.filter(|before| before.is_empty() || before.ends_with(OPERATORS)) {
                    out.truncate(before.len());
                }
                let _ = write!(out, "{word}_v");
            } else {
                out.push_str(word);
            }
            rest = &rest[at + word.len()..];
        }
        out.push_str(rest);
        out
    }

    /// A statement for each element of a section.
    fn each(&self, section: &Section, out: &mut String, statement: &dyn Fn(&str) -> String) {
        let (loops, element) = self.elements(section);
        let _ = writeln!(out, "{loops}{}", statement(&element));
    }

    /// The heads of the loops over a section, and the element inside.
    fn elements(&self, section: &Section) -> (String, String) {
        let name = &section.name;
        match self.shape(section) {
            Shape::Named => (String::new(), format!("{name}[0]")),
            Shape::Run { first, count, stride } => {
                let [first, count] = [first, count].map(|text| self.bound(&text));
                let by = match stride {
                    Some(stride) if !self.by_ones && stride != "1" => {
                        let stride = self.bound(&stride);
                        format!(" * (({stride}) < 0 ? -({stride}) : ({stride}))")
                    }
                    _ => String::new(),
                };
                let from = if first == "0" { String::new() } else { format!("({first}) + ") };
                (format!("for (int k_ = 0; k_ < ({count}); k_++) "), format!("{name}[{from}k_{by}]"))
            }
            Shape::Matrix { rows, columns, leading } => {
                let [rows, columns, leading] = [rows, columns, leading].map(|text| self.bound(&text));
                let loops = format!("for (int j_ = 0; j_ < ({columns}); j_++) for (int i_ = 0; i_ < ({rows}); i_++) ");
                (loops, format!("{name}[i_ + j_ * ({leading})]"))
            }
            Shape::Triangle { size, leading, uplo } => {
                let [size, leading, uplo] = [size, leading, uplo].map(|text| self.bound(&text));
                let is_upper = format!("(({uplo}) == 'U' || ({uplo}) == 'u')");
                let rows = format!("for (int i_ = {is_upper} ? 0 : j_; i_ < ({is_upper} ? j_ + 1 : ({size})); i_++) ");
                let loops = format!("for (int j_ = 0; j_ < ({size}); j_++) {rows}");
                (loops, format!("{name}[i_ + j_ * ({leading})]"))
            }
        }
    }

    /// The shape of a section; of one that only has a name, that of the clause that has more.
    fn shape(&self, section: &Section) -> Shape {
        let same = |other: &&Section| other.name == section.name && other.shape != Shape::Named;
        match &section.shape {
            Shape::Run { first, count, .. } if first == "0" && count == "1" => Shape::Named,
            Shape::Named => self.function.sections().find(same).map_or(Shape::Named, |other| other.shape.clone()),
            shape => shape.clone(),
        }
    }

    fn overwrite(&self, section: &Section, out: &mut String) {
        let Some(param) = self.function.param(&section.name) else { return };
        let flows = self.function.kind != Kind::Passive && param.has_adjoint;
        let what = if flows { "t_ + u_" } else { "u_" };
        self.each(section, out, &|element| format!("{element} = {what};"));
    }

    fn need(&self, need: &Need, out: &mut String) {
        let when = need.when.iter().filter_map(|name| {
            let param = self.function.param(name)?;
            Some(if param.what == What::Real { name.clone() } else { format!("{name}[0]") })
        });
        let when: String = when.map(|of| format!(", {of}")).collect();
        self.each(&need.section, out, &|element| format!("{NEED}({element}{when});"));
    }
}
