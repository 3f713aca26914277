//! How a recorded session is shown, as opposed to a text that holds calls: a table lists the parts that are left out if
//! all calls are records of the file.
//!
//! A session whose text holds a call in any dialect is shown as a text: its markers and dialects matter there.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::container::facts::{Figure, Origin};
use crate::container::{CallOutcome, CallSource};
use crate::document::facts::requests::Spending;
use crate::document::facts::turn_summary::TurnSummary;
use crate::document::{Call, Item, MessageRole, Section, Turn};
use crate::session::prompt::prompt_line;
use crate::text::{Span, colour_codes, trim, whole_characters};
use crate::value::main_argument::main_argument;

use crate::tui::view::View;
use crate::wording::program_text::program_text;

/// Bytes of a text that are examined for its first words.
const HEAD: usize = 400;

/// Parts of the screen that depend on the kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenElement {
    /// A heading for each message instead of each turn.
    MessageHeadings,
    /// A result as a separate item instead of inside its call.
    SeparateResults,
    /// Ids of calls and results, which are machine-generated.
    CallIds,
    /// The type of a string argument; nearly all are strings.
    StringTypes,
    /// The container and the dialects in the title.
    Dialects,
    /// `no parse problems` in the title.
    NoProblems,
}

/// Parts that a recorded session does not show.
const HIDDEN_IN_SESSIONS: [ScreenElement; 6] = [
    ScreenElement::MessageHeadings,
    ScreenElement::SeparateResults,
    ScreenElement::CallIds,
    ScreenElement::StringTypes,
    ScreenElement::Dialects,
    ScreenElement::NoProblems,
];

impl View {
    /// True if all calls are records of the file, so that calls in its text are just text to the runtime.
    pub fn is_recorded_session(&self) -> bool {
        let session = self.whole();
        let is_agent = session.choice().is_some_and(|choice| choice.about.calls == CallSource::Records);
        is_agent && self.editor.is_none() && session.document().dialects_seen().all(|dialect| dialect == "native")
    }

    /// True if a part of the screen is shown for this text.
    pub fn shows(&self, element: ScreenElement) -> bool {
        !(HIDDEN_IN_SESSIONS.contains(&element) && self.is_recorded_session())
    }

    /// The turn that contains the byte at `offset`.
    pub fn turn_at(&self, offset: usize) -> Option<Turn> {
        let document = self.session.document();
        document.turn_of(document.message_at(offset))
    }

    /// Label of the turn that contains the byte at `offset`; `None` unless there are several turns.
    pub fn turn_name(&self, offset: usize) -> Option<String> {
        let turn = self.turn_at(offset).filter(|_| self.session.document().turn_count() > 1)?;
        Some(self.turn_label(turn))
    }

    /// Label of a turn: its number, or that it was abandoned.
    pub fn turn_label(&self, turn: Turn) -> String {
        let number = self.session.document().turn_number(turn);
        number.map_or("abandoned".into(), |number| format!("turn {number}"))
    }

    /// The next (1) or previous (-1) turn relative to an index. Hidden turns are skipped.
    pub fn neighbour_turn(&self, index: usize, direction: i8) -> Option<Turn> {
        let document = self.session.document();
        let is_shown = |turn: &Turn| self.all_branches || !document.is_abandoned(turn.first);
        if direction < 0 {
            (1..index).rev().filter_map(|index| document.turn(index)).find(is_shown)
        } else {
            (index + 1..).map_while(|index| document.turn(index)).find(is_shown)
        }
    }

    /// Tokens and money spent in the whole session.
    pub fn spending(&self) -> Spending {
        let document = self.whole().document();
        let mut cache = self.cache.borrow_mut();
        let key = (document.requests().len(), document.items().len());
        match cache.spending {
            Some((known, spending)) if known == key => spending,
            _ => {
                let spending = document.session_spending();
                cache.spending = Some((key, spending));
                spending
            }
        }
    }

    /// Figures of a turn.
    pub fn turn_summary(&self, turn: Turn) -> Rc<TurnSummary> {
        let document = self.session.document();
        let key = (turn.index, document.messages().len(), document.items().len(), document.requests().len());
        let mut cache = self.cache.borrow_mut();
        let kept = cache.turns.get(&turn.index).filter(|(known, _)| *known == key || !self.is_last(turn, key.1));
        if let Some((_, summary)) = kept {
            return Rc::clone(summary);
        }
        let summary = Rc::new(document.turn_summary(turn, self.session.text()));
        cache.turns.insert(turn.index, (key, Rc::clone(&summary)));
        summary
    }

    /// True if a turn may still grow, or has grown since its figures were cached.
    fn is_last(&self, turn: Turn, messages: usize) -> bool {
        self.session.document().end_of(turn) >= messages
    }

    /// The turn whose first visible item is this one.
    pub fn turn_begun_by(&self, item: usize) -> Option<Turn> {
        let items = self.session.document().items();
        let turn_of = |item: usize| items.span(item).and_then(|span| self.turn_at(span.start));
        let turn = turn_of(item)?;
        let mut before = self.item_before(item);
        while let Some(hidden) = before.filter(|&before| self.is_hidden(before)) {
            before = self.item_before(hidden);
        }
        before.is_none_or(|before| turn_of(before) != Some(turn)).then_some(turn)
    }

    /// The prompt of a turn on one line.
    pub fn prompt(&self, turn: Turn) -> String {
        prompt_line(&self.session, turn)
    }

