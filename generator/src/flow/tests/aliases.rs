//! Which arguments may be the same memory.

use super::*;

#[test]
fn aliases_of_formals_come_from_call_sites() {
    let program = read(
        "proc g(double* a, double* b, double* c) { store a.0[0] = b.0[1] * c.0[0] }
         proc f(double* x, double* y) -> double {
           call g(&x.0[1], x.0, y.0)
           return x.0[1]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    let g = proc_named(&program, "g");
    let formal = |k| flow.points.locs.find(Root::Formal(g, k)).unwrap();
    assert!(flow.may_alias(g, formal(0), formal(1)));
    assert!(!flow.may_alias(g, formal(0), formal(2)));
    let f = proc_named(&program, "f");
    let formal = |k| flow.points.locs.find(Root::Formal(f, k)).unwrap();
    assert!(!flow.may_alias(f, formal(0), formal(1)));
    let options = Options { may_alias: true };
    let flow = Flow::analyse_with(&program, &[head("f(f)/(x)")], &options).unwrap();
    let formal = |k| flow.points.locs.find(Root::Formal(f, k)).unwrap();
    assert!(flow.may_alias(f, formal(0), formal(1)));
}

#[test]
fn arguments_that_the_language_keeps_apart_are_no_pair_where_one_is_written() {
    let of = |store: &str, first: &str| {
        let text = format!(
            "proc g(noalias double* a, noalias double* b, int n) -> double {{
               {store}
               return b.0[0] * a.0[0]
             }}
             proc f(double* x, int n) -> double {{
               let y.0 = call g(&x.0[n.0], {first}, n.0)
               return y.0
             }}"
        );
        let program = read(&text.replace("let y.0", "var double y\n let y.0"));
        let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).map_err(|what| what[0].what.clone())?;
        let formal = |k| flow.points.locs.find(Root::Formal(proc_named(&program, "g"), k)).unwrap();
        Ok(flow.may_alias(proc_named(&program, "g"), formal(0), formal(1)))
    };
    // The halves of an array. Where nothing is written they may be one, and so are their adjoints, which are written.
    assert_eq!(of("store a.0[0] = b.0[1]", "x.0"), Ok(false));
    assert_eq!(of("", "x.0"), Ok(true));
    assert_eq!(of("", "&x.0[n.0]"), Ok(true));
    let refused: Result<bool, String> = of("store a.0[0] = b.0[1]", "&x.0[n.0]");
    assert_eq!(refused, Err("'a' and 'b' of 'g' are one array here, and it is written".into()));
}
