//! When to alert the user: a problem has been found, a call has failed or the conversation went on without its result, or
//! nothing has come for long, while text is followed.
//!
//! What was there before is no news, so only what comes behind the first [`Phase::Following`] counts. Calls are kept
//! apart in time; what happens in between is counted in the next one.

pub mod call;

use std::collections::HashSet;
use std::time::Duration;

use crate::diagnostic::{Code, Diagnostic, Severity};

use crate::tui::screen::transcript::Transcript;
use crate::tui::view::origin::Phase;

/// The least time between two calls.
const GAP: Duration = Duration::from_secs(3);

/// A call to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The name of the source that it is about.
    pub name: String,
    /// The first error, failed call or call without a result: its line, its code, its message. Without one, nothing has
    /// come for the time that was set.
    pub problem: Option<(usize, &'static str, String)>,
    /// Problems since the last call.
    pub count: usize,
}

/// Looks out for something to call for.
#[derive(Debug, Default)]
pub struct AlertMonitor {
    silence: Option<Duration>,
    /// By the number of the source.
    seen: Vec<Seen>,
    waiting: Option<Alert>,
    last: Option<Duration>,
}

/// What was seen of a source.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Problems that were there; unknown until all that was there has been read.
    problems: Option<usize>,
    /// Where calls were that failed, or that the conversation went on without an answer to.
    calls: HashSet<(usize, Code)>,
    bytes: usize,
    /// When the last byte came.
    since: Duration,
    /// Whether the silence since then has been told.
    told: bool,
    is_following: bool,
}

impl AlertMonitor {
    /// Looks out for problems, and for silence of some length.
    pub fn new(silence: Option<Duration>) -> Self {
        Self { silence, ..Self::default() }
    }

    /// Looks at the source with a number, at the time `now`.
    pub fn look(&mut self, source: usize, state: &Transcript, now: Duration) {
        if self.seen.len() <= source {
            self.seen.resize(source + 1, Seen::default());
        }
        let seen = &mut self.seen[source];
        let session = state.view.whole();
        let problems = session.document().diagnostics();
        let bytes = session.text().len();
        if bytes != seen.bytes {
            // Fewer bytes are those of a text that has begun anew, of which all is news.
            if bytes < seen.bytes {
                seen.problems = seen.problems.map(|_| 0);
                seen.calls.clear();
            }
            (seen.bytes, seen.since, seen.told) = (bytes, now, false);
        }
        seen.is_following = state.view.origin.phase == Phase::Following;
        let is_first = seen.problems.is_none();
        let known = match seen.problems {
            Some(known) => known,
            None if seen.is_following => problems.len(),
            None => return,
        };
        seen.problems = Some(problems.len());
        let of_call = |code: Code| matches!(code, Code::ToolFailed | Code::UnansweredCall);
        let new = (known.min(problems.len())..problems.len()).filter_map(|number| problems.get(number));
        let mut news: Vec<Diagnostic> =
            new.filter(|found| found.severity == Severity::Error || of_call(found.code)).collect();
        // How calls went is found again for each frame while a text is followed, and certain once it ends.
        news.retain(|found| !of_call(found.code) || seen.calls.insert((found.span.start, found.code)));
        for found in state.view.so_far.iter().filter(|found| of_call(found.code)) {
            if seen.calls.insert((found.span.start, found.code)) {
                news.push(found.clone());
            }
        }
        if is_first {
            news.clear();
        }
        if let Some(first) = news.first() {
            let count = news.len();
            let line = session.position(first.span.start).line;
            let problem = Some((line, first.code.name(), first.message.clone()));
            let before = self.waiting.take().filter(|waiting| waiting.problem.is_some());
            let alert = Alert { name: state.view.origin.name.clone(), problem, count };
            self.waiting = Some(before.map_or(alert, |before| Alert { count: before.count + count, ..before }));
        }
        let is_silent = self.silence.is_some_and(|silence| now.saturating_sub(seen.since) >= silence);
        if seen.is_following && is_silent && !seen.told {
            seen.told = true;
            let name = state.view.origin.name.clone();
            self.waiting.get_or_insert(Alert { name, problem: None, count: 0 });
        }
    }

    /// The call that is due at the time `now`.
    pub fn due(&mut self, now: Duration) -> Option<Alert> {
        if self.last.is_some_and(|last| now.saturating_sub(last) < GAP) {
            return None;
        }
        let alert = self.waiting.take()?;
        self.last = Some(now);
        Some(alert)
    }

