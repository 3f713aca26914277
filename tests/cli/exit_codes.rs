//! Exit codes and messages for arguments and input.

use super::{BAD, CUSTOM, GOOD, UNKNOWN, WAITING, folder, run_in};

/// Arguments and standard input; exit code, a part of the output and of standard error. `""` means that nothing is
/// printed.
type Case = (&'static [&'static str], &'static str, i32, &'static str, &'static str);

const CASES: &[Case] = &[
    // Opening files, and printing without a terminal.
    (&[], GOOD, 0, "● Greet  greet_1\n├─ name: \"Ada\"\n└─ times: 3\n", ""),
    (&["good.txt"], "", 0, "Hello!\n\n● Greet  greet_1\n", ""),
    (&["-"], GOOD, 0, "● Greet  greet_1\n", ""),
    // An empty standard input, as in a build log, is not a transcript.
    (
        &[],
        "",
        0,
        "# Moving the invoices of Juniper & Pine\n",
        "standard input is empty: this is the built-in demo transcript",
    ),
    (&[], "", 0, "● OpenMigration", "; run transcope in a terminal to browse it\n"),
    (&["parse"], "", 0, "\"bytes\":0", ""),
    (
        &["--linear", "--alert", "end", "good.txt"],
        "",
        2,
        "",
        "error: --alert needs the screen; follow the log in a terminal without --linear, or remove the option\n",
    ),
    (&["--edit"], "", 2, "", "error: --edit needs a terminal\n"),
    (&["--at", "2", "good.txt"], "", 2, "", "error: --at needs a terminal; use transcope grep to print a part\n"),
    (&["parse", "--format", "text", "-"], GOOD, 0, "● Greet  greet_1\n", ""),
    (&["parse"], GOOD, 0, "\"path\":\"-\",\"bytes\":83", ""),
    (&["./good.txt"], "", 0, "● Greet  greet_1\n", ""),
    (&["good.txt", "bad.txt"], "", 0, "==> good.txt <==\nHello!\n", ""),
    // Keys.
    (&["man"], "", 0, "\n.TP\nsort\\-order   s\nchange the sort order\n", ""),
    // Themes.
    (
        &["--list-themes"],
        "",
        0,
        "mono              bold, dim, italic, underline and reverse alone, without colours  built",
        "",
    ),
    (&["--list-themes", "good.txt"], "", 2, "", "'--list-themes'"),
    (
        &["--theme", "drak", "good.txt"],
        "",
        2,
        "",
        "error: unknown theme drak; did you mean dark? (expected one of dark, light",
    ),
    (
        &["--theme", "ring.yaml"],
        "",
        2,
        "",
        "error: could not use the theme ring.yaml: extends: ring.yaml: themes extend",
    ),
    // Lines as soon as they are final.
    (
        &["--linear"],
        GOOD,
        0,
        "text:\n  Hello!\ntool Greet call: greet_1\n  name: \"Ada\"\n  times: 3\nend: 1 call,",
        "",
    ),
    (&["--linear", "--", "sh", "-c", "cat; exit 3"], GOOD, 3, "\ntool Greet call: greet_1\n", ""),
    (&["--linear", "good.txt", "bad.txt"], "", 0, "file: good.txt\ntext:\n  Hello!\n", ""),
    (&["--linear", "bad.txt"], "", 0, "tool Greet call: greet_1, rejected\n  name: \"Ada\"\nerror 4:8 dup", ""),
    (&["--linear", "-"], "text:\nend: 0 calls\n", 0, "text:\n  text:\n  end: 0 calls\nend: 0 calls, 0 errors", ""),
    (&["--linear", "--edit"], "", 2, "", "'--linear'"),
    (
        &["--linear", "-f", "good.txt", "bad.txt"],
        "",
        2,
        "",
        "error: only one transcript can be followed without a screen",
    ),
    (&["--config", "plain.yaml", "good.txt"], "", 0, "text:\n  Hello!\n", ""),
    (&["-f", "good.txt"], "", 2, "", "error: following needs a terminal, --linear, or transcope parse --format"),
    (&["parse", "--format", "text", "-"], WAITING, 0, "● Greet  a  ← b  (skipped)\n", ""),
    (&["parse", "--format", "text", "-"], WAITING, 0, "● Greet  c  ← a  (skipped)  its dependency a is skipped\n", ""),
    (&["parse", "--format", "text", "good.gz"], "", 0, "● Greet  greet_1\n", ""),
    (&["parse", "--format", "text", "good.zst"], "", 0, "● Greet  greet_1\n", ""),
    (&["check", "unread.jsonl"], "", 0, "hint[call-in-text]", ""),
    (
        &["check", "--text-calls", "ignore", "unread.jsonl"],
        "",
        0,
        "text is not searched for calls here: --text-calls\n",
        "",
    ),
    (&["parse", "--text-calls", "read", "--format", "text", "unread.jsonl"], "", 0, "● ls  tool-1-1", ""),
    (&["parse", "--dialect", "xml", "--format", "text", "unread.jsonl"], "", 0, "● ls", ""),
    (
        &["check", "good.utf16"],
        "",
        0,
        "no problems in 1 file\n",
        "the file is UTF-16; positions refer to the text converted to UTF-8",
    ),
    (&["check", "good.gz", "good.zst"], "", 0, "no problems in 2 files\n", ""),
    // Records that no container reads.
    (&["check", "-"], UNKNOWN, 0, "note: stdin: unknown format: read as plain text\n", ""),
    (&["check", "-"], UNKNOWN, 0, "\nno verdict on 1 file of unknown format\n", ""),
    (&["check", "--format", "json", "-"], UNKNOWN, 0, "\"unknown_format\"", ""),
    (&["check", "-"], "{\"name\": \"ls\", \"arguments\": {}}\n", 0, "no problems in 1 file\n", ""),
    (&["graph", "good.gz"], "", 0, "wave 1\n  greet_1  Greet\n", ""),
    // Commands: both streams, and the exit code.
    (&["--", "cat"], GOOD, 0, "● Greet  greet_1\n", ""),
    (&["parse", "--format", "text", "--", "sh", "-c", "cat; echo aside >&2; exit 3"], GOOD, 3, "● Greet", "aside\n"),
    (&["parse", "--format", "ndjson", "--", "sh", "-c", "cat; exit 3"], GOOD, 3, "\"id\":\"greet_1\"", ""),
    (&["parse", "--", "sh", "-c", "kill -9 $$"], "", 137, "\"items\"", ""),
    (&["parse", "--", "cat", "good.gz"], "", 0, "\"id\":\"greet_1\"", ""),
    (&["--", "no-such-program"], "", 2, "", "error: could not run no-such-program: no such file or directory\n"),
    (&["parse", "good.txt", "--", "cat"], "", 2, "", "error: parse reads one transcript: give a path or a command\n"),
    (&["-", "--", "cat"], "", 2, "", "error: standard input can only be read once: by one - or by the command\n"),
    // Copies of the input.
    (&["parse", "--tee", "good.txt"], GOOD, 2, "", "error: could not save to good.txt: it exists; choose another"),
    (&["parse", "--tee", "sub/none/x"], GOOD, 2, "", "error: could not save to sub/none/x: no such file or"),
    (&["parse", "--tee", "x.txt", "good.txt"], "", 2, "", "error: --tee copies piped input or command output"),
    (&["--tee", "x.txt", "good.txt", "bad.txt"], "", 2, "", "error: --tee copies piped input or command output"),
    (&["parse", "--tee-append", "good.txt"], "", 2, "", "--tee <FILE>"),
    // Unreadable and truncated files.
    (
        &["parse", "--format", "text", "cut.gz"],
        "",
        2,
        "Hello!",
        "error: could not read cut.gz: the gzip data is truncated",
    ),
    (
        &["parse", "--format", "ndjson", "cut.gz"],
        "",
        2,
        "\"end\"",
        "error: could not read cut.gz: the gzip data is truncated",
    ),
    (&["check", "cut.gz"], "", 2, "in 1 file\n", "error: could not read cut.gz: the gzip data is truncated\n"),
    (&["nope.txt"], "", 2, "", "nope.txt: no such file; check the name, or wait for it with -F\n"),
    (&["parse", "sub"], "", 2, "", "error: could not open sub"),
    (&["parse", "no\u{1b}[31mpe"], "", 2, "", "error: could not open no␛[31mpe: no such"),
    (&["parse", "--format", "ndjson", "nope.txt"], "", 2, "", "error: could not open nope.txt: no such"),
    // Wrong usage.
    (&["--them", "dark"], "", 2, "", "'--them' found; did you mean --theme? try transcope --help\n"),
    (&["check", "--contaner", "x", "y"], "", 2, "", "found; did you mean --container? try transcope check --help\n"),
    (&["dialect", "show", "--nope", "x"], "", 2, "", "'--nope' found; try transcope dialect show --help\n"),
    (&["check", "--format", "jsn", "x"], "", 2, "", "; did you mean json? try transcope check --help\n"),
    (&["parse", "--container", "claud", "x"], "", 2, "", "unknown container \"claud\"; did you mean claude-code?\n"),
    (&["parse", "--container", "codx", "x"], "", 2, "", "unknown container \"codx\"; did you mean codex?\n"),
    (&["parse", "--turns", "0-x", "good.txt"], "", 2, "", "error: --turns \"0-x\": write 3, 3-7, 3-, -7 or last\n"),
    (&["parse", "--range", "5m", "good.txt"], "", 2, "", "error: --range \"5m\": write FROM..TO, such as 5m..1h05m"),
    (&["check", "--range", "soon..", "good.txt"], "", 2, "", "error: --range \"soon..\": not a time: \"soon\""),
    (
        &["grep", "failed", "good.txt"],
        "",
        1,
        "",
        "in 1 file; failed is for results that report a failure: rejected finds calls that a runtime refuses\n",
    ),
    (&["grep", "failed or rejected", "good.txt"], "", 1, "", "in 1 file\n"),
    (&["grep", "faild", "good.txt"], "", 1, "", "in 1 file; faild is searched for as text: did you mean failed?\n"),
    (&["grep", "\"faild\"", "good.txt"], "", 1, "", "no matches in 1 file\n"),
    // Settings of the screen, although none is opened.
    (&["check", "--config", "keys.yaml", "good.txt"], "", 2, "", "keys.yaml: line 3: keys.serach: unknown action"),
    (&["--config", "themed.yaml", "good.txt"], "", 2, "", "themed.yaml: line 2: unknown theme drak; did you mean"),
    (
        &["check", "--config", "portable.yaml", "good.txt"],
        "",
        2,
        "",
        "portable.yaml: line 1: portable: unknown runtime",
    ),
    (
        &["check", "--config", "dialects.yaml", "good.txt"],
        "",
        2,
        "",
        "dialects.yaml: line 2: unknown dialect \"gadgt\"",
    ),
    (&["chek"], "", 2, "", "error: there is no file chek; did you mean the command check?\n"),
    (&["chek", "good.txt"], "", 2, "", "did you mean the command check?\n"),
    (
        &["check", "--theme", "nosuch", "good.txt"],
        "",
        2,
        "",
        "error: unknown theme nosuch (expected one of dark, light",
    ),
    (&["--theme", "nosuch"], GOOD, 2, "", "error: unknown theme nosuch"),
    (&["check", "--deny", "waring", "good.txt"], "", 2, "", "unknown code \"waring\"; did you mean warnings?"),
    (&["lens", "--runtime", "vlm", "good.txt"], "", 2, "", "unknown runtime \"vlm\"; did you mean vllm?"),
    (&["stats", "--by", "tol", "good.txt"], "", 2, "", "did you mean tool?"),
    (
        &["check", "--filter", "faild", "good.txt"],
        "",
        0,
        "no problems",
        "faild is searched for as text: did you mean failed?",
    ),
    (&["parse", "--format", "xml"], "", 2, "", "invalid value 'xml'"),
    (&["--dialect", "gadget", "parse", "good.txt"], "", 2, "", "must precede any other argument"),
    (&["parse", "--dialect", "pascal", "good.txt"], "", 2, "", "error: unknown dialect \"pascal\""),
    (&["parse", "--container", "zip", "good.txt"], "", 2, "", "error: unknown container \"zip\""),
    (&["parse", "--start-prefix", "", "good.txt"], "", 2, "", "start marker"),
    (&["parse", "-f", "good.txt"], "", 2, "", "error: following needs --format ndjson or --format events\n"),
    (&["-f", "-F", "good.txt"], "", 2, "", "cannot be used with"),
    (&["check"], "", 2, "", "PATH"),
    (&["graph", "-f", "good.txt"], "", 2, "", "unexpected argument"),
    // Filters for output that replaces the screen.
    (&["--filter", "skipped", "demo.txt"], "", 0, "filter: skipped (2 of 18 calls)\n", ""),
    (
        &["--linear", "--filter", "failed", "demo.txt"],
        "",
        2,
        "",
        "--linear prints everything; use transcope parse --filter",
    ),
    (&["grep", "@lost", "--config", "filters.yaml", "demo.txt"], "", 0, "call SendMail", "2 matches in 1 of 1 file\n"),
    (
        &["grep", "arg:path~src/", "-"],
        "[{\"name\": \"f\", \"arguments\": {\"path\": \"sr\\u0063/x\"}}]\n",
        0,
        "call f",
        "1 match in 1 of 1 file\n",
    ),
    (&["check", "--filter", "@lost", "--config", "filters.yaml", "demo.txt"], "", 1, "unknown-dependency", ""),
    (
        &["check", "--config", "faulty.yaml", "demo.txt"],
        "",
        2,
        "",
        "could not use the configuration faulty.yaml: line 1: filters: lost: ",
    ),
    // Problems and their severity.
    (&["check", "good.txt"], "", 0, "no problems in 1 file\n", ""),
    (&["check", "bad.txt"], "", 1, "\n1 error in 1 file\n", ""),
    (&["check", "logs"], "", 1, "\n1 error in 2 files\n", ""),
    (&["check", "logs"], "", 1, " --> logs/deep/bad.txt:4:8\n", ""),
    (&["parse", "logs"], "", 2, "", "error: could not open logs: it is a directory; name a file in it, or run"),
    (&["logs"], "", 2, "", "error: could not open logs: it is a directory; name a file in it, or run transcope DIR"),
    (&["check", "bad.txt", "warned.txt"], "", 1, "\n1 error, 1 warning in 2 files\n", ""),
    (&["check", "warned.txt"], "", 0, "\n1 warning in 1 file\n", ""),
    (&["check", "--deny", "warnings", "warned.txt"], "", 1, "1 warning in 1 file\n", ""),
    (
        &["check", "preceded.jsonl"],
        "",
        1,
        "error[broken-record]: not a JSON record; shown raw\n --> preceded.jsonl:1:1",
        "",
    ),
    (&["parse", "preceded.jsonl"], "", 0, "\"container\":\"claude-code\"", ""),
    // Naming the container changes nothing about it.
    (&["check", "--container", "claude-code", "preceded.jsonl"], "", 1, "\n1 error, 1 note in 1 file\n", ""),
    (&["check", "failed.jsonl"], "", 0, "\n1 note in 1 file\n", ""),
    (&["check", "failed.jsonl"], "", 0, "note[tool-failed]: ls failed: no such directory\n", ""),
    (&["check", "--deny", "tool-failed", "failed.jsonl"], "", 1, "\n1 note in 1 file\n", ""),
    (&["check", "--deny", "warnings", "failed.jsonl"], "", 0, "\n1 note in 1 file\n", ""),
    (
        &["check", "--deny", "tool-fialed", "failed.jsonl"],
        "",
        2,
        "",
        "unknown code \"tool-fialed\"; did you mean tool-failed",
    ),
    (&["check", "nope.txt"], "", 2, "", "error: could not open nope.txt: no such file; check the name\n"),
    (&["check", "nope.txt", "bad.txt"], "", 2, "1 error in 1 file\n", "error: could not open nope.txt: no such"),
    (&["check", "-"], BAD, 1, " --> stdin:4:8\n", ""),
    (&["check", "--max", "duplicate-pointer=1", "bad.txt"], "", 0, "1 error in 1 file\n", ""),
    (
        &["check", "--max", "duplicate-pointer=0", "bad.txt"],
        "",
        1,
        "1 × duplicate-pointer, but at most 0 allowed\n",
        "",
    ),
    (&["check", "--max", "unterminated-call=0", "warned.txt"], "", 1, "1 × unterminated-call, but at most 0", ""),
    (&["check", "--max", "nonsense", "bad.txt"], "", 2, "", "error: --max nonsense: expected CODE=N\n"),
    (&["check", "--max", "odd-key=x", "bad.txt"], "", 2, "", "error: --max odd-key=x: \"x\" is not a number"),
    (&["check", "--max", "odd-kez=1", "bad.txt"], "", 2, "", "did you mean odd-key"),
    (&["check", "--color", "always", "bad.txt"], "", 1, "\u{1b}[1;31merror[duplicate-pointer]\u{1b}[0m", ""),
    // Markers and dialects.
    (&["parse", "--format", "text"], CUSTOM, 0, "<<<TOOL:Greet", ""),
    (
        &["graph", "--start-prefix", "<<<TOOL:", "--end-prefix", "<<<END", "--arg-prefix", "@param:"],
        CUSTOM,
        0,
        "wave 1\n  gadget_1  Greet\n",
        "",
    ),
    (&["graph", "--tool-syntax", "gadget", "--dialect", "auto", "good.txt"], "", 0, "wave 1\n  greet_1  Greet\n", ""),
    (&["graph"], "no call in here\n", 0, "no calls\n", ""),
    (&["graph", "--config", "custom.yaml"], CUSTOM, 0, "gadget_1  Greet", ""),
    (&["graph", "--config", "custom.yaml", "--start-prefix", "!!!"], CUSTOM, 0, "no calls", ""),
    (
        &["parse", "--config", "wrong.yaml"],
        GOOD,
        2,
        "",
        "error: could not use the configuration wrong.yaml: line 1: unknown key \"colour\"; did you mean color?\n",
    ),
    (
        &["parse", "--config", "none.yaml"],
        GOOD,
        2,
        "",
        "error: could not read the configuration none.yaml: no such file or directory\n",
    ),
    // Pages.
    (&["explain", "array-gap"], "", 0, "error[array-gap]: an array index is skipped\n", ""),
    (&["explain", "aray-gap"], "", 2, "", "error: unknown code \"aray-gap\"; did you mean array-gap?\n"),
    (&["explain", "zzz"], "", 2, "", "error: unknown code \"zzz\"; transcope explain lists them all\n"),
    (&["dialects"], "", 0, " gadget blocks\n", ""),
    (&["completions", "bash"], "", 0, "_transcope", ""),
    (&["man"], "", 0, ".TH transcope 1", ""),
    (&["help"], "", 0, "\n  keys            Keys\n", ""),
    (&["help", "keys"], "", 0, "Keys\n====\n\nThey follow vim and less", ""),
    (&["help", "check"], "", 0, "Usage: transcope check [OPTIONS] [PATH]...", ""),
    (&["help", "template", "check"], "", 0, "Usage: transcope template check [OPTIONS] <PATH>...", ""),
    (
        &["help", "template", "chek"],
        "",
        2,
        "",
        "error: template has no subcommand \"chek\"; try transcope template --help\n",
    ),
    (&["help", "kees"], "", 2, "", "error: no command or topic \"kees\"; did you mean keys"),
    (&["help", "zzz"], "", 2, "", "error: no command or topic \"zzz\"; transcope help lists all\n"),
    (&["--help"], "", 0, "? shows the keys, q quits", ""),
    (&["--version"], "", 0, concat!("transcope ", env!("CARGO_PKG_VERSION")), ""),
];

