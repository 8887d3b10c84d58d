//! The C programs: compiled and linked with the release library when the benchmark starts.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What gcc compiles users' code with. Loops begin a cache line on both sides, ours and the references': where a loop
/// happens to lie costs up to a factor of two on some processors.
const FLAGS: &[&str] =
    &["-O2", "-falign-functions=64", "-falign-loops=64", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-Ibenches/c"];
/// The references' own: see the plain loop in benches/README.md.
const PLAIN: &[&str] = &["-fno-tree-vectorize", "-fno-tree-loop-distribute-patterns"];
/// Flags for a Fortran program and for the sources in C, of the kit and of the module, which the Fortran command compiles.
const LTO: &[&str] = &["-O2", "-flto=auto", "-falign-functions=64", "-falign-loops=64", "-Ikit/include", "-Iinclude"];
const LIBRARIES: &[&str] = &["-lpthread", "-ldl", "-Wl,--push-state,--as-needed,-lm,--pop-state"];

/// The examples of generated adjoints, by name.
pub fn example_names() -> Vec<String> {
    let entries = std::fs::read_dir("examples/generated").expect("the examples");
    let folders = entries.map(|entry| entry.expect("an entry")).filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> = folders.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort_unstable();
    names
}

/// The directory of the programs.
pub struct Programs(PathBuf);

impl Programs {
    pub fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }

    /// Builds the library and all programs, or ends with what the compiler says.
    pub fn build() -> Programs {
        let top = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        std::env::set_current_dir(top).expect("the repository is there");
        // This program is target/release/deps/speed-….
        let executable = std::env::current_exe().expect("this program has a path");
        let target = executable.ancestors().nth(3).expect("a target directory");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
        run(Command::new(cargo).args(["build", "--release", "--quiet", "--lib", "--target-dir"]).arg(target));
        let release = target.join("release");
        let programs = Programs(target.join("bench"));
        std::fs::create_dir_all(&programs.0).expect("the target directory is writable");
        programs.build_benchmark(&release);
        programs.build_single(&release);
        programs.build_micro_adjoints(&release);
        programs.build_generated(&release);
        programs.build_examples(&release);
        programs
    }

    fn build_benchmark(&self, release: &Path) {
        let mut objects = Vec::new();
        for part in ["main", "scalar", "array", "section", "touch", "kit", "heap", "stencil"] {
            objects.push(self.compile(part, &[]));
        }
        objects.push(self.compile("plain", PLAIN));

        run(Command::new("kit/build.sh").arg(release).arg(&self.0));
        let floor = self.compile("floor", &[]);
        run(gcc(&[])
            .args(&objects)
            .arg(&floor)
            .arg(self.path("libadtape_kit.a"))
            .arg(release.join("libadtape.a"))
            .args(LIBRARIES)
            .arg("-o")
            .arg(self.path("bench_static")));
        if has_clang() {
            let stencil = self.path("stencil_clang.o");
            run(Command::new("clang").args(FLAGS).args(["-c", "benches/c/stencil.c", "-o"]).arg(&stencil));
            run(gcc(&[])
                .args(objects.iter().filter(|object| !object.ends_with("stencil.o")))
                .args([&stencil, &floor, &self.path("libadtape_kit.a"), &release.join("libadtape.a")])
                .args(LIBRARIES)
                .arg("-o")
                .arg(self.path("bench_clang")));
        }
        if has_gnu_fortran() {
            let module = self.path("fortran_module");
            run(Command::new("scripts/install/build_fortran.sh").args(["fortran-bindings", "include"]).arg(&module));
            run(fortran(LTO)
                .arg("-Ifortran-bindings")
                .arg(format!("-I{}", module.display()))
                .args(["benches/c/lto_loops.f90", "kit/adtape_kit_lto.c", "scripts/install/adtape_inlined.c"])
                .args(&objects)
                .arg(self.compile("lto", &[]))
                .arg(&floor)
                .arg(module.join("libadtape_fortran.a"))
                .arg(release.join("libadtape.a"))
                .args(LIBRARIES)
                .arg("-o")
                .arg(self.path("bench_lto")));
        }

        run(gcc(&["-O2", "-fPIC", "-shared"]).arg("benches/c/floor.c").arg("-o").arg(self.path("libfloor.so")));
        // The name that programs look for.
        let soname = self.path("libadtape.so.0");
        let _ = std::fs::remove_file(&soname);
        std::os::unix::fs::symlink(release.join("libadtape.so"), soname).expect("the target directory is writable");
        let here = format!("-Wl,-rpath,{}", self.0.display());
        run(gcc(&[&here])
            .args(&objects)
            .arg(self.path("libfloor.so"))
            .arg(format!("-L{}", self.0.display()))
            .arg("-ladtape_kit")
            .arg(release.join("libadtape.so"))
            .arg("-o")
            .arg(self.path("bench_shared")));
    }

    fn build_single(&self, release: &Path) {
        let library = release.join("libadtape.a");
        let here = format!("-Wl,-rpath,{}", self.0.display());
        // Without the functions that no one calls: a linker drops them if it is asked to.
        let only_used = "-Wl,--gc-sections";
        let resident = |flags: &[&str]| {
            let mut command = gcc(FLAGS);
            command.args(flags).arg("benches/c/resident.c");
            command
        };
        run(resident(&[]).arg("-o").arg(self.path("resident_none")));
        run(resident(&["-DWITH_TAPE", only_used])
            .arg(&library)
            .args(LIBRARIES)
            .arg("-o")
            .arg(self.path("resident_static")));
        run(resident(&["-DWITH_TAPE", &here])
            .arg(release.join("libadtape.so"))
            .arg("-o")
            .arg(self.path("resident_shared")));
        run(gcc(FLAGS).arg("benches/c/alive.c").arg(&library).args(LIBRARIES).arg("-o").arg(self.path("alive")));
        let example = "examples/cheaper_adjoints/cheaper_adjoints.c";
        run(gcc(&["-O2", "-Iinclude", example])
            .arg(&library)
            .args(LIBRARIES)
            .arg("-o")
            .arg(self.path("cheaper_adjoints")));
    }

    /// The small adjoints: with calls, and inlined.
    fn build_micro_adjoints(&self, release: &Path) {
        let libraries = [self.path("libadtape_kit.a"), release.join("libadtape.a")];
        let build = |command: &mut Command, program: &str| {
            run(command.args(&libraries).args(LIBRARIES).arg("-o").arg(self.path(program)));
        };
        let source = "benches/c/micro_adjoint.c";
        build(gcc(FLAGS).arg(source), "micro_adjoint_c_calls");
        build(gcc(FLAGS).args(["-DKIT_INLINE", "-Ikit/include", source]), "micro_adjoint_c_inlined");
        let here = self.0.display();
        run(gcc(FLAGS)
            .args([source, &format!("-L{here}"), "-ladtape_kit", &format!("-Wl,-rpath,{here}")])
            .arg(release.join("libadtape.so"))
            .arg("-o")
            .arg(self.path("micro_adjoint_c_shared")));
        if has_gnu_fortran() {
            let source = "benches/c/micro_adjoint.f90";
            build(&mut fortran(&["-O2", source]), "micro_adjoint_fortran_calls");
            build(fortran(LTO).args([source, "kit/adtape_kit_lto.c"]), "micro_adjoint_fortran_inlined");
        }
    }

    /// Generated adjoints beside those written by hand.
    fn build_generated(&self, release: &Path) {
        let sources = ["main", "hand", "burgers_b", "heat_b", "bundle_b", "addresses_b"];
        let sources = sources.map(|name| format!("benches/generated/{name}.c"));
        let library = release.join("libadtape.a");
        run(gcc(FLAGS).args(sources).arg(library).args(LIBRARIES).arg("-o").arg(self.path("generated")));
    }

    /// The examples of generated adjoints, each with its driver.
    fn build_examples(&self, release: &Path) {
        for name in example_names() {
            let example = format!("examples/generated/{name}");
            let mut compiler = gcc(FLAGS);
            compiler.arg(format!("-DDRIVER=\"../../{example}/driver.c\""));
            compiler.args(["benches/generated/example.c", &format!("{example}/{name}_b.c")]);
            compiler.arg(release.join("libadtape.a")).args(LIBRARIES);
            run(compiler.arg("-o").arg(self.path(&name)));
        }
    }

    fn compile(&self, part: &str, flags: &[&str]) -> PathBuf {
        let object = self.path(&format!("{part}.o"));
        run(gcc(FLAGS).args(flags).arg("-c").arg(format!("benches/c/{part}.c")).arg("-o").arg(&object));
        object
    }
}

fn gcc(flags: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "gcc".into()));
    command.args(flags);
    command
}

fn fortran(flags: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("FC").unwrap_or_else(|| "gfortran".into()));
    command.args(flags);
    command
}

/// Whether there is clang, which is compared with gcc where a handle is beside a local cursor.
pub fn has_clang() -> bool {
    Command::new("clang").arg("--version").output().is_ok()
}

/// Whether there is a Fortran compiler whose -flto understands that of gcc.
pub fn has_gnu_fortran() -> bool {
    let output = fortran(&["--version"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("GNU Fortran"))
}

/// Runs a command that must succeed.
fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
