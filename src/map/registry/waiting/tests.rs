//! What variables wait for and follow, by example.

#![forbid(unsafe_code)]

use super::*;

fn wait(serial: u64, offset: i64) -> Wait {
    Wait::new(Target::Object(Serial(serial), offset), false)
}

fn waiting_of(waiting: &Waiting, serial: u64, base: u64, bytes: u64) -> Vec<(u64, i64, bool)> {
    let found = waiting.of(Serial(serial), base, bytes).into_iter();
    found.map(|(variable, offset, wait)| (variable, offset, wait.adjoint)).collect()
}

#[test]
fn variable_waits_for_what_it_was_last_restored_to() {
    let waiting = Waiting::new();
    assert!(waiting.is_empty());
    waiting.add(100, wait(1, 8), || ());
    waiting.add(200, wait(1, 16), || ());
    waiting.add(100, wait(2, 0), || ());
    assert_eq!(waiting_of(&waiting, 1, 1 << 40, 8), [(200, 16, false)]);
    assert_eq!(waiting_of(&waiting, 2, 1 << 40, 8), [(100, 0, false)]);
    assert_eq!(waiting.list().len(), 2);
    waiting.forget(100);
    waiting.forget(200);
    waiting.forget(300);
    assert!(waiting.is_empty() && waiting.of(Serial(1), 0, 8).is_empty() && waiting.of(Serial(2), 0, 8).is_empty());
}

#[test]
fn variable_waits_for_whatever_lay_at_an_address() {
    let waiting = Waiting::new();
    for (variable, address) in [(1, 999), (2, 1000), (3, 1007), (4, 1008)] {
        waiting.add(variable, Wait::new(Target::Forward(address), variable == 3), || ());
    }
    assert_eq!(waiting_of(&waiting, 5, 1000, 8), [(2, 0, false), (3, 7, true)]);
    waiting.forget(2);
    waiting.add(3, wait(5, 1), || ());
    assert_eq!(waiting_of(&waiting, 5, 1000, 8), [(3, 1, false)]);
}

#[test]
fn variables_inside_a_dying_range_are_dropped_and_those_beside_it_stay() {
    let waiting = Waiting::new();
    for variable in [92, 100, 108, 116] {
        waiting.add(variable, wait(7, variable as i64), || ());
    }
    waiting.forget_inside(100, 16);
    waiting.forget_inside(92, 0);
    assert_eq!(waiting.list().iter().map(|(variable, _)| *variable).collect::<Vec<_>>(), [92, 116]);
    assert_eq!(waiting.of(Serial(7), 0, 0).len(), 2);
    waiting.forget_inside(u64::MAX - 1, u64::MAX);
    assert_eq!(waiting.list().len(), 2);
}

/// Variables that follow objects, as many as there is room for in the list and more, end as those in the trees do.
#[test]
fn variable_that_follows_is_found_wherever_it_is_kept() {
    for count in [1, RECENT as u64, 3 * RECENT as u64] {
        let waiting = Waiting::new();
        let held = |value: u64| Wait { held: Some(value), ..wait(7, 8) };
        let variable = |i: u64| 1000 + 8 * i;
        waiting.follow((0..count).map(|i| (variable(i), held(i + 1))));
        waiting.follow([(variable(0), Wait { target: Target::Object(Serial(9), 0), ..held(50) })]);
        assert!((0..count).all(|i| waiting.may_have([0, variable(i), 0])) && waiting.waits() == 0, "{count}");
        assert_eq!(waiting.lock().len(), count as usize);
        // One is popped as something else, one lies in memory that ends.
        waiting.forget(variable(count - 1));
        waiting.forget_inside(variable(1), 8);
        // Those that follow the object that is as if it had never been follow its address now, those of another one do not.
        waiting.released(Serial(7), Some(500));
        let left = count.saturating_sub(3) as usize;
        assert_eq!(waiting.lock().followers(400, 200).len(), left, "{count}");
        waiting.released(Serial(9), None);
        assert_eq!(waiting.lock().len(), left);
        (0..count).for_each(|i| waiting.forget(variable(i)));
        assert!(waiting.is_empty() && (0..count).all(|i| !waiting.may_have([0, variable(i), 0])), "{count}");
    }
}
