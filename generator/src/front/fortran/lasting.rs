//! Variables of modules that a call allocates and leaves allocated: work arrays, what INIT makes for later calls. The
//! program allocates each of them once, so its shape is the same wherever it is allocated. Sweeps call a procedure that
//! allocates the variable, and its derivative beside it.
//!
//! ```text
//!   if (.not. allocated(w)) allocate (w(n))        a call of a procedure that the module of 'w' gets
//!   deallocate (w), move_alloc(v, w)               then 'w' is none of these: see [`super::makers`]
//! ```

use super::make::convert;
use super::state::{Array, Lower, Memory, Reader, Result, Slot};
use super::types::logical;
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{Basic, ScopeId, ScopeKind, SymbolId, Type as Declared};
use adtape_fortran::source::Span as At;
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, Reference};
use adtape_fortran::tree::header::UnitKind;
use adtape_fortran::tree::statement::{Action, Statement};
use rustc_hash::FxHashSet;

/// Variables that statements allocate, and those that they free, move or pass on.
#[derive(Default)]
pub struct Allocations {
    made: FxHashSet<SymbolId>,
    lost: FxHashSet<SymbolId>,
}

impl<'t> Reader<'t> {
    /// Notes what the statements of a procedure allocate and free.
    pub fn allocations(&self, scope: ScopeId, found: &mut Allocations) {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return };
        self.allocations_of(scope, &unit.body, found);
    }

    fn allocations_of(&self, scope: ScopeId, block: &'t [Statement], found: &mut Allocations) {
        for statement in block {
            let here = self.names.scope_of(statement).unwrap_or(scope);
            let (objects, is_made) = match &statement.action {
                Action::Allocate(spec, objects) => (&objects[..], spec.is_none()),
                Action::Deallocate(objects) => (&objects[..], false),
                Action::Call(callee) if &*callee.parts[0].name.name == "move_alloc" => {
                    (callee.parts[0].lists.first().map_or(&[][..], |list| list), false)
                }
                _ => (&[][..], false),
            };
            let to = if is_made { &mut found.made } else { &mut found.lost };
            to.extend(objects.iter().filter(|object| object.keyword.is_none() || !is_made).filter_map(|object| {
                let ArgumentValue::Expr(value) = &object.value else { return None };
                self.names.lookup(here, &value.reference()?.parts[0].name.name)
            }));
            let inner = super::jumps::blocks(&statement.action);
            inner.into_iter().for_each(|inner| self.allocations_of(here, inner, found));
        }
    }

    /// Notes variables that a call passes, and which dummies they go to: an allocatable one may free them.
    pub fn passed_on(&self, passed: &[(SymbolId, SymbolId)], found: &mut Allocations) {
        let passed = passed.iter().filter(|(_, dummy)| self.names.symbol(*dummy).flags.allocatable);
        found.lost.extend(passed.map(|(actual, _)| *actual));
    }

    /// Those that are allocated and never freed.
    pub fn lasting(&self, found: &Allocations) -> FxHashSet<SymbolId> {
        let is_lasting = |id: &SymbolId| !found.lost.contains(id) && self.is_array_of_module(*id);
        found.made.iter().copied().filter(is_lasting).collect()
    }

    /// Whether this is an allocatable array of numbers that a module has.
    fn is_array_of_module(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        let is_module = match self.names.scope(symbol.scope).kind {
            ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Module),
            _ => false,
        };
        let is_number = match self.names.symbol_type(id) {
            Declared::Basic(basic, _) => basic != Basic::Character,
            _ => false,
        };
        is_module && is_number && symbol.flags.allocatable && !symbol.flags.pointer && symbol.dims.is_some()
    }

    /// The procedure that the module of a variable gets: to allocate it, or to ask whether it is allocated.
    fn helper_of(&mut self, id: SymbolId, global: GlobalId, asks: bool) -> Option<String> {
        let made = FortranAllocation { global, asks };
        if let Some((name, _)) = self.fortran.allocations.iter().find(|(_, known)| **known == made) {
            return Some(name.clone());
        }
        let module = self.module(self.names.symbol(id).scope)?;
        let name = &self.names.symbol(id).name;
        let name = self.unique(&if asks { format!("{name}_is_allocated") } else { format!("allocate_{name}") });
        self.fortran.taken.push(name.clone());
        self.fortran.passive.insert(name.clone(), FortranPassive { name: name.clone(), module: Some(module) });
        self.fortran.allocations.insert(name.clone(), made);
        Some(name)
    }
}

