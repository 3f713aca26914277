//! The chats of aider in a directory: `.aider.chat.history.md`, to which each of them is added.
//!
//! | a line begins with | who speaks |
//! |---|---|
//! | `# aider chat started at ` | nobody: a chat begins |
//! | `#### ` | the user: lines in a row are one prompt; a command such as `/undo` is for the program |
//! | `> ` | the program: its questions with their answers, its errors, what became of edits |
//! | anything else | the model |
//!
//! Of a text of several lines that the program prints, such as the output of a command, only the first may be quoted: it
//! continues until another speaker follows. A heading of four marks and a quotation of the model cannot be told from them.
//! The outcome of an edit follows it, with the path: `Applied edit to PATH`, `The LLM did not conform to the edit format.` with the paths of blocks that
//! match nothing. A line of the program rounds the tokens of the answer before it, and says its cost: `Tokens: 9.9k sent, 8k
//! cache hit, 3.8k received. Cost: $0.16 message, $0.26 session.`; what a cache gave is part of what was sent. Edits that are whole files or differences are calls where the program has named that form.

pub(super) mod edits;
mod facts;
pub(super) mod requests;

use super::facts::Origin;
use super::fragment::Fragment;
use super::lines::{Lines, TakeLines, without_end};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, FileHead, FormatReader, Interpretation, Message, MessagePart,
    MessageRole, ToolResult,
};
use edits::{EditBlocks, EditForm, OpenEdit};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "aider",
    title: "chats of aider",
    claims: |head| match head {
        FileHead::Line(line) if line.starts_with(STARTED) => {
            Some(Claim::Sure("a line says when a chat of aider started"))
        }
        _ => None,
    },
    calls: CallSource::Records,
    open: || FormatReader::Text(Box::<Lines<Chats>>::default()),
};

/// The beginning of a mode line, which tells an editor how to show the file.
const MODE_LINE: &[u8] = b"-*- ";

const STARTED: &[u8] = b"# aider chat started at ";

/// What the program says of an edit that was made.
const APPLIED: &[u8] = b"Applied edit to ";

/// What it says when some of the edits of an answer were not.
const REFUSED: &[u8] = b"The LLM did not conform to the edit format";

/// What it says of one of them, with the path behind it.
const UNMATCHED: &[u8] = b"failed to exactly match lines in ";

/// What it says of those that were made all the same.
const OTHERS: &[u8] = b"were applied successfully";

/// Where the model is named.
const MODELS: [&[u8]; 3] = [b"Main model: ", b"Models: ", b"Model: "];

/// Follow the name of a model whose edits are of another form than blocks.
const FORMS: [(&[u8], EditForm); 3] = [
    (b" with whole edit format", EditForm::WholeFiles),
    (b" with udiff edit format", EditForm::Diffs),
    (b" with udiff-simple edit format", EditForm::Diffs),
];

/// Lines of the program that end a block which the model did not end: those that stand behind an answer.
const BEHIND_ANSWER: [&[u8]; 5] = [b"Tokens: ", b"^C", APPLIED, REFUSED, b"Commit "];

/// Commands of the user that the program carries out by itself; the model is not asked.
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

/// The line before the one that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineBefore {
    #[default]
    Words,
    /// An empty line, of either speaker.
    Blank,
    /// It was marked as the program's.
    Quoted,
}

/// Who speaks in the chat that is read, and the edits of which nothing was said yet.
#[derive(Default)]
struct Chats {
    speaker: Speaker,
    blocks: EditBlocks,
    /// Edits of the last answer of which nothing was said.
    open: Vec<OpenEdit>,
    /// The words by which some of them were refused.
    refusal: Option<Fragment>,
    before: LineBefore,
    /// Whether the program prints a text of several lines, of which only the first is quoted.
    is_printing: bool,
    /// Whether what the program says goes on in the open piece.
    is_telling: bool,
    /// The model, as the program has named it.
    model: Option<Box<str>>,
    /// The local command with which the next prompt begins.
    command: Option<Box<str>>,
    /// When the chat began, until a message has said it.
    began: Option<Box<str>>,
}

