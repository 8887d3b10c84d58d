//! Calls of a program that restore: pops, addresses of the forward sweep, objects that come back.

use super::model::{Item, Lay, Object, Set, Target, extent};
use super::program::{Run, status};
use adtape::{Error, LiveRange, Status};

impl Run<'_> {
    pub fn pop(&mut self) {
        match self.model.tape.pop() {
            None => assert!(self.objects.pop_range(&self.tape).is_err(), "the tape is empty"),
            Some(Item::Range(i, base)) => {
                let range = self.objects.pop_range(&self.tape).expect("a range was pushed");
                let Object { serial, bytes, kind, .. } = self.model.objects[i];
                let found = (range.serial, range.base as u64, range.bytes as u64, range.kind, range.adjoint_base);
                assert_eq!(found, (serial, base, bytes, kind, 0));
                self.model.popped.push((i, range));
            }
            Some(Item::Pointer(place)) => {
                let pop = |run: &Self, a, b| run.objects.pop_pointer(&run.tape, a as usize, b as usize);
                self.pop_place(place, false, pop, Item::Pointer);
            }
            Some(Item::Pair(place)) => {
                let pop = |run: &Self, a, b| run.objects.pop_pair(&run.tape, a as usize, b as usize);
                self.pop_place(place, true, pop, Item::Pair);
            }
        }
    }

    fn pop_place(
        &mut self,
        place: Option<(usize, i64)>,
        is_pair: bool,
        pop: impl Fn(&Self, u64, u64) -> Result<adtape::Restored, Error>,
        item: impl Fn(Option<(usize, i64)>) -> Item,
    ) {
        let variables = [self.input.address(), self.input.address()];
        let result = pop(self, variables[0], variables[1]);
        let alive = place.filter(|(i, _)| self.model.objects[*i].alive);
        let target = place.map(|(i, by)| Target::Object(i, by));
        let pair = place.filter(|_| is_pair).map(|(_, by)| by);
        if !self.restored(&variables, result, alive, target, pair) {
            self.model.tape.push(item(place));
        }
    }

    /// Compares what a call made of a pointer to a place, or of one that waits for a target, or of NULL; whether it
    /// succeeded.
    fn restored(
        &mut self,
        variables: &[u64; 2],
        result: Result<adtape::Restored, Error>,
        place: Option<(usize, i64)>,
        target: Option<Target>,
        pair: Option<i64>,
    ) -> bool {
        let now = match place.map(|(i, by)| self.model.objects[i].now(by)).transpose() {
            Err(error) => {
                assert_eq!(status(&result), error, "{result:?}");
                return false;
            }
            Ok(now) => now,
        };
        let restored = result.expect("the pointer is restored or waits");
        assert_eq!(restored.waits, now.is_none() && target.is_some(), "{target:?} is at {now:x?}");
        let now = now.unwrap_or((0, 0));
        assert_eq!((restored.address as u64, restored.adjoint as u64), now);
        for (i, variable) in variables.iter().enumerate().filter(|(_, variable)| **variable != 0) {
            let (adjoint, beside) = (i == 1, variables[1 - i]);
            let waits = target.filter(|_| restored.waits);
            self.model.set.remove(variable);
            match waits {
                Some(target) => _ = self.model.waiting.insert(*variable, (target, adjoint, pair, beside)),
                None => _ = self.model.waiting.remove(variable),
            }
            if let Some(place) = place {
                let (target, held) = (Target::Object(place.0, place.1), [now.0, now.1][i]);
                self.model.note_set(*variable, place, Set { target, adjoint, pair, held, beside, certain: false });
            }
        }
        true
    }

    pub fn rebase_pointer(&mut self) {
        let n = self.input.byte() as usize;
        let address = match self.model.moved.get(n % (self.model.moved.len() + 1)) {
            Some(lay) => lay.base + self.input.byte() % (lay.bytes + 1),
            None => self.pointer(),
        };
        self.rebase_address(address);
    }

    pub fn rebase_address(&mut self, address: u64) {
        let variables = [self.input.address(), self.input.address()];
        let result = self.objects.rebase_pointer(address as usize, variables[0] as usize, variables[1] as usize);
        let null = address == 0;
        let place = (!null).then(|| self.model.rebase(address)).flatten();
        self.restored(&variables, result, place, (!null).then_some(Target::Forward(address)), None);
    }

    pub fn rebase_add(&mut self) {
        if self.model.popped.is_empty() {
            return;
        }
        let (i, range) = self.model.popped[self.input.below(self.model.popped.len())];
        let new_base = self.input.address();
        self.come_back(i, range, new_base);
    }

    /// An object comes back to an address. Whether it could.
    pub fn come_back(&mut self, i: usize, range: LiveRange, new_base: u64) -> bool {
        let bytes = range.bytes as u64;
        let adjoint_base = self.input.address();
        let adjoint_bytes = [0, bytes / 2, bytes, 2 * bytes][self.input.below(4)];
        let (base, was) = (range.base as u64, self.model.objects[i]);
        let came = Object { base: new_base, forward_base: base, adjoint_base, adjoint_bytes, alive: true, ..was };
        let mut arrivals = Vec::new();
        for (variable, (target, adjoint, pair, beside)) in &self.model.waiting {
            let by = match target {
                Target::Object(object, by) if *object == i => *by,
                Target::Forward(address) if (base..base + bytes).contains(address) => (address - base) as i64,
                _ => continue,
            };
            let value = if *adjoint { came.adjoint(by) } else { Ok(new_base.wrapping_add_signed(by)) };
            arrivals.push((*variable, by, value, (*adjoint, *pair, *beside)));
        }
        let uneven = arrivals.iter().find_map(|(_, _, value, _)| value.err());
        let checks = [
            extent(new_base, bytes),
            adjoint_base.checked_add(adjoint_bytes).map(drop).ok_or(Status::CountRange),
            uneven.map_or(Ok(()), Err),
            if was.alive { Err(Status::Overlap) } else { Ok(()) },
            self.model.free(new_base, bytes),
        ];
        let expected = checks.into_iter().find_map(Result::err).unwrap_or(Status::Ok);
        let result = self.objects.rebase_add(&range, new_base as usize, adjoint_base as usize, adjoint_bytes as usize);
        assert_eq!(status(&result), expected, "{range:?} at {new_base:#x}: {result:?}");
        let Ok(set) = result else { return false };
        let (mut waited, followed): (Vec<_>, Vec<_>) = set.into_iter().partition(|waiter| waiter.held.is_none());
        waited.sort_unstable_by_key(|waiter| waiter.variable);
        let waited: Vec<_> = waited.iter().map(|w| (w.variable as u64, w.offset as i64, Ok(w.value as u64))).collect();
        assert_eq!(
            waited,
            arrivals.iter().map(|(variable, by, value, _)| (*variable, *by, *value)).collect::<Vec<_>>()
        );
        self.model.objects[i] = Object { came: self.model.clock, ..came };
        self.model.clock += 1;
        self.model.deaths.retain(|lay| lay.object != i);
        for (variable, by, value, (adjoint, pair, beside)) in arrivals {
            self.model.waiting.remove(&variable);
            let (target, held) = (Target::Object(i, by), value.expect("it was set"));
            self.model.note_set(variable, (i, by), Set { target, adjoint, pair, held, beside, certain: false });
        }
        let mut expected = self.model.followers(i, base, bytes);
        for waiter in followed {
            let found = expected.iter().position(|(variable, ..)| *variable == waiter.variable as u64);
            let (variable, by, value, set) =
                expected.remove(found.unwrap_or_else(|| panic!("{waiter:?} is not to be set")));
            let found = (waiter.offset as i64, waiter.value as u64, waiter.held);
            assert_eq!(found, (by, value, Some(set.held as usize)), "{variable:#x}");
            self.model.note_set(variable, (i, by), Set { held: value, ..set });
        }
        for (variable, .., set) in expected {
            assert!(!set.certain, "{variable:#x} holds {:#x} still, where object {i} was", set.held);
            self.model.set.remove(&variable);
        }
        self.model.dead.retain(|lay| lay.object != i);
        if bytes > 0 && new_base != base {
            self.model.moved.push(Lay { object: i, base, bytes });
        }
        true
    }
}
