//! Values that a statement reads from memory which it may overwrite itself: the subscript in `t[t[i]] = e`, an argument
//! beside the array that the call changes. They become variables, so that the reverse sweep can ask for them.

use super::effects::Kinds;
use super::*;
use crate::ir::walk;

impl Lower<'_, '_> {
    /// A place that is written, with the parts of its address that the store may change as values.
    pub fn settled(&mut self, mut place: Place, written: Kinds) -> Place {
        if let Base::At(pointer) = &mut place.base
            && self.reads(pointer, written)
        {
            **pointer = self.settled_argument((**pointer).clone(), written);
        }
        for step in &mut place.path {
            let Step::Index(subscripts) = step else { continue };
            for subscript in subscripts {
                if self.reads(&subscript.at, written) {
                    subscript.at = self.b.keep("at", subscript.at.clone());
                }
            }
        }
        place
    }

    /// An argument of a call that writes memory of these kinds, as a value if it is read from there.
    pub fn settled_argument(&mut self, arg: Expr, written: Kinds) -> Expr {
        if !self.reads(&arg, written) {
            return arg;
        }
        match arg.kind {
            ExprKind::Address(place) => {
                Expr { kind: ExprKind::Address(Box::new(self.settled(*place, written))), ty: arg.ty }
            }
            ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => {
                Expr { kind: ExprKind::Load(Box::new(self.settled(*place, written))), ty: arg.ty }
            }
            _ => self.b.keep("argument", arg),
        }
    }

    fn reads(&self, expr: &Expr, written: Kinds) -> bool {
        let mut found = false;
        walk::expressions(expr, &mut |part| {
            let ExprKind::Load(place) = &part.kind else { return };
            if !matches!(place.base, Base::Global(global) if self.reader.globals[global.index()].constant) {
                found |= Kinds::of(&part.ty, &self.reader.structs.types).meets(written);
            }
        });
        found
    }
}

impl<'a> Lower<'_, 'a> {
    /// Whether the value of an expression needs items of its own: it writes, calls or branches.
    pub fn has_items(&self, node: &'a Node<'a>) -> bool {
        let here = match node.kind {
            "CompoundAssignOperator" | "StmtExpr" | "CompoundLiteralExpr" | "BinaryConditionalOperator" => true,
            "BinaryOperator" => node.operator == "=",
            "UnaryOperator" => matches!(node.operator.as_ref(), "++" | "--"),
            "CallExpr" => scan::callee(node).is_none_or(|callee| !library::is_expression(&callee.refers_name)),
            "ConditionalOperator" => !self.is_selection(node),
            "UnaryExprOrTypeTraitExpr" => return false,
            _ => self.reads_volatile(node),
        };
        here || node.inner.iter().any(|part| deep(|| self.has_items(part)))
    }

    /// Whether a conditional expression is of integers or pointers.
    fn is_selection(&self, node: &Node) -> bool {
        let text = node.ty();
        text.ends_with('*') || !(text.contains("double") || text.contains("float") || text == "void")
    }
}
