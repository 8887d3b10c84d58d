//! Pointers of the caller that the program takes for pointers into one object.
//!
//! What a head gets is taken for different memory, one object for each pointer. Some things have a meaning only within
//! one object, so a program that does them says that two pointers may lead into one:
//!
//! - it compares them, or subtracts one from the other. What compares is *related* in the procedure that does it, and
//!   calls hand the relation up to what they bind. Of three pointers, two of which are related to the third, all are.
//! - it accesses what lies below a pointer that nobody advanced, as `end[-1]`. The object begins in front of such a
//!   pointer, so it may be any object of the caller with elements of that type.
//!
//! Pointers in objects that are one may be one pointer, so what they lead to is one object, too.
//!
//! Fortran says none of this: what it subtracts in subscripts are lower bounds, and allocatable memory has one name.

use std::collections::{BTreeMap, BTreeSet};

use super::offset::{BUDGET, Offset, Reading};
use super::state::{Points, Related};
use crate::flow::locs::{self, Loc, Root, Set};
use crate::flow::points::state::One;
use crate::flow::walk;
use crate::ir::{
    Base, Binary, Callee, Expr, ExprKind, ItemId, ItemKind, Language, Place, ProcId, RegionId, Span, Type,
};

/// Some element that is surely below all that have a number.
const BELOW: i128 = i128::MIN / 2;

