//! What stays in memory as it is: from an item to the end of its region, from pass to pass of a loop, or behind a call
//! in an expression.

use std::ops::RangeBounds;
use std::sync::Arc;

use super::super::locs::{Loc, Set};
use super::super::poly::{Facts, Poly};
use super::super::sections::{self, Secs};
use super::super::walk;
use super::state::{Required, State, Sum, Writers};
use crate::ir::{Expr, ItemId, ItemKind, Order, Place, ProcId, RegionId};

impl Required<'_> {
    /// Whether every load of `expr`, evaluated at `item`, still yields the same at the end of the item's region. With
    /// [`Self::demand`] it does again when the reverse sweep enters the region.
    pub fn steady(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let Some((region, from)) = self.positions[proc.index()][item.index()] else { return false };
        self.untouched(proc, region, from.., expr)
    }

    /// Whether every load of `expr`, evaluated at `item`, yields the same in the whole of the item's region.
    pub fn still(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let Some((region, _)) = self.positions[proc.index()][item.index()] else { return false };
        self.untouched(proc, region, .., expr)
    }

    /// Whether every load of `expr`, evaluated just before `item`, yields the same behind it.
    pub fn across(&self, proc: ProcId, item: ItemId, expr: &Expr) -> bool {
        let Some((region, at)) = self.positions[proc.index()][item.index()] else { return false };
        self.untouched(proc, region, at..at + 1, expr)
    }

    /// Whether the passes of a loop overwrite one element after the other by a store, nothing else writes there, and no
    /// pass reads what may be an element that it or a pass before it has overwritten.
    pub fn one_by_one(&self, proc: ProcId, item: ItemId, store: ItemId) -> bool {
        let all = &self.flow.program.procs[proc];
        let ItemKind::Loop { body, .. } = &all.items[item].kind else { return false };
        let ItemKind::Store { to, .. } = &all.items[store].kind else { return false };
        let Some(index) = self.locator.index(proc, item).filter(|index| index.up && index.dense() && index.sole) else {
            return false;
        };
        let facts = self.locator.facts(proc, *body);
        let Some((loc, at)) = self.locator.locate(proc, to, &facts) else { return false };
        let moves = at.sub(&self.locator.atom(proc, index.head));
        if !moves.is_some_and(|rest| self.locator.invariant(proc, *body, &rest)) {
            return false;
        }
        // Behind the store, the element itself has its new contents.
        let mut nearest: i128 = 0;
        let mut behind = |inner: ItemId| {
            let inner_item = &all.items[inner];
            let kind = &inner_item.kind;
            let alone = if let ItemKind::Store { to, .. } = kind {
                inner == store || !self.flow.may_be_in(proc, to, &Set::from([loc]))
            } else {
                matches!(kind, ItemKind::Let { .. } | ItemKind::DeclareVar { .. }) || !kind.regions().is_empty()
            };
            let loads = walk::of_item(all, inner_item).into_iter().flat_map(walk::loads);
            let ahead = loads.into_iter().all(|place| self.ahead(proc, place, &facts, loc, &at, nearest));
            nearest |= i128::from(inner == store);
            alone && ahead
        };
        walk::items(all, *body).into_iter().all(&mut behind)
    }

    /// Whether a load is of other memory than a location, or of an element of it that is at least so far behind this
    /// one.
    fn ahead(&self, proc: ProcId, place: &Place, facts: &Facts, loc: Loc, at: &Poly, nearest: i128) -> bool {
        if !self.flow.may_be_in(proc, place, &Set::from([loc])) {
            return true;
        }
        let behind = |(other, element): (Loc, Poly)| {
            other == loc && element.sub(at).and_then(|d| d.as_constant()).is_some_and(|d| d >= nearest)
        };
        self.locator.locate(proc, place, facts).is_some_and(behind)
    }

    /// Whether the loads of `expr` are of memory that the procedure never writes: then a demand costs nothing here.
    pub fn never_written(&self, proc: ProcId, expr: &Expr) -> bool {
        let writes = self.flow.writes(proc, RegionId(0));
        !walk::loads(expr).into_iter().any(|place| self.flow.may_be_in(proc, place, writes))
    }

    /// Whether the items of a region at these positions leave what `expr` loads as it is.
    fn untouched(&self, p: ProcId, region: RegionId, at: impl RangeBounds<usize>, expr: &Expr) -> bool {
        let facts = self.locator.facts(p, region);
        let mut loads = Secs::new();
        self.loads(p, expr, &facts, &mut loads);
        if loads.is_empty() {
            return true;
        }
        let writers = self.writers(p, region);
        writers.iter().all(|(&written, pieces)| {
            self.step();
            let elsewhere = |load: &Loc| *load != written && self.flow.points.may_alias(p, written, *load);
            if !loads.contains_key(&written) && !loads.keys().any(elsewhere) {
                return true;
            }
            pieces.iter().filter(|(position, _)| at.contains(position)).all(|(_, piece)| {
                self.step();
                !self.hit(p, &loads, written, piece, &facts)
            })
        })
    }

    /// Whether a call and the rest of its expression leave each other's memory alone, element by element.
    pub fn apart(&self, p: ProcId, order: &Order) -> bool {
        let region = |item: ItemId| self.positions[p.index()][item.index()].map(|(region, _)| region);
        let of = |item: &ItemId| {
            let mut state = State::default();
            self.item(p, region(*item)?, *item, &mut state);
            Some(state.sum)
        };
        let Some((call, here)) = of(&order.call).zip(region(order.call)) else { return false };
        if !order.read.iter().chain(&order.written).all(|touched| touched.is_element) {
            return false;
        }
        let facts = self.locator.facts(p, here);
        let mut rest = Sum::default();
        for (places, secs) in [(&order.read, &mut rest.read), (&order.written, &mut rest.written)] {
            let pieces = places.iter().flat_map(|touched| self.locator.pieces(p, &touched.place, &facts));
            pieces.for_each(|(loc, piece)| sections::add(secs, loc, piece));
        }
        for other in &order.calls {
            let Some(other) = of(other) else { return false };
            sections::union(&mut rest.read, &other.read);
            sections::union(&mut rest.written, &other.written);
        }
        let meet = |some: &Secs, others: &Secs| {
            some.iter().any(|(loc, pieces)| pieces.iter().any(|piece| self.hit(p, others, *loc, piece, &facts)))
        };
        !(meet(&call.written, &rest.read) || meet(&call.written, &rest.written) || meet(&rest.written, &call.read))
    }

    pub(super) fn writers(&self, p: ProcId, region: RegionId) -> Arc<Writers> {
        if let Some(known) = self.writers.borrow().get(&(p, region)) {
            return known.clone();
        }
        let mut writers = Writers::new();
        for (position, &id) in self.flow.program.procs[p].regions[region].items.iter().enumerate() {
            let mut state = State::default();
            self.item(p, region, id, &mut state);
            for (loc, pieces) in state.sum.written {
                writers.entry(loc).or_default().extend(pieces.into_iter().map(|piece| (position, piece)));
            }
        }
        let writers = Arc::new(writers);
        self.writers.borrow_mut().insert((p, region), writers.clone());
        writers
    }
}
