//! Procedures as arguments, what procedures allocate, modules in fixed form.

use super::{right, right_of};
use crate::common::{Scratch, flags, fortran_module, root};
use std::process::Command;

/// Each procedure that takes others is read once for each choice of them.
#[test]
fn adjoints_of_procedures_as_arguments_agree_with_tangents_and_differences() {
    let names = ["of_modules", "of_the_compiler", "inside", "only_read", "handed_on"];
    right("procedures", "-std=f2018", &names);
}

/// Which call's variables a procedure inside of another one has is known as long as the other one does not get it.
#[test]
fn a_procedure_that_gets_one_of_its_own_inside_is_refused() {
    let folder = Scratch::new("fortran-own-inside");
    let source = "recursive subroutine h(k, p, x)\ninteger, intent(in) :: k\nexternal :: p\nreal(8) :: x(3), z\n\
                  z = x(k)\nif (k > 1) then\ncall h(k - 1, q, x)\nelse\ncall p(x)\nend if\ncontains\n\
                  subroutine q(y)\nreal(8) :: y(3)\ny(2) = y(2)*z\nend subroutine\nend subroutine\n\
                  subroutine top(x)\nreal(8) :: x(3)\nexternal :: e\ncall h(2, e, x)\nend subroutine\n\
                  subroutine e(y)\nreal(8) :: y(3)\ny(1) = y(1)**2\nend subroutine\n";
    folder.write("model.f90", source);
    let output = folder.run(&["adjoint", "model.f90", "--head", "top(x)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("model.f90:1:1: error: refused: 'h' gets a procedure that is inside of it"), "{said}");
}

/// Lines of a module in fixed form stood as they were in an output in free form.
#[test]
fn modules_in_fixed_form_are_written_in_free_form() {
    right_of("columns.f", Some("columns"), "-std=gnu", &["long_lines", "tabs"]);
}

#[test]
fn adjoints_of_what_a_procedure_allocates_agree_with_tangents_and_differences() {
    right(
        "allocations",
        "-std=f2018",
        &["alike", "moved", "again", "inside", "asked", "passed", "returned", "same_shape"],
    );
}

/// Procedures that allocate dummies, components, results, variables of modules and of the host.
#[test]
fn adjoints_of_what_a_procedure_allocates_for_others_agree_with_tangents_and_differences() {
    let names = ["by_dummy", "by_growth", "by_result", "by_module", "by_component", "by_inside", "by_pass"];
    let more = ["by_size", "by_element", "labels", "parents"];
    right("makers", "-std=gnu", &[&names[..], &more].concat());
}

/// What a procedure allocates for others must be known where they use it, and end in the call.
#[test]
fn what_outlives_the_call_or_a_branch_is_refused() {
    let folder = Scratch::new("fortran-outlives");
    let head = "module m\nimplicit none\nreal(8), allocatable :: w(:)\ncontains\n\
                subroutine grow(a, n)\nreal(8), allocatable, intent(inout) :: a(:)\ninteger, intent(in) :: n\n\
                if (allocated(a)) deallocate (a)\nallocate (a(n))\na = 1\nend subroutine\n\
                subroutine init()\nif (.not. allocated(w)) allocate (w(2))\nw = 2\nend subroutine\n\
                subroutine f(x)\nreal(8), intent(inout) :: x(2)\nreal(8), allocatable :: v(:)\n";
    let cases = [
        (
            "allocate (w(2))\nw = x\ndeallocate (w)\nallocate (w(2))\nw = 2\nx = w*x\n",
            "'w' is still allocated where the head ends",
        ),
        ("call init()\nx = x*w\ndeallocate (w)\n", "whether this is allocated depends on what ran before"),
        ("if (x(1) > 0) call grow(v, 2)\nx = x*v\n", "'v' is used behind the branch or the loop"),
        ("call grow(v, 2)\nif (x(1) > 0) call grow(v, 2)\nx = x*v\n", "'a' is deallocated here"),
        ("call grow(v, size(v))\nx = x*v\n", "'v' is used where the statements before have not allocated it"),
    ];
    for (body, expected) in cases {
        folder.write("model.f90", &format!("{head}{body}end subroutine\nend module\n"));
        let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{body}: {said}");
        assert!(said.contains(expected), "{body}: {said}");
    }
}

/// A procedure that returns to a label is written out, so it may not be the head.
#[test]
fn a_head_that_returns_to_a_label_is_refused() {
    let folder = Scratch::new("fortran-label");
    folder.write("model.f90", "subroutine f(x, *)\nreal(8) :: x\nx = x*x\nif (x > 2) return 1\nend subroutine\n");
    let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with("model.f90:1:1: error: refused: an alternate return is not supported in a head"),
        "{said}"
    );
}

/// Derivatives do not allocate a variable anew in a loop: the run ends there.
#[test]
fn an_assignment_that_gives_another_shape_stops_the_run() {
    let folder = Scratch::new("fortran-other-shape");
    let source = "subroutine f(n, m, x)\ninteger, intent(in) :: n, m\nreal(8), intent(inout) :: x(n)\n\
                  real(8), allocatable :: a(:)\ninteger :: i\nallocate (a(n))\ndo i = 1, 2\na = x(1:m)**2\n\
                  x(1:m) = a(1:m)\nend do\nend subroutine\n";
    folder.write("model.f90", source);
    let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (m, works) in [(3, true), (2, false)] {
        let main =
            format!("program main\nexternal :: f_b\nreal(8) :: x(3) = 2, y(3) = 1\ncall f_b(3, {m}, x, y)\nend\n");
        folder.write("main.f90", &main);
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(&folder.0).args(["model.f90", "model_b.f90", "main.f90", "-o", "test", "-I"]);
        compiler.arg(fortran_module()).arg(fortran_module().join("libadtape_fortran.a")).args(flags());
        let built = compiler.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(folder.0.join("test")).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.success(), works, "{said}");
        assert!(works || said.contains("line 8: a gets another shape here"), "{said}");
    }
}

