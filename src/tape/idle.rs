//! The idle parts of the process's tapes, which give way when memory is short, whoever is short of it.
//!
//! A tape keeps its top to itself and leaves the rest in its *slot*, the oldest values and the memory above the top:
//!
//! ```text
//!   0            spilled           floor <= cur <= limit                   committed
//!   |== in store ==|==== lent ====|========= kept ========|===== lent =====|
//!                   any thread may move                     any thread may
//!                   the oldest to the store                 give it back
//! ```
//!
//! The fast path stays between floor and limit, so whoever holds the slot has what is lent alone. An operation that meets
//! either takes the slow path, which empties the slot; it waits for a thread that is at work there. That thread waits for
//! nothing but the store.

#![forbid(unsafe_code)]

use super::aside::Aside;
use crate::error::{Error, Status, bytes, say};
use crate::store::spill;
use crate::sync::{Arc, First, ForkLock, LockGuard, StaticCounter, StaticLock, UNORDERED, wait};
use crate::vm::{self, Account, Lent, PAGE};
use std::sync::Weak;
use std::time::{Duration, Instant};

/// The idle part of a tape, and where it can go.
pub(super) struct Part {
    pub memory: Lent,
    /// None: a file in the spill directory, if one is set, is made when it is needed.
    pub store: Option<Aside>,
}

/// Bytes above the top, and of values that could go to a store.
type Spare = (usize, usize);

/// The most values that go to a store at once where fewer are wanted: a file writes them while the tape goes on.
const AT_ONCE: usize = 32 << 20;

impl Part {
    /// What it has to give.
    fn spare(&mut self, directory: bool) -> Spare {
        if self.memory.from() == 0 && self.store.as_ref().is_some_and(|store| !store.is_ours()) {
            // A child of fork leaves the file of its parent, in which it has nothing, and makes one of its own.
            self.store = None;
        }
        let values = match &self.store {
            Some(store) => self.memory.len() + store.held(),
            None if directory => self.memory.len(),
            None => 0,
        };
        (self.memory.warm_bytes(), values)
    }

    /// Gives memory back, twice what is wanted or half of what there is, whichever is more: from above the top or, where
    /// nothing is left there, of the oldest values, which go to the store, and of which no more than a few MiB go
    /// unasked. Returns how many bytes that were. `directory`: whether there is one for a new store.
    fn give_way(&mut self, wanted: usize, directory: bool) -> Result<usize, Error> {
        let share = |there: usize, most: usize| {
            wanted.saturating_mul(2).max((there / 2).min(most)).min(there).next_multiple_of(PAGE)
        };
        let warm = share(self.memory.warm_bytes(), usize::MAX);
        if warm > 0 {
            self.memory.discard_warm(warm);
            return Ok(warm);
        }
        let there = self.memory.len();
        if self.store.is_none() && there > 0 && directory {
            self.store = spill::in_directory()?.map(Aside::File);
        }
        match &mut self.store {
            Some(store) => store.keep(&mut self.memory, share(there, AT_ONCE), wanted),
            None => Ok(0),
        }
    }
}

/// Where a tape leaves a part: it alone puts it there and takes it back, any thread may work on it meanwhile.
pub(super) struct Slot<P>(ForkLock<Loan<P>>);

enum Loan<P> {
    Lent(P),
    /// An operation is under way, after which the tape may lend something.
    Away,
    Nothing,
}

/// How often what is lent has changed anywhere. Counted under the lock of the slot that changes, so whoever finds the
/// change there finds it counted.
static CHANGES: StaticCounter = StaticCounter::new(0);

impl<P> Slot<P> {
    pub fn new() -> Slot<P> {
        Slot(ForkLock::new(Loan::Nothing))
    }

    pub fn lend(&self, part: P) {
        self.set(Loan::Lent(part));
    }

    /// The part, if there is one; waits for whoever works on it.
    pub fn take_back(&self) -> Option<P> {
        match self.set(Loan::Away) {
            Loan::Lent(part) => Some(part),
            _ => None,
        }
    }

    /// Says, where nothing is lent, that something may be in a moment.
    pub fn announce(&self) {
        self.set(Loan::Away);
    }

    /// Says that nothing will be lent in a moment.
    pub fn rest(&self) {
        self.set(Loan::Nothing);
    }

    fn set(&self, state: Loan<P>) -> Loan<P> {
        let mut now = self.lock();
        CHANGES.fetch_add(1, UNORDERED);
        std::mem::replace(&mut *now, state)
    }

