//! Memory used while a text is read and printed: the cost of each further byte, counted by the allocator.
//!
//! A family of texts is what a hostile file or a dying process may contain, at any length. Between a text and one four
//! times as long, only the data kept for each call, message or problem may grow; the text itself leaves memory.
//! Independent of what the memory holds.

#[path = "../shared/figures.rs"]
mod figures;

use std::io;
use std::sync::Arc;

use figures::Promise;
use peak_alloc::PeakAlloc;
use transcope::container::Container;
use transcope::dialect::Options;
use transcope::export::events::EventWriter;
use transcope::export::html::{self, PageForm};
use transcope::export::matches::{MatchFormat, MatchWriter};
use transcope::export::ndjson::NdjsonWriter;
use transcope::export::page::ReportPage;
use transcope::export::{json, markdown, text};
use transcope::filter::{Filter, Selection};
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;
use transcope::text::store::{Backing, Paging};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes that arrive at a time.
const ARRIVING: usize = 16 * 1024;

/// So little of a text stays in memory that other data shows.
const PAGING: Paging = Paging { page: 4096, recent: 32 * 1024, kept: 4 };

/// An operation during reading, and its time.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// It has not ended yet.
    Arrive,
    Check,
    Ndjson,
    Events,
    Json,
    Text,
    Redact,
    Markdown,
    Html,
    /// Searches for a text and a regular expression that do not occur.
    Grep,
}

const ALL: &[Job] = &[Job::Check, Job::Ndjson, Job::Events, Job::Json, Job::Text];

/// A family of texts: a prefix, a repeated part (`#` is a number), a suffix; the bytes of the shorter text, and the
/// most bytes of memory for each further byte.
struct Family {
    name: &'static str,
    parts: [&'static str; 3],
    short: usize,
    jobs: &'static [Job],
    most: f64,
}

const fn family(name: &'static str, parts: [&'static str; 3], short: usize, jobs: &'static [Job], most: f64) -> Family {
    Family { name, parts, short: short * 1024, jobs, most }
}

