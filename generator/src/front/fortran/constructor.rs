//! Array constructors: their items are put into memory, in front of the statement that reads them.

use super::make::*;
use super::state::{Array, Lower, Memory, Result};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::tree::expression::{Expr as Written, ExprKind as Kind, ImpliedDo};
use adtape_fortran::tree::walk::{self, Node};

/// Items on their way into memory: where the next one goes.
struct Filled {
    array: Array,
    next: VarId,
}

impl<'t> Lower<'_, 't> {
    /// Puts the items of an array constructor into memory.
    pub fn hoist_items(&mut self, expr: &'t Written, items: &'t [Written]) -> Result<()> {
        if self.constructed.contains_key(&std::ptr::from_ref(expr).addr()) {
            return Ok(());
        }
        if items.is_empty() {
            return self.refuse(expr.span, Class::Language, "an array constructor without items is not supported", "");
        }
        let declared = self.names.type_of(self.scope, expr).type_;
        let ty = match self.reader.scalar_type(&declared) {
            Ok(ty) => ty,
            Err(why) => return self.refuse(expr.span, Class::Type, format!("an array constructor: {why}"), ""),
        };
        let array = if items.iter().all(|item| self.is_one(item)) {
            self.listed(items, &ty)?
        } else {
            self.filled(items, &ty)?
        };
        self.constructed.insert(std::ptr::from_ref(expr).addr(), array);
        Ok(())
    }

    /// Puts the elements of an array into a vector, in the order of memory, unless it is one.
    pub fn flatten(&mut self, source: &'t Written) -> Result<()> {
        let key = std::ptr::from_ref(source).addr();
        if self.constructed.contains_key(&key) {
            return Ok(());
        }
        if self.names.type_of(self.scope, source).rank == Some(1) {
            return self.hoist_parts(source);
        }
        let declared = self.names.type_of(self.scope, source).type_;
        let ty = match self.reader.scalar_type(&declared) {
            Ok(ty) => ty,
            Err(why) => return self.refuse(source.span, Class::Type, why, ""),
        };
        let array = self.filled(std::slice::from_ref(source), &ty)?;
        self.constructed.insert(key, array);
        Ok(())
    }

    /// Whether an item is a scalar.
    fn is_one(&self, item: &Written) -> bool {
        !matches!(item.kind, Kind::ImpliedDo(_)) && self.names.type_of(self.scope, item).rank == Some(0)
    }

    /// The number of items.
    pub fn items_count(&mut self, items: &'t [Written]) -> Result<Expr> {
        let mut count = Expr::int(0);
        for item in items {
            let more = match &item.kind {
                Kind::ImpliedDo(implied) => self.passes_count(item, implied)?,
                _ if self.is_one(item) => Expr::int(1),
                _ => self.shape(item)?.into_iter().reduce(multiply).unwrap_or(Expr::int(1)),
            };
            count = add(count, convert(more, &Type::int()));
        }
        Ok(count)
    }

    /// The number of items of a loop: what a pass has must not depend on the pass.
    fn passes_count(&mut self, item: &'t Written, implied: &'t ImpliedDo) -> Result<Expr> {
        let name = &*implied.variable.name;
        let mut depends = false;
        for inner in &implied.items {
            let bounds: Vec<&'t Written> = match &inner.kind {
                Kind::ImpliedDo(inner) => inner.bounds.iter().collect(),
                _ if self.is_one(inner) => Vec::new(),
                _ => vec![inner],
            };
            for bound in bounds {
                walk::expr(bound, &mut |node| {
                    depends |= matches!(node, Node::Reference(one) if *one.parts[0].name.name == *name);
                });
            }
        }
        if depends {
            let what = "an item of an array constructor whose size depends on the loop is not supported";
            return self.refuse(item.span, Class::Language, what, "assign the elements in a loop");
        }
        let (from, to, step) = self.passes(implied)?;
        let trips = add(subtract(to, from), Expr::int(step));
        let trips = Expr::binary(Binary::Divide, trips, Expr::int(step), Type::int());
        let trips = self.simple(trips);
        let none = Expr::binary(Binary::Less, trips.clone(), Expr::int(0), logical());
        let trips = Expr::select(none, Expr::int(0), trips, Type::int());
        let each = self.items_count(&implied.items)?;
        let trips = self.simple(trips);
        Ok(multiply(trips, each))
    }

    /// The bounds of a loop, and its step.
    fn passes(&mut self, implied: &'t ImpliedDo) -> Result<(Expr, Expr, i128)> {
        let mut bounds = Vec::new();
        for bound in &implied.bounds {
            let bound = self.integer(bound)?;
            let bound = self.simple(convert(bound, &Type::int()));
            bounds.push(bound);
        }
        let step = bounds.get(2).map_or(Some(1), known).filter(|step| *step != 0);
        match (bounds.first().cloned(), bounds.get(1).cloned(), step) {
            (Some(from), Some(to), Some(step)) => Ok((from, to, step)),
            _ => {
                let what = "a step that is no constant";
                self.refuse(implied.variable.span, Class::Language, what, "assign the elements in a loop")
            }
        }
    }

    /// An array of scalars, one behind the other.
    fn listed(&mut self, items: &'t [Written], ty: &Type) -> Result<Array> {
        let mut values = Vec::new();
        for item in items {
            values.push(self.scalar(item)?);
        }
        let array = self.scratch("items", ty.clone(), &[Expr::int(items.len() as i128)]);
        for (k, value) in values.into_iter().enumerate() {
            let to = array.element(vec![Expr::int(k as i128)]);
            self.b.emit(ItemKind::Store { to, from: convert(value, ty) });
        }
        Ok(array)
    }

    /// An array of items that are arrays or loops.
    fn filled(&mut self, items: &'t [Written], ty: &Type) -> Result<Array> {
        for item in items.iter().filter(|item| !matches!(item.kind, Kind::ImpliedDo(_))) {
            self.hoist_parts(item)?;
        }
        let count = self.items_count(items)?;
        let count = self.simple(count);
        let array = self.scratch("items", ty.clone(), &[count]);
        let span = self.b.span;
        let next = self.b.var("next", Type::int(), VarKind::Temporary, span);
        self.b.assign(next, Expr::int(0));
        let filled = Filled { array, next };
        self.fill(items, &filled)?;
        Ok(filled.array)
    }

    fn fill(&mut self, items: &'t [Written], filled: &Filled) -> Result<()> {
        for item in items {
            match &item.kind {
                Kind::ImpliedDo(implied) => self.fill_passes(implied, filled)?,
                _ if self.is_one(item) => {
                    let value = self.scalar(item)?;
                    self.put(value, filled);
                }
                _ => {
                    let shape = self.shape(item)?;
                    self.nest(&shape, &mut |this, at| {
                        let value = this.element(item, at)?;
                        this.put(value, filled);
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, value: Expr, filled: &Filled) {
        let at = self.b.get(filled.next);
        let from = convert(value, &filled.array.elem);
        self.b.emit(ItemKind::Store { to: filled.array.element(vec![at.clone()]), from });
        self.b.assign(filled.next, at.offset(1));
    }

    fn fill_passes(&mut self, implied: &'t ImpliedDo, filled: &Filled) -> Result<()> {
        let (from, to, step) = self.passes(implied)?;
        let symbol = self.symbol(&implied.variable)?;
        let span = self.b.span;
        let var = self.b.var(&implied.variable.name, Type::int(), VarKind::Renamed, span);
        let before = self.memory.insert(symbol, Memory::Var(var));
        self.b.assign(var, from);
        self.b.begin_loop();
        let op = if step > 0 { Binary::LessEqual } else { Binary::GreaterEqual };
        let at = self.b.head(var);
        self.b.test(Expr::binary(op, at, to, logical()), TestAt::Before);
        let found = self.fill(&implied.items, filled);
        let next = self.b.get(var).offset(step);
        self.b.assign(var, next);
        self.b.end_loop();
        self.b.close_scope(var);
        match before {
            Some(before) => drop(self.memory.insert(symbol, before)),
            None => drop(self.memory.remove(&symbol)),
        }
        found
    }
}
