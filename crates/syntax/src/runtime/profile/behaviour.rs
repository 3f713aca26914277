//! Grammar and rules of a parser, which are parsed when they are first used: a message needs a few of all parsers and releases
//! in the files, and parsing all takes longer than reading the message.

use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize as _;
use serde_json::Value;

use super::{ArgumentCoercion, ArgumentText, Rules};
use crate::runtime::grammar::{CaptureLabel, Grammar};
use crate::value::cast::TypeOrigin;

/// The rules of a parser for reading a message.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Describes what it finds in the text.
    pub grammar: Grammar,
    /// Decisions about what it found.
    pub(crate) rules: Rules,
}

impl Behaviour {
    fn new(grammar: &str, rules: &Value) -> Result<Self, String> {
        let rules = Rules::deserialize(rules).map_err(|error| error.to_string())?;
        Ok(Self { grammar: Grammar::parse(grammar)?, rules })
    }

    /// The source of the types of a call's values.
    pub fn type_origin(&self) -> TypeOrigin {
        let rules = &self.rules;
        match rules.arguments.read {
            _ if rules.coerce != ArgumentCoercion::None => TypeOrigin::Schema,
            _ if self.grammar.has_label(CaptureLabel::Key) => rules.values.read.type_origin(),
            _ if self.grammar.has_label(CaptureLabel::Python) => TypeOrigin::Python,
            ArgumentText::GemmaGuessed | ArgumentText::JsonOrLiteral => TypeOrigin::Python,
            _ => TypeOrigin::Json,
        }
    }
}

/// A behaviour as its file states it, parsed when it is first used.
#[derive(Debug)]
pub struct LazyBehaviour {
    grammar: String,
    rules: Value,
    parsed: OnceLock<Behaviour>,
}

impl LazyBehaviour {
    /// A behaviour with this grammar and the members of this object as rules.
    pub(super) fn new(grammar: String, rules: Value) -> Self {
        Self { grammar, rules, parsed: OnceLock::new() }
    }

    /// Parses the behaviour without keeping it.
    ///
    /// # Errors
    /// States what is wrong with the grammar or the rules.
    pub fn check(&self) -> Result<(), String> {
        Grammar::check(&self.grammar)?;
        Behaviour::new(&self.grammar, &self.rules).map(drop)
    }
}

impl Deref for LazyBehaviour {
    type Target = Behaviour;

    /// The parsed behaviour; one that finds nothing if [`Self::check`] fails, which it does for no built-in file.
    fn deref(&self) -> &Behaviour {
        self.parsed.get_or_init(|| Behaviour::new(&self.grammar, &self.rules).unwrap_or_default())
    }
}