#[test]
fn adjoints_of_own_assignments_and_components_that_are_allocated_agree_with_differences() {
    let names = ["assigned", "components", "nested", "in_branches", "moved", "written", "byval"];
    right("language", "-std=f2018", &names);
}

/// Where an adjoint is missing, the run ends with a message; it crashed.
#[test]
fn an_adjoint_that_is_not_allocated_stops_the_run_with_its_name() {
    let folder = Scratch::new("fortran-not-allocated");
    let text = "module state\nimplicit none\nreal(8), allocatable :: v(:)\ntype :: field\n\
                real(8), allocatable :: a(:)\nend type\nend module\nmodule model\nuse state\nimplicit none\n\
                contains\nsubroutine f(g, y)\ntype(field), intent(in) :: g\nreal(8), intent(inout) :: y\n\
                v = v*g%a\ny = sum(v)\nend subroutine\nend module\n";
    folder.write("model.f90", text);
    folder.printed(&["adjoint", "model.f90", "--head", "f(y)/(g)"]);
    let main = |allocated: &str| {
        format!(
            "program main\nuse state\nuse model\nimplicit none\ntype(field) :: g, g_b\n\
             real(8) :: y, y_b\nallocate (v(3), g%a(3))\n{allocated}\nv = 2\ng%a = 3\ny_b = 1\n\
             call f_b(g, g_b, y, y_b)\nprint *, g_b%a\nend program\n"
        )
    };
    for (allocated, missing) in [
        ("allocate (v_b(3), g_b%a(3))\nv_b = 0\ng_b%a = 0", None),
        ("allocate (g_b%a(3))", Some("v_b is not allocated: allocate it with the extents of v")),
        ("allocate (v_b(3))", Some("g_b%a is not allocated: allocate it with the extents of g%a")),
    ] {
        folder.write("main.f90", &main(allocated));
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(&folder.0).args(["-Wall", "-Wextra", "-std=f2018", "-I"]).arg(fortran_module());
        compiler.args(["model_b.f90", "main.f90", "-o", "test"]);
        let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(folder.0.join("test")).output().unwrap();
        let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert_eq!(ran.status.success(), missing.is_none(), "{lines}{errors}");
        assert!(missing.is_none_or(|missing| errors.contains(missing)), "{errors}");
    }
}

