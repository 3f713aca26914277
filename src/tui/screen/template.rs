//! A chat template: its source, the prompt that it writes and the conversation side by side, with one selection, and its
//! problems below.
//!
//! The template is read, rendered and checked on another thread. Text is laid out where it is visible; indexes of the
//! prompt ([`IndexedPrompt`]) lead from each byte to the template and to the conversation, and back.

mod choice;
mod conversation;
mod layout;
mod problems;
pub mod recorded;
mod screen;
mod search;
mod selection;

mod update;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::template::RenderOptions;
use crate::template::check::{ProbedConversation, TemplateProblem};
use crate::template::conversation::TemplateRuntime;
use crate::template::probes::TemplateProbe;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::keymap::ScreenId;
use crate::tui::list::ListState;
use crate::tui::screen::chrome::Chrome;
use crate::tui::template::fields::FieldTree;
use crate::tui::template::prompt::IndexedPrompt;
use crate::tui::template::{ModelAnswer, RenderedTemplate, TemplateEvent, TemplateJob};
use crate::tui::widget::text::TextPane;

use choice::ListChoice;
use layout::{TemplateAreas, TemplatePane};
use recorded::SessionPrompt;
use search::PaneSearch;
use selection::TemplateSelection;

/// A template to open, with conversations to render.
#[derive(Clone)]
pub struct OpenedTemplate {
    /// A template file, or the directory of a model.
    pub path: PathBuf,
    /// Conversations to choose from; at least one.
    pub probes: Arc<[ProbedConversation]>,
    /// Name of the first one to render.
    pub first: String,
    /// Variables, runtime and clock.
    pub options: RenderOptions,
    /// File or directory of the tokenizer; nothing for the one in the template's directory.
    pub tokenizer: Option<PathBuf>,
}

/// The screen of a chat template.
pub struct TemplateScreen {
    /// The chrome around the panes.
    pub chrome: Chrome,
    /// Id of its tab.
    pub tab: usize,
    opened: OpenedTemplate,
    /// Index of the rendered conversation.
    probe: usize,
    /// True if what precedes the answer is rendered; nothing for the usual of the conversation.
    generation_prompt: Option<bool>,
    /// Number of the last job.
    job: usize,
    /// True until the job that is needed was started.
    is_due: bool,
    /// Cancels the job when it is dropped.
    cancel_guard: CancelGuard,
    /// True while the prompt of the last job is missing.
    is_rendering: bool,
    /// True while the origins of the prompt's bytes are missing.
    is_tracing: bool,
    /// The last answer of the shown conversation.
    answer: Option<ModelAnswer>,
    /// The template and its prompt, or why there is none; nothing at first.
    rendered: Option<Result<Box<RenderedTemplate>, String>>,
    /// The problems, the most severe first; nothing until the template was checked.
    problems: Option<Vec<TemplateProblem>>,
    /// The content of the followed file when it was read last.
    file_text: Option<String>,
    focus: TemplatePane,
    selection: TemplateSelection,
    source: TextPane,
    prompt: TextPane,
    /// The selected row of the tree and the first visible one.
    tree: ListState,
    /// Indexes of the nodes that are not below a folded one.
    visible: Vec<usize>,
    /// Paths of nodes that are folded or unfolded other than usual.
    flipped: HashSet<String>,
    /// The selected problem and the first visible one.
    problem_list: ListState,
    /// The problem that was shown last, until another conversation is chosen.
    shown_problem: Option<usize>,
    /// The problem to show once its conversation is rendered.
    awaited_problem: Option<usize>,
    /// Id of the tab with the session that the conversation is from.
    pub session: Option<usize>,
    /// The message to show once it is rendered, and what to say about the conversation.
    awaited_message: Option<(usize, String)>,
    /// The byte of the prompt to show once it is rendered.
    awaited_byte: Option<usize>,
    /// The last search, of the shown texts.
    search: Option<PaneSearch>,
    /// The list to choose from, while it is open.
    choice: Option<ListChoice>,
    areas: TemplateAreas,
}

impl TemplateScreen {
    /// A screen for a template that is read once the screen is shown.
    pub fn new(opened: OpenedTemplate) -> Self {
        let probe = opened.probes.iter().position(|probe| probe.name == opened.first).unwrap_or_default();
        Self {
            chrome: Chrome::new(ScreenId::Template),
            tab: 0,
            opened,
            probe,
            generation_prompt: None,
            job: 0,
            is_due: true,
            cancel_guard: CancelGuard::default(),
            is_rendering: true,
            is_tracing: false,
            answer: None,
            rendered: None,
            problems: None,
            file_text: None,
            focus: TemplatePane::Prompt,
            selection: TemplateSelection::default(),
            source: TextPane::default(),
            prompt: TextPane::default(),
            tree: ListState::default(),
            visible: Vec::new(),
            flipped: HashSet::new(),
            problem_list: ListState::default(),
            shown_problem: None,
            awaited_problem: None,
            session: None,
            awaited_message: None,
            awaited_byte: None,
            search: None,
            choice: None,
            areas: TemplateAreas::default(),
        }
    }

