//! The names of the Fortran module against those of C: what the module binds exists, all that the library has is bound,
//! constants have the same values, types the same components.

use crate::common::{cc, root, skip};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

/// Functions of the library that Fortran has no call for, with the reason.
const NOT_FOR_FORTRAN: [(&str, &str); 6] = [
    ("adtape_attach", "a Fortran call cannot be inlined, so a local cursor gains nothing"),
    ("adtape_detach", "as attach"),
    ("adtape_store_create_user", "a table of functions; Fortran hands a store made in C over"),
    ("adtape_objects_create", "Fortran's calls are on the objects of the process"),
    ("adtape_objects_destroy", "as objects_create"),
    ("adtape_pair_add", "the module has its own, in Fortran"),
];

/// Functions that are not of the library.
const OF_C: [&str; 1] = ["strlen"];

/// A file without its Fortran comments.
fn fortran(name: &str) -> String {
    let text = fs::read_to_string(root().join("fortran-bindings").join(name)).expect("a file of the module");
    text.lines().map(|line| format!("{}\n", line.split('!').next().unwrap_or_default())).collect()
}

/// adtape.F90 with what it includes, in lower case, a statement a line.
fn module() -> String {
    let mut text = String::new();
    for line in fortran("adtape.F90").lines() {
        match line.strip_prefix("#include \"") {
            Some(name) => text.push_str(&fortran(name.trim_end_matches('"'))),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    statements(&text)
}

fn statements(text: &str) -> String {
    text.to_lowercase().replace("&\n        ", "").replace("&\n", "")
}

/// The C names of the module's interfaces: `name=`, else the procedure's own. What an abstract interface describes is
/// the user's; what has the name "" is called by address.
fn bound(module: &str) -> BTreeSet<String> {
    let (before, after) = module.split_once("abstract interface").expect("the interface of an error handler");
    let (_, after) = after.split_once("end interface").expect("its end");
    let procedures = before.lines().chain(after.lines()).filter(|line| line.contains(") bind(c"));
    procedures.filter_map(|line| quoted(line).or_else(|| procedure(line))).filter(|name| !name.is_empty()).collect()
}

/// Procedures of the module's interfaces without a C name: externals, which the glue defines as Fortran names them. Those
/// of the modules for derived types are among them.
fn externals(module: &str) -> BTreeSet<String> {
    let [derived, polymorphic] =
        ["generated/adtape_derived.inc", "adtape_polymorphic.inc"].map(|name| statements(&fortran(name)));
    let interfaces =
        [module, &derived, &polymorphic].map(|text| text.split("contains").next().expect("a specification part"));
    let names =
        interfaces.iter().flat_map(|text| text.lines()).filter(|line| !line.contains("bind(c")).filter_map(procedure);
    names.filter(|name| name.starts_with("adtapeself") || name.starts_with("adtapecall")).collect()
}

fn quoted(line: &str) -> Option<String> {
    line.split("name=\"").nth(1)?.split('"').next().map(str::to_owned)
}

fn procedure(line: &str) -> Option<String> {
    let (head, _) = line.split_once('(')?;
    let name =
        head.trim().rsplit_once(' ').filter(|(kind, _)| kind.ends_with("subroutine") || kind.ends_with("function"))?;
    (!head.trim().starts_with("end")).then(|| name.1.to_owned())
}

/// Identifiers that start with `adtape_` and are followed by `(`.
fn called(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends = text.match_indices('(').map(|(i, _)| text[..i].trim_end());
    let words = ends.map(|before| &before[before.rfind(|c| !is_word(c)).map_or(0, |i| i + 1)..]);
    words.filter(|word| word.starts_with("adtape")).map(str::to_owned).collect()
}

/// The headers without their comments.
fn declarations() -> String {
    let text = crate::common::declarations();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn declared() -> BTreeSet<String> {
    called(&declarations())
}

/// The suffixes of the table of types in inline.h: X(f64, double, ADTAPE_TYPE_F64).
fn suffixes() -> Vec<String> {
    let text = crate::common::inlined();
    let rows = text.lines().map(str::trim).filter(|line| line.starts_with("X(") && line.contains("ADTAPE_TYPE_"));
    rows.map(|row| row[2..].split(',').next().expect("a suffix").trim().to_owned()).collect()
}

/// The library's functions for scalars, which the header has as macros only.
fn scalar_calls() -> BTreeSet<String> {
    let forms = ["self_push", "self_pop", "call_push", "call_pop"];
    suffixes().iter().flat_map(|suffix| forms.map(|form| format!("adtape_{form}_{suffix}"))).collect()
}

/// The glue with its macros expanded, or None without a C compiler.
fn expanded_glue() -> Option<String> {
    let mut preprocess = Command::new(cc());
    preprocess.args(["-E", "-P", "-I"]).arg(root().join("include"));
    let output = preprocess.arg(root().join("fortran-bindings/adtape_glue.c")).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the glue defines for Fortran: adtape_fortran_… and externals with an underscore.
fn defined_in_glue(glue: &str) -> BTreeSet<String> {
    let ours = |name: &String| name.starts_with("adtape_fortran_") || !name.starts_with("adtape_");
    called(glue).into_iter().filter(ours).collect()
}

#[test]
fn names_bound_by_the_module_exist_in_c() {
    let Some(glue) = expanded_glue() else {
        return skip("names_bound_by_the_module_exist_in_c", &format!("{} not found", cc()));
    };
    let mut known = declared();
    known.extend(scalar_calls());
    known.extend(defined_in_glue(&glue));
    known.extend(OF_C.map(str::to_owned));
    let names = bound(&module());
    assert!(names.len() > 150, "the module's interfaces are found: {names:?}");
    assert_eq!(names.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "bound, but not declared in C");
    for external in externals(&module()) {
        assert!(known.contains(&format!("{external}_")), "{external}_ is not in adtape_glue.c");
        assert!(known.contains(&external), "{external} is not in adtape_glue.c");
    }
}

#[test]
fn glue_defines_nothing_that_the_module_does_not_bind() {
    let Some(glue) = expanded_glue() else {
        return skip("glue_defines_nothing_that_the_module_does_not_bind", &format!("{} not found", cc()));
    };
    let mut used = bound(&module());
    for external in externals(&module()) {
        used.insert(format!("{external}_"));
        used.insert(external);
    }
    let defined = defined_in_glue(&glue);
    assert!(defined.len() > 100, "the glue's functions are found: {defined:?}");
    assert_eq!(defined.difference(&used).collect::<Vec<_>>(), Vec::<&String>::new(), "in the glue, but never bound");
}

/// In Fortran each type is bound as a function of the glue, by address; or, where it has no interoperable type, as an
/// external; a character comes with its length.
#[test]
fn every_type_of_the_table_is_bound_on_the_threads_tape_and_by_handle() {
    let module = module();
    let (bound, externals) = (bound(&module), externals(&module));
    let suffixes = suffixes();
    assert!(suffixes.len() >= 20, "{suffixes:?}");
    for suffix in &suffixes {
        for operation in ["push", "pop"] {
            for (form, text) in [("self", "self_"), ("call", "")] {
                let found = match suffix.as_str() {
                    "char" => bound.contains(&format!("adtape_fortran_{text}{operation}_text")),
                    _ => {
                        bound.contains(&format!("adtape_fortran_{text}{operation}_{suffix}"))
                            || externals.contains(&format!("adtape{form}{operation}{}", suffix.replace('_', "")))
                    }
                };
                assert!(found, "no Fortran procedure for {operation} of {suffix} ({form})");
            }
        }
    }
}

/// Every array type that a tape knows can come in a descriptor of both compilers.
#[test]
fn every_type_of_the_table_is_in_both_tables_of_descriptor_types() {
    let text = fs::read_to_string(root().join("fortran-bindings/generated/kinds_glue.inc")).expect("the kinds");
    for compiler in ["gfortran", "flang"] {
        let (_, table) = text.split_once(&format!("#define {}_KINDS_(X)", compiler.to_uppercase())).expect("a table");
        let table = table.split("#define").next().expect("its rows");
        for suffix in suffixes() {
            // flang has no logical(16); a C bool is a logical(1) in an array; characters and addresses are no kinds.
            let other = ["bool", "char", "opaque"].contains(&suffix.as_str());
            let absent = other || (suffix == "logical128" && compiler == "flang");
            let listed = table.contains(&format!(", {})", suffix.to_uppercase()));
            assert!(listed != absent, "{suffix} in the table of {compiler}: {listed}");
        }
    }
}

#[test]
fn every_function_of_the_library_is_reached_from_fortran() {
    let Some(glue) = expanded_glue() else {
        return skip("every_function_of_the_library_is_reached_from_fortran", &format!("{} not found", cc()));
    };
    // Past the headers: the glue's own text.
    let own = glue
        .split_once("static __attribute__((noinline, cold, noreturn")
        .map(|x| x.1)
        .expect("the glue's first function");
    let mut reached = called(own);
    reached.extend(bound(&module()));
    let inlined = |name: &str| name.starts_with("adtape_abi0_") || name.contains("_control") || name.contains("_count");
    let array = |name: &str| name.ends_with("_array"); // arrays come by descriptor, through the same entry points
    // A macro of the header stands for a function that is inlined.
    let is_reached = |name: &str| reached.contains(name) || reached.contains(&format!("{name}_"));
    for name in declared() {
        let excused = NOT_FOR_FORTRAN.iter().any(|(function, _)| *function == name) || inlined(&name) || array(&name);
        assert!(excused || is_reached(&name), "{name} has no call in Fortran");
        assert!(!excused || inlined(&name) || !bound(&module()).contains(&name), "{name} is bound after all");
    }
}

/// `NAME = value` of the module and of the header: statuses, types, operations, ways to trim.
#[test]
fn constants_of_the_module_have_the_values_of_the_header() {
    let read = |text: &str, separator: char| -> BTreeMap<String, i32> {
        let lines = text.lines().filter_map(|line| {
            let at = line.find("ADTAPE_")?;
            let (name, value) = line[at..].split_once(separator)?;
            Some((name.trim().to_owned(), value.trim().trim_end_matches(',').parse().ok()?))
        });
        lines.collect()
    };
    let declarations = declarations();
    let mut expected = read(&declarations, '=');
    let defines: Vec<&str> = declarations
        .lines()
        .filter(|line| {
            ["TRIM", "STORE", "SECTION", "FLOW", "ROLE", "JOIN", "SCHEDULE"]
                .iter()
                .any(|of| line.starts_with(&format!("#define ADTAPE_{of}_")))
        })
        .collect();
    expected.extend(read(&defines.join("\n"), ' '));
    assert!(expected.len() >= 46, "{expected:?}");
    assert_eq!(read(&fortran("generated/constants.inc"), '='), expected);
}

/// Names of the components of a type, in order.
#[test]
fn types_of_the_module_have_the_components_of_the_header() {
    let declarations = declarations();
    for (in_c, in_fortran) in [
        ("adtape_mark_t", "adtape_mark"),
        ("adtape_stats_t", "adtape_stats"),
        ("adtape_traffic_t", "adtape_traffic"),
        ("adtape_memory_t", "adtape_memory"),
        ("adtape_heap_mark_t", "adtape_heap_mark"),
        ("adtape_heap_stats_t", "adtape_heap_stats"),
        ("adtape_live_stats_t", "adtape_live_stats"),
        ("adtape_instruction_t", "adtape_instruction"),
        ("adtape_prediction_t", "adtape_prediction"),
        ("adtape_progress_t", "adtape_progress"),
        ("adtape_save_stats_t", "adtape_save_stats"),
        ("adtape_restore_stats_t", "adtape_restore_stats"),
    ] {
        let end = declarations.find(&format!("}} {in_c};")).expect("a struct");
        let start = declarations[..end].rfind('{').expect("its start") + 1;
        let fields = declarations[start..end].lines().map(str::trim);
        let fields: Vec<&str> = fields
            .filter_map(|line| {
                ["uint64_t ", "int64_t ", "int32_t ", "bool ", "void *"].iter().find_map(|of| line.strip_prefix(of))
            })
            .map(|rest| rest.trim_end_matches(';'))
            .collect();

        let module = module();
        let (_, rest) = module.split_once(&format!("public :: {in_fortran}\n")).expect("a type");
        let body = rest.split("end type").next().expect("its components");
        let components: Vec<&str> = body
            .lines()
            .filter_map(|line| line.split_once("::"))
            .flat_map(|(_, list)| list.split(','))
            .filter_map(|item| item.split('=').next())
            .map(str::trim)
            .collect();
        assert!(!fields.is_empty());
        assert_eq!(components, fields, "{in_fortran}");
    }
}
