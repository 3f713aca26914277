//! Markers: the texts that open, separate and close the parts of a call, with slots for a name, an id or a key.
//!
//! ```text
//! marker    = { literal | "{" slot "}" | "{ws}" | "{nl}" | "{{" | "}}" }
//! slot      = "name" | "id" | "key" | "type" | "recipient" | "channel" | "dependencies" | "any"
//! attribute = " " word "=\"{" slot "}\""       in any order, with any quotes or none
//! ```
//!
//! A slot ends where the rest of the marker matches; it stays on its line, is at most [`LONGEST`] bytes long and does
//! not contain the beginning of another marker. `{ws}` and `{nl}` match optional whitespace; they are written as
//! nothing and as a line feed. The same template is used to read and to write.

mod attribute;
mod template;
mod walk;

use std::fmt::Write as _;

use crate::text::Span;
use walk::{Walk, WalkOutcome};

pub(in crate::dialect) use attribute::unquoted;

/// Maximum length of a slot, of whitespace and of a list of attributes, in bytes.
pub(in crate::dialect) const LONGEST: usize = 256;

/// Maximum number of slots in a marker.
pub(in crate::dialect) const MOST_SLOTS: usize = 4;

/// Meaning of a slot in a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Slot {
    /// The name of the tool.
    Name,
    /// The id of the call.
    Id,
    /// The name of an argument.
    Key,
    /// The type of a value.
    Type,
    /// The recipient of a message.
    Recipient,
    /// The channel of a message.
    Channel,
    /// Ids of the calls that this one depends on.
    Dependencies,
    Any,
}

/// The names of all slots.
const SLOTS: [(&str, Slot); 8] = [
    ("name", Slot::Name),
    ("id", Slot::Id),
    ("key", Slot::Key),
    ("type", Slot::Type),
    ("recipient", Slot::Recipient),
    ("channel", Slot::Channel),
    ("dependencies", Slot::Dependencies),
    ("any", Slot::Any),
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    Literal(Box<[u8]>),
    /// Optional whitespace, with its written form.
    Space(&'static str),
    /// Optional spaces and tabs, written as nothing.
    Blanks,
    Hole(Slot),
    Attributes(Box<[(Box<str>, Slot)]>),
}

/// A template for a text that opens, separates or closes parts of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect) struct Marker {
    source: Box<str>,
    elements: Box<[Element]>,
    /// Lookahead: one of these texts must follow the marker, unless the list is empty.
    followed_by: Box<[Box<[u8]>]>,
}

/// Result of matching a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum MatchResult {
    Match(MarkerMatch),
    /// The text ends inside of a possible match.
    Partial,
    None,
}

/// A match of a marker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::dialect) struct MarkerMatch {
    /// Offset in the text after the match.
    pub(crate) end: usize,
    /// The spans of its slots; for attributes, the values without quotes.
    pub(crate) slots: [Option<(Slot, Span)>; MOST_SLOTS],
    /// The whole text of its slot or its attributes, unmodified.
    pub(crate) raw: Option<Span>,
}

impl MarkerMatch {
    /// Records the span of a slot.
    fn note(&mut self, slot: Slot, span: Span) {
        if let Some(free) = self.slots.iter_mut().find(|known| known.is_none()) {
            *free = Some((slot, span));
        }
    }

    /// The span of a slot, if the marker has the slot and it was filled.
    pub(crate) fn slot(&self, slot: Slot) -> Option<Span> {
        self.slots.iter().flatten().find(|(known, _)| *known == slot).map(|(_, span)| *span)
    }
}

/// An invalid template: a sentence without a full stop, and the position of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect) struct MarkerError {
    /// Offset in the template, in bytes.
    pub(crate) at: usize,
    /// Description of the error and of valid alternatives.
    pub(crate) message: String,
}

impl Marker {
    /// Parses a template.
    ///
    /// # Errors
    /// Fails on an unknown slot, an unclosed bracket, adjacent slots, or an empty template.
    pub(crate) fn parse(source: &str) -> Result<Self, MarkerError> {
        let elements = template::parse(source)?;
        if elements.is_empty() {
            return Err(MarkerError { at: 0, message: "a marker must not be empty".to_owned() });
        }
        let slots = elements.iter().map(|element| match element {
            Element::Hole(_) => 1,
            Element::Attributes(attributes) => attributes.len(),
            Element::Literal(_) | Element::Space(_) | Element::Blanks => 0,
        });
        if slots.sum::<usize>() > MOST_SLOTS {
            return Err(MarkerError { at: 0, message: format!("more than {MOST_SLOTS} slots") });
        }
        Ok(Self { source: source.into(), elements: elements.into(), followed_by: Box::default() })
    }

