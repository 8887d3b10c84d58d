//! The module that an address is in, as the dynamic linker knows it: the program or a shared library.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The module's file, and the address in it as its symbol table has it.
pub(super) fn file_and_offset(address: usize) -> Option<(String, usize)> {
    let module = Module::of(address)?;
    Some((module.file().display().to_string(), address - module.base))
}

/// Calls `each` with the return addresses of the calls that this thread is in, the innermost first, until it says that
/// there are enough.
pub(crate) fn each_caller(mut each: impl FnMut(usize) -> bool) {
    // SAFETY: the unwinder of the systems that the library is for serves any number of threads. The lock that the function
    // goes without would stay taken in a child of fork.
    unsafe { backtrace::trace_unsynchronized(|frame| each(frame.ip() as usize)) };
}

struct Module<'a> {
    /// Where its file is mapped from its beginning.
    base: usize,
    /// As it was opened; for the program whatever it was called by.
    name: &'a Path,
}

/// Keeps the library that an address is in loaded until the process ends, whoever closes it: threads that end later call
/// into it.
pub(crate) fn keep_loaded(address: usize) {
    let Some(module) = Module::of(address).filter(|module| !module.is_program()) else { return };
    if let Ok(name) = std::ffi::CString::new(module.name.as_os_str().as_bytes()) {
        // SAFETY: a name of the linker's, of what is loaded; nothing is loaded by this.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

impl Module<'_> {
    fn of(address: usize) -> Option<Module<'static>> {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: it writes what it finds of the address, which it does not dereference. Zeros are a Dl_info.
        let info = unsafe {
            let known = libc::dladdr(address as *const _, found.as_mut_ptr());
            (known != 0).then(|| found.assume_init())?
        };
        if info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: a string of the linker's, which stays while the module does; nobody unloads code that is on its
        // way to an error.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        Some(Module { base: info.dli_fbase as usize, name: Path::new(OsStr::from_bytes(name.to_bytes())) })
    }

    fn is_program(&self) -> bool {
        // SAFETY: it reads the process's auxiliary vector.
        let headers_of_program = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
        Module::of(headers_of_program).is_some_and(|program| program.base == self.base)
    }

    fn file(&self) -> PathBuf {
        let file = if self.is_program() { std::env::current_exe() } else { self.name.canonicalize() };
        file.unwrap_or_else(|_| self.name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_of_this_program_is_said_by_module_and_offset() {
        let (file, offset) = file_and_offset(file_and_offset as *const () as usize).unwrap();
        let program = std::env::current_exe().unwrap();
        assert_eq!(file, program.display().to_string());
        assert!(offset > 0);
        assert_eq!(file_and_offset(1), None);
    }

    #[test]
    fn address_of_a_library_is_said_by_its_file() {
        // A function that no sanitizer puts one of its own before.
        let (file, _) = file_and_offset(libc::getauxval as *const () as usize).unwrap();
        assert!(file.starts_with('/') && file.contains("libc"), "{file}");
    }
}
