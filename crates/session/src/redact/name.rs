//! Finds secrets by the text before them: `password=`, `"api_key": "`, `--token `, `<password>`, `Authorization:`.

use crate::text::word_set::WordSet;
use std::ops::Range;

use super::columns;
use super::value::{Strength, ValueContext, is_distinctive, is_secret};

/// Substrings of names of secrets, ignoring case.
pub(super) const SIGNS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "cookie",
    "sig",
    "sid",
    "sess",
    "_pat",
    "-pat",
    "pw",
    "salt",
    "_seed",
    "cred",
    "jwt",
    "mdp",
    "kennwort",
    "contrasena",
    "senha",
    "wachtwoord",
    "?code=",
    "&code=",
    "-art-api",
];

/// Words that may follow the one that gives a name its meaning: `API_KEY_PROD`, `SECRET_KEY_BASE`, `PASSWORD_2`.
const BEHIND: &[&str] = &[
    "base",
    "prod",
    "production",
    "staging",
    "dev",
    "test",
    "live",
    "old",
    "new",
    "private",
    "value",
    "main",
    "data",
    "1",
    "2",
];

/// Most bytes of a value, of a name, of the text between them, and of a header line of a request.
const LONGEST: usize = 2048;
const LONGEST_NAME: usize = 64;
const LONGEST_GAP: usize = 256;
const LONGEST_HEADER: usize = 4096;

/// Quotes of a JSON key or string, which may be escaped.
const QUOTES: [char; 3] = ['"', '\'', '\\'];

/// Suffixes of names whose values people choose.
const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "pwd",
    "kennwort",
    "contrasena",
    "senha",
    "motdepasse",
    "wachtwoord",
];

/// Suffixes of names whose values programs generate.
const TOKENS: &[&str] =
    &["token", "apikey", "authkey", "accesskey", "secretkey", "privatekey", "accountkey", "credential", "credentials"];

/// Words before `token` that make it a position in a list, or a version of what is changed.
const POSITIONS: &[&str] =
    &["next", "continuation", "page", "pagination", "action", "change", "update", "lock", "starting"];

/// Words before `key` that make it the name of something else, or a public key.
static OTHER_KEYS: WordSet = WordSet::new(include_str!("other_key_words.txt"));

/// Words before `key` that make it a secret.
static KEYS: WordSet = WordSet::new(include_str!("key_words.txt"));

/// Schemes of an `Authorization` header.
static SCHEMES: WordSet = WordSet::new(include_str!("schemes.txt"));

