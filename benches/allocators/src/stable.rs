//! The stable heap, through the functions of the C header.

use super::patterns::{Mesh, Nested, Sweeps};
use super::plain::{touched, written};
use std::ffi::c_void;
use std::ptr::null_mut;

unsafe extern "C" {
    fn adtape_create(out: *mut *mut c_void) -> i32;
    fn adtape_heap_create(adjoint_factor: i32, reserve_bytes: i64, out: *mut *mut c_void) -> i32;
    fn adtape_heap_alloc(h: *mut c_void, t: *mut c_void, bytes: i64) -> *mut c_void;
    fn adtape_heap_free(h: *mut c_void, t: *mut c_void, p: *mut c_void);
    fn adtape_heap_undo_alloc(h: *mut c_void, t: *mut c_void);
    fn adtape_heap_undo_free(h: *mut c_void, t: *mut c_void) -> *mut c_void;
    fn adtape_heap_begin_reverse(h: *mut c_void) -> i32;
    fn adtape_heap_end_reverse(h: *mut c_void) -> i32;
}

/// A heap and a tape, which live as long as the process.
pub struct Heap {
    h: *mut c_void,
    t: *mut c_void,
}

// SAFETY, of each call: as the header declares them, with a heap and a tape that were made; each undo has what it undoes.
impl Heap {
    pub fn new(adjoint_factor: i32) -> Heap {
        // The crate is linked for its C functions.
        let _ = adtape::Objects::of_process;
        let (mut h, mut t) = (null_mut(), null_mut());
        // SAFETY: see above.
        let made = unsafe { (adtape_create(&mut t), adtape_heap_create(adjoint_factor, 0, &mut h)) };
        assert_eq!(made, (0, 0));
        Heap { h, t }
    }

    fn alloc(&self, bytes: usize) -> *mut u8 {
        // SAFETY: see above.
        unsafe { adtape_heap_alloc(self.h, self.t, bytes as i64).cast() }
    }

    fn free(&self, p: *mut u8) {
        // SAFETY: see above.
        unsafe { adtape_heap_free(self.h, self.t, p.cast()) }
    }

    fn undo_alloc(&self) {
        // SAFETY: see above.
        unsafe { adtape_heap_undo_alloc(self.h, self.t) }
    }

    fn undo_free(&self) -> *mut u8 {
        // SAFETY: see above.
        unsafe { adtape_heap_undo_free(self.h, self.t).cast() }
    }

    fn turn(&self, begin: bool) {
        // SAFETY: see above.
        let status = unsafe { if begin { adtape_heap_begin_reverse(self.h) } else { adtape_heap_end_reverse(self.h) } };
        assert_eq!(status, 0);
    }
}

pub struct StableMesh {
    heap: Heap,
    cells: Vec<*mut u8>,
}

impl StableMesh {
    pub fn new(mesh: &Mesh) -> StableMesh {
        let heap = Heap::new(mesh.with_adjoints.into());
        let cells = (0..mesh.cells).map(|i| written(heap.alloc(Mesh::bytes(i)), Mesh::bytes(i))).collect();
        StableMesh { heap, cells }
    }
}

impl Sweeps<Mesh> for StableMesh {
    fn forward(&mut self, mesh: &Mesh) {
        for (i, k) in mesh.which.iter().enumerate() {
            self.heap.free(self.cells[*k]);
            self.cells[*k] = touched(self.heap.alloc(Mesh::bytes(i + mesh.cells)), i);
        }
    }
    fn begin_reverse(&mut self, _: &Mesh) {
        self.heap.turn(true);
    }
    fn reverse(&mut self, mesh: &Mesh) {
        for (i, k) in mesh.which.iter().enumerate().rev() {
            self.heap.undo_alloc();
            self.cells[*k] = touched(self.heap.undo_free(), i);
        }
    }
    fn end_reverse(&mut self, _: &Mesh) {
        self.heap.turn(false);
    }
}

pub struct StableNested(pub Heap);

impl Sweeps<Nested> for StableNested {
    fn forward(&mut self, nested: &Nested) {
        let mut blocks = [null_mut(); Nested::DEPTH];
        for step in 0..nested.steps {
            blocks.iter_mut().for_each(|block| *block = touched(self.0.alloc(nested.bytes), step));
            blocks.iter().rev().for_each(|block| self.0.free(*block));
        }
    }
    fn begin_reverse(&mut self, _: &Nested) {
        self.0.turn(true);
    }
    fn reverse(&mut self, nested: &Nested) {
        for step in (0..nested.steps).rev() {
            (0..Nested::DEPTH).for_each(|_| _ = touched(self.0.undo_free(), step));
            (0..Nested::DEPTH).for_each(|_| self.0.undo_alloc());
        }
    }
    fn end_reverse(&mut self, _: &Nested) {
        self.0.turn(false);
    }
}
