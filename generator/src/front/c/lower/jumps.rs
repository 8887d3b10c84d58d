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
//! again, unless the parts can change places: see `segments.rs`. A `goto` into an arm of a later `if` makes the flag a
//! condition of this `if`, and skips what stands before the label in the arm; one into a loop, or into what a backward
//! `goto` runs again, does so in the first pass; one from arm to arm makes two statements of the `if`:
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
    /// A jump in place of falling into a label that was moved.
    Goto(u64),
    /// Statements that some of them jump back to: to a label in front of all of them, or within the first one.
    Again { label: u64, within: bool, pieces: Vec<Piece<'a>> },
    /// The step of a `for`, behind its body: it belongs to the loop's statement.
    Step(&'a Node<'a>, Option<StatementId>),
}

impl<'a> Piece<'a> {
    /// Whether it jumps to a label.
    pub fn jumps_to(&self, label: u64) -> bool {
        match self {
            Piece::Statement(node) => scan::jumps_to(node, label),
            Piece::Goto(to) => *to == label,
            Piece::Label(_) | Piece::Step(..) => false,
            Piece::Again { pieces, .. } => pieces.iter().any(|piece| piece.jumps_to(label)),
        }
    }

    /// Labels here at which control can come in from before.
    pub fn labels(&self) -> Vec<u64> {
        match self {
            Piece::Label(label) => vec![*label],
            Piece::Statement(node) => scan::labels_inside(node),
            Piece::Again { pieces, .. } => pieces.iter().flat_map(Piece::labels).collect(),
            Piece::Goto(_) | Piece::Step(..) => Vec::new(),
        }
    }
}

/// A label that statements jump to from before it.
struct Coming {
    label: u64,
    target: Target,
    /// Whether no jump to it stands before these statements.
    own: bool,
    /// Where it led before.
    outer: Option<Target>,
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

impl<'a> Lower<'_, 'a> {
    /// A target that statements can leave for. Its flag is 0 from here on.
    pub fn target(&mut self, name: &str) -> Target {
        let flag = self.b.var(name, Type::int(), VarKind::Flag, self.b.span);
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
            and(all, unary(Unary::Not, flag, Type::int()))
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
        let labelled = |piece: &Piece| match piece {
            Piece::Label(_) => true,
            Piece::Statement(node) => scan::has_label(node),
            _ => false,
        };
        if !pieces.iter().any(labelled) {
            return self.plain(&pieces);
        }
        let pieces = self.with_passes(segments::in_order(pieces));
        let enters = (0..pieces.len()).any(|at| !self.entered(&pieces, at).is_empty());
        if !enters && !pieces.iter().any(|piece| matches!(piece, Piece::Label(_) | Piece::Again { .. })) {
            return self.plain(&pieces);
        }
        self.declare_all(&pieces);
        self.pieces(pieces)
    }

