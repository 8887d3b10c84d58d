//! Rules by example: where Alg. 4 as printed goes wrong, and what is said when something is wrong.

use adtape::{
    Allocator, CheckpointReader, CheckpointWriter, Error, MemoryStore, ObjectMemory, Objects, ProcessMemory, RangeKind,
    Restoration, SaveStats, SectionKind, Status, Store, Wanted,
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program without a tape: its objects, in the memory of the process.
struct Small {
    objects: Objects,
    store: MemoryStore,
    memory: ProcessMemory,
}

impl Small {
    fn new() -> Small {
        // SAFETY: the tests register what they allocate, and words of their own.
        Small { objects: Objects::new(), store: MemoryStore::new(), memory: unsafe { ProcessMemory::new() } }
    }

    fn bear(&mut self, bytes: usize, label: &str) -> usize {
        let base = self.memory.allocate(bytes).unwrap();
        self.memory.view_mut(base, bytes).fill(0);
        self.objects.live_add(base, bytes, RangeKind::Heap, label).unwrap();
        base
    }

    fn end(&mut self, base: usize) {
        self.objects.live_remove(base).unwrap();
        self.memory.release(base);
    }

    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.memory.view(at, 8).try_into().unwrap())
    }

    fn set(&mut self, at: usize, word: usize) {
        self.memory.view_mut(at, 8).copy_from_slice(&(word as u64).to_le_bytes());
    }

    fn try_save(&self, name: &str) -> Result<SaveStats, Error> {
        let mut checkpoint = CheckpointWriter::create(&self.store, name)?;
        let counts = self.objects.save(&mut checkpoint, &self.memory, &[])?;
        checkpoint.commit()?;
        Ok(counts)
    }

    fn save(&self) -> SaveStats {
        self.try_save("a").unwrap()
    }

    fn restore(&mut self) -> Result<Restoration, Error> {
        let mut checkpoint = CheckpointReader::open(&self.store, "a").unwrap();
        self.objects.restore(&mut checkpoint, &mut self.memory, &mut [])
    }

    fn bases(&self) -> Vec<usize> {
        self.objects.live_list().iter().map(|range| range.base).collect()
    }
}

// ---- Alg. 4 as printed ---------------------------------------------------------------------------------

/// Alg. 4 as the paper prints it, with M as Alg. 2 keeps it: objects are known by base and end. Returns M′, and what it
/// would allocate and deallocate.
type Range = (u64, u64);
fn as_printed(m: &[Range], mc: &[Range], mbar: &[u64]) -> (Vec<(Range, Option<u64>)>, Vec<Range>) {
    let stays = mc.iter().map(|range| (*range, m.contains(range).then_some(range.0)));
    let goes = m.iter().filter(|range| !mc.contains(range) && mbar.contains(&range.0));
    (stays.collect(), goes.copied().collect())
}

/// Checkpoint with an object p; p = free; q = malloc of the same size, at the same address. Restored: (b, e) of p is in M,
/// as that of q, so that line 2 takes the memory of q, whose adjoint is in use, for that of p.
#[test]
fn alg_4_as_printed_takes_another_object_for_the_one_that_was_there_and_a_serial_does_not() {
    let (p, q) = ((0x1000, 0x1010), (0x1000, 0x1010));
    let (restored, _) = as_printed(&[q], &[p], &[]);
    assert_eq!(restored, [(p, Some(q.0))], "as printed, p is restored in the memory of q");

    let mut small = Small::new();
    let p = small.bear(16, "p");
    small.set(p, 1);
    small.save();
    small.end(p);
    let q = small.bear(16, "q"); // glibc gives it the address of p
    small.set(q, 2);
    let q_adjoint = [7_u64; 2];
    small.objects.live_set_adjoint(q, q_adjoint.as_ptr().addr(), 16).unwrap();
    let restoration = small.restore().unwrap();
    assert_eq!((restoration.counts.kept, restoration.counts.allocated, restoration.counts.ended), (0, 1, 1));
    let p = small.bases()[0];
    assert_eq!((small.word(p), small.objects.live_find(p).unwrap().adjoint_base), (1, 0));
    // The section is run again, and q finds its adjoint.
    small.end(p);
    let q = small.bear(16, "q");
    assert_eq!(small.objects.live_find(q).unwrap().adjoint_base, q_adjoint.as_ptr().addr());
    small.objects.live_begin_reverse().unwrap();
    small.end(q);
}

