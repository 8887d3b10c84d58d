//! Call sites: an address in the caller's code or a line of a Rust program, and what a person reads of it.

mod module;
mod places;

pub(crate) use module::{each_caller, keep_loaded};
pub(crate) use places::{Place, Places};
use std::fmt;
use std::panic::Location;
use std::path::Path;

/// Where the program called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// A return address into the code that called; 0 where it is not known.
    Code(usize),
    /// A line of a Rust program.
    Rust(&'static Location<'static>),
}

impl Site {
    pub const UNKNOWN: Site = Site::Code(0);

    /// The caller of a function with `#[track_caller]`.
    #[inline(always)]
    #[track_caller]
    pub fn caller() -> Site {
        Site::Rust(Location::caller())
    }

    /// Distinct for all sites that are known: no line of a Rust program lies where code is.
    #[inline]
    pub fn address(self) -> usize {
        match self {
            Site::Code(address) => address,
            Site::Rust(line) => std::ptr::from_ref(line) as usize,
        }
    }
}

/// What is known of a site, in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub file: Option<String>,
    pub line: Option<u32>,
    pub function: Option<String>,
    /// The file of the module, and where in it; of code without a line only.
    pub module: Option<(String, usize)>,
}

impl Named {
    /// `file:line (function)` where there is debug information, else `module+offset (function)`; `file:line` in Rust.
    pub fn said(&self) -> String {
        let place = match (&self.file, self.line, &self.module) {
            (Some(file), Some(line), _) => format!("{file}:{line}"),
            (_, _, Some((module, offset))) => format!("{module}+{offset:#x}"),
            _ => "an unknown place".to_owned(),
        };
        match &self.function {
            Some(name) => format!("{place} ({name})"),
            None => place,
        }
    }

    /// Whether both are the same line.
    pub fn is_line_of(&self, other: &Named) -> bool {
        self.line.is_some() && (&self.file, self.line) == (&other.file, other.line)
    }
}

impl Site {
    /// Whether it is known by file and line.
    pub fn has_line(self) -> bool {
        match self {
            Site::Rust(_) => true,
            Site::UNKNOWN => false,
            Site::Code(address) => resolve(address).0.is_some(),
        }
    }

    /// Its parts.
    pub fn named(self) -> Named {
        let address = match self {
            Site::UNKNOWN => return Named::default(),
            Site::Rust(place) => {
                return Named { file: Some(place.file().to_owned()), line: Some(place.line()), ..Named::default() };
            }
            Site::Code(address) => address,
        };
        let (line, function) = resolve(address);
        let module = if line.is_none() { module::file_and_offset(address - 1) } else { None };
        let (file, line) = line.unzip();
        Named { file, line, function, module }
    }
}

/// Line and function of a return address, as far as debug information and symbols have them.
fn resolve(address: usize) -> (Option<(String, u32)>, Option<String>) {
    // A return address is one past the call, whose line is that of the byte before: `resolve` allows for that.
    // It goes from the innermost function outwards: the first that is not ours is where the program called.
    let (mut line, mut function, mut found) = (None, None, false);
    backtrace::resolve(address as *mut _, |symbol| {
        if found {
            return;
        }
        found = !symbol.filename().is_some_and(is_ours);
        line = symbol.filename().zip(symbol.lineno()).map(|(file, line)| (file.display().to_string(), line));
        let name = symbol.name().map(|name| format!("{name:#}"));
        function = name.map(|name| fortran_name(&name).unwrap_or(name));
    });
    (line, function)
}

impl fmt::Display for Site {
    /// `file:line (function)` where there is debug information, else `module+offset (function)`; `file:line` in Rust.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named();
        match (*self, &named) {
            (Site::Code(address), Named { line: None, module: None, .. }) if address != 0 => {
                write!(f, "address {address:#x}")?;
                named.function.map_or(Ok(()), |name| write!(f, " ({name})"))
            }
            _ => f.write_str(&named.said()),
        }
    }
}

/// Whether a source file's code is inlined into programs on our behalf: the headers, and what `-flto` inlines of
/// the kit and of the Fortran glue.
fn is_ours(file: &Path) -> bool {
    const INLINED: [&str; 9] = [
        "adtape/inline.h",
        "adtape/inline_local.h",
        "adtape/inline_objects.h",
        "adtape/inline_heap.h",
        "adtape_kit.h",
        "adtape_kit_calls.h",
        "adtape_kit_entry.c",
        "glue/scalars.inc",
        "glue/control.inc",
    ];
    INLINED.iter().any(|name| file.ends_with(name))
}

/// A Fortran procedure by the names of its program, `module::procedure`, from the symbol that gfortran
/// (`__module_MOD_procedure`) or flang (`_QMmodulePprocedure`) makes of them.
fn fortran_name(symbol: &str) -> Option<String> {
    let (symbol, _) = symbol.split_once('.').unwrap_or((symbol, "")); // a copy made by the optimiser has a suffix
    if ["MAIN__", "_QQmain"].contains(&symbol) {
        return Some("the main program".to_owned());
    }
    if let Some((module, procedure)) = symbol.strip_prefix("__").and_then(|names| names.split_once("_MOD_")) {
        return Some(format!("{module}::{procedure}"));
    }
    // flang: each name, in lower case, follows a capital letter that says what it names.
    let names: Vec<&str> = symbol.strip_prefix("_Q")?.split(|c: char| c.is_ascii_uppercase()).skip(1).collect();
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase());
    (!names.is_empty() && names.iter().all(is_name)).then(|| names.join("::"))
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
        let text = Site::Code(somewhere()).to_string();
        assert!(text.contains("site/mod.rs:") && text.contains("somewhere"), "{text}");
        assert_eq!(Site::UNKNOWN.to_string(), "an unknown place");
    }

    #[test]
    fn fortran_procedure_is_said_as_its_program_names_it() {
        let said = |symbol| fortran_name(symbol).unwrap_or_else(|| symbol.to_owned());
        assert_eq!(said("__flow_MOD_step"), "flow::step");
        assert_eq!(said("__flow_2d_MOD_step.constprop.0"), "flow_2d::step");
        assert_eq!(said("MAIN__"), "the main program");
        assert_eq!(said("_QMflow_2dPstep"), "flow_2d::step");
        assert_eq!(said("_QMflowFstepPinner"), "flow::step::inner");
        assert_eq!(said("_QQmain"), "the main program");
        for other in ["main", "__libc_start_main", "_Q", "_QUEUE_pop", "_MOD_", "adtape::tape::Tape::push"] {
            assert_eq!(said(other), other);
        }
    }
}
