//! Settings written by a user or stored in a repository, of the kind that the first line names: they are accepted, or
//! rejected with a message, and accepted ones can be used.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use transcope::cases::ExpectedOutcome;
use transcope::config::Config;
use transcope::export::baseline::Baseline;
use transcope::filter::{Filter, Matcher, complete};
use transcope::notes::NoteList;
use transcope::session::Session;
use transcope::tui::keymap::Keymap;
use transcope::tui::theme::Theme;
use transcope::value::schema::Schemas;

/// Longest text that is read, in bytes.
const LONGEST: usize = 4 * 1024;

/// A transcript to apply settings to.
const SAMPLE: &[u8] = b"Before\n!!!GADGET_START:read:a1\n!!!ARG:path\nx.txt\n!!!ARG:list/0\n5\n!!!GADGET_END\nBetween\n
<tool_call>\n{\"name\": \"find\", \"arguments\": {\"path\": \"x.txt\"}}\n</tool_call>\n```\ncode\n```\n";

/// The kinds with their checks.
const KINDS: &[super::Named<fn(&str)>] = &[
    ("filter", filter),
    ("config", |text| in_file("config.yaml", text, config)),
    ("theme", |text| in_file("made-up.yaml", text, theme)),
    ("notes", notes),
    ("schemas", schemas),
    ("baseline", |text| drop(Baseline::parse(text.as_bytes()).map_err(|words| in_one_line(&words)))),
    ("expected", |text| drop(ExpectedOutcome::parse(text.as_bytes()))),
];

/// Reads the text as settings of the kind that its first line names.
pub fn check(bytes: &[u8]) {
    let (number, text) = super::choose(bytes, KINDS.len(), |number| KINDS[number].0);
    let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST)]);
    KINDS[number].1(&text);
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::from_bytes(SAMPLE));
    static SCRATCH: TempDir = tempfile::tempdir().expect("there is a place for files");
}

fn in_file(name: &str, text: &str, check: impl Fn(&Path)) {
    SCRATCH.with(|scratch| {
        let path = scratch.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        check(&path);
    });
}

fn in_one_line(words: &str) {
    assert!(!words.is_empty() && !words.contains('\n'), "{words:?}");
}

fn filter(expression: &str) {
    SESSION.with_borrow(|session| {
        match Filter::parse(expression) {
            Ok(filter) => {
                let mut matcher = Matcher::new(filter);
                matcher.update(session);
                for item in 0..session.document().items().len() {
                    _ = matcher.selects(session, item);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        for cursor in [0, expression.len() / 2, expression.len()] {
            let completions = complete(expression, cursor, Some(session));
            let replaced = expression.get(completions.replace.start..completions.replace.end);
            assert!(replaced.is_some(), "{completions:?} of {expression:?}");
        }
    });
}

fn config(path: &Path) {
    let Ok(config) = Config::from_file(Some(path)) else { return };
    if let Some(keys) = &config.keys {
        _ = Keymap::with(keys);
    }
    _ = config.own_patterns();
}

fn theme(path: &Path) {
    _ = Theme::named(path.to_str().expect("the folder has a plain name"));
}

fn notes(text: &str) {
    match NoteList::from_yaml(text.as_bytes()) {
        Err(words) => in_one_line(&words),
        Ok(notes) => {
            let written = notes.to_yaml("made up.txt");
            assert_eq!(NoteList::from_yaml(written.as_bytes()).as_ref(), Ok(&notes), "{written}");
            let mut session = Session::from_bytes(SAMPLE);
            session.set_notes(notes);
        }
    }
}

fn schemas(text: &str) {
    match Schemas::parse("tools.json", text.as_bytes()) {
        Err(words) => assert!(!words.is_empty()),
        Ok(schemas) => {
            let options =
                transcope::dialect::Options { schemas: Some(std::sync::Arc::new(schemas)), ..Default::default() };
            let session = Session::read(SAMPLE, &options);
            assert!(session.document().items().len() > 2);
        }
    }
}
