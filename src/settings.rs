//! What the environment says, read once, at the first tape of the process.
//!
//! | variable | value | meaning |
//! |---|---|---|
//! | `ADTAPE_CHECK` | 0 or 1 | check mode: record type, count and call site of every value, compare at its pop |
//! | `ADTAPE_PROFILE` | 0, 1 or a directory | profile mode: what is on the tapes by call site; a file, with 1 also a table |
//! | `ADTAPE_MEMORY_LIMIT` | bytes, or a share as `50%` | most memory that all tapes of the process have together |
//! | `ADTAPE_RESERVE` | bytes | address space that a tape reserves at first |
//! | `ADTAPE_STEP` | bytes | memory becomes usable in steps of this size, also between slow paths: for tests |
//! | `ADTAPE_HUGE_PAGES` | 0 or 1 | ask for huge pages from 2 MiB of tape up (default 1) |
//! | `ADTAPE_SPILL_DIRECTORY` | path | where the oldest part of a tape goes when memory is short |
//! | `ADTAPE_DISK_LIMIT` | bytes | most that the spilled parts of all tapes of the process take there |
//!
//! Bytes may have a suffix K, M, G or T (powers of 1024). A warning names every other variable whose name begins with
//! `ADTAPE_`: it has no effect.

#![forbid(unsafe_code)]

use crate::error::{Error, Status, say};
use crate::sync::{First, StaticFlag, is_first_time};
use std::path::{Path, PathBuf};

/// Whether there is a profile at the end of the process, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Off,
    /// A file in the working directory, and a table on standard error.
    Said,
    /// A file in a directory.
    In(PathBuf),
}

/// The settings of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub check: bool,
    pub profile: Profile,
    pub memory_limit: Option<Limit>,
    pub reserve: Option<u64>,
    pub step: Option<u64>,
    pub huge_pages: bool,
    pub spill_directory: Directory,
    pub disk_limit: Option<u64>,
}

/// A limit on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Bytes(u64),
    /// A share of what the process may use.
    Percent(u64),
}

/// Where tapes spill to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directory {
    NotSaid,
    /// Nowhere.
    Nowhere,
    Is(PathBuf),
}

impl Settings {
    pub fn profiles(&self) -> bool {
        self.profile != Profile::Off
    }

    fn read(get: impl Fn(&str) -> Option<String>) -> Result<Settings, Error> {
        let flag = |name: &str, default: bool| match get(name) {
            None => Ok(default),
            Some(text) => parse_flag(name, &text),
        };
        let size = |name: &str, least: u64| match get(name) {
            None => Ok(None),
            Some(text) => parse_bytes(name, &text, least).map(Some),
        };
        let directory = |name: &str| match get(name) {
            None => Ok(Directory::NotSaid),
            Some(text) if text.is_empty() => Ok(Directory::Nowhere),
            Some(text) if Path::new(&text).is_dir() => Ok(Directory::Is(PathBuf::from(text))),
            Some(text) => Err(bad(name, &text, "the path of a directory, or nothing")),
        };
        let memory_limit = |name: &str| match get(name) {
            None => Ok(None),
            Some(text) => parse_limit(name, &text).map(Some),
        };
        Ok(Settings {
            check: flag("ADTAPE_CHECK", false)?,
            profile: profile("ADTAPE_PROFILE", get("ADTAPE_PROFILE"))?,
            memory_limit: memory_limit("ADTAPE_MEMORY_LIMIT")?,
            reserve: size("ADTAPE_RESERVE", 4096)?,
            step: size("ADTAPE_STEP", 4096)?,
            huge_pages: flag("ADTAPE_HUGE_PAGES", true)?,
            spill_directory: directory("ADTAPE_SPILL_DIRECTORY")?,
            disk_limit: size("ADTAPE_DISK_LIMIT", 1)?,
        })
    }
}

