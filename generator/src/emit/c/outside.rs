//! A generated file beside the object files of its sources: it declares what these define.
//!
//! Types and declarations of what other files may name stand there. Of what is static, constants and functions without a
//! state are the same wherever they are, so those that the sweeps need are copied. A static variable, and the address of a
//! static function, belong to one object file: sweeps that need them are refused.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use crate::ir::*;
use crate::names::{code, words};
use crate::refuse::{Class, Refusal};

const HELP: &str = "declare it without static, or leave --without-source out: --tangent writes adjoint and tangent into \
                    one file, which brings the source along";

/// The declarations that generated text needs of the sources.
pub(super) fn declarations(program: &Program, generated: &str) -> Result<String, Vec<Refusal>> {
    let mut needed = Needed::new(program);
    needed.text(generated, true);
    while let Some(at) = needed.open.pop() {
        let part = &program.c.outside.parts[at];
        needed.state(part);
        needed.text(&part.whole, false);
    }
    if !needed.refused.is_empty() {
        let mut refused: Vec<Refusal> = needed.refused.iter().map(|(name, why)| refusal(program, name, why)).collect();
        refused.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
        return Err(refused);
    }
    let mut text = program.c.outside.head.clone();
    text += "/* The object files of the sources define what is declared here. */\n";
    for (at, part) in program.c.outside.parts.iter().enumerate() {
        text += &part.pragmas;
        let declared = match part.kind {
            PartKind::Type => part.whole.clone(),
            PartKind::Shared => with_extent(program, part),
            _ if needed.seen.contains(&at) => part.whole.clone(),
            PartKind::StaticFunction | PartKind::StaticPrototype | PartKind::Constant | PartKind::StaticVariable => {
                continue;
            }
        };
        text += &format!("{declared}\n");
    }
    Ok(text + "\n")
}

/// Why a static name cannot be had.
const VARIABLE: &str = "is a static variable of the source: a file without the source cannot reach it";
const ADDRESS: &str =
    "is a static function of the source, and its address is needed: a file without the source has none";
const STATE: &str = "is a static function of the source that keeps values from call to call: a file without the source \
                     cannot reach them";

struct Needed<'p> {
    program: &'p Program,
    /// Static declarations of each name.
    statics: FxHashMap<&'p str, Vec<usize>>,
    /// Numbers of the declarations that are copied, and those whose text is still to be read.
    seen: BTreeSet<usize>,
    open: Vec<usize>,
    refused: BTreeSet<(&'p str, &'static str)>,
}

impl<'p> Needed<'p> {
    fn new(program: &'p Program) -> Needed<'p> {
        let mut statics: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, part) in program.c.outside.parts.iter().enumerate() {
            let is_static = !matches!(part.kind, PartKind::Type | PartKind::Shared);
            part.names.iter().filter(|_| is_static).for_each(|name| statics.entry(name).or_default().push(at));
        }
        Needed { program, statics, seen: BTreeSet::new(), open: Vec::new(), refused: BTreeSet::new() }
    }

    /// Notes what a text needs; `generated`: it is that of the sweeps, whose locals may have names of the sources.
    fn text(&mut self, text: &str, generated: bool) {
        for mention in mentions(&code(text)) {
            let Some((name, parts)) = self.statics.get_key_value(mention.name.as_str()) else { continue };
            let (name, parts) = (*name, parts.clone());
            for at in parts {
                let kind = self.program.c.outside.parts[at].kind;
                if self.is_meant(name, kind, mention.is_call, generated) {
                    self.need(at, name, kind, mention.is_call);
                }
            }
        }
    }

    /// Whether a mention means the static name, and not a local one. Sweeps name those variables that the program has.
    fn is_meant(&self, name: &str, kind: PartKind, is_call: bool, generated: bool) -> bool {
        let is_proc = || self.program.procs.iter().any(|proc| proc.name == name);
        let is_global = || self.program.globals.iter().any(|global| global.name == name);
        match kind {
            _ if !generated || is_call => true,
            PartKind::StaticFunction | PartKind::StaticPrototype => is_proc() || !self.is_local(name),
            PartKind::Constant => is_global() || !self.is_local(name),
            PartKind::StaticVariable => is_global(),
            PartKind::Type | PartKind::Shared => false,
        }
    }

