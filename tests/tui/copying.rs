//! Copying a selection in each form, and the message if there is nothing to copy.

use transcope::tui::message::{Copied, Effect, Task};

use super::player::Player;
use super::{LARGE, demonstration, sample};

/// Presses keys. Returns the copied text, or the line at the bottom if nothing is copied.
fn copied(player: &mut Player, keys: &str) -> Result<Copied, String> {
    let effects = player.press(keys);
    match effects.into_iter().next_back() {
        Some(Effect::Run(Task::Copy(copied))) => Ok(copied),
        _ => Err(player.status()),
    }
}

#[test]
fn each_form_of_the_selection_is_copied_as_it_is_named() {
    let rows = [
        ("c c j y y", "the selection", "exports/this-year"),
        ("c c j y v", "the value", "exports/this-year"),
        ("c c j y p", "the pointer", "folder"),
        ("c c y l", "the place", "demonstration:27:1"),
        (
            "c c c y j",
            "parameters",
            "{\n  \"url\": \"https://shop.example.com/api/customers?active=true\",\n  \"pageSize\": 200\n}",
        ),
        (
            "c c j y b",
            "the call",
            "!!!GADGET_START:BackupFolder:backup:migration\n!!!ARG:folder\nexports/this-year\n!!!ARG:folder\nexports\n!!!ARG:compress\ntrue\n!!!GADGET_END",
        ),
        (
            "e y q",
            "a quotation",
            "**demonstration:30:8** error `duplicate-pointer`: Duplicate pointer: folder\n\n> ```\n> !!!GADGET_START:BackupFolder:backup:migration\n> !!!ARG:folder\n> exports/this-year\n> !!!ARG:folder\n> exports\n> !!!ARG:compress\n> true\n> !!!GADGET_END\n> ```\n",
        ),
    ];
    for (keys, what, expected) in rows {
        let found = copied(&mut demonstration(LARGE), keys);
        assert_eq!(
            found.as_ref().map(|found| (found.what.as_str(), found.text.as_str())),
            Ok((what, expected)),
            "{keys}"
        );
    }
    let broken = copied(&mut demonstration(LARGE), "c c y j").expect("as far as it goes");
    assert_eq!((broken.what.as_str(), broken.form), ("the parameters that have arrived", Some("JSON")));
    for (keys, expected) in [
        ("y j", "no call is selected; c goes to the next one"),
        ("c y v", "no argument is selected; c goes to a call, j to its arguments"),
        ("c y r", "the call has no result"),
        ("y r", "no call is selected"),
        ("c y c", "not a file: no command can open this text"),
    ] {
        let said = copied(&mut demonstration(LARGE), keys).expect_err(keys);
        assert!(said.contains(expected), "{keys} says {said}");
    }
}

/// A prompt in another program, and text that a prematurely ended paste would type into it.
const HOSTILE: &str = "Run \u{1b}[201~rm -rf ~\r\u{202e}.\n!!!GADGET_START:Do\u{9b}31m:a\u{200b}b\n!!!ARG:x\u{7}\n\
    one\ttwo\r\n\u{1b}[31mred\u{1b}[0m\u{1b}]52;c;eA==\u{7}\n!!!GADGET_END\n";

#[test]
fn a_copy_is_safe_to_paste_and_the_exact_bytes_are_kept_beside_it() {
    let player = |keys: &str| {
        let mut player = Player::with_text("ho\u{1b}[201~stile", HOSTILE.as_bytes(), usize::MAX, LARGE);
        player.press(keys);
        player
    };
    for (keys, expected, unsafe_count) in [
        ("y y", "Run ␛[201~rm -rf ~␍<U+202E>.", 3),
        ("c y y", "!!!GADGET_START:Do<9B>31m:a<U+200B>b\n!!!ARG:x␇\none\ttwo\r\nred␛]52;c;eA==␇\n!!!GADGET_END\n", 7),
        ("c l y v", "one\ttwo\r\nred␛]52;c;eA==␇", 4),
        ("c l y p", "x␇", 1),
        ("c y l", "ho␛[201~stile:2:1", 1),
    ] {
        let found = copied(&mut player(keys.rsplit_once(" y ").map_or("", |(keys, _)| keys)), &keys[keys.len() - 3..]);
        let found = found.expect("it can be copied");
        assert_eq!((found.text.trim_end_matches('\n'), keys), (expected.trim_end_matches('\n'), keys));
        let exact = found.exact.expect("something was replaced");
        assert_eq!(exact.unsafe_count, unsafe_count, "{keys}");
        let bytes = String::from_utf8(exact.bytes).expect("they are UTF-8");
        assert!(HOSTILE.contains(&bytes) || keys == "c y l", "{keys}: {bytes:?}");
    }
    let json = copied(&mut player("c"), "y j").expect("parameters");
    assert!(json.exact.is_none() && json.text.contains("\\u001b[31mred"), "JSON escapes them: {json:?}");
    assert_eq!(player("").press("Y"), [Effect::Run(Task::CopyExact)]);
}

#[test]
fn bytes_that_are_not_utf8_are_copied_exactly() {
    let mut player = Player::with_text("bytes", b"a\xff\xc3(\n", usize::MAX, LARGE);
    let found = copied(&mut player, "y b").expect("a text");
    assert_eq!(found.text, "a<FF><C3>(\n");
    assert_eq!(found.exact.map(|exact| exact.bytes), Some(b"a\xff\xc3(\n".to_vec()));
}

#[test]
fn a_place_in_a_recorded_session_is_that_of_its_file() {
    let path = "containers/claude-code/late-ferry.jsonl";
    let mut player = Player::with_text(path, &sample(path), usize::MAX, LARGE);
    player.state.view.origin.path = Some("runs/late ferry.jsonl".into());
    let place = copied(&mut player, "c y l").expect("a place");
    let offset = player.state.view.selection.offset;
    let position = player.state.view.session.position(offset);
    assert_eq!(place.text, format!("runs/late ferry.jsonl:{}:{}", position.line, position.column));
    assert!(position.line > 1 && position.column > 100, "it lies in a record: {}", place.text);
    let command = copied(&mut player, "y c").expect("a command");
    let expected = format!("transcope --at {}:{} 'runs/late ferry.jsonl'", position.line, position.column);
    assert_eq!(command.text, expected);
    let result = copied(&mut player, "y r").expect("a result");
    let of_result = copied(&mut player, "r y b").expect("the same");
    assert_eq!((result.what.as_str(), result.text), ("the result", of_result.text));
}
