//! The type that an expression or a place has by its parts, as C gives it.
//!
//! The text form writes a type only where it differs from the natural one, and the validator compares both. Conversions
//! are explicit ([`ExprKind::Cast`]), so the operands of an arithmetic operator have one type, and it is the result's.

use super::*;

/// What types are computed in.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Structs.
    pub types: &'a Types,
    /// Variables with static storage.
    pub globals: &'a [Object],
    /// The procedure.
    pub proc: &'a Proc,
}

/// What a path has come to: an element type and the dimensions above it that have no subscript yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// Type of an element; never an array.
    pub elem: Type,
    /// Dimensions that are left.
    pub dims: Vec<Dim>,
    /// Whether the first of them belongs to a pointer, so that the place has no type before it is subscripted.
    pub behind_pointer: bool,
}

impl Reached {
    /// Elements and dimensions of a type; a pointer is an element.
    fn of_type(ty: &Type) -> Reached {
        let mut dims = Vec::new();
        let mut elem = ty;
        while let Type::Array(row) = elem {
            dims.push(row.extent.map_or_else(Dim::default, Dim::constant));
            elem = &row.elem;
        }
        Reached { elem: elem.clone(), dims, behind_pointer: false }
    }

    /// What `[..]` behind a pointer of this type indexes.
    pub fn behind(pointer: &Type) -> Option<Reached> {
        let Type::Pointer(target) = pointer else { return None };
        let mut reached = Reached::of_type(target);
        reached.dims.insert(0, Dim::default());
        reached.behind_pointer = true;
        Some(reached)
    }

    /// Type of the place.
    pub fn ty(&self) -> Option<Type> {
        if self.behind_pointer {
            return None;
        }
        let extent = |dim: &Dim| match dim.extent.as_deref() {
            Some(Expr { kind: ExprKind::Int(n), .. }) => u64::try_from(*n).ok(),
            _ => None,
        };
        let nest = |elem, dim| Type::array(elem, extent(dim));
        Some(self.dims.iter().rev().fold(self.elem.clone(), nest))
    }
}

impl<'a> Scope<'a> {
    /// The scope of a procedure.
    pub fn new(program: &'a Program, proc: &'a Proc) -> Scope<'a> {
        Scope { types: &program.types, globals: &program.globals, proc }
    }

    /// Where a base begins.
    pub fn base(&self, base: &Base) -> Option<Reached> {
        let object = match base {
            Base::Object(object) => self.proc.objects.get(object.index())?,
            Base::Global(global) => self.globals.get(global.index())?,
            Base::At(pointer) => return Reached::behind(&pointer.ty),
        };
        Some(Reached { elem: object.elem.clone(), dims: object.shape.clone(), behind_pointer: false })
    }

    /// One step further.
    pub fn step(&self, reached: &Reached, step: &Step) -> Option<Reached> {
        match step {
            Step::Index(subscripts) => {
                let dims = reached.dims.get(subscripts.len()..)?.to_vec();
                let behind_pointer = reached.behind_pointer && subscripts.is_empty();
                Some(Reached { elem: reached.elem.clone(), dims, behind_pointer })
            }
            Step::Field(field) => {
                let Type::Struct(id) = reached.elem else { return None };
                let field = self.types.structs.get(id.index())?.fields.get(field.index())?;
                reached.dims.is_empty().then(|| Reached::of_type(&field.ty))
            }
        }
    }

    /// The end of a path.
    pub fn reach(&self, base: &Base, path: &[Step]) -> Option<Reached> {
        path.iter().try_fold(self.base(base)?, |reached, step| self.step(&reached, step))
    }

    /// The type of what a place holds, from its base and path.
    pub fn place(&self, place: &Place) -> Option<Type> {
        self.reach(&place.base, &place.path)?.ty()
    }

    /// Type of an expression from the types of its operands.
    pub fn expr(&self, kind: &ExprKind) -> Option<Type> {
        Some(match kind {
            ExprKind::Int(_) => Type::int(),
            ExprKind::Float(text) => Type::Float { bits: literal_bits(text) },
            ExprKind::Null => Type::pointer(Type::Void),
            ExprKind::Verbatim(_) => Type::pointer(Type::char()),
            ExprKind::Value(value) => {
                let value = self.proc.values.get(value.index())?;
                self.proc.vars.get(value.var.index())?.ty.clone()
            }
            ExprKind::Load(place) => place.ty.clone(),
            ExprKind::Address(place) => Type::pointer(place.ty.clone()),
            ExprKind::Unary(Unary::Not, _) => Type::int(),
            ExprKind::Unary(_, operand) => operand.ty.clone(),
            ExprKind::Binary(Binary::PointerDifference, ..) => Type::long(),
            ExprKind::Binary(op, left, _) if op.is_arithmetic() => left.ty.clone(),
            ExprKind::Binary(..) => Type::int(),
            ExprKind::Function(function, _) => function.result_type(),
            ExprKind::Cast(_) => return None,
            ExprKind::Select(_, then, _) => then.ty.clone(),
        })
    }
}

