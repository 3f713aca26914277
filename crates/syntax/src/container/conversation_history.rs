//! Conversations that grow from request to request: each request to a provider repeats the whole history.
//!
//! A request continues the conversation whose parts it begins with, as many of them as possible; only what follows them
//! is new. Requests of several agents may alternate. Parts are compared by their digests, so that the form of a request
//! does not matter: an answer that arrived as a stream is the same as the message that repeats it later.

use std::collections::{HashMap, HashSet, VecDeque};

use super::MessageRole;

/// Most conversations that a request may continue; the one that was continued least recently is forgotten first.
const KEPT: usize = 16;

/// A part of a message: a text, a call or a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryPart {
    /// Digest of its content, regardless of its JSON form.
    pub(super) digest: u64,
    /// The speaker, if the request states one.
    pub(super) role: Option<MessageRole>,
    /// Offset in the transcript at which it was shown; 0 before it is.
    pub(super) start: usize,
}

impl HistoryPart {
    /// True if only a conversation that has begun has such a part.
    fn is_of_history(&self) -> bool {
        matches!(self.role, Some(MessageRole::Assistant | MessageRole::Tool))
    }
}

/// The relation of a request to the conversations before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    /// It continues this conversation, which has `known` parts; the rest of its parts are new.
    Grows {
        /// Number of the conversation, from 1.
        number: usize,
        /// Number of parts that an earlier request already showed.
        known: usize,
    },
    /// No known conversation has its beginning.
    Begins,
    /// It begins a conversation that is another one rewritten: the first `same` parts are equal, the next one is not,
    /// and later ones are repeated.
    Differs {
        /// Number of the other conversation, from 1.
        number: usize,
        /// Number of equal parts at its beginning.
        same: usize,
    },
}

/// A conversation of which a later request may be a continuation.
#[derive(Debug, Default)]
struct Known {
    number: usize,
    parts: Vec<HistoryPart>,
    /// Digests of all parts, to find where a history was rewritten.
    digests: HashSet<u64>,
    /// Offset of each call in the transcript, and the section that it is in, by its id.
    calls: HashMap<Box<str>, (usize, usize)>,
    /// Number of parts before the last answer.
    asked: usize,
}

/// The conversations that later requests may continue.
#[derive(Debug, Default)]
pub(super) struct GrowingHistory {
    /// The last one is the current one.
    known: VecDeque<Known>,
    /// Number of conversations so far.
    begun: usize,
    /// Number of times that another conversation became the current one.
    section: usize,
}

impl GrowingHistory {
    /// Takes the parts of a request, and makes its conversation the current one. If it begins one, it has no parts yet.
    pub(super) fn take(&mut self, request: &[HistoryPart]) -> Continuation {
        let same = |known: &Known| {
            let pairs = known.parts.iter().zip(request);
            pairs.take_while(|(known, part)| (known.digest, known.role) == (part.digest, part.role)).count()
        };
        let lengths: Vec<usize> = self.known.iter().map(same).collect();
        let longest = |is_meant: &dyn Fn(&Known, usize) -> bool| {
            let all = self.known.iter().zip(&lengths).enumerate();
            let meant = all.filter(|(_, (known, same))| is_meant(known, **same));
            meant.max_by_key(|(_, (_, same))| **same).map(|(index, (_, same))| (index, *same))
        };
        if let Some((index, same)) = longest(&|known, same| same > 0 && same == known.parts.len()) {
            return Continuation::Grows { number: self.resume(index), known: same };
        }
        let rewritten = longest(&|known, same| is_rewritten(known, request, same));
        let rewritten = rewritten.map(|(index, same)| (self.known[index].number, same));
        self.begun += 1;
        self.section += 1;
        if self.known.len() == KEPT {
            self.known.pop_front();
        }
        self.known.push_back(Known { number: self.begun, ..Known::default() });
        rewritten.map_or(Continuation::Begins, |(number, same)| Continuation::Differs { number, same })
    }

    /// Makes a conversation the current one; returns its number.
    fn resume(&mut self, index: usize) -> usize {
        let is_current = index + 1 == self.known.len();
        let conversation = self.known.remove(index).unwrap_or_default();
        let number = conversation.number;
        self.known.push_back(conversation);
        self.section += usize::from(!is_current);
        number
    }

    /// Makes the conversation that has the call with this id the current one, and returns its number.
    pub(super) fn answering(&mut self, id: &str) -> Option<usize> {
        let index = self.known.iter().rposition(|known| known.calls.contains_key(id))?;
        Some(self.resume(index))
    }

    /// True if the current conversation has a call with this id.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.known.back().is_some_and(|known| known.calls.contains_key(id))
    }

    /// True if the conversation with this number has a part with this digest.
    pub(super) fn has(&self, number: usize, digest: u64) -> bool {
        self.known.iter().any(|known| known.number == number && known.digests.contains(&digest))
    }

    /// Number of conversations so far, and of the one that began last.
    pub(super) fn begun(&self) -> usize {
        self.begun
    }

    /// The part of the current conversation with this index.
    pub(super) fn part(&self, index: usize) -> Option<&HistoryPart> {
        self.known.back()?.parts.get(index)
    }

    /// Adds a part of a request or an answer to the current conversation.
    pub(super) fn push(&mut self, part: HistoryPart, is_answer: bool) {
        let Some(known) = self.known.back_mut() else { return };
        known.digests.insert(part.digest);
        known.parts.push(part);
        if !is_answer {
            known.asked = known.parts.len();
        }
    }

    /// Adds a call with its id, shown at `start` in the transcript, to the current conversation.
    pub(super) fn push_call(&mut self, id: Box<str>, start: usize) {
        let section = self.section;
        if let Some(known) = self.known.back_mut() {
            known.calls.insert(id, (start, section));
        }
    }

    /// Offset of the call with this id, if the current conversation was interrupted by others after it.
    pub(super) fn earlier_call(&self, id: &str) -> Option<usize> {
        let (start, section) = self.known.back()?.calls.get(id)?;
        (*section != self.section).then_some(*start)
    }
}

