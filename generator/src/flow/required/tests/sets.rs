//! The sets of TBR analysis (Hascoët, Naumann, Pascual, section 5): `Req` and `Kill` of each structure, bottom up (Figs. 6
//! and 7), and `InReq`, top down, with the closed form of loops (Figs. 8 and 9).

use super::*;

/// `f` calls `s(x, w, n)`, whose body is given, once with `before` in front of the call and once without.
fn program(body: &str, before: &str) -> Program {
    read(&format!(
        "proc s(double* x, double* w, int n) {{\n{}\n}}\nproc f(int n, double* x, double* w) {{\n{before}\ncall s(x.0, w.0, \
         n.0)\ncall s(x.0, w.0, 3)\n}}",
        expand(body)
    ))
}

/// `Req` and `Kill` of a body.
fn sets(body: &str) -> [String; 2] {
    let program = program(body, "");
    let flow = Flow::analyse(&program, &[head("w")]).expect("sets");
    let required = Required::new(&flow);
    let sum = required.sum(ProcId(0));
    [&sum.required, &sum.killed].map(|set| required.show(set))
}

#[test]
fn statements_require_what_is_in_their_partial_derivatives_and_kill_what_they_overwrite() {
    assert_eq!(sets("store w.0[0] = x.0[0] + x.0[1]"), ["", "*s.w[0, 1)"]);
    assert_eq!(sets("store w.0[0] = x.0[0] * x.0[1]"), ["*s.x[1, 2)[0, 1)", "*s.w[0, 1)"]);
    assert_eq!(sets("store w.0[0] = sin(x.0[2])"), ["*s.x[2, 3)", "*s.w[0, 1)"]);
    // What it overwrites is recorded, so that it is not required behind it.
    assert_eq!(sets("store w.0[0] = w.0[0] * x.0[1]"), ["*s.x[1, 2)", "*s.w[0, 1)"]);
}

/// Req(S1; S2) = (Req(S1) \ Kill(S2)) + Req(S2), Kill(S1; S2) = Kill(S1) + Kill(S2).
#[test]
fn sequences_compose() {
    let body = "store w.0[0] = x.0[0] * x.0[1]\nstore x.0[1] = x.0[2] * x.0[3]";
    assert_eq!(sets(body), ["*s.x[0, 1)[3, 4)[2, 3)", "*s.x[1, 2) *s.w[0, 1)"]);
}

/// Req of a branch is that of either arm, Kill what both overwrite.
#[test]
fn branches_require_what_an_arm_does_and_kill_what_both_do() {
    let body = "if n.0 > 0 {\nstore w.0[0] = x.0[0] * x.0[0]\nstore x.0[5] = 1.0\n} else {\nstore w.0[0] = x.0[1] * \
                x.0[1]\nstore w.0[1] = 1.0\n}";
    assert_eq!(sets(body), ["*s.x[0, 1)[1, 2)", "*s.w[0, 1)"]);
}

/// Req of a loop is that of its passes, but for what each of them overwrites and records. What it kills are the elements of
/// all passes, and nothing else, as it may have none.
#[test]
fn loops_need_no_fixpoint() {
    let body = "for i in 0..n.0 {\nstore w.0[i] = x.0[i] * x.0[i + 1]\nstore x.0[40] = 1.0\n}";
    assert_eq!(sets(body), ["*s.x[1, 40)[41, n.0 + 1)[0, 40)[41, n.0)", "*s.w[0, n.0)"]);
}

/// InReq of a procedure is what is required in front of any of its calls: InReq(S) += InReq(I). Behind a call,
/// OutReq(I) = (InReq(I) \ Kill(S)) + Req(S), which the next call begins with.
#[test]
fn procedures_begin_with_what_their_calls_require() {
    let body = "store w.0[0] = w.0[0] + x.0[0] * x.0[1]\nstore x.0[2] = x.0[0]";
    let program = program(body, "store w.0[1] = x.0[2] * x.0[3]");
    let flow = Flow::analyse(&program, &[head("w")]).expect("sets");
    let required = Required::new(&flow);
    assert_eq!(required.show(required.entry(ProcId(0))), "*s.x[3, 4)[2, 3)[1, 2)[0, 1)");
    assert_eq!(pushes(&program), "-p-");
}