    /// Allows whitespace before the `>` that closes a tag.
    #[must_use]
    pub(crate) fn with_blanks(mut self) -> Self {
        let is_tag = self.source.starts_with('<') && !self.source.ends_with("|>") && !self.source.ends_with("｜>");
        if let Some(Element::Literal(last)) = self.elements.last()
            && is_tag
            && let Some(rest) = last.strip_suffix(b">")
        {
            let mut elements = self.elements.to_vec();
            elements.pop();
            elements.extend((!rest.is_empty()).then(|| Element::Literal(rest.into())));
            elements.extend([Element::Blanks, Element::Literal(b">".as_slice().into())]);
            self.elements = elements.into();
        }
        self
    }

    /// Requires that one of these texts follows.
    #[must_use]
    pub(crate) fn followed_by(mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.followed_by = texts.into_iter().map(|text| text.as_ref().as_bytes().into()).collect();
        self
    }

    /// True if it begins with a literal text that can be searched for.
    pub(crate) fn has_lead(&self) -> bool {
        !self.lead().is_empty()
    }

    /// The template source.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The literal text at its beginning.
    pub(crate) fn lead(&self) -> &[u8] {
        match self.elements.first() {
            Some(Element::Literal(text)) => text,
            _ => &[],
        }
    }

    /// True if it has this slot.
    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.elements.iter().any(|element| match element {
            Element::Hole(known) => *known == slot,
            Element::Attributes(known) => known.iter().any(|(_, known)| *known == slot),
            Element::Literal(_) | Element::Space(_) | Element::Blanks => false,
        })
    }

    /// Completions where a text ends in one of its slots: the literal text after the slot, or else the marker.
    pub(crate) fn completions(&self) -> Vec<String> {
        let is_slot = |element: &Element| matches!(element, Element::Hole(_) | Element::Attributes(_));
        let behind = self.elements.iter().skip_while(|element| !is_slot(element)).skip(1);
        let literal = behind.filter_map(|element| match element {
            Element::Literal(text) => Some(&**text),
            _ => None,
        });
        let mut texts: Vec<&[u8]> = literal.take(1).collect();
        if texts.is_empty() {
            texts = self.followed_by.iter().map(|text| &**text).collect();
        }
        texts.into_iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }

    /// True if its slots are attributes.
    pub(crate) fn has_attributes(&self) -> bool {
        self.elements.iter().any(|element| matches!(element, Element::Attributes(_)))
    }

    /// The canonical text of the marker with its slots filled in.
    pub fn write(&self, fill: impl Fn(Slot) -> Option<String>) -> String {
        let mut out = String::new();
        for element in &self.elements {
            match element {
                Element::Literal(text) => out += &String::from_utf8_lossy(text),
                Element::Space(written) => out += written,
                Element::Blanks => {}
                Element::Hole(slot) => out += &fill(*slot).unwrap_or_default(),
                Element::Attributes(attributes) => {
                    for (word, slot) in attributes {
                        if let Some(value) = fill(*slot) {
                            _ = write!(out, " {word}=\"{value}\"");
                        }
                    }
                }
            }
        }
        out
    }

    /// Matches the marker at the beginning of `ahead`, which is at offset `at`; `finished` means that the text ends
    /// there.
    pub(crate) fn read(&self, ahead: &[u8], at: usize, finished: bool) -> MatchResult {
        let lead = self.lead();
        let head = &ahead[..ahead.len().min(lead.len())];
        if head != &lead[..head.len()] {
            return MatchResult::None;
        }
        if head.len() < lead.len() {
            return if finished { MatchResult::None } else { MatchResult::Partial };
        }
        let mut walk =
            Walk { marker: self, bytes: ahead, base: at, at: lead.len(), finished, found: MarkerMatch::default() };
        let first = usize::from(self.has_lead());
        for index in first..self.elements.len() {
            match walk.take(index) {
                WalkOutcome::On => {}
                WalkOutcome::Partial => return MatchResult::Partial,
                WalkOutcome::None => return MatchResult::None,
            }
        }
        let rest = &ahead[walk.at..];
        if !self.followed_by.is_empty() && !self.followed_by.iter().any(|text| rest.starts_with(text)) {
            let may_follow = !finished && self.followed_by.iter().any(|text| text.starts_with(rest));
            return if may_follow { MatchResult::Partial } else { MatchResult::None };
        }
        walk.found.end = at + walk.at;
        MatchResult::Match(walk.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the match, with the spans of the slots as text; `…` for a possible match.
    fn read(template: &str, followed_by: &[&str], text: &str) -> Option<String> {
        let marker = Marker::parse(template).expect("a template").with_blanks().followed_by(followed_by);
        let found = match marker.read(text.as_bytes(), 0, false) {
            MatchResult::None => return None,
            MatchResult::Partial => return Some("…".into()),
            MatchResult::Match(found) => found,
        };
        let slots =
            found.slots.iter().flatten().map(|(slot, span)| format!(" {slot:?}={}", &text[span.start..span.end]));
        Some(format!("{}{}", &text[..found.end], slots.collect::<String>()))
    }

    #[test]
    fn a_marker_is_read_with_its_slots() {
        type Row = (&'static str, &'static [&'static str], &'static str, Option<&'static str>);
        let rows: &[Row] = &[
            ("<tool_call>", &[], "<tool_call>x", Some("<tool_call>")),
            ("<tool_call>", &[], "<tool_call >x", Some("<tool_call >")),
            ("<tool_call>", &[], "<tool_c", Some("…")),
            ("<tool_call>", &[], "<tool_calls>", None),
            ("<tool_call>{ws}", &["{", "["], "<tool_call>\n {", Some("<tool_call>\n ")),
            ("<tool_call>{ws}", &["{", "["], "<tool_call>\n ", Some("…")),
            ("<tool_call>{ws}", &["{", "["], "<tool_call>\n<", None),
            ("<function={name}>", &[], "<function=f>", Some("<function=f> Name=f")),
            ("<function={name}>", &[], "<function=f<", None),
            ("<function={name}>", &[], "<function=f\n>", None),
            ("<invoke name=\"{name}\">", &[], "<invoke name='a>b' x=1>", Some("<invoke name='a>b' x=1> Name=a>b")),
            ("<invoke name=\"{name}\">", &[], "<invoke x=\"1\">", None),
            ("<invoke name=\"{name}\">", &[], "<invoke name=\"f", Some("…")),
            (
                "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>",
                &[],
                "<|open|>argument type=\"number\" key=\"k\"<|sep|>",
                Some("<|open|>argument type=\"number\" key=\"k\"<|sep|> Key=k Type=number"),
            ),
            (
                "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]",
                &[],
                "[TOOL_CALLS]f[CALL_ID]1[ARGS]{",
                Some("[TOOL_CALLS]f[CALL_ID]1[ARGS] Name=f Id=1"),
            ),
            ("[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]", &[], "[TOOL_CALLS]f[ARGS]{", None),
            (
                "<tool_call>{name}{ws}",
                &["<arg_key>", "</tool_call>"],
                "<tool_call>f\n<arg_key>",
                Some("<tool_call>f\n Name=f"),
            ),
            (
                "<tool_call>{name}{ws}",
                &["<arg_key>", "</tool_call>"],
                "<tool_call>f</tool_call>",
                Some("<tool_call>f Name=f"),
            ),
            ("<tool_call>{name}{ws}", &["<arg_key>", "</tool_call>"], "<tool_call>f</too", Some("…")),
            (">>>{name}\n", &[], ">>>f\n{", Some(">>>f\n Name=f")),
            ("call {{{name}}}", &[], "call {f}", Some("call {f} Name=f")),
        ];
        for (template, followed_by, text, expected) in rows {
            assert_eq!(read(template, followed_by, text).as_deref(), *expected, "{template} at {text}");
            if expected.is_some_and(|expected| expected != "…") {
                let marker = Marker::parse(template).expect("a template").with_blanks().followed_by(*followed_by);
                let MatchResult::Match(found) = marker.read(text.as_bytes(), 0, false) else { panic!("{template}") };
                for cut in 1..found.end {
                    let part = marker.read(&text.as_bytes()[..cut], 0, false);
                    assert_eq!(part, MatchResult::Partial, "{template} at {text}, cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn a_template_that_is_none_is_explained() {
        for (template, at, words) in [
            ("<f={nam}>", 3, "unknown slot {nam}"),
            ("<f={name>", 3, "unclosed"),
            ("<f={name}{id}>", 9, "nothing separates"),
            ("", 0, "must not be empty"),
        ] {
            let error = Marker::parse(template).expect_err("it is none");
            assert_eq!(error.at, at, "{template}");
            assert!(error.message.contains(words), "{template}: {}", error.message);
        }
    }

    #[test]
    fn a_marker_is_written_as_its_template_says() {
        let rows = [
            ("<function={name}>{nl}", "<function=N>\n"),
            ("<p name=\"{key}\" string=\"{type}\">", "<p name=\"N\" string=\"N\">"),
            ("a{ws}{{{id}}}", "a{N}"),
        ];
        for (template, expected) in rows {
            let marker = Marker::parse(template).expect("a template");
            assert_eq!(marker.write(|_| Some("N".into())), expected);
        }
    }
}
