//! Applies the key bindings of the configuration to the built-in table.
//!
//! A key chosen for an action is taken from its action in the table, on the affected screens.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};

use super::{Keymap, ScreenId, shown};
use crate::config::keys::{KeyChoice, KeyChoices};
use crate::text::typo::nearest;
use crate::tui::action::{LETTER, action_lines};

/// Names of keys that are not characters.
const NAMED: [&str; 27] = [
    "Enter",
    "Esc",
    "Tab",
    "BackTab",
    "Space",
    "Backspace",
    "Insert",
    "Delete",
    "Up",
    "Down",
    "Left",
    "Right",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F12",
];

/// The former name of the lens screen, still accepted.
const FORMER_LENS: &str = "runtimes";

/// The keys that the configuration gives an action on a screen.
struct Choice {
    screen: ScreenId,
    action: String,
    keys: Vec<String>,
    /// Its path in the configuration, such as `keys.sessions.search`.
    place: String,
}

impl Keymap {
    /// The built-in bindings, changed by the configuration.
    ///
    /// # Errors
    /// An unknown action, screen or key, a key with two actions on one screen, or a key whose loss leaves an action
    /// without keys. The error has its path in the configuration.
    pub fn with(choices: &KeyChoices) -> Result<Arc<Self>> {
        let chosen = read(choices)?;
        let mut map = Keymap::clone(&Keymap::built_in());
        for screen in ScreenId::ALL {
            let here: Vec<&Choice> = chosen.iter().filter(|choice| choice.screen == *screen).collect();
            each_has_its_own(&here)?;
            let taker = |key: &String| here.iter().find(|choice| choice.keys.iter().any(|own| collide(own, key)));
            for binding in map.0[*screen as usize].iter_mut().flat_map(|group| &mut group.bindings) {
                let name = binding.name;
                if let Some(choice) = here.iter().find(|choice| choice.action == name) {
                    binding.keys.clone_from(&choice.keys);
                    continue;
                }
                let taken = binding.keys.iter().find_map(|key| Some((key.clone(), taker(key)?)));
                binding.keys.retain(|key| taker(key).is_none());
                if let Some((key, Choice { place, .. })) = taken.filter(|_| binding.keys.is_empty()) {
                    bail!(
                        "{place}: {key} is the only key of {name}; bind another key to {name}, or none: `{name}: []`"
                    );
                }
            }
        }
        Ok(Arc::new(map))
    }
}

/// The choices for each screen; a choice for one screen takes precedence over one for all.
fn read(choices: &KeyChoices) -> Result<Vec<Choice>> {
    let mut chosen = Vec::new();
    let (of_screens, of_all): (Vec<_>, Vec<_>) =
        choices.iter().partition(|(_, choice)| matches!(choice, KeyChoice::OnScreen(_)));
    for (name, choice) in of_all {
        take(&mut chosen, ScreenId::ALL, name, choice, &format!("keys.{name}"))?;
    }
    for (name, choice) in of_screens {
        let KeyChoice::OnScreen(actions) = choice else { continue };
        let name = if name == FORMER_LENS { ScreenId::Lens.name() } else { name.as_str() };
        let screen = ScreenId::ALL.iter().find(|screen| screen.name() == name).with_context(|| {
            let known = ScreenId::ALL.iter().map(|screen| screen.name()).collect::<Vec<_>>().join(", ");
            format!("keys.{name}: unknown screen {name}; expected {known}, or a list of keys for an action")
        })?;
        for (name, choice) in actions {
            take(&mut chosen, &[*screen], name, choice, &format!("keys.{}.{name}", screen.name()))?;
        }
    }
    Ok(chosen)
}

/// Refuses a key with two actions on one screen.
fn each_has_its_own(here: &[&Choice]) -> Result<()> {
    for (index, Choice { keys, place, .. }) in here.iter().enumerate() {
        let has = |other: &&&Choice, key: &String| other.keys.iter().any(|own| collide(own, key));
        let other = |key: &String| here[..index].iter().find(|other| has(other, key));
        if let Some((key, other)) = keys.iter().find_map(|key| Some((key, other(key)?))) {
            bail!("{place}: the key {key} is already bound to {} ({}); choose another key", other.action, other.place);
        }
    }
    Ok(())
}

