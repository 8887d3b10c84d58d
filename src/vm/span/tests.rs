use super::*;
use crate::vm::budget;

fn write(span: &Span, offset: usize, value: u8) {
    assert!(offset < span.committed());
    // SAFETY: the offset is committed.
    unsafe { *((span.base() + offset) as *mut u8) = value }
}

fn read(span: &Span, offset: usize) -> u8 {
    assert!(offset < span.committed());
    // SAFETY: the offset is committed.
    unsafe { *((span.base() + offset) as *const u8) }
}

/// What the kernel notes about each mapping in `[from, to)`: `hg` where it may take huge pages, `nh` where it must not.
fn flags(from: usize, to: usize) -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let (mut found, mut within) = (Vec::new(), false);
    let hexadecimal = |word| usize::from_str_radix(word, 16).ok();
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|word| word.split_once('-'));
        if let Some((a, b)) = range.and_then(|(a, b)| hexadecimal(a).zip(hexadecimal(b))) {
            within = a < to && b > from;
        }
        if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| within) {
            found.push(flags.split_whitespace().filter(|flag| matches!(*flag, "hg" | "nh")).collect());
        }
    }
    found
}

/// Runs a test in a process that runs nothing else.
fn in_child(name: &str, child: impl FnOnce()) {
    const ROLE: &str = "ADTAPE_TEST_ROLE";
    if std::env::var(ROLE).is_ok_and(|role| role == name) {
        return child();
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("vm::span::tests::{name}"), "--test-threads=1"]).env(ROLE, name);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Bytes of address space that the process has.
fn address_space() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').next().unwrap().parse::<usize>().unwrap() * PAGE
}

#[test]
fn contents_survive_every_move() {
    let mut span = Span::with_steps(PAGE, PAGE);
    for page in 0..600 {
        span.commit((page + 1) * PAGE).unwrap();
        write(&span, page * PAGE + page % PAGE, page as u8);
    }
    assert!(span.moves() >= 8, "{} moves", span.moves());
    for page in 0..600 {
        assert_eq!(read(&span, page * PAGE + page % PAGE), page as u8);
    }
}

#[test]
fn moves_across_the_border_of_huge_pages_keep_contents() {
    let mut span = Span::with_steps(0, 4 << 20);
    let size = 40 << 20;
    let mut done = 0;
    while done < size {
        span.commit(done + 1).unwrap();
        while done < span.committed() {
            write(&span, done, (done / PAGE % 251) as u8);
            done += PAGE;
        }
    }
    assert!(span.moves() >= 2);
    for offset in (0..size).step_by(PAGE) {
        assert_eq!(read(&span, offset), (offset / PAGE % 251) as u8);
    }
}

#[test]
fn span_goes_on_with_small_pages_where_huge_ones_are_slow_and_back_where_one_is_not() {
    let mut span = Span::with_steps(0, 16 << 20);
    span.commit(3 << 20).unwrap();
    span.pages = Pages::Huge { slow: 0 };
    let (quick, slow) = (SLOW_HUGE_PAGE, 2 * SLOW_HUGE_PAGE);
    let of_page = |span: &Span, page| flags(span.base + page * HUGE_PAGE, span.base + (page + 1) * HUGE_PAGE).concat();
    for (took, pages) in [
        (slow, Pages::Huge { slow: 1 }),
        (quick, Pages::Huge { slow: 0 }),
        (slow, Pages::Huge { slow: 1 }),
        (slow, Pages::Small { bytes: 0 }),
    ] {
        span.judge_huge_page(HUGE_PAGE, took);
        assert_eq!(span.pages, pages);
    }
    assert_eq!((of_page(&span, 1), of_page(&span, 2), of_page(&span, 7)), ("hg".into(), "nh".into(), "nh".into()));
    for (page, took) in [(3, slow), (5, quick)] {
        assert!(!span.tries_huge_page(page * HUGE_PAGE, SMALL_STRETCH - 1));
        assert!(span.tries_huge_page(page * HUGE_PAGE, 1));
        assert_eq!(of_page(&span, page), "hg");
        span.judge_huge_page(page * HUGE_PAGE, took);
    }
    assert_eq!(span.pages, Pages::Huge { slow: 0 });
    assert_eq!([2, 3, 4, 5, 6, 7].map(|page| of_page(&span, page)), ["nh", "nh", "nh", "hg", "hg", "hg"]);
    span.judge_huge_page(6 * HUGE_PAGE, slow);
    span.judge_huge_page(6 * HUGE_PAGE, slow);
    let mut done = 0;
    while done < 40 << 20 {
        span.commit(done + 1).unwrap();
        write(&span, done, (done / PAGE % 251) as u8);
        done += PAGE;
    }
    assert!(span.moves() >= 1);
    assert_eq!(flags(span.base + span.committed(), span.base + span.reserved), ["nh"]);
    for offset in (0..done).step_by(PAGE) {
        assert_eq!(read(&span, offset), (offset / PAGE % 251) as u8);
    }
}

