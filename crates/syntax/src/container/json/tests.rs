//! Members and their positions, values that are too deep or too many, and malformed records.

use super::*;

fn read(text: &str, check: impl FnOnce(JsonValue<'_>)) {
    let index = Index::read(text.as_bytes()).expect("it is JSON");
    check(index.root(text.as_bytes(), RecordPositions::At(100)).expect("there is a value"));
}

#[test]
fn members_are_found_with_their_places() {
    read(r#" {"a": [1, {"b\n": "x\"y"}], "c": null, "c": true}"#, |value| {
        let inner = value.get("a").and_then(|list| list.items().nth(1)).expect("an element");
        let text = inner.get("b\n").expect("a member");
        assert_eq!(text.text().as_deref(), Some("x\"y"));
        assert_eq!(text.raw(), br#""x\"y""#);
        assert_eq!(text.source(), Span::new(119, 125));
        assert_eq!(value.get("c").and_then(|last| last.truth()), Some(true));
        assert_eq!(value.get("a").and_then(|list| list.items().next()?.number()), Some(1));
        assert!(value.get("d").is_none() && inner.get("b").is_none());
    });
}

#[test]
fn values_say_the_same_however_they_are_written() {
    let deep = |value: &str| format!("{}{value}{}", "[".repeat(20), "]".repeat(20));
    let (deep, deeper) = (deep("1"), deep("2"));
    let cases = [
        (r#"{"a": [1, "é"], "b": null}"#, "{\"b\":null,\"a\":[1.0,\"\\u00e9\"]}", true),
        ("[1, 2]", "[2, 1]", false),
        (r#"{"a": 1}"#, r#"{"a": 1, "b": 1}"#, false),
        (r#"{"a": true}"#, r#"{"a": "true"}"#, false),
        ("{}", "{ }", true),
        (&deep, &deep, true),
        (&deep, &deeper, false),
    ];
    for (one, other, expected) in cases {
        read(one, |one| read(other, |other| assert_eq!(one.equals(other), expected, "{:?}", other.raw())));
    }
}

#[test]
fn what_is_too_deep_keeps_its_bytes() {
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let text = format!("{{\"a\": {deep}, \"b\": 2}}");
    read(&text, |value| {
        assert_eq!(value.get("a").map(|deep| deep.raw()), Some(deep.as_bytes()));
        assert_eq!(value.get("b").and_then(|two| two.number()), Some(2));
    });
}

#[test]
fn only_strict_json_is_a_record() {
    let cases: [(&str, (Flaw, usize)); 10] = [
        ("{\"a\": 1", (Flaw::CutOff, 7)),
        ("{\"a\": \"x", (Flaw::CutOff, 8)),
        ("{\"a\": \"x\n\"}", (Flaw::Broken, 8)),
        ("{\"a\": 1,}", (Flaw::Broken, 7)),
        ("{'a': 1}", (Flaw::Broken, 1)),
        ("{a: 1}", (Flaw::Broken, 1)),
        ("[x](y)", (Flaw::Broken, 1)),
        ("[1] and so on", (Flaw::Broken, 4)),
        ("{\"a\": True}", (Flaw::Broken, 6)),
        ("", (Flaw::CutOff, 0)),
    ];
    for (text, expected) in cases {
        assert_eq!(Index::read(text.as_bytes()).map(|_| ()).expect_err("it is no record"), expected, "{text:?}");
    }
}

#[test]
fn a_record_of_too_many_values_is_none() {
    let text = format!("[{}1]", "1,".repeat(MAX_VALUES));
    assert_eq!(Index::read(text.as_bytes()).map(|_| ()), Err((Flaw::TooLarge, 0)));
}
