//! Converts items of a document to blocks of a report.

use super::lines::changes_marked;
use super::outline::brief;
use super::raw::add_parts;
use super::{
    CallBlock, HeadingForm, MessageHeading, Problem, ReportBlock, ReportPage, ReportText, ResultBlock, ValueRow,
};
use crate::container::CallOutcome;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Call, CallResult, Item, Message, MessageRole};
use crate::export::folds::{folded_command, folded_kind, without_tags};
use crate::highlight::language_of_value;
use crate::text::colour_codes::{ColourCodes, without};
use crate::text::{Span, Walk};
use crate::value::{NodeId, ParamTree, ROOT, Value};
use crate::wording::figures::duration_figure;
use crate::wording::{ABANDONED, WITHDRAWN, ending, message_labels, sign};

impl ReportPage<'_> {
    pub(super) fn block(
        &self,
        number: usize,
        item: &Item<'_>,
        marks: &[(Span, Severity)],
        walk: &mut Walk,
    ) -> Option<ReportBlock> {
        Some(match item {
            Item::Text(span) => {
                let lines = self.raw(*span, marks, walk, ColourCodes::Pictured, |layers, text, _| {
                    layers.roles = self.roles_of_prose(text);
                });
                if lines.is_empty() {
                    return None;
                }
                let is_withdrawn = self.session.document().is_withdrawn(number);
                let folded = folded_kind(self.session, item).filter(|_| !is_withdrawn);
                match folded.or(is_withdrawn.then_some(WITHDRAWN)) {
                    Some(name) => self.aside(name, *span, folded.is_some(), lines),
                    None => ReportBlock::Text(lines),
                }
            }
            Item::Call(call) => ReportBlock::Call(Box::new(self.call(number, call, marks, walk))),
            Item::Result(answer) => {
                let result = self.result(answer, marks, walk);
                let is_inside = self.is_inside_call(number, item);
                let when = if is_inside { self.when(answer.span.start) } else { String::new() };
                ReportBlock::Result(ResultBlock { is_inside, when, ..result })
            }
            Item::Aside(aside) => {
                let lines = self.raw(aside.span, marks, walk, ColourCodes::Dropped, |_, _, _| {});
                let name = aside.name.unwrap_or("reasoning");
                self.aside(name, aside.span, aside.name.is_some(), lines)
            }
        })
    }

    fn aside(&self, name: &str, span: Span, is_folded: bool, lines: ReportText) -> ReportBlock {
        let command = folded_command(self.session, span).filter(|_| is_folded);
        let words = match command {
            Some(command) => brief(&self.clean(&without(command))),
            None if is_folded => without_tags(&self.first_words(span)).into_owned(),
            None => self.first_words(span),
        };
        ReportBlock::Aside { name: self.clean_line(name), words, is_folded, lines }
    }

    /// The heading of a message; `None` in a text that was not decoded.
    pub(super) fn message_heading(&self, number: usize) -> Option<MessageHeading> {
        let message = self.session.document().messages().get(number).filter(|_| self.session.is_decoded())?;
        Some(self.heading(number, &message))
    }

    fn heading(&self, number: usize, message: &Message) -> MessageHeading {
        let labels = if self.has_turns {
            self.turn_labels(number, message)
        } else {
            message_labels(self.session, number, message)
        };
        let mut labels = labels.into_iter().map(|words| self.clean_line(&words));
        let role = message.role.map_or("", MessageRole::word);
        let speaker = labels.next().unwrap_or_default();
        let is_of_results = self.is_of_results(number, message.start);
        let is_automatic = message.origin.is_automatic() || message.role == Some(MessageRole::System);
        let form = if self.has_turns && is_automatic { HeadingForm::Automatic } else { HeadingForm::Speaker };
        MessageHeading { number, role, speaker, details: labels.collect(), is_of_results, form }
    }

    /// Speaker, label, model and time of a message below the heading of its turn or sub-agent, which has the rest.
    fn turn_labels(&self, number: usize, message: &Message) -> Vec<String> {
        let is_named = !message.is_outside && message.label.as_deref() != Some(message.speaker());
        let label = message.label.as_deref().filter(|_| is_named);
        let words = [Some(message.speaker()), label, message.model.as_deref()].into_iter().flatten().map(str::to_owned);
        let abandoned = self.session.document().is_abandoned(number).then(|| ABANDONED.to_owned());
        words.chain(message.when()).chain(abandoned).collect()
    }

    /// True if a message that begins at an offset contains only results of calls in the report.
    fn is_of_results(&self, number: usize, start: usize) -> bool {
        let document = self.session.document();
        let end = document.messages().start(number + 1).unwrap_or(usize::MAX);
        let all = document.items();
        let items = (document.items_before(start)..all.len()).map_while(|item| all.get(item));
        let mut items = items.take_while(|item| item.span().start < end).peekable();
        let is_result = |item: Item<'_>| match item {
            Item::Result(answer) => answer.call.is_some_and(|(call, _)| self.shows(call)),
            Item::Text(_) | Item::Call(_) | Item::Aside(_) => false,
        };
        items.peek().is_some() && items.all(is_result)
    }

    /// The result that is shown inside the call at an item.
    pub(super) fn result_inside(&self, call: usize) -> Option<usize> {
        self.session.document().answer_of(call).filter(|&result| self.has_turns && self.shows(result))
    }

    /// True for a result that is shown inside its call.
    pub(super) fn is_inside_call(&self, number: usize, item: &Item<'_>) -> bool {
        let Item::Result(CallResult { call: Some((call, _)), .. }) = item else { return false };
        self.has_turns && self.shows(*call) && self.session.document().answer_of(*call) == Some(number)
    }

    fn call(&self, item: usize, call: &Call<'_>, marks: &[(Span, Severity)], walk: &mut Walk) -> CallBlock {
        let text = self.session.text();
        let assembly = self.session.dissect(item).unwrap_or_default();
        let mut outcome = Vec::new();
        if let Some(found) = &assembly.outcome {
            let words = |key: &str, words: &String| ValueRow {
                depth: 1,
                key: key.to_owned(),
                node: None,
                lines: self.value_lines(words, |_| None),
                kind: "string",
            };
            outcome.extend(found.state.as_ref().map(|state| words("state", state)));
            for (key, tree) in [("output", &found.output), ("extra", &found.extra)] {
                let Some(tree) = tree else { continue };
                let rows = tree.walk().map(|(id, depth)| self.value(tree, id, depth + 1, &tree.node(id).key));
                outcome.extend([self.value(tree, ROOT, 1, key)].into_iter().chain(rows));
            }
            outcome.extend(found.error_text.as_ref().map(|error| words("error", error)));
            for row in &mut outcome {
                row.node = None;
            }
        }
        let tree = &assembly.tree;
        let root = matches!(tree.node(ROOT).value, Value::Scalar(..)).then(|| self.value(tree, ROOT, 1, ""));
        let below = tree.walk().map(|(id, depth)| self.value(tree, id, depth, &tree.node(id).key));
        let withdrawn = self.session.document().is_withdrawn(item).then_some(WITHDRAWN);
        CallBlock {
            name: self.clean_line(&call.name(text)),
            id: self.clean_line(&call.id(text)),
            argument: self.argument(item),
            dependencies: call.dependencies(text).iter().map(|id| self.clean_line(id)).collect(),
            ending: ending(call).into_iter().chain(withdrawn).collect(),
            failed: call.has_failed(),
            dialect: call.dialect,
            line: self.session.position_by(walk, call.span.start).line,
            values: root.into_iter().chain(below).collect(),
            outcome,
            raw: self
                .raw(call.span, marks, walk, ColourCodes::Pictured, |layers, _, place| {
                    let Some(place) = place else { return };
                    add_parts(layers, call, &assembly, place);
                    if !self.colours.has_more() {
                        layers.roles.clear();
                    }
                    self.colours.spend(layers.roles.len());
                })
                .iter()
                .collect(),
            result: self.session.document().answer_of(item).filter(|&result| !self.has_turns && self.shows(result)),
            took: self.session.document().call_duration(item, text).filter(|_| self.has_turns).map(duration_figure),
        }
    }

    fn value(&self, tree: &ParamTree, id: NodeId, depth: usize, key: &str) -> ValueRow {
        let (node, text) = (tree.node(id), self.session.text());
        let words = match &node.value {
            Value::Scalar(..) => tree.scalar_text(id, text),
            Value::Array(children) if children.is_empty() => "[]".into(),
            Value::Object(children) if children.is_empty() && id != ROOT => "{}".into(),
            _ => "".into(),
        };
        let lines = self.value_lines(&words, |words| language_of_value(tree, Some(id), words, text));
        ValueRow { depth, key: self.clean_line(key), node: Some(id), lines, kind: node.value.type_name() }
    }

    /// Date and time of the message at an offset; empty if it has none.
    fn when(&self, offset: usize) -> String {
        let document = self.session.document();
        let message = document.messages().get(document.message_at(offset));
        message.and_then(|message| message.when()).map_or_else(String::new, |when| self.clean_line(&when))
    }

    fn result(&self, answer: &CallResult<'_>, marks: &[(Span, Severity)], walk: &mut Walk) -> ResultBlock {
        let (text, document) = (self.session.text(), self.session.document());
        let call = answer.call.and_then(|(item, _)| document.call(item));
        let id = answer.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_default();
        let name = call.map_or_else(String::new, |call| call.name(text));
        let of_call = || answer.call.and_then(|(item, _)| self.session.dissect(item));
        ResultBlock {
            call: answer.call.map(|(item, _)| item).filter(|&call| self.shows(call)),
            is_inside: false,
            when: String::new(),
            name: self.clean_line(format!("{name} {id}").trim()),
            words: self.first_words(answer.span),
            verdict: if answer.call.is_none() { "no such call" } else { answer.verdict.label() },
            failed: answer.verdict.is_failure()
                || call.and_then(|call| call.answer).is_some_and(CallOutcome::is_failure),
            lines: changes_marked(
                self.raw(answer.span, marks, walk, ColourCodes::Dropped, |layers, shown, _| {
                    layers.roles = self.roles_of_result(shown, of_call);
                })
                .iter()
                .collect(),
            ),
        }
    }

    pub(super) fn problem(&self, number: usize, problem: &Diagnostic, walk: &mut Walk) -> Problem {
        let place = self.session.place_of_problem(walk, problem);
        let of_item = problem.item.filter(|_| problem.severity == Severity::Note);
        Problem {
            anchor: of_item.map_or_else(|| format!("p{number}"), |item| format!("i{item}")),
            severity: problem.severity.word(),
            sign: sign(problem.severity),
            code: problem.code.name(),
            line: place.line,
            column: place.column,
            message: self.clean_line(&problem.message),
            help: self.clean_line(&problem.help_text()),
            turn: None,
        }
    }
}
