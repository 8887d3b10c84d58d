//! Variables of modules that calls leave allocated; one array under several names; texts, input and output.

use super::{check_flags, levels, right_at};
use crate::common::{Scratch, flags, fortran_module, root};
use std::process::Command;

const HEADS: &str = "guarded(x y)/(x y) tables(x y)/(x y) flagged(x y)/(x y) inside(x y)/(x y)";

fn sources(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    for file in ["lasting.f90", "lasting_main.f90"] {
        let text = std::fs::read_to_string(root().join("command/tests/fortran").join(file)).unwrap();
        folder.write(file, &text);
    }
    folder
}

/// Compiles an output with a main program; gives what it prints.
fn printed(folder: &Scratch, level: &str, files: &[&str]) -> String {
    let mut compiler = Command::new("gfortran");
    compiler.current_dir(&folder.0).args([level, "-g", "-fcheck=all", "-Wall", "-Wextra", "-std=f2018", "-I"]);
    compiler.arg(fortran_module()).args((level != "-O0").then_some("-Wno-maybe-uninitialized"));
    compiler.args(files).args(["-o", "test"]);
    let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !said.contains("Warning"), "{said}");
    let ran = Command::new(folder.0.join("test")).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}

/// In the call that allocates, in later ones, and where the program has allocated and nobody has the derivatives.
#[test]
fn adjoints_of_what_calls_leave_allocated_agree_with_tangents_and_differences() {
    let folder = sources("fortran-lasting");
    for more in [&[][..], &["--split"], &["--again=*"]] {
        folder.printed(&[&["adjoint", "lasting.f90", "--tangent", "--head", HEADS], more].concat());
        for level in levels() {
            let lines = printed(&folder, &level, &["lasting_b.f90", "lasting_main.f90"]);
            assert_eq!(lines, "right guarded\nright tables\nright flagged\nright inside\n", "{more:?}");
        }
    }
}

/// What a procedure sets and another one reads, each with an adjoint: the derivative of the variable goes between them.
/// The variable `w` is private where the head stands elsewhere.
#[test]
fn what_one_call_allocates_is_an_input_of_another() {
    let folder = Scratch::new("fortran-init");
    let text = "module state\nimplicit none\nprivate\nreal(8), allocatable :: w(:)\n\
                real(8), allocatable, public :: v(:, :)\npublic :: setup, squared\ncontains\n\
                subroutine setup(n, x)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\ninteger :: i\n\
                allocate (v(2, n))\ndo i = 1, n\nv(:, i) = x(i)**2\nend do\nend subroutine\n\
                function squared(x) result(s)\nreal(8), intent(in) :: x(:)\nreal(8) :: s\n\
                if (.not. allocated(w)) allocate (w(-1:size(x) - 2))\nw = x*x\ns = sum(w)\nend function\n\
                end module\nmodule model\nuse state\nimplicit none\ncontains\n\
                subroutine f(n, y)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: y(n)\n\
                y = y*v(1, :)*v(2, :)*squared(y)\nend subroutine\nend module\n";
    folder.write("model.f90", text);
    folder.printed(&["adjoint", "model.f90", "--head", "setup(v)/(x) f(y)/(y v)"]);
    let main = "program main\nuse state\nuse model\nimplicit none\nreal(8) :: x(3) = [1, 2, 3], x_b(3), y(3), y_b(3)\n\
                integer :: k\nallocate (v_b(2, 3))\ndo k = 1, 2\nif (allocated(v)) deallocate (v)\n\
                v_b = 0\ncall setup(3, x)\ny = 1\ny_b = 1\ncall f_b(3, y, y_b)\n\
                deallocate (v)\nx_b = 0\ncall setup_b(3, x, x_b)\nprint '(3f8.1, l2)', x_b, allocated(v)\n\
                end do\nend program\n";
    folder.write("main.f90", main);
    for level in levels() {
        // y is x**4*3.
        let lines = printed(&folder, &level, &["model_b.f90", "main.f90"]);
        assert_eq!(lines, "    12.0    96.0   324.0 T\n".repeat(2));
    }
}

