//! What a person can ask for, whatever key or click asks for it.
//!
//! This module does not know keys.

/// A pane of a transcript. The first three stand side by side; of the others one is shown below them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the file of each pane says what it shows")]
pub enum PaneId {
    Outline,
    #[default]
    Reading,
    Raw,
    Problems,
    Graph,
    Details,
    Events,
    Settings,
    Dialects,
    Statistics,
    Notes,
    DeclarationEditor,
}

/// How far to move, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One row down or up.
    Line(i8),
    /// Half a pane down or up.
    Half(i8),
    /// A pane down or up.
    Page(i8),
    /// To the first row.
    Top,
    /// To the last row, and hold on to it while more arrives.
    Bottom,
    /// To the row of this number, from 1; of a text, to its line.
    To(usize),
}

impl Motion {
    /// The name by which the configuration gives it keys.
    fn name(self) -> &'static str {
        match self {
            Motion::Line(1) => "down",
            Motion::Line(_) => "up",
            Motion::Half(1) => "half-page-down",
            Motion::Half(_) => "half-page-up",
            Motion::Page(1) => "page-down",
            Motion::Page(_) => "page-up",
            Motion::Top => "top",
            Motion::Bottom => "bottom",
            Motion::To(_) => "row",
        }
    }

    /// The direction and the rows of a step by pages where `height` rows are shown: a page keeps one of them in sight.
    pub fn pages(self, height: usize) -> Option<(i8, usize)> {
        match self {
            Motion::Half(direction) => Some((direction, (height / 2).max(1))),
            Motion::Page(direction) => Some((direction, height.max(2) - 1)),
            _ => None,
        }
    }

    /// The number from 0 to `last` that the motion leads to from `at`, where `page` of them are a page.
    pub fn moved(self, at: usize, page: usize, last: usize) -> usize {
        match self {
            Motion::Line(direction) => stepped(at, direction, 1, last),
            Motion::Half(direction) => stepped(at, direction, page.div_ceil(2), last),
            Motion::Page(direction) => stepped(at, direction, page, last),
            Motion::Top => 0,
            Motion::Bottom => last,
            Motion::To(number) => number.saturating_sub(1).min(last),
        }
    }
}

/// Where in a pane what is selected is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// In the first row of the pane, as `zt` does.
    Top,
    /// In the middle row of the pane, as `zz` does.
    Center,
    /// In the last row of the pane, as `zb` does.
    Bottom,
}

/// The number from 0 to `last` that is `by` after `at` (1) or before it (-1), or the nearest to that.
pub fn stepped(at: usize, direction: i8, by: usize, last: usize) -> usize {
    if direction > 0 { at.saturating_add(by) } else { at.saturating_sub(by) }.min(last)
}

/// The number of `count` that follows `at` (1) or comes before it (-1), round the end.
pub fn next_in_ring(at: usize, direction: i8, count: usize) -> usize {
    (if direction > 0 { at + 1 } else { at + count - 1 }) % count
}

/// What is copied of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyForm {
    /// What stands there in the text, or in the file where that is shown.
    Selection,
    /// The whole call, result or text that it is in.
    Block,
    /// The value of the argument as the tool gets it: text as it is, everything else as JSON.
    Value,
    /// All arguments of the call, as JSON.
    Parameters,
    /// The pointer of the argument.
    Pointer,
    /// What the tool returned for the call, as it stands.
    Result,
    /// A Markdown quotation with the place and the problem that is selected.
    Quote,
    /// `FILE:LINE:COLUMN`, as `check` prints it.
    Place,
    /// The command that opens the file at this place.
    Command,
}

impl CopyForm {
    /// The name by which the configuration gives it keys.
    fn name(self) -> &'static str {
        match self {
            CopyForm::Selection => "copy",
            CopyForm::Block => "copy-block",
            CopyForm::Value => "copy-value",
            CopyForm::Parameters => "copy-parameters",
            CopyForm::Pointer => "copy-pointer",
            CopyForm::Result => "copy-result",
            CopyForm::Quote => "copy-quote",
            CopyForm::Place => "copy-place",
            CopyForm::Command => "copy-command",
        }
    }
}

