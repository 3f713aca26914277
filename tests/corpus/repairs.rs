//! Repairs of every broken text in the project: the offered ones against a snapshot, and properties of any repair.
//!
//! A repair loses no call and no argument, adds no problem, and leaves every byte unchanged that is not near the
//! problem.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use transcope::diagnostic::{Code, Diagnostic};
use transcope::dialect::Options;
use transcope::repair::{Budget, Repair, Repairs, allowed_span, repair_all};
use transcope::session::Session;
use transcope::text::Span;
use transcope::value::Value;

/// Every broken text: each case in an `err` folder, and the bad example of each page.
fn broken() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut texts = Vec::new();
    let mut folders: Vec<_> =
        fs::read_dir(&root).expect("there are cases").map(|entry| entry.expect("readable").path()).collect();
    folders.sort();
    for folder in folders.into_iter().map(|folder| folder.join("err")).filter(|folder| folder.is_dir()) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        for path in paths {
            let name =
                path.strip_prefix(&root).expect("below it").to_string_lossy().replace("/err/", "/").replace(".txt", "");
            texts.push((name, fs::read(&path).expect("a case can be read")));
        }
    }
    texts.extend(Code::ALL.map(|code| (format!("page {}", code.name()), code.info().bad.clone())));
    texts
}

/// Values in all arguments, and the number of calls.
fn held(session: &Session) -> (usize, usize) {
    let calls = session.document().calls();
    let count = calls.len();
    let values = calls.filter_map(|item| session.dissect(item)).map(|assembly| {
        let is_leaf = |value: &Value| matches!(value, Value::Scalar(..)) || value.children().is_empty();
        assembly.tree.walk().filter(|(id, _)| is_leaf(&assembly.tree.node(*id).value)).count()
    });
    (values.sum(), count)
}

/// True if one of the problems is of this kind and at this place.
fn is_there(session: &Session, problem: &Diagnostic, span: Span) -> bool {
    session.document().diagnostics().iter().any(|own| {
        (own.code, own.severity) == (problem.code, problem.severity)
            && (own.span.start == span.start || own.span.touches(span))
    })
}

/// Checks the properties of a text and its repair.
#[track_caller]
fn harmless(name: &str, text: &[u8], session: &Session, repair: &Repair) {
    let repaired = repair.applied(text);
    let after = Session::from_bytes(&repaired);
    let (before_values, before_calls) = held(session);
    let (values, calls) = held(&after);
    assert!(calls >= before_calls, "{name}: {calls} calls of {before_calls} are left by {repair:?}");
    assert!(values >= before_values, "{name}: {values} arguments of {before_values} are left by {repair:?}");
    let map = repair.map();
    for problem in after.document().diagnostics().iter() {
        let span = map.span_before(problem.span);
        assert!(
            is_there(session, &problem, span),
            "{name}: {} has come at {span:?} by {repair:?}",
            problem.code.name()
        );
    }
    assert!(after.document().diagnostics().len() < session.document().diagnostics().len(), "{name}: {repair:?}");
    let mut at = 0;
    for edit in &repair.edits {
        assert!(at <= edit.span.start && edit.span.end <= text.len(), "{name}: {repair:?} is out of order");
        at = edit.span.end;
    }
}

#[test]
fn a_repair_of_any_broken_text_does_no_harm_and_is_what_was_looked_at() {
    let options = Options::default();
    let mut shown = String::new();
    for (name, text) in broken() {
        let session = Session::from_bytes(&text);
        let budget = Budget::for_command();
        let Some(repairs) = Repairs::new(&session, &options, &budget) else { continue };
        writeln!(shown, "{name}").expect("a string takes everything");
        for problem in session.document().sorted_diagnostics() {
            let repair = repairs.find(&problem);
            let line = session.lines().around(session.text(), problem.span.start).0 + 1;
            let words = repair.as_ref().map_or_else(|| "-".to_owned(), |repair| repair.description(&text));
            writeln!(shown, "  {line} {}: {words}", problem.code.name()).expect("a string takes everything");
            let Some(repair) = repair else { continue };
            harmless(&name, &text, &session, &repair);
            let near = allowed_span(&session, &problem);
            let kept = repair.edits.iter().all(|edit| near.start <= edit.span.start && edit.span.end <= near.end);
            assert!(kept, "{name}: {repair:?} reaches out of {near:?}");
            let repaired = repair.applied(&text);
            assert!(repaired.starts_with(&text[..near.start]) && repaired.ends_with(&text[near.end..]), "{name}");
        }
        let all = repair_all(&session, &options, &budget).expect("it is plain and small");
        assert_eq!(all.done.is_empty(), all.repair.edits.is_empty(), "{name}");
        if !all.done.is_empty() {
            harmless(&name, &text, &session, &all.repair);
            let left = all.left.document().diagnostics().len();
            assert_eq!(Session::from_bytes(&all.repair.applied(&text)).document().diagnostics().len(), left, "{name}");
        }
    }
    super::snapshot::matches("", "repairs", &shown);
}

