//! Nested tags, with a prefix and without, well-formed and as models write them.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::*;
use crate::diagnostic::Code;
use crate::text::{Span, Text};
use crate::value::coerce::coerce;
use crate::value::pointer::MAX_DEPTH;
use crate::value::tree_builder::MAX_NODES;
use crate::value::tree_json::to_json;
use crate::value::{ROOT, Value};

/// Offset of the sources of these tests.
const AT: usize = 3;

/// The prefix of these tests, and an abbreviation for it.
const PREFIX: (&str, &str) = ("]<]mark[>[", "~");

const SYNTAX: TagSyntax<'_> = TagSyntax { prefix: PREFIX.0, strip: ValueStrip::Nothing, coerce };

const BARE: TagSyntax<'_> = TagSyntax { prefix: "", ..SYNTAX };

fn full(source: &str) -> String {
    source.replace(PREFIX.1, PREFIX.0)
}

/// The tree of a source; checks that parsing without a tree gives the same, and that the positions are nested.
fn tree_of(source: &str, arrival: Arrival, syntax: TagSyntax<'_>) -> (ParsedArguments<ParamTree>, Text) {
    let parsed = parse::<ParamTree>(source.as_bytes(), AT, arrival, syntax);
    let bare = parse::<()>(source.as_bytes(), AT, arrival, syntax);
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

/// A source, the result, and each problem: its code and its bytes.
type Row<'a> = (&'a str, Json, &'a [(Code, &'a str)]);

fn check_rows(rows: &[Row<'_>], syntax: TagSyntax<'_>) {
    for (source, expected, problems) in rows {
        let source = full(source);
        let (parsed, text) = tree_of(&source, Arrival::Whole, syntax);
        assert_eq!(to_json(&parsed.sink, &text), *expected, "{source:?}: {:?}", parsed.problems);
        let found: Vec<_> = parsed.problems.iter().map(|problem| (problem.code, text.read_str(problem.span))).collect();
        let wanted: Vec<_> = problems.iter().map(|(code, bytes)| (*code, full(bytes).into())).collect();
        assert_eq!(found, wanted, "{source:?}: {:?}", parsed.problems);
        let is_error = problems.iter().any(|(code, _)| !matches!(code, Code::IgnoredText | Code::DuplicateKey));
        assert_eq!(parsed.error.is_some(), is_error, "{source:?}: {:?}", parsed.error);
    }
}

#[test]
fn tags_with_a_prefix_are_what_they_say() {
    use Code::{DuplicateKey, IgnoredText, MalformedTag, MismatchedTag, UnclosedParameter};
    let rows: &[Row<'_>] = &[
        ("", json!({}), &[]),
        ("~<city>Paris~</city>~<days>3~</days>", json!({"city": "Paris", "days": 3}), &[]),
        ("\n ~<a>  x \n~</a>\n ~<b>~</b>\n", json!({"a": "  x \n", "b": ""}), &[]),
        ("~<o>~<a>1~</a>~<b>~<c>true~</c>~</b>~</o>", json!({"o": {"a": 1, "b": {"c": true}}}), &[]),
        ("~<t>~<item>red~</item>\n~<item>blue~</item>~</t>", json!({"t": ["red", "blue"]}), &[]),
        ("~<t>~<item>~<id>1~</id>~</item>~</t>", json!({"t": [{"id": 1}]}), &[]),
        ("~<t>~<item>~<item>1~</item>~</item>~</t>", json!({"t": [[1]]}), &[]),
        ("~<item>x~</item>", json!({"item": "x"}), &[]),
        ("~<c>if (a < b) { <b>y</b> } </c>~</c>", json!({"c": "if (a < b) { <b>y</b> } </c>"}), &[]),
        ("~<get-it>1~</get-it>~<größe>2~</größe>", json!({"get-it": 1, "größe": 2}), &[]),
        // Repeated tags.
        (
            "~<t>red~</t>~<x>1~</x>~<t>blue~</t>~<t>3~</t>",
            json!({"t": ["red", "blue", 3], "x": 1}),
            &[(DuplicateKey, "t")],
        ),
        ("~<o>~<a>1~</a>~<a>~<b>2~</b>~</a>~</o>", json!({"o": {"a": [1, {"b": 2}]}}), &[(DuplicateKey, "a")]),
        ("~<o>~<item>1~</item>~<x>2~</x>~</o>", json!({"o": {"item": 1, "x": 2}}), &[]),
        // Text between tags.
        ("first ~<a>1~</a> then ~<b>2~</b>", json!({"a": 1, "b": 2}), &[(IgnoredText, "first")]),
        ("~<o>~<a>1~</a> more ~</o>", json!({"o": {"a": 1}}), &[(IgnoredText, "more")]),
        // Malformed.
        ("~<a>1~</b>~<c>2~</c>", json!({"a": 1, "c": 2}), &[(MismatchedTag, "~</b>")]),
        ("~<o>~<a>1~</o>~<c>2~</c>", json!({"o": {"a": 1}, "c": 2}), &[(UnclosedParameter, "~<a>")]),
        ("~</a>~<b>1~</b>", json!({"b": 1}), &[(MismatchedTag, "~</a>")]),
        ("~<a>1~<b>2~</a>", json!({"a": {"b": 2}}), &[(IgnoredText, "1"), (UnclosedParameter, "~<b>")]),
        ("~<a>x~< y~</a>", json!({"a": full("x~< y")}), &[(MalformedTag, "~<")]),
        ("~<a/>~<b>1~</b>", json!({"b": 1}), &[(MalformedTag, "~<")]),
        ("~<a>Par", json!({"a": "Par"}), &[(UnclosedParameter, "~<a>")]),
        ("~<o>~<a>1~</a>", json!({"o": {"a": 1}}), &[(UnclosedParameter, "~<o>")]),
    ];
    check_rows(rows, SYNTAX);
}

#[test]
fn tags_without_a_prefix_are_what_they_say() {
    use Code::{IgnoredText, MismatchedTag, UnclosedParameter};
    let rows: &[Row<'_>] = &[
        ("<city>Paris</city><o><a>1</a></o>", json!({"city": "Paris", "o": {"a": 1}}), &[]),
        ("<c>if a < b && c >d << 1</c>", json!({"c": "if a < b && c >d << 1"}), &[]),
        ("<c>x </b> y</c>", json!({"c": "x </b> y"}), &[(MismatchedTag, "</b>")]),
        (
            "<c>use <b>this",
            json!({"c": {"b": "this"}}),
            &[(UnclosedParameter, "<c>"), (IgnoredText, "use"), (UnclosedParameter, "<b>")],
        ),
    ];
    check_rows(rows, BARE);
}

#[test]
fn white_space_goes_as_the_rule_says() {
    use ValueStrip::{Nothing, OneNewline, Trim};
    let cases: &[(&str, ValueStrip, &str)] = &[
        ("\n\n x \n\n", Nothing, "\n\n x \n\n"),
        ("\n\n x \n\n", OneNewline, "\n x \n"),
        ("\n\n x \n\n", Trim, "x"),
        ("x\n", OneNewline, "x"),
        ("\n", OneNewline, ""),
        ("\n\n", OneNewline, ""),
        (" \n ", Trim, ""),
        ("", OneNewline, ""),
    ];
    for (value, strip, expected) in cases {
        let source = format!("<a>{value}</a>");
        let (parsed, text) = tree_of(&source, Arrival::Whole, TagSyntax { strip: *strip, ..BARE });
        assert_eq!(to_json(&parsed.sink, &text), json!({"a": expected}), "{value:?} with {strip:?}");
    }
}

#[test]
fn what_still_arrives_has_no_problem_yet() {
    let source = full("~<city>Paris~</city>~<o>~<t>~<item>red~</item>~</t>~<n>4~</n>~</o>");
    for end in 0..=source.len() {
        let (parsed, text) = tree_of(&source[..end], Arrival::Open, SYNTAX);
        assert_eq!(parsed.problems, [], "{:?}", &source[..end]);
        let city = to_json(&parsed.sink, &text)["city"].clone();
        assert!(city.is_null() || "Paris".starts_with(city.as_str().unwrap_or("!")), "{:?}: {city}", &source[..end]);
    }
}

#[test]
fn every_key_and_value_has_its_place() {
    let source = full("~<o>~<a> x ~</a>~<t>1~</t>~<t>2~</t>~</o>~<l>~<item>y~</item>~</l>");
    let (parsed, text) = tree_of(&source, Arrival::Whole, TagSyntax { strip: ValueStrip::Trim, ..SYNTAX });
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
        ["o", "o", "", "~<o>~<a> x ~</a>~<t>1~</t>~<t>2~</t>~</o>"],
        ["o/a", "a", "x", "~<a> x ~</a>"],
        ["o/t", "t", "", "~<t>1~</t>~<t>2~</t>"],
        ["o/t/0", "", "1", "~<t>1~</t>"],
        ["o/t/1", "", "2", "~<t>2~</t>"],
        ["l", "l", "", "~<l>~<item>y~</item>~</l>"],
        ["l/0", "", "y", "~<item>y~</item>"],
    ];
    assert_eq!(shown, expected.map(|row| row.map(full)));
    let assembly = assemble(source.as_bytes(), AT, Arrival::Whole, SYNTAX);
    let values: Vec<_> = assembly.arguments.iter().map(|argument| text.read_str(argument.value)).collect();
    assert_eq!(values, [" x ", "1", "2", "y"]);
}

