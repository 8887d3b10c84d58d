//! The program's own memory, as checkpoints of everything that is alive see it: bytes at an address, malloc and free.

use crate::error::{Error, Status, bytes as amount};

/// Memory that objects lie in. [`ProcessMemory`] is that of the process.
pub trait ObjectMemory {
    /// Memory for a heap object: `bytes` bytes, at least 1, with undefined contents.
    fn allocate(&mut self, bytes: usize) -> Result<usize, Error>;

    /// Gives memory back that an object had which is not needed any more, or that `allocate` returned.
    fn release(&mut self, base: usize);

    /// What lies in the `bytes` bytes at `base`, which are an object that is alive, or in one.
    fn view(&self, base: usize, bytes: usize) -> &[u8];

    /// What lies there, to be changed.
    fn view_mut(&mut self, base: usize, bytes: usize) -> &mut [u8];
}

/// The memory of the process: objects are read and written where they lie, and heap objects come from malloc.
#[derive(Debug)]
pub struct ProcessMemory(());

impl ProcessMemory {
    /// The memory of the process.
    ///
    /// # Safety
    /// As long as it is used, every range that is registered as alive is readable and writable memory which nobody else
    /// uses meanwhile, and heap ranges that no stable heap and no allocator of a label has made came from malloc.
    pub const unsafe fn new() -> ProcessMemory {
        ProcessMemory(())
    }
}

impl ObjectMemory for ProcessMemory {
    fn allocate(&mut self, bytes: usize) -> Result<usize, Error> {
        // SAFETY: any size is allowed.
        let p = unsafe { libc::malloc(bytes.max(1)) };
        if p.is_null() {
            let asked = amount(bytes as u64);
            return Err(Error::new(Status::OutOfMemory, format!("malloc has no memory for an object of {asked}")));
        }
        Ok(p as usize)
    }

    fn release(&mut self, base: usize) {
        // SAFETY: it came from malloc, by the contract of `new`, and is given back once.
        unsafe { libc::free(base as *mut libc::c_void) }
    }

    fn view(&self, base: usize, bytes: usize) -> &[u8] {
        if bytes == 0 {
            return &[];
        }
        // SAFETY: a live range, by the contract of `new`; which values the bytes have does not matter.
        unsafe { std::slice::from_raw_parts(base as *const u8, bytes) }
    }

    fn view_mut(&mut self, base: usize, bytes: usize) -> &mut [u8] {
        if bytes == 0 {
            return &mut [];
        }
        // SAFETY: as above; the borrow of self keeps others of this memory away.
        unsafe { std::slice::from_raw_parts_mut(base as *mut u8, bytes) }
    }
}
