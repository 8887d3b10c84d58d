//! Generated headers compile alone: they bring the types that their prototypes name.

use std::process::Command;

use crate::common::{Scratch, include};

/// The headers that the adjoint's one includes, of a model in a folder; all that was written compiles.
fn included(name: &str, files: &[(&str, &str)]) -> String {
    let user = HEADERS.lines().next().unwrap();
    let folder = compiles(name, files, &format!("{user}\n#ifdef PART_H\n#include \"model_d.h\"\n#endif\n"));
    let header = std::fs::read_to_string(folder.0.join("out/model_b.h")).unwrap();
    let path = format!("{}/", folder.0.display());
    let names = header.lines().filter_map(|line| line.strip_prefix("#include "));
    names.map(|name| name.replace(&path, "")).collect::<Vec<_>>().join(" ")
}

/// A header that the prototypes need nothing of.
const PRIVATE: (&str, &str) = (
    "model/private.h",
    "#ifndef PRIVATE_H\n#define PRIVATE_H\n#include <stdio.h>\n#include <string.h>\ntypedef double hidden;\n\
     typedef struct { hidden *at; FILE *log; } cache;\nenum { SIZE = 3 };\n#endif\n",
);
const PART: (&str, &str) =
    ("model/part.h", "#ifndef PART_H\n#define PART_H\ntypedef struct { double x; } part;\n#endif\n");

/// All headers that the source includes came along as soon as one of them had a type of a prototype.
#[test]
fn header_includes_what_its_prototypes_need_and_nothing_else() {
    let body = "    cache c = {0};\n    return c.at ? 0.0 : p->x * p->x;\n}\n";
    let model = format!(
        "#include \"private.h\"\n#include <math.h>\n#include \"part.h\"\n#include \"all.h\"\ndouble f(const part *p);\n\
         double f(const part *p) {{\n{body}"
    );
    let all = ("model/all.h", "#ifndef ALL_H\n#define ALL_H\n#include \"part.h\"\nint all(void);\n#endif\n");
    assert_eq!(included("needed", &[("model/model.c", &model), PRIVATE, PART, all]), "\"model/part.h\"");
    // The type stands in a header that a header includes.
    let through = model.replace("#include \"part.h\"\n", "");
    assert_eq!(included("through", &[("model/model.c", &through), PRIVATE, PART, all]), "\"model/part.h\"");
    // A parameter has the name of a type, and no prototype names a type.
    let named = "#include \"private.h\"\ndouble f(const double *p, int cache);\n\
                 double f(const double *p, int cache) {\n    return p[0] * p[0] * cache;\n}\n";
    assert_eq!(included("named", &[("model/model.c", named), PRIVATE]), "");
    // A struct of the source has a member of a header's type, an extent of another one, and a member named like a type.
    let own = "#include \"private.h\"\n#include \"part.h\"\n#include \"sizes.h\"\n\
               struct own { part all[SIZES]; double cache; };\ndouble f(const struct own *p);\n\
               double f(const struct own *p) {\n    return p->all[1].x * p->cache;\n}\n";
    let sizes = ("model/sizes.h", "#ifndef SIZES_H\n#define SIZES_H\n#define SIZES 2\n#endif\n");
    let found = included("own-struct", &[("model/model.c", own), PRIVATE, PART, sizes]);
    assert_eq!(found, "\"model/part.h\" \"model/sizes.h\"");
    // A type of the system's: which header of it brings the type is what the source says.
    let system = "#include \"private.h\"\n#include <time.h>\ndouble f(const double *p, time_t at);\n\
                  double f(const double *p, time_t at) {\n    return p[0] * p[0] * (double)at;\n}\n";
    assert_eq!(included("system", &[("model/model.c", system), PRIVATE]), "<time.h>");
}