/// Calls `found` with the kind and range of each secret whose name has this sign. Returns the offset up to which names
/// need not be searched for, if it has read past a value.
pub(super) fn find(text: &str, sign: Range<usize>, found: &mut dyn FnMut(&'static str, Range<usize>)) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    // A sign may include separators of names at its ends.
    let len = text[sign.clone()].trim_end_matches('=').len();
    let sign = sign.start + usize::from(matches!(bytes[sign.start], b'?' | b'&'))..sign.start + len;
    let from = sign.start.saturating_sub(LONGEST_NAME);
    let before = bytes[from..sign.start].iter().rev().take_while(|byte| is_part(byte)).count();
    let after = bytes[sign.end..].iter().take(LONGEST_NAME).take_while(|byte| is_part(byte)).count();
    let name = sign.start - before..sign.end + after;
    // The name of a type, as in `"AWS::AppSync::ApiKey": "3d104ea0be48564b"`, and of a resource (`arn:aws:…:secret:`).
    if is_path_of_names(&bytes[..name.start], &bytes[name.end..]) {
        return None;
    }
    let around = [bytes[..name.start].last(), bytes.get(name.end)].map(Option::<&u8>::copied);
    let of_name = || Meaning::of(&text[name.clone()], around[0], around[1]);
    let meaning = of_name().or_else(|| Meaning::of(&text[in_two_words(text, &name)?..name.end], None, None))?;
    // If a name has several signs, the last one counts.
    let later = &text[sign.end..name.end].to_ascii_lowercase();
    if SIGNS.iter().any(|sign| later.contains(sign)) {
        return None;
    }
    if let Meaning::Value(..) = meaning {
        columns::find(text, &name, column_strength, found);
    }
    let (value, context) = value(text, &name)?;
    let said = &text[value.clone()];
    // `key_password=key_password` and `"challengePassword"` are names, not values.
    let is_name =
        || said == &text[name.clone()] || (said.bytes().all(is_letter) && Meaning::of(said, None, None).is_some());
    match meaning {
        Meaning::Value(kind, strength) if is_secret(said, strength, context) && !is_name() => {
            // Names inside a replaced value need not be examined.
            let end = value.end;
            found(kind, value);
            return Some(end);
        }
        Meaning::Value(..) => {}
        Meaning::Authorization => found("authorization", authorization(text, value.start)?),
        Meaning::Cookie => return Some(cookies(text, value.start, found)),
    }
    None
}

/// True if the value of a parameter is a secret, given its name: a password unless it is a placeholder, a generated
/// value only if it looks like one.
pub(super) fn is_secret_parameter(name: &str, value: &str) -> bool {
    match Meaning::of(name, None, None) {
        Some(Meaning::Value(_, strength @ Strength::Password)) => is_secret(value, strength, ValueContext::Quoted),
        Some(Meaning::Value(..) | Meaning::Authorization) => is_distinctive(value),
        Some(Meaning::Cookie) | None => false,
    }
}

/// The kind and strength of the values in a column with this name.
fn column_strength(name: &str) -> Option<(&'static str, Strength)> {
    match Meaning::of(name, None, None)? {
        Meaning::Value(kind, strength) => Some((kind, strength)),
        Meaning::Authorization | Meaning::Cookie => None,
    }
}

enum Meaning {
    Value(&'static str, Strength),
    Authorization,
    Cookie,
}

impl Meaning {
    /// The meaning of a name; `before` and `after` are the bytes around it.
    fn of(name: &str, before: Option<u8>, after: Option<u8>) -> Option<Self> {
        let words = words(name);
        let len = words.len() - words.iter().rev().take_while(|word| BEHIND.contains(&word.as_str())).count();
        let (last, rest) = words[..len].split_last()?;
        let previous = rest.last().map(String::as_str);
        let is_cookie = after == Some(b'=');
        let is_shouted = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
        let ends = |words: &[&str]| words.iter().any(|word| last.ends_with(word));
        Some(match last.as_str() {
            // The working directory of a shell.
            "pwd" if name == "PWD" || name == "OLDPWD" => return None,
            last if ends(PASSWORDS) || last == "requirepass" || last == "sshpass" => {
                Self::Value("password", Strength::Password)
            }
            "pass" if previous.is_some() => Self::Value("password", Strength::Password),
            "pass" => Self::Value("password", Strength::Token),
            "pat" if is_shouted || previous.is_some() => Self::Value("token", Strength::Token),
            "api" if previous == Some("art") => Self::Value("token", Strength::Token),
            last if last.ends_with("secret") => Self::Value("secret", Strength::Token),
            "token" if previous.is_some_and(|word| POSITIONS.contains(&word)) => return None,
            _ if ends(TOKENS) => Self::Value("token", Strength::Token),
            "key" if is_shouted || previous.is_some_and(|word| KEYS.contains(word)) => {
                Self::Value("key", Strength::Token)
            }
            // In the query of a URL.
            "key" | "sig" | "signature" | "code" | "sid" if matches!(before, Some(b'?' | b'&')) => {
                Self::Value("url-parameter", Strength::Token)
            }
            "key" if rest.len() == 1 && previous.is_some_and(|word| word.len() >= 3 && !OTHER_KEYS.contains(word)) => {
                Self::Value("key", Strength::Token)
            }
            "salt" | "seed" | "cred" | "creds" if previous.is_some() => Self::Value("secret", Strength::Token),
            "pw" if previous.is_some() => Self::Value("password", Strength::Password),
            "pw" | "mdp" | "jwt" => Self::Value("password", Strength::Token),
            "auth" if previous.is_some() || before == Some(b'"') => Self::Value("token", Strength::Token),
            "session" | "sessid" | "phpsessid" | "jsessionid" | "aspsessionid" if is_cookie => {
                Self::Value("cookie", Strength::Token)
            }
            "authorization" => Self::Authorization,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }
}

/// The words of a name in lower case: `dbPassword`, `DB_PASSWORD` and `db-password` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            let begins = !before.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && before.is_ascii_lowercase());
            if begins {
                words.push(String::new());
            }
            words.last_mut().expect("the first letter began a word").push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words
}

/// True if a name is a part of a path of names that colons separate.
fn is_path_of_names(before: &[u8], after: &[u8]) -> bool {
    // The number of a line has a colon after it, too: `a.yaml:7:password: `.
    let is_resource = before.strip_suffix(b":").and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit);
    before.ends_with(b"::") || (is_resource && after.starts_with(b":") && !after.starts_with(b": "))
}

/// Start of a name that is written as two words, as in `the api key is …`.
fn in_two_words(text: &str, name: &Range<usize>) -> Option<usize> {
    let before = text[..name.start].strip_suffix(' ').filter(|_| text[name.clone()].eq_ignore_ascii_case("key"))?;
    let len = before.bytes().rev().take(LONGEST_NAME).take_while(u8::is_ascii_alphabetic).count();
    (len > 0).then(|| before.len() - len)
}

/// Start of a value that is separated from its name by more than an operator: the value of a sibling member, an option
/// in a list, the default or first value of a variable, or an argument. `quoted` is the offset after the name's closing
/// quotes.
fn distant_value(text: &str, name: &Range<usize>, quoted: usize) -> Option<usize> {
    if let Some(start) = value_before(text, name, quoted) {
        return Some(start);
    }
    let end = text.floor_char_boundary(quoted + LONGEST_GAP);
    let rest = text[quoted..end].trim_start_matches([' ', '\t']);
    let value = if quoted > name.end && rest.starts_with(',') {
        let rest = rest[1..].trim_start();
        if text[name.clone()].starts_with("--") {
            // Another option is not a value.
            string_at(rest).filter(|value| !value.trim_start_matches(['\\', '"', '\'']).starts_with('-'))?
        } else {
            value_member(rest)?
        }
    } else if rest.starts_with(['\r', '\n']) {
        rest.trim_start().strip_prefix("value:")?.trim_start_matches([' ', '\t'])
    } else if let Some(rest) = ["||", "??"].iter().find_map(|sign| rest.strip_prefix(sign)) {
        string_at(rest)?
    } else if let Some(rest) = rest.strip_prefix('(') {
        let said = &text[name.clone()];
        string_at(rest).filter(|value| is_setter(said) || is_method_of_secret(said, value))?
    } else {
        let typed = rest.strip_prefix(':').filter(|rest| !rest.starts_with(':'))?;
        let is_of_type = |c: char| c.is_ascii_alphanumeric() || " &'_<>[]?.:|".contains(c);
        let assigned = typed.trim_start_matches(is_of_type);
        let rest = assigned.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>']))?;
        string_at(rest).filter(|_| !typed[..typed.len() - assigned.len()].trim().is_empty())?
    };
    Some(end - value.len())
}

/// The rest of a text after whitespace, if a string literal begins there.
fn string_at(text: &str) -> Option<&str> {
    let text = text.trim_start();
    text.trim_start_matches('\\').starts_with(['"', '\'']).then_some(text)
}

/// The value of a member `value` that follows in the same object.
fn value_member(rest: &str) -> Option<&str> {
    let key = rest.strip_prefix("\\n").unwrap_or(rest).trim_start().trim_start_matches(QUOTES);
    let len = key.bytes().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let is_value = key[..len].to_ascii_lowercase().ends_with("value");
    let rest = key[len..].trim_start_matches(QUOTES).trim_start().strip_prefix(':').filter(|_| is_value)?;
    Some(rest.trim_start())
}

/// Start of the value of a member `value` that precedes the member with the name in the same object.
fn value_before(text: &str, name: &Range<usize>, quoted: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(LONGEST_GAP));
    let key = text[from..name.start].trim_end_matches(QUOTES).trim_end().strip_suffix(':')?;
    let key = key.trim_end().trim_end_matches(QUOTES);
    let len = key.bytes().rev().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let before = &key[..key.len() - len];
    let is_name = ["name", "key"].iter().any(|end| key[before.len()..].to_ascii_lowercase().ends_with(end));
    let is_whole = matches!(text.as_bytes().get(quoted), None | Some(b',' | b'}' | b' ' | b'\n' | b'\r'));
    let object = &before[before.rfind(['{', '}']).map_or(0, |at| at + 1)..];
    let members = object.match_indices(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | '"' | '\'' | '-'));
    let starts = [0].into_iter().chain(members.map(|(at, sign)| at + sign.len()));
    let value = starts.filter(|_| is_name && is_whole).filter_map(|at| value_member(&object[at..])).next_back()?;
    Some(from + before.len() - value.len())
}

