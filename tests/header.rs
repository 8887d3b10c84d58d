//! `include/adtape/declarations.h` is what cbindgen makes of `src/ffi`. `ADTAPE_BLESS=1 cargo test --test header`
//! writes it anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The sections of the header, in its order: the name, which is that of a program in `ctests`, and the file of `src/ffi`.
const SECTIONS: [(&str, &str); 29] = [
    ("error", "process/error"),
    ("process", "process/settings"),
    ("tape", "tape/tapes"),
    ("scalar", "tape/scalar"),
    ("array", "tape/array"),
    ("section", "tape/section"),
    ("control", "tape/control"),
    ("mark", "tape/mark"),
    ("repeat", "tape/repeat"),
    ("stats", "tape/stats"),
    ("store", "checkpoint/store"),
    ("checkpoint", "checkpoint/checkpoints"),
    ("objects", "objects/sets"),
    ("live", "objects/live"),
    ("range", "objects/range"),
    ("rebase", "objects/rebase"),
    ("pointer", "objects/pointer"),
    ("pair", "objects/pair"),
    ("descriptor", "objects/descriptor"),
    ("schedule", "driver/schedule"),
    ("driver", "driver/drivers"),
    ("variable", "driver/variable"),
    ("heap", "heap/heaps"),
    ("join", "heap/join"),
    ("block", "heap/block"),
    ("snapshot", "heap/snapshot"),
    ("restoration", "checkpoint/restoration"),
    ("entry", "tape/site"),
    ("entry", "tape/entry"),
];

/// Where the types of the C API are defined.
const TYPES: [&str; 17] = [
    "src/error.rs",
    "src/map/registry/object.rs",
    "src/session/addresses.rs",
    "src/session/mod.rs",
    "src/session/process.rs",
    "src/session/snapshot/counts.rs",
    "src/tape/hot/mod.rs",
    "src/tape/cursor/section.rs",
    "src/tape/mark.rs",
    "src/tape/profile.rs",
    "src/tape/stats.rs",
    "src/tape/types.rs",
    "src/schedule/action.rs",
    "src/schedule/mod.rs",
    "src/driver/progress.rs",
    "src/heap/mark.rs",
    "src/heap/stats.rs",
];

