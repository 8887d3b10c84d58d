//! Casts.

use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// A cast, written or implied.
    pub fn conversion(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let Some(inner) = node.inner.first() else { return self.unknown(node) };
        match node.operator.as_ref() {
            "LValueToRValue" => {
                if let Some(variable) = self.volatile(inner) {
                    let var = self.b.var("result", variable.ty.clone(), VarKind::Temporary, self.b.span);
                    self.b.call(volatile::access(), vec![variable], Some(var), None);
                    return Ok(self.b.get(var));
                }
                let place = self.place(inner)?;
                self.read(place, inner)
            }
            "NoOp" => {
                let mut value = self.value(inner)?;
                if let Type::Pointer(_) = value.ty {
                    let found = self.ctype(node).ty;
                    value.ty = if rows::leads_to_rows(&value) { found.ir() } else { self.variable_type(&found) };
                }
                Ok(value)
            }
            "ArrayToPointerDecay" => self.decayed(inner),
            "BitCast" => self.pointer_cast(node, inner),
            "NullToPointer" => Ok(zero(&self.ir_type(node))),
            "IntegralCast"
            | "FloatingCast"
            | "IntegralToFloating"
            | "FloatingToIntegral"
            | "BooleanToSignedIntegral" => {
                let value = self.value(inner)?;
                let ty = self.number_type(node)?;
                Ok(cast(value, ty))
            }
            "IntegralToBoolean" | "FloatingToBoolean" | "PointerToBoolean" => {
                let value = self.value(inner)?;
                let truth = match value.ty {
                    Type::Int { .. } => {
                        let nothing = zero(&value.ty);
                        binary(Binary::NotEqual, value, nothing, Type::int())
                    }
                    _ => condition(value),
                };
                let ty = self.ir_type(node);
                Ok(cast(truth, ty))
            }
            "ToVoid" => {
                self.effect(inner)?;
                Ok(truth_constant(false))
            }
            // `*f` of a pointer to a function is the function, and this the pointer again.
            "FunctionToPointerDecay" if inner.bare().kind == "UnaryOperator" && inner.bare().operator == "*" => {
                self.value(inner.bare().only())
            }
            "FunctionToPointerDecay" | "BuiltinFnToFnPtr" => {
                let named = self.function_name(node).filter(|_| node.operator == "FunctionToPointerDecay");
                match named {
                    Some(function) => Ok(function),
                    None => self.refuse(
                        node,
                        Class::Control,
                        "a function is used as a value: what a function pointer calls is not known here",
                        "call the function by its name",
                    ),
                }
            }
            "IntegralToPointer" | "PointerToIntegral" => self.refuse(
                node,
                Class::Pointer,
                "a pointer is made from an integer or becomes one",
                "use a pointer of the right type",
            ),
            other if other.contains("Complex") => {
                let (_, help) = crate::front::c::types::opaque("_Complex");
                let what = "complex arithmetic, which the generator does not know";
                self.refuse(node, Class::Type, what, help)
            }
            other => self.refuse(
                node,
                Class::Language,
                format!("the front end does not know the conversion {other}"),
                "write it another way",
            ),
        }
    }

    /// The type of a number; what is neither integer nor `float` or `double` is refused.
    pub fn number_type(&mut self, node: &Node) -> Result<Type> {
        let found = self.ctype(node);
        match found.ty {
            CType::Int { .. } | CType::Float(32 | 64 | 80) => Ok(found.ty.ir()),
            _ => self.refuse(
                node,
                Class::Type,
                format!("a value of type '{}'", node.written_type),
                "use float, double or an integer type",
            ),
        }
    }

    /// Converts the arguments of a call of a function in the old style, `float f(x) float x; { ... }`, as the function
    /// does itself.
    pub fn narrow(&self, node: &'a Node<'a>, id: ProcId, args: &mut [Expr]) {
        let known = || self.reader.procs.get(id.index()).and_then(Option::as_ref);
        let (Some(callee), Some(proc)) = (scan::callee(node), known().or((id == self.id).then(|| self.b.proc())))
        else {
            return;
        };
        let Some((_, definition)) = self.reader.definition(self.unit, &callee.refers_name, false) else { return };
        for ((param, arg), promoted) in proc.params.iter().zip(args).zip(scan::parameters(definition.ty())) {
            let narrows = match (&param.ty, &arg.ty) {
                (Type::Float { bits: 32 }, Type::Float { bits: 64 }) => promoted == "double",
                (Type::Int { bits: ..32, .. }, Type::Int { bits: 32, .. }) => promoted == "int",
                _ => false,
            };
            if narrows {
                *arg = cast(arg.clone(), param.ty.clone());
            }
        }
    }

    /// Whether an expression makes a block of no type.
    fn makes_untyped(&self, node: &'a Node<'a>) -> bool {
        match (node.bare().kind, &node.bare().inner[..]) {
            ("ConditionalOperator", [_, arms @ ..]) => arms.iter().any(|arm| self.makes_untyped(arm)),
            _ => node.ty() == "void *" && (Self::allocation(node).is_some() || self.wrapped_allocation(node).is_some()),
        }
    }

    /// A pointer becomes a pointer of another type.
    fn pointer_cast(&mut self, node: &'a Node<'a>, inner: &'a Node<'a>) -> Result<Expr> {
        let found = self.ctype(node).ty;
        self.evaluate_extents(&found, node, false)?;
        let ty = self.variable_type(&found);
        if let Some(call) = Self::allocation(inner)
            && let Some(elem) = pointee(&ty).filter(|elem| !matches!(elem, Type::Void)).cloned()
        {
            return self.allocate(call, elem);
        }
        if let Some((call, wrapper)) = self.wrapped_allocation(inner)
            && let Some(elem) = pointee(&ty).filter(|elem| !matches!(elem, Type::Void)).cloned()
        {
            return self.allocate_product(call, elem, &wrapper);
        }
        // `c ? malloc(n) : NULL`: each operand becomes a pointer of the type.
        if let ("ConditionalOperator", [on, then, otherwise]) = (inner.bare().kind, &inner.bare().inner[..])
            && self.makes_untyped(inner)
        {
            let test = self.truth(on)?;
            return match known(&test) {
                Some(value) => self.pointer_cast(node, if value != 0 { then } else { otherwise }),
                None => self.chosen_value(test, ty, &mut |lower, first| {
                    lower.pointer_cast(node, if first { then } else { otherwise })
                }),
            };
        }
        let mut value = self.value(inner)?;
        // Rows that are passed on: to C, each function has a type of its own for those of one extent.
        let is_passed_on = node.kind == "ImplicitCastExpr" && matches!(value.kind, ExprKind::Value(_));
        if is_passed_on && rows::leads_to_rows(&value) && value.ty == found.ir() {
            return Ok(value);
        }
        let held = self.ctype(inner).ty;
        value = self.flat_pointer(value, &held, node)?;
        let (Some(from), Some(to)) = (pointee(&value.ty), pointee(&ty)) else {
            return self.refuse(node, Class::Pointer, "a pointer is reinterpreted", "use a pointer of the right type");
        };
        if let (Type::Array(_), Type::Int { .. } | Type::Float { .. }) = (from, to) {
            value = self.first_of_rows(value);
            // The cast stays: it may lead beyond the first row, where no subscript of the row's may.
            if pointee(&value.ty) == Some(to) {
                return Ok(Expr::cast(value, ty));
            }
        }
        let (Some(from), Some(to)) = (pointee(&value.ty), pointee(&ty)) else { return self.unknown(node) };
        // Numbers may be taken for rows of them.
        if from.is_number() && to.innermost() == from {
            return Ok(cast(value, ty));
        }
        let opaque = |ty: &Type| matches!(ty, Type::Opaque(_));
        if from == to || same_layout(from, to, false) {
            value.ty = ty;
            return Ok(value);
        }
        if same_layout(from, to, true) {
            return Ok(cast(value, ty));
        }
        if matches!(from, Type::Void) || matches!(to, Type::Void) || (opaque(from) && opaque(to)) {
            return Ok(cast(value, ty));
        }
        if matches!(from, Type::Struct(_)) && to.is_number() {
            let to = to.clone();
            let whole = element(value.clone(), Expr::int(0));
            if let Some(first) = self.first_number(whole).filter(|first| first.ty == to) {
                return Ok(address(first));
            }
        }
        let (Some(from), Some(to)) = (pointee(&value.ty), pointee(&ty)) else { return self.unknown(node) };
        if let Some(path) = self.first_member(from, to) {
            let mut place = element(value, Expr::int(0));
            place.path.extend(path.into_iter().map(Step::Field));
            place.ty = pointee(&ty).cloned().unwrap_or_default();
            return Ok(address(place));
        }
        let help = match to {
            Type::Pointer(to) if **to == Type::Void => {
                "let the function return the block, or take a pointer to a pointer of the block's type"
            }
            Type::Array(_) => "use u[i * m + j] in place of u[i][j], or an array, double u[n][m]",
            _ => "use a pointer to the type of the memory",
        };
        let what = format!("a pointer of another type is cast to '{}'", node.written_type);
        self.refuse(node, Class::Pointer, what, help)
    }
}

impl Lower<'_, '_> {
    /// The way to a struct that another one begins with: C lets a pointer to the outer one be a pointer to the inner one.
    fn first_member(&self, outer: &Type, inner: &Type) -> Option<Vec<FieldId>> {
        let (Type::Struct(_), mut at) = (inner, outer) else { return None };
        let mut path = Vec::new();
        while at != inner {
            let Type::Struct(id) = at else { return None };
            at = &self.reader.structs.types.structs[*id].fields.first()?.ty;
            path.push(FieldId::new(0));
        }
        Some(path)
    }
}

/// Integers that differ in spelling, and arrays of them; with `any_sign`, in sign, too. C lets them be accessed through
/// each other's pointers.
fn same_layout(one: &Type, other: &Type, any_sign: bool) -> bool {
    match (one, other) {
        (Type::Int { bits: a, signed: one, .. }, Type::Int { bits: b, signed: other, .. }) => {
            a == b && (any_sign || one == other)
        }
        (Type::Array(a), Type::Array(b)) => a.elem == b.elem || same_layout(&a.elem, &b.elem, any_sign),
        _ => false,
    }
}
