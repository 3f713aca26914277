//! Lists of sessions next to texts: opening texts from them, and returning.

use super::*;

/// Does the event loop's part of a task that opens something.
fn opens(tabs: &mut Tabs, number: usize, task: Option<Task>) {
    match task {
        Some(Task::Open(path)) => {
            let name = path.to_string_lossy().into_owned();
            tabs.add(NewTab::Text { number, state: Box::new(state(&name)), path: Some(path), cancel_guard: None });
        }
        Some(Task::Recorded) => tabs.add(list(number)),
        task => panic!("{task:?} opens nothing"),
    }
}

#[test]
fn a_session_of_a_list_opens_beside_it_once_and_the_list_is_a_key_away() {
    let mut tabs = Tabs::new(vec![list(0), list(1)], Options::default(), (80, 24));
    assert!(tabs.text().is_none());
    tabs.update(Msg::Resize(120, 40));
    let effect = act(&mut tabs, Action::Toggle);
    assert_eq!(effect, Some(Task::Open("/sessions/0.jsonl".into())));
    opens(&mut tabs, 2, effect);
    arrives(&mut tabs, 2, "hello\n");
    assert_eq!(
        (text(&tabs).as_str(), shown(&tabs).chrome.size, shown(&tabs).view.hidden),
        ("hello\n", (120, 40), false)
    );
    assert_eq!(bar(&mut tabs), "folder 0● folder 1● 0.jsonl*●");
    act(&mut tabs, Action::BackToList);
    assert!(tabs.text().is_none());
    assert_eq!(act(&mut tabs, Action::Toggle), None, "it is open already");
    assert_eq!(text(&tabs), "hello\n");
    act(&mut tabs, Action::NextFile(-1));
    let effect = act(&mut tabs, Action::Toggle);
    opens(&mut tabs, 3, effect);
    act(&mut tabs, Action::BackToList);
    assert_eq!(tabs.shown, 1, "the list that it was opened from");
    assert_eq!(act(&mut tabs, Action::Cancel), None, "back to what was shown before");
    assert_eq!(tabs.shown, 3);
}

#[test]
fn q_goes_back_to_the_list_and_quits_there() {
    let mut tabs = Tabs::new(vec![list(0)], Options::default(), (80, 24));
    tabs.update(Msg::Resize(120, 40));
    let effect = act(&mut tabs, Action::Toggle);
    opens(&mut tabs, 2, effect);
    drop(tabs.prepare(Duration::ZERO));
    assert_eq!(shown(&tabs).chrome.quit_words(), "back to list");
    assert_eq!(act(&mut tabs, Action::Quit), None);
    assert!(tabs.text().is_none(), "the list is shown");
    drop(tabs.prepare(Duration::ZERO));
    assert_eq!(tabs.shown().chrome().quit_words(), "quit");
    assert_eq!(act(&mut tabs, Action::Quit), Some(Task::Quit));
}

#[test]
fn q_goes_from_a_sub_agent_to_its_session() {
    let mut tabs = tabs(&["session"]);
    let text = |number: usize, name: &str| NewTab::Text {
        number,
        state: Box::new(state(name)),
        path: None,
        cancel_guard: None,
    };
    tabs.add(text(1, "sub-agent"));
    drop(tabs.prepare(Duration::ZERO));
    assert_eq!(shown(&tabs).chrome.quit_words(), "back to parent");
    assert_eq!(act(&mut tabs, Action::Quit), None);
    assert_eq!(shown(&tabs).view.origin.name, "session");
    assert_eq!(act(&mut tabs, Action::Quit), Some(Task::Quit));
}

#[test]
fn what_agents_keep_is_listed_once() {
    let mut tabs = tabs(&["demonstration"]);
    act(&mut tabs, Action::BackToList);
    assert_eq!(said(&tabs), "no list is open: press o for recorded sessions, or run transcope DIR");
    let effect = act(&mut tabs, Action::Recorded);
    opens(&mut tabs, 9, effect);
    assert!(tabs.text().is_none());
    assert_eq!(act(&mut tabs, Action::Cancel), None);
    assert_eq!(shown(&tabs).view.origin.name, "demonstration");
    assert_eq!(act(&mut tabs, Action::Recorded), None, "it is there already");
    assert!(tabs.text().is_none());
}

#[test]
fn a_list_alone_is_left_with_q_and_not_with_esc() {
    for action in [Action::Quit, Action::Interrupt] {
        let mut tabs = Tabs::new(vec![list(0)], Options::default(), (80, 24));
        assert_eq!(act(&mut tabs, Action::NextFile(1)), None);
        assert_eq!(act(&mut tabs, Action::Cancel), None);
        let message = tabs.shown().chrome().message.as_ref().map(|message| message.text.as_str());
        assert_eq!(message, Some("there is nothing to go back to; q quits"));
        assert_eq!(act(&mut tabs, action), Some(Task::Quit));
    }
}

#[test]
fn files_are_looked_into_unless_a_text_is_being_read() {
    let mut tabs = Tabs::new(vec![list(0)], Options::default(), (80, 24));
    drop(tabs.prepare(Duration::ZERO));
    assert_eq!(tabs.wanted().len(), 1);
    let effect = act(&mut tabs, Action::Toggle);
    opens(&mut tabs, 1, effect);
    assert_eq!(tabs.wanted().len(), 0);
    tabs.arrive(1, SourceEvent::End);
    assert_eq!(tabs.wanted().len(), 1);
}
