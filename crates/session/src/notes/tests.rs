//! Tests of notes as tables: finding them again, faults in a sidecar, and its life cycle.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::sidecar::Sidecar;
use super::*;
use crate::document::Item;
use crate::session::Session;

/// A note on the first byte of `mark` in a text, where `mark` is written there as `«mark»`.
fn noted(text: &str) -> (Note, Session) {
    let start = text.find('«').expect("the place is marked");
    let plain = text.replace(['«', '»'], "");
    let session = Session::from_bytes(plain.as_bytes());
    let offset = session.text_offset_of(start);
    let item = session.document().item_at(offset).expect("something is there");
    let node = session.dissect(item).and_then(|assembly| {
        let index = crate::value::index::TreeIndex::new(&assembly);
        index.node_at(&assembly.tree, offset)
    });
    (Note::new(session.note_place(item, offset, node).expect("it is a place")), session)
}

/// The text at a note's position in another text, up to the end of the line, or the id of a call; prefixed with `~` if
/// the item has changed.
fn found(note: &Note, text: &str) -> String {
    let mut session = Session::from_bytes(text.as_bytes());
    let mut notes = NoteList::default();
    notes.apply(NoteEdit::Put(Box::new(note.clone())));
    session.set_notes(notes);
    while session.find_notes() {}
    let Some(place) = session.notes().place(0) else { return "gone".into() };
    let rest = session.text().read_str(crate::text::Span::new(place.offset, session.text().len())).into_owned();
    let call = session.document().items().get(place.item).and_then(Item::call);
    let before = call.filter(|call| call.span.start == place.offset).map(|call| call.id(session.text()));
    let line = rest.lines().next().unwrap_or_default().to_owned();
    let sign = if place.is_exact { "" } else { "~" };
    before.map_or_else(|| format!("{sign}{line}"), |id| format!("{sign}{id}"))
}

fn call(name: &str, id: &str, value: &str) -> String {
    format!("!!!GADGET_START:{name}{id}\n!!!ARG:path\n{value}\n!!!GADGET_END\n")
}

