//! Tests of repairs of almost-JSON.

use super::*;
use crate::repair::Repair;

#[track_caller]
fn check(broken: &str, expected: Option<&str>) {
    let fixed = edits(broken).map(|edits| Repair { edits }.applied(broken.as_bytes()));
    let fixed = fixed.map(|bytes| String::from_utf8(bytes).expect("edits end between characters"));
    assert_eq!(fixed.as_deref(), expected, "{broken:?}");
    if let Some(fixed) = fixed {
        serde_json::from_str::<serde_json::Value>(&fixed).unwrap_or_else(|error| panic!("{fixed}: {error}"));
        assert_eq!(edits(&fixed), None, "{fixed} is fine");
    }
}

#[test]
fn what_is_almost_json_becomes_json_and_keeps_all_it_says() {
    let rows = [
        (r"{'a': 'ls', 'flag': True}", r#"{"a": "ls", "flag": true}"#),
        (r#"{'a': 'it\'s "x"', 'b': None}"#, r#"{"a": "it's \"x\"", "b": null}"#),
        (r"{'a': 'it's so'}", r#"{"a": "it's so"}"#),
        (r#"{“a”: “b "c"”}"#, r#"{"a": "b \"c\""}"#),
        (r#"{"a": 1 "b": 2}"#, r#"{"a": 1, "b": 2}"#),
        (r#"{"a": "x" "b": [1 2]}"#, r#"{"a": "x", "b": [1, 2]}"#),
        (r#"{"a": [1, 2,], "b": 3,}"#, r#"{"a": [1, 2], "b": 3}"#),
        (r#"{"a": [1,, 2], , "b": 3}"#, r#"{"a": [1, 2],  "b": 3}"#),
        (r#"{"a" 1, "b" = 2, "c" => 3}"#, r#"{"a": 1, "b" : 2, "c" : 3}"#),
        (r#"{"t": "he said "no" twice", "n": 2}"#, r#"{"t": "he said \"no\" twice", "n": 2}"#),
        (r#"{"t": "a "b", and c", "n": 2}"#, r#"{"t": "a \"b\", and c", "n": 2}"#),
        (r#"{"t": "a "b", then: c", "n": 2}"#, r#"{"t": "a \"b\", then: c", "n": 2}"#),
        (r#"{"t": ["say "hi" now", "b"]}"#, r#"{"t": ["say \"hi\" now", "b"]}"#),
        (r#"{"a": "{"p": "x"}"}"#, r#"{"a": "{\"p\": \"x\"}"}"#),
        (r#"{"a": "C:\dir\new"}"#, r#"{"a": "C:\\dir\new"}"#),
        ("{\"a\": \"one\ntwo\tthree\"}", r#"{"a": "one\ntwo\tthree"}"#),
        (r#"{"a": {"b": [1, 2}}"#, r#"{"a": {"b": [1, 2]}}"#),
        (r#"[{"a": 1]"#, r#"[{"a": 1}]"#),
        (r#"{"a": {"b": 1}"#, r#"{"a": {"b": 1}}"#),
        (r#"{"a": {"b": "cut o"#, r#"{"a": {"b": "cut o"}}"#),
        (r#"{"a": [1, 2,"#, r#"{"a": [1, 2]}"#),
        (r#"{"a": 1}}"#, r#"{"a": 1}"#),
        ("{\"a\": 1, // why\n\"b\": 2 /* so */}", "{\"a\": 1,\n\"b\": 2}"),
        (r#"{"a": +1, "b": .5, "c": 1., "d": nil}"#, r#"{"a": 1, "b": 0.5, "c": 1.0, "d": null}"#),
        (r#"{"a": yes}"#, r#"{"a": "yes"}"#),
        (r"{a: b, c: [d]}", r#"{"a": "b", "c": ["d"]}"#),
        // A missing quotation mark, if one position makes the whole valid.
        (r#"{"name": "find", arguments": {"n": 2}}"#, r#"{"name": "find", "arguments": {"n": 2}}"#),
        (r#"{name": "find"}"#, r#"{"name": "find"}"#),
        (r#"{"name": "f, "arguments": {"a": 1}}"#, r#"{"name": "f", "arguments": {"a": 1}}"#),
        (r#"{"p": "a.txt, "c": "hello", "m": "w"}"#, r#"{"p": "a.txt", "c": "hello", "m": "w"}"#),
        (r#"{"a": "x, "b": "y"}"#, r#"{"a": "x", "b": "y"}"#),
        ("{\"a\": \"x,\n \"b\": \"y\"}", "{\"a\": \"x\",\n \"b\": \"y\"}"),
        (r#"{"a: {"b": 1}}"#, r#"{"a": {"b": 1}}"#),
        (r#"{"a"": "x", "b": 1}"#, r#"{"a": "x", "b": 1}"#),
        (r#"["x, "y"]"#, r#"["x", "y"]"#),
        (r#"{"a": {"b": "x}}"#, r#"{"a": {"b": "x"}}"#),
        (r#"{"a": "f() {}"#, r#"{"a": "f() {}"}"#),
        (r#"{"ä": 'ö', “ü”: 1 'ß': 2}"#, r#"{"ä": "ö", "ü": 1, "ß": 2}"#),
    ];
    for (broken, fixed) in rows {
        check(broken, Some(fixed));
    }
}

#[test]
fn ambiguous_json_is_not_edited() {
    for text in [
        r#"{"a": 1}"#,
        r#"{"a": oops it broke}"#,
        r#"{"a": }"#,
        r#"{"a""#,
        r#"{"a": 1} and"#,
        "{1: 2}",
        "",
        "x y",
        r#"{"a": NaN}"#,
        r#"{"a": -Infinity}"#,
        // Members of an object are not part of a string.
        r#"{"a": "x "b": "y"}"#,
        r#"{"a": "say "x, "b": "y"}"#,
        r#"{"name": "f, arguments": {"a": 1}}"#,
        r#"{"a": {"b": "x}"#,
        r#"{"a": "x", "b"#,
        r#"{"a": "x", "b: {"c:"d"}}"#,
        r"{'a': 'x, 'b': 'y'}",
        r#"{"a": ["x], "b": "y"}"#,
        // The second line may be prose, or another value.
        "{\"a\": \"cut o\nSure, done.",
        "{\"a\": \"cut o\n{\"b\": 1}\"}",
        "{\"a\": 1, \"cut\no\": 2}",
    ] {
        check(text, None);
    }
}

#[test]
fn no_text_makes_it_fail_and_what_it_makes_is_json() {
    let pieces = [
        "{", "}", "[", "]", "\"", "'", "“", "”", ",", ":", "a", "1", " ", "\\", "\n", "True", "//", "/*", "*/", "ä",
        "=",
    ];
    let mut seed = 7_u64;
    for _ in 0..60_000 {
        let mut text = String::from("{\"a\": ");
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        let Some(edits) = edits(&text) else { continue };
        let sorted = edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
        assert!(sorted, "{text:?}: {edits:?}");
        let fixed = String::from_utf8(Repair { edits }.applied(text.as_bytes())).expect("whole characters");
        let json = serde_json::from_str::<serde::de::IgnoredAny>(&fixed);
        assert!(json.is_ok() || fixed.contains("\\u"), "{text:?} became {fixed:?}");
    }
}