    /// Works on the part; None if nothing is lent.
    fn with<R>(&self, work: impl FnOnce(&mut P) -> R) -> Option<R> {
        match &mut *self.lock() {
            Loan::Lent(part) => {
                CHANGES.fetch_add(1, UNORDERED);
                Some(work(part))
            }
            _ => None,
        }
    }

    fn lock(&self) -> LockGuard<'_, Loan<P>> {
        self.0.lock()
    }
}

type Lender = Arc<Slot<Part>>;

/// A slot, and the account of the span whose part it takes.
struct Listed {
    slot: Weak<Slot<Part>>,
    account: Arc<Account>,
}

/// The slots of all tapes that have lent something.
static SLOTS: StaticLock<Vec<Listed>> = StaticLock::new(Vec::new());

/// Those that are held around a fork.
static HELD: StaticLock<Vec<(Lender, Arc<Account>)>> = StaticLock::new(Vec::new());

/// Agrees with the budget and the stores on what each of them has to know of the other, once.
pub(super) fn configure() {
    static DONE: First<()> = First::new();
    DONE.get_or_make(|| {
        spill::set_account(spill::Account {
            charge: |bytes| vm::has_memory(bytes) && vm::charge_on_way(vm::process(), bytes).is_ok(),
            refund: |bytes| vm::refund_on_way(vm::process(), bytes),
            limit: || vm::process().limit(),
            spills_unasked: vm::is_safe_share,
            has_memory: vm::has_memory,
        });
        vm::set_spills(spill::is_directory_set(false));
        vm::update_limit(spill::may_spill());
    });
}

/// A slot for a tape. It is forgotten when the tape drops it.
pub(super) fn register(account: Arc<Account>) -> Lender {
    let slot = Arc::new(Slot::new());
    let mut slots = SLOTS.lock();
    slots.retain(|listed| listed.slot.strong_count() > 0);
    slots.push(Listed { slot: Arc::downgrade(&slot), account });
    slot
}

fn slots() -> Vec<(Lender, Arc<Account>)> {
    let slots = SLOTS.lock();
    slots.iter().filter_map(|listed| listed.slot.upgrade().map(|slot| (slot, listed.account.clone()))).collect()
}

/// Waits until no thread works on what is lent, and keeps all threads off it until [`let_go`]: around a fork.
pub(super) fn hold(longest: Duration) {
    // First, because a program's store that has a slot may use other tapes meanwhile.
    let all = slots();
    all.iter().for_each(|(slot, _)| slot.0.hold(longest));
    SLOTS.hold(longest);
    *HELD.lock() = all;
}

/// Undoes [`hold`]. In the child there is no thread but the one that forked, so nothing is lent in a moment, and nobody
/// finishes what was not held. What it has lost has nothing to give.
pub(super) fn let_go(is_child: bool) {
    let held = std::mem::take(&mut *HELD.lock());
    let list_was_held = SLOTS.let_go();
    let mut usable = Vec::new();
    for (slot, account) in held {
        if slot.0.let_go() && is_child && !account.is_abandoned() {
            if matches!(*slot.lock(), Loan::Away) {
                slot.rest();
            }
            usable.push(Listed { slot: Arc::downgrade(&slot), account });
        }
    }
    if is_child && list_was_held {
        *SLOTS.lock() = usable;
    }
}

/// Whether values may go to a new store where memory is short of this kind. A directory that nobody has asked for is for
/// tapes at their limit; where the system refuses memory, or address space, a thread and its buffers take the last of it.
fn has_directory(short: Status) -> bool {
    spill::is_directory_set(short == Status::MemoryLimit)
}

/// The slots that have something to give: what costs nothing first, then the largest. And whether a tape may lend more in
/// a moment.
fn spare(directory: bool) -> (Vec<(Spare, Lender)>, bool) {
    let (mut spare, mut more) = (Vec::new(), false);
    for (slot, _) in slots() {
        let bytes = match &mut *slot.lock() {
            Loan::Lent(part) => part.spare(directory),
            Loan::Away => {
                more = true;
                continue;
            }
            Loan::Nothing => continue,
        };
        if bytes != (0, 0) {
            spare.push((bytes, slot));
        }
    }
    spare.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    (spare, more)
}

/// Lets the largest idle part give way, the next where its store fails. Where none does, tapes that kept to a safe share
/// of memory have the rest, too. Whether there is more room now; the first failure where there is not.
pub(super) fn give_way(wanted: usize, short: Status) -> Result<bool, Error> {
    let (directory, mut failure) = (has_directory(short), Ok(false));
    for (_, slot) in spare(directory).0 {
        match slot.with(|part| part.give_way(wanted, directory)) {
            Some(Ok(n)) if n > 0 => return Ok(true),
            Some(Err(error)) if failure.is_ok() => failure = Err(error),
            _ => {}
        }
    }
    match failure {
        Err(error) if vm::leave_safe_share() => {
            say_in_memory(&error);
            Ok(true)
        }
        failure => failure,
    }
}

