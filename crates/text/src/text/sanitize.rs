//! The one boundary between the content of a file and a screen: bytes become glyphs that cannot act on a terminal.
//!
//! A transcript is treated as hostile. Anything that a terminal would act on (control characters, escape sequences),
//! that would reorder the line (bidirectional controls) or that would be invisible (zero-width and other
//! default-ignorable characters) is replaced by a picture of itself. Characters that people write with are kept:
//! Arabic, Hebrew, CJK, combining marks, and emoji with their joiners and selectors.
//!
//! The glyphs tile the input: each knows the bytes that it represents, so that a column maps to an offset.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::colour_codes::{ColourCodes, sequence_len};
use super::steps;

/// Scalar values in one glyph. The longest emoji of the standard (two people, skin tones, a kiss) has ten.
pub const GLYPH_SCALARS: usize = 10;

/// Bytes in one glyph, a `+N` marker and pictures not counted. The longest emoji of the standard has 35.
pub(crate) const GLYPH_BYTES: usize = 36;

/// Columns between tab stops, in every layout of this program.
pub(crate) const TAB_STOP: usize = 4;

/// Bytes validated as UTF-8 at a time, so that the first glyphs of a long line do not cost a scan of its rest.
const RUN: usize = 1024;

/// The drawing of one grapheme cluster, or of one byte or character that must not reach a screen unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph<'a> {
    /// The characters to draw: free of control, formatting and ignorable characters (see [`glyphs`] for TAB).
    pub text: Cow<'a, str>,
    /// Columns that `text` takes: at least one, except for a TAB that is not expanded yet and a dropped colour
    /// sequence.
    pub width: usize,
    /// Offset in the input of the first byte that this glyph represents.
    pub offset: usize,
    /// Number of bytes that it represents.
    pub len: usize,
    /// True if `text` is a picture of something invisible or dangerous rather than the content itself.
    pub pictured: bool,
}

/// Iterates over the glyphs of `bytes`, which may be arbitrary. See [`Glyphs`].
pub fn glyphs(bytes: &[u8]) -> Glyphs<'_> {
    Glyphs {
        bytes,
        colour_codes: ColourCodes::Pictured,
        pos: 0,
        run: "",
        run_is_cut: true,
        cluster: "",
        previous: None,
        detached: true,
    }
}

/// The glyphs for a label of one line: like [`glyphs`], but with a picture for a TAB, since a label has no tab stops.
pub fn label_glyphs(bytes: &[u8]) -> impl Iterator<Item = Glyph<'_>> {
    glyphs(bytes).map(|glyph| match &*glyph.text {
        "\t" => Glyph { text: Cow::Borrowed("␉"), width: 1, pictured: true, ..glyph },
        _ => glyph,
    })
}

/// True if every byte is a character that is drawn unchanged, in one column.
pub fn is_plain_ascii(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The glyphs of `bytes` joined, for a label of one line: LF is `␊`, TAB is `␉`.
pub fn visible(bytes: &[u8]) -> String {
    label_glyphs(bytes).map(|glyph| glyph.text).collect()
}

/// Like [`visible`], borrowed if nothing needs changing.
pub fn visible_str(s: &str) -> Cow<'_, str> {
    if is_plain_ascii(s.as_bytes()) {
        return Cow::Borrowed(s);
    }
    let unchanged = label_glyphs(s.as_bytes()).all(|glyph| matches!(glyph.text, Cow::Borrowed(_)) && !glyph.pictured);
    if unchanged { Cow::Borrowed(s) } else { Cow::Owned(visible(s.as_bytes())) }
}

