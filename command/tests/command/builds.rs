//! docs/builds.md, followed word for word in an installed tree: CMake, make and Meson; and the options that builds use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::common::{Scratch, include, libraries, root};

/// A tree that `make install` made, with the command under test.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("builds-prefix");
        let target = libraries().parent().expect("a target directory");
        let mut make = Command::new("make");
        make.current_dir(root()).args(["install", "FCFLAGS=-O0", "CFLAGS=-O0"]);
        make.arg(format!("PREFIX={}", prefix.display())).env("COMMAND", env!("CARGO_BIN_EXE_adtape"));
        make.env("CARGO_TARGET_DIR", target).env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env_remove("MPICC");
        succeeds(&mut make);
        prefix
    })
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [said, complained] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{command:?}: {:?}\n{said}{complained}", output.status);
    said
}

/// A folder with the files of the page.
fn project(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let page = fs::read_to_string(root().join("docs/builds.md")).expect("docs/builds.md");
    let mut files = 0;
    for part in page.split("<!-- file: ").skip(1) {
        let (file, rest) = part.split_once(" -->\n```").expect("a file has a block");
        let (_, text) = rest.split_once('\n').expect("a block has lines");
        let (text, _) = text.split_once("\n```").expect("a block ends");
        fs::create_dir_all(folder.0.join(file).parent().expect("a folder")).expect("a folder");
        folder.write(file, &format!("{text}\n"));
        files += 1;
    }
    assert_eq!(files, 7, "files of docs/builds.md");
    folder
}

/// Builds, runs, changes a header, builds and runs again; then nothing is left to build, as `idle` says.
fn builds(folder: &Scratch, build: &dyn Fn() -> String, program: &str, idle: &str) {
    let run = || succeeds(Command::new(folder.0.join(program)).env("LD_LIBRARY_PATH", prefix().join("lib")));
    build();
    assert_eq!(run(), "0.351408\n");
    // Makefiles compare times, of which some systems keep only seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    folder.write("include/weights.h", "#define WEIGHT 3.0\n");
    build();
    assert_eq!(run(), "0.527112\n", "the header has changed");
    let said = build();
    assert!(said.contains(idle) && !said.contains("adtape adjoint"), "{said}");
}

/// The command with the installed tree in its environment.
fn with_prefix(program: &str) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", prefix().join("bin").display()));
    command.env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")).env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    command
}

fn cmake(folder: &Path, generator: &str) {
    let mut configure = Command::new("cmake");
    configure.current_dir(folder).args(["-G", generator, "-B", "build"]);
    succeeds(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())));
}

/// What the page does with CMake, for C; `idle`: what says that nothing is left to build.
fn cmake_writes_c_again(generator: &str, idle: &str) {
    let folder = project("builds-cmake");
    cmake(&folder.0, generator);
    let build = || succeeds(Command::new("cmake").current_dir(&folder.0).args(["--build", "build"]));
    builds(&folder, &build, "build/fit", idle);
}

#[test]
fn cmake_writes_adjoints_again_when_a_header_changes() {
    cmake_writes_c_again("Ninja", "no work to do");
}

mod matrix {
    #[test]
    fn makefiles_of_cmake_write_adjoints_again_when_a_header_changes() {
        super::cmake_writes_c_again("Unix Makefiles", "Built target fit");
        super::cmake_writes_fortran_again("Unix Makefiles");
    }
}

const MODULE: &str = "module model
#include \"weights.h\"
contains
  function cost(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8) :: cost
    cost = WEIGHT * scaled(sum(x**2))
  contains
    real(8) function scaled(s)
      real(8), intent(in) :: s
      scaled = 0.5d0 * s
    end function
  end function
end module
";

const PROGRAM: &str = "program main
  use model
  real(8) :: x(2), x_b(2), value
  x = [1d0, 2d0]
  x_b = 0
  value = cost_b(2, x, x_b, 1d0)
  if (abs(x_b(2) * x(2) + x_b(1) * x(1) - 2 * value) > 1d-12 .or. value /= cost(2, x)) error stop
  print '(f0.1)', value
end program
";

/// Follows the page with CMake, for Fortran.
fn cmake_writes_fortran_again(generator: &str) {
    let folder = project("builds-fortran");
    let inside = folder.0.join("fortran");
    fs::create_dir_all(inside.join("include")).unwrap();
    folder.write("fortran/model.F90", MODULE);
    folder.write("fortran/main.f90", PROGRAM);
    folder.write("fortran/include/weights.h", "#define WEIGHT 2d0\n");
    cmake(&inside, generator);
    let build = || succeeds(Command::new("cmake").current_dir(&inside).args(["--build", "build"]));
    build();
    assert_eq!(succeeds(&mut Command::new(inside.join("build/fit"))), "5.0\n");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    folder.write("fortran/include/weights.h", "#define WEIGHT 4d0\n");
    build();
    assert_eq!(succeeds(&mut Command::new(inside.join("build/fit"))), "10.0\n", "the header has changed");
}

