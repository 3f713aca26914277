//! Which tab is shown, how hidden tabs are updated, and what is kept of earlier contents.

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::source::command::Exit;

use super::*;
use crate::tui::action::ReplayControl;
use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::age::Calendar;
use crate::tui::discovery::ListedFile;
use crate::tui::layout::Slot;
use crate::tui::message::{Navigation, TabTitle};
use crate::tui::prompt::PromptNote;
use crate::tui::replay::Replay;
use crate::tui::screen::comparison::ComparisonScreen;
use crate::tui::tabs::text::{EARLIER, EARLIER_BYTES};
use crate::tui::view::events::{Clock, EventLog};
use crate::tui::view::origin::SourceState;
use crate::tui::view::origin::TextOrigin;

mod lists;

fn state(name: &str) -> Transcript {
    let options = Options::default();
    let session = Session::new(Container::default(), &options);
    let origin = TextOrigin { name: name.to_owned(), ..TextOrigin::default() };
    let mut state = Transcript::new(session, options, origin, (100, 30));
    state.view.events = EventLog::with(Clock(|| "14:02:11".into()));
    state
}

fn tabs(names: &[&str]) -> Tabs {
    let new = |(number, name): (usize, &&str)| NewTab::Text {
        number,
        state: Box::new(state(name)),
        path: None,
        cancel_guard: None,
    };
    Tabs::new(names.iter().enumerate().map(new).collect(), Options::default(), (100, 30))
}

#[test]
fn sizes_of_panes_hold_for_all_texts() {
    let mut tabs = tabs(&["one", "two"]);
    let sizes = PaneSizes { outline: Some(30), raw: Some(25), bottom: None };
    tabs.set_pane_sizes(sizes);
    assert_eq!(tabs.pane_sizes(), sizes);
    act(&mut tabs, Action::Resize(1));
    act(&mut tabs, Action::NextFile(1));
    tabs.add(NewTab::Made(Box::new(state("three"))));
    assert_eq!(tabs.pane_sizes(), PaneSizes { raw: Some(21), ..sizes });
    assert_eq!(shown(&tabs).view.layout.sizes, PaneSizes { raw: Some(21), ..sizes });
}

fn arrives(tabs: &mut Tabs, source: usize, text: &str) {
    tabs.arrive(source, SourceEvent::Chunk(text.as_bytes().to_vec()));
}

fn act(tabs: &mut Tabs, action: Action) -> Option<Task> {
    tabs.update(Msg::Action(action))
}

/// The text that is shown.
fn shown(tabs: &Tabs) -> &Transcript {
    tabs.text().expect("a text is shown")
}

/// The tab with a text at an index.
fn at(tabs: &mut Tabs, index: usize) -> &mut TextTab {
    tabs.all[index].text_mut().expect("it has a text")
}

fn text(tabs: &Tabs) -> String {
    let text = shown(tabs).view.session.text();
    text.read_str(crate::text::Span::new(0, text.len())).into_owned()
}

fn said(tabs: &Tabs) -> &str {
    shown(tabs).chrome.message.as_ref().map_or("", |message| &message.text)
}

fn told(tabs: &Tabs) -> Vec<String> {
    let events = &shown(tabs).view.events;
    let line = |number| events.get(number).map(|event| format!("{} {}", event.time, event.text));
    (events.left_out()..events.count()).filter_map(line).collect()
}