#[test]
fn pages_that_the_kernel_does_not_move_are_copied_also_to_where_it_left_a_hole() {
    let mut span = Span::with_steps(PAGE, 8 << 20);
    // No multiple of the steps that it is copied in.
    let size = (5 << 20) + 8 * PAGE;
    span.commit(size).unwrap();
    assert_eq!(span.committed(), size);
    for page in 0..size / PAGE {
        write(&span, page * PAGE, (page % 251) as u8);
    }
    let (base, reserved) = span.reserve(8 << 20).unwrap();
    span.account.settle(base, reserved);
    os::release(base + (1 << 20), 1 << 20);
    span.copy_pages_to(base, 0, span.committed).unwrap();
    os::release(span.base + span.committed, span.reserved - span.committed);
    (span.base, span.reserved) = (base, reserved);
    for page in 0..size / PAGE {
        assert_eq!(read(&span, page * PAGE), (page % 251) as u8);
        write(&span, page * PAGE, 0);
    }
}

#[test]
fn hard_trim_gives_back_pages_that_read_as_zero_when_committed_again() {
    let mut span = Span::with_steps(0, 1 << 30);
    span.commit(8 << 20).unwrap();
    write(&span, 0, 1);
    write(&span, 5 << 20, 2);
    let before = span.committed();
    span.trim(1, Trim::Hard);
    assert!(span.committed() < before && span.committed() >= 1);
    span.commit(8 << 20).unwrap();
    assert_eq!((read(&span, 0), read(&span, 5 << 20)), (1, 0));
}

#[test]
fn span_larger_than_the_address_space_is_refused() {
    let mut span = Span::with_steps(0, 1 << 30);
    for need in [usize::MAX, usize::MAX / 2, 1 << 50] {
        let status = span.commit(need).unwrap_err().status();
        assert!(matches!(status, Status::CountRange | Status::OutOfMemory | Status::MemoryLimit));
    }
    span.commit(1).unwrap();
    write(&span, 0, 7);
}

/// Memory that a thread gave back while it was lent is not charged any more, and not given back again at the end.
#[test]
fn budget_gets_back_what_is_discarded_and_the_rest_at_the_end() {
    let budget = budget!(u64::MAX);
    let mut span = Span::with_steps(PAGE, 64 * PAGE).charged_to(budget);
    span.commit(32 * PAGE).unwrap();
    assert_eq!(budget.committed(), 32 * PAGE as u64);
    let mut lent = span.lend(20 * PAGE..24 * PAGE);
    lent.discard_first(5 * PAGE);
    assert_eq!(budget.committed(), 27 * PAGE as u64);
    lent.discard_warm(3 * PAGE);
    assert_eq!(budget.committed(), 24 * PAGE as u64);
    span.take_back(lent);
    assert_eq!((span.discarded(), span.committed(), span.resident_bytes()), (5 * PAGE, 29 * PAGE, 24 * PAGE));
    span.undiscard(3 * PAGE, 29 * PAGE).unwrap();
    assert_eq!(budget.committed(), 26 * PAGE as u64);
    drop(span);
    assert_eq!((budget.committed(), budget.reserved()), (0, 0));
}

