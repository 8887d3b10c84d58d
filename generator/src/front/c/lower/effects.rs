//! What expressions and procedures read and write, as far as the order of evaluation depends on it.
//!
//! C leaves the order of two operands open. Where one of them is a call that writes what the other reads or writes, the
//! order matters, and the expression is refused. An operand that writes without a call is undefined in C if the order
//! matters, so that is nobody's concern.
//!
//! Types and names tell accesses apart as far as this file goes. What may still meet becomes an [`Order`], which the
//! analyses of pointers judge.

use super::make::address;
use super::*;

/// Classes of scalars that may share memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kinds(u16);

/// State that no expression names: streams, the generator of random numbers, the heap.
pub const HIDDEN: Kinds = Kinds(1 << 8);
const POINTER: Kinds = Kinds(1 << 7);
const ALL: Kinds = Kinds(u16::MAX);

impl Kinds {
    /// The class of a type; all members of a struct.
    pub fn of(ty: &Type, types: &Types) -> Kinds {
        match ty {
            Type::Int { bits: 1 | 8, .. } => Kinds(1),
            Type::Int { bits: 16, .. } => Kinds(1 << 1),
            Type::Int { bits: 32, .. } => Kinds(1 << 2),
            Type::Int { .. } => Kinds(1 << 3),
            Type::Float { bits: 32 } => Kinds(1 << 4),
            Type::Float { bits: 64 } => Kinds(1 << 5),
            Type::Float { .. } => Kinds(1 << 6),
            Type::Pointer(_) => POINTER,
            Type::Array { elem, .. } => Kinds::of(elem, types),
            Type::Struct(id) => {
                let fields = &types.structs[*id].fields;
                fields.iter().fold(Kinds::default(), |all, field| all.and(Kinds::of(&field.ty, types)))
            }
            Type::Void => Kinds::default(),
            Type::Opaque(_) => ALL,
        }
    }

    fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether some class is in both.
    pub fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

/// Where an access goes, if that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    Object(ObjectId),
    Global(GlobalId),
    /// Where a pointer leads that the procedure got: to none of its own objects.
    Outside,
    Anywhere,
}

/// An access of memory without a call.
#[derive(Clone, Debug)]
struct Access {
    at: Where,
    kinds: Kinds,
    touched: Touched,
}

/// What an expression does to memory.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    reads: Vec<Access>,
    writes: Vec<Access>,
    calls: Vec<Call>,
}

/// What a call does to memory.
#[derive(Clone, Debug)]
struct Call {
    /// What it calls.
    name: String,
    does: Summary,
    /// Where its pointers lead.
    reach: Vec<Where>,
    /// The call, once it is made; a call that an expression takes the place of has none.
    item: Option<ItemId>,
}

/// What a procedure does to memory that is not its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Through pointers.
    reads: Kinds,
    writes: Kinds,
    /// Of variables with static storage.
    global_reads: Kinds,
    global_writes: Kinds,
}

impl Summary {
    /// The summary of a procedure that is not known yet, or of a call whose effects are unknown.
    pub const UNKNOWN: Summary = Summary { reads: ALL, writes: ALL, global_reads: ALL, global_writes: ALL };
    /// The summary of a function that prints, reads the clock or draws a random number.
    pub const HIDDEN: Summary =
        Summary { reads: Kinds(0), writes: Kinds(0), global_reads: HIDDEN, global_writes: HIDDEN };

    /// A read or write of memory.
    pub fn add(&mut self, kinds: Kinds, write: bool, global: bool) {
        let side = match (write, global) {
            (false, false) => &mut self.reads,
            (true, false) => &mut self.writes,
            (false, true) => &mut self.global_reads,
            (true, true) => &mut self.global_writes,
        };
        *side = side.and(kinds);
    }

    /// What a call may write.
    pub fn written(self) -> Kinds {
        self.writes.and(self.global_writes)
    }

    /// A call of another procedure. `own`: its pointers lead to memory of the caller only.
    fn include(&mut self, other: Summary, own: bool) {
        self.add(other.global_reads, false, true);
        self.add(other.global_writes, true, true);
        if !own {
            self.add(other.reads, false, false);
            self.add(other.writes, true, false);
        }
    }
}

