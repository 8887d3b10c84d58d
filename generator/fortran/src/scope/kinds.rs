//! Types, kinds and ranks of expressions.

use super::implicit::Implied;
use super::program::{Basic, Class, Program, ScopeId, Symbol, SymbolId, Type};
use crate::tree::declaration::ProcedureInterface;
use crate::tree::expression::{Base, Expr, ExprKind, KindSelector, KindSuffix, TypeSpec};
use crate::tree::operator::{Binary, Unary};

/// The type of an expression and its number of dimensions, if that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The type.
    pub type_: Type,
    /// The number of dimensions.
    pub rank: Option<u8>,
}

impl Typed {
    /// A scalar.
    pub fn scalar(basic: Basic, kind: Option<u8>) -> Typed {
        Typed { type_: Type::Basic(basic, kind), rank: Some(0) }
    }

    /// Nothing is known.
    pub fn opaque() -> Typed {
        Typed { type_: Type::Opaque, rank: None }
    }
}

impl<'t> Program<'t> {
    /// The type of an expression in a scope.
    pub fn type_of(&self, scope: ScopeId, expr: &Expr) -> Typed {
        crate::stack::deep(|| self.type_of_kind(scope, &expr.kind))
    }

    fn type_of_kind(&self, scope: ScopeId, kind: &ExprKind) -> Typed {
        let of = |basic, suffix: &Option<KindSuffix>, usual| {
            Typed::scalar(basic, self.kind_of_suffix(scope, suffix.as_ref(), usual))
        };
        match kind {
            ExprKind::Integer(_, suffix) => of(Basic::Integer, suffix, 4),
            ExprKind::Real(text, suffix) => of(Basic::Real, suffix, real_kind(text)),
            ExprKind::Logical(_, suffix) => of(Basic::Logical, suffix, 4),
            ExprKind::Text(_, suffix) => of(Basic::Character, suffix, 1),
            ExprKind::Substring(text, _) => self.type_of(scope, text),
            ExprKind::Complex(real, imaginary) => {
                let parts = [real, imaginary].map(|part| match self.type_of(scope, part).type_ {
                    Type::Basic(Basic::Integer, _) => Some(4),
                    Type::Basic(_, kind) => kind,
                    _ => None,
                });
                let kind = match parts {
                    [Some(first), Some(second)] => Some(first.max(second)),
                    _ => None,
                };
                Typed::scalar(Basic::Complex, kind)
            }
            ExprKind::Parenthesised(inner) => self.type_of(scope, inner),
            ExprKind::Unary(operator, operand) => match operator {
                Unary::Plus | Unary::Minus | Unary::Not => {
                    let typed = self.type_of(scope, operand);
                    let is_own = matches!(typed.type_, Type::Derived(_));
                    if is_own { self.type_of_operator(scope, &operator.text(), &[operand]) } else { typed }
                }
                Unary::Defined(name) => self.type_of_operator(scope, &format!(".{name}."), &[operand]),
            },
            ExprKind::Binary(operator, left, right) => self.type_of_binary(scope, operator, left, right),
            ExprKind::Array(spec, items) => {
                let type_ = match (spec, items.first()) {
                    (Some(spec), _) => self.type_of_spec(scope, spec),
                    (None, Some(first)) => self.type_of_item(scope, first),
                    (None, None) => Type::Opaque,
                };
                Typed { type_, rank: Some(1) }
            }
            ExprKind::Reference(reference) => self.type_of_reference(scope, reference),
            ExprKind::ImpliedDo(_) | ExprKind::Hollerith(_) | ExprKind::Boz(_) => Typed::opaque(),
        }
    }

    fn type_of_item(&self, scope: ScopeId, item: &Expr) -> Type {
        match &item.kind {
            ExprKind::ImpliedDo(implied) => match implied.items.first() {
                Some(first) => self.type_of_item(scope, first),
                None => Type::Opaque,
            },
            _ => self.type_of(scope, item).type_,
        }
    }

