//! What other threads see of a heap: where it lies, which blocks are alive, which are in quarantine.

use super::class::CHUNK;
use super::head::{HEAD_BYTES, Heads};
use super::large::Large;
use super::quarantine::Quarantine;
use super::record::{Block, MAX_OFFSET};
use crate::error::{Error, Status, bytes};
use crate::sync::MutexGuard;
use crate::sync::{Arc, Mutex, StaticCounter, StaticLock, UNORDERED, Unordered};
use crate::vm::{Region, Zone, default_limit};
use std::sync::Weak;
use std::time::Duration;

/// A huge page: zones begin and end at multiples of it.
const ZONE_UNIT: usize = 2 << 20;
/// What a zone has at least, if the system grants it and the user asks for nothing else.
const LEAST_WISH: usize = 32 << 30;

/// Where things lie in a heap's reservation.
///
/// ```text
///  base                                            adjoint_base
///   |--- small blocks ---|--- large blocks ---|--- heads ---|--- adjoints of small | and of large blocks ---|
///   0                 half                2 half                          factor times as much
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Address of offset 0.
    pub base: usize,
    /// Size of each of the two primal zones.
    pub half: usize,
    /// Address of the adjoint of offset 0.
    pub adjoint_base: usize,
    /// Adjoint bytes for each primal byte; 0: there are no adjoints.
    pub factor: usize,
}

impl Layout {
    pub fn end(&self) -> usize {
        self.base + 2 * self.half
    }

    /// The offset of an address in the arena.
    #[inline]
    pub fn offset(&self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        (offset < 2 * self.half).then_some(offset)
    }
}

/// The part of a heap that outlives it while other threads read it.
pub(super) struct Shared {
    /// Distinct for every heap of the process.
    pub id: u64,
    pub layout: Layout,
    pub heads: Heads,
    /// Chunks whose heads are committed. Written by the owner.
    pub top: Unordered,
    /// Changed by the owner only, who hardly waits: others hold it for one block.
    large: Mutex<Large>,
    quarantine: Quarantine,
    /// Not 0 while the blocks have adjoints.
    pub reversing: Unordered,
    /// Not 0 in a child of fork that does not have the owner's thread: nothing but the layout is read any more.
    lost: Unordered,
    /// Dropped last.
    _region: Region,
}

/// The zones of a heap.
pub(super) struct Zones {
    pub heads: Zone,
    pub small: Zone,
    pub large: Zone,
    pub adjoint_small: Zone,
    pub adjoint_large: Zone,
}

impl Zones {
    /// Sees to the memory of a block, and of the head of its chunk.
    #[inline]
    pub fn touch(&mut self, block: Block, half: usize) -> Result<(), Error> {
        if block.offset < half {
            let (chunk, top) = (block.offset / CHUNK * CHUNK, block.offset / CHUNK * HEAD_BYTES + HEAD_BYTES);
            self.heads.touch(top - HEAD_BYTES, top)?;
            self.small.touch(chunk, chunk + CHUNK)
        } else {
            self.large.touch(block.offset - half, block.end() - half)
        }
    }

    /// Sees to the memory of a block's adjoint.
    #[inline]
    pub fn touch_adjoint(&mut self, block: Block, layout: &Layout) -> Result<(), Error> {
        let (half, factor) = (layout.half, layout.factor);
        if block.offset < half {
            let chunk = block.offset / CHUNK * CHUNK;
            self.adjoint_small.touch(factor * chunk, factor * (chunk + CHUNK))
        } else {
            self.adjoint_large.touch(factor * (block.offset - half), factor * (block.end() - half))
        }
    }
}

/// The heaps of the process, but for those of adjoints only.
static HEAPS: StaticLock<Vec<Weak<Shared>>> = StaticLock::new(Vec::new());

/// Who takes locks of another thread's heap has this: a child of fork finds those of its own thread's heaps free.
static ABROAD: StaticLock<()> = StaticLock::new(());

/// Does something with another thread's heap while no thread forks.
pub(super) fn abroad<R>(work: impl FnOnce() -> R) -> R {
    let _abroad = ABROAD.lock();
    work()
}

/// Keeps other threads off each other's heaps and off their list until [`let_go`]: around a fork.
pub(crate) fn hold(longest: Duration) {
    ABROAD.hold(longest);
    HEAPS.hold(longest);
}

/// Undoes [`hold`].
pub(crate) fn let_go() {
    HEAPS.let_go();
    ABROAD.let_go();
}

impl Shared {
    /// A heap without memory, with room for `reserve_bytes` in each of its two primal zones; 0 for what is
    /// reasonable.
    pub fn new(factor: usize, reserve_bytes: usize) -> Result<(Arc<Shared>, Zones), Error> {
        static NEXT_ID: StaticCounter = StaticCounter::new(1);
        let (region, half, heads_bytes) = reserve(factor, reserve_bytes)?;
        let adjoint_at = 2 * half + heads_bytes;
        let zones = Zones {
            small: region.zone(0, half)?,
            large: region.zone(half, half)?,
            heads: region.zone(2 * half, heads_bytes)?,
            adjoint_small: region.zone(adjoint_at, factor * half)?,
            adjoint_large: region.zone(adjoint_at + factor * half, factor * half)?,
        };
        let base = region.base();
        // SAFETY: the zone has room for that many, is zero at first, and lives as long as the region, which is dropped
        // with what is made here.
        let heads = unsafe { Heads::new(zones.heads.base(), half / CHUNK, base) };
        let shared = Arc::new(Shared {
            id: NEXT_ID.fetch_add(1, UNORDERED),
            layout: Layout { base, half, adjoint_base: base + adjoint_at, factor },
            heads,
            top: Unordered::new(0),
            large: Mutex::new(Large::new(half, 2 * half)),
            quarantine: Quarantine::new(),
            reversing: Unordered::new(0),
            lost: Unordered::new(0),
            _region: region,
        });
        Ok((shared, zones))
    }

