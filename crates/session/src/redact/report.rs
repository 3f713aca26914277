//! Lists what is replaced in a transcript, and what looks like a secret and is kept, so that a user can review both.
//!
//! No list holds a secret: of a replaced value it has the public prefix and the length.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::candidate::{self, KeepReason};
use super::matcher::Kind;
use super::token::TOKENS;
use super::window::readable;
use super::{Finding, MARGIN, Redactor, SLICE, shape};
use crate::session::Session;
use crate::text::Span;

/// Most values in a list, and most places of a value.
const MOST_VALUES: usize = 500;
const MOST_PLACES: usize = 5;

/// Characters of a kept value that are shown; a value with less than four times as many is not.
const SHOWN: usize = 6;

/// What tells that a value has to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FindingRule {
    /// A format that an issuer documents.
    Format,
    /// A prefix and random characters, as in tokens of many issuers.
    Shape,
    /// The name or the text before it.
    Name,
    /// A pattern of the user's settings.
    Pattern,
    /// The format of a mail address, a host or a home folder.
    Private,
}

impl FindingRule {
    /// Its name in output.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The places of a value in the text of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueSites {
    /// Offsets of the first ones, in text order.
    pub offsets: Vec<usize>,
    /// Number of all places.
    pub count: usize,
}

impl ValueSites {
    fn add(&mut self, offset: usize) {
        self.count += 1;
        if self.offsets.len() < MOST_PLACES {
            self.offsets.push(offset);
        }
    }
}

/// A value that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedValue {
    /// The kind: `github-token`, `email`, the name of a pattern.
    pub kind: String,
    /// What tells that it has to be replaced.
    pub rule: FindingRule,
    /// The text in its place: `[secret:github-token#1]`.
    pub replacement: String,
    /// Its public prefix (`ghp_`), which may be empty.
    pub begins: String,
    /// Its length in characters.
    pub characters: usize,
    /// Its places in the text.
    pub sites: ValueSites,
}

/// A value that looks like a secret and is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptValue {
    /// Why it is kept.
    pub reason: KeepReason,
    /// Its first characters; empty if it is short.
    pub begins: String,
    /// Its length in characters.
    pub characters: usize,
    /// Its places in the text.
    pub sites: ValueSites,
}

/// The values of a transcript that are replaced, and the ones that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedactionReport {
    /// Replaced values, in the order of their first places.
    pub replaced: Vec<ReplacedValue>,
    /// Number of places of replaced values that are not listed, because there are too many.
    pub more_replaced: usize,
    /// Kept values, in the order of their first places.
    pub kept: Vec<KeptValue>,
    /// Number of places of kept values that are not listed, because there are too many.
    pub more_kept: usize,
    /// Number of places of values that are only counted, by reason.
    pub counted: BTreeMap<KeepReason, usize>,
}

/// A report with the numbers of its values.
#[derive(Default)]
struct ReportBuilder {
    report: RedactionReport,
    replaced: HashMap<String, usize>,
    kept: HashMap<String, usize>,
}

impl Redactor {
    /// Lists what is replaced in the text of a session that this redactor knows, and what is kept.
    pub fn report(&self, session: &Session) -> RedactionReport {
        let mut builder = ReportBuilder::default();
        let text = session.text();
        for at in (0..text.len()).step_by(SLICE) {
            let start = at.saturating_sub(MARGIN);
            let bytes = text.read(Span::new(start, at + SLICE + MARGIN));
            let words = readable(&bytes);
            let (found, mut kept) = self.findings_and_kept(&words);
            let is_here = |range: &Range<usize>| (at..at + SLICE).contains(&(start + range.start));
            for finding in found.iter().filter(|found| is_here(&found.range)) {
                let offset = start + finding.range.start;
                builder.add_replaced(finding, &self.word(finding.kind, finding.secret.trim()), self, offset);
            }
            let replaced: Vec<_> = found.iter().map(|found| found.range.clone()).collect();
            let mut reached = 0;
            let mut apart = Vec::new();
            kept.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
            for finding in kept.into_iter().filter(|found| !overlaps(&replaced, &found.range)) {
                // Several rules may find it.
                if finding.range.start >= reached && is_here(&finding.range) {
                    builder.add_kept(KeepReason::Allowed, &finding.secret, start + finding.range.start);
                }
                if finding.range.end > reached {
                    apart.push(finding.range.start.max(reached)..finding.range.end);
                    reached = finding.range.end;
                }
            }
            candidate::find(&words, &mut |reason, range| {
                if is_here(&range) && !overlaps(&replaced, &range) && !overlaps(&apart, &range) {
                    builder.add_kept(reason, &words[range.clone()], start + range.start);
                }
            });
        }
        builder.report.kept.sort_by_key(|kept| kept.sites.offsets.first().copied());
        builder.report
    }
}

/// True if a range has bytes of one of some ranges, which are in order and do not overlap.
fn overlaps(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = ranges.partition_point(|earlier| earlier.end <= range.start);
    ranges.get(next).is_some_and(|next| next.start < range.end)
}

