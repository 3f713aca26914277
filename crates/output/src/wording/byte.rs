//! Explains one byte of a text: the rule that consumes it, its effect, and why.

use crate::dialect::{CoercionReason, Status};
use crate::document::{Call, Item, SideRecord};
use crate::session::Session;
use crate::text::Span;
use crate::text::sanitize::visible;
use crate::value::index::TreeIndex;
use crate::value::{Assembly, Value};

/// Maximum number of dialects named in an explanation of prose.
const MOST_NAMES: usize = 12;

/// Maximum number of bytes of a value examined to suggest what else it might be.
const LONGEST: usize = 4096;

/// The effect of an argument that the runtime refuses.
const NOTHING: &str = "nothing: the runtime refuses it, so it has no place in the tree";

/// The explanation of a byte; sentences without a full stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteExplanation {
    /// The character that contains it.
    pub character: String,
    /// The rule that consumes it, after the name of its dialect.
    pub rule: String,
    /// Its effect on the parameters, if it is part of a call.
    pub becomes: Option<String>,
    /// Why it has this effect.
    pub why: Option<String>,
    /// The effect of removing or replacing it.
    pub otherwise: Option<String>,
}

/// The dissected contents of a call.
#[derive(Clone, Copy)]
pub struct DissectedCall<'a> {
    /// Its arguments and its tree.
    pub assembly: &'a Assembly,
    /// The order of the tree.
    pub index: &'a TreeIndex,
    /// Where the dissected part ends, if it is not the whole call.
    pub end: Option<usize>,
}

/// Explains the byte at `offset`; `None` after the end. `inside` is the dissected call that contains it, if there is
/// one.
pub fn byte(session: &Session, offset: usize, inside: Option<DissectedCall<'_>>) -> Option<ByteExplanation> {
    let text = session.text();
    if offset >= text.len() {
        return None;
    }
    let character = character(session, offset);
    let item = session.document().item_at(offset)?;
    let found = match session.document().items().get(item)? {
        Item::Text(_) => prose(session, offset),
        Item::Call(call) => in_call(session, &call, offset, inside),
        Item::Result(_) => by_rule("a result: only the model's text is searched for calls"),
        Item::Aside(SideRecord { name: None, .. }) => by_rule("reasoning: not searched for calls"),
        Item::Aside(SideRecord { name: Some(name), .. }) => {
            by_rule(&format!("a record of the file, {name}: it is not part of the conversation"))
        }
    };
    Some(ByteExplanation { character, ..found })
}

fn by_rule(rule: &str) -> ByteExplanation {
    ByteExplanation { rule: rule.to_owned(), ..ByteExplanation::default() }
}

/// The character that contains a byte, as a picture and by its code point.
fn character(session: &Session, offset: usize) -> String {
    let text = session.text();
    let before = text.read(Span::new(offset.saturating_sub(3), offset + 1));
    let back = before.iter().rev().take(4).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let start = offset.saturating_sub(back);
    let bytes = text.read(Span::new(start, start + 4));
    let valid = match std::str::from_utf8(&bytes) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(c) if start + c.len_utf8() > offset => {
            format!("{}  U+{:04X}", visible(c.to_string().as_bytes()), u32::from(c))
        }
        _ => format!("0x{:02X}, which is not UTF-8 here", text.read(Span::new(offset, offset + 1))[0]),
    }
}

fn prose(session: &Session, offset: usize) -> ByteExplanation {
    let document = session.document();
    if session.pending().contains(offset) {
        return by_rule("undecided: with what follows it may still become a marker");
    }
    let role = document.messages().role(document.message_at(offset));
    if let Some(role) = role.filter(|role| *role != crate::document::MessageRole::Assistant) {
        return by_rule(&format!("prose of the {}: only the model's text is searched for calls", role.word()));
    }
    let names = session.dialect_names();
    let others = names.len().saturating_sub(MOST_NAMES);
    let more = if others > 0 { format!(" and {others} others") } else { String::new() };
    let names = names[..names.len() - others].join(", ");
    let mut found = by_rule("prose: no marker of an active call format takes it");
    found.why = Some(format!("active are {names}{more}"));
    let near = document.diagnostics().iter().find(|problem| problem.span.contains(offset) && problem.item.is_none());
    if let Some(problem) = near {
        found.otherwise = Some(problem.help_text().into_owned());
        found.why = Some(problem.message);
    }
    found
}

fn in_call(session: &Session, call: &Call<'_>, offset: usize, inside: Option<DissectedCall<'_>>) -> ByteExplanation {
    let text = session.text();
    let dialect = call.dialect;
    let name = call.name(text);
    if !call.name.span.is_empty() && call.name.span.contains(offset) {
        return ByteExplanation {
            becomes: Some(format!("the tool {name}")),
            ..by_rule(&format!("{dialect}: the name of the tool"))
        };
    }
    if let Some(id) = call.id.filter(|id| id.span.contains(offset)) {
        let becomes = Some(format!("the id {}, which others wait for", id.text(text)));
        return ByteExplanation { becomes, ..by_rule(&format!("{dialect}: the id of the call")) };
    }
    if let Some(label) = call.waits_for().find(|label| label.span.contains(offset)) {
        let becomes = Some(format!("{} waits for {}", call.id(text), label.text(text)));
        return ByteExplanation { becomes, ..by_rule(&format!("{dialect}: a dependency")) };
    }
    if call.body.contains(offset)
        && let Some(inside) = inside
    {
        if inside.end.is_some_and(|end| end <= offset) {
            return by_rule(&format!("{dialect}: beyond the dissected part of a long call"));
        }
        return in_body(session, call, inside, offset);
    }
    if offset < call.body.start {
        let recognised = session.dialect(dialect).map(|dialect| dialect.info().recognised_by);
        return ByteExplanation {
            why: recognised.map(str::to_owned),
            ..by_rule(&format!("{dialect}: the beginning of a call of {name}"))
        };
    }
    let status = match call.status {
        Status::Complete => "its end marker",
        Status::Implicit => "ended by the start of the next call",
        Status::Unterminated => "ended by the end of the text",
        Status::Open => "still arriving",
    };
    by_rule(&format!("{dialect}: the end of the call of {name}: {status}"))
}

