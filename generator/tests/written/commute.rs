//! Passes that commute: sums that are split among the parts of vectors give what sums in order give.

use std::path::Path;

use adtape_generate::transform::Choices;

use crate::common::{Scratch, generate};

/// Prints the gradient.
const DRIVER: &str = include_str!("../common/edge_driver.c");

/// The reverse sweep of a function.
fn reverse<'a>(source: &'a str, function: &str) -> &'a str {
    let begin = source
        .rfind(&format!("static void {function}_rev("))
        .unwrap_or_else(|| panic!("no sweep of {function}: {source}"));
    source[begin..].split("\n}\n").next().unwrap_or_default()
}

#[test]
fn sums_are_split_where_no_two_passes_add_to_one_element() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edge/passes_commute.c");
    let gradients = [false, true].map(|in_order| {
        let folder = Scratch::new(&format!("commute-{in_order}"));
        let choices = Choices { in_order, ..Choices::default() };
        let (output, _) = generate::both(&folder, &source, "f(f)/(x)", &choices);
        let directives = ["f", "weighed", "shift", "wrapped"]
            .map(|function| reverse(&output.source, function).matches("#pragma omp simd").count());
        assert_eq!(directives, if in_order { [0; 4] } else { [2, 0, 0, 0] }, "{}", output.source);
        folder.write("driver.c", DRIVER);
        for (compiler, level) in [("gcc", "-O3"), ("clang", "-O3")] {
            let allow = "-Wl,--allow-multiple-definition";
            generate::build(&folder, compiler, &[level, allow, "-o", compiler, "driver.c", "model_b.c"]);
        }
        ["gcc", "clang"].map(|compiler| {
            let said = generate::run(&folder, compiler);
            said.lines().map(|line| line.parse().expect("a number")).collect::<Vec<f64>>()
        })
    });
    let expected = &gradients[1][0];
    for found in gradients.iter().flatten() {
        assert_eq!(found.len(), 100);
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{k}: {found}, not {expected}");
        }
    }
}
