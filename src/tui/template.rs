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
use crate::template::fields::{InputField, TemplateInput};
use crate::template::probes::TemplateProbe;
use crate::template::roundtrip::{TurnParsers, read_turn};
use crate::template::source::{ChatTemplate, TemplateSet};
use crate::template::{self, PromptText, RenderOptions, StagedPrompt};
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
    /// File or directory of the tokenizer; nothing for the one in the template's directory.
    pub tokenizer: Option<PathBuf>,
    /// True if the problems of the template are wanted, too.
    pub is_checked: bool,
}

/// A result of a [`TemplateJob`].
pub enum TemplateEvent {
    /// The prompt, which comes first, without the origins of its bytes. The error says why the template cannot be read.
    Rendered(Result<Box<RenderedTemplate>, String>),
    /// The same prompt with the origins of its bytes, and the fields of the conversation.
    Traced(Box<(IndexedPrompt, FieldTree)>),
    /// The last answer of the model; nothing if the conversation has none, or the prompt is too long.
    Answered(Option<ModelAnswer>),
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

/// Longest conversation that a template is checked with, in bytes as JSON: this takes many renders of it.
const LONGEST_CHECKED: usize = 1 << 18;

impl TemplateJob {
    /// Reads, renders and checks the template, unless the job `is_cancelled`; `tell` receives the results.
    pub fn run(self, is_cancelled: impl Fn() -> bool, mut tell: impl FnMut(TemplateEvent)) {
        let (mut set, input) = match self.read() {
            Ok(read) => read,
            Err(words) => return tell(TemplateEvent::Rendered(Err(words))),
        };
        let Some(template) = set.chosen(input.conversation.tools.is_some()).cloned() else {
            return tell(TemplateEvent::Rendered(Err("it has no chat template".to_owned())));
        };
        if is_cancelled() {
            return;
        }
        let staged = StagedPrompt::new(&template, input.clone(), self.options.clone());
        let mut rendered = self.rendered(&set, &template, &input, staged.text());
        // Before the origins are found, it is not known which fields are shown.
        rendered.tree.nodes.iter_mut().for_each(|node| node.shown = None);
        let length = rendered.outcome.as_ref().ok().map(|prompt| prompt.text.len());
        tell(TemplateEvent::Rendered(Ok(Box::new(rendered))));
        if self.tokenizer.is_none() && !is_cancelled() {
            // A damaged tokenizer is reported by the check of the template.
            set.tokens = templates::read_tokens(&self.path).unwrap_or_default();
        }
        if let Some(length) = length {
            if let Ok(prompt) = staged.origins() {
                let (indexed, fields) = indexed(prompt, &set, &input);
                let tree = FieldTree::new(fields, roles(&input), Some(&indexed));
                tell(TemplateEvent::Traced(Box::new((indexed, tree))));
            }
            let is_short = length <= LONGEST_PROMPT && !is_cancelled();
            let answer = is_short.then(|| ModelAnswer::new(&template, &input, &self.options)).flatten();
            tell(TemplateEvent::Answered(answer));
        }
        if self.is_checked && !is_cancelled() {
            tell(TemplateEvent::Checked(check_set(&set, self.checked(), &self.options).problems));
        }
    }

    /// Reads and renders the template with the origins of all bytes.
    ///
    /// # Errors
    /// Says why the template cannot be read.
    pub fn prompt(&self) -> Result<Box<RenderedTemplate>, String> {
        let (set, input) = self.read()?;
        let template = set.chosen(input.conversation.tools.is_some()).ok_or("it has no chat template")?;
        let outcome = template::render(template, input.clone(), self.options.clone());
        Ok(Box::new(self.rendered(&set, template, &input, outcome)))
    }

    /// The templates of the path, and the conversation to render with the special tokens.
    fn read(&self) -> Result<(TemplateSet, TemplateInput), String> {
        let mut set = templates::read(&self.path).map_err(|error| format!("{error:#}"))?;
        if let Some(tokenizer) = &self.tokenizer {
            let tokens = templates::read_tokens(tokenizer).map_err(|error| format!("{error:#}"))?;
            if let Some(tokens) = tokens {
                set.use_tokens(tokens);
            }
        }
        let probe = self.probes.get(self.probe).ok_or("there is no conversation to render")?;
        let input = TemplateInput { conversation: probe.conversation.clone(), special_tokens: set.usual_tokens() };
        Ok((set, input))
    }

    fn rendered(
        &self,
        set: &TemplateSet,
        template: &ChatTemplate,
        input: &TemplateInput,
        outcome: Result<PromptText, TemplateFailure>,
    ) -> RenderedTemplate {
        let (outcome, fields) = match outcome {
            Ok(prompt) => {
                let (indexed, fields) = indexed(prompt, set, input);
                (Ok(indexed), fields)
            }
            Err(failure) => (Err(failure), input.fields()),
        };
        let source = unify_newlines(&template.source);
        RenderedTemplate {
            watched: watched(&self.path, &template.file),
            file: template.file.clone(),
            differing_file: set.differing_file.clone(),
            source_index: TextIndex::new(&source),
            tags: tags::tags(&source),
            source,
            tree: FieldTree::new(fields, roles(input), outcome.as_ref().ok()),
            outcome,
        }
    }

    /// The conversations to check the template with: the built-in ones in place of long ones.
    fn checked(&self) -> Vec<ProbedConversation> {
        let is_short = |probe: &&ProbedConversation| {
            let messages = serde_json::to_string(&probe.conversation.messages).map_or(0, |text| text.len());
            messages <= LONGEST_CHECKED
        };
        let short: Vec<ProbedConversation> = self.probes.iter().filter(is_short).cloned().collect();
        if short.is_empty() { TemplateProbe::all().iter().map(ProbedConversation::from).collect() } else { short }
    }
}

/// A prompt with its indexes, and its fields.
fn indexed(prompt: PromptText, set: &TemplateSet, input: &TemplateInput) -> (IndexedPrompt, Vec<InputField>) {
    let (indexed, mut fields) = IndexedPrompt::new(prompt, input.conversation.messages.len(), set.tokens.as_ref());
    // The clock is not a part of the conversation.
    fields.pop();
    (indexed, fields)
}

fn roles(input: &TemplateInput) -> Vec<String> {
    input.conversation.messages.iter().map(role).collect()
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
