//! Branches and calls of the reverse sweep: by what is known of the arms, and by the contracts of the callees.

use super::reverse::Walk;
use super::section::Section;
use super::state::{Replay, Res, Side, open};
use super::sums::Linear;
use super::terms::Term;
use crate::ir::*;

impl Replay<'_> {
    pub(super) fn reverse_branch(&mut self, walk: &mut Walk, of: ItemId, on: &Expr, arms: [RegionId; 2]) -> Res<()> {
        let f = self.f;
        let ItemKind::Branch { then, otherwise, .. } = &f.items[of].kind else {
            return Err(self.refuted("a branch of the reverse sweep reverses no branch"));
        };
        let on = self.condition(Side::Reverse, on)?;
        let condition = self.conditions[&of];
        let (here, there) = (self.resolve(on), self.resolve(condition));
        let (here, there) = (self.truth(here), self.truth(there));
        if on != condition && here != there {
            self.differ(here, there, "a branch of the reverse sweep may take another arm")?;
        }
        // What is known here may say which arm runs: `if (!a) { if (!a) … }`.
        let truth = self.terms.constant(there).map(|there| there != 0);
        self.take_nested(walk, of)?;
        let around = walk.around.clone();
        let adjoints = self.locals_before_inner();
        let (back, mut still_back) = (walk.back.clone(), Vec::new());
        // What is lost for certain in one arm is not in the other.
        let (certain, mut still_certain) = (self.certain.clone(), Vec::new());
        let mut damage: Vec<Section> = Vec::new();
        let mut left = Vec::new();
        for (k, (region, own)) in [*then, *otherwise].into_iter().zip(arms).enumerate() {
            if truth.is_some_and(|truth| truth != (k == 0)) {
                // It never runs.
                continue;
            }
            self.damage = around.clone();
            self.at = self.ends[&region];
            self.set_locals(&adjoints);
            self.back.clone_from(&back);
            self.certain.clone_from(&certain);
            let known = self.known.len();
            self.assume_truth(condition, k == 0);
            self.reverse_region(region, own)?;
            self.forget(known);
            for section in std::mem::take(&mut self.damage) {
                if !damage.contains(&section) {
                    damage.push(section);
                }
            }
            left.push(self.locals());
            still_back.push(std::mem::take(&mut self.back));
            still_certain.push(std::mem::take(&mut self.certain));
        }
        self.certain = still_certain.into_iter().reduce(|one, other| &one & &other).unwrap_or_default();
        self.back = still_back.into_iter().reduce(|one, other| &one & &other).unwrap_or_default();
        self.merge_locals(&left);
        self.damage = damage;
        self.told.remove(&of);
        self.span = f.items[of].span;
        self.at = self.before[of.index()];
        Ok(())
    }

    /// A branch of which nothing is reversed: its bit has come back in front of it, if it pushed one.
    pub(super) fn only_told(&mut self, walk: &mut Walk, of: ItemId) -> Res<()> {
        let f = self.f;
        let ItemKind::Branch { then, otherwise, .. } = &f.items[of].kind else { return Ok(()) };
        let pushes = |arm: &RegionId| f.regions[*arm].items.iter().filter(|item| self.has_tape(**item)).count();
        if self.told.contains(&of) && pushes(then) == 1 && pushes(otherwise) == 1 {
            self.take_nested(walk, of)?;
        } else {
            self.told.remove(&of);
        }
        self.pass_over(of)
    }

    pub(super) fn reverse_call(&mut self, walk: &mut Walk, of: ItemId, callee: &Callee, args: &[Expr]) -> Res<()> {
        let f = self.f;
        let (ItemKind::Call { callee: forward, args: primal, into, .. }, Callee::Sweep(id, Role::Reverse)) =
            (&f.items[of].kind, callee)
        else {
            return Err(self.refuted("a call of the reverse sweep reverses no call"));
        };
        if *forward != Callee::Sweep(*id, Role::Forward) {
            return Err(self.refuted("a call of the reverse sweep reverses another procedure"));
        }
        let Some(params) = self.given.called.get(id).cloned() else { return open("a call of an unknown sweep") };
        let passed = self.passed[&of].clone();
        let mut returned = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            match param {
                ReverseParam::Seed if into.is_some() => {
                    let t = self.eval(Side::Reverse, arg)?;
                    self.is_seed_of_struct(of, t)?;
                }
                ReverseParam::Seed => {
                    let t = self.eval(Side::Reverse, arg)?;
                    let expected = self.seed_of_call(of)?;
                    if self.linear(t)? != expected {
                        return Err(self.refuted("a call gets another adjoint of its result"));
                    }
                }
                ReverseParam::Primal(k) => {
                    let Some(expected) = passed[*k as usize] else { continue };
                    let t = match &arg.kind {
                        ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => {
                            let place = self.place(Side::Reverse, place)?;
                            self.address(place)
                        }
                        _ => self.eval(Side::Reverse, arg)?,
                    };
                    self.agree(t, expected, "a call gets another argument than forward")?;
                    if let (Type::Struct(_), Term::Address(place)) = (&arg.ty, self.terms.get(t).clone()) {
                        let whole = self.whole(place);
                        self.intact(whole)?;
                    }
                }
                ReverseParam::Adjoint(k) => match &primal[*k as usize].ty {
                    Type::Pointer(_) | Type::Struct(_) => {
                        let t = self.eval(Side::Reverse, arg)?;
                        self.begins_with_something(t)?;
                        let Some(expected) = passed[*k as usize] else { continue };
                        let expected = self.shadow(expected);
                        self.agree(t, expected, "the adjoint of an argument lies elsewhere")?;
                    }
                    Type::Float { .. } => {
                        let t = self.eval(Side::Reverse, arg)?;
                        let place = match *self.terms.get(t) {
                            Term::Address(place) => place,
                            _ => return Err(self.refuted("the adjoint of an argument has no place of its own")),
                        };
                        if !matches!(self.terms.get(self.terms.get_spot(place).root), Term::Own(_)) {
                            return Err(self.refuted("the adjoint of an argument has no place of its own"));
                        }
                        if !self.holds(place)?.is_empty() {
                            return Err(self.refuted("the adjoint of an argument does not begin as 0"));
                        }
                        returned.push((place, *k));
                    }
                    _ => return open("a struct that is passed by value"),
                },
            }
        }
        let effect = self.given.calls.get(&of).cloned().unwrap_or_default();
        self.damage = walk.around.clone();
        self.back.clone_from(&walk.back);
        let given_to = self.given_to(of)?;
        self.add_damage(given_to);
        for section in self.sections_of_call(of, &effect.needs) {
            self.may_be_read(section);
        }
        let left = self.sections_of_call(of, &effect.leaves);
        self.add_damage(left);
        for behind in &effect.restores {
            if let Some(place) = self.place_of_call(of, behind) {
                self.comes_back(place);
            }
        }
        self.garbled_again(of);
        for (place, k) in returned {
            let t = self.terms.make(Term::Returned(of, k));
            self.put(place, t);
        }
        self.take_nested(walk, of)
    }

    fn seed_of_call(&mut self, of: ItemId) -> Res<Linear> {
        let ItemKind::Call { result, .. } = self.f.items[of].kind.clone() else { return open("no call") };
        match result {
            Some(result) if self.given.active.get(result.index()).copied().unwrap_or(false) => {
                match self.variable(result) {
                    Some(place) => {
                        let found = self.found_before(place)?;
                        self.linear(found)
                    }
                    None => Ok(Linear::new()),
                }
            }
            _ => Ok(Linear::new()),
        }
    }
}
