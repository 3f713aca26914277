//! The numbers that tools prepend to the lines of a file that they read.
//!
//! Claude Code writes `     1→use std;`, `cat -n` writes `     1⇥use std;`, others `1: use std;`. All are recognised,
//! whichever tool wrote a line.

/// Maximum number of digits of a line number.
const DIGITS: usize = 7;

/// Separators between a number and its line.
const PARTINGS: [&[u8]; 3] = ["→".as_bytes(), b"\t", b": "];

/// A number before a line: its value, the index of its separator in [`PARTINGS`], and the length of the prefix.
#[derive(Clone, Copy)]
struct Numbered {
    number: usize,
    parting: usize,
    len: usize,
}

/// Length in bytes of the number at the beginning of each line, with padding and separator; 0 if there is none. A
/// candidate counts if the line above or below has the number before or after it.
pub fn number_widths(text: &[u8]) -> Vec<usize> {
    let found: Vec<Option<Numbered>> = text.split(|&byte| byte == b'\n').map(numbered).collect();
    let follows = |one: Option<Numbered>, other: Option<Numbered>| {
        one.zip(other).is_some_and(|(one, other)| one.parting == other.parting && one.number + 1 == other.number)
    };
    let near = |at: usize| found.get(at).copied().flatten();
    let width = |at: usize| {
        let is_number = follows(at.checked_sub(1).and_then(near), near(at)) || follows(near(at), near(at + 1));
        near(at).filter(|found| is_number || found.parting == 0).map_or(0, |found| found.len)
    };
    (0..found.len()).map(width).collect()
}

fn numbered(line: &[u8]) -> Option<Numbered> {
    let blank = line.iter().take_while(|&&byte| byte == b' ').count();
    let digits = line[blank..].iter().take(DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > DIGITS {
        return None;
    }
    let number = std::str::from_utf8(&line[blank..blank + digits]).ok()?.parse().ok()?;
    let rest = &line[blank + digits..];
    // An empty line may lack the space after the colon.
    let parting = PARTINGS.iter().position(|parting| rest.starts_with(parting) || rest == parting.trim_ascii_end())?;
    Some(Numbered { number, parting, len: blank + digits + PARTINGS[parting].len().min(rest.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_where_their_neighbours_have_the_next() {
        for (text, expected) in [
            ("", &[0][..]),
            ("     1→a\n     2→\n", &[9, 9, 0]),
            ("     7→alone", &[9]),
            ("     1\ta\n     2\tb", &[7, 7]),
            ("9: a\n10:\n11: c", &[3, 3, 4]),
            ("updated:\n 3: a\n 4: b\n\ndone", &[0, 4, 4, 0, 0]),
            ("12: found\n30: found", &[0, 0]),
            ("1\ta", &[0]),
            ("12:30 a\n13:30 b", &[0, 0]),
            ("1. a\n2. b", &[0, 0]),
            ("12345678→a", &[0]),
        ] {
            assert_eq!(number_widths(text.as_bytes()), expected, "{text:?}");
        }
    }
}
