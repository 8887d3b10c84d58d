//! Calls.

use super::external::Passive;
use super::*;
use crate::ir::functions;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// A call. Its result if it has a scalar one and it is wanted.
    pub fn call(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Expr>> {
        let Some((unit, name)) = self.called(node) else {
            if let Some(handler) = scan::called_variable(node)
                && !self.is_local(handler.refers)
                && self.is_report(node)
            {
                return self.call_passive(node, &handler.refers_name, Passive::UNKNOWN, wanted);
            }
            if let Some(id) = self.assumed_function(node) {
                return self.call_procedure(node, id, wanted);
            }
            if let Some(result) = self.call_of_null(node) {
                return Ok(result);
            }
            if let Some(result) = self.dispatched(node, wanted)? {
                return Ok(result);
            }
            return self.refuse(
                node,
                Class::Control,
                "a function is called through a pointer: what it calls is not known here",
                "call the function by its name, or pass its name to this function in a call that the head makes",
            );
        };
        let (name, args) = (name.as_str(), &node.inner[1..]);
        if let Some(result) = self.by_rule(node, name, wanted)? {
            return Ok(result);
        }
        if let Some(result) = self.by_mpi(node, name, wanted)? {
            return Ok(result);
        }
        if let Some(function) = library::math(name)
            && function.arity() == args.len()
            && !self.reader.units[unit].functions.contains_key(name)
        {
            return self.function_of_math(function, args).map(Some);
        }
        if let (Some(function), CType::Float(bits)) = (library::of_any_width(name), self.ctype(node).ty)
            && function.arity() == args.len()
        {
            return self.function_of_math(function.at(bits), args).map(Some);
        }
        if let Some(call) = self.forwarded(node, name).filter(|_| !wanted) {
            return self.forward(node, &call).map(|()| None);
        }
        let given = self.given(unit, name, node);
        if let Some(id) = self.reader.procedure(unit, name, false, given) {
            return self.call_procedure(node, id, wanted);
        }
        let ends = self.reader.units[unit].never_return.contains(name) && !name.ends_with("longjmp");
        if ends && library::passive(name).is_none() {
            return self.call_external(node, rules::passive(name), Passive::LAST, wanted);
        }
        if let Some(name) = library::built_in(name) {
            return self.built_in(node, name, args).map(Some);
        }
        if let Some(result) = self.memory_call(node, name, args)? {
            return Ok(result);
        }
        if let Some(result) = self.two_results(name, args, wanted)? {
            return Ok(result);
        }
        match library::passive(name) {
            Some(returns) => self.call_passive(node, name, Passive { returns, unknown: false }, wanted),
            None if name.ends_with("setjmp") || name.ends_with("longjmp") => {
                self.refuse(node, Class::Control, format!("'{name}' jumps between functions"), "return a status")
            }
            None if library::is_input(name) => self.refuse(
                node,
                Class::NoSource,
                format!("'{name}' reads data into the program in the middle of what is differentiated"),
                "read the data before, and pass it as an argument",
            ),
            None if matches!(name, "qsort" | "qsort_r" | "bsearch") => self.refuse(
                node,
                Class::NoSource,
                format!("'{name}' moves or finds elements in an order that the reverse sweep cannot follow"),
                "write the loops that sort or search, or pass the sorted order as an array of integers",
            ),
            None if functions::unsupported(name).is_some() => self.refuse(
                node,
                Class::Derivative,
                format!("'{name}' is not supported: {}", functions::unsupported(name).unwrap_or_default()),
                "write it with other functions, or pass what it computes as an argument",
            ),
            None if self.is_report(node) => {
                let unknown = !self.leaves_alone(name);
                self.call_passive(node, name, Passive { returns: true, unknown }, wanted)
            }
            None if name.starts_with("__builtin_va_") || is_hint(name) => Ok(None),
            None => match self.reader.procedure_with_list(unit, name) {
                Some(id) => self.call_procedure(node, id, wanted),
                None if node.inner.iter().skip(1).any(|arg| arg.ty().contains("_Complex")) => {
                    let (_, help) = crate::front::c::types::opaque("_Complex");
                    let what = format!("'{name}' takes a complex number, which the generator does not know");
                    self.refuse(node, Class::Type, what, help)
                }
                None => self.refuse(
                    node,
                    Class::NoSource,
                    format!("'{name}' is called here and its source is not among the inputs"),
                    crate::ir::library::instead(name),
                ),
            },
        }
    }

    /// The function that the initialiser of a function pointer at file scope names. The sweeps verify it at run time.
    fn assumed_function(&mut self, node: &'a Node<'a>) -> Option<ProcId> {
        let variable = scan::called_variable(node)?;
        let name = variable.refers_name.as_ref();
        let unit = &self.reader.units[self.unit];
        unit.variables.get(&variable.refers)?;
        let definition = unit.definitions.get(name).copied().filter(|definition| definition.has_init)?;
        let mut function = definition.inner.last()?.bare();
        while function.kind == "ImplicitCastExpr" || function.kind == "UnaryOperator" && function.operator == "&" {
            function = function.inner.first()?.bare();
        }
        if function.kind != "DeclRefExpr" || function.refers_kind != "FunctionDecl" {
            return None;
        }
        let id = self.reader.procedure(self.unit, function.refers_name.as_ref(), false, Vec::new())?;
        if !self.reader.assumed.iter().any(|(known, ..)| known == name) {
            let span = self.span(node);
            self.reader.assumed.push((name.to_string(), function.refers_name.to_string(), span));
        }
        Some(id)
    }

    pub fn function_of_math(&mut self, mut function: Function, nodes: &'a [Node<'a>]) -> Result<Expr> {
        let args = self.arguments(nodes)?;
        // A macro for all widths takes the width of its argument.
        let is_real = |position: usize| matches!(function.param_type(position), Some(Type::Float { .. }));
        let real = args.iter().enumerate().filter(|(position, _)| is_real(*position));
        let bits = real.filter_map(|(_, arg)| if let Type::Float { bits } = arg.ty { Some(bits) } else { None }).max();
        if function.c_name() == function.at(32).c_name() {
            function = function.at(bits.unwrap_or(64));
        }
        let typed = |(position, arg): (usize, Expr)| match function.param_type(position) {
            Some(ty) => cast(arg, ty),
            None => arg,
        };
        let args = args.into_iter().enumerate().map(typed).collect();
        Ok(Expr::function(function, args, function.result_type()))
    }

    /// Arguments of a function without effects.
    fn arguments(&mut self, nodes: &'a [Node<'a>]) -> Result<Vec<Expr>> {
        let mut args = Vec::new();
        for node in nodes {
            let aside = self.begin_operand();
            args.push(self.value(node)?);
            self.end_operand(aside, node)?;
        }
        Ok(args)
    }

    pub fn call_procedure(&mut self, node: &'a Node<'a>, id: ProcId, wanted: bool) -> Result<Option<Expr>> {
        let result = self.ctype(node);
        if matches!(result.ty, CType::Struct(_)) {
            let into = self.struct_temporary(node)?;
            self.call_into(node, id, into)?;
            return Ok(None);
        }
        let args = self.call_arguments(node, id)?;
        if let (true, Some(Some(proc))) = (wanted, self.reader.procs.get(id.index()))
            && let Some(result) = inline::result(proc, &args)
            && !self.names_static_of(&proc.name, &result)
        {
            if matches!(result.ty, Type::Pointer(_)) {
                return Ok(Some(self.b.keep("pointer", result)));
            }
            return Ok(Some(result));
        }
        if wanted && let Some((args, pointer)) = self.pointer_behind(id, &args) {
            self.make_call(id, args, None, None);
            return Ok(Some(self.b.keep("pointer", pointer)));
        }
        let var = match result.ty {
            CType::Void => None,
            _ if !wanted => None,
            ty => Some(self.b.var("result", ty.ir(), VarKind::Temporary, self.b.span)),
        };
        self.make_call(id, args, var, None);
        Ok(var.map(|var| self.b.get(var)))
    }

    /// The pointer that a call of a procedure returns, as it is read behind the call, with arguments that are the same
    /// there.
    fn pointer_behind(&mut self, id: ProcId, args: &[Expr]) -> Option<(Vec<Expr>, Expr)> {
        let proc = self.reader.procs.get(id.index())?.as_ref()?;
        let pointer = inline::pointer_behind(proc, args)?;
        if self.names_static_of(&proc.name, &pointer) {
            return None;
        }
        let reads = |arg: &Expr| walk::loads(arg) && arg.ty.is_scalar();
        let keep = |arg: &Expr| if reads(arg) { self.b.keep("argument", arg.clone()) } else { arg.clone() };
        let args: Vec<Expr> = args.iter().map(keep).collect();
        let pointer = inline::pointer_behind(self.reader.procs[id.index()].as_ref()?, &args)?;
        Some((args, pointer))
    }

    /// Whether an expression names a variable that a function declares inside: no other function has that name.
    fn names_static_of(&self, function: &str, expr: &Expr) -> bool {
        let own = self.reader.statics.iter().filter(|declared| declared.function == function);
        let own: Vec<GlobalId> = own.filter_map(|declared| Some(declared.variable.as_ref()?.1)).collect();
        let mut found = false;
        crate::ir::walk::expressions(expr, &mut |part| {
            if let ExprKind::Load(place) | ExprKind::Address(place) = &part.kind {
                found |= place.base.global().is_some_and(|global| own.contains(&global));
            }
        });
        found
    }

    /// A call whose struct result goes to a place.
    pub fn call_into(&mut self, node: &'a Node<'a>, id: ProcId, into: Place) -> Result<()> {
        let args = self.call_arguments(node, id)?;
        self.touch(&into, true);
        if !args.iter().any(|arg| self.may_lie_in(arg, &into)) {
            self.make_call(id, args, None, Some(into));
            return Ok(());
        }
        // `struct pair v = turned(&v)`: what the call has written there must still be there in the reverse sweep.
        let result = self.struct_temporary(node)?;
        self.make_call(id, args, None, Some(result.clone()));
        self.copy_struct(into, result, node)
    }

    /// Whether an argument may be, or lead to, memory that the result of its call goes to.
    fn may_lie_in(&self, arg: &Expr, into: &Place) -> bool {
        let one = |from: &Place| match (&from.base, &into.base) {
            (Base::Object(_) | Base::Global(_), Base::Object(_) | Base::Global(_)) => from.base == into.base,
            (Base::Object(object), _) | (_, Base::Object(object)) => self.is_addressed(*object),
            _ => true,
        };
        match (&arg.kind, &arg.ty) {
            (ExprKind::Null, _) => false,
            (ExprKind::Address(from), _) => one(from),
            (ExprKind::Load(from), Type::Struct(_)) if one(from) => true,
            (_, ty) if self.holds_pointer(ty) => match into.base {
                Base::Object(object) => self.is_addressed(object),
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether somebody takes the address of an object.
    fn is_addressed(&self, object: ObjectId) -> bool {
        let is = |declaration| matches!(self.bindings.get(declaration), Some(Binding::Object(it)) if *it == object);
        self.addressed.iter().any(is)
    }

    fn call_arguments(&mut self, node: &'a Node<'a>, id: ProcId) -> Result<Vec<Expr>> {
        if self.reader.procs[id.index()].as_ref().is_some_and(|proc| proc.has_list) {
            self.prints_to_memory(node)?;
        }
        let mut args = Vec::new();
        for part in &node.inner[1..] {
            let aside = self.begin_operand();
            let arg = match self.ctype(part).ty {
                ty if ty.is_function_pointer() => match self.function_name(part) {
                    Some(name) => name,
                    None => self.value(part)?,
                },
                CType::Struct(_) => {
                    let place = self.struct_place(part)?;
                    self.touch(&place, false);
                    load(place)
                }
                _ => {
                    let arg = self.value(part)?;
                    self.row_argument(arg, part)?
                }
            };
            args.push(arg);
            self.end_operand(aside, part)?;
        }
        if let Some(Some(proc)) = self.reader.procs.get(id.index())
            && proc.params.len() != args.len()
            && !(proc.has_list && proc.params.len() < args.len())
        {
            return self.refuse(
                node,
                Class::Language,
                format!(
                    "'{}' is called with {} arguments and has {} parameters",
                    proc.name,
                    args.len(),
                    proc.params.len()
                ),
                "functions with a variable number of arguments are not supported",
            );
        }
        self.narrow(node, id, &mut args);
        self.check_prototype(node, id, &args)?;
        let summary = match self.reader.summaries[id.index()] {
            Some(known) => known,
            None if id == self.id => {
                self.reader.recursive[id.index()] = true;
                Summary::default()
            }
            None => {
                self.reader.reentered += 1;
                self.summary_by_tree(id)
            }
        };
        // The arguments are evaluated before the call, so only the call itself meets the rest of the expression.
        let name = self.called(node).map_or_else(|| "a function".to_string(), |(_, name)| name);
        self.touch_call(&name, summary, &args);
        Ok(args.into_iter().map(|arg| self.settled_argument(arg, summary.written())).collect())
    }

    /// Refuses a call that was compiled without the prototype of its function: it converts arguments and result wrongly.
    fn check_prototype(&mut self, node: &'a Node<'a>, id: ProcId, args: &[Expr]) -> Result<()> {
        let result = self.ir_type(node);
        let Some(Some(proc)) = self.reader.procs.get(id.index()) else { return Ok(()) };
        let wrong = proc.params.iter().zip(args).any(|(param, arg)| !agrees(&param.ty, &arg.ty));
        if !wrong && agrees(&proc.result_type, &result) {
            return Ok(());
        }
        let what = format!("'{}' is called with other types than it is defined with", proc.name);
        self.refuse(node, Class::Type, what, "declare the function before the call, with its types")
    }

    /// Whether a declaration is one of this function.
    fn is_local(&self, declaration: u64) -> bool {
        self.bindings.contains_key(&declaration)
            || self.refused.contains_key(&declaration)
            || self.visible.iter().any(|(_, known)| *known == declaration)
    }

    /// Whether a call reports something, as error handlers do: a text and integers go in, at most an integer comes back.
    fn is_report(&mut self, node: &'a Node<'a>) -> bool {
        if !matches!(self.ctype(node).ty, CType::Void | CType::Int { .. }) {
            return false;
        }
        let types: Vec<Type> = node.inner[1..].iter().map(|part| self.ir_type(part)).collect();
        let callee =
            scan::callee(node).and_then(|callee| self.reader.definition(self.unit, &callee.refers_name, false));
        if callee.is_some_and(|(_, definition)| assigns_reals(definition)) {
            return false;
        }
        let prints = match callee {
            Some((_, definition)) => prints_arguments(definition),
            None => scan::callee(node).is_some_and(|callee| takes_format(callee.ty())),
        };
        let is_text = |ty: &Type| is_text(ty, &self.reader.structs.types);
        let passes =
            |ty: &Type| is_text(ty) || matches!(ty, Type::Int { .. }) || (prints && matches!(ty, Type::Float { .. }));
        types.iter().any(is_text) && types.iter().all(passes)
    }

    /// Whether a function with readable source assigns nothing but its own variables and calls only functions that
    /// print.
    fn leaves_alone(&self, name: &str) -> bool {
        let Some((_, function)) = self.reader.definition(self.unit, name, false) else { return false };
        let mut locals = FxHashSet::default();
        scan::walk(function, &mut |node| {
            if matches!(node.kind, "ParmVarDecl" | "VarDecl") && node.storage.is_empty() {
                locals.insert(node.id);
            }
            true
        });
        let is_local = |to: &Node| to.kind == "DeclRefExpr" && locals.contains(&to.refers);
        !scan::any(function, &|node| match node.kind {
            "CompoundAssignOperator" => true,
            "BinaryOperator" => node.operator == "=" && !node.inner.first().is_some_and(|to| is_local(to.bare())),
            "UnaryOperator" => matches!(node.operator.as_ref(), "++" | "--"),
            "CallExpr" => scan::callee(node).is_none_or(|callee| {
                let name = callee.refers_name.as_ref();
                library::passive(name).is_none() && !name.starts_with("__builtin_va_")
            }),
            _ => false,
        })
    }

    /// `abs`, `INFINITY` and the like, written with operators.
    fn built_in(&mut self, node: &'a Node<'a>, name: &str, nodes: &'a [Node<'a>]) -> Result<Expr> {
        let ty = self.ir_type(node);
        let spelled = |text: &str| Ok(Expr::float(text, ty.clone()));
        match name {
            "huge_val" | "inf" | "huge_valf" | "inff" => return spelled("INFINITY"),
            "nan" | "nanf" => return spelled("NAN"),
            "constant_p" => return Ok(constant(0, ty)),
            // Numbers are rounded to the nearest one: generated code takes nothing else into account.
            "flt_rounds" => return Ok(constant(1, ty)),
            _ => {}
        }
        let args = self.arguments(nodes)?;
        let compare = |op: Binary, a: &Expr, b: &Expr| binary(op, a.clone(), b.clone(), Type::int());
        let result = match (name, &args[..]) {
            ("isnanf", [x]) => compare(Binary::NotEqual, x, x),
            ("finite" | "finitef", [x]) => {
                let difference = binary(Binary::Subtract, x.clone(), x.clone(), x.ty.clone());
                compare(Binary::Equal, &difference, &zero(&x.ty))
            }
            ("isinff" | "isinf_sign", [x]) => {
                let infinity = Expr::float("INFINITY", x.ty.clone());
                let minus = unary(Unary::Negate, infinity.clone(), x.ty.clone());
                let up = compare(Binary::Equal, x, &infinity);
                binary(Binary::Subtract, up, compare(Binary::Equal, x, &minus), Type::int())
            }
            ("abs" | "labs" | "llabs", [x]) => {
                let negative = compare(Binary::Less, x, &zero(&x.ty));
                let opposite = unary(Unary::Negate, x.clone(), x.ty.clone());
                let kind = ExprKind::Select(Box::new(negative), Box::new(opposite), Box::new(x.clone()));
                Expr { kind, ty: x.ty.clone() }
            }
            ("expect", [x, _]) | ("expect_with_probability", [x, _, _]) => x.clone(),
            ("assume_aligned", [pointer, ..]) => pointer.clone(),
            // Its first arguments are the names of the classes, which `math.h` gives to all compilers.
            ("fpclassify", [_, _, _, _, _, x]) => {
                let function = Function::lookup("fpclassify").expect("a function of the table");
                Expr::function(function, vec![x.clone()], function.result_type())
            }
            _ => return self.unknown(node),
        };
        Ok(cast(result, ty))
    }
}

/// Whether a function has a list of arguments behind a text, as `printf` has behind its format: reals in it are printed.
fn takes_format(ty: &str) -> bool {
    let named = ty.split_once(", ...)").map(|(named, _)| named.trim_end_matches("restrict").trim_end());
    named.is_some_and(|named| named.ends_with("char *"))
}

/// Whether a function only tells the compiler something.
fn is_hint(name: &str) -> bool {
    matches!(name, "__builtin_prefetch" | "__builtin_assume")
}

/// Whether a value of one type may be taken for one of the other.
fn agrees(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Int { bits: a, .. }, Type::Int { bits: b, .. }) | (Type::Float { bits: a }, Type::Float { bits: b }) => {
            a == b
        }
        (Type::Pointer(_), Type::Pointer(_)) => true,
        _ => one == other,
    }
}