/// Says that tapes go on in memory, and why.
#[cold]
fn say_in_memory(error: &Error) {
    let why = error.message().lines().next().unwrap_or_default();
    let limit = bytes(vm::process().limit());
    say(&format!("adtape: warning: {why}; tapes go on in memory, up to {limit} in all"));
}

/// Waits until `wanted` bytes or more are idle or in the `room` that nobody takes, as long as there are tapes that may
/// lend more in a moment. Whether they are there. A tape whose thread waits here must not be one of those.
///
/// While this counts, another thread may take what it has not counted yet and leave as much where it has counted already,
/// so a sum that falls short means something only if nothing has changed meanwhile.
pub(super) fn wait_for(wanted: usize, short: Status, room: impl Fn() -> usize) -> bool {
    /// A store may take its time; one that never returns is no reason to wait for ever.
    const LONGEST: Duration = Duration::from_secs(10);
    let (begin, mut attempts) = (Instant::now(), 0);
    loop {
        let before = CHANGES.load(UNORDERED);
        let (spare, more) = spare(has_directory(short));
        let idle: usize = spare.iter().map(|((warm, values), _)| warm + values).sum();
        if idle.saturating_add(room()) >= wanted {
            return true;
        }
        let changing = more || CHANGES.load(UNORDERED) != before;
        if !changing || begin.elapsed() > LONGEST {
            return false;
        }
        wait(&mut attempts);
    }
}

/// What is idle is the process's: tests whose tapes lend something run one at a time.
#[cfg(all(test, not(loom)))]
pub(super) fn alone() -> crate::sync::MutexGuard<'static, ()> {
    static ALONE: crate::sync::Mutex<()> = crate::sync::Mutex::new(());
    ALONE.lock()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A child of fork waited for ten seconds for what threads of its parent were about to lend.
    #[test]
    fn child_waits_for_no_thread_of_its_parent() {
        let _alone = alone();
        let [slot, lost] = [(); 2].map(|()| register(Account::new(vm::process())));
        let is_away = || matches!(*slot.lock(), Loan::Away);
        slot.announce();
        lost.announce();
        hold(Duration::from_secs(10));
        assert!(!slot.0.is_free());
        let_go(false);
        assert!(slot.0.is_free() && is_away());
        let listed = |slot: &Lender| slots().into_iter().find(|(other, _)| Arc::ptr_eq(slot, other));
        let (_, account) = listed(&lost).expect("its account");
        hold(Duration::from_secs(10));
        account.abandon();
        let_go(true);
        assert!(slot.0.is_free() && !is_away() && listed(&slot).is_some());
        assert!(listed(&lost).is_none(), "it has nothing to give");
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::sync::{AtomicU32, Ordering};

    /// Pages of a tape, some of which are in a store. They are loaded and stored, not added to: two hands would lose some.
    struct Pages {
        resident: Arc<AtomicU32>,
        stored: u32,
    }

    impl Pages {
        fn move_one(&mut self) -> u32 {
            let there = self.resident.load(Ordering::Relaxed);
            let moved = there.min(1);
            self.resident.store(there - moved, Ordering::Relaxed);
            self.stored += moved;
            moved
        }
    }

    /// The owner uses its pages without a lock while it has lent nothing; two threads that are short of memory move pages
    /// to the store while it has.
    #[test]
    fn part_is_in_one_hand_at_a_time_and_no_page_is_lost() {
        const PAGES: u32 = 3;
        loom::model(|| {
            let slot = loom::sync::Arc::new(Slot::new());
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let slot = slot.clone();
                    loom::thread::spawn(move || slot.with(Pages::move_one))
                })
                .collect();
            let mut pages = Pages { resident: Arc::new(AtomicU32::new(PAGES)), stored: 0 };
            let resident = pages.resident.clone();
            for _ in 0..2 {
                slot.lend(pages);
                pages = slot.take_back().expect("what was lent");
                let there = resident.load(Ordering::Relaxed);
                assert_eq!(there + pages.stored, PAGES);
                resident.store(there, Ordering::Relaxed);
            }
            let moved: u32 = threads.into_iter().filter_map(|thread| thread.join().unwrap()).sum();
            assert_eq!(moved, pages.stored);
        });
    }
}
