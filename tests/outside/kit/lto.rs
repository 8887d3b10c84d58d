//! What `-flto` and the headers leave of the calls.

use super::*;

/// Calls in the code of a function, those of its cold part not included.
fn calls(program: &Path, function: &str) -> usize {
    let text = stdout(Command::new("objdump").args(["-d", &format!("--disassemble={function}")]).arg(program));
    assert!(text.contains(&format!("<{function}>:")), "{function} is not in {}", program.display());
    text.lines().filter(|line| line.contains("call")).count()
}

#[test]
fn no_call_is_left_in_a_hot_c_loop_with_the_headers() {
    let separate = compile(&cc(), &["hot_loop.c"], How::Static, &[]);
    assert!(calls(&separate, "forward_sweep") >= 5 && calls(&separate, "reverse_sweep") >= 5);
    for flags in [&["-O2"][..], &["-O3"], &["-O2", "-fPIC"]] {
        let program = compile(&cc(), &["hot_loop.c"], How::Inline, flags);
        for function in ["forward_sweep", "reverse_sweep"] {
            assert_eq!(calls(&program, function), 0, "{function} with {flags:?}");
        }
        assert_eq!(passes(&program, &[], &[]), passes(&separate, &[], &[]), "{flags:?}");
    }
}

#[test]
fn no_call_is_left_in_a_hot_fortran_loop_with_lto() {
    let test = "no_call_is_left_in_a_hot_fortran_loop_with_lto";
    if !has_gnu_lto(test) {
        return;
    }
    let sources = ["hot_loop.f90", "hot_main.f90"];
    let expected = passes(&compile(&fc(), &sources, How::Static, &[]), &[], &[]);
    // With calls that are not inlined there is something to count: the test's own check.
    let separate = compile(&fc(), &sources, How::Static, &["-fno-inline"]);
    assert!(calls(&separate, "forward_sweep_") >= 5);
    for flags in [&["-O2"][..], &["-O3"], &["-fPIC"], &["-march=native"]] {
        // Exported, so that the subroutines are there beside their inlined copies.
        let program = compile(&fc(), &sources, How::Lto, &[flags, &["-rdynamic"]].concat());
        for function in ["forward_sweep_", "reverse_sweep_"] {
            assert_eq!(calls(&program, function), 0, "{function} with {flags:?}");
        }
        if flags[0] != "-march=native" {
            assert_eq!(passes(&program, &[], &[]), expected, "{flags:?}");
        }
    }
}

/// The compilers of C and Fortran differ in types (a logical is no int) and in presumptions about floating-point numbers.
#[test]
fn main_programs_with_lto_pop_what_they_pushed() {
    let test = "main_programs_with_lto_pop_what_they_pushed";
    if !has_gnu_lto(test) {
        return;
    }
    assert_eq!(passes(&compile(&fc(), &["aliases.f90"], How::Static, &[]), &[], &[]), "passed\n");
    for level in levels() {
        let program = compile(&fc(), &["aliases.f90"], How::Lto, &[&level]);
        assert_eq!(passes(&program, &[], &[]), "passed\n", "{level}");
    }
}

/// The C compiler says of Fortran's own flags that they are not for C, but for the source that is compiled by itself.
#[test]
fn source_that_is_compiled_by_itself_has_no_warnings_and_leaves_no_call() {
    if !has_gnu_lto("source_that_is_compiled_by_itself_has_no_warnings_and_leaves_no_call") {
        return;
    }
    let directory = scratch("kit-lto-apart");
    let (object, program) = (directory.join("kit.o"), directory.join("program"));
    let of_fortran = ["-std=legacy", "-fdefault-real-8", "-ffree-line-length-none"];
    let link = |kit: &Path| {
        let mut command = Command::new(fc());
        command.args(["-O2", "-flto=auto", "-rdynamic"]).args(of_fortran);
        command.args(["hot_loop.f90", "hot_main.f90"].map(|source| root().join("kit/tests").join(source)));
        include(command.arg(kit));
        command.arg("-o").arg(&program);
        super::link(&mut command, How::Lto);
        let said = String::from_utf8_lossy(&run(&mut command).stderr).into_owned();
        said.lines().filter(|line| line.contains("is valid for Fortran but not for C")).count()
    };
    assert!(link(&root().join("kit/adtape_kit_lto.c")) >= 2, "the documentation says that there are warnings");
    let mut apart = Command::new("gcc");
    include(apart.args(["-O2", "-flto=auto", "-Werror", "-c"]).arg(root().join("kit/adtape_kit_lto.c")));
    run(apart.arg("-o").arg(&object));
    assert_eq!(link(&object), 0);
    for function in ["forward_sweep_", "reverse_sweep_"] {
        assert_eq!(calls(&program, function), 0, "{function}");
    }
}