    fn is_local(&self, name: &str) -> bool {
        let procs = &self.program.procs;
        let has = |proc: &Proc| {
            let params = proc.params.iter().any(|param| param.name == name);
            let objects = proc.objects.iter().any(|object| object.name == name);
            params || objects || proc.vars.iter().any(|var| var.name == name)
        };
        let members = self.program.types.structs.iter().flat_map(Struct::declared);
        procs.iter().any(has) || members.into_iter().any(|field| field.name == name)
    }

    fn need(&mut self, at: usize, name: &'p str, kind: PartKind, is_call: bool) {
        match kind {
            PartKind::StaticVariable => drop(self.refused.insert((name, VARIABLE))),
            PartKind::StaticFunction | PartKind::StaticPrototype if !is_call => {
                self.refused.insert((name, ADDRESS));
            }
            _ => {
                if self.seen.insert(at) {
                    self.open.push(at);
                }
            }
        }
    }

    /// Refuses a function with variables of its own that keep their values.
    fn state(&mut self, part: &'p Part) {
        let Some((_, body)) = part.whole.split_once('{').filter(|_| part.kind == PartKind::StaticFunction) else {
            return;
        };
        let body = code(body);
        let mut all = words(&body).peekable();
        while let Some(word) = all.next() {
            if word == "static" && all.peek() != Some(&"const") {
                self.refused.extend(part.names.first().map(|name| (name.as_str(), STATE)));
            }
        }
    }
}

/// A word of a text.
struct Mention {
    name: String,
    /// Whether an opening parenthesis follows: a call, or a declaration.
    is_call: bool,
}

/// The words of a text but for members.
fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut from = 0;
    for word in words(text) {
        let Some(at) = text[from..].find(word).map(|at| from + at) else { continue };
        from = at + word.len();
        let before = text[..at].trim_end();
        if before.ends_with("->") || before.ends_with('.') {
            continue;
        }
        let is_call = text[from..].trim_start().starts_with('(');
        found.push(Mention { name: word.to_string(), is_call });
    }
    found
}

/// The declaration of a variable whose initialiser says how many elements it has.
fn with_extent(program: &Program, part: &Part) -> String {
    let [name] = &part.names[..] else { return part.outside.clone() };
    let known = program.globals.iter().find(|global| global.name == *name).and_then(|global| global.shape.first());
    match known.and_then(|dim| dim.extent.as_deref()).map(|extent| &extent.kind) {
        Some(ExprKind::Int(count)) => part.outside.replacen("[]", &format!("[{count}]"), 1),
        _ => part.outside.clone(),
    }
}

fn refusal(program: &Program, name: &str, why: &str) -> Refusal {
    let named = program.c.named.iter().find(|named| named.name == name);
    let span = named.map(|named| named.span).unwrap_or_default();
    Refusal { class: Class::Language, span, what: format!("'{name}' {why}"), help: HELP.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(names: &[&str], kind: PartKind, whole: &str) -> Part {
        let names = names.iter().map(ToString::to_string).collect();
        Part { names, kind, whole: whole.into(), outside: String::new(), pragmas: String::new() }
    }

    #[test]
    fn statics_without_a_state_are_copied_as_far_as_they_are_needed() {
        let parts = vec![
            part(&["w"], PartKind::Constant, "static const double w[2] = {1, 2};"),
            part(&["unused"], PartKind::Constant, "static const double unused = 3;"),
            part(&["h"], PartKind::StaticFunction, "static double h(int i) { return w[i]; }"),
            part(&["count"], PartKind::StaticVariable, "static int count;"),
            part(&["g"], PartKind::StaticFunction, "static int g(void) { return count; }"),
            part(&["n"], PartKind::StaticFunction, "static int n(void) { static int k; return k++; }"),
        ];
        let outside = std::sync::Arc::new(Outside { parts, ..Outside::default() });
        let program = Program { c: Surroundings { outside, ..Surroundings::default() }, ..Program::default() };
        let text = declarations(&program, "x = h(1) + s.count + p->g;").unwrap();
        assert!(text.contains(" w[2]") && text.contains(" h(int i)") && !text.contains("unused"), "{text}");
        for (text, why) in [("x = g();", VARIABLE), ("x = n();", STATE), ("law = h;", ADDRESS)] {
            let refused = declarations(&program, text).unwrap_err();
            assert!(refused.len() == 1 && refused[0].what.ends_with(why), "{refused:?}");
        }
    }
}
