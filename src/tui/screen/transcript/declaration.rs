//! The declaration of a dialect next to the text of a playground: at each key it is parsed, and the text is read with
//! it.
//!
//! Shows the declaration of the dialect at the cursor, unless another one has been changed or started. Independent of
//! files and key bindings.

use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;

use crate::dialect::DialectInfo;
use crate::dialect::declared::declaration::MAX_BYTES;
use crate::proposal::{Proposal, propose};
use crate::text::Span;
use crate::text::sanitize::visible_str;

use crate::tui::action::{EditCommand, PaneId};
use crate::tui::files::ExistingFile;
use crate::tui::message::{Copied, EditorDraft, EditorOutcome, Effect, Navigation, Task};
use crate::tui::playground::Playground;
use crate::tui::prompt::{PromptKind, PromptNote};
use crate::tui::row::{count, size};
use crate::tui::screen::transcript::{Transcript, written_text};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::declaration::{DeclarationDraft, DeclarationView};

/// Bytes of a text that a proposal is made from: it is computed synchronously after a key press.
const MOST_PROPOSED_FROM: usize = 16 * 1024;

/// Name of a dialect before the user has chosen one.
const NAME: &str = "my-calls";

/// The folder of a project that is searched for declarations.
const FOLDER: &str = ".transcope/dialects";

/// Shows the declaration and focuses it; a second request returns to the text.
pub(super) fn focus(state: &mut Transcript) -> Option<Effect> {
    if state.view.editor.is_none() {
        return Some(Effect::Go(Navigation::Declare(written_text::selected_text(state))));
    }
    if state.view.layout.focused() == PaneId::DeclarationEditor {
        state.focus(PaneId::Raw);
        return None;
    }
    state.view.layout.bottom = PaneId::DeclarationEditor;
    sync(state);
    state.focus(PaneId::DeclarationEditor);
    None
}

/// Starts a declaration for the text.
pub(super) fn begin(state: &mut Transcript) -> Option<Effect> {
    if state.view.editor.is_none() {
        return Some(Effect::Go(Navigation::NewDialect(written_text::selected_text(state))));
    }
    if let Some(draft) = state.view.declaration.draft().filter(|draft| draft.editor.is_changed()) {
        let words = format!("the declaration of {} is not saved: ctrl-s saves it, ctrl-z undoes", draft.name());
        state.view.layout.focus_on(PaneId::DeclarationEditor);
        state.reveal();
        return state.chrome.refuse(words);
    }
    let mut template = DeclarationView::template(&state.view.options);
    if let Some(draft) = template.draft_mut() {
        draft.is_held = true;
    }
    show(state, template);
    state.focus(PaneId::DeclarationEditor);
    let proposal = propose(&unread(&state.view), NAME);
    let Some(Proposal { yaml, calls, clean, tools, confidence }) = proposal else {
        state.show_message("no recurring call syntax found: fill in the markers in this template", Role::Dim);
        return None;
    };
    change(state, |editor| {
        editor.put(&yaml);
        true
    });
    let words = format!("reads {clean} of {} ({}), {}", count(calls, "call"), tools.join(", "), confidence.word());
    state.show_message(format!("{words}; ctrl-z: template"), Role::Good);
    None
}

/// The beginning of the text that no dialect reads as a call.
fn unread(view: &View) -> String {
    let (document, text) = (view.session.document(), view.session.text());
    let mut unread = String::new();
    for span in (0..document.items().len())
        .filter(|&item| document.call(item).is_none())
        .filter_map(|item| document.items().span(item))
    {
        let room = MOST_PROPOSED_FROM.saturating_sub(unread.len());
        if room == 0 {
            break;
        }
        unread.push_str(&text.read_str(Span::new(span.start, span.end.min(span.start + room))));
    }
    unread
}

/// Shows the declaration right away if it was given for this text: the user may be working on it.
pub(super) fn show_given(state: &mut Transcript) {
    let given = &state.view.options.additional;
    if wanted(&state.view).is_some_and(|info| given.iter().any(|given| given.name == info.name)) {
        state.view.layout.bottom = PaneId::DeclarationEditor;
        sync(state);
    }
}

/// Shows the declaration of the dialect at the cursor if the pane is visible and no edited declaration would be lost.
pub(super) fn sync(state: &mut Transcript) {
    let layout = &state.view.layout;
    if state.view.editor.is_none() || layout.bottom != PaneId::DeclarationEditor {
        return;
    }
    let has_focus = layout.focused() == PaneId::DeclarationEditor;
    if let Some(draft) = state.view.declaration.draft_mut() {
        draft.is_held &= has_focus;
    }
    if state.view.declaration.is_pinned() {
        return;
    }
    match wanted(&state.view) {
        Some(info) if state.view.declaration.name() == Some(info.name) => {}
        Some(info) => {
            let declaration = DeclarationView::of(info, &state.view.options);
            show(state, declaration);
        }
        None if matches!(state.view.declaration, DeclarationView::Nothing) => {
            let template = DeclarationView::template(&state.view.options);
            show(state, template);
        }
        None => {}
    }
}

