//! The same in Fortran: the compiler of Fortran builds the sources, the generated file and the driver, that of C the
//! check.

use std::path::{Path, PathBuf};
use std::process::Command;

use adtape_generate::emit::Output;

use super::build::{Compiler, Folder, ONLY_WHAT_IS_CALLED, built, failed, finished, takes};
use super::library;
use crate::job::Job;
use crate::say;

/// Subscripts out of bounds, arrays that are not there, and the like end the program. Copies of arguments are no fault.
const CHECKS: &str = "-fcheck=all,no-array-temps";
/// Finds accesses outside of arrays whose extents are wrong.
const SANITIZER: &str = "-fsanitize=address";
/// The end of a program by [`CHECKS`] is a result of the check.
const ENDS: &str = "-Wl,--wrap=_gfortran_runtime_error_at";
/// A source may have a main program of its own: the driver comes first.
const FIRST_MAIN: &str = "-Wl,--allow-multiple-definition";

/// Builds the driver with the generated text and runs it; the exit status where something is wrong.
pub fn run(output: &Output, job: &Job, driver: &str) -> Result<(), u8> {
    let folder = Folder::new().map_err(|error| failed(&format!("cannot make a folder for the check: {error}")))?;
    let source = folder.0.join(job.options().file);
    let check = folder.0.join("check.c");
    for (path, text) in [(&source, &output.source), (&check, &output.check)] {
        std::fs::write(path, text).map_err(|error| failed(&format!("cannot write {}: {error}", path.display())))?;
    }
    let fortran = Compiler::named("FC", "gfortran")?;
    let build = Build {
        c: Compiler::new()?,
        folder: &folder.0,
        flags: library::flags(Some(&fortran))?.iter().map(|flag| from_anywhere(flag)).collect(),
        arguments: job.arguments.iter().map(|flag| from_anywhere(flag)).collect(),
        fortran,
    };
    let sanitizer = build.sanitizer();
    let path = |number: &usize| absolute(&job.files[*number]);
    let mut sources: Vec<PathBuf> = output.beside.before.iter().map(path).collect();
    sources.push(source);
    sources.extend(output.beside.behind.iter().map(path));
    sources.push(absolute(driver));
    let mut objects = vec![build.object_of_c(&check, driver)?];
    for (number, source) in sources.iter().enumerate() {
        objects.push(build.object(source, number, &sanitizer, driver)?);
    }
    // The driver's main program comes first.
    objects.rotate_right(1);
    let program = build.link(&objects, &sanitizer, driver)?;
    finished(&program, driver)
}

/// How the parts of the program are built: in the folder of the check, because compilers take modules that they find in
/// the working directory first, and one of an earlier build may lie there.
struct Build<'a> {
    fortran: Compiler,
    c: Compiler,
    folder: &'a Path,
    flags: Vec<String>,
    arguments: Vec<String>,
}

impl Build<'_> {
    /// Compiles a source of Fortran.
    fn object(&self, source: &Path, number: usize, sanitizer: &[&str], driver: &str) -> Result<PathBuf, u8> {
        let object = self.folder.join(format!("{number}.o"));
        let mut build = self.fortran.command();
        build.args(["-g", "-O1", "-w", "-c", CHECKS]).args(ONLY_WHAT_IS_CALLED.iter().filter(|flag| !links(flag)));
        build.args(sanitizer).args(&self.arguments);
        build.args(self.flags.iter().filter(|flag| !links(flag))).arg(source).arg("-o").arg(&object);
        let install = "install gfortran (Debian: apt install gfortran), or name a compiler of Fortran with FC";
        self.done(&mut build, &self.fortran, driver, install)?;
        Ok(object)
    }

    /// Compiles the check.
    fn object_of_c(&self, source: &Path, driver: &str) -> Result<PathBuf, u8> {
        let object = self.folder.join("check.o");
        let mut build = self.c.command();
        build.args(["-std=gnu99", "-g1", "-O1", "-w", "-c"]).args(self.flags.iter().filter(|flag| !links(flag)));
        build.arg(source).arg("-o").arg(&object);
        self.done(&mut build, &self.c, driver, "install a compiler of C, or name one with CC")?;
        Ok(object)
    }

    fn link(&self, objects: &[PathBuf], sanitizer: &[&str], driver: &str) -> Result<PathBuf, u8> {
        let program = self.folder.join("check");
        let mut build = self.fortran.command();
        build.args(sanitizer).args(objects).args(ONLY_WHAT_IS_CALLED).args([ENDS, FIRST_MAIN]);
        build.args(&self.flags).arg("-lm").arg("-o").arg(&program);
        self.done(&mut build, &self.fortran, driver, "")?;
        Ok(program)
    }

    /// Runs a compiler in the folder.
    fn done(&self, build: &mut Command, compiler: &Compiler, driver: &str, install: &str) -> Result<(), u8> {
        built(build.current_dir(self.folder), compiler, driver, install)
    }

    /// The sanitizer, where a program can be built with it.
    fn sanitizer(&self) -> Vec<&'static str> {
        match takes(&self.fortran, self.folder, ("empty.f90", "end\n"), &[SANITIZER]) {
            Ok(true) => return vec![SANITIZER],
            Ok(false) => {
                let name = &self.fortran.words[0];
                say::tell(&format!(
                    "check: {name} has no sanitizer: some accesses outside of arrays are not noticed\n"
                ));
            }
            // Its first source says so.
            Err(_) => {}
        }
        Vec::new()
    }
}

/// The path of a file from the root.
fn absolute(file: &str) -> PathBuf {
    Path::new(file).canonicalize().unwrap_or_else(|_| file.into())
}

/// A flag that means the same in every directory.
fn from_anywhere(flag: &str) -> String {
    let option = ["-I", "-L"].into_iter().find(|option| flag.starts_with(option)).unwrap_or_default();
    let path = &flag[option.len()..];
    let there = Path::new(path).canonicalize().ok().filter(|_| !path.is_empty());
    there.map_or_else(|| flag.to_string(), |there| format!("{option}{}", there.display()))
}

/// Whether an argument is for the linker only.
fn links(flag: &str) -> bool {
    let is_library = [".a", ".so", ".o"].iter().any(|ending| flag.ends_with(ending));
    flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,") || is_library
}