/// The compiler's own limits end the inlining in a program of some hundred calls; real adjoints have thousands.
#[test]
fn no_call_is_left_in_a_large_fortran_program_with_lto() {
    let test = "no_call_is_left_in_a_large_fortran_program_with_lto";
    if !has_gnu_lto(test) {
        return;
    }
    let mut text = String::new();
    for s in 0..12 {
        text += &format!("subroutine s{s}(n, x, y)\n  integer n, i\n  real(8) x(n), y(n)\n  do i = 1, n\n");
        for k in 0..40 {
            text += &format!(
                "    call pushreal8(x(i))\n    x(i) = x(i)*y(i) + {k}\n    call pushcontrol3b({})\n    \
                 call pushinteger4(i)\n",
                k % 8
            );
        }
        text += "  end do\nend subroutine\n";
    }
    text += "program p\n  real(8) x(10), y(10)\n  x = 1\n  y = 1\n";
    for s in 0..12 {
        text += &format!("  call s{s}(10, x, y)\n");
    }
    text += "end program\n";
    let source = scratch("kit-large").join("large.f90");
    fs::write(&source, text).expect("scratch directory is writable");
    let program = compile(&fc(), &[source.to_str().expect("a path")], How::Lto, &[]);
    let code = stdout(Command::new("objdump").arg("-d").arg(&program));
    let left = code.lines().filter(|line| {
        line.contains("call")
            && ["<pushreal8_>", "<pushcontrol3b_>", "<pushinteger4_>"].iter().any(|name| line.contains(name))
    });
    assert_eq!(left.count(), 0);
}

/// With -flto the calls were defined twice: the kit's were weak in the libraries only.
#[test]
fn program_with_its_own_binomial_checkpointing_links_with_lto() {
    if !has_gnu_lto("program_with_its_own_binomial_checkpointing_links_with_lto") {
        return;
    }
    let directory = scratch("kit-own-binomial");
    let (own, main, object) =
        (directory.join("adBinomial.c"), directory.join("main.c"), directory.join("adBinomial.o"));
    let definitions = "#include <stdio.h>\n\
        void adBinomial_init(int length, int snapshots, int first) { printf(\"own %d\\n\", length + snapshots + first); }\n\
        int adBinomial_next(int *action, int *step) { return *action = *step = 0; }\n\
        void adBinomial_resize(void) {}\n\
        void adbinomial_init_(int *length, int *snapshots, int *first) { adBinomial_init(*length, *snapshots, *first); }\n\
        int adbinomial_next_(int *action, int *step) { return *action = *step = 0; }\n\
        void adbinomial_resize_(void) {}\n";
    let program = "void adBinomial_init(int, int, int), adbinomial_init_(int *, int *, int *);\n\
                   int main(void) { int n = 1; adBinomial_init(1, 2, 3); adbinomial_init_(&n, &n, &n); return 0; }\n";
    fs::write(&own, definitions).expect("scratch directory is writable");
    fs::write(&main, program).expect("scratch directory is writable");
    run(Command::new("gcc").args(["-O2", "-c"]).arg(&own).arg("-o").arg(&object));
    for own in [own, object] {
        let sources = [main.to_str().expect("a path"), own.to_str().expect("a path")];
        assert_eq!(passes(&compile("gcc", &sources, How::Lto, &[]), &[], &[]), "own 6\nown 3\n");
    }
}

/// Fortran passes the length of a character behind the other arguments, which the definitions lacked.
#[test]
fn characters_are_pushed_with_lto_without_a_warning() {
    if !has_gnu_lto("characters_are_pushed_with_lto_without_a_warning") {
        return;
    }
    let source = scratch("kit-characters").join("characters.f90");
    let text = "program p\n  character(len=4) :: s = 'abcd'\n  character :: c = 'c'\n\
                call pushcharacter(c)\n  call pushcharacterarray(s, 4)\n  s = ' '\n  c = ' '\n\
                call popcharacterarray(s, 4)\n  call popcharacter(c)\n  print '(2a)', s, c\nend program\n";
    fs::write(&source, text).expect("scratch directory is writable");
    let program = compile(&fc(), &[source.to_str().expect("a path")], How::Lto, &["-Werror=lto-type-mismatch"]);
    assert_eq!(passes(&program, &[], &[]), "abcdc\n");
}

#[test]
fn binomial_checkpointing_and_fixed_points_hold_with_lto() {
    if has_gnu_lto("binomial_checkpointing_and_fixed_points_hold_with_lto") {
        binomial_holds_in_c(How::Lto);
        binomial_holds_in_fortran(How::Lto);
    }
}

#[test]
fn calls_on_addresses_hold_with_lto() {
    if has_gnu_lto("calls_on_addresses_hold_with_lto") {
        addresses::pointers_are_restored(How::Lto);
        addresses::gradient_is_right(How::Lto);
    }
}

#[test]
fn random_programs_agree_with_the_model() {
    if has_gnu_lto("random_programs_agree_with_the_model") {
        random_programs(&compile_random_fortran(How::Lto), "100");
        random_programs(&compile("gcc", &["random.c"], How::Lto, &["-w"]), "100");
    }
}
