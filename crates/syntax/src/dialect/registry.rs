//! All dialects, and the user's options for them.

use serde::{Deserialize, Serialize};

use std::sync::{Arc, LazyLock};

use super::declared::index::{EMBEDDED, PRINCIPAL, embedded};
use super::declared::{Declaration, Declared, ReadMode, declaration};
use super::gadget::{Gadget, Markers};
use super::parser_names::{self, ParserLookup};
use super::{Dialect, DialectInfo, callout, caret, gadget, native, tool_fence};
use crate::diagnostic::Severity;
use crate::prices::PriceTable;
use crate::runtime::RuntimeName;
use crate::text::typo::nearest;
use crate::value::schema::Schemas;

/// Constructor of a dialect implemented in code, from the user's options.
type Make = fn(&Options) -> Box<dyn Dialect>;

/// Dialects implemented in code that are probed before the declared ones.
static FIRST: &[(&DialectInfo, Make)] = &[
    (&gadget::ABOUT, |options| Box::new(Gadget::new(options.markers.clone()))),
    (&caret::ABOUT, |options| Box::new(caret::Caret::new(options.one_call_per_message))),
    (&callout::ABOUT, |_| Box::new(callout::Callout)),
    (&tool_fence::ABOUT, |_| Box::new(tool_fence::ToolFence)),
];

/// The dialect that is probed last: JSON at the beginning of a line is a call only if no other dialect claims it.
static LAST: (&DialectInfo, Make) = (&native::ABOUT, |_| Box::<native::Native>::default());

/// The dialects in code and the principal declared ones, which represent all syntaxes, in order of priority.
pub static REGISTRY: LazyLock<Vec<&'static DialectInfo>> = LazyLock::new(|| {
    let declared = EMBEDDED.iter().filter(|embedded| PRINCIPAL.contains(&embedded.name));
    let declared = declared.map(|embedded| embedded.declaration().info);
    FIRST.iter().map(|(about, _)| *about).chain(declared).chain([LAST.0]).collect()
});

/// The signs of the dialects of [`REGISTRY`], each with the name of its dialect, in that order. Avoids loading the
/// declarations, which takes 0.3 ms.
pub(crate) fn signs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |about: &'static DialectInfo| about.signs.iter().map(|sign| (about.name, *sign));
    let declared = EMBEDDED.iter().flat_map(|own| own.signs.iter().map(|sign| (own.name, *sign)));
    FIRST.iter().flat_map(move |(about, _)| of(about)).chain(declared).chain(of(LAST.0))
}

/// All built-in dialects, in order of priority.
pub fn all() -> impl Iterator<Item = &'static DialectInfo> {
    let declared = EMBEDDED.iter().map(|embedded| embedded.declaration().info);
    FIRST.iter().map(|(about, _)| *about).chain(declared).chain([LAST.0])
}

/// How to read markers in code fences, inline code and quotations, where they are probably mentions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Examples {
    /// As calls, like the runtimes do, each with a warning.
    #[default]
    Calls,
    /// As prose.
    Prose,
}

/// Whether to search the model's text for calls in files that also record calls separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextCalls {
    /// Where the runtime may parse text: neither in files of agents that take calls from records only, nor after a
    /// call in the records of a conversation. Naming a dialect switches to [`TextCalls::Read`].
    #[default]
    Auto,
    /// In all text of the model, regardless of the file.
    Read,
    /// Not in recorded sessions: only their records are calls.
    Ignore,
}

/// The runtimes that must read a text alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// The runtimes or their parsers; empty means all known ones.
    pub runtimes: Vec<RuntimeName>,
    /// Severity of a difference.
    pub severity: Severity,
}

impl Portable {
    /// Compares these runtimes, or all if none is given; differences are hints.
    ///
    /// # Errors
    /// Returns the name of an unknown runtime.
    pub fn between<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        Ok(Self { runtimes: names.map(str::parse).collect::<Result<_, _>>()?, severity: Severity::Hint })
    }
}

/// The user's settings for dialects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Dialects to read; empty means all.
    pub only: Vec<&'static DialectInfo>,
    /// Dialects declared by users, with unique names.
    pub declared: Vec<Arc<Declaration>>,
    /// Dialects that are read in addition to the others as if they were named: those whose declaration was given for
    /// this text.
    pub additional: Vec<&'static DialectInfo>,
    /// Markers of the gadget dialect.
    pub markers: Markers,
    /// How to read markers that are probably mentions.
    pub examples: Examples,
    /// Whether to search the model's text for calls.
    pub text_calls: TextCalls,
    /// Schemas of the tools' parameters.
    pub schemas: Option<Arc<Schemas>>,
    /// Prices of models, for requests whose cost the file does not record.
    pub prices: Option<Arc<PriceTable>>,
    /// True if more than one triple-caret block in a message is an error.
    pub one_call_per_message: bool,
    /// The runtime, or a parser of one, whose reading replaces the dialects'.
    pub runtime: Option<RuntimeName>,
    /// The runtimes whose readings of a text are compared, if requested.
    pub portable: Option<Portable>,
}

