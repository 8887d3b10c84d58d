//! Lists of statements with early exits.
//!
//! A statement that may leave on some of its paths sets a flag there, and what follows is guarded by the flag. Where one
//! arm of an `if` always leaves, what follows goes to the other arm, and no guard is needed:
//!
//! ```text
//!   if (c) continue;         if (c) { skipped = 1; }       (skipped is read by nobody, so it is dropped)
//!   rest              ──►    else { rest }
//! ```
//!
//! A forward `goto` leaves the part of the list before its label. A backward `goto` runs the part from its label on
//! again. A `goto` into an arm of a later `if` makes the flag a condition of this `if`, and skips what stands before the
//! label in the arm; one from arm to arm makes two statements of the `if`:
//!
//! ```text
//!   if (a) goto in;          if (a) { in = 1; }
//!   if (b) {                 if (in || b) {
//!       one;           ──►       if (!in) { one; }
//!   in: two;                     two;
//!   }                        }
//! ```

use super::*;
use make::*;

/// A part of a list.
#[derive(Clone)]
pub enum Piece<'a> {
    /// A statement without label.
    Statement(&'a Node<'a>),
    /// A label.
    Label(u64),
    /// Statements behind a label that some of them jump back to.
    Again(u64, Vec<Piece<'a>>),
    /// The step of a `for`, behind its body: it belongs to the loop's statement.
    Step(&'a Node<'a>, Option<StatementId>),
}

impl<'a> Piece<'a> {
    fn jumps_to(&self, label: u64) -> bool {
        match self {
            Piece::Statement(node) => scan::jumps_to(node, label),
            Piece::Label(_) | Piece::Step(..) => false,
            Piece::Again(_, pieces) => pieces.iter().any(|piece| piece.jumps_to(label)),
        }
    }
}

/// Takes the labels off a statement.
pub fn flatten<'a>(node: &'a Node<'a>, pieces: &mut Vec<Piece<'a>>) {
    if node.kind == "LabelStmt" {
        pieces.push(Piece::Label(node.refers));
        node.inner.iter().for_each(|inner| flatten(inner, pieces));
    } else {
        pieces.push(Piece::Statement(node));
    }
}

/// Puts what a backward jump runs again into one piece, outermost loops first.
fn group(mut pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut at = 0;
    while at < pieces.len() {
        let Piece::Label(label) = pieces[at] else {
            at += 1;
            continue;
        };
        let Some(mut last) = pieces.iter().rposition(|piece| piece.jumps_to(label)).filter(|last| *last > at) else {
            at += 1;
            continue;
        };
        // A loop that begins inside and ends behind: both end where it ends.
        loop {
            let inner = pieces[at..=last].iter().filter_map(|piece| match piece {
                Piece::Label(inner) => Some(*inner),
                _ => None,
            });
            let end = inner.filter_map(|inner| pieces.iter().rposition(|piece| piece.jumps_to(inner))).max();
            match end {
                Some(end) if end > last => last = end,
                _ => break,
            }
        }
        let inside: Vec<_> = pieces.splice(at + 1..=last, []).collect();
        pieces.insert(at + 1, Piece::Again(label, inside));
        at += 2;
    }
    pieces
}

