//! What the tests of the generator and of the command share: the built library, heads, scratch folders.

// Each test file uses some of it.
#![allow(dead_code)]

pub mod counted;
pub mod generate;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use adtape_generate::flow::Head;

/// The top of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace")
}

/// The directory of libadtape.so as users get it: the release profile, built on the first call. Linking many small
/// programs with libadtape.a takes ten times as long. Tests of a copy of the repository have it from elsewhere.
pub fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let release = std::env::var_os("ADTAPE_RELEASE").map_or_else(built, PathBuf::from);
        // A test in another process may have made the link meanwhile.
        let _ = std::os::unix::fs::symlink("libadtape.so", release.join("libadtape.so.0"));
        release
    })
}

/// Builds the library into the target directory of the tests.
fn built() -> PathBuf {
    // CARGO_TARGET_TMPDIR is the directory tmp of the target directory.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["build", "--release", "--locked", "--lib", "-p", "adtape"]);
    let built = cargo.arg("--target-dir").arg(target).output().expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    target.join("release")
}

/// The flag that finds the library's header.
pub fn include() -> String {
    format!("-I{}", root().join("include").display())
}

/// All that a compiler needs to build with the library; libraries come last on its command line.
pub fn flags() -> [String; 5] {
    let at = libraries().display();
    [include(), format!("{at}/libadtape.so"), format!("-Wl,-rpath,{at}"), "-lm".into(), "-lpthread".into()]
}

/// The folder of the Fortran module, which is compiled on the first call.
pub fn fortran_module() -> &'static Path {
    static MODULE: OnceLock<PathBuf> = OnceLock::new();
    MODULE.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fortran-module");
        let mut build = Command::new(root().join("scripts/install/build_fortran.sh"));
        build.arg(root().join("fortran-bindings")).arg(root().join("include")).arg(&folder);
        // With optimisation it takes three times as long.
        build.env("FCFLAGS", "-O0").env("CFLAGS", "-O0");
        let output = build.output().expect("a shell");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    })
}

/// A source that belongs to programs in which a division by 0, an invalid operation or an overflow is the end.
pub fn traps() -> String {
    root().join("generator/tests/common/traps.c").display().to_string()
}

/// The flags of a program that checks itself and runs once: what takes time is compiling it with sanitizers. That it has
/// defined behaviour is checked by `make matrix`, which sets `TEST_UNDEFINED`. Whatever it raises ends it.
pub fn quick() -> Vec<String> {
    let without = if std::env::var_os("TEST_UNDEFINED").is_some() { "" } else { "-fno-sanitize=undefined" };
    let levels = ["-O0", "-g0", without].into_iter().filter(|flag| !flag.is_empty());
    [traps()].into_iter().chain(flags()).chain(levels.map(String::from)).collect()
}

/// A head as the command line writes it: `f(y)/(x)`.
pub fn head(text: &str) -> Head {
    let (proc, rest) = text.split_once('(').expect("f(y)/(x)");
    let (dependents, independents) = rest.split_once(")/(").expect("f(y)/(x)");
    let names = |list: &str| list.trim_end_matches(')').split_whitespace().map(String::from).collect();
    Head { proc: proc.into(), dependents: names(dependents), independents: names(independents) }
}

/// Checks each of them, two at a time: a test on its own would leave a core idle.
pub fn each<T: Sync>(all: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(one);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}

/// What the work makes of each of them, in as many threads as there are processors. Programs may be nested deeply.
pub fn made_of<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    const STACK_BYTES: usize = 1 << 28;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let mut parts = Vec::new();
        for part in all.chunks(all.len().div_ceil(threads).max(1)) {
            let work = || -> Vec<R> { part.iter().map(&work).collect() };
            parts.push(std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap());
        }
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// An empty folder for one test's files; `name` is unique among all tests. It goes when it is dropped, but for `KEEP`.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("adtape-test-{process}-{number}-{name}"));
        std::fs::create_dir_all(&path).expect("the folder for temporary files is writable");
        Scratch(path)
    }

    pub fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.0.join(file);
        std::fs::write(&path, text).expect("a scratch folder is writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
