//! Detects answers that ended before the model was done, from the facts that containers state: cut at a token limit, or
//! aborted by the user.

use super::facts::{Fact, RequestFacts, SessionState};

/// Stop reasons of providers and agents for an answer that was cut at a limit.
const LIMITS: [&str; 5] = ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"];

/// Finds cut answers among the facts; several records may state the same one.
#[derive(Debug, Default)]
pub(super) struct CutAnswers {
    /// Key of the last request found.
    last: Option<Box<str>>,
}

impl CutAnswers {
    /// The reason why the answer that a fact is about is incomplete.
    pub(super) fn reason(&mut self, fact: &Fact) -> Option<String> {
        match fact {
            Fact::Request(RequestFacts { stop: Some(stop), key, .. }) if LIMITS.contains(&stop.as_ref()) => {
                if key.is_some() && *key == self.last {
                    return None;
                }
                self.last.clone_from(key);
                Some(format!("the answer was cut off at a limit of tokens: {stop}"))
            }
            Fact::State(SessionState::Interrupted) => Some("the request was aborted: the user interrupted it".into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_was_cut_off_is_found_once_and_one_that_is_whole_never() {
        let mut cut = CutAnswers::default();
        let mut found = |key: Option<&str>, stop: &str| {
            let (key, stop) = (key.map(Box::from), Some(stop.into()));
            cut.reason(&Fact::Request(RequestFacts { key, stop, ..RequestFacts::default() })).is_some()
        };
        for (key, stop, expected) in [
            (Some("m1"), "end_turn", false),
            (Some("m2"), "max_tokens", true),
            (Some("m2"), "max_tokens", false),
            (Some("m3"), "length", true),
            (None, "MAX_TOKENS", true),
            (None, "MAX_TOKENS", true),
            (None, "tool-calls", false),
        ] {
            assert_eq!(found(key, stop), expected, "{key:?} {stop}");
        }
        assert!(cut.reason(&Fact::State(SessionState::Interrupted)).is_some());
    }
}
