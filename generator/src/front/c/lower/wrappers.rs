//! Functions of the sources around `malloc`, `calloc` or `realloc` that give memory of no type: `double *a = xmalloc(n *
//! sizeof *a)`.
//!
//! ```text
//!   void *xmalloc(size_t n) {
//!       void *p = malloc(n);
//!       if (!p) { fprintf(stderr, "no memory\n"); exit(1); }
//!       return p;
//!   }
//! ```
//!
//! A call of such a function is a call of `malloc` here, because the type of the block is known where the function is
//! called only. The function may test for memory, and set the block to 0. Where the statement is copied, the generated
//! code calls it as the source does.

use super::*;

/// What such a function does.
pub struct Wrapper<'a> {
    /// The arguments of the call that are multiplied to the number of bytes, and whether each counts as 1 at least.
    pub factors: Vec<(&'a Node<'a>, bool)>,
    /// Whether the block is set to 0.
    pub zeroed: bool,
    /// The block that is made larger or smaller.
    pub old: Option<&'a Node<'a>>,
}

/// What its statements were found to do.
#[derive(Default)]
struct Found<'a> {
    /// The call that makes the block.
    made: Vec<&'a Node<'a>>,
    /// The parameter that holds it, `p = realloc(p, size)`.
    held: Option<u64>,
    zeroed: bool,
    returns: bool,
}

impl<'a> Lower<'_, 'a> {
    /// The call of such a function that an expression is, with what the function does.
    pub fn wrapped_allocation(&self, node: &'a Node<'a>) -> Option<(&'a Node<'a>, Wrapper<'a>)> {
        let mut node = node.bare();
        while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr")
            && matches!(node.operator.as_ref(), "BitCast" | "NoOp")
        {
            node = node.only().bare();
        }
        let name = scan::callee(node).filter(|_| node.kind == "CallExpr")?.refers_name.as_ref();
        let (_, function) = self.reader.definition(self.unit, name, false)?;
        let params: Vec<u64> = function.inner.iter().filter(|p| p.kind == "ParmVarDecl").map(|p| p.id).collect();
        let body = scan::body(function)?;
        let is_plain = function.written_type.starts_with("void *(") && params.len() + 1 == node.inner.len();
        let mut found = Found::default();
        if !is_plain || !body.inner.iter().all(|statement| does(statement, &mut found)) || !found.returns {
            return None;
        }
        let [made] = found.made[..] else { return None };
        let callee = scan::callee(made)?.refers_name.as_ref();
        let argument = |part: &Node| {
            let position = params.iter().position(|param| *param == part.refers)?;
            Some(&node.inner[1 + position])
        };
        let (sizes, old) = match &made.inner[1..] {
            [old, size @ ..] if callee.ends_with("realloc") => (size, Some(argument(variable(old)?)?)),
            sizes => (sizes, None),
        };
        let mut factors = Vec::new();
        for factor in sizes {
            product(factor, &mut |part, at_least_one| {
                factors.push((argument(part)?, at_least_one));
                Some(())
            })?;
        }
        Some((node, Wrapper { factors, zeroed: found.zeroed || callee.ends_with("calloc"), old }))
    }
}

/// Whether a statement only makes the block, tests it, sets it to 0 or returns it.
fn does<'a>(statement: &'a Node<'a>, found: &mut Found<'a>) -> bool {
    let node = statement.bare();
    match (node.kind, &node.inner[..]) {
        ("NullStmt", _) => true,
        ("DeclStmt", variables) => variables.iter().all(|variable| {
            let is_block = variable.kind == "VarDecl" && variable.storage.is_empty() && variable.ty() == "void *";
            is_block && variable.inner.iter().filter(|_| variable.has_init).all(|init| is_block_or_null(init, found))
        }),
        ("BinaryOperator", [to, from]) if node.operator == "=" => {
            found.held = (to.bare().refers_kind == "ParmVarDecl").then_some(to.bare().refers);
            (found.held.is_some() || to.bare().refers_kind == "VarDecl") && makes(from, found)
        }
        ("IfStmt", [test, then]) => {
            let assigned = |part: &'a Node<'a>| part.kind == "BinaryOperator" && part.operator == "=";
            let mut inside = Vec::new();
            scan::walk(test, &mut |part| {
                inside.extend(assigned(part).then_some(part));
                true
            });
            inside.into_iter().all(|part| does(part, found)) && fails(then)
        }
        ("CallExpr", [_, to, byte, ..]) => {
            let name = scan::callee(node).map_or("", |callee| callee.refers_name.as_ref());
            let is_zero = byte.bare().kind == "IntegerLiteral" && byte.bare().value == "0";
            let is_block = variable(to).is_some_and(|to| to.refers_kind == "VarDecl");
            found.zeroed |= name.ends_with("memset");
            name.ends_with("memset") && is_zero && is_block
        }
        ("ReturnStmt", [value]) => {
            found.returns = true;
            let holds = |it: &Node| it.refers_kind == "VarDecl" || found.held == Some(it.refers);
            variable(value).is_some_and(holds) || makes(value, found)
        }
        _ => false,
    }
}

