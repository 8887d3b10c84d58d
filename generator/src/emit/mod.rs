//! From sweeps to C text: nothing is decided here but names and layout.
//!
//! The generated file includes the user's sources, so types, macros, statics and passive functions are there under
//! their names. Behind them come shadows of globals, the sweeps of every procedure, and for each head a function that
//! runs both.

mod apart;
mod asserted;
mod beginning;
mod body;
pub mod calls;
mod clashes;
mod constant;
pub mod expr;
mod header;
mod helpers;
pub mod names;
mod needed;
mod objects;
mod outside;
mod preamble;
mod rows;
mod shadows;
mod statics;
mod types;
mod wrapper;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::check::Watch;
use crate::ir::*;
use crate::parallel;
use crate::refuse::{Class, Refusal};
use crate::sweeps::{Adjoint, Sweeps, Tangents};
use body::Macros;
use helpers::Helpers;
use names::Names;
use preamble::{ALLOCATOR, OTHERS_PRAGMAS, PRAGMAS_AGAIN, UNINITIALISED};

/// What the first line of a generated file ends with.
pub const SIGNATURE: &str = "written by adtape. */";

/// What the user chooses about the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the generated file, for its first line and the header's name: `model_b.c`.
    pub file: String,
    /// The user's sources as the generated file includes them.
    pub includes: Vec<String>,
}

impl Options {
    /// Name of the header.
    fn header(&self) -> String {
        self.file.strip_suffix(".c").unwrap_or(&self.file).to_string() + ".h"
    }
}

/// Generated text.
#[derive(Clone, Debug)]
pub struct Output {
    /// The C file.
    pub source: String,
    /// Its header.
    pub header: String,
    /// For `--check`: one more C file. Else empty.
    pub check: String,
}

/// What all procedures of the output share.
struct Unit<'a> {
    program: &'a Program,
    /// Names of sweeps, and their parameters.
    sweeps: FxHashMap<(ProcId, Role), (String, Vec<Param>)>,
    /// Procedures with loops that run again.
    stepwise: FxHashSet<ProcId>,
    /// Procedures whose forward sweep leaves everything out.
    left_out: FxHashSet<ProcId>,
    /// Names that file scope may not take: every word of the sources.
    names: Names,
    /// Names that a sweep that names values may not take: words of the sources that are no variables.
    local_names: Names,
    /// Name of the function that allocates or aborts.
    allocator: String,
    /// Whether it is called.
    allocates: Arc<AtomicBool>,
    /// Functions that C's library lacks.
    helpers: Arc<Helpers>,
    /// How functions begin that note operands for the check.
    witness: String,
    /// Whether the file checks itself: it notes the pointers in memory that it reads.
    checks: bool,
    /// A macro in front of functions that stay functions of their own.
    apart: String,
    /// What the sources define.
    macros: Macros<'a>,
    problems: Arc<Mutex<Vec<String>>>,
    /// Functions of C's library that the sweeps call.
    called: Arc<Mutex<BTreeSet<String>>>,
}

impl Unit<'_> {
    fn sweep_name(&self, proc: ProcId, role: Role) -> String {
        self.sweeps.get(&(proc, role)).map(|known| known.0.clone()).unwrap_or_else(|| {
            self.problem("a sweep that does not exist is called");
            String::new()
        })
    }

    /// Something that other passes should have refused.
    fn problem(&self, what: &str) {
        self.problems.lock().expect("nobody stops while it is locked").push(what.into());
    }
}

/// The library's header, where prototypes name its types.
static LIBRARY: LazyLock<String> = LazyLock::new(|| format!("#include {}\n\n", calls::HEADER));

const PROLOGUE: &str = "\
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize(\"fp-contract=off\")
#endif
";

/// The adjoint as C.
pub fn adjoint(adjoint: &Adjoint, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, None, false, options)
}

/// The adjoint and the tangent as C, in one file.
pub fn with_tangent(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, Some(tangents), false, options)
}

/// The adjoint as C that checks itself at run time: see [`crate::check`]. The tangent goes into the same file.
pub fn checked(adjoint: &Adjoint, tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    both(adjoint, Some(tangents), true, options)
}

