use super::*;
use crate::ir::{Expr, ValueId};
use crate::ir::{ItemKind, parse, print};
use crate::refuse::Class;

mod aliases;

fn read(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|what| panic!("{what}\n{text}"))
}

/// `f(y)/(x)` with several names apart by commas.
fn head(text: &str) -> Head {
    let (proc, rest) = text.split_once('(').unwrap();
    let (dependents, rest) = rest.split_once(")/(").unwrap();
    let names = |s: &str| s.split(',').map(|n| n.trim().to_string()).collect();
    Head { proc: proc.into(), dependents: names(dependents), independents: names(rest.trim_end_matches(')')) }
}

fn proc_named(program: &Program, name: &str) -> ProcId {
    ProcId::new(program.procs.iter().position(|p| p.name == name).unwrap())
}

/// Names of the active locations.
fn active(flow: &Flow) -> String {
    let locs = &flow.points.locs;
    let mut names: Vec<String> =
        locs.all().filter(|&l| flow.activity.shadow(l)).map(|l| locs.name(flow.program, l)).collect();
    names.sort();
    names.join(" ")
}

fn active_values(flow: &Flow, proc: &str) -> String {
    let p = proc_named(flow.program, proc);
    let values = &flow.program.procs[p].values;
    let mut names: Vec<String> = (0..values.len())
        .map(ValueId::new)
        .filter(|&v| flow.active_value(p, v))
        .map(|v| {
            let proc = &flow.program.procs[p];
            let ty = proc.type_of(v).clone();
            let e = Expr::value(v, ty);
            print::expr(flow.program, &flow.program.procs[p], &e)
        })
        .collect();
    names.sort();
    names.join(" ")
}

/// What each item with needs needs.
fn needs_of(flow: &Flow, proc: &str) -> Vec<String> {
    let p = proc_named(flow.program, proc);
    let body = &flow.program.procs[p];
    let mut out = Vec::new();
    for id in walk::items(body, RegionId(0)) {
        let needs = flow.needs(p, id);
        if !needs.is_empty() {
            out.push(needs.iter().map(|e| print::expr(flow.program, body, e)).collect::<Vec<_>>().join(", "));
        }
    }
    out
}

fn refused(text: &str, of: &str) -> Vec<(Class, String)> {
    let program = read(text);
    match Flow::analyse(&program, &[head(of)]) {
        Ok(_) => Vec::new(),
        Err(reasons) => reasons.into_iter().map(|r| (r.class, r.what)).collect(),
    }
}

