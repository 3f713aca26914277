//! The table of all actions. Each line has a name, keys and a help text; the words that people use for an action are in
//! `synonyms`. The help, the hints, the manual and the action names of the configuration are generated from it.
//!
//! To add an action, add a variant of [`Action`] and its line, and handle it in a pane, a screen or the opener. A
//! screen with its own keys is a variant of [`ScreenId`].

use strum::VariantArray as _;

use super::{Align, CopyForm, Motion, ReplayControl};

/// A screen with its own keys; the variant in kebab case is its name in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ScreenId {
    /// A file, a replay, a playground.
    Transcript,
    /// The list of sessions.
    Sessions,
    /// A comparison, complete or in progress.
    Comparison,
    /// The readings of a message by runtimes.
    Lens,
    /// Statistics of many sessions.
    Corpus,
    /// A chat template with its prompt.
    Template,
    /// Two prompts of one conversation.
    Prompts,
}

impl ScreenId {
    /// Every screen, in the order of the manual.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The name of the screen in the configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The screens on which a line of the table applies.
#[derive(Clone, Copy)]
pub enum ScreenSet {
    /// On these screens.
    Only(&'static [ScreenId]),
    /// On all other screens.
    Except(&'static [ScreenId]),
}

impl ScreenSet {
    /// True if the line applies on the screen.
    pub fn has(self, screen: ScreenId) -> bool {
        match self {
            ScreenSet::Only(screens) => screens.contains(&screen),
            ScreenSet::Except(screens) => !screens.contains(&screen),
        }
    }
}

/// A pane of a transcript. The first three are next to each other; one of the others is shown below them.
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
    Costs,
    Statistics,
    Notes,
    Files,
    Context,
    Timeline,
    DeclarationEditor,
}

/// An action, caused by a key, a click or a command of the palette. An `i8` is a direction: next (1) or previous (-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table below has a line for each")]
pub enum Action {
    Move(Motion),
    Align(Align),
    /// Fold, or go to the parent of the selection; scrolls left in the graph and in long lines.
    Close,
    /// Unfold, or go to the first child; scrolls right in the graph and in long lines.
    Open,
    /// Fold or unfold the selection; show a long value completely.
    Toggle,
    FoldAll,
    UnfoldAll,
    FocusNext(i8),
    Focus(PaneId),
    /// From 1.
    FocusNumber(usize),
    NextTab,
    Zoom,
    Taller,
    /// Enlarge (1) or shrink (-1) the focused pane, or reset the size of all panes (0).
    Resize(i8),
    /// On screens other than transcripts: the next difference, the next outcome.
    Problem(i8),
    Error(i8),
    Write,
    Call(i8),
    Turn(i8),
    /// The next compaction of the context, wrapping around.
    Compaction,
    /// The next call that started a sub-agent, wrapping around.
    Subagent,
    /// The longest answer or call, then the next shorter one.
    LongestWait,
    Filter,
    FilterSelection,
    FlipFilter,
    StartMarker,
    /// Complete the line that is being typed.
    Complete,
    Search,
    /// Search the text of all sessions of a list.
    SearchText,
    SearchSelection,
    Match(i8),
    Command,
    Palette,
    Jump(i8),
    NextFile(i8),
    CloseTab,
    Recorded,
    BackToList,
    Compare,
    Lens,
    MarkReading,
    RequestTools,
    RequestSettings,
    /// Choose the conversation that a template renders.
    Probes,
    /// Render as the next runtime does.
    NextRuntime,
    GenerationPrompt,
    /// The session up to the selection as the prompt of a chat template.
    SessionPrompt,
    OnlyDifferences,
    Visit,
    Order,
    CopyResume,
    CountLarge,
    CorpusStatistics,
    ReadAgain,
    /// Earlier (-1) or later (1) contents of the file.
    NextText(i8),
    FollowEnd,
    Wrap,
    Examples,
    Partner,
    Replay(ReplayControl),
    Repair,
    RepairAll,
    /// Undo; outside a playground: suspend.
    Undo,
    Redo,
    Play,
    NewDialect,
    InsertExample,
    Save,
    SaveCase,
    Export,
    RawFile,
    Borders,
    Branches,
    Copy(CopyForm),
    CopyExact,
    Print,
    Note,
    RemoveNote,
    /// The letter pressed after the key; `None` in the table.
    SetMark(Option<char>),
    GoToMark(Option<char>),
    Help,
    Cancel,
    Redraw,
    Themes,
    Mouse,
    Suspend,
    Interrupt,
    Quit,
}

/// A line of the table.
pub enum TableLine {
    /// The heading of the following lines.
    Title(&'static str),
    /// An action on some screens.
    Action(ActionLine),
}

/// An action and its keys on some screens.
#[derive(Clone, Copy)]
pub struct ActionLine {
    /// The screens on which it is available.
    pub on: ScreenSet,
    /// Its keys; the keys of a sequence are separated by spaces.
    pub keys: &'static [&'static str],
    /// The name that runs it and that the configuration uses for its keys; the same on every screen.
    pub name: &'static str,
    /// The action to run.
    pub action: Action,
    /// The help text.
    pub help: &'static str,
    /// Space-separated synonyms on these screens alone; one of a single letter is a short name that runs the action.
    pub synonyms: &'static str,
}

const fn bind(
    on: ScreenSet,
    keys: &'static [&'static str],
    name: &'static str,
    action: Action,
    help: &'static str,
) -> TableLine {
    TableLine::Action(ActionLine { on, keys, name, action, help, synonyms: "" })
}

impl TableLine {
    /// Adds synonyms to the line.
    const fn or(self, synonyms: &'static str) -> Self {
        match self {
            TableLine::Action(line) => TableLine::Action(ActionLine { synonyms, ..line }),
            TableLine::Title(_) => self,
        }
    }
}

/// The lines of actions of all screens.
pub fn action_lines() -> impl Iterator<Item = &'static ActionLine> {
    TABLE.iter().filter_map(|line| if let TableLine::Action(line) = line { Some(line) } else { None })
}

