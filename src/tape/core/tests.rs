//! The slow path as the fast path meets it, modes, owners and local cursors.

use super::*;
use crate::tape::idle;
use crate::tape::life::take;
use crate::tape::profile::Operation;
use crate::tape::shelf::Shelf;
use crate::vm::{PAGE, budget};

/// A tape and its cursor, used as inlined code uses them.
struct Rig {
    cursor: Box<Hot>,
    core: Box<Core>,
}

impl Rig {
    fn new() -> Rig {
        let cursor = Box::new(Hot::closed());
        let mut core = Core::new(&cursor, Owner::this_thread()).unwrap();
        // Whatever the environment says.
        (core.watch, core.profile) = (None, None);
        core.machine.set_exact(false);
        Rig { cursor, core }
    }

    fn checked() -> Rig {
        let mut rig = Rig::new();
        rig.core.watch = Some(Box::new(Watch::new(Span::new().unwrap(), true)));
        rig.core.machine.set_exact(true);
        rig
    }

    fn push(&mut self, x: u64) -> Result<(), Error> {
        if !self.cursor.put_words([x]) {
            self.core.push_room(&self.cursor, Type::I64, 1, Site::UNKNOWN, 0)?;
            assert!(self.cursor.put_words([x]), "the slow path makes the push possible");
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<u64, Error> {
        if self.cursor.top_words::<1>().is_none() {
            self.core.pop_room(&self.cursor, Type::I64, 1, Site::UNKNOWN, Target::UNKNOWN)?;
        }
        let [x] = self.cursor.top_words().expect("the slow path makes the pop possible");
        self.cursor.drop_words(1);
        Ok(x)
    }

    fn bytes(&mut self) -> usize {
        self.core.leftover(&self.cursor)
    }

    fn with<R>(&mut self, operation: impl FnOnce(&mut Core) -> R) -> R {
        self.core.with(&self.cursor, |core| Ok(operation(core))).unwrap()
    }
}

fn status<R>(result: Result<R, Error>) -> Option<Status> {
    result.err().map(|error| error.status())
}

#[test]
fn every_operation_asks_the_owner() {
    let mut rig = Rig::new();
    rig.push(1).unwrap();
    rig.cursor.close();
    rig.core.owner.release();
    let Rig { cursor, mut core } = rig;
    let denied = [
        core.enter(&cursor),
        core.push_room(&cursor, Type::F64, 1, Site::UNKNOWN, 0),
        core.pop_room(&cursor, Type::F64, 1, Site::UNKNOWN, Target::UNKNOWN),
        core.with(&cursor, |_| Ok(())),
        core.release(&cursor),
    ];
    for result in denied {
        assert_eq!(status(result), Some(Status::Released));
    }
}

#[test]
fn new_territory_alone_takes_the_slow_path() {
    let mut rig = Rig::new();
    for x in 0..10_000 {
        rig.push(x).unwrap();
    }
    let pushes = rig.core.slow_calls;
    assert!((1..=30).contains(&pushes), "{pushes} slow calls for 80,000 bytes");
    for _ in 0..3 {
        for x in (0..10_000).rev() {
            assert_eq!(rig.pop().unwrap(), x);
        }
        for x in 0..10_000 {
            rig.push(x).unwrap();
        }
    }
    assert_eq!(rig.core.slow_calls, pushes, "what was granted once needs no slow path");
}

#[test]
fn watched_tapes_see_each_operation_and_others_none() {
    for mode in ["profile", "check"] {
        let mut rig = if mode == "check" { Rig::checked() } else { Rig::new() };
        if mode == "profile" {
            rig.with(|core| core.set_profile(true));
        }
        let before = rig.core.slow_calls;
        for x in 0..100 {
            rig.push(x).unwrap();
        }
        for x in (50..100).rev() {
            assert_eq!(rig.pop().unwrap(), x);
        }
        assert_eq!(rig.core.slow_calls - before, 150, "{mode}");
        assert_eq!(rig.core.machine.peak(), 800, "{mode}: the peak is exact");
        assert_eq!(rig.bytes(), 400);
        // None of nothing.
        rig.core.push_room(&rig.cursor, Type::F64, 0, Site::UNKNOWN, 0).unwrap();
        rig.core.pop_room(&rig.cursor, Type::F32, 0, Site::UNKNOWN, Target::UNKNOWN).unwrap();
        assert_eq!(rig.bytes(), 400);
        assert_eq!(rig.pop().unwrap(), 49);
        if mode == "profile" {
            let profile = rig.core.profile.as_ref().unwrap();
            let pushes = profile.traffic(None, Operation::Push);
            assert_eq!((pushes.calls, pushes.elements, pushes.bytes), (100, 100, 800));
            assert_eq!(profile.traffic(Some(Type::I64), Operation::Pop).calls, 51);
            rig.with(|core| core.set_profile(true));
            let kept = rig.core.profile.as_ref().unwrap().traffic(None, Operation::Push).calls;
            assert_eq!(kept, 100, "counts are kept");
            rig.with(|core| core.set_profile(false));
            rig.push(1).unwrap();
            let before = rig.core.slow_calls;
            for x in 0..100 {
                rig.push(x).unwrap();
            }
            assert!(rig.core.slow_calls <= before + 1, "no longer watched");
        }
    }
}

#[test]
fn check_mode_compares_what_is_pushed_with_what_is_popped() {
    let mut rig = Rig::checked();
    rig.push(7).unwrap();
    let error = rig.core.pop_room(&rig.cursor, Type::F32, 2, Site::UNKNOWN, Target::UNKNOWN).unwrap_err();
    assert_eq!(error.status(), Status::Mismatch, "{error}");
    let error = rig.core.pop_room(&rig.cursor, Type::I64, 2, Site::UNKNOWN, Target::UNKNOWN).unwrap_err();
    assert_eq!(error.status(), Status::Mismatch, "more than there is, too: {error}");
    assert!(rig.core.left().unwrap().contains("i64"), "{:?}", rig.core.left());
    assert_eq!(rig.pop().unwrap(), 7);
    assert_eq!(rig.core.left(), None);
    assert_eq!(status(rig.pop()), Some(Status::Mismatch), "check mode says that nothing is left");
    let mut plain = Rig::new();
    plain.push(7).unwrap();
    assert_eq!(plain.core.left(), None);
    plain.core.pop_room(&plain.cursor, Type::F32, 2, Site::UNKNOWN, Target::UNKNOWN).unwrap();
}

#[test]
fn pop_of_more_than_there_is_says_how_much_there_is() {
    let mut rig = Rig::new();
    rig.push(7).unwrap();
    let error = rig.core.pop_room(&rig.cursor, Type::I64, 2, Site::UNKNOWN, Target::UNKNOWN).unwrap_err();
    assert_eq!(error.status(), Status::Underflow);
    assert!(error.message().contains("holds 8 bytes only"), "{error}");
    assert_eq!(rig.pop().unwrap(), 7);
    assert_eq!(status(rig.pop()), Some(Status::Underflow));
    assert_eq!(rig.core.poison, None, "nothing is lost");
}

#[test]
fn counts_that_make_no_sense_are_refused() {
    let most = (MAX_BYTES / 8) as i64;
    assert_eq!(byte_count("push", Type::F64, most, Site::UNKNOWN).unwrap(), MAX_BYTES);
    assert_eq!(byte_count("push", Type::F64, 0, Site::UNKNOWN).unwrap(), 0);
    for (count, problem) in
        [(-1, "is negative"), (i64::MIN, "is negative"), (most + 1, "exceeds"), (i64::MAX, "exceeds")]
    {
        let error = byte_count("push", Type::F64, count, Site::UNKNOWN).unwrap_err();
        assert_eq!(error.status(), Status::CountRange);
        assert!(error.message().contains(problem), "{count}: {error}");
    }
}

/// In a repeat region the tape may lie in two pieces: what straddles them is gathered.
#[test]
fn values_that_straddle_two_pieces_are_popped_as_one() {
    let mut rig = Rig::new();
    for x in 0..16 {
        rig.push(x).unwrap();
    }
    rig.with(|core| core.machine.start());
    for x in (8..16).rev() {
        assert_eq!(rig.pop().unwrap(), x);
    }
    for x in 100..104 {
        rig.push(x).unwrap();
    }
    rig.core.pop_room(&rig.cursor, Type::I64, 6, Site::UNKNOWN, Target::UNKNOWN).unwrap();
    assert_eq!(rig.cursor.top_words::<6>().expect("all six"), [6, 7, 100, 101, 102, 103]);
    rig.cursor.drop_words(6);
    assert_eq!(rig.pop().unwrap(), 5);
    rig.with(|core| core.machine.reset()).unwrap();
    for x in (0..16).rev() {
        assert_eq!(rig.pop().unwrap(), x);
    }
    rig.with(|core| core.machine.end()).unwrap();
    assert_eq!(rig.core.bounce.len(), 48);
    rig.with(|core| core.trim(Trim::Hard));
    assert_eq!(rig.core.bounce.capacity(), 0);
}

#[test]
fn tape_that_lost_something_is_of_no_more_use() {
    let mut rig = Rig::new();
    rig.push(1).unwrap();
    rig.with(|core| core.poison(&Error::new(Status::Io, "the disk is gone")));
    for _ in 0..2 {
        let error = rig.push(2).unwrap_err();
        assert_eq!(error.status(), Status::Poisoned);
        assert!(error.message().contains("the disk is gone"), "{error}");
    }
    rig.core.may_be_freed(&rig.cursor).unwrap();
}

#[test]
fn tapes_are_told_apart() {
    let [a, b] = [Rig::new(), Rig::new()];
    assert_ne!(a.core.id(), b.core.id());
    assert!(a.core.id() > 0 && b.core.id() > 0);
    // And found by their cursors.
    let Rig { cursor, core } = a;
    let id = core.id();
    assert!(Core::of(&cursor).is_null());
    core.give_to(&cursor);
    assert_eq!(take(&cursor).expect("its core").id(), id);
}

#[test]
fn state_is_with_the_handle_or_with_a_local_cursor() {
    let mut rig = Rig::new();
    rig.push(1).unwrap();
    let local = Hot::closed();
    assert_eq!(status(rig.core.detach(&local)), Some(Status::Attached), "not attached");
    rig.cursor.edge.set(4711);
    rig.core.attach(&rig.cursor, &local).unwrap();
    assert_eq!((local.edge.get(), local.core.get()), (4711, rig.cursor.core.get()));
    assert_eq!(status(rig.push(2)), Some(Status::Attached));
    assert!(local.put_words([3]), "there is room");
    rig.core.detach(&local).unwrap();
    assert!(local.core.get().is_null() && !local.has_bytes(8));
    assert_eq!((rig.pop().unwrap(), rig.pop().unwrap()), (3, 1));
    // Another cursor takes the place of the home.
    let other = Hot::closed();
    rig.core.attach(&rig.cursor, &local).unwrap();
    local.close();
    rig.core.detached = true;
    rig.core.move_home(&other);
    assert_eq!(status(rig.core.enter(&other)), Some(Status::Attached));
    rig.core.detach(&local).unwrap();
    assert!(other.put_words([5]), "the state comes back to the new home");
    rig.cursor.close();
}

#[test]
fn tape_goes_from_thread_to_thread() {
    let mut rig = Rig::new();
    rig.push(1).unwrap();
    assert_eq!(status(rig.core.acquire(&rig.cursor)), Some(Status::Released), "its owner has it");
    rig.core.release(&rig.cursor).unwrap();
    assert_eq!(status(rig.push(2)), Some(Status::Released));
    rig.core.may_be_freed(&rig.cursor).unwrap();
    rig.core.acquire(&rig.cursor).unwrap();
    assert_eq!(rig.pop().unwrap(), 1);
    // What is another thread's is not freed.
    let (give, owners) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        give.send(Owner::this_thread()).unwrap();
        let _ = ended.recv();
    });
    rig.core.owner = owners.recv().unwrap();
    assert!(rig.core.may_be_freed(&rig.cursor).is_err());
    drop(end);
    other.join().unwrap();
    rig.core.may_be_freed(&rig.cursor).unwrap();
}

