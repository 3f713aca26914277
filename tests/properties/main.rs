//! Properties of any text, tried on soups of markers, pieces of markers and other text.
//!
//! A soup is made of ingredients that the parser recognises, so that most of them contain calls, broken in every way;
//! some contain bytes that are not text. To try more of them: `PROPTEST_CASES=100000 cargo test --test properties`.

mod arguments;
mod declarations;
mod divided_secrets;
#[path = "../shared/figures.rs"]
mod figures;
mod filtering;
mod json_soups;
mod limits;
mod messages;
mod notations;
mod parallel;
mod published_secrets;
#[path = "../shared/recorded.rs"]
mod recorded;
mod repairs;
mod runtimes;
mod secret_settings;
mod secrets;
mod sessions;
#[path = "../shared/snapshot.rs"]
mod snapshot;
mod soups;
mod surroundings;
mod unlisted_secrets;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use std::sync::Arc;

use transcope::container::Container;
use transcope::diagnostic::Code;
use transcope::dialect::gadget::Markers;
use transcope::dialect::{self, Options};
use transcope::document::Item;
use transcope::export::baseline::CheckedFile;
use transcope::export::linear::LinearWriter;
use transcope::export::ndjson::NdjsonWriter;
use transcope::export::{dot, github, json, mermaid, sarif, text, waves};
use transcope::session::Session;
use transcope::text::Span;
use transcope::text::store::{Backing, Paging, ReadAt};
use transcope::value::schema::Schemas;
use transcope::value::tree_json::to_json;

use figures::{Promise, tell};
use soups::{DEFAULT, Shape, Three, any_soup, callouts, ingredient, pointer, shape, soup, value};

fn options(markers: Three) -> Options {
    let [start, end, argument] = markers;
    let markers = Markers::custom(Some(start), Some(end), Some(argument)).expect("the markers can be told apart");
    Options { markers, ..Options::default() }
}

/// The text, read in chunks of the given lengths, repeated as often as needed.
fn read(markers: Three, text: &[u8], lengths: &[usize]) -> Session {
    let session = Session::new(Container::default(), &options(markers));
    feed(session, text, lengths)
}

/// Counts a text that was read whole and in other chunks.
fn tell_of_cuts(cuts: usize) {
    tell(Promise::Cuts, "texts", 1);
    tell(Promise::Cuts, "cuts", cuts);
}

/// As [`read`], with almost nothing of the text in memory.
fn read_paged(markers: Three, text: &[u8], lengths: &[usize]) -> Session {
    feed(Paged::of(Session::new(Container::default(), &options(markers)), text), text, lengths)
}

/// A text that can be read again.
struct Paged(Vec<u8>);

impl Paged {
    /// A session that keeps almost nothing of a text in memory.
    fn of(mut session: Session, text: &[u8]) -> Session {
        session.set_paging(Paging { page: 8, recent: 16, kept: 2 });
        session.back(Backing::new(Self(text.to_vec())));
        session
    }
}

impl ReadAt for Paged {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let there = &self.0[usize::try_from(offset).map_or(self.0.len(), |offset| offset.min(self.0.len()))..];
        let read = there.len().min(buffer.len());
        buffer[..read].copy_from_slice(&there[..read]);
        Ok(read)
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

fn feed(mut session: Session, mut rest: &[u8], lengths: &[usize]) -> Session {
    for &length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at(length.clamp(1, rest.len()));
        session.push(piece);
        rest = behind;
    }
    session.finish();
    session
}

/// Everything that a reader can observe, in a form that can be compared.
fn outcome(session: &Session) -> Vec<String> {
    let text = session.text();
    let items = session.document().items().iter().enumerate().map(|(number, item)| match item {
        Item::Text(span) => format!("text {span:?}"),
        Item::Result(answer) => format!("{answer:?}"),
        Item::Aside(aside) => format!("{aside:?}"),
        Item::Call(call) => {
            let assembly = session.dissect(number).expect("a call can be taken apart");
            format!("{call:?} {:?} {:?} {}", assembly.arguments, assembly.error, to_json(&assembly.tree, text))
        }
    });
    let problems = session.document().sorted_diagnostics().map(|problem| format!("{problem:?}"));
    items.chain(problems).collect()
}

/// Faults that a schema may find in parameters.
const WRONG: [Code; 4] =
    [Code::MissingParameter, Code::UnknownParameter, Code::MistypedParameter, Code::InvalidParameter];

/// Prefixes of pointers that a schema may have.
const KEYS: [&str; 5] = ["", "p0/", "p1/p0/", "p0/0/", "p2/x1/"];

