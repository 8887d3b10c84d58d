//! Adjoints of whole programs, run under `--check`: operands, tangent-adjoint product, differences.

use std::process::{Command, Output};

use crate::common::{Scratch, flags, quick, root};

/// Checks every function of a program whose name begins with `f_`; they take `(int n, double *x, int *ia, double *w)`.
/// `active`: those that differentiate with respect to `w`, too.
pub(crate) fn check(name: &str, active: &[&str]) {
    check_calls(name, active, 1);
}

/// Calls each adjoint several times, with one `ia` and `w`: all give the same.
fn check_calls(name: &str, active: &[&str], calls: u32) {
    let source = root().join("generator/tests/programs").join(name);
    let text = std::fs::read_to_string(&source).unwrap();
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("double f_")?.split('(').next()).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    assert!(!names.is_empty());
    let folder = std::env::temp_dir().join(format!("adtape-programs-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut driver = String::from("#include \"model_b.h\"\nint main(void) {\n");
    let mut heads = String::new();
    for name in &names {
        let is_active = active.contains(name);
        heads += &format!("f_{name}(f_{name} x)/(x{}) ", if is_active { " w" } else { "" });
        let with = if is_active { "w, w_b" } else { "w" };
        driver += &format!(
            "{{ int ia[8] = {{1, 0, 2}}; double w[8] = {{0.2, 0.5, 0.3, 0.7, 0.1, 0.9, 0.4, 0.6}}, w_b[8] = {{0}}, first = 0;\n\
             for (int k = 0; k < {calls}; k++) {{\n\
             double x[8] = {{1.1, 0.7, 1.3, 0.4, 0.9, 1.2, 0.6, 0.8}}, x_b[8] = {{0.3, 0.1}};\n\
             (void)w_b; f_{name}_b(4, x, x_b, ia, {with}, 1.0);\n\
             if (k == 0) first = x_b[0]; else if (x_b[0] != first) return 9; }} }}\n"
        );
    }
    driver += "return 0; }\n";
    std::fs::copy(&source, folder.join("model.c")).unwrap();
    std::fs::write(folder.join("driver.c"), driver).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder).args(["adjoint", "model.c", "--head", &heads, "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", quick().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // A derivative that is 0 whatever the data are met no element, so nothing was compared there.
    let not_compared = said.lines().filter(|line| line.contains(": not compared with "));
    // Quotients of `remquo` jump at some of the data.
    let may_be = |line: &&str| {
        line.ends_with("no call met an adjoint of an element of 'w'")
            || line.starts_with("check: f_remquo: not compared with differences: two steps give ")
    };
    let others = not_compared.filter(|line| !may_be(line)).count();
    let expected = if said.contains("not compared") { 5 } else { 0 };
    assert_eq!((output.status.code(), others), (Some(expected), 0), "{said}");
    assert!(said.contains(" operands compared, 0 wrong"), "{said}");
    assert!(!said.contains("could not be proved"), "{said}");
    for name in names {
        assert!(said.contains(&format!("check: f_{name}: tangent-adjoint product ")), "{name}\n{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn small_functions_with_structs_have_right_adjoints() {
    check("small_functions.c", &[]);
}

#[test]
fn blocks_may_outlive_the_code_that_makes_them() {
    check("heap.c", &[]);
}

/// The reverse sweep named such a block as if it were there, so the file did not compile, or the generator failed.
#[test]
fn loops_that_run_again_find_blocks_of_the_stable_heap() {
    check("blocks_run_again.c", &["beside_a_list"]);
}

/// These were refused: the reverse sweep did not set the adjoints of such pointers.
#[test]
fn a_head_may_hand_memory_on_by_pointers_at_file_scope() {
    check("context.c", &["root", "shifted", "members", "early", "own", "setting"]);
}

#[test]
fn pointers_at_file_scope_may_lead_to_work_space() {
    check("work_space.c", &[]);
}

#[test]
fn functions_that_make_memory_for_their_callers_have_right_adjoints() {
    check("constructors.c", &[]);
}

/// The reverse sweep brought the table back to what it was before its first filling, but not the flag: the second call of
/// the adjoint gave 0. So did tables and flags behind arguments.
#[test]
fn memory_that_the_first_call_fills_gives_right_adjoints_in_the_second() {
    check_calls("lasting.c", &[], 2);
}

#[test]
fn variables_may_hold_numbers_of_bytes() {
    check("bytes.c", &["members"]);
}

/// The forward sweep copied the text of the first of them, and so ran the others twice.
#[test]
fn statements_of_one_macro_run_once() {
    check("macro_of_statements.c", &[]);
}

#[test]
fn effects_that_c_orders_have_right_adjoints() {
    check("ordered.c", &["comma", "filled", "status", "marks"]);
}

#[test]
fn functions_that_are_passed_have_right_adjoints() {
    check("callbacks.c", &["integrals", "library"]);
    check("solver.c", &[]);
}

#[test]
fn values_without_a_derivative_end_that_of_a_variable() {
    check("killed.c", &["loop", "branch", "sign"]);
}

/// The check of a folder's model by its driver, whatever comes of it.
pub(crate) fn checked(folder: &Scratch, head: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", head, "--check", "driver.c"]);
    command.env("ADTAPE_FLAGS", quick().join(" ")).output().unwrap()
}

/// Checks the adjoints of a model that a driver calls.
pub(crate) fn check_model(name: &str, model: &str, driver: &str, heads: &str) {
    let folder = Scratch::new(name);
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, heads);
}

/// Checks the function `f` of a folder's model with its driver. Returns what the check says.
pub(crate) fn check_driver(folder: &Scratch, head: &str) -> String {
    let output = checked(folder, head);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // Memory that belongs to no argument is all that these programs may leave out.
    let is_incomplete = said.contains("f: not compared with its tangent: it reaches memory of no argument");
    let expected = if is_incomplete { 5 } else { 0 };
    assert_eq!(output.status.code(), Some(expected), "{}: {said}", folder.0.display());
    assert!(said.contains(" operands compared, 0 wrong"), "{}: {said}", folder.0.display());
    assert!(!is_incomplete || said.matches(": not compared ").count() == 1, "{}: {said}", folder.0.display());
    said
}

const ROWS: &str = "#include <math.h>
#include \"model_b.h\"
void f(int n, double **a, double **b);
int main(void) {
    double values[9] = {0.1, 2.0, 0.3, 1.5, 0.2, 0.4, 0.3, 0.1, 1.8}, from[9] = {0.0}, inverse[9], to[9] = {0.0};
    double *a[3], *a_b[3], *b[3], *b_b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = values + 3 * i, a_b[i] = from + 3 * i, b[i] = inverse + 3 * i, b_b[i] = to + 3 * i;
    }
    b_b[1][2] = 1.0;
    f_b(3, a, a_b, b, b_b);
    f(3, a, b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(fabs(a_b[i][j] + b[1][i] * b[j][2]) < 1e-14)) return 7;
        }
    }
    return 0;
}
";

