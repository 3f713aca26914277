//! When to alert the user while text is followed: a problem was found, a call failed or has no result, nothing has
//! arrived for a while or nothing more will, or a filter matches something that has arrived.
//!
//! Only text that arrives after the first [`Phase::Following`] counts. There is a minimum time between alerts; later
//! events for the same reason are counted in the pending alert.

pub mod delivery;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::config::alerts::Conditions;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::ItemKind;
use crate::filter::{ArrivalFilter, Filter};
use crate::session::Session;
use crate::wording::activity::running_item;

use crate::tui::row::in_seconds;
use crate::tui::screen::transcript::Transcript;
use crate::tui::view::View;
use crate::tui::view::origin::{Phase, SourceState};

/// Minimum time between two alerts.
const GAP: Duration = Duration::from_secs(3);

/// Why the user is alerted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertReason {
    /// An error, a failed call, or one that the conversation continued without.
    Problem,
    /// A call has had no result for the configured time.
    Unanswered,
    /// Nothing has arrived for the configured time.
    Silence,
    /// Nothing more arrives.
    End,
    /// A filter matches an item.
    Match,
}

impl AlertReason {
    /// The value of `TRANSCOPE_ALERT`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Unanswered => "unanswered",
            Self::Silence => "silence",
            Self::End => "end",
            Self::Match => "match",
        }
    }
}

/// An alert about one source, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The name of the source.
    pub name: String,
    /// The reason of the alert.
    pub reason: AlertReason,
    /// Line of the first item or problem that it is about, if any.
    pub line: Option<usize>,
    /// The code of a problem; empty for any other reason.
    pub code: &'static str,
    /// The message of the problem, or a description of the event.
    pub message: String,
    /// Number of items or problems since the last alert for this reason.
    pub count: usize,
}

/// Detects reasons to alert in the open tabs.
#[derive(Debug, Default)]
pub struct AlertMonitor {
    when: Conditions,
    /// State by number of the tab.
    seen: HashMap<usize, SourceSnapshot>,
    waiting: VecDeque<Alert>,
    last: Option<Duration>,
}

/// State of a source when it was last examined.
#[derive(Clone, Debug, Default)]
struct SourceSnapshot {
    /// Number of problems; `None` until the existing text has been read.
    problems: Option<usize>,
    /// Offsets of calls that failed, or that the conversation continued without.
    calls: HashSet<(usize, Code)>,
    /// The running call, when it was first seen, and whether it was reported.
    running: Option<(usize, Duration, bool)>,
    filters: Vec<ArrivalFilter>,
    /// Number of items when following began.
    old_items: usize,
    bytes: usize,
    /// When the last byte arrived.
    since: Duration,
    /// True if the silence since then was reported.
    is_silence_reported: bool,
    is_following: bool,
    is_ended: bool,
}

impl AlertMonitor {
    /// Alerts on these conditions.
    pub fn new(when: Conditions) -> Self {
        Self { when, ..Self::default() }
    }

    /// Forgets tabs that are no longer open.
    pub fn retain(&mut self, open: &[usize]) {
        self.seen.retain(|tab, _| open.contains(tab));
    }

