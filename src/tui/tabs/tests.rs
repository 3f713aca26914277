//! Which tab is shown, what the others do meanwhile, and what is kept of what stood there before.

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::source::command::Exit;

use super::super::action::{Action, Motion, Tab as Bottom};
use super::super::events::{Clock, Events};
use super::super::layout::Pane;
use super::super::state::{Life, Origin};
use super::*;

fn state(name: &str) -> State {
    let options = Options::default();
    let session = Session::new(Container::default(), &options).expect("the default options are fine");
    let origin = Origin { name: name.to_owned(), ..Origin::default() };
    let mut state = State::new(session, options, origin, (100, 30));
    state.events = Events::with(Clock(|| "14:02:11".into()));
    state
}

fn tabs(names: &[&str]) -> Tabs {
    Tabs::new(names.iter().map(|name| state(name)).collect())
}

fn arrives(tabs: &mut Tabs, source: usize, text: &str) {
    tabs.arrive(source, SourceEvent::Chunk(text.as_bytes().to_vec()));
}

fn act(tabs: &mut Tabs, action: Action) -> Option<Effect> {
    tabs.update(Happened::Action(action))
}

fn text(tabs: &Tabs) -> String {
    let text = tabs.shown().session.text();
    text.read_str(crate::text::Span::new(0, text.len())).into_owned()
}

fn said(tabs: &Tabs) -> &str {
    tabs.shown().message.as_ref().map_or("", |message| &message.text)
}

fn told(tabs: &Tabs) -> Vec<String> {
    let events = &tabs.shown().events;
    let line = |number| events.get(number).map(|event| format!("{} {}", event.time, event.text));
    (events.left_out()..events.count()).filter_map(line).collect()
}

/// The headings as they would be drawn, with `*` for the one that is shown.
fn bar(tabs: &mut Tabs) -> String {
    tabs.settle();
    let heading = |heading: &Heading| {
        let marks = [(heading.shown, "*"), (heading.live, "●"), (heading.more, "+"), (heading.errors, "✗")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        format!("{}{marks}", heading.name)
    };
    tabs.shown().bar.iter().map(heading).collect::<Vec<_>>().join(" ")
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
    for (source, words) in ["first", "second", "third"].iter().enumerate() {
        arrives(&mut tabs, source, words);
    }
    let mut seen = Vec::new();
    for direction in [1, 1, 1, -1, -1] {
        act(&mut tabs, Action::NextFile(direction));
        seen.push(text(&tabs));
    }
    assert_eq!(seen, ["second", "third", "first", "third", "second"]);
    arrives(&mut tabs, 0, " and more");
    tabs.go(Elsewhere::Tab(0));
    assert_eq!(text(&tabs), "first and more");
    tabs.go(Elsewhere::Tab(9));
    assert_eq!(text(&tabs), "first and more", "there is no such tab");
}

#[test]
fn the_screen_looks_the_same_in_every_tab_and_the_end_is_held_where_it_was() {
    let mut tabs = tabs(&["a", "b"]);
    tabs.all[1].now.hold_end = true;
    let lines = (0..200).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    arrives(&mut tabs, 1, &lines);
    act(&mut tabs, Action::Show(Bottom::Details));
    tabs.update(Happened::Resize(80, 24));
    act(&mut tabs, Action::NextFile(1));
    let shown = tabs.shown();
    assert_eq!((shown.size, shown.focus, shown.tab), ((80, 24), Pane::Bottom, Bottom::Details));
    assert_eq!(shown.selection.offset, lines.len() - 1, "the end is shown");
    assert!(shown.tops.raw.unit.0 > 150);
}

#[test]
fn what_stood_in_a_file_before_is_kept_and_can_be_looked_at() {
    let mut tabs = tabs(&["log.txt"]);
    arrives(&mut tabs, 0, "first text");
    tabs.arrive(0, SourceEvent::Restarted("log.txt was truncated; reading it from its start".into()));
    assert_eq!(
        told(&tabs),
        [
            "14:02:11 log.txt was truncated; reading it from its start (what was there before: 10 B, 0 calls; ( shows it)"
        ]
    );
    assert_eq!(tabs.shown().tab, Bottom::Events, "the row is on the screen");
    arrives(&mut tabs, 0, BROKEN);
    tabs.arrive(0, SourceEvent::Restarted("log.txt was replaced".into()));
    arrives(&mut tabs, 0, "third text");
    for (direction, expected, words) in [
        (-1, BROKEN, "this stood there before; ) leads back"),
        (-1, "first text", "this stood there before; ) leads back"),
        (-1, "first text", "nothing is kept of what stood here before"),
        (1, BROKEN, "this stood there before; ) leads back"),
        (1, "third text", "this is what stands there now"),
        (1, "third text", "this is what stands there now"),
    ] {
        act(&mut tabs, Action::NextText(direction));
        assert_eq!((text(&tabs).as_str(), said(&tabs)), (expected, words));
    }
    act(&mut tabs, Action::NextText(-1));
    assert_eq!(tabs.shown().origin.name, "log.txt until 14:02:11");
    assert!(tabs.shown().session.is_finished());
    assert_eq!(told(&tabs).len(), 2, "the events are those of the file");
    arrives(&mut tabs, 0, " goes on");
    assert_eq!(text(&tabs), BROKEN);
    act(&mut tabs, Action::NextText(1));
    assert_eq!(text(&tabs), "third text goes on");
}

#[test]
fn an_event_leads_to_its_place_in_the_text_that_stood_there_then() {
    let mut tabs = tabs(&["log.txt"]);
    arrives(&mut tabs, 0, "one\ntwo\n");
    tabs.arrive(0, SourceEvent::Notice("log.txt was deleted".into()));
    arrives(&mut tabs, 0, "three\n");
    tabs.arrive(0, SourceEvent::Restarted("log.txt was replaced".into()));
    arrives(&mut tabs, 0, "new\n");
    act(&mut tabs, Action::Show(Bottom::Events));
    act(&mut tabs, Action::Move(Motion::Top));
    act(&mut tabs, Action::Toggle);
    assert_eq!(text(&tabs), "one\ntwo\nthree\n");
    assert_eq!((tabs.shown().selection.offset, tabs.shown().focus), (8, Pane::Reading));
    act(&mut tabs, Action::Show(Bottom::Events));
    act(&mut tabs, Action::Move(Motion::Bottom));
    act(&mut tabs, Action::Toggle);
    assert_eq!((text(&tabs).as_str(), tabs.shown().selection.offset), ("one\ntwo\nthree\n", 13));
}

#[test]
fn what_is_kept_of_earlier_texts_is_bounded() {
    let mut tabs = tabs(&["log.txt"]);
    act(&mut tabs, Action::NextText(-1));
    assert_eq!(said(&tabs), "nothing stood here before: it has not begun anew");
    for number in 0..EARLIER + 5 {
        arrives(&mut tabs, 0, &format!("text {number}"));
        tabs.arrive(0, SourceEvent::Restarted("log.txt was truncated".into()));
        if number == 3 {
            tabs.look_at(0);
        }
    }
    assert_eq!(tabs.all[0].earlier.len(), EARLIER);
    assert_eq!(text(&tabs), "text 5", "whoever looks at the oldest one looks at the one behind it");
    act(&mut tabs, Action::Show(Bottom::Events));
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
        assert_eq!(tabs.all[0].earlier.len(), kept);
    }
}

