//! The Python wheel: built, installed into a fresh environment, used, and uninstalled.
//!
//! Needs a Python with maturin; `.ci/run` installs one into `target/python`. Nothing is fetched, except crates of other
//! systems, which maturin wants to know, if they were never fetched here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::skip::skip;
use super::{root, run, target};

/// A Python that has a module; `None` if there is none.
fn python_with(module: &str) -> Option<PathBuf> {
    let has = |python: &PathBuf| {
        let tried = Command::new(python).args(["-m", module, "--version"]).stderr(Stdio::null()).output();
        tried.is_ok_and(|output| output.status.success())
    };
    [target().join("python/bin/python3"), "python3".into()].into_iter().find(has)
}

/// Builds the wheel from the program of these tests, which Cargo has already compiled.
fn build(python: &Path, out: &Path) -> PathBuf {
    let mut maturin = Command::new(python);
    let options = "build --locked --profile dev --compatibility linux --out";
    maturin.args(["-m", "maturin"]).args(options.split(' '));
    run(maturin.arg(out).current_dir(root()).env("CARGO_TARGET_DIR", target()));
    let wheels: Vec<PathBuf> =
        fs::read_dir(out).expect("it was written").map(|entry| entry.expect("readable").path()).collect();
    let [wheel] = &wheels[..] else { panic!("{wheels:?}") };
    wheel.clone()
}

#[test]
fn a_wheel_installs_runs_and_uninstalls() {
    let Some(python) = python_with("maturin") else {
        return skip("there is no python3 with the package maturin");
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let wheel = build(&python, &folder.path().join("dist"));
    let environment = folder.path().join("environment");
    run(Command::new(&python).args(["-m", "venv"]).arg(&environment));
    let pip = || {
        let mut pip = Command::new(environment.join("bin/python3"));
        pip.args(["-m", "pip", "--disable-pip-version-check"]);
        pip
    };
    run(pip().args(["install", "--no-index"]).arg(&wheel));

    let installed = environment.join("bin/transcope");
    let transcope = || {
        let mut command = Command::new(&installed);
        command.env_clear().env("HOME", folder.path()).stdin(Stdio::null());
        command
    };
    assert_eq!(run(transcope().arg("--version")), concat!("transcope ", env!("CARGO_PKG_VERSION"), "\n"));
    assert!(run(&mut transcope()).contains("● OpenMigration"), "it prints the demonstration");
    let texts = folder.path().join("texts.jsonl");
    fs::write(&texts, "\"Hi\"\n{\"id\": 7, \"text\": \"^^^edit\\na: 1\\na: 2\\n^^^\"}\n").expect("a file can be made");
    let checked = transcope().args(["check", "--each"]).stdin(fs::File::open(&texts).expect("readable")).output();
    let checked = String::from_utf8(checked.expect("it can be run").stdout).expect("UTF-8");
    assert_eq!(checked.lines().count(), 2, "{checked}");
    assert!(checked.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{checked}");

    let shown = run(pip().args(["show", "--files", "transcope"]));
    assert!(shown.contains("licenses/THIRD-PARTY.txt") && shown.contains("licenses/LICENSE"), "{shown}");
    assert!(shown.contains(concat!("Version: ", env!("CARGO_PKG_VERSION"))), "{shown}");
    run(pip().args(["uninstall", "-y", "transcope"]));
    assert!(!installed.exists(), "it is uninstalled");

    let Some(python) = python_with("uv") else {
        return skip("there is no python3 with the package uv, so uvx was not tried");
    };
    let mut uvx = Command::new(python);
    uvx.args(["-m", "uv", "tool", "run", "--no-index", "--from"]).arg(&wheel).args(["transcope", "--version"]);
    uvx.env("UV_CACHE_DIR", folder.path().join("cache")).env("UV_TOOL_DIR", folder.path().join("tools"));
    assert_eq!(run(&mut uvx), concat!("transcope ", env!("CARGO_PKG_VERSION"), "\n"));
}