/// p is born after the checkpoint and alive at d, where the reverse sweep stands: M̄ has it. Line 6 deallocates it: with
/// association by address the adjoint, which is in use, goes with it. Without M̄ seeded at the turn it leaks instead.
#[test]
fn alg_4_as_printed_frees_an_object_whose_adjoint_is_in_use_and_here_the_adjoint_stays() {
    let p = (0x1000, 0x1010);
    assert_eq!(as_printed(&[p], &[], &[p.0]).1, [p], "as printed, p goes with its adjoint");
    assert_eq!(as_printed(&[p], &[], &[]).1, [], "or stays for ever");

    let mut small = Small::new();
    small.save();
    let p = small.bear(16, "p");
    let adjoint = [3_u64; 2];
    small.objects.live_set_adjoint(p, adjoint.as_ptr().addr(), 16).unwrap();
    assert_eq!(small.restore().unwrap().counts.ended, 1);
    assert_eq!(adjoint, [3; 2]);
    let error = small.objects.live_begin_reverse().unwrap_err();
    assert_eq!(error.status(), Status::HeapState);
    assert!(error.message().contains("object 1 of 16 bytes"), "{error}");
    let p = small.bear(16, "p");
    assert_eq!(small.objects.live_find(p).unwrap().adjoint_base, adjoint.as_ptr().addr());
    small.objects.live_begin_reverse().unwrap();
    small.end(p);
}

/// An object that died after the checkpoint and came back in the reverse sweep is in M̄, not in M, which Alg. 2 does not
/// keep up there: line 4 allocates it a second time.
#[test]
fn alg_4_as_printed_allocates_an_object_twice_that_came_back_and_here_it_stays() {
    let p = (0x1000, 0x1010);
    assert_eq!(as_printed(&[], &[p], &[0x2000]).0, [(p, None)], "as printed, a second p is allocated");

    let mut small = Small::new();
    let tape = adtape::Tape::new().unwrap();
    let p = small.bear(16, "p");
    small.save();
    small.objects.live_end(&tape, p).unwrap();
    small.memory.release(p);
    small.objects.live_begin_reverse().unwrap();
    let range = small.objects.pop_range(&tape).unwrap();
    let p = small.memory.allocate(16).unwrap();
    small.objects.rebase_add(&range, p, 0, 0).unwrap();
    let restoration = small.restore().unwrap();
    assert_eq!((restoration.counts.kept, restoration.counts.allocated), (1, 0));
    assert_eq!(small.bases(), [p]);
    small.end(p);
}

// ---- pointers ------------------------------------------------------------------------------------------

#[test]
fn pointers_and_pointer_variables_follow_objects_that_lie_elsewhere() {
    let mut small = Small::new();
    small.objects.set_pointers("node", 16, &[8]).unwrap();
    let (a, b) = (small.bear(16, "node"), small.bear(32, "node"));
    small.set(a + 8, b + 16);
    small.set(b + 24, a);
    let mut checkpoint = CheckpointWriter::create(&small.store, "a").unwrap();
    small.objects.write_pointer(&mut checkpoint, "head", a).unwrap();
    small.objects.write_pointer(&mut checkpoint, "none", 0).unwrap();
    let counts = small.objects.save(&mut checkpoint, &small.memory, &[]).unwrap();
    checkpoint.commit().unwrap();
    assert_eq!((counts.ranges, counts.pointers, counts.bytes), (2, 3, 48));
    small.end(a);
    small.end(b);
    let (there, elsewhere) = (small.bear(16, "other"), small.bear(32, "other"));
    let mut checkpoint = CheckpointReader::open(&small.store, "a").unwrap();
    let kinds: Vec<SectionKind> = checkpoint.sections().unwrap().iter().map(|section| section.kind).collect();
    use SectionKind::*;
    assert_eq!(kinds, [Pointer, Pointer, Ranges, Slots, Contents]);
    let lost = small.objects.read_pointer(&mut checkpoint, "head").unwrap_err();
    assert_eq!(lost.status(), Status::NoRange);
    assert_eq!(checkpoint.read("head", &mut [0_i64; 2]).unwrap_err().status(), Status::Mismatch);
    let restoration = small.objects.restore(&mut checkpoint, &mut small.memory, &mut []).unwrap();
    assert_eq!((restoration.counts.allocated, restoration.counts.reused, restoration.counts.pointers), (2, 0, 3));
    checkpoint.rewind();
    let a = small.objects.read_pointer(&mut checkpoint, "head").unwrap().address;
    assert_eq!(small.objects.read_pointer(&mut checkpoint, "none").unwrap().address, 0);
    let b = small.word(a + 8) as usize - 16;
    assert_eq!((small.word(b + 24), small.word(b + 8)), (a as u64, 0));
    assert!(small.bases().contains(&a) && small.bases().contains(&b));
    let _ = (there, elsewhere);
    small.end(a);
    small.end(b);
}

