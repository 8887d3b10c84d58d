//! Calls of procedures with source.

use super::make::*;
use super::state::{Array, Called, From, Lower, Memory, Passed, Procedure, Result, Spot};
use super::types::text;
use crate::front::input::matches;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{ScopeId, SymbolId};
use adtape_fortran::scope::shapes::{Bounds, Upper};
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Ident, Reference};
use adtape_fortran::tree::header::Prefix;

/// An actual argument that is copied: back to where, and from which array.
struct Copied<'t> {
    to: &'t Reference,
    from: Array,
    shape: Vec<Expr>,
}

impl<'t> Lower<'_, 't> {
    /// `call f(x)`
    pub fn call_statement(&mut self, callee: &'t Reference) -> Result<()> {
        let part = &callee.parts[0];
        if callee.parts.len() > 1 {
            return self.refuse(
                callee.span,
                Class::Control,
                "a procedure that a type binds is called",
                "call it by name",
            );
        }
        match self.called(part) {
            Called::Procedure(scope) if self.reader.passive.contains_key(&scope) => {
                self.call_passive(scope, callee, None)
            }
            Called::Procedure(scope) => self.call_for_elements(scope, callee),
            Called::Intrinsic(name) if PASSIVE.contains(&&*name) => Ok(()),
            Called::Intrinsic(name) if &*name == "move_alloc" => self.move_allocation(callee),
            Called::Intrinsic(name) => {
                let what = format!("the intrinsic subroutine '{name}' is not supported");
                self.refuse(callee.span, Class::NoSource, what, "")
            }
            // Like output, it is left out of the sweeps.
            Called::Unknown(_) if self.reader.left_out.iter().any(|name| matches(name, &part.name.name)) => Ok(()),
            Called::Unknown(module) => self.no_source(&part.name, module),
            Called::Entry => self.no_entry(&part.name),
            Called::Statement(..) | Called::Nothing => {
                self.refuse(callee.span, Class::Language, format!("'{}' is no subroutine", part.name.name), "")
            }
        }
    }

    /// Calls a subroutine: an elemental one for each element of its arguments.
    fn call_for_elements(&mut self, scope: ScopeId, callee: &'t Reference) -> Result<()> {
        let arrays = callee.parts[0].lists.iter().flatten().filter_map(|argument| match &argument.value {
            ArgumentValue::Expr(value) if self.names.type_of(self.scope, value).rank != Some(0) => Some(value),
            _ => None,
        });
        let arrays: Vec<&'t Written> = arrays.collect();
        let is_elemental = self.names.header(scope).is_some_and(|header| header.prefixes.contains(&Prefix::Elemental));
        let Some(first) = arrays.first().filter(|_| is_elemental) else {
            return self.call(scope, callee, None, None, &[]);
        };
        for array in &arrays {
            self.hoist_parts(array)?;
        }
        let shape = self.shape(first)?;
        self.nest(&shape, &mut |this, at| this.call(scope, callee, None, None, at))
    }

    /// The result of a function.
    pub fn call_function(&mut self, scope: ScopeId, reference: &'t Reference, at: &[Expr]) -> Result<Expr> {
        if self.returns_array(scope) || self.reader.returns_struct(scope) {
            return self.no_array_here(reference);
        }
        let Some(result) = self.names.result_symbol(scope) else {
            return self.refuse(
                reference.span,
                Class::Language,
                "a subroutine stands where a function is expected",
                "",
            );
        };
        let ty = self.type_of_symbol(result, reference.span)?;
        let span = self.b.span;
        let name = value_name(&reference.parts[0].name.name);
        let var = self.b.var(&name, ty, VarKind::Temporary, span);
        if self.reader.passive.contains_key(&scope) {
            self.call_passive(scope, reference, Some(var))?;
        } else {
            self.call(scope, reference, Some(var), None, at)?;
        }
        Ok(self.b.get(var))
    }

    /// What is said of a call of a further entry.
    pub fn no_entry<T>(&mut self, name: &Ident) -> Result<T> {
        let what = format!("'{}' is an ENTRY of another procedure, which is not supported", name.name);
        self.refuse(name.span, Class::Control, what, "make it a procedure of its own")
    }

    /// What is said where a source is missing.
    pub fn no_source<T>(&mut self, name: &Ident, module: Option<Box<str>>) -> Result<T> {
        if self.names.lookup(self.scope, &name.name).is_some_and(|id| self.reader.is_procedure_dummy(id)) {
            return self.no_procedure(name);
        }
        let what = match module {
            Some(module) => format!("'{}' comes from '{module}', whose source is not among the inputs", name.name),
            None => format!("'{}' is called here and its source is not among the inputs", name.name),
        };
        self.refuse(name.span, Class::NoSource, what, "add the file that defines it")
    }

    /// Calls a procedure. `into`: where the array or the derived type goes that it returns. `at`: for which elements an
    /// elemental one runs.
    pub fn call(
        &mut self,
        scope: ScopeId,
        reference: &'t Reference,
        result: Option<VarId>,
        into: Option<&Memory>,
        at: &[Expr],
    ) -> Result<()> {
        let span = self.b.span;
        if self.reader.makers.procedures.contains(&scope) {
            return self.write_out(scope, reference, result, into);
        }
        let caller = &self.reader.reached[self.id.index()];
        let Some(callee) = self.reader.callee(caller, self.scope, scope, reference) else {
            return self.no_source(&reference.parts[0].name, None);
        };
        let dummies = self.reader.reached[callee.index()].dummies.clone();
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let mut actuals: Vec<Option<&'t Written>> = vec![None; dummies.len()];
        for (position, argument) in list.iter().enumerate() {
            let ArgumentValue::Expr(value) = &argument.value else {
                return self.unfit(reference, argument);
            };
            match self.reader.dummy_of(&dummies, position, argument) {
                Some(dummy) => actuals[dummy] = Some(value),
                None => return self.unfit(reference, argument),
            }
        }
        let (mut args, mut extents, mut copied) = (Vec::new(), Vec::new(), Vec::new());
        for (dummy, actual) in dummies.iter().zip(actuals) {
            match (dummy.from, actual) {
                (From::Nothing | From::Procedure, _) => {}
                (From::List, Some(actual)) => {
                    self.refuse_second_name(callee, dummy.symbol, actual)?;
                    args.push(self.argument(*dummy, actual, at, &mut extents, &mut copied)?);
                }
                (From::Host, _) => args.push(self.hosted(*dummy, reference, &mut extents)?),
                (From::Result, _) if into.is_some() => args.extend(into.and_then(|into| self.to_result(*dummy, into))),
                (From::List | From::Result, _) => {
                    let name = &self.names.symbol(dummy.symbol).name;
                    let what = format!("the argument '{name}' is missing");
                    return self.refuse(reference.span, Class::Language, what, "give all arguments");
                }
            }
        }
        args.extend(extents);
        self.b.span = span;
        self.b.call(Callee::Proc(callee), args, result, None);
        for Copied { to, from, shape } in copied {
            self.nest(&shape, &mut |this, at| {
                let Spot::Place(place) = this.place(to, at)? else { return Ok(()) };
                this.b.emit(ItemKind::Store { to: place, from: Expr::load(from.element(at.to_vec())) });
                Ok(())
            })?;
        }
        Ok(())
    }

    fn unfit<T>(&mut self, reference: &'t Reference, argument: &Argument) -> Result<T> {
        let name = argument.keyword.as_ref().map(|keyword| format!(" '{}'", keyword.name)).unwrap_or_default();
        let what = format!("the argument{name} fits no dummy of '{}'", reference.parts[0].name.name);
        self.refuse(reference.span, Class::Language, what, "")
    }

    /// Refuses a variable of a module, of COMMON or of this procedure as an argument of what names it, too, if one of both
    /// is written there: the language forbids it, and the callee takes both for different memory.
    fn refuse_second_name(&mut self, callee: ProcId, dummy: SymbolId, actual: &'t Written) -> Result<()> {
        let Some(reference) = actual.reference().filter(|reference| self.is_variable(reference)) else { return Ok(()) };
        let Some(passed) = self.names.lookup(self.scope, &reference.parts[0].name.name) else { return Ok(()) };
        let Procedure { scope, bound, .. } = &self.reader.reached[callee.index()];
        let own = (!bound.is_empty()).then(|| self.reader.outside_of(callee));
        let Some(outside) = own.as_ref().or_else(|| self.reader.outside.get(scope)) else { return Ok(()) };
        let is_it = |id: &SymbolId| *id == passed || self.reader.overlap(*id, passed);
        let is_written = outside.dummies.contains(&dummy);
        let clash = outside.written.iter().any(is_it) || is_written && outside.named.iter().any(is_it);
        if !clash {
            return Ok(());
        }
        let (name, of) = (&self.names.symbol(passed).name, &self.names.symbol(dummy).name);
        let what = format!("'{name}' is passed as '{of}' to what names it, too, and one of both is written there");
        self.refuse(actual.span, Class::Pointer, what, "pass a copy of it")
    }

    /// A variable of this procedure, or of one around it, that a procedure inside names.
    fn hosted(&mut self, dummy: Passed, reference: &'t Reference, extents: &mut Vec<Expr>) -> Result<Expr> {
        let at = reference.span;
        match (self.memory(dummy.symbol, at)?, dummy.kind) {
            (Memory::Var(var), DummyKind::Value) => Ok(self.b.get(var)),
            (Memory::Scalar(place), DummyKind::Value) => Ok(Expr::load(place)),
            (Memory::Value(value), DummyKind::Value) => Ok(value),
            (Memory::Scalar(place), DummyKind::Scalar) => Ok(Expr::address(place)),
            (Memory::Array(array), DummyKind::Array) => {
                let bounds = self.names.bounds(dummy.symbol).unwrap_or_default();
                if bounds.iter().any(|bound| matches!(bound.upper, Upper::Assumed | Upper::Deferred)) {
                    let all = array.extents().into_iter();
                    extents.extend(all.map(|extent| convert(extent, &Type::int())));
                }
                if self.names.symbol(dummy.symbol).flags.allocatable {
                    extents.extend(array.lowers.iter().map(|lower| convert(lower.clone(), &Type::int())));
                }
                Ok(self.to_array(dummy, &array))
            }
            _ => {
                let name = &self.names.symbol(dummy.symbol).name;
                let what = format!("'{name}' is named by '{}', which is called here", reference.parts[0].name.name);
                self.refuse(at, Class::Language, what, "pass it as an argument")
            }
        }
    }

    /// The address of what a function's result goes to.
    fn to_result(&self, dummy: Passed, into: &Memory) -> Option<Expr> {
        match into {
            Memory::Array(array) => Some(self.to_array(dummy, array)),
            Memory::Scalar(place) => Some(Expr::address(place.clone())),
            Memory::Var(_) | Memory::Value(_) => None,
        }
    }

    /// The address of an array, as a dummy takes it.
    fn to_array(&self, dummy: Passed, array: &Array) -> Expr {
        let bounds = self.names.bounds(dummy.symbol).unwrap_or_default();
        let mut address = Expr::address(array.first());
        address.ty = self.row_type(&bounds, array.elem.clone());
        address
    }

    fn argument(
        &mut self,
        dummy: Passed,
        actual: &'t Written,
        at: &[Expr],
        extents: &mut Vec<Expr>,
        copied: &mut Vec<Copied<'t>>,
    ) -> Result<Expr> {
        let ty = self.argument_type(dummy.symbol, actual.span)?;
        let at = if self.names.type_of(self.scope, actual).rank == Some(0) { &[] } else { at };
        match dummy.kind {
            DummyKind::Value if ty == text() => self.text_argument(dummy.symbol, actual),
            DummyKind::Value | DummyKind::Extent { .. } | DummyKind::Lower { .. } => {
                let value = self.element(actual, at)?;
                if value.ty != ty {
                    let what = format!("the argument '{}' has another type", self.names.symbol(dummy.symbol).name);
                    return self.refuse(actual.span, Class::Type, what, "convert it");
                }
                // The callee may write what an expression reads; a variable it must not.
                let is_variable = actual.reference().is_some_and(|reference| self.is_variable(reference));
                Ok(if !is_variable && walk::loads(&value) { self.b.keep("argument", value) } else { value })
            }
            DummyKind::Scalar => self.scalar_argument(ty, actual, at),
            DummyKind::Array => self.array_argument(dummy, ty, actual, extents, copied),
        }
    }

    /// The address of a scalar.
    fn scalar_argument(&mut self, ty: Type, actual: &'t Written, at: &[Expr]) -> Result<Expr> {
        if let Some(reference) = actual.reference()
            && self.is_variable(reference)
        {
            return match self.place(reference, at)? {
                Spot::Place(place) if place.ty == ty => Ok(Expr::address(place)),
                Spot::Place(_) => self.refuse(actual.span, Class::Type, "the argument has another type", "convert it"),
                Spot::Var(_) => {
                    let what = "a name of ASSOCIATE, or the index of a loop, is passed where it may be written";
                    self.refuse(actual.span, Class::Language, what, "pass the variable itself")
                }
            };
        }
        if let Type::Struct(_) = ty {
            let place = self.struct_value(actual, at)?;
            return Ok(Expr::address(place));
        }
        let value = self.element(actual, at)?;
        let place = self.scalar_copy(value);
        Ok(Expr::address(place))
    }

    /// A scalar in memory with a value: nobody reads what is written there.
    fn scalar_copy(&mut self, value: Expr) -> Place {
        let life = Life::Region(self.b.region());
        let elem = value.ty.clone();
        let span = self.b.span;
        let object =
            Object { name: "argument".into(), elem: elem.clone(), shape: Vec::new(), life, constant: false, span };
        let object = self.b.object(object);
        self.b.emit(ItemKind::Declare { object });
        let place = Place { base: Base::Object(object), path: Vec::new(), ty: elem };
        self.b.emit(ItemKind::Store { to: place.clone(), from: value });
        place
    }

    /// The address of the first element, with the extents that an assumed shape needs.
    fn array_argument(
        &mut self,
        dummy: Passed,
        ty: Type,
        actual: &'t Written,
        extents: &mut Vec<Expr>,
        copied: &mut Vec<Copied<'t>>,
    ) -> Result<Expr> {
        let bounds = self.names.bounds(dummy.symbol).unwrap_or_default();
        if self.names.symbol(dummy.symbol).flags.allocatable {
            return self.allocated_argument(dummy, ty, actual, extents);
        }
        let assumed = bounds.iter().any(|bound| matches!(bound.upper, Upper::Assumed));
        let rank = self.names.type_of(self.scope, actual).rank;
        let reference = actual.reference().filter(|reference| self.is_variable(reference));
        let pointer = |place: Place, param: &Type| {
            let mut address = Expr::address(place);
            address.ty = param.clone();
            address
        };
        let row = self.row_type(&bounds, ty.clone());
        if let Some(reference) = reference {
            // An element stands for all behind it.
            if rank == Some(0) {
                return match self.place(reference, &[])? {
                    Spot::Place(place) if place.ty == ty => Ok(pointer(place, &row)),
                    Spot::Place(_) => {
                        let what = format!("'{}' has another type", self.names.symbol(dummy.symbol).name);
                        self.refuse(
                            actual.span,
                            Class::Type,
                            what,
                            "pass memory of the type that the procedure declares",
                        )
                    }
                    Spot::Var(_) => {
                        self.refuse(actual.span, Class::Type, "a scalar stands where an array is expected", "")
                    }
                };
            }
            if self.is_contiguous(reference) {
                if assumed {
                    extents.extend(self.extents(reference)?);
                }
                let zeros = vec![Expr::int(0); usize::from(rank.unwrap_or(0))];
                return match self.place(reference, &zeros)? {
                    Spot::Place(place) if place.ty == ty => Ok(pointer(place, &row)),
                    _ => self.refuse(actual.span, Class::Type, "the argument has another type", ""),
                };
            }
        }
        self.hoist_parts(actual)?;
        let shape = self.shape(actual)?;
        let shape: Vec<Expr> = shape.into_iter().map(|extent| self.simple(extent)).collect();
        let copy = self.scratch("actual", ty.clone(), &shape);
        let to = copy.clone();
        self.nest(&shape, &mut |this, at| {
            let from = convert(this.element(actual, at)?, &ty);
            this.b.emit(ItemKind::Store { to: to.element(at.to_vec()), from });
            Ok(())
        })?;
        if assumed {
            extents.extend(shape.iter().map(|extent| convert(extent.clone(), &Type::int())));
        }
        if let Some(reference) = reference
            && self.names.symbol(dummy.symbol).intent != Some(Intent::In)
        {
            // Behind the call the section is found again.
            let zeros = vec![Expr::int(0); shape.len()];
            if let Spot::Place(place) = self.place(reference, &zeros)? {
                let mut loads = false;
                walk::parts_of_place(&place, &mut |part| loads |= walk::loads(part));
                if loads {
                    let what = "a section with gaps, whose bounds are in memory, is passed where it may be written";
                    return self.refuse(actual.span, Class::Language, what, "assign the bounds to variables first");
                }
            }
            copied.push(Copied { to: reference, from: copy.clone(), shape });
        }
        Ok(pointer(copy.first(), &row))
    }

    /// The address of an allocatable array, with its bounds.
    fn allocated_argument(
        &mut self,
        dummy: Passed,
        ty: Type,
        actual: &'t Written,
        extents: &mut Vec<Expr>,
    ) -> Result<Expr> {
        let whole = actual.reference().filter(|reference| self.is_variable(reference) && self.is_whole(reference));
        if let Some(reference) = whole
            && let Memory::Array(array) = self.last_part(reference, &[])?.memory
            && array.elem == ty
        {
            extents.extend(self.extents(reference)?);
            extents.extend(array.lowers.iter().map(|lower| convert(lower.clone(), &Type::int())));
            return Ok(self.to_array(dummy, &array));
        }
        self.refuse(actual.span, Class::Type, "no allocatable array stands where one is expected", "")
    }

    /// The extents of a reference, as the callee takes them.
    fn extents(&mut self, reference: &'t Reference) -> Result<Vec<Expr>> {
        let shape = self.reference_shape(reference)?;
        Ok(shape.into_iter().map(|extent| convert(extent, &Type::int())).collect())
    }

    /// The type of a pointer to the rows of a dummy.
    pub fn row_type(&self, bounds: &[Bounds<'t>], ty: Type) -> Type {
        let inner = bounds.iter().rev().skip(1).rev();
        let row = inner.fold(ty, |elem, bound| {
            let extent = bound.extent(self.names).and_then(|extent| u64::try_from(extent).ok());
            Type::array(elem, extent)
        });
        Type::pointer(row)
    }
}

/// The name of a variable for the value of a function, which an operator may stand for.
pub fn value_name(called: &str) -> String {
    let is_name = called.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_name { called.to_string() } else { "value".to_string() }
}

/// Intrinsic subroutines that compute nothing.
const PASSIVE: [&str; 4] = ["cpu_time", "system_clock", "date_and_time", "random_seed"];
