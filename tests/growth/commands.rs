//! Every command in every format on a few texts: four times as much input takes at most five times as many steps.
//!
//! Commands read on several threads and report to standard error. So they run in a second process of this test, which
//! counts the steps of all threads. A command must be in [`COMMANDS`] or in [`WITHOUT_TEXT`].

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};
use transcope::cli::Cli;
use transcope::command::ProgramInfo;
use transcope::text::output::{Destination, Output};
use transcope::text::steps;

use super::family::Family;
use super::figures::{self, Promise};
use super::work::{Sink, write_archive};
use super::{grows_too_fast, growth};

/// Bytes of the smaller text.
const SIZE: usize = 2_000;

/// Commands that read a text, and their arguments, with one command line in each line: `FILE` is the text, `ARCHIVE`
/// has a file for each of its lines, `FOLDER` holds both, and nothing is at `NEW`. A command with formats is run in
/// each.
const COMMANDS: &[(&str, &[&str])] = &[
    ("parse", &["FILE", "--filter error FILE"]),
    ("check", &["FILE", "ARCHIVE", "--portable FILE", "--filter error FILE"]),
    ("grep", &["tool:f FILE", "word FILE"]),
    ("stats", &["FILE", "ARCHIVE"]),
    ("sessions", &["FILE"]),
    ("fix", &["--diff FILE"]),
    ("convert", &["--to hermes FILE"]),
    ("cost", &["FILE"]),
    ("diff", &["FILE --with-dialect hermes", "FILE", "FILE FILE", "FILE FILE --turns 1-", "FOLDER FOLDER"]),
    ("lens", &["--dialect hermes FILE", "--dialect hermes --matrix FOLDER"]),
    ("index", &["--out NEW FILE"]),
    ("export", &["FILE", "--redact FILE", "--redact --report - FILE"]),
    ("bundle", &["--output NEW FILE"]),
    ("graph", &["FILE", "FILE --turns 1-"]),
    ("replay", &["--speed 1000000000 FILE"]),
    ("test", &["--update FOLDER"]),
    ("dialect new", &["--from-text FILE"]),
];

/// Commands that read no text, and what they read instead.
const WITHOUT_TEXT: &[(&str, &str)] = &[
    ("explain", "the name of a problem"),
    ("dialects", "declarations"),
    ("dialect check", "declarations"),
    ("dialect show", "declarations"),
    ("container check", "declarations"),
    ("container show", "declarations"),
    ("container new", "JSON records"),
    ("template render", "templates"),
    ("template check", "templates"),
    ("template prefix", "templates"),
    ("help", "the guide"),
    ("doctor", "the machine"),
    ("template roundtrip", "templates"),
    ("completions", "nothing"),
    ("man", "nothing"),
];

/// Command lines that are refused: only folders are tables.
const WITHOUT_TABLE: [&str; 5] = [
    "lens --format csv --dialect hermes FILE",
    "diff --format csv FILE --with-dialect hermes",
    "diff --format csv FILE",
    "diff --format csv FILE FILE",
    "diff --format csv FILE FILE --turns 1-",
];

/// The only text with turns; others are refused where turns are selected.
const WITH_TURNS: &str = "messages";

/// Options whose values are formats.
const FORMATS: [&str; 2] = ["format", "to"];

/// Set in the process that runs the commands.
const INNER: &str = "TRANSCOPE_TEST_GROWTH_OF_COMMANDS";

