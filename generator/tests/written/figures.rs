//! Replay on sweeps written by hand: backward sweeps of "Cheaper adjoints by reversing address computations" as printed.
//!
//! The forward sweep stores j and k behind its loop, so that the backward sweep of the paper has both when it begins.

use std::collections::BTreeSet;
use std::sync::Arc;

use adtape_generate::ir::*;
use adtape_generate::replay::{Cells, Given, Verdict, prove};

/// What replay says of two sweeps. `origins`: by item of the reverse sweep, which item of the forward sweep it reverses,
/// both in the order of the text.
fn verdict(forward: &str, reverse: &str, origins: &[Option<usize>]) -> Verdict {
    let read = |text: &str| parse::program(text).unwrap_or_else(|what| panic!("{what}\n{text}"));
    let (mut program, reverse) = (read(forward), read(reverse).procs[ProcId(0)].clone());
    let forward = std::mem::take(&mut program.procs)[ProcId(0)].clone();
    let items = in_order(&reverse, RegionId(0));
    assert_eq!(items.len(), origins.len(), "one origin for each item");
    let numbers = in_order(&forward, RegionId(0));
    let mut given = Given {
        origins: Origins {
            items: vec![None; reverse.items.len()],
            objects: vec![Origin::Variable(variable(&forward, "c"))],
            ..Origins::default()
        },
        params: vec![ReverseParam::Primal(1), ReverseParam::Adjoint(1), ReverseParam::Seed],
        active: forward.values.iter().map(|value| value.var == variable(&forward, "c")).collect(),
        ..Given::default()
    };
    for (item, origin) in items.iter().zip(origins) {
        given.origins.items[item.index()] = origin.map(|at| numbers[at]);
    }
    // All memory is that of x, which is one location.
    let all = Arc::new(BTreeSet::from([0]));
    let mut note = |place: &Place| {
        let cells = Cells { active: true, own: Arc::clone(&all), aliases: Arc::clone(&all) };
        given.places.insert(place.clone(), cells);
    };
    for item in forward.items.ids() {
        walk::operands(&forward, item, &mut |operand| match operand {
            Ok(expr) => walk::expressions(expr, &mut |e| {
                if let ExprKind::Load(place) = &e.kind {
                    note(place);
                }
            }),
            Err(place) => note(place),
        });
    }
    prove(&program, &forward, &reverse, &given).0
}

fn variable(proc: &Proc, name: &str) -> VarId {
    VarId::new(proc.vars.iter().position(|var| var.name == name).expect("a variable"))
}

/// The items of a region, each in front of those inside it.
fn in_order(proc: &Proc, region: RegionId) -> Vec<ItemId> {
    let mut all = Vec::new();
    for &item in &proc.regions[region].items {
        all.push(item);
        if let ItemKind::Loop { body, .. } = proc.items[item].kind {
            all.extend(in_order(proc, body));
        }
    }
    all
}

/// The loop of a figure with its statements, between what is in front of it and behind it.
fn forward(j_end: &str, body: &str) -> String {
    format!(
        "forward proc f(int n, double* x) -> double {{
  var double c
  let j.0 = 1
  let k.0 = 0
  let c.0 = 0.0
  let passes.0 = (0 : uint64_t)
  loop before j.1 < n.0 - 8
    carry j.1 = j.0 | {j_end} -> j.9
    carry k.1 = k.0 | k.2 -> k.9
    carry c.1 = c.0 | c.2 -> c.9
    carry passes.1 = passes.0 | passes.2 -> passes.9
  {{
{body}
    let passes.2 = passes.1 + (1 : uint64_t)
  }}
  push j.9
  push k.9
  push count passes.9
  return c.9
}}
"
    )
}

fn reverse(carried: &str, body: &str) -> String {
    format!(
        "reverse proc f(double* x, apart double* x_b, double f_b) {{
  var int j, k
  var uint64_t passes, pass
  declare double c_b
  store c_b = f_b.0
  pop count passes.0
  pop k.0
  pop j.0
  loop before pass.0 != (0 : uint64_t)
    carry pass.0 = passes.0 | pass.1 -> pass.2
{carried}
  {{
    let pass.1 = pass.0 - (1 : uint64_t)
{body}
  }}
  store c_b = 0.0
}}
"
    )
}

/// Fig. 2(a), whose statements are the items 5 to 9, and the loop item 4.
const FIG_2: &str = "    let k.2 = j.1 + 1
    let j.2 = k.2 + 2
    push x.0[j.2]
    store x.0[j.2] = x.0[k.2] * x.0[j.2]
    let c.2 = c.1 + x.0[j.2]";