    /// Examines the text in a tab at the time `now`.
    pub fn examine(&mut self, tab: usize, state: &Transcript, now: Duration) {
        let filters =
            || self.when.filters.iter().filter_map(|filter| Filter::parse(filter).ok()).map(ArrivalFilter::new);
        let new = || SourceSnapshot { filters: filters().collect(), ..SourceSnapshot::default() };
        let seen = self.seen.entry(tab).or_insert_with(new);
        let (view, session) = (&state.view, state.view.whole());
        let bytes = session.text().len();
        if bytes != seen.bytes {
            // Fewer bytes: the text was replaced, so all of it is new.
            if bytes < seen.bytes {
                let problems = seen.problems.map(|_| 0);
                *seen = SourceSnapshot { problems, is_following: seen.is_following, ..new() };
            }
            (seen.bytes, seen.since, seen.is_silence_reported) = (bytes, now, false);
        }
        let was_following = std::mem::replace(&mut seen.is_following, view.origin.phase == Phase::Following);
        let is_first = seen.problems.is_none();
        // Filters are evaluated while the text loads; otherwise all of it would be evaluated when loading ends.
        let first = if is_first { usize::MAX } else { seen.old_items };
        let mut alerts: Vec<PendingAlert> =
            seen.filters.iter_mut().filter_map(|filter| matches(filter, session, first)).collect();
        if !is_first || seen.is_following {
            alerts.extend(seen.new_problems(view).filter(|_| self.when.problems && !is_first));
        }
        if is_first {
            seen.old_items = session.document().items().len();
        }
        if let Some(limit) = self.when.unanswered.filter(|_| seen.is_following) {
            alerts.extend(seen.unanswered(view, limit, now));
        }
        let is_silent = self.when.silence.is_some_and(|silence| now.saturating_sub(seen.since) >= silence);
        if seen.is_following && is_silent && !seen.is_silence_reported {
            seen.is_silence_reported = true;
            alerts.push((AlertReason::Silence, None, "", "no output for a while".to_owned(), 0));
        }
        let was_ended = std::mem::replace(&mut seen.is_ended, !view.is_live());
        // All of a command's output is new; the end of a file that is not followed is not worth an alert.
        if self.when.end && seen.is_ended && !was_ended && (was_following || view.origin.command.is_some()) {
            alerts.push((AlertReason::End, None, "", end_of(view), 0));
        }
        for (reason, offset, code, message, count) in alerts {
            let name = &view.origin.name;
            let is_same = |known: &Alert| (known.reason, &known.name) == (reason, name);
            let is_joined = |known: &Alert| reason != AlertReason::Match || known.message == message;
            if let Some(known) = self.waiting.iter_mut().find(|known| is_same(known) && is_joined(known)) {
                known.count += count;
                continue;
            }
            let line = offset.map(|offset| session.position(offset).line);
            self.waiting.push_back(Alert { name: name.clone(), reason, line, code, message, count });
        }
    }

    /// The alert that is due at the time `now`.
    pub fn due(&mut self, now: Duration) -> Option<Alert> {
        if self.last.is_some_and(|last| now.saturating_sub(last) < GAP) {
            return None;
        }
        let alert = self.waiting.pop_front()?;
        self.last = Some(now);
        Some(alert)
    }

    /// When an alert may be due if no event arrives until then.
    pub fn next(&self) -> Option<Duration> {
        let held_up = (!self.waiting.is_empty()).then(|| self.last.map_or(Duration::ZERO, |last| last + GAP));
        let following = || self.seen.values().filter(|seen| seen.is_following);
        let silent = self.when.silence.and_then(|silence| {
            let waiting = following().filter(|seen| !seen.is_silence_reported);
            waiting.map(|seen| seen.since + silence).min()
        });
        let unanswered = self.when.unanswered.and_then(|limit| {
            let running = following().filter_map(|seen| seen.running).filter(|(_, _, is_reported)| !is_reported);
            running.map(|(_, since, _)| since + limit).min()
        });
        held_up.into_iter().chain(silent).chain(unanswered).min()
    }
}

