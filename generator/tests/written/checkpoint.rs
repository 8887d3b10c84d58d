//! Loops that run again from snapshots: right whatever their state is, as the sweeps that store all, and in bounded
//! memory; refused where the state is not found.

use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::ir::Program;
use adtape_generate::plan::again::Named;
use adtape_generate::replay::Verdict;
use adtape_generate::transform::{Choices, adjoint};

use crate::common::counted::stored;
use crate::common::{Scratch, each, generate, head, root};

/// What one run with n = 40 pushes in both sweeps together; each pointer is the handle of a loop, or leads to
/// a block of the stable heap.
#[rustfmt::skip]
const STORED: [(&str, &str, &str); 17] = [
    ("array_that_is_advanced", "205 reals, 0 integers, 0 bits, 0 counts, 1 pointers", "40 passes: 5; the 5 at the end"),
    ("block_beside_a_list", "23 reals, 0 integers, 0 bits, 1 counts, 9 pointers, 4 blocks", "23 passes: 1; how many nodes; the walk along them"),
    ("begun_by_choice", "1 reals, 0 integers, 0 bits, 0 counts, 1 pointers", "s at the end"),
    ("blocks_globals_and_structs", "345 reals, 0 integers, 0 bits, 0 counts, 1 pointers", "23 passes: 15, as in a sweep that stores all"),
    ("buffers_that_change_places", "256 reals, 2 integers, 4 bits, 0 counts, 1 pointers", "40 passes: 6 inside; the 16 at the end; two pointers behind the loop, each with its buffer"),
    ("conjugate_gradients", "66 reals, 0 integers, 0 bits, 0 counts, 1 pointers", "5 passes: 6 squares, 6 directions; the 6 at the end"),
    ("left_early", "10 reals, 0 integers, 0 bits, 1 counts, 1 pointers", "4 passes: 2; 2 at the end; how many there were"),
    ("no_pass", "20 reals, 0 integers, 0 bits, 0 counts, 3 pointers", "6 passes: 2; in each call what it overwrites; two results"),
    ("planes_of_arguments", "156 reals, 0 integers, 0 bits, 0 counts, 3 pointers", "8 passes, twice: the 12 inner elements; 10 passes: 6"),
    ("read_before_later_write", "5 reals, 0 integers, 0 bits, 1 counts, 1 pointers", "in no pass; what follows the loop"),
    ("scratch_arrays", "552 reals, 0 integers, 0 bits, 0 counts, 5 pointers", "40 passes of 10 to 24; 6 of halve and 6 at the end; what passes fill several times is in snapshots"),
    ("state_behind_pointers", "201 reals, 0 integers, 0 bits, 0 counts, 1 pointers", "20 passes: 7 inside, the sum, two of the bath; s"),
    ("structs_and_planes", "102 reals, 40 integers, 0 bits, 0 counts, 4 pointers", "in each pass of four loops what it overwrites and needs; the ages; the seeds"),
    ("tested_behind_the_pass", "2 reals, 0 integers, 0 bits, 1 counts, 1 pointers", "in no pass; the result reads 2; how many there were"),
    ("two_loops_in_a_call", "220 reals, 0 integers, 0 bits, 0 counts, 8 pointers", "26 passes, twice: 4; in each call 1 in all passes, and u[k]"),
    ("until_it_is_small", "17 reals, 0 integers, 0 bits, 1 counts, 1 pointers", "13 passes: 1; 4 at the end; how many there were"),
    ("written_in_one_arm", "328 reals, 0 integers, 320 bits, 0 counts, 1 pointers", "40 passes: 8, and which arm; the 8 at the end"),
];

#[test]
fn states_of_every_kind_come_back() {
    each(&STORED, |(name, expected, why)| {
        let source = root().join(format!("generator/tests/checkpoint/{name}.c"));
        assert_eq!(stored(&source, &Choices::default()), *expected, "{name}: {why}");
    });
}

/// A program with a loop of `steps` passes, whose number it may know or not.
const MODEL: &str = "\
double model(int n, int steps, int known, double *u, const double *rates) {
    double drift = 0.0, sum = 0.0;
    if (known) {
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++) {
                u[i] = u[i] + rates[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.01 * u[i] * drift;
            }
            drift = 0.5 * drift + u[n / 2];
        }
    } else {
        int k = 0;
        while (k < steps) {
            for (int i = 1; i < n - 1; i++) {
                u[i] = u[i] + rates[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.01 * u[i] * drift;
            }
            drift = 0.5 * drift + u[n / 2];
            k = drift > 1e300 ? steps : k + 1;
        }
    }
    for (int i = 0; i < n; i++) {
        sum += u[i] * u[i];
    }
    return sum + drift;
}
";

