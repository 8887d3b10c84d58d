use super::program;
use crate::ir::parse;
use crate::ir::*;

fn errors(text: &str) -> Vec<String> {
    let read = parse::program(text).unwrap_or_else(|what| panic!("{what}\n{text}"));
    program(&read).err().unwrap_or_default()
}

fn accepted(text: &str) {
    let found = errors(text);
    assert!(found.is_empty(), "{found:#?}");
}

/// Checks that the body of `f(double* x, int n, double a)` is refused and why.
fn refused(body: &str, expected: &str) {
    let text = format!("proc f(double* x, int n, double a) {{ {body} }}");
    let found = errors(&text);
    assert!(found.iter().any(|error| error.contains(expected)), "{body}: {found:#?}");
}

const WHOLE: &str = "
    struct point { double x; double[3] w; struct point* next }
    global const double table[4, 5]
    proc g(struct point p, double* y) -> double {
      store y.0[0] = p.w[2] + table[1, 2]
      return p.x
    }
    proc f(double* x, int n) -> double {
      let s.0 = 0.0
      let i.0 = 0
      loop before i.1 < n.0
        carry s.1 = s.0 | s.4 -> s.5
        carry i.1 = i.0 | i.2 -> i.3
      {
        declare double w[3]
        declare struct point p
        store p.next = (null : struct point*)
        store w[i.1] = x.0[i.1]
        if x.0[i.1] > 0.0 && !i.1 {
          let s.2 = s.1 + (double)n.0 * pow(w[0], 2.0)
        } else {
          let s.3 = call g(p, &w[1])
        }
        join s.4 = s.2 | s.3
        let i.2 = i.1 + 1
      }
      return s.5
    }";

#[test]
fn a_program_that_obeys_the_rules_is_accepted() {
    accepted(WHOLE);
}

#[test]
fn a_value_is_used_only_where_it_is_visible() {
    refused("var double y store x.0[0] = y.0 let y.0 = a.0", "y.0 is not visible here");
    refused("var double y if n.0 { let y.0 = a.0 } store x.0[0] = y.0", "y.0 is not visible here");
    refused("if n.0 { let y.0 = a.0 } join y.1 = y.0 | y.0", "y.0 is not visible here");
    refused(
        "var int i, j let i.0 = 0 loop before j.0 < 3 carry i.1 = i.0 | i.2 -> i.3 { let j.0 = i.1 let i.2 = 1 }",
        "j.0 is not visible here",
    );
    refused("if n.0 { declare double w } store w = a.0", "w is not declared here");
    refused("return 1.0", "a result that fits no result type");
}

#[test]
fn types_of_operands_agree() {
    refused("let y.0 = a.0 + n.0", "operands of + have types double and int");
    refused("let y.0 = (char)n.0 + (char)n.0", "operands of + have types char and char");
    refused("store x.0[0] = 1", "the expression has type int, not double");
    refused("let y.0 = sinf(a.0)", "an argument of sinf has type double, not float");
    refused("let y.0 = pow(a.0)", "1 arguments for pow");
    refused("let y.0 = n.0 ? a.0 : 0.0", "a selected value is floating");
    refused("let y.0 = a.0 % a.0", "operands of % have types double and double");
    refused("if a.0 { }", "a test is neither integer nor pointer");
    refused("var int i let i.0 = a.0", "the expression has type double, not int");
    refused("var int i let i.0 = x.0", "the expression has type double*, not int");
    refused("var int i let i.0 = &x.0[1]", "the expression has type double*, not int");
    refused("var int i let i.0 = (null : int)", "`(null : int)` has not the type int");
    refused("var int i let i.0 = n.0 ? x.0 : x.0", "the expression has type double*, not int");
    refused("var int i if n.0 { let i.0 = 1 } join i.1 = x.0 | i.0", "x.0 is a value of another variable");
    refused("let y.0 = (a.0 + a.0 : float)", "has not the type float");
}

