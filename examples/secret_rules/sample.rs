//! The examples of published rules, with the secret in each: half of them to be read, half to be measured.

use std::fmt::Write as _;

use anyhow::Result;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::pattern;
use super::source::PublishedRule;

/// Most examples of a rule, most bytes of one, and fewest bytes of its secret.
const MOST: usize = 3;
const LONGEST: usize = 2048;
const SHORTEST: usize = 4;

/// The two halves, each with its name: a line has how the secret is recognised, the rule, the range of the secret, and
/// the example in base64, so that other scanners of secrets do not report the file.
pub fn halves(rules: &[PublishedRule]) -> Result<[(&'static str, String); 2]> {
    let mut halves = [("published.txt", String::new()), ("held_out.txt", String::new())];
    for rule in rules.iter().filter(|rule| rule.is_secret()) {
        let Ok(pattern) = pattern::converted(&rule.pattern, None) else { continue };
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        let Ok(regex) = Regex::builder().syntax(syntax).build(&pattern) else { continue };
        let mut seen = Vec::new();
        for example in rule.examples.iter().filter(|example| example.len() <= LONGEST) {
            let mut captures = regex.create_captures();
            regex.captures(example.as_bytes(), &mut captures);
            // Of several groups the last one has the secret; the others have an account.
            let Some(secret) = (0..captures.group_len()).rev().find_map(|group| captures.get_group(group)) else {
                continue;
            };
            let Some(text) = example.get(secret.range()).filter(|text| text.len() >= SHORTEST) else { continue };
            // The publisher's own program does not report it.
            let is_refused = entropy(text) < rule.entropy;
            if is_refused || seen.len() == MOST || seen.contains(&text) {
                continue;
            }
            seen.push(text);
            // Otherwise the rule needs the text around the secret.
            let is_whole = captures
                .get_match()
                .is_some_and(|whole| whole.start() == secret.start && whole.end() <= secret.end + 2);
            let group = group_of(example, secret.start, is_whole);
            let half = (hash(&rule.id) % 2) as usize;
            let encoded = BASE64_STANDARD.encode(example);
            writeln!(halves[half].1, "{group} {} {}..{} {encoded}", rule.id, secret.start, secret.end)?;
        }
    }
    Ok(halves)
}

/// How the secret in an example is recognised: by its form, by a name before it, or by its surroundings.
fn group_of(example: &str, start: usize, is_whole: bool) -> &'static str {
    if is_whole {
        return "form";
    }
    let before = example[..start].trim_end_matches(['"', '\'', '`', ' ']);
    if before.ends_with(['=', ':']) { "name" } else { "place" }
}

/// The FNV-1a hash of a text.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)) >> 7
}

/// Shannon entropy of a text in bits a byte.
fn entropy(text: &str) -> f64 {
    let count = |letter: u8| text.bytes().filter(|&byte| byte == letter).count() as f64 / text.len() as f64;
    (0..=u8::MAX).map(count).filter(|&share| share > 0.0).map(|share| -share * share.log2()).sum()
}
