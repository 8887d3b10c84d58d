//! The patterns with an allocator, and arrays for what the tape holds.

use super::patterns::{Mesh, Nested, Sweeps};
use std::ffi::c_void;

pub trait Allocator {
    fn alloc(bytes: usize) -> *mut u8;
    fn zeroed(bytes: usize) -> *mut u8;
    /// # Safety
    /// `p` came from this allocator and is not used again.
    unsafe fn free(p: *mut u8);
}

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn calloc(count: usize, bytes: usize) -> *mut c_void;
    fn free(p: *mut c_void);
}

pub struct Malloc;

impl Allocator for Malloc {
    fn alloc(bytes: usize) -> *mut u8 {
        // SAFETY: as C declares it.
        unsafe { malloc(bytes).cast() }
    }
    fn zeroed(bytes: usize) -> *mut u8 {
        // SAFETY: as C declares it.
        unsafe { calloc(1, bytes).cast() }
    }
    unsafe fn free(p: *mut u8) {
        // SAFETY: by contract.
        unsafe { free(p.cast()) }
    }
}

pub struct Mimalloc;

impl Allocator for Mimalloc {
    fn alloc(bytes: usize) -> *mut u8 {
        // SAFETY: any size is allowed.
        unsafe { libmimalloc_sys::mi_malloc(bytes).cast() }
    }
    fn zeroed(bytes: usize) -> *mut u8 {
        // SAFETY: any size is allowed.
        unsafe { libmimalloc_sys::mi_zalloc(bytes).cast() }
    }
    unsafe fn free(p: *mut u8) {
        // SAFETY: by contract.
        unsafe { libmimalloc_sys::mi_free(p.cast()) }
    }
}

/// The cells of a mesh in blocks of an allocator.
pub struct PlainMesh<A> {
    cells: Vec<*mut u8>,
    adjoints: Vec<*mut u8>,
    bytes: Vec<usize>,
    old_bytes: Vec<u16>,
    allocator: std::marker::PhantomData<A>,
}

impl<A: Allocator> PlainMesh<A> {
    pub fn new(mesh: &Mesh) -> PlainMesh<A> {
        let bytes: Vec<usize> = (0..mesh.cells).map(Mesh::bytes).collect();
        let cells = bytes.iter().map(|bytes| written(A::alloc(*bytes), *bytes)).collect();
        let (adjoints, old_bytes) = (Vec::new(), vec![0; mesh.which.len()]);
        PlainMesh { cells, adjoints, bytes, old_bytes, allocator: std::marker::PhantomData }
    }
}

impl<A: Allocator> Sweeps<Mesh> for PlainMesh<A> {
    fn forward(&mut self, mesh: &Mesh) {
        for (i, k) in mesh.which.iter().enumerate() {
            self.old_bytes[i] = self.bytes[*k] as u16;
            // SAFETY: the block of a cell.
            unsafe { A::free(self.cells[*k]) };
            self.bytes[*k] = Mesh::bytes(i + mesh.cells);
            self.cells[*k] = touched(A::alloc(self.bytes[*k]), i);
        }
    }

    fn begin_reverse(&mut self, mesh: &Mesh) {
        if mesh.with_adjoints {
            self.adjoints = self.bytes.iter().map(|bytes| A::zeroed(*bytes)).collect();
        }
    }

    fn reverse(&mut self, mesh: &Mesh) {
        for (i, k) in mesh.which.iter().enumerate().rev() {
            // SAFETY: the blocks of a cell.
            unsafe { A::free(self.cells[*k]) };
            self.bytes[*k] = self.old_bytes[i].into();
            if mesh.with_adjoints {
                // SAFETY: as above.
                unsafe { A::free(self.adjoints[*k]) };
                self.adjoints[*k] = A::zeroed(self.bytes[*k]);
            }
            self.cells[*k] = touched(A::alloc(self.bytes[*k]), i);
        }
    }

    fn end_reverse(&mut self, _: &Mesh) {
        // SAFETY: the adjoints of the cells.
        self.adjoints.drain(..).for_each(|adjoint| unsafe { A::free(adjoint) });
    }
}

impl<A> Drop for PlainMesh<A> {
    fn drop(&mut self) {
        // Left to the end of the process, as each allocator has its own.
        self.cells.clear();
    }
}

/// Blocks that come and go, 16 deep.
pub struct PlainNested<A>(pub std::marker::PhantomData<A>);

impl<A: Allocator> PlainNested<A> {
    fn sweep(&mut self, nested: &Nested) {
        let mut blocks = [std::ptr::null_mut(); Nested::DEPTH];
        for step in 0..nested.steps {
            blocks.iter_mut().for_each(|block| *block = touched(A::alloc(nested.bytes), step));
            // SAFETY: they came from just before.
            blocks.iter().rev().for_each(|block| unsafe { A::free(*block) });
        }
    }
}

impl<A: Allocator> Sweeps<Nested> for PlainNested<A> {
    fn forward(&mut self, nested: &Nested) {
        self.sweep(nested);
    }
    fn reverse(&mut self, nested: &Nested) {
        self.sweep(nested);
    }
}

/// Writes the first value of a block, which the program uses.
pub fn touched(block: *mut u8, i: usize) -> *mut u8 {
    // SAFETY: blocks have room for a value and its alignment.
    unsafe { block.cast::<f64>().write_volatile(i as f64) };
    block
}

/// Writes all of a block, so that its memory is there.
pub fn written(block: *mut u8, bytes: usize) -> *mut u8 {
    // SAFETY: it has so many bytes.
    unsafe { block.write_bytes(1, bytes) };
    block
}
