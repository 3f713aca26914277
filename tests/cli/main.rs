//! The real binary in a controlled environment: arguments and input, exit code and output.
//!
//! Outputs for people are stored with the other snapshots. To accept new ones: `INSTA_UPDATE=always cargo test`.

mod baseline;
mod bundles;
mod commands;
mod completions;
mod container_proposal;
mod convert;
mod copies;
#[cfg(feature = "sqlite")]
mod databases;
mod dialects;
mod diff;
mod doctor;
#[path = "../shared/documents.rs"]
mod documents;
mod each;
mod exit_codes;
mod explain;
mod export;
#[path = "../shared/figures.rs"]
mod figures;
mod filtering;
mod fixing;
mod index;
mod json_pages;
mod lens;
mod logs;
mod many_files;
mod matrix;
mod notes;
mod parts;
mod prices;
#[path = "../shared/program.rs"]
mod program;
mod recipes;
mod redaction;
mod report_turns;
mod sessions;
#[path = "../shared/skip.rs"]
mod skip;
#[path = "../shared/snapshot.rs"]
mod snapshot;
mod stats;
mod surroundings;
mod templates;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use program::{program, run_in};
use serde_json::Value;

/// A folder with a few transcripts.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file can be made");
    std::fs::create_dir_all(folder.path().join("logs/deep")).expect("a folder can be made");
    write("logs/deep/bad.txt", BAD.as_bytes());
    write("logs/good.txt", GOOD.as_bytes());
    write("logs/picture.txt", b"\x89PNG\0\0");
    write("good.txt", GOOD.as_bytes());
    write("bad.txt", BAD.as_bytes());
    write("warned.txt", b"!!!GADGET_START:Greet\n!!!ARG:name\nAda\n");
    write("failed.jsonl", &transcope::diagnostic::Code::ToolFailed.info().bad);
    write("unread.jsonl", &transcope::diagnostic::Code::CallInText.info().bad);
    write("demo.txt", include_bytes!("../../samples/demo.txt"));
    write("hostile.txt", include_bytes!("../../samples/gadget/hostile-ticket.txt"));
    write("dependencies.txt", include_bytes!("../../samples/gadget/dependency-mistakes.txt"));
    write("labels.txt", b"!!!GADGET_START:A\"<b>`#\\:x\"]--;%%:ghost\"\n!!!ARG:a\n1\n!!!GADGET_END\n");
    let (gzip, zstd) = compressed(GOOD.as_bytes());
    write("good.gz", &gzip);
    let wide: Vec<u8> = format!("\u{feff}{GOOD}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("good.utf16", &wide);
    write("good.zst", &zstd);
    write("cut.gz", &gzip[..gzip.len() - 20]);
    write("quiet.yaml", b"color: never\n");
    write("filters.yaml", b"filters: { lost: skipped }\nmain_arguments: [ticket]\n");
    write("faulty.yaml", b"filters: { lost: \"skiped:\" }\n");
    write("ring.yaml", b"name: ring\nextends: ring.yaml\n");
    write("plain.yaml", b"linear: true\n");
    write("session.jsonl", include_bytes!("../../samples/containers/claude-code/late-ferry.jsonl"));
    let session = include_str!("../../samples/containers/claude-code/late-ferry.jsonl");
    write("preceded.jsonl", format!("npm warn old lockfile\n{session}").as_bytes());
    write("custom.yaml", b"start_prefix: \"<<<TOOL:\"\nend_prefix: \"<<<END\"\narg_prefix: \"@param:\"\n");
    write("wrong.yaml", b"colour: never\n");
    write("keys.yaml", b"wrap: true\nkeys:\n  serach: [x]\n");
    write("themed.yaml", b"wrap: true\ntheme: drak\n");
    write("portable.yaml", b"portable: [vlm]\n");
    write("dialects.yaml", b"wrap: true\ndialects: [gadgt]\n");
    std::fs::create_dir(folder.path().join("sub")).expect("a folder can be made");
    folder
}

/// The text as gzip and as zstd.
fn compressed(text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text).expect("into memory");
    let zstd = ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest);
    (gzip.finish().expect("into memory"), zstd)
}

