//! The output of decoders, however the input is cut, and for damaged input.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("into memory");
    encoder.finish().expect("into memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// A text without repeated lines.
fn text(length: usize) -> Vec<u8> {
    (0_u32..).flat_map(|number| format!("line {number}\n").into_bytes()).take(length).collect()
}

/// ASCII text and one character beyond it, encoded as UTF-16.
fn utf16(text: &[u8], units: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = format!("\u{feff}{}😀", String::from_utf8_lossy(text));
    text.encode_utf16().flat_map(units).collect()
}

/// The output for data in pieces of a given length, and the message about damage.
fn decode(data: &[u8], piece: usize) -> (Vec<u8>, Option<String>) {
    let first = data.len().min(MAGIC);
    let mut decoder = Decoder::new(&data[..first]).expect("recognised");
    let mut text = Vec::new();
    let mut out = |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        Ok(())
    };
    let mut outcome = Ok(());
    for piece in data.chunks(piece) {
        outcome = decoder.push(piece, &mut out);
        if outcome.is_err() {
            break;
        }
    }
    let words = match outcome.and_then(|()| decoder.finish(&mut out)) {
        Ok(()) => None,
        Err(ReadStop::Failed(words)) => Some(words),
        Err(ReadStop::Stopped) => panic!("nobody stops it"),
    };
    (text, words)
}

#[test]
fn compressed_text_comes_out_whole_however_it_is_cut() {
    for length in [0, 1, 1000, 300_000] {
        let text = text(length);
        let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(&text)].concat();
        for (kind, data, expected) in [
            ("gzip", gzip(&text), text.clone()),
            ("zstd", zstd(&text), text.clone()),
            ("two members", [gzip(&text), gzip(b"and more")].concat(), [&text[..], b"and more"].concat()),
            ("two frames", [zstd(&text), zstd(b"and more")].concat(), [&text[..], b"and more"].concat()),
            ("a frame that is skipped", [zstd(b"first "), skipped].concat(), [b"first ", &text[..]].concat()),
            ("UTF-16, high bytes first", utf16(&text, u16::to_be_bytes), [&text[..], "😀".as_bytes()].concat()),
            ("UTF-16, low bytes first", utf16(&text, u16::to_le_bytes), [&text[..], "😀".as_bytes()].concat()),
            ("zeros behind it", [gzip(&text), vec![0; 600]].concat(), text.clone()),
            ("zeros between", [gzip(&text), vec![0; 5], gzip(b"!")].concat(), [&text[..], b"!"].concat()),
        ] {
            for piece in [1, 7, 4096, usize::MAX] {
                if piece == 1 && length > 1000 {
                    continue;
                }
                let (found, words) = decode(&data, piece);
                assert!(found == expected, "{kind} of {length} in pieces of {piece}");
                assert_eq!(words, None, "{kind} of {length} in pieces of {piece}");
            }
        }
    }
}

#[test]
fn a_header_with_every_part_is_read() {
    let mut encoder = flate2::GzBuilder::new()
        .filename("a.txt")
        .comment("hello")
        .extra([7; 300])
        .write(Vec::new(), Compression::fast());
    encoder.write_all(b"the text").expect("into memory");
    let data = encoder.finish().expect("into memory");
    for piece in [1, 9, usize::MAX] {
        assert_eq!(decode(&data, piece), (b"the text".to_vec(), None));
    }
}

#[test]
fn what_ends_too_early_is_given_as_far_as_it_goes() {
    let text = text(200_000);
    for (kind, data) in [("gzip", gzip(&text)), ("zstd", zstd(&text))] {
        for part in 1..20 {
            let cut = data.len() * part / 20;
            let (found, words) = decode(&data[..cut], 1000);
            assert!(text.starts_with(&found), "{kind}, {part} parts");
            assert!(found.len() + 140_000 > text.len() * part / 20, "{kind}, {part} parts: {} bytes", found.len());
            assert_eq!(words, Some(format!("the {kind} data is truncated")));
        }
    }
}

#[test]
fn damage_is_told_behind_what_could_be_read() {
    let text = text(100_000);
    for (kind, data) in [("gzip", gzip(&text)), ("zstd", zstd(&text))] {
        let mut wrong_sum = data.clone();
        let last = wrong_sum.len() - if kind == "gzip" { 5 } else { 1 };
        wrong_sum[last] ^= 1;
        let (found, words) = decode(&wrong_sum, 1000);
        assert!(found == text, "{kind}");
        assert_eq!(words, Some(format!("the {kind} data is corrupt: checksum mismatch")));
        let (found, words) = decode(&[&data[..], b"not compressed"].concat(), 1000);
        assert!(found == text, "{kind}");
        assert_eq!(words, Some(format!("there is trailing data after the {kind} data")));
    }
}

#[test]
fn plain_text_is_told_by_its_first_bytes() {
    for (first, compressed, plain) in [
        (&b""[..], false, false),
        (b"(", false, false),
        (b"(a", false, true),
        (b"Hello", false, true),
        (b"\x1f", false, false),
        (b"\x1f\x8b", false, false),
        (b"\x1f\x8b\x08", true, false),
        (b"\x1f\x8b\x07", false, true),
        (b"\x28\xb5\x2f", false, false),
        (b"\x28\xb5\x2f\xfd", true, false),
    ] {
        assert_eq!(Decoder::new(first).is_some(), compressed, "{first:?}");
        assert_eq!(Decoder::new(first).is_none() && !is_unclear(first), plain, "{first:?}");
    }
}

#[test]
fn a_bomb_comes_out_in_small_pieces() {
    let zeros = vec![0; 20_000_000];
    for data in [gzip(&zeros), zstd(&zeros)] {
        let mut decoder = Decoder::new(&data).expect("recognised");
        let mut total = 0;
        let mut largest = 0;
        let mut out = |bytes: &[u8]| {
            total += bytes.len();
            largest = largest.max(bytes.len());
            Ok(())
        };
        decoder.push(&data, &mut out).and_then(|()| decoder.finish(&mut out)).expect("it is whole");
        assert_eq!(total, zeros.len());
        assert!(largest <= 64 * 1024, "{largest} bytes at once");
    }
}

proptest! {
    #[test]
    fn damaged_data_are_cut_with_the_same_outcome_and_never_a_panic(
        places in prop::collection::vec((0..10_000_usize, any::<u8>()), 1..6),
        piece in 1..5000_usize,
    ) {
        let text = text(30_000);
        for mut data in [gzip(&text), zstd(&text)] {
            for &(at, byte) in &places {
                let at = MAGIC + at % (data.len() - MAGIC);
                data[at] = byte;
            }
            prop_assert_eq!(decode(&data, piece), decode(&data, usize::MAX));
        }
    }
}
