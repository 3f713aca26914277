//! Numbers in as many bytes as they need: seven bits a byte, the lowest first, as in LEB128.
//!
//! This module does not know what is counted.

/// Adds a number to `bytes`.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Adds words to `bytes`.
pub(super) fn put_words(bytes: &mut Vec<u8>, words: &str) {
    put(bytes, words.len());
    bytes.extend_from_slice(words.as_bytes());
}

/// Reads numbers one after another; zeros behind the end.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Numbers<'_> {
    pub(super) fn next(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                break;
            }
        }
        number
    }

    pub(super) fn words(&mut self) -> String {
        let length = self.next();
        let words = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        String::from_utf8_lossy(words).into_owned()
    }
}