const GOOD: &str = "Hello!\n\n!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!ARG:times\n3\n!!!GADGET_END\n";
const BAD: &str = "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!ARG:name\nGrace\n!!!GADGET_END\n";
const UNKNOWN: &str = "{\"type\": \"session.start\", \"data\": {}}\n{\"type\": \"abort\", \"data\": {}}\n";
const WAITING: &str = "!!!GADGET_START:Greet:a:b\n!!!GADGET_END\n!!!GADGET_START:Greet:c:a\n!!!GADGET_END\n";
const CUSTOM: &str = "<<<TOOL:Greet\n@param:name\nAda\n<<<END\n";

#[test]
fn several_calls_in_a_message_are_an_error_where_one_is_the_rule() {
    const CARETS: &[u8] = b"^^^list_files\npath: src\n^^^\n^^^list_files\npath: docs\n^^^\n";
    let folder = folder();
    for (flags, code, expected) in [
        (&[][..], 0, "hint[several-calls]"),
        (&["--one-call-per-message"], 1, "error[several-calls]"),
        (&["--one-call-per-message", "--dialect", "gadget"], 0, "no problems in 1 file\n"),
    ] {
        let run = run_in(folder.path(), &[&["check", "-"], flags].concat(), &[], CARETS);
        assert_eq!(run.code, code, "{flags:?}: {}", run.stdout);
        assert!(run.stdout.contains(expected), "{flags:?}: {}", run.stdout);
    }
}

#[test]
fn colours_follow_flag_environment_and_file_in_this_order() {
    let folder = folder();
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["check", "bad.txt"], arguments].concat();
        run_in(folder.path(), &arguments, variables, b"").stdout.contains('\u{1b}')
    };
    for (arguments, variables, expected) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
        (&["--color", "always"], &[("TERM", "dumb")], true),
        (&[], &[("TRANSCOPE_COLOR", "always")], true),
        (&["--color", "never"], &[("TRANSCOPE_COLOR", "always")], false),
        (&["--config", "quiet.yaml"], &[("TRANSCOPE_COLOR", "always")], true),
        (&["--config", "quiet.yaml"], &[], false),
    ] {
        assert_eq!(colored(arguments, variables), expected, "{arguments:?} {variables:?}");
    }
}

#[test]
fn the_own_configuration_is_read_and_none_beside_the_transcript() {
    let folder = folder();
    for place in ["config.yaml", "transcope.yaml", ".transcope.yaml"] {
        std::fs::copy(folder.path().join("custom.yaml"), folder.path().join(place)).expect("a file can be copied");
    }
    assert_eq!(run_in(folder.path(), &["graph"], &[], CUSTOM.as_bytes()).stdout, "no calls\n");
    let own = folder.path().join("config/transcope");
    std::fs::create_dir_all(&own).expect("a folder can be made");
    std::fs::copy(folder.path().join("custom.yaml"), own.join("config.yaml")).expect("a file can be copied");
    assert_eq!(run_in(folder.path(), &["graph"], &[], CUSTOM.as_bytes()).stdout, "wave 1\n  gadget_1  Greet\n");
}

#[test]
fn a_theme_of_the_own_folder_is_listed_with_its_path_and_found_by_its_name() {
    let folder = folder();
    let own = folder.path().join("config/transcope/themes");
    std::fs::create_dir_all(&own).expect("a folder can be made");
    let theme = "name: mine\nabout: louder\nextends: light\npalette: {red: '#ff0000'}\n";
    std::fs::write(own.join("mine.yaml"), theme).expect("a file can be made");
    let listed = run_in(folder.path(), &["--list-themes"], &[], b"").stdout;
    let line = listed.lines().last().expect("there are themes");
    let path = own.join("mine.yaml").display().to_string();
    assert_eq!(
        line.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect::<Vec<_>>(),
        ["mine", "louder", &path]
    );
    assert_eq!(run_in(folder.path(), &["--theme", "mine", "good.txt"], &[], b"").code, 0);
}

