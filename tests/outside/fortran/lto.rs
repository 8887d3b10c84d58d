//! Programs that are compiled with -flto, with `adtape_inlined.c` among their sources.

use super::*;
use crate::common::stdout;

/// What has [`compile`] take that source.
pub const FLAG: &str = "-flto=auto";

/// Whether the compiler takes it; says which test is skipped if not.
fn has_lto(test: &str) -> bool {
    let gnu = compiler(test) && is_gfortran();
    if !gnu {
        skip(test, &format!("{} is not the GNU compiler", fc()));
    }
    gnu
}

/// Compiles what is inlined, with the program's flags as far as they are for C, too.
pub fn inlined(further: &[&str], directory: &Path) -> PathBuf {
    let object = directory.join("adtape_inlined.o");
    let flags = further.iter().filter(|flag| ["-O", "-f", "-m"].iter().any(|begin| flag.starts_with(begin)));
    let mut command = Command::new(fc());
    command.args(["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]).args(flags);
    command.arg("-I").arg(sources()).arg("-I").arg(root().join("include"));
    run(command.arg(root().join("scripts/install/adtape_inlined.c")).arg("-o").arg(&object));
    object
}

/// Every type of a scalar.
const TYPES: [&str; 17] = [
    "integer(1)",
    "integer(2)",
    "integer(4)",
    "integer(8)",
    "real(4)",
    "real(8)",
    "real(10)",
    "real(16)",
    "complex(4)",
    "complex(8)",
    "complex(10)",
    "complex(16)",
    "logical(1)",
    "logical(2)",
    "logical(4)",
    "logical(8)",
    "type(c_ptr)",
];

/// A program with the subroutines push<i> and pop<i> for each type, and for control and counts.
fn every_scalar() -> String {
    let pair = |i: usize, declaration: &str, push: &str, pop: &str| {
        let of = |verb: &str, inner: &str| {
            format!(
                "  subroutine {verb}{i}(t, x, n)\n    type(adtape_tape), intent(in) :: t\n    integer, intent(in) :: n\n    \
                 {declaration}, intent(inout) :: x(n)\n    integer :: i\n    do i = 1, n\n{inner}    end do\n  \
                 end subroutine\n"
            )
        };
        of("push", push) + &of("pop", pop)
    };
    let mut text =
        "module loops\n  use, intrinsic :: iso_c_binding\n  use adtape\n  implicit none\ncontains\n".to_owned();
    for (i, declaration) in TYPES.iter().enumerate() {
        let push = "      call push(x(i))\n      call push(t, x(i))\n";
        text += &pair(i, declaration, push, &push.replace("push", "pop"));
    }
    let control = "      call push_control(x(i), 3)\n      call push_control(t, x(i), 3)\n      call push_count(x(i))\n      \
                   call push_count(t, x(i))\n";
    let pop = "      call pop_count(t, x(i))\n      call pop_count(x(i))\n      call pop_control(t, x(i), 3)\n      \
               call pop_control(x(i), 3)\n";
    text += &pair(TYPES.len(), "integer(4)", control, pop);
    text += &pair(TYPES.len() + 1, "integer(8)", control, pop);
    text += "end module\n\nprogram main\n  use loops\n  implicit none\n  type(adtape_tape) :: t\n  \
             logical :: same(100)\n  integer :: i\n  integer, target :: places(100)\n  call adtape_create(t)\n";
    for (i, declaration) in TYPES.iter().chain(&["integer(4)", "integer(8)"]).enumerate() {
        let kind = declaration.chars().filter(char::is_ascii_digit).collect::<String>();
        let (value, differs) = match declaration.split('(').next() {
            Some("complex") => (format!("cmplx(i, -3*i, {kind})"), "x /= y"),
            Some("logical") => (format!("logical(mod(i, 3) == 0, {kind})"), "x .neqv. y"),
            Some("type") => ("c_loc(places(i))".to_owned(), ".not. same"),
            _ if i >= TYPES.len() => ("mod(i, 8)".to_owned(), "x /= y"),
            _ => ("mod(i, 100)".to_owned(), "x /= y"),
        };
        text += &format!(
            "  block\n    {declaration} :: x(100), y(100)\n    x = [({value}, i = 1, 100)]\n    y = x\n    \
             call push{i}(t, x, 100)\n    x = y(1)\n    call pop{i}(t, x, 100)\n    x = x(100:1:-1)\n    \
             same = [(c_associated(transfer(x(i), c_null_ptr), transfer(y(i), c_null_ptr)), i = 1, 100)]\n    \
             if (any({differs})) error stop '{declaration}'\n  end block\n"
        );
    }
    text + "  print '(a)', 'passed'\nend program\n"
}

#[test]
fn no_call_is_left_in_loops_of_any_scalar() {
    if !has_lto("no_call_is_left_in_loops_of_any_scalar") {
        return;
    }
    let source = scratch("fortran_every_scalar").join("every_scalar.f90");
    fs::write(&source, every_scalar()).expect("scratch directory is writable");
    let calls = |flags: &[&str]| {
        // Without the warnings about what this program does on purpose; exported, so that the loops are there.
        let further = [&["-std=gnu", "-w", "-rdynamic"], flags].concat();
        let (_, program) = compile(&source, &further);
        assert_eq!(stdout(&mut quiet(&program)), "passed", "{flags:?}");
        let code = stdout(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(&program));
        let functions = code.split("\n\n").filter_map(|function| function.trim_start().split_once(">:"));
        let loops = functions.filter(|(name, _)| name.contains("<__loops_MOD_p") && !name.ends_with(".cold"));
        let is_call = |line: &&str| {
            line.contains("call")
                && ["<adtapeself", "<adtapecall", "<adtape_fortran"].iter().any(|name| line.contains(name))
        };
        let counts: Vec<usize> = loops.map(|(_, body)| body.lines().filter(is_call).count()).collect();
        assert_eq!(counts.len(), 2 * (TYPES.len() + 2), "{flags:?}");
        counts
    };
    assert!(calls(&["-O2"]).iter().all(|calls| *calls >= 2), "the test's own check");
    for flags in [&["-O1"][..], &["-O2"], &["-O3", "-march=native"], &["-O2", "-ffast-math"], &["-O2", "-fPIC"]] {
        assert!(calls(&[flags, &[FLAG]].concat()).iter().all(|calls| *calls == 0), "{flags:?}");
    }
}

#[test]
fn programs_with_lto_pass() {
    if has_lto("programs_with_lto_pass") {
        for level in ["-O0", "-O2", "-O3"] {
            for file in ["types.F90", "control.f90", "tapes.f90", "random.f90"] {
                passes_with(file, &[level, FLAG]);
            }
        }
    }
}

/// Keeps the compiler from making one call of two that are alike, or a jump of one.
const LINES: [&str; 3] = ["-fno-optimize-sibling-calls", "-fno-tree-tail-merge", "-fno-crossjumping"];

/// Inlined code has no frame of its own, so the slow path sees the program's line.
#[test]
fn messages_with_lto_name_the_line() {
    if !has_lto("messages_with_lto_name_the_line") {
        return;
    }
    for level in ["-O0", "-O1", "-O2"] {
        let program = build_errors_program(&[&[level, FLAG], &LINES[..]].concat());
        let mut faults = Vec::new();
        // What is inlined has no compare for a NULL handle: the first access faults.
        let faults_first = |case: &Case| level != "-O0" && case.status == "ADTAPE_STATUS_NULL_HANDLE";
        for case in tested_cases().into_iter().filter(|case| !faults_first(case)) {
            let (_, said) = provoke(&program, &case, "");
            faults.extend(lacking(&case, &said));
        }
        assert!(faults.is_empty(), "{level}: {}", faults.join("\n"));
    }
}
