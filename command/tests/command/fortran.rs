//! Adjoints and tangents of Fortran in Fortran, compiled by gfortran and compared with each other and with differences.

mod further;

mod speed;
mod state;

use std::process::Command;

use crate::common::{Scratch, flags, fortran_module, root};

/// The levels of optimisation that programs are compiled at: `make matrix` names others in `TEST_LEVELS`.
fn levels() -> Vec<String> {
    let named = std::env::var("TEST_LEVELS").unwrap_or_else(|_| "-O0".to_owned());
    named.split_whitespace().map(str::to_owned).collect()
}

/// A program that compares the adjoints of subroutines `(n, x, y)`, of a module or external, with their tangents and with differences.
fn driver(module: Option<&str>, names: &[&str]) -> String {
    let of_module = module.map(|module| format!("  use {module}\n"));
    let external = |name: &&str| format!("  procedure() :: {name}, {name}_b, {name}_d\n");
    let of_file = if module.is_none() { names.iter().map(external).collect() } else { String::new() };
    let of_module = of_module.unwrap_or_default();
    let calls: String =
        names.iter().map(|name| format!("  call check('{name}', {name}, {name}_b, {name}_d)\n")).collect();
    format!(
        "program main\n{of_module}  implicit none\n{of_file}  integer, parameter :: n = 8\n\
         {calls}contains\n\
         subroutine check(name, f, f_b, f_d)\n\
         character(*), intent(in) :: name\n\
         interface\n\
         subroutine f(n, x, y)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: x(n), y(n)\n  end subroutine\n\
         subroutine f_b(n, x, x_b, y, y_b)\n  integer, intent(in) :: n\n\
         real(8), intent(inout) :: x(n), x_b(n), y(n), y_b(n)\n  end subroutine\n\
         subroutine f_d(n, x, x_d, y, y_d)\n  integer, intent(in) :: n\n\
         real(8), intent(inout) :: x(n), x_d(n), y(n), y_d(n)\n  end subroutine\n\
         end interface\n\
         real(8) :: x0(n), y0(n), x(n), y(n), xb(n), yb(n), wx(n), wy(n), dx(n), dy(n)\n  real(8) :: xd(n), yd(n), low, high, expected, found, along\n\
         real(8), parameter :: h = 1d-6\n  integer :: i\n\
         do i = 1, n\n\
         x0(i) = 0.2d0 + 0.11d0*i + 0.01d0*mod(i*i, 5)\n  y0(i) = 0.3d0 + 0.17d0*mod(3*i, 7)\n\
         wx(i) = 0.7d0 - 0.1d0*i\n  wy(i) = 0.4d0 + 0.05d0*i*i\n\
         dx(i) = 0.3d0 + 0.2d0*mod(i, 3)\n  dy(i) = 0.5d0 - 0.1d0*mod(i, 4)\n\
         end do\n\
         x = x0 + h*dx\n  y = y0 + h*dy\n  call f(n, x, y)\n  high = sum(wx*x) + sum(wy*y)\n\
         x = x0 - h*dx\n  y = y0 - h*dy\n  call f(n, x, y)\n  low = sum(wx*x) + sum(wy*y)\n\
         expected = (high - low)/(2*h)\n\
         x = x0\n  y = y0\n  xb = wx\n  yb = wy\n  call f_b(n, x, xb, y, yb)\n\
         found = sum(xb*dx) + sum(yb*dy)\n\
         x = x0\n  y = y0\n  xd = dx\n  yd = dy\n  call f_d(n, x, xd, y, yd)\n\
         along = sum(wx*xd) + sum(wy*yd)\n\
         if (abs(found - along) > 1d-12*max(1d0, abs(along))) then\n\
         print '(a, 2es24.15)', 'WRONG '//name//': the tangent says', along, found\n\
         else if (abs(found - expected) <= 1d-6*max(1d0, abs(expected))) then\n\
         print '(a)', 'right '//name\n  else\n  print '(a, 2es24.15)', 'WRONG '//name, found, expected\n  end if\n\
         end subroutine\nend program\n"
    )
}

