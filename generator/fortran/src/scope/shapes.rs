//! Bounds of arrays.

use super::program::{Class, Program, ScopeId, SymbolId};
use crate::tree::attribute::Dim;
use crate::tree::expression::Expr;

/// The bounds of one dimension, in the scope that declares them.
#[derive(Clone, Copy)]
pub struct Bounds<'t> {
    /// The lower bound; 1 if there is none.
    pub lower: Option<&'t Expr>,
    /// The upper bound.
    pub upper: Upper<'t>,
    /// The scope of both.
    pub scope: ScopeId,
}

/// Where a dimension ends.
#[derive(Clone, Copy)]
pub enum Upper<'t> {
    /// There.
    Expr(&'t Expr),
    /// Where the argument does, or what it is associated with.
    Assumed,
    /// Set by ALLOCATE or by pointer assignment.
    Deferred,
    /// Where the argument's memory does, or where the constant's value does.
    Star,
}

impl<'t> Program<'t> {
    /// The bounds of a variable or a constant; none for a scalar.
    pub fn bounds(&self, id: SymbolId) -> Option<Vec<Bounds<'t>>> {
        let symbol = self.symbol(id);
        let dims = symbol.dims?;
        let is_deferred = symbol.flags.allocatable || symbol.flags.pointer;
        let bounds = |dim: &'t Dim| {
            let (lower, upper) = match dim {
                Dim::Explicit(lower, upper) => (lower.as_ref(), Upper::Expr(upper)),
                Dim::Assumed(lower) if is_deferred => (lower.as_ref(), Upper::Deferred),
                Dim::Assumed(lower) => (lower.as_ref(), Upper::Assumed),
                Dim::Star(lower) => (lower.as_ref(), Upper::Star),
                Dim::AssumedRank => return None,
            };
            Some(Bounds { lower, upper, scope: symbol.scope })
        };
        dims.iter().map(bounds).collect()
    }

    /// The number of dimensions of a symbol; none if it is not known, or the argument's.
    pub fn rank(&self, id: SymbolId) -> Option<u8> {
        let symbol = self.symbol(id);
        match (&symbol.class, symbol.dims) {
            (Class::Associated(value), _) => self.type_of(self.outside(symbol.scope), value).rank,
            (Class::Opaque(_), _) => None,
            (Class::Known(values), _) => Some(u8::from(values.len() > 1)),
            (_, Some(dims)) if dims.iter().any(|dim| matches!(dim, Dim::AssumedRank)) => None,
            (_, dims) => u8::try_from(dims.map_or(0, <[Dim]>::len)).ok(),
        }
    }

    /// The scope around that of a construct.
    pub(super) fn outside(&self, scope: ScopeId) -> ScopeId {
        self.scope(scope).host.unwrap_or(scope)
    }
}

impl Bounds<'_> {
    /// The lower bound, if it is constant.
    pub fn constant_lower(&self, program: &Program) -> Option<i128> {
        self.lower.map_or(Some(1), |lower| program.constant_integer(self.scope, lower))
    }

    /// The number of elements, if it is constant.
    pub fn extent(&self, program: &Program) -> Option<i128> {
        let Upper::Expr(upper) = self.upper else { return None };
        let upper = program.constant_integer(self.scope, upper)?;
        Some((upper - self.constant_lower(program)? + 1).max(0))
    }
}
