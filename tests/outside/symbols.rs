//! The shared library exports what include/abi/symbols.txt lists, no more and no less. A new public call is added there
//! by `ADTAPE_BLESS=1 cargo test -p adtape-outside symbols::`; a name that goes away breaks the ABI and needs a new SONAME or, before
//! 1.0, a new minor version.

use crate::common::{build_release, root, run, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const LIST: &str = "include/abi/symbols.txt";

/// What a shared library exports, as `nm` sees it, without the version that a symbol may carry.
fn exported(library: &Path) -> BTreeSet<String> {
    let text = stdout(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(library));
    text.lines().filter_map(|line| line.split([' ', '@']).next()).map(str::to_owned).collect()
}

/// One line for each name that is in only one of the two.
fn differences(listed: &BTreeSet<String>, exported: &BTreeSet<String>) -> Vec<String> {
    let added = exported.difference(listed).map(|name| format!("{name}: exported, but not in {LIST}"));
    let lost = listed.difference(exported).map(|name| format!("{name}: in {LIST}, but not exported"));
    added.chain(lost).collect()
}

#[test]
fn exported_symbols_are_those_listed() {
    let exported = exported(&build_release().join("libadtape.so"));
    let list = root().join(LIST);
    if std::env::var_os("ADTAPE_BLESS").is_some() {
        let lines: String = exported.iter().map(|name| format!("{name}\n")).collect();
        fs::write(&list, lines).expect("include/abi/symbols.txt is writable");
    }
    let text = fs::read_to_string(&list).unwrap_or_else(|error| panic!("{LIST}: {error}"));
    let faults = differences(&text.lines().map(str::to_owned).collect(), &exported);
    assert!(
        faults.is_empty(),
        "\n{}\nIf that is meant: ADTAPE_BLESS=1 cargo test -p adtape-outside symbols::",
        faults.join("\n")
    );
}

#[test]
fn every_exported_symbol_carries_the_prefix() {
    for name in exported(&build_release().join("libadtape.so")) {
        assert!(name.starts_with("adtape_"), "{name} is exported: it can clash with a symbol of the program");
    }
}

/// A program that is linked with the static library calls its own libm, with the bits and the time of that.
#[test]
fn static_library_has_no_functions_of_c_and_its_compiler() {
    let mut command = Command::new("nm");
    // The LTO plugins do not read what another LLVM wrote.
    command.args(["--plugin=", "--defined-only"]).arg(build_release().join("libadtape.a"));
    let text = stdout(&mut command);
    let name = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [_, "T" | "W", name] => Some(name.to_owned()),
        _ => None,
    };
    let names: BTreeSet<String> = text.lines().filter_map(name).collect();
    let is_of_c = |name: &&String| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.starts_with("adtape_");
    let is_complex = |name: &&String| {
        let rest = name.strip_prefix("__mul").or_else(|| name.strip_prefix("__div"));
        rest.is_some_and(|rest| rest.len() == 3 && rest.ends_with("c3"))
    };
    assert!(names.contains("adtape_error_message"), "{} names", names.len());
    let foreign: Vec<_> = names.iter().filter(|name| is_of_c(name) || is_complex(name)).collect();
    assert!(foreign.is_empty(), "{foreign:?}: scripts/rustc.sh makes them local");
}

/// Rust's objects contain intermediate code, which an older clang took for objects of -flto and could not read.
#[test]
fn static_library_is_machine_code_alone_and_links_with_lto_of_clang() {
    let library = build_release().join("libadtape.a");
    let sections = stdout(Command::new("objdump").arg("-h").arg(&library));
    assert!(
        sections.contains(".text.") && !sections.contains(".llvmbc"),
        "scripts/rustc.sh takes intermediate code out"
    );
    let directory = crate::common::scratch("lto_of_clang");
    let (source, program) = (directory.join("check.c"), directory.join("check"));
    let text = "#include \"adtape.h\"\nint main(void) {\n    double y;\n    adtape_push_f64(adtape_self(), 3.0);\n    \
                adtape_pop_f64(adtape_self(), &y);\n    return y != 3.0;\n}\n";
    fs::write(&source, text).expect("scratch");
    let mut clang = Command::new("clang");
    clang.args(["-O2", "-flto", "-I"]).arg(root().join("include")).arg(source).arg(library).arg("-o").arg(&program);
    run(clang.args(["-lpthread", "-ldl", "-lm"]));
    run(&mut Command::new(program));
}

#[test]
fn shared_library_names_its_abi() {
    let library = build_release().join("libadtape.so");
    let text = stdout(Command::new("objdump").arg("-p").arg(library));
    let soname = text.lines().find_map(|line| line.trim().strip_prefix("SONAME")).map(str::trim);
    assert_eq!(soname, Some("libadtape.so.0"));
}

/// libm has 300 KiB of resident memory: programs that do not compute go without.
#[test]
fn libraries_do_not_need_libm() {
    let release = build_release();
    let directory = crate::common::scratch("without_libm");
    let (source, program) = (directory.join("check.c"), directory.join("check"));
    fs::write(&source, "#include \"adtape.h\"\nint main(void) { return adtape_self() == 0; }\n").expect("scratch");
    let mut cc = Command::new("cc");
    cc.arg("-I").arg(root().join("include")).arg(source).arg(release.join("libadtape.a")).arg("-o").arg(&program);
    // Nothing is dropped here, so derivative tests are linked as well.
    run(cc.args(["-lpthread", "-ldl"]));
    for linked in [program, release.join("libadtape.so")] {
        let text = stdout(Command::new("objdump").arg("-p").arg(&linked));
        assert!(!text.contains("libm.so"), "{}: {text}", linked.display());
    }
}

/// The checker itself, on a library that exports one name too many, lacks one and hides one.
#[test]
fn a_symbol_off_the_list_is_seen() {
    let directory = crate::common::scratch("symbols");
    let (source, library) = (directory.join("made_up.c"), directory.join("libmade_up.so"));
    let text = "int adtape_push(void) { return 0; }\n\
                int stray(void) { return 0; }\n\
                __attribute__((visibility(\"hidden\"))) int hidden(void) { return 0; }\n\
                extern int undefined(void);\n\
                int adtape_pop(void) { return undefined(); }\n";
    fs::write(&source, text).expect("scratch directory is writable");
    run(Command::new("cc").args(["-shared", "-fPIC", "-nostartfiles", "-o"]).arg(&library).arg(&source));
    let listed = ["adtape_push", "adtape_pop", "adtape_gone"].map(str::to_owned).into();
    let faults = differences(&listed, &exported(&library));
    assert_eq!(
        faults,
        [
            "stray: exported, but not in include/abi/symbols.txt",
            "adtape_gone: in include/abi/symbols.txt, but not exported"
        ]
    );
}
