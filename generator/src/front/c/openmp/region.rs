//! What the threads of a team do: what stands in a region and outside of loops that the team divides, each of them does.

use super::directive::{Directive, is_directive, parts, statement};
use super::share::{is_divided, is_part};
use super::source::{Found, Unit, definition, reference};
use super::uses::{self, Change, Use, behind, first_use, mention, names};
use super::writes::{Write, callee, calls, declared, variable_of, write_of, writes};
use crate::front::c::sources::Sources;
use crate::front::c::tree::Node;
use crate::ir::Function;
use crate::refuse::{Class, Refusal};
use rustc_hash::FxHashSet;

/// Who runs a statement.
#[derive(Clone)]
pub struct Place<'n, 't> {
    /// The region whose threads all run it; `None` where one thread does, or each pass once.
    pub region: Option<&'n Node<'t>>,
    /// The variables of which each thread of the region has its own.
    pub own: FxHashSet<u64>,
    /// The reductions of the region.
    pub sums: FxHashSet<u64>,
    /// What encloses it, the function's body first.
    pub path: Vec<&'n Node<'t>>,
}

/// Judges functions.
pub struct Judge<'u, 't> {
    pub units: &'u [Unit<'t>],
    pub unit: usize,
    pub sources: &'u Sources,
    pub found: &'u mut Found,
    /// Functions that all threads call, and that were judged.
    pub replicated: Vec<*const Node<'t>>,
}

/// The rest of a function whose result may depend on the team.
pub const TEAM: &str = "so the result depends on their number";

