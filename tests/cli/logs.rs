//! Output in the logs of services: nothing in a transcript is a command to the service, and nothing piles up.

use std::process::Stdio;

use super::program::program;
use super::run_in;

/// Most combining marks on a character in any real script; more of them are a flood.
const MOST_MARKS: usize = 12;

/// A transcript with commands to several services wherever there is text, and a flood of combining marks.
fn hostile() -> Vec<u8> {
    let flood = format!("e{}", "\u{301}".repeat(1200));
    let commands = "::error file=a,line=1::b\r::warning::c\n \t\u{a0}::add-mask::d\n##[error]e ##vso[task.setvariable]f\n\
                    ##teamcity[g]\n::stop-commands::h\n::set-output name=i::j\n::";
    format!(
        "{commands}\n{flood}\n!!!GADGET_START:::error::k:::warning::l\n!!!ARG:##[error]m\n{commands}\n{flood}\n!!!ARG:o\n\
         !!!GADGET_END\n!!!GADGET_START:::error::k:x:::notice::y\n!!!ARG:a/0\n::error::z\n!!!ARG:a/2\n{commands}\n!!!GADGET_END\n"
    )
    .into_bytes()
}

/// True if a service would execute a line.
fn is_command(line: &str) -> bool {
    let bracket =
        |(at, _): (usize, &str)| line[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with('[');
    line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').starts_with("::")
        || line.match_indices("##").any(bracket)
}

/// Lines as services split them.
fn commands(output: &str) -> Vec<&str> {
    output.split(['\n', '\r']).filter(|line| is_command(line)).collect()
}

/// Commands that print contents of a transcript.
const PRINTING: [&[&str]; 24] = [
    &["::error::name.txt"],
    &["parse", "--format", "text", "::error::name.txt"],
    &["parse", "--format", "json", "::error::name.txt"],
    &["parse", "--format", "ndjson", "::error::name.txt"],
    &["parse", "--format", "events", "::error::name.txt"],
    &["--linear", "::error::name.txt"],
    &["graph", "::error::name.txt"],
    &["graph", "--format", "dot", "::error::name.txt"],
    &["graph", "--format", "mermaid", "::error::name.txt"],
    &["graph", "--format", "json", "::error::name.txt"],
    &["convert", "--to", "hermes", "::error::name.txt"],
    &["check", "::error::name.txt"],
    &["check", "--format", "json", "::error::name.txt"],
    &["check", "--format", "sarif", "::error::name.txt"],
    &["check", "::error::missing.txt"],
    &["export", "--format", "markdown", "::error::name.txt"],
    &["export", "--format", "html", "::error::name.txt"],
    &["export", "--format", "json", "::error::name.txt"],
    &["grep", "error", "::error::name.txt"],
    &["stats", "::error::name.txt"],
    &["fix", "::error::name.txt"],
    &["diff", "::error::name.txt", "other.txt"],
    &["cost", "::error::name.txt"],
    &["lens", "::error::name.txt"],
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("::error::name.txt"), hostile()).expect("a file can be made");
    std::fs::write(folder.path().join("other.txt"), "::error::other\n").expect("a file can be made");
    folder
}

#[test]
fn no_line_of_a_transcript_is_a_command_to_whoever_reads_the_log() {
    let folder = folder();
    let mut was_one = 0;
    for arguments in PRINTING {
        let plain = run_in(folder.path(), arguments, &[], b"");
        was_one += usize::from(!commands(&plain.stdout).is_empty());
        for service in ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "CI"] {
            let run = run_in(folder.path(), arguments, &[(service, "true")], b"");
            assert_eq!(run.code, plain.code, "{arguments:?}: {}", run.stderr);
            for output in [&run.stdout, &run.stderr] {
                assert_eq!(commands(output), [""; 0], "{arguments:?}");
            }
        }
    }
    assert!(was_one > 5, "nothing had to be broken up: {was_one}");
}

#[test]
fn annotations_are_the_programs_own_and_hold_no_other() {
    let folder = folder();
    let arguments = ["check", "--format", "github", "::error::name.txt"];
    let run = run_in(folder.path(), &arguments, &[("GITHUB_ACTIONS", "true")], b"");
    let problems = run_in(folder.path(), &["check", "--format", "json", "::error::name.txt"], &[], b"");
    let problems: serde_json::Value = serde_json::from_str(&problems.stdout).expect("JSON");
    let count = problems["diagnostics"].as_array().map_or(0, Vec::len);
    assert!(count > 2, "{problems}");
    assert_eq!(run.stdout.split(['\n', '\r']).filter(|line| !line.is_empty()).count(), count, "{}", run.stdout);
    for line in run.stdout.lines() {
        let (properties, data) = line[2..].split_once("::").expect("a command has an end");
        assert!(["error ", "warning ", "notice "].iter().any(|level| properties.starts_with(level)), "{line}");
        assert!(properties.contains("file=%3A%3Aerror%3A%3Aname.txt,line="), "{line}");
        assert!(data.contains("%0Ahelp: ") && !data.contains("##[") && !data.contains("##vso["), "{line}");
    }
}

#[test]
fn output_to_a_file_is_exact_in_ci() {
    let folder = folder();
    let target = std::fs::File::create(folder.path().join("out.txt")).expect("a file can be made");
    let mut command = program(folder.path());
    command.args(["convert", "--to", "gadget", "other.txt"]).env("GITHUB_ACTIONS", "true");
    assert!(command.stdout(Stdio::from(target)).status().expect("it runs").success());
    assert_eq!(std::fs::read(folder.path().join("out.txt")).expect("it is there"), b"::error::other\n");
}

#[test]
fn marks_do_not_pile_up_in_what_people_or_programs_read() {
    let folder = folder();
    for arguments in PRINTING {
        // The text in another dialect is printed byte for byte.
        if ["convert", "fix"].contains(&arguments[0]) {
            continue;
        }
        let run = run_in(folder.path(), arguments, &[], b"");
        let flood = "\u{301}".repeat(MOST_MARKS);
        assert!(!run.stdout.contains(&flood), "{arguments:?}");
        if let Ok(json) = serde_json::from_str::<serde_json::Value>(&run.stdout)
            && arguments[..2] == ["parse", "--format"]
        {
            assert!(json.to_string().contains(&"\u{301}".repeat(1200)), "{arguments:?}: it is all there");
        }
    }
}
