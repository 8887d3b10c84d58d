//! Faults put into the analyses and beside them, one at a time: a test of the generator must notice.
//!
//! `make analysis-mutants` copies the repository into the target directory and puts all faults of `faults.rs` into the
//! copy, each behind a test whether it is the one that `ADTAPE_FAULT` names. So the copy is compiled once; the library is
//! that of the repository itself. Then the tests run with each fault, the cheapest first, until one fails. `FAULTS="3 17"` tries some, `JOBS` at a time, and
//! `PROGRAMS` says how many random programs there are.

mod faults;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Tests that must notice a fault, in this order.
const TESTS: [&str; 9] = [LIBRARY, "edge", "papers", "again", "replay", "meaning", "heap", WRITTEN, "random"];

/// The tests within the library.
const LIBRARY: &str = "adtape_generate";

/// Its random functions of pointers into one array and of OpenMP, and its loops whose passes commute; the others compare
/// texts.
const WRITTEN: &str = "written";
const RANDOM_OF_WRITTEN: [&str; 3] = ["random_", "programs_whose_result_depends_on_the_team", "commute::"];

/// A program with a fault may not end.
const LIMIT: Duration = Duration::from_secs(900);

const SWITCH: &str = "
/// Which fault is on.
#[allow(missing_docs)]
pub fn fault(number: usize) -> bool {
    static ON: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var(\"ADTAPE_FAULT\").ok()?.parse().ok()) == Some(number)
}
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace")
}

fn text_of(file: &str) -> String {
    std::fs::read_to_string(root().join("generator/src").join(file)).expect("a file of the analyses")
}

#[test]
fn each_fault_has_one_place_in_the_analyses() {
    for (file, original, fault, what) in faults::all() {
        assert_eq!(text_of(file).matches(original).count(), 1, "{file}: {original}");
        assert_ne!(original, fault, "{what}");
    }
}

/// The tests with all faults in them, by name.
fn build(copy: &Path, target: &Path) -> BTreeMap<String, PathBuf> {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "-z"]).output().expect("git runs");
    for file in String::from_utf8(listed.stdout).expect("names of files").split_terminator('\0') {
        let (from, to) = (root().join(file), copy.join(file));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("the target directory is writable");
        let bytes = std::fs::read(&from).unwrap_or_default();
        // What has not changed is not compiled again.
        if std::fs::read(&to).ok().as_ref() != Some(&bytes) {
            std::fs::copy(&from, &to).expect("the target directory is writable");
        }
    }
    let mut changed: BTreeMap<&str, String> = BTreeMap::new();
    for (number, (file, original, fault, _)) in faults::all().enumerate() {
        let text = changed.entry(file).or_insert_with(|| text_of(file));
        let either = format!("if crate::fault({number}) {{ {fault} }} else {{ {original} }}");
        let either = if original.starts_with("if ") { either } else { format!("({either})") };
        *text = text.replacen(original, &either, 1);
    }
    for (file, text) in changed {
        std::fs::write(copy.join("generator/src").join(file), text).expect("the copy is writable");
    }
    let library = copy.join("generator/src/lib.rs");
    let text = std::fs::read_to_string(&library).expect("the copy is complete");
    std::fs::write(&library, text + SWITCH).expect("the copy is writable");

    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(copy).args(["test", "--no-run", "--locked", "-p", "adtape-generate", "--message-format=json"]);
    cargo.arg("--lib").args(TESTS.iter().filter(|test| **test != LIBRARY).flat_map(|test| ["--test", test]));
    let built = cargo.arg("--target-dir").arg(target).output().expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let messages = String::from_utf8(built.stdout).expect("messages of cargo");
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let test = |message: serde_json::Value| {
        let program = message["executable"].as_str()?;
        Some((message["target"]["name"].as_str()?.to_string(), PathBuf::from(program)))
    };
    messages.filter_map(test).collect()
}

/// Whether a test passes with a fault, or with none.
fn passes(copy: &Path, tests: &BTreeMap<String, PathBuf>, test: &str, fault: Option<usize>) -> bool {
    let mut command = Command::new(&tests[test]);
    command
        .current_dir(copy.join("generator"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .envs([("TRIES", "0"), ("UNSUPPORTED", "0")])
        .env("ADTAPE_RELEASE", Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("release"));
    if test == WRITTEN {
        // All functions are compiled as one source.
        command.args(RANDOM_OF_WRITTEN).env("PROGRAMS", "24");
    }
    if let Some(number) = fault {
        command.env("ADTAPE_FAULT", number.to_string());
    }
    let mut child = command.spawn().expect("a test runs");
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status.success();
        }
        if began.elapsed() > LIMIT {
            child.kill().expect("a child of ours");
            child.wait().expect("a child of ours");
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn tests_notice_each_fault() {
    if std::env::var_os("ANALYSIS_MUTANTS").is_none() {
        return;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let copy = target.join("analysis-mutants");
    // In the target directory of the checkout, its tests would be taken for those of the copy.
    let tests = build(&copy, &copy.join("target"));
    let chosen: Option<Vec<usize>> =
        std::env::var("FAULTS").ok().map(|text| text.split(' ').map(|number| number.parse().unwrap()).collect());
    for test in TESTS {
        assert!(passes(&copy, &tests, test, None), "{test} fails without a fault");
    }
    let faults: Vec<_> = faults::all().enumerate().collect();
    let wanted = |number: &usize| chosen.as_ref().is_none_or(|chosen| chosen.contains(number));
    let next = AtomicUsize::new(0);
    let noticed = Mutex::new(Vec::new());
    let jobs: usize = std::env::var("JOBS").map_or(2, |text| text.parse().expect("a number of jobs"));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((number, (file, _, _, what))) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if wanted(number) {
                        let by = TESTS.into_iter().find(|test| !passes(&copy, &tests, test, Some(*number)));
                        println!("{number:3} {:7} {file}: {what}", by.unwrap_or("none"));
                        noticed.lock().expect("no test panics here").push(by);
                    }
                }
            });
        }
    });
    let noticed = noticed.into_inner().expect("no test panics here");
    for by in TESTS.into_iter().map(Some).chain([None]) {
        let count = noticed.iter().filter(|each| **each == by).count();
        println!("{count:3} are noticed by {}", by.unwrap_or("no test"));
    }
    assert!(!noticed.contains(&None), "no test notices some faults");
}