impl<'u, 't> Judge<'u, 't> {
    pub fn known(&self) -> &'u super::source::Directives {
        &self.units[self.unit].directives
    }

    pub fn refuse(&mut self, node: &Node, what: impl Into<String>, help: &str) {
        let span = self.units[self.unit].files.point(node.begin, self.sources);
        self.found.refusals.push(Refusal { class: Class::Threads, span, what: what.into(), help: help.to_string() });
    }

    /// A function that one thread calls.
    pub fn function(&mut self, function: &'u Node<'t>) {
        for call in calls(function) {
            let name = callee(call);
            if name.starts_with("omp_") && !HARMLESS.contains(&name) {
                self.refuse(
                    call,
                    format!("the result may depend on the threads ({name})"),
                    "a loop over all passes with a reduction does without their numbers",
                );
            }
        }
        let place = Place { region: None, own: FxHashSet::default(), sums: FxHashSet::default(), path: Vec::new() };
        function.inner.iter().filter(|part| part.kind == "CompoundStmt").for_each(|body| self.walk(body, &place));
    }

    /// What one thread runs, or each pass of a loop once.
    pub fn walk(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        if is_directive(node) {
            return self.directive(node, place);
        }
        let mut inner = place.clone();
        inner.path.push(node);
        parts(node).iter().for_each(|part| self.walk(part, &inner));
    }

    fn directive(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        let Some(directive) = self.known().get(&node.id) else { return };
        let words: Vec<&str> = directive.words.iter().map(String::as_str).collect();
        if let Some(what) = unknown(&words) {
            return self.refuse(node, what, "use a parallel loop");
        }
        if !self.clauses(node, directive) {
            return;
        }
        if words[0] == "parallel" && place.region.is_some() {
            return self.refuse(node, format!("every thread begins a team of its own here, {TEAM}"), ONCE);
        }
        match words[..] {
            ["parallel"] => self.region(node, directive, place),
            ["parallel", "sections"] => {
                self.copies(node, directive, place);
                self.sections(node, place);
            }
            ["parallel", "master" | "masked"] => self.inside(node, place),
            ["parallel", "for"] | ["parallel", "for", "simd"] | ["for"] | ["for", "simd"] | ["simd"] => {
                self.passes(node, directive, place);
            }
            ["sections"] => {
                self.copies(node, directive, place);
                self.sections(node, place);
            }
            ["single" | "master" | "masked"] => {
                self.copies(node, directive, place);
                self.set_by_one(node, place);
                self.inside(node, &Place { region: None, ..place.clone() });
            }
            ["section" | "ordered"] => self.inside(node, place),
            ["critical" | "atomic"] => match place.region {
                Some(region) => self.merge(node, region, place),
                None => self.inside(node, place),
            },
            // Nothing runs there.
            _ => {}
        }
    }

    fn inside(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        let mut inner = place.clone();
        inner.path.push(node);
        parts(node).iter().for_each(|part| self.walk(part, &inner));
    }

    /// Whether all clauses are understood, and nothing happens in them.
    fn clauses(&mut self, node: &'u Node<'t>, directive: &Directive) -> bool {
        for clause in &directive.clauses {
            let name = clause.name.as_str();
            let odd = match name {
                "lastprivate" => !clause.modifier.is_empty(),
                "reduction" => Change::of_clause(&clause.modifier).is_none(),
                _ => !COPIES.contains(&name) && !SERIAL.contains(&name),
            };
            if odd {
                let of = if clause.modifier.is_empty() { String::new() } else { format!(" of '{}'", clause.modifier) };
                let what = format!("the adjoint does not know what '{name}'{of} does to a thread's variables");
                self.refuse(node, what, "declare the variable inside of the loop");
                return false;
            }
        }
        let is_clause = |part: &&Node| part.kind.is_empty() || part.kind.ends_with("Clause");
        if let Some(effect) = node.inner.iter().filter(is_clause).find_map(changes) {
            self.refuse(effect, "a clause changes a variable", "change it in a statement before");
            return false;
        }
        true
    }

    /// The private copies of what is no loop: set before they are read, and forgotten behind.
    pub fn copies(&mut self, node: &'u Node<'t>, directive: &'u Directive, place: &Place<'u, 't>) {
        let Some(body) = statement(node) else { return };
        for clause in &directive.clauses {
            for name in &clause.items {
                let Some(variable) = self.known().variable(node, name) else { continue };
                match clause.name.as_str() {
                    "private" => self.private(node, body, name, variable, place),
                    "firstprivate" => self.firstprivate(node, body, name, variable),
                    "lastprivate" => self.refuse(
                        reference(node, name).unwrap_or(node),
                        format!("'{name}' is that of the last section (lastprivate)"),
                        "declare a variable for each section",
                    ),
                    "reduction" => self.reduction(body, name, variable, &clause.modifier),
                    _ => {}
                }
            }
        }
    }

    /// A variable that each thread, and each pass, has without a value.
    pub fn private(
        &mut self,
        node: &'u Node<'t>,
        body: &'u Node<'t>,
        name: &str,
        variable: u64,
        place: &Place<'u, 't>,
    ) {
        let at = reference(node, name).unwrap_or(node);
        if self.units[self.unit].globals.contains(&variable) {
            return self.refuse(at, format!("'{name}' is private here, and functions may use the shared one"), INSIDE);
        }
        if first_use(body, variable, self.known()) == Use::Reads {
            let what = if at.written_type.contains('[') { "perhaps reads" } else { "reads" };
            return self.refuse(
                mention(body, variable).unwrap_or(at),
                format!("'{name}' is private to each thread, and a pass {what} it before it writes it"),
                INSIDE,
            );
        }
        if names(body, variable) && behind(&place.path, node, variable, self.known()) == Use::Reads {
            self.refuse(
                at,
                format!("'{name}' is private to each thread, and what is behind the loop reads the one from before it"),
                INSIDE,
            );
        }
    }

    pub fn firstprivate(&mut self, node: &'u Node<'t>, body: &'u Node<'t>, name: &str, variable: u64) {
        let mut all = Vec::new();
        writes(body, &mut all);
        let written = all.into_iter().find(|write| write.base() == Some(variable) && !write.is_through());
        if let Some(write) = written {
            self.refuse(
                write.node,
                format!("'{name}' is firstprivate and changes: what a pass reads depends on the passes of its thread"),
                INSIDE,
            );
        } else if names(body, variable) && self.units[self.unit].globals.contains(&variable) {
            let at = reference(node, name).unwrap_or(node);
            self.refuse(at, format!("'{name}' is firstprivate, and functions may use the shared one"), INSIDE);
        }
    }

    pub fn reduction(&mut self, body: &'u Node<'t>, name: &str, variable: u64, operator: &str) {
        let Some(change) = Change::of_clause(operator) else { return };
        if let Some(other) = uses::other_use(body, variable, change) {
            self.refuse(
                other,
                format!("'{name}' is used in another way than by its reduction ('{operator}'): each thread has a part of it only"),
                "use it behind the loop",
            );
        }
    }

    /// What one thread sets of the variables that each thread has.
    fn set_by_one(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        let Some(body) = statement(node) else { return };
        let mut all = Vec::new();
        writes(body, &mut all);
        let set = |write: &Write| !write.is_through() && write.base().is_some_and(|base| place.own.contains(&base));
        if let Some(write) = all.iter().find(|write| place.region.is_some() && set(write)) {
            let what = format!("one thread sets '{}', which each thread has for itself", write.name());
            self.refuse(write.node, what, "declare it in front of the region");
        }
    }

    /// Sections: no one uses what another one writes.
    fn sections(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        self.set_by_one(node, place);
        let sections: Vec<&Node> = statement(node).map_or(&[][..], parts).iter().collect();
        for (at, section) in sections.iter().enumerate() {
            let mut all = Vec::new();
            writes(section, &mut all);
            let mut targets: Vec<(u64, &Node, String)> =
                all.iter().filter_map(|write| Some((write.base()?, write.node, write.name()))).collect();
            for call in calls(section) {
                let name = callee(call);
                if Function::lookup(name).is_none()
                    && !REPORTS.contains(&name)
                    && self.changes_globals(name, &mut Vec::new())
                {
                    self.refuse(
                        call,
                        format!("a section calls '{name}', which changes what is shared"),
                        "run the sections one behind the other",
                    );
                }
                // What a function gets the address of it may write.
                for argument in call.inner.iter().skip(1).filter(|argument| argument.ty().contains('*')) {
                    if !argument.ty().starts_with("const ")
                        && let Some(named) = variable_of(argument)
                    {
                        targets.push((named.refers, argument, named.refers_name.to_string()));
                    }
                }
            }
            let declared = declared(section);
            for (variable, write, name) in targets {
                let meets = |other: &(usize, &&Node)| other.0 != at && names(other.1, variable);
                if !declared.contains(&variable) && sections.iter().enumerate().any(|other| meets(&other)) {
                    let what =
                        format!("a section writes '{name}', which another section uses: either may be the first");
                    self.refuse(write, what, "run the sections one behind the other");
                }
            }
        }
        self.inside(node, &Place { region: None, ..place.clone() });
    }

    /// Whether a function writes variables with static storage, or cannot be read.
    fn changes_globals(&self, name: &str, seen: &mut Vec<String>) -> bool {
        if seen.iter().any(|known| known == name) {
            return false;
        }
        seen.push(name.to_string());
        let Some((_, function)) = definition(self.units, self.unit, name) else { return true };
        let own = declared(function);
        let mut all = Vec::new();
        writes(function, &mut all);
        let is_global = |write: &Write| !write.is_through() && write.base().is_none_or(|base| !own.contains(&base));
        all.iter().any(is_global)
            || calls(function).into_iter().map(callee).any(|name| {
                Function::lookup(name).is_none() && !REPORTS.contains(&name) && self.changes_globals(name, seen)
            })
    }

    /// A region: each thread runs its statement.
    fn region(&mut self, node: &'u Node<'t>, directive: &'u Directive, place: &Place<'u, 't>) {
        let Some(body) = statement(node) else { return };
        let mut own = declared(body);
        let mut sums = FxHashSet::default();
        for clause in &directive.clauses {
            for name in &clause.items {
                let Some(variable) = self.known().variable(node, name) else { continue };
                match clause.name.as_str() {
                    "private" => {
                        self.private(node, body, name, variable, place);
                        own.insert(variable);
                    }
                    "firstprivate" => self.firstprivate(node, body, name, variable),
                    "reduction" => {
                        self.reduction(body, name, variable, &clause.modifier);
                        sums.insert(variable);
                    }
                    _ => {}
                }
            }
        }
        let mut path = place.path.clone();
        path.push(node);
        self.all(body, &Place { region: Some(body), own, sums, path });
    }

    /// What each thread of a team runs.
    pub fn all(&mut self, node: &'u Node<'t>, place: &Place<'u, 't>) {
        if is_directive(node) {
            return self.directive(node, place);
        }
        if let Some(write) = write_of(node) {
            let own = write.base().is_some_and(|base| place.own.contains(&base));
            if write.is_through() || !own {
                let what = format!("every thread of the region writes '{}', {TEAM}", write.name());
                return self.refuse(node, what, ONCE);
            }
        }
        if node.kind == "CallExpr" {
            self.called_by_all(node);
        }
        let mut inner = place.clone();
        inner.path.push(node);
        parts(node).iter().for_each(|part| self.all(part, &inner));
    }

    /// A function that each thread calls.
    fn called_by_all(&mut self, call: &'u Node<'t>) {
        let name = callee(call);
        if Function::lookup(name).is_some() || REPORTS.contains(&name) || name.starts_with("omp_") {
            return;
        }
        let Some((home, function)) = definition(self.units, self.unit, name) else {
            return self.refuse(call, format!("every thread of the region calls '{name}', {TEAM}"), ONCE);
        };
        if self.replicated.contains(&std::ptr::from_ref(function)) {
            return;
        }
        self.replicated.push(function);
        let outer = std::mem::replace(&mut self.unit, home);
        for body in function.inner.iter().filter(|part| part.kind == "CompoundStmt") {
            let own = declared(function);
            self.all(body, &Place { region: Some(body), own, sums: FxHashSet::default(), path: Vec::new() });
        }
        self.unit = outer;
    }

    /// A critical section, or an atomic update, that each thread comes to: it adds a thread's part of a sum.
    fn merge(&mut self, node: &'u Node<'t>, region: &'u Node<'t>, place: &Place<'u, 't>) {
        let Some(body) = statement(node) else { return };
        let statements = if body.kind == "CompoundStmt" { &body.inner[..] } else { std::slice::from_ref(body) };
        for statement in statements {
            let adds = |change: Change| {
                let write = write_of(statement)?;
                let target = write.base()?;
                let part = place.own.iter().copied().find(|part| {
                    let value = statement.inner.last().filter(|_| statement.kind == "CompoundAssignOperator");
                    value.is_some_and(|value| uses::is(value, *part))
                        && is_divided(region, *part)
                        && is_part(region, *part, change)
                })?;
                let fits =
                    uses::change_of(statement, target, change) && !write.is_through() && !place.own.contains(&target);
                fits.then_some(part)
            };
            if [Change::Adds, Change::Multiplies].into_iter().all(|change| adds(change).is_none()) {
                let what = format!("every thread of the region does this, {TEAM}");
                return self.refuse(statement, what, ONCE);
            }
        }
    }
}

