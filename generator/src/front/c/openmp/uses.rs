//! What a statement does to one variable: whether it writes the variable before it reads it, and whether it only adds
//! to it.

use super::super::tree::Node;
use super::directive::{is_directive, parts};
use super::source::Directives;

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// On some path the variable is read, or its address taken, and not written before.
    Reads,
    /// On every path it is written first.
    Writes,
    /// Neither.
    Nothing,
}

impl Use {
    fn then(self, next: impl FnOnce() -> Use) -> Use {
        if self == Use::Nothing { next() } else { self }
    }

    /// Of two paths.
    fn or(self, other: Use) -> Use {
        match (self, other) {
            (Use::Reads, _) | (_, Use::Reads) => Use::Reads,
            (Use::Writes, Use::Writes) => Use::Writes,
            _ => Use::Nothing,
        }
    }

    /// The use on a path that may not be taken.
    fn perhaps(self) -> Use {
        self.or(Use::Nothing)
    }
}

/// The node without parentheses and conversions.
pub fn bare<'n, 'a>(node: &'n Node<'a>) -> &'n Node<'a> {
    let mut node = node;
    while matches!(node.kind, "ParenExpr" | "ConstantExpr" | "ImplicitCastExpr" | "CStyleCastExpr") {
        match node.inner.last() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Whether an expression is this variable, and nothing else.
pub fn is(node: &Node, variable: u64) -> bool {
    let node = bare(node);
    node.kind == "DeclRefExpr" && node.refers == variable
}

/// Whether a node names a variable.
pub fn names(node: &Node, variable: u64) -> bool {
    node.kind == "DeclRefExpr" && node.refers == variable || parts(node).iter().any(|part| names(part, variable))
}

/// Whether control may leave a statement for another place than the next statement.
fn jumps(node: &Node) -> bool {
    matches!(node.kind, "BreakStmt" | "ContinueStmt" | "GotoStmt" | "IndirectGotoStmt") || parts(node).iter().any(jumps)
}

/// Whether a `goto` is below a node.
pub fn has_goto(node: &Node) -> bool {
    matches!(node.kind, "GotoStmt" | "IndirectGotoStmt") || parts(node).iter().any(has_goto)
}

fn sequence<'n, 'a: 'n>(nodes: impl Iterator<Item = &'n Node<'a>>, variable: u64, known: &Directives) -> Use {
    nodes.fold(Use::Nothing, |before, node| before.then(|| first_use(node, variable, known)))
}

/// What a statement does first to a variable.
pub fn first_use(node: &Node, variable: u64, known: &Directives) -> Use {
    let of = |node: &Node| first_use(node, variable, known);
    let inner = parts(node);
    match node.kind {
        "DeclRefExpr" if node.refers == variable => Use::Reads,
        "UnaryExprOrTypeTraitExpr" => Use::Nothing,
        "BinaryOperator" if node.operator == "=" && inner.len() == 2 && is(&inner[0], variable) => {
            of(&inner[1]).then(|| Use::Writes)
        }
        "BinaryOperator" if matches!(node.operator.as_ref(), "&&" | "||") && inner.len() == 2 => {
            of(&inner[0]).then(|| of(&inner[1]).perhaps())
        }
        "ConditionalOperator" | "IfStmt" if inner.len() >= 2 => {
            let arm = |at: usize| inner.get(at).map_or(Use::Nothing, of);
            of(&inner[0]).then(|| arm(1).or(arm(2)))
        }
        "ForStmt" if inner.len() == 5 => {
            of(&inner[0]).then(|| sequence([2, 4, 3].map(|at| &inner[at]).into_iter(), variable, known).perhaps())
        }
        "WhileStmt" => sequence(inner.iter(), variable, known).perhaps(),
        "DoStmt" if inner.iter().any(jumps) => sequence(inner.iter(), variable, known).perhaps(),
        "SwitchStmt" => {
            let arms = inner.last().filter(|body| body.kind == "CompoundStmt").map_or(&[][..], |body| parts(body));
            let mut found = sequence(inner[..inner.len() - usize::from(!inner.is_empty())].iter(), variable, known);
            let mut arm = Use::Nothing;
            for part in arms {
                if matches!(part.kind, "CaseStmt" | "DefaultStmt") {
                    arm = Use::Nothing;
                }
                arm = arm.then(|| of(part));
                found = if arm == Use::Reads { found.or(Use::Reads) } else { found };
            }
            found
        }
        _ if is_directive(node) => {
            let here = |name: &str| {
                let clauses = known.get(&node.id).map(|directive| directive.all(name));
                clauses.is_some_and(|mut all| all.any(|clause| known.lists(node, clause, variable)))
            };
            if here("firstprivate") || here("reduction") {
                Use::Reads
            } else if here("private") {
                Use::Nothing
            } else {
                sequence(inner.iter(), variable, known)
            }
        }
        _ => sequence(inner.iter(), variable, known),
    }
}

/// What the program does first to a variable once control has left a node; `path`: what encloses the node, the
/// function's body first. A jump may leave out a write, so one behind a jump does not count.
pub fn behind(path: &[&Node], node: &Node, variable: u64, known: &Directives) -> Use {
    let mut child: &Node = node;
    let mut may_skip = false;
    for parent in path.iter().rev() {
        let inner = parts(parent);
        let at = inner.iter().position(|part| std::ptr::eq(part, child));
        let next: Vec<&Node> = match (parent.kind, at) {
            ("CompoundStmt", Some(at)) => inner[at + 1..].iter().collect(),
            ("ForStmt", Some(4)) if inner.len() == 5 => [3, 2, 4].map(|at| &inner[at]).to_vec(),
            ("WhileStmt" | "DoStmt", Some(_)) => inner.iter().rev().collect(),
            _ => Vec::new(),
        };
        let is_loop = matches!(parent.kind, "ForStmt" | "WhileStmt" | "DoStmt");
        for statement in next {
            match first_use(statement, variable, known) {
                Use::Reads => return Use::Reads,
                Use::Writes if !is_loop && !may_skip => return Use::Writes,
                // What else a pass does, it does to what it has written itself.
                Use::Writes if is_loop => break,
                _ => may_skip |= jumps(statement),
            }
        }
        may_skip &= !is_loop;
        child = parent;
    }
    Use::Nothing
}

/// How a reduction, or a sum by hand, changes its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds to it.
    Adds,
    /// Multiplies it.
    Multiplies,
    /// Keeps the larger one.
    Largest,
    /// Keeps the smaller one.
    Smallest,
    /// `&`, `|`, `^`, `&&`, `||`.
    Bits(&'static str),
}

impl Change {
    /// By the operator of a clause.
    pub fn of_clause(operator: &str) -> Option<Change> {
        Some(match operator {
            "+" | "-" => Change::Adds,
            "*" => Change::Multiplies,
            "max" => Change::Largest,
            "min" => Change::Smallest,
            other => Change::Bits(["&", "|", "^", "&&", "||"].into_iter().find(|known| *known == other)?),
        })
    }

    /// Whether a literal leaves what it is combined with as it is.
    pub fn is_neutral(self, literal: &Node) -> bool {
        let literal = bare(literal);
        let value = || literal.value.parse::<f64>().ok();
        let is_number = matches!(literal.kind, "IntegerLiteral" | "FloatingLiteral");
        is_number
            && value().is_some_and(|value| match self {
                Change::Adds => value == 0.0,
                Change::Multiplies => value == 1.0,
                _ => false,
            })
    }
}

/// Whether two expressions are one text.
pub fn same(one: &Node, other: &Node) -> bool {
    let (one, other) = (bare(one), bare(other));
    one.kind == other.kind
        && one.refers == other.refers
        && one.name == other.name
        && one.operator == other.operator
        && one.value == other.value
        && one.flag == other.flag
        && one.inner.len() == other.inner.len()
        && one.inner.iter().zip(&other.inner).all(|(one, other)| same(one, other))
}

/// Whether an lvalue is the variable, or an element of the array with its name whose subscript does not name it.
fn is_target(node: &Node, variable: u64) -> bool {
    let node = bare(node);
    match (node.kind, &node.inner[..]) {
        ("ArraySubscriptExpr", [base, subscript]) => is_target(base, variable) && !names(subscript, variable),
        ("MemberExpr", _) => false,
        _ => is(node, variable),
    }
}

/// What stands beside the target in a sum or product that the target is a term of, once.
fn beside<'n, 'a>(node: &'n Node<'a>, target: &Node, change: Change, found: &mut Vec<&'n Node<'a>>) -> bool {
    let node = bare(node);
    if same(node, target) {
        return true;
    }
    let [left, right] = &node.inner[..] else { return false };
    let operator = node.operator.as_ref();
    let either = match change {
        Change::Adds => matches!(operator, "+" | "-"),
        Change::Multiplies => operator == "*",
        Change::Bits(own) => operator == own,
        Change::Largest | Change::Smallest => false,
    };
    if node.kind != "BinaryOperator" || !either {
        return false;
    }
    let mut try_side = |side: &'n Node<'a>, other: &'n Node<'a>| {
        let before = found.len();
        let done = beside(side, target, change, found);
        if done {
            found.push(other)
        } else {
            found.truncate(before)
        }
        done
    };
    try_side(left, right) || operator != "-" && try_side(right, left)
}

/// Whether a comparison is true where the value is larger (or smaller) than the target.
fn compares(node: &Node, value: &Node, target: &Node, change: Change) -> bool {
    let node = bare(node);
    let [left, right] = &node.inner[..] else { return false };
    let (up, down) = (matches!(node.operator.as_ref(), ">" | ">="), matches!(node.operator.as_ref(), "<" | "<="));
    let (up, down) = if change == Change::Largest { (up, down) } else { (down, up) };
    node.kind == "BinaryOperator"
        && (up && same(left, value) && same(right, target) || down && same(left, target) && same(right, value))
}

/// How a statement changes a variable, if that is all that it does with it. `wanted`: the changes to try.
pub fn change_of(node: &Node, variable: u64, wanted: Change) -> bool {
    let clean = |value: &Node| !names(value, variable);
    let node = if node.kind == "ParenExpr" { bare(node) } else { node };
    match (node.kind, &node.inner[..]) {
        ("CompoundAssignOperator", [target, value]) if is_target(target, variable) && clean(value) => match wanted {
            Change::Adds => matches!(node.operator.as_ref(), "+=" | "-="),
            Change::Multiplies => node.operator == "*=",
            Change::Bits(operator) => node.operator.strip_suffix('=') == Some(operator),
            Change::Largest | Change::Smallest => false,
        },
        ("UnaryOperator", [target]) if matches!(node.operator.as_ref(), "++" | "--") => {
            wanted == Change::Adds && is_target(target, variable)
        }
        ("BinaryOperator", [target, value]) if node.operator == "=" && is_target(target, variable) => {
            assigned(target, value, variable, wanted)
        }
        ("IfStmt", [on, then]) => {
            let then = match (then.kind, &then.inner[..]) {
                ("CompoundStmt", [only]) => only,
                _ => then,
            };
            let [target, value] = &then.inner[..] else { return false };
            then.kind == "BinaryOperator"
                && then.operator == "="
                && is_target(target, variable)
                && clean(value)
                && matches!(wanted, Change::Largest | Change::Smallest)
                && compares(on, value, target, wanted)
        }
        _ => false,
    }
}

/// `s = s + e`, `m = e > m ? e : m`, `m = fmax(m, e)`.
fn assigned(target: &Node, value: &Node, variable: u64, wanted: Change) -> bool {
    let clean = |value: &Node| !names(value, variable);
    let value = bare(value);
    if !matches!(wanted, Change::Largest | Change::Smallest) {
        let mut others = Vec::new();
        return beside(value, target, wanted, &mut others) && others.into_iter().all(clean);
    }
    match &value.inner[..] {
        [on, one, other] if value.kind == "ConditionalOperator" => {
            let opposite = if wanted == Change::Largest { Change::Smallest } else { Change::Largest };
            clean(one) && same(other, target) && compares(on, one, target, wanted)
                || clean(other) && same(one, target) && compares(on, other, target, opposite)
        }
        [callee, one, other] if value.kind == "CallExpr" => {
            let name = bare(callee).refers_name.trim_end_matches(['f', 'l']).to_string();
            let fits = if wanted == Change::Largest { name == "fmax" } else { name == "fmin" };
            // The names themselves do not end in f or l.
            fits && (same(one, target) && clean(other) || same(other, target) && clean(one))
        }
        _ => false,
    }
}

/// The first place in a statement where a variable is used in another way than by such changes.
pub fn other_use<'n, 'a>(node: &'n Node<'a>, variable: u64, change: Change) -> Option<&'n Node<'a>> {
    if change_of(node, variable, change) {
        return None;
    }
    let inner = parts(node);
    let is_statement = |at: usize| match node.kind {
        "CompoundStmt" | "CapturedStmt" | "CaseStmt" | "DefaultStmt" | "LabelStmt" | "AttributedStmt" => true,
        "IfStmt" => at >= 1,
        "ForStmt" => at >= 3,
        "WhileStmt" | "SwitchStmt" => at + 1 == inner.len(),
        "DoStmt" => at == 0,
        _ => is_directive(node),
    };
    let of = |(at, part): (usize, &'n Node<'a>)| {
        if is_statement(at) { other_use(part, variable, change) } else { mention(part, variable) }
    };
    inner.iter().enumerate().find_map(of)
}

/// The first place where a node names a variable.
pub fn mention<'n, 'a>(node: &'n Node<'a>, variable: u64) -> Option<&'n Node<'a>> {
    if node.kind == "DeclRefExpr" && node.refers == variable {
        return Some(node);
    }
    parts(node).iter().find_map(|part| mention(part, variable))
}
