//! The account of committed and reserved bytes, and the memory limit.

use super::host;
use crate::error::{Error, Status, bytes};
use crate::settings::{Limit, settings};
use crate::sync::{AtomicU64, First, Ordering, StaticFlag, UNORDERED};

/// Bytes committed and reserved by all spans that share it. Threads charge and refund it concurrently.
pub(crate) struct Budget {
    /// `committed <= limit` after every successful charge; lowering the limit below `committed` is allowed and
    /// refuses every further charge.
    limit: AtomicU64,
    committed: AtomicU64,
    /// The most `committed` has been.
    peak: AtomicU64,
    /// The part of `committed` that is on its way between tapes and files.
    on_way: AtomicU64,
    reserved: AtomicU64,
}

/// A budget of its own, of `$limit` bytes, for one test.
#[cfg(test)]
macro_rules! budget {
    ($limit:expr) => {{
        static BUDGET: std::sync::LazyLock<crate::vm::Budget> =
            std::sync::LazyLock::new(|| crate::vm::Budget::new($limit as u64));
        &*BUDGET
    }};
}
#[cfg(test)]
pub(crate) use budget;

impl Budget {
    pub fn new(limit: u64) -> Budget {
        Budget {
            limit: AtomicU64::new(limit),
            committed: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            on_way: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
        }
    }

    /// Takes `n` bytes from the budget, all or none. There are always none left to take.
    pub fn charge(&self, n: u64) -> Result<(), Error> {
        let limit = self.limit.load(Ordering::Relaxed);
        let mut now = self.committed.load(Ordering::Relaxed);
        loop {
            let after = match now.checked_add(n) {
                Some(after) if after <= limit || n == 0 => after,
                _ => return Err(over_limit(n, now, limit)),
            };
            match self.committed.compare_exchange_weak(now, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    self.peak.fetch_max(after, Ordering::Relaxed);
                    return Ok(());
                }
                Err(other) => now = other,
            }
        }
    }

    /// Gives back `n` bytes charged before.
    pub fn refund(&self, n: u64) {
        let before = self.committed.fetch_sub(n, Ordering::Relaxed);
        debug_assert!(before >= n, "refund of {n} bytes out of {before}");
    }

    /// Counts `n` bytes, charged before, as on their way.
    pub fn send(&self, n: u64) {
        self.on_way.fetch_add(n, Ordering::Relaxed);
    }

    /// Counts `n` bytes as no longer on their way; they stay charged.
    pub fn receive(&self, n: u64) {
        let before = self.on_way.fetch_sub(n, Ordering::Relaxed);
        debug_assert!(before >= n, "{n} bytes arrive of {before} on their way");
    }

    pub fn on_way(&self) -> u64 {
        self.on_way.load(Ordering::Relaxed)
    }

    pub fn add_reserved(&self, n: u64) {
        self.reserved.fetch_add(n, Ordering::Relaxed);
    }

    pub fn remove_reserved(&self, n: u64) {
        self.reserved.fetch_sub(n, Ordering::Relaxed);
    }

    pub fn set_limit(&self, limit: u64) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Bytes that are left below the limit.
    pub fn room(&self) -> u64 {
        self.limit().saturating_sub(self.committed())
    }

    /// Whether more than a quarter of the limit is taken.
    pub fn is_scarce(&self) -> bool {
        self.committed() > self.limit() / 4
    }

    /// Bytes that somebody has to give back before `n` more can be charged.
    pub fn short_of(&self, n: u64) -> u64 {
        self.committed().saturating_add(n).saturating_sub(self.limit())
    }

    pub fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    pub fn reserved(&self) -> u64 {
        self.reserved.load(Ordering::Relaxed)
    }
}

static PROCESS: First<Budget> = First::new();

/// The budget of the process, if anybody asked for it before. Who asks first reads the environment.
pub(super) fn process_so_far() -> Option<&'static Budget> {
    PROCESS.get()
}

/// The budget of the process. Its limit is `ADTAPE_MEMORY_LIMIT`, else what the machine has.
pub(crate) fn process() -> &'static Budget {
    PROCESS.get_or_make(|| Budget::new(default_limit()))
}

/// What tapes that can go to a disk by themselves keep to of what the machine has: the program needs some, too.
const SAFE_PERCENT: u64 = 75;

/// The limit of the process is the safe share, beyond which tapes go to a disk, and beyond that to what memory is left.
static SAFE: StaticFlag = StaticFlag::new(false);
/// The program has set it.
static SET: StaticFlag = StaticFlag::new(false);

/// Somebody has named a directory that tapes spill to.
static SPILLS: StaticFlag = StaticFlag::new(false);

/// Says whether somebody has named a directory that tapes spill to: whoever is out of memory then gets other advice.
pub(crate) fn set_spills(spills: bool) {
    SPILLS.store(spills, UNORDERED);
}

