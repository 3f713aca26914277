//! How well the profiles reproduce what was recorded of the parsers themselves.

use std::sync::LazyLock;

use super::catalog::ParserRelease;

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
    /// The same two numbers of a server with the parser, where it does more.
    pub server: Option<(usize, usize)>,
}

impl Score {
    /// Whether fewer than four of five outcomes are reproduced.
    pub fn is_approximate(&self) -> bool {
        self.reproduced * 5 < self.recorded * 4
    }
}

/// What was measured, as `conformance.tsv` has it. A test writes the file.
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
