//! Finds details that identify someone without being secret: mail addresses, private hosts, user names.
//!
//! Public or generic ones stay: example addresses (RFC 2606, RFC 5737), public hosts, default accounts of machine
//! images.

use crate::text::word_set::WordSet;
use std::ops::Range;

use crate::text::steps;

/// Substrings of private details, ignoring case.
pub(super) const SIGNS: &[&str] = &[
    "@",
    "/home/",
    "/users/",
    "\\users\\",
    "\\users/",
    "-home-",
    "-users-",
    ".local",
    ".internal",
    ".corp",
    ".lan",
    ".intranet",
    ".home.arpa",
    ".ts.net",
    "192.168.",
    "10.",
    "172.",
    "100.",
];

/// The kind of a private detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub(super) enum Private {
    /// A mail address.
    Email,
    /// A host: its name or its address.
    Host,
    /// The name of a user account.
    User,
}

/// Common names of accounts and hosts.
static EVERYBODY: WordSet = WordSet::new(include_str!("accounts.txt"));

/// Local parts of addresses that belong to no one.
const IMPERSONAL: &[&str] = &["noreply", "no-reply", "donotreply", "do-not-reply", "git", "hg", "mailer-daemon"];

/// Suffixes of host names reserved for examples (RFC 2606 and RFC 6761).
const EXAMPLES: &[&str] =
    &["example.com", "example.org", "example.net", "example.edu", "example", "test", "invalid", "localhost"];

/// File extensions that are not top-level domains: `icon@2x.png`.
const EXTENSIONS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "ts", "tsx", "jsx", "json", "css", "html",
    "md", "rs", "py", "go", "rb", "java", "c", "h", "cpp", "toml", "yaml", "yml", "lock", "txt", "zip", "gz", "tgz",
    "service",
];

/// Most bytes of a name or address.
const LONGEST: usize = 128;

/// Calls `found` for the details that have a sign here.
pub(super) fn find(text: &str, sign: &Range<usize>, found: &mut dyn FnMut(Private, Range<usize>)) {
    match &text.as_bytes()[sign.start] {
        b'@' => at_sign(text, sign.start, found),
        b'/' | b'\\' | b'-' => {
            if let Some(user) = user_at(text, sign) {
                found(Private::User, user);
            }
        }
        b'.' => {
            if let Some(host) = private_host(text, sign) {
                found(Private::Host, host);
            }
        }
        _ => {
            if let Some(address) = private_address(text, sign.start) {
                found(Private::Host, address);
            }
        }
    }
}

/// Finds a mail address, or the user and host in a shell prompt: `ada@thinkpad:~/src$`.
fn at_sign(text: &str, at: usize, found: &mut dyn FnMut(Private, Range<usize>)) {
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let bytes = text.as_bytes();
    let before = bytes[at.saturating_sub(LONGEST)..at].iter().rev().take_while(|byte| is_local(byte)).count();
    let local = at - before..at;
    let local = local.end - text[local].trim_start_matches(['.', '-', '%', '+']).len()..at;
    let host = at + 1..at + 1 + host_len(&bytes[at + 1..]);
    if local.is_empty() || host.is_empty() {
        return;
    }
    let (name, host_name, rest) = (&text[local.clone()], &text[host.clone()], &text[host.end..]);
    let top = host_name.rsplit_once('.').map_or("", |(_, top)| top);
    let is_host = (2..=24).contains(&top.len()) && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_impersonal = IMPERSONAL.contains(&name.to_ascii_lowercase().as_str());
    let lead = &text[text.floor_char_boundary(local.start.saturating_sub(LONGEST))..local.start];
    let is_pass = lead
        .rsplit_once("://")
        .is_some_and(|(_, user)| !user.contains(|c: char| c.is_whitespace() || "/?\"'".contains(c)));
    let is_file = EXTENSIONS.contains(&top.to_ascii_lowercase().as_str());
    if is_host && !is_file && !is_example(host_name) && !rest.starts_with('(') {
        if !is_impersonal && !is_pass {
            found(Private::Email, local.start..host.end);
        }
        return;
    }
    // `user@host:~`, `user@host:/srv` and `[user@host src]$`.
    let is_prompt = rest.starts_with(":~")
        || rest.starts_with(":/") && !rest.starts_with("://")
        || is_bracketed(text, &local, rest);
    if is_prompt && !is_example(host_name) && !host_name.contains('/') {
        if !is_common_name(name) {
            found(Private::User, local);
        }
        if !is_common_name(host_name) {
            found(Private::Host, host);
        }
    }
}