impl Options {
    /// True if a dialect was named, or none was.
    pub fn reads(&self, name: &str) -> bool {
        self.only.is_empty() || self.names(name)
    }

    /// True if calls in a dialect are searched for: it was named, or no dialect was and it need not be.
    pub fn is_looked_for(&self, name: &str) -> bool {
        let given = self.given(name).map(|given| given.reading);
        let reading = given.or_else(|| embedded(name).map(|own| own.reading));
        self.names(name) || (self.only.is_empty() && reading != Some(ReadMode::Named))
    }

    /// True if a dialect was requested explicitly, so that no detection is needed.
    fn names(&self, name: &str) -> bool {
        self.only.iter().chain(&self.additional).any(|named| named.name == name)
    }

    /// The dialect with this name, declared by a user or built in.
    pub fn named(&self, name: &str) -> Option<&'static DialectInfo> {
        self.declared.iter().map(|given| given.info).find(|info| info.name == name).or_else(|| named(name))
    }

    /// Resolves a name given by the user: a dialect, or another program's parser (`vllm:hermes`).
    ///
    /// # Errors
    /// Describes the unknown name, with the nearest known name or a hint at the list of all.
    pub fn find(&self, name: &str) -> Result<&'static DialectInfo, String> {
        if let Some(info) = self.named(name) {
            return Ok(info);
        }
        let unknown = match parser_names::look_up(name) {
            ParserLookup::Dialect(dialect) => {
                let missing = || format!("{name:?} is read by the dialect {dialect}, which this version does not have");
                return self.named(dialect).ok_or_else(missing);
            }
            ParserLookup::UnknownParser(words) => return Err(words),
            ParserLookup::OtherName => format!("unknown dialect {name:?}"),
        };
        let given = self.declared.iter().map(|given| given.info.name);
        let hint = match nearest(name, all_names().chain(given)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "transcope dialects lists them all".to_owned(),
        };
        Err(format!("{unknown}; {hint}"))
    }

    /// The user's declaration with this name.
    pub fn given(&self, name: &str) -> Option<&Arc<Declaration>> {
        self.declared.iter().find(|given| given.info.name == name)
    }

    /// Whether to search text for calls; naming a dialect turns [`TextCalls::Auto`] into [`TextCalls::Read`].
    pub fn reads_text(&self) -> TextCalls {
        let is_asked = !self.only.is_empty() || !self.additional.is_empty();
        if self.text_calls == TextCalls::Auto && is_asked { TextCalls::Read } else { self.text_calls }
    }
}

/// The names of all built-in dialects, in order of priority.
pub fn all_names() -> impl Iterator<Item = &'static str> {
    let declared = EMBEDDED.iter().map(|embedded| embedded.name);
    FIRST.iter().map(|(about, _)| about.name).chain(declared).chain([LAST.0.name])
}

/// The names of all built-in dialects, and of dialects that users have declared since the program started.
pub fn known_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = all_names().collect();
    for name in declaration::interned_names() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The built-in dialect with this name.
pub fn named(name: &str) -> Option<&'static DialectInfo> {
    let code = FIRST.iter().chain([&LAST]).find(|(about, _)| about.name == name).map(|(about, _)| *about);
    code.or_else(|| Some(embedded(name)?.declaration().info))
}

/// Creates a dialect with these options; a user's declaration replaces a built-in dialect of the same name.
pub fn make(about: &'static DialectInfo, options: &Options) -> Option<Box<dyn Dialect>> {
    if let Some(given) = options.given(about.name) {
        return Some(Box::new(Declared::given(Arc::clone(given), true)));
    }
    let code = FIRST.iter().chain([&LAST]).find(|(known, _)| known.name == about.name);
    code.map(|(_, make)| make(options)).or_else(|| Some(Box::new(Declared::embedded(embedded(about.name)?, true))))
}

/// The dialects that the options select, in order of priority: users' dialects precede the declared built-in ones and
/// replace those with the same name.
pub fn registry(options: &Options) -> Vec<Box<dyn Dialect>> {
    let code = |(about, make): &(&'static DialectInfo, Make)| {
        (options.reads(about.name) && options.given(about.name).is_none()).then(|| make(options))
    };
    let is_read =
        |name: &str, reading: ReadMode| options.names(name) || (options.only.is_empty() && reading != ReadMode::Named);
    let mut dialects: Vec<Box<dyn Dialect>> = FIRST.iter().filter_map(code).collect();
    for given in options.declared.iter().filter(|given| is_read(given.info.name, given.reading)) {
        dialects.push(Box::new(Declared::given(Arc::clone(given), options.names(given.info.name))));
    }
    for own in EMBEDDED.iter().filter(|own| is_read(own.name, own.reading)) {
        if options.given(own.name).is_none() {
            dialects.push(Box::new(Declared::embedded(own, options.names(own.name))));
        }
    }
    dialects.extend(code(&LAST));
    dialects
}
