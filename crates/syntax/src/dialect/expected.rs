//! What a text that is still arriving waits for: where it stands in a call, or what its last bytes may become.
//!
//! A dialect says it of its own calls and markers.

use super::Triggers;

/// Bytes of the name of an argument that are looked at.
const LONGEST_KEY: usize = 256;

/// What part of a call is open at the end of a text, and what would end that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The part that is open at the end of the text.
    pub inside: OpenPart,
    /// What it waits for: any of these.
    pub until: Vec<Terminator>,
}

/// The part of a call that is open at the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenPart {
    /// In bytes that may become a marker.
    Marker,
    /// In what may be the beginning of a call.
    Header,
    /// In a call, and in none of its arguments.
    Call,
    /// In the name of an argument.
    Key,
    /// In the value of an argument, with its name where the dialect keeps it.
    Value(Option<String>),
    /// Behind a call, to which more may belong.
    Tail,
}

/// What a text waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// These characters, wherever they stand.
    Text(String),
    /// A line of these characters.
    Line(String),
    /// Something else, in words.
    Words(&'static str),
}

impl Expected {
    /// One thing that is waited for.
    pub fn one(inside: OpenPart, until: Terminator) -> Self {
        Self { inside, until: vec![until] }
    }

    /// Texts any of which ends the open part, wherever it stands.
    pub fn texts(inside: OpenPart, until: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { inside, until: until.into_iter().map(|text| Terminator::Text(text.into())).collect() }
    }

    /// The markers that may stand anywhere and that `ahead` may become.
    pub fn marker(triggers: &Triggers, ahead: &[u8]) -> Option<Self> {
        let markers = triggers.anywhere.iter().filter(|marker| marker.len() > ahead.len() && marker.starts_with(ahead));
        let texts: Vec<String> = markers.map(|marker| String::from_utf8_lossy(marker).into_owned()).collect();
        (!texts.is_empty()).then(|| Self::texts(OpenPart::Marker, texts))
    }
}

/// The name of an argument, which `line` begins with and a line feed ends; nothing while that has not come.
pub fn key_line(line: &[u8]) -> Option<String> {
    let line = &line[..line.len().min(LONGEST_KEY)];
    let feed = memchr::memchr(b'\n', line).or((line.len() == LONGEST_KEY).then_some(LONGEST_KEY))?;
    Some(String::from_utf8_lossy(line[..feed].trim_ascii()).into_owned())
}
