//! Reports made from the UI: the format that the file name requests, and writing the report.
//!
//! A report is made on another thread from a copy of the text.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::container::Container;
use crate::dialect::Options;
use crate::export::html::PageForm;
use crate::export::page::ReportPage;
use crate::export::{html, json, markdown};
use crate::filter::{Filter, Selection};
use crate::redact::{OwnPatterns, Redactor};
use crate::session::Session;
use crate::system::whole_file::{self, IfExists};
use crate::text::sanitize::{io_error_text, visible_str};
use crate::text::{Span, Text};
use crate::tui::row::size;
use crate::wording::{file_name, filter_line};

/// Bytes read at a time.
const SLICE: usize = 256 * 1024;

/// A hint about file names.
pub const NAMING: &str = "or .md, .json; NAME.redacted.html replaces secrets";

/// The warning about a report that is not redacted.
pub const UNREDACTED: &str = "not redacted: Enter again writes it; NAME.redacted.html replaces secrets";

/// True if a report with this file name is not redacted.
pub fn keeps_secrets(path: &Path) -> bool {
    matches!(format_of(path), Some((_, false)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportFormat {
    Html(PageForm),
    Markdown,
    Json,
}

/// The format that a file name requests, and true if it requests redaction.
fn format_of(path: &Path) -> Option<(ReportFormat, bool)> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let mut words: Vec<&str> = name.split('.').collect();
    let format = match words.pop()? {
        "html" | "htm" => ReportFormat::Html(PageForm::Plain),
        "md" | "markdown" => ReportFormat::Markdown,
        "json" => ReportFormat::Json,
        _ => return None,
    };
    // The first part is the name itself.
    let words = words.get(1..)?;
    let format = match format {
        ReportFormat::Html(_) if words.contains(&"interactive") => ReportFormat::Html(PageForm::Interactive),
        format => format,
    };
    Some((format, words.contains(&"redacted")))
}

/// A report to make from a copy of a text.
pub struct ReportJob {
    path: PathBuf,
    format: ReportFormat,
    is_redacted: bool,
    name: String,
    filter: Option<Filter>,
    own: OwnPatterns,
    options: Options,
    container: Container,
    file: Text,
}

impl ReportJob {
    /// A report about a session parsed with these options; `name` is the name of the text.
    ///
    /// # Errors
    /// The extension of the file name is not that of a format.
    pub fn new(
        path: PathBuf,
        (name, session, options): (&str, &Session, &Options),
        filter: Option<Filter>,
        own: OwnPatterns,
    ) -> Result<Self, String> {
        let (format, is_redacted) = format_of(&path).ok_or("end the name of a report in .html, .md or .json")?;
        Ok(Self {
            path,
            format,
            is_redacted,
            name: name.to_owned(),
            filter,
            own,
            options: options.clone(),
            container: session.container(),
            file: session.file().fork(),
        })
    }

    /// Writes the report. Returns a message with its private details.
    ///
    /// # Errors
    /// The report cannot be written; one line says why.
    pub fn run(self) -> Result<String, String> {
        let session = self.read();
        let selection = self.filter.as_ref().map(|filter| Selection::new(filter, &session));
        let selection = selection.as_ref();
        let redactor = Redactor::new(&session, self.own);
        let used = self.is_redacted.then_some(&redactor);
        let page = || ReportPage::new(&session, used, selection);
        let fill = |mut out: &mut dyn Write| match self.format {
            ReportFormat::Html(form) => html::write(&mut out, &page().coloured(), &self.name, form),
            ReportFormat::Markdown => markdown::write(&mut out, &page(), &self.name),
            ReportFormat::Json => json::write_transcript(&mut out, &session, file_name(&self.name), used, selection),
        };
        let written = whole_file::write(&self.path, IfExists::Refuse, |out| match used {
            Some(redactor) => redactor.write_checked(out, |made| fill(made)),
            None => fill(out),
        });
        let name = visible_str(&self.path.to_string_lossy()).into_owned();
        let bytes = written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => format!("could not write {name}: it exists; give another name"),
            _ => format!("could not write {name}: {}", io_error_text(&error)),
        })?;
        let filter = selection.map(|selection| format!("; {}", filter_line(selection))).unwrap_or_default();
        let written = format!("wrote {name} ({})", size(bytes as usize));
        let receipt = match (self.is_redacted, redactor.summary(), redactor.secrets().0) {
            (true, summary, _) if summary.is_empty() => format!("{written}; redacted nothing: review before sharing"),
            (true, summary, _) => format!("{written}; redacted {summary}: review before sharing"),
            (false, _, secrets) if secrets.is_empty() => written,
            (false, _, secrets) => format!("{written} with secrets ({secrets}); .redacted.html replaces them"),
        };
        Ok(receipt + &visible_str(&filter))
    }

    /// Parses the copy as a complete text.
    fn read(&self) -> Session {
        let mut session = Session::new(self.container, &self.options);
        session.set_paging(self.file.paging());
        if let Some(backing) = self.file.backing() {
            session.back(backing.clone());
        }
        for start in (0..self.file.len()).step_by(SLICE) {
            session.push(&self.file.read(Span::new(start, start + SLICE)));
        }
        session.finish();
        session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_what_it_is_to_be() {
        for (name, expected) in [
            ("a.html", Some((ReportFormat::Html(PageForm::Plain), false))),
            ("b/a.HTM", Some((ReportFormat::Html(PageForm::Plain), false))),
            ("a.redacted.html", Some((ReportFormat::Html(PageForm::Plain), true))),
            ("a.interactive.redacted.html", Some((ReportFormat::Html(PageForm::Interactive), true))),
            ("redacted.html", Some((ReportFormat::Html(PageForm::Plain), false))),
            ("a.interactive.md", Some((ReportFormat::Markdown, false))),
            ("a.jsonl.redacted.json", Some((ReportFormat::Json, true))),
            ("a.jsonl", None),
            ("html", None),
            ("..", None),
        ] {
            assert_eq!(format_of(Path::new(name)), expected, "{name}");
        }
    }
}
