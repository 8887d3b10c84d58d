//! Assignments.

use super::arrays::TRANSFORMED;
use super::make::*;
use super::reductions::REDUCING;
use super::state::{Array, Lower, Memory, Result, Spot};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::print;
use adtape_fortran::scope::program::{self as scope, SymbolId, Type as Declared};
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, ExprKind as Kind, Reference};
use adtape_fortran::tree::walk::{self, Node};

impl<'t> Lower<'_, 't> {
    /// `a = b`
    pub fn assignment(&mut self, target: &'t Reference, value: &'t Written) -> Result<()> {
        // Messages are left out of the sweeps, with what they are made of.
        if self.names_text(target) {
            return Ok(());
        }
        if let Some(call) = self.reader.assignment(target) {
            return self.call_statement(call);
        }
        let rank = self.names.type_of_reference(self.scope, target).rank;
        match rank {
            Some(0) if self.is_derived(target) => self.assign_struct(target, &[], value, &[]),
            Some(0) => {
                let value = self.scalar(value)?;
                let spot = self.place(target, &[])?;
                self.assign_spot(spot, value, target)
            }
            Some(_) if self.allocated_by(target, value)? => Ok(()),
            Some(_) => self.assign_array(target, value),
            None => self.refuse(target.span, Class::Type, "the type of this variable is not known", ""),
        }
    }

    pub fn assign_spot(&mut self, spot: Spot, value: Expr, target: &Reference) -> Result<()> {
        let ty = match &spot {
            Spot::Var(var) => self.b.proc().vars[*var].ty.clone(),
            Spot::Place(place) => place.ty.clone(),
        };
        let truth = super::types::logical();
        if (ty == truth) != (value.ty == truth) {
            return self.refuse(target.span, Class::Type, "a number and a logical are mixed", "");
        }
        let from = convert(value, &ty);
        match spot {
            Spot::Var(var) => drop(self.b.assign(var, from)),
            Spot::Place(to) => drop(self.b.emit(ItemKind::Store { to, from })),
        }
        Ok(())
    }

    fn is_derived(&self, reference: &Reference) -> bool {
        matches!(self.names.type_of_reference(self.scope, reference).type_, Declared::Derived(_))
    }

    /// `a = b` and `a = t(1.0)` for one variable of a derived type. The elements are those at these subscripts from 0.
    fn assign_struct(&mut self, target: &'t Reference, at: &[Expr], value: &'t Written, from: &[Expr]) -> Result<()> {
        let Spot::Place(to) = self.place(target, at)? else {
            return self.refuse(target.span, Class::Language, "a derived type has no place", "");
        };
        if let Some(reference) = value.reference().filter(|reference| !self.is_variable(reference))
            && let Some(id) = self.names.lookup(self.scope, &reference.parts[0].name.name)
            && matches!(self.names.symbol(id).class, scope::Class::Derived(_))
        {
            return self.structure(&to, id, reference);
        }
        let from = self.struct_value(value, from)?;
        if from.ty != to.ty {
            return self.refuse(value.span, Class::Type, "the value has another type", "");
        }
        self.copy_struct(&to, &from, target)
    }

    fn assign_structs(
        &mut self,
        target: &'t Reference,
        value: &'t Written,
        shape: &[Expr],
        scalar: bool,
    ) -> Result<()> {
        if self.needs_copy(target, value) {
            let what = "an array of a derived type is assigned from itself";
            return self.refuse(target.span, Class::Language, what, "write a loop");
        }
        self.nest(shape, &mut |this, at| this.assign_struct(target, at, value, if scalar { &[] } else { at }))
    }

    fn assign_array(&mut self, target: &'t Reference, value: &'t Written) -> Result<()> {
        let name = &*target.parts[0].name.name;
        if self.names_itself(target) {
            let what = format!("subscripts of '{name}' are computed from itself while it is assigned");
            return self.refuse(target.span, Class::Language, what, "copy them to another array first");
        }
        if let Kind::Array(_, items) = &value.kind
            && items.iter().all(|item| self.names.type_of(self.scope, item).rank == Some(0))
        {
            self.refuse_reallocation(target, value)?;
            return self.assign_items(target, items);
        }
        self.assign_elements(target, value, &mut |_, _| None)
    }

    /// Whether subscripts of a reference read the variable that it begins with. Its bounds stay what they are.
    fn names_itself(&self, target: &'t Reference) -> bool {
        let (mut inside, mut bounds) = (false, Vec::new());
        walk::reference(target, &mut |node| {
            let Node::Reference(reference) = node else { return };
            let called = self.called(&reference.parts[0]);
            if matches!(&called, super::state::Called::Intrinsic(name) if matches!(&**name, "lbound" | "size" | "ubound"))
            {
                let list = reference.parts[0].lists.iter().flatten();
                bounds.extend(list.filter_map(|argument| match &argument.value {
                    ArgumentValue::Expr(value) => value.reference().map(std::ptr::from_ref),
                    _ => None,
                }));
            }
            let is_bound = bounds.contains(&std::ptr::from_ref(reference));
            inside |= !std::ptr::eq(reference, target)
                && !is_bound
                && reference.parts[0].name.name == target.parts[0].name.name;
        });
        inside
    }

    /// `a = [b, c]`
    fn assign_items(&mut self, target: &'t Reference, items: &'t [Written]) -> Result<()> {
        let mut values = Vec::new();
        for item in items {
            let item = self.scalar(item)?;
            values.push(self.b.keep("item", item));
        }
        for (k, value) in values.into_iter().enumerate() {
            let spot = self.place(target, &[Expr::int(k as i128)])?;
            self.assign_spot(spot, value, target)?;
        }
        Ok(())
    }

    /// Assigns all elements, or those for which `on` holds, once all values that are needed are known.
    pub fn assign_elements(
        &mut self,
        target: &'t Reference,
        value: &'t Written,
        on: &mut dyn FnMut(&mut Self, &[Expr]) -> Option<Expr>,
    ) -> Result<()> {
        let scalar = self.names.type_of(self.scope, value).rank == Some(0);
        self.hoist_subscripts(target)?;
        if !scalar && !self.is_derived(target) {
            self.hoist_parts(value)?;
        }
        let shape = self.reference_shape_or_value(target, value)?;
        if !scalar {
            self.refuse_reallocation(target, value)?;
        }
        if self.is_derived(target) {
            return self.assign_structs(target, value, &shape, scalar);
        }
        if scalar {
            let value = self.scalar(value)?;
            let value = self.simple(value);
            return self.nest(&shape, &mut |this, at| {
                let test = on(this, at);
                this.where_true(test, |this| {
                    let spot = this.place(target, at)?;
                    this.assign_spot(spot, value.clone(), target)
                })
            });
        }
        if !self.needs_copy(target, value) {
            return self.nest(&shape, &mut |this, at| {
                let test = on(this, at);
                this.where_true(test, |this| {
                    let value = this.element(value, at)?;
                    let spot = this.place(target, at)?;
                    this.assign_spot(spot, value, target)
                })
            });
        }
        let ty = match self.reader.scalar_type(&self.names.type_of_reference(self.scope, target).type_) {
            Ok(ty) => ty,
            Err(why) => return self.refuse(target.span, Class::Type, why, ""),
        };
        let copy = self.scratch("copy", ty.clone(), &shape);
        self.nest(&shape, &mut |this, at| {
            let test = on(this, at);
            this.where_true(test, |this| {
                let from = convert(this.element(value, at)?, &ty);
                this.b.emit(ItemKind::Store { to: copy.element(at.to_vec()), from });
                Ok(())
            })
        })?;
        self.nest(&shape, &mut |this, at| {
            let test = on(this, at);
            this.where_true(test, |this| {
                let spot = this.place(target, at)?;
                this.assign_spot(spot, Expr::load(copy.element(at.to_vec())), target)
            })
        })
    }

    fn where_true(&mut self, test: Option<Expr>, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let is_guarded = test.is_some();
        if let Some(test) = test {
            self.b.begin_branch(test);
        }
        let found = work(self);
        if is_guarded && found.is_ok() {
            self.b.end_branch();
        }
        found
    }

    /// Refuses an assignment that allocates its target anew: to the whole of what is allocatable, of a value with another
    /// shape. Where only a run shows that, the run stops.
    fn refuse_reallocation(&mut self, target: &'t Reference, value: &'t Written) -> Result<()> {
        if !self.is_whole(target) {
            return Ok(());
        }
        let Memory::Array(Array { deferred: true, .. }) = self.last_part(target, &[])?.memory else { return Ok(()) };
        let (from, to) = (self.shape(value)?, self.reference_shape(target)?);
        if from == to {
            return Ok(());
        }
        let name = &target.parts.last().expect("a part").name.name;
        let differs = |a: &Expr, b: &Expr| known(a).zip(known(b)).is_some_and(|(a, b)| a != b);
        if from.len() == to.len() && !from.iter().zip(&to).any(|(a, b)| differs(a, b)) {
            self.stop_at_other_shape(name, &from, &to);
            return Ok(());
        }
        let what = format!("this assignment allocates '{name}' anew where the shapes differ");
        let help = format!("write '{name}(:) = ...', with a colon for each dimension, if they are the same");
        self.refuse(target.span, Class::Language, what, &help)
    }

    /// Stops the program where two shapes differ.
    fn stop_at_other_shape(&mut self, name: &str, from: &[Expr], to: &[Expr]) {
        let differ = from.iter().zip(to).filter(|(from, to)| from != to).map(|(from, to)| {
            let from = convert(from.clone(), &to.ty);
            Expr::binary(Binary::NotEqual, from, to.clone(), super::types::logical())
        });
        let either = differ.reduce(|a, b| Expr::binary(Binary::Or, a, b, super::types::logical()));
        let Some(either) = either else { return };
        self.b.begin_branch(either);
        let line = self.b.span.line;
        let text = format!("'line {line}: {name} gets another shape here, and derivatives do not allocate it anew'");
        let callee =
            Callee::External { function: External::Named("error stop".into()), returns: false, unknown: false };
        self.b.call(callee, vec![Expr::verbatim(text, Type::pointer(Type::Void))], None, None);
        self.b.end_branch();
    }

    /// The shape of what is assigned: of an array whose last extent is not known, that of the value.
    fn reference_shape_or_value(&mut self, target: &'t Reference, value: &'t Written) -> Result<Vec<Expr>> {
        let symbol = self.symbol(&target.parts[0].name)?;
        let whole = target.parts.len() == 1 && target.parts[0].lists.is_empty();
        if let (true, Memory::Array(array)) = (whole, self.memory(symbol, target.span)?)
            && array.dims.iter().any(|dim| dim.extent.is_none())
        {
            return self.shape(value);
        }
        self.reference_shape(target)
    }

    /// Whether the value reads elements of the target other than the one that is assigned.
    pub fn needs_copy(&self, target: &'t Reference, value: &'t Written) -> bool {
        let printed = |reference: &Reference| {
            print::expression(&Written { kind: Kind::Reference(reference.clone()), span: target.span })
        };
        let same = printed(target);
        let (mut others, mut itself) = (false, false);
        let by_another_name = self.reads_by_any_name(target, value, &mut |reference| {
            let is_same = printed(reference) == same;
            others |= !is_same;
            itself |= is_same;
        });
        by_another_name || others || itself && self.transforms(value)
    }

    /// Whether a value reads any part of the target.
    pub fn reads_some_of(&self, target: &'t Reference, value: &'t Written) -> bool {
        let mut by_its_name = false;
        self.reads_by_any_name(target, value, &mut |_| by_its_name = true) || by_its_name
    }

    /// Whether a value may read the target's memory under another name. Calls `own` with each read under its own.
    fn reads_by_any_name(&self, target: &Reference, value: &'t Written, own: &mut dyn FnMut(&Reference)) -> bool {
        let name = &*target.parts[0].name.name;
        let mut found = false;
        walk::expr(value, &mut |node| {
            let Node::Reference(reference) = node else { return };
            let other = &*reference.parts[0].name.name;
            found |= other != name && self.may_be_one(name, other) || self.is_named_by(name, reference);
            if other == name && !other_component(target, reference) {
                own(reference);
            }
        });
        found
    }

    /// Whether a call leads to a procedure that names a variable of its own accord, element by element.
    fn is_named_by(&self, name: &str, reference: &Reference) -> bool {
        let super::state::Called::Procedure(scope) = self.called(&reference.parts[0]) else {
            return false;
        };
        let Some(id) = self.names.lookup(self.scope, name) else { return false };
        let names_it = |named: &SymbolId| *named == id || self.reader.overlap(*named, id);
        !self.returns_array(scope)
            && self.reader.outside.get(&scope).is_some_and(|outside| outside.named.iter().any(names_it))
    }

    /// Whether two names may stand for one piece of memory: by ASSOCIATE, or as targets.
    fn may_be_one(&self, one: &str, other: &str) -> bool {
        let symbols = [one, other].map(|name| self.names.lookup(self.scope, name));
        let [Some(one), Some(other)] = symbols else { return false };
        let base = |id| match self.memory.get(&id) {
            Some(Memory::Array(array)) => Some(&array.base),
            Some(Memory::Scalar(place)) => Some(&place.base),
            _ => None,
        };
        let are_targets = [one, other].iter().all(|id| self.names.symbol(*id).flags.target);
        are_targets
            || self.reader.storage.meet(one, other)
            || base(one).is_some_and(|base_of_one| base(other) == Some(base_of_one))
    }

    /// Whether elements of a value come from other elements of what it names.
    fn transforms(&self, value: &'t Written) -> bool {
        let mut found = false;
        walk::expr(value, &mut |node| {
            let Node::Reference(reference) = node else { return };
            let called = self.called(&reference.parts[0]);
            found |= match called {
                super::state::Called::Intrinsic(name) => {
                    let reduces = || self.names.type_of_reference(self.scope, reference).rank != Some(0);
                    TRANSFORMED.contains(&&*name) || REDUCING.contains(&&*name) && reduces()
                }
                super::state::Called::Procedure(_) => true,
                _ => false,
            };
        });
        found
    }
}

/// Whether two references to parts of one variable name different components, whatever the subscripts are.
fn other_component(one: &Reference, other: &Reference) -> bool {
    let pairs = one.parts.iter().zip(&other.parts);
    pairs.skip(1).any(|(one, other)| one.name.name != other.name.name)
}