fn is_bracketed(text: &str, local: &Range<usize>, rest: &str) -> bool {
    let line = rest[..rest.floor_char_boundary(LONGEST)].lines().next().unwrap_or_default();
    steps::add(line.len());
    text.as_bytes()[..local.start].last() == Some(&b'[')
        && line.starts_with(' ')
        && (line.contains("]$") || line.contains("]#"))
}

/// Length of a host name, which ends with a letter or a digit.
fn host_len(bytes: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let len = bytes.iter().take(LONGEST).take_while(is_part).count();
    let ended = bytes[..len].iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    len - ended
}

/// True if a host name is reserved for examples.
fn is_example(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    EXAMPLES.iter().any(|end| host.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// True if an account or a host has a common name.
pub(super) fn is_common_name(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    EVERYBODY.contains(&small) || small.len() < 2 || !small.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The user whose home directory a path goes through: `/home/ada`, `C:\Users\ada`, and `-home-ada-src`, which some
/// agents use as the name of a project folder.
fn user_at(text: &str, sign: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_dashed = bytes[sign.start] == b'-';
    // A part of a longer name, or of a URL.
    let before = bytes[..sign.start].last();
    let is_part = match before {
        Some(byte) if is_dashed => byte.is_ascii_alphanumeric() || *byte == b'-',
        Some(byte) if *byte != b':' => {
            bytes[sign.start] == b'/' && (byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'}'))
        }
        _ => false,
    };
    // A drive of Windows in a Linux that runs there: `/mnt/c/Users/ada`.
    let is_drive = bytes[..sign.start].split_last().is_some_and(|(_, mount)| mount.ends_with(b"/mnt/"));
    if is_part && !is_drive {
        return None;
    }
    let separators = bytes[sign.end..].iter().take(3).take_while(|&&byte| byte == b'\\').count();
    let start = sign.end + if is_dashed { 0 } else { separators };
    let window = &text[start..text.floor_char_boundary(start + LONGEST)];
    let is_end = |c: char| {
        c.is_whitespace() || c.is_control() || "/\\:\"'<>|*?`$(){}[],;&=!#".contains(c) || (is_dashed && c == '-')
    };
    let mut len = window.find(is_end).unwrap_or(window.len());
    // A Windows user name may contain a space, if a backslash follows it.
    if bytes[sign.start] == b'\\' && window[len..].starts_with(' ') {
        let more = window[len..].find(['\\', '\n', '"', ':']).filter(|&more| window[len + more..].starts_with('\\'));
        len += more.filter(|&more| more <= 24).unwrap_or(0);
    }
    let name = window[..len].trim_end_matches('.');
    let is_one = !name.is_empty() && (!is_dashed || window[len..].starts_with('-')) && !is_common_name(name);
    is_one.then_some(start..start + name.len())
}

/// The name of a host in a private domain.
fn private_host(text: &str, sign: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let len = bytes[sign.start.saturating_sub(LONGEST)..sign.start].iter().rev().take_while(is_part).count();
    let start = sign.start - len;
    let name = &text[start..sign.start];
    let rest = &text[sign.end..];
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '('))
        || (rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    if goes_on || name.is_empty() || name.contains('_') || name.starts_with(['.', '-']) || name.contains("..") {
        return None;
    }
    // `thread.local` and `module.internal` occur in code. In lower case, and in the place of a host name, they are
    // hosts.
    let is_code = matches!(&text[sign.clone()], ".local" | ".internal");
    let before = &bytes[..start];
    let is_named = before.ends_with(b"://")
        || before.last() == Some(&b'@')
        || name.contains(['.', '-'])
        || name.contains(|c: char| c.is_ascii_digit());
    let is_port = rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_one = !is_code || is_named || is_port;
    let is_path = before.last().is_some_and(|byte| matches!(byte, b'/' | b'\\' | b'$')) && !before.ends_with(b"//");
    (is_one && !is_path && !name.contains(|c: char| c.is_ascii_uppercase())).then_some(start..sign.end)
}

/// A private address (RFC 1918), or one that a provider or a private network shares out (RFC 6598).
fn private_address(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let len = bytes[start..].iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let words = text[start..start + len].trim_end_matches('.');
    let parts: Vec<u8> = words.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let is_private = match parts.as_slice() {
        [10, _, _, _] | [192, 168, _, _] => true,
        [172, second, _, _] => (16..32).contains(second),
        [100, second, _, _] => (64..128).contains(second),
        _ => false,
    };
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
    let goes_on = bytes.get(start + words.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    (is_private && !is_part(bytes[..start].last()) && !goes_on).then_some(start..start + words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let small = text.to_ascii_lowercase();
        let mut signs: Vec<Range<usize>> = SIGNS
            .iter()
            .flat_map(|sign| small.match_indices(sign).map(|(start, _)| start..start + sign.len()))
            .collect();
        signs.sort_by_key(|sign| sign.start);
        let mut words = Vec::new();
        for sign in signs {
            find(text, &sign, &mut |what, range| words.push(format!("{} {}", what.into_str(), &text[range])));
        }
        words.sort();
        words.dedup();
        words
    }

    #[test]
    fn people_and_machines_are_found() {
        for (text, expected) in [
            ("Write to ada.l+x@acme.co.uk.", "email ada.l+x@acme.co.uk"),
            ("Author: Ada <7+ada@users.noreply.github.com>", "email 7+ada@users.noreply.github.com"),
            ("cd /home/ada/src", "user ada"),
            ("\"/Users/ada.l\"", "user ada.l"),
            ("C:\\Users\\ada\\x", "user ada"),
            ("C:\\\\Users\\\\ada\\\\x", "user ada"),
            ("C:\\Users\\Ada Lovelace\\x", "user Ada Lovelace"),
            ("c:/Users/ada/x", "user ada"),
            ("file:///home/ada/x", "user ada"),
            ("/tmp/-home-ada-src", "user ada"),
            ("ada@thinkpad:~/src$ ls", "host thinkpad, user ada"),
            ("[ada@thinkpad src]$ ls", "host thinkpad, user ada"),
            ("scp x ada@build7:/srv", "host build7, user ada"),
            ("http://build.corp/x", "host build.corp"),
            ("ssh db-3.eu.internal", "host db-3.eu.internal"),
            ("ping printer-2.local.", "host printer-2.local"),
            ("cd /mnt/c/Users/ada/x", "user ada"),
            ("ssh pi.tail1a2b3.ts.net", "host pi.tail1a2b3.ts.net"),
            ("ping 100.101.2.3", "host 100.101.2.3"),
            ("ping 192.168.1.17 and 10.0.0.3:80", "host 10.0.0.3, host 192.168.1.17"),
        ] {
            assert_eq!(all(text).join(", "), expected, "{text}");
        }
    }

    #[test]
    fn generic_names_stay() {
        for text in [
            "ada@example.com, noreply@acme.co, git@github.com:o/r.git, root@localhost:~#, user@host:~$",
            "https://github.com/o/r, crates.io, 127.0.0.1, 8.8.8.8, 192.0.2.7, 172.32.0.1, 100.63.0.1, 100.128.0.1",
            "/home/user/x /home/$USER /home/runner/work /Users/Shared /home/{name} /home/<name> /usr/home/ada x/home/y",
            "react@18.2.0 icon@2x.png @types/node @app.route a@b.T (x@y.transpose(1))",
            "thread.local module.internal this.internal() .env.local settings.local.json self.corp_id",
            "version 10.15.7, 10.0.19041.1, 1.10.0.0.1, task-home-page-x",
        ] {
            assert_eq!(all(text), Vec::<String>::new(), "{text}");
        }
    }
}
