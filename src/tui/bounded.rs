//! Tests that a key or a frame examines only what is visible, however large the text. Steps are counted, not timed.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::source::{CHUNK, SourceEvent};
use crate::text::steps;

use crate::tui::input;
use crate::tui::message::Msg;
use crate::tui::screen::Screen as _;
use crate::tui::screen::transcript::Transcript;
use crate::tui::screen::transcript::prepare;
use crate::tui::theme::Theme;
use crate::tui::view::origin::TextOrigin;

/// Maximum number of nodes, rows and problems examined for a key and the frame after it.
const BOUND: usize = 50_000;

/// The same for a key that lays everything out again: it may visit everything unfolded once.
const ANEW: usize = 250_000;

fn key(name: &str) -> Event {
    let (code, modifiers) = match name {
        "PageDown" => (KeyCode::PageDown, KeyModifiers::NONE),
        "PageUp" => (KeyCode::PageUp, KeyModifiers::NONE),
        "End" => (KeyCode::End, KeyModifiers::NONE),
        "Tab" => (KeyCode::Tab, KeyModifiers::NONE),
        "Enter" => (KeyCode::Enter, KeyModifiers::NONE),
        letter if let Some(digit) = letter.strip_prefix("alt-") => {
            (KeyCode::Char(digit.chars().next().expect("a digit")), KeyModifiers::ALT)
        }
        letter => (KeyCode::Char(letter.chars().next().expect("a key has a name")), KeyModifiers::NONE),
    };
    Event::Key(KeyEvent::new(code, modifiers))
}

#[track_caller]
fn check(name: &str, text: &str) {
    let session = Session::new(Container::default(), &Options::default());
    let mut state = Transcript::new(session, Options::default(), TextOrigin::default(), (120, 40));
    let theme = Theme::named("dark").expect("a built-in theme");
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("a buffer takes everything");
    let mut frame = |state: &mut Transcript| {
        _ = prepare(state);
        terminal.draw(|frame| state.draw(frame, &theme)).expect("a buffer takes everything");
        drop(state.view.cache.borrow_mut().take_wanted());
    };
    for chunk in text.as_bytes().chunks(CHUNK) {
        state.update(Msg::Source(SourceEvent::Chunk(chunk.to_vec())));
    }
    state.update(Msg::Source(SourceEvent::End));
    frame(&mut state);
    let mut press = |keys: &str, bound: usize| {
        for name in keys.split(' ') {
            let looked_at = steps::of(|| {
                if let Some(happened) = input::message(state.input_mode(), key(name), &state.chrome.keymap) {
                    state.update(happened);
                }
                frame(&mut state);
            });
            assert!(looked_at <= bound, "{name} looks at {looked_at} in {name}, {keys}");
        }
        while state.work() {}
    };
    let moving = "j j k PageDown PageDown PageUp G k k j g n j";
    for pane in ["alt-1", "alt-2", "alt-3"] {
        press(pane, BOUND);
        press(moving, BOUND);
    }
    // Folding in the outline and in the reading pane.
    for pane in ["alt-1", "alt-2"] {
        press(pane, BOUND);
        press("g n l l j j h h l j j", ANEW);
        press(moving, BOUND);
    }
    // Details of the selection, its bytes, and the problems.
    press("d j j alt-3 j j l l p j j G", ANEW);
    press("/ 9 9 9 Enter n n N", ANEW);
    for size in [(100, 30), (60, 20), (160, 50)] {
        let looked_at = steps::of(|| {
            state.update(Msg::Resize(size.0, size.1));
            prepare(&mut state);
        });
        assert!(looked_at <= BOUND, "{name}: a resized window looks at {looked_at}");
    }
}

fn hermes(arguments: &str) -> String {
    format!("Text.\n<tool_call>\n{{\"name\": \"f\", \"arguments\": {arguments}}}\n</tool_call>\nMore.\n")
}

#[test]
fn a_million_siblings_cost_what_is_visible() {
    check("an array", &hermes(&format!("{{\"a\": [{}0]}}", "1,".repeat(1_000_000))));
}

#[test]
fn a_million_keys_cost_what_is_visible() {
    let keys: Vec<String> = (0..1_000_000).map(|number| format!("\"k{number}\":0,")).collect();
    let keys = keys.concat();
    check("an object", &hermes(&format!("{{{keys}\"z\": 1}}")));
    let lines: Vec<String> = (0..90_000).map(|number| format!("\"k{number}\": \"a\\nb\",\n")).collect();
    let lines = lines.concat();
    check("an object on lines", &hermes(&format!("{{{lines}\"z\": 1}}")));
}

#[test]
fn a_hundred_thousand_levels_cost_what_is_visible() {
    const LEVELS: usize = 100_000;
    check("arrays", &hermes(&format!("{{\"a\": {}{}}}", "[".repeat(LEVELS), "]".repeat(LEVELS))));
    check("pointers", &format!("!!!GADGET_START:f\n!!!ARG:{}x\n1\n!!!GADGET_END\n", "a/".repeat(LEVELS)));
}

#[test]
fn a_hundred_thousand_problems_cost_what_is_visible() {
    check("arguments", &format!("!!!GADGET_START:f\n{}!!!GADGET_END\n", "!!!ARG:a\n1\n".repeat(150_000)));
}
