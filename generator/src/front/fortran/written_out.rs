//! Calls that are written out: the statements of a [procedure that makes memory](super::makers) stand where it is called,
//! its dummies are names of what is passed, and its variables are variables of the caller.

use super::jumps::jumped_to;
use super::make::convert;
use super::state::{Array, Lower, Memory, Result, Slot, Viewed};
use super::types::text;
use crate::front::jumps::{Ends, Jumping};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::form::Label;
use adtape_fortran::scope::program::{self as scope, ScopeId, ScopeKind, SymbolId};
use adtape_fortran::scope::shapes::Upper;
use adtape_fortran::source::Span as At;
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Reference};
use adtape_fortran::tree::unit::Unit;
use rustc_hash::{FxHashMap, FxHashSet};

impl<'t> Lower<'_, 't> {
    /// Whether the variables of a procedure are those of the one at hand.
    pub fn owns(&self, scope: ScopeId) -> bool {
        scope == self.own || self.out.around.contains(&scope)
    }

    /// Whether a variable of a module is allocated in this call of a head, so that it is a variable of the head.
    pub fn lives_here(&self, id: SymbolId) -> bool {
        let makers = &self.reader.makers;
        makers.moving.contains(&id) && makers.heads.contains(&self.reader.reached[self.id.index()].scope)
    }

    /// Refuses variables of modules that this call leaves allocated.
    pub fn all_freed(&mut self, unit: &'t Unit) {
        let left = self.memory.keys().copied().filter(|id| self.lives_here(*id));
        let mut left: Vec<SymbolId> = left.collect();
        left.sort();
        for id in left {
            let what = format!("'{}' is still allocated where the head ends", self.names.symbol(id).name);
            let help = "deallocate it there, or allocate it before the adjoint is called";
            let _ = self.refuse::<()>(unit.end.span, Class::Language, what, help);
        }
    }

    /// Refuses a call of what sweeps call as it is, and which names a variable of a module that lives in the head.
    pub fn refuse_moving(&mut self, scope: ScopeId, reference: &'t Reference) -> Result<()> {
        let moving = &self.reader.makers.moving;
        let named =
            self.reader.outside.get(&scope).and_then(|outside| outside.named.iter().find(|id| moving.contains(id)));
        let Some(id) = named.copied() else { return Ok(()) };
        let what = format!("'{}' is allocated in the call of the head, and named here", self.names.symbol(id).name);
        self.refuse(reference.span, Class::Language, what, "pass it as an argument")
    }

    /// `return 2`: to the second label of the call.
    pub fn return_to(&mut self, which: &'t Written) -> Result<Ends> {
        let Some(number) = self.out.alternate else {
            let what = "a procedure that returns to a label is the head, or calls itself";
            return self.refuse(which.span, Class::Control, what, "return a number, and branch on it");
        };
        let which = self.integer(which)?;
        self.b.assign(number, convert(which, &Type::int()));
        self.leave(self.returned);
        Ok(Ends::leaves(self.returned))
    }

    /// Goes on at the label of a call that was returned to, if there is one.
    pub fn go_on_at(&mut self, callee: &'t Reference) -> Result<Ends> {
        let labels = callee.parts[0].lists.iter().flatten().filter_map(|argument| match argument.value {
            ArgumentValue::Label(label) => Some(label),
            _ => None,
        });
        let labels: Vec<Label> = labels.collect();
        match self.out.chosen {
            Some(chosen) if !labels.is_empty() => {
                let on = self.b.get(chosen);
                self.one_of(&on, &labels, 1)
            }
            _ => Ok(Ends::falls()),
        }
    }

    /// What an allocatable dummy stands for.
    pub fn memory_of_slot(&mut self, dummy: SymbolId, slot: &Slot, at: At) -> Result<Memory> {
        let name = &self.names.symbol(dummy).name;
        let what = match (self.slot_memory(slot), slot) {
            (Some(memory), _) if self.is_alive(memory) => return Ok(memory.clone()),
            (None, Slot::Variable(id)) => return self.memory(*id, at),
            (Some(_), _) => format!("'{name}' is used behind the branch or the loop in which it is allocated"),
            (None, Slot::Component(..)) => format!("'{name}' is used where it is not allocated"),
        };
        self.refuse(at, Class::Language, what, "allocate it outside of branches and loops")
    }

    /// The array that a function allocates and returns.
    pub fn array_made(&mut self, scope: ScopeId, reference: &'t Reference) -> Result<Array> {
        let result = self.names.result_symbol(scope).expect("a function");
        self.write_out(scope, reference, None, None)?;
        match self.memory.remove(&result) {
            Some(memory @ Memory::Array(_)) if self.is_alive(&memory) => {
                let Memory::Array(array) = memory else { unreachable!("it is an array") };
                Ok(array)
            }
            _ => {
                let what = format!("'{}' may end without a result that is allocated", reference.parts[0].name.name);
                let help = "allocate the result outside of branches and loops";
                self.refuse(reference.span, Class::Language, what, help)
            }
        }
    }

    /// Writes a call out. `result`: what gets the value of a function; `into`: the variable of a derived type that does.
    pub fn write_out(
        &mut self,
        scope: ScopeId,
        reference: &'t Reference,
        result: Option<VarId>,
        into: Option<&Memory>,
    ) -> Result<()> {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { unreachable!("a procedure with a body") };
        if self.out.around.contains(&scope) || self.own == scope {
            return self.refuse(reference.span, Class::Control, "a procedure that allocates calls itself", "");
        }
        let dummies = self.reader.dummy_symbols(scope, unit);
        let given = self.given_for(&dummies, reference)?;
        self.refuse_one_twice(scope, &dummies, &given)?;
        let (span, caller) = (self.b.span, self.own);
        let (mut memories, mut slots, mut absent) = (Vec::new(), Vec::new(), Vec::new());
        for (dummy, actual) in dummies.iter().copied().zip(given) {
            match actual {
                None => absent.push(dummy),
                Some(actual) if self.is_left_out(actual) => absent.push(dummy),
                Some(actual) if self.names.symbol(dummy).flags.allocatable => match self.passed_slot(actual)? {
                    Some(slot) => slots.push((dummy, slot)),
                    None => memories.push((dummy, self.associated(actual)?)),
                },
                Some(actual) => memories.push((dummy, self.passed(dummy, actual)?)),
            }
        }
        let hoisted = std::mem::take(&mut self.hoisted);
        let constructed = std::mem::take(&mut self.constructed);
        let open = std::mem::take(&mut self.open);
        let labels = std::mem::take(&mut self.jumps.labels);
        let mut jumped = FxHashSet::default();
        jumped_to(&unit.body, &mut jumped);
        let jumped = std::mem::replace(&mut self.jumped, jumped);
        let returned = self.target("returned");
        let returned = std::mem::replace(&mut self.returned, returned);
        let number = (dummies.len() < unit.header.arguments.len()).then(|| {
            let number = self.b.var("alternate", Type::int(), VarKind::Temporary, span);
            self.b.assign(number, Expr::int(0));
            number
        });
        let alternate = std::mem::replace(&mut self.out.alternate, number);
        self.out.around.push(caller);
        self.own = scope;
        self.forget(scope);
        self.out.absent.extend(absent);
        self.out.dummies.extend(memories.iter().map(|(dummy, _)| *dummy));
        self.memory.extend(memories);
        self.out.slots.extend(slots);
        let done = self.in_scope(scope, |this| this.body_written_out(unit, reference, result, into));
        self.own = caller;
        self.out.around.pop();
        self.out.chosen = std::mem::replace(&mut self.out.alternate, alternate);
        self.returned = returned;
        self.jumped = jumped;
        self.jumps.labels = labels;
        (self.open, self.constructed, self.hoisted) = (open, constructed, hoisted);
        self.b.span = span;
        let kept = self.names.result_symbol(scope).and_then(|id| Some((id, self.memory.remove(&id)?)));
        self.forget(scope);
        self.memory.extend(kept);
        done
    }

    /// The actual argument of each dummy.
    fn given_for(&mut self, dummies: &[SymbolId], reference: &'t Reference) -> Result<Vec<Option<&'t Written>>> {
        let mut given = vec![None; dummies.len()];
        let is_passed = |argument: &&Argument| !matches!(argument.value, ArgumentValue::Label(_));
        for (position, argument) in reference.parts[0].lists.iter().flatten().filter(is_passed).enumerate() {
            let at = self.reader.position_of(dummies, position, argument);
            match (at, &argument.value) {
                (Some(at), ArgumentValue::Expr(value)) => given[at] = Some(value),
                _ => {
                    let what = format!("an argument fits no dummy of '{}'", reference.parts[0].name.name);
                    return self.refuse(reference.span, Class::Language, what, "");
                }
            }
        }
        Ok(given)
    }

    fn body_written_out(
        &mut self,
        unit: &'t Unit,
        reference: &'t Reference,
        result: Option<VarId>,
        into: Option<&Memory>,
    ) -> Result<()> {
        let own = self.names.result_symbol(self.own);
        if let (Some(own), Some(into)) = (own, into) {
            self.memory.insert(own, into.clone());
            self.out.dummies.insert(own);
        }
        for dummy in self.reader.dummy_symbols(self.own, unit) {
            if self.names.symbol(dummy).intent == Some(Intent::Out) {
                self.emptied(dummy, reference)?;
            }
            self.declared_shape(dummy, reference)?;
        }
        self.variables_written_out()?;
        self.block_to(&unit.body, unit.end.label);
        if let (Some(var), Some(own)) = (result, own) {
            let value = match self.memory(own, reference.span)? {
                Memory::Var(own) => self.b.get(own),
                Memory::Scalar(place) => Expr::load(place),
                Memory::Value(value) => value,
                Memory::Array(_) => return self.no_array_here(reference),
            };
            self.b.assign(var, value);
        }
        Ok(())
    }

    /// Whether an actual argument is a dummy that the call of this procedure leaves out.
    fn is_left_out(&self, actual: &Written) -> bool {
        let id = actual.name().and_then(|name| self.names.lookup(self.scope, &name.name));
        id.is_some_and(|id| self.is_absent(id))
    }

    /// Refuses one variable that two dummies are, one of them written: the language forbids it.
    fn refuse_one_twice(&mut self, scope: ScopeId, dummies: &[SymbolId], given: &[Option<&'t Written>]) -> Result<()> {
        let written = self.reader.outside.get(&scope).map(|outside| outside.dummies.clone()).unwrap_or_default();
        let mut seen: FxHashMap<SymbolId, (bool, bool)> = FxHashMap::default();
        for (dummy, actual) in dummies.iter().zip(given) {
            let Some(actual) = actual else { continue };
            let Some(reference) = actual.reference().filter(|reference| self.is_variable(reference)) else { continue };
            let id = self.symbol(&reference.parts[0].name)?;
            let (is_part, is_written) = (reference.name().is_none(), written.contains(dummy));
            if let Some((was_part, was_written)) = seen.insert(id, (is_part, is_written))
                && !(is_part && was_part)
                && (is_written || was_written)
            {
                let what = format!("'{}' is passed twice, and written", self.names.symbol(id).name);
                return self.refuse(actual.span, Class::Pointer, what, "pass a copy of it");
            }
        }
        Ok(())
    }

    /// Forgets what the names of a procedure stand for.
    fn forget(&mut self, scope: ScopeId) {
        let names = self.names;
        let is_of = |id: &SymbolId| names.symbol(*id).scope == scope;
        self.memory.retain(|id, _| !is_of(id));
        self.out.slots.retain(|id, _| !is_of(id));
        self.out.absent.retain(|id| !is_of(id));
        self.out.dummies.retain(|id| !is_of(id));
        self.out.freed.retain(|id| !is_of(id));
    }

    fn passed_slot(&mut self, actual: &'t Written) -> Result<Option<Slot>> {
        match actual.reference() {
            Some(reference) if self.is_variable(reference) && self.is_whole(reference) => self.slot(reference),
            _ => Ok(None),
        }
    }

    /// What a dummy that is not allocatable stands for.
    fn passed(&mut self, dummy: SymbolId, actual: &'t Written) -> Result<Memory> {
        let symbol = self.names.symbol(dummy);
        let ty = self.argument_type(dummy, actual.span)?;
        if ty == text() {
            return self.text_argument(dummy, actual).map(Memory::Value);
        }
        let rank = self.names.type_of(self.scope, actual).rank;
        if symbol.dims.is_none() && (symbol.flags.by_value || rank != Some(0)) {
            let what = format!("'{}' is passed by value, or an array, to what allocates for its caller", symbol.name);
            return self.refuse(actual.span, Class::Language, what, "pass a variable");
        }
        if symbol.dims.is_some() && rank == Some(0) {
            let what = format!("an element is passed as the array '{}' to what allocates for its caller", symbol.name);
            return self.refuse(actual.span, Class::Language, what, "pass a section of the array");
        }
        if let (Type::Struct(_), Some(0)) = (&ty, rank) {
            let place = self.struct_value(actual, &[])?;
            return Ok(Memory::Scalar(self.steady_place(place)));
        }
        let found = self.associated(actual)?;
        let given = match &found {
            Memory::Var(var) => self.b.get(*var).ty,
            Memory::Scalar(place) => place.ty.clone(),
            Memory::Array(array) => array.elem.clone(),
            Memory::Value(value) => value.ty.clone(),
        };
        if given != ty {
            let what = format!("the argument '{}' has another type", symbol.name);
            return self.refuse(actual.span, Class::Type, what, "convert it");
        }
        Ok(found)
    }

    /// `intent(out)`: what was allocated is not any more, and components have their first values.
    fn emptied(&mut self, dummy: SymbolId, reference: &'t Reference) -> Result<()> {
        if let Some(slot) = self.out.slots.get(&dummy).cloned() {
            if self.slot_memory(&slot).is_some() && !self.is_allocated_here(&slot) {
                let what = format!("'{}' is deallocated by this call", self.names.symbol(dummy).name);
                let help = "deallocate it in the branch or the loop in which it is allocated";
                return self.refuse(reference.span, Class::Language, what, help);
            }
            self.empty_slot(&slot);
            return Ok(());
        }
        let Some(memory) = self.memory.get(&dummy).cloned() else { return Ok(()) };
        if self.names.symbol(dummy).flags.allocatable {
            let what = format!(
                "'{}' is allocated before the head is called, and INTENT(OUT) frees it",
                self.names.symbol(dummy).name
            );
            return self.refuse(reference.span, Class::Language, what, "declare it INTENT(INOUT)");
        }
        if let Memory::Scalar(Place { base: Base::Object(object), path, .. }) = &memory {
            let way: Vec<FieldId> = path
                .iter()
                .filter_map(|step| match step {
                    Step::Field(field) => Some(*field),
                    Step::Index(_) => None,
                })
                .collect();
            let is_in = |slot: &&Slot| matches!(slot, Slot::Component(of, to) if of == object && to.starts_with(&way));
            let filled: Vec<Slot> = self.components.keys().filter(is_in).cloned().collect();
            for slot in filled {
                if !self.is_allocated_here(&slot) {
                    let what =
                        format!("components of '{}' are deallocated by this call", self.names.symbol(dummy).name);
                    let help = "deallocate them in the branch or the loop in which they are allocated";
                    return self.refuse(reference.span, Class::Language, what, help);
                }
                self.empty_slot(&slot);
            }
        }
        self.begun(dummy, &memory, reference.span)
    }

    /// Gives an array the bounds that its dummy declares.
    fn declared_shape(&mut self, dummy: SymbolId, reference: &'t Reference) -> Result<()> {
        if self.names.symbol(dummy).flags.allocatable {
            return Ok(());
        }
        let Some(Memory::Array(array)) = self.memory.get(&dummy).cloned() else { return Ok(()) };
        let name = self.names.symbol(dummy).name.to_string();
        let bounds = self.names.bounds(dummy).unwrap_or_default();
        let given = array.extents();
        if bounds.len() != array.dims.len() {
            let what = format!(
                "'{name}' has another rank in '{}', which allocates for its caller",
                reference.parts[0].name.name
            );
            return self.refuse(reference.span, Class::Language, what, "pass an array of the rank that it declares");
        }
        let (dims, lowers) = self.shape_of(&name, &bounds, &given, reference.span)?;
        let is_explicit = bounds.iter().any(|bound| matches!(bound.upper, Upper::Expr(_) | Upper::Star));
        let inner = dims.len().saturating_sub(1);
        let same = |dim: usize| dims[dim].extent.as_deref() == given.get(dim);
        if is_explicit && !(0..inner).all(same) {
            let what = format!(
                "whether '{name}' has the extents here that '{}' declares is not known",
                reference.parts[0].name.name
            );
            return self.refuse(reference.span, Class::Language, what, "declare it with (:, :)");
        }
        let view = vec![Viewed::Range { first: Expr::int(0), stride: Expr::int(1) }; dims.len()];
        let (base, path, elem, is_row) = (array.base.clone(), array.path.clone(), array.elem.clone(), array.is_row);
        let shaped =
            Array { path, is_row, view: Some(Box::new((array, view))), ..Array::new(base, dims, lowers, elem) };
        self.memory.insert(dummy, Memory::Array(shaped));
        Ok(())
    }

    /// Declares the variables of a procedure that is written out.
    fn variables_written_out(&mut self) -> Result<()> {
        let named = &self.reader.reached[self.id.index()].named;
        let is_local = |id: &SymbolId| {
            let symbol = self.names.symbol(*id);
            let is_variable = matches!(symbol.class, scope::Class::Variable);
            let is_there = self.memory.contains_key(id) || self.out.slots.contains_key(id) || self.is_absent(*id);
            named.contains(id) && is_variable && !symbol.flags.allocatable && !is_there
        };
        let all = self.names.scope(self.own).names.values().copied();
        let mut locals: Vec<SymbolId> =
            all.filter(|id| self.names.symbol(*id).scope == self.own).filter(is_local).collect();
        locals.sort_by_key(|id| self.names.symbol(*id).span.from);
        for id in locals {
            if self.reader.symbol_type(id).is_ok() {
                self.memory(id, self.names.symbol(id).span)?;
            }
        }
        Ok(())
    }
}
