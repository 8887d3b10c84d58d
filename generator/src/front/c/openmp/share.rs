//! A thread's part of a sum: a variable of its own, which loops that the team divides change.

use super::directive::{parts, statement};
use super::uses::{self, Change, mention};
use super::writes::{variable_of, writes};
use crate::front::c::tree::Node;

/// Whether a thread's variable is its part of a sum: it begins with what changes nothing, loops that the team divides
/// change it, and the threads' parts are put together.
pub fn is_part(region: &Node, variable: u64, change: Change) -> bool {
    stray(region, variable, change).is_none()
}

/// Whether a loop whose passes the team divides changes a variable.
pub fn is_divided(node: &Node, variable: u64) -> bool {
    if matches!(node.kind, "OMPForDirective" | "OMPForSimdDirective") {
        let mut all = Vec::new();
        writes(node, &mut all);
        return all.iter().any(|write| write.base() == Some(variable));
    }
    parts(node).iter().any(|part| is_divided(part, variable))
}

/// The first place in a region where a thread's variable is used in another way than a part of a sum.
pub fn stray<'n, 'a>(node: &'n Node<'a>, variable: u64, change: Change) -> Option<&'n Node<'a>> {
    if node.kind == "VarDecl" && node.id == variable {
        return node.inner.iter().find(|start| !change.is_neutral(start));
    }
    if let ("BinaryOperator", "=", [target, value]) = (node.kind, node.operator.as_ref(), &node.inner[..])
        && uses::is(target, variable)
        && change.is_neutral(value)
    {
        return None;
    }
    match node.kind {
        "OMPForDirective" | "OMPForSimdDirective" => uses::other_use(node, variable, change),
        "OMPCriticalDirective" | "OMPAtomicDirective" => {
            let body = statement(node)?;
            let statements = if body.kind == "CompoundStmt" { &body.inner[..] } else { std::slice::from_ref(body) };
            let adds = |statement: &&Node| {
                let own = |value: &Node| uses::is(value, variable);
                let value = statement.inner.last().filter(|_| statement.kind == "CompoundAssignOperator");
                let target = variable_of(statement.inner.first().unwrap_or(statement)).map(|found| found.refers);
                value.is_some_and(own) && target.is_some_and(|target| uses::change_of(statement, target, change))
            };
            statements.iter().filter(|statement| !adds(statement)).find_map(|statement| mention(statement, variable))
        }
        "DeclRefExpr" if node.refers == variable => Some(node),
        _ => parts(node).iter().find_map(|part| stray(part, variable, change)),
    }
}
