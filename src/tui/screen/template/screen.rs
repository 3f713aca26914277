//! The template as a [`Screen`]: its panes, and the lines around them.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::diagnostic::Severity;
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::message::{Effect, Msg, TabTitle, Task};
use crate::tui::row::{Piece, Row, cut_in_front, size};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::template::choice::ListChoice;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::screen::template::{TemplateScreen, update};
use crate::tui::style::Role;
use crate::tui::template::prompt::{IndexedPrompt, OriginSpan, SpanOwner};
use crate::tui::template::tags::TagKind;
use crate::tui::theme::Theme;
use crate::tui::viewport::{Anchor, Rows, window};
use crate::tui::widget::prompt::{owner_role, text_roles, write_failure};
use crate::tui::widget::text::TextRow;
use crate::tui::widget::{RowWriter, bordered, put, selection_style, words_of};

/// Columns of a path in the bottom line.
const PATH: usize = 44;

impl Screen for TemplateScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Click(x, y) => return update::click(self, x, y),
            Msg::Wheel(x, y, direction) => update::wheel(self, x, y, direction),
            Msg::Submit => update::submit(self),
            Msg::Reloaded(text) => update::reloaded(self, text),
            Msg::Resize(..) => self.arrange(),
            // These concern texts.
            _ => {}
        }
        None
    }

    fn prepare_content(&mut self, _: Duration) -> Option<Effect> {
        if self.is_due {
            self.is_due = false;
            self.cancel_guard = crate::tui::cancel_guard::CancelGuard::default();
            self.job += 1;
            return Some(Effect::Run(Task::RenderTemplate(self.tab, self.job)));
        }
        self.arrange();
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading("template");
        left.push(Piece::new(format!("  {} ── ", self.name()), Role::Text));
        let probe = self.opened.probes.get(self.probe).map_or("", |probe| probe.name.as_str());
        left.push(Piece::new(probe, Role::Name));
        left.push(Piece::new(format!(" as {}", self.runtime().marked_name()), Role::Text));
        let mut right = match self.indexed() {
            _ if self.is_rendering => vec![Piece::new("rendering …  ", Role::Pending)],
            Some(prompt) if self.is_tracing => {
                let words = format!("origins: computing …  {}  ", size(prompt.text.len()));
                vec![Piece::new(words, Role::Pending)]
            }
            Some(prompt) => vec![Piece::new(format!("{}  ", size(prompt.text.len())), Role::Text)],
            None => Vec::new(),
        };
        right.extend(self.problem_counts());
        let open: &[(&[Action], &str)] =
            &[(&[Action::Toggle], self.choice.as_ref().map_or("", ListChoice::verb)), (&[Action::Cancel], "close")];
        let usual: &[(&[Action], &str)] = &[
            (&[Action::Help], "help"),
            (&[Action::Quit], "quit"),
            (&[Action::FocusNext(1)], "pane"),
            (&[Action::Close, Action::Open], if self.focus == TemplatePane::Conversation { "fold" } else { "part" }),
            (&[Action::Problem(1)], "problem"),
            (&[Action::Probes], "conversation"),
            (&[Action::NextRuntime], "runtime"),
            (&[Action::Compare], "compare"),
            (&[Action::Lens], "parsers"),
            (&[Action::GenerationPrompt], "generation prompt"),
        ];
        let hints = self.chrome.hints(if self.choice.is_some() { open } else { usual });
        ChromeText { title: [left, right], hints, place: self.place() }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        for pane in TemplatePane::ALL {
            let Some(area) = self.areas.of(pane) else { continue };
            let is_focused = pane == self.focus && self.choice.is_none();
            bordered(buffer, area, &[(self.pane_title(pane), true)], is_focused, theme);
            if pane == TemplatePane::Conversation && area.height > 2 {
                let room = usize::from(area.width).saturating_sub(2);
                let sizes = self.other_sizes(room);
                put(buffer, area.x + 1, area.y + area.height - 1, &sizes, room, theme.style(Role::Dim));
            }
            self.draw_pane(buffer, pane, area.inner(), theme);
        }
        if let Some(choice) = &self.choice {
            choice.list.draw(buffer, self.chrome.body(), choice.title(), theme);
        }
    }

    fn title(&self) -> TabTitle {
        let problems = self.listed_problems();
        let errors = problems.iter().any(|problem| problem.diagnostic.severity == Severity::Error);
        TabTitle { name: self.name(), live: self.is_rendering, errors, ..TabTitle::default() }
    }

    fn edited_file(&self) -> Option<&Path> {
        let known = self.template().and_then(|template| template.watched.as_deref());
        // A template that could not be read may be mended.
        let is_text = |path: &&Path| path.extension().is_some_and(|extension| extension == "jinja");
        known.or_else(|| self.rendered.as_ref().and(Some(self.opened.path.as_path())).filter(is_text))
    }
}