    /// The item of a turn's prompt, if its heading shows it.
    pub fn prompt_item(&self, turn: Turn) -> Option<usize> {
        let document = self.session.document();
        let start = document.messages().start(turn.first)?;
        document.item_at(start).filter(|&item| document.items().span(item).is_some_and(|span| span.start == start))
    }

    /// True if a section of a recorded session has a separate heading within a turn: instructions, a sub-agent's
    /// conversation, an abandoned branch, another conversation.
    pub fn is_headed(&self, section: Section, message: usize) -> bool {
        let document = self.session.document();
        let messages = document.messages();
        let begins_turn = section.turn.is_some_and(|turn| turn.first == section.first);
        begins_turn
            || messages.is_aside(message)
            || document.is_abandoned(message)
            || document.conversation_begun_by(section.first).is_some()
            || document.compaction_of(message).is_some()
            || matches!(messages.role(message), None | Some(MessageRole::System))
    }

    /// Label of a text that a program wrote for the model, in a recorded session; such a text is folded.
    pub fn automatic_text(&self, item: usize) -> Option<String> {
        let document = self.session.document();
        let Some(Item::Text(span)) = document.items().get(item).filter(|_| self.is_recorded_session()) else {
            return None;
        };
        let message = document.message_at(span.start);
        let name = match document.messages().origin(message) {
            Origin::Summary => "summary of the conversation".to_owned(),
            Origin::Notification => program_text(&self.session, item).unwrap_or_else(|| "notification".to_owned()),
            Origin::Client if document.is_interruption(message) => "interrupted by the user".to_owned(),
            Origin::Client => program_text(&self.session, item).unwrap_or_else(|| "from the client".to_owned()),
            // A client may wrap what was typed, as in `<user_query>`.
            Origin::Unsaid => return program_text(&self.session, item).filter(|name| !name.starts_with("user")),
            _ => return None,
        };
        Some(name)
    }

    /// The span of the text that belongs to a turn.
    pub fn span_of_turn(&self, turn: Turn) -> Span {
        let document = self.session.document();
        let end = self.session.text().len();
        let start = document.message_span(turn.first, end).start;
        Span::new(start, document.messages().start(document.end_of(turn)).unwrap_or(end))
    }

    /// True if the user interrupted a call: according to its result, or, if it has none, because its turn was
    /// interrupted.
    pub fn is_interrupted(&self, item: usize, call: &Call<'_>) -> bool {
        /// Prefixes of the results of interrupted calls: Claude Code, Codex.
        const INTERRUPTED: [&[u8]; 2] = [b"[Request interrupted by user", b"aborted by user"];
        let document = self.session.document();
        match document.answer_of(item).and_then(|result| document.items().span(result)) {
            Some(result) if call.answer.is_some_and(CallOutcome::is_failure) => {
                let head = Span::new(result.start, result.end.min(result.start + INTERRUPTED[0].len()));
                let head = self.session.text().read(head);
                INTERRUPTED.iter().any(|words| head.starts_with(words))
            }
            Some(_) => false,
            None => self.is_recorded_session() && document.is_interrupted_after(call.span.start),
        }
    }

    /// The call inside which a result is shown.
    pub fn call_around(&self, item: usize) -> Option<usize> {
        if self.shows(ScreenElement::SeparateResults) {
            return None;
        }
        let Some(Item::Result(answer)) = self.session.document().items().get(item) else { return None };
        let is_seen = |item: usize| !self.is_hidden(item) && !self.is_filtered_out(item);
        answer.call.map(|(call, _)| call).filter(|&call| call < item && is_seen(call) && is_seen(item))
    }

    /// The result shown inside a call.
    pub fn result_inside(&self, call: usize) -> Option<usize> {
        self.session.document().answer_of(call).filter(|&result| self.call_around(result) == Some(call))
    }

    /// Tokens in the context at `offset`, and the size of the context window if known.
    pub fn context_at(&self, offset: usize) -> Option<(u64, Option<Figure<u64>>)> {
        let document = self.session.document();
        let request = document.requests().filling_at(offset)?;
        Some((request.prompt()?, document.context_window(&request)))
    }

    /// The main argument of a call, as its row in a list shows it.
    pub fn main_argument(&self, item: usize) -> Option<String> {
        let seen = self.seen(item)?;
        main_argument(&seen.assembly.tree, self.session.text(), &self.main_arguments)
    }

    /// The first non-empty line of a text, without Markdown signs at its ends.
    pub fn first_words(&self, span: Span) -> String {
        let bytes = self.head(span);
        let words = trim(&bytes, 0);
        let first = bytes[words.start..words.end].split(|&byte| byte == b'\n').next().unwrap_or_default();
        let first = String::from_utf8_lossy(&first[..whole_characters(first)]).into_owned();
        colour_codes::without(&first).trim_matches(['#', '*', ' ']).to_owned()
    }

    /// The beginning of a text, at most 400 bytes: enough for the longest row.
    pub fn head(&self, span: Span) -> Cow<'_, [u8]> {
        self.session.text().read(Span::new(span.start, span.end.min(span.start + HEAD)))
    }

    /// The range of the items of a turn.
    pub fn items_of_turn(&self, turn: Turn) -> Range<usize> {
        let document = self.session.document();
        let span = self.span_of_turn(turn);
        document.items_before(span.start)..document.items_before(span.end).max(document.items_before(span.start))
    }
}
