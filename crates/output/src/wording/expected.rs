//! Describes what the parser expects next in a text that is still arriving.
//!
//! The dialects report their state as data ([`crate::dialect::expected`]); only this file turns it into a sentence.

use crate::dialect::{Expected, OpenPart, Terminator};
use crate::document::Call;
use crate::session::Session;
use crate::text::sanitize::visible;

/// Expected alternatives listed by name; the rest is counted.
const NAMED: usize = 4;

/// Maximum size of a call that is dissected to name its open value, in bytes.
const LONGEST: usize = 16 * 1024;

/// The state of the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserState {
    /// A description without a full stop.
    pub words: String,
    /// True if something was opened and has not ended; otherwise the text is in prose.
    pub is_open: bool,
}

/// The state of the parser in a session; `None` if nothing more arrives.
pub fn waiting(session: &Session) -> Option<ParserState> {
    if session.is_finished() {
        return None;
    }
    let held = session.incomplete_record().len();
    let mut found = match session.expected() {
        Some((names, expected)) => ParserState { words: words(session, &names, &expected), is_open: true },
        None if held > 0 => return Some(ParserState { words: record(held), is_open: true }),
        None if !session.is_decoded() => ParserState { words: "in prose; no call open".to_owned(), is_open: false },
        None => ParserState { words: "between records; no call open".to_owned(), is_open: false },
    };
    if held > 0 {
        found.words = format!("{}; {}", found.words, record(held));
    }
    Some(found)
}

/// Describes bytes of the file that are not parsed yet.
fn record(held: usize) -> String {
    format!("{held} byte{} held back until their record is complete", if held == 1 { "" } else { "s" })
}

fn words(session: &Session, names: &[&str], expected: &Expected) -> String {
    let until = until(&expected.until);
    let pending = session.pending().len();
    let these = if pending == 1 { "this byte".to_owned() } else { format!("these {pending} bytes") };
    let open = session.document().last_call().and_then(|item| session.document().call(item));
    let name = open.as_ref().map(|call| visible(call.name(session.text()).as_bytes())).unwrap_or_default();
    let place = match &expected.inside {
        OpenPart::Marker => return format!("{these} may become {until}"),
        OpenPart::Header => format!("{these} may start a call ({})", names.join(", ")),
        OpenPart::Call => format!("in call {name}"),
        OpenPart::Key => format!("in an argument name of {name}"),
        OpenPart::Value(key) => match key.clone().or_else(|| last_pointer(session, open.as_ref())) {
            Some(key) => format!("in the value of {}", visible(key.as_bytes())),
            None => "in a value".to_owned(),
        },
        OpenPart::Tail => format!("after call {name}"),
    };
    let undecided = match expected.inside {
        OpenPart::Header => String::new(),
        _ if pending == 0 => String::new(),
        _ if pending == 1 => " (the last byte may be part of it)".to_owned(),
        _ => format!(" (the last {pending} bytes may be part of it)"),
    };
    format!("{place}; expecting {until}{undecided}")
}

fn until(any: &[Terminator]) -> String {
    let word = |until: &Terminator| match until {
        Terminator::Text(text) => visible(text.as_bytes()),
        Terminator::Line(line) => format!("a line {}", visible(line.as_bytes())),
        Terminator::Words(words) => (*words).to_owned(),
    };
    let all: Vec<String> = any.iter().map(word).collect();
    // A prefix of another alternative adds no information.
    let is_beginning = |word: &String| all.iter().any(|other| other.len() > word.len() && other.starts_with(&**word));
    let all: Vec<&String> = all.iter().filter(|word| !is_beginning(word)).collect();
    let mut named: Vec<String> = all.iter().take(NAMED).map(|&word| word.clone()).collect();
    if all.len() > NAMED {
        return format!("{} or one of {} others", named.join(", "), all.len() - NAMED);
    }
    let last = named.pop().unwrap_or_default();
    if named.is_empty() { last } else { format!("{} or {last}", named.join(", ")) }
}