const OFFSET: &str = "#include \"model_b.h\"
int main(void) {
    vec v[2] = {{1.0, 2.0}, {3.0, 0.4}}, v_b[2] = {{0.0, 0.0}, {0.0, 0.0}}, offset = {0.5, 0.7};
    f_b(2, v, v_b, offset, 1.0);
    if (v_b[0].x == 0.0) return 7;
    g_b(2, 3, v, v_b, 1.0);
    return 0;
}
";

/// `((double *)a)[k]` was printed as `a[0][0][k]`: the sanitizer stopped a right program, and compilers may take `k`
/// for a number below 4.
#[test]
fn rows_that_are_taken_for_their_numbers_have_no_subscript_behind_a_row() {
    let folder = Scratch::new("numbers");
    let model = "static double g[3][4];
double f(double a[2][3][4]);
double f(double a[2][3][4]) {
    double s = 0.0, *q = (double *)g;
    for (int k = 0; k < 12; k++) ((double *)g)[k] = ((double *)a)[k] * a[1][k / 4][k % 4];
    for (double *e = (double *)a + 7; e < (double *)a + 23; e++) s += *e * e[1];
    for (int k = 1; k < 24; k++) ((double *)a)[k] *= ((double *)a)[k - 1];
    for (int k = 0; k < 12; k++) s += *((double *)g + k) * *q++;
    return s * a[1][2][3];
}
";
    let driver = "#include \"model_b.h\"\nint main(void) {\n    double a[2][3][4], a_b[2][3][4] = {{{0.0}}};\n    \
                  for (int k = 0; k < 24; k++) a[k / 12][k / 4 % 3][k % 4] = 1.0 + 0.01 * k;\n    \
                  f_b(a, a_b, 1.0);\n}\n";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "f(f)/(a)", "--check", "driver.c"]);
    let output = command.env("ADTAPE_FLAGS", flags().join(" ")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
}

