//! Statements: choices, ways out, what has no derivative.

use super::make::*;
use super::state::{Construct, Lower, Refused, Result};
use super::types::logical;
use crate::front::jumps::{Ends, Jumping, Target};
use crate::front::pieces::Piece;
use crate::ir::*;
use crate::refuse::Class;
use crate::stack::deep;
use adtape_fortran::scope::program as scope;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Ident, Section};
use adtape_fortran::tree::statement::{
    Action, Arm, Guard, Select, SelectArm, Selector, Statement, Stop, StopKind, Transfer, TransferKind,
};

impl<'t> Lower<'_, 't> {
    /// Goes on behind a statement that is refused, so that all refusals are seen. With `rest`, what follows goes to the
    /// arm that stays: the first if `in_then`.
    pub fn statement_or_refusal(
        &mut self,
        statement: &'t Statement,
        rest: &[Piece<&'t Statement>],
        in_then: Option<bool>,
    ) -> Ends {
        let (depth, scope, open) = (self.b.depth(), self.scope, self.open.len());
        let ends = deep(|| self.statement(statement, rest, in_then));
        ends.unwrap_or_else(|Refused| {
            self.b.close_to(depth);
            self.scope = scope;
            self.open.truncate(open);
            self.plain(rest)
        })
    }

    fn statement(
        &mut self,
        statement: &'t Statement,
        rest: &[Piece<&'t Statement>],
        in_then: Option<bool>,
    ) -> Result<Ends> {
        self.b.span = self.span(statement.span);
        self.hoisted.clear();
        self.constructed.clear();
        let fine = Ends::falls();
        match &statement.action {
            Action::Assign(target, value) => self.assignment(target, value).map(|()| fine),
            Action::Call(callee) => {
                self.call_statement(callee)?;
                self.go_on_at(callee)
            }
            Action::If(arms) => self.construct(statement, |this| this.arms(arms, rest, in_then)),
            Action::IfAction(condition, inner) => {
                let on = self.truth(condition)?;
                if let Some(decided) = known(&on) {
                    let first = if decided != 0 { self.part(inner) } else { fine };
                    return Ok(self.followed(first, rest, in_then == Some(decided != 0)));
                }
                self.b.begin_branch(on);
                let first = self.part(inner);
                let first = self.followed(first, rest, in_then == Some(true));
                self.b.otherwise();
                let second = self.followed(Ends::falls(), rest, in_then == Some(false));
                self.b.end_branch();
                Ok(first.or(second))
            }
            Action::Do(looped) => self.loop_statement(statement, looped),
            Action::Select(select) => self.select(statement, select),
            Action::Associate(pairs, inner) => self.associate(statement, pairs, inner),
            Action::Block(_, inner) => self.construct(statement, |this| {
                let here = this.names.scope_of(statement).unwrap_or(this.scope);
                this.in_scope(here, |this| {
                    this.block_arrays()?;
                    Ok(this.block(inner))
                })
            }),
            Action::Where(arms) => self.where_construct(arms).map(|()| fine),
            Action::WhereAction(mask, inner) => self.where_statement(mask, inner).map(|()| fine),
            Action::Forall(indices, inner) => self.forall(indices, inner).map(|()| fine),
            Action::ForallAction(indices, inner) => self.forall(indices, std::slice::from_ref(inner)).map(|()| fine),
            Action::Cycle(name) => match self.loop_named(name.as_ref()) {
                Some(target) => Ok(self.left(target)),
                None => self.refuse(statement.span, Class::Language, "CYCLE outside of a loop of that name", ""),
            },
            Action::Exit(name) => match self.construct_named(name.as_ref()) {
                Some(target) => Ok(self.left(target)),
                None => self.refuse(statement.span, Class::Language, "EXIT outside of a construct of that name", ""),
            },
            Action::Return(None) => Ok(self.left(self.returned)),
            Action::Return(Some(which)) => self.return_to(which),
            Action::Goto(label) => self.goto(*label),
            Action::GotoComputed(labels, which) => self.goto_computed(labels, which),
            Action::IfSign(value, labels) => self.if_sign(value, *labels, statement.span),
            Action::Stop(stop) => Ok(self.stop(stop)),
            Action::Continue => Ok(fine),
            Action::Declaration(_) => Ok(fine),
            Action::Transfer(transfer) => self.transfer(statement, transfer).map(|()| fine),
            Action::Allocate(spec, objects) => self.allocate(spec.is_some(), objects, statement.span).map(|()| fine),
            Action::Deallocate(objects) => self.deallocate(objects).map(|()| fine),
            other => {
                let (what, help) = unsupported(other);
                self.refuse(statement.span, Class::Control, format!("{what} is not supported"), help)
            }
        }
    }

    /// Takes a way out.
    fn left(&mut self, target: Target) -> Ends {
        self.leave(target);
        Ends::leaves(target)
    }

    /// The arms of an IF. With `rest`, what follows it goes to the first arm if `in_then`, else to the others.
    fn arms(&mut self, arms: &'t [Arm], rest: &[Piece<&'t Statement>], in_then: Option<bool>) -> Result<Ends> {
        let Some((first, others)) = arms.split_first() else { return Ok(Ends::falls()) };
        let Some(condition) = &first.condition else { return Ok(self.block(&first.block)) };
        self.b.span = self.span(first.span);
        let on = self.truth(condition)?;
        if let Some(decided) = known(&on) {
            let only = if decided != 0 { self.block(&first.block) } else { deep(|| self.arms(others, &[], None))? };
            return Ok(self.followed(only, rest, in_then == Some(decided != 0)));
        }
        self.b.begin_branch(on);
        let then = self.block(&first.block);
        let then = self.followed(then, rest, in_then == Some(true));
        self.b.otherwise();
        let otherwise = deep(|| self.arms(others, &[], None))?;
        let otherwise = self.followed(otherwise, rest, in_then == Some(false));
        self.b.end_branch();
        Ok(then.or(otherwise))
    }

    /// A construct that EXIT may leave by its name.
    pub fn construct(
        &mut self,
        statement: &'t Statement,
        inside: impl FnOnce(&mut Self) -> Result<Ends>,
    ) -> Result<Ends> {
        let Some(name) = &statement.name else { return inside(self) };
        let exit = self.target("left");
        self.open.push(Construct { name: Some(name.name.clone()), exit, cycle: None });
        let mut ends = inside(self)?;
        self.open.pop();
        ends.falls |= ends.leaves.remove(&exit);
        Ok(ends)
    }

    fn loop_named(&self, name: Option<&Ident>) -> Option<Target> {
        let mut loops = self.open.iter().rev().filter(|open| open.cycle.is_some());
        loops.find(|open| is_named(open, name))?.cycle
    }

    fn construct_named(&self, name: Option<&Ident>) -> Option<Target> {
        let mut open = self.open.iter().rev().filter(|open| name.is_some() || open.cycle.is_some());
        open.find(|open| is_named(open, name)).map(|open| open.exit)
    }

    fn select(&mut self, statement: &'t Statement, select: &'t Select) -> Result<Ends> {
        if select.by != Selector::Value {
            return self.refuse(statement.span, Class::Control, "SELECT TYPE and SELECT RANK are not supported", "");
        }
        let is_default = |arm: &&SelectArm| matches!(arm.guard, Guard::Default);
        let mut arms: Vec<&'t SelectArm> = select.arms.iter().filter(|arm| !is_default(arm)).collect();
        arms.extend(select.arms.iter().filter(is_default));
        if self.is_text(&select.selector) && self.known_text(&select.selector).is_none() {
            return self.construct(statement, |this| this.text_cases(&select.selector, &arms));
        }
        let on = self.scalar(&select.selector)?;
        let on = match on.kind {
            ExprKind::Int(_) | ExprKind::Value(_) | ExprKind::Verbatim(_) => on,
            _ => self.b.keep("selector", on),
        };
        self.construct(statement, |this| this.cases(&on, &arms))
    }

    fn cases(&mut self, on: &Expr, arms: &[&'t SelectArm]) -> Result<Ends> {
        let Some((first, rest)) = arms.split_first() else { return Ok(Ends::falls()) };
        self.b.span = self.span(first.span);
        let Guard::Values(values) = &first.guard else { return Ok(self.block(&first.block)) };
        let mut tests = Vec::new();
        for value in values {
            tests.push(self.case(on, value, first)?);
        }
        let test = tests.into_iter().reduce(|a, b| Expr::binary(Binary::Or, a, b, logical()));
        self.b.begin_branch(test.unwrap_or(Expr::constant(0, logical())));
        let then = self.block(&first.block);
        self.b.otherwise();
        let otherwise = deep(|| self.cases(on, rest))?;
        self.b.end_branch();
        Ok(then.or(otherwise))
    }

    fn case(&mut self, on: &Expr, value: &'t Argument, arm: &'t SelectArm) -> Result<Expr> {
        let compare = |op, a: &Expr, b: Expr| {
            let b = convert(b, &a.ty);
            Expr::binary(op, a.clone(), b, logical())
        };
        match &value.value {
            ArgumentValue::Expr(value) => {
                let value = self.scalar(value)?;
                Ok(compare(Binary::Equal, on, value))
            }
            ArgumentValue::Section(Section { lower, upper, .. }) => {
                let mut tests = Vec::new();
                for (bound, op) in [(lower, Binary::GreaterEqual), (upper, Binary::LessEqual)] {
                    if let Some(bound) = bound {
                        let bound = self.scalar(bound)?;
                        tests.push(compare(op, on, bound));
                    }
                }
                let all = tests.into_iter().reduce(|a, b| Expr::binary(Binary::And, a, b, logical()));
                Ok(all.unwrap_or(Expr::constant(1, logical())))
            }
            _ => self.refuse(arm.span, Class::Language, "a case that is no value", ""),
        }
    }

    /// Declares the arrays of BLOCK where it begins.
    fn block_arrays(&mut self) -> Result<()> {
        let names = &self.names.scope(self.scope).names;
        let is_array = |id: &scope::SymbolId| {
            let symbol = self.names.symbol(*id);
            symbol.dims.is_some() && matches!(symbol.class, scope::Class::Variable) && !symbol.flags.allocatable
        };
        let mut arrays: Vec<scope::SymbolId> = names.values().copied().filter(is_array).collect();
        arrays.sort_by_key(|id| self.names.symbol(*id).span.from);
        for id in arrays {
            self.memory.remove(&id);
            self.memory(id, self.names.symbol(id).span)?;
        }
        Ok(())
    }

    fn stop(&mut self, stop: &'t Stop) -> Ends {
        let name = match stop.kind {
            StopKind::Error => "error stop",
            StopKind::Stop => "normal stop",
            // It asks for a key, and goes on.
            StopKind::Pause => return Ends::falls(),
        };
        let text = stop.code.as_ref().map(adtape_fortran::print::expression);
        let args = text.into_iter().map(|text| Expr::verbatim(text, Type::pointer(Type::Void)));
        let callee = Callee::External { function: External::Named(name.into()), returns: false, unknown: false };
        self.b.call(callee, args.collect(), None, None);
        Ends::default()
    }

    /// What a control list sets: output that is left out does not fail, and its unit is one of NEWUNIT. What a file says is
    /// refused.
    fn controls(&mut self, statement: &'t Statement, transfer: &'t Transfer) -> Result<()> {
        let asks = matches!(transfer.kind, TransferKind::Read | TransferKind::Inquire);
        for control in &transfer.controls {
            let ArgumentValue::Expr(value) = &control.value else { continue };
            let Some(reference) = value.reference().filter(|reference| self.is_variable(reference)) else {
                let group = value.name().and_then(|name| self.names.lookup(self.scope, &name.name));
                let is_group = group.is_some_and(|id| matches!(self.names.symbol(id).class, scope::Class::Namelist(_)));
                if transfer.kind == TransferKind::Read && is_group {
                    let what = "READ sets the variables of a NAMELIST";
                    return self.refuse(statement.span, Class::Language, what, "read them before the head is called");
                }
                continue;
            };
            let keyword = control.keyword.as_ref().map_or("unit", |keyword| &*keyword.name);
            let ty = self.names.type_of(self.scope, value).type_;
            if !sets(keyword, transfer.kind) || self.reader.scalar_type(&ty).is_err() {
                continue;
            }
            let known = match keyword {
                "iostat" if !asks => Expr::int(0),
                // The first that gfortran gives.
                "newunit" if !asks => Expr::int(-10),
                _ => {
                    let what =
                        format!("{} sets '{}'", transfer.kind.word().to_uppercase(), reference.parts[0].name.name);
                    let help = "ask it before the head is called, and pass the answer";
                    return self.refuse(statement.span, Class::Language, what, help);
                }
            };
            let spot = self.place(reference, &[])?;
            self.assign_spot(spot, known, reference)?;
        }
        Ok(())
    }

    /// Input and output: sweeps leave out what writes; what reads numbers is refused.
    fn transfer(&mut self, statement: &'t Statement, transfer: &'t Transfer) -> Result<()> {
        self.controls(statement, transfer)?;
        if transfer.kind != TransferKind::Read {
            return Ok(());
        }
        for item in &transfer.items {
            let Some(reference) = item.reference() else { continue };
            let ty = self.names.type_of(self.scope, item).type_;
            if self.reader.scalar_type(&ty).is_ok() {
                let what = format!("READ sets '{}'", reference.parts[0].name.name);
                let help = "read it before, and pass it as an argument";
                return self.refuse(statement.span, Class::Language, what, help);
            }
        }
        Ok(())
    }
}

fn is_named(open: &Construct, name: Option<&Ident>) -> bool {
    name.is_none_or(|name| open.name.as_ref() == Some(&name.name))
}

/// Whether a control list gives a variable behind this word a value.
fn sets(keyword: &str, kind: TransferKind) -> bool {
    match keyword {
        "iostat" | "newunit" | "size" => true,
        "unit" | "file" | "id" => false,
        _ => kind == TransferKind::Inquire,
    }
}

/// What an action that is not supported is called, and what to do instead.
fn unsupported(action: &Action) -> (&'static str, &'static str) {
    match action {
        Action::GotoAssigned(..) | Action::AssignLabel(..) => ("an assigned GOTO", "use a computed one"),
        Action::PointTo(..) | Action::Nullify(_) => ("pointer assignment", "use the target by its name"),
        Action::Images(..) | Action::Critical(..) | Action::Team(..) => ("a statement of coarrays", ""),
        _ => ("this statement", ""),
    }
}
