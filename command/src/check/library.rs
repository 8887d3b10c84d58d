//! Where the library is that a check is linked with.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::{Compiler, failed};
use crate::words::words;

/// Folders of libraries in an installed tree, as distributions name them.
const LIBRARIES: [&str; 5] = ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/riscv64-linux-gnu"];

/// How the compiler of C finds the library: by `ADTAPE_FLAGS`, else in the tree that the command is installed in, else by
/// what pkg-config says. With `fortran`, its compiler: the module, too.
pub fn flags(fortran: Option<&Compiler>) -> Result<Vec<String>, u8> {
    let shell = |name: &str, text: &str| words(name, text).map_err(|what| failed(&what));
    if let Ok(flags) = std::env::var("ADTAPE_FLAGS") {
        return shell("ADTAPE_FLAGS", &flags);
    }
    if let Some(flags) = std::env::current_exe().ok().and_then(|command| beside(&command, fortran)) {
        return Ok(flags);
    }
    let package = if fortran.is_some() { "adtape-fortran" } else { "adtape" };
    match Command::new("pkg-config").args(["--cflags", "--libs", package]).output() {
        Ok(output) if output.status.success() => {
            shell("what pkg-config prints", &String::from_utf8_lossy(&output.stdout))
        }
        _ => Err(failed(&format!(
            "{package} is not installed beside this command, and pkg-config does not know it: install it, or set \
             ADTAPE_FLAGS to what finds it"
        ))),
    }
}

/// The flags for the tree that a command is installed in, if it is in one.
fn beside(command: &Path, fortran: Option<&Compiler>) -> Option<Vec<String>> {
    let prefix = command.canonicalize().ok()?.parent()?.parent()?.to_path_buf();
    let include = prefix.join("include");
    let folder = LIBRARIES.iter().map(|name| prefix.join(name)).find(|folder| folder.join("libadtape.so").exists())?;
    if !include.join("adtape.h").exists() {
        return None;
    }
    let mut flags = vec![format!("-I{}", include.display())];
    if let Some(compiler) = fortran {
        let module = module(&folder.join("adtape/fortran"), compiler)?;
        flags.extend([format!("-I{}", module.display()), module.join("libadtape_fortran.a").display().to_string()]);
    }
    let library = folder.join("libadtape.so").display().to_string();
    flags.extend([library, format!("-Wl,-rpath,{}", folder.display())]);
    Some(flags)
}

/// The folder of the module for a compiler, by its name and major version; else the only one that is there.
fn module(folder: &Path, compiler: &Compiler) -> Option<PathBuf> {
    let said = compiler.command().arg("-dumpversion").output().ok()?;
    let version = String::from_utf8_lossy(&said.stdout);
    let own = folder.join(format!("gfortran-{}", version.trim().split('.').next().unwrap_or_default()));
    let all = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    let only = all.first().filter(|_| all.len() == 1).cloned();
    if own.is_dir() { Some(own) } else { only }
}
