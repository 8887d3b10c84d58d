//! The generated files are what their templates and tables say; `make bless` writes them anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn committed_files_are_what_the_templates_say() {
    if env::var_os("ADTAPE_BLESS").is_some() {
        adtape_tools::write(root()).expect("the generated files are written");
    }
    let faults = adtape_tools::differences(root()).expect("the templates render");
    assert!(faults.is_empty(), "\n{}\n  `make bless` writes them anew", faults.join("\n"));
}

/// A copy of what the tool reads and writes, in a folder of its own.
fn copy(name: &str) -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    for folder in [
        "fortran-bindings/calls",
        "fortran-bindings/generated",
        "include/adtape",
        "docs/reference",
        "docs/reference/examples",
        "mpi/include",
        "mpi/fortran/generated",
    ] {
        fs::create_dir_all(to.join(folder)).expect("a folder");
        for entry in fs::read_dir(root().join(folder)).expect("a folder of the repository") {
            let from = entry.expect("an entry").path();
            if from.is_dir() {
                continue;
            }
            fs::copy(&from, to.join(folder).join(from.file_name().expect("a name"))).expect("a copy");
        }
    }
    to
}

#[test]
fn an_edited_file_a_lost_one_and_one_too_many_are_seen_and_written_anew() {
    let root = copy("stale");
    let generated = root.join(adtape_tools::GENERATED);
    let constants = generated.join("constants.inc");
    let text = fs::read_to_string(&constants).expect("the constants");
    fs::write(&constants, text.replace("ADTAPE_STATUS_OK = 0", "ADTAPE_STATUS_OK = 1")).expect("written");
    fs::remove_file(generated.join("public.inc")).expect("removed");
    fs::write(generated.join("old.inc"), "! left behind\n").expect("written");
    let faults = adtape_tools::differences(&root).expect("the templates render");
    let names = ["constants.inc is stale, first at line", "public.inc is missing", "old.inc has no template"];
    assert_eq!(faults.len(), names.len(), "{faults:?}");
    for name in names {
        assert!(faults.iter().any(|fault| fault.contains(name)), "{name}: {faults:?}");
    }
    assert_eq!(adtape_tools::write(&root), Ok(2));
    assert_eq!(adtape_tools::differences(&root), Ok(Vec::new()));
}

#[test]
fn a_declaration_that_says_nothing_known_is_refused_with_its_template() {
    let root = copy("refused");
    let template = root.join("fortran-bindings/calls/process.inc");
    for (wrong, said) in [
        ("{{ call(\"lost(x: i33)\") }}", "the unknown word `i33`"),
        ("{{ call(\"lost(x)\") }}", "`x` without a type"),
        ("{{ call(\"lost(x: i32\") }}", "no closing parenthesis"),
        ("{{ c(\"lost(x: kind)\", kinds=\"some\") }}", "no set of kinds is named some"),
        ("{{ constants(\"LOST_\") }}", "no constant begins with LOST_"),
    ] {
        fs::write(&template, wrong).expect("written");
        let message = adtape_tools::files(&root).expect_err("a template that is wrong");
        assert!(message.contains("calls/process.inc") && message.contains(said), "{wrong}: {message}");
    }
}

#[test]
fn a_call_of_mpi_without_a_counterpart_in_fortran_is_refused_with_its_argument() {
    let root = copy("mpi");
    let header = root.join("mpi/include/adtape_mpi.h");
    fs::write(&header, "int adtape_MPI_Lost(MPI_Comm comm,\n    MPI_File file);\n").expect("written");
    let message = adtape_tools::files(&root).expect_err("a header that is wrong");
    assert!(message.contains("adtape_MPI_Lost: `MPI_File file` has no counterpart"), "{message}");
    fs::write(&header, "/* sends; */ int adtape_MPI_Found(int count);\n").expect("written");
    adtape_tools::write(&root).expect("written");
    let glue = fs::read_to_string(root.join("mpi/fortran/generated/glue.inc")).expect("the glue");
    assert!(glue.contains("adtape_mpi_found_(const MPI_Fint *count, MPI_Fint *ierror)"), "{glue}");
}