/// Placeholder in the table for any letter, upper or lower case, which is passed to the action.
pub const LETTER: &str = "a-z";

/// The help text of the key that copies again with the exact bytes.
const EXACT: &str = "copy again, exact bytes";

const ALL: ScreenSet = ScreenSet::Except(&[]);
const TRANSCRIPT: ScreenSet = ScreenSet::Only(&[ScreenId::Transcript]);
const SESSIONS: ScreenSet = ScreenSet::Only(&[ScreenId::Sessions]);
const COMPARISON: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison]);
const LENS: ScreenSet = ScreenSet::Only(&[ScreenId::Lens]);
const TEMPLATE: ScreenSet = ScreenSet::Only(&[ScreenId::Template]);
const PROMPTS: ScreenSet = ScreenSet::Only(&[ScreenId::Prompts]);
const DIFFERENCES: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison, ScreenId::Prompts]);
const CORPUS: ScreenSet = ScreenSet::Only(&[ScreenId::Corpus]);
const NO_TRANSCRIPT: ScreenSet = ScreenSet::Except(&[ScreenId::Transcript]);
const NO_LENS: ScreenSet = ScreenSet::Except(&[ScreenId::Lens]);
const RESULTS: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison, ScreenId::Lens, ScreenId::Prompts]);
const ENDING: ScreenSet = ScreenSet::Except(&[ScreenId::Transcript, ScreenId::Sessions, ScreenId::Corpus]);
const NEW_TABS: ScreenSet = ScreenSet::Except(&[ScreenId::Transcript, ScreenId::Sessions]);
const TEXTS: ScreenSet = ScreenSet::Except(&[ScreenId::Sessions, ScreenId::Corpus]);
const LISTS: ScreenSet = ScreenSet::Only(&[ScreenId::Sessions, ScreenId::Corpus]);