#[test]
fn pointer_that_dangles_is_an_error_that_names_where_it_is() {
    let mut small = Small::new();
    small.objects.set_pointers("list (struct list)", 8, &[0]).unwrap();
    let (a, b) = (small.bear(8, "list (struct list)"), small.bear(8, "b"));
    small.set(a, b);
    small.end(b);
    let error = small.try_save("a").unwrap_err();
    assert_eq!(error.status(), Status::NoRange);
    assert!(error.message().contains("`list` (struct list)") && error.message().contains("object 2"), "{error}");
    small.set(a, 0x10);
    assert_eq!(small.try_save("a").unwrap_err().status(), Status::NoRange);
    small.set(a, 0);
    assert_eq!(small.try_save("a").unwrap().pointers, 1);
    small.end(a);
}

#[test]
fn layout_that_does_not_fit_is_refused() {
    let mut small = Small::new();
    for (bytes, offsets) in [(8, &[1][..]), (16, &[0, 4]), (8, &[8]), (0, &[0]), (8, &[usize::MAX])] {
        let error = small.objects.set_pointers("x", bytes, offsets).unwrap_err();
        assert_eq!(error.status(), Status::BadArgument, "{offsets:?}");
    }
    small.objects.set_pointers("x", 16, &[0]).unwrap();
    let x = small.bear(24, "x");
    assert_eq!(small.try_save("a").unwrap_err().status(), Status::Uneven);
    small.end(x);
}

// ---- variables -----------------------------------------------------------------------------------------

#[test]
fn variables_of_a_recursion_are_bound_by_label_and_frame() {
    let mut small = Small::new();
    let mut frames = [[0_u64; 1]; 6];
    let at: Vec<usize> = frames.iter_mut().map(|frame| frame.as_mut_ptr().expose_provenance()).collect();
    let enter =
        |small: &Small, i: usize, label: &str| small.objects.live_add(at[i], 8, RangeKind::Stack, label).unwrap();
    enter(&small, 0, "x in f");
    enter(&small, 1, "x in f");
    enter(&small, 2, "y in f");
    (0..3).for_each(|i| small.set(at[i], 10 + i));
    small.save();
    for i in [2, 1] {
        small.objects.live_remove(at[i]).unwrap();
    }
    // The second frame of f lies elsewhere now; its y is not registered yet.
    enter(&small, 4, "x in f");
    let restoration = small.restore().unwrap();
    assert_eq!((restoration.counts.kept, restoration.counts.bound, restoration.counts.dead), (1, 1, 1));
    assert_eq!(small.bases(), [at[0], at[4]]);
    assert_eq!((small.word(at[0]), small.word(at[4])), (10, 11));
    assert_eq!(small.objects.live_find(at[4]).unwrap().serial, 2);
    assert_eq!(enter(&small, 5, "z"), 4, "births go on after those of the checkpoint");
}

