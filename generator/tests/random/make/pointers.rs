//! Pointer variables, and arrays of arrays of rows, into which they point.

use super::Maker;
use super::number;
use super::stmt::Made;
use crate::ast::*;

impl Maker {
    /// A pointer variable, now and then one of two places, and now and then moved.
    pub(super) fn pointer_variable(&mut self) -> Made {
        let write = !self.pure;
        let of = self.real_type();
        let extent = self.rng.pick(&[1, 3, 4, 5]);
        let first = self.pointer(&of, extent, write)?;
        let init = if self.rng.chance(25) {
            let other = self.pointer(&of, extent, write)?;
            Expr::Cond(Box::new([self.cond(0), first, other]))
        } else {
            first
        };
        let var = self.variable("p", Ty::ptr(of.clone()));
        self.vars[var].constant = !write;
        let mut list = vec![Stmt::Decl(var, Init::One(init), None)];
        if self.rng.chance(25) {
            let other = self.pointer(&of, extent, write)?;
            list.push(Stmt::If(self.cond(0), vec![Stmt::Assign(Self::local(var), None, other)], Vec::new()));
        }
        self.show(var, None, extent, write);
        Some(list)
    }

    /// Another place for a pointer variable, or, by a condition, one of two. What it points to was declared before it,
    /// so it lives as long.
    pub(super) fn pointed_elsewhere(&mut self) -> Made {
        let is_pointer = |item: &super::Item| match (&item.ty, item.base) {
            (Ty::Ptr(of), Base::Local(var)) => of.real() && self.vars[var].name.starts_with('p'),
            _ => false,
        };
        let all: Vec<usize> = (0..self.scope.len()).filter(|at| is_pointer(&self.scope[*at])).collect();
        if all.is_empty() {
            return None;
        }
        let at = self.rng.pick(&all);
        let item = self.scope[at].clone();
        let (Base::Local(var), Ty::Ptr(of)) = (item.base, item.ty) else { return None };
        let behind = self.scope.split_off(at);
        let [first, second] = [0; 2].map(|_| self.pointer(&of, item.extent, item.writable));
        self.scope.extend(behind);
        let to = match self.rng.below(4) {
            0 => first?,
            1 => Expr::Cond(Box::new([self.cond(0), first?, second?])),
            2 => Expr::Cond(Box::new([self.cond(0), Self::load(var), first?])),
            _ => {
                let inner = Expr::Cond(Box::new([self.cond(0), second?, Self::load(var)]));
                Expr::Cond(Box::new([self.cond(0), first?, inner]))
            }
        };
        Some(vec![Stmt::Assign(Self::local(var), None, to)])
    }

    /// An array of three dimensions, each element with a value.
    pub(super) fn rows_of_rows(&mut self, elem: Ty) -> Vec<Stmt> {
        let extents = [2, 3, 4];
        let var = self.variable("t", extents.iter().rev().fold(elem, |ty, extent| Ty::array(ty, *extent)));
        let counters = extents.map(|_| self.variable("i", Ty::Int(Int::I32)));
        let mark = self.scope.len();
        for (counter, extent) in counters.iter().zip(extents) {
            self.show(*counter, Some((0, i64::try_from(extent).unwrap() - 1)), 0, false);
        }
        let value = self.damped(1);
        self.scope.truncate(mark);
        let steps = counters.iter().map(|counter| Step::At(Self::load(*counter), false)).collect();
        let mut inner = Stmt::Assign(Lv { base: Base::Local(var), steps }, None, value);
        for (counter, extent) in counters.iter().zip(extents).rev() {
            inner = self.up(*counter, number(i64::try_from(extent).unwrap()), vec![inner]);
        }
        self.show(var, None, 0, true);
        vec![Stmt::Decl(var, Init::None, None), inner]
    }
}
