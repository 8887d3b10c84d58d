//! Pointers that hold a function which no source names.

use std::process::Command;

use crate::common::{Scratch, flags};

const LAWS: &str = "
typedef struct { double (*f)(double); } law;
static const double table[4] = {0.1, 0.2, 0.3, 0.4};
static double looked_up(double x) { return table[(int)x & 3]; }
void init(law *l) { l->f = looked_up; }
static double applied(const law *l, double x) { return l->f(x); }
void direct(const law *l, const double *x, double *y) { y[0] = l->f(x[0]); y[1] = x[0] * x[0]; }
void within(const law *l, const double *x, double *y) { y[0] = applied(l, x[0]); y[1] = x[0] * x[0]; }
";

const LAWS_DRIVER: &str = "
void init(law *l);
static double square(double x) { return x * x; }
int main(int argc, char **argv) {
    law l;
    double x[1] = {3}, x_b[1] = {0}, y[2], y_b[2] = {1, 1};
    init(&l);
    if (argc > 2) l.f = square;
    if (argv[1][0] == 'd') DIRECT(&l, x, x_b, y, y_b); else WITHIN(&l, x, x_b, y, y_b);
    return 0;
}
";

/// Also where the functions that the sources name have no derivative, so that the program's own text would do.
#[test]
fn function_that_no_source_names_stops_the_program() {
    let folder = Scratch::new("laws");
    folder.write("model.c", LAWS);
    for (mode, suffix) in [("adjoint", "b"), ("tangent", "d")] {
        let names =
            format!("#define DIRECT direct_{suffix}\n#define WITHIN within_{suffix}\n#include \"model_{suffix}.h\"\n");
        folder.write("driver.c", &(names + LAWS_DRIVER));
        let succeeds = |command: &mut Command| {
            let output = command.current_dir(&folder.0).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
        succeeds(command.args([mode, "model.c", "--head", "direct(y)/(x) within(y)/(x)"]));
        let sources = ["driver.c".to_string(), format!("model_{suffix}.c")];
        succeeds(Command::new("gcc").args(sources).args(["-o", "driver"]).args(flags()));
        for which in ["direct", "within"] {
            let run = |args: &[&str]| Command::new(folder.0.join("driver")).args(args).output().unwrap();
            assert!(run(&[which]).status.success(), "{mode} {which}");
            let stopped = run(&[which, "unnamed"]);
            let said = String::from_utf8_lossy(&stopped.stderr);
            assert!(
                said.contains("'f' is none of the functions that the sources name there"),
                "{mode} {which}: {said}"
            );
            assert_eq!(stopped.status.code(), None, "{mode} {which}");
        }
    }
}