/// The path of the last argument of the open call, if it can be determined.
fn last_pointer(session: &Session, call: Option<&Call<'_>>) -> Option<String> {
    let call = call.filter(|call| call.span.len() <= LONGEST)?;
    let assembly = session.dissect(session.document().item_at(call.span.start)?)?;
    let number = assembly.arguments.len().checked_sub(1)?;
    let node = assembly.nodes_of_arguments().get(number).copied().flatten();
    Some(assembly.pointer(number, node, session.text()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::Container;
    use crate::dialect::Options;

    #[test]
    fn a_text_says_what_it_waits_for() {
        let function = "<tool_call>\n<function=f>";
        for (text, expected) in [
            ("", "in prose; no call open"),
            ("Hi there", "in prose; no call open"),
            ("Hi !!", "these 2 bytes may become !!!GADGET_START:, !!!GADGET_END or !!!ARG:"),
            ("Hi !!!GADGET_S", "these 11 bytes may become !!!GADGET_START:"),
            ("!!!GADGET_START:Add", "these 19 bytes may start a call (gadget); expecting the end of the line"),
            ("!!!GADGET_START:Add\n", "in call Add; expecting !!!ARG: or !!!GADGET_END"),
            ("!!!GADGET_START:Add\n!!!ARG:it", "in an argument name of Add; expecting the end of the line"),
            (
                "!!!GADGET_START:Add\n!!!ARG:items/0\nab\n!",
                "in the value of items/0; expecting !!!ARG: or !!!GADGET_END (the last byte may be part of it)",
            ),
            ("^^", "these 2 bytes may become ^^^"),
            ("^^^Ad", "these 5 bytes may start a call (caret); expecting the end of the line"),
            ("^^^Add\n", "in call Add; expecting a line ^^^"),
            ("^^^Add\nnote ---\nab\n", "in the value of note; expecting a line --- note"),
            ("^^^Add\nlist: [\na\n", "in the value of list; expecting a line ]"),
            ("> [!to", "these 6 bytes may become > [!tool"),
            ("> [!tool Add", "these 12 bytes may start a call (callout); expecting the end of the line"),
            (
                "> [!tool Add]\n> input:\n",
                "in call Add; expecting a line that does not begin with > (the last byte may be part of it)",
            ),
            ("```to", "these 5 bytes may become ```tool"),
            ("```tool Add", "these 11 bytes may start a call (tool-fence); expecting the end of the line"),
            ("```tool Add\ninput:\n", "in call Add; expecting ```"),
            ("<tool:Ad", "these 8 bytes may start a call (xml); expecting >"),
            ("<tool:Add>\n", "in call Add; expecting <param: or </tool:Add>"),
            ("<tool:Add>\n<param:a>1", "in the value of a; expecting </param:a>"),
            ("<invoke na", "these 10 bytes may start a call (invoke); expecting >"),
            ("<invoke name=\"f\">", "in call f; expecting <parameter or </invoke>"),
            ("<invoke name=\"f\"><parameter name=\"a\">1", "in the value of a; expecting </parameter>"),
            ("<invoke name=\"f\"></invoke>", "after call f; expecting what may be the closing tag of its wrapper"),
            ("<tool_call>\n", "these 12 bytes may start a call (function, hermes); expecting <function=, { or ["),
            (function, "in call f; expecting <parameter= or </function>"),
            ("<tool_call>\n{\"na", "these 16 bytes may start a call (hermes); expecting its name"),
            ("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x", "in the value of a; expecting \""),
            (
                "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1, ",
                "in call f; expecting the } that closes its object",
            ),
            (
                "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n",
                "after call f; expecting </tool_call> (the last byte may be part of it)",
            ),
            (
                "{\"name\": ",
                "these 9 bytes may start a call (native); expecting its name, and whatever tells that it is a call",
            ),
            (
                "{\"type\": \"tool_use\", \"id\": \"i\", \"name\": \"f\", \"input\": {\"a\": {\"b\": [\"x",
                "in the value of a/b/0; expecting \"",
            ),
            ("<function_calls", "these 15 bytes may become <function_calls>"),
            (
                "{\"name\": \"f\", \"arguments\": {}}",
                "after call f; expecting the end of the line, or another value on it",
            ),
        ] {
            let mut session = Session::new(Container::plain(), &Options::default());
            session.push(text.as_bytes());
            let found = waiting(&session).expect("it is not over");
            assert_eq!(found.words, expected, "{text:?}");
            assert_eq!(found.is_open, expected != "in prose; no call open", "{text:?}");
            session.finish();
            assert_eq!(waiting(&session), None, "{text:?}");
        }
    }

    #[test]
    fn a_file_says_that_its_record_is_not_complete() {
        let text = "data: {\"ty";
        let container = Container::named("anthropic-stream").expect("it is one");
        let mut session = Session::new(container, &Options::default());
        session.push(text.as_bytes());
        let found = waiting(&session).map(|found| found.words);
        assert_eq!(found.as_deref(), Some("10 bytes held back until their record is complete"));
    }
}
