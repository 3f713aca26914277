//! Takes in the events of a container: texts that are searched for calls, records of calls, results, other records.
//!
//! Each text and each call is read separately and to its end, so that no call extends from one into the next.

use super::calls::RecordedCall;
use super::original::Original;
use super::{CallsSeen, Session, TextRegion};
use crate::container::{Batch, Container, ContainerEvent, Interpretation, Message, MessagePart};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{ParseEvent, embedded_markup};
use crate::text::Span;
use crate::text::spool::SpoolTrouble;

impl Session {
    /// Continues with the file in one of two ways: if it turned out to be plain, it becomes its own text.
    pub(super) fn take_batch(&mut self, mut original: Box<Original>, batch: Batch) {
        let was_unknown = self.choice.is_none();
        self.choice = original.reader.choice();
        if self.choice.is_some_and(|choice| choice.about.name == Container::PLAIN) {
            if let Some(backing) = original.text.backing() {
                self.text.back(backing.clone());
            }
            self.document.begin_message(Message::default());
            return self.read_on(&batch.text);
        }
        if was_unknown && self.choice.is_some() {
            self.now = TextRegion::Between;
        }
        self.take_in(batch, &mut original);
        self.original = Some(original);
    }

    fn take_in(&mut self, batch: Batch, original: &mut Original) {
        self.spool(&batch.text, original);
        let mut rest = batch.text.as_slice();
        for event in batch.events {
            let place = match &event {
                ContainerEvent::Message(message) => message.start,
                ContainerEvent::Step(start) | ContainerEvent::Begin { start, .. } => *start,
                ContainerEvent::End { end } | ContainerEvent::Replaced { end, .. } => *end,
                _ => self.text.len(),
            };
            let (head, behind) = rest.split_at(place.saturating_sub(self.text.len()).min(rest.len()));
            rest = behind;
            self.push_piece(head);
            self.apply(event);
        }
        self.push_piece(rest);
    }

    /// Keeps the decoded text where it can be read again. Most sessions are so small that their text stays in memory.
    fn spool(&mut self, arriving: &[u8], original: &mut Original) {
        let mut outcome = Ok(());
        if self.text.backing().is_none() {
            if self.text.len() + arriving.len() <= self.text.paging().recent {
                return;
            }
            self.text.back(original.decoded.backing());
            outcome = original.decoded.push(self.text.since(0));
        }
        if let Err(SpoolTrouble::NoDisk(words) | SpoolTrouble::Over(words)) =
            outcome.and_then(|()| original.decoded.push(arriving))
        {
            self.notices.push(words);
        }
    }

    /// Takes in bytes of the open piece, or bytes after it.
    fn push_piece(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let start = self.text.len();
        self.add(bytes);
        let end = self.text.len();
        match self.now {
            TextRegion::PlainText | TextRegion::UnsearchedText(_) => {
                self.document.apply(ParseEvent::Text(Span::new(start, end)), &self.text);
            }
            TextRegion::Between => self.document.append_plain(end),
            TextRegion::Call(_) => self.continue_call(),
            TextRegion::Text => {}
        }
        self.advance(false);
    }