    /// When something may be due, if nothing happens until then.
    pub fn next(&self) -> Option<Duration> {
        let held_up = self.waiting.as_ref().map(|_| self.last.map_or(Duration::ZERO, |last| last + GAP));
        let silent = self.silence.and_then(|silence| {
            let waiting = self.seen.iter().filter(|seen| seen.is_following && !seen.told);
            waiting.map(|seen| seen.since + silence).min()
        });
        held_up.into_iter().chain(silent).min()
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

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_new_error_calls_once_and_more_of_them_are_counted() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(None);
        let mut at = |state: &Transcript, now| {
            monitor.look(0, state, seconds(now));
            (monitor.due(seconds(now)), monitor.next())
        };
        arrives(&mut state, BROKEN);
        assert_eq!(at(&state, 0), (None, None), "what is there is no news");
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&state, 1), (None, None));
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 2), (None, None), "nothing is wrong");
        arrives(&mut state, BROKEN);
        let problem = Some((14, "duplicate-pointer", "Duplicate pointer: x".to_owned()));
        let alert = Alert { name: "live.txt".into(), problem, count: 1 };
        assert_eq!(at(&state, 10), (Some(alert.clone()), None));
        assert_eq!(at(&state, 10), (None, None));
        arrives(&mut state, BROKEN);
        assert_eq!(at(&state, 11), (None, Some(seconds(13))), "it is too soon");
        arrives(&mut state, BROKEN);
        let problem = Some((20, "duplicate-pointer", "Duplicate pointer: x".to_owned()));
        assert_eq!(at(&state, 13), (Some(Alert { count: 2, problem, ..alert }), None));
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
        let mut monitor = AlertMonitor::new(None);
        let mut at = |state: &mut Transcript, now| {
            drop(state.settle(seconds(now)));
            monitor.look(0, state, seconds(now));
            monitor
                .due(seconds(now))
                .map(|alert| (alert.count, alert.problem.map(|(_, code, message)| (code, message))))
        };
        arrives(&mut state, &(says("Look.") + &call("a") + &result("a", true)));
        assert_eq!(at(&mut state, 0), None);
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&mut state, 10), None, "what was there is no news");
        arrives(&mut state, &call("b"));
        assert_eq!(at(&mut state, 20), None, "it may still be answered");
        arrives(&mut state, &result("b", true));
        let failed = ("tool-failed", "ls failed: ls: no such file".to_owned());
        assert_eq!(at(&mut state, 30), Some((1, Some(failed))));
        assert_eq!(at(&mut state, 40), None);
        arrives(&mut state, &call("c"));
        arrives(&mut state, &result("c", false));
        arrives(&mut state, &call("d"));
        assert_eq!(at(&mut state, 50), None);
        arrives(&mut state, &says("Well?"));
        let unanswered = ("unanswered-call", "no result for d, but the conversation continued".to_owned());
        assert_eq!(at(&mut state, 60), Some((1, Some(unanswered))));
        state.update(Msg::Source(SourceEvent::End));
        assert_eq!(at(&mut state, 70), None, "what is certain now was reported");
    }

    #[test]
    fn silence_calls_once_until_something_comes() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(Some(seconds(30)));
        let mut at = |state: &Transcript, now| {
            monitor.look(0, state, seconds(now));
            (monitor.due(seconds(now)).map(|alert| alert.problem), monitor.next())
        };
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 1), (None, None), "it is still being read");
        state.update(Msg::Source(SourceEvent::CaughtUp));
        assert_eq!(at(&state, 2), (None, Some(seconds(31))));
        assert_eq!(at(&state, 31), (Some(None), None));
        assert_eq!(at(&state, 90), (None, None));
        arrives(&mut state, FINE);
        assert_eq!(at(&state, 100), (None, Some(seconds(130))));
        state.update(Msg::Source(SourceEvent::End));
        assert_eq!(at(&state, 200), (None, None), "the end is no silence");
    }

    #[test]
    fn a_text_that_begins_anew_is_news() {
        let mut state = state();
        let mut monitor = AlertMonitor::new(None);
        arrives(&mut state, FINE);
        arrives(&mut state, FINE);
        state.update(Msg::Source(SourceEvent::CaughtUp));
        monitor.look(0, &state, seconds(1));
        state.update(Msg::Source(SourceEvent::Restarted("truncated".into())));
        monitor.look(0, &state, seconds(2));
        arrives(&mut state, BROKEN);
        monitor.look(0, &state, seconds(3));
        assert_eq!(monitor.due(seconds(3)).map(|alert| alert.count), Some(1));
    }
}