fn in_body(session: &Session, call: &Call<'_>, inside: DissectedCall<'_>, offset: usize) -> ByteExplanation {
    let text = session.text();
    let dialect = call.dialect;
    let DissectedCall { assembly, index, .. } = inside;
    let is_blank = text.read(Span::new(offset, offset + 1))[0].is_ascii_whitespace();
    let number = assembly.arguments.iter().position(|argument| argument.place().contains(offset));
    let key = session.dialect(dialect).map_or("key", |dialect| dialect.info().key_term);
    let Some(number) = number else {
        let rule = if is_blank { "white space that is dropped" } else { "structure of the body, not a value" };
        return by_rule(&format!("{dialect}: {rule}"));
    };
    let argument = &assembly.arguments[number];
    let node = index.node_of(number);
    let pointer = assembly.pointer(number, node, text);
    let place = node.map(|node| assembly.tree.path(node));
    if argument.pointer.contains(offset) {
        let becomes = match place {
            Some(path) => format!("the place {path} in the parameters"),
            None => NOTHING.to_owned(),
        };
        return ByteExplanation { becomes: Some(becomes), ..by_rule(&format!("{dialect}: the {key} of an argument")) };
    }
    if !argument.value.contains(offset) {
        let rule = if is_blank { "white space around a value, which is dropped" } else { "the marker of an argument" };
        return by_rule(&format!("{dialect}: {rule}, of {pointer}"));
    }
    let mut found = by_rule(&format!("{dialect}: the value of {pointer}"));
    let scalar = node.map_or(assembly.scalars.get(number).copied(), |node| match assembly.tree.node(node).value {
        Value::Scalar(scalar, _) => Some(scalar),
        _ => None,
    });
    let value = text.read(Span::new(argument.value.start, argument.value.end.min(argument.value.start + LONGEST)));
    found.becomes = Some(match scalar {
        _ if place.is_none() => NOTHING.to_owned(),
        Some(scalar) => scalar.described(),
        None => "a container of other values".to_owned(),
    });
    if let Some(scalar) = scalar {
        let coercion = session.dialect(dialect).and_then(|dialect| dialect.info().coercion);
        let CoercionReason { reason, otherwise } = match coercion {
            Some(explain) => explain(scalar, &value),
            None => {
                CoercionReason { reason: format!("it is written as one: a {}", scalar.type_name()), otherwise: None }
            }
        };
        (found.why, found.otherwise) = (Some(reason), otherwise);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(session: &Session, offset: usize) -> Option<ByteExplanation> {
        let assembly = session.document().item_at(offset).and_then(|item| session.dissect(item)).unwrap_or_default();
        let index = &TreeIndex::new(&assembly);
        super::byte(session, offset, Some(DissectedCall { assembly: &assembly, index, end: None }))
    }

    /// Checks the explanation of the byte after the mark `¦`.
    #[track_caller]
    fn check(marked: &str, expected: &[&str]) {
        let offset = marked.find('¦').expect("a byte is marked");
        let text = marked.replacen('¦', "", 1);
        let found = byte(&Session::from_bytes(text.as_bytes()), offset).expect("it is a byte of the text");
        let words = [Some(found.rule), found.becomes, found.why, found.otherwise];
        let words: Vec<String> = words.into_iter().flatten().collect();
        for expected in expected {
            assert!(words.iter().any(|words| words.contains(expected)), "{marked}: {expected:?} is not in {words:#?}");
        }
    }

    #[test]
    fn each_byte_has_a_rule_and_a_reason() {
        let call = |value: &str| format!("Hi\n!!!GADGET_START:Add:sum:one\n!!!ARG:a/0\n{value}\n!!!GADGET_END\n");
        check(&format!("¦{}", call("4")), &["prose: no marker", "active are gadget, caret"]);
        check(&call("4").replace("GADGET_START", "GADG¦ET_START"), &["gadget: the beginning of a call of Add"]);
        check(&call("4").replace("Add", "A¦dd"), &["the name of the tool", "the tool Add"]);
        check(&call("4").replace("sum", "¦sum"), &["the id of the call", "the id sum"]);
        check(&call("4").replace("one", "o¦ne"), &["a dependency", "sum waits for one"]);
        check(&call("4").replace("a/0", "¦a/0"), &["the pointer of an argument", "the place a/0"]);
        check(&call("¦4"), &["the value of a/0", "the number 4", "single line of digits", "any other character"]);
        check(
            &call("¦\"4\""),
            &["a string", "neither true, false", "without the quotation marks it would be the number 4"],
        );
        check(&call("¦4\n5"), &["a string", "it has 2 lines"]);
        check(&call("4").replace("!!!GADGET_END", "!!!G¦ADGET_END"), &["the end of the call of Add: its end marker"]);
    }

    #[test]
    fn every_byte_of_every_text_can_be_asked_about() {
        for text in [
            "",
            "ä",
            "<tool:x><param:y>1</param:y></tool:x>",
            "^^^a\nb: 1\n^^^\n",
            "{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n",
        ] {
            let session = Session::from_bytes(text.as_bytes());
            for offset in 0..=text.len() {
                assert_eq!(byte(&session, offset).is_some(), offset < text.len(), "{text} at {offset}");
            }
        }
    }
}
