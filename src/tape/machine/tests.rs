//! What a machine lends, spills and asks for; random programs.

use super::lending::KEPT;
use super::*;
use crate::tape::idle;
use crate::tape::shelf::Shelf;
use crate::vm::{Budget, HUGE_PAGE, PAGE, Trim, budget};

mod programs;
mod regions;

fn machine_in_steps(step: usize) -> Machine {
    Machine::new(Span::with_steps(step, 1 << 30))
}

/// A machine in steps of a page that may take what `budget` has, with a store.
fn short_of_memory(budget: &'static Budget) -> (Machine, Shelf) {
    let mut machine = Machine::new(Span::with_steps(PAGE, 1 << 30).charged_to(budget));
    let shelf = Shelf::default();
    machine.set_store(Box::new(shelf.clone())).unwrap();
    (machine, shelf)
}

/// A page of values that tell its number.
fn page(number: usize) -> Vec<u8> {
    (0..PAGE).map(|i| (i + 7 * number) as u8).collect()
}

fn push_pages(machine: &mut Machine, numbers: std::ops::Range<usize>) {
    for number in numbers {
        machine.push(&page(number)).unwrap_or_else(|e| panic!("page {number}: {e}"));
    }
}

fn pop_pages(machine: &mut Machine, numbers: std::ops::Range<usize>) {
    let mut found = vec![0; PAGE];
    for number in numbers.rev() {
        machine.pop(&mut found).unwrap_or_else(|e| panic!("page {number}: {e}"));
        assert!(found == page(number), "page {number}");
    }
}

/// Where a cursor on the machine stands, relative to the span's base; its limit None where every push is slow.
fn cursor(machine: &Machine) -> (usize, usize, Option<usize>) {
    let hot = Hot::closed();
    machine.store(&hot);
    let base = machine.span.base();
    let limit = (hot.limit.get() != 0).then(|| hot.limit.get() - base);
    (hot.floor.get() - base, hot.cur.get() - base, limit)
}

#[test]
fn peak_is_the_highest_position_or_a_share_above_it() {
    let _alone = idle::alone();
    let mut exact = machine_in_steps(PAGE);
    exact.set_exact(true);
    exact.push(&[0; 1000]).unwrap();
    exact.pop(&mut [0; 300]).unwrap();
    assert_eq!(exact.peak(), 1000);
    exact.forget_peak();
    assert_eq!(exact.peak(), 700);
    exact.push(&[0; 100]).unwrap();
    assert_eq!(exact.peak(), 800);
    exact.pop(&mut [0; 800]).unwrap();
    exact.trim(Trim::Hard);
    assert_eq!((exact.peak(), exact.span().committed()), (800, 0), "a trim keeps the peak");
    let mut plain = machine_in_steps(0);
    plain.push(&[0; 1000]).unwrap();
    assert_eq!((plain.peak(), cursor(&plain).2), (1000 + ROOM, Some(1000 + ROOM)));
    plain.push(&[0; ROOM]).unwrap();
    assert_eq!(plain.peak(), 1000 + ROOM, "what was granted needs no more");
    plain.make_room(1).unwrap();
    assert_eq!(plain.peak(), 1001 + 2 * ROOM);
    plain.push(&vec![0; (64 << 20) + 33 * PAGE]).unwrap();
    let cur = plain.cur();
    plain.push(&[0; PAGE]).unwrap();
    assert_eq!(plain.peak(), cur + cur / ROOM_SHARE);
    assert_eq!(machine_in_steps(3 * PAGE).room_above(100), 3 * PAGE);
}

