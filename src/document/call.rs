//! Tool calls: the record that is kept of each, and the view of one as it is read back.
//!
//! Records are of one size and hold spans. What is a list or rare (dependencies, arguments, words that are not what
//! their bytes say) lies beside them in [`CallLists`], one call behind the other, so that a call costs about 60 bytes
//! and no allocation of its own; only the lists of the last call grow.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;

use super::words::{WordList, WordNumber};
use crate::container::CallOutcome;
use crate::diagnostic::Severity;
use crate::dialect::{CallParts, Status, Word};
use crate::text::{Span, Text};

/// What is kept of a call, in 52 bytes: what stands in it is counted from its first byte, which its item knows. Nobody writes
/// a marker or a word 4 GiB behind that; one that is further off is kept as if it were there.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallRecord {
    /// Number of its item.
    pub(super) item: u32,
    /// The number of the id that the runtime makes; it does not count where there is an id.
    pub(super) made: u32,
    /// Bytes of its start marker.
    pub(super) marker: u32,
    pub(super) name: PlacedWord,
    pub(super) id: Option<PlacedWord>,
    /// Bytes from its first byte to its body.
    pub(super) body: u32,
    /// Bytes behind its body: its end marker.
    pub(super) tail: u32,
    /// Where its lists begin; they end where those of the next call begin.
    pub(super) lists: ListStarts,
    /// Number of its dialect among those seen.
    pub(super) dialect: u8,
    pub(super) status: Status,
    /// Whether the runtime rejects it.
    pub(super) failed: bool,
    /// The most severe problem about it.
    pub(super) worst: Option<Severity>,
    /// What its result says, if it has one.
    pub(super) answer: Option<CallOutcome>,
}

/// Where the lists of a call begin among those of all calls. There is room for 2^32 of each; further ones are not kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListStarts {
    dependencies: u32,
    arguments: u32,
}

/// Where the name or the id of a call stands, counted from the first byte of the call.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedWord {
    start: u32,
    /// One more than its bytes.
    behind: NonZeroU32,
}

/// One of the words of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordField {
    Name,
    Id,
}

/// What a name or an id is, where that is not what its bytes say.
#[derive(Clone, Copy, Debug)]
struct DecodedWord {
    /// Number of the call among all calls, from 0.
    call: u32,
    field: WordField,
    word: WordNumber,
}

/// A dependency as it is kept. Nobody writes one of 4 GiB; of such a one the beginning is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredWord {
    start: usize,
    length: u32,
    /// What it is, where that is not what its bytes say.
    decoded: Option<WordNumber>,
}

/// The dependencies, arguments and decoded words of all calls, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct CallLists {
    dependencies: Vec<StoredWord>,
    /// Offsets of argument markers, relative to the first byte of their call. One that begins more than 4 GiB behind it
    /// is not kept, and so belongs to the value of the argument before it.
    arguments: Vec<u32>,
    /// What words are that are not what their bytes say.
    decoded: WordList,
    /// Which of them are the names and ids of calls, in the order of the calls.
    fields: Vec<DecodedWord>,
}

/// A tool call as it is read back: made when it is asked for, and gone with the look at it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// All its bytes, markers included.
    pub span: Span,
    /// Name of the dialect that found it.
    pub dialect: &'static str,
    /// The bytes of its start marker.
    pub marker: Span,
    /// Its name; where it is not there, the empty place where the body begins.
    pub name: Label<'a>,
    /// Its id as it is written.
    pub id: Option<Label<'a>>,
    /// The id that the runtime makes, where none is written: what it begins with, and its number.
    pub(super) made_id: (&'a str, u32),
    /// The bytes between header and end.
    pub body: Span,
    /// How far it has come.
    pub status: Status,
    /// Whether the runtime rejects it.
    pub failed: bool,
    /// The most severe problem about it.
    pub worst: Option<Severity>,
    /// What its result says, if it has one.
    pub answer: Option<CallOutcome>,
    pub(super) dependencies: &'a [StoredWord],
    pub(super) arguments: &'a [u32],
    pub(super) lists: &'a CallLists,
}

/// A name or an id: where it stands, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// Its bytes; empty where it is not written and only follows from the dialect.
    pub span: Span,
    /// What it is, where that is not what its bytes say.
    pub decoded: Option<&'a str>,
}

impl CallRecord {
    /// Whether nothing can build on it: the runtime rejects it, or its result says that it failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed || self.answer.is_some_and(CallOutcome::is_failure)
    }
}

