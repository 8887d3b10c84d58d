//! The sweeps of small programs, as text.

use adtape_generate::ir::{Proc, Procs, Program, parse, print, validate};
use adtape_generate::replay::Verdict;
use adtape_generate::transform::{Adjoint, Choices, adjoint, tangent};

use crate::common::head;

fn sweeps(text: &str, of: &str) -> Adjoint {
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e}"));
    validate::program(&program).unwrap_or_else(|e| panic!("{e:#?}"));
    let adjoint = adjoint(&program, &[head(of)], &Choices::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    let tangents = tangent(&program, &[head(of)], &Choices::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    let mut all: Vec<&Proc> = tangents.tangents.iter().map(|(.., proc)| proc).collect();
    for sweeps in &adjoint.sweeps {
        all.extend([&sweeps.forward, &sweeps.reverse]);
    }
    {
        for proc in all {
            let program = Program { procs: with(&adjoint.program, proc), ..adjoint.program.clone() };
            println!("{}", print::program(&Program { procs: [proc.clone()].into_iter().collect(), ..program.clone() }));
            validate::program(&program).unwrap_or_else(|e| panic!("{:?} of {}: {e:#?}", proc.role, proc.name));
        }
    }
    adjoint
}

/// The program with one more procedure, so that calls in it find their targets.
fn with(program: &Program, proc: &Proc) -> Procs {
    let mut procs = program.procs.clone();
    procs.add(proc.clone());
    procs
}

#[test]
fn power() {
    sweeps(
        "proc f(double x, int n) -> double {
  var double s
  var int i
  let s.1 = 1.0
  let i.1 = 0
  loop before i.2 < n.0
    carry s.2 = s.1 | s.3 -> s.4
    carry i.2 = i.1 | i.3 -> i.4
  {
    let s.3 = s.2 * x.0
    let i.3 = i.2 + 1
  }
  return s.4
}",
        "f(f)/(x)",
    );
}

#[test]
fn burgers() {
    sweeps(
        "proc step(double* u, int n) {
  var int i
  let i.1 = 1
  loop before i.2 < n.0
    carry i.2 = i.1 | i.3 -> i.4
  {
    if u.0[i.2] > 0.0 {
      store u.0[i.2] = u.0[i.2] - u.0[i.2] * u.0[i.2 - 1]
    } else {
      store u.0[i.2] = u.0[i.2] * 2.0
    }
    let i.3 = i.2 + 1
  }
}
proc f(double* u, int n, int m) {
  var int t
  let t.1 = 0
  loop before t.2 < m.0
    carry t.2 = t.1 | t.3 -> t.4
  {
    call step(u.0, n.0)
    let t.3 = t.2 + 1
  }
}
",
        "f(u)/(u)",
    );
}

#[test]
fn store_that_may_change_its_own_address_is_refused() {
    // t[t[i]] = ... with t[i] == i: the pop would take its subscript from the state behind the store.
    let text = "proc f(double* x, int* t, int n) {
  store x.0[t.0[0]] = x.0[t.0[0]] * x.0[t.0[1]]
  store t.0[t.0[0]] = n.0
}";
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e}"));
    let refusals = adjoint(&program, &[head("f(x)/(x)")], &Choices::default()).err().unwrap_or_default();
    let found = refusals.iter().any(|refusal| refusal.what.contains("may change the address"));
    assert!(found, "{refusals:#?}");
}

/// What planning takes for a program.
fn steps(text: &str, of: &str) -> u64 {
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e}"));
    adjoint(&program, &[head(of)], &Choices::default()).unwrap_or_else(|e| panic!("{e:#?}")).steps
}

/// A procedure with one statement after the other, each made from its number.
fn straight(statements: usize, made: impl Fn(usize) -> String) -> String {
    let lines: String = (1..=statements).map(made).collect();
    format!("proc f(double* x, double* y, double a, int k) -> double {{\n{lines}  return a.{statements}\n}}")
}

