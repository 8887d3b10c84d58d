//! The programs that the fuzzer runs on addresses, at random: `tests/fuzz/fuzz_targets/address_model`.
//!
//! `make address-programs` runs 100000 of them; the test runs fewer (ADDRESS_PROGRAMS sets how many).

#[path = "fuzz/fuzz_targets/address_model/mod.rs"]
mod address_model;
#[path = "../src/part.rs"]
mod part;

/// Bytes that are the same on every run.
fn program(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut bytes = vec![0; 100 + 8 * random.usize(..256)];
    random.fill(&mut bytes);
    bytes
}

/// Programs that once did otherwise.
const FOUND: [u64; 10] = [2387, 11275, 11742, 13212, 23511, 25185, 27298, 29734, 31123, 37827];
/// In sweeps.
const FOUND_IN_SWEEPS: [u64; 5] = [475, 796, 800, 1270, 1941];

#[test]
fn random_programs_on_addresses_do_as_the_model_does() {
    let programs = std::env::var("ADDRESS_PROGRAMS")
        .map_or_else(|_| part::part(2000), |count| count.parse().expect("a number of programs"));
    for seed in (1..=programs).chain(FOUND) {
        let run = std::panic::catch_unwind(|| address_model::run(&program(seed)));
        assert!(run.is_ok(), "seed {seed}");
    }
    for seed in (1..=programs).chain(FOUND_IN_SWEEPS) {
        let run = std::panic::catch_unwind(|| address_model::run_sweeps(&program(seed)));
        assert!(run.is_ok(), "seed {seed}, in sweeps");
    }
}
