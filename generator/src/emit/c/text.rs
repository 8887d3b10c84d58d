//! The generated file, from its parts.

use super::preamble::{ALLOCATOR, OTHERS_PRAGMAS, PRAGMAS_AGAIN, SUMS, UNINITIALISED};
use super::unit::{Rounding, Unit};
use super::{apart, asserted, body, calls, clashes, header, implicit, outside, statics, types, wrapper};
use crate::emit::options::{Options, Output};
use crate::ir::*;
use crate::names::{self, SIGNATURE};
use crate::parallel;
use crate::refuse::{Class, Refusal};
use crate::sweeps::Tangents;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

/// The library's header, where prototypes name its types.
pub(super) static LIBRARY: LazyLock<String> = LazyLock::new(|| format!("#include {}\n\n", calls::HEADER));

/// The headers of the rules for libraries.
const RULES: [&str; 9] = [
    include_str!("../../../../include/adtape/rules_implicit.h"),
    include_str!("../../../../include/adtape/rules_blas.h"),
    include_str!("../../../../include/adtape/rules_solvers.h"),
    include_str!("../../../../include/adtape/rules_solvers_cores.h"),
    include_str!("../../../../include/adtape/rules_factors_cores.h"),
    include_str!("../../../../include/adtape/rules_cblas.h"),
    include_str!("../../../../include/adtape/rules_blas_cores.h"),
    include_str!("../../../../include/adtape/rules_mpi.h"),
    include_str!("../../../../include/adtape/rules_gsl.h"),
];

pub(super) const PROLOGUE: &str = "\
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize(\"fp-contract=off\")
#endif
";

/// The parts of the generated file.
#[derive(Default)]
pub(super) struct Text {
    /// What the head of the file says.
    pub(super) given: String,
    pub(super) runtime: String,
    /// What tries the rules in a check.
    pub(super) trials: String,
    /// Static variables of functions that sweeps share.
    pub(super) scratch: String,
    pub(super) shadows: String,
    pub(super) prototypes: String,
    pub(super) bodies: String,
    /// Parts of the header.
    pub(super) globals: String,
    pub(super) documents: String,
}

impl Text {
    /// Tangents, those of the heads for the user.
    pub(super) fn tangents(&mut self, unit: &Unit, procs: &[(ProcId, &Proc)], heads: &[ProcId]) {
        for (printed, (id, proc)) in unit.print(procs, false).into_iter().zip(procs) {
            let is_head = heads.contains(id);
            if is_head {
                self.documents += &wrapper::tangent(&unit.program.procs[*id], proc);
            }
            let printed = if is_head { printed.guarded(unit.program, "tangent") } else { printed };
            self.proc(unit.program, &proc.name, printed, is_head);
        }
    }

    /// The tangents of solvers that follow from those of residuals.
    pub(super) fn implicit_tangents(&mut self, unit: &Unit, tangents: &Tangents) {
        let program = &tangents.program;
        let mut seen = BTreeSet::new();
        for (id, ..) in &tangents.tangents {
            let Some(rule) = program.procs[*id].rule.as_deref() else { continue };
            let Some(implicit) = rule.implicit.as_ref().filter(|implicit| implicit.has_tangent) else { continue };
            let is_residual = |(id, ..): &&(ProcId, String, Proc)| program.procs[*id].name == implicit.residual;
            let Some((residual, _, proc)) = tangents.tangents.iter().find(is_residual) else { continue };
            if !seen.insert(&rule.function) {
                continue;
            }
            let name = unit.sweep_name(*residual, Role::Tangent);
            if let Some((declaration, derivative)) = implicit::tangent(rule, implicit, &name, proc) {
                self.prototypes += &declaration;
                self.bodies += &derivative;
            }
        }
    }

    pub(super) fn proc(&mut self, program: &Program, function: &str, printed: body::Printed, exported: bool) {
        let body::Printed { attribute, signature, begins, body } = printed;
        let body = format!("{begins}{body}");
        let body = format!("{{\n{}{body}}}\n", statics::of_body(program, function, &body));
        if exported {
            self.documents += &format!("{signature};\n");
            self.bodies += &format!("\n{signature} {body}");
        } else {
            self.prototypes += &format!("static {attribute}{signature};\n");
            self.bodies += &format!("\nstatic {signature} {body}");
        }
    }

