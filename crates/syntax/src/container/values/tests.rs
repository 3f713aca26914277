//! Findings in texts with records, parts of records and none, split into pieces of any size.

use std::fmt::Write as _;

use super::*;

/// The findings in `text` when it arrives in pieces of `size` bytes.
fn find(text: &str, size: usize, drill: &'static [&'static str], most: usize) -> String {
    let mut values = Values::new(drill, 0);
    values.most = most;
    found(values, text, size)
}

fn found(mut values: Values, text: &str, size: usize) -> String {
    let mut out = String::new();
    let mut mid = false;
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
    for (number, piece) in pieces.iter().enumerate() {
        values.push(piece);
        while let Some(found) = values.next(number + 1 == pieces.len()) {
            match found {
                Framed::Record(record, source) => {
                    assert_eq!(&text[source.start..source.end], String::from_utf8_lossy(record.value.raw()));
                    assert_eq!(record.value.source(), source);
                    for part in [record.member, record.part].into_iter().flatten() {
                        out += part;
                        out.push(':');
                    }
                    out += &text[source.start..source.end];
                    out.push('|');
                }
                Framed::Close => out += ".|",
                Framed::Done => out += "done|",
                Framed::Glued(at) => write!(out, "+{at}|").expect("it is memory"),
                Framed::Unended(_) => unreachable!("only streams have events"),
                Framed::Broken { bytes, at, flaw, last } => {
                    if let Some((flaw, at)) = flaw {
                        write!(out, "{flaw:?}@{at} ").expect("it is memory");
                    }
                    assert_eq!(flaw.is_none(), mid);
                    assert_eq!(&text.as_bytes()[at..at + bytes.len()], bytes);
                    out += std::str::from_utf8(bytes).expect("the cases are text");
                    mid = !last;
                    if last {
                        out.push('|');
                    }
                }
            }
        }
    }
    out
}

#[track_caller]
fn check(text: &str, drill: &'static [&'static str], expected: &str) {
    for size in 1..=text.len() {
        assert_eq!(find(text, size, drill, MAX_RECORD), expected, "{text:?} in pieces of {size}");
    }
}

#[test]
fn records_are_found_on_lines_and_off_them() {
    check("{\"a\": 1}\n{\"b\": 2}\n", &[], "{\"a\": 1}|{\"b\": 2}|");
    check("\u{feff} {\"a\":\r\n 1}\r\n", &[], "{\"a\":\r\n 1}|");
    check("{\"a\": 1}{\"b\": 2} \n{}", &[], "{\"a\": 1}|+8|{\"b\": 2}|{}|");
    check("[{\"a\": [1, 2]}, 3, []]\n", &[], "{\"a\": [1, 2]}|3|[]|.|");
}

#[test]
fn a_document_is_taken_in_parts() {
    let text = "{\"id\": \"x\", \"list\": [{\"a\": 1}, [2]], \"map\": {\"k\": {}, \"l\": 4}, \"list\": 5}\n{\"z\": []}";
    check(text, &["list", "map"], "id:\"x\"|list:{\"a\": 1}|list:[2]|map:k:{}|map:l:4|list:5|.|z:[]|.|");
}

#[test]
fn an_object_is_taken_as_a_whole_until_a_key_decides() {
    let text = "{\"out\": \"a\", \"x\": {\"out\": []}}\n{\"type\": 1, \"out\": [2]}\n{\"x\": [3], \"out\": [{}, 4], \"type\": 5}[{\"out\": [6]}]";
    for size in 1..=text.len() {
        let values = Values::new(&["out"], 0).with_whole(&["type"]);
        assert_eq!(
            found(values, text, size),
            "{\"out\": \"a\", \"x\": {\"out\": []}}|{\"type\": 1, \"out\": [2]}|x:[3]|out:{}|out:4|type:5|.|+92|{\"out\": [6]}|.|",
            "in pieces of {size}"
        );
    }
}

#[test]
fn what_is_no_record_does_not_hide_the_records_around_it() {
    check("{\"a\": 1}\n{\"b\": \n{\"c\": 3}\n", &[], "{\"a\": 1}|CutOff@24 {\"b\": \n|{\"c\": 3}|");
    check("{\"b\": \"x\n{\"c\": 3}\n", &[], "Broken@8 {\"b\": \"x\n|{\"c\": 3}|");
    check("WARN so [it] is\n  {\n{\"c\": 3}\n", &[], "Broken@0 WARN so [it] is\n  {\n|{\"c\": 3}|");
    check("{\"c\": 3} and\n{\"d\": 4}\n", &[], "{\"c\": 3}|+9|Broken@9 and\n|{\"d\": 4}|");
    check("{\"c\": 3}\n{\"d\": [1, 2", &[], "{\"c\": 3}|CutOff@20 {\"d\": [1, 2|");
    check(
        "{\"a\":\n{\"b\":\n{\"c\": 3}\n{\"d\": 4}\n[[5],\n[6], x",
        &[],
        "Broken@21 {\"a\":\n{\"b\":\n|{\"c\": 3}|{\"d\": 4}|[5]|[6]|.|Broken@41 , x|",
    );
    check("{\"l\": [{\"a\": 1},\n {\"b\": x},\n {}]}\n{}", &["l"], "l:{\"a\": 1}|.|Broken@24 {\"b\": x},\n {}]}\n|.|");
}

#[test]
fn a_record_that_is_too_large_is_passed_over() {
    let text = "{\"a\": 1}\n{\"b\": \"0123456789\"}\n{\"c\": 3}\n";
    for size in 1..=text.len() {
        assert_eq!(
            find(text, size, &[], 12),
            "{\"a\": 1}|TooLarge@9 {\"b\": \"0123456789\"}\n|{\"c\": 3}|",
            "in pieces of {size}"
        );
    }
}
