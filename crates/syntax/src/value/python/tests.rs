//! Arguments in valid Python, as models write them, and cut off anywhere; calls with and without a list.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::diagnostic::Code;
use crate::text::{Span, Text};
use crate::value::json::lexer::Strings;
use crate::value::pointer::MAX_DEPTH;
use crate::value::tests::{alike, any_value};
use crate::value::tree_builder::{MAX_NODES, MAX_PROBLEMS};
use crate::value::tree_json::to_json;
use crate::value::{ROOT, Value};

/// Offset of the sources of these tests.
const AT: usize = 7;

fn text_of(source: &str) -> Text {
    let mut text = Text::default();
    text.push(&[b'-'; AT]);
    text.push(source.as_bytes());
    text
}

/// The tree of a source; checks that parsing without a tree gives the same, and that the positions are nested.
fn tree_of(source: &str, arrival: Arrival) -> (ParsedArguments<ParamTree>, Text) {
    let parsed = parse::<ParamTree>(source.as_bytes(), AT, arrival);
    let bare = parse::<()>(source.as_bytes(), AT, arrival);
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
    (parsed, text_of(source))
}

#[test]
fn arguments_are_what_python_has_them_be() {
    // The source, the result, and the bytes of each problem; errors are marked with `!`.
    let cases: &[(&str, Json, &[&str])] = &[
        ("", json!({}), &[]),
        ("city='Paris', days=3, metric=True", json!({"city": "Paris", "days": 3, "metric": true}), &[]),
        ("\n  city = \"Paris\" ,\n", json!({"city": "Paris"}), &[]),
        ("a=None, b=null, c=true, d=False", json!({"a": null, "b": null, "c": true, "d": false}), &[]),
        (
            "a=-3, b=1_000, c=0x1f, d=1e5, e=.5, f=+1",
            json!({"a": -3, "b": 1000, "c": 31, "d": 100_000, "e": 0.5, "f": 1}),
            &[],
        ),
        ("a='Pa' \"ris\"\n'!'", json!({"a": "Paris!"}), &[]),
        (r"a='L\'Aquila', b='q\\n\x41'", json!({"a": "L'Aquila", "b": "q\\nA"}), &[]),
        ("a='''x'\ny''', b=\"\"\"\"quoted\" \"\"\", c=''", json!({"a": "x'\ny", "b": "\"quoted\" ", "c": ""}), &[]),
        (r"a=r'\d', b=u'x', c=R'''\n'''", json!({"a": "\\d", "b": "x", "c": "\\n"}), &[]),
        ("a=[1, [2, 'x'],], b=()", json!({"a": [1, [2, "x"]], "b": []}), &[]),
        ("a=(1, 2), b=(1,), c=(1), d=('x' 'y')", json!({"a": [1, 2], "b": [1], "c": 1, "d": "xy"}), &[]),
        ("a={1, 2}, b={}, c={'x'}", json!({"a": [1, 2], "b": {}, "c": ["x"]}), &[]),
        ("a={'k': {'n': [None]}, \"l\": 1,}", json!({"a": {"k": {"n": [null]}, "l": 1}}), &[]),
        (
            "a={1: 'x', True: 'y', None: 'z', -1_0: 0}",
            json!({"a": {"1": "x", "true": "y", "null": "z", "-10": 0}}),
            &[],
        ),
        ("a=1, # one\n b=2", json!({"a": 1, "b": 2}), &[]),
        ("a='#', c=#fff", json!({"a": "#", "c": "#fff"}), &["#fff"]),
        ("content='use [f( to {open'", json!({"content": "use [f( to {open"}), &[]),
        ("städte='x', _a1=2", json!({"städte": "x", "_a1": 2}), &[]),
        // Numbers that JSON readers round.
        ("a=12345678901234567890", json!({"a": 12_345_678_901_234_567_000_u64 as f64}), &["12345678901234567890"]),
        ("a=1e400", json!({"a": "1e400"}), &["1e400"]),
        // Not literals.
        (
            "a=1+2, b=Paris, c=get('x', 1), d=3",
            json!({"a": "1+2", "b": "Paris", "c": "get('x', 1)", "d": 3}),
            &["1+2", "Paris", "get('x', 1)"],
        ),
        (
            "a=[x for x in y], b='%s' % z, c=not True",
            json!({"a": ["x for x in y"], "b": "'%s' % z", "c": "not True"}),
            &["x for x in y", "'%s' % z", "not True"],
        ),
        ("a=f'{x}', b=b'y'", json!({"a": "{x}", "b": "y"}), &["f'{x}'", "b'y'"]),
        (
            "a=NaN, b=007, c=-x, d=- 1",
            json!({"a": "NaN", "b": "007", "c": "-x", "d": "- 1"}),
            &["NaN", "007", "-x", "- 1"],
        ),
        ("a=[1, 2][0], b=(1)+(2)", json!({"a": "[1, 2][0]", "b": "(1)+(2)"}), &["[1, 2][0]", "(1)+(2)"]),
        ("a={(1, 2): 3, x: 4}", json!({"a": {"(1, 2)": 3, "x": 4}}), &["(1, 2)", "x"]),
        // Without a keyword.
        ("'Paris', 3, days=4", json!({"0": "Paris", "1": 3, "days": 4}), &["'Paris'", "3"]),
        ("{'city': 'Paris'}", json!({"0": {"city": "Paris"}}), &["{'city': 'Paris'}"]),
        ("a==1", json!({"0": "a==1"}), &["a==1", "a==1"]),
        (
            "**{'city': 'Paris', 'a b': 1}, x=2",
            json!({"city": "Paris", "a b": 1, "x": 2}),
            &["**{'city': 'Paris', 'a b': 1}"],
        ),
        ("**rest, *more", json!({"0": "**rest", "1": "*more"}), &["**rest", "**rest", "*more", "*more"]),
        // Repeated keys.
        ("a=1, b=2, a=3", json!({"a": 3, "b": 2}), &["a"]),
        ("a={'k': 1, 'k': 2}", json!({"a": {"k": 2}}), &["k"]),
        // Malformed, but unambiguous.
        ("a=1 b=2", json!({"a": 1, "b": 2}), &["!b"]),
        ("a={'k': 1 'l': 2}, b=[1] c=3", json!({"a": {"k": 1, "l": 2}, "b": [1], "c": 3}), &["!'l'", "!c"]),
        (",a=1,, b=2", json!({"a": 1, "b": 2}), &["!,", "!,"]),
        ("a=, b=2, c=", json!({"b": 2}), &["!a", "!c"]),
        ("a={'k', 'l': 1, 'm':}", json!({"a": {"l": 1}}), &["!'k'", "!'m'"]),
        ("'a'=1, b: 2, get-it=3", json!({"a": 1, "b": 2, "get-it": 3}), &["!'a'", "!:", "!get-it"]),
        ("a='x\ny', b=1", json!({"a": "x\ny", "b": 1}), &["!\n"]),
        (r"a='\xzz', b='\ud800'", json!({"a": "\\xzz", "b": "\u{fffd}"}), &["!\\x", "!\\ud800"]),
        ("a=([1, 2), b=3", json!({"a": [1, 2], "b": 3}), &["!)"]),
        ("a={'k': [1}, b=3", json!({"a": {"k": [1]}, "b": 3}), &["!}"]),
        ("a=1], b=2", json!({"a": 1, "b": 2}), &["!]"]),
        // Malformed, and the rest is ambiguous.
        ("city='L'Aquila', days=3", json!({"city": "L"}), &["!'"]),
        ("city='Paris, days=3", json!({"city": "Paris, days=3"}), &["!"]),
        ("a=[1, {'k': 'v", json!({"a": [1, {"k": "v"}]}), &["!"]),
        ("a=[1, 2", json!({"a": [1, 2]}), &["!"]),
        ("a={'k': 1, 'l'", json!({"a": {"k": 1}}), &["!'l'", "!"]),
    ];
    for (source, expected, problems) in cases {
        let (parsed, text) = tree_of(source, Arrival::Whole);
        assert_eq!(to_json(&parsed.sink, &text), *expected, "{source:?}: {:?}", parsed.problems);
        let found: Vec<_> = parsed.problems.iter().map(|problem| text.read_str(problem.span)).collect();
        let bytes: Vec<_> = problems.iter().map(|problem| problem.strip_prefix('!').unwrap_or(problem)).collect();
        assert_eq!(found, bytes, "{source:?}: {:?}", parsed.problems);
        let is_error = problems.iter().any(|problem| problem.starts_with('!'));
        assert_eq!(parsed.error.is_some(), is_error, "{source:?}: {:?}", parsed.error);
    }
}

