//! Whether the time of generation grows with a program, and not with its square: four times the lines take less than
//! five times the processor time of `adtape` and of the compilers that it runs. The test is alone in its file, because it
//! measures all children of its process.

#[path = "../../generator/tests/common/mod.rs"]
mod common;

use std::fmt::Write;
use std::process::Command;

use common::Scratch;

/// Lines of the shorter program.
const LINES: usize = 320;

/// Statements of scalars, one behind the other.
fn chain(lines: usize) -> String {
    let mut text = String::from("#include <math.h>\ndouble f(double x) {\n    double a = x;\n");
    for k in 0..lines {
        text += if k % 2 == 0 { "    a = a * x + 0.5;\n" } else { "    a = sin(a);\n" };
    }
    text + "    return a;\n}\n"
}

/// Stores to elements of one array.
fn stores(lines: usize) -> String {
    let mut text = String::from("double f(double *x, double *y) {\n");
    for k in 0..lines {
        writeln!(text, "    x[{}] = x[{}] * y[{}] + x[{}];", k * 7 % 97, k * 5 % 89, k % 13, k % 17).unwrap();
    }
    text + "    return x[0];\n}\n"
}

/// Loops with variables of equal names.
fn loops(lines: usize) -> String {
    let mut text = String::from("double f(int n, double *x, int *t) {\n    double s = 0.0;\n");
    for k in 0..lines / 5 {
        writeln!(text, "    for (int i = {}; i < n; i++) {{\n        int j = t[i] + {k};", k % 3).unwrap();
        text += "        if (x[j] > s) s = s * x[j];\n        x[j] = s + x[i] * x[i];\n    }\n";
    }
    text + "    return s;\n}\n"
}

/// Functions, and a call of each.
fn calls(lines: usize) -> String {
    let mut text = String::new();
    let mut body = String::from("double f(int n, double *x) {\n    double s = 1.0;\n");
    for k in 0..lines / 8 {
        writeln!(text, "static double g{k}(int n, double *x, double a) {{\n    double s = a;").unwrap();
        text += "    for (int i = 1; i < n; i++) {\n        if (x[i] > 1.0) s += x[i] * a;\n";
        text += "        x[i] = s * x[i - 1];\n    }\n    return s;\n}\n";
        writeln!(body, "    s = g{k}(n, x, s);").unwrap();
    }
    text + &body + "    return s;\n}\n"
}

/// Functions of small structs, which are written where they are called.
fn structs(lines: usize) -> String {
    let mut text = String::from("struct v { double x, y; };\n");
    text += "static struct v add(struct v a, struct v b) { struct v c = {a.x + b.x, a.y + b.y}; return c; }\n";
    text += "static struct v mul(struct v a, struct v b) {\n    struct v c;\n    c.x = a.x * b.x - a.y * b.y;\n";
    text += "    c.y = a.x * b.y + a.y * b.x;\n    return c;\n}\n";
    let mut body = String::from("double f(int n, double *x) {\n    double s = 1.0;\n");
    for k in 0..lines / 16 {
        writeln!(text, "static double g{k}(double *x, double s) {{\n    struct v a = {{x[0], s}}, b = {{s, x[1]}};")
            .unwrap();
        text += &"    a = add(mul(a, b), b);\n    b = mul(b, a);\n".repeat(4);
        text += "    x[1] = a.x;\n    return b.y;\n}\n";
        writeln!(body, "    s = g{k}(x, s);").unwrap();
    }
    text + &body + "    return s + n;\n}\n"
}

/// Processor time of all children so far, in ticks of the clock.
fn ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    // Behind the name, which may have blanks: the fields from the third on.
    let fields: Vec<&str> = text.rsplit(')').next().expect("a name").split_whitespace().collect();
    [13, 14].into_iter().map(|at| fields[at].parse::<u64>().expect("a number")).sum()
}

fn generate(folder: &Scratch, text: &str, head: &str) -> u64 {
    folder.write("model.c", text);
    let before = ticks();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    let output = command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", head]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    ticks() - before
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    #[test]
    fn four_times_the_lines_take_less_than_five_times_the_time() {
        let folder = Scratch::new("growth");
        type Shape = (&'static str, fn(usize) -> String, &'static str);
        let shapes: [Shape; 5] = [
            ("chain", chain, "f(f)/(x)"),
            ("stores", stores, "f(f x)/(x y)"),
            ("loops", loops, "f(f x)/(x)"),
            ("calls", calls, "f(f x)/(x)"),
            ("structs", structs, "f(f x)/(x)"),
        ];
        for (name, shape, head) in shapes {
            // Other programs on the machine may disturb one measurement, but not three.
            let measured = |_: &u32| {
                let (few, many) = (generate(&folder, &shape(LINES), head), generate(&folder, &shape(4 * LINES), head));
                println!("{name}: {few} and {many} ticks");
                many < 5 * few
            };
            assert!((0..3).any(|run| measured(&run)), "{name}: the time of generation grows faster than the program");
        }
    }
}
