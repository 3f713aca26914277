//! Runs one check on what libFuzzer makes up: the one that the program is named after.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| transcope_fuzz::check(env!("CARGO_BIN_NAME"), bytes));
