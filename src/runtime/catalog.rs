//! The profiles of the program. Each file is read when it is first asked for.

use std::sync::{LazyLock, OnceLock};

use super::profile::{Defaults, Profile, parse_defaults, parse_file};

static DEFAULTS: LazyLock<Defaults> =
    LazyLock::new(|| parse_defaults(include_str!("runtimes.yaml")).unwrap_or_default());

/// The profiles of the parsers that read a dialect.
struct File {
    dialect: &'static str,
    source: &'static str,
    profiles: OnceLock<Vec<Profile>>,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// All files, in alphabetical order; the build script lists them.
        static FILES: &[&File] = &[$({
            static FILE: File = File {
                dialect: $name,
                source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runtime/profiles/", $name, ".yaml")),
                profiles: OnceLock::new(),
            };
            &FILE
        }),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// The dialects of which there are profiles.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.dialect)
}

/// The profiles of the parsers that read a dialect.
pub fn of_dialect(dialect: &str) -> &'static [Profile] {
    let Some(file) = FILES.iter().find(|file| file.dialect == dialect) else { return &[] };
    // A test reads them all, so there is nothing to say of a fault here.
    file.profiles.get_or_init(|| parse_file(file.source, &DEFAULTS).unwrap_or_default())
}

/// All profiles, dialect by dialect.
pub fn all() -> impl Iterator<Item = &'static Profile> {
    dialects().flat_map(of_dialect)
}

/// The names of the runtimes, in the order in which they are shown.
pub fn runtimes() -> Vec<&'static str> {
    DEFAULTS.iter().map(|(name, _)| name.as_str()).collect()
}

/// Whether a runtime has a parser with this name. Files that do not mention it are not read.
pub fn has_parser(runtime: &str, parser: &str) -> bool {
    let is_it = |profile: &Profile| profile.runtime == runtime && profile.parsers.iter().any(|name| name == parser);
    let mut mentioning = FILES.iter().filter(|file| file.source.contains(parser));
    mentioning.any(|file| of_dialect(file.dialect).iter().any(is_it))
}

/// The names of the parsers of a runtime, each once, in alphabetical order.
pub fn parsers(runtime: &str) -> Vec<&'static str> {
    let of_runtime = all().filter(|profile| profile.runtime == runtime);
    let mut names: Vec<&str> = of_runtime.flat_map(|profile| profile.parsers.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_profiles_can_be_read() {
        let defaults = parse_defaults(include_str!("runtimes.yaml")).expect("the runtimes are readable");
        for File { dialect: name, source, .. } in FILES {
            let profiles = parse_file(source, &defaults).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(profiles.iter().all(|profile| profile.dialect == *name), "{name} is of another dialect");
        }
        assert!(
            FILES.windows(2).all(|pair| pair[0].dialect < pair[1].dialect),
            "the files are not in alphabetical order"
        );
    }
}