#[test]
fn human_output_matches_snapshots() {
    let folder = folder();
    for (name, arguments) in [
        ("text", &["parse", "--format", "text", "demo.txt"][..]),
        ("text_narrow", &["parse", "--format", "text", "--width", "40", "demo.txt"]),
        ("text_hostile", &["parse", "--format", "text", "hostile.txt"]),
        ("linear", &["--linear", "demo.txt"]),
        ("linear_session", &["--linear", "session.jsonl"]),
        ("linear_hostile", &["--linear", "hostile.txt"]),
        ("check", &["check", "demo.txt"]),
        ("check_hostile", &["check", "hostile.txt"]),
        ("check_github", &["check", "--format", "github", "demo.txt"]),
        ("check_colored", &["check", "--color", "always", "bad.txt"]),
        ("check_json", &["check", "--format", "json", "bad.txt", "nope.txt"]),
        ("graph", &["graph", "demo.txt"]),
        ("graph_mistakes", &["graph", "dependencies.txt"]),
        ("graph_dot", &["graph", "--format", "dot", "dependencies.txt"]),
        ("graph_mermaid", &["graph", "--format", "mermaid", "dependencies.txt"]),
        ("graph_json", &["graph", "--format", "json", "dependencies.txt"]),
        ("labels_dot", &["graph", "--format", "dot", "labels.txt"]),
        ("labels_mermaid", &["graph", "--format", "mermaid", "labels.txt"]),
        ("explain_list", &["explain"]),
        ("explain_code", &["explain", "duplicate-pointer"]),
        ("explain_bytes", &["explain", "invalid-utf8"]),
        ("dialects", &["dialects"]),
        ("grep", &["grep", "not is:text", "demo.txt"]),
        ("help_grep", &["grep", "--help"]),
        ("help", &["--help"]),
        ("help_check", &["check", "--help"]),
    ] {
        let run = run_in(folder.path(), arguments, &[], b"");
        snapshot::matches("cli", name, &run.stdout.replace('\u{1b}', "␛"));
    }
}

#[test]
fn no_output_holds_what_a_terminal_would_act_upon() {
    let folder = folder();
    for arguments in [
        &["parse", "hostile.txt"][..],
        &["parse", "--format", "ndjson", "hostile.txt"],
        &["parse", "--format", "events", "hostile.txt"],
        &["parse", "--format", "text", "hostile.txt"],
        &["--linear", "hostile.txt"],
        &["check", "hostile.txt"],
        &["check", "--format", "json", "hostile.txt"],
        &["check", "--format", "sarif", "hostile.txt"],
        &["check", "--format", "github", "hostile.txt"],
        &["grep", "is:call or is:text", "hostile.txt"],
        &["grep", "--format", "ndjson", "is:call or is:text", "hostile.txt"],
        &["grep", "--format", "csv", "is:call or is:text", "hostile.txt"],
        &["parse", "--format", "text", "--filter", "\u{1b}]0;x\u{7}", "hostile.txt"],
        &["check", "--filter", "\u{1b}]0;x\u{7}", "hostile.txt"],
        &["graph", "hostile.txt"],
        &["graph", "--format", "dot", "hostile.txt"],
        &["graph", "--format", "mermaid", "hostile.txt"],
        &["graph", "--format", "json", "hostile.txt"],
    ] {
        let run = run_in(folder.path(), arguments, &[], b"");
        let act = run.stdout.chars().find(|&c| {
            (c.is_control() && c != '\n')
                || (transcope::text::sanitize::is_hidden(c) && !matches!(c, '\u{200d}' | '\u{fe0f}'))
        });
        assert_eq!(act, None, "{arguments:?}");
    }
}

#[test]
fn rows_of_text_fit_into_the_width() {
    let folder = folder();
    for width in [20, 33, 80] {
        let arguments = ["parse", "--format", "text", "--width", &width.to_string(), "demo.txt"];
        for row in run_in(folder.path(), &arguments, &[], b"").stdout.lines() {
            let columns = transcope::text::wrap::display_width(row.as_bytes());
            assert!(columns <= width, "{columns} columns at {width}: {row}");
        }
    }
}

