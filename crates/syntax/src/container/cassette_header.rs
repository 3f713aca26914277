//! The first lines of a cassette, which tell it from any other YAML.
//!
//! A list of interactions follows at most a version, and its first entry has a request with a known member. These lines
//! are examined line by line, so that a text of another kind need not wait for them.

/// Most bytes of the lines before the first member of the first request.
const MOST: usize = 4096;

/// Most lines of the first entry before its request: an id, a time.
const MOST_LINES: usize = 8;

/// Members that a recorded request or its entry may begin with, in any recorder.
const MEMBERS: [&str; 16] = [
    "body",
    "parsed_body",
    "headers",
    "method",
    "uri",
    "url",
    "proto",
    "proto_major",
    "proto_minor",
    "content_length",
    "transfer_encoding",
    "trailer",
    "host",
    "remote_addr",
    "request_uri",
    "form",
];

/// True if the beginning of a first line may be a cassette's.
pub(super) fn may_begin(text: &[u8]) -> bool {
    let starts: [&[u8]; 6] =
        [b"interactions:\n", b"interactions:\r", b"http_interactions:\n", b"http_interactions:\r", b"---\n", b"---\r"];
    let begins = |start: &&[u8]| text.iter().zip(*start).all(|(one, other)| one == other);
    starts.iter().any(begins) || text.iter().zip(b"version: ").all(|(one, other)| one == other)
}

/// True if a text begins with a list of interactions; `None` while more must arrive.
pub(super) fn is_cassette(text: &[u8], finished: bool) -> Option<bool> {
    let finished = finished || text.len() > MOST;
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let mut next = || {
        let line = lines.next()?;
        let is_whole = line.ends_with(b"\n") || finished;
        // The first member of a request may be long.
        (is_whole || line.contains(&b':')).then_some((line, is_whole))
    };
    let undecided = || if finished { Some(false) } else { None };
    let Some((mut line, _)) = next() else { return undecided() };
    for preamble in [&b"---"[..], b"version:"] {
        if line.starts_with(preamble) {
            let rest = line[preamble.len()..].trim_ascii();
            if !rest.iter().all(u8::is_ascii_digit) {
                return Some(false);
            }
            let Some((following, _)) = next() else { return undecided() };
            line = following;
        }
    }
    if !matches!(line.trim_ascii_end(), b"interactions:" | b"http_interactions:") {
        return Some(false);
    }
    for number in 0..MOST_LINES {
        let Some((line, is_whole)) = next() else { return undecided() };
        let content = line.trim_ascii_start();
        let content = if number == 0 {
            let Some(content) = content.strip_prefix(b"- ") else { return Some(false) };
            content.trim_ascii_start()
        } else {
            content
        };
        if content.trim_ascii_end() != b"request:" {
            // Another short member of the entry.
            if content.contains(&b':') && is_whole {
                continue;
            }
            return if is_whole { Some(false) } else { undecided() };
        }
        let Some((member, _)) = next() else { return undecided() };
        let key = member.trim_ascii_start().split(|&byte| byte == b':').next().unwrap_or_default();
        let is_deeper = member.len() - member.trim_ascii_start().len() > line.len() - content.len();
        return Some(is_deeper && MEMBERS.iter().any(|known| known.as_bytes() == key));
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_of_requests_is_a_cassette() {
        for (text, expected) in [
            ("interactions:\n- request:\n    body: 'x\n", true),
            ("---\nversion: 2\ninteractions:\n    - id: 0\n      request:\n        proto: HTTP/1.1\n", true),
            ("version: 1\r\ninteractions:\r\n- request:\r\n    method: GET\r\n", true),
            ("---\nhttp_interactions:\n- request:\n    method: post\n", true),
            ("interactions:\n- user clicks\n- request:\n", false),
            ("interactions:\n- name: a\n  doses: 2\n", false),
            ("interactions: []\nversion: 1\n", false),
            ("---\ntitle: a\n", false),
            ("version: 3.8\nservices:\n", false),
            ("interactions:\n- request:\n  body: x\n", false),
        ] {
            assert_eq!(is_cassette(text.as_bytes(), true), Some(expected), "{text}");
            // No beginning of it is decided otherwise.
            for end in 1..text.len() {
                let early = is_cassette(&text.as_bytes()[..end], false);
                assert!(early.is_none_or(|early| early == expected), "{:?}", &text[..end]);
            }
        }
        for (text, expected) in [("i", true), ("in the", false), ("---", true), ("--- a", false), ("version 2", false)]
        {
            assert_eq!(may_begin(text.as_bytes()), expected, "{text}");
        }
    }
}