/// The variables that somebody reads: the library, the kit, adtape_mpi, the command and the tests.
const NAMES: [&str; 11] = [
    "ADTAPE_CHECK",
    "ADTAPE_PROFILE",
    "ADTAPE_MEMORY_LIMIT",
    "ADTAPE_RESERVE",
    "ADTAPE_STEP",
    "ADTAPE_HUGE_PAGES",
    "ADTAPE_SPILL_DIRECTORY",
    "ADTAPE_DISK_LIMIT",
    "ADTAPE_KIT_ORDER",
    "ADTAPE_MPI_TIMEOUT",
    "ADTAPE_FLAGS",
];
const NAMES_OF_TESTS: [&str; 4] = ["ADTAPE_BLESS", "ADTAPE_LIB", "ADTAPE_RESTORATION_", "ADTAPE_TEST_"];

/// Why a variable with this name has no effect, if it looks like one of ours and is none.
fn unknown(name: &str) -> Option<String> {
    let ours = !name.starts_with("ADTAPE_")
        || NAMES.contains(&name)
        || NAMES_OF_TESTS.iter().any(|known| name == *known || known.ends_with('_') && name.starts_with(known));
    if ours {
        return None;
    }
    let nearest = NAMES.iter().min_by_key(|known| distance(known, name)).expect("there are names");
    Some(format!(
        "adtape: warning: the environment variable {name} has no effect: there is none of that name\n  \
         the nearest is {nearest}; docs/environment.md lists all; unset it"
    ))
}

/// How many letters have to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let changed = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn warn_of_unknown() {
    for (name, _) in std::env::vars_os() {
        if let Some(warning) = unknown(&name.to_string_lossy()) {
            say(&warning);
        }
    }
}

/// The settings of this process, or what is wrong with them.
pub(crate) fn settings() -> Result<&'static Settings, Error> {
    static SETTINGS: First<Result<Settings, (Status, String)>> = First::new();
    static WARNED: StaticFlag = StaticFlag::new(false);
    SETTINGS
        .get_or_make(|| {
            if is_first_time(&WARNED) {
                warn_of_unknown();
            }
            Settings::read(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()))
                .map_err(|e| (e.status(), e.message().to_owned()))
        })
        .as_ref()
        .map_err(|(status, message)| Error::new(*status, message.clone()))
}

/// The rank of this process in an MPI program, as launchers say it; 0 without one.
pub(crate) fn mpi_rank() -> u32 {
    const SAID_IN: [&str; 5] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"];
    SAID_IN.iter().find_map(|name| std::env::var(name).ok()?.trim().parse().ok()).unwrap_or(0)
}

/// A path has a slash, so that a misspelt number is not taken for one. That it is there is found out when it is needed.
fn profile(name: &str, text: Option<String>) -> Result<Profile, Error> {
    match text.as_deref().map(str::trim) {
        None | Some("" | "0") => Ok(Profile::Off),
        Some("1") => Ok(Profile::Said),
        Some(path) if path.contains('/') => Ok(Profile::In(PathBuf::from(path))),
        Some(other) => Err(bad(name, other, "0, 1 or the path of a directory, with a / in it")),
    }
}

fn parse_flag(name: &str, text: &str) -> Result<bool, Error> {
    match text.trim() {
        "0" | "" => Ok(false),
        "1" => Ok(true),
        other => Err(bad(name, other, "0 or 1")),
    }
}

fn parse_limit(name: &str, text: &str) -> Result<Limit, Error> {
    let Some(percent) = text.trim().strip_suffix('%') else { return parse_bytes(name, text, 1).map(Limit::Bytes) };
    let percent = percent.trim_end().parse().ok().filter(|percent| (1..=100).contains(percent));
    percent.map(Limit::Percent).ok_or_else(|| bad(name, text.trim(), "a share from 1% to 100%, or bytes, e.g. 8G"))
}

