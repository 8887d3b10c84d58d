//! What the integration tests share: the built library, running a command, scratch directories, skipping.

// Each test file uses some of it.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

/// The top of the repository, also for tests of a member of the workspace.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|path| path.join("Cargo.lock").exists()).expect("a workspace has a Cargo.lock")
}

/// The generated headers, one for each theme, one after the other.
pub fn declarations() -> String {
    let read = |theme| fs::read_to_string(root().join(format!("include/adtape/{theme}.h"))).expect("a theme's header");
    ["process", "tape", "objects", "heap", "checkpoint", "driver", "verify"].map(read).concat()
}

/// What the headers inline, one after the other.
pub fn inlined() -> String {
    ["inline", "inline_local", "inline_objects", "inline_heap"]
        .map(|name| fs::read_to_string(root().join(format!("include/adtape/{name}.h"))).expect("a header"))
        .concat()
}

/// The directory of libadtape.a and libadtape.so as users get them: the release profile, built on the first call.
/// libadtape.so can be found there under its SONAME too.
pub fn build_release() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // CARGO_TARGET_TMPDIR is the directory tmp of the target directory.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root()).args(["build", "--release", "--lib", "--target-dir"]).arg(target);
        run(&mut cargo);
        let release = target.join("release");
        // A test in another process may have made the link meanwhile.
        let _ = std::os::unix::fs::symlink("libadtape.so", release.join("libadtape.so.0"));
        release
    })
}

/// What links a program with the library: with libadtape.so, which it finds where it was built, or with libadtape.a if
/// `TEST_STATIC` is set, as `make matrix` does. To link with that takes ten times as long.
pub fn linked() -> [String; 5] {
    let release = build_release().display();
    if std::env::var_os("TEST_STATIC").is_some() {
        return linked_statically();
    }
    let [threads, dynamic, math] = SYSTEM_LIBRARIES.map(String::from);
    [format!("{release}/libadtape.so"), format!("-Wl,-rpath,{release}"), threads, dynamic, math]
}

/// What links a program with libadtape.a, as the installed pkg-config file of the static library has it.
pub fn linked_statically() -> [String; 5] {
    let [threads, dynamic, math] = SYSTEM_LIBRARIES.map(String::from);
    [build_release().join("libadtape.a").display().to_string(), "-Wl,--gc-sections".into(), threads, dynamic, math]
}

/// The libraries of the system that the library needs, and libm for programs that compute.
pub const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-Wl,--push-state,--as-needed,-lm,--pop-state"];

/// What gfortran is asked for in what is ours: no warning. Values that come back must be exactly those that went, so reals
/// are compared. gfortran warns of bounds that it sets in an assignment, and of those that it copies of a variable that is
/// not allocated. Whether `said` is called after a check that failed does not matter.
pub const STRICT: [&str; 9] = [
    "-std=f2018",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-Wno-compare-reals",
    "-Wno-maybe-uninitialized",
    "-Wno-uninitialized",
    "-Wno-function-elimination",
    "-Werror",
];

/// The directory of the Fortran module and its archive, compiled without a warning for a user's program. Compiling it takes
/// seconds: whoever comes later finds it built, unless something that it is made of has changed since.
pub fn fortran_module(fc: &str) -> PathBuf {
    static BUILDING: Mutex<()> = Mutex::new(());
    let _alone = BUILDING.lock();
    let [sources, include, scripts] = ["fortran-bindings", "include", "scripts/install"].map(|name| root().join(name));
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let made_of = [&sources, &include, &scripts].into_iter().flat_map(|directory| files_below(directory, |_| true));
    let newest = made_of.filter_map(|path| changed(&path)).max();
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("module-{fc}"));
    if changed(&built.join("libadtape_fortran.a")) <= newest {
        let out = scratch(&format!("module-{fc}-{}", std::process::id()));
        let mut build = Command::new(scripts.join("build_fortran.sh"));
        let strict = if fc.contains("gfortran") { STRICT.join(" ") } else { String::new() };
        build.args([&sources, &include, &out]).env("FC", fc).env("FCFLAGS", format!("-O2 -g {strict}"));
        build.env("CC", cc()).env("CFLAGS", "-std=c11 -O2 -g -Wall -Wextra -Wpedantic -Werror");
        run(&mut build);
        let _ = fs::remove_dir_all(&built);
        fs::rename(&out, &built).expect("the target directory is writable");
    }
    built
}

/// All files and links below a directory, sorted, but those below directories that `enter` turns away by name.
pub fn files_below(directory: &Path, enter: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let (mut files, mut directories) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry of a directory").path();
            if !path.is_dir() {
                files.push(path);
            } else if enter(&path.file_name().expect("a name").to_string_lossy()) {
                directories.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Runs a command that must succeed; otherwise the test fails and shows all that the command said.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A command without adtape's variables in its environment. Threads of OpenMP give way where they wait: there may be more
/// of them than cores.
pub fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("OMP_WAIT_POLICY", "passive");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ADTAPE_")) {
        command.env_remove(name);
    }
    command
}

/// What a command that must succeed prints on its standard output, trimmed.
pub fn stdout(command: &mut Command) -> String {
    String::from_utf8_lossy(&run(command).stdout).trim().to_owned()
}

/// An empty directory for one test's files; `name` is unique among all tests. Kept until the next run.
pub fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("the target directory is writable");
    directory
}

/// Says that a test is skipped and why, past the test runner's capture. In CI nothing may be skipped.
pub fn skip(test: &str, why: &str) {
    let line = format!("SKIPPED {test}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
    assert!(std::env::var_os("CI").is_none(), "in CI no test may be skipped; {line}");
}

/// The levels of optimisation that test programs are compiled at: those that `TEST_LEVELS` names, by default the usual
/// one. `make matrix` asks for the others.
pub fn levels() -> Vec<String> {
    let named = std::env::var("TEST_LEVELS").unwrap_or_else(|_| "-O2".to_owned());
    named.split_whitespace().map(str::to_owned).collect()
}

/// The Fortran compiler: `FC`, or gfortran.
pub fn fc() -> String {
    std::env::var("FC").unwrap_or_else(|_| "gfortran".to_owned())
}

/// The C compiler that compiles glue for it: `CC`, or gcc.
pub fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned())
}
