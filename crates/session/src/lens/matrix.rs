//! Compares the calls that parsers deliver for a text with the calls that it should give.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::fact::{self, FactPlace, FactState, OutcomeFact};
use super::reason::is_of_prose;
use super::{Lens, LensRow, MessageText};
use crate::diagnostic::Code;
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::release::Runtime;
use crate::runtime::{Outcome, RuntimeName};
use crate::value::flatten::same;

/// A call that a text should give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixCall {
    /// Name of the tool; empty if the text gives none.
    pub name: String,
    /// Its arguments, an object with the tool's parameters by name.
    #[serde(default = "empty_object")]
    pub arguments: Json,
}

fn empty_object() -> Json {
    Json::Object(Map::new())
}

impl MatrixCall {
    /// The calls that this program finds in a message. A broken call has the arguments that could be read.
    pub fn of_message(message: &MessageText) -> Vec<Self> {
        let call = |(name, arguments): &(String, Json)| Self { name: name.clone(), arguments: arguments.clone() };
        message.calls.iter().map(call).collect()
    }
}

/// The verdict on a parser's reading of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatrixVerdict {
    /// It delivers exactly the expected calls.
    Pass,
    /// It delivers other calls, or text where calls were expected.
    Differs,
    /// The request fails, or nothing of the message is delivered.
    Rejected,
}

impl MatrixVerdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Differs, Self::Rejected];
}

/// The first difference from the expected calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictReason {
    /// The client gets an error.
    Error,
    /// Neither calls nor text are delivered.
    Lost,
    /// Text is delivered, and no call.
    NoCall,
    /// Some of the expected calls are missing.
    FewerCalls,
    /// There are calls in addition to the expected ones.
    MoreCalls,
    /// A call has another name.
    Name,
    /// The arguments of a call are a text, or another value that is not an object.
    Arguments,
    /// A value is missing, additional or another one.
    Value,
}

/// A parser's reading of a text, compared with the expected calls.
#[derive(Clone, Debug)]
pub struct MatrixCell {
    /// The parser and its release.
    pub parser: ParserRelease,
    /// The verdict on its calls.
    pub verdict: MatrixVerdict,
    /// The first difference; `None` if it passes.
    pub difference: Option<VerdictReason>,
    /// The first difference as text; empty if it passes.
    pub text: String,
    /// The codes of the rules that led to the difference, first the ones about calls; empty if it passes.
    pub reasons: Vec<Code>,
    /// True if the reading is not reliable.
    pub is_approximate: bool,
}

impl MatrixCell {
    /// The readings of a lens, compared with the expected calls. Ids, content and reasoning do not matter.
    pub fn of_lens(lens: &Lens, expected: &[MatrixCall]) -> Vec<Self> {
        lens.rows.iter().map(|row| Self::new(row, expected)).collect()
    }

    fn new(row: &LensRow, expected: &[MatrixCall]) -> Self {
        let outcome = &row.reading.outcome;
        let known = fact::facts_of_calls(expected.iter().map(|call| (call.name.as_str(), &call.arguments)));
        let is_of_calls = |fact: &OutcomeFact| match fact.place {
            FactPlace::Error | FactPlace::Call(_) | FactPlace::Value(..) => true,
            FactPlace::Id(_) | FactPlace::Content | FactPlace::Reasoning => false,
        };
        let mut facts = fact::compare_with(known.clone(), outcome, same);
        facts.retain(is_of_calls);
        // Arguments without a value are described by the values that they lack.
        let lacks_values = facts.iter().any(|fact| fact.state == FactState::Missing);
        facts.retain(|fact| !(lacks_values && fact.is_empty_object()));
        let difference = VerdictReason::new(outcome, &facts, expected.len());
        let mut reasons: Vec<Code> = Vec::new();
        for reason in row.reading.reasons.iter().filter(|_| difference.is_some()) {
            if !reasons.contains(&reason.code) {
                reasons.push(reason.code);
            }
        }
        reasons.sort_by_key(|code| is_of_text(*code));
        Self {
            parser: row.parser,
            verdict: difference.map_or(MatrixVerdict::Pass, VerdictReason::verdict),
            difference,
            text: difference.map_or_else(String::new, |kind| kind.text(outcome, &facts, &known)),
            reasons,
            is_approximate: row.is_approximate(),
        }
    }
}

impl VerdictReason {
    /// The kind of the first of the compared facts that differs.
    fn new(outcome: &Outcome, facts: &[OutcomeFact], expected: usize) -> Option<Self> {
        let first = facts.iter().find(|fact| fact.state != FactState::Same)?;
        let is_nothing = outcome.content.is_none() && outcome.reasoning.is_none();
        Some(match (&first.place, outcome.calls.len()) {
            (FactPlace::Error, _) => Self::Error,
            (_, 0) if is_nothing => Self::Lost,
            (_, 0) => Self::NoCall,
            (_, found) if found < expected => Self::FewerCalls,
            (_, found) if found > expected => Self::MoreCalls,
            (FactPlace::Call(_), _) => Self::Name,
            (FactPlace::Value(_, path), _) if path.is_empty() && !first.value.is_object() => Self::Arguments,
            _ => Self::Value,
        })
    }

    /// Describes the difference between an outcome, whose compared facts are given, and the `known` expected ones.
    fn text(self, outcome: &Outcome, facts: &[OutcomeFact], known: &[OutcomeFact]) -> String {
        let calls = |number: usize| if number == 1 { "1 call".to_owned() } else { format!("{number} calls") };
        match self {
            Self::Error => outcome.error.clone().unwrap_or_default(),
            Self::Lost => "neither a call nor text".to_owned(),
            Self::NoCall => "no call".to_owned(),
            Self::FewerCalls | Self::MoreCalls => {
                let expected = known.iter().filter(|fact| matches!(fact.place, FactPlace::Call(_))).count();
                format!("{} instead of {expected}", calls(outcome.calls.len()))
            }
            Self::Arguments => {
                let [_, delivered] = fact::differing(facts, known);
                delivered
            }
            Self::Name | Self::Value => {
                let [wanted, delivered] = fact::differing(facts, known);
                format!("{delivered} instead of {wanted}")
            }
        }
    }

    fn verdict(self) -> MatrixVerdict {
        match self {
            Self::Error | Self::Lost => MatrixVerdict::Rejected,
            _ => MatrixVerdict::Differs,
        }
    }
}

/// True for a rule about text outside of calls, which seldom explains a difference in calls.
fn is_of_text(code: Code) -> bool {
    use Code::{MarkerInContent, ProseKept, ThinkingInContent, ThinkingSplitOff};
    is_of_prose(code) || matches!(code, MarkerInContent | ProseKept | ThinkingInContent | ThinkingSplitOff)
}

/// The names with each recorded release: for a name without a version all of the runtime, without names all of all
/// runtimes.
pub fn in_every_release(names: &[RuntimeName]) -> Vec<RuntimeName> {
    let whole = |runtime: &Runtime| RuntimeName { runtime: runtime.name.clone(), version: None, parser: None };
    let names = if names.is_empty() { catalog::runtimes().map(whole).collect() } else { names.to_vec() };
    let versions = |name: RuntimeName| {
        let runtime = catalog::runtime(&name.runtime).filter(|_| name.version.is_none());
        let releases = runtime.into_iter().flat_map(|runtime| &runtime.releases);
        let mut named: Vec<RuntimeName> =
            releases.map(|release| RuntimeName { version: Some(release.version.clone()), ..name.clone() }).collect();
        if named.is_empty() {
            named.push(name);
        }
        named
    };
    names.into_iter().flat_map(versions).collect()
}