impl<'t> Lower<'_, 't> {
    /// The variable of a module that a reference names as a whole, or with bounds, if a call leaves it allocated.
    pub fn lasting_of(&mut self, reference: &'t Reference) -> Result<Option<SymbolId>> {
        let [part] = &reference.parts[..] else { return Ok(None) };
        let id = self.symbol(&part.name)?;
        Ok(self.reader.makers.lasting.contains(&id).then_some(id))
    }

    /// Allocates such a variable: what is behind this finds its bounds.
    pub fn allocate_lasting(&mut self, id: SymbolId, (dims, lowers): (Vec<Dim>, Vec<Expr>), at: At) -> Result<Array> {
        let memory = self.memory(id, at)?;
        let Memory::Array(array) = memory else { unreachable!("it is an array") };
        let mut args = Vec::new();
        for (lower, dim) in lowers.into_iter().zip(dims) {
            let extent = dim.extent.map_or(Expr::int(0), |extent| *extent);
            args.extend([lower, extent].map(|bound| convert(bound, &Type::long())));
        }
        self.call_helper(id, false, args, None);
        Ok(array)
    }

    /// `allocated(a)`, where the statements before show it.
    pub fn is_allocated(&mut self, expr: &'t Written, name: &'t Written) -> Result<Expr> {
        let slot = match name.reference() {
            Some(reference) => self.slot(reference)?,
            None => None,
        };
        if let Some(slot) = slot {
            let known = self.slot_memory(&slot).map(|memory| self.is_alive(memory));
            // What one call leaves in a module, the next one finds.
            let is_new = matches!(&slot, Slot::Variable(id) if self.lives_here(*id) && !self.out.freed.contains(id));
            if is_new && known.is_none() {
                let what = "whether this is allocated depends on what ran before the call";
                let help = "allocate it before the adjoint is called, or allocate and deallocate it in each call";
                return self.refuse(expr.span, Class::Language, what, help);
            }
            if known == Some(true) || known.is_none() && self.b.at_top() {
                return Ok(Expr::constant(i128::from(known.is_some()), logical()));
            }
        }
        let id = match name.name() {
            Some(ident) => Some(self.symbol(ident)?),
            None => None,
        };
        // An argument is allocated where the procedure is called.
        if let Some(Memory::Array(Array { deferred: true, .. })) = id.and_then(|id| self.memory.get(&id))
            && id.is_some_and(|id| self.names.symbol(id).flags.dummy)
        {
            return Ok(Expr::constant(1, logical()));
        }
        if let Some(answer) = self.asks_allocated(name)? {
            return Ok(answer);
        }
        let what = "whether this is allocated depends on what ran before";
        self.refuse(expr.span, Class::Language, what, "allocate it once, outside of branches and loops")
    }

    /// `allocated(w)` for a variable of a module: it depends on what ran before, so it is asked where the program asks.
    fn asks_allocated(&mut self, name: &'t Written) -> Result<Option<Expr>> {
        let Some(ident) = name.name() else { return Ok(None) };
        let id = self.symbol(ident)?;
        if !self.reader.is_array_of_module(id) || self.reader.makers.moving.contains(&id) {
            return Ok(None);
        }
        self.memory(id, name.span)?;
        let span = self.b.span;
        let var = self.b.var("is_allocated", logical(), VarKind::Temporary, span);
        self.call_helper(id, true, Vec::new(), Some(var));
        Ok(Some(self.b.get(var)))
    }

    fn call_helper(&mut self, id: SymbolId, asks: bool, args: Vec<Expr>, result: Option<VarId>) {
        let global = self.reader.global_numbers[&id];
        let call = self.reader.helper_of(id, global, asks).expect("it belongs to a module");
        let callee =
            Callee::External { function: External::Passive { call, same: false }, returns: true, unknown: false };
        self.b.call(callee, args, result, None);
    }
}
