//! Functions that only report: what they are known by.

use super::scan;
use crate::front::c::tree::Node;
use crate::ir::{Proc, Type, Types};
use rustc_hash::FxHashSet;

/// Whether a function with a variable number of arguments does not read them itself: it passes them on, to `vprintf`, or
/// leaves them alone.
pub(super) fn prints_arguments(node: &Node) -> bool {
    node.written_type.contains("...") && !scan::any(node, &|part| part.kind == "VAArgExpr")
}

/// Whether a function assigns a real that is not a variable of its own: then it does more than report.
pub(super) fn assigns_reals<'a>(function: &'a Node<'a>) -> bool {
    let mut locals = FxHashSet::default();
    scan::walk(function, &mut |node| {
        if matches!(node.kind, "ParmVarDecl" | "VarDecl") && node.storage.is_empty() {
            locals.insert(node.id);
        }
        true
    });
    scan::any(function, &|node| {
        let assigns = match node.kind {
            "CompoundAssignOperator" => true,
            "BinaryOperator" => node.operator == "=",
            "UnaryOperator" => matches!(node.operator.as_ref(), "++" | "--"),
            _ => false,
        };
        let to = node.inner.first().filter(|_| assigns).map(|to| to.bare());
        to.is_some_and(|to| {
            let is_real = to.ty().contains("double") || to.ty().contains("float");
            is_real && !(to.kind == "DeclRefExpr" && locals.contains(&to.refers))
        })
    })
}

/// Whether a procedure takes a text and integers, and gives at most an integer: an error handler.
pub(super) fn is_report(proc: &Proc, types: &Types) -> bool {
    let passes = |ty: &Type| is_text(ty, types) || matches!(ty, Type::Int { .. });
    matches!(proc.result_type, Type::Void | Type::Int { .. })
        && proc.params.iter().any(|param| is_text(&param.ty, types))
        && proc.params.iter().all(|param| passes(&param.ty))
}

/// A pointer to characters, or to a struct of integers and texts: a message.
pub(super) fn is_text(ty: &Type, types: &Types) -> bool {
    let Type::Pointer(to) = ty else { return false };
    let is_character = |ty: &Type| matches!(ty, Type::Int { bits: 8, .. });
    let Type::Struct(id) = **to else { return is_character(to) };
    let members = || types.structs[id].fields.iter().map(|field| &field.ty);
    let text = |ty: &Type| ty.inside().is_some_and(is_character);
    members().any(text) && members().all(|ty| text(ty) || is_integers(ty))
}

fn is_integers(ty: &Type) -> bool {
    match ty {
        Type::Array(row) => is_integers(&row.elem),
        ty => matches!(ty, Type::Int { .. }),
    }
}