    fn kind_of_suffix(&self, scope: ScopeId, suffix: Option<&KindSuffix>, usual: u8) -> Option<u8> {
        match suffix {
            None => Some(usual),
            Some(KindSuffix::Number(number)) => u8::try_from(*number).ok(),
            Some(KindSuffix::Name(name)) => {
                let symbol = self.lookup(scope, &name.name)?;
                u8::try_from(self.value_of(symbol)?.as_integer()?).ok()
            }
        }
    }

    fn type_of_binary(&self, scope: ScopeId, operator: &Binary, left: &Expr, right: &Expr) -> Typed {
        let (first, second) = (self.type_of(scope, left), self.type_of(scope, right));
        let rank = combined(first.rank, second.rank);
        let is_basic = |typed: &Typed| matches!(typed.type_, Type::Basic(..));
        if !is_basic(&first) || !is_basic(&second) || matches!(operator, Binary::Defined(_)) {
            if first.type_ == Type::Opaque || second.type_ == Type::Opaque {
                return Typed { type_: Type::Opaque, rank };
            }
            return self.type_of_operator(scope, &operator.text(), &[left, right]);
        }
        let type_ = match operator {
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual => Type::Basic(Basic::Logical, Some(4)),
            _ => promoted(&first.type_, &second.type_),
        };
        Typed { type_, rank }
    }

    /// The type that an operator of the user's own gives its operands.
    fn type_of_operator(&self, scope: ScopeId, operator: &str, operands: &[&Expr]) -> Typed {
        let actuals: Vec<Typed> = operands.iter().map(|operand| self.type_of(scope, operand)).collect();
        let found = self.operator(scope, operator, &actuals);
        let actuals: Vec<_> = actuals.into_iter().map(|actual| (None, actual)).collect();
        found.map_or_else(Typed::opaque, |procedure| self.elemental(procedure, &actuals))
    }

    /// The type that a declaration writes.
    pub fn type_of_spec(&self, scope: ScopeId, spec: &TypeSpec) -> Type {
        match spec {
            TypeSpec::Number(base, selector) => {
                let (basic, usual) = basic(*base);
                let kind = match selector {
                    None => Some(usual),
                    Some(KindSelector::Bytes(bytes)) if basic == Basic::Complex => u8::try_from(bytes / 2).ok(),
                    Some(KindSelector::Bytes(bytes)) => u8::try_from(*bytes).ok(),
                    Some(KindSelector::Kind(kind)) => {
                        self.constant_integer(scope, kind).and_then(|kind| u8::try_from(kind).ok())
                    }
                };
                Type::Basic(basic, kind)
            }
            TypeSpec::Character(_, None) => Type::Basic(Basic::Character, Some(1)),
            TypeSpec::Character(_, Some(kind)) => {
                let kind = self.constant_integer(scope, kind).and_then(|kind| u8::try_from(kind).ok());
                Type::Basic(Basic::Character, kind)
            }
            TypeSpec::Derived { name, .. } => match self.lookup(scope, &name.name) {
                Some(id) if matches!(self.symbol(id).class, Class::Derived(_)) => Type::Derived(id),
                _ => Type::Opaque,
            },
            TypeSpec::Unlimited { .. } => Type::Unlimited,
        }
    }

    /// The type of a symbol; for a procedure that of its result.
    pub fn symbol_type(&self, id: SymbolId) -> Type {
        let symbol = self.symbol(id);
        match &symbol.class {
            Class::Variable | Class::Constant | Class::StatementFunction(..) | Class::External(None) => {
                self.declared_type(symbol)
            }
            // In an arm of SELECT TYPE the guard decides.
            Class::Associated(value) => match symbol.spec {
                Some(spec) => self.type_of_spec(symbol.scope, spec),
                None => self.type_of(self.outside(symbol.scope), value).type_,
            },
            Class::Address => match symbol.spec {
                Some(spec) => self.type_of_spec(symbol.scope, spec),
                None => Type::Basic(Basic::Integer, Some(8)),
            },
            Class::Known(_) | Class::Enumerator(..) => Type::Basic(Basic::Integer, Some(4)),
            Class::Procedure(inner) => match self.result_symbol(*inner) {
                Some(result) => self.declared_type(self.symbol(result)),
                None => Type::Opaque,
            },
            Class::Entry(scope, entry) => {
                let name = entry.result.as_ref().unwrap_or(&entry.name);
                match self.scope(*scope).names.get(&name.name) {
                    Some(result) if self.symbol(*result).flags.result => self.declared_type(self.symbol(*result)),
                    _ => Type::Opaque,
                }
            }
            Class::External(Some(interface)) => match interface {
                ProcedureInterface::Implicit => self.declared_type(symbol),
                ProcedureInterface::Type(spec) => self.type_of_spec(symbol.scope, spec),
                ProcedureInterface::Name(name) => match self.lookup(symbol.scope, &name.name) {
                    Some(interface) if interface != id => self.symbol_type(interface),
                    _ => Type::Opaque,
                },
            },
            Class::Intrinsic | Class::Generic(_) | Class::Derived(_) | Class::Namelist(_) | Class::Opaque(_) => {
                Type::Opaque
            }
        }
    }

