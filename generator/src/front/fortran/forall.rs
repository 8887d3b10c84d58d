//! FORALL and DO CONCURRENT: loops over several indices at once.
//!
//! ```text
//!   forall (i = 2:n, x(i) > 0) x(i) = x(i - 1)     mask:    before anything is assigned
//!                                                  values:  before one is assigned, if others read it
//! ```

use super::make::*;
use super::state::{Array, Lower, Memory, Result};
use super::types::logical;
use crate::front::jumps::Ends;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::SymbolId;
use adtape_fortran::tree::expression::{Expr as Written, Ident, Reference};
use adtape_fortran::tree::statement::{Action, Indices, Statement};

/// An index with its bounds, which are the same for all loops.
struct Index<'t> {
    symbol: SymbolId,
    name: &'t Ident,
    from: Expr,
    to: Expr,
    step: i128,
    ty: Type,
}

/// Which combinations of the indices count.
enum Mask<'t> {
    All,
    /// Where this holds when the loops come there.
    Here(&'t Written),
    /// Where this held at the beginning.
    Before(Array),
}

impl<'t> Lower<'_, 't> {
    /// `forall (i = 1:n, mask) …`: each assignment for all indices before the next one.
    pub fn forall(&mut self, indices: &'t Indices, block: &'t [Statement]) -> Result<()> {
        let mut assigned = Vec::new();
        for statement in block {
            let Action::Assign(target, value) = &statement.action else {
                let what = "this statement inside of FORALL is not supported";
                return self.refuse(statement.span, Class::Language, what, "write loops");
            };
            assigned.push((statement.span, target, value));
        }
        let loops = self.indices(indices)?;
        let mask = match &indices.mask {
            None => Mask::All,
            Some(mask) if assigned.iter().any(|(_, target, _)| self.reads_some_of(target, mask)) => {
                let noted = self.noted(&loops, &Mask::All, logical(), mask)?;
                Mask::Before(noted)
            }
            Some(mask) => Mask::Here(mask),
        };
        for (span, target, value) in assigned {
            self.b.span = self.span(span);
            if self.needs_copy(target, value) {
                self.copied_forall(&loops, &mask, (target, value))?;
            } else {
                self.run_over(&loops, &mask, &mut |this| this.assignment(target, value).map(|()| Ends::falls()))?;
            }
        }
        Ok(())
    }

    /// An assignment whose values are all computed before one is assigned.
    fn copied_forall(
        &mut self,
        loops: &[Index<'t>],
        mask: &Mask<'t>,
        (target, value): (&'t Reference, &'t Written),
    ) -> Result<()> {
        let ranks = [self.names.type_of_reference(self.scope, target).rank, self.names.type_of(self.scope, value).rank];
        let ty = match self.reader.scalar_type(&self.names.type_of_reference(self.scope, target).type_) {
            Ok(ty) if ranks == [Some(0); 2] => ty,
            Ok(_) | Err(_) => {
                let what = format!("FORALL reads '{}' while it assigns parts of it", target.parts[0].name.name);
                return self.refuse(target.span, Class::Language, what, "write a loop with a copy of the array");
            }
        };
        let copy = self.noted(loops, mask, ty, value)?;
        self.run_over(loops, mask, &mut |this| {
            let from = Expr::load(copy.element(this.places(loops)));
            let spot = this.place(target, &[])?;
            this.assign_spot(spot, from, target)?;
            Ok(Ends::falls())
        })
    }

    /// An array with the values of an expression, an element for each combination of the indices.
    fn noted(&mut self, loops: &[Index<'t>], mask: &Mask<'t>, ty: Type, value: &'t Written) -> Result<Array> {
        let shape: Vec<Expr> = loops.iter().map(Index::trips).collect();
        let array = self.scratch("copy", ty.clone(), &shape);
        self.run_over(loops, mask, &mut |this| {
            let from = this.scalar(value)?;
            if (ty == logical()) != (from.ty == logical()) {
                return this.refuse(value.span, Class::Type, "a number and a logical are mixed", "");
            }
            let to = array.element(this.places(loops));
            this.b.emit(ItemKind::Store { to, from: convert(from, &ty) });
            Ok(Ends::falls())
        })?;
        Ok(array)
    }

    /// Subscripts from 0 of the pass at hand.
    fn places(&mut self, loops: &[Index<'t>]) -> Vec<Expr> {
        let mut places = Vec::new();
        for index in loops {
            let Some(Memory::Var(var)) = self.memory.get(&index.symbol) else { continue };
            let at = self.b.get(*var);
            let distance = subtract(at, index.from.clone());
            places.push(divide(distance, Expr::constant(index.step, index.ty.clone())));
        }
        places
    }

    /// Loops over the indices of DO CONCURRENT, where the mask holds.
    pub fn over(&mut self, indices: &'t Indices, body: &mut dyn FnMut(&mut Self) -> Result<Ends>) -> Result<()> {
        let loops = self.indices(indices)?;
        let mask = indices.mask.as_ref().map_or(Mask::All, |mask| Mask::Here(mask));
        self.run_over(&loops, &mask, body)
    }

    /// The indices with their bounds.
    fn indices(&mut self, indices: &'t Indices) -> Result<Vec<Index<'t>>> {
        let mut loops = Vec::new();
        for (name, from, to, step) in &indices.indices {
            let (from, to) = (self.integer(from)?, self.integer(to)?);
            let step = match step {
                Some(step) => self.integer(step)?,
                None => Expr::int(1),
            };
            let Some(step) = known(&step).filter(|step| *step != 0) else {
                return self.refuse(name.span, Class::Language, "a step that is no constant", "write DO loops");
            };
            let symbol = self.symbol(name)?;
            let ty = self.type_of_symbol(symbol, name.span)?;
            let from = self.simple(convert(from, &ty));
            let to = self.simple(convert(to, &ty));
            loops.push(Index { symbol, name, from, to, step, ty });
        }
        Ok(loops)
    }

    /// Runs a body for each combination of indices that counts.
    fn run_over(
        &mut self,
        loops: &[Index<'t>],
        mask: &Mask<'t>,
        body: &mut dyn FnMut(&mut Self) -> Result<Ends>,
    ) -> Result<()> {
        let mut open = Vec::new();
        let mut hidden = Vec::new();
        for Index { symbol, name, from, to, step, ty } in loops {
            let span = self.b.span;
            let var = self.b.var(&name.name, ty.clone(), VarKind::Renamed, span);
            hidden.push((*symbol, self.memory.insert(*symbol, Memory::Var(var))));
            self.b.assign(var, from.clone());
            self.b.begin_loop();
            let op = if *step > 0 { Binary::LessEqual } else { Binary::GreaterEqual };
            let at = self.b.head(var);
            self.b.test(Expr::binary(op, at, to.clone(), logical()), TestAt::Before);
            open.push((var, *step));
        }
        // What ran for another pass does not stand for this one.
        self.hoisted.clear();
        self.constructed.clear();
        let on = match mask {
            Mask::All => None,
            Mask::Here(mask) => Some(self.truth(mask)?),
            Mask::Before(array) => {
                let places = self.places(loops);
                Some(Expr::load(array.element(places)))
            }
        };
        let is_masked = on.is_some();
        if let Some(on) = on {
            self.b.begin_branch(on);
        }
        let found = body(self);
        if is_masked {
            self.b.end_branch();
        }
        for (var, step) in open.into_iter().rev() {
            let next = self.b.get(var).offset(step);
            self.b.assign(var, next);
            self.b.end_loop();
            self.b.close_scope(var);
        }
        for (symbol, before) in hidden {
            match before {
                Some(before) => drop(self.memory.insert(symbol, before)),
                None => drop(self.memory.remove(&symbol)),
            }
        }
        found.map(|_| ())
    }
}

impl Index<'_> {
    /// How many values it takes; 0 or less if none.
    fn trips(&self) -> Expr {
        let step = Expr::constant(self.step, self.ty.clone());
        divide(add(subtract(self.to.clone(), self.from.clone()), step.clone()), step)
    }
}
