//! What a text should have been: the smallest change that removes a problem, tried before it is offered.
//!
//! A kind of problem has candidates (`repair/candidates`): edits that its page advises, or that the problem itself words. Each is
//! made on a copy of the text, which is read again; one counts only if the problem is gone and no other problem has come.
//! A file is never written to. This module does not know who asks.

mod candidates;

use std::collections::BTreeMap;

use crate::container::Container;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

/// Bytes of the largest text of which copies are read.
const LARGEST: usize = 4 << 20;

/// Candidates that are tried.
const MOST: usize = 24;

/// A stretch of a text, and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The stretch; empty to put something in.
    pub span: Span,
    /// What is to stand there; empty to take it out.
    pub with: String,
}

/// A change that removes a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What is done, in a few words.
    pub what: &'static str,
    /// The edits, in the order of the text; none touches another.
    pub edits: Vec<Edit>,
}

/// A line of a change as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It stays.
    Same(String),
    /// It goes.
    Removed(String),
    /// It comes.
    Added(String),
}

impl Repair {
    fn new(what: &'static str, span: Span, with: impl Into<String>) -> Self {
        Self { what, edits: vec![Edit { span, with: with.into() }] }
    }

    /// The one edit that makes a text of another.
    fn between(what: &'static str, before: &[u8], after: &[u8]) -> Self {
        let is_edge = |text: &[u8], at: usize| text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
        let mut head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        while !is_edge(before, head) || !is_edge(after, head) {
            head -= 1;
        }
        let most = before.len().min(after.len()) - head;
        let pairs = before.iter().rev().zip(after.iter().rev()).take(most);
        let mut tail = pairs.take_while(|(a, b)| a == b).count();
        while !is_edge(before, before.len() - tail) || !is_edge(after, after.len() - tail) {
            tail -= 1;
        }
        let with = String::from_utf8_lossy(&after[head..after.len() - tail]);
        Self::new(what, Span::new(head, before.len() - tail), with)
    }

    /// The text with the change made.
    pub fn applied(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + 64);
        let mut at = 0;
        for edit in &self.edits {
            out.extend_from_slice(&text[at..edit.span.start.clamp(at, text.len())]);
            out.extend_from_slice(edit.with.as_bytes());
            at = edit.span.end.clamp(at, text.len());
        }
        out.extend_from_slice(&text[at..]);
        out
    }

    /// All that the edits reach over.
    pub fn span(&self) -> Span {
        let spans = self.edits.iter().map(|edit| edit.span);
        spans.reduce(Span::cover).unwrap_or_default()
    }

    /// The lines that change, each with the line in front of it and behind it.
    pub fn lines(&self, session: &Session) -> Vec<Changed> {
        let (text, lines) = (session.text(), session.lines());
        let span = self.span();
        let first = lines.line_at(text, span.start).saturating_sub(1);
        let last = (lines.line_at(text, span.end) + 1).min(lines.count().saturating_sub(1));
        let start = lines.span_of(text, first).start;
        let end = lines.span_of(text, last).end.max(span.end);
        let before = text.read(Span::new(start, end)).into_owned();
        let moved = |edit: &Edit| Edit {
            span: Span::new(edit.span.start - start, edit.span.end - start),
            with: edit.with.clone(),
        };
        let after = Self { what: self.what, edits: self.edits.iter().map(moved).collect() }.applied(&before);
        difference(&String::from_utf8_lossy(&before), &String::from_utf8_lossy(&after))
    }
}

/// Lines that two texts do not share, between those at their ends that they do.
fn difference(before: &str, after: &str) -> Vec<Changed> {
    let before: Vec<&str> = before.split('\n').collect();
    let after: Vec<&str> = after.split('\n').collect();
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let same = |line: &&str| Changed::Same((*line).to_owned());
    let mut out: Vec<Changed> = before[..head].iter().map(same).collect();
    out.extend(before[head..before.len() - tail].iter().map(|line| Changed::Removed((*line).to_owned())));
    out.extend(after[head..after.len() - tail].iter().map(|line| Changed::Added((*line).to_owned())));
    out.extend(before[before.len() - tail..].iter().map(same));
    out
}

/// A change that removes a problem of a plain text, if one is known that does no harm.
pub fn repair(session: &Session, options: &Options, problem: &Diagnostic) -> Option<Repair> {
    if session.is_decoded() || session.text().len() > LARGEST || problem.source.is_some() {
        return None;
    }
    let text = session.text().read(Span::new(0, session.text().len()));
    let before = tally(session);
    let mut best: Option<(usize, Repair)> = None;
    let mut half = Vec::new();
    for repair in candidates(session, options, problem) {
        let tried = read(&repair.applied(&text), options)?;
        match judge(&tried, problem, &before) {
            Judged::Good(left) if best.as_ref().is_none_or(|(least, _)| left < *least) => best = Some((left, repair)),
            Judged::Half(next) => half.push((repair, tried, next)),
            Judged::Good(_) | Judged::Bad => {}
        }
    }
    // What becomes a call by the change may lack something else, its end as a rule.
    let second =
        || half.into_iter().find_map(|(repair, tried, next)| second(&text, &repair, &tried, options, &next, &before));
    best.map(|(_, repair)| repair).or_else(second)
}

