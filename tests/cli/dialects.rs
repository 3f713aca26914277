//! Dialects of users: files on the command line, folders that are discovered, and the commands for them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{program, run_in};

/// A dialect with distinct markers.
const MINE: &str = "dialect: mine\nexample: '<do f>{}</do>'\ncall: {open: \"<do {name}>\", close: \"</do>\"}\n\
    arguments: {kind: json}\n";

/// The same markers under the same name, with another kind of arguments.
const OTHER: &str = "dialect: mine\nexample: '<do f>x</do>'\ncall: {open: \"<do {name}>\", close: \"</do>\"}\n\
    arguments: {kind: text, key: words}\n";

const CALL: &str = "Look.\n<do list>{\"path\": \"src\"}</do>\n";

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be made");
}

/// A folder with declarations, good and bad, and texts.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in [
        ("mine.yaml", MINE),
        ("other.yaml", OTHER),
        ("slip.yaml", &MINE.replace("close", "clsoe")),
        ("named.yaml", &format!("{MINE}read: named\n")),
        ("pairs.yaml", include_str!("../data/notations/pairs.yaml")),
        ("auto.yaml", &MINE.replace("dialect: mine", "dialect: auto")),
        (
            "wrong.yaml",
            &format!(
                "{MINE}examples:\n- text: '<do f>{{\"a\": 1}}</do>'\n  calls: [{{name: f, arguments: {{a: 2}}}}]\n"
            ),
        ),
        (
            "hermes.yaml",
            &MINE
                .replace("<do {name}>\"", "<tool_call>\"")
                .replace("</do>\"", "</tool_call>\"")
                .replace("'<do f>{}</do>'", "'<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>'")
                .replace("json", "json_calls"),
        ),
        ("call.txt", CALL),
        ("calls.txt", "<do list>{\"path\": \"src\"}</do>\nand\n<do read>{\"path\": \"a\"}</do>\n"),
        (
            "chat.jinja",
            "{% for m in messages %}{{ m.role }}: {{ m.content }}{% for c in m.tool_calls or [] %}<do {{ c.function.name }}>\
             {{ c.function.arguments|tojson }}</do>{% endfor %}\n{% endfor %}",
        ),
        ("plain.jinja", "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"),
        ("broken.jinja", "{% for m in messages %}"),
        ("prose.txt", "Nothing of that kind.\n\n- one\n- two\n"),
    ] {
        write(folder.path(), name, text);
    }
    folder
}

/// Arguments; exit code, a part of the output and of standard error. `""` means that nothing is printed.
type Case = (&'static [&'static str], i32, &'static str, &'static str);

