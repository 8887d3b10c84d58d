//! Lists of statements with early exits, of any language.
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

use super::pieces::{Part, Piece};
use super::segments;
use crate::ir::build::Builder;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Where control may leave for: `return`, a loop's end, a label. The number of a flag that is set on the way.
pub type Target = usize;

/// How a statement ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// Control may reach what follows.
    pub falls: bool,
    /// It may also leave for these, with their flags set.
    pub leaves: BTreeSet<Target>,
}

impl Ends {
    /// Control reaches what follows.
    pub fn falls() -> Ends {
        Ends { falls: true, ..Ends::default() }
    }

    /// Control leaves.
    pub fn leaves(target: Target) -> Ends {
        Ends { falls: false, leaves: [target].into() }
    }

    /// Either of two.
    pub fn or(mut self, other: Ends) -> Ends {
        self.falls |= other.falls;
        self.leaves.extend(other.leaves);
        self
    }
}

/// A label that statements jump to from before it.
pub struct Coming {
    label: u64,
    target: Target,
    /// Whether no jump to it stands before these statements.
    own: bool,
    /// Where it led before.
    outer: Option<Target>,
}

/// The ways out of the statements at hand.
#[derive(Default)]
pub struct Jumps {
    /// Flags of the targets.
    pub flags: Vec<VarId>,
    /// Labels that a `goto` can reach from here.
    pub labels: FxHashMap<u64, Target>,
    /// Labels inside statements to come that control leaves for from before these.
    pub entries: FxHashMap<u64, Target>,
    /// Labels inside statements that run again for the jumps to them.
    pub repeated: FxHashSet<u64>,
}

/// Lowers a procedure whose statements may jump.
pub trait Jumping {
    /// Its statements.
    type Part: Part;

    /// The type of truth values.
    fn truth_type(&self) -> Type;
    /// The procedure that is made.
    fn builder(&mut self) -> &mut Builder;
    /// The ways out.
    fn jumps(&self) -> &Jumps;
    /// The ways out, for a change.
    fn jumps_mut(&mut self) -> &mut Jumps;
    /// Whether the statements behind a label can run where a jump to it stands.
    fn runs_anywhere(&self, label: u64) -> bool;
    /// Lowers a statement.
    fn part(&mut self, part: Self::Part) -> Ends;
    /// Lowers an `if` with what follows it in the arm that stays: the first if `in_then`.
    fn part_with_rest(&mut self, part: Self::Part, rest: &[Piece<Self::Part>], in_then: bool) -> Ends;
    /// Lowers the step of the loop that is the statement `of`.
    fn step_part(&mut self, part: Self::Part, of: Option<StatementId>) -> Ends;
    /// Declares what a jump within the block may leave undeclared.
    fn declare_all(&mut self, pieces: &[Piece<Self::Part>]);

    /// A target that statements can leave for. Its flag is 0 from here on.
    fn target(&mut self, name: &str) -> Target {
        let ty = self.truth_type();
        let b = self.builder();
        let flag = b.var(name, ty.clone(), VarKind::Flag, b.span);
        b.assign(flag, Expr::constant(0, ty));
        let flags = &mut self.jumps_mut().flags;
        flags.push(flag);
        flags.len() - 1
    }

    /// Notes that control leaves for a target.
    fn leave(&mut self, target: Target) {
        let (flag, ty) = (self.jumps().flags[target], self.truth_type());
        self.builder().assign(flag, Expr::constant(1, ty));
    }

    /// Whether control has not left for any of the targets.
    fn stayed(&mut self, targets: &BTreeSet<Target>) -> Expr {
        let ty = self.truth_type();
        let flags: Vec<_> = targets.iter().map(|target| self.jumps().flags[*target]).collect();
        let stayed = flags.into_iter().map(|flag| Expr::unary(Unary::Not, self.builder().get(flag), ty.clone()));
        let all = stayed.reduce(|all, one| Expr::binary(Binary::And, all, one, ty.clone()));
        all.unwrap_or_else(|| Expr::constant(1, ty.clone()))
    }

    /// The target is behind us.
    fn close_target(&mut self, target: Target) {
        let flag = self.jumps().flags[target];
        self.builder().close_scope(flag);
    }

    /// Lowers `rest`, unless control has left.
    fn guarded(&mut self, leaves: BTreeSet<Target>, rest: impl FnOnce(&mut Self) -> Ends) -> Ends
    where
        Self: Sized,
    {
        if leaves.is_empty() {
            return rest(self);
        }
        let on = self.stayed(&leaves);
        self.builder().begin_branch(on);
        let ends = rest(self);
        self.builder().end_branch();
        ends.or(Ends { falls: false, leaves })
    }