#[test]
fn a_place_is_found_again_by_what_is_there() {
    let story = "The ferry leaves at nine.\nIt is late today.\n";
    let id = |value| call("Read", ":first", value);
    let nameless = |value| call("Read", "", value);
    let rows: &[(&str, String, String, &str)] = &[
        ("the same", format!("«{story}»"), story.into(), "The ferry leaves at nine."),
        ("a line in it", story.replace("It is", "«It is»"), story.into(), "It is late today."),
        ("it has grown", format!("«{story}»"), format!("{story}{}more\n", id("a")), "The ferry leaves at nine."),
        (
            "what was last went on",
            "Let me look «around".into(),
            "Let me look around the harbour for a while.\n".into(),
            "~around the harbour for a while.",
        ),
        (
            "text in front",
            format!("{}«{story}»", nameless("a")),
            format!("Hello.\n{}{}{story}", nameless("z"), nameless("a")),
            "The ferry leaves at nine.",
        ),
        ("other line ends", story.replace("It is", "«It is»"), story.replace('\n', "\r\n"), "It is late today."),
        (
            "line feeds again",
            story.replace('\n', "\r\n").replace("It is", "«It is»"),
            story.into(),
            "It is late today.",
        ),
        (
            "moved",
            format!("«{story}»{}", nameless("a")),
            format!("{}{story}", nameless("a")),
            "The ferry leaves at nine.",
        ),
        (
            "a call by its id",
            format!("a\n«{}b\n", id("x").replacen("!!!", "!!!»", 1)),
            format!("zzz\n{}yyy\n", id("x")),
            "first",
        ),
        ("its argument was edited", format!("a\n«{}b\n", id("x")), format!("a\n{}b\n", id("yyyy")), "~first"),
        ("an argument of it", format!("a\n{}b\n", id("«x»")), format!("a\nb\n{}b\n", id("x")), "x"),
        ("the id is gone", format!("a\n«{}b\n", id("x")), format!("a\n{}b\n", call("Read", ":second", "x")), "gone"),
        (
            "a call without an id",
            format!("one\n{}two\n«{}three\n", nameless("x"), nameless("x")),
            format!("new\n{}one\n{}two\n{}three\n", nameless("x"), nameless("x"), nameless("x")),
            "gadget_3",
        ),
        (
            "it was edited",
            format!("one\n«{}two\n", nameless("x")),
            format!("one\n{}two\n", nameless("yy")),
            "~gadget_1",
        ),
        (
            "it was taken out",
            format!("one\n{}two\n«{}three\n", nameless("x"), nameless("yy")),
            format!("one\n{}two\nthree\n", nameless("x")),
            "gone",
        ),
        (
            "another call took its place",
            format!("one\n«{}two\n", nameless("x")),
            format!("one\n{}two\n", call("Write", "", "x")),
            "gone",
        ),
        (
            "redacted elsewhere",
            format!("key 12345\n{}«{story}»{}", nameless("12345"), nameless("12345")),
            format!("key [key]\n{}{story}{}", nameless("[key]"), nameless("[key]")),
            "The ferry leaves at nine.",
        ),
        ("what was last and short", "Let me «look".into(), "Let me look around.\n".into(), "~look around."),
        ("another text altogether", format!("«{story}»"), "Nothing of that is here.\n".into(), "gone"),
        (
            "a few bytes anywhere",
            format!("{}«ok\n»{}", nameless("a"), nameless("b")),
            format!("{}ok\n{}", nameless("c"), nameless("d")),
            "gone",
        ),
        ("nothing is left", format!("«{story}»"), String::new(), "gone"),
    ];
    let mut faults = Vec::new();
    for (what, before, after, expected) in rows {
        let (note, _) = noted(before);
        let found = found(&note, after);
        if found != *expected {
            faults.push(format!("{what}: {found}, not {expected}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn of_the_same_words_those_are_found_that_were_meant() {
    let page: Vec<String> = (0..20).map(|number| format!("Step {number}.\n{}", call("Read", "", "same"))).collect();
    let text = page.concat();
    for number in [0, 7, 19] {
        let marked = page.iter().enumerate().map(|(at, step)| {
            if at == number { step.replace("!!!GADGET_START", "«!!!GADGET_START") } else { step.clone() }
        });
        let (note, _) = noted(&marked.collect::<String>());
        assert_eq!(found(&note, &text), format!("gadget_{}", number + 1));
        assert_eq!(found(&note, &format!("More in front.\n{}{text}", page[3])), format!("gadget_{}", number + 2));
    }
}

#[test]
fn a_record_is_known_by_its_id() {
    let record = |id: &str, words: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{id}\",\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\"content\":\"{words}\"}}}}\n"
        )
    };
    let before = format!("{}{}", record("u1", "yes"), record("u2", "«yes"));
    let (note, session) = noted(&before);
    assert!(session.is_decoded());
    for (after, expected) in [
        (format!("{}{}{}", record("u0", "yes"), record("u1", "yes"), record("u2", "yes")), Some(2)),
        (format!("{}{}", record("u2", "no"), record("u1", "yes")), Some(0)),
        (format!("{}{}", record("u1", "yes"), record("u3", "no")), None),
    ] {
        let mut session = Session::default_with_notes(std::slice::from_ref(&note));
        session.push(after.as_bytes());
        session.finish();
        let message = session.notes().place(0).map(|place| session.document().message_at(place.offset));
        assert_eq!(message, expected, "{after}");
    }
}

impl Session {
    fn default_with_notes(notes: &[Note]) -> Self {
        let mut session = Session::new(crate::container::Container::default(), &crate::dialect::Options::default());
        let mut all = NoteList::default();
        for note in notes {
            all.apply(NoteEdit::Put(Box::new(note.clone())));
        }
        session.set_notes(all);
        session
    }
}

#[test]
fn places_are_the_same_however_the_text_arrives_and_whenever_the_notes_are_set() {
    let text = String::from_utf8_lossy(include_bytes!("../../../../samples/demo.txt")).into_owned();
    let whole = Session::from_bytes(text.as_bytes());
    let items = 0..whole.document().items().len();
    let start = |item: usize| whole.document().items().span(item).map_or(0, |span| span.start);
    let notes: Vec<Note> = items
        .clone()
        .map(|item| Note::new(whole.note_place(item, start(item), None).expect("it is a place")))
        .collect();
    let places = |session: &Session| items.clone().map(|at| session.notes().place(at)).collect::<Vec<_>>();
    let mut late = Session::from_bytes(text.as_bytes());
    late.set_notes(Session::default_with_notes(&notes).notes().notes().clone());
    while late.find_notes() {}
    let expected = places(&late);
    assert!(
        expected
            .iter()
            .enumerate()
            .all(|(item, place)| place.is_some_and(|place| place.item == item && place.is_exact))
    );
    for step in [1, 57, 4096] {
        let mut session = Session::default_with_notes(&notes);
        for piece in text.as_bytes().chunks(step) {
            session.push(piece);
        }
        session.finish();
        assert_eq!(places(&session), expected, "by {step} bytes");
    }
    // Notes made while the text arrives keep their positions.
    let mut session = Session::default_with_notes(&[]);
    for (number, piece) in text.as_bytes().chunks(701).enumerate() {
        session.push(piece);
        let last = session.document().items().len() - 1;
        let offset = session.document().items().span(last).map_or(0, |span| span.start);
        let note = Note::new(session.note_place(last, offset, None).expect("it is a place"));
        session.edit_notes(NoteEdit::Put(Box::new(note)));
        assert_eq!(session.notes().place(number).map(|place| place.item), Some(last), "{number}");
    }
    session.finish();
    let lost = (0..session.notes().notes().len()).filter(|&number| session.notes().place(number).is_none()).count();
    assert_eq!(lost, 0);
}

fn put(id: &str, words: &str, letter: Option<char>) -> NoteEdit {
    let (note, _) = noted("«a place");
    NoteEdit::Put(Box::new(Note { id: id.into(), words: words.into(), letter, ..note }))
}

#[test]
fn a_letter_is_that_of_one_note_and_a_mark_without_words_goes_with_it() {
    let mut notes = NoteList::default();
    let said = |notes: &NoteList| {
        let one = |note: &Note| format!("{}{}{}", note.id, note.letter.unwrap_or('-'), note.words);
        notes.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    for (edit, expected) in [
        (put("1", "words", Some('a')), "1awords"),
        (put("2", "", Some('b')), "1awords 2b"),
        (put("3", "", Some('a')), "1-words 2b 3a"),
        (put("1", "other", Some('b')), "1bother 3a"),
        (put("1", "other", Some('b')), "1bother 3a"),
        (NoteEdit::Remove("3".into()), "1bother"),
        (NoteEdit::Remove("9".into()), "1bother"),
    ] {
        notes.apply(edit);
        assert_eq!(said(&notes), expected);
    }
}

#[test]
fn what_is_written_is_read_again_and_can_be_looked_at() {
    let hostile = "\u{1b}]0;x\u{7} \"quoted\" \\ # - : {a} 'b' \u{202e}\u{85}\u{2028}\u{feff}\u{e0041} 日本\ttab\nline null 1e5 ~";
    let (place, _) = noted("One\r\ntwo «three\r\nfour");
    for words in ["", "true", "- a", "5", "2026-11-22", hostile] {
        let mut notes = NoteList::default();
        for letter in [None, Some('q')] {
            let made = Some("2026-11-22T17:03:00Z".to_owned()).filter(|_| letter.is_some());
            let mut note = Note { words: words.into(), letter, made, ..Note::new(place.place.clone()) };
            note.place.pointer = Some(words.to_owned());
            note.place.item.call = letter.map(|_| words.to_owned());
            notes.apply(NoteEdit::Put(Box::new(note)));
        }
        let text = notes.to_yaml(words);
        assert!(text.chars().all(|c| c == '\n' || !(c.is_control() || crate::text::sanitize::is_hidden(c))), "{text}");
        assert_eq!(NoteList::from_yaml(text.as_bytes()), Ok(notes), "{text}");
    }
}

#[test]
fn an_invalid_sidecar_is_rejected_with_place_and_reason() {
    let mut one = NoteList::default();
    one.apply(put("n1", "words", Some('a')));
    let fine = one.to_yaml("a.txt");
    let twice = fine.replace("notes:\n", &format!("notes:\n{}", &fine[fine.find("  - id").expect("a note")..]));
    let rows: &[(String, &str)] = &[
        (String::new(), ""),
        ("# nothing\n".into(), ""),
        ("schema_version: 1\nnotes: []\n".into(), ""),
        (fine.clone(), ""),
        (fine.replace("    text:", "    txt:"), "note 1: unknown field `txt`, expected one of `id`, `text`"),
        (fine.replace("notes:", "noets:"), "unknown field `noets`"),
        (
            fine.replace("schema_version: 1", "schema_version: 7"),
            "written by a newer transcope (schema_version 7); update transcope",
        ),
        (fine.replace("schema_version: 1", "schema_version: 0"), "schema_version is 0; expected 1"),
        (fine.replace("schema_version: 1\n", ""), "missing field `schema_version`"),
        (fine.replace("letter: \"a\"", "letter: \"%\""), "note 1: letter: '%' is not a letter from a to z"),
        (fine.replace("letter: \"a\"", "letter: \"ab\""), "note 1: expected one character, found \"ab\""),
        (fine.replace("kind: text", "kind: prose"), "note 1: unknown variant `prose`"),
        (fine.replace("content: \"", "content: \"x"), "is not 16 hexadecimal digits"),
        (fine.replace("    line: 1\n", "    line: -1\n"), "note 1: expected a non-negative integer, found -1"),
        (
            fine.replace("\"words\"", &format!("\"{}\"", "w".repeat(MAX_WORDS + 1))),
            "note 1: text: it has 4097 bytes; at most 4096 are read",
        ),
        (twice, "note 2: same id as note 1; change one"),
        ("notes: [\n  {\n".into(), "line "),
        ("- a\n".into(), "expected "),
        ("a: &a [*a, *a]\n".into(), ""),
        (
            format!("schema_version: 1\nnotes: [{}]\n", "0,".repeat(MAX_NOTES + 1)),
            "it has 10001 notes; at most 10000 are read",
        ),
        (format!("schema_version: 1\nnotes: {}1{}\n", "[".repeat(2000), "]".repeat(2000)), "line 2: "),
        (" ".repeat(yaml::MAX_BYTES + 1), "it is larger than 8 MiB"),
    ];
    for (text, expected) in rows {
        let shown = &text[..text.len().min(300)];
        match (NoteList::from_yaml(text.as_bytes()), *expected) {
            (Ok(_), "") => {}
            (Err(error), "") => assert!(text.contains("&a"), "{shown}: {error}"),
            (Ok(_), expected) => panic!("{shown}: read, though {expected}"),
            (Err(error), expected) => assert!(error.contains(expected), "{shown}: {error}"),
        }
    }
}

const NOW: &str = "2026-11-22T17:03:00Z";

fn saved(sidecar: &Sidecar, edit: NoteEdit) -> Result<usize, String> {
    sidecar.save(&[edit], NOW).map(|saved| saved.notes.len()).map_err(|error| format!("{error:#}"))
}

#[test]
fn concurrent_writers_keep_all_notes() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let transcript = folder.path().join("a.txt");
    let [one, other] = [(); 2].map(|()| Sidecar::new(&transcript, None));
    assert_eq!(one.read().map_err(|error| error.to_string()), Ok(NoteList::default()));
    assert_eq!(saved(&one, put("1", "one", None)), Ok(1));
    assert_eq!(saved(&other, put("2", "other", None)), Ok(2));
    assert_eq!(saved(&one, put("1", "changed", Some('x'))), Ok(2));
    let text = fs::read_to_string(folder.path().join("a.txt.transcope.yaml")).expect("it is there");
    assert!(text.starts_with("# Notes on a.txt, written by transcope.\nschema_version: 1\nnotes:\n  - id: \"1\"\n    text: \"changed\"\n    letter: \"x\"\n    created: \"2026-11-22T17:03:00Z\"\n    line: 1\n    quote: \"a place\"\n"), "{text}");
    assert_eq!(saved(&other, NoteEdit::Remove("1".into())), Ok(1));
    assert_eq!(saved(&one, NoteEdit::Remove("2".into())), Ok(0));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "an empty sidecar is removed");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let transcript = &transcript;
            scope.spawn(move || {
                let sidecar = Sidecar::new(transcript, None);
                for number in 0..5 {
                    let outcome = saved(&sidecar, put(&format!("{writer}-{number}"), "words", None));
                    assert!(outcome.is_ok(), "{outcome:?}");
                }
            });
        }
    });
    assert_eq!(one.read().map_or(0, |notes| notes.len()), 20);
}

