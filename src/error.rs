//! What can go wrong, and how it is said.
//!
//! An [`Error`] is a [`Status`] for programs and a message for people. The message says what happened, where,
//! how much was asked and what there was, and what to do. Unless a function says otherwise, the tape is
//! unchanged when it returns an error.

#![forbid(unsafe_code)]

use crate::codes::codes;
use crate::sync::{StaticFlag, UNORDERED};
use std::fmt;
use std::io::Write as _;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Status {
    /// No error.
    Ok = 0,
    /// A handle is NULL.
    NullHandle = 1,
    /// An address is NULL and its count is not zero.
    NullPointer = 2,
    /// A count is negative or larger than the address space.
    CountRange = 3,
    /// An argument has no meaning here: a type, a width in bits, a rank, an extent, an enumerated value.
    BadArgument = 4,
    /// A pop of more than the tape holds.
    Underflow = 5,
    /// The process's memory limit would be exceeded.
    MemoryLimit = 6,
    /// The operating system refuses memory or address space.
    OutOfMemory = 7,
    /// A repeat region is reset or ended that was not started.
    RepeatUnbalanced = 8,
    /// A mark was taken on another tape.
    MarkForeign = 9,
    /// A mark lies above the top: what it points to was popped since.
    MarkAboveTop = 10,
    /// Check mode: the value popped is not of the type and count that were pushed.
    Mismatch = 11,
    /// What is popped as control bits or as a count was not pushed as one.
    Corrupt = 12,
    /// The tape belongs to another thread.
    WrongThread = 13,
    /// The tape was released and not acquired since, or is not released and cannot be acquired.
    Released = 14,
    /// The tape is attached to a local cursor, or is not and cannot be detached.
    Attached = 15,
    /// An earlier failure left the tape unusable.
    Poisoned = 16,
    /// An environment variable of adtape has a value that cannot be understood.
    BadEnvironment = 17,
    /// A store or a file descriptor could not be written or read.
    Io = 18,
    /// There is no checkpoint, or no section of a checkpoint, of this name.
    NotFound = 19,
    /// A checkpoint or spilled tape is not as it was written: cut off, changed, renamed, or none at all.
    Damaged = 20,
    /// A checkpoint was written in another version of the format.
    OtherVersion = 21,
    /// A range overlaps one that is alive, or comes back while it is alive.
    Overlap = 22,
    /// An address is in no range that is alive, or no range begins there.
    NoRange = 23,
    /// Several ranges begin at an address, empty ones among them.
    Ambiguous = 24,
    /// An offset does not come out whole when it is scaled to an adjoint of another size.
    Uneven = 25,
    /// A function of the program asked to end what it was called from.
    Stopped = 26,
    /// A pointer that is freed is no block of the heap, was freed already, or points into the middle of one.
    BadBlock = 27,
    /// The heap is not in the state of the forward sweep.
    HeapState = 28,
    /// A block has no adjoint: the reversal point was not declared.
    NoAdjoint = 29,
    /// Another process has the files of a store.
    InUse = 30,
}