/// Functions of angles in degrees, which gfortran has by an option before version 14.
#[test]
fn adjoints_of_angles_in_degrees_are_those_of_radians() {
    let folder = Scratch::new("fortran-degrees");
    let text = "module angles\nimplicit none\ncontains\nsubroutine f(x, y)\nreal(8), intent(in) :: x(7)\n\
                real(8), intent(inout) :: y\n\
                y = sind(x(1)) + cosd(x(2)) + tand(x(3)) + asind(x(4)) + acosd(x(5)) + atand(x(6)) + atan2d(x(6), x(7))\n\
                end subroutine\nend module\n";
    folder.write("angles.f90", text);
    folder.printed(&["adjoint", "angles.f90", "--head", "f(y)/(x)"]);
    let main = "program main\nuse angles\nimplicit none\nreal(8) :: x(7), b(7), y, y_b, low, high, s(7)\ninteger :: i\n\
                x = [30d0, 50d0, 20d0, 0.3d0, 0.4d0, 0.5d0, 0.7d0]\nb = 0\ny_b = 1\ncall f_b(x, b, y, y_b)\n\
                do i = 1, 7\ns = x\ns(i) = x(i) + 1d-6\ncall f(s, high)\ns(i) = x(i) - 1d-6\ncall f(s, low)\n\
                if (abs(b(i) - (high - low)/2d-6) > 1d-6*abs(b(i))) error stop 'wrong'\nend do\nend program\n";
    folder.write("main.f90", main);
    let mut compiler = Command::new("gfortran");
    compiler.current_dir(&folder.0).args(["-fdec-math", "-I"]).arg(fortran_module());
    compiler.args(["angles_b.f90", "main.f90", "-o", "test"]);
    let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.0.join("test")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Locality of DO CONCURRENT, which gfortran reads from version 15 on: its loops are those of DO.
#[test]
fn locality_of_do_concurrent_is_that_of_each_pass() {
    let folder = Scratch::new("fortran-concurrent");
    let text = "subroutine f(n, x, y)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n), y(n)\n\
                real(8) :: t, s\ninteger :: i\nt = x(1)\ns = 2\n\
                do concurrent (i = 1:n) local(t) local_init(s) shared(x, y) default(none)\n\
                t = x(i)*s\ns = t\ny(i) = y(i)*s\nend do\ny(1) = y(1)*t*s\nend subroutine\n";
    folder.write("model.f90", text);
    folder.printed(&["adjoint", "model.f90", "--head", "f(y)/(x)"]);
    let main = "program main\nimplicit none\nreal(8) :: x(3) = [2, 3, 5], x_b(3) = 0, y(3) = 1, y_b(3) = 1\n\
                external :: f_b\ncall f_b(3, x, x_b, y, y_b)\nprint '(3f6.1)', x_b\nend program\n";
    folder.write("main.f90", main);
    let mut compiler = Command::new("gfortran");
    compiler.current_dir(&folder.0).arg("-I").arg(fortran_module()).args(["model_b.f90", "main.f90", "-o", "test"]);
    let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.0.join("test")).output().unwrap();
    // y(1) = 2 x(1) * x(1) * 2.
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "  16.0   2.0   2.0\n");
}

/// A file with the name of fixed form that has lines of free form.
#[test]
fn free_form_in_a_file_with_the_name_of_fixed_form_is_read() {
    let folder = Scratch::new("fortran-free-f");
    let text = "module model\nimplicit none\ncontains\nsubroutine f(n, x)\n  integer, intent(in) :: n\n\
                #ifdef TWICE\n  real(8), intent(inout) :: x(n) ! as it is\n#endif\n  x(1) = x(1) &\n    *x(2)\n\
                end subroutine\nend module\n";
    folder.write("model.F", text);
    folder.printed(&["adjoint", "model.F", "-DTWICE", "--head", "f(x)/(x)"]);
    assert!(folder.read("model_b.f90").contains("x(1) = x(1) &"));
}

/// Allocatable variables of modules, allocatable arguments, COMMON.
#[test]
fn check_compares_allocatable_memory_and_common() {
    let folder = Scratch::new("fortran-check-memory");
    for file in ["memory.f90", "memory_main.f90"] {
        let text = std::fs::read_to_string(root().join("command/tests/fortran").join(file)).unwrap();
        folder.write(file, &text);
    }
    let head = "f(y)/(x w table) g(y t)/(t) h(y a)/(x a b)";
    let mut check = Command::new(env!("CARGO_BIN_EXE_adtape"));
    check.current_dir(&folder.0).args(["adjoint", "memory.f90", "--head", head, "--check", "memory_main.f90"]);
    let output = check.env("ADTAPE_FLAGS", super::check_flags()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for head in ["f", "g", "h"] {
        assert!(said.contains(&format!("check: {head}: differences")), "{said}");
    }
    assert!(said.contains("of 'table'") && said.contains(" 0 wrong"), "{said}");
}

#[test]
fn comments_above_statements_stand_in_forward_sweeps() {
    let folder = Scratch::new("fortran-comments");
    let free = "subroutine f(n, x)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: x(n)\n  integer :: i\n  \
                ! All cells.\n  ! From the first on.\n  do i = 2, n\n    !$omp flush\n    !dir$ nothing\n    \
                x(i) = x(i)*x(i - 1)\n    ! Once more.\n    if (x(i) > 1) x(i) = sin(x(i)) ! too large\n  end do\nend\n";
    let fixed = "      subroutine f(n, x)\n      integer n, i\n      real*8 x(n)\nc     All cells.\n* From the first on.\n      \
                 do 10 i = 2, n\n      x(i) = x(i)*x(i - 1)\n! Once more.\n10    if (x(i) .gt. 1) x(i) = sin(x(i))\n      \
                 end\n";
    for (file, text) in [("free.f90", free), ("fixed.f", fixed)] {
        folder.write(file, text);
        folder.printed(&["adjoint", file, "--head", "f(x)/(x)", "-o", "model_b.f90"]);
        let written = folder.read("model_b.f90");
        let comments = |part: &str| {
            let part = written.split("subroutine f_").find(|found| found.starts_with(part)).unwrap().to_string();
            let lines = part.lines().filter_map(|line| line.trim_start().strip_prefix('!'));
            lines.map(|line| line.trim().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(comments("fwd"), ["All cells.", "From the first on.", "Once more."], "{written}");
    }
}
