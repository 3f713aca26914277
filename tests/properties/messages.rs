//! Messages of one file are read as if each came alone: nothing in one of them changes another.
//!
//! Each message is read twice, in the company of a message that may hold anything and of one as long that holds plain
//! words. Ids that a runtime counts, dependencies and results pair calls across messages, and are left out here; so are
//! facts about the whole file: the detection of a dialect, and that its bytes are hardly text.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use transcope::container::Container;
use transcope::diagnostic::Code;
use transcope::dialect::{Options, all_names, named};
use transcope::document::{FINAL_CODES, Item};
use transcope::session::Session;
use transcope::text::Span;
use transcope::value::tree_json::to_json;

use super::soups::{DEFAULT, callouts, soup};

/// The example of a dialect, cut at both ends, or with another cut one after it.
fn torn_example(name: &'static str) -> impl Strategy<Value = String> {
    let example = named(name).expect("the name is known").example;
    let piece = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8).prop_map(|(from, to, cut)| {
        let places: Vec<usize> = example.char_indices().map(|(at, _)| at).chain([example.len()]).collect();
        let (from, to) = (places[from.index(places.len())], places[to.index(places.len())]);
        match cut {
            0 => example.to_owned(),
            1 => example[from..].to_owned(),
            2 => example[..to].to_owned(),
            _ => example[from.min(to)..from.max(to)].to_owned(),
        }
    });
    let between = prop::sample::select(vec!["", "", "\n", " ", "text\n", "a < b", "\n\n", "```", "`"]);
    vec((between, piece), 0..4)
        .prop_map(|parts| parts.into_iter().map(|(between, piece)| between.to_owned() + &piece).collect())
}

/// The text of a message that mostly concerns the dialect with this name.
fn message(name: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        6 => torn_example(name),
        2 => soup(DEFAULT).prop_map(|soup| String::from_utf8_lossy(&soup).into_owned()),
        1 => callouts().prop_map(|soup| String::from_utf8_lossy(&soup).into_owned()),
    ]
}

/// A dialect and two messages.
fn messages() -> impl Strategy<Value = (&'static str, String, String)> {
    let names: Vec<&'static str> = all_names().collect();
    prop::sample::select(names).prop_flat_map(|name| (Just(name), message(name), message(name)))
}

/// Plain words in the same bytes and lines.
fn plain_words(text: &str) -> String {
    text.chars().map(|char| if char == '\n' { "\n".to_owned() } else { "x".repeat(char.len_utf8()) }).collect()
}

/// Two messages of a file, read with a dialect or with all of them.
fn read(messages: [&str; 2], only: Option<&'static str>) -> Session {
    let line = |text: &&str| format!("{}\n", json!({"role": "assistant", "content": text}));
    let file: String = messages.iter().map(line).collect();
    let only = only.map(|name| named(name).expect("the name is known")).into_iter().collect();
    let options = Options { only, text_calls: transcope::dialect::TextCalls::Read, ..Options::default() };
    let mut session = Session::new(Container::default(), &options);
    session.push(file.as_bytes());
    session.finish();
    session
}

/// Everything in one message that does not pair calls of several, in a form that can be compared.
fn outcome(session: &Session, message: usize) -> Vec<String> {
    let (document, text) = (session.document(), session.text());
    let start = document.messages().start(message).expect("there are two messages");
    let whole = Span::new(start, document.messages().start(message + 1).unwrap_or(text.len()));
    let within = |span: Span| whole.start <= span.start && span.start < whole.end;
    let mut out = Vec::new();
    for (number, item) in document.items().iter().enumerate().filter(|(_, item)| within(item.span())) {
        out.push(match item {
            Item::Call(call) => {
                let assembly = session.dissect(number).expect("a call can be taken apart");
                let words =
                    (call.dialect, call.span, call.marker, call.name, call.id, call.body, call.status, call.failed);
                let tree = to_json(&assembly.tree, text);
                format!("{words:?} {:?} {:?} {:?} {tree}", assembly.arguments, assembly.error, assembly.problems)
            }
            other => format!("{:?}", other.span()),
        });
    }
    let problems = document.sorted_diagnostics().filter(|problem| within(problem.span));
    let of_syntax = problems.filter(|problem| !FINAL_CODES.contains(&problem.code) && problem.code != Code::BinaryData);
    out.extend(of_syntax.map(|problem| format!("{:?}", problem.item(None))));
    out
}

/// The end of one message, and one after it that this must not change.
const NEIGHBOURS: [(&str, &str); 8] = [
    ("a < b", "<tool:list_projects>\n</tool:list_projects>\n"),
    ("> [!tool a c1]\n> input: 1", "> [!tool b c2]\n> input: 2\n"),
    ("!!!GADGET_STRT:x", "!!!ARG:a\n1\n!!!GADGET_END\n"),
    ("^^^a\nk: v\n^^^", "^^^b\nk: v\n^^^\n"),
    ("< tool:x>", "<param:a>1</param:a>\n</tool:x>\n"),
    ("<invoke name=\"f\">\n</invoke>", "<invoke name=\"g\">\n</invoke>\n"),
    ("</invoke>", "</invoke>\n"),
    ("<function_calls>\n<invoke name=\"f\">\n</invoke>", "\n<invoke name=\"g\">\n</invoke>\n</function_calls>"),
];

#[test]
fn the_end_of_a_message_says_nothing_about_the_next_one() {
    for (one, other) in NEIGHBOURS {
        let (together, later) = (read([one, other], None), read([&plain_words(one), other], None));
        assert_eq!(outcome(&together, 1), outcome(&later, 1), "{other:?} after {one:?}");
    }
}

proptest! {
    #[test]
    fn a_message_is_read_as_if_it_came_alone((name, one, other) in messages()) {
        let plain = [plain_words(&one), plain_words(&other)];
        let together = read([&one, &other], Some(name));
        let later = read([&plain[0], &other], Some(name));
        prop_assert_eq!(outcome(&together, 1), outcome(&later, 1), "{} after {:?}: {:?}", name, one, other);
        let earlier = read([&one, &plain[1]], Some(name));
        prop_assert_eq!(outcome(&together, 0), outcome(&earlier, 0), "{} before {:?}: {:?}", name, other, one);
    }
}
