//! The files that a session reads and changes, in the order of the calls.
//!
//! A file is a path, completed by the session's working directory. Changes by commands of a shell are not seen, except where a
//! later result shows another text than the calls have made.

mod arguments;
mod change;
mod contents;
mod part;
mod patch;
mod record_texts;
mod recorded_text;

use std::collections::HashMap;

pub use change::{Replacement, ReplacementScope, TextChange};
use contents::Contents;
use record_texts::ResultRecords;
use recorded_text::TextBefore;

pub use arguments::{OLD_AND_NEW, changes};
pub use contents::LineCounts;

use crate::document::Call;
use crate::session::Session;
use crate::value::tree_json::to_json;

/// Calls, and bytes of them, that are read in a step.
const STEP: (usize, usize) = (64, 1 << 20);

/// The last calls of a session that is still read: a step waits until they have results.
const AWAITED: usize = 64;

/// The files of a session, ordered by the first call that names each.
#[derive(Clone, Debug, Default)]
pub struct FileHistory {
    /// Each file once, ordered by the first call that names it.
    pub files: Vec<ChangedFile>,
    /// Index of each file by its path.
    numbers: HashMap<String, usize>,
    /// Calls that have been read.
    calls: usize,
    records: ResultRecords,
}

/// A file that a session reads or changes.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// Its path: relative to the working directory of the session if it is below it, else as the calls name it.
    pub path: String,
    /// The calls that read or change it, in file order.
    pub touches: Vec<FileTouch>,
    contents: Contents,
}

/// A call that reads or changes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTouch {
    /// Number of the call among the items.
    pub item: usize,
    /// The effect on the file.
    pub kind: TouchKind,
    /// True if the call failed, so that it changed nothing.
    pub failed: bool,
    /// Lines added and removed; if the text is not known, lines of the replaced parts alone.
    pub lines: LineCounts,
}

/// The effect of a call on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TouchKind {
    /// The call shows the text and leaves it unchanged.
    Read,
    /// The whole text is written.
    Write,
    /// Parts are replaced, inserted or appended.
    Edit,
    /// The file is removed; a later call may write it again.
    Delete,
    /// The file gets another path.
    Move,
}

impl TouchKind {
    /// The word for it in lists and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
        }
    }
}

/// The change of a file over a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSum<'a> {
    /// The text before the first change and after the last one. `None`: there is no file.
    Known {
        /// The text before the first change; `None` for a new file.
        before: Option<&'a str>,
        /// The text after the last change; `None` for a deleted file.
        after: Option<&'a str>,
    },
    /// The session does not show the whole text: the old and the new text of each edit, in order.
    Parts(Vec<(&'a str, &'a str)>),
}

