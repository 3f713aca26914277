//! The operations whose growth is measured: reading a text, and writing the result in every form. Independent of the
//! texts.

use std::fs::File;
use std::io::{self, Write};
use std::iter;
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use transcope::compare::{ComparedText, Comparison};
use transcope::container::Container;
use transcope::convert::Calls;
use transcope::cost::DialectCosts;
use transcope::dialect::{Options, Portable};
use transcope::export::baseline::CheckedFile;
use transcope::export::events::EventWriter;
use transcope::export::html::PageForm;
use transcope::export::linear::LinearWriter;
use transcope::export::ndjson::NdjsonWriter;
use transcope::export::page::ReportPage;
use transcope::export::{diff, dot, github, html, json, markdown, mermaid, sarif, text, waves};
use transcope::filter::{Filter, Selection};
use transcope::lens::{Lens, ParserChoice, request_of};
use transcope::redact::{OwnPatterns, Redactor};
use transcope::repair::{Budget, Repairs, repair_all};
use transcope::session::Session;
use transcope::snippet::{self, SnippetLayout};
use transcope::source::{CHUNK, SourceEvent, SourceSpec, folder, read_all};
use transcope::text::{Walk, steps};
use transcope::tui::input;
use transcope::tui::message::Msg;
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::{Transcript, prepare};
use transcope::tui::theme::Theme;
use transcope::tui::view::origin::TextOrigin;
use transcope::value::schema::Schemas;

use super::family::Family;

/// A text of a family, and how it is read.
pub struct Input {
    text: Vec<u8>,
    options: Options,
    pieces: usize,
}

impl Input {
    /// The text of `n` repetitions.
    pub fn new(family: &Family, n: usize) -> Self {
        let schemas = family.schema(n).map(|file| Schemas::parse("tools.json", &file).expect("the table has schemas"));
        let mut options = Options { schemas: schemas.map(Arc::new), ..Options::default() };
        options.only =
            family.dialects.iter().map(|name| options.find(name).expect("the table names dialects")).collect();
        Self { text: family.text(n), options, pieces: family.pieces.unwrap_or(CHUNK) }
    }

    fn read(&self) -> Session {
        self.read_with(&self.options, |_| ())
    }

    /// Reads it in its chunks, and passes the session to `seen` after each.
    fn read_with(&self, options: &Options, mut seen: impl FnMut(&Session)) -> Session {
        let mut session = Session::new(Container::default(), options);
        for piece in self.text.chunks(self.pieces) {
            session.push(piece);
            seen(&session);
        }
        session.finish();
        seen(&session);
        session
    }
}

/// Accepts all output, and counts it.
pub struct Sink;

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        steps::add_bytes(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An operation on a text.
pub type Work = fn(&Input);

/// The operations, by their names in the table.
pub const WORKS: [(&str, Work); 27] = [
    ("read", |input| drop(input.read())),
    ("json", |input| written(input, |session| json::write_transcript(&mut Sink, session, NAME, None, None))),
    ("ndjson", |input| {
        let mut writer = NdjsonWriter::default();
        input.read_with(&input.options, |session| writer.advance(&mut Sink, session).expect(TAKES));
    }),
    ("events", |input| {
        let mut writer = EventWriter::default();
        input.read_with(&input.options, |session| writer.advance(&mut Sink, session).expect(TAKES));
    }),
    ("linear", |input| {
        let mut writer = LinearWriter::default();
        input.read_with(&input.options, |session| writer.advance(&mut Sink, session).expect(TAKES));
    }),
    ("text", |input| written(input, |session| text::write(&mut Sink, session, 80, None))),
    ("human", human),
    ("sarif", |input| written(input, |session| sarif::write(&mut Sink, std::iter::once(checked(session)), &[]))),
    ("github", |input| written(input, |session| github::write(&mut Sink, &checked(session)))),
    ("html", |input| page(input, PageForm::Plain)),
    ("interactive", |input| page(input, PageForm::Interactive)),
    ("markdown", |input| {
        written(input, |session| markdown::write(&mut Sink, &ReportPage::new(session, None, None), NAME));
    }),
    ("waves", |input| written(input, |session| waves::write(&mut Sink, session, None))),
    ("dot", |input| written(input, |session| dot::write(&mut Sink, session, None))),
    ("mermaid", |input| written(input, |session| mermaid::write(&mut Sink, session, None))),
    ("graph", |input| written(input, |session| json::write_graph(&mut Sink, session, NAME, None))),
    ("convert", |input| {
        let target = input.options.find("hermes").expect("a dialect");
        drop(Calls::in_their_text(&input.read()).convert(target, &input.options));
    }),
    ("cost", |input| {
        let session = input.read();
        drop(DialectCosts::new(&Calls::alone(&session, session.document().calls()), &input.options));
    }),
    ("diff", compared),
    ("lens", |input| {
        if let Some(message) = input.read().model_text_at(None) {
            drop(Lens::new(&message, &request_of(input.options.schemas.as_deref()), &ParserChoice::default()));
        }
    }),
    ("fix", |input| drop(repair_all(&input.read(), &input.options, &Budget::for_command()))),
    ("repair", |input| {
        let (session, budget) = (input.read(), Budget::for_command());
        let problems: Vec<_> = session.document().sorted_diagnostics().collect();
        let repairs = Repairs::new(&session, &input.options, &budget).expect("it is plain and small");
        drop(repairs.repairable(&problems.iter().collect::<Vec<_>>()));
    }),
    ("archive", archive),
    ("portable", |input| {
        let portable = Portable::between(std::iter::empty()).expect("all runtimes");
        drop(input.read_with(&Options { portable: Some(portable), ..input.options.clone() }, |_| ()));
    }),
    ("filter", |input| {
        let filter = Filter::parse(FILTER).expect("a filter");
        drop(Selection::new(&filter, &input.read()));
    }),
    ("screen", screen),
    ("redact", |input| {
        written(input, |session| {
            let mut redactor = Redactor::new(session, OwnPatterns::default());
            redactor.learn_file(session);
            drop(redactor.report(session));
            redactor.write_file(session, &mut Sink)
        });
    }),
];

const NAME: &str = "a.txt";

/// The filter of `filter`.
const FILTER: &str = "failed or error or text~\"a+b\" or not tool:f";

const TAKES: &str = "a sink takes everything";

fn written(input: &Input, write: impl FnOnce(&Session) -> io::Result<()>) {
    write(&input.read()).expect(TAKES);
}

fn checked(session: &Session) -> CheckedFile<'_> {
    CheckedFile { path: NAME, session, selection: None, known: None, redactor: None, details: None }
}