impl Points<'_> {
    /// Finds what is one object. Whether that is news.
    pub(super) fn relate(&mut self) -> bool {
        let mut one = std::mem::take(&mut self.one);
        one.related.resize(self.program.procs.len(), Related::new());
        let size = |one: &One| {
            let related = one.related.iter().map(BTreeMap::len).sum::<usize>();
            (related, one.lowest.clone(), one.by_argument.len(), one.pairs.len())
        };
        let before = size(&one);
        for p in walk::callees_first(self.program) {
            self.relate_in(p, &mut one);
        }
        self.join(&mut one);
        let news = before != size(&one);
        self.one = one;
        news
    }

    /// What a procedure compares and accesses, and what its callees do.
    fn relate_in(&self, p: ProcId, one: &mut One) {
        let proc = &self.program.procs[p];
        if proc.language == Language::Fortran {
            return;
        }
        for id in walk::items(proc, RegionId(0)) {
            let item = &proc.items[id];
            for e in walk::of_item(proc, item) {
                self.relate_expr(p, e, item.span, one);
            }
            if let ItemKind::Store { to, .. } = &item.kind {
                self.access(p, to, one);
            } else if let ItemKind::Call { callee: Callee::Proc(g), args, .. } = &item.kind {
                self.relate_call(p, id, *g, args, one);
            }
        }
        if let Some(result) = &proc.result {
            self.relate_expr(p, result, proc.span, one);
        }
    }

    fn relate_expr(&self, p: ProcId, e: &Expr, span: Span, one: &mut One) {
        walk::expr(e, &mut |x| match &x.kind {
            ExprKind::Load(place) => self.access(p, place, one),
            ExprKind::Binary(op, a, b) if is_within_one_object(*op) && is_pointer(a) && is_pointer(b) => {
                let others = self.targets(p, b);
                for x in self.targets(p, a) {
                    others.iter().for_each(|y| self.pair(&mut one.related[p.index()], x, *y, span));
                }
            }
            _ => {}
        });
    }

    /// Notes two locations as one object, unless they are so already or cannot be.
    fn pair(&self, related: &mut Related, a: Loc, b: Loc, span: Span) {
        let is_fixed = |loc| self.locs.root(loc).is_memory();
        let is_none = |loc| matches!(self.locs.root(loc), Root::Unknown | Root::Literal);
        let is_one = self.locs.root_top(a) == self.locs.root_top(b);
        let are_apart = is_none(a) || is_none(b) || (is_fixed(a) && is_fixed(b));
        if !is_one && !are_apart {
            related.entry((a.min(b), a.max(b))).or_insert(span);
        }
    }

    fn relate_call(&self, p: ProcId, call: ItemId, g: ProcId, args: &[Expr], one: &mut One) {
        let call_span = self.program.procs[p].items[call].span;
        for ((a, b), _) in one.related[g.index()].clone() {
            let others = self.up(p, call, g, b);
            for x in self.up(p, call, g, a) {
                others.iter().for_each(|y| self.pair(&mut one.related[p.index()], x, *y, call_span));
            }
        }
        let begin = |top| match self.locs.root(top) {
            Root::Formal(_, k) => args.get(k as usize).map_or(Offset::Any, |arg| self.offset(p, arg, &Reading::new())),
            _ => Offset::Is(0),
        };
        let own = one.lowest.range((g, Loc(0))..=(g, Loc(u32::MAX)));
        let lowest = |lowest| if lowest == BELOW { Offset::Below } else { Offset::Is(lowest) };
        let known = own.map(|((_, top), at)| (*top, lowest(*at))).collect::<Vec<_>>();
        let own = one.by_argument.range((g, Loc(0), 0, i128::MIN)..=(g, Loc(u32::MAX), u32::MAX, i128::MAX));
        let argument = |k: u32| args.get(k as usize).map_or(Offset::Any, |arg| self.number(p, arg, &Reading::new()));
        let given = own.map(|&(_, top, k, more)| (top, argument(k).plus(Offset::Is(more)))).collect::<Vec<_>>();
        for (top, at) in known.into_iter().chain(given) {
            let at = begin(top).plus(at);
            self.up(p, call, g, top).into_iter().for_each(|loc| self.touch(p, loc, at, one));
        }
    }

    fn access(&self, p: ProcId, place: &Place, one: &mut One) {
        let Base::At(pointer) = &place.base else { return };
        let at = self.offset_of_access(p, pointer, &place.path);
        self.targets(p, pointer).into_iter().for_each(|loc| self.touch(p, loc, at, one));
    }

    fn touch(&self, p: ProcId, loc: Loc, at: Offset, one: &mut One) {
        if self.locs.root_top(loc) != loc || self.locs.root(loc).is_memory() {
            return;
        }
        let lowest = match at {
            // A function that calls itself with a pointer moved down leads ever lower.
            Offset::Is(lowest) | Offset::Rising(lowest) if lowest < -i128::from(BUDGET) => BELOW,
            Offset::Is(lowest) | Offset::Rising(lowest) => lowest,
            Offset::Below => BELOW,
            Offset::Argument(k, more) => {
                // A function that hands its argument to itself, one more each time, has no end of them.
                if more.abs() <= i128::from(BUDGET) {
                    one.by_argument.insert((p, loc, k, more));
                }
                return;
            }
            Offset::First | Offset::Any => return,
        };
        let known = one.lowest.entry((p, loc)).or_insert(lowest);
        *known = lowest.min(*known);
    }

    /// What is one object in the end, from what heads relate and access.
    fn join(&self, one: &mut One) {
        let is_outside = |loc: &Loc| match self.locs.root(*loc) {
            Root::Formal(p, _) => self.heads.contains(&p),
            Root::Cell(_) => self.locs.native(*loc).is_none_or(|p| self.heads.contains(&p)),
            Root::Global(_) => true,
            Root::Object(..) | Root::Literal | Root::Unknown => false,
        };
        let grounds = |loc: Loc| self.grounds_of(loc).into_iter().filter(is_outside).collect::<Vec<_>>();
        let mut open: Vec<(Loc, Loc, Span)> = Vec::new();
        for head in &self.heads {
            for (&(a, b), &span) in &one.related[head.index()] {
                let others = grounds(b);
                open.extend(grounds(a).into_iter().flat_map(|x| others.iter().map(move |&y| (x, y, span))));
            }
        }
        one.odd.clear();
        // Groups of locations that are one object.
        let mut groups: Vec<Set> = Vec::new();
        while let Some((a, b, span)) = open.pop() {
            let mut all = Set::from([a, b]);
            if groups.iter().any(|group| group.is_superset(&all)) {
                continue;
            }
            groups.retain(|group| {
                let is_apart = all.is_disjoint(group);
                if !is_apart {
                    all.extend(group);
                }
                is_apart
            });
            let members: Vec<Loc> = all.iter().copied().collect();
            let pairs = members.iter().enumerate().flat_map(|(k, &x)| members[k + 1..].iter().map(move |&y| (x, y)));
            for (x, y) in pairs.filter(|(x, y)| self.locs.root_top(*x) != self.locs.root_top(*y)) {
                let Some((top, loc)) = self.as_pair(x, y) else {
                    let is_vague = |loc: Loc| matches!(self.locs.ty(loc), Type::Void | Type::Opaque(_));
                    if !is_vague(x) && !is_vague(y) {
                        one.odd.entry((x, y)).or_insert(span);
                    }
                    continue;
                };
                one.pairs.insert((top, loc));
                // A pointer to a member may be moved to others of its type.
                let inner = self.locs.all().filter(|_| self.locs.root_top(loc) != loc);
                let beside = inner.filter(|other| self.locs.root_top(*other) == self.locs.root_top(loc));
                let same = beside.filter(|other| locs::compatible(self.locs.ty(top), self.locs.ty(*other)));
                one.pairs.extend(same.map(|other| (top, other)));
                open.extend((![x, y].contains(&loc)).then_some((top, loc, span)));
                open.extend(self.led_to(top, loc).into_iter().map(|(x, y)| (x, y, span)));
            }
            groups.push(all);
        }
        for (&(p, top), &lowest) in one.lowest.iter().filter(|((p, _), _)| self.heads.contains(p)) {
            for own in grounds(top).into_iter().filter(|_| lowest < 0) {
                let others = self.locs.all().filter(|other| is_outside(other) && self.locs.root_top(*other) != own);
                let seen = others.filter(|other| self.locs.native(*other).is_none_or(|q| q == p));
                let same = seen.filter(|other| locs::compatible(self.locs.ty(own), self.locs.ty(*other)));
                // What is one with this one lies in that object, too.
                let related = groups.iter().filter(|group| group.contains(&own)).flatten().copied();
                let related: Set = related.filter(|member| self.locs.root_top(*member) == *member).collect();
                for other in same {
                    let beside = related.iter().filter(|member| **member != self.locs.root_top(other));
                    one.pairs.extend(beside.map(|member| (*member, other)));
                    one.pairs.insert((own, other));
                }
            }
        }
    }

    /// Two locations as a whole root and what may be its memory.
    fn as_pair(&self, a: Loc, b: Loc) -> Option<(Loc, Loc)> {
        let (tops, paths) = ([a, b].map(|loc| self.locs.root_top(loc)), [a, b].map(|loc| self.locs.path(loc)));
        let fits = |x, y| locs::compatible(self.locs.ty(x), self.locs.ty(y));
        if tops[0] == tops[1] {
            return None;
        }
        match [paths[0].is_empty(), paths[1].is_empty()] {
            [true, _] if fits(a, b) => Some((a, b)),
            [_, true] if fits(a, b) => Some((b, a)),
            [false, false] if paths[0] == paths[1] && fits(tops[0], tops[1]) => Some((tops[0], tops[1])),
            _ => None,
        }
    }

    /// What pointers in two locations lead to, where these may be one.
    fn led_to(&self, top: Loc, loc: Loc) -> Vec<(Loc, Loc)> {
        let inside = |at: Loc| self.locs.leaves(at).into_iter();
        let behind = |cell: Loc| self.locs.find(Root::Cell(cell));
        let both = inside(top).filter_map(|cell| {
            let other = self.locs.follow(loc, &self.locs.path(cell))?;
            Some((behind(cell)?, behind(other)?)).filter(|(a, b)| self.locs.root_top(*a) != self.locs.root_top(*b))
        });
        both.collect()
    }

    /// What the program takes for one object although it is memory of two types, and where it does.
    pub fn odd(&self) -> impl Iterator<Item = (Loc, Loc, Span)> + '_ {
        self.one.odd.iter().map(|(&(a, b), &span)| (a, b, span))
    }

    /// The objects of the caller and at file scope that a head tells apart: those of these locations, each with those in
    /// front of it with which it may be one object.
    pub fn told_apart(&self, touched: &Set) -> Vec<(Loc, Vec<Loc>)> {
        let is_outside = |loc: &Loc| matches!(self.locs.root(*loc), Root::Formal(..) | Root::Cell(_) | Root::Global(_));
        let tops: Set = touched.iter().map(|loc| self.locs.root_top(*loc)).filter(is_outside).collect();
        let shares = |a: Loc, b: Loc| {
            let pair = |(top, loc): &(Loc, Loc)| [(a, b), (b, a)].contains(&(*top, self.locs.root_top(*loc)));
            self.one.pairs.iter().any(pair)
        };
        let before = |top: Loc| tops.range(..top).copied().filter(|other| shares(top, *other)).collect();
        tops.iter().map(|&top| (top, before(top))).collect()
    }

    /// Objects of the caller and at file scope that may be one.
    pub fn shared(&self) -> BTreeSet<(Loc, Loc)> {
        let top = |loc| self.locs.root_top(loc);
        let mut shared: BTreeSet<(Loc, Loc)> = self.one.pairs.iter().map(|&(a, b)| (a, top(b))).collect();
        for a in self.locs.all().filter(|a| top(*a) == *a && matches!(self.locs.root(*a), Root::Cell(_))) {
            shared.extend(self.locs.all().filter(|b| self.initial(a, *b)).map(|b| (a, top(b))));
        }
        shared
    }

    /// Whether two locations may be one object, because the program takes pointers to them for pointers into one.
    pub(super) fn is_one(&self, a: Loc, b: Loc) -> bool {
        let leads = |from: Loc, to: Loc| self.same_by(&self.one.pairs, from).any(|same| self.locs.overlap(same, to));
        !self.one.pairs.is_empty() && (leads(a, b) || leads(b, a))
    }

    /// What may be the memory of a location, by pairs of a whole root and what may be its memory.
    pub(super) fn same_by<'p>(
        &'p self,
        pairs: &'p BTreeSet<(Loc, Loc)>,
        loc: Loc,
    ) -> impl Iterator<Item = Loc> + use<'p> {
        let (top, path) = (self.locs.root_top(loc), self.locs.path(loc));
        pairs.iter().flat_map(move |&(a, b)| {
            let outer = (a == top).then(|| self.locs.follow(b, &path)).flatten();
            let inner = (self.locs.root_top(b) == top).then(|| self.locs.path(b));
            let inner = inner.filter(|inner| path.starts_with(inner));
            outer.into_iter().chain(inner.and_then(|inner| self.locs.follow(a, &path[inner.len()..])))
        })
    }
}

fn is_pointer(e: &Expr) -> bool {
    matches!(e.ty, Type::Pointer(_))
}

/// Whether an operator says that both pointers may lead into one object.
fn is_within_one_object(op: Binary) -> bool {
    match op {
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => true,
        Binary::Equal | Binary::NotEqual | Binary::PointerDifference => true,
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => false,
        Binary::ShiftLeft | Binary::ShiftRight | Binary::BitAnd | Binary::BitOr | Binary::BitXor => false,
        Binary::And | Binary::Or => false,
    }
}
