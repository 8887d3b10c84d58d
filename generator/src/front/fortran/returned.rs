//! Arrays that functions of the program return: memory of the caller, which the call fills in front of the statement that
//! reads it.

use super::call::value_name;
use super::state::{Array, From, Lower, Memory, Reader, Result, Spot};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{Class as Named, ScopeId, SymbolId, Type as Declared};
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, ExprKind as Kind, Reference};

impl Reader<'_> {
    /// Whether a procedure is a function whose result is one variable of a derived type.
    pub fn returns_struct(&self, scope: ScopeId) -> bool {
        self.names.result_symbol(scope).is_some_and(|result| {
            let is_derived = matches!(self.names.symbol_type(result), Declared::Derived(_));
            is_derived && self.names.symbol(result).dims.is_none()
        })
    }
}

impl<'t> Lower<'_, 't> {
    /// A variable of a derived type with the value of an expression: the variable that it is, or a new one.
    pub fn struct_value(&mut self, expr: &'t Written, at: &[Expr]) -> Result<Place> {
        if let Kind::Parenthesised(inner) = &expr.kind {
            return self.struct_value(inner, at);
        }
        if let Some((scope, reference)) = self.struct_call(expr) {
            let place = self.new_struct(expr, &reference.parts[0].name.name)?;
            self.call(scope, reference, None, Some(&Memory::Scalar(place.clone())), at)?;
            return Ok(place);
        }
        let Some(reference) = expr.reference() else {
            return self.refuse(expr.span, Class::Type, "an expression of derived types is not supported", "");
        };
        if self.is_variable(reference) {
            return match self.place(reference, at)? {
                Spot::Place(place) => Ok(place),
                Spot::Var(_) => self.refuse(expr.span, Class::Type, "a derived type has no place", ""),
            };
        }
        let id = self.names.lookup(self.scope, &reference.parts[0].name.name);
        let is_type = |id: &SymbolId| matches!(self.names.symbol(*id).class, Named::Derived(_));
        let Some(id) = id.filter(is_type) else {
            let what = "a value of a derived type that is no variable and no call";
            return self.refuse(expr.span, Class::Type, what, "assign it to a variable first");
        };
        let place = self.new_struct(expr, &reference.parts[0].name.name)?;
        self.structure(&place, id, reference)?;
        Ok(place)
    }

    /// A new variable of the derived type that an expression has.
    pub fn new_struct(&mut self, expr: &Written, of: &str) -> Result<Place> {
        let elem = match self.names.type_of(self.scope, expr).type_ {
            Declared::Derived(id) => self.reader.derived_type(id),
            _ => Err("its type is not known".to_string()),
        };
        let elem = match elem {
            Ok(elem) => elem,
            Err(why) => return self.refuse(expr.span, Class::Type, format!("this value: {why}"), ""),
        };
        let name = format!("{}_made", value_name(of));
        let (life, span) = (Life::Region(self.b.region()), self.b.span);
        let object = Object { name, elem: elem.clone(), shape: Vec::new(), life, constant: false, span };
        let object = self.b.object(object);
        self.b.emit(ItemKind::Declare { object });
        Ok(Place { base: Base::Object(object), path: Vec::new(), ty: elem })
    }

    /// Whether a procedure is a function that returns an array.
    pub fn returns_array(&self, scope: ScopeId) -> bool {
        self.names.result_symbol(scope).is_some_and(|result| self.names.symbol(result).dims.is_some())
    }

    /// Calls a function that returns an array, unless this statement did, and gives the array.
    pub fn returned_array(&mut self, expr: &'t Written, scope: ScopeId, reference: &'t Reference) -> Result<Array> {
        let key = std::ptr::from_ref(expr).addr();
        if let Some(known) = self.constructed.get(&key) {
            return Ok(known.clone());
        }
        for argument in reference.parts[0].lists.iter().flatten() {
            if let ArgumentValue::Expr(value) = &argument.value {
                self.hoist_parts(value)?;
            }
        }
        if self.reader.makers.procedures.contains(&scope) {
            let array = self.array_made(scope, reference)?;
            self.constructed.insert(key, array.clone());
            return Ok(array);
        }
        let shape = self.returned_shape(scope, reference)?;
        let result = self.names.result_symbol(scope).expect("a function");
        let elem = self.type_of_symbol(result, expr.span)?;
        let shape: Vec<Expr> = shape.into_iter().map(|extent| self.simple(extent)).collect();
        let name = value_name(&reference.parts[0].name.name);
        let array = self.scratch(&format!("{name}_of"), elem, &shape);
        self.call(scope, reference, None, Some(&Memory::Array(array.clone())), &[])?;
        self.constructed.insert(key, array.clone());
        Ok(array)
    }

    /// The extents of what a function returns, as its declaration has them in terms of its arguments.
    fn returned_shape(&mut self, scope: ScopeId, reference: &'t Reference) -> Result<Vec<Expr>> {
        let result = self.names.result_symbol(scope).expect("a function");
        let bounds = self.names.bounds(result).unwrap_or_default();
        let extents: Option<Vec<i128>> = bounds.iter().map(|bound| bound.extent(self.names)).collect();
        if let Some(extents) = extents {
            return Ok(extents.into_iter().map(Expr::int).collect());
        }
        let bound = self.bind_dummies(scope, reference)?;
        let name = self.names.symbol(result).name.to_string();
        let found = self.in_scope(scope, |this| this.shape_of(&name, &bounds, &[], reference.span));
        for (symbol, before) in bound {
            match before {
                Some(before) => drop(self.memory.insert(symbol, before)),
                None => drop(self.memory.remove(&symbol)),
            }
        }
        let (dims, _) = found?;
        Ok(dims.into_iter().filter_map(|dim| Some(*dim.extent?)).collect())
    }

    /// Lets the dummies of a function stand for what is passed. Gives what they stood for before.
    fn bind_dummies(&mut self, scope: ScopeId, reference: &'t Reference) -> Result<Vec<(SymbolId, Option<Memory>)>> {
        let caller = &self.reader.reached[self.id.index()];
        let Some(callee) = self.reader.callee(caller, self.scope, scope, reference) else { return Ok(Vec::new()) };
        let dummies = self.reader.reached[callee.index()].dummies.clone();
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let mut found = Vec::new();
        for (position, argument) in list.iter().enumerate() {
            let dummy = self.reader.dummy_of(&dummies, position, argument).map(|at| dummies[at]);
            let (Some(dummy), ArgumentValue::Expr(actual)) = (dummy, &argument.value) else { continue };
            if dummy.from == From::List
                && let Some(memory) = self.passed_memory(dummy.kind, actual)?
            {
                found.push((dummy.symbol, memory));
            }
        }
        Ok(found.into_iter().map(|(symbol, memory)| (symbol, self.memory.insert(symbol, memory))).collect())
    }

    /// What bounds may ask of an argument: the value of an integer, the shape of an array.
    fn passed_memory(&mut self, kind: DummyKind, actual: &'t Written) -> Result<Option<Memory>> {
        if kind == DummyKind::Scalar
            && let Some(reference) = actual.reference().filter(|reference| self.is_variable(reference))
            && let Spot::Place(place) = self.place(reference, &[])?
            && let Type::Struct(_) = place.ty
        {
            return Ok(Some(Memory::Scalar(self.steady_place(place))));
        }
        if kind != DummyKind::Array {
            let value = self.scalar(actual)?;
            let value = if value.ty.is_integer() { self.simple(value) } else { value };
            return Ok(Some(Memory::Value(value)));
        }
        let rank = self.names.type_of(self.scope, actual).rank.unwrap_or(0);
        if rank == 0 {
            return Ok(None);
        }
        let shape = self.shape(actual)?;
        let zeros = vec![Expr::int(0); usize::from(rank)];
        let (base, ty) = match actual.reference().filter(|reference| self.is_variable(reference)) {
            Some(reference) => match self.place(reference, &zeros)? {
                Spot::Place(place) => (place.base, place.ty),
                Spot::Var(_) => return Ok(None),
            },
            // Nothing but its shape is asked for.
            None => (Base::At(Box::new(Expr { kind: ExprKind::Null, ty: Type::pointer(Type::Void) })), Type::Void),
        };
        let dims = shape.into_iter().map(Dim::of).collect();
        let lowers = vec![Expr::int(1); usize::from(rank)];
        Ok(Some(Memory::Array(Array::new(base, dims, lowers, ty))))
    }

    /// What an array-valued function of the program that stands where none can run says.
    pub fn no_array_here<T>(&mut self, reference: &Reference) -> Result<T> {
        let what =
            format!("'{}' returns an array, and is called where that is not supported", reference.parts[0].name.name);
        self.refuse(reference.span, Class::Language, what, "assign its result to a variable first")
    }
}