impl TemplateScreen {
    fn pane_title(&self, pane: TemplatePane) -> String {
        match pane {
            TemplatePane::Source => {
                let line = self.template().map_or(0, |template| template.source_index.line(self.source.list.at.unit));
                let file = self.template().map(|template| Piece::new(&template.file, Role::Title).text);
                let file = file.map(|file| file.rsplit('/').next().unwrap_or_default().to_owned());
                file.map_or_else(|| " Template ".to_owned(), |file| format!(" {file}:{line} "))
            }
            TemplatePane::Prompt => match self.indexed() {
                Some(prompt) => {
                    format!(" Prompt  {}/{} ", prompt.index.line(self.prompt.list.at.unit), prompt.index.lines())
                }
                None => " Prompt ".to_owned(),
            },
            TemplatePane::Conversation => " Conversation ".to_owned(),
            TemplatePane::Problems => match self.listed_problems().len() {
                0 => " Problems ".to_owned(),
                count => format!(" Problems {count} "),
            },
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, pane: TemplatePane, inner: Area, theme: &Theme) {
        let height = usize::from(inner.height);
        let line = |index: usize| Area { y: inner.y + index as u16, height: 1, ..inner };
        match pane {
            TemplatePane::Source => match (self.template(), self.source_units()) {
                (Some(template), Some(units)) => {
                    for (index, at) in window(&units, self.source.list.top, height).into_iter().enumerate() {
                        self.source.draw(buffer, line(index), &template.source, &self.source_row(at, theme), theme);
                    }
                }
                _ => self.draw_failure(buffer, inner, theme),
            },
            TemplatePane::Prompt => match (self.indexed(), self.prompt_units()) {
                (Some(prompt), Some(units)) => {
                    for (index, at) in window(&units, self.prompt.list.top, height).into_iter().enumerate() {
                        self.prompt.draw(buffer, line(index), &prompt.text, &self.prompt_row(prompt, at, theme), theme);
                    }
                }
                _ => self.draw_failure(buffer, inner, theme),
            },
            TemplatePane::Conversation => {
                for (index, at) in window(&Rows(self.visible.len()), self.tree.top, height).into_iter().enumerate() {
                    let Some(&node) = self.visible.get(at.row) else { continue };
                    let is_focused = self.focus == pane;
                    let is_selected = self.selection.node == Some(node) || (is_focused && at.row == self.tree.at.row);
                    let over = selection_style(is_selected, is_focused, theme);
                    words_of(buffer, line(index), &self.node_row(node), over, theme);
                }
            }
            TemplatePane::Problems => {
                let units = self.problem_units();
                let shown = window(&units, self.problem_list.top, height);
                if shown.is_empty() {
                    let words = match &self.problems {
                        Some(_) => Piece::new(" no problems in any conversation", Role::Good),
                        None if matches!(self.rendered, Some(Err(_))) => Piece::new("", Role::Dim),
                        None => Piece::new(" checking the template …", Role::Pending),
                    };
                    words_of(buffer, line(0), &Row::words(vec![words]), Style::new(), theme);
                }
                for (index, at) in shown.into_iter().enumerate() {
                    let lines = self.problem_lines(at.unit);
                    let Some(row) = lines.get(at.row) else { continue };
                    let is_selected =
                        at.unit == self.problem_list.at.unit && at.row == 0 && self.shown_problem.is_some();
                    let over = selection_style(is_selected, self.focus == pane, theme);
                    words_of(buffer, line(index), row, over, theme);
                }
            }
        }
    }

    /// The reason why there is no prompt.
    fn draw_failure(&self, buffer: &mut Buffer, inner: Area, theme: &Theme) {
        let mut writer = RowWriter::new(buffer, inner, theme);
        match &self.rendered {
            None => writer.put(&Row::plain(" reading the template …", Role::Pending)),
            Some(rendered) => write_failure(&mut writer, rendered),
        }
    }

    /// The row of a line of the source: tags coloured, problems underlined.
    fn source_row(&self, at: Anchor, theme: &Theme) -> TextRow {
        let (Some(template), Some(units)) = (self.template(), self.source_units()) else { return TextRow::default() };
        let bytes = units.bytes(at);
        let first = template.tags.partition_point(|tag| tag.range.end <= bytes.start);
        let tags = template.tags[first..].iter().take_while(|tag| tag.range.start < bytes.end);
        let roles = tags.map(|tag| {
            let role = match tag.kind {
                TagKind::Expression => Role::CodeProperty,
                TagKind::Statement => Role::CodeKeyword,
                TagKind::Comment => Role::CodeComment,
            };
            (tag.range.clone(), role)
        });
        let is_focused = self.focus == TemplatePane::Source;
        let problems =
            self.listed_problems().iter().map(|problem| (problem.diagnostic.span, problem.diagnostic.severity));
        let problems = problems.filter(|(span, _)| span.start < bytes.end && bytes.start < span.end);
        let mut over: Vec<(Range<usize>, Style)> =
            problems.map(|(span, severity)| (span.start..span.end, theme.style(span_role(severity)))).collect();
        let selected =
            self.selection.piece.zip(self.indexed()).map(|(piece, prompt)| prompt.pieces[piece].source.clone());
        let selected = selected.filter(|selected| overlap(selected, &bytes));
        let is_cursor = at == self.source.list.at && (is_focused || self.selection.piece.is_none());
        let is_marked = selected.is_some() || is_cursor;
        over.extend(selected.map(|selected| (selected, selection_style(true, is_focused, theme))));
        over.extend(self.matches(TemplatePane::Source, &bytes, theme));
        let is_first = at.row == 0 && template.source_index.begins_line(at.unit);
        let label = if is_first { template.source_index.line(at.unit).to_string() } else { String::new() };
        TextRow {
            is_ended: false,
            label,
            label_role: Role::LineNumber,
            is_marked,
            roles: roles.collect(),
            over,
            bytes: text_of(bytes, units.is_ended(at)),
        }
    }

    /// The row of a line of the prompt: bytes of messages coloured by message, control tokens marked.
    fn prompt_row(&self, prompt: &IndexedPrompt, at: Anchor, theme: &Theme) -> TextRow {
        let Some(units) = self.prompt_units() else { return TextRow::default() };
        let bytes = units.bytes(at);
        let (part, _) = prompt.index.bytes(at.unit);
        let spans = prompt.spans_in(&bytes);
        let is_focused = self.focus == TemplatePane::Prompt;
        let roles = self.fields().map_or(&[][..], |tree| tree.roles.as_slice());
        let roles = text_roles(prompt, roles, &bytes, &part);
        let mut row = TextRow { is_ended: units.is_ended(at), roles, ..TextRow::default() };
        for number in spans {
            let span = &prompt.spans[number];
            if self.is_tracing && span.owner == SpanOwner::Unknown {
                row.roles.push((span.range.clone(), Role::Text));
            }
            if row.label.is_empty()
                && !(self.is_tracing && span.owner == SpanOwner::Unknown)
                && overlap(&span.range, &bytes)
            {
                (row.label, row.label_role) = (label(span.owner), self.owner_role(span.owner));
            }
            let is_current = self.selection.span == Some(number);
            if is_current || self.is_related(span) {
                row.is_marked = true;
                row.over.push((span.range.clone(), selection_style(true, is_focused && is_current, theme)));
            }
        }
        row.is_marked |= is_focused && at == self.prompt.list.at;
        row.over.extend(self.matches(TemplatePane::Prompt, &bytes, theme));
        row.bytes = text_of(bytes, row.is_ended);
        row
    }

    /// The matches of the search in bytes of a pane, with their styles.
    fn matches(&self, pane: TemplatePane, bytes: &Range<usize>, theme: &Theme) -> Vec<(Range<usize>, Style)> {
        let Some(search) = self.search.as_ref().filter(|search| search.pane == pane) else { return Vec::new() };
        let role = |is_current| theme.style(if is_current { Role::MatchCurrent } else { Role::Match });
        search.matches_in(bytes).map(|(range, is_current)| (range, role(is_current))).collect()
    }

    /// True if the focused pane selects what wrote a span, or its field.
    fn is_related(&self, span: &OriginSpan) -> bool {
        match self.focus {
            TemplatePane::Source | TemplatePane::Problems => self.selection.piece == Some(span.piece),
            TemplatePane::Conversation => self.selection.node.zip(self.fields()).is_some_and(|(node, tree)| {
                tree.nodes.get(node).is_some_and(|node| span.field.is_some_and(|field| node.fields.contains(&field)))
            }),
            TemplatePane::Prompt => false,
        }
    }

    fn owner_role(&self, owner: SpanOwner) -> Role {
        owner_role(owner, self.fields().map_or(&[], |tree| tree.roles.as_slice()))
    }

    /// The selection as text: the line of the template, and the field.
    fn place(&self) -> Vec<Piece> {
        let Some(prompt) = self.indexed() else { return Vec::new() };
        // Where one pane has room, the bottom line says what is wrong.
        if self.shown_problem.is_some() && self.areas.of(TemplatePane::Problems).is_none() {
            return Vec::new();
        }
        let path = self.selected_path().map(|path| cut_in_front(path, PATH));
        let Some(span) = self.selection.span.map(|span| &prompt.spans[span]) else {
            let words = match (path, self.focus) {
                (Some(path), _) => format!(" {path} is not in the prompt "),
                (None, TemplatePane::Source) => " this line writes nothing ".to_owned(),
                (None, _) => String::new(),
            };
            return vec![Piece::new(words, Role::Status)];
        };
        let origin = if self.is_tracing { "origins: computing …".to_owned() } else { span.owner.words(path) };
        let line = self.source_line(prompt.pieces[span.piece].source.start);
        vec![Piece::new(format!(" line {line} → {origin} "), Role::Status)]
    }
}

/// The bytes of a row without the end of its line.
fn text_of(bytes: Range<usize>, is_ended: bool) -> Range<usize> {
    bytes.start..bytes.end - usize::from(is_ended)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The sign of an owner in the gutter.
fn label(owner: SpanOwner) -> String {
    match owner {
        SpanOwner::Message(number) => number.to_string(),
        SpanOwner::Tools => "T".to_owned(),
        SpanOwner::Unknown => "?".to_owned(),
        SpanOwner::Template | SpanOwner::Variable => String::new(),
    }
}

fn span_role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::ErrorSpan,
        Severity::Warning => Role::WarningSpan,
        Severity::Hint | Severity::Note => Role::HintSpan,
    }
}
