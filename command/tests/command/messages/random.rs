//! Random programs of messages, as plain C with MPI, through the generator: adjoint beside tangent and differences.
//!
//! `MPI_PROGRAMS=1000 FROM=1` runs that many, from that seed on.

use super::{Scratch, agrees, files, mpis};
use std::fmt::Write;

/// Numbers of a linear congruence.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    /// Two different arrays.
    fn arrays(&mut self) -> (&'static str, &'static str) {
        let at = self.below(6);
        [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")][at]
    }
}

/// Elements of each array; every rank has three of them.
const CELLS: usize = 12;

/// What keeps values from growing.
fn squashed(array: &str) -> String {
    format!("for (int i = 0; i < {CELLS}; i++) {array}[i] = sin({array}[i] + 0.1 * i);\n")
}

/// A step between neighbours.
fn between(random: &mut Random, tag: usize, with_columns: bool) -> String {
    let (x, y) = random.arrays();
    let n = 1 + random.below(4);
    let (i, j) = (random.below(CELLS - n), random.below(CELLS - n));
    let (to, from) = if random.below(2) == 0 { ("right", "left") } else { ("left", "right") };
    let call = match random.below(if with_columns { 6 } else { 5 }) {
        0 => format!(
            "MPI_Sendrecv(&{x}[{i}], {n}, MPI_DOUBLE, {to}, {tag}, &{y}[{j}], {n}, MPI_DOUBLE, {from}, {tag}, comm, \
             MPI_STATUS_IGNORE);\n"
        ),
        1 => format!(
            "MPI_Sendrecv_replace({x} + {i}, {n}, MPI_DOUBLE, {to}, {tag}, {from}, {tag}, comm, MPI_STATUS_IGNORE);\n"
        ),
        2 => format!(
            "if (ranks > 1 && me % 2 == 0) {{\n    MPI_Send(&{x}[{i}], {n}, MPI_DOUBLE, {to}, {tag}, comm);\n    \
             MPI_Recv(&{y}[{j}], {}, MPI_DOUBLE, {from}, {tag}, comm, &status);\n}} else if (ranks > 1) {{\n    \
             MPI_Recv(&{y}[{j}], {n}, MPI_DOUBLE, {from}, {tag}, comm, &status);\n    \
             MPI_Send(&{x}[{i}], {n}, MPI_DOUBLE, {to}, {tag}, comm);\n}}\n",
            n.min(CELLS - j)
        ),
        3 | 4 => {
            let wait = match random.below(3) {
                0 => "MPI_Waitall(4, r, MPI_STATUSES_IGNORE);\n",
                1 => "for (int k = 0; k < 4; k++) MPI_Waitany(4, r, &index, &status);\n",
                _ => "for (int k = 4; k-- > 0;) MPI_Wait(&r[k], MPI_STATUS_IGNORE);\n",
            };
            format!(
                "MPI_Irecv(&{y}[0], {n}, MPI_DOUBLE, left, {tag}, comm, &r[0]);\n\
                 MPI_Irecv(&{y}[6], {n}, MPI_DOUBLE, right, {tag}, comm, &r[1]);\n\
                 MPI_Isend(&{x}[{i}], {n}, MPI_DOUBLE, right, {tag}, comm, &r[2]);\n\
                 MPI_Isend(&{x}[{j}], {n}, MPI_DOUBLE, left, {tag}, comm, &r[3]);\n{wait}"
            )
        }
        _ => format!(
            "MPI_Irecv(&{y}[1], 1, column, {from}, {tag}, comm, &r[0]);\n\
             MPI_Send(&{x}[2], 1, column, {to}, {tag}, comm);\nMPI_Wait(&r[0], MPI_STATUS_IGNORE);\n"
        ),
    };
    call + &squashed(y)
}

/// A step among all ranks.
fn among(random: &mut Random) -> String {
    let (x, y) = random.arrays();
    let n = 1 + random.below(4);
    let (i, j) = (random.below(CELLS - n), random.below(CELLS - n));
    let root = format!("{} % ranks", random.below(4));
    let operation = random.of(&["MPI_SUM", "MPI_SUM", "MPI_MAX", "MPI_MIN", "MPI_PROD"]);
    let call = match random.below(9) {
        0 => format!("MPI_Allreduce(&{x}[{i}], &{y}[{j}], {n}, MPI_DOUBLE, {operation}, comm);\n"),
        1 => format!("MPI_Allreduce(MPI_IN_PLACE, &{y}[{j}], {n}, MPI_DOUBLE, {operation}, comm);\n"),
        2 => format!("MPI_Bcast(&{y}[{j}], {n}, MPI_DOUBLE, {root}, comm);\n"),
        3 => format!("MPI_Reduce(&{x}[{i}], &{y}[{j}], {n}, MPI_DOUBLE, {operation}, {root}, comm);\n"),
        4 => format!("MPI_Gather(&{x}[{i}], 3, MPI_DOUBLE, {y}, 3, MPI_DOUBLE, {root}, comm);\n"),
        5 => format!("MPI_Scatter({x}, 3, MPI_DOUBLE, &{y}[{j}], 3, MPI_DOUBLE, {root}, comm);\n"),
        6 => format!("MPI_Allgather(&{x}[{i}], 3, MPI_DOUBLE, {y}, 3, MPI_DOUBLE, comm);\n"),
        7 => format!("MPI_Alltoall({x}, 3, MPI_DOUBLE, {y}, 3, MPI_DOUBLE, comm);\n"),
        _ => {
            let scan = random.of(&["Scan", "Exscan"]);
            format!("MPI_{scan}(&{x}[{i}], &{y}[{j}], {n}, MPI_DOUBLE, {operation}, comm);\n")
        }
    };
    // Three elements fit where they begin.
    let call = call.replace(&format!("[{i}], 3"), &format!("[{}], 3", i.min(CELLS - 3)));
    call.replace(&format!("[{j}], 3"), &format!("[{}], 3", j.min(CELLS - 3))) + &squashed(y)
}

