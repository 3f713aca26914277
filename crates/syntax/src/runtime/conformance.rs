//! How well the profiles reproduce the recorded outcomes of the actual parsers.

use std::sync::LazyLock;

use super::catalog::ParserRelease;

/// The number of recorded outcomes of a parser that its profile reproduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The name of the dialect: `hermes`.
    pub(crate) dialect: String,
    /// The name of the runtime: `vllm`.
    pub(crate) runtime: String,
    /// The release whose outcomes were recorded: `0.33.0`.
    pub version: String,
    /// The name of the parser: `qwen3_coder`.
    pub parser: String,
    /// Number of outcomes that the profile reproduces.
    pub reproduced: usize,
    /// Number of outcomes that were recorded.
    pub recorded: usize,
    /// The same two numbers for a server with the parser, if it does more than the parser alone.
    pub server: Option<(usize, usize)>,
}

impl Score {
    /// True if fewer than four of five outcomes are reproduced.
    pub fn is_approximate(&self) -> bool {
        self.reproduced * 5 < self.recorded * 4
    }
}

/// The measured scores, from `conformance.tsv`, which a test writes.
static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| {
    let lines = include_str!("conformance.tsv").lines().skip(1);
    lines.filter_map(score).collect()
});

fn score(line: &str) -> Option<Score> {
    let mut fields = line.split('\t');
    let mut text = || fields.next().map(str::to_owned);
    let (dialect, runtime, version, parser) = (text()?, text()?, text()?, text()?);
    let mut number = || fields.next()?.parse().ok();
    let (reproduced, recorded) = (number()?, number()?);
    Some(Score { dialect, runtime, version, parser, reproduced, recorded, server: number().zip(number()) })
}

/// The score of a parser: its own, else that of another release or parser described by the same profile.
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

/// True if the reading of a parser is not reliable: its score is low, or none of its outcomes were recorded.
pub fn is_approximate(parser: &ParserRelease) -> bool {
    score_of(parser).is_none_or(Score::is_approximate)
}
