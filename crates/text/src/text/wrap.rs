//! Layout of one logical line: its width, and where it breaks into rows of a given width.
//!
//! A row is a range of bytes, so rows and offsets in the text convert into each other. Columns count from the start of
//! the row, and so do tab stops: the drawing of a row depends on its own bytes only.

use std::borrow::Cow;

use memchr::memrchr;
use unicode_width::UnicodeWidthChar;

use super::sanitize::{Glyph, Glyphs, TAB_STOP, glyphs, is_plain_ascii, label_glyphs, visible_str};
use super::steps;

/// The part of a line that one row shows, as a range of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WrappedRow {
    /// Offset of the first byte in the line.
    pub start: usize,
    /// Offset after the last byte. Spaces at which a row breaks belong to the row that they end, and may extend past
    /// its last column.
    pub end: usize,
}

/// Breaks `line`, which contains no line end, into rows of at most `width` columns: after a space, or after a wide
/// character as in Chinese, unless a word is too long for a row.
///
/// The rows tile the line, and there is at least one, which is empty for an empty line. A width of 0 counts as 1. A
/// glyph that is wider than a row gets a row to itself, and is clipped when it is drawn.
pub fn wrap(line: &[u8], width: usize) -> Vec<WrappedRow> {
    wrap_glyphs(glyphs(line), width)
}

/// Like [`wrap`], for a line in which some glyphs were replaced.
pub fn wrap_glyphs(line_glyphs: Glyphs<'_>, width: usize) -> Vec<WrappedRow> {
    let line = line_glyphs.rest();
    let width = width.max(1);
    steps::add_bytes(line.len());
    if line.is_empty() || !is_plain_ascii(line) {
        return wrap_any(line_glyphs, width);
    }
    let mut rows = Vec::new();
    let mut start = 0;
    while start < line.len() {
        let end = ascii_word_break(line, start, width);
        rows.push(WrappedRow { start, end });
        start = end;
    }
    rows
}

/// True if a character is drawn on top of the previous one, like a combining accent.
pub fn takes_no_room(c: char) -> bool {
    !c.is_ascii() && c.width() == Some(0)
}

/// Columns that `bytes` take when they begin a row, tabs expanded.
pub fn display_width(bytes: &[u8]) -> usize {
    if is_plain_ascii(bytes) {
        return bytes.len();
    }
    cells(bytes, 0).map(|glyph| glyph.width).sum()
}

/// Offset of the first glyph that begins at or after `column` of a row; the length of `bytes` if there is none.
pub fn skip_columns(bytes: &[u8], column: usize) -> usize {
    let mut at = 0;
    for glyph in cells(bytes, 0) {
        if at >= column {
            return glyph.offset;
        }
        at += glyph.width;
    }
    bytes.len()
}

/// The glyphs of `bytes` drawn from column `start_column` of a row: a TAB is the spaces up to the next stop.
pub fn cells(bytes: &[u8], start_column: usize) -> impl Iterator<Item = Glyph<'_>> {
    expanded(glyphs(bytes), start_column)
}