impl FileHistory {
    /// The files of all conversations of a session. Withdrawn calls and abandoned messages do not count.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        let mut history = Self::default();
        while history.is_behind(session) {
            history.advance(session);
        }
        history
    }

    /// True if there are calls to read. Of a session that is not complete, the last calls are read once they have results.
    #[must_use]
    pub fn is_behind(&self, session: &Session) -> bool {
        self.calls < settled_calls(session)
    }

    /// Reads some of the next calls.
    pub fn advance(&mut self, session: &Session) {
        let document = session.document();
        let (calls, bytes) = STEP;
        let mut length = 0;
        let next = document.calls().take(settled_calls(session)).skip(self.calls).take(calls);
        for item in next {
            self.calls += 1;
            let Some(call) = document.call(item) else { continue };
            if !document.is_withdrawn(item) && !document.is_abandoned(document.message_at(call.span.start)) {
                self.read_call(session, item, &call);
            }
            length += call.span.len();
            if length >= bytes {
                break;
            }
        }
    }

    fn read_call(&mut self, session: &Session, item: usize, call: &Call<'_>) {
        let (document, text) = (session.document(), session.text());
        let Some(assembly) = session.dissect(item).filter(|assembly| assembly.error.is_none()) else { return };
        let changed = changes(&call.name(text), &to_json(&assembly.tree, text));
        if changed.is_empty() {
            return;
        }
        let result = document.answer_of(item).and_then(|result| document.items().span(result));
        let failed = call.has_failed();
        let shows_texts = result.filter(|_| !failed && changed.len() == 1);
        let id = call.id(text);
        let recorded = shows_texts.map(|span| self.records.texts(session, span, &id)).unwrap_or_default();
        for (path, change) in changed {
            let number = self.number_of(session, &path);
            let contents = &mut self.files[number].contents;
            match &recorded.before {
                TextBefore::Known(text) => contents.observe(text),
                TextBefore::Absent => contents.observe_absence(),
                TextBefore::Unknown => {}
            }
            let lines = if failed { LineCounts::default() } else { contents.apply(&change) };
            let shown = recorded.after.clone().or_else(|| {
                let span = result.filter(|_| !failed && change == TextChange::Read { whole: true })?;
                recorded_text::of_result(&text.read_str(span))
            });
            if let Some(shown) = shown {
                contents.observe(&shown);
            }
            self.files[number].touches.push(FileTouch { item, kind: kind_of(&change), failed, lines });
            if let (TextChange::Move(target, _), false) = (&change, failed) {
                self.rename(session, number, target);
            }
        }
    }

    /// The files whose path is `path`, or ends with its components.
    #[must_use]
    pub fn named(&self, path: &str) -> Vec<&ChangedFile> {
        let path = path.trim_start_matches("./");
        let exact: Vec<_> = self.files.iter().filter(|file| file.path == path).collect();
        if !exact.is_empty() {
            return exact;
        }
        let ends = |file: &&ChangedFile| file.path.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
        self.files.iter().filter(ends).collect()
    }

    fn number_of(&mut self, session: &Session, path: &str) -> usize {
        let directory = session.document().session_info().directory.as_deref();
        let path = shortened(path, directory.unwrap_or_default());
        *self.numbers.entry(path.clone()).or_insert_with(|| {
            self.files.push(ChangedFile { path, touches: Vec::new(), contents: Contents::default() });
            self.files.len() - 1
        })
    }

    /// The text continues under another path, as a new file; the file of the old one is deleted.
    fn rename(&mut self, session: &Session, number: usize, target: &str) {
        let text = self.files[number].contents.now.clone();
        let touch = self.files[number].touches.last().copied();
        self.files[number].contents.apply(&TextChange::Delete);
        let target = self.number_of(session, target);
        let file = &mut self.files[target];
        match text {
            Some(text) => file.contents.apply(&TextChange::Write(text)),
            None => file.contents.apply(&TextChange::Unclear),
        };
        file.touches.extend(touch.map(|touch| FileTouch { lines: LineCounts::default(), ..touch }));
    }
}

/// Number of the first calls whose outcome is known.
fn settled_calls(session: &Session) -> usize {
    let document = session.document();
    let all = document.calls().len();
    if session.is_finished() {
        return all;
    }
    let mut last = document.calls().enumerate().skip(all.saturating_sub(AWAITED));
    last.find(|&(_, item)| document.answer_of(item).is_none()).map_or(all, |(number, _)| number)
}

impl ChangedFile {
    /// True if a call that did not fail changed it.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.touches.iter().any(|touch| !touch.failed && touch.kind != TouchKind::Read)
    }

    /// Lines added and removed by all calls: a line that is changed twice counts twice.
    #[must_use]
    pub fn lines(&self) -> LineCounts {
        self.touches.iter().fold(LineCounts::default(), |sum, touch| LineCounts {
            added: sum.added + touch.lines.added,
            removed: sum.removed + touch.lines.removed,
        })
    }

    /// Times that the session shows another text than its calls have made: something else changed the file.
    #[must_use]
    pub fn changed_outside(&self) -> usize {
        self.contents.outside
    }

    /// The change from the first call to the last one.
    #[must_use]
    pub fn sum(&self) -> FileSum<'_> {
        let contents = &self.contents;
        let before = contents.before.as_deref();
        match (&contents.now, contents.is_deleted) {
            (Some(now), _) if before.is_some() || contents.is_new => FileSum::Known { before, after: Some(now) },
            (_, true) if before.is_some() => FileSum::Known { before, after: None },
            _ => FileSum::Parts(contents.loose.iter().map(|one: &Replacement| (&*one.old, &*one.new)).collect()),
        }
    }
}

fn kind_of(change: &TextChange) -> TouchKind {
    match change {
        TextChange::Read { .. } => TouchKind::Read,
        TextChange::Write(_) => TouchKind::Write,
        TextChange::Append(_) | TextChange::Replace(_) | TextChange::Insert(..) | TextChange::Unclear => {
            TouchKind::Edit
        }
        TextChange::Delete => TouchKind::Delete,
        TextChange::Move(..) => TouchKind::Move,
    }
}