/// The adjoints of the last two statements, with j and k by these names.
fn adjoint(j: &str, k: &str) -> String {
    format!(
        "    let seed.0 = c_b
    accumulate x_b.0[{j}] += seed.0
    pop store x.0[{j}]
    let seed'1.0 = x_b.0[{j}]
    store x_b.0[{j}] = 0.0
    accumulate x_b.0[{k}] += x.0[{j}] * seed'1.0
    accumulate x_b.0[{j}] += x.0[{k}] * seed'1.0"
    )
}

/// Origins of the adjoint.
const ADJOINT: [Option<usize>; 7] = [Some(9), Some(9), Some(8), Some(8), Some(8), Some(8), Some(8)];

fn origins(body: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut all = vec![None, None, None, None, None, Some(4), None];
    all.extend(body);
    all.push(Some(2));
    all
}

#[test]
fn fig_2c_is_proved() {
    let body = format!("    let k.1 = j.1 - 2\n{}\n    let j.2 = k.1 - 1", adjoint("j.1", "k.1"));
    let reverse = reverse("    carry j.1 = j.0 | j.2 -> j.3", &body);
    let body = [&[None][..], &ADJOINT, &[None]].concat();
    assert_eq!(verdict(&forward("j.2", FIG_2), &reverse, &origins(&body)), Verdict::Proved);
}

/// The recipes stand at the statements that they invert, so the adjoint reads the k of another pass.
#[test]
fn fig_2b_is_refused() {
    let body = format!("{}\n    let k.2 = j.1 - 2\n    let j.2 = k.2 - 1", adjoint("j.1", "k.1"));
    let reverse = reverse("    carry j.1 = j.0 | j.2 -> j.3\n    carry k.1 = k.0 | k.2 -> k.3", &body);
    let body = [&ADJOINT[..], &[None, None]].concat();
    let said = verdict(&forward("j.2", FIG_2), &reverse, &origins(&body));
    let Verdict::Refused { what, .. } = said else { panic!("{said:?}") };
    assert_eq!(what, "a reversed pass does not recover what the loop carries");
}

/// Fig. 7(a), with the store of x[k] that the paper's text asks for (`push`), or as printed, without.
fn fig_7(push: &str) -> String {
    format!(
        "    let k.2 = j.1 + 1
    let j.2 = k.2 + 2
    push x.0[j.2]
    store x.0[j.2] = x.0[k.2] * x.0[j.2]
    let j.3 = j.2 + 1
{push}    store x.0[k.2] = 2.0 * x.0[j.3]
    let c.2 = c.1 + x.0[k.2]"
    )
}

/// Its backward sweep: the indices of Fig. 7(c), and what is popped in front of either adjoint.
fn backward_7(first: &str, second: &str) -> String {
    let body = format!(
        "    let j.5 = j.1 - 1
    let k.1 = j.5 - 2
    let seed.0 = c_b
    accumulate x_b.0[k.1] += seed.0
{first}    let seed'1.0 = x_b.0[k.1]
    store x_b.0[k.1] = 0.0
    accumulate x_b.0[j.1] += 2.0 * seed'1.0
{second}    let seed'2.0 = x_b.0[j.5]
    store x_b.0[j.5] = 0.0
    accumulate x_b.0[k.1] += x.0[j.5] * seed'2.0
    accumulate x_b.0[j.5] += x.0[k.1] * seed'2.0
    let j.2 = k.1 - 1"
    );
    reverse("    carry j.1 = j.0 | j.2 -> j.3", &body)
}

#[test]
fn fig_7c_is_proved_with_two_pops() {
    let reverse = backward_7("    pop store x.0[k.1]\n", "    pop store x.0[j.5]\n");
    let (last, middle) = (Some(12), Some(11));
    let body = [None, None, last, last, middle, middle, middle, middle, Some(8), Some(8), Some(8), Some(8), Some(8)];
    let body = [&body[..], &[None]].concat();
    let said = verdict(&forward("j.3", &fig_7("    push x.0[k.2]\n")), &reverse, &origins(&body));
    assert_eq!(said, Verdict::Proved);
}

/// As printed there is one pop: x[k] is not back when the adjoint of the first statement reads it.
#[test]
fn fig_7c_is_refused_as_printed() {
    let reverse = backward_7("", "    pop store x.0[j.5]\n");
    let (last, middle) = (Some(11), Some(10));
    let body = [None, None, last, last, middle, middle, middle, Some(8), Some(8), Some(8), Some(8), Some(8), None];
    let said = verdict(&forward("j.3", &fig_7("")), &reverse, &origins(&body));
    let Verdict::Refused { what, .. } = said else { panic!("{said:?}") };
    assert_eq!(what, "an element of 'x' is read, which the reverse sweep has not restored");
}