/// `checks`: the tangent is there for the check, and for no user.
fn both(
    adjoint: &Adjoint,
    tangents: Option<&Tangents>,
    checks: bool,
    options: &Options,
) -> Result<Output, Vec<Refusal>> {
    let program = &adjoint.program;
    let mut unit = Unit::new(program, options);
    unit.checks = checks;
    // Tests of what the program assumes stand in the forward sweep.
    let is_text = |item: &Item| matches!(item.kind, ItemKind::DeclareVar { .. } | ItemKind::Comment { .. });
    let does_nothing = |proc: &Proc| proc.regions[RegionId::BODY].items.iter().all(|item| is_text(&proc.items[*item]));
    let is_empty = |each: &&Sweeps| each.deferred.forward.as_ref().is_some_and(does_nothing);
    let without = adjoint.sweeps.iter().filter(is_empty).filter(|_| program.assumed.is_empty());
    unit.left_out = without.map(|each| each.proc).collect();
    unit.stepwise = adjoint.sweeps.iter().filter(|each| !each.plan.again.is_empty()).map(|each| each.proc).collect();
    let several = if adjoint.wide.is_some() { "v" } else { "" };
    for each in &adjoint.sweeps {
        for (proc, suffix) in [(each.runs_forward(), "fwd"), (&each.reverse, "rev")] {
            unit.name_sweep(each.proc, proc, &format!("{}_{suffix}{several}", each.name));
        }
    }
    let printable = |id: ProcId| rows::variables(&program.procs[id]).is_empty();
    let watch = checks.then(|| Watch::new(adjoint, &printable));
    for id in watch.iter().flat_map(|watch| &watch.copied) {
        let proc = &program.procs[*id];
        unit.name_sweep(*id, proc, &format!("{}_watched", proc.name));
    }
    let rows = adjoint
        .sweeps
        .iter()
        .flat_map(|each| rows::computed(&each.reverse).into_iter().chain(rows::variables(each.runs_forward())));
    let constant = adjoint.sweeps.iter().flat_map(|each| constant::written(program, &each.reverse));
    let head = |head: ProcId| &program.procs[head].name;
    let heads = adjoint.heads.iter().map(|&id| (format!("the adjoint of '{}'", head(id)), adjoint.name(id)));
    let split = adjoint.sweeps.iter().filter(|each| adjoint.split && adjoint.heads.contains(&each.proc));
    let split = split.flat_map(|each| {
        [("forward", "fwd"), ("reverse", "rev")].map(|(sweep, suffix)| {
            (format!("the {sweep} sweep of '{}'", head(each.proc)), format!("{}_{suffix}{several}", each.name))
        })
    });
    let exported = heads.chain(split).chain(clashes::shadows(program, &adjoint.global_shadows, "adjoint"));
    let refused = clashes::refused(program, &adjoint.global_shadows, exported);
    let beside = tangents.filter(|_| !checks).map(refused_tangents).unwrap_or_default();
    let refused: Vec<Refusal> = refused.into_iter().chain(rows).chain(constant).chain(beside).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut text = Text::default();
    let sweeps: Vec<(ProcId, &Proc)> = adjoint
        .sweeps
        .iter()
        .flat_map(|each| [each.runs_forward(), &each.reverse].map(|proc| (each.proc, proc)))
        .filter(|(id, proc)| proc.role != Role::Forward || !unit.left_out.contains(id))
        .collect();
    let apart = apart::procs(program);
    for (printed, (id, proc)) in unit.print(&sweeps, true).into_iter().zip(&sweeps) {
        let is_head = adjoint.heads.contains(id);
        let guards = is_head && proc.role == Role::Forward;
        let mut printed = if guards { printed.guarded(program, "adjoint") } else { printed };
        if apart.contains(id) && !is_head {
            printed.attribute = format!("{} ", unit.apart);
        }
        text.proc(program, &proc.name, printed, adjoint.split && is_head);
    }
    text.given = objects::taken_as_given(adjoint);
    let mut check = String::new();
    let mut second = None;
    if let Some(tangents) = tangents {
        if let Some(watch) = &watch {
            text.runtime = crate::check::declarations(&unit.witness);
            check = crate::check::runtime(adjoint, watch, &unit.witness);
            for id in &watch.copied {
                let printed = body::watched(&unit, watch, *id, &unit.sweep_name(*id, Role::Primal));
                text.proc(program, &program.procs[*id].name, printed, false);
            }
        }
        let mut other = unit.sibling(&tangents.program);
        for (id, name, proc) in &tangents.tangents {
            other.name_sweep(*id, proc, &format!("{name}_d"));
        }
        // Nothing compares the tangent of a head without sweeps.
        let idle = |head: &&ProcId| adjoint.sweeps.iter().all(|each| each.proc != **head);
        let idle: Vec<ProcId> =
            adjoint.heads.iter().filter(idle).filter_map(|head| head_of(tangents, program, *head)).collect();
        let used = |id: &ProcId| !checks || !idle.contains(id);
        let tangents_used = tangents.tangents.iter().filter(|(id, ..)| used(id));
        let procs: Vec<(ProcId, &Proc)> = tangents_used.map(|(id, _, proc)| (*id, proc)).collect();
        let exported = if checks { &[] } else { &tangents.heads[..] };
        text.tangents(&other, &procs, exported);
        if checks {
            second = Some((other, tangents));
        } else {
            statics::copied(&tangents.program, &text.bodies)?;
        }
    }
    for &head in &adjoint.heads {
        let tangent = second.as_ref().and_then(|(other, tangents)| {
            Some((other.sweep_name(head_of(tangents, program, head)?, Role::Tangent), *tangents))
        });
        let wrapper = wrapper::adjoint(&unit, adjoint, head, tangent, watch.as_ref());
        text.documents += &wrapper.document;
        text.bodies += &wrapper.text;
    }
    if adjoint.split {
        text.documents.insert_str(0, &LIBRARY);
    }
    statics::copied(program, &text.bodies)?;
    text.scratch = statics::shared(program, &text.bodies);
    if let Some(tangents) = tangents {
        text.shadows(&tangents.program, &tangents.global_tangents, "tangent");
    }
    text.shadows(program, &adjoint.global_shadows, "adjoint");
    let structs =
        adjoint.wide.iter().flat_map(|wide| &wide.order).map(|id| types::structure(program, *id)).collect::<String>();
    text.globals.insert_str(0, &structs);
    let what = if tangents.is_some() && !checks { "adjoint and the tangent" } else { "adjoint" };
    let output = text.finish(&unit, what, &adjoint.heads, options)?;
    Ok(Output { check, ..output })
}

