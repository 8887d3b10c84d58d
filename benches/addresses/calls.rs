//! The calls: what is compared, through the Rust API and through the C ABI.

use adtape::{LiveRange, Objects, RangeKind, Tape};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null_mut, without_provenance_mut};

/// A range as it comes from the tape.
pub struct Record {
    pub base: usize,
    pub bytes: usize,
    what: What,
}

enum What {
    Plain,
    Rust(LiveRange),
    C(RangeInfo),
}

impl Record {
    pub fn plain(base: usize, bytes: usize) -> Record {
        Record { base, bytes, what: What::Plain }
    }
}

pub trait Calls {
    fn live_add(&mut self, base: usize, bytes: usize, stack: bool);
    fn live_remove(&mut self, base: usize);
    fn live_end(&mut self, base: usize);
    fn pop_range(&mut self) -> Record;
    fn push_pointer(&mut self, p: usize);
    fn pop_pointer(&mut self) -> usize;
    fn push_pair(&mut self, base: usize, offset: usize);
    fn pop_pair(&mut self) -> usize;
    fn begin_reverse(&mut self);
    /// Nothing of the reverse sweep is left.
    fn end_reverse(&mut self) {}
    fn rebase_add(&mut self, record: &Record, new_base: usize, adjoint_base: usize);
    fn rebase_pointer(&mut self, address: usize) -> usize;
    /// `base` is where it lay in the forward sweep.
    fn rebase_remove(&mut self, new_base: usize, base: usize);
}

pub struct RustApi {
    objects: Objects,
    tape: Tape,
}

impl RustApi {
    pub fn new() -> RustApi {
        RustApi { objects: Objects::new(), tape: Tape::new().expect("a tape") }
    }
}

const OK: &str = "the call succeeds";

impl Calls for RustApi {
    fn live_add(&mut self, base: usize, bytes: usize, stack: bool) {
        let kind = if stack { RangeKind::Stack } else { RangeKind::Heap };
        self.objects.live_add(base, bytes, kind, "x (double[])").expect(OK);
    }
    fn live_remove(&mut self, base: usize) {
        self.objects.live_remove(base).expect(OK);
    }
    fn live_end(&mut self, base: usize) {
        self.objects.live_end(&self.tape, base).expect(OK);
    }
    fn pop_range(&mut self) -> Record {
        let range = self.objects.pop_range(&self.tape).expect(OK);
        Record { base: range.base, bytes: range.bytes, what: What::Rust(range) }
    }
    fn push_pointer(&mut self, p: usize) {
        self.objects.push_pointer(&self.tape, p).expect(OK);
    }
    fn pop_pointer(&mut self) -> usize {
        self.objects.pop_pointer(&self.tape, 8, 16).expect(OK).address
    }
    fn push_pair(&mut self, base: usize, offset: usize) {
        self.objects.push_pair(&self.tape, base, offset as isize).expect(OK);
    }
    fn pop_pair(&mut self) -> usize {
        self.objects.pop_pair(&self.tape, 8, 16).expect(OK).address
    }
    fn begin_reverse(&mut self) {
        self.objects.live_begin_reverse().expect("a reversal point");
    }
    fn rebase_add(&mut self, record: &Record, new_base: usize, adjoint_base: usize) {
        let What::Rust(range) = &record.what else { unreachable!("its own") };
        self.objects.rebase_add(range, new_base, adjoint_base, record.bytes).expect(OK);
    }
    fn rebase_pointer(&mut self, address: usize) -> usize {
        self.objects.rebase_pointer(address, 8, 16).expect(OK).address
    }
    fn rebase_remove(&mut self, new_base: usize, _: usize) {
        self.objects.rebase_remove(new_base).expect(OK);
    }
}

/// As `adtape_range_t`.
#[repr(C)]
pub struct RangeInfo {
    kind: i32,
    label: u32,
    bytes: u64,
    base: *mut c_void,
    serial: u64,
    adjoint_base: *mut c_void,
    adjoint_bytes: u64,
}

