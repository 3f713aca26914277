//! The keys that a person has chosen, as the configuration file has them: by action, or by screen and action.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What is chosen for an action, or for the actions of a screen, by name.
pub type KeyChoices = BTreeMap<String, KeyChoice>;

/// What stands behind a name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a key in quotes, a list of them, or for a screen its actions with keys")]
pub enum KeyChoice {
    /// The one key of an action.
    One(String),
    /// The keys of an action; it may have none.
    Several(Vec<String>),
    /// The actions of a screen.
    OnScreen(BTreeMap<String, KeyChoice>),
}
