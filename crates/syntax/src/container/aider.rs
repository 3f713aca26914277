//! Chats of aider in a directory: `.aider.chat.history.md`, to which each chat is appended.
//!
//! | a line begins with | speaker |
//! |---|---|
//! | `# aider chat started at ` | none: a chat begins |
//! | `#### ` | the user: lines in a row are one prompt; a command such as `/undo` is for the program |
//! | `> ` | the program: questions with their answers, errors, outcomes of edits |
//! | anything else | the model |
//!
//! If the program prints several lines, such as the output of a command, only the first may be quoted: the text
//! continues until another speaker follows. A heading of level four or a quotation by the model looks like these
//! lines. The outcome of an edit follows it, with the path: `Applied edit to PATH`, or `The LLM did not conform to
//! the edit format.` with the paths of blocks that match nothing. A line of the program gives the rounded tokens of
//! the answer before it, and its cost: `Tokens: 9.9k sent, 8k cache hit, 3.8k received. Cost: $0.16 message, $0.26
//! session.`; cache hits are part of the tokens sent. Edits that are whole files or diffs are calls if the program
//! has named that format.

pub(super) mod edits;
mod facts;
pub(super) mod requests;

use super::facts::Origin;
use super::fragment::Fragment;
use super::lines::{Lines, TakeLines, without_end};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, Message,
    MessagePart, MessageRole, ToolResult,
};
use edits::{EditBlocks, EditForm, OpenEdit};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "aider",
    title: "chats of aider",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| match head {
            FileHead::Line(line) if line.starts_with(STARTED) => {
                Some(Claim::Sure("a line says when a chat of aider started"))
            }
            _ => None,
        },
        open: || FormatReader::Text(Box::<Lines<Chats>>::default()),
    },
};

/// Start of a mode line, which tells an editor how to display the file.
const MODE_LINE: &[u8] = b"-*- ";

const STARTED: &[u8] = b"# aider chat started at ";

/// Message about an edit that was applied.
const APPLIED: &[u8] = b"Applied edit to ";

/// Message if some of the edits of an answer were not applied.
const REFUSED: &[u8] = b"The LLM did not conform to the edit format";

/// Message about one of them; the path follows.
const UNMATCHED: &[u8] = b"failed to exactly match lines in ";

/// Message about the edits that were applied anyway.
const OTHERS: &[u8] = b"were applied successfully";

/// Prefixes of the model's name.
const MODELS: [&[u8]; 3] = [b"Main model: ", b"Models: ", b"Model: "];

/// Text after the name of a model whose edits are not search and replace blocks.
const FORMS: [(&[u8], EditForm); 3] = [
    (b" with whole edit format", EditForm::WholeFiles),
    (b" with udiff edit format", EditForm::Diffs),
    (b" with udiff-simple edit format", EditForm::Diffs),
];

/// Lines of the program that follow an answer, and so end a block that the model left open.
const BEHIND_ANSWER: [&[u8]; 5] = [b"Tokens: ", b"^C", APPLIED, REFUSED, b"Commit "];

/// Commands that the program carries out itself, without a request to the model.
const LOCAL_COMMANDS: [&[u8]; 30] = [
    b"add",
    b"chat-mode",
    b"clear",
    b"commit",
    b"copy",
    b"copy-context",
    b"diff",
    b"drop",
    b"edit",
    b"editor",
    b"editor-model",
    b"exit",
    b"git",
    b"load",
    b"ls",
    b"map",
    b"map-refresh",
    b"model",
    b"models",
    b"multiline-mode",
    b"quit",
    b"read-only",
    b"reset",
    b"save",
    b"settings",
    b"think-tokens",
    b"tokens",
    b"undo",
    b"weak-model",
    b"web",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Speaker {
    #[default]
    Nobody,
    User,
    Program,
    Model,
}

/// Kind of the line before the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineBefore {
    #[default]
    Words,
    /// An empty line of any speaker.
    Blank,
    /// A line marked as the program's.
    Quoted,
}

