//! All dialects, and what a person may set about them.

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

/// How a dialect that is code is made, with what a person has set.
type Make = fn(&Options) -> Box<dyn Dialect>;

/// The dialects that are code and are asked before those that are declared.
static FIRST: &[(&DialectInfo, Make)] = &[
    (&gadget::ABOUT, |options| Box::new(Gadget::new(options.markers.clone()))),
    (&caret::ABOUT, |options| Box::new(caret::Caret::new(options.one_call_per_message))),
    (&callout::ABOUT, |_| Box::new(callout::Callout)),
    (&tool_fence::ABOUT, |_| Box::new(tool_fence::ToolFence)),
];

/// The dialect that is asked last: JSON at the beginning of a line is a call only where nobody else takes it.
static LAST: (&DialectInfo, Make) = (&native::ABOUT, |_| Box::<native::Native>::default());

/// The dialects that stand for all syntaxes, in the order of their priority.
pub static REGISTRY: LazyLock<Vec<&'static DialectInfo>> = LazyLock::new(|| {
    let declared = EMBEDDED.iter().filter(|embedded| PRINCIPAL.contains(&embedded.name));
    let declared = declared.map(|embedded| embedded.declaration().info);
    FIRST.iter().map(|(about, _)| *about).chain(declared).chain([LAST.0]).collect()
});

/// The signs of the dialects of [`REGISTRY`], each with the name of its dialect, in that order. No declaration is read for
/// them, which takes 0.3 ms.
pub fn signs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |about: &'static DialectInfo| about.signs.iter().map(|sign| (about.name, *sign));
    let declared = EMBEDDED.iter().flat_map(|own| own.signs.iter().map(|sign| (own.name, *sign)));
    FIRST.iter().flat_map(move |(about, _)| of(about)).chain(declared).chain(of(LAST.0))
}

/// All dialects of the program, in the order of their priority.
pub fn all() -> impl Iterator<Item = &'static DialectInfo> {
    let declared = EMBEDDED.iter().map(|embedded| embedded.declaration().info);
    FIRST.iter().map(|(about, _)| *about).chain(declared).chain([LAST.0])
}

/// What to make of markers in code fences, inline code and quotations, where they are probably talked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Examples {
    /// Calls, as their runtimes take them, each with a warning.
    #[default]
    Calls,
    /// Prose.
    Prose,
}

/// Whether calls are looked for in what the model wrote, where a file has calls of its own beside that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextCalls {
    /// Where the runtime may read them: not in files of agents that take calls from records alone, nor behind a call
    /// of a conversation's own records. Naming a dialect asks for them everywhere.
    #[default]
    Auto,
    /// In all text of the model, whatever the file is.
    Read,
    /// In no text of a recorded session: the calls of its records are all there are.
    Ignore,
}

/// The runtimes that are to make the same of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// The runtimes, or parsers of them; none means all that are known.
    pub runtimes: Vec<RuntimeName>,
    /// How much it matters when they do not.
    pub severity: Severity,
}

impl Portable {
    /// Compares these runtimes, or all where none is named; what they make otherwise is a hint.
    ///
    /// # Errors
    /// Names a runtime that is not known.
    pub fn between<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        Ok(Self { runtimes: names.map(str::parse).collect::<Result<_, _>>()?, severity: Severity::Hint })
    }
}

/// What a person may set about the dialects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The dialects to read; none means all.
    pub only: Vec<&'static DialectInfo>,
    /// Dialects that users have declared, each name once.
    pub declared: Vec<Arc<Declaration>>,
    /// Dialects that are read beside the others as if they were named: those whose declaration was given for this text.
    pub beside: Vec<&'static DialectInfo>,
    /// Markers of the block format.
    pub markers: Markers,
    /// What to make of markers that are probably talked about.
    pub examples: Examples,
    /// Whether calls are looked for in what the model wrote.
    pub text_calls: TextCalls,
    /// Schemas of the tools' parameters.
    pub schemas: Option<Arc<Schemas>>,
    /// Prices of models, for requests whose cost the file does not record.
    pub prices: Option<Arc<PriceTable>>,
    /// Whether more than one triple-caret block in a message is an error.
    pub one_call_per_message: bool,
    /// The runtime, or the parser of one, as which a text is read.
    pub runtime: Option<RuntimeName>,
    /// Between which runtimes a text is compared, if that is asked for.
    pub portable: Option<Portable>,
}

