//! Types and ranks of references: variables with subscripts, components, calls.

use super::intrinsic::{Intrinsic, ResultRank, ResultType, intrinsic};
use super::kinds::{Typed, combined, promoted};
use super::program::{Basic, Class, Program, ScopeId, SymbolId, Type};
use super::value::Value;
use crate::tree::declaration::Binding;
use crate::tree::expression::{Argument, ArgumentValue, Part, Reference};

impl<'t> Program<'t> {
    /// The type of a reference.
    pub fn type_of_reference(&self, scope: ScopeId, reference: &Reference) -> Typed {
        self.type_of_parts(scope, &reference.parts)
    }

    /// The type of the first parts of a reference.
    pub fn type_of_parts(&self, scope: ScopeId, parts: &[Part]) -> Typed {
        let (first, rest) = parts.split_first().expect("a part");
        let mut typed = self.type_of_first(scope, first);
        for part in rest {
            typed = self.type_of_component(scope, &typed, part);
        }
        typed
    }

    fn type_of_first(&self, scope: ScopeId, part: &Part) -> Typed {
        if let Some(found) = self.operator_of(scope, part) {
            let operands = part.lists.first().map_or(Vec::new(), |list| self.typed_arguments(scope, list));
            return self.elemental(found, &operands);
        }
        let Some(id) = self.lookup(scope, &part.name.name) else {
            return match (intrinsic(&part.name.name), part.lists.first()) {
                (Some(intrinsic), Some(list)) => self.type_of_intrinsic(scope, intrinsic, list),
                _ => Typed::opaque(),
            };
        };
        let actuals = || part.lists.first().map_or(Vec::new(), |list| self.typed_arguments(scope, list));
        match &self.symbol(id).class {
            Class::Variable
            | Class::Constant
            | Class::Address
            | Class::Associated(_)
            | Class::Known(_)
            | Class::Enumerator(..) => {
                let whole = Typed { type_: self.symbol_type(id), rank: self.rank(id) };
                self.subscripted(scope, &whole, &part.lists)
            }
            Class::Intrinsic => match (intrinsic(&part.name.name), part.lists.first()) {
                (Some(intrinsic), Some(list)) => self.type_of_intrinsic(scope, intrinsic, list),
                _ => Typed::opaque(),
            },
            Class::Derived(_) => {
                // The user's own constructors come first.
                let own = self.generic_constructor(id).and_then(|generic| self.resolve(generic, &actuals()));
                own.map_or(Typed { type_: Type::Derived(id), rank: Some(0) }, |found| self.result_of(found))
            }
            Class::Generic(_) => match self.resolve(id, &actuals()) {
                Some(found) => self.elemental(found, &actuals()),
                // Another interface of an intrinsic's name extends it.
                None => match (intrinsic(&part.name.name), part.lists.first()) {
                    (Some(intrinsic), Some(list)) => self.type_of_intrinsic(scope, intrinsic, list),
                    _ => Typed::opaque(),
                },
            },
            Class::Procedure(_) | Class::Entry(..) | Class::External(_) | Class::StatementFunction(..) => {
                self.elemental(id, &actuals())
            }
            Class::Namelist(_) | Class::Opaque(_) => Typed::opaque(),
        }
    }

    /// The procedure that a call by an operator leads to, as `+(a, b)`: no source writes such a call.
    pub fn operator_of(&self, scope: ScopeId, part: &Part) -> Option<SymbolId> {
        if part.name.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let operands = part.lists.first().map_or(Vec::new(), |list| self.typed_arguments(scope, list));
        let operands: Vec<Typed> = operands.into_iter().map(|(_, typed)| typed).collect();
        self.operator(scope, &part.name.name, &operands)
    }

    /// The result of a call; that of an elemental function has the rank of its arguments.
    pub(super) fn elemental(&self, id: SymbolId, actuals: &[(Option<Box<str>>, Typed)]) -> Typed {
        let result = self.result_of(id);
        let is_elemental = match self.symbol(id).class {
            Class::Procedure(inner) => self
                .header(inner)
                .is_some_and(|header| header.prefixes.contains(&crate::tree::header::Prefix::Elemental)),
            _ => false,
        };
        if !is_elemental {
            return result;
        }
        let rank = actuals.iter().try_fold(0, |rank, (_, actual)| combined(Some(rank), actual.rank));
        Typed { type_: result.type_, rank }
    }

    /// Types of actual arguments with their keywords.
    pub fn typed_arguments(&self, scope: ScopeId, list: &[Argument]) -> Vec<(Option<Box<str>>, Typed)> {
        let typed = |argument: &Argument| match &argument.value {
            ArgumentValue::Expr(value) | ArgumentValue::Percent(_, value) => self.type_of(scope, value),
            _ => Typed::opaque(),
        };
        let keyword = |argument: &Argument| argument.keyword.as_ref().map(|keyword| keyword.name.clone());
        list.iter().map(|argument| (keyword(argument), typed(argument))).collect()
    }

    /// An array with subscripts, characters with a range.
    fn subscripted(&self, scope: ScopeId, whole: &Typed, lists: &[Vec<Argument>]) -> Typed {
        let Some(list) = lists.first().filter(|_| whole.rank != Some(0)) else { return whole.clone() };
        let rank = list.iter().try_fold(0_u8, |rank, argument| match &argument.value {
            ArgumentValue::Section(_) => Some(rank + 1),
            // A vector as a subscript.
            ArgumentValue::Expr(value) => self.type_of(scope, value).rank.map(|one| rank + one),
            _ => None,
        });
        Typed { type_: whole.type_.clone(), rank }
    }

