//! The dummies of a procedure as parameters, and what their names stand for.

use super::state::{Array, From, Lower, Memory, Passed, Result};
use super::types::text;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::SymbolId;
use adtape_fortran::scope::shapes::{Bounds, Upper};
use adtape_fortran::source::Span as Written;
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::unit::Unit;
use rustc_hash::{FxHashMap, FxHashSet};

/// A dummy that is passed by its address.
struct Pointed<'t> {
    /// Its place among the parameters.
    position: usize,
    dummy: Passed,
    pointer: Expr,
    /// The type of an element.
    ty: Type,
    bounds: Vec<Bounds<'t>>,
}

/// INTENT, as far as it holds in the procedure: of a result it is known, of a variable of another procedure it says only
/// what nobody writes.
fn intent_of(dummy: Passed, declared: Option<Intent>) -> Option<Intent> {
    match dummy.from {
        From::List | From::Nothing | From::Procedure => declared,
        From::Result => Some(Intent::Out),
        // Nothing inside of a procedure writes what that must not.
        From::Host => declared.filter(|intent| *intent == Intent::In),
    }
}

impl<'t> Lower<'_, 't> {
    /// Makes the parameters: values first, then the memory that their bounds lie in.
    pub fn dummies(&mut self, unit: &'t Unit) -> Result<()> {
        let passed = self.reader.reached[self.id.index()].dummies.clone();
        let lacks = passed.iter().position(|dummy| dummy.from == From::Nothing).unwrap_or(passed.len());
        let named: FxHashSet<SymbolId> = passed.iter().skip(lacks).map(|dummy| dummy.symbol).collect();
        let passed: Vec<Passed> =
            passed.into_iter().filter(|dummy| !matches!(dummy.from, From::Nothing | From::Procedure)).collect();
        self.facts.returns_memory = passed.iter().any(|dummy| dummy.from == From::Result);
        let at = unit.header.span;
        let mut pointed = Vec::new();
        for (position, dummy) in passed.into_iter().enumerate() {
            pointed.extend(self.one_dummy(position, dummy, &named)?);
        }
        let mut shapes: FxHashMap<usize, Vec<Expr>> = FxHashMap::default();
        let mut lowers: FxHashMap<usize, Vec<Expr>> = FxHashMap::default();
        for one in &pointed {
            if one.bounds.iter().any(|bound| matches!(bound.upper, Upper::Assumed | Upper::Deferred)) {
                shapes.insert(one.position, self.bounds_given(one, true));
            }
            if self.names.symbol(one.dummy.symbol).flags.allocatable {
                lowers.insert(one.position, self.bounds_given(one, false));
            }
        }
        for one in pointed {
            let extents = shapes.remove(&one.position).unwrap_or_default();
            let lowers = lowers.remove(&one.position);
            self.pointed(one, (&extents, lowers), at)?;
        }
        Ok(())
    }

    /// The parameter of a dummy. `named`: those that calls name. Gives it if it is an address.
    fn one_dummy(
        &mut self,
        position: usize,
        dummy: Passed,
        named: &FxHashSet<SymbolId>,
    ) -> Result<Option<Pointed<'t>>> {
        let symbol = self.names.symbol(dummy.symbol);
        self.not_supported(dummy.symbol, symbol.span)?;
        let is_passed = matches!(dummy.from, From::List | From::Host);
        let is_given = is_passed && dummy.kind == DummyKind::Array && symbol.intent != Some(Intent::Out);
        if symbol.flags.allocatable && !is_given {
            return self.refuse_allocatable(dummy);
        }
        let is_written = || self.reader.alone.get(&self.own).is_some_and(|own| own.dummies.contains(&dummy.symbol));
        if symbol.flags.by_value && dummy.kind != DummyKind::Value && is_written() {
            let what =
                format!("'{}' is passed by value, is no scalar number, and the procedure writes it", symbol.name);
            return self.refuse(symbol.span, Class::Language, what, "copy it to a variable of the procedure");
        }
        let ty = self.argument_type(dummy.symbol, symbol.span)?;
        let bounds = self.names.bounds(dummy.symbol).unwrap_or_default();
        let param_type = match dummy.kind {
            DummyKind::Array => self.row_type(&bounds, ty.clone()),
            DummyKind::Scalar => Type::pointer(ty.clone()),
            DummyKind::Value | DummyKind::Extent { .. } | DummyKind::Lower { .. } => ty.clone(),
        };
        let intent = intent_of(dummy, symbol.intent);
        let (var, entry) = self.param(&symbol.name, param_type.clone(), dummy.kind, intent, dummy.symbol);
        let facts = self.facts.dummies.last_mut().expect("noted just now");
        facts.is_named = named.contains(&dummy.symbol) && dummy.from == From::List;
        facts.is_allocatable = symbol.flags.allocatable;
        facts.length = (ty == text()).then(|| self.names.length(dummy.symbol)).flatten();
        let pointer = Expr::value(entry, param_type);
        Ok(match dummy.kind {
            DummyKind::Value => {
                let own = if symbol.flags.by_value { self.own_copy(dummy.symbol, pointer) } else { Memory::Var(var) };
                self.memory.insert(dummy.symbol, own);
                None
            }
            DummyKind::Scalar | DummyKind::Array => Some(Pointed { position, dummy, pointer, ty, bounds }),
            DummyKind::Extent { .. } | DummyKind::Lower { .. } => None,
        })
    }

    /// The variable of the procedure that a dummy with VALUE is: the procedure may write it.
    fn own_copy(&mut self, id: SymbolId, entry: Expr) -> Memory {
        let symbol = self.names.symbol(id);
        let (span, ty) = (self.span(symbol.span), entry.ty.clone());
        if self.is_addressed(id) {
            let Array { base, .. } = self.declared_array(&symbol.name, ty.clone(), Vec::new(), Vec::new(), span);
            let place = Place { base, path: Vec::new(), ty };
            self.b.emit(ItemKind::Store { to: place.clone(), from: entry });
            return Memory::Scalar(place);
        }
        let own = self.b.var(&symbol.name, ty, VarKind::User, span);
        self.b.assign(own, entry);
        Memory::Var(own)
    }

    fn refuse_allocatable<T>(&mut self, dummy: Passed) -> Result<T> {
        let symbol = self.names.symbol(dummy.symbol);
        let (what, help) = match dummy.from {
            From::List | From::Nothing | From::Procedure => (
                "is allocated by the procedure, or a scalar",
                "pass it where it is allocated already, as INTENT(INOUT)",
            ),
            From::Result => ("is an allocatable result", "declare its extents, as those of an argument"),
            From::Host => ("is allocatable, and a procedure inside of this one names it", "pass it as an argument"),
        };
        self.refuse(symbol.span, Class::Language, format!("'{}' {what}", symbol.name), help)
    }

    /// The extents that an argument of assumed shape brings along, or the lower bounds of an allocatable one.
    fn bounds_given(&mut self, one: &Pointed<'t>, extents: bool) -> Vec<Expr> {
        let symbol = one.dummy.symbol;
        let name = self.names.symbol(symbol).name.to_string();
        let extents = (1..=one.bounds.len()).map(|dim| {
            let (of, dim) = (one.position as u32, dim as u32);
            let (kind, letter) =
                if extents { (DummyKind::Extent { of, dim }, 'n') } else { (DummyKind::Lower { of, dim }, 'l') };
            let ty = Type::int();
            let (_, entry) = self.param(&format!("{name}_{letter}{dim}"), ty.clone(), kind, Some(Intent::In), symbol);
            Expr::value(entry, ty)
        });
        extents.collect()
    }

    /// What the name of a dummy that is passed by its address stands for.
    fn pointed(&mut self, one: Pointed<'t>, (extents, given): (&[Expr], Option<Vec<Expr>>), at: Written) -> Result<()> {
        let Pointed { position, dummy, pointer, ty, bounds } = one;
        let symbol = self.names.symbol(dummy.symbol);
        let intent = intent_of(dummy, symbol.intent);
        let base = Base::At(Box::new(pointer));
        let memory = if dummy.kind == DummyKind::Scalar {
            let first = Subscript { at: Expr::int(0), dim: Dim::default() };
            let place = Place { base, path: vec![Step::Index(vec![first])], ty: ty.clone() };
            // What has another name may change while the procedure runs.
            let is_whole = matches!(ty, Type::Struct(_)) || ty == text();
            if !is_whole && !self.is_addressed(dummy.symbol) && !symbol.flags.target {
                return self.copied_scalar(dummy, place, intent);
            }
            Memory::Scalar(place)
        } else {
            let (dims, lowers) = self.shape_of(&symbol.name, &bounds, extents, at)?;
            let deferred = given.is_some();
            let lowers = given.unwrap_or(lowers);
            self.b.proc_mut().params[position].shape = dims.iter().rev().cloned().collect();
            self.note_lowers(&symbol.name, &lowers);
            Memory::Array(Array { deferred, ..Array::new(base, dims, lowers, ty) })
        };
        if intent == Some(Intent::Out) {
            self.begun(dummy.symbol, &memory, at)?;
        }
        self.memory.insert(dummy.symbol, memory);
        Ok(())
    }

    /// A scalar that is a variable while the procedure runs: loaded at entry, stored at the end.
    fn copied_scalar(&mut self, dummy: Passed, place: Place, intent: Option<Intent>) -> Result<()> {
        let symbol = self.names.symbol(dummy.symbol);
        let span = self.span(symbol.span);
        let var = self.b.var(&symbol.name, place.ty.clone(), VarKind::Renamed, span);
        if intent != Some(Intent::Out) {
            self.b.assign(var, Expr::load(place.clone()));
        }
        if intent != Some(Intent::In) {
            self.written_back.push((var, place));
        }
        self.memory.insert(dummy.symbol, Memory::Var(var));
        Ok(())
    }
}