impl Effects {
    /// Calls here that change what other expressions use, or use what they change: what the analyses of pointers must say
    /// of them, or why they cannot.
    fn meetings(&self, other: &Effects, span: Span) -> Vec<std::result::Result<Order, Refusal>> {
        let places = |accesses: &[Access], meets: &dyn Fn(&Access) -> bool| -> Vec<Touched> {
            accesses.iter().filter(|access| meets(access)).map(|access| access.touched.clone()).collect()
        };
        let meeting = |call: &Call| {
            let read = places(&other.reads, &|access| call.writes_to(access));
            let written = places(&other.writes, &|access| call.writes_to(access) || call.reads_from(access));
            let calls: Vec<&Call> = other.calls.iter().filter(|other| call.changes(other)).collect();
            if read.is_empty() && written.is_empty() && calls.is_empty() {
                return None;
            }
            let open = calls.iter().map(|other| other.item.filter(|_| !call.shares_hidden_state(other)));
            Some(match (call.item, open.collect()) {
                (Some(item), Some(calls)) => {
                    Ok(Order { call: item, read, written, calls, name: call.name.clone(), span })
                }
                _ => Err(Refusal::order(&call.name, span)),
            })
        };
        self.calls.iter().filter_map(meeting).collect()
    }

    /// The number of writes without a call.
    pub fn writes(&self) -> usize {
        self.writes.len()
    }

    fn include(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.calls.extend(other.calls);
    }
}

impl Call {
    fn writes_to(&self, access: &Access) -> bool {
        self.meets(access, self.does.writes, self.does.global_writes)
    }

    fn reads_from(&self, access: &Access) -> bool {
        self.meets(access, self.does.reads, self.does.global_reads)
    }

    /// Whether both may use state that no expression names, and one may change it.
    fn shares_hidden_state(&self, other: &Call) -> bool {
        let touched = other.does.global_reads.and(other.does.global_writes);
        self.does.global_writes.meets(HIDDEN) && touched.meets(HIDDEN)
    }

    /// Whether an access may be one of the call: of these classes through pointers, and these of static storage.
    fn meets(&self, &Access { at, kinds, .. }: &Access, through: Kinds, global: Kinds) -> bool {
        let is_static = !matches!(at, Where::Object(_));
        (kinds.meets(through) && self.reach.iter().any(|to| may_be(*to, at))) || (is_static && kinds.meets(global))
    }

    /// Whether the call may write what another one reads or writes.
    fn changes(&self, other: &Call) -> bool {
        let touched = other.does.reads.and(other.does.writes);
        let touched_static = other.does.global_reads.and(other.does.global_writes);
        let leads_to_static = |call: &Call| call.reach.iter().any(|to| !matches!(to, Where::Object(_)));
        let together = self.reach.iter().any(|to| other.reach.iter().any(|at| may_be(*to, *at)));
        (together && self.does.writes.meets(touched))
            || (leads_to_static(self) && self.does.writes.meets(touched_static))
            || (leads_to_static(other) && self.does.global_writes.meets(touched))
            || self.does.global_writes.meets(touched_static)
    }
}

/// Whether two accesses may go to one place. A pointer that is not known may lead to any object whose address somebody
/// took.
fn may_be(one: Where, other: Where) -> bool {
    match (one, other) {
        (Where::Anywhere, _) | (_, Where::Anywhere) => true,
        (Where::Outside, Where::Global(_)) | (Where::Global(_), Where::Outside) => true,
        _ => one == other,
    }
}

