//! Components of derived types.

use super::program::{Class, Program, ScopeId, SymbolId};
use crate::tree::attribute::{Attribute, Dim};
use crate::tree::declaration::{DeclarationKind, DerivedType, Entity};
use crate::tree::expression::TypeSpec;

/// A component as it is declared.
#[derive(Clone, Copy)]
pub struct Component<'t> {
    /// Its name, its own dimensions, its first value.
    pub entity: &'t Entity,
    /// Its type.
    pub spec: &'t TypeSpec,
    /// What the declaration says beside that.
    pub attributes: &'t [Attribute],
    /// The scope of the declaration.
    pub scope: ScopeId,
}

impl<'t> Component<'t> {
    /// Its dimensions; none for a scalar.
    pub fn dims(&self) -> &'t [Dim] {
        let shared = self.attributes.iter().find_map(|attribute| match attribute {
            Attribute::Dimension(dims) => Some(dims.as_slice()),
            _ => None,
        });
        self.entity.dims.as_deref().or(shared).unwrap_or_default()
    }
}

impl<'t> Program<'t> {
    /// A component of a type or of one that it extends.
    pub fn component(&self, id: SymbolId, name: &str) -> Option<Component<'t>> {
        let derived = self.derived(id)?;
        let own = self.own_components(id, derived).find(|component| *component.entity.name.name == *name);
        own.or_else(|| self.component(self.parent(id, derived)?, name))
    }

    /// The type of that name that a type extends, directly or through others: it names all components that come from there.
    pub fn parent_named(&self, id: SymbolId, name: &str) -> Option<SymbolId> {
        let parent = self.parent(id, self.derived(id)?)?;
        if *self.symbol(parent).name == *name { Some(parent) } else { self.parent_named(parent, name) }
    }

    /// The components of a type, those of the type that it extends first.
    pub fn components(&self, id: SymbolId) -> Vec<Component<'t>> {
        let Some(derived) = self.derived(id) else { return Vec::new() };
        let mut all = self.parent(id, derived).map(|parent| self.components(parent)).unwrap_or_default();
        all.extend(self.own_components(id, derived));
        all
    }

    fn derived(&self, id: SymbolId) -> Option<&'t DerivedType> {
        match &self.symbol(id).class {
            Class::Derived(derived) => Some(derived),
            _ => None,
        }
    }

    fn own_components(&self, id: SymbolId, derived: &'t DerivedType) -> impl Iterator<Item = Component<'t>> + use<'t> {
        let scope = self.symbol(id).scope;
        let declarations = derived.components.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Type(spec, attributes, entities) => Some((spec, attributes, entities)),
            _ => None,
        });
        declarations.flat_map(move |(spec, attributes, entities)| {
            entities.iter().map(move |entity| Component { entity, spec, attributes, scope })
        })
    }

    pub(super) fn parent(&self, id: SymbolId, derived: &DerivedType) -> Option<SymbolId> {
        let parent = derived.attributes.iter().find_map(|attribute| match attribute {
            Attribute::Extends(parent) => Some(parent),
            _ => None,
        })?;
        self.lookup(self.symbol(id).scope, &parent.name).filter(|parent| *parent != id)
    }
}
