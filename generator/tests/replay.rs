//! Static replay: it accepts the sweeps of the generator, and refuses sweeps with a fault.

mod common;
#[path = "replay/mutants.rs"]
mod mutants;
#[path = "replay/programs.rs"]
mod programs;
#[path = "replay/rules.rs"]
mod rules;

use std::collections::BTreeMap;
use std::sync::Mutex;

use adtape_generate::flow::{Head, walk};
use adtape_generate::front::{self, Input};
use adtape_generate::ir::{Binary, Def, ExprKind, ItemId, ItemKind, Program, SweepItem, Type};
use adtape_generate::plan::again::Named;
use adtape_generate::refuse::{Class, Refusal};
use adtape_generate::replay::{Verdict, prove};
use adtape_generate::transform::{Adjoint, Choices, Sweeps, adjoint};

use common::{head, root};
use mutants::Kind;
use programs::{FUNCTIONS, PROGRAMS};

fn generated(file: &str, heads: &[Head]) -> Adjoint {
    with_fault(file, heads, None).unwrap_or_else(|what| panic!("{file}: {what:#?}"))
}

/// What comes of a program whose sweeps are changed in front of their proof.
fn with_fault(file: &str, heads: &[Head], fault: Option<fn(&mut Sweeps, u32)>) -> Result<Adjoint, Vec<Refusal>> {
    chosen(file, heads, &Choices { fault, ..Choices::default() })
}

fn chosen(file: &str, heads: &[Head], choices: &Choices) -> Result<Adjoint, Vec<Refusal>> {
    let input = Input {
        files: vec![root().join(file).to_string_lossy().into_owned()],
        heads: heads.iter().map(|head| head.proc.clone()).collect(),
        ..Input::default()
    };
    let program = front::read(&input).unwrap_or_else(|what| panic!("{file}: {what:#?}"));
    // A proof reads the passes in their order.
    adjoint(&program, heads, &Choices { in_order: true, ..choices.clone() })
}

/// All sweeps are proved, and all mutants of them are not.
fn mutate_proved(adjoint: &Adjoint, file: &str, counts: &mut BTreeMap<Kind, u32>, wrong: &mut String) {
    for sweeps in &adjoint.sweeps {
        if sweeps.verdict == Verdict::Proved && adjoint.demotions == 0 {
            mutate(&adjoint.program, sweeps, file, counts, wrong);
        } else {
            *wrong += &format!("{} of {file}: {:?}\n", sweeps.name, sweeps.verdict);
        }
    }
}

/// Checks one half of the programs, every other one. Returns how many mutants there were.
fn are_proved_and_their_mutants_refused(half: usize) -> BTreeMap<Kind, u32> {
    let programs = PROGRAMS.iter().map(|(file, of)| (*file, vec![head(of)]));
    let functions = FUNCTIONS.iter().map(|(file, heads)| (*file, heads.iter().map(|of| head(of)).collect()));
    let programs: Vec<(&str, Vec<Head>)> = functions.chain(programs).skip(half).step_by(2).collect();
    let (first, second) = programs.split_at(programs.len() / 2);
    let judged = |programs: &[(&str, Vec<Head>)]| {
        let mut counts: BTreeMap<Kind, u32> = BTreeMap::new();
        let mut wrong = String::new();
        for (file, heads) in programs {
            let adjoint = generated(file, heads);
            mutate_proved(&adjoint, file, &mut counts, &mut wrong);
        }
        (counts, wrong)
    };
    let ((mut counts, wrong), (more, also_wrong)) = std::thread::scope(|scope| {
        let other = scope.spawn(|| judged(second));
        (judged(first), other.join().expect("the other half"))
    });
    for (kind, count) in more {
        *counts.entry(kind).or_default() += count;
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty() && also_wrong.is_empty(), "{wrong}{also_wrong}");
    counts
}

