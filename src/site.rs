//! Call sites: an address in the caller's code, and what a person reads of it.

use std::ffi::CStr;
use std::fmt;

/// A return address into the code that called; 0 where it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site(pub usize);

impl Site {
    pub const UNKNOWN: Site = Site(0);
}

impl fmt::Display for Site {
    /// `file:line (function)` where there is debug information, else `module+offset (function)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("an unknown place");
        }
        // A return address is one past the call, whose line is that of the byte before: `resolve` allows for that.
        // Innermost first. The inline calls of our header are not where the program called.
        let mut frames: Vec<(Option<String>, Option<String>)> = Vec::new();
        backtrace::resolve(self.0 as *mut _, |symbol| {
            let line = symbol.filename().zip(symbol.lineno()).map(|(file, line)| format!("{}:{line}", file.display()));
            frames.push((line, symbol.name().map(|name| format!("{name:#}"))));
        });
        let ours = |line: &str| line.contains("adtape/inline.h:");
        let theirs = frames.iter().position(|(line, _)| line.as_deref().is_none_or(|line| !ours(line)));
        let (line, function) = theirs.map_or((None, None), |i| frames.swap_remove(i));
        match line.or_else(|| module_offset(self.0 - 1)) {
            Some(place) => f.write_str(&place)?,
            None => write!(f, "address {:#x}", self.0)?,
        }
        match function {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

fn module_offset(address: usize) -> Option<String> {
    // SAFETY: dladdr reads only its first argument's value and fills the second, which lives here; the name it
    // points to is a NUL-terminated string that the dynamic linker keeps as long as the module is loaded.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const _, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let module = CStr::from_ptr(info.dli_fname).to_string_lossy();
        Some(format!("{module}+{:#x}", address - info.dli_fbase as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_in_this_file_is_said_by_file_and_function() {
        #[inline(never)]
        fn somewhere() -> usize {
            std::hint::black_box(somewhere as *const () as usize + 1)
        }
        let text = Site(somewhere()).to_string();
        assert!(text.contains("site.rs:") && text.contains("somewhere"), "{text}");
        assert_eq!(Site::UNKNOWN.to_string(), "an unknown place");
    }
}
