//! Actions on a template: moving the selection, choosing what is rendered, and taking in results.

use std::ops::ControlFlow;

use crate::template::conversation::TemplateRuntime;
use crate::tui::action::{Action, CopyForm, next_in_ring};
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::screen::template::selection::TemplateSelection;
use crate::tui::style::Role;
use crate::tui::template::TemplateJob;
use crate::tui::template::fields::FieldNode;
use crate::tui::template::prompt::SpanOwner;
use crate::tui::viewport::{self, Anchor};

pub(super) fn act(screen: &mut TemplateScreen, action: Action) -> Option<Effect> {
    let action = match screen.act_in_choice(action) {
        ControlFlow::Break(effect) => return effect,
        ControlFlow::Continue(action) => action,
    };
    match action {
        Action::Move(motion) => {
            screen.go(motion);
            if screen.focus == TemplatePane::Problems {
                screen.show_problem(screen.problem_list.at.unit);
            }
        }
        Action::FocusNext(direction) => {
            let count = TemplatePane::ALL.len();
            screen.focus_on(TemplatePane::ALL[next_in_ring(screen.focus as usize, direction, count)]);
        }
        Action::FocusNumber(number) => {
            if let Some(pane) = number.checked_sub(1).and_then(|index| TemplatePane::ALL.get(index)) {
                screen.focus_on(*pane);
            }
        }
        Action::Open => screen.step(1),
        Action::Close => screen.step(-1),
        Action::Toggle if screen.focus == TemplatePane::Problems => screen.focus_on(TemplatePane::Source),
        Action::Toggle => screen.next_place(),
        Action::Problem(direction) => screen.go_to_problem(direction),
        Action::Search => screen.chrome.ask(PromptKind::Pattern, ""),
        Action::Match(direction) => screen.go_to_match(direction > 0),
        Action::Cancel if screen.chrome.prompt.take().is_some() => {}
        Action::Cancel if screen.search.take().is_some() => {}
        Action::Probes => screen.choose_probe(),
        Action::NextRuntime => {
            let at = TemplateRuntime::ALL.iter().position(|runtime| *runtime == screen.runtime()).unwrap_or_default();
            let runtime = TemplateRuntime::ALL[next_in_ring(at, 1, TemplateRuntime::ALL.len())];
            screen.opened.options.runtime = runtime;
            screen.chrome.show_message(format!("rendered as {} does it", runtime.name()), Role::Dim);
            screen.render_again();
        }
        Action::GenerationPrompt => {
            let usual = screen.opened.probes.get(screen.probe).is_some_and(|probe| probe.generation_prompt);
            let is_on = !screen.generation_prompt.unwrap_or(usual);
            screen.generation_prompt = Some(is_on);
            let words = if is_on { "with the generation prompt" } else { "without the generation prompt" };
            screen.chrome.show_message(words, Role::Dim);
            screen.render_again();
        }
        Action::Copy(form) => return copy(screen, form),
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

/// Copies the selected bytes, or the whole prompt.
fn copy(screen: &mut TemplateScreen, form: CopyForm) -> Option<Effect> {
    let copied = match form {
        CopyForm::Block => screen.indexed().map(|prompt| Copied::new("the prompt", &prompt.text)),
        CopyForm::Pointer => screen.selected_path().map(|path| Copied::new("the path of the field", path)),
        _ if screen.focus == TemplatePane::Source => screen.selection.piece.and_then(|piece| {
            let range = screen.indexed()?.pieces.get(piece)?.source.clone();
            Some(Copied::new("the part of the template", screen.template()?.source.get(range)?))
        }),
        _ => screen.selection.span.and_then(|span| {
            let prompt = screen.indexed()?;
            Some(Copied::new("the part of the prompt", prompt.text.get(prompt.spans.get(span)?.range.clone())?))
        }),
    };
    match copied {
        Some(copied) => Some(Effect::Run(Task::Copy(copied))),
        None => screen.chrome.refuse("nothing is selected"),
    }
}

/// A click selects what is under it.
pub(super) fn click(screen: &mut TemplateScreen, x: u16, y: u16) -> Option<Effect> {
    if screen.choice.is_some() {
        let row = screen.choice_at(x, y);
        return screen.choose(row);
    }
    select_at(screen, x, y);
    None
}

fn select_at(screen: &mut TemplateScreen, x: u16, y: u16) {
    let Some(pane) = screen.areas.pane_at(x, y) else { return };
    screen.focus_on(pane);
    // The panes may have moved.
    let inner = screen.areas.inner(pane);
    let Some(row) = y.checked_sub(inner.y).filter(|_| inner.contains(x, y)).map(usize::from) else { return };
    let room = screen.room(pane);
    let mut at = None;
    screen.scroll(pane, |list, units| {
        at = viewport::window(units, list.top, room.height).get(row).copied();
        if let Some(at) = at {
            list.choose(units, at, room);
        }
    });
    let Some(at) = at else { return };
    let column = usize::from(x - inner.x);
    match pane {
        TemplatePane::Source => {
            let text = column.saturating_sub(screen.source.text_column());
            let offset = screen.source_units().map(|units| units.offset(at, text));
            let piece = offset.and_then(|offset| screen.indexed()?.piece_at(offset));
            screen.select_piece(piece);
        }
        TemplatePane::Prompt => {
            let text = column.saturating_sub(screen.prompt.text_column());
            let offset = screen.prompt_units().map(|units| units.offset(at, text));
            let span = offset.and_then(|offset| screen.indexed()?.span_at(offset));
            screen.select_span(span);
        }
        TemplatePane::Conversation => screen.select_here(),
        TemplatePane::Problems => screen.show_problem(at.unit),
    }
}

pub(super) fn wheel(screen: &mut TemplateScreen, x: u16, y: u16, direction: i8) {
    let pane = screen.areas.pane_at(x, y).unwrap_or(screen.focus);
    let room = screen.room(pane);
    screen.scroll(pane, |list, units| list.wheel(units, direction, room));
}

/// Searches for the pattern that was typed; a prompt of another kind is closed.
pub(super) fn submit(screen: &mut TemplateScreen) {
    let Some(prompt) = screen.chrome.prompt.take().filter(|prompt| prompt.kind == PromptKind::Pattern) else { return };
    screen.search_for(prompt.input.value().trim());
}

/// Another program has saved the template with this content.
pub(super) fn reloaded(screen: &mut TemplateScreen, text: String) {
    // The first content is usually the one that was rendered.
    let is_known = match (&screen.file_text, screen.template()) {
        (Some(known), _) => *known == text,
        (None, Some(template)) => template.source == text || text.trim_start().starts_with('{'),
        (None, None) => false,
    };
    let is_first = screen.file_text.is_none();
    screen.file_text = Some(text);
    if !is_known {
        screen.problems = None;
        screen.shown_problem = None;
        screen.render_again();
        if !is_first {
            screen.chrome.show_message("the template was saved: rendered again", Role::Dim);
        }
    }
}

impl TemplateScreen {
    /// Moves the focus to a pane.
    pub(super) fn focus_on(&mut self, pane: TemplatePane) {
        self.focus = pane;
        self.arrange();
    }

    /// Shows a byte of the prompt that a job writes: of the conversation and the runtime of that job.
    pub fn show_byte(&mut self, job: &TemplateJob, offset: usize) {
        let name = job.probes.get(job.probe).map(|probe| &probe.name);
        let Some(probe) = self.opened.probes.iter().position(|probe| Some(&probe.name) == name) else {
            return self.chrome.show_message("this template was opened with other conversations", Role::Warning);
        };
        let shown = self.job_now(false).options;
        let is_shown = !self.is_rendering
            && probe == self.probe
            && (shown.runtime, shown.add_generation_prompt) == (job.options.runtime, job.options.add_generation_prompt);
        self.focus_on(TemplatePane::Prompt);
        if is_shown {
            return self.show_offset(offset);
        }
        self.probe = probe;
        self.opened.options.runtime = job.options.runtime;
        self.generation_prompt = Some(job.options.add_generation_prompt);
        self.awaited_byte = Some(offset);
        self.render_again();
    }

    /// Selects a message of the conversation, and its first part in the prompt.
    fn show_message(&mut self, message: usize) {
        let is_it = |node: &FieldNode| node.depth == 0 && node.owner == SpanOwner::Message(message);
        let node = self.fields().and_then(|tree| tree.nodes.iter().position(is_it));
        self.select_node(node);
        self.show_prompt();
        if let Some(node) = node {
            self.unfold_to(node);
        }
    }

    /// Selects the part of the prompt with a byte.
    fn show_offset(&mut self, offset: usize) {
        let span = self.indexed().and_then(|prompt| prompt.span_at(offset));
        self.select_span(span);
        let at = self.prompt_units().map(|units| units.anchor(offset));
        self.reveal_at(TemplatePane::Prompt, at);
    }

    /// The path of the selected field.
    pub(super) fn selected_path(&self) -> Option<&str> {
        let node = self.selection.node?;
        self.fields()?.nodes.get(node).map(|node| node.path.as_str())
    }

    /// Shows what was rendered, before the origins of its bytes are found: the same place as before in the focused pane.
    pub(super) fn show_rendered(&mut self) {
        self.source.forget();
        self.prompt.forget();
        self.search = None;
        self.selection = TemplateSelection::default();
        self.list_nodes();
        self.arrange();
        if self.indexed().is_none() {
            self.show_traced();
        } else if self.focus != TemplatePane::Conversation {
            self.select_here();
        }
    }

    /// Shows the awaited place once the origins of all bytes are known, or what was selected without them.
    pub(super) fn show_traced(&mut self) {
        self.selection = TemplateSelection::default();
        self.list_nodes();
        self.arrange();
        let failed = self.template().and_then(|template| template.outcome.as_ref().err()?.line);
        if let Some(number) = self.awaited_problem.take() {
            self.show_place_of(number);
        } else if let Some(offset) = self.awaited_byte.take() {
            self.show_offset(offset);
        } else if failed.is_none()
            && let Some((message, words)) = self.awaited_message.take()
        {
            self.show_message(message);
            if !words.is_empty() {
                self.chrome.show_message(words, Role::Warning);
            }
        } else if let Some(line) = failed {
            let unit = self.template().map_or(0, |template| template.source_index.part_of_line(line));
            self.reveal_at(TemplatePane::Source, Some(Anchor { unit, ..Anchor::default() }));
        } else {
            self.select_here();
        }
    }
}
