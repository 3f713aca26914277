//! The names of groups of statistics.

use crate::corpus::counts::Dimension;

/// The value of a dimension, not sanitised; if it is missing, a placeholder in parentheses.
pub fn value_words(dimension: Dimension, value: Option<&str>) -> &str {
    match (dimension, value) {
        (Dimension::Tool, Some("")) => "(no name)",
        (_, Some(value)) => value,
        (Dimension::Tool | Dimension::Dialect, None) => "(no call)",
        (Dimension::Model, None) => "(unknown model)",
        (Dimension::Day, None) => "(unknown day)",
        (Dimension::Code | Dimension::Container, None) => "(none)",
    }
}
