//! Tells values that look random from names, types and prose, which consist of words.

/// For each letter from a to z, the letters that commonly follow it within words: these pairs are 97 % of the pairs in
/// code and prose, and 43 % of random ones.
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvwxy",
    "aceilorsuy",
    "acefhiklmorstu",
    "adegilorstuy",
    "abcdefgiklmnpqrstvwxy",
    "adefgilmnorstu",
    "aehilnorsu",
    "aeiorstu",
    "abcdefglmnoprstvxz",
    "e",
    "ei",
    "adefilostuy",
    "abdeilmopstu",
    "acdefgiklnoprstuvwy",
    "abcdfgiklmnoprstuvw",
    "aehiloprstuy",
    "u",
    "acdefgiklmnoprstuy",
    "acehiklmoprstuy",
    "acdefhilmoprstuxy",
    "abcdefgilmnprst",
    "aei",
    "aehinors",
    "aept",
    "mnopst",
    "e",
];

/// Fewest pairs of letters for a decision, and the least percentage of unusual ones.
const FEWEST_PAIRS: usize = 6;
const UNUSUAL: usize = 36;

/// True if a value looks random: letters, digits and case change as in no word.
pub(super) fn is_random(value: &str) -> bool {
    let is_one = value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_graphic()) && has_variety(value);
    let has_slash = value.contains('/');
    let is_long = value.len() >= 20 && value.contains(|c: char| c.is_ascii_uppercase());
    if !is_one || (has_slash && !is_long) {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_mixed = has_digit_and_letter(value) || letters >= 14 || (letters >= 8 && has_unusual_case(value));
    let changes = run_length(value) < 3.2 || (value.len() >= 16 && is_no_word(value)) || alternations(value) >= 4;
    (changes && (has_digit_and_letter(value) || (value.len() >= 20 && letters == value.len())))
        || (is_mixed && has_unusual_pairs(value, FEWEST_PAIRS))
}

/// True if a value consists of words: lower case, upper case or mixed as in names, perhaps with a number at the end.
pub(super) fn is_wordlike(value: &str) -> bool {
    !value.is_empty()
        && value.split(|c: char| !c.is_ascii_alphanumeric()).all(|word| {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            letters.bytes().all(|byte| byte.is_ascii_alphabetic())
                && !(letters.len() >= 8 && has_unusual_pairs(letters, FEWEST_PAIRS))
        })
}

/// True if a text may be a word or a name, however short it is.
pub(super) fn is_plain_word(word: &str) -> bool {
    is_wordlike(word) && has_regular_case(word) && !has_unusual_pairs(word, FEWEST_PAIRS / 2)
}

/// True if a value looks like an identifier: words and numbers separated by `_`, `-` or `.`.
pub(super) fn is_identifier(value: &str) -> bool {
    let mut parts = value.split(['_', '-', '.']).map(|part| part.trim_matches(|c: char| c.is_ascii_digit()));
    value.contains(['_', '-', '.'])
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && parts.clone().any(|part| part.len() >= 4)
        && parts
            .all(|part| part.len() < 4 || is_plain_word(part) || part.bytes().all(|byte| !byte.is_ascii_lowercase()))
        && !has_unusual_pairs(value, FEWEST_PAIRS)
}

/// True if the case is like that of names: on average, a part that a capital begins has at least three letters.
fn has_regular_case(word: &str) -> bool {
    let bytes = word.as_bytes();
    let rises = bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    // As in `HTTPServer`.
    let is_end = |part: &&[u8]| part[..2].iter().all(u8::is_ascii_uppercase) && part[2].is_ascii_lowercase();
    let parts = rises + bytes.windows(3).filter(is_end).count() + 1;
    parts == 1 || word.len() >= 3 * parts
}

/// True if a lower case letter is followed by a capital more than once.
fn has_unusual_case(value: &str) -> bool {
    let rises = value.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    rises.count() >= 2
}

/// True if many pairs of adjacent letters are not found in any word.
fn has_unusual_pairs(value: &str, fewest: usize) -> bool {
    let (mut pairs, mut unusual) = (0, 0);
    for pair in value.as_bytes().windows(2) {
        let [first, second] = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
        if first.is_ascii_lowercase() && second.is_ascii_lowercase() {
            pairs += 1;
            unusual += usize::from(!FOLLOWERS[usize::from(first - b'a')].as_bytes().contains(&second));
        }
    }
    pairs >= fewest && unusual * 100 >= pairs * UNUSUAL
}

/// Number of digits next to a letter, in either order.
fn alternations(value: &str) -> usize {
    let is_one = |pair: &&[u8]| {
        (pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic())
            || (pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit())
    };
    value.as_bytes().windows(2).filter(is_one).count()
}

/// True if it has more consonants in a row than words have, or is a long hexadecimal number.
fn is_no_word(value: &str) -> bool {
    let is_vowel = |c: char| !c.is_ascii_alphabetic() || "aeiouyAEIOUY".contains(c);
    let consonants = value.split(is_vowel).map(str::len).max().unwrap_or_default();
    consonants >= 5 || (value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// True if a value has enough different characters.
pub(super) fn has_variety(value: &str) -> bool {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    different >= 5 && different * 8 >= value.len().min(64)
}

pub(super) fn has_digit_and_letter(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic())
}

/// Average length of a run of characters of one class; a word with a capital is one run.
pub(super) fn run_length(value: &str) -> f64 {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let (mut runs, mut characters, mut before) = (0_usize, 0_usize, (0, 0));
    for byte in value.bytes() {
        let class = class(byte);
        if class != 0 {
            characters += 1;
            // Lower case letters after a single capital belong to its run.
            let belongs = class == before.0 || (class == 2 && before == (3, 1));
            runs += usize::from(!belongs);
        }
        before = (class, if class == before.0 { before.1 + 1 } else { 1 });
    }
    if runs == 0 { f64::INFINITY } else { characters as f64 / runs as f64 }
}
