//! Several adjoints at once.

use std::collections::BTreeMap;

use super::Sweeps;
use crate::ir::*;
use crate::sweep::vector::{self, Wide};

/// Makes arrays of all adjoints, one element for each direction.
pub(super) fn widen(
    program: &mut Program,
    global_shadows: &BTreeMap<GlobalId, GlobalId>,
    sweeps: &mut [Sweeps],
    directions: u32,
) -> Wide {
    let globals = global_shadows.values().copied().collect();
    let called = sweeps.iter().map(|each| (each.proc, each.interface.params.clone())).collect();
    let primals: Vec<Proc> = sweeps.iter().map(|each| program.procs[each.proc].clone()).collect();
    let common = vector::Common { called: &called, globals: &globals };
    let pairs = sweeps.iter().zip(&primals);
    let types = pairs.flat_map(|(each, primal)| {
        vector::types(&vector::Given { primal, roles: &each.interface.params, common }, &each.reverse)
    });
    let wide = Wide::new(program, &globals, &types.collect::<Vec<_>>(), directions);
    for (Sweeps { interface, reverse, .. }, primal) in sweeps.iter_mut().zip(&primals) {
        vector::widen(&wide, &vector::Given { primal, roles: &interface.params, common }, reverse);
    }
    wide
}