/// Prints the bits of the gradient, for the numbers of steps among the arguments.
const DRIVER: &str = "\
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <adtape.h>
#include \"model_b.h\"
int main(int argc, char **argv) {
    enum { N = 12 };
    struct rusage use;
    adtape_stats_t stats;
    for (int k = 2; k < argc; k++) {
        double u[N], u_b[N] = {0.0}, rates[N], rates_b[N] = {0.0};
        for (int i = 0; i < N; i++) u[i] = 0.1 * i * (N - i), rates[i] = 0.1 + 0.01 * i;
        model_b(N, atoi(argv[k]), atoi(argv[1]), u, u_b, rates, rates_b, 1.0);
        for (int i = 0; i < N; i++) {
            uint64_t bits[2];
            memcpy(&bits[0], &u_b[i], 8), memcpy(&bits[1], &rates_b[i], 8);
            printf(\"%016\" PRIx64 \" %016\" PRIx64 \"\\n\", bits[0], bits[1]);
        }
        adtape_stats(adtape_self(), &stats);
        if (stats.bytes != 0) printf(\"%d bytes left\\n\", (int)stats.bytes);
    }
    getrusage(RUSAGE_SELF, &use);
    fprintf(stderr, \"%ld\\n\", use.ru_maxrss);
    return 0;
}
";

fn read(folder: &Scratch, file: &str, text: &str, head: &str) -> Program {
    let file = folder.write(file, text).to_string_lossy().into_owned();
    front::read(&Input { files: vec![file], heads: vec![head.into()], ..Input::default() }).expect("C")
}

/// Builds the model with so many snapshots, none for 0; the program.
fn built(folder: &Scratch, snapshots: u32) -> String {
    let program = read(folder, "plain.c", MODEL, "model");
    let loops = ["model:t", "model:k"].map(|name| (Named::parse(name), snapshots));
    let checkpoints = if snapshots > 0 { loops.to_vec() } else { Vec::new() };
    let choices = Choices { checkpoints, ..Choices::default() };
    let sweeps = adjoint(&program, &[head("model(model)/(u rates)")], &choices).expect("sweeps");
    assert_eq!(sweeps.sweeps[0].plan.snapshots.len(), if snapshots > 0 { 2 } else { 0 });
    let options = Options { file: "model_b.c".into(), includes: vec!["plain.c".into()] };
    let output = emit::adjoint(&sweeps, &options).expect("text");
    folder.write("model_b.c", &output.source);
    folder.write("model_b.h", &output.header);
    folder.write("driver.c", DRIVER);
    let name = format!("t{snapshots}");
    let said = generate::build(folder, "gcc", &["-O1", "-Wconversion", "-o", &name, "model_b.c", "driver.c"]);
    assert_eq!(said, "", "warnings");
    name
}

fn said(folder: &Scratch, program: &str, arguments: &[&str]) -> (String, u64) {
    let run = Command::new("timeout").arg("60").arg(folder.0.join(program)).args(arguments).output().expect("it runs");
    assert!(run.status.success(), "{program} {arguments:?}: {run:?}");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (text(&run.stdout), text(&run.stderr).parse().expect("kB"))
}

#[test]
fn gradients_have_the_bits_of_those_that_store_all_whatever_the_number_of_snapshots() {
    let folder = Scratch::new("checkpoint-bits");
    let steps = ["0", "1", "2", "7", "100"];
    let arguments = |known| -> Vec<&str> { [known].into_iter().chain(steps).collect() };
    let all = built(&folder, 0);
    let expected = said(&folder, &all, &arguments("1")).0;
    assert_eq!(said(&folder, &all, &arguments("0")).0, expected);
    for snapshots in [1, 2, 3, 20] {
        let program = built(&folder, snapshots);
        for known in ["1", "0"] {
            assert_eq!(said(&folder, &program, &arguments(known)).0, expected, "{snapshots} snapshots, known: {known}");
        }
    }
}

#[test]
fn a_million_steps_take_the_memory_of_a_thousand() {
    let folder = Scratch::new("checkpoint-memory");
    let program = built(&folder, 20);
    let (_, few) = said(&folder, &program, &["1", "1000"]);
    let (_, many) = said(&folder, &program, &["1", "1000000"]);
    println!("{few} kB with a thousand steps, {many} kB with a million");
    assert!(many < few + 1000, "{few} kB with a thousand steps, {many} kB with a million");
}

fn refused(name: &str, text: &str) -> String {
    let folder = Scratch::new(&format!("checkpoint-{name}"));
    let program = read(&folder, "model.c", text, "f");
    match adjoint(&program, &[head("f(f)/(x)")], &Choices::default()) {
        Ok(_) => "accepted".into(),
        Err(refusals) => refusals.into_iter().map(|refusal| refusal.what + "\n").collect(),
    }
}

/// Functions that the passes call record their operands in the forward sweep then, and run as they are on the way.
#[test]
fn passes_that_call_functions_are_proved_also_where_operands_are_compared() {
    let folder = Scratch::new("checkpoint-calls");
    let text = "static double rate(const double *x, double w) { return w * x[0] * x[1]; }
double f(int n, double *x, double *w) {
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) {
        double by = rate(x, w[t]);
        x[0] = x[0] + 0.1 * by * by;
    }
    return x[0];
}
";
    let program = read(&folder, "model.c", text, "f");
    for check in [false, true] {
        let choices = Choices { check, ..Choices::default() };
        let sweeps = adjoint(&program, &[head("f(f)/(x w)")], &choices).expect("sweeps");
        assert_eq!(sweeps.demotions, 0, "check: {check}");
        assert!(sweeps.sweeps.iter().all(|each| each.verdict == Verdict::Proved), "check: {check}");
    }
}

/// A loop in front of which the directive stands, or another line.
fn with_loop(line: &str, declarations: &str, pass: &str) -> String {
    format!(
        "static double halved(double a, int k) {{ return k > 0 ? halved(a * 0.5, k - 1) : a; }}\ndouble f(int n, double *x, double *w) {{\n{declarations}\n{line}\nfor (int t = 0; t < n; t++) {{ {pass} }}\nreturn x[0];\n}}\n"
    )
}

#[test]
fn loops_whose_state_is_not_found_are_refused() {
    let directive = "#pragma adjoint checkpoint snapshots=3";
    let cases = [
        ("", "if (w[t] > 0.5) x[t] = x[t] * w[t];", "passes may write behind 'x' where no element is surely accessed"),
        ("", "x[0] = x[0] * halved(w[0], t);", "one that calls itself"),
        (
            "double *p = x;",
            "p[0] = p[0] * p[0]; p = p == x ? w + t : x;",
            "a pass hands the pointer 'p' to the next one",
        ),
        (
            "",
            "x[0] = x[0] * x[1];\n#pragma adjoint checkpoint snapshots=2\nfor (int i = 0; i < 3; i++) { x[1] = x[1] * x[1]; }",
            "a loop inside it runs again from snapshots",
        ),
    ];
    for (declarations, pass, expected) in cases {
        let said = refused("state", &with_loop(directive, declarations, pass));
        assert!(said.contains("cannot run again from snapshots") && said.contains(expected), "{pass}: {said}");
    }
    let behind = "struct rod { int n; double *u; };
double f(struct rod *x, double w) {
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < 9; t++) { if (x->n > t) x->u[t] *= w; }
    return x->u[0];
}
";
    let said = refused("pointer", behind);
    assert!(said.contains("passes may write behind 'u' where no element is surely accessed"), "{said}");
    let table = "double f(int n, double ***x) {
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) x[t][1][i] *= x[t][2][i];
    return x[0][1][1];
}
";
    let said = refused("table", table);
    assert!(said.contains("passes may write behind 'x' where no element is surely accessed"), "{said}");
}