#[test]
fn standard_error_is_a_tab_of_its_own_and_its_lines_are_events_of_the_command() {
    let mut tabs = tabs(&["agent", "notes.txt"]);
    let aside = |text: &str| SourceEvent::Aside(Box::new(SourceEvent::Chunk(text.as_bytes().to_vec())));
    act(&mut tabs, Action::NextFile(1));
    arrives(&mut tabs, 0, "Hello");
    assert_eq!(bar(&mut tabs), "agent●+ notes.txt*●");
    tabs.arrive(0, aside("connecting\nwait"));
    tabs.arrive(0, SourceEvent::CaughtUp);
    tabs.arrive(0, aside("ing\nhalf a line"));
    assert_eq!(bar(&mut tabs), "agent●+ stderr●+ notes.txt*●", "what is shown stays");
    tabs.arrive(0, SourceEvent::Exited(Exit::Status(3)));
    tabs.arrive(0, SourceEvent::End);
    tabs.go(Elsewhere::Tab(1));
    assert_eq!(text(&tabs), "connecting\nwaiting\nhalf a line");
    assert!(tabs.shown().session.is_finished());
    tabs.go(Elsewhere::Tab(0));
    let events = ["│ connecting", "│ waiting", "agent ended with status 3", "│ half a line"];
    assert_eq!(told(&tabs), events.map(|event| format!("14:02:11 {event}")));
    assert_eq!(text(&tabs), "Hello");
}

#[test]
fn a_running_command_is_interrupted_first_and_leaving_asks() {
    let running = |names: &[&str]| {
        let mut tabs = tabs(names);
        tabs.all[0].now.origin.command = Some(Life::Running);
        tabs
    };
    let mut idle = tabs(&["a"]);
    assert_eq!(act(&mut idle, Action::Interrupt), Some(Effect::Quit));
    let mut tabs = running(&["agent", "notes"]);
    act(&mut tabs, Action::NextFile(1));
    assert_eq!(act(&mut tabs, Action::Interrupt), Some(Effect::Interrupt));
    assert_eq!(said(&tabs), "agent is interrupted; ctrl-c again to leave");
    assert_eq!(act(&mut tabs, Action::Interrupt), None);
    assert_eq!(said(&tabs), "agent still runs: q again ends it and leaves");
    assert_eq!(act(&mut tabs, Action::Interrupt), Some(Effect::Quit));
    let mut tabs = running(&["agent"]);
    for effect in [None, Some(Effect::Quit)] {
        assert_eq!(act(&mut tabs, Action::Quit), effect);
    }
    let mut tabs = running(&["agent"]);
    assert_eq!(act(&mut tabs, Action::Quit), None);
    act(&mut tabs, Action::Move(Motion::Line(1)));
    assert_eq!(act(&mut tabs, Action::Quit), None, "another key takes the question back");
    tabs.arrive(0, SourceEvent::Exited(Exit::Signal(2)));
    assert_eq!(act(&mut tabs, Action::Quit), Some(Effect::Quit));
}
