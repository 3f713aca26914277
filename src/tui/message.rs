//! What can happen, what a screen asks for, and what only the loop can do: plain data that everybody may know.

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
use crate::runtime::RuntimeName;
use crate::source::SourceEvent;
use crate::text::paste::pasteable;
use crate::text::store::Backing;
use crate::tui::action::{Action, EditCommand};
use crate::tui::corpus::{CorpusReading, CorpusRequest};
use crate::tui::files::{ExistingFile, PathCompletion};
use crate::tui::keymap::sequence::KeySequence;
use crate::tui::tail::{Tail, TailPart};
use crate::value::schema::Schemas;

/// Something that happened, for the screen that is shown.
pub enum Msg {
    /// A key that asks for something.
    Action(Action),
    /// The same with a count typed in front of it.
    Repeat(Action, usize),
    /// A key that completes nothing: this is what has been typed of a command.
    Typed(KeySequence),
    /// A key in a line that is being typed.
    Edit(InputRequest),
    /// A key in a text that is being written.
    Type(KeyEvent),
    /// Something else is done to that text.
    Change(EditCommand),
    /// The text was saved as this file, as was asked for.
    Saved(String, PathBuf),
    /// The file of the text holds this now.
    Reloaded(String),
    /// The declaration of a dialect was saved as this file, as was asked for.
    DeclarationSaved(String, PathBuf),
    /// The declaration was not saved, because this file exists.
    DeclarationExists(PathBuf),
    /// A case was saved, as was asked for.
    CaseSaved(folder::SavedCase),
    /// The notes were saved, as was asked for.
    NotesSaved(SavedNotes),
    /// The schema file that was asked for.
    Schema(Arc<Schemas>),
    /// This is what the person's editor has made of the text.
    Edited(EditorOutcome),
    /// Something that was asked for could not be done, for this reason.
    Failed(String),
    /// Pasted text, for a line or a text that is being typed.
    Paste(String),
    /// The line that is being typed is done.
    Submit,
    /// A place was typed, to which the person wants to go.
    Go(Location),
    /// A click on a cell.
    Click(u16, u16),
    /// The mouse is at a cell with its button held.
    Drag(u16, u16),
    /// The wheel turned over a cell, down (1) or up (-1).
    Wheel(u16, u16, i8),
    /// The screen has another size.
    Resize(u16, u16),
    /// The source has something to say.
    Source(SourceEvent),
    /// The colours of a value are there.
    Colours(u64, Highlighted),
    /// A part of the end of the file was read, as it was asked for.
    Tail(TailPart, Tail),
    /// A path that was typed is completed, as was asked for.
    PathCompleted(PathCompletion),
    /// Something the person should know.
    Notice(String),
}

/// Something that a screen asks for because it cannot do it by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Something else is to be shown, opened or left: the tabs do that.
    Go(Navigation),
    /// Something outside of the program: only the loop can do that.
    Run(Task),
}

/// What is to be shown, opened or left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// The tab at an index of the tab bar.
    Tab(usize),
    /// The next (1) or previous (-1) tab.
    NextTab(i8),
    /// A place in one of those texts.
    Place(Place),
    /// An offset in the text of the tab with this number.
    Call(usize, usize),
    /// What an action opens that the screen has not taken.
    Action(Action),
    /// What was shown before this.
    Before,
    /// The file at a path, which may be open already.
    Open(PathBuf),
    /// The demonstration, which may be open already.
    Demonstration,
    /// The file at a path, which may be open already, at a place.
    OpenAt(PathBuf, Location),
    /// Statistics are read, or read again.
    ReadStatistics(CorpusReading),
    /// The calls or problems that a row of the statistics counts.
    Places(PlaceQuery),
    /// A playground with a text.
    Play(String),
    /// A playground with a text, in the declaration of the dialect that it is read with.
    Declare(String),
    /// A playground with a text, in a new declaration for it.
    NewDialect(String),
    /// A playground with a text that was pasted where nothing is typed, if the person wants that.
    Pasted(String),
    /// These bytes of a file with this name, played as if they were arriving.
    Replay(Vec<u8>, String),
    /// The runtimes are asked again, with schemas that name the tools of the request.
    Lens(Arc<Schemas>),
    /// The text of a tab as a runtime reads it.
    ReadAs(Box<ParserReading>),
    /// The same text as two runtimes read it, side by side.
    CompareReadings(Box<[ParserReading; 2]>),
    /// Close the tab that is shown.
    Close,
    /// Interrupt the command that runs; leave the program if none does.
    Interrupt,
    /// The list that what is shown was opened from; where there is none, leave the program once what would be lost is
    /// settled.
    Quit,
}