impl<'a> Lower<'_, 'a> {
    fn location(&self, place: &Place) -> Where {
        match &place.base {
            Base::Object(object) => Where::Object(*object),
            Base::Global(global) => Where::Global(*global),
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Address(place) => self.location(place),
                ExprKind::Value(value) if self.is_given(*value) => Where::Outside,
                _ => Where::Anywhere,
            },
        }
    }

    /// Whether a value is a parameter as the procedure got it. In a loop that is the value of a variable that no statement
    /// assigns.
    fn is_given(&self, value: ValueId) -> bool {
        let proc = self.b.proc();
        let var = proc.values[value].var;
        let changes = |id: &u64| self.assigned.contains(id) || self.addressed.contains(id);
        let kept = || {
            let mut this = self.bindings.iter().filter(|(_, b)| matches!(b, Binding::Var(other) if *other == var));
            this.all(|(id, _)| !changes(id))
        };
        proc.params.iter().any(|param| param.entry == Some(value) || (param.var == Some(var) && kept()))
    }

    /// Whether a place is one element wherever the expression begins: numbers for subscripts, of a variable or of what a
    /// parameter points to that nothing assigns.
    fn is_element(&self, place: &Place) -> bool {
        let fixed = |step: &Step| match step {
            Step::Index(subscripts) => subscripts.iter().all(is_fixed),
            Step::Field(_) => true,
        };
        let base = match &place.base {
            Base::Object(_) | Base::Global(_) => true,
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Address(inner) => self.is_element(inner),
                ExprKind::Value(value) => self.is_given(*value),
                _ => false,
            },
        };
        base && !matches!(place.ty, Type::Array { .. }) && place.path.iter().all(fixed)
    }

    /// Notes that a place is read or written.
    pub fn touch(&mut self, place: &Place, write: bool) {
        let kinds = Kinds::of(&place.ty, &self.reader.structs.types);
        let at = self.location(place);
        let private = matches!(at, Where::Object(object) if self.private.contains(&object));
        // Nobody reads `errno`, so it does not matter who writes it last.
        if private || self.is_errno(place) || self.is_scratch(place) {
            return;
        }
        let is_element = self.is_element(place);
        let place = if is_element { place.clone() } else { without_subscripts(place) };
        let list = if write { &mut self.effects.writes } else { &mut self.effects.reads };
        list.push(Access { at, kinds, touched: Touched { place, is_element } });
        if !matches!(at, Where::Object(_)) {
            self.summary.add(kinds, write, matches!(at, Where::Global(_)));
        }
    }

    /// Notes a call of a function with this name.
    pub fn touch_call(&mut self, name: &str, mut summary: Summary, args: &[Expr]) {
        // A pointer that the callee finds in memory may lead anywhere.
        let finds = summary.reads.and(summary.global_reads).meets(POINTER);
        if !finds && !args.iter().any(|arg| self.holds_pointer(&arg.ty) && !matches!(arg.kind, ExprKind::Null)) {
            (summary.reads, summary.writes) = (Kinds::default(), Kinds::default());
        }
        let own = !finds && args.iter().all(|arg| self.is_own(arg));
        self.summary.include(summary, own);
        let mut reach = Vec::new();
        reach.extend(finds.then_some(Where::Anywhere));
        for arg in args {
            match &arg.kind {
                ExprKind::Address(place) => reach.push(self.location(place)),
                ExprKind::Value(value) if self.is_given(*value) => reach.push(Where::Outside),
                _ if self.holds_pointer(&arg.ty) => reach.push(Where::Anywhere),
                _ => {}
            }
        }
        self.effects.calls.push(Call { name: name.to_string(), does: summary, reach, item: None });
    }

    /// Notes that a call of a function of the library does the writes that were noted behind the first ones, `before` of
    /// them; the last item stores.
    pub fn written_by_call(&mut self, name: &str, before: usize) {
        let item = self.b.items_here().last().copied();
        for Access { at, kinds, .. } in self.effects.writes.split_off(before) {
            let does = Summary { writes: kinds, ..Summary::default() };
            self.effects.calls.push(Call { name: name.to_string(), does, reach: vec![at], item });
        }
    }

    /// Whether an argument leads to no memory but that of this procedure.
    fn is_own(&self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Address(place) => matches!(self.location(place), Where::Object(_)),
            ExprKind::Null => true,
            _ => !self.holds_pointer(&arg.ty),
        }
    }

    /// A pointer, or a struct with one in it.
    pub fn holds_pointer(&self, ty: &Type) -> bool {
        Kinds::of(ty, &self.reader.structs.types).meets(POINTER)
    }

    /// Begins an operand: what was noted so far is put aside.
    pub fn begin_operand(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// Ends what C orders behind the effects put aside: the right side of a comma, of `&&`, an arm of `?:`.
    pub fn end_ordered(&mut self, aside: Effects) {
        self.effects.include(aside);
    }

    /// Makes the call that was noted last.
    pub fn make_call(&mut self, id: ProcId, args: Vec<Expr>, var: Option<VarId>, into: Option<Place>) {
        let item = self.b.call(Callee::Proc(id), args, var, into);
        if let Some(call) = self.effects.calls.last_mut() {
            call.item = Some(item);
        }
    }

    /// Ends an operand that nothing orders with the operands put aside.
    pub fn end_operand(&mut self, aside: Effects, node: &Node) -> Result<()> {
        let span = self.span(node);
        let meetings = [self.effects.meetings(&aside, span), aside.meetings(&self.effects, span)].concat();
        self.effects.include(aside);
        for order in meetings {
            self.b.proc_mut().orders.push(order.map_err(Box::new)?);
        }
        Ok(())
    }
}

/// Whether a subscript is a number, in an array whose extents are numbers.
fn is_fixed(subscript: &Subscript) -> bool {
    let is_number = |e: &Expr| matches!(e.kind, ExprKind::Int(_));
    let bounds = [&subscript.dim.lower, &subscript.dim.extent].into_iter().flatten();
    is_number(&subscript.at) && bounds.into_iter().all(is_number)
}

/// A place as far as the analyses of pointers know it.
fn without_subscripts(place: &Place) -> Place {
    let field = |step: &&Step| matches!(step, Step::Field(_));
    let base = match &place.base {
        Base::At(pointer) => Base::At(Box::new(match &pointer.kind {
            ExprKind::Address(inner) => address(without_subscripts(inner)),
            _ => (**pointer).clone(),
        })),
        other => other.clone(),
    };
    Place { base, path: place.path.iter().filter(field).cloned().collect(), ty: place.ty.clone() }
}
