//! Messages to screens, effects that screens request, and tasks for the loop, as plain data.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use serde::Serialize;
use tui_input::InputRequest;

use crate::cases::{Case, folder};
use crate::container::agent_files::NamedFile;
use crate::corpus::places::PlaceQuery;
use crate::dialect::Options;
use crate::export::json_text;
use crate::highlight::Highlighted;
use crate::lens::MessageText;
use crate::location::Location;
use crate::notes::NoteEdit;
use crate::notes::sidecar::SavedNotes;
use crate::runtime::{RequestSettings, RuntimeName};
use crate::source::SourceEvent;
use crate::template::conversation::TemplateRuntime;
use crate::template::request_facts::TemplateRequest;
use crate::text::paste::pasteable;
use crate::text::store::Backing;
use crate::tui::action::{Action, EditCommand};
use crate::tui::corpus::{CorpusReading, CorpusRequest};
use crate::tui::files::{ExistingFile, PathCompletion};
use crate::tui::keymap::sequence::KeySequence;
use crate::tui::tail::{Tail, TailPart};
use crate::value::schema::Schemas;

/// An event for the shown screen.
pub enum Msg {
    /// An action caused by a key, a click or the palette.
    Action(Action),
    /// An action with the count typed before its key.
    ActionWithCount(Action, usize),
    /// A key that did not complete a command; the keys typed so far.
    Typed(KeySequence),
    /// An editing key in the prompt.
    Edit(InputRequest),
    /// A key in the edited text.
    Type(KeyEvent),
    /// Another editing command in that text.
    Change(EditCommand),
    /// The requested save of the text to this file is done.
    Saved(String, PathBuf),
    /// Another program changed the file of the text to this content.
    Reloaded(String),
    /// The requested save of a declaration to this file is done.
    DeclarationSaved(String, PathBuf),
    /// The declaration was not saved, because this file exists.
    DeclarationExists(PathBuf),
    /// The requested case was saved.
    CaseSaved(folder::SavedCase),
    /// The requested changes of notes were saved.
    NotesSaved(SavedNotes),
    /// The requested schema file.
    Schema(Arc<Schemas>),
    /// A chat template for the request of the lens was read.
    RequestTemplate(Box<RequestTemplate>),
    /// The text as the user's editor left it.
    Edited(EditorOutcome),
    /// A request failed for this reason.
    Failed(String),
    /// Pasted text, for the prompt or the edited text.
    Paste(String),
    /// The prompt was completed with Enter.
    Submit,
    /// The user typed a location to go to.
    Go(Location),
    /// A click on a cell.
    Click(u16, u16),
    /// The mouse moved to a cell with its button held.
    Drag(u16, u16),
    /// The wheel turned over a cell, down (1) or up (-1).
    Wheel(u16, u16, i8),
    /// The screen was resized.
    Resize(u16, u16),
    /// An event of the source.
    Source(SourceEvent),
    /// Syntax highlighting of a value is ready.
    Colours(u64, Highlighted),
    /// The requested part of the end of the file.
    Tail(TailPart, Tail),
    /// The requested completion of a typed path.
    PathCompleted(PathCompletion),
    /// A notice for the user.
    Notice(String),
}

/// A request of a screen that it cannot carry out by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Show, open or leave something; carried out by the tabs.
    Go(Navigation),
    /// A task with effects outside of the program; only the loop can carry it out.
    Run(Task),
}