/// Steps of a function, maybe in loops and branches that all ranks take.
fn steps(random: &mut Random, tags: &mut usize, with_columns: bool) -> String {
    let mut text = String::new();
    for _ in 0..2 + random.below(3) {
        *tags += 1;
        let (x, y) = random.arrays();
        let step = match random.below(5) {
            0 => format!("for (int i = 0; i < {CELLS}; i++) {x}[i] = {x}[i] * {y}[({CELLS} - i) % {CELLS}] + 0.2;\n"),
            1 => format!(
                "if (me % 2 == {}) {x}[{}] *= {y}[{}];\n",
                random.below(2),
                random.below(CELLS),
                random.below(CELLS)
            ),
            2 => among(random),
            _ => between(random, *tags, with_columns),
        };
        let _ = match random.below(4) {
            0 => writeln!(text, "for (int t = 0; t < 2; t++) {{\n{step}}}"),
            1 => writeln!(text, "if (ranks != 2) {{\n{step}}}"),
            _ => writeln!(text, "{step}"),
        };
    }
    text
}

/// The text of a program, and whether it has a tangent.
fn text(seed: u64) -> (String, bool) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let with_columns = random.below(4) == 0;
    let mut out = "#include <math.h>\n#include <mpi.h>\n".to_string();
    let declared = "MPI_Request r[4];\nMPI_Status status;\nint index = 0;\n";
    let unused =
        "(void)r;\n(void)status;\n(void)index;\n(void)left;\n(void)right;\n(void)me;\n(void)ranks;\n(void)column;\n";
    let params =
        "double *a, double *b, double *c, int me, int ranks, int left, int right, MPI_Comm comm, MPI_Datatype column";
    let functions = 1 + random.below(3);
    let mut tags = 0;
    for function in 0..functions {
        let body = steps(&mut random, &mut tags, with_columns);
        let _ = writeln!(
            out,
            "static void step_{function}({params}) {{\n{declared}{unused}(void)a;\n(void)b;\n(void)c;\n(void)comm;\n{body}}}"
        );
    }
    let periodic = random.below(2) == 0;
    let neighbour = |step: &str, inside: &str| {
        if periodic { format!("(me + {step}) % ranks") } else { format!("{inside} ? me + {step} : MPI_PROC_NULL") }
    };
    let left = if periodic { neighbour("ranks - 1", "") } else { "me > 0 ? me - 1 : MPI_PROC_NULL".to_string() };
    let right = neighbour("1", "me < ranks - 1");
    let _ = writeln!(
        out,
        "double model(int n, double *x) {{\ndouble a[{CELLS}], b[{CELLS}], c[{CELLS}], sum = 0, all = 0;\nint me, ranks;\n\
         MPI_Comm comm = MPI_COMM_WORLD;\nMPI_Datatype column;\nMPI_Comm_rank(comm, &me);\nMPI_Comm_size(comm, &ranks);\n\
         int left = {left}, right = {right};\nMPI_Type_vector(3, 1, 3, MPI_DOUBLE, &column);\nMPI_Type_commit(&column);\n\
         for (int i = 0; i < {CELLS}; i++) {{\na[i] = x[i % n];\nb[i] = 1 + 0.2 * x[(i + 5) % n];\nc[i] = 0.5 * x[0] + 0.1 * i;\n}}"
    );
    for _ in 0..1 + random.below(3) {
        let function = random.below(functions);
        let (a, b) = random.arrays();
        let c = ["a", "b", "c"].into_iter().find(|name| *name != a && *name != b).unwrap_or("c");
        let _ = writeln!(out, "step_{function}({a}, {b}, {c}, me, ranks, left, right, comm, column);");
    }
    let _ = writeln!(
        out,
        "for (int i = 0; i < {CELLS}; i++) sum += a[i] * b[i] + c[i] * c[i];\n\
         MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);\nMPI_Type_free(&column);\nreturn all;\n}}"
    );
    (out, !with_columns)
}

#[test]
fn random_programs_agree() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (from, programs) = (number("FROM", 1), number("MPI_PROGRAMS", 8));
    let mut refused = 0;
    // A call whose datatype is the program's own kept on the tape what nobody brought back.
    let failed_once = [133].into_iter().filter(|_| from == 1);
    for seed in (from..from + programs).chain(failed_once) {
        let folder = Scratch::new(&format!("messages-random-{seed}"));
        let (model, has_tangent) = text(seed);
        folder.write("model.c", &model);
        folder.write("driver.c", &files("driver"));
        let mut command = vec!["adjoint", "model.c", "--head", "model(model)/(x)"];
        command.extend(has_tangent.then_some("--tangent"));
        let output = folder.run(&command);
        if output.status.code() == Some(3) {
            println!("seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
            refused += 1;
            continue;
        }
        assert!(output.status.success(), "seed {seed}: {}\n{model}", String::from_utf8_lossy(&output.stderr));
        for mpi in mpis() {
            println!("seed {seed}, {mpi}");
            let ranks = 1 + (seed % 4) as u32;
            agrees(&folder, mpi, has_tangent, "-O1", ranks..=ranks, &[]);
        }
    }
    println!("{programs} programs, {refused} refused");
    assert!(refused * 4 <= programs, "{refused} of {programs} programs are refused");
}
