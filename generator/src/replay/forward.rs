//! The forward sweep as terms: what each value is, what memory holds in front of each item, what goes on the tape.

use std::sync::Arc;

use super::modelled;
use super::section::{Section, State};
use super::state::{Replay, Res, Side, Taped, open};
use super::terms::{P, Spot, T, Term, Way};
use crate::ir::*;
use crate::stack::deep;

impl Replay<'_> {
    pub(super) fn forward(&mut self) -> Res<()> {
        self.at = self.state(State::Entry);
        if self.given.by_offset {
            return open(modelled::OFFSETS);
        }
        if let Some((construct, span)) = modelled::missing(self.f, self.r) {
            self.span = span;
            return open(construct);
        }
        for (k, param) in self.f.params.iter().enumerate() {
            if let Some(entry) = param.entry {
                let t = self.terms.make(Term::Entry(k as u32));
                self.terms.is_exactly(t, &param.ty);
                self.values[entry.index()] = Some(t);
            }
        }
        self.note_handed_on();
        self.forward_region(RegionId(0))?;
        self.last = self.at;
        self.result = match &self.f.result {
            Some(result) if result.ty.is_number() => Some(self.eval(Side::Forward, result)?),
            _ => None,
        };
        Ok(())
    }

    pub(super) fn forward_region(&mut self, region: RegionId) -> Res<()> {
        deep(|| self.forward_region_here(region))
    }

    fn forward_region_here(&mut self, region: RegionId) -> Res<()> {
        let f = self.f;
        self.writing.push(Vec::new());
        self.starts.insert(region, self.at);
        for &item in &f.regions[region].items {
            self.before[item.index()] = self.at;
            self.span = f.items[item].span;
            self.forward_item(item)?;
            self.behind[item.index()] = self.at;
        }
        self.ends.insert(region, self.at);
        let writes = self.writing.pop().unwrap_or_default();
        self.writes.insert(region, Arc::new(writes));
        Ok(())
    }

    fn wrote(&mut self, section: Section) {
        if let Some(writing) = self.writing.last_mut()
            && !writing.contains(&section)
        {
            writing.push(section);
        }
    }

    fn forward_item(&mut self, item: ItemId) -> Res<()> {
        let f = self.f;
        match &f.items[item].kind {
            ItemKind::Let { value } => {
                let Def::Is(expr) = &f.values[*value].def else { return open("a value without a definition") };
                let t = self.eval(Side::Forward, expr)?;
                self.values[value.index()] = Some(t);
            }
            ItemKind::Store { to, from } => {
                let value = self.eval(Side::Forward, from)?;
                let place = self.place(Side::Forward, to)?;
                let section = self.section(place);
                self.wrote(section);
                self.stored.insert(item, place);
                self.at = self.state(State::Stored { before: self.at, place, value });
            }
            ItemKind::Sweep(SweepItem::Push { what }) => {
                let taped = self.pushed(what)?;
                self.taped.insert(item, taped);
            }
            ItemKind::Branch { on, then, otherwise, joins } => {
                let on = self.condition(Side::Forward, on)?;
                self.conditions.insert(item, on);
                let before = self.at;
                let mut writes: Vec<Section> = Vec::new();
                for arm in [then, otherwise] {
                    self.at = before;
                    self.forward_region(*arm)?;
                    writes.extend(self.writes[arm].iter().cloned());
                }
                for join in joins {
                    let arms = [join.then, join.otherwise].map(|arm| self.forward_value(arm));
                    let out = self.choose(on, arms[0], arms[1]);
                    let ty = &f.vars[join.var].ty;
                    // Two types may have one term for a choice.
                    if arms.iter().all(|arm| self.terms.is_exact(*arm, ty)) {
                        self.terms.is_exactly(out, ty);
                    }
                    self.values[join.out.index()] = Some(out);
                }
                self.at = before;
                self.effects.insert(item, writes.clone());
                self.havoc(writes);
            }
            ItemKind::Loop { .. } => self.forward_loop(item)?,
            ItemKind::Call { args, result, into, .. } => {
                let mut passed = Vec::new();
                for arg in args {
                    passed.push(match &arg.kind {
                        ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => {
                            let place = self.place(Side::Forward, place)?;
                            Some(self.address(place))
                        }
                        ExprKind::Verbatim(_) => None,
                        _ => Some(self.eval(Side::Forward, arg)?),
                    });
                }
                self.passed.insert(item, passed);
                let mut all = self.call_writes(item);
                if let Some(into) = into {
                    let into = self.place(Side::Forward, into)?;
                    let whole = self.whole(into);
                    all.push(self.section(whole));
                }
                self.havoc(all);
                if let Some(result) = result {
                    let t = self.terms.make(Term::Result(item));
                    self.terms.is_exactly(t, f.type_of(*result));
                    self.values[result.index()] = Some(t);
                }
            }
            ItemKind::Declare { object } | ItemKind::Alloc { object, .. } => {
                let root = self.terms.make(Term::Object(*object));
                let whole = self.terms.spot(Spot { root, steps: vec![Way::All] });
                let section = self.section(whole);
                self.havoc(vec![section]);
            }
            ItemKind::Free { .. }
            | ItemKind::Given { .. }
            | ItemKind::Sweep(SweepItem::Witness { .. })
            | ItemKind::DeclareVar { .. }
            | ItemKind::Sweep(SweepItem::Rehearsal { .. } | SweepItem::Snapshot(_) | SweepItem::Nothing) => {}
            ItemKind::Sweep(SweepItem::Release { .. } | SweepItem::Undo { .. }) => {
                return open("an item that is not modelled");
            }
            ItemKind::Sweep(SweepItem::Pop { .. }) => return open("a pop in a forward sweep"),
            ItemKind::Sweep(SweepItem::Clear { .. } | SweepItem::Accumulate { .. } | SweepItem::Shadowed { .. }) => {
                return open("an adjoint in a forward sweep");
            }
        }
        Ok(())
    }

    pub(super) fn forward_value(&mut self, value: ValueId) -> T {
        self.values[value.index()].unwrap_or_else(|| self.undefined(value))
    }

    /// What has no value. A number counts as 0: the program may not depend on it, and sweeps that need some number
    /// take 0.
    pub(super) fn undefined(&mut self, value: ValueId) -> T {
        let proc = self.f;
        let this = &proc.values[value];
        let ty = &proc.vars[this.var].ty;
        let number = (this.def == Def::Undefined && ty.is_number()).then(|| self.eval(Side::Forward, &zero(ty)));
        number.and_then(Result::ok).unwrap_or_else(|| self.terms.make(Term::Undefined(value)))
    }

    pub(super) fn havoc(&mut self, writes: Vec<Section>) {
        let writes: Vec<Section> = writes.into_iter().filter(|s| s.place.is_some() || !s.cells.is_empty()).collect();
        if writes.is_empty() {
            return;
        }
        for section in &writes {
            self.wrote(section.clone());
        }
        self.at = self.state(State::Havoc { before: self.at, writes: Arc::new(writes) });
    }

    /// A place and all that is in it.
    pub(super) fn whole(&mut self, place: P) -> P {
        let Spot { root, mut steps } = self.terms.get_spot(place).clone();
        if !steps.contains(&Way::All) {
            steps.push(Way::All);
        }
        self.terms.spot(Spot { root, steps })
    }

    fn pushed(&mut self, what: &Pushed) -> Res<Taped> {
        Ok(match what {
            Pushed::Value(expr) => Taped::Value(self.eval(Side::Forward, expr)?, super::terms::unnamed(&expr.ty)),
            Pushed::Bits { value, bits } => Taped::Bits(self.eval(Side::Forward, value)?, *bits),
            Pushed::Count(expr) => Taped::Count(self.eval(Side::Forward, expr)?),
            Pushed::Elements { place, count } => {
                let ty = place.ty.clone();
                let place = self.place(Side::Forward, place)?;
                Taped::Elements(place, self.integer(Side::Forward, count)?, self.at, ty)
            }
            Pushed::Pointer { value, bases, base } => {
                let value = self.eval(Side::Forward, value)?;
                let all = bases.iter().map(|base| self.eval(Side::Forward, base)).collect::<Res<Vec<_>>>()?;
                self.eval(Side::Forward, base)?;
                Taped::Pointer(value, all)
            }
        })
    }
}