/// Each public procedure of a module is right at each of the [`levels`], without a warning of what was generated.
fn right(file: &str, standard: &str, names: &[&str]) {
    right_of(&format!("{file}.f90"), Some(file), standard, names);
}

/// As [`right`], for the procedures of any file. The sources of external procedures are compiled as they are.
fn right_of(source: &str, module: Option<&str>, standard: &str, names: &[&str]) {
    right_at(&levels(), source, module, standard, names);
}

/// As [`right_of`], at some levels of optimisation.
fn right_at(levels: &[String], source: &str, module: Option<&str>, standard: &str, names: &[&str]) {
    let stem = source.split('.').next().unwrap();
    let folder = Scratch::new(&format!("fortran-{stem}"));
    let text = std::fs::read_to_string(root().join(format!("command/tests/fortran/{source}"))).unwrap();
    folder.write(source, &text);
    let heads: Vec<String> = names.iter().map(|name| format!("{name}(x y)/(x y)")).collect();
    let mut arguments = vec!["adjoint", source, "--tangent"];
    heads.iter().for_each(|head| arguments.extend(["--head", head.as_str()]));
    let output = folder.run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.write("main.f90", &driver(module, names));
    let adjoint = format!("{stem}_b.f90");
    for level in levels {
        let mut objects = vec![adjoint.as_str(), "main.f90"];
        if module.is_none() {
            let mut compiler = Command::new("gfortran");
            compiler.current_dir(&folder.0).args([level.as_str(), "-g", "-fcheck=all", "-std=legacy", "-c", source]);
            let built = compiler.args(["-o", "source.o"]).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
            objects.push("source.o");
        }
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(&folder.0).args([level.as_str(), "-g", "-fcheck=all", "-Wall", "-Wextra", standard]);
        compiler.args(["-Wno-unused-dummy-argument", "-I"]).arg(fortran_module());
        // Optimised, it warns of contents that are kept before they have a value, and of bounds of components that are not
        // allocated. Nobody reads either.
        compiler.args((level != "-O0").then_some("-Wno-maybe-uninitialized"));
        compiler.args(objects).args(["-o", "test"]);
        let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success() && !said.contains("Warning"), "{said}");
        let ran = Command::new(folder.0.join("test")).output().unwrap();
        let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        let expected: String = names.iter().map(|name| format!("right {name}\n")).collect();
        assert_eq!(lines, expected, "{errors}");
    }
}

#[test]
fn adjoints_of_fortran_agree_with_tangents_and_differences() {
    let loops = ["loops", "ways_out", "cases", "calls", "globals", "kinds", "powers"];
    let arrays = ["arrays", "sections", "masks", "reductions", "matrices"];
    right("basic", "-std=f2018", &[&loops[..], &arrays].concat());
}

#[test]
fn adjoints_of_fortran_with_calls_agree_with_tangents_and_differences() {
    let calls = ["by_reference", "recursion", "counters", "copies", "statement", "steps"];
    let others = ["decided", "bounds", "constants", "mixed", "nested", "names", "once", "entered"];
    right("calls", "-std=gnu", &[&calls[..], &others].concat());
}

/// Texts, messages, constants of the machine, arguments that are left out, arrays as results, variables of the host.
#[test]
fn adjoints_of_what_goes_between_procedures_agree_with_tangents_and_differences() {
    let names = ["texts", "messages", "machine", "left_out", "returned", "hosted", "around"];
    let expressions = ["listed", "reshaped", "along", "everywhere", "folded"];
    right("passed", "-std=gnu", &[&names[..], &expressions].concat());
}

/// FORALL took masks and values from elements that it had assigned.
#[test]
fn adjoints_of_elements_at_other_places_agree_with_tangents_and_differences() {
    let names = ["before", "views", "strided", "shifts", "selected", "places", "along"];
    right("rearranged", "-std=f2008", &names);
}

