//! The user's text in the forward sweep.
//!
//! A statement is copied, comments and all, where the sweep does what the statement does and nothing in between: the
//! same items, no push among them, every variable under the user's name and with the value that the text expects. What
//! is not copied is printed from the intermediate form, with the comment above it.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::state::{Body, Copies};
use super::text;
use crate::emit::c::unit::Unit;
use crate::ir::*;
use crate::names::words;

impl Copies {
    fn region(&self, item: ItemId) -> Option<RegionId> {
        self.regions.get(item.index()).copied().flatten()
    }

    /// Looks at every statement of a sweep that follows the primal's statements.
    pub(super) fn new(unit: &Unit, primal: &Proc, proc: &Proc) -> Copies {
        let regions = proc.positions().into_iter().map(|known| Some(known?.0)).collect();
        let mut copies = Copies { regions, ..Copies::default() };
        for at in primal.items.ids() {
            let mut statement = primal.items[at].statement;
            while let Some(this) = statement {
                copies.items.entry(this).or_default().insert(at);
                statement = primal.statements[this].parent;
            }
        }
        for &item in proc.regions.iter().flat_map(|region| &region.items) {
            for value in values(proc, item) {
                copies.mentions.entry(proc.values[value].var).or_default().insert(item);
            }
        }
        // Behind all items, and so outside of every statement.
        let behind = ItemId::new(proc.items.len());
        if let Some(result) = &proc.result {
            crate::ir::walk::values(result, &mut |value| {
                copies.mentions.entry(proc.values[value].var).or_default().insert(behind);
            });
        }
        if proc.role == Role::Forward {
            for (&statement, items) in &copies.items {
                if let Some(text) = text::of_statement(unit.program, &primal.statements[statement], &unit.macros)
                    && items.iter().all(|item| unchanged(primal, proc, *item))
                    && copies.nothing_between(primal, proc, items)
                    && !(unit.checks && items.iter().any(|item| follows(primal, *item)))
                {
                    copies.whole.insert(statement, text);
                }
            }
        }
        copies
    }

    /// Whether regions inside a statement hold nothing but the statement's own items.
    fn nothing_between(&self, primal: &Proc, proc: &Proc, items: &BTreeSet<ItemId>) -> bool {
        items.iter().all(|item| {
            let regions = primal.items[*item].kind.regions();
            regions.iter().all(|region| proc.regions[*region].items.iter().all(|inner| items.contains(inner)))
        })
    }
}

/// Whether an item reads a pointer in memory, which a file that checks itself notes.
fn follows(proc: &Proc, item: ItemId) -> bool {
    let mut found = false;
    let mut see = |e: &Expr| found |= matches!(&e.kind, ExprKind::Load(place) if crate::check::is_followed(place));
    walk::expressions_of_item(proc, item, &mut see);
    found
}

/// The values that an item reads or defines.
fn values(proc: &Proc, item: ItemId) -> Vec<ValueId> {
    let mut found = Vec::new();
    walk::values_of_item(proc, item, &mut |value| found.push(value));
    found.extend(proc.items[item].kind.defined());
    walk::values_of_extents(proc, item, &mut |value| found.push(value));
    found
}

/// Whether an item of the sweep does what it does in the primal. What had no effect may be gone.
fn unchanged(primal: &Proc, proc: &Proc, item: ItemId) -> bool {
    let (kind, now) = (&primal.items[item].kind, &proc.items[item].kind);
    if let (ItemKind::Call { callee, .. }, ItemKind::Call { callee: now, .. }) = (kind, now)
        && callee != now
    {
        return false;
    }
    if let (ItemKind::Loop { carried, .. }, ItemKind::Loop { carried: now, .. }) = (kind, now)
        && !now.iter().all(|each| carried.iter().any(|before| before.head == each.head))
    {
        return false;
    }
    let is_stable = matches!(kind, ItemKind::Alloc { object, .. } if proc.objects[*object].life == Life::Stable);
    let is_released = matches!(now, ItemKind::Sweep(SweepItem::Release { .. }));
    !(is_stable || is_released || kind.resizes() && proc.role == Role::Forward)
}