#[test]
fn what_is_too_deep_or_too_much_is_left_out_and_said_once() {
    let codes = |source: &str| -> Vec<Code> {
        check(source.as_bytes(), 0, Arrival::Whole, BARE).problems.iter().map(|problem| problem.code).collect()
    };
    let deep = format!("{}{}", "<a>".repeat(50_000), "</a>".repeat(50_000));
    assert_eq!(codes(&deep), [Code::JsonTooLarge]);
    assert_eq!(parse::<ParamTree>(deep.as_bytes(), 0, Arrival::Whole, BARE).sink.len(), MAX_DEPTH);
    let wide = format!("<l>{}</l>", "<item>1</item>".repeat(2 * MAX_NODES));
    assert_eq!(codes(&wide), [Code::JsonTooLarge]);
    let strays = format!("{}{}", "<a>".repeat(50_000), "</b>".repeat(50_000));
    assert!(codes(&strays).contains(&Code::MismatchedTag));
}

fn any_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::Bool),
        any::<i32>().prop_map(|number| json!(number)),
        "[a-c<>/ \n\\]\\[]{0,8}[a-c]".prop_map(Json::String),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..6).prop_map(Json::Array),
            prop::collection::vec(("[a-c]{1,3}", inner), 1..6)
                .prop_map(|members| Json::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(
        members in prop::collection::vec(("[a-c]{1,3}", any_value()), 0..5),
        strip in prop::sample::select(vec![ValueStrip::Nothing, ValueStrip::OneNewline]),
    ) {
        let value = Json::Object(members.into_iter().collect());
        let syntax = TagSyntax { strip, ..SYNTAX };
        let source = write(&value, syntax);
        let (parsed, text) = tree_of(&source, Arrival::Whole, syntax);
        prop_assert_eq!(to_json(&parsed.sink, &text), value, "{}", source);
        prop_assert_eq!(parsed.problems, []);
    }
}
