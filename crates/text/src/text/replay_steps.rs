//! Steps through a text as if it were arriving: by characters, by lines, or by the chunks of a stream.

use std::str::FromStr;
use std::time::Duration;

use memchr::memmem;
use memchr::{memchr, memrchr};

/// Size of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ReplayStep {
    /// To the beginning of the next character.
    Character,
    /// To the beginning of the next line.
    #[default]
    Line,
    /// After the next event of a stream, which a blank line ends; in a text without blank lines, after the next line.
    Chunk,
}

impl ReplayStep {
    /// All step sizes, smallest first.
    pub const ALL: [ReplayStep; 3] = [ReplayStep::Character, ReplayStep::Line, ReplayStep::Chunk];

    /// Its name on the screen.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Offset after a step forward from `at`; at most the length of the text.
    pub fn forward(self, text: &[u8], at: usize) -> usize {
        let Some(ahead) = text.get(at..).filter(|ahead| !ahead.is_empty()) else { return text.len() };
        let length = match self {
            ReplayStep::Character => 1 + ahead[1..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count(),
            ReplayStep::Line => memchr(b'\n', ahead).map_or(ahead.len(), |feed| feed + 1),
            ReplayStep::Chunk => match memmem::find(ahead, b"\n\n") {
                Some(end) => end + ahead[end..].iter().take_while(|byte| **byte == b'\n').count(),
                None if memmem::find(text, b"\n\n").is_some() => ahead.len(),
                None => return ReplayStep::Line.forward(text, at),
            },
        };
        at + length
    }

    /// Offset after a step back from `at`.
    pub fn back(self, text: &[u8], at: usize) -> usize {
        let Some(before) = text.get(..at).filter(|before| !before.is_empty()) else { return 0 };
        let inner = &before[..before.len() - 1];
        match self {
            ReplayStep::Character => {
                at - 1 - before.iter().rev().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
            }
            ReplayStep::Line => memrchr(b'\n', inner).map_or(0, |feed| feed + 1),
            ReplayStep::Chunk if memmem::find(text, b"\n\n").is_some() => {
                let said = before.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
                memmem::rfind(&before[..said], b"\n\n").map_or(0, |end| end + 2)
            }
            ReplayStep::Chunk => ReplayStep::Line.back(text, at),
        }
    }
}

/// Bytes that a model writes per second: 50 tokens of 4 bytes.
pub const BYTES_PER_SECOND: usize = 200;

/// Tokens that a model writes per second.
pub const TOKENS_PER_SECOND: f64 = 50.0;

/// The fastest multiple that can be chosen.
const FASTEST: f64 = 1_000_000.0;

/// The speed of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReplaySpeed {
    /// A multiple of the recorded pace, or of [`BYTES_PER_SECOND`] if the file states no times.
    Times(f64),
    /// Bytes of the file per second, at least 1.
    Bytes(usize),
}

/// The pace of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOptions {
    /// A multiple of the recorded pace, or a fixed number of bytes per second.
    pub speed: ReplaySpeed,
    /// True if long pauses between records are kept.
    pub keeps_pauses: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self { speed: ReplaySpeed::Times(1.0), keeps_pauses: false }
    }
}

impl FromStr for ReplaySpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let times = text.strip_suffix('x').and_then(|number| number.parse().ok());
        let times = times.filter(|times: &f64| *times > 0.0 && *times <= FASTEST).map(Self::Times);
        let bytes = || text.parse::<u32>().ok().filter(|bytes| *bytes > 0).map(|bytes| Self::Bytes(bytes as usize));
        times.or_else(bytes).ok_or_else(|| "use a multiple such as 5x, or bytes per second such as 200".to_owned())
    }
}

/// Offset up to which a text has arrived that started at `from` and has arrived at `speed` bytes per second for `time`.
/// Characters arrive complete, as models write them.
pub fn arrived(text: &[u8], from: usize, time: Duration, speed: usize) -> usize {
    let bytes = time.as_micros() * speed as u128 / 1_000_000;
    let due = from.saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX)).min(text.len());
    if due == 0 { 0 } else { ReplayStep::Character.forward(text, due - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_leads_to_where_a_step_came_from() {
        for text in ["", "a", "one\ntwo\n\nthree", "ä€\n\n\nb\n", "data: 1\n\ndata: 2\n\n"] {
            for step in ReplayStep::ALL {
                let mut places = vec![0];
                while *places.last().expect("there is one") < text.len() {
                    places.push(step.forward(text.as_bytes(), *places.last().expect("there is one")));
                }
                assert!(places.iter().all(|&at| text.is_char_boundary(at)), "{text:?} {step:?}: {places:?}");
                for pair in places.windows(2) {
                    assert_eq!(step.back(text.as_bytes(), pair[1]), pair[0], "{text:?} {step:?} {places:?}");
                }
            }
        }
    }
}