#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    family("prose", ["", "The quick brown fox jumps over the lazy dog.\n", ""], 256, ALL, 0.1),
    family("prose in a report", ["", "The quick brown fox jumps over the lazy dog.\n", ""], 256, &[Job::Markdown], 4.0),
    family("prose on a page", ["", "The quick brown fox jumps over the lazy dog.\n", ""], 256, &[Job::Html], 1.5),
    family("one long line in grep", ["", "The quick brown fox jumps over the lazy dog. ", ""], 1536, &[Job::Grep], 0.1),
    family("a line without an end", ["", "x", ""], 256, ALL, 0.1),
    family("a string in tags without an end", ["<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("a string of a call without tags", ["{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{\"a\":\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("a string of a call without type", ["{\"name\":\"f\",\"arguments\":{\"a\":[\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("a string that is no call", ["{\"a\":\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("a key without an end", ["<tool_call>{\"name\":\"f\",\"arguments\":{\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("a number without an end", ["<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":0.", "3", ""], 256, &[Job::Arrive], 0.1),
    family("a list without an end", ["<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":[", "1,", ""], 256, &[Job::Arrive], 0.1),
    family("JSON behind a call", ["[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{}},{\"a\":\"", "x", ""], 256, &[Job::Arrive], 0.1),
    family("broken JSON without an end", ["<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1 b ", "xyz ", ""], 256, &[Job::Arrive], 0.1),
    family("a long value", ["!!!GADGET_START:a\n!!!ARG:x\n", "some line of it\n", "!!!GADGET_END\n"], 256, &[Job::Check], 0.1),
    family("calls", ["", "!!!GADGET_START:Read:r#\n!!!ARG:path\nsrc/a.ts\n!!!GADGET_END\n", ""], 64, ALL, 6.0),
    family("calls with problems of their own", ["", "!!!GADGET_START:a:#\n!!!ARG:x\n1\n!!!ARG:x\n2\n!!!GADGET_END\n", ""], 64, ALL, 12.0),
    family("calls without an end", ["", "!!!GADGET_START:a\n", ""], 64, ALL, 16.0),
    family("arguments outside of calls", ["", "!!!ARG:x\n", ""], 128, ALL, 0.5),
    family("one pointer again and again", ["!!!GADGET_START:a\n", "!!!ARG:x\n", "!!!GADGET_END\n"], 128, &[Job::Check], 32.0),
    family("more arguments than are read", ["!!!GADGET_START:a\n", "!!!ARG:x\n", "!!!GADGET_END\n"], 1024, &[Job::Check, Job::Json], 0.5),
    family("ids given twice", ["", "!!!GADGET_START:a:same\n!!!GADGET_END\n", ""], 384, &[Job::Check], 12.0),
    family("end tags in one string", ["", "<tool_call>{</tool_call>", ""], 256, &[Job::Check], 2.0),
    family("dependencies on nobody", ["", "!!!GADGET_START:a:#:nobody#\n!!!GADGET_END\n", ""], 64, &[Job::Check], 24.0),
    family("stray ends", ["", "!!!GADGET_END\n\n", ""], 256, &[Job::Ndjson, Job::Text], 0.5),
    family("names of secrets in one word", ["", "password=", ""], 256, &[Job::Redact], 16.0),
    family("mail addresses in one word", ["", "a@", ""], 256, &[Job::Redact], 16.0),
    family("messages", ["", "{\"role\":\"user\",\"content\":\"#\"}\n", ""], 64, &[Job::Ndjson, Job::Json], 8.0),
];

fn made(family: &Family, length: usize) -> Vec<u8> {
    let [front, unit, behind] = family.parts;
    let mut text = front.to_owned();
    for number in 0.. {
        if text.len() >= length {
            break;
        }
        text.push_str(&unit.replace('#', &number.to_string()));
    }
    text.push_str(behind);
    text.into_bytes()
}

/// Peak memory in bytes, not counting the text itself if it can be read again.
fn taken(bytes: &Arc<[u8]>, job: Job) -> usize {
    let backing = Backing::new(Arc::clone(bytes));
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut session = Session::new(Container::default(), &Options::default());
    session.set_paging(PAGING);
    session.back(backing);
    let (mut ndjson, mut events, mut out) = (NdjsonWriter::default(), EventWriter::default(), io::sink());
    let advance = |session: &Session, ndjson: &mut NdjsonWriter, events: &mut EventWriter| match job {
        Job::Ndjson => ndjson.advance(&mut io::sink(), session),
        Job::Events => events.advance(&mut io::sink(), session),
        _ => Ok(()),
    };
    for piece in bytes.chunks(ARRIVING) {
        session.push(piece);
        advance(&session, &mut ndjson, &mut events).expect("a sink takes everything");
    }
    if !matches!(job, Job::Arrive) {
        session.finish();
    }
    match job {
        Job::Json => json::write_transcript(&mut out, &session, "a.txt", None, None),
        Job::Markdown => markdown::write(&mut out, &ReportPage::new(&session, None, None), "a.txt"),
        Job::Html => html::write(&mut out, &ReportPage::new(&session, None, None), "a.txt", PageForm::Plain),
        Job::Grep => {
            let filter = Filter::parse("absent or /lazy.*absent/").expect("a filter");
            let selection = Selection::new(&filter, &session);
            MatchWriter::new(MatchFormat::Text).write(&mut out, "a.txt", &session, &selection, 1).map(drop)
        }
        Job::Text => text::write(&mut out, &session, 80, None),
        Job::Redact => {
            let mut redactor = Redactor::new(&session, OwnPatterns::default());
            redactor.learn_file(&session);
            redactor.write_file(&session, &mut out)
        }
        Job::Arrive | Job::Check | Job::Ndjson | Job::Events => advance(&session, &mut ndjson, &mut events),
    }
    .expect("a sink takes everything");
    ALLOCATOR.peak_usage().saturating_sub(before)
}

#[test]
fn what_is_kept_of_a_text_is_bounded() {
    let mut faults = Vec::new();
    for family in FAMILIES {
        let [short, long] = [family.short, 4 * family.short].map(|length| Arc::<[u8]>::from(made(family, length)));
        for &job in family.jobs {
            let (small, large) = (taken(&short, job), taken(&long, job));
            let each = (large as f64 - small as f64) / (long.len() - short.len()) as f64;
            if each > family.most {
                faults
                    .push(format!("{}, {job:?}: {each:.2} bytes for each byte, at most {}", family.name, family.most));
            }
            figures::tell(Promise::Memory, "texts", 2);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