#[test]
fn sweeps_of_papers_edges_and_examples_are_proved_and_their_mutants_refused() {
    let counts = are_proved_and_their_mutants_refused(0);
    for kind in
        Kind::ALL.into_iter().filter(|kind| !Kind::OF_AGAIN.contains(kind) && !Kind::OF_SNAPSHOTS.contains(kind))
    {
        let count = counts.get(&kind).copied().unwrap_or(0);
        assert!(count >= 20, "{count} mutants of the kind {kind:?}");
    }
}

/// Of `make matrix`.
mod matrix {
    #[test]
    fn sweeps_of_the_other_programs_are_proved_and_their_mutants_refused() {
        super::are_proved_and_their_mutants_refused(1);
    }
}

/// Judges every mutant of the sweeps of a procedure. None may be proved. All must be refused, but for memory that is no
/// longer restored: there the proofs may be unable to tell whether what is read is what was lost.
fn mutate(program: &Program, sweeps: &Sweeps, file: &str, counts: &mut BTreeMap<Kind, u32>, wrong: &mut String) {
    mutate_by(&Kind::ALL, program, sweeps, file, counts, wrong);
}

/// Makes mutants of certain kinds only.
fn mutate_by(
    kinds: &[Kind],
    program: &Program,
    sweeps: &Sweeps,
    file: &str,
    counts: &mut BTreeMap<Kind, u32>,
    wrong: &mut String,
) {
    for &kind in kinds {
        for at in (0..).step_by(kind.step()) {
            let (mut forward, mut reverse) = (sweeps.forward.clone(), sweeps.reverse.clone());
            let Some(what) = mutants::mutate(kind, at, &mut forward, &mut reverse) else { break };
            if mutants::EQUIVALENT.iter().any(|(same, of, number, _)| (*same, *of, *number) == (file, kind, at)) {
                continue;
            }
            *counts.entry(kind).or_default() += 1;
            let (verdict, contract) = prove(program, &forward, &reverse, &sweeps.given);
            let right = match verdict {
                Verdict::Unjudged => false,
                Verdict::Refused { .. } => true,
                Verdict::Open { .. } => {
                    // A table is read by an index that may be that of the pointer that is lost.
                    [mutants::TABLE, mutants::STATE].contains(&file) && kind == Kind::StoreNotRunAgain
                        || [Kind::RestoreDropped, Kind::PartShortened, Kind::PartDropped].contains(&kind)
                }
                // The procedure itself does not read what it no longer restores: its callers learn of it.
                Verdict::Proved => kind == Kind::RestoreDropped && contract.leaves.is_none_or(|left| !left.is_empty()),
            };
            if !right {
                *wrong += &format!("{file} {}: {kind:?} {at}: {what}: {verdict:?}\n", sweeps.name);
            }
        }
    }
}

/// Programs whose loops all run again.
const AGAIN: [&str; 18] = [
    "generator/tests/again/counter_tested_behind_the_pass.c",
    "generator/tests/again/loop_in_a_loop.c",
    "generator/tests/again/one_name_for_two_values.c",
    "generator/tests/again/read_before_later_write.c",
    "generator/tests/again/state_of_scalars.c",
    "generator/tests/again/value_of_the_pass_around.c",
    "generator/tests/papers/001_fig4.c",
    "generator/tests/papers/002_bratu.c",
    "generator/tests/papers/003_eq3.c",
    "generator/tests/edge/ahead_of_the_index.c",
    "generator/tests/edge/behind_the_end.c",
    "generator/tests/edge/downwards.c",
    "generator/tests/edge/first_and_last.c",
    "generator/tests/edge/last_element_in_a_call.c",
    "generator/tests/edge/nested_diagonals.c",
    "generator/tests/edge/overwritten_from_itself.c",
    "generator/tests/edge/stride_of_two.c",
    "generator/tests/edge/triangle.c",
];

