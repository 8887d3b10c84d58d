//! What makes generated Fortran quick: records, adjoints that share no memory; the demo's model beside its adjoint by
//! hand.

use crate::common::{Scratch, flags, fortran_module, root};
use std::process::Command;

/// The gradient of examples/shallow_water, generated, is that of the adjoint by hand.
#[test]
fn the_generated_adjoint_of_the_demo_is_the_one_by_hand() {
    let folder = Scratch::new("fortran-demo");
    let demo = root().join("examples/shallow_water");
    let text = |name: &str| std::fs::read_to_string(demo.join("fortran").join(name)).unwrap();
    let renamed = |name: &str| {
        let text = text(name).replace("shallow_water_model", "generated_model");
        text.replace("shallow_water_ghosts", "generated_ghosts")
    };
    folder.write("model.f90", &renamed("model.f90"));
    folder.write("ghosts.f90", &renamed("ghosts.f90"));
    folder.write("grid.f90", &text("grid.f90"));
    folder.write("support.f90", &text("support.f90"));
    let sources = ["model.f90", "ghosts.f90", "grid.f90", "support.f90"];
    let head = ["--passive", "progress_add", "--head", "run(observed)/(w)"];
    folder.printed(&[&["adjoint"], &sources[..], &head].concat());
    let written = folder.read("model_b.f90");
    // No two components of the state share memory.
    assert!(!written.contains("target"), "{written}");
    assert!(written.contains("call push_elements_r8([real(8) :: cl, cr, speed, v], 4_8)"), "{written}");
    assert!(written.contains("call pop_elements_r8(record, 4_8)"), "{written}");
    let mut compiler = Command::new("gcc");
    compiler.current_dir(&folder.0).arg("-c").arg(format!("-I{}", root().join("include").display()));
    compiler.args(["memory", "setup", "terminal", "reversal"].map(|name| demo.join(format!("common/{name}.c"))));
    assert!(compiler.status().unwrap().success());
    let mut compiler = Command::new("gfortran");
    compiler.current_dir(&folder.0).arg("-I").arg(fortran_module());
    let by_hand = ["support", "grid", "ghosts", "model", "adjoint_loops", "adjoint"];
    compiler.args(by_hand.map(|name| demo.join(format!("fortran/{name}.f90")))).arg("model_b.f90");
    compiler.arg(demo.join("fortran/generated.f90"));
    compiler.args(["memory.o", "setup.o", "terminal.o", "reversal.o", "-o", "test"]);
    let built = compiler.arg(fortran_module().join("libadtape_fortran.a")).args(flags()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.0.join("test")).args(["24", "16", "8", "1"]).output().unwrap();
    let (lines, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{lines}{errors}");
}

/// A component twice is one piece of memory, two components are not.
#[test]
fn components_share_memory_only_with_themselves() {
    let folder = Scratch::new("fortran-components");
    let text = |second: &str| {
        format!(
            "module model\nimplicit none\ntype :: pair\nreal(8) :: a(3), b(3)\nend type\ncontains\n\
             subroutine f(s, y)\ntype(pair), intent(in) :: s\nreal(8), intent(inout) :: y\n\
             call dot(s%a, s%{second}, y)\nend subroutine\n\
             subroutine dot(u, v, y)\nreal(8), intent(in) :: u(3), v(3)\nreal(8), intent(inout) :: y\n\
             y = sum(u*v)\nend subroutine\nend module\n"
        )
    };
    for (second, shared) in [("a", true), ("b", false)] {
        folder.write("model.f90", &text(second));
        folder.printed(&["adjoint", "model.f90", "--head", "f(y)/(s)"]);
        assert_eq!(folder.read("model_b.f90").contains("target"), shared);
    }
}

/// examples/generated/misfit: what `make demo` shows of Fortran.
#[test]
fn the_example_in_fortran_passes_its_check() {
    let folder = Scratch::new("fortran-example");
    for name in ["misfit.f90", "driver.f90"] {
        let text = std::fs::read_to_string(root().join("examples/generated/misfit").join(name)).unwrap();
        folder.write(name, &text);
    }
    let mut check = Command::new(env!("CARGO_BIN_EXE_adtape"));
    check.current_dir(&folder.0).args(["adjoint", "misfit.f90", "--head", "misfit(misfit)/(p)"]);
    let output = check.args(["--check", "driver.f90"]).env("ADTAPE_FLAGS", super::check_flags()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(" 0 wrong"), "{said}");
}
