use super::*;
use std::sync::LazyLock;

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
fn span_whose_huge_pages_are_slow_goes_on_with_small_ones_and_keeps_contents() {
    let mut span = Span::with_steps(0, 16 << 20);
    span.commit(3 << 20).unwrap();
    let slow = 2 * SLOW_HUGE_PAGE;
    span.slow_huge_pages = 0;
    for (took, still) in [(slow, true), (Duration::ZERO, true), (slow, true), (slow, false)] {
        span.huge_pages = true;
        span.judge_huge_page(HUGE_PAGE, took);
        assert_eq!(span.huge_pages, still);
    }
    assert_eq!(span.seams.last(), Some(&(2 * HUGE_PAGE)));
    let mut done = 0;
    while done < 40 << 20 {
        span.commit(done + 1).unwrap();
        write(&span, done, (done / PAGE % 251) as u8);
        done += PAGE;
    }
    assert!(span.moves() >= 1);
    for offset in (0..done).step_by(PAGE) {
        assert_eq!(read(&span, offset), (offset / PAGE % 251) as u8);
    }
}

#[test]
fn pages_that_the_kernel_does_not_move_are_copied_also_to_where_it_left_a_hole() {
    let mut span = Span::with_steps(0, 8 << 20);
    span.commit(5 << 20).unwrap();
    for page in 0..(5 << 20) / PAGE {
        write(&span, page * PAGE, (page % 251) as u8);
    }
    let (base, reserved) = span.reserve(8 << 20).unwrap();
    span.budget.add_reserved(reserved as u64);
    span.budget.remove_reserved(span.reserved as u64);
    os::release(base + (1 << 20), 1 << 20);
    span.copy_pages_to(base, 0, span.committed).unwrap();
    os::release(span.base + span.committed, span.reserved - span.committed);
    (span.base, span.reserved) = (base, reserved);
    for page in 0..(5 << 20) / PAGE {
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
    static BUDGET: LazyLock<Budget> = LazyLock::new(|| Budget::new(u64::MAX));
    let budget: &'static Budget = &BUDGET;
    let mut span = Span::with_steps(PAGE, 64 * PAGE);
    span.budget = budget;
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