    fn type_of_component(&self, scope: ScopeId, of: &Typed, part: &Part) -> Typed {
        let Type::Derived(id) = &of.type_ else {
            // `z%re` of a complex number.
            return match &of.type_ {
                Type::Basic(Basic::Complex, kind) => Typed { type_: Type::Basic(Basic::Real, *kind), rank: of.rank },
                _ => Typed::opaque(),
            };
        };
        let Some(component) = self.component(*id, &part.name.name) else {
            if let Some(parent) = self.parent_named(*id, &part.name.name) {
                return Typed { type_: Type::Derived(parent), rank: of.rank };
            }
            return match self.binding(*id, &part.name.name) {
                Some(procedure) => self.result_of(procedure),
                None => Typed::opaque(),
            };
        };
        let own = u8::try_from(component.dims().len()).ok();
        let whole = Typed { type_: self.type_of_spec(component.scope, component.spec), rank: own };
        let one = self.subscripted(scope, &whole, &part.lists);
        Typed { type_: one.type_, rank: one.rank.zip(of.rank).map(|(component, outer)| component + outer) }
    }

    /// The procedure that a type binds to a name.
    pub fn binding(&self, id: SymbolId, name: &str) -> Option<SymbolId> {
        let symbol = self.symbol(id);
        let Class::Derived(derived) = &symbol.class else { return None };
        for binding in &derived.bindings {
            let Binding::Procedure(interface, _, bound) = binding else { continue };
            if let Some((own, procedure)) = bound.iter().find(|(own, _)| *own.name == *name) {
                let target = procedure.as_ref().or(interface.as_ref()).unwrap_or(own);
                return self.lookup(symbol.scope, &target.name);
            }
        }
        self.parent(id, derived).and_then(|parent| self.binding(parent, name))
    }

    fn type_of_intrinsic(&self, scope: ScopeId, known: Intrinsic, list: &[Argument]) -> Typed {
        let actuals = self.typed_arguments(scope, list);
        let positional = |i: usize| actuals.get(i).filter(|(keyword, _)| keyword.is_none()).map(|(_, typed)| typed);
        let first = actuals.first().map(|(_, typed)| typed);
        let kind_given = |place: Option<usize>| {
            let named = list.iter().find(|one| one.keyword.as_ref().is_some_and(|keyword| &*keyword.name == "kind"));
            named.or_else(|| list.get(place?).filter(|one| one.keyword.is_none()))
        };
        let type_ = match known.result {
            // `merge`, `max`: the first decides.
            ResultType::First => first.map_or(Type::Opaque, |typed| typed.type_.clone()),
            ResultType::Second => positional(1).map_or(Type::Opaque, |typed| typed.type_.clone()),
            ResultType::RealOfFirst => match first.map(|typed| &typed.type_) {
                Some(Type::Basic(Basic::Complex, kind)) => Type::Basic(Basic::Real, *kind),
                Some(other) => other.clone(),
                None => Type::Opaque,
            },
            ResultType::Of(basic, place) => {
                match (kind_given(place).map(|one| &one.value), first.map(|one| &one.type_)) {
                    (Some(ArgumentValue::Expr(kind)), _) => {
                        let kind = self.constant(scope, kind).as_ref().and_then(Value::as_integer);
                        Type::Basic(basic, kind.and_then(|kind| u8::try_from(kind).ok()))
                    }
                    // `real` of a complex number keeps its kind.
                    (_, Some(Type::Basic(Basic::Complex, kind))) if known.name == "real" => Type::Basic(basic, *kind),
                    _ => Type::Basic(basic, Some(if basic == Basic::Character { 1 } else { 4 })),
                }
            }
            ResultType::Fixed(basic, kind) => Type::Basic(basic, Some(kind)),
            ResultType::Product => match (first, positional(1)) {
                (Some(left), Some(right)) => promoted(&left.type_, &right.type_),
                _ => Type::Opaque,
            },
            ResultType::None => Type::Opaque,
        };
        Typed { type_, rank: self.rank_of_intrinsic(scope, known.rank, list, &actuals) }
    }

    fn rank_of_intrinsic(
        &self,
        scope: ScopeId,
        rank: ResultRank,
        list: &[Argument],
        actuals: &[(Option<Box<str>>, Typed)],
    ) -> Option<u8> {
        let of = |i: usize| actuals.get(i).and_then(|(_, typed)| typed.rank);
        // `dim` is the second argument unless that is a mask.
        let has_dim = actuals.iter().enumerate().any(|(i, (keyword, typed))| match keyword {
            Some(keyword) => &**keyword == "dim",
            None => i == 1 && typed.rank == Some(0) && matches!(typed.type_, Type::Basic(Basic::Integer, _)),
        });
        match rank {
            ResultRank::Elemental => actuals.iter().try_fold(0, |rank, (_, typed)| combined(Some(rank), typed.rank)),
            ResultRank::Scalar => Some(0),
            ResultRank::Reduction if has_dim => of(0)?.checked_sub(1),
            ResultRank::Reduction => Some(0),
            ResultRank::Location if has_dim => of(0)?.checked_sub(1),
            ResultRank::Location => Some(1),
            ResultRank::Bounds => Some(u8::from(!has_dim)),
            ResultRank::First => of(0),
            ResultRank::Fixed(rank) => Some(rank),
            ResultRank::Spread => Some(of(0)? + 1),
            ResultRank::Second => of(1),
            ResultRank::Reshape => match list.get(1).map(|one| &one.value) {
                Some(ArgumentValue::Expr(shape)) => match self.constant(scope, shape)? {
                    Value::Array(items, _) => u8::try_from(items.len()).ok(),
                    _ => None,
                },
                _ => None,
            },
            ResultRank::Matmul => (of(0)? + of(1)?).checked_sub(2),
        }
    }
}