    /// The statements of a block.
    fn pieces_of_block(&mut self, pieces: Vec<Piece<Self::Part>>) -> Ends
    where
        Self: Sized,
    {
        let labelled = |piece: &Piece<Self::Part>| match piece {
            Piece::Label(_) => true,
            Piece::Statement(part) => part.has_label(),
            Piece::Goto(_) | Piece::Again { .. } | Piece::Step(..) => false,
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
    fn with_passes(&self, mut pieces: Vec<Piece<Self::Part>>) -> Vec<Piece<Self::Part>> {
        let mut at = 0;
        while at < pieces.len() {
            let last_jump = |label: &u64| pieces.iter().rposition(|piece| piece.jumps_to(*label));
            // What a jump into an earlier statement can run elsewhere needs no pass.
            let is_label = matches!(pieces[at], Piece::Label(_));
            let again =
                |label: &u64| is_label || !(self.jumps().repeated.contains(label) || self.runs_anywhere(*label));
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

    /// The labels at or in a piece that control comes to from before.
    fn entered(&self, pieces: &[Piece<Self::Part>], at: usize) -> Vec<u64> {
        let entries = &self.jumps().entries;
        let comes =
            |label: &u64| entries.contains_key(label) || pieces[..at].iter().any(|piece| piece.jumps_to(*label));
        pieces[at].labels().into_iter().filter(comes).collect()
    }

    /// Pieces, some of which other ones jump forward to.
    fn pieces(&mut self, mut pieces: Vec<Piece<Self::Part>>) -> Ends
    where
        Self: Sized,
    {
        let entered = |at: usize| Some((at, self.entered(&pieces, at))).filter(|(_, labels)| !labels.is_empty());
        let Some((at, labels)) = (0..pieces.len()).rev().find_map(entered) else { return self.plain(&pieces) };
        let rest = pieces.split_off(at);
        let coming = self.expect(labels);
        let skipped = coming.iter().filter(|label| !label.own).map(|label| label.target).collect();
        let mut ends = self.guarded(skipped, |this| this.pieces(pieces));
        ends.falls |= self.arrive(&coming, &mut ends.leaves);
        if matches!(rest[0], Piece::Label(_)) {
            let zero = Expr::constant(0, self.truth_type());
            for label in coming {
                self.jumps_mut().entries.remove(&label.label);
                if label.own {
                    self.close_target(label.target);
                } else {
                    let flag = self.jumps().flags[label.target];
                    self.builder().assign(flag, zero.clone());
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
            let (own, target) = match self.jumps_mut().entries.remove(&label) {
                Some(target) => (false, target),
                None => (true, self.target("skip")),
            };
            coming.push(Coming { label, target, own, outer: self.jumps_mut().labels.insert(label, target) });
        }
        coming
    }

    /// Statements that hold these labels follow. Removes the labels from what may have been left for, and says whether
    /// one was.
    fn arrive(&mut self, coming: &[Coming], leaves: &mut BTreeSet<Target>) -> bool {
        let mut found = false;
        for label in coming {
            self.set_label(label.label, label.outer);
            self.jumps_mut().entries.insert(label.label, label.target);
            found |= leaves.remove(&label.target);
        }
        found
    }

    /// The statements that hold these labels are behind us.
    fn leave_behind(&mut self, coming: Vec<Coming>) {
        for label in coming.into_iter().filter(|label| label.own) {
            self.jumps_mut().entries.remove(&label.label);
            self.close_target(label.target);
        }
    }

    /// Where a label leads from here on.
    fn set_label(&mut self, label: u64, target: Option<Target>) {
        let labels = &mut self.jumps_mut().labels;
        match target {
            Some(target) => labels.insert(label, target),
            None => labels.remove(&label),
        };
    }

    /// A list whose labels nothing jumps forward to.
    fn plain(&mut self, pieces: &[Piece<Self::Part>]) -> Ends
    where
        Self: Sized,
    {
        let mut ends = Ends::falls();
        for (at, piece) in pieces.iter().enumerate() {
            let rest = &pieces[at + 1..];
            let here = match piece {
                Piece::Label(_) => continue,
                Piece::Goto(label) => match self.jumps().labels.get(label).copied() {
                    Some(target) => {
                        self.leave(target);
                        Ends::leaves(target)
                    }
                    None => continue,
                },
                Piece::Again { label, within, pieces } => self.again(*label, *within, pieces),
                Piece::Step(step, of) => self.step_part(*step, *of),
                Piece::Statement(part) => match part.arm_that_stays().filter(|_| !rest.is_empty()) {
                    Some(in_then) => return self.part_with_rest(*part, rest, in_then),
                    None => self.part(*part),
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

    /// Statements that run again when a `goto` leads back: to the label before them, or one `within` the first.
    fn again(&mut self, label: u64, within: bool, pieces: &[Piece<Self::Part>]) -> Ends
    where
        Self: Sized,
    {
        // The flag of a label inside is set when the next pass begins, and control may come in from before the loop.
        let from_before = self.jumps().entries.get(&label).copied().filter(|_| within);
        let before_loop = (within && from_before.is_none()).then(|| self.target("again"));
        self.builder().begin_loop();
        let in_pass = (!within).then(|| self.target("again"));
        let target = from_before.or(before_loop).or(in_pass).unwrap_or_default();
        let outer = self.jumps_mut().labels.insert(label, target);
        if within {
            self.jumps_mut().entries.insert(label, target);
            self.jumps_mut().repeated.insert(label);
        }
        let pieces = self.with_passes(pieces.to_vec());
        let mut ends = self.pieces(pieces);
        self.set_label(label, outer);
        if within {
            self.jumps_mut().repeated.remove(&label);
        }
        ends.leaves.remove(&target);
        let flag = self.jumps().flags[target];
        let test = self.builder().get(flag);
        self.builder().test(test, TestAt::After);
        if let Some(target) = in_pass {
            self.close_target(target);
        }
        self.builder().end_loop();
        if let Some(target) = before_loop {
            self.jumps_mut().entries.remove(&label);
            self.close_target(target);
        }
        ends
    }
}
