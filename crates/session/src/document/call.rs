//! Tool calls: the record kept for each, and the view for reading it.
//!
//! Records have a fixed size and hold spans. Lists and rare parts (dependencies, arguments, words that differ from
//! their bytes) are kept in [`CallLists`], in call order, so that a call costs about 60 bytes and no separate
//! allocation; only the lists of the last call grow.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;

use super::words::{WordList, WordNumber};
use crate::container::CallOutcome;
use crate::diagnostic::Severity;
use crate::dialect::{CallParts, Status, Word};
use crate::text::{Span, Text};

/// The stored form of a call, 52 bytes. Offsets are relative to the call's first byte, which its item holds. No
/// realistic marker or word is 4 GiB further on; such an offset saturates.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallRecord {
    pub(super) item: u32,
    /// Number in the id that the runtime generates; unused if the call has an id.
    pub(super) made: u32,
    /// Length of the start marker in bytes.
    pub(super) marker: u32,
    pub(super) name: PlacedWord,
    pub(super) id: Option<PlacedWord>,
    /// Offset of the body from the first byte.
    pub(super) body: u32,
    /// Length in bytes of the end marker, which follows the body.
    pub(super) tail: u32,
    /// Start of its lists; they end where the next call's begin.
    pub(super) lists: ListStarts,
    /// Index into the dialects seen.
    pub(super) dialect: u8,
    pub(super) status: Status,
    /// True if the runtime rejects it; results are in `answer`.
    pub(super) failed: bool,
    /// The highest severity of the problems about it.
    pub(super) worst: Option<Severity>,
    /// Outcome according to its result, if it has one.
    pub(super) answer: Option<CallOutcome>,
}

/// Start of a call's lists among the lists of all calls. Each holds up to 2^32 entries; more are dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListStarts {
    dependencies: u32,
    arguments: u32,
}

/// Position of a call's name or id, relative to the first byte of the call.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedWord {
    start: u32,
    /// Length in bytes plus one.
    behind: NonZeroU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordField {
    Name,
    Id,
}

/// A name or id whose decoded text differs from its bytes.
#[derive(Clone, Copy, Debug)]
struct DecodedWord {
    /// Number of the call, from 0.
    call: u32,
    field: WordField,
    word: WordNumber,
}

/// A stored dependency. One longer than 4 GiB is truncated.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredWord {
    start: usize,
    length: u32,
    /// Its text, if that differs from its bytes.
    decoded: Option<WordNumber>,
}

/// The dependencies, arguments and decoded words of all calls, in call order.
#[derive(Clone, Debug, Default)]
pub(super) struct CallLists {
    dependencies: Vec<StoredWord>,
    /// Offsets of argument markers, relative to the first byte of their call. One more than 4 GiB away is dropped, and
    /// so belongs to the value of the argument before it.
    arguments: Vec<u32>,
    /// Decoded text of words that differ from their bytes.
    decoded: WordList,
    /// The names and ids among them, in call order.
    fields: Vec<DecodedWord>,
}

/// A view of a tool call, built on demand.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The whole call, including markers.
    pub span: Span,
    /// Name of the dialect that parsed it.
    pub dialect: &'static str,
    /// Span of the start marker.
    pub marker: Span,
    /// Its name; if missing, the empty span where the body begins.
    pub name: Label<'a>,
    /// Its id as written, if it has one.
    pub id: Option<Label<'a>>,
    /// Prefix and number of the id that the runtime generates if none is written.
    pub(super) made_id: (&'a str, u32),
    /// Span between header and end marker.
    pub body: Span,
    /// Open, or how the call ended.
    pub status: Status,
    /// True if the runtime rejects it.
    pub failed: bool,
    /// The highest severity of the problems about it.
    pub worst: Option<Severity>,
    /// Outcome according to its result, if it has one.
    pub answer: Option<CallOutcome>,
    pub(super) dependencies: &'a [StoredWord],
    pub(super) arguments: &'a [u32],
    pub(super) lists: &'a CallLists,
}

/// A name or id: its span and its decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// Its bytes; empty if it is not written but implied by the dialect.
    pub span: Span,
    /// Its text, if that differs from its bytes.
    pub decoded: Option<&'a str>,
}

