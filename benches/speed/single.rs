//! Figures that are not loops: resident memory, and a published experiment at its full size.

use crate::programs::Programs;
use crate::table::{Bound, Row, Unit, median};
use std::process::Command;

/// Memory that the experiment takes: 3.7 GB of tape, its arrays, and what the machine needs beside.
const CHEAPER_ADJOINTS_BYTES: u64 = 6 << 30;

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

fn available_bytes() -> u64 {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}