#[test]
fn positions_move_only_as_far_as_they_are_told() {
    let _alone = idle::alone();
    let mut machine = machine_in_steps(PAGE);
    assert_eq!((machine.address(0), machine.depth()), (machine.span.base(), 0));
    machine.push(&[1, 2, 3, 4]).unwrap();
    assert_eq!(machine.address(3), machine.span.base() + 3);
    assert_eq!(machine.last(2), [3, 4]);
    machine.retreat(1);
    assert_eq!((machine.cur(), machine.len()), (3, 3));
    machine.advance(1);
    assert_eq!((machine.cur(), machine.last(4)), (4, [1, 2, 3, 4].as_slice()));
    machine.push(&[5]).unwrap();
    machine.discard_to(2);
    assert_eq!((machine.len(), machine.last(2)), (2, [1, 2].as_slice()));
    machine.start();
    machine.pop(&mut [0; 1]).unwrap();
    machine.push(&[6, 7]).unwrap();
    assert_eq!(machine.len(), 3);
    machine.discard_to(1);
    assert_eq!(machine.len(), 1);
    machine.discard_to(1);
    machine.make_contiguous(1).unwrap();
    assert_eq!((machine.len(), machine.last(1)), (1, [1].as_slice()));
    machine.discard_to(0);
    assert_eq!(machine.len(), 0);
    machine.reset().unwrap();
    assert_eq!(machine.last(2), [1, 2]);
    machine.pop(&mut [0; 1]).unwrap();
    machine.push(&[6, 7]).unwrap();
    machine.discard_to(0);
    assert_eq!(machine.len(), 0);
    machine.reset().unwrap();
    machine.end().unwrap();
    machine.set_bits(5);
    assert_eq!((machine.bits(), machine.pop_bits(2).unwrap()), (5, 1));
}

/// Where a region ends, what was pushed in it comes to lie behind what it left.
#[test]
fn tape_is_in_one_piece_after_its_regions() {
    let _alone = idle::alone();
    for popped in [0, 5, 10] {
        let mut machine = machine_in_steps(PAGE);
        machine.start();
        machine.push(&[9; 10]).unwrap();
        machine.start();
        machine.pop(&mut vec![0; popped]).unwrap();
        machine.push(&[1, 2, 3]).unwrap();
        assert_eq!((machine.len(), machine.contiguous()), (13 - popped, 3));
        machine.end().unwrap();
        if popped == 0 {
            assert_eq!(machine.contiguous(), 13, "they were neighbours");
        }
        machine.end().unwrap();
        let len = 13 - popped;
        assert_eq!((machine.len(), machine.contiguous(), machine.cur()), (len, len, len));
        assert_eq!(machine.last(len), [&[9; 10][popped..], &[1, 2, 3]].concat());
    }
    // Not where a part of it is in a store.
    let (mut machine, _) = short_of_memory(budget!(20 * PAGE));
    push_pages(&mut machine, 0..60);
    machine.start();
    pop_pages(&mut machine, 58..60);
    push_pages(&mut machine, 99..100);
    machine.end().unwrap();
    assert_eq!((machine.len(), machine.segments.len()), (59 * PAGE, 1));
    pop_pages(&mut machine, 99..100);
    pop_pages(&mut machine, 0..58);
}