/// Width of a floating constant by its suffix.
fn literal_bits(text: &str) -> u8 {
    let hexadecimal = text.contains(['x', 'X']) && !text.contains(['p', 'P']);
    match text.as_bytes().last() {
        Some(b'f' | b'F') if !hexadecimal => 32,
        Some(b'l' | b'L') => 80,
        _ => 64,
    }
}

/// What a function is as a type.
const FUNCTION: &str = "function";

/// The integer types that C names: name, width, whether signed, which.
const INTEGERS: [(&str, u8, bool, IntKind); 25] = [
    ("_Bool", 1, false, IntKind::Bool),
    ("char", 8, true, IntKind::Char),
    ("signed char", 8, true, IntKind::SignedChar),
    ("unsigned char", 8, false, IntKind::Char),
    ("short", 16, true, IntKind::Short),
    ("unsigned short", 16, false, IntKind::Short),
    ("int", 32, true, IntKind::Int),
    ("unsigned int", 32, false, IntKind::Int),
    ("long", 64, true, IntKind::Long),
    ("unsigned long", 64, false, IntKind::Long),
    ("long long", 64, true, IntKind::LongLong),
    ("unsigned long long", 64, false, IntKind::LongLong),
    ("size_t", 64, false, IntKind::Size),
    ("ssize_t", 64, true, IntKind::Size),
    ("ptrdiff_t", 64, true, IntKind::Difference),
    ("intptr_t", 64, true, IntKind::Address),
    ("uintptr_t", 64, false, IntKind::Address),
    ("int8_t", 8, true, IntKind::Exact),
    ("uint8_t", 8, false, IntKind::Exact),
    ("int16_t", 16, true, IntKind::Exact),
    ("uint16_t", 16, false, IntKind::Exact),
    ("int32_t", 32, true, IntKind::Exact),
    ("uint32_t", 32, false, IntKind::Exact),
    ("int64_t", 64, true, IntKind::Exact),
    ("uint64_t", 64, false, IntKind::Exact),
];

