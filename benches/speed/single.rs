//! Figures that are not loops: resident memory, and a published experiment at its full size.

use crate::programs::{Programs, example_names, has_gnu_fortran};
use crate::table::{Bound, Row, Unit, median};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Memory that the experiment takes: 3.7 GB of tape, its arrays, and what the machine needs beside.
const CHEAPER_ADJOINTS_BYTES: u64 = 6 << 30;

/// Cells times steps of the small adjoints.
const MICRO_ADJOINT_ELEMENTS: f64 = 4000.0 * 4000.0;

/// Resident memory of a program that uses 1 KB of tape, above that of one without adtape: with the pages of the
/// library's code that happen to be mapped, and without.
pub fn resident(programs: &Programs) -> Vec<Row> {
    let measure = |program: &str| {
        let runs: Vec<[f64; 2]> = (0..15).map(|_| resident_of(programs, program)).collect();
        [0, 1].map(|column| median(runs.iter().map(|run| run[column])))
    };
    let without = measure("resident_none");
    let mut rows = Vec::new();
    for how in ["static", "shared"] {
        let with = measure(&format!("resident_{how}"));
        for (column, what, bound) in [(0, "resident", Some(Bound::AtMost(1.0))), (1, "resident without code", None)] {
            let more = with[column] - without[column];
            rows.push(Row {
                title: format!("{what}, 1 KB of tape, {how}"),
                ours: more,
                reference: 1024.0,
                unit: Unit::Kibibytes,
                ratio: more / 1024.0,
                bound,
            });
        }
    }
    rows
}

/// Memory that the stable heap has after 100 million allocations in one sweep, beside the most that was alive.
pub fn heap_memory(programs: &Programs) -> Vec<Row> {
    const TAPE_BYTES: u64 = 2 << 30;
    if available_bytes() < 2 * TAPE_BYTES {
        println!("SKIPPED heap, 10^8 allocations: its tape needs {TAPE_BYTES} bytes of memory");
        return Vec::new();
    }
    let [alive, has] = resident_of(programs, "alive");
    let title = "heap after 10^8 allocations, most alive".to_owned();
    let (ratio, bound) = (has / alive, Some(Bound::AtMost(2.0)));
    vec![Row { title, ours: has, reference: alive, unit: Unit::Kibibytes, ratio, bound }]
}

fn resident_of(programs: &Programs, program: &str) -> [f64; 2] {
    let output = Command::new(programs.path(program)).output().expect("the program was built");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    <[f64; 2]>::try_from(numbers).unwrap_or_else(|_| panic!("{program}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Table 1 of "Cheaper adjoints" at 10^7, where storing all indices did not fit into memory.
pub fn cheaper_adjoints(programs: &Programs) {
    println!("\nCheaper adjoints, Table 1, olB = 10^7 (Ps stores all indices, Pi recovers them by inversion):");
    let available = available_bytes();
    if available < CHEAPER_ADJOINTS_BYTES {
        println!("SKIPPED: it needs {CHEAPER_ADJOINTS_BYTES} bytes of memory, and {available} are free");
        return;
    }
    let output =
        Command::new(programs.path("cheaper_adjoints")).arg("10000000").output().expect("the program was built");
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text
        .lines()
        .filter(|line| ["integers on", "floats on", "microseconds", "gradient"].iter().any(|word| line.contains(word)))
    {
        println!("  {line}");
    }
    let passed = output.status.success();
    println!("  {}", if passed { "all checks of the program passed" } else { "SOME CHECKS OF THE PROGRAM FAILED" });
    if !passed {
        print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Nanoseconds of ours and of the reference, of rounds that were measured one right after the other.
fn row(title: String, rounds: &[(f64, f64)], bound: Option<Bound>) -> Row {
    Row {
        title,
        ours: median(rounds.iter().map(|round| round.0)),
        reference: median(rounds.iter().map(|round| round.1)),
        unit: Unit::Nanoseconds,
        ratio: median(rounds.iter().map(|round| round.0 / round.1)),
        bound,
    }
}

/// Whole programs in the generated style that do little besides push and pop: inlined, and with the shared library,
/// against separately compiled calls of the static one.
pub fn micro_adjoints(programs: &Programs) -> Vec<Row> {
    let pairs = [
        ("C", "c", "inlined", "inlined to calls", 0.6),
        ("C", "c", "shared", "shared to static calls", 1.3),
        ("Fortran", "fortran", "inlined", "inlined to calls", 0.6),
    ];
    let there = pairs.into_iter().filter(|(_, name, ..)| *name == "c" || has_gnu_fortran());
    let rows = there.map(|(language, name, how, what, bound)| {
        let run = |how: &str| run_time(&programs.path(&format!("micro_adjoint_{name}_{how}")));
        let rounds: Vec<(f64, f64)> = (0..15).map(|_| (run(how), run("calls"))).collect();
        row(format!("kit, whole {language} program, {what}"), &rounds, Some(Bound::AtMost(bound)))
    });
    rows.collect()
}

/// Adjoints that the generator wrote, beside those written by hand with arrays that were allocated before.
pub fn generated(programs: &Programs) -> Vec<Row> {
    let output = Command::new(programs.path("generated")).output().expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let rounds = |model: &str| -> Vec<[f64; 3]> {
        let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let number = |word: &&str| word.parse::<f64>().expect("a time");
        let of_model = words.filter(|words| words[0] == model);
        of_model.map(|words| [1, 2, 3].map(|part| number(&words[part]))).collect()
    };
    // Model, its cells and steps or observations; the adjoint by hand, and the bound.
    let models = [
        ("burgers", 1e5 * 100.0, "one by hand", 1.3),
        ("heat", 300.0 * 300.0 * 100.0, "one by hand", 1.3),
        ("bundle", 2e5, "one by hand", 1.3),
        ("addresses", 3e5 * 10.0, "one that stores all", 0.6),
    ];
    let rows = models.iter().flat_map(|(model, elements, by_hand, bound)| {
        let rounds = rounds(model);
        let beside = |title: String, part: usize, bound: Option<Bound>| {
            let pairs: Vec<_> = rounds.iter().map(|round| (round[0] / elements, round[part] / elements)).collect();
            row(title, &pairs, bound)
        };
        [
            beside(format!("generated adjoint to {by_hand}, {model}"), 1, Some(Bound::AtMost(*bound))),
            beside(format!("generated adjoint to the model, {model}"), 2, None),
        ]
    });
    rows.collect()
}

/// The examples of generated adjoints, beside their models.
pub fn examples(programs: &Programs) -> Vec<Row> {
    let rows = example_names().into_iter().map(|name| {
        let output = Command::new(programs.path(&name)).output().expect("the program was built");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let times = text.lines().filter_map(|line| line.strip_prefix("time ")?.split_once(' '));
        let number = |word: &str| word.parse::<f64>().expect("a time");
        let rounds: Vec<_> = times.map(|(ours, model)| (number(ours), number(model))).collect();
        row(format!("generated adjoint to the model, example {name}"), &rounds, None)
    });
    rows.collect()
}

/// The time of one run of a program, per element of its loops, in ns.
fn run_time(program: &Path) -> f64 {
    let start = Instant::now();
    let output = Command::new(program).output().expect("the program was built");
    let time = start.elapsed().as_nanos() as f64;
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    time / MICRO_ADJOINT_ELEMENTS
}

fn available_bytes() -> u64 {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}
