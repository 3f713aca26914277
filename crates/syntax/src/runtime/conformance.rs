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

/// The number of recorded streams of a parser that its profile reproduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamScore {
    /// Streams whose sum is reproduced, except for white space around the content.
    pub sums: usize,
    /// Streams whose deltas are reproduced, each after the piece that sends it.
    pub deltas: usize,
    /// Streams of the parser's newest release that were recorded.
    pub recorded: usize,
}

impl StreamScore {
    /// True if fewer than four of five sums are reproduced.
    pub fn is_approximate(&self) -> bool {
        self.sums * 5 < self.recorded * 4
    }

    /// True if fewer than four of five streams are reproduced delta by delta.
    pub fn is_timing_approximate(&self) -> bool {
        self.deltas * 5 < self.recorded * 4
    }
}

/// The score of a parser's streams in its newest release, from `streams.tsv`, which a test writes; `None` if none of its
/// streams were recorded.
pub fn stream_score_of(parser: &ParserRelease) -> Option<StreamScore> {
    let of = |name: &str| {
        let lines = include_str!("streams.tsv").lines().skip(1);
        lines.map(|line| line.split('\t').collect::<Vec<_>>()).find_map(|fields| match *fields {
            [dialect, runtime, parser_name, sums, deltas, recorded]
                if (dialect, runtime, parser_name) == (&*parser.profile.dialect, &*parser.profile.runtime, name) =>
            {
                let [sums, deltas, recorded] = [sums, deltas, recorded].map(str::parse);
                Some(StreamScore { sums: sums.ok()?, deltas: deltas.ok()?, recorded: recorded.ok()? })
            }
            _ => None,
        })
    };
    of(parser.parser).or_else(|| parser.profile.parsers.iter().find_map(|name| of(name)))
}