/// True if two values are equal, numbers by value.
fn alike(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// Checks the properties of any session.
fn is_sound(session: &Session, markers: Three) -> Result<(), TestCaseError> {
    let text = session.text();
    let mut dialects = dialect::registry(&options(markers));
    let mut end = 0;
    for (number, item) in session.document().items().iter().enumerate() {
        let span = item.span();
        prop_assert_eq!(span.start, end, "item {} leaves a gap or overlaps", number);
        prop_assert!(!span.is_empty(), "item {} is empty", number);
        end = span.end;
        let Item::Call(call) = item else { continue };
        let inside = |part: Span| span.start <= part.start && part.start <= part.end && part.end <= span.end;
        let words = [call.name].into_iter().chain(call.id).chain(call.waits_for());
        for part in words.map(|word| word.span).chain([call.marker, call.body]) {
            prop_assert!(inside(part), "{:?} is not in its call {:?}", part, span);
        }
        let assembly = session.dissect(number).expect("a call can be taken apart");
        let dialect = dialects.iter_mut().find(|dialect| dialect.info().name == call.dialect).expect("it is active");
        let text_start = session.document().text_start(call.span.start);
        let findings = dialect.check(text, call.parts(text_start, call.arguments()));
        prop_assert_eq!((&assembly.problems, &assembly.error), (&findings.problems, &findings.error));
        for most in [0, call.body.len() / 2, call.body.len()] {
            let (seen, end) = session.dissect_prefix(number, most).expect("a call can be looked into");
            prop_assert_eq!(end.is_none(), most == call.body.len());
            let end = end.unwrap_or(call.span.end);
            prop_assert!(end <= call.span.end);
            for argument in &seen.arguments {
                prop_assert!(argument.place().end <= end, "{:?} of {:?} up to {}", argument, call, end);
            }
        }
        let mut behind = call.body.start;
        for argument in &assembly.arguments {
            for part in [argument.marker, argument.pointer, argument.value] {
                prop_assert!(inside(part), "{:?} is not in its call {:?}", part, span);
            }
            prop_assert!(argument.marker.start >= behind, "arguments follow one another");
            behind = argument.marker.end;
        }
        prop_assert_eq!(assembly.arguments.len(), assembly.scalars.len());
        let json = to_json(&assembly.tree, text);
        let written = json.to_string();
        let again: serde_json::Value = serde_json::from_str(&written)
            .map_err(|error| TestCaseError::fail(format!("{written} cannot be read again: {error}")))?;
        prop_assert_eq!(again.to_string(), written);
    }
    prop_assert_eq!(end, text.len(), "the end is in no item");
    for problem in session.document().diagnostics().iter() {
        let places = problem.related.iter().map(|related| related.span).chain([problem.span]);
        for place in places {
            prop_assert!(place.start <= place.end && place.end <= end, "{:?} is not in the text: {:?}", place, problem);
        }
        if let Some(item) = problem.item {
            prop_assert!(session.document().call(item).is_some(), "{:?} is about no call", problem);
        }
    }
    Ok(())
}

/// Checks that every output format works, that JSON output is valid, and that other output is harmless to a terminal.
fn can_be_printed(session: &Session) -> Result<(), TestCaseError> {
    let path = "soup.txt";
    let printed = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).expect("memory takes everything");
        String::from_utf8(out).map_err(|error| TestCaseError::fail(error.to_string()))
    };
    let json = printed(&|out| json::write_transcript(out, session, path, None, None))?;
    let file = CheckedFile { path, session, selection: None, known: None, redactor: None, details: None };
    let sarif = printed(&|out| sarif::write(out, std::iter::once(file), &[]))?;
    for (name, written) in [("json", &json), ("sarif", &sarif)] {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(written);
        prop_assert!(parsed.is_ok(), "{} is no JSON: {:?}", name, parsed);
    }
    let plain = [
        ("text", printed(&|out| text::write(out, session, 40, None))?),
        ("linear", printed(&|out| LinearWriter::default().advance(out, session))?),
        ("dot", printed(&|out| dot::write(out, session, None))?),
        ("mermaid", printed(&|out| mermaid::write(out, session, None))?),
        ("waves", printed(&|out| waves::write(out, session, None))?),
        ("github", printed(&|out| github::write(out, &file))?),
        ("json", json),
        ("sarif", sarif),
    ];
    tell(Promise::Terminal, "printed texts", plain.len());
    for (name, written) in plain {
        let bad = written.chars().find(|&c| c.is_control() && c != '\n');
        prop_assert_eq!(bad, None, "{} holds a control character: {:?}", name, written);
    }
    Ok(())
}