#[test]
fn check_compares_what_calls_leave_allocated() {
    let folder = sources("fortran-lasting-check");
    let main = "program main\nuse lasting\nimplicit none\nreal(8) :: x(6), y(6), x_b(6) = 1, y_b(6) = 1\ninteger :: k\n\
                do k = 1, 2\nx = 0.1d0\ny = 0.2d0\ncall guarded_b(6, x, x_b, y, y_b)\n\
                call tables_b(6, x, x_b, y, y_b)\ncall flagged_b(6, x, x_b, y, y_b)\ncall inside_b(6, x, x_b, y, y_b)\nend do\nend program\n";
    folder.write("main.f90", main);
    let mut check = Command::new(env!("CARGO_BIN_EXE_adtape"));
    check.current_dir(&folder.0).args(["adjoint", "lasting.f90", "--head", HEADS, "--check", "main.f90"]);
    let output = check.env("ADTAPE_FLAGS", check_flags()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // Where the call itself allocates, no memory is there that could be compared.
    assert!(said.contains("check: guarded: not compared with its tangent"), "{said}");
    for head in ["guarded", "tables", "flagged", "inside"] {
        assert!(said.contains(&format!("check: {head}: differences")), "{said}");
    }
    assert!(said.contains(" 0 wrong"), "{said}");
}

/// Halves of an array, columns, elements and components of one variable, to dummies of which one is written.
#[test]
fn adjoints_of_parts_of_one_array_agree_with_tangents_and_differences() {
    let levels: Vec<String> = levels().into_iter().chain(["-O2".to_owned()]).collect();
    let names = ["halves", "columns", "elements", "parts", "written"];
    right_at(&levels, "apart.f90", Some("apart"), "-std=f2018", &names);
}

/// Variables with SAVE of procedures that are written out in their caller.
#[test]
fn adjoints_of_what_written_out_procedures_keep_agree_with_tangents_and_differences() {
    let levels: Vec<String> = levels().into_iter().chain(["-O2".to_owned()]).collect();
    right_at(&levels, "saved.f90", Some("saved"), "-std=f2018", &["once", "twice"]);
}

/// In two procedures it would be two variables; a value that changes from call to call is no constant.
#[test]
fn what_written_out_procedures_bring_from_call_to_call_is_refused() {
    let folder = Scratch::new("fortran-saved");
    let text = |first: &str, others: &str| {
        format!(
            "module m\nimplicit none\ncontains\nsubroutine grow(x, w)\nreal(8), intent(in) :: x(2)\n\
             real(8), allocatable, intent(out) :: w(:)\nreal(8), save :: last{first}\nallocate (w(2))\nw = last*x\n\
             last = x(1)\nend subroutine\nsubroutine f(x)\nreal(8), intent(inout) :: x(2)\n\
             real(8), allocatable :: w(:)\ncall grow(x, w)\nx = x*w\n{others}end subroutine\nsubroutine g(x)\n\
             real(8), intent(inout) :: x(2)\nreal(8), allocatable :: w(:)\ncall grow(x, w)\nx = x*w\n\
             end subroutine\nend module\n"
        )
    };
    for (first, others, says) in [
        ("", "", "'last' keeps its value from call to call"),
        (" = 1", "", "'last' keeps its value from call to call"),
        (
            " = 1",
            "call g(x)\n",
            "'last' keeps its value (SAVE) in a procedure that allocates for what calls it, and several",
        ),
    ] {
        folder.write("model.f90", &text(first, others));
        let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.starts_with("model.f90:7:18: error: refused: ") && said.contains(says), "{said}");
    }
}

/// Parts of texts, joined ones, what is asked of them, SELECT CASE; output that says how it went.
#[test]
fn adjoints_that_branch_on_texts_agree_with_tangents_and_differences() {
    let levels: Vec<String> = levels().into_iter().chain(["-O2".to_owned()]).collect();
    right_at(&levels, "texts.f90", Some("texts"), "-std=f2018", &["asked", "noted"]);
}

/// Sweeps leave input out: a variable that it sets had its old value there.
#[test]
fn what_a_file_says_is_refused() {
    let folder = Scratch::new("fortran-input");
    for (action, says) in [
        ("read (10, nml=par)", "READ sets the variables of a NAMELIST"),
        ("read (10, par)", "READ sets the variables of a NAMELIST"),
        ("inquire (file='a', exist=there)", "INQUIRE sets 'there'"),
        ("inquire (10, number=k)", "INQUIRE sets 'k'"),
        ("read (10, '(a)', iostat=k) line", "READ sets 'k'"),
        ("k = index(line, 'a')", "this text is computed with"),
    ] {
        let text = format!(
            "subroutine f(x)\nreal(8), intent(inout) :: x\ninteger :: k\nlogical :: there\ncharacter(8) :: line\n\
             namelist /par/ k\nk = 1\nthere = .true.\n{action}\nif (there) x = x*x*k\nend subroutine\n"
        );
        folder.write("model.f90", &text);
        let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{action}: {said}");
        assert!(said.starts_with("model.f90:9:") && said.contains(says), "{action}: {said}");
    }
}