fn is_block_or_null<'a>(init: &'a Node<'a>, found: &mut Found<'a>) -> bool {
    init.operator == "NullToPointer" || makes(init, found)
}

/// Notes the call of `malloc`, `calloc` or `realloc` that an expression is.
fn makes<'a>(node: &'a Node<'a>, found: &mut Found<'a>) -> bool {
    let call = Lower::allocation(node).filter(|call| {
        let name = scan::callee(call).map_or("", |callee| callee.refers_name.as_ref());
        name.ends_with("alloc")
    });
    found.made.extend(call);
    call.is_some()
}

/// The variable that an expression names.
fn variable<'a>(node: &'a Node<'a>) -> Option<&'a Node<'a>> {
    without_casts(node).filter(|node| node.kind == "DeclRefExpr")
}

fn without_casts<'a>(node: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let mut node = node.bare();
    while node.kind == "ImplicitCastExpr" || node.kind == "CStyleCastExpr" {
        node = node.inner.first()?.bare();
    }
    Some(node)
}

/// Whether a statement says that there is no memory: it assigns nothing, and ends the function or the program.
fn fails<'a>(statement: &'a Node<'a>) -> bool {
    !scan::any(statement, &|part| match part.kind {
        "CompoundAssignOperator" | "WhileStmt" | "ForStmt" | "DoStmt" | "GotoStmt" => true,
        "BinaryOperator" => part.operator == "=",
        "UnaryOperator" => matches!(part.operator.as_ref(), "++" | "--"),
        "ReturnStmt" => !part.inner.iter().all(|value| scan::any(value, &|part| part.operator == "NullToPointer")),
        _ => false,
    })
}

/// Calls `f` on the factors of a product of variables, and with whether each counts as 1 at least; `None` if it is
/// something else.
fn product<'a>(node: &'a Node<'a>, f: &mut dyn FnMut(&'a Node<'a>, bool) -> Option<()>) -> Option<()> {
    let node = node.bare();
    match (node.kind, &node.inner[..]) {
        ("ImplicitCastExpr" | "CStyleCastExpr", [inner]) => product(inner, f),
        ("BinaryOperator", [left, right]) if node.operator == "*" => {
            product(left, f)?;
            product(right, f)
        }
        ("DeclRefExpr", _) => f(node, false),
        // Bytes, in `calloc(size, 1)`.
        ("IntegerLiteral", _) if node.value == "1" => Some(()),
        ("ConditionalOperator", [test, then, otherwise]) => f(at_least_one(test, then, otherwise)?, true),
        _ => None,
    }
}

/// The variable `n` of `n > 1 ? n : 1`, `n > 0 ? n : 1`, `n ? n : 1`, `n == 0 ? 1 : n` and their kin.
fn at_least_one<'a>(test: &'a Node<'a>, then: &'a Node<'a>, otherwise: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let (count, one, grows) = match (variable(then), variable(otherwise)) {
        (Some(count), None) => (count, otherwise, true),
        (None, Some(count)) => (count, then, false),
        _ => return None,
    };
    let is = |part: &'a Node<'a>| variable(part).is_some_and(|part| part.refers == count.refers);
    let number = |part: &'a Node<'a>| constant(part).filter(|n| matches!(n, 0 | 1));
    let test = test.bare();
    let holds = match &test.inner[..] {
        [a, b] if test.kind == "BinaryOperator" => {
            let (op, limit) = match (is(a), is(b)) {
                (true, false) => (test.operator.as_ref(), number(b)?),
                (false, true) => (mirrored(test.operator.as_ref())?, number(a)?),
                _ => return None,
            };
            matches!(
                (op, limit, grows),
                (">", _, true)
                    | (">=", 1, true)
                    | ("!=", 0, true)
                    | ("<", 1, false)
                    | ("<=", _, false)
                    | ("==", 0, false)
            )
        }
        _ => is(test) && grows,
    };
    (holds && constant(one) == Some(1)).then_some(count)
}

/// The operator with its operands exchanged.
fn mirrored(operator: &str) -> Option<&'static str> {
    let pairs = [(">", "<"), ("<", ">"), (">=", "<="), ("<=", ">="), ("!=", "!="), ("==", "==")];
    pairs.iter().find(|(op, _)| *op == operator).map(|(_, other)| *other)
}

/// The number that an expression is.
fn constant<'a>(node: &'a Node<'a>) -> Option<i64> {
    without_casts(node).filter(|node| node.kind == "IntegerLiteral")?.value.parse().ok()
}