#[test]
fn planning_takes_as_many_steps_for_each_statement_of_a_long_program() {
    // Passes over the whole procedure for each value made 5,000 statements take ten seconds.
    let last = |n: usize| n - 1;
    let chain = |n: usize| format!("  let a.{n} = sin(a.{}) * a.{}\n", last(n), last(n));
    let stores = |n: usize| {
        let (to, from) = (n % 40, n % 7);
        format!("  store y.0[{to}] = y.0[{to}] * x.0[{from}]\n  let a.{n} = a.{} + y.0[{from}] * x.0[{to}]\n", last(n))
    };
    let indices = |n: usize| {
        format!(
            "  let k.{n} = (k.{} * 3 + {n}) % 17\n  store y.0[k.{n}] = y.0[k.{n}] * 2.0\n  let a.{n} = a.{} * x.0[k.{n}]\n",
            last(n),
            last(n)
        )
    };
    grows("chain", 100, &chain);
    grows("stores", 60, &stores);
    grows("indices", 25, &indices);
}

/// Asserts that four times the statements take less than six times the steps.
fn grows(what: &str, count: usize, made: &dyn Fn(usize) -> String) {
    let taken = |statements| steps(&straight(statements, made), "f(f)/(x a)");
    let (few, many) = (taken(count), taken(4 * count));
    assert!(few > count as u64 && many < 6 * few, "{what}: {few} steps, {many} for four times the statements");
}

#[test]
fn decisions_that_compute_with_reals_are_stored_where_products_and_sums_may_be_rounded_once() {
    let bits = |language: &str, on: &str| {
        let text = format!(
            "{language}proc f(const double* x, const double* w, int k) -> double {{
               var double y
               var int i
               let i.1 = (int)(w.0[0] * w.0[1])
               if {on} {{ let y.1 = x.0[0] * x.0[0] }} else {{ let y.2 = x.0[i.1] }}
               join y.3 = y.1 | y.2
               return y.3
             }}"
        );
        let program = parse::program(&text).unwrap_or_else(|e| panic!("{e}"));
        let adjoint = adjoint(&program, &[head("f(f)/(x)")], &Choices::default()).unwrap_or_else(|e| panic!("{e:#?}"));
        let plan = &adjoint.sweeps[0].plan;
        (plan.bits.len(), plan.records.values().map(Vec::len).sum::<usize>())
    };
    let computed = "w.0[0] * w.0[1] - w.0[2] > 0.0";
    assert_eq!(bits("", computed), (0, 0));
    assert_eq!(bits("fortran ", computed), (1, 1));
    // What is read and not computed decides alike.
    assert_eq!(bits("fortran ", "w.0[2] > 0.0"), (0, 1));
    assert_eq!(bits("fortran ", "k.0 > 0"), (0, 1));
}

#[test]
fn sweeps_of_a_language_without_unsigned_integers_have_none_and_are_proved() {
    let text = |language: &str| {
        format!(
            "{language}proc f(double* x, const double* w, int n, int from, int by) {{
               var int i, k
               let i.1 = from.0
               let k.1 = n.0
               loop before i.2 < n.0
                 carry i.2 = i.1 | i.3 -> i.4
                 carry k.2 = k.1 | k.3 -> k.4
               {{
                 store x.0[k.2] = x.0[k.2] * x.0[k.2] * w.0[i.2]
                 let k.3 = k.2 + by.0
                 let i.3 = i.2 + 3
               }}
             }}"
        )
    };
    for (language, has_unsigned) in [("", true), ("fortran ", false)] {
        let program = parse::program(&text(language)).unwrap_or_else(|e| panic!("{e}"));
        let adjoint = adjoint(&program, &[head("f(x)/(x)")], &Choices::default()).unwrap_or_else(|e| panic!("{e:#?}"));
        let sweeps = &adjoint.sweeps[0];
        assert_eq!(sweeps.verdict, Verdict::Proved);
        let printed = print::proc(&adjoint.program, &sweeps.reverse);
        assert_eq!(printed.contains("uint") || printed.contains("unsigned"), has_unsigned, "{printed}");
    }
}