/// True if two key sequences conflict: they are equal, or one is a prefix of the other.
fn collide(one: &str, other: &str) -> bool {
    let begins = |short: &str, long: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with(' '));
    one == other || begins(one, other) || begins(other, one)
}

/// Adds the choice for an action on some screens.
fn take(chosen: &mut Vec<Choice>, on: &[ScreenId], action: &str, choice: &KeyChoice, place: &str) -> Result<()> {
    let keys = match choice {
        KeyChoice::One(key) => std::slice::from_ref(key),
        KeyChoice::Several(keys) => keys,
        KeyChoice::OnScreen(_) => bail!("{place}: give a key or a list of keys"),
    };
    let actions = || action_lines().map(|line| (line.on, line.name));
    if !actions().any(|(_, name)| name == action) {
        let hint = nearest(action, actions().map(|(_, name)| name))
            .map_or_else(|| "transcope man lists them".to_owned(), |meant| format!("did you mean {meant}?"));
        bail!("{place}: unknown action {action}; {hint}");
    }
    let keys: Vec<String> =
        keys.iter().map(|key| named(key).with_context(|| place.to_owned())).collect::<Result<_>>()?;
    let has = |screen: &&ScreenId| actions().any(|(screens, name)| name == action && screens.has(**screen));
    let screens: Vec<ScreenId> = on.iter().filter(has).copied().collect();
    ensure!(!screens.is_empty(), "{place}: this screen has no action {action}; give its keys next to the screens");
    for screen in screens {
        chosen.retain(|other: &Choice| other.screen != screen || other.action != action);
        chosen.push(Choice { screen, action: action.to_owned(), keys: keys.clone(), place: place.to_owned() });
    }
    Ok(())
}

/// The names of a key sequence as the table writes them; they may be given as the help shows them.
fn named(keys: &str) -> Result<String> {
    let names: Vec<String> = keys.split(' ').map(named_key).collect::<Result<_>>()?;
    Ok(names.join(" "))
}