    /// Puts what a backward jump runs again into one piece, outermost loops first.
    fn with_passes(&self, mut pieces: Vec<Piece<'a>>) -> Vec<Piece<'a>> {
        let mut at = 0;
        while at < pieces.len() {
            let last_jump = |label: &u64| pieces.iter().rposition(|piece| piece.jumps_to(*label));
            // What a jump into an earlier statement can run elsewhere needs no pass.
            let ends = |label: &u64| self.body.is_some_and(|body| scan::ending(body, *label).is_some());
            let is_label = matches!(pieces[at], Piece::Label(_));
            let again = |label: &u64| is_label || !(self.repeated.contains(label) || ends(label));
            let labels = pieces[at].labels().into_iter().filter(again);
            let jump = |label: u64| Some((label, last_jump(&label).filter(|last| *last > at)?));
            let Some((label, mut last)) = labels.filter_map(jump).max_by_key(|(_, last)| *last) else {
                at += 1;
                continue;
            };
            // A loop that begins inside and ends behind: both end where it ends.
            while let Some(end) =
                pieces[at..=last].iter().flat_map(Piece::labels).filter_map(|label| last_jump(&label)).max()
                && end > last
            {
                last = end;
            }
            let first = at + usize::from(is_label);
            let inside: Vec<_> = pieces.splice(first..=last, []).collect();
            pieces.insert(first, Piece::Again { label, within: !is_label, pieces: inside });
            at = first + 1;
        }
        pieces
    }

    /// Declares what a jump within the block may leave undeclared.
    fn declare_all(&mut self, pieces: &[Piece<'a>]) {
        for piece in pieces {
            if let Piece::Again { pieces, .. } = piece {
                self.declare_all(pieces);
            }
            let Piece::Statement(statement) = piece else { continue };
            if statement.kind != "DeclStmt" {
                continue;
            }
            for node in statement.inner.iter().filter(|node| node.kind == "VarDecl" && node.storage.is_empty()) {
                let found = self.ctype(node);
                let addressed = self.addressed.contains(&node.id);
                let variable_length = node.ty().contains('[') && scan_extent(&found.ty);
                let made = match found.ty {
                    ref ty if ty.is_function_pointer() => Ok(()),
                    _ if variable_length || found.is_volatile() => Ok(()),
                    CType::Int { .. } | CType::Float(_) | CType::Pointer(_) if !addressed => {
                        let span = self.span(node);
                        let ty = self.variable_type(&found.ty);
                        self.predeclare_scalar(node, ty, span);
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

    /// The labels at or in a piece that control comes to from before.
    fn entered(&self, pieces: &[Piece<'a>], at: usize) -> Vec<u64> {
        let comes =
            |label: &u64| self.entries.contains_key(label) || pieces[..at].iter().any(|piece| piece.jumps_to(*label));
        pieces[at].labels().into_iter().filter(comes).collect()
    }

    fn pieces(&mut self, mut pieces: Vec<Piece<'a>>) -> Ends {
        let entered = |at: usize| Some((at, self.entered(&pieces, at))).filter(|(_, labels)| !labels.is_empty());
        let Some((at, labels)) = (0..pieces.len()).rev().find_map(entered) else { return self.plain(&pieces) };
        let rest = pieces.split_off(at);
        let coming = self.expect(labels);
        let skipped = coming.iter().filter(|label| !label.own).map(|label| label.target).collect();
        let mut ends = self.guarded(skipped, |this| this.pieces(pieces));
        ends.falls |= self.arrive(&coming, &mut ends.leaves);
        if matches!(rest[0], Piece::Label(_)) {
            for label in coming {
                self.entries.remove(&label.label);
                if label.own {
                    self.close_target(label.target);
                } else {
                    self.b.assign(self.flags[label.target], truth_constant(false));
                }
            }
            return if ends.falls { self.guarded(ends.leaves, |this| this.plain(&rest[1..])) } else { ends };
        }
        if ends.falls {
            ends = self.guarded(ends.leaves, |this| this.plain(&rest));
        }
        self.leave_behind(coming);
        ends
    }

    /// Statements that may jump to these labels follow.
    fn expect(&mut self, labels: Vec<u64>) -> Vec<Coming> {
        let mut coming = Vec::new();
        for label in labels {
            let (own, target) = match self.entries.remove(&label) {
                Some(target) => (false, target),
                None => (true, self.target("skip")),
            };
            coming.push(Coming { label, target, own, outer: self.labels.insert(label, target) });
        }
        coming
    }

    /// Statements that hold these labels follow. Removes the labels from what may have been left for, and says whether
    /// one was.
    fn arrive(&mut self, coming: &[Coming], leaves: &mut std::collections::BTreeSet<Target>) -> bool {
        let mut found = false;
        for label in coming {
            self.set_label(label.label, label.outer);
            self.entries.insert(label.label, label.target);
            found |= leaves.remove(&label.target);
        }
        found
    }

    /// The statements that hold these labels are behind us.
    fn leave_behind(&mut self, coming: Vec<Coming>) {
        for label in coming.into_iter().filter(|label| label.own) {
            self.entries.remove(&label.label);
            self.close_target(label.target);
        }
    }

    /// Where a label leads from here on.
    fn set_label(&mut self, label: u64, target: Option<Target>) {
        match target {
            Some(target) => self.labels.insert(label, target),
            None => self.labels.remove(&label),
        };
    }

    /// Whether control comes to a label in a statement from outside of it.
    pub fn entry(&mut self, node: &'a Node<'a>) -> Option<Expr> {
        if self.entries.is_empty() {
            return None;
        }
        let labels = scan::labels_inside(node);
        let targets: Vec<_> = labels.iter().filter_map(|label| self.entries.get(label).copied()).collect();
        let flags: Vec<_> = targets.into_iter().map(|target| self.b.get(self.flags[target])).collect();
        flags.into_iter().reduce(|any, flag| binary(Binary::Or, any, flag, Type::int()))
    }

    /// A test, which control that comes to a label in one of the arms from outside does not run.
    pub fn test_unless_entered(&mut self, on: &'a Node<'a>, arms: [Option<&'a Node<'a>>; 2]) -> Result<Expr> {
        let [first, second] = arms.map(|arm| arm.and_then(|arm| self.entry(arm)));
        let entered = first.iter().cloned().chain(second).reduce(|a, b| binary(Binary::Or, a, b, Type::int()));
        let Some(entered) = entered else { return self.truth(on) };
        let var = self.b.var("test", Type::int(), VarKind::Temporary, self.b.span);
        self.b.begin_branch(entered);
        self.b.assign(var, first.unwrap_or_else(|| truth_constant(false)));
        self.b.otherwise();
        let on = self.truth(on)?;
        self.b.assign(var, condition(on));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// An `if` one of whose arms jumps into the other one, the first if `into_then`, to these labels: the arm that jumps,
    /// then the other one.
    pub fn crossing(
        &mut self,
        on: Expr,
        [then, otherwise]: [&'a Node<'a>; 2],
        labels: Vec<u64>,
        into_then: bool,
    ) -> Ends {
        let on = self.b.keep("test", condition(on));
        let not = unary(Unary::Not, on.clone(), Type::int());
        let (first, first_on, second, second_on) =
            if into_then { (otherwise, not, then, on) } else { (then, on, otherwise, not) };
        let coming = self.expect(labels);
        self.b.begin_branch(first_on);
        let mut ends = self.statement(first);
        self.b.end_branch();
        self.arrive(&coming, &mut ends.leaves);
        ends.falls = true;
        let ends = self.guarded(ends.leaves, |this| {
            let entry = this.entry(second).unwrap_or_else(|| truth_constant(false));
            let test = binary(Binary::Or, entry, second_on, Type::int());
            this.b.begin_branch(test);
            let ends = this.statement(second);
            this.b.end_branch();
            Ends { falls: true, ..ends }
        });
        self.leave_behind(coming);
        ends
    }

    /// A list whose labels nothing jumps forward to.
    pub fn plain(&mut self, pieces: &[Piece<'a>]) -> Ends {
        let mut ends = Ends::falls();
        for (at, piece) in pieces.iter().enumerate() {
            let rest = &pieces[at + 1..];
            let here = match piece {
                Piece::Label(_) => continue,
                Piece::Goto(label) => match self.labels.get(label).copied() {
                    Some(target) => {
                        self.leave(target);
                        Ends::leaves(target)
                    }
                    None => continue,
                },
                Piece::Again { label, within, pieces } => self.again(*label, *within, pieces),
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
            self.give_up(*refusal, depth);
            self.plain(rest)
        });
        self.leave_statement(before);
        ends
    }

    /// Statements that run again when a `goto` leads back: to the label before them, or one `within` the first.
    pub fn again(&mut self, label: u64, within: bool, pieces: &[Piece<'a>]) -> Ends {
        // The flag of a label inside is set when the next pass begins, and control may come in from before the loop.
        let from_before = self.entries.get(&label).copied().filter(|_| within);
        let before_loop = (within && from_before.is_none()).then(|| self.target("again"));
        self.b.begin_loop();
        let in_pass = (!within).then(|| self.target("again"));
        let target = from_before.or(before_loop).or(in_pass).unwrap_or_default();
        let outer = self.labels.insert(label, target);
        if within {
            self.entries.insert(label, target);
            self.repeated.insert(label);
        }
        let pieces = self.with_passes(pieces.to_vec());
        let mut ends = self.pieces(pieces);
        self.set_label(label, outer);
        if within {
            self.repeated.remove(&label);
        }
        ends.leaves.remove(&target);
        let test = self.b.get(self.flags[target]);
        self.b.test(test, TestAt::After);
        if let Some(target) = in_pass {
            self.close_target(target);
        }
        self.b.end_loop();
        if let Some(target) = before_loop {
            self.entries.remove(&label);
            self.close_target(target);
        }
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
    if node.kind != "IfStmt" || scan::crossing_labels(node).iter().any(|labels| !labels.is_empty()) {
        return None;
    }
    let then = node.inner.get(1).is_none_or(scan::may_fall);
    let otherwise = node.inner.get(2).is_none_or(scan::may_fall);
    (then != otherwise).then_some(then)
}