fn page(input: &Input, form: PageForm) {
    written(input, |session| html::write(&mut Sink, &ReportPage::new(session, None, None).coloured(), NAME, form));
}

/// Finds and reads all files of an archive that has a file for each line, as commands do.
fn archive(input: &Input) {
    let file = tempfile::NamedTempFile::new().expect("a file can be made");
    write_archive(&input.text, file.as_file());
    let found = folder::files(file.path(), &|_| false, &|_| true).expect("it is an archive");
    for path in found.paths {
        steps::add(1);
        drop(read_all(&SourceSpec::File(path)).expect("it can be read"));
    }
}

/// Writes an archive with a file for each line and one with a few words, so that it is an archive even without lines.
pub fn write_archive(text: &[u8], file: &File) {
    let mut writer = zip::ZipWriter::new(file);
    for (number, line) in iter::once(&b"A text.\n"[..]).chain(text.split_inclusive(|byte| *byte == b'\n')).enumerate() {
        writer.start_file(format!("{number}.json"), zip::write::SimpleFileOptions::default()).expect("a name");
        writer.write_all(line).expect("it is written");
    }
    writer.finish().expect("it is written");
}

/// Each problem with the lines it concerns.
fn human(input: &Input) {
    let session = input.read();
    let mut walk = Walk::default();
    for problem in session.document().sorted_diagnostics() {
        let rows = snippet::rows(&problem, &session, SnippetLayout { name: Some(NAME), width: 80 }, &mut walk);
        for row in &rows {
            steps::add_bytes(row.text().len());
        }
    }
}

/// The text compared with another reading of it.
fn compared(input: &Input) {
    let options = Options { only: vec![input.options.find("gadget").expect("a dialect")], ..Options::default() };
    let sides = [input.options.clone(), options].map(|options| {
        let session = input.read_with(&options, |_| ());
        ComparedText { name: NAME.to_owned(), session, options, part: None }
    });
    let comparison = Comparison::new(&sides[0].session, &sides[1].session);
    diff::write_text(&mut Sink, &sides, &comparison).expect(TAKES);
}

/// The screen while the text arrives, and a few keys in each pane.
fn screen(input: &Input) {
    let session = Session::new(Container::default(), &input.options);
    let mut state = Transcript::new(session, input.options.clone(), TextOrigin::default(), (120, 40));
    let theme = Theme::named("dark").expect("a built-in theme");
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("a buffer takes everything");
    for piece in input.text.chunks(input.pieces) {
        state.update(Msg::Source(SourceEvent::Chunk(piece.to_vec())));
    }
    state.update(Msg::Source(SourceEvent::End));
    let press = |code| Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
    let keys = [KeyCode::PageDown, KeyCode::End, KeyCode::Tab, KeyCode::PageUp, KeyCode::Tab, KeyCode::End];
    let search = "/a+z".chars().map(KeyCode::Char).chain([KeyCode::Enter, KeyCode::Char('n')]);
    for code in keys.into_iter().chain(search) {
        if let Some(happened) = input::message(state.input_mode(), press(code), &state.chrome.keymap) {
            state.update(happened);
        }
        while state.work() {}
        _ = prepare(&mut state);
        terminal.draw(|frame| state.draw(frame, &theme)).expect("a buffer takes everything");
        drop(state.view.cache.borrow_mut().take_wanted());
    }
}
