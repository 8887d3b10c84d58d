//! The calls on addresses (`ADMM_…`), with the arguments of today and with those of 2020.

use super::symbols::symbols;
use super::*;

/// A program that calls with the arguments of today, and one that calls with those of 2020: from a library that comes
/// before, from the header, or chosen when the source is compiled.
fn address_programs(source: &str, how: How) -> [PathBuf; 2] {
    let (before, chosen) = match how {
        How::Static => (Some("libadtape_kit_admm2020.a"), None),
        How::Shared | How::Table => (Some("libadtape_kit_admm2020.so"), None),
        How::Inline => (None, None),
        How::Lto => (None, Some("-DADTAPE_KIT_ADMM2020")),
    };
    let before = before.map(|name| build_kit().join(name).to_string_lossy().into_owned());
    let older: Vec<&str> = std::iter::once(source).chain(before.as_deref()).collect();
    let flags = ["-Wall", "-Wextra", "-Werror", "-pthread"];
    let flags_2020: Vec<&str> = flags.into_iter().chain(["-DABI2020"]).chain(chosen).collect();
    let cc = cc_for(how);
    [compile(&cc, &[source], how, &flags), compile(&cc, &older, how, &flags_2020)]
}

/// Each pointer is restored with its block there or away, under allocators that use an address again at once
/// and never, in either sweep.
pub fn pointers_are_restored(how: How) {
    for program in address_programs("admm.c", how) {
        passes(&program, &["random", "400", "1"], &[]);
        passes(&program, &["threads"], &[]);
        let text = passes(&program, &["edges"], &[]);
        for line in [
            "Registerings:73, Unregisterings:72, numberOfRebases:63",
            "chunks:2[peak:2] waiting:1[peak:5]",
            "unregistered, but not registered:1",
            "  (old:0x100000000000=>)0x100000000000+80 (10 elements)",
            "  (old:0x100000000000=>)0x1000000000a0+80    Shadow: (old:0x200000000000=>)0x2000000000a0+88 (10 elements)",
        ] {
            assert!(text.lines().any(|l| l == line), "\"{line}\" in\n{text}");
        }
        for end in ["]->0x5000", "]->0x6000"] {
            assert!(text.lines().any(|l| l.ends_with(end)), "\"{end}\" in\n{text}");
        }
    }
}

/// The gradient of a program with a list, a marching pointer and indices, under the same allocators, is that of finite
/// differences.
pub fn gradient_is_right(how: How) {
    for program in address_programs("blocks.c", how) {
        passes(&program, &[], &[]);
        passes(&program, &[], &[CHECK, PAGES]);
    }
}

#[test]
fn restored_pointers_point_to_their_blocks_whatever_the_addresses_do() {
    pointers_are_restored(How::Static);
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    #[test]
    fn gradient_of_a_program_that_allocates_is_that_of_finite_differences() {
        gradient_is_right(How::Shared);
    }

    #[test]
    fn calls_on_addresses_hold_linked_otherwise() {
        [How::Shared, How::Inline].into_iter().for_each(pointers_are_restored);
        [How::Static, How::Inline].into_iter().for_each(gradient_is_right);
    }

    /// A program with the arguments of 2020, linked without the library for them, died of a segmentation fault, or took the size
    /// for an address and went on.
    #[test]
    fn arguments_of_2020_are_refused_where_the_library_for_them_is_missing() {
        let calls = "#include <stdlib.h>\n\
                     void ADMM_register(void *base, void *then, int size, int elements);\n\
                     void ADMM_registerShadowed(void *base, void *then, int size, void *b, void *bthen, int bsize, int elements);\n\
                     int main(int argc, char **argv) {\n\
                       double *x = malloc(80), *xb = malloc(80);\n\
                       if (argc > 1) ADMM_registerShadowed(x, NULL, 80, xb, NULL, 80, 10);\n\
                       else ADMM_register(x, NULL, 80, 10);\n\
                       return argv == NULL;\n}\n";
        let source = scratch("kit-2020").join("calls.c");
        fs::write(&source, calls).expect("scratch directory is writable");
        let source = source.to_str().expect("a path");
        for (how, flags) in [(How::Static, "-no-pie"), (How::Static, "-pie"), (How::Shared, "-pie")] {
            let program = compile(&cc(), &[source], how, &[flags]);
            for (arguments, line) in [(&[][..], 7), (&["shadowed"], 6)] {
                let output = command(&program, arguments, &[]).output().expect("the program runs");
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(
                    std::os::unix::process::ExitStatusExt::signal(&output.status),
                    Some(6),
                    "{how:?} {flags}: {said}"
                );
                for words in
                    ["finds 80 where", "arguments of 2020", "-ladtape_kit_admm2020", &format!("calls.c:{line}")]
                {
                    assert!(said.contains(words), "{how:?} {flags}: no \"{words}\" in {said}");
                }
            }
        }
        let older = build_kit().join("libadtape_kit_admm2020.a").to_string_lossy().into_owned();
        let program = compile(&cc(), &[source, &older], How::Static, &[]);
        for arguments in [&[][..], &["shadowed"]] {
            passes(&program, arguments, &[]);
        }
    }

    /// Lists searched from their beginning would make it ten times as dear.
    #[test]
    fn block_among_many_costs_little_more_than_among_few() {
        let program = compile(&cc(), &["admm.c"], How::Static, &["-pthread"]);
        let text = passes(&program, &["cost"], &[]);
        let ratio: f64 = text.trim_end().rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a ratio");
        assert!(ratio < 6.0, "{text}");
    }
}

#[test]
fn module_for_fortran_binds_the_arguments_that_it_declares() {
    let test = "module_for_fortran_binds_the_arguments_that_it_declares";
    if !has(&fc(), test) {
        return;
    }
    let modules = format!("-J{}", scratch("kit-admm-module").display());
    let sources = ["kit/admm_tapenade_interface.f90", "kit/tests/admm.f90"];
    let older = build_kit().join("libadtape_kit_admm2020.a").to_string_lossy().into_owned();
    for how in [How::Static, How::Shared] {
        let text = passes(&compile(&fc(), &sources, how, &[&modules]), &[], &[]);
        assert!(text.starts_with("Registerings:4, Unregisterings:4, numberOfRebases:3\n"), "{text}");
    }
    // The module does not depend on which arguments the other names have.
    passes(&compile(&fc(), &[sources[0], sources[1], &older], How::Static, &[&modules]), &[], &[]);
}

#[test]
fn library_of_2020_has_the_two_names_with_other_arguments() {
    let names = ["ADMM_register", "ADMM_registerShadowed"].map(str::to_owned);
    let shared = symbols(&build_kit().join("libadtape_kit_admm2020.so.0"), &["-D", "--defined-only"], "TWVDBR");
    assert_eq!(shared, BTreeSet::from(names.clone()));
    let archive = symbols(&build_kit().join("libadtape_kit_admm2020.a"), &["-g", "--defined-only"], "TW");
    assert_eq!(archive, BTreeSet::from(names));
}
