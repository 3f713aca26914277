//! How a person names a runtime, or a parser of it.

use std::fmt;
use std::str::FromStr;

use super::catalog;
use crate::text::typo;

/// The name of a runtime, perhaps with one of its parsers: `vllm`, `vllm:hermes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeName {
    /// The name of the runtime: `vllm`.
    pub runtime: String,
    /// The parser; nothing for all of them.
    pub parser: Option<String>,
}

impl RuntimeName {
    /// Whether a parser goes by this name.
    pub fn is_of(&self, runtime: &str, parser: &str) -> bool {
        self.runtime == runtime && self.parser.as_deref().is_none_or(|name| name == parser)
    }
}

impl fmt::Display for RuntimeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parser {
            Some(parser) => write!(f, "{}:{parser}", self.runtime),
            None => f.write_str(&self.runtime),
        }
    }
}

impl FromStr for RuntimeName {
    type Err = String;

    /// # Errors
    /// Says which runtimes there are, or which parsers the runtime has.
    fn from_str(words: &str) -> Result<Self, String> {
        let (runtime, parser) = words.split_once(':').map_or((words, None), |(name, parser)| (name, Some(parser)));
        let runtimes = catalog::runtimes();
        if !runtimes.contains(&runtime) {
            let near = typo::nearest(runtime, runtimes.iter().copied()).map(|near| format!("; did you mean {near}?"));
            let hint = near.unwrap_or_else(|| format!(": there are {}", runtimes.join(", ")));
            return Err(format!("unknown runtime {runtime:?}{hint}"));
        }
        if let Some(parser) = parser.filter(|parser| !catalog::has_parser(runtime, parser)) {
            let parsers = catalog::parsers(runtime).join(", ");
            return Err(format!("{runtime} has no parser {parser:?} that is known: there are {parsers}"));
        }
        Ok(Self { runtime: runtime.to_owned(), parser: parser.map(str::to_owned) })
    }
}
