//! Signs of one dialect inside a call of another: a model that mixes two syntaxes, or a call that swallowed the next.
//!
//! Looks at the bodies of calls that have ended, for strings that are rare anywhere else. This module does not know
//! what a sign would begin.

use aho_corasick::AhoCorasick;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;

/// By what each dialect is known inside of another's call.
pub const SIGNS: &[(&str, &[&str])] = &[
    ("gadget", &["!!!GADGET_START:"]),
    ("caret", &["\n^^^"]),
    ("xml", &["<tool:"]),
    ("invoke", &["<invoke name="]),
    ("function", &["<function="]),
    ("hermes", &["<tool_call>"]),
    ("callout", &["> [!tool"]),
    ("tool-fence", &["\n```tool"]),
    ("native", &["\"tool_calls\":", "\"type\":\"tool_use\"", "\"type\": \"tool_use\""]),
];

/// Dialects of one family, whose signs are at home in each other's calls.
const FAMILIES: &[&[&str]] = &[&["hermes", "function"]];

/// Recognises the signs of some dialects.
#[derive(Debug)]
pub struct Foreign {
    automaton: Option<AhoCorasick>,
    /// The dialect of each pattern of the automaton.
    owners: Vec<&'static str>,
}

impl Foreign {
    /// For the dialects with these names.
    pub fn new(active: &[&str]) -> Self {
        let known = SIGNS.iter().filter(|(name, _)| active.contains(name));
        let (owners, patterns): (Vec<&'static str>, Vec<&str>) =
            known.flat_map(|(name, signs)| signs.iter().map(|sign| (*name, *sign))).unzip();
        // One dialect alone has no foreign ones.
        let automaton = if active.len() > 1 { AhoCorasick::new(&patterns).ok() } else { None };
        Self { automaton, owners }
    }

    /// The first sign of another dialect in the body of a call; `body` lies at `base`.
    pub fn find(&self, own: &str, body: &[u8], base: usize) -> Option<Diagnostic> {
        let at_home = |owner: &str| {
            owner == own || FAMILIES.iter().any(|family| family.contains(&owner) && family.contains(&own))
        };
        let found =
            self.automaton.as_ref()?.find_iter(body).find(|found| !at_home(self.owners[found.pattern().as_usize()]))?;
        let owner = self.owners[found.pattern().as_usize()];
        // The line feed in front of a sign is no part of it.
        let start = found.start() + usize::from(body[found.start()] == b'\n');
        let span = Span::new(base + start, base + found.end());
        let message = format!("what looks like a call of the {owner} dialect is part of a value here");
        Some(Diagnostic::new(Code::ForeignMarkup, span, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_other_active_dialects_are_found_and_own_ones_are_not() {
        let foreign = Foreign::new(&["gadget", "xml", "caret", "hermes", "function"]);
        let cases = [
            ("gadget", "see <tool:x>", Some("<tool:")),
            ("xml", "see <tool:x>", None),
            ("gadget", "a\n^^^b", Some("^^^")),
            ("gadget", "2^^^3", None),
            ("hermes", "<function=a>", None),
            ("gadget", "plain", None),
            ("gadget", "> [!tool x]", None),
        ];
        for (own, body, expected) in cases {
            let found = foreign.find(own, body.as_bytes(), 10);
            let text = found.map(|problem| body[problem.span.start - 10..problem.span.end - 10].to_owned());
            assert_eq!(text.as_deref(), expected, "{body:?} in {own}");
        }
        assert!(Foreign::new(&["gadget"]).find("gadget", b"<tool:x>", 0).is_none());
    }
}
