//! A loop whose passes a team divides: each pass must do what it does when one thread runs them in their order.

use super::directive::{Directive, is_directive, parts, statement};
use super::region::{INSIDE, Judge, Place};
use super::share::{is_part, stray};
use super::source::reference;
use super::uses::{self, Change, Use, bare, behind, first_use, mention, same};
use super::writes::{Write, declared, subscripts, variable_of, write_of, writes};
use crate::front::c::tree::Node;
use rustc_hash::FxHashSet;

/// The loops that a directive divides.
struct Loops<'n, 'a> {
    /// What counts the passes of each, outermost first, and how far it goes each time if that is known.
    counters: Vec<(u64, Option<i64>)>,
    /// Counters that are declared elsewhere, by name.
    outside: Vec<(u64, String)>,
    /// What a pass does.
    body: &'n Node<'a>,
}

fn loops<'n, 'a>(node: &'n Node<'a>, count: usize) -> Option<Loops<'n, 'a>> {
    let (mut counters, mut outside) = (Vec::new(), Vec::new());
    let mut body = node;
    for _ in 0..count {
        while body.kind == "CompoundStmt" {
            body = body.inner.first()?;
        }
        let [start, _, _, next, inside] = &body.inner[..] else { return None };
        let counter = match (start.kind, start.inner.first()) {
            ("DeclStmt", Some(declared)) => declared.id,
            ("BinaryOperator", Some(target)) => {
                let named = variable_of(target)?;
                outside.push((named.refers, named.refers_name.to_string()));
                named.refers
            }
            _ => return None,
        };
        counters.push((counter, step(next)));
        body = inside;
    }
    Some(Loops { counters, outside, body })
}

/// What a pass adds to the counter, if it is a number.
fn step(next: &Node) -> Option<i64> {
    match (next.kind, next.operator.as_ref(), &next.inner[..]) {
        ("UnaryOperator", "++", _) => Some(1),
        ("UnaryOperator", "--", _) => Some(-1),
        ("CompoundAssignOperator", operator @ ("+=" | "-="), [_, by]) => {
            let by: i64 = bare(by).value.parse().ok()?;
            Some(if operator == "+=" { by } else { -by })
        }
        _ => None,
    }
}

impl<'u, 't> Judge<'u, 't> {
    /// A loop, and its clauses.
    pub fn passes(&mut self, node: &'u Node<'t>, directive: &'u Directive, place: &Place<'u, 't>) {
        let found =
            statement(node).filter(|inner| inner.kind == "ForStmt").and_then(|inner| loops(inner, directive.loops()));
        let Some(found) = found else {
            return self.refuse(node, "the adjoint does not know how this loop counts", "write it as a for loop");
        };
        let mut own = declared(found.body);
        own.extend(found.counters.iter().map(|(counter, _)| *counter));
        for clause in &directive.clauses {
            for name in &clause.items {
                let Some(variable) = self.known().variable(node, name) else { continue };
                match clause.name.as_str() {
                    "private" => self.private(node, found.body, name, variable, place),
                    "firstprivate" => self.firstprivate(node, found.body, name, variable),
                    "lastprivate" => self.lastprivate(node, found.body, name, variable),
                    "reduction" => self.reduction(found.body, name, variable, &clause.modifier),
                    _ => continue,
                }
                own.insert(variable);
            }
        }
        let divides = directive.asks("for");
        if divides {
            for (counter, name) in &found.outside {
                let last = directive.all("lastprivate").any(|clause| clause.items.contains(name));
                if !last && behind(&place.path, node, *counter, self.known()) == Use::Reads {
                    self.refuse(
                        reference(node, name).unwrap_or(node),
                        format!(
                            "'{name}' counts the passes, so each thread has its own; what is behind the loop reads it"
                        ),
                        "name it in lastprivate, or use another variable there",
                    );
                }
            }
            let mut all = Vec::new();
            unguarded(found.body, &mut all);
            self.own_parts(node, &found, &own, place);
            self.shared(&all, &own, place);
            self.carried(&all, &found, &own);
        }
        let mut path = place.path.clone();
        path.push(node);
        let inside = Place { region: None, path, ..place.clone() };
        self.walk(found.body, &inside);
    }

