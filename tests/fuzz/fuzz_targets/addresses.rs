//! Random programs on addresses, against a naive model.

#![no_main]

mod address_model;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    address_model::run(input);
    address_model::run_sweeps(input);
});
