//! A chat template for the screen: read, rendered and checked on another thread, with the indexes that the panes need.

pub mod fields;
pub mod prompt;
pub mod tags;
pub mod text_index;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::config::templates;
use crate::template::assistant::assistant_turn;
use crate::template::check::{ProbedConversation, TemplateProblem, check_set};
use crate::template::engine::rewrite::unify_newlines;
use crate::template::failure::TemplateFailure;
use crate::template::fields::TemplateInput;
use crate::template::roundtrip::{TurnParsers, read_turn};
use crate::template::source::{ChatTemplate, TemplateSet};
use crate::template::{self, RenderOptions};
use crate::value::schema::Schemas;

use fields::FieldTree;
use prompt::IndexedPrompt;
use tags::TemplateTag;
use text_index::TextIndex;

/// A template to read and render.
#[derive(Clone)]
pub struct TemplateJob {
    /// A template file, or the directory of a model.
    pub path: PathBuf,
    /// Conversations to check the template with; one of them is rendered.
    pub probes: Arc<[ProbedConversation]>,
    /// Index of the conversation to render.
    pub probe: usize,
    /// Variables, runtime, clock and generation prompt.
    pub options: RenderOptions,
    /// True if the problems of the template are wanted, too.
    pub is_checked: bool,
}

/// A result of a [`TemplateJob`].
pub enum TemplateEvent {
    /// The prompt, which comes first. The error says why the template cannot be read.
    Rendered(Result<Box<RenderedTemplate>, String>),
    /// The problems of the template; their spans are of its source.
    Checked(Vec<TemplateProblem>),
}

/// A template with its prompt, or with the reason why it has none.
pub struct RenderedTemplate {
    /// The file in the path that has the template.
    pub file: String,
    /// The file whose changes to follow; nothing for a file that is too large to be read again.
    pub watched: Option<PathBuf>,
    /// Another file of the directory with a different template.
    pub differing_file: Option<String>,
    /// The template, with `\n` as ends of lines.
    pub source: String,
    /// Lines of the template, cut into parts that can be drawn.
    pub source_index: TextIndex,
    /// Its tags and comments, in order.
    pub tags: Vec<TemplateTag>,
    /// The prompt with the origin of its bytes.
    pub outcome: Result<IndexedPrompt, TemplateFailure>,
    /// The fields of the conversation.
    pub tree: FieldTree,
    /// The last answer of the model; nothing if the conversation has none, or the prompt is too long.
    pub answer: Option<ModelAnswer>,
}

/// An answer of the model as the template writes it and parsers get it.
#[derive(Clone)]
pub struct ModelAnswer {
    /// Its text, after the end of the prompt that belongs to it, such as `<think>`.
    pub text: String,
    /// Dialects whose parsers read it; if empty, detection decides.
    pub dialects: Vec<&'static str>,
    /// Schemas of the conversation's tools.
    pub schemas: Option<Arc<Schemas>>,
}

impl ModelAnswer {
    /// The last answer of a conversation.
    fn new(template: &ChatTemplate, input: &TemplateInput, options: &RenderOptions) -> Option<Self> {
        let mut input = input.clone();
        let messages = &mut input.conversation.messages;
        let last = messages.iter().rposition(|message| message.get("role").is_some_and(|role| role == "assistant"))?;
        messages.truncate(last + 1);
        let turn = assistant_turn(template, &input, options).ok()?;
        let reading = read_turn(turn, &input.conversation, &TurnParsers::default());
        let tools = Value::Array(input.conversation.tools.unwrap_or_default()).to_string();
        Some(Self {
            text: format!("{}{}", reading.opening, reading.turn.text()),
            dialects: reading.dialects,
            schemas: Schemas::parse("tools", tools.as_bytes()).ok().map(Arc::new),
        })
    }
}

/// Longest prompt whose answer is taken out, in bytes: this takes further renders.
const LONGEST_PROMPT: usize = 1 << 20;

impl TemplateJob {
    /// Reads, renders and checks the template, unless the job `is_cancelled`; `tell` receives the results.
    pub fn run(self, is_cancelled: impl Fn() -> bool, mut tell: impl FnMut(TemplateEvent)) {
        let set = match templates::read(&self.path) {
            Ok(set) => set,
            Err(error) => return tell(TemplateEvent::Rendered(Err(format!("{error:#}")))),
        };
        if is_cancelled() {
            return;
        }
        tell(TemplateEvent::Rendered(self.render(&set, true)));
        if self.is_checked && !is_cancelled() {
            tell(TemplateEvent::Checked(check_set(&set, self.probes.to_vec(), &self.options).problems));
        }
    }

    /// Reads and renders the template, without the model's answer.
    ///
    /// # Errors
    /// Says why the template cannot be read.
    pub fn prompt(&self) -> Result<Box<RenderedTemplate>, String> {
        let set = templates::read(&self.path).map_err(|error| format!("{error:#}"))?;
        self.render(&set, false)
    }

    fn render(&self, set: &TemplateSet, has_answer: bool) -> Result<Box<RenderedTemplate>, String> {
        let probe = self.probes.get(self.probe).ok_or("there is no conversation to render")?;
        let conversation = probe.conversation.clone();
        let template = set.chosen(conversation.tools.is_some()).ok_or("it has no chat template")?;
        let roles: Vec<String> = conversation.messages.iter().map(role).collect();
        let input = TemplateInput { conversation, special_tokens: set.usual_tokens() };
        let (mut answer, options) = (None, &self.options);
        let (outcome, fields) = match template::render(template, input.clone(), self.options.clone()) {
            Ok(mut prompt) => {
                let mut fields = std::mem::take(&mut prompt.fields);
                if has_answer && prompt.text.len() <= LONGEST_PROMPT {
                    answer = ModelAnswer::new(template, &input, options);
                }
                let indexed = IndexedPrompt::new(prompt, &fields);
                // The clock is not a part of the conversation.
                fields.pop();
                (Ok(indexed), fields)
            }
            Err(failure) => (Err(failure), input.fields()),
        };
        let source = unify_newlines(&template.source);
        Ok(Box::new(RenderedTemplate {
            watched: watched(&self.path, &template.file),
            file: template.file.clone(),
            differing_file: set.differing_file.clone(),
            source_index: TextIndex::new(&source),
            tags: tags::tags(&source),
            source,
            tree: FieldTree::new(fields, roles, outcome.as_ref().ok()),
            outcome,
            answer,
        }))
    }
}

fn role(message: &Value) -> String {
    message.get("role").and_then(Value::as_str).unwrap_or("no role").to_owned()
}

/// The file to follow. A GGUF file is not among them: it has the weights, too.
fn watched(path: &Path, file: &str) -> Option<PathBuf> {
    let path = if path.is_dir() { path.join(file) } else { path.to_path_buf() };
    let is_text = path.extension().is_some_and(|extension| extension == "jinja" || extension == "json");
    (is_text && path.is_file()).then_some(path)
}