fn generate(root: &Path) -> String {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in TYPES {
        builder = builder.with_src(root.join(file));
    }
    for (_, file) in SECTIONS {
        builder = builder.with_src(root.join(format!("src/ffi/{file}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen").write(&mut text);
    arrange(root, &String::from_utf8(text).expect("UTF-8"))
}

/// cbindgen's output, made C and C++ alike, with a heading before each section.
fn arrange(root: &Path, text: &str) -> String {
    let mut out = String::from(HEAD);
    let mut section = "";
    for block in hot_state_first(&signed_numbers(&plain_enums(text))).split("\n\n") {
        let block = without_safety(block);
        if let Some(name) = section_of(root, &block).filter(|name| *name != section) {
            section = name;
            let rule = "-".repeat(100 - section.len());
            out += &format!("\n/* ---- {section} {rule} */\n");
        }
        out += "\n";
        out += block.trim_end();
        out += "\n";
    }
    out + TAIL
}

/// The hot state of a tape before the types that hold one. Functions take it by the name that Rust has for the tape around
/// it, so cbindgen puts it last.
fn hot_state_first(text: &str) -> String {
    let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
    let (hot, mut blocks): (Vec<&str>, Vec<&str>) = blocks.partition(|block| block.trim_end().ends_with("} adtape_t;"));
    let user = blocks.iter().position(|block| block.contains("    adtape_t c;"));
    blocks.insert(user.expect("the local copy of a tape's cursor"), hot.first().expect("the hot state of a tape"));
    blocks.join("\n\n")
}

/// `enum name : int32_t` and its typedef, which only C23 has, as an anonymous enum and a typedef.
fn plain_enums(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("#if __STDC_VERSION__") {
            // Keeps the branch for older C.
            let branch: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("#endif")).collect();
            if let Some(middle) = branch.iter().position(|line| line.starts_with("#else")) {
                out += &branch[middle + 1..].join("\n");
                out += "\n";
            }
        } else if line.starts_with("enum adtape_") && lines.peek().is_some_and(|next| next.starts_with("#if")) {
            out += "enum";
        } else {
            out += line;
            out += "\n";
        }
    }
    out.replace("_T_", "_").replace("void * ", "void *")
}

/// Sizes, counts and steps of structures as `int64_t`, the one type for them in C and Fortran: the library never has one
/// that does not fit. What is a pattern of bits stays unsigned.
fn signed_numbers(text: &str) -> String {
    const BITS: [&str; 5] = ["tape", "bits", "check", "fingerprint", "element_bytes"];
    let line = |line: &str| match line.strip_prefix("    uint64_t ").map(|name| name.trim_end_matches(';')) {
        Some(name) if !BITS.contains(&name) => format!("    int64_t {name};\n"),
        _ => format!("{line}\n").replace("    uint32_t label_number", "    int32_t label_number"),
    };
    text.lines().map(line).collect()
}

/// A comment without its `# Safety` part, which speaks to Rust, and without empty lines at its end.
fn without_safety(block: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in block.lines() {
        let comment = line.trim_start().starts_with("//");
        skipping = comment && (skipping || line.contains("# Safety"));
        if skipping {
            continue;
        }
        if !comment {
            while lines.last().is_some_and(|last| last.trim() == "//") {
                lines.pop();
            }
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// The file of `src/ffi` that defines what the block declares.
fn section_of(root: &Path, block: &str) -> Option<&'static str> {
    let name = block.lines().find(|line| !line.starts_with("//")).and_then(function_name)?;
    let defines = |file: &str| {
        let source = fs::read_to_string(root.join(format!("src/ffi/{file}.rs"))).expect("a section's source");
        source.contains(&format!(" fn {name}(")) || source.contains(&format!(" static {name}:"))
    };
    SECTIONS.into_iter().find(|(_, file)| defines(file)).map(|(section, _)| section)
}

fn function_name(line: &str) -> Option<&str> {
    let start = line.find(" adtape_").map(|i| i + 1).or_else(|| line.find("*adtape_").map(|i| i + 1))?;
    let rest = &line[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let name = &rest[..end];
    if name.ends_with("_t") { function_name(&rest[end..]) } else { Some(name) }
}

const HEAD: &str = "/* adtape/declarations.h: types and library calls. Generated from src/ffi; do not edit.
 * Included by adtape.h; not to be included alone. */
#ifndef ADTAPE_DECLARATIONS_H
#define ADTAPE_DECLARATIONS_H

#ifdef __cplusplus
extern \"C\" {
#endif

// The cold state of a tape.
typedef struct adtape_core adtape_core_t;

// A stable heap, of which a program sees where adjoints are. Not to be copied.
typedef struct adtape_heap {
    // Adjoint = address + delta, where there is one adjoint byte for each primal byte.
    intptr_t delta;
    // In general, adjoint = factor * address + origin.
    uintptr_t factor;
    uintptr_t origin;
} adtape_heap_t;

// A program's own reaction to an error that a push or pop cannot return; NULL for the default. The status is one
// of ADTAPE_STATUS_…, the message valid during the call, user what was given with the handler.
typedef void (*adtape_error_handler_t)(int32_t status, const char *message, void *user);
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn committed_header_is_what_the_source_says() {
    let path = root().join("include/adtape/declarations.h");
    let wanted = generate(root());
    if std::env::var_os("ADTAPE_BLESS").is_some() {
        fs::write(&path, &wanted).expect("write the header");
    }
    let found = fs::read_to_string(&path).expect("the committed header");
    let line = wanted.lines().zip(found.lines()).position(|(w, f)| w != f).map(|i| i + 1);
    assert!(
        wanted == found,
        "{} is stale, first at line {line:?}\n  ADTAPE_BLESS=1 cargo test --test header writes it anew",
        path.display()
    );
}

#[test]
fn every_file_of_ffi_is_a_section_with_a_test_program() {
    let ffi = root().join("src/ffi");
    let entries = |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let folders = entries(&ffi).filter(|path| path.is_dir());
    let sources: Vec<_> = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>()).collect();
    let name = |path: &Path| {
        let file = path.strip_prefix(&ffi).expect("a file of ffi").with_extension("");
        Some(file.to_string_lossy().into_owned()).filter(|name| !name.ends_with("/mod"))
    };
    let files: BTreeSet<String> = sources.iter().filter_map(|path| name(path)).collect();
    assert_eq!(files, SECTIONS.iter().map(|(_, file)| (*file).to_owned()).collect());
    for (section, _) in SECTIONS {
        let test = root().join(format!("ctests/{section}.c"));
        assert!(test.exists(), "{} is missing", test.display());
    }
}

/// What a user has to hold in mind at most.
const MOST_CALLS: usize = 120;

/// The public functions of a header, also those that macros define for each type, as `push_##name`.
fn calls_of(header: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("include/adtape").join(header)).expect("a header");
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
    let typed = |rest: &&str| ["##name", "array", "array_##name", "bytes", "control", "count"].contains(rest);
    match own.split_once('_').filter(|(verb, rest)| ["push", "pop"].contains(verb) && typed(rest)) {
        Some((verb, _)) => format!("{verb}_<type>"),
        None => own.to_owned(),
    }
}

/// The families of values and of the thread's own tape and heap count once.
#[test]
fn no_more_documented_calls_than_a_user_can_hold() {
    let names = ["declarations.h", "inline.h"].map(calls_of);
    let families: BTreeSet<String> = names.iter().flatten().map(|name| family(name)).collect();
    println!("{} documented calls in C", families.len());
    assert!(families.contains("push_<type>") && families.contains("self"), "{families:?}");
    assert!(families.len() <= MOST_CALLS, "{} calls, {MOST_CALLS} at most: {families:?}", families.len());
}

/// Sizes, counts and steps are `int64_t`; addresses and patterns of bits are unsigned.
#[test]
fn one_integer_type_for_sizes_counts_and_steps() {
    let path = root().join("include/adtape/declarations.h");
    let text = fs::read_to_string(path).expect("the committed header");
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let unsigned = code.iter().filter(|line| ["uint64_t", "uint32_t", "size_t"].iter().any(|of| line.contains(of)));
    let bits =
        ["uint64_t bits;", "uint64_t tape;", "uint64_t check;", "uint64_t fingerprint;", "uint64_t element_bytes;"];
    let is_bits =
        |line: &str| bits.contains(&line.trim()) || line.contains("_control(") || line.contains("adtape_abi0_");
    let other: Vec<_> = unsigned.filter(|line| !is_bits(line)).collect();
    assert!(other.is_empty(), "sizes, counts and steps are int64_t: {other:#?}");
}
