//! Private keys in files: lines of base64 after a header line.
//!
//! The header alone is not a key. The lines may be one string with escapes, or be indented, quoted, or part of a diff,
//! and each may have a prefix, such as its number.

use std::ops::Range;

use super::line_prefix;

/// Substrings of the header lines, ignoring case.
pub(super) const SIGNS: &[&str] =
    &["PRIVATE KEY", "Private-Lines:", "OpenVPN Static key V1", "OpenVPN tls-crypt-v2 client key"];

/// Most bytes before a sign in its line, and most bytes of a block.
const LEAD: usize = 64;
const LONGEST: usize = 64 * 1024;

/// Fewest letters in the first line of base64.
const SHORTEST: usize = 16;

/// The range of the private key whose header has a sign here, if there is one.
pub(super) fn find(text: &str, sign: &Range<usize>) -> Option<Range<usize>> {
    let line = &text[text.floor_char_boundary(sign.start.saturating_sub(LEAD))..sign.start];
    let rest = &text[sign.end..text.floor_char_boundary(sign.end + LONGEST)];
    if text[sign.clone()].starts_with("Private-Lines") {
        // A PuTTY key, after the number of its lines.
        let begin = rest.len() - rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).len();
        let len = base64_len(&rest[begin..], line_prefix::of(line), SHORTEST)?;
        return Some(sign.end + begin..sign.end + begin + len);
    }
    let rest_of_line = rest.strip_prefix(" BLOCK").unwrap_or(rest);
    // SSH2 has a space before the dashes.
    let rest_of_line = rest_of_line.strip_prefix(" -").map_or(rest_of_line, |_| &rest_of_line[1..]);
    let dashes = rest_of_line.len() - rest_of_line.trim_start_matches('-').len();
    if dashes < 4 {
        return None;
    }
    // The text before `BEGIN` may have been cut off.
    let line = line.rsplit('\n').next().unwrap_or_default();
    let begin = line.rfind("BEGIN").map_or(line.len(), |begin| {
        let lead = line[..begin].strip_suffix(' ').filter(|lead| lead.ends_with('-')).unwrap_or(&line[..begin]);
        lead.trim_end_matches('-').len()
    });
    let start = sign.start - line.len() + begin;
    let prefix = prefix(line);
    let body = &rest_of_line[dashes..];
    let headers = headers_len(body, prefix);
    let lines = &body[headers..];
    let short = || base64_len(lines, prefix, SHORTEST / 2).filter(|&len| last_line_len(&lines[len..], prefix) > 0);
    let len = headers + base64_len(lines, prefix, SHORTEST).or_else(short)?;
    let end = text.len().min(sign.end + (rest.len() - body.len()) + len);
    Some(start..end + last_line_len(&text[end..], prefix))
}

/// The prefix of the header line. A removed line of a diff has a dash more than the header.
fn prefix(line: &str) -> &str {
    let lead = line.find("BEGIN").map_or("", |begin| line[..begin].trim_end());
    let dashes = lead.len() - lead.trim_end_matches('-').len();
    line_prefix::of(lead[..lead.len() - dashes.min(5)].trim_end_matches(['"', '\'', '`']))
}

/// Length of header fields such as `Proc-Type: 4,ENCRYPTED`, including separators.
fn headers_len(body: &str, prefix: &str) -> usize {
    let mut at = parting_len(body, prefix);
    loop {
        let line = body[at..].lines().next().unwrap_or_default();
        let line = line.split("\\n").next().unwrap_or_default();
        let is_header = line.split_once(": ").is_some_and(|(name, _)| {
            name.len() < 32 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        });
        if !is_header {
            return at;
        }
        at += line.len();
        at += parting_len(&body[at..], prefix);
    }
}

/// Length of lines of base64, if the first has at least `shortest` letters; the last may be short.
fn base64_len(text: &str, prefix: &str, shortest: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = None;
    let mut at = 0;
    loop {
        let start = at + parting_len(&text[at..], prefix);
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let len = bytes[start..].iter().take_while(is_letter).count();
        let rest = &text[start + len..];
        let is_parted = rest.is_empty() || rest.starts_with(['\r', '\n', '\\', '"', '\'']) || rest.starts_with("----");
        let fits = if end.is_none() { len >= shortest } else { len > 0 && (len >= SHORTEST || is_parted) };
        if !fits || (start == at && end.is_some()) {
            return end;
        }
        at = start + len;
        end = Some(at);
    }
}

