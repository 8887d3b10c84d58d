//! What replay does not model: a procedure with any of it is neither proved nor refused.
//!
//! What sweeps do with such a construct may show in places that replay would otherwise take for faults, so it is
//! searched for before anything is judged.

use crate::ir::*;

pub(super) const OFFSETS: &str = "pointers in memory that change, or are set in a loop";
pub(super) const STABLE: &str = "a block of the stable heap";

/// The first construct of two sweeps that replay does not model, and where it is.
pub(super) fn missing(forward: &Proc, reverse: &Proc) -> Option<(&'static str, Span)> {
    if let Some(object) = forward.objects.iter().find(|object| object.life == Life::Stable) {
        return Some((STABLE, object.span));
    }
    for sweep in [forward, reverse] {
        for item in sweep.regions.iter().flat_map(|region| &region.items) {
            let Item { kind, span, .. } = &sweep.items[*item];
            if let ItemKind::Sweep(SweepItem::Release { .. } | SweepItem::Undo { .. }) = kind {
                return Some((STABLE, *span));
            }
        }
    }
    None
}