impl ReportBuilder {
    fn add_replaced(&mut self, finding: &Finding, word: &str, redactor: &Redactor, offset: usize) {
        let all = &mut self.report.replaced;
        let known = self.replaced.get(word).copied();
        let Some(number) = known.or_else(|| (all.len() < MOST_VALUES).then_some(all.len())) else {
            self.report.more_replaced += 1;
            return;
        };
        if known.is_none() {
            self.replaced.insert(word.to_owned(), number);
            all.push(ReplacedValue::new(finding, word, redactor));
        }
        all[number].sites.add(offset);
    }

    fn add_kept(&mut self, reason: KeepReason, value: &str, offset: usize) {
        if !reason.is_listed() {
            *self.report.counted.entry(reason).or_default() += 1;
            return;
        }
        let all = &mut self.report.kept;
        let known = self.kept.get(value).copied();
        let Some(number) = known.or_else(|| (all.len() < MOST_VALUES).then_some(all.len())) else {
            self.report.more_kept += 1;
            return;
        };
        if known.is_none() {
            self.kept.insert(value.to_owned(), number);
            let characters = value.chars().count();
            let shown = if characters >= 4 * SHOWN { SHOWN } else { 0 };
            let begins = value.chars().take(shown).collect();
            all.push(KeptValue { reason, begins, characters, sites: ValueSites::default() });
        }
        all[number].sites.add(offset);
    }
}

impl ReplacedValue {
    fn new(finding: &Finding, word: &str, redactor: &Redactor) -> Self {
        let secret = finding.secret.trim();
        let (rule, kind) = match finding.kind {
            Kind::Known(_, kind) => (FindingRule::Format, kind),
            Kind::Shaped => (FindingRule::Shape, "token"),
            Kind::Named(kind) => (FindingRule::Name, kind),
            Kind::Own(number) => (FindingRule::Pattern, redactor.matcher.own.patterns[number].0.as_str()),
            Kind::Private(what) => (FindingRule::Private, what.into_str()),
        };
        Self {
            kind: kind.to_owned(),
            rule,
            replacement: word.to_owned(),
            begins: secret[..public_len(finding.kind, secret)].to_owned(),
            characters: secret.chars().count(),
            sites: ValueSites::default(),
        }
    }
}

/// Number of bytes at the start of a secret that its issuer publishes.
fn public_len(kind: Kind, secret: &str) -> usize {
    match kind {
        Kind::Known(at, kind) => {
            let token = TOKENS.get(at).filter(|token| token.kind == kind);
            let begins = token.into_iter().flat_map(|token| token.begins);
            begins.filter(|begins| secret.starts_with(**begins)).map(|begins| begins.len()).max().unwrap_or_default()
        }
        Kind::Shaped => shape::prefix_len(secret),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::OwnPatterns;

    fn report(text: &str, keep: &[&str]) -> RedactionReport {
        let session = Session::from_bytes(text.as_bytes());
        let keep = keep.iter().map(|&text| text.to_owned()).collect();
        let own = OwnPatterns::new([("ticket", "ACME-[0-9]+")].into_iter(), keep).expect("it is valid");
        Redactor::new(&session, own).report(&session)
    }

    #[test]
    fn what_is_replaced_is_listed_with_its_rule_and_without_its_text() {
        let key = ["ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let text = format!(
            "{key} and {key}.\n\nACME-4711 by ada@acme.io,\nDB_PASSWORD=tr0ub4dor-3 and\nvnd_live_a8Fk2LmQ9xZr4TyU7wPq\n"
        );
        let shown: Vec<String> = report(&text, &[])
            .replaced
            .iter()
            .map(|value| {
                let (rule, sites) = (value.rule.word(), &value.sites.offsets);
                format!("{} {rule} {:?} {} {sites:?}", value.replacement, value.begins, value.characters)
            })
            .collect();
        assert_eq!(
            shown,
            [
                "[secret:github-token#1] format \"ghp_\" 40 [0, 45]",
                "[ticket#1] pattern \"\" 9 [88]",
                "[email#1] private \"\" 11 [101]",
                "[secret:password#1] name \"\" 11 [126]",
                "[secret:token#1] shape \"vnd_live_\" 29 [142]",
            ]
        );
    }

    #[test]
    fn what_is_kept_is_listed_with_the_reason() {
        let text = "ada@acme.io, ACME_API_KEY=changeme, Qm4xT7bK9wZr2LfN8yHs3VcJ, 9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364";
        let report = report(text, &["acme.io"]);
        let shown: Vec<String> = report
            .kept
            .iter()
            .map(|value| format!("{} {:?} {}", value.reason.word(), value.begins, value.characters))
            .collect();
        assert_eq!(shown, ["allowed \"\" 11", "placeholder \"\" 8", "unnamed \"Qm4xT7\" 24"]);
        assert_eq!(report.counted, [(KeepReason::Uuid, 1)].into());
        assert_eq!(report.replaced, []);
    }

    #[test]
    fn lists_are_bounded_and_what_is_not_listed_is_counted() {
        let text = (0..MOST_VALUES + 7).map(|number| format!("ACME-{number}")).collect::<Vec<_>>().join(", ") + ", ";
        let report = report(&text.repeat(MOST_PLACES + 2), &[]);
        assert_eq!((report.replaced.len(), report.more_replaced), (MOST_VALUES, 7 * (MOST_PLACES + 2)));
        assert_eq!(report.replaced[0].sites.count, MOST_PLACES + 2);
        assert_eq!(report.replaced[0].sites.offsets.len(), MOST_PLACES);
    }
}