/// The speaker of the current chat, and edits whose outcome is not known yet.
#[derive(Default)]
struct Chats {
    speaker: Speaker,
    blocks: EditBlocks,
    /// Edits of the last answer whose outcome is not known yet.
    open: Vec<OpenEdit>,
    /// The message that rejected some of them.
    refusal: Option<Fragment>,
    before: LineBefore,
    /// True while the program prints a text of several lines, of which only the first is quoted.
    is_printing: bool,
    /// True if further text of the program belongs to the open part.
    is_telling: bool,
    /// The model that the program named.
    model: Option<Box<str>>,
    /// The local command at the start of the next prompt.
    command: Option<Box<str>>,
    /// Start of the chat, until a message has stated it.
    began: Option<Box<str>>,
}

impl Chats {
    fn switch_speaker(&mut self, speaker: Speaker, out: &mut TextWriter) {
        if self.speaker == speaker {
            return;
        }
        match std::mem::replace(&mut self.speaker, speaker) {
            Speaker::Model => {
                self.blocks.end(out);
                self.open.extend(self.blocks.take_edits());
            }
            Speaker::Program => self.refuse_rest(out),
            Speaker::Nobody | Speaker::User => {}
        }
        match speaker {
            Speaker::Nobody => {}
            Speaker::User => {
                self.open.clear();
                let label = self.command.take();
                let origin = if label.is_some() { Origin::Client } else { Origin::Prompt };
                out.message(Message { origin, label, ..Message::from_role(MessageRole::User) });
                out.begin(MessagePart::Text(Interpretation::Shown));
            }
            Speaker::Program => {
                let time = self.began.take();
                out.message(Message { time, ..Message::from_role(MessageRole::Tool) }.with_label("aider"));
                self.is_telling = false;
            }
            Speaker::Model => {
                self.open.clear();
                out.message(Message { model: self.model.clone(), ..Message::from_role(MessageRole::Assistant) });
            }
        }
    }

    /// Begins a chat, which has nothing in common with the one before it.
    fn begin_chat(&mut self, line: &[u8], at: usize, out: &mut TextWriter) {
        self.switch_speaker(Speaker::Nobody, out);
        self.open.clear();
        self.model = None;
        self.before = LineBefore::Words;
        self.is_printing = false;
        self.blocks.takes_form(EditForm::Blocks);
        let time: Box<str> = String::from_utf8_lossy(&without_end(line)[STARTED.len()..]).trim().into();
        self.began = Some(time.clone());
        out.conversation(Some(time));
        self.switch_speaker(Speaker::Program, out);
        self.add_program_text(line, at, out);
    }

    /// Text of the program at `at`; leading empty lines are dropped.
    fn add_program_text(&mut self, words: &[u8], at: usize, out: &mut TextWriter) {
        if !self.is_telling {
            if words.trim_ascii().is_empty() {
                return;
            }
            self.is_telling = true;
            out.begin(MessagePart::Envelope("aider".into()));
        }
        out.copy(words, at);
    }

    /// Writes the same text as the results of several calls.
    fn results(&mut self, edits: Vec<OpenEdit>, verdict: CallOutcome, words: &Fragment, out: &mut TextWriter) {
        self.is_telling = false;
        for edit in edits {
            out.piece(MessagePart::Result(ToolResult { call: Some(edit.id), outcome: verdict }), words);
        }
    }

    /// A line of the program, which may report the outcome of edits; its first `skipped` bytes are the quote marker.
    fn program(&mut self, line: &[u8], at: usize, skipped: usize, out: &mut TextWriter) {
        self.switch_speaker(Speaker::Program, out);
        let words = &line[skipped..];
        let said = words.trim_ascii();
        if let Some(model) = MODELS.iter().find_map(|begin| said.strip_prefix(*begin)) {
            let name = model.split(|byte| matches!(byte, b' ' | b',')).next().unwrap_or_default();
            self.model = Some(String::from_utf8_lossy(name).into());
            let form = FORMS.iter().find(|(words, _)| memchr::memmem::find(model, words).is_some());
            self.blocks.takes_form(form.map_or(EditForm::Blocks, |(_, form)| *form));
        }
        let mut told = Fragment::default();
        told.bytes(words, at + skipped);
        if let Some(request) = facts::request(said, self.model.as_deref()) {
            out.fact(request);
        }
        let unmatched = memchr::memmem::find(said, UNMATCHED).map(|found| &said[found + UNMATCHED.len()..]);
        let (told_of, verdict) = if let Some(path) = said.strip_prefix(APPLIED) {
            let made = self.open.extract_if(.., |edit| *edit.path == *path).collect();
            (made, CallOutcome::Succeeded)
        } else if let Some(path) = unmatched {
            let found = self.open.iter().position(|edit| *edit.path == *path);
            (found.map(|found| self.open.remove(found)).into_iter().collect(), CallOutcome::Failed)
        } else if self.refusal.is_some() && memchr::memmem::find(said, OTHERS).is_some() {
            self.refusal = None;
            (std::mem::take(&mut self.open), CallOutcome::Succeeded)
        } else {
            (Vec::new(), CallOutcome::Unknown)
        };
        if said.starts_with(REFUSED) && !self.open.is_empty() {
            self.refusal = Some(told.clone());
        }
        if told_of.is_empty() {
            self.add_program_text(words, at + skipped, out);
        } else {
            self.results(told_of, verdict, &told, out);
        }
    }