/// The titles as they would be drawn, with `*` for the one that is shown.
fn bar(tabs: &mut Tabs) -> String {
    drop(tabs.prepare(Duration::ZERO));
    let heading = |heading: &TabTitle| {
        let marks = [(heading.shown, "*"), (heading.live, "●"), (heading.more, "+"), (heading.errors, "✗")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        format!("{}{marks}", heading.name)
    };
    shown(tabs).chrome.tab_bar.iter().map(heading).collect::<Vec<_>>().join(" ")
}

/// A list with a file.
fn list(number: usize) -> NewTab {
    let mut sessions = SessionsScreen::new(number, format!("folder {number}"), Calendar::default());
    sessions.is_recorded = number == 9;
    let file = ListedFile {
        path: format!("/sessions/{number}.jsonl").into(),
        name: format!("{number}.jsonl"),
        at_root: true,
        size: 10,
        modified: None,
        kind: None,
    };
    sessions::update::arrive(&mut sessions, DiscoveryEvent::Found(vec![file]));
    NewTab::Screen(Box::new(sessions))
}

const BROKEN: &str = "!!!GADGET_START:A\n!!!ARG:b\n1\n!!!ARG:b\n2\n!!!GADGET_END\n";

#[test]
fn one_transcript_has_no_bar_and_several_have_one_with_marks() {
    assert_eq!(bar(&mut tabs(&["a.txt"])), "");
    let mut tabs = tabs(&["run/a.txt", "b.txt", "old/b.txt"]);
    assert_eq!(bar(&mut tabs), "a.txt*● b.txt● old/b.txt●");
    arrives(&mut tabs, 0, "here");
    arrives(&mut tabs, 1, "there");
    arrives(&mut tabs, 2, BROKEN);
    tabs.arrive(1, SourceEvent::End);
    assert_eq!(bar(&mut tabs), "a.txt*● b.txt+ old/b.txt●+✗");
    act(&mut tabs, Action::NextFile(-1));
    assert_eq!(bar(&mut tabs), "a.txt● b.txt+ old/b.txt*●");
    act(&mut tabs, Action::NextFile(1));
    assert_eq!(bar(&mut tabs), "a.txt*● b.txt+ old/b.txt●");
    tabs.arrive(2, SourceEvent::Failed("gone".into()));
    assert_eq!(bar(&mut tabs), "a.txt*● b.txt+ old/b.txt✗");
}

#[test]
fn keys_go_round_the_tabs_and_a_hidden_one_reads_on() {
    let mut tabs = tabs(&["a", "b", "c"]);
    for (source, words) in ["first\n", "second\n", "third\n"].iter().enumerate() {
        arrives(&mut tabs, source, words);
    }
    let mut seen = Vec::new();
    for direction in [1, 1, 1, -1, -1] {
        act(&mut tabs, Action::NextFile(direction));
        seen.push(text(&tabs));
    }
    assert_eq!(seen, ["second\n", "third\n", "first\n", "third\n", "second\n"]);
    arrives(&mut tabs, 0, " and more");
    tabs.go(Navigation::Tab(0), false);
    assert_eq!(text(&tabs), "first\n and more");
    tabs.go(Navigation::Tab(9), false);
    assert_eq!(text(&tabs), "first\n and more", "there is no such tab");
}

#[test]
fn the_screen_looks_the_same_in_every_tab_and_the_end_is_held_where_it_was() {
    let mut tabs = tabs(&["a", "b"]);
    at(&mut tabs, 1).now.following.hold_end = true;
    let lines = (0..200).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    arrives(&mut tabs, 1, &lines);
    act(&mut tabs, Action::Focus(PaneId::Details));
    tabs.update(Msg::Resize(80, 24));
    act(&mut tabs, Action::NextFile(1));
    let shown = shown(&tabs);
    assert_eq!(
        (shown.chrome.size, shown.view.layout.focus, shown.view.layout.bottom),
        ((80, 24), Slot::Bottom, PaneId::Details)
    );
    assert_eq!(shown.view.selection.offset, lines.len() - 1, "the end is shown");
    assert!(shown.panes.raw.top_of(&shown.view) > 1500, "the end is in sight");
}

#[test]
fn what_stood_in_a_file_before_is_kept_and_can_be_looked_at() {
    let mut tabs = tabs(&["log.txt"]);
    arrives(&mut tabs, 0, "first text\n");
    tabs.arrive(0, SourceEvent::Restarted("log.txt was truncated; reading it from the start".into()));
    assert_eq!(
        told(&tabs),
        ["14:02:11 log.txt was truncated; reading it from the start (earlier contents: 11 B, 0 calls; ( shows them)"]
    );
    assert_eq!(shown(&tabs).view.layout.bottom, PaneId::Events, "the row is on the screen");
    arrives(&mut tabs, 0, BROKEN);
    tabs.arrive(0, SourceEvent::Restarted("log.txt was replaced".into()));
    arrives(&mut tabs, 0, "third text\n");
    for (direction, expected, words) in [
        (-1, BROKEN, "earlier contents; ) returns"),
        (-1, "first text\n", "earlier contents; ) returns"),
        (-1, "first text\n", "no earlier contents are kept"),
        (1, BROKEN, "earlier contents; ) returns"),
        (1, "third text\n", "current contents"),
        (1, "third text\n", "current contents"),
    ] {
        act(&mut tabs, Action::NextText(direction));
        assert_eq!((text(&tabs).as_str(), said(&tabs)), (expected, words));
    }
    act(&mut tabs, Action::NextText(-1));
    assert_eq!(shown(&tabs).view.origin.name, "log.txt until 14:02:11");
    assert!(shown(&tabs).view.session.is_finished());
    assert_eq!(told(&tabs).len(), 2, "the events are those of the file");
    arrives(&mut tabs, 0, " goes on");
    assert_eq!(text(&tabs), BROKEN);
    act(&mut tabs, Action::NextText(1));
    assert_eq!(text(&tabs), "third text\n goes on");
}

#[test]
fn an_event_leads_to_its_place_in_the_text_that_stood_there_then() {
    let mut tabs = tabs(&["log.txt"]);
    arrives(&mut tabs, 0, "one\ntwo\n");
    tabs.arrive(0, SourceEvent::Notice("log.txt was deleted".into()));
    arrives(&mut tabs, 0, "three\n");
    tabs.arrive(0, SourceEvent::Restarted("log.txt was replaced".into()));
    arrives(&mut tabs, 0, "new\n");
    act(&mut tabs, Action::Focus(PaneId::Events));
    act(&mut tabs, Action::Move(Motion::Top));
    act(&mut tabs, Action::Toggle);
    assert_eq!(text(&tabs), "one\ntwo\nthree\n");
    assert_eq!((shown(&tabs).view.selection.offset, shown(&tabs).view.layout.focus), (8, Slot::Reading));
    act(&mut tabs, Action::Focus(PaneId::Events));
    act(&mut tabs, Action::Move(Motion::Bottom));
    act(&mut tabs, Action::Toggle);
    assert_eq!((text(&tabs).as_str(), shown(&tabs).view.selection.offset), ("one\ntwo\nthree\n", 13));
}

#[test]
fn what_is_kept_of_earlier_texts_is_bounded() {
    let mut tabs = tabs(&["log.txt"]);
    act(&mut tabs, Action::NextText(-1));
    assert_eq!(said(&tabs), "no earlier contents: the file has not been truncated or replaced");
    for number in 0..EARLIER + 5 {
        arrives(&mut tabs, 0, &format!("text {number}"));
        tabs.arrive(0, SourceEvent::Restarted("log.txt was truncated".into()));
        if number == 3 {
            tabs.show_contents(0);
        }
    }
    assert_eq!(at(&mut tabs, 0).earlier.len(), EARLIER);
    assert_eq!(text(&tabs), "text 5", "whoever looks at the oldest one looks at the one behind it");
    act(&mut tabs, Action::Focus(PaneId::Events));
    act(&mut tabs, Action::Move(Motion::Top));
    act(&mut tabs, Action::Toggle);
    assert_eq!(said(&tabs), "that text is no longer kept");
}

#[test]
fn large_earlier_texts_give_way_but_for_the_last() {
    let mut tabs = tabs(&["log.txt"]);
    let large = "x".repeat(EARLIER_BYTES / 2 + 1);
    for kept in [1, 1, 1] {
        arrives(&mut tabs, 0, &large);
        tabs.arrive(0, SourceEvent::Restarted("log.txt was truncated".into()));
        assert_eq!(at(&mut tabs, 0).earlier.len(), kept);
    }
}

#[test]
fn standard_error_is_a_tab_of_its_own_and_its_lines_are_events_of_the_command() {
    let mut tabs = tabs(&["agent", "notes.txt"]);
    let aside = |text: &str| SourceEvent::Stderr(Box::new(SourceEvent::Chunk(text.as_bytes().to_vec())));
    act(&mut tabs, Action::NextFile(1));
    arrives(&mut tabs, 0, "Hello\n");
    assert_eq!(bar(&mut tabs), "agent●+ notes.txt*●");
    tabs.arrive(0, aside("connecting\nwait"));
    tabs.arrive(0, SourceEvent::CaughtUp);
    tabs.arrive(0, aside("ing\nhalf a line"));
    assert_eq!(bar(&mut tabs), "agent●+ stderr●+ notes.txt*●", "what is shown stays");
    tabs.arrive(0, SourceEvent::Exited(Exit::Status(3)));
    tabs.arrive(0, SourceEvent::End);
    tabs.go(Navigation::Tab(1), false);
    assert_eq!(text(&tabs), "connecting\nwaiting\nhalf a line");
    assert!(shown(&tabs).view.session.is_finished());
    tabs.go(Navigation::Tab(0), false);
    let events = ["│ connecting", "│ waiting", "agent exited with status 3", "│ half a line"];
    assert_eq!(told(&tabs), events.map(|event| format!("14:02:11 {event}")));
    assert_eq!(text(&tabs), "Hello\n");
}

#[test]
fn a_running_command_is_interrupted_first_and_leaving_asks() {
    let running = |names: &[&str]| {
        let mut tabs = tabs(names);
        at(&mut tabs, 0).now.view.origin.command = Some(SourceState::Running);
        tabs
    };
    let mut idle = tabs(&["a"]);
    assert_eq!(act(&mut idle, Action::Interrupt), Some(Task::Quit));
    let mut tabs = running(&["agent", "notes"]);
    act(&mut tabs, Action::NextFile(1));
    assert_eq!(act(&mut tabs, Action::Interrupt), Some(Task::Interrupt));
    assert_eq!(said(&tabs), "agent is interrupted; ctrl-c again quits");
    assert_eq!(act(&mut tabs, Action::Interrupt), None);
    assert_eq!(said(&tabs), "agent still runs: q again quits");
    assert_eq!(act(&mut tabs, Action::Interrupt), Some(Task::Quit));
    let mut tabs = running(&["agent"]);
    for effect in [None, Some(Task::Quit)] {
        assert_eq!(act(&mut tabs, Action::Quit), effect);
    }
    let mut tabs = running(&["agent"]);
    assert_eq!(act(&mut tabs, Action::Quit), None);
    act(&mut tabs, Action::Move(Motion::Line(1)));
    assert_eq!(act(&mut tabs, Action::Quit), None, "another key takes the question back");
    tabs.arrive(0, SourceEvent::Exited(Exit::Signal(2)));
    assert_eq!(act(&mut tabs, Action::Quit), Some(Task::Quit));
}

#[test]
fn a_tab_with_a_call_that_failed_since_it_was_shown_is_marked() {
    let mut tabs = tabs(&["a.txt", "b.json"]);
    let failed = String::from_utf8_lossy(&crate::diagnostic::Code::ToolFailed.info().bad);
    arrives(&mut tabs, 1, &failed);
    assert_eq!(bar(&mut tabs), "a.txt*● b.json●+✗");
    act(&mut tabs, Action::NextFile(1));
    act(&mut tabs, Action::NextFile(1));
    assert_eq!(bar(&mut tabs), "a.txt*● b.json●", "it has been seen");
}

#[test]
fn a_tab_is_closed_and_what_was_shown_before_is_shown() {
    let mut tabs = tabs(&["a.txt", "b.txt", "c.txt"]);
    act(&mut tabs, Action::NextFile(1));
    act(&mut tabs, Action::NextFile(1));
    tabs.arrive(1, SourceEvent::End);
    assert_eq!(act(&mut tabs, Action::CloseTab), None);
    assert_eq!(said(&tabs), "c.txt is still being read: q quits and ends it", "a pipe is read to its end");
    tabs.arrive(2, SourceEvent::End);
    assert_eq!(act(&mut tabs, Action::CloseTab), None);
    assert_eq!(bar(&mut tabs), "a.txt● b.txt*");
    arrives(&mut tabs, 2, "nobody wants it");
    assert_eq!(act(&mut tabs, Action::CloseTab), None);
    assert_eq!(bar(&mut tabs), "");
    assert_eq!(act(&mut tabs, Action::CloseTab), None, "the last one stays");
    assert_eq!(said(&tabs), "last tab; q quits");
}

#[test]
fn a_playground_that_is_not_saved_is_not_closed_at_once() {
    let mut tabs = tabs(&["a.txt"]);
    arrives(&mut tabs, 0, "words");
    act(&mut tabs, Action::Play);
    tabs.update(Msg::Paste("more ".into()));
    for _ in 0..2 {
        assert_eq!(shown(&tabs).view.origin.name, "playground");
        assert_eq!(act(&mut tabs, Action::CloseTab), None);
    }
    assert_eq!(shown(&tabs).view.origin.name, "a.txt");
}

#[test]
fn everything_that_is_not_saved_is_named_before_the_program_is_left() {
    let mut tabs = tabs(&["a.txt"]);
    arrives(&mut tabs, 0, "words");
    for expected in [
        "playground is not saved: q again quits",
        "playground and playground 2 are not saved: q again quits",
        "playground, playground 2 and playground 3 are not saved: q again quits",
    ] {
        act(&mut tabs, Action::Play);
        tabs.update(Msg::Paste("more ".into()));
        act(&mut tabs, Action::Focus(PaneId::Reading));
        assert_eq!(act(&mut tabs, Action::Quit), None);
        assert_eq!(said(&tabs), expected);
        act(&mut tabs, Action::NextFile(1));
    }
    at(&mut tabs, 0).now.view.origin.command = Some(SourceState::Running);
    assert_eq!(act(&mut tabs, Action::Quit), None);
    assert!(said(&tabs).starts_with("a.txt still runs; playground, "), "{}", said(&tabs));
    assert_eq!(act(&mut tabs, Action::Quit), Some(Task::Quit));
}

#[test]
fn q_quits_whatever_is_shown_and_ctrl_w_closes_its_tab() {
    let opened = |action: Action| {
        let mut tabs = tabs(&["a.txt", "b.txt"]);
        for source in [0, 1] {
            arrives(&mut tabs, source, BROKEN);
            tabs.arrive(source, SourceEvent::End);
        }
        act(&mut tabs, action);
        tabs
    };
    for action in [Action::Compare, Action::Replay(ReplayControl::Play), Action::Play] {
        let mut tabs = opened(action);
        assert_eq!(tabs.all.len(), 3, "{action:?} opens a tab");
        assert_eq!(act(&mut tabs, Action::Quit), Some(Task::Quit), "{action:?}");
        let mut tabs = opened(action);
        assert_eq!(act(&mut tabs, Action::CloseTab), None);
        assert_eq!((tabs.all.len(), shown(&tabs).view.origin.name.as_str()), (2, "a.txt"), "{action:?}");
    }
}

#[test]
fn a_comparison_is_made_elsewhere_and_given_up_with_its_tab() {
    let mut tabs = tabs(&["a.txt", "b.txt"]);
    for source in [0, 1] {
        arrives(&mut tabs, source, BROKEN);
        tabs.arrive(source, SourceEvent::End);
    }
    let asked = |tabs: &mut Tabs| match act(tabs, Action::Compare) {
        Some(Task::Compare(request)) => request,
        task => panic!("{task:?} compares nothing"),
    };
    let is_made = |tabs: &Tabs| tabs.all[tabs.shown].of_kind::<ComparisonScreen>().is_some();
    let given_up = asked(&mut tabs);
    let (job, is_cancelled) = tabs.comparison_job(&given_up).expect("somebody waits for it");
    let outcome = job.run(&is_cancelled).expect("nobody has given it up");
    assert_eq!(act(&mut tabs, Action::Cancel), None);
    assert!(is_cancelled() && tabs.comparison_job(&given_up).is_none());
    tabs.compared(given_up.number, outcome);
    assert_eq!((tabs.all.len(), shown(&tabs).view.origin.name.as_str()), (2, "a.txt"), "it comes too late");
    let request = asked(&mut tabs);
    let (job, _) = tabs.comparison_job(&request).expect("somebody waits for it");
    assert!(job.run(|| true).is_none(), "nothing is read in vain");
    let (job, _) = tabs.comparison_job(&request).expect("somebody waits for it");
    tabs.compared(given_up.number, Err("it is not this one".into()));
    assert!(!is_made(&tabs));
    tabs.compared(request.number, job.run(|| false).expect("nobody has given it up"));
    assert!(is_made(&tabs));
    assert_eq!(tabs.all.len(), 3);
}

#[test]
fn a_replay_plays_as_soon_as_it_is_asked_for() {
    let mut tabs = tabs(&["a.txt"]);
    arrives(&mut tabs, 0, BROKEN);
    tabs.arrive(0, SourceEvent::End);
    act(&mut tabs, Action::Replay(ReplayControl::Play));
    assert_eq!(shown(&tabs).view.origin.name, "replay of a.txt");
    assert!(shown(&tabs).replay.as_ref().is_some_and(Replay::plays));
    act(&mut tabs, Action::Replay(ReplayControl::Play));
    assert!(shown(&tabs).replay.as_ref().is_some_and(|replay| !replay.plays()), "P pauses it");
}

#[test]
fn what_is_pasted_where_nothing_is_typed_becomes_a_playground_if_that_is_wanted() {
    for is_list in [false, true] {
        let mut tabs = if is_list { Tabs::new(vec![list(0)], Options::default(), (80, 24)) } else { tabs(&["a.txt"]) };
        for (yes, count) in [(false, 1), (true, 2)] {
            assert_eq!(tabs.update(Msg::Paste("one\rtwo\r\nthree".into())), None);
            assert_eq!(tabs.question().as_deref(), Some("open a playground with the 3 lines pasted? y/n"));
            tabs.answer(yes);
            assert_eq!((tabs.question(), tabs.all.len()), (None, count));
        }
        assert_eq!(text(&tabs), "one\ntwo\nthree");
        assert!(shown(&tabs).view.editor.as_ref().is_some_and(|editor| editor.is_changed()), "it is saved nowhere");
        tabs.update(Msg::Paste("!".into()));
        assert_eq!((text(&tabs).as_str(), tabs.question()), ("one\ntwo\nthree!", None), "it is typed here");
    }
}

#[test]
fn a_line_takes_a_paste_without_controls_and_no_more_than_it_can_show() {
    let mut tabs = tabs(&["a.txt"]);
    act(&mut tabs, Action::Search);
    tabs.update(Msg::Paste(format!("a\u{1b}[2J\n{}", "x".repeat(1_000_000))));
    let prompt = shown(&tabs).chrome.prompt.as_ref().expect("a line is typed");
    assert!(prompt.input.value().starts_with("a[2Jxx") && prompt.input.value().len() == 4096);
    assert_eq!(prompt.note, Some(PromptNote::Fault("only the first 4096 characters of the paste".into())));
}

#[test]
fn a_source_is_given_up_with_its_tab() {
    let cancel_guard = CancelGuard::default();
    let is_cancelled = cancel_guard.is_cancelled();
    let new = NewTab::Text {
        number: 1,
        state: Box::new(state("b.txt")),
        path: Some("b.txt".into()),
        cancel_guard: Some(cancel_guard),
    };
    let mut tabs = tabs(&["a.txt"]);
    tabs.add(new);
    assert!(!is_cancelled());
    act(&mut tabs, Action::CloseTab);
    assert!(is_cancelled());
}