/// What a header takes from headers in front of it, and from macros of the source, comes along, too: no more.
#[test]
fn header_that_does_not_stand_alone_has_in_front_of_it_what_it_needs() {
    let model = "#include \"private.h\"\n#define REAL double\n#define COUNT (MORE + 1)\n#define MORE 1\n#define OTHER 3\n\
                 typedef REAL number;\n#include \"base.h\"\n#include <float.h>\n#include \"part.h\"\n\
                 double f(const part *p);\ndouble f(const part *p) {\n    return at(p, 1) * p->y;\n}\n";
    let base = "#ifndef BASE_H\n#define BASE_H\ntypedef REAL real;\n\
                static inline real least(real a, real b) { return a < b ? a : b; }\n#endif\n";
    let part = "#ifndef PART_H\n#define PART_H\ntypedef struct { real x[COUNT]; number y; } part;\n\
                static inline real at(const part *p, int i) {\n    return p->x[i] * least(p->y, DBL_MAX);\n}\n#endif\n";
    let files = [("model/model.c", model), ("model/base.h", base), ("model/part.h", part), PRIVATE];
    assert_eq!(included("in-front", &files), "\"model/base.h\" <float.h> \"model/part.h\"");
    // A header that is included twice, each time with another macro.
    let twice = "#include \"private.h\"\n#define T float\n#define NAME(x) x##_f\n#include \"pair.h\"\n#undef T\n#undef NAME\n\
                 #define T double\n#define NAME(x) x##_d\n#include \"pair.h\"\n\
                 double f(const pair_d *p, const pair_f *q);\n\
                 double f(const pair_d *p, const pair_f *q) {\n    return p->x * (double)q->y;\n}\n";
    let pair = ("model/pair.h", "typedef struct { T x, y; } NAME(pair);\n");
    let found = included("twice", &[("model/model.c", twice), pair, PRIVATE]);
    assert_eq!(found, "\"model/pair.h\" \"model/pair.h\"");
}

/// Both headers.
const HEADERS: &str = "#include \"model_b.h\"\n#include \"model_d.h\"\n";