#[test]
fn cmake_writes_adjoints_of_fortran() {
    cmake_writes_fortran_again("Ninja");
}

/// What is missing in a call of adtape_add_adjoint is said when the project is configured.
#[test]
fn cmake_says_which_argument_is_missing() {
    let folder = project("builds-wrong");
    let lists = folder.read("CMakeLists.txt");
    for (from, to, says) in [
        ("FROM model ", "", "FROM, SOURCES and HEAD are needed"),
        ("FROM model", "FROM nothing", "there is no target nothing"),
        ("FROM model", "MODE both FROM model", "MODE is adjoint, tangent or both, not both"),
        ("model.c HEAD", "model.f90 HEAD", "COMPONENTS fortran"),
        ("add_library(model model.c)", "add_executable(model model.c)", "add WITH_SOURCE"),
    ] {
        assert!(lists.contains(from), "{from}");
        folder.write("CMakeLists.txt", &lists.replacen(from, to, 1));
        let mut configure = Command::new("cmake");
        configure.current_dir(&folder.0).args(["-B", "build"]);
        let output = configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success() && said.contains(says), "{says}: {said}");
    }
}

#[test]
fn make_writes_adjoints_again_when_a_header_changes() {
    let folder = project("builds-make");
    builds(&folder, &|| succeeds(with_prefix("make").current_dir(&folder.0)), "fit", "up to date");
}

#[test]
fn meson_writes_adjoints_again_when_a_header_changes() {
    let folder = project("builds-meson");
    succeeds(with_prefix("meson").current_dir(&folder.0).args(["setup", "build"]));
    let build = || succeeds(with_prefix("ninja").current_dir(&folder.0).args(["-C", "build"]));
    builds(&folder, &build, "build/fit", "no work to do");
}

/// A check of an installed command takes the library beside it: neither pkg-config nor the loader knows it.
#[test]
fn check_finds_the_library_beside_the_command() {
    let folder = project("builds-check");
    fs::copy(folder.0.join("include/weights.h"), folder.0.join("weights.h")).unwrap();
    let check = |arguments: &[&str]| {
        let mut command = Command::new(prefix().join("bin/adtape"));
        command.current_dir(&folder.0).args(arguments);
        command.env("PKG_CONFIG_LIBDIR", "/nowhere").env_remove("PKG_CONFIG_PATH").env_remove("LD_LIBRARY_PATH");
        let output: Output = command.env_remove("ADTAPE_FLAGS").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("operands compared, 0 wrong"), "{said}");
    };
    check(&["adjoint", "model.c", "--value", "--head", "misfit(misfit)/(p)", "--check", "main.c"]);
    folder.write("model.F90", MODULE);
    folder.write("main.f90", PROGRAM);
    check(&["adjoint", "model.F90", "--value", "-I.", "--head", "cost(cost)/(x)", "--check", "main.f90"]);
}

const SETTINGS: &str = "#include \"k.h\"\n#include <s.h>\ndouble f(double x);\n\
                        double f(double x) { return K * S * W * x * x; }\n";

fn settings(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    ["own folder", "system"].iter().for_each(|inside| fs::create_dir_all(folder.0.join(inside)).unwrap());
    folder.write("own folder/k.h", "#define K 2.0\n");
    folder.write("system/s.h", "#define S 1.0\n");
    folder.write("w.h", "#define W 3.0\n");
    folder.write("d.c", SETTINGS);
    folder
}

const FLAGS: [&str; 5] = ["-Iown folder", "-isystem", "system", "-include", "w.h"];