#[test]
fn a_sidecar_is_never_written_through_a_link() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target"), "").expect("a file can be made");
    symlink(at("target"), at("a.txt.transcope.yaml")).expect("a link");
    let alone = Sidecar::new(&at("a.txt"), None);
    let error = saved(&alone, put("1", "one", None)).expect_err("it is a link");
    assert_eq!(
        error,
        format!("could not save notes in {}: it is a symbolic link", at("a.txt.transcope.yaml").display())
    );
    let with_own = Sidecar::new(&at("a.txt"), Some(&at("own")));
    assert_eq!(saved(&with_own, put("1", "one", None)), Ok(1));
    assert_eq!(with_own.read().map(|notes| notes.len()).map_err(|error| error.to_string()), Ok(1));
    assert_eq!(fs::read_to_string(at("target")).expect("it is there"), "", "what the link leads to is as it was");
    assert!(at("a.txt.transcope.yaml").is_symlink());
}

#[test]
fn a_sidecar_that_cannot_be_used_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let sidecar = Sidecar::new(&folder.path().join("a.txt"), Some(&folder.path().join("own")));
    let path = folder.path().join("a.txt.transcope.yaml");
    for text in ["notes: 5\n", "schema_version: 1\nnotes: []\nmore: 1\n", "\u{1b}[2J: ["] {
        fs::write(&path, text).expect("a file can be made");
        let error = saved(&sidecar, put("1", "one", None)).expect_err("it is no sidecar");
        assert!(
            error.starts_with("could not use the notes in ") && error.ends_with("; correct or rename the file"),
            "{error}"
        );
        assert!(!error.contains('\u{1b}'), "{error:?}");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
    }
    fs::remove_file(&path).expect("a file can be removed");
    fs::create_dir(&path).expect("a folder can be made");
    let error = saved(&sidecar, put("1", "one", None)).expect_err("it is no file");
    assert!(error.ends_with("it is not a regular file"), "{error}");
    assert!(!folder.path().join("own").exists());
}

#[test]
fn notes_lie_in_the_person_s_folder_where_the_other_cannot_be_written() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let own = folder.path().join("state/notes");
    // Nothing can be created below a file, even by root.
    fs::write(folder.path().join("archive.zip"), "").expect("a file can be made");
    let sidecar = Sidecar::new(&folder.path().join("archive.zip/a.txt"), Some(&own));
    let outcome = sidecar.save(&[put("1", "one", None)], NOW).expect("it is saved");
    let path = outcome.path.expect("a note is there");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
    assert!(
        path.starts_with(&own) && name.starts_with("a.txt-") && Path::new(name).extension() == Some("yaml".as_ref()),
        "{name}"
    );
    assert_eq!(sidecar.read().map_or(0, |notes| notes.len()), 1);
    let alone = Sidecar::new(&folder.path().join("archive.zip/a.txt"), None);
    let error = saved(&alone, put("1", "one", None)).expect_err("there is no place");
    assert!(error.starts_with("could not save notes in "), "{error}");
    assert_eq!(saved(&sidecar, NoteEdit::Remove("1".into())), Ok(0));
    assert!(!path.exists());
}
