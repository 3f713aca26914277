//! Lists the profiles of runtimes.

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = "src/runtime/profiles";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={folder}");
    let files = fs::read_dir(folder).expect("the profiles are a part of the source").flatten();
    let mut names: Vec<String> = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    // For `runtime/catalog`, in alphabetical order.
    let list = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("profiles.rs");
    fs::write(list, format!("files!{names:?};")).expect("cargo made the folder");
}
