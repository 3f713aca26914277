//! Named filters from the configuration: `@name`, on its own, stands for one.

use std::collections::BTreeMap;

use super::{Filter, FilterError};
use crate::text::Span;
use crate::text::typo::nearest;

/// Filter expressions by the names that the user gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFilters(BTreeMap<String, String>);

impl SavedFilters {
    /// Named expressions; they are not checked, see [`SavedFilters::fault`].
    pub fn new(expressions: BTreeMap<String, String>) -> Self {
        Self(expressions)
    }

    /// Parses `@name` or an expression.
    ///
    /// # Errors
    /// No filter has that name, or the expression is invalid.
    pub fn parse(&self, words: &str) -> Result<Filter, FilterError> {
        let Some(name) = words.trim().strip_prefix('@') else { return Filter::parse(words) };
        if let Some(expression) = self.0.get(name) {
            return Filter::parse(expression);
        }
        let near = nearest(name, self.0.keys().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean @{near}?"),
            None if self.0.is_empty() => "define it under filters in the configuration".to_owned(),
            None => format!("available: {}", self.names().collect::<Vec<_>>().join(", ")),
        };
        let start = words.len() - words.trim_start().len();
        let span = Span::new(start, start + 1 + name.len());
        Err(FilterError::new(span, format!("no saved filter \"{name}\""), help).within(words))
    }

    /// The names in filter syntax: `@name`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.keys().map(|name| format!("@{name}"))
    }

    /// The first invalid expression: its name and the error.
    pub fn fault(&self) -> Option<(&str, FilterError)> {
        self.0.iter().find_map(|(name, expression)| Some((name.as_str(), Filter::parse(expression).err()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_its_expression_and_an_unknown_one_says_what_is_near() {
        let saved = [("slow", "tool:Bash"), ("mine", "failed")].map(|(name, words)| (name.into(), words.into()));
        let saved = SavedFilters(saved.into_iter().collect());
        for (words, expected) in [
            ("@slow", "tool:Bash"),
            (" @mine ", "failed"),
            ("skipped", "skipped"),
            ("@slo", "no saved filter \"slo\"; did you mean @slow?"),
            ("@other", "no saved filter \"other\"; available: @mine, @slow"),
        ] {
            let found = saved.parse(words).map_or_else(|error| error.to_string(), |filter| filter.to_string());
            assert_eq!(found, expected, "{words}");
        }
        let error = SavedFilters::default().parse("@slow").expect_err("there is none").to_string();
        assert_eq!(error, "no saved filter \"slow\"; define it under filters in the configuration");
        assert_eq!(SavedFilters([("a".into(), "(".into())].into()).fault().map(|(name, _)| name), Some("a"));
    }
}