#[test]
fn steps_are_small_at_first_and_then_double_up_to_the_largest() {
    let mut span = Span::with_steps(0, 1 << 30);
    assert_eq!((span.fixed_step(), span.reserved()), (None, 0));
    let committed = [
        (0, 0),
        (1, FIRST_STEP),
        (FIRST_STEP, FIRST_STEP),
        (FIRST_STEP + 1, 2 * FIRST_STEP),
        (5 * FIRST_STEP, 8 * FIRST_STEP),
        (HUGE_PAGE, HUGE_PAGE),
        (HUGE_PAGE + 1, 2 * HUGE_PAGE),
        (2 * HUGE_PAGE + 1, 4 * HUGE_PAGE),
        (9 * HUGE_PAGE + 1, 10 * HUGE_PAGE),
    ];
    for (need, expected) in committed {
        span.commit(need).unwrap();
        assert_eq!(span.committed(), expected, "{need}");
    }
    assert_eq!((span.reserved(), span.moves()), (1 << 30, 0));
    let mut span = Span::with_steps(PAGE, 4 * PAGE);
    span.commit(PAGE).unwrap();
    span.commit(4 * PAGE).unwrap();
    assert_eq!((span.reserved(), span.moves()), (4 * PAGE, 0), "just what is reserved");
    // A fixed step, up to the end of what is reserved and not beyond.
    let mut span = Span::with_steps(3 * PAGE, 8 * PAGE);
    assert_eq!(span.fixed_step(), Some(3 * PAGE));
    for (need, expected) in [(1, 3), (3 * PAGE + 1, 6), (6 * PAGE + 1, 8), (8 * PAGE, 8)] {
        span.commit(need).unwrap();
        assert_eq!((span.committed(), span.reserved(), span.moves()), (expected * PAGE, 8 * PAGE, 0), "{need}");
    }
    span.commit(8 * PAGE + 1).unwrap();
    assert_eq!((span.committed(), span.reserved(), span.moves()), (9 * PAGE, 18 * PAGE, 1));
}

/// As much of a step as the limit leaves, down to what is needed; then an error, and nothing has changed.
#[test]
fn step_shrinks_to_what_the_limit_leaves() {
    let budget = budget!(24 * PAGE);
    let mut span = Span::with_steps(0, 1 << 30).charged_to(budget);
    budget.charge(10 * PAGE as u64).unwrap();
    span.commit(2 * PAGE).unwrap(); // 16, then 2 + 14 / 2
    assert_eq!((span.committed(), span.room()), (9 * PAGE, 5 * PAGE));
    span.commit(11 * PAGE).unwrap(); // 16, then 11 + 5 / 2
    assert_eq!((span.committed(), span.room()), (13 * PAGE, PAGE));
    let error = span.commit(15 * PAGE).unwrap_err();
    assert_eq!(error.status(), Status::MemoryLimit);
    assert_eq!((span.committed(), span.room()), (13 * PAGE, PAGE));
    span.commit(14 * PAGE).unwrap();
    assert_eq!((span.committed(), span.room(), budget.committed()), (14 * PAGE, 0, 24 * PAGE as u64));
    drop(span);
    assert_eq!((budget.committed(), budget.reserved()), (10 * PAGE as u64, 0));
}

#[test]
fn huge_pages_are_asked_for_above_the_first_and_reach_to_the_end() {
    let mut span = Span::with_steps(0, 3 * HUGE_PAGE);
    span.pages = Pages::Huge { slow: 0 };
    span.commit(1).unwrap();
    assert_eq!(span.seams, [HUGE_PAGE]);
    assert_eq!(flags(span.base + HUGE_PAGE, span.base + span.reserved), ["hg"]);
    assert_eq!(flags(span.base, span.base + HUGE_PAGE), ["", ""], "what is committed, and the rest");
    // Not where the first is all there is.
    let mut span = Span::with_steps(PAGE, HUGE_PAGE);
    span.pages = Pages::Huge { slow: 0 };
    span.commit(1).unwrap();
    assert_eq!((span.reserved, span.seams.len()), (HUGE_PAGE, 0));
}

/// Seams are where the kernel has separate mappings: pages move one mapping at a time, so each must be one.
#[test]
fn seams_of_a_span_that_moved_are_where_it_was_committed_to() {
    let mut span = Span::with_steps(PAGE, 4 * PAGE);
    span.pages = Pages::Unasked;
    span.commit(3 * PAGE).unwrap();
    assert_eq!(span.seams, [0; 0]);
    span.commit(span.reserved + 1).unwrap();
    assert_eq!(span.seams, [3 * PAGE]);
    span.commit(10 * PAGE).unwrap();
    span.commit(span.reserved + 1).unwrap();
    assert_eq!((span.seams.as_slice(), span.moves()), ([3 * PAGE, 10 * PAGE].as_slice(), 2));
}