/// The glyphs of some bytes, in order and without gaps.
///
/// | content | glyph |
/// |---|---|
/// | C0 control, DEL | its control picture: `␛`, `␀`, `␡` |
/// | colour sequence, where they are [dropped](Glyphs::with) | nothing, with width 0 |
/// | TAB | `"\t"` with width 0: the layout, which knows the column, expands it (`wrap::cells` does) |
/// | C1 control, byte that is not UTF-8 | `<9B>` |
/// | bidirectional control, zero-width, default-ignorable or formatting character, line or paragraph separator | `<U+202E>` |
/// | the same inside an emoji sequence: ZWJ, VS15, VS16 | kept |
/// | a combining mark without a base | on a dotted circle: `◌́` |
/// | more than [`GLYPH_SCALARS`] or `GLYPH_BYTES` in one cluster | the first of them, then `+N` for the N that follow |
/// | anything else | itself, one glyph per grapheme cluster |
///
/// Takes linear time and is lazy: reads at most to the end of the next KiB or the next cluster.
#[derive(Clone, Debug)]
pub struct Glyphs<'a> {
    bytes: &'a [u8],
    colour_codes: ColourCodes,
    /// Offset of the next byte without a glyph.
    pos: usize,
    /// Valid UTF-8 that begins at `pos`.
    run: &'a str,
    /// True if `run` ends where validation paused, rather than at an invalid byte or the end of the input.
    run_is_cut: bool,
    /// The rest of a cluster that does not fit into one glyph; a prefix of `run`.
    cluster: &'a str,
    /// The last character of the previous glyph, if that is content of the same cluster.
    previous: Option<char>,
    /// True if the previous glyph does not show content of the file, so that a mark must not be combined with it.
    detached: bool,
}

impl<'a> Iterator for Glyphs<'a> {
    type Item = Glyph<'a>;

    fn next(&mut self) -> Option<Glyph<'a>> {
        if !self.cluster.is_empty() {
            return Some(self.next_of_cluster());
        }
        steps::add(1);
        let byte = *self.bytes.get(self.pos)?;
        if self.run.is_empty() {
            self.validate();
        }
        if self.run.is_empty() {
            return Some(self.picture(Cow::Owned(format!("<{byte:02X}>")), 1));
        }
        if byte.is_ascii() {
            if byte == b'\t' {
                self.detached = true;
                return Some(self.take(Cow::Borrowed("\t"), 0, 1, false));
            }
            if byte == b'\x1b'
                && self.colour_codes == ColourCodes::Dropped
                && let Some(len) = sequence_len(&self.bytes[self.pos..])
            {
                return Some(self.drop_bytes(len));
            }
            if byte.is_ascii_control() {
                return Some(self.picture(Cow::Borrowed(control_picture(byte)), 1));
            }
            // Only characters beyond ASCII can combine with the one before them.
            if self.bytes.get(self.pos + 1).is_none_or(u8::is_ascii) {
                self.detached = false;
                return Some(self.take(Cow::Borrowed(&self.run[..1]), 1, 1, false));
            }
        }
        self.cluster = self.first_cluster();
        self.previous = None;
        Some(self.next_of_cluster())
    }
}

impl<'a> Glyphs<'a> {
    /// The same glyphs, with colour sequences as in `colour_codes`. One that is cut by the end of the bytes keeps its
    /// pictures.
    #[must_use]
    pub fn with(self, colour_codes: ColourCodes) -> Self {
        Self { colour_codes, ..self }
    }

    /// The bytes that have no glyph yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    /// Extends `run`, or finds that it ends here.
    fn validate(&mut self) {
        let rest = &self.bytes[self.pos..];
        let window = &rest[..rest.len().min(RUN.max(self.run.len() * 2))];
        let (run, stopped_at_bad_byte) = match std::str::from_utf8(window) {
            Ok(run) => (run, false),
            // Without `error_len` the window ends inside a character, which may be complete in the input.
            Err(error) => {
                let valid = &window[..error.valid_up_to()];
                (std::str::from_utf8(valid).expect("validated up to here"), error.error_len().is_some())
            }
        };
        self.run = run;
        self.run_is_cut = !stopped_at_bad_byte && window.len() < rest.len();
    }

