//! Text that recurs around a varying word: candidates for the markers of calls and arguments.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::writer::is_call_word;

/// Most openers that are tried.
const MAX_OPENERS: usize = 24;

/// Most closers of an opener that are tried.
const MAX_CLOSERS: usize = 6;

/// Longest part of a line that is searched for markers, in bytes.
const LONGEST_LINE: usize = 256;

/// Most positions in a line at which a marker is tried.
const MAX_PLACES: usize = 8;

const LONGEST: usize = 48;

/// Longest body that is examined, in bytes.
const LONGEST_BODY: usize = 16 * 1024;

/// The text before a name, and the text after it.
type Around = (String, String);

/// A candidate for the marker that opens a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opener {
    prefix: String,
    suffix: String,
    /// Its occurrences: start offset, name, end offset.
    places: Vec<(usize, String, usize)>,
    /// True if it is always at the start of a line.
    pub(super) is_at_line: bool,
}

impl Opener {
    /// The template of the marker; `lead` is the text that always follows it.
    pub(super) fn template(&self, lead: &str, is_json: bool) -> String {
        let mut template = format!("{}{{name}}{}", escape(&self.prefix), escape(&self.suffix));
        if !lead.is_empty() {
            template += "{nl}";
            template += &escape(lead);
        } else if is_json && self.suffix.is_empty() {
            template += "{ws}";
        } else if self.suffix.is_empty() {
            template += "\n";
        }
        template
    }

    /// True if no part of the marker follows the name.
    pub(super) fn ends_with_name(&self) -> bool {
        self.suffix.is_empty()
    }

    /// The words in the marker.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.prefix.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
    }
}

/// True if a text can be the name of a tool or of an argument.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    text.len() <= 64
        && chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// True if a text is probably a marker, and not a word of prose.
pub(super) fn is_marker(text: &str) -> bool {
    let has_sign = text.chars().any(|c| !c.is_alphanumeric() && !c.is_whitespace() && !".,'\"()?!{}[]-*".contains(c));
    let is_loud = text.len() > 2 && text.chars().all(|c| c.is_uppercase() || matches!(c, '_' | ' '));
    let brackets = ["[", "]", "{", "}", "(", ")"].iter().filter(|sign| text.matches(**sign).count() > 1).count() > 0;
    let is_word_in_brackets = text.len() > 2 && text.starts_with(['[', '(']) && text.ends_with([']', ')']);
    !text.is_empty() && text.len() <= LONGEST && (has_sign || is_loud || brackets || is_word_in_brackets)
}

/// Escapes a text for use in a template.
pub(crate) fn escape(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Candidates for the marker that opens a call, the likeliest first.
pub(super) fn openers(text: &str) -> Vec<Opener> {
    let mut found: BTreeMap<Around, Vec<(usize, String, usize, bool)>> = BTreeMap::new();
    each_shape(text, |prefix, name, suffix, at, is_at_line| {
        let start = at;
        let end = at + prefix.len() + name.len() + suffix.len();
        found.entry((prefix.to_owned(), suffix.to_owned())).or_default().push((
            start,
            name.to_owned(),
            end,
            is_at_line,
        ));
    });
    let mut openers: Vec<Opener> = found
        .into_iter()
        .map(|((prefix, suffix), places)| Opener {
            is_at_line: places.iter().all(|place| place.3),
            places: places.into_iter().map(|(start, name, end, _)| (start, name, end)).collect(),
            prefix,
            suffix,
        })
        .filter(|opener| opener.places.len() > 1 || opener.words().any(is_call_word))
        .collect();
    let varies = |opener: &Opener| opener.places.iter().any(|place| place.1 != opener.places[0].1);
    openers.sort_by_key(|opener| {
        let says_call = opener.words().any(is_call_word);
        Reverse((says_call, varies(opener), opener.places.len(), opener.prefix.len() + opener.suffix.len()))
    });
    openers.truncate(MAX_OPENERS);
    openers
}

/// Visits every text that may be a marker with a name in it: prefix, name, suffix, offset, and whether it starts a
/// line.
fn each_shape(text: &str, mut see: impl FnMut(&str, &str, &str, usize, bool)) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut cut = line.trim_end().len().min(LONGEST_LINE);
        while !line.is_char_boundary(cut) {
            cut -= 1;
        }
        let line_text = &line[..cut];
        let indent = line_text.len() - line_text.trim_start().len();
        let mut places = 0;
        let mut before = ' ';
        for (at, c) in line_text.char_indices().skip_while(|(at, _)| *at < indent) {
            let is_first = at == indent;
            let begins = is_sign(c) && (!is_sign(before) || is_first);
            before = c;
            if !(begins || is_first) || (is_first && !is_sign(c) && !c.is_alphabetic()) {
                continue;
            }
            places += 1;
            if places > MAX_PLACES {
                break;
            }
            shapes(&line_text[at..], |prefix, name, suffix| {
                see(prefix, name, suffix, start + at, is_first && indent == 0);
            });
        }
        start += line.len();
    }
}

