//! Names of runtimes, releases and parsers, as users write them.

use std::fmt;
use std::str::FromStr;

use super::catalog;
use super::profile::Profile;
use super::release::Release;
use crate::text::typo;

/// The name of a runtime, optionally with a release and a parser: `vllm`, `vllm@0.28`, `vllm:hermes`,
/// `vllm@0.28:hermes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeName {
    /// The name of the runtime: `vllm`.
    pub runtime: String,
    /// The full version; `None` for the newest recorded release.
    pub version: Option<String>,
    /// The parser; `None` for all of them.
    pub parser: Option<String>,
}

impl RuntimeName {
    /// The release of a profile that this name and a parser refer to; `None` if they do not refer to it.
    pub(crate) fn release_of<'p>(&self, profile: &'p Profile, parser: &str) -> Option<&'p Release> {
        let is_of = self.runtime == profile.runtime && self.parser.as_deref().is_none_or(|name| name == parser);
        let mut releases = profile.releases.iter().filter(|_| is_of);
        match &self.version {
            Some(version) => releases.find(|release| release.version == *version),
            None => releases.next().filter(|_| profile.is_current),
        }
    }
}

impl fmt::Display for RuntimeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.runtime)?;
        self.version.iter().try_for_each(|version| write!(f, "@{version}"))?;
        self.parser.iter().try_for_each(|parser| write!(f, ":{parser}"))
    }
}

impl FromStr for RuntimeName {
    type Err = String;

    /// # Errors
    /// Names the known runtimes, or the recorded releases or the parsers of the runtime.
    fn from_str(words: &str) -> Result<Self, String> {
        let (runtime, parser) = words.split_once(':').map_or((words, None), |(name, parser)| (name, Some(parser)));
        let (name, version) = runtime.split_once('@').map_or((runtime, None), |(name, version)| (name, Some(version)));
        let Some(runtime) = catalog::runtime(name) else {
            let names: Vec<&str> = catalog::runtimes().map(|runtime| runtime.name.as_str()).collect();
            let near = typo::nearest(name, names.iter().copied()).map(|near| format!("; did you mean {near}?"));
            let hint = near.unwrap_or_else(|| format!("; available: {}", names.join(", ")));
            return Err(format!("unknown runtime {name:?}{hint}"));
        };
        let version = version.map(|version| {
            let release = runtime.release(version).ok_or_else(|| {
                let releases: Vec<String> = runtime.releases.iter().map(ToString::to_string).collect();
                format!("no recorded release {version:?} of {name}; available: {}", releases.join(", "))
            });
            release.map(|release| release.version.clone())
        });
        if let Some(parser) = parser.filter(|parser| !catalog::has_parser(name, parser)) {
            let parsers = catalog::parsers(name).join(", ");
            return Err(format!("no profile for parser {parser:?} of {name}; available: {parsers}"));
        }
        Ok(Self { runtime: name.to_owned(), version: version.transpose()?, parser: parser.map(str::to_owned) })
    }
}
