//! How well the profiles reproduce what was recorded of the parsers themselves.

use std::sync::LazyLock;

use super::profile::Profile;

/// Of how many recorded outcomes a parser's profile reproduces so many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The name of the dialect: `hermes`.
    pub dialect: String,
    /// The name of the runtime: `vllm`.
    pub runtime: String,
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

/// What was measured, as `conformance.tsv` has it. A test writes the file.
static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| {
    let lines = include_str!("conformance.tsv").lines().skip(1);
    lines.filter_map(score).collect()
});

fn score(line: &str) -> Option<Score> {
    let mut fields = line.split('\t');
    let mut text = || fields.next().map(str::to_owned);
    let (dialect, runtime, parser) = (text()?, text()?, text()?);
    let mut number = || fields.next()?.parse().ok();
    Some(Score { dialect, runtime, parser, reproduced: number()?, recorded: number()? })
}

/// How well a parser is known: what was measured of it, or else of another parser that its profile stands for.
pub fn score_of(profile: &Profile, parser: &str) -> Option<&'static Score> {
    let of_profile = |score: &&Score| score.dialect == profile.dialect && score.runtime == profile.runtime;
    let find = |name: &str| SCORES.iter().filter(of_profile).find(|score| score.parser == name);
    find(parser).or_else(|| profile.parsers.iter().find_map(|name| find(name)))
}

/// Whether a parser is known too little to be relied on; so is one of which nothing was recorded.
pub fn is_approximate(profile: &Profile, parser: &str) -> bool {
    score_of(profile, parser).is_none_or(Score::is_approximate)
}