#[test]
fn common_mistakes_are_repaired_without_loss() {
    let options = Options::default();
    let hermes = |json: &str| format!("<tool_call>\n{json}\n</tool_call>\n");
    let gadget = |rest: &str| format!("!!!GADGET_START:{rest}!!!GADGET_END\n");
    let args = |body: &str| hermes(&format!("{{\"name\": \"bash\", \"arguments\": {body}}}"));
    let rows = [
        (args(r#"{'command': 'ls', "flag": True}"#), args(r#"{"command": "ls", "flag": true}"#)),
        (args(r#"{"text": "he said "no" twice", "n": 2}"#), args(r#"{"text": "he said \"no\" twice", "n": 2}"#)),
        (args(r#"{"a": 1 "b": None}"#), args(r#"{"a": 1, "b": null}"#)),
        (args(r#"{"a": [1, 2,],}"#), args(r#"{"a": [1, 2]}"#)),
        (
            "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"a\": 1}".into(),
            "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"a\": 1}}\n</tool_call>\n".into(),
        ),
        (gadget("A:one\n") + &gadget("B:two:oen\n"), gadget("A:one\n") + &gadget("B:two:one\n")),
        ("!!!GADGET_START:A:one\n!!!ARG:x\n1\n".into(), gadget("A:one\n!!!ARG:x\n1\n")),
        (
            gadget("A:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!ARG:x/3\n3\n"),
            gadget("A:a\n!!!ARG:x/0\n1\n!!!ARG:x/1\n2\n!!!ARG:x/2\n3\n"),
        ),
        ("^^^run\nx: 1\n".into(), "^^^run\nx: 1\n^^^\n".into()),
        ("<tool:a>\n<param:x>1</param:x>\n".into(), "<tool:a>\n<param:x>1</param:x>\n</tool:a>\n".into()),
        ("<tool:a>\n<param:x>1\n</tool:a>\n".into(), "<tool:a>\n<param:x>1</param:x>\n</tool:a>\n".into()),
        ("```tool a\ninput:\n  x: 1\n".into(), "```tool a\ninput:\n  x: 1\n```\n".into()),
        (
            "<invoke name=\"a\">\n<parameter name=\"x\">1</parameter>\n".into(),
            "<invoke name=\"a\">\n<parameter name=\"x\">1</parameter>\n</invoke>\n".into(),
        ),
        (
            "<function=a>\n<parameter=x>\n1\n</parameter>\n".into(),
            "<function=a>\n<parameter=x>\n1\n</parameter>\n</function>\n".into(),
        ),
        (
            "<invoke name=\"a\">\n<parameter name=\"x\">1\n<parameter name=\"y\">2</parameter>\n</invoke>\n".into(),
            "<invoke name=\"a\">\n<parameter name=\"x\">1</parameter>\n<parameter name=\"y\">2</parameter>\n</invoke>\n".into(),
        ),
        // A missing quotation mark, and members that must not end up in a name or a value.
        (
            hermes(r#"{"name": "find_record", arguments": {"number": 2}}"#),
            hermes(r#"{"name": "find_record", "arguments": {"number": 2}}"#),
        ),
        (hermes(r#"{"name": "f, "arguments": {"a": 1}}"#), hermes(r#"{"name": "f", "arguments": {"a": 1}}"#)),
        (
            args(r#"{"path": "a.txt, "content": "hello", "mode": "w"}"#),
            args(r#"{"path": "a.txt", "content": "hello", "mode": "w"}"#),
        ),
        (args(r#"{"a": "x, "b": "y"}"#), args(r#"{"a": "x", "b": "y"}"#)),
        // The end of a call in an unclosed string.
        (
            args("{\"path\": \"notes.md") .replace("}\n</", "\n</") + "Sure.\n" + &args(r#"{"path": "b"}"#),
            args(r#"{"path": "notes.md"}"#) + "Sure.\n" + &args(r#"{"path": "b"}"#),
        ),
        (
            hermes(r#"{"name": "note", "arguments": {"text": "tags end with </tool_call> here"}}"#),
            hermes(r#"{"name": "note", "arguments": {"text": "tags end with \u003c/tool_call> here"}}"#),
        ),
        // The intended end, and not another one after the following text.
        ("!!!GADGET_START:A:one\n!!!ARG:x\n1\n!!!GADGET END\nBye.\n".into(), gadget("A:one\n!!!ARG:x\n1\n") + "Bye.\n"),
        // Of two arguments with one pointer, the empty one or the copy is removed.
        (gadget("W:w\n!!!ARG:c\n!!!ARG:c\nline 1\n  line 2\n"), gadget("W:w\n!!!ARG:c\nline 1\n  line 2\n")),
        (gadget("W:w\n!!!ARG:c\nline 1\n!!!ARG:c\n"), gadget("W:w\n!!!ARG:c\nline 1\n")),
        (gadget("W:w\n!!!ARG:c\none\n!!!ARG:c\none\n!!!ARG:c\none\n"), gadget("W:w\n!!!ARG:c\none\n")),
    ];
    let kept = [
        gadget("W:w\n!!!ARG:c\none\n!!!ARG:c\ntwo\n"),
        "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"notes.md\nSure, done.\n<tool:read_files>\n<param:path>a.rs</param:path>\n</tool:read_files>\n".into(),
        "Done.\n[TOOL_CALLS] [{\"name\": \"get_we\n1 < 2 and code\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lisbon\"}}\n".into(),
        "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lisbon\", \"days\": 3\"}}\n日本語\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Porto\", \"days\": 3}}\n".into(),
        args("{\"n\": NaN}"),
        args(r#"{"a": "x "b": "y"}"#),
    ];
    let rows = rows.into_iter().chain(kept.map(|text| (text.clone(), text)));
    let mut faults = String::new();
    for (broken, expected) in rows {
        let session = Session::from_bytes(broken.as_bytes());
        let all = repair_all(&session, &options, &Budget::for_command()).expect("it is plain and small");
        let repaired = String::from_utf8(all.repair.applied(broken.as_bytes())).expect("it was text");
        if repaired != expected {
            let left: Vec<_> = all.left.document().diagnostics().iter().map(|problem| problem.message).collect();
            writeln!(faults, "{broken}became\n{repaired}not\n{expected}{left:?}\n").expect("a string takes everything");
        }
    }
    assert!(faults.is_empty(), "{faults}");
}