#[test]
fn control_values_fit_into_their_bits_in_check_mode() {
    let plain = Rig::new();
    plain.core.check_fits(5, 2).unwrap();
    let rig = Rig::checked();
    for (value, bits) in [(3, 2), (0, 1), (1, 1), (u64::MAX, 64), (1 << 62, 63)] {
        rig.core.check_fits(value, bits).unwrap();
    }
    let error = rig.core.check_fits(5, 2).unwrap_err();
    assert_eq!(error.status(), Status::BadArgument);
    assert!(error.message().contains("takes 3 bits: the pop would return 1\n"), "{error}");
    assert_eq!(status(rig.core.check_fits(2, 1)), Some(Status::BadArgument));
}

#[test]
fn control_bits_that_are_left_count_as_the_bytes_that_they_fill() {
    let mut rig = Rig::new();
    assert_eq!(rig.bytes(), 0);
    rig.push(1).unwrap();
    assert_eq!(rig.bytes(), 8);
    for (bits, bytes) in [(1, 9), (8, 9), (9, 10), (61, 16), (62, 16)] {
        rig.with(|core| core.machine.push_bits(0, bits)).unwrap();
        assert_eq!(rig.bytes(), bytes, "{bits}");
        rig.with(|core| core.machine.pop_bits(bits)).unwrap();
    }
    let local = Hot::closed();
    rig.core.attach(&rig.cursor, &local).unwrap();
    assert_eq!(rig.bytes(), 8, "the closed cursor says nothing, the machine does");
    rig.core.detach(&local).unwrap();
}

