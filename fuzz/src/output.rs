//! The program's output: harmless to a terminal, in the promised form, and without the secrets in the input.

use std::io::{self, Write as _};

use transcope::export::baseline::CheckedFile;
use transcope::export::events::EventWriter;
use transcope::export::html::{self, PageForm};
use transcope::export::linear::LinearWriter;
use transcope::export::ndjson::NdjsonWriter;
use transcope::export::page::ReportPage;
use transcope::export::{dot, github, json, markdown, mermaid, sarif, text, waves};
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;
use transcope::text::colour_codes::{ColourCodes, sequences};
use transcope::text::output::{Destination, Output};
use transcope::text::paste::pasteable;
use transcope::text::sanitize::{Glyph, glyphs, is_hidden, visible};
use transcope::text::wrap::wrap;

use super::chance::Chance;

/// Longest text that is written, in bytes.
const LONGEST: usize = 4 * 1024;

/// Writes a session in some of the formats; slow ones are tried less often.
pub fn check_export(bytes: &[u8]) {
    let session = Session::from_bytes(&bytes[..bytes.len().min(LONGEST)]);
    let path = "made up.txt";
    let printed = |write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).expect("memory takes everything");
        String::from_utf8(out).expect("what is written is UTF-8")
    };
    let file = CheckedFile { path, session: &session, selection: None, known: None, redactor: None, details: None };
    let page = ReportPage::new(&session, None, None);
    let (mut plain, mut values) = (Vec::new(), Vec::new());
    match Chance::from_bytes(bytes).below(16) {
        0 => values.push(printed(&|out| sarif::write(out, std::iter::once(file), &[]))),
        1 => plain.push(printed(&|out| html::write(out, &page, path, PageForm::Plain))),
        2 => plain.push(printed(&|out| html::write(out, &page, path, PageForm::Interactive))),
        3..9 => {
            values.push(printed(&|out| json::write_transcript(out, &session, path, None, None)));
            values.push(printed(&|out| json::write_graph(out, &session, path, None)));
            let records = [
                printed(&|out| NdjsonWriter::default().advance(out, &session)),
                printed(&|out| EventWriter::default().advance(out, &session)),
            ];
            values.extend(records.iter().flat_map(|records| records.lines()).map(str::to_owned));
        }
        _ => plain.extend([
            printed(&|out| text::write(out, &session, 40, None)),
            printed(&|out| LinearWriter::default().advance(out, &session)),
            printed(&|out| dot::write(out, &session, None)),
            printed(&|out| mermaid::write(out, &session, None)),
            printed(&|out| waves::write(out, &session, None)),
            printed(&|out| github::write(out, &file)),
            printed(&|out| markdown::write(out, &page, path)),
        ]),
    }
    for value in &values {
        assert!(serde_json::from_str::<serde_json::Value>(value).is_ok(), "{value} is no JSON");
    }
    for written in plain.iter().chain(&values) {
        let bad = written.chars().find(|&c| c.is_control() && c != '\n');
        assert_eq!(bad, None, "a control character is in {written:?}");
    }
}

/// Sanitises bytes: nothing of the result controls a terminal, and every glyph maps back to its bytes.
pub fn check_sanitize(bytes: &[u8]) {
    let mut at = 0;
    for glyph in glyphs(bytes) {
        assert_eq!(glyph.offset, at, "a byte has no glyph");
        assert!(glyph.len > 0);
        // The drawing code replaces tabs with spaces.
        is_harmless(&glyph.text, "\t");
        at += glyph.len;
    }
    assert_eq!(at, bytes.len());
    is_harmless(&visible(bytes), "");
    // Without colour codes, the glyphs and the sequences still account for all bytes.
    let dropped: usize = glyphs(bytes).with(ColourCodes::Dropped).map(|glyph: Glyph<'_>| glyph.len).sum();
    assert!(dropped + sequences(bytes).map(|sequence| sequence.len()).sum::<usize>() >= bytes.len());
    for line in bytes.split(|&byte| byte == b'\n') {
        for width in [1, 7, 40] {
            let mut at = 0;
            for row in wrap(line, width) {
                assert_eq!(row.start, at, "rows tile the line");
                at = row.end;
            }
            assert_eq!(at, line.len(), "rows tile the line");
        }
    }
    let written = |pieces: &[&[u8]], destination| {
        let mut shown = Vec::new();
        let mut output = Output::new(&mut shown, destination);
        for piece in pieces {
            output.write_all(piece).expect("memory takes everything");
        }
        output.flush().expect("memory takes everything");
        drop(output);
        shown
    };
    let pieces = Chance::from_bytes(bytes).cut(bytes);
    let print = |pieces: &[&[u8]]| String::from_utf8(written(pieces, Destination::Terminal)).expect("it is UTF-8");
    let whole = print(&[bytes]);
    is_harmless(&whole, "\n\t");
    assert_eq!(print(&pieces), whole, "in pieces");
    is_harmless(&pasteable(bytes).0, "\n\r\t");
    let log = written(&[bytes], Destination::Log);
    for line in log.split(|&byte| byte == b'\n' || byte == b'\r') {
        assert!(!line.trim_ascii_start().starts_with(b"::"), "a command is in the log");
        assert!(!line.windows(3).any(|part| part == b"##["), "a command is in the log");
    }
    assert_eq!(written(&pieces, Destination::Log), log, "in pieces");
}

/// Nothing in a text controls a terminal or is invisible, except for emoji joiners and the allowed characters.
fn is_harmless(shown: &str, allowed: &str) {
    let is_joiner = |c: char| matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    let bad = shown.chars().find(|&c| !allowed.contains(c) && (c.is_control() || (is_hidden(c) && !is_joiner(c))));
    assert_eq!(bad, None, "{shown:?}");
}

/// Plants a token on a separate line of a text: the clean text is without it, and replaced ranges do not overlap.
pub fn check_redact(bytes: &[u8]) {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let mut chance = Chance::from_bytes(bytes);
    let (before, behind) = text.split_at(text.floor_char_boundary(chance.below(text.len() + 1)));
    let letters = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let body: String = (0..36).map(|_| char::from(letters[chance.below(letters.len())])).collect();
    let text = format!("{before}\nghp_{body}\n{behind}");
    let session = Session::from_bytes(text.as_bytes());
    let redactor = Redactor::new(&session, OwnPatterns::default());
    let spans = redactor.spans(&text);
    assert!(spans.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{spans:?}");
    assert!(
        spans.iter().all(|(span, _)| text.get(span.clone()).is_some_and(|replaced| !replaced.is_empty())),
        "{spans:?}"
    );
    let clean = redactor.clean(&text);
    assert!(!clean.contains(&body), "{clean:?} holds what was planted");
}
