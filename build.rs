//! Links the program at fixed addresses where that is known to work, and records what `doctor` reports of the build.
//!
//! A position-independent program has 45,000 relocations, which the loader writes at each start: 0.5 ms of 1.5 ms for
//! `--version`, half of it for 200 pages that are copied. The addresses of stack, heap and libraries stay random. A
//! setting of a Cargo profile cannot express this, and a `.cargo` folder of the checkout would not affect
//! `cargo install`. For a distribution that requires position-independent programs, `TRANSCOPE_PIE=1` leaves the
//! addresses open.
//!
//! The commit is `TRANSCOPE_COMMIT`, or what `cargo package` has written into the package; a checkout has neither, since
//! each commit would then compile the program again.

use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    for name in ["TRANSCOPE_PIE", "TRANSCOPE_COMMIT"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let is_open = env::var_os("TRANSCOPE_PIE").is_some_and(|value| !value.is_empty() && value != "0");
    if !is_open && target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    println!("cargo::rustc-env=TRANSCOPE_BUILT_TARGET={}", env::var("TARGET").unwrap_or_default());
    if let Some(commit) = env::var("TRANSCOPE_COMMIT").ok().or_else(packaged_commit) {
        let short: String = commit.chars().filter(char::is_ascii_hexdigit).take(12).collect();
        println!("cargo::rustc-env=TRANSCOPE_BUILT_COMMIT={short}");
    }
}

/// The commit in the file that `cargo package` adds: `"sha1": "0123…"`.
fn packaged_commit() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    Some(text.split_once("\"sha1\"")?.1.split('"').nth(1)?.to_owned())
}