#[test]
fn scalars_are_active_by_value_and_arrays_as_a_whole() {
    let program = read(
        "proc f(double* x, double* w, int n) -> double {
           let s.0 = 0.0
           let i.0 = 0
           let a.0 = w.0[0] * 2.0
           loop before i.1 < n.0
             carry s.1 = s.0 | s.2 -> s.3
             carry i.1 = i.0 | i.2 -> i.3
           {
             let t.0 = x.0[i.1] * a.0
             let s.2 = s.1 + t.0 * x.0[i.1 + 1]
             store w.0[i.1] = a.0
             let i.2 = i.1 + 1
           }
           let a.1 = s.3
           let b.0 = x.0[0]
           return a.1
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*f.x");
    assert_eq!(active_values(&flow, "f"), "a.1 s.1 s.2 s.3 t.0");
    assert_eq!(needs_of(&flow, "f"), ["a.0, x.0, i.1", "x.0[i.1 + 1], t.0, x.0, i.1 + 1", "w.0, i.1"]);
}

#[test]
fn formals_are_active_by_what_calls_read_and_write() {
    let program = read(
        "proc scale(double* y, double* x, int n) {
           store y.0[0] = x.0[0] * x.0[n.0]
         }
         proc f(double* x, double* w, double* v) -> double {
           declare double t[10]
           call scale(&t[0], x.0, 3)
           call scale(v.0, w.0, 3)
           return t[0]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    // `v` is written from a passive `w`, but `scale` clears the adjoint of what it writes and adds to that of `x`.
    assert_eq!(active(&flow), "*f.v *f.w *f.x *scale.x *scale.y f.t");
    let f = proc_named(&program, "f");
    let of_formal = |k| flow.activity.loc(flow.points.locs.find(Root::Formal(f, k)).unwrap());
    assert!(of_formal(0) && !of_formal(1) && !of_formal(2));
}

#[test]
fn an_argument_that_is_overwritten_with_constants_is_cleared() {
    let program = read(
        "proc clear(double* y) { store y.0[0] = 0.0 }
         proc f(double* x) -> double {
           declare double t[2]
           store t[0] = x.0[0]
           call clear(&t[0])
           return t[0] + t[1]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*clear.y *f.x f.t");
}

#[test]
fn a_member_and_a_pointer_to_it_may_be_the_same() {
    let program = read(
        "struct s { double a; double[3] b; double* w }
         proc g(struct s* p, double* q, double* r) {
           store q.0[1] = p.0[0].b[0] * r.0[0]
         }
         proc f(struct s* p, double* x) -> double {
           call g(p.0, &p.0[0].b[0], p.0[0].w)
           call g(p.0, x.0, &p.0[0].a)
           return p.0[0].b[1]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(p)")]).unwrap();
    let g = proc_named(&program, "g");
    let by = |name: &str| flow.points.locs.all().find(|&l| flow.points.locs.name(&program, l) == name).unwrap();
    assert!(flow.may_alias(g, by("*g.p.b"), by("*g.q")));
    assert!(!flow.may_alias(g, by("*g.p.a"), by("*g.q")));
    assert!(flow.may_alias(g, by("*g.p.a"), by("*g.r")));
    assert!(!flow.may_alias(g, by("*g.q"), by("*g.r")));
    // What `w` points to is not part of the struct.
    assert!(!flow.may_alias(g, by("*g.p.w"), by("*g.r")));
    assert!(active(&flow).contains("*(*f.p.w)"), "{}", active(&flow));
}

#[test]
fn a_formal_and_a_global_may_be_the_same_where_a_call_says_so() {
    let program = read(
        "global double table[10]
         global double other[10]
         proc g(double* a) { store a.0[0] = table[0] * other[0] }
         proc f(double* x) -> double {
           store table[0] = x.0[0]
           call g(&table[0])
           return table[0]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    let g = proc_named(&program, "g");
    let by = |name: &str| flow.points.locs.all().find(|&l| flow.points.locs.name(&program, l) == name).unwrap();
    assert!(flow.may_alias(g, by("*g.a"), by("table")));
    assert!(!flow.may_alias(g, by("*g.a"), by("other")));
    assert_eq!(active(&flow), "*f.x *g.a table");
}

#[test]
fn pointers_in_memory_lead_through_calls() {
    let program = read(
        "struct net { double* w; int n }
         proc set(struct net* p, double* q) { store p.0[0].w = q.0 }
         proc get(struct net* p) -> double { return p.0[0].w[1] }
         proc f(double* x) -> double {
           declare struct net m
           call set(&m, x.0)
           let r.0 = call get(&m)
           return r.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*(*get.p.w) *f.x");
}

#[test]
fn a_list_ends_in_itself() {
    let program = read(
        "struct node { double v; struct node* next }
         proc sum(struct node* p) -> double {
           let s.0 = 0.0
           let q.0 = p.0
           loop before q.1 != null
             carry s.1 = s.0 | s.2 -> s.3
             carry q.1 = q.0 | q.2 -> q.3
           {
             let s.2 = s.1 + q.1[0].v * q.1[0].v
             let q.2 = q.1[0].next
           }
           return s.3
         }
         proc f(double* x) -> double {
           declare struct node a
           declare struct node b
           store a.v = x.0[0]
           store a.next = &b
           store b.v = x.0[1]
           store b.next = null
           let r.0 = call sum(&a)
           return r.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*f.x *sum.p.v f.a.v f.b.v");
}

#[test]
fn recursion_reaches_a_fixpoint() {
    let program = read(
        "proc g(double* a, double* b, int n) {
           if n.0 > 0 {
             store a.0[n.0] = b.0[n.0]
             call g(b.0, a.0, n.0 - 1)
           }
         }
         proc f(double* x, double* y) {
           call g(y.0, x.0, 3)
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(y)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*f.x *f.y *g.a *g.b");
}

#[test]
fn a_pointer_with_two_targets_gives_both_a_shadow() {
    let program = read(
        "proc f(double* x, int n) -> double {
           declare double c[3]
           store c[0] = 1.0
           let p.0 = n.0 > 0 ? x.0 : &c[0]
           return p.0[0] * p.0[1]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*f.x f.c");
}

#[test]
fn integers_are_passive_and_roundings_are_listed() {
    let program = read(
        "proc f(double* x, double* t) -> double {
           let u.0 = x.0[0] * 10.0
           let i.0 = (int)u.0
           let d.0 = u.0 - (double)i.0
           return t.0[i.0] * d.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active_values(&flow, "f"), "d.0 u.0");
    assert_eq!(flow.activity.rounded.len(), 1);
}

#[test]
fn constants_of_nature_are_no_needs() {
    let program = read(
        "proc f(double* x, double* y, double a) {
           store y.0[1] = x.0[0] / x.0[1] + 3.0 * x.0[2] + exp(x.0[3]) - a.0 * x.0[4] + a.0 / 2.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(y)/(x)")]).unwrap();
    assert_eq!(needs_of(&flow, "f"), ["y.0, x.0[1], x.0[0], x.0, x.0[3], a.0"]);
}

#[test]
fn conditional_expressions_need_their_conditions() {
    let program = read(
        "proc f(double* x, double* y, double a) {
           store y.0[1] = a.0 > 0.0 ? x.0[0] * x.0[2] : x.0[3]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(y)/(x)")]).unwrap();
    assert_eq!(needs_of(&flow, "f"), ["y.0, a.0 > 0.0, x.0[2], x.0[0], x.0"]);
}

#[test]
fn derivatives_flow_between_arguments_that_may_be_the_same() {
    let program = read(
        "proc f(double* x, double* t, double* v, double* w) {
           store t.0[0] = x.0[0]
           store w.0[0] = v.0[0] * 2.0
         }",
    );
    let of = |may_alias| active(&Flow::analyse_with(&program, &[head("f(w)/(x)")], &Options { may_alias }).unwrap());
    assert_eq!(of(false), "*f.w *f.x");
    assert_eq!(of(true), "*f.t *f.v *f.w *f.x");
}

/// Nothing depends on `x`, so that it is not active; its adjoint comes from the caller.
#[test]
fn a_store_clears_the_adjoint_that_an_argument_has_under_another_name() {
    let program = read(
        "proc f(double* x, double* t) -> double {
           let a.0 = x.0[0]
           store t.0[0] = 0.0
           return 1.0
         }",
    );
    let of = |may_alias| active(&Flow::analyse_with(&program, &[head("f(f)/(x)")], &Options { may_alias }).unwrap());
    assert_eq!(of(false), "*f.x");
    assert_eq!(of(true), "*f.t *f.x");
}

#[test]
fn what_is_not_followed_is_refused() {
    let of = "f(f)/(x)";
    let reasons = refused("proc f(double* x, long k) -> double { let p.0 = (double*)k.0 return p.0[0] * x.0[0] }", of);
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].0, Class::Pointer);
    let reasons = refused("proc f(double* x) -> double { let p.0 = (float*)x.0 return (double)p.0[0] }", of);
    assert!(reasons[0].1.contains("another type"), "{reasons:?}");
    let reasons = refused(
        "struct v { double x; double y }
         proc g(double* a) -> double { return a.0[0] + a.0[1] }
         proc f(struct v* x) -> double { let r.0 = call g(&x.0[0].x) return r.0 }",
        of,
    );
    assert!(reasons[0].1.contains("which is no array"), "{reasons:?}");
    let reasons = refused("proc f(double* x) -> double { return x.0[0] }", "f(f)/(z)");
    assert_eq!(reasons[0].0, Class::Head);
    let reasons = refused("proc f(double x, double y) -> double { return x.0 }", "f(y)/(x)");
    assert!(reasons[0].1.contains("by value"), "{reasons:?}");
}

#[test]
fn void_pointers_take_the_type_they_are_read_as() {
    let program = read(
        "struct par { double a; int n }
         proc g(double x, void* p) -> double {
           let q.0 = (struct par*)p.0
           return x.0 * q.0[0].a
         }
         proc f(double* x) -> double {
           declare struct par m
           store m.a = x.0[0]
           let r.0 = call g(x.0[1], (void*)&m)
           return r.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*f.x *g.p.a f.m.a");
}

#[test]
fn pointer_that_is_read_behind_a_void_pointer_leads_somewhere() {
    let program = read(
        "struct work { double* a; int n }
         proc f(void* w, double x) {
           let s.0 = (struct work*)w.0
           let a.0 = s.0[0].a
           store a.0[0] = x.0 * x.0
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(w)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*(*f.w.a)");
}

#[test]
fn results_behind_a_struct_by_value_are_what_its_pointers_lead_to() {
    let text = "struct net { double* w; double bias }
         proc f(struct net n, double x) {
           store n.w[0] = x.0 * n.bias
         }";
    let program = read(text);
    let flow = Flow::analyse(&program, &[head("f(n)/(x)")]).unwrap();
    assert_eq!(active(&flow), "*(f.n.w)");
    assert!(refused(text, "f(n.bias)/(x)")[0].1.contains("by value"));
}

#[test]
fn effects_name_what_callees_touch() {
    let program = read(
        "proc g(double* a, double* b) {
           declare double t[3]
           store t[0] = b.0[0]
           store a.0[0] = t[0]
         }
         proc f(double* x, double* y) {
           call g(y.0, x.0)
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(y)/(x)")]).unwrap();
    let f = proc_named(&program, "f");
    let names = |set: &Set| set.iter().map(|&l| flow.points.locs.name(&program, l)).collect::<Vec<_>>().join(" ");
    assert_eq!(names(flow.reads(f, RegionId(0))), "*f.x");
    assert_eq!(names(flow.writes(f, RegionId(0))), "*f.y");
    let calls = program.procs[f].items.iter().filter(|i| matches!(i.kind, ItemKind::Call { .. })).count();
    assert_eq!(calls, 1);
}

/// A program in which `f` gets two pointers, with this statement.
fn two_pointers(statement: &str) -> String {
    format!("proc f(double* a, double* b, double x) -> double {{ {statement} store a.0[0] = x.0 return b.0[0] }}")
}

#[test]
fn pointers_that_a_program_takes_for_pointers_into_one_object_may_be_the_same() {
    let may = |statement: &str| {
        let statement = if statement.is_empty() { String::new() } else { format!("var {statement}") };
        let program = read(&two_pointers(&statement));
        let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
        let formal = |k| flow.points.locs.find(Root::Formal(ProcId(0), k)).unwrap();
        flow.may_alias(ProcId(0), formal(0), formal(1))
    };
    for one in [
        "int c let c.0 = a.0 != b.0",
        "int c let c.0 = a.0 < b.0",
        "long c let c.0 = a.0 - b.0",
        "double c let c.0 = b.0[-1]",
    ] {
        assert!(may(one), "{one}");
    }
    for two in ["", "double c let c.0 = b.0[1]", "int c let c.0 = a.0 != null"] {
        assert!(!may(two), "{two}");
    }
}

#[test]
fn what_callees_compare_is_one_object_of_their_caller() {
    let program = read(
        "struct span { double* begin; double* middle; double* end; double* other }
         proc same(double* p, double* q) -> int { return p.0 != q.0 }
         proc f(struct span* s, double x) -> double {
           var int c
           var int d
           let c.0 = call same(s.0[0].begin, s.0[0].middle)
           let d.0 = call same(s.0[0].middle, s.0[0].end)
           store s.0[0].begin[0] = x.0
           return s.0[0].end[0] * s.0[0].other[0]
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    let f = proc_named(&program, "f");
    let by = |name: &str| {
        let is_it = |loc: &Loc| flow.points.locs.name(&program, *loc) == format!("*(*f.s.{name})");
        flow.points.locs.all().find(is_it).unwrap()
    };
    assert!(flow.may_alias(f, by("begin"), by("end")));
    assert!(!flow.may_alias(f, by("begin"), by("other")));
}

#[test]
fn a_function_without_source_may_write_what_it_can_name() {
    let program = read(
        "global double scale
         global const double fixed
         proc f(double x) -> double {
           call extern unknown configure()
           return x.0 * scale * fixed
         }",
    );
    let flow = Flow::analyse(&program, &[head("f(f)/(x)")]).unwrap();
    let names = flow.writes(ProcId(0), RegionId(0)).iter().map(|loc| flow.points.locs.name(&program, *loc));
    assert_eq!(names.collect::<Vec<_>>(), ["scale"]);
}
