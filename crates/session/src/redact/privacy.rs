//! Finds details that identify someone without being secret: mail addresses, private hosts, user names. Addresses of
//! machines are found by `address`.
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
    "\\home\\",
    "\\documents and settings\\",
    "-home-",
    "-users-",
    ".local",
    ".internal",
    ".corp",
    ".lan",
    ".intranet",
    ".home.arpa",
    ".fritz.box",
    ".localdomain",
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
    /// The MAC address of a machine.
    Mac,
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

/// Finds a mail address, or the user and host in a shell prompt: `ada@thinkpad:~/src$`. Both parts of an address may be
/// international (RFC 6531, RFC 5890).
fn at_sign(text: &str, at: usize, found: &mut dyn FnMut(Private, Range<usize>)) {
    let local = local_start(text, at)..at;
    let local = local.end - text[local].trim_start_matches(['.', '-', '%', '+']).len()..at;
    let host = at + 1..at + 1 + host_len(&text[at + 1..]);
    if local.is_empty() || host.is_empty() {
        return;
    }
    let (name, host_name, rest) = (&text[local.clone()], &text[host.clone()], &text[host.end..]);
    let top = host_name.rsplit_once('.').map_or("", |(_, top)| top);
    let is_impersonal = IMPERSONAL.contains(&name.to_ascii_lowercase().as_str());
    let lead = &text[text.floor_char_boundary(local.start.saturating_sub(LONGEST))..local.start];
    let is_pass = lead
        .rsplit_once("://")
        .is_some_and(|(_, user)| !user.contains(|c: char| c.is_whitespace() || "/?\"'".contains(c)));
    let is_file = EXTENSIONS.contains(&top.to_ascii_lowercase().as_str());
    if is_top_level(top) && !is_file && !is_example(host_name) && !rest.starts_with('(') {
        if !is_impersonal && !is_pass {
            found(Private::Email, local.start..host.end);
        }
        return;
    }
    // `user@host:~`, `user@host:/srv`, `[user@host src]$`, and `user@host src %`.
    let is_prompt = rest.starts_with(":~")
        || rest.starts_with(":/") && !rest.starts_with("://")
        || is_bracketed(text, &local, rest)
        || is_prompt_of_zsh(text, &local, rest);
    if is_prompt && !is_example(host_name) && !host_name.contains('/') {
        if !is_common_name(name) {
            found(Private::User, local);
        }
        if !is_common_name(host_name) {
            found(Private::Host, host);
        }
    }
}

/// Start of the local part of an address that ends at `at`. Scripts without spaces between words begin another word.
fn local_start(text: &str, at: usize) -> usize {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(LONGEST))..at];
    let is_unspaced = before.chars().next_back().is_some_and(is_unspaced);
    let is_local = |c: char| {
        if c.is_ascii() { c.is_ascii_alphanumeric() || "._%+-".contains(c) } else { c.is_alphanumeric() }
    };
    let is_end = |c: char| !is_local(c) || (c.is_alphabetic() && self::is_unspaced(c) != is_unspaced);
    at - before.len()
        + before.rfind(is_end).map_or(0, |end| end + before[end..].chars().next().map_or(0, char::len_utf8))
}

/// True for a letter of a script that is written without spaces: Chinese, Japanese; and Korean.
fn is_unspaced(c: char) -> bool {
    ('\u{2e80}'..='\u{d7ff}').contains(&c) || ('\u{f900}'..='\u{ffdc}').contains(&c)
}

/// True for the last part of a host's name, which may be international.
fn is_top_level(top: &str) -> bool {
    let letters = top.chars().count();
    let is_international = || !top.is_ascii() && (2..=12).contains(&letters) && top.chars().all(char::is_alphanumeric);
    ((2..=24).contains(&top.len()) && top.bytes().all(|byte| byte.is_ascii_alphabetic()))
        || (top.len() > 6 && top[..4].eq_ignore_ascii_case("xn--"))
        || is_international()
}

fn is_bracketed(text: &str, local: &Range<usize>, rest: &str) -> bool {
    let line = rest[..rest.floor_char_boundary(LONGEST)].lines().next().unwrap_or_default();
    steps::add(line.len());
    text.as_bytes()[..local.start].last() == Some(&b'[')
        && line.starts_with(' ')
        && (line.contains("]$") || line.contains("]#"))
}

/// True if a line begins with a prompt of zsh: `ada@thinkpad src %`.
fn is_prompt_of_zsh(text: &str, local: &Range<usize>, rest: &str) -> bool {
    let line = rest[..rest.floor_char_boundary(LONGEST)].lines().next().unwrap_or_default();
    steps::add(line.len());
    let folder = line.strip_prefix(' ').and_then(|line| line.split_once(" %")).map(|(folder, _)| folder);
    text[..local.start].chars().next_back().is_none_or(|c| matches!(c, '\n' | '\r'))
        && folder.is_some_and(|folder| !folder.is_empty() && !folder.contains(char::is_whitespace))
}

