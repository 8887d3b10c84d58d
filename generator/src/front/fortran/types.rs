//! Types.

use super::state::Reader;
use crate::ir::*;
use adtape_fortran::scope::program::{Basic, SymbolId, Type as Declared};
use adtape_fortran::tree::expression::TypeSpec;

/// The type of truth values.
pub fn logical() -> Type {
    Type::Int { bits: 32, signed: true, kind: IntKind::Named(LOGICAL.into()) }
}

/// The type of texts, whatever their length is: nothing is computed with them but comparisons.
pub fn text() -> Type {
    Type::Int { bits: 8, signed: true, kind: IntKind::Named(TEXT.into()) }
}

/// The integer type of a kind.
pub fn integer(kind: u8) -> Option<Type> {
    let of_c = match kind {
        1 => IntKind::SignedChar,
        2 => IntKind::Short,
        4 => IntKind::Int,
        8 => IntKind::Long,
        _ => return None,
    };
    Some(Type::Int { bits: kind * 8, signed: true, kind: of_c })
}

impl Reader<'_> {
    /// The type of a scalar; else why there is none.
    pub fn scalar_type(&self, ty: &Declared) -> Result<Type, String> {
        match ty {
            Declared::Basic(_, None) => Err("its kind is not known".to_string()),
            Declared::Basic(Basic::Integer, Some(kind)) => {
                integer(*kind).ok_or_else(|| format!("integers of kind {kind} are not supported"))
            }
            Declared::Basic(Basic::Real, Some(kind @ (4 | 8))) => Ok(Type::Float { bits: kind * 8 }),
            Declared::Basic(Basic::Real, Some(kind)) => Err(format!("reals of kind {kind} are not supported")),
            Declared::Basic(Basic::Logical, Some(4)) => Ok(logical()),
            Declared::Basic(Basic::Logical, Some(kind)) => Err(format!("logicals of kind {kind} are not supported")),
            Declared::Basic(Basic::Complex, _) => Err("complex numbers are not supported".to_string()),
            Declared::Basic(Basic::Character, _) => Err("characters are not computed with".to_string()),
            Declared::Derived(_) => Err("a derived type stands where a number is expected".to_string()),
            Declared::Unlimited => Err("its type is not declared".to_string()),
            Declared::Opaque => Err("its type is declared by a module without source".to_string()),
        }
    }

    /// The type of an argument's scalar: texts are passed on.
    pub fn argument_type(&mut self, id: SymbolId) -> Result<Type, String> {
        match self.names.symbol_type(id) {
            Declared::Basic(Basic::Character, _) => Ok(text()),
            _ => self.symbol_type(id),
        }
    }

    /// The type of a symbol's scalar.
    pub fn symbol_type(&mut self, id: SymbolId) -> Result<Type, String> {
        if let Some(TypeSpec::Derived { polymorphic: true, .. }) = self.names.symbol(id).spec {
            return Err("polymorphic variables are not supported".to_string());
        }
        match self.names.symbol_type(id) {
            Declared::Derived(derived) => self.derived_type(derived),
            other => self.scalar_type(&other),
        }
    }
}
