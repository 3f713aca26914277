//! Objects with delimited strings: well-formed, as models write them, and cut off anywhere.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::diagnostic::Code;
use crate::text::{Span, Text};
use crate::value::pointer::MAX_DEPTH;
use crate::value::tests::{alike, any_value};
use crate::value::tree_builder::{MAX_NODES, MAX_PROBLEMS};
use crate::value::tree_json::to_json;
use crate::value::{ROOT, Value};

/// Offset of the sources of these tests.
const AT: usize = 5;

/// The delimiter of these tests, and an abbreviation for it.
const DELIMITER: (&str, &str) = ("<|\"|>", "~");

fn full(source: &str) -> String {
    source.replace(DELIMITER.1, DELIMITER.0)
}

/// The tree of a source; checks that parsing without a tree gives the same, and that the positions are nested.
fn tree_of(source: &str, arrival: Arrival) -> (ParsedArguments<ParamTree>, Text) {
    let parsed = parse::<ParamTree>(source.as_bytes(), AT, arrival, DELIMITER.0);
    let bare = parse::<()>(source.as_bytes(), AT, arrival, DELIMITER.0);
    assert_eq!((&parsed.problems, &parsed.error), (&bare.problems, &bare.error), "{source:?}");
    for (id, _) in parsed.sink.walk() {
        let node = parsed.sink.node(id);
        let parent = parsed.sink.node(node.parent);
        let is_root = node.parent == ROOT;
        assert!(is_root || parent.place.cover(node.place) == parent.place, "{source:?}: {node:?} in {parent:?}");
        assert!(node.place.cover(node.key_place) == node.place, "{source:?}: {node:?}");
        assert!(AT <= node.place.start && node.place.end <= AT + source.len(), "{source:?}: {node:?}");
    }
    for problem in &parsed.problems {
        assert!(AT <= problem.span.start && problem.span.end <= AT + source.len(), "{source:?}: {problem:?}");
    }
    let mut text = Text::default();
    text.push(&[b'-'; AT]);
    text.push(source.as_bytes());
    (parsed, text)
}