    fn lastprivate(&mut self, node: &'u Node<'t>, body: &'u Node<'t>, name: &str, variable: u64) {
        let at = reference(node, name).unwrap_or(node);
        match first_use(body, variable, self.known()) {
            Use::Reads => self.refuse(
                mention(body, variable).unwrap_or(at),
                format!("'{name}' is private to each thread, and a pass reads it before it writes it"),
                INSIDE,
            ),
            Use::Nothing => self.refuse(
                at,
                format!("'{name}' is that of the last pass, which may not write it"),
                "write it in each pass, without a condition",
            ),
            Use::Writes if has_continue(body) => self.refuse(
                at,
                format!("'{name}' is that of the last pass, which a 'continue' may end before it writes it"),
                "write it in each pass, without a condition",
            ),
            Use::Writes => {}
        }
    }

    /// Variables of which each thread of the region has its own: set by each pass, or a part of a sum.
    fn own_parts(&mut self, node: &'u Node<'t>, found: &Loops<'u, 't>, own: &FxHashSet<u64>, place: &Place<'u, 't>) {
        let mut all = Vec::new();
        writes(found.body, &mut all);
        let mut seen = FxHashSet::default();
        for write in &all {
            let Some(base) = write.base() else { continue };
            if write.is_through() || !place.own.contains(&base) || own.contains(&base) || !seen.insert(base) {
                continue;
            }
            let name = write.name();
            if first_use(found.body, base, self.known()) != Use::Reads {
                if behind(&place.path, node, base, self.known()) == Use::Reads {
                    let what = format!(
                        "each thread has its own '{name}', which its last pass leaves; it is read behind the loop"
                    );
                    self.refuse(write.node, what, "declare it inside of the loop, or name it in lastprivate");
                }
                continue;
            }
            let changes = [Change::Adds, Change::Multiplies];
            if let Some(region) = place.region
                && !changes.into_iter().any(|change| is_part(region, base, change))
            {
                let at = stray(region, base, Change::Adds).unwrap_or(write.node);
                let what =
                    format!("each thread has its own '{name}', a part of what all passes leave there; it is used here");
                self.refuse(at, what, "make it a reduction");
            }
        }
    }

    /// What all passes write.
    fn shared(&mut self, all: &[Write<'u, 't>], own: &FxHashSet<u64>, place: &Place<'u, 't>) {
        let mut seen = FxHashSet::default();
        for write in all {
            let Some(base) = write.base() else { continue };
            let varies = own.contains(&base)
                || place.own.contains(&base) && !write.is_through()
                || write.subscripts().iter().any(|subscript| varies(subscript, own, place));
            let constant = write.node.operator == "=" && write.node.inner.last().is_some_and(is_literal);
            let apart = self.units[self.unit].threadprivate.contains(&base);
            if varies || constant || apart || place.sums.contains(&base) || !seen.insert(base) {
                continue;
            }
            let name = write.name();
            let what = if write.subscripts().is_empty() && !write.is_through() {
                format!("every pass writes '{name}', which all threads share")
            } else {
                format!("every pass writes one element of '{name}', which all threads share")
            };
            self.refuse(write.node, what, "declare it inside of the loop, or name it in private or in a reduction");
        }
    }

    /// What one pass writes and another one reads, at a distance that is a number.
    fn carried(&mut self, all: &[Write<'u, 't>], found: &Loops<'u, 't>, own: &FxHashSet<u64>) {
        let mut elements = Vec::new();
        accesses(found.body, &mut elements);
        let mut said = FxHashSet::default();
        for write in all {
            let Some(base) = variable_of(write.target) else { continue };
            let of_write = write.subscripts();
            if own.contains(&base.refers) || of_write.is_empty() {
                continue;
            }
            for other in &elements {
                let reads = variable_of(other).filter(|other| other.refers == base.refers);
                let meets = reads.is_some() && !std::ptr::eq(bare(write.target), *other);
                if !meets || said.contains(&base.refers) {
                    continue;
                }
                if let Some(distance) = distance(&of_write, &subscripts(other), &found.counters)
                    && distance != 0
                {
                    said.insert(base.refers);
                    let name = &base.refers_name;
                    let (count, side) = (distance.unsigned_abs(), if distance > 0 { "before" } else { "behind" });
                    let what = format!(
                        "a pass uses an element of '{name}' that another one, {count} {side} it, writes: the loop is not parallel"
                    );
                    self.refuse(other, what, "take the directive away, or write to another array");
                }
            }
        }
    }
}

