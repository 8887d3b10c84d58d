//! Random programs: tangent and adjoint of each must equal the derivative that an interpreter of the program computes
//! with dual numbers, with every value bit for bit, nothing left on the tape, and no wrong read.
//!
//! `PROGRAMS=10000 FROM=1 cargo test --release -p adtape-generate --test random -- --ignored --nocapture many` runs
//! more; `SEED=17 … one` shrinks what fails. `STRICT` may hold `warnings`, `sanitize`, `optimise`, `clang`.

mod ast;
mod case;
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
mod world;

use std::collections::BTreeMap;

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

/// Judges programs and says how many came to what; the reports of those that are wrong, and how many are right.
fn judged(name: &str, seeds: &[u64], strictness: Strictness) -> (Vec<String>, usize) {
    let judge = Judge::new(name, strictness);
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for seeds in seeds.chunks(50) {
        let cases: Vec<_> = seeds.iter().map(|seed| case::of(*seed)).collect();
        for (case, outcome) in cases.iter().zip(judge.all(&cases)) {
            let class = match &outcome {
                Outcome::Right => "right".to_string(),
                Outcome::Refused(what) => format!("refused: {what}"),
                Outcome::Wrong(what, _) => format!("WRONG: {what}"),
            };
            if let Outcome::Wrong(what, details) = &outcome {
                println!("seed {}: {what}: {}", case.seed, details.lines().next().unwrap_or_default());
                wrong.push(judge::report(case, &outcome));
            }
            *counts.entry(class).or_insert(0) += 1;
        }
    }
    let right = counts.get("right").copied().unwrap_or(0);
    let mut lines: Vec<_> = counts.into_iter().collect();
    lines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (class, count) in lines {
        println!("{count:7} {class}");
    }
    (wrong, right)
}

/// Nearly all of them must be accepted, too: a generator that refuses everything is never wrong.
#[test]
fn programs_of_a_hundred_seeds_are_right() {
    let seeds: Vec<u64> = (1..=100).collect();
    let (wrong, right) = judged("hundred", &seeds, Strictness::default());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 90, "{right} of 100 are accepted");
}

#[test]
#[ignore = "takes long: PROGRAMS of them"]
fn many() {
    let from = number("FROM", 1);
    let seeds: Vec<u64> = (from..from + number("PROGRAMS", 1000)).collect();
    let (wrong, _) = judged(&format!("many-{from}"), &seeds, strictness());
    assert!(wrong.is_empty(), "{} programs are wrong", wrong.len());
}

#[test]
#[ignore = "needs SEED"]
fn one() {
    let case = case::of(number("SEED", 1));
    let judge = Judge::new("one", strictness());
    let outcome = judge.all(std::slice::from_ref(&case)).remove(0);
    println!("{}", judge::report(&case, &outcome));
    if outcome != Outcome::Right {
        let (case, outcome) = shrink::shrink(&judge, case, outcome, usize::try_from(number("TRIES", 1500)).unwrap());
        println!("shrunk: {}", judge::report(&case, &outcome));
    }
}
