//! Calls of MPI.
//!
//! A call is lowered as a call of the body that stands for it: see [`crate::front::c::mpi`]. Which body that is depends
//! on the datatype, which has to be one of MPI's own by name, and on `MPI_IN_PLACE` and `MPI_STATUS_IGNORE`.

use super::external::Passive;
use super::*;
use crate::front::c::mpi::MADE;
use crate::front::c::mpi::body::{self, Extra, Variant};
use crate::front::c::mpi::catalogue::{self, Buffer, Call, Element, Requests, Way};
use make::*;

impl<'a> Lower<'_, 'a> {
    /// A call of MPI; `None` for other calls, and for those that the sources define.
    pub fn by_mpi(&mut self, node: &'a Node<'a>, name: &str, wanted: bool) -> Result<Option<Option<Expr>>> {
        if !name.starts_with("MPI_") || self.reader.definition(self.unit, name, true).is_some() {
            return Ok(None);
        }
        if MADE.contains(&name) {
            self.not_copied();
            return self.call_passive(node, &format!("adtape_{name}"), Passive::HARMLESS, wanted).map(Some);
        }
        let Some(call) = catalogue::find(name).filter(|call| self.reader.rules.has_bodies(call)) else {
            return Ok(None);
        };
        let nodes: Vec<&Node> = node.inner[1..].iter().collect();
        if call.parameters().count() != nodes.len() {
            return self.unknown(node);
        }
        // `me == root ? MPI_IN_PLACE : &x`: a call for either.
        let at = body::in_place(call).and_then(|buffer| call.position(buffer.name));
        if let Some(at) = at
            && let ("ConditionalOperator", [on, arms @ ..]) =
                (without_casts(nodes[at]).kind, &without_casts(nodes[at]).inner[..])
            && arms.iter().any(|arm| constant_of_mpi(arm) == Some("MPI_IN_PLACE"))
        {
            let test = self.truth(on)?;
            let chosen = self.chosen_value(test, Type::int(), &mut |lower, first| {
                let mut nodes = nodes.clone();
                nodes[at] = &arms[usize::from(!first)];
                lower.call_of_mpi(node, call, &nodes, true)?.map_or_else(|| lower.unknown(node), Ok)
            })?;
            return Ok(Some(wanted.then_some(chosen)));
        }
        self.call_of_mpi(node, call, &nodes, wanted).map(Some)
    }

    fn call_of_mpi(
        &mut self,
        node: &'a Node<'a>,
        call: &'static Call,
        nodes: &[&'a Node<'a>],
        wanted: bool,
    ) -> Result<Option<Expr>> {
        let name = format!("MPI_{}", call.name);
        let left_out = self.in_place(call, nodes);
        let (mut element, mut laid) = (None, false);
        for buffer in call.buffers.iter().filter(|buffer| left_out.is_none_or(|other| other.name != buffer.name)) {
            let found = self.element(call, buffer, nodes)?;
            laid |= self.is_laid(call, buffer, nodes);
            if element.is_some_and(|element| element != found) {
                let what = format!("'{name}' sends elements of one type and receives others");
                return self.refuse(node, Class::NoSource, what, "use one datatype for both buffers");
            }
            element = Some(found);
        }
        // A wait has the type of what its requests receive.
        let element = element.unwrap_or(Element::Real(if self.receives_floats() { "float" } else { "double" }));
        self.check_operation(call, element, nodes)?;
        let statuses = call.parameters().position(|(text, _)| text.starts_with("MPI_Status"));
        let status = statuses
            .is_some_and(|at| !matches!(constant_of_mpi(nodes[at]), Some("MPI_STATUS_IGNORE" | "MPI_STATUSES_IGNORE")));
        let variant = Variant { element, in_place: left_out.is_some(), status, laid };
        let Some(id) = self.reader.procedure(self.unit, &variant.body(call), true, Vec::new()) else {
            return self.unknown(node);
        };
        let mut args = self.arguments_of_mpi(call, element, nodes)?;
        for extra in body::extra(call) {
            let arg = self.extra_argument(call, extra, &args, nodes)?;
            args.push(arg);
        }
        let companion = match call.requests {
            Requests::Begins => Some(self.companion(&args[nodes.len() - 1], nodes[nodes.len() - 1])?),
            Requests::No | Requests::One | Requests::Many => None,
        };
        let received = call.buffers.iter().find(|buffer| buffer.way == Way::Received);
        let buffer = received.and_then(|buffer| call.position(buffer.name)).map(|at| args[at].clone());
        let summary = self.reader.summaries[id.index()].unwrap_or_default();
        self.touch_call(&name, summary, &args);
        let args: Vec<Expr> = args.into_iter().map(|arg| self.settled_argument(arg, summary.written())).collect();
        let var = wanted.then(|| self.b.var("result", Type::int(), VarKind::Temporary, self.b.span));
        self.make_call(id, args, var, None);
        if let Some(companion) = companion {
            self.accompany(companion, buffer, element, node)?;
        }
        Ok(var.map(|var| self.b.get(var)))
    }

    /// Takes note which buffer a request has whose message is received: its wait needs the adjoint.
    fn accompany(
        &mut self,
        companion: Place,
        buffer: Option<Expr>,
        element: Element,
        node: &'a Node<'a>,
    ) -> Result<()> {
        let from = match (buffer, element) {
            (Some(buffer), Element::Real(_)) if buffer.ty == companion.ty => buffer,
            (Some(_), Element::Real(_)) => {
                let what = "requests of one function receive floats and doubles";
                return self.refuse(node, Class::Type, what, "receive them by functions of their own");
            }
            (None, _) | (_, Element::Integer(_)) => zero(&companion.ty),
        };
        let statement = self.b.statement.take();
        self.b.emit(ItemKind::Store { to: companion, from });
        self.b.statement = statement;
        Ok(())
    }

    /// The place of the companion of a request.
    fn companion(&mut self, request: &Expr, node: &'a Node<'a>) -> Result<Place> {
        if let ExprKind::Address(place) = &request.kind
            && let Base::Object(object) = place.base
            && let Some((companion, ty)) = self.companions.get(&object).cloned()
        {
            return Ok(Place { base: Base::Object(companion), ty, ..*place.clone() });
        }
        let what = "which buffer a request has is not known here";
        let help =
            "begin messages and wait for them in one function, by a request or an array of them that it declares";
        self.refuse(node, Class::Pointer, what, help)
    }

    /// The companion of a variable or an array of requests: a pointer beside each, to the buffer that it has.
    pub fn declare_companion(&mut self, object: ObjectId) {
        let requests = self.b.proc().objects[object].clone();
        if !matches!(&requests.elem, Type::Int { kind: IntKind::Named(name), .. } if **name == *"MPI_Request") {
            return;
        }
        let real = if self.receives_floats() { Type::Float { bits: 32 } } else { Type::double() };
        let elem = Type::pointer(real);
        let name = self.unique(&format!("{}_at", requests.name));
        let companion = self.b.object(Object { name, elem: elem.clone(), ..requests });
        let statement = self.b.statement.take();
        self.b.emit(ItemKind::Declare { object: companion });
        self.b.statement = statement;
        self.companions.insert(object, (companion, elem));
    }

    /// Whether messages of the function at hand that do not block are of floats.
    fn receives_floats(&self) -> bool {
        let is_of = |node: &'a Node<'a>, wanted: &str| {
            let is_begun = |call: &Call| call.requests == Requests::Begins;
            let call =
                scan::callee(node).and_then(|callee| catalogue::find(&callee.refers_name)).filter(|c| is_begun(c));
            let at = call.and_then(|call| call.position("type"));
            let datatype = at.and_then(|at| constant_of_mpi(node.inner.get(at + 1)?)).and_then(catalogue::element);
            datatype == Some(Element::Real(if wanted == "float" { "float" } else { "double" }))
        };
        let any = |wanted: &str| {
            self.body.is_some_and(|body| scan::any(body, &|node| node.kind == "CallExpr" && is_of(node, wanted)))
        };
        any("float") && !any("double")
    }

    /// The text of the statement at hand, and of those around it, does not mean what the sweeps do.
    fn not_copied(&mut self) {
        let mut at = self.enclosing;
        while let Some(id) = at {
            let statement = &mut self.b.proc_mut().statements[id];
            statement.copyable = false;
            at = statement.parent;
        }
    }

    /// The buffer for which a call has `MPI_IN_PLACE`.
    fn in_place(&self, call: &Call, nodes: &[&'a Node<'a>]) -> Option<&'static Buffer> {
        let buffer = body::in_place(call)?;
        let at = call.position(buffer.name)?;
        (constant_of_mpi(nodes[at]) == Some("MPI_IN_PLACE")).then_some(buffer)
    }

    /// What a buffer holds, by its datatype.
    fn element(&mut self, call: &Call, buffer: &Buffer, nodes: &[&'a Node<'a>]) -> Result<Element> {
        let at = call.position(buffer.datatype).unwrap_or_default();
        let node = nodes[at];
        let Some(name) = constant_of_mpi(node) else {
            return self.element_by_buffer(call, buffer, node, nodes);
        };
        match (catalogue::element(name), name) {
            (Some(element), _) => Ok(element),
            (None, "MPI_BYTE" | "MPI_PACKED") => self.refuse(
                node,
                Class::Type,
                format!("'{name}' does not say which numbers are sent, so their derivative would be lost"),
                "name the type of the elements: MPI_DOUBLE, MPI_INT",
            ),
            (None, _) => self.refuse(
                node,
                Class::Type,
                format!("messages of '{name}' have no derivative here"),
                "send MPI_DOUBLE, MPI_FLOAT or integers: docs/mpi.md",
            ),
        }
    }

    /// Whether the datatype of a buffer is the program's own.
    fn is_laid(&self, call: &Call, buffer: &Buffer, nodes: &[&'a Node<'a>]) -> bool {
        call.position(buffer.datatype).is_some_and(|at| constant_of_mpi(nodes[at]).is_none())
    }

    /// What a buffer holds whose datatype is the program's own: reals of the type that its pointer leads to.
    fn element_by_buffer(
        &mut self,
        call: &Call,
        buffer: &Buffer,
        node: &'a Node<'a>,
        nodes: &[&'a Node<'a>],
    ) -> Result<Element> {
        let help = "send MPI_DOUBLE or MPI_FLOAT from an array that the program fills";
        if !call.may_be_laid() {
            let what = format!("the datatype of 'MPI_{}' is none of MPI's own", call.name);
            return self.refuse(node, Class::Type, what, help);
        }
        let at = call.position(buffer.name).unwrap_or_default();
        let mut held = self.ir_type(without_casts(nodes[at]));
        while let Some(to) = held.inside() {
            held = to.clone();
        }
        match held {
            Type::Float { bits: 64 } => Ok(Element::Real("double")),
            Type::Float { bits: 32 } => Ok(Element::Real("float")),
            _ => {
                let what = "a datatype of the program's own, and a buffer that leads to no reals";
                self.refuse(node, Class::Type, what, help)
            }
        }
    }

    /// Refuses reductions of reals by an operation without an adjoint.
    fn check_operation(&mut self, call: &Call, element: Element, nodes: &[&'a Node<'a>]) -> Result<()> {
        let (Some(at), Element::Real(_)) = (call.position("op"), element) else { return Ok(()) };
        match constant_of_mpi(nodes[at]) {
            Some(name) if catalogue::reduces(name) => Ok(()),
            Some(name) => {
                let what = format!("'{name}' reduces reals here, and has no derivative");
                self.refuse(nodes[at], Class::Derivative, what, "reduce by MPI_SUM, MPI_PROD, MPI_MAX or MPI_MIN")
            }
            None => {
                let what = format!("the operation of 'MPI_{}' is none of MPI's own", call.name);
                let help = "reduce by MPI_SUM, MPI_PROD, MPI_MAX or MPI_MIN, or gather the values and reduce them \
                            in a loop";
                self.refuse(nodes[at], Class::Derivative, what, help)
            }
        }
    }

    fn arguments_of_mpi(&mut self, call: &Call, element: Element, nodes: &[&'a Node<'a>]) -> Result<Vec<Expr>> {
        let mut args = Vec::new();
        for (node, (_, name)) in nodes.iter().copied().zip(call.parameters()) {
            let aside = self.begin_operand();
            let arg = match (constant_of_mpi(node), call.buffer(name)) {
                (Some("MPI_BOTTOM"), _) => {
                    let what = "a buffer begins at 'MPI_BOTTOM': which variables it has is not known here";
                    return self.refuse(node, Class::Pointer, what, "send each variable by its own address");
                }
                (Some(constant), _) => match self.ir_type(node) {
                    // Nothing is accessed through it.
                    Type::Pointer(_) => Expr::verbatim(constant, Type::pointer(Type::Void)),
                    ty => Expr::verbatim(constant, ty),
                },
                (None, Some(_)) => self.buffer(element, node)?,
                (None, None) => self.value(node)?,
            };
            args.push(arg);
            self.end_operand(aside, node)?;
        }
        Ok(args)
    }

    /// A buffer, as a pointer to its elements.
    fn buffer(&mut self, element: Element, node: &'a Node<'a>) -> Result<Expr> {
        let inner = without_casts(node);
        let held = self.ctype(inner).ty;
        let pointer = self.value(inner)?;
        let pointer = self.flat_pointer(pointer, &held, inner)?;
        let mut pointer = self.first_of_rows(pointer);
        if let Some(Type::Struct(_)) = pointee(&pointer.ty)
            && let Some(first) = self.first_number(make::element(pointer.clone(), Expr::int(0)))
        {
            pointer = address(first);
        }
        let text = element.text();
        let wanted = match element {
            Element::Real("float") => Type::Float { bits: 32 },
            Element::Real(_) => Type::double(),
            Element::Integer(text) => Type::integer(text).unwrap_or_default(),
        };
        let fits = match (pointee(&pointer.ty), &wanted) {
            (Some(Type::Float { bits }), Type::Float { bits: wanted }) => bits == wanted,
            (Some(Type::Int { bits, .. }), Type::Int { bits: wanted, .. }) => bits == wanted,
            (Some(Type::Void), _) => pointer.kind == ExprKind::Null,
            _ => false,
        };
        if !fits {
            let what = format!(
                "the buffer '{}' leads to '{}', and its datatype says '{text}'",
                scan::name_of(inner),
                inner.written_type.trim_end_matches('*').trim_end()
            );
            let help = "name the type of the elements: MPI_DOUBLE for 'double', MPI_FLOAT for 'float'";
            return self.refuse(node, Class::Type, what, help);
        }
        Ok(cast(pointer, Type::pointer(wanted)))
    }

    /// What a body gets besides the arguments of the call.
    fn extra_argument(&mut self, call: &Call, extra: Extra, args: &[Expr], nodes: &[&'a Node<'a>]) -> Result<Expr> {
        let of = |name: &str| call.position(name).map(|at| args[at].clone());
        let (function, named) = match extra {
            Extra::Here => ("adtape_rule_mpi_here", vec![of("root"), of("comm")]),
            Extra::Ranks => ("adtape_rule_mpi_ranks", vec![of("comm")]),
            Extra::At => return Ok(load(self.companion(&args[0], nodes[0])?)),
            Extra::AllAt => return Ok(address(self.companion(&args[1], nodes[1])?)),
        };
        let callee = Callee::External { function: rules::passive(function), returns: true, unknown: false };
        let var = self.b.var("result", Type::int(), VarKind::Temporary, self.b.span);
        self.b.call(callee, named.into_iter().flatten().collect(), Some(var), None);
        Ok(self.b.get(var))
    }
}

