//! Handling of discovery events, and indexing of files.

use std::fs;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::container::facts::{Relation, Timestamp};
use crate::container::{self, Container};
use crate::dialect::Options;
use crate::text::steps;

use super::*;
use crate::location::Location;
use crate::tui::action::{Action, Motion};
use crate::tui::discovery::finder::{Root, find};
use crate::tui::discovery::indexer::{Indexer, Tell};
use crate::tui::discovery::line_matches::MatchedLine;
use crate::tui::discovery::{DiscoveryEvent, FileChange, FileSummary};
use crate::tui::message::{Effect, Msg, Navigation};
use crate::tui::screen::Screen;
use crate::tui::screen::sessions::update::{arrive, prepare};
use crate::wording::activity::RunningCall;

pub(super) const CLAUDE: &str =
    r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Hello there"}}"#;

fn screen() -> SessionsScreen {
    let mut screen = SessionsScreen::new(3, "~/sessions".into(), Calendar::default());
    screen.chrome.size = (80, 24);
    screen
}

/// A file with a name, an age in minutes, a size, and its first bytes.
fn listed((name, age, size, head): (&str, u64, u64, &str)) -> ListedFile {
    ListedFile {
        path: PathBuf::from("/sessions").join(name),
        name: name.to_owned(),
        at_root: !name.contains('/'),
        size,
        modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age * 60)),
        kind: container::detect_container(head.as_bytes(), true),
    }
}

pub(super) fn told(files: &[(&str, u64, u64, &str)]) -> SessionsScreen {
    let mut screen = screen();
    arrive(&mut screen, DiscoveryEvent::Found(files.iter().copied().map(listed).collect()));
    prepare(&mut screen);
    screen
}

pub(super) fn act(screen: &mut SessionsScreen, action: Action) -> Option<Effect> {
    let effect = screen.update(Msg::Action(action));
    prepare(screen);
    effect
}

/// The names of the lines, with `*` before the chosen one.
pub(super) fn names(screen: &mut SessionsScreen) -> Vec<String> {
    prepare(screen);
    let name = |line: &ListLine| match *line {
        ListLine::File(number) => screen.entries[number].file.name.clone(),
        ListLine::Match(number, line) => {
            text_search::row(&screen.entries[number].found.as_ref().expect("it was searched").lines[line])
                .iter()
                .map(|piece| piece.text.as_str())
                .collect::<String>()
                .trim_start()
                .to_owned()
        }
        ListLine::Folder(number) => format!("{}/", screen.folders[number].name),
        ListLine::Note(number) => format!("! {}", screen.notes[number]),
        ListLine::Project(number) => format!("{}:", screen.projects[number]),
        ListLine::Demonstration => "demonstration".into(),
    };
    let chosen = screen.chosen();
    screen.rows.lines.iter().map(|line| if Some(*line) == chosen { "*" } else { "" }.to_owned() + &name(line)).collect()
}

/// A summary of a file whose calls have all failed.
fn look(number: usize, calls: usize, errors: usize) -> DiscoveryEvent {
    summary(number, None, FileContent::Counted(FileTally { calls, failures: calls, errors, warnings: 0 }))
}

/// A session with this id that was read to its end, listed under the one that it `continues`.
pub(super) fn read(number: usize, id: &str, continues: Option<&str>) -> DiscoveryEvent {
    let links = continues.map(|of| (Relation::Continues, of.into())).into_iter().collect();
    let session = SessionSummary { id: Some(id.into()), links, ..SessionSummary::default() };
    summary(number, Some(session), FileContent::Counted(FileTally::default()))
}

pub(super) fn summary(number: usize, session: Option<SessionSummary>, content: FileContent) -> DiscoveryEvent {
    let session = session.map(Box::new);
    DiscoveryEvent::Summary(FileSummary { number, kind: None, words: String::new(), session, content, selected: None })
}