#[test]
fn passes_that_run_again_are_proved_and_their_mutants_refused() {
    let (mut counts, mut wrong) = (BTreeMap::new(), String::new());
    for file in AGAIN {
        let heads = [head("f(f)/(x)")];
        let adjoint = chosen(file, &heads, &Choices { again: vec![Named::parse("*")], ..Choices::default() });
        let adjoint = adjoint.unwrap_or_else(|what| panic!("{file}: {what:#?}"));
        assert!(adjoint.sweeps.iter().any(|sweeps| !sweeps.plan.again.is_empty()), "{file}: nothing runs again");
        mutate_proved(&adjoint, file, &mut counts, &mut wrong);
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty(), "{wrong}");
    for kind in Kind::OF_AGAIN {
        let count = counts.get(&kind).copied().unwrap_or(0);
        assert!(count >= 7, "{count} mutants of the kind {kind:?}");
    }
}

/// Programs whose passes fill arrays by calls. Pointer arguments of their functions may be the same memory, so that the
/// proofs cannot tell what a hull that is too short loses.
const FILLED_BY_CALLS: [&str; 4] = [
    "generator/tests/again/array_filled_by_call.c",
    "generator/tests/again/state_in_calls.c",
    "generator/tests/again/work_space_of_passes.c",
    "generator/tests/again/work_space_on_the_heap.c",
];