codes! {
    pub Status: i32 from 0 {
        Ok "ADTAPE_STATUS_OK",
        NullHandle "ADTAPE_STATUS_NULL_HANDLE",
        NullPointer "ADTAPE_STATUS_NULL_POINTER",
        CountRange "ADTAPE_STATUS_COUNT_RANGE",
        BadArgument "ADTAPE_STATUS_BAD_ARGUMENT",
        Underflow "ADTAPE_STATUS_UNDERFLOW",
        MemoryLimit "ADTAPE_STATUS_MEMORY_LIMIT",
        OutOfMemory "ADTAPE_STATUS_OUT_OF_MEMORY",
        RepeatUnbalanced "ADTAPE_STATUS_REPEAT_UNBALANCED",
        MarkForeign "ADTAPE_STATUS_MARK_FOREIGN",
        MarkAboveTop "ADTAPE_STATUS_MARK_ABOVE_TOP",
        Mismatch "ADTAPE_STATUS_MISMATCH",
        Corrupt "ADTAPE_STATUS_CORRUPT",
        WrongThread "ADTAPE_STATUS_WRONG_THREAD",
        Released "ADTAPE_STATUS_RELEASED",
        Attached "ADTAPE_STATUS_ATTACHED",
        Poisoned "ADTAPE_STATUS_POISONED",
        BadEnvironment "ADTAPE_STATUS_BAD_ENVIRONMENT",
        Io "ADTAPE_STATUS_IO",
        NotFound "ADTAPE_STATUS_NOT_FOUND",
        Damaged "ADTAPE_STATUS_DAMAGED",
        OtherVersion "ADTAPE_STATUS_OTHER_VERSION",
        Overlap "ADTAPE_STATUS_OVERLAP",
        NoRange "ADTAPE_STATUS_NO_RANGE",
        Ambiguous "ADTAPE_STATUS_AMBIGUOUS",
        Uneven "ADTAPE_STATUS_UNEVEN",
        Stopped "ADTAPE_STATUS_STOPPED",
        BadBlock "ADTAPE_STATUS_BAD_BLOCK",
        HeapState "ADTAPE_STATUS_HEAP_STATE",
        NoAdjoint "ADTAPE_STATUS_NO_ADJOINT",
        InUse "ADTAPE_STATUS_IN_USE",
    }
}

/// Set when the process is about to end because of an error that was said.
static FAILED: StaticFlag = StaticFlag::new(false);

/// Notes that the process ends because of an error that was said, so that what it leaves behind is no news.
pub(crate) fn note_failure() {
    FAILED.store(true, UNORDERED);
}

/// Whether [`note_failure`] was called.
pub(crate) fn failure_noted() -> bool {
    FAILED.load(UNORDERED)
}

struct Detail {
    status: Status,
    message: String,
}

/// An error: a status and a message of one or more lines. One word wide.
pub struct Error(Box<Detail>);

impl Error {
    /// An error that says `message`.
    #[cold]
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error(Box::new(Detail { status, message: message.into() }))
    }

    /// Its kind.
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// Its message, without a line feed at the end.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error with another line of message.
    #[cold]
    pub fn with_line(mut self, line: &str) -> Error {
        self.0.message.push_str("\n  ");
        self.0.message.push_str(line);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.status, self.0.message)
    }
}

impl std::error::Error for Error {}

/// Prints lines on standard error, in one write: other processes may write there, too. It may be closed; there is nobody
/// left to tell.
pub(crate) fn say(lines: &str) {
    let _ = std::io::stderr().write_all((visible(lines) + "\n").as_bytes());
}

/// The text without characters that a terminal would obey: names come from files and debug information. Line feeds and
/// tabs stay.
pub fn visible(text: &str) -> String {
    let obeyed = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && c != '\n' && c != '\t'
    };
    if !text.contains(obeyed) {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if obeyed(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// A number of bytes for people: `123 bytes`, `1.50 GiB (1610612736 bytes)`.
pub fn bytes(n: u64) -> String {
    in_units(n, 2).map_or_else(|| counted(n, "byte"), |text| format!("{text} ({n} bytes)"))
}

/// `1.50 GiB`, with so many digits behind the point; `None` below 1 KiB.
pub(crate) fn in_units(bytes: u64, digits: usize) -> Option<String> {
    const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let (unit, size) = UNITS.iter().find(|(_, size)| bytes >= *size)?;
    Some(format!("{:.digits$} {unit}", bytes as f64 / *size as f64))
}

/// `1 block`, `2 blocks`.
pub(crate) fn counted(n: impl Into<i128>, what: &str) -> String {
    match n.into() {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_in_the_largest_unit_and_exactly() {
        assert_eq!((bytes(0), bytes(1), bytes(1023)), ("0 bytes".into(), "1 byte".into(), "1023 bytes".into()));
        assert_eq!(bytes(3 << 29), "1.50 GiB (1610612736 bytes)");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(visible("größe\n\tx"), "größe\n\tx");
        assert_eq!(visible("a\x1b[2Jb\r\x07\u{9b}\u{202e}"), "a\\u{1b}[2Jb\\r\\u{7}\\u{9b}\\u{202e}");
    }
}
