//! `malloc`, `free`, `memcpy` and their kin.

use super::aligned::bytes_of_aligned;
use super::*;
use make::*;

const ALLOCATIONS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "__builtin_malloc",
    "__builtin_calloc",
    "__builtin_realloc",
    "alloca",
    "__builtin_alloca",
    "reallocarray",
    "aligned_alloc",
    "__builtin_aligned_alloc",
    "memalign",
    "valloc",
    "_mm_malloc",
];

/// A number of bytes that a parameter of type `int` takes, as it was computed: a block that it does not fit is no block.
fn uncut(bytes: Expr) -> Expr {
    match bytes.kind {
        ExprKind::Cast(inner)
            if matches!(bytes.ty, Type::Int { bits: 32, signed: true, .. })
                && matches!(inner.ty, Type::Int { bits: 64, signed: false, .. }) =>
        {
            *inner
        }
        _ => bytes,
    }
}

/// `n > 0 ? n : 1`.
fn or_one(n: Expr) -> Expr {
    let ty = n.ty.clone();
    let [zero, one] = [0, 1].map(|number| Expr::constant(number, ty.clone()));
    let some = binary(Binary::Less, zero, n.clone(), Type::int());
    Expr::select(some, n, one, ty)
}

/// Whether two addresses are in different variables.
fn are_apart(to: &Expr, from: &Expr) -> bool {
    let variable = |address: &Expr| match &address.kind {
        ExprKind::Address(place) => Some(place.base.clone()).filter(|base| base.pointer().is_none()),
        _ => None,
    };
    variable(to).zip(variable(from)).is_some_and(|(to, from)| to != from)
}

/// Whether a function of the library makes a block or frees one.
pub fn makes_or_frees(name: &str) -> bool {
    ALLOCATIONS.contains(&name) || matches!(name, "free" | "_mm_free" | "posix_memalign")
}

