//! Decoding of character references by a parser.

use serde::Deserialize;

use crate::text::entity;
use crate::value::place::{DerivedText, SourceText};

/// Which character references, such as `&lt;`, are decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum References {
    /// None.
    #[default]
    Keep,
    /// Those of HTML.
    Decode,
    /// Those that attributes need: `&quot;` and `&amp;`.
    DecodeAttribute,
    /// None, but each carriage return becomes a line feed, or vanishes before one, as in XML.
    LineFeeds,
}

impl References {
    /// The text with its references replaced.
    pub(crate) fn apply(self, text: SourceText<'_>) -> DerivedText {
        let names = match self {
            Self::LineFeeds => return line_feeds(text),
            Self::Keep => &[],
            Self::Decode => entity::HTML,
            Self::DecodeAttribute => [("quot", '"'), ("amp", '&')].as_slice(),
        };
        let (mut out, mut at) = (DerivedText::default(), 0);
        while let Some(ahead) = text[at..].find('&').filter(|_| self != Self::Keep) {
            out.copy(text.part(at, at + ahead));
            at += ahead;
            let is_number = self == Self::DecodeAttribute && text[at..].starts_with("&#");
            if let Some((character, length)) = entity::read(&text[at..], names).filter(|_| !is_number) {
                out.write(character.encode_utf8(&mut [0; 4]), text.span_of(at, at + length));
                at += length;
            } else {
                out.copy(text.part(at, at + 1));
                at += 1;
            }
        }
        out.copy(text.part(at, text.len()));
        out
    }
}

/// The text without carriage returns.
fn line_feeds(text: SourceText<'_>) -> DerivedText {
    let (mut out, mut at) = (DerivedText::default(), 0);
    while let Some(ahead) = text[at..].find('\r') {
        out.copy(text.part(at, at + ahead));
        at += ahead + 1;
        if !text[at..].starts_with('\n') {
            out.write("\n", text.span_of(at - 1, at));
        }
    }
    out.copy(text.part(at, text.len()));
    out
}