    /// The complete grapheme cluster at `pos`, even when it is longer than the validated bytes.
    fn first_cluster(&mut self) -> &'a str {
        loop {
            let cluster = self.run.graphemes(true).next().expect("the run is not empty");
            if cluster.len() < self.run.len() || !self.run_is_cut {
                return cluster;
            }
            self.validate();
        }
    }

    /// Takes one glyph off the current cluster.
    fn next_of_cluster(&mut self) -> Glyph<'a> {
        let cluster = self.cluster;
        let mut chars = cluster.chars();
        let first = chars.next().expect("the cluster is not empty");
        if !is_plain(first, self.previous, chars.next()) {
            return self.picture(Cow::Owned(hidden_picture(first)), first.len_utf8());
        }
        if let Some(previous) = self.previous {
            // The previous glyph was cut at the limit; a picture would have reset `previous`.
            let rest = plain_prefix(cluster, Some(previous), usize::MAX, usize::MAX);
            return self.picture(Cow::Owned(format!("+{}", rest.chars().count())), rest.len());
        }
        let text = plain_prefix(cluster, None, GLYPH_SCALARS, GLYPH_BYTES);
        let stands_alone = !(self.detached && is_extender(first)) && text.width() > 0;
        self.detached = false;
        self.previous = text.chars().next_back();
        if stands_alone {
            return self.take(Cow::Borrowed(text), text.width(), text.len(), false);
        }
        let on_circle = format!("◌{text}");
        let width = on_circle.width();
        self.take(Cow::Owned(on_circle), width, text.len(), true)
    }

    /// A picture for the next `len` bytes.
    fn picture(&mut self, text: Cow<'a, str>, len: usize) -> Glyph<'a> {
        self.detached = true;
        self.previous = None;
        let width = text.width();
        self.take(text, width, len, true)
    }

    /// A glyph without text for the next `len` bytes. A mark after them does not combine with the character before
    /// them.
    fn drop_bytes(&mut self, len: usize) -> Glyph<'a> {
        self.detached = true;
        self.previous = None;
        // A sequence may be longer than the validated bytes.
        while self.run.len() < len && self.run_is_cut {
            self.validate();
        }
        self.take(Cow::Borrowed(""), 0, len, false)
    }

    /// A glyph for the next `len` bytes; advances past them.
    fn take(&mut self, text: Cow<'a, str>, width: usize, len: usize, pictured: bool) -> Glyph<'a> {
        let offset = self.pos;
        self.pos += len;
        self.run = self.run.get(len..).unwrap_or_default();
        self.cluster = self.cluster.get(len..).unwrap_or_default();
        Glyph { text, width, offset, len, pictured }
    }
}

/// The prefix of a cluster that may be drawn unchanged, within the given limits; at least the first character, which
/// the caller has found harmless. `previous` is the character before it in the cluster.
fn plain_prefix(cluster: &str, mut previous: Option<char>, scalars: usize, bytes: usize) -> &str {
    let mut end = 0;
    let mut chars = cluster.chars().peekable();
    let mut count = 0;
    while let Some(c) = chars.next() {
        count += 1;
        let fits = count <= scalars && end + c.len_utf8() <= bytes;
        if end > 0 && !(fits && is_plain(c, previous, chars.peek().copied())) {
            break;
        }
        end += c.len_utf8();
        previous = Some(c);
    }
    let prefix = &cluster[..end];
    // A joiner with nothing to join is invisible, so it moves to the next glyph.
    prefix.strip_suffix(ZWJ).filter(|kept| !kept.is_empty()).unwrap_or(prefix)
}

/// True if a character may be drawn unchanged between its neighbours in the same cluster.
fn is_plain(c: char, previous: Option<char>, next: Option<char>) -> bool {
    !is_hidden(c) || previous.is_some_and(|previous| belongs_to_emoji(c, previous, next))
}

const ZWJ: char = '\u{200D}';

/// True if an ignorable character is one that an emoji sequence needs (UTS #51: ZWJ, presentation, keycap).
fn belongs_to_emoji(c: char, previous: char, next: Option<char>) -> bool {
    match c {
        ZWJ => (is_pictographic(previous) || previous == '\u{FE0F}') && next.is_some_and(is_pictographic),
        '\u{FE0E}' | '\u{FE0F}' => {
            is_pictographic(previous) || (matches!(previous, '0'..='9' | '#' | '*') && next == Some('\u{20E3}'))
        }
        _ => false,
    }
}

/// True if a character can be part of an emoji sequence: the blocks that hold `Extended_Pictographic` characters.
fn is_pictographic(c: char) -> bool {
    matches!(c,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21AA}'
        | '\u{231A}'..='\u{23FF}' | '\u{24C2}' | '\u{25AA}'..='\u{25FE}' | '\u{2600}'..='\u{27BF}'
        | '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// True if a character attaches to the one before it (UAX #29: `Extend`, `SpacingMark`).
fn is_extender(c: char) -> bool {
    let mut pair = String::from("a");
    pair.push(c);
    pair.graphemes(true).nth(1).is_none()
}

/// The picture of a character that is not drawn unchanged.
fn hidden_picture(c: char) -> String {
    let number = u32::from(c);
    if c.is_control() { format!("<{number:02X}>") } else { format!("<U+{number:04X}>") }
}

/// True if a character is invisible, ignorable or acts on its surroundings: Unicode's Cc beyond ASCII, Cf, Zl, Zp and
/// `Default_Ignorable_Code_Point`, which include `Bidi_Control`.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}'
        | '\u{890}' | '\u{891}' | '\u{8E2}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{110BD}' | '\u{110CD}' | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The Control Pictures character for a C0 control or DEL.
fn control_picture(byte: u8) -> &'static str {
    const PICTURES: &str = "␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟";
    const BYTES_EACH: usize = 3;
    let start = usize::from(byte) * BYTES_EACH;
    PICTURES.get(start..start + BYTES_EACH).unwrap_or("␡")
}