/// True if a marker may begin with a character.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
        && !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '"' | '\'' | ',' | '.' | '?' | ')' | ']' | '}' | ';')
}

/// Visits the ways to read the start of a text as a marker with a name: one for each of its first words.
fn shapes(line: &str, mut see: impl FnMut(&str, &str, &str)) {
    const MOST_WORDS: usize = 4;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut at = 0;
    for number in 0..MOST_WORDS {
        // The separator between two words of a marker is short.
        let gap = line[at..].len() - line[at..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_').len();
        if gap > 8 || (number > 0 && gap == 0) || line[at..at + gap].contains(['(', ';']) {
            return;
        }
        let start = at + gap;
        let mut length = line[start..].find(|c| !is_part(c)).unwrap_or(line.len() - start);
        length -= line[start..start + length].len() - line[start..start + length].trim_end_matches(['-', '.']).len();
        let name = &line[start..start + length];
        if !is_name(name) || start > LONGEST {
            return;
        }
        at = start + length;
        let prefix = &line[..start];
        let suffix = suffix(&line[at..]);
        let is_quoted = prefix.ends_with(['"', '\'']) == suffix.starts_with(['"', '\'']);
        let signs = prefix.chars().filter(|&c| !c.is_alphanumeric() && !c.is_whitespace()).count();
        let is_list =
            matches!(prefix.trim(), "-" | "*" | "#" | "##" | "###" | "####" | ">" | "```" | "+" | "**" | "|" | "");
        let is_bare = signs < 2 && suffix.is_empty() && !line[at..].trim_start().starts_with('{') && at < line.len();
        if is_quoted && signs > 0 && !is_list && !is_bare {
            see(prefix, name, suffix);
        }
    }
}

/// The part of a marker after its name: punctuation, up to the start of JSON or text.
fn suffix(rest: &str) -> &str {
    let blank = rest.len() - rest.trim_start_matches(' ').len();
    let signs = rest[blank..]
        .find(|c: char| {
            !matches!(
                c,
                '>' | ']'
                    | '}'
                    | '|'
                    | ':'
                    | ';'
                    | '"'
                    | '\''
                    | '-'
                    | '='
                    | '~'
                    | '#'
                    | '@'
                    | '%'
                    | '$'
                    | '!'
                    | '*'
                    | '/'
                    | '^'
            )
        })
        .unwrap_or(rest.len() - blank);
    if signs == 0 || (blank > 0 && !rest[blank..blank + signs].contains(['>', ']', '}', '|'])) {
        return "";
    }
    &rest[..blank + signs]
}

/// The text from each opener to the next one, with the name.
fn regions<'a>(text: &'a str, opener: &Opener) -> Vec<(&'a str, String)> {
    let starts = opener.places.iter().skip(1).map(|place| place.0).chain([text.len()]);
    let region = |((_, name, end), next): (&(usize, String, usize), usize)| {
        let from = (*end).min(text.len());
        let mut to = next.max(from).min(from + LONGEST_BODY);
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        (&text[from..to], name.clone())
    };
    opener.places.iter().zip(starts).map(region).collect()
}

/// Templates of closing markers, the likeliest first.
pub(super) fn closers(text: &str, opener: &Opener) -> Vec<String> {
    let regions = regions(text, opener);
    let mut known: Vec<String> = derived(opener);
    known.extend(common_lines(&regions));
    let mut seen: Vec<String> = Vec::new();
    for template in known {
        let count = regions.iter().filter(|(region, name)| region.contains(&fill(&template, name))).count();
        // The last call may be cut off.
        let is_there = count > 0 && count + 1 >= regions.len();
        if is_there && !seen.contains(&template) && is_marker(&template) {
            seen.push(template);
        }
    }
    seen.truncate(MAX_CLOSERS);
    seen
}