/// The limit that holds when none is set by call and nothing goes to a disk.
pub(crate) fn default_limit() -> u64 {
    // A bad environment is reported by the first tape; it makes no budget.
    match settings().ok().and_then(|settings| settings.memory_limit) {
        Some(Limit::Bytes(bytes)) => bytes,
        Some(Limit::Percent(percent)) => share(host::memory_bytes(), percent),
        None => host::memory_bytes(),
    }
}

fn share(bytes: u64, percent: u64) -> u64 {
    (u128::from(bytes) * u128::from(percent) / 100) as u64
}

/// Sets the limit of the process; None: what the environment says or else, where tapes can go to a disk, the safe share of
/// what the machine has.
pub(crate) fn set_limit(limit: Option<u64>, can_spill: bool) {
    SET.store(limit.is_some(), UNORDERED);
    let nothing_said = limit.is_none() && settings().is_ok_and(|settings| settings.memory_limit.is_none());
    let safe = nothing_said && can_spill;
    SAFE.store(safe, UNORDERED);
    let usual = || if safe { share(default_limit(), SAFE_PERCENT) } else { default_limit() };
    process().set_limit(limit.unwrap_or_else(usual));
}

/// Sets the limit anew, if the program has not, because it is known now, or otherwise, whether tapes can go to a disk.
pub(crate) fn update_limit(can_spill: bool) {
    if !SET.load(UNORDERED) {
        set_limit(None, can_spill);
    }
}

/// Whether tapes keep to the safe share unasked.
pub(crate) fn is_safe_share() -> bool {
    SAFE.load(UNORDERED)
}

/// Lets tapes have all that the machine has where they kept to the safe share; whether they did.
pub(crate) fn leave_safe_share() -> bool {
    let was = SAFE.swap(false, UNORDERED);
    if was {
        process().set_limit(default_limit());
    }
    was
}

#[cold]
fn over_limit(asked: u64, committed: u64, limit: u64) -> Error {
    let advice = if SPILLS.load(UNORDERED) {
        "use fewer tapes at once: each keeps what is near its top, and what was popped in a repeat region, in memory"
    } else {
        "let tapes spill to a disk (ADTAPE_SPILL_DIRECTORY), or tape less (checkpoints, fewer steps a sweep, values that \
         need not be taped)"
    };
    Error::new(
        Status::MemoryLimit,
        format!(
            "the tapes of this process need {} more and have {}, which exceeds the memory limit of {}\n  \
             raise the limit (ADTAPE_MEMORY_LIMIT or adtape_process_set_memory_limit), {advice}",
            bytes(asked),
            bytes(committed),
            bytes(limit)
        ),
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn share_of_memory_is_whole_bytes() {
        assert_eq!((share(1000, 75), share(10, 55), share(u64::MAX, 100)), (750, 5, u64::MAX));
    }

    #[test]
    fn charge_beyond_the_limit_changes_nothing_and_names_all_three_figures() {
        let budget = Budget::new(1000);
        budget.charge(600).unwrap();
        let error = budget.charge(401).unwrap_err();
        assert_eq!(error.status(), Status::MemoryLimit);
        for figure in ["401 bytes", "600 bytes", "1000 bytes"] {
            assert!(error.message().contains(figure), "{error}");
        }
        assert_eq!(budget.committed(), 600);
        budget.charge(400).unwrap();
        // A limit that was lowered refuses bytes, not the lack of them.
        budget.set_limit(300);
        budget.charge(0).unwrap();
        assert_eq!((budget.room(), budget.short_of(0), budget.short_of(5)), (0, 700, 705));
        assert!(budget.charge(1).is_err());
        budget.set_limit(1000);
        budget.refund(1000);
        assert_eq!((budget.short_of(1000), budget.short_of(1001)), (0, 1));
        budget.charge(250).unwrap();
        assert!(!budget.is_scarce());
        budget.charge(1).unwrap();
        assert!(budget.is_scarce());
        budget.refund(251);
        assert_eq!((budget.committed(), budget.peak()), (0, 1000));
        assert!(budget.charge(u64::MAX).is_err());
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;

    #[test]
    fn concurrent_charges_never_exceed_the_limit() {
        loom::model(|| {
            let budget = loom::sync::Arc::new(Budget::new(10));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let budget = budget.clone();
                    loom::thread::spawn(move || {
                        let granted = budget.charge(6).is_ok();
                        assert!(budget.committed() <= 10);
                        if granted {
                            budget.refund(6);
                        }
                        granted
                    })
                })
                .collect();
            let granted = threads.into_iter().map(|t| t.join().unwrap()).filter(|g| *g).count();
            assert!(granted >= 1, "one of two must fit");
            assert_eq!(budget.committed(), 0);
            assert!(budget.peak() <= 10);
        });
    }
}
