//! Jumps in Fortran: GOTO, computed GOTO, arithmetic IF, and what [`crate::front::jumps`] asks of statements.
//!
//! A GOTO leads to a statement of its own block or of one around it, so no construct is entered but at its beginning.

use super::make::*;
use super::state::{Lower, Result};
use super::types::logical;
use crate::front::jumps::{Ends, Jumping, Jumps};
use crate::front::pieces::{Part, Piece};
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::Class;
use crate::stack::deep;
use adtape_fortran::form::Label;
use adtape_fortran::source::Span as At;
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written};
use adtape_fortran::tree::statement::{Action, Arm, Statement};
use rustc_hash::FxHashSet;

impl Part for &Statement {
    fn jumps_to(self, label: u64) -> bool {
        labels_of(&self.action).any(|to| u64::from(to.number) == label)
            || blocks(&self.action).into_iter().flatten().any(|inner| deep(|| inner.jumps_to(label)))
    }

    fn labels_inside(self) -> Vec<u64> {
        Vec::new()
    }

    fn has_label(self) -> bool {
        false
    }

    fn may_fall(self) -> bool {
        match &self.action {
            Action::Goto(_) | Action::IfSign(..) | Action::Return(_) | Action::Cycle(_) | Action::Exit(_) => false,
            Action::If(arms) if self.name.is_none() => arms_fall(arms),
            _ => true,
        }
    }

    fn arm_that_stays(self) -> Option<bool> {
        let (then, otherwise) = match &self.action {
            Action::IfAction(_, inner) => (inner.may_fall(), true),
            Action::If(arms) if self.name.is_none() => {
                let (first, others) = arms.split_first()?;
                first.condition.as_ref()?;
                (block_falls(&first.block), arms_fall(others))
            }
            _ => return None,
        };
        (then != otherwise).then_some(then)
    }

    fn is_declaration(self) -> bool {
        false
    }
}

/// Whether control may reach what follows the arms of an IF.
fn arms_fall(arms: &[Arm]) -> bool {
    let is_whole = arms.last().is_some_and(|last| last.condition.is_none());
    !is_whole || arms.iter().any(|arm| block_falls(&arm.block))
}

fn block_falls(block: &[Statement]) -> bool {
    let is_labelled = |one: &Statement| one.label.is_some() || one.end.is_some_and(|end| end.label.is_some());
    block.iter().any(is_labelled) || block.iter().all(|one| deep(|| one.may_fall()))
}

/// Labels that an action itself may jump to.
fn labels_of(action: &Action) -> impl Iterator<Item = Label> {
    let labels: Vec<Label> = match action {
        Action::Goto(label) => vec![*label],
        Action::GotoComputed(labels, _) | Action::GotoAssigned(_, labels) => labels.clone(),
        Action::IfSign(_, labels) => labels.to_vec(),
        Action::Call(callee) => {
            let arguments = callee.parts.iter().flat_map(|part| part.lists.iter().flatten());
            let label = |value: &ArgumentValue| match value {
                ArgumentValue::Label(label) => Some(*label),
                _ => None,
            };
            arguments.filter_map(|argument| label(&argument.value)).collect()
        }
        _ => Vec::new(),
    };
    labels.into_iter()
}

/// The statements inside of an action.
pub fn blocks(action: &Action) -> Vec<&[Statement]> {
    match action {
        Action::If(arms) | Action::Where(arms) => arms.iter().map(|arm| &arm.block[..]).collect(),
        Action::IfAction(_, inner) | Action::WhereAction(_, inner) | Action::ForallAction(_, inner) => {
            vec![std::slice::from_ref(&**inner)]
        }
        Action::Do(looped) => vec![&looped.body],
        Action::Select(select) => select.arms.iter().map(|arm| &arm.block[..]).collect(),
        Action::Associate(_, inner)
        | Action::Block(_, inner)
        | Action::Critical(_, inner)
        | Action::Team(_, _, _, inner)
        | Action::Forall(_, inner) => vec![inner],
        Action::Assign(..)
        | Action::PointTo(..)
        | Action::Call(_)
        | Action::IfSign(..)
        | Action::Goto(_)
        | Action::GotoComputed(..)
        | Action::GotoAssigned(..)
        | Action::AssignLabel(..)
        | Action::Cycle(_)
        | Action::Exit(_)
        | Action::Return(_)
        | Action::Stop(_)
        | Action::Continue
        | Action::Transfer(_)
        | Action::Allocate(..)
        | Action::Deallocate(_)
        | Action::Nullify(_)
        | Action::Images(..)
        | Action::Declaration(_)
        | Action::Unread => Vec::new(),
    }
}

/// Adds the labels that statements jump to.
pub fn jumped_to(block: &[Statement], found: &mut FxHashSet<u64>) {
    for one in block {
        found.extend(labels_of(&one.action).map(|label| u64::from(label.number)));
        blocks(&one.action).into_iter().for_each(|inner| deep(|| jumped_to(inner, found)));
    }
}