#[test]
fn a_session_is_listed_under_another_one_whichever_is_read_first() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut screen = told(&THREE);
        for number in order {
            arrive(&mut screen, read(number, ["a", "b", "c"][number], [None, Some("a"), Some("b")][number]));
            prepare(&mut screen);
        }
        assert_eq!(names(&mut screen), ["*middle"], "{order:?}");
        act(&mut screen, Action::Open);
        assert_eq!(names(&mut screen), ["*middle", "new", "old"], "{order:?}");
        act(&mut screen, Action::Close);
        assert_eq!(names(&mut screen), ["*middle"], "{order:?}");
    }
}

#[test]
fn ten_thousand_sessions_are_arranged_as_they_are_found_and_not_for_each_that_is_read() {
    const COUNT: usize = 10_000;
    const BATCH: usize = 256;
    let mut list = screen();
    let names: Vec<String> = (0..COUNT).map(|number| format!("s-{}/subagents/{number}.jsonl", number / 2)).collect();
    let files: Vec<ListedFile> = names.iter().map(|name| listed((name, 1, 1, CLAUDE))).collect();
    let found = steps::of(|| {
        for batch in files.chunks(BATCH) {
            arrive(&mut list, DiscoveryEvent::Found(batch.to_vec()));
            prepare(&mut list);
        }
    });
    assert!(found <= COUNT * (COUNT / BATCH + 1), "once for each batch: {found}");
    let read = steps::of(|| {
        for number in 0..COUNT {
            arrive(&mut list, read(number, &format!("id-{number}"), None));
            prepare(&mut list);
        }
    });
    assert!(read <= 4 * COUNT, "for new columns alone: {read}");
    let mut screen = screen();
    arrive(&mut screen, DiscoveryEvent::Found(files));
    let copied = steps::of(|| {
        for number in 0..COUNT {
            let end = Timestamp::UNIX_EPOCH + Duration::from_secs(number as u64);
            let session = SessionSummary { times: Some((end, end)), ..SessionSummary::default() };
            let content = FileContent::Counted(FileTally::default());
            arrive(&mut screen, summary(number, Some(session), content));
            prepare(&mut screen);
        }
    });
    assert!(copied <= 40 * COUNT, "a share of those that move is arranged together: {copied}");
    assert_eq!([list.counted(), screen.counted()], [(COUNT, COUNT); 2]);
}

const THREE: [(&str, u64, u64, &str); 3] =
    [("middle", 5, 30, "prose"), ("old", 9, 20, "prose"), ("new", 1, 10, CLAUDE)];

#[test]
fn the_newest_is_first_and_a_key_changes_that() {
    let mut screen = told(&THREE);
    assert_eq!(names(&mut screen), ["*new", "middle", "old"]);
    act(&mut screen, Action::Order);
    assert_eq!(names(&mut screen), ["*middle", "old", "new"], "by size");
    act(&mut screen, Action::Order);
    arrive(&mut screen, look(1, 9, 1));
    arrive(&mut screen, look(0, 2, 2));
    assert_eq!(names(&mut screen), ["*old", "middle", "new"], "by failures");
    act(&mut screen, Action::Order);
    assert_eq!(names(&mut screen), ["*middle", "old", "new"], "by problems");
    act(&mut screen, Action::Order);
    assert_eq!(names(&mut screen), ["*old", "middle", "new"], "by calls");
    act(&mut screen, Action::Order);
    assert_eq!(names(&mut screen), ["*middle", "new", "old"], "by name");
    act(&mut screen, Action::Order);
    assert_eq!(names(&mut screen), ["*new", "middle", "old"]);
}

#[test]
fn the_choice_and_its_row_stay_while_files_are_found() {
    let mut screen = told(&THREE);
    arrive(&mut screen, DiscoveryEvent::Found(vec![listed(("newest", 0, 1, ""))]));
    assert_eq!(names(&mut screen)[0], "*newest", "before anything was chosen the first one is");
    act(&mut screen, Action::Move(Motion::Line(1)));
    assert_eq!(names(&mut screen), ["newest", "*new", "middle", "old"]);
    let many: Vec<String> = (10..99).map(|number| format!("more {number}")).collect();
    for age in [0, 20] {
        arrive(&mut screen, DiscoveryEvent::Found(many.iter().map(|name| listed((name, age, 1, ""))).collect()));
    }
    assert_eq!(names(&mut screen)[many.len() + 1], "*new");
    assert_eq!(screen.rows.list.at.row - screen.rows.list.top.row, 1, "it is where it was on the screen");
}

