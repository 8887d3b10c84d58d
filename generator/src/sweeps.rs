//! What a generated adjoint consists of: choices of the user, sweeps of procedures, all that is printed.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::Head;
use crate::ir::*;
use crate::normal::decisions::Decision;
use crate::plan::again::Named;
use crate::plan::{Interface, ProcPlan};
use crate::replay::{Given, Verdict};
use crate::sweep::vector::Wide;

/// What the user chooses.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Loops whose passes the reverse sweep runs again, one at a time, where that can be.
    pub again: Vec<Named>,
    /// Loops whose passes the reverse sweep runs again from snapshots, and how many of these.
    pub checkpoints: Vec<(Named, u32)>,
    /// Largest cost at which a real is computed again instead of stored.
    pub dear: u32,
    /// Whether both sweeps note and compare the operands of adjoints.
    pub check: bool,
    /// Whether variables may bring what depends on the inputs from one call of a head to the next.
    pub one_call: bool,
    /// Whether the sweeps of heads are functions of their own for the user, who may call several heads, or one several
    /// times, before the reverse sweeps run in the mirrored order.
    pub split: bool,
    /// Whether results that heads name are not wanted, only derivatives.
    pub derivatives_only: bool,
    /// Whether adjoints give the results of their heads, too.
    pub value: bool,
    /// Whether adjoints are added in the order in which the reversed program does: no loop turns, and no sum is split.
    pub in_order: bool,
    /// How many adjoints are computed at once, each an array with one for each direction; `None`: one, no array.
    pub vector: Option<u32>,
    /// Changes sweeps in front of their proof, the first and each later one: this is how tests put faults in.
    pub fault: Option<fn(&mut Sweeps, u32)>,
}

impl Default for Choices {
    fn default() -> Self {
        let (again, checkpoints) = (Vec::new(), Vec::new());
        let (check, one_call, split) = (false, false, false);
        let (derivatives_only, value, in_order, vector, fault) = (false, false, false, None, None);
        let dear = 8;
        Choices { again, checkpoints, dear, check, one_call, split, derivatives_only, value, in_order, vector, fault }
    }
}

/// The sweeps of one procedure.
#[derive(Clone, Debug)]
pub struct Sweeps {
    /// Of which procedure.
    pub proc: ProcId,
    /// The stem of their names: the procedure's name, with a number for copies (see `normal::specialise`).
    pub name: String,
    /// Its forward sweep.
    pub forward: Proc,
    /// Its reverse sweep.
    pub reverse: Proc,
    /// How the reverse sweep is called.
    pub interface: Interface,
    /// What both follow.
    pub plan: ProcPlan,
    /// Where the parts of the reverse sweep come from.
    pub origins: Origins,
    /// What the forward sweep leaves out.
    pub deferred: Deferred,
    /// What replay took as given, and what it says.
    pub given: Given,
    /// See [`crate::replay`].
    pub verdict: Verdict,
}

impl Sweeps {
    /// The forward sweep as it runs.
    pub fn runs_forward(&self) -> &Proc {
        self.deferred.forward.as_ref().unwrap_or(&self.forward)
    }
}

/// What is left out of a forward sweep.
#[derive(Clone, Debug, Default)]
pub struct Deferred {
    /// The forward sweep without it.
    pub forward: Option<Proc>,
    /// Its items that are left out.
    pub items: BTreeSet<ItemId>,
    /// Objects whose contents nobody needs where their life ends.
    pub unread: BTreeSet<ObjectId>,
}

/// The adjoint of a program.
#[derive(Clone, Debug)]
pub struct Adjoint {
    /// The program, with the shadows of its globals added.
    pub program: Program,
    /// The shadow of each global that has one.
    pub global_shadows: BTreeMap<GlobalId, GlobalId>,
    /// Sweeps, callees before callers where there is no recursion.
    pub sweeps: Vec<Sweeps>,
    /// The procedures that were asked for.
    pub heads: Vec<ProcId>,
    /// How they were asked for.
    pub asked: Vec<Head>,
    /// For each head, through which of its arguments it may write.
    pub written: BTreeMap<ProcId, Vec<bool>>,
    /// For each head the memory of its caller and at file scope that it tells apart, as C names it; behind each what
    /// may be one object with it.
    pub told_apart: BTreeMap<ProcId, Vec<(String, Vec<String>)>>,
    /// Whether the sweeps of heads are functions of their own for the user.
    pub split: bool,
    /// Whether the adjoint of a head gives its results, too.
    pub value: bool,
    /// With several directions: how the types of adjoints differ from those of the program.
    pub wide: Option<Wide>,
    /// What was done to the program before the sweeps were made, then what they keep because of a proof that failed.
    pub decisions: Vec<Decision>,
    /// How many values are stored, loops taped, and procedures keep all memory that they overwrite, because what would do
    /// without could not be proved.
    pub demotions: usize,
    /// What planning took: moves of the token game, items that the analysis of memory visited.
    pub steps: u64,
}

impl Adjoint {
    /// The functions whose rules are taken as given, in the order of their names.
    pub fn rules(&self) -> Vec<&str> {
        let given = self.sweeps.iter().filter_map(|each| self.program.procs[each.proc].rule.as_deref());
        given.map(|rule| rule.function.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The rules whose derivatives follow from residuals, with the procedures that stand for the functions.
    pub fn implicit(&self) -> impl Iterator<Item = (ProcId, &Rule, &Implicit)> {
        let ruled =
            self.sweeps.iter().filter_map(|each| Some((each.proc, self.program.procs[each.proc].rule.as_deref()?)));
        let mut seen = BTreeSet::new();
        let all = ruled.filter_map(|(proc, rule)| Some((proc, rule, rule.implicit.as_ref()?)));
        all.filter(move |(_, rule, _)| seen.insert(&rule.function))
    }

    /// Whether a head is the residual of a solver, whose adjoint is not for the user.
    pub fn is_residual(&self, head: ProcId) -> bool {
        self.program.is_residual(head)
    }

    /// The type of what the adjoint of a head gives.
    pub fn result_type(&self, head: ProcId) -> &Type {
        let gives = self.value && !self.is_residual(head);
        if gives { &self.program.procs[head].result_type } else { &Type::Void }
    }

    /// What the adjoint of a head is called.
    pub fn name(&self, head: ProcId) -> String {
        let suffix = if self.wide.is_some() { "_bv" } else { "_b" };
        format!("{}{suffix}", self.program.procs[head].name)
    }
}

/// The tangents of a program.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// The program, with the tangents of its globals added.
    pub program: Program,
    /// The tangent of each global that has one.
    pub global_tangents: BTreeMap<GlobalId, GlobalId>,
    /// Procedure, stem of the name of its tangent, tangent; callees before callers.
    pub tangents: Vec<(ProcId, String, Proc)>,
    /// The procedures that were asked for.
    pub heads: Vec<ProcId>,
}
