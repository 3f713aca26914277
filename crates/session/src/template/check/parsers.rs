//! Calls of the history that parsers do not read: the round trip of conversations that end with calls.

use super::super::conversation::TemplateRuntime;
use super::super::roundtrip::{ParserVerdict, ProbeRoundTrip, TurnParsers, TurnReading, round_trip};
use super::super::source::ChatTemplate;
use super::renders::Renders;
use super::search::{calls_of, name_of};
use super::{ProbedConversation, Problems};
use crate::diagnostic::{Code, Diagnostic};

/// Conversations whose turns are read: each parser of a dialect reads each of them.
const MAX_TURNS: usize = 2;

pub(super) fn find(renders: &Renders, template: &ChatTemplate, probes: &[ProbedConversation], found: &mut Problems) {
    let ends_with_calls = |probe: &&ProbedConversation| {
        let last = probe.conversation.messages.last();
        last.is_some_and(|message| calls_of(message).iter().any(|call| !call["function"]["arguments"].is_string()))
    };
    let chosen: Vec<&ProbedConversation> = probes.iter().filter(ends_with_calls).take(MAX_TURNS).collect();
    let conversations: Vec<_> = chosen.iter().map(|probe| (probe.name.clone(), probe.conversation.clone())).collect();
    let parsers = TurnParsers::default();
    let Ok(trips) = round_trip(template, renders.special_tokens(), renders.options(), &conversations, &parsers) else {
        return;
    };
    let is_exact = |trip: &ProbeRoundTrip| {
        trip.outcome.as_ref().is_ok_and(|reading| reading.shows_calls() && reading.is_readable())
    };
    let exact: Vec<String> = trips.iter().filter(|trip| is_exact(trip)).map(|trip| trip.probe.clone()).collect();
    for (probe, trip) in chosen.into_iter().zip(trips) {
        let Ok(reading) = trip.outcome else { continue };
        let Some((code, message)) = problem(&reading, &exact) else { continue };
        let Ok(rendered) = renders.render(probe, TemplateRuntime::Transformers) else { continue };
        let name = probe.conversation.messages.last().and_then(|last| calls_of(last).first()).map_or("", name_of);
        let at = reading.turn.range.start + reading.turn.text().find(name).unwrap_or(0);
        let span = renders.place(&rendered, at);
        found.add_everywhere(probe, &Diagnostic::new(code, span, message));
    }
}

/// The problem of a turn that shows calls: no parser reads them, or some do not. `exact` are the probes whose calls a parser reads.
fn problem(reading: &TurnReading, exact: &[String]) -> Option<(Code, String)> {
    if let Some(reason) = reading.unreadable_reason() {
        let others = match exact {
            [] => String::new(),
            exact => format!("; the calls of the probe {} are read exactly", exact.join(" and ")),
        };
        return Some((Code::UnreadableByOwnParser, format!("no parser reads the calls exactly: {reason}{others}")));
    }
    if !reading.shows_calls() {
        return None;
    }
    let other = |verdict: &&ParserVerdict| !verdict.reads_calls();
    let others: Vec<&ParserVerdict> = reading.of_runtimes().filter(other).collect();
    let first = others.first()?;
    let difference = first.differences.iter().find(|difference| difference.is_of_calls())?;
    let more = if others.len() > 1 { format!(", and {} more", others.len() - 1) } else { String::new() };
    let all = reading.of_runtimes().count();
    let exact = all - others.len();
    Some((
        Code::ParserDisagrees,
        format!("{exact} of {all} parsers read the calls; {}{more}: it reads {difference}", first.parser),
    ))
}