/// True if a request repeats a conversation after its first `same` parts, with a change between: a cache of the
/// provider ends there. Answers may be equal by chance, so a prompt or another answer must
/// be repeated, too.
fn is_rewritten(known: &Known, request: &[HistoryPart], same: usize) -> bool {
    let Some(next) = request.get(same) else { return false };
    let before: HashSet<u64> = known.parts[..same].iter().map(|part| part.digest).collect();
    let is_known = |part: &&HistoryPart| known.digests.contains(&part.digest);
    let spoken = request[same..].iter().filter(|part| part.is_of_history() && !before.contains(&part.digest));
    let repeated = spoken.filter(is_known).count();
    let has_prompt = || request.iter().filter(|part| part.role == Some(MessageRole::User)).any(|part| is_known(&part));
    let is_answer_changed = next.is_of_history() && same > 0 && same == known.asked;
    repeated > 1 || (repeated == 1 || is_answer_changed) && has_prompt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts by a letter: upper case for the user, `s` for the system, other letters for the model.
    fn parts(text: &str) -> Vec<HistoryPart> {
        let role = |letter: char| match letter {
            's' | 'z' => MessageRole::System,
            letter if letter.is_ascii_uppercase() => MessageRole::User,
            letter if letter.is_ascii_digit() => MessageRole::Tool,
            _ => MessageRole::Assistant,
        };
        text.chars().map(|c| HistoryPart { digest: u64::from(c), role: Some(role(c)), start: 0 }).collect()
    }

    /// Takes a request and its answer; returns the continuation.
    fn ask(history: &mut GrowingHistory, request: &str, answer: &str) -> Continuation {
        let request = parts(request);
        let continuation = history.take(&request);
        let known = if let Continuation::Grows { known, .. } = continuation { known } else { 0 };
        for part in &request[known..] {
            history.push(*part, false);
        }
        for part in parts(answer) {
            history.push(part, true);
        }
        continuation
    }

    #[test]
    fn requests_grow_and_alternate() {
        use Continuation::{Begins, Grows};
        let mut history = GrowingHistory::default();
        for (request, answer, expected) in [
            ("sA", "ab", Begins),
            ("sB", "c", Begins),
            ("sAab1", "d", Grows { number: 1, known: 4 }),
            ("sBcC", "", Grows { number: 2, known: 3 }),
            // The request is repeated after a failure.
            ("sBcC", "e", Grows { number: 2, known: 4 }),
            ("sAab1dD", "f", Grows { number: 1, known: 6 }),
            // The same question again is another conversation.
            ("sA", "g", Begins),
            ("sAgE", "h", Grows { number: 3, known: 3 }),
        ] {
            assert_eq!(ask(&mut history, request, answer), expected, "{request}");
        }
    }

    #[test]
    fn a_changed_history_is_found_where_it_differs() {
        use Continuation::{Begins, Differs};
        for (before, after, expected) in [
            // The prompt of the system, the user's, and an answer are changed.
            (("sA", "a"), "zAaB", Differs { number: 1, same: 0 }),
            (("sA", "ab"), "sXab1", Differs { number: 1, same: 1 }),
            (("sAab1", "c"), "sAab2cB", Differs { number: 1, same: 4 }),
            (("sA", "a"), "sAxB", Differs { number: 1, same: 2 }),
            // Another question, with the same prompt of the system or the same examples.
            (("sA", "a"), "sB", Begins),
            (("sAaB", "b"), "sAaC", Begins),
            (("sA", "a"), "zA", Begins),
            // A question asked again after its answer.
            (("sAaB", "b"), "sAa", Begins),
        ] {
            let mut history = GrowingHistory::default();
            ask(&mut history, before.0, before.1);
            assert_eq!(ask(&mut history, after, ""), expected, "{before:?} {after}");
        }
    }

    #[test]
    fn few_conversations_are_kept() {
        let mut history = GrowingHistory::default();
        for letter in 'A'..='Z' {
            ask(&mut history, &letter.to_string(), "a");
        }
        assert_eq!(ask(&mut history, "AaB", ""), Continuation::Begins);
        assert_eq!(ask(&mut history, "ZaB", ""), Continuation::Grows { number: 26, known: 2 });
    }

    #[test]
    fn a_call_of_an_interrupted_conversation_is_found() {
        let mut history = GrowingHistory::default();
        ask(&mut history, "A", "a");
        history.push_call("c".into(), 7);
        assert_eq!(history.earlier_call("c"), None);
        ask(&mut history, "B", "b");
        assert_eq!(history.earlier_call("c"), None);
        ask(&mut history, "Aa1", "d");
        assert_eq!(history.earlier_call("c"), Some(7));
    }
}
