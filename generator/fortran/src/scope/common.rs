//! The memory of COMMON blocks, and what EQUIVALENCE puts at one place.

use super::program::{Basic, Program, ScopeId, SymbolId, Type};
use crate::tree::declaration::{CommonBlock, Declaration, DeclarationKind};
use crate::tree::expression::{Argument, ArgumentValue, Length, Reference, TypeSpec};

/// A block as one unit declares it.
pub struct Layout {
    /// Its name; empty for blank COMMON.
    pub name: Box<str>,
    /// Its members with their places.
    pub members: Vec<Member>,
}

/// A member of a block.
#[derive(Clone, Debug)]
pub struct Member {
    /// The variable.
    pub symbol: SymbolId,
    /// Bytes from the beginning of the block; none behind a member whose size is not known.
    pub offset_bytes: Option<i128>,
    /// Its bytes.
    pub size_bytes: Option<i128>,
}

impl<'t> Program<'t> {
    /// The COMMON blocks of a unit, in the order in which they are declared first.
    pub fn common_blocks(&self, scope: ScopeId) -> Vec<Layout> {
        let mut layouts: Vec<Layout> = Vec::new();
        for block in blocks(self.declarations(scope)) {
            let name: Box<str> = block.name.as_ref().map_or("".into(), |name| name.name.clone());
            let known = layouts.iter().position(|layout| layout.name == name);
            let at = known.unwrap_or_else(|| {
                layouts.push(Layout { name, members: Vec::new() });
                layouts.len() - 1
            });
            let members = &mut layouts[at].members;
            for member in &block.members {
                let Some(symbol) = self.scope(scope).names.get(&member.name.name).copied() else { continue };
                // A block of several statements goes on where it ended. A member that would not be aligned is moved up.
                let end = match members.last() {
                    None => Some(0),
                    Some(last) => last.offset_bytes.zip(last.size_bytes).map(|(offset, size)| offset + size),
                };
                let alignment = self.alignment_bytes(symbol);
                let offset_bytes =
                    end.zip(alignment).map(|(end, alignment)| (end + alignment - 1) / alignment * alignment);
                members.push(Member { symbol, offset_bytes, size_bytes: self.size_bytes(symbol) });
            }
        }
        layouts
    }

    /// The bytes of a variable; none if they are not constant.
    pub fn size_bytes(&self, id: SymbolId) -> Option<i128> {
        let elements: i128 = match self.bounds(id) {
            None => 1,
            Some(bounds) => bounds.iter().map(|bound| bound.extent(self)).product::<Option<i128>>()?,
        };
        Some(elements * self.element_bytes(id)?)
    }

    /// The bytes of a scalar of a symbol's type.
    pub fn element_bytes(&self, id: SymbolId) -> Option<i128> {
        match self.symbol_type(id) {
            Type::Basic(Basic::Character, kind) => Some(self.length(id)? * i128::from(kind?)),
            Type::Basic(Basic::Complex, kind) => Some(2 * real_bytes(kind?)),
            Type::Basic(Basic::Real, kind) => Some(real_bytes(kind?)),
            Type::Basic(_, kind) => Some(i128::from(kind?)),
            Type::Derived(_) | Type::Unlimited | Type::Opaque => None,
        }
    }

    /// What the address of a scalar of a symbol's type is a multiple of.
    fn alignment_bytes(&self, id: SymbolId) -> Option<i128> {
        match self.symbol_type(id) {
            Type::Basic(Basic::Character, kind) => kind.map(i128::from),
            Type::Basic(Basic::Real | Basic::Complex, kind) => kind.map(real_bytes),
            Type::Basic(_, kind) => kind.map(i128::from),
            Type::Derived(_) | Type::Unlimited | Type::Opaque => None,
        }
    }

    /// The length of a character, if it is constant.
    pub fn length(&self, id: SymbolId) -> Option<i128> {
        let symbol = self.symbol(id);
        let in_type = match symbol.spec {
            Some(TypeSpec::Character(length, _)) => length.as_ref(),
            _ => None,
        };
        match symbol.length.or(in_type) {
            None => Some(1),
            Some(Length::Expr(length)) => Some(self.constant_integer(symbol.scope, length)?.max(0)),
            Some(Length::Assumed | Length::Deferred) => None,
        }
    }

    /// The sets of EQUIVALENCE: variables with the bytes from each one's beginning to the place that a set shares.
    pub fn equivalences(&self, scope: ScopeId) -> Vec<Vec<(SymbolId, Option<i128>)>> {
        let mut sets = Vec::new();
        for declaration in self.declarations(scope) {
            let DeclarationKind::Equivalence(declared) = &declaration.kind else { continue };
            for set in declared {
                let placed = |object: &Reference| {
                    let symbol = self.lookup(scope, &object.parts[0].name.name)?;
                    Some((symbol, self.place(scope, symbol, object)))
                };
                sets.push(set.iter().filter_map(placed).collect());
            }
        }
        sets
    }

    /// The bytes from a variable's beginning to an element or a character of it.
    fn place(&self, scope: ScopeId, symbol: SymbolId, object: &Reference) -> Option<i128> {
        let mut lists = object.parts[0].lists.as_slice();
        let mut offset = 0;
        if let (Some(bounds), Some(list)) = (self.bounds(symbol), lists.first()) {
            let mut stride = self.element_bytes(symbol)?;
            if list.len() == 1 && bounds.len() > 1 {
                // One subscript for several dimensions counts elements.
                offset += (self.subscript(scope, &list[0])? - bounds[0].constant_lower(self)?) * stride;
            } else {
                for (argument, bound) in list.iter().zip(&bounds) {
                    offset += (self.subscript(scope, argument)? - bound.constant_lower(self)?) * stride;
                    stride *= bound.extent(self).unwrap_or(1);
                }
            }
            lists = &lists[1..];
        }
        if let Some([range]) = lists.first().map(Vec::as_slice) {
            let ArgumentValue::Section(section) = &range.value else { return None };
            offset += section.lower.as_ref().map_or(Some(1), |lower| self.constant_integer(scope, lower))? - 1;
        }
        Some(offset)
    }

    fn subscript(&self, scope: ScopeId, argument: &Argument) -> Option<i128> {
        match &argument.value {
            ArgumentValue::Expr(value) => self.constant_integer(scope, value),
            _ => None,
        }
    }
}

/// The bytes of a real kind: 10 is padded.
fn real_bytes(kind: u8) -> i128 {
    if kind == 10 { 16 } else { i128::from(kind) }
}

fn blocks(declarations: &[Declaration]) -> impl Iterator<Item = &CommonBlock> {
    declarations.iter().flat_map(|declaration| match &declaration.kind {
        DeclarationKind::Common(blocks) => blocks.as_slice(),
        _ => &[],
    })
}
