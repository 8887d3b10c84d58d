//! Closure: sections of one pass, over all passes of a loop.

use std::sync::Arc;

use super::super::locate::Index;
use super::super::poly::{Facts, Poly};
use super::super::sections::{self, Piece, Secs};
use super::state::{Required, State};
use crate::ir::{ItemId, ItemKind, ProcId, RegionId, TestAt, ValueId};

impl Required<'_> {
    /// A loop.
    pub(super) fn repeat(&self, p: ProcId, id: ItemId, facts: &Facts, s: &mut State) {
        let proc = &self.flow.program.procs[p];
        let ItemKind::Loop { test, at, body, .. } = &proc.items[id].kind else { return };
        let body = *body;
        let index = self.locator.index(p, id);
        let index = index.as_ref();
        let inner = self.locator.facts(p, body);
        // The last test sees the index one step further on, so what the test reads is not closed over the index.
        let mut tested = Secs::new();
        self.loads(p, test, &Facts::default(), &mut tested);
        let tested = self.close(p, body, None, &tested, facts);
        if *at == TestAt::Before {
            self.reading(p, &tested, facts, &mut s.sum);
        }

        let pass = self.pass(p, body);
        let again = self.again.contains(&(p, id));
        let over = |set: &Secs| self.close(p, body, index, set, &inner);
        let most = self.checkpoints.get(&(p, id)).copied().filter(|_| again);
        let parts = most.map(|most| {
            let sets = (over(&pass.sum.written), over(&pass.sum.exposed));
            (most, self.parts(p, id, &pass.sum, sets, facts))
        });
        // What runs again reads what it read the first time.
        let needed = match &parts {
            Some((_, parts)) => parts.needed.clone(),
            None if again => self.needed_again(p, &pass.sum, &inner),
            None => pass.req.clone(),
        };
        let required = over(&needed);
        let mut exposed = over(&pass.sum.exposed);
        if let Some(verdict) = s.verdict.take() {
            let mut inside = State { req: s.req.clone(), verdict: Some(verdict), ..State::default() };
            let earlier = index.and_then(|i| self.earlier(p, id, i, &inner));
            let before = match &earlier {
                Some((range, facts)) => self.close_to(p, body, range, &needed, facts),
                None => required.clone(),
            };
            sections::union(&mut inside.req, &before);
            let in_front = inside.req.clone();
            self.region(p, body, &mut inside);
            let pushed = over(&inside.sum.exposed);
            if let (Some((most, parts)), Some(verdict)) = (&parts, &mut inside.verdict) {
                match self.snapshots_of((p, id), *most, parts, (&in_front, &pushed), facts) {
                    Ok(snapshots) => {
                        verdict.hulls.insert((p, id), Vec::new());
                        verdict.snapshots.insert((p, id), snapshots);
                    }
                    Err(why) => drop(verdict.unfit.insert((p, id), why)),
                }
            } else if again {
                let hulls = self.hulls_of_pass((p, id), &pass.sum, (&in_front, &inside.sum.exposed), &inner);
                if let Some(verdict) = &mut inside.verdict {
                    match hulls {
                        Ok(hulls) => verdict.hulls.insert((p, id), hulls).map_or((), drop),
                        Err(why) => verdict.unfit.insert((p, id), why).map_or((), drop),
                    }
                }
            }
            sections::union(&mut exposed, &pushed);
            s.verdict = inside.verdict;
        }
        let killed = self.tile(p, body, index, &pass.sum.killed, (facts, &inner));
        sections::kill(&mut s.req, &killed, facts);
        sections::union(&mut s.req, &required);

        self.exposing(p, exposed, facts, &mut s.sum);
        sections::union(&mut s.sum.read, &over(&pass.sum.read));
        sections::union(&mut s.sum.written, &over(&pass.sum.written));
        sections::must_all(&mut s.sum.killed, killed);
        if *at == TestAt::After {
            self.reading(p, &tested, facts, &mut s.sum);
        }
    }

    /// One pass of a region, from nothing.
    fn pass(&self, p: ProcId, body: RegionId) -> Arc<State> {
        if let Some(known) = self.passes.borrow().get(&(p, body)) {
            return known.clone();
        }
        let mut pass = State::default();
        self.region(p, body, &mut pass);
        let pass = Arc::new(pass);
        self.passes.borrow_mut().insert((p, body), pass.clone());
        pass
    }

    /// The range of the index in the passes before the one whose index is the head, and what is known of these passes.
    /// The value behind the loop stands for the head, which is what the earlier passes call their own index.
    fn earlier(&self, p: ProcId, id: ItemId, index: &Index, inner: &Facts) -> Option<(Range, Facts)> {
        let ItemKind::Loop { carried, .. } = &self.flow.program.procs[p].items[id].kind else {
            return None;
        };
        let out = carried.iter().find(|c| c.head == index.head)?.out;
        let (own, now) = (self.locator.atom(p, index.head), self.locator.atom(p, out));
        let (step, facts) = (&index.step, inner.clone());
        let (last, known, first) = if index.up {
            let last = now.sub(step)?;
            (last.clone(), last.sub(&own), index.lo.clone())
        } else {
            let last = now.add(step)?;
            (last.clone(), own.sub(&last), index.hi.plus(-1)?)
        };
        let range = Range { head: index.head, ends: vec![last, first], stands_for: Some((out, own)) };
        Some((range, facts.with(known)))
    }

    /// A may-set of one pass, over all passes.
    pub(super) fn close(&self, p: ProcId, body: RegionId, index: Option<&Index>, set: &Secs, facts: &Facts) -> Secs {
        let mut ends = Vec::new();
        if let Some(index) = index {
            ends.extend(index.last().filter(|_| index.up && !index.dense()));
            ends.extend(index.hi.plus(-1));
            ends.push(index.lo.clone());
        }
        let head = index.map_or(ValueId(u32::MAX), |i| i.head);
        self.close_to(p, body, &Range { head, ends, stands_for: None }, set, facts)
    }

    /// A may-set of one pass, over all passes of a range.
    fn close_to(&self, p: ProcId, body: RegionId, range: &Range, set: &Secs, facts: &Facts) -> Secs {
        let mut out = Secs::new();
        for (loc, pieces) in set {
            for piece in pieces {
                let closed = self.hull(p, body, range, piece, facts).unwrap_or_else(Piece::whole);
                sections::add(&mut out, *loc, closed);
            }
        }
        out
    }

    /// All elements that a piece has in any pass: from where it begins at one end of the range of the index to where
    /// it ends at the other. Each end is proved to bound the piece of every pass that is not empty.
    fn hull(&self, p: ProcId, body: RegionId, range: &Range, piece: &Piece, facts: &Facts) -> Option<Piece> {
        let fixed = |q: &Poly| self.locator.invariant(p, body, q);
        if fixed(&piece.lo) && fixed(&piece.hi) {
            return Some(piece.clone());
        }
        let filled = piece.filled(facts);
        let bound = |q: &Poly, low: bool| {
            if fixed(q) {
                return Some(q.clone());
            }
            range.ends.iter().find_map(|x| {
                let end = at(p, range.head, q, x).filter(fixed)?;
                let holds = if low { filled.at_most(&end, q) } else { filled.at_most(q, &end) };
                holds.then_some(end)
            })
        };
        let (lo, hi) = (bound(&piece.lo, true)?, bound(&piece.hi, false)?);
        match &range.stands_for {
            Some((out, head)) => Some(Piece { lo: at(p, *out, &lo, head)?, hi: at(p, *out, &hi, head)? }),
            None => Some(Piece { lo, hi }),
        }
    }

    /// A must-set of one pass, over all passes: pieces that follow each other without a gap in a loop that is not left
    /// early, and pieces that every pass has if there is a pass. `known`: in front of the loop, and in a pass.
    pub(super) fn tile(
        &self,
        p: ProcId,
        body: RegionId,
        index: Option<&Index>,
        set: &Secs,
        known: (&Facts, &Facts),
    ) -> Secs {
        let (facts, inner) = known;
        let mut out = Secs::new();
        let Some(index) = index.filter(|i| i.sole) else { return out };
        let fixed = |q: &Poly| self.locator.invariant(p, body, q);
        for (loc, pieces) in set {
            for piece in &joined(pieces, inner) {
                if fixed(&piece.lo) && fixed(&piece.hi) {
                    if facts.nonneg(index.hi.sub(&index.lo).and_then(|q| q.plus(-1))) {
                        sections::must(&mut out, *loc, piece.clone());
                    }
                } else if let Some(tiled) = self.tiled(p, index, piece, facts)
                    && fixed(&tiled.lo)
                    && fixed(&tiled.hi)
                {
                    sections::must(&mut out, *loc, tiled);
                }
            }
        }
        out
    }

    /// `[a(lo), a(hi))`, if pass `h` has `[a(h), a(h+s))` for a step of `s` that divides `hi - lo`; or `[b(hi), b(lo))`, if
    /// it has `[b(h+1), b(h))`. Both only
    /// if they are empty when no pass runs, or the bounds are in order.
    pub(super) fn tiled(&self, p: ProcId, index: &Index, piece: &Piece, facts: &Facts) -> Option<Piece> {
        if !(index.dense() || index.up && index.last().is_some()) {
            return None;
        }
        let next = self.locator.atom(p, index.head).add(&index.step)?;
        let (from, to) = (&index.lo, &index.hi);
        let (lo, hi) = if at(p, index.head, &piece.lo, &next)? == piece.hi {
            (at(p, index.head, &piece.lo, from)?, at(p, index.head, &piece.lo, to)?)
        } else if at(p, index.head, &piece.hi, &next)? == piece.lo {
            (at(p, index.head, &piece.hi, to)?, at(p, index.head, &piece.hi, from)?)
        } else {
            return None;
        };
        let idle = facts.with(from.sub(to));
        (facts.at_most(from, to) || idle.at_most(&hi, &lo)).then_some(Piece { lo, hi })
    }
}

/// Pieces of a must-set, with those in one that follow each other.
pub(super) fn joined(pieces: &[Piece], facts: &Facts) -> Vec<Piece> {
    let ordered = |piece: &Piece| facts.at_most(&piece.lo, &piece.hi);
    let mut all = pieces.to_vec();
    while let Some((a, b)) = (0..all.len())
        .flat_map(|a| (0..all.len()).map(move |b| (a, b)))
        .find(|&(a, b)| a != b && all[a].hi == all[b].lo && !all[a].is_whole() && ordered(&all[a]) && ordered(&all[b]))
    {
        let whole = Piece { lo: all[a].lo.clone(), hi: all[b].hi.clone() };
        all[a] = whole;
        all.remove(b);
    }
    all
}

/// The values of an index in some passes of a loop.
struct Range {
    head: ValueId,
    /// Candidates for the first and the last value.
    ends: Vec<Poly>,
    /// A value of the outside that stands for something of the body, and what that is.
    stands_for: Option<(ValueId, Poly)>,
}

/// A polynomial with a value replaced.
fn at(p: ProcId, value: ValueId, q: &Poly, x: &Poly) -> Option<Poly> {
    q.replace(&|r, v| (r == p && v == value).then(|| x.clone()))
}
