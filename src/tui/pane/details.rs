//! The details pane: everything known about the selected problem, argument, call or text.

mod session;

use std::rc::Rc;

use crate::container::CallOutcome;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Status;
use crate::document::{Call, CallResult, Item, MatchedBy, MessageRole, SideRecord};
use crate::notes::Note;
use crate::repair::LineChange;
use crate::text::escape_sequences::without_escapes;
use crate::text::whole_characters;
use crate::text::wrap::fit;
use crate::text::{Position, Span};
use crate::value::main_argument::named_argument;
use crate::value::{NodeId, Scalar, Value, coerce};
use crate::wording::byte::{DissectedCall, byte};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::list::{self, List, Moved, Table};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::{
    LINE, Piece, Row, Target, beginning, count, hanging, mark, severity_word, size, speaker_role, verdict_role,
};
use crate::tui::style::Role;
use crate::tui::view::cache::Seen;
use crate::tui::view::presentation::ScreenElement;
use crate::tui::view::{Offer, PredictedOutcome, View, notes};
use crate::tui::viewport::{self, Anchor};

/// Maximum number of problems that are listed.
const PROBLEMS: usize = 100;

/// Columns of the labels before the values.
const LABEL: usize = 12;

/// The details pane: its scroll position and the selection that it belongs to.
#[derive(Clone, Default)]
pub struct Details {
    /// The first visible row.
    top: Anchor,
    about: Target,
}

impl Pane for Details {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        if !view.is_shown(PaneId::Details) {
            // Its rows are rebuilt each time.
            return None;
        }
        let table = Table { pane: PaneId::Details, view, rows: Rc::new(rows(view)), chosen: None };
        Some((Box::new(table), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Action::Move(motion) = action else { return Response::Ignored };
        let Some((list, top)) = self.list(view) else { return Response::done() };
        let height = list.room();
        let row = match motion {
            Motion::Half(_) | Motion::Page(_) => {
                let step = list::paged(&*list, top, motion, |_| false);
                return Response::moved(PaneId::Details, Moved { target: None, step });
            }
            motion => motion.moved(top.row, 1, usize::MAX),
        };
        let top = viewport::filled(&*list, Anchor { row, ..top }, height);
        drop(list);
        self.top = top;
        Response::done()
    }

    fn reveal(&mut self, view: &View) {
        if self.about != view.selection {
            self.about = view.selection;
            self.top = Anchor::default();
        }
    }
}

/// The rows for the selection.
fn rows(view: &View) -> Vec<Row> {
    let mut out = Fields { view, width: view.width(PaneId::Details), rows: Vec::new() };
    let Target { item, node, problem, .. } = view.selection;
    if let Some(offer) = view.offer.as_ref().filter(|offer| offer.at == view.selection) {
        out.offer(offer);
    }
    if let Some((number, problem)) = problem.and_then(|number| Some((number, view.problem(number)?))) {
        if problem.code == Code::ToolFailed {
            out.failure(&problem);
        } else {
            out.problem(&problem, view.problems().fault_index(number).is_some());
        }
        out.rows.push(Row::default());
    }
    if let Some(note) = view.selected_note().and_then(|number| view.session.notes().notes().get(number)) {
        out.note(note);
    }
    let is_session = view.is_recorded_session();
    if is_session {
        out.turn(view.selection.offset);
        out.request(view.selection.offset);
    }
    if view.layout.is_at_byte() {
        out.byte();
    }
    match (view.session.document().call(item), node) {
        (Some(_), Some(node)) => out.node(item, node),
        (Some(call), None) => out.call(item, &call),
        (None, _) => match view.session.document().items().get(item) {
            Some(Item::Result(answer)) => out.answer(&answer),
            Some(Item::Aside(aside)) => out.aside(&aside),
            _ => out.text(item),
        },
    }
    if item + 1 == view.session.document().items().len()
        && let Some(waiting) = view.waiting()
    {
        out.field("parser", &waiting.words, if waiting.is_open { Role::Pending } else { Role::Dim });
    }
    if view.session.is_decoded() {
        out.message(view.selection.offset);
        if !is_session {
            out.turn(view.selection.offset);
            out.request(view.selection.offset);
        }
        out.session();
    }
    out.rows
}

struct Fields<'a> {
    view: &'a View,
    width: usize,
    rows: Vec<Row>,
}

