//! Places behind a pointer that is one of several.

use super::state::Locator;
use crate::flow::locs::Loc;
use crate::flow::poly::{Facts, Poly};
use crate::flow::walk;
use crate::ir::{Base, Def, Expr, ExprKind, ItemKind, Place, ProcId, Type, ValueId};

/// More places than this are not told apart.
const MOST: usize = 8;

impl Locator<'_> {
    /// The elements of which a place is sure to be one, if they are known in front of all loops that hand its pointer on.
    pub(super) fn one_of(&self, p: ProcId, place: &Place, facts: &Facts) -> Option<Vec<(Loc, Poly)>> {
        let Base::At(pointer) = &place.base else { return None };
        let along = |(loc, at)| self.along(p, place, (loc, at, None), facts);
        self.bases(p, pointer, facts)?.into_iter().map(along).collect()
    }

    /// The elements of which a pointer is sure to point to one.
    pub fn bases(&self, p: ProcId, pointer: &Expr, facts: &Facts) -> Option<Vec<(Loc, Poly)>> {
        let found = match &pointer.kind {
            _ if self.base(p, pointer, facts).is_some() => self.base(p, pointer, facts).map(|one| vec![one]),
            ExprKind::Value(value) => self.bases_of_value(p, *value),
            ExprKind::Select(_, then, otherwise) => {
                let all = [then, otherwise].into_iter().filter(|arm| !is_null(arm));
                let all: Option<Vec<_>> = all.map(|arm| self.bases(p, arm, facts)).collect();
                all.map(|all| all.into_iter().flatten().collect())
            }
            ExprKind::Cast(of) if matches!(of.ty, Type::Pointer(_)) => self.bases(p, of, facts),
            ExprKind::Address(place) => match self.locate(p, place, facts) {
                Some(one) => Some(vec![one]),
                None => self.one_of(p, place, facts),
            },
            _ => None,
        };
        found.filter(|all| all.len() <= MOST)
    }

    fn bases_of_value(&self, p: ProcId, value: ValueId) -> Option<Vec<(Loc, Poly)>> {
        let proc = &self.program.procs[p];
        let of = proc.copy_of(value);
        if of.values.contains(&value) {
            let Def::Is(expr @ Expr { kind: ExprKind::Select(..), .. }) = &proc.values[value].def else {
                return None;
            };
            return self.bases(p, expr, &self.facts(p, proc.values[value].region));
        }
        // What a pass computes is another pointer in the next one.
        let is_handed_on = |from: &ValueId| {
            of.loops.iter().any(|item| {
                if let ItemKind::Loop { body, .. } = proc.items[*item].kind {
                    walk::contains(proc, body, proc.values[*from].region)
                } else {
                    true
                }
            })
        };
        if of.values.iter().any(is_handed_on) {
            return None;
        }
        let base = |from: &ValueId| {
            let pointer = Expr::value(*from, self.type_of(p, *from).clone());
            self.bases(p, &pointer, &self.facts(p, proc.values[*from].region))
        };
        // Nothing is accessed behind NULL.
        let all: Option<Vec<_>> = of.values.iter().filter(|from| !self.is_null(p, **from)).map(base).collect();
        all.map(|all| all.into_iter().flatten().collect())
    }

    /// Whether a value is NULL as the program writes it.
    pub fn is_null(&self, p: ProcId, value: ValueId) -> bool {
        match &self.program.procs[p].values[value].def {
            Def::Is(expr) => is_null(expr),
            _ => false,
        }
    }
}

fn is_null(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null => true,
        ExprKind::Cast(of) => matches!(of.kind, ExprKind::Null | ExprKind::Int(0)),
        _ => false,
    }
}