impl Chats {
    /// Somebody speaks; whether it is somebody else than before.
    fn speak(&mut self, speaker: Speaker, out: &mut TextWriter) {
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

    /// A chat begins, which knows nothing of the one before it.
    fn begin_chat(&mut self, line: &[u8], at: usize, out: &mut TextWriter) {
        self.speak(Speaker::Nobody, out);
        self.open.clear();
        self.model = None;
        self.before = LineBefore::Words;
        self.is_printing = false;
        self.blocks.takes_form(EditForm::Blocks);
        let time: Box<str> = String::from_utf8_lossy(&without_end(line)[STARTED.len()..]).trim().into();
        self.began = Some(time.clone());
        out.conversation(Some(time));
        self.speak(Speaker::Program, out);
        self.tell(line, at, out);
    }

    /// Words of the program that stand at `at`; empty lines in front of them are nobody's.
    fn tell(&mut self, words: &[u8], at: usize, out: &mut TextWriter) {
        if !self.is_telling {
            if words.trim_ascii().is_empty() {
                return;
            }
            self.is_telling = true;
            out.begin(MessagePart::Envelope("aider".into()));
        }
        out.copy(words, at);
    }

    /// The same words as the results of several calls.
    fn results(&mut self, edits: Vec<OpenEdit>, verdict: CallOutcome, words: &Fragment, out: &mut TextWriter) {
        self.is_telling = false;
        for edit in edits {
            out.piece(MessagePart::Result(ToolResult { call: Some(edit.id), verdict }), words);
        }
    }

    /// A line of the program, which may say what became of edits; its first `skipped` bytes only say that it is one.
    fn program(&mut self, line: &[u8], at: usize, skipped: usize, out: &mut TextWriter) {
        self.speak(Speaker::Program, out);
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
            (made, CallOutcome::Fine)
        } else if let Some(path) = unmatched {
            let found = self.open.iter().position(|edit| *edit.path == *path);
            (found.map(|found| self.open.remove(found)).into_iter().collect(), CallOutcome::Failed)
        } else if self.refusal.is_some() && memchr::memmem::find(said, OTHERS).is_some() {
            self.refusal = None;
            (std::mem::take(&mut self.open), CallOutcome::Fine)
        } else {
            (Vec::new(), CallOutcome::Unsaid)
        };
        if said.starts_with(REFUSED) && !self.open.is_empty() {
            self.refusal = Some(told.clone());
        }
        if told_of.is_empty() {
            self.tell(words, at + skipped, out);
        } else {
            self.results(told_of, verdict, &told, out);
        }
    }

    /// Edits that were not made, without a word of each.
    fn refuse_rest(&mut self, out: &mut TextWriter) {
        if let Some(words) = self.refusal.take() {
            let refused = std::mem::take(&mut self.open);
            self.results(refused, CallOutcome::Failed, &words, out);
        }
    }
}

/// The command that words of the user are, if the model is not asked about it: `/undo`. Its first two letters or more
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
                Speaker::Program => self.tell(line, at, out),
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
        // A heading of an edit looks like the person's words, but for the line break that the program adds to them.
        let is_of_user = before == LineBefore::Blank && bare.starts_with(b"#### ") && bare.ends_with(b"  ");
        if self.blocks.is_open() && !is_of_user && !quoted.is_some_and(ends_block) {
            return self.blocks.take(line, at, true, out);
        }
        let is_of_program = is_print && self.speaker == Speaker::Program && !(is_blank && after_quote);
        if bare.starts_with(b"#### ") || bare == b"####" {
            let skipped = bare.len().min(5);
            if self.speaker == Speaker::User && before == LineBefore::Blank {
                self.speak(Speaker::Nobody, out);
            }
            self.command = local_command(&bare[skipped..]);
            self.speak(Speaker::User, out);
            out.copy(&line[skipped..], at + skipped);
        } else if quoted.is_some() || bare == b">" {
            self.program(line, at, bare.len().min(2), out);
        } else if is_of_program || (self.speaker == Speaker::Nobody && bare.starts_with(MODE_LINE)) {
            self.speak(Speaker::Program, out);
            self.is_printing = is_of_program;
            self.tell(line, at, out);
        } else if bare.trim_ascii().is_empty() {
            // An empty line is of whoever spoke before it.
            match self.speaker {
                Speaker::Model => self.blocks.take(line, at, true, out),
                Speaker::Program => self.tell(line, at, out),
                Speaker::User => out.copy(line, at),
                Speaker::Nobody => {}
            }
        } else {
            self.speak(Speaker::Model, out);
            self.blocks.take(line, at, true, out);
        }
    }

    fn finish(&mut self, out: &mut TextWriter) {
        self.speak(Speaker::Nobody, out);
    }

    fn held(&self) -> usize {
        self.blocks.held()
    }
}
