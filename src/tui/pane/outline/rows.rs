//! The contents of the outline's rows: speakers, beginnings of texts, main arguments and outcomes of calls.

use std::ops::Range;

use crate::container::CallOutcome;
use crate::container::facts::AgentFacts;
use crate::dialect::Status;
use crate::document::facts::compactions::CompactionEntry;
use crate::document::{Call, CallResult, Item, Message, MessageRole, SideRecord, Turn};
use crate::text::whole_characters;
use crate::text::wrap::{display_width, fit};
use crate::text::{Span, colour_codes, trim, trim_end};
use crate::value::main_argument::shortened;
use crate::wording::figures;
use crate::wording::program_text::program_text;

use crate::tui::action::PaneId;
use crate::tui::row::{
    FAILED, Piece, Row, Target, call_name, count, fold_sign, grouped, mark, size, speaker_role, verdict_role, width,
};
use crate::tui::style::Role;
use crate::tui::view::{PredictedOutcome, View};

/// Maximum bytes of a result in which lines are counted.
const COUNTED: usize = 64 * 1024;

/// Columns reserved for the main argument; if fewer remain, the outcome of the call is reduced to a mark.
const MIN_ARGUMENT: usize = 12;

/// Minimum columns for a turn's prompt; figures are dropped to make room for it.
const MIN_PROMPT: usize = 18;

/// Maximum number of consecutive texts of programs that share a row.
const MOST_WRAPPED: usize = 16;

/// The heading of a section; `message` is its first message, `items` are the items that it folds.
pub(super) fn heading(
    view: &View,
    item: usize,
    (record, message): (&Message, usize),
    turn: Option<Turn>,
    is_open: bool,
    items: Range<usize>,
) -> Row {
    let document = view.session.document();
    let has_messages = view.session.is_decoded();
    let word = if has_messages { record.speaker() } else { "transcript" };
    let mut lead = vec![fold_sign(is_open)];
    let number = turn.and_then(|turn| document.turn_number(turn));
    lead.extend(number.map(|number| Piece::new(format!("{number} "), Role::LineNumber)));
    lead.push(Piece::new(word, speaker_role(record)));
    let begun = document.conversation_begun_by(document.section(message).first);
    lead.extend(begun.map(|number| Piece::new(format!(" conversation {number}"), Role::Dim)));
    if record.is_outside || document.is_abandoned(message) {
        lead.push(Piece::new(if record.is_outside { " side" } else { " abandoned" }, Role::Dim));
    }
    let calls = view.calls_in(items.clone());
    // Most messages of a recorded conversation have no calls; a zero would only be noise.
    let says_calls = calls > 0 || !has_messages;
    let mut note: Vec<Piece> = says_calls.then(|| Piece::new(count(calls, "call"), Role::Dim)).into_iter().collect();
    let failed = if is_open { 0 } else { view.failures_in(items) };
    if failed > 0 {
        note.push(Piece::new(format!("  {FAILED} {}", grouped(failed)), Role::Error));
    }
    let target = Target::new(item, document.items().span(item).unwrap_or_default().start);
    Row { is_heading: true, note, ..Row::words(lead) }.to(target)
}

