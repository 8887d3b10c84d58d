//! What changes in the model when an object ends or comes back, and which variables follow it.

use super::model::{Lay, Model, Object, Set, Target, meet};

impl Model {
    /// Puts a place into a list, where it replaces what it overlaps of its class.
    pub fn replace(objects: &[Object], places: &mut Vec<Lay>, new: Lay) {
        let stack = objects[new.object].is_stack();
        places.retain(|lay| {
            objects[lay.object].is_stack() != stack || !meet((lay.base, lay.bytes), (new.base, new.bytes))
        });
        places.push(new);
    }

    pub fn end(&mut self, i: usize) {
        let object = self.objects[i];
        self.objects[i].alive = false;
        self.moved.retain(|lay| lay.object != i);
        for (base, bytes) in [(object.base, object.bytes), (object.adjoint_base, object.adjoint_bytes)] {
            self.waiting.retain(|variable, _| !(base..base.saturating_add(bytes)).contains(variable));
            self.set.retain(|variable, _| !(base..base.saturating_add(bytes)).contains(variable));
        }
    }

    /// What was set to an object whose birth is reversed points where it lay in the forward sweep.
    pub fn release(&mut self, i: usize) {
        let base = self.objects[i].forward_base;
        for set in self.set.values_mut() {
            match set.target {
                Target::Object(there, by) if there == i => {
                    let by = if set.pair.is_some() { 0 } else { by };
                    set.target = Target::Forward(base.wrapping_add_signed(by));
                }
                _ => {}
            }
        }
    }

    pub fn note_set(&mut self, variable: u64, (i, by): (usize, i64), set: Set) {
        if set.held != 0 || set.beside != 0 {
            let certain = self.objects[i].reused;
            self.set.insert(variable, Set { target: Target::Object(i, by), certain, ..set });
        } else {
            self.set.remove(&variable);
        }
    }

    /// Variables that were set to where an object lay in the forward sweep, as far as they are to be set to it, with the
    /// offset and the value; the others are forgotten.
    pub fn followers(&mut self, i: usize, base: u64, bytes: u64) -> Vec<(u64, i64, u64, Set)> {
        let came = self.objects[i];
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for (variable, set) in &self.set {
            let Target::Forward(address) = set.target else { continue };
            let there = if set.pair.is_some() { address == base } else { (base..=base + bytes).contains(&address) };
            if !there {
                continue;
            }
            let by = set.pair.unwrap_or(address.wrapping_sub(base) as i64);
            let value = if set.adjoint { came.adjoint(by) } else { Ok(came.base.wrapping_add_signed(by)) };
            let beside = (set.beside != 0).then(|| self.set.get(&set.beside).filter(|other| other.beside == *variable));
            match (value, beside) {
                (Ok(value), None) if !self.set_anew(i, set, None) => found.push((*variable, by, value, *set)),
                (Ok(value), Some(Some(other))) if !self.set_anew(i, set, Some(other.held)) => {
                    found.push((*variable, by, value, *set));
                }
                _ => others.push(*variable),
            }
        }
        others.iter().for_each(|variable| _ = self.set.remove(variable));
        found
    }

    /// Whether another object lies now where variables point that are set together.
    pub fn set_anew(&self, i: usize, set: &Set, beside: Option<u64>) -> bool {
        let (primal, adjoint) = match (set.adjoint, beside) {
            (false, beside) => (set.held, beside),
            (true, Some(primal)) => (primal, Some(set.held)),
            (true, None) => return false,
        };
        let by = set.pair.unwrap_or(0);
        let there = self.within(primal.wrapping_sub(by as u64)).map(|i| (i, self.objects[i]));
        there.is_some_and(|(other, there)| {
            let same = there.base.wrapping_add_signed(by) == primal;
            other != i && same && adjoint.is_none_or(|adjoint| there.adjoint(by) == Ok(adjoint))
        })
    }

    pub fn die(&mut self, i: usize) {
        self.end(i);
        let Object { base, bytes, .. } = self.objects[i];
        if bytes > 0 {
            Model::replace(&self.objects, &mut self.dead, Lay { object: i, base, bytes });
            self.deaths.push(Lay { object: i, base, bytes });
        }
        self.set.retain(|_, set| !matches!(set.target, Target::Object(there, _) if there == i));
    }
}