#[test]
fn pointer_into_a_variable_that_is_not_there_is_an_error_and_changes_nothing() {
    let mut small = Small::new();
    let mut x = [5_u64];
    let x = x.as_mut_ptr().expose_provenance();
    small.objects.set_pointers("p", 8, &[0]).unwrap();
    let p = small.bear(8, "p");
    small.objects.live_add(x, 8, RangeKind::Stack, "x in f").unwrap();
    small.set(p, x);
    small.save();
    small.set(p, 0);
    small.objects.live_remove(x).unwrap();
    let before = small.objects.live_list();
    let error = small.restore().unwrap_err();
    assert_eq!(error.status(), Status::NoRange);
    assert!(error.message().contains("`p`") && error.message().contains("`x in f`"), "{error}");
    assert_eq!((small.objects.live_list(), small.word(p)), (before, 0));
    small.end(p);
}

/// A checkpoint of another set of objects, as after a restart: static variables are found by label, and must be there.
#[test]
fn checkpoint_of_another_run_finds_static_variables_by_label() {
    let mut first = Small::new();
    let (mut table, mut head) = ([1_u64, 2], [0_u64]);
    let (table, head) = (table.as_mut_ptr().expose_provenance(), head.as_mut_ptr().expose_provenance());
    first.objects.set_pointers("head", 8, &[0]).unwrap();
    first.objects.live_add(table, 16, RangeKind::Static, "table").unwrap();
    first.objects.live_add(head, 8, RangeKind::Static, "head").unwrap();
    first.set(head, table + 8);
    first.save();
    let mut second = Small { store: first.store, ..Small::new() };
    let (mut table, mut head) = ([0_u64; 2], [0_u64]);
    let (table, head) = (table.as_mut_ptr().expose_provenance(), head.as_mut_ptr().expose_provenance());
    second.objects.live_add(head, 8, RangeKind::Static, "head").unwrap();
    let error = second.restore().unwrap_err();
    assert_eq!(error.status(), Status::NoRange);
    assert!(error.message().contains("`table`"), "{error}");
    second.objects.live_add(table, 16, RangeKind::Static, "table").unwrap();
    let restoration = second.restore().unwrap();
    assert_eq!((restoration.counts.bound, restoration.counts.allocated), (2, 0));
    assert_eq!((second.word(head), second.word(table + 8)), (table as u64 + 8, 2));
}

#[test]
fn static_memory_that_did_not_change_is_not_written() {
    static CONSTANT: [u64; 1000] = [7; 1000];
    let mut small = Small::new();
    small.objects.live_add(CONSTANT.as_ptr().addr(), 8000, RangeKind::Static, "constant").unwrap();
    small.save();
    small.restore().unwrap(); // a write would end the process
}

#[test]
fn heap_that_joined_as_a_whole_keeps_its_blocks_and_pointers_to_them() {
    let mut small = Small::new();
    let (tape, mut heap) = (adtape::Tape::new().unwrap(), adtape::Heap::with_factor(0, 4 << 20).unwrap());
    heap.set_recording(false);
    small.objects.set_pointers("p", 8, &[0]).unwrap();
    small.objects.heap_join(&heap, "heap").unwrap();
    let p = small.bear(8, "p");
    let block = heap.alloc(&tape, 16).unwrap();
    small.set(p, block.addr());
    small.memory.view_mut(block.addr(), 16).fill(3);
    let mut checkpoint = CheckpointWriter::create(&small.store, "a").unwrap();
    let counts = small.objects.save(&mut checkpoint, &small.memory, &[&heap]).unwrap();
    assert_eq!((counts.ranges, counts.pointers), (2, 1));
    checkpoint.commit().unwrap();
    heap.free(&tape, block).unwrap();
    small.set(p, 0);
    let mut checkpoint = CheckpointReader::open(&small.store, "a").unwrap();
    small.objects.restore(&mut checkpoint, &mut small.memory, &mut [&mut heap]).unwrap();
    assert_eq!(small.word(p), block.addr() as u64);
    assert_eq!(small.memory.view(block.addr(), 16), [3; 16]);
    small.objects.heap_leave(&heap).unwrap();
    small.end(p);
}

