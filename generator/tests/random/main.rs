//! Random programs: tangent and adjoint of each must equal the derivative that an interpreter of the program computes
//! with dual numbers, with every value bit for bit, nothing left on the tape, no wrong read, and no floating-point
//! exception where the program raises none: some programs have functions at poles, and some have names that the output
//! wants for itself. Adjoint, tangent and a second adjoint of some link beside the program, without its source.
//!
//! `PROGRAMS=10000 FROM=1 cargo test --release -p adtape-generate --test random -- --nocapture` runs more. The first that
//! fails is shrunk. `STRICT` may hold `warnings`, `sanitize`, `optimise`, `clang`. `UNSUPPORTED=1000` tries more programs
//! with a statement that is not supported.

mod ast;
mod bilingual;
mod case;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod dual;
mod entries;
mod form;
mod interpret;
mod judge;
mod make;
mod print;
mod prng;
mod shrink;
mod unsupported;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use judge::{Judge, Outcome, Strictness};

/// A number of the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn strictness() -> Strictness {
    let text = std::env::var("STRICT").unwrap_or_default();
    let on = |name: &str| text.split(' ').any(|word| word == name);
    Strictness { warnings: on("warnings"), sanitize: on("sanitize"), optimise: on("optimise"), clang: on("clang") }
}

/// Judges programs and says how many came to what; the seeds of those that are wrong, and how many are right.
fn judged(judge: &Judge, seeds: &[u64]) -> (Vec<u64>, usize) {
    let (mut counts, mut wrong, mut poles) = (BTreeMap::new(), Vec::new(), 0);
    for seeds in seeds.chunks(50) {
        let cases: Vec<_> = seeds.iter().map(|seed| case::of(*seed)).collect();
        poles += cases.iter().filter(|case| case::meets_a_pole(case)).count();
        for (case, outcome) in cases.iter().zip(judge.all(&cases)) {
            let class = match &outcome {
                Outcome::Right => "right".to_string(),
                Outcome::Refused(what) if is_for_handler(case, what) => FOR_HANDLER.to_string(),
                Outcome::Refused(what) if is_for_name(what) => FOR_NAME.to_string(),
                Outcome::Refused(what) => format!("refused: {what}"),
                Outcome::Wrong(what, _) => format!("WRONG: {what}"),
            };
            if let Outcome::Wrong(what, details) = &outcome {
                println!("seed {}: {what}: {}", case.seed, details.lines().next().unwrap_or_default());
                wrong.push(case.seed);
            }
            *counts.entry(class).or_insert(0) += 1;
        }
    }
    let right = ["right", FOR_HANDLER, FOR_NAME].into_iter().filter_map(|class| counts.get(class)).sum();
    let mut lines: Vec<_> = counts.into_iter().collect();
    lines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (class, count) in lines {
        println!("{count:7} {class}");
    }
    println!("{:7} are proved", judge.proved.load(Ordering::Relaxed));
    println!("{:7} run a loop again from snapshots", judge.checkpointed.load(Ordering::Relaxed));
    println!("{:7} leave something out of the forward sweep", judge.deferred.load(Ordering::Relaxed));
    println!(
        "{:7} link adjoint, tangent and a second adjoint beside their source",
        judge.beside.load(Ordering::Relaxed)
    );
    println!("{poles:7} have a function at a pole");
    let refused = seeds.len() - right - wrong.len();
    println!("{refused:7} of {} are refused: {:.2} %", seeds.len(), share(refused, seeds.len()));
    (wrong, right)
}

/// A program whose handler writes what the adjoint reads must be refused.
const FOR_HANDLER: &str = "right: refused for what a handler may write";

fn is_for_handler(case: &case::Case, what: &str) -> bool {
    let has_handler = case.program.procs.iter().any(|proc| proc.is_outside);
    has_handler && what.contains("may overwrite what the adjoint reads")
}

/// A program that has a name which the output has for others may be refused; names are made as in `make::clash`.
const FOR_NAME: &str = "right: refused for a name";

fn is_for_name(what: &str) -> bool {
    ["'…' is the name of ", "'…' is a name of the library", "generated code needs '…'"]
        .iter()
        .any(|start| what.starts_with(start))
}

/// A part of a whole, in per cent.
fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// What the judge says of a program, and of the least program that fails alike.
fn shrunk(judge: &Judge, seed: u64) -> String {
    let case = case::of(seed);
    let outcome = judge.all(std::slice::from_ref(&case)).remove(0);
    let whole = judge::report(&case, &outcome);
    let tries = usize::try_from(number("TRIES", 300)).expect("a number of programs");
    let (case, outcome) = shrink::shrink(judge, case, outcome, tries);
    format!("{whole}\nshrunk: {}", judge::report(&case, &outcome))
}

/// Nearly all of them must be accepted, too: a generator that refuses everything is never wrong.
fn all_right(name: &str, belongs: impl Fn(&u64) -> bool) {
    let (from, programs) = (number("FROM", 1), number("PROGRAMS", 16));
    let seeds: Vec<u64> = (from..from + programs).filter(belongs).collect();
    let judge = Judge::new(&format!("{name}-from-{from}"), strictness());
    let (wrong, right) = judged(&judge, &seeds);
    assert!(wrong.is_empty(), "wrong: {wrong:?}\n{}", shrunk(&judge, wrong[0]));
    // A few programs say little about a share.
    let most = if seeds.len() < 1000 { 10.0 } else { 2.0 };
    let refused = seeds.len() - right;
    assert!(share(refused, seeds.len()) <= most, "{refused} of {} are refused", seeds.len());
}

// Two tests, so that two cores have work.

#[test]
fn random_programs_of_even_seeds_are_right() {
    all_right("even", |seed| seed % 2 == 0);
}

#[test]
fn random_programs_of_odd_seeds_are_right() {
    all_right("odd", |seed| seed % 2 == 1);
}

#[test]
fn programs_with_a_statement_that_is_not_supported_are_refused() {
    let count = usize::try_from(number("UNSUPPORTED", 81)).expect("a number of programs");
    let wrong = unsupported::accepted(number("FROM", 1), count);
    assert!(wrong.is_empty(), "{} of {count} are not refused\n{}", wrong.len(), wrong.join("\n"));
}