/// The heading of a turn of a recorded session: number, prompt, and the figures that fit, by importance: failures,
/// calls, duration, tokens.
pub(super) fn turn(view: &View, item: usize, turn: Turn, is_open: bool) -> Row {
    let summary = view.turn_summary(turn);
    let calls = view.calls_in(view.items_of_turn(turn));
    let failures = view.failures_in(view.items_of_turn(turn));
    let number = view.session.document().turn_number(turn);
    let number = number
        .map_or(Piece::new("abandoned ", Role::Warning), |number| Piece::new(format!("{number} "), Role::LineNumber));
    let lead = [fold_sign(is_open), number];
    let failed = (failures > 0).then(|| Piece::new(format!("{FAILED} {}", grouped(failures)), Role::Error));
    let dim = |words: String| Piece::new(words, Role::Dim);
    let calls = (calls > 0).then(|| dim(count(calls, "call")));
    let is_whole = !view.hides_items();
    let duration = summary.duration().filter(|_| is_whole).map(|time| dim(figures::duration(time)));
    let tokens = figures::total_tokens(&summary.spending).filter(|_| is_whole).map(dim);
    // Chosen by importance, but shown in list order.
    let figures = [(calls, 1), (failed, 0), (duration, 2), (tokens, 3)];
    let room = view.width(PaneId::Outline).saturating_sub(width(&lead) + MIN_PROMPT);
    let mut taken = 0;
    let mut worth = figures.len();
    for next in 0..figures.len() {
        let Some(figure) = figures.iter().find(|(_, rank)| *rank == next).and_then(|(figure, _)| figure.as_ref())
        else {
            continue;
        };
        taken += figure.width() + 2;
        if taken > room {
            worth = next;
            break;
        }
    }
    let mut note: Vec<Piece> = Vec::new();
    for figure in figures.into_iter().filter(|(_, rank)| *rank < worth).filter_map(|(figure, _)| figure) {
        if !note.is_empty() {
            note.push(Piece::new("  ", Role::Dim));
        }
        note.push(figure);
    }
    let prompt = view.prompt(turn);
    let prompt = if prompt.is_empty() { "(no text)".to_owned() } else { prompt };
    let mut lead: Vec<Piece> = lead.into();
    lead.extend(view.note_sign(item));
    let room = view.width(PaneId::Outline).saturating_sub(width(&lead) + width(&note) + 2);
    let words = Piece::new(&prompt, Role::User);
    lead.push(Piece { text: fit(&words.text, room).into_owned(), ..words });
    let target = Target::new(item, view.session.document().items().span(item).unwrap_or_default().start);
    Row { is_heading: true, note, ..Row::words(lead) }.to(target)
}

/// The heading of a sub-agent's conversation that is stored in the same file.
pub(super) fn agent(view: &View, item: usize, record: &Message, is_open: bool) -> Row {
    let document = view.session.document();
    let known = record.label.as_deref().and_then(|id| document.agent(id));
    let kind = known.as_ref().and_then(|agent| agent.facts.kind.as_deref());
    let name = kind.or(record.label.as_deref()).unwrap_or("sub-agent");
    let mut lead =
        vec![Piece::new("  ", Role::Gutter), fold_sign(is_open), Piece::new(format!("⑂ {name}"), Role::Name)];
    let description = known.as_ref().and_then(|agent| agent.facts.description.as_deref());
    lead.extend(description.map(|words| Piece::new(format!("  {words}"), Role::Text)));
    let target = Target::new(item, document.items().span(item).unwrap_or_default().start);
    let note = known.map(|agent| agent_figures(agent.facts)).unwrap_or_default();
    Row { is_heading: true, ..Row::noted(lead, Some(Piece::new(note, Role::Dim))) }.to(target)
}

