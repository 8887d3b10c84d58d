//! What expressions and procedures read and write, as far as the order of evaluation depends on it.
//!
//! C leaves the order of two operands open. Where one of them is a call that writes what the other reads or writes, the
//! order matters, and the expression is refused. An operand that writes without a call is undefined in C if the order
//! matters, so that is nobody's concern.
//!
//! Types and names tell accesses apart as far as this file goes. What may still meet becomes an [`Order`], which the
//! analyses of pointers judge.

use super::*;

/// Classes of scalars that may share memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kinds(u16);

/// State that no expression names: streams, the generator of random numbers, the heap.
pub const HIDDEN: Kinds = Kinds(1 << 8);
pub(super) const POINTER: Kinds = Kinds(1 << 7);
pub(super) const ALL: Kinds = Kinds(u16::MAX);

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
            Type::Array(row) => Kinds::of(&row.elem, types),
            Type::Struct(id) => {
                let fields = &types.structs[*id].fields;
                fields.iter().fold(Kinds::default(), |all, field| all.and(Kinds::of(&field.ty, types)))
            }
            Type::Void => Kinds::default(),
            Type::Opaque(_) => ALL,
        }
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether some class is in both.
    pub fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

/// Where an access goes, if that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Where {
    Object(ObjectId),
    Global(GlobalId),
    /// Where a pointer leads that the procedure got: to none of its own objects.
    Outside,
    Anywhere,
}

/// An access of memory without a call.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) at: Where,
    pub(super) kinds: Kinds,
    pub(super) touched: Touched,
}

/// What an expression does to memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: Vec<Access>,
    pub(super) writes: Vec<Access>,
    pub(super) calls: Vec<Call>,
}

/// What a call does to memory.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// What it calls.
    pub(super) name: String,
    pub(super) does: Summary,
    /// Where its pointers lead.
    pub(super) reach: Vec<Where>,
    /// The call, once it is made; a call that an expression takes the place of has none.
    pub(super) item: Option<ItemId>,
}

/// What a procedure does to memory that is not its own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// Through pointers.
    pub(super) reads: Kinds,
    pub(super) writes: Kinds,
    /// Of variables with static storage.
    pub(super) global_reads: Kinds,
    pub(super) global_writes: Kinds,
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
    pub(super) fn include(&mut self, other: Summary, own: bool) {
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
    pub(super) fn meetings(&self, other: &Effects, span: Span) -> Vec<std::result::Result<Order, Refusal>> {
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

    pub(super) fn include(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.calls.extend(other.calls);
    }
}

impl Call {
    pub(super) fn writes_to(&self, access: &Access) -> bool {
        self.meets(access, self.does.writes, self.does.global_writes)
    }

    pub(super) fn reads_from(&self, access: &Access) -> bool {
        self.meets(access, self.does.reads, self.does.global_reads)
    }

    /// Whether both may use state that no expression names, and one may change it.
    pub(super) fn shares_hidden_state(&self, other: &Call) -> bool {
        let touched = other.does.global_reads.and(other.does.global_writes);
        self.does.global_writes.meets(HIDDEN) && touched.meets(HIDDEN)
    }

    /// Whether an access may be one of the call: of these classes through pointers, and these of static storage.
    pub(super) fn meets(&self, &Access { at, kinds, .. }: &Access, through: Kinds, global: Kinds) -> bool {
        let is_static = !matches!(at, Where::Object(_));
        (kinds.meets(through) && self.reach.iter().any(|to| may_be(*to, at))) || (is_static && kinds.meets(global))
    }

    /// Whether the call may write what another one reads or writes.
    pub(super) fn changes(&self, other: &Call) -> bool {
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
pub(super) fn may_be(one: Where, other: Where) -> bool {
    match (one, other) {
        (Where::Anywhere, _) | (_, Where::Anywhere) => true,
        (Where::Outside, Where::Global(_)) | (Where::Global(_), Where::Outside) => true,
        _ => one == other,
    }
}
