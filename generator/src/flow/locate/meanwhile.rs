//! Answers that hold while loops are being read: their heads are atoms meanwhile, so what depends on them cannot be kept
//! for later. Inside one question each is found once all the same: in a nest of loops, every level would ask twice for
//! what is inside of it.

use std::hash::Hash;

use super::state::Locator;
use crate::flow::locate::state::{Answers, Asked, Of, Open};

impl Open {
    pub(super) fn is_empty(&self) -> bool {
        self.loops.borrow().is_empty()
    }

    pub(super) fn loops(&self) -> Vec<Of> {
        self.loops.borrow().clone()
    }

    pub(super) fn are(&self, loops: &[Of]) -> bool {
        *self.loops.borrow() == loops
    }

    /// Whether a loop is being read.
    pub(super) fn contains(&self, of: Of) -> bool {
        let loops = self.loops.borrow();
        let found = loops.contains(&of);
        if !loops.is_empty() {
            let asked = &mut *self.asked.borrow_mut();
            if found {
                asked.open.insert(of)
            } else {
                asked.others.insert(of)
            };
        }
        found
    }

    /// Reads a loop that is not being read yet.
    pub(super) fn during<R>(&self, of: Of, read: impl FnOnce() -> R) -> R {
        self.loops.borrow_mut().push(of);
        let result = read();
        self.loops.borrow_mut().pop();
        let asked = &mut *self.asked.borrow_mut();
        asked.open.remove(&of);
        if self.is_empty() {
            *asked = Asked::default();
        }
        result
    }

    /// Computations so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }
}

impl Asked {
    /// Whether the same would be found while `loops` are being read.
    fn fits(&self, loops: &[Of]) -> bool {
        self.open.iter().all(|of| loops.contains(of)) && !loops.iter().any(|of| self.others.contains(of))
    }

    fn add(&mut self, other: Asked) {
        self.open.extend(other.open);
        self.others.extend(other.others);
    }
}

impl Locator<'_> {
    /// The answer to a question; `find` runs if none is known that holds while the loops are read that are open.
    pub(super) fn meanwhile<K: Eq + Hash, T: Clone>(
        &self,
        answers: &Answers<K, T>,
        question: K,
        find: impl FnOnce() -> T,
    ) -> T {
        let open = &self.open;
        if open.is_empty() {
            open.steps.set(open.steps.get() + 1);
            return find();
        }
        let fits = |(asked, ..): &&(Asked, bool, T)| asked.fits(&open.loops.borrow());
        let known = answers.0.borrow().get(&question).and_then(|all| all.iter().find(fits).cloned());
        if let Some((asked, proved, answer)) = known {
            open.asked.borrow_mut().add(asked);
            self.proved.set(self.proved.get() | proved);
            return answer;
        }
        open.steps.set(open.steps.get() + 1);
        let (around, before) = (open.asked.take(), self.proved.replace(false));
        let answer = find();
        let (asked, proved) = (open.asked.replace(around), self.proved.get());
        open.asked.borrow_mut().add(asked.clone());
        self.proved.set(before | proved);
        answers.0.borrow_mut().entry(question).or_default().push((asked, proved, answer.clone()));
        answer
    }

    /// Forgets what was found while loops were being read.
    pub(super) fn forget_meanwhile(&self) {
        self.facts_meanwhile.clear();
        self.indexes_meanwhile.clear();
    }
}
