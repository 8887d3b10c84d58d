//! What programs store, by type; their gradients beside their tangents and beside differences.

use std::path::Path;
use std::sync::Mutex;

use adtape_generate::transform::Choices;

use super::{Scratch, each, generate, root};

/// Program; reals, integers, bits, counts that one run pushes; why.
pub type Stored<'a> = (&'a str, [u32; 4], &'a str);

/// Checks what the programs in a folder of these tests store.
pub fn check_stored(folder: &str, programs: &[Stored], choices: impl Fn(&str) -> Choices + Sync) {
    let wrong = Mutex::new(String::new());
    each(programs, |(name, [reals, integers, bits, counts], why)| {
        let expected = format!("{reals} reals, {integers} integers, {bits} bits, {counts} counts");
        let source = root().join(format!("generator/tests/{folder}/{name}.c"));
        let said = stored(&source, &choices(name));
        if said != expected {
            *wrong.lock().expect("no other check stopped") += &format!("{name}: {said}, not {expected} ({why})\n");
        }
    });
    let wrong = wrong.into_inner().expect("no check stopped");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Generates adjoint and tangent of `f(int n, double *x, int *ia, double *w)`, runs them on the data of driver.h, and
/// gives back what was stored: "8 reals, 0 integers, 0 bits, 0 counts". Anything else is what is wrong.
pub fn stored(source: &Path, choices: &Choices) -> String {
    let name = source.file_stem().expect("a file").to_string_lossy();
    let folder = Scratch::new(&format!("counted-{name}"));
    for file in ["counting.h", "driver.h"] {
        let text =
            std::fs::read_to_string(root().join("generator/tests/papers").join(file)).expect("a file of the tests");
        folder.write(file, &text);
    }
    let (reverse, forward) = generate::both(&folder, source, "f(f)/(x)", choices);
    let has = |header: &str, argument: &str| {
        if header.contains(argument) { format!(", {argument}") } else { String::new() }
    };
    let driver = format!(
        "#include <adtape.h>\n#include <math.h>\n#include <stdio.h>\n#include \"model_b.h\"\n#include \"model_d.h\"\n\
         #define W_B {}\n#define W_D {}\nvoid tables(int *ia);\ndouble f(int n, double *x, int *ia, double *w);\n\
         long pushed[6];\n#include \"driver.h\"\n",
        has(&reverse.header, "w_b"),
        has(&forward.header, "w_d"),
    );
    folder.write("driver.c", &driver);
    generate::build(&folder, "gcc", &["-O0", "-c", "model_b.c", "-include", "counting.h"]);
    // Both files include the model.
    let allow = "-Wl,--allow-multiple-definition";
    generate::build(&folder, "gcc", &["-O0", allow, "-o", "t", "driver.c", "model_d.c", "model_b.o"]);
    generate::run(&folder, "t")
}
