//! `scripts/setup.sh` on made-up machines: each a directory of commands that is the whole PATH, in which gfortran is
//! missing and apt-get, sudo and id are stand-ins. What it cannot install it names.

use crate::common::{root, run, scratch};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What setup.sh and the tools that it tries are made of, without gfortran.
const THERE: [&str; 22] = [
    "awk", "bash", "cargo", "cat", "cc", "dirname", "env", "g++", "gcc", "grep", "head", "ld", "as", "mktemp", "rm",
    "rustc", "sed", "sort", "tail", "tr", "true", "uname",
];

const APT_LINE: &str = "apt-get update && apt-get install -y --no-install-recommends gfortran";

struct Machine(PathBuf);

impl Machine {
    /// A machine whose user has this number.
    fn new(name: &str, user: u32) -> Machine {
        let machine = Machine(scratch(&format!("setup_{name}")));
        for command in THERE {
            symlink(which(command), machine.0.join(command)).expect("scratch directory is writable");
        }
        machine.add("id", &format!("echo {user}"));
        machine
    }

    /// Adds a command that is a shell script. It is a copy by another process: what this one has written cannot be
    /// run while a child of another test still holds it open.
    fn add(&self, command: &str, script: &str) {
        let (draft, path) = (self.0.join("draft"), self.0.join(command));
        let _ = fs::remove_file(&path);
        fs::write(&draft, format!("#!{}\n{script}\n", which("bash").display())).expect("scratch directory is writable");
        run(Command::new("install").args(["-m", "755"]).args([draft, path]));
    }

    fn without(self, command: &str) -> Machine {
        fs::remove_file(self.0.join(command)).expect("it was there");
        self
    }

    /// Adds an apt-get that writes down how it is called and then runs a script.
    fn apt(&self, script: &str) {
        self.add("apt-get", &format!("echo \"$@\" >>{}; {script}", self.log().display()));
    }

    fn log(&self) -> PathBuf {
        self.0.join("apt.log")
    }

    fn setup(&self, target: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(which("bash"));
        command.arg(root().join("scripts/setup.sh")).arg(target).env("PATH", &self.0);
        command.env_remove("NO_INSTALL").env_remove("FC").envs(variables.iter().copied());
        command.stdin(std::process::Stdio::null()).output().expect("bash runs")
    }
}

/// The real command; for cargo and rustc those that compiled this test, not rustup's stand-ins.
fn which(command: &str) -> PathBuf {
    match command {
        "cargo" => PathBuf::from(env!("CARGO")),
        "rustc" => Path::new(env!("CARGO")).with_file_name("rustc"),
        _ => {
            let path = std::env::var_os("PATH").expect("a PATH");
            let found =
                std::env::split_paths(&path).map(|directory| directory.join(command)).find(|file| file.is_file());
            found.unwrap_or_else(|| panic!("this machine has no {command}"))
        }
    }
}

/// The set-up failed and said each of these.
fn refused(output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is missing from:\n{said}");
    }
}

fn accepted(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn nothing_is_done_where_all_is_there() {
    let machine = Machine::new("complete", 1000);
    machine.apt("exit 1");
    let said = accepted(&machine.setup("build", &[]));
    assert_eq!(said.trim(), "set-up: all there for make build");
    assert!(!machine.log().exists(), "apt-get was called");
}

#[test]
fn without_apt_get_the_message_names_what_to_install() {
    let machine = Machine::new("no_apt", 0);
    let output = machine.setup("bench", &[]);
    refused(&output, &["no apt-get", "'make bench'", "gfortran", "Fedora: gcc-gfortran", APT_LINE]);
}

#[test]
fn without_root_and_sudo_the_message_names_what_to_install() {
    let machine = Machine::new("no_sudo", 1000);
    machine.apt("exit 1");
    refused(&machine.setup("bench", &[]), &["takes root", "sudo is missing", APT_LINE]);
    assert!(!machine.log().exists(), "apt-get was called");
}

/// Without a terminal nobody could answer, so sudo is not made to ask.
#[test]
fn sudo_that_wants_a_password_is_not_asked() {
    let machine = Machine::new("sudo_asks", 1000);
    machine.apt("exit 1");
    machine.add("sudo", "[ \"$1\" = -n ] && exit 1; sleep 100");
    refused(&machine.setup("bench", &[]), &["wants a password", APT_LINE]);
}

#[test]
fn a_failing_apt_get_is_shown() {
    let machine = Machine::new("apt_fails", 0);
    machine.apt("echo 'E: Could not resolve the mirror' >&2; exit 100");
    refused(&machine.setup("bench", &[]), &["E: Could not resolve the mirror", "is there a network?", APT_LINE]);
}

#[test]
fn an_installation_that_does_not_help_is_noticed() {
    let machine = Machine::new("apt_no_help", 0);
    machine.apt("exit 0");
    refused(&machine.setup("bench", &[]), &["still does not work", "gfortran"]);
}

#[test]
fn what_is_missing_is_installed_through_sudo_after_refreshing_the_list() {
    let machine = Machine::new("apt_works", 1000);
    machine.add("sudo", "[ \"$1\" = -n ] && shift; exec \"$@\"");
    let (gfortran, list) = (machine.0.join("gfortran"), machine.0.join("list"));
    let (update, install) = (format!("echo >{}", list.display()), format!("ln -s /bin/true {}", gfortran.display()));
    machine.add("ln", &format!("exec {} \"$@\"", which("ln").display()));
    machine.apt(&format!("case \"$*\" in *update*) {update} ;; *) [ -e {} ] && {install} ;; esac", list.display()));
    let said = accepted(&machine.setup("bench", &[]));
    assert!(said.contains("installing with apt-get, as root: gfortran"), "{said}");
    assert!(said.contains("refreshing apt-get's list"), "{said}");
    let calls = fs::read_to_string(machine.log()).expect("apt-get was called");
    let kinds: Vec<_> = calls.lines().map(|line| line.contains("update")).collect();
    assert_eq!(kinds, [false, true, false], "install, update, install:\n{calls}");
    assert!(calls.lines().all(|line| line.contains("update") || line.ends_with("-recommends gfortran")), "{calls}");
}

#[test]
fn no_install_is_heeded() {
    let machine = Machine::new("no_install", 0);
    machine.apt("exit 0");
    refused(&machine.setup("bench", &[("NO_INSTALL", "1")]), &["NO_INSTALL is set", APT_LINE]);
    assert!(!machine.log().exists(), "apt-get was called");
}

#[test]
fn a_missing_or_old_rust_is_named_with_the_version_needed() {
    let needed = format!("Rust {} or later", env!("CARGO_PKG_RUST_VERSION"));
    refused(&Machine::new("no_cargo", 0).without("cargo").setup("build", &[]), &["no cargo", &needed]);
    let old = Machine::new("old_cargo", 0);
    old.add("cargo", "echo 'cargo 1.63.0 (fd9c4297c 2022-07-01)'");
    refused(&old.setup("build", &[]), &["cargo 1.63.0 is too old", &needed]);
}

#[test]
fn a_missing_nightly_is_named_with_the_command_that_gets_it() {
    let machine = Machine::new("no_nightly", 0);
    for tool in ["gfortran", "valgrind"] {
        machine.add(tool, "exit 0");
    }
    machine.add("gcc", "exit 0");
    machine.add("cargo", "case $1 in +nightly) exit 1 ;; --version) echo 'cargo 1.99.0 (0 2026-01-01)' ;; esac");
    refused(&machine.setup("sanitize", &[]), &["nightly toolchain", "rustup toolchain install nightly"]);
}
