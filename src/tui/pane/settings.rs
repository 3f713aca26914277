//! The settings that a text is read with, and the effect of the last change.
//!
//! A change requests that the text be read again; nothing is read here.

mod effect;

use std::sync::Arc;

use crate::compare::RowKind;
use crate::dialect::gadget::Marker;
use crate::dialect::{DialectInfo, Examples, Options, REGISTRY, TextCalls, all_names};
use crate::text::sanitize::visible_str;
use crate::value::schema::Schemas;

use crate::session::Session;
use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::prompt::PromptKind;
use crate::tui::row::{Piece, Row, hanging};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::widget::rows::Line;
pub use effect::CallChanges;

/// Width of the names, including the longest marker name.
const NAME: usize = 18;

/// A row of the list: a switch, or a value to type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    Dialect(&'static DialectInfo),
    /// Number of the dialects that are not listed.
    More(usize),
    /// Treat markers that are probably only mentioned as prose.
    Examples,
    /// Search for calls in all text of the model.
    TextCalls,
    /// Treat more than one triple-caret block in a message as an error.
    OneCall,
    Schema,
    /// The file of the schemas.
    SchemaFile,
    /// A marker of the block format.
    Marker(Marker),
}

/// The settings pane: the chosen row and the effect of the last change.
#[derive(Clone, Default)]
pub struct Settings {
    /// The chosen row: a setting or, after them, a row of the effect.
    at: usize,
    /// Effect of the last change: the kind of change and description of each call.
    changed: Vec<(RowKind, String)>,
    /// Given schemas, while they are switched off.
    schemas: Option<Arc<Schemas>>,
    /// Dialects that have been switched; they stay in the list.
    switched: Vec<&'static DialectInfo>,
    /// Query of the dialect search; empty without one.
    query: String,
}

impl Settings {
    /// Filters the list to dialects whose names contain all words of the query; an empty query ends the search.
    pub fn search(&mut self, query: &str) {
        if self.query != query {
            query.clone_into(&mut self.query);
            self.at = 0;
        }
    }

    /// The listed dialects, and the number of the others. Without a search, dialects are listed if they have calls,
    /// were named in the options, or have been switched.
    fn dialects(&self, view: &View) -> (Vec<&'static DialectInfo>, usize) {
        let options = &view.options;
        let own = options.declared.iter().map(|given| given.info.name);
        let seen: Vec<&str> = view.session.document().dialects_seen().collect();
        let words: Vec<String> = self.query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let is_asked = |name: &str| self.switched.is_empty() && options.only.iter().any(|about| about.name == name);
        let is_listed = |name: &str| match words.as_slice() {
            [] => seen.contains(&name) || self.switched.iter().any(|about| about.name == name) || is_asked(name),
            words => words.iter().all(|word| name.contains(word.as_str())),
        };
        let mut names: Vec<&str> = all_names().collect();
        names.extend(own.filter(|name| !all_names().any(|known| known == *name)));
        let listed: Vec<_> =
            names.iter().filter(|name| is_listed(name)).filter_map(|name| options.named(name)).collect();
        let others = names.len() - listed.len();
        (listed, others)
    }

    /// Records the differences between the readings before and after a change.
    pub fn compare(&mut self, before: &Session, after: &Session) -> CallChanges {
        let (changed, effect) = effect::compare(before, after);
        self.changed = changed;
        effect
    }

    /// Requests reading the text again with the schemas of a file.
    pub fn apply(&mut self, view: &View, schemas: Arc<Schemas>) -> Request {
        self.schemas = None;
        reread(Options { schemas: Some(schemas), ..view.options.clone() }, "")
    }

    /// The rows of the list: dialects by priority, then rules, then markers.
    fn all(&self, view: &View) -> Vec<Setting> {
        let options = &view.options;
        let (dialects, others) = self.dialects(view);
        let mut all: Vec<Setting> = dialects.into_iter().map(Setting::Dialect).collect();
        all.extend((others > 0).then_some(Setting::More(others)));
        all.extend([Setting::Examples, Setting::TextCalls, Setting::OneCall, Setting::Schema]);
        if self.given(options).is_some() {
            all.push(Setting::SchemaFile);
        }
        all.extend([Marker::Start, Marker::End, Marker::Argument].map(Setting::Marker));
        all
    }

