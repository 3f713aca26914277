//! A container file, whose container the first line names: pieces tile its text, and how it is cut makes no difference.

use transcope::container::{Batch, Container, ContainerReader, REGISTRY, read};
use transcope::text::Span;
use transcope::text::offsets::SegmentKind;

use super::chance::Chance;
use super::tiling::tiles;

/// Longest file that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// Reads the file as the container that its first line names.
pub fn check(bytes: &[u8]) {
    let (number, file) = super::choose(bytes, REGISTRY.len(), |number| REGISTRY[number].name);
    let file = &file[..file.len().min(LONGEST)];
    let asked = Container::named(REGISTRY[number].name).expect("it is known");
    let (whole, reader) = read(asked, file);
    tiles(asked.name(), &whole);
    leads_back(&whole, &reader, file);
    let mut chance = Chance::from_bytes(file);
    // A long file is too slow byte by byte.
    let bytewise = if file.len() <= 512 { file.chunks(1).collect() } else { chance.cut(file) };
    for pieces in [bytewise, chance.cut(file)] {
        let mut reader_of_pieces = ContainerReader::new(asked);
        let mut batch = Batch::default();
        let mut end = 0;
        for piece in &pieces {
            add(&mut batch, reader_of_pieces.push(piece));
            end += piece.len();
            assert_eq!(reader_of_pieces.pending().end, end, "what waits is at the end");
        }
        add(&mut batch, reader_of_pieces.finish());
        assert!(batch == whole, "in {} pieces:\n{}\nas a whole:\n{}", pieces.len(), shown(&batch), shown(&whole));
        assert_eq!(reader_of_pieces.map(), reader.map(), "in {} pieces", pieces.len());
        assert_eq!(reader_of_pieces.choice(), reader.choice(), "in {} pieces", pieces.len());
    }
    let prefix = &file[..chance.below(file.len() + 1)];
    let (batch, reader) = read(asked, prefix);
    tiles(asked.name(), &batch);
    assert!(reader.pending().end <= prefix.len());
}

/// The events and the text, for comparison.
fn shown(batch: &Batch) -> String {
    format!("{:?}\n{:?}", batch.events, String::from_utf8_lossy(&batch.text))
}

/// Appends a batch to the ones before.
pub fn add(batch: &mut Batch, more: Batch) {
    batch.text.extend(more.text);
    batch.events.extend(more.events);
}

/// Checks that every byte of the text maps to bytes in the file, which are equal where they were copied.
fn leads_back(batch: &Batch, reader: &ContainerReader, file: &[u8]) {
    assert_eq!(reader.map().len(), batch.text.len());
    for segment in reader.map().segments(Span::new(0, batch.text.len())) {
        let said = &batch.text[segment.decoded.start..segment.decoded.end];
        let source = &file[segment.source.start..segment.source.end];
        match segment.kind {
            SegmentKind::Copied => assert_eq!(said, source),
            SegmentKind::Added => assert!(source.is_empty(), "{segment:?}"),
            SegmentKind::Written => {}
        }
    }
}
