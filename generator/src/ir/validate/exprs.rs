//! Expressions and places: types, visibility, subscripts.

use super::Checker;
use crate::ir::natural::Reached;
use crate::ir::print;
use crate::ir::*;

impl Checker<'_> {
    pub(super) fn value(&mut self, value: ValueId) {
        match self.visible.get(value.index()) {
            Some(true) => {}
            Some(false) => {
                let name = print::value(self.proc, value);
                self.error(format!("{name} is not visible here"));
            }
            None => self.error(format!("value {} does not exist", value.0)),
        }
    }

    pub(super) fn object(&mut self, object: ObjectId) {
        match self.alive.get(object.index()) {
            Some(true) => {}
            // A block of the heap is reached through its object wherever its `Alloc` stands.
            Some(false) if self.proc.objects[object].life.is_block() => {}
            Some(false) => {
                let name = &self.proc.objects[object].name;
                self.error(format!("{name} is not declared here"));
            }
            None => self.error(format!("object {} does not exist", object.0)),
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr) {
        self.expr(expr);
        self.demand(expr.ty.is_integer(), || "an integer is expected".into());
    }

    pub(super) fn test(&mut self, expr: &Expr) {
        self.expr(expr);
        let decides = expr.ty.is_integer() || expr.ty.target().is_some();
        self.demand(decides, || "a test is neither integer nor pointer".into());
    }

    /// An argument: a scalar, or the contents of a struct.
    pub(super) fn argument(&mut self, arg: &Expr) {
        match &arg.kind {
            ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => {
                self.place(place, false);
                self.same(&place.ty, &arg.ty, "the argument");
            }
            _ => self.expr(arg),
        }
    }

    pub(super) fn written(&mut self, place: &Place) {
        self.place(place, false);
        let constant = match place.base {
            Base::Object(object) => self.proc.objects.get(object.index()).is_some_and(|object| object.constant),
            Base::Global(global) => self.program.globals.get(global.index()).is_some_and(|object| object.constant),
            Base::At(_) => false,
        };
        self.demand(!constant, || "a constant object is written".into());
    }

    pub(super) fn dim(&mut self, dim: &Dim) {
        dim.extent.iter().for_each(|extent| self.integer(extent));
    }

    /// A place; a row only where an address is taken.
    pub(super) fn place(&mut self, place: &Place, may_be_row: bool) {
        match &place.base {
            Base::Object(object) => self.object(*object),
            Base::Global(_) => {}
            Base::At(pointer) => {
                self.expr(pointer);
                let subscripted = matches!(place.path.first(), Some(Step::Index(_)));
                self.demand(subscripted, || "no subscript behind a pointer".into());
            }
        }
        let Some(mut reached) = self.scope.base(&place.base) else {
            return self.error("a place begins at no object and no pointer");
        };
        for step in &place.path {
            if let Step::Index(subscripts) = step {
                self.subscripts(subscripts, &reached);
            }
            match self.scope.step(&reached, step) {
                Some(next) => reached = next,
                None => return self.error("a place does not follow its type"),
            }
        }
        self.demand(may_be_row || reached.dims.is_empty(), || "a row is no scalar".into());
        match reached.ty() {
            Some(ty) => self.same(&place.ty, &ty, "a place"),
            None => self.error("a place ends behind a pointer"),
        }
    }

    fn subscripts(&mut self, subscripts: &[Subscript], reached: &Reached) {
        self.demand(!subscripts.is_empty(), || "a step without subscripts".into());
        for (index, subscript) in subscripts.iter().enumerate() {
            self.integer(&subscript.at);
            self.dim(&subscript.dim);
            // Nothing needs the outermost extent behind a pointer, or of an array that a struct ends with.
            let is_open = reached.behind_pointer || reached.dims.first().is_some_and(|dim| dim.extent.is_none());
            let may_be_open = index == 0 && is_open || subscripts.len() == 1;
            let known = may_be_open || subscript.dim.extent.is_some();
            self.demand(known, || format!("the extent of subscript {} is not known", index + 1));
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        self.operands(&expr.kind);
        let fits = match &expr.kind {
            ExprKind::Int(_) => expr.ty.is_integer(),
            ExprKind::Float(_) => expr.ty.is_float(),
            ExprKind::Null => matches!(expr.ty, Type::Pointer(_) | Type::Opaque(_)),
            ExprKind::Verbatim(_) => true,
            ExprKind::Cast(operand) => self.cast(&operand.ty, &expr.ty),
            kind => self.scope.expr(kind).is_some_and(|natural| natural.same(&expr.ty)),
        };
        if !fits {
            let text = print::expr(self.program, self.proc, expr);
            let what = format!("`{text}` has not the type {}", self.ty(&expr.ty));
            self.error(what);
        }
        // Loads of structs are arguments only, and those do not come here.
        let opaque = matches!(expr.ty, Type::Opaque(_));
        self.demand(expr.ty.is_scalar() || opaque, || format!("an expression of type {:?}", expr.ty));
    }

    fn cast(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Float { .. }, Type::Pointer(_)) | (Type::Pointer(_), Type::Float { .. }) => false,
            (from, to) => from.is_scalar() && to.is_scalar(),
        }
    }

    fn operands(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_) => {}
            ExprKind::Value(value) => self.value(*value),
            ExprKind::Load(place) => self.place(place, false),
            ExprKind::Address(place) => self.place(place, true),
            ExprKind::Cast(operand) => self.expr(operand),
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                let fits = match op {
                    Unary::Negate => is_promoted(&operand.ty),
                    Unary::Not => true,
                    Unary::Complement => operand.ty.is_integer() && is_promoted(&operand.ty),
                    Unary::Adjoint => operand.ty.target().is_some() && self.proc.role == Role::Reverse,
                };
                self.demand(fits, || format!("{op:?} of an operand of type {:?}", operand.ty));
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.binary(*op, left, right);
            }
            ExprKind::Function(function, args) => {
                let (found, expected) = (args.len(), function.arity());
                self.demand(found == expected, || format!("{found} arguments for {}", function.c_name()));
                for (position, arg) in args.iter().enumerate() {
                    self.expr(arg);
                    if let Some(ty) = function.param_type(position) {
                        self.same(&arg.ty, &ty, &format!("an argument of {}", function.c_name()));
                    }
                }
            }
            ExprKind::Select(test, then, otherwise) => {
                self.test(test);
                self.expr(then);
                self.expr(otherwise);
                self.same(&otherwise.ty, &then.ty, "the second arm");
                self.demand(!then.ty.is_float(), || "a selected value is floating: make it a branch".into());
            }
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr) {
        use Binary::*;
        let fits = match op {
            Add | Subtract | Multiply | Divide => is_promoted(&left.ty) && left.ty.same(&right.ty),
            Remainder | BitAnd | BitOr | BitXor => {
                left.ty.is_integer() && is_promoted(&left.ty) && left.ty.same(&right.ty)
            }
            ShiftLeft | ShiftRight => left.ty.is_integer() && is_promoted(&left.ty) && right.ty.is_integer(),
            And | Or => left.ty.is_scalar() && right.ty.is_scalar(),
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
                let both = left.ty.target().is_some() && right.ty.target().is_some();
                both || left.ty.same(&right.ty)
            }
            PointerDifference => left.ty.target().is_some() && left.ty.same(&right.ty),
        };
        if !fits {
            let (left, right) = (self.ty(&left.ty), self.ty(&right.ty));
            self.error(format!("operands of {} have types {left} and {right}", op.symbol().0));
        }
    }
}

/// Whether arithmetic happens at this type: C promotes what is narrower than `int`.
fn is_promoted(ty: &Type) -> bool {
    match ty {
        Type::Int { bits, .. } => *bits >= 32,
        Type::Float { .. } => true,
        _ => false,
    }
}
