//! Properties of any text with JSON calls in it, tried on soups of their members, whole and broken.
//!
//! To try more of them: `PROPTEST_CASES=100000 cargo test --test properties json`.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use transcope::container::Container;
use transcope::dialect::{self, Options};
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::tree_json::to_json;

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\n",
    "\n\n",
    " ",
    "  ",
    "\"",
    "'",
    "\\",
    "\\\"",
    "`",
    "```\n",
    "/*",
    "*/",
    "//",
    "<",
    "\"type\": \"tool_use\", ",
    "\"type\": \"function\", ",
    "\"type\":\"tool-look\",",
    "\"id\": \"a\", ",
    "\"id\": 1, ",
    "\"name\": \"n\", ",
    "\"name\": \"n\\u00e9\"",
    "\"input\": {",
    "\"arguments\": {",
    "\"arguments\": \"{\\\"a\\\": 1}\"",
    "\"parameters\": {\"x\": [1, 2.50, null]}",
    "\"function\": {",
    "\"functionCall\": {",
    "\"toolCallId\": \"t\", ",
    "\"toolName\": \"t\", ",
    "\"state\": \"s\", ",
    "\"output\": {\"k\": true}",
    "\"tool_calls\": [",
    "\"k\": \"v\", ",
    "\"k\": tru",
    "'k': None, ",
    "k: 1",
    "\\ud83d",
    "12345678901234567890",
    "{\"type\": \"tool_use\", \"id\": \"b\", \"name\": \"m\", \"input\": {\"x\": 1}}",
    "\n{\"name\": \"m\", \"arguments\": {\"x\": \"y\"}}\n",
    "\n[{\"name\": \"m\", \"arguments\": {}}, ",
    "\n{\"id\": \"c\", \"function\": {\"name\": \"m\", \"arguments\": \"{\"}}",
    "<tool_call>",
    "</tool_call>",
    "<tool_call>\n{\"name\": \"h\", \"arguments\": {",
    "}}\n</tool_call>\n",
    "<tool_call>[{",
    "!!!GADGET_START:X\n",
    "prose ",
];

