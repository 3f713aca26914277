//! The names of groups of statistics.

use crate::corpus::counts::Dimension;

/// What stands for the value of a dimension, as it is in the file: words in parentheses where there is none.
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