/// A copy of a request: nothing knows which buffer the copy has.
pub fn copied_request(proc: &Proc) -> Option<Refusal> {
    let is_request = |ty: &Type| matches!(ty, Type::Int { kind: IntKind::Named(name), .. } if **name == *"MPI_Request");
    let is_copy = |from: &Expr| match &from.kind {
        ExprKind::Load(place) => place.base.global().is_none() || !place.path.is_empty(),
        ExprKind::Value(_) => true,
        _ => false,
    };
    let copies = |item: &&Item| {
        if let ItemKind::Store { to, from } = &item.kind {
            return is_request(&to.ty) && is_copy(from);
        }
        if let ItemKind::Let { value } = &item.kind {
            let Def::Is(from) = &proc.values[*value].def else { return false };
            return is_request(&from.ty) && is_copy(from);
        }
        let ItemKind::Call { args, .. } = &item.kind else { return false };
        args.iter().any(|arg| is_request(&arg.ty) && is_copy(arg))
    };
    let found = proc.items.iter().find(copies)?;
    Some(Refusal {
        class: Class::Pointer,
        span: found.span,
        what: "a request is copied: which buffer the copy has is not known here".into(),
        help: "wait for the request that the message was begun with".into(),
    })
}

/// Without conversions of a pointer.
fn without_casts<'a>(node: &'a Node<'a>) -> &'a Node<'a> {
    let mut node = node.bare();
    while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr")
        && matches!(node.operator.as_ref(), "BitCast" | "NoOp")
    {
        node = node.inner[0].bare();
    }
    node
}

/// The constant of MPI that an argument names.
pub fn constant_of_mpi<'a>(node: &'a Node<'a>) -> Option<&'a str> {
    let mut node = node.bare();
    while node.kind == "ImplicitCastExpr" || node.kind == "CStyleCastExpr" {
        node = node.inner.first()?.bare();
    }
    let is_constant = node.kind == "DeclRefExpr" && node.refers_kind == "VarDecl" && node.ty().contains("const");
    Some(node.refers_name.as_ref()).filter(|name| is_constant && name.starts_with("MPI_"))
}