impl CallLists {
    /// Where the lists of a call begin that comes now and waits for these.
    pub(super) fn begin(&mut self, dependencies: &[Word]) -> ListStarts {
        let starts = self.ends();
        for word in dependencies.iter().take(u32::MAX as usize - self.dependencies.len()) {
            let decoded = word.decoded.as_deref().and_then(|decoded| self.decoded.push(decoded));
            self.dependencies.push(StoredWord { start: word.span.start, length: clamped(word.span.len()), decoded });
        }
        starts
    }

    /// Where the lists of the next call begin.
    fn ends(&self) -> ListStarts {
        ListStarts { dependencies: self.dependencies.len() as u32, arguments: self.arguments.len() as u32 }
    }

    /// An argument of the last call has come.
    pub(super) fn add_argument(&mut self, offset: u32) {
        if self.arguments.len() < u32::MAX as usize {
            self.arguments.push(offset);
        }
    }

    /// The name or the id of the last call, which has this number and begins at `start`, in the place of an earlier one.
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

    /// The name or the id of a call that begins at `start`.
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

    /// Adds the lists of the calls that follow, which are kept apart so far; what is to be done to each of these, of which
    /// the first one will have the number `calls`.
    pub(super) fn append(&mut self, next: &Self, calls: u32) -> impl Fn(&mut CallRecord) + use<> {
        let (words, before) = (self.decoded.append(&next.decoded), self.ends());
        self.dependencies.extend(
            next.dependencies
                .iter()
                .map(|word| StoredWord { decoded: word.decoded.map(|number| number.behind(words)), ..*word }),
        );
        self.arguments.extend_from_slice(&next.arguments);
        let fields = next.fields.iter();
        self.fields.extend(fields.map(|known| DecodedWord {
            call: known.call + calls,
            word: known.word.behind(words),
            ..*known
        }));
        move |call| {
            call.lists.dependencies += before.dependencies;
            call.lists.arguments += before.arguments;
        }
    }

    /// Whether the lists of the calls that follow can be added.
    pub(super) fn may_append(&self, next: &Self) -> bool {
        let most = u32::MAX as usize;
        self.dependencies.len() + next.dependencies.len() <= most && self.arguments.len() + next.arguments.len() <= most
    }

    /// A dependency that was kept.
    fn label(&self, word: StoredWord) -> Label<'_> {
        let span = Span::new(word.start, word.start + word.length as usize);
        Label { span, decoded: word.decoded.map(|number| self.decoded.get(number)) }
    }

    /// Whether any call has dependencies.
    pub(super) fn has_dependencies(&self) -> bool {
        !self.dependencies.is_empty()
    }

    /// The dependencies of a call whose lists begin at `from`, and those of the next one at `to`, if there is one.
    pub(super) fn dependencies(&self, from: ListStarts, to: Option<ListStarts>) -> &[StoredWord] {
        &self.dependencies[from.dependencies as usize..to.unwrap_or(self.ends()).dependencies as usize]
    }

    /// The arguments of a call; see [`CallLists::dependencies`].
    pub(super) fn arguments(&self, from: ListStarts, to: Option<ListStarts>) -> &[u32] {
        &self.arguments[from.arguments as usize..to.unwrap_or(self.ends()).arguments as usize]
    }
}

/// A number of bytes as it is kept.
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
    /// Whether nothing can build on it: the runtime rejects it, or its result says that it failed.
    pub fn has_failed(&self) -> bool {
        self.failed || self.answer.is_some_and(CallOutcome::is_failure)
    }

    /// Its name; empty where none is written.
    pub fn name(&self, text: &Text) -> String {
        self.name.text(text).into_owned()
    }

    /// Its id, as written or as the runtime makes it.
    pub fn id(&self, text: &Text) -> String {
        match self.id {
            Some(id) => id.text(text).into_owned(),
            None => self.made_id(),
        }
    }

    /// Its id as the runtime makes it.
    pub(super) fn made_id(&self) -> String {
        format!("{}{}", self.made_id.0, self.made_id.1)
    }

    /// The ids that it waits for, as they are written.
    pub fn waits_for(&self) -> impl ExactSizeIterator<Item = Label<'a>> + use<'a> {
        let lists = self.lists;
        self.dependencies.iter().map(|&word| lists.label(word))
    }

    /// The id that it waits for with this number, from 0.
    pub fn dependency(&self, number: usize) -> Option<Label<'a>> {
        self.dependencies.get(number).map(|&word| self.lists.label(word))
    }

    /// The ids that it waits for.
    pub fn dependencies(&self, text: &Text) -> Vec<String> {
        self.waits_for().map(|label| label.text(text).into_owned()).collect()
    }

    /// Offsets of its argument markers, relative to its first byte.
    pub fn arguments(&self) -> &'a [u32] {
        self.arguments
    }

    /// The offsets that its dialect needs to take it apart; `arguments` are its own, or the first of them, and
    /// `text_start` is [`Document::text_start`](super::Document::text_start) of its first byte.
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
