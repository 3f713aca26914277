//! The texts that the model wrote, message by message, and whether runtimes read them in the same way.

use super::Session;
use crate::container::MessageRole;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Portable;
use crate::document::Item;
use crate::lens::{Approximate, Lens, MessageText, ParserChoice, request_of};
use crate::text::Span;
use crate::value::tree_json;

impl Session {
    /// The text of the message at an offset in the transcript's text, else of the last message that begins before it,
    /// else of the first one. Without an offset, the first message with a call, else the last message.
    pub fn model_text_at(&self, offset: Option<usize>) -> Option<MessageText> {
        let spans = self.model_text_spans();
        let before = |offset: usize| spans.partition_point(|span| span.start <= offset).saturating_sub(1);
        let with_call = || {
            let document = self.document();
            let starts = document.calls().filter_map(|item| document.items().span(item)).map(|span| span.start);
            let mut places = starts.map(|start| (before(start), start));
            places.find(|&(number, start)| spans.get(number).is_some_and(|span| span.contains(start)))
        };
        let number = offset.map(before).or_else(|| with_call().map(|(number, _)| number));
        let span = number.map_or(spans.last(), |number| spans.get(number))?;
        Some(self.model_text(*span))
    }

    /// The text of the first message with a call among some items, given in text order, else of the last message that
    /// begins among them; `None` if none does.
    pub fn model_text_among(&self, items: &[usize]) -> Option<MessageText> {
        let (spans, document) = (self.model_text_spans(), self.document());
        let starts = || items.iter().filter_map(|&item| Some((item, document.items().span(item)?.start)));
        let at = |start: usize| {
            let span = spans.get(spans.partition_point(|span| span.start <= start).checked_sub(1)?)?;
            span.contains(start).then_some(*span)
        };
        let with_call = starts().filter(|(item, _)| document.call(*item).is_some()).find_map(|(_, start)| at(start));
        let span = with_call.or_else(|| starts().rev().find_map(|(_, start)| at(start)))?;
        Some(self.model_text(span))
    }

    /// The texts of a file, each with its message: the whole file if it is plain text, else all texts of the model with
    /// a call.
    pub fn model_texts(&self) -> impl Iterator<Item = MessageText> + '_ {
        let texts = self.model_text_spans().into_iter().map(|span| self.model_text(span));
        texts.filter(|text| !self.is_decoded() || !text.found.is_empty())
    }

    /// The spans of all messages that are searched for calls, in order.
    fn model_text_spans(&self) -> Vec<Span> {
        let document = self.document();
        if !self.is_decoded() {
            return vec![Span::new(0, self.text().len())];
        }
        let mut spans: Vec<(usize, Span)> = Vec::new();
        for (number, item) in document.items().iter().enumerate() {
            let is_said = match item {
                Item::Text(_) => true,
                Item::Call(_) => !document.is_recorded(number),
                Item::Result(_) | Item::Aside(_) => false,
            };
            let message = document.message_at(item.span().start);
            let is_of_model = document.messages().role(message).is_none_or(|role| role == MessageRole::Assistant);
            if !is_said || !is_of_model {
                continue;
            }
            match spans.last_mut() {
                Some((last, span)) if *last == message && span.end == item.span().start => {
                    *span = span.cover(item.span());
                }
                _ => spans.push((message, item.span())),
            }
        }
        spans.into_iter().map(|(_, span)| span).collect()
    }

    fn model_text(&self, span: Span) -> MessageText {
        let span = self.without_added_end(span);
        let document = self.document();
        let (mut found, mut named) = (Vec::new(), Vec::new());
        let first = document.items_before(span.start);
        let calls = (first..document.items().len()).filter_map(|item| Some((item, document.call(item)?)));
        for (item, call) in calls.take_while(|(_, call)| call.span.start < span.end) {
            if !found.contains(&call.dialect) {
                found.push(call.dialect);
            }
            let arguments = self.dissect(item).map(|assembly| tree_json::to_json(&assembly.tree, self.text()));
            named.push((call.name(self.text()), arguments.unwrap_or_default()));
        }
        MessageText { calls: named, ..MessageText::new(&self.text().read(span), span, found) }
    }

    /// A span of the text without a final line feed that is not in the file: such line feeds are added between
    /// messages, and the model has not written them.
    fn without_added_end(&self, span: Span) -> Span {
        let last = Span::new(span.end.saturating_sub(1).max(span.start), span.end);
        let is_added = self.is_decoded() && !last.is_empty() && self.sources(last).is_empty();
        if is_added { Span::new(span.start, last.start) } else { span }
    }

    /// Ends a text of the model at `end`: reports a problem if the chosen runtimes read it differently.
    pub(super) fn judge_portability(&mut self, end: usize) {
        let Some(Portable { runtimes, severity }) = self.portable.clone() else { return };
        let message = self.document.message_at(end.saturating_sub(1));
        let start = self.document.messages().start(message).unwrap_or(0);
        let message = self.model_text(Span::new(start, end));
        if message.found.is_empty() {
            return;
        }
        let wanted = ParserChoice { dialects: Vec::new(), runtimes, approximate: Approximate::Skip };
        let lens = Lens::new(&message, &request_of(self.schemas.as_deref()), &wanted);
        let Some(difference) = lens.difference() else { return };
        let at = Span::new(start + difference.span.start, start + difference.span.end);
        let problem = Diagnostic::new(Code::NotPortable, at, difference.words).with_severity(severity);
        self.document.report(&problem.help(difference.help));
    }
}