#[test]
fn passes_that_fill_arrays_by_calls_are_proved() {
    let (mut counts, mut wrong) = (BTreeMap::new(), String::new());
    for (file, again) in FILLED_BY_CALLS.into_iter().flat_map(|file| [(file, "*"), (file, "f")]) {
        let adjoint =
            chosen(file, &[head("f(f)/(x)")], &Choices { again: vec![Named::parse(again)], ..Choices::default() });
        let adjoint = adjoint.unwrap_or_else(|what| panic!("{file}: {what:#?}"));
        assert_eq!(adjoint.demotions, 0, "{file}");
        for sweeps in &adjoint.sweeps {
            assert_eq!(sweeps.verdict, Verdict::Proved, "{} of {file}", sweeps.name);
            let kinds = [Kind::PushDropped, Kind::PopsSwapped, Kind::WrongRecipe, Kind::ShadowOffByOne];
            mutate_by(&kinds, &adjoint.program, sweeps, file, &mut counts, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(counts[&Kind::WrongRecipe] >= 7, "{counts:?}");
}

#[test]
fn work_space_that_is_read_in_front_of_the_loop_must_come_back() {
    let choices = Choices { again: vec![Named::parse("f:t")], ..Choices::default() };
    let adjoint = chosen("generator/tests/again/work_space_of_passes.c", &[head("f(f)/(x)")], &choices);
    let adjoint = adjoint.unwrap_or_else(|what| panic!("{what:#?}"));
    let f = adjoint.sweeps.iter().find(|sweeps| sweeps.name == "f").expect("f");
    // Nobody reads what passes find in `centred`; `part` is read in front of them.
    for (at, name, needed) in [(0, "centred", false), (1, "part", true)] {
        let (mut forward, mut reverse) = (f.forward.clone(), f.reverse.clone());
        let what = mutants::mutate(Kind::HullShortened, at, &mut forward, &mut reverse).expect("a hull");
        assert!(what.contains(name), "{what}");
        let (verdict, _) = prove(&adjoint.program, &forward, &reverse, &f.given);
        assert_eq!(verdict == Verdict::Proved, !needed, "{name}: {verdict:?}");
    }
}

#[test]
fn only_what_nobody_needs_may_be_left_out() {
    let choices = Choices { again: vec![Named::parse("f:t")], ..Choices::default() };
    let file = "generator/tests/again/work_space_on_the_heap.c";
    let adjoint = chosen(file, &[head("f(f)/(x)")], &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let f = adjoint.sweeps.iter().find(|sweeps| sweeps.name == "f").expect("f");
    assert_eq!(f.verdict, Verdict::Proved);
    let is_loop = |item: &ItemId| matches!(f.forward.items[*item].kind, ItemKind::Loop { .. });
    assert_eq!(f.given.left_out.iter().filter(|item| is_loop(item)).count(), 1, "{:?}", f.given.left_out);
    // Nor can the loop be left out if a pass needs what the one before has left.
    let needs = "generator/tests/again/state_of_scalars.c";
    let choices = Choices { again: vec![Named::parse("f")], ..Choices::default() };
    let other = chosen(needs, &[head("f(f)/(x)")], &choices).unwrap_or_else(|what| panic!("{what:#?}"));
    let other = other.sweeps.iter().find(|sweeps| sweeps.name == "f").expect("f");
    let is_loop = |item: &&ItemId| matches!(other.forward.items[**item].kind, ItemKind::Loop { .. });
    let loops = other.given.left_out.iter().filter(is_loop);
    assert_eq!((loops.count(), &other.verdict), (0, &Verdict::Proved));
    // Of all else nothing can.
    let mut tried = 0;
    for &item in f.forward.regions.iter().flat_map(|region| &region.items) {
        let kind = &f.forward.items[item].kind;
        let acts = !matches!(
            kind,
            ItemKind::DeclareVar { .. }
                | ItemKind::Sweep(SweepItem::Nothing)
                | ItemKind::Declare { .. }
                | ItemKind::Free { .. }
        );
        let is_inside = f.given.left_out.iter().any(|left| match f.forward.items[*left].kind {
            ItemKind::Loop { body, .. } => *left == item || walk::items(&f.forward, body).contains(&item),
            _ => *left == item,
        });
        if !acts || is_inside {
            continue;
        }
        let mut given = f.given.clone();
        given.left_out.insert(item);
        let (verdict, _) = prove(&adjoint.program, &f.forward, &f.reverse, &given);
        assert_ne!(verdict, Verdict::Proved, "{kind:?}");
        tried += 1;
    }
    assert!(tried > 5, "{tried}");
}

/// Programs of which loops run again from snapshots.
const FROM_SNAPSHOTS: [&str; 11] = [
    "generator/tests/checkpoint/array_that_is_advanced.c",
    "generator/tests/checkpoint/buffers_that_change_places.c",
    "generator/tests/checkpoint/left_early.c",
    "generator/tests/checkpoint/no_pass.c",
    "generator/tests/checkpoint/read_before_later_write.c",
    mutants::STATE,
    "generator/tests/checkpoint/structs_and_planes.c",
    "generator/tests/checkpoint/tested_behind_the_pass.c",
    "generator/tests/checkpoint/two_loops_in_a_call.c",
    "generator/tests/checkpoint/until_it_is_small.c",
    "generator/tests/checkpoint/written_in_one_arm.c",
];

#[test]
fn loops_that_run_again_from_snapshots_are_proved_and_their_mutants_refused() {
    let (mut counts, mut wrong) = (BTreeMap::new(), String::new());
    for file in FROM_SNAPSHOTS {
        let adjoint = generated(file, &[head("f(f)/(x)")]);
        assert!(adjoint.sweeps.iter().any(|sweeps| !sweeps.plan.snapshots.is_empty()), "{file}: no snapshots");
        mutate_proved(&adjoint, file, &mut counts, &mut wrong);
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty(), "{wrong}");
    for kind in Kind::OF_SNAPSHOTS {
        let count = counts.get(&kind).copied().unwrap_or(0);
        let least = match kind {
            Kind::VariablesSwapped | Kind::PointersSwapped => 2,
            _ => 8,
        };
        assert!(count >= least, "{count} mutants of the kind {kind:?}");
    }
}

/// One recipe is wrong by one.
fn wrong_recipe(sweeps: &mut Sweeps, _: u32) {
    let _ = mutants::mutate(Kind::WrongRecipe, 0, &mut sweeps.forward, &mut sweeps.reverse);
}

#[test]
fn a_recipe_that_cannot_be_proved_becomes_a_store() {
    let once = |sweeps: &mut Sweeps, proof: u32| {
        if proof == 0 {
            wrong_recipe(sweeps, proof);
        }
    };
    let (file, heads) = ("generator/tests/papers/001_fig11.c", [head("f(f)/(x)")]);
    let records = |adjoint: &Adjoint| -> usize { adjoint.sweeps[0].plan.records.values().map(Vec::len).sum() };
    let stored_less = records(&generated(file, &heads));
    let adjoint = with_fault(file, &heads, Some(once)).unwrap_or_else(|what| panic!("{what:#?}"));
    assert!(adjoint.demotions > 0);
    assert!(records(&adjoint) > stored_less, "{} values are stored, {stored_less} without", records(&adjoint));
    let said = |line: &str| line == "stored, because what would do without could not be proved";
    assert!(adjoint.decisions.iter().any(|decision| said(&decision.line.how)), "{:?}", adjoint.decisions);
    assert_eq!(adjoint.sweeps[0].verdict, Verdict::Proved);
}

#[test]
fn memory_is_kept_as_a_whole_where_less_cannot_be_proved() {
    let once = |sweeps: &mut Sweeps, proof: u32| {
        if proof == 0 {
            let dropped = mutants::mutate(Kind::PushDropped, 0, &mut sweeps.forward, &mut sweeps.reverse);
            assert!(dropped.is_some(), "no push in {}", sweeps.name);
        }
    };
    let (file, heads) = ("generator/tests/replay/overwritten.c", [head("f(y)/(x y)")]);
    let pushes = |adjoint: &Adjoint| {
        let items = adjoint.sweeps.iter().flat_map(|sweeps| &sweeps.forward.items);
        items.filter(|item| matches!(item.kind, ItemKind::Sweep(SweepItem::Push { .. }))).count()
    };
    let least = pushes(&generated(file, &heads));
    let adjoint = with_fault(file, &heads, Some(once)).unwrap_or_else(|what| panic!("{what:#?}"));
    assert_eq!(adjoint.demotions, 1);
    assert!(pushes(&adjoint) > least, "{} pushes, {least} without", pushes(&adjoint));
    assert!(adjoint.sweeps.iter().all(|sweeps| sweeps.verdict == Verdict::Proved));
}

/// The sweeps that were built.
static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn a_demotion_builds_only_the_procedure_anew_that_it_concerns() {
    let once = |sweeps: &mut Sweeps, proof: u32| {
        BUILT.lock().expect("no panic").push(sweeps.name.clone());
        if proof == 0 && sweeps.name == "triangle" {
            wrong_recipe(sweeps, proof);
        }
    };
    let adjoint = with_fault(FILLED_BY_CALLS[0], &[head("f(f)/(x)")], Some(once));
    let adjoint = adjoint.unwrap_or_else(|what| panic!("{what:#?}"));
    assert!(adjoint.demotions > 0);
    assert!(adjoint.sweeps.iter().all(|sweeps| sweeps.verdict == Verdict::Proved));
    let built = BUILT.lock().expect("no panic");
    let times = |name: &str| built.iter().filter(|each| *each == name).count();
    assert_eq!(["subtract", "triangle", "norm"].map(times), [1, 2, 1], "{built:?}");
}

#[test]
fn copies_of_structs_that_are_written_need_no_demotion() {
    for text in ["unread(unread)/(x w)", "square_of(square_of)/(s)"] {
        let adjoint = generated(mutants::STRUCTS, &[head(text)]);
        assert_eq!(adjoint.demotions, 0, "{text}");
        assert_eq!(adjoint.sweeps[0].verdict, Verdict::Proved, "{text}");
    }
    let again = Choices { again: vec![Named::parse("*")], ..Choices::default() };
    let adjoint = chosen(mutants::STRUCTS, &[head("copied_for_nobody(copied_for_nobody)/(x)")], &again);
    assert_eq!(
        adjoint.expect("a program that is taken").demotions,
        0,
        "a copy that nobody reads, in a pass that runs again"
    );
}

#[test]
fn loops_that_never_run_need_no_demotion() {
    let adjoint = generated("generator/tests/programs/odd_loops.c", &[head("never(never)/(y)"), head("table(q)/(q)")]);
    assert_eq!(adjoint.demotions, 0);
    assert!(adjoint.sweeps.iter().all(|sweeps| sweeps.verdict == Verdict::Proved));
}

#[test]
fn ends_of_strides_and_loops_that_surely_run_need_no_demotion() {
    for name in ["behind_a_stride", "run_once", "overwritten_power", "never_left", "moves_until_it_stops"] {
        let heads = [head(&format!("{name}({name})/(y)"))];
        let adjoint = generated("generator/tests/programs/odd_loops.c", &heads);
        assert_eq!(adjoint.demotions, 0, "{name}");
        assert_eq!(adjoint.sweeps[0].verdict, Verdict::Proved, "{name}");
    }
}

#[test]
fn elements_of_a_local_row_that_is_overwritten_in_place_need_no_demotion() {
    for name in ["squared_in_place", "times_the_next", "times_the_last"] {
        let heads = [head(&format!("{name}({name})/(y)"))];
        let adjoint = generated("generator/tests/programs/odd_loops.c", &heads);
        assert_eq!(adjoint.demotions, 0, "{name}");
        assert_eq!(adjoint.sweeps[0].verdict, Verdict::Proved, "{name}");
    }
}

#[test]
fn passes_with_odd_parts_need_no_demotion() {
    let taped = Choices::default();
    let again = Choices { again: vec![Named::parse("*")], ..Choices::default() };
    let several = Choices { vector: Some(2), ..Choices::default() };
    let names = "marked block_in_arm narrowed masked left_at_once never_with_a_flag kept_in_both_arms known_twice \
                 a_step_apart";
    for name in names.split_whitespace() {
        let heads = [head(&format!("{name}({name})/(y)"))];
        for choices in [&taped, &again, &several] {
            let adjoint = chosen("generator/tests/programs/odd_loops.c", &heads, choices);
            let adjoint = adjoint.unwrap_or_else(|what| panic!("{name}: {what:#?}"));
            assert_eq!(adjoint.demotions, 0, "{name}");
            assert_eq!(adjoint.sweeps[0].verdict, Verdict::Proved, "{name}");
        }
    }
}

/// The whole number takes the place of its lowest bits in a condition.
fn widened(sweeps: &mut Sweeps, _: u32) {
    for item in &mut sweeps.reverse.items {
        let ItemKind::Branch { on, .. } = &mut item.kind else { continue };
        let ExprKind::Binary(Binary::Equal, x, zero) = &mut on.kind else { continue };
        if let ExprKind::Cast(whole) = &x.kind {
            **x = (**whole).clone();
            zero.ty = x.ty.clone();
        }
    }
}

/// Numbers that are read as unsigned are read as signed.
fn signed(sweeps: &mut Sweeps, _: u32) {
    for value in &mut sweeps.reverse.values {
        if let Def::Is(e) = &mut value.def
            && let ExprKind::Cast(x) = &mut e.kind
            && let ExprKind::Load(place) = &mut x.kind
        {
            place.ty = Type::int();
            x.ty = Type::int();
        }
    }
}

#[test]
fn what_holds_of_the_lowest_bits_alone_is_not_taken_for_the_number() {
    for (name, fault) in [("low_bits", widened as fn(&mut Sweeps, u32)), ("both_signs", signed)] {
        let heads = [head(&format!("{name}({name})/(y)"))];
        let right = generated("generator/tests/programs/odd_loops.c", &heads);
        assert_eq!(right.demotions, 0, "{name}");
        assert_eq!(right.sweeps[0].verdict, Verdict::Proved, "{name}");
        let refused = with_fault("generator/tests/programs/odd_loops.c", &heads, Some(fault));
        assert_eq!(refused.map(drop).expect_err(name)[0].class, Class::NotProved, "{name}");
    }
}

#[test]
fn what_stays_wrong_is_refused_with_its_line() {
    let refused = with_fault("generator/tests/papers/001_fig8.c", &[head("f(f)/(x)")], Some(wrong_recipe));
    let refusal = refused.expect_err("a wrong recipe is not written").remove(0);
    assert_eq!(refusal.class, Class::NotProved);
    assert!(refusal.span.line > 1, "{refusal:?}");
    assert!(refusal.what.starts_with("internal: the adjoint of 'f' cannot be proved: "), "{refusal:?}");
}
