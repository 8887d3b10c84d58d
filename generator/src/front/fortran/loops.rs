//! DO.

use super::make::*;
use super::state::{Construct, Lower, Memory, Result};
use super::types::logical;
use crate::front::jumps::{Ends, Jumping, Target};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::SymbolId;
use adtape_fortran::tree::expression::{Expr as Written, Ident};
use adtape_fortran::tree::statement::{Control, Count, Do, Statement};
use std::collections::BTreeSet;

/// What DO CONCURRENT says of some variables: the word, and their names.
type Locality = (Box<str>, Vec<Ident>);

/// What keeps a loop going, and what a pass ends with.
struct Counter {
    var: VarId,
    last: Expr,
    step: i128,
    /// Where the counter's value is kept for others.
    copied: Option<Place>,
    /// A variable that goes by a step of its own.
    beside: Option<(VarId, Expr)>,
}

/// A loop, as a statement and what it has of its own.
type Looped<'t> = (&'t Statement, &'t Do);

impl<'t> Lower<'_, 't> {
    /// A loop.
    pub fn loop_statement(&mut self, statement: &'t Statement, looped: &'t Do) -> Result<Ends> {
        let name = statement.name.as_ref().map(|name| name.name.clone());
        match &looped.control {
            Control::Count(count) => self.counted(name, count, (statement, looped)),
            Control::While(test) => self.repeat(name, Some(test), None, (statement, looped)),
            Control::Forever => self.repeat(name, None, None, (statement, looped)),
            Control::Concurrent(indices, locals) => {
                let here = self.names.scope_of(statement).unwrap_or(self.scope);
                // Nothing leaves it.
                let labels = std::mem::take(&mut self.jumps.labels);
                let end = statement.end.and_then(|end| end.label);
                let found = self.in_scope(here, |this| {
                    this.over(indices, &mut |this| {
                        let outer = this.begin_locals(locals)?;
                        let ends = this.block_to(&looped.body, end);
                        for (id, memory) in outer {
                            this.memory.remove(&id);
                            this.memory.extend(memory.map(|memory| (id, memory)));
                        }
                        Ok(ends)
                    })
                });
                self.jumps.labels = labels;
                found.map(|()| Ends::falls())
            }
        }
    }

    /// The variables that each pass of DO CONCURRENT has for itself: what their names stand for outside.
    fn begin_locals(&mut self, locals: &'t [Locality]) -> Result<Vec<(SymbolId, Option<Memory>)>> {
        let mut outer = Vec::new();
        for (word, names) in locals.iter().filter(|(word, _)| matches!(&**word, "local" | "local_init")) {
            for name in names {
                let id = self.symbol(name)?;
                let first = match &**word {
                    "local_init" => match self.memory(id, name.span)? {
                        Memory::Var(var) => Some(self.b.get(var)),
                        Memory::Scalar(place) => Some(Expr::load(place)),
                        Memory::Array(_) | Memory::Value(_) => {
                            let what = format!("LOCAL_INIT of '{}', which is no scalar variable", name.name);
                            return self.refuse(name.span, Class::Language, what, "copy it inside of the loop");
                        }
                    },
                    _ => None,
                };
                outer.push((id, self.memory.remove(&id)));
                let own = self.local(id, name.span)?;
                match (&own, first) {
                    (Memory::Var(var), Some(first)) => drop(self.b.assign(*var, first)),
                    (Memory::Scalar(to), Some(from)) => drop(self.b.emit(ItemKind::Store { to: to.clone(), from })),
                    _ => {}
                }
                self.memory.insert(id, own);
            }
        }
        Ok(outer)
    }

    /// `do i = from, to, step`: the bounds and the number of passes are those of the beginning.
    fn counted(&mut self, name: Option<Box<str>>, count: &'t Count, looped: Looped<'t>) -> Result<Ends> {
        let at = count.variable.span;
        let span = self.b.span;
        let Some(ident) = count.variable.name() else {
            return self.refuse(at, Class::Language, "the variable of DO is a part of another one", "");
        };
        let from = self.integer(&count.from)?;
        let to = self.integer(&count.to)?;
        let step = match &count.step {
            Some(step) => self.integer(step)?,
            None => Expr::int(1),
        };
        let symbol = self.symbol(ident)?;
        let memory = self.memory(symbol, at)?;
        let (var, copied) = match memory {
            super::state::Memory::Var(var) => (var, None),
            super::state::Memory::Scalar(place) => {
                let ty = place.ty.clone();
                (self.b.var(&format!("{}_here", ident.name), ty, VarKind::Temporary, span), Some(place))
            }
            _ => return self.refuse(at, Class::Language, "the variable of DO is no scalar", ""),
        };
        let ty = self.b.proc().vars[var].ty.clone();
        if !ty.is_integer() {
            let help = "count with an integer, and compute the real from it";
            return self.refuse(at, Class::Language, "the variable of DO is a real", help);
        }
        let (from, to) = (convert(from, &ty), self.fixed(convert(to, &ty)));
        let Some(step) = known(&step) else {
            let beside = (var, copied);
            return self.by_trips(name, beside, (from, to, convert(step, &ty)), looped);
        };
        if step == 0 {
            return self.refuse(at, Class::Language, "the step of DO is 0", "");
        }
        self.b.assign(var, from);
        if let Some(place) = &copied {
            // Statements of the body read the variable in memory.
            let from = self.b.get(var);
            self.b.emit(ItemKind::Store { to: place.clone(), from });
        }
        self.repeat(name, None, Some(Counter { var, last: to, step, copied, beside: None }), looped)
    }

    /// A step that is no constant: the passes are counted.
    fn by_trips(
        &mut self,
        name: Option<Box<str>>,
        (var, copied): (VarId, Option<Place>),
        (from, to, step): (Expr, Expr, Expr),
        looped: Looped<'t>,
    ) -> Result<Ends> {
        let ty = from.ty.clone();
        let step = self.fixed(step);
        self.b.assign(var, from);
        let from = self.b.get(var);
        let distance = add(subtract(to, from), step.clone());
        let trips = Expr::binary(Binary::Divide, distance, step.clone(), ty.clone());
        let trips = self.b.keep("trips", trips);
        let span = self.b.span;
        let counter = self.b.var("trip", ty.clone(), VarKind::Temporary, span);
        self.b.assign(counter, Expr::constant(1, ty));
        if let Some(place) = &copied {
            let from = self.b.get(var);
            self.b.emit(ItemKind::Store { to: place.clone(), from });
        }
        let count = Counter { var: counter, last: trips, step: 1, copied, beside: Some((var, step)) };
        self.repeat(name, None, Some(count), looped)
    }

    /// A value that is the same in all passes.
    fn fixed(&mut self, expr: Expr) -> Expr {
        match expr.kind {
            ExprKind::Int(_) | ExprKind::Value(_) => expr,
            _ => self.b.keep("last", expr),
        }
    }

    /// A loop.
    fn repeat(
        &mut self,
        name: Option<Box<str>>,
        test: Option<&'t Written>,
        counter: Option<Counter>,
        looped: Looped<'t>,
    ) -> Result<Ends> {
        let (statement, looped) = looped;
        let is_counted = counter.is_some();
        let exit = self.target("left");
        let span = self.b.span;
        self.b.begin_loop();
        let first = self.b.items_here().len();
        let on = match (test, &counter) {
            (Some(test), _) => self.truth(test)?,
            (None, Some(counter)) => {
                let op = if counter.step > 0 { Binary::LessEqual } else { Binary::GreaterEqual };
                let at = self.b.head(counter.var);
                Expr::binary(op, at, counter.last.clone(), logical())
            }
            (None, None) => Expr::constant(1, logical()),
        };
        // A test that calls a function runs at the beginning of the pass.
        let runs = self.b.items_here().len() > first;
        if runs {
            self.b.begin_branch(not(on.clone()));
            self.leave(exit);
            self.b.end_branch();
        }
        let cycle = self.target("skipped");
        self.open.push(Construct { name, exit, cycle: Some(cycle) });
        let end = statement.end.and_then(|end| end.label);
        let mut ends = if runs {
            self.guarded([exit].into(), |this| this.block_to(&looped.body, end))
        } else {
            self.block_to(&looped.body, end)
        };
        self.open.pop();
        ends.falls |= ends.leaves.remove(&cycle);
        self.close_target(cycle);
        self.b.span = span;
        if ends.falls {
            self.step(counter, &ends.leaves);
        }
        let mut all = Vec::new();
        for target in &ends.leaves {
            let flag = self.jumps.flags[*target];
            all.push(not(self.b.head(flag)));
        }
        if !runs {
            all.push(on);
        }
        let whole = all.into_iter().reduce(|a, b| Expr::binary(Binary::And, a, b, logical()));
        self.b.test(whole.unwrap_or(Expr::constant(1, logical())), TestAt::Before);
        self.b.end_loop();
        let broke = ends.leaves.remove(&exit);
        self.close_target(exit);
        // A loop with a test ends by it.
        let falls = broke || test.is_some() || is_counted;
        Ok(Ends { falls, leaves: ends.leaves })
    }

    fn step(&mut self, counter: Option<Counter>, leaves: &BTreeSet<Target>) {
        let Some(Counter { var, step, copied, beside, .. }) = counter else { return };
        if !leaves.is_empty() {
            let stays = self.stayed(leaves);
            self.b.begin_branch(stays);
        }
        let next = self.b.get(var).offset(step);
        self.b.assign(var, next);
        let mut own = var;
        if let Some((var, step)) = beside {
            let next = add(self.b.get(var), step);
            self.b.assign(var, next);
            own = var;
        }
        if let Some(to) = copied {
            let from = self.b.get(own);
            self.b.emit(ItemKind::Store { to, from });
        }
        if !leaves.is_empty() {
            self.b.end_branch();
        }
    }
}