#[test]
fn what_still_arrives_has_no_problem_yet() {
    let source = "city='Pa\\'ris', opts={'a': [1, (2, 3)], 'b': {'c'}}, metric=True, days=-3.5";
    for end in 0..=source.len() {
        let (parsed, text) = tree_of(&source[..end], Arrival::Open);
        assert_eq!(parsed.problems, [], "{:?}", &source[..end]);
        if end > source.find("opts").expect("it is there") {
            assert_eq!(to_json(&parsed.sink, &text)["city"], json!("Pa'ris"));
        }
    }
}

#[test]
fn every_key_and_value_has_its_place() {
    let (parsed, text) = tree_of(" a = 'x' , b={'k': [1, 'y' \"z\"]}, 'c'=r'''q''', d=(2)", Arrival::Whole);
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
        ["a", "a", "x", "a = 'x'"],
        ["b", "b", "", "b={'k': [1, 'y' \"z\"]}"],
        ["b/k", "k", "", "'k': [1, 'y' \"z\"]"],
        ["b/k/0", "", "1", "1"],
        ["b/k/1", "", "y' \"z", "'y' \"z\""],
        ["c", "c", "q", "'c'=r'''q'''"],
        ["d", "d", "2", "d=(2"],
    ];
    assert_eq!(shown, expected.map(|row| row.map(str::to_owned)));
    let assembly = assemble(b"a='x', b=[1, 2]", 3, Arrival::Whole);
    assert_eq!(
        assembly.arguments.iter().map(|argument| argument.value).collect::<Vec<_>>(),
        [Span::new(6, 7), Span::new(13, 14), Span::new(16, 17)]
    );
}