impl Fields<'_> {
    /// A label and its value, wrapped if necessary.
    fn field(&mut self, label: &str, value: &str, role: Role) {
        let leads = (&*format!("{label:<LABEL$}"), &*" ".repeat(LABEL));
        self.rows.extend(hanging(leads, Role::Dim, value, self.width.saturating_sub(LABEL), role));
    }

    fn place(&self, span: Span) -> String {
        let last = span.end.saturating_sub(1).max(span.start);
        let (first_line, last_line) = (self.view.line_of(span.start), self.view.line_of(last));
        let lines = if last_line == first_line {
            format!("line {first_line}, column {}", self.view.column_of(span.start))
        } else {
            format!("lines {first_line}–{last_line}")
        };
        let base = self.view.base();
        let place = format!("{lines}; bytes {}–{} ({})", base + span.start, base + span.end, size(span.len()));
        if !self.view.session.is_decoded() {
            return place;
        }
        let source = self.view.session.source_of(span);
        format!("{place}; in the file bytes {}–{}", source.start, source.end)
    }

    fn problem(&mut self, problem: &Diagnostic, is_fault: bool) {
        let draft = self.view.declaration.draft().filter(|_| is_fault);
        let fault_position = |span: Span| draft.map(|draft| draft.position(span.start));
        let (sign, role) = mark(problem.severity);
        let page = problem.code.info();
        self.field(severity_word(problem.severity), &format!("{sign} {}", problem.message), role);
        self.field("code", &format!("{}: {}", problem.code.name(), page.title), Role::Text);
        let place = match fault_position(problem.span) {
            Some(Position { line, column }) => format!("line {line}, column {column} of the declaration"),
            None => self.place(problem.span),
        };
        self.field("where", &place, Role::Text);
        if let (Some(expected), Some(found)) = (&problem.expected, &problem.found) {
            self.field("expected", expected, Role::Good);
            self.field("found", found, role);
        }
        for related in &problem.related {
            let line = fault_position(related.span)
                .map_or_else(|| self.view.line_of(related.span.start), |at| at.line.to_string());
            self.field("also", &format!("line {line}: {}", related.message), Role::Text);
        }
        self.field("help", &problem.help_text(), Role::Good);
        self.field("why", &page.explanation, Role::Text);
    }

    /// A failed call: the turn, the call and its output precede the explanations that apply to every failure.
    fn failure(&mut self, problem: &Diagnostic) {
        /// Maximum bytes and lines of the output that are shown.
        const OUTPUT: (usize, usize) = (1024, 6);
        let (view, offset) = (self.view, problem.span.start);
        let (document, text) = (view.session.document(), view.session.text());
        let (sign, role) = mark(problem.severity);
        self.field(severity_word(problem.severity), &format!("{sign} {}", problem.message), role);
        self.turn(offset);
        let item = document.item_at(offset).unwrap_or(view.selection.item);
        let answer = match document.items().get(item) {
            Some(Item::Result(answer)) => Some(answer),
            _ => None,
        };
        let call = answer.as_ref().and_then(|answer| answer.call).map_or(item, |(call, _)| call);
        if let Some(named) = document.call(call).map(|call| call.name(text)) {
            let about = view.assembly(call).and_then(|assembly| {
                let node = named_argument(&assembly.tree, &view.main_arguments)?;
                let words = assembly.tree.scalar_text(node, text);
                let first = words.lines().next().unwrap_or_default();
                Some(if first.len() < words.len() { format!("{first} …") } else { first.to_owned() })
            });
            self.field("call", &about.map_or(named.clone(), |about| format!("{named}  {about}")), Role::Name);
            self.time(call);
        }
        if let Some(answer) = answer {
            let span = Span::new(answer.span.start, answer.span.end.min(answer.span.start + OUTPUT.0));
            let output = without_escapes(&text.read_str(span)).into_owned();
            let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
            let is_cut = span.end < answer.span.end || lines.len() > OUTPUT.1;
            for (number, line) in lines.iter().take(OUTPUT.1).enumerate() {
                self.field(if number == 0 { "output" } else { "" }, line, Role::Text);
            }
            if is_cut {
                self.field("", "…", Role::Dim);
            }
        }
        let page = problem.code.info();
        self.field("code", &format!("{}: {}", problem.code.name(), page.title), Role::Text);
        self.field("why", &page.explanation, Role::Text);
    }

    fn call(&mut self, item: usize, call: &Call<'_>) {
        let text = self.view.session.text();
        self.field("call", &call.name(text), Role::Name);
        let is_session = self.view.is_recorded_session();
        if is_session {
            self.time(item);
            self.agent(item);
        }
        let id = call.id(text);
        let made = if call.id.is_some() { "" } else { " (made by the runtime)" };
        self.field("id", &format!("{id}{made}"), Role::Id);
        let dependencies = call.dependencies(text);
        if !dependencies.is_empty() {
            self.field("waits for", &dependencies.join(", "), Role::Dependency);
        }
        let status = match call.status {
            Status::Open => "still arriving",
            Status::Complete => "complete: ended by its end marker",
            Status::Implicit => "implicit: ended by the next start marker",
            Status::Unterminated => "unterminated: ended by the end of the text",
        };
        if !is_session || call.status != Status::Complete {
            self.field("status", status, Role::Text);
        }
        let is_stopped = call.answer == Some(CallOutcome::Denied) || self.view.is_interrupted(item, call);
        let is_plain = |fate: &PredictedOutcome| is_session && !is_stopped && matches!(fate, PredictedOutcome::Runs);
        if let Some(fate) = self.view.fate(item).filter(|fate| !is_plain(fate)) {
            let (words, role) = match fate {
                PredictedOutcome::Withdrawn => ("does not count: withdrawn by the file".into(), Role::Warning),
                _ if self.view.is_interrupted(item, call) => ("was interrupted by the user".into(), Role::Warning),
                PredictedOutcome::Runs if call.answer == Some(CallOutcome::Denied) => {
                    ("did not run: denied".into(), Role::Error)
                }
                PredictedOutcome::Runs if call.has_failed() => {
                    ("ran, and its result says that it failed".into(), Role::Error)
                }
                PredictedOutcome::Runs => {
                    let (wave, waves) = self.view.wave(item);
                    (format!("runs in wave {} of {waves}", wave + 1), Role::Good)
                }
                PredictedOutcome::Fails => ("is rejected by the runtime".into(), Role::Error),
                PredictedOutcome::Skipped => (format!("is skipped: {}", self.view.skip_reason(item)), Role::Warning),
            };
            self.field("runtime", &words, role);
        }
        if let Some(error) = self.view.assembly(item).and_then(|assembly| assembly.error.clone()) {
            self.field("its words", &error, Role::Error);
        }
        if let Some(seen) = self.view.seen(item) {
            let arguments = seen.assembly.arguments.len();
            let words = seen.end.map_or_else(String::new, |end| format!(" in {}", beginning(call.body, end)));
            self.field("arguments", &format!("{arguments}{words}"), Role::Text);
        }
        if !is_session {
            self.time(item);
            self.agent(item);
        }
        self.field("where", &self.place(call.span), Role::Text);
        if self.view.shows(ScreenElement::Dialects) {
            self.field("call format", call.dialect, Role::Text);
        }
        self.problems_of(call.span);
    }

    /// The location of a span of the text, and the problems in it.
    fn placed(&mut self, span: Span) {
        self.field("where", &self.place(span), Role::Text);
        self.problems_of(span);
    }

    /// One line for each problem in a span of the text.
    fn problems_of(&mut self, span: Span) {
        let problems = self.view.problems();
        let places = problems.first_from(span.start)..problems.first_from(span.end);
        let further = places.len().saturating_sub(PROBLEMS);
        for number in places.take(PROBLEMS).filter_map(|place| problems.at(place)) {
            let Some(problem) = self.view.problem(number) else { continue };
            let (sign, role) = mark(problem.severity);
            self.field(severity_word(problem.severity), &format!("{sign} {}", problem.message), role);
        }
        if further > 0 {
            self.field("", &format!("{}; the list of problems shows them", count(further, "more problem")), Role::Dim);
        }
    }

    fn node(&mut self, item: usize, id: NodeId) {
        let Some(assembly) = self.view.assembly(item) else { return };
        let text = self.view.session.text();
        let node = assembly.tree.node(id);
        self.field("pointer", &assembly.tree.path(id), Role::Pointer);
        let Value::Scalar(scalar, span) = node.value else {
            let children = node.value.children().len();
            self.field("type", &format!("{} of {children}", node.value.type_name()), Role::Text);
            return;
        };
        let value = assembly.tree.scalar_text(id, text).into_owned().into_bytes();
        // The rule is worth stating only if numbers and booleans are coerced from text.
        let call = self.view.session.document().call(item);
        let dialect = call.and_then(|call| self.view.session.dialect(call.dialect));
        let coercion = dialect.and_then(|dialect| dialect.info().coercion);
        let role = match scalar {
            Scalar::Boolean(_) => Role::Boolean,
            Scalar::Null => Role::Null,
            Scalar::Number(_) => Role::Number,
            Scalar::String => Role::String,
        };
        let lines = memchr::memchr_iter(b'\n', &value).count() + 1;
        let is = match scalar {
            Scalar::Number(number) => format!("number {}", coerce::number_text(number)),
            Scalar::String if lines > 1 => format!("string of {}", count(lines, "line")),
            scalar => scalar.type_name().to_owned(),
        };
        let words = coercion.map_or(is.clone(), |explain| format!("{is}: {}", explain(scalar, &value).reason));
        self.field("type", &words, role);
        if let Some(argument) = node.argument.and_then(|number| assembly.arguments.get(number)) {
            self.field("pointer at", &self.place(argument.pointer), Role::Text);
        }
        self.field("value at", &self.place(span), Role::Text);
        if !value.contains(&b'\n') {
            let shown = &value[..value.len().min(LINE)];
            self.field("text", &String::from_utf8_lossy(&shown[..whole_characters(shown)]), role);
        }
        if let Some(argument) = node.argument.and_then(|number| assembly.arguments.get(number)) {
            self.problems_of(argument.marker.cover(Span::new(argument.value.start, argument.value.end + 1)));
        }
    }

    /// A repair as a diff.
    fn offer(&mut self, offer: &Offer) {
        self.field("repair", &offer.words, Role::Good);
        for (number, hunk) in offer.hunks.iter().enumerate() {
            if number > 0 {
                self.rows.push(Row::plain("⋮", Role::Dim));
            }
            for (change, line) in &hunk.lines {
                let (sign, role) = match change {
                    LineChange::Equal => ("  ", Role::Dim),
                    LineChange::Delete => ("- ", Role::CodeDeleted),
                    LineChange::Insert => ("+ ", Role::CodeInserted),
                };
                let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
                let words = fit(&line, self.width.saturating_sub(4).max(10));
                self.rows.push(Row::words(vec![Piece::new(sign, role), Piece::new(words, role)]));
            }
        }
        self.rows.push(Row::default());
    }

    fn note(&mut self, note: &Note) {
        self.field("note", &notes::words(note), Role::User);
        if let Some(made) = &note.made {
            self.field("made", made, Role::Dim);
        }
        self.rows.push(Row::default());
    }

    fn byte(&mut self) {
        let offset = self.view.selection.offset;
        let seen = self.view.session.document().item_at(offset).and_then(|item| self.view.seen(item));
        let inside = seen.as_ref().map(|Seen { assembly, index, end }| DissectedCall { assembly, index, end: *end });
        let Some(byte) = byte(&self.view.session, offset, inside) else { return };
        self.field("byte", &byte.character, Role::Text);
        self.field("rule", &byte.rule, Role::Name);
        let more = [
            ("becomes", byte.becomes, Role::Good),
            ("because", byte.why, Role::Text),
            ("else", byte.otherwise, Role::Text),
        ];
        for (label, words, role) in more.into_iter().filter_map(|(label, words, role)| Some((label, words?, role))) {
            self.field(label, &words, role);
        }
        self.rows.push(Row::default());
    }

    fn answer(&mut self, answer: &CallResult<'_>) {
        let text = self.view.session.text();
        let called = |item: usize| {
            let call = self.view.session.document().call(item);
            call.map(|call| format!("{} {}", call.name(text), call.id(text))).unwrap_or_default()
        };
        let (words, role) = match (answer.call, answer.again) {
            (Some((item, MatchedBy::Id)), _) => (format!("{}: it names its id", called(item)), Role::Name),
            (Some((item, MatchedBy::Order)), _) => {
                (format!("{}: it names none, and this is the first call without a result", called(item)), Role::Name)
            }
            (None, Some(item)) => (format!("{} has another result already", called(item)), Role::Warning),
            (None, None) => ("no call for this result".to_owned(), Role::Warning),
        };
        self.field("result of", &words, role);
        if let Some(id) = answer.id {
            self.field("id", &id.text(self.view.session.text()), Role::Id);
        }
        let went = match answer.verdict {
            CallOutcome::Unknown => "the file does not say",
            CallOutcome::Succeeded => "fine",
            CallOutcome::Failed => "failed",
            CallOutcome::Denied => "denied",
        };
        self.field("outcome", went, verdict_role(answer.verdict));
        self.placed(answer.span);
    }

    fn aside(&mut self, aside: &SideRecord<'_>) {
        match aside.name {
            None => self.field("reasoning", "thoughts of the model", Role::Text),
            Some(name) => self.field("record", name, Role::Text),
        }
        self.placed(aside.span);
    }

    /// The message that contains the byte at `offset`.
    fn message(&mut self, offset: usize) {
        let document = self.view.session.document();
        let number = document.message_at(offset);
        let Some(message) = document.messages().get(number) else { return };
        let mut words = vec![message.speaker()];
        words.extend(message.details());
        let time = message.when();
        words.extend(time.as_deref());
        if document.is_abandoned(number) {
            words.push("abandoned");
        }
        self.field(
            "message",
            &format!("{} of {}: {}", number + 1, document.messages().len(), words.join(" · ")),
            speaker_role(&message),
        );
        if let Some(choice) = self.view.session.choice() {
            self.field("file format", &format!("{}: {}", choice.about.name, choice.summary()), Role::Text);
        }
    }

    fn text(&mut self, item: usize) {
        let Some(span) = self.view.session.document().items().span(item) else {
            return;
        };
        let document = self.view.session.document();
        let is_of_model = document.messages().role(document.message_at(span.start)) == Some(MessageRole::Assistant);
        let why = self.view.session.unsearched_reason().filter(|_| is_of_model);
        match why {
            Some(why) => self.field("text", &format!("prose: not searched for calls, since {why}"), Role::Text),
            None if self.view.is_recorded_session() => {}
            None => self.field("text", "prose: no marker acts in it", Role::Text),
        }
        self.placed(span);
    }
}