/// True if a function with this name is a setter.
fn is_setter(name: &str) -> bool {
    words(name).first().is_some_and(|word| ["set", "with", "use", "update"].contains(&word.as_str()))
}

/// True if a method has the name of its argument's meaning, as in `user.password("tr0ub4dor")`, and the argument is
/// neither a name nor prose.
fn is_method_of_secret(name: &str, argument: &str) -> bool {
    let value = argument.trim_start_matches(QUOTES);
    let value = &value[..value.find(QUOTES).unwrap_or_default()];
    let is_one_word = name.rsplit_once('.').is_some_and(|(_, method)| words(method).len() == 1);
    is_one_word && !value.contains(char::is_whitespace) && value.contains(|c: char| c.is_ascii_digit())
}

/// The cell of a Markdown table after the cell with a name: `| DB_PASSWORD | … |`.
fn table_cell(text: &str, name: &Range<usize>, quoted: usize) -> Option<Range<usize>> {
    let lead = text[text.floor_char_boundary(name.start.saturating_sub(LONGEST_GAP))..name.start]
        .trim_end_matches([' ', '`', '*']);
    let end = text.floor_char_boundary(quoted + LONGEST_GAP);
    let cell = text[quoted..end].trim_start_matches(['*', ' ']).strip_prefix('|').filter(|_| lead.ends_with('|'))?;
    let start = end - cell.len();
    let cell = &cell[..cell.find(['|', '\n'])?];
    let value = cell.trim_start_matches([' ', '`']);
    let start = start + cell.len() - value.len();
    Some(start..start + value.trim_end_matches([' ', '`']).len())
}

