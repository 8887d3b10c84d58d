//! What each span has, for children of fork.
//!
//! A child has the memory of all tapes of its parent, but of the threads only the one that forked. The others may have been
//! anywhere in a change of their spans, so a child reads nothing there. What it has to know is written down here, and
//! nobody writes while a thread forks.
//!
//! Memory is *on its way* between a tape and a file: charged to the budget, and no span's. The file belongs to the parent,
//! so a child loses all that is on its way.

use super::budget::{Budget, process_so_far};
use super::{os, spare};
use crate::error::Error;
use crate::sync::{Arc, StaticCounter, StaticFlag, StaticLock, UNORDERED};
use std::time::Duration;

/// Whoever changes a figure of any account has this. No other lock is taken meanwhile.
static BOOKS: StaticLock<()> = StaticLock::new(());

/// What one span has.
pub(crate) struct Account {
    budget: &'static Budget,
    /// Bytes of memory, all of them charged to the budget.
    memory: StaticCounter,
    /// Bytes of address space, counted by the budget, too.
    reserved: StaticCounter,
    /// Address of the reservation; 0 where it may not be the span's alone.
    base: StaticCounter,
    /// The span's thread is one that this process, a child of fork, does not have: nobody asks the span for anything.
    abandoned: StaticFlag,
}

impl Account {
    pub fn new(budget: &'static Budget) -> Arc<Account> {
        Arc::new(Account {
            budget,
            memory: StaticCounter::new(0),
            reserved: StaticCounter::new(0),
            base: StaticCounter::new(0),
            abandoned: StaticFlag::new(false),
        })
    }

    pub fn budget(&self) -> &'static Budget {
        self.budget
    }

    /// Takes `n` bytes, all or none.
    pub fn charge(&self, n: usize) -> Result<(), Error> {
        let _books = BOOKS.lock();
        self.budget.charge(n as u64)?;
        self.memory.fetch_add(n as u64, UNORDERED);
        Ok(())
    }

    /// Gives back `n` bytes.
    pub fn refund(&self, n: usize) {
        let _books = BOOKS.lock();
        self.budget.refund(n as u64);
        self.memory.fetch_sub(n as u64, UNORDERED);
    }

    /// Puts `n` bytes on their way.
    pub fn send(&self, n: usize) {
        let _books = BOOKS.lock();
        self.memory.fetch_sub(n as u64, UNORDERED);
        self.budget.send(n as u64);
    }

    /// Has `n` bytes again that were on their way.
    pub fn receive(&self, n: usize) {
        let _books = BOOKS.lock();
        self.budget.receive(n as u64);
        self.memory.fetch_add(n as u64, UNORDERED);
    }

    /// Notes the reservation; of 0 bytes, there is none.
    pub fn settle(&self, base: usize, reserved: usize) {
        let _books = BOOKS.lock();
        self.budget.add_reserved(reserved as u64);
        self.budget.remove_reserved(self.reserved.swap(reserved as u64, UNORDERED));
        self.base.store(if reserved > 0 { base as u64 } else { 0 }, UNORDERED);
    }

    /// The reservation is about to be given back, or its pages to another one: somebody else may have a part of it from
    /// then on, until it is [settled](Account::settle) anew.
    pub fn unsettle(&self) {
        let _books = BOOKS.lock();
        self.base.store(0, UNORDERED);
    }

    /// Gives back all that the span has. In a child of fork without the span's thread: nobody uses or drops the span.
    pub fn abandon(&self) {
        self.abandoned.store(true, UNORDERED);
        let base = self.base.load(UNORDERED) as usize;
        let reserved = self.reserved.load(UNORDERED) as usize;
        self.refund(self.memory.load(UNORDERED) as usize);
        self.settle(0, 0);
        if base != 0 {
            spare::forget(base, reserved);
            os::release(base, reserved);
        }
    }

    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(UNORDERED)
    }
}

/// Takes `n` bytes that are on their way.
pub(crate) fn charge_on_way(budget: &Budget, n: usize) -> Result<(), Error> {
    let _books = BOOKS.lock();
    budget.charge(n as u64)?;
    budget.send(n as u64);
    Ok(())
}

/// Gives back `n` bytes that are on their way.
pub(crate) fn refund_on_way(budget: &Budget, n: usize) {
    let _books = BOOKS.lock();
    budget.receive(n as u64);
    budget.refund(n as u64);
}

/// Gives back all that is on its way. In a child of fork, where it arrives nowhere.
pub(crate) fn lose_what_is_on_its_way() {
    if let Some(budget) = process_so_far() {
        refund_on_way(budget, budget.on_way() as usize);
    }
}

/// Keeps other threads off the accounts and the spare pages until [`let_go`]: around a fork.
pub(crate) fn hold(longest: Duration) {
    BOOKS.hold(longest);
    spare::hold(longest);
}

pub(crate) fn let_go() {
    spare::let_go();
    BOOKS.let_go();
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::vm::{PAGE, Span, budget};
    use std::sync::Mutex;

    /// Accounts of spans that nobody drops: what is still within reach is no leak.
    static ABANDONED: Mutex<Vec<Arc<Account>>> = Mutex::new(Vec::new());

    /// What a child of fork does with the spans of threads that it does not have.
    #[test]
    fn abandoned_span_has_nothing_and_what_it_sent_is_no_loss_of_others() {
        let budget = budget!(100 * PAGE);
        let [mut gone, mut kept] = [(); 2].map(|()| Span::with_steps(PAGE, 64 * PAGE).charged_to(budget));
        gone.commit(10 * PAGE).unwrap();
        kept.commit(7 * PAGE).unwrap();
        let reserved = budget.reserved();
        let mut lent = gone.lend(8 * PAGE..9 * PAGE);
        let pages = lent.take_first(3 * PAGE);
        assert_eq!((budget.committed(), budget.on_way()), (17 * PAGE as u64, 3 * PAGE as u64));
        let account = gone.account();
        std::mem::forget((gone, lent, pages));
        account.abandon();
        assert_eq!((budget.committed(), budget.on_way()), (10 * PAGE as u64, 3 * PAGE as u64));
        assert_eq!((budget.reserved(), kept.account().is_abandoned()), (reserved / 2, false));
        refund_on_way(budget, 3 * PAGE);
        kept.slice_mut(0, 7 * PAGE).fill(1);
        drop(kept);
        assert_eq!((budget.committed(), budget.reserved()), (0, 0));
        ABANDONED.lock().unwrap().push(account);
    }

    /// A place that was left may be anybody's, so it is not unmapped.
    #[test]
    fn abandoned_span_that_was_about_to_move_leaves_its_place_alone() {
        let mut span = Span::with_steps(PAGE, 64 * PAGE).charged_to(budget!(100 * PAGE));
        span.commit(10 * PAGE).unwrap();
        span.slice_mut(0, 10 * PAGE).fill(1);
        let account = span.account();
        account.unsettle();
        account.abandon();
        assert!(span.slice(0, 10 * PAGE).iter().all(|byte| *byte == 1));
        assert_eq!((account.budget().committed(), account.budget().reserved()), (0, 0));
        std::mem::forget(span);
        ABANDONED.lock().unwrap().push(account);
    }
}
