//! The parser's limits: its behaviour on both sides of each, which does not depend on how the text is cut. Independent
//! of the reasons for the limits.

use std::sync::Arc;

use transcope::container::Container;
use transcope::diagnostic::{Code, MAX_LISTED, Severity};
use transcope::dialect::{MAX_HEADER, Options, Status};
use transcope::document::Item;
use transcope::session::Session;
use transcope::text::store::{Backing, Paging};

/// Small pages, so that most of a text has to be read again.
const PAGING: Paging = Paging { page: 1024, recent: 1024, kept: 4 };

/// Reads a text whole and in chunks, and checks that the results are the same.
fn read(text: &str) -> Session {
    read_in(text, &[1, 16, 4096, MAX_HEADER, MAX_HEADER + 17])
}

fn read_in(text: &str, lengths: &[usize]) -> Session {
    let whole = Session::from_bytes(text.as_bytes());
    for &length in lengths {
        let mut session = Session::new(Container::default(), &Options::default());
        session.set_paging(PAGING);
        session.back(Backing::new(Arc::<[u8]>::from(text.as_bytes())));
        for piece in text.as_bytes().chunks(length) {
            session.push(piece);
        }
        session.finish();
        let start: String = text.chars().take(100).collect();
        assert_eq!(facts(&session), facts(&whole), "{start:?} in pieces of {length}");
    }
    whole
}

/// The results, without the text.
fn facts(session: &Session) -> Vec<String> {
    let items = session.document().items().iter().map(|item| match item {
        Item::Call(call) => format!("{:?} {:?} {:?}", call.span, call.status, call.arguments()),
        other => format!("no call {:?}", other.span()),
    });
    items.chain(session.document().sorted_diagnostics().map(|problem| format!("{problem:?}"))).collect()
}

fn count(session: &Session, code: Code) -> usize {
    session.document().diagnostics().briefs().filter(|problem| problem.code == code).count()
}

#[test]
fn a_header_that_is_too_long_is_prose() {
    for (front, behind) in
        [("!!!GADGET_START:", "\n!!!GADGET_END\n"), ("> [!tool find ", "]\n\n"), ("```tool find ", "\n```\n")]
    {
        // In the block format, the marker is not part of the header.
        let marker = if front.starts_with('!') { front.len() } else { 0 };
        let header = |length: usize| format!("{front}{}{behind}", "x".repeat(length + marker - front.len()));
        let closing = usize::from(behind.starts_with(']'));
        let longest = read(&header(MAX_HEADER - 1 - closing));
        assert_eq!((longest.document().calls().len(), count(&longest, Code::HeaderWithoutNewline)), (1, 0), "{front}");
        let longer = read(&(header(MAX_HEADER) + "\n!!!GADGET_START:Next\n!!!GADGET_END\n"));
        assert_eq!((longer.document().calls().len(), count(&longer, Code::HeaderWithoutNewline)), (1, 1), "{front}");
    }
}

#[test]
fn a_last_value_that_is_too_long_is_not_searched_for_prose() {
    for (length, expected) in [(1000, 1), (2 << 20, 0)] {
        let value = "x = 1;\n".repeat(length / 7);
        let text = format!("!!!GADGET_START:Add\n!!!ARG:a\n{value}\n\nNow I will wait for the result.\n");
        let session = Session::from_bytes(text.as_bytes());
        assert_eq!(count(&session, Code::UnterminatedCall), 1);
        assert_eq!(count(&session, Code::SwallowedText), expected, "of {length} bytes");
    }
}

#[test]
fn of_very_many_problems_of_a_kind_one_says_that_further_ones_are_not_listed() {
    // Problems in prose, of calls, and in one call.
    let stray = "!!GADGET_END\n\n!!!GADGET_END\n".repeat(MAX_LISTED + 2);
    let calls = "!!!GADGET_START:a:same\n!!!ARG:x\n1\n!!!GADGET_END\n".repeat(MAX_LISTED + 7);
    let call = format!("!!!GADGET_START:a\n{}!!!GADGET_END\n", "!!!ARG:x\n".repeat(MAX_LISTED + 9));
    for (text, kind, count) in [
        (&stray, (Code::StrayEnd, Severity::Warning), MAX_LISTED + 2),
        (&stray, (Code::NearMissMarker, Severity::Warning), MAX_LISTED + 2),
        (&calls, (Code::DuplicateId, Severity::Warning), MAX_LISTED + 6),
        (&call, (Code::DuplicatePointer, Severity::Error), MAX_LISTED + 8),
    ] {
        let session = read(text);
        let unlisted = session.document().unlisted().find_map(|(of, count)| (of == kind).then_some(count));
        let listed = session.document().diagnostics().briefs().filter(|it| (it.code, it.severity) == kind).count();
        assert_eq!((listed, unlisted), (MAX_LISTED, Some(count - MAX_LISTED)), "{kind:?}");
        let of_severity = if kind.1 == Severity::Warning && text == &stray { 2 * count } else { count };
        assert_eq!(session.document().total(kind.1), of_severity, "{kind:?}");
        assert_eq!(count_of_notices(&session, kind.0), 1, "{kind:?}");
    }
}

fn count_of_notices(session: &Session, code: Code) -> usize {
    let notices = session.document().diagnostics().iter().filter(|problem| problem.code == Code::NotListed);
    notices.filter(|notice| notice.message.contains(&format!(" {} ", code.name()))).count()
}

#[test]
fn mentions_without_end_take_no_call_of_another_dialect() {
    const MENTIONS: usize = 100;
    for mention in
        ["^^^tool_name\n\n", "Use <tool:x> for that.\n", "It writes <invoke name=\"x\"> here.\n", "<function=f>\n"]
    {
        let call = |number| format!("!!!GADGET_START:Write:w{number}\n!!!ARG:path\na.txt\n!!!GADGET_END\n");
        let text: String = (0..MENTIONS).flat_map(|number| [mention.to_owned(), call(number)]).collect();
        let session = read(&text);
        let document = session.document();
        let written = document.calls().filter_map(|item| document.call(item));
        let written = written.filter(|call| call.dialect == "gadget" && call.status == Status::Complete).count();
        assert_eq!(written, MENTIONS, "behind {mention:?}");
    }
}

#[test]
fn a_json_token_beyond_the_reach_of_the_search_is_read_the_same_however_it_is_cut() {
    let fronts = [
        "{\"a\":\"",
        "{\"name\":\"f\",\"arguments\":\"",
        "{\"name\":\"f\",\"arguments\":{\"a\":[",
        "{\"name\":\"f\",\"arguments\":{'",
        "{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{\"a\":\"",
        "[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{}}, {\"name\":\"",
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"",
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\": ",
        "<tool_call>[{\"name\":\"f\",\"arguments\":{}}, \"",
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1 x",
    ];
    for front in fronts {
        for filler in ["x", " ", "\\\"", "1, ", " \n"] {
            let filled = filler.repeat(20_000 / filler.len());
            for behind in ["", "  \n\n", "\"}}</tool_call> x", "\"]}}}\n{\"name\":\"g\",\"arguments\":{}}\n"] {
                read_in(&format!("{front}{filled}{behind}"), &[61, 4096, 16_411]);
            }
        }
    }
}