/// A request to show, open or leave something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// The tab at an index of the tab bar.
    Tab(usize),
    /// The next (1) or previous (-1) tab.
    NextTab(i8),
    /// A place in earlier or current contents of the source.
    Place(ContentPosition),
    /// An offset in the text of the tab with this number.
    Call(usize, usize),
    /// An action that the screen has not handled, if it opens something.
    Action(Action),
    /// Return to what was shown before.
    Before,
    /// The file at a path, which may be open already.
    Open(PathBuf),
    /// The demonstration, which may be open already.
    Demonstration,
    /// The file at a path, which may be open already, at a location.
    OpenAt(PathBuf, Location),
    /// Read statistics, or read them again.
    ReadStatistics(CorpusReading),
    /// The calls or problems that a row of the statistics counts.
    Places(PlaceQuery),
    /// A playground with a text.
    Play(String),
    /// A playground with a text, with the cursor in the declaration of its dialect.
    Declare(String),
    /// A playground with a text, with the cursor in a new declaration for it.
    NewDialect(String),
    /// Ask whether to open a playground with pasted text.
    Pasted(String),
    /// Replay these bytes of a file with this name.
    Replay(Vec<u8>, String),
    /// Query the runtimes again, with schemas for the tools of the request.
    Lens(Arc<Schemas>),
    /// Query the runtimes again, with other settings of the request.
    LensRequest(Box<ChosenRequest>),
    /// The text of a tab as a runtime reads it.
    ReadAs(Box<ParserReading>),
    /// The same text as two runtimes read it, side by side.
    CompareReadings(Box<[ParserReading; 2]>),
    /// The session of the shown text up to the selection, as the prompt of the template at a path.
    SessionPrompt(PathBuf),
    /// Compare the prompt of the shown template with another one.
    ComparePrompts(OtherPrompt),
    /// A byte of a prompt in the tab of its template.
    PromptByte {
        /// Id of the template's tab, which stays when tabs are closed.
        tab: usize,
        /// The side of the shown comparison whose prompt it is: 0 or 1.
        side: usize,
        /// Offset in the prompt of that side, in bytes.
        offset: usize,
    },
    /// Compare the shown text with another run.
    CompareRun(OtherRun),
    /// Close the shown tab.
    Close,
    /// Interrupt the running command; leave the program if no command is running.
    Interrupt,
    /// Return to the list that this was opened from; without one, leave the program after handling unsaved changes.
    Quit,
}

/// A task that only the loop can carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Leave the program immediately.
    Quit,
    /// Interrupt the running command.
    Interrupt,
    /// Open a file in a tab.
    Open(PathBuf),
    /// Open the demonstration in a tab.
    Demonstration,
    /// Open a file in a tab, at a location.
    OpenAt(PathBuf, Location),
    /// Open the first of these files that exists: the conversation of a sub-agent.
    OpenFirst(Vec<NamedFile>),
    /// Find the sessions in the folder of this one, to compare it with one of them.
    FindRuns(PathBuf),
    /// Open a file and compare the shown text with it.
    CompareRun(PathBuf),
    /// Read statistics of many sessions.
    ReadStatistics(Box<CorpusRequest>),
    /// Search for the calls or problems that a row of statistics counts; the result refers to this number.
    FindPlaces(usize, PlaceQuery),
    /// List the sessions that agents keep.
    Recorded,
    /// Read two texts and compare them.
    Compare(Box<ComparisonRequest>),
    /// Read a message with the parsers of runtimes.
    AskRuntimes(Box<LensRequest>),
    /// Read and render the chat template of the tab with this id; the result refers to the number after it.
    RenderTemplate(usize, usize),
    /// Make a conversation of the session in the tab with this id, for the template at the path.
    ReadConversation(usize, PathBuf),
    /// Render two prompts and compare them; the result refers to this number.
    ComparePrompts(usize),
    /// Write a text to a file; an existing one is only replaced if it is the text's own.
    Save {
        /// The new content of the file.
        text: String,
        /// The file, which may not exist yet.
        path: PathBuf,
        /// True if it is the text's own file.
        own: bool,
    },
    /// Write a declaration of a dialect to a file, creating its folder if necessary.
    SaveDeclaration {
        /// The new content of the file.
        text: String,
        /// The file, which may not exist yet.
        path: PathBuf,
        /// How to treat an existing file.
        existing: ExistingFile,
    },
    /// Save a text as a case of this name.
    SaveCase(PathBuf, Box<Case>),
    /// Edit the notes on the transcript at a path, in their sidecar.
    SaveNotes {
        /// The path of the transcript.
        path: PathBuf,
        /// The edits, in order.
        edits: Vec<NoteEdit>,
    },
    /// Write a report about the shown transcript to this file, which may not exist yet.
    Export(PathBuf),
    /// Complete the typed path.
    CompletePath(String),
    /// Read a schema file for the parameters of tools.
    ReadSchema(PathBuf),
    /// Read what a chat template states about the request of the lens.
    ReadRequestTemplate(PathBuf),
    /// Read a part of a file ahead of the rest.
    ReadTail(Backing, TailPart),
    /// Open a text in the user's editor.
    Write(EditorDraft),
    /// Copy a text to the clipboard.
    Copy(Copied),
    /// Copy the exact bytes of the last copy, in which characters were replaced.
    CopyExact,
    /// Print a text on the terminal without the screen, until Enter is pressed.
    Print(String),
    /// Suspend the program and return the terminal to the shell.
    Suspend,
    /// Redraw the whole screen.
    Redraw,
    /// Release the mouse to the terminal, or capture it again.
    Mouse,
    /// Preview other themes.
    Themes,
}