// ---- allocators ----------------------------------------------------------------------------------------

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static RELEASED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn allocatables_are_allocated_by_their_label_with_their_bounds() {
    let mut small = Small::new();
    let mut first = [1.5_f64; 6];
    let base = first.as_mut_ptr().expose_provenance();
    small.objects.live_add(base, 48, RangeKind::Allocatable, "u").unwrap();
    small.objects.set_bounds(base, &[(0, 3), (-1, 2)]).unwrap();
    assert_eq!(small.objects.set_bounds(base, &[(0, -1)]).unwrap_err().status(), Status::BadArgument);
    small.save();
    small.objects.live_remove(base).unwrap();
    let error = small.restore().unwrap_err();
    assert_eq!(error.status(), Status::BadArgument);
    assert!(error.message().contains("`u`"), "{error}");
    let allocate = |wanted: &Wanted<'_>| {
        assert_eq!((wanted.label, wanted.bytes, wanted.bounds), (c"u", 48, &[(0, 3), (-1, 2)][..]));
        ALLOCATED.fetch_add(1, Ordering::Relaxed);
        Ok(Box::leak(Box::new([0.0_f64; 6])).as_mut_ptr().expose_provenance())
    };
    let release = |wanted: &Wanted<'_>, base: usize| {
        assert_eq!((wanted.bytes, wanted.bounds.len()), (48, 2));
        RELEASED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: it came from `allocate`.
        drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<[f64; 6]>(base)) });
    };
    small.objects.set_allocator("u", Some(Allocator { allocate: Box::new(allocate), release: Box::new(release) }));
    assert_eq!(small.restore().unwrap().counts.allocated, 1);
    let u = small.bases()[0];
    assert_eq!(small.word(u), 1.5_f64.to_bits());
    // It keeps its bounds in the next checkpoint. Another u of that shape is taken over; one of another shape is not.
    small.save();
    small.objects.live_remove(u).unwrap();
    small.objects.live_add(u, 48, RangeKind::Allocatable, "u").unwrap();
    small.objects.set_bounds(u, &[(0, 3), (-1, 2)]).unwrap();
    assert_eq!(small.restore().unwrap().counts.reused, 1);
    assert_eq!(ALLOCATED.load(Ordering::Relaxed), 1);
    small.objects.live_remove(u).unwrap();
    small.objects.live_add(u, 48, RangeKind::Allocatable, "u").unwrap();
    small.objects.set_bounds(u, &[(1, 6), (0, 1)]).unwrap();
    assert_eq!(small.restore().unwrap().counts.reused, 0);
    assert_eq!((ALLOCATED.load(Ordering::Relaxed), RELEASED.load(Ordering::Relaxed)), (2, 1));
}

#[test]
fn adjoint_inside_of_what_is_restored_is_refused() {
    let mut small = Small::new();
    let p = small.bear(32, "p and its adjoint");
    small.objects.live_set_adjoint(p, p + 16, 16).unwrap();
    small.save();
    let error = small.restore().unwrap_err();
    assert_eq!(error.status(), Status::Overlap);
    assert!(error.message().contains("adjoint"), "{error}");
    small.end(p);
}

// ---- stores --------------------------------------------------------------------------------------------

#[test]
fn checkpoint_that_is_damaged_changes_nothing() {
    let (mut refused, mut at) = (0, 16);
    loop {
        let mut small = Small::new();
        let a = small.bear(16, "a");
        small.save();
        small.set(a, 9);
        let mut entry = Store::open(&small.store, "a").unwrap();
        let mut bytes = vec![0; entry.bytes() as usize];
        entry.read_at(0, &mut bytes).unwrap();
        if at + 16 >= bytes.len() {
            break;
        }
        bytes[at] ^= 1 << (at % 7);
        let mut writer = Store::create(&small.store, "b").unwrap();
        writer.write(&bytes).unwrap();
        writer.commit().unwrap();
        let before = small.objects.live_list();
        let mut checkpoint = CheckpointReader::open(&small.store, "b").unwrap();
        // A store in memory has no checksums: what still makes sense is restored.
        if small.objects.restore(&mut checkpoint, &mut small.memory, &mut []).is_err() {
            assert_eq!((small.word(a), small.objects.live_list()), (9, before), "byte {at}");
            refused += 1;
        }
        let left = small.bases();
        left.into_iter().for_each(|base| small.memory.release(base));
        at += 1;
    }
    assert!(refused > 100, "{refused}");
}