impl<'t> Jumping for Lower<'_, 't> {
    type Part = &'t Statement;

    fn truth_type(&self) -> Type {
        logical()
    }

    fn builder(&mut self) -> &mut Builder {
        &mut self.b
    }

    fn jumps(&self) -> &Jumps {
        &self.jumps
    }

    fn jumps_mut(&mut self) -> &mut Jumps {
        &mut self.jumps
    }

    fn runs_anywhere(&self, _: u64) -> bool {
        false
    }

    fn part(&mut self, statement: &'t Statement) -> Ends {
        self.statement_or_refusal(statement, &[], None)
    }

    fn part_with_rest(&mut self, statement: &'t Statement, rest: &[Piece<&'t Statement>], in_then: bool) -> Ends {
        self.statement_or_refusal(statement, rest, Some(in_then))
    }

    fn step_part(&mut self, _: &'t Statement, _: Option<StatementId>) -> Ends {
        Ends::falls()
    }

    fn declare_all(&mut self, _: &[Piece<&'t Statement>]) {}
}

impl<'t> Lower<'_, 't> {
    /// Statements, one behind the other.
    pub fn block(&mut self, block: &'t [Statement]) -> Ends {
        self.block_to(block, None)
    }

    /// Statements, and the label of what ends them.
    pub fn block_to(&mut self, block: &'t [Statement], end: Option<Label>) -> Ends {
        let mut pieces = Vec::new();
        let label = |label: Option<Label>| label.map(|label| u64::from(label.number));
        let is_used = |label: &u64| self.jumped.contains(label);
        for statement in block {
            pieces.extend(label(statement.label).filter(is_used).map(Piece::Label));
            pieces.push(Piece::Statement(statement));
            // The label of END DO belongs to the pass.
            let is_loop = matches!(statement.action, Action::Do(_));
            let behind = statement.end.filter(|_| !is_loop).and_then(|end| end.label);
            pieces.extend(label(behind).filter(is_used).map(Piece::Label));
        }
        pieces.extend(label(end).filter(is_used).map(Piece::Label));
        self.pieces_of_block(pieces)
    }

    /// Lowers `rest` behind an arm that ended so, if it belongs there.
    pub fn followed(&mut self, ends: Ends, rest: &[Piece<&'t Statement>], here: bool) -> Ends {
        if !here || rest.is_empty() || !ends.falls {
            return ends;
        }
        self.guarded(ends.leaves, |this| this.plain(rest))
    }

    /// `goto 10`
    pub fn goto(&mut self, label: Label) -> Result<Ends> {
        match self.jumps.labels.get(&u64::from(label.number)).copied() {
            Some(target) => {
                self.leave(target);
                Ok(Ends::leaves(target))
            }
            None => {
                let what = format!("this jump to {} leads into a construct", label.number);
                let help = "move the label to the block of the jump, or to one around it";
                self.refuse(label.span, Class::Control, what, help)
            }
        }
    }

    /// `goto (10, 20), i`: behind it where there is no such label.
    pub fn goto_computed(&mut self, labels: &'t [Label], which: &'t Written) -> Result<Ends> {
        let which = self.integer(which)?;
        let on = self.b.keep("selector", which);
        self.one_of(&on, labels, 1)
    }

    /// The jump to the label with this number, counted from `first`.
    pub fn one_of(&mut self, on: &Expr, labels: &[Label], first: i128) -> Result<Ends> {
        let Some((label, others)) = labels.split_first() else { return Ok(Ends::falls()) };
        let here = Expr::constant(first, on.ty.clone());
        self.b.begin_branch(Expr::binary(Binary::Equal, on.clone(), here, logical()));
        let one = self.goto(*label)?;
        self.b.otherwise();
        let other = deep(|| self.one_of(on, others, first + 1))?;
        self.b.end_branch();
        Ok(one.or(other))
    }

    /// `if (a) 10, 20, 30`: negative, zero, positive.
    pub fn if_sign(&mut self, value: &'t Written, [less, equal, greater]: [Label; 3], at: At) -> Result<Ends> {
        let value = self.scalar(value)?;
        if value.ty == logical() {
            return self.refuse(at, Class::Language, "an arithmetic IF of a logical", "");
        }
        let value = self.b.keep("sign", value);
        let zero = match value.ty {
            Type::Float { .. } => real(0.0, &value.ty),
            _ => Expr::constant(0, value.ty.clone()),
        };
        let is = |op| Expr::binary(op, value.clone(), zero.clone(), logical());
        if less.number == equal.number {
            return self.either(is(Binary::LessEqual), less, greater);
        }
        if less.number == greater.number {
            return self.either(is(Binary::Equal), equal, less);
        }
        if equal.number == greater.number {
            return self.either(is(Binary::Less), less, greater);
        }
        self.b.begin_branch(is(Binary::Less));
        let one = self.goto(less)?;
        self.b.otherwise();
        let others = self.either(is(Binary::Equal), equal, greater)?;
        self.b.end_branch();
        Ok(one.or(others))
    }

    /// One of two jumps; the only one where both are the same.
    fn either(&mut self, on: Expr, then: Label, otherwise: Label) -> Result<Ends> {
        if then.number == otherwise.number {
            return self.goto(then);
        }
        self.b.begin_branch(on);
        let one = self.goto(then)?;
        self.b.otherwise();
        let other = self.goto(otherwise)?;
        self.b.end_branch();
        Ok(one.or(other))
    }
}