/// The system's message for an error, in lower case, without its number, safe to show.
pub fn io_error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    let mut chars = text.chars();
    let lower = chars.next().map(|first| first.to_lowercase().chain(chars).collect::<String>());
    visible_str(&lower.unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[track_caller]
    fn check(input: &[u8], expected: &str) {
        assert_eq!(visible(input), expected, "for {input:?}");
        let mut end = 0;
        for glyph in glyphs(input) {
            assert_eq!(glyph.offset, end, "the glyphs of {input:?} do not tile it");
            end += glyph.len;
        }
        assert_eq!(end, input.len(), "the glyphs of {input:?} do not reach its end");
        assert_eq!(visible(expected.as_bytes()), expected, "sanitising twice changes {expected:?}");
    }

    #[test]
    fn what_acts_on_a_terminal_becomes_a_picture() {
        check(b"", "");
        check(b"plain", "plain");
        check(b"\x1b[31mred\x1b[0m", "␛[31mred␛[0m");
        check(b"\x1b]0;title\x07", "␛]0;title␇");
        check(b"a\0b\r\n\t\x7f", "a␀b␍␊␉␡");
        check("\u{9b}31m".as_bytes(), "<9B>31m");
        check(b"\x9b31m", "<9B>31m");
    }

    #[test]
    fn colour_sequences_take_no_room_where_they_are_dropped() {
        for (input, expected) in [
            (&b"\x1b[31mred\x1b[0m"[..], "red"),
            (b"a\x1b[K\xff\x1b[1mb", "a<FF>b"),
            (b"\x1b[2J\x1b[31", "␛[2J␛[31"),
            ("e\x1b[m\u{301}".as_bytes(), "e◌\u{301}"),
            ("👨‍👩‍👧‍👦\x1b[31mé\u{202e}".as_bytes(), "👨‍👩‍👧‍👦é<U+202E>"),
        ] {
            let glyphs: Vec<Glyph<'_>> = glyphs(input).with(ColourCodes::Dropped).collect();
            let shown: String = glyphs.iter().map(|glyph| &*glyph.text).collect();
            assert_eq!(shown, expected, "for {input:?}");
            let end = glyphs.iter().fold(0, |end, glyph| {
                assert_eq!(glyph.offset, end, "the glyphs of {input:?} do not tile it");
                assert_eq!(glyph.width, glyph.text.width(), "{glyph:?}");
                end + glyph.len
            });
            assert_eq!(end, input.len(), "the glyphs of {input:?} do not reach its end");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_one_by_one() {
        check(b"\xff", "<FF>");
        check(b"a\xc3(", "a<C3>(");
        check("a\u{e9}".as_bytes().split_at(2).0, "a<C3>");
        check(b"\xc0\xaf\xed\xa0\x80", "<C0><AF><ED><A0><80>");
        check(b"\xe2\x82", "<E2><82>");
        check(b"e\xcc", "e<CC>");
    }

    #[test]
    fn what_reorders_or_hides_is_named() {
        check("a\u{202e}b".as_bytes(), "a<U+202E>b");
        check("\u{feff}a".as_bytes(), "<U+FEFF>a");
        check("a\u{200b}\u{200d}b".as_bytes(), "a<U+200B><U+200D>b");
        check("a\u{2028}b\u{2029}".as_bytes(), "a<U+2028>b<U+2029>");
        check("a\u{e0041}\u{e007f}".as_bytes(), "a<U+E0041><U+E007F>");
        check("a\u{fe0f}".as_bytes(), "a<U+FE0F>");
        check("1\u{fe0f}".as_bytes(), "1<U+FE0F>");
        check("ｶ\u{fe00}".as_bytes(), "ｶ<U+FE00>");
        check("soft\u{ad}hyphen".as_bytes(), "soft<U+00AD>hyphen");
        check("\u{1F469}\u{200d}".as_bytes(), "\u{1F469}<U+200D>");
        check("\u{1F469}\u{200d}a".as_bytes(), "\u{1F469}<U+200D>a");
        check("क्\u{200d}ष".as_bytes(), "क्<U+200D>ष");
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "שלום עולם",
            "السَّلَامُ عَلَيْكُمْ",
            "日本語 한국어 ｶﾞ",
            "e\u{301} naïve नमस्ते",
            "👨‍👩‍👧‍👦 ❤️ ☎︎ 🇩🇪🇫🇷 👩🏽‍🚀 🏳️‍🌈",
            "1️⃣ #️⃣",
            "👩🏽‍❤️‍💋‍👨🏽",
            "`!!!GADGET_START:x`",
        ] {
            check(text.as_bytes(), text);
            assert!(matches!(visible_str(text), Cow::Borrowed(_)), "{text} is copied");
        }
    }

    #[test]
    fn a_flood_of_marks_is_counted_instead_of_drawn() {
        let flood = format!("a{}b", "\u{301}".repeat(5000));
        check(flood.as_bytes(), &format!("a{}+4991b", "\u{301}".repeat(9)));
        let family = "👩\u{200d}".repeat(4000) + "👩";
        check(family.as_bytes(), &format!("{}👩+7992", "👩\u{200d}".repeat(4)));
        check(
            format!("a{}\u{200c}\u{301}", "\u{301}".repeat(11)).as_bytes(),
            &format!("a{}+2<U+200C>◌\u{301}", "\u{301}".repeat(9)),
        );
    }

    #[test]
    fn a_mark_is_not_drawn_upon_a_picture() {
        check("\u{301}a".as_bytes(), "◌\u{301}a");
        check("\u{1b}\u{301}".as_bytes(), "␛◌\u{301}");
        check(b"\xff\xcc\x81", "<FF>◌\u{301}");
        check("a\u{200c}\u{93e}".as_bytes(), "a<U+200C>◌\u{93e}");
    }

    #[test]
    fn clusters_are_whole_across_the_edge_of_a_validated_run() {
        for lead in RUN - 8..RUN + 8 {
            let text = format!("{}é👨‍👩‍👧‍👦e\u{301}é\u{1b}é", "é".repeat(lead / 2) + &"x".repeat(lead % 2));
            let expected = text.replace('\u{1b}', "␛");
            check(text.as_bytes(), &expected);
            let coloured = text.replace('\u{1b}', "\u{1b}[38;5;12m");
            let shown: String =
                glyphs(coloured.as_bytes()).with(ColourCodes::Dropped).map(|glyph| glyph.text).collect();
            assert_eq!(shown, text.replace('\u{1b}', ""));
            assert_eq!(glyphs(text.as_bytes()).count(), text.graphemes(true).count());
        }
    }

    #[test]
    fn no_scalar_value_survives_that_acts_hides_or_has_no_width() {
        let hidden = Regex::new(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]")
            .expect("a valid expression");
        let mut encoded = [0; 4];
        let mut shown = String::new();
        for c in '\0'..=char::MAX {
            let bytes: &[u8] = c.encode_utf8(&mut encoded).as_bytes();
            let mut of_c = glyphs(bytes);
            let glyph = of_c.next().expect("every character has a glyph");
            assert!(of_c.next().is_none(), "{c:?} has several glyphs");
            assert_eq!(glyph.len, bytes.len(), "{c:?}");
            assert_eq!(glyph.width, if c == '\t' { 0 } else { glyph.text.width() }, "{c:?}");
            assert!(glyph.width > 0 || c == '\t', "{c:?} has no width");
            if c != '\t' {
                shown.push_str(&glyph.text);
            }
        }
        assert_eq!(hidden.find(&shown).map(|found| found.as_str().escape_unicode().to_string()), None);
    }

    #[test]
    fn every_byte_alone_is_shown() {
        let control = Regex::new(r"\p{Cc}").expect("a valid expression");
        for byte in 0..=u8::MAX {
            assert!(!control.is_match(&visible(&[byte])), "{byte:#x}");
        }
    }
}
