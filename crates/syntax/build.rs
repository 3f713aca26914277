//! Converts the profiles of runtimes from YAML to JSON, and lists them with their markers.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Least length of a marker in bytes.
const SHORTEST: usize = 5;

fn main() {
    let (runtimes, folder) = ("src/runtime/runtimes.yaml", "src/runtime/profiles");
    for path in ["build.rs", runtimes, folder] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    convert(Path::new(runtimes), &out);
    let files = fs::read_dir(folder).expect("the profiles are a part of the source").flatten();
    let mut paths: Vec<PathBuf> = files.map(|file| file.path()).collect();
    paths.sort_by_key(|path| path.file_stem().map(ToOwned::to_owned));
    let entries = paths.iter().map(|path| {
        let yaml = convert(path, &out);
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        format!("{name:?}: {:?}", markers(&yaml))
    });
    // For `runtime/catalog`, in alphabetical order.
    let list = format!("files!{{{}}}", entries.collect::<Vec<_>>().join(",\n"));
    fs::write(out.join("profiles.rs"), list).expect("cargo made the folder");
}

/// Writes a YAML file as JSON into a folder and returns its YAML.
fn convert(path: &Path, out: &Path) -> String {
    let yaml = fs::read_to_string(path).expect("the profiles are a part of the source");
    let value: serde_json::Value =
        serde_yaml::from_str(&yaml).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.with_extension("json");
    let name = name.file_name().expect("a file has a name");
    fs::write(out.join(name), value.to_string()).expect("cargo made the folder");
    yaml
}

/// Quoted texts with punctuation up to their first escape, each once.
fn markers(yaml: &str) -> Vec<&str> {
    let quoted = yaml.split('"').skip(1).step_by(2).filter_map(|quoted| quoted.split('\\').next());
    let is_marker = |word: &&str| word.len() >= SHORTEST && word.contains(|c: char| c.is_ascii_punctuation());
    let mut markers: Vec<&str> = quoted.filter(is_marker).map(str::trim).collect();
    markers.sort_unstable();
    markers.dedup();
    markers
}
