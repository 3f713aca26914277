//! A session: its samples, repeated and varied until it is long enough. Independent of the files that hold it.

use serde_json::Value;

use crate::families::{Family, Fill, Shape};
use crate::generate::Chance;
use crate::sample::{Record, Sample, split_frame};
use crate::variation::{Round, Variation, delta, grow, growing, hash};

/// Least bytes from one call to the next.
const CALL: u64 = 1000;

/// Most additional bytes.
const MORE: u64 = 3000;

/// Longest duration of a session, in milliseconds.
const LONGEST: i64 = 16 * 3600 * 1000;

/// The longest pause between two rounds, in milliseconds.
const PAUSE: u64 = 300_000;

/// Event types of streamed text; such an event is repeated to make a stream longer.
const DELTAS: [&str; 5] = [
    "/choices/0/delta/content",
    "/delta/text",
    "/delta/thinking",
    "/message/content",
    "/candidates/0/content/parts/0/text",
];

/// The plan of a session.
pub struct Plan {
    /// Its start, in milliseconds since 1970.
    pub began: i64,
    /// Its approximate size in bytes.
    pub length: u64,
    /// The seed of its random choices.
    pub seed: u64,
}

/// A session as bytes.
pub struct Made {
    /// The whole session.
    pub bytes: Vec<u8>,
    /// The start offsets of its rounds.
    pub rounds: Vec<usize>,
}

/// Makes a session from the samples of a family.
pub fn make(family: &Family, samples: &[Sample], plan: &Plan, variation: &mut Variation) -> Made {
    let chance = &mut Chance(hash((plan.seed, "rounds")));
    let mut made = Made { bytes: Vec::with_capacity(plan.length as usize + 8192), rounds: Vec::new() };
    let average = samples.iter().map(|sample| sample.length.max(sample.calls * (CALL + MORE / 2))).sum::<u64>();
    let expected = plan.length * samples.len() as u64 / average + 1;
    let share = LONGEST / i64::try_from(expected).unwrap_or(LONGEST);
    let (mut clock, mut sample) = (plan.began, drawn(family, samples, chance));
    let first = sample;
    let (before, behind) = first.frame.as_ref().map_or((String::new(), String::new()), |frame| {
        split_frame(&variation.record(&round_of(first, u64::MAX, clock, 1000, 0), frame))
    });
    made.bytes.extend_from_slice(before.as_bytes());
    let mut number = 0;
    let mut writer = Writer { family, variation, out: &mut made.bytes, elements: 0 };
    writer.records(&sample.head, &round_of(sample, 0, clock, 1000, 0), 0, chance);
    while number == 0 || (writer.out.len() as u64) < plan.length {
        made.rounds.push(writer.out.len());
        let lasts = sample.times.map_or(0, |(from, to)| to - from);
        let pace = (share * 800 / (lasts + 1)).min(1000);
        let wanted = sample.calls * (CALL + chance.below(MORE));
        let missing = wanted.saturating_sub(sample.length);
        let slots: u64 = sample.round.iter().filter_map(Record::value).map(growing).sum();
        let growth = if family.fill == Fill::Texts { missing / slots.max(1) } else { 0 };
        let round = round_of(sample, number, clock, pace, growth);
        writer.records(&sample.round, &round, missing, chance);
        let pause = 1000 + chance.below(PAUSE.min(share.unsigned_abs() / 5 + 1)).cast_signed();
        clock += lasts * pace / 1000 + pause;
        number += 1;
        sample = drawn(family, samples, chance);
    }
    made.bytes.extend_from_slice(behind.as_bytes());
    if matches!(family.shape, Shape::List(_)) {
        made.bytes.push(b'\n');
    }
    made
}

/// A random sample, by weight.
fn drawn<'a>(family: &Family, samples: &'a [Sample], chance: &mut Chance) -> &'a Sample {
    let mut drawn = chance.below(family.samples.iter().map(|part| part.weight).sum());
    let found = family.samples.iter().position(|part| {
        let is_it = drawn < part.weight;
        drawn = drawn.saturating_sub(part.weight);
        is_it
    });
    &samples[found.unwrap_or_default()]
}

fn round_of(sample: &Sample, number: u64, to: i64, pace: i64, growth: u64) -> Round<'_> {
    let from = sample.times.map_or(0, |(from, _)| from);
    Round { number, sample, from, to, pace, growth }
}

struct Writer<'a> {
    family: &'a Family,
    variation: &'a mut Variation,
    out: &'a mut Vec<u8>,
    /// Number of elements of the list so far.
    elements: usize,
}

impl Writer<'_> {
    /// Writes records of a round, with `missing` additional bytes of streams and texts.
    fn records(&mut self, records: &[Record], round: &Round<'_>, missing: u64, chance: &mut Chance) {
        let is_delta = |record: &&Record| record.value().is_some_and(|value| piece(value).is_some());
        let deltas = records.iter().filter(is_delta).count() as u64;
        for record in records {
            match record {
                Record::Text(text) => self.text(round, text, missing, chance),
                Record::Json { before, value, after } => {
                    let varied = self.variation.record(round, value);
                    self.value(before, &varied, after);
                    if let Some(pointer) = piece(value).filter(|_| self.family.fill == Fill::Deltas) {
                        let enough = self.out.len() as u64 + missing / deltas;
                        let mut more = varied;
                        while (self.out.len() as u64) < enough {
                            if let Some(text) = more.pointer_mut(pointer) {
                                *text = delta(chance).into();
                            }
                            self.value(before, &more, after);
                        }
                    }
                }
            }
        }
    }

    fn value(&mut self, before: &str, value: &Value, after: &str) {
        if matches!(self.family.shape, Shape::List(_)) {
            self.out.extend_from_slice(if self.elements > 0 { b",\n" } else { b"\n" });
            self.elements += 1;
        }
        self.out.extend_from_slice(before.as_bytes());
        serde_json::to_writer(&mut *self.out, value).expect("memory takes everything");
        self.out.extend_from_slice(after.as_bytes());
    }

    fn text(&mut self, round: &Round<'_>, text: &str, missing: u64, chance: &mut Chance) {
        let mut text = Variation::words(round, text);
        if self.family.shape == Shape::Text {
            grow(&mut text, missing, chance);
            text.push('\n');
        }
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// The pointer to the streamed text in a record, if it is an event with streamed text.
fn piece(value: &Value) -> Option<&'static str> {
    let is_text = |pointer: &&str| value.pointer(pointer).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    DELTAS.into_iter().find(is_text)
}
