//! Programs of the kit, as docs/kit.md says how to build them.

use super::*;

/// As an adjoint that was compiled with the arguments of 2020 calls them: with those of today nothing would be found, or
/// the program would crash.
pub const ADMM2020_PROGRAM: &str = r#"
#include <stdio.h>
void pushReal8(double x);
void popReal8(double *x);
void ADMM_register(void *base, void *obase, int size, int elements);
void ADMM_unregister(void *base, int *elements);
void ADMM_rebase(void **p);
int main(void) {
  double then[10], now[10], x = 0.0;
  void *p = &then[3];
  int n = 0;
  ADMM_register(now, then, (int)sizeof now, 10);
  ADMM_rebase(&p);
  ADMM_unregister(now, &n);
  pushReal8(42.5);
  popReal8(&x);
  if (p != (void *)&now[3] || n != 10 || x != 42.5) return 1;
  puts("popped what was pushed");
  return 0;
}
"#;

pub const C_PROGRAM: &str = r#"
#include "adBuffer.h"
#include "adOMP.h"
#include <stdio.h>
int main(void) {
  double x = 0;
  int branch = 0;
  pushReal8(42.5);
  pushControl2b(2);
  popControl2b(&branch);
  popReal8(&x);
  if (x != 42.5 || branch != 2) return 1;
  puts("popped what was pushed");
  return 0;
}
"#;

const KIT_FORTRAN_PROGRAM: &str = "
program check
  implicit none
  double precision :: x
  integer :: branch
  call pushreal8(42.5d0)
  call pushcontrol2b(2)
  call popcontrol2b(branch)
  call popreal8(x)
  if (x /= 42.5d0 .or. branch /= 2) stop 1
  print '(a)', 'popped what was pushed'
end program
";

pub fn programs_build_through_pkg_config(prefix: &Path) {
    for package in ["adtape-kit", "adtape-kit-static"] {
        build_and_run(prefix, &["cc", "-O2"], "check.c", C_PROGRAM, package);
        build_and_run(prefix, &[&fc(), "-O2"], "check.f90", KIT_FORTRAN_PROGRAM, package);
    }
}

/// The commands of docs/kit.md, with no other -I and -L than those.
#[test]
fn kit_programs_build_as_the_docs_say() {
    programs_build_through_pkg_config(moved());
    let directory = scratch("install_kit_by_hand");
    let prefix = moved().display();
    fs::write(directory.join("check.c"), C_PROGRAM).expect("scratch directory is writable");
    fs::write(directory.join("check.f90"), KIT_FORTRAN_PROGRAM).expect("scratch directory is writable");
    let include = format!("-I{prefix}/include/adtape/kit");
    let library = format!("-L{prefix}/lib");
    let source = format!("{prefix}/share/adtape/kit/adtape_kit_lto.c");
    let mut commands = vec![("cc".to_owned(), vec!["-O2", &include, "check.c", &library, "-ladtape_kit", "-ladtape"])];
    if stdout(Command::new(fc()).arg("--version")).starts_with("GNU") {
        commands.push((fc(), vec!["-O2", "-flto", "check.f90", &source, &include, &library, "-ladtape"]));
    }
    for (compiler, arguments) in commands {
        run(Command::new(compiler).current_dir(&directory).args(arguments).args(["-o", "check"]));
        let program = directory.join("check");
        assert_eq!(stdout(Command::new(&program).env("LD_LIBRARY_PATH", moved().join("lib"))), SAYS);
    }
}

pub fn program_as_of_2020_builds(prefix: &Path) {
    let shared = build_and_run(prefix, &["cc"], "check.c", ADMM2020_PROGRAM, "adtape-kit-admm2020");
    assert!(needs_shared_adtape(&shared));
    let alone = build_and_run(prefix, &["cc"], "check.c", ADMM2020_PROGRAM, "adtape-kit-admm2020-static");
    assert!(!needs_shared_adtape(&alone));
}

#[test]
fn program_with_addresses_as_of_2020_builds_through_pkg_config() {
    program_as_of_2020_builds(moved());
}
