//! Finds secrets by the text around them: after an option of a command, in SQL, next to a user name in code, and so on.
//!
//! The rules are data, in `surroundings.txt`: to add one, add a line. A rule is tried only where one of its signs
//! occurs, and its pattern is compiled when that first happens.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::value::{Strength, ValueContext, is_secret};
use crate::text::steps;

const FILE: &str = include_str!("surroundings.txt");

/// Abbreviations in patterns, each may contain later ones.
const ABBREVIATIONS: [(&str, &str); 5] = [
    // The secret: a string, or a word of a command.
    ("<value>", r"(?:<string>|([!#$%+./0-9=?@A-Z^_a-z~:*][!#$%()*+,./0-9:=?@A-Z^_a-z{}~\[\]-]{3,199}))"),
    ("<string>", r#"(?:"([^"\r\n]{4,200})"|'([^'\r\n]{4,200})')"#),
    // An argument with the name of a user.
    ("<user>", r"(?:<literal>|[$@]?[\w.>-]{0,30}(?:user|name|mail|login|account)\w{0,20})(?:\.\w+(?:\(\))?)?"),
    ("<literal>", r#"(?:"[^"\n]{0,100}"|'[^'\n]{0,100}')"#),
    // Further arguments of the same command, which may be on several lines.
    ("<arguments>", r"(?:[^\n|]|\\\r?\n)*?"),
];

/// Most bytes that a pattern is applied to, from its sign.
const WINDOW: usize = 768;

/// Most bytes of the cache of a compiled pattern, and of the pattern itself.
const CACHE: usize = 256 * 1024;
const SIZE: usize = 4 * 1024 * 1024;

/// Most digits of a number that is a port or an identifier rather than a password.
const LONGEST_NUMBER: usize = 5;

/// A rule, which is a line of `surroundings.txt`.
pub(super) struct SurroundingRule {
    pub(super) kind: &'static str,
    /// Substrings in lower case, one of which each match contains.
    pub(super) signs: Vec<&'static str>,
    strength: Strength,
    /// The context of a value without quotation marks.
    context: ValueContext,
    /// Most bytes of a match before the sign.
    back: usize,
    /// The pattern. The secret is the last group that takes part in the match.
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

/// All rules of the file, in its order.
pub(super) fn rules() -> Vec<SurroundingRule> {
    let lines = FILE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(SurroundingRule::parse).collect()
}

impl SurroundingRule {
    /// A line; `None` if it is malformed, which a test excludes.
    fn parse(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (kind, proof, back, pattern) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let (strength, context) = match proof {
            "sure" => (Strength::Password, ValueContext::Quoted),
            "password" => (Strength::Password, ValueContext::Assigned),
            "talk" => (Strength::Password, ValueContext::Bare),
            "token" => (Strength::Token, ValueContext::Assigned),
            _ => return None,
        };
        let (signs, back, regex) = (fields.collect(), back.parse().ok()?, OnceLock::new());
        Some(Self { kind, signs, strength, context, back, pattern, regex })
    }

    /// The compiled pattern; `None` if it is refused, which a test excludes.
    fn regex(&self) -> Option<&Regex> {
        self.regex
            .get_or_init(|| {
                let whole = |pattern: String, (name, meaning): (&str, &str)| pattern.replace(name, meaning);
                let pattern = ABBREVIATIONS.into_iter().fold(self.pattern.to_owned(), whole);
                let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true).multi_line(true);
                let config = Config::new().utf8_empty(false).hybrid_cache_capacity(CACHE).nfa_size_limit(Some(SIZE));
                Regex::builder().syntax(syntax).configure(config).build(&pattern).ok()
            })
            .as_ref()
    }

    /// The secret of this kind that has a sign at `sign`.
    pub(super) fn at(&self, text: &str, sign: &Range<usize>) -> Option<Range<usize>> {
        let anchored = if self.back == 0 { Anchored::Yes } else { Anchored::No };
        let window = sign.start.saturating_sub(self.back)..text.len().min(sign.start + WINDOW);
        let input = Input::new(text).range(window).anchored(anchored);
        let regex = self.regex()?;
        let end = regex.search_half(&input)?.offset();
        steps::add(end - input.start());
        let mut captures = regex.create_captures();
        regex.search_captures(&input, &mut captures);
        let range = (1..captures.group_len()).rev().find_map(|group| captures.get_group(group))?.range();
        let value = text.get(range.clone())?;
        let is_quoted =
            text[..range.start].ends_with(['"', '\'', '`']) && text[range.end..].starts_with(['"', '\'', '`']);
        let value = if is_quoted { value } else { value.trim_end_matches(['.', ',', ':', ')', ']', '}']) };
        let context = if is_quoted && self.context != ValueContext::Bare { ValueContext::Quoted } else { self.context };
        (!is_number(value) && is_secret(value, self.strength, context))
            .then_some(range.start..range.start + value.len())
    }
}

/// True for a port, a pair of ports, an address or a short number.
fn is_number(value: &str) -> bool {
    let is_one = value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'/' | b'-' | b','));
    is_one && (value.len() <= LONGEST_NUMBER || value.contains(['.', ':', '/', '-', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_tried() {
        let lines = FILE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let rule = SurroundingRule::parse(line).unwrap_or_else(|| panic!("{line}"));
            assert!(rule.regex().is_some_and(|regex| regex.captures_len() > 1), "{}", rule.pattern);
            // A shorter sign would occur everywhere.
            let is_sign = |sign: &&str| sign.chars().count() >= 2;
            assert!(!rule.signs.is_empty() && rule.signs.iter().all(is_sign), "{}", rule.pattern);
        }
    }

    #[test]
    fn only_what_the_surroundings_promise_is_found() {
        let rules = rules();
        let found = |text: &'static str| {
            let small = text.to_ascii_lowercase();
            rules.iter().find_map(|rule| {
                let places = rule.signs.iter().flat_map(|sign| small.match_indices(sign));
                let mut places = places.map(|(at, sign)| at..at + sign.len());
                places.find_map(|place| rule.at(text, &place)).map(|range| &text[range])
            })
        };
        for (text, expected) in [
            ("mysql -u root -pa1B2c3 shop", Some("a1B2c3")),
            ("mysql -u root -p shop", None),
            ("docker run -u root -p 8080:80 nginx", None),
            ("ssh -u ada -p 2222 host", None),
            ("msbuild x.sln /p:Configuration=Release", None),
            ("xfreerdp /v:host /u:ada /p:a1B2c3d4", Some("a1B2c3d4")),
            ("echo hello | grep login", None),
            ("echo 'a1B2c3d4' | docker login -u ada --password-stdin", Some("a1B2c3d4")),
            ("git hash-object --stdin <<< words", None),
            ("CREATE USER ada IDENTIFIED BY 'a1B2c3d4'", Some("a1B2c3d4")),
            ("identified by `property_name`", None),
            ("enable secret scanning of it", None),
            ("enable secret 0 a1B2c3d4", Some("a1B2c3d4")),
            ("login(\"ada\", \"a1B2c3d4\")", Some("a1B2c3d4")),
            ("login(\"ada\", \"${PASSWORD}\")", None),
            ("Das Passwort lautet a1B2c3d4.", Some("a1B2c3d4")),
            ("Das Passwort ist falsch geschrieben", None),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
