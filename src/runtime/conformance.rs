//! How well the profiles reproduce what was recorded of the parsers themselves.

use serde_json::Value as Json;

use std::sync::LazyLock;

use super::catalog::ParserRelease;
use super::outcome::Outcome;

/// Of how many recorded outcomes a parser's profile reproduces so many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The name of the dialect: `hermes`.
    pub dialect: String,
    /// The name of the runtime: `vllm`.
    pub runtime: String,
    /// The release whose outcomes were recorded: `0.33.0`.
    pub version: String,
    /// The name of the parser: `qwen3_coder`.
    pub parser: String,
    /// Number of outcomes that the profile reproduces.
    pub reproduced: usize,
    /// Number of outcomes that were recorded.
    pub recorded: usize,
}

impl Score {
    /// Whether fewer than four of five outcomes are reproduced.
    pub fn is_approximate(&self) -> bool {
        self.reproduced * 5 < self.recorded * 4
    }
}

static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| {
    let lines = include_str!("conformance.tsv").lines().skip(1);
    lines.filter_map(score).collect()
});

fn score(line: &str) -> Option<Score> {
    let mut fields = line.split('\t');
    let mut text = || fields.next().map(str::to_owned);
    let (dialect, runtime, version, parser) = (text()?, text()?, text()?, text()?);
    let mut number = || fields.next()?.parse().ok();
    Some(Score { dialect, runtime, version, parser, reproduced: number()?, recorded: number()? })
}

/// What was measured, as `conformance.tsv` has it. A test writes the file.
pub fn scores() -> &'static [Score] {
    &SCORES
}

/// How well a parser is known: its own score, else one of another release or parser that the same profile describes.
pub fn score_of(parser: &ParserRelease) -> Option<&'static Score> {
    let ParserRelease { profile, parser, release } = *parser;
    let of_profile = |score: &&Score| score.dialect == profile.dialect && score.runtime == profile.runtime;
    let of_release = |name: &str, version: &str| {
        SCORES.iter().filter(of_profile).find(|score| score.parser == name && score.version == version)
    };
    let find = |name: &str| {
        let others = || profile.releases.iter().find_map(|release| of_release(name, &release.version));
        of_release(name, &release.version).or_else(others)
    };
    find(parser).or_else(|| profile.parsers.iter().find_map(|name| find(name)))
}

/// True if a parser is known too little to be relied on; so is one of which nothing was recorded.
pub fn is_approximate(parser: &ParserRelease) -> bool {
    score_of(parser).is_none_or(Score::is_approximate)
}

/// What a parser was seen to deliver.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Dialect, runtime, parser and case: `hermes/vllm/hermes/one`.
    pub id: String,
    /// The runtime and the parser.
    pub runner: (String, String),
    /// The whole text of the message.
    pub text: String,
    /// The tools of the request, as the OpenAI API has them.
    pub tools: Option<Vec<Json>>,
    /// Content, reasoning and calls; nothing where it raised.
    pub expected: Option<Json>,
}

impl Recorded {
    /// A record of a line of a file; nothing where it is none.
    pub fn from_json(line: &Json) -> Option<Self> {
        let text = |key: &str| line.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            runner: (text("runtime")?, text("parser")?),
            text: text("text")?,
            tools: line.get("schema").and_then(Json::as_array).cloned(),
            expected: line.get("expect").filter(|expected| !expected.is_null()).cloned(),
        })
    }

    /// Whether an outcome is this: content, reasoning and calls, or that it raised, whatever the words.
    pub fn is_reproduced_by(&self, outcome: &Outcome) -> bool {
        Self::is_same(self.expected.as_ref(), outcome)
    }

    /// Whether an outcome has this content, these calls and this reasoning; nothing is expected where it raised.
    pub fn is_same(expected: Option<&Json>, outcome: &Outcome) -> bool {
        let Some(expected) = expected else { return outcome.error.is_some() };
        if outcome.error.is_some() {
            return false;
        }
        let same = |key: &str, own: &Option<String>| {
            expected.get(key).and_then(Json::as_str).filter(|text| !text.is_empty()) == own.as_deref()
        };
        let none = Vec::new();
        let calls = expected.get("calls").and_then(Json::as_array).unwrap_or(&none);
        let is_same_call = |(recorded, own): (&Json, &super::outcome::DeliveredCall)| {
            let id = recorded.get("id").and_then(Json::as_str);
            recorded.get("name").and_then(Json::as_str) == own.name.as_deref()
                && recorded.get("arguments").unwrap_or(&Json::Null) == &own.arguments
                && id == own.id.as_deref()
        };
        same("content", &outcome.content)
            && same("reasoning", &outcome.reasoning)
            && calls.len() == outcome.calls.len()
            && calls.iter().zip(&outcome.calls).all(is_same_call)
    }
}