#[test]
fn memory_goes_to_others_who_are_short_of_it() {
    let _alone = idle::alone();
    let mut rig = Rig::new();
    rig.core.machine = Machine::new(Span::with_steps(PAGE, 1 << 20));
    rig.core.watch = Some(Box::new(Watch::new(Span::with_steps(PAGE, 1 << 20), true)));
    rig.with(|core| core.set_store(Box::<Shelf>::default())).unwrap();
    for x in 0..1000 {
        rig.push(x).unwrap();
    }
    for _ in 0..900 {
        rig.pop().unwrap();
    }
    // What lies above the top, of values and of records.
    let committed = |rig: &mut Rig| rig.with(|core| core.machine.span().committed());
    assert!(committed(&mut rig) >= 8000);
    rig.with(|core| core.trim(Trim::Hard));
    assert_eq!(committed(&mut rig), PAGE);
    for x in 100..5000 {
        rig.push(x).unwrap();
    }
    for _ in 100..5000 {
        rig.pop().unwrap();
    }
    let before = committed(&mut rig);
    assert!(rig.with(|core| core.relieve(PAGE)).unwrap());
    assert!(committed(&mut rig) < before);
    for x in (0..100).rev() {
        assert_eq!(rig.pop().unwrap(), x);
    }
}

/// After each operation a tape leaves to others what it does not need soon.
#[test]
fn what_lies_deep_in_a_tape_is_there_for_others() {
    let _alone = idle::alone();
    let budget = budget!(100 * PAGE);
    let mut rig = Rig::new();
    rig.core.machine = Machine::new(Span::with_steps(PAGE, 1 << 20).charged_to(budget));
    rig.with(|core| core.set_store(Box::<Shelf>::default())).unwrap();
    let words = (60 * PAGE / 8) as u64;
    for x in 0..words {
        rig.push(x).unwrap();
    }
    let mut other = Machine::new(Span::with_steps(PAGE, 1 << 20).charged_to(budget));
    for _ in 0..60 {
        other.push(&[1; PAGE]).unwrap();
    }
    drop(other);
    for x in (0..words).rev() {
        assert_eq!(rig.pop().unwrap(), x);
    }
}
