//! What a text is read with, as switches that can be turned, and what turning one has changed.
//!
//! This module does not know keys, and reads nothing.

use std::sync::Arc;

use crate::compare::{CallRow, Comparison, RowKind};
use crate::dialect::gadget::Markers;
use crate::dialect::{self, Examples, Options};
use crate::params::schema::Schemas;
use crate::session::Session;

/// Calls of a text beyond which it is not said what a switch has changed.
const MOST: usize = 20_000;

/// Rows of a difference that are kept.
const KEPT: usize = 200;

/// A switch, or a word that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Whether a dialect is read.
    Dialect(&'static str),
    /// Whether markers that are probably talked about are prose.
    Examples,
    /// Whether more than one triple-caret block in a message is an error.
    OneCall,
    /// Whether the schemas are applied.
    Schema,
    /// The file that they come from.
    SchemaFile,
    /// A marker of the block format.
    Marker(Marker),
}

/// One of the markers of the block format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// With which a call begins.
    Start,
    /// With which it ends.
    End,
    /// With which an argument begins.
    Argument,
}

impl Marker {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Marker::Start => "start marker",
            Marker::End => "end marker",
            Marker::Argument => "argument marker",
        }
    }

    /// What it is now.
    pub fn of(self, markers: &Markers) -> &str {
        match self {
            Marker::Start => markers.start(),
            Marker::End => markers.end(),
            Marker::Argument => markers.argument(),
        }
    }

    /// The markers with this one replaced.
    ///
    /// # Errors
    /// Says why it cannot be one.
    pub fn written(self, markers: &Markers, words: &str) -> Result<Markers, String> {
        let of = |marker: Marker| Some(if marker == self { words } else { marker.of(markers) });
        Markers::custom(of(Marker::Start), of(Marker::End), of(Marker::Argument))
    }
}

/// The list of switches and what turning the last one has changed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The switch that is chosen.
    pub at: usize,
    /// What the last one has changed: a sign, and the words.
    pub changed: Vec<(RowKind, String)>,
    /// The schemas that were given, where they are not applied.
    pub schemas: Option<Arc<Schemas>>,
}

impl Settings {
    /// All switches.
    pub fn all(&self, options: &Options) -> Vec<Setting> {
        let every = Options { only: Vec::new(), ..options.clone() };
        let dialects = dialect::registry(&every).unwrap_or_default();
        let mut all: Vec<Setting> = dialects.iter().map(|dialect| Setting::Dialect(dialect.about().name)).collect();
        all.extend([Setting::Examples, Setting::OneCall, Setting::Schema]);
        if self.given(options).is_some() {
            all.push(Setting::SchemaFile);
        }
        all.extend([Marker::Start, Marker::End, Marker::Argument].map(Setting::Marker));
        all
    }

    /// Turns a switch.
    pub fn turn(&mut self, setting: Setting, options: &mut Options) {
        match setting {
            Setting::Dialect(name) => {
                let every = self.all(options).into_iter().filter_map(|setting| match setting {
                    Setting::Dialect(name) => Some(name.to_owned()),
                    _ => None,
                });
                let mut only: Vec<String> = every.filter(|name| is_read(options, name)).collect();
                match only.iter().position(|known| known == name) {
                    // Without any dialect there is nothing to see.
                    Some(_) if only.len() == 1 => {}
                    Some(at) => drop(only.remove(at)),
                    None => only.push(name.to_owned()),
                }
                options.only = only;
            }
            Setting::Examples => {
                options.examples = match options.examples {
                    Examples::Calls => Examples::Prose,
                    Examples::Prose => Examples::Calls,
                };
            }
            Setting::OneCall => options.one_call_per_message = !options.one_call_per_message,
            Setting::Schema => std::mem::swap(&mut self.schemas, &mut options.schemas),
            Setting::SchemaFile | Setting::Marker(_) => {}
        }
    }

    /// The schemas that were given, applied or not.
    pub fn given<'a>(&'a self, options: &'a Options) -> Option<&'a Schemas> {
        self.schemas.as_deref().or(options.schemas.as_deref())
    }

    /// Remembers what differs between the readings before and after a change.
    pub fn compare(&mut self, before: &Session, after: &Session) -> Led {
        self.changed.clear();
        let (had, has) = (before.document().calls().len(), after.document().calls().len());
        if had.max(has) > MOST {
            return Led::Unknown { before: had, after: has };
        }
        let comparison = Comparison::new(before, after);
        let changed = || comparison.rows.iter().filter(|row| row.kind() != RowKind::Same);
        self.changed = changed().take(KEPT).map(|row| (row.kind(), words(row, before, after))).collect();
        match changed().count() {
            0 => Led::Nowhere,
            calls => Led::To(calls),
        }
    }
}

/// The effect of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Led {
    /// No call is another one.
    Nowhere,
    /// So many calls have come, gone or changed.
    To(usize),
    /// There are too many to be compared.
    Unknown {
        /// Calls before.
        before: usize,
        /// Calls after.
        after: usize,
    },
}

/// Whether a dialect is read.
pub fn is_read(options: &Options, name: &str) -> bool {
    options.reads_all() || options.only.iter().any(|known| known == name)
}

/// What became of a call.
fn words(row: &CallRow, before: &Session, after: &Session) -> String {
    let named = |session: &Session, call: usize| {
        let item = session.document().calls().nth(call)?;
        let call = session.document().call(item)?;
        let line = session.position(call.span.start).line;
        Some(format!("{} {} ({}, line {line})", call.name(session.text()), call.id(session.text()), call.dialect))
    };
    let name = row.right.and_then(|call| named(after, call)).or_else(|| named(before, row.left?)).unwrap_or_default();
    let parts: Vec<String> = row
        .changes
        .iter()
        .take(4)
        .map(|change| {
            let what = change.part.path().unwrap_or(change.part.word());
            format!("{what}: {} → {}", shown(change.old.as_ref()), shown(change.new.as_ref()))
        })
        .collect();
    if parts.is_empty() { name } else { format!("{name}  {}", parts.join("; ")) }
}

fn shown(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}
