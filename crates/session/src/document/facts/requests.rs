//! Requests to the model: tokens, cost, times and stop reasons.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use super::super::Document;
use super::super::words::{WordList, WordNumber};
use crate::container::facts::{Figure, FigureSource, RequestFacts, RequestScope, Timestamp, Usage};
use crate::prices::PriceTable;
use crate::text::hash_index::{HashIndex, WordHasher};

/// All requests, in order of first mention.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct RequestStore {
    records: Vec<RequestRecord>,
    words: WordList,
    /// The last word of each field, which most requests repeat.
    last: [Option<WordNumber>; FIELDS],
    key: WordHasher,
    by_key: HashIndex<u32>,
    /// Pairs of message and request number, in message order; several messages may belong to one request.
    of_messages: Vec<(u32, u32)>,
    prices: Option<Arc<PriceTable>>,
}

const FIELDS: usize = 5;

/// The stored form of a request, in 128 bytes.
#[derive(Clone, Copy, Debug)]
struct RequestRecord {
    place: usize,
    message: u32,
    scope: RequestScope,
    is_aside: bool,
    ground: FigureSource,
    is_output_partial: bool,
    /// Counts of [`Usage`], in field order; [`UNKNOWN`] if missing.
    tokens: [u32; 6],
    /// Prompt tokens that fill the context, if that differs from the counts; else [`UNKNOWN`].
    context: u32,
    cost: Option<f64>,
    /// Start, first token and end in milliseconds since 1970; [`i64::MIN`] if unknown.
    times: [i64; 3],
    /// Id, model, stop, effort and error.
    fields: [Option<WordNumber>; FIELDS],
}

/// A missing count. Counts above 2^32 - 2 saturate at that.
const UNKNOWN: u32 = u32::MAX;

/// A request to the model, or several that the file counts together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelRequest<'a> {
    /// Number of its first message.
    pub message: usize,
    /// Text offset of its first mention.
    pub place: usize,
    /// Everything that the file states about it.
    facts: RequestFacts<&'a str>,
}

impl<'a> Deref for ModelRequest<'a> {
    type Target = RequestFacts<&'a str>;

    fn deref(&self) -> &Self::Target {
        &self.facts
    }
}

/// Tokens and money spent on several requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spending {
    /// Number of requests.
    pub requests: usize,
    /// Number of requests without known usage.
    pub without_usage: usize,
    /// Sum of their tokens.
    pub usage: Usage,
    /// Sum of the costs that are recorded or can be estimated, in US dollars.
    pub cost: Option<Figure<f64>>,
    /// Number of requests without such a cost.
    pub without_cost: usize,
}

impl ModelRequest<'_> {
    /// Prompt tokens that fill the context.
    pub fn prompt(&self) -> Option<u64> {
        self.context.or_else(|| self.usage?.prompt())
    }

    /// True if its prompt is the context of the main conversation.
    pub(crate) fn fills_context(&self) -> bool {
        !self.is_aside && self.scope == RequestScope::Request && self.prompt().is_some_and(|prompt| prompt > 0)
    }
}

impl Spending {
    /// The token sum; `None` if no request has known usage.
    pub fn known_usage(&self) -> Option<Usage> {
        (self.without_usage < self.requests).then_some(self.usage)
    }

    /// True if the token sum is a lower bound.
    pub fn lacks_tokens(&self) -> bool {
        self.usage.is_output_partial || self.without_usage > 0
    }

    /// Adds a request and its cost.
    pub(crate) fn add(&mut self, request: &ModelRequest<'_>, cost: Option<Figure<f64>>) {
        self.requests += 1;
        match request.usage {
            Some(usage) => self.usage = self.usage.plus(usage),
            None => self.without_usage += 1,
        }
        match cost {
            Some(Figure { value, ground }) => {
                let known = self.cost.unwrap_or(Figure { value: 0.0, ground: FigureSource::Derived });
                self.cost = Some(Figure { value: known.value + value, ground: known.ground.max(ground) });
            }
            None => self.without_cost += 1,
        }
    }
}