const CASES: &[Case] = &[
    // A file on the command line.
    (&["graph", "call.txt"], 0, "no calls\n", ""),
    (&["graph", "--dialect-file", "mine.yaml", "call.txt"], 0, "wave 1\n  mine_1  list\n", ""),
    (&["graph", "--dialect-file", "named.yaml", "call.txt"], 0, "wave 1\n  mine_1  list\n", ""),
    (&["graph", "--dialect", "gadget", "--dialect-file", "mine.yaml", "call.txt"], 0, "mine_1  list\n", ""),
    (
        &["parse", "--format", "text", "--dialect-file", "mine.yaml", "--dialect-file", "other.yaml", "call.txt"],
        0,
        "└─ words: \"{\"path\": \"src\"}\"\n",
        "",
    ),
    (
        &["convert", "--to", "mine", "--dialect-file", "mine.yaml", "call.txt"],
        0,
        "<do list>{\"path\":\"src\"}</do>",
        "",
    ),
    (
        &["convert", "--to", "run-pairs", "--dialect-file", "mine.yaml", "--dialect-file", "pairs.yaml", "call.txt"],
        0,
        "<run list>path=\"src\"</run>",
        "",
    ),
    (&["grep", "--dialect-file", "mine.yaml", "dialect:mine", "call.txt"], 0, "call list", "1 match in 1 of 1 file\n"),
    // Invalid declarations.
    (
        &["graph", "--dialect-file", "slip.yaml", "call.txt"],
        2,
        "",
        "error: could not use the dialect file slip.yaml:3:29: unknown: clsoe; it can be: ",
    ),
    (&["graph", "--dialect-file", "slip.yaml", "call.txt"], 2, "", "; did you mean close?\n"),
    (
        &["graph", "--dialect-file", "nope.yaml", "call.txt"],
        2,
        "",
        "error: could not read the dialect file nope.yaml: no such file",
    ),
    (&["graph", "--dialect-file", "auto.yaml", "call.txt"], 2, "", "no dialect is called auto\n"),
    // Names.
    (&["graph", "--dialect", "mine", "--dialect-file", "mine.yaml", "call.txt"], 0, "mine_1  list\n", ""),
    (
        &["graph", "--dialect", "hremes", "call.txt"],
        2,
        "",
        "error: unknown dialect \"hremes\"; did you mean \"hermes\"?\n",
    ),
    (
        &["graph", "--dialect", "pascal", "call.txt"],
        2,
        "",
        "unknown dialect \"pascal\"; transcope dialects lists them all\n",
    ),
    (&["graph", "--dialect", "sglang:qwen25", "call.txt"], 0, "no calls\n", ""),
    (
        &["graph", "--dialect", "vllm:nope", "call.txt"],
        2,
        "",
        "unknown parser \"nope\" of vllm; the known ones are: apertus,",
    ),
    // Tests of a declaration.
    (
        &["dialect", "check", "mine.yaml"],
        0,
        "mine.yaml: dialect mine: 1 call read in 1 text\nno problems in 1 file\n",
        "",
    ),
    (&["dialect", "check", "pairs.yaml"], 0, "pairs.yaml: dialect run-pairs: ", ""),
    (&["dialect", "check", "slip.yaml"], 1, " --> slip.yaml:3:29\n", ""),
    (
        &["dialect", "check", "wrong.yaml"],
        1,
        "examples 1, line 1: parameter a of call 1 of f differs\n --> wrong.yaml:6:10\n",
        "",
    ),
    (&["dialect", "check", "wrong.yaml"], 1, "= expected 2, found 1\n", ""),
    (&["dialect", "check", "hermes.yaml"], 0, "warning[ambiguous-dialect]: it takes calls of hermes, ", ""),
    (&["dialect", "check", "mine.yaml", "nope.yaml"], 2, "in 1 file\n", "could not read the dialect file nope.yaml"),
    (&["dialect", "check", "--format", "github", "slip.yaml"], 1, "::error file=slip.yaml,line=3", ""),
    (&["dialect", "check", "--format", "sarif", "slip.yaml"], 1, "\"invalid-declaration\"", ""),
    // Showing dialects.
    (&["dialect", "show", "hermes"], 0, "dialect: hermes\n", ""),
    (&["dialect", "show", "mine", "--dialect-file", "mine.yaml"], 0, "dialect: mine\n", ""),
    (&["dialect", "show", "sglang:qwen25"], 0, "dialect: hermes\n", ""),
    (&["dialect", "show", "gadget"], 0, "# gadget is written in Rust and has no declaration.\n", ""),
    (&["dialect", "show", "mine"], 2, "", "error: unknown dialect \"mine\"; "),
    (&["dialects", "--dialect-file", "named.yaml"], 0, "mine (when it is named)\n", ""),
    // Proposals.
    (
        &["dialect", "new", "--from-text", "calls.txt"],
        0,
        "open: \"<do {name}>\", close: \"</do>\"",
        "reads 2 of 2 calls in this text (list, read); likely\n",
    ),
    (
        &["dialect", "new", "--from-template", "chat.jinja"],
        0,
        "call: {open: \"<do {name}>\", close: \"</do>\"}\n",
        "reads 18 of 18 probes\n",
    ),
    (
        &["dialect", "new", "--from-template", "plain.jinja"],
        1,
        "",
        "no declaration: plain.jinja writes no call that can be",
    ),
    (&["dialect", "new", "--from-template", "broken.jinja"], 1, "", "error: broken.jinja:1: unexpected end of input"),
    (&["dialect", "new", "--from-template", "none.jinja"], 2, "", "none.jinja"),
    (&["dialect", "new", "--from-template", "chat.jinja", "--from-text", "call.txt"], 2, "", "cannot be used with"),
    (&["dialect", "new"], 2, "", "--from-text"),
    (&["dialect", "new", "--from-text", "prose.txt"], 1, "", "no calls of an unknown syntax found: "),
    (
        &["dialect", "new", "--from-text", "calls.txt", "-o", "mine.yaml"],
        2,
        "",
        "error: could not write mine.yaml: it exists; choose another name\n",
    ),
    (
        &["dialect", "new", "--from-text", "calls.txt", "--name", "a b"],
        2,
        "",
        "error: --name \"a b\": a name has letters,",
    ),
    (&["dialect", "new", "--from-text", "none.txt"], 2, "", "error: could not open none.txt: no such file"),
];

