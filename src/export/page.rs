//! A transcript as blocks of text that is safe to show: for a report to share.
//!
//! Whatever comes from a file passes one place here: secrets are replaced if that is asked for, and invisible characters
//! become visible symbols. This module does not know how a report looks.

use std::borrow::Cow;
use std::ops::Range;

use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Call, CallResult, Item, Message};
use crate::filter::Selection;
use crate::params::{NodeId, ParamTree, ROOT, Value};
use crate::redact::Redactor;
use crate::session::Session;
use crate::text::colour_codes::{ColourCodes, sequences, without};
use crate::text::diff_lines::{DiffLine, diff_lines, is_diff};
use crate::text::sanitize::visible_str;
use crate::text::wrap::visible_lines;
use crate::text::{Span, Walk};

use super::labels::{WITHDRAWN, count, ending, filter_line, message_labels, problems, problems_by_item, sign};
use super::{notes, waves};

pub(super) struct ReportHeader {
    pub(super) name: String,
    /// The filter by which the report was made, and how many calls it selects.
    pub(super) filter: Option<String>,
    /// The container format, the size, how many calls and problems there are, the dialects.
    pub(super) facts: Vec<String>,
    /// Calls that failed, and what is wrong with the text, each in its order and with its title.
    pub(super) findings: [(&'static str, Vec<Problem>); 2],
    /// The dependency graph as text; empty where no call depends on another one.
    pub(super) waves: String,
    /// What was replaced, by kind, where it was looked for.
    pub(super) redacted: Option<String>,
}

/// A problem in words that are safe to show.
pub(super) struct Problem {
    /// What it is linked to by: `p` and its number in the report, or of a failed call `i` and the item that says so.
    pub(super) anchor: String,
    pub(super) severity: &'static str,
    pub(super) sign: char,
    pub(super) code: &'static str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) help: String,
}

pub(super) enum ReportBlock {
    Message(MessageHeading),
    Text(Vec<ReportLine>),
    Call(Box<CallBlock>),
    Result(ResultBlock),
    /// Reasoning, what the file withdraws, or a record that is no part of the conversation.
    Aside {
        name: String,
        lines: Vec<ReportLine>,
    },
    /// A problem of what stands above.
    Problem(Problem),
    /// A note of a person on what stands above, in a line.
    Note(String),
    /// What stands above notes whose place is gone.
    LostNotes(&'static str),
}

pub(super) struct MessageHeading {
    /// `user`, `assistant`, `system`, `tool`, or nothing.
    pub(super) role: &'static str,
    pub(super) speaker: String,
    /// The model, the time and what else the file says.
    pub(super) details: Vec<String>,
}

/// A call: its values, and the text that they come from.
pub(super) struct CallBlock {
    /// The number of its item, by which it is linked to.
    pub(super) item: usize,
    pub(super) name: String,
    pub(super) id: String,
    pub(super) dependencies: Vec<String>,
    /// How it ended, where there is something to say of that.
    pub(super) ending: Vec<&'static str>,
    pub(super) dialect: &'static str,
    /// The line of the file on which it begins, from 1.
    pub(super) line: usize,
    pub(super) values: Vec<ValueRow>,
    /// What it carries beside its parameters.
    pub(super) outcome: Vec<ValueRow>,
    pub(super) raw: Vec<ReportLine>,
    /// The item of its result.
    pub(super) result: Option<usize>,
}

pub(super) struct ValueRow {
    /// How deep it lies, from 1.
    pub(super) depth: usize,
    pub(super) key: String,
    /// Nothing for an object or array that has members.
    pub(super) value: String,
    /// The name of its type.
    pub(super) kind: &'static str,
}

impl ValueRow {
    /// Whether it has lines of its own.
    pub(super) fn is_long(&self) -> bool {
        self.value.contains('\n')
    }
}

pub(super) struct ResultBlock {
    /// The number of its item, by which it is linked to.
    pub(super) item: usize,
    /// The item of its call.
    pub(super) call: Option<usize>,
    /// The name of the call and its id.
    pub(super) name: String,
    /// How the call went, where the file says so.
    pub(super) verdict: &'static str,
    pub(super) lines: Vec<ReportLine>,
}

pub(super) struct ReportLine {
    /// Its number in the file, where the text is the file.
    pub(super) number: Option<usize>,
    /// What it is in a difference: `added`, `removed`, or nothing.
    pub(super) change: &'static str,
    /// Its pieces, each with the severity of the problem that is there.
    pub(super) pieces: Vec<(String, &'static str)>,
}

impl ReportLine {
    /// The words of the line without the marks of problems.
    fn text(&self) -> String {
        self.pieces.iter().map(|(words, _)| words.as_str()).collect()
    }
}

/// Makes the blocks of a transcript that is read to its end.
pub struct ReportPage<'a> {
    session: &'a Session,
    redactor: Option<&'a Redactor>,
    selection: Option<&'a Selection>,
}

impl<'a> ReportPage<'a> {
    /// A report on a session, or on what is selected of it; a redactor replaces secrets and private details.
    pub fn new(session: &'a Session, redactor: Option<&'a Redactor>, selection: Option<&'a Selection>) -> Self {
        Self { session, redactor, selection }
    }

    fn shows(&self, item: usize) -> bool {
        self.selection.is_none_or(|selection| selection.contains(item))
    }

    /// What it begins with; `path` is what the transcript is called.
    pub(super) fn facts(&self, path: &str) -> ReportHeader {
        let document = self.session.document();
        let container = self.session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
        let mut facts = vec![container.to_owned(), count(self.session.file().len(), "byte")];
        let outcomes = self.session.outcomes();
        facts.push(count(outcomes.calls, "call"));
        facts.extend(outcomes.told().map(|(sign, number, word)| format!("{sign} {number} {word}")));
        facts.push(count(document.errors(), "error"));
        facts.push(count(document.warnings(), "warning"));
        let dialects: Vec<&str> = document.dialects_seen().collect();
        facts.extend((!dialects.is_empty()).then(|| dialects.join(", ")));
        let mut walk = Walk::default();
        let problems = problems(self.session, self.selection).enumerate();
        let (failures, problems): (Vec<_>, Vec<_>) = problems
            .map(|(index, problem)| (problem.severity, self.problem(index + 1, &problem, &mut walk)))
            .partition(|(severity, _)| *severity == Severity::Note);
        let words = |found: Vec<(Severity, Problem)>| found.into_iter().map(|(_, problem)| problem).collect();
        let mut drawn = Vec::new();
        let graph = self.session.graph();
        if !graph.edges.is_empty() && self.selection.is_none() {
            // Writing to memory does not fail.
            drop(waves::write(&mut drawn, self.session));
        }
        ReportHeader {
            name: self.redactor.map_or_else(|| self.said(path), |redactor| self.said(&redactor.clean_name(path))),
            filter: self.selection.map(|selection| self.said(&filter_line(selection))),
            facts,
            findings: [("Failed calls", words(failures)), ("Problems", words(problems))],
            waves: self.lines_said(&String::from_utf8_lossy(&drawn)),
            redacted: self
                .redactor
                .map(Redactor::summary)
                .map(|found| if found.is_empty() { "nothing".into() } else { found }),
        }
    }

    /// Gives block after block to `give`, until that fails.
    pub(super) fn blocks<E>(&self, mut give: impl FnMut(ReportBlock) -> Result<(), E>) -> Result<(), E> {
        let document = self.session.document();
        let mut problems = problems_by_item(self.session).into_iter().peekable();
        // Problems have the numbers that the list at the beginning gave them.
        let mut numbers = vec![0; document.diagnostics().len()];
        let shown = document.order().iter().map(|&number| number as usize).filter(|&number| {
            let item = document.diagnostics().brief(number).and_then(|brief| document.item_of_problem(&brief));
            item.map_or(self.selection.is_none(), |item| self.shows(item))
        });
        for (place, number) in shown.enumerate() {
            numbers[number] = place + 1;
        }
        let mut heading = None;
        let mut messages = document.messages().iter().enumerate().peekable();
        let (mut walk, mut of_problems, mut of_notes) = (Walk::default(), Walk::default(), Walk::default());
        for (number, item) in document.items().iter().enumerate() {
            while let Some((number, message)) = messages.next_if(|(_, message)| message.start <= item.span().start) {
                let made = self.session.is_decoded().then(|| ReportBlock::Message(self.heading(number, &message)));
                if self.selection.is_some() {
                    heading = made;
                } else if let Some(made) = made {
                    give(made)?;
                }
            }
            if !self.shows(number) {
                while problems.next_if(|(item, _)| *item == number).is_some() {}
                continue;
            }
            if let Some(made) = heading.take() {
                give(made)?;
            }
            let mut here: Vec<(usize, Diagnostic)> = Vec::new();
            while let Some((_, problem)) = problems.next_if(|(item, _)| *item == number) {
                // Of a call that failed its result says so.
                let found = document.diagnostics().get(problem as usize);
                let found = found.filter(|found| found.severity != Severity::Note);
                here.extend(found.map(|found| (numbers[problem as usize], found)));
            }
            let marks: Vec<(Span, Severity)> =
                here.iter().map(|(_, problem)| (problem.span, problem.severity)).collect();
            if let Some(block) = self.block(number, &item, &marks, &mut walk) {
                give(block)?;
            }
            for note in notes::of_item(self.session, number, &mut of_notes) {
                give(ReportBlock::Note(self.said(&note.text())))?;
            }
            for (number, problem) in here {
                give(ReportBlock::Problem(self.problem(number, &problem, &mut of_problems)))?;
            }
        }
        for (_, problem) in problems.filter(|_| self.selection.is_none()) {
            let Some(found) = document.diagnostics().get(problem as usize) else { continue };
            give(ReportBlock::Problem(self.problem(numbers[problem as usize], &found, &mut of_problems)))?;
        }
        let lost = if self.selection.is_none() { notes::lost(self.session) } else { Vec::new() };
        if !lost.is_empty() {
            give(ReportBlock::LostNotes(notes::LOST))?;
        }
        lost.iter().try_for_each(|note| give(ReportBlock::Note(self.said(&note.text()))))
    }

    fn block(
        &self,
        number: usize,
        item: &Item<'_>,
        marks: &[(Span, Severity)],
        walk: &mut Walk,
    ) -> Option<ReportBlock> {
        Some(match item {
            Item::Text(span) => {
                let lines = self.raw(*span, marks, walk, ColourCodes::Pictured);
                if lines.is_empty() {
                    return None;
                }
                if self.session.document().is_withdrawn(number) {
                    return Some(ReportBlock::Aside { name: WITHDRAWN.into(), lines });
                }
                ReportBlock::Text(lines)
            }
            Item::Call(call) => ReportBlock::Call(Box::new(self.call(number, call, marks, walk))),
            Item::Result(answer) => ReportBlock::Result(self.result(number, answer, marks, walk)),
            Item::Aside(aside) => ReportBlock::Aside {
                name: self.said(aside.name.unwrap_or("reasoning")),
                lines: self.raw(aside.span, marks, walk, ColourCodes::Dropped),
            },
        })
    }

    fn heading(&self, number: usize, message: &Message) -> MessageHeading {
        let mut labels = message_labels(self.session, number, message).into_iter().map(|words| self.said(&words));
        let role = message.role.map_or("", crate::document::MessageRole::word);
        MessageHeading { role, speaker: labels.next().unwrap_or_default(), details: labels.collect() }
    }

    fn call(&self, item: usize, call: &Call<'_>, marks: &[(Span, Severity)], walk: &mut Walk) -> CallBlock {
        let text = self.session.text();
        let assembly = self.session.dissect(item).unwrap_or_default();
        let mut outcome = Vec::new();
        if let Some(found) = &assembly.outcome {
            let words = |key: &str, words: &String| ValueRow {
                depth: 1,
                key: key.to_owned(),
                value: self.lines_said(words),
                kind: "string",
            };
            outcome.extend(found.state.as_ref().map(|state| words("state", state)));
            for (key, tree) in [("output", &found.output), ("extra", &found.extra)] {
                let Some(tree) = tree else { continue };
                outcome.push(self.value(tree, ROOT, 1, key));
                outcome.extend(tree.walk().map(|(id, depth)| self.value(tree, id, depth + 1, &tree.node(id).key)));
            }
            outcome.extend(found.error_text.as_ref().map(|error| words("error", error)));
        }
        let tree = &assembly.tree;
        let root = matches!(tree.node(ROOT).value, Value::Scalar(..)).then(|| self.value(tree, ROOT, 1, ""));
        let below = tree.walk().map(|(id, depth)| self.value(tree, id, depth, &tree.node(id).key));
        let withdrawn = self.session.document().is_withdrawn(item).then_some(WITHDRAWN);
        CallBlock {
            item,
            name: self.said(&call.name(text)),
            id: self.said(&call.id(text)),
            dependencies: call.dependencies(text).iter().map(|id| self.said(id)).collect(),
            ending: ending(call).into_iter().chain(withdrawn).collect(),
            dialect: call.dialect,
            line: self.session.position_by(walk, call.span.start).line,
            values: root.into_iter().chain(below).collect(),
            outcome,
            raw: self.raw(call.span, marks, walk, ColourCodes::Pictured),
            result: self.session.document().answer_of(item).filter(|&result| self.shows(result)),
        }
    }

    fn value(&self, tree: &ParamTree, id: NodeId, depth: usize, key: &str) -> ValueRow {
        let node = tree.node(id);
        let value = match &node.value {
            Value::Scalar(..) => self.lines_said(&tree.words(id, self.session.text())),
            Value::Array(children) if children.is_empty() => "[]".to_owned(),
            Value::Object(children) if children.is_empty() && id != ROOT => "{}".to_owned(),
            _ => String::new(),
        };
        ValueRow { depth, key: self.said(key), value, kind: node.value.type_name() }
    }

    fn result(&self, item: usize, answer: &CallResult<'_>, marks: &[(Span, Severity)], walk: &mut Walk) -> ResultBlock {
        let text = self.session.text();
        let call = answer.call.and_then(|(item, _)| self.session.document().call(item));
        let id = answer.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_default();
        let name = call.map_or_else(String::new, |call| call.name(text));
        ResultBlock {
            item,
            call: answer.call.map(|(item, _)| item).filter(|&call| self.shows(call)),
            name: self.said(format!("{name} {id}").trim()),
            verdict: if answer.call.is_none() { "no such call" } else { answer.verdict.words() },
            lines: changes_marked(self.raw(answer.span, marks, walk, ColourCodes::Dropped)),
        }
    }

    fn problem(&self, number: usize, problem: &Diagnostic, walk: &mut Walk) -> Problem {
        let place = self.session.place_of_problem(walk, problem);
        let of_item = problem.item.filter(|_| problem.severity == Severity::Note);
        Problem {
            anchor: of_item.map_or_else(|| format!("p{number}"), |item| format!("i{item}")),
            severity: problem.severity.word(),
            sign: sign(problem.severity),
            code: problem.code.name(),
            line: place.line,
            column: place.column,
            message: self.said(&problem.message),
            help: self.said(&problem.help_text()),
        }
    }

    /// The lines of a stretch of the text without the blank ones around them, problems marked.
    fn raw(
        &self,
        span: Span,
        marks: &[(Span, Severity)],
        walk: &mut Walk,
        colour_codes: ColourCodes,
    ) -> Vec<ReportLine> {
        let read = self.session.text().read_str(span);
        // What is no UTF-8 is written with other characters, so that places in it are others.
        let marks = if read.len() == span.len() { marks } else { &[] };
        let (whole, marks) = match colour_codes {
            ColourCodes::Pictured => (Cow::Borrowed(&*read), marks.to_vec()),
            ColourCodes::Dropped => (without(&read), marks_without_colours(marks, span.start, &read)),
        };
        let trimmed = whole.trim_end();
        let start = trimmed.len() - trimmed.trim_start_matches(['\n', '\r']).len();
        let text = &trimmed[start..];
        if text.is_empty() {
            return Vec::new();
        }
        let secrets = self.redactor.map(|redactor| redactor.spans(text)).unwrap_or_default();
        let marks = within(&marks, Span::new(span.start + start, span.end), text);
        let is_plain = !self.session.is_decoded();
        let first = is_plain.then(|| self.session.position_by(walk, span.start + start).line);
        let mut lines = vec![ReportLine { number: first, change: "", pieces: Vec::new() }];
        for (range, words, class) in cut(text, &secrets, &marks) {
            let words = words.map_or(&text[range], |words| words);
            for (index, part) in words.split('\n').enumerate() {
                if index > 0 {
                    let number = first.map(|first| first + lines.len());
                    lines.push(ReportLine { number, change: "", pieces: Vec::new() });
                }
                let part = part.strip_suffix('\r').unwrap_or(part);
                if let (Some(line), false) = (lines.last_mut(), part.is_empty()) {
                    line.pieces.push((visible_lines(part), class));
                }
            }
        }
        lines
    }

    /// Words on one line.
    fn said(&self, words: &str) -> String {
        visible_str(&self.clean(&without(words))).into_owned()
    }

    /// Words on several lines.
    fn lines_said(&self, words: &str) -> String {
        visible_lines(&self.clean(&without(words)))
    }

    fn clean<'t>(&self, words: &'t str) -> Cow<'t, str> {
        self.redactor.map_or(words.into(), |redactor| redactor.clean(words))
    }
}

/// The lines of a difference with what each is, if they are one.
fn changes_marked(mut lines: Vec<ReportLine>) -> Vec<ReportLine> {
    let text = joined(&lines);
    if is_diff(text.as_bytes()) {
        for (line, (_, kind)) in lines.iter_mut().zip(diff_lines(text.as_bytes())) {
            line.change = match kind {
                DiffLine::Added => "added",
                DiffLine::Removed => "removed",
                DiffLine::Heading | DiffLine::Place | DiffLine::Context => "",
            };
        }
    }
    lines
}

/// The words of some lines, without the marks of problems.
pub(super) fn joined(lines: &[ReportLine]) -> String {
    lines.iter().map(ReportLine::text).collect::<Vec<_>>().join("\n")
}

/// Marks in a text at `start` as they are in the same text without its colours.
fn marks_without_colours(marks: &[(Span, Severity)], start: usize, text: &str) -> Vec<(Span, Severity)> {
    let mut removed = 0;
    let sequence = |sequence: Range<usize>| {
        let before = removed;
        removed += sequence.len();
        (sequence, before)
    };
    let sequences: Vec<(Range<usize>, usize)> = sequences(text.as_bytes()).map(sequence).collect();
    let moved = |offset: usize| {
        let at = offset.saturating_sub(start);
        let passed = sequences.partition_point(|(sequence, _)| sequence.start < at);
        let removed = sequences[..passed].last();
        offset - removed.map_or(0, |(sequence, before)| before + sequence.len().min(at - sequence.start))
    };
    marks.iter().map(|&(span, severity)| (Span::new(moved(span.start), moved(span.end)), severity)).collect()
}

/// Where problems are in a text that stands at the beginning of a stretch, counted from there, the gravest last.
fn within(marks: &[(Span, Severity)], span: Span, text: &str) -> Vec<(Range<usize>, &'static str)> {
    let of = |&(mark, severity): &(Span, Severity)| {
        let (start, end) =
            (mark.start.max(span.start) - span.start, mark.end.saturating_sub(span.start).min(text.len()));
        (start < end).then_some((start..end, severity))
    };
    let mut found: Vec<(Range<usize>, Severity)> = marks.iter().filter_map(of).collect();
    found.sort_by_key(|(_, severity)| std::cmp::Reverse(*severity));
    found.into_iter().map(|(range, severity)| (range, severity.word())).collect()
}

/// A stretch of some text, what stands there instead, and the mark of the problem that is there.
type Cut<'t> = (Range<usize>, Option<&'t str>, &'static str);

/// The text in stretches that are all alike; secrets are not divided.
fn cut<'t>(text: &str, secrets: &'t [(Range<usize>, String)], marks: &[(Range<usize>, &'static str)]) -> Vec<Cut<'t>> {
    let mut borders: Vec<usize> = vec![0, text.len()];
    for range in secrets.iter().map(|(range, _)| range).chain(marks.iter().map(|(range, _)| range)) {
        borders.extend([range.start, range.end].into_iter().filter(|&at| text.is_char_boundary(at)));
    }
    borders.sort_unstable();
    borders.dedup();
    borders.retain(|&at| !secrets.iter().any(|(range, _)| range.start < at && at < range.end));
    let stretches = borders.windows(2).map(|pair| pair[0]..pair[1]);
    let stretch = |range: Range<usize>| {
        let secret = secrets.iter().find(|(secret, _)| secret.start == range.start && secret.end == range.end);
        let mark = marks.iter().rfind(|(mark, _)| mark.start < range.end && range.start < mark.end);
        (range, secret.map(|(_, words)| words.as_str()), mark.map_or("", |(_, class)| class))
    };
    stretches.map(stretch).collect()
}
