//! `include/adtape/<theme>.h` is what cbindgen makes of `src/ffi/<theme>`. `ADTAPE_BLESS=1 cargo test -p
//! adtape-tools --test header` writes them anew.

mod arrange;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod themes;

use common::{declarations, inlined, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use themes::THEMES;

#[test]
fn committed_headers_are_what_the_source_says() {
    for theme in &THEMES {
        let path = root().join("include").join(theme.header());
        let wanted = arrange::header(root(), theme);
        if std::env::var_os("ADTAPE_BLESS").is_some() {
            fs::write(&path, &wanted).expect("write the header");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        let same = wanted.lines().zip(found.lines()).take_while(|(w, f)| w == f).count();
        assert!(
            wanted == found,
            "{} is stale, first at line {}\n  make bless writes it anew",
            path.display(),
            same + 1
        );
    }
}

#[test]
fn every_header_is_included_by_adtape_h() {
    let all = fs::read_to_string(root().join("include/adtape.h")).expect("adtape.h");
    for entry in fs::read_dir(root().join("include/adtape")).expect("the headers") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        // Generated adjoints include those of rules, and programs that of FFTW in place of its own.
        if name.starts_with("rules_") || name == "fftw" {
            continue;
        }
        let theme = name.strip_suffix(".h").and_then(|name| THEMES.iter().find(|theme| theme.name == name));
        let inlined = name == "inline_local.h"
            || THEMES.iter().any(|theme| theme.inlined.is_some_and(|file| name == format!("{file}.h")));
        assert!(theme.is_some() != inlined, "{name} is the header of a theme or what one inlines");
        assert_eq!(all.contains(&format!("#include \"adtape/{name}\"")), theme.is_some(), "{name}");
    }
}

#[test]
fn every_file_of_ffi_is_a_section_with_a_test_program() {
    let stems = |folder: &Path| -> BTreeSet<String> {
        let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        paths.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
    };
    for theme in &THEMES {
        let mut files = stems(&root().join("src/ffi").join(theme.name));
        files.remove("mod");
        assert_eq!(files, theme.sections.iter().map(|(_, file)| (*file).to_owned()).collect(), "{}", theme.name);
        for (section, _) in theme.sections {
            let test = root().join(format!("ctests/{}/{section}.c", theme.name));
            assert!(test.exists(), "{} is missing", test.display());
        }
    }
}

/// What a user has to hold in mind at most: 120 of a program's sweeps, the derivative tests with their waypoints, the
/// version, adtape_is_empty and adtape_range_label beside them.
const MOST_CALLS: usize = 128;

/// The public functions of a header, also those that macros define for each type, as `push_##name`.
fn calls_of(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
    let mut found = BTreeSet::new();
    for line in code {
        for (i, _) in line.match_indices("adtape_") {
            let is_word = |c: char| c.is_ascii_alphanumeric() || ['_', '#'].contains(&c);
            let name: String = line[i..].chars().take_while(|c| is_word(*c)).collect();
            let begins = !line[..i].ends_with(|c: char| is_word(c) || c == '(');
            let called = line[i + name.len()..].starts_with('(');
            if begins && called && !name.ends_with('_') && !name.starts_with("adtape_abi0_") {
                found.insert(name);
            }
        }
    }
    found
}

/// A call's family: the same for every type of values, and for the thread's own tape or heap and a local cursor.
fn family(name: &str) -> String {
    let name = name.strip_prefix("adtape_").expect("the prefix");
    let own = ["self_", "call_", "local_"].iter().find_map(|form| name.strip_prefix(form)).unwrap_or(name);
    if ["malloc", "calloc", "realloc", "free", "free_save", "undo_malloc", "undo_realloc", "undo_free", "adjoint"]
        .contains(&own)
    {
        return format!("heap_{}", own.replace("malloc", "alloc"));
    }
    if own.starts_with("test_") || own.starts_with("waypoint_") {
        return own.trim_end_matches("_f64").trim_end_matches("_f32").to_owned();
    }
    let typed =
        |rest: &&str| ["##name", "array", "array_##name", "record_##name", "bytes", "control", "count"].contains(rest);
    match own.split_once('_').filter(|(verb, rest)| ["push", "pop"].contains(verb) && typed(rest)) {
        Some((verb, _)) => format!("{verb}_<type>"),
        None => own.to_owned(),
    }
}

/// The families of values and of the thread's own tape and heap count once.
#[test]
fn no_more_documented_calls_than_a_user_can_hold() {
    let names = calls_of(&(declarations() + &inlined()));
    let families: BTreeSet<String> = names.iter().map(|name| family(name)).collect();
    println!("{} documented calls in C", families.len());
    assert!(families.contains("push_<type>") && families.contains("self"), "{families:?}");
    assert!(families.len() <= MOST_CALLS, "{} calls, {MOST_CALLS} at most: {families:?}", families.len());
}

/// Sizes, counts and steps are `int64_t`; addresses and patterns of bits are unsigned.
#[test]
fn one_integer_type_for_sizes_counts_and_steps() {
    let text = declarations();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let unsigned = code.iter().filter(|line| ["uint64_t", "uint32_t", "size_t"].iter().any(|of| line.contains(of)));
    let bits =
        ["uint64_t bits;", "uint64_t tape;", "uint64_t check;", "uint64_t fingerprint;", "uint64_t element_bytes;"];
    let is_bits =
        |line: &str| bits.contains(&line.trim()) || line.contains("_control(") || line.contains("adtape_abi0_");
    let other: Vec<_> = unsigned.filter(|line| !is_bits(line)).collect();
    assert!(other.is_empty(), "sizes, counts and steps are int64_t: {other:#?}");
}