impl<'a> Lower<'_, 'a> {
    /// The call, if the expression is one that makes a block.
    pub fn allocation(node: &'a Node<'a>) -> Option<&'a Node<'a>> {
        let mut node = node.bare();
        while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr")
            && matches!(node.operator.as_ref(), "BitCast" | "NoOp")
        {
            node = node.only().bare();
        }
        (node.kind == "CallExpr" && ALLOCATIONS.contains(&scan::callee(node)?.refers_name.as_ref())).then_some(node)
    }

    /// Makes a block of elements of a type.
    pub fn allocate(&mut self, call: &'a Node<'a>, elem: Type) -> Result<Expr> {
        let callee = scan::callee(call).map_or("", |callee| callee.refers_name.as_ref());
        let (sizes, old) = match (&call.inner[1..], bytes_of_aligned(callee)) {
            (sizes, Some(at)) => (sizes.get(at..=at).unwrap_or_default(), None),
            ([old, size], _) if callee.ends_with("realloc") => (std::slice::from_ref(size), Some(old)),
            ([old, sizes @ ..], _) if callee == "reallocarray" => (sizes, Some(old)),
            (sizes, _) => (sizes, None),
        };
        let factors = sizes.iter().map(|factor| (factor, false)).collect();
        self.allocate_product(call, elem, &wrappers::Wrapper { factors, zeroed: callee.ends_with("calloc"), old })
    }

    /// Makes a block of elements of a type that takes a product of bytes.
    pub fn allocate_product(
        &mut self,
        call: &'a Node<'a>,
        elem: Type,
        wrapper: &wrappers::Wrapper<'a>,
    ) -> Result<Expr> {
        let name = std::mem::take(&mut self.block_name);
        let Some((size, _)) = self.reader.structs.layout(&elem) else {
            let (what, help) = match elem {
                Type::Array(_) => (
                    "a block of rows of variable extent is made",
                    "make a block of numbers, u[i * m + j] in place of u[i][j], or an array, double u[n][m]",
                ),
                _ => ("a block of elements of unknown size is made", "name the type"),
            };
            return self.refuse(call, Class::Type, what, help);
        };
        let old = match wrapper.old {
            Some(old) => {
                let old = self.value(Self::uncast(old))?;
                Some(if old.kind == ExprKind::Null { old } else { self.b.keep("old", old) })
            }
            None => None,
        };
        let mut parts = Vec::new();
        for (part, at_least_one) in wrapper.factors.iter().copied() {
            let part = uncut(self.value(part)?);
            // A number of bytes that is 0 makes no element.
            let part = if at_least_one && wrapper.factors.len() > 1 { or_one(part) } else { part };
            parts.push(cast(part, size_type()));
        }
        let Some(bytes) = parts.into_iter().reduce(|a, b| binary(Binary::Multiply, a, b, size_type())) else {
            return self.unknown(call);
        };
        let up = || self.has_tail(&elem).then(|| rounded_up(&bytes, i128::from(size)));
        // What is behind the last whole element fills the block up.
        let callee = scan::callee(call).map_or("", |callee| callee.refers_name.as_ref());
        let down = || bytes_of_aligned(callee).map(|_| rounded_down(&bytes, i128::from(size)));
        let whole = self.divided(&bytes, i128::from(size)).or_else(|| part(&bytes, i128::from(size)));
        let Some(count) = whole.or_else(up).or_else(down) else {
            return self.refuse(
                call,
                Class::Pointer,
                format!("the size of this block is not a multiple of the size of its elements ({size} bytes)"),
                "write the size as count * sizeof(type)",
            );
        };
        let count = self.b.keep("count", count);
        if let Some(old) = old {
            return self.resize(call, &name, (old, bytes), (elem, count));
        }
        Ok(self.block(call, &name, (elem, count), wrapper.zeroed))
    }

    /// Whether a struct ends in an array without extent, which takes what is left of its block.
    fn has_tail(&self, elem: &Type) -> bool {
        let Type::Struct(id) = elem else { return false };
        self.reader.structs.types.structs[*id].has_tail()
    }

    /// `realloc`: a new block where there was none, else the old one at another address, perhaps, with another size.
    fn resize(
        &mut self,
        call: &'a Node<'a>,
        name: &str,
        (old, bytes): (Expr, Expr),
        (elem, count): (Type, Expr),
    ) -> Result<Expr> {
        let ty = Type::pointer(elem.clone());
        if old.ty != ty && old.kind != ExprKind::Null {
            let what = "a block of elements of one type becomes one of another type";
            return self.refuse(call, Class::Pointer, what, "allocate another block");
        }
        if old.kind == ExprKind::Null {
            return Ok(self.block(call, name, (elem, count), false));
        }
        let var = self.b.var("resized", ty.clone(), VarKind::Temporary, self.b.span);
        let null = Expr { kind: ExprKind::Null, ty };
        self.b.begin_branch(binary(Binary::Equal, old.clone(), null, Type::int()));
        let new = self.block(call, name, (elem, count), false);
        self.b.assign(var, new);
        self.b.otherwise();
        let callee = Callee::External { function: External::Resize, returns: true, unknown: false };
        self.b.call(callee, vec![old, bytes], Some(var), None);
        self.b.end_branch();
        let value = self.b.get(var);
        self.b.close_scope(var);
        Ok(value)
    }

    /// A new block: its address.
    fn block(&mut self, call: &'a Node<'a>, name: &str, (elem, count): (Type, Expr), zeroed: bool) -> Expr {
        let name = if name.is_empty() { "block".to_string() } else { format!("{name}_block") };
        let name = self.unique(&name);
        let shape = vec![Dim::of(count.clone())];
        let (span, life) = (self.span(call), Life::Heap);
        let object = self.b.object(Object { name, elem: elem.clone(), shape, life, constant: false, span });
        self.b.emit(ItemKind::Alloc { object, count: count.clone(), zeroed });
        let subscript = Subscript { at: Expr::int(0), dim: Dim::of(count) };
        address(Place { base: Base::Object(object), path: vec![Step::Index(vec![subscript])], ty: elem })
    }

    /// A call of one of the functions here; `None` for others.
    pub fn memory_call(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        args: &'a [Node<'a>],
    ) -> Result<Option<Option<Expr>>> {
        let name = library::plain(name);
        match (name, args) {
            ("free" | "_mm_free", [pointer]) => {
                let pointer = self.value(Self::uncast(pointer))?;
                self.b.emit(ItemKind::Free { pointer });
                Ok(Some(None))
            }
            ("posix_memalign", [to, _, bytes]) => self.aligned(node, to, bytes).map(Some),
            (
                "malloc" | "calloc" | "realloc" | "alloca" | "reallocarray" | "aligned_alloc" | "memalign" | "valloc"
                | "_mm_malloc",
                _,
            ) => match self.allocate_by_size(node)? {
                Some(block) => Ok(Some(Some(block))),
                None => self.refuse(
                    node,
                    Class::Pointer,
                    "the type of the elements of this block is not known",
                    "cast the result of malloc to a pointer to the elements where it is called",
                ),
            },
            ("posix_memalign" | "strdup", _) => self.refuse(
                node,
                Class::Pointer,
                format!("'{name}' is not supported"),
                "use malloc, and a loop that copies",
            ),
            ("memcpy" | "memmove", [to, from, bytes, ..]) => {
                self.copy(node, name, [to, from], &[bytes])?;
                Ok(Some(None))
            }
            ("memset", [to, byte, bytes, ..]) => {
                self.set(node, [to, byte], &[bytes])?;
                Ok(Some(None))
            }
            _ => Ok(None),
        }
    }

    /// A pointer argument before its conversion to `void *`.
    pub fn uncast(node: &'a Node<'a>) -> &'a Node<'a> {
        let mut node = node.bare();
        while matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr")
            && matches!(node.operator.as_ref(), "BitCast" | "NoOp")
            && node.inner.len() == 1
        {
            node = node.only().bare();
        }
        node
    }

    /// A pointer to scalars or structs: rows are taken apart.
    fn elements(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let pointer = self.value(Self::uncast(node))?;
        let pointer = self.first_of_rows(pointer);
        match pointee(&pointer.ty) {
            Some(Type::Int { .. } | Type::Float { .. } | Type::Pointer(_) | Type::Struct(_)) => Ok(pointer),
            _ => self.refuse(
                node,
                Class::Pointer,
                "memory of unknown type is copied or set",
                "pass a pointer to the type of the elements",
            ),
        }
    }

    /// The count of elements that a number of bytes means, the product of these.
    fn count(&mut self, node: &'a Node<'a>, pointer: &Expr, factors: &[&'a Node<'a>]) -> Result<Expr> {
        let elem = pointee(&pointer.ty).cloned().unwrap_or_default();
        let size = self.reader.structs.layout(&elem).map_or(0, |(size, _)| size);
        let bytes = self.product_of_bytes(node, factors)?;
        match self.divided(&bytes, i128::from(size)) {
            Some(count) if known(&count).is_some() => Ok(count),
            Some(count) => Ok(self.b.keep("count", count)),
            None => self.refuse(
                factors.first().copied().unwrap_or(node),
                Class::Pointer,
                format!("this number of bytes is not a multiple of the size of the elements ({size} bytes)"),
                "write the size as count * sizeof(type)",
            ),
        }
    }

    /// `bytes / size` if that is a division without remainder, also where a variable holds the number of bytes.
    fn divided(&self, bytes: &Expr, size: i128) -> Option<Expr> {
        divide(bytes, size).or_else(|| cut(bytes, size)).or_else(|| {
            let set = self.set_to(bytes)?;
            // An `int` cuts off whole elements, if their size is a power of two.
            let (whole, is_cut) = match divide(&set, size) {
                Some(whole) => (whole, false),
                None => (divide(&uncut(set), size).filter(|_| size.count_ones() == 1)?, true),
            };
            // What was loaded may have changed since.
            Some(if is_cut || walk::loads(&whole) {
                binary(Binary::Divide, bytes.clone(), constant(size, bytes.ty.clone()), bytes.ty.clone())
            } else {
                cast(whole, bytes.ty.clone())
            })
        })
    }

    /// What the variable was set to that a number is, perhaps in a wider type.
    fn set_to(&self, number: &Expr) -> Option<Expr> {
        let proc = self.b.proc();
        let value = match &number.kind {
            ExprKind::Cast(inner) if is_wider(&number.ty, &inner.ty) => return self.set_to(inner),
            ExprKind::Value(value) => &proc.values[*value],
            _ => return None,
        };
        if let Def::Is(set) = &value.def {
            return Some(set.clone());
        }
        // In a loop, a variable that nothing assigns has a value that is not known yet to be the one before.
        let is_own = |id: &u64| matches!(self.bindings.get(id), Some(Binding::Var(var)) if *var == value.var);
        let (_, id) = self.visible.iter().find(|(_, id)| is_own(id))?;
        let is_set_once = !self.assigned.contains(id) && !self.addressed.contains(id);
        proc.values.iter().filter(|other| other.var == value.var && is_set_once).find_map(|other| match &other.def {
            Def::Is(set) => Some(set.clone()),
            _ => None,
        })
    }

    /// A pointer to the numbers of a struct that is taken for an array.
    fn numbers_behind(&mut self, pointer: Expr) -> Expr {
        let whole = element(pointer.clone(), Expr::int(0));
        self.first_number(whole).map_or(pointer, address)
    }

    pub fn copy(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        [to, from]: [&'a Node<'a>; 2],
        bytes: &[&'a Node<'a>],
    ) -> Result<()> {
        let (mut to, mut from) = (self.elements(to)?, self.elements(from)?);
        if to.ty != from.ty {
            (to, from) = (self.numbers_behind(to), self.numbers_behind(from));
        }
        if to.ty != from.ty {
            return self.refuse(
                node,
                Class::Pointer,
                format!("'{name}' between memory of different types"),
                "write a loop",
            );
        }
        let count = self.count(node, &to, bytes)?;
        // One object needs no pointer to it.
        let one = known(&count) == Some(1);
        let in_order = name == "memcpy" || one || are_apart(&to, &from);
        let (to, from) = if one { (to, from) } else { (self.b.keep("to", to), self.b.keep("from", from)) };
        if in_order {
            return self.each(count, false, &mut |this, at| {
                this.copy_struct(element(to.clone(), at.clone()), element(from.clone(), at), node)
            });
        }
        // Regions that overlap are copied from the end that is not overwritten.
        let down = binary(Binary::Less, from.clone(), to.clone(), Type::int());
        self.b.begin_branch(down);
        self.each(count.clone(), true, &mut |this, at| {
            this.copy_struct(element(to.clone(), at.clone()), element(from.clone(), at), node)
        })?;
        self.b.otherwise();
        self.each(count, false, &mut |this, at| {
            this.copy_struct(element(to.clone(), at.clone()), element(from.clone(), at), node)
        })?;
        self.b.end_branch();
        Ok(())
    }

    pub fn set(&mut self, node: &'a Node<'a>, [to, byte]: [&'a Node<'a>; 2], bytes: &[&'a Node<'a>]) -> Result<()> {
        let to = self.elements(to)?;
        let value = self.value(byte)?;
        let elem = pointee(&to.ty).cloned().unwrap_or_default();
        let number = match (known(&value), &elem) {
            (Some(0), _) => None,
            // Each byte of an integer is this one.
            (Some(byte), Type::Int { bits: bits @ (8 | 16 | 32 | 64), .. }) => {
                let bytes = (0..bits / 8).fold(0, |number, _| number << 8 | byte & 0xff);
                Some(constant(wrap(bytes, &elem), elem.clone()))
            }
            _ => {
                return self.refuse(
                    node,
                    Class::Pointer,
                    "memset of other memory than integers, with a value other than 0, depends on how it is represented",
                    "write a loop",
                );
            }
        };
        let count = self.count(node, &to, bytes)?;
        let to = if known(&count) == Some(1) { to } else { self.b.keep("to", to) };
        self.each(count, false, &mut |this, at| {
            let place = element(to.clone(), at);
            match number.clone() {
                Some(from) => {
                    this.touch(&place, true);
                    this.b.emit(ItemKind::Store { to: place, from });
                    Ok(())
                }
                None => this.clear(place, node),
            }
        })
    }

    /// A loop over `count` elements; downwards if `down`.
    pub fn each(&mut self, count: Expr, down: bool, body: &mut dyn FnMut(&mut Self, Expr) -> Result<()>) -> Result<()> {
        if let Some(count @ 0..=1) = known(&count) {
            return if count == 1 { body(self, Expr::int(0)) } else { Ok(()) };
        }
        let ty = if matches!(count.ty, Type::Int { signed: true, .. }) { count.ty.clone() } else { size_type() };
        let count = cast(count, ty.clone());
        let var = self.b.var("at", ty.clone(), VarKind::Temporary, self.b.span);
        let one = constant(1, ty.clone());
        self.b.assign(var, if down { count.clone() } else { zero(&ty) });
        self.b.begin_loop();
        let head = self.b.get(var);
        if down {
            self.b.test(binary(Binary::Greater, head.clone(), zero(&ty), Type::int()), TestAt::Before);
            self.b.assign(var, binary(Binary::Subtract, head, one, ty));
            let at = self.b.get(var);
            body(self, at)?;
        } else {
            self.b.test(binary(Binary::Less, head.clone(), count, Type::int()), TestAt::Before);
            body(self, head.clone())?;
            self.b.assign(var, binary(Binary::Add, head, one, ty));
        }
        self.b.end_loop();
        self.b.close_scope(var);
        Ok(())
    }
}

