//! The programs that the fuzzer runs on addresses, at random: `fuzz/fuzz_targets/address_model`.

#[path = "../fuzz/fuzz_targets/address_model/mod.rs"]
mod address_model;

/// Bytes that are the same on every run.
fn program(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut bytes = vec![0; 100 + 8 * random.usize(..256)];
    random.fill(&mut bytes);
    bytes
}

#[test]
fn random_programs_on_addresses_do_as_the_model_does() {
    for seed in 1..=2000 {
        let run = std::panic::catch_unwind(|| address_model::run(&program(seed)));
        assert!(run.is_ok(), "seed {seed}");
    }
}
