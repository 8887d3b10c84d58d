//! The thread's own tape, as a cursor.

use super::Cursor;
use crate::tape::hot::storage::hot;

pub(crate) use crate::tape::life::{take, warn_of_leftovers};

/// The calling thread's cursor.
#[inline(always)]
pub(crate) fn cursor() -> &'static Cursor {
    Cursor::of(hot())
}