/// The value of a name, and its context.
fn value(text: &str, name: &Range<usize>) -> Option<(Range<usize>, ValueContext)> {
    let bytes = text.as_bytes();
    let skip = |at: usize, what: &[u8]| at + bytes[at..].iter().take_while(|byte| what.contains(byte)).count();
    let before = bytes[..name.start].last();
    let bold = if text[name.end..].starts_with("**") { name.end + 2 } else { name.end };
    let quoted = skip(bold, b"\"'`\\]");
    let spaced = skip(quoted, b" \t");
    let rest = &text[spaced..];
    // `define('NAME', 'value')`
    let is_argument =
        quoted > name.end && rest.starts_with(',') && bytes[..name.start.saturating_sub(1)].ends_with(b"(");
    let sign = ["=>", ":=", "?=", "===", "==", "=", ":"].into_iter().find(|sign| rest.starts_with(sign));
    if let Some(cell) = table_cell(text, name, quoted) {
        return Some((cell, ValueContext::Bare));
    }
    // The parameters of a scheme are not assignments.
    let is_header = text[name.clone()].to_ascii_lowercase().ends_with("authorization");
    let distant = if is_header { None } else { distant_value(text, name, quoted) };
    let (start, is_assigned) = match sign {
        _ if let Some(start) = distant => (start, false),
        Some("==" | "===") => return None,
        // A path of names, not a value.
        Some(":") if rest.starts_with("::") => return None,
        Some(sign) => {
            let start = skip(spaced + sign.len(), b" \t");
            let start = if text[start..].starts_with("** ") { skip(start + 2, b" ") } else { start };
            // The first string of a list.
            let list = text[start..].strip_prefix('[').and_then(string_at);
            let start = list.map_or(start, |list| text.len() - list.len());
            // The first line of a YAML block scalar.
            let block = ["|", "|-", ">", ">-"].into_iter().find_map(|sign| {
                let rest = text[start..].strip_prefix(sign)?;
                rest.starts_with(['\n', '\r']).then(|| skip(start + sign.len(), b" \t\r\n"))
            });
            // A byte string or a raw string.
            let prefix = skip(start, b"bBrRfFuU") - start;
            let is_prefix = (1..=2).contains(&prefix) && text[start + prefix..].starts_with(['"', '\'']);
            let prefixed = if is_prefix { start + prefix } else { start };
            (block.unwrap_or(prefixed), block.is_some() || (sign == "=" && start == quoted + 1))
        }
        None if bytes.get(name.end) == Some(&b'>') && matches!(before, Some(b'<' | b':')) => (name.end + 1, true),
        None if quoted > name.end && rest.starts_with("value") => (skip(spaced + "value".len(), b" \t=:"), true),
        // `--password X`, `requirepass X`, and `password X` in a netrc file.
        None if text[name.clone()].starts_with("--") => (spaced, false),
        None if is_argument && bytes[skip(spaced + 1, b" ")..].first().is_some_and(|byte| b"\"'".contains(byte)) => {
            (skip(spaced + 1, b" "), false)
        }
        None if is_spoken(text, name) => (spaced, true),
        // As in prose: `the password is …`.
        None if rest.starts_with("is ") && spaced > quoted => (spaced + "is ".len(), false),
        None if rest.starts_with('\'') && spaced > name.end => (spaced, true),
        None => return None,
    };
    let open = skip(start, b"\\");
    let quote = bytes.get(open).filter(|byte| b"\"'`".contains(byte));
    let (value, context) = if let Some(&quote) = quote {
        let (from, mut is_escaped) = (open + 1, false);
        let is_end = |c: char| {
            // If the opening quotation mark is escaped, an escaped one closes the string.
            let is_end = c == '\n' || (!is_escaped && c == char::from(quote)) || (c == '\\' && open > start);
            is_escaped = c == '\\' && !is_escaped;
            is_end
        };
        (from..end_of(text, from, is_end), ValueContext::Quoted)
    } else {
        let end = end_of(text, start, |c| c.is_whitespace() || "\"'`,;&<>|\\".contains(c));
        let len = text[start..end].trim_end_matches([')', ']', '}', '.', ':']).len();
        (start..start + len, if is_assigned { ValueContext::Assigned } else { ValueContext::Bare })
    };
    // `hash("password", "word")`
    let is_word_argument = is_argument && text[value.clone()].bytes().all(|byte| byte.is_ascii_alphabetic());
    // A quotation mark that ends a string, as in `input('Password: ')`, does not begin a value.
    let is_after_string =
        context == ValueContext::Quoted && text[value.clone()].starts_with([' ', ',', ')', ';', '+', '}', ']']);
    (!value.is_empty() && !is_after_string && !is_word_argument).then_some((value, context))
}

