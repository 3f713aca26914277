//! A random walk over all screens, as a state machine: whatever is pressed, clicked, pasted, resized, arrives or
//! vanishes, in any order, the screen stays consistent.
//!
//! The keys come from the key table. A failing walk is reduced to the steps that are needed. For a long one:
//! `PROPTEST_CASES=20000 cargo test --test tui walk`. Independent of how a screen is drawn.

mod order;
mod world;

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngSeed, TestRunner};
use ratatui::buffer::Buffer;
use transcope::source::SourceEvent;
use transcope::tui::action::{Action, Motion};
use transcope::tui::input::InputMode;
use transcope::tui::keymap::Meaning;
use transcope::tui::message::Msg;

use super::corpus::Folder;
use super::figures::{self, Promise};
use super::player::keys_of;
use super::{sample, samples};
use order::{copies_are_safe, says_something, selects, shows_selection};
pub use order::{is_sound, panes_agree};
use world::World;

/// Walks of a short run.
const WALKS: u32 = 40;

/// Most steps of a walk.
const STEPS: usize = 80;

/// Most bytes of a sample that a walk begins with.
const LARGEST: usize = 30_000;

/// Most presses of Esc that are needed to leave everything.
const ESCAPES: usize = 10;

/// Text that would affect a terminal, in calls whose names would too.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{202e}Run e\u{301}\u{301}\u{301}\u{200b} \u{1b}[201~q\r\u{9b}31m שלום 日本語\n\
    !!!GADGET_START:D\u{1b}[2Jo\u{202e}:a\u{200b}:b\n!!!ARG:x/0/\u{7}y\none\ttwo\r\n\u{1b}[31mred\u{1b}[0m 👨‍👩‍👧‍👦\n\
    !!!ARG:x/2\n1\n!!!GADGET_END\n<tool_call>\n{\"name\": \"\\u001b[2J\", \"arguments\": {\"\\u202e\": \"\\u0000\"}}\n</tool_call>\n";

/// The start of a walk.
#[derive(Clone, Debug)]
struct Start {
    /// The size of the screen.
    size: (u16, u16),
    place: Place,
    /// The sample that arrives, and a complete one.
    texts: [Index; 2],
    /// The first keys.
    keys: &'static str,
}

/// The screen that a walk begins with.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A text that is still arriving.
    Followed,
    /// The same, with a complete text in another tab, which is shown.
    Two,
    /// A list of sessions.
    List,
    /// Statistics of these sessions.
    Statistics,
    /// Statistics from an index.
    Indexed,
    /// A chat template with its prompt.
    Template,
}

/// The next step.
#[derive(Clone, Debug)]
enum Step {
    /// The keys in a row of the table for the current screen.
    Bound(Index),
    /// A key without a row there, or a typed one.
    Key(KeyCode, KeyModifiers),
    /// Consecutive keys, as [`keys_of`] reads them.
    Words(&'static str),
    /// A count for the next key.
    Count(u16),
    Click(u16, u16),
    Drag(u16, u16),
    Wheel(u16, u16, i8),
    Paste(&'static str),
    Resize(u16, u16),
    /// The window is resized, and a frame is drawn before the event is delivered.
    ResizeLate(u16, u16),
    /// This many more bytes of the followed text arrive.
    Arrives(usize),
    Source(SourceStep),
    /// A file of the folder gets other contents, or none, or is deleted.
    File(Index, FileStep),
    /// The program is notified of files.
    FilesFound,
    /// Another program has saved the file that is edited.
    Reloaded,
    Theme(&'static str),
    Time(u16),
    /// Esc until keys have their usual meaning.
    Escape,
}

/// An event of a source other than bytes.
#[derive(Clone, Copy, Debug)]
enum SourceStep {
    Restarts,
    Loses,
    Deleted,
    CaughtUp,
    Aside,
    Ends,
    Fails,
}

/// A change of a file.
#[derive(Clone, Copy, Debug)]
enum FileStep {
    Replaced,
    Emptied,
    Deleted,
}

/// Text that is typed, whether into a prompt or not.
const WORDS: [&str; 20] = [
    "/the⏎",
    "/[a-z]+\\s⏎",
    "/日本⏎",
    "/(⏎",
    ":40⏎",
    ":50%⏎",
    ":x⏎",
    ":next-er Tab Enter",
    "/ab Left Backspace",
    "& Tab Enter",
    "&failed⏎",
    "&tool:x⏎ or",
    "Afine⏎",
    "ctrl-p copy Down Down Enter",
    "!<<<⏎",
    "Sone⏎",
    "ctrl-s a.txt⏎",
    "Wreport.html⏎",
    "⏎",
    "j",
];

const PASTES: [&str; 6] = [
    "two\nlines",
    "\u{1b}[201~q\r\u{202e}\u{7}",
    "!!!GADGET_START:Pasted\n!!!ARG:x\n1\n!!!GADGET_END\n",
    "",
    "e\u{301}\u{301}\u{301}👨‍👩‍👧‍👦",
    "name: mine\nmarkers: [",
];

fn start() -> impl Strategy<Value = Start> {
    let size = prop_oneof![3 => Just((80, 24)), 2 => Just((120, 40)), 1 => Just((40, 10))];
    let place = select(vec![
        Place::Followed,
        Place::Followed,
        Place::Two,
        Place::Two,
        Place::List,
        Place::Statistics,
        Place::Indexed,
        Place::Template,
    ]);
    let keys = select(vec!["", "", "P", "i", "I", "V", "D", "alt-n", "L", "?", "R", "v", "$", "#", "d", "s"]);
    (size, place, any::<[Index; 2]>(), keys).prop_map(|(size, place, texts, keys)| Start { size, place, texts, keys })
}

fn step() -> impl Strategy<Value = Step> {
    let cell = || (0..125_u16, 0..42_u16);
    let size = || prop_oneof![1 => Just((1, 1)), 2 => Just((80, 24)), 4 => (0..221_u16, 0..71_u16)];
    let code = select(vec![
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageDown,
        KeyCode::F(5),
        KeyCode::Char('y'),
        KeyCode::Char('x'),
        KeyCode::Char('z'),
        KeyCode::Char('é'),
        KeyCode::Char('c'),
    ]);
    let modifiers = prop_oneof![6 => Just(KeyModifiers::NONE), 2 => Just(KeyModifiers::CONTROL), 1 => Just(KeyModifiers::ALT), 1 => Just(KeyModifiers::SHIFT)];
    let source = select(vec![
        SourceStep::Restarts,
        SourceStep::Loses,
        SourceStep::Deleted,
        SourceStep::CaughtUp,
        SourceStep::Aside,
        SourceStep::Ends,
        SourceStep::Fails,
    ]);
    let file = select(vec![FileStep::Replaced, FileStep::Emptied, FileStep::Deleted]);
    prop_oneof![
        40 => any::<Index>().prop_map(Step::Bound),
        8 => (code, modifiers).prop_map(|(code, modifiers)| Step::Key(code, modifiers)),
        8 => select(WORDS.to_vec()).prop_map(Step::Words),
        1 => prop_oneof![1..30_u16, any::<u16>()].prop_map(Step::Count),
        4 => cell().prop_map(|(x, y)| Step::Click(x, y)),
        2 => cell().prop_map(|(x, y)| Step::Drag(x, y)),
        3 => (cell(), -9..=9_i8).prop_map(|((x, y), turns)| Step::Wheel(x, y, turns)),
        2 => select(PASTES.to_vec()).prop_map(Step::Paste),
        2 => size().prop_map(|(width, height)| Step::Resize(width, height)),
        1 => size().prop_map(|(width, height)| Step::ResizeLate(width, height)),
        8 => (1..3000_usize).prop_map(Step::Arrives),
        2 => source.prop_map(Step::Source),
        2 => (any::<Index>(), file).prop_map(|(index, step)| Step::File(index, step)),
        1 => Just(Step::FilesFound),
        1 => Just(Step::Reloaded),
        1 => select(vec!["dark", "light", "mono"]).prop_map(Step::Theme),
        2 => any::<u16>().prop_map(Step::Time),
        2 => Just(Step::Escape),
    ]
}

/// The program, and the text that is still to arrive.
struct Walker {
    world: World,
    arriving: Vec<u8>,
    /// The steps so far, as text.
    trace: Vec<String>,
    /// True if a key has moved the selection in the last step.
    has_moved: bool,
}

/// A text by index: the hostile one, or one of the samples that are not too large.
fn text(index: Index) -> Vec<u8> {
    let paths = samples();
    let path = index.get(&paths);
    let bytes = sample(path);
    if bytes.len() > LARGEST || path.len().is_multiple_of(7) { HOSTILE.repeat(3).into_bytes() } else { bytes }
}

impl Walker {
    fn new(start: &Start) -> Self {
        let [arriving, there] = start.texts.map(text);
        let files = [
            ("there.txt", there),
            ("\u{1b}[2J\u{202e}hostile.txt", HOSTILE.into()),
            ("demo.txt", sample("demo.txt")),
            ("late-ferry.jsonl", sample("containers/claude-code/late-ferry.jsonl")),
            ("chat.jinja", super::templates::HOSTILE_TEMPLATE.into()),
        ];
        let folder = Folder::new(&files);
        let path = folder.sessions().join("there.txt");
        let world = match start.place {
            Place::Followed => World::following(folder, start.size),
            Place::Two => {
                let mut world = World::following(folder, start.size);
                world.opens(&path);
                world
            }
            Place::List => World::listing(folder, start.size),
            Place::Statistics => World::counting(folder, start.size),
            Place::Indexed => World::counting(folder.indexed(), start.size),
            Place::Template => World::rendering(folder, start.size),
        };
        let mut walker = Self { world, arriving, trace: Vec::new(), has_moved: false };
        walker.arrives(500);
        walker.world.frame();
        for key in start.keys.split_whitespace().flat_map(keys_of) {
            walker.key(key);
        }
        walker
    }

    fn arrives(&mut self, count: usize) {
        let bytes: Vec<u8> = self.arriving.drain(..count.min(self.arriving.len())).collect();
        if !bytes.is_empty() {
            self.world.arrives(&bytes);
        }
    }

    fn key(&mut self, key: KeyEvent) {
        let answers = self.world.preview.is_some() || self.world.tabs.question().is_some();
        let mut is_motion = false;
        self.has_moved = match self.world.tabs.shown().input_mode() {
            InputMode::Keys(keys, typed) if typed.is_empty() && !answers => {
                let name = transcope::tui::keymap::key_name(key);
                match self.world.tabs.keymap.meaning(keys, &name) {
                    // The end of a text is shown although the call that contains it may begin above.
                    Meaning::Action(Action::Move(motion)) => {
                        is_motion = true;
                        motion != Motion::Bottom
                    }
                    Meaning::Action(action) => {
                        matches!(action, Action::Call(_) | Action::Problem(_) | Action::Match(_))
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        let selection = |world: &World| world.tabs.text().map(|text| text.view.selection);
        let before = selection(&self.world);
        self.world.key(key);
        // Without a further call, a text keeps its scroll position.
        self.has_moved &= is_motion || before.is_none() || before != selection(&self.world);
        copies_are_safe(self.world.asked.as_ref());
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        self.world.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    /// Does a step, and adds it to the trace.
    fn take(&mut self, step: &Step) {
        self.has_moved = false;
        let words = match step {
            Step::Bound(index) => match self.world.tabs.shown().input_mode() {
                InputMode::Keys(keys, _) => {
                    let all: Vec<String> =
                        self.world.tabs.keymap.bindings(keys).flat_map(|binding| binding.keys.clone()).collect();
                    index.get(&all).replace("a-z", "q")
                }
                InputMode::Prompt(_) => "Enter".to_owned(),
                InputMode::Text => "x".to_owned(),
            },
            Step::Words(words) => (*words).to_owned(),
            Step::Count(count) => count.to_string(),
            other => format!("{other:?}"),
        };
        self.trace.push(words.clone());
        match *step {
            Step::Bound(_) | Step::Words(_) | Step::Count(_) => {
                for key in words.split_whitespace().flat_map(keys_of) {
                    self.key(key);
                }
            }
            Step::Key(code, modifiers) => self.key(KeyEvent::new(code, modifiers)),
            Step::Click(x, y) => self.mouse(MouseEventKind::Down(MouseButton::Left), x, y),
            Step::Drag(x, y) => self.mouse(MouseEventKind::Drag(MouseButton::Left), x, y),
            Step::Wheel(x, y, turns) => {
                let kind = if turns > 0 { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp };
                (0..turns.abs()).for_each(|_| self.mouse(kind, x, y));
            }
            Step::Paste(text) => self.world.event(Event::Paste(text.to_owned())),
            Step::Resize(width, height) => {
                self.world.resizes_window(width, height);
                self.world.event(Event::Resize(width, height));
            }
            Step::ResizeLate(width, height) => {
                self.world.resizes_window(width, height);
                is_sound(&self.world.frame(), "late");
                self.world.event(Event::Resize(width, height));
            }
            Step::Arrives(count) => self.arrives(count),
            Step::Source(step) => self.source(step),
            Step::File(ref index, step) => {
                let name = index.get(&["there.txt", "demo.txt", "late-ferry.jsonl", "chat.jinja", "new.txt"]);
                let bytes = match step {
                    FileStep::Replaced => Some(HOSTILE.as_bytes()),
                    FileStep::Emptied => Some(&b""[..]),
                    FileStep::Deleted => None,
                };
                self.world.changes_file(name, bytes);
            }
            Step::FilesFound => {
                self.world.finds_files();
                self.world.looks_into_files();
            }
            Step::Reloaded => self.world.says(Msg::Reloaded(HOSTILE.to_owned())),
            Step::Theme(name) => self.world.looks(name),
            Step::Time(milliseconds) => self.world.time_passes(Duration::from_millis(milliseconds.into())),
            Step::Escape => self.escapes(),
        }
        self.world.works();
    }

    fn source(&mut self, step: SourceStep) {
        let event = match step {
            SourceStep::Restarts => return self.world.begins_anew(),
            SourceStep::Loses => return self.world.loses(),
            SourceStep::Deleted => SourceEvent::Notice("the file was deleted".into()),
            SourceStep::CaughtUp => SourceEvent::CaughtUp,
            SourceStep::Aside => SourceEvent::Stderr(Box::new(SourceEvent::Chunk(HOSTILE.into()))),
            SourceStep::Ends => SourceEvent::End,
            SourceStep::Fails => SourceEvent::Failed("the disk is gone".into()),
        };
        self.world.source_says(event);
    }

    /// Checks that Esc leads to where keys have their usual meaning, and never quits the program.
    fn escapes(&mut self) {
        for _ in 0..ESCAPES {
            self.key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
            let asked = self.world.asked.as_ref();
            assert!(!matches!(asked, Some(transcope::tui::message::Task::Quit)), "Esc leaves the program");
        }
        let chrome = self.world.tabs.shown().chrome();
        let is_out = chrome.help.is_none() && chrome.prompt.is_none() && chrome.typed.is_empty();
        let is_out = is_out && self.world.preview.is_none() && self.world.tabs.question().is_none();
        assert!(is_out, "Esc does not lead back");
        assert!(matches!(self.world.tabs.shown().input_mode(), InputMode::Keys(..)), "keys are still typed");
    }

    /// Checks the properties that hold after every step.
    fn check(&mut self) {
        let frame = self.world.frame();
        is_sound(&frame, "");
        // Lost pages are discovered one by one.
        let again = self.world.frame();
        let is_same = self.world.has_lost || frame == again;
        assert!(is_same, "the same is drawn in another way the second time: {}", first_difference(&frame, &again));
        assert!(!self.world.tabs.shown().title().name.is_empty(), "no tab is shown");
        let is_covered = self.world.preview.is_some() || self.world.tabs.question().is_some();
        says_something(&frame, self.world.tabs.size);
        if self.has_moved && !is_covered && self.world.tabs.text().is_none_or(selects) {
            shows_selection(&frame, self.world.tabs.shown(), &self.world.theme);
        }
        if let Some(text) = self.world.tabs.text().filter(|_| !self.world.has_lost) {
            panes_agree(text, "");
        }
    }
}

/// The first row in which two frames differ, as text of both.
fn first_difference(one: &Buffer, other: &Buffer) -> String {
    let [one, other] = [one, other].map(super::text_of);
    let pair = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    pair.map_or_else(|| "only styles differ".to_owned(), |(one, other)| format!("{one:?}, then {other:?}"))
}

#[test]
fn whatever_is_done_the_screen_stays_in_order() {
    // A short run is the same each time.
    let short = ProptestConfig { cases: WALKS, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() };
    let config = if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default() } else { short };
    let config = ProptestConfig { max_shrink_iters: 4000, failure_persistence: None, ..config };
    let walks = (start(), vec(step(), 1..STEPS));
    let taken = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&walks, |(start, steps)| {
        let walker = std::cell::RefCell::new(Walker::new(&start));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut walker = walker.borrow_mut();
            walker.check();
            for step in &steps {
                walker.take(step);
                walker.check();
                taken.set(taken.get() + 1);
            }
            walker.trace.push("Esc until out".to_owned());
            walker.escapes();
        }));
        let walker = walker.into_inner();
        result.map_err(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            TestCaseError::fail(format!("{} after {}", words.unwrap_or_default(), walker.trace.join(", ")))
        })
    });
    figures::tell(Promise::Keys, "steps", taken.get());
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