/// `size_t`
pub fn size_type() -> Type {
    Type::Int { bits: 64, signed: false, kind: IntKind::Long }
}

/// The least count of elements that take so many bytes.
fn rounded_down(bytes: &Expr, size: i128) -> Expr {
    binary(Binary::Divide, bytes.clone(), constant(size, size_type()), size_type())
}

fn rounded_up(bytes: &Expr, size: i128) -> Expr {
    let sum = binary(Binary::Add, bytes.clone(), constant(size - 1, size_type()), size_type());
    binary(Binary::Divide, sum, constant(size, size_type()), size_type())
}

/// The elements that fit into a part of some bytes: `sizeof(double) * n * (n + 1) / 2`.
fn part(bytes: &Expr, size: i128) -> Option<Expr> {
    match &bytes.kind {
        ExprKind::Cast(inner) if matches!(inner.ty, Type::Int { bits: 64, .. }) => {
            part(inner, size).map(|count| cast(count, bytes.ty.clone()))
        }
        ExprKind::Binary(Binary::Divide, whole, by) if known(by).is_some_and(|by| by > 0) => {
            let whole = divide(whole, size)?;
            Some(binary(Binary::Divide, whole, (**by).clone(), bytes.ty.clone()))
        }
        _ => None,
    }
}

/// `bytes / size` where a narrower type cuts off whole elements, as it does if their size is a power of two.
fn cut(bytes: &Expr, size: i128) -> Option<Expr> {
    let ExprKind::Cast(inner) = &bytes.kind else { return None };
    let is_cut = is_wider(&inner.ty, &bytes.ty) && size.count_ones() == 1 && divide(inner, size).is_some();
    is_cut.then(|| binary(Binary::Divide, bytes.clone(), constant(size, bytes.ty.clone()), bytes.ty.clone()))
}