#[test]
fn bytes_move_down_over_themselves() {
    let mut span = Span::with_steps(PAGE, 4 * PAGE);
    span.commit(2 * PAGE).unwrap();
    let written: Vec<u8> = (0..100).collect();
    span.write(60, &written);
    span.move_down(60, 10, 100);
    assert_eq!(span.slice(10, 100), written);
    assert_eq!(span.slice(110, 50), &written[50..]);
    span.move_down(10, 10, 100);
    assert_eq!(span.slice(10, 100), written);
}

#[test]
fn bytes_that_are_not_at_hand_are_not_touched() {
    let mut span = Span::with_steps(PAGE, 8 * PAGE);
    let refused = |span: &Span, offset, size| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| span.slice(offset, size).len())).is_err()
    };
    assert!(refused(&span, 0, 0), "nothing is reserved");
    span.commit(4 * PAGE).unwrap();
    let lent = span.lend(PAGE..3 * PAGE);
    assert_eq!(span.at_hand(), PAGE..3 * PAGE);
    assert!(!refused(&span, PAGE, 2 * PAGE));
    for (offset, size) in [(0, 1), (PAGE - 1, 2), (3 * PAGE, 1), (2 * PAGE, PAGE + 1), (PAGE, usize::MAX)] {
        assert!(refused(&span, offset, size), "{offset}, {size}");
    }
    span.take_back(lent);
    assert!(!refused(&span, 0, 4 * PAGE));
}

#[test]
fn trim_keeps_whole_steps_at_the_bottom() {
    let budget = budget!(u64::MAX);
    for (step, unit) in [(0, FIRST_STEP), (PAGE, PAGE)] {
        let mut span = Span::with_steps(step, 1 << 30).charged_to(budget);
        span.commit(4 * FIRST_STEP).unwrap();
        for (keep, how, left) in [
            (4 * FIRST_STEP, Trim::Hard, 4 * FIRST_STEP),
            (2 * FIRST_STEP + 1, Trim::Soft, 4 * FIRST_STEP),
            (2 * FIRST_STEP + 1, Trim::Hard, 2 * FIRST_STEP + unit),
            (usize::MAX, Trim::Hard, 2 * FIRST_STEP + unit),
            (1, Trim::Hard, unit),
            (0, Trim::Hard, 0),
        ] {
            span.trim(keep, how);
            assert_eq!((span.committed(), budget.committed()), (left, left as u64), "step {step}, keep {keep}");
        }
    }
}

/// Bytes at the bottom that were given away get memory again at the cost of what lies above the need.
#[test]
fn what_was_discarded_comes_back_within_the_memory_that_there_is() {
    let budget = budget!(10 * PAGE);
    let mut span = Span::with_steps(PAGE, 64 * PAGE).charged_to(budget);
    span.commit(10 * PAGE).unwrap();
    span.slice_mut(0, 10 * PAGE).fill(7);
    let mut lent = span.lend(6 * PAGE..7 * PAGE);
    lent.discard_first(6 * PAGE);
    span.take_back(lent);
    assert_eq!((span.discarded(), span.committed(), budget.committed()), (6 * PAGE, 10 * PAGE, 4 * PAGE as u64));
    // The same number of bytes, lower down.
    span.undiscard(4 * PAGE, 7 * PAGE).unwrap();
    assert_eq!((span.discarded(), span.committed(), budget.committed()), (4 * PAGE, 8 * PAGE, 4 * PAGE as u64));
    assert!(span.slice(4 * PAGE, 2 * PAGE).iter().all(|byte| *byte == 0));
    assert!(span.slice(6 * PAGE, 2 * PAGE).iter().all(|byte| *byte == 7));
    budget.set_limit(12 * PAGE as u64);
    span.commit(10 * PAGE).unwrap();
    assert!(span.slice(8 * PAGE, 2 * PAGE).iter().all(|byte| *byte == 0), "what lay above was given back");
    span.trim(8 * PAGE, Trim::Hard);
    budget.set_limit(10 * PAGE as u64);
    // All of it: four pages more.
    span.undiscard(0, 8 * PAGE).unwrap();
    assert_eq!((span.discarded(), span.committed(), budget.committed()), (0, 8 * PAGE, 8 * PAGE as u64));
    // More than the limit has: an error, and nothing has changed.
    let mut lent = span.lend(6 * PAGE..8 * PAGE);
    lent.discard_first(6 * PAGE);
    span.take_back(lent);
    budget.charge(7 * PAGE as u64).unwrap();
    assert_eq!(span.undiscard(0, 8 * PAGE).unwrap_err().status(), Status::MemoryLimit);
    assert_eq!((span.discarded(), span.committed(), budget.committed()), (6 * PAGE, 8 * PAGE, 9 * PAGE as u64));
    budget.refund(7 * PAGE as u64);
}

