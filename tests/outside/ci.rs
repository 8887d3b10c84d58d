//! `.ci/run` on a made-up Makefile: it is green only where every step passes and none skips a test.

use crate::common::{root, scratch};
use std::fs;
use std::process::Command;

const STEPS: &str = "\
good:\n\t@echo 'test result: ok. 3 passed; 0 failed; 0 ignored; CI is '$$CI\n\
bad:\n\t@echo 'test result: FAILED. 2 passed; 1 failed; 0 ignored'; false\n\
skips:\n\t@echo 'SKIPPED t: no compiler'\n\
ignores:\n\t@echo 'test result: ok. 2 passed; 0 failed; 11 ignored'\n\
asks:\n\t@! read line\n";

/// Runs these steps; whether all was green, and what was said.
fn ci(name: &str, steps: &[&str]) -> (bool, String) {
    let directory = scratch(name);
    fs::create_dir(directory.join(".ci")).expect("scratch directory is writable");
    fs::copy(root().join(".ci/run"), directory.join(".ci/run")).expect(".ci/run");
    fs::write(directory.join("Makefile"), STEPS).expect("scratch directory is writable");
    // By bash: a program just written cannot be run while another test's child still holds it open.
    let mut command = Command::new("bash");
    let output = command
        .arg(directory.join(".ci/run"))
        .args(steps)
        .env_remove("MAKEFLAGS")
        .env_remove("CI")
        .output()
        .expect("bash runs");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn passing_steps_are_green_and_their_closing_lines_shown() {
    let (green, said) = ci("ci_green", &["good", "asks"]);
    assert!(green, "{said}");
    assert!(said.contains("test result: ok. 3 passed; 0 failed; 0 ignored; CI is true"), "{said}");
    assert!(said.contains("all passed"), "{said}");
}

#[test]
fn a_failing_step_is_red_and_the_others_still_run() {
    let (green, said) = ci("ci_red", &["bad", "good"]);
    assert!(!green && said.contains("3 passed") && said.ends_with("failed: bad\n"), "{said}");
}

#[test]
fn a_skipped_or_ignored_test_is_red() {
    for (step, line) in
        [("skips", "skipped: SKIPPED t: no compiler"), ("ignores", "skipped: test result: ok. 2 passed")]
    {
        let (green, said) = ci(&format!("ci_{step}"), &[step]);
        assert!(!green && said.contains(line) && said.contains("tests were skipped"), "{said}");
    }
}
