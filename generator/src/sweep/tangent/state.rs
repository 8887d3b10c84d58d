//! A tangent while it is built.

use crate::ir::*;
use crate::refuse::Refusal;
use crate::sweep::context::Context;
use rustc_hash::FxHashMap;

pub(super) struct Builder<'a> {
    pub(super) cx: &'a Context<'a>,
    pub(super) id: ProcId,
    pub(super) primal: &'a Proc,
    pub(super) out: Proc,
    pub(super) vars: FxHashMap<VarId, VarId>,
    pub(super) values: FxHashMap<ValueId, ValueId>,
    /// Pointers that lead to tangents.
    pub(super) followed: Vec<bool>,
    pub(super) shadows: FxHashMap<ObjectId, ObjectId>,
    pub(super) result: Option<ValueId>,
    /// The region that is being written.
    pub(super) at: RegionId,
    pub(super) span: Span,
    pub(super) statement: Option<StatementId>,
    pub(super) refusals: Vec<Refusal>,
}