#[test]
fn every_command_takes_at_most_five_times_as_many_steps_for_four_times_as_much() {
    if std::env::var_os(INNER).is_some() {
        return walk();
    }
    let own = std::env::current_exe().expect("this test is a program");
    let name = "commands::every_command_takes_at_most_five_times_as_many_steps_for_four_times_as_much";
    let home = tempfile::tempdir().expect("a folder can be made");
    let ran = std::process::Command::new(own)
        .args(["--exact", name, "--nocapture"])
        .env(INNER, "1")
        .env("XDG_CONFIG_HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .expect("it can be run");
    let [said, errors] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{said}\n{}", errors.split("panicked at").nth(1).unwrap_or_default());
}

/// Runs every command.
fn walk() {
    let families = Family::in_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/growth/commands.yaml"));
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (mut faults, mut tried) = (Vec::new(), 0);
    for line in lines(&mut faults) {
        for family in families.iter().filter(|family| !line.contains("--turns") || family.name == WITH_TURNS) {
            let n = family.count(SIZE);
            tried += 1;
            let failure = RefCell::new(None);
            let work = |n: usize| {
                let outcome = run_on(&line, &family.text(n), folder.path());
                if let Some(error) = outcome.err().filter(|_| n > 0 && !may_refuse(&line)) {
                    failure.replace(Some(error));
                }
            };
            let counter: super::Counter = |work| steps::of_process(work);
            let mut steps = growth(counter, n, work);
            if grows_too_fast(steps) {
                // An empty text may be read otherwise than a larger one: by parsers instead of as a container.
                steps = growth(counter, 4 * n, work);
            }
            if let Some(error) = failure.take() {
                faults.push(format!("{line}, {}: {error:#}", family.name));
            } else if steps[0] == 0 || grows_too_fast(steps) {
                faults.push(format!("{line}, {}: {} steps, {} for 4 times as much", family.name, steps[0], steps[1]));
            }
        }
    }
    assert!(families.iter().any(|family| family.name == WITH_TURNS), "no text has turns");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    figures::tell(Promise::Growth, "commands", tried);
}

/// The command lines to run. A command that is in neither table is a fault.
fn lines(faults: &mut Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    let program = Cli::command();
    for command in program.get_subcommands() {
        let inner: Vec<_> =
            command.get_subcommands().map(|inner| (format!("{} ", command.get_name()), inner)).collect();
        let all = if inner.is_empty() { vec![(String::new(), command)] } else { inner };
        for (prefix, command) in all {
            let name = format!("{prefix}{}", command.get_name());
            let known = COMMANDS.iter().find(|(known, _)| *known == name);
            if known.is_some() == WITHOUT_TEXT.iter().any(|(known, _)| *known == name) {
                faults.push(format!("{name}: is not in exactly one of COMMANDS and WITHOUT_TEXT"));
            }
            let formats = command.get_arguments().find(|argument| FORMATS.contains(&argument.get_id().as_str()));
            let values: Vec<String> = formats.map_or_else(Vec::new, |argument| {
                let values = argument.get_possible_values();
                values.iter().map(|value| format!(" --{} {}", argument.get_id(), value.get_name())).collect()
            });
            let values = if values.is_empty() { vec![String::new()] } else { values };
            for arguments in known.map_or(&[][..], |(_, arguments)| arguments) {
                let lines = values.iter().map(|value| format!("{name}{value} {arguments}"));
                found.extend(lines.filter(|line| !WITHOUT_TABLE.contains(&line.as_str())));
            }
        }
    }
    found
}

/// Runs a command on this text.
fn run_on(line: &str, text: &[u8], folder: &Path) -> Result<()> {
    let input = tempfile::tempdir_in(folder)?;
    let file = input.path().join("a.txt");
    fs::write(&file, text)?;
    let archive = input.path().join("a.zip");
    write_archive(text, &fs::File::create(&archive)?);
    let path_of = |word: &str| match word {
        "FILE" => file.clone().into_os_string(),
        "ARCHIVE" => archive.clone().into_os_string(),
        "NEW" => input.path().join("new").into_os_string(),
        "FOLDER" => input.path().as_os_str().to_owned(),
        word => word.into(),
    };
    let words = line.split(' ').filter(|word| !word.is_empty()).map(path_of);
    run(&Cli::try_parse_from(std::iter::once("transcope".into()).chain(words))?)
}

/// True if a command may refuse a text once it has read it.
fn may_refuse(line: &str) -> bool {
    ["fix", "convert", "lens", "dialect new"].iter().any(|name| line.starts_with(name))
}

fn run(cli: &Cli) -> Result<()> {
    let program = ProgramInfo {
        description: Cli::command,
        keys: Vec::new,
        themes: Vec::new,
        terminal: Vec::new,
        settings: Vec::new,
    };
    let command = cli.command.as_ref().context("a command is named")?;
    command.run(&program, &mut Output::new(Sink, Destination::Terminal)).map(drop)
}