/// Twice what is needed and no less than at first; close to the cap, an eighth more than is needed.
#[test]
fn reservation_is_as_large_as_is_reasonable() {
    let budget = budget!(u64::MAX);
    let mut span = Span::with_steps(PAGE, 4 * PAGE).charged_to(budget);
    let size = |span: &Span, need| {
        let (base, size) = span.reserve(need).unwrap();
        os::release(base, size);
        size
    };
    assert_eq!(size(&span, PAGE), 4 * PAGE);
    assert_eq!(size(&span, 3 * PAGE + 1), 8 * PAGE);
    budget.add_reserved(RESERVE_CAP as u64 - 20 * PAGE as u64);
    if os::address_space_left().is_none() {
        assert_eq!(size(&span, 16 * PAGE), 20 * PAGE, "the cap");
        budget.add_reserved(20 * PAGE as u64);
        assert_eq!(size(&span, 16 * PAGE), 18 * PAGE, "an eighth more");
        budget.remove_reserved(20 * PAGE as u64);
    }
    budget.remove_reserved(RESERVE_CAP as u64 - 20 * PAGE as u64);
    span.step = 0;
    assert_eq!(size(&span, 1), 2 * HUGE_PAGE, "whole huge pages");
    span.commit(1).unwrap();
    assert_eq!(size(&span, PAGE), 2 * span.reserved);
}

#[test]
fn a_span_reserves_64_gib_at_first_unless_the_environment_says_otherwise() {
    let first = Span::new().unwrap().first_reserve;
    assert_eq!(first, settings().unwrap().reserve.map_or(68_719_476_736, |n| n as usize));
}

#[test]
fn address_space_is_given_back_after_each_move() {
    in_child("address_space_is_given_back_after_each_move", || {
        let before = address_space();
        let mut span = Span::with_steps(0, 1 << 30);
        span.commit(256 << 20).unwrap();
        while span.moves() < 3 {
            span.commit(span.reserved + 1).unwrap();
            span.trim(256 << 20, Trim::Hard);
        }
        let taken = address_space() - before;
        assert!(taken < span.reserved + (64 << 20), "{taken} bytes, of which {} are reserved", span.reserved);
        // Page by page, too.
        let (base, reserved) = span.reserve(256 << 20).unwrap();
        span.account.settle(base, reserved);
        span.copy_pages_to(base, 0, span.committed).unwrap();
        os::release(span.base + span.committed, span.reserved - span.committed);
        (span.base, span.reserved) = (base, reserved);
        let taken = address_space() - before;
        assert!(taken < span.reserved + (64 << 20), "{taken} bytes, of which {} are reserved", span.reserved);
        drop(span);
        let left = address_space() - before;
        assert!(left < 64 << 20, "{left} bytes are left");
    });
}

#[test]
fn limit_of_address_space_leaves_most_of_it_to_others() {
    in_child("limit_of_address_space_leaves_most_of_it_to_others", || {
        let had = address_space();
        if had > 1 << 40 {
            return; // a sanitizer's
        }
        let left = 8 << 30;
        let most = (had + left) as u64;
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: reads the struct that it is given.
        if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } != 0 {
            return; // this process has a lower limit already
        }
        let span = Span::with_steps(PAGE, 64 << 30);
        let near = |size: usize, expected: usize| size.abs_diff(expected) < 64 << 20;
        let (base, size) = span.reserve(1).unwrap();
        assert!(near(size, left / 8), "{size} bytes");
        os::release(base, size);
        // What is needed is reserved, with an eighth more where that is to be had.
        let (base, size) = span.reserve(4 << 30).unwrap();
        assert!(near(size, 9 << 29), "{size} bytes");
        os::release(base, size);
        let need = left - (256 << 20);
        let (base, size) = span.reserve(need).unwrap();
        assert_eq!(size, need);
        os::release(base, size);
        assert_eq!(span.reserve(left + (64 << 20)).unwrap_err().status(), Status::OutOfMemory);
    });
}
