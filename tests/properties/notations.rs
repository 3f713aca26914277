//! Properties of every notation of arguments, one row each in [`NOTATIONS`].
//!
//! To try more texts: `PROPTEST_CASES=100000 cargo test --test properties notations`.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value as Json;

use transcope::diagnostic::Diagnostic;
use transcope::text::Text;
use transcope::value::coerce::coerce;
use transcope::value::delimited_object;
use transcope::value::json::{Arrival, Parsed, parse_all};
use transcope::value::nested_tags::{self, TagSyntax, ValueStrip};
use transcope::value::notation::pairs;
use transcope::value::place::SpanMap;
use transcope::value::pointer::MAX_DEPTH;
use transcope::value::python;
use transcope::value::tree_builder::{MAX_NODES, MAX_PROBLEMS};
use transcope::value::tree_json::to_json;
use transcope::value::{Assembly, Findings, ParamTree};

use crate::arguments::{AT, DELIMITED, PYTHON, soup};

/// A notation, and texts to try it with.
struct Notation {
    name: &'static str,
    /// Pieces of its soups, and prefixes of a soup.
    pieces: &'static [&'static str],
    begins: &'static [&'static str],
    /// Reads arguments: as a tree, and as findings without one.
    read: fn(&[u8], Arrival) -> (Assembly, Findings),
    /// Writes an object; `None` if not every text can be written.
    write: Option<fn(&Json) -> String>,
    /// Text that nests containers more deeply each time that it is repeated; empty if there are none.
    deeper: &'static str,
    /// Text that adds a fault each time that it is repeated.
    fault: &'static str,
}

const NOTATIONS: &[Notation] = &[
    Notation {
        name: "json",
        pieces: JSON,
        begins: &["", "{", "{\"a\":", "["],
        read: read_json,
        write: Some(Json::to_string),
        deeper: "[",
        fault: "[True,",
    },
    Notation {
        name: "python",
        pieces: PYTHON,
        begins: &["", "a="],
        read: |text, arrival| (python::assemble(text, AT, arrival), python::check(text, AT, arrival)),
        write: Some(python::write),
        deeper: "[",
        fault: "three, ",
    },
    Notation {
        name: "delimited object",
        pieces: DELIMITED,
        begins: &["", "{", "{a:"],
        read: |text, arrival| {
            let check = delimited_object::check(text, AT, arrival, DELIMITER);
            (delimited_object::assemble(text, AT, arrival, DELIMITER), check)
        },
        write: Some(|value| delimited_object::write(value, DELIMITER)),
        deeper: "{a:",
        fault: "{a:[,",
    },
    Notation {
        name: "nested tags",
        pieces: TAGS,
        begins: &[""],
        read: |text, arrival| {
            let syntax = TagSyntax { prefix: "]<[", strip: ValueStrip::OneNewline, coerce };
            let check = nested_tags::check(text, AT, arrival, syntax);
            (nested_tags::assemble(text, AT, arrival, syntax), check)
        },
        write: None,
        deeper: "]<[<a>",
        fault: "]<[</x>",
    },
    Notation {
        name: "pairs",
        pieces: PAIRS,
        begins: &[""],
        read: |text, arrival| {
            let check = pairs::parse::<()>(text, AT, arrival).into_findings();
            (pairs::parse::<ParamTree>(text, AT, arrival).into_assembly(), check)
        },
        write: Some(pairs::write),
        deeper: "",
        fault: "key ",
    },
];

/// The delimiter of strings in Gemma's objects.
const DELIMITER: &str = "<|\"|>";

const JSON: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"a\":", "\"b\": ", "\"a\"", "\"", "'", "'x'", "\\", "\\\"", "\\u00e9", "\\ud83d",
    "1", "-2.5", "1e999", "007", "true", "null", "True", "three", "// x\n", "/* x */", " ", "\n", "é", "\u{200b}",
    "```",
];

const PAIRS: &[&str] = &[
    "a=", "b.c=", "=", "\"", "'", "\"x y\"", "\\", "\\n", ",", " ", "\n", "true", "null", "1", "-0.5", "1e999", "x",
    "ä", "\u{200b}",
];

const TAGS: &[&str] = &[
    "]<[<a>",
    "]<[</a>",
    "]<[<b>",
    "]<[</b>",
    "]<[<item>",
    "]<[</item>",
    "]<[<",
    "]<[</",
    "]<[",
    "]<",
    "<a>",
    "</a>",
    "<item>",
    "</item>",
    "<",
    ">",
    "/",
    "a",
    " ",
    "\n",
    "1",
    "true",
    "é",
    "]<[<c d>",
    "]<[<e/>",
];

