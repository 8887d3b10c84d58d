//! Looks ahead in the syntax tree.

use super::super::tree::Node;
use crate::stack::deep;
use rustc_hash::FxHashSet;

/// Calls `f` on a node and all its parts, outermost first, until `f` says that it has seen enough of a part.
pub fn walk<'a>(node: &'a Node<'a>, f: &mut dyn FnMut(&'a Node<'a>) -> bool) {
    if f(node) {
        node.inner.iter().for_each(|part| deep(|| walk(part, f)));
    }
}

/// Whether some part of a node is as `f` says.
pub fn any<'a>(node: &'a Node<'a>, f: &dyn Fn(&'a Node<'a>) -> bool) -> bool {
    f(node) || node.inner.iter().any(|part| deep(|| any(part, f)))
}

/// A name for a block that is assigned to this.
pub fn name_of(node: &Node) -> String {
    let node = node.bare();
    match node.kind {
        "DeclRefExpr" => node.refers_name.to_string(),
        "MemberExpr" | "VarDecl" => node.name.to_string(),
        _ => node.inner.first().map(|part| name_of(part)).unwrap_or_default(),
    }
}

/// The types of the parameters of a function's type: `double`, `int (*)(int)` of `int (double, int (*)(int))`.
pub fn parameters(ty: &str) -> Vec<&str> {
    let (_, list) = ty.strip_suffix(')').unwrap_or(ty).split_once('(').unwrap_or_default();
    between_commas(list).map(str::trim).collect()
}

/// The parts of a list: commas inside of brackets belong to a part.
pub fn between_commas(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    })
}

/// The function that a call names.
pub fn callee<'a>(call: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let mut node = call.inner.first()?.bare();
    while node.kind == "ImplicitCastExpr" {
        node = node.inner.first()?.bare();
    }
    (node.kind == "DeclRefExpr" && node.refers_kind == "FunctionDecl").then_some(node)
}

/// The statements of a function.
pub fn body<'a>(function: &'a Node<'a>) -> Option<&'a Node<'a>> {
    function.inner.iter().rfind(|part| part.kind == "CompoundStmt")
}

/// Whether a node is what the macro `errno` stands for: a call that finds it.
pub fn is_errno(node: &Node) -> bool {
    let call = node.inner.first().map(|part| part.bare());
    let name = call.filter(|call| call.kind == "CallExpr").and_then(|call| callee(call)).map(|name| &name.refers_name);
    name.is_some_and(|name| finds_errno(name))
}

/// Whether a function is the one that finds `errno`.
pub fn finds_errno(name: &str) -> bool {
    matches!(name, "__errno_location" | "__error" | "__errno")
}

/// The variable whose value, a function pointer, a call uses.
pub fn called_variable<'a>(call: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let mut node = call.inner.first()?.bare();
    while node.kind == "ImplicitCastExpr" || (node.kind == "UnaryOperator" && node.operator == "*") {
        node = node.inner.first()?.bare();
    }
    (node.kind == "DeclRefExpr" && node.refers_kind == "VarDecl").then_some(node)
}

/// Declarations whose address is taken by `&`, of the whole or of a part.
pub fn addressed<'a>(body: &'a Node<'a>) -> FxHashSet<u64> {
    let mut found = FxHashSet::default();
    walk(body, &mut |node| {
        // What it points to is assigned, and the address goes nowhere.
        if is_posix_memalign(node) {
            return false;
        }
        if node.kind == "UnaryOperator" && node.operator == "&" {
            let mut node = node.only().bare();
            // `&p->x` and `&a[i]` with a pointer do not take the address of `p` or `a`.
            while (node.kind == "MemberExpr" && !node.flag) || node.kind == "ArraySubscriptExpr" {
                let Some(base) = node.inner.first() else { break };
                node = base.bare();
                if node.kind == "ImplicitCastExpr" && node.operator == "ArrayToPointerDecay" {
                    node = node.only().bare();
                }
            }
            if node.kind == "DeclRefExpr" {
                found.insert(node.refers);
            }
        }
        true
    });
    found
}

fn is_posix_memalign(node: &Node) -> bool {
    node.kind == "CallExpr" && callee(node).is_some_and(|callee| callee.refers_name == "posix_memalign")
}

/// Declarations that are assigned by name.
pub fn assigned<'a>(body: &'a Node<'a>) -> FxHashSet<u64> {
    let mut found = FxHashSet::default();
    walk(body, &mut |node| {
        let assigns = match node.kind {
            "CompoundAssignOperator" => true,
            "BinaryOperator" => node.operator == "=",
            "UnaryOperator" => matches!(node.operator.as_ref(), "++" | "--"),
            _ => false,
        };
        let to = node.inner.first().filter(|_| assigns).or_else(|| filled_with_block(node));
        if let Some(to) = to.map(|to| to.bare()).filter(|to| to.kind == "DeclRefExpr") {
            found.insert(to.refers);
        }
        true
    });
    found
}

