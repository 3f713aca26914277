//! Problems as annotations of a GitHub workflow, one command per line.
//!
//! Follows the escaping rules of workflow commands: `%`, CR and LF everywhere, also `:` and `,` in properties.

use std::io::{self, Write};

use super::baseline::CheckedFile;
use crate::diagnostic::Severity;
use crate::text::Walk;
use crate::text::sanitize::visible_str;

/// Writes the problems of a file except those known already.
pub fn write<W: Write>(out: &mut W, file: &CheckedFile<'_>) -> io::Result<()> {
    let CheckedFile { path, session, .. } = *file;
    let (mut starts, mut ends) = (Walk::default(), Walk::default());
    for (diagnostic, _) in file.iter().filter(|(_, known)| *known != Some(true)) {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint | Severity::Note => "notice",
        };
        let span = session.source_of_problem(&diagnostic);
        let start = starts.position(session.file(), session.file_lines(), span.start);
        let end = ends.position(session.file(), session.file_lines(), span.end);
        write!(out, "::{level} file={},line={},endLine={}", property(path), start.line, end.line)?;
        // GitHub uses columns only within one line.
        if start.line == end.line {
            write!(out, ",col={},endColumn={}", start.column, end.column.max(start.column + 1))?;
        }
        let message = data(&diagnostic.message);
        writeln!(out, ",title={}::{message}%0Ahelp: {}", diagnostic.code.name(), data(&diagnostic.help_text()))?;
    }
    Ok(())
}

fn data(text: &str) -> String {
    visible_str(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
