//! Runtimes, and their releases whose outcomes were recorded.

use std::fmt;

pub use jiff::civil::Date as Day;
use serde::{Deserialize, Serialize};

use super::request_rules::RequestRules;

/// Days after which the recordings of a runtime may be out of date: most runtimes are released every few weeks.
const STALE: i32 = 180;

/// A runtime whose outcomes were recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// Its name: `vllm`.
    pub name: String,
    /// The recorded releases, newest first; at least one.
    pub releases: Vec<Release>,
    /// The day on which the first of them was last compared with the newest release that existed.
    pub checked: Day,
    /// The effect of the settings of a request.
    pub request: RequestRules,
}

/// A release of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct Release {
    /// The version according to the runtime, or a commit.
    pub version: String,
    /// The day of publication.
    pub date: Day,
}

impl Runtime {
    /// True if newer releases may differ: the last comparison was more than 180 days ago.
    pub fn is_stale(&self, today: Day) -> bool {
        (today - self.checked).get_days() > STALE
    }

    /// The release with a version, given in full or by its first components: `0.28` matches `0.28.0`.
    pub(crate) fn release(&self, version: &str) -> Option<&Release> {
        self.releases.iter().find(|release| release.is_named(version))
    }

    /// The releases from `since` to `until`, both included; without a limit, from the oldest or to the newest.
    ///
    /// # Errors
    /// Names the limit that is not a recorded release.
    pub(crate) fn between(&self, since: Option<&str>, until: Option<&str>) -> Result<Vec<Release>, String> {
        let place = |version: &str| {
            let found = self.releases.iter().position(|release| release.version == version);
            found.ok_or_else(|| format!("{} has no recorded release {version:?}", self.name))
        };
        let newest = until.map_or(Ok(0), place)?;
        let oldest = since.map_or(Ok(self.releases.len() - 1), place)?;
        let releases = self.releases.get(newest..=oldest).filter(|releases| !releases.is_empty());
        releases.map(<[_]>::to_vec).ok_or_else(|| format!("no release of {} is between these limits", self.name))
    }
}

impl Release {
    /// True if the version of this release equals `version` or begins with its components.
    pub(crate) fn is_named(&self, version: &str) -> bool {
        self.version.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+', '-']))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.version, self.date)
    }
}

impl TryFrom<String> for Release {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        let (version, date) = words.split_once(' ').ok_or("a release must be a version and a date")?;
        Ok(Self { version: version.to_owned(), date: date.parse().map_err(|error| format!("{words}: {error}"))? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> Runtime {
        let releases = ["0.33.0 2026-11-02", "0.28.0 2026-08-26", "0.2.1 2024-01-01"];
        let releases = releases.map(|words| Release::try_from(words.to_owned()).expect("a release"));
        Runtime {
            name: "vllm".to_owned(),
            releases: releases.into(),
            checked: jiff::civil::date(2026, 11, 23),
            request: RequestRules::default(),
        }
    }

    #[test]
    fn a_version_is_named_in_full_or_by_its_first_parts() {
        let runtime = runtime();
        for (words, expected) in
            [("0.28", Some("0.28.0")), ("0.2", Some("0.2.1")), ("0", Some("0.33.0")), ("0.3", None)]
        {
            assert_eq!(runtime.release(words).map(|release| &*release.version), expected, "{words}");
        }
    }

    #[test]
    fn a_profile_describes_the_releases_within_its_limits() {
        let runtime = runtime();
        let versions = |since, until| {
            let releases = runtime.between(since, until)?;
            Ok::<_, String>(releases.into_iter().map(|release| release.version).collect::<Vec<_>>())
        };
        assert_eq!(versions(None, None).expect("all").len(), 3);
        assert_eq!(versions(None, Some("0.28.0")).expect("older ones"), ["0.28.0", "0.2.1"]);
        assert_eq!(versions(Some("0.33.0"), None).expect("the newest"), ["0.33.0"]);
        assert!(versions(Some("0.33.0"), Some("0.28.0")).is_err());
        assert!(versions(None, Some("0.28")).is_err());
    }

    #[test]
    fn a_runtime_is_stale_after_180_days() {
        let runtime = runtime();
        let day = |days: i32| runtime.checked + jiff::Span::new().days(days);
        assert!(!runtime.is_stale(day(-1)) && !runtime.is_stale(day(180)) && runtime.is_stale(day(181)));
    }
}
