//! Lists the profiles of runtimes, and links the program at fixed addresses where that is known to work.
//!
//! A position-independent program has 45,000 relocations, which the loader writes at each start: 0.5 ms of 1.5 ms for
//! `--version`, half of it for 200 pages that are copied. The addresses of stack, heap and libraries stay random. A
//! setting of a Cargo profile cannot express this, and a `.cargo` folder of the checkout would not affect
//! `cargo install`.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    list_profiles();
}

/// Writes the file names of profiles for `runtime/catalog`, in alphabetical order.
fn list_profiles() {
    let folder = "src/runtime/profiles";
    println!("cargo::rerun-if-changed={folder}");
    let files = fs::read_dir(folder).expect("the profiles are a part of the source").flatten();
    let mut names: Vec<String> = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    let list = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("profiles.rs");
    fs::write(list, format!("files!{names:?};")).expect("cargo made the folder");
}