    fn apply(&mut self, event: ContainerEvent) {
        match event {
            ContainerEvent::Record { .. } => {}
            ContainerEvent::Conversation { title } => {
                self.calls_seen = CallsSeen::None;
                self.document.begin_conversation(title.as_deref());
            }
            ContainerEvent::Message(message) => {
                self.scanner.begin_message();
                if self.document.begin_message(message) {
                    self.touched = 0;
                }
            }
            ContainerEvent::Time(time) => self.document.pass_time(&time),
            ContainerEvent::Link { id, parent } => self.document.link(&id, parent.as_deref()),
            ContainerEvent::Active(id) => {
                if self.document.choose(&id) {
                    self.touched = 0;
                }
            }
            ContainerEvent::Begin { part: piece, start } => self.begin(piece, start),
            ContainerEvent::End { end } => {
                self.advance(true);
                match std::mem::replace(&mut self.now, TextRegion::Between) {
                    TextRegion::Call(call) => self.end_call(&call, end),
                    TextRegion::UnsearchedText(start) => self.end_unread(Span::new(start, end)),
                    TextRegion::Text => self.judge_portability(end),
                    TextRegion::PlainText | TextRegion::Between => {}
                }
            }
            ContainerEvent::Answers(call) => self.document.aim_result(call),
            ContainerEvent::AnswersNothing => self.document.leave_result_alone(),
            ContainerEvent::SessionId(id) => self.document.set_session_id(id),
            ContainerEvent::CallIds(prefix) => self.document.begin_call_ids(&prefix),
            ContainerEvent::Step(_) => self.document.begin_step(),
            ContainerEvent::Withdrawn(span) => {
                self.document.withdraw(span);
                self.touch(self.document.item_at(span.start));
            }
            ContainerEvent::Replaced { start, is_result, .. } => {
                let touched = self.document.replace(start, is_result);
                self.touch(touched);
            }
            ContainerEvent::Fact(fact) => self.document.take_fact(*fact),
            ContainerEvent::Problem { diagnostic, source } => {
                self.document.report(&Diagnostic { source: Some(source), ..diagnostic });
            }
        }
    }

    fn begin(&mut self, piece: MessagePart, start: usize) {
        self.now = match piece {
            MessagePart::Text(Interpretation::Parsed) if self.unsearched_reason().is_some() => {
                TextRegion::UnsearchedText(start)
            }
            MessagePart::Text(Interpretation::Parsed) => {
                self.scanner.begin_text(start);
                self.document.begin_text(start);
                TextRegion::Text
            }
            MessagePart::Text(Interpretation::Shown) => TextRegion::PlainText,
            MessagePart::Call(call) => TextRegion::Call(Box::new(RecordedCall::new(start, call))),
            MessagePart::Reasoning => {
                self.document.begin_aside(None, start);
                TextRegion::Between
            }
            MessagePart::Envelope(name) => {
                self.document.begin_aside(Some(name), start);
                TextRegion::Between
            }
            MessagePart::Result(outcome) => {
                let call = self.document.begin_result(outcome, start);
                self.touch(call);
                TextRegion::Between
            }
        };
    }

    /// Ends a text that was not searched for calls, and reports a problem if it looks like one.
    fn end_unread(&mut self, span: Span) {
        let Some((dialect, sign)) = embedded_markup::find_in_text(self.scanner.dialects(), &self.text, span) else {
            return;
        };
        let why = self.unsearched_reason().unwrap_or_default();
        let message = format!("looks like a {dialect} call, but text is not searched for calls here: {why}");
        self.document.report(&Diagnostic::new(Code::CallInText, sign, message));
    }

    /// Marks an item as changed.
    fn touch(&mut self, item: Option<usize>) {
        self.touched = self.touched.min(item.unwrap_or(usize::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Options;
    use crate::text::store::Paging;

    #[test]
    fn decoded_text_that_has_left_memory_comes_back() {
        let turn = |number| {
            let asked = format!("{{\"role\":\"user\",\"content\":\"How deep is berth {number}?\"}}\n");
            asked + "{\"role\":\"assistant\",\"content\":\"I do not know yet.\"}\n"
        };
        let file: String = (0..500).map(turn).collect();
        let read = |recent, cut| {
            let mut session = Session::new(Container::default(), &Options::default());
            session.set_paging(Paging { page: 64, recent, kept: 2 });
            for piece in file.as_bytes().chunks(cut) {
                session.push(piece);
            }
            session.finish();
            session
        };
        let kept = read(file.len(), file.len());
        assert_eq!((kept.is_decoded(), kept.text().released()), (true, 0));
        for (recent, cut) in [(256, 100), (2048, 3000), (2048, file.len())] {
            let paged = read(recent, cut);
            let all = Span::new(0, kept.text().len());
            assert!(paged.text().released() > 0, "{recent}");
            assert_eq!(paged.text().read(all), kept.text().read(all), "{recent} {cut}");
        }
    }
}
