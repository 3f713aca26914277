//! Links the program at fixed addresses where that is known to work.
//!
//! A position-independent program has 45,000 relocations, which the loader writes at each start: 0.5 ms of 1.5 ms for
//! `--version`, half of it for 200 pages that are copied. The addresses of stack, heap and libraries stay random. A
//! setting of a Cargo profile cannot express this, and a `.cargo` folder of the checkout would not affect
//! `cargo install`.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