#[test]
fn sarif_names_a_rule_and_a_region_for_each_result() {
    let folder = folder();
    let run = run_in(folder.path(), &["check", "--format", "sarif", "bad.txt", "demo.txt"], &[], b"");
    let log: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(log["version"], "2.1.0");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("there are rules");
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    assert!(results.len() > 8);
    for result in results {
        let rule = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("a number");
        assert_eq!(rules[rule]["id"], result["ruleId"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert!(region["startLine"].as_u64() >= Some(1) && region["endLine"].as_u64() >= region["startLine"].as_u64());
    }
    assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], "first given here");
}

/// Longest wait for a line.
const DEADLINE: Duration = Duration::from_secs(20);

/// The lines of an output as they arrive.
fn lines_of(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if line.is_err() || line.is_ok_and(|line| sender.send(line).is_err()) {
                return;
            }
        }
    });
    receiver
}

#[test]
fn a_record_is_written_while_the_input_is_still_open() {
    let folder = folder();
    let mut child = program(folder.path())
        .args(["parse", "--format", "ndjson"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("the input is a pipe");
    let lines = lines_of(child.stdout.take().expect("the output is a pipe"));
    let next = || lines.recv_timeout(DEADLINE).expect("there is a line in time");
    stdin.write_all(GOOD.as_bytes()).expect("the program reads");
    stdin.flush().expect("the program reads");
    assert!(next().starts_with("{\"type\":\"text\""));
    assert!(next().starts_with("{\"type\":\"call\""));
    drop(stdin);
    assert!(next().starts_with("{\"type\":\"text\""));
    assert_eq!(next(), "{\"type\":\"end\",\"calls\":1,\"errors\":0,\"warnings\":0}");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_followed_file_gives_a_record_for_what_is_added() {
    let folder = folder();
    let path = folder.path().join("good.txt");
    let mut child = program(folder.path())
        .args(["parse", "-f", "--format", "ndjson", "good.txt"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let lines = lines_of(child.stdout.take().expect("the output is a pipe"));
    let next = || lines.recv_timeout(DEADLINE).expect("there is a line in time");
    assert!(next().starts_with("{\"type\":\"text\""));
    assert!(next().contains("\"id\":\"greet_1\""));
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("the file can be opened");
    file.write_all(GOOD.replace("greet_1", "greet_2").as_bytes()).expect("the file can be written");
    assert!(next().starts_with("{\"type\":\"text\""));
    assert!(next().contains("\"id\":\"greet_2\""));
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
}

#[test]
fn lines_are_appended_while_a_file_grows_and_none_comes_twice() {
    let folder = folder();
    let path = folder.path().join("good.txt");
    let mut child = program(folder.path())
        .args(["--linear", "-f", "good.txt"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let lines = lines_of(child.stdout.take().expect("the output is a pipe"));
    let shows = |expected: &[&str]| {
        for line in expected {
            assert_eq!(lines.recv_timeout(DEADLINE).expect("there is a line in time"), *line);
        }
    };
    let call = |id: &'static str| [id, "  name: \"Ada\"", "  times: 3"];
    let add = |text: &str| {
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("the file can be opened");
        file.write_all(text.as_bytes()).expect("the file can be written");
    };
    shows(&["text:", "  Hello!"]);
    shows(&call("tool Greet call: greet_1"));
    // A line of prose is final when it ends, although the text continues.
    add("One.\nTw");
    shows(&["text:", "  One."]);
    add("o.\n\n");
    shows(&["  Two."]);
    add(&GOOD.replace("greet_1", "greet_2"));
    shows(&["", "  Hello!"]);
    shows(&call("tool Greet call: greet_2"));
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
}

#[test]
fn linear_output_has_no_sign_that_the_file_does_not_have() {
    let folder = folder();
    for name in ["demo.txt", "bad.txt", "warned.txt"] {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a text");
        let lines = run_in(folder.path(), &["--linear", name], &[], b"").stdout;
        // An ellipsis is punctuation, which help texts have.
        let sign = lines.chars().find(|&c| !c.is_ascii() && c != '…' && !text.contains(c));
        assert_eq!(sign, None, "{name}: {lines}");
    }
}

#[test]
fn tee_saves_the_exact_bytes() {
    let folder = folder();
    let saved = || std::fs::read(folder.path().join("raw")).expect("it was saved");
    let (gzip, _) = compressed(GOOD.as_bytes());
    let bytes = [&b"\xff\0\r\n"[..], GOOD.as_bytes()].concat();
    let run = run_in(folder.path(), &["parse", "--tee", "raw"], &[], &bytes);
    assert_eq!((run.code, saved()), (0, bytes.clone()), "{}", run.stderr);
    let run = run_in(folder.path(), &["parse", "--tee", "raw", "--tee-append", "--", "cat"], &[], &gzip);
    assert!(run.stdout.contains("greet_1"), "what is compressed is saved as it comes and read");
    assert_eq!((run.code, saved()), (0, [&bytes[..], &gzip].concat()), "{}", run.stderr);
}

#[test]
fn a_signal_reaches_the_command_whose_records_are_finished() {
    let folder = folder();
    let line = "trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 1; done";
    let mut child = program(folder.path())
        .args(["parse", "--format", "events", "--", "sh", "-c", line])
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let lines = lines_of(child.stdout.take().expect("the output is a pipe"));
    let next = || lines.recv_timeout(DEADLINE).expect("there is a line in time");
    while !next().contains("ready") {}
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    while !next().contains("caught") {}
    while !next().contains("finish") {}
    assert_eq!(child.wait().expect("it ends").code(), Some(5));
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let folder = folder();
    std::fs::write(folder.path().join("long.txt"), BAD.repeat(5000)).expect("a file can be made");
    for arguments in [
        &["parse", "long.txt"][..],
        &["parse", "--format", "ndjson", "long.txt"],
        &["parse", "--format", "text", "long.txt"],
        &["check", "long.txt"],
        &["check", "--format", "sarif", "long.txt"],
        &["grep", "tool:*", "long.txt"],
    ] {
        let mut child = program(folder.path())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut first = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        reader.read_line(&mut first).expect("it can be read");
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn what_a_stream_takes_back_is_marked_and_does_not_count() {
    let stream = include_bytes!("../../samples/containers/ai-sdk-stream/withdrawn.sse");
    let folder = folder();
    let json = run_in(folder.path(), &["parse", "-"], &[], stream).stdout;
    let json: Value = serde_json::from_str(&json).expect("one object");
    let items = json["items"].as_array().expect("items");
    let gone = |item: &&Value| item["withdrawn"] == true;
    let words = |item: &Value| ["name", "content", "text"].map(|key| item[key].as_str().unwrap_or_default()).concat();
    let gone: Vec<String> = items.iter().filter(gone).map(words).map(|words| words.trim().to_owned()).collect();
    assert_eq!(
        gone,
        ["This is bad.", "Gone", "", "old", "", "old output", "half", "bad input", "Taken back as well.", "f"]
    );
    assert!(
        items.iter().all(|item| item.get("withdrawn").is_none_or(|flag| flag == true)),
        "it is said only where it is so"
    );
    let lines = run_in(folder.path(), &["parse", "--format", "ndjson", "-"], &[], stream).stdout;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let told = lines.iter().filter(|line| line["type"] == "withdrawn").count();
    assert_eq!((told, &lines[lines.len() - 1]["calls"]), (gone.len(), &3.into()));
    let graph = run_in(folder.path(), &["graph", "--format", "dot", "-"], &[], stream).stdout;
    assert!(graph.contains("c1") && !graph.contains("old") && !graph.contains("Gone"), "{graph}");
    let text = run_in(folder.path(), &["parse", "--format", "text", "-"], &[], stream).stdout;
    assert!(text.contains("(withdrawn)\nThis is bad.") && text.contains("not read by the runtime"), "{text}");
    assert!(!text.contains("(withdrawn)\nKept") && !text.contains("(withdrawn)\nSaid"), "{text}");
}
