//! Compares the parsers of two releases of a runtime on the same message.

use super::{MessageDialects, MessageText, OutcomeFact, ParserChoice, fact};
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::{self, Outcome, Release, RuntimeName, ToolRequest};

/// The effects of an upgrade on a message.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// Name of the runtime: `vllm`.
    pub runtime: &'static str,
    /// Release before the upgrade.
    pub from: &'static Release,
    /// Release after the upgrade.
    pub to: &'static Release,
    /// The parsers of the message's dialects, in the order of their profiles.
    pub parsers: Vec<ParserUpgrade>,
}

/// The outcomes of a parser before and after an upgrade.
#[derive(Clone, Debug)]
pub struct ParserUpgrade {
    /// Dialect that it reads.
    pub dialect: &'static str,
    /// Name of the parser: `hermes`.
    pub parser: &'static str,
    /// Outcome before the upgrade; `None` if the release does not have the parser.
    pub before: Option<Outcome>,
    /// Outcome after the upgrade; `None` if the release does not have the parser.
    pub after: Option<Outcome>,
}

impl ParserUpgrade {
    /// True if clients get a different outcome after the upgrade. A new parser has no clients.
    pub fn is_changed(&self) -> bool {
        self.before.is_some() && self.before != self.after
    }

    /// The facts after the upgrade, compared with the facts before it.
    pub fn facts(&self) -> Vec<OutcomeFact> {
        fact::compare(&self.before.clone().unwrap_or_default(), &self.after.clone().unwrap_or_default())
    }
}

/// The releases of an upgrade: from the named one, or else the second newest, to the newest.
///
/// # Errors
/// If the runtime is unknown, or the older release is not recorded.
pub fn releases(name: &RuntimeName) -> Result<[&'static Release; 2], String> {
    let runtime = catalog::runtime(&name.runtime).ok_or_else(|| format!("unknown runtime {:?}", name.runtime))?;
    let older = match &name.version {
        Some(version) => runtime.releases[1..].iter().find(|release| release.version == *version),
        None => runtime.releases.get(1),
    };
    let newest = &runtime.releases[0];
    older
        .map(|older| [older, newest])
        .ok_or_else(|| format!("nothing to compare: no release of {} before {newest} is recorded", runtime.name))
}

/// Reads a message with the parsers of both releases.
///
/// # Errors
/// If the runtime is unknown, or the older release is not recorded.
pub fn compare(
    message: &MessageText,
    request: &ToolRequest,
    wanted: &ParserChoice,
    name: &RuntimeName,
) -> Result<Upgrade, String> {
    let [from, to] = releases(name)?;
    let (request, MessageDialects { detected: asked, .. }) = wanted.prepared(message, request, || false);
    let names = [from, to].map(|release| RuntimeName { version: Some(release.version.clone()), ..name.clone() });
    let mut parsers: Vec<ParserUpgrade> = Vec::new();
    for dialect in asked {
        for release_of_parser in catalog::named(dialect, &names) {
            let outcome = runtime::read_answer(&release_of_parser, &message.text, &request).reading.outcome;
            let ParserRelease { parser, release, .. } = release_of_parser;
            let known = parsers.iter().position(|known| known.parser == parser && known.dialect == dialect);
            let number = known.unwrap_or_else(|| {
                parsers.push(ParserUpgrade { dialect, parser, before: None, after: None });
                parsers.len() - 1
            });
            let side = if release == to { &mut parsers[number].after } else { &mut parsers[number].before };
            *side = Some(outcome);
        }
    }
    let runtime = catalog::runtime(&name.runtime).map_or("", |runtime| &runtime.name);
    Ok(Upgrade { runtime, from, to, parsers })
}