#[test]
fn directives_with_a_fault_are_refused() {
    for wrong in ["checkpoint", "checkpoint snapshots=0", "checkpoint snapshots=x", "checkpiont snapshots=3"] {
        let said = refused("directive", &with_loop(&format!("#pragma adjoint {wrong}"), "", "x[0] = x[0] * x[1];"));
        assert!(said.contains(&format!("stands '#pragma adjoint {wrong}'")), "{wrong}: {said}");
    }
    let two = "#pragma adjoint checkpoint snapshots=3\n#pragma GCC unroll 1";
    assert_eq!(refused("directive", &with_loop(two, "", "x[0] = x[0] * x[1];")), "accepted");
}

/// What each snapshot of the loop of `f` has.
fn parts(name: &str, text: &str) -> Vec<String> {
    let folder = Scratch::new(&format!("checkpoint-{name}"));
    let sweeps = adjoint(&read(&folder, "model.c", text, "f"), &[head("f(f)/(x)")], &Choices::default());
    let sweeps = sweeps.expect("sweeps");
    let lines = sweeps.sweeps.iter().flat_map(|each| &each.plan.explanations);
    let parts = lines.filter(|line| line.how.contains("each snapshot"));
    let mut said: Vec<String> = parts.map(|line| format!("{} {}", line.what, line.how)).collect();
    said.sort();
    said
}

/// Structs came back as a whole, with pointers to arrays of the forward sweep.
#[test]
fn pointers_to_variables_do_not_come_back_from_snapshots() {
    let text = "struct box { int n; double *u, sum[2]; };
static void step(struct box *box, int t, double rate) {
    for (int i = 0; i < box->n; i++) box->u[i] += 0.1 * box->u[i] * rate;
    box->sum[t % 2] += box->u[0];
}
double f(int n, double *x) {
    double u[4] = {x[0], x[1], x[2], x[3]};
    struct box box = {4, u, {0.0, 0.0}};
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) step(&box, t, x[t]);
    return box.sum[0] * box.sum[1] * u[3];
}
";
    let expected = ["box.sum in each snapshot: 2 elements", "u in each snapshot: 4 elements"];
    assert_eq!(parts("pointers", text), expected);
}

#[test]
fn explanations_name_what_a_snapshot_has() {
    let text = "double f(int n, int m, double *x) {
    double u[n][m], v[4], s = 0.0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) u[i][j] = x[i];
    for (int j = 0; j < 4; j++) v[j] = x[0];
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) {
        for (int j = 0; j < 4; j++) v[j] = v[j] * u[t][0];
        for (int j = 0; j < m; j++) u[t][j] = u[t][j] * v[1];
    }
    for (int i = 0; i < n; i++) s += u[i][0];
    return s;
}
";
    assert_eq!(parts("explained", text), ["u in each snapshot: n * m elements", "v in each snapshot: 4 elements"]);
}