/// The dialect whose declaration should be shown: the selected call's dialect; otherwise, while none is shown, the only
/// one that was named or given for this text, or the first one detected.
fn wanted(view: &View) -> Option<&'static DialectInfo> {
    let document = view.session.document();
    let named = |name: &str| view.options.named(name);
    if let Some(call) = document.call(view.selection.item) {
        return named(call.dialect);
    }
    if !matches!(view.declaration, DeclarationView::Nothing) {
        return None;
    }
    let seen = || named(document.dialects_seen().next()?);
    match (&*view.options.only, &*view.options.additional) {
        ([only], _) | (_, [only]) => Some(*only),
        _ => seen(),
    }
}

fn show(state: &mut Transcript, declaration: DeclarationView) {
    state.view.declaration = declaration;
    state.view.selection.problem = None;
    state.panes.declaration.rewind();
    state.reveal();
}

/// Edits the YAML; if it has changed, the text is read again.
fn change(state: &mut Transcript, make: impl FnOnce(&mut Playground) -> bool) {
    let Some(draft) = state.view.declaration.draft_mut() else { return };
    if make(&mut draft.editor) {
        read(state);
    } else {
        draft.offer = None;
        state.reveal();
    }
}

/// Parses the YAML, and reads the text with it unless it has faults.
fn read(state: &mut Transcript) {
    state.view.selection.problem = None;
    let View { declaration, options, .. } = &mut state.view;
    let Some(draft) = declaration.draft_mut() else { return };
    match draft.apply(options) {
        Some(new) if new != *options => {
            *options = new;
            written_text::read(state);
        }
        _ => state.reveal(),
    }
}

pub(super) fn typed(state: &mut Transcript, key: KeyEvent) {
    change(state, |editor| editor.key(key));
}

pub(super) fn paste(state: &mut Transcript, text: &str) {
    let length = state.view.declaration.draft().map_or(0, |draft| draft.editor.text().len());
    if length + text.len() > MAX_BYTES {
        return state.show_message(format!("a declaration has at most {}", size(MAX_BYTES)), Role::Warning);
    }
    change(state, |editor| {
        editor.paste(text);
        true
    });
}

pub(super) fn edit(state: &mut Transcript, edit: EditCommand) -> Option<Effect> {
    let draft = state.view.declaration.draft_mut()?;
    let selected = draft.editor.selection().map(|span| draft.editor.text()[span.start..span.end].to_owned());
    let copied = |text| Effect::Run(Task::Copy(Copied::new("the selection", text)));
    match edit {
        EditCommand::Undo if !draft.editor.undo() => state.show_message("nothing to undo; ctrl-t suspends", Role::Dim),
        EditCommand::Redo if !draft.editor.redo() => state.show_message("nothing to redo", Role::Dim),
        EditCommand::Undo | EditCommand::Redo => {
            state.chrome.message = None;
            read(state);
        }
        EditCommand::SelectAll => draft.editor.select_all(),
        EditCommand::Copy => {
            let whole = draft.editor.text().to_owned();
            return Some(
                selected.map_or_else(|| Effect::Run(Task::Copy(Copied::new("the declaration", whole))), copied),
            );
        }
        EditCommand::Cut => {
            change(state, Playground::cut);
            return selected.map(copied);
        }
    }
    None
}

/// Moves the cursor to an offset of the YAML.
pub(super) fn place_cursor(state: &mut Transcript, offset: usize) {
    change(state, |editor| {
        editor.go_to(offset);
        false
    });
}

/// Goes to the next or previous fault. Returns false if there is none.
pub(super) fn to_fault(state: &mut Transcript, direction: i8) -> bool {
    let Some(index) = state.view.declaration.draft().and_then(|draft| draft.next_fault(direction)) else {
        return false;
    };
    show_fault(state, index);
    true
}

/// Moves the cursor to a fault and shows its message.
pub(super) fn show_fault(state: &mut Transcript, index: usize) {
    let Some(draft) = state.view.declaration.draft() else { return };
    let Some(fault) = draft.faults.get(index) else { return };
    let words = format!("{}/{} in the declaration: {}", index + 1, draft.faults.len(), fault.message);
    let start = fault.span.start;
    place_cursor(state, start);
    state.show_message(words, Role::Dim);
}

