//! Reads a single tag: its kind, and the name in it.
//!
//! A tag is on one line and at most [`LONGEST`] bytes long.

use super::{Naming, Pair, Part, Shape};
use crate::dialect::declared::marker::{self, Slot, unquoted};
use crate::text::{Span, trim};

/// Maximum length of a recognised tag in bytes.
pub(super) const LONGEST: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) part: Part,
    pub(super) side: Side,
    /// Index of its pair of markers.
    pub(super) pair: usize,
    pub(super) span: Span,
    /// The name in it; empty if it has none.
    pub(super) name: Span,
    /// Everything between the word and `>`.
    pub(super) raw: Span,
    /// True if the tag marks its value as JSON.
    pub(super) json: bool,
    /// The id of the call.
    pub(super) id: Option<Span>,
    /// The list of the call's dependencies.
    pub(super) dependencies: Option<Span>,
}

impl Tag {
    /// A tag of a call with a name only.
    pub(super) fn of_call(side: Side, pair: usize, span: Span, name: Span) -> Self {
        Self { part: Part::Call, side, pair, span, name, raw: name, json: false, id: None, dependencies: None }
    }
}

/// The end that a tag marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Opening,
    Closing,
    Both,
}

/// Result of reading a tag.
pub(super) enum Read {
    Tag(Tag),
    /// The text ends inside of a possible tag.
    Partial,
    None,
}

/// The literal beginnings of the markers that are searched for in prose.
pub(super) fn openings(shape: &Shape) -> Vec<Vec<u8>> {
    let told = |pair: &Pair| if is_reported_stray(pair) { pair.close.clone() } else { Vec::new() };
    let is_asked = |pair: &&Pair| pair.part != Part::Parameter || is_reported_stray(pair);
    let markers =
        shape.pairs.iter().filter(is_asked).flat_map(|pair| [pair.open.clone()].into_iter().chain(told(pair)));
    markers.map(|marker| marker.lead().to_vec()).collect()
}

/// True if a stray marker of this pair, with no call open, is worth reporting.
pub(super) fn is_reported_stray(pair: &Pair) -> bool {
    let is_token = |marker: &marker::Marker| {
        [&b"<|"[..], "<｜".as_bytes()].iter().any(|bracket| marker.lead().starts_with(bracket))
    };
    let source = pair.open.source();
    let is_named_tag = source.starts_with('<')
        && (pair.open.has_attributes() || source.ends_with("{name}>") || source.ends_with("{key}>"));
    let is_wrapper = pair.part == Part::Wrapper;
    // Texts that begin with a line feed cannot be searched for in prose.
    let begins_line = pair.close.iter().any(|close| close.lead().starts_with(b"\n"));
    !begins_line && ((is_token(&pair.open) && pair.close.iter().all(is_token)) || is_named_tag || is_wrapper)
}

/// Reads the tag at the beginning of `ahead`, which is at offset `at`.
pub(super) fn read(shape: &Shape, ahead: &[u8], at: usize, finished: bool) -> Read {
    if ahead.get(1).is_some_and(|&second| !shape.order.may_go_on(second)) {
        return Read::None;
    }
    let ahead = &ahead[..ahead.len().min(LONGEST)];
    let finished = finished || ahead.len() == LONGEST;
    let mut partial = false;
    let first = ahead.first_chunk().map(|first| u64::from_le_bytes(*first));
    for &OrderedTag { number, side, close, prefix, mask } in &shape.order.markers {
        // A comparison of the first eight bytes rules out most markers: `invoke` has 22 of them.
        if first.is_some_and(|first| (first ^ prefix) & mask != 0) {
            continue;
        }
        let pair = &shape.pairs[number];
        let marker = if side == Side::Closing { &pair.close[close] } else { &pair.open };
        match marker.read(ahead, at, finished) {
            // A longer marker with the same beginning takes precedence: `:::tool {name}` over `:::`.
            marker::MatchResult::Match(_) if partial => return Read::Partial,
            marker::MatchResult::Match(found) => {
                let tag = Tag {
                    part: pair.part,
                    id: found.slot(Slot::Id),
                    dependencies: found.slot(Slot::Dependencies),
                    ..Tag::of_call(side, number, Span::new(at, found.end), Span::at(found.end))
                };
                return Read::Tag(with_name(shape, tag, &found, ahead));
            }
            marker::MatchResult::Partial => partial = true,
            marker::MatchResult::None => {}
        }
    }
    match (partial, shape.strict) {
        (true, _) => Read::Partial,
        (false, true) => read_torn_opener(shape, ahead, at, finished),
        (false, false) => Read::None,
    }
}