#[test]
fn tape_lends_what_is_far_from_its_top() {
    let _alone = idle::alone();
    let mut machine = machine_in_steps(PAGE);
    let kept_and_least =
        |lending: Lending, top, scarce| (lending.kept(top, scarce), lending.worth_lending(top, scarce));
    for is_scarce in [false, true] {
        assert_eq!(kept_and_least(machine.lending, 7, is_scarce), (16 * PAGE, 16 * PAGE));
    }
    let usual = Lending::of(&Span::with_steps(0, 1 << 30));
    for (top, kept, least) in [(0, 128, 256), (1 << 10, 128, 256), (2 << 10, 256, 512), (8 << 10, 1024, 2048)] {
        assert_eq!(kept_and_least(usual, top << 10, false), (KEPT, HUGE_PAGE));
        assert_eq!(kept_and_least(usual, top << 10, true), (kept << 10, least << 10), "{top} KiB");
    }
    assert_eq!(kept_and_least(usual, 1 << 40, true), (KEPT, HUGE_PAGE));
    push_pages(&mut machine, 0..31);
    machine.lend_idle(0);
    assert!(!machine.span.has_lent(), "15 pages are not worth it");
    push_pages(&mut machine, 31..32);
    machine.lend_idle(1);
    assert!(!machine.span.has_lent(), "the next operation may pop a byte more");
    machine.lend_idle(0);
    assert_eq!(machine.span.at_hand(), 16 * PAGE..32 * PAGE);
    // Up to there nothing is taken back.
    machine.pop(&mut vec![0; 16 * PAGE]).unwrap();
    machine.push(&vec![0; 16 * PAGE]).unwrap();
    assert_eq!(machine.span.at_hand(), 16 * PAGE..32 * PAGE);
    assert_eq!(cursor(&machine), (16 * PAGE, 32 * PAGE, Some(32 * PAGE)));
    machine.pop(&mut vec![0; 16 * PAGE + 1]).unwrap();
    assert!(!machine.span.has_lent() && machine.awaited);
    machine.lend_idle(0);
    assert!(!machine.span.has_lent() && !machine.awaited, "nothing is in a moment either");
    // Above the top, too; and in a region nothing below.
    machine.push(&vec![0; 60 * PAGE]).unwrap();
    machine.pop(&mut vec![0; 75 * PAGE - 1]).unwrap();
    assert_eq!(machine.cur(), PAGE);
    machine.lend_idle(PAGE);
    assert_eq!(machine.span.at_hand(), 0..18 * PAGE);
    machine.push(&vec![0; 17 * PAGE]).unwrap();
    assert!(machine.span.has_lent(), "up to there nothing is taken back");
    machine.push(&[0]).unwrap();
    assert!(!machine.span.has_lent());
    machine.pop(&mut vec![0; 17 * PAGE + 1]).unwrap();
    machine.lend_idle(PAGE);
    machine.push(&vec![0; 17 * PAGE + 1]).unwrap();
    machine.pop(&mut vec![0; 17 * PAGE + 1]).unwrap();
    push_pages(&mut machine, 0..39);
    machine.trim(Trim::Hard);
    machine.lend_idle(0);
    assert_eq!(machine.span.at_hand(), 24 * PAGE..40 * PAGE);
    machine.start();
    assert!(!machine.span.has_lent());
    machine.lend_idle(0);
    assert!(!machine.span.has_lent());
    machine.pop(&mut vec![0; 39 * PAGE]).unwrap();
    machine.lend_idle(0);
    assert!(!machine.span.has_lent(), "what was popped in the region stays");
    machine.reset().unwrap();
    machine.end().unwrap();
    machine.lend_idle(0);
    assert_eq!(machine.span.at_hand(), 24 * PAGE..40 * PAGE);
}

/// Much more than other tests lend meanwhile, so that this is the largest idle part of the process.
#[test]
fn relief_comes_from_above_the_top_first_and_then_from_the_oldest_values() {
    let _alone = idle::alone();
    let (mut machine, shelf) = short_of_memory(budget!(5000 * PAGE));
    push_pages(&mut machine, 0..3000);
    pop_pages(&mut machine, 2000..3000);
    assert!(machine.relieve(999 * PAGE).unwrap());
    assert_eq!((machine.span().committed(), machine.span().discarded()), (2001 * PAGE, 0), "all of the room above");
    assert!(machine.relieve(PAGE).unwrap());
    let spilled = machine.span().discarded();
    assert!(spilled > 0, "the oldest go");
    assert_eq!(shelf.len(), spilled);
    assert!((0..100).all(|_| machine.relieve(PAGE).is_ok()));
    // Some stays below the top; without it pops could not go on.
    assert!((2000 - KEPT / PAGE..2000).contains(&(machine.span().discarded() / PAGE)));
    pop_pages(&mut machine, 0..2000);
    assert_eq!(machine.span().discarded(), 0);
    drop(machine);
    // Less than is wanted is better than nothing.
    let mut machine = machine_in_steps(PAGE);
    push_pages(&mut machine, 0..100);
    machine.discard_to(10 * PAGE);
    assert!(machine.relieve(1 << 40).unwrap());
    assert_eq!(machine.span().committed(), 11 * PAGE);
}

