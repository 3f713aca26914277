//! Cuts a message into the pieces in which it arrives.

use std::str::FromStr;

/// Longest marker that counts as a single token, in bytes.
const LONGEST_MARKER: usize = 48;

/// Most digits, and most symbols, in one token.
const MOST_IN_RUN: usize = 3;

/// How a message is cut into pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Approximate tokens: a marker such as `<tool_call>`, a word with the space before it, up to three digits, up to
    /// three symbols, or a run of white space. The tokens of a model differ.
    #[default]
    Token,
    /// Single characters, each with all bytes of its UTF-8.
    Char,
    /// This many bytes, and the rest of a character that they begin; at least 1.
    Bytes(usize),
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        match words {
            "token" => Ok(Self::Token),
            "char" => Ok(Self::Char),
            _ => match words.parse() {
                Ok(bytes) if bytes > 0 => Ok(Self::Bytes(bytes)),
                _ => Err("expected token, char or a number of bytes".to_owned()),
            },
        }
    }
}

impl Cut {
    /// The offsets at which the pieces of a text end; the last one is the length of the text. Empty for an empty text.
    pub fn ends(self, text: &str) -> Vec<usize> {
        let (mut ends, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let rest = &text[at..];
            at += match self {
                Self::Token => token(rest),
                Self::Char => rest.chars().next().map_or(1, char::len_utf8),
                Self::Bytes(bytes) => rest.ceil_char_boundary(bytes.max(1).min(rest.len())),
            };
            ends.push(at);
        }
        ends
    }
}

/// Length in bytes of the approximate token at the start of a text; at least 1 unless the text is empty.
fn token(text: &str) -> usize {
    if let Some(length) = marker(text) {
        return length;
    }
    let run = |from: usize, most: usize, is_in: fn(char) -> bool| {
        let chars = text[from..].chars().take(most).take_while(|c| is_in(*c));
        chars.map(char::len_utf8).sum::<usize>()
    };
    let is_letter = |c: char| c == '_' || (c.is_alphanumeric() && !c.is_numeric());
    let space = usize::from(text.starts_with(' '));
    let word = run(space, usize::MAX, is_letter);
    if word > 0 {
        return space + word;
    }
    let blank = run(0, usize::MAX, char::is_whitespace);
    if blank > 0 {
        // The last space belongs to a word that follows.
        let is_before_word = blank > 1 && text[..blank].ends_with(' ') && run(blank, 1, is_letter) > 0;
        return blank - usize::from(is_before_word);
    }
    let digits = run(0, MOST_IN_RUN, |c| c.is_ascii_digit());
    if digits > 0 {
        return digits;
    }
    let is_symbol = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && c != '_';
    let symbols = run(0, MOST_IN_RUN, is_symbol);
    let next_marker = text[..symbols].char_indices().skip(1).find(|(at, _)| marker(&text[*at..]).is_some());
    match next_marker {
        Some((at, _)) => at,
        None if symbols > 0 => symbols,
        None => text.chars().next().map_or(0, char::len_utf8),
    }
}

/// Length in bytes of a marker at the start of a text: a tag without attributes, or a bracketed word in capitals.
fn marker(text: &str) -> Option<usize> {
    let (inner, end) = match text.chars().next()? {
        '<' => (&text[1..], '>'),
        '[' => (&text[1..], ']'),
        _ => return None,
    };
    let length = inner.char_indices().take_while(|(at, _)| *at < LONGEST_MARKER).find(|(_, c)| *c == end)?.0;
    let name = &inner[..length];
    let is_marker = if end == ']' {
        let word = name.trim_start_matches('/');
        word.len() > 2 && word.chars().all(|c| c == '_' || c.is_ascii_uppercase())
    } else if let Some(name) = name.strip_prefix(['|', '｜']).and_then(|name| name.strip_suffix(['|', '｜'])) {
        !name.is_empty() && !name.contains(char::is_whitespace)
    } else {
        let begins = name.trim_start_matches(['/', '|', '｜']).starts_with(|c: char| c == '_' || c.is_alphabetic());
        begins && !name.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '=' | '"'))
    };
    is_marker.then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_tokens_characters_or_bytes() {
        let cases: [(Cut, &str, &[&str]); 8] = [
            (Cut::Token, "", &[]),
            (Cut::Token, "I'll  look", &["I", "'", "ll", " ", " look"]),
            (
                Cut::Token,
                "<tool_call>\n{\"a\": 12345}",
                &["<tool_call>", "\n", "{\"", "a", "\":", " ", "123", "45", "}"],
            ),
            (Cut::Token, "<|\"|>x<｜sep｜>[ARGS]{", &["<|\"|>", "x", "<｜sep｜>", "[ARGS]", "{"]),
            (Cut::Token, "}}</tool>a < b", &["}}", "</tool>", "a", " ", "<", " b"]),
            (Cut::Token, "\"é\"", &["\"", "é", "\""]),
            (Cut::Char, "aé", &["a", "é"]),
            (Cut::Bytes(2), "abcé!", &["ab", "cé", "!"]),
        ];
        for (cut, text, expected) in cases {
            let mut at = 0;
            let pieces: Vec<&str> =
                cut.ends(text).into_iter().map(|end| &text[std::mem::replace(&mut at, end)..end]).collect();
            assert_eq!(pieces, expected, "{text:?}");
        }
    }

    #[test]
    fn a_cut_is_named_token_char_or_a_positive_number() {
        for (words, expected) in
            [("token", Some(Cut::Token)), ("char", Some(Cut::Char)), ("16", Some(Cut::Bytes(16))), ("0", None)]
        {
            assert_eq!(words.parse::<Cut>().ok(), expected, "{words}");
        }
    }
}
