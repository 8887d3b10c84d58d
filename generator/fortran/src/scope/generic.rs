//! Generic names: the specific procedure whose arguments fit by type, kind and rank.

use super::kinds::Typed;
use super::program::{Class, Program, ScopeId, Specific, SymbolId, Type};
use crate::tree::header::{Dummy, Header, Prefix};

/// An actual argument: its keyword and its type.
pub type Actual = (Option<Box<str>>, Typed);

impl<'t> Program<'t> {
    /// The specific procedure of a generic that takes these arguments; none if no one does, or if that depends on what
    /// is not known.
    pub fn resolve(&self, generic: SymbolId, actuals: &[Actual]) -> Option<SymbolId> {
        let Class::Generic(specifics) = &self.symbol(generic).class else { return None };
        // An exact rank goes before an elemental procedure.
        let fits = |elemental: bool| {
            let procedures = specifics.iter().filter_map(|specific| self.specific_procedure(specific));
            let mut fitting = procedures.filter(|id| self.accepts(*id, actuals, elemental));
            fitting.next()
        };
        fits(false).or_else(|| fits(true))
    }

    fn specific_procedure(&self, specific: &Specific) -> Option<SymbolId> {
        self.specific(specific)
    }

    /// The procedure that an operator of the user's own stands for.
    pub fn operator(&self, scope: ScopeId, operator: &str, operands: &[Typed]) -> Option<SymbolId> {
        let actuals: Vec<Actual> = operands.iter().map(|operand| (None, operand.clone())).collect();
        let mut at = Some(scope);
        while let Some(scope) = at {
            let generic = self.scope(scope).find(false, operator);
            if let Some(found) = generic.and_then(|generic| self.resolve(generic, &actuals)) {
                return Some(found);
            }
            at = self.scope(scope).host;
        }
        None
    }

    /// The generic with a type's name: constructors of the user's own.
    pub(super) fn generic_constructor(&self, derived: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(derived);
        self.scope(symbol.scope).operators.get(&symbol.name).copied()
    }

    /// Whether a procedure takes arguments of these types and ranks.
    fn accepts(&self, procedure: SymbolId, actuals: &[Actual], elemental: bool) -> bool {
        let Class::Procedure(inner) = self.symbol(procedure).class else { return false };
        // A separate module procedure has the arguments of its interface.
        let inner = self.interface_of(inner).unwrap_or(inner);
        let Some(header) = self.header(inner) else { return false };
        if elemental && !header.prefixes.contains(&Prefix::Elemental) {
            return false;
        }
        let dummies = dummies(header);
        let mut given = vec![false; dummies.len()];
        for (i, (keyword, actual)) in actuals.iter().enumerate() {
            let place = match keyword {
                None => Some(i).filter(|i| *i < dummies.len()),
                Some(keyword) => dummies.iter().position(|dummy| dummy == keyword),
            };
            let Some(place) = place.filter(|place| !given[*place]) else { return false };
            given[place] = true;
            let dummy = self.scope(inner).names.get(&*dummies[place]).copied();
            if !dummy.is_some_and(|dummy| self.takes(dummy, actual, elemental)) {
                return false;
            }
        }
        let needed = |name: &str| {
            let dummy = self.scope(inner).names.get(name);
            !dummy.is_some_and(|dummy| self.symbol(*dummy).flags.optional)
        };
        dummies.iter().zip(&given).all(|(name, given)| *given || !needed(name))
    }

    fn takes(&self, dummy: SymbolId, actual: &Typed, elemental: bool) -> bool {
        let type_ = self.symbol_type(dummy);
        let same_type = match (&type_, &actual.type_) {
            (Type::Unlimited, _) => true,
            (Type::Basic(first, left), Type::Basic(second, right)) => first == second && left == right,
            (Type::Derived(wanted), Type::Derived(found)) => self.extends(*found, *wanted),
            _ => false,
        };
        let is_any_rank = self.rank(dummy).is_none();
        same_type && (elemental || is_any_rank || self.rank(dummy) == actual.rank)
    }

    /// Whether a type is another one or extends it.
    fn extends(&self, found: SymbolId, wanted: SymbolId) -> bool {
        let mut at = found;
        for _ in 0..self.symbols.len() {
            if at == wanted {
                return true;
            }
            let Class::Derived(derived) = &self.symbol(at).class else { return false };
            let Some(parent) = self.parent(at, derived) else { return false };
            at = parent;
        }
        false
    }
}

/// The names of dummy arguments; alternate returns have none.
fn dummies(header: &Header) -> Vec<Box<str>> {
    let name = |dummy: &Dummy| match dummy {
        Dummy::Name(name) => name.name.clone(),
        Dummy::Label(_) => "*".into(),
    };
    header.arguments.iter().map(name).collect()
}