/// A text for the clipboard, with the message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// A description of it, for the message: `2 calls as gadget`.
    pub what: String,
    /// Its format, if that is not the transcript's: `JSON`.
    pub form: Option<&'static str>,
    /// The text for the clipboard, which is safe to paste.
    pub text: String,
    /// The original bytes, if characters of them were replaced.
    pub exact: Option<ExactBytes>,
}

/// Copied bytes with characters that would act on a terminal or be invisible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactBytes {
    /// The original bytes.
    pub bytes: Vec<u8>,
    /// Number of such characters, escape sequences of colours, and bytes that are not UTF-8.
    pub unsafe_count: usize,
}

impl Copied {
    /// A copy of bytes in their own format, made safe to paste.
    pub fn new(what: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let (text, unsafe_count) = pasteable(bytes);
        let exact = (unsafe_count > 0).then(|| ExactBytes { bytes: bytes.to_vec(), unsafe_count });
        Self { what: what.into(), form: None, text, exact }
    }

    /// A copy of a value as pretty-printed JSON, which escapes unsafe characters.
    pub fn json(what: impl Into<String>, value: &impl Serialize) -> Self {
        let mut out = Vec::new();
        json_text::write_pretty(&mut out, value).expect("a vector takes everything");
        Self { form: Some("JSON"), ..Self::new(what, out.trim_ascii_end()) }
    }
}

/// A request to compare two texts; the one that was opened first is on the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonRequest {
    /// The number of the tab that waits for the comparison.
    pub number: usize,
    /// The left and the right text.
    pub sides: [ComparisonSide; 2],
}

/// A text to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonSide {
    /// Its name, shown above its column.
    pub name: String,
    /// The number of the tab that shows it.
    pub tab: usize,
    /// Its parsing options.
    pub options: Options,
    /// Text to compare instead of the tab's: the one saved last.
    pub saved: Option<String>,
}

/// Another run that a session is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherRun {
    /// The text in the tab with this id.
    Tab(usize),
    /// A file that is not open.
    File(PathBuf),
}

/// The prompt that another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherPrompt {
    /// The prompt of the same template as this runtime renders it.
    Runtime(TemplateRuntime),
    /// The prompt of the template in the tab with this id.
    Template(usize),
}

/// A request to read a message with the parsers of runtimes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensRequest {
    /// The number that the answer refers to.
    pub number: usize,
    /// The message as the model wrote it.
    pub message: MessageText,
    /// The dialects whose parsers are used; if empty, the dialects of the message.
    pub dialects: Vec<String>,
    /// True if the user named the dialects of the text, which a template of the request does not replace.
    pub are_dialects_named: bool,
    /// Schemas of the tools in the request.
    pub schemas: Option<Arc<Schemas>>,
    /// The other settings of the request.
    pub chosen: ChosenRequest,
}

/// Settings of a request that the user chose on the lens's screen. They hold for the next message, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenRequest {
    /// The settings that the user stated; the template may have more.
    pub stated: RequestSettings,
    /// The chat template that states the others.
    pub template: Option<RequestTemplate>,
}

/// A chat template, and what it states about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTemplate {
    /// The template, the tokenizer's settings or the model's directory.
    pub path: PathBuf,
    /// The settings that it states.
    pub facts: TemplateRequest,
}

/// The text of a tab as a parser of a runtime reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserReading {
    /// The number of the tab with the text.
    pub tab: usize,
    /// The runtime and its parser.
    pub runtime: RuntimeName,
    /// Its parsing options, including the runtime.
    pub options: Options,
    /// The offset in the text to show.
    pub offset: usize,
}

/// A place in one of the successive contents of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentPosition {
    /// Number of the contents, from 0.
    pub text: usize,
    /// Byte offset in the contents.
    pub offset: usize,
}

/// A text to edit in the user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorDraft {
    /// The text to edit.
    pub text: String,
    /// The text's own file.
    pub path: Option<PathBuf>,
    /// True if the text equals the content of the file.
    pub is_saved: bool,
}

/// A text after editing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorOutcome {
    /// The text that the editor saved.
    pub text: String,
    /// The text's own file, if it holds that text.
    pub path: Option<PathBuf>,
}

/// The name of a tab and its marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate mark")]
pub struct TabTitle {
    /// The short name, or the whole one if another tab has the same short name.
    pub name: String,
    /// True for the shown tab.
    pub shown: bool,
    /// True while anything may still arrive.
    pub live: bool,
    /// True if something has arrived since it was last shown.
    pub more: bool,
    /// True if there are new errors since it was last shown.
    pub errors: bool,
    /// Number of errors and failed calls since then.
    pub unseen: usize,
}
