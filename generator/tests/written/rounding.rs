//! Which functions of the output round products and sums apart: those whose bits both sweeps need, and no others.

use adtape_generate::transform::Choices;

use crate::common::{Scratch, generate};

/// Where the directive stands among the lines of the adjoint and of the tangent: before or behind the model.
fn directives(name: &str, model: &str) -> [Option<&'static str>; 2] {
    let folder = Scratch::new(&format!("rounding-{name}"));
    let source = folder.write("source.c", model);
    let (adjoint, tangent) = generate::both(&folder, &source, "f(f)/(x)", &Choices::default());
    [adjoint, tangent].map(|output| {
        let directive = output.source.find("fp-contract=off")?;
        let model = output.source.find("#include \"model.c\"").expect("the output brings the model along");
        Some(if directive < model { "before" } else { "behind" })
    })
}

#[test]
fn products_and_sums_are_rounded_apart_where_both_sweeps_need_the_bits() {
    let loads =
        "double f(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) if (x[i] > 0.5) s += x[i] * x[i];
        return s; }";
    let sums = "double f(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) { double r = x[i] * x[i] + 0.5;
        if (r > 1) s += 1 / (r * r); } return s; }";
    let again = "double f(int n, double *x) { double s = 0;
        #pragma adjoint again
        for (int i = 0; i < n; i++) s += x[i] * x[i];
        return s; }";
    assert_eq!(directives("loads", loads), [None, None]);
    assert_eq!(directives("sums", sums), [Some("behind"), None]);
    assert_eq!(directives("again", again), [Some("before"), None]);
}
