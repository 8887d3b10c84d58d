//! Expressions.

use super::place::Spot;
use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// A node of a kind that is not known.
    pub fn unknown<T>(&self, node: &Node) -> Result<T> {
        let kind = if node.kind.is_empty() { "missing part" } else { node.kind };
        self.refuse(
            node,
            Class::Language,
            format!("the front end does not know this use of C ({kind})"),
            "write it with statements and operators of C99",
        )
    }

    /// The value of a scalar expression. What it writes is written first.
    pub fn value(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        deep(|| self.value_here(node))
    }

    fn value_here(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        match node.kind {
            "ParenExpr" | "ConstantExpr" => self.value(node.only()),
            "IntegerLiteral" | "CharacterLiteral" => match node.value.parse() {
                Ok(value) => Ok(constant(value, self.ir_type(node))),
                Err(_) => self.unknown(node),
            },
            "FloatingLiteral" => self.floating(node),
            "ImplicitCastExpr" | "CStyleCastExpr" => self.conversion(node),
            "UnaryOperator" => {
                let value = self.unary(node)?;
                Ok(self.parted(value))
            }
            "BinaryOperator" => {
                let value = self.binary(node)?;
                Ok(self.parted(value))
            }
            "CompoundAssignOperator" => match self.compound_assignment(node, true)? {
                Some(value) => Ok(value),
                None => self.unknown(node),
            },
            "ConditionalOperator" => self.conditional(node),
            "BinaryConditionalOperator" => self.itself_or(node),
            "CallExpr" => match self.call(node, true)? {
                Some(result) => Ok(self.parted(result)),
                None => self.unknown(node),
            },
            "UnaryExprOrTypeTraitExpr" => self.size_of(node),
            "OffsetOfExpr" => self.offset_of(node),
            "ImplicitValueInitExpr" => Ok(zero(&self.ir_type(node))),
            "InitListExpr" if node.inner.len() == 1 && !node.has_filler => self.value(&node.inner[0]),
            "DeclRefExpr" if node.refers_kind == "EnumConstantDecl" => {
                match self.reader.units[self.unit].constants.get(&node.refers) {
                    Some(value) => Ok(constant(*value, self.ir_type(node))),
                    None => self.unknown(node),
                }
            }
            "DeclRefExpr" | "MemberExpr" | "ArraySubscriptExpr" | "CompoundLiteralExpr" => {
                let spot = self.place(node)?;
                self.read(spot, node)
            }
            "StmtExpr" => match self.statement_expression(node, true)? {
                Some(value) => Ok(value),
                None => self.unknown(node),
            },
            "VAArgExpr" => self.refuse(
                node,
                Class::Language,
                "va_arg reads from a list of arguments",
                "give the function parameters, or an array with their number",
            ),
            _ => self.unknown(node),
        }
    }

    /// What an expression writes; its value is not wanted.
    pub fn effect(&mut self, node: &'a Node<'a>) -> Result<()> {
        match node.kind {
            "ParenExpr" | "ConstantExpr" => self.effect(node.only()),
            "ImplicitCastExpr" | "CStyleCastExpr" => self.effect(node.only()),
            "UnaryOperator" if matches!(node.operator.as_ref(), "++" | "--") => self.step(node, false).map(drop),
            "UnaryOperator" => self.effect(node.only()),
            "BinaryOperator" if node.operator == "=" => self.assignment(node, false).map(drop),
            "BinaryOperator" if node.operator == "," => node.inner.iter().try_for_each(|part| {
                let aside = self.begin_operand();
                self.effect(part)?;
                self.end_ordered(aside);
                Ok(())
            }),
            "CompoundAssignOperator" => self.compound_assignment(node, false).map(drop),
            "CallExpr" => self.call(node, false).map(drop),
            "StmtExpr" => self.statement_expression(node, false).map(drop),
            "ConditionalOperator" | "BinaryOperator" if self.has_items(node) => self.guarded_effect(node),
            "DeclRefExpr"
            | "IntegerLiteral"
            | "FloatingLiteral"
            | "StringLiteral"
            | "CharacterLiteral"
            | "UnaryExprOrTypeTraitExpr"
            | "PredefinedExpr" => Ok(()),
            _ if !self.has_items(node) => Ok(()),
            _ => self.value(node).map(drop),
        }
    }

    /// `c ? f() : g();`, `c && f();`
    fn guarded_effect(&mut self, node: &'a Node<'a>) -> Result<()> {
        match (node.operator.as_ref(), &node.inner[..]) {
            ("&&" | "||", [left, right]) => {
                let on = self.truth(left)?;
                let on = if node.operator == "&&" { on } else { not(on) };
                self.b.begin_branch(on);
                let aside = self.begin_operand();
                self.effect(right)?;
                self.end_ordered(aside);
                self.b.end_branch();
                Ok(())
            }
            ("", [on, then, otherwise]) => {
                let on = self.truth(on)?;
                let aside = self.begin_operand();
                self.b.begin_branch(on);
                self.effect(then)?;
                let arm = self.begin_operand();
                self.b.otherwise();
                self.effect(otherwise)?;
                self.end_ordered(arm);
                self.end_ordered(aside);
                self.b.end_branch();
                Ok(())
            }
            _ => self.value(node).map(drop),
        }
    }

    /// An expression as a condition: an integer.
    pub fn truth(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        Ok(condition(self.value(node)?))
    }

    fn floating(&mut self, node: &Node) -> Result<Expr> {
        let ty = self.number_type(node)?;
        let unit = &self.reader.units[self.unit];
        let written = unit.files.first_token(node, &self.reader.sources);
        let hexadecimal = written.starts_with("0x") || written.starts_with("0X");
        let plain = written.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && written.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'))
            && (written.contains(['.', 'e', 'E']) || hexadecimal);
        let text = if plain { written.to_string() } else { decimal(&node.value, &ty) };
        Ok(Expr::float(text, ty))
    }

    fn unary(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let inner = node.only();
        match node.operator.as_ref() {
            "&" => self.address_of(node),
            "*" => {
                let spot = self.place(node)?;
                self.read(spot, node)
            }
            "++" | "--" => match self.step(node, true)? {
                Some(value) => Ok(value),
                None => self.unknown(node),
            },
            "+" | "__extension__" => self.value(inner),
            "!" => Ok(not(self.truth(inner)?)),
            "-" | "~" => {
                let operand = self.value(inner)?;
                let ty = self.number_type(node)?;
                let op = if node.operator == "-" { Unary::Negate } else { Unary::Complement };
                Ok(unary(op, operand, ty))
            }
            _ => self.unknown(node),
        }
    }

    fn binary(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let [left, right] = &node.inner[..] else { return self.unknown(node) };
        let op = match node.operator.as_ref() {
            "=" => {
                return match self.assignment(node, true)? {
                    Some(value) => Ok(value),
                    None => self.unknown(node),
                };
            }
            "," => {
                self.effect(left)?;
                let aside = self.begin_operand();
                let value = self.value(right);
                self.end_ordered(aside);
                return value;
            }
            "&&" | "||" => return self.logical(node, left, right),
            operator => match arithmetic(operator) {
                Some(op) => op,
                None => return self.unknown(node),
            },
        };
        let a = self.value(left)?;
        let aside = self.begin_operand();
        let b = self.value(right)?;
        self.end_operand(aside, right)?;
        let ty = self.ir_type(node);
        self.combine(op, a, b, ty, node)
    }

    /// `a op b`, pointers included.
    fn combine(&mut self, op: Binary, a: Expr, b: Expr, ty: Type, node: &Node) -> Result<Expr> {
        let pointer = |e: &Expr| matches!(e.ty, Type::Pointer(_));
        match (op, pointer(&a), pointer(&b)) {
            (Binary::Add, true, false) => self.advance(a, b, node),
            (Binary::Add, false, true) => self.advance(b, a, node),
            (Binary::Subtract, true, false) => self.advance(a, opposite(b), node),
            (Binary::Subtract, true, true) if self.moves_by_rows(node) => self.refuse(
                node,
                Class::Pointer,
                "two pointers to rows of variable extent are subtracted",
                "keep the number of the row in an integer",
            ),
            (Binary::Subtract, true, true) => Ok(binary(Binary::PointerDifference, a, b, long())),
            (_, false, false) if !matches!(ty, Type::Int { .. } | Type::Float { .. }) => {
                self.number_type(node).map(|_| a)
            }
            _ => Ok(binary(op, a, b, ty)),
        }
    }

    fn advance(&mut self, pointer: Expr, by: Expr, node: &Node) -> Result<Expr> {
        match pointee(&pointer.ty) {
            Some(Type::Void | Type::Opaque(_)) | None => self.refuse(
                node,
                Class::Pointer,
                "a pointer to memory of unknown type is moved",
                "use a pointer to the type of the memory",
            ),
            Some(_) => {
                let by = match self.ctype(node).ty {
                    CType::Pointer(row) => self.moved_by(&pointer, by, &row.ty, node)?,
                    _ => by,
                };
                Ok(address(element(pointer, by)))
            }
        }
    }

    fn logical(&mut self, node: &'a Node<'a>, left: &'a Node<'a>, right: &'a Node<'a>) -> Result<Expr> {
        let first = self.truth(left)?;
        let conjunction = node.operator == "&&";
        match known(&first) {
            Some(value) if (value == 0) == conjunction => return Ok(truth_constant(!conjunction)),
            _ => {}
        }
        if !self.has_items(right) {
            let aside = self.begin_operand();
            let second = self.in_parts(false, |lower| lower.truth(right))?;
            self.end_ordered(aside);
            let op = if conjunction { Binary::And } else { Binary::Or };
            return Ok(binary(op, first, second, Type::int()));
        }
        let var = self.b.var("test", Type::int(), VarKind::Temporary, self.b.span);
        self.b.begin_branch(if conjunction { first } else { not(first) });
        let aside = self.begin_operand();
        let second = self.truth(right)?;
        self.end_ordered(aside);
        let is_truth = is_truth(&second);
        let second =
            if is_truth { second } else { binary(Binary::NotEqual, second.clone(), zero(&second.ty), Type::int()) };
        self.b.assign(var, second);
        self.b.otherwise();
        self.b.assign(var, truth_constant(!conjunction));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    fn conditional(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let [on, then, otherwise] = &node.inner[..] else { return self.unknown(node) };
        let test = self.truth(on)?;
        if let Some(value) = known(&test) {
            return self.value(if value != 0 { then } else { otherwise });
        }
        let ty = self.ir_type(node);
        if !matches!(ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_)) {
            return self.unknown(node);
        }
        if !matches!(ty, Type::Float { .. }) && !self.has_items(then) && !self.has_items(otherwise) {
            let aside = self.begin_operand();
            let a = self.in_parts(false, |lower| lower.value(then))?;
            let arm = self.begin_operand();
            let b = self.in_parts(false, |lower| lower.value(otherwise))?;
            self.end_ordered(arm);
            self.end_ordered(aside);
            let found = self.ctype(node).ty;
            let (a, b) = (self.flat_pointer(a, &found, node)?, self.flat_pointer(b, &found, node)?);
            let ty = self.variable_type(&found);
            let kind = ExprKind::Select(Box::new(test), Box::new(cast(a, ty.clone())), Box::new(cast(b, ty.clone())));
            return Ok(Expr { kind, ty });
        }
        self.chosen_value(test, ty, &mut |lower, first| lower.value(if first { then } else { otherwise }))
    }

    /// The value of one of two operands, of which one is evaluated.
    pub fn chosen_value(
        &mut self,
        test: Expr,
        ty: Type,
        operand: &mut dyn FnMut(&mut Self, bool) -> Result<Expr>,
    ) -> Result<Expr> {
        let var = self.b.var("choice", ty.clone(), VarKind::Temporary, self.b.span);
        let aside = self.begin_operand();
        self.b.begin_branch(test);
        let a = operand(self, true)?;
        let arm = self.begin_operand();
        self.b.assign(var, cast(a, ty.clone()));
        self.b.otherwise();
        let b = operand(self, false)?;
        self.end_ordered(arm);
        self.end_ordered(aside);
        self.b.assign(var, cast(b, ty));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// `a ?: b` of GNU C, which evaluates `a` once.
    fn itself_or(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let [first, .., otherwise] = &node.inner[..] else { return self.unknown(node) };
        let ty = self.ir_type(node);
        if !matches!(ty, Type::Int { .. } | Type::Float { .. }) {
            return self.unknown(node);
        }
        let first = self.value(first)?;
        let first = self.b.keep("itself", first);
        let var = self.b.var("choice", ty.clone(), VarKind::Temporary, self.b.span);
        self.b.begin_branch(condition(first.clone()));
        self.b.assign(var, cast(first, ty.clone()));
        self.b.otherwise();
        let aside = self.begin_operand();
        let other = self.value(otherwise)?;
        self.end_ordered(aside);
        self.b.assign(var, cast(other, ty));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// `a = b`, and its value if it is wanted.
    pub fn assignment(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Expr>> {
        let [left, right] = &node.inner[..] else { return self.unknown(node) };
        if matches!(self.ctype(node).ty, CType::Struct(_)) {
            self.struct_assignment(left, right)?;
            return Ok(None);
        }
        if !wanted && self.volatile_assignment(left, right)? {
            return Ok(None);
        }
        self.block_name = scan::name_of(left);
        let spot = self.place(left)?;
        let aside = self.begin_operand();
        if let Spot::Var(var) = spot
            && let Some(number) = self.number_in(right, var)?
        {
            self.end_operand(aside, right)?;
            self.b.assign(var, number);
            return Ok(wanted.then(|| self.chosen(var)));
        }
        let from = self.whole_value(right)?;
        self.end_operand(aside, right)?;
        self.put(spot, from, wanted, left)
    }

    /// Writes a value and keeps it, if it is wanted.
    pub fn put(&mut self, spot: Spot, from: Expr, wanted: bool, node: &Node) -> Result<Option<Expr>> {
        if let Spot::Var(var) = spot {
            self.assign_variable(var, from, node)?;
            return Ok(wanted.then(|| self.chosen(var)));
        }
        let simple = matches!(from.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Value(_));
        let from = if wanted && !simple { self.b.keep("assigned", from) } else { from };
        self.write(spot, from.clone(), node)?;
        Ok(wanted.then_some(from))
    }

    /// `a += b`
    pub fn compound_assignment(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Expr>> {
        let [left, right] = &node.inner[..] else { return self.unknown(node) };
        let Some(op) = arithmetic(node.operator.trim_end_matches('=')) else { return self.unknown(node) };
        let spot = self.place(left)?;
        let before = self.read(spot.clone(), left)?;
        let ty = before.ty.clone();
        let aside = self.begin_operand();
        let by = self.whole_value(right)?;
        self.end_operand(aside, right)?;
        // A variable that the right side changes has no defined value on the left.
        let text = node.compute_type.to_string();
        let compute = self.qualified(&text).ty.ir();
        let result = match ty {
            Type::Pointer(_) => self.combine(op, before, by, ty, node)?,
            _ => {
                let sum = self.combine(op, cast(before, compute.clone()), by, compute, node)?;
                to_type(sum, ty)
            }
        };
        self.put(spot, result, wanted, left)
    }

    /// `++a`, `a--`
    pub fn step(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Expr>> {
        let inner = node.only();
        let spot = self.place(inner)?;
        let mut before = self.read(spot.clone(), inner)?;
        let postfix = node.flag;
        if wanted && postfix && !matches!(before.kind, ExprKind::Value(_)) {
            before = self.b.keep("before", before);
        }
        let up = node.operator == "++";
        let ty = before.ty.clone();
        let after = match &ty {
            Type::Pointer(_) => self.advance(before.clone(), Expr::int(if up { 1 } else { -1 }), node)?,
            Type::Float { .. } => {
                let op = if up { Binary::Add } else { Binary::Subtract };
                binary(op, before.clone(), cast(Expr::int(1), ty.clone()), ty)
            }
            Type::Int { bits, .. } => {
                let compute = if *bits < 32 { Type::int() } else { ty.clone() };
                let op = if up { Binary::Add } else { Binary::Subtract };
                let one = constant(1, compute.clone());
                to_type(binary(op, cast(before.clone(), compute.clone()), one, compute), ty)
            }
            _ => return self.unknown(node),
        };
        let result = self.put(spot, after, wanted && !postfix, inner)?;
        Ok(if postfix { wanted.then_some(before) } else { result })
    }
}

/// Conversion of a result to the type of what it is assigned to; a truth value is 1 if the result is not 0.
fn to_type(value: Expr, ty: Type) -> Expr {
    match ty {
        Type::Int { bits: 1, .. } => {
            let nothing = zero(&value.ty);
            cast(binary(Binary::NotEqual, value, nothing, Type::int()), ty)
        }
        _ => cast(value, ty),
    }
}

fn arithmetic(operator: &str) -> Option<Binary> {
    Some(match operator {
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Remainder,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        "&" => Binary::BitAnd,
        "|" => Binary::BitOr,
        "^" => Binary::BitXor,
        "<" => Binary::Less,
        "<=" => Binary::LessEqual,
        ">" => Binary::Greater,
        ">=" => Binary::GreaterEqual,
        "==" => Binary::Equal,
        "!=" => Binary::NotEqual,
        _ => return None,
    })
}

/// clang's decimal spelling of a floating constant as C: `2` becomes `2.0`.
fn decimal(value: &str, ty: &Type) -> String {
    let mut text = value.to_string();
    if !text.contains(['.', 'e', 'E']) {
        text.push_str(".0");
    }
    match ty {
        Type::Float { bits: 32 } => text.push('f'),
        Type::Float { bits: 80 } => text.push('L'),
        _ => {}
    }
    text
}
