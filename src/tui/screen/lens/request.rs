//! The settings of the request on the screen: the list that changes them, and their text.

use crate::config::places::path_of;
use crate::runtime::{RequestSettings, SettingName, ToolChoice};
use crate::text::sanitize::visible_str;
use crate::tui::action::{Action, Motion, next_in_ring};
use crate::tui::message::{ChosenRequest, Effect, Navigation, RequestTemplate, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::row::Piece;
use crate::tui::screen::chrome::overlay_list::{OverlayLine, OverlayList, OverlayPlace};
use crate::tui::screen::lens::LensScreen;
use crate::tui::style::Role;
use crate::wording::lens::switch;

/// The title of the list.
pub(super) const TITLE: &str = " Settings of the request ";

/// A value that is not stated: the runtime's own, or the template's.
const DEFAULT: &str = "default";

/// The values of a setting that is on or off.
const SWITCH: &[&str] = &[DEFAULT, "on", "off"];

/// A setting of the request, a line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestSetting {
    /// Thinking in the prompt.
    Thinking,
    /// A field of the request.
    Field(SettingName),
    /// The chat template of the model.
    Template,
}

impl RequestSetting {
    /// All settings, in the order of the list.
    const ALL: [Self; 6] = [
        Self::Thinking,
        Self::Field(SettingName::ToolChoice),
        Self::Field(SettingName::ParallelToolCalls),
        Self::Field(SettingName::SkipSpecialTokens),
        Self::Field(SettingName::ReasoningFormat),
        Self::Template,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Thinking => "thinking",
            Self::Field(field) => field.name(),
            Self::Template => "template",
        }
    }

    /// The values to choose from, the default first. A reasoning format may have other names; a template is a path.
    fn values(self) -> &'static [&'static str] {
        match self {
            Self::Thinking | Self::Field(SettingName::ParallelToolCalls | SettingName::SkipSpecialTokens) => SWITCH,
            Self::Field(SettingName::ToolChoice) => &[DEFAULT, "auto", "required", "none"],
            Self::Field(SettingName::ReasoningFormat) => &[DEFAULT, "none", "auto", "deepseek", "deepseek-legacy"],
            Self::Template => &[DEFAULT],
        }
    }

    /// The stated value; `None` for the default.
    fn stated(self, request: &ChosenRequest) -> Option<String> {
        let switch = |is_on: bool| switch(is_on).to_owned();
        let stated = &request.stated;
        match self {
            Self::Thinking => stated.thinking.map(switch),
            Self::Field(SettingName::ToolChoice) => stated.tool_choice.map(|choice| choice.name().to_owned()),
            Self::Field(SettingName::ParallelToolCalls) => stated.parallel_tool_calls.map(switch),
            Self::Field(SettingName::SkipSpecialTokens) => stated.skip_special_tokens.map(switch),
            Self::Field(SettingName::ReasoningFormat) => stated.reasoning_format.clone(),
            Self::Template => request.template.as_ref().map(name_of),
        }
    }

    /// The request with another value of the setting. A template is only removed by this.
    fn with(self, request: &ChosenRequest, value: &str) -> ChosenRequest {
        let mut request = request.clone();
        let is_stated = value != DEFAULT;
        let switch = is_stated.then_some(value == "on");
        let stated: &mut RequestSettings = &mut request.stated;
        match self {
            Self::Thinking => stated.thinking = switch,
            Self::Field(SettingName::ToolChoice) => {
                stated.tool_choice = ToolChoice::ALL.into_iter().find(|choice| choice.name() == value);
            }
            Self::Field(SettingName::ParallelToolCalls) => stated.parallel_tool_calls = switch,
            Self::Field(SettingName::SkipSpecialTokens) => stated.skip_special_tokens = switch,
            Self::Field(SettingName::ReasoningFormat) => {
                stated.reasoning_format = is_stated.then(|| value.to_owned());
            }
            Self::Template => request.template = None,
        }
        request
    }

    /// The prompt for a value that is not in the list.
    fn prompt(self) -> Option<PromptKind> {
        match self {
            Self::Field(SettingName::ReasoningFormat) => Some(PromptKind::ReasoningFormat),
            Self::Template => Some(PromptKind::Template),
            Self::Thinking | Self::Field(_) => None,
        }
    }

    /// Its values, with the current one in brackets.
    fn line(self, request: &ChosenRequest) -> OverlayLine {
        let stated = self.stated(request);
        let current = stated.as_deref().unwrap_or(DEFAULT);
        let mut values: Vec<&str> = self.values().to_vec();
        if !values.contains(&current) {
            values.push(current);
        }
        let piece = |value: &&str| {
            let value = visible_str(value);
            if value == current {
                Piece::new(format!("[{value}]"), Role::Strong)
            } else {
                Piece::new(format!(" {value} "), Role::Dim)
            }
        };
        OverlayLine { name: self.name().to_owned(), about: values.iter().map(piece).collect() }
    }
}

/// The name of a template, without its folder, and the thinking that it states.
fn name_of(template: &RequestTemplate) -> String {
    let name = template.path.file_name().unwrap_or(template.path.as_os_str()).to_string_lossy().into_owned();
    match template.facts.thinking {
        Some(true) => format!("{name} (thinking on)"),
        Some(false) => format!("{name} (thinking off)"),
        None => name,
    }
}

