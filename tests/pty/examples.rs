//! Every command line in the README, the guide, in `CORPUS.md` and in the help of every command (which the manual repeats), run as
//! a user would type it.
//!
//! The files that they name exist, and programs that may be missing are replaced with scripts.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::documents::text_of_documents;
use super::terminal::Terminal;
use super::{PROGRAM, home};

/// Printed by the shell when an example has ended.
const ENDED: &str = "the example has ended";

/// The command lines of the documents, without their descriptions, and those of workflows in them.
fn examples_of_documents() -> Vec<String> {
    let documents = text_of_documents();
    let blocks = documents.split("```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let lines = blocks.flat_map(str::lines).map(|line| line.split("  #").next().unwrap_or(line).trim());
    let steps = documents.lines().filter_map(|line| line.trim().strip_prefix("run: "));
    lines.chain(steps).filter(|line| is_example(line)).map(|line| line.replace(['[', ']'], "")).collect()
}

/// The command lines of a help text: they are below a line that ends with `xamples:`, and a description follows two
/// spaces.
fn examples_of_help(help: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut is_list = false;
    for line in help.lines() {
        is_list = (is_list && !line.is_empty()) || line.ends_with("xamples:");
        let example = line.trim().split("  ").next().unwrap_or_default();
        if is_list && is_example(example) {
            examples.push(example.to_owned());
        }
    }
    examples
}

fn is_example(line: &str) -> bool {
    line.starts_with("transcope") || line.starts_with("agent |")
}

/// A home with every file that an example names.
fn furnished() -> TempDir {
    let home = home();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let demo = fs::read(samples.join("demo.txt")).expect("the demonstration");
    let recorded = fs::read(samples.join("containers/claude-code/late-ferry.jsonl")).expect("a sample");
    let stream = fs::read(samples.join("containers/openai-chat-stream/side-by-side.sse")).expect("a sample");
    let answer = fs::read(samples.join("runtimes/26-prose-behind.txt")).expect("a sample");
    let tools = fs::read(samples.join("runtimes/tools.json")).expect("a sample");
    symlink(&samples, home.path().join("samples")).expect("a link can be made");
    let call = b"!!!GADGET_START:Greet:g\n!!!ARG:name\nAda\n!!!GADGET_END\n";
    // A zstd frame with one uncompressed block.
    let size = call.len() as u8;
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, size, 1 | (size & 31) << 3, size >> 5, 0], &call[..]].concat();
    for (path, bytes) in [
        ("session.md", &demo[..]),
        ("session.txt", &demo),
        ("session.jsonl", &recorded),
        ("session.txt.zst", &frame),
        ("agent.log", call),
        (
            "harbour.yaml",
            b"container: harbour\ndetect: {kind: '*'}\nrecords: [{when: {kind: a}, role: user, content: b}]\n",
        ),
        ("odd.jsonl", include_bytes!("odd.jsonl")),
        ("texts.jsonl", b"\"Hi\"\n{\"id\": 1, \"text\": \"Hi\"}\n"),
        ("chat.jinja", TEMPLATE),
        ("tokenizer.json", b"{\"added_tokens\": [{\"id\": 1, \"content\": \"<s>\", \"special\": true}]}"),
        ("talk.json", b"[{\"role\": \"user\", \"content\": \"Hi\"}]"),
        ("log.jsonl", b"{\"kind\": \"a\", \"b\": \"Hi\"}\n"),
        ("odd.log", b"<do list>{\"path\": \"src\"}</do>\n<do read>{\"path\": \"a\"}</do>\n"),
        ("run/a.log", call),
        ("run/b.log", call),
        ("logs/one.txt", call),
        ("before.txt", call),
        ("after.txt", &demo),
        ("before.jsonl", &recorded),
        ("after.jsonl", &recorded),
        ("old-prompt/clock.jsonl", &recorded),
        ("new-prompt/clock.jsonl", &stream),
        ("before.md", call),
        ("after.md", &demo),
        ("prompt.txt", call),
        ("stream.sse", &stream),
        ("prompts/cases/greet.txt", call),
        ("tools.json", &tools),
        ("answer.txt", &answer),
        ("answers/one.txt", &answer),
        (".claude/projects/x/session.jsonl", &recorded),
    ] {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be made");
    }
    let wrapper = format!("\"{PROGRAM}\" \"$@\"\ncode=$?\necho $code >>\"$HOME/codes\"\nexit $code");
    for (name, script) in [
        ("transcope", wrapper.as_str()),
        ("agent", "cat \"$HOME/agent.log\""),
        ("jq", "cat"),
        ("less", "cat"),
        ("dot", "cat"),
        ("duckdb", "cat"),
    ] {
        let path = home.path().join("bin").join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file can be made");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    home
}