    /// The schemas that were given, switched on or off.
    fn given<'a>(&'a self, options: &'a Options) -> Option<&'a Schemas> {
        self.schemas.as_deref().or(options.schemas.as_deref())
    }

    /// Toggles the chosen switch, or prompts for the value of the chosen row.
    fn turn(&mut self, view: &View) -> Response {
        let options = &view.options;
        let all = self.all(view);
        let Some(&setting) = all.get(self.at) else { return Response::done() };
        let mut options = options.clone();
        match setting {
            Setting::More(_) => return Response::ask(Request::Prompt(PromptKind::Dialect, self.query.clone())),
            Setting::Dialect(about) => {
                let mut only = options.only.clone();
                if only.is_empty() {
                    // The dialects that are read by default, and detected ones of the others.
                    only = REGISTRY.to_vec();
                    let seen = view.session.document().dialects_seen().filter_map(|name| options.named(name));
                    only.extend(seen.filter(|about| !REGISTRY.contains(about)));
                }
                let listed = self.dialects(view).0.into_iter().filter(|_| self.query.is_empty()).chain([about]);
                for about in listed.collect::<Vec<_>>() {
                    if !self.switched.contains(&about) {
                        self.switched.push(about);
                    }
                }
                match options.is_looked_for(about.name) {
                    // The last dialect cannot be switched off.
                    true if *only == [about] => {}
                    true => only.retain(|known| *known != about),
                    false => only.push(about),
                }
                options.only = only;
            }
            Setting::Examples => return flip_examples(view),
            Setting::TextCalls => {
                options.text_calls = match options.text_calls {
                    TextCalls::Auto | TextCalls::Ignore => TextCalls::Read,
                    TextCalls::Read => TextCalls::Auto,
                };
            }
            Setting::OneCall => options.one_call_per_message = !options.one_call_per_message,
            Setting::Schema if self.given(&options).is_some() => {
                std::mem::swap(&mut self.schemas, &mut options.schemas);
            }
            Setting::Schema | Setting::SchemaFile => {
                let name = self.given(&options).map_or("", Schemas::name).to_owned();
                return Response::ask(Request::Prompt(PromptKind::Schema, name));
            }
            Setting::Marker(marker) => {
                let word = options.markers.text(marker).to_owned();
                return Response::ask(Request::Prompt(PromptKind::Marker(marker), word));
            }
        }
        Response::ask(reread(options, ""))
    }
}

/// Toggles whether markers in code and quotations are prose or calls.
fn flip_examples(view: &View) -> Response {
    let (examples, words) = match view.options.examples {
        Examples::Prose => (Examples::Calls, "markers in code and quotations are calls, as the runtime takes them"),
        Examples::Calls => (Examples::Prose, "markers in code and quotations are prose"),
    };
    Response::ask(reread(Options { examples, ..view.options.clone() }, words))
}

fn reread(options: Options, words: &str) -> Request {
    Request::Reread(Box::new(options), words.to_owned())
}

impl Pane for Settings {
    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        let switches: Vec<Row> = self.all(view).into_iter().map(|setting| self.switch(view, setting)).collect();
        let changed = self.changed(view);
        // The chosen switch and the effect of the last change both stay visible; moving on after the last switch
        // scrolls the effect.
        let count = switches.len();
        let below = rows_below(&changed, height);
        let first = (self.at + 1).min(count).saturating_sub(height - below);
        let row = |(number, row)| Line::alone(row, number == self.at);
        let switches = switches.into_iter().enumerate().skip(first).take(height - below).map(row);
        let further = (self.at + 1).saturating_sub(count).min(changed.len() - below);
        let changed = changed.into_iter().skip(further).map(|row| Line::alone(row, false));
        switches.chain(changed).take(height).collect()
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => {
                // The effect below the switches is scrolled as well.
                let switches = self.all(view).len();
                let last = (switches + self.changed(view).len()).saturating_sub(1);
                self.at = match motion.pages(view.height(PaneId::Settings)) {
                    Some((direction, rows)) => self.turned(view, switches, direction, rows).min(last),
                    None => motion.moved(self.at, 1, last),
                };
                Response::done()
            }
            Action::Toggle => self.turn(view),
            Action::Search => Response::ask(Request::Prompt(PromptKind::Dialect, self.query.clone())),
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        if action == Action::Examples { flip_examples(view) } else { Response::Ignored }
    }

    fn wheel(&mut self, view: &View, direction: i8, _: usize) {
        self.act(view, Action::Move(Motion::Line(direction)));
    }
}

