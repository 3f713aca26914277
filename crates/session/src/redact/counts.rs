//! Counts of findings, for messages and manifests.

use std::collections::BTreeMap;

use super::Redactor;
use super::matcher::Kind;
use super::privacy::Private;

impl Redactor {
    /// Findings by kind, secrets first: `2 github-token, 1 email`; empty without findings.
    pub fn summary(&self) -> String {
        let known = self.known.borrow();
        listed(known.counts.iter().flatten())
    }

    /// The user names that are replaced wherever they are words, in discovery order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let is_name = |(_, kind): &&(String, Kind)| *kind == Kind::Private(Private::User);
        self.global_secrets
            .iter()
            .filter(is_name)
            .map(|(name, _)| name.as_str())
            .filter(|name| !self.matcher.own.keeps(name))
    }

    /// Number of findings of each kind.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        self.known.borrow().counts.iter().flatten().map(|(kind, &count)| (kind.clone(), count)).collect()
    }

    /// The findings as in [`Self::summary`] but without private details, and the number of private details.
    pub fn secrets(&self) -> (String, usize) {
        let known = self.known.borrow();
        let [secrets, own, private] = &known.counts;
        (listed(secrets.iter().chain(own)), private.values().sum())
    }
}

fn listed<'a>(counts: impl Iterator<Item = (&'a String, &'a usize)>) -> String {
    counts.map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}
