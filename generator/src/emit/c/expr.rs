//! Types, places and expressions as C.

use super::calls;
use crate::ir::natural::Scope;
use crate::ir::*;

/// How values and objects are called where an expression stands.
pub trait Naming {
    /// The name of a value.
    fn value(&self, value: ValueId) -> String;
    /// The name of an object; of a block of the heap, the pointer to it.
    fn object(&self, object: ObjectId) -> String;
    /// The name of a function of the mathematical library.
    fn function(&self, function: &Function) -> String {
        function.c_name()
    }
    /// The name of the stable heap.
    fn heap(&self) -> String {
        String::new()
    }
    /// How the name of the function begins that notes which pointers in memory are read, if one does.
    fn notes_pointers(&self) -> Option<&str> {
        None
    }
    /// For `--check`: the function that hears of a read of a place, and the number of the read.
    fn watched(&self, _place: &Place) -> Option<(String, usize)> {
        None
    }
    /// Whether a pointer is subscripted elsewhere: what it points to is then `p[0]`, not `*p`.
    fn is_array(&self, _pointer: ValueId) -> bool {
        false
    }
}

/// Prints expressions of one procedure.
#[derive(Clone, Copy)]
pub struct Exprs<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure.
    pub proc: &'a Proc,
    /// Whether pointers to arrays of variable extent are pointers to elements here, and subscripts are flattened.
    pub flat: bool,
}

/// How tightly prefix operators bind, and names.
pub(super) const PREFIX: u8 = 12;
pub(super) const NAME: u8 = 13;

