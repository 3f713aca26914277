//! Properties of arbitrary texts with triple-caret blocks, and tests that cases in `tests/data` cannot express.

use proptest::prelude::*;

use transcope_session::session::Session;
use transcope_syntax::container::Container;
use transcope_syntax::dialect::Options;
use transcope_syntax::value::{Assembly, ROOT};
use transcope_text::diagnostic::{Code, Severity};

/// Maximum number of bytes from a fence inside of a value to the end of that value.
const FENCE_REACH: usize = 64 * 1024;

/// Lines, and parts of lines, that have a meaning in some context.
const PIECES: [&str; 44] = [
    "^^^tool\n",
    "^^^a\n",
    "^^^\n",
    "^^^",
    "^^^ \n",
    "^^^\r\n",
    "^^^tool \n",
    " ^^^\n",
    "^^^^\n",
    "^^^a-b\n",
    "^",
    "k ---\n",
    "--- k\n",
    "--- k",
    " --- k\n",
    "---k\n",
    "content ---\n",
    "--- content\n",
    "---\n",
    "---",
    "k: [\n",
    "]\n",
    "],\n",
    "item\n",
    "k: v\n",
    "k:\n",
    "k: |\n",
    "k: >-\n",
    "content: |\n",
    "content: x\n",
    "  deep\n",
    "    deeper: x\n",
    "- a\n",
    "  - b: c\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "x",
    "é",
    "\u{a0}\n",
    "```\n",
    "k: \"q\"\n",
    "!!!GADGET_START:T\n",
];

/// Everything that a reader of the session can observe.
fn describe(session: &Session) -> String {
    let items: Vec<_> =
        session.document().items().iter().enumerate().map(|(number, item)| (item, session.dissect(number))).collect();
    format!("{items:?} {:?}", session.document().sorted_diagnostics().collect::<Vec<_>>())
}

fn fresh() -> Session {
    Session::new(Container::default(), &Options::default())
}

/// Asserts that each node is within its parent and the body, and that the arguments are in order.
fn is_in_order(assembly: &Assembly, start: usize, end: usize) {
    let starts: Vec<usize> = assembly.arguments.iter().map(|argument| argument.marker.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert_eq!(assembly.arguments.len(), assembly.scalars.len());
    for (id, _) in assembly.tree.walk() {
        let node = assembly.tree.node(id);
        assert!(node.place.start >= start && node.place.end <= end, "{node:?} is not in {start}..{end}");
        let parent = assembly.tree.node(node.parent);
        let within = parent.place.start <= node.place.start && node.place.end <= parent.place.end;
        assert!(node.parent == ROOT || within, "{node:?} is not in {parent:?}");
    }
}

proptest! {
    #[test]
    fn blocks_are_the_same_however_they_are_cut(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
        lengths in prop::collection::vec(1..9_usize, 1..20),
    ) {
        let text = format!("^^^t\n{}", pieces.concat());
        let whole = Session::from_bytes(text.as_bytes());
        let expected = describe(&whole);
        let (mut by_byte, mut by_piece) = (fresh(), fresh());
        for byte in text.as_bytes() {
            by_byte.push(std::slice::from_ref(byte));
            let _ = describe(&by_byte);
        }
        by_byte.finish();
        prop_assert_eq!(describe(&by_byte), expected.clone());
        let mut rest = text.as_bytes();
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, behind) = rest.split_at(rest.len().min(*length));
            by_piece.push(piece);
            rest = behind;
        }
        by_piece.finish();
        prop_assert_eq!(describe(&by_piece), expected);
        let mut end = 0;
        for (number, item) in whole.document().items().iter().enumerate() {
            prop_assert_eq!(item.span().start, end);
            end = item.span().end;
            if let (Some(call), Some(assembly)) = (item.call(), whole.dissect(number)) {
                is_in_order(&assembly, call.body.start, call.body.end);
            }
        }
        prop_assert_eq!(end, text.len());
    }
}

#[test]
fn a_fence_that_is_too_far_from_the_end_of_its_value_ends_the_block() {
    let block = |length: usize| format!("^^^t\nk ---\n^^^\n{}\n--- k\n^^^\n", "x".repeat(length));
    for (length, inside) in [(FENCE_REACH - 1, true), (FENCE_REACH, false)] {
        let session = Session::from_bytes(block(length).as_bytes());
        let found: Vec<Code> = session.document().diagnostics().iter().map(|problem| problem.code).collect();
        let expected = if inside { Code::CaretFenceInValue } else { Code::CaretUnclosedValue };
        assert_eq!(found[0], expected, "{length}");
    }
}

#[test]
fn several_blocks_are_a_hint_unless_one_is_the_rule() {
    let text = b"^^^a\n^^^\n^^^b\n^^^\n^^^c\n^^^\n";
    for (one_call_per_message, expected) in
        [(false, vec![Severity::Hint]), (true, vec![Severity::Error, Severity::Error])]
    {
        let options = Options { one_call_per_message, ..Options::default() };
        let session = Session::read(text, &options);
        let problems = session.document().diagnostics().iter().filter(|problem| problem.code == Code::SeveralCalls);
        assert_eq!(problems.map(|problem| problem.severity).collect::<Vec<_>>(), expected);
    }
}