fn soup() -> impl Strategy<Value = String> {
    let filler = (select(vec!["x", " ", "\"a\": 1, ", "[", "{\"b\": 2}, "]), 1000usize..9000);
    let piece = prop_oneof![
        60 => select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => filler.prop_map(|(what, times)| what.repeat(times)),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Members of calls: all members of the known shapes, and ones that are wrong in one of them.
const MEMBERS: &[&str] = &[
    "\"type\": \"tool_use\"",
    "\"type\": \"function\"",
    "\"type\": \"function_call\"",
    "\"type\": \"custom_tool_call\"",
    "\"type\": \"tool-look\"",
    "\"type\": 5",
    "\"id\": \"a\"",
    "\"call_id\": \"a\"",
    "\"call_id\": \"\\u200b\"",
    "\"toolCallId\": \"t\"",
    "\"name\": \"n\"",
    "\"name\": \"n\"",
    "\"name\": \" \"",
    "\"name\": \"\u{200b}n\"",
    "\"name\": null",
    "\"input\": {}",
    "\"input\": \"{\\\"a\\\": 1}\"",
    "\"arguments\": {\"a\": [1, {\"b\": \"x\\n\"}]}",
    "\"arguments\": \"{\\\"a\\\": [true, \\\"\\\\n\\\"]}\"",
    "\"arguments\": \"{\\\"a\\\": 1, \\\"a\\\": 2}\"",
    "\"arguments\": \"{} {}\"",
    "\"arguments\": \"[]\"",
    "\"arguments\": \"\"",
    "\"arguments\": null",
    "\"arguments\": []",
    "\"args\": {\"n\": 9007199254740993}",
    "\"args\": {\"n\": 0.25, \"m\": -1e5}",
    "\"args\": {\"k\u{202e}\": 1}",
    "\"parameters\": {\"x\": \"\\ud83d\"}",
    "\"parameters\": {\"x\": \"\\d\"}",
    "\"parameters\": {\"x\": \"\t\"}",
    "\"function\": {\"name\": \"n\", \"arguments\": \"{}\"}",
    "\"function\": {\"name\": \"n\", \"arguments\": {}}",
    "\"function\": {\"arguments\": {}}",
    "\"functionCall\": {\"name\": \"n\", \"args\": {\"deep\": {\"er\": {}}}}",
    "\"functionCall\": {\"name\": \"n\"}",
    "\"function_call\": {\"name\": \"n\", \"arguments\": \"{\"}",
    "\"more\": {\"name\": \"m\", \"id\": 1}",
    "\"more\": [[], [{\"name\": \"\"}]]",
    "\"more\": True",
];

/// Calls that are mostly JSON, one a line.
fn calls() -> impl Strategy<Value = String> {
    let line = |members: Vec<&str>| format!("{{{}}}\n", members.join(", "));
    vec(vec(select(MEMBERS.to_vec()), 1..6).prop_map(line), 1..6).prop_map(|lines| lines.concat())
}

fn read(text: &str, mut length: impl FnMut() -> usize) -> Session {
    let mut session = Session::new(Container::default(), &Options::default());
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(length().clamp(1, rest.len()));
        session.push(piece);
        rest = behind;
    }
    session.finish();
    session
}

/// Everything that a session found; checks that its items are contiguous.
fn describe(session: &Session) -> String {
    let text = session.text();
    let mut dialects = dialect::registry(&Options::default());
    let mut out = String::new();
    let mut end = 0;
    for (number, item) in session.document().items().iter().enumerate() {
        assert_eq!(item.span().start, end, "a gap or an overlap at {end}\n{out}");
        assert!(!item.span().is_empty(), "an empty item at {end}\n{out}");
        end = item.span().end;
        let _ = write!(out, "{:?} ", item.span());
        if let Item::Call(call) = item {
            let assembly = session.dissect(number).expect("a call can be taken apart");
            let dialect = dialects.iter_mut().find(|dialect| dialect.info().name == call.dialect);
            let dialect = dialect.expect("it is active");
            let text_start = session.document().text_start(call.span.start);
            let findings = dialect.check(text, call.parts(text_start, call.arguments()));
            assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error), "{out}");
            for (id, _) in assembly.tree.walk() {
                let node = assembly.tree.node(id);
                assert!(node.place.start >= call.body.start && node.place.end <= call.body.end, "{node:?}\n{out}");
            }
            let _ = write!(
                out,
                "{} {} {} {} {} {}",
                call.dialect,
                call.name(text),
                call.id(text),
                call.status.word(),
                call.failed,
                to_json(&assembly.tree, text)
            );
        }
        out.push('\n');
    }
    assert_eq!(end, text.len());
    for problem in session.document().sorted_diagnostics() {
        assert!(problem.span.end <= end, "{problem:?}");
        let _ = writeln!(out, "{:?} {} {:?} {}", problem.span, problem.code.name(), problem.item, problem.message);
    }
    out
}

proptest! {
    #[test]
    fn a_call_that_is_checked_has_the_problems_of_its_tree(text in calls()) {
        describe(&read(&text, || usize::MAX));
    }

    #[test]
    fn a_soup_of_json_is_the_same_however_it_is_cut(text in soup(), lengths in vec(1usize..60, 1..8)) {
        let whole = describe(&read(&text, || usize::MAX));
        let mut lengths = lengths.into_iter().cycle();
        let pieces = read(&text, || lengths.next().expect("it goes on and on"));
        prop_assert_eq!(describe(&pieces), whole.clone(), "in pieces: {}", text);
        if text.len() < 2000 {
            prop_assert_eq!(describe(&read(&text, || 1)), whole, "byte by byte: {}", text);
        }
    }

    #[test]
    fn every_state_in_between_is_sound(text in soup()) {
        let mut session = Session::new(Container::default(), &Options::default());
        for piece in text.as_bytes().chunks(text.len() / 40 + 1) {
            session.push(piece);
            let pending = session.pending();
            let items: Vec<_> = session.document().items().iter().collect();
            for pair in items.windows(2) {
                prop_assert_eq!(pair[0].span().end, pair[1].span().start, "{}", text);
            }
            let end = items.last().map_or(0, |item| item.span().end);
            prop_assert!(end <= session.text().len() && pending.start <= session.text().len(), "{}", text);
            for item in session.document().calls() {
                let _ = session.dissect(item);
            }
        }
    }
}
