//! Keys, clicks, sizes and pieces of a text in any order: the screen stays sound, and its panes agree.

use transcope::container::Container;
use transcope::source::SourceEvent;
use transcope::tui::screen::transcript::replay::replay;

use super::chance::Chance;
use super::player::Player;
use super::{SMALL, sample, samples, sound};

/// What is pressed at random: every key of the table but those that leave, and some lines to be typed.
const KEYS: [&str; 71] = [
    "F",
    "$",
    "$",
    "9",
    ".",
    ".",
    ",",
    "u",
    "P",
    ":50%⏎",
    "o",
    "O",
    "r",
    "R",
    "R",
    "B",
    "|",
    "j",
    "j",
    "j",
    "k",
    "k",
    "ctrl-d",
    "ctrl-u",
    "Space",
    "b",
    "g",
    "G",
    "e",
    "e",
    "E",
    "c",
    "c",
    "C",
    "n",
    "N",
    "l",
    "l",
    "h",
    "h",
    "Enter",
    "Enter",
    "-",
    "+",
    "Tab",
    "BackTab",
    "1",
    "2",
    "3",
    "p",
    "d",
    "i",
    "a",
    "t",
    "z",
    "Z",
    "w",
    "T",
    "y",
    "?",
    "Esc",
    "Esc",
    "ctrl-l",
    "/the⏎",
    "/[a-z]+\\s⏎",
    "/日本⏎",
    "/(⏎",
    ":40⏎",
    ":x⏎",
    "/ab Left Backspace",
    "⏎",
];

#[test]
fn whatever_is_pressed_the_screen_is_sound() {
    for path in samples() {
        let text = sample(&path);
        let mut player = Player::with_text(&path, &text, usize::MAX, SMALL);
        press_at_random(&path, &mut player, 200, None);
    }
}

#[test]
fn whatever_is_pressed_while_a_text_arrives_the_screen_is_sound() {
    for path in samples() {
        let text = sample(&path);
        let mut player = Player::following(&path, "", SMALL);
        press_at_random(&path, &mut player, 100, Some(&text));
    }
}

#[test]
fn whatever_is_pressed_in_a_replay_the_screen_is_sound() {
    for path in samples() {
        let mut player = Player::new(&path, SMALL);
        let played = replay(&player.state, &path, sample(&path).into(), Container::default(), Some(300));
        player.state = played;
        player.press("P");
        press_at_random(&path, &mut player, 100, None);
    }
}

/// What a source says now and then.
const RARE: [fn() -> SourceEvent; 4] = [
    || SourceEvent::Restarted("the file was truncated".into()),
    || SourceEvent::Notice("the file was deleted".into()),
    || SourceEvent::CaughtUp,
    || SourceEvent::Chunk(b"\n!!!ARG:late\n1".to_vec()),
];

/// Presses keys, clicks and changes the size; between them the bytes of `arriving` come in pieces.
fn press_at_random(path: &str, player: &mut Player, steps: usize, arriving: Option<&[u8]>) {
    let mut chance = Chance(path.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)));
    let pieces = arriving.map(|text| text.chunks(text.len() / steps + 1)).into_iter().flatten();
    let mut pieces = pieces.map(<[u8]>::to_vec);
    for step in 0..steps {
        if let Some(piece) = pieces.next() {
            player.source(SourceEvent::Chunk(piece));
        }
        let (column, row) =
            (chance.below(player.state.chrome.size.0 + 3), chance.below(player.state.chrome.size.1 + 3));
        let done = match chance.below(if arriving.is_some() { 21 } else { 20 }) {
            0..=13 => {
                let keys = chance.one_of(&KEYS);
                player.press(keys);
                keys.to_owned()
            }
            14 | 15 => {
                player.click(column, row);
                player.drag(column + 5, row);
                format!("a click at {column}, {row}, and a drag from there")
            }
            16 | 17 => {
                player.wheel(column, row, chance.one_of(&[-9, -1, 1, 9]));
                format!("the wheel at {column}, {row}")
            }
            18 => {
                let (width, height) = (chance.below(221), chance.below(71));
                player.resize(width, height);
                format!("resized to {width}x{height}")
            }
            20 => {
                player.source(chance.one_of(&RARE)());
                "the source says something rare".to_owned()
            }
            _ => {
                let (width, height) = (chance.below(221), chance.below(71));
                player.resize_window(width, height);
                let late = player.frame();
                sound(&late, &format!("{path}, step {step}: before it is known that it is {width}x{height}"));
                player.resize(width, height);
                format!("resized late to {width}x{height}")
            }
        };
        let place = format!("{path}, step {step}: {done}");
        sound(&player.frame(), &place);
        linked(player, &place);
    }
}

/// What is selected is the same in outline, reading and raw.
pub fn linked(player: &Player, place: &str) {
    use transcope::tui::pane::Pane as _;
    let state = &player.state;
    let selection = state.view.selection;
    let Some(item) = state.view.session.document().items().get(selection.item) else {
        assert!(state.view.session.document().items().is_empty(), "{place}: {selection:?} is no item");
        return;
    };
    let span = item.span();
    let end = if state.view.session.pending().start == span.end { state.view.session.text().len() } else { span.end };
    assert!((span.start..=end).contains(&selection.offset), "{place}: {selection:?} is not in {span:?}");
    let (view, panes) = (&state.view, &state.panes);
    if view.is_filtered_out(selection.item) {
        // A search, a problem or a click in the raw pane leads to what a filter hides.
        return;
    }
    let blank = view.session.text().read(span).iter().all(u8::is_ascii_whitespace);
    let outline = panes.outline.selected(view).unwrap_or_else(|| panic!("{place}: no row of the outline is selected"));
    let target = outline.target.expect("a row that is selected leads somewhere");
    // What has no row of its own is shown by the nearest one above.
    if !blank && !outline.is_heading && !view.is_hidden(selection.item) {
        // The row of a call says what came of it.
        let call = match item {
            transcope::document::Item::Result(answer) => answer.call.map(|(call, _)| call),
            _ => None,
        };
        // A heading, and what a record says behind a result, may have no row.
        let is_record = matches!(&item, transcope::document::Item::Aside(aside) if aside.name.is_some());
        let is_above = is_record && target.item < selection.item;
        let is_shown = target.item == selection.item || call == Some(target.item) || is_above;
        assert!(is_shown, "{place}: in the outline {} and not {}", target.item, selection.item);
    }
    if let Some(reading) = panes.reading.selected(view) {
        let target = reading.target.expect("a row that is selected leads somewhere");
        assert_eq!(target.item, selection.item, "{place}: in the reading pane");
    } else {
        // The raw pane alone shows what was abandoned.
        let is_shown = !blank && !view.is_hidden(selection.item);
        assert!(!is_shown, "{place}: no row of the reading pane is selected");
    }
    let Some(raw) = panes.raw.selected(view) else {
        // A piece of a recorded session has begun that has no byte yet.
        assert!(view.session.text().is_empty(), "{place}: no raw line is selected");
        return;
    };
    let target = raw.target.expect("a raw row leads to its first byte");
    // What is about to come begins after the last line.
    let last = view.session.lines().count().saturating_sub(1);
    let line = |offset: usize| view.session.lines().around(view.session.text(), offset).0.min(last);
    // A line of the file may hold many lines of the text.
    assert!(view.in_file || line(target.offset) == line(selection.offset), "{place}: the raw line");
}
