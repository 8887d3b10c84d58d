//! Places in memory and expressions, which have no effects. The vocabulary is that of [`types`](super::types).

use super::{FieldId, GlobalId, ObjectId, Type, ValueId};

/// An access path into memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it begins.
    pub base: Base,
    /// How it goes on. Behind a pointer the first step is always a subscript: `*p` is `p[0]`, `p->x` is `p[0].x`.
    pub path: Vec<Step>,
    /// Type of what is there: a scalar, except for struct arguments and addresses.
    pub ty: Type,
}

/// Where a place begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// An object of the procedure.
    Object(ObjectId),
    /// An object with static storage.
    Global(GlobalId),
    /// What a pointer points to.
    At(Box<Expr>),
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An element of an array: subscripts from the slowest to the fastest dimension. Fewer subscripts than dimensions
    /// name a row (only under [`ExprKind::Address`]).
    Index(Vec<Subscript>),
    /// A member.
    Field(FieldId),
}

/// A subscript, with the dimension that it runs in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subscript {
    /// The subscript.
    pub at: Expr,
    /// The dimension. Its extent is known for all but the first dimension behind a pointer, so that a list of
    /// subscripts can always be flattened: `(s0 * e1 + s1) * e2 + ...`.
    pub dim: Dim,
}

/// One dimension of an array. Subscripts begin with 0: a language with other lower bounds subtracts them where it is
/// read, and adds them where it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dim {
    /// Number of elements; `None`: not known (first dimension behind a pointer).
    pub extent: Option<Box<Expr>>,
}

impl Dim {
    /// As many elements as an expression says.
    pub fn of(extent: Expr) -> Dim {
        Dim { extent: Some(Box::new(extent)) }
    }
}

impl From<Option<Expr>> for Dim {
    fn from(extent: Option<Expr>) -> Dim {
        Dim { extent: extent.map(Box::new) }
    }
}

/// An expression without effects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type, after C's conversions.
    pub ty: Type,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// An integer constant; also `sizeof`, characters, enumerators.
    Int(i128),
    /// A floating constant, as C spells it.
    Float(String),
    /// A null pointer.
    Null,
    /// A string literal or other text that C understands and nobody differentiates (arguments of `printf`).
    Verbatim(String),
    /// A value.
    Value(ValueId),
    /// Contents of memory.
    Load(Box<Place>),
    /// Address of a place; `&p[i]` is pointer arithmetic.
    Address(Box<Place>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands of the types that C's conversions gave them.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A function of `math.h` or the like: see the table in [`super::functions`].
    Function(Function, Vec<Expr>),
    /// A conversion to [`Expr::ty`].
    Cast(Box<Expr>),
    /// `c ? a : b`; never of floating type.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// A function of the table ([`super::functions`]) at one width: `sin` at 32 bits is C's `sinf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Name of the double version in C.
    pub name: &'static str,
    /// 32, 64 or 80.
    pub bits: u8,
}

impl Base {
    /// The object of the procedure.
    pub fn object(&self) -> Option<ObjectId> {
        if let Base::Object(object) = self { Some(*object) } else { None }
    }

    /// The object with static storage.
    pub fn global(&self) -> Option<GlobalId> {
        if let Base::Global(global) = self { Some(*global) } else { None }
    }

    /// The pointer.
    pub fn pointer(&self) -> Option<&Expr> {
        if let Base::At(pointer) = self { Some(pointer) } else { None }
    }
}

impl Expr {
    /// A value of a type.
    pub fn value(value: ValueId, ty: Type) -> Expr {
        Expr { kind: ExprKind::Value(value), ty }
    }

    /// The contents of a place.
    pub fn load(place: Place) -> Expr {
        Expr { ty: place.ty.clone(), kind: ExprKind::Load(Box::new(place)) }
    }

    /// The address of a place, as a pointer to what is there.
    pub fn address(place: Place) -> Expr {
        Expr { ty: Type::pointer(place.ty.clone()), kind: ExprKind::Address(Box::new(place)) }
    }

