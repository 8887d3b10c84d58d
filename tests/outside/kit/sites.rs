//! Reports name the program's line, however the kit's calls get into the program.

use super::*;

/// Writes a program, one statement a line, and compiles it.
fn compile_text(compiler: &str, name: &str, text: &str, how: How, flags: &[&str]) -> PathBuf {
    let source = scratch(&format!("kit-sites-{how:?}{}", flags.concat())).join(name);
    fs::write(&source, text).expect("scratch directory is writable");
    compile(compiler, &[source.to_str().expect("a path")], how, flags)
}

/// What a program that must fail prints on standard error.
fn fails(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let output = command(program, arguments, settings).output().expect("the program runs");
    assert!(!output.status.success());
    String::from_utf8(output.stderr).expect("text")
}

fn assert_says(said: &str, words: &[&str], case: &str) {
    for word in words {
        assert!(said.contains(word), "{case}: no \"{word}\" in {said}");
    }
}

/// Push and pop do not match: of a scalar, and with an argument of an array. Each array call stands there more than once, so
/// that the compiler leaves it a call.
const MISMATCH_IN_C: &str = "\
#ifdef KIT_INLINE
#include \"adStack.h\"
#else
void pushReal8(double x), popReal4(float *x);
void pushReal8Array(const double *x, int n), popReal8Array(double *x, int n);
#endif
double a[4];
void push_scalar(void) { pushReal8(1.5); __asm__(\"\"); }
void pop_scalar(void) { float x; popReal4(&x); __asm__(\"\"); }
void push_arrays(void) {
  pushReal8Array(a, 4);
  pushReal8Array(a, 3);
  __asm__(\"\");
}
void pop_arrays(void) {
  popReal8Array(a, 2);
  popReal8Array(a, 4);
  __asm__(\"\");
}
int main(int argc, char **argv) {
  if (argc > 1) push_arrays(), pop_arrays();
  push_scalar();
  pop_scalar();
  return argv == 0;
}
";

/// With the headers and with -flto the functions of our own that are inlined were named, not the program's: the return
/// address lies in the innermost of them.
fn check_mode_names_the_sites(how: How, level: &str) {
    let program = compile_text(&cc_for(how), "mismatch.c", MISMATCH_IN_C, how, &["-fno-inline", level]);
    let case = format!("{how:?} {level}");
    let scalar = ["pushed: one f64", "popped: one f32", "mismatch.c:8 (push_scalar)", "mismatch.c:9 (pop_scalar)"];
    assert_says(&fails(&program, &[], &[CHECK]), &scalar, &case);
    let arrays = ["pushed: 3 values", "popped: 2 values", "mismatch.c:12 (push_arrays)", "mismatch.c:16 (pop_arrays)"];
    assert_says(&fails(&program, &["arrays"], &[CHECK]), &arrays, &case);
}

#[test]
fn check_mode_names_the_call_sites_in_the_program() {
    [How::Static, How::Shared].into_iter().for_each(|how| check_mode_names_the_sites(how, "-O2"));
    levels().iter().for_each(|level| check_mode_names_the_sites(How::Inline, level));
}

/// Of `make matrix`.
mod lto {
    use super::*;

    #[test]
    fn check_mode_names_the_call_sites_in_the_program() {
        if has_gnu_lto("check_mode_names_the_call_sites_in_the_program") {
            levels().iter().for_each(|level| check_mode_names_the_sites(How::Lto, level));
        }
    }

    #[test]
    fn check_mode_names_the_call_sites_in_a_fortran_program_with_lto() {
        if !has_gnu_lto("check_mode_names_the_call_sites_in_a_fortran_program_with_lto") {
            return;
        }
        let text = "subroutine push_here(a)\n  real(8) a(4)\n  call pushreal8array(a, 4)\n  call pushreal8array(a, 3)\n\
                    end subroutine\n\
                    subroutine pop_here(a)\n  real(8) a(4)\n  call popreal8array(a, 2)\n  call popreal8array(a, 4)\n\
                    end subroutine\n\
                    program p\n  real(8) :: a(4) = 0\n  call push_here(a)\n  call pop_here(a)\nend program\n";
        for level in levels() {
            let program = compile_text(&fc(), "mismatch.f90", text, How::Lto, &[&level]);
            assert_says(&fails(&program, &[], &[CHECK]), &["mismatch.f90:4", "mismatch.f90:8"], &level);
        }
    }

    /// The compiler inlined these calls with -flto, and the return address that they saw was that of the function around them.
    #[test]
    fn errors_of_calls_with_lto_name_the_call_not_the_one_around_it() {
        if !has_gnu_lto("errors_of_calls_with_lto_name_the_call_not_the_one_around_it") {
            return;
        }
        let text = "void adStack_resetRepeat(void), lookreal8_(void *x), adBinomial_resize(void);\n\
                    #define HERE __attribute__((noinline)) static void\n\
                    HERE repeat(void) { adStack_resetRepeat(); __asm__(\"\"); }\n\
                    HERE look(void) { double x; lookreal8_(&x); __asm__(\"\"); }\n\
                    HERE binomial(void) { adBinomial_resize(); __asm__(\"\"); }\n\
                    int main(int argc, char **argv) {\n\
                    switch (argc > 1 ? argv[1][0] : 0) {\n\
                    case 'r': repeat(); break;\n\
                    case 'l': look(); break;\n\
                    case 'b': binomial(); break;\n\
                    }\n\
                    return 0; }\n";
        let program = compile_text("gcc", "calls.c", text, How::Lto, &[]);
        for (argument, place) in [("r", "calls.c:3 (repeat)"), ("l", "calls.c:4 (look)"), ("b", "calls.c:5 (binomial)")]
        {
            assert_says(&fails(&program, &[argument], &[]), &[place], argument);
        }
    }
}