    /// All text that may name something of the sources.
    pub(super) fn needing(&self, helpers: &str) -> String {
        [&self.scratch, &self.shadows, &self.prototypes, &self.bodies, helpers].map(|text: &str| text).concat()
    }

    pub(super) fn finish(
        self,
        unit: &Unit,
        what: &str,
        heads: &[ProcId],
        options: &Options,
    ) -> Result<Output, Vec<Refusal>> {
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
        let mut source = format!("{}{}", title(&options.file), self.given);
        if unit.rounding == Rounding::All {
            source += PROLOGUE;
        }
        source += "\n";
        // The driver of a check has the program's `main`.
        if !self.runtime.is_empty() {
            source += &format!("#define main {}_main\n", unit.witness);
        }
        // A check has the program in its own file.
        let is_outside = !unit.checks && !unit.program.c.outside.parts.is_empty();
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
        if unit.rounding == Rounding::Sweeps {
            source += PROLOGUE;
        }
        source += &asserted::values(unit.program);
        // A macro of the sources must not change the headers, nor the declarations of a check.
        let rules: BTreeSet<&str> = unit.program.procs.iter().filter_map(|proc| proc.rule.as_ref()?.header).collect();
        let of_rules = if rules.is_empty() { String::new() } else { RULES.concat() };
        let macros = names::macros_in_headers(unit.program, &(of_rules + &self.runtime));
        let Text { globals, documents, .. } = &self;
        let declared = types::declarations(unit.program, &options.includes, heads, &format!("{globals}{documents}"));
        if declared.contains(types::OWN_TYPES) {
            source += &format!("#define {}\n", types::OWN_TYPES);
        }
        macros.iter().for_each(|name| source += &format!("#pragma push_macro(\"{name}\")\n#undef {name}\n"));
        // What is the sources' must not change its meaning.
        let Preprocessed { taken, hidden, .. } = &unit.program.c.preprocessed;
        for name in taken.iter().filter(|name| !clashes::is_of_mathematics(unit.program, name)) {
            // glibc's math.h pastes the names of its functions, of all widths.
            let widths = if Function::lookup(name).is_some() { &["", "f", "l"][..] } else { &[] };
            widths.iter().for_each(|width| source += &format!("#define __DECL_SIMD_adtape_not_{name}{width}\n"));
            source += &format!("#define {name} adtape_not_{name}\n");
        }
        source += &format!("#include {}\n", calls::HEADER);
        let of_c = names::HEADERS_OF_C.iter().filter(|header| **header != "stdbool.h");
        of_c.for_each(|header| source += &format!("#include <{header}>\n"));
        rules.iter().for_each(|header| source += &format!("#include <{header}>\n"));
        taken.iter().chain(hidden).for_each(|name| source += &format!("#undef {name}\n"));
        source += &self.runtime;
        macros.iter().for_each(|name| source += &format!("#pragma pop_macro(\"{name}\")\n"));
        unit.macros.undone.iter().for_each(|name| source += &format!("#undef {name}\n"));
        source += &format!("#include \"{header_name}\"\n\n");
        unit.program.c.externs.iter().for_each(|declaration| source += &format!("{declaration};\n"));
        source += UNINITIALISED;
        if unit.sums.load(Ordering::Relaxed) {
            source += SUMS;
        }
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
        source += &self.trials;
        source += &self.bodies;
        let guard = names::guard(unit.program, &header_name);
        let title = title(&header_name);
        let (library, documents) = match documents.strip_prefix(&*LIBRARY) {
            Some(documents) => (LIBRARY.as_str(), documents),
            None => ("", documents.as_str()),
        };
        let declared = format!("{declared}{library}{}", header::linkage(&format!("{globals}{documents}")));
        let header = format!("{title}#ifndef {guard}\n#define {guard}\n\n{declared}\n#endif\n");
        Ok(Output { source, header, ..Output::default() })
    }
}

impl Unit<'_> {
    /// Prints procedures, each with the one that it is made of.
    pub(super) fn print(&self, procs: &[(ProcId, &Proc)], tape: bool) -> Vec<body::Printed> {
        parallel::map(procs, parallel::threads(), |(id, proc)| {
            let name = self.sweep_name(*id, proc.role);
            let bridged = !self.stepwise.contains(id);
            body::print(self, (&self.program.procs[*id], proc), &name, tape, bridged)
        })
    }
}