#[test]
fn what_is_too_deep_or_too_much_is_left_out_and_said_once() {
    let codes = |source: &str| -> Vec<Code> {
        parse::<()>(source.as_bytes(), 0, Arrival::Whole).problems.iter().map(|problem| problem.code).collect()
    };
    let deep = format!("a={}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(codes(&deep), [Code::JsonTooLarge]);
    assert_eq!(parse::<ParamTree>(deep.as_bytes(), 0, Arrival::Whole).sink.len(), MAX_DEPTH);
    let groups = format!("a={}1{}", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(codes(&groups), []);
    let wide = format!("a=[{}]", "0,".repeat(2 * MAX_NODES));
    assert_eq!(codes(&wide), [Code::JsonTooLarge]);
    let endless = format!("a={}", "+".repeat(MAX_TOKENS + 1));
    assert_eq!(codes(&endless), [Code::NotALiteral, Code::JsonTooLarge]);
    let faults = "x y, ".repeat(1000);
    assert_eq!(codes(&faults).len(), MAX_PROBLEMS);
}

/// All events of a source, checked to be the same however it is split.
fn events(walker: &PythonWalker, source: &str) -> Vec<PythonEvent> {
    let bytes = source.as_bytes();
    let mut whole = walker.clone();
    let expected: Vec<_> = std::iter::from_fn(|| whole.next(bytes, true)).collect();
    let mut pieces = walker.clone();
    let mut found = Vec::new();
    for end in 0..=bytes.len() {
        found.extend(std::iter::from_fn(|| pieces.next(&bytes[..end], end == bytes.len())));
        assert!(pieces.decided(&bytes[..end]) <= end.max(pieces.offset()), "{source:?} up to {end}");
    }
    assert_eq!(found, expected, "{source:?}");
    expected
}

/// The events abbreviated: names and bodies of calls, `!` for a fault, `…` at the end of the text, and the rest.
fn shown(source: &str, walker: &PythonWalker) -> String {
    let (mut out, mut body_start) = (String::new(), 0);
    for event in events(walker, source) {
        match event {
            PythonEvent::Call { name, body } => {
                let _ = write!(out, "{}(", &source[name.start..name.end]);
                body_start = body;
            }
            PythonEvent::Argument(at) => {
                let word: String = source[at..].chars().take_while(|c| !"=: ".contains(*c)).collect();
                let _ = write!(out, "{word}=");
            }
            PythonEvent::End { body_end, end } => {
                let _ = write!(out, "|{}|{}) ", &source[body_start..body_end], &source[body_end..end]);
            }
            PythonEvent::Done(end) => _ = write!(out, "done {:?}", &source[end..]),
            PythonEvent::Broken(at) => _ = write!(out, "!{:?} ", source[at..].chars().next().unwrap_or('$')),
            PythonEvent::Truncated => out.push('…'),
        }
    }
    out
}

#[test]
fn calls_are_found_as_they_arrive() {
    let cases: &[(&str, &str)] = &[
        ("[f(a=1), g()] x", "f(a=|a=1|)) g(||)) done \" x\""),
        ("[]", "done \"\""),
        (
            "[ get-weather( a = 'x)', b=[f(c=1)] ) ,\n a.b(x=1), ]",
            "get-weather(a=b=| a = 'x)', b=[f(c=1)] |)) a.b(x=|x=1|)) done \"\"",
        ),
        ("f(a=1)\ng()", "f(a=|a=1|)) g(||)) done \"\""),
        (" f(a=1), g(b=2) then", "f(a=|a=1|)) g(b=|b=2|)) done \" then\""),
        ("f(a=1), then", "f(a=|a=1|)) done \", then\""),
        ("f(a='''x)\n\n'y''', b=\"(\")", "f(a=b=|a='''x)\n\n'y''', b=\"(\"|)) done \"\""),
        (
            "[f(1, a==2, b='c=3', **d, e={'k': 1, 'l': lambda x=1: 2})]",
            "f(b=e=|1, a==2, b='c=3', **d, e={'k': 1, 'l': lambda x=1: 2}|)) done \"\"",
        ),
        ("[f(# note: a=1)\n b=2)]", "f(b=|# note: a=1)\n b=2|)) done \"\""),
        ("f('a': 1, b: 2)", "f('a'=b=|'a': 1, b: 2|)) done \"\""),
        // No calls.
        ("See [docs](http://x) for more.", "!'S' "),
        ("[docs](http://x)", "!'d' "),
        ("[f (a=1)]", "!'f' "),
        ("[1, 2]", "!'1' "),
        ("[3d(x=1)]", "!'3' "),
        ("[f(a=1) g()]", "f(a=|a=1|)) !'g' "),
        ("", "…"),
        ("[", "…"),
        ("[f(a=1)", "f(a=|a=1|)) …"),
        ("[f(a=1), g", "f(a=|a=1|)) !'g' "),
        // Cut off, or malformed.
        ("[f(city='Par", "f(city=…"),
        ("f(a=[1, {", "f(a=…"),
        ("[f(city='Paris, days=3)]\n", "f(city=!'\\n' …"),
        ("[f(city='Paris,\n days=3), g()]", "f(city=!'\\n' |city='Paris,\n days=3|)) g(||)) done \"\""),
        ("[f(city='Paris, days=3)]\n\nAnd so on.", "f(city=!'\\n' |city='Paris, days=3)]\n|) done \"\\nAnd so on.\""),
        ("[f(city='x\n```\nmore", "f(city=!'\\n' |city='x\n|) done \"```\\nmore\""),
        ("[f(a=[1, 2), g()]", "f(a=!')' |a=[1, 2|)) g(||)) done \"\""),
        ("[f(a=1], then", "f(a=!']' |a=1|) done \", then\""),
        ("f(a=1}, b=2)", "f(a=!'}' |a=1}, b=2|)) done \"\""),
        ("f(a=((1, [2), b=3)", "f(a=!')' …"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown(source, &PythonWalker::new(0)), *expected, "{source:?}");
    }
}

#[test]
fn a_closing_marker_ends_what_strings_do_not_hold() {
    let walker = PythonWalker::new(0).with_closer(b"</c>".as_slice());
    let cases: &[(&str, &str)] = &[
        ("[f(# note\n</c>", "f(!'<' |# note\n|) done \"</c>\""),
        ("[f(a=1)]</c>", "f(a=|a=1|)) done \"</c>\""),
        ("f(a=1)\ng()</c> more", "f(a=|a=1|)) g(||)) done \"</c> more\""),
        ("[f(a='</c>')]</c>", "f(a=|a='</c>'|)) done \"</c>\""),
        ("[f(a=1</c> more", "f(a=!'<' |a=1|) done \"</c> more\""),
        ("[f(a='x, b=2)]</c>\nmore", "f(a=!'<' |a='x, b=2)]|) done \"</c>\\nmore\""),
        ("[f(a=1 < 2)]</c>", "f(a=|a=1 < 2|)) done \"</c>\""),
        ("[f(a=1)</c>", "f(a=|a=1|)) !'<' "),
        ("</c>", "!'<' "),
    ];
    for (source, expected) in cases {
        assert_eq!(shown(source, &walker), *expected, "{source:?}");
    }
    let lines = walker.allow(Strings::Lines);
    assert_eq!(shown("[f(a='x\n\ny')]</c>", &lines), "f(a=|a='x\n\ny'|)) done \"</c>\"");
}

#[test]
fn a_walker_says_what_it_waits_for() {
    // The text, the missing quotes, and the end of the part that certainly belongs to the call.
    let cases: &[(&str, Option<&str>, usize)] = &[
        ("[f(a=", None, 4),
        ("[f(a='x", Some("'"), 5),
        ("[f(a=[\"x", Some("\""), 6),
        ("[f(a=r'''x\ny", Some("'''"), 12),
        ("[f(a=1), g", None, 9),
    ];
    for (source, quotes, decided) in cases {
        let mut walker = PythonWalker::new(0);
        while walker.next(source.as_bytes(), false).is_some() {}
        let found = (walker.open_quotes(source.as_bytes()), walker.decided(source.as_bytes()));
        assert_eq!(found, (*quotes, *decided), "{source:?}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(members in prop::collection::vec(("[a-c ']{0,3}|if|x9", any_value("[a'\"\\\\\n\r\t\0\u{7f}é#(\\[{]{0,8}", "[a'\" \n]{0,3}")), 0..5)) {
        let value = Json::Object(members.into_iter().collect());
        let source = write(&value);
        let (parsed, text) = tree_of(&source, Arrival::Whole);
        prop_assert!(alike(&to_json(&parsed.sink, &text), &value), "{source}\n{value}");
        prop_assert_eq!(parsed.error, None, "{}", source);
        let call = format!("[f({source})]");
        let end = PythonEvent::End { body_end: 3 + source.len(), end: 4 + source.len() };
        prop_assert!(events(&PythonWalker::new(0), &call).contains(&end), "{call}");
    }
}
