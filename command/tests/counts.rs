//! Whether what generation takes grows with a program: blocks of memory that are asked for, and the most bytes at once.
//! Both are counted, so no other program on the machine has a part in them. `scripts/growth.sh` counts instructions where
//! the front end asks for no memory. The test is alone in its file, because it counts for all of its process.

#![allow(unsafe_code)]

#[path = "../../generator/tests/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{self, Choices};
use common::Scratch;

static BLOCKS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static MOST_BYTES: AtomicU64 = AtomicU64::new(0);

struct Counted;

// SAFETY: every call goes to the system's allocator with the arguments of its caller.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BLOCKS.fetch_add(1, Relaxed);
        let bytes = layout.size() as u64;
        MOST_BYTES.fetch_max(BYTES.fetch_add(bytes, Relaxed) + bytes, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The blocks and the most bytes that the adjoint of a program takes.
fn taken(folder: &Scratch, text: &str, head: &str) -> (u64, u64) {
    let file = folder.write("model.c", text).to_string_lossy().into_owned();
    let heads = [common::head(head)];
    let input = Input {
        passive: Vec::new(),
        trees: Vec::new(),
        files: vec![file],
        arguments: Vec::new(),
        clang: "clang".into(),
        heads: vec![heads[0].proc.clone()],
        without_source: false,
    };
    let (blocks, bytes) = (BLOCKS.load(Relaxed), BYTES.load(Relaxed));
    MOST_BYTES.store(bytes, Relaxed);
    let work = || {
        let program = front::read(&input).expect("C");
        let adjoint = transform::adjoint(&program, &heads, &Choices::default()).expect("an adjoint");
        emit::adjoint(&adjoint, &Options { file: "model_b.c".into(), includes: Vec::new() }).expect("C");
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 30);
        thread.spawn_scoped(scope, work).expect("a thread").join().expect("no fault");
    });
    (BLOCKS.load(Relaxed) - blocks, MOST_BYTES.load(Relaxed) - bytes)
}

/// Loops inside each other.
fn nest(depth: usize) -> String {
    let mut text = String::from("double f(int n, double *x) {\n    double s = 0.0;\n    int c = 0;\n");
    (0..depth).for_each(|k| writeln!(text, "for (int i{k} = 0; i{k} < n; i{k}++) {{").unwrap());
    text + "s += x[i0] * s;\nc++;\n" + &"}".repeat(depth) + "\n    return s * c;\n}\n"
}

/// Loops side by side.
fn row_of_loops(count: usize) -> String {
    let mut text = String::from("double f(int n, double *x) {\n    double s = 0.0;\n");
    for k in 0..count {
        writeln!(
            text,
            "    for (int i = 0; i < n; i++) {{\n        s += x[i] * x[i];\n        x[i] = s * {k}.5;\n    }}"
        )
        .unwrap();
    }
    text + "    return s;\n}\n"
}

/// Functions that call each other.
fn calls(depth: usize) -> String {
    let mut text = String::from("static double g0(double x) { return x * x; }\n");
    for k in 1..depth {
        writeln!(text, "static double g{k}(double x) {{ return g{}(x * x) * x; }}", k - 1).unwrap();
    }
    text + &format!("double f(double x) {{ return g{}(x) * x; }}\n", depth - 1)
}

/// `if … else if …`
fn choices(count: usize) -> String {
    let arms: Vec<String> = (0..count).map(|k| format!("if (k == {k}) s = s * x * {k}.5;\n")).collect();
    format!("double f(int k, double x) {{\n    double s = x;\n    {}    return s;\n}}\n", arms.join("    else "))
}

/// A product of many factors.
fn product(factors: usize) -> String {
    let factors: Vec<&str> = (0..factors).map(|k| if k % 2 == 0 { "x" } else { "y" }).collect();
    format!("double f(double x, double y) {{\n    return {};\n}}\n", factors.join(" * "))
}

/// A sum of many elements.
fn sum(terms: usize) -> String {
    let terms: Vec<String> = (0..terms).map(|k| format!("x[{}]", k % 50)).collect();
    format!("double f(double *x) {{\n    return {};\n}}\n", terms.join(" + "))
}

/// Statements with several operators each.
fn statements(count: usize) -> String {
    let mut text = String::from("#include <math.h>\ndouble f(double x) {\n    double a = x, b = 1.0;\n");
    for k in 0..count / 2 {
        writeln!(text, "    a = a * b + {k}.5 * exp(-b * b);\n    b = sin(a) / (1.0 + a * a);").unwrap();
    }
    text + "    return a;\n}\n"
}

#[test]
fn twice_the_program_takes_about_twice_as_much() {
    let folder = Scratch::new("counts");
    type Shape = (&'static str, fn(usize) -> String, usize, &'static str, f64);
    // In a nest each loop has the bounds of all around it, and each of a row of loops is compared with those in front.
    let shapes: [Shape; 7] = [
        ("nest", nest, 12, "f(f)/(x)", 4.0),
        ("row of loops", row_of_loops, 24, "f(f)/(x)", 4.0),
        ("calls", calls, 24, "f(f)/(x)", 2.5),
        ("choices", choices, 60, "f(f)/(x)", 2.5),
        ("product", product, 256, "f(f)/(x y)", 2.5),
        ("sum", sum, 256, "f(f)/(x)", 2.5),
        ("statements", statements, 200, "f(f)/(x)", 2.5),
    ];
    // What is made once is no part of it.
    taken(&folder, &product(2), "f(f)/(x y)");
    for (name, shape, size, head, most) in shapes {
        let [few, many] = [size, 2 * size].map(|size| taken(&folder, &shape(size), head).0);
        println!("{name}: {few} and {many} blocks");
        let grown = many as f64 / few as f64;
        assert!(grown < most, "{name}: twice the program takes {grown:.2} times the blocks, {few} and {many}");
    }
    // 1 GB for 20,000 lines.
    let lines = 1000;
    let (_, bytes) = taken(&folder, &statements(lines), "f(f)/(x)");
    println!("{lines} statements: {bytes} bytes");
    assert!(bytes / (lines as u64) < (1 << 30) / 20_000, "{lines} statements take {bytes} bytes at once");
}
