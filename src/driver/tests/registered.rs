//! What a program registers: names, places, and what of it a checkpoint has.

use super::*;
use crate::driver::{Registered, Role};
use crate::tape::Section;

fn add(registered: &mut Registered, role: Role, name: Option<&str>, values: &mut [f64]) -> Result<(), Error> {
    let place = (values.as_ptr() as usize, values.as_ptr_range().end as usize);
    registered.add(role, name, Section::of(values), Some(place))
}

fn refusal(result: Result<(), Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.status(), Status::BadArgument, "{error}");
    error.message().to_owned()
}

#[test]
fn names_are_made_up_by_role_and_each_stands_for_one_variable() {
    let mut values = [[0.0; 2]; 6];
    let mut registered = Registered::default();
    let mut next = values.iter_mut();
    let mut add = |role, name| add(&mut registered, role, name, next.next().unwrap());
    add(Role::State, None).unwrap();
    add(Role::Adjoint, None).unwrap();
    add(Role::State, Some("u")).unwrap();
    add(Role::State, None).unwrap();
    for (role, name) in [(Role::State, "u"), (Role::Adjoint, "state-0")] {
        let message = refusal(add(role, Some(name)));
        assert!(message.contains(name) && message.contains("registered already"), "{message}");
    }
    let names: Vec<_> = registered.state().iter().map(Variable::name).collect();
    assert_eq!(names, ["state-0", "u", "state-2"]);
    assert_eq!(registered.state_bytes(), 48);
}

#[test]
fn parts_that_overlap_are_refused_with_both_and_neighbours_are_not() {
    let mut values = [0.0; 10];
    let mut registered = Registered::default();
    let start = values.as_ptr() as usize;
    let mut part = |from: usize, to: usize| {
        let place = Some((start + 8 * from, start + 8 * to));
        registered.add(Role::State, None, Section::of(&mut values[from..to]), place)
    };
    part(4, 6).unwrap();
    part(1, 4).unwrap();
    part(6, 7).unwrap();
    part(5, 5).unwrap(); // no value, so no overlap
    for (from, to, other, others) in
        [(3, 5, 4, 2), (4, 6, 4, 2), (5, 6, 4, 2), (4, 5, 4, 2), (0, 10, 4, 2), (0, 2, 1, 3)]
    {
        let message = refusal(part(from, to));
        let said = format!(
            "{} bytes at 0x{:x}, overlaps with the {} bytes at 0x{:x}\n",
            8 * (to - from),
            start + 8 * from,
            8 * others,
            start + 8 * other
        );
        assert!(message.contains(&said), "{from}..{to}: {message}");
    }
    part(0, 1).unwrap();
    part(7, 10).unwrap();
    assert_eq!(registered.state_bytes(), 80);
}

#[test]
fn fingerprint_depends_on_the_state_alone() {
    let (mut x, mut adjoint) = ([1.0, 2.0], [3.0]);
    let mut registered = Registered::default();
    add(&mut registered, Role::State, Some("x"), &mut x).unwrap();
    let alone = registered.fingerprint();
    add(&mut registered, Role::Adjoint, Some("xb"), &mut adjoint).unwrap();
    assert_eq!(registered.fingerprint(), alone);
    assert_eq!(alone, fingerprint_of(&[Variable::new("x", &mut [1.0, 2.0])]));
    assert_ne!(alone, fingerprint_of(&[Variable::new("x", &mut [2.0, 1.0])]));
}

#[test]
fn checkpoint_has_the_state_and_the_adjoints() {
    let store = MemoryStore::new();
    let (mut x, mut adjoint) = ([1.0, 2.0], [3.0]);
    let mut registered = Registered::default();
    add(&mut registered, Role::State, Some("x"), &mut x).unwrap();
    add(&mut registered, Role::Adjoint, Some("xb"), &mut adjoint).unwrap();
    let mut checkpoint = CheckpointWriter::create(&store, "run").unwrap();
    registered.write(&mut checkpoint).unwrap();
    checkpoint.commit().unwrap();
    (x, adjoint) = ([0.0; 2], [0.0]);
    assert_eq!((x, adjoint), ([0.0; 2], [0.0]));
    let mut checkpoint = CheckpointReader::open(&store, "run").unwrap();
    registered.read(&mut checkpoint).unwrap();
    checkpoint.expect_end().unwrap();
    assert_eq!((x, adjoint), ([1.0, 2.0], [3.0]));
}