/// Length of a host name, which ends with a letter or a digit. A letter of a script without spaces does not continue a
/// part in another script.
fn host_len(text: &str) -> usize {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let (mut begun, mut end) = (None, 0);
    for (at, c) in text.char_indices() {
        if matches!(c, '-' | '.') {
            begun = if c == '.' { None } else { begun };
            continue;
        }
        let is_of_script = c.is_ascii_digit() || begun.is_none_or(|begun| begun == is_unspaced(c));
        if !c.is_alphanumeric() || !is_of_script {
            break;
        }
        begun = begun.or((!c.is_ascii_digit()).then(|| is_unspaced(c)));
        end = at + c.len_utf8();
    }
    end
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
    let is_of_linux = text[sign.clone()].eq_ignore_ascii_case("\\home\\");
    if (is_part && !is_in_mount(&text[..sign.start])) || (is_of_linux && !is_in_wsl(&text[..sign.start])) {
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

/// True if a path ends in the root of a drive or of another system: `/mnt/c`, `/c`, `-mnt-c`, `C-`, `/Volumes/Data`,
/// `//wsl$/Ubuntu`.
fn is_in_mount(before: &str) -> bool {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST))..];
    let drive = near.strip_suffix('-').unwrap_or(near);
    let is_drive = drive.strip_suffix(|c: char| c.is_ascii_alphabetic()).is_some_and(|mount| {
        let is_root = |c: char| !(c.is_alphanumeric() || "._-/}".contains(c));
        let is_of_windows = drive.len() < near.len() && !mount.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let is_of_git = mount.strip_suffix('/').is_some_and(|rest| rest.chars().next_back().is_none_or(is_root));
        ["/mnt/", "/cygdrive/", "-mnt-"].iter().any(|end| mount.ends_with(end)) || is_of_windows || is_of_git
    });
    let volume = near.rfind("/Volumes/").map(|at| &near[at + "/Volumes/".len()..]);
    is_drive || volume.is_some_and(|name| !name.is_empty() && !name.contains(['/', '\n', '"'])) || is_in_wsl(before)
}

/// True if a path ends in the root of a Linux that runs in Windows: `\\wsl$\Ubuntu`, `//wsl.localhost/Ubuntu`.
fn is_in_wsl(before: &str) -> bool {
    let near = before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST))..].to_ascii_lowercase();
    let start = ["wsl$", "wsl.localhost"].iter().filter_map(|host| Some(near.rfind(host)? + host.len())).max();
    start.is_some_and(|start| {
        let name = near[start..].trim_matches(['/', '\\']);
        near[start..].starts_with(['/', '\\']) && !name.is_empty() && !name.contains(['/', '\\', '\n', ' '])
    })
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
        || follows_command(&text[..start])
        || before.last() == Some(&b'@')
        || name.contains(['.', '-'])
        || name.contains(|c: char| c.is_ascii_digit());
    let is_port = rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_one = !is_code || is_named || is_port;
    let is_path = before.last().is_some_and(|byte| matches!(byte, b'/' | b'\\' | b'$')) && !before.ends_with(b"//");
    // Machines of Apple are named after their users: `Adas-MacBook.local`.
    let is_shouted = name.contains(|c: char| c.is_ascii_uppercase()) && (name.contains('.') || !name.contains('-'));
    (is_one && !is_path && !is_shouted && name != "localhost").then_some(start..sign.end)
}

/// True if a text ends with a command whose argument is a host: `ping `.
fn follows_command(before: &str) -> bool {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(12))..];
    let Some(near) = near.strip_suffix(' ') else { return false };
    let word = near.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    ["ssh", "ping", "ping6", "telnet", "nc", "dig", "host", "nslookup", "curl", "traceroute"].contains(&word)
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
            ("mail ada@m\u{fc}ller.de", "email ada@m\u{fc}ller.de"),
            ("mail ada@xn--mller-kva.de, x", "email ada@xn--mller-kva.de"),
            (
                "ada@\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.\u{440}\u{444}!",
                "email ada@\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.\u{440}\u{444}",
            ),
            ("ada@acme.xn--p1ai", "email ada@acme.xn--p1ai"),
            ("j\u{f6}rg.m@acme.io", "email j\u{f6}rg.m@acme.io"),
            (
                "\u{7528}\u{6237}@\u{4f8b}\u{5b50}.\u{5e7f}\u{544a}",
                "email \u{7528}\u{6237}@\u{4f8b}\u{5b50}.\u{5e7f}\u{544a}",
            ),
            ("\u{5199}\u{7ed9}ada@acme.io\u{8c22}\u{8c22}", "email ada@acme.io"),
            ("ada@thinkpad src % ls", "host thinkpad, user ada"),
            ("\\\\wsl$\\Ubuntu\\home\\ada\\x", "user ada"),
            ("\\\\wsl.localhost\\Ubuntu-24.04\\home\\ada\\x", "user ada"),
            ("\\\\\\\\wsl$\\\\Ubuntu\\\\home\\\\ada\\\\x", "user ada"),
            ("file://wsl.localhost/Ubuntu/home/ada/x", "user ada"),
            ("/c/Users/ada/x", "user ada"),
            ("/cygdrive/c/Users/ada/x", "user ada"),
            ("C--Users-ada-src", "user ada"),
            ("/x/-mnt-c-Users-ada-src", "user ada"),
            ("/Volumes/Macintosh HD/Users/ada/x", "user ada"),
            ("C:\\Documents and Settings\\ada\\x", "user ada"),
            ("ssh printer.local", "host printer.local"),
            ("on Adas-MacBook-Pro.local:", "host Adas-MacBook-Pro.local"),
            ("http://nas.fritz.box/", "host nas.fritz.box"),
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
            "\u{63d0}\u{5230}@\u{67d0}\u{4eba} x@y.1 a@b-c src\\home\\ada localhost.localdomain This.Local",
            "api/c/Users/ada x-Users-ada-y",
        ] {
            assert_eq!(all(text), Vec::<String>::new(), "{text}");
        }
    }
}
