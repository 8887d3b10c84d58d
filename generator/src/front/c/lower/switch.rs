//! `switch`.
//!
//! Cases that fall through to each other make a group; groups are arms of a chain of branches. In a group, each part
//! runs if the selector is one of the labels up to it, so falling through needs no flag.

use super::*;
use make::*;

/// Statements behind one or more labels.
struct Part<'a> {
    labels: Vec<i128>,
    default: bool,
    pieces: Vec<Piece<&'a Node<'a>>>,
}

impl<'a> Lower<'_, 'a> {
    /// `switch (on) body`
    pub fn switch(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        let [on, body] = &node.inner[..] else { return self.unknown(node) };
        let on = self.value(on)?;
        let simple = matches!(on.kind, ExprKind::Value(_) | ExprKind::Int(_));
        let on = if simple { on } else { self.b.keep("selector", on) };
        let parts = self.parts(body, &on.ty)?;
        if parts.iter().any(|part| part.pieces.iter().any(has_label)) {
            return self.refuse(node, Class::Control, "a label inside a switch", "move it out of the switch");
        }
        let groups = groups(parts);
        let target = self.target("left");
        self.breaks.push(target);
        let visible = self.visible.len();
        let all: Vec<i128> = groups.iter().flatten().flat_map(|part| part.labels.clone()).collect();
        // The group with the default label is what remains when no other label fits.
        let (default, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.iter().any(|p| p.default));
        let mut ends = self.chain(&on, &others, &default, &all);
        self.close_scope(visible);
        self.breaks.pop();
        ends.falls |= ends.leaves.remove(&target);
        self.close_target(target);
        Ok(ends)
    }

    fn chain(&mut self, on: &Expr, groups: &[Vec<Part<'a>>], default: &[Vec<Part<'a>>], all: &[i128]) -> Ends {
        let Some((group, rest)) = groups.split_first() else {
            return match default.first() {
                Some(group) => self.group(on, group, all),
                None => Ends::falls(),
            };
        };
        let labels: Vec<i128> = group.iter().flat_map(|part| part.labels.clone()).collect();
        self.b.begin_branch(one_of(on, &labels));
        let first = self.group(on, group, all);
        self.b.otherwise();
        let second = self.chain(on, rest, default, all);
        self.b.end_branch();
        first.or(second)
    }

    /// The parts of a group, given that the selector is one of its labels.
    fn group(&mut self, on: &Expr, group: &[Part<'a>], all: &[i128]) -> Ends {
        let mut entered: Vec<i128> = Vec::new();
        let mut default = false;
        let total: Vec<i128> = group.iter().flat_map(|part| part.labels.clone()).collect();
        let mut ends = Ends::falls();
        for (at, part) in group.iter().enumerate() {
            entered.extend(&part.labels);
            default |= part.default;
            let is_last = at + 1 == group.len();
            let has_default = group.iter().any(|part| part.default);
            // The last part is entered by every label of the group.
            let test = match (is_last || entered.len() == total.len() && default == has_default, default) {
                (true, _) => truth_constant(true),
                (_, false) => one_of(on, &entered),
                (_, true) => {
                    let others: Vec<i128> = all.iter().filter(|label| !entered.contains(label)).copied().collect();
                    not(one_of(on, &others))
                }
            };
            let stayed = self.stayed(&ends.leaves);
            let test = and(stayed, test);
            let here = match known(&test) {
                Some(1) => self.plain(&part.pieces),
                _ => {
                    self.b.begin_branch(test);
                    let here = self.plain(&part.pieces);
                    self.b.end_branch();
                    here
                }
            };
            // A part that is not entered falls to the next one.
            let falls = here.falls || !is_last;
            ends = ends.or(here);
            ends.falls = falls;
        }
        ends
    }

    /// Splits the body of a switch at its labels.
    fn parts(&mut self, body: &'a Node<'a>, ty: &Type) -> Result<Vec<Part<'a>>> {
        let statements = if body.kind == "CompoundStmt" { &body.inner[..] } else { std::slice::from_ref(body) };
        let mut parts: Vec<Part<'a>> = Vec::new();
        for statement in statements {
            let mut node = statement;
            let (mut labels, mut default, mut labelled) = (Vec::new(), false, false);
            while matches!(node.kind, "CaseStmt" | "DefaultStmt") {
                labelled = true;
                match (node.kind, &node.inner[..]) {
                    ("DefaultStmt", [_]) => default = true,
                    ("CaseStmt", [label, _]) => match known(&self.value(label)?) {
                        Some(value) => labels.push(wrap(value, ty)),
                        None => return self.unknown(label),
                    },
                    _ => {
                        return self.refuse(
                            node,
                            Class::Language,
                            "a case with a range of values is not C",
                            "write a case for each value",
                        );
                    }
                }
                node = node.only();
            }
            if labelled {
                parts.push(Part { labels, default, pieces: Vec::new() });
            }
            match parts.last_mut() {
                Some(part) => part.pieces.push(Piece::Statement(node)),
                None if node.kind == "DeclStmt" && !node.inner.iter().any(|part| part.has_init) => {
                    self.declare_before(node)?;
                }
                None => {
                    return self.refuse(
                        node,
                        Class::Control,
                        "a statement before the first case is never reached",
                        "remove it",
                    );
                }
            }
        }
        Ok(parts)
    }

    fn declare_before(&mut self, node: &'a Node<'a>) -> Result<()> {
        node.inner.iter().try_for_each(|part| self.declaration(part))
    }
}

fn has_label(piece: &Piece<&Node<'_>>) -> bool {
    matches!(piece, Piece::Statement(node) if scan::has_label(node))
}

/// Joins parts that fall through to the next one.
fn groups(parts: Vec<Part<'_>>) -> Vec<Vec<Part<'_>>> {
    let mut groups: Vec<Vec<Part<'_>>> = Vec::new();
    let mut joined = false;
    for part in parts {
        let falls = part.pieces.iter().all(|piece| matches!(piece, Piece::Statement(node) if scan::may_fall(node)));
        match groups.last_mut() {
            Some(group) if joined => group.push(part),
            _ => groups.push(vec![part]),
        }
        joined = falls;
    }
    groups
}

/// Whether the selector is one of the labels.
fn one_of(on: &Expr, labels: &[i128]) -> Expr {
    labels.iter().fold(truth_constant(false), |any, label| {
        let label = constant(*label, on.ty.clone());
        binary(Binary::Or, any, binary(Binary::Equal, on.clone(), label, Type::int()), Type::int())
    })
}
