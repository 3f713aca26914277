//! Gzip (RFC 1952): consecutive members, decoded incrementally by `flate2`.
//!
//! The last member may be followed by zeros, as on tapes, which `flate2` takes for damage; so each member gets a
//! separate decoder.

use std::io::Write;

use flate2::write::GzDecoder;

use super::{GZIP, Out, ReadStop, cut_off, damaged};

#[derive(Default)]
pub(in crate::source) enum Gzip {
    /// A member; its decoder holds the output not passed on yet, at most the 32 KiB of its window.
    Member(Box<GzDecoder<Vec<u8>>>),
    /// Padding with zeros, or before the next member.
    #[default]
    Between,
}

impl Gzip {
    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Out<'_>) -> Result<(), ReadStop> {
        while let Some(&first) = bytes.first() {
            match self {
                Self::Between if first == 0 => bytes = &bytes[1..],
                Self::Between if first == GZIP[0] => *self = Self::Member(Box::new(GzDecoder::new(Vec::new()))),
                Self::Between => return Err(no_gzip()),
                Self::Member(decoder) => {
                    let written = decoder.write(bytes);
                    if written.is_err() {
                        // The decoder still holds the output from before the damage.
                        let _ = decoder.flush();
                    }
                    hand_on(decoder, out)?;
                    match written {
                        Ok(0) => self.end()?,
                        Ok(count) => bytes = &bytes[count..],
                        Err(_) if decoder.header().is_none() => return Err(no_gzip()),
                        Err(_) => return Err(damaged("the gzip data is corrupt")),
                    }
                }
            }
        }
        match self {
            Self::Member(decoder) if decoder.header().is_some() => {
                let flushed = decoder.flush();
                hand_on(decoder, out)?;
                flushed.map_err(|_| damaged("the gzip data is corrupt"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), ReadStop> {
        let Self::Member(decoder) = self else { return Ok(()) };
        // A complete member takes no more bytes.
        match decoder.write(&[0]) {
            Ok(0) => self.end(),
            _ => Err(cut_off("gzip")),
        }
    }

    /// Ends a complete member: verifies its checksum and its length.
    fn end(&mut self) -> Result<(), ReadStop> {
        match std::mem::take(self) {
            Self::Member(decoder) => {
                decoder.finish().map(drop).map_err(|_| damaged("the gzip data is corrupt: checksum mismatch"))
            }
            Self::Between => Ok(()),
        }
    }
}

fn hand_on(decoder: &mut GzDecoder<Vec<u8>>, out: &mut Out<'_>) -> Result<(), ReadStop> {
    let decoded = decoder.get_mut();
    if !decoded.is_empty() {
        out(decoded)?;
        decoded.clear();
    }
    Ok(())
}

fn no_gzip() -> ReadStop {
    damaged("there is trailing data after the gzip data")
}
