//! Programs whose blocks outlive the code that makes them: each gradient is that of the tangent, tape and heap are
//! empty, and what is stored is counted.
//!
//! `command/tests/programs.rs` runs programs of this kind under `--check`.

mod common;

use adtape_generate::transform::Choices;

use common::counted::stored;
use common::root;

/// Program; what one run with n = 40 pushes beside the heap's own records; why.
#[rustfmt::skip]
const STORED: [(&str, &str, &str); 3] = [
    ("list", "40 reals, 0 integers, 0 bits, 2 counts, 121 pointers, 40 blocks", "40 nodes: the head before each, each node of the walk with its value, each that is freed; 1 head"),
    ("rows", "780 reals, 0 integers, 0 bits, 0 counts, 1 pointers, 41 blocks", "each element below the diagonal; the table; contents of rows and table where they are freed"),
    ("tree", "80 reals, 0 integers, 0 bits, 0 counts, 201 pointers, 40 blocks", "81 calls of each function: nodes, children and sums"),
];

#[test]
fn programs_on_the_stable_heap_store_what_they_did() {
    let mut wrong = String::new();
    for (name, expected, why) in STORED {
        let said = stored(&root().join(format!("generator/tests/heap/{name}.c")), &Choices::default());
        if said != expected {
            wrong += &format!("{name}: {said}, not {expected} ({why})\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
