//! Runs one check on inputs from libFuzzer: the check with the name of the program.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| transcope_fuzz::check(env!("CARGO_BIN_NAME"), bytes));