/// A closing template with the name filled in.
fn fill(template: &str, name: &str) -> String {
    template.replace("{name}", name).replace("{{", "{").replace("}}", "}")
}

/// Common closing markers for a given opener.
fn derived(opener: &Opener) -> Vec<String> {
    let prefix = opener.prefix.trim_end();
    let signs = prefix.len() - prefix.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_').len();
    let (lead, rest) = prefix.split_at(signs);
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect();
    let joint = &rest[word.len()..];
    let (lead, suffix) = (escape(lead), escape(opener.suffix.trim_start_matches(['"', '\''])));
    let mut known = Vec::new();
    for slash in ["/", "end", "END", "end_", "END_", "end ", "END ", "/ "] {
        if !word.is_empty() {
            known.push(format!("{lead}{slash}{word}{joint}{{name}}{suffix}"));
            known.push(format!("{lead}{slash}{word}{suffix}"));
        }
        known.push(format!("{lead}{slash}{{name}}{suffix}"));
        known.push(format!("{lead}{slash}{suffix}"));
    }
    if !word.is_empty() {
        // `TOOL> f` … `<TOOL`.
        let mirrored: String = joint.trim().chars().rev().map(mirror).collect();
        known.push(format!("{}{word}", escape(&mirrored)));
        known.push(format!("/{word}"));
    }
    known.push(lead.trim().to_owned());
    known.push(suffix);
    known
}

fn mirror(c: char) -> char {
    match c {
        '>' => '<',
        ']' => '[',
        ')' => '(',
        '}' => '{',
        '<' => '>',
        '[' => ']',
        '(' => ')',
        '{' => '}',
        other => other,
    }
}

/// Short lines after the first opener that look like markers.
fn common_lines(regions: &[(&str, String)]) -> Vec<String> {
    let Some((first, name)) = regions.first() else { return Vec::new() };
    let is_json = |line: &str| line.chars().all(|c| "{}[]\",: ".contains(c));
    let is_pair = |line: &str| {
        let key = line.split([':', '=']).next().unwrap_or_default().trim();
        key.len() < line.len() && is_name(key) && !line.ends_with(['>', ']', '}', '|'])
    };
    let lines = first.lines().map(str::trim).filter(|line| is_marker(line) && !is_json(line) && !is_pair(line));
    lines.take(40).map(|line| escape(line).replace(name.as_str(), "{name}")).collect()
}

/// The text between each opener and its closer.
pub(super) fn bodies<'a>(text: &'a str, opener: &Opener, close: Option<&str>) -> Vec<&'a str> {
    let body = |(region, name): (&'a str, String)| match close {
        Some(close) => region.find(&fill(close, &name)).map(|end| &region[..end]),
        None => Some(region),
    };
    regions(text, opener).into_iter().filter_map(body).collect()
}

/// Markers of arguments: text that recurs around their names within bodies, with the closer of each.
pub(super) fn parameters(bodies: &[&str]) -> Vec<(String, String)> {
    let joined = bodies.join("\n\u{0}\n");
    let mut found: BTreeMap<Around, Vec<(usize, String, usize)>> = BTreeMap::new();
    each_shape(&joined, |prefix, name, suffix, at, _| {
        if !suffix.is_empty() && prefix.starts_with(['<', '[', '{', '@', '$', '|', '%', '#', '(']) {
            let end = at + prefix.len() + name.len() + suffix.len();
            found.entry((prefix.to_owned(), suffix.to_owned())).or_default().push((at, name.to_owned(), end));
        }
    });
    let mut pairs = Vec::new();
    for ((prefix, suffix), places) in found {
        let opener = Opener { prefix, suffix, places, is_at_line: false };
        for close in closers(&joined, &opener) {
            let open = opener.template("", false);
            let (open, close) = (open.replace("{name}", "{key}"), close.replace("{name}", "{key}"));
            pairs.push((opener.places.len(), open, close));
        }
    }
    pairs.sort_by_key(|(count, open, _)| Reverse((*count, open.len())));
    pairs.into_iter().take(6).map(|(_, open, close)| (open, close)).collect()
}