#[test]
fn a_filter_is_for_names_and_kinds_and_esc_takes_it_away() {
    let mut screen = told(&THREE);
    act(&mut screen, Action::Search);
    for c in "CLAUDE".chars() {
        screen.update(Msg::Edit(tui_input::InputRequest::InsertChar(c)));
    }
    assert_eq!(names(&mut screen), ["*new"]);
    screen.update(Msg::Submit);
    assert_eq!(names(&mut screen), ["*new"]);
    assert_eq!(act(&mut screen, Action::Cancel), None);
    assert_eq!(names(&mut screen).len(), 3);
    screen.update(Msg::Action(Action::Search));
    screen.update(Msg::Paste("ol\u{1b}d".into()));
    assert_eq!(names(&mut screen), ["*old"]);
    act(&mut screen, Action::Cancel);
    assert_eq!(names(&mut screen).len(), 3);
    assert!(act(&mut screen, Action::Cancel).is_some(), "the list is left");
}

#[test]
fn the_logs_of_a_session_are_one_line_that_unfolds() {
    let request = "=== SYSTEM ===\nBe kind.\n";
    let files = [
        ("fox/0001.request", 9, 100, request),
        ("fox/0001.response", 8, 10, "words"),
        ("fox/notes.md", 7, 1, "words"),
        ("prose.md", 8, 5, "words"),
    ];
    let mut screen = told(&files);
    assert_eq!(names(&mut screen), ["*fox/", "prose.md"], "as new as the newest of its files");
    arrive(&mut screen, look(0, 2, 1));
    arrive(&mut screen, look(1, 3, 0));
    prepare(&mut screen);
    let sum = screen.folders[0].sum;
    assert_eq!((sum.files, sum.counted, sum.size, sum.tally.calls, sum.tally.errors), (3, 2, 111, 5, 1));
    assert_eq!(act(&mut screen, Action::Toggle), None);
    assert_eq!(names(&mut screen), ["*fox/", "fox/notes.md", "fox/0001.response", "fox/0001.request", "prose.md"]);
    let kinds: Vec<_> = (0..4).map(|number| screen.kind(number)).collect();
    assert_eq!(kinds, [Some("llmist-request"), Some("llmist-response"), Some("plain"), Some("plain")]);
    act(&mut screen, Action::Move(Motion::Line(1)));
    assert_eq!(act(&mut screen, Action::Toggle), Some(Effect::Go(Navigation::Open("/sessions/fox/notes.md".into()))));
    act(&mut screen, Action::Close);
    assert_eq!(names(&mut screen), ["*fox/", "prose.md"]);
    screen.update(Msg::Action(Action::Search));
    screen.update(Msg::Paste("0001".into()));
    assert_eq!(names(&mut screen), ["*fox/", "fox/0001.response", "fox/0001.request"], "what is found is shown");
    // A listed directory itself never becomes a line.
    let root = [("0001.request", 9, 100, request), ("0001.response", 8, 10, "words")];
    assert_eq!(names(&mut told(&root)), ["*0001.response", "0001.request"]);
}

#[test]
fn what_is_visible_is_looked_into_first_and_a_large_file_only_when_it_is_asked_for() {
    let files: Vec<(String, u64)> = (0..50).map(|number| (format!("{number}"), number)).collect();
    let files: Vec<_> = files.iter().map(|(name, age)| (name.as_str(), *age, 1, "")).collect();
    let mut screen = told(&files);
    let numbers = |screen: &SessionsScreen| screen.wanted().iter().map(|wanted| wanted.number).collect::<Vec<_>>();
    assert_eq!(numbers(&screen), (0..50).collect::<Vec<_>>());
    act(&mut screen, Action::Move(Motion::Bottom));
    assert_eq!(
        numbers(&screen)[..3],
        [50 - screen.room().height, 51 - screen.room().height, 52 - screen.room().height]
    );
    for number in 0..50 {
        arrive(&mut screen, look(number, 0, 0));
    }
    assert_eq!(screen.wanted(), []);
    let mut screen = told(&[("large", 1, LARGE + 1, "")]);
    assert!(!screen.wanted()[0].whole);
    arrive(&mut screen, summary(0, None, FileContent::Beginning));
    assert_eq!(screen.wanted(), []);
    act(&mut screen, Action::CountLarge);
    assert!(screen.wanted()[0].whole);
    arrive(&mut screen, look(0, 7, 0));
    assert_eq!(screen.wanted(), []);
    assert_eq!(screen.counted(), (1, 1));
}

