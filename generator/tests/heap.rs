//! Programs whose blocks outlive the code that makes them: each gradient is that of the tangent, tape and heap are
//! empty, and what is stored is counted.
//!
//! `command/tests/command/programs.rs` runs programs of this kind under `--check`.

mod common;
#[path = "random/prng.rs"]
#[allow(dead_code)]
mod prng;
#[path = "heap/random.rs"]
mod random;

use adtape_generate::emit::{self, Options};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::refuse::Refusal;
use adtape_generate::transform::{Choices, adjoint, tangent};

use common::counted::stored;
use common::generate::{build, run};
use common::{Scratch, head, root};
use std::ops::Range;

/// Program; what one run with n = 40 pushes beside the heap's own records; why.
#[rustfmt::skip]
const STORED: [(&str, &str, &str); 5] = [
    ("first", "280 reals, 0 integers, 0 bits, 0 counts, 123 pointers, 123 blocks", "3 times 40 passes: nothing; 4 stores, of which 2 are second ones; 3, of which 1 is; the pointer; 3 at the end"),
    ("grow", "0 reals, 0 integers, 40 bits, 0 counts, 42 pointers, 1 blocks", "40 passes: whether the buffer grew, where it was; what is cut off goes with realloc"),
    ("list", "40 reals, 0 integers, 0 bits, 2 counts, 121 pointers, 40 blocks", "40 nodes: the head before each, each node of the walk with its value, each that is freed; 1 head"),
    ("rows", "780 reals, 0 integers, 0 bits, 0 counts, 1 pointers, 41 blocks", "each element below the diagonal; the table; contents of rows and table where they are freed"),
    ("tree", "40 reals, 0 integers, 0 bits, 0 counts, 201 pointers, 40 blocks", "81 calls of each function: nodes, children and sums; no value that a node has before its first"),
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

/// The driver of a batch: each adjoint beside its tangent; tape and heap are empty behind it.
const DRIVER: &str = r#"
#include <adtape.h>
#include <math.h>
#include <stdio.h>
#include "model_b.h"
#include "model_d.h"

enum { N = 8 };

static double x[N], x_b[N], x_d[N], w[N];
static int ia[N];

static void begin(void) {
    for (int i = 0; i < N; i++) {
        x[i] = 0.4 + (i * 37 % 64) / 80.0;
        x_d[i] = (i * 29 % 64) / 64.0 - 0.5;
        x_b[i] = w[i] = 0.0;
        ia[i] = i * 5 % 8;
    }
}

static void compare(const char *name, double derivative) {
    double product = 0.0, size = 0.0;
    adtape_stats_t stats;
    adtape_heap_stats_t blocks;
    for (int i = 0; i < N; i++) {
        product += x_b[i] * x_d[i];
        size += fabs(x_b[i] * x_d[i]);
    }
    adtape_stats(adtape_self(), &stats);
    adtape_heap_stats(adtape_heap_self(), &blocks);
    if (!(fabs(product - derivative) <= 1e-12 * size)) printf("%s: %.17g, tangent %.17g\n", name, product, derivative);
    if (stats.bytes != 0) printf("%s: %d bytes left\n", name, (int)stats.bytes);
    if (blocks.blocks != 0) printf("%s: %d blocks left\n", name, (int)blocks.blocks);
}

int main(void) {
    double d;
"#;

/// Makes a batch of random functions and tries those of them that are not refused: how many were right, and refused.
fn batch(seed: u64, tried: Range<usize>) -> (usize, usize) {
    let folder = Scratch::new(&format!("heap-{seed}"));
    let (functions, names) = (tried.len(), tried.clone().map(|k| format!("f_{k}")).collect::<Vec<_>>());
    let model = folder.write("model.c", &random::source(seed, tried.end));
    let input = Input { files: vec![model.to_string_lossy().into_owned()], heads: names.clone(), ..Input::default() };
    let program = front::read(&input).unwrap_or_else(|what| panic!("seed {seed}: {what:#?}"));
    let choices = Choices::default();
    let all: Vec<Head> = names.iter().map(|name| head(&format!("{name}({name})/(x)"))).collect();
    let options = |file: &str| Options { file: file.into(), includes: vec!["model.c".into()] };
    let both = |heads: &[Head]| {
        let reverse = emit::adjoint(&adjoint(&program, heads, &choices)?, &options("model_b.c"))?;
        let forward = emit::tangent(&tangent(&program, heads, &choices)?, &options("model_d.c"))?;
        Ok::<_, Vec<Refusal>>([reverse, forward])
    };
    let alone = |this: &Head| {
        both(std::slice::from_ref(this)).map_err(|what| {
            println!("seed {seed}: {} is refused: {:?}", this.proc, what.first());
        })
    };
    // One function may have all refused.
    let (heads, outputs) = match both(&all) {
        Ok(outputs) => (all, outputs),
        Err(_) => {
            let heads: Vec<Head> = all.into_iter().filter(|this| alone(this).is_ok()).collect();
            if heads.is_empty() {
                return (0, functions);
            }
            let outputs = both(&heads).unwrap_or_else(|what| panic!("seed {seed}: {what:#?}"));
            (heads, outputs)
        }
    };
    let refused = functions - heads.len();
    let mut driver = DRIVER.to_owned();
    for Head { proc: name, .. } in &heads {
        driver += &format!("    begin();\n    {name}_b(N, x, x_b, ia, w, 1.0);\n");
        driver += &format!("    {name}_d(N, x, x_d, ia, w, &d);\n    compare(\"{name}\", d);\n");
    }
    for (name, output) in ["model_b", "model_d"].into_iter().zip(outputs) {
        folder.write(&format!("{name}.c"), &output.source);
        folder.write(&format!("{name}.h"), &output.header);
    }
    folder.write("driver.c", &(driver + "    return 0;\n}\n"));
    let allow = "-Wl,--allow-multiple-definition";
    // Programs that run once are compiled without optimisation.
    build(&folder, "gcc", &["-O0", "-w", allow, "-o", "t", "driver.c", "model_d.c", "model_b.c"]);
    let said = run(&folder, "t");
    assert!(said.is_empty(), "seed {seed}:\n{said}");
    (heads.len(), refused)
}

/// `HEAP_PROGRAMS` is how many, `HEAP_SEED` the first seed: up to 16 a seed. `make heap-programs` runs 10,000.
#[test]
fn random_programs_on_the_heap_have_the_derivatives_of_their_tangents() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (programs, first) = (number("HEAP_PROGRAMS", 4), number("HEAP_SEED", 1));
    let (mut right, mut refused, mut left) = (0, 0, programs as usize);
    for seed in first.. {
        if left == 0 {
            break;
        }
        let functions = left.min(16);
        left -= functions;
        let (more, less) = batch(seed, 0..functions);
        (right, refused) = (right + more, refused + less);
        println!("seed {seed}: {right} right so far");
    }
    println!("{right} right, {refused} refused, 0 wrong");
    assert!(50 * refused <= right + refused, "{refused} of {} are refused", right + refused);
}

/// The tangent of all was refused in the first; in the second, one that is refused stopped the generator.
#[test]
fn batches_that_failed_once_are_right() {
    for (seed, tried, refusals) in [(74, 0..16, 0), (278, 6..9, 1)] {
        assert_eq!(batch(seed, tried.clone()), (tried.len() - refusals, refusals), "seed {seed}");
    }
}