#[test]
fn arguments_give_these_exit_codes_and_words() {
    let folder = folder();
    for (arguments, input, code, stdout, stderr) in CASES {
        let run = run_in(folder.path(), arguments, &[], input.as_bytes());
        let shown = format!("{arguments:?}\n--- stdout\n{}\n--- stderr\n{}", run.stdout, run.stderr);
        assert_eq!(run.code, *code, "{shown}");
        for (written, expected) in [(&run.stdout, stdout), (&run.stderr, stderr)] {
            assert!(written.contains(expected), "{expected:?} is missing: {shown}");
            assert!(!expected.is_empty() || written.is_empty(), "unexpected words: {shown}");
        }
        if *code == 2 && !run.stderr.is_empty() {
            assert_eq!(run.stderr.lines().count(), 1, "more than a line: {shown}");
        }
    }
}

#[test]
fn that_a_file_is_binary_is_the_first_of_its_problems() {
    let folder = folder();
    for format in ["human", "json", "github"] {
        let (code, out, _) =
            run_in(folder.path(), &["check", "--format", format, "-"], &[], b"\x89PNG \xd0\x00\xff").parts();
        let (binary, encoding) = (out.find("binary-data"), out.find("invalid-utf8"));
        assert!(code == 0 && binary.is_some() && binary < encoding, "{format}: {out}");
    }
}
