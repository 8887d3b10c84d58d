//! Loops of reverse sweeps whose passes commute: no pass reads or sets what another one adds to or sets.
//!
//! ```text
//!   for (j = n; j-- > 0;) {                  sum = 0
//!       a_b[i] += b[j] * c_b[j];             for (j = 0; j < n; ++j) {
//!       b_b[j] += a[i] * c_b[j];                 sum += b[j] * c_b[j];
//!   }                                            b_b[j] += a[i] * c_b[j];
//!                                            }
//!                                            if (0 < n) a_b[i] += sum;
//! ```
//!
//! Their order is the generator's choice, so they run upwards, which compilers turn into vector instructions. What all
//! passes add to one element is summed beside it: a sum that may be split among the parts of a vector
//! (`omp simd reduction`). This comes behind the proof: the statements of a pass stay, and the sums that adjoints are
//! differ by rounding. `--in-order` leaves it out.
//!
//! The passes of a loop commute if each piece of memory that they share is of one of three kinds:
//!
//! | kind | what the passes do there |
//! |---|---|
//! | read | nobody writes |
//! | sums | all only add |
//! | own | each pass touches one element, which moves with the index |

mod access;
mod rewrite;

use std::collections::{BTreeMap, BTreeSet};

use super::Sweeps;
use crate::flow::walk;
use crate::ir::*;

/// Rearranges such loops in all reverse sweeps.
pub(super) fn rearrange(sweeps: &mut [Sweeps], global_shadows: &BTreeMap<GlobalId, GlobalId>) {
    let shadows: BTreeSet<GlobalId> = global_shadows.values().copied().collect();
    for Sweeps { reverse, interface, .. } in sweeps {
        let mut rewriter = rewrite::Rewriter::new(reverse);
        for (region, item) in innermost(rewriter.proc()) {
            let pass = access::Pass::of(rewriter.proc(), &interface.params, &shadows, item);
            if let Some(found) = pass.and_then(|pass| pass.commuting()) {
                rewriter.rearrange(region, item, &found);
            }
        }
        rewriter.finish();
    }
}

/// The loops without loops in them, with the regions that they stand in.
fn innermost(proc: &Proc) -> Vec<(RegionId, ItemId)> {
    let is_loop = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Loop { .. });
    let mut found = Vec::new();
    for (region, this) in proc.regions.by_id() {
        for &item in &this.items {
            let ItemKind::Loop { body, .. } = proc.items[item].kind else { continue };
            if !walk::items(proc, body).iter().any(is_loop) {
                found.push((region, item));
            }
        }
    }
    found
}
