//! Snapshots: texts below `tests/snapshots` that were reviewed once. To accept new ones: `INSTA_UPDATE=always cargo
//! test`. Independent of their contents.

use std::path::Path;

/// Compares a text with the snapshot of that name, in a folder below `tests/snapshots`.
#[track_caller]
pub fn matches(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(folder));
    let shown: Vec<String> = text.split('\n').map(capped).collect();
    settings.bind(|| insta::assert_snapshot!(name, shown.join("\n")));
}

/// Longer lines are abbreviated: they are unreadable, and so are their diffs.
const LONGEST: usize = 5000;

/// Characters of such a line that are kept at its beginning and at its end.
const HEAD: usize = 1000;
const TAIL: usize = 200;

/// A line, abbreviated if it is too long: its ends, and the length and a hash of the rest, so that every change of it
/// changes the snapshot.
fn capped(line: &str) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= LONGEST {
        return line.to_owned();
    }
    let (head, rest) = characters.split_at(HEAD);
    let (middle, tail) = rest.split_at(rest.len() - TAIL);
    let [head, middle, tail] = [head, middle, tail].map(|part| part.iter().collect::<String>());
    let hash = crc32fast::hash(middle.as_bytes());
    format!("{head} … {} bytes, CRC {hash:08x} … {tail}", middle.len())
}

#[test]
fn a_long_line_is_capped_and_every_change_of_it_is_seen() {
    let line = "0123456789".repeat(LONGEST / 10);
    assert_eq!(capped(&line), line);
    let long = format!("{line}{line}");
    let shown = capped(&long);
    assert!(shown.starts_with("0123") && shown.ends_with("789") && shown.len() < HEAD + TAIL + 50, "{shown}");
    for at in [0, HEAD, LONGEST, long.len() - TAIL - 1, long.len() - 1] {
        let mut other = long.clone();
        other.replace_range(at..=at, "x");
        assert_ne!(capped(&other), shown, "{at}");
    }
}