#[test]
fn objects_are_what_they_say() {
    // The source, the result, and the bytes of each problem; errors are marked with `!`.
    let cases: &[(&str, Json, &[&str])] = &[
        ("{}", json!({}), &[]),
        (" { } ", json!({}), &[]),
        (
            "{city:~Paris~,days:3,metric:true,x:null}",
            json!({"city": "Paris", "days": 3, "metric": true, "x": null}),
            &[],
        ),
        ("{ city : ~Paris~ , get-it : -1.5e3 }", json!({"city": "Paris", "get-it": -1500}), &[]),
        ("{o:{a:[1,~x~,[]],b:{}}}", json!({"o": {"a": [1, "x", []], "b": {}}}), &[]),
        ("{c:~if (x) { s = \"q\\n\"; }\n], 'y'~}", json!({"c": "if (x) { s = \"q\\n\"; }\n], 'y'"}), &[]),
        ("{~a b~:~~}", json!({"a b": ""}), &[]),
        ("{a:1,}", json!({"a": 1}), &[]),
        // Bare words, and quoted strings.
        (
            "{days:three,url:http://x.y,t: a b }",
            json!({"days": "three", "url": "http://x.y", "t": "a b"}),
            &["three", "http://x.y", "a b"],
        ),
        (
            "{a:True,b:'x',c:007,d:NaN}",
            json!({"a": "True", "b": "'x'", "c": "007", "d": "NaN"}),
            &["True", "'x'", "007", "NaN"],
        ),
        (r#"{"city":"L, {\"A\"}"}"#, json!({"city": "L, {\"A\"}"}), &["\"city\"", r#""L, {\"A\"}""#]),
        ("{a:\"x,b:2,\nc:3\"}", json!({"a": "\"x", "b": 2, "c": "3\""}), &["\"x", "3\""]),
        ("{a:5\" pipe,b:\"x}", json!({"a": "5\" pipe", "b": "\"x"}), &["5\" pipe", "\"x"]),
        (
            "{a:12345678901234567890,b:1e400}",
            json!({"a": 12_345_678_901_234_567_000_u64 as f64, "b": "1e400"}),
            &["12345678901234567890", "1e400"],
        ),
        ("{a:1,b:2,a:3}", json!({"a": 3, "b": 2}), &["a"]),
        // Malformed, but unambiguous.
        ("a:1}", json!({"a": 1}), &["!a"]),
        ("{a:~x~ b:2,c:[1 2,~y~~z~]}", json!({"a": "x", "b": 2, "c": ["1 2", "y", "z"]}), &["!b", "1 2", "!<"]),
        ("{,a:1,,b:[,2]}", json!({"a": 1, "b": [2]}), &["!,", "!,", "!,"]),
        ("{a,b:2,c}", json!({"b": 2}), &["!a", "!c"]),
        ("{a:,b:2,c:}", json!({"b": 2}), &["!a", "!c"]),
        ("{a{b:1}}", json!({"a": {"b": 1}}), &["!a"]),
        ("{:1}", json!({"": 1}), &["!:"]),
        ("{[2]}", json!({"": [2]}), &["!["]),
        ("{a:[1},b:2", json!({"a": [1]}), &["!}", "!,b:2"]),
        ("{a:1]}", json!({"a": 1}), &["!]"]),
        ("{a:1}}", json!({"a": 1}), &["!}"]),
        // Cut off.
        ("", json!({}), &["!"]),
        ("{a:~Par", json!({"a": "Par"}), &["!"]),
        ("{a:[1,{b:2", json!({"a": [1, {"b": 2}]}), &["!"]),
        ("{a:1,b", json!({"a": 1}), &["!b", "!"]),
    ];
    for (source, expected, problems) in cases {
        let source = full(source);
        let (parsed, text) = tree_of(&source, Arrival::Whole);
        assert_eq!(to_json(&parsed.sink, &text), *expected, "{source:?}: {:?}", parsed.problems);
        let found: Vec<_> = parsed.problems.iter().map(|problem| text.read_str(problem.span)).collect();
        let bytes: Vec<_> = problems.iter().map(|problem| problem.strip_prefix('!').unwrap_or(problem)).collect();
        // At the same position, problems stay in the order in which they were found.
        assert_eq!(found, bytes, "{source:?}: {:?}", parsed.problems);
        let is_error = problems.iter().any(|problem| problem.starts_with('!'));
        assert_eq!(parsed.error.is_some(), is_error, "{source:?}: {:?}", parsed.error);
    }
}

#[test]
fn another_delimiter_does_the_same() {
    let source = "{city:<escape>Paris<escape>,note:<|\"|>x}";
    let parsed = parse::<ParamTree>(source.as_bytes(), 0, Arrival::Whole, "<escape>");
    let mut text = Text::default();
    text.push(source.as_bytes());
    assert_eq!(to_json(&parsed.sink, &text), json!({"city": "Paris", "note": "<|\"|>x"}));
    assert_eq!(check(source.as_bytes(), 0, Arrival::Whole, "<escape>").problems, parsed.problems.into());
}

#[test]
fn what_still_arrives_has_no_problem_yet() {
    let source = full("{city:~Pa, ris~,o:{a:[1,true,~x~],b:-2.5},c:null}");
    for end in 0..=source.len() {
        // An incomplete delimiter looks like a word.
        let is_cut = (1..DELIMITER.0.len()).any(|length| source[..end].ends_with(&DELIMITER.0[..length]));
        let (parsed, text) = tree_of(&source[..end], Arrival::Open);
        assert!(is_cut || parsed.problems.is_empty(), "{:?}: {:?}", &source[..end], parsed.problems);
        if end > source.find("o:").expect("it is there") {
            assert_eq!(to_json(&parsed.sink, &text)["city"], json!("Pa, ris"));
        }
    }
}

#[test]
fn every_key_and_value_has_its_place() {
    let source = full("{ a : ~x~,~b c~:[ 1, {d:y } ],\"e\":\"z\"}");
    let (parsed, text) = tree_of(&source, Arrival::Whole);
    let shown: Vec<[String; 4]> = parsed
        .sink
        .walk()
        .map(|(id, _)| {
            let node = parsed.sink.node(id);
            let value = match node.value {
                Value::Scalar(_, span) => span,
                _ => Span::default(),
            };
            let [key, value, place] = [node.key_place, value, node.place].map(|span| text.read_str(span).into_owned());
            [parsed.sink.path(id), key, value, place]
        })
        .collect();
    let expected = [
        ["a", "a", "x", "a : ~x~"],
        ["b c", "b c", "", "~b c~:[ 1, {d:y } ]"],
        ["b c/0", "", "1", "1"],
        ["b c/1", "", "", "{d:y }"],
        ["b c/1/d", "d", "y", "d:y"],
        ["e", "e", "z", "\"e\":\"z\""],
    ];
    assert_eq!(shown, expected.map(|row| row.map(full)));
    let assembly = assemble(source.as_bytes(), AT, Arrival::Whole, DELIMITER.0);
    let values: Vec<_> = assembly.arguments.iter().map(|argument| text.read_str(argument.value)).collect();
    assert_eq!(values, ["x", "1", "y", "z"]);
}

#[test]
fn what_is_too_deep_or_too_much_is_left_out_and_said_once() {
    let codes = |source: &str| -> Vec<Code> {
        check(source.as_bytes(), 0, Arrival::Whole, DELIMITER.0).problems.iter().map(|problem| problem.code).collect()
    };
    let deep = format!("{{a:{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(codes(&deep), [Code::JsonTooLarge]);
    assert_eq!(parse::<ParamTree>(deep.as_bytes(), 0, Arrival::Whole, DELIMITER.0).sink.len(), MAX_DEPTH);
    assert_eq!(codes(&format!("{{a:[{}]}}", "0,".repeat(2 * MAX_NODES))), [Code::JsonTooLarge]);
    assert_eq!(codes(&format!("{{{}", "a ".repeat(1000) + &",".repeat(1000))).len(), MAX_PROBLEMS);
}

/// All events of a source, checked to be the same however it is split; members by their first word.
fn shown(source: &str, closer: &str) -> String {
    let source = full(source);
    let bytes = source.as_bytes();
    let begin = DelimitedBoundary::new(0, DELIMITER.0).with_closer(closer.as_bytes());
    let mut whole = begin.clone();
    let expected: Vec<_> = std::iter::from_fn(|| whole.next(bytes, true)).collect();
    let mut pieces = begin;
    let mut found = Vec::new();
    for end in 0..=bytes.len() {
        found.extend(std::iter::from_fn(|| pieces.next(&bytes[..end], end == bytes.len())));
    }
    assert_eq!(found, expected, "{source:?}");
    let shown = expected.iter().map(|event| match *event {
        DelimitedEvent::Member(at) => format!("{} ", source[at..].split([':', ' ']).next().unwrap_or_default()),
        DelimitedEvent::End(end) => format!("| {}", &source[end..]),
        DelimitedEvent::Broken(at) => format!("! {}", &source[at..]),
        DelimitedEvent::Truncated => "…".to_owned(),
    });
    shown.collect::<String>().replace(DELIMITER.0, DELIMITER.1)
}

#[test]
fn the_end_of_an_object_is_found_as_it_arrives() {
    let cases: &[(&str, &str)] = &[
        ("{} x", "|  x"),
        ("\n {a:~}~,b : [1, {c:2}],~d~:e}</c>", "a b ~d~ | </c>"),
        ("{a:\"}\\\"}\",\"b\":2}", "a \"b\" | "),
        ("{a:\"}\n,b:2}", "a | \n,b:2}"),
        ("{a:5\"},b:\"x\"", "a | ,b:\"x\""),
        ("{url:http://x,b:y:z}", "url b | "),
        ("{a:[1}~", "a | ~"),
        ("{a:1]}x", "a | x"),
        ("{a:b~}~}x", "a | x"),
        ("[1]", "! [1]"),
        ("x{", "! x{"),
        ("</c>", "! </c>"),
        ("{a:1</c>}", "a ! </c>}"),
        ("{a:~</c>~}", "a | "),
        ("{a:</b>}", "a | "),
        ("", "…"),
        ("{a:~x}", "a …"),
        ("{a:~x<|\"|", "a …"),
        ("{a:{b:[", "a …"),
        ("{a:\"x\\", "a …"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown(source, "</c>"), *expected, "{source:?}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(members in prop::collection::vec(("[a-c \"]{0,3}", any_value("[a<|\">\\\\\n{\\],: é]{0,8}|x<\\|\"\\|>y|x<\\|\"\\|", "[a: <}]{0,3}")), 0..5)) {
        let value = Json::Object(members.into_iter().collect());
        let source = write(&value, DELIMITER.0);
        let (parsed, text) = tree_of(&source, Arrival::Whole);
        prop_assert!(alike(&to_json(&parsed.sink, &text), &value), "{source}\n{value}");
        prop_assert_eq!(parsed.error, None, "{}", source);
        let mut boundary = DelimitedBoundary::new(0, DELIMITER.0);
        let last = std::iter::from_fn(|| boundary.next(source.as_bytes(), true)).last();
        prop_assert_eq!(last, Some(DelimitedEvent::End(source.len())), "{}", source);
    }
}
