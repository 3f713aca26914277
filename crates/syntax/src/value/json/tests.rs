//! JSON as models write it, well-formed JSON, and JSON that is cut off anywhere.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::super::tree_builder::{MAX_NODES, MAX_PROBLEMS};
use super::*;
use crate::diagnostic::Code;
use crate::text::Text;
use crate::value::pointer::MAX_DEPTH;
use crate::value::tests::{alike, any_value};
use crate::value::tree_json::to_json;
use crate::value::{ParamTree, Value};

/// The tree of a text; checks that parsing without a tree gives the same problems.
fn tree_of<'a>(bytes: &'a [u8], places: SpanMap<'_>) -> Parsed<'a, ParamTree> {
    let parsed = parse_all::<ParamTree>(bytes, places, Arrival::Whole);
    let bare = parse_all::<()>(bytes, places, Arrival::Whole);
    assert_eq!((&parsed.problems, &parsed.hidden, &parsed.error), (&bare.problems, &bare.hidden, &bare.error));
    parsed
}

fn read(source: &str) -> (Json, Parsed<'_, ParamTree>, Text) {
    let mut text = Text::default();
    text.push(source.as_bytes());
    let parsed = tree_of(source.as_bytes(), SpanMap::At(0));
    (to_json(&parsed.sink, &text), parsed, text)
}

