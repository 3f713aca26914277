//! The cost of each dialect's markup for the calls of a transcript.
//!
//! The calls are written in every dialect, and the size of their content is subtracted. Token counts are estimates,
//! since every model has its own tokenizer; see [`tokens`].

use serde_json::Value;

use crate::compare::CallFacts;
use crate::convert::Calls;
use crate::dialect::{DialectInfo, Options, REGISTRY};
use crate::value::coerce::number_text;

/// The costs of the calls of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DialectCosts {
    /// Number of calls.
    pub calls: usize,
    /// Size of their content: names, ids, keys and values, each once.
    pub payload: Size,
    /// The cost in each dialect.
    pub dialects: Vec<DialectCost>,
}

/// Size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Length of the UTF-8 text in bytes.
    pub bytes: usize,
    /// Length in tokens, estimated by [`tokens`].
    pub tokens: usize,
}

/// The cost of the calls in one dialect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DialectCost {
    /// The dialect.
    pub dialect: &'static DialectInfo,
    /// Size of all calls written in the dialect.
    pub whole: Size,
    /// Size without the payload.
    pub markup: Size,
    /// Ratio of its tokens to the cheapest dialect's.
    pub relative: f64,
    /// Number of losses when the calls are written one after another, without the text in between. Parts that are left
    /// out cost nothing.
    pub losses: usize,
}

impl Size {
    fn new(text: &str) -> Self {
        Self { bytes: text.len(), tokens: tokens(text) }
    }

    fn add(&mut self, other: Size) {
        self.bytes += other.bytes;
        self.tokens += other.tokens;
    }

    fn without(self, other: Size) -> Self {
        Self { bytes: self.bytes.saturating_sub(other.bytes), tokens: self.tokens.saturating_sub(other.tokens) }
    }
}

impl DialectCosts {
    /// Computes the costs of calls; dialects are sorted by tokens, cheapest first.
    pub fn new(calls: &Calls<'_>, options: &Options) -> Self {
        let mut bill = DialectCosts::default();
        bill.add(calls, options);
        bill.sorted()
    }

    /// Adds further calls.
    pub fn add(&mut self, calls: &Calls<'_>, options: &Options) {
        if self.dialects.is_empty() {
            let (whole, markup) = (Size::default(), Size::default());
            let none = |dialect| DialectCost { dialect, whole, markup, relative: 1.0, losses: 0 };
            self.dialects = REGISTRY.iter().copied().map(none).collect();
        }
        self.calls += calls.facts().len();
        calls.facts().iter().for_each(|call| self.payload.add(payload(call)));
        for cost in &mut self.dialects {
            let Some(dialect) = crate::dialect::make(cost.dialect, options) else { continue };
            calls.facts().iter().for_each(|call| cost.whole.add(Size::new(&dialect.write(&call.content()))));
            cost.losses += calls.convert(cost.dialect, options).losses.len();
        }
        let least = self.dialects.iter().map(|cost| cost.whole.tokens).min().unwrap_or_default().max(1);
        for cost in &mut self.dialects {
            cost.relative = cost.whole.tokens as f64 / least as f64;
            cost.markup = cost.whole.without(self.payload);
        }
    }

    /// Sorts the dialects by cost, cheapest first.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.dialects.sort_by_key(|cost| (cost.whole.tokens, cost.whole.bytes));
        self
    }
}

/// Size of a call's content: name, id, dependencies, keys and scalars.
fn payload(call: &CallFacts) -> Size {
    let mut size = Size::new(&call.name);
    let words = call.id.iter().chain(&call.dependencies);
    words.for_each(|word| size.add(Size::new(word)));
    let mut stack = vec![&call.parameters];
    while let Some(value) = stack.pop() {
        match value {
            Value::Object(members) => {
                members.keys().for_each(|key| size.add(Size::new(key)));
                stack.extend(members.values());
            }
            Value::Array(list) => stack.extend(list),
            Value::String(text) => size.add(Size::new(text)),
            Value::Number(number) => size.add(Size::new(&number.as_f64().map_or_else(String::new, number_text))),
            Value::Null | Value::Bool(_) => size.add(Size::new(&value.to_string())),
        }
    }
    size
}

/// Kind of a run of characters, which determines its number of tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    /// ASCII letters: one token per four bytes, rounded up, including a preceding space.
    Letters,
    /// Digits: one token per three, rounded up.
    Digits,
    /// ASCII punctuation: one token per two, rounded up.
    Signs,
    /// Whitespace: one token, except that a single space before letters is free.
    Blanks,
    /// Other than ASCII: one token per two bytes, rounded up.
    Other,
}

impl Run {
    fn from_byte(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Run::Letters,
            b'0'..=b'9' => Run::Digits,
            b' ' | b'\n' | b'\r' | b'\t' => Run::Blanks,
            0x80.. => Run::Other,
            _ => Run::Signs,
        }
    }
}

/// Estimates the number of tokens in a text: about four bytes per token in prose, fewer in markup, as byte pair
/// encodings merge letters well and punctuation badly. For comparison, not for billing.
pub fn tokens(text: impl AsRef<[u8]>) -> usize {
    let bytes = text.as_ref();
    let mut tokens = 0;
    let mut at = 0;
    while at < bytes.len() {
        let run = Run::from_byte(bytes[at]);
        let length = bytes[at..].iter().take_while(|&&byte| Run::from_byte(byte) == run).count();
        let before_letters = bytes.get(at + length).is_some_and(|&byte| Run::from_byte(byte) == Run::Letters);
        tokens += match run {
            Run::Letters => length.div_ceil(4),
            Run::Digits => length.div_ceil(3),
            Run::Signs | Run::Other => length.div_ceil(2),
            Run::Blanks => usize::from(!(&bytes[at..at + length] == b" " && before_letters)),
        };
        at += length;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Options;
    use crate::session::Session;

    #[test]
    fn tokens_are_counted_by_kinds_of_characters() {
        for (text, expected) in [
            ("", 0),
            ("cat", 1),
            ("a cat", 2),
            ("because", 2),
            ("\n\n", 1),
            ("a  b", 3),
            ("1234", 2),
            ("<!--", 2),
            ("é", 1),
        ] {
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_said_costs_the_same_in_every_dialect() {
        let text = "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n";
        let session = Session::from_bytes(text.as_bytes());
        let bill = DialectCosts::new(&Calls::alone(&session, [0]), &Options::default());
        assert_eq!((bill.calls, bill.payload), (1, Size { bytes: "GreetnameAda".len(), tokens: 4 }));
        assert_eq!(bill.dialects.len(), REGISTRY.len());
        assert!((bill.dialects[0].relative - 1.0).abs() < f64::EPSILON);
        let gadget = bill.dialects.iter().find(|cost| cost.dialect.name == "gadget").expect("it is one of them");
        assert_eq!((gadget.whole.bytes, gadget.markup.bytes, gadget.losses), (text.len(), text.len() - 12, 0));
        assert!(bill.dialects.is_sorted_by_key(|cost| cost.whole.tokens));
    }
}