/// Reason, offset, code, message, and number of items or problems.
type PendingAlert = (AlertReason, Option<usize>, &'static str, String, usize);

impl SourceSnapshot {
    /// New problems and failed calls.
    fn new_problems(&mut self, view: &View) -> Option<PendingAlert> {
        let problems = view.whole().document().diagnostics();
        let known = self.problems.replace(problems.len()).unwrap_or(problems.len());
        let of_call = |code: Code| matches!(code, Code::ToolFailed | Code::UnansweredCall);
        let new = (known.min(problems.len())..problems.len()).filter_map(|number| problems.get(number));
        let mut news: Vec<Diagnostic> =
            new.filter(|found| found.severity == Severity::Error || of_call(found.code)).collect();
        // While a text is followed, problems of calls are recomputed for each frame; they are final at its end.
        news.retain(|found| !of_call(found.code) || self.calls.insert((found.span.start, found.code)));
        for found in view.so_far.iter().filter(|found| of_call(found.code)) {
            if self.calls.insert((found.span.start, found.code)) {
                news.push(found.clone());
            }
        }
        let first = news.first()?;
        Some((AlertReason::Problem, Some(first.span.start), first.code.name(), first.message.clone(), news.len()))
    }

    /// The call that has had no result for `limit`; each call is returned once.
    fn unanswered(&mut self, view: &View, limit: Duration, now: Duration) -> Option<PendingAlert> {
        let running = running_item(view.whole());
        let known = self.running.filter(|(item, ..)| Some(*item) == running);
        self.running = known.or(running.map(|item| (item, now, false)));
        let (item, since, is_reported) = self.running.as_mut()?;
        if *is_reported || now.saturating_sub(*since) < limit {
            return None;
        }
        *is_reported = true;
        let (document, text) = (view.whole().document(), view.whole().text());
        let message = format!("{} has no result after {}", document.call(*item)?.name(text), in_seconds(limit));
        Some((AlertReason::Unanswered, document.items().span(*item).map(|span| span.start), "", message, 1))
    }
}

/// Calls and texts that a filter newly matches, if they or their results have at least the number `first`. A call and
/// its result count as one.
fn matches(filter: &mut ArrivalFilter, session: &Session, first: usize) -> Option<PendingAlert> {
    let document = session.document();
    let is_new = |item| item >= first || document.answer_of(item).is_some_and(|answer| answer >= first);
    let is_counted = |item| is_new(item) && document.items().kind(item) != Some(ItemKind::Result);
    let decided = filter.decide(session).into_iter().filter(|&(_, is_selected)| is_selected);
    let selected: Vec<usize> = decided.map(|(item, _)| item).filter(|&item| is_counted(item)).collect();
    let start = document.items().span(*selected.iter().min()?)?.start;
    Some((AlertReason::Match, Some(start), "", filter.filter().to_string(), selected.len()))
}

/// Describes how reading ended.
fn end_of(view: &View) -> String {
    match (&view.origin.phase, view.origin.command) {
        (Phase::Failed(reason), _) => format!("reading failed: {reason}"),
        (_, Some(SourceState::Ended(exit))) => exit.words(),
        _ => "the end was reached".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::container::Container;
    use crate::dialect::Options;
    use crate::session::Session;
    use crate::source::SourceEvent;
    use crate::source::command::Exit;
    use crate::tui::message::Msg;
    use crate::tui::screen::Screen as _;
    use crate::tui::view::origin::TextOrigin;

    const BROKEN: &str = "!!!GADGET_START:A\n!!!ARG:x\n1\n!!!ARG:x\n2\n!!!GADGET_END\n";
    const FINE: &str = "!!!GADGET_START:A\n!!!ARG:x\n1\n!!!GADGET_END\n";

    fn state() -> Transcript {
        let session = Session::new(Container::default(), &Options::default());
        Transcript::new(
            session,
            Options::default(),
            TextOrigin { name: "live.txt".into(), ..TextOrigin::default() },
            (80, 24),
        )
    }

    fn arrives(state: &mut Transcript, text: &str) {
        state.update(Msg::Source(SourceEvent::Chunk(text.as_bytes().to_vec())));
    }

    fn problems() -> Conditions {
        Conditions { problems: true, ..Conditions::default() }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_new_error_calls_once_and_more_of_them_are_counted() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(problems());
        let mut at = |state: &Transcript, now| {
            monitor.examine(0, state, seconds(now));
            (monitor.due(seconds(now)), monitor.next())
        };
        arrives(&mut state, BROKEN);
        assert_eq!(at(&state, 0), (None, None), "what is there is no news");
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&state, 1), (None, None));
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 2), (None, None), "nothing is wrong");
        arrives(&mut state, BROKEN);
        let message = "Duplicate pointer: x".to_owned();
        let (name, reason, code) = ("live.txt".into(), AlertReason::Problem, "duplicate-pointer");
        let alert = Alert { name, reason, line: Some(14), code, message, count: 1 };
        assert_eq!(at(&state, 10), (Some(alert.clone()), None));
        assert_eq!(at(&state, 10), (None, None));
        arrives(&mut state, BROKEN);
        assert_eq!(at(&state, 11), (None, Some(seconds(13))), "it is too soon");
        arrives(&mut state, BROKEN);
        assert_eq!(at(&state, 13), (Some(Alert { count: 2, line: Some(20), ..alert }), None));
    }

    #[test]
    fn a_call_that_fails_or_stays_without_a_result_calls_once() {
        let written = Cell::new(0);
        let record = |role: &str, content: &str| {
            written.set(written.get() + 1);
            let (own, before) = (written.get(), written.get() - 1);
            format!(
                "{{\"type\":\"{role}\",\"uuid\":\"u{own}\",\"parentUuid\":\"u{before}\",\"sessionId\":\"s\",\
                 \"message\":{{\"role\":\"{role}\",\"content\":[{content}]}}}}\n"
            )
        };
        let call = |id: &str| {
            record("assistant", &format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"ls\",\"input\":{{}}}}"))
        };
        let result = |id: &str, is_error: bool| {
            let fields = format!(
                "\"tool_use_id\":\"{id}\",\"is_error\":{is_error},\"content\":\"Exit code 2\\nls: no such file\""
            );
            record("user", &format!("{{\"type\":\"tool_result\",{fields}}}"))
        };
        let says = |words: &str| record("user", &format!("{{\"type\":\"text\",\"text\":\"{words}\"}}"));
        let mut state = state();
        let mut monitor = AlertMonitor::new(problems());
        let mut at = |state: &mut Transcript, now| {
            drop(state.prepare_content(seconds(now)));
            monitor.examine(0, state, seconds(now));
            monitor.due(seconds(now)).map(|alert| (alert.count, alert.code, alert.message))
        };
        arrives(&mut state, &(says("Look.") + &call("a") + &result("a", true)));
        assert_eq!(at(&mut state, 0), None);
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&mut state, 10), None, "what was there is no news");
        arrives(&mut state, &call("b"));
        assert_eq!(at(&mut state, 20), None, "it may still be answered");
        arrives(&mut state, &result("b", true));
        assert_eq!(at(&mut state, 30), Some((1, "tool-failed", "ls failed: ls: no such file".to_owned())));
        assert_eq!(at(&mut state, 40), None);
        arrives(&mut state, &call("c"));
        arrives(&mut state, &result("c", false));
        arrives(&mut state, &call("d"));
        assert_eq!(at(&mut state, 50), None);
        arrives(&mut state, &says("Well?"));
        let unanswered = "no result for d, but the conversation continued".to_owned();
        assert_eq!(at(&mut state, 60), Some((1, "unanswered-call", unanswered)));
        state.update(Msg::Source(SourceEvent::End));
        assert_eq!(at(&mut state, 70), None, "what is certain now was reported");
    }

    #[test]
    fn silence_calls_once_until_something_comes() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(Conditions { silence: Some(seconds(30)), ..problems() });
        let mut at = |state: &Transcript, now| {
            monitor.examine(0, state, seconds(now));
            (monitor.due(seconds(now)).map(|alert| alert.reason), monitor.next())
        };
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 1), (None, None), "it is still being read");
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&state, 2), (None, Some(seconds(31))));
        assert_eq!(at(&state, 31), (Some(AlertReason::Silence), None));
        assert_eq!(at(&state, 90), (None, None));
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 100), (None, Some(seconds(130))));
        state.update(Msg::Source(SourceEvent::End));
        assert_eq!(at(&state, 200), (None, None), "the end is no silence");
    }

    #[test]
    fn a_text_that_begins_anew_is_news() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(problems());
        arrives(&mut state, FINE);
        arrives(&mut state, FINE);
        state.update(Msg::Source(SourceEvent::CaughtUp));
        monitor.examine(0, &state, seconds(1));
        state.update(Msg::Source(SourceEvent::Restarted("truncated".into())));
        monitor.examine(0, &state, seconds(2));
        arrives(&mut state, BROKEN);
        monitor.examine(0, &state, seconds(3));
        assert_eq!(monitor.due(seconds(3)).map(|alert| alert.count), Some(1));
    }

    #[test]
    fn each_condition_calls_once_and_for_nothing_else() {
        let message = |number: usize, role: &str, content: &str| {
            format!(
                "{{\"type\":\"{role}\",\"uuid\":\"u{number}\",\"parentUuid\":\"u{}\",\"sessionId\":\"s\",\
                 \"message\":{{\"role\":\"{role}\",\"content\":[{content}]}}}}\n",
                number - 1
            )
        };
        let call = |number, name: &str| {
            let id = format!("t{number}");
            message(
                number,
                "assistant",
                &format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"{name}\",\"input\":{{}}}}"),
            )
        };
        let result = |number, of: usize, is_error: bool| {
            let fields = format!("\"tool_use_id\":\"t{of}\",\"is_error\":{is_error},\"content\":\"no\"");
            message(number, "user", &format!("{{\"type\":\"tool_result\",{fields}}}"))
        };
        let prompt = message(1, "user", "{\"type\":\"text\",\"text\":\"Look.\"}");
        for (when, expected) in [
            (problems(), vec![(20, "tool-failed"), (30, "tool-failed")]),
            (Conditions { end: true, ..Conditions::default() }, vec![(200, "exited with status 3")]),
            (
                Conditions { unanswered: Some(seconds(60)), ..Conditions::default() },
                vec![(100, "Bash has no result after 1 min")],
            ),
            (
                Conditions { filters: vec!["failed tool:Bash".into()], ..Conditions::default() },
                // The last result may still grow.
                vec![(22, "failed tool:Bash")],
            ),
        ] {
            let mut state = state();
            let mut monitor = AlertMonitor::new(when.clone());
            let mut called = Vec::new();
            let steps = [
                (0, prompt.clone() + &call(2, "Bash") + &result(3, 2, true)),
                (10, call(4, "Bash")),
                (20, result(5, 4, true)),
                (22, call(6, "Edit")),
                (30, result(7, 6, true)),
                (40, call(8, "Bash")),
                (99, String::new()),
                (100, String::new()),
                (120, result(9, 8, false)),
                (190, String::new()),
            ];
            for (now, records) in steps {
                arrives(&mut state, &records);
                if now == 0 {
                    state.update(Msg::Source(SourceEvent::CaughtUp));
                }
                drop(state.prepare_content(seconds(now)));
                monitor.examine(0, &state, seconds(now));
                called.extend(monitor.due(seconds(now)).map(|alert| (now, alert)));
                if now == 99 && when.unanswered.is_some() {
                    assert_eq!(monitor.next(), Some(seconds(100)));
                }
            }
            state.update(Msg::Source(SourceEvent::Exited(Exit::Status(3))));
            state.update(Msg::Source(SourceEvent::End));
            monitor.examine(0, &state, seconds(200));
            called.extend(monitor.due(seconds(200)).map(|alert| (200, alert)));
            let called: Vec<(u64, &str)> = called
                .iter()
                .map(|(now, alert)| (*now, if alert.code.is_empty() { &*alert.message } else { alert.code }))
                .collect();
            assert_eq!(called, expected, "{when:?}");
        }
    }
}
