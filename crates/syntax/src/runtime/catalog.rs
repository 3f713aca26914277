//! The built-in profiles. Each file is parsed on first use, from the JSON that the build script made of its YAML.

use std::sync::{LazyLock, OnceLock};

use super::RuntimeName;
use super::profile::{Defaults, Profile, built_in_defaults, built_in_profiles};
use super::release::{Release, Runtime};

static DEFAULTS: LazyLock<Defaults> =
    LazyLock::new(|| built_in_defaults(include_str!(concat!(env!("OUT_DIR"), "/runtimes.json"))).unwrap_or_default());

/// The profiles of the parsers that read a dialect.
struct File {
    dialect: &'static str,
    json: &'static str,
    /// Quoted texts of its grammars of at least five bytes with punctuation, up to the first escape.
    markers: &'static [&'static str],
    profiles: OnceLock<Vec<Profile>>,
}

macro_rules! files {
    ($($name:literal: $markers:expr),* $(,)?) => {
        /// All files, in alphabetical order; the build script lists them.
        static FILES: &[&File] = &[$({
            static FILE: File = File {
                dialect: $name,
                json: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")),
                markers: &$markers,
                profiles: OnceLock::new(),
            };
            &FILE
        }),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// The dialects that have profiles.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.dialect)
}

/// The profiles of the parsers that read a dialect, in all recorded releases.
pub fn all_releases(dialect: &str) -> &'static [Profile] {
    let Some(file) = FILES.iter().find(|file| file.dialect == dialect) else { return &[] };
    // A test parses all files, so errors need not be handled here.
    file.profiles.get_or_init(|| built_in_profiles(file.json, &DEFAULTS).unwrap_or_default())
}

/// False if a text has no marker of a dialect's profiles, so that these need not be parsed for it.
pub fn has_marker(dialect: &str, text: &str) -> bool {
    let Some(file) = FILES.iter().find(|file| file.dialect == dialect) else { return false };
    file.markers.is_empty() || file.markers.iter().any(|marker| text.contains(marker))
}

/// The profiles of the parsers that read a dialect, in the newest recorded release of each runtime.
pub fn of_dialect(dialect: &str) -> impl Iterator<Item = &'static Profile> {
    all_releases(dialect).iter().filter(|profile| profile.is_current)
}

/// The profiles of the newest releases, dialect by dialect.
pub fn all() -> impl Iterator<Item = &'static Profile> {
    dialects().flat_map(of_dialect)
}

/// A parser in a release.
#[derive(Clone, Copy, Debug)]
pub struct ParserRelease {
    /// The rules of the parser.
    pub profile: &'static Profile,
    /// One of the profile's names.
    pub parser: &'static str,
    /// One of the releases that the profile describes.
    pub release: &'static Release,
}

impl ParserRelease {
    /// True for a parser in a request with thinking on, if the runtime decides by the request: `NAME+think`.
    pub fn thinks(&self) -> bool {
        self.parser.ends_with("+think")
    }

    /// Its name on the command line: `vllm:hermes`, or for an older release `vllm@0.28.0:hermes`.
    pub fn name(&self) -> RuntimeName {
        let is_newest = runtime(&self.profile.runtime).is_some_and(|runtime| runtime.releases[0] == *self.release);
        RuntimeName {
            runtime: self.profile.runtime.clone(),
            version: (!is_newest).then(|| self.release.version.clone()),
            parser: Some(self.parser.to_owned()),
        }
    }
}

/// The parsers of a dialect in the releases given by `names`; all parsers in the newest releases if it is empty.
pub fn named<'n>(dialect: &str, names: &'n [RuntimeName]) -> impl Iterator<Item = ParserRelease> + use<'n> {
    all_releases(dialect).iter().flat_map(move |profile| {
        profile.parsers.iter().flat_map(move |parser| {
            let newest = (names.is_empty() && profile.is_current).then(|| &profile.releases[0]);
            // Several names may refer to one release.
            let mut named: Vec<&Release> = Vec::new();
            for release in names.iter().filter_map(|name| name.release_of(profile, parser)) {
                if !named.contains(&release) {
                    named.push(release);
                }
            }
            named.into_iter().chain(newest).map(|release| ParserRelease { profile, parser, release })
        })
    })
}

/// All parsers in all recorded releases, dialect by dialect.
pub fn every_release() -> impl Iterator<Item = ParserRelease> {
    let releases = |profile: &'static Profile, parser: &'static str| {
        profile.releases.iter().map(move |release| ParserRelease { profile, parser, release })
    };
    let parsers =
        move |profile: &'static Profile| profile.parsers.iter().flat_map(move |parser| releases(profile, parser));
    dialects().flat_map(all_releases).flat_map(parsers)
}

/// The runtimes in display order.
pub fn runtimes() -> impl Iterator<Item = &'static Runtime> {
    DEFAULTS.iter().map(|(runtime, _)| runtime)
}

/// The runtime with this name.
pub fn runtime(name: &str) -> Option<&'static Runtime> {
    runtimes().find(|runtime| runtime.name == name)
}

/// True if a runtime has a parser with this name. Only files that mention the name are parsed.
pub(crate) fn has_parser(runtime: &str, parser: &str) -> bool {
    let is_it = |profile: &Profile| profile.runtime == runtime && profile.parsers.iter().any(|name| name == parser);
    let mut mentioning = FILES.iter().filter(|file| file.json.contains(parser));
    mentioning.any(|file| all_releases(file.dialect).iter().any(is_it))
}

/// The names of the parsers of a runtime, without duplicates, in alphabetical order.
pub(crate) fn parsers(runtime: &str) -> Vec<&'static str> {
    let all = dialects().flat_map(all_releases).filter(|profile| profile.runtime == runtime);
    let mut names: Vec<&str> = all.flat_map(|profile| profile.parsers.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_profiles_can_be_read() {
        let defaults = built_in_defaults(include_str!(concat!(env!("OUT_DIR"), "/runtimes.json")));
        let defaults = defaults.expect("the runtimes are readable");
        for File { dialect: name, json, .. } in FILES {
            let profiles = built_in_profiles(json, &defaults).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(profiles.iter().all(|profile| profile.dialect == *name), "{name} is of another dialect");
            for profile in &profiles {
                profile.check().unwrap_or_else(|error| panic!("{name}: {:?}: {error}", profile.parsers));
                let same = |other: &&Profile| {
                    other.runtime == profile.runtime
                        && other.parsers.iter().any(|parser| profile.parsers.contains(parser))
                        && other.releases.iter().any(|release| profile.releases.contains(release))
                };
                assert_eq!(profiles.iter().filter(same).count(), 1, "{name}: {:?} twice", profile.parsers);
            }
        }
        assert!(
            FILES.windows(2).all(|pair| pair[0].dialect < pair[1].dialect),
            "the files are not in alphabetical order"
        );
    }
}