/// How many passes lie between two accesses to one element, if that is a number and both surely meet.
fn distance(write: &[&Node], other: &[&Node], counters: &[(u64, Option<i64>)]) -> Option<i64> {
    if write.len() != other.len() {
        return None;
    }
    let mut found = None;
    for (one, other) in write.iter().zip(other) {
        let (first, second) = (affine(one), affine(other));
        match (first, second) {
            (Some((variable, at)), Some((same, by))) if variable == same => {
                let Some((_, step)) = counters.iter().find(|(counter, _)| *counter == variable) else { continue };
                let step = (*step)?;
                let passes = (at - by).checked_rem(step).filter(|rest| *rest == 0).map(|_| (at - by) / step)?;
                if found.is_none_or(|known| known == 0) {
                    found = Some(passes);
                }
            }
            _ if same(one, other) => {}
            _ => return None,
        }
    }
    found
}

/// `i + c`
fn affine(node: &Node) -> Option<(u64, i64)> {
    let node = bare(node);
    let number = |node: &Node| bare(node).value.parse::<i64>().ok().filter(|_| bare(node).kind == "IntegerLiteral");
    match (node.kind, node.operator.as_ref(), &node.inner[..]) {
        ("DeclRefExpr", ..) => Some((node.refers, 0)),
        ("BinaryOperator", "+", [left, right]) => match (affine(left), number(right)) {
            (Some((variable, at)), Some(by)) => Some((variable, at + by)),
            _ => affine(right).zip(number(left)).map(|((variable, at), by)| (variable, at + by)),
        },
        ("BinaryOperator", "-", [left, right]) => {
            affine(left).zip(number(right)).map(|((variable, at), by)| (variable, at - by))
        }
        _ => None,
    }
}

/// Whether a subscript may differ from pass to pass.
fn varies(node: &Node, own: &FxHashSet<u64>, place: &Place) -> bool {
    let node = bare(node);
    match node.kind {
        "DeclRefExpr" => own.contains(&node.refers) || place.own.contains(&node.refers),
        "CallExpr" => true,
        _ => node.inner.iter().any(|part| varies(part, own, place)),
    }
}

fn is_literal(node: &Node) -> bool {
    let node = bare(node);
    match (node.kind, node.inner.first()) {
        ("UnaryOperator", Some(inner)) => node.operator == "-" && is_literal(inner),
        ("DeclRefExpr", _) => node.refers_kind == "EnumConstantDecl",
        _ => matches!(node.kind, "IntegerLiteral" | "FloatingLiteral" | "CharacterLiteral"),
    }
}

/// The changes of memory in a pass that no other thread makes meanwhile by the program's own word.
fn unguarded<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<Write<'n, 'a>>) {
    if is_directive(node) && node.kind != "OMPSimdDirective" {
        return;
    }
    found.extend(write_of(node));
    parts(node).iter().for_each(|part| unguarded(part, found));
}

/// The elements that a pass reads or writes. `atomic` and `critical` keep others from the same change only: what they
/// read may be what another pass writes without them.
fn accesses<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<&'n Node<'a>>) {
    if node.kind == "ArraySubscriptExpr" {
        found.push(node);
        // An element of a row is one access.
        let mut row = bare(&node.inner[0]);
        node.inner.iter().skip(1).for_each(|part| accesses(part, found));
        while let ("ArraySubscriptExpr", [inner, subscript]) = (row.kind, &row.inner[..]) {
            accesses(subscript, found);
            row = bare(inner);
        }
        return;
    }
    parts(node).iter().for_each(|part| accesses(part, found));
}

/// Whether a pass may end early.
fn has_continue(node: &Node) -> bool {
    match node.kind {
        "ContinueStmt" | "GotoStmt" => true,
        "ForStmt" | "WhileStmt" | "DoStmt" => node.inner.iter().any(|part| uses::has_goto(part)),
        _ => parts(node).iter().any(has_continue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::c::tree;

    fn expression(text: &str) -> String {
        format!(
            r#"{{"id": "0x1", "kind": "BinaryOperator", "opcode": "{text}", "inner": [
            {{"id": "0x2", "kind": "DeclRefExpr", "referencedDecl": {{"id": "0x9", "kind": "VarDecl", "name": "i"}}}},
            {{"id": "0x3", "kind": "IntegerLiteral", "value": "2"}}]}}"#
        )
    }

    #[test]
    fn a_distance_is_counted_in_passes() {
        let (before, behind) = (expression("-"), expression("+"));
        let (before, behind) = (tree::parse(&before).expect("a node").root, tree::parse(&behind).expect("a node").root);
        let of = |step| distance(&[&behind], &[&before], &[(9, Some(step))]);
        assert_eq!([of(1), of(-2), of(3)], [Some(4), Some(-2), None]);
        assert_eq!(distance(&[&behind], &[&behind], &[(9, Some(1))]), Some(0));
    }
}