#[test]
fn adjoints_of_functions_with_derived_types_agree_with_tangents_and_differences() {
    right("operators", "-std=f2018", &["steps", "called", "elements", "lists"]);
}

#[test]
fn a_head_names_a_result_by_its_variable() {
    let folder = Scratch::new("fortran-result");
    let text = "function energy(n, x) result(total)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\n\
                real(8) :: total\ntotal = sum(x**2)\nend function\n";
    folder.write("model.f90", text);
    folder.printed(&["adjoint", "model.f90", "--head", "energy(total)/(x)", "-o", "one_b.f90"]);
    folder.printed(&["adjoint", "model.f90", "--head", "energy(energy)/(x)", "-o", "other_b.f90"]);
    let text = |name: &str| folder.read(name).lines().filter(|line| !line.starts_with('!')).collect::<String>();
    assert_eq!(text("one_b.f90").replace("one_b", "other_b"), text("other_b.f90"));
}

#[test]
fn adjoints_of_nested_masks_and_lists_agree_with_tangents_and_differences() {
    right("masks", "-std=f2018", &["nested", "listed", "elements", "parts"]);
}

/// `call pair(x, x, t)` adds to one array under two names: an optimiser took them for different memory.
#[test]
fn adjoints_that_a_call_passes_twice_may_share_memory() {
    right_at(&["-O2".to_owned()], "twice.f90", Some("twice"), "-std=f2018", &["arrays", "further", "outside"]);
}