/// The figures of a sub-agent: `2 calls  15.5 s`.
fn agent_figures(facts: &AgentFacts) -> String {
    let calls = facts.calls.map(|calls| count(calls as usize, "call"));
    let took = facts.took.map(figures::duration);
    [calls, took].into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// The row of a compaction.
pub(super) fn compaction(view: &View, item: usize, entry: &CompactionEntry) -> Row {
    let lead = vec![Piece::new(format!("── {}", figures::compaction(entry)), Role::Warning)];
    let target = Target::new(item, view.session.document().items().span(item).unwrap_or_default().start);
    Row { is_heading: true, ..Row::words(lead) }.to(target)
}

/// The row of a call: name, main argument and outcome.
pub(super) fn call(view: &View, item: usize, call: &Call<'_>, open: bool) -> Row {
    let text = view.session.text();
    let mut lead = vec![fold_sign(open)];
    lead.extend(view.note_sign(item));
    lead.push(call_name(call, text));
    let id_role = if call.id.is_some() { Role::Id } else { Role::Dim };
    if says_id(view, item, call) {
        lead.extend([Piece::new(" ", Role::Text), Piece::new(call.id(text), id_role)]);
    }
    let agent = view.agent_of(item);
    let (mut short, mut long) = outcome(view, item, call);
    let mut says_time = false;
    if let Some(agent) = &agent {
        lead.extend(agent.facts.kind.as_deref().map(|kind| Piece::new(format!(" ⑂ {kind}"), Role::Name)));
        let figures = agent_figures(agent.facts);
        let is_fine = !call.answer.is_some_and(CallOutcome::is_failure) && !figures.is_empty();
        if is_fine {
            long = Some(Piece::new(figures, Role::Dim));
            says_time = agent.facts.took.is_some();
            short = agent.facts.took.map(|took| Piece::new(figures::duration(took), Role::Dim));
        }
    }
    let room = view.width(PaneId::Outline).saturating_sub(width(&lead) + 2);
    let argument =
        agent.and_then(|agent| agent.facts.description.as_deref().map(Into::into)).or_else(|| view.main_argument(item));
    let wanted = argument.as_ref().map_or(0, |words| display_width(words.as_bytes()).min(MIN_ARGUMENT));
    let took = view.notable_duration(item).filter(|_| !says_time);
    let took = took.map(|took| Piece::new(figures::duration_figure(took), Role::Dim));
    let fits = |note: &Vec<Piece>| wanted + width(note) + 2 <= room;
    let (long, short) = (long.as_ref().or(short.as_ref()), short.as_ref());
    // In order of preference: the outcome as text with the duration, the mark with the duration, the text, the mark.
    let notes = [(took.as_ref(), long), (took.as_ref(), short), (None, long)].map(side_by_side);
    let note = notes.into_iter().find(fits).unwrap_or_else(|| side_by_side((None, short)));
    if let Some(words) = argument {
        let room = room.saturating_sub(if note.is_empty() { 0 } else { width(&note) + 2 });
        let words = shortened(&words, room);
        let words = fit(&words, room);
        if !words.is_empty() && words != "…" {
            lead.extend([Piece::new("  ", Role::Text), Piece::new(words, Role::Text)]);
        }
    }
    Row { note, ..Row::words(lead) }.to(Target::new(item, call.span.start))
}

/// Figures of a row, two spaces apart.
fn side_by_side((first, second): (Option<&Piece>, Option<&Piece>)) -> Vec<Piece> {
    let gap = first.and(second).map(|_| Piece::new("  ", Role::Dim));
    [first.cloned(), gap, second.cloned()].into_iter().flatten().collect()
}

/// True if the id of a call is informative: written by the model, or possibly named by a dependency. Ids of a file's
/// own calls are machine-generated.
fn says_id(view: &View, item: usize, call: &Call<'_>) -> bool {
    let document = view.session.document();
    if call.id.is_some() { !document.is_recorded(item) } else { document.has_dependencies() }
}

/// The outcome of a call: the short form is always shown, the long one if there is room.
fn outcome(view: &View, item: usize, call: &Call<'_>) -> (Option<Piece>, Option<Piece>) {
    let document = view.session.document();
    let told = |sign: &str, words: &str, role| {
        (Some(Piece::new(sign, role)), Some(Piece::new(format!("{sign} {words}"), role)))
    };
    let result = document.answer_of(item).and_then(|result| document.items().get(result));
    match (call.answer, view.fate(item)) {
        _ if call.status == Status::Open => (Some(Piece::new("…", Role::Pending)), None),
        _ if document.is_withdrawn(item) => (None, None),
        _ if view.is_interrupted(item, call) => told("⊘", "interrupted", Role::Warning),
        (Some(answer), _) if answer.is_failure() => told(FAILED, answer.label(), Role::Error),
        (_, Some(PredictedOutcome::Fails)) => told(FAILED, "rejected", Role::Error),
        (_, Some(PredictedOutcome::Skipped)) => told("⊘", "skipped", Role::Warning),
        _ if !view.is_live() && document.is_unanswered(item) => told("?", "unanswered", Role::Warning),
        _ if call.worst.is_some() => (call.worst.map(mark).map(|(sign, role)| Piece::new(sign, role)), None),
        _ => match result {
            Some(Item::Result(answer)) => (None, amount(view, answer.span)),
            _ => (None, None),
        },
    }
}

/// The size of a result, if it is longer than one line.
fn amount(view: &View, span: Span) -> Option<Piece> {
    let bytes = view.session.text().read(Span::new(span.start, span.end.min(span.start + COUNTED)));
    let lines = memchr::memchr_iter(b'\n', &bytes[..trim_end(&bytes)]).count() + 1;
    let words = if span.len() > COUNTED { size(span.len()) } else { count(lines, "line") };
    (lines > 1).then(|| Piece::new(words, Role::Dim))
}

/// The row of a result whose call has no row: the call's name and the outcome.
pub(super) fn answer(view: &View, item: usize, answer: &CallResult<'_>) -> Row {
    let text = view.session.text();
    let call = answer.call.and_then(|(item, _)| view.session.document().call(item));
    let words = call.map(|call| call.name(text)).or_else(|| Some(answer.id?.text(text))).unwrap_or_default();
    let role = verdict_role(answer.verdict);
    let mut lead = vec![Piece::new("⇒ ", role)];
    lead.extend(view.note_sign(item));
    lead.push(Piece::new(words, Role::Dim));
    if answer.call.is_none() {
        let gap = if lead.last().is_some_and(|name| name.width() == 0) { "" } else { "  " };
        lead.push(Piece::new(format!("{gap}{}", view.first_words(answer.span)), Role::Dim));
    }
    let note = match (CallOutcome::label(answer.verdict), answer.call) {
        ("", None) => Some(Piece::new("? no call", Role::Warning)),
        ("", _) => None,
        (words, _) => Some(Piece::new(words, role)),
    };
    Row::noted(lead, note).to(Target::new(item, answer.span.start))
}

/// The row of reasoning or of a record outside the conversation: its name and its beginning.
pub(super) fn non_message(view: &View, item: usize, aside: &SideRecord<'_>) -> Row {
    let sign = if aside.name.is_some() { "  " } else { "∴ " };
    let mut lead = vec![Piece::new(sign, Role::Gutter)];
    lead.extend(view.note_sign(item));
    let begins = view.first_words(aside.span);
    let words = match aside.name {
        None if begins.is_empty() => "reasoning".to_owned(),
        None => begins,
        // Structured data is left to the reading pane.
        Some(name) if begins.is_empty() || begins.starts_with(['{', '[', '<']) => name.to_owned(),
        Some(name) => format!("{name}  {begins}"),
    };
    lead.push(Piece::new(words, Role::Dim));
    Row::words(lead).to(Target::new(item, aside.span.start))
}

/// The row for a change of model between two answers.
pub(super) fn model_change(item: usize, offset: usize, before: &str, now: &str) -> Row {
    let lead = vec![Piece::new(format!("  model: {before} → {now}"), Role::Dim)];
    Row::words(lead).to(Target::new(item, offset))
}

/// The row of a text: its beginning. A whitespace-only text has none; of consecutive texts by programs only the first
/// has one.
pub(super) fn text(view: &View, item: usize, span: Span) -> Option<Row> {
    let bytes = view.head(span);
    let words = trim(&bytes, 0);
    // The visible start of the text, not the line feed after a call.
    let begins = span.start + words.start;
    let first = bytes[words.start..words.end].split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty())?;
    let mut lead = vec![Piece::new("  ", Role::Gutter)];
    lead.extend(view.note_sign(item));
    if let Some((sign, role)) = view.problems().worst_in(span, |problem| problem.item.is_none()).map(mark) {
        lead.push(Piece::new(format!("{sign} "), role));
    }
    let of_program = |item: usize| view.automatic_text(item).or_else(|| program_text(&view.session, item));
    if let Some(program) = of_program(item) {
        if item.checked_sub(1).is_some_and(|before| of_program(before).is_some()) {
            return None;
        }
        let others = (item + 1..).map_while(of_program).take(MOST_WRAPPED);
        let all: Vec<String> = std::iter::once(program).chain(others).collect();
        lead.push(Piece::new(format!("‹{}›", all.join(", ")), Role::Dim));
    } else {
        let document = view.session.document();
        let role = document.messages().role(document.message_at(span.start));
        let role = if role == Some(MessageRole::User) { Role::Text } else { Role::Dim };
        let first = String::from_utf8_lossy(&first[..whole_characters(first)]);
        lead.push(Piece::new(colour_codes::without(&first).trim_start_matches(['#', ' ']), role));
    }
    Some(Row::words(lead).to(Target::new(item, begins)))
}