/// A template that writes calls.
const TEMPLATE: &[u8] = b"{% for message in messages %}{{ message.role }}: {{ message.content }}\
    {% for call in message.tool_calls or [] %}<do {{ call.function.name }}>{{ call.function.arguments|tojson }}</do>\
    {% endfor %}\n{% endfor %}";

/// Creates the output of an earlier command that an example opens.
fn prepare(home: &Path, example: &str) {
    let before = [
        ("transcope session.transcope.zip", "transcope bundle session.jsonl"),
        ("--baseline known.json", "transcope check --format json logs >known.json"),
        (" check mine.yaml", "transcope dialect new --from-text odd.log -o mine.yaml"),
        ("json mine.yaml", "transcope dialect new --from-text odd.log -o mine.yaml"),
        ("transcope stats index", "transcope index logs -o index"),
        ("transcope stats out", "transcope index logs -o out"),
        ("transcope ./index", "transcope index logs -o index"),
        ("--dialect-file mine.yaml", "transcope dialect new --from-text odd.log -o mine.yaml"),
    ];
    for (_, line) in before.iter().filter(|(words, _)| example.contains(words)) {
        let path = format!("{}:/usr/bin:/bin", home.join("bin").display());
        let mut shell = Command::new("/bin/sh");
        let output = shell.args(["-c", line]).env("PATH", path).env("HOME", home).current_dir(home).output();
        assert!(output.is_ok_and(|output| output.status.success()), "{line} is what {example} needs");
    }
}

/// Runs an example, leaves the screen if it opens one, and returns the exit codes of the program.
fn run(example: &str) -> Vec<String> {
    let home = furnished();
    prepare(home.path(), example);
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    let line = format!("{example}\nprintf '{ENDED}'");
    let mut terminal = Terminal::start("/bin/sh", &["-c".as_ref(), line.as_ref()], &[("PATH", &path)], home.path());
    let has_ended = |terminal: &Terminal| terminal.screen().contains(ENDED);
    let waits = example.contains("--linear");
    terminal.waits_for(example, |terminal| {
        has_ended(terminal) || terminal.model().alternate_screen() || (waits && terminal.screen().contains("call"))
    });
    if !has_ended(&terminal) {
        // Ctrl-q leaves a playground, ctrl-c stops endless output; leaving a running command asks for confirmation.
        terminal.types(if waits {
            "\x03"
        } else if example.contains("--edit") {
            "\x11"
        } else {
            "qq"
        });
    }
    terminal.ends();
    let codes = fs::read_to_string(home.path().join("codes")).unwrap_or_default();
    assert!(waits || !codes.is_empty(), "{example} was not run: {}", terminal.screen());
    codes.lines().map(str::to_owned).collect()
}

#[test]
fn every_command_line_that_is_printed_somewhere_can_be_run() {
    let output = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).output().expect("it runs");
        String::from_utf8(output.stdout).expect("it is text")
    };
    let help = output(&["--help"]);
    let commands = transcope::cli::Cli::command_names();
    let helps = commands.iter().filter(|name| *name != "help").map(|name| output(&[name.as_str(), "--help"]));
    let below = ["check", "show", "new"].map(|name| output(&["dialect", name, "--help"]));
    let mut examples: Vec<String> = [help]
        .into_iter()
        .chain(below)
        .chain(helps)
        .flat_map(|help| examples_of_help(&help))
        .chain(examples_of_documents())
        .collect();
    examples.sort();
    examples.dedup();
    assert!(examples.len() > 60, "{examples:#?}");
    let faults: Vec<String> = examples
        .iter()
        .filter_map(|example| {
            let codes = run(example);
            codes
                .iter()
                // It failed or panicked; a command that was interrupted ends with a signal.
                .any(|code| ["2", "101"].contains(&code.as_str()))
                .then(|| format!("{example}: {codes:?}"))
        })
        .collect();
    assert_eq!(faults, [""; 0]);
}