/// The settings that differ from the defaults: `tool_choice=none`.
pub(super) fn stated_of(request: &ChosenRequest) -> Vec<String> {
    let stated = |setting: RequestSetting| Some(format!("{}={}", setting.name(), setting.stated(request)?));
    RequestSetting::ALL.into_iter().filter_map(stated).collect()
}

/// The settings of `after` that are different in `before`.
pub(super) fn changed_settings(before: &ChosenRequest, after: &ChosenRequest) -> String {
    let changed = RequestSetting::ALL.into_iter().filter(|setting| setting.stated(before) != setting.stated(after));
    let value = |setting: RequestSetting| setting.stated(after).unwrap_or_else(|| DEFAULT.to_owned());
    changed.map(|setting| format!("{}={}", setting.name(), value(setting))).collect::<Vec<_>>().join(", ")
}

/// Opens or closes the list.
pub(super) fn flip(screen: &mut LensScreen) {
    screen.settings = match screen.settings.take() {
        Some(_) => None,
        None => Some(OverlayList::new(lines(screen), 0, OverlayPlace::Bottom, screen.chrome.body())),
    };
}

/// Shows the current values in the open list.
pub(super) fn refresh(screen: &mut LensScreen) {
    let lines = lines(screen);
    if let Some(list) = &mut screen.settings {
        list.lines = lines;
    }
}

fn lines(screen: &LensScreen) -> Vec<OverlayLine> {
    RequestSetting::ALL.into_iter().map(|setting| setting.line(&screen.request.chosen)).collect()
}

/// Carries out an action while the list is open; returns one that is not for the list.
pub(super) fn act(screen: &mut LensScreen, action: Action) -> Result<Option<Effect>, Action> {
    let body = screen.chrome.body();
    let Some(list) = &mut screen.settings else { return Err(action) };
    match action {
        Action::Move(motion) => list.go(motion, body),
        Action::Open => return Ok(step(screen, 1)),
        Action::Close => return Ok(step(screen, -1)),
        Action::Toggle => return Ok(choose(screen)),
        Action::Cancel | Action::RequestSettings => screen.settings = None,
        action => return Err(action),
    }
    Ok(None)
}

/// The row of the open list at a cell: it is chosen, and its value changed. Other cells close the list.
pub(super) fn click(screen: &mut LensScreen, x: u16, y: u16) -> Option<Effect> {
    let body = screen.chrome.body();
    let list = screen.settings.as_mut()?;
    let Some(row) = list.row_at(body, x, y) else {
        screen.settings = None;
        return None;
    };
    list.go(Motion::To(row + 1), body);
    choose(screen)
}

fn chosen(screen: &LensScreen) -> Option<RequestSetting> {
    RequestSetting::ALL.get(screen.settings.as_ref()?.row()).copied()
}

/// The effect of Enter on the chosen setting, for the bottom line.
pub(super) fn verb(screen: &LensScreen) -> &'static str {
    match chosen(screen).and_then(RequestSetting::prompt) {
        Some(PromptKind::Template) => "choose a file",
        Some(_) => "type a name",
        None => "next value",
    }
}

/// Asks for the value of the chosen setting, or takes the next one.
fn choose(screen: &mut LensScreen) -> Option<Effect> {
    let setting = chosen(screen)?;
    let Some(prompt) = setting.prompt() else { return step(screen, 1) };
    let typed = match setting {
        RequestSetting::Template => screen.request.chosen.template.as_ref().map(|of| of.path.display().to_string()),
        setting => setting.stated(&screen.request.chosen),
    };
    screen.chrome.ask(prompt, &typed.unwrap_or_default());
    None
}

/// Takes the next (1) or previous (-1) value of the chosen setting.
fn step(screen: &mut LensScreen, direction: i8) -> Option<Effect> {
    let setting = chosen(screen)?;
    let request = &screen.request.chosen;
    let stated = setting.stated(request);
    if setting == RequestSetting::Template && stated.is_none() {
        return if direction > 0 { choose(screen) } else { None };
    }
    let values = setting.values();
    let current = stated.as_deref().unwrap_or(DEFAULT);
    // A typed value follows the listed ones.
    let at = values.iter().position(|value| *value == current).unwrap_or(values.len());
    let count = values.len().max(at + 1);
    let next = next_in_ring(at, direction, count);
    Some(again(setting.with(request, values[next])))
}

/// Submits a prompt of the list; another kind is returned.
pub(super) fn submit(screen: &LensScreen, kind: PromptKind, typed: &str) -> Option<Effect> {
    match kind {
        PromptKind::ReasoningFormat => {
            let value = if typed.is_empty() { DEFAULT } else { typed };
            let setting = RequestSetting::Field(SettingName::ReasoningFormat);
            Some(again(setting.with(&screen.request.chosen, value)))
        }
        PromptKind::Template if typed.is_empty() => {
            Some(again(RequestSetting::Template.with(&screen.request.chosen, DEFAULT)))
        }
        PromptKind::Template => Some(Effect::Run(Task::ReadRequestTemplate(path_of(typed)))),
        _ => None,
    }
}

fn again(request: ChosenRequest) -> Effect {
    Effect::Go(Navigation::LensRequest(Box::new(request)))
}