/// Something that only the loop can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Leave the program at once.
    Quit,
    /// Interrupt the command that runs.
    Interrupt,
    /// Open a file in a tab.
    Open(PathBuf),
    /// Open the demonstration in a tab.
    Demonstration,
    /// Open a file in a tab, at a place.
    OpenAt(PathBuf, Location),
    /// Open the first of these files that exists: the conversation of a sub-agent.
    OpenFirst(Vec<NamedFile>),
    /// Read statistics of many sessions.
    ReadStatistics(Box<CorpusRequest>),
    /// Look for the calls or problems that a row of statistics counts, and tell them by this number.
    FindPlaces(usize, PlaceQuery),
    /// List the sessions that agents keep.
    Recorded,
    /// Read two texts and compare them.
    Compare(Box<ComparisonRequest>),
    /// Ask the runtimes what they make of a message.
    AskRuntimes(Box<LensRequest>),
    /// Write a text to a file; one that exists already only if it is the text's own.
    Save {
        /// All that the file is to hold.
        text: String,
        /// The file, which may not exist yet.
        path: PathBuf,
        /// Whether it is the text's own file.
        own: bool,
    },
    /// Write a declaration of a dialect to a file, whose folder need not exist.
    SaveDeclaration {
        /// All that the file is to hold.
        text: String,
        /// The file, which may not exist yet.
        path: PathBuf,
        /// What becomes of a file that exists.
        existing: ExistingFile,
    },
    /// Save a text as a case of this name.
    SaveCase(PathBuf, Box<Case>),
    /// Do something to the notes on the transcript at a path, in their sidecar.
    SaveNotes {
        /// Where the transcript is.
        path: PathBuf,
        /// What is done, in its order.
        edits: Vec<NoteEdit>,
    },
    /// Write a report on what is shown to this file, which may not exist yet.
    Export(PathBuf),
    /// Complete the path that is typed.
    CompletePath(String),
    /// Read a schema file for the parameters of tools.
    ReadSchema(PathBuf),
    /// Read a part of a file ahead of what has been read.
    ReadTail(Backing, TailPart),
    /// Give a text to the person's editor.
    Write(EditorDraft),
    /// Put a text on the clipboard.
    Copy(Copied),
    /// Put there what was copied last, with the bytes that were replaced.
    CopyExact,
    /// Show a text on the terminal without the screen, until Enter is pressed.
    Print(String),
    /// Give the terminal back to the shell.
    Suspend,
    /// Paint the whole screen anew, whatever stands on it.
    Redraw,
    /// Leave the mouse to the terminal, or take it again.
    Mouse,
    /// Try other themes on what is shown.
    Themes,
}

/// A text for the clipboard, with what its receipt says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// What it is, for the receipt: `2 calls as gadget`.
    pub what: String,
    /// The format it is in where that is another one than the transcript's: `JSON`.
    pub form: Option<&'static str>,
    /// What the clipboard is to hold: nothing in it acts on where it is pasted.
    pub text: String,
    /// What was copied, where that is not the text.
    pub exact: Option<ExactBytes>,
}

/// What was copied, with characters that would act on a terminal or that nobody would see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactBytes {
    /// The bytes as they stood there.
    pub bytes: Vec<u8>,
    /// How many such characters, escape sequences of colours and bytes that are not UTF-8 there are.
    pub unsafe_count: usize,
}

impl Copied {
    /// Bytes in no other format than where they come from, made safe to paste.
    pub fn new(what: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let (text, unsafe_count) = pasteable(bytes);
        let exact = (unsafe_count > 0).then(|| ExactBytes { bytes: bytes.to_vec(), unsafe_count });
        Self { what: what.into(), form: None, text, exact }
    }

    /// A value as JSON over several lines, which escapes what is unsafe.
    pub fn json(what: impl Into<String>, value: &impl Serialize) -> Self {
        let mut out = Vec::new();
        json_text::write_pretty(&mut out, value).expect("a vector takes everything");
        Self { form: Some("JSON"), ..Self::new(what, out.trim_ascii_end()) }
    }
}

/// Two texts that are to be compared; the one that was opened first is on the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonRequest {
    /// The number of the tab that waits for the comparison.
    pub number: usize,
    /// What is compared, left and right.
    pub sides: [ComparisonSide; 2],
}

/// A text that is to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonSide {
    /// What it is called above its column.
    pub name: String,
    /// The number of the tab that shows it.
    pub tab: usize,
    /// What it is read with.
    pub options: Options,
    /// What is read in place of what the tab holds: a text as it was saved last.
    pub saved: Option<String>,
}

/// A message that the runtimes are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensRequest {
    /// The number by which the answer is told.
    pub number: usize,
    /// The message as the model wrote it.
    pub message: MessageText,
    /// The dialects whose parsers are asked; none means those that the message is written in.
    pub dialects: Vec<String>,
    /// What names the tools of the request.
    pub schemas: Option<Arc<Schemas>>,
}

/// The text of a tab as a parser of a runtime reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserReading {
    /// The number of the tab with the text.
    pub tab: usize,
    /// The runtime and its parser.
    pub runtime: RuntimeName,
    /// What it is read with, the runtime included.
    pub options: Options,
    /// The offset in the text at which something is to be seen.
    pub offset: usize,
}

/// A place in one of the texts that stood in a source one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of the text; the first is 0.
    pub text: usize,
    /// The offset of a byte in it.
    pub offset: usize,
}

/// A text that is to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorDraft {
    /// What is to be edited.
    pub text: String,
    /// The file that it belongs to.
    pub path: Option<PathBuf>,
    /// Whether it is what the file held last.
    pub is_saved: bool,
}

/// What an editor has made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorOutcome {
    /// What the editor has left.
    pub text: String,
    /// The text's own file, if it holds that.
    pub path: Option<PathBuf>,
}

/// The name of a tab and what there is to say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate mark")]
pub struct TabTitle {
    /// The short name; the whole one where another tab has the same.
    pub name: String,
    /// Whether it is the one that is shown.
    pub shown: bool,
    /// Whether anything may still arrive.
    pub live: bool,
    /// Whether something has arrived since it was last shown.
    pub more: bool,
    /// Whether there are errors that were not there then.
    pub errors: bool,
    /// Number of errors and failed calls since then.
    pub unseen: usize,
}