#[test]
fn what_could_not_be_read_stands_at_the_end() {
    let mut screen = told(&THREE);
    arrive(&mut screen, DiscoveryEvent::Unread("/sessions/closed: it may not be read".into()));
    arrive(&mut screen, DiscoveryEvent::Done(2));
    assert_eq!(names(&mut screen)[3], "! /sessions/closed: it may not be read");
    let said = |screen: &SessionsScreen| screen.chrome.message.as_ref().map(|message| message.text.clone());
    assert_eq!(said(&screen).as_deref(), Some("/sessions/closed: it may not be read"));
    for _ in 0..1000 {
        arrive(&mut screen, DiscoveryEvent::Unread("another".into()));
    }
    assert_eq!(screen.notes.len(), 101, "they are bounded");
}

/// A list of the files in a directory, fully indexed.
fn indexed(path: &Path) -> SessionsScreen {
    indexed_by(path, "")
}

/// Like `indexed`, with a content filter typed before.
fn indexed_by(path: &Path, filter: &str) -> SessionsScreen {
    let mut screen = screen();
    act(&mut screen, Action::Filter);
    types(&mut screen, filter);
    screen.update(Msg::Submit);
    index(screen, path)
}

/// Types characters into the prompt.
fn types(screen: &mut SessionsScreen, letters: &str) {
    for letter in letters.chars() {
        screen.update(Msg::Edit(tui_input::InputRequest::InsertChar(letter)));
        prepare(screen);
    }
}

/// Discovers and reads the files of a directory until nothing is pending.
fn index(screen: SessionsScreen, path: &Path) -> SessionsScreen {
    let (sender, receiver) = mpsc::channel();
    let root = Root { path: path.to_owned(), name: "here".into() };
    let to_list = sender.clone();
    find(vec![root], move |told| to_list.send(told).is_ok()).expect("a thread");
    read_all(screen, sender, &receiver)
}

/// Reads the known files until nothing is pending.
fn index_again(screen: SessionsScreen) -> SessionsScreen {
    let (sender, receiver) = mpsc::channel();
    read_all(screen, sender, &receiver)
}

fn read_all(
    mut screen: SessionsScreen,
    sender: mpsc::Sender<DiscoveryEvent>,
    receiver: &mpsc::Receiver<DiscoveryEvent>,
) -> SessionsScreen {
    let tell: Tell = Arc::new(move |number, told| {
        assert_eq!(number, 3);
        sender.send(told).is_ok()
    });
    let indexer = Indexer::new(Container::default(), &Options::default(), 2, &tell).expect("a thread");
    loop {
        let (files, counted) = screen.counted();
        if screen.passed.is_some() && files == counted {
            return screen;
        }
        indexer.want(screen.wanted());
        let told = receiver.recv_timeout(Duration::from_secs(20)).expect("everything is told in time");
        arrive(&mut screen, told);
        prepare(&mut screen);
    }
}

