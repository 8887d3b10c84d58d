//! Repeat regions over tapes that lend, or are in a store.

use super::*;

#[test]
fn piece_that_comes_to_the_top_needs_nothing_that_is_lent() {
    let _alone = idle::alone();
    let mut machine = machine_in_steps(PAGE);
    machine.push(&vec![0; 60 * PAGE]).unwrap();
    machine.discard_to(10);
    machine.start();
    machine.pop(&mut [0; 5]).unwrap();
    machine.push(&[1, 2, 3]).unwrap();
    machine.lend_idle(0);
    assert_eq!(machine.span.at_hand(), 0..17 * PAGE);
    machine.pop(&mut [0; 3]).unwrap();
    machine.make_contiguous(5).unwrap();
    assert!(machine.span.has_lent() && machine.contiguous() == 5);
}

/// After a reset the top may lie where the store has what follows it, and a push goes on there.
#[test]
fn push_after_a_reset_into_what_was_spilled_brings_its_page_back() {
    let _alone = idle::alone();
    for rest in [0, 100] {
        let (mut machine, shelf) = short_of_memory(budget!(20 * PAGE));
        push_pages(&mut machine, 0..10);
        machine.push(&page(10)[..rest]).unwrap();
        machine.start();
        for number in 100..160 {
            machine.push(&page(number)).unwrap();
        }
        assert!(machine.span().discarded() > 11 * PAGE);
        machine.reset().unwrap();
        assert_eq!(machine.contiguous(), 0);
        assert_eq!(cursor(&machine).2, None, "no room before the page is back");
        // Pops need a page to bring the rest back, which a trim leaves.
        machine.trim(Trim::Hard);
        assert_eq!(machine.span().committed(), machine.span().discarded() + PAGE);
        if rest > 0 {
            shelf.fail(true);
            assert_eq!(machine.push(&[1; 10]).unwrap_err().status(), Status::Io);
            shelf.fail(false);
        }
        machine.push(&[1; 10]).unwrap();
        assert_eq!(machine.span().discarded(), 10 * PAGE);
        let mut found = vec![0; 10 + rest];
        machine.pop(&mut found).unwrap();
        assert!(found == [&page(10)[..rest], &[1; 10]].concat());
        pop_pages(&mut machine, 0..10);
        machine.reset().unwrap();
        machine.end().unwrap();
        machine.discard_to(10 * PAGE);
        pop_pages(&mut machine, 0..10);
    }
}

/// What is popped in a region stays in memory up to where pushes may go on, so a region ends where that does not fit.
#[test]
fn region_over_a_spilled_tape_pops_what_fits_and_says_so() {
    let _alone = idle::alone();
    let (mut machine, _) = short_of_memory(budget!(20 * PAGE));
    push_pages(&mut machine, 0..60);
    machine.start();
    let mut popped = 0;
    let error = loop {
        let len = machine.len();
        match machine.pop(&mut [0; PAGE]) {
            Ok(()) => popped += 1,
            Err(error) => {
                assert_eq!(machine.len(), len);
                break error;
            }
        }
        assert!(popped < 60);
    };
    assert_eq!(error.status(), Status::MemoryLimit);
    assert!((10..=20).contains(&popped), "{popped} pages");
    machine.reset().unwrap();
    machine.end().unwrap();
    pop_pages(&mut machine, 0..60);
}