/// Rows of the effect that are shown in a pane of this height.
fn rows_below(changed: &[Row], height: usize) -> usize {
    changed.len().min(height / 2)
}

impl Settings {
    /// The row after a step of `rows`, down (1) or up (-1). Settings and effect have separate parts of the pane, and so
    /// separate pages.
    fn turned(&self, view: &View, switches: usize, direction: i8, rows: usize) -> usize {
        let height = view.height(PaneId::Settings);
        let below = rows_below(&self.changed(view), height);
        let last = switches - 1;
        let page = |room: usize| rows.min(room.saturating_sub(1)).max(1);
        // Pages start at multiples, so that stepping back shows the same pages.
        if direction > 0 && self.at < last {
            let page = page(height - below);
            return ((self.at / page + 1) * page).min(last);
        }
        if direction < 0 && self.at <= last {
            let page = page(height - below);
            return self.at.saturating_sub(1) / page * page;
        }
        let (page, at) = (page(below), self.at - last);
        last + if direction > 0 { (at / page + 1) * page } else { (at - 1) / page * page }
    }

    /// The effect of the last change, with a heading; empty if no call has changed.
    fn changed(&self, view: &View) -> Vec<Row> {
        let mut out = Vec::new();
        if !self.changed.is_empty() {
            out.push(Row::plain("effect of the last change", Role::Heading));
        }
        let width = view.width(PaneId::Settings).saturating_sub(2);
        for (kind, words) in &self.changed {
            let (sign, role) = match kind {
                RowKind::Same => ("  ", Role::Dim),
                RowKind::Changed => ("~ ", Role::Warning),
                RowKind::Left => ("- ", Role::CodeDeleted),
                RowKind::Right => ("+ ", Role::CodeInserted),
            };
            out.extend(hanging((sign, "  "), role, words, width, role));
        }
        out
    }

    fn switch(&self, view: &View, setting: Setting) -> Row {
        let options = &view.options;
        let is_seen = |name: &str| view.session.document().dialects_seen().any(|seen| seen == name);
        let (on, name, words) = match setting {
            Setting::Dialect(about) => {
                let words =
                    if is_seen(about.name) { "calls in this format, found here" } else { "calls in this format" };
                (Some(options.is_looked_for(about.name)), about.name, words.to_owned())
            }
            Setting::More(others) if self.query.is_empty() => {
                (None, "more call formats", format!("{others} that are not found here; / searches them"))
            }
            Setting::More(others) => {
                (None, "more call formats", format!("{others} without {:?}; / searches", self.query))
            }
            Setting::Examples => (
                Some(options.examples == Examples::Prose),
                "examples",
                "markers in code and quotations are prose".to_owned(),
            ),
            Setting::TextCalls => (
                Some(options.reads_text() == TextCalls::Read),
                "calls in text",
                "they are read even where the agent takes its calls from records".to_owned(),
            ),
            Setting::OneCall => (
                Some(options.one_call_per_message),
                "one call",
                "more than one caret block in a message is an error".to_owned(),
            ),
            Setting::Schema => {
                let words = match self.given(options) {
                    Some(_) => "parameters are checked by the schemas of their tools",
                    None => "parameters are checked by schemas: Enter asks for their file",
                };
                (Some(options.schemas.is_some()), "schema", words.to_owned())
            }
            Setting::SchemaFile => {
                let name = self.given(options).map_or("", Schemas::name);
                (None, "schema file", visible_str(name).into_owned())
            }
            Setting::Marker(marker) => (None, marker.into(), options.markers.text(marker).to_owned()),
        };
        let sign = match on {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "    ",
        };
        let role = if on == Some(false) { Role::Dim } else { Role::Name };
        let value = if on.is_none() { Role::Marker } else { Role::Dim };
        Row::words(vec![Piece::new(sign, role), Piece::new(format!("{name:<NAME$}"), role), Piece::new(words, value)])
    }
}
