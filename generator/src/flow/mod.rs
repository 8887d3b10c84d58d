//! What is needed where: tables over the program in its intermediate form. Nothing here changes the program.
//!
//! ```text
//!   points ──► effects ──► activity ──► needs ──► required
//!   where a    what may    what has a   what an   what the adjoints still need when memory
//!   pointer    be read,    derivative   adjoint   is overwritten, element by element
//!   points     written                  reads
//! ```
//!
//! Each analysis opens with its lattice, its transfer functions and its closure. All err on the safe side, and what
//! none of them understands is refused ([`check`]).

pub mod activity;
mod analyses;
pub mod check;
pub mod effects;
mod handed;
mod head;
pub mod lasting;
pub mod locate;
pub mod locs;
pub mod needs;
pub mod order;
mod passes;
pub mod points;
pub mod poly;
pub mod required;
mod rounding;
mod scratch;
pub mod sections;
pub mod walk;

pub use activity::Activity;
pub use analyses::Flow;
pub use effects::{Effect, Effects};
pub use head::{Head, Options};
pub use locs::{Loc, Locs, Root, Set};
pub use points::Points;
pub use required::Required;

use crate::ir::{ObjectId, ProcId, Program, RegionId};
use crate::refuse::Refusal;

impl<'a> Flow<'a> {
    /// Runs the analyses. Refuses a program that they do not understand, with every reason.
    pub fn analyse(program: &'a Program, heads: &[Head]) -> Result<Self, Vec<Refusal>> {
        Self::analyse_with(program, heads, &Options::default())
    }

    /// Like [`Self::analyse`] with options.
    pub fn analyse_with(program: &'a Program, heads: &[Head], options: &Options) -> Result<Self, Vec<Refusal>> {
        let mut refusals = Vec::new();
        let ids: Vec<ProcId> =
            heads.iter().filter_map(|h| program.procs.iter().position(|p| p.name == h.proc).map(ProcId::new)).collect();
        let points = Points::analyse(program, &ids, options);
        check::accesses(program, &points, &mut refusals);
        let effects = Effects::analyse(program, &points);
        let activity = Activity::analyse(program, &points, &effects, heads, &mut refusals);
        let flow = Flow { program, points, effects, activity, heads: ids };
        refusals.extend(rounding::refusals(&flow));
        check::calls(program, &flow.points, &flow.effects, &mut refusals);
        if refusals.is_empty() { Ok(flow) } else { Err(refusals) }
    }

    /// Whether a heap object of a procedure is accessed and freed inside of a region only, and no pointer to it is left
    /// in memory or returned.
    pub fn confined(&self, proc: ProcId, object: ObjectId, region: RegionId) -> bool {
        let Some(top) = self.points.locs.find(Root::Object(proc, object)) else { return false };
        let body = &self.program.procs[proc];
        let inside = walk::items(body, region);
        let touches = |set: &Set| set.iter().any(|&l| self.points.locs.root_top(l) == top);
        let outside = walk::items(body, RegionId(0)).into_iter().filter(|id| {
            let item = &body.items[*id];
            item.kind.regions().is_empty() && !inside.contains(id)
        });
        let mut touched =
            outside.map(|id| self.effects.item(proc, id)).any(|e| touches(&e.reads) || touches(&e.writes));
        if let Some(e) = &body.result
            && region != RegionId(0)
        {
            touched |= walk::loads(e).into_iter().any(|place| touches(&self.points.cells(proc, place)));
        }
        !touched && !self.points.escapes(top) && !self.reached_later(proc, top, region)
    }

    /// Whether a loop reaches an object of a region in a pass behind the one that made it.
    pub fn reached_later(&self, proc: ProcId, top: Loc, region: RegionId) -> bool {
        passes::reached_later(self, proc, top, region)
    }
}

#[cfg(test)]
mod tests;