/// A path relative to a directory if it is below it; without `.` and, where possible, `..`.
fn shortened(path: &str, directory: &str) -> String {
    let directory = directory.trim_end_matches(['/', '\\']);
    // Windows accepts both separators.
    let windows = path.get(1..3) == Some(":\\");
    let (path, directory) = if windows {
        (path.replace('\\', "/"), directory.replace('\\', "/"))
    } else {
        (path.to_owned(), directory.to_owned())
    };
    let below = path.strip_prefix(&*directory).filter(|_| !directory.is_empty());
    let path = below.and_then(|rest| rest.strip_prefix('/')).unwrap_or(&path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            "" if !parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of Claude Code with a call for each pair of a tool and its input, each with a result.
    fn log(calls: &[(&str, &str, &str)]) -> String {
        let mut lines = String::new();
        for (number, (name, input, result)) in calls.iter().enumerate() {
            let call = format!(
                r#"{{"type":"assistant","sessionId":"s","uuid":"a{number}","cwd":"/p","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"t{number}","name":"{name}","input":{input}}}]}}}}"#
            );
            let answer = format!(
                r#"{{"type":"user","sessionId":"s","uuid":"u{number}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{number}",{result}}}]}}}}"#
            );
            lines.extend([&*call, "\n", &*answer, "\n"]);
        }
        lines
    }

    #[test]
    fn files_have_their_calls_and_the_sum_of_their_changes() {
        let done = r#""content":"done""#;
        let failed = r#""content":"no such text","is_error":true"#;
        let read = r#""content":"     1→one\n     2→two\n""#;
        let edit =
            |old: &str, new: &str| format!(r#"{{"file_path":"/p/src/a","old_string":"{old}","new_string":"{new}"}}"#);
        let path = r#"{"file_path":"/p/src/a"}"#;
        for (calls, expected) in [
            (
                vec![("Read", path, read), ("Edit", &edit("one", "1"), done), ("Edit", &edit("two", "2"), failed)],
                r#"src/a read edit+1-1 edit!: Known { before: Some("one\ntwo\n"), after: Some("1\ntwo\n") }"#,
            ),
            (vec![("Edit", &edit("one", "1"), done)], r#"src/a edit+1-1: Parts([("one", "1")])"#),
            (
                vec![
                    ("Write", r#"{"file_path":"/q/b","content":"x"}"#, done),
                    ("Write", r#"{"file_path":"./c","content":""}"#, done),
                ],
                r#"/q/b write+1-0: Known { before: None, after: Some("x") }; c write+0-0: Known { before: None, after: Some("") }"#,
            ),
            (
                vec![("Read", path, read), ("rename_file", r#"{"path":"src/a","new_path":"src/b"}"#, done)],
                r#"src/a read move+0-0: Known { before: Some("one\ntwo\n"), after: None }; src/b move+0-0: Known { before: None, after: Some("one\ntwo\n") }"#,
            ),
            (vec![("Grep", r#"{"pattern":"x","path":"src"}"#, done)], ""),
        ] {
            let history = FileHistory::new(&Session::from_bytes(log(&calls).as_bytes()));
            let shown = |file: &ChangedFile| {
                let touches = file.touches.iter().map(|touch| match (touch.failed, touch.kind) {
                    (true, kind) => format!(" {}!", kind.word()),
                    (_, TouchKind::Read) => " read".to_owned(),
                    (_, kind) => format!(" {}+{}-{}", kind.word(), touch.lines.added, touch.lines.removed),
                });
                format!("{}{}: {:?}", file.path, touches.collect::<String>(), file.sum())
            };
            let all: Vec<String> = history.files.iter().map(shown).collect();
            assert_eq!(all.join("; "), expected);
        }
    }

    #[test]
    fn a_path_is_relative_to_the_directory_of_the_session() {
        for (directory, path, expected) in [
            ("/p", "/p/src/a", "src/a"),
            ("/p/", "/p/src/../a", "a"),
            ("/p", "/pq/a", "/pq/a"),
            ("/p", "./src//a", "src/a"),
            ("/p", "../a", "../a"),
            (r"C:\p", r"C:\p\src\a", "src/a"),
            ("", "/p/a", "/p/a"),
        ] {
            assert_eq!(shortened(path, directory), expected, "{directory} {path}");
        }
    }
}
