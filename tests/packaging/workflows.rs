//! The workflows in `.github/workflows` are complete: no service is asked here, but what they run exists.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::root;

/// Actions of the service itself; others could change what is built.
const TRUSTED: &str = "actions/";

fn workflows() -> Vec<(PathBuf, Value)> {
    let folder = root().join(".github/workflows");
    let paths = fs::read_dir(folder).expect("there are workflows").map(|entry| entry.expect("readable").path());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it is text");
        let workflow = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, workflow)
    };
    paths.map(read).collect()
}

fn jobs(workflow: &Value) -> impl Iterator<Item = (&String, &Value)> {
    workflow["jobs"].as_object().into_iter().flatten()
}

fn steps(job: &Value) -> impl Iterator<Item = &Value> {
    job["steps"].as_array().into_iter().flatten()
}

#[test]
fn each_job_is_bounded_and_runs_known_actions_and_valid_scripts() {
    let workflows = workflows();
    assert_eq!(workflows.len(), 2);
    for (path, workflow) in &workflows {
        let name = path.display();
        assert_eq!(workflow["permissions"]["contents"], "read", "{name}: a job that needs more asks for it");
        assert!(jobs(workflow).count() >= 3, "{name}");
        for (job_name, job) in jobs(workflow) {
            assert!(job["runs-on"].is_string() && job["timeout-minutes"].is_u64(), "{name}: {job_name}");
            assert!(steps(job).count() > 0, "{name}: {job_name}");
            for step in steps(job) {
                match (step["uses"].as_str(), step["run"].as_str()) {
                    (Some(action), None) => {
                        assert!(action.starts_with(TRUSTED) && action.contains("@v"), "{name}: {action}");
                    }
                    (None, Some(script)) => is_bash(script, job_name),
                    _ => panic!("{name}: {job_name}: a step uses an action or runs a script"),
                }
            }
            for needed in job["needs"].as_array().into_iter().flatten() {
                assert!(jobs(workflow).any(|(name, _)| needed == name), "{name}: {job_name} needs {needed}");
            }
        }
    }
}

#[test]
fn the_workflow_of_the_guide_is_complete_and_its_commands_are_explained() {
    let page = fs::read_to_string(root().join("docs/ci.md")).expect("the page");
    let block = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it has a workflow");
    let workflow: Value = serde_yaml::from_str(block).expect("it is YAML");
    let own: String = workflows().into_iter().map(|(_, own)| own.to_string()).collect();
    let explained: String = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let (mut actions, mut scripts) = (0, 0);
    for (name, job) in jobs(&workflow) {
        assert!(job["runs-on"].is_string() && job["timeout-minutes"].is_u64(), "{name}");
        for step in steps(job) {
            match (step["uses"].as_str(), step["run"].as_str()) {
                // Ours are of the newest version; reports are uploaded by GitHub's.
                (Some(action), None) => {
                    actions += 1;
                    assert!(own.contains(action) || action.starts_with("github/codeql-action/"), "{action}");
                }
                (None, Some(script)) => {
                    scripts += 1;
                    is_bash(script, name);
                    let command: Vec<&str> = script.split(' ').take_while(|word| !word.starts_with('-')).collect();
                    assert!(explained.contains(&command.join(" ")), "{script}");
                }
                _ => panic!("{name}: a step uses an action or runs a script"),
            }
        }
    }
    assert!(actions >= 3 && scripts >= 4, "{actions} actions, {scripts} scripts");
}

/// Checks that bash can parse a script, and that the scripts of the project that it runs exist.
fn is_bash(script: &str, job: &str) {
    // The service replaces these before bash sees them.
    let plain: String = script
        .split("${{")
        .enumerate()
        .map(|(number, part)| if number == 0 { part } else { part.split_once("}}").map_or("", |(_, rest)| rest) })
        .collect::<Vec<_>>()
        .join("x");
    let bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn();
    let mut bash = bash.expect("bash can be run");
    bash.stdin.take().expect("a pipe").write_all(plain.as_bytes()).expect("bash reads");
    assert!(bash.wait().expect("bash ends").success(), "{job}: {script}");
    for word in plain.split_whitespace().filter(|word| word.starts_with(".ci/")) {
        assert!(root().join(word).is_file(), "{job}: {word}");
    }
}

#[test]
fn releases_are_built_for_the_platforms_whose_licences_are_checked() {
    let (_, release) = workflows().into_iter().find(|(path, _)| path.ends_with("release.yml")).expect("it is there");
    let matrix = &release["jobs"]["build"]["strategy"]["matrix"]["include"];
    let mut built: Vec<&str> =
        matrix.as_array().into_iter().flatten().filter_map(|entry| entry["target"].as_str()).collect();
    built.sort_unstable();
    let rules = fs::read_to_string(root().join("deny.toml")).expect("the file is there");
    let listed = rules.split_once("targets = [").and_then(|(_, rest)| rest.split_once(']')).expect("targets").0;
    let mut listed: Vec<&str> = listed.split('"').skip(1).step_by(2).collect();
    listed.sort_unstable();
    assert_eq!(built, listed);
}

#[test]
fn the_oldest_rust_is_tried() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let (_, rest) = manifest.split_once("rust-version = \"").expect("it has a minimum");
    let minimum = rest.split('"').next().expect("a version");
    let (_, ci) = workflows().into_iter().find(|(path, _)| path.ends_with("ci.yml")).expect("it is there");
    let runs = |words: String| {
        let all = jobs(&ci).flat_map(|(_, job)| steps(job).filter_map(|step| step["run"].as_str()));
        all.into_iter().any(|script| script.contains(&words))
    };
    assert!(runs(format!("toolchain install {minimum} ")) && runs(format!("cargo +{minimum} check")), "{minimum}");
    assert!(runs(".ci/run".to_owned()) && runs("--no-default-features".to_owned()));
}
