//! What is recorded, compared and said.

use super::*;
use crate::error::Status;

fn load(ty: Type, count: u64) -> Load {
    Load { ty, count }
}

fn pop(watch: &mut Watch, load: Load, bytes: &[u8], site: Site) -> Result<(), Error> {
    let met = watch.meet(load, site)?.expect("check mode meets a push");
    watch.compare(met, bytes, load, site)?;
    watch.popped(Some(met), load, 8 * bytes.len() as u64, 0, site);
    Ok(())
}

fn checked() -> Watch {
    Watch::new(Span::new().unwrap(), true)
}

#[test]
fn pop_of_another_count_or_type_is_a_mismatch_and_takes_nothing_off() {
    let mut watch = checked();
    watch.push(load(Type::F64, 10), 80, Site::UNKNOWN, 0).unwrap();
    watch.see(&[7; 80]);
    for (ty, count) in [(Type::F64, 9), (Type::F64, 11), (Type::F64, 10 + (1 << 40)), (Type::I64, 10), (Type::F64, 1)] {
        let error = pop(&mut watch, load(ty, count), &[7; 80], Site::UNKNOWN).unwrap_err();
        assert_eq!(error.status(), Status::Mismatch, "{count} of {}", ty.name());
        assert!(error.message().contains("pushed: 10 values of f64"), "{error}");
    }
    pop(&mut watch, load(Type::F64, 10), &[7; 80], Site::UNKNOWN).unwrap();
    assert_eq!(watch.left(), None);
    let error = pop(&mut watch, load(Type::F64, 10), &[7; 80], Site::UNKNOWN).unwrap_err();
    assert!(error.message().contains("nothing that is not popped yet"), "{error}");
}

#[test]
fn value_that_changed_on_the_tape_is_an_error() {
    let mut watch = checked();
    for size in [1, 4, 8, 16, 24, 64, 4096] {
        let load = load(Type::Bytes, size as u64);
        let mut value = vec![3; size];
        watch.push(load, size, Site::UNKNOWN, 0).unwrap();
        watch.see(&value);
        value[size - 1] ^= 0x40;
        let error = pop(&mut watch, load, &value, Site::UNKNOWN).unwrap_err();
        assert!(error.message().contains("is not what was pushed"), "{error}");
        value[size - 1] ^= 0x40;
        pop(&mut watch, load, &value, Site::UNKNOWN).unwrap();
    }
}

#[test]
fn error_says_what_was_done_before_and_what_would_be_next() {
    let mut watch = checked();
    for ty in [Type::I8, Type::I16, Type::I32, Type::I64, Type::F32] {
        watch.push_known(load(ty, 1), 5, 64, Site::caller()).unwrap();
    }
    let error = watch.meet(load(Type::F64, 1), Site::caller()).err().expect("a mismatch");
    let lines: Vec<&str> = error.message().lines().collect();
    let at = |i: usize, start: &str| assert!(lines[i].trim_start().starts_with(start), "line {i} of\n{error}");
    at(4, "before: pushed one i32 at ");
    at(5, "pushed one i64 at ");
    at(6, "pushed one f32 at ");
    at(7, "next:   pushed one i64 at ");
    at(9, "pushed one i16 at ");
    assert_eq!(lines.len(), 10, "{error}");
}

#[test]
fn mismatch_says_which_pop_is_missing_and_what_took_the_push_until_now() {
    let mut watch = checked();
    let (real, number) = (load(Type::F64, 1), load(Type::I32, 1));
    let (reals, numbers) = (Site::caller(), Site::caller());
    for turn in 0..2 {
        watch.push_known(real, 5, 64, reals).unwrap();
        watch.push_known(number, 5, 32, numbers).unwrap();
        if turn == 0 {
            for load in [number, real] {
                let met = watch.meet(load, Site::UNKNOWN).unwrap();
                watch.popped(met, load, 64, 0, Site::UNKNOWN);
            }
        }
    }
    let error = watch.meet(real, Site::caller()).err().expect("a mismatch");
    let until_now = "until now what is pushed there was popped at an unknown place";
    let missing = format!("the pop fits the push beneath, at {reals}: is a pop of one i32 missing before it?");
    for line in [until_now, &missing] {
        assert!(error.message().contains(line), "{line} in {error}");
    }
    let error = checked().meet(real, Site::UNKNOWN).err().expect("nothing was pushed");
    assert!(error.message().contains("nothing on this tape, ever"), "{error}");
}

#[test]
fn what_is_left_is_said_by_place() {
    let mut watch = checked();
    watch.push_known(load(Type::Control, 2), 1, 2, Site::UNKNOWN).unwrap();
    for _ in 0..3 {
        watch.push_known(load(Type::F64, 1), 1, 64, Site::UNKNOWN).unwrap();
    }
    let left = watch.left().unwrap();
    assert_eq!(
        left,
        "the last push without its pop: one f64 at an unknown place, 3 times\n  and 2 control bits at an unknown place"
    );
}