#[test]
fn places_follow_their_types() {
    refused("declare double w[3, 4] store w[1] = 2.0", "a row is no scalar");
    refused("declare double w[3] let y.0 = w[1 of ?] let z.0 = w[a.0]", "an integer is expected");
    refused("declare const double w store w = 2.0", "a constant object is written");
}

#[test]
fn calls_have_the_arguments_of_their_callee() {
    let with = |call: &str| format!("proc g(double a) -> double {{ return a.0 }} proc f(int n) {{ {call} }}");
    let found = |call: &str| errors(&with(call)).join("\n");
    assert!(found("let y.0 = call g()").contains("0 arguments for 1 parameters"));
    assert!(found("let y.0 = call g(n.0)").contains("the argument for a has type int, not double"));
    assert!(found("var int i let i.0 = call g(1.0)").contains("the variable of the result has type int, not double"));
    assert_eq!(found("call g(1.0)"), "");
}

#[test]
fn tape_items_stand_in_sweeps_only() {
    refused("push a.0", "no place in a procedure of role Primal");
    refused("accumulate x.0[0] += a.0", "no place in a procedure of role Primal");
    let popped = |body: &str| errors(&format!("proc f() {{ }} reverse proc f_rev(double* x) {{ {body} }}")).join("\n");
    assert!(popped("var int i pop pointer i.0 from [x.0] shadows []").contains("what is popped is no pointer"));
    assert_eq!(popped("var double* p var double* q pop p.0 let q.0 = ^p.0"), "");
    assert_eq!(popped("undo release undo alloc"), "");
    refused("undo alloc", "no place in a procedure of role Primal");
    refused("release contents x.0", "no place in a procedure of role Primal");
    refused("var double* q let q.0 = ^x.0", "Adjoint of an operand");
    assert!(popped("var double v pop count v.0").contains("what is popped is no integer"));
    assert_eq!(popped("var double* p pop pointer p.0 from [x.0] shadows []"), "");
    accepted("proc f() { } reverse proc f_rev(double* x) { var double v pop v.0 accumulate x.0[0] += v.0 }");
}

/// Breaks the tables of a good program one by one; text cannot express these faults.
#[test]
fn broken_tables_are_found() {
    fn broken(break_it: impl FnOnce(&mut Proc), expected: &str) {
        let mut read = parse::program(WHOLE).unwrap();
        break_it(&mut read.procs[ProcId(1)]);
        let found = program(&read).err().unwrap_or_default().join("\n");
        assert!(found.contains(expected), "{expected}: {found}");
    }
    let first_let = |proc: &Proc| proc.regions[RegionId::BODY].items[0];
    broken(|proc| proc.regions[RegionId::BODY].items.push(ItemId(999)), "item 999 does not exist");
    broken(
        |proc| {
            let item = first_let(proc);
            proc.regions[RegionId::BODY].items.push(item);
        },
        "stands in two places",
    );
    broken(|proc| proc.regions.push(Region::default()), "belongs to no item");
    broken(|proc| proc.regions[RegionId(1)].parent = None, "has another parent");
    broken(
        |proc| {
            proc.regions[RegionId::BODY].items.remove(0);
        },
        "stands in no region",
    );
    broken(|proc| proc.values[ValueId(0)].region = RegionId(1), "belongs to another region");
    broken(|proc| proc.values[ValueId(0)].var = VarId(77), "variable 77 does not exist");
    broken(|proc| proc.params.truncate(1), "no item defines n.0");
    broken(
        |proc| {
            let copy = proc.items[first_let(proc)].clone();
            proc.regions[RegionId::BODY].items.insert(1, ItemId::new(proc.items.len()));
            proc.items.push(copy);
        },
        "has two definitions",
    );
    broken(
        |proc| {
            for item in &mut proc.items {
                if let ItemKind::Loop { carried, .. } = &mut item.kind {
                    carried[0].end = carried[1].end;
                }
            }
        },
        "is a value of another variable",
    );
}
