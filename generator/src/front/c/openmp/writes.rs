//! What statements write: lvalues, the variables that lead to them, calls.

use super::directive::parts;
use super::uses::bare;
use crate::front::c::tree::Node;
use rustc_hash::FxHashSet;

/// The variables that a node declares.
pub fn declared(node: &Node) -> FxHashSet<u64> {
    fn find(node: &Node, found: &mut FxHashSet<u64>) {
        if matches!(node.kind, "VarDecl" | "ParmVarDecl") && node.storage != "static" && node.storage != "extern" {
            found.insert(node.id);
        }
        parts(node).iter().for_each(|part| find(part, found));
    }
    let mut found = FxHashSet::default();
    find(node, &mut found);
    found
}

pub fn calls<'n, 'a>(node: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    let mut found: Vec<&Node> = parts(node).iter().flat_map(calls).collect();
    if node.kind == "CallExpr" {
        found.push(node);
    }
    found
}

/// The name of the function that is called; empty if a pointer leads to it.
pub fn callee<'n>(call: &'n Node) -> &'n str {
    let callee = call.inner.first().map(bare).filter(|callee| callee.refers_kind == "FunctionDecl");
    callee.map_or("", |callee| &callee.refers_name)
}

/// A change of memory.
pub struct Write<'n, 'a> {
    /// The operator.
    pub node: &'n Node<'a>,
    /// What is written.
    pub target: &'n Node<'a>,
}

impl<'n, 'a> Write<'n, 'a> {
    /// The variable that is written, or that leads to what is written.
    pub fn base(&self) -> Option<u64> {
        variable_of(self.target).map(|found| found.refers)
    }

    /// The variable's name.
    pub fn name(&self) -> String {
        variable_of(self.target).map_or_else(|| "memory".to_string(), |found| found.refers_name.to_string())
    }

    /// Whether a pointer leads from the variable to what is written.
    pub fn is_through(&self) -> bool {
        fn through(node: &Node) -> bool {
            let node = bare(node);
            match (node.kind, node.inner.first()) {
                ("MemberExpr", Some(inner)) => node.flag || through(inner),
                ("ArraySubscriptExpr", Some(inner)) => !decays(inner) || through(inner),
                ("UnaryOperator", _) => true,
                ("DeclRefExpr", _) => false,
                _ => true,
            }
        }
        through(self.target)
    }

    /// The subscripts on the way.
    pub fn subscripts(&self) -> Vec<&'n Node<'a>> {
        subscripts(self.target)
    }
}

/// The subscripts of an lvalue, the first dimension first.
pub fn subscripts<'n, 'a>(node: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    let node = bare(node);
    let mut found = match (node.kind, node.inner.first()) {
        ("MemberExpr" | "ArraySubscriptExpr" | "UnaryOperator", Some(inner)) => subscripts(inner),
        _ => Vec::new(),
    };
    if let ("ArraySubscriptExpr", [_, subscript]) = (node.kind, &node.inner[..]) {
        found.push(subscript);
    }
    found
}

/// Whether the operand of a subscript is an array, and no pointer.
fn decays(node: &Node) -> bool {
    let mut node = node;
    while matches!(node.kind, "ParenExpr" | "ImplicitCastExpr" | "CStyleCastExpr") {
        if node.operator == "ArrayToPointerDecay" {
            return true;
        }
        match node.inner.last() {
            Some(inner) => node = inner,
            None => return false,
        }
    }
    false
}

/// The variable that an lvalue or an address begins with.
pub fn variable_of<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let node = bare(node);
    match node.kind {
        "DeclRefExpr" => Some(node),
        "MemberExpr" | "ArraySubscriptExpr" | "UnaryOperator" => variable_of(node.inner.first()?),
        "BinaryOperator" => node.inner.iter().find(|side| side.ty().contains(['*', '['])).and_then(variable_of),
        _ => None,
    }
}

/// The change of memory that a node is.
pub fn write_of<'n, 'a>(node: &'n Node<'a>) -> Option<Write<'n, 'a>> {
    let writes = match node.kind {
        "CompoundAssignOperator" => true,
        "BinaryOperator" => node.operator == "=",
        "UnaryOperator" => matches!(node.operator.as_ref(), "++" | "--"),
        _ => false,
    };
    Some(Write { node, target: node.inner.first().filter(|_| writes)? })
}

/// The changes of memory below a node.
pub fn writes<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<Write<'n, 'a>>) {
    found.extend(write_of(node));
    parts(node).iter().for_each(|part| writes(part, found));
}
