//! The calls of the run-time library that generated code makes: the only place that knows their names.

use crate::ir::{Type, Undone};

/// How a scalar goes on the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Suffix of the calls: `f64`.
    pub suffix: &'static str,
    /// C type that the calls take.
    pub c_type: &'static str,
    /// Whether that is the very type of the scalar, so that its address can be passed.
    pub exact: bool,
}

/// How a number of this type goes on the tape; `None` for what is no number.
pub fn scalar(ty: &Type) -> Option<Scalar> {
    let (suffix, c_type, exact) = match ty {
        Type::Float { bits: 32 } => ("f32", "float", true),
        Type::Float { bits: 64 } => ("f64", "double", true),
        Type::Float { .. } => ("f80", "long double", true),
        Type::Int { bits: 1, .. } => ("bool", "bool", false),
        Type::Int { bits: 8, .. } => ("i8", "int8_t", *ty == Type::signed(8)),
        Type::Int { bits: 16, .. } => ("i16", "int16_t", *ty == Type::signed(16)),
        // int32_t is int wherever int has 32 bits.
        Type::Int { bits: 32, .. } => ("i32", "int32_t", *ty == Type::int() || *ty == Type::signed(32)),
        Type::Int { .. } => ("i64", "int64_t", *ty == Type::signed(64)),
        _ => return None,
    };
    Some(Scalar { suffix, c_type, exact })
}

/// How a scalar or a pointer goes on the tape.
pub fn on_tape(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Pointer(_) => Some(Scalar { suffix: "opaque", c_type: "void *", exact: false }),
        ty => scalar(ty),
    }
}

/// The header.
pub const HEADER: &str = "<adtape.h>";
/// The type of a tape.
pub const TAPE: &str = "adtape_t";
/// An expression: the tape of the calling thread.
pub const SELF: &str = "adtape_self()";

/// The type of a stable heap.
pub const HEAP: &str = "adtape_heap_t";
/// An expression: the heap of the calling thread.
pub const OWN_HEAP: &str = "adtape_heap_self()";

/// What calls return that can fail.
pub const OK: &str = "ADTAPE_STATUS_OK";
/// An expression: what the last error was.
pub const MESSAGE: &str = "adtape_error_message()";

/// Makes a block of `count` elements of `size` bytes.
pub fn heap_alloc(heap: &str, tape: &str, count: &str, size: &str, zeroed: bool) -> String {
    if zeroed {
        format!("adtape_heap_calloc({heap}, {tape}, (int64_t)({count}), {size})")
    } else {
        format!("adtape_heap_alloc({heap}, {tape}, (int64_t)({count}) * {size})")
    }
}

/// Frees a block; `contents`: and pushes them.
pub fn heap_free(heap: &str, tape: &str, pointer: &str, contents: bool) -> String {
    format!("adtape_heap_free{}({heap}, {tape}, {pointer})", if contents { "_save" } else { "" })
}

/// Gives a block another size; what is cut off goes to the tape.
pub fn heap_resize(heap: &str, tape: &str, pointer: &str, bytes: &str) -> String {
    format!("adtape_heap_realloc_save({heap}, {tape}, {pointer}, (int64_t)({bytes}))")
}

/// Undoes one of these.
pub fn heap_undo(heap: &str, tape: &str, what: Undone) -> String {
    match what {
        Undone::Alloc => format!("adtape_heap_undo_alloc({heap}, {tape})"),
        Undone::Release => format!("(void)adtape_heap_undo_free({heap}, {tape})"),
        Undone::Resize => format!("(void)adtape_heap_undo_realloc({heap}, {tape})"),
    }
}

/// The adjoint of an address in a block.
pub fn heap_adjoint(heap: &str, pointer: &str) -> String {
    format!("adtape_heap_adjoint({heap}, {pointer})")
}

/// The reversal point.
pub fn heap_begin_reverse(heap: &str) -> String {
    format!("adtape_heap_begin_reverse({heap})")
}

/// Pushes a number.
pub fn push(tape: &str, suffix: &str, value: &str) -> String {
    format!("adtape_push_{suffix}({tape}, {value})")
}

/// Pops a number into the variable at an address.
pub fn pop(tape: &str, suffix: &str, address: &str) -> String {
    format!("adtape_pop_{suffix}({tape}, {address})")
}

/// Declares a mark, and takes it.
pub fn take_mark(tape: &str, mark: &str) -> String {
    format!("adtape_mark_t {mark};\nadtape_mark_take({tape}, &{mark})")
}

/// Discards what was pushed since a mark was taken.
pub fn reset_to_mark(tape: &str, mark: &str) -> String {
    format!("adtape_mark_reset({tape}, &{mark})")
}

/// Pushes elements.
pub fn push_array(tape: &str, suffix: &str, first: &str, count: &str) -> String {
    format!("adtape_push_array_{suffix}({tape}, {first}, {count})")
}

/// Pops elements.
pub fn pop_array(tape: &str, suffix: &str, first: &str, count: &str) -> String {
    format!("adtape_pop_array_{suffix}({tape}, {first}, {count})")
}

/// Pushes the numbers of a record, which lie in a compound literal.
pub fn push_record(tape: &str, suffix: &str, values: &str, count: usize) -> String {
    format!("adtape_push_record_{suffix}({tape}, {values}, {count})")
}

/// Pops the numbers of a record into a local array.
pub fn pop_record(tape: &str, suffix: &str, first: &str, count: usize) -> String {
    format!("adtape_pop_record_{suffix}({tape}, {first}, {count})")
}

/// Pushes a few bits of a `uint64_t`.
pub fn push_bits(tape: &str, value: &str, bits: u8) -> String {
    format!("adtape_push_control({tape}, {value}, {bits})")
}

/// Pops a few bits: a `uint64_t`.
pub fn pop_bits(tape: &str, bits: u8) -> String {
    format!("adtape_pop_control({tape}, {bits})")
}

/// Pushes a count, an `int64_t`.
pub fn push_count(tape: &str, value: &str) -> String {
    format!("adtape_push_count({tape}, {value})")
}

/// Pops a count: an `int64_t`.
pub fn pop_count(tape: &str) -> String {
    format!("adtape_pop_count({tape})")
}

/// The type of the handle of a loop that runs again from snapshots.
pub const PASSES: &str = "adtape_passes_t";

/// Begins such a loop: at most `most` snapshots, `passes` passes, -1 if that is not known.
pub fn passes_create(most: u32, passes: &str) -> String {
    format!("adtape_abi0_passes_create({most}, {passes})")
}

/// Notes that a pass begins; whether its snapshot is to be kept, part by part.
pub fn passes_enter(passes: &str) -> String {
    format!("adtape_abi0_passes_enter({passes})")
}

/// Notes that the loop has ended.
pub fn passes_leave(passes: &str) -> String {
    format!("adtape_abi0_passes_leave({passes})")
}

/// In the reverse sweep: whether a snapshot is to be kept or comes back next, part by part.
pub fn passes_state(passes: &str) -> String {
    format!("adtape_abi0_passes_state({passes})")
}

/// In the reverse sweep: whether a pass is to be run without a tape; else the next one is to be reversed.
pub fn passes_run(passes: &str) -> String {
    format!("adtape_abi0_passes_run({passes})")
}

/// Keeps or brings back a part of a snapshot.
pub fn passes_move(passes: &str, address: &str, bytes: &str) -> String {
    format!("adtape_abi0_passes_move({passes}, {address}, {bytes})")
}

/// Ends such a loop: all passes are reversed.
pub fn passes_destroy(passes: &str) -> String {
    format!("adtape_abi0_passes_destroy({passes})")
}