/// Like [`cells`], for glyphs of which some were replaced.
pub fn expanded(glyphs: Glyphs<'_>, start_column: usize) -> impl Iterator<Item = Glyph<'_>> {
    let mut column = start_column;
    glyphs.map(move |glyph| {
        let glyph = expand(glyph, column);
        column += glyph.width;
        glyph
    })
}

/// Text of several lines, safe to show: LF breaks the line and TAB becomes spaces up to the next tab stop; anything
/// else is shown as by [`glyphs`].
pub fn visible_lines(s: &str) -> String {
    let line = |line: &str| cells(line.as_bytes(), 0).map(|glyph| glyph.text).collect::<String>();
    s.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Rows of at most `width` columns of a line that is safe to show, without trailing white space.
pub fn word_rows(line: &str, width: usize) -> impl Iterator<Item = &str> {
    let rows = wrap(line.as_bytes(), width).into_iter();
    rows.map(|row| line.get(row.start..row.end).unwrap_or_default().trim_end())
}

/// A safe label of at most `width` columns made of `s`: complete, or cut with `…` at the end.
///
/// A width of 0 gives an empty label. Only the part of `s` that fits is read.
pub fn fit(s: &str, width: usize) -> Cow<'_, str> {
    let mut columns = 0;
    let mut cut = 0;
    for glyph in label_glyphs(s.as_bytes()) {
        columns += glyph.width;
        if columns > width {
            return match width {
                0 => Cow::Borrowed(""),
                _ => Cow::Owned(format!("{}…", visible_str(&s[..cut]))),
            };
        }
        if columns < width {
            cut = glyph.offset + glyph.len;
        }
    }
    visible_str(s)
}

/// A TAB at `column` as spaces; any other glyph unchanged.
fn expand(glyph: Glyph<'_>, column: usize) -> Glyph<'_> {
    const SPACES: &str = "    ";
    const { assert!(SPACES.len() == TAB_STOP) }
    match columns(&glyph, column) {
        width if is_tab(&glyph) => Glyph { text: Cow::Borrowed(&SPACES[..width]), width, ..glyph },
        _ => glyph,
    }
}

/// Columns that a glyph takes when it is drawn at `column`.
fn columns(glyph: &Glyph<'_>, column: usize) -> usize {
    if is_tab(glyph) { TAB_STOP - column % TAB_STOP } else { glyph.width }
}

fn is_tab(glyph: &Glyph<'_>) -> bool {
    glyph.text == "\t"
}

/// End of the row that starts at `start`, for printable ASCII.
fn ascii_word_break(line: &[u8], start: usize, width: usize) -> usize {
    let limit = start + width;
    let Some(beyond) = line.get(limit..) else {
        return line.len();
    };
    let hanging = beyond.iter().take_while(|&&byte| byte == b' ').count();
    if hanging > 0 || beyond.is_empty() {
        return limit + hanging;
    }
    memrchr(b' ', &line[start..limit]).map_or(limit, |space| start + space + 1)
}

/// The general case of [`wrap_glyphs`].
fn wrap_any(glyphs: Glyphs<'_>, width: usize) -> Vec<WrappedRow> {
    let len = glyphs.rest().len();
    let mut rows = Vec::new();
    let mut start = 0;
    let mut column = 0;
    // The last position at which the line may break: its offset, and its column in the current row.
    let mut last_break = (0, 0);
    for glyph in glyphs {
        let hangs = glyph.text == " " || is_tab(&glyph);
        if !hangs && column > 0 && column + columns(&glyph, column) > width {
            let (mut end, mut end_column) = last_break;
            // A word that is too long even for a separate row breaks where the row is full.
            if end <= start || column - end_column + glyph.width > width {
                (end, end_column) = (glyph.offset, column);
            }
            rows.push(WrappedRow { start, end });
            start = end;
            column -= end_column;
        }
        column += columns(&glyph, column);
        if hangs || glyph.width == WIDE {
            last_break = (glyph.offset + glyph.len, column);
        }
    }
    rows.push(WrappedRow { start, end: len });
    rows
}

/// Columns of a character that is a word or a syllable by itself.
const WIDE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::colour_codes::ColourCodes;

    #[track_caller]
    fn check(width: usize, line: &str, expected: &[&str]) {
        let rows = wrap(line.as_bytes(), width);
        let shown: Vec<&str> = rows.iter().map(|row| &line[row.start..row.end]).collect();
        assert_eq!(shown, expected, "{line:?} at {width}");
        assert_eq!(shown.concat(), line);
    }

    #[test]
    fn lines_are_kept_and_tabs_reach_their_stops_in_messages() {
        assert_eq!(visible_lines("a\tb\n\tc\x1b\r\n"), "a   b\n    c␛␍\n");
    }

    #[test]
    fn prose_breaks_after_spaces() {
        check(10, "", &[""]);
        check(10, "ten chars.", &["ten chars."]);
        check(10, "a few words here", &["a few ", "words here"]);
        check(5, "whole words", &["whole ", "words"]);
        check(5, "spaces   hang", &["space", "s   ", "hang"]);
        check(5, "unbreakable", &["unbre", "akabl", "e"]);
        check(6, "größere Übung", &["größer", "e ", "Übung"]);
        check(5, "ab\tcd", &["ab\t", "cd"]);
        check(6, "日本語で 書く", &["日本語", "で 書", "く"]);
    }

    #[test]
    fn a_row_holds_a_glyph_at_least() {
        check(0, "ab", &["a", "b"]);
        check(3, "a\u{202e}b", &["a", "\u{202e}", "b"]);
        check(1, "日本", &["日", "本"]);
    }

    #[test]
    fn dropped_colours_take_no_room_and_are_never_cut() {
        for (width, line, expected) in [
            (5, "\x1b[31mabcde\x1b[0mfg", &["\x1b[31mabcde\x1b[0m", "fg"][..]),
            (5, "\x1b[1mone \x1b[32mtwo\x1b[m", &["\x1b[1mone ", "\x1b[32mtwo\x1b[m"]),
            (9, "a\x1b[31mb\x1b[mc 123", &["a\x1b[31mb\x1b[mc 123"]),
            (3, "\x1b[31m\x1b[0m", &["\x1b[31m\x1b[0m"]),
            (4, "ab\x1b[2Jc", &["ab\x1b[", "2Jc"]),
        ] {
            let glyphs = glyphs(line.as_bytes()).with(ColourCodes::Dropped);
            let shown: Vec<&str> = wrap_glyphs(glyphs, width).iter().map(|row| &line[row.start..row.end]).collect();
            assert_eq!(shown, expected, "{line:?} at {width}");
        }
    }

    #[test]
    fn plain_lines_break_the_same_with_and_without_the_shortcut() {
        let words = "a bb  ccc dddd   eeeee ffffff ggggggg     hhhhhhhh  i";
        for start in 0..words.len() {
            let line = &words.as_bytes()[start..];
            for width in 1..20 {
                assert_eq!(wrap(line, width), wrap_any(glyphs(line), width), "{start} {width}");
            }
        }
    }

    #[test]
    fn rows_tile_any_bytes_and_fit_unless_one_glyph_fills_them() {
        let line = b"a\tb \xff\xc3 \xe2\x80\xae wide \xe6\x97\xa5\xe6\x9c\xac\x1b[0m e\xcc\x81   end";
        for width in 0..30 {
            let mut end = 0;
            for row in wrap(line, width) {
                assert_eq!(row.start, end);
                end = row.end;
                let trimmed = line[row.start..row.end].trim_ascii_end();
                assert!(display_width(trimmed) <= width.max(1) || cells(trimmed, 0).count() == 1, "{row:?} {width}");
            }
            assert_eq!(end, line.len());
        }
    }

    #[test]
    fn tabs_are_spaces_up_to_the_next_stop() {
        for (text, start, expected) in
            [("\t", 0, "    "), ("a\tb", 0, "a   b"), ("\ta", 3, " a"), ("日\t|", 0, "日  |")]
        {
            let drawn: String = cells(text.as_bytes(), start).map(|glyph| glyph.text).collect();
            assert_eq!(drawn, expected, "{text:?} from column {start}");
        }
        assert_eq!(display_width(b"ab\tc\x1b\t"), 8);
    }

    #[test]
    fn labels_fit_and_say_when_they_are_cut() {
        for (label, width, expected) in [
            ("name", 4, "name"),
            ("names", 4, "nam…"),
            ("name", 1, "…"),
            ("name", 0, ""),
            ("", 0, ""),
            ("日本語", 5, "日本…"),
            ("日本語", 6, "日本語"),
            ("a\nb\tc\x1b", 6, "a␊b␉c␛"),
            ("a\u{202e}b", 8, "a…"),
        ] {
            assert_eq!(fit(label, width), expected, "{label:?} in {width}");
            assert!(display_width(fit(label, width).as_bytes()) <= width);
        }
        assert!(matches!(fit("name", 9), Cow::Borrowed("name")));
    }
}