/// Length of the separator between two lines of a key.
fn parting_len(text: &str, prefix: &str) -> usize {
    let mut rest = text;
    loop {
        let line = ["\r\n", "\n", "\\n"].iter().find_map(|end| rest.strip_prefix(end)).filter(|_| !prefix.is_empty());
        if let Some((line, len)) = line.and_then(|line| Some((line, line_prefix::len(line, prefix)?))) {
            rest = &line[len..];
            continue;
        }
        let next = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || "\"'>|,*.#".contains(c));
        let next = ["\\r", "\\n", "\\"].iter().find_map(|escape| next.strip_prefix(escape)).unwrap_or(next);
        // The sign of an added or a removed line in a diff.
        let is_line = rest[..rest.len() - next.len()].ends_with('\n');
        let next = if next.len() < rest.len() { next.strip_prefix('+').unwrap_or(next) } else { next };
        let removed = next.strip_prefix('-').filter(|next| is_line && !next.starts_with('-'));
        let next = removed.unwrap_or(next);
        if next.len() == rest.len() {
            return text.len() - rest.len();
        }
        rest = next;
    }
}

/// Length of the footer of a key, if it follows.
fn last_line_len(text: &str, prefix: &str) -> usize {
    let begin = parting_len(text, prefix);
    let rest = text[begin..].trim_start_matches(['-', ' ', '+']);
    if !rest.starts_with("END ") {
        return 0;
    }
    let window = &rest[..rest.floor_char_boundary(LEAD * 2)];
    let name = window.find("---").unwrap_or(0);
    let dashes = rest[name..].len() - rest[name..].trim_start_matches('-').len();
    if name == 0 { 0 } else { text.len() - rest.len() + name + dashes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        SIGNS.iter().find_map(|sign| {
            let start = text.find(sign)?;
            Some(&text[find(text, &(start..start + sign.len()))?])
        })
    }

    #[test]
    fn a_key_goes_from_its_first_line_to_its_last() {
        let begin = concat!("-----BEGIN RSA PRIVATE", " KEY-----");
        let end = concat!("-----END RSA PRIVATE", " KEY-----");
        for body in [
            "\nMIIEpAIBAAKCAQEA\nsecond+line/0123\nend=\n",
            "\\nMIIEpAIBAAKCAQEA\\nend=\\n",
            "\n  MIIEpAIBAAKCAQEA\n  end=\n  ",
            "\n+MIIEpAIBAAKCAQEA\n+end=\n+",
            "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,F0\n\nMIIEpAIBAAKCAQEA\n",
            "\nMIIEpAIB\n",
            "\n-MIIEpAIBAAKCAQEA\n-end=\n-",
        ] {
            let key = format!("{begin}{body}{end}");
            assert_eq!(found(&format!("It is {key}, see?")), Some(key.as_str()));
        }
        let cut = format!("{begin}\nMIIEpAIBAAKCAQEA\nMIIEpAIBAAKC");
        assert_eq!(found(&format!("{cut}\n\nNo more of it.")), Some(cut.as_str()));
        let lines = "Private-Lines: 2\nAAAAgQCqLQhBMHDkxzXn\nMIIEpAIBAAKCAQEA\nPrivate-MAC: 1";
        assert_eq!(found(lines), Some("\nAAAAgQCqLQhBMHDkxzXn\nMIIEpAIBAAKCAQEA"));
    }

    #[test]
    fn lines_of_a_key_may_have_prefixes() {
        let (begin, end) = (concat!("-----BEGIN PRIVATE", " KEY-----"), concat!("-----END PRIVATE", " KEY-----"));
        for [first, second, last] in [
            [" 9\t", "10\t", "11\t"],
            ["a.pem:1:", "a.pem-2-", "a.pem-3-"],
            ["web-1  | ", "web-1  | ", "web-1  | "],
            ["2026-01-01T00:00:01Z ", "2026-01-01T00:00:01Z ", "2026-01-01T00:00:02Z "],
            ["-", "-", "-"],
        ] {
            let key = format!("{begin}\n{second}MIIEpAIBAAKCAQEA\n{second}second+line/0123456\n{last}{end}");
            assert_eq!(
                found(&format!("{first}{key}\nNo more of it.")).map(|found| found.trim_start_matches('-')),
                Some(key.trim_start_matches('-'))
            );
        }
    }

    #[test]
    fn a_mention_of_a_key_is_none() {
        let begin = concat!("-----BEGIN PRIVATE", " KEY-----");
        for text in [
            format!("A file that begins with `{begin}` is a key, and everything that follows it stays where it is."),
            format!("{begin} and -----END PRIVATE KEY-----"),
            format!("{begin}\nLook at the documentation for internationalization of it.\n"),
            format!("{begin}\n...\n"),
            "the PRIVATE KEY of the service".to_owned(),
        ] {
            assert_eq!(found(&text), None, "{text}");
        }
    }
}