impl RequestStore {
    /// Merges the facts of a record into the request with the same key, or adds a request. Keys are unique within a
    /// conversation.
    pub(super) fn take(&mut self, facts: &RequestFacts, message: u32, place: usize, conversation: usize) {
        let hash = facts.key.as_deref().map(|key| self.key.hash_in(conversation, key));
        let next = self.records.len() as u32;
        let number = hash.map_or(next, |hash| *self.by_key.entry(hash).or_insert(next));
        if self.of_messages.last() != Some(&(message, number)) {
            self.of_messages.push((message, number));
        }
        let record = self.record(facts, message, place);
        match self.records.get(number as usize) {
            Some(known) => self.records[number as usize] = known.merged(record),
            None => self.records.push(record),
        }
    }

    fn record(&mut self, facts: &RequestFacts, message: u32, place: usize) -> RequestRecord {
        let words = [&facts.key, &facts.model, &facts.stop, &facts.effort, &facts.error];
        let mut fields = [None; FIELDS];
        for (field, word) in words.into_iter().enumerate() {
            fields[field] = word.as_deref().and_then(|word| self.keep(field, word));
        }
        let usage = facts.usage.unwrap_or_default();
        let time = |time: Option<Timestamp>| time.map_or(i64::MIN, Timestamp::as_millisecond);
        RequestRecord {
            place,
            message,
            scope: facts.scope,
            is_aside: facts.is_aside,
            ground: usage.ground,
            is_output_partial: usage.is_output_partial,
            tokens: counts(usage).map(kept),
            context: kept(facts.context),
            cost: facts.cost,
            times: [facts.start, facts.first_token, facts.end].map(time),
            fields,
        }
    }

    fn keep(&mut self, field: usize, word: &str) -> Option<WordNumber> {
        let known = self.last[field].filter(|&known| self.words.get(known) == word);
        let number = known.or_else(|| self.words.push(word));
        self.last[field] = number;
        number
    }

    fn request(&self, record: &RequestRecord) -> ModelRequest<'_> {
        let [key, model, stop, effort, error] = record.fields.map(|word| word.map(|number| self.words.get(number)));
        let time = |time: i64| Timestamp::from_millisecond(time).ok().filter(|_| time != i64::MIN);
        let [start, first_token, end] = record.times.map(time);
        let RequestRecord { scope, is_aside, cost, .. } = *record;
        let context = (record.context != UNKNOWN).then_some(u64::from(record.context));
        let usage = record.usage();
        let facts = RequestFacts {
            key,
            scope,
            model,
            usage,
            context,
            cost,
            start,
            first_token,
            end,
            stop,
            effort,
            error,
            is_aside,
        };
        ModelRequest { message: record.message as usize, place: record.place, facts }
    }
}

impl RequestRecord {
    fn usage(&self) -> Option<Usage> {
        let [input, cache_read, cache_write, cache_write_1h, output, reasoning] =
            self.tokens.map(|count| (count != UNKNOWN).then_some(u64::from(count)));
        let usage = Usage {
            input,
            cache_read,
            cache_write,
            cache_write_1h,
            output,
            reasoning,
            ground: self.ground,
            is_output_partial: self.is_output_partial,
        };
        usage.total().map(|_| usage)
    }

    /// Merges two records of one request: position of the first, larger counts, later words.
    fn merged(&self, later: Self) -> Self {
        let usage = self.usage().unwrap_or_default().max(later.usage().unwrap_or_default());
        let mut fields = later.fields;
        for (field, known) in fields.iter_mut().zip(self.fields) {
            *field = field.or(known);
        }
        let mut times = later.times;
        for (time, known) in times.iter_mut().zip(self.times) {
            *time = (*time).max(known);
        }
        // The earliest start of both records.
        times[0] =
            [self.times[0], later.times[0]].into_iter().filter(|&time| time != i64::MIN).min().unwrap_or(i64::MIN);
        Self {
            place: self.place,
            message: self.message,
            scope: self.scope,
            is_aside: self.is_aside,
            ground: usage.ground,
            is_output_partial: usage.is_output_partial,
            tokens: counts(usage).map(kept),
            context: if later.context == UNKNOWN { self.context } else { later.context },
            cost: later.cost.or(self.cost),
            times,
            fields,
        }
    }
}

/// Stores a count in 32 bits.
fn kept(count: Option<u64>) -> u32 {
    count.map_or(UNKNOWN, |count| u32::try_from(count).unwrap_or(UNKNOWN).min(UNKNOWN - 1))
}