#[test]
fn files_are_looked_into_for_what_they_are_how_they_begin_and_what_is_in_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).expect("a file");
    write("broken.txt", b"Let me see.\n!!!GADGET_START:A\n!!!ARG:b\n1\n!!!ARG:b\n2\n!!!GADGET_END\n");
    write("session", format!("{CLAUDE}\n").as_bytes());
    write("empty", b"");
    write("binary", b"\0\0\0");
    let screen = indexed(directory.path());
    let mut found: Vec<_> = (0..screen.entries.len())
        .map(|number| {
            let entry = &screen.entries[number];
            let FileContent::Counted(tally) = entry.content else { panic!("{:?} is not counted", entry.file) };
            let kind = screen.kind(number).expect("it is known");
            (entry.file.name.as_str(), kind, entry.words.as_str(), tally.calls, tally.errors)
        })
        .collect();
    found.sort_unstable();
    let broken = "Let me see.";
    let expected = [
        ("broken.txt", "plain", broken, 1, 1),
        ("empty", "plain", "", 0, 0),
        ("session", "claude-code", "Hello there", 0, 0),
    ];
    assert_eq!(found, expected);
    assert_eq!(screen.passed, Some(1));
    let titles: Vec<_> = (0..screen.entries.len()).map(|number| screen.title_of(number)).collect();
    assert!(titles.contains(&"Hello there") && titles.contains(&"broken.txt"), "{titles:?}");
}

#[test]
fn a_filter_for_contents_leaves_the_files_in_which_it_selects_something() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).expect("a file");
    write("failed", &crate::diagnostic::Code::ToolFailed.info().bad);
    write("fine", &crate::diagnostic::Code::ToolFailed.info().good);
    write("plain", b"Let me see.\n!!!GADGET_START:ls\n!!!ARG:b\n1\n!!!GADGET_END\n");
    for (filter, expected) in [
        ("failed", &["failed"][..]),
        ("tool:ls", &["failed", "fine", "plain"]),
        ("not is:result tool:ls has:result", &["failed", "fine"]),
        ("failed or dialect:gadget", &["failed", "plain"]),
        ("nothing", &[]),
    ] {
        let mut screen = indexed_by(directory.path(), filter);
        let mut found = names(&mut screen);
        for name in &mut found {
            *name = name.trim_start_matches('*').to_owned();
        }
        found.sort_unstable();
        assert_eq!(found, expected, "{filter}");
        act(&mut screen, Action::Cancel);
        assert_eq!(names(&mut screen).len(), 3, "Esc shows all");
    }
}

#[test]
fn a_remembered_word_among_300_sessions_is_found_with_the_word_and_two_keys() {
    let directory = tempfile::tempdir().expect("a directory");
    for number in 0..300 {
        let said = if number == 217 { "Haul the line.\\nThe Halyard is frayed" } else { "Hello there" };
        let prompt = CLAUDE.replace("Hello there", &format!("Task {number}"));
        let answer = format!(
            r#"{{"type":"assistant","sessionId":"s","uuid":"v","message":{{"role":"assistant","content":"{said}"}}}}"#
        );
        fs::write(directory.path().join(format!("{number}.jsonl")), format!("{prompt}\n{answer}\n")).expect("a file");
    }
    let found = ["*217.jsonl", "2: The Halyard is frayed"];
    for (keys, word) in [(Action::SearchText, "halyard"), (Action::Search, "halyard")] {
        let mut screen = index(screen(), directory.path());
        act(&mut screen, keys);
        types(&mut screen, word);
        screen.update(Msg::Submit);
        let mut screen = index_again(screen);
        assert_eq!(names(&mut screen), found, "{keys:?}");
        for (moves, is_line) in [(0, false), (1, true)] {
            (0..moves).for_each(|_| drop(act(&mut screen, Action::Move(Motion::Line(1)))));
            let Some(Effect::Go(Navigation::OpenAt(path, Location::Match(pattern, byte)))) =
                act(&mut screen, Action::Toggle)
            else {
                panic!("it is opened")
            };
            let text = fs::read_to_string(path).expect("it is there");
            assert_eq!((pattern.as_str(), &text[byte..byte + 7]), (word, "Halyard"), "of its line: {is_line}");
        }
        act(&mut screen, Action::Cancel);
        assert_eq!(names(&mut screen).len(), 300, "Esc shows all");
        act(&mut screen, keys);
        types(&mut screen, word);
        screen.update(Msg::Submit);
        let mut screen = index_again(screen);
        assert_eq!(names(&mut screen).len(), 2, "the same word is searched for again");
    }
}