    /// A screen for a conversation of the session in the tab with an id.
    pub fn of_session(prompt: SessionPrompt, session: usize) -> Self {
        let SessionPrompt { template, probe, message, notes } = prompt;
        let first = probe.name.clone();
        let built_in = TemplateProbe::all();
        let probes = std::iter::once(probe).chain(built_in.iter().map(ProbedConversation::from)).collect();
        let opened =
            OpenedTemplate { path: template, probes, first, options: RenderOptions::default(), tokenizer: None };
        let words = if notes.is_empty() { String::new() } else { format!("note: {}", notes.join("; ")) };
        let awaited_message = message.map(|message| (message, words));
        Self { session: Some(session), awaited_message, ..Self::new(opened) }
    }

    /// The last job and a check for whether it was cancelled; `None` if another one is awaited.
    pub fn job(&self, number: usize) -> Option<(TemplateJob, impl Fn() -> bool + Send + use<>)> {
        (self.job == number).then(|| (self.job_now(self.problems.is_none()), self.cancel_guard.is_cancelled()))
    }

    /// The job that renders what is shown; `is_checked` if the problems are wanted, too.
    pub fn job_now(&self, is_checked: bool) -> TemplateJob {
        let usual = self.opened.probes.get(self.probe).is_some_and(|probe| probe.generation_prompt);
        let add_generation_prompt = self.generation_prompt.unwrap_or(usual);
        TemplateJob {
            path: self.opened.path.clone(),
            probes: Arc::clone(&self.opened.probes),
            probe: self.probe,
            options: RenderOptions { add_generation_prompt, ..self.opened.options.clone() },
            tokenizer: self.opened.tokenizer.clone(),
            is_checked,
        }
    }

    /// Takes in a result of the job with a number; ignored if another one is awaited.
    pub fn take(&mut self, number: usize, event: TemplateEvent) {
        if number != self.job {
            return;
        }
        match event {
            TemplateEvent::Rendered(rendered) => {
                self.is_rendering = false;
                self.rendered = Some(rendered);
                self.is_tracing = self.indexed().is_some();
                self.answer = None;
                self.show_rendered();
            }
            TemplateEvent::Traced(traced) => {
                self.is_tracing = false;
                if let Some(Ok(rendered)) = &mut self.rendered {
                    let (indexed, tree) = *traced;
                    rendered.outcome = Ok(indexed);
                    rendered.tree = tree;
                }
                self.show_traced();
            }
            TemplateEvent::Answered(answer) => self.answer = answer,
            TemplateEvent::Checked(mut problems) => {
                problems.sort_by_key(|problem| std::cmp::Reverse(problem.diagnostic.severity));
                self.problems = Some(problems);
                self.arrange();
            }
        }
    }

    /// Renders again with the next frame.
    fn render_again(&mut self) {
        self.is_due = true;
        self.is_rendering = true;
    }

    /// The template, if it could be read.
    fn template(&self) -> Option<&RenderedTemplate> {
        self.rendered.as_ref()?.as_ref().ok().map(|rendered| &**rendered)
    }

    /// The prompt, if the template could be rendered.
    fn indexed(&self) -> Option<&IndexedPrompt> {
        self.template()?.outcome.as_ref().ok()
    }

    fn fields(&self) -> Option<&FieldTree> {
        self.template().map(|template| &template.tree)
    }

    fn runtime(&self) -> TemplateRuntime {
        self.opened.options.runtime
    }

    /// The last answer of the shown conversation, with a name for it.
    pub fn answer(&self) -> Option<(ModelAnswer, String)> {
        let probe = self.opened.probes.get(self.probe).map_or("", |probe| probe.name.as_str());
        Some((self.answer.clone()?, format!("{} {probe}", self.name())))
    }

    /// True until the origins of all bytes are found.
    pub fn is_tracing(&self) -> bool {
        self.is_rendering || self.is_tracing
    }

    /// The template's file, or the directory of the model.
    pub fn path(&self) -> &Path {
        &self.opened.path
    }

    /// The name of the template's file, for titles.
    pub fn name(&self) -> String {
        let path = &self.opened.path;
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }
}