/// End of a value, which is at most [`LONGEST`] bytes.
fn end_of(text: &str, from: usize, is_end: impl FnMut(char) -> bool) -> usize {
    let window = &text[from..text.floor_char_boundary(from + LONGEST)];
    from + window.find(is_end).unwrap_or(window.len())
}

/// True if a value follows the name without an operator.
fn is_spoken(text: &str, name: &Range<usize>) -> bool {
    let before = &text[text.floor_char_boundary(name.start.saturating_sub(LONGEST_GAP))..name.start];
    match &text[name.clone()] {
        "requirepass" | "masterauth" => true,
        // As in a .netrc file.
        "password" => before.lines().rev().take(2).any(|line| line.contains("login ")),
        _ => false,
    }
}

/// The credentials after `Authorization:`, without the name of the scheme.
fn authorization(text: &str, start: usize) -> Option<Range<usize>> {
    let line = &text[start..text.floor_char_boundary(start + LONGEST_HEADER)];
    let begin = line.len() - line.trim_start_matches(['"', '\'', '\\', ' ']).len();
    let word = line[begin..].find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(0);
    let is_scheme = SCHEMES.contains(&line[begin..begin + word].to_ascii_lowercase());
    let from = if is_scheme { line.len() - line[begin + word..].trim_start_matches([' ', '\t']).len() } else { begin };
    // Credentials without a scheme are short.
    let line = if is_scheme { line } else { &line[..line.floor_char_boundary(LONGEST)] };
    let len = line[from..].find(|c: char| c.is_whitespace() || "\"'`\\,;<>".contains(c)).unwrap_or(line.len() - from);
    // In a Digest header only the response is secret.
    if line[begin..].starts_with("Digest ") {
        let from = line.find("response=").map(|at| at + "response=".len())?;
        let from = line.len() - line[from..].trim_start_matches(['\\', '"']).len();
        let len = line[from..].bytes().take_while(u8::is_ascii_hexdigit).count();
        return (len >= 16).then_some(start + from..start + from + len);
    }
    let strength = if is_scheme { Strength::Password } else { Strength::Token };
    let is_one = len >= 8 && is_secret(&line[from..from + len], strength, ValueContext::Assigned);
    is_one.then_some(start + from..start + from + len)
}

/// Reports the cookie values that look random. Returns the offset where the line ends.
fn cookies(text: &str, start: usize, found: &mut dyn FnMut(&'static str, Range<usize>)) -> usize {
    let window = &text[start..text.floor_char_boundary(start + LONGEST_HEADER)];
    let line = window.split(['\n', '"']).next().unwrap_or_default();
    let mut at = start;
    for pair in line.split_inclusive(';') {
        if let Some((name, value)) = pair.split_once('=') {
            let from = at + name.len() + 1;
            let value = value.trim_end_matches([';', ' ', '\'', '\\', '\r']);
            if is_secret(value, Strength::Token, ValueContext::Quoted) {
                found("cookie", from..from + value.len());
            }
        }
        at += pair.len();
    }
    at
}
