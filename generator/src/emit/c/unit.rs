//! What all procedures of the output share.

use super::body::Macros;
use super::helpers::Helpers;
use crate::emit::options::Options;
use crate::ir::*;
use crate::names::{self, Names};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// Which functions round products and sums apart, whatever the compiler's options are: those whose bits both sweeps need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rounding {
    /// All of the file: passes that run again call functions of the sources, and a check compares with these.
    #[default]
    All,
    /// The sweeps, of which one computes sums again.
    Sweeps,
    /// None.
    None,
}

/// What all procedures of the output share.
pub(super) struct Unit<'a> {
    pub(super) program: &'a Program,
    /// Names of sweeps, and their parameters with what is `const` in each.
    pub(super) sweeps: FxHashMap<(ProcId, Role), (String, Params)>,
    /// Procedures with loops that run again.
    pub(super) stepwise: FxHashSet<ProcId>,
    /// Procedures whose forward sweep leaves everything out.
    pub(super) left_out: FxHashSet<ProcId>,
    /// Names that file scope may not take: every word of the sources.
    pub(super) names: Names,
    /// Names that a sweep that names values may not take: words of the sources that are no variables.
    pub(super) local_names: Names,
    /// Name of the function that allocates or aborts.
    pub(super) allocator: String,
    /// Whether it is called.
    pub(super) allocates: Arc<AtomicBool>,
    /// Whether sums may be split among the parts of vectors.
    pub(super) sums: Arc<AtomicBool>,
    /// Functions that C's library lacks.
    pub(super) helpers: Arc<Helpers>,
    /// How functions begin that note operands for the check.
    pub(super) witness: String,
    /// Whether the file checks itself: it notes the pointers in memory that it reads.
    pub(super) checks: bool,
    /// Which functions round products and sums apart.
    pub(super) rounding: Rounding,
    /// A macro in front of functions that stay functions of their own.
    pub(super) apart: String,
    /// What the sources define.
    pub(super) macros: Macros<'a>,
    pub(super) problems: Arc<Mutex<Vec<String>>>,
    /// Functions of C's library that the sweeps call.
    pub(super) called: Arc<Mutex<BTreeSet<String>>>,
}

impl Unit<'_> {
    pub(super) fn sweep_name(&self, proc: ProcId, role: Role) -> String {
        self.sweeps.get(&(proc, role)).map(|known| known.0.clone()).unwrap_or_else(|| {
            self.problem("a sweep that does not exist is called");
            String::new()
        })
    }

    /// Something that other passes should have refused.
    pub(super) fn problem(&self, what: &str) {
        self.problems.lock().expect("nobody stops while it is locked").push(what.into());
    }
}

impl<'a> Unit<'a> {
    pub(super) fn new(program: &'a Program, options: &Options) -> Unit<'a> {
        let mut names = Names::of_program(program, Some(&options.header()));
        let rules = program.procs.iter().filter_map(|proc| proc.rule.as_deref());
        let given = rules.flat_map(|rule| rule.reverse.iter().chain(&rule.tangent));
        given.for_each(|derivative| names.take(&derivative.name));
        let witness = names.fresh("check_operands");
        Unit {
            program,
            sweeps: FxHashMap::default(),
            stepwise: FxHashSet::default(),
            left_out: FxHashSet::default(),
            local_names: names::local(program, &names),
            apart: names.fresh("APART"),
            allocator: names.fresh("allocate_or_abort"),
            helpers: Arc::new(Helpers::new(program, &mut names)),
            names,
            allocates: Arc::default(),
            sums: Arc::default(),
            witness,
            checks: false,
            rounding: Rounding::default(),
            macros: Macros::of_program(program),
            problems: Arc::default(),
            called: Arc::default(),
        }
    }

    /// Another unit of the same file.
    pub(super) fn sibling<'b>(&self, program: &'b Program) -> Unit<'b> {
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
            sums: self.sums.clone(),
            witness: self.witness.clone(),
            checks: self.checks,
            rounding: self.rounding,
            macros: Macros::of_program(program),
            problems: self.problems.clone(),
            called: self.called.clone(),
        }
    }

    /// Names sweeps; all bodies share the names.
    pub(super) fn name_sweeps<'s>(&mut self, sweeps: impl Iterator<Item = (ProcId, &'s Proc, String)>) {
        for (id, proc, wish) in sweeps {
            let name = self.names.fresh(&wish);
            self.local_names.take(&name);
            self.sweeps.insert((id, proc.role), (name, params(proc)));
        }
        for names in [&mut self.names, &mut self.local_names] {
            *names = std::mem::take(names).shared();
        }
    }
}

/// Parameters, with what is `const` in each.
pub(super) type Params = Vec<(Param, Constants)>;

/// The parameters of a procedure.
pub(super) fn params(proc: &Proc) -> Params {
    let constants = |param: &Param| param.var.map(|var| proc.vars[var].constants).unwrap_or_default();
    proc.params.iter().map(|param| (param.clone(), constants(param))).collect()
}