impl Exprs<'_> {
    /// A declaration: `double (*a)[3]`.
    pub fn declare(&self, ty: &Type, name: &str) -> String {
        // The type of a function is not known here; its address goes by way of this type unchanged.
        let address = || ty.is_function_pointer().then(|| Type::pointer(Type::Void));
        let other = self.flattened(ty).or_else(address);
        let text = print::default_declaration(self.program, other.as_ref().unwrap_or(ty));
        text.replacen('@', name, 1).trim_end().to_string()
    }

    /// A parameter as the user declares it, under a name.
    pub fn parameter(&self, param: &Param, name: &str) -> String {
        if param.declaration.contains('@') {
            let is_plain = param.declaration.trim_end_matches('@').trim_end().ends_with('*');
            let qualifier = if param.apart && is_plain { "restrict " } else { "" };
            param.declaration.replacen('@', &format!("{qualifier}{name}"), 1)
        } else {
            self.declare(&param.ty, name)
        }
    }

    /// A parameter of a reverse sweep, by its type; only the source can write that of a function.
    pub fn parameter_of_reverse(&self, param: &Param, name: &str) -> String {
        if matches!(&param.ty, Type::Pointer(to) if matches!(**to, Type::Opaque(_))) {
            return self.parameter(param, name);
        }
        let qualifier = if param.apart { "restrict " } else { "" };
        self.declare(&param.ty, &format!("{qualifier}{name}"))
    }

    /// A type alone: `double *`.
    pub fn ty(&self, ty: &Type) -> String {
        self.declare(ty, "")
    }

    /// Whether a pointer of this type is a pointer to elements here.
    pub fn is_flat(&self, ty: &Type) -> bool {
        self.flattened(ty).is_some()
    }

    /// The pointer to elements that stands for a pointer to arrays of variable extent.
    fn flattened(&self, ty: &Type) -> Option<Type> {
        let elem = ty.target()?.innermost();
        (self.flat && is_open(ty)).then(|| Type::pointer(elem.clone()))
    }

    /// A place.
    pub fn place(&self, place: &Place, names: &dyn Naming) -> String {
        self.path(place, names, false)
    }

    fn path(&self, place: &Place, names: &dyn Naming, address: bool) -> String {
        let scope = Scope::new(self.program, self.proc);
        let mut text = match &place.base {
            Base::Object(object) => names.object(*object),
            Base::Global(global) => self.program.globals[*global].name.clone(),
            Base::At(pointer) if pointer.kind == ExprKind::Null => format!("(({})NULL)", self.ty(&pointer.ty)),
            Base::At(pointer) => match first_of_rows(pointer) {
                Some(first) => format!("(&{})", self.path(first, names, true)),
                None => self.expr(pointer, NAME, names),
            },
        };
        let mut reached = scope.base(&place.base);
        let mut flat = matches!(&place.base, Base::At(pointer) if self.flattened(&pointer.ty).is_some());
        let mut named = false;
        for (at, step) in place.path.iter().enumerate() {
            match step {
                // (*p).x
                Step::Field(field) => {
                    let structure = match reached.as_ref().map(|reached| &reached.elem) {
                        Some(Type::Struct(id)) => &self.program.types.structs[*id],
                        _ => unreachable!("a validated place"),
                    };
                    let name = &structure.fields[*field].name;
                    text = if !structure.parts.is_empty() {
                        self.number_of(structure, &text, place.path.get(at + 1), names, address)
                    } else if name.is_empty() {
                        // The members of a member without a name are members of the struct itself.
                        text
                    } else {
                        format!("{text}.{name}")
                    };
                    named = !structure.parts.is_empty();
                }
                // The number of a struct is named with the struct.
                Step::Index(_) if std::mem::take(&mut named) => {}
                Step::Index(subscripts) if flat => {
                    flat = false;
                    let open = reached.as_ref().map_or(0, |reached| reached.dims.len()) - subscripts.len();
                    text += &format!("[{}]", self.flatten(subscripts, names));
                    assert!(open == 0, "rows of arrays of variable extent are refused before");
                }
                Step::Index(subscripts) => {
                    let is_arrow = matches!(place.path.get(at + 1), Some(Step::Field(_)));
                    let zero = matches!(&subscripts[..], [Subscript { at: Expr { kind: ExprKind::Int(0), .. }, .. }]);
                    let pointer = at == 0 && matches!(place.base, Base::At(_));
                    let subscripted = match &place.base {
                        Base::At(pointer) => matches!(pointer.kind, ExprKind::Value(v) if names.is_array(v)),
                        _ => false,
                    };
                    if pointer && zero && is_arrow {
                        // p[0].x is p->x: the member is printed here.
                        text += "->";
                    } else if pointer && zero && place.path.len() == 1 && !address && !subscripted {
                        text = format!("*{text}");
                    } else {
                        for subscript in subscripts {
                            text += &format!("[{}]", self.expr(&subscript.at, 0, names));
                        }
                    }
                }
            }
            reached = reached.and_then(|reached| scope.step(&reached, step));
        }
        text.replace("->.", "->")
    }

    /// A number of a struct that is taken for an array: by its name, or as an element.
    fn number_of(
        &self,
        structure: &Struct,
        text: &str,
        step: Option<&Step>,
        names: &dyn Naming,
        address: bool,
    ) -> String {
        let ty = &structure.fields[FieldId(0)].ty;
        let Some(Step::Index(subscripts)) = step else { return format!("{text}.{}", structure.parts[0].name) };
        let [Subscript { at, .. }] = &subscripts[..] else { return self.ty(ty) };
        if let (ExprKind::Int(at), false) = (&at.kind, address)
            && let Some(name) = u64::try_from(*at).ok().and_then(|at| self.name_of(&structure.parts, at))
        {
            return format!("{text}{name}");
        }
        let pointer = text.strip_suffix("->").map_or_else(|| format!("&{text}"), str::to_string);
        let elem = if let Type::Array(row) = ty { &row.elem } else { ty };
        format!("(({} *){pointer})[{}]", self.ty(elem).trim_end(), self.expr(at, 0, names))
    }

    /// How the members of a struct call the number at a position: `.x`, `.axis[1].x`.
    fn name_of(&self, members: &[Field], at: u64) -> Option<String> {
        let mut at = at;
        for member in members {
            let (_, count) = self.program.types.numbers(&member.ty)?;
            if at < count {
                let dot = if member.name.is_empty() { "" } else { "." };
                return Some(format!("{dot}{}{}", member.name, self.name_inside(&member.ty, at)?));
            }
            at -= count;
        }
        None
    }

    fn name_inside(&self, ty: &Type, at: u64) -> Option<String> {
        match ty {
            Type::Array(row) => {
                let (_, count) = self.program.types.numbers(&row.elem)?;
                Some(format!("[{}]{}", at / count, self.name_inside(&row.elem, at % count)?))
            }
            Type::Struct(id) => self.name_of(self.program.types.structs[*id].declared(), at),
            _ => Some(String::new()),
        }
    }

    /// Whether a place holds a pointer that is declared to point to constants.
    pub fn is_read_only(&self, place: &Place) -> bool {
        matches!(place.ty, Type::Pointer(_)) && self.members(place).last().is_some_and(|member| member.read_only)
    }

    /// The member that a place is, or is in, and that is declared `const`.
    pub fn constant_member(&self, place: &Place) -> Option<&Field> {
        let is_constant = |member: &&Field| member.read_only && !matches!(member.ty.innermost(), Type::Pointer(_));
        self.members(place).into_iter().find(is_constant)
    }

    /// The members that a place is in, the innermost last.
    fn members(&self, place: &Place) -> Vec<&Field> {
        let scope = Scope::new(self.program, self.proc);
        let mut reached = scope.base(&place.base);
        let mut members = Vec::new();
        for step in &place.path {
            if let (Step::Field(field), Some(Type::Struct(id))) = (step, reached.as_ref().map(|reached| &reached.elem))
            {
                members.push(&self.program.types.structs[*id].fields[*field]);
            }
            reached = reached.and_then(|reached| scope.step(&reached, step));
        }
        members
    }

    /// `(s0 * e1 + s1) * e2 + ...`
    fn flatten(&self, subscripts: &[Subscript], names: &dyn Naming) -> String {
        let mut text = String::new();
        for (at, subscript) in subscripts.iter().enumerate() {
            let this = self.expr(&subscript.at, 0, names);
            let extent = subscript.dim.extent.as_deref().map(|extent| self.expr(extent, 0, names)).unwrap_or_default();
            text = match at {
                0 if subscripts.len() == 1 => this,
                0 => format!("(ptrdiff_t)({this})"),
                1 => format!("{text} * (ptrdiff_t)({extent}) + (ptrdiff_t)({this})"),
                _ => format!("({text}) * (ptrdiff_t)({extent}) + (ptrdiff_t)({this})"),
            };
        }
        text
    }

    /// An expression where an operator that binds at `outer` stands around it.
    pub fn expr(&self, expr: &Expr, outer: u8, names: &dyn Naming) -> String {
        let (text, binds) = self.kind(expr, names);
        if binds < outer { format!("({text})") } else { text }
    }

    fn kind(&self, expr: &Expr, names: &dyn Naming) -> (String, u8) {
        match &expr.kind {
            ExprKind::Int(n) => self.integer(*n, &expr.ty),
            ExprKind::Float(text) => self.constant(text, &expr.ty),
            ExprKind::Null => ("NULL".into(), NAME),
            ExprKind::Verbatim(text) => (text.clone(), NAME),
            ExprKind::Value(value) => (names.value(*value), NAME),
            ExprKind::Load(place) => {
                if let Some(read) = self.read_for_check(expr, place, names) {
                    return read;
                }
                let text = self.place(place, names);
                // Adjoints and tangents are written through a pointer that the user declares to `const`.
                if matches!(self.proc.role, Role::Reverse | Role::Tangent) && self.is_read_only(place) {
                    return (format!("({}){text}", self.ty(&expr.ty)), PREFIX);
                }
                let binds = if text.starts_with('*') { PREFIX } else { NAME };
                (text, binds)
            }
            ExprKind::Address(place) => self.address(place, names),
            ExprKind::Unary(Unary::Adjoint, operand) => {
                let call = calls::heap_adjoint(&names.heap(), &self.bare(operand, 0, names));
                (format!("({}){call}", self.ty(&expr.ty)), PREFIX)
            }
            ExprKind::Unary(op, operand) => {
                let symbol = match op {
                    Unary::Negate => '-',
                    Unary::Not => '!',
                    _ => '~',
                };
                let text = self.expr(operand, PREFIX, names);
                let text = if text.starts_with(symbol) { format!("({text})") } else { text };
                (format!("{symbol}{text}"), PREFIX)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, names),
            ExprKind::Function(function, args) => {
                let args: Vec<_> = args.iter().map(|arg| self.bare(arg, 0, names)).collect();
                (format!("{}({})", names.function(function), args.join(", ")), NAME)
            }
            ExprKind::Cast(operand) if first_of_rows(expr).is_some() => self.kind(operand, names),
            ExprKind::Cast(operand) => {
                // A conversion to _Bool compares with 0 by itself.
                let operand = match (&operand.kind, &expr.ty) {
                    (ExprKind::Binary(Binary::NotEqual, inner, zero), Type::Int { bits: 1, .. }) if is_zero(zero) => {
                        inner
                    }
                    _ => operand,
                };
                // C has no type for rows of variable extent where it does not know the extent, but a pointer to them.
                let ty = if is_open(&expr.ty) && !self.flat { "void *".into() } else { self.ty(&expr.ty) };
                (format!("({ty}){}", self.bare(operand, PREFIX, names)), PREFIX)
            }
            ExprKind::Select(test, then, _) if is_certain(test) => self.kind(then, names),
            ExprKind::Select(test, then, otherwise) => {
                let [test, then, otherwise] = [test, then, otherwise].map(|arm| self.expr(arm, 1, names));
                (format!("{test} ? {then} : {otherwise}"), 0)
            }
        }
    }

    /// The address of a place.
    fn address(&self, place: &Place, names: &dyn Naming) -> (String, u8) {
        if let (Base::At(pointer), [Step::Index(subscripts)]) = (&place.base, &place.path[..])
            && let [Subscript { at: Expr { kind: ExprKind::Int(0), .. }, .. }] = &subscripts[..]
        {
            return (self.expr(pointer, NAME, names), NAME);
        }
        if let (Base::Object(object), [Step::Index(subscripts)]) = (&place.base, &place.path[..])
            && let [Subscript { at: Expr { kind: ExprKind::Int(0), .. }, .. }] = &subscripts[..]
            && {
                let object = &self.proc.objects[*object];
                let is_fixed = |dim: &Dim| matches!(dim.extent.as_deref(), Some(Expr { kind: ExprKind::Int(_), .. }));
                object.shape.len() <= 1 || object.life.is_block() || object.shape.iter().all(is_fixed)
            }
        {
            return (names.object(*object), NAME);
        }
        let mut text = self.path(place, names, true);
        // A row of an array of variable extent is a pointer to elements where subscripts are flattened.
        if self.flattened(&Type::pointer(place.ty.clone())).is_some() {
            let mut ty = &place.ty;
            while let Type::Array(row) = ty {
                text += "[0]";
                ty = &row.elem;
            }
        } else if let (Type::Array(_), Some(rows)) = (&place.ty, text.strip_suffix("[0]")) {
            // Compilers take `&s->m[0]` for one row, and `s->m` for all of them.
            return (rows.into(), NAME);
        }
        (format!("&{text}"), PREFIX)
    }

    fn binary(&self, op: Binary, left: &Expr, right: &Expr, names: &dyn Naming) -> (String, u8) {
        let (symbol, binds) = op.symbol();
        let side = |operand: &Expr, other: &Expr, at: u8| {
            // A constant takes the other side's type by itself.
            let by_itself = !matches!(op, Binary::ShiftLeft | Binary::ShiftRight)
                && matches!(operand.kind, ExprKind::Int(n) if n >= 0)
                && !matches!(other.kind, ExprKind::Int(_));
            match &operand.kind {
                ExprKind::Binary(inner, ..) if confuses(op, *inner) => self.expr(operand, NAME, names),
                // Compilers warn of `!a == b`.
                ExprKind::Unary(Unary::Not, _) if matches!(op, Binary::Equal | Binary::NotEqual) => {
                    self.expr(operand, NAME, names)
                }
                _ if by_itself => self.bare(operand, at, names),
                _ => self.expr(operand, at, names),
            }
        };
        (format!("{} {symbol} {}", side(left, right, binds), side(right, left, binds + 1)), binds)
    }

    /// An expression where a constant is converted by its surroundings.
    pub fn bare(&self, expr: &Expr, outer: u8, names: &dyn Naming) -> String {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Int(n), Type::Int { signed, .. }) => {
                let suffix = if *signed || *n <= i128::from(i32::MAX) { "" } else { "u" };
                let wide =
                    *n > i128::from(u32::MAX) || *n < i128::from(i32::MIN) || (*signed && *n > i128::from(i32::MAX));
                match (wide, *n < 0) {
                    (false, false) => format!("{n}{suffix}"),
                    _ => self.expr(expr, outer, names),
                }
            }
            _ => self.expr(expr, outer, names),
        }
    }

    fn integer(&self, n: i128, ty: &Type) -> (String, u8) {
        let Type::Int { bits, signed, kind } = ty else { return (n.to_string(), NAME) };
        let suffix = match (kind, signed) {
            (IntKind::Int, true) => "",
            (IntKind::Int, false) => "u",
            (IntKind::Long, true) => "L",
            (IntKind::Long, false) => "uL",
            (IntKind::LongLong, true) => "LL",
            (IntKind::LongLong, false) => "uLL",
            _ => {
                let inner = match (bits, signed) {
                    (64, true) => self.integer(n, &Type::Int { bits: 64, signed: true, kind: IntKind::LongLong }).0,
                    (64, false) => format!("{n}u{}", if n > i128::from(u32::MAX) { "LL" } else { "" }),
                    (32, false) => format!("{n}u"),
                    _ => n.to_string(),
                };
                return (format!("({}){inner}", self.ty(ty)), PREFIX);
            }
        };
        // The most negative number has no literal.
        let least = match (bits, signed) {
            (32, true) => Some(i128::from(i32::MIN)),
            (64, true) => Some(i128::from(i64::MIN)),
            _ => None,
        };
        if Some(n) == least {
            return (format!("(-{}{suffix} - 1)", -(n + 1)), NAME);
        }
        (format!("{n}{suffix}"), if n < 0 { PREFIX } else { NAME })
    }

    fn constant(&self, text: &str, ty: &Type) -> (String, u8) {
        let Type::Float { bits } = ty else { return (text.into(), NAME) };
        let literal = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let natural = Scope::new(self.program, self.proc).expr(&ExprKind::Float(text.into()));
        if literal && natural != Some(Type::Float { bits: *bits }) {
            return (format!("({}){text}", self.ty(ty)), PREFIX);
        }
        (text.into(), if literal || text.chars().all(|c| c.is_alphanumeric() || c == '_') { NAME } else { PREFIX })
    }
}