/// Why a directive is refused whatever stands in it.
fn unknown(words: &[&str]) -> Option<String> {
    const KNOWN: [&str; 14] = [
        "parallel", "for", "simd", "sections", "section", "single", "master", "masked", "critical", "atomic",
        "ordered", "barrier", "taskwait", "flush",
    ];
    if words.iter().all(|word| KNOWN.contains(word)) {
        return None;
    }
    let name = words.join(" ");
    Some(match words.first() {
        Some(&("target" | "teams" | "distribute")) => format!("'{name}' moves the work to a device"),
        _ => format!("the adjoint does not know what '{name}' does"),
    })
}

const ONCE: &str = "put it under 'single', or into a reduction";
pub const INSIDE: &str = "declare it inside of the loop";

/// Functions of OpenMP that say nothing about threads.
const HARMLESS: [&str; 6] =
    ["omp_get_wtime", "omp_get_wtick", "omp_set_num_threads", "omp_set_dynamic", "omp_set_nested", "omp_set_schedule"];

/// Functions whose calls print only.
const REPORTS: [&str; 6] = ["printf", "fprintf", "puts", "fputs", "putchar", "fflush"];

/// Clauses that give threads variables of their own, and that are judged.
const COPIES: [&str; 4] = ["private", "firstprivate", "lastprivate", "reduction"];

/// Clauses that say who runs what, when.
const SERIAL: [&str; 25] = [
    "shared",
    "default",
    "schedule",
    "num_threads",
    "if",
    "proc_bind",
    "nowait",
    "collapse",
    "ordered",
    "safelen",
    "simdlen",
    "aligned",
    "nontemporal",
    "order",
    "seq_cst",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "read",
    "write",
    "update",
    "capture",
    "hint",
    "filter",
];

/// A change of a variable below a node.
fn changes<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    write_of(node).map(|write| write.node).or_else(|| node.inner.iter().find_map(changes))
}