#[test]
fn tape_says_before_it_takes_memory_that_it_may_lend_some() {
    let _alone = idle::alone();
    let mut machine = machine_in_steps(PAGE);
    let least = machine.lending.least;
    machine.announce(least - 1);
    assert!(!machine.awaited && machine.slot.is_none(), "too small to lend anything");
    machine.announce(least);
    assert!(machine.awaited && machine.slot.is_some());
    machine.rest();
    assert!(!machine.awaited);
    machine.announce(1);
    assert!(machine.awaited, "it has lent before");
    machine.announce(1);
    assert!(machine.awaited);
}

/// Neither what nobody has taken nor what is idle is enough, both together are.
#[test]
fn room_and_what_is_idle_count_together() {
    let _alone = idle::alone();
    let (mut machine, _) = short_of_memory(budget!(30 * PAGE));
    push_pages(&mut machine, 0..20);
    machine.push(&vec![1; 20 * PAGE]).unwrap();
    assert!(machine.span().discarded() >= 10 * PAGE);
    machine.discard_to(20 * PAGE);
    pop_pages(&mut machine, 0..20);
}

/// What comes back from a store may take memory that another tape lends.
#[test]
fn region_over_a_spilled_tape_takes_what_others_lend() {
    let _alone = idle::alone();
    let budget = budget!(30 * PAGE);
    let [mut first, mut second] = [short_of_memory(budget).0, short_of_memory(budget).0];
    push_pages(&mut first, 0..40);
    budget.set_limit(1000 * PAGE as u64);
    push_pages(&mut second, 0..60);
    second.lend_idle(0);
    budget.set_limit(budget.committed());
    first.start();
    assert!(first.span().discarded() >= 10 * PAGE && second.span.has_lent());
    pop_pages(&mut first, 0..40);
    assert!(second.span().discarded() >= 10 * PAGE);
    first.reset().unwrap();
    first.end().unwrap();
    pop_pages(&mut first, 0..40);
    drop(first);
    pop_pages(&mut second, 0..60);
}

/// Steps that ended anywhere near the limit left the kernel small pages: up to 230,000 for each GiB pushed and popped.
#[test]
fn large_tape_that_spills_takes_and_leaves_whole_huge_pages() {
    let _alone = idle::alone();
    let budget = budget!(20 * HUGE_PAGE + 5 * PAGE);
    let mut machine = Machine::new(Span::with_steps(0, 1 << 30).charged_to(budget));
    machine.set_store(Box::new(Shelf::default())).unwrap();
    let (least, most) = (10 * HUGE_PAGE / PAGE, 40 * HUGE_PAGE / PAGE);
    let whole = |machine: &mut Machine| {
        let span = machine.span();
        assert_eq!((span.committed() % HUGE_PAGE, span.discarded() % HUGE_PAGE), (0, 0));
    };
    push_pages(&mut machine, 0..least);
    for number in least..most {
        push_pages(&mut machine, number..number + 1);
        whole(&mut machine);
    }
    assert!(machine.span().discarded() >= 20 * HUGE_PAGE && budget.committed() > (18 * HUGE_PAGE) as u64);
    for number in (least..most).rev() {
        pop_pages(&mut machine, number..number + 1);
        whole(&mut machine);
    }
    pop_pages(&mut machine, 0..least);
}

#[test]
fn store_is_attached_before_anything_is_in_another_one() {
    let _alone = idle::alone();
    let (mut machine, _) = short_of_memory(budget!(100 * PAGE));
    machine.set_store(Box::new(Shelf::default())).unwrap();
    push_pages(&mut machine, 0..300);
    let spilled = machine.span().discarded();
    let error = machine.set_store(Box::new(Shelf::default())).unwrap_err();
    assert_eq!(error.status(), Status::BadArgument);
    assert!(error.message().contains(&bytes_of(spilled)), "{error}");
    pop_pages(&mut machine, 0..300);
    machine.set_store(Box::new(Shelf::default())).unwrap();
}

fn bytes_of(n: usize) -> String {
    crate::error::bytes(n as u64)
}