#[test]
fn a_word_in_very_many_lines_shows_the_first_thousand() {
    let files: Vec<String> = (0..200).map(|number| format!("{number:03}")).collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), 1, 1, "")).collect();
    let mut screen = told(&files);
    act(&mut screen, Action::SearchText);
    types(&mut screen, "rope");
    for number in 0..200 {
        let line = MatchedLine { line: 1, byte: 0, pieces: vec![("rope".into(), true)] };
        let found = MatchedLines { pattern: "rope".into(), lines: vec![line; 10], matches: 12 };
        arrive(&mut screen, DiscoveryEvent::Searched(number, MatchedLines { pattern: "rop".into(), ..found.clone() }));
        arrive(&mut screen, DiscoveryEvent::Searched(number, found));
    }
    assert_eq!(names(&mut screen).len(), 200 + 1000);
    let totals = rows::totals(&screen);
    assert!(totals.starts_with("2400 matches in 200 sessions · first 1000 lines"), "{totals}");
}

#[test]
fn a_file_that_vanishes_is_said_to_be_gone_and_a_large_one_is_read_at_its_beginning() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("long");
    fs::write(&path, "a line of words\n".repeat(100_000)).expect("a file");
    let (sender, receiver) = mpsc::channel();
    let tell: Tell = Arc::new(move |_, told| sender.send(told).is_ok());
    let indexer = Indexer::new(Container::default(), &Options::default(), 1, &tell).expect("a thread");
    let gone = IndexRequest { path: directory.path().join("gone"), whole: true, ..IndexRequest::default() };
    indexer.want(vec![gone, IndexRequest { number: 1, path, ..IndexRequest::default() }]);
    let next = || receiver.recv_timeout(Duration::from_secs(20)).expect("it is told in time");
    let DiscoveryEvent::Summary(FileSummary { content: FileContent::Failed(words), .. }) = next() else {
        panic!("it is gone")
    };
    assert!(words.ends_with("gone: no such file; check the name"), "{words}");
    let DiscoveryEvent::Summary(look) = next() else { panic!("it is looked into") };
    assert_eq!((look.number, look.content), (1, FileContent::Beginning));
    assert!(look.words.starts_with("a line of words a line"));
}

#[test]
fn a_session_that_grows_moves_up_and_says_what_it_does() {
    const NOW: fn() -> SystemTime = || SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_041);
    let mut screen = told(&THREE);
    screen.calendar.now = NOW;
    let lead = |screen: &SessionsScreen| rows::row(screen, screen.rows.lines[0], 100).lead;
    let shown = |screen: &SessionsScreen| lead(screen).iter().map(|piece| &*piece.text).collect::<String>();
    let number = screen.entries.iter().position(|entry| entry.file.name == "old").expect("listed");
    arrive(&mut screen, read(number, "s", None));
    let ListedFile { path, size, modified, .. } = listed(("old", 0, 5000, "prose"));
    arrive(&mut screen, DiscoveryEvent::Changed(vec![FileChange { path, size, modified }]));
    prepare(&mut screen);
    assert_eq!(screen.entries[screen.rows.lines[0].file().expect("a file")].file.name, "old");
    assert!(screen.is_pending(&screen.entries[number]), "it is read again");
    let running = RunningCall { item: 1, text: "Bash pnpm test".into(), time: None };
    for (running, expected) in [(Some(running), "+ old  Bash pnpm test, 41 s"), (None, "+ old  quiet 41 s")] {
        let mut event = read(number, "s", None);
        let DiscoveryEvent::Summary(FileSummary { session: Some(session), .. }) = &mut event else { continue };
        session.running = running;
        arrive(&mut screen, event);
        assert!(shown(&screen).contains(expected), "{}", shown(&screen));
        assert_eq!(screen.next_frame(Duration::ZERO), Some(Duration::from_secs(1)));
    }
    screen.calendar.now = || NOW() + Duration::from_mins(10);
    assert!(!shown(&screen).contains("quiet") && screen.next_frame(Duration::ZERO).is_none(), "{}", shown(&screen));
    act(&mut screen, Action::Move(Motion::Top));
    act(&mut screen, Action::Toggle);
    assert!(!shown(&screen).contains('+'), "{}", shown(&screen));
}
