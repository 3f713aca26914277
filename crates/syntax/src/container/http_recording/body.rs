//! The bodies of requests and answers: text, base64, and compressed bytes.

use std::io::Read as _;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::super::fragment::Fragment;
use crate::text::{Span, steps};

/// Most bytes of one decompressed body.
const MAX_BODY: u64 = 16 * 1024 * 1024;

/// Most bytes that all compressed bodies of a file may have together; a small file could otherwise fill any disk.
const MAX_INFLATED: u64 = 256 * 1024 * 1024;

/// Base64 as recorders write it: the padding may be absent.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A body as a file records it.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Its bytes as the file has them, decoded from the string that holds them.
    pub(super) text: Fragment,
    /// Its media type as the headers state it, without parameters.
    pub(super) media: Option<Box<str>>,
    /// Its encoding as the headers state it: `gzip`.
    pub(super) encoding: Option<Box<str>>,
    /// True if the file has it in base64.
    pub(super) is_base64: bool,
}

/// The reason why a body is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFlaw {
    NotBase64,
    NotCompressed,
    TooLarge,
}

impl BodyFlaw {
    pub(super) fn message(self) -> &'static str {
        match self {
            BodyFlaw::NotBase64 => "the body is not base64; shown raw",
            BodyFlaw::NotCompressed => "the compressed body is damaged; shown raw",
            BodyFlaw::TooLarge => {
                "the compressed body is larger than 16 MiB, or all of the file than 256 MiB; shown raw"
            }
        }
    }
}

/// Decodes the bodies of one file.
#[derive(Debug, Default)]
pub(super) struct BodyDecoder {
    /// Number of bytes of the decompressed bodies so far.
    inflated: u64,
}

impl BodyDecoder {
    /// The bytes of a body. Bytes from base64 or a compressed body lead to the whole string.
    ///
    /// # Errors
    /// It is damaged or too large.
    pub(super) fn decode(&mut self, body: &Body) -> Result<Fragment, BodyFlaw> {
        let mut bytes = None;
        if body.is_base64 {
            let mut text = body.text.bytes.clone();
            text.retain(|byte| !byte.is_ascii_whitespace());
            bytes = Some(BASE64.decode(&text).map_err(|_| BodyFlaw::NotBase64)?);
        }
        let raw = bytes.as_deref().unwrap_or(&body.text.bytes);
        let is_zlib = || raw.len() > 2 && raw[0] == 0x78 && (usize::from(raw[0]) << 8 | usize::from(raw[1])) % 31 == 0;
        let encoding = body.encoding.as_deref().unwrap_or_default();
        // Most recorders keep the header of a body that they have decompressed.
        if raw.starts_with(b"\x1f\x8b") {
            bytes = Some(self.inflate(MultiGzDecoder::new(raw))?);
        } else if encoding.eq_ignore_ascii_case("deflate") && is_zlib() {
            bytes = Some(self.inflate(ZlibDecoder::new(raw))?);
        }
        let Some(bytes) = bytes else { return Ok(body.text.clone()) };
        steps::add_bytes(bytes.len());
        let mut fragment = Fragment::default();
        // A redacted string keeps the line feed after it.
        let length = body.text.bytes.trim_ascii_end().len();
        fragment.map.written(body.text.map.source_of(Span::new(0, length)), bytes.len());
        fragment.bytes = bytes;
        Ok(fragment)
    }

    fn inflate(&mut self, from: impl std::io::Read) -> Result<Vec<u8>, BodyFlaw> {
        let mut bytes = Vec::new();
        let most = MAX_BODY.min(MAX_INFLATED - self.inflated);
        let read = from.take(most + 1).read_to_end(&mut bytes);
        let length = bytes.len() as u64;
        self.inflated += length.min(most);
        match read {
            _ if length > most => Err(BodyFlaw::TooLarge),
            Ok(_) => Ok(bytes),
            Err(_) => Err(BodyFlaw::NotCompressed),
        }
    }
}

/// The media type in a `content-type` header, without parameters.
pub(super) fn media_type(header: &str) -> Option<Box<str>> {
    let media = header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!media.is_empty()).then(|| media.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("it is written");
        encoder.finish().expect("it is complete")
    }

    fn body(bytes: &[u8], encoding: Option<&str>) -> Body {
        let mut text = Fragment::default();
        text.bytes(BASE64.encode(bytes).as_bytes(), 100);
        Body { text, encoding: encoding.map(Box::from), is_base64: true, media: None }
    }

    #[test]
    fn compressed_bodies_lead_to_their_string() {
        let mut decoder = BodyDecoder::default();
        let packed = body(&gzip(b"hello"), Some("gzip"));
        let decoded = decoder.decode(&packed).expect("it is whole");
        assert_eq!(decoded.bytes, b"hello");
        assert_eq!(decoded.map.source_of(Span::new(1, 2)), Span::new(100, 100 + packed.text.bytes.len()));
        // A decompressed body may keep its header.
        assert_eq!(decoder.decode(&body(b"hello", Some("gzip"))).expect("it is whole").bytes, b"hello");
    }

    #[test]
    fn damaged_and_huge_bodies_are_refused() {
        let mut decoder = BodyDecoder::default();
        let cut = gzip(b"hello, hello, hello");
        assert_eq!(decoder.decode(&body(&cut[..cut.len() - 9], None)).err(), Some(BodyFlaw::NotCompressed));
        let bomb = gzip(&vec![b' '; MAX_BODY as usize + 1]);
        assert_eq!(decoder.decode(&body(&bomb, None)).err(), Some(BodyFlaw::TooLarge));
        let mut broken = Body { is_base64: true, ..Body::default() };
        broken.text.bytes(b"not base64!", 0);
        assert_eq!(decoder.decode(&broken).err(), Some(BodyFlaw::NotBase64));
        let large = body(&gzip(&vec![b' '; MAX_BODY as usize]), None);
        let read = (0..20).filter(|_| decoder.decode(&large).is_ok()).count();
        assert_eq!(read, 14, "the file has a limit, too");
    }
}