impl PaneId {
    /// The name by which the configuration gives keys to showing it.
    fn name(self) -> &'static str {
        match self {
            PaneId::Outline => "outline",
            PaneId::Reading => "reading",
            PaneId::Raw => "raw",
            PaneId::Problems => "problems",
            PaneId::Graph => "graph",
            PaneId::Details => "details",
            PaneId::Events => "events",
            PaneId::Settings => "settings",
            PaneId::Dialects => "costs",
            PaneId::Statistics => "statistics",
            PaneId::Notes => "notes",
            PaneId::DeclarationEditor => "declaration",
        }
    }
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Move the selection in the pane that has the focus.
    Move(Motion),
    /// Scroll the panes of the text so that what is selected stands there.
    Align(Align),
    /// Fold what is selected, or go to what holds it; to the left in the graph and in long lines.
    Close,
    /// Unfold what is selected, or go into it; to the right in the graph and in long lines.
    Open,
    /// Fold or unfold what is selected; show a long value whole.
    Toggle,
    /// Fold every call.
    FoldAll,
    /// Unfold every call.
    UnfoldAll,
    /// Give the focus to the next or previous pane.
    FocusNext(i8),
    /// Show a pane and give it the focus.
    Focus(PaneId),
    /// The same for the pane of a number from 1.
    FocusNumber(usize),
    /// Show the next tab in the bottom pane.
    NextTab,
    /// Let one pane fill the screen, or all of them share it again.
    Zoom,
    /// Give the bottom pane half of the height, or a quarter again.
    Taller,
    /// Go to the next (1) or previous (-1) problem.
    Problem(i8),
    /// Go to the next (1) or previous (-1) error or failed call.
    Error(i8),
    /// Give the text that is written to the person's editor.
    Write,
    /// Go to the next (1) or previous (-1) call.
    Call(i8),
    /// Ask for a filter: which items are shown.
    Filter,
    /// Ask for a filter for what is selected.
    FilterSelection,
    /// Hide what the filter does not select, or dim it.
    FlipFilter,
    /// Ask for the start marker with which the text is read.
    StartMarker,
    /// Complete the line that is being typed.
    Complete,
    /// Ask for a pattern and search for it.
    Search,
    /// Search for what is selected.
    SearchSelection,
    /// Go to the next (1) or previous (-1) match.
    Match(i8),
    /// Ask for a place to go to, or for the name of an action.
    Command,
    /// Ask for an action from the list of all of them.
    Palette,
    /// Go back (-1) to where the person was before the last jump, or forward (1) again.
    Jump(i8),
    /// Show the next (1) or previous (-1) transcript of several.
    NextFile(i8),
    /// Close the tab that is shown.
    CloseTab,
    /// List the recorded sessions that other programs keep.
    Recorded,
    /// Go back to the list that a transcript was opened from.
    BackToList,
    /// Compare the text with what it was, or with another one.
    Compare,
    /// Show what the runtimes make of the message.
    Runtimes,
    /// Mark a reading that another one is to be compared with.
    MarkReading,
    /// Ask for the schema file that names the tools of the request.
    RequestTools,
    /// Leave out what is the same, or show all of it.
    OnlyDifferences,
    /// Go to what is chosen in its own text.
    Visit,
    /// Put a list into another order.
    Order,
    /// Have the calls of a large file counted.
    CountLarge,
    /// Show statistics of the sessions that are listed.
    CorpusStatistics,
    /// Read again what statistics are of.
    ReadAgain,
    /// Show what stood in the file before (-1), or later (1).
    NextText(i8),
    /// Hold on to the end of the text, or let go.
    FollowEnd,
    /// Wrap long lines of the raw text, or cut them at the edge.
    Wrap,
    /// Read markers that are probably talked about as prose, or as calls again.
    Examples,
    /// Go from a call to its result, or back.
    Partner,
    /// Play the text as if it were arriving, or go on in it.
    Replay(Move),
    /// Show how a problem is repaired; asked for again, do it.
    Repair,
    /// Show how everything is repaired that can be, or do it.
    RepairAll,
    /// Take back the last change of a playground; elsewhere, back to the shell.
    Undo,
    /// Make it again.
    Redo,
    /// Open a playground with what is selected.
    Play,
    /// Begin a declaration of a dialect for the text.
    NewDialect,
    /// Save the text that is written.
    Save,
    /// Save a text or a call with what is found in it, so that it stays under test.
    SaveCase,
    /// Write a report on what is shown: a page, Markdown or JSON.
    Export,
    /// Show in the raw pane the file as it stands, or the text that was decoded from it.
    RawFile,
    /// Mark in the raw pane where chunks end, or do not.
    Borders,
    /// Show abandoned messages, or hide them again.
    Branches,
    /// Copy what is selected to the clipboard, in some form.
    Copy(CopyForm),
    /// Copy again what was copied last, with the bytes that were replaced to make it safe.
    CopyExact,
    /// Show what is selected on the terminal without the screen.
    Print,
    /// Write or change the note on what is selected.
    Note,
    /// Remove the note on what is selected.
    RemoveNote,
    /// Mark what is selected with a letter; the table has none.
    SetMark(Option<char>),
    /// Go to what a letter marks.
    GoToMark(Option<char>),
    /// Show all keys.
    Help,
    /// Leave what is open: help, a prompt, the zoom, a search.
    Cancel,
    /// Paint the screen anew.
    Redraw,
    /// Try other themes on what is shown.
    Themes,
    /// Leave the mouse to the terminal, which can select text then, or take it again.
    Mouse,
    /// Give the terminal back to the shell until the job is continued.
    Suspend,
    /// Interrupt the command that runs; leave the program if there is none.
    Interrupt,
    /// Go back to the list that this was opened from; leave the program where there is none.
    Quit,
}

