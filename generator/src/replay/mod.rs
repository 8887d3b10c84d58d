//! Static replay: proves, before anything is written, that the reverse sweep of a procedure reads what its forward
//! sweep computed. It reads the two sweeps as they will be printed, and nothing of how they were found.
//!
//! | word | meaning |
//! |---|---|
//! | term | what a value is, in terms of what the procedure, or a pass of a loop, begins with |
//! | state | memory at a point of the forward sweep |
//! | damage | the parts of memory in which the reverse sweep differs from the state at hand |
//! | group | the items of the reverse sweep that come from one item of the forward sweep |
//! | contract | what a loop, branch or call may write, and leaves damaged: all that is known about it outside |
//!
//! The forward sweep runs on terms. Then the reverse sweep runs on terms, group by group, last item first. **Obligations**:
//!
//! 1. Each group changes the adjoints as the derivative of its item demands, with the operands of the forward sweep.
//! 2. When a pass has been reversed, what its loop carries is what it was when the pass began.
//! 3. What is popped mirrors what was pushed, kind by kind, through loops, branches and calls.
//! 4. Nothing is read that the reverse sweep lost: memory that was overwritten and not restored, values without a name.
//! 5. A loop runs as often as forward, each branch takes the arm that ran, each live item is reversed once.
//! 6. An adjoint lies at the shadow of the primal's place: shadow of its base, and the same subscripts.
//!
//! Loops and calls by induction: any pass, with what all later passes leave as damage; a call by its effects.
//! Which values are active, and which locations two pointers may share, is [`Given`], by the analyses.

mod adjoint;
mod again;
mod calls;
mod choices;
mod contract;
mod contracts;
mod deferred;
mod demands;
mod elements;
mod equal;
mod eval;
mod forward;
mod given;
mod left;
mod lives;
mod loops;
mod lost;
mod memory;
mod merge;
mod modelled;
mod origins;
mod passes;
mod rerun;
mod reverse;
mod rows;
mod rules;
mod runs;
mod saved;
mod section;
mod sections;
mod snapshots;
mod state;
mod structs;
mod sums;
mod taped;
mod terms;
mod trips;
mod way_back;

use std::collections::BTreeMap;

use crate::ir::*;
pub use contract::{Argument, Behind, Cells, Contract, Extent, Found, Part};
pub use given::{Effect, Given, Verdict};
use state::{Replay, Stop};

/// Proves that the reverse sweep of a procedure reads what the forward sweep computed. The contract holds if it is
/// proved.
pub fn prove(program: &Program, forward: &Proc, reverse: &Proc, given: &Given) -> (Verdict, Contract) {
    let unfolded;
    let nothing = BTreeMap::new();
    let (forward, passes) = if given.again.is_empty() {
        (forward, &nothing)
    } else {
        match again::unfold(forward, reverse, given) {
            Ok(whole) => unfolded = whole,
            Err((what, item)) => {
                let span = item.map_or(forward.span, |item| forward.items[item].span);
                return (Verdict::Refused { what: what.into(), span, item }, Contract::default());
            }
        }
        (&unfolded.forward, &unfolded.passes)
    };
    let mut replay = Replay::new(program, forward, reverse, given, passes);
    let ran = replay.forward().and_then(|()| replay.reverse());
    let verdict = match ran {
        Ok(()) if replay.is_cut => Verdict::Open { construct: "many stores in a row".into(), span: forward.span },
        Ok(()) => match replay.doubted.take() {
            Some((construct, span)) => Verdict::Open { construct, span },
            None => Verdict::Proved,
        },
        Err(Stop::Open(construct)) => Verdict::Open { construct, span: replay.span },
        Err(Stop::Refused(_)) if replay.is_cut => {
            Verdict::Open { construct: "many stores in a row".into(), span: forward.span }
        }
        Err(Stop::Refused(what)) => Verdict::Refused { what, span: replay.span, item: replay.item },
    };
    let contract = if verdict == Verdict::Proved { replay.contract() } else { Contract::default() };
    (verdict, contract)
}

/// What a procedure does to memory that has no sweeps, and runs as it is; `None`: nobody knows.
pub fn effects(program: &Program, proc: &Proc, given: &Given) -> Option<Contract> {
    let nothing = BTreeMap::new();
    let mut replay = Replay::new(program, proc, proc, given, &nothing);
    replay.forward().ok()?;
    let contract = replay.contract();
    let is_known = !replay.is_cut && replay.doubted.is_none();
    is_known.then(|| Contract { leaves: contract.writes.clone(), ..contract })
}
