//! The declaration of a dialect that is shown beside a text and edited there: its YAML, what is wrong with it, and what
//! the text is read with meanwhile.
//!
//! While it is faulty, the last one without a fault stays in use.

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

/// A declaration that is complete and reads nothing yet: nobody writes its marker.
pub const TEMPLATE: &str = include_str!("declaration/template.yaml");

/// What is shown beside a text.
#[derive(Default)]
pub enum DeclarationView {
    /// Nobody has looked yet.
    #[default]
    Nothing,
    /// A dialect that is code, or was imported: it has no declaration that can be edited.
    Code(&'static DialectInfo),
    /// A declaration, which can be edited.
    Draft(Box<DeclarationDraft>),
}

/// Where the YAML of a draft comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftOrigin {
    /// The program.
    Embedded,
    /// A file of the person's.
    Given,
    /// Nowhere: it is a new one.
    New,
}

/// A declaration that is edited.
pub struct DeclarationDraft {
    /// The YAML with its cursor, and its file.
    pub editor: Playground,
    /// Where the YAML came from.
    pub origin: DraftOrigin,
    /// The same YAML as rows take it.
    pub text: Text,
    /// The lines of that text, by its line feeds.
    pub lines: Lines,
    /// The roles of its parts, in their order.
    pub colours: Vec<(Span, Role)>,
    /// What is wrong with it, in its order.
    pub faults: Vec<Diagnostic>,
    /// A remedy that was shown, and is made when it is asked for again.
    pub offer: Option<Edit>,
    /// Whether it stays although nothing of it was changed and something else is selected.
    pub is_held: bool,
    /// A file that exists, and that the person was told so of.
    pub refused: Option<PathBuf>,
    /// The YAML with which it was opened.
    opened: String,
    /// What the text was read with before: declarations of users, and dialects that were named.
    before: Before,
    /// The one that the text is read with, unless it is as it was opened.
    applied: Option<Arc<Declaration>>,
}

/// What options held before a draft was put into them.
struct Before {
    declared: Vec<Arc<Declaration>>,
    /// The name under which it was opened, and whether it was among those to which reading is limited.
    name: &'static str,
    named: Option<&'static DialectInfo>,
}

impl DeclarationView {
    /// The declaration of a dialect as it is in use, or that the dialect is code.
    pub fn of(info: &'static DialectInfo, options: &Options) -> Self {
        let name = info.name;
        if let Some(given) = options.declared.iter().find(|given| given.info.name == name) {
            // One that was imported is written in another language.
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

    /// The declaration, if one is shown.
    pub fn draft(&self) -> Option<&DeclarationDraft> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// The declaration, to be changed.
    pub fn draft_mut(&mut self) -> Option<&mut DeclarationDraft> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// What is wrong with the declaration, in its order.
    pub fn faults(&self) -> &[Diagnostic] {
        self.draft().map_or(&[], |draft| &draft.faults)
    }

    /// The name of the dialect; none before anything is shown.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Code(info) => Some(info.name),
            Self::Draft(draft) => Some(draft.name()),
        }
    }

    /// Whether something would be lost if another one were shown.
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
        // As it is opened, it is in use already, or reads nothing.
        draft.read();
        draft
    }

    /// The name of the dialect: that of the last declaration without a fault.
    pub fn name(&self) -> &str {
        let opened = if self.before.name.is_empty() { "new" } else { self.before.name };
        self.applied.as_ref().map_or(opened, |applied| applied.info.name)
    }

    /// Where an offset of it is, as people write it.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// Whether the text is read with it as it was changed here.
    pub fn is_applied(&self) -> bool {
        self.applied.is_some()
    }

    /// The fault that the cursor is in, or else the next one from there on and round the end, with its index.
    pub fn fault_near(&self) -> Option<(usize, &Diagnostic)> {
        let at = self.editor.offset();
        let is_here = |fault: &Diagnostic| (fault.span.start..=fault.span.end).contains(&at);
        let here = self.faults.iter().position(is_here);
        let next = || self.faults.iter().position(|fault| fault.span.start >= at);
        let index = here.or_else(next).unwrap_or(0);
        self.faults.get(index).map(|fault| (index, fault))
    }

    /// The index of the fault that follows the cursor (1) or comes before it (-1), round the end.
    pub fn next_fault(&self, direction: i8) -> Option<usize> {
        let at = self.editor.offset();
        let last = self.faults.len().checked_sub(1)?;
        Some(if direction > 0 {
            self.faults.iter().position(|fault| fault.span.start > at).unwrap_or(0)
        } else {
            self.faults.iter().rposition(|fault| fault.span.start < at).unwrap_or(last)
        })
    }

    /// Reads the YAML after a change; what the text is to be read with from now on, unless there is a fault.
    pub fn apply(&mut self, now: &Options) -> Option<Options> {
        let declaration = self.read()?;
        let is_opened = self.editor.text() == self.opened;
        Some(self.put(now, (!is_opened).then_some(declaration)))
    }

    /// The YAML as a declaration, which is in use in any case; nothing if there is a fault.
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

    /// Puts a declaration into options in the place of this one, or what was there before.
    fn put(&mut self, now: &Options, declaration: Option<Declaration>) -> Options {
        let is_limited = !now.only.is_empty();
        let known = self.applied.take().map(|applied| applied.info.name);
        let mut options = Options { declared: self.before.declared.clone(), ..now.clone() };
        options.only.retain(|only| only.name != self.before.name && Some(only.name) != known);
        let named = if let Some(mut declaration) = declaration {
            // Whoever writes it wants to see it read.
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