impl<'a> Lower<'_, 'a> {
    /// A target that statements can leave for. Its flag is 0 from here on.
    pub fn target(&mut self, name: &str) -> Target {
        let flag = self.b.var(name, crate::ir::build::int(), VarKind::Flag, self.b.span);
        self.b.assign(flag, truth_constant(false));
        self.flags.push(flag);
        self.flags.len() - 1
    }

    /// Notes that control leaves for a target.
    pub fn leave(&mut self, target: Target) {
        self.b.assign(self.flags[target], truth_constant(true));
    }

    /// Whether control has not left for any of the targets.
    pub fn stayed(&mut self, targets: &std::collections::BTreeSet<Target>) -> Expr {
        let flags: Vec<_> = targets.iter().map(|target| self.flags[*target]).collect();
        flags.into_iter().fold(truth_constant(true), |all, flag| {
            let flag = self.b.get(flag);
            and(all, unary(Unary::Not, flag, crate::ir::build::int()))
        })
    }

    /// The target is behind us.
    pub fn close_target(&mut self, target: Target) {
        self.b.close_scope(self.flags[target]);
    }

    /// Lowers `rest`, unless control has left.
    pub fn guarded(
        &mut self,
        leaves: std::collections::BTreeSet<Target>,
        rest: impl FnOnce(&mut Self) -> Ends,
    ) -> Ends {
        if leaves.is_empty() {
            return rest(self);
        }
        let on = self.stayed(&leaves);
        self.b.begin_branch(on);
        let ends = rest(self);
        self.b.end_branch();
        ends.or(Ends { falls: false, leaves })
    }

    /// The statements of a block.
    pub fn list(&mut self, nodes: &'a [Node<'a>]) -> Ends {
        let mut pieces = Vec::new();
        nodes.iter().for_each(|node| flatten(node, &mut pieces));
        let enters = (0..pieces.len()).any(|at| self.entered(&pieces, at).is_some());
        if !enters && !pieces.iter().any(|piece| matches!(piece, Piece::Label(_))) {
            return self.plain(&pieces);
        }
        self.declare_all(&pieces);
        self.pieces(group(pieces))
    }

    /// Declares what a jump within the block may leave undeclared.
    fn declare_all(&mut self, pieces: &[Piece<'a>]) {
        for piece in pieces {
            let Piece::Statement(statement) = piece else { continue };
            if statement.kind != "DeclStmt" {
                continue;
            }
            for node in statement.inner.iter().filter(|node| node.kind == "VarDecl" && node.storage.is_empty()) {
                let found = self.ctype(node);
                let addressed = self.addressed.contains(&node.id);
                let variable_length = node.ty().contains('[') && scan_extent(&found.ty);
                let made = match found.ty {
                    CType::Pointer(ref to) if to.ty == CType::Function => Ok(()),
                    _ if variable_length || found.is_volatile() => Ok(()),
                    CType::Int { .. } | CType::Float(_) | CType::Pointer(_) if !addressed => {
                        let span = self.span(node);
                        self.predeclare_scalar(node, found.ty.ir(), span);
                        Ok(())
                    }
                    CType::Opaque(_) | CType::Void | CType::Function => Ok(()),
                    CType::Struct(id) if !self.whole_or_addressed(node.id, id) => {
                        self.predeclare_split(node, id).map(drop)
                    }
                    _ => self.predeclare(node),
                };
                self.reader.refusals.extend(made.err().map(|refusal| *refusal));
            }
        }
    }

    /// The label at a piece, or in an arm of it, that control comes to from before.
    fn entered(&self, pieces: &[Piece<'a>], at: usize) -> Option<u64> {
        let comes =
            |label: &u64| self.entries.contains_key(label) || pieces[..at].iter().any(|piece| piece.jumps_to(*label));
        match &pieces[at] {
            Piece::Label(label) => Some(*label).filter(comes),
            Piece::Statement(node) => scan::labels_in_arms(node).into_iter().find(comes),
            _ => None,
        }
    }

    fn pieces(&mut self, mut pieces: Vec<Piece<'a>>) -> Ends {
        let entered = |at: usize| Some((at, self.entered(&pieces, at)?));
        let Some((at, label)) = (0..pieces.len()).rev().find_map(entered) else { return self.plain(&pieces) };
        let rest = pieces.split_off(at);
        let (outside, target) = match self.entries.remove(&label) {
            Some(target) => (true, target),
            None => (false, self.target("skip")),
        };
        self.labels.insert(label, target);
        let skipped = if outside { [target].into() } else { std::collections::BTreeSet::new() };
        let mut ends = self.guarded(skipped, |this| this.pieces(pieces));
        self.labels.remove(&label);
        ends.falls |= ends.leaves.remove(&target);
        let rest = match &rest[0] {
            Piece::Label(_) => {
                if outside {
                    self.b.assign(self.flags[target], truth_constant(false));
                } else {
                    self.close_target(target);
                }
                &rest[1..]
            }
            _ => {
                self.entries.insert(label, target);
                &rest[..]
            }
        };
        if !ends.falls {
            return ends;
        }
        let ends = self.guarded(ends.leaves, |this| this.plain(rest));
        if self.entries.remove(&label).is_some() && !outside {
            self.close_target(target);
        }
        ends
    }

    /// Whether control comes to a label in a statement from outside of it.
    pub fn entry(&mut self, node: &'a Node<'a>) -> Option<Expr> {
        if self.entries.is_empty() {
            return None;
        }
        let labels = scan::labels_in_arms(node);
        let targets: Vec<_> = labels.iter().filter_map(|label| self.entries.get(label).copied()).collect();
        let flags: Vec<_> = targets.into_iter().map(|target| self.b.get(self.flags[target])).collect();
        let int = crate::ir::build::int;
        flags.into_iter().reduce(|any, flag| binary(Binary::Or, any, flag, int()))
    }

    /// An `if` one of whose arms jumps into the other one: the arm that jumps, then the other one.
    pub fn crossing(&mut self, on: Expr, [then, otherwise]: [&'a Node<'a>; 2], labels: Vec<u64>) -> Ends {
        let on = self.b.keep("test", condition(on));
        let not = unary(Unary::Not, on.clone(), crate::ir::build::int());
        let into_then = scan::jumps_to(otherwise, labels[0]);
        let (first, first_on, second, second_on) =
            if into_then { (otherwise, not, then, on) } else { (then, on, otherwise, not) };
        let targets: Vec<_> = labels.iter().map(|label| (*label, self.target("skip"))).collect();
        self.labels.extend(targets.iter().copied());
        self.b.begin_branch(first_on);
        let mut ends = self.statement(first);
        self.b.end_branch();
        for (label, target) in &targets {
            self.labels.remove(label);
            self.entries.insert(*label, *target);
            ends.leaves.remove(target);
        }
        ends.falls = true;
        let ends = self.guarded(ends.leaves, |this| {
            let entry = this.entry(second).unwrap_or_else(|| truth_constant(false));
            let test = binary(Binary::Or, entry, second_on, crate::ir::build::int());
            this.b.begin_branch(test);
            let ends = this.statement(second);
            this.b.end_branch();
            Ends { falls: true, ..ends }
        });
        for (label, target) in targets {
            self.entries.remove(&label);
            self.close_target(target);
        }
        ends
    }

    /// A list whose labels nothing jumps forward to.
    pub fn plain(&mut self, pieces: &[Piece<'a>]) -> Ends {
        let mut ends = Ends::falls();
        for (at, piece) in pieces.iter().enumerate() {
            let rest = &pieces[at + 1..];
            let here = match piece {
                Piece::Label(_) => continue,
                Piece::Again(label, pieces) => self.again(*label, pieces),
                Piece::Step(step, of) => self.step_of_loop(step, *of),
                Piece::Statement(node) => match arm_that_stays(node).filter(|_| !rest.is_empty()) {
                    Some(in_then) => return self.if_with_rest(node, rest, in_then),
                    None => self.statement(node),
                },
            };
            ends.falls = here.falls;
            if !here.falls {
                ends.leaves.extend(here.leaves);
                return ends;
            }
            if !here.leaves.is_empty() {
                return self.guarded(here.leaves, |this| this.plain(rest));
            }
        }
        ends
    }

    fn if_with_rest(&mut self, node: &'a Node<'a>, rest: &[Piece<'a>], in_then: bool) -> Ends {
        let before = self.enter_statement(node);
        let depth = self.b.depth();
        self.effects = Effects::default();
        let ends = self.if_statement(node, rest, Some(in_then)).unwrap_or_else(|refusal| {
            self.reader.refusals.push(*refusal);
            self.b.close_to(depth);
            self.plain(rest)
        });
        self.leave_statement(before);
        ends
    }

    /// Statements that run again when a `goto` leads back to the label before them.
    fn again(&mut self, label: u64, pieces: &[Piece<'a>]) -> Ends {
        self.b.begin_loop();
        let target = self.target("again");
        self.labels.insert(label, target);
        let mut ends = self.pieces(group(pieces.to_vec()));
        self.labels.remove(&label);
        ends.leaves.remove(&target);
        let test = self.b.get(self.flags[target]);
        self.b.test(test, TestAt::After);
        self.close_target(target);
        self.b.end_loop();
        ends
    }
}

/// Whether an extent of the type is not a constant.
fn scan_extent(ty: &CType) -> bool {
    match ty {
        CType::Array(elem, extent) => super::super::unit::constant_extent(extent).is_none() || scan_extent(&elem.ty),
        _ => false,
    }
}

/// Whether the first arm stays, for an `if` with one arm that always leaves.
fn arm_that_stays(node: &Node) -> Option<bool> {
    if node.kind != "IfStmt" || scan::crossing_labels(node).is_some() {
        return None;
    }
    let then = node.inner.get(1).is_none_or(scan::may_fall);
    let otherwise = node.inner.get(2).is_none_or(scan::may_fall);
    (then != otherwise).then_some(then)
}
