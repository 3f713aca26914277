//! The completions that a partial text is waiting for: the part of a call that is open, or what its last bytes may
//! become.
//!
//! Each dialect reports this for its own calls and markers.

use super::Triggers;

/// Maximum length of an argument's name in bytes; the rest is cut off.
const LONGEST_KEY: usize = 256;

/// The part of a call that is open at the end of a text, and what would end it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The part that is open at the end of the text.
    pub inside: OpenPart,
    /// Terminators, any of which would end the part.
    pub until: Vec<Terminator>,
}

/// The part of a call that is open at the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenPart {
    /// In bytes that may become a marker.
    Marker,
    /// In a possible beginning of a call.
    Header,
    /// In a call, outside of its arguments.
    Call,
    /// In the name of an argument.
    Key,
    /// In the value of an argument; its name is given if the dialect keeps it.
    Value(Option<String>),
    /// After a call that may still continue.
    Tail,
}

/// Something that would end an open part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// These characters, at any position.
    Text(String),
    /// A line consisting of these characters.
    Line(String),
    /// Something else, as a description.
    Words(&'static str),
}

impl Expected {
    /// An open part with a single terminator.
    pub fn one(inside: OpenPart, until: Terminator) -> Self {
        Self { inside, until: vec![until] }
    }

    /// An open part that ends at any of these texts, at any position.
    pub(crate) fn texts(inside: OpenPart, until: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { inside, until: until.into_iter().map(|text| Terminator::Text(text.into())).collect() }
    }

    /// The markers that `ahead` is a proper prefix of and that may appear at any position.
    pub(crate) fn marker(triggers: &Triggers, ahead: &[u8]) -> Option<Self> {
        let markers = triggers.anywhere.iter().filter(|marker| marker.len() > ahead.len() && marker.starts_with(ahead));
        let texts: Vec<String> = markers.map(|marker| String::from_utf8_lossy(marker).into_owned()).collect();
        (!texts.is_empty()).then(|| Self::texts(OpenPart::Marker, texts))
    }
}

/// The argument name at the beginning of `line`, up to the line feed; `None` until that has arrived.
pub(crate) fn key_line(line: &[u8]) -> Option<String> {
    let line = &line[..line.len().min(LONGEST_KEY)];
    let feed = memchr::memchr(b'\n', line).or((line.len() == LONGEST_KEY).then_some(LONGEST_KEY))?;
    Some(String::from_utf8_lossy(line[..feed].trim_ascii()).into_owned())
}