/// The module is copied as the preprocessor left it: its conditions and macros are none of the output's.
#[test]
fn modules_of_preprocessed_sources_are_copied_preprocessed() {
    let folder = Scratch::new("fortran-preprocessed");
    let text = "#define SCALE 3\nmodule model\n  implicit none\n  integer, parameter :: k = SCALE\n#ifdef DEEP\n\
                integer, parameter :: depth = __LINE__\n#else\n  integer, parameter :: depth = 0\n#endif\n\
                contains\n  subroutine f(n, x)\n    integer, intent(in) :: n\n    real(8), intent(inout) :: x(n)\n\
                x(1) = SCALE*x(2)**2 + depth\n  end subroutine\nend module\n";
    folder.write("model.F90", text);
    folder.printed(&["adjoint", "model.F90", "-DDEEP", "--head", "f(x)/(x)"]);
    let written = folder.read("model_b.f90");
    assert!(!written.contains("SCALE") && !written.contains('#') && written.contains("depth = 6"), "{written}");
    let mut compile = Command::new("gfortran");
    compile.args(["-Wall", "-Werror", "-c", "model_b.f90", "-I"]).arg(fortran_module()).current_dir(&folder.0);
    let output = compile.output().expect("gfortran");
    assert!(output.status.success(), "{}\n{written}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn adjoints_of_derived_types_agree_with_differences() {
    let names = ["scalars", "inside", "cells", "passed", "constructed", "kept", "sections", "stored"];
    right("types", "-std=f2018", &names);
}

/// Adjoints of components and of variables of modules that the caller has allocated, with bounds of their own.
#[test]
fn adjoints_of_allocatable_components_agree_with_differences() {
    let folder = Scratch::new("fortran-held");
    for file in ["held", "held_main"] {
        let text = std::fs::read_to_string(root().join(format!("command/tests/fortran/{file}.f90"))).unwrap();
        folder.write(&format!("{file}.f90"), &text);
    }
    let head =
        "step(f)/(f x) pass(cost)/(g x) through(cost store)/(x store) march(cost)/(x temperature) filtered(cost)/(t)";
    let output = folder.run(&["adjoint", "held.f90", "--head", head]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for level in levels() {
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(&folder.0).args([
            level.as_str(),
            "-g",
            "-fcheck=all",
            "-Wall",
            "-Wextra",
            "-std=f2018",
            "-I",
        ]);
        compiler.arg(fortran_module()).args(["held_b.f90", "held_main.f90", "-o", "test"]);
        let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success() && !said.contains("Warning"), "{said}");
        let ran = Command::new(folder.0.join("test")).output().unwrap();
        let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert_eq!(lines, "right step\nright pass\nright through\nright march\nright filtered\n", "{errors}");
    }
}

#[test]
fn adjoints_of_old_fortran_agree_with_differences() {
    let jumps = ["forward", "backward", "shared", "outward", "computed", "signs", "tangled", "levels"];
    right_of("legacy.f", None, "-std=f2018", &[&jumps[..], &["renamed", "halved"]].concat());
    let memory = ["sharing", "layouts", "equal", "beside", "tables", "kept"];
    right_of("common.f", None, "-std=gnu", &memory);
    right("blocks", "-std=gnu", &["cornered", "paired", "leaving"]);
    right("inside", "-std=f2018", &["inner", "other"]);
}

#[test]
fn loops_of_fortran_run_again_as_directives_say() {
    right("stepping", "-std=f2018", &["march", "until", "blocks", "rows"]);
    let folder = Scratch::new("fortran-stepping-text");
    let text = std::fs::read_to_string(root().join("command/tests/fortran/stepping.f90")).unwrap();
    folder.write("stepping.f90", &text);
    let explained = folder.printed(&["adjoint", "stepping.f90", "--head", "rows(x y)/(x y)", "--explain"]);
    assert!(explained.contains("run again"), "{explained}");
    let head = "march(x y)/(x y) until(x y)/(x y) blocks(x y)/(x y)";
    folder.printed(&["adjoint", "stepping.f90", "--head", head]);
    let written = folder.read("stepping_b.f90");
    let made = written.lines().filter_map(|line| line.split_once("= passes_create(")).map(|(_, made)| made);
    assert_eq!(made.collect::<Vec<_>>(), ["3_8, 20_8)", "2_8, -1_8)", "2_8, -1_8)"], "{written}");
    folder.write("wrong.f90", &text.replace("!$ad again", "!$ad rerun"));
    let output = folder.run(&["adjoint", "wrong.f90", "--head", "rows(x y)/(x y)"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("wrong.f90:71:5: error: refused: in front of this loop stands '!$ad rerun'"), "{said}");
}

/// Directions at once: the first against differences, the third against the sum of the others.
#[test]
fn several_adjoints_of_fortran_at_once_are_those_of_each_direction() {
    let folder = Scratch::new("fortran-vector");
    for (file, from) in [("heads", "heads"), ("outside", "heads_outside"), ("main", "heads_vector")] {
        let text = std::fs::read_to_string(root().join(format!("command/tests/fortran/{from}.f90"))).unwrap();
        folder.write(&format!("{file}.f90"), &text);
    }
    let head = "total(total)/(x scale) mixed(y state)/(x y state scale) outside(y)/(x a y)";
    folder.printed(&["adjoint", "heads.f90", "outside.f90", "--vector", "3", "--head", head]);
    let verified = folder.run(&["adjoint", "--verify", "heads_bv.f90"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let mut compiler = Command::new("gfortran");
    compiler
        .current_dir(&folder.0)
        .args(["-g", "-fcheck=all", "-Wall", "-Wextra", "-std=f2018", "-I"])
        .arg(fortran_module());
    compiler.args(["heads_bv.f90", "outside.f90", "main.f90", "-o", "test"]);
    let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !said.contains("Warning"), "{said}");
    let ran = Command::new(folder.0.join("test")).output().unwrap();
    let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(lines, "right total\nright mixed\nright outside\n", "{errors}");
}

/// Assumed shapes, results, derivatives of arguments by value, a procedure that no module contains.
#[test]
fn tangents_stand_in_a_file_of_their_own() {
    let folder = Scratch::new("fortran-tangents");
    for (file, from) in [("heads", "heads"), ("outside", "heads_outside"), ("main", "heads_main")] {
        let text = std::fs::read_to_string(root().join(format!("command/tests/fortran/{from}.f90"))).unwrap();
        folder.write(&format!("{file}.f90"), &text);
    }
    let head = "total(total)/(x scale) mixed(y state)/(x y state scale) outside(y)/(x a y)";
    let output = folder.run(&["tangent", "heads.f90", "outside.f90", "--head", head]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut compiler = Command::new("gfortran");
    compiler.current_dir(&folder.0).args(["-g", "-fcheck=all", "-Wall", "-Wextra", "-std=f2018"]);
    let built = compiler.args(["heads_d.f90", "outside.f90", "main.f90", "-o", "test"]).output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !said.contains("Warning"), "{said}");
    let ran = Command::new(folder.0.join("test")).output().unwrap();
    let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(lines, "right total\nright mixed\nright outside\n", "{errors}");
}

/// What the compiler of a check needs.
fn check_flags() -> String {
    let all = [
        format!("-I{}", fortran_module().display()),
        fortran_module().join("libadtape_fortran.a").display().to_string(),
    ];
    let all: Vec<String> = all.into_iter().chain(flags()).map(|flag| format!("'{flag}'")).collect();
    all.join(" ")
}

/// Runs the check of heads of every kind with something wrong.
fn checked(folder: &Scratch, wrong: &str, more: &[&str], compiler: &str) -> (Option<i32>, String) {
    let head = "total(total)/(x scale) mixed(y state)/(x y state scale) outside(y)/(x a y)";
    let mut run = Command::new(env!("CARGO_BIN_EXE_adtape"));
    run.current_dir(&folder.0).args(["adjoint", "outside.f90", "heads.f90", "--head", head, "--check", "main.f90"]);
    run.env("ADTAPE_FLAGS", check_flags()).env("FC", compiler).env("WRONG", wrong);
    let output = run.args(more).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn check_of_fortran_compares_and_tells_what_is_wrong() {
    let folder = Scratch::new("fortran-check");
    for (file, from) in [("heads", "heads"), ("outside", "heads_outside"), ("main", "heads_check")] {
        let text = std::fs::read_to_string(root().join(format!("command/tests/fortran/{from}.f90"))).unwrap();
        folder.write(&format!("{file}.f90"), &text);
    }
    // A module of an earlier build is none of the check's.
    folder.write("heads.mod", "of an earlier build");
    let (status, said) = checked(&folder, "nothing", &[], "gfortran");
    assert_eq!(status, Some(0), "{said}");
    for head in ["total", "mixed", "outside"] {
        assert!(said.contains(&format!("check: {head}: tangent-adjoint product")), "{said}");
        assert!(said.contains(&format!("check: {head}: differences")), "{said}");
    }
    assert!(said.contains("operands compared, 0 wrong\n"), "{said}");
    let (status, said) = checked(&folder, "nothing", &["--again", "*"], "gfortran");
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = checked(&folder, "overlap", &[], "gfortran");
    assert_eq!(status, Some(4), "{said}");
    assert!(
        said.contains("check: outside: some of its arguments 'x' and 'y' overlap: pass different memory"),
        "{said}"
    );
    assert!(said.contains("check: outside: adjoint and tangent differ"), "{said}");
    let (status, said) = checked(&folder, "bounds", &[], "gfortran");
    assert_eq!(status, Some(4), "{said}");
    let (status, said) = checked(&folder, "nothing", &[], "no-such-compiler");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("no-such-compiler does not run") && said.contains("apt install gfortran"), "{said}");
}

#[test]
fn long_names_break_no_line_of_what_is_written() {
    let folder = Scratch::new("fortran-long-names");
    let name = |stem: &str| format!("{stem}_of_the_upper_layer_of_the_ocean_at_noon");
    let (f, x, y) = (name("change"), name("temperature"), name("salinity"));
    folder.write(
        "model.f90",
        &format!("subroutine {f}(&\n  {x}, {y})\nreal(8) :: {x}, &\n  {y}\n{y} = &\n  {x}* &\n  {y}\nend\n"),
    );
    let output = folder.run(&["adjoint", "model.f90", "--head", &format!("{f}({y})/({x} {y})")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(folder.0.join("model_b.f90")).unwrap();
    assert!(written.lines().any(|line| line.trim_start().starts_with('!') && line.len() > 80), "{written}");
    let mut compile = Command::new("gfortran");
    compile
        .args(["-std=f2018", "-Wall", "-Werror", "-c", "model_b.f90", "-I"])
        .arg(fortran_module())
        .current_dir(&folder.0);
    let output = compile.output().expect("gfortran");
    assert!(output.status.success(), "{}\n{written}", String::from_utf8_lossy(&output.stderr));
    // What the check writes calls the head, too.
    let main = format!(
        "program main\nexternal :: {f}_b\nreal(8) :: a = 2, b = 3, c = 0, d = 1\ncall {f}_b(a, c, b, d)\nend program\n"
    );
    folder.write("main.f90", &main);
    let mut check = Command::new(env!("CARGO_BIN_EXE_adtape"));
    check.current_dir(&folder.0).env("ADTAPE_FLAGS", check_flags()).args(["adjoint", "model.f90", "--head"]);
    let output = check.arg(format!("{f}({y})/({x} {y})")).args(["--check", "main.f90"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What Fortran cannot have yet is refused with its line, and nothing is written.
#[test]
fn what_is_not_supported_of_fortran_is_refused_at_its_line() {
    let folder = Scratch::new("fortran-refused");
    let model = |declared: &str, action: &str| {
        format!(
            "subroutine f(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(n)\n{declared}\n{action}\nend\n"
        )
    };
    for (declared, action, says) in [
        (
            "real(8), save :: s",
            "s = s + x(1); x(2) = s",
            "model.f90:4:18: error: refused: 's' keeps its value from call to call",
        ),
        (
            "",
            "call g(x(1))\ncontains\nsubroutine g(a)\nreal(8) :: a\na = a*x(2)\nend subroutine",
            "model.f90:5:8: error: refused: 'x' is passed as 'a' to what names it, too, and one of both is written there",
        ),
        (
            "real(8) :: s\ncommon /c/ s",
            "s = x(2)\ncall g(s)\nx(1) = s\ncontains\nsubroutine g(a)\nreal(8) :: a, t\ncommon /c/ t\na = 2\n\
             t = t + 1\nend subroutine",
            "model.f90:7:8: error: refused: 's' is passed as 'a' to what names it, too",
        ),
        (
            "",
            "call g(x(1))\ncontains\nsubroutine g(a, b)\nreal(8) :: a\nreal(8), optional :: b\na = a*b\n\
             end subroutine",
            "model.f90:10:7: error: refused: 'b' is optional, and a call of this procedure leaves it out",
        ),
        (
            "character(8) :: s",
            "write (s, *) n\nif (s == 'a') x(1) = 2*x(2)",
            "model.f90:6:5: error: refused: this text is computed with",
        ),
        (
            "real(8), allocatable :: a(:)",
            "allocate (a(n))\na = x\ncall g\ncontains\nsubroutine g\nx(1) = a(2)\nend subroutine",
            "",
        ),
        (
            "real(8), allocatable :: a(:)",
            "call g\nallocate (a(n))\ncontains\nsubroutine g\nx(1) = a(2)\nend subroutine",
            "'a' is used where the statements before have not allocated it",
        ),
        ("integer :: k = 0", "k = k + 1; x(1) = x(2)*k", "model.f90:4:12: error: refused: 'k' keeps its value"),
        ("integer :: k\ndata k /3/", "x(1) = x(2)*k; k = k + 1", "model.f90:4:12: error: refused: 'k' keeps its value"),
        ("save", "t = t*x(1) + 1; x(2) = t", "refused: 't' keeps its value from call to call"),
        ("real(8) :: s\ncommon /c/ s", "s = s*x(1); x(2) = s", "refused: 'f' reads 's' here as its last call left it"),
        ("real(8) :: s\nreal(4) :: t\nequivalence (s, t)", "s = x(1); x(2) = t", "has another type"),
        (
            "real(8) :: s\nreal(4) :: t(2)\ncommon /c/ s\nequivalence (s, t)",
            "s = x(1); x(2) = t(1)",
            "refused: 's' shares memory with 't', which has another type",
        ),
        ("complex(8) :: z", "z = x(1)", "complex numbers are not supported"),
        (
            "real(8), allocatable :: a(:)",
            "allocate (a(3)); if (n > 2) a = x(1:2)",
            "model.f90:5:29: error: refused: this assignment allocates 'a' anew where the shapes differ",
        ),
        (
            "type :: t\nreal :: a\nend type\ntype(t) :: s",
            "s%a = x(1)",
            "refused: 's': its type 't' is declared outside of modules",
        ),
        (
            "external g",
            "call g(n, x)",
            "model.f90:5:6: error: refused: 'g' is called here and its source is not among the inputs",
        ),
        (
            "",
            "if (n > 2) then\n10 x(1) = x(1)*x(2)\nend if\nif (x(1) < 5) goto 10",
            "model.f90:8:20: error: refused: this jump to 10 leads into a construct",
        ),
        (
            "",
            "call g(h)\ncontains\nsubroutine g(p)\nexternal p, h\ncall p(n, x)\nend subroutine",
            "model.f90:9:6: error: refused: 'p' is an argument, and no call says which procedure it is",
        ),
        ("integer :: k", "assign 10 to k\ngoto k\n10 x(1) = 2*x(1)", "refused: an assigned GOTO is not supported"),
        ("", "read (*, *) x(1)", "model.f90:5:1: error: refused: READ sets 'x'"),
        ("integer :: k(9)", "k(k(1:3)) = 2\nx(k(1)) = x(2)", "refused: subscripts of 'k' are computed from itself"),
        ("", "call g(x)\nend\nsubroutine h(x)\nreal(8) :: x(2)\nentry g(x)\nx(1) = x(2)", "'g' is an ENTRY"),
        (
            "",
            "call g(x)\ncontains\nsubroutine g(a)\nreal(8), value :: a(2)\na = 2*a\nx(1) = a(1)*x(2)\nend subroutine",
            "'a' is passed by value, is no scalar number, and the procedure writes it",
        ),
        ("", "y = x(1)\nx(1) = y*z", ""),
    ] {
        folder.write("model.f90", &model(declared, action));
        let output = folder.run(&["adjoint", "model.f90", "--head", "f(x)/(x)"]);
        let said = String::from_utf8_lossy(&output.stderr);
        if says.is_empty() {
            assert!(output.status.success(), "{said}");
            std::fs::remove_file(folder.0.join("model_b.f90")).unwrap();
            continue;
        }
        assert_eq!(output.status.code(), Some(3), "{action}: {said}");
        assert!(said.contains(says), "{action}: {said}");
        assert!(!folder.0.join("model_b.f90").exists());
    }
    let taken = "subroutine g_b\nend\nsubroutine g(x)\nreal(8) :: x\nx = x*x\nend\n";
    folder.write("taken.f90", taken);
    let output = folder.run(&["adjoint", "taken.f90", "--head", "g(x)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("taken.f90:3:1: error: refused: 'g_b', the name of the adjoint of 'g'"), "{said}");
    let taken = "subroutine g_d\nend\nsubroutine g(x)\nreal(8) :: x\nx = x*x\nend\n";
    folder.write("taken.f90", taken);
    let output = folder.run(&["tangent", "taken.f90", "--head", "g(x)/(x)"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("taken.f90:3:1: error: refused: 'g_d', the name of the tangent of 'g'"), "{said}");
}
