//! Texts of arguments, in the notation that the first line names: the tree and the findings without a tree agree, and
//! all spans are in the text and within each other.

use transcope::diagnostic::Diagnostic;
use transcope::text::Text;
use transcope::value::coerce::coerce;
use transcope::value::delimited_object::{self, DelimitedBoundary};
use transcope::value::json::{Arrival, parse_all};
use transcope::value::nested_tags::{self, TagSyntax, ValueStrip};
use transcope::value::place::SpanMap;
use transcope::value::python::{self, PythonWalker};
use transcope::value::tree_json::to_json;
use transcope::value::yaml::{self, Library};
use transcope::value::{Assembly, Findings};

use super::chance::Chance;

/// Offset of the texts.
const AT: usize = 11;

/// Longest text that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// The notations with their checks.
const KINDS: &[super::Named<super::Check>] = &[
    ("json", json),
    ("js-yaml", |text| yaml(text, Library::JsYaml)),
    ("yaml", |text| yaml(text, Library::Yaml)),
    ("python", python),
    ("python calls", python_calls),
    ("object", object),
    ("tags", tags),
];

/// Reads the text as arguments in the notation that its first line names.
pub fn check(bytes: &[u8]) {
    let (number, text) = super::choose(bytes, KINDS.len(), |number| KINDS[number].0);
    KINDS[number].1(&text[..text.len().min(LONGEST)]);
}

/// JSON: what another reader accepts is accepted here, with the same value.
fn json(text: &[u8]) {
    for arrival in [Arrival::Whole, Arrival::Open] {
        let with_tree = parse_all::<Assembly>(text, SpanMap::At(AT), arrival);
        let without = parse_all::<()>(text, SpanMap::At(AT), arrival);
        let problems = |found: &[Diagnostic], hidden: &[Diagnostic]| [found, hidden].concat().into();
        let findings = Findings { problems: problems(&without.problems, &without.hidden), error: without.error };
        let problems = problems(&with_tree.problems, &with_tree.hidden);
        let assembly = Assembly { problems, error: with_tree.error, ..with_tree.sink };
        assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error));
        assert!(with_tree.end <= text.len());
        is_sound(text, &assembly);
        let other: Result<serde_json::Value, _> = serde_json::from_slice(text);
        if let Ok(other) = other.as_ref().ok().filter(|_| arrival == Arrival::Whole).ok_or(()) {
            assert_eq!(assembly.error, None, "{other} is JSON");
            let ours = to_json(&assembly.tree, &placed(text));
            assert!(is_alike(other, &ours), "{other} is read as {ours}");
        }
    }
}

/// True if two values are equal, numbers by value.
pub fn is_alike(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_alike(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_alike(a, b)))
        }
        (Number(a), Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn yaml(text: &[u8], library: Library) {
    is_sound(text, &yaml::parse(text, AT, library).into_assembly());
}

fn python(text: &[u8]) {
    for arrival in [Arrival::Whole, Arrival::Open] {
        agrees(text, &python::assemble(text, AT, arrival), &python::check(text, AT, arrival));
    }
}

fn python_calls(text: &[u8]) {
    is_the_same_however_it_is_cut(text, || {
        let mut walker = PythonWalker::new(AT);
        move |bytes, finished| {
            let event = walker.next(bytes, finished);
            assert!(walker.offset() <= AT + bytes.len() && walker.decided(bytes) <= AT + bytes.len());
            event
        }
    });
}

fn object(text: &[u8]) {
    const QUOTE: &str = "<|\"|>";
    for arrival in [Arrival::Whole, Arrival::Open] {
        let assembly = delimited_object::assemble(text, AT, arrival, QUOTE);
        agrees(text, &assembly, &delimited_object::check(text, AT, arrival, QUOTE));
    }
    is_the_same_however_it_is_cut(text, || {
        let mut boundary = DelimitedBoundary::new(AT, QUOTE);
        move |bytes, finished| {
            let event = boundary.next(bytes, finished);
            assert!(boundary.offset() <= AT + bytes.len());
            event
        }
    });
}

fn tags(text: &[u8]) {
    for strip in [ValueStrip::Nothing, ValueStrip::OneNewline, ValueStrip::Trim] {
        for prefix in ["", "]<]"] {
            let syntax = TagSyntax { prefix, strip, coerce };
            let assembly = nested_tags::assemble(text, AT, Arrival::Whole, syntax);
            agrees(text, &assembly, &nested_tags::check(text, AT, Arrival::Whole, syntax));
        }
    }
}

/// The events of a text do not depend on how it is cut, and they end.
fn is_the_same_however_it_is_cut<E: PartialEq + std::fmt::Debug, N: FnMut(&[u8], bool) -> Option<E>>(
    text: &[u8],
    fresh: impl Fn() -> N,
) {
    let read = |pieces: &[&[u8]]| {
        let (mut next, mut found, mut end) = (fresh(), Vec::new(), 0);
        for number in 0..=pieces.len() {
            end += pieces.get(number).map_or(0, |piece| piece.len());
            while let Some(event) = next(&text[..end], number == pieces.len()) {
                found.push(event);
                assert!(found.len() <= 4 * text.len() + 4, "there is no end of events");
            }
        }
        found
    };
    let whole = read(&[text]);
    let mut chance = Chance::from_bytes(text);
    for pieces in [text.chunks(1).collect(), chance.cut(text)] {
        assert_eq!(read(&pieces), whole, "in {} pieces", pieces.len());
    }
}

/// A text with another one before it.
fn placed(text: &[u8]) -> Text {
    let mut all = Text::default();
    all.push(&[b'-'; AT]);
    all.push(text);
    all
}

/// The tree and the findings of a text agree, and the tree is sound.
pub fn agrees(text: &[u8], assembly: &Assembly, findings: &Findings) {
    assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error));
    is_sound(text, assembly);
}

/// All spans are in the text and within each other, and the tree is a JSON value.
pub fn is_sound(text: &[u8], assembly: &Assembly) {
    let end = AT + text.len();
    for problem in &assembly.problems {
        for place in problem.related.iter().map(|related| related.span).chain([problem.span]) {
            assert!(AT <= place.start && place.start <= place.end && place.end <= end, "{problem:?}");
        }
    }
    let tree = &assembly.tree;
    for (id, _) in tree.walk() {
        let node = tree.node(id);
        assert!(AT <= node.place.start && node.place.end <= end, "{node:?}");
        assert_eq!(node.place.cover(node.key_place), node.place, "{node:?}");
        let parent = tree.node(node.parent).place;
        assert_eq!(parent.cover(node.place), parent, "{node:?} is not in its parent");
    }
    let mut behind = AT;
    for argument in &assembly.arguments {
        assert!(behind <= argument.value.start && argument.place().end <= end, "{argument:?}");
        behind = argument.value.start;
    }
    let written = to_json(tree, &placed(text)).to_string();
    assert!(serde_json::from_str::<serde_json::Value>(&written).is_ok(), "{written}");
}
