//! Deep expressions, in parts.
//!
//! What the analyses know of an operator, they find by reading its operands: in a product of a thousand factors each
//! factor would be read a thousand times, and its adjoint would be a product of as many. So what is deeper than a
//! program is written by hand goes to variables of its own on the way, as if the user had written several statements.

use super::*;
use crate::ir::walk;

/// Operators inside each other that stay one expression.
const DEPTH: u32 = 64;

impl<'a> Lower<'_, 'a> {
    /// The value of an expression in front of which statements may stand.
    pub fn whole_value(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        self.in_parts(true, |lower| lower.value(node))
    }

    /// Does something with or without room for statements in front of it: what is evaluated only sometimes has none.
    pub fn in_parts<R>(&mut self, may_part: bool, work: impl FnOnce(&mut Self) -> R) -> R {
        let around = std::mem::replace(&mut self.may_part, may_part);
        let result = work(self);
        self.may_part = around;
        result
    }

    /// The value, or a variable that has it from now on.
    pub fn parted(&mut self, value: Expr) -> Expr {
        let is_part = self.may_part && matches!(value.ty, Type::Float { .. }) && is_deep(&value, DEPTH);
        if is_part { self.b.keep("part", value) } else { value }
    }
}

/// Whether so many expressions stand inside each other.
fn is_deep(expr: &Expr, left: u32) -> bool {
    let mut deep = left == 0;
    if !deep {
        walk::parts(expr, &mut |part| deep = deep || is_deep(part, left - 1));
    }
    deep
}
