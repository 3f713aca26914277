//! A transcript: items tile it, all spans are in it, and how it is cut makes no difference. Independent of what should
//! be found in a text.

use std::cell::RefCell;
use std::fmt::Write as _;

use transcope::container::Container;
use transcope::dialect::{self, Dialect, DialectInfo, Options};
use transcope::document::Item;
use transcope::session::Session;
use transcope::text::Span;
use transcope::value::tree_json::to_json;

use super::chance::Chance;

/// Longest text that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// Reads a text as a file of unknown format.
pub fn check(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    thread_local! {
        static DIALECTS: RefCell<Vec<Box<dyn Dialect>>> = RefCell::new(dialect::registry(&Options::default()));
    }
    DIALECTS.with_borrow_mut(|dialects| {
        check_cuts(bytes, dialects, || Session::new(Container::default(), &Options::default()));
    });
}

/// Reads a text with the dialect that the first line names.
pub fn check_dialect(bytes: &[u8]) {
    type Prepared = (&'static DialectInfo, Session, Vec<Box<dyn Dialect>>);
    thread_local! {
        // Dialects are prepared once: that takes longer than reading a short text.
        static DIALECTS: RefCell<Vec<Prepared>> = RefCell::new(dialect::all().map(|info| {
            let options = Options { only: vec![info], ..Options::default() };
            (info, Session::new(Container::plain(), &options), dialect::registry(&options))
        }).collect());
    }
    DIALECTS.with_borrow_mut(|dialects| {
        let (number, text) = super::choose(bytes, dialects.len(), |number| dialects[number].0.name);
        let (_, fresh, dialects) = &mut dialects[number];
        let text = &text[..text.len().min(LONGEST)];
        check_cuts(text, dialects, || fresh.fork().expect("it is plain text"));
    });
}

/// Checks that a `fresh` session gives the same for the whole text and for chunks of it, and that the result is sound.
pub fn check_cuts(bytes: &[u8], dialects: &mut [Box<dyn Dialect>], fresh: impl Fn() -> Session) {
    let read = |pieces: &[&[u8]]| {
        let mut session = fresh();
        for piece in pieces {
            session.push(piece);
        }
        session.finish();
        session
    };
    let whole = read(&[bytes]);
    is_sound(&whole, dialects);
    let expected = outcome(&whole);
    let mut chance = Chance::from_bytes(bytes);
    // A long text is too slow byte by byte.
    let bytewise = if bytes.len() <= 512 { bytes.chunks(1).collect() } else { chance.cut(bytes) };
    for pieces in [bytewise, chance.cut(bytes)] {
        let found = outcome(&read(&pieces));
        assert!(found == expected, "in {} pieces:\n{found}\nas a whole:\n{expected}", pieces.len());
    }
    // A prefix of a text, as while it arrives, is sound too.
    if chance.below(4) == 0 {
        let (prefix, _) = bytes.split_at(chance.below(bytes.len() + 1));
        is_sound(&read(&[prefix]), dialects);
    }
}

/// Everything that a reader can observe, in a form that can be compared.
pub fn outcome(session: &Session) -> String {
    let (text, document) = (session.text(), session.document());
    let mut out = String::new();
    for message in document.messages().iter() {
        _ = writeln!(out, "{message:?}");
    }
    for (number, item) in document.items().iter().enumerate() {
        _ = writeln!(out, "{item:?} {:?}", session.source_of(item.span()));
        if let Some(assembly) = session.dissect(number) {
            _ = writeln!(out, "{:?} {:?} {}", assembly.arguments, assembly.error, to_json(&assembly.tree, text));
        }
    }
    for problem in document.sorted_diagnostics() {
        _ = writeln!(out, "{problem:?}");
    }
    out
}

/// Properties of any session that was read with these dialects.
pub fn is_sound(session: &Session, dialects: &mut [Box<dyn Dialect>]) {
    let (text, document) = (session.text(), session.document());
    let mut end = 0;
    for (number, item) in document.items().iter().enumerate() {
        let span = item.span();
        assert_eq!(span.start, end, "item {number} leaves a gap or overlaps");
        // The result of a call may be empty.
        let may_be_empty = matches!(item, Item::Result(_) | Item::Aside(_)) || session.is_decoded();
        assert!(may_be_empty || !span.is_empty(), "item {number} is empty");
        end = span.end;
        let file = session.source_of(span);
        assert!(file.start <= file.end && file.end <= session.file().len(), "{file:?} is not in the file");
        let Item::Call(call) = item else { continue };
        let inside = |part: Span| span.start <= part.start && part.start <= part.end && part.end <= span.end;
        let words = [call.name].into_iter().chain(call.id).chain(call.waits_for());
        for part in words.map(|word| word.span).chain([call.marker, call.body]) {
            assert!(inside(part), "{part:?} is not in its call {span:?}");
        }
        let assembly = session.dissect(number).expect("a call can be taken apart");
        for part in assembly.arguments.iter().flat_map(|argument| [argument.marker, argument.pointer, argument.value]) {
            assert!(inside(part), "{part:?} is not in its call {span:?}");
        }
        let written = to_json(&assembly.tree, text).to_string();
        let again = serde_json::from_str(&written).map(|again: serde_json::Value| again.to_string());
        assert_eq!(again.ok().as_ref(), Some(&written), "it cannot be read again");
        // A call in the file's own records is dissected with data from the records.
        let dialect = dialects.iter_mut().find(|dialect| dialect.name() == call.dialect);
        if let Some(dialect) = dialect.filter(|_| !session.is_decoded()) {
            let text_start = session.document().text_start(call.span.start);
            let findings = dialect.check(text, call.parts(text_start, call.arguments()));
            assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error));
            assert!(
                assembly.arguments.is_sorted_by_key(|argument| argument.marker.start),
                "arguments follow one another"
            );
        }
        for most in [0, call.body.len() / 2] {
            let (seen, end) = session.dissect_prefix(number, most).expect("a call can be looked into");
            let end = end.unwrap_or(span.end);
            let last = seen.arguments.iter().map(|argument| argument.place().end).max();
            assert!(end <= span.end && last.is_none_or(|last| last <= end), "{last:?} is behind {end}");
        }
    }
    assert_eq!(end, text.len(), "the end is in no item");
    for problem in document.diagnostics().iter() {
        for place in problem.related.iter().map(|related| related.span).chain([problem.span]) {
            assert!(place.start <= place.end && place.end <= end, "{place:?} is not in the text: {problem:?}");
        }
        assert!(problem.item.is_none_or(|item| item < document.items().len()), "{problem:?} is about no item");
    }
}