impl Body<'_> {
    /// Copies the statement that begins with the first of these items of a region; how many items that were.
    pub(super) fn copied(&mut self, region: RegionId, at: usize) -> Option<usize> {
        let proc = self.proc;
        let items = &proc.regions[region].items;
        let first = items[at];
        let mut candidates = Vec::new();
        let mut statement = proc.items[first].statement.filter(|_| first.index() < self.primal_items);
        while let Some(this) = statement {
            candidates.push(this);
            statement = proc.statements[this].parent;
        }
        while let Some(statement) = candidates.pop() {
            if let Some(text) = self.copies.whole.get(&statement).cloned()
                && let Some(count) = self.fits(statement, &text, region, at)
                && self.names_exist(statement, &text, region)
            {
                self.comment(statement);
                self.settle(statement, region, at, count);
                self.statement(&text);
                self.keep_copied(&items[at..at + count]);
                return Some(count);
            }
        }
        None
    }

    /// Prints the comments above the statements that begin with an item.
    pub(super) fn comments(&mut self, item: ItemId) {
        let mut statement = self.proc.items[item].statement.filter(|_| item.index() < self.primal_items);
        let mut begun = Vec::new();
        while let Some(this) = statement {
            if self.copies.items.get(&this).and_then(BTreeSet::first) == Some(&item) {
                begun.push(this);
            }
            statement = self.proc.statements[this].parent;
        }
        while let Some(this) = begun.pop() {
            self.comment(this);
        }
    }

    fn comment(&mut self, statement: StatementId) {
        if self.copies.commented.insert(statement)
            && let Some(text) = text::comment(self.unit.program, &self.proc.statements[statement])
        {
            self.statement(&text);
        }
    }

    /// How many items from `at` on are the statement's, if its text fits where these stand.
    fn fits(&self, statement: StatementId, text: &str, region: RegionId, at: usize) -> Option<usize> {
        let proc = self.proc;
        let all = &self.copies.items[&statement];
        let items = &proc.regions[region].items;
        if at > 0 && all.contains(&items[at - 1]) {
            return None;
        }
        let count = items[at..].iter().take_while(|item| all.contains(item)).count();
        let present: Vec<ItemId> = all.iter().copied().filter(|item| self.copies.region(*item).is_some()).collect();
        // The text names what had no effect, too.
        if present.len() < all.len() {
            return None;
        }
        // The head of a `for` may have taken an item: only with the loop itself can it be copied.
        let run = &items[at..at + count];
        let taken = |item: &ItemId| {
            let of_own_loop = |other: &ItemId| self.heads.get(other).is_some_and(|head| head.init == Some(*item));
            self.skipped.contains(item) && !run.iter().any(of_own_loop)
        };
        if run.iter().any(taken) {
            return None;
        }
        let here: FxHashSet<&ItemId> = run.iter().collect();
        let inside = |item: &ItemId| {
            here.contains(item) || self.copies.region(*item) != Some(region) && self.is_inside(*item, region)
        };
        // All of the statement is here, and nothing stands between its items.
        if !present.iter().all(inside) {
            return None;
        }
        let scoped = present.iter().any(|item| matches!(proc.items[*item].kind, ItemKind::Loop { .. }))
            || present.iter().any(|item| proc.items[*item].statement != Some(statement));
        let kept = self.kept.borrow();
        let words: FxHashSet<&str> = words(text).collect();
        for &item in &present {
            // A member of a struct may have become a variable or an object, which the text does not declare.
            let declared = if let ItemKind::DeclareVar { var } = proc.items[item].kind {
                Some(&proc.vars[var]).filter(|var| var.kind == VarKind::User).map(|var| &var.name)
            } else if let ItemKind::Declare { object } = proc.items[item].kind {
                Some(&proc.objects[object].name)
            } else {
                None
            };
            if declared.is_some_and(|name| !words.contains(name.as_str())) {
                return None;
            }
            let kind = &proc.items[item].kind;
            if let ItemKind::DeclareVar { var } = *kind {
                let slot = self.slots[var.index()];
                let mentions = self.copies.mentions.get(&var);
                let outside = mentions.is_some_and(|mentions| mentions.iter().any(|other| !all.contains(other)));
                // What the statements behind it computed may have had no effect.
                if !scoped && mentions.is_none_or(BTreeSet::is_empty) {
                    return None;
                }
                let shared = self.slot_vars[slot].len() > 1;
                // The text declares another name.
                if outside && !words.contains(self.slot_names[slot].as_str()) {
                    return None;
                }
                // A `for` that declares the variable itself would leave this declaration without use.
                let own = |item: &ItemId| {
                    !all.contains(item) && self.heads.get(item).is_some_and(|head| head.own && head.var == var)
                };
                if mentions.is_some_and(|mentions| mentions.iter().any(own)) {
                    return None;
                }
                let at_home = self.scopes.homes[slot] == Some(region);
                // The text gives it no value.
                if self.index.unset.contains(&var) {
                    return None;
                }
                if self.declared[slot] || shared || (if scoped { outside } else { outside && !at_home }) {
                    return None;
                }
            }
            // The text gives a block no name of its own.
            let is_named = scoped || matches!(kind, ItemKind::Alloc { .. });
            if kind.begun().is_some_and(|object| is_named && self.named_outside(object, all)) {
                return None;
            }
            if !self.objects_keep_names(item) {
                return None;
            }
            for value in values(proc, item) {
                let known = &proc.values[value];
                let var = &proc.vars[known.var];
                let made_here = match known.def {
                    Def::Is(_) => self.index.lets.get(&value).is_some_and(|item| all.contains(item)),
                    Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) | Def::Result(item) => {
                        all.contains(&item)
                    }
                    _ => false,
                };
                let slot = self.slots[known.var.index()];
                // A member of a struct may have become a variable, which the text does not know.
                let known_to_text = words.contains(var.name.as_str());
                let named = var.kind == VarKind::User && self.slot_names[slot] == var.name && known_to_text;
                let alone = || self.copies.mentions[&known.var].iter().all(|other| all.contains(other));
                let holds = self.current[slot] == Some(value) || known.def == Def::Undefined;
                let hidden = var.kind == VarKind::User && !known_to_text;
                let fits = if made_here {
                    !hidden && !kept.contains_key(&value) && (named || alone())
                } else {
                    named && holds
                };
                if !fits {
                    return None;
                }
            }
        }
        Some(count)
    }

    /// Whether all locals that a text names are declared around a region: some may have had no other use.
    fn names_exist(&self, statement: StatementId, text: &str, region: RegionId) -> bool {
        let proc = self.proc;
        let named: FxHashSet<&str> = words(text).collect();
        let all = &self.copies.items[&statement];
        let declares = |item: &ItemId| {
            let ItemKind::DeclareVar { var } = proc.items[*item].kind else { return None };
            Some(var)
        };
        let here: FxHashSet<VarId> = all.iter().filter_map(declares).collect();
        // What another arm of a branch declared is not there.
        let around = |slot: usize| {
            let home = self.scopes.homes[slot];
            let param = |param: &Param| param.var.is_some_and(|var| self.slots[var.index()] == slot);
            home.is_none_or(|home| proc.is_within(region, home)) || proc.params.iter().any(param)
        };
        let declared = |name: &str| {
            let slots = self.slots_named.get(name);
            slots.into_iter().flatten().any(|slot| self.declared[*slot] && around(*slot))
        };
        // The text cannot mean a variable that its source declares in another block.
        let meant = |var: &VarId| {
            let at = self.index.declaring.get(var).and_then(|item| self.copies.region(*item));
            at.is_none_or(|at| proc.is_within(region, at))
        };
        let variable = |name: &&str| {
            let mut vars = self.index.variables.get(name).into_iter().flatten();
            // There may be many of one name, so what holds for all of them is asked first.
            declared(name) || vars.all(|var| here.contains(var) || !meant(var))
        };
        let object = |name: &&str| {
            let objects = self.index.locals.get(name).into_iter().flatten();
            objects.into_iter().all(|object| self.index.declared.contains(object))
        };
        named.iter().all(variable) && named.iter().all(object)
    }

    fn is_inside(&self, item: ItemId, outer: RegionId) -> bool {
        self.copies.region(item).is_some_and(|region| self.proc.is_within(region, outer))
    }

    /// Whether objects that an item names are called as the user calls them.
    fn objects_keep_names(&self, item: ItemId) -> bool {
        let mut keep = true;
        crate::sweep::tidy::named(self.proc, item, &mut |object| {
            keep &= self.objects[object.index()] == self.proc.objects[object].name;
        });
        keep
    }

    fn named_outside(&self, object: ObjectId, all: &BTreeSet<ItemId>) -> bool {
        self.index.naming.get(&object).into_iter().flatten().any(|item| !all.contains(item))
    }

    /// Declares what must exist in front of the copy.
    fn settle(&mut self, statement: StatementId, region: RegionId, at: usize, count: usize) {
        let items = self.proc.regions[region].items[at..at + count].to_vec();
        let all = self.copies.items[&statement].clone();
        let mut own = Vec::new();
        for item in &all {
            if let ItemKind::DeclareVar { var } = self.proc.items[*item].kind {
                own.push(self.slots[var.index()]);
            }
        }
        for item in items {
            for slot in self.scopes.declared_at(item).to_vec() {
                let var = self.slot_vars[slot].first().copied().unwrap_or(VarId(0));
                let user = self.proc.vars[var].kind == VarKind::User;
                if !self.declared[slot] && !own.contains(&slot) && user {
                    self.declare_slot(slot, &self.proc.vars[var].ty);
                }
            }
        }
        own.into_iter().for_each(|slot| self.declared[slot] = true);
    }

    /// Follows which values the variables hold behind the copy.
    fn keep_copied(&mut self, items: &[ItemId]) {
        let proc = self.proc;
        for &item in items {
            let kind = &proc.items[item].kind;
            if let Some(value) = kind.assigned() {
                self.holds(value);
            } else if let ItemKind::Branch { then, otherwise, joins, .. } = kind {
                let changed = self.scopes.changed_in(*then).chain(self.scopes.changed_in(*otherwise));
                self.forget(&changed.collect::<Vec<_>>());
                joins.iter().for_each(|join| self.holds(join.out));
            } else if let ItemKind::Loop { body, carried, .. } = kind {
                let changed: Vec<usize> = self.scopes.changed_in(*body).collect();
                self.forget(&changed);
                carried.iter().for_each(|each| self.holds(each.out));
            }
        }
    }
}
