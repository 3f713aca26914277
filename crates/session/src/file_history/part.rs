//! The changes of a part of a session, such as some turns: from the text before its first call to the text after its last.

use super::FileHistory;
use super::contents::Contents;
use crate::filter::Selection;
use crate::session::Session;

impl FileHistory {
    /// The files of the calls from the first selected one to the last. Earlier calls tell the texts before them.
    #[must_use]
    pub fn of_part(session: &Session, part: &Selection) -> Self {
        let document = session.document();
        let mut selected = document.calls().filter(|item| part.contains(*item));
        let Some(first) = selected.next() else { return Self::default() };
        let last = selected.next_back().unwrap_or(first);
        let mut history = Self::default();
        for item in document.calls().take_while(|item| *item <= last) {
            if item == first {
                history.forget_changes();
            }
            let Some(call) = document.call(item) else { continue };
            if !document.is_withdrawn(item) && !document.is_abandoned(document.message_at(call.span.start)) {
                history.read_call(session, item, &call);
            }
        }
        history.files.retain(|file| !file.touches.is_empty());
        history
    }

    /// Begins again with the texts that are known now.
    fn forget_changes(&mut self) {
        for file in &mut self.files {
            file.touches.clear();
            file.contents.begin_again();
        }
    }
}

impl Contents {
    /// Counts the text that is known now as the one before the first change.
    fn begin_again(&mut self) {
        let now = self.now.take();
        let is_absent = now.is_none() && (self.is_deleted || (self.is_new && !self.has_changed));
        *self = Self { before: now.clone(), now, is_new: is_absent, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_history::{ChangedFile, FileSum};
    use crate::filter::Filter;

    /// A session of Gemini CLI with a turn for each list of calls: file, text before, text after.
    fn session(turns: &[&[(&str, &str, &str)]]) -> Session {
        let mut lines =
            vec![r#"{"sessionId":"s","projectHash":"h","startTime":"2026-02-11T08:00:00Z","kind":"main"}"#.to_owned()];
        for (turn, calls) in turns.iter().enumerate() {
            lines.push(format!(
                r#"{{"id":"u{turn}","timestamp":"2026-02-11T08:0{turn}:00Z","type":"user","content":[{{"text":"more"}}]}}"#
            ));
            for (number, (path, before, after)) in calls.iter().enumerate() {
                let id = format!("c{turn}{number}");
                lines.push(format!(
                    r#"{{"id":"g{id}","timestamp":"2026-02-11T08:0{turn}:05Z","type":"gemini","content":"","toolCalls":[{{"id":"{id}","name":"replace","args":{{"file_path":"{path}","old_string":"?","new_string":"!"}},"status":"success","result":[{{"functionResponse":{{"id":"{id}","name":"replace","response":{{"output":"done"}}}}}}],"resultDisplay":{{"fileDiff":"@@","fileName":"{path}","originalContent":{before},"newContent":{after}}}}}]}}"#
                ));
            }
        }
        Session::from_bytes((lines.join("\n") + "\n").as_bytes())
    }

    #[test]
    fn a_part_has_the_changes_of_its_turns_alone() {
        let session = session(&[
            &[("a", r#""1""#, r#""2""#), ("b", "null", r#""new""#)],
            &[("a", r#""2""#, r#""3""#)],
            &[("a", r#""3""#, r#""4""#), ("b", r#""new""#, r#""newer""#)],
        ]);
        for (filter, expected) in [
            ("turn:1", "a 1-2, b none-new"),
            ("turn:2", "a 2-3"),
            ("turn:2-3", "a 2-4, b new-newer"),
            ("turn:1-3", "a 1-4, b none-newer"),
            ("turn:9", ""),
        ] {
            let part = Selection::new(&Filter::parse(filter).expect("it is a filter"), &session);
            let shown = |file: &ChangedFile| match file.sum() {
                FileSum::Known { before, after } => {
                    format!("{} {}-{}", file.path, before.unwrap_or("none"), after.unwrap_or("none"))
                }
                parts @ FileSum::Parts(_) => format!("{} {parts:?}", file.path),
            };
            let files: Vec<String> = FileHistory::of_part(&session, &part).files.iter().map(shown).collect();
            assert_eq!(files.join(", "), expected, "{filter}");
        }
    }
}