impl CallRecord {
    /// True if no call can build on it: the runtime rejects it, or its result reports a failure.
    pub(super) fn has_failed(&self) -> bool {
        self.failed || self.answer.is_some_and(CallOutcome::is_failure)
    }
}

impl CallLists {
    /// Begins the lists of the next call, which depends on these ids. Returns their start.
    pub(super) fn begin(&mut self, dependencies: &[Word]) -> ListStarts {
        let starts = self.ends();
        for word in dependencies.iter().take(u32::MAX as usize - self.dependencies.len()) {
            let decoded = word.decoded.as_deref().and_then(|decoded| self.decoded.push(decoded));
            self.dependencies.push(StoredWord { start: word.span.start, length: clamped(word.span.len()), decoded });
        }
        starts
    }

    /// Start of the lists of the next call.
    fn ends(&self) -> ListStarts {
        ListStarts { dependencies: self.dependencies.len() as u32, arguments: self.arguments.len() as u32 }
    }

    /// Adds an argument to the last call.
    pub(super) fn add_argument(&mut self, offset: u32) {
        if self.arguments.len() < u32::MAX as usize {
            self.arguments.push(offset);
        }
    }

    /// Stores the name or id of the last call, which begins at `start`. Replaces an earlier one.
    pub(super) fn place(&mut self, word: &Word, start: usize, call: u32, field: WordField) -> PlacedWord {
        if self.fields.last().is_some_and(|last| last.call == call) {
            let known = self.fields.iter().rposition(|known| known.call != call).map_or(0, |last| last + 1);
            self.fields.extract_if(known.., |known| known.field == field).for_each(drop);
        }
        if let Some(word) = word.decoded.as_deref().and_then(|decoded| self.decoded.push(decoded)) {
            self.fields.push(DecodedWord { call, field, word });
        }
        let behind = NonZeroU32::MIN.saturating_add(clamped(word.span.len()));
        PlacedWord { start: clamped(word.span.start - start), behind }
    }

    /// Returns the name or id of a call that begins at `start`.
    #[inline]
    pub(super) fn placed(&self, word: PlacedWord, start: usize, call: u32, field: WordField) -> Label<'_> {
        let start = start + word.start as usize;
        let from = self.fields.partition_point(|known| known.call < call);
        let mut decoded = self.fields[from..].iter().take_while(|known| known.call == call);
        Label {
            span: Span::new(start, start + word.behind.get() as usize - 1),
            decoded: decoded.find(|known| known.field == field).map(|known| self.decoded.get(known.word)),
        }
    }

    /// Appends the lists of calls that were parsed separately, the first of which gets the number `calls`. Returns the
    /// function that adjusts the records of these calls.
    pub(super) fn append(&mut self, next: &Self, calls: u32) -> impl Fn(&mut CallRecord) + use<> {
        let (words, before) = (self.decoded.append(&next.decoded), self.ends());
        self.dependencies.extend(
            next.dependencies
                .iter()
                .map(|word| StoredWord { decoded: word.decoded.map(|number| number.shifted_by(words)), ..*word }),
        );
        self.arguments.extend_from_slice(&next.arguments);
        let fields = next.fields.iter();
        self.fields.extend(fields.map(|known| DecodedWord {
            call: known.call + calls,
            word: known.word.shifted_by(words),
            ..*known
        }));
        move |call| {
            call.lists.dependencies += before.dependencies;
            call.lists.arguments += before.arguments;
        }
    }

    /// True if the lists of `next` fit.
    pub(super) fn may_append(&self, next: &Self) -> bool {
        let most = u32::MAX as usize;
        self.dependencies.len() + next.dependencies.len() <= most && self.arguments.len() + next.arguments.len() <= most
    }

    /// Reads a stored dependency.
    fn label(&self, word: StoredWord) -> Label<'_> {
        let span = Span::new(word.start, word.start + word.length as usize);
        Label { span, decoded: word.decoded.map(|number| self.decoded.get(number)) }
    }

    /// True if any call has dependencies.
    pub(super) fn has_dependencies(&self) -> bool {
        !self.dependencies.is_empty()
    }

    /// The dependencies of a call, given the start of its lists and of the next call's, if there is one.
    pub(super) fn dependencies(&self, from: ListStarts, to: Option<ListStarts>) -> &[StoredWord] {
        &self.dependencies[from.dependencies as usize..to.unwrap_or(self.ends()).dependencies as usize]
    }

    /// The arguments of a call; see [`CallLists::dependencies`].
    pub(super) fn arguments(&self, from: ListStarts, to: Option<ListStarts>) -> &[u32] {
        &self.arguments[from.arguments as usize..to.unwrap_or(self.ends()).arguments as usize]
    }
}

