//! Derived types as structs: the components that are numbers, arrays of constant shape, and such types again.

use super::state::Reader;
use crate::ir::*;
use adtape_fortran::scope::components::Component;
use adtape_fortran::scope::program::{self as scope, SymbolId, Type as Declared};
use adtape_fortran::tree::attribute::{Attribute, Dim as Written};
use adtape_fortran::tree::declaration::{Binding, DerivedType, Init};
use adtape_fortran::tree::expression::TypeSpec;
use std::collections::BTreeMap;

/// Whether a component is allocatable.
fn is_allocatable(component: &Component) -> bool {
    component.attributes.iter().any(|attribute| matches!(attribute, Attribute::Allocatable))
}

/// Why a component is no member of the struct, as far as its attributes tell.
fn excluded(component: &Component) -> Option<&'static str> {
    component.attributes.iter().find_map(|attribute| match attribute {
        Attribute::Pointer => Some("is a pointer"),
        Attribute::Codimension(_) => Some("is a coarray"),
        _ => None,
    })
}

impl<'t> Reader<'t> {
    /// The struct of a derived type; else why there is none.
    pub fn derived_type(&mut self, id: SymbolId) -> Result<Type, String> {
        if let Some(known) = self.derived.get(&id) {
            return Ok(Type::Struct(*known));
        }
        let symbol = self.names.symbol(id);
        let scope::Class::Derived(derived) = &symbol.class else { return Err("its type is not known".to_string()) };
        let Some(module) = self.module(symbol.scope) else {
            return Err(format!("its type '{}' is declared outside of modules", symbol.name));
        };
        if let Some(why) = unfit(derived) {
            return Err(format!("its type '{}' {why}", symbol.name));
        }
        let (mut fields, mut lowers) = (IdVec::<FieldId, Field>::default(), BTreeMap::new());
        let mut inquiries = BTreeMap::new();
        let mut whole = true;
        let components = self.names.components(id);
        for component in &components {
            let Ok((ty, starts)) = self.component_type(component) else {
                whole = false;
                continue;
            };
            let name = component.entity.name.name.to_string();
            fields.add(Field { name: name.clone(), ty, read_only: false });
            if is_allocatable(component) {
                inquiries.extend(inquire(&name, component.dims().len(), &mut fields));
            } else if !starts.is_empty() {
                lowers.insert(name, starts);
            }
        }
        let name = symbol.name.to_string();
        let is_taken = self.fortran.types.contains_key(&name);
        let key = if is_taken { format!("{name}_{}", self.types.structs.len()) } else { name.clone() };
        self.fortran.types.insert(key.clone(), FortranType { name, module, whole, lowers, inquiries, is_bare: false });
        let made = self.types.structs.add(Struct { name: key, fields, ..Struct::default() });
        self.derived.insert(id, made);
        Ok(Type::Struct(made))
    }

    /// The type of an allocatable variable: the variable is its only component.
    pub fn bare_type(&mut self, id: SymbolId, module: usize, elem: Type, rank: usize) -> StructId {
        let name = self.names.symbol(id).name.to_string();
        let mut fields = IdVec::<FieldId, Field>::default();
        fields.add(Field { name: name.clone(), ty: pointer_to_rows(elem, rank), read_only: false });
        let inquiries = inquire(&name, rank, &mut fields);
        let key = format!("{name}, allocatable, {}", self.types.structs.len());
        let known = FortranType { name, module, inquiries, is_bare: true, ..FortranType::default() };
        self.fortran.types.insert(key.clone(), known);
        let made = self.types.structs.add(Struct { name: key, fields, ..Struct::default() });
        self.derived.insert(id, made);
        made
    }

    /// The type and the lower bounds of a component; else why it is none that can be computed with.
    pub fn component_type(&mut self, component: &Component<'t>) -> Result<(Type, Vec<i128>), String> {
        if let Some(why) = excluded(component) {
            return Err(why.to_string());
        }
        if let TypeSpec::Derived { polymorphic: true, .. } = component.spec {
            return Err("is polymorphic".to_string());
        }
        let elem = match self.names.type_of_spec(component.scope, component.spec) {
            Declared::Derived(id) => self.derived_type(id),
            other => self.scalar_type(&other),
        };
        let elem = elem.map_err(|why| format!("cannot be computed with: {why}"))?;
        if is_allocatable(component) {
            return Ok((pointer_to_rows(elem, component.dims().len()), Vec::new()));
        }
        let (mut extents, mut lowers) = (Vec::new(), Vec::new());
        for dim in component.dims() {
            let constant = |expr| self.names.constant_integer(component.scope, expr);
            let bounds = match dim {
                Written::Explicit(lower, upper) => lower.as_ref().map_or(Some(1), constant).zip(constant(upper)),
                Written::Assumed(_) | Written::Star(_) | Written::AssumedRank => None,
            };
            let Some((lower, upper)) = bounds else { return Err("has bounds that are no constants".to_string()) };
            extents.push(u64::try_from(upper - lower + 1).unwrap_or(0));
            lowers.push(lower);
        }
        let ty = extents.into_iter().fold(elem, |elem, extent| Type::array(elem, Some(extent)));
        Ok((ty, lowers))
    }

    /// Whether a variable of a type has first values in its components.
    pub fn has_first_values(&self, id: SymbolId) -> bool {
        self.names.components(id).iter().any(|component| {
            let inner = self.derived_of(component).filter(|inner| excluded(component).is_none() && *inner != id);
            matches!(component.entity.init, Some(Init::Value(_) | Init::Data(_)))
                || inner.is_some_and(|inner| self.has_first_values(inner))
        })
    }

    /// The derived type of a component, if it is one.
    pub fn derived_of(&self, component: &Component<'t>) -> Option<SymbolId> {
        match self.names.type_of_spec(component.scope, component.spec) {
            Declared::Derived(id) => Some(id),
            _ => None,
        }
    }
}

/// The inquiry functions whose values are members of structs.
const INQUIRIES: [&str; 2] = ["lbound", "size"];

/// Adds the bounds of an allocatable component to its type.
fn inquire(component: &str, rank: usize, fields: &mut IdVec<FieldId, Field>) -> BTreeMap<String, Inquiry> {
    let mut inquiries = BTreeMap::new();
    for dim in 1..=rank {
        for function in INQUIRIES {
            let inquiry = Inquiry { function, component: component.to_string(), dim };
            let name = inquiry_name(function, component, dim);
            fields.add(Field { name: name.clone(), ty: Type::int(), read_only: false });
            inquiries.insert(name, inquiry);
        }
    }
    inquiries
}

/// A pointer to the first element, or to the first row.
fn pointer_to_rows(elem: Type, rank: usize) -> Type {
    let inner = 1..rank.max(1);
    let row = inner.fold(elem, |elem, _| Type::array(elem, None));
    Type::pointer(row)
}

/// The name of such a member.
pub fn inquiry_name(function: &str, component: &str, dim: usize) -> String {
    format!("{function}({component}, {dim})")
}

/// Why a type is no struct.
fn unfit(derived: &DerivedType) -> Option<&'static str> {
    if !derived.parameters.is_empty() {
        return Some("has parameters, which is not supported");
    }
    let is_final = derived.bindings.iter().any(|binding| matches!(binding, Binding::Final(_)));
    is_final.then_some("has a FINAL procedure, which is not supported")
}
