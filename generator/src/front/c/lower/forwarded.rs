//! Functions of the sources around `memset`, `memcpy` or `memmove` that take pointers of no type: `zero(w, n * sizeof
//! *w)`.
//!
//! ```text
//!   static void zero(void *p, size_t n) { memset(p, 0, n); }
//! ```
//!
//! A call of such a function is a call of `memset` here, because the type of the elements is known where the function is
//! called only. The function does nothing else, and uses each of its parameters once.

use super::memory::size_type;
use super::*;
use make::*;

/// The call that takes the place of another one.
pub struct Forwarded<'a> {
    /// `memset`, `memcpy` or `memmove`.
    pub name: &'a str,
    /// Where to, and the byte or where from.
    pub args: [&'a Node<'a>; 2],
    /// The arguments that are multiplied to the number of bytes.
    pub bytes: Vec<&'a Node<'a>>,
}

impl<'a> Lower<'_, 'a> {
    /// What a call of such a function does.
    pub fn forwarded(&self, node: &'a Node<'a>, name: &str) -> Option<Forwarded<'a>> {
        let (_, function) = self.reader.definition(self.unit, name, false)?;
        let params: Vec<&Node> = function.inner.iter().filter(|part| part.kind == "ParmVarDecl").collect();
        let is_untyped = |param: &&Node| matches!(param.ty(), "void *" | "const void *" | "void *restrict");
        if !params.iter().any(is_untyped) || params.len() + 1 != node.inner.len() {
            return None;
        }
        let call = only_call(scan::body(function)?)?;
        let name = library::plain(scan::callee(call)?.refers_name.as_ref());
        let [_, to, from, bytes, ..] = &call.inner[..] else { return None };
        if !matches!(name, "memset" | "memcpy" | "memmove") {
            return None;
        }
        let mut used = vec![false; params.len()];
        let mut argument = |part: &'a Node<'a>| {
            let part = uncast(part);
            if matches!(part.kind, "IntegerLiteral" | "UnaryExprOrTypeTraitExpr") {
                return Some(part);
            }
            let at = params.iter().position(|param| part.kind == "DeclRefExpr" && param.id == part.refers)?;
            (!std::mem::replace(&mut used[at], true)).then(|| &node.inner[1 + at])
        };
        let args = [argument(to)?, argument(from)?];
        let mut factors = Vec::new();
        product(bytes, &mut factors);
        let bytes = factors.into_iter().map(&mut argument).collect::<Option<Vec<_>>>()?;
        used.into_iter().all(|used| used).then_some(Forwarded { name, args, bytes })
    }
}

impl<'a> Lower<'_, 'a> {
    /// Does what a function around `memset` or its kin does.
    pub fn forward(&mut self, node: &'a Node<'a>, call: &Forwarded<'a>) -> Result<()> {
        if call.name == "memset" {
            return self.set(node, call.args, &call.bytes);
        }
        self.copy(node, call.name, call.args, &call.bytes)
    }

    /// The number of bytes that is the product of these.
    pub fn product_of_bytes(&mut self, node: &'a Node<'a>, factors: &[&'a Node<'a>]) -> Result<Expr> {
        if let [bytes] = factors {
            return self.value(bytes);
        }
        let factors: Vec<Expr> = factors.iter().map(|factor| self.value(factor)).collect::<Result<_>>()?;
        let factors = factors.into_iter().map(|factor| cast(factor, size_type()));
        match factors.reduce(|all, factor| binary(Binary::Multiply, all, factor, size_type())) {
            Some(bytes) => Ok(bytes),
            None => self.unknown(node),
        }
    }
}

/// The call that is all that a function does; it may return where the call writes.
fn only_call<'a>(body: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let is_name = |value: &'a Node<'a>| uncast(value).kind == "DeclRefExpr";
    let call = match &body.inner[..] {
        [call] if call.kind == "ReturnStmt" => call.inner.first()?,
        [call] => call,
        [call, back] if back.kind == "ReturnStmt" && back.inner.iter().all(is_name) => call,
        _ => return None,
    };
    let call = uncast(call);
    (call.kind == "CallExpr").then_some(call)
}

fn uncast<'a>(node: &'a Node<'a>) -> &'a Node<'a> {
    let mut node = node.bare();
    while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr") {
        let Some(inner) = node.inner.first() else { break };
        node = inner.bare();
    }
    node
}

/// The factors of a product.
fn product<'a>(node: &'a Node<'a>, factors: &mut Vec<&'a Node<'a>>) {
    let plain = uncast(node);
    match &plain.inner[..] {
        [left, right] if plain.kind == "BinaryOperator" && plain.operator == "*" => {
            product(left, factors);
            product(right, factors);
        }
        _ => factors.push(plain),
    }
}