/// Reads an opening tag of `xml` whose `>` is missing before the next tag: `<tool:read<param:path>`. The runtime takes
/// everything up to the next tag's `>` for the name; the intended tag ends before that tag.
fn read_torn_opener(shape: &Shape, ahead: &[u8], at: usize, finished: bool) -> Read {
    const OPENER: &[u8] = b"<tool:";
    const NEXT: [&[u8]; 4] = [b"<param:", b"</param:", b"<tool:", b"</tool:"];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let Some(after) = ahead.strip_prefix(OPENER) else { return Read::None };
    let length = after.iter().take_while(|byte| is_name(byte)).count();
    let blank = after[length..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let next = &after[length + blank..];
    let has_begun = |tag: &&[u8]| if next.len() < tag.len() { tag.starts_with(next) } else { next.starts_with(tag) };
    if length == 0 || !NEXT.iter().any(has_begun) {
        return Read::None;
    }
    if memchr::memchr(b'>', next).is_none() {
        return if finished { Read::None } else { Read::Partial };
    }
    let Some(pair) = shape.pairs.iter().position(|pair| pair.part == Part::Call) else { return Read::None };
    let name = Span::new(at + OPENER.len(), at + OPENER.len() + length);
    let span = Span::new(at, name.end);
    Read::Tag(Tag::of_call(Side::Opening, pair, span, name))
}

/// The markers of a shape, sorted for matching.
#[derive(Debug, Default)]
pub(in crate::dialect::declared) struct TagOrder {
    /// Sorted by descending length of their literal beginnings.
    markers: Vec<OrderedTag>,
    /// Bit set of the second bytes of those.
    seconds: [u64; 4],
}

/// One of the markers of a shape.
#[derive(Debug)]
struct OrderedTag {
    /// Index of its pair.
    number: usize,
    side: Side,
    /// Index among the closing markers.
    close: usize,
    /// The first eight bytes of its literal beginning as a number, and a mask of the bytes present.
    prefix: u64,
    mask: u64,
}

impl OrderedTag {
    fn new(number: usize, side: Side, close: usize, lead: &[u8]) -> Self {
        let (mut prefix, mut mask) = ([0; 8], [0; 8]);
        let length = lead.len().min(8);
        prefix[..length].copy_from_slice(&lead[..length]);
        mask[..length].fill(0xff);
        Self { number, side, close, prefix: u64::from_le_bytes(prefix), mask: u64::from_le_bytes(mask) }
    }
}

impl TagOrder {
    /// The order of these markers.
    pub(in crate::dialect::declared) fn new(pairs: &[Pair]) -> Self {
        let mut markers = Vec::new();
        let mut seconds = [0; 4];
        for (number, pair) in pairs.iter().enumerate() {
            let closing = pair.close.iter().enumerate();
            markers.extend(closing.map(|(at, close)| OrderedTag::new(number, Side::Closing, at, close.lead())));
            markers.push(OrderedTag::new(number, Side::Opening, 0, pair.open.lead()));
            for marker in pair.close.iter().chain([&pair.open]) {
                match marker.lead().get(1) {
                    Some(second) => seconds[usize::from(second / 64)] |= 1 << (second % 64),
                    None => seconds = [u64::MAX; 4],
                }
            }
        }
        let length = |tag: &OrderedTag| match tag.side {
            Side::Closing => pairs[tag.number].close[tag.close].lead().len(),
            Side::Opening | Side::Both => pairs[tag.number].open.lead().len(),
        };
        markers.sort_by_key(|marker| std::cmp::Reverse(length(marker)));
        Self { markers, seconds }
    }

    /// True if a marker may have this second byte.
    fn may_go_on(&self, second: u8) -> bool {
        self.seconds[usize::from(second / 64)] & 1 << (second % 64) != 0
    }
}

/// Completes a tag with the contents of its slots.
fn with_name(shape: &Shape, mut tag: Tag, found: &marker::MarkerMatch, ahead: &[u8]) -> Tag {
    let at = tag.span.start;
    let bytes = |span: Span| &ahead[span.start - at..span.end - at];
    let named = found.slot(Slot::Key).or(found.slot(Slot::Name)).or(found.slot(Slot::Id));
    let (Some(raw), Some(name)) = (found.raw, named) else {
        // A separate closing bracket, since whitespace before it is not part of the name.
        (tag.name, tag.raw) = (Span::at(found.end - 1), Span::at(found.end - 1));
        return tag;
    };
    tag.raw = raw;
    tag.name = name;
    let is_tag = ahead[..found.end - at].ends_with(b">");
    let slash = is_tag && tag.side == Side::Opening && bytes(raw).ends_with(b"/");
    if slash {
        tag.side = Side::Both;
    }
    if shape.pairs[tag.pair].open.has_attributes() && tag.side != Side::Closing {
        let kind = found.slot(Slot::Type).map(|kind| String::from_utf8_lossy(bytes(kind)).into_owned());
        tag.json = shape.values.is_json(kind.as_deref());
        return tag;
    }
    let source = shape.pairs[tag.pair].open.source();
    if tag.side != Side::Closing && !source.ends_with("{name}>") && !source.ends_with("{key}>") {
        tag.name = trim(bytes(name), name.start);
        return tag;
    }
    let inner = Span::new(raw.start, raw.end - usize::from(slash));
    let whole = trim(bytes(inner), inner.start);
    let word = bytes(whole).iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    tag.name = Span::new(whole.start, whole.start + word);
    if shape.naming == Naming::Equals {
        tag.name = unquoted(bytes(tag.name), tag.name.start);
    } else if tag.part == Part::Parameter && !slash {
        tag.name = tag.raw;
    }
    tag
}

#[cfg(test)]
mod tests {
    use super::super::tests::shape;
    use super::*;

    #[test]
    fn tags_are_told_from_text() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("xml", "<tool:read>", Some("Opening Call \"read\"")),
            ("xml", "<tool:read/>", Some("Both Call \"read\"")),
            ("xml", "<tool:read id=\"1\">", Some("Opening Call \"read\"")),
            ("xml", "</tool:read >", Some("Closing Call \"read\"")),
            ("xml", "<param:a.b-c>", Some("Opening Parameter \"a.b-c\"")),
            ("xml", "<param:>", Some("Opening Parameter \"\"")),
            ("xml", "<param:some key>", Some("Opening Parameter \"some key\"")),
            ("xml", "</param:path >", Some("Closing Parameter \"path \"")),
            ("xml", "<Tool:read>", None),
            ("xml", "<tool:read<b>", None),
            ("xml", "<tool:<param:a>", None),
            ("xml", "<tool:read <parameter:a>", None),
            ("xml", "<tool:re\nad>", None),
            ("xml", "<tools>", None),
            ("invoke", "<invoke name=\"f\">", Some("Opening Call \"f\"")),
            ("invoke", "<invoke name=f>", Some("Opening Call \"f\"")),
            ("invoke", "<parameter name='a b'>", Some("Opening Parameter \"a b\"")),
            ("invoke", "<｜DSML｜parameter name=\"n\" string=\"false\">", Some("Opening Parameter \"n\" json")),
            ("invoke", "</invoke >", Some("Closing Call \"\"")),
            ("invoke", "<invoke>", None),
            ("invoke", "<invoked name=\"f\">", None),
            ("invoke", "<invoke name=\"f\"/>", Some("Both Call \"f\"")),
            ("invoke", "<function_calls>", Some("Opening Wrapper \"\"")),
            ("invoke", "<invoke name=\"a>b\">", Some("Opening Call \"a>b\"")),
            ("function", "<function=f>", Some("Opening Call \"f\"")),
            ("function", "<function=\"f\">", Some("Opening Call \"f\"")),
            ("function", "</function>", Some("Closing Call \"\"")),
            ("function", "</parameter>", Some("Closing Parameter \"\"")),
            ("function", "<function>", None),
        ];
        for (dialect, text, expected) in cases {
            let shape = &*shape(dialect);
            let found = match read(shape, text.as_bytes(), 0, false) {
                Read::Tag(tag) => {
                    assert_eq!(tag.span, Span::new(0, text.len()), "{text}");
                    let json = if tag.json { " json" } else { "" };
                    Some(format!("{:?} {:?} {:?}{json}", tag.side, tag.part, &text[tag.name.start..tag.name.end]))
                }
                Read::Partial => panic!("{text} is complete"),
                Read::None => None,
            };
            assert_eq!(found.as_deref(), *expected, "{text}");
            if expected.is_some() {
                for cut in 1..text.len() {
                    assert!(matches!(read(shape, &text.as_bytes()[..cut], 0, false), Read::Partial), "{text} at {cut}");
                }
            }
        }
    }
}