fn read_json(text: &[u8], arrival: Arrival) -> (Assembly, Findings) {
    fn problems<S>(parsed: &Parsed<'_, S>) -> Vec<Diagnostic> {
        let mut all = [parsed.problems.as_slice(), &parsed.hidden].concat();
        all.sort_by_key(|problem| problem.span.start);
        all
    }
    let with_tree = parse_all::<Assembly>(text, SpanMap::At(AT), arrival);
    let without = parse_all::<()>(text, SpanMap::At(AT), arrival);
    let findings = Findings { problems: problems(&without).into(), error: without.error };
    let problems = problems(&with_tree).into();
    (Assembly { problems, error: with_tree.error, ..with_tree.sink }, findings)
}

/// The text at its offset.
fn placed(text: &[u8]) -> Text {
    let mut all = Text::default();
    all.push(&[b'-'; AT]);
    all.push(text);
    all
}

/// Checks that the tree and the findings of a text agree, and that all spans are in the text and within each other.
fn is_sound(text: &[u8], assembly: &Assembly, findings: &Findings) -> Result<(), TestCaseError> {
    prop_assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error));
    let end = AT + text.len();
    let places = |problem: &Diagnostic| {
        let related = problem.related.iter().map(|related| related.span);
        related.chain([problem.span]).collect::<Vec<_>>()
    };
    for place in assembly.problems.iter().flat_map(places) {
        prop_assert!(AT <= place.start && place.start <= place.end && place.end <= end, "{:?}", place);
    }
    prop_assert!(assembly.problems.is_sorted_by_key(|problem| problem.span.start));
    let all = placed(text);
    let tree = &assembly.tree;
    for (id, _) in tree.walk() {
        let node = tree.node(id);
        prop_assert!(AT <= node.place.start && node.place.end <= end, "{:?}", node);
        prop_assert_eq!(node.place.cover(node.key_place), node.place, "{:?}", node);
        let parent = tree.node(node.parent).place;
        prop_assert_eq!(parent.cover(node.place), parent, "{:?} is not in its parent", node);
    }
    let mut after = AT;
    for argument in &assembly.arguments {
        prop_assert!(after <= argument.value.start && argument.place().end <= end, "{:?}", argument);
        after = argument.value.start;
    }
    let written = to_json(tree, &all).to_string();
    prop_assert!(serde_json::from_str::<serde_json::Value>(&written).is_ok(), "{}", written);
    Ok(())
}

/// Objects that every notation with a writer can express: texts, whole numbers, booleans, null.
fn object() -> impl Strategy<Value = Json> {
    let value = prop_oneof![
        "[a-zA-Z0-9 äé\n\"'\\\\{}<|=:,#-]{0,12}".prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
        Just(Json::Null),
    ];
    vec(("[a-z]{1,5}", value), 1..6).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_and_no_tree_say_the_same_and_places_are_in_the_text(
        (notation, text) in (0..NOTATIONS.len()).prop_flat_map(|number| {
            let notation = &NOTATIONS[number];
            let begins = select(notation.begins);
            (begins, soup(notation.pieces)).prop_map(move |(begins, text)| (notation.name, [begins.as_bytes(), &text].concat()))
        }),
    ) {
        let notation = NOTATIONS.iter().find(|known| known.name == notation).expect("it is a row");
        for arrival in [Arrival::Whole, Arrival::Open] {
            let (assembly, findings) = (notation.read)(&text, arrival);
            is_sound(&text, &assembly, &findings)?;
        }
    }

    #[test]
    fn an_object_that_is_written_is_read_back(value in object()) {
        for notation in NOTATIONS {
            let Some(write) = notation.write else { continue };
            let written = write(&value);
            let (assembly, _) = (notation.read)(written.as_bytes(), Arrival::Whole);
            prop_assert_eq!(&assembly.error, &None, "{}: {}", notation.name, &written);
            prop_assert_eq!(to_json(&assembly.tree, &placed(written.as_bytes())), value.clone(), "{}: {}", notation.name, written);
        }
    }
}

#[test]
fn depth_values_and_problems_are_bounded_in_every_notation() {
    for notation in NOTATIONS {
        for (piece, count) in
            [(notation.deeper, MAX_DEPTH * 3), (notation.fault, MAX_PROBLEMS * 3), (notation.pieces[0], MAX_NODES + 50)]
        {
            let text = piece.repeat(count);
            let (assembly, findings) = (notation.read)(text.as_bytes(), Arrival::Whole);
            assert!(is_sound(text.as_bytes(), &assembly, &findings).is_ok(), "{}: {piece:?}", notation.name);
            let depth = assembly.tree.walk().map(|(_, depth)| depth).max().unwrap_or_default();
            assert!(depth <= MAX_DEPTH, "{}: {piece:?} is {depth} levels deep", notation.name);
            assert!(assembly.tree.walk().count() <= MAX_NODES, "{}: {piece:?}", notation.name);
            assert!(assembly.problems.iter().count() <= MAX_PROBLEMS + 1, "{}: {piece:?}", notation.name);
        }
        let (assembly, _) = (notation.read)(notation.fault.repeat(MAX_PROBLEMS * 3).as_bytes(), Arrival::Whole);
        assert!(assembly.problems.iter().next().is_some(), "{}: {} is a fault", notation.name, notation.fault);
    }
}
