//! A declaration of a dialect that is shown and edited next to a text: its YAML, its faults, and the options with which
//! the text is read meanwhile.
//!
//! While it is faulty, the last version without a fault stays in use.

mod colours;

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Edit};
use crate::dialect::declared::index::embedded;
use crate::dialect::declared::{Declaration, declaration};
use crate::dialect::{DialectInfo, Options};
use crate::text::{Lines, Position, Span, Text};

use crate::tui::playground::Playground;
use crate::tui::style::Role;

/// A complete declaration that matches nothing yet, since its marker occurs in no text.
pub const TEMPLATE: &str = include_str!("declaration/template.yaml");

/// The contents of the declaration pane.
#[derive(Default)]
pub enum DeclarationView {
    /// The pane has not been opened yet.
    #[default]
    Nothing,
    /// A dialect that is code or was imported, and so has no declaration that can be edited.
    Code(&'static DialectInfo),
    /// An editable declaration.
    Draft(Box<DeclarationDraft>),
}

/// Origin of a draft's YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftOrigin {
    /// Built in.
    Embedded,
    /// A declaration of the user's.
    Given,
    /// The template of a new one.
    New,
}

/// A declaration being edited.
pub struct DeclarationDraft {
    /// The YAML with its cursor and file.
    pub editor: Playground,
    /// Origin of the YAML.
    pub origin: DraftOrigin,
    /// The same YAML as a [`Text`], for drawing.
    pub text: Text,
    /// Line index of `text`.
    pub lines: Lines,
    /// Syntax colours, sorted.
    pub colours: Vec<(Span, Role)>,
    /// Faults, in the order of the YAML.
    pub faults: Vec<Diagnostic>,
    /// A repair that was previewed and is applied by the next request.
    pub offer: Option<Edit>,
    /// True if it stays open although it is unchanged and the selection is now in another dialect.
    pub is_held: bool,
    /// An existing file that saving refused to overwrite; a second request for the same path overwrites it.
    pub refused: Option<PathBuf>,
    /// The YAML when it was opened.
    opened: String,
    /// The parts of the options that the draft replaces.
    before: Before,
    /// The declaration in use; `None` if it is the one that was opened.
    applied: Option<Arc<Declaration>>,
}

/// The values of the options before the draft replaced them.
struct Before {
    declared: Vec<Arc<Declaration>>,
    /// The name when the draft was opened.
    name: &'static str,
    named: Option<&'static DialectInfo>,
}

impl DeclarationView {
    /// The declaration in use for a dialect, or `Code`.
    pub fn of(info: &'static DialectInfo, options: &Options) -> Self {
        let name = info.name;
        if let Some(given) = options.declared.iter().find(|given| given.info.name == name) {
            // An imported dialect is not written as a declaration.
            if Declaration::parse(&given.source).is_err() {
                return Self::Code(info);
            }
            let editor = Playground::new(&given.source, given.file.clone());
            return Self::Draft(Box::new(DeclarationDraft::new(editor, DraftOrigin::Given, name, options)));
        }
        let Some(own) = embedded(name) else { return Self::Code(info) };
        let editor = Playground::new(own.yaml, None);
        Self::Draft(Box::new(DeclarationDraft::new(editor, DraftOrigin::Embedded, name, options)))
    }

    /// The template of a new declaration.
    pub fn template(options: &Options) -> Self {
        let editor = Playground::new(TEMPLATE, None);
        Self::Draft(Box::new(DeclarationDraft::new(editor, DraftOrigin::New, "", options)))
    }

    /// The draft, if one is shown.
    pub fn draft(&self) -> Option<&DeclarationDraft> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// The draft, to be changed.
    pub fn draft_mut(&mut self) -> Option<&mut DeclarationDraft> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// Faults of the draft; empty if none is shown.
    pub fn faults(&self) -> &[Diagnostic] {
        self.draft().map_or(&[], |draft| &draft.faults)
    }

    /// Name of the dialect; `None` before anything is shown.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Code(info) => Some(info.name),
            Self::Draft(draft) => Some(draft.name()),
        }
    }

    /// True if switching to another declaration would lose something.
    pub fn is_pinned(&self) -> bool {
        self.draft().is_some_and(|draft| draft.is_held || draft.editor.is_changed() || !draft.faults.is_empty())
    }
}