    fn declared_type(&self, symbol: &Symbol) -> Type {
        if let Some(spec) = symbol.spec {
            return self.type_of_spec(symbol.scope, spec);
        }
        match self.implicit_spec(symbol.scope, &symbol.name) {
            Some(Implied::Spec(spec, scope)) => self.type_of_spec(scope, spec),
            Some(Implied::Base(base)) => Type::Basic(basic(base).0, Some(basic(base).1)),
            None => Type::Opaque,
        }
    }

    /// The variable that holds a function's result.
    pub fn result_symbol(&self, procedure: ScopeId) -> Option<SymbolId> {
        let procedure = self.interface_of(procedure).unwrap_or(procedure);
        let header = self.header(procedure)?;
        let name = header.result.as_ref().or(header.name.as_ref())?;
        let found = self.scope(procedure).names.get(&name.name).copied()?;
        self.symbol(found).flags.result.then_some(found)
    }

    /// The type and rank of a function's result.
    pub(super) fn result_of(&self, procedure: SymbolId) -> Typed {
        let rank = match &self.symbol(procedure).class {
            Class::Procedure(inner) => self.result_symbol(*inner).and_then(|result| self.rank(result)),
            Class::External(Some(ProcedureInterface::Name(name))) => {
                let interface = self.lookup(self.symbol(procedure).scope, &name.name);
                match interface.filter(|interface| *interface != procedure) {
                    Some(interface) => self.result_of(interface).rank,
                    None => None,
                }
            }
            Class::External(_) | Class::StatementFunction(..) => Some(0),
            Class::Entry(scope, entry) => {
                let name = entry.result.as_ref().unwrap_or(&entry.name);
                self.scope(*scope).names.get(&name.name).and_then(|result| self.rank(*result))
            }
            _ => None,
        };
        Typed { type_: self.symbol_type(procedure), rank }
    }
}

/// The rank of an operation on two operands.
pub fn combined(left: Option<u8>, right: Option<u8>) -> Option<u8> {
    Some(left?.max(right?))
}

/// The type of an arithmetic or logical operation, by the stronger operand.
pub fn promoted(left: &Type, right: &Type) -> Type {
    let (Type::Basic(first, left_kind), Type::Basic(second, right_kind)) = (left, right) else { return Type::Opaque };
    let is_real = |basic: &Basic| matches!(basic, Basic::Real | Basic::Complex);
    let kinds = match (is_real(first), is_real(second)) {
        (true, false) => *left_kind,
        (false, true) => *right_kind,
        _ => left_kind.zip(*right_kind).map(|(left, right)| left.max(right)),
    };
    Type::Basic(*first.max(second), kinds)
}

/// The kind of a real constant without a suffix.
fn real_kind(text: &str) -> u8 {
    if text.contains('d') {
        8
    } else if text.contains('q') {
        16
    } else {
        4
    }
}

/// A type as it is written and its default kind.
fn basic(base: Base) -> (Basic, u8) {
    match base {
        Base::Integer => (Basic::Integer, 4),
        Base::Real => (Basic::Real, 4),
        Base::DoublePrecision => (Basic::Real, 8),
        Base::Complex => (Basic::Complex, 4),
        Base::DoubleComplex => (Basic::Complex, 8),
        Base::Logical => (Basic::Logical, 4),
        Base::Byte => (Basic::Integer, 1),
    }
}
