//! Key bindings as the configuration file has them: by action, or by screen and action.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Key bindings by the name of an action or a screen.
pub type KeyChoices = BTreeMap<String, KeyChoice>;

/// The value of an action or a screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a key in quotes, a list of them, or for a screen its actions with keys")]
pub enum KeyChoice {
    /// The only key of an action.
    One(String),
    /// The keys of an action; an empty list unbinds it.
    Several(Vec<String>),
    /// The actions of a screen.
    OnScreen(BTreeMap<String, KeyChoice>),
}