/// A second change that removes the problem which the first one has brought; both as one.
fn second(
    text: &[u8],
    first: &Repair,
    session: &Session,
    options: &Options,
    problem: &Diagnostic,
    before: &Tally,
) -> Option<Repair> {
    let halfway = session.text().read(Span::new(0, session.text().len()));
    candidates(session, options, problem).find_map(|repair| {
        let after = repair.applied(&halfway);
        let tally = tally(&read(&after, options)?);
        is_harmless(&tally, before).then(|| Repair::between(first.what, text, &after))
    })
}

fn candidates(session: &Session, options: &Options, problem: &Diagnostic) -> impl Iterator<Item = Repair> {
    let found = candidates::of(session, options, problem);
    found.into_iter().take(MOST).filter(|repair| !repair.edits.is_empty())
}

/// A plain text read with these options.
fn read(text: &[u8], options: &Options) -> Option<Session> {
    let mut session = Session::new(Container::plain(), options).ok()?;
    session.push(text);
    session.finish();
    Some(session)
}

/// How many problems there are of each kind.
type Tally = BTreeMap<(Code, Severity), usize>;

fn tally(session: &Session) -> Tally {
    let mut tally = Tally::new();
    for brief in session.document().diagnostics().briefs() {
        *tally.entry((brief.code, brief.severity)).or_default() += 1;
    }
    tally
}

/// What a change has led to.
enum Judged {
    /// The problem is gone, and no other has come; so many are left.
    Good(usize),
    /// The problem is gone, and this one has come.
    Half(Diagnostic),
    /// The problem is still there, or too much has come.
    Bad,
}

fn judge(session: &Session, problem: &Diagnostic, before: &Tally) -> Judged {
    let after = tally(session);
    let own = (problem.code, problem.severity);
    if count(&after, own) >= count(before, own) {
        return Judged::Bad;
    }
    if is_harmless(&after, before) {
        return Judged::Good(after.values().sum());
    }
    let new =
        |found: &Diagnostic| count(&after, (found.code, found.severity)) > count(before, (found.code, found.severity));
    let mut new = session.document().diagnostics().iter().filter(new);
    match (new.next(), new.next()) {
        (Some(one), None) => Judged::Half(one),
        _ => Judged::Bad,
    }
}

fn count(tally: &Tally, key: (Code, Severity)) -> usize {
    tally.get(&key).copied().unwrap_or_default()
}

fn is_harmless(after: &Tally, before: &Tally) -> bool {
    after.iter().all(|(&key, &found)| found <= count(before, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first problem of a kind, repaired.
    #[track_caller]
    fn check(code: Code, broken: &str, repaired: &str) {
        let session = Session::of(broken.as_bytes());
        let problem = session.document().diagnostics().iter().find(|problem| problem.code == code);
        let problem = problem.unwrap_or_else(|| panic!("{broken:?} has no {}", code.name()));
        let found = repair(&session, &Options::default(), &problem);
        let text = found.map(|repair| String::from_utf8_lossy(&repair.applied(broken.as_bytes())).into_owned());
        assert_eq!(text.as_deref(), Some(repaired), "{broken:?}");
    }

    #[test]
    fn what_is_meant_is_put_in_the_place_of_what_is_there() {
        let call = |body: &str| format!("!!!GADGET_START:Do:a\n{body}!!!GADGET_END\n");
        check(Code::ArrayGap, &call("!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n"), &call("!!!ARG:x/0\n1\n!!!ARG:x/1\n2\n"));
        check(Code::DuplicatePointer, &call("!!!ARG:x\n1\n!!!ARG:x\n2\n"), &call("!!!ARG:x\n1\n"));
        check(Code::UnterminatedCall, "!!!GADGET_START:Do:a\n!!!ARG:x\n1\n", &call("!!!ARG:x\n1\n"));
        check(
            Code::ImplicitEnd,
            "!!!GADGET_START:Do:b\n!!!ARG:x\n1\n!!!GADGET_START:Do:a\n!!!GADGET_END\n",
            &format!("!!!GADGET_START:Do:b\n!!!ARG:x\n1\n!!!GADGET_END\n{}", call("")),
        );
    }

    #[test]
    fn every_bad_example_that_can_be_repaired_is_repaired_and_nothing_else_changes() {
        let mut repaired = Vec::new();
        for code in Code::ALL {
            let broken = code.page().bad_bytes();
            let session = Session::of(broken);
            for problem in session.document().diagnostics().iter().filter(|problem| problem.code == code) {
                let Some(repair) = repair(&session, &Options::default(), &problem) else { continue };
                let text = repair.applied(broken);
                let after = tally(&Session::of(&text));
                let before = tally(&session);
                for (key, count) in &after {
                    assert!(before.get(key) >= Some(count), "{}: {key:?} has come", code.name());
                }
                // What is not edited stays as it was.
                let kept: usize = broken.len() - repair.edits.iter().map(|edit| edit.span.len()).sum::<usize>();
                let added: usize = repair.edits.iter().map(|edit| edit.with.len()).sum();
                assert_eq!(text.len(), kept + added, "{}", code.name());
                assert!(!repair.lines(&session).is_empty());
                repaired.push(code.name());
            }
        }
        repaired.dedup();
        let expected = [
            "duplicate-pointer",
            "array-gap",
            "near-miss-marker",
            "implicit-end",
            "unterminated-call",
            "stray-end",
            "broken-json",
            "yaml-duplicate-key",
            "unclosed-parameter",
            "carriage-return-kept",
        ];
        let missing: Vec<&&str> = expected.iter().filter(|name| !repaired.contains(name)).collect();
        assert!(missing.is_empty(), "no repair of {missing:?}; there are {repaired:?}");
    }
}
