//! What a program registers: names and places.

use super::*;
use crate::driver::{Registered, Role};
use crate::tape::Section;

fn add(registered: &mut Registered, role: Role, name: Option<&str>, values: &mut [f64]) -> Result<(), Error> {
    registered.add(role, name, Section::of(values)).map(drop)
}

fn refusal(result: Result<(), Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.status(), Status::BadArgument, "{error}");
    error.message().to_owned()
}

#[test]
fn names_are_made_up_by_role_and_each_stands_for_one_variable() {
    let mut values = [[0.0; 2]; 9];
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
    let long = "x".repeat(1001);
    for name in ["", &long] {
        let message = refusal(add(Role::State, Some(name)));
        assert!(message.contains("give 1 to 1000"), "{message}");
    }
    add(Role::Adjoint, Some(&long[1..])).unwrap();
    let names = |variables: Vec<Variable>| variables.iter().map(|v| v.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(registered.state()), ["state-0", "u", "state-2"]);
    assert_eq!(names(registered.adjoints()), ["adjoint-0", &long[1..]]);
    assert_eq!(registered.state_bytes(), 48);
}

#[test]
fn parts_that_overlap_are_refused_with_both_and_neighbours_are_not() {
    let mut values = [0.0; 10];
    let mut registered = Registered::default();
    let start = values.as_ptr() as usize;
    let mut part =
        |from: usize, to: usize| registered.add(Role::State, None, Section::of(&mut values[from..to])).map(drop);
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