impl Options {
    /// Whether a dialect is among those that are read.
    pub fn reads(&self, name: &str) -> bool {
        self.only.is_empty() || self.names(name)
    }

    /// True if calls in a dialect are searched for: it was named, or no dialect was and it need not be.
    pub fn is_looked_for(&self, name: &str) -> bool {
        let given = self.given(name).map(|given| given.reading);
        let reading = given.or_else(|| embedded(name).map(|own| own.reading));
        self.names(name) || (self.only.is_empty() && reading != Some(ReadMode::Named))
    }

    /// Whether a dialect was asked for, so that nothing is left to guess.
    fn names(&self, name: &str) -> bool {
        self.only.iter().chain(&self.beside).any(|named| named.name == name)
    }

    /// The dialect with this name: one of a user, or one of the program.
    pub fn named(&self, name: &str) -> Option<&'static DialectInfo> {
        self.declared.iter().map(|given| given.info).find(|info| info.name == name).or_else(|| named(name))
    }

    /// The dialect that a person means: by its name, or by the name of another program's parser (`vllm:hermes`).
    ///
    /// # Errors
    /// Says what is unknown, and which name is the nearest or where all stand.
    pub fn find(&self, name: &str) -> Result<&'static DialectInfo, String> {
        if let Some(info) = self.named(name) {
            return Ok(info);
        }
        let unknown = match parser_names::look_up(name) {
            ParserLookup::Dialect(dialect) => {
                let missing = || format!("{name:?} is read by the dialect {dialect}, which is not known yet");
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

    /// The declaration that a user has given this name.
    pub fn given(&self, name: &str) -> Option<&Arc<Declaration>> {
        self.declared.iter().find(|given| given.info.name == name)
    }

    /// Whether calls are looked for in text, dialects that were named being an answer.
    pub fn reads_text(&self) -> TextCalls {
        let is_asked = !self.only.is_empty() || !self.beside.is_empty();
        if self.text_calls == TextCalls::Auto && is_asked { TextCalls::Read } else { self.text_calls }
    }
}

/// The names of all dialects of the program, in the order of their priority.
pub fn all_names() -> impl Iterator<Item = &'static str> {
    let declared = EMBEDDED.iter().map(|embedded| embedded.name);
    FIRST.iter().map(|(about, _)| about.name).chain(declared).chain([LAST.0.name])
}

/// The names of all dialects of the program, and of all that users have declared since it started.
pub fn known_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = all_names().collect();
    for name in declaration::interned_names() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The dialect of the program with this name, if there is one.
pub fn named(name: &str) -> Option<&'static DialectInfo> {
    let code = FIRST.iter().chain([&LAST]).find(|(about, _)| about.name == name).map(|(about, _)| *about);
    code.or_else(|| Some(embedded(name)?.declaration().info))
}

/// A dialect as the options have it.
pub fn make(about: &'static DialectInfo, options: &Options) -> Option<Box<dyn Dialect>> {
    if let Some(given) = options.given(about.name) {
        return Some(Box::new(Declared::given(Arc::clone(given), true)));
    }
    let code = FIRST.iter().chain([&LAST]).find(|(known, _)| known.name == about.name);
    code.map(|(_, make)| make(options)).or_else(|| Some(Box::new(Declared::embedded(embedded(about.name)?, true))))
}

/// The dialects that the options ask for, in the order of their priority: those of users stand in front of the declared
/// ones of the program, and in place of one with the same name.
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
