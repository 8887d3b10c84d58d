//! Random programs over the Rust API against a naive model, in every mode: with room, with steps of one page and
//! moves, in check and profile mode, and with a store to spill to under a memory limit that is far too small.
//!
//! The modes are the process's, so each runs in a child: this same test program with another environment.

mod items;
#[path = "../../src/part.rs"]
mod part;
mod program;
mod shelf;

use adtape::{Spill, SpillFile, Status, Tape, process};
use part::part;
use program::{Plan, run_program, run_program_above};
use shelf::Shelf;
use std::process::Command;

const MODE: &str = "ADTAPE_TEST_MODE";

/// Runs in a child: what the parent's mode says.
#[test]
fn child() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let plan = Plan { operations: 3000, mirror: mode.contains("mirror"), longest: 6000, deepest: 12 };
    match mode.as_str() {
        "spill" => spill_programs(|| Some(Box::new(Shelf::default()))),
        "spill-file" => spill_programs(|| Some(Box::new(SpillFile::new(std::env::temp_dir()).unwrap()))),
        "spill-directory" => spill_programs(|| None),
        "spill-fault" => spill_faults(),
        _ => {
            for seed in 1..=part(40) {
                run_program(&Tape::new().unwrap(), seed, plan);
            }
        }
    }
    println!("child of mode {mode} did its work");
}

/// With a store for each tape, or what the environment says. The limit is lowered before each program, but each fourth.
fn spill_programs(store: impl Fn() -> Option<Box<dyn Spill>>) {
    let mut spilled = 0;
    for seed in 1..=part(30) {
        process::set_memory_limit(Some((1 + seed % 4) << 20));
        let tape = Tape::new().unwrap();
        let tape = match store() {
            Some(store) => tape.with_spill(store).unwrap(),
            None => tape,
        };
        // Grow far beyond the limit first, so that programs run at the border of memory and store.
        let mut items: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i) + seed as f64; 10_000]).collect();
        for item in &items {
            tape.push_slice(item).unwrap();
        }
        spilled += tape.stats().unwrap().spilled_bytes;
        let pop = |item: Vec<f64>| {
            let mut found = vec![0.0; item.len()];
            tape.pop_slice(&mut found).unwrap();
            assert!(found == item);
        };
        items.drain(100 - (seed * 7 % 80) as usize..).rev().for_each(pop);
        process::set_memory_limit(Some(1 << 20));
        items.drain(items.len() - (seed % 9) as usize..).rev().for_each(pop);
        run_program_above(&tape, seed, Plan { operations: 2000, mirror: false, longest: 60_000, deepest: 3 });
        items.into_iter().rev().for_each(pop);
        assert_eq!(tape.stats().unwrap().bytes, 0);
    }
    assert!(spilled > part(30) << 20, "only {spilled} bytes were spilled in all");
}

/// A push that the store fails changes nothing; a pop that it fails poisons the tape.
fn spill_faults() {
    for fail_every in 1..12 {
        let tape = Tape::new().unwrap().with_spill(Box::new(Shelf::failing(fail_every))).unwrap();
        let mut pushed = 0u32;
        for i in 0..200u32 {
            match tape.push_slice(&vec![f64::from(i); 10_000]) {
                Ok(()) if pushed == i => pushed += 1,
                Ok(()) => break,
                Err(error) => {
                    assert_eq!(error.status(), Status::Io);
                    assert_eq!(
                        tape.stats().unwrap().bytes,
                        u64::from(pushed) * 80_000,
                        "a failed push changed the tape"
                    );
                    break;
                }
            }
        }
        while pushed > 0 {
            let mut found = vec![0.0; 10_000];
            if let Err(error) = tape.pop_slice(&mut found) {
                assert_eq!(error.status(), Status::Io, "{error}");
                assert_eq!(tape.pop::<f64>().unwrap_err().status(), Status::Poisoned);
                break;
            }
            pushed -= 1;
            assert!(found.iter().all(|x| *x == f64::from(pushed)), "wrong values after faults");
        }
    }
}

fn run_child(mode: &str, environment: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(MODE, mode)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("did its work"), "{text}");
}

#[test]
fn programs_agree_with_the_model() {
    run_child("plain", &[]);
}

#[test]
fn programs_agree_with_the_model_in_steps_of_one_page() {
    run_child("plain", &[("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_the_tape_moves() {
    run_child("plain", &[("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096")]);
}

#[test]
fn programs_agree_with_the_model_in_check_mode() {
    run_child("mirror", &[("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_in_profile_mode() {
    run_child("plain", &[("ADTAPE_PROFILE", env!("CARGO_TARGET_TMPDIR")), ("ADTAPE_STEP", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_most_of_the_tape_is_spilled() {
    run_child("spill", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
    run_child("spill", &[("ADTAPE_MEMORY_LIMIT", "1M"), ("ADTAPE_STEP", "4096"), ("ADTAPE_RESERVE", "4096")]);
}

#[test]
fn programs_agree_with_the_model_while_most_of_the_tape_is_in_a_file() {
    run_child("spill-file", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
    let directory = std::env::temp_dir();
    let directory = directory.to_str().unwrap();
    run_child("spill-directory", &[("ADTAPE_MEMORY_LIMIT", "1M"), ("ADTAPE_SPILL_DIRECTORY", directory)]);
}

#[test]
fn faults_of_the_store_lose_nothing_silently() {
    run_child("spill-fault", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
}

#[test]
fn peak_is_exact_in_profile_mode_and_close_without() {
    let tape = Tape::new().unwrap();
    for profile in [true, false] {
        tape.set_profile(profile).unwrap();
        tape.reset_stats().unwrap();
        let most = 100_003;
        tape.push_slice(&vec![1u8; most - 9]).unwrap();
        tape.push(1.0f64).unwrap();
        tape.push(1u8).unwrap();
        for _ in 0..1000 {
            tape.pop::<u8>().unwrap();
        }
        let peak = tape.stats().unwrap().peak_bytes as usize;
        if profile {
            assert_eq!(peak, most);
        } else {
            assert!((most..=most + 4096).contains(&peak), "{peak}");
        }
        tape.pop_slice(&mut vec![0u8; most - 1000]).unwrap();
    }
}
