//! Properties of every map, however it was built: both directions lead to the same bytes.

use super::*;

/// A small pseudo-random generator.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    }
}

/// A map, and the same as a table: the span in the file of each decoded byte.
fn build(seed: u64, steps: usize, shuffle: bool) -> (OffsetMap, Vec<Span>) {
    let mut random = numbers(seed);
    let mut map = OffsetMap::default();
    let mut table = Vec::new();
    let mut at = 0;
    for _ in 0..steps {
        match random(if shuffle { 9 } else { 8 }) {
            0..=2 => {
                let length = 1 + random(200);
                map.copied(at, length);
                table.extend((at..at + length).map(|at| Span::new(at, at + 1)));
                at += length;
            }
            3..=5 => {
                let (source, length) = (2 + random(11), 1 + random(4));
                map.written(Span::new(at, at + source), length);
                table.extend(std::iter::repeat_n(Span::new(at, at + source), length));
                at += source;
            }
            6 => {
                let length = 1 + random(40);
                map.added(at, length);
                table.extend(std::iter::repeat_n(Span::at(at), length));
            }
            7 => at += random(1000),
            _ => at = random(at + 1),
        }
    }
    (map, table)
}

#[test]
fn each_decoded_byte_leads_to_its_source() {
    for seed in 0..6 {
        let (map, table) = build(seed, 300, seed % 2 == 1);
        assert_eq!(map.len(), table.len());
        for (offset, expected) in table.iter().enumerate().step_by(3) {
            assert_eq!(map.source_of(Span::new(offset, offset + 1)), *expected, "seed {seed}, byte {offset}");
            assert_eq!(map.source_of(Span::at(offset)), Span::at(expected.start), "seed {seed}, in front of {offset}");
        }
        let mut random = numbers(seed);
        for _ in 0..200 {
            let start = random(table.len());
            let end = start + 1 + random(table.len() - start);
            // Added bytes are not in the file.
            let standing = table[start..end].iter().copied().filter(|source| !source.is_empty());
            let expected = standing.reduce(Span::cover).unwrap_or(Span::at(table[start].start));
            assert_eq!(map.source_of(Span::new(start, end)), expected, "seed {seed}, {start} to {end}");
        }
    }
}

#[test]
fn each_byte_of_the_file_leads_to_the_first_that_was_decoded_from_it() {
    for seed in 0..6 {
        let (map, table) = build(seed, 300, seed % 2 == 1);
        let end = table.iter().map(|span| span.end).max().expect("there are bytes");
        for source in (0..end + 3).step_by(37) {
            let place = |span: &Span| span.start.max(source);
            let candidates = table.iter().enumerate().filter(|(_, span)| span.end > source);
            let expected = candidates.min_by_key(|(offset, span)| (place(span), *offset)).map(|(offset, _)| offset);
            assert_eq!(map.decoded_at(source), expected, "seed {seed}, source {source}");
        }
    }
}

#[test]
fn segments_tile_what_is_asked_for() {
    let (map, table) = build(7, 300, false);
    for (start, end) in [(0, table.len()), (1, 2), (17, 400), (400, 400), (table.len() - 1, table.len())] {
        let mut at = start;
        for segment in map.segments(Span::new(start, end)) {
            assert_eq!(segment.decoded.start, at);
            assert_eq!(segment.source.start, table[at].start);
            at = segment.decoded.end;
        }
        assert_eq!(at, end);
    }
}

#[test]
fn texts_that_are_appended_lead_to_the_same_places() {
    let (first, mut table) = build(1, 50, false);
    let (second, more) = build(2, 50, true);
    table.extend(more);
    let mut map = first;
    map.append(&second);
    for (offset, expected) in table.iter().enumerate() {
        assert_eq!(map.source_of(Span::new(offset, offset + 1)), *expected, "byte {offset}");
    }
}

#[test]
fn an_escape_inside_of_an_escape_leads_to_all_of_its_bytes() {
    // The file holds {"a":"x\\ny\u00e9"} as a string in a string: x, an escaped \n, y, an escape of six bytes.
    let mut outer = OffsetMap::default();
    outer.copied(10, 1);
    outer.written(Span::new(11, 13), 1);
    outer.copied(13, 2);
    outer.written(Span::new(15, 17), 1);
    outer.copied(17, 5);
    let mut inner = OffsetMap::default();
    inner.copied(0, 1);
    inner.written(Span::new(1, 3), 1);
    inner.copied(3, 1);
    inner.written(Span::new(4, 10), 2);
    let mut map = OffsetMap::default();
    for segment in inner.segments(Span::new(0, inner.len())) {
        map.push_through(segment, &outer);
    }
    let sources: Vec<Span> = (0..map.len()).map(|offset| map.source_of(Span::new(offset, offset + 1))).collect();
    let both = Span::new(15, 22);
    assert_eq!(sources, [Span::new(10, 11), Span::new(11, 14), Span::new(14, 15), both, both]);
}

#[test]
fn borders_are_where_the_text_goes_on_elsewhere() {
    let mut map = OffsetMap::default();
    map.copied(10, 4);
    map.written(Span::new(14, 16), 1);
    map.copied(40, 3);
    map.added(43, 2);
    map.copied(43, 1);
    map.copied(90, 5);
    assert_eq!(map.borders(Span::new(0, map.len())).collect::<Vec<_>>(), [5, 11]);
    assert_eq!(map.borders(Span::new(6, 9)).collect::<Vec<_>>(), [] as [usize; 0]);
}

#[test]
fn a_file_that_is_its_own_text_costs_nothing_and_an_escape_two_bytes() {
    let mut map = OffsetMap::default();
    for at in 0..1000 {
        map.copied(at * 1000, 1000);
    }
    assert_eq!(map.weight(), 0);
    let mut map = OffsetMap::default();
    for at in 0..10_000 {
        map.copied(at * 42, 40);
        map.written(Span::new(at * 42 + 40, at * 42 + 42), 1);
    }
    let each = map.weight() as f64 / 10_000.0;
    assert!(each < 2.5, "{each} bytes for a run and an escape");
}
