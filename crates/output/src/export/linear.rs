//! A transcript as append-only lines, for screen readers, terminals that cannot draw, and logs.
//!
//! Final parts are written immediately, and only once: prose line by line, a call when it has ended, problems below
//! their subjects. transcope's own text begins in the first column with a word for its kind. Text of the file is
//! indented, so that it cannot be mistaken for transcope's; a long value is truncated with the number of lines left
//! out. The lines of a session that is still read do not depend on how the bytes arrive. Facts known only at the end, such as abandoned branches, are
//! left to the other formats.

mod turns;

use std::io::{self, Write};

use super::folds::{first_line, folded_command, folded_kind, lines, rest_of, without_tags};
use super::page::brief;
use super::problem_queue::{ProblemQueue, start_of};
use super::text::{TextPrinter, is_blank};
use crate::diagnostic::Severity;
use crate::dialect::Status;
use crate::document::{Call, CallResult, Item, MessageRole, SideRecord};
use crate::session::Session;
use crate::text::colour_codes::ColourCodes;
use crate::text::sanitize::visible_str;
use crate::text::{Span, Walk, trim_end};
use crate::wording::{count, is_final, problems};
use turns::TurnLines;

/// Writes lines incrementally while a session reads.
#[derive(Clone, Debug, Default)]
pub struct LinearWriter {
    /// Number of the next item.
    item: usize,
    /// Number of messages whose speaker has been printed.
    messages: usize,
    turns: TurnLines,
    problems: ProblemQueue,
    /// End offset of the text written so far.
    at: usize,
    /// True if the last line is prose, or introduces prose.
    speaks: bool,
    /// Number of pending blank lines of prose, written if a line follows.
    blank: usize,
    walk: Walk,
}

impl LinearWriter {
    /// Writes lines of a session that is read completely before the first line, so that a turn begins with its figures.
    #[must_use]
    pub fn of_complete_session() -> Self {
        Self { turns: TurnLines::of_complete_session(), ..Self::default() }
    }