/// What a call of `posix_memalign` sets to a new block.
fn filled_with_block<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let mut to = node.inner.get(1).filter(|_| is_posix_memalign(node))?.bare();
    while matches!(to.kind, "ImplicitCastExpr" | "CStyleCastExpr") {
        to = to.inner.first()?.bare();
    }
    to.inner.first().filter(|_| to.operator == "&")
}

/// Adds the names of variables that are mentioned, unless only their value is read.
pub fn exposed<'a>(node: &'a Node<'a>, names: &mut FxHashSet<&'a str>) {
    walk(node, &mut |node| {
        let named = |node: &Node| node.kind == "DeclRefExpr" && node.refers_kind == "VarDecl";
        if named(node) {
            names.insert(node.refers_name.as_ref());
        }
        let reads = node.kind == "ImplicitCastExpr" && node.operator == "LValueToRValue";
        !(reads && node.inner.first().is_some_and(|of| named(of.bare())))
    });
}

/// Adds the names that are assigned as a whole, or whose address is taken.
pub fn changed<'a>(body: &'a Node<'a>, names: &mut FxHashSet<String>) {
    walk(body, &mut |node| {
        let changes = match node.kind {
            "BinaryOperator" => node.operator == "=",
            "UnaryOperator" => node.operator == "&",
            _ => false,
        };
        if let Some(to) = node.inner.first().filter(|_| changes).map(|to| to.bare())
            && to.kind == "DeclRefExpr"
        {
            names.insert(to.refers_name.to_string());
        }
        true
    });
}

/// Labels that a statement jumps to.
pub fn jumps_to(node: &Node, label: u64) -> bool {
    let here = node.kind == "GotoStmt" && node.refers == label;
    here || node.inner.iter().any(|part| part.control.goto && deep(|| jumps_to(part, label)))
}

/// Labels in the blocks, arms and loops of a statement, but not in its switches, nor behind a declaration that begins a
/// loop.
pub fn labels_inside(node: &Node) -> Vec<u64> {
    let mut found = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        if !has_label(node) {
            continue;
        }
        match node.kind {
            "LabelStmt" => {
                found.push(node.refers);
                todo.extend(node.inner.last());
            }
            "IfStmt" => todo.extend(node.inner.iter().skip(1)),
            "CompoundStmt" => todo.extend(&node.inner),
            "WhileStmt" => todo.extend(node.inner.last()),
            "DoStmt" => todo.extend(node.inner.first()),
            "ForStmt" if node.inner.first().is_some_and(|init| init.kind != "DeclStmt") => {
                todo.extend(node.inner.last());
            }
            _ => {}
        }
    }
    found
}

/// The statements from a label to the end of its block, if they always leave and mean the same wherever they stand: they
/// have no jumps but `return`, no labels and no declarations, and name no variables of a block inside the function's.
pub fn ending<'a>(body: &'a Node<'a>, label: u64) -> Option<Vec<&'a Node<'a>>> {
    let is_it = |part: &Node| part.kind == "LabelStmt" && part.refers == label;
    let mut todo = vec![body];
    while let Some(node) = todo.pop() {
        let Some(at) = node.inner.iter().position(is_it).filter(|_| node.kind == "CompoundStmt") else {
            todo.extend(node.inner.iter());
            continue;
        };
        let statements: Vec<_> = node.inner[at].inner.iter().chain(&node.inner[at + 1..]).collect();
        let outer =
            |id: u64| body.inner.iter().any(|part| part.kind == "DeclStmt" && part.inner.iter().any(|v| v.id == id));
        let is_inner = |part: &Node| {
            part.kind == "DeclRefExpr"
                && !outer(part.refers)
                && any(body, &|v| v.kind == "VarDecl" && v.id == part.refers)
        };
        let stays_here = |part: &Node| {
            let jumps = matches!(part.kind, "GotoStmt" | "IndirectGotoStmt" | "BreakStmt" | "ContinueStmt");
            jumps || matches!(part.kind, "LabelStmt" | "CaseStmt" | "DefaultStmt" | "DeclStmt") || is_inner(part)
        };
        let leaves = !statements.iter().all(|statement| may_fall(statement));
        let alone = !statements.iter().any(|statement| any(statement, &stays_here));
        return (leaves && alone).then_some(statements);
    }
    None
}

/// Labels in each arm of an `if` that the other arm jumps to.
pub fn crossing_labels<'a>(node: &'a Node<'a>) -> [Vec<u64>; 2] {
    let [_, then, otherwise] = &node.inner[..] else { return [Vec::new(), Vec::new()] };
    let into = |from: &'a Node<'a>, to: &Node| -> Vec<u64> {
        labels_inside(to).into_iter().filter(|label| jumps_to(from, *label)).collect()
    };
    [into(otherwise, then), into(then, otherwise)]
}

/// Whether a statement contains a label or a `case`.
pub fn has_label(node: &Node) -> bool {
    node.control.label
}

/// Whether control may reach what follows a statement. `true` if in doubt.
pub fn may_fall(node: &Node) -> bool {
    node.control.falls
}