/// Converts a number of bytes to its stored form; saturates.
pub(super) fn clamped(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl<'a> Label<'a> {
    /// The name or id itself, decoded or read from the text.
    pub fn text<'t>(&self, text: &'t Text) -> Cow<'t, str>
    where
        'a: 't,
    {
        match self.decoded {
            Some(decoded) => Cow::Borrowed(decoded),
            None => text.read_str(self.span),
        }
    }
}

impl<'a> Call<'a> {
    /// True if no call can build on it: the runtime rejects it, or its result reports a failure.
    pub fn has_failed(&self) -> bool {
        self.failed || self.answer.is_some_and(CallOutcome::is_failure)
    }

    /// Its name; empty if none is written.
    pub fn name(&self, text: &Text) -> String {
        self.name.text(text).into_owned()
    }

    /// Its id, as written or as the runtime generates it.
    pub fn id(&self, text: &Text) -> String {
        match self.id {
            Some(id) => id.text(text).into_owned(),
            None => self.made_id(),
        }
    }

    /// Its id as the runtime generates it.
    pub(super) fn made_id(&self) -> String {
        format!("{}{}", self.made_id.0, self.made_id.1)
    }

    /// The ids that it depends on, as written.
    pub fn waits_for(&self) -> impl ExactSizeIterator<Item = Label<'a>> + use<'a> {
        let lists = self.lists;
        self.dependencies.iter().map(|&word| lists.label(word))
    }

    /// The id that it depends on at index `number`.
    pub(crate) fn dependency(&self, number: usize) -> Option<Label<'a>> {
        self.dependencies.get(number).map(|&word| self.lists.label(word))
    }

    /// The ids that it depends on, decoded.
    pub fn dependencies(&self, text: &Text) -> Vec<String> {
        self.waits_for().map(|label| label.text(text).into_owned()).collect()
    }

    /// Offsets of its argument markers, relative to its first byte.
    pub fn arguments(&self) -> &'a [u32] {
        self.arguments
    }

    /// The offsets that its dialect needs to dissect it. `arguments` are its own or the first of them; `text_start` is
    /// [`Document::text_start`](super::Document::text_start) of its first byte.
    pub fn parts<'b>(&self, text_start: usize, arguments: &'b [u32]) -> CallParts<'b> {
        CallParts { start: self.span.start, text_start, body: self.body, arguments, status: self.status }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Call")
            .field("span", &self.span)
            .field("dialect", &self.dialect)
            .field("marker", &self.marker)
            .field("name", &self.name)
            .field("id", &self.id)
            .field("made_id", &self.made_id)
            .field("waits_for", &self.waits_for().collect::<Vec<_>>())
            .field("body", &self.body)
            .field("arguments", &self.arguments)
            .field("status", &self.status)
            .field("failed", &self.failed)
            .field("worst", &self.worst)
            .field("answer", &self.answer)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_come_back_as_they_were() {
        let far = usize::MAX >> 31;
        let words = [
            Word::plain(Span::new(5, 9)),
            Word::decoded(Span::at(5), "made"),
            Word::decoded(Span::new(far, far + 3), "ü"),
            Word::plain(Span::new(far, far + 7)),
            Word::decoded(Span::at(5), ""),
        ];
        let mut lists = CallLists::default();
        let mut starts = Vec::new();
        for count in 0..=words.len() {
            starts.push(lists.begin(&words[..count]));
            (0..count as u32).for_each(|offset| lists.add_argument(offset * 1000));
        }
        for count in 0..=words.len() {
            let (from, to) = (starts[count], starts.get(count + 1).copied());
            let labels = lists.dependencies(from, to).iter().map(|&word| lists.label(word));
            let expected =
                words[..count].iter().map(|word| Label { span: word.span, decoded: word.decoded.as_deref() });
            assert_eq!(labels.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            assert_eq!(lists.arguments(from, to), (0..count as u32).map(|at| at * 1000).collect::<Vec<_>>());
        }
        assert!(size_of::<CallRecord>() <= 52);
    }
}