#[test]
fn depfile_names_sources_and_own_headers() {
    let folder = settings("builds-depfile");
    let flags = [&["adjoint", "d.c", "--head", "f(f)/(x)", "--depfile", "d.d"], &FLAGS[..]].concat();
    folder.printed(&flags);
    let rule = "d_b.c: d.c \\\n  w.h \\\n  own\\ folder/k.h\n\nw.h:\n\nown\\ folder/k.h:\n";
    assert_eq!(folder.read("d.d"), rule);
    assert!(folder.read("d_b.c").contains("f(f)/(x)' '-Iown folder' -isystem system -include w.h\n"), "its head");
    assert_eq!(folder.run(&["adjoint", "--verify", "d_b.c"]).status.code(), Some(0));
    let time = |file: &str| fs::metadata(folder.0.join(file)).unwrap().modified().unwrap();
    let before = (time("d_b.c"), time("d_b.h"));
    folder.printed(&flags);
    assert_eq!((time("d_b.c"), time("d_b.h")), before, "what stays is not touched");
    for file in ["d.c", "w.h", "d_b.c", "./d_b.h"] {
        let output = folder.run(&[&["adjoint", "d.c", "--head", "f(f)/(x)", "--depfile", file], &FLAGS[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("name another file"), "{file}: {said}");
    }
    assert_eq!(folder.read("d.c"), SETTINGS);
}

#[test]
fn generated_file_is_printed() {
    let folder = settings("builds-printed");
    let flags = [&["adjoint", "d.c", "--head", "f(f)/(x)"], &FLAGS[..]].concat();
    let printed = folder.printed(&[&flags[..], &["-o", "-"]].concat());
    assert!(!folder.0.join("d_b.c").exists() && !folder.0.join("-").exists());
    folder.printed(&flags);
    assert_eq!(printed, folder.read("d_b.c"), "the head does not say how it was written");
    assert_eq!(folder.run(&[&flags[..], &["-o", "-", "--explain"]].concat()).status.code(), Some(2));
}

/// Flags behind `--` are for the compiler, and stay in the head.
#[test]
fn flags_go_to_the_compiler_that_reads() {
    let folder = settings("builds-reader");
    let flags = [&["adjoint", "d.c", "--head", "f(f)/(x)"], &FLAGS[..3], &["--", "-DW=4.0"]].concat();
    folder.printed(&flags);
    assert!(folder.read("d_b.c").contains(" -isystem system -- -DW=4.0\n"));
    folder
        .write("main.c", "#include \"d_b.h\"\nint main(void) { double g = 0; f_b(3.0, &g, 1.0); return g != 48.0; }\n");
    folder.builds_and_runs(&["-Iown folder", "-Isystem", "-DW=4.0", "d_b.c", "main.c", &include()]);
    assert_eq!(folder.run(&["adjoint", "--verify", "d_b.c"]).status.code(), Some(0));
    let output = folder.run(&["adjoint", "m.f90", "--head", "f(f)/(x)", "--", "-DW"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn flags_come_from_a_compilation_database() {
    let folder = settings("builds-database");
    let inside = folder.0.join("build");
    fs::create_dir_all(&inside).unwrap();
    let at = folder.0.display();
    let entry = |file: &str, flags: &str| {
        format!(
            "{{\"directory\": \"{at}/build\", \"file\": \"../{file}\", \"command\": \"cc {flags} -O2 -Wall -o d.o -c ../{file}\"}}"
        )
    };
    let own = "-I'../own folder' -isystem ../system -DW=3.0 -std=gnu99";
    folder.write("build/compile_commands.json", &format!("[{}]", entry("d.c", own)));
    folder.printed(&["adjoint", "d.c", "--head", "f(f)/(x)", "-p", "build", "--depfile", "d.d"]);
    assert!(folder.read("d.d").contains("build/compile_commands.json"), "{}", folder.read("d.d"));
    assert_eq!(folder.run(&["adjoint", "--verify", "d_b.c"]).status.code(), Some(0));
    folder
        .write("main.c", "#include \"d_b.h\"\nint main(void) { double g = 0; f_b(3.0, &g, 1.0); return g != 36.0; }\n");
    folder.builds_and_runs(&["-Iown folder", "-Isystem", "-DW=3.0", "d_b.c", "main.c", &include()]);
    folder.write("e.c", "double g(double x) { return x; }\n");
    let refused = |database: &str, files: &[&str], says: &str| {
        folder.write("build/compile_commands.json", database);
        let output = folder.run(&[&["adjoint"], files, &["--head", "f(f)/(x)", "-p", "build"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(says), "{said}");
    };
    let both = format!("[{}, {}]", entry("d.c", own), entry("e.c", "-DOTHER"));
    refused(&both, &["d.c", "e.c"], "d.c and e.c with different flags");
    let twice = format!("[{}, {}]", entry("d.c", own), entry("d.c", "-DW=4.0"));
    refused(&twice, &["d.c"], "d.c twice with different flags");
    refused(&format!("[{}]", entry("e.c", own)), &["d.c"], "d.c is not in it");
    refused("{}", &["d.c"], "compile_commands.json: ");
    folder.write("m.f90", "real(8) function f(x)\nreal(8), intent(in) :: x\nf = x*x\nend function\n");
    let kinds = entry("m.f90", "-fdefault-real-8");
    refused(&format!("[{kinds}]"), &["m.f90"], "-fdefault-real-8 gives types of ../m.f90 another kind");
}