unsafe extern "C" {
    fn adtape_create(out: *mut *mut c_void) -> i32;
    fn adtape_objects_create(out: *mut *mut c_void) -> i32;
    fn adtape_live_add(s: *mut c_void, base: *mut c_void, bytes: u64, kind: i32, label: *const c_char) -> u64;
    fn adtape_live_remove(s: *mut c_void, base: *mut c_void);
    fn adtape_live_end(t: *mut c_void, s: *mut c_void, base: *mut c_void);
    fn adtape_pop_range(t: *mut c_void, s: *mut c_void, range: *mut RangeInfo);
    fn adtape_push_pointer(t: *mut c_void, s: *mut c_void, p: *mut c_void);
    fn adtape_pop_pointer(t: *mut c_void, s: *mut c_void, p: *mut *mut c_void, p_adjoint: *mut *mut c_void);
    fn adtape_push_pair(t: *mut c_void, s: *mut c_void, base: *mut c_void, offset: i64);
    fn adtape_pop_pair(
        t: *mut c_void,
        s: *mut c_void,
        pair: *mut c_void,
        p: *mut *mut c_void,
        p_adjoint: *mut *mut c_void,
    );
    fn adtape_live_begin_reverse(s: *mut c_void);
    fn adtape_rebase_add(s: *mut c_void, range: *const RangeInfo, new: *mut c_void, adjoint: *mut c_void, bytes: u64);
    fn adtape_rebase_pointer(s: *mut c_void, address: *mut c_void, p: *mut *mut c_void, p_adjoint: *mut *mut c_void);
    fn adtape_rebase_remove(s: *mut c_void, new_base: *mut c_void);
}

/// The functions of the header, by their names.
pub struct CApi {
    s: *mut c_void,
    t: *mut c_void,
}

impl CApi {
    pub fn new() -> CApi {
        let (mut s, mut t) = (null_mut(), null_mut());
        // SAFETY: as the header declares them, with room for both handles.
        let made = unsafe { (adtape_objects_create(&mut s), adtape_create(&mut t)) };
        assert_eq!(made, (0, 0));
        CApi { s, t }
    }
}

fn at(address: usize) -> *mut c_void {
    without_provenance_mut(address)
}

// SAFETY, of each call: objects and a tape that live as long as the process, addresses that are nothing but numbers to
// these functions, and variables to be set that are there.
impl Calls for CApi {
    fn live_add(&mut self, base: usize, bytes: usize, stack: bool) {
        // SAFETY: see above.
        unsafe { adtape_live_add(self.s, at(base), bytes as u64, i32::from(!stack), c"x (double[])".as_ptr()) };
    }
    fn live_remove(&mut self, base: usize) {
        // SAFETY: see above.
        unsafe { adtape_live_remove(self.s, at(base)) }
    }
    fn live_end(&mut self, base: usize) {
        // SAFETY: see above.
        unsafe { adtape_live_end(self.t, self.s, at(base)) }
    }
    fn pop_range(&mut self) -> Record {
        let mut range = MaybeUninit::uninit();
        // SAFETY: see above; the call sets the range, or ends the program.
        let range: RangeInfo = unsafe {
            adtape_pop_range(self.t, self.s, range.as_mut_ptr());
            range.assume_init()
        };
        Record { base: range.base as usize, bytes: range.bytes as usize, what: What::C(range) }
    }
    fn push_pointer(&mut self, p: usize) {
        // SAFETY: see above.
        unsafe { adtape_push_pointer(self.t, self.s, at(p)) }
    }
    fn pop_pointer(&mut self) -> usize {
        let (mut p, mut adjoint) = (null_mut(), null_mut());
        // SAFETY: see above.
        unsafe { adtape_pop_pointer(self.t, self.s, &mut p, &mut adjoint) };
        p as usize
    }
    fn push_pair(&mut self, base: usize, offset: usize) {
        // SAFETY: see above.
        unsafe { adtape_push_pair(self.t, self.s, at(base), offset as i64) }
    }
    fn pop_pair(&mut self) -> usize {
        let (mut p, mut adjoint) = (null_mut(), null_mut());
        // SAFETY: see above.
        unsafe { adtape_pop_pair(self.t, self.s, null_mut(), &mut p, &mut adjoint) };
        p as usize
    }
    fn begin_reverse(&mut self) {
        // SAFETY: see above.
        unsafe { adtape_live_begin_reverse(self.s) }
    }
    fn rebase_add(&mut self, record: &Record, new_base: usize, adjoint_base: usize) {
        let What::C(range) = &record.what else { unreachable!("its own") };
        // SAFETY: see above.
        unsafe { adtape_rebase_add(self.s, range, at(new_base), at(adjoint_base), record.bytes as u64) }
    }
    fn rebase_pointer(&mut self, address: usize) -> usize {
        let (mut p, mut adjoint) = (null_mut(), null_mut());
        // SAFETY: see above.
        unsafe { adtape_rebase_pointer(self.s, at(address), &mut p, &mut adjoint) };
        p as usize
    }
    fn rebase_remove(&mut self, new_base: usize, _: usize) {
        // SAFETY: see above.
        unsafe { adtape_rebase_remove(self.s, at(new_base)) }
    }
}
