//! What expressions and procedures read and write, as far as the order of evaluation depends on it.
//!
//! C leaves the order of two operands open. Where one of them is a call that writes what the other reads or writes, the
//! order matters, and the expression is refused. An operand that writes without a call is undefined in C if the order
//! matters, so that is nobody's concern.

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
                let fields = &types.structs[id.index()].fields;
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
    Anywhere,
}

/// What an expression does to memory.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    reads: Vec<(Where, Kinds)>,
    writes: Vec<(Where, Kinds)>,
    call_reads: Kinds,
    call_writes: Kinds,
    /// Objects that calls can reach.
    passed: Vec<Where>,
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
    fn calls_meet(&self, other: &Effects) -> bool {
        let reach = |place: Where| match place {
            Where::Anywhere => true,
            Where::Global(_) => true,
            Where::Object(_) => self.passed.contains(&place) || self.passed.contains(&Where::Anywhere),
        };
        let hit = |list: &[(Where, Kinds)], kinds: Kinds| list.iter().any(|(at, k)| k.meets(kinds) && reach(*at));
        let other_calls = other.call_reads.and(other.call_writes);
        hit(&other.reads, self.call_writes)
            || hit(&other.writes, self.call_writes.and(self.call_reads))
            || self.call_writes.meets(other_calls)
    }

    fn conflict(&self, other: &Effects) -> bool {
        self.calls_meet(other) || other.calls_meet(self)
    }

    fn include(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.passed.extend(other.passed);
        self.call_reads = self.call_reads.and(other.call_reads);
        self.call_writes = self.call_writes.and(other.call_writes);
    }
}

impl<'a> Lower<'_, 'a> {
    fn location(place: &Place) -> Where {
        match &place.base {
            Base::Object(object) => Where::Object(*object),
            Base::Global(global) => Where::Global(*global),
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Address(place) => Self::location(place),
                _ => Where::Anywhere,
            },
        }
    }

    /// Notes that a place is read or written.
    pub fn touch(&mut self, place: &Place, write: bool) {
        let kinds = Kinds::of(&place.ty, &self.reader.structs.types);
        let at = Self::location(place);
        let private = matches!(at, Where::Object(object) if self.private.contains(&object));
        // Nobody reads `errno`, so it does not matter who writes it last.
        if private || self.is_errno(place) || self.is_scratch(place) {
            return;
        }
        let list = if write { &mut self.effects.writes } else { &mut self.effects.reads };
        list.push((at, kinds));
        if !matches!(at, Where::Object(_)) {
            self.summary.add(kinds, write, matches!(at, Where::Global(_)));
        }
    }

    /// Notes a call.
    pub fn touch_call(&mut self, mut summary: Summary, args: &[Expr]) {
        // A pointer that the callee finds in memory may lead anywhere.
        let finds = summary.reads.and(summary.global_reads).meets(POINTER);
        if !finds && !args.iter().any(|arg| self.holds_pointer(&arg.ty) && !matches!(arg.kind, ExprKind::Null)) {
            (summary.reads, summary.writes) = (Kinds::default(), Kinds::default());
        }
        self.effects.call_reads = self.effects.call_reads.and(summary.reads).and(summary.global_reads);
        self.effects.call_writes = self.effects.call_writes.and(summary.writes).and(summary.global_writes);
        let own = !finds && args.iter().all(|arg| self.is_own(arg));
        self.summary.include(summary, own);
        for arg in args {
            match &arg.kind {
                ExprKind::Address(place) => self.effects.passed.push(Self::location(place)),
                _ if self.holds_pointer(&arg.ty) => self.effects.passed.push(Where::Anywhere),
                _ => {}
            }
        }
    }

    /// Whether an argument leads to no memory but that of this procedure.
    fn is_own(&self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Address(place) => matches!(Self::location(place), Where::Object(_)),
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

    /// Ends an operand that nothing orders with the operands put aside.
    pub fn end_operand(&mut self, aside: Effects, node: &Node) -> Result<()> {
        let conflict = self.effects.conflict(&aside);
        self.effects.include(aside);
        if conflict {
            return self.refuse(
                node,
                Class::Order,
                "C leaves open whether this operand or another of the expression comes first, and a call changes what \
                 the other uses",
                "assign the result of the call to a variable in a statement before",
            );
        }
        Ok(())
    }
}
