//! The fast paths of the Rust API whose instructions are counted; see `paths.c` beside this file for how.

use adtape::Tape;
use std::hint::black_box;

const FEW: usize = 100;
const MANY: usize = 600;

/// A function that runs an operation `n` times, and that callgrind finds by its name.
macro_rules! paths {
    ($($name:ident: |$tape:ident, $i:ident| $operation:expr;)*) => {$(
        #[inline(never)]
        #[unsafe(no_mangle)]
        extern "C" fn $name($tape: &Tape, n: usize) {
            for $i in 0..n {
                $operation
            }
        }
    )*};
}

paths! {
    rust_push_f64_fast_path: |tape, i| tape.push(black_box(i as f64)).unwrap();
    rust_pop_f64_fast_path: |tape, _i| { black_box(tape.pop::<f64>().unwrap()); };
    rust_push_control_fast_path: |tape, i| tape.push_control(i as u64, 1).unwrap();
    rust_pop_control_fast_path: |tape, _i| { black_box(tape.pop_control(1).unwrap()); };
}

fn run(tape: &Tape, push: extern "C" fn(&Tape, usize), pop: extern "C" fn(&Tape, usize)) {
    for n in [MANY + 1, FEW, MANY] {
        push(tape, n);
        pop(tape, n);
    }
}

fn main() {
    let tape = Tape::new().expect("a tape");
    run(&tape, rust_push_f64_fast_path, rust_pop_f64_fast_path);
    run(&tape, rust_push_control_fast_path, rust_pop_control_fast_path);
}