/// Whether a type of integers has all bits of another one.
fn is_wider(ty: &Type, other: &Type) -> bool {
    matches!((ty, other), (Type::Int { bits: all, .. }, Type::Int { bits, .. }) if bits <= all)
}

/// `bytes / size` if that is a division without remainder by its form: a factor is a multiple of the size.
pub fn divide(bytes: &Expr, size: i128) -> Option<Expr> {
    match &bytes.kind {
        _ if size == 1 => Some(bytes.clone()),
        ExprKind::Int(value) if size > 0 && value % size == 0 => Some(constant(value / size, bytes.ty.clone())),
        ExprKind::Binary(Binary::Multiply, left, right) => {
            let (left, right) = match divide(left, size) {
                Some(left) => (left, (**right).clone()),
                None => ((**left).clone(), divide(right, size)?),
            };
            Some(match (known(&left), known(&right)) {
                (Some(1), _) => right,
                (_, Some(1)) => left,
                _ => binary(Binary::Multiply, left, right, bytes.ty.clone()),
            })
        }
        ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), left, right) => {
            Some(binary(*op, divide(left, size)?, divide(right, size)?, bytes.ty.clone()))
        }
        ExprKind::Cast(inner) => {
            // A conversion to a wider type keeps the quotient.
            is_wider(&bytes.ty, &inner.ty)
                .then(|| divide(inner, size))?
                .map(|quotient| cast(quotient, bytes.ty.clone()))
        }
        _ => None,
    }
}