#[test]
fn oddities_are_read_as_far_as_it_is_plain_what_was_meant() {
    // The source, the result, and the bytes of each problem.
    let cases: &[(&str, Json, &[&str])] = &[
        (r#"{"a": 1, "b": [true, null, "x"]}"#, json!({"a": 1, "b": [true, null, "x"]}), &[]),
        (" [] ", json!([]), &[]),
        (r#""text""#, json!("text"), &[]),
        ("-1.5e3", json!(-1500), &[]),
        (r#"{"a": 1,}"#, json!({"a": 1}), &[","]),
        ("[1, 2,]", json!([1, 2]), &[","]),
        ("[1,, 2]", json!([1, 2]), &[","]),
        ("{, \"a\": 1}", json!({"a": 1}), &[","]),
        ("{\"a\": 1 // one\n}", json!({"a": 1}), &["// one"]),
        ("{/* first */ \"a\": 1}", json!({"a": 1}), &["/* first */"]),
        ("{'a': 'b'}", json!({"a": "b"}), &["'a'"]),
        ("{a: 1}", json!({"a": 1}), &["a"]),
        (r#"{"a": 1 "b": 2}"#, json!({"a": 1, "b": 2}), &["\""]),
        ("[1 2]", json!([1, 2]), &["2"]),
        ("[\"x\" \"y\"]", json!(["x", "y"]), &["\""]),
        (r#"{"a" 1}"#, json!({"a": 1}), &["1"]),
        (r#"{"a" = 1}"#, json!({"a": 1}), &["="]),
        (r#"{"a": , "b": 2}"#, json!({"b": 2}), &[","]),
        (r#"{"a":}"#, json!({}), &["}"]),
        (r#"{"a", "b": 2}"#, json!({"b": 2}), &[","]),
        (r#"{"a": True, "b": None}"#, json!({"a": true, "b": null}), &["True", "None"]),
        (r#"{"a": NaN}"#, json!({"a": "NaN"}), &["NaN"]),
        (r#"{"a": yes}"#, json!({"a": "yes"}), &["yes"]),
        ("[007]", json!([7]), &["007"]),
        ("[+1, .5, 0x1F]", json!([1, 0.5, "0x1F"]), &["+1", ".5", "0x1F"]),
        ("[1e999]", json!(["1e999"]), &["1e999"]),
        ("[9007199254740993]", json!([9_007_199_254_740_992_i64]), &["9007199254740993"]),
        ("{\"a\": \"x\ny\"}", json!({"a": "x\ny"}), &["\n"]),
        (r#"{"a": "\d+"}"#, json!({"a": "\\d+"}), &["\\d"]),
        (r#"{"a": "\ud800"}"#, json!({"a": "\u{fffd}"}), &["\\ud800"]),
        (r#"{"a": 1, "b": 2, "a": 3}"#, json!({"a": 3, "b": 2}), &["a"]),
        ("{\"a\": [1, 2}", json!({"a": [1, 2]}), &["}"]),
        ("[1}]", json!([1]), &["}"]),
        (r#"{"a": 1}}"#, json!({"a": 1}), &["}"]),
        (r#"{"a": 1}{"b": 2}"#, json!({"a": 1}), &["{"]),
        (r#"{"a": "say "hi" now", "b": 2}"#, json!({"a": "say "}), &["\""]),
        (r#"{"a": [1, {"b": "c"#, json!({"a": [1, {"b": "c"}]}), &[""]),
        (r#"{"a": 1"#, json!({"a": 1}), &[""]),
        (r#"{"a"#, json!({}), &[""]),
        ("", json!({}), &[""]),
        ("]", json!({}), &["]"]),
        (r#"{"a": {"b": 1}, {"c": 2}}"#, json!({"a": {"b": 1}}), &["{"]),
    ];
    for (source, expected, problems) in cases {
        let (json, parsed, text) = read(source);
        assert_eq!(json, *expected, "{source:?}");
        let found: Vec<String> =
            parsed.problems.iter().map(|problem| text.read_str(problem.span).into_owned()).collect();
        assert_eq!(found, *problems, "{source:?}: {:?}", parsed.problems);
        let strict = serde_json::from_str::<Json>(source).is_ok();
        let lenient = [r"\ud800", "1e999"].iter().any(|accepted| source.contains(accepted));
        assert_eq!(parsed.error.is_none(), strict || lenient, "{source:?}: {:?}", parsed.error);
    }
}

#[test]
fn json_inside_of_a_string_has_its_places_in_the_outer_text() {
    let source = r#""{\"path\": \"a\\nb\", \"n\": 12, \"deep\": {\"k\": [true]}}""#;
    let content = &source.as_bytes()[1..source.len() - 1];
    let decoded = decode(content);
    let parsed = tree_of(&decoded.bytes, SpanMap::InString(1, &decoded));
    let mut text = Text::default();
    text.push(source.as_bytes());
    assert_eq!(to_json(&parsed.sink, &text), json!({"path": "a\nb", "n": 12, "deep": {"k": [true]}}));
    let shown: Vec<(String, String)> = parsed
        .sink
        .walk()
        .filter_map(|(id, _)| match parsed.sink.node(id).value {
            Value::Scalar(_, span) => {
                Some((text.read_str(parsed.sink.node(id).key_place).into_owned(), text.read_str(span).into_owned()))
            }
            _ => None,
        })
        .collect();
    let pairs = [("path", r"a\\nb"), ("n", "12"), ("", "true")];
    assert_eq!(shown, pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn what_is_too_deep_or_too_much_is_left_out_and_said_once() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    let parsed = tree_of(deep.as_bytes(), SpanMap::At(0));
    assert_eq!(parsed.sink.len(), MAX_DEPTH);
    assert_eq!(parsed.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::JsonTooLarge]);
    let wide = format!("[{}0]", "0,".repeat(2 * MAX_NODES));
    let parsed = tree_of(wide.as_bytes(), SpanMap::At(0));
    assert_eq!(parsed.sink.len(), MAX_NODES);
    assert_eq!(parsed.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::JsonTooLarge]);
    let faults = format!("[{}0]", "nil,".repeat(1000));
    assert_eq!(tree_of(faults.as_bytes(), SpanMap::At(0)).problems.len(), MAX_PROBLEMS);
}

#[test]
fn the_machine_takes_the_same_steps_however_the_text_is_cut() {
    let source = "{\"a\": [1, -2.5, \"x\\\"y\", // note\n 'z',], /* b */ k: nul, \"t\": tru}";
    let mut whole = JsonParser::at(0);
    let expected: Vec<_> = std::iter::from_fn(|| whole.next(source.as_bytes(), true)).collect();
    let mut pieces = JsonParser::at(0);
    let mut found = Vec::new();
    for end in 0..=source.len() {
        found.extend(std::iter::from_fn(|| pieces.next(&source.as_bytes()[..end], end == source.len())));
    }
    assert_eq!(found, expected);
}

/// True if `part` could be the beginning of `whole`: members and elements may be missing at the end, strings cut off.
fn begins(part: &Json, whole: &Json) -> bool {
    match (part, whole) {
        (Json::Array(a), Json::Array(b)) => a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| begins(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() <= b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && begins(a, b))
        }
        // The last string, number or word may be cut off.
        (Json::String(_) | Json::Number(_), _) => true,
        (a, b) => a == b || matches!(a, Json::Object(members) if members.is_empty()),
    }
}

proptest! {
    #[test]
    fn valid_json_gives_the_tree_that_serde_gives(value in any_value(".*", ".*"), pretty in any::<bool>()) {
        let source = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let source = source.expect("a value can be written");
        let (json, parsed, text) = read(&source);
        prop_assert!(alike(&json, &value), "{source}\n{json}");
        prop_assert_eq!(parsed.error, None);
        for (id, _) in parsed.sink.walk() {
            let node = parsed.sink.node(id);
            let parent = parsed.sink.node(node.parent).place;
            prop_assert!(parent.start <= node.place.start && node.place.end <= parent.end, "{source}");
            prop_assert!(node.place.end <= text.len());
        }
    }

    #[test]
    fn a_text_that_is_cut_keeps_the_beginning_of_its_tree(value in any_value(".*", ".*")) {
        let source = serde_json::to_string(&value).expect("a value can be written");
        let mut text = Text::default();
        text.push(source.as_bytes());
        for end in 0..source.len() {
            let parsed = tree_of(&source.as_bytes()[..end], SpanMap::At(0));
            let json = to_json(&parsed.sink, &text);
            prop_assert!(begins(&json, &value), "{}\n{json}", String::from_utf8_lossy(&source.as_bytes()[..end]));
        }
    }
}
