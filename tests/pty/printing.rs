//! Commands that print text from a file: nothing in it controls the terminal, and a pipe gets the raw bytes.

use std::ffi::{OsStr, OsString};
use std::fs;

use clap::CommandFactory;
use tempfile::TempDir;
use transcope::cli::Cli;
use transcope::dialect;
use transcope::text::sanitize::is_hidden;

use super::figures::{Promise, tell};
use super::{PROGRAM, Terminal, file, home, shell, words};

/// Control sequences for title, clipboard, screen and colours, also with C1 bytes and characters; and characters that
/// reorder or hide text.
const EVIL: &str =
    "\x1b]0;PWNED\x07\x1b]52;c;UFdORUQ=\x1b\\\x1b[2J\x1b[7;5m\u{9b}2J\u{9d}0;PWNED\u{9c}\u{202e}\u{200b}x";

/// The name of a file, and of a folder.
const NAME: &str = "a\x1b]0;PWNED\x07\u{202e}b";

/// A transcript with [`EVIL`] in its prose, names, ids, dependencies, keys, values and errors.
fn transcript() -> Vec<u8> {
    let text = "\
EVIL prose\n
!!!GADGET_START:EVIL:EVIL:EVIL,ghostEVIL\n!!!ARG:EVIL\nEVIL\nEVIL\n!!!ARG:EVIL\n1\n!!!ARG:n/EVIL\nEVIL\n!!!GADGET_END
!!!GADGET_START:Fine:one\n!!!ARG:a\nEVIL\n!!!GADGET_END\n!!!GADGET_START:Next:two:one\n!!!ARG:a\n1\n!!!GADGET_END
!!!GADGET_START:Again:one:two\n!!!ARG:a/5\nEVIL\n!!!GADGET_END\n
> [!tool lookup EVIL]\n> state: output-error\n> errorText: \"EVIL\"\n> input:\n>   \"EVIL\": \"EVIL\"\n> EVIL: EVIL\n
> [!tool lookup again]\n> input: {EVIL\n
^^^edit EVIL\nEVIL: EVIL\n^^^\n
<tool:edit EVIL>\n<param:EVIL>EVIL</param:path>\n</tool:edit>\n
<tool_call>\n{\"name\": \"EVIL\", \"arguments\": {\"a\": \"EVIL\", EVIL}}\n</tool_call>\n";
    let mut bytes = text.replace("EVIL", EVIL).into_bytes();
    bytes.extend_from_slice(b"\x9b2J\x9d0;PWNED\x9c\xff\n");
    bytes
}

/// A recorded conversation with [`EVIL`] in every possible place.
fn recorded() -> Vec<u8> {
    let evil = serde_json::Value::from(EVIL).to_string();
    let evil = evil.trim_matches('"');
    let lines = [
        r#"{"type":"start","messageId":"EVIL"}"#,
        r#"{"type":"tool-input-available","toolCallId":"EVIL","toolName":"EVIL","input":{"EVIL":"EVIL"}}"#,
        r#"{"type":"tool-output-error","toolCallId":"EVIL","errorText":"EVIL"}"#,
        r#"{"type":"tool-output-available","toolCallId":"otherEVIL","output":"EVIL"}"#,
        r#"{"type":"data-EVIL","data":"EVIL"}"#,
        r#"{"type":"mysteryEVIL"}"#,
        r#"{"type":"error","errorText":"EVIL"}"#,
        r#"{"type":"finish"}"#,
    ];
    lines.map(|line| line.replace("EVIL", evil) + "\n").concat().into_bytes()
}

/// A declaration with [`EVIL`] in every possible place, and examples that are not read as it states.
fn declaration() -> String {
    let evil = EVIL.replace('"', "");
    let quoted = serde_json::Value::from(evil.clone()).to_string();
    let text = serde_json::Value::from(format!("<do {evil}>{evil}</do>\n")).to_string();
    format!(
        "dialect: evil\ntitle: {quoted}\nrecognised_by: {quoted}\nexample: {text}\ncall: {{open: \"<do {{name}}>\", close: \
        \"</do>\"}}\narguments: {{kind: text}}\nexamples:\n- text: {text}\n  calls: [{{name: {quoted}}}]\n"
    )
}

/// The arguments of `lens --matrix` with every format that it prints.
fn matrices(folder: &OsStr) -> impl Iterator<Item = Vec<OsString>> {
    let formats = ["text", "json", "ndjson", "csv"].into_iter();
    formats.map(move |format| {
        let words = ["lens", "--dialect=hermes", "--format", format, "--matrix"].map(OsString::from);
        words.into_iter().chain([folder.to_owned()]).collect()
    })
}

/// The arguments of a redaction that lists what it replaced and kept.
fn redaction_lists(path: &OsStr) -> impl Iterator<Item = Vec<OsString>> {
    ["--report-format=human", "--report-format=json"].into_iter().map(move |format| {
        let words = ["export", "--to=markdown", "--redact", "--report=-", format].map(OsString::from);
        words.into_iter().chain([path.to_owned()]).collect()
    })
}

/// The arguments of every command with every format that it prints.
fn every_command(path: &OsStr, folder: &OsStr, declaration: &OsStr) -> Vec<Vec<OsString>> {
    let mut all = vec![vec!["--linear".into(), path.into()]];
    all.extend(matrices(folder));
    all.extend(redaction_lists(path));
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let mut arguments: Vec<OsString> = vec![name.into()];
        match name {
            // The expression is printed too, with the position of its fault.
            "grep" => {
                all.push(vec![name.into(), format!("{EVIL} tol:{EVIL}").into(), path.into()]);
                arguments.extend(["not open".into(), path.into()]);
            }
            "replay" => arguments.extend([path.into(), "--speed".into(), "1000000".into()]),
            "diff" => {
                all.push(vec![name.into(), path.into()]);
                all.push(vec![name.into(), folder.into(), folder.into()]);
                arguments.extend([path.into(), path.into(), "--with-dialect".into(), "caret".into()]);
            }
            "test" => arguments.push(folder.into()),
            "doctor" | "explain" | "man" | "help" => {}
            "lens" => arguments.extend(["--dialect".into(), "hermes".into(), path.into()]),
            "dialects" => arguments.extend(["--dialect-file".into(), declaration.into()]),
            "dialect" => {
                all.push(vec![name.into(), "show".into(), "evil".into(), "--dialect-file".into(), declaration.into()]);
                all.push(vec![name.into(), "new".into(), "--from-text".into(), path.into()]);
                all.push(vec![name.into(), "new".into(), "--from-template".into(), path.into()]);
                for format in ["human", "json", "sarif", "github"] {
                    let format = format!("--format={format}");
                    all.push(vec![name.into(), "check".into(), format.into(), declaration.into()]);
                }
                arguments.extend(["check".into(), path.into()]);
            }
            "container" => {
                all.push(vec![name.into(), "show".into(), "qwen-code".into()]);
                all.push(vec![name.into(), "new".into(), "--from".into(), path.into()]);
                arguments.extend(["check".into(), path.into()]);
            }
            "template" => {
                all.push(vec![name.into(), "render".into(), "--format=json".into(), path.into()]);
                all.push(vec![name.into(), "render".into(), path.into(), declaration.into()]);
                for format in ["text", "json", "sarif", "github"] {
                    all.push(vec![
                        name.into(),
                        "check".into(),
                        "--all".into(),
                        format!("--format={format}").into(),
                        path.into(),
                    ]);
                }
                all.push(vec![name.into(), "check".into(), path.into(), declaration.into()]);
                all.push(vec![name.into(), "prefix".into(), "--format=json".into(), path.into()]);
                all.push(vec![name.into(), "prefix".into(), path.into(), declaration.into()]);
                all.push(vec![name.into(), "roundtrip".into(), "--format=json".into(), path.into()]);
                all.push(vec![name.into(), "roundtrip".into(), path.into()]);
                all.push(vec![name.into(), "roundtrip".into(), path.into(), declaration.into()]);
                arguments.extend(["render".into(), "--probe=single".into(), path.into()]);
            }
            "index" => {
                let out = std::path::Path::new(folder).with_file_name(format!("index{EVIL}"));
                arguments.extend([path.into(), "--out".into(), out.into()]);
            }
            "bundle" => arguments.extend(["--for".into(), "issue".into(), path.into()]),
            "completions" => arguments.push("bash".into()),
            _ if command.get_positionals().any(|arg| ["path", "paths", "dirs"].contains(&arg.get_id().as_str())) => {
                arguments.push(path.into());
            }
            other => panic!("nothing is known of what {other} prints"),
        }
        if matches!(name, "parse" | "check" | "export") {
            let filter = format!("--filter=\"{}\" or not open", EVIL.replace(['"', '\\', '\n', '\r'], " "));
            let markdown = (name == "export").then(|| "--to=markdown".into());
            all.push(arguments.iter().cloned().chain([filter.into()]).chain(markdown).collect());
        }
        if name == "stats" {
            all.push(arguments.iter().cloned().chain(["--by=tool,model,code".into()]).collect());
        }
        if name == "fix" {
            all.push(arguments.iter().cloned().chain(["--diff".into()]).collect());
        }
        let choice = ["format", "to"].into_iter().find_map(|id| command.get_arguments().find(|arg| arg.get_id() == id));
        let Some(choice) = choice else {
            all.push(arguments);
            continue;
        };
        let mut values: Vec<String> =
            choice.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if name == "convert" {
            let all = dialect::registry(&dialect::Options::default());
            values = all.iter().map(|dialect| dialect.info().name.to_owned()).collect();
        }
        assert!(!values.is_empty(), "{name} has formats");
        for value in values {
            let option = format!("--{}={value}", choice.get_id());
            all.push(arguments.iter().cloned().chain([option.into()]).collect());
        }
    }
    all
}

/// Checks that output to a terminal has no effect except our colours.
#[track_caller]
fn is_harmless(written: &[u8], what: &dyn std::fmt::Debug) {
    let mut written = String::from_utf8(written.to_vec()).unwrap_or_else(|_| panic!("{what:?} writes no UTF-8"));
    for colour in ["0", "1", "34", "1;31", "1;32", "1;33", "1;36"] {
        written = written.replace(&format!("\x1b[{colour}m"), "");
    }
    let is_bad = |c: &char| (c.is_control() && !matches!(c, '\t' | '\r' | '\n')) || is_hidden(*c);
    let bad: Vec<char> = written.chars().filter(is_bad).collect();
    assert!(bad.is_empty(), "{what:?} writes {bad:?}:\n{}", written.escape_debug());
    assert!(!written.replace("\r\n", "").contains('\r'), "{what:?} goes back in a line");
    tell(Promise::Terminal, "commands", 1);
}

fn folder(home: &TempDir) -> OsString {
    let folder = home.path().join(NAME);
    fs::create_dir(&folder).expect("a test may write");
    fs::write(folder.join(format!("{NAME}.txt")), transcript()).expect("a test may write");
    folder.into()
}

#[test]
fn no_escape_sequence_of_a_file_reaches_the_terminal_by_any_command() {
    for (bytes, mark) in [(transcript(), "PWNED"), (recorded(), "PWNED")] {
        let home = home();
        let path = file(&home, &format!("{NAME}.log"), &bytes);
        let folder = folder(&home);
        let declaration = file(&home, &format!("{NAME}.yaml"), declaration().as_bytes());
        let mut shown = 0;
        for arguments in every_command(path.as_ref(), &folder, declaration.as_ref()) {
            let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
            // Queries to the terminal are escape sequences, but a dumb one is not queried.
            let variables: &[(&str, &str)] = if arguments[0] == "doctor" { &[("TERM", "dumb")] } else { &[] };
            let mut terminal = Terminal::sized((400, 30), PROGRAM, &arguments, variables, home.path());
            terminal.ends();
            is_harmless(&terminal.written, &arguments);
            shown += usize::from(words(&terminal.written).contains(mark));
        }
        assert!(shown > 20, "the commands print what is in the file, {shown} of them");
    }
}

#[test]
fn no_escape_sequence_of_a_name_reaches_the_terminal_in_an_error() {
    let home = home();
    let path = file(&home, &format!("{NAME}.log"), &transcript());
    let path = path.as_os_str();
    let evil: &OsStr = EVIL.as_ref();
    let with = |option: &str| OsString::from(format!("--{option}={EVIL}"));
    let cases: Vec<Vec<OsString>> = vec![
        vec!["parse".into(), evil.into()],
        vec!["check".into(), evil.into(), path.into()],
        vec!["graph".into(), evil.into()],
        vec!["test".into(), evil.into()],
        vec!["explain".into(), evil.into()],
        vec![evil.into(), "parse".into()],
        vec!["convert".into(), path.into(), with("to")],
        vec!["export".into(), path.into(), "--to=html".into(), "-o".into(), path.into()],
        vec!["check".into(), path.into(), with("max")],
        vec!["check".into(), path.into(), with("format")],
        ["parse", "--", EVIL].map(OsString::from).to_vec(),
    ];
    let common =
        ["dialect", "dialect-file", "container", "schema", "start-prefix", "config", "color", "examples", EVIL];
    let common = common.map(|option| vec!["parse".into(), path.into(), with(option)]);
    for arguments in cases.into_iter().chain(common) {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
        let mut terminal = Terminal::sized((400, 30), PROGRAM, &arguments, &[], home.path());
        terminal.ends();
        is_harmless(&terminal.written, &arguments);
    }
}

#[test]
fn what_a_command_writes_beside_its_text_is_harmless_as_well() {
    let home = home();
    file(&home, "evil", EVIL.as_bytes());
    for format in ["text", "json", "ndjson", "events"] {
        let line = format!("transcope parse --format {format} -- sh -c 'cat evil >&2; echo prose' > out.txt");
        let mut terminal = shell(&line, &home);
        terminal.ends();
        is_harmless(&terminal.written, &line);
        assert!(words(&terminal.written).contains("␛]0;PWNED␇"), "{line}");
        // A pipe gets the raw output of the command.
        shell(&format!("({line}) 2> err.txt"), &home).ends();
        assert_eq!(fs::read(home.path().join("err.txt")).expect("it was written"), EVIL.as_bytes(), "{line}");
    }
}

#[test]
fn convert_writes_the_bytes_to_a_pipe_and_to_a_file() {
    let home = home();
    let bytes = [EVIL.as_bytes(), b"\x9b2J \xff\xfe\r\ttab \xe2\x82\n", EVIL.as_bytes()].concat();
    file(&home, "evil", &bytes);
    for line in ["transcope convert --to xml evil > out", "transcope convert --to xml evil | cat > out"] {
        assert_eq!(shell(line, &home).ends().exit_code(), 0, "{line}");
        assert_eq!(fs::read(home.path().join("out")).expect("it was written"), bytes, "{line}");
    }
}