impl Type {
    /// Whether it is an integer or a real.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int { .. } | Type::Float { .. })
    }

    /// C's `int`.
    pub const fn int() -> Type {
        Type::Int { bits: 32, signed: true, kind: IntKind::Int }
    }

    /// C's `long`.
    pub const fn long() -> Type {
        Type::Int { bits: 64, signed: true, kind: IntKind::Long }
    }

    /// C's `size_t`.
    pub const fn size() -> Type {
        Type::Int { bits: 64, signed: false, kind: IntKind::Size }
    }

    /// C's `char`.
    pub const fn char() -> Type {
        Type::Int { bits: 8, signed: true, kind: IntKind::Char }
    }

    /// The signed integer of so many bits.
    pub const fn signed(bits: u8) -> Type {
        Type::Int { bits, signed: true, kind: IntKind::Exact }
    }

    /// The unsigned integer of so many bits.
    pub const fn unsigned(bits: u8) -> Type {
        Type::Int { bits, signed: false, kind: IntKind::Exact }
    }

    /// C's `double`.
    pub fn double() -> Type {
        Type::Float { bits: 64 }
    }

    /// The integer type that C calls so, `unsigned long` or `size_t`; 64-bit Unix widths.
    pub fn integer(name: &str) -> Option<Type> {
        let (_, bits, signed, kind) = INTEGERS.iter().find(|(known, ..)| *known == name)?;
        Some(Type::Int { bits: *bits, signed: *signed, kind: kind.clone() })
    }

    /// How C and the text form call an integer.
    pub fn integer_name(&self) -> Option<&str> {
        match self {
            Type::Int { kind: IntKind::Named(name), .. } => Some(name),
            Type::Int { bits, signed, kind } => {
                let is = |known: &&(_, u8, bool, IntKind)| (&known.1, &known.2, &known.3) == (bits, signed, kind);
                INTEGERS.iter().find(is).map(|known| known.0)
            }
            _ => None,
        }
    }

    /// Whether it is a number or a pointer.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_))
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Int { .. })
    }

    /// Whether it is `float`, `double` or `long double`.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float { .. })
    }

    /// Whether it is an integer type that has the number.
    pub fn holds(&self, n: i128) -> bool {
        match self {
            Type::Int { bits, signed: true, .. } => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&n),
            Type::Int { bits, .. } => (0..1 << *bits).contains(&n),
            _ => false,
        }
    }

    /// What a pointer points to.
    pub fn target(&self) -> Option<&Type> {
        match self {
            Type::Pointer(target) => Some(target),
            _ => None,
        }
    }

    /// What arrays of arrays consist of.
    pub fn innermost(&self) -> &Type {
        match self {
            Type::Array(row) => row.elem.innermost(),
            ty => ty,
        }
    }

    /// The struct that it is.
    pub fn as_struct(&self) -> Option<StructId> {
        match self {
            Type::Struct(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether it is a pointer to what a program reads and writes: not to a function, or to a stream.
    pub fn leads_to_memory(&self) -> bool {
        self.target().is_some_and(|target| !matches!(target, Type::Opaque(_)))
    }

    /// A function, whose own type nothing here needs.
    pub fn function() -> Type {
        Type::Opaque(FUNCTION.into())
    }

    /// Whether it is a pointer to a function.
    pub fn is_function_pointer(&self) -> bool {
        matches!(self.target(), Some(Type::Opaque(name)) if **name == *FUNCTION)
    }

    /// Whether both are one type to the machine: names of integers do not count.
    pub fn same(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Int { bits, signed, .. }, Type::Int { bits: b, signed: s, .. }) => bits == b && signed == s,
            (Type::Pointer(a), Type::Pointer(b)) => a.same(b),
            (Type::Array(a), Type::Array(b)) => {
                a.elem.same(&b.elem) && (a.extent == b.extent || a.extent.is_none() || b.extent.is_none())
            }
            _ => self == other,
        }
    }
}

impl Dim {
    /// A dimension of `extent` elements from 0.
    pub fn constant(extent: u64) -> Dim {
        let ty = if i32::try_from(extent).is_ok() { Type::int() } else { Type::long() };
        Dim::of(Expr::constant(i128::from(extent), ty))
    }
}

impl Binary {
    /// Whether the result has the operands' type: not a comparison, `&&`, `||` or a difference of pointers.
    pub fn is_arithmetic(self) -> bool {
        use Binary::*;
        matches!(
            self,
            Add | Subtract | Multiply | Divide | Remainder | ShiftLeft | ShiftRight | BitAnd | BitOr | BitXor
        )
    }

    /// How C spells it, and how tightly it binds: 10 for `*`, 1 for `||`.
    pub fn symbol(self) -> (&'static str, u8) {
        use Binary::*;
        match self {
            Multiply => ("*", 10),
            Divide => ("/", 10),
            Remainder => ("%", 10),
            Add => ("+", 9),
            Subtract | PointerDifference => ("-", 9),
            ShiftLeft => ("<<", 8),
            ShiftRight => (">>", 8),
            Less => ("<", 7),
            LessEqual => ("<=", 7),
            Greater => (">", 7),
            GreaterEqual => (">=", 7),
            Equal => ("==", 6),
            NotEqual => ("!=", 6),
            BitAnd => ("&", 5),
            BitXor => ("^", 4),
            BitOr => ("|", 3),
            And => ("&&", 2),
            Or => ("||", 1),
        }
    }

    /// The operator of a symbol; `-` is [`Binary::Subtract`].
    pub fn from_symbol(symbol: &str) -> Option<Binary> {
        use Binary::*;
        let all = [
            Multiply,
            Divide,
            Remainder,
            Add,
            Subtract,
            ShiftLeft,
            ShiftRight,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
            Equal,
            NotEqual,
            BitAnd,
            BitXor,
            BitOr,
            And,
            Or,
        ];
        all.into_iter().find(|op| op.symbol().0 == symbol)
    }
}