/// The name of a single key.
fn named_key(key: &str) -> Result<String> {
    if key == LETTER {
        return Ok(key.to_owned());
    }
    if let Some(plain) = key.strip_prefix("alt-") {
        return named_key(plain).map(|plain| format!("alt-{plain}"));
    }
    let is_one = |text: &str| text.chars().count() == 1 && !text.contains(|c: char| c.is_control() || c == ' ');
    let lower =
        key.strip_prefix("ctrl-").filter(|rest| is_one(rest)).map(|rest| format!("ctrl-{}", rest.to_lowercase()));
    let is_known = |known: &&str| *known == key || shown(known) == key;
    if let Some(known) = NAMED.into_iter().find(is_known) {
        return Ok(known.to_owned());
    }
    if is_one(key) || lower.as_deref() == Some(key) {
        return Ok(key.to_owned());
    }
    let alike = || NAMED.into_iter().find(|known| known.eq_ignore_ascii_case(key));
    let meant = lower.as_deref().or_else(alike).or_else(|| nearest(key, NAMED));
    match meant {
        Some(meant) => bail!("unknown key {key:?}; did you mean {meant}?"),
        None => bail!("unknown key {key:?}; expected a character, ctrl- or alt- before one, or {}", NAMED.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::{Meaning, key_name};
    use super::*;
    use crate::tui::action::Action;

    fn with(text: &str) -> Result<Arc<Keymap>> {
        Keymap::with(&serde_yaml::from_str(text).expect("well-formed"))
    }

    #[test]
    fn what_is_chosen_goes_before_the_table() {
        let text = "{quit: [Q], search: ['/', ctrl-f], themes: ↑, up: [k], sessions: {quit: [X], count-large: []}}";
        let map = with(text).expect("fine");
        let asks = |screen, code, modifiers| match map.meaning(screen, &key_name(KeyEvent::new(code, modifiers))) {
            Meaning::Action(action) => {
                map.bindings(screen).find(|binding| binding.action == action).map(|binding| binding.name)
            }
            Meaning::Prefix | Meaning::Nothing => None,
        };
        let plain = |screen, c| asks(screen, KeyCode::Char(c), KeyModifiers::NONE);
        let control = |screen, c| asks(screen, KeyCode::Char(c), KeyModifiers::CONTROL);
        assert_eq!((plain(ScreenId::Transcript, 'Q'), plain(ScreenId::Transcript, 'q')), (Some("quit"), None));
        assert_eq!(plain(ScreenId::Comparison, 'Q'), Some("quit"));
        assert_eq!((plain(ScreenId::Sessions, 'X'), plain(ScreenId::Sessions, 'Q')), (Some("quit"), None));
        assert_eq!(control(ScreenId::Transcript, 'f'), Some("search"));
        assert_eq!(control(ScreenId::Comparison, 'f'), Some("page-down"), "nothing is searched there");
        assert_eq!(asks(ScreenId::Transcript, KeyCode::Up, KeyModifiers::NONE), Some("themes"));
        assert_eq!(
            (map.key_of(ScreenId::Transcript, Action::Quit), map.key_of(ScreenId::Sessions, Action::CountLarge)),
            ("Q", "")
        );
        let lettered = with("{set-mark: ['z m a-z'], mouse: [M]}").expect("fine");
        let mark = |keys| match lettered.meaning(ScreenId::Transcript, keys) {
            Meaning::Action(action) => Some(action),
            Meaning::Prefix | Meaning::Nothing => None,
        };
        assert_eq!((mark("z m q"), mark("m q"), mark("z m 1")), (Some(Action::SetMark(Some('q'))), None, None));
        assert_eq!((mark("' Z"), mark("M")), (Some(Action::GoToMark(Some('Z'))), Some(Action::Mouse)));
        let now = |key| map.in_place_of(ScreenId::Transcript, key);
        assert_eq!(["q", "j/k", "/", "Tab", "n/N"].map(now), ["Q", "j/k", "/", "Tab", "n/N"]);
        assert_eq!(map.in_place_of(ScreenId::Sessions, "c"), "");
    }

    #[test]
    fn mistakes_are_named_with_place_and_remedy() {
        for (text, expected) in [
            ("{serach: [x]}", "keys.serach: unknown action serach; did you mean search?"),
            ("{dance: [x]}", "keys.dance: unknown action dance; transcope man lists them"),
            (
                "{sesions: {quit: [x]}}",
                "keys.sesions: unknown screen sesions; expected transcript, sessions, comparison",
            ),
            ("{sessions: {zoom: [x]}}", "keys.sessions.zoom: this screen has no action zoom"),
            ("{sessions: [x]}", "keys.sessions: unknown action sessions"),
            ("{sessions: {quit: {quit: x}}}", "keys.sessions.quit: give a key or a list of keys"),
            ("{quit: [enter]}", "keys.quit: unknown key \"enter\"; did you mean Enter?"),
            ("{quit: [ctrl-Q]}", "keys.quit: unknown key \"ctrl-Q\"; did you mean ctrl-q?"),
            (
                "{quit: [meta-q]}",
                "keys.quit: unknown key \"meta-q\"; expected a character, ctrl- or alt- before one, or Enter",
            ),
            (
                "{quit: ['y  x']}",
                "keys.quit: unknown key \"\"; expected a character, ctrl- or alt- before one, or Enter",
            ),
            (
                "{quit: [Z, x], zoom: [Z]}",
                "keys.zoom: the key Z is already bound to quit (keys.quit); choose another key",
            ),
            (
                "{quit: ['Z x'], zoom: [Z]}",
                "keys.zoom: the key Z is already bound to quit (keys.quit); choose another key",
            ),
            (
                "{quit: x}",
                "keys.quit: x is the only key of examples; bind another key to examples, or none: `examples: []`",
            ),
        ] {
            let message = format!("{:#}", with(text).expect_err(text));
            assert!(message.starts_with(expected), "{text} says {message}");
        }
        let wrong = serde_yaml::from_str::<KeyChoices>("{quit: 1}").expect_err("no text").to_string();
        assert!(wrong.contains("expected a key in quotes"), "{wrong}");
    }
}