    /// Makes a heap known to other heaps' threads.
    pub fn list(shared: &Arc<Shared>) {
        let mut heaps = HEAPS.lock();
        heaps.retain(|heap| heap.strong_count() > 0);
        heaps.push(Arc::downgrade(shared));
    }

    /// In a child of fork: the owner is a thread that the child does not have.
    pub fn lose(&self) {
        self.lost.store(1, UNORDERED);
    }

    /// Checks that the owner's thread is one of this process, not of its parent's alone.
    pub fn check_kept(&self) -> Result<(), Error> {
        if self.lost.load(UNORDERED) == 0 {
            return Ok(());
        }
        Err(Error::new(
            Status::WrongThread,
            "the block lies in the heap of a thread that this process, a child of fork, does not have\n  \
             it stays where it is: leave it alone, and let the thread of a heap that a child needs call \
             adtape_heap_release before the fork",
        ))
    }

    pub fn large(&self) -> MutexGuard<'_, Large> {
        self.large.lock()
    }

    /// The block that begins at `offset`.
    #[inline]
    pub fn find(&self, offset: usize) -> Option<Block> {
        if offset < self.layout.half {
            return self.around(offset).filter(|block| block.offset == offset);
        }
        self.large().find(offset).map(|bytes| Block::large(offset, bytes))
    }

    /// The block around `offset`.
    pub fn around(&self, offset: usize) -> Option<Block> {
        if offset < self.layout.half {
            let found = self.heads.around(offset, self.top.load(UNORDERED) as usize);
            return found.map(|(start, class)| Block::small(start, class));
        }
        self.large().around(offset).map(|(start, bytes)| Block::large(start, bytes))
    }

    /// Puts a block that another thread freed into quarantine; `false` if it is in already.
    pub fn set_aside(&self, block: Block) -> bool {
        self.quarantine.insert(block.offset, || self.note_quarantined(block.offset, true))
    }

    /// Takes a block out of quarantine; `false` if it is not in.
    pub fn take_back(&self, block: Block) -> bool {
        let chunk = block.offset / CHUNK * CHUNK;
        self.quarantine.remove(block.offset, chunk..chunk + CHUNK, || self.note_quarantined(block.offset, false))
    }

    /// Whether the block that begins at `offset` is in quarantine.
    pub fn is_quarantined(&self, offset: usize) -> bool {
        self.quarantine.contains(offset)
    }

    /// How many are in quarantine.
    pub fn quarantined(&self) -> usize {
        self.quarantine.len()
    }

    /// Blocks in quarantine from now on, where all others were opened anew.
    pub fn set_quarantined(&self, offsets: Vec<usize>) {
        offsets.iter().for_each(|offset| self.note_quarantined(*offset, true));
        self.quarantine.set(offsets);
    }

    /// The quick ways leave chunks with such a block alone.
    fn note_quarantined(&self, offset: usize, any: bool) {
        if offset < self.layout.half {
            self.heads.set_quarantined(offset, any);
        }
    }

    /// The heap that the address lies in.
    pub fn of_address(address: usize) -> Option<Arc<Shared>> {
        let heaps = HEAPS.lock();
        heaps.iter().filter_map(Weak::upgrade).find(|heap| heap.layout.offset(address).is_some())
    }

    pub fn of_id(id: u64) -> Option<Arc<Shared>> {
        let heaps = HEAPS.lock();
        heaps.iter().filter_map(Weak::upgrade).find(|heap| heap.id == id)
    }
}

/// A reservation, the size of its primal zones and of its heads.
fn reserve(factor: usize, reserve_bytes: usize) -> Result<(Region, usize, usize), Error> {
    let heads = |half: usize| (half / CHUNK * HEAD_BYTES).next_multiple_of(ZONE_UNIT);
    let total = |half: usize| (2 * half).checked_mul(1 + factor).and_then(|n| n.checked_add(heads(half)));
    if reserve_bytes > 0 {
        let half = reserve_bytes.checked_next_multiple_of(ZONE_UNIT).filter(|half| *half <= MAX_OFFSET / 2);
        let size = half.and_then(|half| Some((half, total(half)?)));
        let (half, size) = size.ok_or_else(|| {
            Error::new(
                Status::CountRange,
                format!(
                    "a heap of {} with {factor} times as much for adjoints does not fit into the address space\n  \
                     a heap reserves at most {}",
                    bytes(reserve_bytes as u64),
                    bytes(MAX_OFFSET as u64 / 2)
                ),
            )
        })?;
        return Ok((Region::reserve(size)?, half, heads(half)));
    }
    let wish = usize::try_from(default_limit()).unwrap_or(usize::MAX).clamp(LEAST_WISH, MAX_OFFSET / 2);
    let mut half = wish.next_power_of_two().min(MAX_OFFSET / 2);
    let fits = |half: usize| total(half).is_some_and(|size| size <= Region::most());
    while half > ZONE_UNIT && !fits(half) {
        half /= 2;
    }
    loop {
        let size = total(half).unwrap_or(usize::MAX / 2);
        match Region::reserve(size) {
            Ok(region) => return Ok((region, half, heads(half))),
            Err(error) if half == ZONE_UNIT => return Err(error),
            // Far down at once: whoever refuses (valgrind, a limit) shall have room left for others.
            Err(_) => half = (half / 16).next_multiple_of(ZONE_UNIT),
        }
    }
}
