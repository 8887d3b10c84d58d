//! The programs that the fuzzer runs on addresses, at random: `fuzz/fuzz_targets/address_model.rs`.

#[path = "../fuzz/fuzz_targets/address_model.rs"]
mod address_model;

/// Bytes that are the same on every run.
fn program(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let length = 100 + usize::from(byte()) * 8;
    (0..length).map(|_| byte()).collect()
}

#[test]
fn random_programs_on_addresses_do_as_the_model_does() {
    for seed in 1..=2000 {
        let run = std::panic::catch_unwind(|| address_model::run(&program(seed)));
        assert!(run.is_ok(), "seed {seed}");
    }
}