/// The first number of rows that are taken for their numbers: subscripts of its address lead to all of them.
fn first_of_rows(pointer: &Expr) -> Option<&Place> {
    let ExprKind::Cast(first) = &pointer.kind else { return None };
    match &first.kind {
        ExprKind::Address(place) if first.ty == pointer.ty => Some(place),
        _ => None,
    }
}

/// Whether a type is that of pointers to arrays of variable extent.
fn is_open(ty: &Type) -> bool {
    let mut elem = ty.target();
    while let Some(Type::Array(row)) = elem {
        if row.extent.is_none() {
            return true;
        }
        elem = Some(&row.elem);
    }
    false
}

/// Whether a test says that an unsigned number is at least 0, of which compilers warn.
fn is_certain(test: &Expr) -> bool {
    let (least, number) = match &test.kind {
        ExprKind::Binary(Binary::LessEqual, least, number) => (least, number),
        ExprKind::Binary(Binary::GreaterEqual, number, least) => (least, number),
        _ => return false,
    };
    matches!(least.kind, ExprKind::Int(0)) && matches!(number.ty, Type::Int { signed: false, .. })
}

fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(0) => true,
        ExprKind::Float(text) => text.parse() == Ok(0.0),
        _ => false,
    }
}

/// Whether compilers warn of an operator inside another without brackets.
fn confuses(outer: Binary, inner: Binary) -> bool {
    use Binary::*;
    let class = |op| match op {
        Multiply | Divide | Remainder | Add | Subtract | PointerDifference => 0,
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => 1,
        And | Or => 2,
        ShiftLeft | ShiftRight | BitAnd | BitOr | BitXor => 3,
    };
    match (class(outer), class(inner)) {
        (0, 0) => false,
        (1, 0) => false,
        (2, 0 | 1) => false,
        (2, 2) => outer != inner,
        _ => true,
    }
}
