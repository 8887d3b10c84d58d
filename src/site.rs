//! Call sites: an address in the caller's code, and what a person reads of it.

#![forbid(unsafe_code)]

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

/// `module+offset`, where the offset is the address in the module's file as its symbol table has it.
fn module_offset(address: usize) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let module = maps.lines().filter_map(Mapping::parse).find(|m| (m.start..m.end).contains(&address))?.file;
    let base = maps.lines().filter_map(Mapping::parse).filter(|m| m.file == module).map(|m| m.start).min()?;
    Some(format!("{module}+{:#x}", address - base))
}

/// A line of /proc/self/maps that names a file.
struct Mapping<'a> {
    start: usize,
    end: usize,
    file: &'a str,
}

impl Mapping<'_> {
    fn parse(line: &str) -> Option<Mapping<'_>> {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let file = &rest[rest.find('/')?..];
        let number = |hex| usize::from_str_radix(hex, 16).ok();
        Some(Mapping { start: number(start)?, end: number(end)?, file })
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

    #[test]
    fn address_of_this_program_is_said_by_module_and_offset() {
        let text = module_offset(module_offset as *const () as usize).unwrap();
        let program = std::env::current_exe().unwrap();
        assert!(text.starts_with(&format!("{}+0x", program.display())), "{text}");
        assert_eq!(module_offset(1), None);
    }
}
