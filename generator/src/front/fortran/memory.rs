//! What names stand for while a procedure is lowered: variables, places, arrays.

use super::data::literal;
use super::make::*;
use super::state::{Array, Lower, Memory, Result, part_of_row};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::program::{self as scope, ScopeId, SymbolId, Type as Declared};
use adtape_fortran::scope::shapes::{Bounds, Upper};
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::source::Span as Written;

impl<'t> Lower<'_, 't> {
    /// What a variable stands for.
    pub fn memory(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        let symbol = self.names.symbol(id);
        if let Some(slot) = self.out.slots.get(&id).cloned() {
            return self.memory_of_slot(id, &slot, at);
        }
        if let Some(known) = self.memory.get(&id) {
            if self.is_alive(known) {
                return Ok(known.clone());
            }
            let what = format!("'{}' is used behind the branch or the loop in which it is allocated", symbol.name);
            return self.refuse(at, Class::Language, what, "allocate it outside of branches and loops");
        }
        if self.is_absent(id) {
            let what = format!("'{}' is optional, and a call of this procedure leaves it out", symbol.name);
            let help = "use it where PRESENT says that it is there; an adjoint that the user calls takes all arguments";
            return self.refuse(at, Class::Language, what, help);
        }
        if matches!(symbol.class, scope::Class::Constant) {
            let found = self.constant_array(id, at)?;
            self.memory.insert(id, found.clone());
            return Ok(found);
        }
        let is_own = self.owns(symbol.scope) || self.lives_here(id);
        let is_of_construct = matches!(self.names.scope(symbol.scope).kind, scope::ScopeKind::Construct);
        let found = if symbol.flags.in_common || self.reader.storage.has(id) {
            self.sharing(id, at)?
        } else if (is_own || is_of_construct) && self.names.is_saved(id) && !self.lives_here(id) {
            self.saved(id, at)?
        } else if is_own || is_of_construct {
            self.local(id, at)?
        } else {
            self.global(id, at)?
        };
        self.memory.insert(id, found.clone());
        Ok(found)
    }

    /// A variable of the procedure, not a dummy.
    pub fn local(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        let symbol = self.names.symbol(id);
        let name = symbol.name.to_string();
        self.not_supported(id, at)?;
        let ty = self.type_of_symbol(id, at)?;
        let span = self.span(symbol.span);
        let Some(bounds) = self.names.bounds(id) else {
            if !self.is_addressed(id) && !matches!(ty, Type::Struct(_)) {
                return Ok(Memory::Var(self.b.var(&name, ty, VarKind::User, span)));
            }
            let life = Life::Region(RegionId::BODY);
            let object =
                self.b.object(Object { name, elem: ty.clone(), shape: Vec::new(), life, constant: false, span });
            self.b.emit(ItemKind::Declare { object });
            let memory = Memory::Scalar(Place { base: Base::Object(object), path: Vec::new(), ty });
            self.begun(id, &memory, at)?;
            return Ok(memory);
        };
        if symbol.flags.allocatable {
            return self.refuse(
                at,
                Class::Language,
                format!("'{name}' is used where the statements before have not allocated it in this procedure"),
                "allocate it there, outside of branches and loops, or make it an automatic array",
            );
        }
        let (dims, lowers) = self.shape_of(&name, &bounds, &[], at)?;
        let name = if self.out.around.is_empty() { name } else { self.unique_array(&name) };
        let memory = Memory::Array(self.declared_array(&name, ty, dims, lowers, span));
        self.begun(id, &memory, at)?;
        Ok(memory)
    }

    /// Gives the components of a variable their first values, where its life begins.
    pub fn begun(&mut self, id: SymbolId, memory: &Memory, at: Written) -> Result<()> {
        let Declared::Derived(of) = self.names.symbol_type(id) else { return Ok(()) };
        if self.reader.has_first_values(of) && !self.b.at_top() {
            let what = format!("'{}' has first values, and lives in a block", self.names.symbol(id).name);
            return self.refuse(at, Class::Language, what, "declare it in the procedure");
        }
        self.first_values(of, memory)
    }

    /// A new array of the procedure, alive until the region at hand ends.
    pub fn declared_array(&mut self, name: &str, elem: Type, dims: Vec<Dim>, lowers: Vec<Expr>, span: Span) -> Array {
        let shape = dims.iter().rev().cloned().collect();
        let life = Life::Region(self.b.region());
        let object = Object { name: name.to_string(), elem: elem.clone(), shape, life, constant: false, span };
        let object = self.b.object(object);
        self.b.emit(ItemKind::Declare { object });
        self.note_lowers(name, &lowers);
        Array::new(Base::Object(object), dims, lowers, elem)
    }

    /// Notes the lower bounds of an array for whoever prints it.
    pub fn note_lowers(&mut self, name: &str, lowers: &[Expr]) {
        let lowers = lowers.iter().map(known).collect();
        self.facts.lowers.insert(name.to_string(), lowers);
    }

    /// A variable that shares memory with others.
    fn sharing(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        self.not_supported(id, at)?;
        let name = self.names.symbol(id).name.to_string();
        let help = "give the memory one layout of one type, or pass the variable as an argument";
        let storage = &self.reader.storage;
        let why = storage.refused.get(&id).cloned();
        let place = storage.places.get(&id).copied();
        let (Some((number, offset)), None) = (place, &why) else {
            let why = why.unwrap_or_else(|| "shares memory, which is not supported here".to_string());
            return self.refuse(at, Class::Language, format!("'{name}' {why}"), help);
        };
        let elem = self.type_of_symbol(id, at)?;
        let base = self.shared_memory(number, id, at)?;
        let stretch = &self.reader.storage.stretches[number];
        let within = stretch.is_row.then(|| (offset, stretch.count()));
        let Some(bounds) = self.names.bounds(id) else {
            return Ok(Memory::Scalar(match within {
                Some((offset, count)) => part_of_row(&base, &elem, Expr::int(offset), count),
                None => Place { base, path: Vec::new(), ty: elem },
            }));
        };
        let (dims, lowers) = self.shape_of(&name, &bounds, &[], at)?;
        Ok(Memory::Array(Array { within, ..Array::new(base, dims, lowers, elem) }))
    }

    /// The memory of a stretch: a variable with static storage, or an object of the procedure.
    fn shared_memory(&mut self, number: usize, id: SymbolId, at: Written) -> Result<Base> {
        let stretch = &self.reader.storage.stretches[number];
        let (name, elem, dims) = (stretch.name.clone(), stretch.elem.clone(), stretch.dims());
        let lowers: Vec<i128> = stretch.bounds.iter().map(|(lower, _)| *lower).collect();
        if let Some(known) = stretch.global {
            return Ok(Base::Global(known));
        }
        let Some((block, part)) = stretch.part else {
            if let Some(known) = self.shared.get(&number) {
                return Ok(Base::Object(*known));
            }
            let members = self.reader.storage.places.iter().filter(|(_, (other, _))| *other == number);
            let is_saved = members.map(|(member, _)| *member).any(|member| self.names.is_saved(member));
            if is_saved || self.names.symbol(id).scope != self.own {
                let what = format!("'{}' is in an EQUIVALENCE and keeps its value", self.names.symbol(id).name);
                return self.refuse(at, Class::Language, what, "use one name for the memory");
            }
            let span = self.span(self.names.symbol(id).span);
            let lowers = lowers.into_iter().map(Expr::int).collect();
            let Array { base, .. } = self.declared_array(&name, elem, dims, lowers, span);
            if let Base::Object(object) = base {
                self.shared.insert(number, object);
            }
            return Ok(base);
        };
        let facts = FortranGlobal { home: Home::Block, lowers: lowers.into_iter().map(Some).collect() };
        let global = self.stored(id, name, elem, &dims, false, facts);
        self.reader.storage.stretches[number].global = Some(global);
        self.reader.fortran.blocks[block].parts[part].global = Some(global);
        Ok(Base::Global(global))
    }

    /// A variable of a procedure that keeps its value from call to call.
    fn saved(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        // Written out in several procedures, it would be a variable of each of them.
        let owner = *self.reader.makers.saved.entry(id).or_insert(self.id);
        if !self.out.around.is_empty() && owner != self.id {
            let name = &self.names.symbol(id).name;
            let what = format!(
                "'{name}' keeps its value (SAVE) in a procedure that allocates for what calls it, and several call it"
            );
            return self.refuse(at, Class::Language, what, "pass it as an argument, or allocate in another procedure");
        }
        if let Declared::Derived(_) = self.names.symbol_type(id) {
            let what =
                format!("'{}' is of a derived type and keeps its value from call to call", self.names.symbol(id).name);
            return self.refuse(at, Class::Language, what, "pass it as an argument, or make it a variable of a module");
        }
        if self.may_be_automatic(id) {
            self.automatic.push(id);
            return self.local(id, at);
        }
        self.not_supported(id, at)?;
        let symbol = self.names.symbol(id);
        let name = symbol.name.to_string();
        let ty = self.type_of_symbol(id, at)?;
        let bounds = self.names.bounds(id);
        let (dims, lowers) = match &bounds {
            Some(bounds) => self.shape_of(&name, bounds, &[], at)?,
            None => (Vec::new(), Vec::new()),
        };
        let is_constant = dims.iter().all(|dim| dim.extent.as_deref().and_then(known).is_some());
        if symbol.flags.allocatable || !is_constant {
            let what = format!("'{name}' keeps its value from call to call (SAVE), and its size is not constant");
            return self.refuse(at, Class::Language, what, "pass it as an argument, or make it a variable of a module");
        }
        let first = match self.reader.first_values(id) {
            Ok(first) => first,
            Err(why) => {
                let what = format!("the first value of '{name}' {why}");
                return self.refuse(at, Class::Language, what, "assign it");
            }
        };
        let known_before = self.reader.global_numbers.contains_key(&id);
        let text = first.as_ref().map(|first| first.text(&dims));
        let facts = FortranGlobal { home: Home::Saved(text), lowers: lowers.iter().map(known).collect() };
        let unique = if known_before { name } else { self.reader.unique(&name) };
        let global = self.stored(id, unique, ty.clone(), &dims, false, facts);
        if !known_before {
            let span = self.span(symbol.span);
            let number = first.filter(|_| dims.is_empty()).and_then(|first| first.number());
            self.reader.statics.push(Static {
                function: self.facts.key.clone(),
                globals: vec![global],
                text: String::new(),
                span,
                initial: number.map(|number| (global, number)).into_iter().collect(),
                scratch: false,
                lasting: None,
            });
        }
        let base = Base::Global(global);
        Ok(match bounds {
            Some(_) => Memory::Array(Array::new(base, dims, lowers, ty)),
            None => Memory::Scalar(Place { base, path: Vec::new(), ty }),
        })
    }

    /// Whether a variable with SAVE may be a local one: a scalar without a first value and without an address, and no
    /// value of the call before was seen to be read.
    fn may_be_automatic(&self, id: SymbolId) -> bool {
        let symbol = self.names.symbol(id);
        let has_address = self.is_addressed(id) || symbol.flags.target;
        symbol.scope == self.own
            && symbol.dims.is_none()
            && !has_address
            && !self.reader.reached[self.id.index()].kept.contains(&id)
            && matches!(self.reader.first_values(id), Ok(None))
    }

    /// A variable of a module.
    fn global(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        let symbol = self.names.symbol(id);
        let name = symbol.name.to_string();
        self.not_supported(id, at)?;
        let Some(module) = self.reader.module(symbol.scope) else {
            let what = format!("'{name}' belongs to the procedure around this one");
            return self.refuse(at, Class::Language, what, "pass it as an argument");
        };
        let ty = self.type_of_symbol(id, at)?;
        if symbol.flags.allocatable {
            return Ok(self.allocated_global(id, module, ty));
        }
        let bounds = self.names.bounds(id);
        let (dims, lowers) = match &bounds {
            Some(bounds) => self.shape_of(&name, bounds, &[], at)?,
            None => (Vec::new(), Vec::new()),
        };
        let facts = FortranGlobal { home: Home::Module(module), lowers: lowers.iter().map(known).collect() };
        let global = self.stored(id, name, ty.clone(), &dims, false, facts);
        let base = Base::Global(global);
        Ok(match bounds {
            Some(_) => Memory::Array(Array::new(base, dims, lowers, ty)),
            None => Memory::Scalar(Place { base, path: Vec::new(), ty }),
        })
    }

    /// An allocatable variable of a module: as the only component of a type that is nowhere declared.
    fn allocated_global(&mut self, id: SymbolId, module: usize, elem: Type) -> Memory {
        let symbol = self.names.symbol(id);
        let name = symbol.name.to_string();
        let rank = self.names.bounds(id).map_or(0, |bounds| bounds.len());
        let made = match self.reader.derived.get(&id) {
            Some(made) => *made,
            None => self.reader.bare_type(id, module, elem, rank),
        };
        let facts = FortranGlobal { home: Home::Module(module), lowers: Vec::new() };
        let global = self.stored(id, name, Type::Struct(made), &[], false, facts);
        let place = Place { base: Base::Global(global), path: Vec::new(), ty: Type::Struct(made) };
        self.field(&place, made, FieldId::new(0))
    }

    /// A named constant that is an array: one of a module stands there, one of a procedure is declared in its sweeps.
    fn constant_array(&mut self, id: SymbolId, at: Written) -> Result<Memory> {
        let symbol = self.names.symbol(id);
        let name = symbol.name.to_string();
        let elem = self.type_of_symbol(id, at)?;
        let (Some(Constant::Array(items, extents)), Some(bounds)) = (self.names.value_of(id), self.names.bounds(id))
        else {
            let what = format!("the value of the constant '{name}' is not known");
            return self.refuse(at, Class::Language, what, "add the source of the module that it comes from");
        };
        let lowers: Vec<i128> = bounds.iter().map(|bound| bound.constant_lower(self.names).unwrap_or(1)).collect();
        let dims: Vec<Dim> = extents.iter().map(|extent| Dim::of(Expr::int(*extent))).collect();
        let module = self.reader.module(symbol.scope);
        let home = match module {
            Some(module) => Home::Module(module),
            None => match declared_constant(&name, &elem, &items, &extents, &lowers) {
                Some(declared) => Home::Constant(declared),
                None => {
                    let what = format!("the constant '{name}' is computed by functions");
                    return self.refuse(at, Class::Language, what, "declare it in a module");
                }
            },
        };
        let facts = FortranGlobal { home, lowers: lowers.iter().copied().map(Some).collect() };
        let global = self.stored(id, name, elem.clone(), &dims, true, facts);
        let lowers = lowers.into_iter().map(Expr::int).collect();
        Ok(Memory::Array(Array::new(Base::Global(global), dims, lowers, elem)))
    }

    /// The variable with static storage that a symbol is; new where it is named first.
    fn stored(
        &mut self,
        id: SymbolId,
        name: String,
        elem: Type,
        dims: &[Dim],
        constant: bool,
        facts: FortranGlobal,
    ) -> GlobalId {
        if let Some(known) = self.reader.global_numbers.get(&id) {
            return *known;
        }
        let symbol = self.names.symbol(id);
        let shape = dims.iter().rev().cloned().collect();
        let span = self.reader.texts.span(self.names.scope(symbol.scope).file, symbol.span);
        let global = self.reader.globals.add(Object { name, elem, shape, life: Life::Global, constant, span });
        self.reader.global_numbers.insert(id, global);
        self.reader.fortran.globals.push(facts);
        global
    }

    /// Refuses what no variable may be.
    pub fn not_supported(&mut self, id: SymbolId, at: Written) -> Result<()> {
        let symbol = self.names.symbol(id);
        let flags = symbol.flags;
        let reasons = [
            (flags.pointer, "is a pointer"),
            (flags.volatile, "is volatile"),
            (symbol.codims.is_some(), "is a coarray"),
        ];
        match reasons.into_iter().find(|(there, _)| *there) {
            Some((_, reason)) => {
                let what = format!("'{}' {reason}, which is not supported", symbol.name);
                self.refuse(at, Class::Language, what, "")
            }
            None => Ok(()),
        }
    }

    /// The type of an argument's scalar.
    pub fn argument_type(&mut self, id: SymbolId, at: Written) -> Result<Type> {
        match self.reader.argument_type(id) {
            Ok(ty) => Ok(ty),
            Err(why) => self.refuse(at, Class::Type, format!("'{}': {why}", self.names.symbol(id).name), ""),
        }
    }

    /// The type of a symbol's scalar.
    pub fn type_of_symbol(&mut self, id: SymbolId, at: Written) -> Result<Type> {
        let found = self.reader.symbol_type(id);
        let name = &self.names.symbol(id).name;
        match found {
            Ok(ty) => Ok(ty),
            Err(why) => self.refuse(at, Class::Type, format!("'{name}': {why}"), ""),
        }
    }

    /// The dimensions and lower bounds that a declaration gives, as they are at entry. `assumed`: the extents of a shape
    /// that the call brings along.
    pub fn shape_of(
        &mut self,
        name: &str,
        bounds: &[Bounds<'t>],
        assumed: &[Expr],
        at: Written,
    ) -> Result<(Vec<Dim>, Vec<Expr>)> {
        let (mut dims, mut lowers) = (Vec::new(), Vec::new());
        for (position, bound) in bounds.iter().enumerate() {
            let lower = match bound.lower {
                Some(lower) => self.in_scope(bound.scope, |this| this.integer(lower))?,
                None => Expr::int(1),
            };
            let extent = match bound.upper {
                Upper::Expr(upper) => {
                    let upper = self.in_scope(bound.scope, |this| this.integer(upper))?;
                    Some(self.steady(subtract(upper, lower.clone()).offset(1)))
                }
                Upper::Star => None,
                Upper::Assumed | Upper::Deferred if position < assumed.len() => Some(assumed[position].clone()),
                Upper::Assumed | Upper::Deferred => {
                    let what = format!("the shape of '{name}' is not declared");
                    return self.refuse(at, Class::Language, what, "declare its extents");
                }
            };
            dims.push(Dim::from(extent));
            lowers.push(self.steady(lower));
        }
        Ok((dims, lowers))
    }

    /// An expression that stays what it is now: the memory that it reads may change.
    pub fn steady(&mut self, expr: Expr) -> Expr {
        if walk::loads(&expr) { self.b.keep("extent", expr) } else { expr }
    }

    /// Lowers with the names of another scope.
    pub fn in_scope<R>(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.scope, scope);
        let found = work(self);
        self.scope = before;
        found
    }
}

/// The declaration of a constant array; none if its values depend on a compiler's functions.
fn declared_constant(name: &str, elem: &Type, items: &[Constant], extents: &[i128], lowers: &[i128]) -> Option<String> {
    let items: Vec<String> = items.iter().map(|item| literal(item, elem)).collect::<Option<_>>()?;
    let list = format!("[{}]", items.join(", "));
    let numbers = |all: &[i128]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let list = if extents.len() > 1 { format!("reshape({list}, [{}])", numbers(extents)) } else { list };
    let dims = lowers.iter().zip(extents).map(|(lower, extent)| format!("{lower}:{}", lower + extent - 1));
    let dims: Vec<String> = dims.collect();
    let ty = match elem {
        Type::Float { bits } => format!("real({})", bits / 8),
        ty if *ty == super::types::logical() => "logical".to_string(),
        Type::Int { bits, .. } => format!("integer({})", bits / 8),
        _ => return None,
    };
    Some(format!("{ty}, parameter :: {name}({}) = {list}", dims.join(", ")))
}
