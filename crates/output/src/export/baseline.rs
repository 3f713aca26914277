//! Known problems: an earlier output of `check --format json`, compared with the current problems to find new and fixed
//! ones.
//!
//! A problem is identified by its code, the file name, the tool, and the text of its line, so that it may move to
//! another line.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::diagnostic::{Diagnostic, Edit, Help, Related};
use crate::filter::Selection;
use crate::redact::Redactor;
use crate::session::Session;
use crate::text::{Span, trim};
use crate::wording::problems;

/// Maximum number of bytes of its line before a problem that identify it; twice as many are used after its start.
const AROUND: usize = 128;

/// Identifies a problem across moves: equal for equal problems in equal text. Written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of a problem in the file at this path; only the file name counts.
    pub fn new(path: &str, session: &Session, problem: &Diagnostic) -> Self {
        let tool = problem.item.and_then(|item| session.document().call(item)).map(|call| call.name(session.text()));
        let (text, span) = match problem.source {
            Some(span) => (session.file(), span),
            None => (session.text(), problem.span),
        };
        let from = span.start.saturating_sub(AROUND);
        let window = text.read(Span::new(from, (span.start + 2 * AROUND).min(text.len())));
        let (before, rest) = window.split_at((span.start - from).min(window.len()));
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let end = rest.iter().position(|&byte| byte == b'\n').map_or(window.len(), |feed| before.len() + feed);
        let line = trim(&window[start..end], 0);
        let words = &window[start + line.start..start + line.end];
        let mut hash = Sha256::new();
        for part in
            [problem.code.name().as_bytes(), file_name(path).as_bytes(), tool.unwrap_or_default().as_bytes(), words]
        {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let first = hash.finalize().iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
        Self(first)
    }

    fn parse(digits: &str) -> Option<Self> {
        u64::from_str_radix(digits, 16).ok().map(Self)
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Replaces every known secret in the text of a problem.
fn clean_problem(problem: &Diagnostic, redactor: &Redactor) -> Diagnostic {
    let words = |text: &String| redactor.clean(text).into_owned();
    let related = |one: &Related| Related { message: words(&one.message), ..one.clone() };
    Diagnostic {
        message: words(&problem.message),
        expected: problem.expected.as_ref().map(words),
        found: problem.found.as_ref().map(words),
        help: match &problem.help {
            Help::OfPlace(help) => Help::OfPlace(words(help)),
            help => help.clone(),
        },
        remedy: problem.remedy.as_ref().map(|edit| Edit { with: words(&edit.with), ..edit.clone() }),
        related: problem.related.iter().map(related).collect(),
        ..problem.clone()
    }
}

/// The problems of an earlier check.
#[derive(Default)]
pub struct Baseline {
    problems: Vec<KnownProblem>,
    /// Problems by fingerprint that have not been found again, in reverse order.
    left: HashMap<Fingerprint, Vec<usize>>,
    /// Names of the files checked so far.
    files: HashSet<String>,
    known: usize,
    new: usize,
}

/// A problem in the output of an earlier check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownProblem {
    /// Path of the file, as given then.
    pub path: String,
    /// Name of its code.
    pub code: String,
    /// Its message.
    pub message: String,
    /// Line number in the file, from 1.
    pub line: usize,
    /// Its [`Fingerprint`], as text.
    pub(crate) fingerprint: String,
    /// All other fields, preserved.
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Deserialize)]
struct Checked {
    diagnostics: Vec<KnownProblem>,
}

impl Baseline {
    /// Parses the output of `check --format json`.
    ///
    /// # Errors
    /// If the input is something else; the error is a message.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let checked: Checked = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let mut baseline = Self { problems: checked.diagnostics, ..Self::default() };
        for (number, problem) in baseline.problems.iter().enumerate().rev() {
            let fingerprint = Fingerprint::parse(&problem.fingerprint)
                .ok_or_else(|| format!("{:?} is not a fingerprint", problem.fingerprint))?;
            baseline.left.entry(fingerprint).or_default().push(number);
        }
        Ok(baseline)
    }

    /// Returns, for each problem of a file, true if it is known. Of several equal problems, only as many are known as
    /// there were before.
    pub fn recognise(&mut self, path: &str, session: &Session, selection: Option<&Selection>) -> Vec<bool> {
        self.files.insert(file_name(path).to_owned());
        let found = problems(session, selection).map(|problem| {
            let fingerprint = Fingerprint::new(path, session, &problem);
            self.left.get_mut(&fingerprint).and_then(Vec::pop).is_some()
        });
        let known: Vec<bool> = found.collect();
        let count = known.iter().filter(|known| **known).count();
        self.known += count;
        self.new += known.len() - count;
        known
    }

    /// Known problems that were not found again in the checked files, in their original order.
    pub fn gone(&self) -> Vec<&KnownProblem> {
        let mut numbers: Vec<usize> = self.left.values().flatten().copied().collect();
        numbers.sort_unstable();
        let gone = numbers.into_iter().map(|number| &self.problems[number]);
        gone.filter(|problem| self.files.contains(file_name(&problem.path))).collect()
    }

    /// Number of known, new and gone problems.
    pub fn counts(&self) -> StateCounts {
        StateCounts { known: self.known, new: self.new, gone: self.gone().len() }
    }
}

/// A checked transcript, with the state of its problems.
#[derive(Clone, Copy)]
pub struct CheckedFile<'a> {
    /// Displayed path of the file.
    pub path: &'a str,
    /// The session, read to the end.
    pub session: &'a Session,
    /// Limits the problems to selected items.
    pub selection: Option<&'a Selection>,
    /// Known state of each problem; `None` without a baseline.
    pub known: Option<&'a [bool]>,
    /// Replaces secrets in the messages of its problems.
    pub redactor: Option<&'a Redactor>,
    /// Members that JSON has of a problem in addition to the usual ones.
    pub details: Option<&'a ProblemDetails>,
}

/// Further members of problems in JSON: `probe`, `runtimes`, …
pub type ProblemDetails = HashMap<Diagnostic, Map<String, Value>>;

impl<'a> CheckedFile<'a> {
    /// True if the file has records of an unknown format, so that no session was checked.
    pub fn has_unknown_format(&self) -> bool {
        self.session.choice().is_some_and(|choice| choice.is_unknown())
    }

    /// The problems in text order, each with its known state if there is a baseline.
    pub fn iter(self) -> impl Iterator<Item = (Diagnostic, Option<bool>)> + 'a {
        let known = move |number: usize| self.known.map(|known| known[number]);
        problems(self.session, self.selection).enumerate().map(move |(number, problem)| {
            let clean = |redactor: &Redactor| clean_problem(&problem, redactor);
            (self.redactor.map_or_else(|| problem.clone(), clean), known(number))
        })
    }
}

/// Number of known, new and gone problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateCounts {
    /// Problems of the earlier check that still exist.
    pub known: usize,
    /// Problems that the earlier check does not have.
    pub new: usize,
    /// Problems that only the earlier check has.
    pub gone: usize,
}

impl std::fmt::Display for StateCounts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} known, {} new, {} gone", self.known, self.new, self.gone)
    }
}