/// The output of `parse --format ndjson` and `--linear` for a text that arrives in chunks.
fn printed(text: &[u8], length: usize) -> [String; 2] {
    let mut session = Session::new(Container::default(), &Options::default());
    let (mut ndjson, mut linear) = (NdjsonWriter::default(), LinearWriter::default());
    let (mut records, mut lines) = (Vec::new(), Vec::new());
    for piece in text.chunks(length).map(Some).chain([None]) {
        match piece {
            Some(piece) => session.push(piece),
            None => session.finish(),
        };
        ndjson.advance(&mut records, &session).expect("memory takes everything");
        linear.advance(&mut lines, &session).expect("memory takes everything");
    }
    [records, lines].map(|out| String::from_utf8(out).expect("what is printed is UTF-8"))
}

/// Beginnings of the lines that the program adds.
const OWN: [&str; 9] = ["text:", "tool ", "result", "reasoning:", "record ", "error ", "warning ", "hint ", "help: "];

fn settings() -> ProptestConfig {
    let cases = ProptestConfig::default().cases.max(400);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn a_soup_is_read_soundly_however_it_is_cut(
        text in soup(DEFAULT),
        cuts in vec(1_usize..40, 1..8),
    ) {
        let whole = read(DEFAULT, &text, &[usize::MAX]);
        is_sound(&whole, DEFAULT)?;
        can_be_printed(&whole)?;
        let expected = outcome(&whole);
        tell_of_cuts(3);
        prop_assert_eq!(outcome(&read(DEFAULT, &text, &[1])), expected.clone(), "byte by byte");
        prop_assert_eq!(outcome(&read(DEFAULT, &text, &cuts)), expected.clone(), "in pieces of {:?}", cuts);
        let paged = read_paged(DEFAULT, &text, &cuts);
        prop_assert_eq!(outcome(&paged), expected, "out of memory and back");
        prop_assert!(paged.text().lost().is_empty(), "{:?} are lost", paged.text().lost());
    }

    #[test]
    fn a_soup_with_other_markers_is_read_soundly_however_it_is_cut(
        (markers, text) in any_soup(),
        cuts in vec(1_usize..40, 1..8),
    ) {
        let whole = read(markers, &text, &[usize::MAX]);
        is_sound(&whole, markers)?;
        tell_of_cuts(2);
        let expected = outcome(&whole);
        prop_assert_eq!(outcome(&read(markers, &text, &[1])), expected.clone(), "byte by byte");
        prop_assert_eq!(outcome(&read(markers, &text, &cuts)), expected, "in pieces of {:?}", cuts);
    }

    #[test]
    fn what_is_printed_while_a_text_arrives_is_what_is_printed_of_the_whole(text in soup(DEFAULT)) {
        let whole = printed(&text, usize::MAX);
        for line in whole[0].lines() {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(line);
            prop_assert!(parsed.is_ok(), "{:?} is no JSON", line);
        }
        for line in whole[1].lines().filter(|line| !line.is_empty() && !line.starts_with("end: ")) {
            let is_own = OWN.iter().any(|word| line.starts_with(word));
            prop_assert!(is_own || line.starts_with("  "), "{:?} is of the file and in the first column", line);
        }
        prop_assert_eq!(&printed(&text, 1), &whole, "byte by byte");
        prop_assert_eq!(&printed(&text, 7), &whole, "in pieces of 7");
    }

    #[test]
    fn callouts_and_fences_are_read_soundly_wherever_they_are_cut_in_two(text in callouts()) {
        let whole = read(DEFAULT, &text, &[usize::MAX]);
        is_sound(&whole, DEFAULT)?;
        can_be_printed(&whole)?;
        let expected = outcome(&whole);
        tell_of_cuts(text.len().saturating_sub(1));
        for at in 1..text.len() {
            prop_assert_eq!(outcome(&read(DEFAULT, &text, &[at, usize::MAX])), expected.clone(), "cut at {}", at);
        }
    }

    #[test]
    fn a_call_without_a_flaw_has_no_problem(arguments in vec((pointer(), value()), 0..12), end in value()) {
        let mut text = String::from("!!!GADGET_START:Name\n");
        for (pointer, value) in arguments {
            let _ = std::fmt::Write::write_fmt(&mut text, format_args!("!!!ARG:{pointer}\n{value}\n"));
        }
        text.push_str(&end);
        text.push_str("!!!GADGET_END\n");
        is_sound(&read(DEFAULT, text.as_bytes(), &[usize::MAX]), DEFAULT)?;
    }

    #[test]
    fn a_call_that_follows_its_schema_is_what_the_schema_asks_for(parts in vec(shape(), 1..4)) {
        let shape = Shape::root(parts);
        let mut text = String::from("!!!GADGET_START:Name\n");
        let expected = shape.write("", &mut text);
        text.push_str("!!!GADGET_END\n");
        let schemas = json!({ "Name": shape.schema() }).to_string();
        let schemas = Schemas::parse("tools.json", schemas.as_bytes()).map_err(TestCaseError::fail)?;
        let options = Options { schemas: Some(Arc::new(schemas)), ..Options::default() };
        let session = Session::read(text.as_bytes(), &options);
        let assembly = session.dissect(0).expect("there is a call");
        let found = to_json(&assembly.tree, session.text());
        prop_assert!(alike(&expected, &found), "{} is read as {}, with {}", text, found, shape.schema());
        let wrong = session.document().sorted_diagnostics().find(|problem| WRONG.contains(&problem.code));
        prop_assert!(wrong.is_none(), "{:?} of {} with {}", wrong, text, shape.schema());
    }

    #[test]
    fn any_schema_is_applied_to_any_call_soundly(
        parts in vec(shape(), 1..4),
        arguments in vec((select(KEYS.to_vec()), pointer(), value()), 0..12),
    ) {
        let mut text = String::from("!!!GADGET_START:Name\n");
        for (key, pointer, value) in arguments {
            let _ = std::fmt::Write::write_fmt(&mut text, format_args!("!!!ARG:{key}{pointer}\n{value}\n"));
        }
        let schemas = json!({ "Name": Shape::root(parts).schema() }).to_string();
        let schemas = Schemas::parse("tools.json", schemas.as_bytes()).map_err(TestCaseError::fail)?;
        let options = Options { schemas: Some(Arc::new(schemas)), ..Options::default() };
        let read = |lengths: &[usize]| {
            let session = Session::new(Container::default(), &options);
            feed(session, text.as_bytes(), lengths)
        };
        let whole = read(&[usize::MAX]);
        can_be_printed(&whole)?;
        prop_assert_eq!(outcome(&read(&[1])), outcome(&whole), "byte by byte");
    }

    #[test]
    fn any_bytes_are_read_soundly(text in vec(any::<u8>(), 0..600)) {
        is_sound(&read(DEFAULT, &text, &[usize::MAX]), DEFAULT)?;
    }

    #[test]
    fn every_state_in_between_is_sound(text in soup(DEFAULT)) {
        let mut session = Session::new(Container::default(), &Options::default());
        let mut before: Vec<(usize, usize)> = Vec::new();
        for byte in &text {
            session.push(std::slice::from_ref(byte));
            let spans: Vec<(usize, usize)> =
                session.document().items().iter().map(|item| (item.span().start, item.span().end)).collect();
            let decided = spans.last().map_or(0, |last| last.1);
            prop_assert!(decided <= session.text().len());
            prop_assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?} leave a gap", spans);
            // An item never disappears and never changes its start; only the last one grows.
            prop_assert!(spans.len() >= before.len(), "{:?} lost an item of {:?}", spans, before);
            for (index, old) in before.iter().enumerate() {
                prop_assert_eq!(spans[index].0, old.0, "an item begins elsewhere");
                prop_assert!(spans[index].1 == old.1 || (index + 1 == before.len() && spans[index].1 > old.1));
            }
            for number in 0..spans.len() {
                let _ = session.dissect(number);
            }
            before = spans;
        }
    }

    #[test]
    fn what_is_shown_can_do_nothing_and_accounts_for_every_byte(text in vec(ingredient(DEFAULT), 0..20)) {
        let bytes = text.concat();
        let mut at = 0;
        for glyph in transcope::text::sanitize::glyphs(&bytes) {
            prop_assert_eq!(glyph.offset, at, "a byte has no glyph");
            prop_assert!(glyph.len > 0);
            at += glyph.len;
        }
        prop_assert_eq!(at, bytes.len());
        let shown = transcope::text::sanitize::visible(&bytes);
        let is_joiner = |c: char| matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
        prop_assert!(
            !shown.chars().any(|c| c.is_control() || (transcope::text::sanitize::is_hidden(c) && !is_joiner(c))),
            "{:?}",
            shown
        );
    }

    #[test]
    fn lines_and_offsets_lead_to_each_other(text in vec(ingredient(DEFAULT), 0..60)) {
        let bytes = text.concat();
        let session = Session::from_bytes(&bytes);
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let mut start = 0;
        for (number, line) in lines.iter().enumerate() {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            let span = session.lines().span_of(session.text(), number);
            prop_assert_eq!((span.start, span.end), (start, start + body.len()), "line {}", number);
            for offset in [start, start + body.len() / 2, start + line.len() - 1] {
                prop_assert_eq!(session.lines().around(session.text(), offset).0, number, "offset {}", offset);
            }
            start += line.len();
        }
    }
}
