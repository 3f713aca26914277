//! The ends of Python calls and of objects with delimiters, tried on soups of their tokens: they do not depend on how
//! the text is cut. The values in them are tested in `notations`.
//!
//! To try more of them: `PROPTEST_CASES=100000 cargo test --test properties arguments`.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use transcope::value::delimited_object::{DelimitedBoundary, DelimitedEvent};
use transcope::value::json::lexer::Strings;
use transcope::value::python::{PythonEvent, PythonWalker};

/// Offset of the texts.
pub const AT: usize = 11;

pub const PYTHON: &[&str] = &[
    "f(",
    "g(",
    "get-it(",
    "a.b(",
    "a=",
    "b = ",
    "a==",
    "1",
    "-3",
    "0x1f",
    "1_0",
    "1e5",
    ".5",
    "007",
    "True",
    "null",
    "three",
    "'x'",
    "\"y\"",
    "'''z\n'''",
    "r'\\d'",
    "f'{a}'",
    "'it's'",
    "'",
    "\"",
    "'''",
    "\\",
    "\\'",
    "\\x4",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    ":",
    "=",
    "*",
    "**{",
    "+",
    "#",
    " # note\n",
    "\n",
    "\n\n",
    " ",
    "```",
    "é",
    "</c>",
    "</",
];

pub const DELIMITED: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "a",
    "b:",
    "c : ",
    "1",
    "-2.5",
    "1e999",
    "true",
    "null",
    "three",
    "<|\"|>",
    "<|\"|>",
    "<|\"|>x<|\"|>",
    "<|\"|",
    "<|",
    "\"",
    "\"q\"",
    "\\",
    "\\\"",
    "'",
    " ",
    "\n",
    "é",
    "</c>",
    "</",
];

pub fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..3),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// All events of a text that arrives in chunks of these lengths, repeated as often as needed.
fn events<E>(text: &[u8], cuts: &[usize], mut next: impl FnMut(&[u8], bool) -> Option<E>) -> Vec<E> {
    let mut found = Vec::new();
    let mut end = 0_usize;
    for &length in cuts.iter().cycle() {
        end = text.len().min(end.saturating_add(length));
        let finished = end == text.len();
        while let Some(event) = next(&text[..end], finished) {
            found.push(event);
            assert!(found.len() <= 4 * text.len() + 4, "there is no end of events");
        }
        if finished {
            break;
        }
    }
    found
}

/// The result does not depend on how the text is cut, and offsets are in the text and never decrease.
fn is_the_same_however_it_is_cut<E: PartialEq + Debug>(
    text: &[u8],
    cuts: &[usize],
    offset: impl Fn(&E) -> usize,
    read: impl Fn(&[usize]) -> Vec<E>,
) -> Result<(), TestCaseError> {
    let whole = read(&[usize::MAX]);
    prop_assert_eq!(&read(&[1]), &whole, "byte by byte");
    prop_assert_eq!(&read(cuts), &whole, "in pieces of {:?}", cuts);
    let mut behind = AT;
    for event in &whole {
        prop_assert!(behind <= offset(event), "{:?} goes back in {:?}", event, whole);
        behind = offset(event);
    }
    prop_assert!(behind <= AT + text.len(), "{:?} ends outside", whole);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn python_calls_are_found_soundly_however_they_are_cut(
        text in soup(PYTHON),
        cuts in vec(1_usize..12, 1..6),
        begins in select(&["", "[f(", "f(a="][..]),
        strings in select(vec![Strings::OneLine, Strings::Lines]),
        closer in select(&["", "</c>"][..]),
    ) {
        let text = [begins.as_bytes(), &text].concat();
        let offset = |event: &PythonEvent| match *event {
            PythonEvent::Call { name, .. } => name.start,
            PythonEvent::End { end, .. } => end,
            PythonEvent::Argument(at) | PythonEvent::Done(at) => at,
            // A fault is reported where it is noticed, which may be before the last byte that was read.
            PythonEvent::Broken(_) | PythonEvent::Truncated => AT + text.len(),
        };
        let read = |cuts: &[usize]| {
            let mut walker = PythonWalker::new(AT).allow(strings).with_closer(closer.as_bytes());
            events(&text, cuts, |bytes, finished| {
                let event = walker.next(bytes, finished);
                assert!(walker.offset() <= AT + bytes.len() && walker.decided(bytes) <= AT + bytes.len());
                event
            })
        };
        let ends = |events: Vec<PythonEvent>| -> Vec<PythonEvent> {
            events.into_iter().filter(|event| !matches!(event, PythonEvent::Broken(_))).collect()
        };
        prop_assert_eq!(read(&[1]), read(&[usize::MAX]));
        is_the_same_however_it_is_cut(&text, &cuts, offset, |cuts| ends(read(cuts)))?;
    }

    #[test]
    fn delimited_objects_end_where_they_end_however_they_are_cut(
        text in soup(DELIMITED),
        cuts in vec(1_usize..12, 1..6),
        closer in select(&["", "</c>"][..]),
    ) {
        let text = [b"{a:", text.as_slice()].concat();
        let offset = |event: &DelimitedEvent| match *event {
            DelimitedEvent::Member(at) | DelimitedEvent::End(at) | DelimitedEvent::Broken(at) => at,
            DelimitedEvent::Truncated => AT + text.len(),
        };
        is_the_same_however_it_is_cut(&text, &cuts, offset, |cuts| {
            let mut boundary = DelimitedBoundary::new(AT, "<|\"|>").with_closer(closer.as_bytes());
            events(&text, cuts, |bytes, finished| {
                let event = boundary.next(bytes, finished);
                assert!(boundary.offset() <= AT + bytes.len());
                event
            })
        })?;
    }
}
