//! Finds calls and problems of a corpus that are copies: of a duplicated file, or of a session that was resumed or
//! forked into a separate file.
//!
//! The first file with the content counts, in the order of processing. Files are compared by their hashes; calls by
//! their ids if these are random, together with the tool and the size of the arguments. An id such as `call_1` is not
//! unique beyond its file. The result is independent of how files are read.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::counts::Counts;
use super::reader::empty_hash;
use super::rows::{RowBatch, Summary};
use super::tables::{CallRow, SessionRow};

/// Maximum number of calls remembered, some 20 bytes each; copies of further ones are not found.
const MOST: usize = 4_000_000;

/// Minimum length of a run of letters and digits in a random id: the last group of a UUID has 12.
const RANDOM: usize = 12;

/// Files and calls seen so far, and the file being processed.
#[derive(Debug)]
pub(crate) struct Copies {
    /// Files by content hash.
    files: HashMap<Arc<str>, Arc<str>>,
    /// Number of the first file that has a call, by the call's key.
    calls: HashMap<u64, u32>,
    names: Vec<Arc<str>>,
    open: Option<OpenFile>,
    /// Hash of an empty file, which is not a copy of another one.
    empty: String,
}

/// The file being processed.
#[derive(Debug, Default)]
struct OpenFile {
    /// An earlier file with the same content.
    same: Option<Arc<str>>,
    /// The first file that has one of its copied calls.
    copy_of: Option<Arc<str>>,
    /// Numbers of the copied calls.
    numbers: HashSet<i64>,
    calls: i64,
    failures: i64,
    /// The copied calls and problems, aggregated.
    counts: Counts,
}

impl Default for Copies {
    fn default() -> Self {
        Self { files: HashMap::new(), calls: HashMap::new(), names: Vec::new(), open: None, empty: empty_hash() }
    }
}

/// Sessions counted so far.
#[derive(Debug, Default)]
pub(super) struct SeenSessions {
    ids: HashSet<Arc<str>>,
    /// Hashes of their files, since a session without an id is identified by its path.
    hashes: HashSet<Arc<str>>,
}

impl SeenSessions {
    /// Adds a file. Returns true if no earlier file belongs to the same session.
    pub(super) fn is_new(&mut self, row: &SessionRow) -> bool {
        let is_first = self.hashes.insert(Arc::clone(&row.file_hash)) || row.copy_of.is_none();
        is_first && self.ids.insert(Arc::clone(&row.session_id))
    }
}

impl Copies {
    /// Adds a file from its existing row.
    pub(crate) fn know_file(&mut self, session: &SessionRow) {
        let is_first = session.error.is_none() && *session.file_hash != *self.empty;
        if is_first && session.copy_of.as_ref().is_none_or(|_| session.copied_calls < session.calls) {
            self.files.entry(Arc::clone(&session.file_hash)).or_insert_with(|| Arc::clone(&session.file));
        }
    }

    /// Adds a call from its existing row; calls of a file must be consecutive.
    pub(crate) fn register_call(&mut self, call: &CallRow) {
        if !call.is_copy {
            let number = self.number_of(&call.file);
            self.add(call, number);
        }
    }

    /// Marks copies among rows of a file; the rows of a file must be consecutive.
    pub(crate) fn mark(&mut self, file: &Arc<str>, batch: &mut RowBatch) {
        let number = self.number_of(file);
        if self.open.is_none() {
            let same = self.files.get(&batch.file_hash).filter(|first| *first != file).cloned();
            if same.is_none() && *batch.file_hash != *self.empty {
                self.files.insert(Arc::clone(&batch.file_hash), Arc::clone(file));
            }
            self.open = Some(OpenFile { copy_of: same.clone(), same, ..OpenFile::default() });
        }
        for call in &mut batch.calls {
            let first = self.add(call, number).filter(|first| *first != number);
            let Some(open) = &mut self.open else { continue };
            call.is_copy = open.same.is_some() || first.is_some();
            if call.is_copy {
                let first = first.and_then(|first| self.names.get(first as usize)).cloned();
                open.copy_of = open.copy_of.take().or(first);
                open.numbers.insert(call.call_number);
                open.calls += 1;
                open.failures += i64::from(call.is_failure);
                open.counts.add_call(call);
            }
        }
        let Some(open) = &mut self.open else { return };
        for problem in &mut batch.problems {
            let is_about_copy = problem.call_number.is_some_and(|call| open.numbers.contains(&call));
            problem.is_copy = open.same.is_some() || is_about_copy;
            if problem.is_copy {
                open.counts.add_problem(problem);
            }
        }
    }

    /// Completes the current file: stores the numbers of copies in its row, and subtracts copies from its counts.
    pub(crate) fn finish(&mut self, summary: &mut Summary) {
        let Some(open) = self.open.take() else { return };
        summary.session.copied_calls = open.calls;
        summary.session.copied_failures = open.failures;
        summary.session.copy_of = open.copy_of;
        summary.counts.subtract(&open.counts);
    }

    /// Ends the current file without completing it.
    pub(crate) fn abandon(&mut self) {
        self.open = None;
    }

    fn number_of(&mut self, file: &Arc<str>) -> u32 {
        if self.names.last() != Some(file) {
            self.names.push(Arc::clone(file));
        }
        self.names.len() as u32 - 1
    }

    /// Adds a call. Returns the number of the file that had it first, if there is an earlier one.
    fn add(&mut self, call: &CallRow, file: u32) -> Option<u32> {
        let key = key(call)?;
        let is_full = self.calls.len() >= MOST;
        match self.calls.get(&key) {
            Some(first) => Some(*first),
            None if is_full => None,
            None => {
                self.calls.insert(key, file);
                None
            }
        }
    }
}

/// Key of a call, equal in all files that have it; `None` without a random id.
fn key(call: &CallRow) -> Option<u64> {
    if !is_random(&call.call_id) {
        return None;
    }
    let mut hash = DefaultHasher::new();
    (&call.container, &call.call_id, &call.tool, call.argument_bytes).hash(&mut hash);
    Some(hash.finish())
}

/// True if an id is unlikely to occur twice by chance: it has a long run of mixed letters and digits.
fn is_random(id: &str) -> bool {
    id.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        run.len() >= RANDOM && digits > 0 && digits < run.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_random_where_letters_and_digits_are_mixed() {
        for (id, expected) in [
            ("toolu_01FVK2CzCTh1K1nNsQWQDwLz", true),
            ("call_6Zk2SN3bTq0aR9v1", true),
            ("5b9c2f0e-33aa-4d1b-9a57-0b7e5a1f2c3d", true),
            ("call_1", false),
            ("gadget_12", false),
            ("functions.list_directory_entries:0", false),
            ("run_shell_command-1770797600000", false),
            ("", false),
        ] {
            assert_eq!(is_random(id), expected, "{id}");
        }
    }
}