impl Action {
    /// What a count in front of it asks for, and how often that is done: `5G` goes to a line, `3 Tab` to a pane, and what
    /// cannot be done several times is done once.
    pub fn counted(self, count: usize) -> (Self, usize) {
        /// What is done more often than this takes a key that goes further.
        const MOST: usize = 10_000;
        match self {
            Action::Move(Motion::Bottom | Motion::Top) => (Action::Move(Motion::To(count)), 1),
            Action::FocusNext(1) => (Action::FocusNumber(count), 1),
            Action::Move(_)
            | Action::Open
            | Action::Close
            | Action::Problem(_)
            | Action::Error(_)
            | Action::Call(_)
            | Action::Match(_)
            | Action::NextFile(_)
            | Action::Jump(_)
            | Action::NextText(_)
            | Action::Replay(Move::Step(_))
            | Action::Undo
            | Action::Redo => (self, count.min(MOST)),
            _ => (self, 1),
        }
    }

    /// The same with the letter that was pressed for it, where it takes one.
    pub fn with_letter(self, letter: char) -> Self {
        match self {
            Action::SetMark(_) => Action::SetMark(Some(letter)),
            Action::GoToMark(_) => Action::GoToMark(Some(letter)),
            action => action,
        }
    }

    /// The name by which the configuration gives it keys.
    #[rustfmt::skip]
    pub fn name(self) -> &'static str {
        match self {
            Action::Move(motion) => motion.name(),
            Action::Align(Align::Top) => "align-top",
            Action::Align(Align::Center) => "align-center",
            Action::Align(Align::Bottom) => "align-bottom",
            Action::Close => "fold",
            Action::Open => "unfold",
            Action::Toggle => "toggle",
            Action::FoldAll => "fold-all",
            Action::UnfoldAll => "unfold-all",
            Action::FocusNext(1) => "next-pane",
            Action::FocusNext(_) => "previous-pane",
            Action::FocusNumber(_) => "pane",
            Action::Focus(pane) => pane.name(),
            Action::NextTab => "next-bottom-tab",
            Action::Zoom => "zoom",
            Action::Taller => "taller",
            Action::Problem(1) => "next-problem",
            Action::Problem(_) => "previous-problem",
            Action::Error(1) => "next-error",
            Action::Error(_) => "previous-error",
            Action::Filter => "filter",
            Action::FilterSelection => "filter-selection",
            Action::FlipFilter => "hide-or-dim",
            Action::StartMarker => "start-marker",
            Action::Complete => "complete",
            Action::SearchSelection => "search-selection",
            Action::Write => "external-editor",
            Action::Call(1) => "next-call",
            Action::Call(_) => "previous-call",
            Action::Search => "search",
            Action::Match(1) => "next-match",
            Action::Match(_) => "previous-match",
            Action::Command => "command",
            Action::Palette => "commands",
            Action::Jump(1) => "jump-forward",
            Action::Jump(_) => "jump-back",
            Action::NextFile(1) => "next-tab",
            Action::NextFile(_) => "previous-tab",
            Action::CloseTab => "close-tab",
            Action::Recorded => "recorded-sessions",
            Action::BackToList => "back-to-list",
            Action::Compare => "compare",
            Action::Runtimes => "ask-runtimes",
            Action::MarkReading => "mark-reading",
            Action::RequestTools => "request-tools",
            Action::OnlyDifferences => "only-differences",
            Action::Visit => "go-to-call",
            Action::Order => "sort-order",
            Action::CountLarge => "count-large",
            Action::CorpusStatistics => "corpus-statistics",
            Action::ReadAgain => "read-again",
            Action::NextText(1) => "later-contents",
            Action::NextText(_) => "earlier-contents",
            Action::FollowEnd => "follow-end",
            Action::Wrap => "wrap",
            Action::Examples => "examples",
            Action::Partner => "result",
            Action::Replay(Move::Play) => "replay",
            Action::Replay(Move::Step(true)) => "step-forward",
            Action::Replay(Move::Step(false)) => "step-back",
            Action::Replay(Move::Unit) => "step-unit",
            Action::Replay(Move::Faster) => "speed",
            Action::Repair => "repair",
            Action::RepairAll => "repair-all",
            Action::Undo => "undo",
            Action::Redo => "redo",
            Action::Play => "playground",
            Action::NewDialect => "new-dialect",
            Action::Save => "save",
            Action::SaveCase => "save-case",
            Action::Export => "export",
            Action::RawFile => "raw-file",
            Action::Borders => "chunks",
            Action::Branches => "branches",
            Action::Copy(form) => form.name(),
            Action::CopyExact => "copy-exact",
            Action::Print => "print",
            Action::Note => "note",
            Action::RemoveNote => "remove-note",
            Action::SetMark(_) => "set-mark",
            Action::GoToMark(_) => "go-to-mark",
            Action::Help => "help",
            Action::Cancel => "cancel",
            Action::Redraw => "redraw",
            Action::Themes => "themes",
            Action::Mouse => "mouse",
            Action::Suspend => "suspend",
            Action::Interrupt => "interrupt",
            Action::Quit => "quit",
        }
    }
}

/// What can be done with the text that is written, beside typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditCommand {
    /// Take back the last change.
    Undo,
    /// Make it again.
    Redo,
    /// Select everything.
    SelectAll,
    /// Copy what is selected, or else the call or text at the cursor.
    Copy,
    /// Take out what is selected, and copy it.
    Cut,
}

/// What can be done with a text that is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Play, or stand still; where nothing is played, begin with what is shown.
    Play,
    /// A step on (true) or back.
    Step(bool),
    /// Another length of steps.
    Unit,
    /// Another speed.
    Faster,
}