/// The head of this name among the tangents. Calls may have been written into their callers for one of the two only, so
/// procedures have other numbers there.
fn head_of(tangents: &Tangents, program: &Program, head: ProcId) -> Option<ProcId> {
    let name = &program.procs[head].name;
    tangents.heads.iter().copied().find(|other| tangents.program.procs[*other].name == *name)
}

/// Why tangents cannot be written.
fn refused_tangents(tangents: &Tangents) -> Vec<Refusal> {
    let program = &tangents.program;
    let heads = tangents
        .tangents
        .iter()
        .filter(|(id, ..)| tangents.heads.contains(id))
        .map(|(id, name, _)| (format!("the tangent of '{}'", program.procs[*id].name), format!("{name}_d")));
    let exported = heads.chain(clashes::shadows(program, &tangents.global_tangents, "tangent"));
    let mut refused = clashes::refused(program, &tangents.global_tangents, exported);
    refused.extend(tangents.tangents.iter().flat_map(|(.., proc)| rows::variables(proc)));
    refused
}

/// The tangent as C.
pub fn tangent(tangents: &Tangents, options: &Options) -> Result<Output, Vec<Refusal>> {
    let refused = refused_tangents(tangents);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut unit = Unit::new(&tangents.program, options);
    for (id, name, proc) in &tangents.tangents {
        unit.name_sweep(*id, proc, &format!("{name}_d"));
    }
    let mut text = Text::default();
    let procs: Vec<(ProcId, &Proc)> = tangents.tangents.iter().map(|(id, _, proc)| (*id, proc)).collect();
    text.tangents(&unit, &procs, &tangents.heads);
    statics::copied(&tangents.program, &text.bodies)?;
    text.scratch = statics::shared(&tangents.program, &text.bodies);
    text.shadows(&tangents.program, &tangents.global_tangents, "tangent");
    text.finish(&unit, "tangent", &tangents.heads, options)
}

