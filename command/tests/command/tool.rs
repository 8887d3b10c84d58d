//! The command as its users run it, in a folder.

use crate::common::{Scratch, flags};
use std::path::Path;
use std::process::{Command, Output};

/// Runs `adtape` in a folder.
pub fn adtape(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_adtape")).current_dir(folder).args(args).output().unwrap()
}

/// What it prints, where it succeeds.
pub fn printed(folder: &Path, args: &[&str]) -> String {
    let output = adtape(folder, args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

impl Scratch {
    pub fn run(&self, args: &[&str]) -> Output {
        adtape(&self.0, args)
    }

    pub fn printed(&self, args: &[&str]) -> String {
        printed(&self.0, args)
    }

    /// Compiles sources with these flags, links them with the library, and runs the program, which says by its status that
    /// all is right.
    pub fn builds_and_runs(&self, arguments: &[&str]) {
        let mut build = Command::new("gcc");
        build.current_dir(&self.0).args(arguments).args(["-o", "program"]).args(flags());
        let built = build.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let run = Command::new(self.0.join("program")).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }
}