/// The adjoint has the calls of small functions written out, the tangent need not. There a struct that carries no
/// derivative had a tangent, because the function also gets an active struct in its place, and the check did not compile.
#[test]
fn check_gives_the_tangent_all_that_it_takes() {
    let folder = Scratch::new("offset");
    let model = "typedef struct { double x, y; } vec;
static vec made(double x, double y) { vec v = {x, y}; return v; }
static vec sum(vec a, vec b) { return made(a.x + b.x, a.y * b.y); }
double f(int n, const vec *v, vec offset);
double f(int n, const vec *v, vec offset) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        vec a = sum(v[i], offset), b = sum(v[i], v[(i + 1) % n]);
        s += a.x * b.y - a.y * b.x;
    }
    return s;
}
double g(int n, int n_d, const vec *v);
double g(int n, int n_d, const vec *v) { return v[n - n_d + 1].x * v[0].y; }
";
    folder.write("model.c", model);
    folder.write("driver.c", OFFSET);
    let said = check_driver(&folder, "f(f)/(v) g(g)/(v)");
    assert!(said.contains("check: f: tangent-adjoint product "), "{said}");
    assert!(said.contains("check: g: tangent-adjoint product "), "{said}");
}

/// The pointers by which stores reached rows of the caller had names, which the reverse sweep did not find.
#[test]
fn rows_of_the_caller_go_beside_rows_of_blocks() {
    let folder = Scratch::new("rows-of-the-caller");
    let source = root().join("generator/tests/programs/rows_of_the_caller.c");
    folder.write("model.c", &std::fs::read_to_string(source).unwrap());
    folder.write("driver.c", ROWS);
    check_driver(&folder, "f(b)/(a)");
}

const WORK: &str = "
struct work { double *at; int n; };
struct net { double *weight, *out; double bias; int n; };
static int squares(void *state, const double *x) {
    struct work *w = (struct work *)state;
    double *at = w->at;
    for (int i = 0; i < w->n; i++) at[i] = x[i] * x[i];
    return 0;
}
void g(struct net net, const double *at) {
    for (int i = 0; i < net.n; i++) net.out[i] = net.bias + net.weight[i] * at[i];
}
void f(void *state, const double *x, struct net net) {
    squares(state, x);
    const struct work *w = state;
    const double *at = w->at;
    g(net, at);
}
";

const WORK_DRIVER: &str = "#include \"model_b.h\"
struct work { double *at; int n; };
int main(void) {
    double at[2] = {0}, at_b[2] = {0.5, 0.25}, x[2] = {3, 4}, x_b[2] = {0};
    double weight[2] = {5, 7}, weight_b[2] = {0}, out[2] = {0}, out_b[2] = {1, 2};
    struct work w = {at, 2}, w_b = {at_b, 2};
    struct net net = {weight, out, 0.5, 2}, net_b = {weight_b, out_b, 0, 2};
    f_b(&w, &w_b, x, x_b, net, &net_b);
    if (x_b[0] != 33 || x_b[1] != 114 || weight_b[0] != 9 || weight_b[1] != 32) return 7;
    if (out_b[0] != 0 || out_b[1] != 0) return 8;
    out_b[0] = 1;
    g_b(net, &net_b, x, x_b);
    return x_b[0] != 38;
}
";