    /// Writes what has become final since the last call; writes the totals last, once the session is finished.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        let mut out = TextPrinter::linear(out);
        self.problems.collect(session);
        let document = session.document();
        while let Some(item) = document.items().get(self.item) {
            let is_final = is_final(session, self.item);
            let span = item.span();
            if is_final || matches!(item, Item::Text(_)) {
                self.announce(&mut out, session, span.start)?;
            }
            match &item {
                _ if is_final && folded_kind(session, &item).is_some() => self.folded(&mut out, session, &item)?,
                Item::Text(_) if folded_kind(session, &item).is_some() => {}
                Item::Text(_) => {
                    let until = if is_final { span.end } else { self.problems.line_start().min(span.end) };
                    self.prose(&mut out, session, until)?;
                }
                _ if !is_final => {}
                Item::Call(found) => self.call(&mut out, session, found)?,
                Item::Result(found) => self.result(&mut out, session, found)?,
                Item::Aside(found) => self.aside(&mut out, session, found)?,
            }
            if !is_final {
                break;
            }
            for number in self.problems.before(session, span.end) {
                self.problem(&mut out, session, number)?;
            }
            self.at = span.end;
            self.item += 1;
        }
        if session.is_finished() {
            for number in self.problems.rest(session) {
                self.problem(&mut out, session, number)?;
            }
            self.end(&mut out, session)?;
        }
        Ok(())
    }

    /// Writes the speaker, if the file states one, of each message that begins at or before an offset, and before it where a
    /// turn or a sub-agent begins or ends.
    fn announce<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, offset: usize) -> io::Result<()> {
        let messages = session.document().messages();
        let begun = messages.up_to(offset);
        let first = std::mem::replace(&mut self.messages, begun);
        for number in (first..begun).filter(|_| session.is_decoded()) {
            let Some(message) = messages.get(number) else { continue };
            for line in self.turns.before(session, number) {
                self.own(out, [&line, "", "", ""])?;
            }
            let details = message.details().into_iter().map(str::to_owned).chain(message.when());
            let details: Vec<String> = details.collect();
            self.own(out, [message.speaker(), ":", if details.is_empty() { "" } else { " " }, &details.join(", ")])?;
            self.speaks = true;
        }
        Ok(())
    }

    /// Writes the lines of prose up to an offset, each problem below the line in which it begins.
    fn prose<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, until: usize) -> io::Result<()> {
        for number in self.problems.before(session, until) {
            let start = start_of(session, number);
            // The first of several problems in a line has written the line.
            if start >= self.at {
                let rest = Span::new(start, until);
                let end = session.text().find(b'\n', rest).map_or(until, |feed| feed + 1);
                self.lines(out, session, end)?;
            }
            self.problem(out, session, number)?;
        }
        self.lines(out, session, until)
    }

    fn lines<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, until: usize) -> io::Result<()> {
        while self.at < until {
            let rest = Span::new(self.at, until);
            let end = session.text().find(b'\n', rest).map_or(until, |feed| feed + 1);
            let bytes = session.text().read(Span::new(self.at, end));
            let line = &bytes[..trim_end(&bytes)];
            if line.is_empty() {
                self.blank += 1;
            } else {
                if self.speaks {
                    (0..self.blank).try_for_each(|_| out.quoted(b""))?;
                } else {
                    let role = session.document().messages().role(session.document().message_at(self.at));
                    self.own(out, [role.map_or("text", MessageRole::word), ":", "", ""])?;
                }
                out.quoted(line)?;
                (self.speaks, self.blank) = (true, 0);
            }
            self.at = end;
        }
        Ok(())
    }

    fn call<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, call: &Call<'_>) -> io::Result<()> {
        self.turns.calls += 1;
        let text = session.text();
        let mut words = vec![call.id(text)];
        let dependencies = call.dependencies(text);
        words.extend((!dependencies.is_empty()).then(|| format!("after {}", dependencies.join(" and "))));
        words.extend(match call.status {
            Status::Complete => None,
            Status::Implicit => Some("no end marker".to_owned()),
            Status::Unterminated | Status::Open => Some("cut off".to_owned()),
        });
        words.extend(call.failed.then(|| "rejected".to_owned()));
        self.own(out, ["tool ", &call.name(text), " call: ", &words.join(", ")])?;
        out.parameters(session, &session.dissect(self.item).unwrap_or_default())
    }

    fn result<W: Write>(
        &mut self,
        out: &mut TextPrinter<W>,
        session: &Session,
        answer: &CallResult<'_>,
    ) -> io::Result<()> {
        self.turns.failures += usize::from(answer.call.is_some() && answer.verdict.is_failure());
        let text = session.text();
        let call = answer.call.and_then(|(item, _)| session.document().call(item));
        let id = answer.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text)));
        let names: Vec<String> = call.map(|call| call.name(text)).into_iter().chain(id).collect();
        let words = answer.verdict.label();
        let unknown = if answer.call.is_none() { ", no such call" } else { "" };
        self.own(
            out,
            [if words.is_empty() { "result" } else { "result " }, words, ": ", &(names.join(" ") + unknown)],
        )?;
        out.write_lines(session, answer.span, "  ", ColourCodes::Dropped)
    }

    /// Writes one line for text that a program wrote for the model.
    fn folded<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, item: &Item<'_>) -> io::Result<()> {
        let span = item.span();
        let name = folded_kind(session, item).unwrap_or_default();
        let command = folded_command(session, span).map(brief);
        let words = command.unwrap_or_else(|| without_tags(&first_line(session, span)).into_owned());
        if !words.is_empty() {
            let kind = if matches!(item, Item::Aside(_)) { "record " } else { "" };
            self.own(out, [kind, name, ": ", &format!("{words}{}", rest_of(lines(session, span)))])?;
        }
        Ok(())
    }

    /// Writes reasoning.
    fn aside<W: Write>(
        &mut self,
        out: &mut TextPrinter<W>,
        session: &Session,
        aside: &SideRecord<'_>,
    ) -> io::Result<()> {
        self.own(out, ["reasoning:", "", "", ""])?;
        out.write_lines(session, aside.span, "  ", ColourCodes::Dropped)
    }

    fn problem<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session, number: usize) -> io::Result<()> {
        self.speaks = false;
        out.problem(session, number, &mut self.walk)
    }

    /// Writes what the file withdraws, and the totals.
    fn end<W: Write>(&mut self, out: &mut TextPrinter<W>, session: &Session) -> io::Result<()> {
        for line in self.turns.at_end() {
            self.own(out, [&line, "", "", ""])?;
        }
        let document = session.document();
        let mut walk = Walk::default();
        let withdrawn = |(number, item): &(usize, Item<'_>)| document.is_withdrawn(*number) && !is_blank(session, item);
        for (_, item) in document.items().iter().enumerate().filter(withdrawn) {
            let line = session.position_by(&mut walk, item.span().start).line;
            let what = match item {
                Item::Call(call) => format!("tool {} call {}", call.name(session.text()), call.id(session.text())),
                Item::Text(_) | Item::Result(_) | Item::Aside(_) => "text".to_owned(),
            };
            self.own(out, ["withdrawn: ", &what, &format!(" of line {line}"), ""])?;
        }
        for problem in problems(session, None).filter(|problem| problem.severity == Severity::Note) {
            let turn = document.turn_of(document.message_at(problem.span.start)).filter(|_| session.is_decoded());
            let turn = turn.map_or_else(String::new, |turn| format!("turn {}, ", turn.number));
            let line = session.place_of_problem(&mut walk, &problem).line;
            self.own(out, ["failed: ", &turn, &format!("line {line}, "), &problem.message])?;
        }
        let bad = session.outcomes().nonzero_counts().map(|(_, number, word)| format!("{number} {word}"));
        let mut totals = vec![count(document.calls_that_count(), "call")];
        totals.extend(bad);
        totals.extend([count(document.errors(), "error"), count(document.warnings(), "warning")]);
        self.own(out, ["end: ", &totals.join(", "), "", ""])
    }

    /// Writes a line of transcope's own text.
    fn own<W: Write>(&mut self, out: &mut TextPrinter<W>, words: [&str; 4]) -> io::Result<()> {
        (self.speaks, self.blank) = (false, 0);
        out.line(&visible_str(&words.concat()))
    }
}