fn counts(usage: Usage) -> [Option<u64>; 6] {
    [usage.input, usage.cache_read, usage.cache_write, usage.cache_write_1h, usage.output, usage.reasoning]
}

/// The requests of a document.
#[derive(Clone, Copy)]
pub struct Requests<'a>(&'a RequestStore);

impl<'a> Requests<'a> {
    /// Number of requests.
    pub fn len(self) -> usize {
        self.0.records.len()
    }

    /// True if the file mentions none.
    pub fn is_empty(self) -> bool {
        self.0.records.is_empty()
    }

    /// The request with this number, from 0.
    pub fn get(self, number: usize) -> Option<ModelRequest<'a>> {
        self.0.records.get(number).map(|record| self.0.request(record))
    }

    /// All requests, in order of first mention.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = ModelRequest<'a>> + ExactSizeIterator + use<'a> {
        self.0.records.iter().map(|record| self.0.request(record))
    }

    /// Requests that were first mentioned in these messages.
    pub(crate) fn in_messages(
        self,
        messages: std::ops::Range<usize>,
    ) -> impl DoubleEndedIterator<Item = ModelRequest<'a>> + ExactSizeIterator + use<'a> {
        let at = |end: usize| self.0.records.partition_point(|record| (record.message as usize) < end);
        let range = at(messages.start)..at(messages.end).max(at(messages.start));
        self.0.records[range].iter().map(|record| self.0.request(record))
    }

    /// Number of the first request that a message belongs to.
    pub fn of_message(self, message: usize) -> Option<usize> {
        let all = &self.0.of_messages;
        let at = all.partition_point(|(known, _)| (*known as usize) < message);
        all.get(at).filter(|(known, _)| *known as usize == message).map(|(_, number)| *number as usize)
    }

    /// The last request of the main conversation mentioned up to `offset` that has a known prompt: it determines the
    /// context there.
    pub fn filling_at(self, offset: usize) -> Option<ModelRequest<'a>> {
        let end = self.0.records.partition_point(|record| record.place <= offset);
        let mut before = self.0.records[..end].iter().rev().map(|record| self.0.request(record));
        before.find(ModelRequest::fills_context)
    }

    /// The first request of the main conversation mentioned in `from..to` that has a known prompt.
    pub(crate) fn first_filling_in(self, from: usize, to: usize) -> Option<ModelRequest<'a>> {
        let start = self.0.records.partition_point(|record| record.place < from);
        let after = self.0.records[start..].iter().take_while(|record| record.place < to);
        after.map(|record| self.0.request(record)).find(ModelRequest::fills_context)
    }

    /// Spending on all requests.
    pub(crate) fn spending(self) -> Spending {
        self.spending_on(self.iter())
    }

    /// Spending on the given requests.
    pub(crate) fn spending_on<'b>(self, requests: impl Iterator<Item = ModelRequest<'b>>) -> Spending {
        let mut all = Spending::default();
        requests.for_each(|request| all.add(&request, self.cost_of(&request)));
        all
    }

    /// Cost of a request in US dollars: as recorded, or else estimated from the price table.
    pub(crate) fn cost_of(self, request: &ModelRequest<'_>) -> Option<Figure<f64>> {
        let recorded = request.cost.map(|value| Figure { value, ground: FigureSource::Recorded });
        recorded.or_else(|| {
            let value = self.prices()?.price(request.model?, &request.usage?, request.scope)?;
            Some(Figure { value, ground: FigureSource::Estimated })
        })
    }

    /// Models of requests that the price table cannot price; empty without a table.
    pub fn models_without_price(self) -> BTreeSet<&'a str> {
        let requests = self.prices().map(|_| self.iter()).into_iter().flatten();
        let unpriced = requests.filter(|request| request.usage.is_some() && self.cost_of(request).is_none());
        unpriced.filter_map(|request| request.model).collect()
    }

    /// The price table that the user specified.
    pub fn prices(self) -> Option<&'a PriceTable> {
        self.0.prices.as_deref()
    }
}

impl Document {
    /// Sets the price table for requests whose cost is not recorded.
    pub(crate) fn set_prices(&mut self, prices: Option<Arc<PriceTable>>) {
        self.facts.requests.prices = prices;
    }

    /// The requests that the file mentions.
    pub fn requests(&self) -> Requests<'_> {
        Requests(&self.facts.requests)
    }
}