/// Work space behind a pointer of no type, whose pointers a local variable takes; results behind a struct by value.
#[test]
fn memory_behind_structs_of_no_type_and_by_value_is_a_result() {
    let folder = Scratch::new("behind-structs");
    folder.write("model.c", WORK);
    folder.write("driver.c", WORK_DRIVER);
    let said = check_driver(&folder, "f(state net)/(x net) g(net)/(at net)");
    assert!(said.contains("check: g: tangent-adjoint product "), "{said}");
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    const DRIVER: &str = include_str!("../../../generator/tests/common/edge_driver.c");

    /// `generator/tests/edge.rs` compares their gradients and counts what they store.
    #[test]
    fn edge_programs_read_what_the_forward_sweep_had() {
        let sources = std::fs::read_dir(root().join("generator/tests/edge")).unwrap();
        let mut tried = 0;
        for source in sources.map(|source| source.unwrap().path()) {
            let folder = Scratch::new(&format!("edge-{}", source.file_stem().unwrap().to_string_lossy()));
            folder.write("model.c", &std::fs::read_to_string(&source).unwrap());
            folder.write("driver.c", DRIVER);
            let said = check_driver(&folder, "f(f)/(x)");
            assert!(said.contains("check: f: tangent-adjoint product "), "{source:?}: {said}");
            assert!(said.contains("check: f: differences "), "{source:?}: {said}");
            tried += 1;
        }
        assert!(tried >= 13, "{tried} programs");
    }

    #[test]
    fn rows_whose_extent_is_a_value_and_tables_of_rows_have_right_adjoints() {
        check("rows_and_blocks.c", &[]);
    }

    /// These were refused: a parameter that a function hands to itself was taken for memory that is no block.
    #[test]
    fn functions_that_call_themselves_may_get_blocks_behind_structs() {
        check("levels.c", &[]);
    }

    #[test]
    fn names_that_one_block_knows_stay_apart() {
        check("named_inside.c", &["enumerators"]);
    }

    #[test]
    fn structs_that_are_taken_for_arrays_have_right_adjoints() {
        check("views.c", &[]);
    }

    /// The members of a member without a name were printed behind two dots: the adjoint did not compile.
    #[test]
    fn what_a_type_selects_and_members_without_a_name_have_right_adjoints() {
        check("selected.c", &[]);
    }

    #[test]
    fn functions_for_all_widths_have_right_adjoints() {
        check("any_width.c", &[]);
    }

    #[test]
    fn function_pointer_that_keeps_its_initial_function_has_a_right_adjoint() {
        check("pointer_to_function.c", &["called"]);
    }

    #[test]
    fn second_results_and_gamma_functions_have_right_adjoints() {
        check("library.c", &["remquo", "gamma", "bits"]);
    }

    #[test]
    fn jumps_into_statements_have_right_adjoints() {
        check("jumps.c", &["arm_to_first", "into_loops", "parts_in_any_order", "both_ways"]);
    }

    #[test]
    fn unions_of_equal_numbers_have_right_adjoints() {
        check("unions.c", &["cross", "square", "box"]);
    }

    #[test]
    fn blocks_that_several_paths_free_have_right_adjoints() {
        check("frees.c", &["early", "status", "to_the_end"]);
    }

    #[test]
    fn functions_that_are_stored_have_right_adjoints() {
        check("operations.c", &["table", "integral", "local"]);
    }

    /// The tangent asked for the tangents of the memory that such a variable points to first: an internal error.
    #[test]
    fn pointers_to_memory_without_tangents_need_none() {
        check("pointers_in_two_lives.c", &[]);
    }

    /// `f_in_one_arm`: the copied text of an arm named a variable that only another arm declared.
    #[test]
    fn volatile_numbers_and_tables_of_macros_have_right_adjoints() {
        check("declared.c", &[]);
    }

    #[test]
    fn programs_that_report_have_right_adjoints() {
        check("reports.c", &["counted", "printed"]);
    }

    #[test]
    fn structs_with_pointers_have_right_adjoints() {
        check("pointers_in_structs.c", &["by_value", "copied", "marched", "scope", "behind_a_return", "in_an_arm"]);
    }

    #[test]
    fn loops_and_branches_may_hand_on_pointers_and_structs() {
        check("handed_on.c", &["layers", "down", "steps", "either", "basis"]);
    }

    #[test]
    fn local_variables_may_hold_one_of_several_functions() {
        check("chosen_functions.c", &["by_condition", "from_memory", "in_a_loop"]);
    }

    /// The base of `p = c ? a : b` was always the first one: the reverse sweep added to other memory.
    #[test]
    fn pointers_that_a_condition_chooses_have_the_base_of_its_arm() {
        check("chosen_pointers.c", &["taken", "linear", "nested", "of_two"]);
    }

    /// These were refused: the adjoint of a local object was not there yet where the pointer came from the tape.
    #[test]
    fn pointers_into_local_memory_may_change_places() {
        check(
            "swapped.c",
            &["rows", "scalars", "points", "marching", "buffers", "freed_twice", "tables", "planes", "cubes"],
        );
    }

    #[test]
    fn functions_that_pass_a_list_of_arguments_on_have_right_adjoints() {
        check("lists.c", &[]);
    }

    /// A pointer that was NULL came from the tape as a sum of an array and an offset, which compilers take for none: the
    /// adjoint stopped, or took the wrong branch.
    #[test]
    fn pointers_to_members_and_null_have_right_adjoints() {
        check("members.c", &["carried", "last", "largest", "global"]);
    }

    #[test]
    fn static_locals_that_are_assigned_first_have_right_adjoints() {
        check("statics.c", &["forward", "chosen", "work"]);
    }

    #[test]
    fn globals_that_keep_nothing_of_the_inputs_have_right_adjoints() {
        check("globals.c", &["scratch"]);
    }

    #[test]
    fn structs_of_libraries_have_right_adjoints() {
        check("objects.c", &["turned", "whole", "array_of_one", "returned"]);
    }

    #[test]
    fn what_a_head_names_has_an_adjoint_where_no_derivative_flows() {
        check("nothing_flows.c", &["constant", "scratch"]);
    }
}