/// All keys of all screens, in the order of the help.
#[rustfmt::skip]
pub static TABLE: &[TableLine] = &[
    TableLine::Title("Move"),
    bind(DIFFERENCES, &["e", "n"], "next-problem", Action::Problem(1), "the next difference"),
    bind(DIFFERENCES, &["E", "N"], "previous-problem", Action::Problem(-1), "the previous difference"),
    bind(LENS, &["e", "n"], "next-problem", Action::Problem(1), "the next outcome"),
    bind(LENS, &["E", "N"], "previous-problem", Action::Problem(-1), "the previous outcome"),
    bind(TEMPLATE, &["e"], "next-problem", Action::Problem(1), "the next problem"),
    bind(TEMPLATE, &["E"], "previous-problem", Action::Problem(-1), "the previous problem"),
    bind(ALL, &["j", "Down"], "down", Action::Move(Motion::Line(1)), "down"),
    bind(ALL, &["k", "Up"], "up", Action::Move(Motion::Line(-1)), "up"),
    bind(ALL, &["ctrl-d"], "half-page-down", Action::Move(Motion::Half(1)), "half a page down"),
    bind(ALL, &["ctrl-u"], "half-page-up", Action::Move(Motion::Half(-1)), "half a page up"),
    bind(NO_LENS, &["Space", "ctrl-f", "PageDown"], "page-down", Action::Move(Motion::Page(1)), "a page down"),
    bind(LENS, &["ctrl-f", "PageDown"], "page-down", Action::Move(Motion::Page(1)), "a page down"),
    bind(ALL, &["b", "ctrl-b", "PageUp"], "page-up", Action::Move(Motion::Page(-1)), "a page up"),
    bind(TEXTS, &["g", "Home", "<"], "top", Action::Move(Motion::Top), "to the beginning"),
    bind(LISTS, &["g", "Home", "<"], "top", Action::Move(Motion::Top), "to the first"),
    bind(TRANSCRIPT, &["G", "End", ">"], "bottom", Action::Move(Motion::Bottom), "to the end, and follow it"),
    bind(ENDING, &["G", "End", ">"], "bottom", Action::Move(Motion::Bottom), "to the end"),
    bind(LISTS, &["G", "End", ">"], "bottom", Action::Move(Motion::Bottom), "to the last"),
    bind(TRANSCRIPT, &["z t"], "align-top", Action::Align(Align::Top), "scroll the selection to the top"),
    bind(TRANSCRIPT, &["z z"], "align-center", Action::Align(Align::Center), "scroll it to the middle"),
    bind(TRANSCRIPT, &["z b"], "align-bottom", Action::Align(Align::Bottom), "scroll it to the bottom"),
    bind(TRANSCRIPT, &["ctrl-o", "alt-Left", "' '"], "jump-back", Action::Jump(-1), "back to before the last jump"),
    bind(TRANSCRIPT, &["ctrl-i", "alt-Right"], "jump-forward", Action::Jump(1), "forward again"),
    bind(TRANSCRIPT, &[":"], "command", Action::Command, "to 30:8, turn 3, @5m; commands"),
    TableLine::Title("Go to"),
    bind(TRANSCRIPT, &["e"], "next-problem", Action::Problem(1), "the next problem or failed call"),
    bind(TRANSCRIPT, &["E"], "previous-problem", Action::Problem(-1), "the previous problem or failure"),
    bind(TRANSCRIPT, &["J"], "next-error", Action::Error(1), "the next error or failed call"),
    bind(TRANSCRIPT, &["K"], "previous-error", Action::Error(-1), "the previous error or failure"),
    bind(TRANSCRIPT, &["}"], "next-turn", Action::Turn(1), "the next turn"),
    bind(TRANSCRIPT, &["{"], "previous-turn", Action::Turn(-1), "the previous turn"),
    bind(TRANSCRIPT, &["z c"], "next-compaction", Action::Compaction, "the next compaction"),
    bind(TRANSCRIPT, &["z s"], "next-subagent", Action::Subagent, "the next call of a sub-agent"),
    bind(TRANSCRIPT, &["z w"], "longest-wait", Action::LongestWait, "the longest wait; then the next"),
    bind(TRANSCRIPT, &["c"], "next-call", Action::Call(1), "the next call"),
    bind(TRANSCRIPT, &["C"], "previous-call", Action::Call(-1), "the previous call"),
    bind(TRANSCRIPT, &["r"], "result", Action::Partner, "a call's result, and back"),
    bind(TRANSCRIPT, &["/"], "search", Action::Search, "search for a pattern"),
    bind(TRANSCRIPT, &["*"], "search-selection", Action::SearchSelection, "search for the selection"),
    bind(TRANSCRIPT, &["n"], "next-match", Action::Match(1), "the next match"),
    bind(TRANSCRIPT, &["N"], "previous-match", Action::Match(-1), "the previous match"),
    TableLine::Title("Notes"),
    bind(TRANSCRIPT, &["A"], "note", Action::Note, "add or edit a note"),
    bind(TRANSCRIPT, &["X", "Delete"], "remove-note", Action::RemoveNote, "remove the note"),
    bind(TRANSCRIPT, &["m a-z"], "set-mark", Action::SetMark(None), "mark this place with a letter"),
    bind(TRANSCRIPT, &["' a-z"], "go-to-mark", Action::GoToMark(None), "go to the mark"),
    TableLine::Title("Filter"),
    bind(TRANSCRIPT, &["&"], "filter", Action::Filter, "filter: failed tool:Bash …"),
    bind(TRANSCRIPT, &["\\"], "filter-selection", Action::FilterSelection, "filter by the selection"),
    bind(TRANSCRIPT, &["H"], "hide-or-dim", Action::FlipFilter, "hide or dim the rest"),
    TableLine::Title("Files"),
    bind(TRANSCRIPT, &["]"], "next-tab", Action::NextFile(1), "the next file"),
    bind(TRANSCRIPT, &["["], "previous-tab", Action::NextFile(-1), "the previous file"),
    bind(TRANSCRIPT, &["ctrl-w"], "close-tab", Action::CloseTab, "close this tab"),
    bind(TRANSCRIPT, &["o"], "recorded-sessions", Action::Recorded, "list recorded sessions"),
    bind(TRANSCRIPT, &["O"], "back-to-list", Action::BackToList, "back to the list of sessions"),
    bind(TRANSCRIPT, &["("], "earlier-contents", Action::NextText(-1), "earlier contents of the file"),
    bind(TRANSCRIPT, &[")"], "later-contents", Action::NextText(1), "later contents"),
    TableLine::Title("Playground"),
    bind(TRANSCRIPT, &["i"], "playground", Action::Play, "edit a copy of the selection"),
    bind(TRANSCRIPT, &["I", "F2"], "declaration", Action::Focus(PaneId::DeclarationEditor), "declaration of the call format"),
    bind(TRANSCRIPT, &["alt-n"], "new-dialect", Action::NewDialect, "new call format from this text"),
    bind(TRANSCRIPT, &["alt-e"], "insert-example", Action::InsertExample, "insert a call as an example"),
    bind(TRANSCRIPT, &["ctrl-s"], "save", Action::Save, "save text or declaration").or("w"),
    bind(TRANSCRIPT, &["S"], "save-case", Action::SaveCase, "save as a test case"),
    bind(TRANSCRIPT, &["ctrl-g"], "external-editor", Action::Write, "edit it in $EDITOR"),
    bind(TRANSCRIPT, &["ctrl-y"], "redo", Action::Redo, "redo"),
    TableLine::Title("Replay"),
    bind(TRANSCRIPT, &["P"], "replay", Action::Replay(ReplayControl::Play), "replay as a stream; pause"),
    bind(TRANSCRIPT, &["."], "step-forward", Action::Replay(ReplayControl::Step(true)), "step forward"),
    bind(TRANSCRIPT, &[","], "step-back", Action::Replay(ReplayControl::Step(false)), "step back"),
    bind(TRANSCRIPT, &["u"], "step-unit", Action::Replay(ReplayControl::Unit), "step by line, chunk, character"),
    bind(TRANSCRIPT, &["U"], "speed", Action::Replay(ReplayControl::Faster), "change the speed"),
    TableLine::Title("Fold"),
    bind(TRANSCRIPT, &["l", "Right"], "unfold", Action::Open, "unfold, go in; next byte"),
    bind(TRANSCRIPT, &["h", "Left"], "fold", Action::Close, "fold, go out; previous byte"),
    bind(TRANSCRIPT, &["Enter", "z a"], "toggle", Action::Toggle, "fold or unfold; full value"),
    bind(TRANSCRIPT, &["-", "z M"], "fold-all", Action::FoldAll, "fold all calls"),
    bind(TRANSCRIPT, &["+", "=", "z R"], "unfold-all", Action::UnfoldAll, "unfold all calls"),
    TableLine::Title("Panes"),
    bind(TRANSCRIPT, &["Tab"], "next-pane", Action::FocusNext(1), "next pane; 3 Tab: the third"),
    bind(TRANSCRIPT, &["BackTab"], "previous-pane", Action::FocusNext(-1), "previous pane"),
    bind(TRANSCRIPT, &["alt-1"], "outline", Action::Focus(PaneId::Outline), "outline"),
    bind(TRANSCRIPT, &["alt-2"], "reading", Action::Focus(PaneId::Reading), "reading"),
    bind(TRANSCRIPT, &["alt-3"], "raw", Action::Focus(PaneId::Raw), "raw text"),
    bind(TRANSCRIPT, &["p", "alt-4"], "problems", Action::Focus(PaneId::Problems), "problems"),
    bind(TRANSCRIPT, &["d", "alt-5"], "graph", Action::Focus(PaneId::Graph), "dependency graph"),
    bind(TRANSCRIPT, &["a", "alt-6"], "details", Action::Focus(PaneId::Details), "details of the selection"),
    bind(TRANSCRIPT, &["v", "alt-7"], "events", Action::Focus(PaneId::Events), "events of the file or command"),
    bind(TRANSCRIPT, &["s", "alt-8"], "settings", Action::Focus(PaneId::Settings), "settings"),
    bind(TRANSCRIPT, &["$", "alt-9"], "costs", Action::Focus(PaneId::Costs), "cost in each call format"),
    bind(TRANSCRIPT, &["#", "alt-0"], "statistics", Action::Focus(PaneId::Statistics), "statistics of calls and roles"),
    bind(TRANSCRIPT, &["\""], "notes", Action::Focus(PaneId::Notes), "notes and marks"),
    bind(TRANSCRIPT, &["@"], "files", Action::Focus(PaneId::Files), "files that were read or changed"),
    bind(TRANSCRIPT, &["%"], "context", Action::Focus(PaneId::Context), "the context of each request"),
    bind(TRANSCRIPT, &["~"], "timeline", Action::Focus(PaneId::Timeline), "the turns over time"),
    bind(TRANSCRIPT, &["t"], "next-bottom-tab", Action::NextTab, "next bottom tab"),
    bind(TRANSCRIPT, &["Z"], "zoom", Action::Zoom, "zoom the focused pane"),
    bind(TRANSCRIPT, &["alt-.", "z >"], "larger", Action::Resize(1), "make the focused pane larger"),
    bind(TRANSCRIPT, &["alt-,", "z <"], "smaller", Action::Resize(-1), "make it smaller"),
    bind(TRANSCRIPT, &["z ="], "usual-sizes", Action::Resize(0), "reset the sizes of all panes"),
    bind(TRANSCRIPT, &["_"], "taller", Action::Taller, "make the bottom pane taller"),
    bind(TRANSCRIPT, &["w"], "wrap", Action::Wrap, "wrap or cut long raw lines"),
    bind(TRANSCRIPT, &["R"], "raw-file", Action::RawFile, "raw: show the file itself"),
    bind(TRANSCRIPT, &["|"], "chunks", Action::Borders, "raw: mark chunk boundaries"),
    TableLine::Title("Copy"),
    bind(TRANSCRIPT, &["y y"], "copy", Action::Copy(CopyForm::Selection), "the selection"),
    bind(TRANSCRIPT, &["y b"], "copy-block", Action::Copy(CopyForm::Block), "the whole call, result or text"),
    bind(TRANSCRIPT, &["y v"], "copy-value", Action::Copy(CopyForm::Value), "the value that the tool gets"),
    bind(TRANSCRIPT, &["y j"], "copy-parameters", Action::Copy(CopyForm::Parameters), "parameters as JSON"),
    bind(TRANSCRIPT, &["y p"], "copy-pointer", Action::Copy(CopyForm::Pointer), "the pointer of the argument"),
    bind(TRANSCRIPT, &["y r"], "copy-result", Action::Copy(CopyForm::Result), "the result of the call"),
    bind(TRANSCRIPT, &["y q"], "copy-quote", Action::Copy(CopyForm::Quote), "Markdown quote with the place"),
    bind(TRANSCRIPT, &["y l"], "copy-place", Action::Copy(CopyForm::Place), "file:line:column"),
    bind(TRANSCRIPT, &["y c"], "copy-command", Action::Copy(CopyForm::Command), "the command that opens it here"),
    bind(TRANSCRIPT, &["Y"], "copy-exact", Action::CopyExact, EXACT),
    bind(TRANSCRIPT, &["y t"], "print", Action::Print, "print it on the terminal"),
    TableLine::Title("Sessions"),
    bind(SESSIONS, &["Enter"], "toggle", Action::Toggle, "open it; show or hide a folder"),
    bind(SESSIONS, &["l", "Right"], "unfold", Action::Open, "show its sub-agents; open it"),
    bind(SESSIONS, &["h", "Left"], "fold", Action::Close, "hide sub-agents, a folder"),
    bind(SESSIONS, &["/"], "search", Action::Search, "filter by title, project, name"),
    bind(SESSIONS, &["*"], "search-text", Action::SearchText, "search the text of all sessions"),
    bind(SESSIONS, &["&"], "filter", Action::Filter, "filter by content: failed …"),
    bind(SESSIONS, &["s"], "sort-order", Action::Order, "change the sort order"),
    bind(SESSIONS, &["Tab"], "next-pane", Action::FocusNext(1), "group by project or not"),
    bind(SESSIONS, &["y"], "copy-resume", Action::CopyResume, "copy the command to resume it"),
    bind(SESSIONS, &["c"], "count-large", Action::CountLarge, "count the calls of a large file"),
    bind(SESSIONS, &["#"], "corpus-statistics", Action::CorpusStatistics, "statistics of all sessions"),
    bind(SESSIONS, &["o"], "recorded-sessions", Action::Recorded, "list recorded sessions"),
    bind(SESSIONS, &["]"], "next-tab", Action::NextFile(1), "the next tab"),
    bind(SESSIONS, &["["], "previous-tab", Action::NextFile(-1), "the previous tab"),
    bind(SESSIONS, &["ctrl-w"], "close-tab", Action::CloseTab, "close this tab"),
    TableLine::Title("Calls"),
    bind(COMPARISON, &["Enter"], "toggle", Action::Toggle, "show differences, all; fold"),
    bind(COMPARISON, &["l", "Right"], "unfold", Action::Open, "show all"),
    bind(COMPARISON, &["h", "Left"], "fold", Action::Close, "fold it, then its turn"),
    bind(COMPARISON, &["-"], "fold-all", Action::FoldAll, "fold all turns and calls"),
    bind(COMPARISON, &["+", "="], "unfold-all", Action::UnfoldAll, "unfold all turns and calls"),
    bind(COMPARISON, &["m"], "only-differences", Action::OnlyDifferences, "only modified calls, or all"),
    bind(COMPARISON, &["Tab"], "next-pane", Action::FocusNext(1), "go to the other side"),
    bind(COMPARISON, &["BackTab"], "previous-pane", Action::FocusNext(-1), "go to the other side"),
    bind(COMPARISON, &["c"], "go-to-call", Action::Visit, "go to the call in its text"),
    bind(COMPARISON, &["i"], "playground", Action::Play, "edit a copy of the call"),
    bind(COMPARISON, &["y y"], "copy", Action::Copy(CopyForm::Selection), "copy the call"),
    bind(COMPARISON, &["Y"], "copy-exact", Action::CopyExact, EXACT),
    TableLine::Title("Parsers"),
    bind(LENS, &["Enter"], "toggle", Action::Toggle, "read the text as this parser"),
    bind(LENS, &["Space"], "mark-reading", Action::MarkReading, "mark it for D, or unmark it"),
    bind(LENS, &["D"], "compare", Action::Compare, "compare it with the marked one"),
    bind(LENS, &["l", "Right"], "unfold", Action::Open, "show its parsers and values"),
    bind(LENS, &["h", "Left"], "fold", Action::Close, "fold it"),
    bind(LENS, &["-"], "fold-all", Action::FoldAll, "fold all outcomes"),
    bind(LENS, &["+", "="], "unfold-all", Action::UnfoldAll, "unfold all outcomes"),
    bind(LENS, &["c"], "go-to-call", Action::Visit, "go to its place in the text"),
    bind(LENS, &["s"], "request-tools", Action::RequestTools, "select a schema file"),
    bind(LENS, &["r"], "request-settings", Action::RequestSettings, "settings of the request"),
    bind(LENS, &["V"], "ask-runtimes", Action::Lens, "run the parsers again"),
    bind(LENS, &["y y"], "copy", Action::Copy(CopyForm::Selection), "copy the outcome as JSON"),
    bind(LENS, &["Y"], "copy-exact", Action::CopyExact, EXACT),
    TableLine::Title("Chat template"),
    bind(TEMPLATE, &["Tab"], "next-pane", Action::FocusNext(1), "next pane; 3 Tab: the third"),
    bind(TEMPLATE, &["BackTab"], "previous-pane", Action::FocusNext(-1), "previous pane"),
    bind(TEMPLATE, &["l", "Right"], "unfold", Action::Open, "the next part; unfold"),
    bind(TEMPLATE, &["h", "Left"], "fold", Action::Close, "the previous part; fold"),
    bind(TEMPLATE, &["Enter"], "toggle", Action::Toggle, "the next place in the prompt"),
    bind(TEMPLATE, &["p"], "choose-probe", Action::Probes, "choose the conversation").or("chat template prompt messages"),
    bind(TEMPLATE, &["s"], "next-runtime", Action::NextRuntime, "render as the next runtime").or("chat template prompt vllm transformers llama"),
    bind(TEMPLATE, &["T"], "generation-prompt", Action::GenerationPrompt, "with the answer's beginning").or("chat template answer"),
    bind(TEMPLATE, &["V"], "ask-runtimes", Action::Lens, "lens: how the answer is read").or("chat template parsers vllm sglang"),
    bind(TEMPLATE, &["y y"], "copy", Action::Copy(CopyForm::Selection), "copy the selected part").or("yank clipboard"),
    bind(TEMPLATE, &["y b"], "copy-block", Action::Copy(CopyForm::Block), "copy the whole prompt"),
    bind(TEMPLATE, &["y p"], "copy-pointer", Action::Copy(CopyForm::Pointer), "copy the path of the field"),
    bind(TEMPLATE, &["Y"], "copy-exact", Action::CopyExact, EXACT),
    bind(TEMPLATE, &["/"], "search", Action::Search, "search the focused pane"),
    bind(TEMPLATE, &["n"], "next-match", Action::Match(1), "the next match"),
    bind(TEMPLATE, &["N"], "previous-match", Action::Match(-1), "the previous match"),
    bind(TEMPLATE, &["D"], "compare", Action::Compare, "compare with another prompt").or("chat template diff difference runtime vllm llama"),
    TableLine::Title("Prompts"),
    bind(PROMPTS, &["Tab"], "next-pane", Action::FocusNext(1), "go to the other side"),
    bind(PROMPTS, &["BackTab"], "previous-pane", Action::FocusNext(-1), "go to the other side"),
    bind(PROMPTS, &["l", "Right"], "unfold", Action::Open, "the next part"),
    bind(PROMPTS, &["h", "Left"], "fold", Action::Close, "the previous part"),
    bind(PROMPTS, &["m"], "only-differences", Action::OnlyDifferences, "only different lines, or all"),
    bind(PROMPTS, &["Enter"], "toggle", Action::Toggle, "show the byte in its template"),
    bind(PROMPTS, &["y y"], "copy", Action::Copy(CopyForm::Selection), "copy the selected part").or("yank clipboard"),
    bind(PROMPTS, &["y b"], "copy-block", Action::Copy(CopyForm::Block), "copy the whole prompt"),
    bind(PROMPTS, &["Y"], "copy-exact", Action::CopyExact, EXACT),
    TableLine::Title("Statistics"),
    bind(CORPUS, &["Enter"], "toggle", Action::Toggle, "list what failed; open the call"),
    bind(CORPUS, &["Tab"], "next-pane", Action::FocusNext(1), "group by the next: tool …"),
    bind(CORPUS, &["BackTab"], "previous-pane", Action::FocusNext(-1), "group by the previous"),
    bind(CORPUS, &["l", "Right"], "unfold", Action::Open, "group by the next; open call"),
    bind(CORPUS, &["h", "Left"], "fold", Action::Close, "group by the previous; leave"),
    bind(CORPUS, &["/"], "search", Action::Search, "filter by name"),
    bind(CORPUS, &["s"], "sort-order", Action::Order, "change the sort order"),
    bind(CORPUS, &["r"], "read-again", Action::ReadAgain, "read what has changed"),
    bind(CORPUS, &["o"], "recorded-sessions", Action::Recorded, "list recorded sessions"),
    TableLine::Title("Other"),
    bind(TRANSCRIPT, &["T"], "follow-end", Action::FollowEnd, "follow the end, or stop"),
    bind(TRANSCRIPT, &["f"], "repair", Action::Repair, "show a repair, then apply it"),
    bind(TRANSCRIPT, &["F"], "repair-all", Action::RepairAll, "show all repairs, then apply"),
    bind(TRANSCRIPT, &["D"], "compare", Action::Compare, "compare with before or another"),
    bind(TRANSCRIPT, &["V", "alt-r"], "ask-runtimes", Action::Lens, "lens: how runtimes read it"),
    bind(TRANSCRIPT, &["z p", "alt-p"], "session-prompt", Action::SessionPrompt, "the prompt the model was shown"),
    bind(TRANSCRIPT, &["W"], "export", Action::Export, "write a report: html, md, json"),
    bind(TRANSCRIPT, &["!"], "start-marker", Action::StartMarker, "read with another start marker"),
    bind(TRANSCRIPT, &["x"], "examples", Action::Examples, "read examples as prose or calls"),
    bind(TRANSCRIPT, &["B"], "branches", Action::Branches, "show or hide abandoned messages"),
    bind(NEW_TABS, &["]"], "next-tab", Action::NextFile(1), "the next tab"),
    bind(NEW_TABS, &["["], "previous-tab", Action::NextFile(-1), "the previous tab"),
    bind(NEW_TABS, &["ctrl-w"], "close-tab", Action::CloseTab, "close this tab"),
    bind(TRANSCRIPT, &["?", "F1"], "help", Action::Help, "show this help").or("h"),
    bind(NO_TRANSCRIPT, &["?"], "help", Action::Help, "show this help").or("h"),
    bind(TRANSCRIPT, &["Esc"], "cancel", Action::Cancel, "leave help, zoom or search"),
    bind(SESSIONS, &["Esc"], "cancel", Action::Cancel, "leave the filter, then go back"),
    bind(RESULTS, &["Esc"], "cancel", Action::Cancel, "close it, return to the text"),
    bind(TEMPLATE, &["Esc"], "cancel", Action::Cancel, "leave the list, go back"),
    bind(CORPUS, &["Esc"], "cancel", Action::Cancel, "leave the list, stop, go back"),
    bind(ALL, &["ctrl-p", "F3"], "commands", Action::Palette, "choose from all commands"),
    bind(ALL, &["L"], "themes", Action::Themes, "try other themes"),
    bind(ALL, &["M"], "mouse", Action::Mouse, "give the mouse to the terminal"),
    bind(ALL, &["ctrl-l"], "redraw", Action::Redraw, "redraw"),
    bind(TRANSCRIPT, &["ctrl-z"], "undo", Action::Undo, "suspend; in a playground: undo"),
    bind(TRANSCRIPT, &["ctrl-t"], "suspend", Action::Suspend, "suspend; fg returns"),
    bind(NO_TRANSCRIPT, &["ctrl-z"], "suspend", Action::Suspend, "suspend; fg returns"),
    bind(ALL, &["ctrl-c"], "interrupt", Action::Interrupt, "interrupt the command, or quit"),
    bind(ALL, &["q"], "quit", Action::Quit, "back to the list, or quit").or("q"),
];