fn parse_bytes(name: &str, text: &str, least: u64) -> Result<u64, Error> {
    let wanted = || format!("a number of bytes, at least {least}, with or without a suffix K, M, G or T, e.g. 8G");
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (digits, suffix) = trimmed.split_at(split);
    let shift = match suffix.trim().to_ascii_uppercase().trim_end_matches("IB") {
        "" | "B" => 0,
        "K" | "KB" => 10,
        "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => return Err(bad(name, trimmed, &wanted())),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift))
        .filter(|n| *n >= least)
        .ok_or_else(|| bad(name, trimmed, &wanted()))
}

fn bad(name: &str, value: &str, wanted: &str) -> Error {
    Error::new(
        Status::BadEnvironment,
        format!("environment variable {name} is \"{value}\"\n  it takes {wanted}; correct or unset it"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Settings, Error> {
        Settings::read(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn empty_environment_gives_defaults() {
        let settings = read(&[]).unwrap();
        assert!(!settings.check && settings.profile == Profile::Off && settings.huge_pages);
        assert_eq!((settings.memory_limit, settings.reserve, settings.step), (None, None, None));
    }

    #[test]
    fn byte_suffixes_are_powers_of_1024() {
        for (text, bytes) in [("4096", 4096), ("64K", 65536), ("8G", 8 << 30), ("1 MiB", 1 << 20), ("2tb", 2 << 40)] {
            let limit = read(&[("ADTAPE_MEMORY_LIMIT", text)]).unwrap().memory_limit;
            assert_eq!(limit, Some(Limit::Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn limit_may_be_a_share_and_no_directory_is_not_the_same_as_none() {
        for (text, percent) in [("50%", 50), (" 1 % ", 1), ("100%", 100)] {
            let limit = read(&[("ADTAPE_MEMORY_LIMIT", text)]).unwrap().memory_limit;
            assert_eq!(limit, Some(Limit::Percent(percent)), "{text}");
        }
        assert_eq!(read(&[]).unwrap().spill_directory, Directory::NotSaid);
        assert_eq!(read(&[("ADTAPE_SPILL_DIRECTORY", "")]).unwrap().spill_directory, Directory::Nowhere);
        assert_eq!(read(&[("ADTAPE_SPILL_DIRECTORY", "/")]).unwrap().spill_directory, Directory::Is("/".into()));
    }

    #[test]
    fn nonsense_is_an_error_that_names_variable_and_value() {
        for (name, value) in [
            ("ADTAPE_CHECK", "maybe"),
            ("ADTAPE_PROFILE", "2"),
            ("ADTAPE_MEMORY_LIMIT", "lots"),
            ("ADTAPE_MEMORY_LIMIT", "0"),
            ("ADTAPE_MEMORY_LIMIT", "-1"),
            ("ADTAPE_MEMORY_LIMIT", "0%"),
            ("ADTAPE_MEMORY_LIMIT", "101%"),
            ("ADTAPE_DISK_LIMIT", "some"),
            ("ADTAPE_MEMORY_LIMIT", "99999999999T"),
            ("ADTAPE_STEP", "12"),
            ("ADTAPE_SPILL_DIRECTORY", "/nowhere/at/all"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert_eq!(error.status(), Status::BadEnvironment);
            assert!(error.message().contains(name) && error.message().contains(value), "{error}");
        }
    }

    #[test]
    fn unknown_names_are_warned_of_with_the_nearest_known_one() {
        for (name, nearest) in [
            ("ADTAPE_CHEK", "ADTAPE_CHECK"),
            ("ADTAPE_SPILL_DIR", "ADTAPE_SPILL_DIRECTORY"),
            ("ADTAPE_MEM_LIMIT", "ADTAPE_MEMORY_LIMIT"),
            ("ADTAPE_HUGEPAGES", "ADTAPE_HUGE_PAGES"),
        ] {
            let warning = unknown(name).expect("a warning");
            assert!(warning.contains(name) && warning.contains(&format!("nearest is {nearest};")), "{warning}");
        }
        for name in
            NAMES.iter().chain(&["ADTAPE_TEST_CHILD", "ADTAPE_RESTORATION_RUNS", "ADTAPE_BLESS", "HOME", "XADTAPE_X"])
        {
            assert_eq!(unknown(name), None);
        }
        assert_eq!((distance("kitten", "sitting"), distance("", "ab"), distance("ab", "ab")), (3, 2, 0));
    }
}
