//! What a failed push or pop says first: what was being done, where.

#![forbid(unsafe_code)]

use super::types::Type;
use crate::error::{Error, counted};
use crate::site::Site;

/// The error, headed by what was being done where.
#[cold]
pub(crate) fn located(error: Error, what: &str, ty: Type, count: i64, site: Site) -> Error {
    let amount = match (count, ty) {
        (1, Type::Count | Type::Pointer | Type::Pair | Type::Range | Type::Descriptor) => format!("a {}", ty.name()),
        (1, Type::Control) => "one control bit".to_owned(),
        (_, Type::Control) => format!("{count} control bits"),
        (1, _) => format!("one {}", ty.name()),
        _ => format!("{count} values of {}", ty.name()),
    };
    let size = match ty {
        _ if !ty.has_arrays() => String::new(),
        _ => format!(" ({})", counted(i128::from(count) * ty.bytes() as i128, "byte")),
    };
    Error::new(error.status(), format!("{what} of {amount}{size} at {site}: {}", error.message()))
}