    /// Rejects the remaining edits, about which the program prints nothing further.
    fn refuse_rest(&mut self, out: &mut TextWriter) {
        if let Some(words) = self.refusal.take() {
            let refused = std::mem::take(&mut self.open);
            self.results(refused, CallOutcome::Failed, &words, out);
        }
    }
}

/// The command in a user's text if it is carried out without the model: `/undo`. Two letters or more of its beginning
/// name it as well.
fn local_command(words: &[u8]) -> Option<Box<str>> {
    let name = words.strip_prefix(b"/")?.split(u8::is_ascii_whitespace).next()?;
    let is_local = name.len() > 1 && LOCAL_COMMANDS.iter().any(|command| command.starts_with(name));
    is_local.then(|| format!("/{}", String::from_utf8_lossy(name)).into())
}

impl TakeLines for Chats {
    fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter) {
        if !is_start {
            match self.speaker {
                Speaker::Model => self.blocks.take(line, at, false, out),
                Speaker::Program => self.add_program_text(line, at, out),
                _ => out.copy(line, at),
            }
            return;
        }
        let bare = without_end(line);
        let quoted = bare.strip_prefix(b"> ");
        if bare.starts_with(STARTED) {
            return self.begin_chat(line, at, out);
        }
        let is_blank = bare.trim_ascii().is_empty();
        let this = match quoted {
            Some(_) => LineBefore::Quoted,
            None if is_blank => LineBefore::Blank,
            None => LineBefore::Words,
        };
        let before = std::mem::replace(&mut self.before, this);
        let after_quote = before == LineBefore::Quoted;
        let is_print = after_quote || std::mem::take(&mut self.is_printing);
        let ends_block = |words: &[u8]| BEHIND_ANSWER.iter().any(|begin| words.starts_with(begin));
        // A heading in an edit looks like a prompt, except for the line break (two spaces) that the program adds to
        // prompts.
        let is_of_user = before == LineBefore::Blank && bare.starts_with(b"#### ") && bare.ends_with(b"  ");
        if self.blocks.is_open() && !is_of_user && !quoted.is_some_and(ends_block) {
            return self.blocks.take(line, at, true, out);
        }
        let is_of_program = is_print && self.speaker == Speaker::Program && !(is_blank && after_quote);
        if bare.starts_with(b"#### ") || bare == b"####" {
            let skipped = bare.len().min(5);
            if self.speaker == Speaker::User && before == LineBefore::Blank {
                self.switch_speaker(Speaker::Nobody, out);
            }
            self.command = local_command(&bare[skipped..]);
            self.switch_speaker(Speaker::User, out);
            out.copy(&line[skipped..], at + skipped);
        } else if quoted.is_some() || bare == b">" {
            self.program(line, at, bare.len().min(2), out);
        } else if is_of_program || (self.speaker == Speaker::Nobody && bare.starts_with(MODE_LINE)) {
            self.switch_speaker(Speaker::Program, out);
            self.is_printing = is_of_program;
            self.add_program_text(line, at, out);
        } else if bare.trim_ascii().is_empty() {
            // An empty line belongs to the last speaker.
            match self.speaker {
                Speaker::Model => self.blocks.take(line, at, true, out),
                Speaker::Program => self.add_program_text(line, at, out),
                Speaker::User => out.copy(line, at),
                Speaker::Nobody => {}
            }
        } else {
            self.switch_speaker(Speaker::Model, out);
            self.blocks.take(line, at, true, out);
        }
    }

    fn finish(&mut self, out: &mut TextWriter) {
        self.switch_speaker(Speaker::Nobody, out);
    }

    fn held(&self) -> usize {
        self.blocks.held()
    }
}
