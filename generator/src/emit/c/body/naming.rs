//! Names of objects, variables and values in C.

use super::state::Body;
use crate::emit::body::Scopes;
use crate::ir::*;
use crate::names::Names;
use rustc_hash::{FxHashMap, FxHashSet};

impl Body<'_> {
    /// The first `users` objects keep the names that the user gave them.
    pub(super) fn name_objects(&mut self, names: &mut Names, users: usize) {
        for (index, object) in self.proc.objects.iter().enumerate() {
            let name = match object.life {
                Life::Param(position) => self.params[position as usize].clone(),
                _ if index < users => self.kept_name(&object.name, names),
                _ => names.fresh(&object.name),
            };
            self.objects.push(name);
        }
    }

    /// A name of the user, unless it would hide a function that generated code calls.
    pub(super) fn kept_name(&self, name: &str, names: &mut Names) -> String {
        if !self.library.is_free(name) {
            return names.fresh(name);
        }
        names.take(name);
        name.to_string()
    }

    /// Variables of one name and type that live one after the other in one region share one C variable; those of
    /// different regions, and counters that only their own `for` knows, are declared where they are used.
    pub(super) fn name_slots(&mut self, names: &mut Names) {
        let each: Vec<usize> = (0..self.proc.vars.len()).collect();
        let homes = Scopes::new(self.proc, &each, each.len()).homes;
        let own: FxHashSet<VarId> = self.heads.values().filter(|head| head.own).map(|head| head.var).collect();
        let params: FxHashMap<VarId, usize> =
            self.proc.params.iter().enumerate().filter_map(|(at, param)| Some((param.var?, at))).collect();
        let mut known: FxHashMap<(&str, &Type, Option<RegionId>), usize> = FxHashMap::default();
        // Names of C variables, and those that variables of a region share.
        let (mut taken, mut beside) = (FxHashSet::default(), FxHashSet::default());
        for (index, var) in self.proc.vars.iter().enumerate() {
            let id = VarId::new(index);
            let param = params.get(&id).copied();
            let user = var.kind == VarKind::User;
            let key = (var.name.as_str(), &var.ty, homes[index]);
            let shared = user && param.is_none() && !own.contains(&id);
            let slot = match known.get(&key) {
                Some(&slot) if shared => slot,
                _ => {
                    let beside = beside.contains(&(var.name.clone(), homes[index]));
                    let of_param = taken.contains(&var.name) && self.params.contains(&var.name);
                    let name = match param {
                        Some(position) => self.params[position].clone(),
                        None if user && !beside && !of_param => self.kept_name(&var.name, names),
                        None => names.fresh(&var.name),
                    };
                    taken.insert(name.clone());
                    self.slot_names.push(name);
                    self.slot_names.len() - 1
                }
            };
            if shared {
                known.insert(key, slot);
                beside.insert((self.slot_names[slot].clone(), homes[index]));
            }
            self.slots.push(slot);
        }
    }

    /// Notes the variables of each C variable, and the C variables of each name.
    pub(super) fn group_slots(&mut self) {
        self.slot_vars = vec![Vec::new(); self.slot_names.len()];
        for (at, slot) in self.slots.iter().enumerate() {
            self.slot_vars[*slot].push(VarId::new(at));
        }
        for (slot, name) in self.slot_names.iter().enumerate() {
            self.slots_named.entry(name.clone()).or_default().push(slot);
        }
    }

    pub(super) fn name_values(&mut self, names: &mut Names) {
        self.values = vec![String::new(); self.proc.values.len()];
        let counters: FxHashMap<ValueId, ValueId> = self.downs.values().map(|down| (down.here, down.head)).collect();
        let unnamed: FxHashSet<ValueId> = self
            .downs
            .values()
            .filter_map(|down| down.init)
            .filter_map(|item| {
                let ItemKind::Let { value } = self.proc.items[item].kind else { return None };
                Some(value)
            })
            .collect();
        // Loops of one variable stand beside each other: what none of them leaves behind has one name in all.
        let mut shared: FxHashMap<VarId, String> = FxHashMap::default();
        for (index, value) in self.proc.values.iter().enumerate() {
            let id = ValueId::new(index);
            self.values[index] = match value.def {
                Def::Entry(position) => self.params[position as usize].clone(),
                Def::Out(..) | Def::Undefined => continue,
                _ if unnamed.contains(&id) || self.begins.contains_key(&id) || counters.contains_key(&id) => continue,
                Def::Head(item, position) if self.begins_and_ends(item, position) => {
                    let name = &self.proc.vars[value.var].name;
                    shared.entry(value.var).or_insert_with(|| names.fresh(name)).clone()
                }
                _ => names.fresh(&self.proc.vars[value.var].name),
            };
        }
        for (here, head) in counters {
            self.values[here.index()] = self.values[head.index()].clone();
        }
        // Behind the loop a carried variable is called as in it.
        for (index, value) in self.proc.values.iter().enumerate() {
            if let Def::Out(item, position) = value.def
                && let ItemKind::Loop { carried, .. } = &self.proc.items[item].kind
            {
                self.values[index] = self.values[carried[position as usize].head.index()].clone();
            }
        }
    }

    /// Whether a loop carries one variable only, which begins with a number and which nothing reads behind the loop.
    fn begins_and_ends(&self, item: ItemId, position: u32) -> bool {
        let ItemKind::Loop { carried, .. } = &self.proc.items[item].kind else { return false };
        let each = &carried[position as usize];
        carried.len() == 1 && self.begins.contains_key(&each.init) && !self.is_read(each.out)
    }
}

impl Body<'_> {
    /// Declares a variable where it must exist, with a value that nobody reads.
    pub(super) fn declare_slot(&mut self, slot: usize, ty: &Type) {
        self.declared[slot] = true;
        let zero = match ty {
            Type::Pointer(_) => "NULL",
            Type::Float { .. } => "0.0",
            _ => "0",
        };
        let zero = if *ty == (Type::Float { bits: 32 }) { "0.0f" } else { zero };
        let text = format!("{} = {zero};", self.exprs.declare(ty, &self.slot_names[slot].clone()));
        self.statement(&text);
    }
}