impl<'a> Unit<'a> {
    fn new(program: &'a Program, options: &Options) -> Unit<'a> {
        let mut names = Names::of_program(program, Some(&options.header()));
        let witness = names.fresh("check_operands");
        Unit {
            program,
            sweeps: FxHashMap::default(),
            stepwise: FxHashSet::default(),
            left_out: FxHashSet::default(),
            local_names: names::local(program, &names),
            apart: names.fresh("APART"),
            allocator: names.fresh("allocate_or_abort"),
            helpers: Arc::new(Helpers::new(&mut names)),
            names,
            allocates: Arc::default(),
            witness,
            checks: false,
            macros: Macros::of_program(program),
            problems: Arc::default(),
            called: Arc::default(),
        }
    }

    /// Another unit of the same file.
    fn sibling<'b>(&self, program: &'b Program) -> Unit<'b> {
        Unit {
            program,
            sweeps: FxHashMap::default(),
            stepwise: FxHashSet::default(),
            left_out: FxHashSet::default(),
            names: self.names.clone(),
            local_names: self.local_names.clone(),
            apart: self.apart.clone(),
            allocator: self.allocator.clone(),
            helpers: self.helpers.clone(),
            allocates: self.allocates.clone(),
            witness: self.witness.clone(),
            checks: self.checks,
            macros: Macros::of_program(program),
            problems: self.problems.clone(),
            called: self.called.clone(),
        }
    }

    /// Prints procedures, each with the one that it is made of.
    fn print(&self, procs: &[(ProcId, &Proc)], tape: bool) -> Vec<body::Printed> {
        parallel::map(procs, parallel::threads(), |(id, proc)| {
            let name = self.sweep_name(*id, proc.role);
            let bridged = !self.stepwise.contains(id);
            body::print(self, (&self.program.procs[*id], proc), &name, tape, bridged)
        })
    }

    fn name_sweep(&mut self, id: ProcId, proc: &Proc, wish: &str) {
        let name = self.names.fresh(wish);
        self.local_names.take(&name);
        self.sweeps.insert((id, proc.role), (name, proc.params.clone()));
    }
}

/// The parts of the generated file.
#[derive(Default)]
struct Text {
    /// What the head of the file says.
    given: String,
    runtime: String,
    /// Static variables of functions that sweeps share.
    scratch: String,
    shadows: String,
    prototypes: String,
    bodies: String,
    /// Parts of the header.
    globals: String,
    documents: String,
}

impl Text {
    /// Tangents, those of the heads for the user.
    fn tangents(&mut self, unit: &Unit, procs: &[(ProcId, &Proc)], heads: &[ProcId]) {
        for (printed, (id, proc)) in unit.print(procs, false).into_iter().zip(procs) {
            let is_head = heads.contains(id);
            if is_head {
                self.documents += &wrapper::tangent(&unit.program.procs[*id], proc);
            }
            let printed = if is_head { printed.guarded(unit.program, "tangent") } else { printed };
            self.proc(unit.program, &proc.name, printed, is_head);
        }
    }

    fn proc(&mut self, program: &Program, function: &str, printed: body::Printed, exported: bool) {
        let body::Printed { attribute, signature, body } = printed;
        let body = match statics::of_body(program, function, &body) {
            declared if declared.is_empty() => body,
            declared => body.replacen("{\n", &format!("{{\n{declared}"), 1),
        };
        if exported {
            self.documents += &format!("{signature};\n");
            self.bodies += &format!("\n{signature} {body}");
        } else {
            self.prototypes += &format!("static {attribute}{signature};\n");
            self.bodies += &format!("\nstatic {signature} {body}");
        }
    }

    /// All text that may name something of the sources.
    fn needing(&self, helpers: &str) -> String {
        [&self.scratch, &self.shadows, &self.prototypes, &self.bodies, helpers].map(|text: &str| text).concat()
    }