impl DeclarationDraft {
    fn new(editor: Playground, origin: DraftOrigin, name: &'static str, options: &Options) -> Self {
        let named = options.only.iter().copied().find(|only| only.name == name);
        let mut draft = Self {
            opened: editor.text().to_owned(),
            editor,
            origin,
            text: Text::default(),
            lines: Lines::default(),
            colours: Vec::new(),
            faults: Vec::new(),
            offer: None,
            is_held: false,
            refused: None,
            before: Before { declared: options.declared.clone(), name, named },
            applied: None,
        };
        // An unchanged draft is already in use, or matches nothing.
        draft.read();
        draft
    }

    /// Name of the dialect, from the last version without a fault.
    pub fn name(&self) -> &str {
        let opened = if self.before.name.is_empty() { "new" } else { self.before.name };
        self.applied.as_ref().map_or(opened, |applied| applied.info.name)
    }

    /// Line and column of an offset in the YAML.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// True if the text is read with an edited version.
    pub fn is_applied(&self) -> bool {
        self.applied.is_some()
    }

    /// The fault at the cursor, or the next one after it (wrapping around), with its index.
    pub fn fault_near(&self) -> Option<(usize, &Diagnostic)> {
        let at = self.editor.offset();
        let is_here = |fault: &Diagnostic| (fault.span.start..=fault.span.end).contains(&at);
        let here = self.faults.iter().position(is_here);
        let next = || self.faults.iter().position(|fault| fault.span.start >= at);
        let index = here.or_else(next).unwrap_or(0);
        self.faults.get(index).map(|fault| (index, fault))
    }

    /// Index of the fault after (1) or before (-1) the cursor, wrapping around.
    pub fn next_fault(&self, direction: i8) -> Option<usize> {
        let at = self.editor.offset();
        let last = self.faults.len().checked_sub(1)?;
        Some(if direction > 0 {
            self.faults.iter().position(|fault| fault.span.start > at).unwrap_or(0)
        } else {
            self.faults.iter().rposition(|fault| fault.span.start < at).unwrap_or(last)
        })
    }

    /// Parses the YAML after a change. Returns the options to read the text with, unless it has a fault.
    pub fn apply(&mut self, now: &Options) -> Option<Options> {
        let declaration = self.read()?;
        let is_opened = self.editor.text() == self.opened;
        Some(self.put(now, (!is_opened).then_some(declaration)))
    }

    /// Parses the YAML and updates everything derived from it; `None` if it has a fault.
    fn read(&mut self) -> Option<Declaration> {
        let yaml = self.editor.text();
        (self.text, self.lines) = (Text::default(), Lines::default());
        self.text.push(yaml.as_bytes());
        self.lines.push(yaml.as_bytes());
        self.offer = None;
        self.colours = colours::colours(&yaml.as_bytes()[..yaml.len().min(declaration::MAX_BYTES)]);
        match Declaration::parse(yaml) {
            Ok(declaration) => {
                self.faults.clear();
                Some(declaration)
            }
            Err(faults) => {
                self.faults = faults;
                None
            }
        }
    }

    /// Replaces this draft's entry in the options with a declaration, or restores what was there before.
    fn put(&mut self, now: &Options, declaration: Option<Declaration>) -> Options {
        let is_limited = !now.only.is_empty();
        let known = self.applied.take().map(|applied| applied.info.name);
        let mut options = Options { declared: self.before.declared.clone(), ..now.clone() };
        options.only.retain(|only| only.name != self.before.name && Some(only.name) != known);
        let named = if let Some(mut declaration) = declaration {
            // The author wants to see it applied, even where detection would not.
            declaration.read_always();
            declaration.file = self.editor.path().map(ToOwned::to_owned);
            let declaration = Arc::new(declaration);
            let place = options.declared.iter().position(|given| given.info.name == self.before.name).unwrap_or(0);
            options.declared.retain(|given| ![self.before.name, declaration.info.name].contains(&given.info.name));
            options.declared.insert(place.min(options.declared.len()), Arc::clone(&declaration));
            let info = declaration.info;
            self.applied = Some(declaration);
            is_limited.then_some(info)
        } else {
            self.before.named
        };
        options.only.extend(named);
        options
    }
}