/// Previews the repair of the fault at the cursor, or of the next one that can be repaired; a second request applies
/// it.
pub(super) fn repair(state: &mut Transcript) -> Option<Effect> {
    let key = if state.types() { "ctrl-r" } else { "f" };
    let draft = state.view.declaration.draft_mut()?;
    if let Some(edit) = draft.offer.take() {
        let mut text = draft.editor.text().to_owned();
        text.replace_range(edit.span.start..edit.span.end, &edit.with);
        change(state, |editor| {
            editor.put(&text);
            true
        });
        state.show_message("repaired; ctrl-z undoes", Role::Good);
        return None;
    }
    let near = draft.fault_near().map_or(0, |(index, _)| index);
    let faults = draft.faults[near..].iter().chain(&draft.faults[..near]);
    // An edit outside this YAML cannot be applied to it.
    let is_in = |edit: &crate::diagnostic::Edit| draft.editor.text().get(edit.span.start..edit.span.end).is_some();
    let found = faults.filter_map(|fault| fault.remedy.clone()).find(is_in);
    let Some(edit) = found else {
        let words = if draft.faults.is_empty() { "no fault to repair" } else { "no automatic repair" };
        return state.chrome.refuse(words);
    };
    let found = &draft.editor.text()[edit.span.start..edit.span.end];
    let words = format!("replace {found:?} with {:?}; {key} again to apply", edit.with);
    let start = edit.span.start;
    place_cursor(state, start);
    if let Some(draft) = state.view.declaration.draft_mut() {
        draft.offer = Some(edit);
    }
    state.show_message(words, Role::Good);
    None
}

/// Prompts for the file to save the declaration as.
pub(super) fn ask(state: &mut Transcript) {
    let Some(draft) = state.view.declaration.draft_mut() else { return };
    draft.refused = None;
    let own = draft.editor.path().map(|path| path.to_string_lossy().into_owned());
    let note = own.as_ref().map(|_| PromptNote::Hint("Enter replaces it"));
    let path = own.unwrap_or_else(|| format!("{FOLDER}/{}.yaml", file_name(draft)));
    state.chrome.ask(PromptKind::Declaration, &path);
    if let Some(prompt) = &mut state.chrome.prompt {
        prompt.note = note;
    }
}

/// File name for the declaration: its name, without path separators.
fn file_name(draft: &DeclarationDraft) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = draft.name().chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    name.trim_start_matches('.').to_owned()
}

pub(super) fn save(state: &Transcript, path: PathBuf) -> Option<Effect> {
    let draft = state.view.declaration.draft()?;
    let is_agreed = [draft.editor.path(), draft.refused.as_deref()].contains(&Some(&path));
    let existing = if is_agreed { ExistingFile::Replace } else { ExistingFile::Keep };
    Some(Effect::Run(Task::SaveDeclaration { text: draft.editor.text().to_owned(), path, existing }))
}

/// The file exists: asks whether to replace it.
pub(super) fn ask_again(state: &mut Transcript, path: PathBuf) {
    let Some(draft) = state.view.declaration.draft_mut() else { return };
    state.chrome.ask(PromptKind::Declaration, &path.to_string_lossy());
    if let Some(prompt) = &mut state.chrome.prompt {
        prompt.note = Some(PromptNote::Fault("it exists; Enter again replaces it".into()));
    }
    draft.refused = Some(path);
}

pub(super) fn saved(state: &mut Transcript, text: String, path: PathBuf) {
    let name = visible_str(&path.to_string_lossy()).into_owned();
    let Some(draft) = state.view.declaration.draft_mut() else { return };
    draft.refused = None;
    let faults = match draft.faults.len() {
        0 => String::new(),
        faults => format!(", with {}: it cannot be used yet", count(faults, "fault")),
    };
    let words = format!("saved {name} ({}){faults}", size(text.len()));
    draft.editor.is_saved(text, path);
    // The declaration now has a file.
    read(state);
    state.show_message(words, Role::Good);
}

/// Opens the YAML in the user's editor.
pub(super) fn write(state: &Transcript) -> Option<Effect> {
    let editor = &state.view.declaration.draft()?.editor;
    let path = editor.path().map(Path::to_path_buf);
    Some(Effect::Run(Task::Write(EditorDraft { text: editor.text().to_owned(), path, is_saved: !editor.is_changed() })))
}

/// Handles the end of the user's editor.
pub(super) fn edited(state: &mut Transcript, edited: EditorOutcome) {
    let Some(draft) = state.view.declaration.draft_mut() else { return };
    if edited.text.len() > MAX_BYTES {
        return state.show_message(format!("a declaration has at most {}; unchanged", size(MAX_BYTES)), Role::Warning);
    }
    if let Some(path) = edited.path {
        draft.editor.is_saved(edited.text.clone(), path);
    }
    if draft.editor.text() == edited.text {
        return state.show_message("unchanged", Role::Dim);
    }
    change(state, |editor| {
        editor.put(&edited.text);
        true
    });
    state.show_message("declaration loaded from the editor; ctrl-z undoes", Role::Good);
}
