//! Problems that are known already: an earlier output of `check --format json`, and what is new or gone since.
//!
//! A problem is recognised by what it is and what stands there (its code, the name of the file, the tool, the text of
//! its line), so that it may move to another line.

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

/// The most bytes of its line in front of a problem that tell it from another one; behind its beginning they are twice as
/// many.
const AROUND: usize = 128;

/// What a problem is recognised by where it has moved: the same for the same problem in the same words. Written as 16
/// digits of base 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// That of a problem of a file with this path, of which the last name counts.
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

/// A problem with every known secret replaced in its words.
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
    /// Those of each fingerprint that have not been found again, the last one first.
    left: HashMap<Fingerprint, Vec<usize>>,
    /// The names of the files that have been looked at.
    files: HashSet<String>,
    known: usize,
    new: usize,
}

/// A problem of an earlier check, as it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownProblem {
    /// The file, as it was called.
    pub path: String,
    /// The name of its kind.
    pub code: String,
    /// What was said of it.
    pub message: String,
    /// The line of the file where it was, from 1.
    pub line: usize,
    /// What it is recognised by.
    pub fingerprint: String,
    /// Whatever else there is.
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Deserialize)]
struct Checked {
    diagnostics: Vec<KnownProblem>,
}

impl Baseline {
    /// Reads what `check --format json` wrote.
    ///
    /// # Errors
    /// It is something else, as the error says.
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

    /// Which of the problems of a file are known, in their order. Of several that are alike as many are known as there
    /// were before.
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

    /// What has not been found again in the files that were looked at, in the order in which it was written.
    pub fn gone(&self) -> Vec<&KnownProblem> {
        let mut numbers: Vec<usize> = self.left.values().flatten().copied().collect();
        numbers.sort_unstable();
        let gone = numbers.into_iter().map(|number| &self.problems[number]);
        gone.filter(|problem| self.files.contains(file_name(&problem.path))).collect()
    }

    /// How many problems there are of each state.
    pub fn counts(&self) -> StateCounts {
        StateCounts { known: self.known, new: self.new, gone: self.gone().len() }
    }
}

/// A transcript that was checked, with what is said of its problems.
#[derive(Clone, Copy)]
pub struct CheckedFile<'a> {
    /// What the file is called.
    pub path: &'a str,
    /// What was read of it, to its end.
    pub session: &'a Session,
    /// Whose problems are meant, if not those of all items.
    pub selection: Option<&'a Selection>,
    /// Which of the problems are known already, where that was asked for.
    pub known: Option<&'a [bool]>,
    /// Replaces secrets in the messages of its problems.
    pub redactor: Option<&'a Redactor>,
}

impl<'a> CheckedFile<'a> {
    /// True for records of no known container, whose session was not checked.
    pub fn has_unknown_format(&self) -> bool {
        self.session.choice().is_some_and(|choice| choice.is_unknown())
    }

    /// The problems in the order of the text, each with whether it is known already, where that was asked for.
    pub fn iter(self) -> impl Iterator<Item = (Diagnostic, Option<bool>)> + 'a {
        let known = move |number: usize| self.known.map(|known| known[number]);
        problems(self.session, self.selection).enumerate().map(move |(number, problem)| {
            let clean = |redactor: &Redactor| clean_problem(&problem, redactor);
            (self.redactor.map_or_else(|| problem.clone(), clean), known(number))
        })
    }
}

/// How many problems are known, new and gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateCounts {
    /// Those of the earlier check that are still there.
    pub known: usize,
    /// Those that it does not have.
    pub new: usize,
    /// Those that only it has.
    pub gone: usize,
}

impl std::fmt::Display for StateCounts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} known, {} new, {} gone", self.known, self.new, self.gone)
    }
}