    /// An operation with one operand.
    pub fn unary(op: Unary, operand: Expr, ty: Type) -> Expr {
        Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty }
    }

    /// An operation with two operands.
    pub fn binary(op: Binary, left: Expr, right: Expr, ty: Type) -> Expr {
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
    }

    /// A conversion.
    pub fn cast(expr: Expr, ty: Type) -> Expr {
        Expr { kind: ExprKind::Cast(Box::new(expr)), ty }
    }

    /// `condition ? then : otherwise`.
    pub fn select(condition: Expr, then: Expr, otherwise: Expr, ty: Type) -> Expr {
        Expr { kind: ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
    }

    /// A call of a function of the table.
    pub fn function(function: Function, arguments: Vec<Expr>, ty: Type) -> Expr {
        Expr { kind: ExprKind::Function(function, arguments), ty }
    }

    /// A floating constant, as C spells it.
    pub fn float(text: impl Into<String>, ty: Type) -> Expr {
        Expr { kind: ExprKind::Float(text.into()), ty }
    }

    /// Text that C understands.
    pub fn verbatim(text: impl Into<String>, ty: Type) -> Expr {
        Expr { kind: ExprKind::Verbatim(text.into()), ty }
    }

    /// An integer constant.
    pub fn constant(value: i128, ty: Type) -> Expr {
        Expr { kind: ExprKind::Int(value), ty }
    }

    /// A constant of C's type `int`.
    pub fn int(value: i128) -> Expr {
        Expr::constant(value, Type::int())
    }

    /// The integer and a number more, constants put together.
    pub fn offset(&self, by: i128) -> Expr {
        if by == 0 {
            return self.clone();
        }
        match &self.kind {
            ExprKind::Int(n) if self.ty.holds(n + by) => return Expr::constant(n + by, self.ty.clone()),
            ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), x, k) if x.ty == self.ty => {
                if let ExprKind::Int(k @ 0..=0x4000_0000) = k.kind {
                    return x.offset(if *op == Binary::Add { by + k } else { by - k });
                }
            }
            _ => {}
        }
        let (op, by) = if by < 0 { (Binary::Subtract, -by) } else { (Binary::Add, by) };
        let by = Expr::constant(by, self.ty.clone());
        Expr::binary(op, self.clone(), by, self.ty.clone())
    }

    /// The number that a literal is, with its sign.
    pub fn literal(&self) -> Option<f64> {
        match &self.kind {
            ExprKind::Int(value) => Some(*value as f64),
            ExprKind::Float(text) => literal(text),
            ExprKind::Unary(Unary::Negate, inner) => Some(-inner.literal()?),
            _ => None,
        }
    }

    /// `x` of `1 / x`, whose derivative is that of a function of its result: `-r * r`.
    pub fn inverted(&self) -> Option<&Expr> {
        let ExprKind::Binary(Binary::Divide, one, x) = &self.kind else { return None };
        let one = if let ExprKind::Cast(inner) = &one.kind { inner } else { one };
        (matches!(self.ty, Type::Float { .. }) && one.literal() == Some(1.0)).then_some(x)
    }
}

/// The number that the text of a real literal is; `INFINITY` and the like are none.
pub fn literal(text: &str) -> Option<f64> {
    text.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok()
}

/// Zero of a scalar type.
pub fn zero(ty: &Type) -> Expr {
    let kind = match ty {
        Type::Float { bits: 32 } => ExprKind::Float("0.0f".into()),
        Type::Float { bits: 80 } => ExprKind::Float("0.0L".into()),
        Type::Float { .. } => ExprKind::Float("0.0".into()),
        Type::Pointer(_) => ExprKind::Null,
        _ => ExprKind::Int(0),
    };
    Expr { kind, ty: ty.clone() }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// Where the adjoint lies of what a pointer into the stable heap points to: only in reverse sweeps.
    Adjoint,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `+` of numbers.
    Add,
    /// `-` of numbers.
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&&`, second operand only if the first is not 0.
    And,
    /// `||`, second operand only if the first is 0.
    Or,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `p - q` of pointers, in elements.
    PointerDifference,
}