#[test]
fn tape_that_can_spill_keeps_below_its_limit_and_one_that_cannot_says_so() {
    let _alone = idle::alone();
    let budget = budget!(50 * PAGE);
    let (mut machine, shelf) = short_of_memory(budget);
    push_pages(&mut machine, 0..120);
    assert!(machine.span().discarded() >= 70 * PAGE);
    // A store that fails loses nothing, and says so each time.
    shelf.fail(true);
    let (len, mut pushed) = (machine.len(), 0);
    let error = loop {
        match machine.push(&page(120 + pushed)) {
            Ok(()) => pushed += 1,
            Err(error) => break error,
        }
        assert!(pushed < 100);
    };
    assert!(error.status() == Status::Io && error.message().contains("the shelf fell"), "{error}");
    assert_eq!(machine.len(), len + pushed * PAGE);
    pop_pages(&mut machine, 120..120 + pushed);
    let at_hand = machine.contiguous() / PAGE;
    pop_pages(&mut machine, 120 - at_hand..120);
    let len = machine.len();
    let error = machine.pop(&mut [0; 1]).unwrap_err();
    assert_eq!((error.status(), machine.len()), (Status::Io, len));
    shelf.fail(false);
    pop_pages(&mut machine, 0..120 - at_hand);
    drop(machine);
    // Without a store.
    let mut machine = Machine::new(Span::with_steps(PAGE, 1 << 30).charged_to(budget!(10 * PAGE)));
    push_pages(&mut machine, 0..10);
    let error = machine.push(&[1]).unwrap_err();
    assert_eq!(error.status(), Status::MemoryLimit);
    pop_pages(&mut machine, 0..10);
}

/// A full accumulator needs room for its word; one that is not needs none.
#[test]
fn bits_that_find_no_room_change_nothing() {
    let _alone = idle::alone();
    let mut machine = Machine::new(Span::with_steps(PAGE, 1 << 30).charged_to(budget!(PAGE)));
    machine.push(&page(0)).unwrap();
    machine.push_bits(1, 60).unwrap();
    machine.push_bits(1, 1).unwrap();
    let bits = machine.bits();
    assert_eq!(machine.push_bits(u64::MAX, 1).unwrap_err().status(), Status::MemoryLimit);
    assert_eq!(machine.push_bits(u64::MAX, 64).unwrap_err().status(), Status::MemoryLimit);
    assert_eq!((machine.bits(), machine.len()), (bits, PAGE));
    assert_eq!(machine.pop_bits(61).unwrap(), 3);
    pop_pages(&mut machine, 0..1);
    assert_eq!(machine.pop_bits(1).unwrap_err().status(), Status::Underflow);
    // Two words take sixteen bytes.
    machine.push(&page(0)[8..]).unwrap();
    machine.push_bits(0, 61).unwrap();
    let bits = machine.bits();
    assert_eq!(machine.push_bits(0, 64).unwrap_err().status(), Status::MemoryLimit);
    assert_eq!((machine.bits(), machine.len()), (bits, PAGE - 8));
    machine.push_bits(0, 62).unwrap();
    assert_eq!(machine.len(), PAGE);
}

/// Where memory is so short that the rest does not come back at once, what is there is popped first.
#[test]
fn pop_goes_on_piece_by_piece_where_memory_is_short() {
    let _alone = idle::alone();
    let budget = budget!(20 * PAGE);
    let (mut machine, shelf) = short_of_memory(budget);
    push_pages(&mut machine, 0..100);
    let mut found = vec![0; 60 * PAGE];
    machine.pop(&mut found).unwrap();
    for (number, found) in (40..100).zip(found.chunks(PAGE)) {
        assert!(found == page(number), "page {number}");
    }
    // Some at hand and no memory for more: that is no error yet. Without any, it is.
    let at_hand = machine.contiguous();
    let room = budget.room();
    machine.take_back();
    budget.set_limit(budget.committed());
    machine.push(&page(40)[..1]).unwrap_or_else(|e| panic!("{at_hand} {room}: {e}"));
    shelf.fail(true);
    let have = machine.contiguous();
    assert!(have > 0);
    assert_eq!(
        machine.make_contiguous(have + 1).unwrap_err().status(),
        Status::Io,
        "a store that fails is another matter"
    );
    shelf.fail(false);
    budget.set_limit(20 * PAGE as u64);
    machine.pop(&mut [0]).unwrap();
    pop_pages(&mut machine, 0..40);
}