    fn finish(self, unit: &Unit, what: &str, heads: &[ProcId], options: &Options) -> Result<Output, Vec<Refusal>> {
        let problems = std::mem::take(&mut *unit.problems.lock().expect("nobody stops while it is locked"));
        if !problems.is_empty() {
            let refusal = |what: String| {
                let help = "please report this program".into();
                Refusal { class: Class::NotProved, span: Span::default(), what: format!("internal: {what}"), help }
            };
            return Err(problems.into_iter().map(refusal).collect());
        }
        let called = std::mem::take(&mut *unit.called.lock().expect("nobody stops while it is locked"));
        let helpers = unit.helpers.text();
        let in_helpers = names::words(&helpers).filter(|word| Function::lookup(word).is_some());
        let called = called.iter().map(String::as_str).chain(in_helpers).collect();
        let hidden = clashes::hidden(unit.program, &called);
        if !hidden.is_empty() {
            return Err(hidden);
        }
        let header_name = options.header();
        let names: Vec<_> = heads.iter().map(|head| unit.program.procs[*head].name.as_str()).collect();
        let title = |file: &str| format!("/* {file}: the {what} of {}, {SIGNATURE}\n", names.join(", "));
        let mut source = format!("{}{}{PROLOGUE}\n", title(&options.file), self.given);
        // The driver of a check has the program's `main`.
        if !self.runtime.is_empty() {
            source += &format!("#define main {}_main\n", unit.witness);
        }
        // A check has the program in its own file.
        let is_outside = !unit.checks && !unit.program.outside.parts.is_empty();
        let text = match unit.program.sources.iter().find(|source| !source.origins.is_empty()) {
            _ if is_outside => outside::declarations(unit.program, &self.needing(&helpers))?,
            Some(joint) => joint.text.clone(),
            None => names::includes(unit.program, &options.includes),
        };
        // Compilers warn of directives that are not for them.
        if unit.program.sources.iter().any(|source| source.text.contains("pragma adjoint")) {
            source += &format!("{OTHERS_PRAGMAS}{text}{PRAGMAS_AGAIN}");
        } else {
            source += &text;
        }
        if !self.runtime.is_empty() {
            source += "#undef main\n";
        }
        source += &asserted::values(unit.program);
        // A macro of the sources must not change the headers, nor the declarations of a check.
        let macros = names::macros_in_headers(unit.program, &self.runtime);
        let Text { globals, documents, .. } = &self;
        let declared = types::declarations(unit.program, &options.includes, heads, &format!("{globals}{documents}"));
        if declared.contains(types::OWN_TYPES) {
            source += &format!("#define {}\n", types::OWN_TYPES);
        }
        macros.iter().for_each(|name| source += &format!("#pragma push_macro(\"{name}\")\n#undef {name}\n"));
        // What is the sources' must not change its meaning.
        let Preprocessed { taken, hidden, .. } = &unit.program.preprocessed;
        for name in taken.iter().filter(|name| !clashes::is_of_mathematics(unit.program, name)) {
            // glibc's math.h pastes the names of its functions, of all widths.
            let widths = if Function::lookup(name).is_some() { &["", "f", "l"][..] } else { &[] };
            widths.iter().for_each(|width| source += &format!("#define __DECL_SIMD_adtape_not_{name}{width}\n"));
            source += &format!("#define {name} adtape_not_{name}\n");
        }
        source += &format!("#include {}\n", calls::HEADER);
        let of_c = names::HEADERS_OF_C.iter().filter(|header| **header != "stdbool.h");
        of_c.for_each(|header| source += &format!("#include <{header}>\n"));
        taken.iter().chain(hidden).for_each(|name| source += &format!("#undef {name}\n"));
        source += &self.runtime;
        macros.iter().for_each(|name| source += &format!("#pragma pop_macro(\"{name}\")\n"));
        unit.macros.undone.iter().for_each(|name| source += &format!("#undef {name}\n"));
        source += &format!("#include \"{header_name}\"\n\n");
        unit.program.externs.iter().for_each(|declaration| source += &format!("{declaration};\n"));
        source += UNINITIALISED;
        source += &self.scratch;
        source += &self.shadows;
        if unit.allocates.load(Ordering::Relaxed) {
            source += &ALLOCATOR.replace('@', &unit.allocator);
        }
        source += &helpers;
        if self.prototypes.contains(&format!("static {} ", unit.apart)) {
            source += &apart::MACRO.replace('@', &unit.apart);
        }
        source += &self.prototypes;
        source += &self.bodies;
        let guard = names::guard(unit.program, &header_name);
        let title = title(&header_name);
        let (library, documents) = match documents.strip_prefix(&*LIBRARY) {
            Some(documents) => (LIBRARY.as_str(), documents),
            None => ("", documents.as_str()),
        };
        let declared = format!("{declared}{library}{}", header::linkage(&format!("{globals}{documents}")));
        let header = format!("{title}#ifndef {guard}\n#define {guard}\n\n{declared}\n#endif\n");
        Ok(Output { source, header, check: String::new() })
    }
}

/// Calls `see` on every object that an item names.
fn objects_of(proc: &Proc, item: ItemId, see: &mut dyn FnMut(ObjectId)) {
    crate::sweep::tidy::named(proc, item, see);
}
