//! Changes by an upgrade of a runtime: its parsers of two releases on the same text.

use super::{MessageDialects, MessageText, OutcomeFact, ParserChoice, fact};
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::{self, Outcome, Release, RuntimeName, ToolRequest};

/// The changes for a message.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// The name of the runtime: `vllm`.
    pub runtime: &'static str,
    /// The release before the upgrade.
    pub from: &'static Release,
    /// The release after it.
    pub to: &'static Release,
    /// The parsers of the message's dialects, in the order of their profiles.
    pub parsers: Vec<ParserUpgrade>,
}

/// The outcomes of a parser before and after an upgrade.
#[derive(Clone, Debug)]
pub struct ParserUpgrade {
    /// The dialect that it reads.
    pub dialect: &'static str,
    /// Its name: `hermes`.
    pub parser: &'static str,
    /// The outcome before the upgrade; absent where the release does not have it.
    pub before: Option<Outcome>,
    /// The outcome after it.
    pub after: Option<Outcome>,
}

impl ParserUpgrade {
    /// True if a client gets something else after the upgrade. A parser that is new has no clients.
    pub fn is_changed(&self) -> bool {
        self.before.is_some() && self.before != self.after
    }

    /// The facts after the upgrade, compared with the facts before it.
    pub fn facts(&self) -> Vec<OutcomeFact> {
        fact::compare(&self.before.clone().unwrap_or_default(), &self.after.clone().unwrap_or_default())
    }
}

/// The releases of an upgrade: from the named one, or from the one before the newest, to the newest.
///
/// # Errors
/// No older release of the runtime was recorded.
pub fn releases(name: &RuntimeName) -> Result<[&'static Release; 2], String> {
    let runtime = catalog::runtime(&name.runtime).ok_or_else(|| format!("unknown runtime {:?}", name.runtime))?;
    let older = match &name.version {
        Some(version) => runtime.releases[1..].iter().find(|release| release.version == *version),
        None => runtime.releases.get(1),
    };
    let newest = &runtime.releases[0];
    older.map(|older| [older, newest]).ok_or_else(|| {
        format!("there is nothing to compare: {newest} is the newest release of {} that was recorded", runtime.name)
    })
}

/// Reads a message with the parsers of both releases.
///
/// # Errors
/// Says that no older release of the runtime was recorded.
pub fn compare(
    message: &MessageText,
    request: &ToolRequest,
    wanted: &ParserChoice,
    name: &RuntimeName,
) -> Result<Upgrade, String> {
    let [from, to] = releases(name)?;
    let (request, MessageDialects { asked, .. }) = wanted.prepared(message, request, || false);
    let names = [from, to].map(|release| RuntimeName { version: Some(release.version.clone()), ..name.clone() });
    let mut parsers: Vec<ParserUpgrade> = Vec::new();
    for dialect in asked {
        for ParserRelease { profile, parser, release } in catalog::named(dialect, &names) {
            let outcome = runtime::read(profile, &message.text, &request).outcome;
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