#[test]
fn a_dialect_of_ones_own_is_read_tested_and_proposed() {
    let folder = folder();
    let mut faults = Vec::new();
    for (arguments, code, stdout, stderr) in CASES {
        let run = run_in(folder.path(), arguments, &[], b"");
        let is_fine =
            |written: &str, expected: &str| written.contains(expected) && (!expected.is_empty() || written.is_empty());
        if run.code != *code || !is_fine(&run.stdout, stdout) || !is_fine(&run.stderr, stderr) {
            faults.push(format!(
                "{arguments:?} gave {}\n--- stdout, expected {stdout:?}\n{}\n--- stderr, expected {stderr:?}\n{}",
                run.code, run.stdout, run.stderr
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn what_is_proposed_passes_its_own_test_and_reads_the_text() {
    let folder = folder();
    let run = |arguments: &[&str]| run_in(folder.path(), arguments, &[], b"");
    assert_eq!(run(&["dialect", "new", "--from-text", "calls.txt", "-o", "new.yaml"]).code, 0);
    assert_eq!(
        run(&["dialect", "check", "new.yaml"]).stdout,
        "new.yaml: dialect mine: 2 calls read in 2 texts\nno problems in 1 file\n"
    );
    assert_eq!(
        run(&["graph", "--dialect-file", "new.yaml", "calls.txt"]).stdout,
        "wave 1: 2 in parallel\n  mine_1  list\n  mine_2  read\n"
    );
}

#[test]
fn folders_are_read_in_their_order_and_a_faulty_file_is_left_out_once() {
    let folder = folder();
    let read = |arguments: &[&str], place: &str| {
        fs::create_dir_all(folder.path().join(place)).expect("a folder can be made");
        let mut command = program(&folder.path().join(place));
        let call = folder.path().join("call.txt");
        let config = folder.path().join("config");
        command
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", config)
            .args(["parse", "--format", "text"])
            .args(arguments);
        let output = command.arg(call).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (as_json, as_text, none) = ("└─ path: \"src\"", "└─ words:", "<do list>");
    let file = folder.path().join("mine.yaml").display().to_string();
    assert!(read(&[], "").0.contains(none));
    write(folder.path(), "config/transcope/dialects/a.yaml", MINE);
    assert!(read(&[], "").0.contains(as_json), "a file of the person");
    write(folder.path(), "work/.git/HEAD", "");
    write(folder.path(), "work/.transcope/dialects/b.yaml", OTHER);
    assert!(read(&[], "work/deep/er").0.contains(as_text), "the project's goes before the person's");
    assert!(read(&[], "elsewhere").0.contains(as_json), "it is no other project's");
    assert!(read(&["--dialect-file", &file], "work").0.contains(as_json), "a named file goes before all");
    assert!(read(&["--dialect", "gadget"], "work").0.contains(none), "one that is not named is not read");
    assert!(read(&["--dialect", "mine"], "work").0.contains(as_text), "one of a folder can be named");
    write(folder.path(), "work/.transcope/dialects/c.yaml", &MINE.replace("call:", "cal:"));
    let (shown, warned) = read(&[], "work");
    assert!(shown.contains(as_text), "{shown}{warned}");
    assert_eq!(warned.matches("warning: left out a dialect: could not use the dialect file ").count(), 1, "{warned}");
    assert!(warned.contains("c.yaml:3:1: "), "{warned}");
}

#[test]
fn a_bundle_brings_the_declarations_that_it_is_read_with() {
    let folder = folder();
    let bundled = run_in(folder.path(), &["bundle", "--dialect-file", "mine.yaml", "call.txt"], &[], b"");
    assert_eq!(bundled.code, 0, "{}", bundled.stderr);
    let read = run_in(folder.path(), &["graph", "call.transcope.zip"], &[], b"");
    assert_eq!(read.parts(), (0, "wave 1\n  mine_1  list\n".to_owned(), String::new()));
}

#[test]
fn the_list_says_when_each_dialect_is_read_and_where_it_comes_from() {
    let folder = folder();
    let run = run_in(folder.path(), &["dialects", "--format", "json", "--dialect-file", "named.yaml"], &[], b"");
    let json: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let row = |name: &str| {
        let rows = json["dialects"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["name"] == name).expect("it is listed");
        ["read", "origin"].map(|key| row[key].as_str().unwrap_or_default().to_owned())
    };
    for (name, expected) in
        [("gadget", ["always", "code"]), ("hermes", ["always", "program"]), ("mine", ["named", "user"])]
    {
        assert_eq!(row(name), expected, "{name}");
    }
}