/// Writes adjoint and tangent of `f` for these files into a folder of their own, and compiles them with the text of a
/// user.
fn compiles(name: &str, files: &[(&str, &str)], user: &str) -> Scratch {
    let folder = Scratch::new(&format!("headers-{name}"));
    for (file, text) in files {
        let path = folder.0.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(folder.0.join("out")).unwrap();
    for (what, file) in [("adjoint", "out/model_b.c"), ("tangent", "out/model_d.c")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
        command.current_dir(&folder.0).args([what, "model/model.c", "--head", "f(f)/(p)", "-o", file]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::write(folder.0.join("out/user.c"), user).unwrap();
    for compiler in ["gcc", "clang"] {
        let mut build = Command::new(compiler);
        build.current_dir(folder.0.join("out")).args(["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-c"]);
        let built = build.arg(include()).args(["user.c", "model_b.c", "model_d.c"]).output().unwrap();
        assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    }
    folder
}

/// `const BASE p[]` was copied as it stands.
#[test]
fn macros_in_the_types_of_parameters_are_replaced() {
    let model = "#define BASE double
#define ADD(name) name##_sum
static BASE ADD(model)(const BASE by, int n, const BASE x[]) {
    BASE sum = 0;
    for (int i = 0; i < n; i++) sum += by * x[i] * x[i];
    return sum;
}
BASE f(const BASE p[], const int n, const BASE *const more);
BASE f(const BASE p[], const int n, const BASE *const more) {
    return ADD(model)(more[0], n, p) * p[0];
}
#undef BASE
#undef ADD
";
    compiles("macros", &[("model/model.c", model)], HEADERS);
}

#[test]
fn types_of_the_source_and_what_they_name_stand_in_the_header() {
    let model = "#include <stddef.h>
#define SIDES 3 /* of a triangle */
#define ALL (SIDES + COUNT)
enum { COUNT = 2 };
typedef double real;
struct corner { real at[SIDES]; };
typedef struct corner corner;
typedef struct shape_s { corner first; struct { real all[ALL]; } rest; } shape, *shapes;
struct model { shapes all; size_t count; } __attribute__((aligned(16)));
double f(struct model *p);
double f(struct model *p) {
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += p->all[i].first.at[1] * p->all[i].rest.all[ALL - 1];
    return sum;
}
";
    let user = "int user(void);\nint user(void) {\n    shape all;\n    struct model m = {&all, 1};\n    (void)m;\n    \
                return _Alignof(struct model) == 16 ? (int)sizeof all.rest : 0;\n}\n";
    compiles("own", &[("model/model.c", model)], &format!("{HEADERS}{user}"));
}

/// The header once had `double u[N][N]` without N.
#[test]
fn extents_that_are_macros_or_enumerators_stand_in_the_header_as_numbers() {
    let model = "#define N 4
enum { ROWS = 3 };
double f(int n, double p[ROWS][N], double q[n][N], const double r[N]);
double f(int n, double p[ROWS][N], double q[n][N], const double r[N]) {
    for (int j = 0; j < N; j++) p[0][j] *= p[ROWS - 1][j] * r[j] + q[n - 1][j];
    return p[0][0] * p[0][N - 1];
}
";
    let user = "enum { N = 7, ROWS = 8 };\n";
    compiles("extents", &[("model/model.c", model)], &format!("{HEADERS}{user}"));
}

/// The second header needs the first one, and the first one a macro of the source.
#[test]
fn types_of_headers_come_with_the_includes_of_the_source() {
    let model = "/*
#include \"gone.h\"
*/
#define WIDE
#ifdef WIDE
#include \"base.h\"
#include \"parts/part.h\" // behind base.h
#else
#include \"narrow.h\"
#endif
double f(const part *p);
double f(const part *p) {
    return p->x * p->x;
}
";
    let base = "#ifndef BASE_H\n#define BASE_H\n#ifdef WIDE\ntypedef double real;\n#endif\n#endif\n";
    let part = "#ifndef PART_H\n#define PART_H\ntypedef struct { real x; } part;\n#endif\n";
    let files = [("model/model.c", model), ("model/base.h", base), ("model/parts/part.h", part)];
    compiles("included", &files, &format!("{HEADERS}extern const part user;\nconst part user = {{1.0}};\n"));
}

#[test]
fn file_with_types_of_its_own_says_so() {
    let model = "struct pair { double x, y; };\ndouble f(const struct pair *p);\n\
                 double f(const struct pair *p) { return p->x * p->y; }\n";
    let user = "struct pair { double x, y; };\n#define ADTAPE_OWN_TYPES\n";
    compiles("taken", &[("model/model.c", model)], &format!("{user}{HEADERS}"));
}

/// The header once named `part` and included nothing, because the head stands in no source.
#[test]
fn head_in_a_header_has_the_includes_of_the_source_that_includes_it() {
    let part = "#ifndef PART_H\n#define PART_H\ntypedef struct { real x; } part;\n\
                static inline real f(part p, real by) { return p.x * p.x * by; }\n#endif\n";
    let model = "typedef double unused;\n#define real double\n#include \"parts/part.h\"\n";
    compiles("inline", &[("model/model.c", model), ("model/parts/part.h", part)], HEADERS);
}

/// A second file that includes the header with the macro would define `f` again, and so does the user here.
#[test]
fn header_that_defines_the_head_is_not_included_again() {
    let base = "#pragma once\ntypedef double real;\n";
    let library = "#ifndef LIBRARY_H
#define LIBRARY_H
#include \"base.h\"
#define COUNT 3
typedef struct { real x[COUNT]; } model;
real f(const model *p);
#ifdef LIBRARY_IMPLEMENTATION
#include <math.h>
real f(const model *p) {
    real sum = 0;
    for (int i = 0; i < COUNT; i++) sum += sin(p->x[i]);
    return sum;
}
#endif
#endif
";
    let model = "#define LIBRARY_IMPLEMENTATION\n#include \"parts/library.h\"\n";
    let files = [("model/model.c", model), ("model/parts/library.h", library), ("model/parts/base.h", base)];
    let user = "real f(const model *p) {\n    return p->x[COUNT - 1];\n}\n";
    compiles("defined", &files, &format!("{HEADERS}real f(const model *p);\n{user}"));
    compiles("declared", &files, &format!("#include \"../model/parts/library.h\"\n{HEADERS}{user}"));
}

/// Both headers once declared `work_b`, and both files defined it.
#[test]
fn models_with_work_space_of_one_name_are_one_program() {
    let folder = Scratch::new("headers-work");
    let mut user = String::new();
    for (name, count) in [("f", "4"), ("g", "5")] {
        let model = "static double work[N];\nstatic struct { double at; } last;\n\
                     double f(const double *p) {\n    static double own[N];\n    \
                     for (int i = 0; i < N; i++) own[i] = work[i] = p[i] * p[i];\n    last.at = work[0];\n    \
                     return own[1] * work[N - 1] * last.at;\n}\n";
        let model = model.replace("f(", &format!("{name}(")).replace('N', count);
        folder.write(&format!("{name}.c"), &model);
        for what in ["adjoint", "tangent"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
            let head = format!("{name}({name})/(p)");
            command.current_dir(&folder.0).args([what, &format!("{name}.c"), "--head", &head]);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        user += &format!("#include \"{name}_b.h\"\n#include \"{name}_d.h\"\n");
    }
    user += "int main(void) {\n    double p[5] = {1, 2, 3, 4, 5}, p_b[5] = {0};\n    f_b(p, p_b, 1.0);\n    \
             g_b(p, p_b, 1.0);\n    return p_b[3] != 32.0 || p_b[4] != 40.0;\n}\n";
    folder.write("user.c", &user);
    folder.builds_and_runs(&["-Wall", "-Wextra", "-Werror", "user.c", "f_b.c", "g_b.c"]);
}
